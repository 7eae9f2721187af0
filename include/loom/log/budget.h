/* What fits: how much of a conversation, or of a text, a model takes. Pure.
 *
 * Tokens are estimated (loom_token_estimate) as long as nobody has counted. */
#ifndef LOOM_BUDGET_H
#define LOOM_BUDGET_H

#include <loom/base/arena.h>
#include <loom/log/projection.h>
#include <loom/text/tokens.h>

/* What is kept free for an answer at least. */
#define LOOM_ANSWER_LEAST 1024
/* Tokens that a context may have: the window without room for the answer (at least
 * LOOM_ANSWER_LEAST); of a window that is no larger than that half of it, or what the answer
 * leaves. 0 for a window that is not known; at least 1 for one that is. */
int64_t loom_budget(int64_t window, int64_t answer);

/* What is done when a subject's context is too long. */
enum loom_strategy {
	LOOM_STRATEGY_MODE,   /* the mode's own: the next for a dialogue, the one after for a buffer
			       */
	LOOM_TRUNCATE_MIDDLE, /* the beginning and the last four stay, and a marker between */
	LOOM_ROLLING_WINDOW,  /* what is oldest goes, without a word in the text */
	LOOM_STOP_AT_LIMIT,   /* an error */
};
/* "truncateMiddle", "rollingWindow", "stopAtLimit"; false for another word. */
bool loom_strategy_parse(struct loom_str word, enum loom_strategy *out);
/* The word that loom_strategy_parse reads; lives for ever. */
const char *loom_strategy_name(enum loom_strategy strategy);

/* One text of a conversation, oldest first. */
struct loom_fit {
	enum loom_role role;
	struct loom_str text;
	bool out; /* set: it does not fit */
};

#define LOOM_FIT_LAST 4 /* as many at the end stay under LOOM_TRUNCATE_MIDDLE */

/* Joins the texts that are in: those of one role in a row with a blank line, empty ones left out,
 * the marker (empty: none) where texts are out, as a user's. *out is in `arena`. */
void loom_fit_join(const struct loom_fit *fits, size_t count, struct loom_str marker,
		   struct loom_arena *arena, struct loom_fit **out, size_t *out_count);
/* Marks what is out, so that what loom_fit_join makes of the rest costs at most `budget` tokens;
 * all stay when all fit. The last one that says something stays in any case, so that the answer
 * may cost more. *out_marker: what is to stand in the place of what is out; in `arena`. LOOM_LIMIT
 * under LOOM_STOP_AT_LIMIT; `strategy` is one of the three. */
enum loom_status loom_fit_choose(struct loom_fit *fits, size_t count, enum loom_strategy strategy,
				 int64_t budget, struct loom_arena *arena,
				 struct loom_str *out_marker, struct loom_err *err) LOOM_MUST;

/* The longest end of a text that costs at most `budget` tokens and begins with a whole character.
 */
struct loom_str loom_fit_end(struct loom_str text, int64_t budget);

#endif
