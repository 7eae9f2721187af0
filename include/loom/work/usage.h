/* How many tokens models read and wrote, and the cost: as their servers reported, otherwise
 * estimated. Unknown costs are left out rather than guessed, with how many are known. */
#ifndef LOOM_USAGE_H
#define LOOM_USAGE_H

#include <loom/base/json.h>
#include <loom/grove/store.h>

struct loom_usage {
	int64_t calls;   /* answers by models */
	int64_t counted; /* how many of them a server counted */
	int64_t priced;  /* how many of them have a known cost */
	double in;       /* input tokens; a share where several answers were counted as one */
	double cached;   /* input tokens that were paid before, as far as servers say */
	double out;      /* output tokens, thoughts included */
	double thinking; /* output tokens that were thought, as far as servers say */
	double cost;
};

/* The limits a person sets for an agent; 0: unlimited. */
struct loom_allowance {
	int64_t turn;   /* tokens per turn */
	int64_t tokens; /* tokens in total */
	double cost;    /* in total, in the currency of the prices */
};

/* Adds one answer: `record` is its generation record (its "usage" counts); `in` and `out` are byte
 * counts to estimate what it does not say. */
void loom_usage_add(struct loom_usage *usage, struct loom_str record, size_t in, size_t out);
/* Adds usage that was counted elsewhere. */
void loom_usage_join(struct loom_usage *usage, const struct loom_usage *more);
/* Returns input plus output tokens, rounded up. */
int64_t loom_usage_tokens(const struct loom_usage *usage);
/* Writes {"calls"[,"in"][,"cached"],"out"[,"thinking"][,"counted"][,"cost"[,"priced"]]}; counted
 * and priced are left out if they equal calls, and so is what is unknown. */
void loom_usage_write(const struct loom_usage *usage, struct loom_json *json);
/* Adds usage written by loom_usage_write; ignores anything else. */
void loom_usage_read(struct loom_usage *usage, struct loom_str json);
/* Appends "in 1,234 (1,000 cached) · out 56 tokens · cost 0.0123", with "~" before estimates, and
 * "at least" if not every cost is known. */
void loom_usage_show(const struct loom_usage *usage, struct loom_buf *out);

/* Computes what an agent has used: its own turns, and what it had others write. */
enum loom_status loom_usage_agent(struct loom_store *store, int64_t agent, struct loom_usage *out,
				  struct loom_err *err) LOOM_MUST;
/* How much a model (an agent of the grove) wrote in a tree. */
struct loom_usage_share {
	int64_t author;
	struct loom_usage usage;
};
/* Lists each model's share of a tree, visible or not, most words first, in `arena`. */
enum loom_status loom_usage_tree(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				 struct loom_usage_share **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;

/* Checks that `more` tokens fit into the allowance. LOOM_LIMIT says how much was used. */
enum loom_status loom_usage_check(const struct loom_allowance *allowance,
				  const struct loom_usage *used, int64_t more,
				  struct loom_str agent, struct loom_err *err) LOOM_MUST;

#endif
