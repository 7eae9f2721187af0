/* Between the actor and the classifier. */
#ifndef TOOL_ACT_IMPL_H
#define TOOL_ACT_IMPL_H

#include <loom/act.h>

/* Whether a classifier may be asked about the line: not understood, and nothing in it that turns
 * its meaning. */
bool tool_may_classify(const struct loom_refusal *refusal);
/* What it is asked: the table of commands and the line. Lives in the arena. */
void tool_classify_request(struct loom_arena *arena, const struct loom_refusal *refusal,
			   struct loom_generate_request *out);
/* Reads its answer; it counts only if it parses and everything in it stands in the line. */
bool tool_classify_read(struct loom_arena *arena, const struct loom_refusal *refusal,
			struct loom_str answer, struct loom_call *out);

#endif
