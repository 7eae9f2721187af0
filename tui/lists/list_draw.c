/* Draws a list: rows with a cursor, and beside or below them the text of the current entry. Also
 * its text form, to be read out. */
#include <loom/lists/list.h>

#include <loom/text/quoting.h>
#include <loom/text/sanitise.h>

#include <loom/desk/desk.h>
#include <loom/terminal/wrap.h>
#include <loom/text/width.h>

#include "inside.h"

static void draw_entry(const struct tui_app *app, const struct tui_entry *entry,
		       struct tui_grid *grid, struct tui_rect row)
{
	const struct tui_list *list = app->list;
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(HEADING));
	int end = (int)loom_str_width(entry->end);

	if (entry->heading) {
		tui_pen_cut(&pen, entry->text, row.w);
		return;
	}
	tui_pen_blank(&pen, 1);
	pen.ink = (struct tui_ink){.role = (uint8_t)entry->lead_role};
	tui_pen_cut(&pen, entry->lead, list->lead);
	tui_pen_to(&pen, list->lead ? list->lead + 3 : 1, 0);
	pen.ink = (struct tui_ink){.role = (uint8_t)entry->role};
	if (end > 0 && end + 20 > row.w - list->lead)
		end = 0;
	tui_pen_cut(&pen, entry->text, tui_pen_left(&pen) - (end ? end + 2 : 0));
	if (!end)
		return;
	tui_pen_to(&pen, row.w - end - 1, 0);
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
	if (list->at > 0 && list->top == list->at && !tui_list_rests(list, list->at - 1))
		list->top--; /* with its heading */
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

/* The top line of the text beside a list: its title and the place in it. */
static void draw_side_title(const struct tui_side *side, size_t at, struct tui_grid *grid,
			    struct tui_rect row)
{
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(TITLE));

	pen.ink.role = (uint8_t)side->title_role;
	tui_pen_cut(&pen, side->title, row.w - (at ? 8 : 0));
	pen.ink = TUI_INK(DIM);
	if (at)
		tui_pen_format(&pen, " · %zu%%", at * 100 / side->text.n);
}

/* All rows of a wrapped line have the same role. */
static enum tui_role side_role(const struct tui_side *side, size_t at)
{
	size_t from = at;
	size_t to;

	if (!side->line_role)
		return side->role;
	while (from > 0 && side->text.p[from - 1] != '\n' && at - from < TUI_WRAP_BLOCK)
		from--;
	to = loom_str_find_char(side->text, '\n', at);
	return side->line_role(loom_str_sub(side->text, from, to == SIZE_MAX ? to : to - from));
}

static void draw_side(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	struct tui_side side = {.role = TUI_ROLE_TEXT, .title_role = TUI_ROLE_TITLE};
	struct tui_rect prose = tui_layout_prose(rect);
	struct tui_pen pen = tui_pen_make(grid, prose, TUI_INK(TEXT));
	size_t at;

	if (rect.w <= 0 || rect.h <= 0)
		return;
	list->kind->side(app, tui_list_at(list), &side);
	list->side_rect = rect;
	list->side_w = prose.w;
	list->side_at = at = list->side_at ? tui_wrap_start(side.text, list->side_at, prose.w) : 0;
	draw_side_title(&side, at, grid, (struct tui_rect){rect.x, rect.y, rect.w, 1});
	for (int y = 1; y < rect.h && at < side.text.n; y++) {
		struct tui_line line = tui_wrap_line(side.text, at, prose.w);

		pen.ink.role = (uint8_t)side_role(&side, at);
		tui_pen_to(&pen, 0, y);
		tui_pen_text(&pen, loom_str_sub(side.text, line.from, line.to - line.from));
		at = line.next;
	}
}

/* Rows and text: side by side if there is room, otherwise stacked; on a screen too low for both,
 * only the rows. */
static void draw_both(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	struct tui_rect rows = rect;
	struct tui_rect text = rect;
	int least = (int)(list->shown_count < 6 ? list->shown_count + 1 : 6);

	list->rows_rect = list->side_rect = (struct tui_rect){0, 0, 0, 0};
	if (list->side_alone && rect.h > 1) {
		list->height = rect.h;
		draw_side(app, grid, rect);
		put_cursor(grid, rect);
		return;
	}
	if (rect.w >= TUI_WIDE - 10) {
		rows.w = rect.w * 11 / 20;
		text.x += rows.w + 2;
		text.w -= rows.w + 2;
		tui_grid_down(grid, rows.x + rows.w, rect.y, rect.h, TUI_INK(BORDER));
	} else if (rect.h >= 9) {
		rows.h = rect.h / 2 > least ? rect.h / 2 : least;
		rows.h = rows.h > (int)list->shown_count + 1 ? (int)list->shown_count + 1 : rows.h;
		rows.h = rows.h < 2 ? 2 : rows.h;
		text.y += rows.h + 1;
		text.h -= rows.h + 1;
		tui_grid_across(grid, rect.x, rect.y + rows.h, rect.w, TUI_INK(BORDER));
	} else {
		text.h = 0;
	}
	draw_rows(app, grid, rows);
	draw_side(app, grid, text);
}

void tui_list_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;

	if (list->kind->draw)
		list->kind->draw(app, list, grid, rect);
	else if (list->kind->side)
		draw_both(app, grid, rect);
	else
		draw_rows(app, grid, rect);
}

/* The title on one line and the text with its own line breaks; wrapped rows would read as lines of
 * their own. */
static void read_whole(const struct tui_list *list, struct loom_buf *out)
{
	for (size_t i = 0; i < list->count && list->all[i].role == TUI_ROLE_CALL; i++) {
		loom_buf_adds(out, i ? " " : "");
		loom_shown_line(out, list->all[i].text, 0);
	}
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
