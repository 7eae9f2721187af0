/* Resolves records between messages that become no node: their children attach to the nearest kept
 * ancestor. Invariants: one number per record, sorted once, as there may be millions; each lookup
 * shortens the walked chain, so that a long one is walked once; a cycle resolves to nothing. */
#include <loom/base/sort.h>

#include "inside.h"

/* The end of a cycle. */
#define NOTHING UINT32_MAX

static size_t size_of_links(const struct import_chain *chain)
{
	return chain->cap * sizeof *chain->links;
}

static size_t size_of_ends(const struct import_chain *chain)
{
	return chain->count * sizeof *chain->ends;
}

void import_chain_fini(struct import_chain *chain)
{
	loom_pages_return(import_pages(chain->import), chain->links, size_of_links(chain));
	loom_pages_return(import_pages(chain->import), chain->ends, size_of_ends(chain));
}

void import_chain_add(struct import_chain *chain, struct loom_str record)
{
	const struct loom_str id = chain->id(chain, record);
	const size_t old = size_of_links(chain);

	if (!id.n)
		return;
	if (chain->count == chain->cap) {
		chain->cap = chain->cap ? chain->cap * 2 : 256;
		chain->links = loom_pages_resize(import_pages(chain->import), chain->links, old,
						 size_of_links(chain));
	}
	chain->links[chain->count++] =
		import_hash(chain->import, id) | (uint32_t)(record.p - chain->text.p);
}

void import_chain_settle(struct import_chain *chain)
{
	loom_sort_u64(chain->links, chain->count);
	chain->ends = loom_pages_take(import_pages(chain->import), size_of_ends(chain));
}

static struct loom_str record_of(const struct import_chain *chain, size_t link)
{
	struct loom_str rest =
		loom_str_sub(chain->text, (uint32_t)chain->links[link], chain->text.n);
	struct loom_str line = {NULL, 0};

	(void)loom_str_line(&rest, &line);
	return loom_str_trim(line);
}

static struct loom_str parent_of(const struct import_chain *chain, size_t link)
{
	return chain->parent(chain, record_of(chain, link));
}

/* SIZE_MAX if it is not in the chain. */
static size_t find(const struct import_chain *chain, struct loom_str id)
{
	const uint64_t hash = import_hash(chain->import, id);

	for (size_t at = loom_lower_u64(chain->links, chain->count, hash);
	     at < chain->count && (chain->links[at] ^ hash) >> 32 == 0; at++)
		if (loom_str_eq(chain->id(chain, record_of(chain, at)), id))
			return at;
	return SIZE_MAX;
}

/* The record at the end of the chain above this one. */
static uint32_t end_of(const struct import_chain *chain, size_t link)
{
	size_t steps = 0;

	while (!chain->ends[link]) {
		const size_t next = find(chain, parent_of(chain, link));

		if (next == SIZE_MAX)
			return (uint32_t)link + 1;
		if (steps++ > chain->count)
			return NOTHING;
		link = next;
	}
	return chain->ends[link];
}

struct loom_str import_chain_find(struct import_chain *chain, struct loom_str id)
{
	const size_t first = chain->count && id.n ? find(chain, id) : SIZE_MAX;
	uint32_t end = 0;

	if (first == SIZE_MAX)
		return id;
	end = end_of(chain, first);
	for (size_t link = first; link != SIZE_MAX && !chain->ends[link];
	     link = find(chain, parent_of(chain, link)))
		chain->ends[link] = end;
	return end == NOTHING ? LOOM_STR("") : parent_of(chain, end - 1);
}
