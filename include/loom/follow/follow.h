/* Follows the shared log of a grove while a program runs: what others append comes into the grove's
 * file by itself, where everybody on this machine sees it as they see each other's writes.
 *
 * One process of a machine follows for all of them; another takes over when it ends. A grove that
 * stands in no log costs nothing. */
#ifndef LOOM_FOLLOW_H
#define LOOM_FOLLOW_H

#include <loom/base/arena.h>
#include <loom/grove/store.h>
#include <loom/loop/loop.h>

struct loom_follow;

enum loom_follow_state {
	LOOM_FOLLOW_STARTS,    /* nothing is known yet */
	LOOM_FOLLOW_ELSEWHERE, /* another process of this machine follows */
	LOOM_FOLLOW_CURRENT,   /* all that the log has is here */
	LOOM_FOLLOW_AWAY,      /* the log cannot be reached; it tries again by itself */
	LOOM_FOLLOW_STUCK,     /* something that does not pass: a fork, a newer program */
};

struct loom_follow_news {
	enum loom_follow_state state;
	int64_t since;       /* when it came to this, wall clock */
	struct loom_err why; /* of AWAY and STUCK */
};

struct loom_follow_opts {
	struct loom_loop *loop;
	/* Called in the loop's thread when the state has changed; may be NULL. */
	void (*changed)(void *ctx);
	void *ctx;
};

/* Starts following the log of a grove; NULL if it stands in none, or that cannot be read. The loop,
 * the store's env and ctx are borrowed. Free it with loom_follow_stop. */
struct loom_follow *loom_follow_start(struct loom_store *store,
				      const struct loom_follow_opts *opts) LOOM_MUST;
/* Ends it, waiting for what is under way. NULL is allowed. */
void loom_follow_stop(struct loom_follow *follow);
/* Returns what is known; it lives as long as the follower. */
const struct loom_follow_news *loom_follow_news(const struct loom_follow *follow);
struct loom_follow_place {
	struct loom_str url;
	int64_t entries; /* in the grove's file */
	int64_t rides;   /* rows that wait for my next entry */
	int64_t voids;   /* entries that broke a rule */
};
/* Reads from the grove's file where it stands; texts are in the arena. */
enum loom_status loom_follow_place(struct loom_store *store, struct loom_arena *arena,
				   struct loom_follow_place *out, struct loom_err *err) LOOM_MUST;
/* Returns a short name of the log's place: a host, or a file's name. */
const char *loom_follow_name(const struct loom_follow *follow);

#endif
