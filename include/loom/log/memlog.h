/* A log in memory: for `thread drive --memory`, for files of rows, for tests. It survives a crash
 * only if its caller saves it. */
#ifndef LOOM_MEMLOG_H
#define LOOM_MEMLOG_H

#include <loom/log/log.h>

struct loom_memlog;

/* Creates a log without rows. Free it with loom_memlog_destroy. */
struct loom_memlog *loom_memlog_create(void) LOOM_MUST;
/* Frees the log; NULL is fine. */
void loom_memlog_destroy(struct loom_memlog *memlog);
/* Returns the log's interface; valid until loom_memlog_destroy. */
struct loom_log loom_memlog_log(struct loom_memlog *memlog);
/* Adds rows unchanged, with their own seqs, which must ascend beyond the last one; otherwise
 * LOOM_INVALID, and nothing is added. */
enum loom_status loom_memlog_load(struct loom_memlog *memlog, const struct loom_log_row *rows,
				  size_t count, struct loom_err *err) LOOM_MUST;
/* Returns the number of rows. */
size_t loom_memlog_count(const struct loom_memlog *memlog);
/* Returns the row at an index, borrowed for the log's life; NULL beyond the last. */
const struct loom_log_row *loom_memlog_at(const struct loom_memlog *memlog, size_t index);
/* Returns the number of stored run records. */
size_t loom_memlog_run_count(const struct loom_memlog *memlog);
/* Returns the run record at an index, borrowed; p is NULL beyond the last. */
struct loom_str loom_memlog_run_at(const struct loom_memlog *memlog, size_t index);

#endif
