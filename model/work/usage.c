/* Usage: numbers from generation records and log rows, added up on demand. No sums are stored: the
 * records are authoritative. */
#include <loom/work/usage.h>

#include <math.h>

#include <loom/log/budget.h>
#include <loom/base/jval.h>
#include <loom/tree/say_node.h>

#include <loom/tree/tree_rows.h>

static bool number_of(struct loom_str object, const char *key, double *out)
{
	return loom_jval_real(loom_jval_get(object, key), out) && *out >= 0 && isfinite(*out);
}

void loom_usage_add(struct loom_usage *usage, struct loom_str record, size_t in, size_t out)
{
	struct loom_str told = record.n ? loom_jval_get(record, "usage") : record;
	double share = 1;
	double told_in = 0;
	double told_out = 0;
	double cached = 0;
	double cost = 0;
	double thought = 0;
	double shared = 1; /* choices that were told the same input in one request */

	LOOM_ASSERT(usage->counted <= usage->calls && usage->priced <= usage->calls);
	if (!number_of(told, "choices", &share) || share < 1)
		share = 1;
	if (share > 1 || !number_of(record, "choices", &shared) || shared < 1)
		shared = 1;
	usage->calls++;
	if (number_of(told, "in", &told_in) && number_of(told, "out", &told_out)) {
		usage->counted++;
		usage->in += told_in / share / shared;
		usage->out += told_out / share;
		if (number_of(told, "in_cached", &cached) && cached <= told_in)
			usage->cached += cached / share / shared;
		if (number_of(told, "thinking", &thought) && thought <= told_out)
			usage->thinking += thought / share;
	} else {
		/* it broke off before the server counted: what it was told is known nearly */
		if (!number_of(told, "told", &told_in))
			told_in = (double)loom_token_estimate(in);
		usage->in += told_in / shared;
		usage->out += (double)loom_token_estimate(out);
	}
	if (!number_of(told, "cost", &cost))
		return;
	usage->priced++;
	usage->cost += cost / share;
}

void loom_usage_join(struct loom_usage *usage, const struct loom_usage *more)
{
	LOOM_ASSERT(more->counted <= more->calls && more->priced <= more->calls);
	usage->calls += more->calls;
	usage->counted += more->counted;
	usage->priced += more->priced;
	usage->in += more->in;
	usage->cached += more->cached;
	usage->out += more->out;
	usage->thinking += more->thinking;
	usage->cost += more->cost;
}

int64_t loom_usage_tokens(const struct loom_usage *usage)
{
	double sum = ceil(usage->in) + ceil(usage->out);

	return sum < 9e15 ? (int64_t)sum : (int64_t)9e15;
}

void loom_usage_write(const struct loom_usage *usage, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put_int(json, "calls", usage->calls);
	if (usage->in > 0 || usage->counted == usage->calls) {
		loom_json_key(json, "in");
		loom_json_real(json, usage->in);
	}
	if (usage->cached > 0) {
		loom_json_key(json, "cached");
		loom_json_real(json, usage->cached);
	}
	loom_json_key(json, "out");
	loom_json_real(json, usage->out);
	if (usage->thinking > 0) {
		loom_json_key(json, "thinking");
		loom_json_real(json, usage->thinking);
	}
	if (usage->counted < usage->calls)
		loom_json_put_int(json, "counted", usage->counted);
	if (usage->priced) {
		loom_json_key(json, "cost");
		loom_json_real(json, usage->cost);
		if (usage->priced < usage->calls)
			loom_json_put_int(json, "priced", usage->priced);
	}
	loom_json_end_object(json);
}

void loom_usage_read(struct loom_usage *usage, struct loom_str json)
{
	struct loom_usage one = {.calls = 0};
	double calls = 0;
	double counted = 0;
	double priced = 0;

	if (!number_of(json, "calls", &calls) || calls < 1 || calls > 1e9)
		return;
	one.calls = (int64_t)calls;
	(void)number_of(json, "in", &one.in);
	if (!number_of(json, "cached", &one.cached))
		(void)number_of(json, "in_cached", &one.cached); /* of an earlier loom */
	(void)number_of(json, "out", &one.out);
	(void)number_of(json, "thinking", &one.thinking);
	one.counted = number_of(json, "counted", &counted) && counted < calls ? (int64_t)counted
									      : one.calls;
	if (number_of(json, "cost", &one.cost))
		one.priced = number_of(json, "priced", &priced) && priced < calls ? (int64_t)priced
										  : one.calls;
	loom_usage_join(usage, &one);
}

void loom_usage_show(const struct loom_usage *usage, struct loom_buf *out)
{
	const char *about = usage->counted < usage->calls ? "~" : "";

	if (usage->in > 0) {
		loom_buf_addf(out, "in %s", about);
		loom_buf_add_count(out, (uint64_t)ceil(usage->in));
		if (usage->cached > 0) {
			loom_buf_adds(out, " (");
			loom_buf_add_count(out, (uint64_t)ceil(usage->cached));
			loom_buf_adds(out, " cached)");
		}
		loom_buf_adds(out, " · ");
	}
	loom_buf_addf(out, "out %s", about);
	loom_buf_add_count(out, (uint64_t)ceil(usage->out));
	loom_buf_adds(out, " tokens");
	if (usage->thinking > 0) {
		loom_buf_adds(out, " (");
		loom_buf_add_count(out, (uint64_t)ceil(usage->thinking));
		loom_buf_adds(out, " thought)");
	}
	if (usage->priced)
		loom_buf_addf(out, " · cost %s%.4f",
			      usage->priced < usage->calls ? "at least " : "", usage->cost);
}

/* ---- from the store ---- */

enum loom_status loom_usage_agent(struct loom_store *store, int64_t agent, struct loom_usage *out,
				  struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT l.payload FROM thread t JOIN log l ON l.thread = t.id "
				     "AND l.kind IN ('model_output', 'tool_action') "
				     "WHERE t.agent = ?",
				     err);

	*out = (struct loom_usage){.calls = 0};
	model_bind(&q, agent);
	while (model_row(&q))
		loom_usage_read(out, loom_jval_get(model_borrow(&q, 0), "usage"));
	return model_done(&q);
}

static struct loom_usage *share_of(struct loom_arena *arena, int64_t author,
				   struct loom_usage_share **list, size_t *count, size_t *cap)
{
	for (size_t i = 0; i < *count; i++)
		if ((*list)[i].author == author)
			return &(*list)[i].usage;
	*list = loom_arena_grow(arena, *list, *count, cap, sizeof **list);
	(*list)[*count] = (struct loom_usage_share){.author = author};
	return &(*list)[(*count)++].usage;
}

static int by_words(const void *a, const void *b)
{
	const struct loom_usage_share *one = a;
	const struct loom_usage_share *other = b;

	if (one->usage.out < other->usage.out)
		return 1;
	return one->usage.out > other->usage.out
		       ? -1
		       : (one->author > other->author) - (one->author < other->author);
}

enum loom_status loom_usage_tree(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				 struct loom_usage_share **out, size_t *out_count,
				 struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT n.author, g.record, n.bytes FROM node n "
				     "JOIN generation g ON g.id = n.id "
				     "WHERE n.tree = ? AND g.record <> ''",
				     err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, tree);
	while (model_row(&q))
		loom_usage_add(share_of(arena, model_int(&q, 0), out, out_count, &cap),
			       model_borrow(&q, 1), 0, (size_t)model_int(&q, 2));
	if (*out_count)
		qsort(*out, *out_count, sizeof **out, by_words);
	return model_done(&q);
}

enum loom_status loom_usage_check(const struct loom_allowance *allowance,
				  const struct loom_usage *used, int64_t more,
				  struct loom_str agent, struct loom_err *err)
{
	const int64_t tokens = loom_usage_tokens(used);

	LOOM_ASSERT(allowance && used && more >= 0);
	if (allowance->tokens && tokens + more > allowance->tokens)
		loom_fail(err, LOOM_LIMIT,
			  "max tokens of \"%.*s\" is %lld: %lld are used, and this takes %lld",
			  LOOM_STR_ARG(agent), (long long)allowance->tokens, (long long)tokens,
			  (long long)more);
	else if (allowance->cost > 0 && used->cost >= allowance->cost)
		loom_fail(err, LOOM_LIMIT, "max cost of \"%.*s\" is %.4f: %.4f is used",
			  LOOM_STR_ARG(agent), allowance->cost, used->cost);
	else
		return LOOM_OK;
	return loom_hint(err, LOOM_LIMIT,
			 "a person sets budget_tokens and budget_cost of the agent in config.json");
}
