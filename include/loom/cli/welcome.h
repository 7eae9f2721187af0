/* The tutorial: a small real tree that teaches as you walk through it and write in it. */
#ifndef LOOM_WELCOME_H
#define LOOM_WELCOME_H

#include <loom/tree/tree.h>

/* Creates the tutorial tree as one operation of `actor` and makes it the current tree. If an older
 * copy exists, the title gets a number, because the texts refer to titles. */
enum loom_status loom_welcome_make(struct loom_store *store, int64_t actor, int64_t *out_tree,
				   struct loom_err *err) LOOM_MUST;

#endif
