/* The mouse: the wheel scrolls the pane under it, a press moves the cursor there, and a press on
 * the cursor's row opens or folds it. `:mouse off` gives the mouse back to the terminal. */
#include <loom/desk/desk.h>

#include <loom/lists/list.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>

#include "inside.h"

#define WHEEL_LINES 3

static bool inside(struct tui_rect rect, const struct tui_mouse *mouse)
{
	return tui_rect_has(rect, mouse->x, mouse->y);
}

static void press_tree(struct tui_app *app, int y)
{
	uint64_t row = app->top + (uint64_t)y;
	uint32_t item;

	tui_focus(app, TUI_PANE_TREE);
	if (row >= tui_items_rows(app->outline.items))
		return;
	item = tui_items_at(app->outline.items, row, NULL);
	if (item == app->cursor)
		tui_app_choose(app, TUI_ACTION_FOLD);
	else
		tui_cursor_to(app, item);
}

static bool on_panes(struct tui_app *app, const struct tui_mouse *mouse)
{
	struct tui_layout layout;
	struct tui_rect tree, reader;
	struct loom_err err = {.status = LOOM_OK};
	int w, h;

	tui_stage_size(app->stage, &w, &h);
	layout = tui_app_layout(app, w, h);
	tree = layout.panes[TUI_PANE_TREE];
	reader = layout.panes[TUI_PANE_READER];
	if (mouse->kind == TUI_MOUSE_WHEEL && inside(reader, mouse))
		tui_reader_scroll(&app->reader, WHEEL_LINES * mouse->button, &err);
	else if (mouse->kind == TUI_MOUSE_WHEEL && inside(tree, mouse))
		tui_tree_scroll(app, WHEEL_LINES * mouse->button);
	if (mouse->kind != TUI_MOUSE_PRESS || app->writing)
		return true;
	if (inside(reader, mouse))
		tui_focus(app, TUI_PANE_READER);
	else if (inside(layout.panes[TUI_PANE_SIDE], mouse))
		tui_focus(app, TUI_PANE_SIDE);
	else if (inside(tree, mouse))
		press_tree(app, mouse->y - tree.y);
	return true;
}

void tui_mouse(struct tui_app *app, const struct tui_mouse *mouse)
{
	for (const struct tui_view *const *view = app->views; *view && app->stage; view++)
		if ((*view)->mouse && (*view)->mouse(app, mouse))
			return;
}

const struct tui_view tui_view_panes = {.mouse = on_panes};
