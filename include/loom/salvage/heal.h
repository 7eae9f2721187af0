/* Heals a fork: the grove takes the way of its log. What only this file has is told line by line,
 * its texts become drafts, and the file itself is kept beside the grove. */
#ifndef LOOM_HEAL_H
#define LOOM_HEAL_H

#include <loom/base/arena.h>
#include <loom/salvage/restore.h>

struct loom_healed {
	struct loom_str *lines; /* the operations that the log does not have, oldest first */
	size_t count;
	size_t drafts;                /* texts of theirs that are drafts now */
	char kept[LOOM_RESTORE_PATH]; /* where the old file is */
};

/* Fetches the log's grove and puts it in the place of the one in `dir`, which nobody has open;
 * lines are in the arena. LOOM_BUSY names who has it open, LOOM_OFFLINE; nothing is changed then.
 */
enum loom_status loom_heal_fork(struct loom_env *env, struct loom_str dir, struct loom_str url,
				struct loom_arena *arena, struct loom_healed *out,
				struct loom_err *err) LOOM_MUST;

/* The result of comparing a grove with its log. */
struct loom_log_opinion {
	void (*finding)(void *ctx, struct loom_str what);
	void *ctx;
	bool compared;   /* the rows were; not if it is forked, or others write without a pause */
	int64_t entries; /* up to which they were */
};
/* Compares all that is shared with what the log makes of its first state and its entries, in a
 * grove beside this one, which is removed. LOOM_OFFLINE. */
enum loom_status loom_log_compare(struct loom_env *env, struct loom_str dir,
				  struct loom_log_opinion *out, struct loom_err *err) LOOM_MUST;

#endif
