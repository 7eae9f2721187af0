/* For coverage builds only: a child that ends by _exit still records the lines it ran, and one that
 * forbids itself all files can still write them. A child with a small file-size limit records
 * nothing, because half a file of counts would spoil the rest. */
#include <stdbool.h>
#include <sys/resource.h>

extern void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __real_setrlimit(int resource, const struct rlimit *limit);
int __wrap_setrlimit(int resource, const struct rlimit *limit);

static bool cut_short; /* of this process; what is wrapped has no place for a context */

_Noreturn void __wrap__exit(int status)
{
	if (!cut_short)
		__gcov_dump();
	__real__exit(status);
}

int __wrap_setrlimit(int resource, const struct rlimit *limit)
{
	if (!limit->rlim_cur && resource != RLIMIT_CORE)
		return 0;
	cut_short |= resource == RLIMIT_FSIZE;
	return __real_setrlimit(resource, limit);
}
