/* An index of an object's members by key, for objects as large as a file: one number for each
 * member, sorted by a hash of its key. The hash is keyed, so that a file's author cannot provoke
 * collisions. */
#include <loom/base/sort.h>

#include <loom/import/frame.h>

uint64_t import_hash(const struct loom_import *import, struct loom_str key)
{
	uint64_t x = import->table_key ^ key.n;

	for (size_t i = 0; i < key.n; i++) {
		x = (x ^ (uint8_t)key.p[i]) * (import->table_key | 1);
		x ^= x >> 31;
	}
	return x * 0x94D049BB133111EBu >> 32 << 32;
}

static void add(struct import_index *index, uint64_t item)
{
	const size_t old = index->cap * sizeof item;

	if (index->count == index->cap) {
		index->cap = index->cap ? index->cap * 2 : 256;
		index->items = loom_pages_resize(index->import->pages, index->items, old,
						 index->cap * sizeof item);
	}
	index->items[index->count++] = item;
}

void import_index(struct loom_import *import, struct loom_str object, struct import_index *out)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str key;
	struct loom_str value;

	*out = (struct import_index){.import = import, .object = object};
	while (walk.object && loom_jwalk_next(&walk, &key, &value))
		add(out, import_hash(import, loom_str_sub(key, 1, key.n - 2)) |
				 (uint32_t)(key.p - object.p));
	loom_sort_u64(out->items, out->count);
}

void import_index_fini(struct import_index *index)
{
	if (index->import)
		loom_pages_return(index->import->pages, index->items,
				  index->cap * sizeof *index->items);
	*index = (struct import_index){.import = NULL};
}

size_t import_index_find(const struct import_index *index, struct loom_str key,
			 struct loom_str *out_value)
{
	const uint64_t hash = index->count ? import_hash(index->import, key) : 0;

	for (size_t at = loom_lower_u64(index->items, index->count, hash);
	     at < index->count && (index->items[at] ^ hash) >> 32 == 0; at++) {
		struct loom_jwalk walk = {
			.rest = loom_str_sub(index->object, (uint32_t)index->items[at], SIZE_MAX),
			.object = true,
		};
		struct loom_str name;

		if (loom_jwalk_next(&walk, &name, out_value) &&
		    loom_str_eq(loom_str_sub(name, 1, name.n - 2), key))
			return at;
	}
	*out_value = loom_str_make(NULL, 0);
	return SIZE_MAX;
}
