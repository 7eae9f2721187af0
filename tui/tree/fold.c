/* Commands that change how the tree is shown but not the tree. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/levels.h>
#include <loom/desk/position.h>

static bool open_item(struct tui_app *app, uint32_t item)
{
	uint64_t row = tui_items_row(app->outline.items, item);
	struct loom_err err;
	bool well = tui_must(app, tui_outline_open(&app->outline, item, &err), &err);

	tui_set_cursor(app, tui_items_at(app->outline.items, row, NULL));
	tui_keep_in_sight(app);
	return well;
}

static bool is_open(const struct tui_app *app, uint32_t item)
{
	uint32_t next = tui_items_next(app->outline.items, item);

	return next && tui_items_get(app->outline.items, next)->depth >
			       tui_items_get(app->outline.items, item)->depth;
}

/* Closes the cursor's item, or its parent when nothing is open below it. */
static void close_item(struct tui_app *app)
{
	uint32_t item = app->cursor;
	const struct tui_row *row = NULL;

	if (!is_open(app, item)) {
		if (tui_rows_get(&app->rows, app->position, &row, NULL) != LOOM_OK || !row->parent)
			return;
		if (!tui_go(app, row->parent, TUI_GO_STEP))
			return;
		item = app->cursor;
	}
	tui_outline_close(&app->outline, item);
	tui_keep_in_sight(app);
}

static void toggle(struct tui_app *app)
{
	if (is_open(app, app->cursor))
		close_item(app);
	else
		open_item(app, app->cursor);
}

/* Hoists `root`; what was open is reopened as far as it is in sight. */
static bool another_root(struct tui_app *app, int64_t root)
{
	size_t most = (size_t)(app->tree_height > 0 ? app->tree_height : 1);
	struct loom_err err;

	return tui_must(app, tui_outline_root(&app->outline, root, &err), &err) &&
	       tui_must(app, tui_outline_refresh_on(&app->outline, most, &err), &err);
}

/* Rebuilds the rows. When `folded`, only the path to the position is open afterwards. */
static void again(struct tui_app *app, bool folded)
{
	int64_t root = app->outline.root;
	struct loom_err err;
	bool well;

	tui_level_finish(app);
	well = folded ? tui_must(app, tui_outline_reset(&app->outline, root, &err), &err)
		      : another_root(app, root);
	if (tui_show_position(app, well))
		tui_keep_in_sight(app);
	tui_level_soon(app);
}

static void to_level(struct tui_app *app, uint32_t level)
{
	struct tui_levelling here;
	uint32_t first = tui_items_at(app->outline.items, app->top, NULL);
	struct loom_err err;

	tui_level_end(app);
	tui_outline_level(&app->outline, level, &here);
	if (here.next && first) {
		here.next = tui_items_get(app->outline.items, first)->key;
		tui_must(app,
			 tui_level_rows(app, &here,
					(size_t)(app->tree_height > 0 ? app->tree_height : 1),
					&err),
			 &err);
	}
	tui_outline_level(&app->outline, level, &app->levels->under_way);
	tui_level_soon(app);
	tui_keep_in_sight(app);
}

static void hoist(struct tui_app *app)
{
	struct loom_err err;

	tui_level_finish(app);
	if (another_root(app, app->position))
		tui_must(app,
			 tui_outline_open(&app->outline, tui_items_at(app->outline.items, 0, NULL),
					  &err),
			 &err);
	tui_set_top(app, 0);
	tui_cursor_to(app, tui_items_at(app->outline.items, 0, NULL));
	tui_level_soon(app);
}

/* In a dialogue each node has a header anyway. */
static void show_boundaries(struct tui_app *app)
{
	if (app->tree.mode == LOOM_DIALOGUE) {
		tui_stuck(app,
			  "boundary marks are for prose: in a dialogue each message has a header");
		return;
	}
	app->reader.boundaries = !app->reader.boundaries;
	tui_say(app, TUI_ROLE_DIM, "starts of nodes are %s",
		app->reader.boundaries ? "underlined" : "not shown");
}

/* Undoes one hoist: the nearest fork above becomes the root of the view. */
static void unhoist(struct tui_app *app)
{
	struct loom_nodes nodes = {NULL, 0};
	int64_t root = app->tree.root;
	struct loom_err err;

	if (app->outline.root == app->tree.root) {
		tui_stuck(app, "the whole tree is shown");
		return;
	}
	if (loom_node_path_end(app->store,
			       &(struct loom_path_end){.tip = app->outline.root,
						       .thread = app->thread,
						       .limit = TUI_PATH_LOOK,
						       .parts = LOOM_NODE_NARROW},
			       app->arena, &nodes, &err) == LOOM_OK)
		for (size_t i = nodes.count - 1; i-- > 0 && root == app->tree.root;)
			if (nodes.items[i].children > 1)
				root = nodes.items[i].group;
	tui_level_finish(app);
	if (tui_show_position(app, another_root(app, root)))
		tui_cursor_to(app, app->cursor);
	tui_level_soon(app);
}

static void put_row(struct tui_app *app, int at)
{
	uint64_t row = tui_items_row(app->outline.items, app->cursor);
	uint64_t above = (uint64_t)(app->tree_height - 1) * (uint64_t)at / 2;

	tui_set_top(app, row > above ? row - above : 0);
}

static void show_pruned(struct tui_app *app)
{
	app->outline.pruned_too = !app->outline.pruned_too;
	tui_refresh(app);
	tui_say(app, TUI_ROLE_DIM, "pruned branches are %s",
		app->outline.pruned_too ? "shown" : "hidden");
}

/* --- commands --- */

TUI_DO(FOLD)
{
	toggle(app);
}

TUI_DO(FOLD_OPEN)
{
	open_item(app, app->cursor);
}

TUI_DO(FOLD_CLOSE)
{
	close_item(app);
}

TUI_DO(FOLD_ALL)
{
	again(app, true);
}

TUI_DO(UNFOLD_ALL)
{
	to_level(app, UINT32_MAX);
}

TUI_DO(FOLD_DEPTH)
{
	if (match->any.code >= '1' && match->any.code <= '9')
		to_level(app, match->any.code - '0');
	else
		tui_stuck(app, "z and a digit from 1 to 9 unfold to that depth · ? lists "
			       "the letters");
}

TUI_DO(ROW_CENTRE)
{
	put_row(app, 1);
}

TUI_DO(ROW_TOP)
{
	put_row(app, 0);
}

TUI_DO(ROW_BOTTOM)
{
	put_row(app, 2);
}

TUI_DO(HOIST)
{
	hoist(app);
}

TUI_DO(UNHOIST)
{
	unhoist(app);
}

TUI_DO(MAP)
{
	app->outline.map = !app->outline.map;
	again(app, false);
}

TUI_DO(SHOW_PRUNED)
{
	show_pruned(app);
}

TUI_DO(BOUNDARIES)
{
	show_boundaries(app);
}
