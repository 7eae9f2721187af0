/* URLs of a payload: fetched once a session, from then on as the store has kept them.
 *
 * The store is asked before the first and told after the last, never in between: while a project's
 * files are read and servers are waited for, no store is held. A failure is never kept, so that the
 * next run tries again. All URLs of one run share one deadline. */
#ifndef LOOM_FETCH_H
#define LOOM_FETCH_H

#include <loom/work/fetched.h>
#include <loom/http/http.h>
#include <loom/payload/payload.h>

struct loom_fetch_opts {
	struct loom_fetched_place place;
	bool offline;               /* a preview: only what was kept */
	bool trusted;               /* a person has agreed that the project fetches (trust.h) */
	int timeout_ms;             /* a URL; 0: 4,800 */
	int all_timeout_ms;         /* all URLs; 0: 14,800 */
	struct loom_http_opts http; /* hosts and task; its timeout is not used */
};

struct loom_fetch {
	struct loom_fetch_opts opts;
	struct loom_arena *arena;
	struct loom_fetched *items; /* those that the store had, then those that are new */
	size_t count;
	size_t cap;
	size_t kept;   /* how many the store had, or has by now */
	int64_t until; /* 0: the first URL begins it */
};

/* Holds nothing but what it puts into the arena. */
void loom_fetch_init(struct loom_fetch *fetch, const struct loom_fetch_opts *opts,
		     struct loom_arena *arena);
/* Whether the store should be asked: some entry is a URL, and there is a session to keep it for. */
bool loom_fetch_wanted(const struct loom_fetch *fetch, const struct loom_payload_lists *lists);
/* Takes from the store what it has of the lists' URLs. What cannot be read is fetched again. */
void loom_fetch_recall(struct loom_fetch *fetch, struct loom_store *store,
		       const struct loom_payload_lists *lists);
/* Whether it is kept, or was fetched already. */
bool loom_fetch_has(const struct loom_fetch *fetch, struct loom_str url);
/* Whether something was fetched that the store should keep. */
bool loom_fetch_is_new(const struct loom_fetch *fetch);
/* Keeps it. Inside a write. */
enum loom_status loom_fetch_keep(struct loom_fetch *fetch, struct loom_store *store,
				 struct loom_err *err) LOOM_MUST;

/* A loom_fetch_fn of payload.h; ctx is a struct loom_fetch. */
enum loom_status loom_fetch_url(void *ctx, struct loom_str url, struct loom_buf *body,
				struct loom_buf *type, struct loom_err *err);

#endif
