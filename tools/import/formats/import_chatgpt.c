/* ChatGPT's conversations.json: a list of conversations, each a map of nodes. Invariants: one
 * conversation is one tree; the map's keys are the ids; a node without a message becomes an empty
 * node, so that its children keep their parent. The framework repairs orphans, cycles and missing
 * roots. */
#include "inside.h"

static bool recognise(const struct import_source *source)
{
	return source->json && chats_has_in_list(source, "mapping", LOOM_JTYPE_OBJECT);
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

static void say_thoughts(struct chats *chat, struct loom_str content)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(content, "thoughts"));
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
	const char *members[2];
	bool whole;   /* the text is everything it has */
	bool thought; /* not said aloud */
} types[] = {
	{"text", {"text", NULL}, true, false},
	{"multimodal_text", {"text", NULL}, true, false},
	{"code", {"text", NULL}, false, false},
	{"execution_output", {"text", NULL}, true, false},
	{"tether_quote", {"title", "text"}, false, false},
	{"tether_browsing_display", {"result", "summary"}, false, false},
	{"tether_browsing_code", {"text", NULL}, false, false},
	{"sonic_webpage", {"title", "text"}, false, false},
	{"computer_output", {"text", NULL}, false, false},
	{"system_error", {"name", "text"}, false, false},
	{"user_editable_context", {"user_profile", "user_instructions"}, false, false},
	{"model_editable_context", {"model_set_context", NULL}, false, false},
	{"thoughts", {NULL, NULL}, false, true},
	{"reasoning_recap", {"content", NULL}, false, true},
};

static void say_members(struct chats *chat, struct loom_str content, const char *const *members)
{
	for (size_t i = 0; i < 2 && members[i]; i++)
		chats_add(chat, import_text(chat->import, content, members[i]));
}

static void say_unknown(struct chats *chat, struct loom_str content, struct loom_str type)
{
	static const char *const likely[] = {"text", "result"};

	import_note(chat->import, IMPORT_NOT_UNDERSTOOD, "message content \"%.*s\"",
		    LOOM_STR_ARG(type));
	say_members(chat, content, likely);
	chat->plain = false;
}

static void say_content(struct chats *chat, struct loom_str content)
{
	static const struct import_fields fields = {
		"content", "content_type:s parts:a text:s",
		"title:s result:s summary:s name:s user_profile:s user_instructions:s "
		"model_set_context:s content:s thoughts:a language response_format_name url domain "
		"snippet assets tether_id source_analysis_msg_id repository repo_summary "
		"structured_context is_ansi computer_id screenshot state"};
	struct loom_str type = import_text(chat->import, content, "content_type");
	size_t at = 0;

	if (loom_jval_type(content) != LOOM_JTYPE_OBJECT)
		return;
	say_parts(chat, loom_jval_get(content, "parts"));
	while (at < LOOM_COUNT(types) && !loom_str_is(type, types[at].type))
		at++;
	if (at < LOOM_COUNT(types)) {
		say_members(chat, content, types[at].members);
		chat->plain &= types[at].whole;
		chat->node.excluded |= types[at].thought;
	} else {
		say_unknown(chat, content, type);
	}
	if (loom_str_is(type, "thoughts"))
		say_thoughts(chat, content);
	if (import_unsaid(chat->import, content, &fields) || !chat->plain ||
	    loom_jval_count(content) > 2)
		chats_keep(chat, "content", content);
}

/* ---- nodes ---- */

static void say_message(struct chats *chat, struct loom_str message)
{
	static const struct import_fields fields = {
		"message", "id:s author:o create_time:ns content:o",
		"status end_turn weight:n metadata:o recipient channel update_time"};
	static const struct import_fields who = {"author", "role:s name:s", "metadata"};
	static const struct import_fields about = {"metadata", "model_slug:s finish_details:o",
						   "*"};
	struct loom_str author;
	struct loom_str name;
	struct loom_str content;
	struct loom_str metadata;
	struct loom_str created;
	struct loom_str weight;
	const struct chats_pick picks[] = {
		{"author", &author},       {"content", &content}, {"metadata", &metadata},
		{"create_time", &created}, {"weight", &weight},
	};
	double weighs = 1;

	chats_pick(message, picks, LOOM_COUNT(picks));
	name = import_text(chat->import, author, "name");
	chats_speaker(chat, import_text(chat->import, author, "role"));
	if (name.n)
		chat->node.author = name;
	chat->node.created = import_time(chat->import, created);
	say_content(chat, content);
	if (loom_jval_real(weight, &weighs) && weighs == 0)
		chat->node.excluded = true;
	if (chat->node.role == IMPORT_MODEL) {
		chat->node.model = import_text(chat->import, metadata, "model_slug");
		chats_record(chat, "finish_reason",
			     loom_jval_get(loom_jval_get(metadata, "finish_details"), "type"));
	}
	chats_rest(chat, message, &fields);
	import_rest_as(chat->import, "author", author, &who, &chat->inner);
	(void)import_unsaid(chat->import, metadata, &about);
}

static enum loom_status read_node(struct chats *chat, struct loom_str key, struct loom_str entry,
				  struct loom_err *err)
{
	static const struct import_fields fields = {"node", "id:s message:o parent:s children:a",
						    ""};
	struct loom_str message = loom_jval_get(entry, "message");
	struct loom_str name = import_text(chat->import, message, "id");
	enum loom_status status = LOOM_OK;

	chats_begin(chat);
	chat->node.id = import_string(chat->import, key);
	chat->node.parent = import_text(chat->import, entry, "parent");
	if (loom_jval_type(message) == LOOM_JTYPE_OBJECT)
		say_message(chat, message);
	else
		chat->node.role = IMPORT_SYSTEM;
	chats_rest(chat, entry, &fields);
	import_keep_id(chat->import, "node", chat->node.id, import_text(chat->import, entry, "id"),
		       &chat->inner);
	/* Only names that other programs do not show. */
	if (name.n && !loom_str_eq(name, chat->node.id))
		chats_keep(chat, "message_id", loom_jval_get(message, "id"));
	status = chats_end(chat, err);
	return status == LOOM_OK ? chats_places(chat->import, loom_jval_get(entry, "children"), err)
				 : status;
}

/* ---- conversations ---- */

static void begin(struct chats *chat, struct loom_str object)
{
	static const struct import_fields fields = {
		"conversation", "title:s create_time:ns mapping:o current_node:s",
		"conversation_id:s id:s update_time moderation_results plugin_ids gizmo_id "
		"gizmo_type "
		"is_archived "
		"is_starred safe_urls blocked_urls default_model_slug conversation_template_id "
		"voice conversation_origin async_status is_do_not_remember memory_scope "
		"disabled_tool_ids context_scopes sugar_item_id is_read_only is_study_mode owner"};
	struct loom_import *import = chat->import;
	struct import_tree tree = {
		.id = chats_either(import, object, "conversation_id", "id"),
		.title = import_text(import, object, "title"),
		.mode = LOOM_DIALOGUE,
		.created = import_time(import, loom_jval_get(object, "create_time")),
	};

	chats_about(chat, object, &fields);
	import_begin(import, &tree);
}

static enum loom_status read_conversation(struct chats *chat, struct loom_str object,
					  struct loom_str mapping, struct loom_err *err)
{
	struct loom_import *import = chat->import;
	struct loom_jwalk walk = loom_jval_walk(mapping);
	struct loom_str key;
	struct loom_str entry;
	enum loom_status status = LOOM_OK;

	begin(chat, object);
	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &entry)) {
		status = import_here(import, entry, err);
		if (status != LOOM_OK)
			return status;
		if (loom_jval_type(entry) == LOOM_JTYPE_OBJECT)
			status = read_node(chat, key, entry, err);
		else
			import_note(import, IMPORT_LOST, "node that is not an object");
	}
	if (status == LOOM_OK)
		status = chats_about_end(chat, err);
	return status == LOOM_OK ? chats_mark(import, import_text(import, object, "current_node"),
					      IMPORT_CURRENT, LOOM_STR(""), err)
				 : status;
}

static struct loom_str messages_of(struct loom_str object)
{
	return loom_jval_get(object, "mapping");
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {
		.messages = messages_of,
		.type = LOOM_JTYPE_OBJECT,
		.read = read_conversation,
		.lost = "entry without a mapping",
	};

	return chats_each(import, source, &form, err);
}

const struct import_reader import_chatgpt = {
	.name = "chatgpt",
	.title = "ChatGPT export (conversations.json)",
	.recognise = recognise,
	.read = read,
};
