/* Summaries in the background: claims waiting jobs, asks a small model and keeps its answers.
 * Without a model it keeps an extract, marked as one. Driven from a loop; nobody waits. */
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
	/* A summary was kept. Called in the loop's thread; may be NULL. */
	void (*made)(void *ctx, const struct loom_summary_job *job, struct loom_str summary,
		     bool extract);
	/* Nothing is waiting any more, the summarizer was stopped, or a model failed: then err says
	 * so. May be NULL. */
	void (*idle)(void *ctx, enum loom_status status, const struct loom_err *err);
	void *ctx;
	/* The model is not asked as it was meant to be; `why` says so. May be NULL. */
	void (*noted)(void *ctx, const struct loom_err *why);
};

/* Creates a summarizer and copies the options; nothing happens before the first poke. Free it with
 * loom_summarizer_destroy. */
struct loom_summarizer *loom_summarizer_create(const struct loom_summarizer_opts *opts) LOOM_MUST;
/* Frees the summarizer; the job under way is dropped and waits again. NULL is allowed. What the
 * options borrow must outlive the worker's remaining work. */
void loom_summarizer_destroy(struct loom_summarizer *summarizer);
/* Starts making the waiting summaries, one after the other. Does nothing while busy or after a
 * model has failed. */
void loom_summarizer_poke(struct loom_summarizer *summarizer);
/* Makes one summary now, whether or not there already is one. Must not be called while busy. */
void loom_summarizer_make(struct loom_summarizer *summarizer, enum loom_job_kind kind,
			  int64_t target);
/* Returns whether a summary is being made. */
bool loom_summarizer_busy(const struct loom_summarizer *summarizer);
/* Stops after the summary under way. */
void loom_summarizer_stop(struct loom_summarizer *summarizer);
/* Stops for good, as soon as possible: a model that has been asked is not heard out. Run the loop
 * until it is not busy before destroying it. */
void loom_summarizer_give_up(struct loom_summarizer *summarizer);

#endif
