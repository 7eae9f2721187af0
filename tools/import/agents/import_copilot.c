/* Sessions of GitHub Copilot CLI (events.jsonl): lines of events that name the one before.
 * Invariants: what a person, the model or a tool said is a node; every other event is kept beside
 * the next one. import_records.c resolves the chain of parents. */
#include "inside.h"

static bool recognise(const struct import_source *source)
{
	struct loom_str first = source->first;
	struct loom_str type = loom_jval_get(first, "type");

	return (source->lines || source->json) && loom_jval_get(first, "parentId").p &&
	       loom_jval_type(loom_jval_get(first, "data")) == LOOM_JTYPE_OBJECT &&
	       (loom_jval_says(type, LOOM_STR("session.start")) ||
		loom_jval_says(type, LOOM_STR("session.resume")));
}

static void say_calls(struct chats *chat, struct loom_str calls)
{
	struct loom_jwalk walk = loom_jval_walk(calls);
	struct loom_str call;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &call))
		chats_call(chat, call);
}

static void say_result(struct chats *chat, struct loom_str data)
{
	struct loom_str error = loom_jval_get(data, "error");

	if (loom_jval_is_null(error))
		chats_results(chat, loom_jval_get(data, "result"));
	else
		chats_results(chat, error);
	chat->node.role = IMPORT_TOOL;
}

static enum loom_status say_event(struct import_records *session, struct loom_str record,
				  struct loom_str type, struct loom_err *err)
{
	static const struct import_fields fields = {
		.where = "event", .used = "type:s id:s parentId:s timestamp:ns data:o"};
	static const struct import_fields within = {
		.where = "event data",
		.used = "content:s model:s",
		.known = "messageId toolCallId toolRequests result error success reasoningText "
			 "attachments transformedContent source agentMode interactionId turnId "
			 "parentToolCallId encryptedContent reasoningOpaque reasoningId "
			 "reasoningEffort phase isUserRequested toolTelemetry name role metadata "
			 "outputTokens requestId"};
	struct chats *chat = &session->chat;
	struct loom_str data = loom_jval_get(record, "data");
	const struct loom_buf *model = session->ctx;

	(void)err;
	chat->node.created = import_time(chat->import, loom_jval_get(record, "timestamp"));
	if (loom_str_starts(type, LOOM_STR("user.")))
		chat->node.role = IMPORT_HUMAN;
	else if (loom_str_starts(type, LOOM_STR("assistant.")))
		chat->node.role = IMPORT_MODEL;
	else
		chat->node.role = IMPORT_SYSTEM;
	if (chat->node.role == IMPORT_MODEL) {
		chat->node.model = import_text(chat->import, data, "model");
		if (!chat->node.model.n)
			chat->node.model = loom_buf_str(model);
	} else {
		chats_keep(chat, "model", loom_jval_get(data, "model"));
	}
	chats_think(chat, import_text(chat->import, data, "reasoningText"));
	chats_say(chat, loom_jval_get(data, "content"));
	say_calls(chat, loom_jval_get(data, "toolRequests"));
	if (loom_str_starts(type, LOOM_STR("tool.")))
		say_result(chat, data);
	chats_rest(chat, record, &fields);
	chats_rest(chat, data, &within);
	return LOOM_OK;
}

static enum loom_status take_own(struct import_records *session, struct loom_str record,
				 struct loom_str type, struct loom_err *err)
{
	struct loom_import *import = session->chat.import;
	struct loom_str data = loom_jval_get(record, "data");
	struct loom_str name = chats_either(import, data, "newModel", "selectedModel");
	struct loom_buf *model = session->ctx;

	(void)err;
	if (name.n) {
		loom_buf_clear(model);
		loom_buf_add(model, name);
	}
	if (loom_str_is(type, "session.title_changed"))
		import_records_title(session, import_text(import, data, "title"), IMPORT_RANK_MADE);
	import_records_beside(session, record);
	return LOOM_OK;
}

static const struct import_records_type types[] = {
	{"user.message", IMPORT_RECORD_NODE},
	{"assistant.message", IMPORT_RECORD_NODE},
	{"tool.execution_complete", IMPORT_RECORD_NODE},
	{"system.message", IMPORT_RECORD_NODE},
	{"session.start", IMPORT_RECORD_OWN},
	{"session.resume", IMPORT_RECORD_OWN},
	{"session.model_change", IMPORT_RECORD_OWN},
	{"session.title_changed", IMPORT_RECORD_OWN},
	{"session.info", IMPORT_RECORD_BESIDE},
	{"session.warning", IMPORT_RECORD_BESIDE},
	{"session.error", IMPORT_RECORD_BESIDE},
	{"session.mode_changed", IMPORT_RECORD_BESIDE},
	{"session.plan_changed", IMPORT_RECORD_BESIDE},
	{"session.context_changed", IMPORT_RECORD_BESIDE},
	{"session.truncation", IMPORT_RECORD_BESIDE},
	{"session.compaction_start", IMPORT_RECORD_BESIDE},
	{"session.compaction_complete", IMPORT_RECORD_BESIDE},
	{"session.snapshot_rewind", IMPORT_RECORD_BESIDE},
	{"session.task_complete", IMPORT_RECORD_BESIDE},
	{"session.shutdown", IMPORT_RECORD_BESIDE},
	{"session.usage_info", IMPORT_RECORD_BESIDE},
	{"session.handoff", IMPORT_RECORD_BESIDE},
	{"session.idle", IMPORT_RECORD_BESIDE},
	{"assistant.turn_start", IMPORT_RECORD_BESIDE},
	{"assistant.turn_end", IMPORT_RECORD_BESIDE},
	{"assistant.intent", IMPORT_RECORD_BESIDE},
	{"assistant.reasoning", IMPORT_RECORD_BESIDE},
	{"assistant.usage", IMPORT_RECORD_BESIDE},
	{"tool.execution_start", IMPORT_RECORD_BESIDE},
	{"tool.user_requested", IMPORT_RECORD_BESIDE},
	{"skill.invoked", IMPORT_RECORD_BESIDE},
	{"subagent.started", IMPORT_RECORD_BESIDE},
	{"subagent.completed", IMPORT_RECORD_BESIDE},
	{"subagent.failed", IMPORT_RECORD_BESIDE},
	{"subagent.selected", IMPORT_RECORD_BESIDE},
	{"hook.start", IMPORT_RECORD_BESIDE},
	{"hook.end", IMPORT_RECORD_BESIDE},
	{"abort", IMPORT_RECORD_BESIDE},
};

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct import_records_form form = {
		.id = "id",
		.parent = "parentId",
		.types = types,
		.type_count = LOOM_COUNT(types),
		.all_chained = true,
		.node = say_event,
		.own = take_own,
	};
	struct loom_str data = loom_jval_get(source->first, "data");
	struct loom_buf model = IMPORT_BUF(import);
	const struct import_tree tree = {
		.id = import_text(import, data, "sessionId"),
		.created = import_time(import, loom_jval_get(source->first, "timestamp")),
		.mode = LOOM_DIALOGUE,
	};
	enum loom_status status;

	import_begin(import, &tree);
	status = import_records_read(import, source->text, &form, &model, err);
	loom_buf_fini(&model);
	return status;
}

const struct import_reader import_copilot = {
	.name = "copilot",
	.title = "GitHub Copilot CLI sessions (events.jsonl)",
	.recognise = recognise,
	.read = read,
	.places = ".copilot/session-state",
};
