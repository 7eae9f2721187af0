/* A grove that stands in a shared log. Every write takes the log's turn, follows what others have
 * appended, and is acknowledged when the log has its entry. Local groves have none of this: their
 * store->remote is NULL. */
#ifndef LOOM_REMOTE_H
#define LOOM_REMOTE_H

#include <loom/grove/store.h>
#include <loom/remote/shared_log.h>

struct model_remote;

/* --- around a write transaction; `store->remote` is set --- */

/* Before BEGIN, with the writer lock held: takes the turn and follows. LOOM_OFFLINE, or
 * LOOM_REFUSED for a fork; a quiet write goes on without a turn and fails at its end if it needed
 * one. */
enum loom_status model_remote_turn(struct loom_store *store, bool quiet,
				   struct loom_err *err) LOOM_MUST;
/* After BEGIN: starts to capture what changes. */
enum loom_status model_remote_capture(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Before COMMIT: appends the entry if something shared was changed. It has the id of the operation
 * that it begins (0: none), so that a retry elsewhere is recognised. */
enum loom_status model_remote_push(struct loom_store *store, int64_t op,
				   struct loom_err *err) LOOM_MUST;
/* After COMMIT or ROLLBACK: forgets what was captured and leaves the turn. */
void model_remote_leave(struct loom_store *store);
/* Returns whether the write that just failed is in the log all the same. */
bool model_remote_is_in(const struct loom_store *store);

/* --- attaching --- */

/* Joins an open store, at `mark`, to a log, which is closed with it. */
enum loom_status model_remote_attach(struct loom_store *store, const struct model_log *log,
				     void *ctx, struct loom_err *err) LOOM_MUST;
/* Takes the log off the store, freeing both; harmless without one. */
void model_remote_close(struct loom_store *store);
/* Writes what rides (what is mine and has changed since) into an entry of its own, in a quiet write
 * that has begun. */
void model_remote_flush(struct loom_store *store);

/* --- entries --- */

/* In a write transaction: does what an entry says, or nothing if a rule forbids it, and then
 * *out_why has words. The rules look only at what is shared, so an entry is void everywhere or
 * nowhere. */
enum loom_status model_entry_apply(struct loom_store *store, struct model_remote *remote,
				   struct loom_str bytes, struct loom_buf *out_why,
				   struct loom_err *err) LOOM_MUST;

#endif
