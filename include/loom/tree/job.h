/* Background work: summaries of nodes, documents and trees. Each job is a row, claimed by one
 * session at a time; a claim ends with its session. None of it is an operation: a summary is
 * derived and can be made again. */
#ifndef LOOM_JOB_H
#define LOOM_JOB_H

#include <loom/grove/presence.h>
#include <loom/tree/node.h>

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
/* Returns the kind's word. Static. */
const char *loom_job_kind_word(enum loom_job_kind kind);

enum loom_job_state { LOOM_JOB_WAITS, LOOM_JOB_CLAIMED, LOOM_JOB_FAILED };
/* Returns "waits", "running" or "failed". Static. */
const char *loom_job_state_word(enum loom_job_state state);

struct loom_summary_job {
	int64_t id;
	enum loom_job_kind kind;
	int64_t target;            /* row of a node, a document or a tree */
	enum loom_job_state state; /* a dead session's claim counts as waiting */
	struct loom_str session;
	int64_t at;
};

/* From now on, a summary that is due is made at once, as an extract, because nobody has a model for
 * it; or it is queued again. */
void loom_summary_extracts(struct loom_store *store, bool extracts);
/* Returns whether it is so. */
bool loom_summary_at_once(const struct loom_store *store);
/* Inside a write: queues a summary, or keeps an extract at once. */
enum loom_status loom_summary_due(struct loom_store *store, enum loom_job_kind kind, int64_t target,
				  struct loom_err *err) LOOM_MUST;
/* Returns whether no model has summed up a node, as far as was read of it. */
bool loom_node_bare(const struct loom_node *node);
/* Finds what stands in for a summary: the first sentence of a node or document, and for a tree that
 * of its description or its first node. In the arena. Fails with LOOM_NOT_FOUND when the target
 * does not exist (any more). */
enum loom_status loom_summary_extract(struct loom_store *store, enum loom_job_kind kind,
				      int64_t target, struct loom_arena *arena,
				      struct loom_str *out, struct loom_err *err) LOOM_MUST;
/* Inside a write: queues a summary unless it is queued already. A failed one waits again, and so
 * does a document's or tree's that is in progress, because its text has changed since. */
enum loom_status loom_job_put(struct loom_store *store, enum loom_job_kind kind, int64_t target,
			      struct loom_err *err) LOOM_MUST;
/* Inside a write: the same, but one that is queued or has failed stays as it is; *out says whether
 * it was queued. */
enum loom_status loom_job_put_new(struct loom_store *store, enum loom_job_kind kind, int64_t target,
				  bool *out, struct loom_err *err) LOOM_MUST;
/* Inside a write: gives a claimed job back. */
enum loom_status loom_job_leave(struct loom_store *store, int64_t id,
				struct loom_err *err) LOOM_MUST;
/* Lists all jobs, oldest first, at most `limit`, in the arena. */
enum loom_status loom_job_list(struct loom_store *store, size_t limit, struct loom_arena *arena,
			       struct loom_summary_job **out, size_t *out_count,
			       struct loom_err *err) LOOM_MUST;
/* Inside a write: claims the oldest job that no living session has (target 0), or the one of this
 * kind and target. *out's id is 0 if there is none. In the arena. */
enum loom_status loom_job_claim(struct loom_store *store, const struct loom_session *session,
				enum loom_job_kind kind, int64_t target, struct loom_arena *arena,
				struct loom_summary_job *out, struct loom_err *err) LOOM_MUST;
/* Inside a write: ends a job. With `failed` it stays, unclaimed until it is queued again. */
enum loom_status loom_job_end(struct loom_store *store, int64_t id, bool failed,
			      struct loom_err *err) LOOM_MUST;

/* A job that ended with an extract. */
struct loom_swept {
	struct loom_summary_job job;
	struct loom_str extract;
};
#define LOOM_SWEEP_MAX 100
/* In a write of its own, if anything waits: ends the oldest waiting jobs, at most LOOM_SWEEP_MAX,
 * with extracts. The list is in the arena. */
enum loom_status loom_job_sweep(struct loom_store *store, struct loom_arena *arena,
				struct loom_swept **out, size_t *out_count,
				struct loom_err *err) LOOM_MUST;

/* Inside a write: stores a summary. An `extract` may be replaced by a model's summary, but never
 * replaces one. */
enum loom_status loom_summary_keep(struct loom_store *store, enum loom_job_kind kind,
				   int64_t target, struct loom_str summary, bool extract,
				   struct loom_err *err) LOOM_MUST;

#endif
