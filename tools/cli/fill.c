/* Fills running text into lines, for help pages. */
#include <loom/cli/services.h>

#include <loom/text/width.h>

#define PAGE 78 /* cells */

/* The next piece to keep on one line: a word or, with `brackets`, everything up to a blank outside
 * brackets. */
static struct loom_str next_piece(struct loom_str *rest, bool brackets)
{
	struct loom_str piece;
	int depth = 0;
	size_t n = 0;

	for (; n < rest->n && (depth > 0 || rest->p[n] != ' '); n++)
		if (brackets)
			depth += strchr("[(", rest->p[n]) ? 1 : strchr("])", rest->p[n]) ? -1 : 0;
	piece = loom_str_sub(*rest, 0, n);
	*rest = loom_str_sub(*rest, n < rest->n ? n + 1 : n, SIZE_MAX);
	return piece;
}

static void fill_line(struct loom_buf *out, struct loom_str line, const struct cli_filling *how)
{
	size_t at = how->begun ? how->begun : how->indent;
	bool first = true;

	if (!how->begun)
		loom_buf_add_repeat(out, ' ', how->indent);
	while (line.n) {
		struct loom_str piece = next_piece(&line, how->brackets);
		size_t cells = loom_str_width(piece);

		if (!first && at + 1 + cells > PAGE) {
			loom_buf_addc(out, '\n');
			loom_buf_add_repeat(out, ' ', how->indent);
			at = how->indent;
		} else if (!first) {
			loom_buf_addc(out, ' ');
			at++;
		}
		loom_buf_add(out, piece);
		at += cells;
		first = false;
	}
	loom_buf_addc(out, '\n');
}

void cli_fill_lines(struct loom_buf *out, struct loom_str text, const struct cli_filling *how)
{
	struct loom_str line;

	while (text.n && loom_str_cut(&text, '\n', &line)) {
		if (line.n && line.p[0] != ' ') {
			fill_line(out, line, how);
			continue;
		}
		loom_buf_add_repeat(out, ' ', line.n ? how->indent : 0);
		loom_buf_add(out, line);
		loom_buf_addc(out, '\n');
	}
}
