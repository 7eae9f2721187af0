/* A program on a terminal that a test can look at: forkpty, libvterm, and the idle signal of the
 * program (LOOM_TEST_FD), so that nothing ever sleeps. A guard of 20 s (40 when
 * instrumented) prints the last screen and
 * ends the test program. */
#ifndef SCREENS_PTY_H
#define SCREENS_PTY_H

#include <loom/base/str.h>

struct pty;

struct pty_opts {
	const char *const *argv; /* NULL at the end; argv[0] is a path */
	const char *const
		*env;     /* "NAME=value", NULL at the end; NULL: none beyond the fixed ones */
	const char *term; /* NULL: xterm-256color */
	int w, h;         /* 0: 80x24 */
};

struct pty *pty_open(const struct pty_opts *opts);
/* Prints the last of what was written to it. */
void pty_show_typed(const struct pty *pty);
/* Ends the program if it still runs. */
void pty_close(struct pty *pty);

/* Writes bytes as a keyboard would. */
void pty_write(struct pty *pty, struct loom_str bytes);
/* Waits until the program has read all that was written and is idle, and its picture is here. */
void pty_settle(struct pty *pty);
/* Takes what is there to be read, without waiting. */
void pty_take(struct pty *pty);
/* Waits until something came, and takes it. */
void pty_wait(struct pty *pty);
/* Like pty_settle, but false when the program has ended by itself. */
bool pty_settled(struct pty *pty);
/* Both. */
void pty_type(struct pty *pty, const char *bytes);
/* Sends a signal that the program takes as an event. */
void pty_signal(struct pty *pty, int number);
void pty_resize(struct pty *pty, int w, int h);
/* A key that the line discipline turns into a signal (C-c): written, and waited for. */
void pty_signal_key(struct pty *pty, char c);
/* Reads on until the screen shows `text`. */
void pty_until(struct pty *pty, const char *text);
/* Waits for the end of the program; its status as waitpid gives it. */
int pty_finish(struct pty *pty);
/* Whether it ends within this time while nobody reads what it writes. */
bool pty_ends_unread(struct pty *pty, int ms);
/* Closes the terminal under the program and waits for its end; the ms that took. */
int64_t pty_hang_up(struct pty *pty);

/* The screen as rows of text, blanks at the ends dropped; borrowed until the next call. */
const char *pty_text(struct pty *pty);
/* How many cells have a colour that is not the terminal's own. */
int pty_coloured(struct pty *pty);
/* The modes that are on, in a fixed spelling: "alt paste focus mouse cursor"; and "raw" when the
 * terminal is not in the mode it was in at first. Borrowed until the next call. */
const char *pty_modes(struct pty *pty);
/* The cursor's position. */
void pty_cursor(struct pty *pty, int *x, int *y);
/* How often any of its threads has woken up so far. */
uint64_t pty_wakes(const struct pty *pty);
/* Bytes the program has written so far, and how often mode 2026 began. */
uint64_t pty_bytes(const struct pty *pty);
uint64_t pty_frames(const struct pty *pty);

/* Compares text, cursor and modes with tests/screens/golden/NAME.txt; UPDATE=1 writes it. NULL when
 * they agree; else says on stderr what differs, and returns a word that outlives the terminal. */
const char *pty_golden(struct pty *pty, const char *name);
/* The screen as an SVG file. */
bool pty_svg(struct pty *pty, const char *path);

#endif
