/* What was learned of models by asking them: members of a request that they refuse, how little they
 * can think, how large their window is, how many tokens their texts have. Kept per base URL and
 * model in $XDG_STATE_HOME/loom/models.json, which any process reads and may add to; it holds no
 * text and no key. Losing it costs a refusal each. */
#ifndef LOOM_FACTS_H
#define LOOM_FACTS_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/learned/density.h>

#define LOOM_GONE_MAX 32

struct loom_facts {
	struct loom_str base_url;
	struct loom_str model;
	/* Members that are left out unless a person sets them. */
	struct loom_str gone[LOOM_GONE_MAX];
	size_t gone_count;
	struct loom_str tokens_key; /* the name of the token limit; empty: the usual one */
	struct loom_str least;      /* the least effort that it takes; empty: none at all */
	bool thinks;                /* it has been seen to think … */
	bool stubborn;              /* … although it was told not to */
	int adaptive;               /* 1: it decides how much to think; -1: by budget; 0: unknown */
	int64_t most;               /* longest answer; 0: unknown */
	int64_t window;             /* tokens; 0: unknown */
	int64_t slots;              /* requests served at once; 0: unknown */
	struct loom_str server;     /* the program that serves it: "llamacpp"; empty: unknown */
	/* How it continues a text best, as a trial has shown: the strategy, when, and why. */
	struct loom_str way;
	struct loom_str way_why;
	int64_t way_at; /* ms; 0: it was never tried */
	struct loom_density density;
};

struct loom_learned;

/* Opens what was learned; the file is read with the first question. Without a place for state
 * everything is remembered for this process alone. Free it with loom_learned_close. */
struct loom_learned *loom_learned_open(const struct loom_env *env) LOOM_MUST;
/* Frees it; NULL is allowed. Saves nothing. */
void loom_learned_close(struct loom_learned *learned);
/* Returns the facts about a model at a base URL, empty ones if there are none; they may be changed
 * and live as long as `learned`. */
struct loom_facts *loom_learned_of(struct loom_learned *learned, struct loom_str base_url,
				   struct loom_str model);
/* Keeps changed facts for other processes. A failure is no trouble: they are learned again. */
void loom_learned_keep(struct loom_learned *learned, const struct loom_facts *facts);

/* Notes how a model continues a text best. Copies the texts. */
void loom_facts_pin(struct loom_learned *learned, struct loom_facts *facts, struct loom_str way,
		    struct loom_str why, int64_t at);
/* Returns whether a member is refused. */
bool loom_facts_gone(const struct loom_facts *facts, struct loom_str field);
/* Notes that a member is refused; false if that was known, or there is no room. Copies the name. */
bool loom_facts_leave_out(struct loom_learned *learned, struct loom_facts *facts,
			  struct loom_str field);
#endif
