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
/* Before COMMIT: appends the entry if something shared was changed. `op` is the operation that it
 * begins, 0: none. */
enum loom_status model_remote_push(struct loom_store *store, int64_t op,
				   struct loom_err *err) LOOM_MUST;
/* After COMMIT or ROLLBACK: forgets what was captured and leaves the turn. */
void model_remote_leave(struct loom_store *store);
/* Returns whether the write that just failed is in the log all the same. */
bool model_remote_is_in(const struct loom_store *store);

/* --- attaching --- */

/* Finds out whether the store's file names a log, and joins one opened to write to it. */
enum loom_status model_remote_open(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Joins an open store, whose file names its place, to a log, which is closed with it. */
enum loom_status model_remote_attach(struct loom_store *store, const struct model_log *log,
				     void *ctx, struct loom_err *err) LOOM_MUST;
/* Takes the log off the store, freeing both; harmless without one. */
void model_remote_close(struct loom_store *store);
/* Writes what rides (what is mine and has changed since) into an entry of its own, in a quiet write
 * that has begun. */
void model_remote_flush(struct loom_store *store);

/* --- a grove and its log --- */

/* Puts a grove that stands in no log into a new one at this address, whose first state it is; on a
 * server it gets the name of its folder unless the address has one. *out (nullable) is what the log
 * said. LOOM_BUSY if a program has the grove open, LOOM_CONFLICT if the log exists, LOOM_REFUSED if
 * the grove stands in a log already, LOOM_INVALID for an address that is none. */
enum loom_status loom_remote_add(struct loom_env *env, struct loom_str dir, struct loom_str url,
				 struct model_log_facts *out, struct loom_err *err) LOOM_MUST;
/* Refuses an address at which no log can be founded for the grove in `dir`, which need not exist.
 * LOOM_INVALID, LOOM_CONFLICT, LOOM_OFFLINE. */
enum loom_status loom_remote_may_found(struct loom_env *env, struct loom_str dir,
				       struct loom_str url, struct loom_err *err) LOOM_MUST;
/* Makes a grove local again; the log stays. LOOM_BUSY if a program has the grove open,
 * LOOM_NOT_FOUND if it stands in no log. */
enum loom_status loom_remote_drop(struct loom_env *env, struct loom_str dir,
				  struct loom_err *err) LOOM_MUST;
/* Makes a grove in `dir`, which has none, of the log at this address, as of its first state;
 * opening it to write follows the rest. LOOM_OFFLINE, LOOM_INVALID, LOOM_CONFLICT. */
enum loom_status loom_remote_clone(struct loom_env *env, struct loom_str dir, struct loom_str url,
				   struct loom_err *err) LOOM_MUST;

/* Where a grove stands. */
struct loom_remote_place {
	struct loom_str url; /* empty: in no log */
	bool server;         /* its log is on a server, which has roles */
	int64_t seq;         /* entries that are in the grove's file */
	int64_t voids;       /* of them, those that broke a rule */
	int64_t rides;       /* rows that wait for my next entry */
};
/* Reads it from the grove's file; texts are in the arena. Asks nobody. */
enum loom_status loom_remote_where(struct loom_store *store, struct loom_arena *arena,
				   struct loom_remote_place *out, struct loom_err *err) LOOM_MUST;
/* The answers of a log. */
struct loom_remote_said {
	struct model_mark head;
	struct model_log_facts facts;
	struct model_log_copy *copies;
	size_t copy_count;
};
/* Asks the log, on a store opened to write; lists are in the arena. LOOM_OFFLINE, or
 * LOOM_READ_ONLY on another store. */
enum loom_status loom_remote_ask(struct loom_store *store, struct loom_arena *arena,
				 struct loom_remote_said *out, struct loom_err *err) LOOM_MUST;
/* Returns a short name of the place that an address says: a host, or a file's name. */
struct loom_str loom_remote_name(struct loom_str url);
/* Returns the address without the role of whoever has it, for others to clone. */
struct loom_str loom_remote_for_others(struct loom_str url, struct loom_arena *arena);
/* Follows the log to its head, in a turn of its own; on a store opened to write, not in a write.
 * LOOM_OFFLINE; LOOM_REFUSED for a fork. */
enum loom_status loom_remote_follow(struct loom_store *store, struct loom_err *err) LOOM_MUST;

/* Returns whether it failed because the log does not have what this grove has. */
bool loom_remote_is_forked(const struct loom_store *store);

/* Gives the log a later state for clones to begin with, if it keeps one, the last is `every`
 * entries old, and this account may do all there; *out says whether it did. On a store opened to
 * write. */
enum loom_status loom_remote_keep(struct loom_store *store, int64_t every, bool *out,
				  struct loom_err *err) LOOM_MUST;

/* Lets a role of the server into the grove's log, or (may -1) keeps it out; *out_made if the server
 * did not have it. The grove itself is to be told apart (loom_member_admit). LOOM_REFUSED if the
 * log knows no roles, LOOM_PERMISSION. */
enum loom_status loom_remote_admit(struct loom_store *store, struct loom_str role, int may,
				   bool *out_made, struct loom_err *err) LOOM_MUST;

/* Calls `each` with the first difference of each table in what is shared and, if asked, mine. */
enum loom_status model_rows_differ(struct loom_store *one, struct loom_store *other, bool mine,
				   void (*each)(void *ctx, struct loom_str what), void *ctx,
				   struct loom_err *err) LOOM_MUST;

/* --- one process follows for all of a machine --- */

/* Makes this store the one that follows, until it is closed; false if another process does. */
bool loom_remote_claim(struct loom_store *store);
/* Lets the others of this machine know whether the grove is at the log's end. */
void loom_remote_say_current(struct loom_store *store, bool current);
/* Returns whether a process follows the log of this grove and has come to its end. */
bool loom_remote_is_current(const struct loom_store *store);
/* Asks the log to tell when it goes on; the descriptor is the store's. LOOM_OFFLINE. */
enum loom_status loom_remote_watch(struct loom_store *store, struct model_news *out,
				   struct loom_err *err) LOOM_MUST;
/* Reads what the descriptor has to tell; true if one should follow. */
bool loom_remote_hear(struct loom_store *store);

/* --- who else is here --- */

/* By the process that follows: says what the sessions of this machine do, if that is news, and
 * keeps the sessions of the others as sessions of this machine. *out_again is after how many ms it
 * is due again. */
enum loom_status loom_remote_meet(struct loom_store *store, int64_t *out_again,
				  struct loom_err *err) LOOM_MUST;
/* Inside a write: which branches the sessions of this machine hold has changed; the others hear it
 * with the write. */
void model_remote_held(struct loom_store *store);

/* A branch that a session of another machine holds, as a row of lease. */
struct model_far_lease {
	int64_t tree;
	int64_t group;
	int64_t last;
	int64_t agent;
	struct loom_str session;
};
/* Returns those that hold in this turn; they live as long. */
const struct model_far_lease *model_remote_leases(const struct loom_store *store,
						  size_t *out_count);

/* --- entries --- */

/* In a write transaction: does what an entry says, or nothing if a rule forbids it, and then
 * *out_why has words. The rules look only at what is shared, so an entry is void everywhere or
 * nowhere. */
enum loom_status model_entry_apply(struct loom_store *store, struct model_remote *remote,
				   const struct model_logged *logged, struct loom_buf *out_why,
				   struct loom_err *err) LOOM_MUST;

#endif
