/* The queries of the line protocol: projections, states, rows; and the protocol over a file of rows
 * or a log in memory. Invariant: nothing here appends. */
#include "drive_inside.h"

#include <loom/log/memlog.h>

enum loom_status loom_project_json(const struct loom_log *log, const struct loom_project_opts *opts,
				   const struct loom_messages_opts *messages,
				   struct loom_json *json, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_project_opts settled = *opts;
	struct loom_context context;
	struct loom_derived derived;
	enum loom_status status = LOOM_OK;

	if (opts->lane.n == 0) {
		status = loom_derive(log, opts->at, arena, &derived, err);
		settled.lane = derived.lane;
	}
	if (!status)
		status = loom_project(log, &settled, arena, &context, err);
	if (status)
		goto done;
	loom_json_key(json, "system_prompt");
	if (context.has_prompt)
		loom_json_text(json, context.prompt);
	else
		loom_json_null(json);
	loom_json_key(json, "entries");
	loom_context_entries_json(&context, context.count, json);
	loom_json_key(json, "messages");
	loom_context_messages_json(&context, messages, json);
	loom_json_put(json, "id", context.id);
	loom_json_put(json, "lane", context.lane);
done:
	loom_arena_destroy(arena);
	return status;
}

/* Reads the boundary that a command names; false when it is none. */
static bool read_boundary(const struct chat_drive_command *command, int64_t *out)
{
	struct loom_str at = chat_drive_value(command, "at");

	*out = LOOM_SEQ_HEAD;
	return at.n == 0 || loom_jval_int(at, out);
}

enum loom_status chat_drive_project(struct chat_drive_command *command)
{
	struct loom_project_opts opts = {
		.thread = command->drive->thread,
		.lane = chat_drive_text(command, "lane"),
		.prompt = command->drive->prompt,
	};
	int64_t limit = 0;

	if (!read_boundary(command, &opts.at)) {
		chat_drive_answer(command->json, "rejected", "at");
		return LOOM_OK;
	}
	opts.limited = loom_jval_int(chat_drive_value(command, "limit"), &limit) && limit >= 0;
	opts.limit = opts.limited ? (size_t)limit : 0;
	chat_drive_answer(command->json, "ok", NULL);
	return loom_project_json(&command->drive->log, &opts, NULL, command->json, command->err);
}

static void put_text_or_null(struct loom_json *json, const char *key, struct loom_str text)
{
	loom_json_key(json, key);
	if (text.n > 0)
		loom_json_text(json, text);
	else
		loom_json_null(json);
}

static void put_lifecycle(struct loom_json *json, const struct loom_run_state *state)
{
	loom_json_put(json, "status", loom_str_of(loom_run_status_word(state->status)));
	loom_json_put_bool(json, "run_active", state->active);
	put_text_or_null(json, "request_id", state->request_id);
	put_text_or_null(json, "run_id", state->run_id);
	loom_json_put(json, "active_context_ref", state->lane);
	put_text_or_null(json, "pending_op_id", state->pending_op_id);
	loom_json_put_texts(json, "applied_op_ids", state->applied, state->applied_count);
	loom_json_put_int(json, "applied_count", (int64_t)state->applied_count);
	loom_json_put_int(json, "cursor", state->cursor);
	loom_json_put_int(json, "queued", (int64_t)state->queued);
}

static void put_contexts(struct loom_json *json, const struct loom_run_state *state)
{
	loom_json_key(json, "context");
	loom_context_snapshot_json(state->context, state->settled, json);
	loom_json_key(json, "run_context");
	if (state->active)
		loom_context_snapshot_json(state->context, state->context->count, json);
	else
		loom_json_null(json);
	loom_json_key(json, "run_entries");
	if (state->active)
		loom_context_entries_json(state->context, state->context->count, json);
	else
		loom_json_null(json);
}

/* The state that the log alone gives at an earlier boundary: no run, nothing deferred. */
static enum loom_status state_at(struct chat_drive_command *command, int64_t at)
{
	struct loom_arena *arena = command->drive->arena;
	const struct loom_log *log = &command->drive->log;
	struct loom_context context;
	struct loom_derived derived;
	struct loom_lanes lanes;
	enum loom_status status = loom_derive(log, at, arena, &derived, command->err);
	const struct loom_project_opts opts = {
		.thread = command->drive->thread,
		.lane = derived.lane,
		.at = at,
		.prompt = command->drive->prompt,
	};

	if (!status)
		status = loom_project(log, &opts, arena, &context, command->err);
	if (!status)
		status = loom_lanes(log, at, arena, &lanes, command->err);
	if (status)
		return status;
	const struct loom_run_state state = {
		.lane = derived.lane,
		.applied = derived.applied,
		.applied_count = derived.applied_count,
		.cursor = derived.cursor,
		.context = &context,
		.settled = context.count,
	};
	chat_drive_answer(command->json, "ok", NULL);
	put_lifecycle(command->json, &state);
	loom_json_put_texts(command->json, "lanes", lanes.names, lanes.count);
	put_contexts(command->json, &state);
	return LOOM_OK;
}

enum loom_status chat_drive_state(struct chat_drive_command *command)
{
	struct loom_arena *arena = command->drive->arena;
	struct loom_run_state state;
	struct loom_lanes lanes;
	int64_t at = 0;

	if (!read_boundary(command, &at)) {
		chat_drive_answer(command->json, "rejected", "at");
		return LOOM_OK;
	}
	enum loom_status status = loom_run_look(command->drive->run, &state, command->err);
	if (!status && at < state.cursor)
		return state_at(command, at);
	if (!status)
		status = loom_lanes(&command->drive->log, LOOM_SEQ_HEAD, arena, &lanes,
				    command->err);
	if (status)
		return status;
	chat_drive_answer(command->json, "ok", NULL);
	put_lifecycle(command->json, &state);
	loom_json_put_texts(command->json, "lanes", lanes.names, lanes.count);
	put_contexts(command->json, &state);
	return LOOM_OK;
}

static bool put_row(void *ctx, const struct loom_log_row *row)
{
	loom_log_row_json(row, ctx);
	return true;
}

enum loom_status chat_drive_log(struct chat_drive_command *command)
{
	const struct loom_log *log = &command->drive->log;
	const struct loom_log_visitor visitor = {put_row, command->json};
	struct loom_log_range range = {.after = LOOM_SEQ_NONE};

	if (!read_boundary(command, &range.through)) {
		chat_drive_answer(command->json, "rejected", "at");
		return LOOM_OK;
	}
	if (!loom_jval_int(chat_drive_value(command, "after"), &range.after))
		range.after = LOOM_SEQ_NONE;
	chat_drive_answer(command->json, "ok", NULL);
	loom_json_key(command->json, "rows");
	loom_json_array(command->json);
	enum loom_status status = log->ops->read(log->ctx, &range, &visitor, command->err);
	loom_json_end_array(command->json);
	return status;
}

/* Loads the rows of a JSON array into a log in memory. */
static enum loom_status load_rows(struct loom_str text, struct loom_memlog *memlog,
				  struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_log_row *rows = NULL;
	size_t count = 0;
	enum loom_status status = loom_log_rows_parse(text, arena, &rows, &count, err);

	if (!status)
		status = loom_memlog_load(memlog, rows, count, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_drive_memory(const struct loom_drive_memory *memory, int in, FILE *out,
				   struct loom_err *err)
{
	struct loom_memlog *memlog = loom_memlog_create();
	const struct loom_log log = loom_memlog_log(memlog);
	const struct loom_run_opts opts = {.thread = LOOM_STR("memory"),
					   .prompt = memory->prompt,
					   .env = memory->env};
	struct loom_drive *drive = NULL;
	enum loom_status status = LOOM_OK;

	if (memory->rows.n > 0)
		status = load_rows(memory->rows, memlog, err);
	if (!status)
		status = loom_drive_open(&log, &opts, &drive, err);
	if (!status)
		status = loom_drive_stream(drive, in, out, err);
	loom_drive_close(drive);
	loom_memlog_destroy(memlog);
	return status;
}

enum loom_status loom_project_text(struct loom_str rows, const struct loom_project_text *opts,
				   struct loom_buf *out, struct loom_err *err)
{
	struct loom_memlog *memlog = loom_memlog_create();
	const struct loom_log log = loom_memlog_log(memlog);
	const struct loom_project_opts project = {.thread = LOOM_STR("memory"),
						  .lane = opts->lane,
						  .at = opts->at,
						  .prompt = opts->prompt,
						  .limited = opts->limited,
						  .limit = opts->limit};
	struct loom_json json;
	enum loom_status status = load_rows(rows, memlog, err);

	if (!status) {
		loom_json_init(&json, out);
		loom_json_object(&json);
		status = loom_project_json(&log, &project, NULL, &json, err);
		loom_json_end_object(&json);
	}
	loom_memlog_destroy(memlog);
	return status;
}
