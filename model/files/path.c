/* Opens, examines and reads files beneath a root.
 *
 * Invariants: openat2 is the only way in; without it nothing opens. What openat2 cannot decide (an
 * absolute link) is decided by where the held file is, never by a name. A file is first held by
 * O_PATH, which has no side effects; only a regular file that is not refused is then opened for
 * reading, through the held descriptor, so that the file examined is the file read. path_name.c
 * handles names, path_write.c writing. */
#include <loom/files/beneath.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdalign.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <loom/base/env.h>

#define READ_MAX  ((size_t)64 << 20)
#define TRIES     8
#define PATH_ROOM 4200
#define BLOCK     32768

void model_pause(int round)
{
	long us = 300L << (round < 5 ? round : 5);
	struct timespec pause = {.tv_nsec = us * 1000};

	LOOM_ASSERT(round >= 0);
	nanosleep(&pause, NULL);
}

bool model_flock(int fd, int wait_ms)
{
	int64_t until = loom_env_boot() + wait_ms;

	LOOM_ASSERT(fd >= 0 && wait_ms >= 0);
	for (int round = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; round++) {
		if (errno != EWOULDBLOCK || loom_env_boot() > until)
			return false;
		model_pause(round);
	}
	return true;
}

int model_open_beneath(int dir, const char *path, int flags, unsigned mode, enum model_reach reach)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.mode = mode,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	LOOM_ASSERT(path);
	if (reach == MODEL_NO_LINKS)
		how.resolve |= RESOLVE_NO_SYMLINKS;
	for (int tries = 0; tries < TRIES; tries++) {
		fd = syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof how);
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return (int)fd;
}

enum loom_status model_path_fail(struct loom_err *err, int error, const char *path)
{
	LOOM_ASSERT(error != 0 && path);
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return loom_fail(err, LOOM_NOT_FOUND, "no file %s", path);
	case EXDEV:
		return loom_fail(err, LOOM_PATH, "%s leaves its root", path);
	case ELOOP:
		return loom_fail(err, LOOM_PATH, "%s goes through a symbolic link", path);
	case ENAMETOOLONG:
		return loom_fail(err, LOOM_PATH, "%s is too long", path);
	case ENOSPC:
	case EDQUOT:
		return loom_fail(err, LOOM_FULL, "no space left for %s", path);
	case EROFS:
		loom_fail(err, LOOM_READ_ONLY, "%s is read-only", path);
		return loom_hint(err, LOOM_READ_ONLY, "%s", loom_errno_hint(error));
	case ENOSYS:
		return loom_fail(err, LOOM_IO,
				 "this kernel lacks openat2, without which %s is not safe to open",
				 path);
	default:
		return loom_fail_errno(err, error, "%s", path);
	}
}

enum loom_status model_path_cstr(struct loom_str path, struct loom_buf *out, struct loom_err *err)
{
	loom_buf_clear(out);
	if (path.n && memchr(path.p, '\0', path.n))
		return loom_fail(err, LOOM_PATH, "a path cannot hold a NUL byte");
	loom_buf_add(out, path);
	return LOOM_OK;
}

void model_file_info(const struct stat *st, struct loom_file_info *out)
{
	*out = (struct loom_file_info){
		.id = {(uint64_t)st->st_dev, (uint64_t)st->st_ino},
		.kind = S_ISREG(st->st_mode)   ? LOOM_FILE_PLAIN
			: S_ISDIR(st->st_mode) ? LOOM_FILE_FOLDER
			: S_ISLNK(st->st_mode) ? LOOM_FILE_LINK
					       : LOOM_FILE_OTHER,
		.mode = (unsigned)st->st_mode & 07777u,
		.links = (uint64_t)st->st_nlink,
		.size = (uint64_t)st->st_size,
		.modified_ns = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec,
		.changed_ns = st->st_ctim.tv_sec * INT64_C(1000000000) + st->st_ctim.tv_nsec,
	};
}

bool model_file_refused(const struct loom_root *root, const struct stat *st)
{
	for (size_t i = 0; i < root->refused_count; i++)
		if (root->refused[i].device == (uint64_t)st->st_dev &&
		    root->refused[i].inode == (uint64_t)st->st_ino)
			return true;
	return false;
}

enum loom_status loom_root_open(const char *path, struct loom_root *out, struct loom_err *err)
{
	*out = (struct loom_root)LOOM_ROOT_INIT;
	out->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return out->fd < 0 ? model_path_fail(err, errno, path) : LOOM_OK;
}

void loom_root_close(struct loom_root *root)
{
	if (root && root->fd >= 0)
		close(root->fd);
	if (root)
		*root = (struct loom_root)LOOM_ROOT_INIT;
}

/* Writes the /proc path of an open descriptor. */
static bool name_of_fd(int fd, char *out, size_t size)
{
	char link[40];
	ssize_t n = 0;

	LOOM_ASSERT(fd >= 0 && size > 1);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, out, size - 1);
	if (n < 0 || (size_t)n >= size - 1)
		return false;
	out[n] = '\0';
	return true;
}

/* Finds where a held file is beneath the root: its real path minus the root's. */
static bool place_of(const struct loom_root *root, int held, char *out, size_t size)
{
	char top[PATH_ROOM];
	size_t n = 0;

	if (!name_of_fd(root->fd, top, sizeof top) || !name_of_fd(held, out, size))
		return false;
	n = strcmp(top, "/") == 0 ? 0 : strlen(top);
	if (strncmp(out, top, n) != 0 || (out[n] != '/' && out[n] != '\0'))
		return false;
	memmove(out, out + n, strlen(out + n) + 1);
	return true;
}

/* RESOLVE_BENEATH refuses an absolute link even if it leads back beneath the root. Hold such a file
 * first (which opens nothing) and decide by where it is. `path` is not empty: the root is not a
 * link. */
static int hold_absolute(const struct loom_root *root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS,
	};
	char place[PATH_ROOM];
	int fd = (int)syscall(SYS_openat2, root->fd, path, &how, sizeof how);

	if (fd >= 0 && place_of(root, fd, place, sizeof place))
		return fd;
	if (fd >= 0)
		close(fd);
	errno = EXDEV;
	return -1;
}

/* Holds the file at `path` by O_PATH and stats it. */
static enum loom_status hold(const struct loom_root *root, const char *path, bool links,
			     struct stat *st, int *out_fd, struct loom_err *err)
{
	int flags = O_PATH | (links ? 0 : O_NOFOLLOW);
	int fd = model_open_beneath(root->fd, path, flags, 0, links ? MODEL_LINKS : MODEL_NO_LINKS);

	if (fd < 0 && errno == EXDEV && links)
		fd = hold_absolute(root, path);
	if (fd < 0)
		return model_path_fail(err, errno, path);
	if (fstat(fd, st) < 0) {
		int error = errno;

		close(fd);
		return model_path_fail(err, error, path);
	}
	*out_fd = fd;
	return LOOM_OK;
}

enum loom_status loom_path_info(const struct loom_root *root, struct loom_str path, bool links,
				struct loom_file_info *out, struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct stat st = {0};
	int fd = -1;
	enum loom_status status = model_path_cstr(path, &name, err);

	if (status == LOOM_OK)
		status = hold(root, loom_buf_cstr(&name), links, &st, &fd, err);
	if (status == LOOM_OK) {
		model_file_info(&st, out);
		close(fd);
	}
	loom_buf_fini(&name);
	return status;
}

enum loom_status loom_path_resolve(const struct loom_root *root, struct loom_str path,
				   struct loom_buf *out, struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char place[PATH_ROOM];
	struct stat st = {0};
	int fd = -1;
	enum loom_status status = model_path_cstr(path, &name, err);

	if (status == LOOM_OK)
		status = hold(root, loom_buf_cstr(&name), true, &st, &fd, err);
	if (status == LOOM_OK && !place_of(root, fd, place, sizeof place))
		status = loom_fail(err, LOOM_PATH, "%s cannot be followed", loom_buf_cstr(&name));
	if (status == LOOM_OK)
		status = loom_path_normal(loom_str_of(place), out, err);
	if (fd >= 0)
		close(fd);
	loom_buf_fini(&name);
	return status;
}

/* /proc is the only way from O_PATH to a readable descriptor of the very same file. */
int model_open_held(int held)
{
	char name[40];

	LOOM_ASSERT(held >= 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", held);
	return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static enum loom_status may_read(const struct loom_root *root, const char *path,
				 const struct stat *st, const struct loom_read_opts *opts,
				 struct loom_err *err)
{
	LOOM_ASSERT(opts->max > 0);
	if (S_ISLNK(st->st_mode))
		return loom_fail(err, LOOM_PATH, "%s is a symbolic link", path);
	if (S_ISDIR(st->st_mode))
		return loom_fail(err, LOOM_PATH, "%s is a folder", path);
	if (!S_ISREG(st->st_mode))
		return loom_fail(err, LOOM_PATH, "%s is not a regular file", path);
	if (model_file_refused(root, st))
		return loom_fail(err, LOOM_REFUSED, "%s is a file of the store", path);
	if (opts->single && st->st_nlink > 1)
		return loom_fail(err, LOOM_PATH,
				 "%s has more than one name (hard links), and may belong to "
				 "another place",
				 path);
	if ((uint64_t)st->st_size > opts->max)
		return loom_fail(err, LOOM_LIMIT, "%s is larger than %zu bytes", path, opts->max);
	return LOOM_OK;
}

static enum loom_status read_all(int fd, const char *path, size_t max, struct loom_buf *out,
				 struct loom_err *err)
{
	char block[BLOCK];
	enum loom_status status = LOOM_OK;
	size_t total = 0;
	ssize_t n = 0;

	LOOM_ASSERT(fd >= 0 && max > 0);
	while ((n = read(fd, block, sizeof block)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			status = model_path_fail(err, errno, path);
			break;
		}
		total += (size_t)n;
		loom_buf_add(out, loom_str_make(block, (size_t)n));
		if (total > max || out->bad != LOOM_OK) {
			status = loom_fail(err, LOOM_LIMIT, "%s is larger than %zu bytes", path,
					   max);
			break;
		}
	}
	return status;
}

enum loom_status loom_file_read(const struct loom_root *root, struct loom_str path,
				const struct loom_read_opts *opts, struct loom_buf *out,
				struct loom_err *err)
{
	struct loom_read_opts how = opts ? *opts : (struct loom_read_opts){0};
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct stat st = {0};
	int held = -1;
	int fd = -1;
	enum loom_status status = model_path_cstr(path, &name, err);

	how.max = how.max ? how.max : READ_MAX;
	if (status == LOOM_OK)
		status = hold(root, loom_buf_cstr(&name), how.links, &st, &held, err);
	if (status == LOOM_OK)
		status = may_read(root, loom_buf_cstr(&name), &st, &how, err);
	if (status != LOOM_OK)
		goto done;
	fd = model_open_held(held);
	if (fd < 0)
		status = model_path_fail(err, errno, loom_buf_cstr(&name));
	else
		status = read_all(fd, loom_buf_cstr(&name), how.max, out, err);
done:
	if (fd >= 0)
		close(fd);
	if (held >= 0)
		close(held);
	loom_buf_fini(&name);
	return status;
}

enum loom_status loom_file_read_at(const char *path, const struct loom_read_opts *opts,
				   struct loom_buf *out, struct loom_err *err)
{
	static const struct loom_root nowhere = LOOM_ROOT_INIT;
	struct loom_read_opts how = opts ? *opts : (struct loom_read_opts){0};
	struct stat st = {0};
	enum loom_status status;
	int fd = open(path,
		      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (how.links ? 0 : O_NOFOLLOW));

	if (fd < 0)
		return model_path_fail(err, errno, path);
	how.max = how.max ? how.max : READ_MAX;
	status = fstat(fd, &st) < 0 ? model_path_fail(err, errno, path)
				    : may_read(&nowhere, path, &st, &how, err);
	if (status == LOOM_OK)
		status = read_all(fd, path, how.max, out, err);
	close(fd);
	return status;
}

int model_folder_each(int folder, model_name_fn each, void *ctx)
{
	alignas(struct dirent64) char block[BLOCK];
	ssize_t n = 0;

	LOOM_ASSERT(folder >= 0 && each);
	while ((n = getdents64(folder, block, sizeof block)) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *item = (const void *)(block + at);
			const char *name = item->d_name;

			if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
				each(ctx, name, strlen(name), item->d_type);
			at += item->d_reclen;
		}
	}
	return n < 0 ? errno : 0;
}

struct listing {
	struct loom_arena *arena;
	struct loom_folder_item *items;
	size_t count;
	size_t cap;
	int fd;
};

static enum loom_file_kind kind_of(int folder, const char *name, unsigned char type)
{
	struct loom_file_info info;
	struct stat st = {0};

	switch (type) {
	case DT_REG:
		return LOOM_FILE_PLAIN;
	case DT_DIR:
		return LOOM_FILE_FOLDER;
	case DT_LNK:
		return LOOM_FILE_LINK;
	case DT_UNKNOWN:
		if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return LOOM_FILE_OTHER;
		model_file_info(&st, &info);
		return info.kind;
	default:
		return LOOM_FILE_OTHER;
	}
}

static void add_item(void *ctx, const char *name, size_t length, unsigned char type)
{
	struct listing *list = ctx;

	list->items = loom_arena_grow(list->arena, list->items, list->count, &list->cap,
				      sizeof *list->items);
	list->items[list->count++] = (struct loom_folder_item){
		.name = loom_arena_str(list->arena, loom_str_make(name, length)),
		.kind = kind_of(list->fd, name, type),
	};
}

static int by_name(const void *a, const void *b)
{
	const struct loom_folder_item *left = a;
	const struct loom_folder_item *right = b;

	return loom_str_cmp(left->name, right->name);
}

enum loom_status loom_folder_list(const struct loom_root *root, struct loom_str path,
				  struct loom_arena *arena, struct loom_folder_item **out,
				  size_t *out_count, struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct listing list = {.arena = arena, .fd = -1};
	enum loom_status status = model_path_cstr(path, &name, err);
	int error = 0;

	if (status != LOOM_OK)
		goto done;
	list.fd = model_open_beneath(root->fd, loom_buf_cstr(&name), O_RDONLY | O_DIRECTORY, 0,
				     MODEL_LINKS);
	error = list.fd < 0 ? errno : model_folder_each(list.fd, add_item, &list);
	if (error)
		status = model_path_fail(err, error, loom_buf_cstr(&name));
	if (list.count)
		qsort(list.items, list.count, sizeof *list.items, by_name);
	*out = list.items;
	*out_count = list.count;
done:
	if (list.fd >= 0)
		close(list.fd);
	loom_buf_fini(&name);
	return status;
}
