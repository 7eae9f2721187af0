/* The picture: panes, or a list over them, between the title line and the message line. Drawing
 * changes nothing but the reader's position. */
#include <loom/program/app.h>

#include <loom/desk/desk.h>

#include <loom/lists/list.h>
#include <loom/desk/tree_view.h>
#include <loom/lists/side.h>
#include <loom/writing/command_line.h>
#include <loom/writing/text_editor.h>

#include "inside.h"

struct tui_layout tui_app_layout(const struct tui_app *app, int w, int h)
{
	return tui_layout_make(&(struct tui_layout_opts){.w = w,
							 .h = h,
							 .focus = app->focus,
							 .zoomed = app->zoomed,
							 .side = app->side != NULL,
							 .columns = app->columns,
							 .rows = app->rows_above});
}

static void draw_reader(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout)
{
	const struct tui_rect rect = layout->panes[TUI_PANE_READER];
	struct tui_rect prose = tui_layout_prose(rect);
	struct tui_rect below = prose;
	bool resized = app->drawn_w && (app->drawn_w != grid->w || app->drawn_h != grid->h);
	bool other; /* lines, or fewer of them */
	struct tui_reader_look look = {.focused = app->focus == TUI_PANE_READER && !app->list,
				       .now = loom_env_now(app->env),
				       .found = tui_found(app),
				       .caret_at = tui_write_caret(app)};
	struct loom_err err;
	int used;

	if (rect.w <= 0 || rect.h <= 0)
		return;
	if (!tui_must(app, tui_reader_fit(&app->reader, prose.w, prose.h, &err), &err))
		return;
	below.h = tui_token_rows(app, rect.h);
	prose.h -= below.h;
	below.y += prose.h;
	other = resized || app->reader_height != prose.h;
	app->reader_height = prose.h;
	if (!tui_must(app, tui_reader_fit(&app->reader, prose.w, prose.h, &err), &err))
		return;
	if (resized)
		tui_reader_fill(&app->reader, &err);
	if (look.focused && other)
		tui_reader_see_caret(&app->reader, &err);
	app->drawn_w = grid->w;
	app->drawn_h = grid->h;
	if (app->writing)
		tui_reader_see(&app->reader, tui_write_caret(app), &err);
	used = tui_reader_draw(&app->reader, grid, prose, &look);
	app->free_text =
		(struct tui_rect){prose.x, prose.y + used, prose.w, below.h ? 0 : prose.h - used};
	tui_token_draw(app, grid, below);
}

const struct tui_view tui_view_reader = {.draw = draw_reader};

/* The view that covers all behind it, or NULL. */
static const struct tui_view *const *covering(const struct tui_app *app)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->covers && (*view)->covers(app))
			return view;
	return NULL;
}

static const struct tui_view *const *last(const struct tui_app *app)
{
	const struct tui_view *const *view = app->views;

	while (view[1])
		view++;
	return view;
}

/* Drawn from back to front. */
void tui_app_draw(struct tui_app *app, struct tui_grid *grid)
{
	struct tui_layout layout = tui_app_layout(app, grid->w, grid->h);
	const struct tui_view *const *view = covering(app);

	loom_arena_reset(app->arena);
	if (view)
		layout.across.h = layout.down.w = 0;
	else
		view = last(app);
	app->layout = layout;
	app->free_tree = app->free_text = (struct tui_rect){.h = 0};
	tui_layout_draw(grid, &layout, app->focus);
	for (;; view--) {
		if ((*view)->draw)
			(*view)->draw(app, grid, &layout);
		if (view == app->views)
			break;
	}
}
