/* The line protocol over a thread's lifecycle. Invariants: one line in, one line out, in order;
 * what is answered is done, once the group it stands in is committed (drive_stream.c). A command is
 * only ever read as JSON, never as text to run. The rules are in model/log (run*.c), and the log
 * decides where rows are kept. */
#include <loom/context/context.h>
#include <loom/log/block.h>

#include "drive_inside.h"

enum loom_status loom_drive_open(const struct loom_log *log, const struct loom_run_opts *opts,
				 struct loom_drive **out, struct loom_err *err)
{
	struct loom_drive *drive = loom_alloc(sizeof *drive);

	drive->log = *log;
	drive->arena = loom_arena_create();
	drive->home = loom_arena_create();
	drive->thread = loom_arena_str(drive->home, opts->thread);
	drive->prompt = opts->prompt.p ? loom_arena_str(drive->home, opts->prompt) : opts->prompt;
	struct loom_run_result found = {.seq = LOOM_SEQ_NONE};
	enum loom_status status = loom_run_open(log, opts, &drive->run, &found, err);
	drive->unheard = loom_arena_str(drive->home, found.returned);
	if (status) {
		loom_drive_close(drive);
		drive = NULL;
	}
	*out = drive;
	return status;
}

void loom_drive_lead(struct loom_drive *drive, const struct loom_drive_head *head)
{
	drive->head = *head;
}

struct loom_str loom_drive_unheard(const struct loom_drive *drive)
{
	return drive->unheard;
}

void loom_drive_close(struct loom_drive *drive)
{
	if (!drive)
		return;
	loom_run_close(drive->run);
	loom_arena_destroy(drive->arena);
	loom_arena_destroy(drive->home);
	free(drive);
}

struct loom_str chat_drive_text(const struct chat_drive_command *command, const char *key)
{
	return loom_jval_text(loom_jval_get(command->object, key), command->drive->arena);
}

struct loom_str chat_drive_value(const struct chat_drive_command *command, const char *key)
{
	struct loom_str value = loom_jval_get(command->object, key);

	return loom_jval_is_null(value) ? loom_str_make(NULL, 0) : value;
}

/* Advice for reasons that do not explain themselves. */
static const char *advice(const char *why)
{
	static const struct {
		const char *why;
		const char *text;
	} all[] = {
		{"unknown_command",
		 "\"do\" must be run_start, assistant, tool_result, steer, drain, "
		 "run_end, modify, project, state, log or restart"},
		{"outcome", "\"outcome\" must be completed, failed, cancelled or worker_exit"},
		{"at", "\"at\" must be a row's seq, a whole number"},
		{"idle", "no run is open: run_start begins one"},
		{"busy", "a run is open: run_end ends it, steer adds to it"},
		{"request_id", "\"request_id\" must be a text of your own that names the run"},
		{"request_mismatch", "another run is open, or none: state says which"},
		{"op", "\"op\" does not belong here: request_id names a run, op_id a change"},
		{"role", "only a user's words steer a run"},
		{"empty_content", "\"content\" must be a text that is not blank"},
		{"queue_full", "64 texts are waiting already: drain takes them into the log"},
	};

	for (size_t i = 0; why && i < LOOM_COUNT(all); i++)
		if (strcmp(why, all[i].why) == 0)
			return all[i].text;
	return NULL;
}

void chat_drive_answer(struct loom_json *json, const char *word, const char *why)
{
	struct loom_buf text = LOOM_BUF_INIT(256);

	loom_buf_adds(&text, word);
	if (why)
		loom_buf_addf(&text, ":%s", why);
	loom_json_put(json, "result", loom_buf_str(&text));
	loom_buf_fini(&text);
	if (advice(why))
		loom_json_put(json, "message", loom_str_of(advice(why)));
}

static void put_text(struct loom_json *json, const char *key, struct loom_str text)
{
	if (text.n > 0)
		loom_json_put(json, key, text);
}

static void put_raw(struct loom_json *json, const char *key, struct loom_str value)
{
	if (value.n == 0)
		return;
	loom_json_key(json, key);
	loom_json_raw(json, value);
}

static void put_result(struct loom_json *json, const struct loom_run_result *result)
{
	bool rejected = result->answer == LOOM_ANSWER_REJECTED;

	chat_drive_answer(json, loom_answer_word(result->answer), rejected ? result->why : NULL);
	if (!rejected && result->why)
		loom_json_put(json, "error", loom_str_of(result->why));
	put_text(json, "op_id", result->op_id);
	if (result->seq != LOOM_SEQ_NONE)
		loom_json_put_int(json, "seq", result->seq);
	put_raw(json, "returned", result->returned);
	put_raw(json, "ended", result->ended);
	put_text(json, "late_op_id", result->late_op_id);
}

static struct loom_message message_of(const struct chat_drive_command *command)
{
	return (struct loom_message){
		.request_id = chat_drive_text(command, "request_id"),
		.run_id = chat_drive_text(command, "run_id"),
		.content = chat_drive_value(command, "content"),
		.tool_calls = chat_drive_value(command, "tool_calls"),
		.thinking = chat_drive_value(command, "thinking"),
		.reasoning = chat_drive_value(command, "reasoning_details"),
		.tool_call_id = chat_drive_text(command, "tool_call_id"),
		.name = chat_drive_text(command, "name"),
		.signal_id = chat_drive_text(command, "signal_id"),
		.extra_refs = chat_drive_value(command, "extra_refs"),
	};
}

typedef enum loom_status event_fn(struct loom_run *, const struct loom_message *,
				  struct loom_run_result *, struct loom_err *);

static enum loom_status do_event(struct chat_drive_command *command, event_fn *event)
{
	const struct loom_message message = message_of(command);
	struct loom_run_result result;
	enum loom_status status = event(command->drive->run, &message, &result, command->err);

	if (!status)
		put_result(command->json, &result);
	return status;
}

/* Returns a content, a text or a list of parts, behind a text of ours. */
static struct loom_str behind(struct loom_str head, struct loom_str content,
			      struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(content);
	struct loom_json json;
	struct loom_str part;
	struct loom_str whole;

	loom_json_init(&json, &out);
	if (loom_jval_type(content) == LOOM_JTYPE_STRING) {
		loom_thread_context_message(head, loom_jval_text(content, arena), &text);
		loom_json_text(&json, loom_buf_str(&text));
	} else {
		loom_thread_context_message(head, LOOM_STR(""), &text);
		loom_json_array(&json);
		loom_json_object(&json);
		loom_json_put(&json, "type", LOOM_STR("text"));
		loom_json_put(&json, "text", loom_buf_str(&text));
		loom_json_end_object(&json);
		while (!walk.object && loom_jwalk_next(&walk, NULL, &part))
			loom_json_raw(&json, part);
		loom_json_end_array(&json);
	}
	whole = loom_arena_buf(arena, &out);
	loom_buf_fini(&text);
	loom_buf_fini(&out);
	return whole;
}

/* Puts before the message of a run what its thread is told of its files: the block, unless it
 * stands in the context already, and what is new. */
static enum loom_status lead(struct chat_drive_command *command, struct loom_message *message)
{
	struct loom_drive *drive = command->drive;
	const enum loom_jtype type = loom_jval_type(message->content);
	struct loom_told told = {.block = LOOM_STR("")};
	struct loom_run_state state;
	enum loom_status status = LOOM_OK;

	if (!drive->head.look || (type != LOOM_JTYPE_STRING && type != LOOM_JTYPE_ARRAY))
		return LOOM_OK;
	status = loom_run_look(drive->run, &state, command->err);
	if (status || state.active)
		return status;
	status = drive->head.look(drive->head.ctx, drive->arena, &told, command->err);
	if (status)
		return status;
	message->block = told.block.n &&
			 (told.loaded ||
			  !loom_str_eq(loom_block_newest(state.context, drive->arena), told.block));
	loom_told_put(&told, message);
	if (message->news.n)
		message->content = behind(loom_news_frame(message->news, drive->arena),
					  message->content, drive->arena);
	if (message->block)
		message->content = behind(told.block, message->content, drive->arena);
	return LOOM_OK;
}

static enum loom_status do_run_start(struct chat_drive_command *command)
{
	struct loom_message message = message_of(command);
	struct loom_run_result result;
	enum loom_status status = lead(command, &message);

	if (!status)
		status = loom_run_start(command->drive->run, &message, &result, command->err);
	if (status)
		return status;
	put_result(command->json, &result);
	if (result.answer == LOOM_ANSWER_ACCEPTED && message.news.n)
		loom_json_put(command->json, "told", message.news);
	return LOOM_OK;
}

static enum loom_status do_assistant(struct chat_drive_command *command)
{
	return do_event(command, loom_run_assistant);
}

static enum loom_status do_tool_result(struct chat_drive_command *command)
{
	return do_event(command, loom_run_tool_result);
}

static enum loom_status do_steer(struct chat_drive_command *command)
{
	const struct loom_steer steer = {
		.content = chat_drive_text(command, "content"),
		.role = chat_drive_text(command, "role"),
		.expected_request_id = chat_drive_text(command, "expected_request_id"),
		.source = chat_drive_text(command, "source"),
	};
	struct loom_run_result result;
	enum loom_status status =
		loom_run_steer(command->drive->run, &steer, &result, command->err);

	if (!status)
		put_result(command->json, &result);
	return status;
}

static enum loom_status do_drain(struct chat_drive_command *command)
{
	struct loom_run_result result;
	enum loom_status status = loom_run_drain(command->drive->run, &result, command->err);

	if (status)
		return status;
	put_result(command->json, &result);
	if (result.answer == LOOM_ANSWER_ACCEPTED)
		loom_json_put_int(command->json, "drained", (int64_t)result.drained);
	return LOOM_OK;
}

static enum loom_status do_run_end(struct chat_drive_command *command)
{
	struct loom_run_ending ending = {.request_id = chat_drive_text(command, "request_id"),
					 .why = chat_drive_text(command, "why")};
	struct loom_run_result result;

	if (!loom_run_outcome_parse(chat_drive_text(command, "outcome"), &ending.outcome)) {
		chat_drive_answer(command->json, "rejected", "outcome");
		return LOOM_OK;
	}
	enum loom_status status = loom_run_end(command->drive->run, &ending, &result, command->err);
	if (!status)
		put_result(command->json, &result);
	return status;
}

static enum loom_status do_modify(struct chat_drive_command *command)
{
	struct loom_run_result result;
	enum loom_status status =
		loom_run_modify(command->drive->run, command->object, true, &result, command->err);

	if (!status)
		put_result(command->json, &result);
	return status;
}

static enum loom_status do_restart(struct chat_drive_command *command)
{
	struct loom_run_result result;
	enum loom_status status = loom_run_restart(command->drive->run, &result, command->err);

	if (!status)
		put_result(command->json, &result);
	return status;
}

static const struct {
	const char *name;
	enum loom_status (*run)(struct chat_drive_command *command);
} commands[] = {
	{"run_start", do_run_start},
	{"assistant", do_assistant},
	{"tool_result", do_tool_result},
	{"steer", do_steer},
	{"drain", do_drain},
	{"run_end", do_run_end},
	{"modify", do_modify},
	{"project", chat_drive_project},
	{"state", chat_drive_state},
	{"log", chat_drive_log},
	{"restart", do_restart},
};

static enum loom_status dispatch(struct chat_drive_command *command)
{
	struct loom_str name = loom_jval_get(command->object, "do");

	/* A caller would believe that an ignored member was stored. */
	if (chat_drive_value(command, "op").p) {
		chat_drive_answer(command->json, "rejected", "op");
		return LOOM_OK;
	}
	for (size_t i = 0; i < LOOM_COUNT(commands); i++) {
		if (loom_jval_says(name, loom_str_of(commands[i].name)))
			return commands[i].run(command);
	}
	chat_drive_answer(command->json, "rejected", "unknown_command");
	return LOOM_OK;
}

static void put_trouble(struct loom_json *json, enum loom_status status, const struct loom_err *err)
{
	chat_drive_answer(json, "rejected", status == LOOM_INVALID ? "invalid" : "store");
	loom_json_put(json, "error", loom_str_of(loom_status_code(status)));
	loom_json_put(json, "message", loom_str_of(err->text));
}

void loom_drive_line(struct loom_drive *drive, struct loom_str line, struct loom_buf *out)
{
	struct loom_err err = {0};
	struct loom_json json;
	size_t start = out->n;

	loom_arena_reset(drive->arena);
	loom_json_init(&json, out);
	loom_json_object(&json);
	if (loom_log_json_check(line, &err)) {
		chat_drive_answer(&json, "rejected", "json");
		loom_json_put(&json, "message", loom_str_of(err.text));
	} else {
		struct chat_drive_command command = {drive, loom_jval_of(line), &json, &err};
		enum loom_status status = dispatch(&command);
		if (status) {
			loom_buf_cut(out, start);
			loom_json_init(&json, out);
			loom_json_object(&json);
			put_trouble(&json, status, &err);
		}
	}
	loom_json_end_object(&json);
	loom_buf_addc(out, '\n');
}
