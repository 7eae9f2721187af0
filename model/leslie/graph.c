/* Finds who references whom, and whether another reference would close a circle.
 *
 * Breadth first from the target with an explicit queue and parent links: no recursion, and the
 * circle reported is a shortest one. Relations of threads that do not exist count, because a thread
 * with that id may be created or return. */
#include "inside.h"

struct visit {
	struct loom_str id;
	size_t from; /* index of the previous visit */
};

/* Up to this many relations are searched one by one; beyond that an index is built. */
#define FEW 16

struct search {
	const struct loom_leslie *leslie;
	struct loom_arena *arena;
	struct model_leslie_map relations; /* index into the branch; empty: not built yet */
	size_t looked;
	struct model_leslie_map seen;
	const struct model_leslie_branch *branch;
	struct visit *queue;
	size_t count;
	size_t cap;
};

static void meet(struct search *search, struct loom_str id, size_t from)
{
	LOOM_ASSERT(search->count == 0 || from < search->count);
	if (model_leslie_map_find(&search->seen, id) != SIZE_MAX)
		return;
	model_leslie_map_set(search->arena, &search->seen, id, search->count);
	search->queue = loom_arena_grow(search->arena, search->queue, search->count, &search->cap,
					sizeof(*search->queue));
	search->queue[search->count++] = (struct visit){.id = id, .from = from};
}

static const struct model_leslie_item *find_relation(struct search *search, struct loom_str id)
{
	size_t index = 0;

	LOOM_ASSERT(search->branch);
	if (search->looked++ < FEW)
		return model_leslie_branch_find(search->branch, id);
	if (!search->relations.count)
		for (size_t i = 0; i < search->branch->count; i++)
			model_leslie_map_set(search->arena, &search->relations,
					     search->branch->items[i].key, i);
	index = model_leslie_map_find(&search->relations, id);
	return index == SIZE_MAX ? NULL : &search->branch->items[index];
}

static void follow(struct search *search, size_t at)
{
	const struct model_leslie_item *relation = NULL;
	struct loom_str *targets = NULL;
	size_t count = 0;

	LOOM_ASSERT(at < search->count);
	if (search->branch)
		relation = find_relation(search, search->queue[at].id);
	if (!relation)
		return;
	targets = model_leslie_texts(search->arena,
				     model_leslie_member(relation->value, "references_to"), &count);
	for (size_t i = 0; i < count; i++)
		meet(search, targets[i], at);
}

/* Returns the index of the visit that reached `from`, or SIZE_MAX. */
static size_t look_for(struct search *search, struct loom_str from)
{
	for (size_t at = 0; at < search->count; at++) {
		if (loom_str_eq(search->queue[at].id, from))
			return at;
		follow(search, at);
	}
	return SIZE_MAX;
}

/* Writes from → target → … → from, rotated to start with the smallest id. */
static void spell(const struct search *search, size_t end, struct loom_arena *arena,
		  struct loom_str **out_circle, size_t *out_count)
{
	size_t length = 1;
	size_t smallest = 0;
	struct loom_str *steps = NULL;
	struct loom_str *circle = NULL;

	LOOM_ASSERT(end < search->count);
	for (size_t at = end; at != 0; at = search->queue[at].from)
		length++;
	/* queue[end] is `from`, queue[0] the target; walking back from `from` gives the rest. */
	length = end == 0 ? 1 : length;
	steps = LOOM_ARENA_ARRAY(arena, length, struct loom_str);
	steps[0] = search->queue[end].id;
	for (size_t at = end, i = length; i > 1; i--) {
		at = search->queue[at].from;
		steps[i - 1] = search->queue[at].id;
	}
	for (size_t i = 1; i < length; i++) {
		if (loom_str_cmp(steps[i], steps[smallest]) < 0)
			smallest = i;
	}
	circle = LOOM_ARENA_ARRAY(arena, length + 1, struct loom_str);
	for (size_t i = 0; i <= length; i++)
		circle[i] = loom_arena_str(arena, steps[(smallest + i) % length]);
	LOOM_ASSERT(length > 0 && smallest < length);
	*out_circle = circle;
	*out_count = length + 1;
}

bool model_leslie_closes_circle(const struct loom_leslie *leslie, struct loom_str from,
				struct loom_str target, struct loom_arena *arena,
				struct loom_str **out_circle, size_t *out_count)
{
	struct search search = {
		.leslie = leslie,
		.arena = loom_arena_create(),
		.branch = model_leslie_doc_branch(&leslie->relations.doc, "relations"),
	};
	size_t end = SIZE_MAX;

	LOOM_ASSERT(out_circle && out_count);
	meet(&search, target, 0);
	end = look_for(&search, from);
	if (end != SIZE_MAX)
		spell(&search, end, arena, out_circle, out_count);
	loom_arena_destroy(search.arena);
	return end != SIZE_MAX;
}
