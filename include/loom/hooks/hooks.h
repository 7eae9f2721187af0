/* Hooks: programs of the user's configuration that hear what this process has written. The event is
 * one JSON object on their standard input.
 *
 * A hook runs once, in the process that committed. Its own calls of loom act as whoever made the
 * event, and raise no events. */
#ifndef LOOM_HOOKS_H
#define LOOM_HOOKS_H

#include <loom/base/env.h>
#include <loom/loop/loop.h>

struct loom_hooks;

struct loom_hooks_opts {
	struct loom_env *env; /* gets the hearer; stores opened before do not see it in copies */
	struct loom_loop *(*loop)(void *ctx); /* asked for if there are hooks */
	/* Called in the loop's thread when a hook fails or is left out. */
	void (*complain)(void *ctx, const char *text);
	void *ctx;
};

/* Starts listening; NULL if the configuration has no hooks, somebody listens already, or LOOM_HOOKS
 * is "off", as it is in a program that a hook runs. Free it with loom_hooks_close. */
struct loom_hooks *loom_hooks_open(const struct loom_hooks_opts *opts) LOOM_MUST;
/* Waits up to `ms` for the hooks under way, ends the others and frees it. Call it when nothing of
 * this process commits any more. NULL is allowed. */
void loom_hooks_close(struct loom_hooks *hooks, int64_t ms);

#endif
