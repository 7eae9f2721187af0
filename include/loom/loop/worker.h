/* One thread for everything a person would have to wait for: writes, waiting for locks, long reads.
 *
 * Requests and answers are messages. A payload belongs to the worker from the post until its
 * answer, and nothing else is shared. Requests run one at a time in the order of their posts;
 * answers are delivered in the same order, in the loop's thread. */
#ifndef LOOM_WORKER_H
#define LOOM_WORKER_H

#include <loom/base/err.h>
#include <loom/loop/loop.h>
#include <loom/base/task.h>

struct loom_worker;

struct loom_worker_opts {
	struct loom_loop *loop; /* delivers the answers; must outlive the worker */
	/* Creates the thread's own context before the first request; NULL: there is none. When it
	 * fails, the request fails with its error and the next request tries again. */
	enum loom_status (*open)(void *ctx, void **out_context, struct loom_err *err);
	/* Destroys the context, in the worker's thread. */
	void (*close)(void *context);
	void *ctx;
};

struct loom_job {
	/* Runs in the worker's thread. NULL runs nothing: the answer only says that everything
	 * posted earlier has finished. */
	enum loom_status (*run)(void *context, void *payload, struct loom_task *task,
				struct loom_err *err);
	/* Runs in the loop's thread, exactly once for every post; may be NULL. It may post, but
	 * must not destroy the worker. */
	void (*done)(void *payload, enum loom_status status, const struct loom_err *err);
	void *payload;
	/* The caller's task, which must live until `done`, or NULL. A request cancelled before it
	 * starts does not run and is answered with LOOM_CANCELLED. */
	struct loom_task *task;
	/* Run this job even when it is posted while the worker shuts down: it releases something
	 * that nobody else releases. */
	bool closes;
};

/* Starts the thread; free with loom_worker_destroy. Copies the options. Exits the program when no
 * thread can be started. */
struct loom_worker *loom_worker_create(const struct loom_worker_opts *opts) LOOM_MUST;
/* Finishes the posted requests, delivers their answers, ends the thread and frees the worker.
 * Requests posted meanwhile are answered with LOOM_CANCELLED, unless they are marked `closes`. NULL
 * is allowed. */
void loom_worker_destroy(struct loom_worker *worker);

/* Sends a request to the worker. Copies *job; the payload stays with the worker until `done`. */
void loom_worker_post(struct loom_worker *worker, const struct loom_job *job);
/* Returns how many requests were posted and not yet answered. */
size_t loom_worker_pending(const struct loom_worker *worker);

/* Returns the loop that delivers the answers; borrowed from the options. */
struct loom_loop *loom_worker_loop(const struct loom_worker *worker);
/* A slot shared by the users of one worker, for the loop's thread only. It is NULL until one of
 * them fills it; `end` is called with `thing` when the worker ends, after the last answer. */
struct loom_worker_common {
	void *thing;
	void (*end)(void *thing);
};
/* Returns the worker's shared slot, which lives as long as the worker. */
struct loom_worker_common *loom_worker_common(struct loom_worker *worker);

/* Posts a job and runs the loop until it is answered; job->done is called as well. Returns the
 * job's status and fills *err. For the command line only, never inside a callback of the loop. */
enum loom_status loom_worker_call(struct loom_worker *worker, const struct loom_job *job,
				  struct loom_err *err) LOOM_MUST;

#endif
