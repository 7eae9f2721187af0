/* Drafts: text that is not in the tree yet. Unsent text of the user (half-written nodes, the losing
 * side of a conflict) is kept in files in the state directory, outside the grove. */
#ifndef LOOM_DRAFT_H
#define LOOM_DRAFT_H

#include <loom/grove/store.h>

/* The reason of a draft that only waits until the shared log can be reached again. */
#define LOOM_DRAFT_WAITS "the shared log could not be reached"

struct loom_draft {
	struct loom_str id;     /* "draft-1a2b3c4d" */
	struct loom_str kind;   /* "text", "edit", "line" (a command), "conflict", "document" */
	struct loom_str tree;   /* ULID text or empty */
	struct loom_str anchor; /* local id or document name */
	struct loom_str text;
	struct loom_str why;   /* the change it conflicted with, or empty */
	struct loom_str folds; /* what the screen had folded, in its own notation; or empty */
	struct loom_str op;    /* the operation that it was to be, in hex; empty: see below */
	int64_t saved;
};

enum { LOOM_DRAFT_OP = 16 };
/* Gives the 128-bit id of the operation that a draft becomes, however often it is sent: the one
 * that it names, or one made of its name and of what it says. */
void loom_draft_op(const struct loom_draft *draft, uint8_t out[LOOM_DRAFT_OP]);

/* Gives a new draft its name, in the arena. */
struct loom_str loom_draft_name(struct loom_arena *arena);

/* Saves a draft durably; with an empty id, as a new one. *out_id is in the arena. */
enum loom_status loom_draft_save(struct loom_store *store, const struct loom_draft *draft,
				 struct loom_arena *arena, struct loom_str *out_id,
				 struct loom_err *err) LOOM_MUST;
/* Lists all drafts, newest first, in the arena. */
enum loom_status loom_draft_list(struct loom_store *store, struct loom_arena *arena,
				 struct loom_draft **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* Loads a draft by its id; texts go to the arena. LOOM_NOT_FOUND if there is none, also for a
 * malformed id. */
enum loom_status loom_draft_get(struct loom_store *store, struct loom_str id,
				struct loom_arena *arena, struct loom_draft *out,
				struct loom_err *err) LOOM_MUST;
/* Deletes a draft permanently. LOOM_NOT_FOUND if there is none. */
enum loom_status loom_draft_drop(struct loom_store *store, struct loom_str id,
				 struct loom_err *err) LOOM_MUST;
/* Holds a draft as the one that this process writes, until loom_draft_release or its end. A draft
 * need not exist yet. LOOM_CONFLICT if another process holds it. */
enum loom_status loom_draft_hold(struct loom_store *store, struct loom_str id, int *out_hold,
				 struct loom_err *err) LOOM_MUST;
/* Ends the holding of a draft; `hold` below 0 does nothing. */
void loom_draft_release(struct loom_store *store, struct loom_str id, int hold);

#endif
