/* Zip archives (PKWARE's APPNOTE, 2.0): no encryption, no extra fields, no times, so that the same
 * content gives the same bytes. */
#define ZLIB_CONST
#include <zlib.h>

#include "write_zip.h"

enum { LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50, VERSION = 20, UTF8 = 1 << 11 };
/* 1 January 1980, the first day that a zip can name. */
enum { FIRST_DAY = 1 << 5 | 1 };

/* Numbers are written with their lowest byte first. */
static void add_number(struct loom_buf *out, uint64_t number, int bytes)
{
	for (int i = 0; i < bytes; i++)
		loom_buf_addc(out, (char)(number >> 8 * i & 0xFF));
}

/* A file, as its own header and the directory describe it. */
struct entry {
	struct loom_str name;
	struct loom_str packed;
	size_t size;
	uint32_t crc;
	unsigned method;
};

static void add_facts(struct loom_buf *out, const struct entry *entry)
{
	add_number(out, VERSION, 2);
	add_number(out, UTF8, 2);
	add_number(out, entry->method, 2);
	add_number(out, 0, 2);
	add_number(out, FIRST_DAY, 2);
	add_number(out, entry->crc, 4);
	add_number(out, entry->packed.n, 4);
	add_number(out, entry->size, 4);
	add_number(out, entry->name.n, 2);
	add_number(out, 0, 2); /* no extra field */
}

static void add_central(struct export_zip *zip, const struct entry *entry)
{
	add_number(&zip->directory, CENTRAL, 4);
	add_number(&zip->directory, VERSION, 2);
	add_facts(&zip->directory, entry);
	add_number(&zip->directory, 0, 2); /* no comment */
	add_number(&zip->directory, 0, 2); /* first disk */
	add_number(&zip->directory, 0, 2);
	add_number(&zip->directory, 0, 4);
	add_number(&zip->directory, zip->at, 4);
	loom_buf_add(&zip->directory, entry->name);
}

/* Packs a content into the arena, without the header of zlib. */
static struct loom_str pack(struct loom_arena *arena, struct loom_str content)
{
	z_stream z = {.next_in = Z_NULL};
	char *out;
	uLong room;

	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return content;
	room = deflateBound(&z, (uLong)content.n);
	out = LOOM_ARENA_ARRAY(arena, room, char);
	z.next_in = (const Bytef *)content.p;
	z.avail_in = (uInt)content.n;
	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out < content.n)
		content = loom_str_make(out, z.total_out);
	deflateEnd(&z);
	return content;
}

void export_zip_init(struct export_zip *zip, struct exporter *ex)
{
	*zip = (struct export_zip){.ex = ex};
	loom_buf_init(&zip->directory, SIZE_MAX / 4);
}

enum loom_status export_zip_add(struct export_zip *zip, const char *name, struct loom_str content,
				bool stored, struct loom_err *err)
{
	struct loom_buf *out = &zip->ex->buf;
	struct entry entry = {.name = loom_str_of(name), .packed = content, .size = content.n};
	const size_t before = out->n;

	if (content.n > LOOM_BUF_MAX || zip->at > UINT32_MAX - LOOM_BUF_MAX || zip->count == 0xFFFF)
		return loom_fail(err, LOOM_LIMIT, "this is too much for one zip");
	entry.crc = (uint32_t)crc32(0, (const Bytef *)content.p, (uInt)content.n);
	if (!stored && content.n)
		entry.packed = pack(zip->ex->step, content);
	entry.method = entry.packed.p == content.p ? 0 : Z_DEFLATED;
	add_central(zip, &entry);
	add_number(out, LOCAL, 4);
	add_facts(out, &entry);
	loom_buf_add(out, entry.name);
	loom_buf_add(out, entry.packed);
	zip->at += out->n - before;
	zip->count++;
	return export_flow(zip->ex, err);
}

enum loom_status export_zip_fini(struct export_zip *zip, enum loom_status status,
				 struct loom_err *err)
{
	struct loom_buf *out = &zip->ex->buf;

	if (status == LOOM_OK) {
		loom_buf_add(out, loom_buf_str(&zip->directory));
		add_number(out, END, 4);
		add_number(out, 0, 4); /* one disk */
		add_number(out, zip->count, 2);
		add_number(out, zip->count, 2);
		add_number(out, zip->directory.n, 4);
		add_number(out, zip->at, 4);
		add_number(out, 0, 2);
		status = export_flow(zip->ex, err);
	}
	loom_buf_fini(&zip->directory);
	return status;
}
