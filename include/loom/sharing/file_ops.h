/* Operations on files beside the grove: `.leslie/` and the lists of contexts. They are listed among
 * the grove's operations; undo reverses those that kept what they replaced (turn_files.h), and each
 * row names the command that does it otherwise. */
#ifndef LOOM_OUTSIDE_H
#define LOOM_OUTSIDE_H

#include <loom/leslie/leslie.h>
#include <loom/payload/payload.h>
#include <loom/grove/store.h>
#include <loom/work/kept.h>

enum loom_outside_act {
	LOOM_OUTSIDE_OBJECTIVE,
	LOOM_OUTSIDE_SPAWN,
	LOOM_OUTSIDE_REF,
	LOOM_OUTSIDE_UNREF,
	LOOM_OUTSIDE_REFRESH,
	LOOM_OUTSIDE_SUSPEND,
	LOOM_OUTSIDE_RESUME,
	LOOM_OUTSIDE_FINISH, /* done, cancelled or archived */
	LOOM_OUTSIDE_TRANSCRIPT,
	LOOM_OUTSIDE_PLAN,
	LOOM_OUTSIDE_ADD,
	LOOM_OUTSIDE_REMOVE,
	LOOM_OUTSIDE_MOVE,
	LOOM_OUTSIDE_SESSION,
	LOOM_OUTSIDE_TURN,
};

/* One operation. Texts are borrowed; fields that an act does not use stay empty. */
struct loom_outside {
	enum loom_outside_act act;
	struct loom_str subject;      /* a thread, a scope of contexts, an objective's title */
	struct loom_str object;       /* the thread it references, the paths, the new state */
	const struct loom_kept *kept; /* what it replaced, first to last, for undo */
	size_t kept_count;
	struct loom_str root; /* where the names of the files begin; empty: the project's root */
};

/* Returns the act that a step in a thread's life is. */
enum loom_outside_act loom_outside_step(enum loom_leslie_action action);
/* Returns the act that a change to a list of contexts is. */
enum loom_outside_act loom_outside_edit(enum loom_payload_edit edit);
/* Returns how the operation is listed, and the command that reverses it; in the arena. */
struct loom_str loom_outside_text(const struct loom_outside *what, struct loom_arena *arena);
const char *loom_outside_inverse(const struct loom_outside *what, struct loom_arena *arena);
/* Inside an operation: lists it although nothing in the store changes, and keeps what it replaced.
 * Of files that are not below the project's root nothing is kept. */
enum loom_status loom_outside_keep(struct loom_store *store, const struct loom_outside *what,
				   struct loom_err *err) LOOM_MUST;
/* Adds the row to the grove's operations, in a write of its own. `store` must be open with
 * LOOM_WRITE. Fails as the store does. */
enum loom_status loom_outside_list(struct loom_store *store, int64_t actor,
				   const struct loom_outside *what, struct loom_err *err) LOOM_MUST;

#endif
