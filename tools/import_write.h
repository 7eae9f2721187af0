/* The writing half of an import: what it knows of the grove. */
#ifndef TOOL_IMPORT_WRITE_H
#define TOOL_IMPORT_WRITE_H

#include <loom/agent.h>

#include "import_frame.h"

struct tool_writing {
	struct loom_import *import;
	struct loom_store *store;
	struct loom_arena *arena; /* of one step */
	int64_t actor;
	bool dry;
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
	struct tool_author *authors;
	size_t author_count;
	size_t author_cap;
	size_t last_author;
};

enum loom_status tool_import_plan(struct tool_writing *w, struct loom_err *err) LOOM_MUST;

/* Between two nodes: says how far it is, stops when asked to, lets others in when it is time. */
enum loom_status tool_import_breathe(struct tool_writing *w, struct loom_err *err) LOOM_MUST;
/* The nodes of a tree that the grove does not have. */
enum loom_status tool_import_write_tree(struct tool_writing *w, struct tool_tree_state *tree,
					struct loom_err *err) LOOM_MUST;

/* What stands beside a node, as JSON. `entry` and `read` NULL: the empty root that stands above
 * several. */
struct loom_str tool_import_extra(const struct tool_writing *w, const struct tool_tree_state *tree,
				  const struct tool_entry *entry, const struct tool_read *read);

/* The agent that a record's author is, made when there is none. Inside the operation. */
enum loom_status tool_import_author(struct tool_writing *w, const struct tool_read *read,
				    int64_t *out_agent, struct loom_err *err) LOOM_MUST;
/* The agent of the file's that has this key, 0 for none. */
enum loom_status tool_import_subject(struct tool_writing *w, struct loom_str key,
				     int64_t *out_agent, struct loom_err *err) LOOM_MUST;

#endif
