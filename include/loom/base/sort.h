/* Sorts numbers in place. */
#ifndef LOOM_SORT_H
#define LOOM_SORT_H

#include <loom/base/base.h>

/* Sorts ascending, in place: unlike qsort it never allocates, however many there are. */
void loom_sort_u64(uint64_t *items, size_t count);
/* Returns the index of the first sorted item that is not below `wanted`; `count` if there is
 * none. */
size_t loom_lower_u64(const uint64_t *items, size_t count, uint64_t wanted);

#endif
