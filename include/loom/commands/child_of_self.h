/* Runs one line of the command line as a child process, from inside a running loom, so that a
 * command is the same wherever it is typed. The child acts as the same person or agent. */
#ifndef LOOM_SELF_H
#define LOOM_SELF_H

#include <loom/cli/cli.h>

struct loom_self;

struct loom_self_opts {
	struct loom_loop *loop;
	const char *program; /* its path */
	const char *grove;
	const char *tree;      /* the default tree of the command */
	struct loom_str line;  /* without the program's name; "…" quotes blanks */
	struct loom_str input; /* its standard input; copied */
	/* Called once, unless stopped: the exit status, standard output and standard error. The
	 * struct is freed when it returns. */
	void (*done)(void *ctx, int status, struct loom_str out, struct loom_str said);
	void *ctx;
};

/* The command that a line begins with, or NULL. */
const struct loom_command *loom_self_command(struct loom_str line);
/* Splits a line into words, as the command line gets them: "…" quotes blanks. Returns how many
 * there are, at most `max`. */
size_t loom_self_words(struct loom_arena *arena, struct loom_str line, char **out, size_t max);
/* Whether a line is one that the command it begins with takes. */
bool loom_self_takes(struct loom_arena *arena, struct loom_str line);
/* Whether the command can run as a child: it needs no terminal or pipe of its own. */
bool loom_self_fits(const struct loom_command *command);
/* Starts the child. LOOM_NOT_FOUND for an unknown command, LOOM_REFUSED for one that needs a
 * terminal of its own, LOOM_IO. */
enum loom_status loom_self_start(const struct loom_self_opts *opts, struct loom_self **out,
				 struct loom_err *err) LOOM_MUST;
/* Kills the child; `done` is not called. NULL is fine. */
void loom_self_stop(struct loom_self *self);

#endif
