/* What a killed program leaves behind: files and folders that were being made.
 *
 * Such a name ends in 16 hex digits that were drawn (FILE.part-…, .new-…, .loom-…), and is held
 * under flock as long as its maker lives. What nobody holds is nobody's, and goes when the next one
 * makes something there; what a person called so alike has no such name. */
#ifndef LOOM_LEFTOVER_H
#define LOOM_LEFTOVER_H

#include <loom/store.h>

/* Names what lies in the grove's folders, its project's and its threads', and would be swept. */
void loom_leftover_list(const struct loom_store *store, loom_finding_fn finding, void *ctx);

#endif
