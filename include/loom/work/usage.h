/* What models were told and have said, in tokens, and what it cost: as their servers told it, and
 * estimated where they told nothing. Never a number that nobody knows: a cost that is not known is
 * left out, and how much of it is known is told with it. */
#ifndef LOOM_USAGE_H
#define LOOM_USAGE_H

#include <loom/base/json.h>
#include <loom/grove/store.h>

struct loom_usage {
	int64_t calls;   /* answers of models */
	int64_t counted; /* of them, how many a server has counted */
	int64_t priced;  /* of them, of how many the cost is known */
	double in;       /* tokens told; a share where several answers were counted as one */
	double out;      /* tokens said */
	double cost;
};

/* What a person lets an agent use; 0: as much as it likes. */
struct loom_allowance {
	int64_t turn;   /* tokens in one turn */
	int64_t tokens; /* tokens in all */
	double cost;    /* in all, in the currency of the prices */
};

/* Adds one answer: `record` is what its generator says of it ("usage" in it counts), `in` and `out`
 * are bytes that stand for what it does not say. */
void loom_usage_add(struct loom_usage *usage, struct loom_str record, size_t in, size_t out);
/* Adds what was counted elsewhere. */
void loom_usage_join(struct loom_usage *usage, const struct loom_usage *more);
/* Tokens, told and said, rounded up. */
int64_t loom_usage_tokens(const struct loom_usage *usage);
/* {"calls"[,"in"],"out"[,"counted"][,"cost"[,"priced"]]}; counted and priced are left out where
 * they are all of them, what is not known as well. */
void loom_usage_write(const struct loom_usage *usage, struct loom_json *json);
/* The same again, added; nothing for what is no such object. */
void loom_usage_read(struct loom_usage *usage, struct loom_str json);
/* "1,234 tokens told · 56 said · cost 0.0123"; with "about" where a number is estimated, and "at
 * least" where not every cost is known. */
void loom_usage_show(const struct loom_usage *usage, struct loom_buf *out);

/* All that an agent has used: its own turns, and what it had others write. */
enum loom_status loom_usage_agent(struct loom_store *store, int64_t agent, struct loom_usage *out,
				  struct loom_err *err) LOOM_MUST;
/* What one model (an agent of the grove) has written in a tree. */
struct loom_usage_share {
	int64_t author;
	struct loom_usage usage;
};
/* Whether it is to be seen now or not: the list is in `arena`, most words first. */
enum loom_status loom_usage_tree(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				 struct loom_usage_share **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;

/* Whether there is room for `more` tokens: LOOM_LIMIT says how much was used. */
enum loom_status loom_usage_check(const struct loom_allowance *allowance,
				  const struct loom_usage *used, int64_t more,
				  struct loom_str agent, struct loom_err *err) LOOM_MUST;

#endif
