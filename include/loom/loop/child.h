/* A program run beside the loop: its input given, its output told as it comes. No shell. */
#ifndef TOOLS_CHILD_IMPL_H
#define TOOLS_CHILD_IMPL_H

#include <loom/config/config.h>
#include <loom/base/err.h>
#include <loom/loop/loop.h>
#include <loom/base/str.h>

struct loop_child;

struct loop_child_opts {
	struct loom_loop *loop;
	const char *const *argv;          /* NULL-ended; found on $PATH */
	const char *const *env;           /* "NAME=value" over ours, NULL-ended; NULL: none */
	const struct loom_config *config; /* whose keys it does not get; NULL: none */
	const struct loom_provider *own;  /* whose it does; NULL: none */
	struct loom_str input;            /* copied */
	/* Part of its standard output. */
	void (*out)(void *ctx, struct loom_str bytes);
	/* Exactly once unless it was stopped: how it ended (-1 and a signal), and the beginning of
	 * what it said on standard error. It is gone when this returns. */
	void (*end)(void *ctx, int status, int signal, struct loom_str said);
	void *ctx;
};

/* Our environment with the additions over it and without the variables that providers' keys are
 * read from, those that hold keys by custom and LOOM_TOKEN_SECRET, but for the one that its `own`
 * provider names: a key is nobody else's. NULL-ended; the caller frees the list, not
 * its texts. */
char **loop_child_env(const struct loom_config *config, const struct loom_provider *own,
		      const char *const *more);
/* LOOM_NOT_FOUND when there is no such program, LOOM_IO when it cannot be started. */
enum loom_status loop_child_start(const struct loop_child_opts *opts, struct loop_child **out,
				  struct loom_err *err) LOOM_MUST;
/* Kills it with all that it started; its end is told as ever. */
void loop_child_kill(struct loop_child *child);
/* Kills it with all that it started, without a word and at once. NULL is fine. */
void loop_child_stop(struct loop_child *child);

#endif
