/* The world outside, as fields that a test can own: clock, randomness, environment variables.
 *
 * LOOM_NOW (RFC 3339 or epoch ms) fixes what is stored and shown; LOOM_SEED fixes the id
 * generator and every sampler. Waits, leases and timeouts use the boot clock, which never lies. */
#ifndef LOOM_ENV_H
#define LOOM_ENV_H

#include <loom/base/base.h>
#include <loom/base/err.h>
#include <loom/base/str.h>

struct loom_env {
	bool now_fixed;
	int64_t now_ms; /* when fixed */
	bool seeded;
	uint64_t seed;  /* when seeded */
	uint64_t drawn; /* how many draws were made without a salt, when seeded */
	/* getenv by default; tests put their own. */
	const char *(*var)(void *ctx, const char *name);
	void *ctx;
};

/* From the process's environment; LOOM_SYNTAX when LOOM_NOW or LOOM_SEED is malformed. */
enum loom_status loom_env_init(struct loom_env *env, struct loom_err *err) LOOM_MUST;
/* A world of its own for a test: fixed clock, seed, no variables. */
void loom_env_init_fixed(struct loom_env *env, int64_t now_ms, uint64_t seed);

/* Wall clock in ms since 1970, or the fixed one. */
int64_t loom_env_now(const struct loom_env *env);
/* Boot clock (CLOCK_BOOTTIME) in ms; never fixed, the same for all processes of the machine. */
int64_t loom_env_boot(void);
/* Fine clock for measuring, in ns. */
int64_t loom_env_ticks(void);

/* `n` random bytes. When seeded, the same (seed, salt) gives the same bytes: pass a salt that no
 * other process can have, such as a row number given inside a write transaction. */
void loom_env_random(const struct loom_env *env, uint64_t salt, void *out, size_t n);
/* A salt for draws that no counter of a grove can tell apart. */
uint64_t loom_env_next_salt(struct loom_env *env);

/* A variable's value, or NULL when unset or empty. */
const char *loom_env_var(const struct loom_env *env, const char *name);

enum loom_dir { LOOM_DIR_CONFIG, LOOM_DIR_DATA, LOOM_DIR_STATE, LOOM_DIR_CACHE };
/* $XDG_…_HOME/loom, else the usual place below $HOME; not created. LOOM_NOT_FOUND without HOME. */
enum loom_status loom_env_dir(const struct loom_env *env, enum loom_dir dir, struct loom_buf *out,
			      struct loom_err *err) LOOM_MUST;

/* "2026-02-23T10:00:00.000Z" */
void loom_time_iso(int64_t ms, struct loom_buf *out);
/* Reads RFC 3339 (offsets too) or epoch ms; false when it is neither. */
bool loom_time_parse(struct loom_str text, int64_t *out_ms);
/* "12s ago", "3m ago", "2h ago", "5d ago", from 30 days on the date (local or UTC). */
void loom_time_ago(int64_t then_ms, int64_t now_ms, bool local, struct loom_buf *out);

#endif
