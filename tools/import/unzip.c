/* ZIP archives as vendors ship them. Invariants: nothing in an archive is believed: every offset is
 * checked, members do not overlap, a member is exactly as long as it says and no longer than a file
 * may be, and all together are bounded. Members are read one at a time; their names are only
 * shown. */
#include <loom/base/library.h>

#include <zlib.h>

#include "take.h"

enum {
	END_LEAST = 22,
	END_FAR = END_LEAST + 65535,
	CENTRAL_LEAST = 46,
	LOCAL_LEAST = 30,
	MEMBERS_MAX = 100000,
	OUT = 1 << 17,
	STORED = 0,
	DEFLATED = 8,
	ZSTANDARD = 93,
};
#define TOTAL_MAX ((uint64_t)16 << 30)

static uint64_t number(struct loom_str bytes, size_t at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = size; i > 0; i--)
		value = value << 8 | (at + i - 1 < bytes.n ? (uint8_t)bytes.p[at + i - 1] : 0);
	return value;
}

static bool is_at(struct loom_str bytes, size_t at, const char *magic)
{
	return loom_str_starts(loom_str_sub(bytes, at, 4), loom_str_make(magic, 4));
}

bool import_zip_is(struct loom_str head)
{
	return is_at(head, 0, "PK\3\4") || is_at(head, 0, "PK\5\6");
}

static enum loom_status damaged(const struct import_zip *zip, const char *why, struct loom_err *err)
{
	return loom_fail(err, LOOM_INVALID, "%.*s: a damaged archive: %s", LOOM_STR_ARG(zip->name),
			 why);
}

/* ---- the list of members ---- */

/* The end of the archive; SIZE_MAX if there is none. */
static size_t find_end(struct loom_str bytes)
{
	const size_t far = bytes.n > END_FAR ? bytes.n - END_FAR : 0;

	for (size_t at = bytes.n >= END_LEAST ? bytes.n - END_LEAST : SIZE_MAX;
	     at != SIZE_MAX && at >= far; at--)
		if (is_at(bytes, at, "PK\5\6"))
			return at;
	return SIZE_MAX;
}

struct list {
	uint64_t at;
	uint64_t count;
};

static struct list list_of(struct loom_str bytes, size_t end)
{
	struct list list = {.at = number(bytes, end + 16, 4), .count = number(bytes, end + 10, 2)};

	if (end >= 20 && is_at(bytes, end - 20, "PK\6\7")) {
		const uint64_t far = number(bytes, end - 20 + 8, 8);

		if (far < bytes.n && is_at(bytes, (size_t)far, "PK\6\6"))
			list = (struct list){.at = number(bytes, (size_t)far + 48, 8),
					     .count = number(bytes, (size_t)far + 32, 8)};
	}
	return list;
}

/* Large sizes and offsets stand in an extra field, in this order. */
static void take_large(struct loom_str extra, struct import_zip_member *member)
{
	uint64_t *const fields[] = {&member->size, &member->packed, &member->at};

	while (extra.n >= 4) {
		const size_t size = (size_t)number(extra, 2, 2);
		struct loom_str within = loom_str_sub(extra, 4, size);
		size_t at = 0;

		for (size_t i = 0; number(extra, 0, 2) == 1 && i < LOOM_COUNT(fields); i++)
			if (*fields[i] == UINT32_MAX && at + 8 <= within.n) {
				*fields[i] = number(within, at, 8);
				at += 8;
			}
		extra = loom_str_sub(extra, 4 + size, extra.n);
	}
}

static size_t take_member(struct loom_str bytes, size_t at, struct import_zip_member *out)
{
	const size_t name = (size_t)number(bytes, at + 28, 2);
	const size_t extra = (size_t)number(bytes, at + 30, 2);

	*out = (struct import_zip_member){
		.name = loom_str_sub(bytes, at + CENTRAL_LEAST, name),
		.secret = number(bytes, at + 8, 2) & 1,
		.method = (unsigned)number(bytes, at + 10, 2),
		.crc = (uint32_t)number(bytes, at + 16, 4),
		.packed = number(bytes, at + 20, 4),
		.size = number(bytes, at + 24, 4),
		.at = number(bytes, at + 42, 4),
	};
	take_large(loom_str_sub(bytes, at + CENTRAL_LEAST + name, extra), out);
	return CENTRAL_LEAST + name + extra + (size_t)number(bytes, at + 32, 2);
}

static int by_place(const void *a, const void *b)
{
	const struct import_zip_member *x = a;
	const struct import_zip_member *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Members that share bytes are how small archives become huge. */
static bool overlap(const struct import_zip *zip)
{
	for (size_t i = 0; i < zip->count; i++) {
		const struct import_zip_member *member = &zip->members[i];
		const uint64_t end = i + 1 < zip->count ? zip->members[i + 1].at : zip->bytes.n;

		if (member->at > zip->bytes.n || member->packed > zip->bytes.n ||
		    member->at + LOCAL_LEAST + member->packed > end)
			return true;
	}
	return false;
}

enum loom_status import_zip_open(struct loom_str name, struct loom_str bytes,
				 struct loom_arena *arena, struct import_zip *out,
				 struct loom_err *err)
{
	const size_t end = find_end(bytes);
	struct list list;
	uint64_t total = 0;
	size_t at;

	*out = (struct import_zip){.name = name, .bytes = bytes};
	if (end == SIZE_MAX)
		return damaged(out, "it has no end", err);
	list = list_of(bytes, end);
	if (list.count > MEMBERS_MAX)
		return loom_fail(err, LOOM_LIMIT, "%.*s: more than %d files in an archive",
				 LOOM_STR_ARG(name), MEMBERS_MAX);
	out->members = LOOM_ARENA_ARRAY(arena, list.count + 1, struct import_zip_member);
	at = list.at < bytes.n ? (size_t)list.at : bytes.n;
	for (; out->count < list.count; out->count++) {
		if (!is_at(bytes, at, "PK\1\2"))
			return damaged(out, "its list is cut off", err);
		at += take_member(bytes, at, &out->members[out->count]);
		total += out->members[out->count].size;
	}
	qsort(out->members, out->count, sizeof *out->members, by_place);
	if (overlap(out))
		return damaged(out, "its files overlap", err);
	if (total > TOTAL_MAX)
		return loom_fail(err, LOOM_LIMIT, "%.*s: its files are larger than %d GiB together",
				 LOOM_STR_ARG(name), (int)(TOTAL_MAX >> 30));
	return LOOM_OK;
}

/* ---- a member ---- */

/* Where unpacked bytes go, until there are as many as wanted. */
struct unpacking {
	const struct import_zip *zip;
	const struct import_zip_member *member;
	struct loom_str packed;
	uint64_t most;
	uint64_t done;
	uint32_t crc;
	enum loom_status (*put)(void *ctx, struct loom_str bytes, struct loom_err *err);
	void *ctx;
};

static enum loom_status put(struct unpacking *u, const char *bytes, size_t n, struct loom_err *err)
{
	if (u->done + n > u->member->size)
		return damaged(u->zip, "a file is larger than it says", err);
	n = u->done + n > u->most ? (size_t)(u->most - u->done) : n;
	u->crc = (uint32_t)crc32(u->crc, (const Bytef *)bytes, (uInt)n);
	u->done += n;
	return u->put(u->ctx, loom_str_make(bytes, n), err);
}

static enum loom_status copy_stored(struct unpacking *u, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t at = 0; status == LOOM_OK && at < u->packed.n && u->done < u->most; at += OUT) {
		struct loom_str piece = loom_str_sub(u->packed, at, OUT);

		status = put(u, piece.p, piece.n, err);
	}
	return status;
}

static enum loom_status inflate_all(struct unpacking *u, struct loom_err *err)
{
	z_stream z = {.zalloc = NULL};
	char *out = loom_alloc(OUT);
	size_t fed = 0;
	int code = inflateInit2(&z, -MAX_WBITS);
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && code == Z_OK && u->done < u->most) {
		if (!z.avail_in) {
			struct loom_str piece = loom_str_sub(u->packed, fed, (size_t)1 << 20);

			z.next_in = (Bytef *)(uintptr_t)piece.p;
			z.avail_in = (uInt)piece.n;
			fed += piece.n;
		}
		z.next_out = (Bytef *)out;
		z.avail_out = OUT;
		code = inflate(&z, Z_NO_FLUSH);
		if (code == Z_OK || code == Z_STREAM_END)
			status = put(u, out, OUT - z.avail_out, err);
	}
	if (status == LOOM_OK && code != Z_OK && code != Z_STREAM_END)
		status = damaged(u->zip, "a file cannot be unpacked", err);
	inflateEnd(&z);
	free(out);
	return status;
}

/* The little of libzstd that is needed; its own names. */
struct zstd_in {
	const void *src;
	size_t size;
	size_t pos;
};
struct zstd_out {
	void *dst;
	size_t size;
	size_t pos;
};
struct zstd {
	void *(*create)(void);
	size_t (*destroy)(void *stream);
	size_t (*step)(void *stream, struct zstd_out *out, struct zstd_in *in);
	unsigned (*failed)(size_t code);
};

static bool load_zstd(struct zstd *out)
{
	static const char *const files[] = {"libzstd.so.1", NULL};
	static const struct loom_symbol symbols[] = {
		{"ZSTD_createDStream", offsetof(struct zstd, create)},
		{"ZSTD_freeDStream", offsetof(struct zstd, destroy)},
		{"ZSTD_decompressStream", offsetof(struct zstd, step)},
		{"ZSTD_isError", offsetof(struct zstd, failed)},
	};

	return loom_library_load(files, symbols, LOOM_COUNT(symbols), out);
}

static enum loom_status unpack_zstd(struct unpacking *u, struct loom_err *err)
{
	struct zstd lib;
	struct zstd_in in = {.src = u->packed.p, .size = u->packed.n};
	struct zstd_out out = {.size = OUT};
	enum loom_status status = LOOM_OK;
	void *stream;

	if (!load_zstd(&lib)) {
		loom_fail(err, LOOM_REFUSED,
			  "%.*s is packed with Zstandard, and libzstd is not here",
			  LOOM_STR_ARG(u->zip->name));
		return loom_hint(err, LOOM_REFUSED, "install libzstd1, or pack it again as ZIP");
	}
	out.dst = loom_alloc(OUT);
	stream = lib.create();
	while (status == LOOM_OK && u->done < u->most && u->done < u->member->size) {
		const size_t before = in.pos;
		size_t left;

		out.pos = 0;
		left = lib.step(stream, &out, &in);
		if (lib.failed(left) || (!out.pos && in.pos == before))
			status = damaged(u->zip, "a file cannot be unpacked", err);
		else
			status = put(u, out.dst, out.pos, err);
	}
	lib.destroy(stream);
	free(out.dst);
	return status;
}

enum loom_status import_zip_read(const struct import_zip *zip, size_t member, uint64_t most,
				 enum loom_status (*give)(void *ctx, struct loom_str bytes,
							  struct loom_err *err),
				 void *ctx, struct loom_err *err)
{
	const struct import_zip_member *m = &zip->members[member];
	const size_t at = (size_t)m->at;
	const size_t from = at + LOCAL_LEAST + (size_t)number(zip->bytes, at + 26, 2) +
			    (size_t)number(zip->bytes, at + 28, 2);
	struct unpacking u = {.zip = zip, .member = m, .most = most, .put = give, .ctx = ctx};
	enum loom_status status;

	u.packed = loom_str_sub(zip->bytes, from, (size_t)m->packed);
	if (!is_at(zip->bytes, at, "PK\3\4") || u.packed.n != m->packed)
		return damaged(zip, "a file is not where it should be", err);
	if (m->secret)
		return loom_fail(err, LOOM_REFUSED, "%.*s: its files are encrypted",
				 LOOM_STR_ARG(zip->name));
	if (m->method == STORED)
		status = copy_stored(&u, err);
	else if (m->method == DEFLATED)
		status = inflate_all(&u, err);
	else if (m->method == ZSTANDARD)
		status = unpack_zstd(&u, err);
	else
		return loom_fail(err, LOOM_REFUSED,
				 "%.*s: packed in a way that loom cannot read (method %u)",
				 LOOM_STR_ARG(zip->name), m->method);
	if (status == LOOM_OK && most >= m->size && (u.done != m->size || u.crc != m->crc))
		status = damaged(zip, "a file is not what it was", err);
	return status;
}
