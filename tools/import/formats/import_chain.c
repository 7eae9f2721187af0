/* Records between messages that become no node: who hangs on one hangs on what it hangs
 * on. Invariants: sorted once, each look is a search and a walk that shortens what it walked, so
 * that a long chain is walked once; a circle ends at nothing. */
#include "inside.h"

struct link {
	struct loom_str id;
	struct loom_str parent;
};

struct tool_chain {
	struct loom_arena *arena;
	struct link *links;
	size_t count;
	size_t cap;
};

struct tool_chain *tool_chain_create(void)
{
	struct tool_chain *chain = loom_alloc(sizeof *chain);

	chain->arena = loom_arena_create();
	return chain;
}

void tool_chain_destroy(struct tool_chain *chain)
{
	if (!chain)
		return;
	loom_arena_destroy(chain->arena);
	free(chain);
}

void tool_chain_add(struct tool_chain *chain, struct loom_str id, struct loom_str parent)
{
	if (!id.n)
		return;
	chain->links = loom_arena_grow(chain->arena, chain->links, chain->count, &chain->cap,
				       sizeof *chain->links);
	chain->links[chain->count++] = (struct link){loom_arena_str(chain->arena, id),
						     loom_arena_str(chain->arena, parent)};
}

static int by_id(const void *a, const void *b)
{
	return loom_str_cmp(((const struct link *)a)->id, ((const struct link *)b)->id);
}

void tool_chain_settle(struct tool_chain *chain)
{
	if (chain->count)
		qsort(chain->links, chain->count, sizeof *chain->links, by_id);
}

static struct link *find(struct tool_chain *chain, struct loom_str id)
{
	struct link wanted = {.id = id};

	return chain->count
		       ? bsearch(&wanted, chain->links, chain->count, sizeof *chain->links, by_id)
		       : NULL;
}

struct loom_str tool_chain_find(struct tool_chain *chain, struct loom_str id)
{
	struct loom_str end = id;
	size_t steps = 0;

	for (struct link *link = find(chain, end); link; link = find(chain, end)) {
		end = link->parent;
		if (steps++ > chain->count)
			end = LOOM_STR("");
	}
	for (struct link *link = find(chain, id); link && link->parent.n && steps--;) {
		struct loom_str next = link->parent;

		link->parent = end;
		link = find(chain, next);
	}
	return end;
}
