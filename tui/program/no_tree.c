/* The screen of a grove without a tree: what it shows instead, and the keys that need no tree.
 * There is no position, no row and no path then. */
#include <loom/desk/desk.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/tree_view.h>
#include <loom/writing/drafts.h>
#include <loom/writing/text_editor.h>

#include "inside.h"

/* Commands that need no tree; all others are about a node. */
static bool is_free(enum tui_command command)
{
	static const enum tui_command commands[] = {
		TUI_ACTION_APPROVALS,
		TUI_ACTION_PASTE_AGAIN,
		TUI_ACTION_CANCEL,
		TUI_ACTION_BACK,
		TUI_ACTION_QUIT,
		TUI_ACTION_REDRAW,
		TUI_ACTION_COMMAND_LINE,
		TUI_ACTION_RECORD,
		TUI_ACTION_PLAY,
		TUI_ACTION_VIEW_TREES,
		TUI_ACTION_VIEW_THREADS,
		TUI_ACTION_VIEW_DOCUMENTS,
		TUI_ACTION_VIEW_JOBS,
		TUI_ACTION_VIEW_OPERATIONS,
		TUI_ACTION_VIEW_MESSAGES,
		TUI_ACTION_VIEW_AGENTS,
		TUI_ACTION_VIEW_REMOTE,
		TUI_ACTION_VIEW_PAYLOAD,
		TUI_ACTION_VIEW_KEYS,
		TUI_VERB_REDO,
		TUI_VERB_UNDO,
		TUI_VERB_HELP,
		TUI_VERB_SEARCH,
	};

	for (size_t i = 0; i < LOOM_COUNT(commands); i++)
		if (commands[i] == command)
			return true;
	return false;
}

/* The few commands that a list leaves to the tree below it. */
static bool is_of_tree(enum tui_command command)
{
	return command == TUI_VERB_MEMORY || command == TUI_ACTION_WOULD_SEND ||
	       command == TUI_ACTION_WAS_SENT || command == TUI_ACTION_VIEW_BOOKMARKS;
}

static bool begins(enum tui_command command)
{
	return command == TUI_VERB_RESPOND || command == TUI_VERB_VIEW;
}

static bool offers(const struct tui_app *app, enum tui_command command)
{
	(void)app;
	return is_free(command) || begins(command);
}

static bool is_there(const struct tui_app *app)
{
	return !app->tree.id;
}

static bool on_command(struct tui_app *app, const struct tui_match *match)
{
	const enum tui_command command = match->binding->command;

	if (app->list ? !is_of_tree(command) : is_free(command))
		return false;
	if (begins(command))
		tui_write_new(app);
	else
		tui_bare_say(app);
	return true;
}

/* --- what it says --- */

static const struct {
	enum tui_command command;
	const char *line; /* the line it begins */
	const char *what;
} ways[] = {
	{TUI_VERB_RESPOND, "", "writes the beginning of a tree"},
	{TUI_ACTION_COMMAND_LINE, "new \"A title\"", "creates an empty tree"},
	{TUI_ACTION_COMMAND_LINE, "import FILE", "imports trees"},
	{TUI_VERB_HELP, "", "shows all keys"},
	{TUI_ACTION_QUIT, "", "leaves"},
};

void tui_bare_text(const struct tui_app *app, struct loom_buf *out)
{
	loom_buf_adds(out, "no tree yet: ");
	for (size_t i = 0; i < LOOM_COUNT(ways); i++) {
		loom_buf_adds(out, i ? ", " : "");
		tui_keymap_spell(&app->keymap, TUI_KEYVIEW_NAV, ways[i].command, out);
		loom_buf_addf(out, "%s %s", ways[i].line, ways[i].what);
	}
}

static void draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout)
{
	struct tui_rect rect = layout->panes[TUI_PANE_TREE];
	struct loom_buf keys = LOOM_BUF_INIT(256);

	if (app->tree.id || rect.w <= 0 || rect.h <= 0)
		return;
	for (size_t i = 0; i < app->drafts->count && rect.h > 1; i++) {
		tui_draft_draw(&app->drafts->rows[i], grid,
			       (struct tui_rect){rect.x, rect.y, rect.w, 1});
		rect.y++;
		rect.h--;
	}
	for (int i = 0; i < rect.h && i < (int)LOOM_COUNT(ways); i++) {
		struct tui_rect row = {rect.x, rect.y + i, rect.w, 1};
		struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(KEY));

		loom_buf_clear(&keys);
		tui_keymap_spell(&app->keymap, TUI_KEYVIEW_NAV, ways[i].command, &keys);
		loom_buf_adds(&keys, ways[i].line);
		tui_pen_cut(&pen, loom_buf_str(&keys), row.w);
		pen.ink = TUI_INK(DIM);
		tui_pen_blank(&pen, 1);
		tui_pen_cut(&pen, loom_str_of(ways[i].what), tui_pen_left(&pen));
	}
	loom_buf_fini(&keys);
	grid->cursor_x = rect.x;
	grid->cursor_y = rect.y;
	grid->cursor_shown = true;
}

const struct tui_view tui_view_bare = {
	.there = is_there,
	.command = on_command,
	.offers = offers,
	.draw = draw,
};
