/* A damaged database and its log as pages. Only reads, through its own descriptors: the process
 * must not have the file open otherwise. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inside.h"
#include <loom/grove/sql.h>

#define USUAL_SIZE   4096
#define PAGES_MAX    ((uint64_t)1 << 31)
#define SAMPLE_BYTES ((uint64_t)16 << 20)

/* Counts the pages of that size, near the file's start, that begin like a b-tree page. */
static size_t count_likely(int fd, uint64_t bytes, size_t size)
{
	size_t likely = 0;

	LOOM_ASSERT(size > 0);
	for (uint64_t at = size; at + size <= bytes && at < SAMPLE_BYTES; at += size) {
		uint8_t head[8];

		if (pread(fd, head, sizeof head, (off_t)at) != (ssize_t)sizeof head)
			break;
		likely += head[0] == 13 || head[0] == 10 || head[0] == 5 || head[0] == 2;
	}
	return likely;
}

/* Takes the size from the header or the log, unless another fits far better: a larger size always
 * fits nearly as well. */
static size_t find_size(int fd, uint64_t bytes, const uint8_t *head, size_t logged)
{
	size_t said = (size_t)head[16] << 8 | head[17];
	size_t best = logged ? logged : USUAL_SIZE;
	size_t fit = 0;

	said = said == 1 ? 65536 : said;
	if (!logged && model_is_page_size(said) &&
	    memcmp(head, MODEL_SQLITE_MAGIC, sizeof MODEL_SQLITE_MAGIC) == 0)
		best = said;
	fit = count_likely(fd, bytes, best) * best;
	for (size_t size = 512; size <= 65536; size *= 2) {
		const size_t other = count_likely(fd, bytes, size) * size;

		if (other > 2 * fit) {
			best = size;
			fit = other;
		}
	}
	LOOM_ASSERT(model_is_page_size(best));
	return best;
}

/* ---- the log ---- */

static void grow(struct model_pages *pages, uint32_t count)
{
	if (count <= pages->count)
		return;
	pages->in_log = loom_realloc(pages->in_log, (size_t)count + 1, sizeof *pages->in_log);
	memset(pages->in_log + pages->count + 1, 0, (count - pages->count) * sizeof *pages->in_log);
	pages->count = count;
}

/* Collects the pages of a transaction until its commit is found. */
static void take_frames(struct model_pages *pages, struct model_frames *frames)
{
	struct model_frame *open = NULL;
	struct model_frame frame;
	size_t count = 0;
	size_t cap = 0;

	while (model_frames_next(frames, &frame) && frame.page <= PAGES_MAX) {
		if (count == cap)
			open = loom_realloc(open, cap = cap ? cap * 2 : 64, sizeof *open);
		LOOM_ASSERT(count < cap);
		open[count++] = frame;
		if (!frame.commit)
			continue;
		for (size_t i = 0; i < count; i++) {
			if (open[i].page <= frames->bytes / 512 + pages->count)
				grow(pages, open[i].page);
			if (open[i].page <= pages->count)
				pages->in_log[open[i].page] = (int64_t)open[i].at;
		}
		pages->frames += (int64_t)count;
		count = 0;
	}
	free(open);
}

static void read_log(struct model_pages *pages)
{
	struct model_frames frames;

	LOOM_ASSERT(pages->in_log && pages->size > 0);
	if (model_frames_open(&frames, pages->log_fd, pages->size))
		take_frames(pages, &frames);
	pages->bad_frames += model_frames_rest(&frames);
	model_frames_close(&frames);
}

/* ---- opening ---- */

static uint64_t size_of(int fd)
{
	struct stat info;

	return fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
}

static size_t logged_size(int fd)
{
	struct model_frames frames;
	const size_t size = model_frames_open(&frames, fd, 0) ? frames.size : 0;

	model_frames_close(&frames);
	return size;
}

/* Returns whether the log is known to be another file's; in doubt it is read. */
static bool has_strange_log(const char *path)
{
	struct model_strange strange;

	return model_epoch_strange(path, &strange) && strange.trouble.code == SQLITE_OK;
}

enum loom_status model_pages_open(const char *path, struct model_pages *out, struct loom_err *err)
{
	char log[PATH_MAX];
	struct stat info;
	uint8_t head[100] = {0};
	uint64_t bytes = 0;
	int n = snprintf(log, sizeof log, "%s-wal", path);

	*out = (struct model_pages){.log_fd = -1};
	out->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (out->fd < 0)
		return loom_fail(err, errno == ENOENT ? LOOM_NOT_FOUND : LOOM_IO, "%s: %s", path,
				 strerror(errno));
	if (fstat(out->fd, &info) != 0 || !S_ISREG(info.st_mode))
		return loom_fail(err, LOOM_FOREIGN, "%s is not a regular file", path);
	if (n > 0 && (size_t)n < sizeof log && !has_strange_log(path))
		out->log_fd = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bytes = size_of(out->fd);
	(void)!pread(out->fd, head, sizeof head, 0);
	out->size = find_size(out->fd, bytes, head, logged_size(out->log_fd));
	if (bytes / out->size > PAGES_MAX)
		return loom_fail(err, LOOM_LIMIT, "%s is too large", path);
	out->usable = out->size;
	out->bytes = bytes + size_of(out->log_fd);
	out->in_log = loom_alloc(sizeof *out->in_log);
	grow(out, (uint32_t)((bytes + out->size - 1) / out->size));
	read_log(out);
	out->free_list = model_be32(head + 32);
	out->free_count = model_be32(head + 36);
	return LOOM_OK;
}

void model_pages_close(struct model_pages *pages)
{
	if (pages->fd >= 0)
		close(pages->fd);
	if (pages->log_fd >= 0)
		close(pages->log_fd);
	free(pages->in_log);
	*pages = (struct model_pages){.fd = -1, .log_fd = -1};
}

bool model_page_read(const struct model_pages *pages, uint32_t number, uint8_t *out)
{
	ssize_t n = 0;

	LOOM_ASSERT(pages->size > 0 && out);
	if (!number || number > pages->count)
		return false;
	if (pages->in_log[number])
		n = pread(pages->log_fd, out, pages->size, (off_t)pages->in_log[number]);
	else
		n = pread(pages->fd, out, pages->size,
			  (off_t)((uint64_t)(number - 1) * pages->size));
	if (n <= 0)
		return false;
	memset(out + n, 0, pages->size - (size_t)n);
	return true;
}
