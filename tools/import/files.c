/* Reads files into an import. Each is examined before it is opened and copied before it is read, so
 * that a changing file, or a pipe, gives one consistent text. Files that others refer to come
 * first. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/files/path.h>

#include <loom/import/frame.h>

enum { PIECE = 1 << 16, WAIT_MS = 100 };

struct reading {
	struct loom_import *import;
	const struct loom_import_paths *paths;
	struct import_spill *spills; /* the bytes of each file */
};

static bool is_refused(const struct loom_root *refused, const struct stat *info)
{
	for (size_t i = 0; i < refused->refused_count; i++)
		if (refused->refused[i].device == (uint64_t)info->st_dev &&
		    refused->refused[i].inode == (uint64_t)info->st_ino)
			return true;
	return false;
}

/* Examines the file before opening it, because closing a file of the store would drop its locks.
 * Opening a pipe without a writer does not block; the wait comes with the first bytes, where it can
 * be stopped. */
static enum loom_status open_file(const struct loom_root *refused, const char *path, int *out_fd,
				  struct loom_err *err)
{
	const int look = open(path, O_PATH | O_CLOEXEC);
	struct stat info;
	char held[40];
	enum loom_status status = LOOM_OK;

	if (look < 0 || fstat(look, &info) < 0) {
		status = loom_fail_file(err, path, errno);
	} else if (is_refused(refused, &info)) {
		status = loom_fail(err, LOOM_REFUSED, "%s is a file of the grove's store", path);
	} else if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
		status = loom_fail_file(err, path, EISDIR);
	} else {
		snprintf(held, sizeof held, "/proc/self/fd/%d", look);
		*out_fd = open(held, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (*out_fd < 0)
			status = loom_fail_file(err, path, errno);
	}
	if (look >= 0)
		close(look);
	return status;
}

/* A pipe may be silent for long, so the wait can be cancelled. */
static enum loom_status wait_for(struct loom_import *import, int fd, struct loom_err *err)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	while (poll(&ready, 1, WAIT_MS) == 0)
		if (loom_task_cancelled(import->opts.task))
			break;
	return loom_task_cancelled(import->opts.task)
		       ? loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written")
		       : LOOM_OK;
}

static enum loom_status refuse_larger(const char *path, uint64_t most, struct loom_err *err)
{
	if (most == LOOM_IMPORT_BYTES_MAX)
		loom_fail(err, LOOM_LIMIT, "%s is larger than 2 GiB", path);
	else
		loom_fail(err, LOOM_LIMIT, "%s: text files can have at most %llu MiB", path,
			  (unsigned long long)(most >> 20));
	return loom_hint(err, LOOM_LIMIT, "import it in parts");
}

static enum loom_status fill(struct loom_import *import, int fd, const char *path,
			     struct import_spill *spill, struct loom_err *err)
{
	char *piece = loom_alloc(PIECE);
	uint64_t most = LOOM_IMPORT_BYTES_MAX;
	enum loom_status status = LOOM_OK;
	ssize_t n = 1;

	while (status == LOOM_OK && n != 0) {
		status = wait_for(import, fd, err);
		if (status != LOOM_OK)
			break;
		n = read(fd, piece, PIECE);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0) {
			status = loom_fail_errno(err, errno, "%s", path);
			break;
		}
		import_spill_add(spill, piece, (size_t)n);
		status = import_spill_settle(spill, err);
		if (status == LOOM_OK && import_spill_end(spill) > most)
			status = refuse_larger(path, most, err);
		if (spill->flushed == 0)
			most = import_source_most(
				import_spill_at(spill, 0, import_spill_end(spill)));
		loom_task_report(import->opts.task, import_spill_end(spill), 0);
	}
	free(piece);
	return status == LOOM_OK ? import_spill_seal(spill, err) : status;
}

static bool is_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

static const char *name_of(const char *path)
{
	return is_input(path) ? "standard input" : path;
}

static enum loom_status read_file(struct reading *reading, size_t i, struct loom_err *err)
{
	const char *path = reading->paths->items[i];
	const bool in = is_input(path);
	int fd = STDIN_FILENO;
	enum loom_status status = in ? LOOM_OK : open_file(reading->paths->refused, path, &fd, err);

	if (status == LOOM_OK)
		status = fill(reading->import, fd, name_of(path), &reading->spills[i], err);
	if (!in && fd > STDIN_FILENO)
		close(fd);
	return status;
}

static enum loom_status add_files(struct reading *reading, bool first, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < reading->paths->count && status == LOOM_OK; i++) {
		struct import_spill *spill = &reading->spills[i];
		struct loom_str bytes = import_spill_at(spill, 0, import_spill_end(spill));

		if (loom_import_goes_first(bytes) == first)
			status = loom_import_add(reading->import,
						 loom_str_of(name_of(reading->paths->items[i])),
						 bytes, err);
	}
	return status;
}

enum loom_status loom_import_read(struct loom_import *import, const struct loom_import_paths *paths,
				  struct loom_err *err)
{
	struct reading reading = {.import = import, .paths = paths};
	enum loom_status status = LOOM_OK;

	reading.spills = loom_realloc(NULL, paths->count + 1, sizeof *reading.spills);
	for (size_t i = 0; i < paths->count; i++)
		import_spill_init(&reading.spills[i], import->dir, import->pages);
	for (size_t i = 0; i < paths->count && status == LOOM_OK; i++)
		status = read_file(&reading, i, err);
	if (status == LOOM_OK)
		status = add_files(&reading, true, err);
	if (status == LOOM_OK)
		status = add_files(&reading, false, err);
	if (status == LOOM_OK)
		status = loom_import_settle(import, err);
	for (size_t i = 0; i < paths->count; i++)
		import_spill_fini(&reading.spills[i]);
	free(reading.spills);
	return status;
}
