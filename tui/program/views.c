/* All views, from the front to the back, and the function of every command. The rows make the
 * table: one that has a key and no function does not link. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include "inside.h"

/* A verb without a key of its own is typed, and done as what was typed is. */
tui_do_fn *const tui_does[TUI_COMMANDS] = {
#define LOOM_VERB(id, name, deed, permission, group, synonyms, args, keys, ...)                    \
	[TUI_VERB_##id] = sizeof(keys) > 1 ? tui_do_##id : NULL,
#include <loom/verbs.def>
#define LOOM_ACTION(id, ...) [TUI_ACTION_##id] = tui_do_##id,
#include <loom/actions.def>
};

/* A key that stands for a line. */
static bool line_command(struct tui_app *app, const struct tui_match *match)
{
	if (match->binding->line)
		tui_colon(app, loom_str_of(match->binding->line));
	return match->binding->line != NULL;
}

static const struct tui_view view_line = {.command = line_command};

/* What means the same whatever is in front. */
static bool any_command(struct tui_app *app, const struct tui_match *match)
{
	return tui_row_does(app, match, TUI_KEYVIEW_ALL);
}

static const struct tui_view view_any = {.command = any_command};

/* Those in front come first; among those without keys the order is that in which they end. */
const struct tui_view *const tui_views[] = {
	&tui_view_prompt,    &view_line,          &tui_view_list,
	&tui_view_text,      &tui_view_side,      &tui_view_bare,
	&view_any,           &tui_view_stream,    &tui_view_draft,
	&tui_view_lens,      &tui_view_ghost,     &tui_view_tree,
	&tui_view_levels,    &tui_view_filter,    &tui_view_news,
	&tui_view_kept,      &tui_view_approvals, &tui_view_talks,
	&tui_view_summaries, &tui_view_find,      &tui_view_shell,
	&tui_view_runs,      &tui_view_unsent,    &tui_view_import,
	&tui_view_pastes,    &tui_view_answer,    &tui_view_search,
	&tui_view_payload,   &tui_view_subject,   &tui_view_place,
	&tui_view_typing,    &tui_view_work,      NULL,
};
