/* How long a person wants the text of a tree to get. It is that person's own, so it is kept outside
 * of the grove and is no operation. */
#ifndef LOOM_GOAL_H
#define LOOM_GOAL_H

#include <loom/grove/store.h>

struct loom_goal {
	int64_t text;    /* words of the text that leads to where one writes; 0: none */
	int64_t session; /* words in one session; 0: none */
};
/* Reads the goal for the tree with this ULID; none are all zero. */
enum loom_status loom_goal_get(struct loom_store *store, const struct loom_ulid *tree,
			       struct loom_goal *out, struct loom_err *err) LOOM_MUST;
/* Sets the goal for a tree; all zero removes it. */
enum loom_status loom_goal_set(struct loom_store *store, const struct loom_ulid *tree,
			       const struct loom_goal *goal, struct loom_err *err) LOOM_MUST;

#endif
