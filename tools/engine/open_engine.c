/* Opens an engine: who acts, in which tree and thread, with what permissions; where the thread
 * stands and how it moves; turns on branches. engine.c does the calls. */
#include <loom/engine/handlers.h>
#include <loom/tree/gate.h>
#include <loom/tree/lease.h>

/* ---- opening ---- */

static enum loom_status open_thread(struct loom_engine *engine, struct loom_err *err)
{
	struct loom_err ignored;
	enum loom_status status = LOOM_OK;

	if (!engine->opts.thread) {
		status = loom_thread_implicit(engine->store, engine->agent.id, engine->tree.id,
					      engine->arena, &engine->thread, &ignored);
		if (status == LOOM_NOT_FOUND)
			engine->thread = (struct loom_thread){.agent = engine->agent.id,
							      .tree = engine->tree.id,
							      .implicit = true};
		return status == LOOM_NOT_FOUND ? LOOM_OK : status;
	}
	status = loom_thread_get(engine->store, engine->opts.thread, engine->arena, &engine->thread,
				 err);
	if (status == LOOM_OK && engine->thread.agent != engine->agent.id && !engine->human)
		return loom_fail(err, LOOM_PERMISSION, "thread %.*s is another agent's",
				 LOOM_STR_ARG(engine->thread.name));
	return status;
}

static enum loom_status open_tree(struct loom_engine *engine, struct loom_err *err)
{
	struct loom_thread thread;
	int64_t tree = engine->opts.tree;
	enum loom_status status = LOOM_OK;

	if (engine->opts.thread) {
		status = loom_thread_get(engine->store, engine->opts.thread, engine->arena, &thread,
					 err);
		if (status == LOOM_OK && tree && tree != thread.tree)
			return loom_fail(err, LOOM_CONFLICT, "thread %.*s is in another tree",
					 LOOM_STR_ARG(thread.name));
		tree = status == LOOM_OK ? thread.tree : 0;
	} else if (!tree) {
		status = loom_current_tree(engine->store, &tree, err);
	}
	return status == LOOM_OK
		       ? loom_tree_get(engine->store, tree, engine->arena, &engine->tree, err)
		       : status;
}

/* Makes the first batch part of an operation begun elsewhere. */
static enum loom_status join(struct loom_engine *engine, struct loom_err *err)
{
	struct loom_op op;
	enum loom_status status =
		loom_op_get(engine->store, engine->opts.join, engine->scratch, &op, err);

	if (status != LOOM_OK)
		return status;
	engine->batch = 0;
	engine->op = op.id;
	engine->op_calls = 1;
	loom_buf_add(&engine->op_text, op.text);
	return LOOM_OK;
}

enum loom_status loom_engine_open(const struct loom_engine_opts *opts, struct loom_engine **out,
				  struct loom_err *err)
{
	struct loom_engine *engine = loom_alloc(sizeof *engine);
	enum loom_status status = LOOM_OK;

	*out = NULL;
	engine->opts = *opts;
	if (!engine->opts.result_tokens)
		engine->opts.result_tokens = ENGINE_RESULT_TOKENS;
	engine->store = opts->store;
	engine->arena = loom_arena_create();
	engine->turn = loom_arena_create();
	engine->scratch = loom_arena_create();
	engine->generation.arena = loom_arena_create();
	loom_buf_init(&engine->op_text, 4096);
	loom_buf_init(&engine->proposal, 256);
	loom_buf_init(&engine->note, LOOM_BUF_MAX);
	loom_buf_init(&engine->line, 1 << 16);
	loom_buf_init(&engine->out, ENGINE_RESULT_MAX);
	loom_buf_init(&engine->shown, ENGINE_RESULT_MAX);
	loom_buf_init(&engine->own, ENGINE_RESULT_MAX);
	status = loom_agent_get(engine->store, opts->agent, engine->arena, &engine->agent, err);
	engine->human = status == LOOM_OK && engine->agent.kind == LOOM_AGENT_HUMAN &&
			loom_agent_acts(&engine->agent);
	if (status == LOOM_OK)
		status = open_tree(engine, err);
	if (status == LOOM_OK)
		status = open_thread(engine, err);
	if (status == LOOM_OK)
		status = loom_engine_turn(engine, -1, err);
	if (status == LOOM_OK && opts->join)
		status = join(engine, err);
	if (status == LOOM_OK)
		*out = engine;
	else
		loom_engine_close(engine);
	return status;
}

void loom_engine_close(struct loom_engine *engine)
{
	if (!engine)
		return;
	loom_engine_yield(engine);
	loom_session_close(engine->own_session);
	loom_arena_destroy(engine->arena);
	loom_arena_destroy(engine->turn);
	loom_arena_destroy(engine->scratch);
	loom_arena_destroy(engine->generation.arena);
	loom_buf_fini(&engine->op_text);
	loom_buf_fini(&engine->proposal);
	loom_buf_fini(&engine->note);
	loom_buf_fini(&engine->line);
	loom_buf_fini(&engine->out);
	loom_buf_fini(&engine->shown);
	loom_buf_fini(&engine->own);
	free(engine);
}

void engine_batch_close(struct loom_engine *engine)
{
	engine->batch = SIZE_MAX;
	engine->op = 0;
	engine->op_calls = 0;
	loom_buf_clear(&engine->op_text);
}

static enum loom_status count_results(struct loom_engine *engine, struct loom_err *err)
{
	const struct loom_engine_log *log = engine->opts.log;

	if (!log || !log->last || !engine->thread.id)
		return LOOM_OK;
	return log->last(log->ctx, engine->store, engine->thread.id, &engine->results, err);
}

enum loom_status loom_engine_turn(struct loom_engine *engine, int64_t seq, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_engine_yield(engine);
	engine_batch_close(engine);
	loom_arena_reset(engine->turn);
	engine->kept = NULL;
	engine->kept_count = engine->kept_cap = 0;
	engine->seq = seq;
	status = loom_gate_who(engine->store, &engine->agent, engine->opts.ungranted, &engine->who,
			       err);
	if (status == LOOM_OK)
		status = loom_show_init(&engine->show, engine->store, engine->turn, err);
	/* A model's results go into its log and from there into contexts. */
	engine->show.local = engine->opts.local && engine->agent.kind == LOOM_AGENT_HUMAN;
	engine->show.reader = engine->show.local ? engine->agent.id : 0;
	if (status == LOOM_OK)
		status = loom_tree_get(engine->store, engine->tree.id, engine->turn, &engine->tree,
				       err);
	return status == LOOM_OK ? count_results(engine, err) : status;
}

/* ---- the thread and where it stands ---- */

enum loom_status engine_position(struct loom_engine *engine, int64_t *out, struct loom_err *err)
{
	struct loom_thread thread;
	enum loom_status status = LOOM_OK;

	*out = engine->dry_position ? engine->dry_position : engine->tree.root;
	if (!engine->thread.id || engine->dry_position)
		return LOOM_OK;
	status = loom_thread_get(engine->store, engine->thread.id, engine->scratch, &thread, err);
	return status == LOOM_OK ? loom_thread_stand(engine->store, &thread, out, err) : status;
}

/* A person's implicit thread takes the grove's current tree along: the next command means that
 * one. */
static enum loom_status enter_tree(struct engine_run *run, int64_t tree, struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	enum loom_status status = loom_tree_get(run->store, tree, engine->turn, &run->tree, err);

	if (status != LOOM_OK || !engine->thread.implicit)
		return status;
	status = loom_thread_ensure(run->store, engine->agent.id, tree, engine->arena, &run->thread,
				    err);
	if (status == LOOM_OK && engine->human)
		status = loom_use_tree(run->store, tree, err);
	return status;
}

enum loom_status engine_move(struct engine_run *run, const struct loom_node *node,
			     struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (node->tree != run->tree.id)
		status = enter_tree(run, node->tree, err);
	if (status == LOOM_OK)
		status = loom_thread_move(run->store, run->thread.id, node->id, err);
	if (status == LOOM_OK) {
		run->moved = node->id;
		run->thread.tree = node->tree;
	}
	return status;
}

void engine_presence(struct loom_engine *engine, const char *doing)
{
	const struct loom_presence who = {.agent = engine->agent.name,
					  .human = engine->human,
					  .thread = engine->thread.name,
					  .doing = loom_str_of(doing)};
	struct loom_session *session =
		engine->opts.session ? engine->opts.session : engine->own_session;
	int64_t at = engine->works_at;

	/* Others want to know where it works, which need not be where it stands. */
	if (session && !engine->opts.dry_run &&
	    (at || engine_position(engine, &at, NULL) == LOOM_OK))
		loom_session_at(engine->store, session, &who, at);
}

void engine_view_of(struct loom_engine *engine, struct loom_engine_view *out)
{
	*out = (struct loom_engine_view){.store = engine->store,
					 .arena = engine->scratch,
					 .agent = engine->agent.id,
					 .tree = engine->tree.id,
					 .thread = engine->thread.id,
					 .may = engine->who.grant.may};
	if (engine_position(engine, &out->position, NULL) != LOOM_OK)
		out->position = engine->tree.root;
}

/* ---- the turn on a branch ---- */

enum loom_status engine_session(struct loom_engine *engine, struct loom_session **out,
				struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out = engine->opts.session ? engine->opts.session : engine->own_session;
	if (*out)
		return LOOM_OK;
	status = loom_session_open(engine->store, &engine->own_session, err);
	*out = engine->own_session;
	return status;
}

enum loom_status engine_turn_check(struct engine_run *run, int64_t node, bool changes,
				   struct loom_err *err)
{
	const struct loom_engine *engine = run->engine;
	const struct loom_session *session =
		engine->opts.session ? engine->opts.session : engine->own_session;

	return loom_lease_check(run->store, session, node, changes, err);
}

static enum loom_status is_held(struct engine_run *run, int64_t node, bool *out,
				struct loom_err *err)
{
	const struct loom_engine *engine = run->engine;
	enum loom_status status = LOOM_OK;

	*out = false;
	for (size_t i = 0; i < engine->lease_count && status == LOOM_OK && !*out; i++)
		status = loom_lease_covers(run->store, engine->leases[i], node, out, err);
	return status;
}

enum loom_status engine_turn_take(struct engine_run *run, const struct loom_node *node,
				  struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	struct loom_session *session = NULL;
	bool held = false;
	enum loom_status status = LOOM_OK;

	if (!engine->human && !engine->opts.dry_run)
		status = engine_session(engine, &session, err);
	if (status == LOOM_OK)
		status = engine_turn_check(run, node->id, false, err);
	if (status == LOOM_OK)
		status = is_held(run, node->id, &held, err);
	if (status != LOOM_OK || held || !session || engine->lease_count == ENGINE_LEASES_MAX)
		return status;
	run->lease_at = node->id;
	return loom_lease_take(run->store, session, engine->agent.id, node->id, &run->lease, err);
}

void engine_turn_taken(struct loom_engine *engine, int64_t lease, int64_t node)
{
	engine->leases[engine->lease_count++] = lease;
	engine->works_at = node;
	engine_presence(engine, "writing");
}

void loom_engine_yield(struct loom_engine *engine)
{
	enum loom_status status = LOOM_OK;

	if (!engine->lease_count)
		return;
	/* A lease that cannot be given back expires by itself. */
	if (loom_quiet_begin(engine->store, NULL) == LOOM_OK) {
		for (size_t i = 0; i < engine->lease_count && status == LOOM_OK; i++)
			status = loom_lease_release(engine->store, engine->leases[i], NULL);
		(void)!loom_quiet_end(engine->store, status, NULL);
	}
	engine->lease_count = 0;
	engine->works_at = 0;
	engine_presence(engine, "reading");
}
