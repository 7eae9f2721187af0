/* Checkpoint tokens: a run's state, signed, to be carried elsewhere and resumed.
 *
 *   rt2.<payload>.<mac>   both base64url without padding, mac = HMAC-SHA256(secret, payload bytes)
 *
 * A token has only one spelling, but is not a key: the same state may be signed twice. */
#ifndef LOOM_TOKEN_H
#define LOOM_TOKEN_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>

#define LOOM_TOKEN_PREFIX "rt2."
#define LOOM_TOKEN_ISSUER "loom/react"

/* The words for the status of a run in a token; the lifecycle has others. */
#define LOOM_TOKEN_IDLE      "idle"
#define LOOM_TOKEN_RUNNING   "running"
#define LOOM_TOKEN_AWAITING  "awaiting_tools"
#define LOOM_TOKEN_COMPLETED "completed"
#define LOOM_TOKEN_FAILED    "failed"
#define LOOM_TOKEN_CANCELLED "cancelled"

struct loom_token_claims {
	struct loom_str run_id;
	struct loom_str request_id;
	int64_t iat_ms;
	bool expires;
	int64_t exp_ms; /* the last ms in which it is valid */
	struct loom_str fingerprint;
	struct loom_str state; /* a JSON object */
};
/* Appends a token. LOOM_INVALID if the state is not a JSON object with a context, or has a
 * `thread`. */
enum loom_status loom_token_issue(const struct loom_token_claims *claims, struct loom_str secret,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Appends a token for payload bytes as they are. */
void loom_token_sign(struct loom_str payload, struct loom_str secret, struct loom_buf *out);

/* The process that redeems a token. */
struct loom_token_holder {
	struct loom_str secret;
	struct loom_str fingerprint;
	int64_t now_ms;
};
/* The contents of a valid token, in the arena. */
struct loom_token {
	struct loom_token_claims claims; /* its state has a status, "running" if it had none */
	struct loom_str status;
};
/* Returns NULL if the token is valid, otherwise the name of the first fault in the order of the
 * specification: "invalid_token_prefix" … "missing_field:run_id" … Static. */
const char *loom_token_check(struct loom_str token, const struct loom_token_holder *holder,
			     struct loom_arena *arena, struct loom_token *out) LOOM_MUST;
/* Appends a new token whose state is cancelled for `reason`; the old one remains valid. Fails like
 * loom_token_issue. */
enum loom_status loom_token_cancel(const struct loom_token *token, struct loom_str reason,
				   const struct loom_token_holder *holder, struct loom_buf *out,
				   struct loom_err *err) LOOM_MUST;

/* A run's configuration; configurations that could give different answers should differ here. */
struct loom_token_config {
	struct loom_str model;
	struct loom_str prompt; /* p NULL: none */
	int64_t max_steps;
	int64_t max_tokens;
	int64_t context_window;
	const struct loom_str *tools; /* in any order */
	size_t tool_count;
};
/* Appends the configuration's fingerprint, 64 hex digits. */
void loom_token_fingerprint(const struct loom_token_config *config, struct loom_buf *out);

/* Appends the secret: LOOM_TOKEN_SECRET, otherwise the contents of `token.secret` in the grove's
 * state folder (loom_store_state_dir), created there with mode 0600 on first use. LOOM_REFUSED if
 * others can read that file or it is not a regular file of ours. */
enum loom_status loom_token_secret(const struct loom_env *env, struct loom_str folder,
				   struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
