/* The local ids of a tree that comes from an export of ours, while it is read: two nodes of one id
 * are one too many for the store. A set of numbers; where they stand in it nobody else can say. */
#include "import_frame.h"

static uint64_t key_of(const struct loom_local *local)
{
	uint64_t x = (uint64_t)local->num * 0x9E3779B97F4A7C15u;

	x = (x ^ x >> 29) + (uint64_t)local->prime;
	x = (x ^ x >> 32) * 0xBF58476D1CE4E5B9u;
	x ^= x >> 31;
	return x ? x : 1;
}

static uint64_t *slot_of(const struct tool_locals *set, uint64_t key)
{
	size_t at = (size_t)key & (set->size - 1);

	while (set->slots[at] && set->slots[at] != key)
		at = (at + 1) & (set->size - 1);
	return &set->slots[at];
}

static void grow(struct tool_locals *set)
{
	const struct tool_locals old = *set;

	set->size = old.size ? old.size * 2 : 1024;
	set->slots = loom_realloc(NULL, set->size, sizeof *set->slots);
	memset(set->slots, 0, set->size * sizeof *set->slots);
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i])
			*slot_of(set, old.slots[i]) = old.slots[i];
	free(old.slots);
}

bool tool_locals_add(struct tool_locals *set, const struct loom_local *local)
{
	const uint64_t key = key_of(local);
	uint64_t *slot;

	if (set->count * 2 >= set->size)
		grow(set);
	slot = slot_of(set, key);
	if (*slot)
		return false;
	*slot = key;
	set->count++;
	return true;
}

void tool_locals_fini(struct tool_locals *set)
{
	free(set->slots);
	*set = (struct tool_locals){.slots = NULL};
}
