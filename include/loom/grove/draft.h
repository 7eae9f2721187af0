/* Drafts: text that is not yet in the tree.
 *
 * Unsent text (mine: half-written nodes, the losing side of a conflict) is kept as files in the
 * state directory, outside the grove. A generation that streams is a draft in the grove, with its
 * local id reserved, until it ends and becomes a node; what a crash leaves becomes a partial node.
 */
#ifndef LOOM_DRAFT_H
#define LOOM_DRAFT_H

#include <loom/tree/node.h>

struct loom_draft {
	struct loom_str id;     /* "draft-1a2b3c4d" */
	struct loom_str kind;   /* "text", "edit", "conflict", "document" */
	struct loom_str tree;   /* ULID text or empty */
	struct loom_str anchor; /* local id or document name */
	struct loom_str text;
	struct loom_str why; /* what it lost against, or empty */
	struct loom_str
		folds; /* of the screen: what it showed folded, in its own words; or empty */
	int64_t saved;
};

/* Keeps it durably; an empty id makes one. *out_id is in the arena. */
enum loom_status loom_draft_save(struct loom_store *store, const struct loom_draft *draft,
				 struct loom_arena *arena, struct loom_str *out_id,
				 struct loom_err *err) LOOM_MUST;
/* Newest first. */
enum loom_status loom_draft_list(struct loom_store *store, struct loom_arena *arena,
				 struct loom_draft **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* By its id, text in the arena. LOOM_NOT_FOUND, for what can be no id as well. */
enum loom_status loom_draft_get(struct loom_store *store, struct loom_str id,
				struct loom_arena *arena, struct loom_draft *out,
				struct loom_err *err) LOOM_MUST;
/* Removes it for good. LOOM_NOT_FOUND when it is not there. */
enum loom_status loom_draft_drop(struct loom_store *store, struct loom_str id,
				 struct loom_err *err) LOOM_MUST;

/* Streams. All inside a quiet write. */
struct loom_stream {
	int64_t id;
	int64_t tree;
	int64_t from;
	int64_t num; /* reserved */
	int64_t agent;
	int64_t thread;
	struct loom_str session;
	struct loom_str text;
	struct loom_str record; /* request so far, JSON */
	int64_t started;
};
/* A draft that holds nothing yet. num 0: a number is reserved for the node to come. */
enum loom_status loom_stream_begin(struct loom_store *store, const struct loom_stream *spec,
				   int64_t *out_stream, struct loom_err *err) LOOM_MUST;
/* Appends to its text: any bytes, cut anywhere. LOOM_NOT_FOUND when it has ended. */
enum loom_status loom_stream_add(struct loom_store *store, int64_t stream, struct loom_str chunk,
				 struct loom_err *err) LOOM_MUST;
/* Inside an operation: the draft becomes a node (spec's text, raw, generation) or, when it has no
 * text, nothing; the draft is gone either way. */
enum loom_status loom_stream_finish(struct loom_store *store, int64_t stream,
				    const struct loom_node_spec *spec, int64_t *out_node,
				    struct loom_err *err) LOOM_MUST;
/* Those of a tree, tree 0: all, oldest first; each with its text so far. */
enum loom_status loom_stream_list(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				  struct loom_stream **out, size_t *out_count,
				  struct loom_err *err) LOOM_MUST;
/* Turns the streams of dead sessions into partial nodes, each its own operation. */
enum loom_status loom_stream_sweep(struct loom_store *store, int64_t *out_count,
				   struct loom_err *err) LOOM_MUST;

#endif
