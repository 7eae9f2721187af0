/* The terminal as a device: its modes, its signals, its bytes in and out. Knows nothing of
 * pictures. However the program ends (close, a signal, a crash, exit()), the modes are restored.
 * Only one screen can be open at a time.
 *
 * Writing never blocks: what the terminal does not take is kept here. Draw no further frame while
 * tui_screen_busy, so that a slow line gets the newest one. */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include <poll.h>
#include <termios.h>

#include <loom/base/err.h>
#include <loom/base/str.h>

enum tui_signal {
	TUI_SIGNAL_RESIZE = 1,
	TUI_SIGNAL_INTERRUPT = 2, /* C-c */
	TUI_SIGNAL_STOP = 4,      /* C-z: call tui_screen_stop */
	TUI_SIGNAL_CONTINUE = 8,  /* continued after a stop: the modes are set, redraw */
	TUI_SIGNAL_LEAVE = 16,    /* TERM: save and leave */
	TUI_SIGNAL_HANGUP = 32,   /* HUP, or the terminal is gone: save and leave */
};

/* Writes to a terminal, whether or not a screen is open on it. Waits at most a second for room.
 * False when nothing is taken or the terminal is gone. */
bool tui_screen_say(int fd, const char *text, size_t n);

struct tui_screen_opts {
	int in, out; /* the terminal's descriptors */
	bool mouse;  /* report the mouse */
	int idle_fd; /* where a test is told of idleness, or -1 */
};

struct tui_screen {
	struct tui_screen_opts opts;
	int fd; /* a non-blocking file description of our own, or opts.in */
	int signal_fd;
	bool up;                 /* modes are set */
	struct loom_buf waiting; /* bytes not yet taken */
	size_t sent;
	bool gone; /* the terminal is gone */
	uint64_t bytes_in, bytes_out, writes, signals, idles;
};

/* Sets the modes and catches the signals. LOOM_REFUSED when there is no terminal. */
enum loom_status tui_screen_open(struct tui_screen *screen, const struct tui_screen_opts *opts,
				 struct loom_err *err) LOOM_MUST;
/* Writes `last` (the drawing layer's farewell) and restores modes and signal handlers. NULL and a
 * closed screen are fine. */
void tui_screen_close(struct tui_screen *screen, struct loom_str last);
/* Writes `last` and restores the modes while another program (an editor) uses the terminal; signals
 * stay caught. */
void tui_screen_leave(struct tui_screen *screen, struct loom_str last);
/* Sets the modes again after tui_screen_leave. */
void tui_screen_enter(struct tui_screen *screen);
/* Leaves the screen, stops the process, and enters again when it is continued. */
void tui_screen_stop(struct tui_screen *screen, struct loom_str last);
/* Turns mouse reports on or off; off leaves selection to the terminal. */
void tui_screen_mouse(struct tui_screen *screen, bool on);

/* The current size in columns and rows; 80 and 24 when the terminal does not tell. */
void tui_screen_size(const struct tui_screen *screen, int *w, int *h);
/* Waits for input, a signal, room for pending output, or one of `more`. A timeout of -1 waits for
 * ever. */
void tui_screen_wait(struct tui_screen *screen, struct pollfd *more, size_t count, int timeout_ms);
/* The signals since the last call, as a set of enum tui_signal. */
unsigned tui_screen_signals(struct tui_screen *screen);
/* Appends all input available now. False when the terminal is gone. */
bool tui_screen_read(struct tui_screen *screen, struct loom_buf *into);
/* Sends `bytes`, in one write if the terminal takes it; keeps the rest. */
void tui_screen_write(struct tui_screen *screen, struct loom_str bytes);
/* Whether output is still pending. */
bool tui_screen_busy(const struct tui_screen *screen);
/* Tells a test that all input was consumed and nothing is under way, with four counters: idle
 * reports, bytes read, signals taken, bytes written. */
void tui_screen_idle(struct tui_screen *screen);

#endif
