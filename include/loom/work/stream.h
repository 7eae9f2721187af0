/* Streams: generations in progress. A stream is a draft in the grove, with a reserved local id,
 * until it ends and becomes a node; after a crash it becomes a partial node. */
#ifndef LOOM_STREAM_H
#define LOOM_STREAM_H

#include <loom/tree/node.h>

/* A generation in progress. Except where noted, the functions below run inside a quiet write. */
struct loom_stream {
	int64_t id;
	int64_t tree;
	int64_t from;
	int64_t num; /* reserved */
	int64_t agent;
	int64_t thread;
	struct loom_str session;
	struct loom_str text;
	struct loom_str record; /* the request so far, JSON */
	int64_t started;
};
/* Creates an empty draft. With num 0, reserves a number for its node. */
enum loom_status loom_stream_begin(struct loom_store *store, const struct loom_stream *spec,
				   int64_t *out_stream, struct loom_err *err) LOOM_MUST;
/* Appends any bytes, cut anywhere. LOOM_NOT_FOUND if the stream has ended. */
enum loom_status loom_stream_add(struct loom_store *store, int64_t stream, struct loom_str chunk,
				 struct loom_err *err) LOOM_MUST;
/* Inside an operation: turns the draft into a node (with the spec's text, raw and generation), or
 * into nothing if it has no text. The draft is gone either way. */
enum loom_status loom_stream_finish(struct loom_store *store, int64_t stream,
				    const struct loom_node_spec *spec, int64_t *out_node,
				    struct loom_err *err) LOOM_MUST;
/* Lists a tree's streams (tree 0: all), oldest first, with their text so far, in the arena. */
enum loom_status loom_stream_list(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				  struct loom_stream **out, size_t *out_count,
				  struct loom_err *err) LOOM_MUST;
/* Turns the streams of dead sessions into partial nodes, each in its own operation. Not inside a
 * write. */
enum loom_status loom_stream_sweep(struct loom_store *store, int64_t *out_count,
				   struct loom_err *err) LOOM_MUST;

#endif
