/* ChatGPT's conversations.json: a list of conversations, each a map of nodes. Invariants: one
 * conversation is one tree; the map's keys are the ids; a node without a message becomes an empty
 * node, so that its children keep their parent. The framework repairs orphans, cycles and missing
 * roots. */
#include <loom/formats/chats_kit.h>

/* ---- the members ---- */

enum {
	TO_MESSAGE = CHATS_OWN,
	TO_AUTHOR,
	TO_NAME,
	TO_CONTENT,
	TO_METADATA,
	TO_WEIGHT,
	TO_FINISH,
};

/* The first is what the format is recognised by. */
static const struct import_key conversation_keys[] = {
	{"mapping", "o", CHATS_MESSAGES, false},
	{"conversation_id", "s", CHATS_ID, true},
	{"id", "s", CHATS_ID, true},
	{"title", "s", CHATS_TITLE, false},
	{"create_time", "ns", CHATS_CREATED, false},
	{"current_node", "s", CHATS_CURRENT, false},
};
static const struct import_fields conversation_fields = {
	.where = "conversation",
	.known = "update_time moderation_results plugin_ids gizmo_id gizmo_type is_archived "
		 "is_starred safe_urls blocked_urls default_model_slug conversation_template_id "
		 "voice conversation_origin async_status is_do_not_remember memory_scope "
		 "disabled_tool_ids context_scopes sugar_item_id is_read_only is_study_mode owner",
	IMPORT_KEYS(conversation_keys),
};

static const struct import_key node_keys[] = {
	{"id", "s", CHATS_ID, false},
	{"message", "o", TO_MESSAGE, false},
	{"parent", "s", CHATS_PARENT, false},
	{"children", "a", CHATS_CHILDREN, false},
};
static const struct import_fields node_fields = {.where = "node", IMPORT_KEYS(node_keys)};

static const struct import_key message_keys[] = {
	{"id", "s", CHATS_ID, false},         {"author", "o", TO_AUTHOR, false},
	{"content", "o", TO_CONTENT, false},  {"create_time", "ns", CHATS_CREATED, false},
	{"metadata", "o", TO_METADATA, true}, {"weight", "n", TO_WEIGHT, true},
};
static const struct import_fields message_fields = {
	.where = "message",
	.known = "status end_turn recipient channel update_time",
	IMPORT_KEYS(message_keys),
};

static const struct import_key author_keys[] = {
	{"role", "s", CHATS_SPEAKER, false},
	{"name", "s", TO_NAME, false},
};
static const struct import_fields author_fields = {.where = "author",
						   .known = "metadata",
						   IMPORT_KEYS(author_keys)};

static const struct import_key metadata_keys[] = {
	{"model_slug", "s", CHATS_MODEL, false},
	{"finish_details", "o", TO_FINISH, false},
};
static const struct import_fields metadata_fields = {.where = "metadata",
						     .known = "*",
						     IMPORT_KEYS(metadata_keys)};

enum {
	IN_NOTHING,
	IN_TYPE,
	IN_PARTS,
	IN_TEXT,
	IN_TITLE,
	IN_RESULT,
	IN_SUMMARY,
	IN_NAME,
	IN_PROFILE,
	IN_INSTRUCTIONS,
	IN_MODEL_CONTEXT,
	IN_CONTENT,
	IN_THOUGHTS,
};
static const struct import_key content_keys[] = {
	{"content_type", "s", IN_TYPE, false},
	{"parts", "a", IN_PARTS, false},
	{"text", "s", IN_TEXT, false},
	{"title", "s", IN_TITLE, true},
	{"result", "s", IN_RESULT, true},
	{"summary", "s", IN_SUMMARY, true},
	{"name", "s", IN_NAME, true},
	{"user_profile", "s", IN_PROFILE, true},
	{"user_instructions", "s", IN_INSTRUCTIONS, true},
	{"model_set_context", "s", IN_MODEL_CONTEXT, true},
	{"content", "s", IN_CONTENT, true},
	{"thoughts", "a", IN_THOUGHTS, true},
};
static const struct import_fields content_fields = {
	.where = "content",
	.known = "language response_format_name url domain snippet assets tether_id "
		 "source_analysis_msg_id repository repo_summary structured_context is_ansi "
		 "computer_id screenshot state",
	IMPORT_KEYS(content_keys),
};

static bool recognise(const struct import_source *source)
{
	return source->json &&
	       chats_has_in_list(source, conversation_keys[0].key, LOOM_JTYPE_OBJECT);
}

/* ---- the contents of a message ---- */

static struct loom_arena *scratch(struct chats *chat)
{
	return import_scratch(chat->import);
}

/* Adds a part that is not text: an image, a recording, or its transcript. */
static void say_object(struct chats *chat, struct loom_str part)
{
	struct loom_import *import = chat->import;
	struct loom_str type = import_text(import, part, "content_type");
	struct loom_str text = import_text(import, part, "text");
	struct loom_str where = import_text(import, part, "asset_pointer");

	chat->plain = false;
	if (!type.n)
		type = LOOM_STR("part");
	if (text.n)
		chats_add(chat, text);
	else if (where.n)
		chats_add(chat, loom_arena_format(scratch(chat), "[%.*s: %.*s]", LOOM_STR_ARG(type),
						  LOOM_STR_ARG(where)));
	else
		chats_add(chat, loom_arena_format(scratch(chat), "[%.*s]", LOOM_STR_ARG(type)));
}

static void say_parts(struct chats *chat, struct loom_str parts)
{
	struct loom_jwalk walk = loom_jval_walk(parts);
	struct loom_str part;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &part))
		if (loom_jval_type(part) == LOOM_JTYPE_OBJECT)
			say_object(chat, part);
		else if (import_is_odd(chat->import, "content part", part, "s"))
			chat->plain = false;
		else
			chats_add(chat, import_string(chat->import, part));
}

static void say_thoughts(struct chats *chat, struct loom_str thoughts)
{
	struct loom_jwalk walk = loom_jval_walk(thoughts);
	struct loom_str thought;

	while (loom_jwalk_next(&walk, NULL, &thought)) {
		chats_add(chat, import_text(chat->import, thought, "summary"));
		chats_add(chat, import_text(chat->import, thought, "content"));
	}
	chat->node.excluded = true;
}

/* The content types, with the members that hold their text. */
static const struct {
	const char *type;
	uint8_t members[2];
	bool whole;   /* the text is everything it has */
	bool thought; /* not said aloud */
} types[] = {
	{"text", {IN_TEXT}, true, false},
	{"multimodal_text", {IN_TEXT}, true, false},
	{"code", {IN_TEXT}, false, false},
	{"execution_output", {IN_TEXT}, true, false},
	{"tether_quote", {IN_TITLE, IN_TEXT}, false, false},
	{"tether_browsing_display", {IN_RESULT, IN_SUMMARY}, false, false},
	{"tether_browsing_code", {IN_TEXT}, false, false},
	{"sonic_webpage", {IN_TITLE, IN_TEXT}, false, false},
	{"computer_output", {IN_TEXT}, false, false},
	{"system_error", {IN_NAME, IN_TEXT}, false, false},
	{"user_editable_context", {IN_PROFILE, IN_INSTRUCTIONS}, false, false},
	{"model_editable_context", {IN_MODEL_CONTEXT}, false, false},
	{"thoughts", {IN_NOTHING}, false, true},
	{"reasoning_recap", {IN_CONTENT}, false, true},
};

static void say_members(struct chats *chat, const struct loom_str *values, const uint8_t *members)
{
	for (size_t i = 0; i < 2 && members[i]; i++)
		chats_add(chat, import_string(chat->import, values[members[i]]));
}

static void say_unknown(struct chats *chat, const struct loom_str *values, struct loom_str type)
{
	static const uint8_t likely[] = {IN_TEXT, IN_RESULT};

	import_note(chat->import, IMPORT_NOT_UNDERSTOOD, "message content \"%.*s\"",
		    LOOM_STR_ARG(type));
	say_members(chat, values, likely);
	chat->plain = false;
}

static void say_content(struct chats *chat, struct loom_str content)
{
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str type;
	size_t at = 0;

	if (loom_jval_type(content) != LOOM_JTYPE_OBJECT)
		return;
	import_take(content, &content_fields, values);
	type = import_string(chat->import, values[IN_TYPE]);
	say_parts(chat, values[IN_PARTS]);
	while (at < LOOM_COUNT(types) && !loom_str_is(type, types[at].type))
		at++;
	if (at < LOOM_COUNT(types)) {
		say_members(chat, values, types[at].members);
		chat->plain &= types[at].whole;
		chat->node.excluded |= types[at].thought;
	} else {
		say_unknown(chat, values, type);
	}
	if (loom_str_is(type, "thoughts"))
		say_thoughts(chat, values[IN_THOUGHTS]);
	if (import_unsaid(chat->import, content, &content_fields) || !chat->plain ||
	    loom_jval_count(content) > 2)
		chats_keep(chat, "content", content);
}

/* ---- nodes ---- */

static void say_metadata(struct chats *chat, struct loom_str metadata)
{
	struct loom_str values[IMPORT_TO_MAX];

	if (chat->node.role != IMPORT_MODEL)
		return;
	import_take(metadata, &metadata_fields, values);
	chat->node.model = import_string(chat->import, values[CHATS_MODEL]);
	chats_record(chat, "finish_reason", loom_jval_get(values[TO_FINISH], "type"));
}

/* Reads a message into its node. *out_id is its own id, in JSON. */
static void say_message(struct chats *chat, struct loom_str message, struct loom_str *out_id)
{
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str author[IMPORT_TO_MAX];
	struct loom_str name;
	double weighs = 1;

	import_take(message, &message_fields, values);
	import_take(values[TO_AUTHOR], &author_fields, author);
	*out_id = values[CHATS_ID];
	name = import_string(chat->import, author[TO_NAME]);
	chats_speaker(chat, import_string(chat->import, author[CHATS_SPEAKER]));
	if (name.n)
		chat->node.author = name;
	chat->node.created = import_time(chat->import, values[CHATS_CREATED]);
	say_content(chat, values[TO_CONTENT]);
	if (loom_jval_real(values[TO_WEIGHT], &weighs) && weighs == 0)
		chat->node.excluded = true;
	say_metadata(chat, values[TO_METADATA]);
	chats_rest(chat, message, &message_fields);
	import_rest_as(chat->import, "author", values[TO_AUTHOR], &author_fields, &chat->inner);
	(void)import_unsaid(chat->import, values[TO_METADATA], &metadata_fields);
}

static enum loom_status read_node(struct chats *chat, struct loom_str key, struct loom_str entry,
				  struct loom_err *err)
{
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str within;
	struct loom_str id = {NULL, 0};
	struct loom_str name;
	enum loom_status status = LOOM_OK;

	chats_take(chat, entry, &node_fields, values);
	within = chat->node.id;
	chat->node.id = import_string(chat->import, key);
	if (loom_jval_type(values[TO_MESSAGE]) == LOOM_JTYPE_OBJECT)
		say_message(chat, values[TO_MESSAGE], &id);
	else
		chat->node.role = IMPORT_SYSTEM;
	chats_rest(chat, entry, &node_fields);
	import_keep_id(chat->import, "node", chat->node.id, within, &chat->inner);
	/* Only names that other programs do not show. */
	name = import_string(chat->import, id);
	if (name.n && !loom_str_eq(name, chat->node.id))
		chats_keep(chat, "message_id", id);
	status = chats_end(chat, err);
	return status == LOOM_OK ? chats_places(chat->import, values[CHATS_CHILDREN], err) : status;
}

/* ---- conversations ---- */

static bool begin(struct chats *chat, struct loom_str object, struct loom_str *messages)
{
	struct loom_str values[IMPORT_TO_MAX];

	import_take(object, &conversation_fields, values);
	*messages = values[CHATS_MESSAGES];
	if (loom_jval_type(*messages) != LOOM_JTYPE_OBJECT) {
		import_note(chat->import, IMPORT_LOST, "entry without a mapping");
		return false;
	}
	chats_start(chat, object, &conversation_fields, values);
	return true;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {.what = "node",
					       .begin = begin,
					       .message = read_node};

	return chats_each(import, source, &form, err);
}

const struct import_reader import_chatgpt = {
	.name = "chatgpt",
	.title = "ChatGPT export (conversations.json)",
	.recognise = recognise,
	.read = read,
};
