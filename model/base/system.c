/* What the model needs from Linux beyond POSIX. */
#include <loom/base/system.h>

#include <loom/base/base.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE /* for a C library without this call */
#include <linux/fs.h>
#include <sys/syscall.h>

static int renameat2(int from_folder, const char *from, int to_folder, const char *to,
		     unsigned flags)
{
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
#endif

bool model_random(void *out, size_t n)
{
	ssize_t got;

	LOOM_ASSERT((out || !n) && n <= MODEL_RANDOM_MAX);
	do
		got = getrandom(out, n, 0);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)n;
}

/* Renames over a name that was created for it and nobody else. */
static int rename_over(int folder, const char *from, const char *to, int how_to_remove)
{
	int error = 0;

	if (renameat(folder, from, folder, to) == 0)
		return 0;
	error = errno == ENOTEMPTY ? EEXIST : errno;
	unlinkat(folder, to, how_to_remove);
	errno = error;
	return -1;
}

static int rename_file(int folder, const char *from, const char *to)
{
	int reserved = -1;

	if (linkat(folder, from, folder, to, 0) == 0) {
		/* The new name exists; a failure here only leaves the old one behind. */
		unlinkat(folder, from, 0);
		return 0;
	}
	if (errno == EEXIST)
		return -1;
	reserved = openat(folder, to, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (reserved < 0)
		return -1;
	close(reserved);
	return rename_over(folder, from, to, 0);
}

static int rename_folder(int folder, const char *from, const char *to)
{
	if (mkdirat(folder, to, 0700) < 0)
		return -1;
	return rename_over(folder, from, to, AT_REMOVEDIR);
}

int model_rename_new(int folder, const char *from, const char *to)
{
	struct stat st;

	LOOM_ASSERT(from && to);
	if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
		return 0;
	if ((errno != EINVAL && errno != ENOSYS) ||
	    fstatat(folder, from, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return S_ISDIR(st.st_mode) ? rename_folder(folder, from, to)
				   : rename_file(folder, from, to);
}

int model_rename_swap(int folder, const char *a, const char *b)
{
	LOOM_ASSERT(a && b);
	return renameat2(folder, a, folder, b, RENAME_EXCHANGE);
}

int64_t model_birth(const char *path)
{
	struct statx info;

	if (statx(AT_FDCWD, path, 0, STATX_BTIME, &info) != 0 || !(info.stx_mask & STATX_BTIME))
		return 0;
	return info.stx_btime.tv_sec * 1000000000 + info.stx_btime.tv_nsec;
}
