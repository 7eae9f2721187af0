/* The headers of nodes as a thread first showed them. Invariants: a header never changes once
 * stored; the table uses open addressing, at most half full. What is in the log is known from
 * shown.c. */
#include "inside.h"

struct loom_heads {
	struct loom_arena *arena;
	struct model_head *items;
	size_t count;
	size_t cap; /* a power of two, or 0 */
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
	free(heads->items);
	free(heads);
}

static struct model_head *place_of(struct model_head *items, size_t cap, int64_t node)
{
	size_t at = (size_t)((uint64_t)node * 0x9E3779B97F4A7C15u >> 20) & (cap - 1);

	LOOM_ASSERT(cap > 0 && (cap & (cap - 1)) == 0);
	while (items[at].node && items[at].node != node)
		at = (at + 1) & (cap - 1);
	return &items[at];
}

static void grow(struct loom_heads *heads)
{
	const size_t cap = heads->cap ? heads->cap * 2 : 64;
	struct model_head *items = loom_alloc(cap * sizeof *items);

	LOOM_ASSERT(heads->count * 2 >= heads->cap);
	for (size_t i = 0; i < heads->cap; i++)
		if (heads->items[i].node)
			*place_of(items, cap, heads->items[i].node) = heads->items[i];
	free(heads->items);
	heads->items = items;
	heads->cap = cap;
}

const struct model_head *model_heads_find(const struct loom_heads *heads, int64_t node)
{
	const struct model_head *head =
		heads->cap ? place_of(heads->items, heads->cap, node) : NULL;

	return head && head->node ? head : NULL;
}

/* Returns the place of a node's header, empty or not. */
static struct model_head *place_for(struct loom_heads *heads, int64_t node)
{
	if (heads->count * 2 >= heads->cap)
		grow(heads);
	return place_of(heads->items, heads->cap, node);
}

static void fill(struct loom_heads *heads, struct model_head *head, int64_t node,
		 struct loom_str text)
{
	*head = (struct model_head){.node = node,
				    .text = loom_arena_str(heads->arena, text),
				    .at_ms = LOOM_TIME_NONE};
	heads->count++;
	LOOM_ASSERT(heads->count * 2 <= heads->cap);
}

void model_heads_keep(struct loom_heads *heads, int64_t node, struct loom_str text)
{
	struct model_head *head = place_for(heads, node);

	if (!head->node)
		fill(heads, head, node, text);
}

void model_heads_log(struct loom_heads *heads, int64_t node, struct loom_str text, int64_t at_ms)
{
	struct model_head *head = place_for(heads, node);

	if (!head->node)
		fill(heads, head, node, text);
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

	for (size_t i = 0; i < heads->cap; i++)
		if (heads->items[i].node && !heads->items[i].logged)
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
