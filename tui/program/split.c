/* The line between two panes, or between a list and the text beside it: moved by keys and by the
 * mouse, and kept for the next sitting. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include <loom/lists/list.h>

#include "inside.h"

#define COLUMNS 4 /* that a key moves it by */

struct tui_rect tui_split_line(const struct tui_app *app)
{
	if (app->list)
		return tui_list_rule(app);
	return app->layout.down.w > 0 ? app->layout.down : app->layout.across;
}

/* The room for both sides, and the cells before the line. */
void tui_split_move(struct tui_app *app, int by)
{
	const struct tui_rect line = tui_split_line(app);
	const bool beside = line.w == 1 && line.h > 0;
	const struct tui_rect body = app->layout.body;
	int *cells = app->list ? beside ? &app->list_columns : &app->list_rows
		     : beside  ? &app->columns
			       : &app->rows_above;
	const int all = beside ? body.w : body.h;
	int to = (beside ? line.x - body.x : line.y - body.y) + by;

	if (line.w <= 0 || line.h <= 0) {
		tui_stuck(app, "there is nothing to share the room with");
		return;
	}
	to = to < all - 2 ? to : all - 2;
	*cells = to > 1 ? to : 1;
}

static void move(struct tui_app *app, const struct tui_match *match, int way)
{
	const bool beside = tui_split_line(app).w == 1;

	tui_split_move(app, way * tui_match_count(match) * (beside ? COLUMNS : 1));
}

TUI_DO(WIDER)
{
	move(app, match, 1);
}

TUI_DO(NARROWER)
{
	move(app, match, -1);
}
