/* The store: a grove's database behind typed calls.
 *
 * A connection belongs to one thread: a program's main thread reads, its worker writes. Nothing is
 * acknowledged before it is committed with synchronous=FULL. Every change is part of an operation
 * (op.h). Readers copy their results into the caller's arena, and no cursor outlives a call. Row
 * numbers (int64_t, 0 is none) are internal; people see ULIDs and local ids. */
#ifndef LOOM_STORE_H
#define LOOM_STORE_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/id.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

struct loom_store;

/* The most bytes that one row may hold, counting its text and everything stored with it. */
#define LOOM_ROW_BYTES_MAX (64 << 20)

#define LOOM_GROVE_DIR      ".loom"
#define LOOM_GROVE_FILE     "grove.db"
#define LOOM_APPLICATION_ID 0x4C4F4F4D

enum loom_access {
	LOOM_READ,  /* never writes */
	LOOM_WRITE, /* takes the writer lock for every write */
};

/* Finds the project directory whose .loom/grove.db is ours by climbing from `start`; failing that,
 * the personal grove's directory, which may not exist yet. The path is absolute, without links.
 * *personal (nullable) says which one it is. */
enum loom_status loom_grove_find(const struct loom_env *env, struct loom_str start,
				 struct loom_buf *out_dir, bool *personal,
				 struct loom_err *err) LOOM_MUST;

/* Returns the absolute project directory. Lives as long as the store. */
struct loom_str loom_store_dir(const struct loom_store *store);
/* Returns the pid of the process holding the writer lock; 0 if nobody does or it is unknown.
 * `program` gets its name, "" if unknown (it may have exited and left the lock to a child). */
int64_t loom_store_writer(const struct loom_store *store, char program[32]);
/* Returns the grove's own ULID. */
struct loom_ulid loom_store_ulid(const struct loom_store *store);
/* Returns the environment it was opened with; borrowed. */
struct loom_env *loom_store_env(const struct loom_store *store);
/* Returns whether writes are refused (newer version, or file not writable). */
bool loom_store_read_only(const struct loom_store *store);
/* Returns whether it stands in a log that several machines share, opened to read or write. */
bool loom_store_shared_log(const struct loom_store *store);
/* Writes the path of $XDG_STATE_HOME/loom/<store and place>/, created if missing (0700); it holds
 * grants, secrets and unsent drafts. */
enum loom_status loom_store_state_dir(struct loom_store *store, struct loom_buf *out,
				      struct loom_err *err) LOOM_MUST;
/* Writes the path of the part of it that is the current person's own, created if missing: the same
 * folder, or one in it if the account is several persons. */
enum loom_status loom_store_own_dir(struct loom_store *store, struct loom_buf *out,
				    struct loom_err *err) LOOM_MUST;
/* Appends a mark of the grove's latest event, to store with outside data about the grove; empty for
 * a new grove. */
void loom_story_mark(struct loom_store *store, struct loom_buf *out);
/* Returns whether the grove contains the marked event; false if another file, or an older copy,
 * took its place. */
bool loom_story_holds(struct loom_store *store, struct loom_str mark);

/* Refuses if another file has taken this one's place, or the file now holds another grove or an
 * older copy: what was read is of the past, and nothing can be written. A copy is older if it does
 * not continue from the state at the previous check. LOOM_BUSY while another program overwrites the
 * file. */
enum loom_status loom_store_still(struct loom_store *store, struct loom_err *err) LOOM_MUST;

/* Begins a read view: until loom_store_unview, all reads see the same state. Views nest; keep them
 * short. */
enum loom_status loom_store_view(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Ends a read view; call it once per successful loom_store_view. */
void loom_store_unview(struct loom_store *store);

/* Returns whether another connection has committed since the last call. */
bool loom_store_changed(struct loom_store *store);
/* Returns how many rows this connection has written since it was opened; for tests. */
int64_t loom_store_rows_written(const struct loom_store *store);
/* Returns how many rows this connection has visited without an index since it was opened. For
 * tests: no interactive path may scan a table. */
int64_t loom_store_rows_scanned(const struct loom_store *store);

/* Makes long work on this connection (checks, copies, waiting for the writer lock) report progress
 * to `task`, and stop with LOOM_CANCELLED, nothing changed, once the task is cancelled. NULL turns
 * this off. */
void loom_store_heed(struct loom_store *store, struct loom_task *task);

/* Receives findings, a line each. */
typedef void (*loom_finding_fn)(void *ctx, struct loom_str finding);
/* Writes a checked copy of the current state, complete or not at all. Never overwrites a file. */
enum loom_status loom_store_backup(struct loom_store *store, struct loom_str file,
				   struct loom_err *err) LOOM_MUST;

#endif
