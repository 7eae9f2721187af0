/* Builds a node's extra: its source and original id, then the unknown members, and at the root
 * those of the tree. Invariant: each key is unique. If a file uses one of our names, or the same
 * name in two places that merge here, the later one gets a number, so that no reader of the JSON
 * loses a member. */
#include "write_tree.h"

struct member {
	struct loom_str key; /* decoded */
	struct loom_str value;
	size_t at;
};

struct members {
	struct loom_arena *arena;
	struct loom_pages *pages;
	struct member *items;
	size_t count;
	size_t cap;
};

static void add(struct members *members, struct loom_str key, struct loom_str value)
{
	members->items = loom_arena_grow(members->arena, members->items, members->count,
					 &members->cap, sizeof *members->items);
	members->items[members->count] = (struct member){key, value, members->count};
	members->count++;
}

static void add_text(struct members *members, const char *key, struct loom_str text)
{
	struct loom_buf value = LOOM_BUF_INIT_ON(SIZE_MAX / 4, members->pages);

	loom_json_quote(text, &value);
	add(members, loom_str_of(key), loom_arena_buf(members->arena, &value));
	loom_buf_fini(&value);
}

static void add_all(struct members *members, struct loom_str object)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str key;
	struct loom_str value;

	while (walk.object && loom_jwalk_next(&walk, &key, &value))
		add(members, loom_jval_text(key, members->arena), value);
}

/* ---- unique keys ---- */

static int by_key(const void *a, const void *b)
{
	const struct member *x = a;
	const struct member *y = b;

	return loom_str_cmp(x->key, y->key);
}

static int by_key_and_place(const void *a, const void *b)
{
	const struct member *x = a;
	const struct member *y = b;
	const int keys = by_key(a, b);

	return keys ? keys : (x->at > y->at) - (x->at < y->at);
}

/* The key with the first number that is free. */
static struct loom_str numbered(struct members *members, const struct member *sorted,
				struct loom_str key, size_t *number)
{
	struct member wanted;

	do
		wanted.key =
			loom_arena_format(members->arena, "%.*s %zu", LOOM_STR_ARG(key), ++*number);
	while (bsearch(&wanted, sorted, members->count, sizeof *sorted, by_key));
	return wanted.key;
}

static void name_once(struct members *members)
{
	struct member *sorted = LOOM_ARENA_ARRAY(members->arena, members->count, struct member);
	size_t number = 1;

	memcpy(sorted, members->items, members->count * sizeof *sorted);
	qsort(sorted, members->count, sizeof *sorted, by_key_and_place);
	for (size_t i = 1; i < members->count; i++) {
		if (!loom_str_eq(sorted[i].key, sorted[i - 1].key))
			number = 1;
		else
			members->items[sorted[i].at].key =
				numbered(members, sorted, sorted[i].key, &number);
	}
}

static struct loom_str object_of(struct members *members)
{
	struct loom_buf out = LOOM_BUF_INIT_ON(SIZE_MAX / 4, members->pages);
	struct loom_str made;

	name_once(members);
	loom_buf_addc(&out, '{');
	for (size_t i = 0; i < members->count; i++) {
		if (i)
			loom_buf_addc(&out, ',');
		loom_json_quote(members->items[i].key, &out);
		loom_buf_addc(&out, ':');
		loom_buf_add(&out, members->items[i].value);
	}
	loom_buf_addc(&out, '}');
	made = loom_arena_buf(members->arena, &out);
	loom_buf_fini(&out);
	return made;
}

/* ---- assembling ---- */

static struct loom_str file_of(const struct import_writing *w, const struct import_tree_state *tree)
{
	struct loom_buf object = LOOM_BUF_INIT_ON(SIZE_MAX / 4, w->import->pages);
	struct members members = {.arena = w->arena, .pages = w->import->pages};
	struct loom_str made;

	loom_buf_addc(&object, '{');
	loom_buf_add(&object, import_spill_at(&w->import->spill, tree->beside, tree->beside_size));
	loom_buf_addc(&object, '}');
	add_all(&members, loom_buf_str(&object));
	made = object_of(&members);
	loom_buf_fini(&object);
	return made;
}

struct loom_str import_extra(const struct import_writing *w, const struct import_tree_state *tree,
			     const struct import_entry *entry, const struct import_read *read)
{
	struct members members = {.arena = w->arena, .pages = w->import->pages};
	const bool root = !entry || entry == import_entry_at(w->import, tree->root);

	if (entry && entry->flags & IMPORT_ENTRY_EXACT)
		return loom_str_trim(read->text[IMPORT_TEXT_EXTRA]);
	add_text(&members, "source", loom_str_of(w->import->files[tree->file].reader->name));
	if (entry && read->text[IMPORT_TEXT_ID].n && !(entry->flags & IMPORT_ENTRY_NO_NAME))
		add_text(&members, "source_id", read->text[IMPORT_TEXT_ID]);
	if (entry && read->head.role == IMPORT_TOOL && read->text[IMPORT_TEXT_AUTHOR].n)
		add_text(&members, "role", LOOM_STR("tool"));
	if (read)
		add_all(&members, loom_str_trim(read->text[IMPORT_TEXT_EXTRA]));
	if (root && tree->beside_size)
		add(&members, LOOM_STR("file"), file_of(w, tree));
	return object_of(&members);
}
