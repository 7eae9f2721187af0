/* Shared by the readers of chats. Invariants: a message's text is what was said; calls, thoughts
 * and attachments are named in it and kept whole in extra. The readers decide which fields a format
 * has and who is whose parent. */
#include <loom/base/hash.h>
#include <loom/base/utf8.h>

#include <loom/formats/chats_kit.h>

#define LOOK_MAX 100
/* The length of a title made from a message. */
#define TITLE_BYTES 60

/* ---- looking up members ---- */

void chats_pick(struct loom_str object, const struct chats_pick *picks, size_t count)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str key;
	struct loom_str value;

	for (size_t i = 0; i < count; i++)
		*picks[i].out = (struct loom_str){NULL, 0};
	if (!walk.object)
		return;
	while (loom_jwalk_next(&walk, &key, &value))
		for (size_t i = 0; i < count; i++)
			if (!picks[i].out->p && loom_jval_says(key, loom_str_of(picks[i].key)))
				*picks[i].out = value;
}

struct loom_str chats_either(struct loom_import *import, struct loom_str object, const char *first,
			     const char *second)
{
	struct loom_str text = import_text(import, object, first);

	return text.n ? text : import_text(import, object, second);
}

bool chats_true(struct loom_str value)
{
	return loom_str_is(value, "true");
}

struct chats_walk chats_walk(const struct import_source *source)
{
	struct loom_str value = loom_jval_of(source->text);

	if (loom_jval_type(value) == LOOM_JTYPE_ARRAY)
		return (struct chats_walk){.walk = loom_jval_walk(value)};
	return (struct chats_walk){.only = value};
}

bool chats_walk_next(struct chats_walk *walk, struct loom_str *out)
{
	if (!walk->only.p)
		return loom_jwalk_next(&walk->walk, NULL, out);
	if (!walk->only.n)
		return false;
	*out = walk->only;
	walk->only.n = 0;
	return true;
}

bool chats_has_in_list(const struct import_source *source, const char *key, enum loom_jtype type)
{
	struct chats_walk walk;
	struct loom_str item;

	if (import_has(source, key, type))
		return true;
	if (!source->json)
		return false;
	walk = chats_walk(source);
	for (int i = 0; i < LOOK_MAX && chats_walk_next(&walk, &item); i++)
		if (loom_jval_type(loom_jval_get(item, key)) == type)
			return true;
	return false;
}

/* ---- lines ---- */

void chats_lines(struct chats_lines *lines, struct loom_import *import, struct loom_str text)
{
	*lines = (struct chats_lines){.import = import, .rest = text, .begin = text.p};
}

/* Whether a line is an object. A duplicate key makes it ambiguous and is an error, as in any JSON,
 * with its place in the file. */
static enum loom_status check_object(const struct chats_lines *lines, struct loom_str line,
				     bool *out, struct loom_err *err)
{
	struct import_pull *pull = NULL;
	struct loom_json_keys *keys = NULL;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	struct loom_err twice = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	*out = false;
	if (!line.n || line.p[0] != '{')
		return LOOM_OK;
	pull = loom_alloc(sizeof *pull);
	keys = loom_json_keys_create();
	import_pull_init(pull, lines->import, line);
	do {
		status = loom_json_read(&pull->reader, &token, NULL);
		if (status == LOOM_OK && twice.status == LOOM_OK)
			(void)!loom_json_keys_take(keys, &pull->reader, &token, &twice);
	} while (status == LOOM_OK && token.kind != LOOM_JSON_DONE);
	loom_json_keys_destroy(keys);
	free(pull);
	*out = status == LOOM_OK;
	if (status != LOOM_OK || twice.status == LOOM_OK)
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "line %lld: %s", (long long)lines->number, twice.text);
	if (err)
		err->at = (size_t)(line.p - lines->begin) + twice.at;
	return LOOM_INVALID;
}

enum loom_status chats_line(struct chats_lines *lines, struct loom_str *out, struct loom_err *err)
{
	struct loom_str line;

	*out = (struct loom_str){NULL, 0};
	while (loom_str_line(&lines->rest, &line)) {
		struct loom_str held = loom_str_trim(line);
		enum loom_status status =
			import_at(lines->import, (size_t)(line.p - lines->begin) + line.n, err);
		bool object = false;

		lines->number++;
		if (status == LOOM_OK)
			status = check_object(lines, held, &object, err);
		if (status != LOOM_OK)
			return status;
		if (object) {
			*out = held;
			return LOOM_OK;
		}
		if (held.n)
			import_note(lines->import, IMPORT_LOST,
				    "line %lld, which is not a JSON object: truncated or damaged",
				    (long long)lines->number);
	}
	return LOOM_OK;
}

/* ---- building a message ---- */

void chats_init(struct chats *chat, struct loom_import *import)
{
	struct loom_buf *const all[] = {&chat->text,  &chat->thought,    &chat->inner,
					&chat->about, &chat->generation, &chat->before,
					&chat->root,  &chat->whole[0],   &chat->whole[1]};

	*chat = (struct chats){.import = import};
	for (size_t i = 0; i < LOOM_COUNT(all); i++)
		loom_buf_init_on(all[i], LOOM_BUF_MAX, import_pages(import));
	chats_begin(chat);
}

void chats_fini(struct chats *chat)
{
	loom_buf_fini(&chat->text);
	loom_buf_fini(&chat->thought);
	loom_buf_fini(&chat->inner);
	loom_buf_fini(&chat->generation);
	loom_buf_fini(&chat->about);
	loom_buf_fini(&chat->before);
	loom_buf_fini(&chat->root);
	for (size_t i = 0; i < LOOM_COUNT(chat->whole); i++)
		loom_buf_fini(&chat->whole[i]);
}

void chats_begin(struct chats *chat)
{
	chat->node = (struct import_node){.kind = LOOM_CONTINUATION};
	loom_buf_clear(&chat->text);
	loom_buf_clear(&chat->thought);
	loom_buf_clear(&chat->inner);
	loom_buf_clear(&chat->generation);
	chat->results = 0;
	chat->others = 0;
	chat->plain = true;
}

static void add_paragraph(struct loom_buf *out, struct loom_str paragraph)
{
	if (!paragraph.n)
		return;
	if (out->n)
		loom_buf_adds(out, "\n\n");
	loom_buf_add(out, paragraph);
}

void chats_add(struct chats *chat, struct loom_str paragraph)
{
	add_paragraph(&chat->text, paragraph);
}

void chats_rest(struct chats *chat, struct loom_str object, const struct import_fields *fields)
{
	import_rest(chat->import, object, fields, &chat->inner);
}

void chats_about(struct chats *chat, struct loom_str object, const struct import_fields *fields)
{
	loom_buf_clear(&chat->before);
	loom_buf_clear(&chat->root);
	loom_buf_clear(&chat->about);
	import_rest(chat->import, object, fields, &chat->about);
}

static void place_about(struct chats *chat)
{
	if (chat->node.parent.n || !chat->about.n)
		return;
	if (chat->inner.n)
		loom_buf_addc(&chat->inner, ',');
	loom_buf_adds(&chat->inner, "\"conversation\":{");
	loom_buf_add(&chat->inner, loom_buf_str(&chat->about));
	loom_buf_addc(&chat->inner, '}');
	loom_buf_clear(&chat->about);
}

static struct loom_str version_id(struct chats *chat, size_t number, size_t version)
{
	struct loom_arena *arena = import_scratch(chat->import);

	return version ? loom_arena_format(arena, "message-%zu-%zu", number, version)
		       : loom_arena_format(arena, "message-%zu", number);
}

void chats_link(struct chats *chat, size_t number, bool list)
{
	struct loom_arena *arena = import_scratch(chat->import);
	struct import_node *node = &chat->node;

	node->anonymous = !node->id.n;
	if (node->anonymous)
		node->id = version_id(chat, number, 0);
	if (list)
		node->parent = loom_arena_buf(arena, &chat->before);
	loom_buf_clear(&chat->before);
	loom_buf_add(&chat->before, node->id);
}

void chats_version(struct chats *chat, size_t number, size_t version)
{
	chat->node.id = version_id(chat, number, version);
	chat->node.anonymous = true;
	chat->node.parent = loom_arena_buf(import_scratch(chat->import), &chat->before);
}

void chats_chosen(struct chats *chat, size_t number, size_t version)
{
	loom_buf_clear(&chat->before);
	loom_buf_add(&chat->before, version_id(chat, number, version));
}

struct loom_str chats_id(struct loom_import *import, struct loom_str parent, bool human,
			 struct loom_str text)
{
	const struct loom_str parts[] = {parent, human ? LOOM_STR("/human/") : LOOM_STR("/other/"),
					 text};
	struct loom_hash hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_str id;

	loom_hex(hash.bytes, 12, &hex);
	id = loom_arena_buf(import_scratch(import), &hex);
	loom_buf_fini(&hex);
	return id;
}

static void keep_in(struct loom_import *import, struct loom_buf *out, const char *key,
		    struct loom_str value)
{
	if (loom_jval_is_null(value))
		return;
	if (out->n)
		loom_buf_addc(out, ',');
	loom_json_quote(loom_str_of(key), out);
	loom_buf_addc(out, ':');
	import_keep(import, value, out);
}

void chats_keep(struct chats *chat, const char *key, struct loom_str value)
{
	keep_in(chat->import, &chat->inner, key, value);
}

void chats_record(struct chats *chat, const char *key, struct loom_str value)
{
	keep_in(chat->import, &chat->generation, key, value);
}

enum import_role chats_role(struct loom_str word)
{
	static const enum import_role roles[] = {
		[LOOM_SPEAKER_UNKNOWN] = IMPORT_UNKNOWN, [LOOM_SPEAKER_HUMAN] = IMPORT_HUMAN,
		[LOOM_SPEAKER_MODEL] = IMPORT_MODEL,     [LOOM_SPEAKER_SYSTEM] = IMPORT_SYSTEM,
		[LOOM_SPEAKER_TOOL] = IMPORT_TOOL,
	};

	return roles[loom_speaker_of(word)];
}

void chats_speaker(struct chats *chat, struct loom_str word)
{
	chat->node.role = chats_role(word);
	if (chat->node.role == IMPORT_UNKNOWN)
		chat->node.author = word;
}

struct loom_str chats_words(struct loom_import *import, struct loom_str text)
{
	struct loom_str said = loom_str_trim(text);
	struct loom_str line = loom_str_sub(said, 0, loom_str_find_char(said, '\n', 0));
	struct loom_str words = loom_str_trim(loom_utf8_clip(line, TITLE_BYTES));

	return loom_arena_format(import_scratch(import), "%.*s%s", LOOM_STR_ARG(words),
				 line.n > TITLE_BYTES ? "…" : "");
}

static void title_by_words(struct chats *chat)
{
	struct import_tree tree = {.mode = LOOM_DIALOGUE};

	if (!chat->untitled || chat->node.role != IMPORT_HUMAN || !chat->text.n)
		return;
	tree.title = chats_words(chat->import, loom_buf_str(&chat->text));
	import_retitle(chat->import, &tree);
	chat->untitled = !tree.title.n;
}

/* The members as an object; empty if there are none. */
static struct loom_str as_object(struct loom_buf *out, const struct loom_buf *members)
{
	loom_buf_clear(out);
	if (!members->n)
		return LOOM_STR("");
	loom_buf_addc(out, '{');
	loom_buf_add(out, loom_buf_str(members));
	loom_buf_addc(out, '}');
	return loom_buf_str(out);
}

/* Empties the scratch arena after each node, to bound memory. */
enum loom_status chats_end(struct chats *chat, struct loom_err *err)
{
	bool thought = !chat->text.n && chat->thought.n;
	enum loom_status status = LOOM_OK;

	chat->node.text = loom_buf_str(thought ? &chat->thought : &chat->text);
	chat->node.excluded |= thought;
	if (chat->results && !chat->others)
		chat->node.role = IMPORT_TOOL;
	title_by_words(chat);
	place_about(chat);
	if (!chat->node.parent.n)
		chat->node.parent = loom_buf_str(&chat->root);
	if (chat->node.role == IMPORT_MODEL && !chat->node.model.n)
		chat->node.model = import_string(chat->import, chat->model);
	chat->node.generation = as_object(&chat->whole[0], &chat->generation);
	chat->node.extra = as_object(&chat->whole[1], &chat->inner);
	if (chat->text.bad || chat->thought.bad || chat->whole[0].bad || chat->whole[1].bad ||
	    chat->inner.bad || chat->generation.bad)
		return loom_fail(err, LOOM_LIMIT, "a message larger than 1 GiB");
	status = import_node(chat->import, &chat->node, err);
	loom_arena_reset(import_scratch(chat->import));
	return status;
}

enum loom_status chats_root(struct chats *chat, struct loom_str id, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	chats_begin(chat);
	chat->node.id = id;
	chat->node.anonymous = true;
	chat->node.role = IMPORT_SYSTEM;
	status = chats_end(chat, err);
	loom_buf_add(&chat->root, id);
	return status;
}

static enum loom_status about_end(struct chats *chat, struct loom_err *err)
{
	return chat->about.n ? chats_root(chat, LOOM_STR("root"), err) : LOOM_OK;
}

enum loom_status chats_mark(struct loom_import *import, struct loom_str id,
			    enum import_mark_kind kind, struct loom_str text, struct loom_err *err)
{
	struct import_mark mark = {.id = id, .kind = kind, .text = text};

	return id.n ? import_mark(import, &mark, err) : LOOM_OK;
}

enum loom_status chats_places(struct loom_import *import, struct loom_str ids, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(ids);
	struct import_mark mark = {.kind = IMPORT_PLACE};
	const bool several = loom_jval_count(ids) > 1;
	struct loom_str value;
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(ids) != LOOM_JTYPE_ARRAY)
		return LOOM_OK;
	for (; status == LOOM_OK && loom_jwalk_next(&walk, NULL, &value); mark.number++) {
		mark.id = loom_jval_type(value) == LOOM_JTYPE_NUMBER ? value
								     : import_string(import, value);
		if (mark.id.n && several)
			status = import_mark(import, &mark, err);
		else if (!mark.id.n && !loom_jval_is_null(value))
			import_note(import, IMPORT_LOST, "a child that is not an id");
	}
	return status;
}

/* ---- whole conversations ---- */

/* Reads an id; the ids of some formats may be numbers. */
static struct loom_str id_of(const struct chats *chat, struct loom_str value)
{
	if (chat->numbers && loom_jval_type(value) == LOOM_JTYPE_NUMBER)
		return loom_str_is(value, "-1") ? LOOM_STR("") : value;
	return import_string(chat->import, value);
}

void chats_take(struct chats *chat, struct loom_str message, const struct import_fields *fields,
		struct loom_str values[IMPORT_TO_MAX])
{
	struct import_node *node = &chat->node;

	chats_begin(chat);
	import_take(message, fields, values);
	node->id = id_of(chat, values[CHATS_ID]);
	node->parent = id_of(chat, values[CHATS_PARENT]);
	chats_speaker(chat, import_string(chat->import, values[CHATS_SPEAKER]));
	node->model = import_string(chat->import, values[CHATS_MODEL]);
	node->created = import_time(chat->import, values[CHATS_CREATED]);
}

void chats_tree(struct chats *chat, const struct loom_str values[IMPORT_TO_MAX],
		struct import_tree *tree)
{
	const struct {
		struct loom_str *text;
		enum chats_to from;
	} texts[] = {
		{&tree->title, CHATS_TITLE},
		{&tree->system, CHATS_SYSTEM},
		{&tree->description, CHATS_DESCRIPTION},
	};

	tree->mode = LOOM_DIALOGUE;
	if (!tree->id.n)
		tree->id = id_of(chat, values[CHATS_ID]);
	for (size_t i = 0; i < LOOM_COUNT(texts); i++)
		if (!texts[i].text->n)
			*texts[i].text = import_string(chat->import, values[texts[i].from]);
	if (!tree->created)
		tree->created = import_time(chat->import, values[CHATS_CREATED]);
}

void chats_start(struct chats *chat, struct loom_str object, const struct import_fields *fields,
		 const struct loom_str values[IMPORT_TO_MAX])
{
	struct import_tree tree = {.id = {NULL, 0}};

	chats_tree(chat, values, &tree);
	chats_about(chat, object, fields);
	chat->current = values[CHATS_CURRENT];
	chat->untitled = !tree.title.n;
	import_begin(chat->import, &tree);
}

enum loom_status chats_finish(struct chats *chat, struct loom_err *err)
{
	enum loom_status status = about_end(chat, err);

	return status == LOOM_OK ? chats_mark(chat->import, id_of(chat, chat->current),
					      IMPORT_CURRENT, LOOM_STR(""), err)
				 : status;
}

static enum loom_status read_messages(struct chats *chat, const struct chats_form *form,
				      struct loom_str messages, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(messages);
	struct loom_str key = {NULL, 0};
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	if (form->root)
		status = chats_root(chat, loom_str_of(form->root), err);
	for (chat->number = 0; status == LOOM_OK && loom_jwalk_next(&walk, &key, &message);
	     chat->number++) {
		status = import_here(chat->import, message, err);
		if (status == LOOM_OK && loom_jval_type(message) == LOOM_JTYPE_OBJECT)
			status = form->message(chat, key, message, err);
		else if (status == LOOM_OK)
			import_note(chat->import, IMPORT_LOST, "%s that is not an object",
				    form->what);
	}
	return status == LOOM_OK ? chats_finish(chat, err) : status;
}

enum loom_status chats_each(struct loom_import *import, const struct import_source *source,
			    const struct chats_form *form, struct loom_err *err)
{
	struct chats chat;
	struct chats_walk walk = chats_walk(source);
	struct loom_str object;
	struct loom_str messages;
	enum loom_status status = LOOM_OK;

	chats_init(&chat, import);
	chat.numbers = form->numbers;
	while (status == LOOM_OK && chats_walk_next(&walk, &object)) {
		status = import_at(import, (size_t)(object.p - source->text.p), err);
		if (status == LOOM_OK && form->begin(&chat, object, &messages))
			status = read_messages(&chat, form, messages, err);
	}
	chats_fini(&chat);
	return status;
}
