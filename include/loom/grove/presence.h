/* Who is here now: presence files and leases. Nothing of it is an operation.
 *
 * A session is a file .loom/live/<name> held under flock while its process lives; what stands in it
 * is rewritten in place. A lease gives one agent the turn on a branch; it ends with its release, by
 * its expiry on the boot clock, or when its session's process is gone. */
#ifndef LOOM_LIVE_H
#define LOOM_LIVE_H

#include <loom/tree/node.h>

struct loom_session;

/* What a session says of itself. */
struct loom_presence {
	struct loom_str session;
	int64_t pid;
	struct loom_str agent;
	bool human;
	struct loom_str thread;
	struct loom_str tree; /* ULID text */
	struct loom_str node; /* local id */
	int64_t depth;
	struct loom_str doing; /* "reading", "writing", "generating" */
	int64_t since;         /* ms */
};

/* Says that this process is here, by a file that is locked while the session lives. LOOM_FULL,
 * LOOM_IO. */
enum loom_status loom_session_open(struct loom_store *store, struct loom_session **out,
				   struct loom_err *err) LOOM_MUST;
/* Removes the file. NULL is fine. */
void loom_session_close(struct loom_session *session);
/* The name that leases and streams carry; lives as long as the session. */
const char *loom_session_name(const struct loom_session *session);
/* Tells the others what it is at, anew each time. LOOM_IO; nothing else depends on it. */
enum loom_status loom_session_say(struct loom_session *session, const struct loom_presence *what,
				  struct loom_err *err) LOOM_MUST;
/* Everybody alive but `session` (nullable); files of the dead are removed on the way. */
enum loom_status loom_presence_list(struct loom_store *store, const struct loom_session *session,
				    struct loom_arena *arena, struct loom_presence **out,
				    size_t *out_count, struct loom_err *err) LOOM_MUST;
/* Whether a session's process lives. */
bool loom_session_alive(const struct loom_store *store, struct loom_str name);

#define LOOM_LEASE_MS 120000

/* The turn on `node` and what is made under it from now on; branches that are there already are
 * other branches. Inside a write. LOOM_CONFLICT names the holder. */
enum loom_status loom_lease_take(struct loom_store *store, const struct loom_session *session,
				 int64_t agent, int64_t node, int64_t *out_lease,
				 struct loom_err *err) LOOM_MUST;
/* From now LOOM_LEASE_MS again. Inside a write; one that is gone is no error. */
enum loom_status loom_lease_renew(struct loom_store *store, int64_t lease,
				  struct loom_err *err) LOOM_MUST;
/* Gives the turn back. Inside a write; one that is gone is no error. */
enum loom_status loom_lease_release(struct loom_store *store, int64_t lease,
				    struct loom_err *err) LOOM_MUST;
/* Whether a lease covers a node: its own, or one made under it since it was taken. */
enum loom_status loom_lease_covers(struct loom_store *store, int64_t lease, int64_t node, bool *out,
				   struct loom_err *err) LOOM_MUST;
/* Whether somebody else's live lease stands against writing below `node` (continue, respond: one
 * that covers it), or against changing `node` itself (edit, prune, exclude: one that covers it or
 * is under it). LOOM_CONFLICT names the holder; LOOM_OK when free. */
enum loom_status loom_lease_check(struct loom_store *store, const struct loom_session *session,
				  int64_t node, bool changes_node, struct loom_err *err) LOOM_MUST;

#endif
