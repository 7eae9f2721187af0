/* Drafts: text that is not yet in the tree. Unsent text (mine: half-written nodes, the losing side
 * of a conflict) is kept as files in the state directory, outside the grove. */
#ifndef LOOM_DRAFT_H
#define LOOM_DRAFT_H

#include <loom/grove/store.h>

struct loom_draft {
	struct loom_str id;     /* "draft-1a2b3c4d" */
	struct loom_str kind;   /* "text", "edit", "conflict", "document" */
	struct loom_str tree;   /* ULID text or empty */
	struct loom_str anchor; /* local id or document name */
	struct loom_str text;
	struct loom_str why; /* what it lost against, or empty */
	struct loom_str
		folds; /* of the screen: what it showed folded, in its own words; or empty */
	int64_t saved;
};

/* Keeps it durably; an empty id makes one. *out_id is in the arena. */
enum loom_status loom_draft_save(struct loom_store *store, const struct loom_draft *draft,
				 struct loom_arena *arena, struct loom_str *out_id,
				 struct loom_err *err) LOOM_MUST;
/* Newest first. */
enum loom_status loom_draft_list(struct loom_store *store, struct loom_arena *arena,
				 struct loom_draft **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* By its id, text in the arena. LOOM_NOT_FOUND, for what can be no id as well. */
enum loom_status loom_draft_get(struct loom_store *store, struct loom_str id,
				struct loom_arena *arena, struct loom_draft *out,
				struct loom_err *err) LOOM_MUST;
/* Removes it for good. LOOM_NOT_FOUND when it is not there. */
enum loom_status loom_draft_drop(struct loom_store *store, struct loom_str id,
				 struct loom_err *err) LOOM_MUST;

#endif
