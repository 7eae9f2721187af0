/* Results of one call, one frame or one loaded projection: many allocations, one free.
 *
 * Built with LOOM_ARENA_MALLOC each item is a malloc of its own, so that a sanitizer sees it. */
#ifndef LOOM_ARENA_H
#define LOOM_ARENA_H

#include <loom/base/base.h>
#include <loom/base/pages.h>
#include <loom/base/str.h>

struct loom_arena;

/* An empty arena: it takes no block before the first item. Freed by loom_arena_destroy. */
struct loom_arena *loom_arena_create(void) LOOM_MUST;
/* The same for what may be as large as a file: its memory is taken from `pages`, which outlive it;
 * NULL: plain memory. */
struct loom_arena *loom_arena_create_on(struct loom_pages *pages) LOOM_MUST;
/* Frees everything that came from it; NULL is fine. */
void loom_arena_destroy(struct loom_arena *arena);
/* Forgets everything that came from it and keeps one block for what follows. */
void loom_arena_reset(struct loom_arena *arena);

/* Zeroed, aligned for any type; size 0 gives a valid pointer. */
void *loom_arena_alloc(struct loom_arena *arena, size_t size) LOOM_MUST;
/* `count` zeroed items, overflow checked. */
void *loom_arena_array(struct loom_arena *arena, size_t count, size_t size) LOOM_MUST;
#define LOOM_ARENA_NEW(arena, type) ((type *)loom_arena_alloc((arena), sizeof(type)))
#define LOOM_ARENA_ARRAY(arena, count, type)                                                       \
	((type *)loom_arena_array((arena), (count), sizeof(type)))

/* Room for one more item in a growing array: doubles *cap when *count has reached it and copies. */
void *loom_arena_grow(struct loom_arena *arena, void *items, size_t count, size_t *cap,
		      size_t size) LOOM_MUST;

/* A copy, NUL-terminated behind its bytes. */
struct loom_str loom_arena_str(struct loom_arena *arena, struct loom_str s);
/* A copy of what a buffer holds. */
struct loom_str loom_arena_buf(struct loom_arena *arena, const struct loom_buf *buf);
/* A copy as a C string. */
char *loom_arena_cstr(struct loom_arena *arena, struct loom_str s);
/* What printf would print, as a text of the arena. */
struct loom_str loom_arena_format(struct loom_arena *arena, const char *format, ...)
	LOOM_PRINTF(2, 3);

#endif
