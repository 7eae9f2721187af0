/* Several requests that make one call: a request to each voice from each node of a level, and where
 * in the tree each of their choices stands. */
#include "inside.h"

static struct loom_engine_ask ask_of(struct engine_generation *now, size_t voice, int64_t from,
				     size_t parent)
{
	const struct engine_voice *of = &now->voices[voice];
	const int64_t n = now->call->n ? now->call->n : of->n;

	return (struct loom_engine_ask){
		.voice = voice,
		.from = from,
		.parent = parent,
		.request = {.voice = {.use = LOOM_GENERATE_SUBJECT,
				      .agent = of->subject.name,
				      .model = of->subject.model,
				      .sampling = of->subject.sampling,
				      .line = now->line},
			    .n = n ? (size_t)n : 1,
			    .tokens = now->call->tokens ? now->call->tokens : of->tokens},
	};
}

void continue_level(struct engine_generation *now, const int64_t *nodes, const size_t *parents,
		    size_t count)
{
	now->level++;
	now->ask_count = count * now->voice_count;
	now->asks = LOOM_ARENA_ARRAY(now->arena, now->ask_count, struct loom_engine_ask);
	for (size_t i = 0; i < now->ask_count; i++)
		now->asks[i] = ask_of(now, i % now->voice_count, nodes[i / now->voice_count],
				      parents[i / now->voice_count]);
}

/* Nodes of all levels when each node gets `width` of them; at most one more than `most`. */
static int64_t count_all(int64_t width, int64_t depth, int64_t most)
{
	int64_t level = 1;
	int64_t all = 0;

	for (int64_t i = 0; i < depth && all <= most; i++) {
		level *= width;
		all += level;
	}
	return all;
}

/* Puts the numbers below `count` in an order that tells nobody which voice wrote what. */
static void shuffle(const struct loom_engine *engine, size_t *slots, size_t count)
{
	const struct loom_env *env = loom_store_env(engine->store);
	const uint64_t salt = (uint64_t)engine->tree.id << 40 ^ (uint64_t)engine->generation.from;
	uint32_t *drawn = LOOM_ARENA_ARRAY(engine->generation.arena, count, uint32_t);

	loom_env_random(env, salt ^ (uint64_t)engine->results << 20, drawn, count * sizeof *drawn);
	for (size_t i = count; i > 1; i--) {
		const size_t other = drawn[i - 1] % i;
		const size_t kept = slots[i - 1];

		slots[i - 1] = slots[other];
		slots[other] = kept;
	}
}

/* Siblings of one node stand together. */
static void place(struct loom_engine *engine)
{
	struct engine_generation *now = &engine->generation;
	size_t first = 0;

	now->choice_count = 0;
	for (size_t i = 0; i < now->ask_count; i++)
		now->choice_count += now->asks[i].request.n;
	now->asked += now->choice_count;
	now->ask_of = LOOM_ARENA_ARRAY(now->arena, now->choice_count, size_t);
	now->slots = LOOM_ARENA_ARRAY(now->arena, now->choice_count, size_t);
	for (size_t i = 0; i < now->choice_count; i++)
		now->slots[i] = i;
	for (size_t i = 0; i < now->ask_count; i += now->voice_count) {
		size_t count = 0;

		for (size_t k = i; k < i + now->voice_count; k++) {
			now->asks[k].slots = now->slots + first + count;
			count += now->asks[k].request.n;
		}
		if (now->voice_count > 1)
			shuffle(engine, now->slots + first, count);
		first += count;
	}
	for (size_t i = 0; i < now->ask_count; i++)
		for (size_t k = 0; k < now->asks[i].request.n; k++)
			now->ask_of[now->asks[i].slots[k]] = i;
}

enum loom_status continue_count(struct loom_engine *engine, const struct loom_voice_info *infos,
				struct loom_err *err)
{
	struct engine_generation *now = &engine->generation;
	const int64_t depth = now->call->depth ? now->call->depth : 1;
	int64_t width = 0;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < now->ask_count; i++) {
		struct loom_engine_ask *ask = &now->asks[i];

		if (!now->call->n && !now->voices[ask->voice].n && infos[ask->voice].n)
			ask->request.n = (size_t)infos[ask->voice].n;
		width += i < now->voice_count ? (int64_t)ask->request.n : 0;
	}
	if (now->level == 1)
		status = continue_check_count(engine,
					      count_all(width, depth, ENGINE_CONTINUE_PERSON_MAX),
					      err);
	if (status == LOOM_OK)
		place(engine);
	else if (depth > 1 || now->voice_count > 1)
		loom_hint(err, status, "all models and levels count: use a smaller n: or depth:");
	return status;
}

bool continue_goes_on(const struct engine_generation *now, const struct loom_generated *choices)
{
	if (now->level >= now->call->depth)
		return false;
	for (size_t i = 0; i < now->choice_count; i++)
		if (choices[i].finish == LOOM_FINISH_CANCELLED)
			return false;
	return true;
}

void continue_deeper(struct engine_generation *now)
{
	const size_t count = now->grown_count - now->grown_above;
	int64_t *nodes = LOOM_ARENA_ARRAY(now->arena, count, int64_t);
	size_t *parents = LOOM_ARENA_ARRAY(now->arena, count, size_t);

	LOOM_ASSERT(count > 0);
	for (size_t i = 0; i < count; i++) {
		parents[i] = now->grown_above + i;
		nodes[i] = now->grown[parents[i]].node;
	}
	now->grown_above = now->grown_count;
	continue_level(now, nodes, parents, count);
}

/* The first that grew below `parent`, from `from` on; the count of all when there is none. */
static size_t next_below(const struct engine_generation *now, size_t parent, size_t from)
{
	while (from < now->grown_count && now->grown[from].parent != parent)
		from++;
	return from;
}

void continue_show(const struct engine_generation *now, struct loom_buf *out)
{
	size_t parent = SIZE_MAX;
	size_t at = next_below(now, parent, 0);
	int indent = 2;

	while (at < now->grown_count || parent != SIZE_MAX) {
		const struct engine_grown *grown = &now->grown[at];

		if (at == now->grown_count) { /* back to what follows the one above */
			at = next_below(now, now->grown[parent].parent, parent + 1);
			parent = now->grown[parent].parent;
			indent -= 2;
			continue;
		}
		loom_buf_addf(out, "\n%*s[%s] %.*s", indent, "", grown->name,
			      LOOM_STR_ARG(grown->line));
		parent = at;
		at = next_below(now, parent, at + 1);
		indent += 2;
	}
}
