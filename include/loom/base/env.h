/* The outside world as fields that a test can own: clock, randomness, environment variables.
 *
 * LOOM_NOW (RFC 3339 or epoch ms) fixes the time that is stored and shown; LOOM_SEED fixes the
 * id generator and every sampler. Waits, leases and timeouts use the boot clock, which is never
 * fixed. */
#ifndef LOOM_ENV_H
#define LOOM_ENV_H

#include <loom/base/base.h>
#include <loom/base/err.h>
#include <loom/base/str.h>

/* The longest name of a person that a configuration may wish for. */
#define LOOM_WISH_MAX 256

/* A login: the role and the server. */
struct loom_login {
	const char *role; /* NULL: whoever the server takes this account for */
	const char *host;
	const char *port; /* NULL: the usual one */
};

struct loom_store;
/* A write that this process has just made: nodes of an operation, or the end of a run. */
struct loom_commit {
	int64_t actor;
	int64_t tree;
	int64_t op;
	int64_t first; /* the row number of the first node made; 0: none */
	int64_t count; /* of the nodes made */
	struct loom_str kind;
	int64_t thread;         /* whose run ended; 0: none did */
	struct loom_str record; /* of that run, JSON */
};

struct loom_env {
	bool now_fixed;
	int64_t now_ms; /* when fixed */
	bool seeded;
	uint64_t seed;  /* when seeded */
	uint64_t drawn; /* draws made without a salt, when seeded */
	/* getenv by default; tests set their own. */
	const char *(*var)(void *ctx, const char *name);
	void *ctx;
	/* The person to be in groves where the account has one of that name, unless LOOM_ME names
	 * one; empty: no wish. */
	char wish[LOOM_WISH_MAX];
	/* Appends the password for a server of logs, which whoever asks wipes. LOOM_NOT_FOUND if
	 * nobody has said where it is; it may run a program. NULL: nobody has. */
	enum loom_status (*password)(const struct loom_env *env, const struct loom_login *login,
				     struct loom_buf *out, struct loom_err *err);
	/* Hears of every commit of this process that made nodes or ended a run, in the thread that
	 * committed and outside of the write; it may read the store. NULL: nobody does. */
	void (*committed)(void *hearer, struct loom_store *store, const struct loom_commit *what);
	void *hearer;
};

/* Fills *env from the process's environment. LOOM_SYNTAX if LOOM_NOW or LOOM_SEED is malformed. */
enum loom_status loom_env_init(struct loom_env *env, struct loom_err *err) LOOM_MUST;
/* Fills *env for a test: fixed clock, seed, no variables. */
void loom_env_init_fixed(struct loom_env *env, int64_t now_ms, uint64_t seed);

/* Returns the wall clock in ms since 1970, or the fixed time. */
int64_t loom_env_now(const struct loom_env *env);
/* Returns the boot clock (CLOCK_BOOTTIME) in ms. It is never fixed, and all processes of a machine
 * see the same value. */
int64_t loom_env_boot(void);
/* Returns a fine-grained clock in ns, for measuring. */
int64_t loom_env_ticks(void);

/* Fills `out` with `n` random bytes. When seeded, the same (seed, salt) gives the same bytes, so
 * pass a salt that no other process can have, such as a row number assigned inside a write
 * transaction. */
void loom_env_random(const struct loom_env *env, uint64_t salt, void *out, size_t n);
/* Returns a fresh salt, for draws that have no grove counter to tell them apart. */
uint64_t loom_env_next_salt(struct loom_env *env);

/* Returns a variable's value, or NULL when it is unset or empty. Borrowed from the environment. */
const char *loom_env_var(const struct loom_env *env, const char *name);

enum loom_dir { LOOM_DIR_CONFIG, LOOM_DIR_DATA, LOOM_DIR_STATE, LOOM_DIR_CACHE };
/* Appends $XDG_…_HOME/loom, or its default below $HOME, without creating it. LOOM_NOT_FOUND without
 * HOME. */
enum loom_status loom_env_dir(const struct loom_env *env, enum loom_dir dir, struct loom_buf *out,
			      struct loom_err *err) LOOM_MUST;

/* Appends a time as "2026-02-23T10:00:00.000Z". */
void loom_time_iso(int64_t ms, struct loom_buf *out);
/* Parses RFC 3339 (with any offset) or epoch ms; false if it is neither. */
bool loom_time_parse(struct loom_str text, int64_t *out_ms);
/* Appends an age such as "12s ago", "3m ago", "2h ago" or "5d ago", and the date (local or UTC)
 * from 30 days on. */
void loom_time_ago(int64_t then_ms, int64_t now_ms, bool local, struct loom_buf *out);

#endif
