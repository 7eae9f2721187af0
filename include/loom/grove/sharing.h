/* A grove that is shared with a group of accounts. Its folder has mode 2770 and its files 0660,
 * whatever the umask, and the grove's row names the group; if the two disagree, the grove is not
 * opened. Members of the group can write the file itself, so what loom separates between them is
 * convention, not protection. Consent, grants, keys and drafts stay with each account, outside the
 * grove. */
#ifndef LOOM_SHARING_H
#define LOOM_SHARING_H

#include <loom/grove/store.h>

/* Not shared. */
#define LOOM_PRIVATE (-1)

/* Returns the group that shares the grove, or LOOM_PRIVATE. */
int64_t loom_store_group(const struct loom_store *store);
/* Finds the group to share with, by name or number; for an empty name the group of a setgid folder,
 * otherwise this account's first. LOOM_NOT_FOUND; LOOM_REFUSED if this account is not in the group,
 * or alone in it. */
enum loom_status loom_share_group(struct loom_str name, struct loom_str dir, int64_t *out,
				  struct loom_err *err) LOOM_MUST;
/* Appends the first folder on the way to `dir` that the group cannot pass through; nothing if it
 * can. */
void loom_share_closed(struct loom_str dir, int64_t group, struct loom_buf *out);
/* Gives a new project folder, and whatever is created in it, to the group. */
enum loom_status loom_share_folder(struct loom_str dir, int64_t group,
				   struct loom_err *err) LOOM_MUST;

#endif
