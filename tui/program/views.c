/* All views, from front to back, and the function of every command. The table comes from the rows:
 * a row with a key but no function does not link. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include "inside.h"

/* A verb without a key of its own is typed, and handled by the colon. */
tui_do_fn *const tui_does[TUI_COMMANDS] = {
#define LOOM_VERB(id, name, deed, change, permission, group, synonyms, args, keys, ...)            \
	[TUI_VERB_##id] = sizeof(keys) > 1 ? tui_do_##id : NULL,
#include <loom/verbs.def>
#define LOOM_ACTION(id, ...) [TUI_ACTION_##id] = tui_do_##id,
#include <loom/actions.def>
};

/* A key bound to a line. */
static bool line_command(struct tui_app *app, const struct tui_match *match)
{
	if (match->binding->line)
		tui_colon(app, loom_str_of(match->binding->line));
	return match->binding->line != NULL;
}

const struct tui_view tui_view_line = {.command = line_command};

/* Commands that mean the same whatever is in front. */
static bool any_command(struct tui_app *app, const struct tui_match *match)
{
	return tui_row_does(app, match, TUI_KEYVIEW_ALL);
}

const struct tui_view tui_view_any = {.command = any_command};

/* Views in front come first. Views without keys are in the order in which they shut down. */
#define VIEWS(X)                                                                                   \
	X(prompt)                                                                                  \
	X(bars)                                                                                    \
	X(line)                                                                                    \
	X(list)                                                                                    \
	X(text)                                                                                    \
	X(side)                                                                                    \
	X(bare)                                                                                    \
	X(any)                                                                                     \
	X(stream)                                                                                  \
	X(draft)                                                                                   \
	X(lens)                                                                                    \
	X(ghost)                                                                                   \
	X(around)                                                                                  \
	X(tree)                                                                                    \
	X(reader)                                                                                  \
	X(panes)                                                                                   \
	X(levels)                                                                                  \
	X(filter)                                                                                  \
	X(news)                                                                                    \
	X(log)                                                                                     \
	X(kept)                                                                                    \
	X(approvals)                                                                               \
	X(talks)                                                                                   \
	X(summaries)                                                                               \
	X(find)                                                                                    \
	X(shell)                                                                                   \
	X(runs)                                                                                    \
	X(unsent)                                                                                  \
	X(import)                                                                                  \
	X(pastes)                                                                                  \
	X(answer)                                                                                  \
	X(search)                                                                                  \
	X(inspector)                                                                               \
	X(payload)                                                                                 \
	X(subject)                                                                                 \
	X(place)                                                                                   \
	X(typing)                                                                                  \
	X(work)                                                                                    \
	X(piped)                                                                                   \
	X(hooks)

#define X(name) extern const struct tui_view tui_view_##name;
VIEWS(X)
#undef X

const struct tui_view *const tui_views[] = {
#define X(name) &tui_view_##name,
	VIEWS(X)
#undef X
		NULL,
};
