/* Conversations of LM Studio: messages in versions, of which one is selected. Invariants: each
 * version is a sibling, and the selected one is continued; a version has its content, or steps that
 * have it. Messages have no ids: the conversation's time and the order identify them. */
#include <loom/formats/chats_kit.h>

static bool recognise(const struct import_source *source)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "messages"));
	struct loom_str message;

	return source->json && import_has(source, "messages", LOOM_JTYPE_ARRAY) && !walk.object &&
	       loom_jwalk_next(&walk, NULL, &message) &&
	       loom_jval_type(loom_jval_get(message, "versions")) == LOOM_JTYPE_ARRAY;
}

enum { TO_MODEL = CHATS_OWN };

static const struct import_key conversation_keys[] = {
	{"messages", "a", CHATS_MESSAGES, false}, {"name", "s", CHATS_TITLE, false},
	{"createdAt", "ns", CHATS_CREATED, true}, {"systemPrompt", "s", CHATS_SYSTEM, false},
	{"lastUsedModel", "o", TO_MODEL, true},
};
static const struct import_fields conversation_fields = {
	.where = "conversation",
	.known = "pinned preset tokenCount userLastMessagedAt assistantLastMessagedAt "
		 "perChatPredictionConfig usePerChatPredictionConfig clientInput "
		 "clientInputFiles userFilesSizeBytes notes plugins pluginConfigs "
		 "disabledPluginTools looseFiles workingDirectoryDeltas",
	IMPORT_KEYS(conversation_keys),
};
static const struct import_fields message_fields = {.where = "message",
						    .used = "versions:a currentlySelected:n"};
static const struct import_fields version_fields = {.where = "version",
						    .used = "role:s content:sao",
						    .known = "type steps senderInfo preprocessed"};
static const struct import_fields step_fields = {
	.where = "step",
	.used = "type:s content:sao",
	.known = "stepIdentifier defaultShouldIncludeInContext shouldIncludeInContext genInfo "
		 "style prefix suffix debugInfo statusText toolCallId roleOverride"};

static void say_step(struct chats *chat, struct loom_str step)
{
	struct loom_str style = loom_jval_get(loom_jval_get(step, "style"), "type");
	struct loom_str info = loom_jval_get(step, "genInfo");
	struct loom_str model =
		chats_either(chat->import, info, "identifier", "indexedModelIdentifier");
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(step, "content"));
	struct loom_str part;

	(void)import_unsaid(chat->import, step, &step_fields);
	if (model.n)
		chat->node.model = model;
	chats_record(chat, "usage", loom_jval_get(info, "stats"));
	if (!loom_jval_says(style, LOOM_STR("thinking"))) {
		chats_say(chat, loom_jval_get(step, "content"));
		return;
	}
	while (!walk.object && loom_jwalk_next(&walk, NULL, &part))
		chats_think(chat, import_text(chat->import, part, "text"));
}

static void say_version(struct chats *chat, struct loom_str version)
{
	struct loom_str steps = loom_jval_get(version, "steps");
	struct loom_jwalk walk = loom_jval_walk(steps);
	struct loom_str step;

	chats_speaker(chat, import_text(chat->import, version, "role"));
	chats_say(chat, loom_jval_get(version, "content"));
	while (!walk.object && loom_jwalk_next(&walk, NULL, &step))
		say_step(chat, step);
	chats_rest(chat, version, &version_fields);
}

static enum loom_status read_message(struct chats *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(message, "versions"));
	struct loom_str version;
	int64_t chosen = 0;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	(void)key;
	(void)loom_jval_int(loom_jval_get(message, "currentlySelected"), &chosen);
	for (; status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &version);
	     count++) {
		chats_begin(chat);
		chats_version(chat, chat->number, count);
		say_version(chat, version);
		if (!count)
			chats_rest(chat, message, &message_fields);
		status = chats_end(chat, err);
	}
	if (!count)
		import_note(chat->import, IMPORT_LOST, "message without a version");
	else
		chats_chosen(chat, chat->number,
			     chosen >= 0 && (size_t)chosen < count ? (size_t)chosen : 0);
	return status;
}

static bool begin(struct chats *chat, struct loom_str object, struct loom_str *messages)
{
	struct loom_str values[IMPORT_TO_MAX];

	import_take(object, &conversation_fields, values);
	*messages = values[CHATS_MESSAGES];
	if (loom_jval_is_null(values[CHATS_SYSTEM])) {
		struct loom_jwalk walk = loom_jval_walk(
			loom_jval_get(loom_jval_get(object, "perChatPredictionConfig"), "fields"));
		struct loom_str field;

		while (!walk.object && loom_jwalk_next(&walk, NULL, &field))
			if (loom_jval_says(loom_jval_get(field, "key"),
					   LOOM_STR("llm.prediction.systemPrompt")))
				values[CHATS_SYSTEM] = loom_jval_get(field, "value");
	}
	chats_start(chat, object, &conversation_fields, values);
	chat->model = loom_jval_get(values[TO_MODEL], "identifier");
	return true;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {.what = "message",
					       .root = "start",
					       .begin = begin,
					       .message = read_message};

	return chats_each(import, source, &form, err);
}

const struct import_reader import_lmstudio = {
	.name = "lmstudio",
	.title = "LM Studio conversations",
	.recognise = recognise,
	.read = read,
	.places = ".lmstudio/conversations .cache/lm-studio/conversations",
};
