/* Undo of what operations changed beside the grove: files, what a thread was given, its status.
 * What they replaced is kept (kept.h); it goes back only while nobody has changed it since. */
#ifndef LOOM_TURN_FILES_H
#define LOOM_TURN_FILES_H

#include <loom/leslie/leslie.h>
#include <loom/payload/payload.h>
#include <loom/work/kept.h>

/* Undoes as loom_op_undo does, files included. */
enum loom_status loom_outside_undo(struct loom_store *store, int64_t actor, int64_t op,
				   int64_t *out_op, struct loom_err *err) LOOM_MUST;
/* Redoes as loom_op_redo does, files included. */
enum loom_status loom_outside_redo(struct loom_store *store, int64_t actor, int64_t *out_op,
				   struct loom_err *err) LOOM_MUST;

/* Returns what a thread was given before a change; p NULL if it is too large to keep, or
 * unreadable. */
struct loom_str loom_outside_given(struct loom_leslie *leslie, struct loom_str thread,
				   struct loom_arena *arena);
/* Returns what is kept of a change of what a thread was given, from `before` to what it is now. */
struct loom_kept loom_outside_share(struct loom_leslie *leslie, struct loom_str thread,
				    struct loom_str before, struct loom_arena *arena);
/* Returns what is kept of a file that was `before` (p NULL: none) and is `now`. */
struct loom_kept loom_outside_file(struct loom_str path, struct loom_str before,
				   struct loom_str now);
/* Returns what is kept of a list edit: as many as `edits` has. */
struct loom_kept *loom_outside_edited(const struct loom_payload_edits *edits);
/* Returns what is kept of the global plan, which becomes `now`. */
struct loom_kept loom_outside_plan(struct loom_leslie *leslie, struct loom_str now,
				   struct loom_arena *arena);
/* Returns what is kept of a thread that was spawned: undo cancels it. */
struct loom_kept loom_outside_spawned(struct loom_str thread);
/* Returns what is kept of a step in a thread's life; nothing if no step leads back. */
struct loom_kept loom_outside_stepped(struct loom_str thread, enum loom_leslie_action action,
				      enum loom_leslie_status now);

#endif
