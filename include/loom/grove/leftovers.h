/* Leftovers of killed programs in a grove's folders (see loom/files/half_made.h). */
#ifndef LOOM_LEFTOVERS_H
#define LOOM_LEFTOVERS_H

#include <loom/grove/store.h>

/* Reports every leftover that would be swept: in the folders of the grove, its project and its
 * threads, beside the project, and where its last backups were made. */
void loom_leftover_list(struct loom_store *store, loom_finding_fn finding, void *ctx);
/* Records a folder in which a backup is about to be made, so that leftovers are looked for
 * there. */
void model_backup_place(struct loom_store *store, const char *dir);

#endif
