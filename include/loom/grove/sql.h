/* Inside the store: the connection, cached statements, opening. For the rooms that know SQL. What
 * rows mean, and what a write is made of, is above: tree_rows.h. */
#ifndef LOOM_STORE_IMPL_H
#define LOOM_STORE_IMPL_H

#include <sqlite3.h>
#include <sys/stat.h>

#include <loom/base/hash.h>
#include <loom/grove/sharing.h>
#include <loom/grove/store.h>

#include <loom/files/state_file.h>

#define MODEL_SCHEMA_VERSION 10
/* Persons whom an import made before there were claims become some: the file is in what the import
 * says of itself. */
#define MODEL_IMPORTED                                                                             \
	"agent.kind = 0 AND agent.id <> (SELECT owner FROM grove) AND agent.op IN (SELECT id "     \
	"FROM op WHERE kind IN ('import', 'paste'))"
#define MODEL_IMPORTED_FROM                                                                        \
	"(SELECT CASE WHEN instr(o.text, ' from ') > 0 THEN substr(o.text, instr(o.text, ' from "  \
	"') + 6) ELSE 'an import' END FROM op o WHERE o.id = agent.op)"
#define MODEL_CLAIM_IMPORTED                                                                       \
	"UPDATE agent SET claim = 3, origin = " MODEL_IMPORTED_FROM                                \
	" WHERE claim = 0 AND " MODEL_IMPORTED ";"
/* The first version that has claims. One before it that is only read is seen as if it had. */
#define MODEL_CLAIMS_SINCE 8
#define MODEL_CLAIMS_SEEN                                                                          \
	"PRAGMA query_only = OFF; CREATE TEMP VIEW agent AS SELECT agent.*, iif(" MODEL_IMPORTED   \
	", 3, 0) AS claim, "                                                                       \
	"coalesce(" MODEL_IMPORTED_FROM                                                            \
	", '') AS origin, NULL AS said FROM main.agent; PRAGMA query_only = ON"

/* The first version that knows persons. In one before it that is only read its founder is the only
 * one. */
#define MODEL_PERSONS_SINCE 10
#define MODEL_PERSONS_SEEN                                                                         \
	"PRAGMA query_only = OFF; CREATE TEMP TABLE member(" MODEL_MEMBER ");"                     \
	"CREATE TEMP TABLE place(" MODEL_PLACE ");"                                                \
	"CREATE TEMP VIEW grove AS SELECT grove.*, NULL AS shared FROM main.grove;"                \
	"CREATE TEMP VIEW proposal AS SELECT proposal.*, NULL AS person FROM main.proposal;"       \
	"PRAGMA query_only = ON"
/* Who speaks for whom: `role` is an account of this machine ("uid:1000"), `may` an enum
 * loom_member_may, `by` the person who let them in, `key` the public half of what they seal with. */
#define MODEL_MEMBER                                                                               \
	"id INTEGER PRIMARY KEY, op INTEGER NOT NULL, role TEXT NOT NULL, agent INTEGER NOT "      \
	"NULL, may INTEGER NOT NULL, by INTEGER NOT NULL, since INTEGER NOT NULL, live INTEGER "   \
	"NOT NULL DEFAULT 1, key BLOB, ver INTEGER NOT NULL DEFAULT 1"
/* The tree that each person works in; the founder's stands in the grove's row. */
#define MODEL_PLACE "agent INTEGER PRIMARY KEY, tree INTEGER NOT NULL"

#define MODEL_STATEMENTS 512

#define MODEL_ID_BYTES 16

/* What ties a log to its store (epoch.c). */
struct model_marker {
	uint8_t store[MODEL_ID_BYTES]; /* of the file, for good */
	uint8_t epoch[MODEL_ID_BYTES]; /* of its state since the log was begun, or folded */
	uint8_t over[MODEL_ID_BYTES];  /* the epoch before it */
};
/* What a connection that only reads knows its file by. */
struct model_still {
	bool known;
	uint8_t epoch[MODEL_ID_BYTES]; /* in the file */
	uint8_t next[MODEL_ID_BYTES];  /* that it has when the log is folded */
	int64_t version;               /* of the data, for this connection */
	char story[80];                /* up to where it had come */
};

struct model_statement {
	const char *sql; /* a literal: its address is the key */
	sqlite3_stmt *stmt;
};

struct loom_store {
	sqlite3 *db;
	struct loom_env *env;
	struct loom_buf dir;  /* project */
	struct loom_buf file; /* …/.loom/grove.db */
	bool read_only;       /* asked for, or a newer version */
	bool newer;
	bool ready; /* opened: what SQLite cannot make sense of now is our fault, not the file's */
	uint64_t log_inode;         /* of the log that SQLite has open */
	uint64_t shared_inode;      /* and of what the connections share */
	struct model_marker marker; /* as it was when the store was opened */
	struct model_still still;   /* as it was when that was last asked for */
	bool strange;               /* another stands in its place: nothing is read any more */
	uint32_t epoch_page;        /* where the marker stands; 0: a file from before epochs */
	size_t page_size;
	bool state_found; /* the folder of its state, if there is one */
	int log_pages;    /* in the log after this connection's last commit */
	int lock_fd;
	int64_t group; /* whose members may write here, or LOOM_PRIVATE */
	int64_t me;    /* the person who works here, 0: not asked for yet, or not in it yet */
	char own[LOOM_ULID_CHARS + 1]; /* who that is, unless it is whom the account is unasked */
	int views;
	int64_t data_version;
	int64_t rows_base;
	struct loom_ulid ulid;
	struct loom_task *task;       /* who may stop what takes long; NULL: nobody */
	struct loom_session *session; /* whose open operations these are; NULL: none were begun */
	bool writing;                 /* a write is under way, and its transaction is open */
	struct model_held *held; /* what the rooms above keep with it (tree_rows.h); nullable */
	struct model_statement statements[MODEL_STATEMENTS];
};

/* --- errors --- */

/* What SQLite said, in words; never a bare number. */
enum loom_status model_sqlite_fail(struct loom_store *store, int code, struct loom_err *err);
/* What a connection that is closed by now ran into. */
struct model_trouble {
	int code; /* SQLITE_OK: nothing */
	int system_error;
};
/* model_sqlite_fail for what happened there. */
enum loom_status model_trouble_fail(struct loom_store *store, const struct model_trouble *trouble,
				    struct loom_err *err);
/* What the system said when SQLite failed so; 0: it was not asked, or nobody knows. */
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

/* A cached statement, ready to be bound. What fails is in q.status from then on, and every
 * later call of it does nothing. */
struct query model_query(struct loom_store *store, const char *sql, struct loom_err *err);
/* Bind the next parameter. */
void model_bind(struct query *q, int64_t value);
/* NULL for 0. */
void model_bind_or_null(struct query *q, int64_t value);
/* Borrowed until the query is done. */
void model_bind_text(struct query *q, struct loom_str value);
/* Borrowed likewise. */
void model_bind_blob(struct query *q, const void *bytes, size_t n);
/* Binds nothing to it. */
void model_bind_null(struct query *q);
/* Numbers that a statement reads as the table `numbers(?)`, with their `id` and their place `at`
 * from 0 (numbers.c). Each is asked for when the row of the one before was read. */
struct model_numbers {
	int64_t (*next)(void *ctx); /* 0: that was all */
	void *ctx;
};
/* Borrowed until the query is done. */
void model_bind_numbers(struct query *q, struct model_numbers *numbers);
/* Once for each connection, before a statement names the table. */
enum loom_status model_numbers_register(struct loom_store *store, struct loom_err *err);
/* Steps: true when there is a row. */
bool model_row(struct query *q);
/* Resets; LOOM_OK unless something failed. Must end every query. */
enum loom_status model_done(struct query *q);
/* Steps a statement that gives no rows, and ends it. */
enum loom_status model_run(struct query *q);
/* Runs an INSERT … RETURNING to its end; *out is the number of the new row. */
enum loom_status model_insert(struct query *q, int64_t *out);
/* Steps once; *out is the first column, or `none` without a row; ends it. */
enum loom_status model_one(struct query *q, int64_t none, int64_t *out);

/* Columns count from 0; without a row 0, "" or true. */
int64_t model_int(const struct query *q, int column);
/* Also without a row. */
bool model_is_null(const struct query *q, int column);
/* Borrowed until the next step. */
struct loom_str model_borrow(const struct query *q, int column);
/* Copied. */
struct loom_str model_text(const struct query *q, int column, struct loom_arena *arena);
/* All naught when the column is none. */
void model_ulid(const struct query *q, int column, struct loom_ulid *out);

/* Runs a script of several statements. */
enum loom_status model_script(struct loom_store *store, const char *sql, struct loom_err *err);

/* How many steps of a statement pass between two looks at whether it is to stop: under a
 * millisecond. */
#define MODEL_STEPS_BETWEEN 10000

/* --- opening --- */
/* Writes the first rows of a new grove, inside a transaction. */
typedef enum loom_status model_first_rows(struct loom_store *store, struct loom_err *err);
/* Builds the schema of our version, and what `first_rows` puts into it, in an empty file. */
enum loom_status model_schema_create(struct loom_store *store, model_first_rows *first_rows,
				     struct loom_err *err);
/* Refuses a schema with triggers, views or virtual tables that are not of its version, which is in
 * *out_version then; one newer than ours is not looked into. */
enum loom_status model_schema_known(struct loom_store *store, int64_t *out_version,
				    struct loom_err *err);
/* LOOM_DAMAGED below 1: something has written over it. */
enum loom_status model_schema_version_ok(struct loom_store *store, int64_t version,
					 struct loom_err *err) LOOM_MUST;
/* Every step from the file's version to ours, each in a transaction of its own. */
enum loom_status model_schema_migrate(struct loom_store *store, struct loom_err *err);
/* Under the writer lock: a whole, checked copy beside the grove before it is brought to `version`,
 * under a name that nothing had, or that had these very bytes; nothing else is ever trusted,
 * replaced or removed. */
enum loom_status model_copy_before(struct loom_store *store, int version, struct loom_err *err);
/* A store of the grove in `dir` with nothing opened. */
struct loom_store *model_store_create(struct loom_env *env, struct loom_str dir, bool read_only);
/* The way of loom_store_open (open_store.h) up to where operations begin: the file is ours, is of
 * our version or was brought to it, and may be read. *out is NULL unless it is. */
enum loom_status model_store_open(struct loom_env *env, struct loom_str dir,
				  enum loom_access access, struct loom_store **out,
				  struct loom_err *err) LOOM_MUST;
/* It is open: what SQLite cannot make sense of from now on is our fault, and rows are counted. */
void model_store_ready(struct loom_store *store);
/* Folds its log, closes what is open of it and frees it. NULL is fine; nothing is held any more. */
void model_store_close(struct loom_store *store);
/* Makes a grove, as loom_grove_init (open_store.h) says. */
enum loom_status model_grove_make(struct loom_env *env, struct loom_str dir,
				  model_first_rows *first_rows, struct loom_err *err) LOOM_MUST;
/* Opens .loom/lock, making it when it is missing. */
enum loom_status model_open_lock(struct loom_store *store, struct loom_err *err);
/* Opens the file at store->file without looking at what it is; settings applied. */
enum loom_status model_connect(struct loom_store *store, bool create, struct loom_err *err);
/* Under the writer lock: the file gets a log, if it has none yet. */
enum loom_status model_require_wal(struct loom_store *store, struct loom_err *err);
/* Refuses a directory whose path is too long for a grove in it. */
enum loom_status model_refuse_long(struct loom_str dir, struct loom_err *err);
/* Refuses a file whose header is not ours, or that others may write; *out_version is its
 * user_version. One that a group may write is let through for now: model_check_group. */
enum loom_status model_inspect_file(struct loom_store *store, int64_t *out_version,
				    struct loom_err *err);
/* Refuses a directory on a network file system: what connections have in common there is no memory
 * that they share, and its locks cannot be relied on. */
enum loom_status model_refuse_network(const char *dir, struct loom_err *err);
/* Refuses when the files that are open are no longer those that stand there: what went into them
 * would be acknowledged, and gone. */
enum loom_status model_refuse_moved(struct loom_store *store, struct loom_err *err);
/* --- the epoch (epoch.c) --- */
/* Refuses by name a log or journal beside the store's file that does not belong to it, before
 * SQLite could replay it. */
enum loom_status model_epoch_refuse_strange(struct loom_store *store, struct loom_err *err);
struct model_strange {
	char log[4096 + 16];          /* its name */
	struct model_trouble trouble; /* why the file cannot be looked into */
};
/* Whether there is one beside the file at `path`, or it cannot be told. */
bool model_epoch_strange(const char *path, struct model_strange *out);
/* Reads which store this is; a file from before epochs says nothing. */
enum loom_status model_epoch_learn(struct loom_store *store, struct loom_err *err);
/* Refuses when the file that is open holds another store by now, or another state of this one. */
enum loom_status model_epoch_refuse_other(struct loom_store *store, struct loom_err *err);
/* Says so. */
enum loom_status model_refuse_replaced(const struct loom_store *store, struct loom_err *err);
/* The next three inside a write transaction. The marker of a store that has none yet. */
enum loom_status model_epoch_seed(struct loom_store *store, struct loom_err *err);
/* First in the transaction: when a log begins with it, the marker that says of which file. Refuses
 * as model_epoch_refuse_other does. */
enum loom_status model_epoch_begin(struct loom_store *store, struct loom_err *err);
/* Before a log is folded: a fresh one, which tells the file from what it was. */
enum loom_status model_epoch_seal(struct loom_store *store, struct loom_err *err);
/* Makes a copy a store of its own: drawn by chance, or, for a `kind`, from what it was. */
int model_epoch_rename(sqlite3 *copy, const char *kind);

/* --- folding the log into the file (fold_log.c) --- */
/* At closing, after the answer: takes the lock and gives up soon, for what cannot be done now the
 * next one does. */
void model_fold_last(struct loom_store *store);
/* After a commit, still under the lock: when the log has grown large. */
void model_fold_large(struct loom_store *store);
/* Whether the log is still the one that the connections have written. */
bool model_log_is_ours(struct loom_store *store);
/* Refuses when what the connections share is of a file that stood here before. */
enum loom_status model_refuse_shared(struct loom_store *store, struct loom_err *err);
/* From now on the connection folds only when it is told to. */
void model_fold_by_hand(struct loom_store *store);

/* --- files (grove_file.c) --- */
/* Whether a file of this name in .loom is the store's. */
bool model_is_store_name(const char *name);
/* Removes what stands beside a database that is nobody's any more; what is not there is fine. */
void model_remove_beside(const char *path);
/* Removes a directory of ours with all that is in it, following no link. */
void model_remove_tree(const char *path);
/* A file that was made beside gets its name for good, and replaces nothing: LOOM_CONFLICT. */
enum loom_status model_settle_file(const char *temp, const char *path, struct loom_err *err);

/* --- groups that share it (sharing.c) --- */
/* What is made in .loom has these. */
unsigned model_file_mode(const struct loom_store *store);
unsigned model_folder_mode(const struct loom_store *store);
/* Gives them, whatever the umask was, to what this account has made. */
void model_fit_file(const struct loom_store *store, int fd);
void model_fit_folder(const struct loom_store *store, const char *path);
/* Says that others may write into it, and that it is not opened therefore. */
enum loom_status model_refuse_writers(const char *path, struct loom_err *err);
/* Whose members may write into it by its modes; LOOM_FOREIGN when it is more than one group. */
enum loom_status model_judge_modes(const char *path, const struct stat *info, int64_t *out_group,
				   struct loom_err *err);
/* Refuses when the grove's row does not say so too. */
enum loom_status model_check_group(struct loom_store *store, struct loom_err *err);
/* Whose members may write there, whatever is in it: for what is put in its place. */
void model_place_group(struct loom_store *store);
/* Whether a grove is in there that cannot be looked into. */
bool model_is_shut(const char *dir);
/* The folder's .loom may not be looked into: says whose it is, and who can change that. */
enum loom_status model_refuse_shut(const char *dir, struct loom_err *err);
/* Everything in .loom becomes the group's, or its owner's alone (LOOM_PRIVATE); without `do_it` it
 * is only looked whether that can be. */
enum loom_status model_share_files(struct loom_store *store, int64_t group, bool do_it,
				   struct loom_err *err);

/* --- who works here (me.c) --- */
/* What speaks for an account of this machine. */
#define MODEL_ROLE_MAX 32
void model_account_role(int64_t user, char out[MODEL_ROLE_MAX]);
/* Settles store->me, when it can be: 0 stays for an account that is nobody here yet. LOOM_NOT_FOUND
 * or LOOM_PERMISSION for a LOOM_ME that it may not be. */
enum loom_status model_me(struct loom_store *store, struct loom_err *err);
/* LOOM_PERMISSION for a person who is another account's, where several work. */
enum loom_status model_person_mine(struct loom_store *store, struct loom_str name,
				   struct loom_err *err);
/* Whether somebody who works here seals with the key. */
enum loom_status model_member_key(struct loom_store *store, const uint8_t key[32], bool *out,
				  struct loom_err *err);

/* --- the writer lock (writer_lock.c) --- */
enum loom_status model_lock(struct loom_store *store, struct loom_err *err);
/* The same, for at most so long, and nobody is told why not. */
bool model_lock_within(struct loom_store *store, int64_t ms);
/* Lets the next writer in; without the lock it does nothing. */
void model_unlock(struct loom_store *store);

/* --- who has it open (holders.c) --- */
/* Names all who have the grove open. Never in a process that has it open itself. */
enum loom_status model_refuse_open(struct loom_store *store, struct loom_err *err);
/* Nobody can open it any more, or go on opening it, until the descriptor is closed. */
enum loom_status model_keep_shut(struct loom_store *store, int *out_fd, struct loom_err *err);

/* --- its state outside (state_folder.c) --- */
/* What the folders and files of its state and cache are called. */
void model_state_key(struct loom_store *store, struct loom_buf *out);
/* After a restore: what was kept for the grove that stood here before is this one's, if it is the
 * same grove. */
void model_state_carry(struct loom_store *store);

#endif
