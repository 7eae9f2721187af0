/* A channel to long work: a stop request goes in, progress comes out. The two sides may be
 * different threads. NULL is a task nobody watches. */
#ifndef LOOM_TASK_H
#define LOOM_TASK_H

#include <stdatomic.h>

#include <loom/base/base.h>

struct loom_task {
	atomic_bool cancelled;
	atomic_uint_least64_t done;
	atomic_uint_least64_t total; /* 0: unknown */
	/* What the store does in between, which is not part of the work itself. */
	struct {
		_Atomic(const char *) what; /* static; NULL: nothing */
		atomic_uint_least64_t done;
		atomic_uint_least64_t total;
	} aside;
};

/* Asks the work to stop at its next safe point. May be called from any thread. */
static inline void loom_task_cancel(struct loom_task *task)
{
	if (task)
		atomic_store_explicit(&task->cancelled, true, memory_order_relaxed);
}

/* Returns whether the work was asked to stop; cheap enough for inner loops. */
static inline bool loom_task_cancelled(struct loom_task *task)
{
	return task && atomic_load_explicit(&task->cancelled, memory_order_relaxed);
}

/* Reports progress: `done` of `total` (0: unknown). */
static inline void loom_task_report(struct loom_task *task, uint64_t done, uint64_t total)
{
	if (!task)
		return;
	atomic_store_explicit(&task->total, total, memory_order_relaxed);
	atomic_store_explicit(&task->done, done, memory_order_relaxed);
}

/* Reports progress, in bytes, of something the store does in between. `what` is static; NULL ends
 * it. */
static inline void loom_task_aside(struct loom_task *task, const char *what, uint64_t done,
				   uint64_t total)
{
	if (!task)
		return;
	atomic_store_explicit(&task->aside.total, total, memory_order_relaxed);
	atomic_store_explicit(&task->aside.done, done, memory_order_relaxed);
	atomic_store_explicit(&task->aside.what, what, memory_order_relaxed);
}

/* Reads the last reported progress. */
static inline void loom_task_progress(struct loom_task *task, uint64_t *out_done,
				      uint64_t *out_total)
{
	*out_done = task ? atomic_load_explicit(&task->done, memory_order_relaxed) : 0;
	*out_total = task ? atomic_load_explicit(&task->total, memory_order_relaxed) : 0;
}

#endif
