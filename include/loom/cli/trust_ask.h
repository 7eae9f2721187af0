/* The question on first contact with a foreign grove, on a terminal: what it is, what would happen,
 * [y/N]. */
#ifndef LOOM_TRUST_ASK_H
#define LOOM_TRUST_ASK_H

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

#endif
