/* The terminal as a device: its modes, its signals, its bytes in and out. Knows nothing of what is
 * drawn. Whatever road the program leaves by (close, a signal, a crash, exit()), the modes are put
 * back. Only one screen can be open at a time.
 *
 * Writing never blocks: what the terminal does not take waits in the screen, and while something
 * waits no further frame should be made (tui_screen_busy), so that a slow line gets the newest. */
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
	TUI_SIGNAL_CONTINUE = 8,  /* back again: modes are set anew, draw all */
	TUI_SIGNAL_LEAVE = 16,    /* TERM: save and leave */
	TUI_SIGNAL_HANGUP = 32,   /* HUP, or the terminal is gone: save and leave */
};

/* Writes to a terminal, open as a screen or not, and never waits longer than a second for room:
 * false when it takes nothing, or is gone. */
bool tui_screen_say(int fd, const char *text, size_t n);

struct tui_screen_opts {
	int in, out; /* the terminal's descriptors */
	bool mouse;  /* report the mouse */
	int idle_fd; /* where idleness is told to a test, or -1 */
};

struct tui_screen {
	struct tui_screen_opts opts;
	int fd; /* a description of our own, which does not block; or opts.in */
	int signal_fd;
	bool up;                 /* modes are set */
	struct loom_buf waiting; /* bytes not yet taken */
	size_t sent;
	bool gone; /* the terminal is */
	uint64_t bytes_in, bytes_out, writes, signals, idles;
};

/* Sets the modes and catches the signals. LOOM_REFUSED when there is no terminal. */
enum loom_status tui_screen_open(struct tui_screen *screen, const struct tui_screen_opts *opts,
				 struct loom_err *err) LOOM_MUST;
/* Writes `last` (the drawing layer's farewell), puts everything back; NULL-safe, twice is fine. */
void tui_screen_close(struct tui_screen *screen, struct loom_str last);
/* For another program's use of the terminal (an editor): as close and open, signals kept. */
void tui_screen_leave(struct tui_screen *screen, struct loom_str last);
void tui_screen_enter(struct tui_screen *screen);
/* Leaves, stops the process, and enters again when it is continued. */
void tui_screen_stop(struct tui_screen *screen, struct loom_str last);
/* Turns reports of the mouse on or off; off gives the terminal its own selection. */
void tui_screen_mouse(struct tui_screen *screen, bool on);

/* Columns and rows now; 80 and 24 when the terminal does not say. */
void tui_screen_size(const struct tui_screen *screen, int *w, int *h);
/* Waits for input, signals, room for waiting output, or one of `more`; -1 waits for ever. */
void tui_screen_wait(struct tui_screen *screen, struct pollfd *more, size_t count, int timeout_ms);
/* The signals since the last call, as a set of enum tui_signal. */
unsigned tui_screen_signals(struct tui_screen *screen);
/* Appends everything that can be read now. False when the terminal is gone. */
bool tui_screen_read(struct tui_screen *screen, struct loom_buf *into);
/* Sends, in one write when the terminal takes it; the rest waits. */
void tui_screen_write(struct tui_screen *screen, struct loom_str bytes);
bool tui_screen_busy(const struct tui_screen *screen);
/* Tells a test that all input was consumed and nothing is under way: a line with how often that
 * was, bytes read, signals taken, bytes written. */
void tui_screen_idle(struct tui_screen *screen);

#endif
