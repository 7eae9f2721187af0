/* What killed programs have left behind in a grove's folders (loom/files/half_made.h). */
#ifndef LOOM_LEFTOVERS_H
#define LOOM_LEFTOVERS_H

#include <loom/grove/store.h>

/* Names what would be swept: in the grove's folders, its project's and its threads', beside the
 * project, and where its last backups were made. */
void loom_leftover_list(struct loom_store *store, loom_finding_fn finding, void *ctx);
/* A backup is about to be made in that folder: it is one to look in. */
void model_backup_place(struct loom_store *store, const char *dir);

#endif
