/* URLs of a payload: fetched once a session, from then on out of the cache.
 *
 * What was fetched lies in a folder of its own for each project and session below
 * $XDG_CACHE_HOME/loom, with or without a grove, and not in the grove: pages of others are not the
 * project's truth, nothing is ever deleted from a grove, and a payload is asked for where there is
 * no grove, or one that may only be read, and must not wait for its lock. It may be removed at any
 * time. A failure is never kept, so that the next run tries again. All URLs of one run share one
 * deadline. */
#ifndef LOOM_FETCH_H
#define LOOM_FETCH_H

#include <loom/env.h>
#include <loom/http.h>
#include <loom/path.h>
#include <loom/str.h>

struct loom_fetch_opts {
	struct loom_str project;    /* the root's path */
	struct loom_str session;    /* empty: nothing is kept */
	bool offline;               /* a preview: only what is in the cache */
	int timeout_ms;             /* a URL; 0: 4,800 */
	int all_timeout_ms;         /* all URLs; 0: 14,800 */
	struct loom_http_opts http; /* hosts and task; its timeout is not used */
};

struct loom_fetch {
	struct loom_fetch_opts opts;
	struct loom_root cache; /* closed when nothing is kept */
	int64_t until;          /* 0: the first URL begins it */
};

/* Opens the cache, making its folder unless offline. A cache that cannot be had is no error. */
void loom_fetch_init(struct loom_fetch *fetch, const struct loom_env *env,
		     const struct loom_fetch_opts *opts);
/* Closes the cache; what it keeps stays for others. NULL is fine. */
void loom_fetch_fini(struct loom_fetch *fetch);

/* A loom_fetch_fn of payload.h; ctx is a struct loom_fetch. */
enum loom_status loom_fetch_url(void *ctx, struct loom_str url, struct loom_buf *body,
				struct loom_buf *type, struct loom_err *err);

#endif
