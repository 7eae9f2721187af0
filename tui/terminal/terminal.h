/* Curses upon memory: a grid in, the bytes of one frame out. No descriptor of a terminal is
 * touched, so that a frame is one write of the caller's, and a test can count bytes. */
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
	/* Many answer to a name without being what it says: with this set the first frame asks
	 * whether box glyphs are repeated, and none is left to be until tui_term_reply has heard;
	 * and which colour the ground has (OSC 11). */
	bool asks;
	bool utf8;
	bool hold; /* frames within mode 2026 */
};

/* LOOM_REFUSED when the type is unknown or cannot move its cursor. The theme is borrowed until the
 * next tui_term_theme or close. Sets LC_CTYPE to C.UTF-8. */
enum loom_status tui_term_open(struct tui_term **out, const struct tui_term_opts *opts,
			       const struct tui_theme *theme, struct loom_err *err) LOOM_MUST;
/* Appends what leaves the alternate screen; NULL is fine. */
void tui_term_close(struct tui_term *term, struct loom_buf *out);
void tui_term_theme(struct tui_term *term, const struct tui_theme *theme);
/* The next frame draws everything: after a resize, an editor, C-l. */
void tui_term_redraw(struct tui_term *term);
/* Appends the bytes that make the screen show `grid`; nothing when it does already. */
void tui_term_frame(struct tui_term *term, const struct tui_grid *grid, struct loom_buf *out);
/* What the terminal answered to a question, this one's or another. */
void tui_term_reply(struct tui_term *term, struct loom_str reply);
/* Whether an answer may still come: whoever has the terminal next would get it as keys. */
bool tui_term_waits(const struct tui_term *term);
/* Appends what leaves the screen to another program; the next frame comes back and draws all. */
void tui_term_leave(struct tui_term *term, struct loom_buf *out);

#endif
