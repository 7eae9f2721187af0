/* The URLs of a payload: fetched once per session and afterwards served from the store.
 *
 * The store is asked before the first fetch and written after the last, never in between: it is not
 * held while files are read and servers are waited for. Failures are not stored, so the next run
 * tries again. All URLs of one run share one deadline. */
#ifndef LOOM_FETCH_H
#define LOOM_FETCH_H

#include <loom/work/fetched.h>
#include <loom/http/http.h>
#include <loom/payload/payload.h>

struct loom_fetch_opts {
	struct loom_fetched_place place;
	bool offline;               /* for a preview: use only what is stored */
	bool trusted;               /* a person has allowed this project to fetch (trust.h) */
	int timeout_ms;             /* per URL; 0: 4,800 */
	int all_timeout_ms;         /* for all URLs together; 0: 14,800 */
	struct loom_http_opts http; /* hosts and task; its timeout is ignored */
};

struct loom_fetch {
	struct loom_fetch_opts opts;
	struct loom_arena *arena;
	struct loom_fetched *items; /* first those from the store, then the new ones */
	size_t count;
	size_t cap;
	size_t kept;   /* how many of the items are in the store */
	int64_t until; /* deadline; 0: starts with the first URL */
};

/* Initialises *fetch. Copies the options; everything fetched is put into the arena, so there is
 * nothing to free. */
void loom_fetch_init(struct loom_fetch *fetch, const struct loom_fetch_opts *opts,
		     struct loom_arena *arena);
/* Returns whether to ask the store: the lists name a URL and there is a session to keep it for. */
bool loom_fetch_wanted(const struct loom_fetch *fetch, const struct loom_payload_lists *lists);
/* Loads what the store has for the URLs of the lists. An entry that cannot be read is fetched
 * again. */
void loom_fetch_recall(struct loom_fetch *fetch, struct loom_store *store,
		       const struct loom_payload_lists *lists);
/* Returns whether the URL was found in the store or fetched already. */
bool loom_fetch_has(const struct loom_fetch *fetch, struct loom_str url);
/* Returns whether something was fetched that the store does not have yet. */
bool loom_fetch_is_new(const struct loom_fetch *fetch);
/* Writes the new documents to the store. Call it inside a write transaction; fails as the store
 * does. */
enum loom_status loom_fetch_keep(struct loom_fetch *fetch, struct loom_store *store,
				 struct loom_err *err) LOOM_MUST;

/* A loom_fetch_fn of payload.h whose ctx is a struct loom_fetch: appends the document to *body and
 * its content type to *type, from the store's copy or over HTTP. Fails with LOOM_REFUSED when
 * offline or not trusted, LOOM_IO when the time is used up, and otherwise as loom_http_get does. */
enum loom_status loom_fetch_url(void *ctx, struct loom_str url, struct loom_buf *body,
				struct loom_buf *type, struct loom_err *err);

#endif
