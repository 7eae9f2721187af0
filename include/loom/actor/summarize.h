/* Summaries in the background: claims what waits, asks a small model, keeps what it says; without a
 * model it keeps an extract, marked as one. Driven from a loop; nobody waits. */
#ifndef LOOM_SUMMARIZE_H
#define LOOM_SUMMARIZE_H

#include <loom/providers/generate.h>
#include <loom/tree/job.h>
#include <loom/loop/loop.h>
#include <loom/loop/worker.h>

struct loom_summarizer;

struct loom_summarizer_opts {
	struct loom_loop *loop;                 /* borrowed */
	struct loom_worker *worker;             /* borrowed; its context is a struct loom_store * */
	const struct loom_generator *generator; /* borrowed */
	/* One of them is there. In the loop's thread; nullable. */
	void (*made)(void *ctx, const struct loom_summary_job *job, struct loom_str summary,
		     bool extract);
	/* Nothing waits any more, it was stopped, or a model failed: then err says so. Nullable. */
	void (*idle)(void *ctx, enum loom_status status, const struct loom_err *err);
	void *ctx;
};

/* Options are copied; nothing is made before the first poke. */
struct loom_summarizer *loom_summarizer_create(const struct loom_summarizer_opts *opts) LOOM_MUST;
/* What is under way is given up and waits again. NULL is fine. The worker must be finished before
 * what the options borrow goes away. */
void loom_summarizer_destroy(struct loom_summarizer *summarizer);
/* Does what waits, one after the other; nothing while it is at it. After a model has failed it does
 * nothing more. */
void loom_summarizer_poke(struct loom_summarizer *summarizer);
/* The same for one summary, made now whether or not there is one. Not while it is at it. */
void loom_summarizer_make(struct loom_summarizer *summarizer, enum loom_job_kind kind,
			  int64_t target);
/* Whether one is under way. */
bool loom_summarizer_busy(const struct loom_summarizer *summarizer);
/* Ends after what is under way. */
void loom_summarizer_stop(struct loom_summarizer *summarizer);
/* For good, and soon: a model that is asked is not heard out. Before it is destroyed the loop goes
 * on until it is not busy. */
void loom_summarizer_give_up(struct loom_summarizer *summarizer);

#endif
