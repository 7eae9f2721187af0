#include "faults/path_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* No signal interrupts for ever, and what is interrupted is tried again for ever. */
#define STICKY_CALLS 40

static struct {
	const struct call_plan *plan; /* NULL: nothing fails */
	int64_t calls;
	bool fired;
} state;

void calls_arm(const struct call_plan *plan)
{
	state.plan = plan;
	state.calls = 0;
	state.fired = false;
}

bool calls_disarm(void)
{
	state.plan = NULL;
	return state.fired;
}

/* 0, an errno that is set already, or CALL_CUT. */
static int due(const char *name)
{
	const struct call_plan *plan = state.plan;

	if (!plan || (plan->only && strcmp(plan->only, name) != 0))
		return 0;
	state.calls++;
	if (!plan->at || state.calls < plan->at ||
	    state.calls >= plan->at + (plan->sticky ? STICKY_CALLS : 1))
		return 0;
	state.fired = true;
	errno = plan->error > 0 ? plan->error : errno;
	return plan->error;
}

#define WRAP(result, name, parameters, arguments)                                                  \
	result __real_##name parameters;                                                           \
	result __wrap_##name parameters;                                                           \
	result __wrap_##name parameters                                                            \
	{                                                                                          \
		return due(#name) > 0 ? -1 : __real_##name arguments;                              \
	}

WRAP(ssize_t, read, (int fd, void *out, size_t n), (fd, out, n))
WRAP(int, fstat, (int fd, struct stat *st), (fd, st))
WRAP(int, fstatat, (int dir, const char *name, struct stat *st, int flags), (dir, name, st, flags))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(ssize_t, getrandom, (void *out, size_t n, unsigned flags), (out, n, flags))
WRAP(int, renameat, (int from, const char *name, int to, const char *new), (from, name, to, new))
WRAP(int, mkdirat, (int dir, const char *name, mode_t mode), (dir, name, mode))

/* Errors that this kind of file system always returns. */
static bool lacks(bool what, int error)
{
	errno = what ? error : errno;
	return what;
}

int __real_renameat2(int from, const char *name, int to, const char *new, unsigned flags);
int __wrap_renameat2(int from, const char *name, int to, const char *new, unsigned flags);

int __wrap_renameat2(int from, const char *name, int to, const char *new, unsigned flags)
{
	if (due("renameat2") > 0 || lacks(state.plan && state.plan->no_flags && flags, EINVAL))
		return -1;
	return __real_renameat2(from, name, to, new, flags);
}

int __real_linkat(int from, const char *name, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *name, int to, const char *new, int flags);

int __wrap_linkat(int from, const char *name, int to, const char *new, int flags)
{
	if (due("linkat") > 0 || lacks(state.plan && state.plan->no_links, EPERM))
		return -1;
	return __real_linkat(from, name, to, new, flags);
}

ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
	int how = due("write");

	return how > 0 ? -1 : __real_write(fd, bytes, how == CALL_CUT ? (n + 1) / 2 : n);
}

int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	(void)fd;
	return due("fsync") > 0 ? -1 : 0;
}

ssize_t __real_readlink(const char *path, char *out, size_t n);
ssize_t __wrap_readlink(const char *path, char *out, size_t n);

ssize_t __wrap_readlink(const char *path, char *out, size_t n)
{
	int how = due("readlink");

	if (how != CALL_CUT)
		return how ? -1 : __real_readlink(path, out, n);
	memset(out, '/', n);
	return (ssize_t)n;
}

ssize_t __real_getdents64(int fd, void *out, size_t n);
ssize_t __wrap_getdents64(int fd, void *out, size_t n);

ssize_t __wrap_getdents64(int fd, void *out, size_t n)
{
	ssize_t got = due("getdents64") > 0 ? -1 : __real_getdents64(fd, out, n);

	for (ssize_t at = 0; state.plan && state.plan->no_kinds && at < got;) {
		struct dirent64 *item = (void *)((char *)out + at);

		item->d_type = DT_UNKNOWN;
		at += item->d_reclen;
	}
	return got;
}

static mode_t mode_of(int flags, va_list args)
{
	bool has = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;

	return has ? va_arg(args, mode_t) : 0;
}

int __real_openat(int dir, const char *name, int flags, ...);
int __wrap_openat(int dir, const char *name, int flags, ...);

int __wrap_openat(int dir, const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	if (due("openat") > 0 ||
	    lacks(state.plan && state.plan->no_nameless && (flags & O_TMPFILE) == O_TMPFILE,
		  EOPNOTSUPP))
		return -1;
	return __real_openat(dir, name, flags, mode);
}

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);

int __wrap_open(const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return due("open") > 0 ? -1 : __real_open(name, flags, mode);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* The house makes openat2 by number, with four arguments. */
long __wrap_syscall(long number, ...)
{
	long args[4];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_openat2 && due("openat2") > 0)
		return -1;
	return __real_syscall(number, args[0], args[1], args[2], args[3]);
}
