/* The part of a pty that svg.c needs. */
#ifndef SCREENS_PTY_IMPL_H
#define SCREENS_PTY_IMPL_H

#include <sys/types.h>
#include <termios.h>
#include <vterm.h>

#include "pty.h"

enum { PTY_MODES = 3000 };

struct pty {
	int fd;
	int idle_fd;
	pid_t pid;
	int w, h;
	int status;
	bool over;
	bool idle_over; /* the program has closed the idle signal */
	VTerm *vt;
	VTermScreen *screen;
	struct termios first;
	uint64_t sent, received, signals_sent, frames;
	/* the last line of the idle signal */
	uint64_t idles, taken, signals, out;
	struct loom_buf idle_line;
	bool modes[PTY_MODES]; /* DEC private modes that are on */
	struct loom_buf csi;   /* a sequence cut between two reads */
	struct loom_buf text;
	struct loom_buf said;
	struct loom_buf typed; /* the last of what was written */
};

#endif
