/* The guided first loom: a small real tree that teaches by being walked and written in. */
#ifndef LOOM_WELCOME_H
#define LOOM_WELCOME_H

#include <loom/tree/tree.h>

/* One operation of `actor`'s: the tree with its nodes, and it becomes the current one. Beside an
 * older copy its title has a number, so that titles lead where the texts say. */
enum loom_status loom_welcome_make(struct loom_store *store, int64_t actor, int64_t *out_tree,
				   struct loom_err *err) LOOM_MUST;

#endif
