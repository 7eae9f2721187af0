/* Open-webui exports: chats with a map of messages, bare or wrapped.
 * Invariants: the map's keys are the ids; sibling order is childrenIds; the place is currentId.
 * Leaves the flat list `messages`, which repeats one path, alone where there is a map. */
#include "inside.h"

/* The object that holds the history: the chat in it, or it itself. */
static struct loom_str inner_of(struct loom_str object)
{
	struct loom_str chat = loom_jval_get(object, "chat");

	return loom_jval_type(chat) == LOOM_JTYPE_OBJECT ? chat : object;
}

static struct loom_str messages_of(struct loom_str object)
{
	return loom_jval_get(loom_jval_get(inner_of(object), "history"), "messages");
}

static bool recognise(const struct tool_import_source *source)
{
	struct tool_talk_walk walk;
	struct loom_str object;

	if (!source->json)
		return false;
	walk = tool_talk_walk(source);
	for (int i = 0; i < 100 && tool_talk_walk_next(&walk, &object); i++)
		if (loom_jval_type(messages_of(object)) == LOOM_JTYPE_OBJECT)
			return true;
	return false;
}

static void rate(struct tool_import_mark *mark, struct loom_str annotation)
{
	double rating = 0;

	if (loom_jval_real(loom_jval_get(annotation, "rating"), &rating) && rating != 0)
		mark->number = rating > 0 ? 1 : -1;
}

/* What stands about the node beside it: order of its children, what somebody thought of it. */
static enum loom_status mark_message(struct tool_talk *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	struct tool_import_mark mark = {.kind = TOOL_IMPORT_RATED,
					.id = tool_import_string(chat->import, key)};
	enum loom_status status = LOOM_OK;

	rate(&mark, loom_jval_get(message, "annotation"));
	if (mark.number)
		status = tool_import_mark(chat->import, &mark, err);
	return status == LOOM_OK
		       ? tool_talk_places(chat->import, loom_jval_get(message, "childrenIds"), err)
		       : status;
}

static enum loom_status read_message(struct tool_talk *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	static const struct tool_import_fields fields = {
		"message",
		"id:s parentId:s childrenIds:a role:s content:sao timestamp:ns model:s usage",
		"models modelName modelIdx done info files sources statusHistory annotation "
		"feedbackId merged error lastSentence userContext followUps embeds output "
		"code_executions originalContent selectedModelId arena reasoning_content"};
	struct loom_import *import = chat->import;
	struct tool_import_node *node = &chat->node;
	enum loom_status status = LOOM_OK;

	tool_talk_begin(chat);
	node->id = tool_import_string(import, key);
	node->parent = tool_import_text(import, message, "parentId");
	tool_talk_speaker(chat, tool_import_text(import, message, "role"));
	node->model = tool_import_text(import, message, "model");
	node->created = tool_import_time(import, loom_jval_get(message, "timestamp"));
	tool_talk_say(chat, loom_jval_get(message, "content"));
	tool_talk_record(chat, "usage", loom_jval_get(message, "usage"));
	tool_talk_rest(chat, message, &fields);
	tool_import_keep_id(import, "message", node->id, tool_import_text(import, message, "id"),
			    &chat->inner);
	status = tool_talk_end(chat, err);
	return status == LOOM_OK ? mark_message(chat, key, message, err) : status;
}

static void begin(struct tool_talk *chat, struct loom_str object, struct loom_str inner)
{
	static const struct tool_import_fields fields = {
		"chat", "title:s history:o system:s created_at:ns timestamp:ns messages:a chat:o",
		"id:s models params:o tags files user_id updated_at share_id archived pinned meta "
		"folder_id features variables version summary last_read_at"};
	static const struct tool_import_fields history = {"history", "messages:o currentId:s",
							  NULL};
	struct loom_import *import = chat->import;
	struct tool_import_tree tree = {
		.id = tool_talk_either(import, object, "id", "chat_id"),
		.title = tool_import_text(import, object, "title"),
		.system = tool_import_text(import, inner, "system"),
		.mode = LOOM_DIALOGUE,
		.created = tool_import_time(import, loom_jval_get(object, "created_at")),
	};

	if (!tree.id.n)
		tree.id = tool_import_text(import, inner, "id");
	if (!tree.title.n)
		tree.title = tool_import_text(import, inner, "title");
	if (!tree.system.n)
		tree.system = tool_import_text(import, loom_jval_get(inner, "params"), "system");
	if (!tree.created)
		tree.created = tool_import_time(import, loom_jval_get(inner, "timestamp"));
	tool_talk_about(chat, inner, &fields);
	tool_import_rest_as(import, "history", loom_jval_get(inner, "history"), &history,
			    &chat->about);
	if (inner.p != object.p)
		tool_import_rest(import, object, &fields, &chat->about);
	tool_import_begin(import, &tree);
}

static enum loom_status read_chat(struct tool_talk *chat, struct loom_str object,
				  struct loom_str messages, struct loom_err *err)
{
	struct loom_import *import = chat->import;
	struct loom_str inner = inner_of(object);
	struct loom_jwalk walk = loom_jval_walk(messages);
	struct loom_str key;
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	begin(chat, object, inner);
	status = tool_talk_root(chat, LOOM_STR("root"), err);
	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &message)) {
		status = tool_import_here(import, message, err);
		if (status != LOOM_OK)
			return status;
		if (loom_jval_type(message) == LOOM_JTYPE_OBJECT)
			status = read_message(chat, key, message, err);
		else
			tool_import_note(import, TOOL_IMPORT_LOST, "message that is no object");
	}
	if (status != LOOM_OK)
		return status;
	return tool_talk_mark(import,
			      tool_import_text(import, loom_jval_get(inner, "history"),
					       "currentId"),
			      TOOL_IMPORT_CURRENT, LOOM_STR(""), err);
}

static enum loom_status read(struct loom_import *import, const struct tool_import_source *source,
			     struct loom_err *err)
{
	static const struct tool_talk_form form = {
		.messages = messages_of,
		.type = LOOM_JTYPE_OBJECT,
		.read = read_chat,
		.lost = "entry without a history",
	};

	return tool_talk_each(import, source, &form, err);
}

const struct tool_import_reader tool_import_openwebui = {
	.name = "open-webui",
	.title = "open-webui chats",
	.recognise = recognise,
	.read = read,
};
