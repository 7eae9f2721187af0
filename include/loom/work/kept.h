/* What operations replaced beside the grove: the bytes of files, so that undo puts them back
 * exactly. Rows belong to this machine alone, like the files. */
#ifndef LOOM_KEPT_H
#define LOOM_KEPT_H

#include <loom/base/hash.h>
#include <loom/grove/store.h>

/* The most bytes that one operation keeps. */
#define LOOM_KEPT_MAX ((size_t)64 << 20)

enum loom_kept_kind {
	LOOM_KEPT_FILE,   /* a file: its path from the project's root */
	LOOM_KEPT_SHARE,  /* what a thread was given: its id */
	LOOM_KEPT_STATUS, /* a thread's status: its id */
};

/* One thing that an operation changed. Turning it back puts `bytes` in the place of what the
 * operation left, which has the hash `now`. */
struct loom_kept {
	int64_t id; /* of its row; 0: not stored yet */
	enum loom_kept_kind kind;
	struct loom_str name;
	struct loom_str bytes; /* p NULL: there was nothing */
	bool is_now;           /* the operation left something … */
	struct loom_hash now;  /* … that has this hash */
};

/* Inside an operation: keeps what it replaced. */
enum loom_status loom_kept_add(struct loom_store *store, int64_t op, const struct loom_kept *kept,
			       struct loom_err *err) LOOM_MUST;
/* Lists what an operation replaced, first to last, in the arena. */
enum loom_status loom_kept_list(struct loom_store *store, int64_t op, struct loom_arena *arena,
				struct loom_kept **out, size_t *out_count,
				struct loom_err *err) LOOM_MUST;
/* Inside a write: replaces a row, once it was turned. */
enum loom_status loom_kept_set(struct loom_store *store, const struct loom_kept *kept,
			       struct loom_err *err) LOOM_MUST;

#endif
