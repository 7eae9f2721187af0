/* Open-webui exports: chats with a map of messages, bare or wrapped. Invariants: the map's keys are
 * the ids; childrenIds gives the order of siblings; currentId is the position. The flat list
 * `messages`, which repeats one path, is ignored if there is a map. */
#include "inside.h"

/* The object with the history: the chat inside, or the entry itself. */
static struct loom_str inner_of(struct loom_str object)
{
	struct loom_str chat = loom_jval_get(object, "chat");

	return loom_jval_type(chat) == LOOM_JTYPE_OBJECT ? chat : object;
}

static struct loom_str messages_of(struct loom_str object)
{
	return loom_jval_get(loom_jval_get(inner_of(object), "history"), "messages");
}

static bool recognise(const struct import_source *source)
{
	struct chats_walk walk;
	struct loom_str object;

	if (!source->json)
		return false;
	walk = chats_walk(source);
	for (int i = 0; i < 100 && chats_walk_next(&walk, &object); i++)
		if (loom_jval_type(messages_of(object)) == LOOM_JTYPE_OBJECT)
			return true;
	return false;
}

static void rate(struct import_mark *mark, struct loom_str annotation)
{
	double rating = 0;

	if (loom_jval_real(loom_jval_get(annotation, "rating"), &rating) && rating != 0)
		mark->number = rating > 0 ? 1 : -1;
}

/* Adds the facts about a message that stand beside it: the order of its children, its rating. */
static enum loom_status mark_message(struct chats *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	struct import_mark mark = {.kind = IMPORT_RATED, .id = import_string(chat->import, key)};
	enum loom_status status = LOOM_OK;

	rate(&mark, loom_jval_get(message, "annotation"));
	if (mark.number)
		status = import_mark(chat->import, &mark, err);
	return status == LOOM_OK
		       ? chats_places(chat->import, loom_jval_get(message, "childrenIds"), err)
		       : status;
}

static enum loom_status read_message(struct chats *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	static const struct import_fields fields = {
		"message",
		"id:s parentId:s childrenIds:a role:s content:sao timestamp:ns model:s usage",
		"models modelName modelIdx done info files sources statusHistory annotation "
		"feedbackId merged error lastSentence userContext followUps embeds output "
		"code_executions originalContent selectedModelId arena reasoning_content"};
	struct loom_import *import = chat->import;
	struct import_node *node = &chat->node;
	enum loom_status status = LOOM_OK;

	chats_begin(chat);
	node->id = import_string(import, key);
	node->parent = import_text(import, message, "parentId");
	chats_speaker(chat, import_text(import, message, "role"));
	node->model = import_text(import, message, "model");
	node->created = import_time(import, loom_jval_get(message, "timestamp"));
	chats_say(chat, loom_jval_get(message, "content"));
	chats_record(chat, "usage", loom_jval_get(message, "usage"));
	chats_rest(chat, message, &fields);
	import_keep_id(import, "message", node->id, import_text(import, message, "id"),
		       &chat->inner);
	status = chats_end(chat, err);
	return status == LOOM_OK ? mark_message(chat, key, message, err) : status;
}

static void begin(struct chats *chat, struct loom_str object, struct loom_str inner)
{
	static const struct import_fields fields = {
		"chat", "title:s history:o system:s created_at:ns timestamp:ns messages:a chat:o",
		"id:s models params:o tags files user_id updated_at share_id archived pinned meta "
		"folder_id features variables version summary last_read_at"};
	static const struct import_fields history = {"history", "messages:o currentId:s", NULL};
	struct loom_import *import = chat->import;
	struct import_tree tree = {
		.id = chats_either(import, object, "id", "chat_id"),
		.title = import_text(import, object, "title"),
		.system = import_text(import, inner, "system"),
		.mode = LOOM_DIALOGUE,
		.created = import_time(import, loom_jval_get(object, "created_at")),
	};

	if (!tree.id.n)
		tree.id = import_text(import, inner, "id");
	if (!tree.title.n)
		tree.title = import_text(import, inner, "title");
	if (!tree.system.n)
		tree.system = import_text(import, loom_jval_get(inner, "params"), "system");
	if (!tree.created)
		tree.created = import_time(import, loom_jval_get(inner, "timestamp"));
	chats_about(chat, inner, &fields);
	import_rest_as(import, "history", loom_jval_get(inner, "history"), &history, &chat->about);
	if (inner.p != object.p)
		import_rest(import, object, &fields, &chat->about);
	import_begin(import, &tree);
}

static enum loom_status read_chat(struct chats *chat, struct loom_str object,
				  struct loom_str messages, struct loom_err *err)
{
	struct loom_import *import = chat->import;
	struct loom_str inner = inner_of(object);
	struct loom_jwalk walk = loom_jval_walk(messages);
	struct loom_str key;
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	begin(chat, object, inner);
	status = chats_root(chat, LOOM_STR("root"), err);
	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &message)) {
		status = import_here(import, message, err);
		if (status != LOOM_OK)
			return status;
		if (loom_jval_type(message) == LOOM_JTYPE_OBJECT)
			status = read_message(chat, key, message, err);
		else
			import_note(import, IMPORT_LOST, "message that is not an object");
	}
	if (status != LOOM_OK)
		return status;
	return chats_mark(import, import_text(import, loom_jval_get(inner, "history"), "currentId"),
			  IMPORT_CURRENT, LOOM_STR(""), err);
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {
		.messages = messages_of,
		.type = LOOM_JTYPE_OBJECT,
		.read = read_chat,
		.lost = "entry without a history",
	};

	return chats_each(import, source, &form, err);
}

const struct import_reader import_openwebui = {
	.name = "open-webui",
	.title = "open-webui chats",
	.recognise = recognise,
	.read = read,
};
