/* Internal to the store: the connection, cached statements, opening. For the rooms that use SQL.
 * The meaning of rows and the making of writes are a level above: tree_rows.h. */
#ifndef LOOM_STORE_IMPL_H
#define LOOM_STORE_IMPL_H

#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

#include <loom/base/hash.h>
#include <loom/grove/sharing.h>
#include <loom/grove/store.h>

#include <loom/files/state_file.h>

#define MODEL_SCHEMA_VERSION 16
/* Persons that an import created before claims existed become claims; their file is taken from the
 * import's record. */
#define MODEL_IMPORTED                                                                             \
	"agent.kind = 0 AND agent.id <> (SELECT owner FROM grove) AND agent.op IN (SELECT id "     \
	"FROM op WHERE kind IN ('import', 'paste'))"
#define MODEL_IMPORTED_FROM                                                                        \
	"(SELECT CASE WHEN instr(o.text, ' from ') > 0 THEN substr(o.text, instr(o.text, ' from "  \
	"') + 6) ELSE 'an import' END FROM op o WHERE o.id = agent.op)"
#define MODEL_CLAIM_IMPORTED                                                                       \
	"UPDATE agent SET claim = 3, origin = " MODEL_IMPORTED_FROM                                \
	" WHERE claim = 0 AND " MODEL_IMPORTED ";"
/* The first schema version with claims. An older file opened read-only is seen as if it had
 * them. */
#define MODEL_CLAIMS_SINCE 8
#define MODEL_CLAIMS_SEEN                                                                          \
	"PRAGMA query_only = OFF; CREATE TEMP VIEW agent AS SELECT agent.*, iif(" MODEL_IMPORTED   \
	", 3, 0) AS claim, "                                                                       \
	"coalesce(" MODEL_IMPORTED_FROM                                                            \
	", '') AS origin, NULL AS said FROM main.agent; PRAGMA query_only = ON"

/* The first version with shared logs. An older file that is only read is in none. */
#define MODEL_LOGS_SINCE 11
#define MODEL_LOGS_SEEN                                                                            \
	"PRAGMA query_only = OFF; CREATE TEMP TABLE remote(id, url, seq, chain);"                  \
	"CREATE TEMP TABLE remote_mine(class, row); CREATE TEMP TABLE remote_void(seq, at, why);"  \
	"PRAGMA query_only = ON"
/* The first versions with branches that were moved, with bytes that were replaced, and with seams.
 * An older file that is only read has none. */
#define MODEL_MOVES_SINCE 13
#define MODEL_MOVES_SEEN                                                                           \
	"PRAGMA query_only = OFF; CREATE TEMP TABLE hung(id INTEGER PRIMARY KEY, tree, depth, "    \
	"born, born_from, place, ver); PRAGMA query_only = ON"
#define MODEL_KEPT_SINCE 14
#define MODEL_KEPT_SEEN                                                                            \
	"PRAGMA query_only = OFF; CREATE TEMP TABLE kept(id INTEGER PRIMARY KEY, op, kind, name, " \
	"bytes, now); PRAGMA query_only = ON"
#define MODEL_SEAMS_SINCE 15
#define MODEL_SEAMS_SEEN                                                                           \
	"PRAGMA query_only = OFF; CREATE TEMP TABLE seam(id INTEGER PRIMARY KEY, skip, put, cut, " \
	"live, ver); PRAGMA query_only = ON"
/* The first version with persons. In an older one that is only read, the founder is the only
 * one. */
#define MODEL_PERSONS_SINCE 10
#define MODEL_PERSONS_SEEN                                                                         \
	"PRAGMA query_only = OFF; CREATE TEMP TABLE member(" MODEL_MEMBER ");"                     \
	"CREATE TEMP TABLE place(" MODEL_PLACE ");"                                                \
	"CREATE TEMP VIEW grove AS SELECT grove.*, NULL AS shared FROM main.grove;"                \
	"CREATE TEMP VIEW proposal AS SELECT proposal.*, NULL AS person FROM main.proposal;"       \
	"PRAGMA query_only = ON"
/* The accounts that act as persons: `role` is an account of this machine ("uid:1000") or of the
 * server that has the log ("role:marie"), `may` an
 * enum loom_member_may, `by` the person who added it, `key` the public half of its signing key. */
#define MODEL_MEMBER                                                                               \
	"id INTEGER PRIMARY KEY, op INTEGER NOT NULL, role TEXT NOT NULL, agent INTEGER NOT "      \
	"NULL, may INTEGER NOT NULL, by INTEGER NOT NULL, since INTEGER NOT NULL, live INTEGER "   \
	"NOT NULL DEFAULT 1, key BLOB, ver INTEGER NOT NULL DEFAULT 1"
/* The current tree of each person but the founder, whose is in the grove's row. */
#define MODEL_PLACE "agent INTEGER PRIMARY KEY, tree INTEGER NOT NULL"

#define MODEL_STATEMENTS 512
/* The longest name of an account: on a server it has up to 63 bytes. */
#define MODEL_ROLE_MAX 80

#define MODEL_ID_BYTES 16

/* Ties a log to its store (epoch.c). */
struct model_marker {
	uint8_t store[MODEL_ID_BYTES]; /* the file's own id, permanent */
	uint8_t epoch[MODEL_ID_BYTES]; /* of the file's state since the log was begun or folded */
	uint8_t over[MODEL_ID_BYTES];  /* the previous epoch */
};
/* How a read-only connection recognises its file. */
struct model_still {
	bool known;
	uint8_t epoch[MODEL_ID_BYTES]; /* in the file */
	uint8_t next[MODEL_ID_BYTES];  /* which it gets when the log is folded */
	int64_t version;               /* of the data, as this connection sees it */
	char story[80];                /* the last event seen (loom_story_mark) */
};

struct model_statement {
	const char *sql; /* a literal: its address is the key */
	sqlite3_stmt *stmt;
};

/* The times of a folder. */
struct model_stamp {
	struct timespec names;  /* last change of an entry */
	struct timespec itself; /* last change of the folder itself */
};

struct loom_store {
	sqlite3 *db;
	struct loom_env *env;
	struct loom_buf dir;  /* the project's folder */
	struct loom_buf file; /* …/.loom/grove.db */
	bool read_only;       /* requested, or the file has a newer version */
	bool newer;
	bool ready; /* opened: from now on a statement SQLite rejects is our bug, not the file's
		       fault */
	uint64_t log_inode;         /* of the log that SQLite has open */
	uint64_t shared_inode;      /* of the shared-memory file */
	struct model_marker marker; /* as of opening */
	struct model_still still;   /* as of the last check */
	bool strange;               /* the file was replaced by another: reading is over */
	uint32_t epoch_page;        /* page of the marker; 0: a file from before epochs */
	size_t page_size;
	bool state_found; /* its state folder exists */
	int log_pages;    /* in the log after this connection's last commit */
	int lock_fd;
	char role[MODEL_ROLE_MAX]; /* the account that works here, as members have it */
	int64_t group;             /* the group that shares the grove, or LOOM_PRIVATE */
	int64_t me; /* the person who works here; 0: not looked up yet, or not in the grove yet */
	char own[LOOM_ULID_CHARS + 1]; /* that person, unless it is the account's first; else "" */
	int folder_fd;                 /* .loom, for fstat only; -1 if it could not be opened */
	struct model_stamp stamp;      /* of .loom at the last check of the files */
	bool stood;                    /* that check passed, and the stamp can be relied on */
	int views;
	int64_t data_version;
	int64_t rows_base;
	struct loom_ulid ulid;
	struct loom_task *task; /* progress and cancellation of long work; NULL: none */
	struct loom_session
		*session; /* the session that owns the open operations; NULL: none begun */
	bool writing;     /* a write transaction is open */
	struct model_remote *remote; /* the shared log that writes go to (remote.h); NULL: none */
	bool in_log;                 /* its file names a shared log, so others write too */
	bool extracts;               /* a summary that is due is made at once, as an extract */
	const struct loom_turner *turner; /* turns files beside the grove (op.h); nullable */
	struct model_held *held; /* state kept for the rooms above (tree_rows.h); nullable */
	struct model_statement statements[MODEL_STATEMENTS];
};

/* --- errors --- */

/* Fills *err with SQLite's error in words, never a bare number, and returns the status. */
enum loom_status model_sqlite_fail(struct loom_store *store, int code, struct loom_err *err);
/* An error from a connection that is already closed. */
struct model_trouble {
	int code; /* SQLITE_OK: nothing */
	int system_error;
};
/* Fills *err like model_sqlite_fail, for an error from a closed connection. */
enum loom_status model_trouble_fail(struct loom_store *store, const struct model_trouble *trouble,
				    struct loom_err *err);
/* Returns the errno behind an SQLite failure; 0 if there was none or it is unknown. */
int model_errno_of(sqlite3 *db, int code);

/* --- statements ---
 * struct query q = model_query(store, "SELECT …", err);  bind  while (model_row(&q)) …
 * return model_done(&q);   A failure anywhere makes the rest do nothing and is returned at the end.
 */
struct query {
	struct loom_store *store;
	sqlite3_stmt *stmt;
	struct loom_err *err;
	enum loom_status status;
	int bound;
};

/* Starts a cached statement for binding. A failure is kept in q.status, and every later call on the
 * query does nothing. */
struct query model_query(struct loom_store *store, const char *sql, struct loom_err *err);
/* Binds a number to the next parameter. */
void model_bind(struct query *q, int64_t value);
/* Binds a number to the next parameter; NULL for 0. */
void model_bind_or_null(struct query *q, int64_t value);
/* Binds a text to the next parameter; borrowed until the query is done. */
void model_bind_text(struct query *q, struct loom_str value);
/* Binds bytes to the next parameter; borrowed until the query is done. */
void model_bind_blob(struct query *q, const void *bytes, size_t n);
/* Binds NULL to the next parameter. */
void model_bind_null(struct query *q);
/* Numbers that a statement reads as the table `numbers(?)`, with columns `id` and `at` (the
 * position, from 0) (numbers.c). Each is fetched after the previous row was read. */
struct model_numbers {
	int64_t (*next)(void *ctx); /* 0: no more */
	void *ctx;
};
/* Binds a list of numbers to the next parameter; borrowed until the query is done. */
void model_bind_numbers(struct query *q, struct model_numbers *numbers);
/* Registers the table `numbers`. Call once per connection, before a statement uses it. */
enum loom_status model_numbers_register(struct loom_store *store, struct loom_err *err);
/* Steps; true if there is a row. */
bool model_row(struct query *q);
/* Resets the statement and returns the first failure, or LOOM_OK. Every query must end with
 * this. */
enum loom_status model_done(struct query *q);
/* Runs a statement that returns no rows, and ends the query. */
enum loom_status model_run(struct query *q);
/* Runs an INSERT … RETURNING and ends the query; *out is the new row's number. */
enum loom_status model_insert(struct query *q, int64_t *out);
/* Steps once and ends the query; *out is the first column, or `none` without a row. */
enum loom_status model_one(struct query *q, int64_t none, int64_t *out);

/* Returns a column (counted from 0) as a number; 0 without a row. */
int64_t model_int(const struct query *q, int column);
/* Returns whether a column is NULL; true without a row. */
bool model_is_null(const struct query *q, int column);
/* Returns a column as text, borrowed until the next step; empty without a row. */
struct loom_str model_borrow(const struct query *q, int column);
/* Returns a column as text, copied to the arena; empty without a row. */
struct loom_str model_text(const struct query *q, int column, struct loom_arena *arena);
/* Reads a column as a ULID; all zeros if it is not one. */
void model_ulid(const struct query *q, int column, struct loom_ulid *out);

/* Runs a script of several statements. */
enum loom_status model_script(struct loom_store *store, const char *sql, struct loom_err *err);

/* Steps of a statement between two checks for cancellation: less than a millisecond. */
#define MODEL_STEPS_BETWEEN 10000

/* --- opening --- */
/* Writes the first rows of a new grove, inside a transaction. */
typedef enum loom_status model_first_rows(struct loom_store *store, struct loom_err *err);
/* Creates our schema and the rows of `first_rows` in an empty file. */
enum loom_status model_schema_create(struct loom_store *store, model_first_rows *first_rows,
				     struct loom_err *err);
/* Sets *out_version and refuses a schema with triggers, views or virtual tables that its version
 * does not have. A schema newer than ours is not examined. */
enum loom_status model_schema_known(struct loom_store *store, int64_t *out_version,
				    struct loom_err *err);
/* Returns LOOM_DAMAGED for a version below 1: something overwrote it. */
enum loom_status model_schema_version_ok(struct loom_store *store, int64_t version,
					 struct loom_err *err) LOOM_MUST;
/* Migrates the file to our version, one transaction per step. */
enum loom_status model_schema_migrate(struct loom_store *store, struct loom_err *err);
/* With the writer lock held: makes a complete, checked copy beside the grove before it is migrated
 * to `version`. The copy gets an unused name, or keeps an existing file with the same bytes; no
 * other file is trusted, replaced or removed. */
enum loom_status model_copy_before(struct loom_store *store, int version, struct loom_err *err);
/* Creates a store for the grove in `dir`, with nothing opened. Free it with model_store_close. */
struct loom_store *model_store_create(struct loom_env *env, struct loom_str dir, bool read_only);
/* Opens a store as loom_store_open does (open_store.h), up to the point where operations begin: the
 * file is ours, readable, and of our version or migrated to it. *out is NULL on failure. */
enum loom_status model_store_open(struct loom_env *env, struct loom_str dir,
				  enum loom_access access, struct loom_store **out,
				  struct loom_err *err) LOOM_MUST;
/* Marks the store as open: from now on a statement SQLite rejects is our bug, and scanned rows are
 * counted. */
void model_store_ready(struct loom_store *store);
/* Folds the log, closes all files and frees the store. NULL is fine. The caller has released
 * `held`. */
void model_store_close(struct loom_store *store);
/* Creates a grove, as loom_grove_init does (open_store.h). */
enum loom_status model_grove_make(struct loom_env *env, struct loom_str dir,
				  model_first_rows *first_rows, struct loom_err *err) LOOM_MUST;
/* Opens .loom/lock, creating it if missing. */
enum loom_status model_open_lock(struct loom_store *store, struct loom_err *err);
/* Opens the database at store->file without checking what it is, and applies our settings. */
enum loom_status model_connect(struct loom_store *store, bool create, struct loom_err *err);
/* With the writer lock held: gives the file a log if it has none yet. */
enum loom_status model_require_wal(struct loom_store *store, struct loom_err *err);
/* Refuses a directory whose path is too long to hold a grove. */
enum loom_status model_refuse_long(struct loom_str dir, struct loom_err *err);
/* Refuses a file whose header is not ours or that others can write; *out_version is its
 * user_version. Lets a group write for now: model_check_group decides. */
enum loom_status model_inspect_file(struct loom_store *store, int64_t *out_version,
				    struct loom_err *err);
/* Refuses a directory on a network file system: connections there share no memory, and locks are
 * unreliable. */
enum loom_status model_refuse_network(const char *dir, struct loom_err *err);
/* --- in their places (in_place.c) --- */

/* Returns whether the file keeps a shared log; *out_status, if wanted, says whether it could be
 * asked. */
bool model_is_wal(struct loom_store *store, enum loom_status *out_status, struct loom_err *err);
/* Opens the .loom folder for stat only; the store closes it. */
void model_hold_folder(struct loom_store *store);
/* Records which log and shared-memory file SQLite has open. */
void model_note_beside(struct loom_store *store);
/* Refuses if the open files are no longer the ones at their paths: a write would be acknowledged
 * and then lost. */
enum loom_status model_refuse_moved(struct loom_store *store, struct loom_err *err);
/* Like model_refuse_moved, for reads: costs a single fstat while no name in the folder has changed.
 */
enum loom_status model_refuse_moved_since(struct loom_store *store, struct loom_err *err);

/* --- the epoch (epoch.c) --- */
/* Refuses, by name, a log or journal beside the store's file that does not belong to it, before
 * SQLite can replay it. */
enum loom_status model_epoch_refuse_strange(struct loom_store *store, struct loom_err *err);
struct model_strange {
	char log[4096 + 16];          /* its name */
	struct model_trouble trouble; /* why the file cannot be examined */
};
/* Returns whether the file at `path` has a log or journal that is not its own, or this cannot be
 * determined; *out tells which. */
bool model_epoch_strange(const char *path, struct model_strange *out);
/* Reads the store's identity; a file from before epochs has none. */
enum loom_status model_epoch_learn(struct loom_store *store, struct loom_err *err);
/* Refuses if the open file now holds another store, or another state of this one. */
enum loom_status model_epoch_refuse_other(struct loom_store *store, struct loom_err *err);
/* Fails with the message that the file was replaced; returns the status. */
enum loom_status model_refuse_replaced(const struct loom_store *store, struct loom_err *err);
/* Inside a write transaction: adds a marker to a store that has none. */
enum loom_status model_epoch_seed(struct loom_store *store, struct loom_err *err);
/* Inside a write transaction, before anything else: if the transaction begins a log, writes the
 * marker that ties it to the file. Refuses like model_epoch_refuse_other. */
enum loom_status model_epoch_begin(struct loom_store *store, struct loom_err *err);
/* Inside a write transaction, before a log is folded: writes a fresh epoch, which tells the file
 * from its older states. */
enum loom_status model_epoch_seal(struct loom_store *store, struct loom_err *err);
/* Gives a copy its own identity: random or, with a `kind`, derived from the original's. */
int model_epoch_rename(sqlite3 *copy, const char *kind);

/* --- folding the log into the file (fold_log.c) --- */
/* When closing, after the answer: folds the log if the lock is available soon; if not, the next
 * program will. */
void model_fold_last(struct loom_store *store);
/* After a commit, still under the lock: folds a log that has grown large. */
void model_fold_large(struct loom_store *store);
/* Returns whether the log is still the one that our connections write. */
bool model_log_is_ours(struct loom_store *store);
/* Refuses if the shared memory belongs to an earlier file of the same name. */
enum loom_status model_refuse_shared(struct loom_store *store, struct loom_err *err);
/* Turns off automatic folding for the connection. */
void model_fold_by_hand(struct loom_store *store);

/* --- files (grove_file.c) --- */
/* Returns whether a name in .loom belongs to one of the store's files. */
bool model_is_store_name(const char *name);
/* Removes the files beside a database that is no longer in use; missing ones are fine. */
void model_remove_beside(const char *path);
/* Removes a directory of ours and its contents, without following links. */
void model_remove_tree(const char *path);
/* Durably renames a new file to its final name. LOOM_CONFLICT if something exists there; nothing is
 * replaced. */
enum loom_status model_settle_file(const char *temp, const char *path, struct loom_err *err);

/* --- sharing (sharing.c) --- */
/* Sets the mode of a shared grove, whatever the umask, on a file that this account created in it.
 */
void model_fit_file(const struct loom_store *store, int fd);
/* Sets the mode of a shared grove, whatever the umask, on a folder that this account created. */
void model_fit_folder(const struct loom_store *store, const char *path);
/* Gives the group that can write the file, or LOOM_PRIVATE. LOOM_FOREIGN if anybody else can. */
enum loom_status model_judge_modes(const char *path, const struct stat *info, int64_t *out_group,
				   struct loom_err *err);
/* Refuses unless the grove's row names the same group. */
enum loom_status model_check_group(struct loom_store *store, struct loom_err *err);
/* Sets the group from the folder alone: for a file that is about to be put there. */
void model_place_group(struct loom_store *store);
/* Returns whether the directory has a grove that cannot be read. */
bool model_is_shut(const char *dir);
/* Refuses such a directory, naming its owner and what they can do. */
enum loom_status model_refuse_shut(const char *dir, struct loom_err *err);
/* Gives everything in .loom to the group, or to its owner alone (LOOM_PRIVATE); without `do_it`,
 * only checks whether that is possible. */
enum loom_status model_share_files(struct loom_store *store, int64_t group, bool do_it,
				   struct loom_err *err);

/* --- who works here (me.c) --- */
/* Writes the role of an account of this machine, such as "uid:1000". */
void model_account_role(int64_t user, char out[MODEL_ROLE_MAX]);
/* Writes the role of an account of a server, such as "role:marie"; too long a name is cut. */
void model_server_role_of(struct loom_str name, char out[MODEL_ROLE_MAX]);
/* Returns how people call the account that a role is, in the arena. */
struct loom_str model_role_name(struct loom_str role, struct loom_arena *arena);
/* Looks up store->me; it stays 0 for an account that is not in the grove yet. LOOM_NOT_FOUND or
 * LOOM_PERMISSION for a LOOM_ME that cannot be used. */
enum loom_status model_me(struct loom_store *store, struct loom_err *err);
/* Makes the account's first person the one who works here, whatever LOOM_ME says. */
enum loom_status model_me_usual(struct loom_store *store, struct loom_err *err);
/* LOOM_PERMISSION for another account's person in a shared grove. */
enum loom_status model_person_mine(struct loom_store *store, struct loom_str name,
				   struct loom_err *err);
/* Sets *out to whether a member has registered the key. */
enum loom_status model_member_key(struct loom_store *store, const uint8_t key[32], bool *out,
				  struct loom_err *err);

/* --- the writer lock (writer_lock.c) --- */

/* Takes the writer lock, waiting a bounded time. LOOM_BUSY names the holder; LOOM_CANCELLED if the
 * store's task was cancelled. */
enum loom_status model_lock(struct loom_store *store, struct loom_err *err);
/* Takes the writer lock if it is free within `ms`; false otherwise, without an error. */
bool model_lock_within(struct loom_store *store, int64_t ms);
/* Releases the writer lock; does nothing without it. */
void model_unlock(struct loom_store *store);

/* --- who has it open (holders.c) --- */
/* Refuses if any process has the grove open, and names them. Must not be called by a process that
 * has it open itself. */
enum loom_status model_refuse_open(struct loom_store *store, struct loom_err *err);
/* Keeps everybody from opening or using the grove until *out_fd is closed. */
enum loom_status model_keep_shut(struct loom_store *store, int *out_fd, struct loom_err *err);

/* --- its state outside (state_folder.c) --- */
/* Appends the name of the grove's state and cache folders. */
void model_state_key(struct loom_store *store, struct loom_buf *out);
/* After a restore: takes over the state kept for the grove that was here before, if it is the same
 * grove. */
void model_state_carry(struct loom_store *store);

#endif
