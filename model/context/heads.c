/* The headers of nodes as a thread first showed them. Invariants: a header never changes once
 * stored; the table, by node, has the number of each one in the list, and is at most half full.
 * What is in the log is known from shown.c. */
#include "inside.h"

struct loom_heads {
	struct loom_arena *arena;
	struct model_head *items;
	size_t count;
	size_t cap;
	uint32_t *table; /* a number from 1; 0: empty */
	size_t size;     /* a power of two, or 0 */
	struct loom_str since;
};

struct loom_heads *loom_heads_create(void)
{
	struct loom_heads *heads = loom_alloc(sizeof *heads);

	heads->arena = loom_arena_create();
	return heads;
}

void loom_heads_destroy(struct loom_heads *heads)
{
	if (!heads)
		return;
	loom_arena_destroy(heads->arena);
	free(heads->table);
	free(heads);
}

static uint32_t *place_of(const struct loom_heads *heads, int64_t node)
{
	const size_t last = heads->size - 1;
	size_t at = (size_t)((uint64_t)node * 0x9E3779B97F4A7C15u >> 20) & last;

	LOOM_ASSERT(heads->size > 0 && (heads->size & last) == 0);
	while (heads->table[at] && heads->items[heads->table[at] - 1].node != node)
		at = (at + 1) & last;
	return &heads->table[at];
}

void model_heads_expect(struct loom_heads *heads, size_t count)
{
	const size_t most = heads->count + count;
	size_t size = heads->size ? heads->size : 64;

	while (size < 2 * most)
		size *= 2;
	if (size == heads->size)
		return;
	free(heads->table);
	heads->table = loom_alloc(size * sizeof *heads->table);
	heads->size = size;
	for (size_t i = 0; i < heads->count; i++)
		*place_of(heads, heads->items[i].node) = (uint32_t)i + 1;
}

const struct model_head *model_heads_find(const struct loom_heads *heads, int64_t node)
{
	const uint32_t number = heads->size ? *place_of(heads, node) : 0;

	LOOM_ASSERT(number <= heads->count);
	return number ? &heads->items[number - 1] : NULL;
}

/* Returns a node's header; it is added with this text if there is none. */
static struct model_head *head_of(struct loom_heads *heads, int64_t node, struct loom_str text)
{
	uint32_t *place = NULL;

	model_heads_expect(heads, 1);
	place = place_of(heads, node);
	if (!*place) {
		LOOM_ASSERT(heads->count < UINT32_MAX);
		heads->items = loom_arena_grow(heads->arena, heads->items, heads->count,
					       &heads->cap, sizeof *heads->items);
		heads->items[heads->count++] =
			(struct model_head){.node = node,
					    .text = loom_arena_str(heads->arena, text),
					    .at_ms = LOOM_TIME_NONE};
		*place = (uint32_t)heads->count;
	}
	return &heads->items[*place - 1];
}

void model_heads_keep(struct loom_heads *heads, int64_t node, struct loom_str text)
{
	(void)head_of(heads, node, text);
}

void model_heads_log(struct loom_heads *heads, int64_t node, struct loom_str text, int64_t at_ms)
{
	struct model_head *head = head_of(heads, node, text);

	if (!head->logged)
		head->at_ms = at_ms;
	head->logged = true;
}

/* By node: the same headers give the same bytes. */
static int by_node(const void *a, const void *b)
{
	const struct model_head *const *x = a;
	const struct model_head *const *y = b;

	return ((*x)->node > (*y)->node) - ((*x)->node < (*y)->node);
}

size_t model_heads_new(const struct loom_heads *heads, struct loom_json *json)
{
	const struct model_head **list = loom_alloc((heads->count + 1) * sizeof *list);
	size_t count = 0;

	for (size_t i = 0; i < heads->count; i++)
		if (!heads->items[i].logged)
			list[count++] = &heads->items[i];
	qsort(list, count, sizeof(*list), by_node);
	for (size_t i = 0; i < count; i++) {
		loom_json_array(json);
		loom_json_number(json, list[i]->node);
		loom_json_text(json, list[i]->text);
		loom_json_end_array(json);
	}
	free(list);
	return count;
}

struct loom_str model_heads_since(const struct loom_heads *heads)
{
	return heads->since;
}

void model_heads_keep_since(struct loom_heads *heads, struct loom_str line)
{
	heads->since = loom_arena_str(heads->arena, line);
	if (!heads->since.p)
		heads->since = LOOM_STR("");
}

/* ---- connections ---- */

static void add_tie(struct loom_buf *out, size_t begin, int64_t count, const char *one,
		    const char *many)
{
	LOOM_ASSERT(begin <= out->n);
	if (count <= 0)
		return;
	if (out->n > begin)
		loom_buf_adds(out, " · ");
	loom_show_many(count, one, many, out);
}

void model_ties_add(const struct loom_node *node, int64_t children, const struct loom_ties *ties,
		    struct loom_buf *out)
{
	size_t begin = 0;

	loom_buf_addc(out, '\n');
	begin = out->n;
	add_tie(out, begin, children, "continuation", "continuations");
	add_tie(out, begin, ties->notes, "annotation", "annotations");
	if (node->bookmarked)
		loom_buf_adds(out, out->n > begin ? " · bookmarked" : "bookmarked");
	add_tie(out, begin, ties->links, "link", "links");
	LOOM_ASSERT(out->n >= begin);
	if (out->n == begin)
		loom_buf_cut(out, begin - 1);
}
