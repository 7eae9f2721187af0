/* What a model is asked for a summary, and what is made of its answer. */
#ifndef LOOM_SUMMARY_PROMPT_H
#define LOOM_SUMMARY_PROMPT_H

#include <loom/tree/job.h>

#define LOOM_SUMMARY_TOKENS 50

/* Appends what a model is asked for a summary. LOOM_NOT_FOUND when the target is not there (any
 * more). *out_extract (nullable) is what stands for it without a model. */
enum loom_status loom_summary_prompt(struct loom_store *store, enum loom_job_kind kind,
				     int64_t target, struct loom_arena *arena, struct loom_buf *out,
				     struct loom_str *out_extract, struct loom_err *err) LOOM_MUST;

/* Appends what a model is asked for the summary of one message. Pure. */
void loom_summary_message(struct loom_str title, struct loom_str previous, struct loom_str text,
			  struct loom_buf *out);
/* What a model has said, as one line without quotes around it; in the arena. */
struct loom_str loom_summary_tidy(struct loom_str text, struct loom_arena *arena);

#endif
