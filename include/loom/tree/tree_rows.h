/* Internal to the tree's rows: the current write, the journal, counters, grafts, reading nodes. For
 * the rooms that use SQL. */
#ifndef LOOM_TREE_ROWS_H
#define LOOM_TREE_ROWS_H

#include <loom/grove/sql.h>
#include <loom/text/deceiving_names.h>
#include <loom/tree/node.h>
#include <loom/tree/op.h>
#include <loom/tree/open_store.h>
#include <loom/tree/request.h>

/* The facts about a parent that creating a child needs; a few are cached while the lock is held. */
struct model_parent {
	int64_t id; /* 0: empty slot */
	int64_t tree;
	int64_t group;
	int64_t depth;
	int64_t jump;
	int64_t jump_depth;
	int64_t jump2; /* the jump of its jump, -1: unknown */
	int64_t jump2_depth;
	int64_t op;
	int64_t group_op;
	int64_t edited_from;
	int64_t from_node;
	int64_t parent;
	int64_t num;
	int64_t ord[4];   /* highest ordinal of its group's children by kind, -1: unknown */
	int64_t host;     /* group its graft hangs on, 0: none or unknown */
	bool has_sources; /* has extra sources */
	struct loom_hash hash;
};
#define MODEL_PARENTS 64

/* A group that hangs elsewhere than where it was born (hang.c). */
struct model_hung {
	int64_t group;
	int64_t depth;  /* at birth */
	int64_t parent; /* where it hangs now */
	int64_t above;  /* the parent's depth at birth */
	int64_t real;   /* its depth now, -1: not looked at yet */
	size_t next;    /* the next such group at or above the parent, SIZE_MAX: none */
};
/* Those of one tree, the deepest first. */
struct model_hung_list {
	int64_t tree; /* 0: none read */
	int64_t seq;  /* the grove's last event then */
	bool written; /* read within a write */
	struct model_hung *items;
	size_t count;
	size_t cap;
};

/* The part of a long write below one older group (graft.c). */
struct model_graft {
	int64_t parent;
	int64_t seq; /* of its journal entry, 0: none yet */
	int64_t children;
	struct loom_count count;
	int64_t low; /* its children's ordinals are in this range */
	int64_t high;
	bool dirty;
};

/* The tree being written to: its counters are stored once per transaction. */
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
	bool has_pruned; /* some of its nodes are pruned */
	bool has_root;   /* its first node is written */
};

/* The current write. */
struct model_write {
	bool quiet;
	bool finishing; /* the last commit of a long write */
	int64_t op;     /* 0 until its row exists */
	int64_t change; /* its last journal entry */
	bool fresh;     /* its row was created in this transaction */
	struct loom_op_spec spec;
	struct loom_buf text;
	int64_t last_node; /* highest node number, cached under the lock */
	struct model_tree_state tree;
	struct model_parent parents[MODEL_PARENTS];
	int64_t author; /* whose ULID is cached */
	char author_ulid[LOOM_ULID_CHARS + 1];
	int64_t linked[8]; /* operations already recorded as prerequisites, newest first */
	struct model_graft *grafts;
	size_t graft_count;
	size_t graft_cap;
	int64_t first_made; /* the first node of what loom_env's hearer is told of; 0: none */
	int64_t made;       /* how many there are */
	int64_t run_thread; /* whose run ends with this write; 0: none does */
	struct loom_buf run_record;
	bool hung_fresh;  /* the moved groups in memory are of this write */
	int64_t left_ord; /* the highest ordinal that this write made free: it is not given again */
};

/* Caches whether a recently shown text matches its hash. */
struct model_judged {
	int64_t node; /* 0: empty slot */
	bool damaged;
};
#define MODEL_JUDGED 512

/* The ULID under which hashes name an author. */
struct model_author {
	int64_t agent; /* 0: empty slot */
	struct loom_ulid ulid;
};
#define MODEL_AUTHORS 8

/* State that these rooms keep with an open store. */
struct model_held {
	struct model_write write;
	struct model_judged judged[MODEL_JUDGED];
	struct model_author authors[MODEL_AUTHORS];
	int64_t key_tree; /* tree whose key is cached, 0: none */
	uint64_t key;
	struct model_hung_list hung;
	struct loom_request *request; /* the request that writes belong to; NULL: none */
};

/* For assertions: whether an operation may change something now. */
static inline bool model_in_op(const struct loom_store *store)
{
	return store->writing && store->held && !store->held->write.quiet;
}

/* Writes the first rows of a new grove: its id and its founder. */
enum loom_status model_grove_seed(struct loom_store *store, struct loom_err *err);

/* --- agents and persons (agent.c, person.c) --- */
struct loom_agent;
/* Refuses a taken or deceptive name; `self` (0: a new agent) may keep its own in another case. */
enum loom_status model_agent_name(struct loom_store *store, int64_t self, struct loom_str name,
				  struct loom_err *err);
/* Inserts an agent's row, for the operation in store->held->write.op. */
enum loom_status model_agent_insert(struct loom_store *store, const struct loom_agent *spec,
				    int64_t *out, struct loom_err *err);
/* Creates the first person of a new grove. */
enum loom_status model_person_found(struct loom_store *store, int64_t *out, struct loom_err *err);
/* After opening for writing: binds the founder of an older grove to an account, and creates a
 * person for an account that is new here. */
enum loom_status model_person_settle(struct loom_store *store, struct loom_err *err);

/* --- requests (request.c) --- */
/* Inside a write: records that the current request takes effect, with this operation (0: with
 * none). */
enum loom_status model_request_note(struct loom_store *store, int64_t op, struct loom_err *err);

/* --- long writes that died --- */
/* Returns whether the session of an open operation is gone. One of another machine has no session
 * here, and only that machine knows its end. */
bool model_op_is_dead(const struct loom_store *store, struct loom_str session);
/* Marks an open operation dead, in a write of its own. */
enum loom_status model_op_declare_dead(struct loom_store *store, int64_t op, struct loom_err *err);

/* --- background jobs (job.c) --- */
/* Inside a write: queues the summary of a new node and, every ten nodes, of its tree. */
enum loom_status model_sum_up(struct loom_store *store, int64_t node, int64_t num, int64_t tree,
			      struct loom_err *err);
/* Inside a write: drops a document's summary and queues a new one, because its text was undone. */
enum loom_status model_unsum_doc(struct loom_store *store, int64_t doc, struct loom_err *err);

/* --- the current write --- */
/* Gives the operation's number, creating its row at the first change. Fails in a quiet write. */
enum loom_status model_op_need(struct loom_store *store, int64_t *out_op, struct loom_err *err);
/* Records that the current operation builds on `op` (ignored if it is itself). */
enum loom_status model_op_builds_on(struct loom_store *store, int64_t op, struct loom_err *err);

/* Records that the current operation builds on the one that created an agent. LOOM_NOT_FOUND if
 * there is no such agent. */
enum loom_status model_builds_on_agent(struct loom_store *store, int64_t agent,
				       struct loom_err *err);

/* Mutable columns: id, table, column. The order is stored in groves, so only append. */
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
	X(MEMBER_LIVE, "member", "live")                                                           \
	X(HUNG_PLACE, "hung", "place")                                                             \
	X(SEAM_LIVE, "seam", "live")

enum model_field {
#define X(name, table, column) MODEL_##name,
	MODEL_FIELDS(X)
#undef X
		MODEL_FIELD_COUNT
};

/* A stored value: a number, a text or NULL. */
struct model_value {
	enum { MODEL_NULL, MODEL_INT, MODEL_TEXT } type;
	int64_t n;
	struct loom_str s;
};
/* Binds a value to the next parameter; a text is borrowed until the query is done. */
void model_bind_value(struct query *q, struct model_value value);
/* Makes a number a value. */
struct model_value model_of_int(int64_t n);
/* Makes a borrowed text a value. */
struct model_value model_of_text(struct loom_str s);

/* Changes one column, with its old and new value in the journal; *out_changed (nullable) is false
 * if it had the value already. LOOM_FAULT if the row is missing. */
enum loom_status model_set(struct loom_store *store, enum model_field field, int64_t row,
			   struct model_value value, bool *out_changed, struct loom_err *err);
/* Journals that this operation created a node, and how much came with it, so that undo and redo can
 * update the counters. */
enum loom_status model_made(struct loom_store *store, int64_t node, const struct loom_count *what,
			    struct loom_err *err);

/* --- the tree being written to (tree_row.c) --- */
/* Finds the highest ordinal of the children of a group, or of loom_top; 0: none. */
enum loom_status model_last_ord(struct loom_store *store, int64_t group, int64_t kind, int64_t *out,
				struct loom_err *err);
/* Makes `tree` the one in store->write.tree, storing the changes to the previous one first. */
enum loom_status model_tree_state(struct loom_store *store, int64_t tree, struct loom_err *err);
/* Stores the changes to the tree in store->write.tree. */
enum loom_status model_tree_flush(struct loom_store *store, struct loom_err *err);

/* --- counters --- */
/* Adds (+1) or removes (-1) a subtree below group `parent`, 0: a root: changes its child count, and
 * the tree's counters if the parent itself is visible. */
enum loom_status model_count_attach(struct loom_store *store, int64_t parent, int64_t tree,
				    const struct loom_count *what, int sign, struct loom_err *err);
/* Finds where the paths to two groups part: *out_meet is the lowest group on both, or the root
 * of `to` if they have two roots; *out_top is the next group towards `to`, 0 if that is
 * *out_meet. */
enum loom_status model_part(struct loom_store *store, int64_t from, int64_t to, int64_t *out_meet,
			    int64_t *out_top, struct loom_err *err);
struct model_set_of {
	int64_t children;
	struct loom_count count;
};
/* Adds or removes several subtrees below a group at once, like model_count_attach. */
enum loom_status model_count_attach_all(struct loom_store *store, int64_t parent, int64_t tree,
					const struct model_set_of *what, int sign,
					struct loom_err *err);
/* Returns how many branches a node with that many children has. */
int64_t model_branches(int64_t children);
/* Adds one to a group's child count and nothing else; *out is the old count. */
enum loom_status model_count_child(struct loom_store *store, int64_t parent, int64_t *out,
				   struct loom_err *err);

/* --- parts of long writes below older groups (graft.c) --- */

/* Forgets the grafts in memory; the journal keeps its entries. */
void model_graft_reset(struct model_write *write);
/* Finds the older group above a group of the current write. */
enum loom_status model_graft_host(struct loom_store *store, int64_t group, int64_t *out,
				  struct loom_err *err);
/* Records a new child of an older group, with its ordinal. */
void model_graft_child(struct loom_store *store, int64_t host, int64_t ord);
/* Records a new child further down, with its number of siblings. */
void model_graft_below(struct loom_store *store, int64_t host, int64_t siblings);
/* Writes changed grafts to the journal. */
enum loom_status model_graft_flush(struct loom_store *store, struct loom_err *err);
/* Reads the current operation's grafts back from the journal. */
enum loom_status model_graft_load(struct loom_store *store, struct loom_err *err);
/* At the end of the operation: writes all grafts and makes them visible. */
enum loom_status model_graft_finish(struct loom_store *store, struct loom_err *err);
/* Decodes a journal entry; false if it is not a graft. */
bool model_graft_read(int64_t parent, int64_t nodes, struct loom_str rest, struct model_graft *out);
/* Makes a graft visible (1) or hides it (-1). */
enum loom_status model_graft_move(struct loom_store *store, const struct model_graft *graft,
				  int sign, struct loom_err *err);
/* Counts a group's children before an ordinal that belong to hidden long writes. */
enum loom_status model_graft_hidden_before(struct loom_store *store, int64_t parent, int64_t ord,
					   int64_t *out, struct loom_err *err);
/* Sets *out to whether a member of the group is visible and not pruned. */
enum loom_status model_group_shown(struct loom_store *store, int64_t group, bool *out,
				   struct loom_err *err);
/* A change of the pruned mark, journalled unless undo makes it. */
struct model_prune {
	int64_t node;
	bool pruned;
	int64_t nodes; /* out: how many nodes appeared or vanished */
};
/* Sets the mark and updates the counters above the node; what->nodes is how many nodes appeared or
 * vanished. */
enum loom_status model_prune_set(struct loom_store *store, struct model_prune *what,
				 struct loom_err *err);
/* Stores the seam that a new node's record has, if any. */
enum loom_status model_seam_insert(struct loom_store *store, int64_t node,
				   const struct loom_node_spec *spec, struct loom_err *err);
/* Creates the node's row of marks if it is missing. */
enum loom_status model_mark_row(struct loom_store *store, int64_t node, struct loom_err *err);
/* Appends an event to the feed. */
enum loom_status model_event(struct loom_store *store, int64_t op, enum loom_event_act act,
			     int64_t actor, struct loom_err *err);

/* --- where branches hang (hang.c) --- */
/* Finds how deep a group stands now. */
enum loom_status model_depth(struct loom_store *store, int64_t group, int64_t *out,
			     struct loom_err *err);
/* Puts into a node that was just read how deep it stands now, if something was moved. */
void model_depth_now(const struct query *q, struct loom_node *node);
/* For undo and redo: puts a group from one journalled place to another. *out_done is false if it
 * does not hang in the first. LOOM_CONFLICT if it cannot hang in the second now. */
enum loom_status model_place_swap(struct loom_store *store, int64_t group, struct loom_str from,
				  struct loom_str to, bool *out_done, struct loom_err *err);

/* --- rows of nodes (node_read.c) --- */
/* For "SELECT … FROM node n": narrow columns, then body, then mark, at fixed positions. */
#define MODEL_NARROW                                                                               \
	"n.id, n.ulid, n.tree, n.num, n.prime, n.kind, n.grp, n.parent, n.from_node, "             \
	"n.edited_from, n.ord, n.depth, n.jump, n.op, n.author, n.thread, n.seq, n.created, "      \
	"n.bytes, n.children"
/* The one projector of a text as it is read: that of the row `body`, with its seam applied. */
#define MODEL_AS_READ(body)                                                                        \
	"coalesce((SELECT " MODEL_MENDED(body) " FROM seam s WHERE s.id = " body                   \
					       ".id AND s.live = 1), " body ".text)"
/* The text of the row `body` with its seam `s`, be that on or off. */
#define MODEL_MENDED(body)                                                                         \
	"CAST(s.put || substr(" body ".text, s.skip + 1, length(" body ".text) - s.skip - s.cut) " \
	"AS BLOB)"
#define MODEL_NO_BODY  "NULL, NULL, NULL, NULL"
#define MODEL_BODY     MODEL_AS_READ("b") ", b.hash, b.parents, b.raw_hash"
#define MODEL_NO_MARK  "NULL, NULL, NULL, NULL, NULL, NULL"
#define MODEL_MARK     "m.bookmark, m.pruned, m.excluded, m.label, m.summary, m.summary_extract"
#define MODEL_ANY_HUNG "EXISTS(SELECT 1 FROM hung)"
/* Where node n was born, as an SQL term: the column of its moved group, or else its own. */
#define MODEL_BORN(column, own)                                                                    \
	"iif(EXISTS(SELECT 1 FROM hung WHERE id = n.grp), (SELECT " column                         \
	" FROM hung WHERE id = "                                                                   \
	"n.grp), " own ")"
/* clang-format off */
#define MODEL_SELECT(body, mark, from, rest)                                                       \
	"SELECT " MODEL_NARROW ", " body ", " mark ", " MODEL_ANY_HUNG " FROM " from " " rest
#define MODEL_WITH_BODY                " JOIN body b ON b.id = n.id "
#define MODEL_WITH_MARK                " LEFT JOIN mark m ON m.id = n.id "
/* For loom_node_path_said: the same positions, with fewer columns filled. */
#define MODEL_SELECT_SAID(from)                                                                    \
	"SELECT n.id, NULL, n.tree, n.num, n.prime, n.kind, n.grp, n.parent, n.from_node, NULL, "  \
	"NULL, n.depth, NULL, NULL, n.author, NULL, NULL, n.created, n.bytes, n.children, "        \
	MODEL_BODY ", m.bookmark, m.pruned, m.excluded, NULL, m.summary, "                         \
	"m.summary_extract, " MODEL_ANY_HUNG " FROM " from MODEL_WITH_BODY MODEL_WITH_MARK
/* The four forms of one query: `from` introduces node n, `rest` follows the joins. */
#define MODEL_NODE_FORMS(from, rest) {                                                             \
	MODEL_SELECT(MODEL_NO_BODY, MODEL_NO_MARK, from, rest),                                    \
	MODEL_SELECT(MODEL_BODY, MODEL_NO_MARK, from MODEL_WITH_BODY, rest),                       \
	MODEL_SELECT(MODEL_NO_BODY, MODEL_MARK, from MODEL_WITH_MARK, rest),                       \
	MODEL_SELECT(MODEL_BODY, MODEL_MARK, from MODEL_WITH_BODY MODEL_WITH_MARK, rest),          \
}
/* clang-format on */
/* A node's place in the tree; `parent` is 0 for a root. */
struct model_place {
	int64_t tree, group, parent;
};
/* Loads a node's place. LOOM_NOT_FOUND if there is no such node. */
enum loom_status model_node_place(struct loom_store *store, int64_t node, struct model_place *out,
				  struct loom_err *err);
/* A query for the children n of group ?1, or for the roots where it is loom_top; its halves meet in
 * a WHERE. */
#define MODEL_AMONG(group, begin, end)                                                             \
	((group) > 0 ? begin " n.parent = ?1 " end                                                 \
		     : begin " n.parent IS NULL AND n.tree = -?1 " end)
/* Whether a member of group g is visible, as an SQL term. */
#define MODEL_SHOWN(g)                                                                             \
	"(EXISTS(SELECT 1 FROM node v JOIN op vo ON vo.id = v.op AND vo.state = 1 LEFT JOIN mark " \
	"vm ON vm.id = v.id WHERE v.id = " g " AND coalesce(vm.pruned, 0) = 0) OR "                \
	"EXISTS(SELECT 1 FROM node v JOIN op vo ON vo.id = v.op AND vo.state = 1 LEFT JOIN mark "  \
	"vm ON vm.id = v.id WHERE v.grp = " g " AND v.id <> v.grp AND "                            \
	"coalesce(vm.pruned, 0) = 0))"
/* The first root of a tree that is shown, as an SQL term. */
#define MODEL_FIRST_ROOT(tree)                                                                     \
	"(SELECT r.id FROM node r WHERE r.parent IS NULL AND r.tree = " tree " AND r.id = r.grp "  \
	"AND " MODEL_SHOWN("r.id") " ORDER BY r.ord LIMIT 1)"
#define MODEL_DONE_OP  " JOIN op o ON o.id = n.op AND o.state = 1 "
#define MODEL_AT_DEPTH 11
#define MODEL_AT_HUNG  30
/* Returns which of the four query forms reads `parts`. */
size_t model_node_form(unsigned parts);
/* Reads a row of a model_node_form query; texts as `parts` requests, in the arena. */
void model_read_node(const struct query *q, unsigned parts, struct loom_arena *arena,
		     struct loom_node *out);
/* Reads it without looking how deep the node stands now: its depth is that of its birth. */
void model_read_born(const struct query *q, unsigned parts, struct loom_arena *arena,
		     struct loom_node *out);
/* Reads a row of MODEL_SELECT_SAID into the arena, with `front` free bytes before its text. */
void model_read_said(const struct query *q, size_t front, struct loom_arena *arena,
		     struct loom_node *out);
/* Checks a new name, by itself and against the names that the query `others` selects, one per row,
 * except row ?1 (`self`). Names that come with imported texts are never refused, only marked where
 * they are shown. LOOM_INVALID or LOOM_CONFLICT. */
enum loom_status model_name_check(struct loom_store *store, enum loom_named what,
				  struct loom_str name, const char *others, int64_t self,
				  struct loom_err *err) LOOM_MUST;
/* The rule for the names of agents, or of documents. */
struct model_names {
	enum loom_named what;
	const char *one;    /* "an agent" */
	size_t max;         /* bytes of a name */
	const char *taken;  /* selects the id of a row other than ?2 with the name ?1 */
	const char *others; /* selects the names of all rows but ?1 */
};
/* Refuses an empty or too long name, bytes that are not UTF-8, quotes and control characters.
 * LOOM_INVALID. */
enum loom_status model_name_form(const struct model_names *names, struct loom_str name,
				 struct loom_err *err) LOOM_MUST;
/* Refuses a name of the wrong form, a taken one, and those that model_name_check refuses. The row
 * `self` (0: none) may keep its name in another case. LOOM_INVALID or LOOM_CONFLICT. */
enum loom_status model_name_refuse(struct loom_store *store, const struct model_names *names,
				   int64_t self, struct loom_str name,
				   struct loom_err *err) LOOM_MUST;
/* Checks a new title or label; those that come with imported texts are never refused. LOOM_INVALID.
 * `what` names it in the message. */
enum loom_status model_label_check(struct loom_store *store, const char *what,
				   struct loom_str label, struct loom_err *err) LOOM_MUST;

#endif
