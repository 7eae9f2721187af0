/* The mouse: the wheel scrolls the pane under it, a press moves the cursor there, and a press on
 * the cursor's row opens or folds it; the right button opens a row's menu, a press on a hint does
 * what it says, and the line between two panes can be dragged. `:mouse off` gives the mouse back to
 * the terminal. */
#include <loom/desk/desk.h>

#include <loom/lists/list.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>

#include "inside.h"

static bool inside(struct tui_rect rect, const struct tui_mouse *mouse)
{
	return tui_rect_has(rect, mouse->x, mouse->y);
}

static void press_tree(struct tui_app *app, int y, bool menu)
{
	uint64_t row = app->top + (uint64_t)y;
	uint32_t item;

	tui_focus(app, TUI_PANE_TREE);
	if (row >= tui_items_rows(app->outline.items))
		return;
	item = tui_items_at(app->outline.items, row, NULL);
	if (menu || item != app->cursor)
		tui_cursor_to(app, item);
	else
		tui_app_choose(app, TUI_ACTION_FOLD);
	if (menu)
		tui_app_choose(app, TUI_ACTION_MENU);
}

static bool on_panes(struct tui_app *app, const struct tui_mouse *mouse)
{
	const struct tui_rect tree = app->layout.panes[TUI_PANE_TREE];
	const struct tui_rect reader = app->layout.panes[TUI_PANE_READER];
	struct loom_err err = {.status = LOOM_OK};

	if (mouse->kind == TUI_MOUSE_WHEEL && inside(reader, mouse))
		tui_reader_scroll(&app->reader, TUI_WHEEL_LINES * mouse->button, &err);
	else if (mouse->kind == TUI_MOUSE_WHEEL && inside(tree, mouse))
		tui_tree_scroll(app, TUI_WHEEL_LINES * mouse->button);
	if (mouse->kind != TUI_MOUSE_PRESS || app->writing)
		return true;
	if (inside(reader, mouse))
		tui_focus(app, TUI_PANE_READER);
	else if (inside(app->layout.panes[TUI_PANE_SIDE], mouse))
		tui_focus(app, TUI_PANE_SIDE);
	else if (inside(tree, mouse))
		press_tree(app, mouse->y - tree.y, mouse->button == TUI_MOUSE_RIGHT);
	return true;
}

/* A press on a hint. */
static bool on_hint(struct tui_app *app, const struct tui_mouse *mouse)
{
	if (mouse->kind != TUI_MOUSE_PRESS || app->prompt)
		return false;
	for (size_t i = 0; i < app->hint_count; i++) {
		if (!inside(app->hints[i].rect, mouse))
			continue;
		tui_hush(app);
		tui_app_choose(app, app->hints[i].command);
		return true;
	}
	return false;
}

/* Dragging goes on until the button is released, wherever the mouse is by then. */
static bool on_line(struct tui_app *app, const struct tui_mouse *mouse)
{
	const struct tui_rect line = tui_split_line(app);

	if (mouse->kind == TUI_MOUSE_RELEASE)
		app->dragging = false;
	else if (mouse->kind == TUI_MOUSE_PRESS && !app->prompt)
		app->dragging = inside(line, mouse);
	if (!app->dragging)
		return false;
	if (mouse->kind == TUI_MOUSE_DRAG)
		tui_split_move(app, line.w == 1 ? mouse->x - line.x : mouse->y - line.y);
	return true;
}

void tui_mouse(struct tui_app *app, const struct tui_mouse *mouse)
{
	if (on_hint(app, mouse) || on_line(app, mouse))
		return;
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->mouse && (*view)->mouse(app, mouse))
			return;
}

const struct tui_view tui_view_panes = {.mouse = on_panes};
