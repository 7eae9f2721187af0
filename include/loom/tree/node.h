/* Nodes: immutable text by one author, in groups of versions, tied by directed hyperedges.
 *
 * A node that was never edited in buffer mode is a group of one; a group is named by the number of
 * its first member. An edge runs from a group (the parent) to a group; it records the exact member
 * it was written from. Annotations and extra sources hang on a group too, on no path. */
#ifndef LOOM_NODE_H
#define LOOM_NODE_H

#include <loom/base/hash.h>
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
	LOOM_AUTHOR_CLAIM, /* a file names somebody */
};

/* What to read besides the narrow row. */
enum loom_node_parts {
	LOOM_NODE_NARROW = 0,
	LOOM_NODE_TEXT = 1,  /* text */
	LOOM_NODE_MARKS = 2, /* bookmark, pruned, excluded, summary */
	LOOM_NODE_HASH = 4,  /* hash, parent hashes */
	LOOM_NODE_ALL = 7,
};

struct loom_node {
	int64_t id; /* insertion number in the grove */
	struct loom_ulid ulid;
	int64_t tree;
	struct loom_local local;
	enum loom_node_kind kind;
	int64_t group;
	int64_t parent;      /* group, 0 for a root */
	int64_t from_node;   /* the member it was written from, 0 for a root */
	int64_t edited_from; /* the node it is a version of, 0: none */
	int64_t ord;         /* among its siblings, from 1 */
	int64_t depth;
	int64_t jump;     /* an ancestor group further up; the root's own at the root */
	int64_t children; /* visible, not pruned continuations of its group */
	int64_t op;
	int64_t author;
	int64_t thread;
	int64_t seq; /* of that thread's log, -1: none */
	int64_t created;
	size_t bytes; /* of its text */
	/* LOOM_NODE_TEXT */
	struct loom_str text;
	char *front; /* of loom_node_path_said: what is free before the text; else NULL */
	/* LOOM_NODE_MARKS */
	bool bookmarked;
	bool pruned; /* the mark stands on this very node */
	bool excluded;
	struct loom_str label;
	struct loom_str summary;
	bool summary_extract; /* an extract stands in until a model's summary */
	/* LOOM_NODE_HASH */
	bool hashed; /* read with all that its hash is over */
	struct loom_hash hash;
	struct loom_str parent_hashes; /* 32 bytes each */
	struct loom_str raw_hash;      /* 32 bytes or none */
};

struct loom_node_spec {
	int64_t tree;
	int64_t from; /* the member it is written from; 0 only for a root */
	enum loom_node_kind kind;
	struct loom_str text;
	struct loom_str original; /* bytes of a source that was not UTF-8, else empty */
	int64_t author;
	int64_t thread;
	int64_t seq;                /* -1: none */
	int64_t created;            /* ms; 0: now */
	struct loom_str raw;        /* a model's raw response, empty: none */
	struct loom_str generation; /* its record as JSON, empty: none */
	struct loom_str extra;      /* JSON of an import, empty: none */
	/* Hashes of what it was written from, 32 bytes each, where that is recorded elsewhere and
	 * `from` is among it; else those of now. Not of a version, which has its first one's. */
	struct loom_str parents;
	int64_t num;                  /* a number reserved before, 0: the next one */
	int64_t prime;                /* of a version, 0: the next one */
	const struct loom_ulid *ulid; /* one that it has elsewhere, NULL: a new one */
	/* A long write (slices) of a new tree that knows how many children a node of the story will
	 * have writes its row once: the node is made with their number in `children`, and each of
	 * them is made with `counted`. Who promises must keep it, to the child. */
	int64_t children;
	bool counted;
};

/* Inside an operation: a node below `from`. Attaches the extra sources of `from` to the edge. */
enum loom_status loom_node_create(struct loom_store *store, const struct loom_node_spec *spec,
				  int64_t *out_node, struct loom_err *err) LOOM_MUST;

enum loom_edit_as { LOOM_EDIT_BY_MODE, LOOM_EDIT_BRANCH, LOOM_EDIT_VERSION };
/* Inside an operation: a version of spec->from with spec->text: in dialogue mode a sibling branch,
 * in buffer mode one more member of its group and nothing else. */
enum loom_status loom_node_edit(struct loom_store *store, const struct loom_node_spec *spec,
				enum loom_edit_as as, int64_t *out_node,
				struct loom_err *err) LOOM_MUST;
/* Reserves the local id of a node that does not exist yet (a stream). Inside a write. */
enum loom_status loom_node_reserve(struct loom_store *store, int64_t tree, int64_t *out_num,
				   struct loom_err *err) LOOM_MUST;

/* LOOM_NOT_FOUND when there is none or its operation is undone. */
enum loom_status loom_node_get(struct loom_store *store, int64_t node, unsigned parts,
			       struct loom_arena *arena, struct loom_node *out,
			       struct loom_err *err) LOOM_MUST;
/* By local id, with primes, in a tree; or by ULID or ULID prefix. LOOM_NOT_FOUND names the id. */
enum loom_status loom_node_find(struct loom_store *store, int64_t tree, struct loom_str id,
				struct loom_arena *arena, struct loom_node *out,
				struct loom_err *err) LOOM_MUST;
/* In which other tree a local id exists, 0 when in none: for hints. */
enum loom_status loom_node_elsewhere(struct loom_store *store, int64_t not_tree, struct loom_str id,
				     int64_t *out_tree, struct loom_err *err) LOOM_MUST;
/* Its local id as text, e.g. "a7x2''". */
enum loom_status loom_node_name(struct loom_store *store, const struct loom_node *node,
				char out[LOOM_LOCAL_MAX], struct loom_err *err) LOOM_MUST;

struct loom_nodes {
	struct loom_node *items;
	size_t count;
};

/* One page of what hangs on a group: those after ordinal `after`, at most `limit`, in order; the
 * member of each group that `thread` has chosen, else the newest that can be seen. pruned_too shows
 * marked ones as well. */
struct loom_page {
	enum loom_node_kind kind;
	int64_t thread; /* 0: nobody has chosen */
	int64_t after;
	size_t limit;
	bool pruned_too;
	unsigned parts;
};
/* LOOM_OK with none for a group without children, or that is not there. */
enum loom_status loom_node_children(struct loom_store *store, int64_t group,
				    const struct loom_page *page, struct loom_arena *arena,
				    struct loom_nodes *out, struct loom_err *err) LOOM_MUST;
/* The nodes that an operation made one by one (no import), narrow, at most a hundred. */
enum loom_status loom_node_made_by(struct loom_store *store, int64_t op, struct loom_arena *arena,
				   struct loom_nodes *out, struct loom_err *err) LOOM_MUST;
/* How many: continuations at O(1), annotations and sources by index. */
enum loom_status loom_node_count(struct loom_store *store, int64_t group, enum loom_node_kind kind,
				 int64_t *out_count, struct loom_err *err) LOOM_MUST;
/* Which of its visible, unpruned siblings it is, from 1, and of how many. */
enum loom_status loom_node_place(struct loom_store *store, const struct loom_node *node,
				 int64_t *out_k, int64_t *out_n, struct loom_err *err) LOOM_MUST;
/* All visible members of a group, oldest first. */
enum loom_status loom_node_members(struct loom_store *store, int64_t group, unsigned parts,
				   struct loom_arena *arena, struct loom_nodes *out,
				   struct loom_err *err) LOOM_MUST;
/* What hangs on each node of a path, found for all of them at once. */
struct loom_ties {
	int64_t notes; /* annotations of its group */
	int64_t links; /* with an end on this very node */
};
/* One a node of the path, in its order. */
enum loom_status loom_node_ties(struct loom_store *store, const struct loom_nodes *path,
				struct loom_arena *arena, struct loom_ties **out,
				struct loom_err *err) LOOM_MUST;
/* An extra source, and before which node of a path it stands. */
struct loom_path_source {
	size_t at;
	struct loom_node node; /* with its text and marks */
};
/* The sources of a path in its order: those that each step's edge has recorded, and what is
 * attached to its last node now. */
enum loom_status loom_node_path_sources(struct loom_store *store, const struct loom_nodes *path,
					struct loom_arena *arena, struct loom_path_source **out,
					size_t *out_count, struct loom_err *err) LOOM_MUST;
/* The raw response and the generation record; empty slices when there are none. */
enum loom_status loom_node_generation(struct loom_store *store, int64_t node,
				      struct loom_arena *arena, struct loom_str *out_record,
				      struct loom_str *out_raw, struct loom_err *err) LOOM_MUST;

/* The path root → `tip`, with this thread's version at each step (thread 0: as it was written). */
enum loom_status loom_node_path(struct loom_store *store, int64_t tip, int64_t thread,
				unsigned parts, struct loom_arena *arena, struct loom_nodes *out,
				struct loom_err *err) LOOM_MUST;
/* The end of a path. */
struct loom_path_end {
	int64_t tip;
	int64_t thread;
	size_t limit; /* nodes, the tip being the last */
	unsigned parts;
};
/* The same path, but only its end. */
enum loom_status loom_node_path_end(struct loom_store *store, const struct loom_path_end *end,
				    struct loom_arena *arena, struct loom_nodes *out,
				    struct loom_err *err) LOOM_MUST;
/* The path as contexts are made from it: with text, hash and marks, and without ulid, edited_from,
 * ord, jump, op, thread, seq and label. `front` bytes before each text are the caller's to write.
 */
enum loom_status loom_node_path_said(struct loom_store *store, int64_t tip, int64_t thread,
				     size_t front, struct loom_arena *arena, struct loom_nodes *out,
				     struct loom_err *err) LOOM_MUST;
/* Whether group `above` is on the primary path of group `below` (or the same); O(log depth). */
enum loom_status loom_node_above(struct loom_store *store, int64_t above, int64_t below, bool *out,
				 struct loom_err *err) LOOM_MUST;
/* The ancestor group of `group` at a depth. */
enum loom_status loom_node_ancestor(struct loom_store *store, int64_t group, int64_t depth,
				    int64_t *out_group, struct loom_err *err) LOOM_MUST;
/* The nearest node at or above `node` that is not hidden, of a pruned version the newest that is
 * seen in its place; *out_hidden_by (nullable): the mark. */
enum loom_status loom_node_visible(struct loom_store *store, int64_t node, int64_t *out_node,
				   int64_t *out_hidden_by, struct loom_err *err) LOOM_MUST;
/* Whether any version of a group is seen; *out_hidden_by as above. */
enum loom_status loom_group_visible(struct loom_store *store, int64_t group, bool *out,
				    int64_t *out_hidden_by, struct loom_err *err) LOOM_MUST;

/* Down from `group` as long as there is exactly one child, at most `limit` steps: the last group of
 * that way, and how many steps below it is. */
enum loom_status loom_node_chain(struct loom_store *store, int64_t group, int64_t limit,
				 int64_t *out_last, int64_t *out_steps,
				 struct loom_err *err) LOOM_MUST;
/* What was made in a tree, among some numbers of the grove's nodes. */
struct loom_since {
	int64_t tree;
	int64_t after; /* the number before the first */
	int64_t limit; /* how many numbers */
};
/* Visible nodes and versions, in order; *out_more: there are numbers beyond these. */
enum loom_status loom_node_since(struct loom_store *store, const struct loom_since *since,
				 struct loom_arena *arena, struct loom_nodes *out, bool *out_more,
				 struct loom_err *err) LOOM_MUST;
/* The highest number of a node in the grove, 0: none. */
enum loom_status loom_node_newest(struct loom_store *store, int64_t *out,
				  struct loom_err *err) LOOM_MUST;

/* What stands in a subtree, marks respected: an iterative walk that can be stopped. */
struct loom_count {
	int64_t nodes;
	int64_t leaves;
	int64_t branches; /* inside it: its own edge upward is not one */
};
/* Counts a group and all that stands below it. LOOM_CANCELLED by the task of loom_store_heed. */
enum loom_status loom_node_subtree(struct loom_store *store, int64_t group, struct loom_count *out,
				   struct loom_err *err) LOOM_MUST;

/* Inside an operation: one mark; *out_below gets how many descendants went or came with it.
 * Already so: LOOM_OK and *out_changed false. */
enum loom_status loom_node_prune(struct loom_store *store, int64_t node, int64_t *out_below,
				 bool *out_changed, struct loom_err *err) LOOM_MUST;
/* Takes the mark away again; the same for what was not pruned. */
enum loom_status loom_node_restore(struct loom_store *store, int64_t node, int64_t *out_below,
				   bool *out_changed, struct loom_err *err) LOOM_MUST;

/* Whether a node's text does not fit its hash: whoever shows it says so. Costs no more than the
 * hash where the node was read with text and hash, and less when it was asked lately; false for
 * what cannot be read at all. */
bool loom_node_damaged(struct loom_store *store, const struct loom_node *node);

/* Recomputes content hashes: one node (node > 0), the path to it (path), or the grove (node 0).
 * Calls `bad` for each that does not match. */
struct loom_verify_opts {
	int64_t node;
	bool path;
	void (*bad)(void *ctx, const struct loom_node *node, const char *why);
	/* For each node whose author is a claim, this one; NULL: they are not told apart. */
	void (*claim)(void *ctx, int64_t author);
	void *ctx;
};
/* *out_checked counts all, *out_bad those. LOOM_CANCELLED by the task of loom_store_heed. */
enum loom_status loom_node_verify(struct loom_store *store, const struct loom_verify_opts *opts,
				  int64_t *out_checked, int64_t *out_bad,
				  struct loom_err *err) LOOM_MUST;

#endif
