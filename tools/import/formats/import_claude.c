/* Exports of claude.ai: a list of conversations, each a list of messages. Invariant: messages are
 * linked by parent_message_uuid if any has one, else by their order. import_say.c reads the parts
 * of a message. */
#include <loom/formats/chats_kit.h>

enum { TO_CONTENT = CHATS_OWN, TO_TEXT, TO_ATTACHMENTS, TO_FILES, TO_STOP };

/* The first is what the format is recognised by. */
static const struct import_key conversation_keys[] = {
	{"chat_messages", "a", CHATS_MESSAGES, false},
	{"uuid", "s", CHATS_ID, true},
	{"name", "s", CHATS_TITLE, false},
	{"summary", "s", CHATS_DESCRIPTION, false},
	{"created_at", "ns", CHATS_CREATED, false},
	{"current_leaf_message_uuid", "s", CHATS_CURRENT, false},
};
static const struct import_fields conversation_fields = {
	.where = "conversation",
	.known = "updated_at account model settings is_starred is_temporary platform project "
		 "project_uuid session_id",
	IMPORT_KEYS(conversation_keys),
};

static const struct import_key message_keys[] = {
	{"uuid", "s", CHATS_ID, false},
	{"parent_message_uuid", "s", CHATS_PARENT, false},
	{"sender", "s", CHATS_SPEAKER, false},
	{"model", "s", CHATS_MODEL, false},
	{"created_at", "ns", CHATS_CREATED, false},
	{"content", "sao", TO_CONTENT, false},
	{"text", "s", TO_TEXT, false},
	{"attachments", "a", TO_ATTACHMENTS, false},
	{"files", "a", TO_FILES, false},
	{"stop_reason", "", TO_STOP, false},
};
static const struct import_fields message_fields = {
	.where = "message",
	.known = "updated_at index truncated files_v2 sync_sources input_mode metadata",
	IMPORT_KEYS(message_keys),
};

static bool recognise(const struct import_source *source)
{
	return source->json &&
	       chats_has_in_list(source, conversation_keys[0].key, LOOM_JTYPE_ARRAY);
}

static bool is_list(struct loom_str messages)
{
	struct loom_jwalk walk = loom_jval_walk(messages);
	struct loom_str message;

	while (loom_jwalk_next(&walk, NULL, &message)) {
		struct loom_str values[IMPORT_TO_MAX];

		import_take(message, &message_fields, values);
		if (!loom_jval_is_null(values[CHATS_PARENT]))
			return false;
	}
	return true;
}

/* Adds a line for each attachment; the rest of it goes to extra. */
static void say_files(struct chats *chat, struct loom_str files)
{
	struct loom_jwalk walk = loom_jval_walk(files);
	struct loom_str file;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &file)) {
		struct loom_str name =
			loom_jval_type(file) == LOOM_JTYPE_STRING
				? import_string(chat->import, file)
				: chats_either(chat->import, file, "file_name", "file_uuid");

		chats_add(chat, loom_arena_format(import_scratch(chat->import),
						  "[attachment: %.*s]", LOOM_STR_ARG(name)));
	}
}

static void keep_files(struct chats *chat, const char *key, struct loom_str files)
{
	if (loom_jval_type(files) == LOOM_JTYPE_ARRAY && loom_jval_count(files))
		chats_keep(chat, key, files);
}

static void say_message(struct chats *chat, const struct loom_str values[IMPORT_TO_MAX])
{
	const struct loom_str text = values[TO_TEXT];

	chats_say(chat, values[TO_CONTENT]);
	/* Old files have no content or an empty one, and only the text. If the text differs from
	 * the content, it is kept. */
	if (!chat->text.n && !chat->thought.n)
		chats_add(chat, import_string(chat->import, text));
	else if (text.n > 2 && loom_jval_type(text) == LOOM_JTYPE_STRING &&
		 !loom_str_eq(import_string(chat->import, text), loom_buf_str(&chat->text)))
		chats_keep(chat, "text", text);
	say_files(chat, values[TO_ATTACHMENTS]);
	say_files(chat, values[TO_FILES]);
	keep_files(chat, "attachments", values[TO_ATTACHMENTS]);
	keep_files(chat, "files", values[TO_FILES]);
	chats_record(chat, "finish_reason", values[TO_STOP]);
}

static enum loom_status read_message(struct chats *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	struct loom_str values[IMPORT_TO_MAX];

	(void)key;
	chats_take(chat, message, &message_fields, values);
	chats_link(chat, chat->number, chat->list);
	say_message(chat, values);
	chats_rest(chat, message, &message_fields);
	return chats_end(chat, err);
}

static bool begin(struct chats *chat, struct loom_str object, struct loom_str *messages)
{
	struct loom_str values[IMPORT_TO_MAX];

	import_take(object, &conversation_fields, values);
	*messages = values[CHATS_MESSAGES];
	if (loom_jval_type(*messages) != LOOM_JTYPE_ARRAY || !loom_jval_count(*messages)) {
		import_note(chat->import, IMPORT_LOST, "%s without messages",
			    loom_jval_type(*messages) == LOOM_JTYPE_ARRAY ? "conversation"
									  : "entry");
		return false;
	}
	chat->list = is_list(*messages);
	chats_start(chat, object, &conversation_fields, values);
	return true;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {
		.what = "message",
		.root = "00000000-0000-4000-8000-000000000000",
		.begin = begin,
		.message = read_message,
	};

	return chats_each(import, source, &form, err);
}

const struct import_reader import_claude = {
	.name = "claude",
	.title = "Claude export (claude.ai conversations.json)",
	.recognise = recognise,
	.read = read,
};
