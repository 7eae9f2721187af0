/* The set of local ids in a tree of a loom export, to detect duplicates, which the store would
 * refuse. Most ids are consecutive, so a slot holds 64 of them, which keeps the set small and
 * lookups local. */
#include <loom/import/frame.h>

enum { ROW_BITS = 6 };

static uint64_t key_of(const struct loom_local *local)
{
	uint64_t x = ((uint64_t)local->num >> ROW_BITS) * 0x9E3779B97F4A7C15u;

	x = (x ^ x >> 29) + (uint64_t)local->prime;
	x = (x ^ x >> 32) * 0xBF58476D1CE4E5B9u;
	x ^= x >> 31;
	return x ? x : 1;
}

static struct import_local_row *row_of(const struct import_locals *set, uint64_t key)
{
	size_t at = (size_t)key & (set->size - 1);

	while (set->rows[at].key && set->rows[at].key != key)
		at = (at + 1) & (set->size - 1);
	return &set->rows[at];
}

static void grow(struct import_locals *set, struct loom_pages *pages)
{
	const struct import_locals old = *set;

	set->size = old.size ? old.size * 2 : 1024;
	set->rows = loom_pages_take(pages, set->size * sizeof *set->rows);
	for (size_t i = 0; i < old.size; i++)
		if (old.rows[i].key)
			*row_of(set, old.rows[i].key) = old.rows[i];
	loom_pages_return(pages, old.rows, old.size * sizeof *old.rows);
}

bool import_locals_add(struct import_locals *set, struct loom_pages *pages,
		       const struct loom_local *local)
{
	const uint64_t bit = (uint64_t)1 << ((uint64_t)local->num & ((1u << ROW_BITS) - 1));
	const uint64_t key = key_of(local);
	struct import_local_row *row;

	if (set->count * 2 >= set->size)
		grow(set, pages);
	row = row_of(set, key);
	if (row->taken & bit)
		return false;
	set->count += !row->key;
	row->key = key;
	row->taken |= bit;
	return true;
}

void import_locals_fini(struct import_locals *set, struct loom_pages *pages)
{
	loom_pages_return(pages, set->rows, set->size * sizeof *set->rows);
	*set = (struct import_locals){.rows = NULL};
}
