/* A thread's log in the store: the keeper that log.h, lifecycle.h and drive.h work on.
 *
 * Rows are append-only (the database enforces it) and numbered inside the write transaction. Each
 * call of lifecycle.h is one transaction under the writer lock. */
#ifndef LOOM_THREAD_LOG_H
#define LOOM_THREAD_LOG_H

#include <loom/grove/presence.h>
#include <loom/log/log.h>
#include <loom/base/hash.h>
#include <loom/grove/store.h>

struct loom_thread_log;

/* Opens a thread's log. `session` (nullable) owns the runs it starts: once its process is gone, the
 * next to open the log ends them. Store and session are borrowed. Close it with
 * loom_thread_log_close. */
enum loom_status loom_thread_log_open(struct loom_store *store, int64_t thread,
				      const struct loom_session *session,
				      struct loom_thread_log **out, struct loom_err *err) LOOM_MUST;
/* Frees the handle; an open run stays open. NULL is fine. */
void loom_thread_log_close(struct loom_thread_log *log);
/* Returns the interface of log.h; valid until close. */
struct loom_log loom_thread_log_face(struct loom_thread_log *log);

/* Visits the newest rows of a kind in a thread's log, like loom_log_newest. */
enum loom_status loom_thread_log_newest(struct loom_store *store, int64_t thread, const char *kind,
					int64_t at, const struct loom_log_visitor *visitor,
					struct loom_err *err) LOOM_MUST;

/* Lists the records of ended runs, newest first, at most `limit`, in the arena. */
enum loom_status loom_thread_log_runs(struct loom_thread_log *log, size_t limit,
				      struct loom_arena *arena, struct loom_str **out,
				      size_t *out_count, struct loom_err *err) LOOM_MUST;

/* Inside a write: stores a piece of an input that was sent, once per hash. */
enum loom_status loom_part_put(struct loom_store *store, struct loom_str body,
			       struct loom_hash *out_hash, struct loom_err *err) LOOM_MUST;
/* Loads a stored piece into the arena. LOOM_NOT_FOUND if there is none with this hash. */
enum loom_status loom_part_get(struct loom_store *store, const struct loom_hash *hash,
			       struct loom_arena *arena, struct loom_str *out,
			       struct loom_err *err) LOOM_MUST;

#endif
