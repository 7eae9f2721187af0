/* Writes a weave of version 0, from its beginning to its end: what is referred to comes before what
 * refers to it. The caller takes the bytes out of the buffer whenever it likes. */
#ifndef LOOM_WEAVE_WRITE_H
#define LOOM_WEAVE_WRITE_H

#include <loom/base/arena.h>
#include <loom/base/id.h>
#include <loom/weave/weave.h>

struct weave_out {
	struct loom_buf *buf;
	uint64_t at; /* bytes written so far, without the header */
	struct weave_placed_node *nodes;
	uint32_t *slots; /* of the table of nodes: a node's number + 1; 0: free */
	uint8_t *control;
	size_t count;
	size_t slot_count;
};

/* A name and what is said under it. */
struct weave_said {
	struct loom_str name;
	struct loom_str value;
};
struct weave_said_list {
	const struct weave_said *items;
	size_t count;
};

/* A token to write. Its facts may be few: "probability" is what Tapestry shades it by. */
struct weave_said_token {
	struct loom_str bytes;
	struct weave_said_list facts;
};

/* A node to write. */
struct weave_said_node {
	const struct loom_ulid *from; /* NULL: a root */
	const struct loom_ulid *to;   /* its children, in order */
	size_t to_count;
	bool active; /* the one at which the weave is left */
	bool bookmarked;
	struct loom_str text;                  /* if there are no tokens */
	const struct weave_said_token *tokens; /* which join to the text */
	size_t token_count;
	struct weave_said_list facts;
	bool by_model;
	struct loom_str label;
	struct weave_said_list model_facts;
};

/* The description that a weave gets of itself. */
struct weave_said_about {
	const struct loom_ulid *roots;
	size_t root_count;
	const struct loom_ulid *bookmarks;
	size_t bookmark_count;
	const struct loom_ulid *active; /* NULL: it stands nowhere */
	struct weave_said_list facts;
};

/* Begins a weave of `count` nodes with these ids, all different. What it keeps lives in the arena.
 */
void weave_begin(struct weave_out *out, struct loom_buf *buf, const struct loom_ulid *ids,
		 size_t count, struct loom_arena *arena);
/* The number of the node, counted from 1 in the order of the ids, that is to be written for a slot;
 * 0: none. All slots below out->slot_count are to be asked in order. */
size_t weave_node_at(const struct weave_out *out, size_t slot);
/* Writes what belongs to a node. LOOM_LIMIT when the weave grows beyond 2 GiB. */
enum loom_status weave_node(struct weave_out *out, size_t number, const struct loom_ulid *id,
			    const struct weave_said_node *node, struct loom_err *err) LOOM_MUST;
/* Writes the end, after all nodes: the table of them in pieces, each of which `flow` may take, and
 * what the weave says about itself. */
enum loom_status weave_end(struct weave_out *out, const struct weave_said_about *about,
			   enum loom_status (*flow)(void *ctx, struct loom_err *err), void *ctx,
			   struct loom_err *err) LOOM_MUST;

#endif
