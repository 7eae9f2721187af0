/* The prompts for summaries, and the tidying of their answers. */
#ifndef LOOM_SUMMARY_PROMPT_H
#define LOOM_SUMMARY_PROMPT_H

#include <loom/tree/job.h>

#define LOOM_SUMMARY_TOKENS      50
#define LOOM_SUMMARY_TEXT        8000 /* bytes of a text that is summarized; the rest is not read */
#define LOOM_SUMMARY_PATH_TOKENS 250
#define LOOM_SUMMARY_PATH_BYTES  12000 /* of all texts of a path together */

/* Appends the prompt for a summary of a node, document or tree. *out_extract (nullable) is the text
 * that stands in without a model, in the arena. Fails with LOOM_NOT_FOUND when the target does not
 * exist (any more). */
enum loom_status loom_summary_prompt(struct loom_store *store, enum loom_job_kind kind,
				     int64_t target, struct loom_arena *arena, struct loom_buf *out,
				     struct loom_str *out_extract, struct loom_err *err) LOOM_MUST;

/* Lists the nodes that a tree's prompt tells of and no model has summed up yet, in the arena. Fails
 * with LOOM_NOT_FOUND when the tree does not exist. */
enum loom_status loom_summary_lacks(struct loom_store *store, int64_t tree,
				    struct loom_arena *arena, int64_t **out, size_t *out_count,
				    struct loom_err *err) LOOM_MUST;

/* Appends the prompt for a summary of one message. Pure. */
void loom_summary_message(struct loom_str title, struct loom_str previous, struct loom_str text,
			  struct loom_buf *out);
/* Appends the prompt for a summary of the texts along a path, each after its id. Pure. */
void loom_summary_path(struct loom_str title, struct loom_str texts, struct loom_buf *out);
/* Appends the prompt for a summary of the beginning of a conversation, in at most about `tokens`
 * tokens. `so_far` sums up what came before; empty: nothing did. Pure. */
void loom_summary_talk(struct loom_str title, struct loom_str so_far, struct loom_str talk,
		       int64_t tokens, struct loom_buf *out);
/* Returns a model's answer as one line without quotes around it, in the arena. */
struct loom_str loom_summary_tidy(struct loom_str text, struct loom_arena *arena);

#endif
