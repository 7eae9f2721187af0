/* Lines of sections and the caret among them. Invariants: top and caret are starts of lines of
 * existing sections; the caret is never above the top. */
#include <loom/parts/section_view.h>

#include <loom/terminal/wrap.h>

static bool next(const struct tui_sections *sections, struct tui_section_spot *spot)
{
	const struct tui_section *section = &sections->items[spot->section];
	struct tui_line line;

	if (spot->line == TUI_SECTION_HEAD && section->text.n) {
		*spot = (struct tui_section_spot){spot->section, TUI_SECTION_TEXT, 0};
		return true;
	}
	if (spot->line == TUI_SECTION_TEXT) {
		line = tui_wrap_line(section->text, spot->at, sections->width);
		if (line.next > spot->at && line.next < section->text.n) {
			spot->at = line.next;
			return true;
		}
	}
	if (spot->line != TUI_SECTION_BLANK && section->text.n) {
		*spot = (struct tui_section_spot){spot->section, TUI_SECTION_BLANK, 0};
		return spot->section + 1 < sections->count;
	}
	if (spot->section + 1 >= sections->count)
		return false;
	*spot = (struct tui_section_spot){.section = spot->section + 1};
	return true;
}

static size_t last_line(struct loom_str text, int width)
{
	size_t n = text.n;

	if (n > 0 && text.p[n - 1] == '\n')
		n--;
	return n ? tui_wrap_start(text, n, width) : 0;
}

static bool prev(const struct tui_sections *sections, struct tui_section_spot *spot)
{
	struct loom_str text = sections->items[spot->section].text;

	if (spot->line == TUI_SECTION_TEXT && spot->at > 0) {
		spot->at = tui_wrap_up(text, spot->at, sections->width, 1, NULL);
		return true;
	}
	if (spot->line == TUI_SECTION_TEXT) {
		spot->line = TUI_SECTION_HEAD;
		return true;
	}
	if (spot->line == TUI_SECTION_BLANK) {
		spot->line = TUI_SECTION_TEXT;
		spot->at = last_line(text, sections->width);
		return true;
	}
	if (spot->section == 0)
		return false;
	spot->section--;
	spot->line = sections->items[spot->section].text.n ? TUI_SECTION_BLANK : TUI_SECTION_HEAD;
	return true;
}

static int step_by(const struct tui_sections *sections, struct tui_section_spot *spot, int lines)
{
	int n = 0;

	for (; lines < 0 && prev(sections, spot); lines++)
		n--;
	while (lines-- > 0) {
		struct tui_section_spot was = *spot;
		if (!next(sections, spot)) {
			*spot = was;
			break;
		}
		n++;
	}
	return n;
}

static bool before(const struct tui_section_spot *a, const struct tui_section_spot *b)
{
	if (a->section != b->section)
		return a->section < b->section;
	if (a->line != b->line)
		return a->line < b->line;
	return a->at < b->at;
}

static bool same(const struct tui_section_spot *a, const struct tui_section_spot *b)
{
	return !before(a, b) && !before(b, a);
}

static void keep_in_sight(struct tui_sections *sections)
{
	struct tui_section_spot at = sections->top;
	int rows = 0;

	if (sections->count == 0)
		return;
	if (before(&sections->caret, &sections->top)) {
		sections->top = sections->caret;
		return;
	}
	while (rows < sections->height && !same(&at, &sections->caret) && step_by(sections, &at, 1))
		rows++;
	if (rows < sections->height)
		return;
	sections->top = sections->caret;
	step_by(sections, &sections->top, 1 - sections->height);
}

/* Moves a spot to the start of the line it is in, within the sections there are now. */
static void settle(const struct tui_sections *sections, struct tui_section_spot *spot)
{
	struct loom_str text;

	if (spot->section >= sections->count)
		*spot = (struct tui_section_spot){.section = sections->count ? sections->count - 1
									     : 0};
	if (sections->count == 0)
		return;
	text = sections->items[spot->section].text;
	if (spot->line != TUI_SECTION_HEAD && !text.n)
		*spot = (struct tui_section_spot){.section = spot->section};
	else if (spot->line == TUI_SECTION_TEXT)
		spot->at = spot->at >= text.n ? last_line(text, sections->width)
					      : tui_wrap_start(text, spot->at, sections->width);
}

void tui_sections_set(struct tui_sections *sections, const struct tui_section *items, size_t count)
{
	sections->items = items;
	sections->count = count;
	sections->width = sections->width > 0 ? sections->width : TUI_MEASURE;
	sections->height = sections->height > 0 ? sections->height : 20;
	settle(sections, &sections->top);
	settle(sections, &sections->caret);
	keep_in_sight(sections);
}

void tui_sections_fit(struct tui_sections *sections, int width, int height)
{
	bool other = sections->width != width;

	sections->width = width > 0 ? width : 1;
	sections->height = height > 0 ? height : 1;
	if (other) {
		settle(sections, &sections->top);
		settle(sections, &sections->caret);
	}
	keep_in_sight(sections);
}

int tui_sections_move(struct tui_sections *sections, int lines)
{
	int moved = sections->count ? step_by(sections, &sections->caret, lines) : 0;

	keep_in_sight(sections);
	return moved;
}

void tui_sections_to_start(struct tui_sections *sections)
{
	sections->caret = sections->top = (struct tui_section_spot){.section = 0};
}

void tui_sections_to_end(struct tui_sections *sections)
{
	const struct tui_section *last;

	if (sections->count == 0)
		return;
	last = &sections->items[sections->count - 1];
	sections->caret = (struct tui_section_spot){.section = sections->count - 1};
	if (last->text.n) {
		sections->caret.line = TUI_SECTION_TEXT;
		sections->caret.at = last_line(last->text, sections->width);
	}
	keep_in_sight(sections);
}

void tui_sections_step(struct tui_sections *sections, int by)
{
	size_t at = sections->caret.section;
	size_t way = (size_t)(by < 0 ? -by : by);

	if (sections->count == 0)
		return;
	if (by < 0)
		at = at > way ? at - way : 0;
	else
		at = at + way < sections->count ? at + way : sections->count - 1;
	sections->caret = sections->top = (struct tui_section_spot){.section = at};
}

/* --- drawing --- */

static enum tui_role role_at(const struct tui_section *section, size_t at, size_t *end)
{
	size_t low = 0;
	size_t high = section->span_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (section->spans[middle].from <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < section->span_count && section->spans[low].from < *end)
		*end = section->spans[low].from;
	return low ? section->spans[low - 1].role : section->role;
}

static void draw_text(struct tui_pen *pen, const struct tui_section *section,
		      const struct tui_line *line)
{
	for (size_t at = line->from; at < line->to;) {
		size_t end = line->to;

		pen->ink = (struct tui_ink){.role = (uint8_t)role_at(section, at, &end)};
		tui_pen_text(pen, loom_str_sub(section->text, at, end - at));
		at = end;
	}
}

static void draw_head(struct tui_grid *grid, const struct tui_section *section, struct tui_rect row)
{
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(HEADING));
	int end = (int)loom_str_width(section->end);

	pen.ink = (struct tui_ink){.role = (uint8_t)section->head_role, .attr = TUI_BOLD};
	if (end + 12 > row.w)
		end = 0;
	tui_pen_cut(&pen, section->head, row.w - (end ? end + 2 : 0));
	if (!end)
		return;
	tui_pen_to(&pen, row.w - end, 0);
	pen.ink = TUI_INK(DIM);
	tui_pen_text(&pen, section->end);
}

void tui_sections_draw(const struct tui_sections *sections, struct tui_grid *grid,
		       struct tui_rect rect)
{
	struct tui_section_spot spot = sections->top;

	for (int y = 0; y < rect.h && sections->count; y++) {
		const struct tui_section *section = &sections->items[spot.section];
		struct tui_rect row = {rect.x, rect.y + y, rect.w, 1};
		struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(TEXT));
		struct tui_line line;

		if (spot.line == TUI_SECTION_HEAD) {
			draw_head(grid, section, row);
		} else if (spot.line == TUI_SECTION_TEXT) {
			line = tui_wrap_line(section->text, spot.at, sections->width);
			draw_text(&pen, section, &line);
		}
		if (same(&spot, &sections->caret)) {
			tui_grid_ground(grid, row, TUI_ROLE_CURSOR);
			grid->cursor_x = row.x;
			grid->cursor_y = row.y;
			grid->cursor_shown = true;
		}
		if (!step_by(sections, &spot, 1))
			break;
	}
}
