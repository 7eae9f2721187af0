/* Lanes as people move among them: back to what a lane held at a row, a copy of it as a new lane,
 * on in another one. Invariants: each is an operation like any other, so nothing is lost and each
 * can be taken back by the next; what a lane held is its projection at that row. */
#include "inside.h"

/* Notes where the contents came from. */
static struct loom_str make_meta(const struct loom_run *run, struct loom_str lane, int64_t at)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	struct loom_str meta;

	loom_json_init(&json, &buf);
	loom_json_object(&json);
	loom_json_put(&json, "from", lane);
	loom_json_put_int(&json, "at", at);
	loom_json_end_object(&json);
	meta = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	return meta;
}

/* Makes the operation that gives lane `into` what `lane` held at a row. */
static enum loom_status make_replace(struct loom_run *run, const struct loom_restoring *what,
				     struct loom_str lane, struct loom_context_op *op,
				     struct loom_err *err)
{
	const int64_t at = what->at < run->cursor ? what->at : run->cursor;
	const struct loom_project_opts opts = {.thread = run->thread,
					       .lane = lane,
					       .at = at,
					       .prompt = run->prompt};
	struct loom_buf snapshot = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_context context;
	struct loom_json json;
	enum loom_status status = loom_project(&run->log, &opts, run->scratch, &context, err);

	if (status)
		return status;
	loom_json_init(&json, &snapshot);
	loom_context_snapshot_json(&context, context.count, &json);
	*op = (struct loom_context_op){
		.lane = what->into.n ? what->into : lane,
		.type = LOOM_CONTEXT_OP_REPLACE,
		.reason = LOOM_STR("restore"),
		.snapshot = loom_arena_buf(run->scratch, &snapshot),
		.meta = make_meta(run, lane, at),
		.has_base = true,
		.base_seq = run->cursor,
	};
	loom_buf_fini(&snapshot);
	return LOOM_OK;
}

static enum loom_status has_lane(struct loom_run *run, struct loom_str lane, bool *out,
				 struct loom_err *err)
{
	struct loom_lanes lanes;
	enum loom_status status = loom_lanes(&run->log, LOOM_SEQ_HEAD, run->scratch, &lanes, err);

	/* The active lane is there from the first moment. */
	*out = loom_str_eq(lane, run->lane);
	for (size_t i = 0; !status && i < lanes.count; i++)
		*out = *out || loom_str_eq(lanes.names[i], lane);
	return status;
}

/* Carries out an operation that has no id yet. */
static enum loom_status carry_out(struct loom_run *run, struct loom_context_op *op,
				  struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_draw_id(run, &op->op_id, err);

	return status ? status : model_run_take(run, op, result, err);
}

static enum loom_status restore(struct loom_run *run, const struct loom_restoring *what,
				struct loom_run_result *result, struct loom_err *err)
{
	struct loom_str lane = what->lane.n ? what->lane : run->lane;
	struct loom_context_op op;
	bool known = false;
	bool taken = false;
	enum loom_status status = has_lane(run, lane, &known, err);

	if (!status && what->into.n)
		status = has_lane(run, what->into, &taken, err);
	result->answer = LOOM_ANSWER_NOOP;
	result->why = !known ? "no_such_lane" : taken ? "lane_exists" : NULL;
	if (!result->why && what->at != LOOM_SEQ_HEAD && what->at > run->cursor)
		result->why = "no_such_row";
	if (status || result->why)
		return status;
	status = make_replace(run, what, lane, &op, err);
	return status ? status : carry_out(run, &op, result, err);
}

enum loom_status loom_run_restore(struct loom_run *run, const struct loom_restoring *what,
				  struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	LOOM_ASSERT(what->at >= LOOM_SEQ_NONE && result);
	if (status)
		return status;
	return model_run_finish(run, restore(run, what, result, err), err);
}

static enum loom_status go(struct loom_run *run, struct loom_str lane,
			   struct loom_run_result *result, struct loom_err *err)
{
	struct loom_context_op op = {.lane = lane,
				     .type = LOOM_CONTEXT_OP_SWITCH,
				     .reason = LOOM_STR("manual"),
				     .meta = LOOM_STR("{}")};
	bool known = false;
	enum loom_status status = has_lane(run, lane, &known, err);

	result->answer = LOOM_ANSWER_NOOP;
	result->why = known ? NULL : "no_such_lane";
	return status || !known ? status : carry_out(run, &op, result, err);
}

enum loom_status loom_run_switch(struct loom_run *run, struct loom_str lane,
				 struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	LOOM_ASSERT(result);
	return status ? status : model_run_finish(run, go(run, lane, result, err), err);
}

/* ---- runs ---- */

struct own_rows {
	struct loom_str request;
	int64_t first; /* its first message; LOOM_SEQ_NONE: none was seen */
	bool foreign;  /* rows of others were seen */
};

/* Whether what came after a checkpoint belongs to the request: operations never do. */
static bool see_later(void *ctx, const struct loom_log_row *row)
{
	struct own_rows *own = ctx;
	const struct loom_str request = loom_jval_get(loom_jval_of(row->payload), "request_id");

	own->foreign |= (request.p && !loom_jval_says(request, own->request)) ||
			loom_str_is(row->kind, LOOM_KIND_OP);
	return !own->foreign;
}

/* Newest first, to the message before the request's first. */
static bool see_own(void *ctx, const struct loom_log_row *row)
{
	struct own_rows *own = ctx;
	const struct loom_str payload = loom_jval_of(row->payload);

	if (!loom_str_is(row->kind, LOOM_KIND_MESSAGE))
		return true;
	if (!loom_jval_says(loom_jval_get(payload, "request_id"), own->request))
		return own->first == LOOM_SEQ_NONE;
	own->first = row->seq;
	return true;
}

static enum loom_status read_own(struct loom_run *run, const struct loom_resuming *what,
				 struct own_rows *out, struct loom_err *err)
{
	const struct loom_log_range later = {.after = what->seq, .through = LOOM_SEQ_HEAD};
	const struct loom_log_range messages = {.after = LOOM_SEQ_NONE,
						.through = LOOM_SEQ_HEAD,
						.kind = LOOM_STR(LOOM_KIND_MESSAGE),
						.newest_first = true};
	const struct loom_log_visitor see_all = {see_later, out};
	const struct loom_log_visitor see_messages = {see_own, out};
	enum loom_status status = run->log.ops->read(run->log.ctx, &later, &see_all, err);

	*out = (struct own_rows){.request = what->request_id,
				 .first = what->from_seq,
				 .foreign = out->foreign};
	if (status || out->first != LOOM_SEQ_NONE)
		return status;
	return run->log.ops->read(run->log.ctx, &messages, &see_messages, err);
}

/* Sets whether the lane held at the checkpoint's row what the checkpoint says it did. Rows have
 * numbers, and requests are named after them, in the log of any grove. */
static enum loom_status compare_entries(const struct loom_run *run,
					const struct loom_resuming *what, bool *out_same,
					struct loom_err *err)
{
	const struct loom_project_opts opts = {.thread = run->thread,
					       .lane = what->lane,
					       .at = what->seq,
					       .prompt = run->prompt};
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf then = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf told = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_context context = {.count = 0};
	struct loom_json json;
	enum loom_status status = loom_project(&run->log, &opts, arena, &context, err);

	LOOM_ASSERT(what->entries.n > 0);
	loom_json_init(&json, &then);
	loom_context_entries_json(&context, context.count, &json);
	loom_jval_compact(what->entries, &told);
	*out_same = loom_str_eq(loom_buf_str(&then), loom_buf_str(&told));
	loom_buf_fini(&told);
	loom_buf_fini(&then);
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status reopen(struct loom_run *run, const struct loom_resuming *what,
			       int64_t first, struct loom_err *err)
{
	const struct loom_message message = {.request_id = what->request_id,
					     .run_id = what->run_id};
	enum loom_status status = model_run_open_record(run, &message, first, err);

	run->stale = true; /* what it waits for is derived from its rows */
	return status ? status : model_run_catch_up(run, err);
}

enum loom_status loom_run_resume(struct loom_run *run, const struct loom_resuming *what,
				 struct loom_run_result *result, struct loom_err *err)
{
	struct own_rows own = {.request = what->request_id, .first = LOOM_SEQ_NONE};
	bool same = true;
	enum loom_status status = model_run_begin(run, result, err);

	LOOM_ASSERT(what->request_id.n > 0);
	if (status)
		return status;
	status = read_own(run, what, &own, err);
	if (status == LOOM_OK && what->entries.n && what->seq <= run->cursor)
		status = compare_entries(run, what, &same, err);
	result->answer = LOOM_ANSWER_ACCEPTED;
	if (status == LOOM_OK && model_run_active(run))
		model_run_reject(result, "busy");
	else if (status == LOOM_OK &&
		 (own.foreign || what->seq > run->cursor || !loom_str_eq(what->lane, run->lane)))
		model_run_reject(result, "moved_on");
	else if (status == LOOM_OK && own.first == LOOM_SEQ_NONE)
		model_run_reject(result, "no_such_run");
	else if (status == LOOM_OK && !same)
		model_run_reject(result, "other_log");
	else if (status == LOOM_OK)
		status = reopen(run, what, own.first, err);
	result->seq = own.first;
	return model_run_finish(run, status, err);
}
