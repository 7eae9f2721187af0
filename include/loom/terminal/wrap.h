/* Line breaking of prose. Pure: a text and a width give lines; nothing is kept between calls, and
 * no call costs more than a block of text however large the text is.
 *
 * Lines end at a line break of the text, at the last place to break before the width, or, when a
 * word is longer than a line, between two graphemes. A paragraph beyond TUI_WRAP_BLOCK bytes is
 * broken once a block at a place that depends on the paragraph alone, so that any line of a text of
 * any size is found without reading what is before its block. */
#ifndef TUI_WRAP_H
#define TUI_WRAP_H

#include <loom/base/str.h>

#define TUI_MEASURE    100  /* prose is never wider */
#define TUI_WRAP_BLOCK 8192 /* bytes */

struct tui_line {
	size_t from; /* byte offsets into the text */
	size_t to;   /* behind what is seen: without the blanks at a soft break, without the LF */
	size_t next; /* where the next line begins */
	int cells;   /* of [from, to) */
	bool hard;   /* ended by a line break or by the end of the text */
};

/* The line that begins at `from`, which must be 0, a `next`, or from tui_wrap_start. At the end of
 * the text (and only there) gives an empty line whose next is `from`. */
struct tui_line tui_wrap_line(struct loom_str text, size_t from, int width);
/* The beginning of the line that holds byte `at`; the last line's for at >= text.n. */
size_t tui_wrap_start(struct loom_str text, size_t at, int width);
/* The beginning of the line `lines` lines above the one that begins at `from`, or 0. *up (nullable)
 * gets how many lines that was. */
size_t tui_wrap_up(struct loom_str text, size_t from, int width, int lines, int *up);
/* How many lines from `from` on, at most `limit`. An empty text has one. */
int tui_wrap_count(struct loom_str text, size_t from, int width, int limit);
/* The cells from the line's beginning to byte `at`. */
int tui_wrap_column(struct loom_str text, size_t from, size_t at);
/* Cells of the piece that begins at *at, moving *at; a tab goes to the stop after `column`. */
int tui_wrap_step(struct loom_str text, size_t *at, int column);

#endif
