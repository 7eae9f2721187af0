/* The headers of nodes as a run first showed them. Invariants: a header never changes once
 * stored; the table uses open addressing, at most half full. The caller knows when a run begins
 * and ends. */
#include "inside.h"

struct head {
	int64_t node; /* 0: empty */
	struct loom_str text;
};

struct loom_heads {
	struct loom_arena *arena;
	struct head *items;
	size_t count;
	size_t cap; /* a power of two, or 0 */
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

static struct head *place_of(struct head *items, size_t cap, int64_t node)
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
	struct head *items = loom_alloc(cap * sizeof *items);

	LOOM_ASSERT(heads->count * 2 >= heads->cap);
	for (size_t i = 0; i < heads->cap; i++)
		if (heads->items[i].node)
			*place_of(items, cap, heads->items[i].node) = heads->items[i];
	free(heads->items);
	heads->items = items;
	heads->cap = cap;
}

struct loom_str model_heads_find(const struct loom_heads *heads, int64_t node)
{
	return heads && heads->cap ? place_of(heads->items, heads->cap, node)->text
				   : loom_str_make(NULL, 0);
}

void model_heads_keep(struct loom_heads *heads, int64_t node, struct loom_str text)
{
	struct head *head = NULL;

	if (!heads)
		return;
	if (heads->count * 2 >= heads->cap)
		grow(heads);
	head = place_of(heads->items, heads->cap, node);
	if (head->node)
		return;
	*head = (struct head){node, loom_arena_str(heads->arena, text)};
	heads->count++;
	LOOM_ASSERT(heads->count * 2 <= heads->cap);
}
