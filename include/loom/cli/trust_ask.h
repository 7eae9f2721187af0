/* Questions that a person is asked once, on a terminal: on first contact with a foreign grove, and
 * before its texts go to a vendor for summaries. Each says what would happen, [y/N]. */
#ifndef LOOM_TRUST_ASK_H
#define LOOM_TRUST_ASK_H

#include <loom/config/config.h>
#include <loom/grove/trust.h>

struct loom_trust_question {
	const struct loom_env *env;
	struct loom_str dir;
	unsigned about;                 /* bits of loom_trust_about */
	const struct loom_str *details; /* one line each: what would be fetched */
	size_t detail_count;
	bool person; /* whether a person at a terminal may be asked; agents never answer */
};
/* LOOM_OK if a person agrees, now or earlier; the answer is remembered. Otherwise, or without a
 * terminal, LOOM_REFUSED, with the command that trusts it as the hint. */
enum loom_status loom_trust_settle(const struct loom_trust_question *question,
				   struct loom_err *err) LOOM_MUST;

struct loom_small_question {
	const struct loom_env *env;
	struct loom_str dir; /* of the grove */
	const struct loom_config *config;
	bool person; /* whether a person at a terminal may be asked; agents never answer */
};
/* Returns the vendors whose small models may write summaries here without being configured, as bits
 * 1 << enum loom_api. If a vendor's key is in the environment and nobody has been asked about this
 * grove yet, asks; the answer is remembered. */
unsigned loom_small_settle(const struct loom_small_question *question);
/* Returns whether any model may write summaries here, configured or not. Asks nobody. */
bool loom_small_there(const struct loom_env *env, struct loom_str dir,
		      const struct loom_config *config);

#endif
