/* Curses in memory: a grid in, the bytes of one frame out. It touches no terminal descriptor, so
 * the caller sends a frame in one write and a test can count its bytes. */
#ifndef TUI_TERMINAL_H
#define TUI_TERMINAL_H

#include <loom/base/err.h>

#include <loom/terminal/grid.h>
#include <loom/keys/theme.h>

struct tui_term;

struct tui_term_opts {
	const char *type; /* TERM */
	int w, h;
	bool no_colour; /* NO_COLOR */
	bool truecolour;
	/* A terminal's name may promise what it does not do. With this set, the first frame asks
	 * whether box glyphs can be repeated, and none is repeated until tui_term_reply has the
	 * answer; it also asks for the background colour (OSC 11). */
	bool asks;
	bool utf8;
	bool hold; /* wrap frames in mode 2026 */
};

/* Opens a terminal of the given type. LOOM_REFUSED when the type is unknown or cannot move its
 * cursor. The theme is borrowed until the next tui_term_theme or close. Sets LC_CTYPE. */
enum loom_status tui_term_open(struct tui_term **out, const struct tui_term_opts *opts,
			       const struct tui_theme *theme, struct loom_err *err) LOOM_MUST;
/* Appends the bytes that leave the alternate screen and frees the terminal; NULL is fine. */
void tui_term_close(struct tui_term *term, struct loom_buf *out);
/* Switches to `theme`, which is borrowed; the next frame draws everything. */
void tui_term_theme(struct tui_term *term, const struct tui_theme *theme);
/* Makes the next frame draw everything: after a resize, an editor, C-l. */
void tui_term_redraw(struct tui_term *term);
/* Appends the bytes that make the screen show `grid`; nothing when it already does. */
void tui_term_frame(struct tui_term *term, const struct tui_grid *grid, struct loom_buf *out);
/* Passes in a reply of the terminal. Replies to questions of others are ignored. */
void tui_term_reply(struct tui_term *term, struct loom_str reply);
/* True while a reply may still arrive. Any program that gets the terminal before that reads it as
 * typed keys. */
bool tui_term_waits(const struct tui_term *term);
/* Appends the bytes that leave the screen to another program. The next frame enters it again and
 * draws everything. */
void tui_term_leave(struct tui_term *term, struct loom_buf *out);

#endif
