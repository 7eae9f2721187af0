/* Memory for what may be as large as a file of the user's: its pages belong to temporary files
 * without a name, and while the program takes more than it was allowed they are given back, again
 * and again; who touches one gets it from the file. Little pieces are plain memory.
 *
 * One thread at a time uses it. Where no temporary file can be
 * made, or the disk has no room for it, large pieces are plain memory too. */
#ifndef LOOM_PAGES_H
#define LOOM_PAGES_H

#include <loom/base/base.h>

struct loom_pages;

/* Pieces from this size on have a file. */
#define LOOM_PAGES_LEAST ((size_t)1 << 20)

/* Files are made in `dir`, which is copied; NULL or empty: /tmp. Above `most` bytes of resident
 * memory of the whole program pages are given back. */
struct loom_pages *loom_pages_create(const char *dir, size_t most) LOOM_MUST;
/* What was taken is returned before; NULL is fine. */
void loom_pages_destroy(struct loom_pages *pages);

/* From here on the calling thread works with it: pages are given back … */
void loom_pages_work(struct loom_pages *pages);
/* … until the same thread says this. */
void loom_pages_rest(struct loom_pages *pages);

/* Zeroed. Returned by loom_pages_return. */
void *loom_pages_take(struct loom_pages *pages, size_t size) LOOM_MUST;
/* As realloc: what is new is zeroed. `p` NULL and `old` 0 take a first piece. */
void *loom_pages_resize(struct loom_pages *pages, void *p, size_t old, size_t size) LOOM_MUST;
/* Returns a piece of that size; `p` NULL is fine. */
void loom_pages_return(struct loom_pages *pages, void *p, size_t size);

/* Somebody's own mapping of a file, whose pages are given back with the others … */
void loom_pages_lend(struct loom_pages *pages, const void *p, size_t size);
/* … until it is taken back, before it is unmapped. One that was never lent is fine. */
void loom_pages_unlend(struct loom_pages *pages, const void *p);

#endif
