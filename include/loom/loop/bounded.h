/* Runs a program of the user's within bounds: no shell, a clean environment without keys, so much
 * time and so much output, and nothing that it started outlives it. */
#ifndef LOOM_BOUNDED_H
#define LOOM_BOUNDED_H

#include <loom/base/err.h>
#include <loom/config/config.h>
#include <loom/loop/loop.h>

struct loom_bounded;

struct loom_bounded_opts {
	struct loom_loop *loop;
	const char *const *argv;          /* NULL-terminated; the program is looked up on $PATH */
	const char *const *env;           /* "NAME=value" pairs laid over the clean environment */
	const struct loom_config *config; /* names the variables that hold keys */
	struct loom_str input;            /* its standard input; copied */
	int64_t ms;                       /* it is stopped after this time */
	size_t most;                      /* it is stopped when it has written more bytes */
	/* Called once, unless it was stopped from outside: how it ended, and what it wrote. */
	void (*done)(void *ctx, enum loom_status status, struct loom_str out,
		     const struct loom_err *err);
	void *ctx;
};

/* Starts the program. The loop and ctx are borrowed until it ends; the rest during the call.
 * LOOM_NOT_FOUND if there is no such program, LOOM_IO. */
enum loom_status loom_bounded_start(const struct loom_bounded_opts *opts, struct loom_bounded **out,
				    struct loom_err *err) LOOM_MUST;
/* Ends it and everything it started, without a word. NULL is allowed. */
void loom_bounded_stop(struct loom_bounded *bounded);

#endif
