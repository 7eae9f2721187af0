/* Histories of text-generation-webui: pairs of what a person and the model said, as the model got
 * them ("internal") and as they were shown ("visible"). Invariants: what the model got is the text,
 * and what was shown is kept beside it if it differs; other versions of a message are its siblings.
 * Messages have no ids: the file's name and the order identify them. */
#include <loom/formats/chats_kit.h>

/* It stands for the person before a character greets. */
#define NOTHING_SAID "<|BEGIN-VISIBLE-CHAT|>"

static const struct import_fields file_fields = {
	.where = "history", .used = "internal:a visible:a data:a data_visible:a metadata:o"};

static bool are_pairs(struct loom_str value)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str pair;

	return loom_jval_type(value) == LOOM_JTYPE_ARRAY &&
	       (!loom_jwalk_next(&walk, NULL, &pair) ||
		(loom_jval_type(pair) == LOOM_JTYPE_ARRAY && loom_jval_count(pair) == 2));
}

static bool recognise(const struct import_source *source)
{
	if (!source->json)
		return false;
	return (import_has(source, "internal", LOOM_JTYPE_ARRAY) &&
		import_has(source, "visible", LOOM_JTYPE_ARRAY) &&
		are_pairs(import_member(source, "internal"))) ||
	       (import_has(source, "data", LOOM_JTYPE_ARRAY) &&
		import_has(source, "data_visible", LOOM_JTYPE_ARRAY));
}

/* ---- a message ---- */

/* The metadata of a message, under "user_3" or "assistant_3". */
static struct loom_str about(struct loom_str metadata, bool human, size_t turn)
{
	char key[40];

	snprintf(key, sizeof key, "%s_%zu", human ? "user" : "assistant", turn);
	return loom_jval_get(metadata, key);
}

static const struct import_fields about_fields = {
	.where = "message metadata",
	.used = "timestamp:ns model_name:s versions:a current_version_index:n",
	.known = "attachments thinking"};
static const struct import_fields version_fields = {
	.where = "version",
	.used = "content:s visible_content:s timestamp:ns",
	.known = "thinking"};

struct said {
	struct loom_str text;
	struct loom_str shown;
	struct loom_str about;
	const struct import_fields *fields;
	bool human;
};

static enum loom_status put(struct chats *chat, const struct said *said, size_t version,
			    struct loom_err *err)
{
	chats_begin(chat);
	chats_version(chat, chat->number, version);
	chat->node.role = said->human ? IMPORT_HUMAN : IMPORT_MODEL;
	chat->node.created = import_time_of(loom_jval_get(said->about, "timestamp"));
	if (!chat->node.created)
		chats_keep(chat, "timestamp", loom_jval_get(said->about, "timestamp"));
	if (!said->human)
		chat->node.model = import_text(chat->import, said->about, "model_name");
	chats_add(chat, import_string(chat->import, said->text));
	(void)import_is_odd(chat->import, "message", said->text, "s");
	if (!loom_str_eq(said->text, said->shown))
		chats_keep(chat, "visible", said->shown);
	if (!loom_jval_is_null(said->about))
		chats_rest(chat, said->about, said->fields);
	return chats_end(chat, err);
}

/* The versions of a message; the current one is the message itself. */
static enum loom_status put_versions(struct chats *chat, struct loom_str about, bool human,
				     struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(about, "versions"));
	struct loom_str version;
	int64_t current = -1;
	enum loom_status status = LOOM_OK;

	(void)loom_jval_int(loom_jval_get(about, "current_version_index"), &current);
	for (size_t i = 0;
	     status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &version); i++) {
		const struct said said = {.text = loom_jval_get(version, "content"),
					  .shown = loom_jval_get(version, "visible_content"),
					  .about = version,
					  .fields = &version_fields,
					  .human = human};

		if ((int64_t)i != current)
			status = put(chat, &said, i + 1, err);
		else
			(void)import_unsaid(chat->import, version, &version_fields);
	}
	return status;
}

static enum loom_status put_turn(struct chats *chat, const struct said *said, struct loom_err *err)
{
	enum loom_status status;
	const struct loom_str text = import_string(chat->import, said->text);

	if (said->human && (!text.n || loom_str_is(text, NOTHING_SAID))) {
		(void)import_unsaid(chat->import, said->about, said->fields);
		return LOOM_OK;
	}
	status = put(chat, said, 0, err);
	if (status == LOOM_OK)
		status = put_versions(chat, said->about, said->human, err);
	chats_chosen(chat, chat->number++, 0);
	return status;
}

/* ---- the history ---- */

static void take_pair(struct loom_str pair, struct loom_str out[2])
{
	struct loom_jwalk walk = loom_jval_walk(pair);

	out[0] = (struct loom_str){NULL, 0};
	out[1] = (struct loom_str){NULL, 0};
	if (!walk.object && loom_jwalk_next(&walk, NULL, &out[0]))
		(void)!loom_jwalk_next(&walk, NULL, &out[1]);
}

static enum loom_status put_pair(struct chats *chat, struct loom_str internal,
				 struct loom_str visible, size_t turn, struct loom_err *err)
{
	struct loom_str metadata = chat->current;
	struct loom_str texts[2];
	struct loom_str shown[2];
	enum loom_status status = LOOM_OK;

	take_pair(internal, texts);
	take_pair(visible, shown);
	for (size_t i = 0; status == LOOM_OK && i < 2; i++) {
		const struct said said = {.text = texts[i],
					  .shown = shown[i],
					  .about = about(metadata, i == 0, turn),
					  .fields = &about_fields,
					  .human = i == 0};

		if (!loom_jval_is_null(said.text))
			status = put_turn(chat, &said, err);
	}
	return status;
}

static enum loom_status put_pairs(struct chats *chat, const struct import_source *source,
				  struct loom_err *err)
{
	const bool old = !import_member(source, "internal").p;
	struct loom_jwalk walk = loom_jval_walk(import_member(source, old ? "data" : "internal"));
	struct loom_jwalk shown =
		loom_jval_walk(import_member(source, old ? "data_visible" : "visible"));
	struct loom_str pair;
	enum loom_status status = LOOM_OK;

	for (size_t turn = 0; status == LOOM_OK && loom_jwalk_next(&walk, NULL, &pair); turn++) {
		struct loom_str visible = {NULL, 0};

		(void)!loom_jwalk_next(&shown, NULL, &visible);
		status = import_here(chat->import, pair, err);
		if (status == LOOM_OK)
			status = put_pair(chat, pair, visible, turn, err);
	}
	return status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	const struct import_tree tree = {.id = source->name, .mode = LOOM_DIALOGUE};
	struct chats chat;
	enum loom_status status;

	chats_init(&chat, import);
	import_begin(import, &tree);
	chats_about(&chat, source->first, &file_fields);
	status = chats_root(&chat, LOOM_STR("start"), err);
	chat.current = import_member(source, "metadata");
	if (status == LOOM_OK)
		status = put_pairs(&chat, source, err);
	if (status == LOOM_OK)
		status = chats_mark(import, loom_buf_str(&chat.before), IMPORT_CURRENT,
				    LOOM_STR(""), err);
	chats_fini(&chat);
	return status;
}

const struct import_reader import_textgen = {
	.name = "textgen",
	.title = "text-generation-webui chat history",
	.recognise = recognise,
	.read = read,
};
