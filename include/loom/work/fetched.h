/* What was fetched for payloads, kept in the store: once for each session of a project, and from
 * then on as it was. Pages of others are nobody's truth here: nothing refers to them. */
#ifndef LOOM_FETCHED_H
#define LOOM_FETCHED_H

#include <loom/grove/store.h>

struct loom_fetched_place {
	struct loom_str project; /* the root's path */
	struct loom_str session; /* empty: nothing is kept for it */
};

struct loom_fetched {
	struct loom_str url;
	struct loom_str type; /* the content type, as the server said it */
	struct loom_str body;
};

/* LOOM_NOT_FOUND when it was not fetched for that session. *out is in the arena, its URL is the
 * caller's. */
enum loom_status loom_fetched_find(struct loom_store *store, const struct loom_fetched_place *place,
				   struct loom_str url, struct loom_arena *arena,
				   struct loom_fetched *out, struct loom_err *err) LOOM_MUST;
/* Inside a write. Of two who fetched it at once the first is kept. */
enum loom_status loom_fetched_keep(struct loom_store *store, const struct loom_fetched_place *place,
				   const struct loom_fetched *fetched,
				   struct loom_err *err) LOOM_MUST;

#endif
