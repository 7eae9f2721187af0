/* The store: one grove's database behind typed calls.
 *
 * A connection is used by one thread. The calling thread of a program reads; its worker writes.
 * Nothing is acknowledged before it is committed with synchronous=FULL. Every change is part of an
 * operation (op.h); reading functions copy their answers into the caller's arena, and no cursor
 * outlives a call. Row numbers (int64_t, 0 is none) are the store's own; people see ULIDs and
 * local ids. */
#ifndef LOOM_STORE_H
#define LOOM_STORE_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/id.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

struct loom_store;

/* What is kept of one row, its text and what stands beside it, takes no more bytes. */
#define LOOM_ROW_BYTES_MAX (64 << 20)

#define LOOM_GROVE_DIR      ".loom"
#define LOOM_GROVE_FILE     "grove.db"
#define LOOM_APPLICATION_ID 0x4C4F4F4D

enum loom_access {
	LOOM_READ,  /* never writes, whatever is asked of it */
	LOOM_WRITE, /* takes the writer lock for each write */
};

/* Finds the project directory whose .loom/grove.db is ours by climbing from `start`; when there is
 * none, the personal grove's directory, which may not exist yet. Absolute, without links.
 * *personal (nullable) says which. */
enum loom_status loom_grove_find(const struct loom_env *env, struct loom_str start,
				 struct loom_buf *out_dir, bool *personal,
				 struct loom_err *err) LOOM_MUST;

/* The project directory, absolute. Lives as long as the store. */
struct loom_str loom_store_dir(const struct loom_store *store);
/* Who holds the writer lock now: 0 nobody, or nobody knows; `program` is its name, "" when that
 * cannot be told (its process has gone, and left the lock to another). */
int64_t loom_store_writer(const struct loom_store *store, char program[32]);
/* The grove's own name. */
struct loom_ulid loom_store_ulid(const struct loom_store *store);
/* The world it was opened with; borrowed. */
struct loom_env *loom_store_env(const struct loom_store *store);
/* Whether writes are refused (newer version, or a file that may not be written). */
bool loom_store_read_only(const struct loom_store *store);
/* $XDG_STATE_HOME/loom/<store and place>/, made when missing (0700): grants, secrets, unsent
 * drafts.
 */
enum loom_status loom_store_state_dir(struct loom_store *store, struct loom_buf *out,
				      struct loom_err *err) LOOM_MUST;
/* What of it is the person's who works here: the same, or a folder in it where the account is
 * several persons. */
enum loom_status loom_store_own_dir(struct loom_store *store, struct loom_buf *out,
				    struct loom_err *err) LOOM_MUST;
/* Up to where the grove has come, for what is kept of it elsewhere; empty in a new one. */
void loom_story_mark(struct loom_store *store, struct loom_buf *out);
/* Whether it ever was there: false when another file, or an older one, was put in its place. */
bool loom_story_holds(struct loom_store *store, struct loom_str mark);

/* Refuses when another file stands where this one stood, or another grove or an older copy is in it
 * by now: what is shown of it is of the past, and nothing can be written. An older copy is one that
 * does not go on from what was there when this was asked last. LOOM_BUSY while somebody writes over
 * the file. */
enum loom_status loom_store_still(struct loom_store *store, struct loom_err *err) LOOM_MUST;

/* A read view: what is read until loom_store_unview is of one moment. Nests. Keep it short. */
enum loom_status loom_store_view(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* One for each loom_store_view that succeeded. */
void loom_store_unview(struct loom_store *store);

/* Whether another connection has committed since the last call on this one. */
bool loom_store_changed(struct loom_store *store);
/* Rows written by this connection since it was opened: what a test counts. */
int64_t loom_store_rows_written(const struct loom_store *store);
/* Rows this connection has looked at without an index since it was opened: another thing that a
 * test counts, for no interactive path may look through a table. */
int64_t loom_store_rows_scanned(const struct loom_store *store);

/* From now on what takes long on this connection (checks, copies, waiting for the writer lock)
 * tells `task` how far it is and ends with LOOM_CANCELLED, nothing changed, once that is cancelled.
 * NULL: nobody listens. */
void loom_store_heed(struct loom_store *store, struct loom_task *task);

/* Is told what was found, a line each. */
typedef void (*loom_finding_fn)(void *ctx, struct loom_str finding);
/* A checked copy of one moment, complete or not there at all; refuses to overwrite. */
enum loom_status loom_store_backup(struct loom_store *store, struct loom_str file,
				   struct loom_err *err) LOOM_MUST;

#endif
