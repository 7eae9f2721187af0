/* The picture before any terminal: cells of graphemes with a role, drawn by views, compared by
 * tests, blitted by blit.c. Pure. All text goes through loom_shown_next. Writing outside the clip
 * or the grid does nothing; a wide grapheme is drawn whole or not at all. */
#ifndef TUI_GRID_H
#define TUI_GRID_H

#include <loom/base/str.h>

#include <loom/keys/roles.h>

#define TUI_SIDE_MAX 2000 /* cells in a row or column; larger terminals use their corner */

struct tui_rect {
	int x, y, w, h;
};

/* One cell. A wide grapheme takes a cell of width 2, then one of width 0. */
struct tui_cell {
	uint32_t glyph; /* a code point, or TUI_GLYPH_LONG and an offset into the grid's clusters */
	uint8_t width;
	struct tui_ink ink;
};
#define TUI_GLYPH_LONG 0x80000000U

struct tui_grid {
	int w, h;
	size_t cap;
	struct tui_cell *cells; /* h rows of w */
	struct loom_buf clusters;
	int cursor_x, cursor_y; /* the terminal's own cursor: the focused row or the caret */
	bool cursor_shown;
	bool ascii; /* symbols and lines in their ASCII form */
};

/* The program's own signs: id, UTF-8, and an ASCII form of the same width. */
#define TUI_SYMBOL_LIST(X)                                                                         \
	X(OPEN, "▾", "v")                                                                          \
	X(CLOSED, "▸", ">")                                                                        \
	X(FORK, "├", "|")                                                                          \
	X(LAST, "└", "`")                                                                          \
	X(PASSING, "│", "|")                                                                       \
	X(CUT, "…", "~")                                                                           \
	X(GOES_ON, "»", ">")                                                                       \
	X(RUN, "⋯", ":")                                                                           \
	X(ARROW, "→", ">")                                                                         \
	X(DOT, "·", "-")                                                                           \
	X(UNSEEN, "●", "o")                                                                        \
	X(PRESENT, "◆", "@")                                                                       \
	X(DRAFT, "✎", "&")                                                                         \
	X(BOOKMARK, "★", "*")                                                                      \
	X(PRUNED, "✂", "x")                                                                        \
	X(DONE, "✓", "+")                                                                          \
	X(FAILED, "✗", "!")                                                                        \
	X(RUNNING, "◌", "%")                                                                       \
	X(TIMES, "×", "x")                                                                         \
	X(RETURN, "⏎", "$")                                                                        \
	X(BLOCK, "█", "#")                                                                         \
	X(SHADE, "░", ".")                                                                         \
	X(MORE_UP, "▴", "^")                                                                       \
	X(MORE_DOWN, "▾", "v")

enum tui_symbol {
#define X(id, utf8, ascii) TUI_SYMBOL_##id,
	TUI_SYMBOL_LIST(X)
#undef X
		TUI_SYMBOLS
};

/* Where the next text goes: clipped, coloured, one line. */
struct tui_pen {
	struct tui_grid *grid;
	struct tui_rect clip; /* within the grid */
	int left, top;        /* origin of positions and tab stops */
	int x, y;
	struct tui_ink ink;
};

/* Makes an empty grid; `ascii` draws symbols and lines in their ASCII form. */
void tui_grid_init(struct tui_grid *grid, bool ascii);
/* Frees what a grid holds. */
void tui_grid_fini(struct tui_grid *grid);
/* Blanks the grid and resizes it (clamped to 1…TUI_SIDE_MAX); keeps its memory. */
void tui_grid_reset(struct tui_grid *grid, int w, int h);
/* Copies the picture of a grid into another. */
void tui_grid_copy(struct tui_grid *to, const struct tui_grid *from);

/* The cell at (x, y), or NULL outside the grid. */
const struct tui_cell *tui_grid_cell(const struct tui_grid *grid, int x, int y);
/* The text of a cell, borrowed from the grid or from `room`; empty for the right half of a wide
 * grapheme. */
struct loom_str tui_cell_text(const struct tui_grid *grid, const struct tui_cell *cell,
			      char room[4]);
/* Whether row `y` looks the same in two grids of equal width. */
bool tui_grid_row_same(const struct tui_grid *a, const struct tui_grid *b, int y);
/* Appends the rows as text, each without trailing blanks and with an LF. */
void tui_grid_text(const struct tui_grid *grid, struct loom_buf *out);
/* Checks the grid's invariants: NULL, or what is wrong (half a wide cell, a wrong width, a cursor
 * outside). */
const char *tui_grid_fault(const struct tui_grid *grid);

/* A pen at the top left of `rect`, clipped to it. */
struct tui_pen tui_pen_make(struct tui_grid *grid, struct tui_rect rect, struct tui_ink ink);
/* Moves the pen to (x, y) relative to the top left of its original rectangle. */
void tui_pen_to(struct tui_pen *pen, int x, int y);
/* The cells left before the edge. */
int tui_pen_left(const struct tui_pen *pen);
/* Draws `text` on one line; a line break shows as ⏎. False when it reached the edge. */
bool tui_pen_text(struct tui_pen *pen, struct loom_str text);
/* Draws a C string as tui_pen_text does. */
bool tui_pen_puts(struct tui_pen *pen, const char *text);
/* Draws formatted text as tui_pen_text does. */
bool tui_pen_format(struct tui_pen *pen, const char *format, ...) LOOM_PRINTF(2, 3);
/* Draws at most `cells` of `text`, ending in … when cut. Returns the cells used. */
int tui_pen_cut(struct tui_pen *pen, struct loom_str text, int cells);
/* Draws one of the program's signs. False when it does not fit. */
bool tui_pen_symbol(struct tui_pen *pen, enum tui_symbol symbol);
/* Draws `cells` blanks in the pen's ink. */
void tui_pen_blank(struct tui_pen *pen, int cells);

/* Fills `rect` with blanks in `ink`. */
void tui_grid_fill(struct tui_grid *grid, struct tui_rect rect, struct tui_ink ink);
/* Gives what `rect` already shows `ground` as its background. */
void tui_grid_ground(struct tui_grid *grid, struct tui_rect rect, enum tui_role ground);
/* Draws a horizontal line of box glyphs from (x, y), joining lines already there. */
void tui_grid_across(struct tui_grid *grid, int x, int y, int cells, struct tui_ink ink);
/* Draws a vertical line of box glyphs from (x, y), joining lines already there. */
void tui_grid_down(struct tui_grid *grid, int x, int y, int cells, struct tui_ink ink);
/* Draws the border of `rect`; nothing when it is smaller than 2x2. */
void tui_grid_box(struct tui_grid *grid, struct tui_rect rect, struct tui_ink ink);

/* The intersection; w and h are 0 when there is none. */
struct tui_rect tui_rect_meet(struct tui_rect a, struct tui_rect b);
/* Whether (x, y) lies inside `rect`. */
bool tui_rect_has(struct tui_rect rect, int x, int y);

#endif
