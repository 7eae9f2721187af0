/* Small files of the state directory: written beside, synced, renamed; read with a limit. */
#include "model_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

static bool write_all(int fd, struct loom_str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text = loom_str_sub(text, (size_t)n, text.n);
	}
	return true;
}

static bool sync_parent(const char *path)
{
	char dir[PATH_MAX];
	char *slash;
	bool synced;
	int fd;

	snprintf(dir, sizeof dir, "%s", path);
	slash = strrchr(dir, '/');
	if (!slash)
		return false;
	*slash = '\0';
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	synced = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return synced;
}

enum loom_status model_file_write(const char *path, struct loom_str text, struct loom_err *err)
{
	char temp[PATH_MAX];
	int n = snprintf(temp, sizeof temp, "%s.new-%d", path, getpid());
	bool written;
	int saved;
	int fd;

	if (n < 0 || (size_t)n >= sizeof temp)
		return loom_fail(err, LOOM_PATH, "the path is too long");
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	written = fd >= 0 && write_all(fd, text) && fsync(fd) == 0;
	saved = errno;
	if (fd >= 0)
		close(fd);
	if (written && (rename(temp, path) != 0 || !sync_parent(path))) {
		saved = errno;
		written = false;
	}
	if (written)
		return LOOM_OK;
	unlink(temp);
	return loom_fail(err, saved == ENOSPC || saved == EDQUOT ? LOOM_FULL : LOOM_IO,
			 "cannot write %s: %s", path, strerror(saved));
}

enum loom_status model_file_read(const char *path, size_t most, struct loom_buf *out,
				 bool *out_there, struct loom_err *err)
{
	char block[8192];
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	*out_there = fd >= 0;
	if (fd < 0)
		return errno == ENOENT ? LOOM_OK
				       : loom_fail(err, LOOM_IO, "cannot read %s: %s", path,
						   strerror(errno));
	while (out->n <= most && (n = read(fd, block, sizeof block)) > 0)
		loom_buf_add(out, loom_str_make(block, (size_t)n));
	close(fd);
	if (n < 0)
		return loom_fail(err, LOOM_IO, "cannot read %s: %s", path, strerror(errno));
	return out->n <= most ? LOOM_OK : loom_fail(err, LOOM_LIMIT, "%s is too large", path);
}
