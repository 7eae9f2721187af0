/* A sample of a grove's text for the embedded model to learn from. */
#ifndef LOOM_GROVE_TEXT_H
#define LOOM_GROVE_TEXT_H

#include <loom/grove/store.h>

/* Appends texts of the grove's newest nodes, most recently active trees first, until *out has about
 * `max` bytes. The same grove always gives the same text. Texts that cannot be read are skipped. */
void loom_grove_text(struct loom_store *store, size_t max, struct loom_buf *out);

#endif
