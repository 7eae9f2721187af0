/* A grove's way in and out: made, opened, looked over, closed. What is between is store.h's. */
#ifndef LOOM_OPEN_STORE_H
#define LOOM_OPEN_STORE_H

#include <loom/grove/store.h>

/* Makes dir/.loom/grove.db under a temporary name and renames it; makes `dir` when missing.
 * LOOM_CONFLICT when there is a grove already; LOOM_REFUSED in a directory that others may write
 * into, or that is theirs, and that nobody has agreed to (trust.h). */
enum loom_status loom_grove_init(struct loom_env *env, struct loom_str dir,
				 struct loom_err *err) LOOM_MUST;

/* Opens the grove of a project directory. Refuses by name what is not ours, damaged or empty, or
 * somebody else's that nobody has agreed to open (trust.h), its bytes unchanged; a newer version
 * opens for reading only. Migrates an older one (after a backup) when opened for writing. The env
 * is borrowed until the store is closed. */
enum loom_status loom_store_open(struct loom_env *env, struct loom_str dir, enum loom_access access,
				 struct loom_store **out, struct loom_err *err) LOOM_MUST;
/* NULL is fine; an open transaction is rolled back. Never waits for writers. */
void loom_store_close(struct loom_store *store);

/* SQLite's own check, foreign keys, edges, log continuity; deep: content hashes and counters too.
 * Calls `finding` once a finding and counts them. The task of loom_store_heed stops it. */
struct loom_check_opts {
	bool deep;
	loom_finding_fn finding;
	void *ctx;
};
/* Damage is a finding, not a failure: LOOM_OK with *out_findings > 0. LOOM_CANCELLED. */
enum loom_status loom_store_check(struct loom_store *store, const struct loom_check_opts *opts,
				  int64_t *out_findings, struct loom_err *err) LOOM_MUST;

#endif
