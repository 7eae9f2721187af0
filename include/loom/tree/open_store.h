/* Creates, opens, checks and closes a grove. Everything in between is in store.h. */
#ifndef LOOM_OPEN_STORE_H
#define LOOM_OPEN_STORE_H

#include <loom/grove/store.h>

/* Creates dir/.loom/grove.db under a temporary name and renames it; creates `dir` if missing.
 * LOOM_CONFLICT if there is a grove already; LOOM_REFUSED in a directory that others own or can
 * write to without a person's consent (trust.h). */
enum loom_status loom_grove_init(struct loom_env *env, struct loom_str dir,
				 struct loom_err *err) LOOM_MUST;

/* Opens the grove of a project directory. Refuses by name, leaving it untouched, a file that is not
 * ours, damaged or empty, or that others own or can write to without a person's consent (trust.h).
 * A newer version opens read-only; an older one is migrated (after a backup) when opened for
 * writing. `env` is borrowed until the store is closed. */
enum loom_status loom_store_open(struct loom_env *env, struct loom_str dir, enum loom_access access,
				 struct loom_store **out, struct loom_err *err) LOOM_MUST;
/* Closes the store, rolling back an open transaction. Never waits for writers. NULL is fine. */
void loom_store_close(struct loom_store *store);

/* Checks with SQLite's own check, then foreign keys, edges and log continuity; with deep also
 * content hashes and counters. Calls `finding` for each finding. The task of loom_store_heed can
 * cancel it. */
struct loom_check_opts {
	bool deep;
	loom_finding_fn finding;
	void *ctx;
};
/* Checks a grove. Damage is a finding, not a failure: LOOM_OK with *out_findings > 0.
 * LOOM_CANCELLED if cancelled. */
enum loom_status loom_store_check(struct loom_store *store, const struct loom_check_opts *opts,
				  int64_t *out_findings, struct loom_err *err) LOOM_MUST;

#endif
