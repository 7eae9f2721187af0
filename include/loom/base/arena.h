/* An arena holds the results of one call, one frame or one loaded projection: many allocations, one
 * free.
 *
 * With LOOM_ARENA_MALLOC each item is a malloc of its own, so that a sanitizer can check it. */
#ifndef LOOM_ARENA_H
#define LOOM_ARENA_H

#include <loom/base/base.h>
#include <loom/base/pages.h>
#include <loom/base/str.h>

struct loom_arena;

/* Creates an empty arena; it allocates no block until the first item. Free it with
 * loom_arena_destroy. */
struct loom_arena *loom_arena_create(void) LOOM_MUST;
/* Creates an empty arena whose blocks come from `pages`, for contents as large as a file. `pages`
 * must outlive the arena; NULL means plain memory. Free it with loom_arena_destroy. */
struct loom_arena *loom_arena_create_on(struct loom_pages *pages) LOOM_MUST;
/* Frees the arena and everything allocated from it; NULL is fine. */
void loom_arena_destroy(struct loom_arena *arena);
/* Frees everything allocated from the arena, but keeps one block for reuse. */
void loom_arena_reset(struct loom_arena *arena);

/* Allocates `size` zeroed bytes, aligned for any type; size 0 gives a valid pointer. Lives as long
 * as the arena. */
void *loom_arena_alloc(struct loom_arena *arena, size_t size) LOOM_MUST;
/* Allocates `count` zeroed items of `size` bytes, checking for overflow. Lives as long as the
 * arena. */
void *loom_arena_array(struct loom_arena *arena, size_t count, size_t size) LOOM_MUST;
#define LOOM_ARENA_NEW(arena, type) ((type *)loom_arena_alloc((arena), sizeof(type)))
#define LOOM_ARENA_ARRAY(arena, count, type)                                                       \
	((type *)loom_arena_array((arena), (count), sizeof(type)))

/* Makes room for one more item in a growing array: when `count` has reached *cap, doubles *cap and
 * returns a copy of `items`; otherwise returns `items`. */
void *loom_arena_grow(struct loom_arena *arena, void *items, size_t count, size_t *cap,
		      size_t size) LOOM_MUST;

/* Copies `s` into the arena; a NUL follows its bytes. */
struct loom_str loom_arena_str(struct loom_arena *arena, struct loom_str s);
/* Copies the contents of a buffer into the arena; a NUL follows them. */
struct loom_str loom_arena_buf(struct loom_arena *arena, const struct loom_buf *buf);
/* Copies `s` into the arena as a C string. */
char *loom_arena_cstr(struct loom_arena *arena, struct loom_str s);
/* Formats like printf into a text in the arena. */
struct loom_str loom_arena_format(struct loom_arena *arena, const char *format, ...)
	LOOM_PRINTF(2, 3);

#endif
