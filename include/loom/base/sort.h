/* Sorting numbers where they stand. */
#ifndef LOOM_SORT_H
#define LOOM_SORT_H

#include <loom/base/base.h>

/* Ascending, in place: unlike qsort it takes no memory, however many there are. */
void loom_sort_u64(uint64_t *items, size_t count);

#endif
