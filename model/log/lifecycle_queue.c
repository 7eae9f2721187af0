/* Queues input for a working run. Invariants: accepted means queued, not yet a row; first in, first
 * out; never lost: it becomes a row or is returned when the run ends (lifecycle_events.c). */
#include "inside.h"

static const char *refuse_steer(const struct loom_run *run, const struct loom_steer *steer)
{
	if (!model_run_active(run))
		return "idle";
	if (steer->role.n > 0 && !loom_str_is(steer->role, "user"))
		return "role";
	if (steer->expected_request_id.n > 0 && model_run_refuses(run, steer->expected_request_id))
		return "request_mismatch";
	if (loom_str_trim(steer->content).n == 0)
		return "empty_content";
	if (loom_jval_count(model_run_slot(run, LOOM_SLOT_QUEUE)) >= LOOM_RUN_QUEUE_MAX)
		return "queue_full";
	return NULL;
}

static enum loom_status enqueue(struct loom_run *run, const struct loom_steer *steer,
				struct loom_err *err)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(model_run_slot(run, LOOM_SLOT_QUEUE));
	struct loom_json json;
	struct loom_str item;

	LOOM_ASSERT(model_run_active(run));
	loom_json_init(&json, &buf);
	loom_json_array(&json);
	while (loom_jwalk_next(&walk, NULL, &item))
		loom_json_raw(&json, item);
	loom_json_object(&json);
	loom_json_put(&json, "content", loom_str_trim(steer->content));
	loom_json_put(&json, "source", steer->source.n ? steer->source : LOOM_STR("steer"));
	loom_json_end_object(&json);
	loom_json_end_array(&json);
	enum loom_status status = model_run_put_slot(run, LOOM_SLOT_QUEUE, loom_buf_str(&buf), err);
	loom_buf_fini(&buf);
	return status;
}

enum loom_status loom_run_steer(struct loom_run *run, const struct loom_steer *steer,
				struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	LOOM_ASSERT(steer && result);
	if (status)
		return status;
	const char *why = refuse_steer(run, steer);
	if (why) {
		model_run_reject(result, why);
	} else {
		result->answer = LOOM_ANSWER_QUEUED;
		status = enqueue(run, steer, err);
	}
	return model_run_finish(run, status, err);
}

static enum loom_status drain_all(struct loom_run *run, struct loom_run_result *result,
				  struct loom_err *err)
{
	struct loom_str queue = loom_arena_str(run->scratch, model_run_slot(run, LOOM_SLOT_QUEUE));
	struct loom_jwalk walk = loom_jval_walk(queue);
	enum loom_status status = LOOM_OK;
	struct loom_str item;

	LOOM_ASSERT(model_run_active(run));
	while (!status && loom_jwalk_next(&walk, NULL, &item)) {
		const struct loom_message message = {.content = loom_jval_get(item, "content")};
		struct loom_str source =
			loom_jval_text(loom_jval_get(item, "source"), run->scratch);
		status = model_run_say(run, &message, source, result, err);
		result->drained++;
	}
	if (!status && queue.n > 0)
		status = model_run_put_slot(run, LOOM_SLOT_QUEUE, loom_str_make(NULL, 0), err);
	return status;
}

enum loom_status loom_run_drain(struct loom_run *run, struct loom_run_result *result,
				struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	LOOM_ASSERT(result);
	if (status)
		return status;
	result->answer = LOOM_ANSWER_ACCEPTED;
	const char *why = model_run_refuses(run, loom_str_make(NULL, 0));
	if (why)
		model_run_reject(result, why);
	else
		status = drain_all(run, result, err);
	return model_run_finish(run, status, err);
}
