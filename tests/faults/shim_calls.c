/* The calls that change a file, stood in for: write, pwrite, their vectors, ftruncate,
 * copy_file_range, fsync, fdatasync, rename, link, unlink, mkdir, and every open that may create or
 * empty. Before one is made the library is asked, after one that worked it is told (shim.h). What
 * the C library does inside stdio is out of reach; the house writes files with write(2). */
#include "faults/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

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

bool shim_is_beneath(const char *path)
{
	const char *under = getenv("LOOM_FAULT_UNDER");
	size_t n = under ? strlen(under) : 0;

	return n == 0 || (!strncmp(path, under, n) && (path[n] == '/' || path[n] == '\0'));
}

bool shim_path_of_fd(int fd, char path[PATH_MAX])
{
	char entry[64];
	ssize_t n = 0;

	(void)snprintf(entry, sizeof entry, "/proc/self/fd/%d", fd);
	n = readlink(entry, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return n > 0 && path[0] == '/';
}

bool shim_folder_of(int dir, const char *name, char folder[PATH_MAX])
{
	char given[PATH_MAX];
	char base[PATH_MAX] = "";
	char *slash = NULL;

	if (name[0] != '/' && dir != AT_FDCWD && !shim_path_of_fd(dir, base))
		return false;
	if (snprintf(given, sizeof given, "%s%s%s", base, base[0] ? "/" : "", name) >= PATH_MAX)
		return false;
	slash = strrchr(given, '/');
	if (slash)
		slash[slash == given] = '\0';
	return realpath(slash ? given : ".", folder) != NULL;
}

/* Sets errno and gives true for a call that fails; a half makes no sense for it. */
static bool refuse(int due)
{
	if (due <= SHIM_GO_ON)
		return false;
	errno = due;
	return true;
}

/* How much of n bytes is to be written. */
static size_t part(int due, size_t n)
{
	return due == SHIM_HALF ? n / 2 + (n == 1) : n;
}

static ssize_t wrote(int fd, const void *bytes, ssize_t n, int64_t at)
{
	if (n > 0)
		shim_done(&(struct shim_call){
			.kind = SHIM_WROTE, .fd = fd, .bytes = bytes, .n = (size_t)n, .at = at});
	return n;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	int due = shim_due_fd(fd);

	return refuse(due) ? -1 : wrote(fd, bytes, real_write()(fd, bytes, part(due, n)), -1);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
	int due = shim_due_fd(fd);

	if (refuse(due))
		return -1;
	return wrote(fd, bytes, real_pwrite64()(fd, bytes, part(due, n), at), at);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	return pwrite64(fd, bytes, n, at);
}

/* A vector's parts are told one after the other, as far as they were written. */
static ssize_t wrote_parts(int fd, const struct iovec *parts, ssize_t n, int64_t at)
{
	int64_t from = at;
	size_t left = n > 0 ? (size_t)n : 0;

	if (at < 0 && n > 0)
		from = lseek64(fd, 0, SEEK_CUR) - n;
	for (int i = 0; left > 0; i++) {
		size_t here = parts[i].iov_len < left ? parts[i].iov_len : left;

		(void)wrote(fd, parts[i].iov_base, (ssize_t)here, from);
		from += (int64_t)here;
		left -= here;
	}
	return n;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	int due = shim_due_fd(fd);
	int some = due == SHIM_HALF && count > 1 ? 1 : count;

	return refuse(due) ? -1 : wrote_parts(fd, parts, real_writev()(fd, parts, some), -1);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at)
{
	int due = shim_due_fd(fd);
	int some = due == SHIM_HALF && count > 1 ? 1 : count;

	if (refuse(due))
		return -1;
	return wrote_parts(fd, parts, real_pwritev64()(fd, parts, some, at), at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	return pwritev64(fd, parts, count, at);
}

/* What was copied is read again, a piece at a time. */
static void copied(int in, int64_t from, int out, int64_t at, ssize_t n)
{
	char piece[65536];

	for (ssize_t done = 0, got = 0; done < n; done += got) {
		size_t most = (size_t)(n - done) < sizeof piece ? (size_t)(n - done) : sizeof piece;

		got = pread64(in, piece, most, from + done);
		if (got <= 0)
			return;
		(void)wrote(out, piece, got, at + done);
	}
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t n, unsigned flags)
{
	int due = shim_due_fd(out);
	int64_t at = to ? *to : lseek64(out, 0, SEEK_CUR);
	int64_t start = from ? *from : lseek64(in, 0, SEEK_CUR);
	ssize_t done;

	if (refuse(due))
		return -1;
	done = real_copy_file_range()(in, from, out, to, part(due, n), flags);
	copied(in, start, out, at, done);
	return done;
}

/* A call on a descriptor that has nothing to say but that it worked. */
static int did(int result, enum shim_kind kind, int fd, int64_t at)
{
	if (result == 0)
		shim_done(&(struct shim_call){.kind = kind, .fd = fd, .at = at});
	return result;
}

int fsync(int fd)
{
	return refuse(shim_due_fd(fd)) ? -1 : did(real_fsync()(fd), SHIM_SYNCED, fd, 0);
}

int fdatasync(int fd)
{
	return refuse(shim_due_fd(fd)) ? -1 : did(real_fdatasync()(fd), SHIM_SYNCED, fd, 0);
}

int ftruncate64(int fd, off64_t size)
{
	if (refuse(shim_due_fd(fd)))
		return -1;
	return did(real_ftruncate64()(fd, size), SHIM_SIZED, fd, size);
}

int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

static int renamed(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	shim_done(
		&(struct shim_call){.kind = flags & RENAME_EXCHANGE ? SHIM_EXCHANGED : SHIM_RENAMED,
				    .fd = -1,
				    .dir = from_dir,
				    .name = from,
				    .to_dir = to_dir,
				    .to = to});
	return 0;
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	if (refuse(shim_due_path(to_dir, to)))
		return -1;
	return real_renameat2()(from_dir, from, to_dir, to, flags) == 0
		       ? renamed(from_dir, from, to_dir, to, flags)
		       : -1;
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
	int result;

	if (refuse(shim_due_path(to_dir, to)))
		return -1;
	result = real_linkat()(from_dir, from, to_dir, to, flags);
	if (result == 0)
		shim_done(&(struct shim_call){
			.kind = SHIM_LINKED, .fd = -1, .to_dir = to_dir, .to = to});
	return result;
}

int link(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int dir, const char *name, int flags)
{
	int result;

	if (refuse(shim_due_path(dir, name)))
		return -1;
	result = real_unlinkat()(dir, name, flags);
	if (result == 0)
		shim_done(&(struct shim_call){
			.kind = SHIM_UNLINKED, .fd = -1, .dir = dir, .name = name});
	return result;
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
	int result;

	if (refuse(shim_due_path(dir, name)))
		return -1;
	result = real_mkdirat()(dir, name, mode);
	if (result == 0)
		shim_done(
			&(struct shim_call){.kind = SHIM_MADE, .fd = -1, .dir = dir, .name = name});
	return result;
}

int mkdir(const char *name, mode_t mode)
{
	return mkdirat(AT_FDCWD, name, mode);
}

static bool is_there(int dir, const char *name)
{
	struct stat info;
	int kept = errno;
	bool there = fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) == 0;

	errno = kept;
	return there;
}

static int opened(int fd, bool created, int flags)
{
	if (fd < 0)
		return fd;
	if (created)
		shim_done(&(struct shim_call){.kind = SHIM_OPENED, .fd = fd, .created = true});
	else if (flags & O_TRUNC)
		shim_done(&(struct shim_call){.kind = SHIM_SIZED, .fd = fd});
	return fd;
}

static int open_as_told(int dir, const char *name, int flags, mode_t mode)
{
	bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
	bool creates = flags & O_CREAT || nameless;
	bool created = nameless || (flags & O_CREAT && !is_there(dir, name));

	if ((creates || flags & O_TRUNC) && refuse(shim_due_path(dir, name)))
		return -1;
	return opened(real_openat64()(dir, name, flags, mode), created, flags);
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
		return shim_due_path((int)args[0], name.name);
	if (number == SYS_renameat2)
		return shim_due_path((int)args[2], to.name);
	return SHIM_GO_ON;
}

/* Whether a call by number is about to make a file. */
static bool creates_by_number(long number, const long args[6])
{
	union {
		long number;
		const char *name;
		const struct open_how *how;
	} name = {.number = args[1]}, how = {.number = args[2]};

	return number == SYS_openat2 && how.how->flags & O_CREAT &&
	       !is_there((int)args[0], name.name);
}

static void did_by_number(long number, const long args[6], bool created, long result)
{
	union {
		long number;
		const char *name;
	} from = {.number = args[1]}, to = {.number = args[3]};

	if (number == SYS_renameat2 && result == 0)
		(void)renamed((int)args[0], from.name, (int)args[2], to.name, (unsigned)args[4]);
	if (number == SYS_openat2)
		(void)opened((int)result, created, 0);
}

long syscall(long number, ...)
{
	long args[6];
	long result;
	bool created;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (refuse(due_by_number(number, args)))
		return -1;
	created = creates_by_number(number, args);
	result = real_syscall()(number, args[0], args[1], args[2], args[3], args[4], args[5]);
	did_by_number(number, args, created, result);
	return result;
}
