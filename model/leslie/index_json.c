/* Checks a store file as JSON and indexes its records.
 *
 * Builds no document: a command needs three of thousands of records, and untouched ones are written
 * back byte for byte. The members of the document and of its branches are recorded as slices of the
 * text, and a record's own members are found by walking it. */
#include "inside.h"

#include <loom/base/json.h>

enum { DEPTH_MAX = 64 };

struct scan {
	struct loom_json_reader reader;
	struct model_leslie_doc *doc;
	struct loom_err *err;
};

static struct loom_str key_of(struct loom_arena *arena, const struct loom_json_token *token)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str key = token->raw;

	if (!token->escaped)
		return key;
	loom_json_decode(token->raw, &buf);
	key = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	return key;
}

/* Indexes the contents of the last branch, after its opening bracket. */
static enum loom_status read_items(struct scan *scan)
{
	struct loom_arena *arena = scan->doc->arena;
	struct model_leslie_branch *branch = &scan->doc->branches[scan->doc->count - 1];
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	enum loom_status status = LOOM_OK;

	for (;;) {
		struct model_leslie_item item = {.key = {NULL, 0}};

		status = loom_json_read(&scan->reader, &token, scan->err);
		if (status != LOOM_OK || token.kind == LOOM_JSON_END_OBJECT ||
		    token.kind == LOOM_JSON_END_ARRAY)
			return status;
		if (token.kind == LOOM_JSON_KEY)
			item.key = key_of(arena, &token);
		status = loom_json_skip(&scan->reader, &token, &item.value, scan->err);
		if (status != LOOM_OK)
			return status;
		branch->items = loom_arena_grow(arena, branch->items, branch->count, &branch->cap,
						sizeof *branch->items);
		branch->items[branch->count++] = item;
	}
}

/* Handles the key of a member of the document. */
static enum loom_status read_branch(struct scan *scan, const struct loom_json_token *key)
{
	struct model_leslie_doc *doc = scan->doc;
	struct loom_json_token first = {.kind = LOOM_JSON_NULL};
	struct model_leslie_branch *branch = NULL;
	enum loom_status status = LOOM_OK;

	doc->branches = loom_arena_grow(doc->arena, doc->branches, doc->count, &doc->cap,
					sizeof *doc->branches);
	branch = &doc->branches[doc->count++];
	*branch = (struct model_leslie_branch){.key = key_of(doc->arena, key)};
	status = loom_json_read(&scan->reader, &first, scan->err);
	if (status == LOOM_OK && (first.kind == LOOM_JSON_OBJECT || first.kind == LOOM_JSON_ARRAY))
		status = read_items(scan);
	branch->value = loom_str_sub(doc->text, first.at, scan->reader.at - first.at);
	return status;
}

static enum loom_status read_all(struct scan *scan)
{
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	enum loom_status status = loom_json_read(&scan->reader, &token, scan->err);

	if (status == LOOM_OK && token.kind != LOOM_JSON_OBJECT)
		return loom_fail(scan->err, LOOM_INVALID, "not a JSON object");
	while (status == LOOM_OK && token.kind != LOOM_JSON_DONE) {
		status = loom_json_read(&scan->reader, &token, scan->err);
		if (status == LOOM_OK && token.kind == LOOM_JSON_KEY)
			status = read_branch(scan, &token);
	}
	return status;
}

enum loom_status model_leslie_doc_read(struct loom_arena *arena, struct loom_str text,
				       struct model_leslie_doc *out, struct loom_err *err)
{
	static const struct loom_json_limits limits = {.bytes = SIZE_MAX,
						       .depth = DEPTH_MAX,
						       .values = SIZE_MAX};
	struct loom_err why = {.status = LOOM_OK};
	struct scan scan = {.doc = out, .err = &why};

	*out = (struct model_leslie_doc){.arena = arena, .text = text};
	loom_json_read_init(&scan.reader, text, &limits);
	scan.reader.loose = true;
	if (read_all(&scan) == LOOM_OK)
		return LOOM_OK;
	/* Nesting beyond the limit makes it invalid, too. */
	loom_fail(err, LOOM_INVALID, "%s", why.text);
	if (err)
		err->at = why.at;
	return LOOM_INVALID;
}

struct model_leslie_branch *model_leslie_doc_branch(const struct model_leslie_doc *doc,
						    const char *key)
{
	for (size_t i = doc->count; i > 0; i--) {
		if (loom_str_is(doc->branches[i - 1].key, key))
			return &doc->branches[i - 1];
	}
	return NULL;
}

const struct model_leslie_item *model_leslie_branch_find(const struct model_leslie_branch *branch,
							 struct loom_str key)
{
	for (size_t i = branch ? branch->count : 0; i > 0; i--) {
		if (branch->items[i - 1].key.p && loom_str_eq(branch->items[i - 1].key, key))
			return &branch->items[i - 1];
	}
	return NULL;
}

struct loom_str model_leslie_branch_at(const struct model_leslie_doc *doc,
				       const struct model_leslie_branch *branch, size_t at)
{
	const char *place = doc->text.p + at;
	const bool list = loom_jval_type(branch->value) == LOOM_JTYPE_ARRAY;
	size_t low = 0;
	size_t high = list ? branch->count : 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (branch->items[middle].value.p <= place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || place >= branch->items[low - 1].value.p + branch->items[low - 1].value.n)
		return (struct loom_str){NULL, 0};
	return branch->items[low - 1].value;
}

/* Of equal keys the last one counts. */
struct loom_str model_leslie_member(struct loom_str object, const char *key)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str found = {NULL, 0};
	struct loom_str name = {NULL, 0};
	struct loom_str value = {NULL, 0};

	while (walk.object && loom_jwalk_next(&walk, &name, &value)) {
		if (loom_jval_says(name, loom_str_of(key)))
			found = value;
	}
	return found;
}

struct loom_str model_leslie_member_text(struct loom_arena *arena, struct loom_str object,
					 const char *key)
{
	return loom_jval_text(model_leslie_member(object, key), arena);
}

struct loom_str *model_leslie_texts(struct loom_arena *arena, struct loom_str array, size_t *count)
{
	struct loom_jwalk walk = loom_jval_walk(array);
	struct loom_str *texts = NULL;
	struct loom_str value = {NULL, 0};
	size_t cap = 0;

	*count = 0;
	while (!walk.object && loom_jwalk_next(&walk, NULL, &value)) {
		struct loom_str text = loom_jval_text(value, arena);

		if (!text.p)
			continue;
		texts = loom_arena_grow(arena, texts, *count, &cap, sizeof(*texts));
		texts[(*count)++] = text;
	}
	return texts;
}
