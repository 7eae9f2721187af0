/* Compactions: replaces a lane's oldest messages by a summary. Invariants: the operation is built
 * when it is applied, so that one that had to wait loses none of the messages that came meanwhile;
 * its base_seq is the row just before it, so nothing is hidden. Writing the summary is left to
 * others. */
#include "inside.h"

/* Builds what waits in the slot: an order to compact, not yet an operation. */
static struct loom_str make_order(const struct loom_run *run,
				  const struct loom_compaction *compaction)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	LOOM_ASSERT(compaction->op_id.n > 0);
	loom_json_init(&json, &buf);
	loom_json_object(&json);
	loom_json_put(&json, "op_id", compaction->op_id);
	loom_json_put(&json, "context_ref", compaction->lane.n ? compaction->lane : run->lane);
	loom_json_key(&json, "compaction");
	loom_json_object(&json);
	loom_json_put(&json, "summary", compaction->summary);
	loom_json_put_int(&json, "through_seq", compaction->through_seq);
	if (compaction->entries)
		loom_json_put_int(&json, "entries", (int64_t)compaction->entries);
	if (compaction->messages > 0)
		loom_json_put_int(&json, "messages", compaction->messages);
	if (run->prompt.p)
		loom_json_put(&json, "prompt", run->prompt);
	if (loom_jval_type(compaction->meta) == LOOM_JTYPE_OBJECT) {
		loom_json_key(&json, "meta");
		loom_json_raw(&json, compaction->meta);
	}
	loom_json_end_object(&json);
	loom_json_end_object(&json);
	struct loom_str order = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	return order;
}

/* Writes the summary as the message it is, with how many it stands for. */
static void put_summary(struct loom_str order, struct loom_json *json)
{
	const struct loom_str messages = loom_jval_get(order, "messages");

	loom_json_object(json);
	loom_json_put(json, "role", LOOM_STR("user"));
	loom_json_key(json, "content");
	loom_json_raw(json, loom_jval_get(order, "summary"));
	if (loom_jval_type(messages) == LOOM_JTYPE_NUMBER) {
		loom_json_key(json, "refs");
		loom_json_object(json);
		loom_json_key(json, LOOM_REF_SUMMARY);
		loom_json_raw(json, messages);
		loom_json_end_object(json);
	}
	loom_json_end_object(json);
}

/* Builds the lane's snapshot with its first `gone` entries replaced by the summary. */
static struct loom_str make_snapshot(const struct loom_run *run, const struct loom_context *context,
				     size_t gone, struct loom_str order)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	LOOM_ASSERT(gone > 0 && gone <= context->count);
	loom_json_init(&json, &buf);
	loom_json_object(&json);
	loom_json_put(&json, "id", context->id);
	loom_json_key(&json, "system_prompt");
	if (context->has_prompt)
		loom_json_text(&json, context->prompt);
	else
		loom_json_null(&json);
	loom_json_key(&json, "entries");
	loom_json_array(&json);
	put_summary(order, &json);
	for (size_t i = gone; i < context->count; i++)
		loom_entry_json(&context->entries[i], &json);
	loom_json_end_array(&json);
	loom_json_end_object(&json);
	struct loom_str snapshot = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	return snapshot;
}

/* Records the summarised range, and the caller's own data beside it. */
static struct loom_str make_meta(const struct loom_run *run, int64_t from_seq, int64_t to_seq,
				 struct loom_str given)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(given);
	struct loom_json json;
	struct loom_str key;
	struct loom_str value;

	LOOM_ASSERT(from_seq <= to_seq);
	loom_json_init(&json, &buf);
	loom_json_object(&json);
	loom_json_put_int(&json, "from_seq", from_seq);
	loom_json_put_int(&json, "to_seq", to_seq);
	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		struct loom_str name = loom_jval_text(key, run->scratch);
		if (loom_str_is(name, "from_seq") || loom_str_is(name, "to_seq"))
			continue;
		loom_json_key(&json, loom_arena_cstr(run->scratch, name));
		loom_json_raw(&json, value);
	}
	loom_json_end_object(&json);
	struct loom_str meta = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	return meta;
}

static struct loom_str make_payload(const struct loom_run *run, struct loom_str waiting,
				    const struct loom_context *context, size_t gone)
{
	struct loom_str order = loom_jval_get(waiting, "compaction");
	struct loom_str meta = loom_jval_get(order, "meta");
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_context_op op = {
		.op_id = loom_jval_text(loom_jval_get(waiting, "op_id"), run->scratch),
		.lane = context->lane,
		.type = LOOM_CONTEXT_OP_REPLACE,
		.reason = LOOM_STR("compaction"),
		.snapshot = make_snapshot(run, context, gone, order),
		.meta = make_meta(run, context->entries[0].seq, context->entries[gone - 1].seq,
				  meta),
		.has_base = true,
		.base_seq = run->cursor,
	};

	LOOM_ASSERT(gone > 0 && gone <= context->count);
	loom_context_op_payload(&op, &buf);
	struct loom_str payload = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	return payload;
}

/* The process that applies an order may not know what the one that gave it did. */
static struct loom_str prompt_of(const struct loom_run *run, struct loom_str order)
{
	return run->prompt.p ? run->prompt
			     : loom_jval_text(loom_jval_get(order, "prompt"), run->scratch);
}

enum loom_status model_run_build(struct loom_run *run, struct loom_str waiting,
				 struct loom_str *out, struct loom_err *err)
{
	struct loom_str order = loom_jval_get(waiting, "compaction");
	struct loom_context context;
	int64_t through = LOOM_SEQ_NONE;
	int64_t most = INT64_MAX;
	size_t gone = 0;

	*out = waiting;
	if (order.n == 0)
		return LOOM_OK;
	const struct loom_project_opts opts = {
		.thread = run->thread,
		.lane = loom_jval_text(loom_jval_get(waiting, "context_ref"), run->scratch),
		.at = LOOM_SEQ_HEAD,
		.prompt = prompt_of(run, order),
	};
	enum loom_status status = loom_project(&run->log, &opts, run->scratch, &context, err);
	if (status)
		return status;
	if (!loom_jval_int(loom_jval_get(order, "through_seq"), &through))
		through = LOOM_SEQ_NONE;
	if (!loom_jval_int(loom_jval_get(order, "entries"), &most))
		most = INT64_MAX;
	while (gone < context.count && (int64_t)gone < most && context.entries[gone].seq <= through)
		gone++;
	*out = gone ? make_payload(run, waiting, &context, gone) : loom_str_make(NULL, 0);
	return LOOM_OK;
}

/* Accepts an order with a new id: carries it out now, or when the open run ends. */
static enum loom_status take(struct loom_run *run, struct loom_str order,
			     struct loom_run_result *result, struct loom_err *err)
{
	struct loom_str payload;
	enum loom_status status = model_run_build(run, order, &payload, err);

	LOOM_ASSERT(loom_jval_type(order) == LOOM_JTYPE_OBJECT);
	if (status)
		return status;
	if (payload.n == 0) {
		result->answer = LOOM_ANSWER_NOOP;
		result->why = "nothing_to_compact";
		return LOOM_OK;
	}
	if (model_run_active(run)) {
		result->answer = LOOM_ANSWER_DEFERRED;
		return model_run_put_slot(run, LOOM_SLOT_PENDING, order, err);
	}
	result->answer = LOOM_ANSWER_APPLIED;
	return model_run_apply(run, payload, result, err);
}

static enum loom_status compact(struct loom_run *run, const struct loom_compaction *compaction,
				struct loom_run_result *result, struct loom_err *err)
{
	struct loom_compaction named = *compaction;
	enum loom_status status = LOOM_OK;
	bool known = false;

	if (named.meta.n > 0)
		status = loom_log_json_check(named.meta, err);
	if (!status && named.op_id.n == 0)
		status = model_run_draw_id(run, &named.op_id, err);
	if (!status)
		status = run->log.ops->has_op(run->log.ctx, named.op_id, &known, err);
	result->op_id = loom_arena_str(run->scratch, named.op_id);
	result->answer = LOOM_ANSWER_NOOP;
	if (status || known)
		return status;
	return take(run, make_order(run, &named), result, err);
}

enum loom_status loom_run_compact(struct loom_run *run, const struct loom_compaction *compaction,
				  struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	LOOM_ASSERT(compaction && result);
	if (status)
		return status;
	status = compact(run, compaction, result, err);
	return model_run_finish(run, status, err);
}
