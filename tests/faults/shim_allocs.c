/* A preloaded library that fails the n-th allocation. It stands in front of the C library's own
 * entry points, which are called by their internal names, so that no look-up allocates. */
#include "faults/fault.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t unit, size_t size);

static struct fault_plan plan;

__attribute__((constructor)) static void begin(void)
{
	fault_plan_init(&plan);
}

/* Before the orders are read nothing counts: the loader's own allocations are not ours to fail. */
static bool fails(void)
{
	if (!plan.state || !fault_due(&plan))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t unit, size_t size)
{
	return fails() ? NULL : __libc_memalign(unit, size);
}

int posix_memalign(void **out, size_t unit, size_t size)
{
	void *p = fails() ? NULL : __libc_memalign(unit, size);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}
