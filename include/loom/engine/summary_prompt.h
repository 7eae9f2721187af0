/* The prompts for summaries, and the tidying of their answers. */
#ifndef LOOM_SUMMARY_PROMPT_H
#define LOOM_SUMMARY_PROMPT_H

#include <loom/tree/job.h>

#define LOOM_SUMMARY_TOKENS 50

/* Appends the prompt for a summary of a node, document or tree. *out_extract (nullable) is the text
 * that stands in without a model, in the arena. Fails with LOOM_NOT_FOUND when the target does not
 * exist (any more). */
enum loom_status loom_summary_prompt(struct loom_store *store, enum loom_job_kind kind,
				     int64_t target, struct loom_arena *arena, struct loom_buf *out,
				     struct loom_str *out_extract, struct loom_err *err) LOOM_MUST;

/* Appends the prompt for a summary of one message. Pure. */
void loom_summary_message(struct loom_str title, struct loom_str previous, struct loom_str text,
			  struct loom_buf *out);
/* Returns a model's answer as one line without quotes around it, in the arena. */
struct loom_str loom_summary_tidy(struct loom_str text, struct loom_arena *arena);

#endif
