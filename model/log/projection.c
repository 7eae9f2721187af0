/* Folds the rows of a lane into a context. Invariants: a pure function of the rows with seq <= the
 * boundary; other lanes and kinds do not count; operation ids do not matter here. Left to others:
 * JSON and provider forms (messages.c), applying operations (lifecycle_op.c). */
#include <loom/log/projection.h>

#include <loom/base/env.h>
#include <loom/base/hash.h>

/* The members of a message that make up an entry. */
struct fields {
	struct loom_str context_ref;
	struct loom_str role;
	struct loom_str content;
	struct loom_str thinking;
	struct loom_str tool_calls;
	struct loom_str tool_call_id;
	struct loom_str name;
	struct loom_str reasoning_details;
	struct loom_str refs;
	struct loom_str timestamp;
	struct loom_str node;
};

/* Treats null, meaningless empty strings and empty lists of calls as absent. */
static struct loom_str filled(struct loom_str value, enum loom_jtype type)
{
	bool empty = loom_jval_is_null(value) || (type && loom_jval_type(value) != type) ||
		     (type && value.n == 2);

	LOOM_ASSERT(loom_str_ok(value));
	return empty ? loom_str_make(NULL, 0) : value;
}

static const struct {
	struct loom_str key; /* as written in the text */
	size_t offset;
} field_table[] = {
#define FIELD(name)                                                                                \
	{                                                                                          \
		LOOM_STR_INIT("\"" #name "\""), offsetof(struct fields, name)                      \
	}
	FIELD(role),       FIELD(content),      FIELD(context_ref), FIELD(thinking),
	FIELD(tool_calls), FIELD(tool_call_id), FIELD(name),        FIELD(reasoning_details),
	FIELD(refs),       FIELD(timestamp),    FIELD(node),
#undef FIELD
};

static bool same_key(struct loom_str key, struct loom_str wanted, bool escaped)
{
	LOOM_ASSERT(wanted.n > 2);
	if (!escaped)
		return loom_str_eq(key, wanted);
	return loom_jval_says(key, loom_str_sub(wanted, 1, wanted.n - 2));
}

static void read_field(struct fields *fields, struct loom_str key, struct loom_str value)
{
	bool escaped = memchr(key.p, '\\', key.n) != NULL;

	for (size_t i = 0; i < LOOM_COUNT(field_table); i++) {
		if (!same_key(key, field_table[i].key, escaped))
			continue;
		memcpy((char *)fields + field_table[i].offset, &value, sizeof value);
		return;
	}
}

static void read_fields(struct loom_str object, struct fields *out)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str key;
	struct loom_str value;

	*out = (struct fields){0};
	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		if (!loom_jval_is_null(value))
			read_field(out, key, value);
	}
}

static enum loom_role role_of(struct loom_str role)
{
	if (loom_jval_says(role, LOOM_STR("user")))
		return LOOM_ROLE_USER;
	if (loom_jval_says(role, LOOM_STR("assistant")))
		return LOOM_ROLE_ASSISTANT;
	if (loom_jval_says(role, LOOM_STR("tool")))
		return LOOM_ROLE_TOOL;
	if (loom_jval_says(role, LOOM_STR("system")))
		return LOOM_ROLE_SYSTEM;
	return LOOM_ROLE_OTHER;
}

static struct loom_entry *add_entry(struct loom_context *context, struct loom_arena *arena)
{
	context->entries = loom_arena_grow(arena, context->entries, context->count, &context->cap,
					   sizeof *context->entries);
	LOOM_ASSERT(context->count <= context->cap);
	struct loom_entry *entry = &context->entries[context->count++];
	*entry = (struct loom_entry){.at_ms = LOOM_TIME_NONE};
	return entry;
}

/* Fills in what all messages share, from a row's payload or a snapshot's entry. */
static void fill_entry(struct loom_entry *entry, enum loom_role role, const struct fields *fields)
{
	LOOM_ASSERT(entry->at_ms == LOOM_TIME_NONE);
	entry->role = role;
	entry->role_name = fields->role;
	entry->content = fields->content;
	entry->thinking = filled(fields->thinking, LOOM_JTYPE_STRING);
	entry->tool_calls = filled(fields->tool_calls, LOOM_JTYPE_ARRAY);
	entry->tool_call_id = fields->tool_call_id;
	entry->name = fields->name;
	entry->reasoning = filled(fields->reasoning_details, LOOM_JTYPE_NONE);
	entry->refs = filled(fields->refs, LOOM_JTYPE_OBJECT);
}

/* Drops from a row's message what does not belong to its role: a user has no thoughts, an assistant
 * does not answer a call, a result makes no calls. A snapshot's entries are kept as given. */
static void keep_own(enum loom_role role, struct fields *fields)
{
	const struct loom_str none = {NULL, 0};

	if (role != LOOM_ROLE_TOOL) {
		fields->tool_call_id = none;
		fields->name = none;
	}
	if (role != LOOM_ROLE_ASSISTANT) {
		fields->thinking = none;
		fields->tool_calls = none;
		fields->reasoning_details = none;
	}
}

/* Returns whether a row's message counts, by the rules of its role. */
static bool projected(enum loom_role role, const struct fields *fields)
{
	switch (role) {
	case LOOM_ROLE_USER:
		return fields->content.n > 0;
	case LOOM_ROLE_ASSISTANT:
		return true;
	case LOOM_ROLE_TOOL:
		return loom_jval_type(fields->tool_call_id) == LOOM_JTYPE_STRING &&
		       loom_jval_type(fields->name) == LOOM_JTYPE_STRING;
	case LOOM_ROLE_SYSTEM:
	case LOOM_ROLE_OTHER:
		break;
	}
	return false;
}

bool loom_context_fold(struct loom_context *context, const struct loom_log_row *row, bool lasting,
		       struct loom_arena *arena)
{
	struct loom_str payload = row->payload;
	struct fields fields;

	LOOM_ASSERT(context->lane.p || !context->lane.n);
	if (!loom_str_is(row->kind, LOOM_KIND_MESSAGE))
		return false;
	read_fields(payload, &fields);
	enum loom_role role = role_of(fields.role);
	if (!loom_jval_says(fields.context_ref, context->lane) || !projected(role, &fields))
		return false;
	if (!lasting)
		read_fields(loom_arena_str(arena, payload), &fields);
	fields.refs = row->refs.n && !lasting ? loom_arena_str(arena, row->refs) : row->refs;
	if (fields.content.n == 0)
		fields.content = LOOM_STR("\"\"");
	keep_own(role, &fields);
	struct loom_entry *entry = add_entry(context, arena);
	fill_entry(entry, role, &fields);
	entry->seq = row->seq;
	entry->at_ms = row->at_ms;
	LOOM_ASSERT(entry == &context->entries[context->count - 1]);
	return true;
}

/* Joins the texts of the parts of one type into a string; *others counts parts of other types. */
static struct loom_str join_parts(struct loom_str parts, const char *type, struct loom_arena *arena,
				  size_t *others)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(parts);
	struct loom_str part;

	*others = 0;
	loom_buf_addc(&buf, '"');
	while (loom_jwalk_next(&walk, NULL, &part)) {
		struct loom_str text = loom_jval_get(part, type);
		if (loom_jval_type(text) != LOOM_JTYPE_STRING)
			text = loom_jval_get(part, "text");
		if (!loom_jval_says(loom_jval_get(part, "type"), loom_str_of(type)))
			++*others;
		else if (loom_jval_type(text) == LOOM_JTYPE_STRING)
			loom_buf_add(&buf, loom_str_make(text.p + 1, text.n - 2));
	}
	loom_buf_addc(&buf, '"');
	struct loom_str joined = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	return joined;
}

/* Returns the parts except those of type thinking. */
static struct loom_str without_thinking(struct loom_str parts, struct loom_arena *arena)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(parts);
	struct loom_str part;

	loom_buf_addc(&buf, '[');
	while (loom_jwalk_next(&walk, NULL, &part)) {
		if (loom_jval_says(loom_jval_get(part, "type"), LOOM_STR("thinking")))
			continue;
		if (buf.n > 1)
			loom_buf_addc(&buf, ',');
		loom_buf_add(&buf, part);
	}
	loom_buf_addc(&buf, ']');
	struct loom_str kept = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	return kept;
}

/* A snapshot may come from a provider's own list of blocks: an assistant's thinking is split off,
 * and a list that then holds only text becomes that text. Lists of users and tools stay. */
static void settle_parts(struct loom_entry *entry, struct loom_arena *arena)
{
	size_t not_text = 0;
	size_t not_thinking = 0;

	LOOM_ASSERT(arena);
	if (loom_jval_type(entry->content) != LOOM_JTYPE_ARRAY || entry->role == LOOM_ROLE_USER ||
	    entry->role == LOOM_ROLE_TOOL)
		return;
	struct loom_str parts = entry->content;
	struct loom_str text = join_parts(parts, "text", arena, &not_text);
	struct loom_str thinking = join_parts(parts, "thinking", arena, &not_thinking);
	size_t thoughts = loom_jval_count(parts) - not_thinking;
	if (not_text == thoughts)
		entry->content = text;
	else if (thoughts > 0)
		entry->content = without_thinking(parts, arena);
	if (entry->role == LOOM_ROLE_ASSISTANT && entry->thinking.n == 0)
		entry->thinking = filled(thinking, LOOM_JTYPE_STRING);
}

static void add_snapshot_entry(struct loom_context *context, struct loom_str object,
			       const struct loom_log_row *anchor, struct loom_arena *arena)
{
	struct fields fields;
	int64_t at_ms = anchor->at_ms;

	read_fields(object, &fields);
	if (fields.node.n == 0 && loom_jval_type(fields.role) != LOOM_JTYPE_STRING)
		return;
	struct loom_entry *entry = add_entry(context, arena);
	if (loom_jval_type(fields.role) == LOOM_JTYPE_STRING)
		fill_entry(entry, role_of(fields.role), &fields);
	else
		entry->node = fields.node;
	if (!loom_time_parse(loom_jval_text(fields.timestamp, arena), &at_ms))
		at_ms = anchor->at_ms;
	entry->seq = anchor->seq;
	entry->at_ms = at_ms;
	settle_parts(entry, arena);
}

/* Starts the context at an anchor row whose text outlives it. */
static void start_at(struct loom_context *context, const struct loom_log_row *anchor,
		     struct loom_arena *arena)
{
	struct loom_str operation = loom_jval_get(anchor->payload, "operation");
	struct loom_str snapshot = loom_jval_get(operation, "result_context");
	struct loom_str prompt = loom_jval_get(snapshot, "system_prompt");
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(snapshot, "entries"));
	struct loom_str object;

	LOOM_ASSERT(context->count == 0);
	context->id = loom_jval_text(loom_jval_get(snapshot, "id"), arena);
	context->has_prompt = loom_jval_type(prompt) == LOOM_JTYPE_STRING;
	context->prompt = loom_jval_text(prompt, arena);
	context->anchor_seq = anchor->seq;
	context->has_base = loom_jval_int(loom_jval_get(operation, "base_seq"), &context->base_seq);
	while (loom_jwalk_next(&walk, NULL, &object))
		add_snapshot_entry(context, object, anchor, arena);
}

/* Returns 16 hex digits of a digest of thread and lane, with their lengths included. */
static struct loom_str make_id(struct loom_str thread, struct loom_str lane,
			       struct loom_arena *arena)
{
	struct loom_str head = loom_arena_format(arena, "%zu:", thread.n);
	const struct loom_str parts[] = {LOOM_STR("loom/context:"), head, thread, lane};
	struct loom_hash hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_hex(hash.bytes, 8, &buf);
	struct loom_str id = loom_arena_buf(arena, &buf);
	LOOM_ASSERT(id.n == 16);
	loom_buf_fini(&buf);
	return id;
}

struct reading {
	struct loom_context *context;
	struct loom_arena *arena;
	bool lasting;
	int64_t found;
	size_t count;
};

static bool find_anchor(void *ctx, const struct loom_log_row *row)
{
	struct reading *reading = ctx;
	struct loom_arena *scratch = loom_arena_create();
	struct loom_log_columns columns;

	loom_log_columns(row, scratch, &columns);
	if (columns.anchor && loom_str_eq(columns.lane, reading->context->lane))
		reading->found = row->seq;
	loom_arena_destroy(scratch);
	return reading->found == LOOM_SEQ_NONE;
}

static bool read_anchor(void *ctx, const struct loom_log_row *row)
{
	struct reading *reading = ctx;
	struct loom_log_row kept = *row;

	if (!reading->lasting)
		kept.payload = loom_arena_str(reading->arena, row->payload);
	start_at(reading->context, &kept, reading->arena);
	return false;
}

static bool read_message(void *ctx, const struct loom_log_row *row)
{
	struct reading *reading = ctx;

	loom_context_fold(reading->context, row, reading->lasting, reading->arena);
	return true;
}

/* Folds rows that come newest first, as many as are wanted. */
static bool read_last(void *ctx, const struct loom_log_row *row)
{
	struct reading *reading = ctx;

	loom_context_fold(reading->context, row, reading->lasting, reading->arena);
	return reading->context->count < reading->count;
}

/* Reads the last messages of the range behind what the context has, and keeps the limit's last
 * entries of all. */
static enum loom_status read_limited(const struct loom_log *log, struct loom_log_range *range,
				     size_t limit, struct reading *reading, struct loom_err *err)
{
	struct loom_context *out = reading->context;
	struct loom_context tail = {.lane = out->lane};
	struct reading last = *reading;
	const struct loom_log_visitor visitor = {read_last, &last};
	enum loom_status status = LOOM_OK;
	size_t before = 0;

	last.context = &tail;
	last.count = limit;
	range->newest_first = true;
	if (limit)
		status = log->ops->read(log->ctx, range, &visitor, err);
	LOOM_ASSERT(tail.count <= limit);
	before = limit - tail.count < out->count ? limit - tail.count : out->count;
	if (before)
		memmove(out->entries, out->entries + (out->count - before),
			before * sizeof *out->entries);
	out->count = before;
	while (tail.count)
		*add_entry(out, reading->arena) = tail.entries[--tail.count];
	return status;
}

static enum loom_status last_anchor(const struct loom_log *log, int64_t at, struct reading *reading,
				    struct loom_err *err)
{
	struct loom_str lane = reading->context->lane;

	if (log->ops->anchor)
		return log->ops->anchor(log->ctx, lane, at, &reading->found, err);
	const struct loom_log_range range = {
		.after = LOOM_SEQ_NONE,
		.through = at,
		.kind = LOOM_STR(LOOM_KIND_OP),
		.lane = lane,
		.newest_first = true,
	};
	const struct loom_log_visitor visitor = {find_anchor, reading};
	return log->ops->read(log->ctx, &range, &visitor, err);
}

enum loom_status loom_project(const struct loom_log *log, const struct loom_project_opts *opts,
			      struct loom_arena *arena, struct loom_context *out,
			      struct loom_err *err)
{
	LOOM_ASSERT(log->ops && out);
	*out = (struct loom_context){
		.thread = loom_arena_str(arena, opts->thread),
		.lane = loom_arena_str(arena, opts->lane),
		.has_prompt = opts->prompt.p != NULL,
		.prompt = loom_arena_str(arena, opts->prompt),
		.anchor_seq = LOOM_SEQ_NONE,
	};
	struct reading reading = {out, arena, log->ops->lasting, LOOM_SEQ_NONE, 0};
	struct loom_log_range range = {.kind = LOOM_STR(LOOM_KIND_OP), .lane = out->lane};
	struct loom_log_visitor visitor = {read_anchor, &reading};
	enum loom_status status = last_anchor(log, opts->at, &reading, err);
	if (!status && reading.found != LOOM_SEQ_NONE) {
		range.after = reading.found - 1;
		range.through = reading.found;
		status = log->ops->read(log->ctx, &range, &visitor, err);
	} else {
		out->id = make_id(out->thread, out->lane, arena);
	}
	if (status)
		return status;
	range.after = reading.found;
	range.through = opts->at;
	range.kind = LOOM_STR(LOOM_KIND_MESSAGE);
	visitor.visit = read_message;
	return opts->limited ? read_limited(log, &range, opts->limit, &reading, err)
			     : log->ops->read(log->ctx, &range, &visitor, err);
}

static bool count_message(void *ctx, const struct loom_log_row *row)
{
	struct reading *reading = ctx;
	struct loom_context lane_only = {.lane = reading->context->lane};
	struct loom_arena *scratch = loom_arena_create();

	reading->count += loom_context_fold(&lane_only, row, true, scratch);
	loom_arena_destroy(scratch);
	return true;
}

enum loom_status loom_context_hidden(const struct loom_context *context, const struct loom_log *log,
				     size_t *out, struct loom_err *err)
{
	struct loom_context lane_only = {.lane = context->lane};
	struct reading reading = {.context = &lane_only};
	const struct loom_log_visitor visitor = {count_message, &reading};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(out);
	if (context->has_base && context->base_seq < context->anchor_seq - 1) {
		const struct loom_log_range range = {
			.after = context->base_seq,
			.through = context->anchor_seq - 1,
			.kind = LOOM_STR(LOOM_KIND_MESSAGE),
			.lane = context->lane,
		};
		status = log->ops->read(log->ctx, &range, &visitor, err);
	}
	*out = reading.count;
	return status;
}

size_t loom_context_cut(const struct loom_context *context, size_t count)
{
	LOOM_ASSERT(count <= context->count);
	while (count > 0 && count < context->count &&
	       context->entries[count].role == LOOM_ROLE_TOOL)
		count--;
	return count;
}
