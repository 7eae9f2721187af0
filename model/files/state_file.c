/* Small state files: written beside, synced, renamed; read with a size limit. Also makes their
 * folders survive a power cut. */
#include <loom/files/state_file.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/json.h>

const char *const model_beside[MODEL_BESIDE] = {"-wal", "-shm", "-journal"};

static bool write_all(int fd, struct loom_str text)
{
	LOOM_ASSERT(fd >= 0);
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

bool model_sync_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	bool synced;
	int saved;
	int fd;

	LOOM_ASSERT(path);
	/* a name directly in the root or the current folder has a parent too */
	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1,
		 slash ? path : ".");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* some file systems cannot sync a folder and return EINVAL; there a rename is as durable as
	 * it gets */
	synced = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return synced;
}

static enum loom_status make_dir(const char *path, mode_t mode, struct loom_err *err)
{
	bool made = mkdir(path, mode) == 0;

	if (made ? model_sync_name(path) : errno == EEXIST)
		return LOOM_OK;
	return loom_fail_errno(err, errno, "cannot make %s", path);
}

enum loom_status model_make_dirs(struct loom_str path, unsigned mode, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t at = 1; at <= path.n && status == LOOM_OK; at++) {
		char part[PATH_MAX];

		if (at < path.n && path.p[at] != '/')
			continue;
		snprintf(part, sizeof part, "%.*s", (int)at, path.p);
		status = make_dir(part, mode, err);
	}
	return status;
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
	if (written && (rename(temp, path) != 0 || !model_sync_name(path))) {
		saved = errno;
		written = false;
	}
	if (written)
		return LOOM_OK;
	unlink(temp);
	return loom_fail_errno(err, saved, "cannot write %s", path);
}

enum loom_status model_file_read(const char *path, size_t most, struct loom_buf *out,
				 bool *out_there, struct loom_err *err)
{
	char block[8192];
	ssize_t n = 0;
	int saved;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	LOOM_ASSERT(most > 0);
	*out_there = fd >= 0;
	if (fd < 0)
		return errno == ENOENT ? LOOM_OK
				       : loom_fail_errno(err, errno, "cannot read %s", path);
	while (out->n <= most && (n = read(fd, block, sizeof block)) > 0)
		loom_buf_add(out, loom_str_make(block, (size_t)n));
	saved = errno;
	close(fd);
	if (n < 0)
		return loom_fail_errno(err, saved, "cannot read %s", path);
	return out->n <= most ? LOOM_OK : loom_fail(err, LOOM_LIMIT, "%s is too large", path);
}

enum loom_status model_file_lock(const char *path, int *out_fd, struct loom_err *err)
{
	char name[PATH_MAX];

	snprintf(name, sizeof name, "%s.lock", path);
	*out_fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return *out_fd >= 0 && flock(*out_fd, LOCK_EX) == 0
		       ? LOOM_OK
		       : loom_fail_errno(err, errno, "cannot lock %s", name);
}

/* Unlike ours, cJSON's allocations can fail. */
enum loom_status model_json_load(const char *path, size_t most, cJSON **out, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(most + 8192);
	bool there = false;
	enum loom_status status = model_file_read(path, most, &text, &there, err);

	*out = NULL;
	if (status == LOOM_OK && there)
		status = loom_json_parse(loom_str_trim(loom_buf_str(&text)), NULL, out, err);
	if (status == LOOM_OK && !there) {
		*out = cJSON_CreateObject();
		if (!*out)
			status = loom_fail(err, LOOM_FAULT, "out of memory; %s was left alone",
					   path);
	}
	if (status == LOOM_OK && !cJSON_IsObject(*out))
		status = loom_fail(err, LOOM_INVALID, "%s is not what loom wrote", path);
	loom_buf_fini(&text);
	LOOM_ASSERT(status != LOOM_OK || cJSON_IsObject(*out));
	return status;
}

enum loom_status model_json_save(const char *path, const cJSON *all, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	enum loom_status status;

	loom_json_init(&json, &text);
	loom_json_value(&json, all);
	loom_buf_addc(&text, '\n');
	status = model_file_write(path, loom_buf_str(&text), err);
	loom_buf_fini(&text);
	return status;
}
