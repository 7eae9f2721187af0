/* Leases: an agent's turn on a branch. They are not operations. A lease ends when it is released,
 * when its session stops renewing it (boot clock), or when the session's process is gone. */
#ifndef LOOM_LEASE_H
#define LOOM_LEASE_H

#include <loom/grove/presence.h>

#define LOOM_LEASE_MS 120000

/* Publishes in the session that somebody is at a node. `who` says who and what for; its tree, node
 * and depth are filled in, and its time if it is 0. NULL for a session does nothing. Others work
 * without it, so whatever goes wrong is ignored. */
void loom_session_at(struct loom_store *store, struct loom_session *session,
		     const struct loom_presence *who, int64_t node);

/* Inside a write: takes the turn on `node` and everything created under it from now on; existing
 * branches are not included. LOOM_CONFLICT names the holder. */
enum loom_status loom_lease_take(struct loom_store *store, const struct loom_session *session,
				 int64_t agent, int64_t node, int64_t *out_lease,
				 struct loom_err *err) LOOM_MUST;
/* Extends all leases of the session to LOOM_LEASE_MS from now. */
enum loom_status loom_lease_renew(const struct loom_session *session,
				  struct loom_err *err) LOOM_MUST;
/* Inside a write: releases a lease; one that has ended is no error. */
enum loom_status loom_lease_release(struct loom_store *store, int64_t lease,
				    struct loom_err *err) LOOM_MUST;
/* Sets *out to whether a lease covers a node: its own, or one created under it since. */
enum loom_status loom_lease_covers(struct loom_store *store, int64_t lease, int64_t node, bool *out,
				   struct loom_err *err) LOOM_MUST;
/* Checks whether somebody else's live lease forbids writing below `node` (continue, respond: one
 * that covers it) or changing `node` itself (edit, prune, exclude: one that covers it or is under
 * it). LOOM_CONFLICT names the holder; LOOM_OK if free. */
enum loom_status loom_lease_check(struct loom_store *store, const struct loom_session *session,
				  int64_t node, bool changes_node, struct loom_err *err) LOOM_MUST;

#endif
