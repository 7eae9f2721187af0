/* Streams: what is being generated. It is a draft in the grove, with its local id reserved, until
 * it ends and becomes a node; what a crash leaves becomes a partial node. */
#ifndef LOOM_STREAM_H
#define LOOM_STREAM_H

#include <loom/tree/node.h>

/* All inside a quiet write. */
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
