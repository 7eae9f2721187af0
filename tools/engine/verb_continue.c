/* continue: a subject model writes what comes next.
 *
 * One write reserves the ids, one stream per choice, and the turn on the branch. Then the engine's
 * driver asks the model while no transaction is open. At the end one operation turns what arrived
 * into nodes, in the order of the choices. With at: or after:, a sibling with exactly the beginning
 * of the node is made first and then continued. */
#include <loom/engine/handlers.h>

#include <loom/language/call.h>
#include <loom/base/utf8.h>
#include <loom/tree/lease.h>
#include <loom/work/sent.h>
#include <loom/work/stream.h>

/* tokens per continuation when nothing is known about the model */
#define TOKENS_MOST 100000
/* room for an answer whose length nobody has set */
#define SHRUNK_ANSWER 64

/* ---- who ---- */

static enum loom_status name_subjects(struct engine_run *run, enum loom_status status,
				      struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(200);

	for (size_t i = 0; i < run->show->agent_count && names.n < 150; i++) {
		const struct loom_agent *agent = &run->show->agents[i];

		if (loom_author_type(agent) == LOOM_AUTHOR_SUBJECT)
			loom_buf_addf(&names, "%s\"%.*s\"", names.n ? ", " : "",
				      LOOM_STR_ARG(agent->name));
	}
	if (names.n)
		loom_hint(err, status, "subjects: %s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return status;
}

/* A loom-aware agent is never made to write by this verb: no loops, no mixed roles. */
static enum loom_status check_subject(struct engine_run *run, const struct loom_agent *agent,
				      struct loom_err *err)
{
	const bool self = agent->id == run->engine->agent.id;

	if (!self && loom_author_type(agent) == LOOM_AUTHOR_SUBJECT)
		return LOOM_OK;
	loom_fail(err, LOOM_PERMISSION, "agent \"%.*s\" %s", LOOM_STR_ARG(agent->name),
		  self ? "cannot invoke itself" : "is not a subject");
	return name_subjects(run, LOOM_PERMISSION, err);
}

static enum loom_status check_count(const struct loom_call *call, struct loom_err *err)
{
	if (call->n <= ENGINE_CONTINUE_MAX)
		return LOOM_OK;
	loom_fail(err, LOOM_LIMIT, "max continuations per request is %d", ENGINE_CONTINUE_MAX);
	return loom_hint(err, LOOM_LIMIT, "use n:%d or less", ENGINE_CONTINUE_MAX);
}

/* Refuses a wrong agent or count, in this order. */
static enum loom_status find_named(struct engine_run *run, struct loom_agent *out,
				   struct loom_err *err)
{
	const struct loom_call *call = run->call;
	enum loom_status found = LOOM_OK;
	enum loom_status status = LOOM_OK;

	if (call->agent.p)
		found = loom_agent_find(run->store, call->agent, run->arena, out, err);
	if (found != LOOM_OK && found != LOOM_NOT_FOUND)
		return found;
	if (call->agent.p && found == LOOM_OK)
		status = check_subject(run, out, err);
	if (status == LOOM_OK)
		status = check_count(call, err);
	if (status != LOOM_OK || found == LOOM_OK)
		return status;
	loom_fail(err, LOOM_NOT_FOUND, "agent \"%.*s\" does not exist", LOOM_STR_ARG(call->agent));
	return name_subjects(run, LOOM_NOT_FOUND, err);
}

/* The tree's own subject, else the grove's. */
static enum loom_status find_default(struct engine_run *run, int64_t tree, struct loom_agent *out,
				     struct loom_err *err)
{
	const struct loom_agent *found;
	struct loom_tree row;
	enum loom_status status = loom_tree_get(run->store, tree, run->arena, &row, err);

	if (status == LOOM_OK && row.subject) {
		status = loom_agent_get(run->store, row.subject, run->arena, out, err);
		return status == LOOM_OK ? check_subject(run, out, err) : status;
	}
	if (status != LOOM_OK)
		return status;
	found = loom_subject_default(run->show->agents, run->show->agent_count,
				     run->engine->agent.id);
	if (found) {
		*out = *found;
		return LOOM_OK;
	}
	loom_fail(err, LOOM_MODEL, "the grove has no subject model");
	return loom_hint(err, LOOM_MODEL, "`loom agent add NAME --model M` makes one");
}

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

/* Length in bytes of the first `count` characters; SIZE_MAX when there are fewer. */
static size_t bytes_of(struct loom_str text, int64_t count)
{
	size_t at = 0;

	for (; count > 0 && at < text.n; count--)
		(void)loom_utf8_next(text, &at);
	return count ? SIZE_MAX : at;
}

static enum loom_status cut_at(struct engine_run *run, const struct loom_node *node, size_t *out,
			       struct loom_err *err)
{
	const size_t length = loom_utf8_length(node->text);
	struct loom_str many;

	*out = bytes_of(node->text, run->call->at);
	if (*out != SIZE_MAX)
		return LOOM_OK;
	many = engine_many(run, (int64_t)length, "character", "characters");
	loom_fail(err, LOOM_LIMIT, "[%.*s] has %.*s", LOOM_STR_ARG(engine_name(run, node)),
		  LOOM_STR_ARG(many));
	return loom_hint(err, LOOM_LIMIT, "use at:%zu or less", length);
}

static enum loom_status cut_after(struct engine_run *run, const struct loom_node *node, size_t *out,
				  struct loom_err *err)
{
	const struct loom_str text = run->call->after;
	size_t first = loom_str_find(node->text, text, 0);
	size_t count = 0;

	for (size_t at = first; at != SIZE_MAX; at = loom_str_find(node->text, text, at + 1))
		count++;
	if (count == 1) {
		*out = first + text.n;
		return LOOM_OK;
	}
	if (!count) {
		loom_fail(err, LOOM_NOT_FOUND, "\"%.*s\" does not occur in [%.*s]",
			  (int)loom_utf8_clip(text, 120).n, text.p,
			  LOOM_STR_ARG(engine_name(run, node)));
		return loom_hint(err, LOOM_NOT_FOUND, LANG_ARROW " view %.*s shows its text",
				 LOOM_STR_ARG(engine_name_again(run, node, " full")));
	}
	loom_fail(err, LOOM_SYNTAX, "\"%.*s\" occurs %zu times in [%.*s]: after which one?",
		  (int)loom_utf8_clip(text, 120).n, text.p, count,
		  LOOM_STR_ARG(engine_name(run, node)));
	return loom_hint(err, LOOM_SYNTAX, "quote more of it, or use at:%zu",
			 loom_utf8_length(loom_str_sub(node->text, 0, first + text.n)));
}

/* How much of the node to keep; all of it when nothing is to be cut. */
static enum loom_status find_cut(struct engine_run *run, const struct loom_node *node, size_t *out,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out = node->text.n;
	if (run->call->at)
		status = cut_at(run, node, out, err);
	else if (run->call->after.p)
		status = cut_after(run, node, out, err);
	if (status == LOOM_OK && *out < node->text.n && !node->parent) {
		loom_fail(err, LOOM_CONFLICT, "cannot branch inside the root: a tree has one root");
		return loom_hint(err, LOOM_CONFLICT,
				 LANG_ARROW " continue from %.*s continues at its end",
				 LOOM_STR_ARG(engine_name_again(run, node, "")));
	}
	return status;
}

/* ---- beginning ---- */

static void begin_generation(struct engine_run *run, const struct loom_agent *subject)
{
	struct engine_generation *now = &run->engine->generation;
	struct loom_arena *arena = now->arena;
	const size_t n = run->call->n ? (size_t)run->call->n : 1;

	loom_arena_reset(arena);
	*now = (struct engine_generation){
		.arena = arena,
		.named = run->call->agent.p != NULL,
		.call = run->call,
		.subject = *subject,
		.streams = LOOM_ARENA_ARRAY(arena, n, int64_t),
		.nums = LOOM_ARENA_ARRAY(arena, n, int64_t),
		.names = loom_arena_array(arena, n, LOOM_LOCAL_MAX),
		.request = {.n = n, .tokens = run->call->tokens},
	};
	now->subject.name = loom_arena_str(arena, subject->name);
	now->request.voice = (struct loom_generate_voice){
		.use = LOOM_GENERATE_SUBJECT,
		.agent = now->subject.name,
		.model = loom_arena_str(arena, subject->model),
		.sampling = loom_arena_str(arena, subject->sampling),
		.line = engine_line_sampling(run->call, arena),
	};
}

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

static enum loom_status begin_streams(struct engine_run *run, const struct loom_node *from,
				      struct loom_session *session, struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	struct loom_stream stream = {.tree = from->tree,
				     .from = now->from,
				     .agent = now->subject.id,
				     .thread = run->thread.id,
				     .session = loom_str_of(loom_session_name(session)),
				     .record = LOOM_STR_INIT("{}")};
	struct loom_node like = *from;
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX);
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < now->request.n && status == LOOM_OK; i++) {
		status = loom_node_reserve(run->store, from->tree, &now->nums[i], err);
		stream.num = now->nums[i];
		if (status == LOOM_OK)
			status = loom_stream_begin(run->store, &stream, &now->streams[i], err);
		like.local = (struct loom_local){.num = now->nums[i]};
		loom_buf_clear(&name);
		if (status == LOOM_OK)
			status = loom_show_name(run->show, &like, &name, err);
		snprintf(now->names[i], LOOM_LOCAL_MAX, "%s", loom_buf_cstr(&name));
	}
	loom_buf_fini(&name);
	now->request.salt = (uint64_t)from->tree << 40 ^ (uint64_t)now->nums[0];
	return status;
}

/* One write for the prefix, the turn on the branch and the streams. */
static enum loom_status begin_write(struct engine_run *run, const struct loom_node *from,
				    size_t cut, struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	struct engine_generation *now = &engine->generation;
	const bool prefix = cut < from->text.n;
	struct loom_session *session = NULL;
	int64_t op = 0;
	enum loom_status status = engine_session(engine, &session, err);

	if (status == LOOM_OK)
		status = engine_begin_write(run, prefix ? ENGINE_CHANGES : ENGINE_MOVES, err);
	if (status != LOOM_OK)
		return status;
	if (prefix)
		status = make_prefix(run, from, cut, err);
	now->from = now->prefix ? now->prefix : from->id;
	if (status == LOOM_OK)
		status = loom_lease_take(run->store, session, engine->agent.id, now->from,
					 &now->lease, err);
	if (status == LOOM_OK)
		status = begin_streams(run, from, session, err);
	if (status == LOOM_OK && prefix)
		loom_op_say(run->store, "%s", loom_buf_cstr(&run->text));
	status = loom_op_end(run->store, status, &op, err);
	run->writing = run->changed = false;
	if (status == LOOM_OK && prefix) {
		now->prefix_fresh = engine->op != op;
		engine->op = op;
		engine->op_calls += !engine->op_calls;
		loom_buf_clear(&engine->op_text);
		loom_buf_add(&engine->op_text, loom_buf_str(&run->text));
	}
	now->renewed = loom_env_boot();
	return status;
}

/* "✓ generating 3 continuations from [a7x2]..." */
static enum loom_status add_head(struct engine_run *run, int64_t from, struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	enum loom_status status = LOOM_OK;

	loom_buf_adds(run->out, "✓ generating ");
	loom_show_many((int64_t)now->request.n, "continuation", "continuations", run->out);
	loom_buf_adds(run->out, " from [");
	status = loom_show_name_of(run->show, from, run->out, err);
	loom_buf_addc(run->out, ']');
	if (now->named)
		loom_buf_addf(run->out, " using \"%.*s\"", LOOM_STR_ARG(now->subject.name));
	loom_buf_adds(run->out, "...");
	return status;
}

/* Begins a generation, unless it is refused. */
enum loom_status engine_verb_continue(struct engine_run *run, struct loom_err *err)
{
	struct loom_agent subject = {.id = 0};
	struct loom_node from;
	size_t cut = 0;
	enum loom_status status = find_named(run, &subject, err);

	if (status == LOOM_OK)
		status = find_from(run, &from, err);
	if (status == LOOM_OK && !subject.id)
		status = find_default(run, from.tree, &subject, err);
	if (status == LOOM_OK)
		status = find_cut(run, &from, &cut, err);
	if (status == LOOM_OK)
		status = engine_turn_check(run, from.id, false, err);
	if (status != LOOM_OK)
		return status;
	begin_generation(run, &subject);
	if (run->engine->opts.dry_run)
		return add_head(run, from.id, err);
	status = begin_write(run, &from, cut, err);
	run->engine->generation.active = status == LOOM_OK;
	if (status != LOOM_OK)
		return status;
	run->engine->works_at = run->engine->generation.from;
	engine_presence(run->engine, "generating");
	return LOOM_OK;
}

/* ---- while it runs ---- */

static size_t request_bytes(const struct loom_generate_request *request)
{
	size_t bytes = request->system.n + request->text.n;

	for (size_t i = 0; i < request->message_count; i++)
		bytes += request->messages[i].text.n;
	return bytes;
}

/* A continuation written for an agent counts as the agent's own use. */
static enum loom_status afford(const struct loom_engine *engine,
			       const struct loom_allowance *allowance, int64_t tokens,
			       struct loom_err *err)
{
	const struct loom_generate_request *request = &engine->generation.request;
	struct loom_usage used = {.calls = 0};
	enum loom_status status = LOOM_OK;

	if (engine->human || !allowance || (!allowance->tokens && allowance->cost <= 0))
		return LOOM_OK;
	status = loom_usage_agent(engine->store, engine->agent.id, &used, err);
	if (status != LOOM_OK)
		return status;
	return loom_usage_check(allowance, &used,
				loom_token_estimate(request_bytes(request)) +
					tokens * (int64_t)request->n,
				engine->agent.name, err);
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

enum loom_status loom_engine_assemble(struct loom_engine *engine,
				      const struct loom_voice_info *voice,
				      const struct loom_allowance *allowance, struct loom_err *err)
{
	struct engine_generation *now = &engine->generation;
	const int64_t tokens = now->request.tokens ? now->request.tokens : voice->tokens;
	const struct loom_subject_opts opts = {.tip = now->from,
					       .thread = engine->thread.id,
					       .prompt = voice->system,
					       .budget = now->budget
								 ? now->budget
								 : loom_voice_budget(voice, tokens),
					       .strategy = voice->truncation};
	enum loom_status status = check_tokens(&now->request, voice, err);

	if (status == LOOM_OK)
		status = engine_prompt(engine->store, &opts, now->arena, &now->request, err);
	return status == LOOM_OK ? afford(engine, allowance, tokens, err) : status;
}

void loom_engine_shrink(struct loom_engine *engine, int64_t prompt, int64_t window)
{
	struct engine_generation *now = &engine->generation;
	const int64_t had = loom_token_estimate(request_bytes(&now->request));
	const int64_t answer = now->request.tokens ? now->request.tokens : SHRUNK_ANSWER;
	const double fits = (double)(window > 2 * answer ? window - answer : window / 2);

	now->budget = prompt > 0 && window > 0
			      ? (int64_t)((double)had * fits / (double)prompt * 0.93)
			      : had / 2;
	if (now->budget < 1)
		now->budget = 1;
}

void engine_continue_usage(const struct engine_generation *now,
			   const struct loom_generated *choices, struct loom_usage *out)
{
	for (size_t i = 0; i < now->request.n; i++)
		if (choices[i].text.n || choices[i].record.n)
			loom_usage_add(out, choices[i].record, i ? 0 : request_bytes(&now->request),
				       choices[i].text.n);
}

static bool must_renew(const struct engine_generation *now)
{
	return loom_env_boot() - now->renewed > ENGINE_LEASE_RENEW_MS;
}

static bool has_news(const struct loom_growth *growth)
{
	const struct engine_generation *now = &growth->engine->generation;

	return now->active && (growth->count || must_renew(now));
}

/* A stream that somebody took for a dead process's is already in the tree; the others continue. */
static enum loom_status keep(struct loom_store *store, const struct loom_growth *growth,
			     struct loom_err *err)
{
	const struct loom_engine *engine = growth->engine;
	struct engine_generation *now = &growth->engine->generation;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < growth->count && status == LOOM_OK; i++) {
		status = loom_stream_add(store, now->streams[growth->chunks[i].choice],
					 growth->chunks[i].text, err);
		if (status == LOOM_NOT_FOUND)
			status = LOOM_OK;
	}
	if (status != LOOM_OK || !must_renew(now))
		return status;
	now->renewed = loom_env_boot();
	return loom_lease_renew(engine->opts.session ? engine->opts.session : engine->own_session,
				err);
}

enum loom_status loom_engine_stream(struct loom_store *store, const struct loom_growth *growths,
				    size_t count, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	bool news = false;

	for (size_t i = 0; i < count; i++)
		news = news || has_news(&growths[i]);
	if (!news)
		return LOOM_OK;
	status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		if (has_news(&growths[i]))
			status = keep(store, &growths[i], err);
	return loom_quiet_end(store, status, err);
}

/* ---- ending ---- */

static bool has_text(const struct loom_generated *choice)
{
	return choice->text.n && loom_utf8_valid(choice->text, NULL);
}

/* Adds the request as it was sent to the record. Choices of one request share its body. */
static enum loom_status add_request(struct engine_run *run, const struct loom_generated *choice,
				    struct loom_str *record, struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	enum loom_status status = LOOM_OK;

	if (!choice->body.n || !loom_str_ends(*record, LOOM_STR("}")) || record->n < 3)
		return LOOM_OK;
	if (!loom_str_eq(choice->body, now->body)) {
		now->body = choice->body;
		status = loom_sent_pack(run->store, now->from, choice->body, now->arena,
					&now->packed, err);
	}
	if (status == LOOM_OK)
		*record = loom_arena_format(now->arena, "%.*s,\"request\":%.*s}",
					    LOOM_STR_ARG(loom_str_sub(*record, 0, record->n - 1)),
					    LOOM_STR_ARG(now->packed));
	return status;
}

static enum loom_status finish_choice(struct engine_run *run, size_t i,
				      const struct loom_generated *choice, struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	struct loom_node_spec spec = {.from = now->from,
				      .author = now->subject.id,
				      .thread = run->thread.id,
				      .seq = run->engine->seq,
				      .num = now->nums[i]};
	struct loom_node node = {.text = choice ? choice->text : LOOM_STR("")};
	int64_t made = 0;
	enum loom_status status = LOOM_OK;

	if (choice && has_text(choice)) {
		spec.text = choice->text;
		spec.raw = choice->raw;
		spec.generation = choice->record;
		status = add_request(run, choice, &spec.generation, err);
	}
	if (status != LOOM_OK)
		return status;
	status = loom_stream_finish(run->store, now->streams[i], &spec, &made, err);
	if (status != LOOM_OK || !made)
		return status;
	run->changed = true;
	loom_buf_addf(run->out, "\n  [%s] ", now->names[i]);
	loom_show_quoted(&node, run->out);
	return LOOM_OK;
}

/* Ends the streams and frees the branch. Without texts there is nothing else to do. */
static enum loom_status finish_all(struct engine_run *run, const struct loom_generated *choices,
				   struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < now->request.n && status == LOOM_OK; i++)
		status = finish_choice(run, i, choices ? &choices[i] : NULL, err);
	return status == LOOM_OK ? loom_lease_release(run->store, now->lease, err) : status;
}

/* Takes back a prefix that nothing continues. */
static enum loom_status take_back(struct engine_run *run, struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	const struct engine_generation *now = &engine->generation;
	struct loom_op_spec spec = {.kind = "continue",
				    .actor = engine->agent.id,
				    .thread = engine->thread.id,
				    .tree = engine->tree.id,
				    .join = engine->op};
	bool changed = false;
	int64_t below = 0;
	enum loom_status status = LOOM_OK;

	if (now->prefix_fresh) {
		status = loom_op_undo(run->store, engine->agent.id, engine->op, NULL, err);
		engine_batch_close(engine);
		return status;
	}
	status = loom_op_begin(run->store, &spec, err);
	if (status != LOOM_OK)
		return status;
	status = loom_node_prune(run->store, now->prefix, &below, &changed, err);
	return loom_op_end(run->store, status, NULL, err);
}

static enum loom_status finish_empty(struct engine_run *run, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(run->store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_quiet_end(run->store, finish_all(run, NULL, err), err);
	return status == LOOM_OK && run->engine->generation.prefix ? take_back(run, err) : status;
}

/* The reason for an empty choice that gives none. */
static const char *why_nothing(const struct engine_generation *now,
			       const struct loom_generated *choices)
{
	for (size_t i = 0; i < now->request.n; i++)
		if (!has_text(&choices[i]) && choices[i].finish == LOOM_FINISH_CANCELLED)
			return "it was stopped";
	return "the model wrote nothing";
}

/* Choices that did not arrive share one line, whatever their reasons. */
static enum loom_status say_missing(const struct engine_generation *now,
				    const struct loom_generated *choices, size_t arrived,
				    struct loom_err *err)
{
	const struct loom_err *why = NULL;
	const size_t missing = now->request.n - arrived;

	for (size_t i = 0; i < now->request.n && !why; i++)
		if (!has_text(&choices[i]) && choices[i].err.text[0])
			why = &choices[i].err;
	if (!arrived)
		loom_fail(err, LOOM_MODEL, "%s", why ? why->text : why_nothing(now, choices));
	else
		loom_fail(err, LOOM_MODEL, "%zu of %zu did not arrive: %s", missing, now->request.n,
			  why ? why->text : why_nothing(now, choices));
	return why && why->hint[0] ? loom_hint(err, LOOM_MODEL, "%s", why->hint) : LOOM_MODEL;
}

/* A choice that broke off is kept and reported. */
static enum loom_status say_broken(const struct engine_generation *now,
				   const struct loom_generated *choices, struct loom_err *err)
{
	size_t broken = 0;
	const struct loom_generated *first = NULL;

	for (size_t i = 0; i < now->request.n; i++) {
		if (choices[i].finish != LOOM_FINISH_ERROR)
			continue;
		first = first ? first : &choices[i];
		broken++;
	}
	if (!broken)
		return LOOM_OK;
	loom_fail(err, LOOM_MODEL, "%zu of %zu broke off: %s", broken, now->request.n,
		  first->err.text[0] ? first->err.text : "no reason was given");
	return first->err.hint[0] ? loom_hint(err, LOOM_MODEL, "%s", first->err.hint) : LOOM_MODEL;
}

static enum loom_status say_op(struct engine_run *run, int64_t from, size_t arrived,
			       struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX);
	enum loom_status status = loom_show_name_of(run->show, from, &name, err);

	engine_say(run, "generated %zu from [%s]", arrived, loom_buf_cstr(&name));
	loom_buf_fini(&name);
	return status;
}

/* Whether the thread stands below the node's group, and so reads one of its versions. */
static enum loom_status stands_below(struct engine_run *run, const struct loom_node *from,
				     bool *out, struct loom_err *err)
{
	struct loom_node node = {.id = 0};
	int64_t position = 0;
	enum loom_status status = engine_position(run->engine, &position, err);

	if (status == LOOM_OK)
		status = loom_node_get(run->store, position, LOOM_NODE_NARROW, run->arena, &node,
				       err);
	*out = false;
	return status != LOOM_OK || node.group == from->group || node.tree != from->tree
		       ? status
		       : loom_node_above(run->store, from->group, node.group, out, err);
}

/* The thread now reads the version that was continued by name, if its path goes there; says so when
 * it was reading another one. */
static enum loom_status read_on(struct engine_run *run, struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	struct loom_node from;
	int64_t instead = 0;
	bool below = false;
	enum loom_status status = LOOM_OK;

	if (!now->call->from.p || now->prefix)
		return LOOM_OK;
	status = loom_node_get(run->store, now->from, LOOM_NODE_NARROW, run->arena, &from, err);
	if (status == LOOM_OK)
		status = engine_read_on(run, &from, &instead, err);
	if (status == LOOM_OK && instead)
		status = stands_below(run, &from, &below, err);
	if (status != LOOM_OK || !below)
		return status;
	loom_buf_adds(run->out, "\n  your path reads [");
	status = loom_show_name_of(run->show, from.id, run->out, err);
	loom_buf_adds(run->out, "] now, not [");
	if (status == LOOM_OK)
		status = loom_show_name_of(run->show, instead, run->out, err);
	loom_buf_addc(run->out, ']');
	return status;
}

enum loom_status engine_continue_end(struct engine_run *run, const struct loom_generated *choices,
				     const struct loom_err *why, struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	size_t arrived = 0;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; choices && i < now->request.n; i++)
		arrived += has_text(&choices[i]);
	if (!arrived) {
		status = finish_empty(run, err);
		if (status == LOOM_OK && !choices) {
			*err = *why;
			return why->status ? why->status : LOOM_MODEL;
		}
		return status == LOOM_OK ? say_missing(now, choices, 0, err) : status;
	}
	status = engine_begin_write(run, ENGINE_CHANGES, err);
	if (status == LOOM_OK)
		status = add_head(run, now->from, err);
	if (status == LOOM_OK)
		status = finish_all(run, choices, err);
	if (status == LOOM_OK)
		status = read_on(run, err);
	if (status == LOOM_OK)
		status = say_op(run, now->from, arrived, err);
	if (status != LOOM_OK)
		return status;
	run->partial = true;
	if (arrived < now->request.n)
		return say_missing(now, choices, arrived, err);
	status = say_broken(now, choices, err);
	run->partial = status != LOOM_OK;
	return status;
}

void engine_continue_forget(struct loom_engine *engine)
{
	struct loom_arena *arena = engine->generation.arena;

	loom_arena_reset(arena);
	engine->generation = (struct engine_generation){.arena = arena};
	if (!engine->lease_count)
		engine->works_at = 0;
	engine_presence(engine, engine->works_at ? "writing" : "reading");
}
