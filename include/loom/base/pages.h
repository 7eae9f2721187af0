/* Memory for contents as large as a user's file. Its pages belong to unnamed temporary files, and
 * whenever the program exceeds its allowance they are given back to the kernel; touching one reads
 * it from the file again. Small pieces are plain memory.
 *
 * Only one thread may use it at a time. If no temporary file can be made, or the disk is full,
 * large pieces are plain memory too. */
#ifndef LOOM_PAGES_H
#define LOOM_PAGES_H

#include <loom/base/base.h>

struct loom_pages;

/* Pieces of at least this size are backed by a file. */
#define LOOM_PAGES_LEAST ((size_t)1 << 20)
/* The usual `most` of a pool: resident memory from which it gives pages back. */
#define LOOM_PAGES_RESIDENT ((size_t)32 << 20)

/* Creates a pool whose files live in `dir`, which is copied; NULL or empty means /tmp. It gives
 * pages back once the program's resident memory exceeds `most` bytes. Free it with
 * loom_pages_destroy. */
struct loom_pages *loom_pages_create(const char *dir, size_t most) LOOM_MUST;
/* Frees the pool; every piece must have been returned before. NULL is fine. */
void loom_pages_destroy(struct loom_pages *pages);

/* Starts giving pages back while the calling thread works, until it calls loom_pages_rest. */
void loom_pages_work(struct loom_pages *pages);
/* Stops giving pages back; called by the thread that called loom_pages_work. */
void loom_pages_rest(struct loom_pages *pages);

/* Allocates `size` zeroed bytes. Return them with loom_pages_return. */
void *loom_pages_take(struct loom_pages *pages, size_t size) LOOM_MUST;
/* Like realloc from `old` to `size` bytes, with new bytes zeroed. `p` NULL and `old` 0 allocate a
 * first piece. */
void *loom_pages_resize(struct loom_pages *pages, void *p, size_t old, size_t size) LOOM_MUST;
/* Frees a piece of `size` bytes; `p` NULL is fine. */
void loom_pages_return(struct loom_pages *pages, void *p, size_t size);

/* Says that the caller is about to touch `size` bytes of a piece or a lent mapping; cheap, and to
 * be said wherever much is touched in little time. `pages` NULL is fine. */
void loom_pages_touch(struct loom_pages *pages, const void *p, size_t size);

/* Adds a caller's own file mapping to the pages that are given back, until loom_pages_unlend. */
void loom_pages_lend(struct loom_pages *pages, const void *p, size_t size);
/* Removes a lent mapping; call it before unmapping. A mapping that was never lent is fine. */
void loom_pages_unlend(struct loom_pages *pages, const void *p);

#endif
