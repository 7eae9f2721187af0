/* The export of Grok (prod-grok-backend.json): conversations with their responses, which name the
 * one they answer. Times are wrapped as MongoDB writes them. */
#include <loom/formats/chats_kit.h>

static struct loom_str first_of(struct loom_str list)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item = {NULL, 0};

	if (!walk.object)
		(void)!loom_jwalk_next(&walk, NULL, &item);
	return item;
}

static bool recognise(const struct import_source *source)
{
	struct loom_str first = first_of(import_member(source, "conversations"));

	return source->json && loom_jval_get(first, "conversation").p &&
	       loom_jval_type(loom_jval_get(first, "responses")) == LOOM_JTYPE_ARRAY;
}

enum { TO_MESSAGE = CHATS_OWN, TO_TRACE };

static const struct import_key about_keys[] = {
	{"id", "s", CHATS_ID, true},
	{"title", "s", CHATS_TITLE, false},
	{"summary", "s", CHATS_DESCRIPTION, false},
	{"create_time", "nso", CHATS_CREATED, true},
	{"leaf_response_id", "s", CHATS_CURRENT, false},
};
static const struct import_fields about_fields = {
	.where = "conversation",
	.known = "user_id anon_user_id modify_time system_prompt_name system_prompt_id temporary "
		 "starred team_id asset_ids root_asset_id x_user_id media_types "
		 "task_result_id shared_with_team conversation_type workspaces",
	IMPORT_KEYS(about_keys),
};
static const struct import_fields entry_fields = {.where = "entry",
						  .used = "conversation:o responses:a"};

static const struct import_key response_keys[] = {
	{"_id", "s", CHATS_ID, false},
	{"id", "s", CHATS_ID, false},
	{"parent_response_id", "s", CHATS_PARENT, false},
	{"sender", "s", CHATS_SPEAKER, false},
	{"model", "s", CHATS_MODEL, false},
	{"create_time", "nso", CHATS_CREATED, true},
	{"message", "s", TO_MESSAGE, false},
	{"thinking_trace", "s", TO_TRACE, true},
};
static const struct import_fields response_fields = {
	.where = "response",
	.known = "conversation_id manual partial shared query query_type metadata error "
		 "web_search_results cited_web_search_results xpost_ids xposts "
		 "generated_image_urls image_attachments file_attachments image_edit_uris "
		 "card_attachments_json cited_xposts webpage_urls steps ui_layout agent_type "
		 "thinking_start_time thinking_end_time media_types is_control request_metadata "
		 "search_product_results tool_responses rag_results user_prompt share_link",
	IMPORT_KEYS(response_keys),
};

/* {"$date":{"$numberLong":"1750000000000"}}, or a time as others write it. */
static struct loom_str unwrapped(struct loom_str time)
{
	static const char *const keys[] = {"$date", "$numberLong"};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++)
		if (loom_jval_type(time) == LOOM_JTYPE_OBJECT)
			time = loom_jval_get(time, keys[i]);
	return time;
}

static const struct import_fields around_fields = {.where = "entry of a response",
						   .used = "response:o",
						   .known = "share_link"};

static enum loom_status read_response(struct chats *chat, struct loom_str key,
				      struct loom_str entry, struct loom_err *err)
{
	struct loom_str response = loom_jval_get(entry, "response");
	struct loom_str values[IMPORT_TO_MAX];
	struct import_node *node = &chat->node;

	(void)key;
	if (loom_jval_type(response) != LOOM_JTYPE_OBJECT)
		response = entry;
	chats_begin(chat);
	if (response.p != entry.p)
		import_rest(chat->import, entry, &around_fields, &chat->inner);
	import_take(response, &response_fields, values);
	node->id = import_string(chat->import, values[CHATS_ID]);
	node->parent = import_string(chat->import, values[CHATS_PARENT]);
	chats_speaker(chat, import_string(chat->import, values[CHATS_SPEAKER]));
	if (node->role == IMPORT_MODEL)
		node->model = import_string(chat->import, values[CHATS_MODEL]);
	else
		chats_keep(chat, "model", values[CHATS_MODEL]);
	node->created = import_time(chat->import, unwrapped(values[CHATS_CREATED]));
	chats_think(chat, import_string(chat->import, values[TO_TRACE]));
	chats_add(chat, import_string(chat->import, values[TO_MESSAGE]));
	chats_link(chat, chat->number, chat->list);
	chats_rest(chat, response, &response_fields);
	return chats_end(chat, err);
}

static bool names_no_parent(struct loom_str responses)
{
	struct loom_jwalk walk = loom_jval_walk(responses);
	struct loom_str entry;

	while (loom_jwalk_next(&walk, NULL, &entry))
		if (!loom_jval_is_null(
			    loom_jval_get(loom_jval_get(entry, "response"), "parent_response_id")))
			return false;
	return true;
}

static bool begin(struct chats *chat, struct loom_str entry, struct loom_str *responses)
{
	struct loom_str about = loom_jval_get(entry, "conversation");
	struct loom_str values[IMPORT_TO_MAX];

	*responses = loom_jval_get(entry, "responses");
	if (loom_jval_type(*responses) != LOOM_JTYPE_ARRAY || !loom_jval_count(*responses)) {
		import_note(chat->import, IMPORT_LOST, "conversation without messages");
		return false;
	}
	import_take(about, &about_fields, values);
	values[CHATS_CREATED] = unwrapped(values[CHATS_CREATED]);
	chat->list = names_no_parent(*responses);
	chats_start(chat, about, &about_fields, values);
	import_rest(chat->import, entry, &entry_fields, &chat->about);
	return true;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {.what = "response",
					       .root = "start",
					       .begin = begin,
					       .message = read_response};
	static const struct import_fields file = {.where = "file",
						  .used = "conversations:a",
						  .known = "projects tasks media_posts"};
	const struct import_source within = {.name = source->name,
					     .text = import_member(source, "conversations")};
	struct loom_buf rest = IMPORT_BUF(import);
	enum loom_status status = chats_each(import, &within, &form, err);

	import_rest(import, source->first, &file, &rest);
	if (rest.n)
		import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
	return status;
}

const struct import_reader import_grok = {
	.name = "grok",
	.title = "Grok export (prod-grok-backend.json)",
	.recognise = recognise,
	.read = read,
};
