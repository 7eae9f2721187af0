/* Fitting a conversation, or a text, into a model's window. Pure.
 *
 * Token counts are estimates (loom_token_estimate) until somebody has counted. */
#ifndef LOOM_BUDGET_H
#define LOOM_BUDGET_H

#include <loom/base/arena.h>
#include <loom/log/projection.h>
#include <loom/text/tokens.h>

/* At least this much is reserved for the answer where the window has room for it. */
#define LOOM_ANSWER_LEAST 1024
/* Returns how many tokens a context may have: the window less the answer, for which at least
 * LOOM_ANSWER_LEAST are reserved, or a quarter of a small window, and at most three quarters of
 * any. 0 for an unknown window, otherwise at least 1. */
int64_t loom_budget(int64_t window, int64_t answer);

/* Ways to shorten a subject's context that is too long. */
enum loom_strategy {
	LOOM_STRATEGY_MODE,   /* the mode's default: truncate the middle of a dialogue, roll in a
				 buffer */
	LOOM_TRUNCATE_MIDDLE, /* keep the beginning and the last four, with a marker between them */
	LOOM_ROLLING_WINDOW,  /* drop the oldest, without a marker */
	LOOM_STOP_AT_LIMIT,   /* fail */
};
/* Parses "truncateMiddle", "rollingWindow" or "stopAtLimit"; false for anything else. */
bool loom_strategy_parse(struct loom_str word, enum loom_strategy *out);
/* Returns the word that loom_strategy_parse accepts. Static. */
const char *loom_strategy_name(enum loom_strategy strategy);

/* One text of a conversation, oldest first. */
struct loom_fit {
	enum loom_role role;
	struct loom_str text;
	bool out; /* set: it was left out */
};

#define LOOM_FIT_LAST 4 /* how many at the end LOOM_TRUNCATE_MIDDLE keeps */

/* Joins the texts that fit: consecutive ones of the same role with a blank line, skipping empty
 * ones, with the marker (unless empty) as a user's text where some are left out. *out is in
 * `arena`. */
void loom_fit_join(const struct loom_fit *fits, size_t count, struct loom_str marker,
		   struct loom_arena *arena, struct loom_fit **out, size_t *out_count);
/* Marks texts to leave out, so that loom_fit_join's result costs at most `budget` tokens; if all
 * fit, none. The last non-empty text always stays, even if it exceeds the budget. *out_marker, in
 * `arena`, replaces the texts left out. `strategy` must not be LOOM_STRATEGY_MODE. LOOM_LIMIT under
 * LOOM_STOP_AT_LIMIT. */
enum loom_status loom_fit_choose(struct loom_fit *fits, size_t count, enum loom_strategy strategy,
				 int64_t budget, struct loom_arena *arena,
				 struct loom_str *out_marker, struct loom_err *err) LOOM_MUST;

/* Returns the longest end of a text that costs at most `budget` tokens and starts with a whole
 * character. */
struct loom_str loom_fit_end(struct loom_str text, int64_t budget);

#endif
