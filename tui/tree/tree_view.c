/* The tree and its reader as a view: what their keys do when nothing is in front, and which of them
 * work on a node that is still being written. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/do_line.h>
#include <loom/desk/ghosts.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>
#include <loom/writing/drafts.h>
#include <loom/writing/text_editor.h>

/* Edits the node under the caret, at its byte; in the tree, the node at the cursor, at the byte
 * that a search found. */
static void edit_here(struct tui_app *app)
{
	size_t node = 0;
	size_t at = 0;
	int64_t group;
	struct loom_err err;

	(void)!tui_reader_ready(&app->reader, &err);
	if (app->focus == TUI_PANE_READER && tui_reader_at(&app->reader, &node, &at)) {
		group = app->reader.path.items[node].group;
		if (group != app->position && !tui_go(app, group, TUI_GO_JUMP))
			return;
	} else if (!tui_found(app).n || !tui_reader_at(&app->reader, &node, &at) ||
		   app->reader.path.items[node].group != app->position) {
		at = 0;
	}
	tui_write_edit(app, at);
}

TUI_DO(RESPOND)
{
	tui_write_new(app);
}

TUI_DO(EDIT)
{
	edit_here(app);
}

static bool tree_there(const struct tui_app *app)
{
	return !app->list;
}

static bool tree_command(struct tui_app *app, const struct tui_match *match)
{
	return tui_row_does(app, match, TUI_KEYVIEW_NAV) ||
	       tui_row_does(app, match, TUI_KEYVIEW_LENS);
}

static enum tui_keyview tree_keys(const struct tui_app *app)
{
	return app->reader.lens && app->focus == TUI_PANE_READER ? TUI_KEYVIEW_LENS
								 : TUI_KEYVIEW_NAV;
}

static bool tree_offers(const struct tui_app *app, enum tui_command command)
{
	if (command == TUI_VERB_PRUNE)
		return app->n > 1 || app->position != app->tree.root;
	if (command == TUI_ACTION_COMMIT)
		return false;
	if (command == TUI_ACTION_SIBLING_NEXT)
		return app->n > 1;
	return command != TUI_ACTION_COMPARE || app->n > 1 || app->selected_count > 1;
}

static const char *tree_word(struct tui_app *app, enum tui_command command, const char *usual)
{
	const struct tui_row *row = NULL;

	return command == TUI_VERB_PRUNE &&
			       tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK &&
			       row->pruned
		       ? "restore"
		       : usual;
}

const struct tui_view tui_view_tree = {
	.there = tree_there,
	.keys = tree_keys,
	.command = tree_command,
	.word = tree_word,
	.offers = tree_offers,
	.draw = tui_tree_draw,
};

/* --- a node that is still being written --- */

static bool ghost_there(const struct tui_app *app)
{
	return !app->list && tui_stream_at(app, app->cursor);
}

/* A node being written can only be stopped; no key may act on its parent instead. */
static bool still_written(struct tui_app *app, const struct tui_match *match, int by)
{
	(void)by;
	if (match->binding->command == TUI_VERB_PRUNE && tui_run_cancel(app))
		tui_say(app, TUI_ROLE_WARN, "stopping");
	else
		tui_stuck(app, "this is still being written · Esc stops it");
	return true;
}

static bool ghost_command(struct tui_app *app, const struct tui_match *match)
{
	static const struct tui_meaning means[] = {
		{TUI_VERB_RESPOND, still_written, 0},
		{TUI_VERB_EDIT, still_written, 0},
		{TUI_ACTION_EXTERNAL, still_written, 0},
		{TUI_VERB_CONTINUE, still_written, 0},
		{TUI_ACTION_CONTINUE_WITH, still_written, 0},
		{TUI_ACTION_RETRY, still_written, 0},
		{TUI_ACTION_BRANCH, still_written, 0},
		{TUI_ACTION_NEWER, still_written, 0},
		{TUI_ACTION_OLDER, still_written, 0},
		{TUI_VERB_BOOKMARK, still_written, 0},
		{TUI_VERB_PRUNE, still_written, 0},
		{TUI_ACTION_KEEP_ONLY, still_written, 0},
		{TUI_VERB_TAG, still_written, 0},
		{TUI_VERB_ANNOTATE, still_written, 0},
		{TUI_VERB_PIN, still_written, 0},
		{TUI_VERB_STASH, still_written, 0},
		{TUI_VERB_SWITCH, still_written, 0},
		{TUI_ACTION_COMPARE, still_written, 0},
		{TUI_ACTION_SELECT, still_written, 0},
		{TUI_ACTION_COPY, still_written, 0},
		{TUI_ACTION_COPY_PATH, still_written, 0},
		{.command = TUI_COMMAND_NONE},
	};

	return tui_means(means, app, match);
}

const struct tui_view tui_view_ghost = {.there = ghost_there, .command = ghost_command};
