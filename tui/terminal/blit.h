/* The grid into a curses window: inks to attributes and pairs, graphemes to cells.
 *
 * Curses cannot hold everything a grid can: clusters of several spacing characters, clusters whose
 * width the C library or terminals dispute, colours beyond the palette. Such things are drawn as
 * stand-ins (private characters, palette slots) that tui_draw_filter puts right in the bytes. */
#ifndef TUI_DRAW_H
#define TUI_DRAW_H

#include <loom/terminal/grid.h>
#include <loom/keys/theme.h>

struct tui_draw;

struct tui_draw_opts {
	enum tui_depth depth;
	bool utf8;    /* else ? for what is not ASCII */
	bool places;  /* the terminal can save and restore its cursor */
	bool repeats; /* and repeat a character (CSI n b) */
	bool strikes; /* and draw a line through a text (SGR 9), and knows SGR 8, concealed */
};

struct tui_draw *tui_draw_create(const struct tui_draw_opts *opts, const struct tui_theme *theme);
void tui_draw_destroy(struct tui_draw *draw);
void tui_draw_theme(struct tui_draw *draw, const struct tui_theme *theme);
/* Draws one row into the current curses screen. True when it holds clusters of disputed width: the
 * row must then be sent whole, so that what a terminal spills is drawn over. */
bool tui_draw_row(struct tui_draw *draw, const struct tui_grid *grid, int y);
/* Appends the bytes curses made, with stand-ins replaced by what they stand for and colours said
 * no more often than they change. */
void tui_draw_filter(struct tui_draw *draw, struct loom_str bytes, struct loom_buf *out);
/* The terminal can repeat a character after all. */
void tui_draw_repeats(struct tui_draw *draw);
/* Another program had the terminal: its colours are not known any more. */
void tui_draw_forget_colours(struct tui_draw *draw);
/* True when tables ran full and were emptied: everything must be drawn again. */
bool tui_draw_stale(struct tui_draw *draw);

#endif
