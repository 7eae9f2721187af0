/* Applies context operations at once, or holds the latest one until the run ends. Invariants: an
 * operation id is applied once, as recorded in the log; this is checked before the slot is
 * touched, so that a repeated operation never displaces a waiting one. An invalid operation
 * changes nothing. */
#include "inside.h"

#include <loom/base/hash.h>

static enum loom_status append_operation(struct loom_run *run, struct loom_str payload,
					 struct loom_run_result *result, struct loom_err *err)
{
	struct loom_buf refs = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_context_op op;

	LOOM_ASSERT(payload.n > 0);
	if (loom_context_op_read(payload, loom_str_make(NULL, 0), run->scratch, &op))
		return loom_fail(err, LOOM_DAMAGED, "the deferred operation cannot be read");
	loom_context_op_refs(&op, &refs);
	struct loom_log_row row = {
		.kind = LOOM_STR(LOOM_KIND_OP),
		.payload = payload,
		.refs = loom_buf_str(&refs),
	};
	enum loom_status status = model_run_append(run, &row, result, err);
	loom_buf_fini(&refs);
	return status;
}

enum loom_status model_run_apply(struct loom_run *run, struct loom_str payload,
				 struct loom_run_result *result, struct loom_err *err)
{
	struct loom_str op_id = loom_jval_text(loom_jval_get(payload, "op_id"), run->scratch);
	bool known = false;
	enum loom_status status = run->log.ops->has_op(run->log.ctx, op_id, &known, err);

	LOOM_ASSERT(!model_run_active(run) && result);
	if (status || known)
		return status;
	result->op_id = op_id;
	return append_operation(run, payload, result, err);
}

enum loom_status model_run_apply_pending(struct loom_run *run, struct loom_run_result *result,
					 struct loom_err *err)
{
	struct loom_str waiting =
		loom_arena_str(run->scratch, model_run_slot(run, LOOM_SLOT_PENDING));
	struct loom_str payload;

	if (waiting.n == 0)
		return LOOM_OK;
	enum loom_status status =
		model_run_put_slot(run, LOOM_SLOT_PENDING, loom_str_make(NULL, 0), err);
	if (!status)
		status = model_run_build(run, waiting, &payload, err);
	if (status || payload.n == 0)
		return status;
	return model_run_apply(run, payload, result, err);
}

enum loom_status model_run_draw_id(struct loom_run *run, struct loom_str *out, struct loom_err *err)
{
	struct loom_str pending = loom_jval_get(model_run_slot(run, LOOM_SLOT_PENDING), "op_id");
	enum loom_status status = LOOM_OK;
	bool known = true;

	LOOM_ASSERT(out);
	while (known && !status) {
		uint8_t bytes[10];
		struct loom_buf text = LOOM_BUF_INIT(64);
		uint64_t salt = loom_env_next_salt(run->env) ^ (uint64_t)(run->cursor + 2) << 20;
		loom_env_random(run->env, salt, bytes, sizeof bytes);
		loom_buf_adds(&text, "op_");
		loom_hex(bytes, sizeof bytes, &text);
		*out = loom_arena_buf(run->scratch, &text);
		loom_buf_fini(&text);
		status = run->log.ops->has_op(run->log.ctx, *out, &known, err);
		known = known || loom_jval_says(pending, *out);
	}
	return status;
}

static enum loom_status defer(struct loom_run *run, struct loom_str payload,
			      struct loom_run_result *result, struct loom_err *err)
{
	LOOM_ASSERT(model_run_active(run));
	result->answer = LOOM_ANSWER_DEFERRED;
	return model_run_put_slot(run, LOOM_SLOT_PENDING, payload, err);
}

enum loom_status model_run_take(struct loom_run *run, const struct loom_context_op *op,
				struct loom_run_result *result, struct loom_err *err)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool known = false;
	enum loom_status status = run->log.ops->has_op(run->log.ctx, op->op_id, &known, err);

	LOOM_ASSERT(op->op_id.n > 0);
	result->op_id = op->op_id;
	result->answer = LOOM_ANSWER_NOOP;
	if (status || known)
		return status;
	loom_context_op_payload(op, &buf);
	struct loom_str payload = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	if (model_run_active(run))
		return defer(run, payload, result, err);
	result->answer = LOOM_ANSWER_APPLIED;
	return model_run_apply(run, payload, result, err);
}

static enum loom_status modify(struct loom_run *run, struct loom_str envelope, bool draw_id,
			       struct loom_run_result *result, struct loom_err *err)
{
	struct loom_str lane = loom_arena_str(run->scratch, run->lane);
	struct loom_context_op op;
	enum loom_status status = loom_log_json_check(envelope, err);
	if (status)
		return status;
	enum loom_context_op_problem problem =
		loom_context_op_read(loom_jval_of(envelope), lane, run->scratch, &op);

	if (!problem && op.op_id.n == 0 && !draw_id)
		problem = LOOM_CONTEXT_OP_PROBLEM_OP_ID;
	if (problem) {
		result->answer = LOOM_ANSWER_NOOP;
		result->why = loom_context_op_problem_word(problem);
		return LOOM_OK;
	}
	if (op.op_id.n == 0)
		status = model_run_draw_id(run, &op.op_id, err);
	return status ? status : model_run_take(run, &op, result, err);
}

enum loom_status loom_run_modify(struct loom_run *run, struct loom_str envelope, bool draw_id,
				 struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	if (status)
		return status;
	status = modify(run, envelope, draw_id, result, err);
	return model_run_finish(run, status, err);
}
