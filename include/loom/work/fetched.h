/* Pages fetched for payloads: stored once per session of a project, and unchanged from then on.
 * They are other people's content: nothing refers to them. */
#ifndef LOOM_FETCHED_H
#define LOOM_FETCHED_H

#include <loom/grove/store.h>

struct loom_fetched_place {
	struct loom_str project; /* the root's path */
	struct loom_str session; /* empty: store nothing */
};

struct loom_fetched {
	struct loom_str url;
	struct loom_str type; /* the content type the server sent */
	struct loom_str body;
};

/* Finds the page fetched for a session. LOOM_NOT_FOUND if there is none. *out is in the arena,
 * except its URL, which is the caller's. */
enum loom_status loom_fetched_find(struct loom_store *store, const struct loom_fetched_place *place,
				   struct loom_str url, struct loom_arena *arena,
				   struct loom_fetched *out, struct loom_err *err) LOOM_MUST;
/* Inside a write: stores a fetched page. If two sessions fetch it at once, the first is kept. */
enum loom_status loom_fetched_keep(struct loom_store *store, const struct loom_fetched_place *place,
				   const struct loom_fetched *fetched,
				   struct loom_err *err) LOOM_MUST;

#endif
