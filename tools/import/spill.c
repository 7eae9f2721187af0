/* The spill: append-only bytes, in memory while few, then in an unnamed file, which leaves nothing
 * behind. The next settle reports a failed write. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <loom/import/frame.h>

enum { IN_MEMORY = 16 << 20, IN_TAIL = 1 << 20 };

void import_spill_init(struct import_spill *spill, const char *dir, struct loom_pages *pages)
{
	*spill = (struct import_spill){.fd = -1, .pages = pages};
	loom_buf_init(&spill->dir, 1 << 16);
	loom_buf_adds(&spill->dir, dir && *dir ? dir : "/tmp");
	loom_buf_init(&spill->tail, SIZE_MAX / 4);
	loom_buf_init_on(&spill->piece, SIZE_MAX / 4, pages);
}

void import_spill_fini(struct import_spill *spill)
{
	if (spill->map && spill->pages)
		loom_pages_unlend(spill->pages, spill->map);
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

uint64_t import_spill_end(const struct import_spill *spill)
{
	return spill->flushed + spill->tail.n;
}

static void write_out(struct import_spill *spill, struct loom_str bytes)
{
	size_t at = 0;

	if (spill->fd < 0 && !spill->failed)
		spill->fd = open(loom_buf_cstr(&spill->dir), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spill->fd < 0 && !spill->failed)
		spill->failed = errno;
	while (at < bytes.n && !spill->failed) {
		ssize_t n = write(spill->fd, bytes.p + at, bytes.n - at);

		if (n <= 0 && errno != EINTR)
			spill->failed = errno ? errno : EIO;
		else if (n > 0)
			at += (size_t)n;
	}
	spill->flushed += at;
}

static void flush(struct import_spill *spill)
{
	write_out(spill, loom_buf_str(&spill->tail));
	if (spill->tail.n > 2 * IN_TAIL)
		loom_buf_fini(&spill->tail);
	loom_buf_clear(&spill->tail);
}

/* Large data goes straight into the file, without a copy. */
void import_spill_add(struct import_spill *spill, const void *bytes, size_t n)
{
	const struct loom_str added = loom_str_make(bytes, n);

	if (n < IN_TAIL) {
		loom_buf_add(&spill->tail, added);
		return;
	}
	flush(spill);
	write_out(spill, added);
}

static enum loom_status check(const struct import_spill *spill, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (spill->tail.bad)
		return loom_fail(err, spill->tail.bad, "the import's records are too large");
	if (!spill->failed)
		return LOOM_OK;
	status = loom_fail_errno(err, spill->failed, "the temporary file of the import in %s",
				 loom_buf_cstr(&spill->dir));
	return loom_hint(err, status, "set TMPDIR to another directory");
}

enum loom_status import_spill_settle(struct import_spill *spill, struct loom_err *err)
{
	if (spill->tail.n >= (spill->fd < 0 ? IN_MEMORY : IN_TAIL))
		flush(spill);
	return check(spill, err);
}

enum loom_status import_spill_seal(struct import_spill *spill, struct loom_err *err)
{
	void *map;

	if (spill->fd >= 0 && !spill->map)
		flush(spill);
	if (spill->fd < 0 || spill->map || !spill->flushed || spill->failed)
		return check(spill, err);
	map = mmap(NULL, spill->flushed, PROT_READ, MAP_SHARED, spill->fd, 0);
	if (map == MAP_FAILED) {
		spill->failed = errno;
		return check(spill, err);
	}
	spill->map = map;
	if (spill->pages)
		loom_pages_lend(spill->pages, map, spill->flushed);
	return LOOM_OK;
}

static struct loom_str read_back(struct import_spill *spill, uint64_t at, size_t n)
{
	ssize_t got = 0;

	loom_buf_clear(&spill->piece);
	loom_buf_reserve(&spill->piece, n);
	while (spill->piece.n < n) {
		got = pread(spill->fd, spill->piece.p + spill->piece.n, n - spill->piece.n,
			    (off_t)(at + spill->piece.n));
		if (got <= 0)
			break;
		spill->piece.n += (size_t)got;
	}
	return loom_buf_str(&spill->piece);
}

struct loom_str import_spill_at(struct import_spill *spill, uint64_t at, size_t n)
{
	const uint64_t end = import_spill_end(spill);

	if (at > end || n > end - at)
		return loom_str_make("", 0);
	if (at >= spill->flushed)
		return loom_str_make(spill->tail.p + (at - spill->flushed), n);
	if (n > spill->flushed - at)
		return loom_str_make("", 0);
	if (spill->map)
		loom_pages_touch(spill->pages, spill->map + at, n);
	return spill->map ? loom_str_make(spill->map + at, n) : read_back(spill, at, n);
}
