/* Rows as stored on a b-tree page: located through the page's own index, assembled from their
 * overflow pages, split into values. Nothing on a page is trusted: every offset and length is
 * checked against its bounds. */
#include "inside.h"

#define ROW_MAX ((uint64_t)256 << 20)

/* On the first page, the page header follows the file's. */
static size_t head_at(uint32_t number)
{
	return number == 1 ? 100 : 0;
}

static size_t be16(const uint8_t *p)
{
	return (size_t)p[0] << 8 | p[1];
}

int model_page_type(const uint8_t *page, uint32_t number)
{
	return page[head_at(number)];
}

static size_t list_at(const uint8_t *page, uint32_t number)
{
	const int type = model_page_type(page, number);

	return head_at(number) + (type == 2 || type == 5 ? 12 : 8);
}

int model_page_rows(const struct model_pages *pages, const uint8_t *page, uint32_t number)
{
	const int type = model_page_type(page, number);
	const size_t rows = be16(page + head_at(number) + 3);

	LOOM_ASSERT(pages->usable > 0);
	if ((type != 2 && type != 5 && type != 10 && type != 13) ||
	    list_at(page, number) + 2 * rows > pages->usable)
		return -1;
	return (int)rows;
}

/* Returns the offset of a row; 0 if it is outside the page. */
static size_t row_at(const struct model_pages *pages, const uint8_t *page, uint32_t number,
		     int index)
{
	const size_t rows = be16(page + head_at(number) + 3);
	const size_t at = be16(page + list_at(page, number) + 2 * (size_t)index);

	LOOM_ASSERT(index >= 0);
	return at < list_at(page, number) + 2 * rows || at + 4 > pages->usable ? 0 : at;
}

uint32_t model_page_child(const struct model_pages *pages, const uint8_t *page, uint32_t number,
			  int index)
{
	size_t at = head_at(number) + 8;

	if (index < model_page_rows(pages, page, number))
		at = row_at(pages, page, number, index);
	return at ? model_be32(page + at) : 0;
}

/* Reads a number of one to nine bytes; false if it does not end within bounds. */
static bool read_varint(const uint8_t *p, size_t n, size_t *at, uint64_t *out)
{
	LOOM_ASSERT(at && out);
	*out = 0;
	for (int i = 0; i < 9 && *at < n; i++) {
		const uint8_t byte = p[(*at)++];

		if (i == 8) {
			*out = *out << 8 | byte;
			return true;
		}
		*out = *out << 7 | (byte & 0x7f);
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Returns how much of a row of `whole` bytes is on its own page. */
static size_t local_part(const struct model_pages *pages, uint64_t whole, bool numbered)
{
	const size_t usable = pages->usable;
	const size_t most = numbered ? usable - 35 : (usable - 12) * 64 / 255 - 23;
	const size_t least = (usable - 12) * 32 / 255 - 23;
	size_t some = 0;

	if (whole <= most)
		return (size_t)whole;
	some = least + (size_t)((whole - least) % (usable - 4));
	LOOM_ASSERT(some >= least);
	return some <= most ? some : least;
}

static bool read_overflow(const struct model_leaf *leaf, uint32_t next, uint64_t rest)
{
	uint8_t *page = loom_alloc(leaf->pages->size);
	bool good = true;

	LOOM_ASSERT(leaf->overflow);
	while (rest && good) {
		const size_t room = leaf->pages->usable - 4;
		const size_t n = rest < room ? (size_t)rest : room;

		good = next != leaf->number && model_page_read(leaf->pages, next, page);
		if (!good)
			break;
		leaf->overflow(leaf->ctx, next);
		loom_buf_add(leaf->payload, loom_str_make((const char *)page + 4, n));
		next = model_be32(page);
		rest -= n;
	}
	free(page);
	return good;
}

/* Assembles the whole row. */
static bool read_payload(const struct model_leaf *leaf, size_t at, bool numbered, int64_t *rowid)
{
	const size_t end = leaf->pages->usable;
	uint64_t whole = 0;
	uint64_t id = 0;
	size_t local = 0;

	loom_buf_clear(leaf->payload);
	if (!read_varint(leaf->page, end, &at, &whole) || whole > leaf->pages->bytes ||
	    whole > ROW_MAX || (numbered && !read_varint(leaf->page, end, &at, &id)))
		return false;
	*rowid = (int64_t)id;
	local = local_part(leaf->pages, whole, numbered);
	if (local > end - at)
		return false;
	loom_buf_add(leaf->payload, loom_str_make((const char *)leaf->page + at, local));
	LOOM_ASSERT(at + local <= end);
	if (local == whole)
		return true;
	at += local;
	return at + 4 <= end && read_overflow(leaf, model_be32(leaf->page + at), whole - local);
}

/* ---- values ---- */

static size_t size_of_type(uint64_t type)
{
	static const size_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

	LOOM_ASSERT(type != 10 && type != 11);
	return type < LOOM_COUNT(sizes) ? sizes[type] : (size_t)(type - 12) / 2;
}

static int64_t read_int(const uint8_t *p, size_t n)
{
	uint64_t value = n && (p[0] & 0x80) ? UINT64_MAX : 0;

	LOOM_ASSERT(n <= 8);
	for (size_t i = 0; i < n; i++)
		value = value << 8 | p[i];
	return (int64_t)value;
}

static void read_value(uint64_t type, const uint8_t *p, struct model_cell *out)
{
	const size_t n = size_of_type(type);

	*out = (struct model_cell){.type = MODEL_CELL_INT};
	if (type == 0) {
		out->type = MODEL_CELL_NULL;
	} else if (type == 8 || type == 9) {
		out->n = (int64_t)type - 8;
	} else if (type == 7) {
		int64_t bits = read_int(p, 8);

		out->type = MODEL_CELL_REAL;
		memcpy(&out->real, &bits, sizeof out->real);
	} else if (type < 7) {
		out->n = read_int(p, n);
	} else {
		out->type = type & 1 ? MODEL_CELL_TEXT : MODEL_CELL_BLOB;
		out->s = loom_str_make((const char *)p, n);
	}
}

static bool read_values(struct loom_str payload, struct model_cells *out)
{
	const uint8_t *p = (const uint8_t *)payload.p;
	uint64_t head = 0;
	uint64_t type = 0;
	size_t at = 0;
	size_t body = 0;

	if (!read_varint(p, payload.n, &at, &head) || head > payload.n || head < at)
		return false;
	body = (size_t)head;
	for (out->count = 0; at < head; out->count++) {
		if (out->count == MODEL_CELLS_MAX || !read_varint(p, (size_t)head, &at, &type) ||
		    type == 10 || type == 11 || (type >= 12 && (type - 12) / 2 > payload.n) ||
		    size_of_type(type) > payload.n - body)
			return false;
		LOOM_ASSERT(body <= payload.n);
		read_value(type, p + body, &out->items[out->count]);
		body += size_of_type(type);
	}
	return at == head && body == payload.n;
}

bool model_row_read(const struct model_leaf *leaf, int index, struct model_cells *out)
{
	const int type = model_page_type(leaf->page, leaf->number);
	size_t at = row_at(leaf->pages, leaf->page, leaf->number, index);

	LOOM_ASSERT(index >= 0 && out);
	out->count = 0;
	if (!at || type == 5)
		return false;
	return read_payload(leaf, type == 2 ? at + 4 : at, type == 13, &out->rowid) &&
	       read_values(loom_buf_str(leaf->payload), out);
}

bool model_row_number(const struct model_leaf *leaf, int index, int64_t *out)
{
	size_t at = row_at(leaf->pages, leaf->page, leaf->number, index);
	uint64_t whole = 0;
	uint64_t id = 0;
	const bool good = at && read_varint(leaf->page, leaf->pages->usable, &at, &whole) &&
			  read_varint(leaf->page, leaf->pages->usable, &at, &id);

	*out = (int64_t)id;
	return good;
}
