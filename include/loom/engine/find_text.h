/* Search results as text, for the language, `loom grep` and the screen. */
#ifndef LOOM_FIND_H
#define LOOM_FIND_H

#include <loom/engine/engine.h>
#include <loom/search/search.h>
#include <loom/tree/say_node.h>

/* How long one search may spend on indexing new text before it answers. */
#define LOOM_FIND_FEED_MS 2000
#define LOOM_FIND_MAX     10

/* Appends search results: Search: "q" / 5 results / [1] [a7x2] tree:"…" · model · 3m ago /
 * "…matching words…". The hits were found by `query`; `behind` is the number of nodes not yet
 * indexed. No trailing line feed. Fails as the store does. */
enum loom_status loom_find_show(struct loom_show *show, const struct loom_search_query *query,
				const struct loom_hits *hits, int64_t behind, struct loom_buf *out,
				struct loom_err *err) LOOM_MUST;

/* Restricts a query to what the searcher may see: without permission for other trees, to the tree
 * `home` (LOOM_CROSS_TREE when the query names another one), and without permission for documents,
 * to nodes. */
enum loom_status loom_find_heed(struct loom_store *store, unsigned may, int64_t home,
				struct loom_arena *arena, struct loom_search_query *query,
				struct loom_err *err) LOOM_MUST;

/* The engine's hook for `→ search` (engine.h); ctx is unused. Fails with LOOM_MODEL for a web
 * search, for which no endpoint is configured. */
enum loom_status loom_find_call(void *ctx, const struct loom_engine_view *view,
				const struct loom_call *call, struct loom_buf *out,
				struct loom_err *err) LOOM_MUST;

#endif
