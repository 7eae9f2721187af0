/* Conversations of llama.cpp's web UI: lines of a session and its messages, an object with both, or
 * a list of such objects. Invariants: the message of type root is the root; currNode is the
 * position. Every branch is imported, whatever the order of the messages. */
#include <loom/formats/chats_kit.h>

enum {
	TO_CONVERSATION = CHATS_OWN,
	TO_MESSAGE,
	TO_TYPE,
	TO_HARNESS,
	TO_MODIFIED,
	TO_CONTENT,
	TO_TIMINGS,
	TO_THOUGHT,
};

static const struct import_key entry_keys[] = {
	{"conv", "o", TO_CONVERSATION, false},
	{"messages", "a", CHATS_MESSAGES, false},
};
static const struct import_fields entry_fields = {.where = "entry", IMPORT_KEYS(entry_keys)};

static const struct import_key session_keys[] = {
	{"type", "", TO_TYPE, false},
	{"id", "sn", CHATS_ID, true},
	{"name", "s", CHATS_TITLE, false},
	{"currNode", "sn", CHATS_CURRENT, false},
	{"lastModified", "", TO_MODIFIED, true},
	{"harness", "", TO_HARNESS, true},
};
static const struct import_fields session_fields = {
	.where = "session",
	.known = "thinkingEnabled mcpServerOverrides forkedFromConversationId",
	IMPORT_KEYS(session_keys),
};

static const struct import_key line_keys[] = {
	{"type", "s", TO_TYPE, false},
	{"message", "o", TO_MESSAGE, false},
};
static const struct import_fields line_fields = {.where = "line", IMPORT_KEYS(line_keys)};

static const struct import_key message_keys[] = {
	{"id", "sn", CHATS_ID, false},
	{"parent", "sn", CHATS_PARENT, false},
	{"children", "a", CHATS_CHILDREN, false},
	{"role", "s", CHATS_SPEAKER, false},
	{"model", "s", CHATS_MODEL, false},
	{"timestamp", "ns", CHATS_CREATED, false},
	{"content", "sao", TO_CONTENT, false},
	{"timings", "", TO_TIMINGS, false},
	{"reasoningContent", "s", TO_THOUGHT, true},
	{"reasoning_content", "s", TO_THOUGHT, true},
	{"thinking", "s", TO_THOUGHT, true},
};
static const struct import_fields message_fields = {
	.where = "message",
	.used = "convId:s",
	.known = "type extra toolCalls toolCallId",
	IMPORT_KEYS(message_keys),
};

static bool is_session(struct loom_str first)
{
	struct loom_str values[IMPORT_TO_MAX];

	import_take(first, &session_fields, values);
	return loom_jval_says(values[TO_TYPE], LOOM_STR("session")) &&
	       (values[CHATS_CURRENT].p || values[TO_MODIFIED].p ||
		loom_jval_says(values[TO_HARNESS], LOOM_STR("llama.app")));
}

static bool recognise(const struct import_source *source)
{
	struct loom_str values[IMPORT_TO_MAX];

	if (is_session(source->first))
		return true;
	import_take(source->first, &entry_fields, values);
	return source->json && loom_jval_type(values[TO_CONVERSATION]) == LOOM_JTYPE_OBJECT &&
	       loom_jval_type(values[CHATS_MESSAGES]) == LOOM_JTYPE_ARRAY;
}

/* Reads a message, or one with the record that wraps it, in `line`. */
static enum loom_status read_wrapped(struct chats *chat, struct loom_str message,
				     struct loom_str line, struct loom_err *err)
{
	struct loom_str values[IMPORT_TO_MAX];
	enum loom_status status = LOOM_OK;

	chats_take(chat, message, &message_fields, values);
	if (chat->node.role != IMPORT_MODEL && chat->node.model.n) {
		chats_keep(chat, "model", values[CHATS_MODEL]);
		chat->node.model = LOOM_STR("");
	}
	chats_say(chat, values[TO_CONTENT]);
	if (!chat->thought.n)
		loom_buf_add(&chat->thought, import_string(chat->import, values[TO_THOUGHT]));
	chats_record(chat, "timings", values[TO_TIMINGS]);
	chats_rest(chat, message, &message_fields);
	if (line.p)
		chats_rest(chat, line, &line_fields);
	status = chats_end(chat, err);
	return status == LOOM_OK ? chats_places(chat->import, values[CHATS_CHILDREN], err) : status;
}

static enum loom_status read_message(struct chats *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	(void)key;
	return read_wrapped(chat, message, (struct loom_str){NULL, 0}, err);
}

static void begin(struct chats *chat, struct loom_str session)
{
	struct loom_str values[IMPORT_TO_MAX];

	import_take(session, &session_fields, values);
	chats_start(chat, session, &session_fields, values);
}

/* ---- {conv, messages} ---- */

static bool begin_entry(struct chats *chat, struct loom_str object, struct loom_str *messages)
{
	struct loom_str values[IMPORT_TO_MAX];

	import_take(object, &entry_fields, values);
	*messages = values[CHATS_MESSAGES];
	if (loom_jval_type(values[TO_CONVERSATION]) != LOOM_JTYPE_OBJECT) {
		import_note(chat->import, IMPORT_LOST, "entry without a conversation");
		return false;
	}
	begin(chat, values[TO_CONVERSATION]);
	import_rest(chat->import, object, &entry_fields, &chat->about);
	return true;
}

/* ---- lines ---- */

/* Keeps a record that is not a message with the tree. */
static void keep_line(struct chats *chat, struct loom_str line, struct loom_str type,
		      int64_t number)
{
	struct loom_buf kept = IMPORT_BUF(chat->import);

	import_note(chat->import, IMPORT_NOT_UNDERSTOOD, "record \"%.*s\"",
		    LOOM_STR_ARG(import_string(chat->import, type)));
	loom_buf_addf(&kept, "\"line %lld\":", (long long)number);
	import_keep(chat->import, line, &kept);
	import_beside_tree(chat->import, loom_buf_str(&kept));
	loom_buf_fini(&kept);
}

static enum loom_status read_line(struct chats *chat, struct loom_str line, int64_t number,
				  bool *begun, struct loom_err *err)
{
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str message[IMPORT_TO_MAX];
	enum loom_status status = LOOM_OK;

	import_take(line, &line_fields, values);
	if (loom_jval_says(values[TO_TYPE], LOOM_STR("session"))) {
		if (*begun)
			status = chats_finish(chat, err);
		*begun = true;
		begin(chat, line);
		return status;
	}
	if (loom_jval_type(values[TO_MESSAGE]) == LOOM_JTYPE_OBJECT)
		return read_wrapped(chat, values[TO_MESSAGE], line, err);
	import_take(line, &message_fields, message);
	if (!loom_jval_says(values[TO_TYPE], LOOM_STR("message")) &&
	    loom_jval_is_null(message[TO_CONTENT])) {
		keep_line(chat, line, values[TO_TYPE], number);
		return LOOM_OK;
	}
	return read_wrapped(chat, line, (struct loom_str){NULL, 0}, err);
}

static enum loom_status read_lines(struct loom_import *import, struct loom_str text,
				   struct loom_err *err)
{
	struct chats chat;
	struct chats_lines lines;
	struct loom_str line;
	bool begun = false;
	enum loom_status status = LOOM_OK;

	chats_init(&chat, import);
	chat.numbers = true;
	chats_lines(&lines, import, text);
	while (status == LOOM_OK) {
		status = chats_line(&lines, &line, err);
		if (status != LOOM_OK || !line.p)
			break;
		status = read_line(&chat, line, lines.number, &begun, err);
	}
	if (status == LOOM_OK && begun)
		status = chats_finish(&chat, err);
	chats_fini(&chat);
	return status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {
		.what = "message",
		.numbers = true,
		.begin = begin_entry,
		.message = read_message,
	};

	return is_session(source->first) ? read_lines(import, source->text, err)
					 : chats_each(import, source, &form, err);
}

const struct import_reader import_llamacpp = {
	.name = "llama.cpp",
	.title = "llama.cpp web UI conversations",
	.recognise = recognise,
	.read = read,
};
