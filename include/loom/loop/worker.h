/* One thread that does what would make a person wait: writing, waiting for locks, long reading.
 *
 * Requests and answers are messages. From the post until its answer a payload belongs to the
 * worker; nothing else is shared. Requests run one at a time, in the order of their posts; the
 * answers are given in the same order, in the loop's thread. */
#ifndef LOOM_WORKER_H
#define LOOM_WORKER_H

#include <loom/base/err.h>
#include <loom/loop/loop.h>
#include <loom/base/task.h>

struct loom_worker;

struct loom_worker_opts {
	struct loom_loop *loop; /* where answers are given; outlives the worker */
	/* Makes the thread's own context before the first request (NULL: there is none). When it
	 * fails the request fails with its error, and the next request tries again. */
	enum loom_status (*open)(void *ctx, void **out_context, struct loom_err *err);
	/* Ends the context, in the same thread. */
	void (*close)(void *context);
	void *ctx;
};

struct loom_job {
	/* In the worker's thread. NULL: nothing is run, and the answer only says that all that was
	 * posted before is behind. */
	enum loom_status (*run)(void *context, void *payload, struct loom_task *task,
				struct loom_err *err);
	/* In the loop's thread, exactly once for every post; may be NULL. It may post, it must not
	 * destroy the worker. */
	void (*done)(void *payload, enum loom_status status, const struct loom_err *err);
	void *payload;
	/* The caller's own (lives until done), or NULL. Cancelled before it began, a request is
	 * answered with LOOM_CANCELLED and does not run. */
	struct loom_task *task;
	/* Posted while the worker ends it runs all the same, for it closes what nobody else does.
	 */
	bool closes;
};

/* Starts its thread, or ends the program when there can be none. Options are copied. */
struct loom_worker *loom_worker_create(const struct loom_worker_opts *opts) LOOM_MUST;
/* Finishes what was posted, gives the answers, ends the thread. What is posted meanwhile is
 * answered with LOOM_CANCELLED. NULL is fine. */
void loom_worker_destroy(struct loom_worker *worker);

/* Sends a request; copies *job. */
void loom_worker_post(struct loom_worker *worker, const struct loom_job *job);
/* How many were posted and are not answered. */
size_t loom_worker_pending(const struct loom_worker *worker);

/* The loop where answers are given. */
struct loom_loop *loom_worker_loop(const struct loom_worker *worker);
/* What those who use one worker have in common, in the loop's thread: NULL until one of them puts
 * a thing there. `end` is called with it when the worker ends, after the last answer. */
struct loom_worker_common {
	void *thing;
	void (*end)(void *thing);
};
/* That place; it lives as long as the worker. */
struct loom_worker_common *loom_worker_common(struct loom_worker *worker);

/* Posts, and runs the loop until the answer is there: for the command line, never inside a
 * callback of the loop. job->done is called as well. */
enum loom_status loom_worker_call(struct loom_worker *worker, const struct loom_job *job,
				  struct loom_err *err) LOOM_MUST;

#endif
