/* Draws the grid into a curses window: inks become attributes and pairs, graphemes become cells.
 *
 * Curses cannot hold everything a grid can: clusters of several spacing characters, clusters whose
 * width the C library and terminals disagree on, colours beyond the palette. Those are drawn as
 * stand-ins (private characters, palette slots), which tui_draw_filter replaces in the bytes. */
#ifndef TUI_DRAW_H
#define TUI_DRAW_H

#include <loom/terminal/grid.h>
#include <loom/keys/theme.h>

struct tui_draw;

struct tui_draw_opts {
	enum tui_depth depth;
	bool utf8;    /* otherwise non-ASCII becomes ? */
	bool places;  /* the terminal can save and restore its cursor */
	bool repeats; /* the terminal can repeat a character (CSI n b) */
	bool strikes; /* the terminal can strike text through (SGR 9) and knows SGR 8, concealed */
};

/* Makes the blitter. `theme` is borrowed until the next tui_draw_theme or until it is destroyed. */
struct tui_draw *tui_draw_create(const struct tui_draw_opts *opts, const struct tui_theme *theme);
/* Frees it; NULL is fine. */
void tui_draw_destroy(struct tui_draw *draw);
/* Switches to `theme`, which is borrowed; the next rows are drawn in it. */
void tui_draw_theme(struct tui_draw *draw, const struct tui_theme *theme);
/* Draws row `y` into the current curses screen. True when the row holds clusters of disputed width;
 * it must then be sent whole, so that whatever a terminal spills is drawn over. */
bool tui_draw_row(struct tui_draw *draw, const struct tui_grid *grid, int y);
/* Appends the bytes that curses produced, with stand-ins replaced by what they stand for and colour
 * changes reduced to the necessary ones. */
void tui_draw_filter(struct tui_draw *draw, struct loom_str bytes, struct loom_buf *out);
/* Notes that the terminal can repeat a character, once it has answered so. */
void tui_draw_repeats(struct tui_draw *draw);
/* Call after another program had the terminal: its current colours are unknown. */
void tui_draw_forget_colours(struct tui_draw *draw);
/* True once after a table ran full and was emptied: the whole screen must be drawn again. */
bool tui_draw_stale(struct tui_draw *draw);

#endif
