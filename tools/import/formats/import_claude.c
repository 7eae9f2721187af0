/* Exports of claude.ai: a list of conversations, each a list of messages. Invariant: messages are
 * linked by parent_message_uuid if any has one, else by their order. import_say.c reads the parts
 * of a message. */
#include "inside.h"

#define ROOT "00000000-0000-4000-8000-000000000000"

static bool recognise(const struct import_source *source)
{
	return source->json && chats_has_in_list(source, "chat_messages", LOOM_JTYPE_ARRAY);
}

static bool is_list(struct loom_str messages)
{
	struct loom_jwalk walk = loom_jval_walk(messages);
	struct loom_str message;

	while (loom_jwalk_next(&walk, NULL, &message))
		if (!loom_jval_is_null(loom_jval_get(message, "parent_message_uuid")))
			return false;
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

static void say_message(struct chats *chat, struct loom_str message)
{
	struct loom_str content;
	struct loom_str text;
	struct loom_str attachments;
	struct loom_str files;
	struct loom_str stop;
	const struct chats_pick picks[] = {
		{"content", &content}, {"text", &text},        {"attachments", &attachments},
		{"files", &files},     {"stop_reason", &stop},
	};

	chats_pick(message, picks, LOOM_COUNT(picks));
	chats_say(chat, content);
	/* Old files have no content or an empty one, and only the text. If the text differs from
	 * the content, it is kept. */
	if (!chat->text.n && !chat->thought.n)
		chats_add(chat, import_string(chat->import, text));
	else if (text.n > 2 && loom_jval_type(text) == LOOM_JTYPE_STRING &&
		 !loom_str_eq(import_string(chat->import, text), loom_buf_str(&chat->text)))
		chats_keep(chat, "text", text);
	say_files(chat, attachments);
	say_files(chat, files);
	keep_files(chat, "attachments", attachments);
	keep_files(chat, "files", files);
	chats_record(chat, "finish_reason", stop);
}

static enum loom_status read_message(struct chats *chat, struct loom_str message, size_t number,
				     bool list, struct loom_err *err)
{
	static const struct import_fields fields = {
		"message",
		"uuid:s sender:s text:s content:sao created_at:ns parent_message_uuid:s "
		"attachments:a files:a stop_reason model:s",
		"updated_at index truncated files_v2 sync_sources input_mode metadata"};
	struct loom_import *import = chat->import;

	chats_begin(chat);
	chat->node.id = import_text(import, message, "uuid");
	chat->node.parent = import_text(import, message, "parent_message_uuid");
	chats_link(chat, number, list);
	chats_speaker(chat, import_text(import, message, "sender"));
	chat->node.model = import_text(import, message, "model");
	chat->node.created = import_time(import, loom_jval_get(message, "created_at"));
	say_message(chat, message);
	chats_rest(chat, message, &fields);
	return chats_end(chat, err);
}

static void begin(struct chats *chat, struct loom_str object)
{
	static const struct import_fields fields = {
		"conversation",
		"name:s created_at:ns chat_messages:a summary:s current_leaf_message_uuid:s",
		"uuid:s updated_at account model settings is_starred is_temporary platform project "
		"project_uuid session_id"};
	struct loom_import *import = chat->import;
	struct import_tree tree = {
		.id = import_text(import, object, "uuid"),
		.title = import_text(import, object, "name"),
		.description = import_text(import, object, "summary"),
		.mode = LOOM_DIALOGUE,
		.created = import_time(import, loom_jval_get(object, "created_at")),
	};

	chats_about(chat, object, &fields);
	import_begin(import, &tree);
}

static enum loom_status read_conversation(struct chats *chat, struct loom_str object,
					  struct loom_str messages, struct loom_err *err)
{
	struct loom_import *import = chat->import;
	struct loom_jwalk walk = loom_jval_walk(messages);
	const bool list = is_list(messages);
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	if (!loom_jval_count(messages)) {
		import_note(import, IMPORT_LOST, "conversation without messages");
		return LOOM_OK;
	}
	begin(chat, object);
	status = chats_root(chat, LOOM_STR(ROOT), err);
	for (size_t i = 0; status == LOOM_OK && loom_jwalk_next(&walk, NULL, &message); i++) {
		status = import_here(import, message, err);
		if (status != LOOM_OK)
			return status;
		if (loom_jval_type(message) == LOOM_JTYPE_OBJECT)
			status = read_message(chat, message, i, list, err);
		else
			import_note(import, IMPORT_LOST, "message that is not an object");
	}
	if (status != LOOM_OK)
		return status;
	return chats_mark(import, import_text(import, object, "current_leaf_message_uuid"),
			  IMPORT_CURRENT, LOOM_STR(""), err);
}

static struct loom_str messages_of(struct loom_str object)
{
	return loom_jval_get(object, "chat_messages");
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {
		.messages = messages_of,
		.type = LOOM_JTYPE_ARRAY,
		.read = read_conversation,
		.lost = "entry without messages",
	};

	return chats_each(import, source, &form, err);
}

const struct import_reader import_claude = {
	.name = "claude",
	.title = "Claude export (claude.ai conversations.json)",
	.recognise = recognise,
	.read = read,
};
