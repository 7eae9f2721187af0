/* Internal to the room: a grove's tie to its log. */
#ifndef MODEL_REMOTE_INSIDE_H
#define MODEL_REMOTE_INSIDE_H

#include <loom/grove/sql.h>
#include <loom/remote/remote.h>

/* Statements that set some columns of a table, by both. */
enum { REMOTE_SETTERS = 64 };
struct remote_setter {
	size_t class;
	uint64_t set;
	sqlite3_stmt *stmt;
};

struct remote_statements {
	sqlite3_stmt *add;
	sqlite3_stmt *gone;
	sqlite3_stmt *guard;
	sqlite3_stmt *mine;
	sqlite3_stmt *left;
	sqlite3_stmt *last;
};

enum { REMOTE_MACHINE = 32 };

struct model_remote {
	const struct model_log *log;
	void *ctx;
	struct loom_arena *arena; /* for the shapes */
	struct model_shape *shapes;
	struct remote_statements *statements; /* by class */
	struct remote_setter setters[REMOTE_SETTERS];
	struct model_mark mark; /* of the grove's file, in this turn */
	bool turned;            /* the turn is ours */
	bool pushed;            /* the log has this write */
	bool flush;             /* what rides shall not wait */
	bool forked;            /* the log does not have what this grove has */
	int64_t may;            /* the rights of this account before the write */
	enum loom_status away;  /* why there is no turn; LOOM_OK: there is */
	struct loom_err why_away;
	struct sqlite3_session *session;
	int claim;             /* the lock of the one who follows; -1: not ours */
	bool says;             /* what we hold has changed in this write */
	struct loom_hash said; /* the last word of this process, and when (boot clock; 0: none) */
	int64_t said_at;
	struct loom_arena *far_arena;
	struct model_far_lease *far; /* of other machines, in this turn */
	size_t far_count;
	struct remote_mirror *mirrors; /* their sessions, as ours */
};

/* --- statements.c --- */
/* Prepares the statement in `sql`, which is freed, unless the slot has one. */
enum loom_status remote_prepare(struct loom_store *store, sqlite3_stmt **slot, struct loom_buf *sql,
				struct loom_err *err) LOOM_MUST;
/* Appends "a = ? AND b = ?" over the key. */
void remote_say_key(const struct model_shape *shape, struct loom_buf *sql);
/* Wraps a statement for the sticky calls of sql.h. */
struct query remote_query(struct loom_store *store, sqlite3_stmt *stmt, struct loom_err *err);
/* Binds a value to the next parameter. */
void remote_bind_cell(struct query *q, const struct model_cell *cell);

/* Reads a column, copied to the arena. */
void remote_read_cell(const struct query *q, int column, struct loom_arena *arena,
		      struct model_cell *out);
/* Finalizes all statements of the tables. */
void remote_statements_fini(struct model_remote *remote);

/* --- capture.c --- */
/* Reads the changes of the transaction: those of what is shared into the arena, sorted by nothing;
 * rows with what is mine are noted to ride. */
enum loom_status remote_captured(struct loom_store *store, struct loom_arena *arena,
				 struct model_change **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* Starts recording, or stops it. */
enum loom_status remote_record(struct loom_store *store, struct loom_err *err) LOOM_MUST;
void remote_forget(struct model_remote *remote);

/* --- riding.c --- */
/* Notes that what is mine of this row is to ride with the next entry. */
enum loom_status remote_note_mine(struct loom_store *store, size_t class,
				  const struct model_cell *now, struct loom_err *err) LOOM_MUST;
/* Adds what rides to the changes, and forgets that it waited. */
enum loom_status remote_ride(struct loom_store *store, struct loom_arena *arena,
			     struct model_change **changes, size_t *count,
			     struct loom_err *err) LOOM_MUST;
/* Returns whether this row waits to ride, so that what others say about it is old. */
bool remote_rides(struct loom_store *store, size_t class, const struct model_cell *now);

/* --- rules.c --- */
enum { REMOTE_READER = 0, REMOTE_ADMIN = 2 };
/* Gives the most that an account may, an enum loom_member_may; -1 if it is no member. */
enum loom_status remote_rights(struct loom_store *store, struct loom_str role, int64_t *out,
			       struct loom_err *err) LOOM_MUST;
/* The rules that look at the state before an entry: its base, its account. Appends words to `why`
 * if it is void. */
enum loom_status remote_judge_before(struct loom_store *store, const struct model_entry *entry,
				     int64_t *out_may, struct loom_buf *why,
				     struct loom_err *err) LOOM_MUST;
/* Judges one change, which has been done: who speaks for whom. */
enum loom_status remote_judge_change(struct loom_store *store, const struct model_entry *entry,
				     const struct model_change *change, int64_t may,
				     struct loom_buf *why, struct loom_err *err) LOOM_MUST;

/* --- company.c --- */
/* Gives this copy of the grove a name among those that share its log. */
void remote_name_machine(const struct loom_store *store, char out[REMOTE_MACHINE + 1]);
/* In a turn, before the entry: says what is held if that has changed or is long ago. */
enum loom_status remote_say_held(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* In a turn: learns what others hold. */
enum loom_status remote_hear_others(struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Before the store is closed: takes our word back, and the others' sessions from here. */
void remote_part(struct loom_store *store);

/* --- follower.c --- */
/* Lets another process follow. */
void remote_let_go(struct model_remote *remote);

/* --- founding.c --- */
#define REMOTE_PLACE "INSERT INTO remote(id, url, seq, chain) VALUES(1, ?, ?, ?)"

/* --- engines.c, and each engine --- */
#define REMOTE_FILE_SCHEME "file://"
/* Makes the engine of a log in a file. LOOM_INVALID. */
enum loom_status remote_file_log(const struct model_log_opts *opts, const struct model_log **out,
				 void **out_ctx, struct loom_err *err) LOOM_MUST;
/* Gives an address with what it lacks of these, which may be empty: the role on a server, and the
 * grove's name there. */
struct loom_str remote_full_url(struct loom_str url, struct loom_str role, struct loom_str grove,
				struct loom_arena *arena);
/* Returns whether the log at an address knows from whom its entries are. */
bool remote_has_roles(struct loom_str url);
/* Sets the account that works here: on a server that has the log, the one that its address names.
 */
void remote_own_role(struct loom_store *store, struct loom_str url);

#endif
