/* Reads, checks and writes context operations and their snapshots. Invariant: loom_context_op_read
 * restores what loom_context_op_payload writes. Left to others: whether an id was applied already
 * (lifecycle_op.c), and the effect (projection.c). */
#include <loom/log/context_op.h>

#include <loom/base/id.h>
#include <loom/base/json.h>

const char *loom_context_op_problem_word(enum loom_context_op_problem problem)
{
	static const char *const words[] = {
#define X(name, word) [LOOM_CONTEXT_OP_PROBLEM_##name] = (word),
		LOOM_CONTEXT_OP_PROBLEM_LIST(X)
#undef X
	};

	LOOM_ASSERT((size_t)problem < LOOM_COUNT(words));
	return words[problem];
}

/* Returns a member of the envelope, otherwise of the operation inside it; null counts as absent. */
static struct loom_str named(struct loom_str envelope, struct loom_str operation, const char *key)
{
	struct loom_str value = loom_jval_get(envelope, key);

	return loom_jval_is_null(value) ? loom_jval_get(operation, key) : value;
}

static bool is_reason(struct loom_str text)
{
	return loom_str_is(text, "manual") || loom_str_is(text, "restore") ||
	       loom_str_is(text, "compaction") || loom_str_is(text, "system");
}

static enum loom_context_op_problem read_type(struct loom_str operation, struct loom_context_op *op)
{
	struct loom_str type = loom_jval_get(operation, "type");

	op->type = loom_jval_says(type, LOOM_STR("switch")) ? LOOM_CONTEXT_OP_SWITCH
							    : LOOM_CONTEXT_OP_REPLACE;
	if (op->type == LOOM_CONTEXT_OP_REPLACE && !loom_jval_says(type, LOOM_STR("replace")))
		return LOOM_CONTEXT_OP_PROBLEM_TYPE;
	return LOOM_CONTEXT_OP_PROBLEM_NONE;
}

bool loom_context_op_moves(struct loom_str envelope, struct loom_arena *arena)
{
	struct loom_str operation = loom_jval_get(envelope, "operation");
	struct loom_str reason = loom_jval_get(operation, "reason");
	struct loom_str op_id = named(envelope, operation, "op_id");

	return (loom_jval_is_null(reason) || is_reason(loom_jval_text(reason, arena))) &&
	       (loom_jval_is_null(op_id) || loom_jval_text(op_id, arena).n > 0);
}

static enum loom_context_op_problem read_reason(struct loom_str operation, struct loom_arena *arena,
						struct loom_context_op *op)
{
	struct loom_str reason = loom_jval_get(operation, "reason");

	op->reason = loom_jval_is_null(reason) ? LOOM_STR("manual") : loom_jval_text(reason, arena);
	return is_reason(op->reason) ? LOOM_CONTEXT_OP_PROBLEM_NONE
				     : LOOM_CONTEXT_OP_PROBLEM_REASON;
}

static enum loom_context_op_problem read_snapshot(struct loom_str operation,
						  struct loom_context_op *op)
{
	if (op->type != LOOM_CONTEXT_OP_REPLACE)
		return LOOM_CONTEXT_OP_PROBLEM_NONE;
	op->snapshot = loom_jval_get(operation, "result_context");
	if (loom_jval_is_null(op->snapshot))
		op->snapshot = loom_jval_get(operation, "context");
	return loom_snapshot_check(op->snapshot, NULL) == LOOM_OK
		       ? LOOM_CONTEXT_OP_PROBLEM_NONE
		       : LOOM_CONTEXT_OP_PROBLEM_SNAPSHOT;
}

static void read_rest(struct loom_str operation, struct loom_context_op *op)
{
	struct loom_str meta = loom_jval_get(operation, "meta");

	op->has_base = loom_jval_int(loom_jval_get(operation, "base_seq"), &op->base_seq);
	op->meta = loom_jval_type(meta) == LOOM_JTYPE_OBJECT ? meta : LOOM_STR("{}");
}

static enum loom_context_op_problem read_names(struct loom_str envelope, struct loom_str operation,
					       struct loom_arena *arena, struct loom_context_op *op)
{
	struct loom_str op_id = named(envelope, operation, "op_id");
	struct loom_str lane = named(envelope, operation, "context_ref");

	op->op_id = loom_jval_text(op_id, arena);
	if (!loom_jval_is_null(op_id) && op->op_id.n == 0)
		return LOOM_CONTEXT_OP_PROBLEM_OP_ID;
	if (!loom_jval_is_null(lane))
		op->lane = loom_jval_text(lane, arena);
	return op->lane.n == 0 ? LOOM_CONTEXT_OP_PROBLEM_LANE : LOOM_CONTEXT_OP_PROBLEM_NONE;
}

enum loom_context_op_problem loom_context_op_read(struct loom_str envelope, struct loom_str lane,
						  struct loom_arena *arena,
						  struct loom_context_op *out)
{
	struct loom_str operation = loom_jval_get(envelope, "operation");

	LOOM_ASSERT(arena && out);
	*out = (struct loom_context_op){.lane = lane};
	enum loom_context_op_problem problem = read_type(operation, out);
	if (!problem)
		problem = read_reason(operation, arena, out);
	if (!problem)
		problem = read_snapshot(operation, out);
	if (!problem)
		problem = read_names(envelope, operation, arena, out);
	read_rest(operation, out);
	return problem;
}

void loom_context_op_payload(const struct loom_context_op *op, struct loom_buf *out)
{
	struct loom_json json;

	LOOM_ASSERT(loom_buf_ok(out));
	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_put(&json, "op_id", op->op_id);
	loom_json_put(&json, "context_ref", op->lane);
	loom_json_key(&json, "operation");
	loom_json_object(&json);
	loom_json_put(&json, "type",
		      loom_str_of(op->type == LOOM_CONTEXT_OP_REPLACE ? "replace" : "switch"));
	loom_json_put(&json, "reason", op->reason);
	if (op->type == LOOM_CONTEXT_OP_REPLACE) {
		loom_json_key(&json, "result_context");
		loom_json_raw(&json, op->snapshot);
	}
	if (op->has_base)
		loom_json_put_int(&json, "base_seq", op->base_seq);
	loom_json_key(&json, "meta");
	loom_json_raw(&json, op->meta);
	loom_json_end_object(&json);
	loom_json_end_object(&json);
}

void loom_context_op_refs(const struct loom_context_op *op, struct loom_buf *out)
{
	struct loom_json json;

	LOOM_ASSERT(loom_buf_ok(out));
	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_put(&json, "op_id", op->op_id);
	loom_json_put(&json, "context_ref", op->lane);
	loom_json_end_object(&json);
}

bool loom_snapshot_readable(struct loom_str snapshot)
{
	return loom_jval_type(loom_jval_get(snapshot, "id")) == LOOM_JTYPE_STRING &&
	       loom_jval_type(loom_jval_get(snapshot, "entries")) == LOOM_JTYPE_ARRAY;
}

/* An entry's fields and their allowed types, as bits of 1 << type. */
static const struct field_rule {
	const char *key;
	unsigned types;
} entry_rules[] = {
	{"content", 1U << LOOM_JTYPE_STRING | 1U << LOOM_JTYPE_ARRAY},
	{"thinking", 1U << LOOM_JTYPE_STRING},
	{"tool_calls", 1U << LOOM_JTYPE_ARRAY},
	{"tool_call_id", 1U << LOOM_JTYPE_STRING},
	{"name", 1U << LOOM_JTYPE_STRING},
	{"refs", 1U << LOOM_JTYPE_OBJECT},
};

static bool is_node_entry(struct loom_str entry, struct loom_str node)
{
	struct loom_ulid ulid;
	struct loom_str text = node.n >= 2 ? loom_str_sub(node, 1, node.n - 2) : node;

	return loom_jval_type(node) == LOOM_JTYPE_STRING && loom_ulid_parse(text, &ulid) &&
	       loom_jval_count(entry) == 1;
}

static enum loom_status check_entry(struct loom_str entry, size_t index, struct loom_err *err)
{
	struct loom_str node = loom_jval_get(entry, "node");
	struct loom_str role = loom_jval_get(entry, "role");

	if (loom_jval_type(entry) != LOOM_JTYPE_OBJECT)
		return loom_fail(err, LOOM_INVALID, "entry %zu of the snapshot is not an object",
				 index);
	if (!loom_jval_is_null(node) && is_node_entry(entry, node))
		return LOOM_OK;
	if (loom_jval_type(role) != LOOM_JTYPE_STRING || role.n <= 2)
		return loom_fail(err, LOOM_INVALID,
				 "entry %zu of the snapshot has neither a role nor a node's ULID "
				 "alone",
				 index);
	for (size_t i = 0; i < LOOM_COUNT(entry_rules); i++) {
		struct loom_str value = loom_jval_get(entry, entry_rules[i].key);
		if (!loom_jval_is_null(value) &&
		    !(entry_rules[i].types & 1U << loom_jval_type(value)))
			return loom_fail(err, LOOM_INVALID,
					 "entry %zu of the snapshot: %s has the wrong type", index,
					 entry_rules[i].key);
	}
	return LOOM_OK;
}

enum loom_status loom_snapshot_check(struct loom_str snapshot, struct loom_err *err)
{
	struct loom_str prompt = loom_jval_get(snapshot, "system_prompt");

	if (!loom_snapshot_readable(snapshot))
		return loom_fail(err, LOOM_INVALID,
				 "a snapshot is {id, system_prompt, entries}, id a string, entries "
				 "a list");
	if (!loom_jval_is_null(prompt) && loom_jval_type(prompt) != LOOM_JTYPE_STRING)
		return loom_fail(err, LOOM_INVALID,
				 "a snapshot's system_prompt is a string or null");
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(snapshot, "entries"));
	struct loom_str entry;
	enum loom_status status = LOOM_OK;
	for (size_t i = 0; !status && loom_jwalk_next(&walk, NULL, &entry); i++)
		status = check_entry(entry, i, err);
	return status;
}
