/* The event loop: a screen, a curses terminal, an input decoder and a grid put together. Whoever
 * runs on it sees events and is asked to draw; nothing else of the terminal.
 *
 * The order of things: all signals and all pending input are taken, then at most one frame is drawn
 * and sent as one write; while the terminal has not taken the last one no other is made. Idle, it
 * sleeps in poll without a timeout. */
#ifndef TUI_STAGE_H
#define TUI_STAGE_H

#include <poll.h>

#include <loom/base/env.h>
#include <loom/base/err.h>

#include <loom/terminal/grid.h>
#include <loom/terminal/input.h>
#include <loom/keys/theme.h>

#define TUI_STREAM_MS 33 /* frames of what streams in are this far apart */
#define TUI_STAGE_FDS 64

struct tui_stage;

struct tui_stage_ops {
	/* A key, paste, mouse, focus or reply. C-c comes as the key C-c. */
	void (*event)(void *ctx, const struct tui_event *event);
	/* Fills the grid, which is blank and of the screen's size. */
	void (*draw)(void *ctx, struct tui_grid *grid);
	/* What else to wait for: fills `fds`, returns how many; *timeout_ms is -1 or lowered. May
	 * be NULL. */
	size_t (*fds)(void *ctx, struct pollfd *fds, size_t max, int *timeout_ms);
	/* After each wait, with what `fds` gave and poll answered. May be NULL. */
	void (*ready)(void *ctx, const struct pollfd *fds, size_t n);
	/* The terminal is gone or TERM came: save. The stage ends when this returns. May be NULL.
	 */
	void (*leave)(void *ctx);
	/* Whether work goes on that will change the picture: then it is not idle. May be NULL. */
	bool (*busy)(void *ctx);
};

struct tui_stage_opts {
	int in, out;
	const char *type;
	bool no_colour, truecolour, utf8, ascii, mouse;
	int esc_ms;  /* how long an ESC waits for the rest of its sequence */
	int idle_fd; /* -1: none */
};

/* What the environment says: TERM, NO_COLOR, COLORTERM, the locale's encoding,
 * ESCDELAY, LOOM_TEST_FD. Descriptors 0 and 1, mouse on. */
struct tui_stage_opts tui_stage_opts_of(const struct loom_env *env);

/* LOOM_REFUSED without a terminal, or with one that cannot be drawn on; nothing is changed then.
 * The theme is borrowed. */
enum loom_status tui_stage_open(struct tui_stage **out, const struct tui_stage_opts *opts,
				const struct tui_stage_ops *ops, void *ctx,
				const struct tui_theme *theme, struct loom_err *err) LOOM_MUST;
/* Runs until tui_stage_quit, TERM, HUP, or the terminal is gone. */
void tui_stage_run(struct tui_stage *stage);
void tui_stage_quit(struct tui_stage *stage);
/* Gives the terminal back; NULL is fine. */
void tui_stage_close(struct tui_stage *stage);

/* The picture has changed. */
void tui_stage_dirty(struct tui_stage *stage);
/* As above for what streams: drawn TUI_STREAM_MS after the last frame at the earliest. */
void tui_stage_stream(struct tui_stage *stage);
/* C-l: everything is drawn anew. */
void tui_stage_redraw(struct tui_stage *stage);
void tui_stage_theme(struct tui_stage *stage, const struct tui_theme *theme);
void tui_stage_mouse(struct tui_stage *stage, bool on);
void tui_stage_size(const struct tui_stage *stage, int *w, int *h);
/* Bytes that are no picture: OSC 52, a question to the terminal. */
void tui_stage_send(struct tui_stage *stage, struct loom_str bytes);
/* Lends the terminal to another program between the two. */
void tui_stage_lend(struct tui_stage *stage);
void tui_stage_take_back(struct tui_stage *stage);

#endif
