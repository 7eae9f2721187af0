/* A log in memory: for `thread drive --memory`, for files of rows, for tests. It outlives crashes
 * only as far as its caller keeps it. */
#ifndef LOOM_MEMLOG_H
#define LOOM_MEMLOG_H

#include <loom/log/log.h>

struct loom_memlog;

/* Without rows. Freed by loom_memlog_destroy. */
struct loom_memlog *loom_memlog_create(void) LOOM_MUST;
/* NULL is fine. */
void loom_memlog_destroy(struct loom_memlog *memlog);
/* The log's face; valid until destroy. */
struct loom_log loom_memlog_log(struct loom_memlog *memlog);
/* Adds rows as they are, with their own seqs: ascending and beyond the last, else LOOM_INVALID and
 * nothing is added. */
enum loom_status loom_memlog_load(struct loom_memlog *memlog, const struct loom_log_row *rows,
				  size_t count, struct loom_err *err) LOOM_MUST;
/* How many rows there are, and the one at an index (borrowed for the log's life). */
size_t loom_memlog_count(const struct loom_memlog *memlog);
/* NULL beyond the last. */
const struct loom_log_row *loom_memlog_at(const struct loom_memlog *memlog, size_t index);
/* How many run records were kept, and one of them. */
size_t loom_memlog_run_count(const struct loom_memlog *memlog);
/* p is NULL beyond the last. */
struct loom_str loom_memlog_run_at(const struct loom_memlog *memlog, size_t index);

#endif
