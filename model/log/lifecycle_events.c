/* The events of a run: its start, messages of the model and tools, its end. Invariants: a refused
 * event appends nothing; an accepted one is one row, folded from the log. Left to others: steering
 * (lifecycle_queue.c), operations (lifecycle_op.c). */
#include "inside.h"

#include <loom/base/env.h>

static void put_raw(struct loom_json *json, const char *key, struct loom_str value)
{
	if (loom_jval_is_null(value))
		return;
	loom_json_key(json, key);
	loom_json_raw(json, value);
}

static void put_text(struct loom_json *json, const char *key, struct loom_str text)
{
	if (text.n > 0)
		loom_json_put(json, key, text);
}

/* Builds a row's refs: the open run's ids, and the caller's refs except for the reserved names. */
static struct loom_str make_refs(const struct loom_run *run, const struct loom_message *message,
				 struct loom_str source)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(message->extra_refs);
	struct loom_json json;
	struct loom_str key;
	struct loom_str value;

	loom_json_init(&json, &buf);
	loom_json_object(&json);
	put_text(&json, "request_id", model_run_field(run, "request_id"));
	put_text(&json, "run_id", model_run_field(run, "run_id"));
	put_text(&json, "signal_id", message->signal_id);
	put_text(&json, "source", source);
	if (message->block)
		loom_json_put_bool(&json, LOOM_REF_BLOCK, true);
	if (message->given)
		loom_json_put_bool(&json, LOOM_REF_GIVEN, true);
	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		struct loom_str name = loom_jval_text(key, run->scratch);
		if (loom_str_is(name, "request_id") || loom_str_is(name, "run_id") ||
		    loom_str_is(name, "signal_id") || loom_str_is(name, LOOM_REF_BLOCK) ||
		    loom_str_is(name, LOOM_REF_GIVEN) || (source.n && loom_str_is(name, "source")))
			continue;
		loom_json_key(&json, loom_arena_cstr(run->scratch, name));
		loom_json_raw(&json, value);
	}
	loom_json_end_object(&json);
	struct loom_str refs = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	return refs;
}

static struct loom_str make_payload(const struct loom_run *run, const char *role,
				    const struct loom_message *message)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	LOOM_ASSERT(role[0] && run->lane.n > 0);
	loom_json_init(&json, &buf);
	loom_json_object(&json);
	loom_json_put(&json, "context_ref", run->lane);
	loom_json_put(&json, "role", loom_str_of(role));
	put_raw(&json, "content", message->content);
	put_raw(&json, "thinking", message->thinking);
	if (loom_jval_count(message->tool_calls) > 0)
		put_raw(&json, "tool_calls", message->tool_calls);
	put_text(&json, "tool_call_id", message->tool_call_id);
	put_text(&json, "name", message->name);
	put_raw(&json, "reasoning_details", message->reasoning);
	put_text(&json, "request_id", model_run_field(run, "request_id"));
	put_text(&json, "run_id", model_run_field(run, "run_id"));
	loom_json_end_object(&json);
	struct loom_str payload = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	return payload;
}

enum loom_status model_run_append(struct loom_run *run, struct loom_log_row *row,
				  struct loom_run_result *result, struct loom_err *err)
{
	LOOM_ASSERT(row->kind.n > 0 && result);
	row->at_ms = loom_env_now(run->env);
	enum loom_status status = loom_log_append(&run->log, row, &result->seq, err);

	return status ? status : model_run_catch_up(run, err);
}

/* A message's role, and its source if that is not the run itself. */
struct said {
	const char *role;
	const struct loom_message *message;
	struct loom_str source;
};

static enum loom_status append_message(struct loom_run *run, const struct said *said,
				       struct loom_run_result *result, struct loom_err *err)
{
	struct loom_log_row output = {
		.kind = LOOM_STR(LOOM_KIND_OUTPUT),
		.payload = said->message->output,
	};
	struct loom_log_row row = {
		.kind = LOOM_STR(LOOM_KIND_MESSAGE),
		.payload = make_payload(run, said->role, said->message),
		.refs = make_refs(run, said->message, said->source),
	};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(said->role && said->message);
	result->answer = LOOM_ANSWER_ACCEPTED;
	if (output.payload.n > 0)
		status = model_run_append(run, &output, result, err);
	return status ? status : model_run_append(run, &row, result, err);
}

enum loom_status model_run_say(struct loom_run *run, const struct loom_message *message,
			       struct loom_str source, struct loom_run_result *result,
			       struct loom_err *err)
{
	const struct said said = {.role = "user", .message = message, .source = source};

	return append_message(run, &said, result, err);
}

static bool is_content(struct loom_str value)
{
	enum loom_jtype type = loom_jval_type(value);

	return type == LOOM_JTYPE_STRING || type == LOOM_JTYPE_ARRAY;
}

enum loom_status model_run_open_record(struct loom_run *run, const struct loom_message *message,
				       int64_t from_seq, struct loom_err *err)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	LOOM_ASSERT(message->request_id.n > 0 && !model_run_active(run));
	loom_json_init(&json, &buf);
	loom_json_object(&json);
	loom_json_put(&json, "request_id", message->request_id);
	loom_json_put(&json, "run_id", message->run_id.n ? message->run_id : message->request_id);
	loom_json_put(&json, "context_ref", run->lane);
	loom_json_put_int(&json, "from_seq", from_seq);
	loom_json_put_int(&json, "started_at", loom_env_now(run->env));
	loom_json_end_object(&json);
	enum loom_status status = model_run_put_slot(run, LOOM_SLOT_RUN, loom_buf_str(&buf), err);
	loom_buf_clear(&run->mine);
	loom_buf_add(&run->mine, loom_buf_str(&buf));
	loom_buf_fini(&buf);
	return status;
}

static const char *refuse_start(const struct loom_run *run, const struct loom_message *message)
{
	if (model_run_active(run))
		return "busy";
	if (message->request_id.n == 0)
		return "request_id";
	return is_content(message->content) ? NULL : "content";
}

/* Appends what the run's agent is told of its files. */
static enum loom_status append_told(struct loom_run *run, const struct loom_message *message,
				    struct loom_err *err)
{
	const struct model_told_run told = {message->request_id, message->run_id};
	enum loom_status status = LOOM_OK;

	if (!message->known.n && !message->news.n)
		return LOOM_OK;
	status = model_block_tell(&run->log, &told, message->known, message->news, err);
	return status ? status : model_run_catch_up(run, err);
}

enum loom_status loom_run_start(struct loom_run *run, const struct loom_message *message,
				struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	if (status)
		return status;
	const char *why = refuse_start(run, message);
	if (why) {
		model_run_reject(result, why);
		return model_run_finish(run, LOOM_OK, err);
	}
	status = model_run_open_record(run, message, run->cursor + 1, err);
	if (!status)
		status = model_run_say(run, message, loom_str_make(NULL, 0), result, err);
	if (!status)
		status = append_told(run, message, err);
	return model_run_finish(run, status, err);
}

static const char *refuse_assistant(const struct loom_message *message)
{
	if (!loom_jval_is_null(message->content) && !is_content(message->content))
		return "content";
	if (!loom_jval_is_null(message->tool_calls) &&
	    loom_jval_type(message->tool_calls) != LOOM_JTYPE_ARRAY)
		return "tool_calls";
	if (!loom_jval_is_null(message->thinking) &&
	    loom_jval_type(message->thinking) != LOOM_JTYPE_STRING)
		return "thinking";
	return NULL;
}

static const char *refuse_tool(const struct loom_message *message)
{
	if (message->tool_call_id.n == 0)
		return "tool_call_id";
	if (message->name.n == 0)
		return "name";
	if (!loom_jval_is_null(message->content) && !is_content(message->content))
		return "content";
	return NULL;
}

/* ---- the open run's record ---- */

/* Starts an object with the record's members, except for the unfinished message. */
static void copy_record(const struct loom_run *run, struct loom_json *json)
{
	struct loom_jwalk walk = loom_jval_walk(model_run_slot(run, LOOM_SLOT_RUN));
	struct loom_str key;
	struct loom_str value;

	LOOM_ASSERT(model_run_active(run));
	loom_json_object(json);
	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		struct loom_str name = loom_jval_text(key, run->scratch);
		if (loom_str_is(name, "said"))
			continue;
		loom_json_key(json, loom_arena_cstr(run->scratch, name));
		loom_json_raw(json, value);
	}
}

/* Sets the unfinished message; NULL: none. The run remains with the process that opened it. */
static enum loom_status put_said(struct loom_run *run, const struct loom_message *message,
				 struct loom_err *err)
{
	const bool mine = loom_str_eq(model_run_slot(run, LOOM_SLOT_RUN), loom_buf_str(&run->mine));
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &buf);
	copy_record(run, &json);
	if (message) {
		loom_json_key(&json, "said");
		loom_json_object(&json);
		put_raw(&json, "content", message->content);
		put_raw(&json, "thinking", message->thinking);
		put_raw(&json, "output", message->output);
		loom_json_end_object(&json);
	}
	loom_json_end_object(&json);
	enum loom_status status = model_run_put_slot(run, LOOM_SLOT_RUN, loom_buf_str(&buf), err);
	if (!status && mine) {
		loom_buf_clear(&run->mine);
		loom_buf_add(&run->mine, loom_buf_str(&buf));
	}
	loom_buf_fini(&buf);
	return status;
}

static struct loom_str said_of(const struct loom_run *run)
{
	return loom_jval_get(model_run_slot(run, LOOM_SLOT_RUN), "said");
}

enum loom_status model_run_take_said(struct loom_run *run, struct loom_run_result *result,
				     struct loom_err *err)
{
	struct loom_str kept = loom_arena_str(run->scratch, said_of(run));
	const struct loom_message message = {
		.content = loom_jval_get(kept, "content"),
		.thinking = loom_jval_get(kept, "thinking"),
		.output = loom_jval_get(kept, "output"),
	};
	const struct said said = {.role = "assistant", .message = &message};

	LOOM_ASSERT(result);
	if (kept.n == 0)
		return LOOM_OK;
	enum loom_status status = append_message(run, &said, result, err);
	return status ? status : put_said(run, NULL, err);
}

/* Handles one event of the open run. */
static enum loom_status take_event(struct loom_run *run, const char *role,
				   const struct loom_message *message,
				   struct loom_run_result *result, struct loom_err *err)
{
	const struct said said = {.role = role, .message = message};
	enum loom_status status = model_run_begin(run, result, err);

	LOOM_ASSERT(role[0] && message);
	if (status)
		return status;
	const bool tool = strcmp(role, "tool") == 0;
	const char *why = model_run_refuses(run, message->request_id);
	if (!why)
		why = tool ? refuse_tool(message) : refuse_assistant(message);
	if (why)
		model_run_reject(result, why);
	else
		status = append_message(run, &said, result, err);
	if (!status && !why && !tool && said_of(run).n > 0)
		status = put_said(run, NULL, err);
	return model_run_finish(run, status, err);
}

enum loom_status loom_run_assistant(struct loom_run *run, const struct loom_message *message,
				    struct loom_run_result *result, struct loom_err *err)
{
	return take_event(run, "assistant", message, result, err);
}

enum loom_status loom_run_saying(struct loom_run *run, const struct loom_message *message,
				 struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	if (status)
		return status;
	const char *why = model_run_refuses(run, message->request_id);
	if (!why)
		why = refuse_assistant(message);
	result->answer = LOOM_ANSWER_ACCEPTED;
	if (why)
		model_run_reject(result, why);
	else
		status = put_said(run, message, err);
	return model_run_finish(run, status, err);
}

enum loom_status loom_run_tool_result(struct loom_run *run, const struct loom_message *message,
				      struct loom_run_result *result, struct loom_err *err)
{
	return take_event(run, "tool", message, result, err);
}

/* Returns the open run's record, completed with its ending. */
static struct loom_str ended_record(const struct loom_run *run,
				    const struct loom_run_ending *ending)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &buf);
	copy_record(run, &json);
	loom_json_put_int(&json, "to_seq", run->cursor);
	loom_json_put(&json, "outcome", loom_str_of(loom_run_outcome_word(ending->outcome)));
	put_text(&json, "why", ending->why);
	loom_json_put_int(&json, "ended_at", loom_env_now(run->env));
	loom_json_end_object(&json);
	struct loom_str record = loom_arena_buf(run->scratch, &buf);
	loom_buf_fini(&buf);
	return record;
}

enum loom_status model_run_close_open(struct loom_run *run, const struct loom_run_ending *ending,
				      struct loom_run_result *result, struct loom_err *err)
{
	struct loom_str record = ended_record(run, ending);
	const struct loom_str empty = {NULL, 0};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(model_run_active(run) && result);
	result->answer = LOOM_ANSWER_ACCEPTED;
	result->returned = loom_arena_str(run->scratch, model_run_slot(run, LOOM_SLOT_QUEUE));
	if (run->log.ops->run_ended)
		status = run->log.ops->run_ended(run->log.ctx, record, err);
	if (!status)
		status = model_run_put_slot(run, LOOM_SLOT_RUN, empty, err);
	if (!status && result->returned.n > 0)
		status = model_run_put_slot(run, LOOM_SLOT_QUEUE, empty, err);
	if (status)
		return status;
	run->status =
		ending->outcome == LOOM_OUTCOME_COMPLETED ? LOOM_RUN_COMPLETED : LOOM_RUN_ERROR;
	return model_run_apply_pending(run, result, err);
}

enum loom_status loom_run_end(struct loom_run *run, const struct loom_run_ending *ending,
			      struct loom_run_result *result, struct loom_err *err)
{
	enum loom_status status = model_run_begin(run, result, err);

	if (status)
		return status;
	const char *why = model_run_refuses(run, ending->request_id);
	if (why)
		model_run_reject(result, why);
	else
		status = model_run_close_open(run, ending, result, err);
	return model_run_finish(run, status, err);
}

bool loom_run_mark(struct loom_str record, struct loom_arena *arena, int64_t *out_seq,
		   struct loom_str *out)
{
	static const char *const words[] = {
		[LOOM_OUTCOME_FAILED] = "the turn failed",
		[LOOM_OUTCOME_CANCELLED] = "the turn was stopped",
		[LOOM_OUTCOME_WORKER_EXIT] = "the turn ended with its program",
	};
	struct loom_str outcome = loom_jval_text(loom_jval_get(record, "outcome"), arena);
	struct loom_str why = loom_jval_text(loom_jval_get(record, "why"), arena);
	enum loom_run_outcome kind = LOOM_OUTCOME_COMPLETED;

	LOOM_ASSERT(out && out_seq);
	if (!loom_run_outcome_parse(outcome, &kind) || !words[kind] ||
	    !loom_jval_int(loom_jval_get(record, "to_seq"), out_seq))
		return false;
	*out = loom_arena_format(arena, "%s%s%.*s", words[kind], why.n ? ": " : "",
				 LOOM_STR_ARG(why));
	return true;
}
