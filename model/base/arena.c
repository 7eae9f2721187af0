/* Arenas: a list of blocks; items are cut from the newest. A large item gets its own block behind
 * the newest, so that the room left there is not wasted. */
#include <loom/base/arena.h>

#include <stdalign.h>

#if defined(LOOM_TINY)
#define BLOCK_SIZE ((size_t)64)
#else
#define BLOCK_SIZE ((size_t)32768)
#endif
/* An arena on pages may hold a lot, so it uses few, large blocks. */
#define BLOCK_MAX ((size_t)64 << 20)

struct block {
	struct block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) char bytes[];
};

struct loom_arena {
	struct block *newest;
	struct loom_pages *pages; /* NULL: plain memory */
	size_t total;             /* bytes in its blocks */
};

static struct block *block_create(struct loom_arena *arena, size_t size)
{
	struct block *block = NULL;

	if (size > SIZE_MAX - sizeof *block)
		size = SIZE_MAX - sizeof *block;
	block = arena->pages ? loom_pages_take(arena->pages, sizeof *block + size)
			     : loom_alloc(sizeof *block + size);
	block->size = size;
	LOOM_ASSERT(block->used == 0);
	arena->total += size;
	return block;
}

struct loom_arena *loom_arena_create(void)
{
	return loom_arena_create_on(NULL);
}

struct loom_arena *loom_arena_create_on(struct loom_pages *pages)
{
	struct loom_arena *arena = loom_alloc(sizeof *arena);

	arena->pages = pages;
	return arena;
}

static void free_block(struct loom_arena *arena, struct block *block)
{
	arena->total -= block->size;
	if (arena->pages)
		loom_pages_return(arena->pages, block, sizeof *block + block->size);
	else
		free(block);
}

static void free_blocks(struct loom_arena *arena, struct block *block)
{
	while (block) {
		struct block *next = block->next;

		free_block(arena, block);
		block = next;
	}
}

void loom_arena_destroy(struct loom_arena *arena)
{
	if (!arena)
		return;
	free_blocks(arena, arena->newest);
	free(arena);
}

void loom_arena_reset(struct loom_arena *arena)
{
	struct block *kept = arena->newest;

	if (!kept)
		return;
	free_blocks(arena, kept->next);
	kept->next = NULL;
	if (kept->size > BLOCK_SIZE) {
		free_block(arena, kept);
		arena->newest = NULL;
		return;
	}
	LOOM_ASSERT(kept->used <= kept->size);
	memset(kept->bytes, 0, kept->used);
	kept->used = 0;
}

#if !defined(LOOM_ARENA_MALLOC)
static size_t block_size(const struct loom_arena *arena)
{
	const size_t part = arena->pages ? arena->total / 4 : 0;

	return part < BLOCK_SIZE ? BLOCK_SIZE : part < BLOCK_MAX ? part : BLOCK_MAX;
}
#endif

static struct block *block_for(struct loom_arena *arena, size_t size)
{
	struct block *newest = arena->newest;
	struct block *fresh = NULL;

#if !defined(LOOM_ARENA_MALLOC)
	const size_t usual = block_size(arena);

	if (newest && size <= newest->size - newest->used)
		return newest;
	if (newest && size > usual / 4) {
		fresh = block_create(arena, size);
		fresh->next = newest->next;
		newest->next = fresh;
		return fresh;
	}
	fresh = block_create(arena, size > usual ? size : usual);
#else
	fresh = block_create(arena, size);
#endif
	fresh->next = newest;
	arena->newest = fresh;
	return fresh;
}

void *loom_arena_alloc(struct loom_arena *arena, size_t size)
{
	const size_t unit = alignof(max_align_t);
	struct block *block = NULL;
	void *p = NULL;

	if (size > SIZE_MAX - unit)
		size = SIZE_MAX - unit;
#if !defined(LOOM_ARENA_MALLOC)
	size = (size + unit - 1) / unit * unit;
#endif
	block = block_for(arena, size);
	LOOM_ASSERT(size <= block->size - block->used);
	p = block->bytes + block->used;
	block->used += size;
	LOOM_ASSERT((uintptr_t)p % unit == 0);
	return p;
}

void *loom_arena_array(struct loom_arena *arena, size_t count, size_t size)
{
	size_t bytes = 0;

	if (__builtin_mul_overflow(count, size, &bytes))
		bytes = SIZE_MAX;
	return loom_arena_alloc(arena, bytes);
}

void *loom_arena_grow(struct loom_arena *arena, void *items, size_t count, size_t *cap, size_t size)
{
	void *larger = NULL;

	LOOM_ASSERT(count <= *cap && size > 0);
	if (count < *cap)
		return items;
	*cap = *cap ? *cap * 2 : 8;
	larger = loom_arena_array(arena, *cap, size);
	if (count)
		memcpy(larger, items, count * size);
	return larger;
}

char *loom_arena_cstr(struct loom_arena *arena, struct loom_str s)
{
	char *copy = loom_arena_alloc(arena, s.n + 1);

	LOOM_ASSERT(loom_str_ok(s));
	if (s.n)
		memcpy(copy, s.p, s.n);
	return copy;
}

struct loom_str loom_arena_str(struct loom_arena *arena, struct loom_str s)
{
	return loom_str_make(loom_arena_cstr(arena, s), s.n);
}

struct loom_str loom_arena_buf(struct loom_arena *arena, const struct loom_buf *buf)
{
	return loom_arena_str(arena, loom_buf_str(buf));
}

struct loom_str loom_arena_format(struct loom_arena *arena, const char *format, ...)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy;
	va_list args;

	va_start(args, format);
	loom_buf_addfv(&buf, format, args);
	va_end(args);
	LOOM_ASSERT(loom_buf_ok(&buf));
	copy = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	return copy;
}
