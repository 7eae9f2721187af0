/* Rules for a log's rows, their index columns, and rows as JSON. Invariant: a cleaned row is
 * compact and has no null payload value. Storing rows is left to memlog.c and the store. */
#include <loom/log/log.h>

#include <loom/base/env.h>
#include <loom/base/json.h>
#include <loom/log/context_op.h>

/* How many rows loom_log_newest looks through. */
#define LOOK_BACK 10000

#define KIND_MAX ((size_t)64)

static enum loom_status check_kind(struct loom_str kind, struct loom_err *err)
{
	bool good = kind.n > 0 && kind.n <= KIND_MAX;

	for (size_t i = 0; good && i < kind.n; i++) {
		char c = kind.p[i];
		good = c == '_' || c == '-' || c == '.' || c == ':' || (c >= '0' && c <= '9') ||
		       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	}
	if (good)
		return LOOM_OK;
	return loom_fail(err, LOOM_INVALID, "a row's kind must be a name of at most %zu letters",
			 KIND_MAX);
}

enum loom_status loom_log_json_check(struct loom_str text, struct loom_err *err)
{
	static const struct loom_json_limits limits = {.nul = true};

	return loom_json_check(text, &limits, err);
}

/* Compacts a JSON object, dropping null members if `drop_nulls` is set. */
static enum loom_status clean_object(struct loom_str text, bool drop_nulls, struct loom_buf *out,
				     struct loom_err *err)
{
	enum loom_status status = loom_log_json_check(text, err);
	LOOM_ASSERT(out->n == 0);
	if (status)
		return status;
	struct loom_str object = loom_jval_of(text);
	if (loom_jval_type(object) != LOOM_JTYPE_OBJECT)
		return loom_fail(err, LOOM_INVALID,
				 "a row's payload and refs must be JSON objects");
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str key;
	struct loom_str value;
	loom_buf_addc(out, '{');
	while (loom_jwalk_next(&walk, &key, &value)) {
		if (drop_nulls && loom_jval_is_null(value))
			continue;
		if (out->n > 1)
			loom_buf_addc(out, ',');
		loom_buf_add(out, key);
		loom_buf_addc(out, ':');
		loom_jval_compact(value, out);
	}
	loom_buf_addc(out, '}');
	return LOOM_OK;
}

static bool is_string(struct loom_str object, const char *key)
{
	struct loom_str value = loom_jval_get(object, key);

	return loom_jval_type(value) == LOOM_JTYPE_STRING && value.n > 2;
}

static bool is_content(struct loom_str value)
{
	enum loom_jtype type = loom_jval_type(value);

	return type == LOOM_JTYPE_STRING || type == LOOM_JTYPE_ARRAY;
}

static enum loom_status check_message(struct loom_str payload, struct loom_err *err)
{
	struct loom_str role = loom_jval_get(payload, "role");
	struct loom_str content = loom_jval_get(payload, "content");
	bool user = loom_jval_says(role, LOOM_STR("user"));
	bool tool = loom_jval_says(role, LOOM_STR("tool"));

	LOOM_ASSERT(loom_jval_type(payload) == LOOM_JTYPE_OBJECT);
	if (!is_string(payload, "context_ref"))
		return loom_fail(err, LOOM_INVALID, "a message needs a context_ref (its lane)");
	if (!user && !tool && !loom_jval_says(role, LOOM_STR("assistant")))
		return loom_fail(err, LOOM_INVALID,
				 "a message's role must be user, assistant or tool");
	if (!loom_jval_is_null(content) && !is_content(content))
		return loom_fail(err, LOOM_INVALID,
				 "a message's content must be a string or a list of parts");
	if (user && loom_jval_is_null(content))
		return loom_fail(err, LOOM_INVALID, "a user message needs content");
	if (tool && (!is_string(payload, "tool_call_id") || !is_string(payload, "name")))
		return loom_fail(err, LOOM_INVALID, "a tool message needs tool_call_id and name");
	return LOOM_OK;
}

static enum loom_status check_operation(struct loom_str payload, struct loom_arena *arena,
					struct loom_err *err)
{
	struct loom_context_op op;
	enum loom_context_op_problem problem =
		loom_context_op_read(payload, loom_str_make(NULL, 0), arena, &op);

	if (!problem && op.op_id.n == 0)
		problem = LOOM_CONTEXT_OP_PROBLEM_OP_ID;
	if (!problem)
		return LOOM_OK;
	return loom_fail(err, LOOM_INVALID, "not a context operation: %s",
			 loom_context_op_problem_word(problem));
}

static enum loom_status check_kind_rules(const struct loom_log_row *row, struct loom_arena *arena,
					 struct loom_err *err)
{
	if (loom_str_is(row->kind, LOOM_KIND_MESSAGE))
		return check_message(row->payload, err);
	if (loom_str_is(row->kind, LOOM_KIND_OP))
		return check_operation(row->payload, arena, err);
	return LOOM_OK;
}

enum loom_status loom_log_clean(const struct loom_log_row *row, struct loom_arena *arena,
				struct loom_log_row *out, struct loom_err *err)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = check_kind(row->kind, err);

	LOOM_ASSERT(row && out && row != out);
	if (!status)
		status = clean_object(row->payload, true, &buf, err);
	*out = *row;
	out->kind = loom_arena_str(arena, row->kind);
	out->payload = loom_arena_buf(arena, &buf);
	loom_buf_clear(&buf);
	if (!status && row->refs.n > 0)
		status = clean_object(row->refs, false, &buf, err);
	out->refs = buf.n > 2 ? loom_arena_buf(arena, &buf) : loom_str_make(NULL, 0);
	loom_buf_fini(&buf);
	return status ? status : check_kind_rules(out, arena, err);
}

enum loom_status loom_log_append(const struct loom_log *log, const struct loom_log_row *row,
				 int64_t *out_seq, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_log_row clean;
	struct loom_log_columns columns;
	bool known = false;
	enum loom_status status = loom_log_clean(row, arena, &clean, err);

	LOOM_ASSERT(log->ops && out_seq);
	if (status)
		goto done;
	loom_log_columns(&clean, arena, &columns);
	if (columns.op_id.n > 0)
		status = log->ops->has_op(log->ctx, columns.op_id, &known, err);
	if (!status && known)
		status = loom_fail(err, LOOM_CONFLICT, "operation %.*s is already in the log",
				   LOOM_STR_ARG(columns.op_id));
	if (!status)
		status = log->ops->append(log->ctx, &clean, out_seq, err);
done:
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_log_newest(const struct loom_log *log, struct loom_str kind, int64_t at,
				 const struct loom_log_visitor *visitor, struct loom_err *err)
{
	struct loom_log_range range = {
		.after = LOOM_SEQ_NONE,
		.through = at,
		.kind = kind,
		.newest_first = true,
	};
	int64_t head = LOOM_SEQ_NONE;
	enum loom_status status = log->ops->head(log->ctx, &head, err);

	LOOM_ASSERT(visitor->visit);
	if (head < at)
		range.through = head;
	if (range.through > LOOK_BACK)
		range.after = range.through - LOOK_BACK;
	return status == LOOM_OK ? log->ops->read(log->ctx, &range, visitor, err) : status;
}

void loom_log_columns(const struct loom_log_row *row, struct loom_arena *arena,
		      struct loom_log_columns *out)
{
	bool operation = loom_str_is(row->kind, LOOM_KIND_OP);

	*out = (struct loom_log_columns){0};
	if (!operation && !loom_str_is(row->kind, LOOM_KIND_MESSAGE))
		return;
	out->lane = loom_jval_text(loom_jval_get(row->payload, "context_ref"), arena);
	if (!operation)
		return;
	struct loom_str body = loom_jval_get(row->payload, "operation");
	struct loom_str type = loom_jval_get(body, "type");
	out->anchor = out->lane.n > 0 && loom_jval_says(type, LOOM_STR("replace")) &&
		      loom_snapshot_readable(loom_jval_get(body, "result_context"));
	out->operation =
		(out->anchor || (out->lane.n > 0 && loom_jval_says(type, LOOM_STR("switch")))) &&
		loom_context_op_moves(row->payload, arena);
	LOOM_ASSERT(!out->operation || out->lane.n > 0);
	if (out->operation)
		out->op_id = loom_jval_text(loom_jval_get(row->payload, "op_id"), arena);
}

/* Returns a member compacted, in the arena; `otherwise` if it is absent or null. */
static struct loom_str compact_member(struct loom_str object, const char *key,
				      const char *otherwise, struct loom_arena *arena)
{
	struct loom_str value = loom_jval_get(object, key);

	if (loom_jval_is_null(value))
		return loom_str_of(otherwise);
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	loom_jval_compact(value, &buf);
	struct loom_str copy = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	return copy;
}

static bool read_time(struct loom_str value, struct loom_arena *arena, int64_t *out)
{
	*out = LOOM_TIME_NONE;
	return loom_jval_is_null(value) || loom_jval_int(value, out) ||
	       loom_time_parse(loom_jval_text(value, arena), out);
}

static enum loom_status parse_row(struct loom_str item, size_t index, struct loom_arena *arena,
				  struct loom_log_row *out, struct loom_err *err)
{
	struct loom_str kind = loom_jval_get(item, "kind");
	const char *wrong = NULL;

	out->payload = compact_member(item, "payload", "{}", arena);
	out->refs = compact_member(item, "refs", "", arena);
	out->kind = loom_jval_is_null(kind) ? LOOM_STR("note")
					    : loom_arena_str(arena, loom_jval_text(kind, arena));
	if (loom_jval_type(item) != LOOM_JTYPE_OBJECT)
		wrong = "it is not an object";
	else if (!loom_jval_int(loom_jval_get(item, "seq"), &out->seq) || out->seq < 0)
		wrong = "its seq is not a whole number from 0";
	else if (!read_time(loom_jval_get(item, "at"), arena, &out->at_ms))
		wrong = "its at is not a time";
	else if (out->kind.n == 0)
		wrong = "its kind is not a name";
	else if (loom_jval_type(out->payload) != LOOM_JTYPE_OBJECT)
		wrong = "its payload is not an object";
	else if (out->refs.n > 0 && loom_jval_type(out->refs) != LOOM_JTYPE_OBJECT)
		wrong = "its refs are not an object";
	if (loom_str_is(out->refs, "{}"))
		out->refs = loom_str_make(NULL, 0);
	return wrong ? loom_fail(err, LOOM_INVALID, "row %zu of the log: %s", index, wrong)
		     : LOOM_OK;
}

static int by_seq(const void *left, const void *right)
{
	const struct loom_log_row *a = left;
	const struct loom_log_row *b = right;

	return (a->seq > b->seq) - (a->seq < b->seq);
}

static enum loom_status sort_rows(struct loom_log_row *rows, size_t count, struct loom_err *err)
{
	LOOM_ASSERT(rows || !count);
	if (count > 0)
		qsort(rows, count, sizeof *rows, by_seq);
	for (size_t i = 1; i < count; i++) {
		if (rows[i].seq == rows[i - 1].seq)
			return loom_fail(err, LOOM_INVALID, "seq %lld appears twice in the log",
					 (long long)rows[i].seq);
	}
	return LOOM_OK;
}

enum loom_status loom_log_rows_parse(struct loom_str text, struct loom_arena *arena,
				     struct loom_log_row **out_rows, size_t *out_count,
				     struct loom_err *err)
{
	static const struct loom_json_limits limits = {
		.bytes = LOOM_BUF_MAX,
		.values = (size_t)1 << 28,
		.nul = true,
	};
	enum loom_status status = loom_json_check(text, &limits, err);
	struct loom_str list = loom_jval_of(text);
	struct loom_str item;

	LOOM_ASSERT(out_rows && out_count);
	if (status)
		return status;
	if (loom_jval_type(list) != LOOM_JTYPE_ARRAY)
		return loom_fail(err, LOOM_INVALID, "a log is a JSON array of rows");
	size_t count = loom_jval_count(list);
	struct loom_log_row *rows = LOOM_ARENA_ARRAY(arena, count, struct loom_log_row);
	struct loom_jwalk walk = loom_jval_walk(list);
	for (size_t i = 0; !status && i < count && loom_jwalk_next(&walk, NULL, &item); i++)
		status = parse_row(item, i, arena, &rows[i], err);
	if (!status)
		status = sort_rows(rows, count, err);
	*out_rows = rows;
	*out_count = status ? 0 : count;
	return status;
}

void loom_log_row_json(const struct loom_log_row *row, struct loom_json *json)
{
	LOOM_ASSERT(json->depth >= 0);
	loom_json_object(json);
	loom_json_put_int(json, "seq", row->seq);
	loom_json_put(json, "kind", row->kind);
	loom_json_key(json, "payload");
	loom_json_raw(json, row->payload);
	if (row->refs.n > 0) {
		loom_json_key(json, "refs");
		loom_json_raw(json, row->refs);
	}
	if (row->at_ms != LOOM_TIME_NONE)
		loom_json_put_int(json, "at", row->at_ms);
	loom_json_end_object(json);
}
