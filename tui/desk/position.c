/* The position, its path and the cursor's row. Invariants: the cursor's item is in the outline; the
 * position is the node of the cursor's row, or the last one with a row; the reader shows the path
 * to it. */
#include <loom/desk/desk.h>
#include <loom/desk/levels.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/work/thread.h>

/* --- children visited last --- */

static struct tui_visit *slot(struct tui_app *app, int64_t group)
{
	return &app->trail->visited[(uint64_t)group % TUI_VISITED];
}

static void remember(struct tui_app *app, int64_t group, int64_t child)
{
	*slot(app, group) = (struct tui_visit){group, child};
}

int64_t tui_visited(struct tui_app *app, int64_t group)
{
	int64_t child = 0;

	if (slot(app, group)->group == group)
		return slot(app, group)->child;
	if (app->thread)
		tui_must(app, loom_thread_visited(app->store, app->thread, group, &child, NULL),
			 NULL);
	return child;
}

int64_t tui_group_of(struct tui_app *app, int64_t node)
{
	struct loom_node read;

	if (!node || loom_node_get(app->store, node, LOOM_NODE_NARROW, app->arena, &read, NULL))
		return 0;
	return read.group;
}

/* --- the path --- */

static void push_step(struct tui_app *app, const struct loom_node *node)
{
	if (app->trail->count == app->trail->cap) {
		app->trail->cap = app->trail->cap ? app->trail->cap * 2 : 64;
		app->trail->steps =
			loom_realloc(app->trail->steps, app->trail->cap, sizeof *app->trail->steps);
	}
	app->trail->steps[app->trail->count++] =
		(struct tui_step){node->group, node->bytes, node->children};
}

/* Extends the known path when the new position hangs on it: then only its end changes. */
static bool extend_path(struct tui_app *app, const struct loom_node *node)
{
	size_t n = app->trail->count;

	while (n > 0 && app->trail->steps[n - 1].group != node->group &&
	       app->trail->steps[n - 1].group != node->parent)
		n--;
	if (n == 0)
		return false;
	app->trail->count = app->trail->steps[n - 1].group == node->group ? n - 1 : n;
	push_step(app, node);
	return true;
}

static enum loom_status read_path(struct tui_app *app, const struct loom_node *node,
				  struct loom_err *err)
{
	struct loom_nodes nodes = {NULL, 0};
	enum loom_status status;

	if (extend_path(app, node))
		return LOOM_OK;
	status = loom_node_path_end(app->store,
				    &(struct loom_path_end){.tip = node->id,
							    .thread = app->thread,
							    .limit = TUI_PATH_LOOK,
							    .parts = LOOM_NODE_NARROW},
				    app->arena, &nodes, err);
	app->trail->count = 0;
	for (size_t i = 0; i < nodes.count; i++)
		push_step(app, &nodes.items[i]);
	app->trail->whole = nodes.count > 0 && nodes.items[0].parent == 0;
	return status;
}

bool tui_on_path(const struct tui_app *app, int64_t group)
{
	for (size_t i = app->trail->count; i-- > 0;) {
		if (app->trail->steps[i].group == group)
			return true;
	}
	return false;
}

/* --- the position --- */

static bool stand(struct tui_app *app, int64_t group)
{
	const struct tui_row *row = NULL;
	struct loom_node node;
	struct loom_err err;

	if (!tui_must(app, tui_rows_get(&app->rows, group, &row, &err), &err) ||
	    !tui_must(app,
		      loom_node_get(app->store, row->node, LOOM_NODE_NARROW, app->arena, &node,
				    &err),
		      &err) ||
	    !tui_must(app, read_path(app, &node, &err), &err) ||
	    !tui_must(app, loom_node_place(app->store, &node, &app->k, &app->n, &err), &err))
		return false;
	if (node.parent)
		remember(app, node.parent, group);
	if (group == app->position)
		tui_reader_replace(&app->reader, node.id);
	else
		tui_reader_show(&app->reader, node.id);
	app->position = group;
	app->member = node.id;
	tui_tell(app, TUI_TOLD_STANDS);
	return true;
}

/* Drafts and ghosts below the cursor's node come into sight with it, if there is room for both. */
static void see_below(struct tui_app *app, uint64_t row, uint64_t h)
{
	uint64_t last = 0;

	for (const struct tui_view *const *view = app->views; *view && !last; view++)
		last = (*view)->last_row ? (*view)->last_row(app) : 0;
	if (last >= app->top + h && last < row + h)
		tui_set_top(app, last - h + 1);
}

void tui_keep_in_sight(struct tui_app *app)
{
	uint64_t rows = tui_items_rows(app->outline.items);
	uint64_t row = app->cursor ? tui_items_row(app->outline.items, app->cursor) : 0;
	uint64_t h = app->tree_height > 0 ? (uint64_t)app->tree_height : 1;

	/* At the edge, one jump by half a pane is cheaper than scrolling line by line. */
	if (row < app->top)
		tui_set_top(app, row + 1 > h / 2 + 1 ? row - h / 2 : 0);
	if (row >= app->top + h)
		tui_set_top(app, row - h / 2);
	if (app->top + h > rows)
		tui_set_top(app, rows > h ? rows - h : 0);
	see_below(app, row, h);
}

/* The group that an item stands for: its node, or for another row the node it hangs on. */
static int64_t stood_on(const struct tui_app *app, uint32_t item)
{
	int64_t group = 0;

	for (const struct tui_view *const *view = app->views; *view && !group; view++)
		group = (*view)->anchor ? (*view)->anchor(app, item) : 0;
	return group ? group : tui_outline_group(&app->outline, item);
}

/* From back to front: what the front view shows goes over what the others do. */
static void choose(struct tui_app *app, uint32_t item)
{
	const struct tui_view *const *view = app->views;

	while (*view)
		view++;
	while (view-- > app->views)
		if ((*view)->chosen)
			(*view)->chosen(app, item);
}

void tui_cursor_to(struct tui_app *app, uint32_t item)
{
	int64_t group;

	if (!item)
		return;
	group = stood_on(app, item);
	tui_set_cursor(app, item);
	tui_keep_in_sight(app);
	if (group && group != app->position) {
		tui_follow_end(app);
		stand(app, group);
	}
	choose(app, item);
}

void tui_keep_jump(struct tui_app *app, int64_t group)
{
	struct tui_jumps *jumps = &app->trail->jumps;

	app->trail->last_place = group;
	if (jumps->count && jumps->groups[jumps->count - 1] == group)
		return;
	if (jumps->count == TUI_JUMPS) {
		memmove(jumps->groups, jumps->groups + 1, (TUI_JUMPS - 1) * sizeof *jumps->groups);
		jumps->count--;
	}
	jumps->groups[jumps->count++] = group;
	jumps->at = jumps->count;
}

void tui_cursor_home(struct tui_app *app)
{
	uint32_t item = tui_items_find(app->outline.items, (uint64_t)app->position);

	tui_set_cursor(app, item ? item : tui_items_at(app->outline.items, 0, NULL));
}

/* Shows the whole tree again when the node is outside the hoisted part. A failure may come after
 * the rows were rebuilt, and then the cursor's handle is another item's or nobody's. */
static enum loom_status show_anywhere(struct tui_app *app, int64_t group, uint32_t *item,
				      struct loom_err *err)
{
	const struct tui_items *items = app->outline.items;
	const uint64_t key = app->cursor ? tui_items_get(items, app->cursor)->key : 0;
	enum loom_status status = tui_outline_show(&app->outline, group, item, err);

	if (status == LOOM_NOT_FOUND && app->outline.root != app->tree.root) {
		tui_level_finish(app);
		status = tui_outline_root(&app->outline, app->tree.root, err);
		if (status == LOOM_OK)
			status = tui_outline_show(&app->outline, group, item, err);
		tui_level_soon(app);
	}
	if (status != LOOM_OK && tui_items_find(items, key) != app->cursor)
		tui_cursor_home(app);
	return status;
}

bool tui_show_position(struct tui_app *app, bool well)
{
	struct loom_err err;
	uint32_t item = 0;

	well = well &&
	       tui_must(app, tui_outline_show(&app->outline, app->position, &item, &err), &err);
	if (well)
		tui_set_cursor(app, item);
	else
		tui_cursor_home(app);
	return well;
}

bool tui_go(struct tui_app *app, int64_t group, enum tui_go how)
{
	struct loom_err err;
	uint32_t item = 0;
	enum loom_status status = show_anywhere(app, group, &item, &err);

	if (status == LOOM_NOT_FOUND) { /* the rows may be older than the node */
		tui_news_look(app);
		status = show_anywhere(app, group, &item, &err);
	}
	if (!tui_must(app, status, &err))
		return false;
	if (how == TUI_GO_JUMP && app->position && app->position != group) {
		tui_keep_jump(app, app->position);
	}
	tui_cursor_to(app, item);
	return true;
}

int64_t tui_read_group(const struct tui_app *app)
{
	size_t node = 0;
	size_t at = 0;

	return app->focus == TUI_PANE_READER && app->tree.mode == LOOM_BUFFER &&
			       tui_reader_at(&app->reader, &node, &at)
		       ? app->reader.path.items[node].group
		       : app->position;
}

/* --- after a change --- */

/* The position, or its nearest visible ancestor when it was pruned or undone. */
static int64_t still_there(struct tui_app *app)
{
	const struct tui_row *row = NULL;
	int64_t node = app->member;
	struct loom_err err;

	if (!node || (app->outline.pruned_too &&
		      tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK))
		return app->position;
	if (loom_node_visible(app->store, app->member, &node, NULL, &err) != LOOM_OK || !node)
		return app->tree.root;
	return tui_group_of(app, node);
}

void tui_find_thread(struct tui_app *app)
{
	struct loom_thread thread;

	if (!app->thread && loom_thread_implicit(app->store, app->actor, app->tree.id, app->arena,
						 &thread, NULL) == LOOM_OK)
		app->thread = thread.id;
	app->rows.thread = app->reader.thread = app->thread;
}

/* The key of the cursor's row if it is not a node; otherwise 0. */
static uint64_t other_key(const struct tui_app *app)
{
	const struct tui_item *item =
		app->cursor ? tui_items_get(app->outline.items, app->cursor) : NULL;

	return item && (item->flags & TUI_OUTLINE_GHOST) ? item->key : 0;
}

/* The item for the cursor: the row with this key, or one that a view claims, or else `item`. */
static uint32_t claimed(const struct tui_app *app, uint64_t key, uint32_t item)
{
	uint32_t other = key ? tui_items_find(app->outline.items, key) : 0;

	for (const struct tui_view *const *view = app->views; *view && !other; view++)
		other = (*view)->claims ? (*view)->claims(app) : 0;
	return other ? other : item;
}

void tui_refresh(struct tui_app *app)
{
	uint64_t row = app->cursor ? tui_items_row(app->outline.items, app->cursor) : 0;
	int64_t offset = (int64_t)row - (int64_t)app->top;
	uint64_t h = (uint64_t)(app->tree_height > 0 ? app->tree_height : 1);
	const uint64_t key = other_key(app);
	struct loom_err err;
	enum loom_status status;
	int64_t group;
	uint32_t item = 0;

	tui_find_thread(app);
	tui_rows_forget(&app->rows);
	app->trail->count = 0;
	tui_tell(app, TUI_TOLD_AGAIN);
	group = still_there(app);
	status = tui_outline_refresh(&app->outline, group, app->top > h ? app->top - h : 0,
				     app->top + 2 * h, &err);
	tui_cursor_home(app);
	/* The node may be above a hoisted part that is hidden now. */
	if (status == LOOM_OK || status == LOOM_NOT_FOUND)
		status = show_anywhere(app, group, &item, &err);
	if (!tui_must(app, status, &err)) {
		tui_level_end(app);
		return;
	}
	tui_tell(app, TUI_TOLD_ROWS);
	item = claimed(app, key, item);
	row = tui_items_row(app->outline.items, item);
	tui_set_top(app, (int64_t)row > offset ? row - (uint64_t)offset : 0);
	tui_set_cursor(app, item);
	tui_keep_in_sight(app);
	stand(app, group);
	tui_reader_refresh(&app->reader);
	tui_level_soon(app);
}

/* --- what is kept of it --- */

void tui_set_cursor(struct tui_app *app, uint32_t item)
{
	app->cursor = item;
}

void tui_set_top(struct tui_app *app, uint64_t row)
{
	app->top = row;
}

void tui_focus(struct tui_app *app, enum tui_pane pane)
{
	app->focus = pane;
}

static void begin(struct tui_app *app)
{
	app->trail = loom_alloc(sizeof *app->trail);
}

static void closed(struct tui_app *app)
{
	free(app->trail->steps);
	free(app->trail);
}

const struct tui_view tui_view_place = {
	.told = {[TUI_TOLD_BEGIN] = begin, [TUI_TOLD_CLOSED] = closed}};

int64_t tui_sibling(struct tui_app *app, const struct tui_row *row, int64_t by)
{
	int64_t reach = by > 0 ? by : -by;
	struct loom_page page = {.kind = LOOM_CONTINUATION, .pruned_too = app->outline.pruned_too};
	struct loom_nodes nodes = {NULL, 0};
	int64_t back = reach;

	do {
		page.after = by > 0 ? row->ord : row->ord - 1 - back;
		page.after = page.after > 0 ? page.after : 0;
		page.limit = (size_t)(by > 0 ? reach : row->ord - 1 - page.after);
		if (page.limit == 0 ||
		    loom_node_children(app->store, row->among, &page, app->arena, &nodes, NULL))
			return 0;
		while (by < 0 && nodes.count && nodes.items[nodes.count - 1].ord >= row->ord)
			nodes.count--;
		back *= 4;
	} while (by < 0 && (int64_t)nodes.count < reach && page.after > 0);
	if (nodes.count == 0)
		return 0;
	if (by > 0)
		return nodes.items[nodes.count - 1].group;
	return nodes.items[(int64_t)nodes.count > reach ? nodes.count - (size_t)reach : 0].group;
}
