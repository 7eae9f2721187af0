/* The text beside a list: first what the row under the cursor has no room for, then what the kind
 * shows of it. The two are read as one text and never copied together, since the second may be
 * long. */
#include <loom/lists/list.h>

#include <loom/desk/desk.h>
#include <loom/terminal/wrap.h>
#include <loom/text/width.h>

#include "inside.h"

/* --- what it is --- */

static bool is_clipped(const struct tui_list *list, const struct tui_entry *entry, int width)
{
	const struct tui_columns columns = tui_list_columns(list, entry, width);

	return (int)loom_str_width(entry->lead) > columns.lead ||
	       (int)loom_str_width(entry->text) > columns.text || (entry->end.n && !columns.end);
}

bool tui_beside_there(const struct tui_list *list, int width)
{
	if (list->whole.n)
		return false;
	if (list->kind->side)
		return true;
	for (size_t i = 0; i < list->shown_count; i++) {
		const struct tui_entry *entry = &list->all[list->shown[i]];

		if (entry->heading ? (int)loom_str_width(entry->text) > width
				   : is_clipped(list, entry, width))
			return true;
	}
	return false;
}

/* The heading above the cursor; the cursor itself is never on one. */
static const struct tui_entry *heading(const struct tui_list *list)
{
	for (size_t i = list->at; i-- > 0;)
		if (list->all[list->shown[i]].heading)
			return &list->all[list->shown[i]];
	return NULL;
}

static struct loom_str in_full(struct loom_arena *arena, struct loom_str head,
			       const struct tui_entry *entry)
{
	const struct loom_str parts[] = {head, entry->lead, entry->text, entry->end};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	for (size_t i = 0; i < LOOM_COUNT(parts); i++) {
		loom_buf_adds(&text, text.n && parts[i].n ? "\n" : "");
		loom_buf_add(&text, parts[i]);
	}
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

/* Returns the texts that the row and its heading have no room for. */
static struct loom_str missed(struct tui_app *app, const struct tui_entry *entry)
{
	static const struct tui_entry none = {.id = 0};
	const struct tui_list *list = app->list;
	const int width = list->rows_rect.w;
	const struct tui_entry *above = heading(list);
	const struct loom_str head =
		above && (int)loom_str_width(above->text) > width ? above->text : LOOM_STR("");
	const bool clipped = is_clipped(list, entry, width);

	return clipped || head.n ? in_full(app->arena, head, clipped ? entry : &none)
				 : LOOM_STR("");
}

void tui_beside_make(struct tui_app *app, struct tui_beside *out)
{
	const struct tui_list *list = app->list;
	const struct tui_entry *entry = tui_list_at(list);

	*out = (struct tui_beside){.side = {.role = TUI_ROLE_TEXT, .title_role = TUI_ROLE_TITLE}};
	if (list->kind->side)
		list->kind->side(app, entry, &out->side);
	if (entry && list->rows_rect.w > 0)
		out->row = missed(app, entry);
}

/* --- the two as one: bytes of the second begin behind those of the first and a line break --- */

static size_t second_at(const struct tui_beside *beside)
{
	return beside->row.n ? beside->row.n + 1 : 0;
}

static size_t bytes_of(const struct tui_beside *beside)
{
	return second_at(beside) + beside->side.text.n;
}

/* The line that begins at byte `at`, in bytes of its own text; *text is that text. */
static struct tui_line line_at(const struct tui_beside *beside, size_t at, int width,
			       struct loom_str *text, size_t *next)
{
	const size_t second = second_at(beside);
	const bool first = at < second;
	struct tui_line line;

	*text = first ? beside->row : beside->side.text;
	line = tui_wrap_line(*text, first ? at : at - second, width);
	*next = first ? line.next < text->n ? line.next : second : line.next + second;
	return line;
}

static size_t up_from(const struct tui_beside *beside, size_t at, int width, int lines)
{
	const size_t second = second_at(beside);
	int up = 0;

	if (at >= second) {
		at = second + tui_wrap_up(beside->side.text, at - second, width, lines, &up);
		lines -= up;
	}
	if (lines <= 0 || !second || at > second)
		return at;
	if (at == second) {
		at = tui_wrap_start(beside->row, beside->row.n, width);
		lines--;
	}
	return lines > 0 ? tui_wrap_up(beside->row, at, width, lines, NULL) : at;
}

void tui_beside_scroll(struct tui_app *app, int lines)
{
	struct tui_list *list = app->list;
	struct tui_beside beside;
	struct loom_str text;

	tui_beside_make(app, &beside);
	if (list->side_w <= 0 || list->side_at > bytes_of(&beside))
		return;
	if (lines < 0)
		list->side_at = up_from(&beside, list->side_at, list->side_w, -lines);
	for (; lines > 0; lines--) {
		size_t next = 0;

		(void)line_at(&beside, list->side_at, list->side_w, &text, &next);
		if (next >= bytes_of(&beside))
			break;
		list->side_at = next;
	}
}

/* --- drawing --- */

/* The top line: the title and the place in the text. */
static void draw_title(const struct tui_beside *beside, size_t at, struct tui_grid *grid,
		       struct tui_rect row)
{
	const struct tui_side *side = &beside->side;
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(TITLE));

	pen.ink.role = (uint8_t)side->title_role;
	tui_pen_cut(&pen, side->title, row.w - (at ? 8 : 0));
	pen.ink = TUI_INK(DIM);
	if (at)
		tui_pen_format(&pen, "%s%zu%%", side->title.n ? " \xc2\xb7 " : "",
			       at * 100 / bytes_of(beside));
}

/* All rows of a wrapped line have the same role. */
static enum tui_role role_at(const struct tui_side *side, size_t at)
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

/* A title that would say what the row says in full is left out. */
static bool has_title(const struct tui_beside *beside, int height)
{
	return beside->side.title.n && (height > 3 || !beside->row.n);
}

static size_t start_of(const struct tui_beside *beside, size_t at, int width)
{
	const size_t second = second_at(beside);

	if (at == 0 || at >= bytes_of(beside))
		return 0;
	return at < second ? tui_wrap_start(beside->row, at, width)
			   : second + tui_wrap_start(beside->side.text, at - second, width);
}

void tui_beside_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	struct tui_rect prose = tui_layout_prose(rect);
	struct tui_pen pen = tui_pen_make(grid, prose, TUI_INK(TEXT));
	struct tui_beside beside;
	struct loom_str text;
	size_t at;
	int y = 0;

	list->side_rect = rect;
	list->side_w = prose.w;
	if (rect.w <= 0 || rect.h <= 0)
		return;
	tui_beside_make(app, &beside);
	list->side_at = at = start_of(&beside, list->side_at, prose.w);
	if (has_title(&beside, rect.h))
		draw_title(&beside, at, grid, (struct tui_rect){rect.x, rect.y + y++, rect.w, 1});
	for (; y < rect.h && at < bytes_of(&beside); y++) {
		const bool own = at < second_at(&beside);
		size_t next = 0;
		struct tui_line line = line_at(&beside, at, prose.w, &text, &next);

		pen.ink = TUI_INK(STRONG);
		if (!own)
			pen.ink.role = (uint8_t)role_at(&beside.side, at - second_at(&beside));
		tui_pen_to(&pen, 0, y);
		tui_pen_text(&pen, loom_str_sub(text, line.from, line.to - line.from));
		if (next <= at)
			break;
		at = next;
	}
}
