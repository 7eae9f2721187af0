/* A thread's log in the store: the keeper that log.h, lifecycle.h and drive.h work over.
 *
 * Rows are append-only (the database enforces it) and numbered inside the write transaction. One
 * call of lifecycle.h is one transaction under the writer lock. */
#ifndef LOOM_THREAD_LOG_H
#define LOOM_THREAD_LOG_H

#include <loom/grove/presence.h>
#include <loom/log/log.h>
#include <loom/base/hash.h>
#include <loom/grove/store.h>

struct loom_thread_log;

/* The log of a thread. `session` (nullable) is whose runs it opens: when that process is gone, the
 * next who opens the log ends them. Store and session are borrowed. */
enum loom_status loom_thread_log_open(struct loom_store *store, int64_t thread,
				      const struct loom_session *session,
				      struct loom_thread_log **out, struct loom_err *err) LOOM_MUST;
/* Frees the handle; a run that is open stays open. NULL is fine. */
void loom_thread_log_close(struct loom_thread_log *log);
/* Its face; valid until close. */
struct loom_log loom_thread_log_face(struct loom_thread_log *log);

/* loom_log_newest over a thread's log. */
enum loom_status loom_thread_log_newest(struct loom_store *store, int64_t thread, const char *kind,
					int64_t at, const struct loom_log_visitor *visitor,
					struct loom_err *err) LOOM_MUST;

/* Records of ended runs, newest first, at most `limit`. */
enum loom_status loom_thread_log_runs(struct loom_thread_log *log, size_t limit,
				      struct loom_arena *arena, struct loom_str **out,
				      size_t *out_count, struct loom_err *err) LOOM_MUST;

/* A body of an input that was sent, stored once under its hash; inside a write. */
enum loom_status loom_part_put(struct loom_store *store, struct loom_str body,
			       struct loom_hash *out_hash, struct loom_err *err) LOOM_MUST;
/* LOOM_NOT_FOUND when no such body was kept. */
enum loom_status loom_part_get(struct loom_store *store, const struct loom_hash *hash,
			       struct loom_arena *arena, struct loom_str *out,
			       struct loom_err *err) LOOM_MUST;

#endif
