/* A piece of what a grove says, for the embedded model to learn from. */
#ifndef LOOM_GROVE_TEXT_H
#define LOOM_GROVE_TEXT_H

#include <loom/grove/store.h>

/* Appends texts of the grove's newest nodes, the last active trees first, until about `max` bytes
 * are there. The same grove gives the same text; what cannot be read is left out. */
void loom_grove_text(struct loom_store *store, size_t max, struct loom_buf *out);

#endif
