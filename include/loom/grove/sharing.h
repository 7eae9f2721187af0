/* A grove that the accounts of one group work in. Its folder is 2770 and its files are 0660,
 * whatever the umask, and the group stands in the grove's row: where the two do not agree it is not
 * opened. Who is in the group can write the file itself, so that what loom keeps apart between them
 * is manners, not a wall. What one agrees to, grants, signs with and drafts stays each account's
 * own, outside of it. */
#ifndef LOOM_SHARING_H
#define LOOM_SHARING_H

#include <loom/grove/store.h>

/* Nobody but its owner. */
#define LOOM_PRIVATE (-1)

/* Whose members may write into the grove; LOOM_PRIVATE. */
int64_t loom_store_group(const struct loom_store *store);
/* The group that is meant by a name or number, or by none (this account's first, or that of a
 * folder that hands its own on). LOOM_NOT_FOUND; LOOM_REFUSED for one that this account is not in,
 * or alone in. */
enum loom_status loom_share_group(struct loom_str name, struct loom_str dir, int64_t *out,
				  struct loom_err *err) LOOM_MUST;
/* The first folder on the way to `dir` that the group cannot pass through, appended; nothing when
 * it can. */
void loom_share_closed(struct loom_str dir, int64_t group, struct loom_buf *out);
/* A project folder that was made for it: the group's own, and so is what is made in there. */
enum loom_status loom_share_folder(struct loom_str dir, int64_t group,
				   struct loom_err *err) LOOM_MUST;

#endif
