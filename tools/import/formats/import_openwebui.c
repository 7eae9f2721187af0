/* Open-webui exports: chats with a map of messages, bare or wrapped. Invariants: the map's keys are
 * the ids; childrenIds gives the order of siblings; currentId is the position. The flat list
 * `messages`, which repeats one path, is ignored if there is a map. */
#include <loom/formats/chats_kit.h>

enum {
	TO_CHAT = CHATS_OWN,
	TO_HISTORY,
	TO_PARAMS,
	TO_CONTENT,
	TO_USAGE,
	TO_ANNOTATION,
};

/* Of the chat, and of the entry that wraps it. */
static const struct import_key chat_keys[] = {
	{"chat", "o", TO_CHAT, false},
	{"history", "o", TO_HISTORY, false},
	{"id", "s", CHATS_ID, true},
	{"chat_id", "s", CHATS_ID, true},
	{"title", "s", CHATS_TITLE, false},
	{"system", "s", CHATS_SYSTEM, false},
	{"params", "o", TO_PARAMS, true},
	{"created_at", "ns", CHATS_CREATED, false},
	{"timestamp", "ns", CHATS_CREATED, false},
};
static const struct import_fields chat_fields = {
	.where = "chat",
	.used = "messages:a",
	.known = "models tags files user_id updated_at share_id archived pinned meta folder_id "
		 "features variables version summary last_read_at",
	IMPORT_KEYS(chat_keys),
};

static const struct import_key history_keys[] = {
	{"messages", "o", CHATS_MESSAGES, false},
	{"currentId", "s", CHATS_CURRENT, false},
};
static const struct import_fields history_fields = {.where = "history", IMPORT_KEYS(history_keys)};

static const struct import_key message_keys[] = {
	{"id", "s", CHATS_ID, false},
	{"parentId", "s", CHATS_PARENT, false},
	{"childrenIds", "a", CHATS_CHILDREN, false},
	{"role", "s", CHATS_SPEAKER, false},
	{"model", "s", CHATS_MODEL, false},
	{"timestamp", "ns", CHATS_CREATED, false},
	{"content", "sao", TO_CONTENT, false},
	{"usage", "", TO_USAGE, false},
	{"annotation", "", TO_ANNOTATION, true},
};
static const struct import_fields message_fields = {
	.where = "message",
	.known = "models modelName modelIdx done info files sources statusHistory feedbackId "
		 "merged error lastSentence userContext followUps embeds output code_executions "
		 "originalContent selectedModelId arena reasoning_content",
	IMPORT_KEYS(message_keys),
};

/* An entry of the file: its own members, those of the chat inside, and those of the history. A bare
 * chat is both the entry and the chat. */
struct entry {
	struct loom_str inner; /* the chat */
	struct loom_str outside[IMPORT_TO_MAX];
	struct loom_str inside[IMPORT_TO_MAX];
	struct loom_str history[IMPORT_TO_MAX];
};

static void look(struct loom_str object, struct entry *out)
{
	import_take(object, &chat_fields, out->outside);
	out->inner = loom_jval_type(out->outside[TO_CHAT]) == LOOM_JTYPE_OBJECT
			     ? out->outside[TO_CHAT]
			     : object;
	import_take(out->inner, &chat_fields, out->inside);
	import_take(out->inside[TO_HISTORY], &history_fields, out->history);
}

static bool recognise(const struct import_source *source)
{
	struct chats_walk walk;
	struct loom_str object;
	struct entry entry;

	if (!source->json)
		return false;
	walk = chats_walk(source);
	for (int i = 0; i < 100 && chats_walk_next(&walk, &object); i++) {
		look(object, &entry);
		if (loom_jval_type(entry.history[CHATS_MESSAGES]) == LOOM_JTYPE_OBJECT)
			return true;
	}
	return false;
}

static void rate(struct import_mark *mark, struct loom_str annotation)
{
	double rating = 0;

	if (loom_jval_real(loom_jval_get(annotation, "rating"), &rating) && rating != 0)
		mark->number = rating > 0 ? 1 : -1;
}

static enum loom_status read_message(struct chats *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	struct loom_import *import = chat->import;
	struct loom_str values[IMPORT_TO_MAX];
	struct import_mark mark = {.kind = IMPORT_RATED};
	struct loom_str within;
	enum loom_status status = LOOM_OK;

	chats_take(chat, message, &message_fields, values);
	within = chat->node.id;
	chat->node.id = import_string(import, key);
	chats_say(chat, values[TO_CONTENT]);
	chats_record(chat, "usage", values[TO_USAGE]);
	chats_rest(chat, message, &message_fields);
	import_keep_id(import, "message", chat->node.id, within, &chat->inner);
	status = chats_end(chat, err);
	mark.id = import_string(import, key);
	rate(&mark, values[TO_ANNOTATION]);
	if (status == LOOM_OK && mark.number)
		status = import_mark(import, &mark, err);
	return status == LOOM_OK ? chats_places(import, values[CHATS_CHILDREN], err) : status;
}

static bool begin(struct chats *chat, struct loom_str object, struct loom_str *messages)
{
	struct loom_import *import = chat->import;
	struct import_tree tree = {.id = {NULL, 0}};
	struct entry entry;
	bool wrapped = false;

	look(object, &entry);
	wrapped = entry.inner.p != object.p;
	*messages = entry.history[CHATS_MESSAGES];
	if (loom_jval_type(*messages) != LOOM_JTYPE_OBJECT) {
		import_note(import, IMPORT_LOST, "entry without a history");
		return false;
	}
	chats_tree(chat, entry.outside, &tree);
	if (wrapped)
		chats_tree(chat, entry.inside, &tree);
	if (!tree.system.n)
		tree.system = import_text(import, entry.inside[TO_PARAMS], "system");
	chats_about(chat, entry.inner, &chat_fields);
	import_rest_as(import, "history", entry.inside[TO_HISTORY], &history_fields, &chat->about);
	if (wrapped)
		import_rest(import, object, &chat_fields, &chat->about);
	chat->current = entry.history[CHATS_CURRENT];
	chat->untitled = !tree.title.n;
	import_begin(import, &tree);
	return true;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {.what = "message",
					       .root = "root",
					       .begin = begin,
					       .message = read_message};

	return chats_each(import, source, &form, err);
}

const struct import_reader import_openwebui = {
	.name = "open-webui",
	.title = "open-webui chats",
	.recognise = recognise,
	.read = read,
};
