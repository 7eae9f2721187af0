/* Rows of the text being written, as they stand on the screen: in prose its first row may begin
 * with what precedes it. */
#include <loom/parts/reader.h>
#include <loom/terminal/wrap.h>

/* The text of the block, and the part of it that is being written. */
struct written {
	struct loom_str text;
	size_t from, to;
	int width;
};

/* A line break at the end begins a row without any text. */
static size_t row_start(const struct written *w, size_t at)
{
	if (at == w->text.n && at > 0 && w->text.p[at - 1] == '\n')
		return at;
	return tui_wrap_start(w->text, at, w->width);
}

static bool step(const struct written *w, bool down, size_t *start)
{
	size_t next = *start;

	if (down) {
		const struct tui_line line = tui_wrap_line(w->text, *start, w->width);

		next = line.next;
		if (next == *start || next > w->to ||
		    (next == w->text.n && !(line.hard && w->text.p[next - 1] == '\n')))
			return false;
	} else {
		if (*start <= w->from)
			return false;
		next = row_start(w, *start - 1);
	}
	*start = next;
	return true;
}

static size_t at_column(const struct written *w, size_t start, int goal)
{
	const struct tui_line line = tui_wrap_line(w->text, start, w->width);
	/* A soft break stands behind the last place of its row. */
	const size_t end = line.hard || line.next == line.from ? line.to : line.next - 1;
	size_t at = start;
	int column = 0;

	while (at < end && column < goal) {
		size_t next = at;
		const int cells = tui_wrap_step(w->text, &next, column);

		if (next > end || column + cells > goal)
			break;
		column += cells;
		at = next;
	}
	return at;
}

bool tui_reader_extra_row(struct tui_reader *reader, size_t at, int lines, int *goal, size_t *out)
{
	struct loom_err err;
	struct written w = {.width = reader->width};
	struct tui_spot spot;
	size_t start;
	size_t found;
	int moved = 0;

	if (!tui_reader_ready(reader, &err))
		return false;
	spot = tui_reader_spot(reader, (struct tui_anchor){.kind = TUI_BLOCK_TEXT, .at = at});
	if (spot.block == SIZE_MAX || spot.at < at)
		return false;
	w.text = reader->blocks[spot.block].text;
	w.from = spot.at - at;
	w.to = w.from + reader->extra.text.n;
	start = row_start(&w, spot.at);
	if (*goal < 0)
		*goal = tui_wrap_column(w.text, start, spot.at);
	while (moved < (lines < 0 ? -lines : lines) && step(&w, lines > 0, &start))
		moved++;
	if (!moved)
		return false;
	found = at_column(&w, start, *goal);
	*out = (found < w.from ? w.from : found > w.to ? w.to : found) - w.from;
	return true;
}
