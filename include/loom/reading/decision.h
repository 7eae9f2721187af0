/* Decisions about nodes: a prune, a keep-only, a rating. Going on from a node is none. */
#ifndef LOOM_READING_DECISION_H
#define LOOM_READING_DECISION_H

#include <loom/tree/mark.h>
#include <loom/tree/node.h>

/* Id, name, whether it speaks for the node. */
#define LOOM_DECISION_LIST(X)                                                                      \
	X(NONE, "", false)                                                                         \
	X(PRUNED, "pruned", false)                                                                 \
	X(KEPT, "kept", true) /* its siblings were pruned beside it */                             \
	X(GOOD, LOOM_TAG_GOOD, true)                                                               \
	X(BAD, LOOM_TAG_BAD, false)

enum loom_decision_kind {
#define X(id, name, good) LOOM_DECISION_##id,
	LOOM_DECISION_LIST(X)
#undef X
};
/* Returns the name of a kind: "pruned", "kept", or the tag of a rating. Static. */
const char *loom_decision_name(enum loom_decision_kind kind);
/* Returns whether a decision of this kind speaks for the node. */
bool loom_decision_is_good(enum loom_decision_kind kind);

struct loom_decision {
	int64_t node;
	enum loom_decision_kind kind;
	int64_t op; /* the operation that made it; of one that came in a file, the import */
	int64_t by; /* agent; 0: it came in a file, which does not say */
	int64_t at; /* ms */
};
/* Lists the last decision about each node of a tree that still holds, by node, in the arena. A
 * fixed number of statements. */
enum loom_status loom_decisions(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				struct loom_decision **out, size_t *out_count,
				struct loom_err *err) LOOM_MUST;
/* Finds a node in such a list; NULL if nothing was decided about it. */
const struct loom_decision *loom_decision_of(const struct loom_decision *list, size_t count,
					     int64_t node);

#endif
