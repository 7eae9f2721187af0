/* Conversations of llama.cpp's web UI: lines of a session and its messages, an object with both, or
 * a list of such objects. Invariants: the message of type root is the root; currNode is the
 * position. Every branch is imported, whatever the order of the messages. */
#include "inside.h"

static bool is_session(struct loom_str first)
{
	return loom_jval_says(loom_jval_get(first, "type"), LOOM_STR("session")) &&
	       (loom_jval_get(first, "currNode").p || loom_jval_get(first, "lastModified").p ||
		loom_jval_says(loom_jval_get(first, "harness"), LOOM_STR("llama.app")));
}

static bool recognise(const struct import_source *source)
{
	if (is_session(source->first))
		return true;
	return source->json &&
	       loom_jval_type(loom_jval_get(source->first, "conv")) == LOOM_JTYPE_OBJECT &&
	       loom_jval_type(loom_jval_get(source->first, "messages")) == LOOM_JTYPE_ARRAY;
}

/* Reads an id; older versions use times, as numbers. */
static struct loom_str id_of(struct loom_import *import, struct loom_str object, const char *key)
{
	struct loom_str value = loom_jval_get(object, key);

	if (loom_jval_type(value) == LOOM_JTYPE_NUMBER)
		return loom_str_is(value, "-1") ? LOOM_STR("") : value;
	return import_string(import, value);
}

static void say_message(struct chats *chat, struct loom_str message)
{
	static const char *const thoughts[] = {"reasoningContent", "reasoning_content", "thinking"};

	chats_say(chat, loom_jval_get(message, "content"));
	for (size_t i = 0; i < LOOM_COUNT(thoughts) && !chat->thought.n; i++)
		loom_buf_add(&chat->thought, import_text(chat->import, message, thoughts[i]));
	chats_record(chat, "timings", loom_jval_get(message, "timings"));
}

/* `line` is the record that wraps the message, or absent. */
static enum loom_status read_message(struct chats *chat, struct loom_str message,
				     struct loom_str line, struct loom_err *err)
{
	static const struct import_fields around = {"line", "type:s message:o", NULL};
	static const struct import_fields fields = {
		"message",
		"id:sn parent:sn children:a role:s content:sao timestamp:ns model:s timings "
		"convId:s",
		"type extra reasoningContent:s reasoning_content:s thinking:s toolCalls "
		"toolCallId"};
	struct loom_import *import = chat->import;
	struct loom_str children = loom_jval_get(message, "children");
	enum loom_status status = LOOM_OK;

	chats_begin(chat);
	chat->node.id = id_of(import, message, "id");
	chat->node.parent = id_of(import, message, "parent");
	chats_speaker(chat, import_text(import, message, "role"));
	if (chat->node.role == IMPORT_MODEL)
		chat->node.model = import_text(import, message, "model");
	else if (import_text(import, message, "model").n)
		chats_keep(chat, "model", loom_jval_get(message, "model"));
	chat->node.created = import_time(import, loom_jval_get(message, "timestamp"));
	say_message(chat, message);
	chats_rest(chat, message, &fields);
	if (line.p)
		chats_rest(chat, line, &around);
	status = chats_end(chat, err);
	return status == LOOM_OK ? chats_places(import, children, err) : status;
}

static void begin(struct chats *chat, struct loom_str session)
{
	static const struct import_fields fields = {
		"session", "type name:s currNode:sn",
		"id:sn harness lastModified thinkingEnabled mcpServerOverrides "
		"forkedFromConversationId"};
	struct loom_import *import = chat->import;
	struct import_tree tree = {
		.id = id_of(import, session, "id"),
		.title = import_text(import, session, "name"),
		.mode = LOOM_DIALOGUE,
	};

	chats_about(chat, session, &fields);
	import_begin(import, &tree);
}

static enum loom_status end(struct chats *chat, struct loom_str session, struct loom_err *err)
{
	enum loom_status status = chats_about_end(chat, err);

	return status == LOOM_OK
		       ? chats_mark(chat->import, id_of(chat->import, session, "currNode"),
				    IMPORT_CURRENT, LOOM_STR(""), err)
		       : status;
}

/* ---- {conv, messages} ---- */

static enum loom_status read_object(struct chats *chat, struct loom_str object,
				    struct loom_err *err)
{
	static const struct import_fields beside = {"entry", "conv:o messages:a", NULL};
	struct loom_str session = loom_jval_get(object, "conv");
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(object, "messages"));
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(session) != LOOM_JTYPE_OBJECT) {
		import_note(chat->import, IMPORT_LOST, "entry without a conversation");
		return LOOM_OK;
	}
	begin(chat, session);
	import_rest(chat->import, object, &beside, &chat->about);
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &message)) {
		status = import_here(chat->import, message, err);
		if (status != LOOM_OK)
			return status;
		if (loom_jval_type(message) == LOOM_JTYPE_OBJECT)
			status = read_message(chat, message, (struct loom_str){NULL, 0}, err);
		else
			import_note(chat->import, IMPORT_LOST, "message that is not an object");
	}
	return status == LOOM_OK ? end(chat, session, err) : status;
}

static enum loom_status read_objects(struct chats *chat, const struct import_source *source,
				     struct loom_err *err)
{
	struct chats_walk walk = chats_walk(source);
	struct loom_str object;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && chats_walk_next(&walk, &object)) {
		status = import_at(chat->import, (size_t)(object.p - source->text.p), err);
		if (status == LOOM_OK)
			status = read_object(chat, object, err);
	}
	return status;
}

/* ---- lines ---- */

/* Keeps a record that is not a message with the tree. */
static void keep_line(struct chats *chat, struct loom_str line, int64_t number)
{
	struct loom_buf kept = IMPORT_BUF(chat->import);

	import_note(chat->import, IMPORT_NOT_UNDERSTOOD, "record \"%.*s\"",
		    LOOM_STR_ARG(import_text(chat->import, line, "type")));
	loom_buf_addf(&kept, "\"line %lld\":", (long long)number);
	import_keep(chat->import, line, &kept);
	import_beside_tree(chat->import, loom_buf_str(&kept));
	loom_buf_fini(&kept);
}

static enum loom_status read_line(struct chats *chat, struct loom_str line, int64_t number,
				  struct loom_str *session, struct loom_err *err)
{
	struct loom_str type = loom_jval_get(line, "type");
	enum loom_status status = LOOM_OK;

	if (loom_jval_says(type, LOOM_STR("session"))) {
		if (session->p)
			status = end(chat, *session, err);
		*session = line;
		begin(chat, line);
		return status;
	}
	if (loom_jval_type(loom_jval_get(line, "message")) == LOOM_JTYPE_OBJECT)
		return read_message(chat, loom_jval_get(line, "message"), line, err);
	if (!loom_jval_says(type, LOOM_STR("message")) &&
	    loom_jval_is_null(loom_jval_get(line, "content"))) {
		keep_line(chat, line, number);
		return LOOM_OK;
	}
	return read_message(chat, line, (struct loom_str){NULL, 0}, err);
}

static enum loom_status read_lines(struct chats *chat, struct loom_str text, struct loom_err *err)
{
	struct chats_lines lines;
	struct loom_str session = {NULL, 0};
	struct loom_str line;
	enum loom_status status = LOOM_OK;

	chats_lines(&lines, chat->import, text);
	for (;;) {
		status = chats_line(&lines, &line, err);
		if (status != LOOM_OK || !line.p)
			break;
		status = read_line(chat, line, lines.number, &session, err);
		if (status != LOOM_OK)
			break;
	}
	return status == LOOM_OK && session.p ? end(chat, session, err) : status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct chats chat;
	enum loom_status status = LOOM_OK;

	chats_init(&chat, import);
	status = is_session(source->first) ? read_lines(&chat, source->text, err)
					   : read_objects(&chat, source, err);
	chats_fini(&chat);
	return status;
}

const struct import_reader import_llamacpp = {
	.name = "llama.cpp",
	.title = "llama.cpp web UI conversations",
	.recognise = recognise,
	.read = read,
};
