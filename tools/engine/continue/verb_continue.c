/* continue: subjects write what comes next.
 *
 * The call names from where and whom. Once the voices are known, one write reserves the ids, one
 * stream per choice, and the turn on the branch. Then the engine's driver asks the models while no
 * transaction is open. At the end one operation turns what arrived into nodes. With at: or after:,
 * a sibling with exactly the beginning of the node is made first and then continued; with depth:,
 * what was made is continued too, level by level, in the same operation. */
#include "inside.h"

#include <loom/base/utf8.h>

/* tokens per continuation when nothing is known about the model */
#define TOKENS_MOST 100000

/* ---- from where ---- */

/* A tree named without a node must be the one where the thread stands. */
static enum loom_status check_tree(struct engine_run *run, struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	if (!run->call->tree.p)
		return LOOM_OK;
	status = engine_find_tree(run, run->call->tree, &tree, err);
	if (status != LOOM_OK || tree.id == run->tree.id)
		return status;
	loom_fail(err, LOOM_SYNTAX, "from which node of tree:\"%.*s\"?", LOOM_STR_ARG(tree.title));
	return loom_hint(err, LOOM_SYNTAX, LANG_ARROW " continue from ID in tree:\"%.*s\"",
			 LOOM_STR_ARG(tree.title));
}

static enum loom_status find_from(struct engine_run *run, struct loom_node *out,
				  struct loom_err *err)
{
	int64_t position = 0;
	enum loom_status status = LOOM_OK;

	if (run->call->from.p)
		return engine_find_story(run, run->call->from, out, err);
	status = check_tree(run, err);
	if (status == LOOM_OK)
		status = engine_position(run->engine, &position, err);
	return status == LOOM_OK
		       ? loom_node_get(run->store, position, LOOM_NODE_ALL, run->arena, out, err)
		       : status;
}

/* How much of the node to keep; all of it when nothing is to be cut. */
static enum loom_status find_cut(struct engine_run *run, const struct loom_node *node, size_t *out,
				 struct loom_err *err)
{
	return engine_cut(run, node, out, err);
}

/* ---- beginning ---- */

static enum loom_status make_prefix(struct engine_run *run, const struct loom_node *from,
				    size_t cut, struct loom_err *err)
{
	struct loom_node_spec spec = {.tree = from->tree,
				      .from = from->id,
				      .text = loom_str_sub(from->text, 0, cut),
				      .author = run->engine->agent.id,
				      .thread = run->thread.id,
				      .seq = run->engine->seq};

	run->changed = true;
	engine_say(run, "branched inside [%.*s]", LOOM_STR_ARG(engine_name(run, from)));
	return loom_node_edit(run->store, &spec, LOOM_EDIT_BRANCH, &run->engine->generation.prefix,
			      err);
}

/* Reserves a node and a stream for each choice of this level. */
static enum loom_status begin_streams(struct engine_run *run, const struct loom_node *from,
				      struct loom_session *session, struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	struct loom_stream stream = {.tree = from->tree,
				     .thread = run->thread.id,
				     .session = loom_str_of(loom_session_name(session)),
				     .record = LOOM_STR_INIT("{}")};
	struct loom_node like = *from;
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX);
	enum loom_status status = LOOM_OK;

	now->streams = LOOM_ARENA_ARRAY(now->arena, now->choice_count, int64_t);
	now->nums = LOOM_ARENA_ARRAY(now->arena, now->choice_count, int64_t);
	now->names = loom_arena_array(now->arena, now->choice_count, LOOM_LOCAL_MAX);
	for (size_t i = 0; i < now->choice_count && status == LOOM_OK; i++) {
		const struct loom_engine_ask *ask = &now->asks[now->ask_of[i]];

		status = loom_node_reserve(run->store, from->tree, &now->nums[i], err);
		stream.num = now->nums[i];
		stream.from = ask->from;
		stream.agent = now->voices[ask->voice].subject.id;
		if (status == LOOM_OK)
			status = loom_stream_begin(run->store, &stream, &now->streams[i], err);
		like.local = (struct loom_local){.num = now->nums[i]};
		loom_buf_clear(&name);
		if (status == LOOM_OK)
			status = loom_show_name(run->show, &like, &name, err);
		snprintf(now->names[i], LOOM_LOCAL_MAX, "%s", loom_buf_cstr(&name));
	}
	loom_buf_fini(&name);
	for (size_t i = 0; i < now->ask_count && status == LOOM_OK; i++)
		now->asks[i].request.salt =
			(uint64_t)from->tree << 40 ^ (uint64_t)now->nums[now->asks[i].slots[0]];
	return status;
}

void continue_joins(struct engine_run *run, int64_t op)
{
	struct loom_engine *engine = run->engine;

	engine->op = op;
	engine->op_calls += !engine->op_calls;
	loom_buf_clear(&engine->op_text);
	loom_buf_add(&engine->op_text, loom_buf_str(&run->text));
	run->writing = run->changed = false;
}

/* The turn on the branch, and what a branch inside the node begins with. */
static enum loom_status begin_branch(struct engine_run *run, const struct loom_node *from,
				     struct loom_session *session, struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	enum loom_status status = LOOM_OK;

	if (now->cut < from->text.n)
		status = make_prefix(run, from, now->cut, err);
	if (now->prefix)
		now->from = now->prefix;
	for (size_t i = 0; i < now->ask_count; i++)
		now->asks[i].from = now->from;
	return status == LOOM_OK ? loom_lease_take(run->store, session, run->engine->agent.id,
						   now->from, &now->lease, err)
				 : status;
}

/* One write for the prefix, the turn on the branch and the streams; of a deeper level, for its
 * streams. */
static enum loom_status begin_write(struct engine_run *run, struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	struct engine_generation *now = &engine->generation;
	struct loom_session *session = NULL;
	struct loom_node from;
	bool prefix = false;
	int64_t op = 0;
	enum loom_status status = engine_session(engine, &session, err);

	if (status == LOOM_OK)
		status =
			loom_node_get(run->store, now->from, LOOM_NODE_ALL, run->arena, &from, err);
	prefix = status == LOOM_OK && now->level == 1 && now->cut < from.text.n;
	if (status == LOOM_OK)
		status = engine_begin_write(run, prefix ? ENGINE_CHANGES : ENGINE_MOVES, err);
	if (status != LOOM_OK)
		return status;
	if (now->level == 1)
		status = begin_branch(run, &from, session, err);
	if (status == LOOM_OK)
		status = begin_streams(run, &from, session, err);
	if (status == LOOM_OK && prefix)
		loom_op_say(run->store, "%s", loom_buf_cstr(&run->text));
	status = loom_op_end(run->store, status, &op, err);
	now->begun = now->begun || status == LOOM_OK;
	now->grows = status == LOOM_OK;
	if (status == LOOM_OK && prefix) {
		now->prefix_fresh = engine->op != op;
		continue_joins(run, op);
	}
	run->writing = run->changed = false;
	now->renewed = loom_env_boot();
	return status;
}

enum loom_status continue_head(struct engine_run *run, int64_t from, size_t count,
			       struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	enum loom_status status = LOOM_OK;

	loom_buf_adds(run->out, "✓ generating ");
	loom_show_many((int64_t)count, "continuation", "continuations", run->out);
	loom_buf_adds(run->out, " from [");
	status = loom_show_name_of(run->show, from, run->out, err);
	loom_buf_addc(run->out, ']');
	if (now->call->agent.p && now->voice_count == 1)
		loom_buf_addf(run->out, " using \"%.*s\"",
			      LOOM_STR_ARG(now->voices[0].subject.name));
	else if (now->call->agent.p)
		loom_buf_addf(run->out, " using \"%.*s\"", LOOM_STR_ARG(now->call->agent));
	loom_buf_adds(run->out, "...");
	return status;
}

/* Begins a generation, unless it is refused. What it writes waits until the voices are known. */
enum loom_status engine_verb_continue(struct engine_run *run, struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	struct loom_node from;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	loom_arena_reset(now->arena);
	*now = (struct engine_generation){.arena = now->arena, .call = run->call};
	status = continue_voices_named(run, &now->voices, &now->voice_count, err);
	if (status == LOOM_OK)
		status = find_from(run, &from, err);
	if (status == LOOM_OK && !now->voice_count)
		status = continue_voice_default(run, from.tree, &now->voices, err);
	if (status == LOOM_OK)
		status = find_cut(run, &from, &now->cut, err);
	if (status == LOOM_OK)
		status = engine_turn_check(run, from.id, false, err);
	if (status != LOOM_OK)
		return status;
	now->voice_count += !now->voice_count;
	now->from = from.id;
	now->line = continue_line_sampling(run->call, now->arena);
	continue_level(now, &now->from, &(size_t){SIZE_MAX}, 1);
	for (size_t i = 0; i < now->ask_count; i++)
		count += now->asks[i].request.n;
	if (run->engine->opts.dry_run)
		return continue_head(run, from.id, count, err);
	now->active = true;
	return LOOM_OK;
}

/* ---- asking ---- */

size_t continue_request_bytes(const struct loom_generate_request *request)
{
	size_t bytes = request->system.n + request->text.n;

	for (size_t i = 0; i < request->message_count; i++)
		bytes += request->messages[i].text.n;
	return bytes;
}

static int64_t tokens_of(const struct loom_engine_ask *ask, const struct loom_voice_info *infos)
{
	return ask->request.tokens ? ask->request.tokens : infos[ask->voice].tokens;
}

/* A continuation written for an agent counts as the agent's own use. */
static enum loom_status afford(const struct loom_engine *engine,
			       const struct loom_voice_info *infos,
			       const struct loom_allowance *allowance, struct loom_err *err)
{
	const struct engine_generation *now = &engine->generation;
	struct loom_usage used = {.calls = 0};
	int64_t tokens = 0;
	enum loom_status status = LOOM_OK;

	if (engine->human || !allowance || (!allowance->tokens && allowance->cost <= 0))
		return LOOM_OK;
	status = loom_usage_agent(engine->store, engine->agent.id, &used, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < now->ask_count; i++)
		tokens += loom_token_estimate(continue_request_bytes(&now->asks[i].request)) +
			  tokens_of(&now->asks[i], infos) * (int64_t)now->asks[i].request.n;
	return loom_usage_check(allowance, &used, tokens, engine->agent.name, err);
}

/* A request is never silently reduced. */
static enum loom_status check_tokens(const struct loom_generate_request *request,
				     const struct loom_voice_info *voice, struct loom_err *err)
{
	const int64_t most = voice->most ? voice->most : TOKENS_MOST;
	struct loom_buf shown = LOOM_BUF_INIT(40);

	if (request->tokens <= most)
		return LOOM_OK;
	loom_buf_add_count(&shown, (uint64_t)most);
	loom_fail(err, LOOM_LIMIT, "max tokens per continuation is %s for %.*s",
		  loom_buf_cstr(&shown), LOOM_STR_ARG(voice->model));
	loom_buf_fini(&shown);
	return loom_hint(err, LOOM_LIMIT, "use tokens:%lld or less", (long long)most);
}

static enum loom_status assemble(struct loom_engine *engine, struct loom_engine_ask *ask,
				 const struct loom_voice_info *infos, int64_t budget,
				 struct loom_err *err)
{
	struct engine_generation *now = &engine->generation;
	const struct loom_voice_info *voice = &infos[ask->voice];
	const struct loom_subject_opts opts = {
		.tip = ask->from,
		.thread = engine->thread.id,
		.prompt = voice->system,
		.budget = budget ? budget : loom_voice_budget(voice, tokens_of(ask, infos)),
		.strategy = voice->truncation,
	};
	struct loom_signs signs;
	enum loom_status status = check_tokens(&ask->request, voice, err);

	if (status == LOOM_OK)
		status = loom_node_signs(engine->store, ask->from, engine->scratch, &signs, err);
	if (status != LOOM_OK)
		return status;
	ask->request.open = signs.ending == LOOM_ENDING_CUT;
	return engine_prompt(engine->store, &opts, now->arena, &ask->request, err);
}

enum loom_status loom_engine_assemble(struct loom_engine *engine,
				      const struct loom_voice_info *infos,
				      const struct loom_allowance *allowance, struct loom_err *err)
{
	struct engine_generation *now = &engine->generation;
	struct engine_run run;
	enum loom_status status = continue_count(engine, infos, err);

	loom_arena_reset(engine->scratch);
	engine->show.arena = engine->scratch;
	engine_begin_run(engine, now->call, &run);
	if (status == LOOM_OK)
		status = begin_write(&run, err);
	loom_buf_fini(&run.text);
	if (status == LOOM_OK && now->level == 1) {
		engine->works_at = now->from;
		engine_presence(engine, "generating");
	}
	for (size_t i = 0; i < now->ask_count && status == LOOM_OK; i++)
		status = assemble(engine, &now->asks[i], infos, 0, err);
	return status == LOOM_OK ? afford(engine, infos, allowance, err) : status;
}

/* The part of what it had that fits, by the server's own numbers. */
static int64_t shrunk(const struct loom_engine_ask *ask, const struct loom_generated *refused,
		      int64_t answer)
{
	const int64_t had = loom_token_estimate(continue_request_bytes(&ask->request));
	const int64_t window = refused->overflow_window;
	const int64_t prompt = refused->overflow_prompt;
	const int64_t room = window > 2 * answer ? window - answer : window / 2;
	const int64_t budget =
		prompt > 0 && window > 0
			? (int64_t)((double)had * (double)room / (double)prompt * 0.93)
			: had / 2;

	return budget > 0 ? budget : 1;
}

enum loom_status loom_engine_shrink(struct loom_engine *engine, const struct loom_voice_info *infos,
				    const struct loom_generated *choices, struct loom_err *err)
{
	struct engine_generation *now = &engine->generation;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < now->ask_count && status == LOOM_OK; i++) {
		struct loom_engine_ask *ask = &now->asks[i];

		status = assemble(engine, ask, infos,
				  shrunk(ask, &choices[ask->slots[0]], tokens_of(ask, infos)), err);
	}
	return status;
}
