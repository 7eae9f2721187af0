/* Opens levels of the tree, and nodes that were open before: those in sight at once, the rest a few
 * rows at a time, so that no key has to wait. */
#include <loom/desk/desk.h>
#include <loom/desk/levels.h>
#include <loom/desk/position.h>

#define LEVEL_ROWS 16
#define LEVEL_NS   1500000 /* before other events get their turn */

/* The row that stays in place: the cursor's, or if that is out of sight the first one in sight. */
static uint32_t anchor_of(const struct tui_app *app)
{
	uint64_t row = tui_items_row(app->outline.items, app->cursor);
	uint64_t h = (uint64_t)(app->tree_height > 0 ? app->tree_height : 1);

	return row >= app->top && row < app->top + h
		       ? app->cursor
		       : tui_items_at(app->outline.items, app->top, NULL);
}

/* When the cursor's row gets folded away, the cursor moves to the row it is folded under. */
static void cursor_in_sight(struct tui_app *app, int64_t group)
{
	uint32_t item = app->cursor;

	if (tui_items_shown(app->outline.items, item))
		return;
	item = tui_items_find(app->outline.items, (uint64_t)group);
	item = tui_items_at(app->outline.items, item ? tui_items_row(app->outline.items, item) : 0,
			    NULL);
	tui_cursor_to(app, item);
}

enum loom_status tui_level_rows(struct tui_app *app, struct tui_levelling *levelling, size_t most,
				struct loom_err *err)
{
	int64_t group = app->position;
	uint32_t anchor = anchor_of(app);
	uint64_t before = anchor ? tui_items_row(app->outline.items, anchor) : 0;
	uint64_t above = before > app->top ? before - app->top : 0;
	enum loom_status status =
		app->outline.later_count
			? tui_outline_refresh_on(&app->outline, most, err)
			: tui_outline_level_on(&app->outline, levelling, most, err);

	if (anchor && tui_items_shown(app->outline.items, anchor)) {
		uint64_t row = tui_items_row(app->outline.items, anchor);
		tui_set_top(app, row > above ? row - above : 0);
	}
	cursor_in_sight(app, group);
	return status;
}

/* Whether some of it is still to be opened. */
static bool level_waits(const struct tui_app *app)
{
	return app->levels->under_way.next || app->outline.later_count;
}

static void stop(struct tui_app *app)
{
	app->levels->under_way.next = 0;
	app->outline.later_count = 0;
}

static void level_on(void *ctx)
{
	struct tui_app *app = ctx;
	int64_t until = loom_env_ticks() + LEVEL_NS;
	struct loom_err err;

	app->levels->timer = 0;
	while (level_waits(app) && loom_env_ticks() < until)
		if (!tui_must(app, tui_level_rows(app, &app->levels->under_way, LEVEL_ROWS, &err),
			      &err))
			stop(app);
	if (level_waits(app)) {
		tui_level_soon(app);
	} else {
		tui_tell(app, TUI_TOLD_ROWS);
		tui_keep_in_sight(app);
	}
	if (app->stage && level_waits(app))
		tui_stage_stream(app->stage);
	else if (app->stage)
		tui_stage_dirty(app->stage);
}

void tui_level_soon(struct tui_app *app)
{
	if (level_waits(app) && !app->levels->timer)
		app->levels->timer = loom_loop_timer(app->loop, 0, level_on, app);
}

void tui_level_end(struct tui_app *app)
{
	loom_loop_timer_cancel(app->loop, app->levels->timer);
	app->levels->timer = 0;
	stop(app);
}

void tui_level_finish(struct tui_app *app)
{
	struct loom_err err;

	while (level_waits(app))
		if (!tui_must(app, tui_level_rows(app, &app->levels->under_way, SIZE_MAX, &err),
			      &err))
			break;
	tui_level_end(app);
}

static void begin(struct tui_app *app)
{
	app->levels = loom_alloc(sizeof *app->levels);
}

static void closed(struct tui_app *app)
{
	free(app->levels);
}

const struct tui_view tui_view_levels = {
	.busy = level_waits,
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_LEAVING] = tui_level_end,
		 [TUI_TOLD_CLOSED] = closed},
};
