/* Leases: one agent's turn on a branch. None is an operation. A lease ends with its release, when
 * its session has not renewed it for so long on the boot clock, or when that one's process is gone.
 */
#ifndef LOOM_LEASE_H
#define LOOM_LEASE_H

#include <loom/grove/presence.h>

#define LOOM_LEASE_MS 120000

/* The turn on `node` and what is made under it from now on; branches that are there already are
 * other branches. Inside a write. LOOM_CONFLICT names the holder. */
enum loom_status loom_lease_take(struct loom_store *store, const struct loom_session *session,
				 int64_t agent, int64_t node, int64_t *out_lease,
				 struct loom_err *err) LOOM_MUST;
/* All turns of the session hold LOOM_LEASE_MS again from now on. */
enum loom_status loom_lease_renew(const struct loom_session *session,
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
