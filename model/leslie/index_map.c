/* Maps texts to numbers: open addressing, at most half full, memory from an arena. */
#include "inside.h"

static size_t hash_of(struct loom_str key)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < key.n; i++)
		hash = (hash ^ (unsigned char)key.p[i]) * UINT64_C(1099511628211);
	return (size_t)(hash ^ hash >> 32);
}

/* Returns the slot of a key, or the free one where it belongs. */
static struct model_leslie_slot *slot_of(const struct model_leslie_map *map, struct loom_str key)
{
	size_t at = hash_of(key) & (map->cap - 1);

	LOOM_ASSERT(map->cap && (map->cap & (map->cap - 1)) == 0);
	while (map->slots[at].key.p && !loom_str_eq(map->slots[at].key, key))
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

static void grow(struct loom_arena *arena, struct model_leslie_map *map)
{
	struct model_leslie_map old = *map;

	LOOM_ASSERT(2 * (map->count + 1) > map->cap);
	map->cap = old.cap ? 2 * old.cap : 64;
	map->slots = LOOM_ARENA_ARRAY(arena, map->cap, struct model_leslie_slot);
	for (size_t i = 0; i < old.cap; i++) {
		if (old.slots[i].key.p)
			*slot_of(map, old.slots[i].key) = old.slots[i];
	}
}

void model_leslie_map_set(struct loom_arena *arena, struct model_leslie_map *map,
			  struct loom_str key, size_t value)
{
	struct model_leslie_slot *slot = NULL;

	LOOM_ASSERT(key.p);
	if (2 * (map->count + 1) > map->cap)
		grow(arena, map);
	LOOM_ASSERT(2 * (map->count + 1) <= map->cap);
	slot = slot_of(map, key);
	map->count += slot->key.p == NULL;
	*slot = (struct model_leslie_slot){.key = key, .value = value};
}

size_t model_leslie_map_find(const struct model_leslie_map *map, struct loom_str key)
{
	const struct model_leslie_slot *slot = map->cap ? slot_of(map, key) : NULL;

	return slot && slot->key.p ? slot->value : SIZE_MAX;
}
