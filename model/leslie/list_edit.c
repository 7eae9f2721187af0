/* Splices changes into the text of a store file.
 *
 * An edit is an offset, how many bytes to remove, and what to insert; edits do not overlap.
 * Everything else stays byte for byte, which preserves unknown keys and another program's layout.
 * Our additions are laid out like the reference's: two blanks per level, one line per value. */
#include "inside.h"

#include <loom/base/json.h>

static const struct loom_str no_text = {NULL, 0};

void model_leslie_edits_init(struct model_leslie_edits *edits, struct model_leslie_doc *doc)
{
	*edits = (struct model_leslie_edits){.doc = doc};
}

static void add_edit(struct model_leslie_edits *edits, struct model_leslie_edit edit)
{
	LOOM_ASSERT(edit.at + edit.drop <= edits->doc->text.n);
	edits->items = loom_arena_grow(edits->doc->arena, edits->items, edits->count, &edits->cap,
				       sizeof(*edits->items));
	edits->items[edits->count++] = edit;
}

static size_t offset_of(const struct model_leslie_edits *edits, const char *p)
{
	LOOM_ASSERT(p >= edits->doc->text.p && p <= edits->doc->text.p + edits->doc->text.n);
	return (size_t)(p - edits->doc->text.p);
}

static void new_line(struct loom_buf *out, int level)
{
	loom_buf_addc(out, '\n');
	loom_buf_add_repeat(out, ' ', 2 * (size_t)level);
}

static void pretty_string(struct loom_buf *out, struct loom_str value, size_t *at)
{
	size_t from = *at;

	LOOM_ASSERT(value.p[*at] == '"');
	(*at)++;
	while (value.p[*at] != '"')
		*at += value.p[*at] == '\\' ? 2 : 1;
	(*at)++;
	loom_buf_add(out, loom_str_sub(value, from, *at - from));
}

static size_t blanks(struct loom_str value, size_t at)
{
	while (at < value.n && strchr(" \n\r\t", value.p[at]))
		at++;
	return at;
}

/* Writes one token of the value; *level follows the brackets. */
static void pretty_token(struct loom_buf *out, struct loom_str value, size_t *at, int *level)
{
	char c = value.p[*at];
	size_t next = blanks(value, *at + 1);
	bool opens = c == '{' || c == '[';

	LOOM_ASSERT(*at < value.n);
	if (c == '"') {
		pretty_string(out, value, at);
		return;
	}
	*at += 1;
	if (opens && next < value.n && (value.p[next] == '}' || value.p[next] == ']')) {
		loom_buf_addc(out, c);
		loom_buf_addc(out, value.p[next]);
		*at = next + 1;
		return;
	}
	if (c == '}' || c == ']')
		new_line(out, --*level);
	loom_buf_addc(out, c);
	if (c == ':')
		loom_buf_addc(out, ' ');
	if (opens)
		++*level;
	if (opens || c == ',')
		new_line(out, *level);
}

void model_leslie_pretty(struct loom_buf *out, struct loom_str value, int level)
{
	size_t at = blanks(value, 0);

	while (at < value.n) {
		pretty_token(out, value, &at, &level);
		at = blanks(value, at);
	}
}

/* Returns how many containers are open at a place: the level of a value there. */
static int level_at(const struct model_leslie_edits *edits, size_t at)
{
	struct loom_str text = edits->doc->text;
	size_t from = at;

	LOOM_ASSERT(at <= edits->doc->text.n);
	/* Our layout and the reference's show the level by indentation; in any other, assume the
	 * depth of records. */
	while (from > 0 && text.p[from - 1] != '\n')
		from--;
	return (int)((blanks(text, from) - from) / 2);
}

/* Replaces `old`, a value of the text, by `value`, which is laid out again. */
static void replace(struct model_leslie_edits *edits, struct loom_str old, struct loom_str value)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t at = offset_of(edits, old.p);

	LOOM_ASSERT(old.n > 0);
	model_leslie_pretty(&buf, value, level_at(edits, at));
	add_edit(edits, (struct model_leslie_edit){.at = at,
						   .drop = old.n,
						   .put = loom_arena_buf(edits->doc->arena, &buf)});
	loom_buf_fini(&buf);
}

/* Returns whether another edit adds something at this place. */
static bool adds_at(const struct model_leslie_edits *edits, size_t at)
{
	for (size_t i = 0; i < edits->count; i++) {
		if (edits->items[i].at == at && edits->items[i].drop == 0)
			return true;
	}
	return false;
}

static void add_line(struct model_leslie_edits *edits, struct model_leslie_edit edit, int level,
		     struct loom_str line)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (edit.put.n)
		loom_buf_add(&buf, edit.put);
	new_line(&buf, level);
	loom_buf_add(&buf, line);
	edit.put = loom_arena_buf(edits->doc->arena, &buf);
	add_edit(edits, edit);
	loom_buf_fini(&buf);
}

/* Adds a line to a container whose last value ends at `last` (SIZE_MAX: it is empty). */
static void append_line(struct model_leslie_edits *edits, struct loom_str container, size_t last,
			int level, struct loom_str line)
{
	size_t close = offset_of(edits, container.p) + container.n - 1;
	bool empty = last == SIZE_MAX;
	size_t at = empty ? close : last;
	bool first = empty && !adds_at(edits, at);

	LOOM_ASSERT(container.n >= 2);
	add_line(edits,
		 (struct model_leslie_edit){.at = at, .put = first ? no_text : LOOM_STR(",")},
		 level, line);
	if (first)
		add_line(edits, (struct model_leslie_edit){.at = close, .late = true}, level - 1,
			 no_text);
}

/* Returns `"key": value`, or just the value for an element. */
static struct loom_str spell(struct model_leslie_edits *edits, struct loom_str key,
			     struct loom_str value, int level)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str line = no_text;

	if (key.p) {
		loom_json_quote(key, &buf);
		loom_buf_adds(&buf, ": ");
	}
	model_leslie_pretty(&buf, value, level);
	line = loom_arena_buf(edits->doc->arena, &buf);
	loom_buf_fini(&buf);
	return line;
}

static size_t end_of(const struct model_leslie_edits *edits, struct loom_str value)
{
	return offset_of(edits, value.p) + value.n;
}

static size_t last_end(const struct model_leslie_edits *edits, struct loom_str container)
{
	struct loom_jwalk walk = loom_jval_walk(container);
	struct loom_str value = no_text;
	size_t last = SIZE_MAX;

	while (loom_jwalk_next(&walk, NULL, &value))
		last = end_of(edits, value);
	return last;
}

/* Returns the document's root object, without what surrounds it. */
static struct loom_str root_of(const struct model_leslie_edits *edits)
{
	return loom_str_trim(edits->doc->text);
}

void model_leslie_edit_branch(struct model_leslie_edits *edits, const char *name,
			      struct loom_str value)
{
	const struct model_leslie_doc *doc = edits->doc;
	size_t last = doc->count ? end_of(edits, doc->branches[doc->count - 1].value) : SIZE_MAX;

	append_line(edits, root_of(edits), last, 1, spell(edits, loom_str_of(name), value, 1));
}

void model_leslie_edit_append(struct model_leslie_edits *edits, const char *name,
			      struct loom_str key, struct loom_str value)
{
	const struct model_leslie_branch *branch = model_leslie_doc_branch(edits->doc, name);
	size_t last = SIZE_MAX;

	LOOM_ASSERT(branch);
	if (branch->count)
		last = end_of(edits, branch->items[branch->count - 1].value);
	append_line(edits, branch->value, last, 2, spell(edits, key, value, 2));
}

void model_leslie_edit_set(struct model_leslie_edits *edits, struct loom_str object,
			   const char *key, struct loom_str value)
{
	struct loom_str old = model_leslie_member(object, key);
	int level = 0;

	LOOM_ASSERT(object.n > 0 && object.p[0] == '{');
	if (old.p) {
		replace(edits, old, value);
		return;
	}
	level = level_at(edits, offset_of(edits, object.p)) + 1;
	append_line(edits, object, last_end(edits, object), level,
		    spell(edits, loom_str_of(key), value, level));
}

static bool holds_text(struct loom_str array, struct loom_str text)
{
	struct loom_jwalk walk = loom_jval_walk(array);
	struct loom_str value = no_text;

	while (loom_jwalk_next(&walk, NULL, &value)) {
		if (loom_jval_says(value, text))
			return true;
	}
	return false;
}

void model_leslie_edit_add_text(struct model_leslie_edits *edits, struct loom_str object,
				const char *key, struct loom_str text)
{
	struct loom_str array = model_leslie_member(object, key);
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int level = 0;

	if (loom_jval_type(array) == LOOM_JTYPE_ARRAY) {
		level = level_at(edits, offset_of(edits, array.p)) + 1;
		loom_json_quote(text, &buf);
		if (!holds_text(array, text))
			append_line(edits, array, last_end(edits, array), level,
				    loom_arena_buf(edits->doc->arena, &buf));
	} else {
		loom_buf_addc(&buf, '[');
		loom_json_quote(text, &buf);
		loom_buf_addc(&buf, ']');
		model_leslie_edit_set(edits, object, key, loom_buf_str(&buf));
	}
	loom_buf_fini(&buf);
}

void model_leslie_edit_drop_text(struct model_leslie_edits *edits, struct loom_str object,
				 const char *key, struct loom_str text)
{
	struct loom_str array = model_leslie_member(object, key);
	struct loom_jwalk walk = loom_jval_walk(array);
	struct loom_str value = no_text;
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (loom_jval_type(array) != LOOM_JTYPE_ARRAY || !holds_text(array, text))
		return;
	loom_buf_addc(&buf, '[');
	while (loom_jwalk_next(&walk, NULL, &value)) {
		if (loom_jval_says(value, text))
			continue;
		if (buf.n > 1)
			loom_buf_addc(&buf, ',');
		loom_buf_add(&buf, value);
	}
	loom_buf_addc(&buf, ']');
	replace(edits, array, loom_buf_str(&buf));
	loom_buf_fini(&buf);
}

static int by_place(const void *left, const void *right)
{
	const struct model_leslie_edit *a = left;
	const struct model_leslie_edit *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (int)a->late - (int)b->late;
}

/* Insertion sort: stable, and a command has few edits. */
static void sort_edits(struct model_leslie_edits *edits)
{
	for (size_t i = 1; i < edits->count; i++) {
		struct model_leslie_edit edit = edits->items[i];
		size_t at = i;

		while (at > 0 && by_place(&edits->items[at - 1], &edit) > 0) {
			edits->items[at] = edits->items[at - 1];
			at--;
		}
		edits->items[at] = edit;
	}
}

struct loom_str *model_leslie_edits_pieces(struct model_leslie_edits *edits, size_t *out_count)
{
	struct loom_str text = edits->doc->text;
	struct loom_str *pieces =
		LOOM_ARENA_ARRAY(edits->doc->arena, 2 * edits->count + 1, struct loom_str);
	size_t count = 0;
	size_t at = 0;

	sort_edits(edits);
	for (size_t i = 0; i < edits->count; i++) {
		const struct model_leslie_edit *edit = &edits->items[i];

		LOOM_ASSERT(edit->at >= at);
		pieces[count++] = loom_str_sub(text, at, edit->at - at);
		pieces[count++] = edit->put;
		at = edit->at + edit->drop;
	}
	pieces[count++] = loom_str_sub(text, at, SIZE_MAX);
	*out_count = count;
	return pieces;
}

void model_leslie_edits_apply(struct model_leslie_edits *edits, struct loom_buf *out)
{
	size_t count = 0;
	const struct loom_str *pieces = model_leslie_edits_pieces(edits, &count);

	for (size_t i = 0; i < count; i++)
		loom_buf_add(out, pieces[i]);
}
