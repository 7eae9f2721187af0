/* The writing half of an import: what it knows of the grove. */
#ifndef IMPORT_WRITE_TREE_H
#define IMPORT_WRITE_TREE_H

#include <loom/tree/agent.h>

#include <loom/import/frame.h>

struct import_writing {
	struct loom_import *import;
	struct loom_store *store;
	struct loom_arena *arena; /* of one step */
	int64_t actor;
	bool dry;
	bool viewing;      /* what the grove has is looked at in one view */
	int64_t *restored; /* operations that were repeated */
	size_t restored_count;
	uint64_t total; /* nodes to write */
	uint64_t done;
	int64_t slice; /* when the slice began, ns */
	/* No node of the grove has a ULID between the two; all naught: not looked yet. */
	struct loom_ulid gap[2];
	struct loom_ulid highest; /* that was given so far, while they only ascend … */
	bool tabled;              /* … which they no longer do: they are in the entries' table */
	/* Authors so far; the last one asked for is looked at first. */
	struct import_judged *authors;
	size_t author_count;
	size_t author_cap;
	size_t last_author;
};

enum loom_status import_plan(struct import_writing *w, struct loom_err *err) LOOM_MUST;

/* Between two nodes: says how far it is, stops when asked to, lets others in when it is time. */
enum loom_status import_breathe(struct import_writing *w, struct loom_err *err) LOOM_MUST;
/* The nodes of a tree that the grove does not have. */
enum loom_status import_write_tree(struct import_writing *w, struct import_tree_state *tree,
				   struct loom_err *err) LOOM_MUST;

/* What stands beside a node, as JSON. `entry` and `read` NULL: the empty root that stands above
 * several. */
struct loom_str import_extra(const struct import_writing *w, const struct import_tree_state *tree,
			     const struct import_entry *entry, const struct import_read *read);

/* Whom a file names as the author of something, and what is known of that. */
struct import_said {
	const struct import_file *file;
	struct loom_str author;
	struct loom_str model;
	uint8_t role;          /* enum import_role */
	struct loom_str claim; /* the file's own, JSON */
	bool genuine;          /* under this grove's seal */
	bool fits;             /* its hash, if it brings one */
};
/* Who that is here; its `agent` may be made yet. The answer is good until the next call. */
enum loom_status import_judge(struct import_writing *w, const struct import_said *said,
			      struct import_author **out, struct loom_err *err) LOOM_MUST;
/* The same, made when there is none. Inside the operation. */
enum loom_status import_author(struct import_writing *w, const struct import_said *said,
			       struct import_author **out, struct loom_err *err) LOOM_MUST;
/* Into the report, where it is one. */
void import_count_claim(struct import_writing *w, const struct import_author *author);

/* Of a node's record whom it is said to be by. Looks at the spill: `read` is read before. */
enum loom_status import_said(struct import_writing *w, const struct import_tree_state *tree,
			     const struct import_entry *entry, struct import_read *read,
			     struct import_said *out, struct loom_err *err) LOOM_MUST;
/* The hashes in a record's list, 32 bytes each; empty for none, or for what is no such list. */
struct loom_str import_parents(struct loom_arena *arena, const struct import_read *read);
/* Asks for each file's seal whether it is this grove's. */
enum loom_status import_unseal(struct import_writing *w, struct loom_err *err) LOOM_MUST;

/* The agent of the file's that has this key, 0 for none. */
enum loom_status import_subject(struct import_writing *w, struct loom_str key, int64_t *out_agent,
				struct loom_err *err) LOOM_MUST;

#endif
