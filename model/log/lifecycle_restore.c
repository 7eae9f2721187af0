/* Restores a lane to an earlier row, copies a lane, and switches lanes. Invariants: each is an
 * operation like any other, so nothing is lost and each can be taken back by the next; what a lane
 * held is its projection at that row. */
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
	enum loom_status status;

	LOOM_ASSERT(what->at >= LOOM_SEQ_NONE && result);
	status = model_run_begin(run, result, err);
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
	enum loom_status status;

	LOOM_ASSERT(result);
	status = model_run_begin(run, result, err);
	return status ? status : model_run_finish(run, go(run, lane, result, err), err);
}
