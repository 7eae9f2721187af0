/* Sessions of opencode: its export ({"info", "messages"}), or the rows of its database, where the
 * parts of a message follow it. Invariants: messages follow one another, and each is a node with
 * its parts; a revert leaves what it took back and says where the session stands. */
#include "inside.h"

static bool is_rows(const struct import_source *source)
{
	return source->lines && import_has(source, "database", LOOM_JTYPE_STRING) &&
	       loom_jval_says(import_member(source, "database"), LOOM_STR("opencode"));
}

static bool recognise(const struct import_source *source)
{
	struct loom_str info = import_member(source, "info");

	return is_rows(source) ||
	       (source->json && import_has(source, "messages", LOOM_JTYPE_ARRAY) &&
		loom_jval_get(info, "projectID").p && loom_jval_get(info, "id").p);
}

struct opencode {
	struct chats chat;
	struct loom_buf revert; /* the message before which the session stands */
	bool said;              /* a message has begun */
	bool aside;             /* the messages of this tree are beyond the revert */
};

/* ---- a message ---- */

static const struct import_fields info_fields = {
	.where = "message",
	.used = "id:s role:s modelID:s tokens:o finish:s",
	.known = "sessionID time parentID providerID mode agent path cost summary system tools "
		 "error model variant format structured fallbackModels"};

static void begin_message(struct opencode *opencode, struct loom_str id, struct loom_str info)
{
	struct chats *chat = &opencode->chat;
	struct loom_str time = loom_jval_get(loom_jval_get(info, "time"), "created");

	chats_begin(chat);
	opencode->said = true;
	chat->node.id = id;
	chats_speaker(chat, import_text(chat->import, info, "role"));
	if (chat->node.role == IMPORT_MODEL)
		chat->node.model = import_text(chat->import, info, "modelID");
	else
		chats_keep(chat, "modelID", loom_jval_get(info, "modelID"));
	chat->node.created = import_time(chat->import, time);
	chats_record(chat, "usage", loom_jval_get(info, "tokens"));
	chats_record(chat, "finish_reason", loom_jval_get(info, "finish"));
	chats_rest(chat, info, &info_fields);
}

static void say_tool(struct chats *chat, struct loom_str part)
{
	struct loom_str state = loom_jval_get(part, "state");
	struct loom_str error = loom_jval_get(state, "error");
	struct loom_buf call = IMPORT_BUF(chat->import);

	loom_buf_adds(&call, "{\"name\":");
	loom_json_quote(import_text(chat->import, part, "tool"), &call);
	loom_buf_adds(&call, ",\"input\":");
	loom_buf_add(&call, loom_jval_get(state, "input").p ? loom_jval_get(state, "input")
							    : LOOM_STR("null"));
	loom_buf_addc(&call, '}');
	chats_call(chat, loom_buf_str(&call));
	chats_results(chat, loom_jval_is_null(error) ? loom_jval_get(state, "output") : error);
	loom_buf_fini(&call);
}

static void say_part(struct chats *chat, struct loom_str part)
{
	static const char *const silent[] = {"step-start", "step-finish", "snapshot",  "patch",
					     "agent",      "retry",       "compaction"};
	static const struct import_fields fields = {
		.where = "part",
		.used = "type:s text:s tool:s state:o",
		.known = "id sessionID messageID synthetic ignored time metadata callID mime "
			 "filename url source prompt description agent model command hash files "
			 "snapshot reason cost tokens name attempt error auto overflow "
			 "tail_start_id"};
	struct loom_str type = import_text(chat->import, part, "type");
	struct loom_str text = import_text(chat->import, part, "text");

	for (size_t i = 0; i < LOOM_COUNT(silent); i++)
		if (loom_str_is(type, silent[i]))
			type = LOOM_STR("");
	if (loom_str_is(type, "text"))
		chats_add(chat, text);
	else if (loom_str_is(type, "reasoning"))
		chats_think(chat, text);
	else if (loom_str_is(type, "tool"))
		say_tool(chat, part);
	else if (loom_str_is(type, "subtask"))
		chats_add(chat, import_text(chat->import, part, "prompt"));
	else if (loom_str_is(type, "file"))
		chats_add(chat,
			  loom_arena_format(import_scratch(chat->import), "[attachment: %.*s]",
					    LOOM_STR_ARG(chats_either(chat->import, part,
								      "filename", "mime"))));
	else if (type.n)
		chats_say(chat, part);
	(void)import_unsaid(chat->import, part, &fields);
}

static enum loom_status end_message(struct opencode *opencode, struct loom_str parts,
				    struct loom_err *err)
{
	struct chats *chat = &opencode->chat;

	if (!opencode->said)
		return LOOM_OK;
	opencode->said = false;
	chats_keep(chat, "parts", parts);
	if (opencode->revert.n && loom_str_eq(chat->node.id, loom_buf_str(&opencode->revert))) {
		enum loom_status status = chats_mark(chat->import, loom_buf_str(&chat->before),
						     IMPORT_CURRENT, LOOM_STR(""), err);

		opencode->aside = true;
		if (status != LOOM_OK)
			return status;
	}
	chats_link(chat, chat->number++, true);
	return chats_end(chat, err);
}

/* ---- a session ---- */

static enum loom_status end_session(struct opencode *opencode, struct loom_err *err)
{
	struct chats *chat = &opencode->chat;
	enum loom_status status = LOOM_OK;

	if (!opencode->aside)
		status = chats_mark(chat->import, loom_buf_str(&chat->before), IMPORT_CURRENT,
				    LOOM_STR(""), err);
	opencode->aside = false;
	return status;
}

enum { TO_TIME = CHATS_OWN, TO_REVERT };

static const struct import_key session_keys[] = {
	{"id", "s", CHATS_ID, true},      {"title", "s", CHATS_TITLE, false},
	{"time", "o", TO_TIME, true},     {"time_created", "ns", CHATS_CREATED, true},
	{"revert", "o", TO_REVERT, true},
};
static const struct import_fields session_fields = {
	.where = "session",
	.known = "row slug version projectID project_id workspaceID workspace_id directory path "
		 "parentID parent_id summary summary_additions summary_deletions summary_files "
		 "summary_diffs share share_url permission time_updated time_compacting "
		 "time_archived cost tokens tokens_input tokens_output tokens_reasoning "
		 "tokens_cache_read tokens_cache_write goal agent model metadata",
	IMPORT_KEYS(session_keys),
};

static enum loom_status begin_session(struct opencode *opencode, struct loom_str info,
				      struct loom_err *err)
{
	struct chats *chat = &opencode->chat;
	struct loom_str values[IMPORT_TO_MAX];

	import_take(info, &session_fields, values);
	if (loom_jval_is_null(values[CHATS_CREATED]))
		values[CHATS_CREATED] = loom_jval_get(values[TO_TIME], "created");
	chats_start(chat, info, &session_fields, values);
	chat->number = 0;
	loom_buf_clear(&opencode->revert);
	loom_buf_add(&opencode->revert, import_text(chat->import, values[TO_REVERT], "messageID"));
	return chats_root(chat, LOOM_STR("session"), err);
}

/* ---- the export ---- */

static enum loom_status read_message(struct opencode *opencode, struct loom_str message,
				     struct loom_err *err)
{
	static const struct import_fields fields = {.where = "entry", .used = "info:o parts:a"};
	struct chats *chat = &opencode->chat;
	struct loom_str info = loom_jval_get(message, "info");
	struct loom_str parts = loom_jval_get(message, "parts");
	struct loom_jwalk walk = loom_jval_walk(parts);
	struct loom_str part;

	begin_message(opencode, import_text(chat->import, info, "id"), info);
	while (!walk.object && loom_jwalk_next(&walk, NULL, &part))
		say_part(chat, part);
	chats_rest(chat, message, &fields);
	return end_message(opencode,
			   loom_jval_type(parts) == LOOM_JTYPE_ARRAY ? parts : LOOM_STR(""), err);
}

static enum loom_status read_export(struct opencode *opencode, const struct import_source *source,
				    struct loom_err *err)
{
	static const struct import_fields fields = {.where = "file", .used = "info:o messages:a"};
	struct chats *chat = &opencode->chat;
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "messages"));
	struct loom_str message;
	enum loom_status status = begin_session(opencode, import_member(source, "info"), err);
	struct loom_buf rest = IMPORT_BUF(chat->import);

	import_rest(chat->import, source->first, &fields, &rest);
	if (rest.n)
		import_beside_tree(chat->import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &message)) {
		status = import_here(chat->import, message, err);
		if (status == LOOM_OK && loom_jval_type(message) == LOOM_JTYPE_OBJECT)
			status = read_message(opencode, message, err);
		else if (status == LOOM_OK)
			import_note(chat->import, IMPORT_LOST, "message that is not an object");
	}
	return status == LOOM_OK ? end_session(opencode, err) : status;
}

/* ---- the rows of a database ---- */

struct rows {
	struct opencode *opencode;
	struct loom_buf id;    /* of the message */
	struct loom_buf parts; /* of the message so far, as items of a list */
	bool open;             /* a session has begun */
};

static enum loom_status end_row(struct rows *rows, struct loom_err *err)
{
	struct loom_str parts = LOOM_STR("");

	if (rows->parts.n) {
		loom_buf_addc(&rows->parts, ']');
		parts = loom_buf_str(&rows->parts);
	}
	rows->opencode->chat.node.id = loom_buf_str(&rows->id);
	enum loom_status status = end_message(rows->opencode, parts, err);

	loom_buf_clear(&rows->parts);
	return status;
}

static enum loom_status read_row(struct rows *rows, struct loom_str row, struct loom_err *err)
{
	struct opencode *opencode = rows->opencode;
	struct loom_import *import = opencode->chat.import;
	struct loom_str kind = import_text(import, row, "row");
	struct loom_str data = loom_jval_get(row, "data");
	static const struct import_fields columns = {
		.where = "column",
		.used = "row:s id:s data:o",
		.known = "session_id message_id time_created time_updated"};
	enum loom_status status = LOOM_OK;

	if (!loom_str_is(kind, "session"))
		(void)import_unsaid(import, row, &columns);
	if (loom_str_is(kind, "part") && opencode->said) {
		say_part(&opencode->chat, data);
		loom_buf_addc(&rows->parts, rows->parts.n ? ',' : '[');
		import_keep(import, data, &rows->parts);
		return LOOM_OK;
	}
	status = end_row(rows, err);
	if (status == LOOM_OK && loom_str_is(kind, "session") && rows->open)
		status = end_session(opencode, err);
	if (status != LOOM_OK)
		return status;
	if (loom_str_is(kind, "session")) {
		rows->open = true;
		return begin_session(opencode, row, err);
	}
	if (!loom_str_is(kind, "message") || !rows->open) {
		import_note(import, IMPORT_LOST, "row without its message");
		return LOOM_OK;
	}
	loom_buf_clear(&rows->id);
	loom_buf_add(&rows->id, import_text(import, row, "id"));
	begin_message(opencode, loom_buf_str(&rows->id), data);
	return LOOM_OK;
}

static enum loom_status read_rows(struct opencode *opencode, struct loom_str text,
				  struct loom_err *err)
{
	struct loom_import *import = opencode->chat.import;
	struct rows rows = {.opencode = opencode,
			    .id = IMPORT_BUF(import),
			    .parts = IMPORT_BUF(import)};
	struct chats_lines lines;
	struct loom_str line;
	enum loom_status status = LOOM_OK;

	chats_lines(&lines, import, text);
	for (;;) {
		status = chats_line(&lines, &line, err);
		if (status != LOOM_OK || !line.p)
			break;
		if (loom_jval_get(line, "row").p)
			status = read_row(&rows, line, err);
		if (status != LOOM_OK)
			break;
	}
	if (status == LOOM_OK)
		status = end_row(&rows, err);
	if (status == LOOM_OK && rows.open)
		status = end_session(opencode, err);
	loom_buf_fini(&rows.id);
	loom_buf_fini(&rows.parts);
	return status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct opencode opencode = {.revert = IMPORT_BUF(import)};
	enum loom_status status;

	chats_init(&opencode.chat, import);
	if (source->lines)
		status = read_rows(&opencode, source->text, err);
	else
		status = read_export(&opencode, source, err);
	chats_fini(&opencode.chat);
	loom_buf_fini(&opencode.revert);
	return status;
}

static const struct loom_foreign_query queries[] = {
	{"session", NULL, "SELECT * FROM session ORDER BY time_created, id",
	 "revert permission summary_diffs goal model metadata", 0},
	{"message", NULL, "SELECT * FROM message WHERE session_id = ?1 ORDER BY time_created, id",
	 "data", 1},
	{"part", NULL, "SELECT * FROM part WHERE message_id = ?1 ORDER BY id", "data", 2},
};
static const struct import_database database = {
	.needs = "session.slug message.data part.message_id",
	.queries = queries,
	.count = LOOM_COUNT(queries),
};

const struct import_reader import_opencode = {
	.name = "opencode",
	.title = "opencode sessions: an export, or the database",
	.recognise = recognise,
	.read = read,
	.database = &database,
	.places = "$XDG_DATA_HOME/opencode .local/share/opencode",
};
