/* Sessions of Hermes Agent: its export, a session a line, or the rows of its database, where the
 * messages follow their session. Messages follow one another. */
#include "inside.h"

static bool recognise(const struct import_source *source)
{
	if (source->lines && import_has(source, "database", LOOM_JTYPE_STRING))
		return loom_jval_says(import_member(source, "database"), LOOM_STR("hermes"));
	return (source->lines || source->json) &&
	       import_has(source, "messages", LOOM_JTYPE_ARRAY) &&
	       import_has(source, "started_at", LOOM_JTYPE_NONE) &&
	       import_has(source, "source", LOOM_JTYPE_STRING);
}

struct hermes {
	struct chats chat;
	bool open;
};

enum { TO_CONTENT = CHATS_OWN, TO_CALLS, TO_THOUGHT, TO_STOP };

static const struct import_key session_keys[] = {
	{"id", "s", CHATS_ID, true},
	{"title", "s", CHATS_TITLE, false},
	{"system_prompt", "s", CHATS_SYSTEM, false},
	{"started_at", "ns", CHATS_CREATED, true},
	{"model", "s", CHATS_MODEL, true},
	{"messages", "a", CHATS_MESSAGES, false},
};
static const struct import_fields session_fields = {
	.where = "session",
	.known = "row source user_id model_config parent_session_id ended_at end_reason "
		 "message_count tool_call_count input_tokens output_tokens cache_read_tokens "
		 "cache_write_tokens reasoning_tokens billing_provider billing_base_url "
		 "billing_mode estimated_cost_usd actual_cost_usd cost_status cost_source "
		 "pricing_version api_call_count handoff_state handoff_platform handoff_error "
		 "archived cwd git_branch last_active title_source",
	IMPORT_KEYS(session_keys),
};
static const struct import_key message_keys[] = {
	{"id", "sn", CHATS_ID, false},
	{"role", "s", CHATS_SPEAKER, false},
	{"content", "sao", TO_CONTENT, false},
	{"tool_calls", "a", TO_CALLS, true},
	{"timestamp", "ns", CHATS_CREATED, false},
	{"finish_reason", "s", TO_STOP, false},
	{"reasoning", "s", TO_THOUGHT, true},
	{"reasoning_content", "s", TO_THOUGHT, true},
};
static const struct import_fields message_fields = {
	.where = "message",
	.known = "row session_id tool_call_id tool_name token_count reasoning_details "
		 "codex_reasoning_items codex_message_items platform_message_id observed "
		 "active compacted",
	IMPORT_KEYS(message_keys),
};

static enum loom_status put_message(struct hermes *hermes, struct loom_str message,
				    struct loom_err *err)
{
	struct chats *chat = &hermes->chat;
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_jwalk walk;
	struct loom_str call;

	chat->numbers = true;
	chats_take(chat, message, &message_fields, values);
	chats_think(chat, import_string(chat->import, values[TO_THOUGHT]));
	chats_say(chat, values[TO_CONTENT]);
	walk = loom_jval_walk(values[TO_CALLS]);
	while (!walk.object && loom_jwalk_next(&walk, NULL, &call)) {
		struct loom_str function = loom_jval_get(call, "function");

		chats_call(chat, function.p ? function : call);
	}
	chats_record(chat, "finish_reason", values[TO_STOP]);
	chats_rest(chat, message, &message_fields);
	chats_link(chat, chat->number++, true);
	return chats_end(chat, err);
}

static enum loom_status end_session(struct hermes *hermes, struct loom_err *err)
{
	struct chats *chat = &hermes->chat;

	if (!hermes->open)
		return LOOM_OK;
	hermes->open = false;
	return chats_mark(chat->import, loom_buf_str(&chat->before), IMPORT_CURRENT, LOOM_STR(""),
			  err);
}

static enum loom_status begin_session(struct hermes *hermes, struct loom_str session,
				      struct loom_err *err)
{
	struct chats *chat = &hermes->chat;
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_jwalk walk;
	struct loom_str message;
	enum loom_status status = end_session(hermes, err);

	if (status != LOOM_OK)
		return status;
	import_take(session, &session_fields, values);
	chats_start(chat, session, &session_fields, values);
	chat->model = values[CHATS_MODEL];
	chat->number = 0;
	hermes->open = true;
	status = chats_root(chat, LOOM_STR("session"), err);
	walk = loom_jval_walk(values[CHATS_MESSAGES]);
	while (status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &message))
		if (loom_jval_type(message) == LOOM_JTYPE_OBJECT)
			status = put_message(hermes, message, err);
		else
			import_note(chat->import, IMPORT_LOST, "message that is not an object");
	return status;
}

static enum loom_status read_lines(struct hermes *hermes, struct loom_str text,
				   struct loom_err *err)
{
	struct chats_lines lines;
	struct loom_str line;
	enum loom_status status = LOOM_OK;

	chats_lines(&lines, hermes->chat.import, text);
	for (;;) {
		status = chats_line(&lines, &line, err);
		if (status != LOOM_OK || !line.p)
			return status;
		if (loom_jval_says(loom_jval_get(line, "row"), LOOM_STR("message")) && hermes->open)
			status = put_message(hermes, line, err);
		else if (!loom_jval_get(line, "database").p)
			status = begin_session(hermes, line, err);
		if (status != LOOM_OK)
			return status;
	}
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct hermes hermes = {.open = false};
	struct chats_walk walk = chats_walk(source);
	struct loom_str session;
	enum loom_status status = LOOM_OK;

	chats_init(&hermes.chat, import);
	if (source->lines)
		status = read_lines(&hermes, source->text, err);
	while (!source->lines && status == LOOM_OK && chats_walk_next(&walk, &session))
		status = begin_session(&hermes, session, err);
	if (status == LOOM_OK)
		status = end_session(&hermes, err);
	chats_fini(&hermes.chat);
	return status;
}

static const struct loom_foreign_query queries[] = {
	{"session", NULL, "SELECT * FROM sessions ORDER BY started_at, id", "model_config", 0},
	{"message", NULL, "SELECT * FROM messages WHERE session_id = ?1 ORDER BY timestamp, id",
	 "tool_calls reasoning_details codex_reasoning_items codex_message_items", 1},
};
static const struct import_database database = {
	.needs = "sessions.parent_session_id sessions.started_at messages.session_id messages.role "
		 "messages.timestamp",
	.queries = queries,
	.count = LOOM_COUNT(queries),
};

const struct import_reader import_hermes = {
	.name = "hermes",
	.title = "Hermes Agent sessions: an export, or the database",
	.recognise = recognise,
	.read = read,
	.database = &database,
	.places = "$HERMES_HOME/state.db .hermes/state.db",
};
