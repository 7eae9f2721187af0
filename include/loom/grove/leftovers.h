/* What killed programs have left behind in a grove's folders (loom/files/half_made.h). */
#ifndef LOOM_LEFTOVERS_H
#define LOOM_LEFTOVERS_H

#include <loom/grove/store.h>

/* Names what lies in the grove's folders, its project's and its threads', and would be swept. */
void loom_leftover_list(const struct loom_store *store, loom_finding_fn finding, void *ctx);

#endif
