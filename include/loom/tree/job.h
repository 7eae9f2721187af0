/* Work that waits to be done in the background: summaries of nodes, documents and trees. A row a
 * piece of work, claimed by one session at a time; a claim ends with its session. Nothing of it is
 * an operation: a summary is derived, and may be made again. */
#ifndef LOOM_JOB_H
#define LOOM_JOB_H

#include <loom/grove/presence.h>

/* name, word */
#define LOOM_JOB_KIND_LIST(X)                                                                      \
	X(NODE, "node")                                                                            \
	X(DOC, "doc")                                                                              \
	X(TREE, "tree")
enum loom_job_kind {
#define X(name, word) LOOM_JOB_##name,
	LOOM_JOB_KIND_LIST(X)
#undef X
};
/* Lives for ever. */
const char *loom_job_kind_word(enum loom_job_kind kind);

enum loom_job_state { LOOM_JOB_WAITS, LOOM_JOB_CLAIMED, LOOM_JOB_FAILED };
/* "waits", "running", "failed". Lives for ever. */
const char *loom_job_state_word(enum loom_job_state state);

struct loom_summary_job {
	int64_t id;
	enum loom_job_kind kind;
	int64_t target;            /* a node, a document, a tree */
	enum loom_job_state state; /* of a dead session's claim: waits */
	struct loom_str session;
	int64_t at;
};

/* Queues a summary, unless it is queued; one that failed waits again, and so does a document's or a
 * tree's that is being made: its text has changed meanwhile. Inside a write. */
enum loom_status loom_job_put(struct loom_store *store, enum loom_job_kind kind, int64_t target,
			      struct loom_err *err) LOOM_MUST;
/* All of them, oldest first, at most `limit`. */
enum loom_status loom_job_list(struct loom_store *store, size_t limit, struct loom_arena *arena,
			       struct loom_summary_job **out, size_t *out_count,
			       struct loom_err *err) LOOM_MUST;
/* Claims the oldest that nobody alive has (target 0), or the one of this kind and target. *out's id
 * is 0 when there is none. Inside a write. */
enum loom_status loom_job_claim(struct loom_store *store, const struct loom_session *session,
				enum loom_job_kind kind, int64_t target, struct loom_arena *arena,
				struct loom_summary_job *out, struct loom_err *err) LOOM_MUST;
/* It is over. `failed`: it stays, and is not claimed again until it is queued again. Inside a
 * write. */
enum loom_status loom_job_end(struct loom_store *store, int64_t id, bool failed,
			      struct loom_err *err) LOOM_MUST;

/* What came of it. `extract`: a model's may replace it, and it replaces no model's. Inside a write.
 */
enum loom_status loom_summary_keep(struct loom_store *store, enum loom_job_kind kind,
				   int64_t target, struct loom_str summary, bool extract,
				   struct loom_err *err) LOOM_MUST;

#endif
