/* The question at first contact, on a terminal: what it is, what would happen, [y/N]. */
#ifndef LOOM_TRUST_ASK_H
#define LOOM_TRUST_ASK_H

#include <loom/grove/trust.h>

struct loom_trust_question {
	const struct loom_env *env;
	struct loom_str dir;
	unsigned about;                 /* bits of loom_trust_about */
	const struct loom_str *details; /* a line each: what would be fetched */
	size_t detail_count;
	bool person; /* a person may be asked, if there is one at a terminal; nobody else answers */
};
/* LOOM_OK when it was agreed to, now or earlier; then it is remembered. LOOM_REFUSED with the
 * command otherwise, or with no terminal to ask on. */
enum loom_status loom_trust_settle(const struct loom_trust_question *question,
				   struct loom_err *err) LOOM_MUST;

#endif
