/* The writing half of an import: its view of the grove. */
#ifndef IMPORT_WRITE_TREE_H
#define IMPORT_WRITE_TREE_H

#include <loom/tree/agent.h>

#include <loom/import/frame.h>

struct import_writing {
	struct loom_import *import;
	struct loom_store *store;
	struct loom_arena *arena; /* for one step */
	int64_t actor;
	bool dry;
	bool viewing;      /* a view is open, for one consistent look at the grove */
	int64_t *restored; /* operations that were redone */
	size_t restored_count;
	uint64_t total; /* nodes to write */
	uint64_t done;
	int64_t slice; /* when the current slice began, in ns */
	/* No node of the grove has a ULID between these two. All zero: unknown. */
	struct loom_ulid gap[2];
	struct loom_ulid highest; /* the highest ULID so far, while they ascend */
	bool tabled;              /* they no longer ascend: all are in the entries' table */
	/* Authors so far; the last one is checked first. */
	struct import_judged *authors;
	size_t author_count;
	size_t author_cap;
	size_t last_author;
};

/* Gives every tree and node its ULID and finds those that the grove has. */
enum loom_status import_plan(struct import_writing *w, struct loom_err *err) LOOM_MUST;

/* Returns whether the current slice has kept others from writing for long enough. */
bool import_is_late(const struct import_writing *w);
/* Call between two nodes: reports progress, stops on request, and ends the slice in time to let
 * others write. */
enum loom_status import_breathe(struct import_writing *w, struct loom_err *err) LOOM_MUST;
/* Writes the nodes of a tree that the grove does not have. */
enum loom_status import_write_tree(struct import_writing *w, struct import_tree_state *tree,
				   struct loom_err *err) LOOM_MUST;

/* A node's extra as JSON. With `entry` and `read` NULL, that of the empty root above several
 * roots. */
struct loom_str import_extra(const struct import_writing *w, const struct import_tree_state *tree,
			     const struct import_entry *entry, const struct import_read *read);

/* An author as a file names it, and the evidence. */
struct import_said {
	const struct import_file *file;
	struct loom_str author;
	struct loom_str model;
	uint8_t role;          /* enum import_role */
	struct loom_str claim; /* an earlier claim from the file, JSON */
	bool genuine;          /* covered by this grove's seal */
	bool fits;             /* its hash, if it has one, matches */
};
/* Decides who the author is here; its `agent` may not exist yet. *out is valid until the next
 * call. */
enum loom_status import_judge(struct import_writing *w, const struct import_said *said,
			      struct import_author **out, struct loom_err *err) LOOM_MUST;
/* Decides who the author is here and creates the agent if necessary. Needs an operation. */
enum loom_status import_author(struct import_writing *w, const struct import_said *said,
			       struct import_author **out, struct loom_err *err) LOOM_MUST;
/* Adds the author to the report, if it is a claim. */
void import_count_claim(struct import_writing *w, const struct import_author *author);

/* Reads a node's author from its record. Reads the spill, so `read` must be read before. */
enum loom_status import_said(struct import_writing *w, const struct import_tree_state *tree,
			     const struct import_entry *entry, struct import_read *read,
			     struct import_said *out, struct loom_err *err) LOOM_MUST;
/* The hashes in a record's list of parents, 32 bytes each; empty for none or an invalid list. */
struct loom_str import_parents(struct loom_arena *arena, const struct import_read *read);
/* Checks for each file whether its seal is this grove's. */
enum loom_status import_unseal(struct import_writing *w, struct loom_err *err) LOOM_MUST;

/* The agent for a key of the file; 0: none. */
enum loom_status import_subject(struct import_writing *w, struct loom_str key, int64_t *out_agent,
				struct loom_err *err) LOOM_MUST;

#endif
