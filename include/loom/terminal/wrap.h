/* Line breaking of prose. Pure: a text and a width give lines. Nothing is kept between calls, and
 * no call costs more than one block of text, however large the text.
 *
 * A line ends at a line break of the text, at the last place to break before the width, or, in a
 * word longer than a line, between two graphemes. A paragraph beyond TUI_WRAP_BLOCK bytes is
 * broken once per block at a place that depends on the paragraph alone, so any line can be found
 * without reading anything before its block. */
#ifndef TUI_WRAP_H
#define TUI_WRAP_H

#include <loom/base/str.h>

#define TUI_MEASURE    100  /* prose is never wider than this */
#define TUI_WRAP_BLOCK 8192 /* bytes */

struct tui_line {
	size_t from; /* byte offsets into the text */
	size_t to;   /* end of the visible part: without blanks at a soft break, without the LF */
	size_t next; /* start of the next line */
	int cells;   /* width of [from, to) */
	bool hard;   /* ended by a line break or by the end of the text */
};

/* The line that begins at `from`, which must be 0, a `next`, or a result of tui_wrap_start. At the
 * end of the text (and only there) the line is empty and its next is `from`. */
struct tui_line tui_wrap_line(struct loom_str text, size_t from, int width);
/* The start of the line that holds byte `at`; of the last line when at >= text.n. */
size_t tui_wrap_start(struct loom_str text, size_t at, int width);
/* The start of the line `lines` above the one that begins at `from`, or 0. *up (nullable) gets the
 * number of lines moved. */
size_t tui_wrap_up(struct loom_str text, size_t from, int width, int lines, int *up);
/* The number of lines from `from` on, at most `limit`. An empty text has one. */
int tui_wrap_count(struct loom_str text, size_t from, int width, int limit);
/* The cells from the start of the line to byte `at`. */
int tui_wrap_column(struct loom_str text, size_t from, size_t at);
/* The width of the grapheme at *at, which moves past it; a tab extends to the next stop after
 * `column`. */
int tui_wrap_step(struct loom_str text, size_t *at, int column);

#endif
