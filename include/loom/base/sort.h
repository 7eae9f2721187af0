/* Sorting numbers where they stand. */
#ifndef LOOM_SORT_H
#define LOOM_SORT_H

#include <loom/base/base.h>

/* Ascending, in place: unlike qsort it takes no memory, however many there are. */
void loom_sort_u64(uint64_t *items, size_t count);
/* The first of sorted ones that is not below `wanted`; `count` when there is none. */
size_t loom_lower_u64(const uint64_t *items, size_t count, uint64_t wanted);

#endif
