/* The event loop: a screen, a curses terminal, an input decoder and a grid put together. The
 * program on the stage gets events and is asked to draw; it sees nothing else of the terminal.
 *
 * Each turn takes all signals and pending input, then draws at most one frame and sends it in one
 * write. No frame is made until the terminal has taken the last one. When idle it sleeps in poll
 * without a timeout. */
#ifndef TUI_STAGE_H
#define TUI_STAGE_H

#include <poll.h>

#include <loom/base/env.h>
#include <loom/base/err.h>

#include <loom/terminal/grid.h>
#include <loom/terminal/input.h>
#include <loom/keys/theme.h>

#define TUI_STREAM_MS 33 /* least interval between frames of streaming text */
#define TUI_STAGE_FDS 64

struct tui_stage;

struct tui_stage_ops {
	/* A key, paste, mouse, focus or reply. C-c arrives as the key C-c. */
	void (*event)(void *ctx, const struct tui_event *event);
	/* Fills the grid, which comes blank and in the screen's size. */
	void (*draw)(void *ctx, struct tui_grid *grid);
	/* Further descriptors to wait for: fills `fds` and returns their number; may lower
	 * *timeout_ms, which is -1. May be NULL. */
	size_t (*fds)(void *ctx, struct pollfd *fds, size_t max, int *timeout_ms);
	/* Called after each wait with the polled `fds`. May be NULL. */
	void (*ready)(void *ctx, const struct pollfd *fds, size_t n);
	/* The terminal is gone or TERM arrived: save. The stage ends on return. May be NULL. */
	void (*leave)(void *ctx);
	/* Whether work under way will change the picture, so that it is not idle. May be NULL. */
	bool (*busy)(void *ctx);
};

struct tui_stage_opts {
	int in, out;
	const char *type;
	bool no_colour, truecolour, utf8, ascii, mouse;
	int esc_ms;  /* how long ESC waits for the rest of a sequence */
	int idle_fd; /* -1: none */
};

/* Reads the environment: TERM, NO_COLOR, COLORTERM, the locale's encoding, ESCDELAY, LOOM_TEST_FD.
 * Descriptors 0 and 1, mouse on. */
struct tui_stage_opts tui_stage_opts_of(const struct loom_env *env);

/* Opens the terminal. LOOM_REFUSED, with nothing changed, when there is none or it cannot be drawn
 * on. The theme is borrowed. */
enum loom_status tui_stage_open(struct tui_stage **out, const struct tui_stage_opts *opts,
				const struct tui_stage_ops *ops, void *ctx,
				const struct tui_theme *theme, struct loom_err *err) LOOM_MUST;
/* Runs until tui_stage_quit, TERM, HUP, or the terminal is gone. */
void tui_stage_run(struct tui_stage *stage);
/* Ends tui_stage_run after the current event. */
void tui_stage_quit(struct tui_stage *stage);
/* Restores the terminal and frees the stage; NULL is fine. */
void tui_stage_close(struct tui_stage *stage);

/* Marks the picture as changed: draw a frame as soon as possible. */
void tui_stage_dirty(struct tui_stage *stage);
/* Marks streaming text as changed: draw a frame no sooner than TUI_STREAM_MS after the last. */
void tui_stage_stream(struct tui_stage *stage);
/* Draws everything again (C-l). */
void tui_stage_redraw(struct tui_stage *stage);
/* Switches to `theme`, which is borrowed, and redraws. */
void tui_stage_theme(struct tui_stage *stage, const struct tui_theme *theme);
/* Turns mouse reports on or off. */
void tui_stage_mouse(struct tui_stage *stage, bool on);
/* Sends bytes that are not part of a picture: OSC 52, a question to the terminal. */
void tui_stage_send(struct tui_stage *stage, struct loom_str bytes);
/* Gives the terminal to another program until tui_stage_take_back. */
void tui_stage_lend(struct tui_stage *stage);
/* Takes the terminal back and redraws. */
void tui_stage_take_back(struct tui_stage *stage);

#endif
