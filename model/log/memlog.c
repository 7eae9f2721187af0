/* A log in memory that behaves like a stored one, transactions included. Invariants: rows ascend by
 * seq and never change; their text lives as long as the log. log.c defines what a row must be. */
#include <loom/log/memlog.h>

/* Names in order of first appearance, with a hash index. */
struct names {
	struct name {
		struct loom_str text;
		int64_t seq; /* seq of its first appearance */
	} * items;
	size_t count;
	size_t cap;
	size_t *slots; /* index + 1 of an item; 0: free */
	size_t slot_count;
};

/* An anchor or a valid operation: a replace with an unknown reason is an anchor, but not a valid
 * operation. */
struct kept_mark {
	struct loom_log_mark mark;
	bool operation;
};

struct loom_memlog {
	struct loom_arena *arena;
	struct loom_log_row *rows;
	size_t count;
	size_t cap;
	struct names op_ids;
	struct names lanes;
	struct kept_mark *marks;
	size_t mark_count;
	size_t mark_cap;
	struct loom_buf slots[LOOM_SLOT_COUNT];
	struct loom_str *runs;
	size_t run_count;
	size_t run_cap;
	/* The state that a rollback restores. */
	bool open;
	size_t open_count;
	size_t open_run_count;
	struct loom_buf open_slots[LOOM_SLOT_COUNT];
};

static uint64_t hash_of(struct loom_str s)
{
	uint64_t hash = 14695981039346656037U;

	for (size_t i = 0; i < s.n; i++)
		hash = (hash ^ (unsigned char)s.p[i]) * 1099511628211U;
	return hash;
}

/* Returns the slot that holds the name, or the free one where it belongs. Requires slots. */
static size_t *names_slot(const struct names *names, struct loom_str name)
{
	size_t at = (size_t)hash_of(name) & (names->slot_count - 1);

	LOOM_ASSERT(names->slot_count > 0 && (names->slot_count & (names->slot_count - 1)) == 0);
	while (names->slots[at] && !loom_str_eq(names->items[names->slots[at] - 1].text, name))
		at = (at + 1) & (names->slot_count - 1);
	return &names->slots[at];
}

static bool names_has(const struct names *names, struct loom_str name)
{
	return names->slot_count > 0 && *names_slot(names, name) > 0;
}

static void names_rehash(struct names *names, size_t slot_count)
{
	LOOM_ASSERT(slot_count > names->count);
	free(names->slots);
	names->slots = loom_alloc(slot_count * sizeof *names->slots);
	names->slot_count = slot_count;
	for (size_t i = 0; i < names->count; i++)
		*names_slot(names, names->items[i].text) = i + 1;
}

/* Adds a name, whose text must live as long as the log. */
static void names_add(struct names *names, struct loom_arena *arena, struct loom_str name,
		      int64_t seq)
{
	if (name.n == 0 || names_has(names, name))
		return;
	if (2 * (names->count + 1) > names->slot_count)
		names_rehash(names, names->slot_count ? 2 * names->slot_count : 64);
	names->items = loom_arena_grow(arena, names->items, names->count, &names->cap,
				       sizeof *names->items);
	size_t *slot = names_slot(names, name);
	LOOM_ASSERT(names->count < names->cap && *slot == 0);
	names->items[names->count] = (struct name){.text = name, .seq = seq};
	*slot = ++names->count;
}

/* Drops names that first appeared after `last`. */
static void names_cut(struct names *names, int64_t last)
{
	size_t keep = names->count;

	while (keep > 0 && names->items[keep - 1].seq > last)
		keep--;
	if (keep == names->count)
		return;
	names->count = keep;
	names_rehash(names, names->slot_count);
}

struct loom_memlog *loom_memlog_create(void)
{
	struct loom_memlog *memlog = loom_alloc(sizeof *memlog);

	memlog->arena = loom_arena_create();
	for (size_t i = 0; i < LOOM_SLOT_COUNT; i++) {
		loom_buf_init(&memlog->slots[i], LOOM_BUF_MAX);
		loom_buf_init(&memlog->open_slots[i], LOOM_BUF_MAX);
	}
	return memlog;
}

void loom_memlog_destroy(struct loom_memlog *memlog)
{
	if (!memlog)
		return;
	for (size_t i = 0; i < LOOM_SLOT_COUNT; i++) {
		loom_buf_fini(&memlog->slots[i]);
		loom_buf_fini(&memlog->open_slots[i]);
	}
	free(memlog->op_ids.slots);
	free(memlog->lanes.slots);
	loom_arena_destroy(memlog->arena);
	free(memlog);
}

static int64_t last_seq(const struct loom_memlog *memlog)
{
	return memlog->count ? memlog->rows[memlog->count - 1].seq : LOOM_SEQ_NONE;
}

static enum loom_status memlog_head(void *ctx, int64_t *out_seq, struct loom_err *err)
{
	(void)err;
	*out_seq = last_seq(ctx);
	return LOOM_OK;
}

/* Returns the index of the first row with a seq beyond `seq`. */
static size_t first_after(const struct loom_memlog *memlog, int64_t seq)
{
	size_t low = 0;
	size_t high = memlog->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (memlog->rows[mid].seq > seq)
			high = mid;
		else
			low = mid + 1;
	}
	LOOM_ASSERT(low <= memlog->count);
	return low;
}

static enum loom_status memlog_read(void *ctx, const struct loom_log_range *range,
				    const struct loom_log_visitor *visitor, struct loom_err *err)
{
	const struct loom_memlog *memlog = ctx;
	size_t from = first_after(memlog, range->after);
	size_t to = first_after(memlog, range->through);

	(void)err;
	for (size_t i = from; i < to; i++) {
		const struct loom_log_row *row =
			&memlog->rows[range->newest_first ? to - 1 - (i - from) : i];
		if (range->kind.n > 0 && !loom_str_eq(range->kind, row->kind))
			continue;
		if (!visitor->visit(visitor->ctx, row))
			break;
	}
	return LOOM_OK;
}

/* Returns the newest anchor or operation <= through with an index below *index; moves *index to
 * it. */
static const struct kept_mark *mark_before(const struct loom_memlog *memlog, int64_t through,
					   size_t *index)
{
	LOOM_ASSERT(*index <= memlog->mark_count);
	while (*index > 0) {
		const struct kept_mark *kept = &memlog->marks[--*index];
		if (kept->mark.seq <= through)
			return kept;
	}
	return NULL;
}

static enum loom_status memlog_anchor(void *ctx, struct loom_str lane, int64_t through,
				      int64_t *out_seq, struct loom_err *err)
{
	const struct loom_memlog *memlog = ctx;
	size_t index = memlog->mark_count;
	const struct kept_mark *kept;

	(void)err;
	do
		kept = mark_before(memlog, through, &index);
	while (kept && !(kept->mark.anchor && loom_str_eq(kept->mark.lane, lane)));
	*out_seq = kept ? kept->mark.seq : LOOM_SEQ_NONE;
	return LOOM_OK;
}

static enum loom_status memlog_operations(void *ctx, int64_t through,
					  const struct loom_mark_visitor *visitor,
					  struct loom_err *err)
{
	const struct loom_memlog *memlog = ctx;
	size_t index = memlog->mark_count;
	const struct kept_mark *kept;

	(void)err;
	do
		kept = mark_before(memlog, through, &index);
	while (kept && (!kept->operation || visitor->visit(visitor->ctx, &kept->mark)));
	return LOOM_OK;
}

static enum loom_status memlog_lanes(void *ctx, int64_t through,
				     const struct loom_mark_visitor *visitor, struct loom_err *err)
{
	const struct loom_memlog *memlog = ctx;
	bool more = true;

	(void)err;
	for (size_t i = 0; more && i < memlog->lanes.count; i++) {
		const struct name *name = &memlog->lanes.items[i];
		const struct loom_log_mark mark = {.seq = name->seq, .lane = name->text};
		if (mark.seq <= through)
			more = visitor->visit(visitor->ctx, &mark);
	}
	return LOOM_OK;
}

static enum loom_status memlog_has_op(void *ctx, struct loom_str op_id, bool *out,
				      struct loom_err *err)
{
	const struct loom_memlog *memlog = ctx;

	(void)err;
	*out = names_has(&memlog->op_ids, op_id);
	return LOOM_OK;
}

static void add_mark(struct loom_memlog *memlog, int64_t seq,
		     const struct loom_log_columns *columns)
{
	memlog->marks = loom_arena_grow(memlog->arena, memlog->marks, memlog->mark_count,
					&memlog->mark_cap, sizeof *memlog->marks);
	memlog->marks[memlog->mark_count++] = (struct kept_mark){
		.mark = {.seq = seq,
			 .lane = columns->lane,
			 .op_id = columns->op_id,
			 .anchor = columns->anchor},
		.operation = columns->operation,
	};
}

static void add_row(struct loom_memlog *memlog, const struct loom_log_row *row)
{
	struct loom_log_row kept = {
		.seq = row->seq,
		.at_ms = row->at_ms,
		.kind = loom_arena_str(memlog->arena, row->kind),
		.payload = loom_arena_str(memlog->arena, row->payload),
		.refs = row->refs.n ? loom_arena_str(memlog->arena, row->refs) : row->refs,
	};
	struct loom_log_columns columns;

	LOOM_ASSERT(row->seq > last_seq(memlog));
	memlog->rows = loom_arena_grow(memlog->arena, memlog->rows, memlog->count, &memlog->cap,
				       sizeof *memlog->rows);
	memlog->rows[memlog->count++] = kept;
	loom_log_columns(&kept, memlog->arena, &columns);
	names_add(&memlog->op_ids, memlog->arena, columns.op_id, kept.seq);
	names_add(&memlog->lanes, memlog->arena, columns.lane, kept.seq);
	if (columns.operation || columns.anchor)
		add_mark(memlog, kept.seq, &columns);
}

static enum loom_status memlog_append(void *ctx, const struct loom_log_row *row, int64_t *out_seq,
				      struct loom_err *err)
{
	struct loom_memlog *memlog = ctx;
	struct loom_log_row next = *row;

	(void)err;
	next.seq = last_seq(memlog) + 1;
	add_row(memlog, &next);
	*out_seq = next.seq;
	return LOOM_OK;
}

static enum loom_status memlog_slot_read(void *ctx, enum loom_slot slot, struct loom_buf *out,
					 struct loom_err *err)
{
	const struct loom_memlog *memlog = ctx;

	LOOM_ASSERT((size_t)slot < LOOM_SLOT_COUNT);
	(void)err;
	loom_buf_add(out, loom_buf_str(&memlog->slots[slot]));
	return LOOM_OK;
}

static enum loom_status memlog_slot_write(void *ctx, enum loom_slot slot, struct loom_str value,
					  struct loom_err *err)
{
	struct loom_memlog *memlog = ctx;

	LOOM_ASSERT((size_t)slot < LOOM_SLOT_COUNT);
	(void)err;
	loom_buf_clear(&memlog->slots[slot]);
	loom_buf_add(&memlog->slots[slot], value);
	return LOOM_OK;
}

static enum loom_status memlog_run_ended(void *ctx, struct loom_str record, struct loom_err *err)
{
	struct loom_memlog *memlog = ctx;

	(void)err;
	memlog->runs = loom_arena_grow(memlog->arena, memlog->runs, memlog->run_count,
				       &memlog->run_cap, sizeof *memlog->runs);
	memlog->runs[memlog->run_count++] = loom_arena_str(memlog->arena, record);
	return LOOM_OK;
}

static void copy_slots(struct loom_buf *to, const struct loom_buf *from)
{
	for (size_t i = 0; i < LOOM_SLOT_COUNT; i++) {
		loom_buf_clear(&to[i]);
		loom_buf_add(&to[i], loom_buf_str(&from[i]));
	}
}

static enum loom_status memlog_begin(void *ctx, struct loom_err *err)
{
	struct loom_memlog *memlog = ctx;

	if (memlog->open)
		return loom_fail(err, LOOM_FAULT, "a transaction is already open");
	memlog->open = true;
	memlog->open_count = memlog->count;
	memlog->open_run_count = memlog->run_count;
	copy_slots(memlog->open_slots, memlog->slots);
	return LOOM_OK;
}

static enum loom_status memlog_commit(void *ctx, struct loom_err *err)
{
	struct loom_memlog *memlog = ctx;

	LOOM_ASSERT(memlog->open);
	(void)err;
	memlog->open = false;
	return LOOM_OK;
}

static void memlog_rollback(void *ctx)
{
	struct loom_memlog *memlog = ctx;

	LOOM_ASSERT(memlog->open && memlog->open_count <= memlog->count);
	memlog->open = false;
	memlog->count = memlog->open_count;
	memlog->run_count = memlog->open_run_count;
	names_cut(&memlog->op_ids, last_seq(memlog));
	names_cut(&memlog->lanes, last_seq(memlog));
	while (memlog->mark_count > 0 &&
	       memlog->marks[memlog->mark_count - 1].mark.seq > last_seq(memlog))
		memlog->mark_count--;
	copy_slots(memlog->slots, memlog->open_slots);
}

struct loom_log loom_memlog_log(struct loom_memlog *memlog)
{
	static const struct loom_log_ops ops = {
		.lasting = true,
		.head = memlog_head,
		.read = memlog_read,
		.anchor = memlog_anchor,
		.operations = memlog_operations,
		.lanes = memlog_lanes,
		.has_op = memlog_has_op,
		.append = memlog_append,
		.slot_read = memlog_slot_read,
		.slot_write = memlog_slot_write,
		.run_ended = memlog_run_ended,
		.begin = memlog_begin,
		.commit = memlog_commit,
		.rollback = memlog_rollback,
	};

	return (struct loom_log){.ops = &ops, .ctx = memlog};
}

enum loom_status loom_memlog_load(struct loom_memlog *memlog, const struct loom_log_row *rows,
				  size_t count, struct loom_err *err)
{
	int64_t last = last_seq(memlog);

	for (size_t i = 0; i < count; i++) {
		if (rows[i].seq <= last)
			return loom_fail(err, LOOM_INVALID, "seq %lld does not follow %lld",
					 (long long)rows[i].seq, (long long)last);
		last = rows[i].seq;
	}
	for (size_t i = 0; i < count; i++)
		add_row(memlog, &rows[i]);
	return LOOM_OK;
}

size_t loom_memlog_count(const struct loom_memlog *memlog)
{
	return memlog->count;
}

const struct loom_log_row *loom_memlog_at(const struct loom_memlog *memlog, size_t index)
{
	return index < memlog->count ? &memlog->rows[index] : NULL;
}

size_t loom_memlog_run_count(const struct loom_memlog *memlog)
{
	return memlog->run_count;
}

struct loom_str loom_memlog_run_at(const struct loom_memlog *memlog, size_t index)
{
	return index < memlog->run_count ? memlog->runs[index] : loom_str_make(NULL, 0);
}
