/* Searching the grove, as it is said: by the language, by `loom grep`, on the screen. */
#ifndef LOOM_FIND_H
#define LOOM_FIND_H

#include <loom/engine/engine.h>
#include <loom/search/search.h>
#include <loom/tree/say_node.h>

/* How long one search may take up what is new before it answers. */
#define LOOM_FIND_FEED_MS 2000
#define LOOM_FIND_MAX     10

/* Search: "q" / 5 results / [1] [a7x2] tree:"…" · model · 3m ago / "…matching words…". The hits
 * were found by `query`; `behind` nodes are not in the index yet. No line feed behind. */
enum loom_status loom_find_show(struct loom_show *show, const struct loom_search_query *query,
				const struct loom_hits *hits, int64_t behind, struct loom_buf *out,
				struct loom_err *err) LOOM_MUST;

/* Makes of a query what somebody may see: who may not leave its tree, `home`, finds nothing in
 * others (and is refused one that it names: LOOM_CROSS_TREE), who may not read documents finds
 * none. */
enum loom_status loom_find_heed(struct loom_store *store, unsigned may, int64_t home,
				struct loom_arena *arena, struct loom_search_query *query,
				struct loom_err *err) LOOM_MUST;

/* The engine's hook for `→ search` (engine.h); ctx is not used. The web is refused: no search
 * endpoint is configured. */
enum loom_status loom_find_call(void *ctx, const struct loom_engine_view *view,
				const struct loom_call *call, struct loom_buf *out,
				struct loom_err *err) LOOM_MUST;

#endif
