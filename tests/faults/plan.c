/* Shared by both shims: the orders and the counters. Runs before main and inside malloc, so it
 * calls nothing that allocates. */
#include "faults/fault.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct fault_state *map_state(const char *path)
{
	void *map = MAP_FAILED;
	int fd = -1;

	if (!path || !path[0])
		return NULL;
	/* by number: open() itself is one of the calls that a shim replaces */
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	map = mmap(NULL, sizeof(struct fault_state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	/* mapped until the process ends */
	/* cppcheck-suppress memleak */
	return map == MAP_FAILED ? NULL : map;
}

void fault_plan_init(struct fault_plan *plan)
{
	const char *at = getenv("LOOM_FAULT_AT");
	const char *sticky = getenv("LOOM_FAULT_STICKY");

	plan->at = at ? strtoull(at, NULL, 10) : 0;
	plan->sticky = sticky && sticky[0] == '1';
	plan->state = map_state(getenv("LOOM_FAULT_STATE"));
	if (!plan->state)
		plan->state = &plan->own;
}

bool fault_due(struct fault_plan *plan)
{
	uint64_t call = atomic_fetch_add(&plan->state->calls, 1) + 1;

	if (!plan->at || (plan->sticky ? call < plan->at : call != plan->at))
		return false;
	atomic_fetch_add(&plan->state->failed, 1);
	return true;
}
