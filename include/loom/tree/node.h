/* Nodes: immutable text by one author, in groups of versions, connected by directed hyperedges.
 *
 * A node never edited in buffer mode is a group of one; a group is named by the number of its first
 * member. An edge runs from a group (the parent) to a group, and records the exact member it was
 * written from. Annotations and extra sources belong to a group too, but lie on no path. */
#ifndef LOOM_NODE_H
#define LOOM_NODE_H

#include <loom/base/hash.h>
#include <loom/text/seam.h>
#include <loom/tree/tree.h>

enum loom_node_kind {
	LOOM_CONTINUATION,
	LOOM_ANNOTATION,
	LOOM_CONTEXT_SOURCE,
	LOOM_INSTRUCTION_SOURCE,
};

enum loom_author_type {
	LOOM_AUTHOR_HUMAN,
	LOOM_AUTHOR_SUBJECT,
	LOOM_AUTHOR_COLLABORATOR,
	LOOM_AUTHOR_CLAIM, /* a name from a file */
};

/* Which parts to read besides the narrow row. */
enum loom_node_parts {
	LOOM_NODE_NARROW = 0,
	LOOM_NODE_TEXT = 1,  /* text */
	LOOM_NODE_MARKS = 2, /* bookmark, pruned, excluded, summary */
	LOOM_NODE_HASH = 4,  /* hash, parent hashes */
	LOOM_NODE_ALL = 7,
};

struct loom_node {
	int64_t id; /* row number, ascending in the grove */
	struct loom_ulid ulid;
	int64_t tree;
	struct loom_local local;
	enum loom_node_kind kind;
	int64_t group;
	int64_t parent;      /* group; 0 for a root: its siblings are the tree's other roots */
	int64_t from_node;   /* the member it was written from; 0 for a root */
	int64_t edited_from; /* the node it is a version of; 0: none */
	int64_t ord;         /* position among its siblings, from 1 */
	int64_t depth;
	int64_t jump;     /* an ancestor group at birth, further up; the root's is itself */
	int64_t children; /* visible, unpruned continuations of its group */
	int64_t op;
	int64_t author;
	int64_t thread;
	int64_t seq; /* row in that thread's log, -1: none */
	int64_t created;
	size_t bytes; /* length of its text as it came */
	/* LOOM_NODE_TEXT */
	struct loom_str text; /* as it is read: with its seam applied (seam.h) */
	char *front; /* of loom_node_path_said: the free bytes before the text; else NULL */
	/* LOOM_NODE_MARKS */
	bool bookmarked;
	bool pruned; /* this very node is marked */
	bool excluded;
	struct loom_str label;
	struct loom_str summary;
	bool summary_extract; /* an extract, until there is a model's summary */
	/* LOOM_NODE_HASH */
	bool hashed; /* read together with the text, so that the hash can be checked */
	struct loom_hash hash;
	struct loom_str parent_hashes; /* 32 bytes each */
	struct loom_str raw_hash;      /* 32 bytes or none */
};

/* Roots hang below this: it is no node, but a group to those who list or count children. */
static inline int64_t loom_top(int64_t tree)
{
	return -tree;
}
/* The group whose children are a node and its siblings. */
static inline int64_t loom_node_among(const struct loom_node *node)
{
	return node->parent ? node->parent : loom_top(node->tree);
}

#define LOOM_NUM_FIRST INT64_MIN /* the number of r001, which is 0 */
struct loom_node_spec {
	int64_t tree;
	int64_t from; /* the member it is written from; 0: one more root of the tree */
	enum loom_node_kind kind;
	struct loom_str text;
	struct loom_str original; /* the source's bytes if they were not UTF-8, else empty */
	int64_t author;
	int64_t thread;
	int64_t seq;                /* -1: none */
	int64_t created;            /* ms; 0: now */
	struct loom_str raw;        /* a model's raw response, empty: none */
	struct loom_str generation; /* its record as JSON, with its seam; empty: none */
	struct loom_str extra;      /* an import's JSON, empty: none */
	/* The hashes of its parents, 32 bytes each, if recorded elsewhere and `from` is among them;
	 * otherwise they are computed. Not for a version, which has those of the first one. */
	struct loom_str parents;
	int64_t num;                  /* reserved earlier, 0: the next one, or LOOM_NUM_FIRST */
	int64_t prime;                /* of a version, or with `num`; 0: the next one */
	const struct loom_ulid *ulid; /* its ULID elsewhere, NULL: a new one */
	/* For long writes (slices) of a new tree that know how many children each node will get:
	 * the node is created with that number in `children`, and each child with `counted`, so
	 * that the row is written once. The promise must be kept exactly. */
	int64_t children;
	bool counted;
};

/* Inside an operation: creates a node below `from`, or one more root. The extra sources of `from`
 * are recorded in the edge. */
enum loom_status loom_node_create(struct loom_store *store, const struct loom_node_spec *spec,
				  int64_t *out_node, struct loom_err *err) LOOM_MUST;

/* A new place for a branch: directly before a sibling there, or last. */
struct loom_hang {
	int64_t node;   /* the branch is that of its group */
	int64_t below;  /* the member it hangs on from now on, in the same tree; 0: it is a root */
	int64_t before; /* a node whose group comes next, 0: none */
	bool last;      /* behind its siblings, even if it hangs there already */
};
/* Inside an operation: hangs a branch elsewhere. Ids, hashes and recorded parents stay. Whatever
 * its size, it writes one row for the branch, and one for each sibling that comes after it.
 * *out_changed is false if it hangs there already. LOOM_CONFLICT below itself, and from or to what
 * is pruned; LOOM_LIMIT if thousands of siblings would have to make way. */
enum loom_status loom_node_hang(struct loom_store *store, const struct loom_hang *where,
				bool *out_changed, struct loom_err *err) LOOM_MUST;

enum loom_edit_as { LOOM_EDIT_BY_MODE, LOOM_EDIT_BRANCH, LOOM_EDIT_VERSION };
/* Inside an operation: creates a version of spec->from with spec->text: in dialogue mode a sibling
 * branch, in buffer mode just one more member of its group. */
enum loom_status loom_node_edit(struct loom_store *store, const struct loom_node_spec *spec,
				enum loom_edit_as as, int64_t *out_node,
				struct loom_err *err) LOOM_MUST;
/* Inside a write: reserves the local id of a node that does not exist yet (a stream). */
enum loom_status loom_node_reserve(struct loom_store *store, int64_t tree, int64_t *out_num,
				   struct loom_err *err) LOOM_MUST;

/* Loads a node by row number; texts go to the arena. LOOM_NOT_FOUND if there is none or its
 * operation is undone. */
enum loom_status loom_node_get(struct loom_store *store, int64_t node, unsigned parts,
			       struct loom_arena *arena, struct loom_node *out,
			       struct loom_err *err) LOOM_MUST;
/* Finds a node by its local id, with primes, in a tree, or by a ULID or ULID prefix; texts go to
 * the arena. LOOM_NOT_FOUND names the id. */
enum loom_status loom_node_find(struct loom_store *store, int64_t tree, struct loom_str id,
				struct loom_arena *arena, struct loom_node *out,
				struct loom_err *err) LOOM_MUST;
/* Finds another tree in which a local id exists, 0 if none; for hints. */
enum loom_status loom_node_elsewhere(struct loom_store *store, int64_t not_tree, struct loom_str id,
				     int64_t *out_tree, struct loom_err *err) LOOM_MUST;
/* Writes a node's local id, e.g. "a7x2''". */
enum loom_status loom_node_name(struct loom_store *store, const struct loom_node *node,
				char out[LOOM_LOCAL_MAX], struct loom_err *err) LOOM_MUST;

struct loom_nodes {
	struct loom_node *items;
	size_t count;
};

/* A page of the children of a group, or of loom_top: those after ordinal `after`, at most `limit`,
 * in order. Each group is represented by the member that `thread` has chosen, otherwise by its
 * newest visible one. pruned_too includes pruned nodes. */
struct loom_page {
	enum loom_node_kind kind;
	int64_t thread; /* 0: no choices */
	int64_t after;
	size_t limit;
	bool pruned_too;
	struct loom_str origin; /* only what claims from there wrote; empty: all */
	unsigned parts;
};
/* Lists a page of children, in the arena. LOOM_OK with none for a group that has no children or
 * does not exist. */
enum loom_status loom_node_children(struct loom_store *store, int64_t group,
				    const struct loom_page *page, struct loom_arena *arena,
				    struct loom_nodes *out, struct loom_err *err) LOOM_MUST;
/* Lists the nodes an operation created one by one (not by import), narrow, at most a hundred, in
 * the arena. */
enum loom_status loom_node_made_by(struct loom_store *store, int64_t op, struct loom_arena *arena,
				   struct loom_nodes *out, struct loom_err *err) LOOM_MUST;
#define LOOM_BRANCH_POINTS_MAX 10000 /* more are not counted */
/* Lists the visible nodes of a tree that have several continuations, oldest first and at most
 * `limit`, with their texts and marks, in the arena; *out_total counts them all. */
enum loom_status loom_node_branch_points(struct loom_store *store, int64_t tree, size_t limit,
					 struct loom_arena *arena, struct loom_nodes *out,
					 int64_t *out_total, struct loom_err *err) LOOM_MUST;
/* Counts the children of one kind of a group, or of loom_top: continuations of a group in O(1),
 * all else through an index. */
enum loom_status loom_node_count(struct loom_store *store, int64_t group, enum loom_node_kind kind,
				 int64_t *out_count, struct loom_err *err) LOOM_MUST;
/* Computes a node's position among its visible, unpruned siblings, from 1, and their number. */
enum loom_status loom_node_place(struct loom_store *store, const struct loom_node *node,
				 int64_t *out_k, int64_t *out_n, struct loom_err *err) LOOM_MUST;
/* Lists a group's visible members, oldest first, in the arena. */
enum loom_status loom_node_members(struct loom_store *store, int64_t group, unsigned parts,
				   struct loom_arena *arena, struct loom_nodes *out,
				   struct loom_err *err) LOOM_MUST;
/* Counts of what is attached to a node of a path. */
struct loom_ties {
	int64_t notes; /* annotations of its group */
	int64_t links; /* with an end on this very node */
};
/* Counts what is attached to each node of a path, for all of them at once; *out has an item per
 * node, in the arena. */
enum loom_status loom_node_ties(struct loom_store *store, const struct loom_nodes *path,
				struct loom_arena *arena, struct loom_ties **out,
				struct loom_err *err) LOOM_MUST;
/* An extra source, and the node of a path before which it goes. */
struct loom_path_source {
	size_t at;
	struct loom_node node; /* with its text and marks */
};
/* Lists the sources of a path in order: those recorded in each step's edge, and those now attached
 * to its last node. In the arena. */
enum loom_status loom_node_path_sources(struct loom_store *store, const struct loom_nodes *path,
					struct loom_arena *arena, struct loom_path_source **out,
					size_t *out_count, struct loom_err *err) LOOM_MUST;
/* Loads the raw response and the generation record into the arena; empty if there are none. */
enum loom_status loom_node_generation(struct loom_store *store, int64_t node,
				      struct loom_arena *arena, struct loom_str *out_record,
				      struct loom_str *out_raw, struct loom_err *err) LOOM_MUST;

/* Loads a node's text as it came, and the seam with which it is read, into the arena. Hashes, and
 * positions that are said, are those of this text. *out_seam is empty for most texts, and where it
 * was taken off. */
enum loom_status loom_node_came(struct loom_store *store, int64_t node, struct loom_arena *arena,
				struct loom_str *out_text, struct loom_seam *out_seam,
				struct loom_err *err) LOOM_MUST;
/* How a text by a model ended. */
enum loom_ending {
	LOOM_ENDING_WHOLE,     /* by itself, or unknown */
	LOOM_ENDING_CUT,       /* its length ran out */
	LOOM_ENDING_STOPPED,   /* somebody stopped it */
	LOOM_ENDING_BROKE_OFF, /* the model, the connection or the process failed */
};
/* Returns "cut", "stopped", "broke off", or "" for a whole text. Static. */
const char *loom_ending_name(enum loom_ending ending);
/* A node's signs: all that a screen shows of it beside its text and marks. */
struct loom_signs {
	struct loom_str *tags; /* by name, without ratings */
	size_t tag_count;
	int rated; /* 1: good, -1: bad, 0: not at all */
	enum loom_ending ending;
};
/* Reads the signs of one node, in the arena. */
enum loom_status loom_node_signs(struct loom_store *store, int64_t node, struct loom_arena *arena,
				 struct loom_signs *out, struct loom_err *err) LOOM_MUST;

/* Loads the path root → `tip` into the arena, with the version this thread has chosen at each step
 * (thread 0: as written). */
enum loom_status loom_node_path(struct loom_store *store, int64_t tip, int64_t thread,
				unsigned parts, struct loom_arena *arena, struct loom_nodes *out,
				struct loom_err *err) LOOM_MUST;
/* The end of a path. */
struct loom_path_end {
	int64_t tip;
	int64_t thread;
	size_t limit; /* in nodes; the last is the tip */
	unsigned parts;
};
/* Loads only the end of the path root → tip into the arena, with the thread's chosen versions. */
enum loom_status loom_node_path_end(struct loom_store *store, const struct loom_path_end *end,
				    struct loom_arena *arena, struct loom_nodes *out,
				    struct loom_err *err) LOOM_MUST;
/* Loads the path root → `tip` as contexts need it: with text, hash and marks, but without ulid,
 * edited_from, ord, jump, op, thread, seq and label. In the arena; the caller may write `front`
 * bytes before each text. */
enum loom_status loom_node_path_said(struct loom_store *store, int64_t tip, int64_t thread,
				     size_t front, struct loom_arena *arena, struct loom_nodes *out,
				     struct loom_err *err) LOOM_MUST;
/* Sets *out to whether group `above` is on the primary path of group `below`, or the same; O(log
 * depth). */
enum loom_status loom_node_above(struct loom_store *store, int64_t above, int64_t below, bool *out,
				 struct loom_err *err) LOOM_MUST;
/* Finds the ancestor of `group` at a given depth. */
enum loom_status loom_node_ancestor(struct loom_store *store, int64_t group, int64_t depth,
				    int64_t *out_group, struct loom_err *err) LOOM_MUST;
/* Finds the nearest node at or above `node` that is not hidden; a pruned version is replaced by the
 * newest visible one. *out_hidden_by (nullable) gets the pruned node that hides it. */
enum loom_status loom_node_visible(struct loom_store *store, int64_t node, int64_t *out_node,
				   int64_t *out_hidden_by, struct loom_err *err) LOOM_MUST;
/* Sets *out to whether any version of a group is visible; *out_hidden_by (nullable) gets the pruned
 * node that hides it. */
enum loom_status loom_group_visible(struct loom_store *store, int64_t group, bool *out,
				    int64_t *out_hidden_by, struct loom_err *err) LOOM_MUST;

/* Walks down from `group` while there is exactly one child, at most `limit` steps; gives the last
 * group and the number of steps. */
enum loom_status loom_node_chain(struct loom_store *store, int64_t group, int64_t limit,
				 int64_t *out_last, int64_t *out_steps,
				 struct loom_err *err) LOOM_MUST;
/* A range of row numbers to look for a tree's new nodes in. */
struct loom_since {
	int64_t tree;
	int64_t after; /* the number before the first */
	int64_t limit; /* how many row numbers */
};
/* Lists a tree's visible nodes and versions within a range of row numbers, in order, in the arena.
 * *out_more: there are rows beyond the range. */
enum loom_status loom_node_since(struct loom_store *store, const struct loom_since *since,
				 struct loom_arena *arena, struct loom_nodes *out, bool *out_more,
				 struct loom_err *err) LOOM_MUST;
/* Gives the highest node number in the grove, 0 if none. */
enum loom_status loom_node_newest(struct loom_store *store, int64_t *out,
				  struct loom_err *err) LOOM_MUST;

/* The size of a subtree without what marks hide, counted by an iterative walk that can be
 * cancelled. */
struct loom_count {
	int64_t nodes;
	int64_t leaves;
	int64_t branches; /* inside it; the edge above it does not count */
};
/* Counts a group and everything below it, or all of a tree (loom_top). LOOM_CANCELLED by the task
 * of loom_store_heed. */
enum loom_status loom_node_subtree(struct loom_store *store, int64_t group, struct loom_count *out,
				   struct loom_err *err) LOOM_MUST;

/* Inside an operation: prunes a node; *out_below gets how many descendants are hidden with it. If
 * it was pruned already, LOOM_OK with *out_changed false. LOOM_CONFLICT for the last root. */
enum loom_status loom_node_prune(struct loom_store *store, int64_t node, int64_t *out_below,
				 bool *out_changed, struct loom_err *err) LOOM_MUST;
/* Inside an operation: unprunes a node; *out_below gets how many descendants reappear with it. If
 * it was not pruned, LOOM_OK with *out_changed false. */
enum loom_status loom_node_restore(struct loom_store *store, int64_t node, int64_t *out_below,
				   bool *out_changed, struct loom_err *err) LOOM_MUST;
/* Inside an operation that prunes a node's siblings: journals that this one was kept. LOOM_CONFLICT
 * if it is pruned. */
enum loom_status loom_node_keep(struct loom_store *store, int64_t node,
				struct loom_err *err) LOOM_MUST;

/* Returns whether a node's stored text does not match its hash, which whoever displays it must say.
 * Costs one hash if the node was read with text and hash, less if it was checked recently; false
 * for a node that cannot be read. */
bool loom_node_damaged(struct loom_store *store, const struct loom_node *node);

/* Recomputes content hashes: of one node (node > 0), of the path to it (path), or of the whole
 * grove (node 0). Calls `bad` for each mismatch. */
struct loom_verify_opts {
	int64_t node;
	bool path;
	void (*bad)(void *ctx, const struct loom_node *node, const char *why);
	/* Called for each node whose author is a claim; NULL: claims are not distinguished. */
	void (*claim)(void *ctx, int64_t author);
	void *ctx;
};
/* Verifies; *out_checked counts all nodes, *out_bad the mismatches. LOOM_CANCELLED by the task of
 * loom_store_heed. */
enum loom_status loom_node_verify(struct loom_store *store, const struct loom_verify_opts *opts,
				  int64_t *out_checked, int64_t *out_bad,
				  struct loom_err *err) LOOM_MUST;

#endif
