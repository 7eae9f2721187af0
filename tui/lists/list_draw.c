/* Draws a list: rows with a cursor, and beside or below them the text of the current entry. Also
 * its text form, to be read out. */
#include <loom/lists/list.h>

#include <loom/text/quoting.h>
#include <loom/text/sanitise.h>

#include <loom/desk/desk.h>
#include <loom/terminal/wrap.h>
#include <loom/text/width.h>

#include "inside.h"

#define TEXT_LEAST 20 /* cells of a text that its end may not take */
#define SIDE_LEAST 3  /* rows of the text below a list */

struct tui_columns tui_list_columns(const struct tui_list *list, const struct tui_entry *entry,
				    int width)
{
	const int others = list->text + (list->end ? list->end + 3 : 0) + 3;
	const int least = width - others > width / 3 ? width - others : width / 3;
	struct tui_columns out = {.lead = list->lead < least ? list->lead : least};
	const int left = width - (out.lead ? out.lead + 3 : 1);
	const int end = (int)loom_str_width(entry->end);
	const int text = (int)loom_str_width(entry->text);

	if (end && end + 3 + (text < TEXT_LEAST ? text : TEXT_LEAST) <= left)
		out.end = end;
	out.text = left - (out.end ? out.end + 3 : 0);
	return out;
}

static void draw_entry(const struct tui_app *app, const struct tui_entry *entry,
		       struct tui_grid *grid, struct tui_rect row)
{
	const struct tui_columns columns = tui_list_columns(app->list, entry, row.w);
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(HEADING));

	if (entry->heading) {
		tui_pen_cut(&pen, entry->text, row.w);
		return;
	}
	tui_pen_blank(&pen, 1);
	pen.ink = (struct tui_ink){.role = (uint8_t)entry->lead_role};
	tui_pen_cut(&pen, entry->lead, columns.lead);
	tui_pen_to(&pen, columns.lead ? columns.lead + 3 : 1, 0);
	pen.ink = (struct tui_ink){.role = (uint8_t)entry->role};
	tui_pen_cut(&pen, entry->text, columns.text);
	if (!columns.end)
		return;
	tui_pen_to(&pen, row.w - columns.end - 1, 0);
	pen.ink = TUI_INK(DIM);
	tui_pen_text(&pen, entry->end);
}

static void keep_in_sight(struct tui_list *list, int height)
{
	size_t h = height > 0 ? (size_t)height : 1;

	list->height = height;
	if (list->at < list->top)
		list->top = list->at;
	if (list->at >= list->top + h)
		list->top = list->at - h + 1;
	if (list->top + h > list->shown_count) /* fill the room that growing has left */
		list->top = list->shown_count > h ? list->shown_count - h : 0;
	while (list->top > 0 && list->at < list->top + h - 1 &&
	       !tui_list_rests(list, list->top - 1))
		list->top--; /* with its headings */
}

static void put_cursor(struct tui_grid *grid, struct tui_rect at)
{
	grid->cursor_x = at.x;
	grid->cursor_y = at.y;
	grid->cursor_shown = true;
}

/* Why there are no entries. */
static void say_none(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	if (list->waits)
		loom_buf_adds(out, "…");
	else if (list->filter.n)
		loom_buf_adds(out, "nothing matches");
	else if (list->kind->none)
		list->kind->none(app, list, out);
	else
		loom_buf_adds(out, list->kind->empty);
}

static void draw_none(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(DIM));
	struct loom_buf none = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text;
	size_t at = 0;

	say_none(app, app->list, &none);
	text = loom_buf_str(&none);
	for (int y = 0; y < rect.h && at < text.n; y++) {
		const struct tui_line line = tui_wrap_line(text, at, rect.w - 2);

		tui_pen_to(&pen, 1, y);
		tui_pen_text(&pen, loom_str_sub(text, line.from, line.to - line.from));
		at = line.next;
	}
	loom_buf_fini(&none);
}

static void draw_rows(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	bool resting = list == app->side && app->focus != TUI_PANE_SIDE;

	keep_in_sight(list, rect.h);
	list->rows_rect = rect;
	if (list->shown_count == 0) {
		if (!resting)
			put_cursor(grid, rect);
		if (rect.w > 2)
			draw_none(app, grid, rect);
	}
	for (int y = 0; y < rect.h && list->top + (size_t)y < list->shown_count; y++) {
		struct tui_rect row = {rect.x, rect.y + y, rect.w, 1};
		size_t at = list->top + (size_t)y;

		draw_entry(app, &list->all[list->shown[at]], grid, row);
		if (at != list->at)
			continue;
		tui_grid_ground(grid, row, resting ? TUI_ROLE_RESTING : TUI_ROLE_CURSOR);
		if (!resting)
			put_cursor(grid, row);
	}
}

/* How many of `height` rows the list keeps when a text is below it. */
static int rows_above(const struct tui_app *app, const struct tui_list *list, int height)
{
	const int count = (int)(list->shown_count < 1000 ? list->shown_count : 1000);
	const int most = height - 1 - SIDE_LEAST;
	int rows = height / 2;

	if (!list->kind->side)
		rows = most;
	else if (rows < 6 && most > 6)
		rows = 6;
	if (app->list_rows)
		rows = app->list_rows;
	rows = rows < count + 1 ? rows : count + 1;
	rows = rows < most ? rows : most;
	return rows < 2 ? 2 : rows;
}

/* Rows and text: side by side if there is room, otherwise stacked; on a screen too low for both,
 * only the rows. */
static void draw_both(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	struct tui_rect rows = rect;
	struct tui_rect text = rect;

	if (list->side_alone && rect.h > 1) {
		list->height = rect.h;
		list->rows_rect = (struct tui_rect){0, 0, 0, 0};
		tui_beside_draw(app, grid, rect);
		put_cursor(grid, rect);
		return;
	}
	if (rect.w >= TUI_WIDE - 10 && list->kind->side) {
		rows.w = app->list_columns ? app->list_columns : rect.w * 11 / 20;
		rows.w = rows.w < 24 ? 24 : rows.w > rect.w - 24 ? rect.w - 24 : rows.w;
		text.x += rows.w + 2;
		text.w -= rows.w + 2;
		list->rule_rect = (struct tui_rect){rows.x + rows.w, rect.y, 1, rect.h};
		tui_grid_down(grid, rows.x + rows.w, rect.y, rect.h, TUI_INK(BORDER));
	} else if (rect.h >= 6) {
		rows.h = rows_above(app, list, rect.h);
		text.y += rows.h + 1;
		text.h -= rows.h + 1;
		list->rule_rect = (struct tui_rect){rect.x, rect.y + rows.h, rect.w, 1};
		tui_grid_across(grid, rect.x, rect.y + rows.h, rect.w, TUI_INK(BORDER));
	} else {
		text.h = 0;
	}
	draw_rows(app, grid, rows);
	tui_beside_draw(app, grid, text);
}

void tui_list_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;

	list->side_rect = list->rule_rect = (struct tui_rect){0, 0, 0, 0};
	if (list->kind->draw) {
		list->kind->draw(app, list, grid, rect);
		return;
	}
	if (list->whole.n && list->wrapped != rect.w - 2)
		tui_text_wrap(list, rect.w - 2);
	if (list->shown_count && tui_beside_there(list, rect.w))
		draw_both(app, grid, rect);
	else
		draw_rows(app, grid, rect);
}

/* The title on one line and the text with its own line breaks; wrapped rows would read as lines of
 * their own. */
static void read_whole(const struct tui_list *list, struct loom_buf *out)
{
	loom_shown_line(out, list->whole_title, 0);
	loom_buf_addc(out, '\n');
	(void)loom_body_add(out, list->whole, LOOM_BELOW_SENTENCES);
	loom_buf_addc(out, '\n');
}

/* A name at its head may not make the row a line of ours. */
static void read_row(const struct tui_entry *entry, bool ours, struct loom_buf *out)
{
	struct loom_buf row = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_shown_line(&row, entry->lead, 0);
	loom_buf_adds(&row, entry->lead.n ? ": " : "");
	loom_shown_line(&row, entry->text, 0);
	loom_buf_adds(&row, entry->end.n ? " · " : "");
	loom_shown_line(&row, entry->end, 0);
	(void)loom_body_add(out, loom_buf_str(&row),
			    LOOM_BELOW_SENTENCES | (ours ? 0 : LOOM_BELOW_HEADERS));
	loom_buf_addc(out, '\n');
	loom_buf_fini(&row);
}

void tui_list_text(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	loom_buf_addf(out, "%s\n", list->kind->title);
	if (list->whole.n) {
		read_whole(list, out);
		return;
	}
	for (size_t i = 0; i < list->shown_count; i++)
		read_row(&list->all[list->shown[i]], list->kind->ours, out);
	if (list->shown_count == 0) {
		say_none(app, list, out);
		loom_buf_addc(out, '\n');
	}
}

void tui_list_say_key(const struct tui_app *app, enum tui_command command, const char *what,
		      struct loom_buf *out)
{
	struct loom_buf key = LOOM_BUF_INIT(64);

	if (tui_keymap_spell(&app->keymap, TUI_KEYVIEW_LIST, command, &key))
		loom_buf_addf(out, " · %s %s", loom_buf_cstr(&key), what);
	loom_buf_fini(&key);
}

void tui_list_status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	if (list->kind->status)
		list->kind->status(app, list, out);
	else
		tui_list_say_count(list, out);
}

void tui_list_say_count(const struct tui_list *list, struct loom_buf *out)
{
	size_t n = 0;
	size_t k = 0;

	for (size_t i = 0; i < list->shown_count; i++) {
		n += tui_list_rests(list, i);
		k += i <= list->at && tui_list_rests(list, i);
	}
	loom_buf_addf(out, "%zu of %zu %ss", k, n, list->kind->unit);
	if (list->filter.n)
		loom_buf_addf(out, " · with \"%.*s\"", LOOM_STR_ARG(loom_buf_str(&list->filter)));
}
