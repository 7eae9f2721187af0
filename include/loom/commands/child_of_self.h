/* The program itself, asked one line of its command line from inside: a child beside the loop, so
 * that a command is the same wherever it is typed. It acts as we do: LOOM_AGENT is its own too. */
#ifndef LOOM_SELF_H
#define LOOM_SELF_H

#include <loom/cli/cli.h>

struct loom_self;

struct loom_self_opts {
	struct loom_loop *loop;
	const char *program; /* its path */
	const char *grove;
	const char *tree;     /* the one that a command means when it names none */
	struct loom_str line; /* without the program's name; "…" holds blanks together */
	/* Once, unless it was stopped: the exit status, what it printed, what it complained of. It
	 * is gone when this returns. */
	void (*done)(void *ctx, int status, struct loom_str out, struct loom_str said);
	void *ctx;
};

/* The command that a line begins with, or NULL. */
const struct loom_command *loom_self_command(struct loom_str line);
/* Whether it can be asked from inside: it needs no terminal or pipe of its own. */
bool loom_self_fits(const struct loom_command *command);
/* LOOM_NOT_FOUND without such a command, LOOM_REFUSED for one that needs a terminal of its own,
 * LOOM_IO. */
enum loom_status loom_self_start(const struct loom_self_opts *opts, struct loom_self **out,
				 struct loom_err *err) LOOM_MUST;
/* Ends it without a word. NULL is fine. */
void loom_self_stop(struct loom_self *self);

#endif
