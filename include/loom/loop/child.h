/* Runs a program beside the loop: feeds it its input and delivers its output as it arrives. No
 * shell. */
#ifndef TOOLS_CHILD_IMPL_H
#define TOOLS_CHILD_IMPL_H

#include <loom/config/config.h>
#include <loom/base/err.h>
#include <loom/loop/loop.h>
#include <loom/base/str.h>

struct loop_child;

struct loop_child_opts {
	struct loom_loop *loop;
	const char *const *argv; /* NULL-terminated; the program is looked up on $PATH */
	const char *const *env;  /* "NAME=value" pairs added to ours, NULL-terminated; NULL: none */
	const struct loom_config *config; /* the child does not get its keys; NULL: none */
	const struct loom_provider *own;  /* the provider whose key it does get; NULL: none */
	bool clean;            /* of our environment only what a program needs to find its way */
	bool alone;            /* what it started dies with it */
	struct loom_str input; /* copied */
	/* Called with each piece of its standard output. The callback may stop the child. */
	void (*out)(void *ctx, struct loom_str bytes);
	/* Called exactly once, unless the child was stopped. `status` is its exit status, or -1
	 * when `signal` killed it; `said` is the beginning of its standard error. The child is
	 * already freed. */
	void (*end)(void *ctx, int status, int signal, struct loom_str said);
	void *ctx;
};

/* Returns our environment with `more` laid over it. Leaves out every variable that may hold an API
 * key (those that `config` names and those that hold keys by convention) and LOOM_TOKEN_SECRET, so
 * that no program sees another's key; the variable that `own` names stays. `config`, `own` and
 * `more` may be NULL. The list is NULL-terminated and the caller's to free; its strings are
 * borrowed. */
char **loop_child_env(const struct loom_config *config, const struct loom_provider *own,
		      const char *const *more);
/* Starts the program in a process group of its own. The loop, config and ctx of `opts` are borrowed
 * until the child ends; argv, env and input only during the call. The child frees itself after
 * `end`. Fails with LOOM_NOT_FOUND when there is no such program and LOOM_IO when it cannot be
 * started. */
enum loom_status loop_child_start(const struct loop_child_opts *opts, struct loop_child **out,
				  struct loom_err *err) LOOM_MUST;
/* Kills the child and everything it started; `end` is still called, later, from the loop. */
void loop_child_kill(struct loop_child *child);
/* Kills the child and everything it started, waits for it and frees it; no callback is called any
 * more. NULL is allowed. */
void loop_child_stop(struct loop_child *child);

#endif
