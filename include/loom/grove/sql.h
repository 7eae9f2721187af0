/* Inside the store: the connection, cached statements, the journal. For the rooms that know SQL. */
#ifndef LOOM_STORE_IMPL_H
#define LOOM_STORE_IMPL_H

#include <sqlite3.h>

#include <loom/base/hash.h>
#include <loom/text/deceiving_names.h>
#include <loom/tree/node.h>
#include <loom/tree/op.h>
#include <loom/tree/request.h>
#include <loom/grove/store.h>

#include <loom/files/state_file.h>

#define MODEL_SCHEMA_VERSION 9
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

/* What creating below a node needs of it; a few are kept while the lock is held. */
struct model_parent {
	int64_t id; /* 0: empty slot */
	int64_t tree;
	int64_t group;
	int64_t depth;
	int64_t jump;
	int64_t jump_depth;
	int64_t jump2; /* the jump of its jump, -1: not known */
	int64_t jump2_depth;
	int64_t op;
	int64_t group_op;
	int64_t edited_from;
	int64_t from_node;
	int64_t parent;
	int64_t num;
	int64_t ord[4];   /* highest ordinal below its group by kind, -1: not known */
	int64_t host;     /* of the graft it belongs to, 0: none, or not known */
	bool has_sources; /* extra sources hang on it */
	struct loom_hash hash;
};
#define MODEL_PARENTS 64

/* What a long write hangs below one older group (graft.c). */
struct model_graft {
	int64_t parent;
	int64_t seq; /* of its journal entry, 0: none yet */
	int64_t children;
	struct loom_count count;
	int64_t low; /* ordinals of its children: all are between the two */
	int64_t high;
	bool dirty;
};

/* The tree being written to: its counters are written back once a transaction. */
struct model_tree_state {
	int64_t id; /* 0: none */
	int64_t op;
	int mode;
	int64_t next_num;
	int64_t next_note;
	int64_t nodes;
	int64_t leaves;
	int64_t branches;
	int64_t active;
	bool dirty;
	bool has_pruned; /* some node of it is pruned */
	bool has_root;
};

/* The write under way. */
struct model_write {
	bool active;
	bool quiet;
	bool finishing; /* the last commit of a long write */
	int64_t op;     /* 0 until its row is there */
	int64_t change; /* last journal entry of it */
	bool fresh;     /* its row was made in this transaction */
	struct loom_op_spec spec;
	struct loom_buf text;
	int64_t last_node; /* highest node number, cached while the lock is held */
	struct model_tree_state tree;
	struct model_parent parents[MODEL_PARENTS];
	int64_t author; /* whose ULID is at hand */
	char author_ulid[LOOM_ULID_CHARS + 1];
	int64_t linked[8]; /* operations already recorded as needed, newest first */
	struct model_graft *grafts;
	size_t graft_count;
	size_t graft_cap;
};

/* Whether a text fits its hash, of those that were shown lately. */
struct model_judged {
	int64_t node; /* 0: empty slot */
	bool damaged;
};
#define MODEL_JUDGED 256

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
	int views;
	int64_t data_version;
	int64_t rows_base;
	struct loom_ulid ulid;
	struct loom_task *task;       /* who may stop what takes long; NULL: nobody */
	struct loom_request *request; /* what is written for; NULL: nothing that has an id */
	struct loom_session *session; /* whose open operations these are; NULL: none were begun */
	struct model_write write;
	struct model_judged judged[MODEL_JUDGED];
	int64_t key_tree; /* whose local ids' key is at hand, 0: none */
	uint64_t key;
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
void model_bind_or_null(struct query *q, int64_t value); /* 0: NULL */
void model_bind_text(struct query *q, struct loom_str value);
void model_bind_blob(struct query *q, const void *bytes, size_t n);
void model_bind_null(struct query *q);
/* Numbers that a statement reads as the table `numbers(?)`, with their `id` and their place `at`
 * from 0 (numbers.c). Each is asked for when the row of the one before was read. */
struct model_numbers {
	int64_t (*next)(void *ctx); /* 0: that was all */
	void *ctx;
};
/* Borrowed until the query is done. */
void model_bind_numbers(struct query *q, struct model_numbers *numbers);
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
bool model_is_null(const struct query *q, int column);
/* Borrowed until the next step. */
struct loom_str model_borrow(const struct query *q, int column);
/* Copied. */
struct loom_str model_text(const struct query *q, int column, struct loom_arena *arena);
void model_ulid(const struct query *q, int column, struct loom_ulid *out);

/* Runs a script of several statements. */
enum loom_status model_script(struct loom_store *store, const char *sql, struct loom_err *err);

/* How many steps of a statement pass between two looks at whether it is to stop: under a
 * millisecond. */
#define MODEL_STEPS_BETWEEN 10000

/* --- opening --- */
enum loom_status model_schema_create(struct loom_store *store, struct loom_err *err);
/* Refuses a schema with triggers, views or virtual tables that are not of its version, which is in
 * *out_version then; one newer than ours is not looked into. */
enum loom_status model_schema_known(struct loom_store *store, int64_t *out_version,
				    struct loom_err *err);
/* Every step from the file's version to ours, each in a transaction of its own. */
enum loom_status model_schema_migrate(struct loom_store *store, struct loom_err *err);
/* Under the writer lock: a whole, checked copy beside the grove before it is brought to `version`,
 * under a name that nothing had, or that had these very bytes; nothing else is ever trusted,
 * replaced or removed. */
enum loom_status model_copy_before(struct loom_store *store, int version, struct loom_err *err);
/* A store of the grove in `dir` with nothing opened. */
struct loom_store *model_store_create(struct loom_env *env, struct loom_str dir, bool read_only);
/* Opens .loom/lock, making it when it is missing. */
enum loom_status model_open_lock(struct loom_store *store, struct loom_err *err);
/* Opens the file at store->file without looking at what it is; settings applied. */
enum loom_status model_connect(struct loom_store *store, bool create, struct loom_err *err);
/* Under the writer lock: the file gets a log, if it has none yet. */
enum loom_status model_require_wal(struct loom_store *store, struct loom_err *err);
/* Remembers which log the connection has open. */
void model_note_beside(struct loom_store *store);
/* Refuses a directory whose path is too long for a grove in it. */
enum loom_status model_refuse_long(struct loom_str dir, struct loom_err *err);
/* Refuses a file whose header is not ours; *out_version is its user_version. */
enum loom_status model_inspect_file(const char *path, int64_t *out_version, struct loom_err *err);
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
/* Inside a write transaction: the marker of a store that has none yet; the one that a log begins
 * with, when it does; and a fresh one. */
enum loom_status model_epoch_seed(struct loom_store *store, struct loom_err *err);
enum loom_status model_epoch_begin(struct loom_store *store, struct loom_err *err);
enum loom_status model_epoch_seal(struct loom_store *store, struct loom_err *err);
/* Makes a copy a store of its own: drawn by chance, or, for a `kind`, from what it was. */
int model_epoch_rename(sqlite3 *copy, const char *kind);
/* A marker as it stands on a page. */
bool model_marker_on_page(const uint8_t *page, size_t size, struct model_marker *out);
/* Opens a file for reading without its log and without its locks. */
int model_open_alone(const char *path, sqlite3 **out);

/* --- folding the log into the file (fold_log.c) --- */
/* At closing, after the answer: takes the lock and gives up soon, for what cannot be done now the
 * next one does. */
void model_fold_last(struct loom_store *store);
/* After a commit, still under the lock: when the log has grown large. */
void model_fold_large(struct loom_store *store);
/* Whether all of the log is in the file. */
bool model_fold_whole(struct loom_store *store);
/* Whether the log is still the one that the connections have written. */
bool model_log_is_ours(struct loom_store *store);
/* Refuses when what the connections share is of a file that stood here before. */
enum loom_status model_refuse_shared(struct loom_store *store, struct loom_err *err);
/* From now on the connection folds only when it is told to. */
void model_fold_by_hand(struct loom_store *store);

/* The first rows of a new grove: its name and its owner. */
enum loom_status model_grove_seed(struct loom_store *store, struct loom_err *err);

/* --- files (grove_file.c) --- */
/* Whether a file of this name in .loom is the store's. */
bool model_is_store_name(const char *name);
/* Removes what stands beside a database that is nobody's any more; what is not there is fine. */
void model_remove_beside(const char *path);
/* Removes a directory of ours with all that is in it, following no link. */
void model_remove_tree(const char *path);
/* A file that was made beside gets its name for good, and replaces nothing: LOOM_CONFLICT. */
enum loom_status model_settle_file(const char *temp, const char *path, struct loom_err *err);

/* --- the writer lock (writer_lock.c) --- */
enum loom_status model_lock(struct loom_store *store, struct loom_err *err);
/* The same, for at most so long, and nobody is told why not. */
bool model_lock_within(struct loom_store *store, int64_t ms);
/* Lets the next writer in; without the lock it does nothing. */
void model_unlock(struct loom_store *store);

/* --- requests (request.c) --- */
/* The id of the next operation of the request that is under way; false: there is none. */
bool model_request_id(const struct loom_store *store, struct loom_op_id *out);
/* The request under way takes effect, with this operation (0: with none). Inside a write. */
enum loom_status model_request_note(struct loom_store *store, int64_t op, struct loom_err *err);

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

/* --- what waits to be done (job.c) --- */
/* Queues the summary of a new node, and of its tree every ten of them. Inside a write. */
enum loom_status model_sum_up(struct loom_store *store, int64_t node, int64_t num, int64_t tree,
			      struct loom_err *err);
/* A document's text was taken back: what it was summed up as goes with it, and it waits for
 * another. Inside a write. */
enum loom_status model_unsum_doc(struct loom_store *store, int64_t doc, struct loom_err *err);

/* --- the write under way --- */
/* The operation's number; makes its row at the first change. Fails in a quiet write. */
enum loom_status model_op_need(struct loom_store *store, int64_t *out_op, struct loom_err *err);
/* Records that the operation under way builds on `op` (itself is ignored). */
enum loom_status model_op_builds_on(struct loom_store *store, int64_t op, struct loom_err *err);

/* As above for what made an agent: LOOM_NOT_FOUND when there is none. */
enum loom_status model_builds_on_agent(struct loom_store *store, int64_t agent,
				       struct loom_err *err);

/* Mutable columns: id, table, column. The order is stored in groves: only append. */
#define MODEL_FIELDS(X)                                                                            \
	X(TREE_TITLE, "tree", "title")                                                             \
	X(TREE_DESCRIPTION, "tree", "description")                                                 \
	X(TREE_SUMMARY, "tree", "summary")                                                         \
	X(TREE_SYSTEM, "tree", "system")                                                           \
	X(TREE_SUBJECT, "tree", "subject")                                                         \
	X(MARK_BOOKMARK, "mark", "bookmark")                                                       \
	X(MARK_LABEL, "mark", "label")                                                             \
	X(MARK_PRUNED, "mark", "pruned")                                                           \
	X(MARK_EXCLUDED, "mark", "excluded")                                                       \
	X(MARK_SUMMARY, "mark", "summary")                                                         \
	X(MARK_SUMMARY_EXTRACT, "mark", "summary_extract")                                         \
	X(TAG_LIVE, "tag", "live")                                                                 \
	X(LINK_LIVE, "link", "live")                                                               \
	X(DOC_NAME, "doc", "name")                                                                 \
	X(DOC_HEAD, "doc", "head")                                                                 \
	X(DOC_SUMMARY, "doc", "summary")                                                           \
	X(AGENT_NAME, "agent", "name")                                                             \
	X(AGENT_MODEL, "agent", "model")                                                           \
	X(AGENT_SAMPLING, "agent", "sampling")                                                     \
	X(AGENT_AWARE, "agent", "aware")                                                           \
	X(PIN_LIVE, "pin", "live")                                                                 \
	X(STASH_LIVE, "stash", "live")                                                             \
	X(STASH_RECALLED, "stash", "recalled")

enum model_field {
#define X(name, table, column) MODEL_##name,
	MODEL_FIELDS(X)
#undef X
		MODEL_FIELD_COUNT
};

/* A stored value: a number, a text, or nothing. */
struct model_value {
	enum { MODEL_NULL, MODEL_INT, MODEL_TEXT } type;
	int64_t n;
	struct loom_str s;
};
/* Binds it as the next parameter. */
void model_bind_value(struct query *q, struct model_value value);
/* A number to be stored; and a text, borrowed. */
struct model_value model_of_int(int64_t n);
struct model_value model_of_text(struct loom_str s);

/* Changes one column and journals before and after; *out_changed (nullable) is false when it was
 * so already. LOOM_FAULT when the row is missing. */
enum loom_status model_set(struct loom_store *store, enum model_field field, int64_t row,
			   struct model_value value, bool *out_changed, struct loom_err *err);
/* Journals that this operation made a node, and how much came with it, so that undo and redo can
 * keep the counters. */
enum loom_status model_made(struct loom_store *store, int64_t node, const struct loom_count *what,
			    struct loom_err *err);

/* --- the tree being written to (tree_row.c) --- */
/* Makes `tree` the one in store->write.tree; what was changed of another is written back. */
enum loom_status model_tree_state(struct loom_store *store, int64_t tree, struct loom_err *err);
/* Writes back what was changed of the one that is held. */
enum loom_status model_tree_flush(struct loom_store *store, struct loom_err *err);

/* --- counters --- */
/* A subtree comes to (+1) or goes from (-1) below group `parent`: its child count, and the tree's
 * counters when the parent itself can be seen. */
enum loom_status model_count_attach(struct loom_store *store, int64_t parent, int64_t tree,
				    const struct loom_count *what, int sign, struct loom_err *err);
/* Where the ways to two groups part: the lowest group on both, or the root of `to` when they are in
 * two trees; *out_top is the next one on the way to `to`, 0 when that is where they part. */
enum loom_status model_part(struct loom_store *store, int64_t from, int64_t to, int64_t *out_meet,
			    int64_t *out_top, struct loom_err *err);
/* As above for several children at once. */
struct model_set_of {
	int64_t children;
	struct loom_count count;
};
enum loom_status model_count_attach_all(struct loom_store *store, int64_t parent, int64_t tree,
					const struct model_set_of *what, int sign,
					struct loom_err *err);
/* How many branches a node with so many children has. */
int64_t model_branches(int64_t children);
/* Adds one to the child count of a group and nothing else; *out is how many there were. */
enum loom_status model_count_child(struct loom_store *store, int64_t parent, int64_t *out,
				   struct loom_err *err);

/* --- what long writes hang on older groups (graft.c) --- */
void model_graft_reset(struct model_write *write);
/* The older group above a group of the write under way. */
enum loom_status model_graft_host(struct loom_store *store, int64_t group, int64_t *out,
				  struct loom_err *err);
/* A new child of an older group, at this ordinal. */
void model_graft_child(struct loom_store *store, int64_t host, int64_t ord);
/* A new child further down, beside so many. */
void model_graft_below(struct loom_store *store, int64_t host, int64_t siblings);
/* Writes what has changed to the journal; reads all back; applies them at the end. */
enum loom_status model_graft_flush(struct loom_store *store, struct loom_err *err);
enum loom_status model_graft_load(struct loom_store *store, struct loom_err *err);
enum loom_status model_graft_finish(struct loom_store *store, struct loom_err *err);
/* From a journal entry; false when it is none. */
bool model_graft_read(int64_t parent, int64_t nodes, struct loom_str rest, struct model_graft *out);
/* All of it comes into sight (1) or goes out of it (-1). */
enum loom_status model_graft_move(struct loom_store *store, const struct model_graft *graft,
				  int sign, struct loom_err *err);
/* How many children of a group stand before an ordinal that hidden long writes have made. */
enum loom_status model_graft_hidden_before(struct loom_store *store, int64_t parent, int64_t ord,
					   int64_t *out, struct loom_err *err);
/* Whether a member of the group is visible and not pruned. */
enum loom_status model_group_shown(struct loom_store *store, int64_t group, bool *out,
				   struct loom_err *err);
/* Sets the pruned mark (journalled unless it is restored by undo) and keeps the counters. */
struct model_prune {
	int64_t node;
	bool pruned;
	const volatile int *cancel;
	int64_t nodes; /* out: how many nodes went or came */
};
/* Marks the node and moves the counters above it; what->nodes is how many went or came. */
enum loom_status model_prune_set(struct loom_store *store, struct model_prune *what,
				 struct loom_err *err);
/* Makes sure that a node has a row of marks. */
enum loom_status model_mark_row(struct loom_store *store, int64_t node, struct loom_err *err);
/* Appends to the feed. */
enum loom_status model_event(struct loom_store *store, int64_t op, enum loom_event_act act,
			     int64_t actor, struct loom_err *err);

/* --- rows of nodes (node_read.c) --- */
/* For "SELECT … FROM node n": narrow columns, then body, then mark, at fixed places. */
#define MODEL_NARROW                                                                               \
	"n.id, n.ulid, n.tree, n.num, n.prime, n.kind, n.grp, n.parent, n.from_node, "             \
	"n.edited_from, n.ord, n.depth, n.jump, n.op, n.author, n.thread, n.seq, n.created, "      \
	"n.bytes, n.children"
#define MODEL_NO_BODY "NULL, NULL, NULL, NULL"
#define MODEL_BODY    "b.text, b.hash, b.parents, b.raw_hash"
#define MODEL_NO_MARK "NULL, NULL, NULL, NULL, NULL, NULL"
#define MODEL_MARK    "m.bookmark, m.pruned, m.excluded, m.label, m.summary, m.summary_extract"
/* clang-format off */
#define MODEL_SELECT(body, mark, from, rest)                                                       \
	"SELECT " MODEL_NARROW ", " body ", " mark " FROM " from " " rest
#define MODEL_WITH_BODY                " JOIN body b ON b.id = n.id "
#define MODEL_WITH_MARK                " LEFT JOIN mark m ON m.id = n.id "
/* For loom_node_path_said: the same places, and less at them. */
#define MODEL_SELECT_SAID(from)                                                                    \
	"SELECT n.id, NULL, n.tree, n.num, n.prime, n.kind, n.grp, n.parent, n.from_node, NULL, "  \
	"NULL, n.depth, NULL, NULL, n.author, NULL, NULL, n.created, n.bytes, n.children, "        \
	"b.text, NULL, NULL, NULL, m.bookmark, m.pruned, m.excluded, NULL, m.summary, "            \
	"m.summary_extract FROM " from MODEL_WITH_BODY MODEL_WITH_MARK
/* The four forms of one query: `from` brings in node n, `rest` stands behind the joins. */
#define MODEL_NODE_FORMS(from, rest) {                                                             \
	MODEL_SELECT(MODEL_NO_BODY, MODEL_NO_MARK, from, rest),                                    \
	MODEL_SELECT(MODEL_BODY, MODEL_NO_MARK, from MODEL_WITH_BODY, rest),                       \
	MODEL_SELECT(MODEL_NO_BODY, MODEL_MARK, from MODEL_WITH_MARK, rest),                       \
	MODEL_SELECT(MODEL_BODY, MODEL_MARK, from MODEL_WITH_BODY MODEL_WITH_MARK, rest),          \
}
/* clang-format on */
/* Where a node stands; `parent` 0 for a root. */
struct model_place {
	int64_t tree, group, parent;
};
/* LOOM_NOT_FOUND when there is no such node. */
enum loom_status model_node_place(struct loom_store *store, int64_t node, struct model_place *out,
				  struct loom_err *err);
#define MODEL_DONE_OP  " JOIN op o ON o.id = n.op AND o.state = 1 "
#define MODEL_AT_DEPTH 11
/* Which of the four. */
size_t model_node_form(unsigned parts);
/* A row of model_node_form's statement; texts as far as `parts` asks. */
void model_read_node(const struct query *q, unsigned parts, struct loom_arena *arena,
		     struct loom_node *out);
/* A row of MODEL_SELECT_SAID; `front` bytes before its text are free. */
void model_read_said(const struct query *q, size_t front, struct loom_arena *arena,
		     struct loom_node *out);
/* --- the search (index_feed.c, search_run.c) --- */
/* What rows of the index are of, besides an enum loom_hit_kind. */
enum { MODEL_HIT_DOC_SUMMARY = 5, MODEL_HIT_TREE_SUMMARY = 6 };

struct loom_search {
	struct loom_store *grove; /* borrowed */
	bool sums;                /* the grove says what was summed up */
	struct loom_store index;  /* only its connection, statements and file are used */
	uint64_t *known;          /* hashes of words that are in the vocabulary, or NULL */
	struct loom_buf fresh;    /* words to come into it, each ended by a NUL */
};

/* Gives the index's connection its tokenizer, which notes the words of what is indexed. */
enum loom_status model_words_register(struct loom_search *search, struct loom_err *err) LOOM_MUST;
/* Writes the words noted since into the vocabulary; inside the transaction that indexed them. */
enum loom_status model_words_keep(struct loom_search *search, struct loom_err *err) LOOM_MUST;
/* What was noted did not come to be: forgets it, and what it took for known. */
void model_words_forget(struct loom_search *search);
/* Appends what the index is asked for a phrase whose last word may still be growing. */
enum loom_status model_words_growing(struct loom_search *search, struct loom_str phrase,
				     struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* Whether a new name may be given: by itself, and beside the others that `others` selects, one
 * a row, without row ?1. What comes with a text that is brought in is marked where it is shown, and
 * never refused. */
enum loom_status model_name_check(struct loom_store *store, enum loom_named what,
				  struct loom_str name, const char *others, int64_t self,
				  struct loom_err *err) LOOM_MUST;
/* The same for a title or a label. */
enum loom_status model_label_check(struct loom_store *store, const char *what,
				   struct loom_str label, struct loom_err *err) LOOM_MUST;

#endif
