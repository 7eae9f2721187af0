/* Commands that move: rows, depth, siblings, forks, pages, jumps, marks. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/do_line.h>
#include <loom/desk/ghosts.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/levels.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>
#include <loom/tree/mark.h>

#define LEAF_STEPS 20000 /* nodes descended at once */

/* --- rows of the tree --- */

static void to_row(struct tui_app *app, uint64_t row)
{
	uint64_t rows = tui_items_rows(app->outline.items);
	uint64_t h = (uint64_t)(app->tree_height > 0 ? app->tree_height : 1);
	struct loom_err err;

	if (rows == 0)
		return;
	row = row < rows ? row : rows - 1;
	tui_must(app, tui_outline_fill(&app->outline, row > h ? row - h : 0, 2 * h, &err), &err);
	rows = tui_items_rows(app->outline.items);
	row = row < rows ? row : rows - 1;
	tui_cursor_to(app, tui_items_at(app->outline.items, row, NULL));
}

static void by_rows(struct tui_app *app, int64_t rows)
{
	uint32_t was = app->cursor;
	int64_t row = (int64_t)tui_items_row(app->outline.items, app->cursor) + rows;

	to_row(app, row > 0 ? (uint64_t)row : 0);
	app->stuck = app->stuck || app->cursor == was;
}

/* The cursor stays on its row; the last row stays in sight. */
void tui_tree_scroll(struct tui_app *app, int lines)
{
	uint64_t rows = tui_items_rows(app->outline.items);
	uint64_t h = (uint64_t)(app->tree_height > 0 ? app->tree_height : 1);
	int64_t last = rows > h ? (int64_t)(rows - h) : 0;
	int64_t top = (int64_t)app->top + lines;

	tui_set_top(app, top < 0 ? 0 : (uint64_t)(top < last ? top : last));
}

static void vertical(struct tui_app *app, int64_t lines)
{
	struct loom_err err = {.status = LOOM_OK};

	if (app->focus == TUI_PANE_READER)
		tui_reader_move(&app->reader, (int)lines, &err);
	else
		by_rows(app, lines);
	tui_must(app, err.status, &err);
}

static void page(struct tui_app *app, int num, int den)
{
	bool reading = app->focus == TUI_PANE_READER;
	int h = reading ? app->reader_height : app->tree_height;
	int lines = h * num / den;
	struct loom_err err = {.status = LOOM_OK};

	if (lines == 0)
		lines = num < 0 ? -1 : 1;
	if (reading) {
		tui_reader_scroll(&app->reader, lines, &err);
		tui_reader_move(&app->reader, lines, &err);
	} else {
		by_rows(app, lines);
	}
}

static void other_pane(struct tui_app *app, int lines)
{
	struct loom_err err = {.status = LOOM_OK};

	if (app->focus == TUI_PANE_READER)
		tui_tree_scroll(app, lines);
	else
		tui_reader_scroll(&app->reader, lines, &err);
}

/* --- the shape of the tree --- */

static int64_t parent_of(struct tui_app *app, int64_t group)
{
	const struct tui_row *row = NULL;

	return tui_rows_get(&app->rows, group, &row, NULL) == LOOM_OK ? row->parent : 0;
}

/* Whether the cursor is on a row that is not a node. */
static bool is_other(const struct tui_app *app)
{
	const struct tui_item *item = tui_items_get(app->outline.items, app->cursor);

	return item && (item->flags & TUI_OUTLINE_GHOST);
}

static void to_parent(struct tui_app *app, int count)
{
	int64_t group = app->position;
	const struct tui_item *item = tui_items_get(app->outline.items, app->cursor);

	/* A chain stands for the nodes in between; its parent is the node above it. */
	if (is_other(app)) {
		tui_go(app, app->position, TUI_GO_STEP);
		return;
	}
	if (item && (item->flags & (TUI_OUTLINE_CHAIN | TUI_OUTLINE_RUN))) {
		tui_go(app, (int64_t)(item->key & TUI_OUTLINE_NODE), TUI_GO_STEP);
		return;
	}
	while (count-- > 0 && parent_of(app, group))
		group = parent_of(app, group);
	if (group == app->position)
		tui_stuck(app, "this is the root");
	else
		tui_go(app, group, TUI_GO_STEP);
}

/* The child visited last, or else the first; 0 for none. */
static int64_t child_of(struct tui_app *app, int64_t group)
{
	struct loom_page first = {.kind = LOOM_CONTINUATION,
				  .limit = 1,
				  .pruned_too = app->outline.pruned_too};
	int64_t child = tui_visited(app, group);
	const struct tui_row *row = NULL;
	struct loom_nodes nodes = {NULL, 0};
	struct loom_err err;

	if (child && tui_rows_get(&app->rows, child, &row, NULL) == LOOM_OK &&
	    row->parent == group && (!row->pruned || app->outline.pruned_too))
		return child;
	tui_must(app, loom_node_children(app->store, group, &first, app->arena, &nodes, &err),
		 &err);
	return nodes.count ? nodes.items[0].group : 0;
}

static void open_chain(struct tui_app *app)
{
	uint64_t row = tui_items_row(app->outline.items, app->cursor);
	struct loom_err err;

	if (tui_must(app, tui_outline_open(&app->outline, app->cursor, &err), &err))
		to_row(app, row);
	else
		tui_cursor_home(app);
}

/* Moves the focus to the text, and from there to the notes on the node under the caret. */
static void look_at(struct tui_app *app)
{
	const struct tui_row *row = NULL;
	struct loom_err err;

	if (!tui_outline_group(&app->outline, app->cursor)) {
		open_chain(app);
	} else if (app->focus != TUI_PANE_READER) {
		tui_focus(app, TUI_PANE_READER);
	} else if (tui_must(app, tui_rows_get(&app->rows, tui_read_group(app), &row, &err), &err)) {
		tui_run_line(app,
			     loom_arena_format(app->arena, "view %s full with-annotations",
					       row->id),
			     NULL);
	}
}

static void to_child(struct tui_app *app, int count)
{
	int64_t group = app->position;

	if (is_other(app))
		return;
	if (!tui_outline_group(&app->outline, app->cursor)) {
		open_chain(app);
		return;
	}
	for (int64_t child = 0; count-- > 0 && (child = child_of(app, group));)
		group = child;
	if (group == app->position)
		tui_stuck(app, "nothing follows yet");
	else
		tui_go(app, group, TUI_GO_STEP);
}

static void to_sibling(struct tui_app *app, int64_t by)
{
	const struct tui_row *row = NULL;
	struct tui_row here;
	int64_t group;

	if (tui_stream_at(app, app->cursor)) {
		by_rows(app, by);
		return;
	}
	if (is_other(app))
		tui_go(app, app->position, TUI_GO_STEP);
	if (tui_rows_get(&app->rows, tui_read_group(app), &row, NULL) != LOOM_OK)
		return;
	here = *row;
	group = tui_sibling(app, &here, by);
	if (group)
		tui_go(app, group, TUI_GO_STEP);
	else if (app->outline.pruned_too && tui_sibling(app, &here, by > 0 ? -1 : 1))
		tui_stuck(app, "this is the %s sibling", by > 0 ? "last" : "first");
	else if (app->n > 1 && here.group == app->position)
		tui_stuck(app, "this is the %s of %lld siblings", by > 0 ? "last" : "first",
			  (long long)app->n);
	else
		tui_stuck(app, "no siblings");
}

/* The lowest fork above the last node, or the root; 0 for neither. */
static int64_t last_fork(const struct loom_nodes *nodes)
{
	for (size_t i = nodes->count - 1; i-- > 0;)
		if (nodes->items[i].children > 1 || nodes->items[i].parent == 0)
			return nodes->items[i].group;
	return 0;
}

static void fork_up(struct tui_app *app)
{
	struct loom_nodes nodes;
	int64_t from = app->member;
	int64_t fork = 0;
	struct loom_err err;

	for (int looks = 0; looks < 200 && !fork; looks++) {
		if (!tui_must(app,
			      loom_node_path_end(app->store,
						 &(struct loom_path_end){.tip = from,
									 .thread = app->thread,
									 .limit = TUI_PATH_LOOK,
									 .parts = LOOM_NODE_NARROW},
						 app->arena, &nodes, &err),
			      &err))
			return;
		if (nodes.count < 2)
			return;
		fork = last_fork(&nodes);
		from = nodes.items[0].id;
	}
	if (fork)
		tui_go(app, fork, TUI_GO_STEP);
}

static int64_t chain_end(struct tui_app *app, int64_t group, int64_t limit)
{
	int64_t last = group;
	int64_t steps = 0;
	struct loom_err err;

	tui_must(app, loom_node_chain(app->store, group, limit, &last, &steps, &err), &err);
	return last;
}

static void fork_down(struct tui_app *app)
{
	int64_t group = chain_end(app, app->position, LEAF_STEPS);

	if (group == app->position) {
		group = child_of(app, group);
		group = group ? chain_end(app, group, LEAF_STEPS) : 0;
	}
	if (group)
		tui_go(app, group, TUI_GO_STEP);
	else
		tui_stuck(app, "nothing follows yet");
}

static void to_leaf(struct tui_app *app)
{
	int64_t group = app->position;

	for (int forks = 0; forks < 2000; forks++) {
		int64_t child;
		group = chain_end(app, group, LEAF_STEPS);
		child = child_of(app, group);
		if (!child)
			break;
		group = child;
	}
	if (group != app->position)
		tui_go(app, group, TUI_GO_JUMP);
}

/* --- lists of places --- */

static void to_unseen(struct tui_app *app, bool back)
{
	while (app->news->unseen_count) {
		int64_t group = app->news->unseen[back ? app->news->unseen_count - 1 : 0];

		tui_news_seen(app, group);
		if (!tui_is_hidden(app, group)) {
			tui_go(app, group, TUI_GO_JUMP);
			return;
		}
	}
	tui_stuck(app, "nothing unseen");
}

static void to_bookmark(struct tui_app *app, bool back)
{
	struct loom_nodes nodes = {NULL, 0};
	struct loom_err err;
	size_t i = 0;

	if (!tui_must(app,
		      loom_tag_nodes(app->store,
				     &(struct loom_tagged){.tree = app->tree.id, .limit = 5000},
				     app->arena, &nodes, &err),
		      &err))
		return;
	if (nodes.count == 0) {
		tui_stuck(app, "no bookmarks in this tree");
		return;
	}
	while (i < nodes.count && nodes.items[i].id < app->member)
		i++;
	if (back)
		i = (i + nodes.count - 1) % nodes.count;
	else if (i < nodes.count && nodes.items[i].id == app->member)
		i++;
	tui_go(app, nodes.items[i % nodes.count].group, TUI_GO_JUMP);
}

static void to_agent(struct tui_app *app)
{
	char tree[LOOM_ULID_CHARS + 1];
	struct loom_node node;

	loom_ulid_text(&app->tree.ulid, tree);
	for (size_t i = 0; i < app->news->present_count; i++) {
		const struct loom_presence *who = &app->news->present[i];
		if (!loom_str_is(who->tree, tree) ||
		    loom_node_find(app->store, app->tree.id, who->node, app->arena, &node, NULL))
			continue;
		if (node.group == app->position && i + 1 < app->news->present_count)
			continue;
		if (tui_go(app, node.group, TUI_GO_JUMP))
			tui_say(app, TUI_ROLE_TEXT, "%.*s is here, %.*s", LOOM_STR_ARG(who->agent),
				LOOM_STR_ARG(who->doing));
		return;
	}
	tui_stuck(app, "nobody else is in this tree");
}

static void jump(struct tui_app *app, int by)
{
	struct tui_jumps *jumps = &app->trail->jumps;
	int64_t at = (int64_t)jumps->at + by;

	if (at < 0 || at >= (int64_t)jumps->count) {
		tui_stuck(app, "%s", by < 0 ? "no place before" : "no place after");
		return;
	}
	if (jumps->at == jumps->count && jumps->count < TUI_JUMPS)
		jumps->groups[jumps->count++] = app->position;
	jumps->at = (size_t)at;
	tui_go(app, jumps->groups[at], TUI_GO_STEP);
}

static bool is_mark(struct tui_key key)
{
	return key.code < 128 && !key.mods;
}

static void set_mark(struct tui_app *app, struct tui_key key)
{
	if (!is_mark(key))
		return;
	app->trail->marks[key.code] = app->position;
	tui_say(app, TUI_ROLE_DIM, "mark %c", (int)key.code);
	tui_keep_later(app);
}

static void to_mark(struct tui_app *app, struct tui_key key)
{
	int64_t group = 0;

	if (is_mark(key))
		group = key.code == '\'' ? app->trail->last_place : app->trail->marks[key.code];
	if (group)
		tui_go(app, group, TUI_GO_JUMP);
	else
		tui_stuck(app, "no such mark");
}

/* --- panes --- */

static void next_pane(struct tui_app *app, int by)
{
	int panes = app->side ? TUI_PANES : TUI_PANES - 1;

	tui_focus(app, (enum tui_pane)(((int)app->focus + by + panes) % panes));
}

static void to_end(struct tui_app *app, bool bottom)
{
	struct loom_err err = {.status = LOOM_OK};

	if (app->focus != TUI_PANE_READER) {
		int64_t before = app->position;
		to_row(app, bottom ? UINT64_MAX : 0);
		if (app->position != before)
			tui_keep_jump(app, before);
	} else if (bottom)
		tui_reader_to_end(&app->reader, &err);
	else
		tui_reader_to_start(&app->reader, &err);
}

/* The reader takes the caret and with it the focus. */
static void by_words(struct tui_app *app, int by)
{
	struct loom_err err = {.status = LOOM_OK};

	tui_focus(app, TUI_PANE_READER);
	for (int i = by < 0 ? -by : by; i > 0; i--)
		if (!tui_reader_word(&app->reader, by < 0 ? -1 : 1, &err))
			break;
	tui_must(app, err.status, &err);
}

/* --- commands --- */

TUI_DO(DOWN)
{
	vertical(app, tui_match_count(match));
}

TUI_DO(UP)
{
	vertical(app, -tui_match_count(match));
}

TUI_DO(TOP)
{
	to_end(app, false);
}

TUI_DO(BOTTOM)
{
	tui_level_finish(app);
	to_end(app, true);
}

TUI_DO(HALF_DOWN)
{
	page(app, tui_match_count(match), 2);
}

TUI_DO(HALF_UP)
{
	page(app, -tui_match_count(match), 2);
}

TUI_DO(PAGE_DOWN)
{
	page(app, tui_match_count(match), 1);
}

TUI_DO(PAGE_UP)
{
	page(app, -tui_match_count(match), 1);
}

TUI_DO(OTHER_DOWN)
{
	other_pane(app, tui_match_count(match));
}

TUI_DO(OTHER_UP)
{
	other_pane(app, -tui_match_count(match));
}

TUI_DO(PARENT)
{
	to_parent(app, tui_match_count(match));
}

TUI_DO(CHILD)
{
	to_child(app, tui_match_count(match));
}

TUI_DO(SIBLING_NEXT)
{
	to_sibling(app, tui_match_count(match));
}

TUI_DO(SIBLING_PREV)
{
	to_sibling(app, -tui_match_count(match));
}

TUI_DO(FORK_UP)
{
	fork_up(app);
}

TUI_DO(FORK_DOWN)
{
	fork_down(app);
}

TUI_DO(LEAF)
{
	to_leaf(app);
}

TUI_DO(WORD_NEXT)
{
	by_words(app, tui_match_count(match));
}

TUI_DO(WORD_PREV)
{
	by_words(app, -tui_match_count(match));
}

TUI_DO(UNSEEN_NEXT)
{
	to_unseen(app, false);
}

TUI_DO(UNSEEN_PREV)
{
	to_unseen(app, true);
}

TUI_DO(BOOKMARK_NEXT)
{
	to_bookmark(app, false);
}

TUI_DO(BOOKMARK_PREV)
{
	to_bookmark(app, true);
}

TUI_DO(GO_AGENT)
{
	to_agent(app);
}

TUI_DO(BACK_JUMP)
{
	jump(app, -tui_match_count(match));
}

TUI_DO(FORTH_JUMP)
{
	jump(app, tui_match_count(match));
}

TUI_DO(MARK)
{
	set_mark(app, match->any);
}

TUI_DO(GO_MARK)
{
	to_mark(app, match->any);
}

TUI_DO(PANE_NEXT)
{
	next_pane(app, 1);
}

TUI_DO(PANE_PREV)
{
	next_pane(app, -1);
}

TUI_DO(ZOOM)
{
	app->zoomed = !app->zoomed;
}

TUI_DO(VIEW)
{
	look_at(app);
}
