/* Entries as bytes. Reading is strict: whatever we would not have written is refused, because the
 * bytes come from others. */
#include <loom/remote/entry.h>

#include <stdlib.h>

#define MARK "loom-1\n"

/* --- order --- */

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_cells(const struct model_cell *a, const struct model_cell *b)
{
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return a->type == MODEL_CELL_INT ? compare_numbers(a->n, b->n) : loom_str_cmp(a->s, b->s);
}

/* Rows of the later tables hang on those of the earlier ones, and are removed first. */
static int compare(const struct model_change *a, const struct model_change *b)
{
	const size_t keys = model_classes[a->class].keys;
	int order = compare_numbers(a->act, b->act);

	if (!order && a->class != b->class)
		return (a->class < b->class) == (a->act != MODEL_GONE) ? -1 : 1;
	for (size_t i = 0; !order && i < keys; i++)
		order = compare_cells(&a->now[i], &b->now[i]);
	return order;
}

static int compare_items(const void *a, const void *b)
{
	return compare(a, b);
}

/* --- writing --- */

static void put_number(uint64_t n, struct loom_buf *out)
{
	for (; n >= 0x80; n >>= 7)
		loom_buf_addc(out, (char)(0x80 | (n & 0x7F)));
	loom_buf_addc(out, (char)n);
}

/* Small numbers of either sign are short. */
static void put_signed(int64_t n, struct loom_buf *out)
{
	put_number(((uint64_t)n << 1) ^ (n < 0 ? UINT64_MAX : 0), out);
}

static void put_bytes(struct loom_str s, struct loom_buf *out)
{
	put_number(s.n, out);
	loom_buf_add(out, s);
}

static void put_cell(const struct model_cell *cell, struct loom_buf *out)
{
	loom_buf_addc(out, (char)cell->type);
	if (cell->type == MODEL_CELL_INT)
		put_signed(cell->n, out);
	else if (cell->type != MODEL_CELL_NULL)
		put_bytes(cell->s, out);
}

static void put_cells(const struct model_cell *cells, size_t from, size_t to, struct loom_buf *out)
{
	for (size_t i = from; i < to; i++)
		put_cell(&cells[i], out);
}

static void put_change(const struct model_shape *shape, const struct model_change *change,
		       struct loom_buf *out)
{
	const size_t keys = shape->class->keys;

	LOOM_ASSERT(change->act != MODEL_CHANGED || (change->set && change->was));
	loom_buf_addc(out, (char)change->act);
	put_number(change->class, out);
	put_cells(change->now, 0, keys, out);
	switch (change->act) {
	case MODEL_CHANGED:
		put_number(change->set, out);
		for (size_t i = keys; i < shape->shared; i++) {
			if (!(change->set >> i & 1))
				continue;
			put_cell(&change->was[i], out);
			put_cell(&change->now[i], out);
		}
		break;
	case MODEL_ADDED:
		put_cells(change->now, keys, shape->all, out);
		break;
	case MODEL_MINE:
		put_cells(change->now, shape->shared, shape->all, out);
		break;
	case MODEL_GONE:
	case MODEL_LEFT:
		break;
	}
}

void model_entry_encode(const struct model_shape *shapes, struct model_entry *entry,
			struct loom_buf *out)
{
	LOOM_ASSERT(entry->base >= 0 && loom_str_ok(entry->role));
	qsort(entry->changes, entry->count, sizeof *entry->changes, compare_items);
	loom_buf_add(out, LOOM_STR(MARK));
	put_signed(entry->schema, out);
	put_signed(entry->base, out);
	loom_buf_add(out, loom_str_make((const char *)entry->prev.bytes, sizeof entry->prev.bytes));
	loom_buf_add(out, loom_str_make((const char *)entry->uid, sizeof entry->uid));
	put_signed(entry->at, out);
	put_bytes(entry->role, out);
	put_number(entry->count, out);
	for (size_t i = 0; i < entry->count; i++)
		put_change(&shapes[entry->changes[i].class], &entry->changes[i], out);
}

struct loom_hash model_entry_chain(const struct loom_hash *prev, struct loom_str bytes)
{
	const struct loom_str parts[] = {loom_str_make((const char *)prev->bytes,
						       sizeof prev->bytes),
					 bytes};

	return loom_sha256_parts(parts, LOOM_COUNT(parts));
}

void model_key_encode(const struct model_shape *shape, const struct model_cell *now,
		      struct loom_buf *out)
{
	put_cells(now, 0, shape->class->keys, out);
}

/* --- reading --- */

/* The rest of the bytes; `bad` once something was wrong. */
struct source {
	struct loom_str rest;
	bool bad;
};

static struct loom_str take(struct source *from, uint64_t n)
{
	struct loom_str out = {"", 0};

	if (from->bad || n > from->rest.n) {
		from->bad = true;
		return out;
	}
	out = loom_str_make(from->rest.p, (size_t)n);
	from->rest.p += n;
	from->rest.n -= (size_t)n;
	return out;
}

static uint8_t take_byte(struct source *from)
{
	const struct loom_str one = take(from, 1);

	return one.n ? (uint8_t)one.p[0] : 0;
}

static uint64_t take_number(struct source *from)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t byte = take_byte(from);

		/* The last of ten bytes has one bit, and a number ends with a byte that says
		 * something. */
		if ((shift == 63 && byte > 1) || (shift && !byte))
			break;
		n |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80))
			return n;
	}
	from->bad = true;
	return 0;
}

static int64_t take_signed(struct source *from)
{
	const uint64_t n = take_number(from);

	return (int64_t)(n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
}

static void take_cell(struct source *from, struct model_cell *out)
{
	const uint8_t type = take_byte(from);

	*out = (struct model_cell){.type = MODEL_CELL_NULL};
	if (type > MODEL_CELL_BLOB)
		from->bad = true;
	if (from->bad || type == MODEL_CELL_NULL)
		return;
	if (type == MODEL_CELL_INT)
		*out = (struct model_cell){.type = MODEL_CELL_INT, .n = take_signed(from)};
	else
		*out = (struct model_cell){.type = type == MODEL_CELL_TEXT ? MODEL_CELL_TEXT
									   : MODEL_CELL_BLOB,
					   .s = take(from, take_number(from))};
}

static void take_cells(struct source *from, struct model_cell *cells, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		take_cell(from, &cells[i]);
}

static void take_set(struct source *from, const struct model_shape *shape,
		     struct model_change *change)
{
	change->set = take_number(from);
	if (!change->set || change->set & ~shape->changing)
		from->bad = true;
	for (size_t i = shape->class->keys; i < shape->shared && !from->bad; i++) {
		if (!(change->set >> i & 1))
			continue;
		take_cell(from, &change->was[i]);
		take_cell(from, &change->now[i]);
		if (!compare_cells(&change->was[i], &change->now[i]))
			from->bad = true;
	}
}

/* Whether the table's rule allows this act on its rows. */
static bool is_allowed(const struct model_shape *shape, enum model_act act)
{
	const unsigned may = shape->class->may;

	switch (act) {
	case MODEL_CHANGED:
		return may & MODEL_MAY_CHANGE;
	case MODEL_GONE:
		return may & MODEL_MAY_REMOVE;
	case MODEL_ADDED:
		return may & MODEL_MAY_ADD;
	case MODEL_MINE:
		return shape->all > shape->shared;
	case MODEL_LEFT:
		return may & MODEL_OWN;
	}
	return false;
}

static void take_change(const struct model_shape *shapes, struct source *from,
			struct loom_arena *arena, struct model_change *out)
{
	const uint8_t act = take_byte(from);
	const uint64_t class = take_number(from);
	const struct model_shape *shape = NULL;

	if (from->bad || act > MODEL_LEFT || class >= model_class_count ||
	    !is_allowed(&shapes[class], (enum model_act)act)) {
		from->bad = true;
		return;
	}
	shape = &shapes[class];
	*out = (struct model_change){.act = (enum model_act)act, .class = (size_t) class};
	out->now = LOOM_ARENA_ARRAY(arena, shape->all, struct model_cell);
	take_cells(from, out->now, 0, shape->class->keys);
	if (act == MODEL_CHANGED) {
		out->was = LOOM_ARENA_ARRAY(arena, shape->all, struct model_cell);
		take_set(from, shape, out);
	} else if (act == MODEL_ADDED) {
		take_cells(from, out->now, shape->class->keys, shape->all);
	} else if (act == MODEL_MINE) {
		take_cells(from, out->now, shape->shared, shape->all);
	}
}

static void take_head(struct source *from, struct model_entry *out)
{
	struct loom_str fixed;

	if (!loom_str_eq(take(from, sizeof MARK - 1), LOOM_STR(MARK)))
		from->bad = true;
	out->schema = take_signed(from);
	out->base = take_signed(from);
	fixed = take(from, sizeof out->prev.bytes);
	memcpy(out->prev.bytes, fixed.p, fixed.n);
	fixed = take(from, sizeof out->uid);
	memcpy(out->uid, fixed.p, fixed.n);
	out->at = take_signed(from);
	out->role = take(from, take_number(from));
}

enum loom_status model_entry_decode(const struct model_shape *shapes, struct loom_str bytes,
				    struct loom_arena *arena, struct model_entry *out,
				    struct loom_err *err)
{
	struct source from = {.rest = bytes};
	uint64_t count = 0;
	size_t cap = 0;

	*out = (struct model_entry){.schema = 0};
	take_head(&from, out);
	count = take_number(&from);
	while (!from.bad && out->count < count) {
		struct model_change *change;

		out->changes = loom_arena_grow(arena, out->changes, out->count, &cap,
					       sizeof *out->changes);
		change = &out->changes[out->count];
		take_change(shapes, &from, arena, change);
		if (!from.bad && out->count && compare(change - 1, change) >= 0)
			from.bad = true;
		out->count++;
	}
	LOOM_ASSERT(from.bad || out->count == count);
	if (!from.bad && !from.rest.n)
		return LOOM_OK;
	return loom_fail(err, LOOM_INVALID, "it is not an entry: byte %zu", bytes.n - from.rest.n);
}

bool model_key_decode(const struct model_shape *shape, struct loom_str bytes,
		      struct model_cell *now)
{
	struct source from = {.rest = bytes};

	take_cells(&from, now, 0, shape->class->keys);
	return !from.bad && !from.rest.n;
}
