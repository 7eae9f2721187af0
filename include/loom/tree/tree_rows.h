/* Inside the tree's rows: the write under way, the journal, counters, grafts, how nodes are read.
 * For the rooms that know SQL. */
#ifndef LOOM_TREE_ROWS_H
#define LOOM_TREE_ROWS_H

#include <loom/grove/sql.h>
#include <loom/text/deceiving_names.h>
#include <loom/tree/node.h>
#include <loom/tree/op.h>
#include <loom/tree/open_store.h>
#include <loom/tree/request.h>

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

/* What these rooms keep with an open store. */
struct model_held {
	struct model_write write;
	struct model_judged judged[MODEL_JUDGED];
	int64_t key_tree; /* whose local ids' key is at hand, 0: none */
	uint64_t key;
	struct loom_request *request; /* what is written for; NULL: nothing that has an id */
};

/* Whether an operation may change something now: for assertions. */
static inline bool model_in_op(const struct loom_store *store)
{
	return store->writing && store->held && !store->held->write.quiet;
}

/* The first rows of a new grove: its name and its founder. */
enum loom_status model_grove_seed(struct loom_store *store, struct loom_err *err);

/* --- agents and persons (agent.c, person.c) --- */
struct loom_agent;
/* Whether an agent may be called so; `self` (0: a new one) may have the name already. */
enum loom_status model_agent_name(struct loom_store *store, int64_t self, struct loom_str name,
				  struct loom_err *err);
/* Its row, made by the operation in store->held->write.op. */
enum loom_status model_agent_insert(struct loom_store *store, const struct loom_agent *spec,
				    int64_t *out, struct loom_err *err);
/* The first person of a grove that is being made. */
enum loom_status model_person_found(struct loom_store *store, int64_t *out, struct loom_err *err);
/* A grove that was opened for writing knows who works in it: its founder, whom an earlier loom did
 * not bind, and whoever is here for the first time. */
enum loom_status model_person_settle(struct loom_store *store, struct loom_err *err);

/* --- requests (request.c) --- */
/* The id of the next operation of the request that is under way; false: there is none. */
bool model_request_id(const struct loom_store *store, struct loom_op_id *out);
/* The request under way takes effect, with this operation (0: with none). Inside a write. */
enum loom_status model_request_note(struct loom_store *store, int64_t op, struct loom_err *err);

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
	X(STASH_RECALLED, "stash", "recalled")                                                     \
	X(MEMBER_LIVE, "member", "live")

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
/* A number to be stored. */
struct model_value model_of_int(int64_t n);
/* A text, borrowed. */
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
struct model_set_of {
	int64_t children;
	struct loom_count count;
};
/* model_count_attach for several children at once. */
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
/* Writes what has changed to the journal. */
enum loom_status model_graft_flush(struct loom_store *store, struct loom_err *err);
/* Reads back what the operation under way has in the journal. */
enum loom_status model_graft_load(struct loom_store *store, struct loom_err *err);
/* At the end of the operation: flushes, and all of them come into sight. */
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
