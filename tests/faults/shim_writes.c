/* A preloaded library that fails the n-th call that changes a file: write, pwrite, their vectors,
 * ftruncate, copy_file_range, fsync, fdatasync, rename, link, unlink, mkdir, and every open that
 * may create or empty. What the C library does inside stdio is out of its reach; the house writes
 * files with write(2).
 *
 * An fd counts when it is a regular file or folder beneath LOOM_FAULT_UNDER, a path when the folder
 * it stands in is. */
#include "faults/fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Besides an errno, what a call may be told to do. */
enum { GO_ON = 0, HALF = -1, DIE = -2 };

static struct fault_plan plan;
static int wanted = ENOSPC;
static char under[PATH_MAX];

/* real_NAME(): the next library's function of that name. */
#define REAL(result, name, ...)                                                                    \
	typedef result(name##_function)(__VA_ARGS__);                                              \
	static name##_function *real_##name(void)                                                  \
	{                                                                                          \
		static name##_function *found;                                                     \
		union {                                                                            \
			void *object;                                                              \
			name##_function *function;                                                 \
		} either;                                                                          \
                                                                                                   \
		if (!found) {                                                                      \
			either.object = dlsym(RTLD_NEXT, #name);                                   \
			found = either.function;                                                   \
		}                                                                                  \
		return found;                                                                      \
	}

REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)
REAL(ssize_t, writev, int, const struct iovec *, int)
REAL(ssize_t, pwritev64, int, const struct iovec *, int, off64_t)
REAL(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(int, ftruncate64, int, off64_t)
REAL(int, renameat2, int, const char *, int, const char *, unsigned)
REAL(int, linkat, int, const char *, int, const char *, int)
REAL(int, unlinkat, int, const char *, int)
REAL(int, mkdirat, int, const char *, mode_t)
REAL(int, openat64, int, const char *, int, ...)
REAL(long, syscall, long, ...)

__attribute__((constructor)) static void begin(void)
{
	static const struct {
		const char *name;
		int meaning;
	} ERRORS[] = {
		{"ENOSPC", ENOSPC}, {"EIO", EIO},     {"EDQUOT", EDQUOT}, {"EROFS", EROFS},
		{"EMFILE", EMFILE}, {"EINTR", EINTR}, {"SHORT", HALF},    {"KILL", DIE},
	};
	const char *name = getenv("LOOM_FAULT_ERROR");
	const char *folder = getenv("LOOM_FAULT_UNDER");

	for (size_t i = 0; name && i < sizeof ERRORS / sizeof ERRORS[0]; i++)
		if (!strcmp(name, ERRORS[i].name))
			wanted = ERRORS[i].meaning;
	(void)snprintf(under, sizeof under, "%s", folder ? folder : "");
	fault_plan_init(&plan);
}

static bool is_beneath(const char *path)
{
	size_t n = strlen(under);

	return !strncmp(path, under, n) && (n == 0 || path[n] == '/' || path[n] == '\0');
}

static int verdict(void)
{
	if (!fault_due(&plan))
		return GO_ON;
	if (wanted == DIE) {
		kill(getpid(), SIGKILL);
		pause();
	}
	return wanted;
}

/* Where a descriptor leads, or false when that is no file of a folder. */
static bool path_of(int fd, char path[PATH_MAX])
{
	char entry[64];
	ssize_t n = 0;

	(void)snprintf(entry, sizeof entry, "/proc/self/fd/%d", fd);
	n = readlink(entry, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return n > 0 && path[0] == '/';
}

static int due_fd(int fd)
{
	struct stat info;
	char path[PATH_MAX];

	if (!plan.state || fstat(fd, &info) != 0)
		return GO_ON;
	if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
		return GO_ON;
	return path_of(fd, path) && is_beneath(path) ? verdict() : GO_ON;
}

static int due_path(int dir, const char *name)
{
	char given[PATH_MAX];
	char folder[PATH_MAX];
	char base[PATH_MAX] = "";
	char *slash = NULL;

	if (!plan.state)
		return GO_ON;
	if (name[0] != '/' && dir != AT_FDCWD && !path_of(dir, base))
		return GO_ON;
	if (snprintf(given, sizeof given, "%s%s%s", base, base[0] ? "/" : "", name) >= PATH_MAX)
		return GO_ON;
	slash = strrchr(given, '/');
	if (slash)
		slash[slash == given] = '\0';
	if (!realpath(slash ? given : ".", folder))
		return GO_ON;
	return is_beneath(folder) ? verdict() : GO_ON;
}

/* Sets errno and gives -1 for a call that fails; a half makes no sense for it. */
static bool refuse(int due)
{
	if (due <= GO_ON)
		return false;
	errno = due;
	return true;
}

/* How much of n bytes is to be written. */
static size_t part(int due, size_t n)
{
	return due == HALF ? n / 2 + (n == 1) : n;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	int due = due_fd(fd);

	return refuse(due) ? -1 : real_write()(fd, bytes, part(due, n));
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
	int due = due_fd(fd);

	return refuse(due) ? -1 : real_pwrite64()(fd, bytes, part(due, n), at);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	return pwrite64(fd, bytes, n, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	int due = due_fd(fd);

	return refuse(due) ? -1 : real_writev()(fd, parts, due == HALF && count > 1 ? 1 : count);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at)
{
	int due = due_fd(fd);

	if (refuse(due))
		return -1;
	return real_pwritev64()(fd, parts, due == HALF && count > 1 ? 1 : count, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	return pwritev64(fd, parts, count, at);
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags)
{
	int due = due_fd(out);

	if (refuse(due))
		return -1;
	return real_copy_file_range()(in, from, out, to, part(due, n), flags);
}

int fsync(int fd)
{
	return refuse(due_fd(fd)) ? -1 : real_fsync()(fd);
}

int fdatasync(int fd)
{
	return refuse(due_fd(fd)) ? -1 : real_fdatasync()(fd);
}

int ftruncate64(int fd, off64_t size)
{
	return refuse(due_fd(fd)) ? -1 : real_ftruncate64()(fd, size);
}

int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	if (refuse(due_path(to_dir, to)))
		return -1;
	return real_renameat2()(from_dir, from, to_dir, to, flags);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return renameat2(from_dir, from, to_dir, to, 0);
}

int rename(const char *from, const char *to)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	if (refuse(due_path(to_dir, to)))
		return -1;
	return real_linkat()(from_dir, from, to_dir, to, flags);
}

int link(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int dir, const char *name, int flags)
{
	return refuse(due_path(dir, name)) ? -1 : real_unlinkat()(dir, name, flags);
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int rmdir(const char *name)
{
	return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}

int mkdirat(int dir, const char *name, mode_t mode)
{
	return refuse(due_path(dir, name)) ? -1 : real_mkdirat()(dir, name, mode);
}

int mkdir(const char *name, mode_t mode)
{
	return mkdirat(AT_FDCWD, name, mode);
}

static int open_as_told(int dir, const char *name, int flags, mode_t mode)
{
	bool creates = flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE;

	if (creates && refuse(due_path(dir, name)))
		return -1;
	return real_openat64()(dir, name, flags, mode);
}

/* The mode that follows `flags`, where the flags promise one. */
#define MODE_AFTER(flags, mode)                                                                    \
	do {                                                                                       \
		va_list args;                                                                      \
		va_start(args, flags);                                                             \
		if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE)                           \
			(mode) = va_arg(args, mode_t);                                             \
		va_end(args);                                                                      \
	} while (0)

int openat64(int dir, const char *name, int flags, ...)
{
	mode_t mode = 0;

	MODE_AFTER(flags, mode);
	return open_as_told(dir, name, flags, mode);
}

int openat(int dir, const char *name, int flags, ...)
{
	mode_t mode = 0;

	MODE_AFTER(flags, mode);
	return open_as_told(dir, name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
	mode_t mode = 0;

	MODE_AFTER(flags, mode);
	return open_as_told(AT_FDCWD, name, flags, mode);
}

int open(const char *name, int flags, ...)
{
	mode_t mode = 0;

	MODE_AFTER(flags, mode);
	return open_as_told(AT_FDCWD, name, flags, mode);
}

int creat(const char *name, mode_t mode)
{
	return open_as_told(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* openat2 has no function of its own: it comes by number. */
static int due_by_number(long number, const long args[6])
{
	union {
		long number;
		const char *name;
		const struct open_how *how;
	} name = {.number = args[1]}, how = {.number = args[2]}, to = {.number = args[3]};

	if (number == SYS_openat2 && how.how->flags & (O_CREAT | O_TRUNC))
		return due_path((int)args[0], name.name);
	if (number == SYS_renameat2)
		return due_path((int)args[2], to.name);
	return GO_ON;
}

long syscall(long number, ...)
{
	long args[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (refuse(due_by_number(number, args)))
		return -1;
	return real_syscall()(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}
