/* Exports of claude.ai: a list of conversations, each a list of messages.
 * Invariants: messages are linked by parent_message_uuid where any has one, else by their order.
 * Leaves the parts of a message to import_say.c. */
#include "inside.h"

#define ROOT "00000000-0000-4000-8000-000000000000"

static bool recognise(const struct tool_import_source *source)
{
	return source->json && tool_talk_has_in_list(source, "chat_messages", LOOM_JTYPE_ARRAY);
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

/* What was given with a message: a line each, the rest of it in extra. */
static void say_files(struct tool_talk *chat, struct loom_str files)
{
	struct loom_jwalk walk = loom_jval_walk(files);
	struct loom_str file;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &file)) {
		struct loom_str name =
			loom_jval_type(file) == LOOM_JTYPE_STRING
				? tool_import_string(chat->import, file)
				: tool_talk_either(chat->import, file, "file_name", "file_uuid");

		tool_talk_add(chat, loom_arena_format(tool_import_scratch(chat->import),
						      "[attachment: %.*s]", LOOM_STR_ARG(name)));
	}
}

static void keep_files(struct tool_talk *chat, const char *key, struct loom_str files)
{
	if (loom_jval_type(files) == LOOM_JTYPE_ARRAY && loom_jval_count(files))
		tool_talk_keep(chat, key, files);
}

static void say_message(struct tool_talk *chat, struct loom_str message)
{
	struct loom_str content;
	struct loom_str text;
	struct loom_str attachments;
	struct loom_str files;
	struct loom_str stop;
	const struct tool_talk_pick picks[] = {
		{"content", &content}, {"text", &text},        {"attachments", &attachments},
		{"files", &files},     {"stop_reason", &stop},
	};

	tool_talk_pick(message, picks, LOOM_COUNT(picks));
	tool_talk_say(chat, content);
	/* Old files have no content, or an empty one; then the text is all there is. Where it says
	 * otherwise than the content it is kept. */
	if (!chat->text.n && !chat->thought.n)
		tool_talk_add(chat, tool_import_string(chat->import, text));
	else if (text.n > 2 && loom_jval_type(text) == LOOM_JTYPE_STRING &&
		 !loom_str_eq(tool_import_string(chat->import, text), loom_buf_str(&chat->text)))
		tool_talk_keep(chat, "text", text);
	say_files(chat, attachments);
	say_files(chat, files);
	keep_files(chat, "attachments", attachments);
	keep_files(chat, "files", files);
	tool_talk_record(chat, "finish_reason", stop);
}

static enum loom_status read_message(struct tool_talk *chat, struct loom_str message, size_t number,
				     bool list, struct loom_err *err)
{
	static const struct tool_import_fields fields = {
		"message",
		"uuid:s sender:s text:s content:sao created_at:ns parent_message_uuid:s "
		"attachments:a files:a stop_reason model:s",
		"updated_at index truncated files_v2 sync_sources input_mode metadata"};
	struct loom_import *import = chat->import;

	tool_talk_begin(chat);
	chat->node.id = tool_import_text(import, message, "uuid");
	chat->node.parent = tool_import_text(import, message, "parent_message_uuid");
	tool_talk_link(chat, number, list);
	tool_talk_speaker(chat, tool_import_text(import, message, "sender"));
	chat->node.model = tool_import_text(import, message, "model");
	chat->node.created = tool_import_time(import, loom_jval_get(message, "created_at"));
	say_message(chat, message);
	tool_talk_rest(chat, message, &fields);
	return tool_talk_end(chat, err);
}

static void begin(struct tool_talk *chat, struct loom_str object)
{
	static const struct tool_import_fields fields = {
		"conversation",
		"name:s created_at:ns chat_messages:a summary:s current_leaf_message_uuid:s",
		"uuid:s updated_at account model settings is_starred is_temporary platform project "
		"project_uuid session_id"};
	struct loom_import *import = chat->import;
	struct tool_import_tree tree = {
		.id = tool_import_text(import, object, "uuid"),
		.title = tool_import_text(import, object, "name"),
		.description = tool_import_text(import, object, "summary"),
		.mode = LOOM_DIALOGUE,
		.created = tool_import_time(import, loom_jval_get(object, "created_at")),
	};

	tool_talk_about(chat, object, &fields);
	tool_import_begin(import, &tree);
}

static enum loom_status read_conversation(struct tool_talk *chat, struct loom_str object,
					  struct loom_str messages, struct loom_err *err)
{
	struct loom_import *import = chat->import;
	struct loom_jwalk walk = loom_jval_walk(messages);
	const bool list = is_list(messages);
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	if (!loom_jval_count(messages)) {
		tool_import_note(import, TOOL_IMPORT_LOST, "conversation without messages");
		return LOOM_OK;
	}
	begin(chat, object);
	status = tool_talk_root(chat, LOOM_STR(ROOT), err);
	for (size_t i = 0; status == LOOM_OK && loom_jwalk_next(&walk, NULL, &message); i++) {
		status = tool_import_here(import, message, err);
		if (status != LOOM_OK)
			return status;
		if (loom_jval_type(message) == LOOM_JTYPE_OBJECT)
			status = read_message(chat, message, i, list, err);
		else
			tool_import_note(import, TOOL_IMPORT_LOST, "message that is no object");
	}
	if (status != LOOM_OK)
		return status;
	return tool_talk_mark(import, tool_import_text(import, object, "current_leaf_message_uuid"),
			      TOOL_IMPORT_CURRENT, LOOM_STR(""), err);
}

static struct loom_str messages_of(struct loom_str object)
{
	return loom_jval_get(object, "chat_messages");
}

static enum loom_status read(struct loom_import *import, const struct tool_import_source *source,
			     struct loom_err *err)
{
	static const struct tool_talk_form form = {
		.messages = messages_of,
		.type = LOOM_JTYPE_ARRAY,
		.read = read_conversation,
		.lost = "entry without messages",
	};

	return tool_talk_each(import, source, &form, err);
}

const struct tool_import_reader tool_import_claude = {
	.name = "claude",
	.title = "Claude export (claude.ai conversations.json)",
	.recognise = recognise,
	.read = read,
};
