/* The list of pieces in a model_input row. A row refers to the input row before it, its "base": in
 * "parts" a text is the hash of a piece, [from, count] are pieces of the base's list. A row without
 * a base names every piece. Invariants: a list is the same however its row was written; a chain of
 * rows is read in one pass, newest first, and never longer than CHAIN_MAX if we wrote it. */
#include "inside.h"

#define CHAIN_MAX 4096
#define LIST_MAX  ((int64_t)1 << 22) /* pieces; a row that claims more is damaged */

/* ---- reading ---- */

/* Places of the list asked for that are places in the list of the row that is read next. */
struct span {
	size_t to;
	size_t from;
	size_t count;
};
struct spans {
	struct span *items;
	size_t count;
	size_t cap;
};

/* One of a row's parts: a piece, or copies of pieces. */
struct part {
	size_t start; /* its place in the row's list */
	size_t count;
	size_t from;
	struct loom_hash hash;
	bool copied;
};

struct reading {
	struct loom_arena *arena;
	struct model_input_list *out;
	struct spans open;
	int64_t wanted; /* the row that `open` refers to */
	bool damaged;
};

static void add_span(struct spans *spans, struct loom_arena *arena, struct span span)
{
	struct span *last = spans->count ? &spans->items[spans->count - 1] : NULL;

	LOOM_ASSERT(span.count > 0);
	if (last && last->to + last->count == span.to && last->from + last->count == span.from) {
		last->count += span.count;
		return;
	}
	spans->items = loom_arena_grow(arena, spans->items, spans->count, &spans->cap,
				       sizeof *spans->items);
	spans->items[spans->count++] = span;
}

/* Reads a part that begins at `start`; false if it is neither a hash nor a range. */
static bool read_part(struct loom_str value, size_t start, struct part *out)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str first = {NULL, 0};
	struct loom_str second = {NULL, 0};
	int64_t from = 0;
	int64_t count = 0;

	*out = (struct part){.start = start, .count = 1};
	if (loom_jval_type(value) == LOOM_JTYPE_STRING)
		return loom_unhex(loom_str_sub(value, 1, value.n - 2), out->hash.bytes,
				  sizeof out->hash.bytes);
	if (walk.object || !loom_jwalk_next(&walk, NULL, &first) ||
	    !loom_jwalk_next(&walk, NULL, &second) || !loom_jval_int(first, &from) ||
	    !loom_jval_int(second, &count) || from < 0 || count < 1 || from > LIST_MAX ||
	    count > LIST_MAX)
		return false;
	out->copied = true;
	out->from = (size_t)from;
	out->count = (size_t)count;
	return true;
}

/* Gives the part's share of each open span: pieces into the list, copies into `next`. Returns the
 * number of places it gave. */
static size_t give(struct reading *reading, const struct part *part, struct spans *next)
{
	size_t given = 0;

	for (size_t i = 0; i < reading->open.count; i++) {
		const struct span *span = &reading->open.items[i];
		size_t low = span->from > part->start ? span->from : part->start;
		size_t high = span->from + span->count;

		if (part->start + part->count < high)
			high = part->start + part->count;
		if (low >= high)
			continue;
		given += high - low;
		if (part->copied)
			add_span(next, reading->arena,
				 (struct span){.to = span->to + (low - span->from),
					       .from = part->from + (low - part->start),
					       .count = high - low});
		else
			reading->out->hashes[span->to + (low - span->from)] = part->hash;
	}
	return given;
}

/* Returns the length of a row's list, -1 if the row is damaged. */
static int64_t list_length(struct loom_str parts)
{
	struct loom_jwalk walk = loom_jval_walk(parts);
	struct loom_str value;
	struct part part;
	int64_t length = 0;

	if (loom_jval_type(parts) != LOOM_JTYPE_ARRAY)
		return -1;
	while (loom_jwalk_next(&walk, NULL, &value)) {
		if (!read_part(value, 0, &part) || length > LIST_MAX)
			return -1;
		length += (int64_t)part.count;
	}
	return length;
}

/* Begins with the newest row: all of its list is asked for. */
static bool begin_list(struct reading *reading, const struct loom_log_row *row,
		       struct loom_str parts)
{
	struct model_input_list *out = reading->out;
	int64_t length = list_length(parts);

	out->seq = row->seq;
	(void)loom_jval_int(loom_jval_get(row->payload, "budget"), &out->budget);
	if (length < 0 || length > LIST_MAX)
		return false;
	out->count = (size_t)length;
	out->hashes = LOOM_ARENA_ARRAY(reading->arena, out->count + 1, struct loom_hash);
	if (length)
		add_span(&reading->open, reading->arena, (struct span){.count = out->count});
	return true;
}

/* Resolves what the row can; returns false if it is damaged. */
static bool resolve(struct reading *reading, const struct loom_log_row *row)
{
	struct loom_str parts = loom_jval_get(row->payload, "parts");
	struct loom_jwalk walk = loom_jval_walk(parts);
	struct spans next = {.items = NULL};
	struct loom_str value;
	struct part part;
	size_t start = 0;
	size_t given = 0;
	size_t asked = 0;

	if (reading->out->seq == LOOM_SEQ_NONE && !begin_list(reading, row, parts))
		return false;
	for (size_t i = 0; i < reading->open.count; i++)
		asked += reading->open.items[i].count;
	while (loom_jwalk_next(&walk, NULL, &value)) {
		if (!read_part(value, start, &part))
			return false;
		given += give(reading, &part, &next);
		start += part.count;
	}
	reading->open = next;
	reading->out->rows++;
	if (given != asked)
		return false;
	return !next.count ||
	       (loom_jval_int(loom_jval_get(row->payload, "base"), &reading->wanted) &&
		reading->wanted >= 0 && reading->wanted < row->seq);
}

static bool see_row(void *ctx, const struct loom_log_row *row)
{
	struct reading *reading = ctx;

	if (!loom_str_is(row->kind, LOOM_KIND_INPUT) || row->seq > reading->wanted)
		return true;
	reading->damaged = (reading->out->seq != LOOM_SEQ_NONE && row->seq < reading->wanted) ||
			   !resolve(reading, row);
	return !reading->damaged && reading->open.count > 0;
}

enum loom_status model_input_list_read(const struct loom_log *log, int64_t at,
				       struct loom_arena *arena, struct model_input_list *out,
				       struct loom_err *err)
{
	struct reading reading = {.arena = arena, .out = out, .wanted = at};
	const struct loom_log_visitor visitor = {see_row, &reading};
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = at,
					     .kind = LOOM_STR(LOOM_KIND_INPUT),
					     .newest_first = true};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(log->ops && out);
	*out = (struct model_input_list){.seq = LOOM_SEQ_NONE};
	status = log->ops->read(log->ctx, &range, &visitor, err);
	out->damaged = reading.damaged || reading.open.count > 0;
	return status;
}

/* ---- writing ---- */

/* Where each hash stands first in the base's list. */
struct places {
	const struct model_input_list *list;
	size_t *slots; /* index + 1; 0: free */
	size_t mask;
};

static size_t *place_slot(const struct places *places, const struct loom_hash *hash)
{
	size_t at = 0;

	memcpy(&at, hash->bytes, sizeof at);
	for (at &= places->mask; places->slots[at]; at = (at + 1) & places->mask)
		if (loom_hash_eq(&places->list->hashes[places->slots[at] - 1], hash))
			break;
	return &places->slots[at];
}

static void find_places(const struct model_input_list *list, struct loom_arena *arena,
			struct places *out)
{
	size_t slots = 16;

	while (slots < 2 * list->count)
		slots *= 2;
	*out = (struct places){.list = list, .mask = slots - 1};
	out->slots = LOOM_ARENA_ARRAY(arena, slots, size_t);
	for (size_t i = 0; i < list->count; i++) {
		size_t *slot = place_slot(out, &list->hashes[i]);

		if (!*slot)
			*slot = i + 1;
	}
}

static bool stands_at(const struct model_input_list *list, size_t at, const struct loom_hash *hash)
{
	return at < list->count && loom_hash_eq(&list->hashes[at], hash);
}

/* Returns the place of the hash in the base's list, or its length if it is new. `next` follows the
 * last copy; behind a piece that was replaced the list goes on one further. */
static size_t place_of(const struct places *places, size_t next, const struct loom_hash *hash)
{
	size_t *slot = NULL;

	for (size_t at = next; at < next + 2; at++)
		if (stands_at(places->list, at, hash))
			return at;
	slot = place_slot(places, hash);
	return *slot ? *slot - 1 : places->list->count;
}

static void put_hash(const struct loom_hash *hash, struct loom_json *json)
{
	struct loom_buf hex = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_hash_hex(hash, &hex);
	loom_json_text(json, loom_buf_str(&hex));
	loom_buf_fini(&hex);
}

/* Writes the parts: what the base has is copied, the rest is named. */
static void put_parts(const struct places *places, const struct loom_hash *hashes, size_t count,
		      struct loom_json *json)
{
	size_t next = 0;

	for (size_t i = 0; i < count;) {
		size_t from = place_of(places, next, &hashes[i]);
		size_t copied = 0;

		while (i + copied < count &&
		       stands_at(places->list, from + copied, &hashes[i + copied]))
			copied++;
		if (!copied) {
			put_hash(&hashes[i++], json);
			continue;
		}
		loom_json_array(json);
		loom_json_number(json, (int64_t)from);
		loom_json_number(json, (int64_t)copied);
		loom_json_end_array(json);
		next = from + copied;
		i += copied;
	}
}

enum loom_status model_input_list_write(const struct loom_log *log, const struct loom_hash *hashes,
					size_t count, struct loom_json *json, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct model_input_list base;
	struct places places;
	enum loom_status status = model_input_list_read(log, LOOM_SEQ_HEAD, arena, &base, err);
	bool based = !base.damaged && base.count > 0 && base.rows < CHAIN_MAX;

	if (!based)
		base.count = 0;
	find_places(&base, arena, &places);
	if (based)
		loom_json_put_int(json, "base", base.seq);
	loom_json_key(json, "parts");
	loom_json_array(json);
	put_parts(&places, hashes, count, json);
	loom_json_end_array(json);
	loom_arena_destroy(arena);
	return status;
}
