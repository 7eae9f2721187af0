/* What the readers of chats share.
 * Invariants: a message's text is what it said; what it called, thought or showed beside that is
 * named in the text and kept whole in extra.
 * Leaves to others which fields a format has, and who is whose parent. */
#include <loom/base/hash.h>

#include "inside.h"

#define LOOK_MAX 100

/* ---- looking ---- */

void tool_talk_pick(struct loom_str object, const struct tool_talk_pick *picks, size_t count)
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

struct loom_str tool_talk_either(struct loom_import *import, struct loom_str object,
				 const char *first, const char *second)
{
	struct loom_str text = tool_import_text(import, object, first);

	return text.n ? text : tool_import_text(import, object, second);
}

bool tool_talk_true(struct loom_str value)
{
	return loom_str_is(value, "true");
}

struct tool_talk_walk tool_talk_walk(const struct tool_import_source *source)
{
	struct loom_str value = loom_jval_of(source->text);

	if (loom_jval_type(value) == LOOM_JTYPE_ARRAY)
		return (struct tool_talk_walk){.walk = loom_jval_walk(value)};
	return (struct tool_talk_walk){.only = value};
}

bool tool_talk_walk_next(struct tool_talk_walk *walk, struct loom_str *out)
{
	if (!walk->only.p)
		return loom_jwalk_next(&walk->walk, NULL, out);
	if (!walk->only.n)
		return false;
	*out = walk->only;
	walk->only.n = 0;
	return true;
}

bool tool_talk_has_in_list(const struct tool_import_source *source, const char *key,
			   enum loom_jtype type)
{
	struct tool_talk_walk walk;
	struct loom_str item;

	if (tool_import_has(source, key, type))
		return true;
	if (!source->json)
		return false;
	walk = tool_talk_walk(source);
	for (int i = 0; i < LOOK_MAX && tool_talk_walk_next(&walk, &item); i++)
		if (loom_jval_type(loom_jval_get(item, key)) == type)
			return true;
	return false;
}

/* ---- lines ---- */

void tool_talk_lines(struct tool_talk_lines *lines, struct loom_import *import,
		     struct loom_str text)
{
	*lines = (struct tool_talk_lines){.import = import, .rest = text, .begin = text.p};
}

/* Whether a line is an object. One in which a key stands twice says two things at once: that is an
 * error, as in any JSON, and the place is that in the file. */
static enum loom_status check_object(const struct tool_talk_lines *lines, struct loom_str line,
				     bool *out, struct loom_err *err)
{
	struct tool_import_pull *pull = NULL;
	struct loom_json_keys *keys = NULL;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	struct loom_err twice = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	*out = false;
	if (!line.n || line.p[0] != '{')
		return LOOM_OK;
	pull = loom_alloc(sizeof *pull);
	keys = loom_json_keys_create();
	tool_import_pull_init(pull, line);
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

enum loom_status tool_talk_line(struct tool_talk_lines *lines, struct loom_str *out,
				struct loom_err *err)
{
	struct loom_str line;

	*out = (struct loom_str){NULL, 0};
	while (loom_str_line(&lines->rest, &line)) {
		struct loom_str held = loom_str_trim(line);
		enum loom_status status =
			tool_import_at(lines->import, (size_t)(line.p - lines->begin) + line.n,
				       err);
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
			tool_import_note(lines->import, TOOL_IMPORT_LOST,
					 "line %lld, which is no JSON object: cut or damaged",
					 (long long)lines->number);
	}
	return LOOM_OK;
}

/* ---- a message in the making ---- */

void tool_talk_init(struct tool_talk *chat, struct loom_import *import)
{
	struct loom_buf *const all[] = {&chat->text,  &chat->thought,    &chat->inner,
					&chat->about, &chat->generation, &chat->before,
					&chat->root,  &chat->whole[0],   &chat->whole[1]};

	*chat = (struct tool_talk){.import = import};
	for (size_t i = 0; i < LOOM_COUNT(all); i++)
		loom_buf_init_on(all[i], LOOM_BUF_MAX, tool_import_pages(import));
	tool_talk_begin(chat);
}

void tool_talk_fini(struct tool_talk *chat)
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

enum loom_status tool_talk_each(struct loom_import *import, const struct tool_import_source *source,
				const struct tool_talk_form *form, struct loom_err *err)
{
	struct tool_talk chat;
	struct tool_talk_walk walk = tool_talk_walk(source);
	struct loom_str object;
	enum loom_status status = LOOM_OK;

	tool_talk_init(&chat, import);
	while (status == LOOM_OK && tool_talk_walk_next(&walk, &object)) {
		struct loom_str messages = form->messages(object);

		status = tool_import_at(import, (size_t)(object.p - source->text.p), err);
		if (status == LOOM_OK && loom_jval_type(messages) == form->type)
			status = form->read(&chat, object, messages, err);
		else if (status == LOOM_OK)
			tool_import_note(import, TOOL_IMPORT_LOST, "%s", form->lost);
	}
	tool_talk_fini(&chat);
	return status;
}

void tool_talk_begin(struct tool_talk *chat)
{
	chat->node = (struct tool_import_node){.kind = LOOM_CONTINUATION};
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

void tool_talk_add(struct tool_talk *chat, struct loom_str paragraph)
{
	add_paragraph(&chat->text, paragraph);
}

void tool_talk_rest(struct tool_talk *chat, struct loom_str object,
		    const struct tool_import_fields *fields)
{
	tool_import_rest(chat->import, object, fields, &chat->inner);
}

void tool_talk_about(struct tool_talk *chat, struct loom_str object,
		     const struct tool_import_fields *fields)
{
	loom_buf_clear(&chat->before);
	loom_buf_clear(&chat->root);
	loom_buf_clear(&chat->about);
	tool_import_rest(chat->import, object, fields, &chat->about);
}

static void place_about(struct tool_talk *chat)
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

void tool_talk_link(struct tool_talk *chat, size_t number, bool list)
{
	struct loom_arena *arena = tool_import_scratch(chat->import);
	struct tool_import_node *node = &chat->node;

	node->anonymous = !node->id.n;
	if (node->anonymous)
		node->id = loom_arena_format(arena, "message-%zu", number);
	if (list)
		node->parent = loom_arena_buf(arena, &chat->before);
	loom_buf_clear(&chat->before);
	loom_buf_add(&chat->before, node->id);
}

struct loom_str tool_talk_id(struct loom_import *import, struct loom_str parent, bool human,
			     struct loom_str text)
{
	const struct loom_str parts[] = {parent, human ? LOOM_STR("/human/") : LOOM_STR("/other/"),
					 text};
	struct loom_hash hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_str id;

	loom_hex(hash.bytes, 12, &hex);
	id = loom_arena_buf(tool_import_scratch(import), &hex);
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
	tool_import_keep(import, value, out);
}

void tool_talk_keep(struct tool_talk *chat, const char *key, struct loom_str value)
{
	keep_in(chat->import, &chat->inner, key, value);
}

void tool_talk_record(struct tool_talk *chat, const char *key, struct loom_str value)
{
	keep_in(chat->import, &chat->generation, key, value);
}

enum tool_import_role tool_talk_role(struct loom_str word)
{
	static const enum tool_import_role roles[] = {
		[LOOM_SPEAKER_UNKNOWN] = TOOL_IMPORT_UNKNOWN,
		[LOOM_SPEAKER_HUMAN] = TOOL_IMPORT_HUMAN,
		[LOOM_SPEAKER_MODEL] = TOOL_IMPORT_MODEL,
		[LOOM_SPEAKER_SYSTEM] = TOOL_IMPORT_SYSTEM,
		[LOOM_SPEAKER_TOOL] = TOOL_IMPORT_TOOL,
	};

	return roles[loom_speaker_of(word)];
}

void tool_talk_speaker(struct tool_talk *chat, struct loom_str word)
{
	chat->node.role = tool_talk_role(word);
	if (chat->node.role == TOOL_IMPORT_UNKNOWN)
		chat->node.author = word;
}

/* As an object, or nothing when it has no members. */
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

/* The scratch is let go here, so that memory goes by the node. */
enum loom_status tool_talk_end(struct tool_talk *chat, struct loom_err *err)
{
	bool thought = !chat->text.n && chat->thought.n;
	enum loom_status status = LOOM_OK;

	chat->node.text = loom_buf_str(thought ? &chat->thought : &chat->text);
	chat->node.excluded |= thought;
	if (chat->results && !chat->others)
		chat->node.role = TOOL_IMPORT_TOOL;
	place_about(chat);
	if (!chat->node.parent.n)
		chat->node.parent = loom_buf_str(&chat->root);
	chat->node.generation = as_object(&chat->whole[0], &chat->generation);
	chat->node.extra = as_object(&chat->whole[1], &chat->inner);
	if (chat->text.bad || chat->thought.bad || chat->whole[0].bad || chat->whole[1].bad ||
	    chat->inner.bad || chat->generation.bad)
		return loom_fail(err, LOOM_LIMIT, "a message of more than 1 GiB");
	status = tool_import_node(chat->import, &chat->node, err);
	loom_arena_reset(tool_import_scratch(chat->import));
	return status;
}

enum loom_status tool_talk_root(struct tool_talk *chat, struct loom_str id, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	tool_talk_begin(chat);
	chat->node.id = id;
	chat->node.anonymous = true;
	chat->node.role = TOOL_IMPORT_SYSTEM;
	status = tool_talk_end(chat, err);
	loom_buf_add(&chat->root, id);
	return status;
}

enum loom_status tool_talk_about_end(struct tool_talk *chat, struct loom_err *err)
{
	return chat->about.n ? tool_talk_root(chat, LOOM_STR("root"), err) : LOOM_OK;
}

enum loom_status tool_talk_mark(struct loom_import *import, struct loom_str id,
				enum tool_import_mark_kind kind, struct loom_str text,
				struct loom_err *err)
{
	struct tool_import_mark mark = {.id = id, .kind = kind, .text = text};

	return id.n ? tool_import_mark(import, &mark, err) : LOOM_OK;
}

enum loom_status tool_talk_places(struct loom_import *import, struct loom_str ids,
				  struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(ids);
	struct tool_import_mark mark = {.kind = TOOL_IMPORT_PLACE};
	const bool several = loom_jval_count(ids) > 1;
	struct loom_str value;
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(ids) != LOOM_JTYPE_ARRAY)
		return LOOM_OK;
	for (; status == LOOM_OK && loom_jwalk_next(&walk, NULL, &value); mark.number++) {
		mark.id = loom_jval_type(value) == LOOM_JTYPE_NUMBER
				  ? value
				  : tool_import_string(import, value);
		if (mark.id.n && several)
			status = tool_import_mark(import, &mark, err);
		else if (!mark.id.n && !loom_jval_is_null(value))
			tool_import_note(import, TOOL_IMPORT_LOST, "a child that is no id");
	}
	return status;
}
