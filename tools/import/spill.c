/* The spill: bytes that are appended and read back, in memory while they are few, then in a file
 * that has no name and so leaves nothing behind. A failed write is reported by the next settle. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <loom/import/frame.h>

enum { IN_MEMORY = 16 << 20, IN_TAIL = 1 << 20, FORGET_EVERY = 16 << 20 };

void tool_spill_init(struct tool_spill *spill, const char *dir)
{
	*spill = (struct tool_spill){.fd = -1};
	loom_buf_init(&spill->dir, 1 << 16);
	loom_buf_adds(&spill->dir, dir && *dir ? dir : "/tmp");
	loom_buf_init(&spill->tail, SIZE_MAX / 4);
	loom_buf_init(&spill->piece, SIZE_MAX / 4);
}

void tool_spill_fini(struct tool_spill *spill)
{
	if (spill->map)
		munmap((void *)(uintptr_t)spill->map, spill->flushed);
	if (spill->fd >= 0)
		close(spill->fd);
	spill->map = NULL;
	spill->fd = -1;
	loom_buf_fini(&spill->dir);
	loom_buf_fini(&spill->tail);
	loom_buf_fini(&spill->piece);
}

uint64_t tool_spill_end(const struct tool_spill *spill)
{
	return spill->flushed + spill->tail.n;
}

void tool_spill_add(struct tool_spill *spill, const void *bytes, size_t n)
{
	loom_buf_add(&spill->tail, loom_str_make(bytes, n));
}

static enum loom_status machine_fail(const struct tool_spill *spill, struct loom_err *err)
{
	const int why = errno;
	const enum loom_status status =
		loom_fail_errno(err, why, "the temporary file of the import in %s",
				loom_buf_cstr(&spill->dir));

	return loom_hint(err, status, "TMPDIR names another folder for it");
}

static enum loom_status flush(struct tool_spill *spill, struct loom_err *err)
{
	size_t at = 0;

	if (spill->fd < 0)
		spill->fd = open(loom_buf_cstr(&spill->dir), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spill->fd < 0)
		return machine_fail(spill, err);
	while (at < spill->tail.n) {
		ssize_t n = write(spill->fd, spill->tail.p + at, spill->tail.n - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return machine_fail(spill, err);
		at += (size_t)n;
	}
	spill->flushed += at;
	loom_buf_clear(&spill->tail);
	return LOOM_OK;
}

enum loom_status tool_spill_settle(struct tool_spill *spill, struct loom_err *err)
{
	if (spill->tail.bad)
		return loom_fail(err, spill->tail.bad, "the import's records are too large");
	if (spill->tail.n < (spill->fd < 0 ? IN_MEMORY : IN_TAIL))
		return LOOM_OK;
	return flush(spill, err);
}

enum loom_status tool_spill_seal(struct tool_spill *spill, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	void *map;

	if (spill->fd < 0 || spill->map)
		return LOOM_OK;
	status = flush(spill, err);
	if (status != LOOM_OK || !spill->flushed)
		return status;
	map = mmap(NULL, spill->flushed, PROT_READ, MAP_SHARED, spill->fd, 0);
	if (map == MAP_FAILED)
		return machine_fail(spill, err);
	spill->map = map;
	return LOOM_OK;
}

static struct loom_str read_back(struct tool_spill *spill, uint64_t at, size_t n)
{
	char *room = loom_alloc(n + 1);
	ssize_t got = pread(spill->fd, room, n, (off_t)at);

	loom_buf_clear(&spill->piece);
	if (got > 0)
		loom_buf_add(&spill->piece, loom_str_make(room, (size_t)got));
	free(room);
	return loom_buf_str(&spill->piece);
}

/* What was read need not stay in memory: it is mostly read in its order, and the file has it. */
static void forget(struct tool_spill *spill, uint64_t at)
{
	const uint64_t page = 4096;

	if (at < spill->forgotten)
		spill->forgotten = at;
	if (at < spill->forgotten + FORGET_EVERY)
		return;
	spill->forgotten = at / page * page;
	(void)madvise((void *)(uintptr_t)spill->map, spill->forgotten, MADV_DONTNEED);
}

struct loom_str tool_spill_at(struct tool_spill *spill, uint64_t at, size_t n)
{
	const uint64_t end = tool_spill_end(spill);

	if (at > end || n > end - at)
		return loom_str_make("", 0);
	if (at >= spill->flushed)
		return loom_str_make(spill->tail.p + (at - spill->flushed), n);
	if (n > spill->flushed - at)
		return loom_str_make("", 0);
	if (spill->map) {
		forget(spill, at);
		return loom_str_make(spill->map + at, n);
	}
	return read_back(spill, at, n);
}
