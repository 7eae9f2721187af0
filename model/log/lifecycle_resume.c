/* Resumes a run from a checkpoint, if the log is the same one and nobody else has gone on in it. */
#include "inside.h"

struct own_rows {
	struct loom_str request;
	int64_t first; /* its first message; LOOM_SEQ_NONE: none was seen */
	bool foreign;  /* rows of others were seen */
};

/* Stops at the first row that is an operation or of another request. */
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

/* Sets whether the lane held at the checkpoint's row what the checkpoint says it did. Row numbers
 * and request ids can coincide in another grove's log; only equal entries prove that it is the same
 * log. */
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
	enum loom_status status;

	LOOM_ASSERT(what->request_id.n > 0);
	status = model_run_begin(run, result, err);
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
