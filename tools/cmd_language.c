/* `loom run` and `loom do`: the → language from the command line. A turn is parsed here and done by
 * an actor on the worker, call after call; each result is printed as soon as it is durable. What
 * only looks, and leaves no record, needs no worker. */
#include "cli_impl.h"
#include "bound_impl.h"

#include <loom/act.h>
#include <loom/find.h>
#include <loom/thread.h>
#include <loom/thread_log.h>
#include <loom/turn_log.h>

#define TURN_MAX ((size_t)64 << 20)

/* One call of the command line while it runs. */
struct session {
	struct tool_grove *grove;
	struct loom_agent agent;
	struct loom_engine_opts engine;
	struct loom_turn_log log;
	struct loom_str node; /* to stand at first */
	bool one;             /* `do`: one call, without its line */
	bool first;           /* nothing was printed yet */
	bool failed;
	bool over;
	bool stopping;
	enum loom_status status;
	struct loom_err err;
	struct loom_json json; /* of the calls so far, when it is asked for */
	struct loom_buf calls;
};

/* ---- who and where ---- */

static enum loom_status find_agent(struct session *session, struct loom_err *err)
{
	struct tool_grove *grove = session->grove;
	struct loom_str name = loom_args_str(grove->cli->args, "--agent");
	enum loom_status status = LOOM_OK;

	session->agent = grove->actor;
	if (!name.p)
		return LOOM_OK;
	status = loom_agent_find(grove->store, name, grove->arena, &session->agent, err);
	if (status)
		return status;
	if (!tool_grove_person(grove) && session->agent.id != grove->actor.id)
		return loom_fail(err, LOOM_PERMISSION, "%.*s cannot act as %.*s",
				 LOOM_STR_ARG(grove->actor.name),
				 LOOM_STR_ARG(session->agent.name));
	return LOOM_OK;
}

static enum loom_status find_thread(struct session *session, struct loom_err *err)
{
	struct tool_grove *grove = session->grove;
	struct loom_str name = loom_args_str(grove->cli->args, "--thread");
	struct loom_str in = loom_args_str(grove->cli->args, "--tree");
	struct tool_tie tie = {.agent = session->agent.id};
	struct loom_thread thread;
	struct loom_tree tree;
	const bool dry = loom_str_is(loom_str_of(grove->cli->command->name), "run") &&
			 loom_args_has(grove->cli->args, "--dry-run");
	enum loom_status status = LOOM_OK;

	if (!name.p)
		return LOOM_OK;
	if (in.p) {
		status = tool_grove_tree(grove, in, &tree, err);
		tie.tree = status == LOOM_OK ? tree.id : 0;
	}
	if (status == LOOM_OK)
		status = tool_grove_thread(grove, name, dry ? NULL : &tie, &thread, err);
	session->engine.thread = status ? 0 : thread.id;
	return status;
}

/* TREE/ID names the tree as well. */
static enum loom_status find_place(struct session *session, struct loom_err *err)
{
	struct tool_grove *grove = session->grove;
	struct loom_str tree = loom_args_str(grove->cli->args, "--tree");
	struct loom_str node = loom_args_str(grove->cli->args, "--node");
	size_t slash = node.p ? loom_str_find_char(node, '/', 0) : SIZE_MAX;
	struct loom_tree row;
	enum loom_status status = LOOM_OK;

	if (slash != SIZE_MAX) {
		tree = loom_str_sub(node, 0, slash);
		node = loom_str_sub(node, slash + 1, node.n);
	}
	session->node = node;
	if (tree.p) {
		status = tool_grove_tree(grove, tree, &row, err);
		session->engine.tree = status ? 0 : row.id;
	}
	return status;
}

static enum loom_status begin(struct session *session, struct tool_grove *grove,
			      struct loom_err *err)
{
	static const struct loom_engine_hooks hooks = {.search = loom_find_call};
	enum loom_status status = LOOM_OK;

	*session = (struct session){.grove = grove, .first = true};
	status = find_agent(session, err);
	if (!status)
		status = find_thread(session, err);
	if (!status)
		status = find_place(session, err);
	session->engine.agent = session->agent.id;
	session->engine.local = true;
	session->engine.hooks = &hooks;
	/* A person reads all of it; an agent's context has to hold it. */
	if (session->agent.kind == LOOM_AGENT_HUMAN)
		session->engine.result_tokens = SIZE_MAX;
	loom_buf_init(&session->calls, LOOM_BUF_MAX);
	loom_json_init(&session->json, &session->calls);
	return status;
}

/* ---- saying what came of it ---- */

static void result_json(struct session *session, const struct loom_act *act,
			const struct loom_result *result)
{
	struct loom_json *json = &session->json;

	if (!act->call)
		return;
	loom_json_object(json);
	loom_call_json(act->call, json);
	loom_json_put(json, "status", result->status ? LOOM_STR("error") : LOOM_STR("ok"));
	loom_json_key(json, "code");
	if (result->status)
		loom_json_text(json, loom_str_of(loom_status_code(result->status)));
	else
		loom_json_null(json);
	loom_json_put(json, "text", result->text);
	tool_json_id(json, "op", result->op);
	loom_json_end_object(json);
}

static void print_result(struct session *session, const struct loom_result *result)
{
	struct loom_out *out = session->grove->cli->out;

	loom_out_progress_clear(out);
	if (!session->first)
		loom_out_texts(out, "\n");
	session->first = false;
	if (!session->one) {
		loom_out_styled(out, LOOM_STRONG, result->line);
		loom_out_texts(out, "\n");
	}
	loom_out_line(out, result->text);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct session *session = ctx;
	struct loom_err err;

	session->failed |= result->status != LOOM_OK;
	if (session->grove->cli->json)
		result_json(session, act, result);
	else
		print_result(session, result);
	/* Said as soon as it is true: whoever kills us knows what was done. */
	if (!session->grove->cli->json && loom_out_flush(session->grove->cli->out, &err) != LOOM_OK)
		session->failed = true;
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct session *session = ctx;

	(void)choice;
	(void)text;
	loom_out_progress(session->grove->cli->out, LOOM_STR("generating · ^C stops"));
}

static void on_done(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct session *session = ctx;

	session->over = true;
	session->status = status;
	if (err)
		session->err = *err;
}

/* ---- doing it ---- */

/* Steps the loop until all is done; the first ^C ends what is generated and leaves the rest. */
static void wait_for(struct session *session, struct loom_actor *actor)
{
	struct loom_cli *cli = session->grove->cli;

	loom_cli_listen(cli);
	while (!session->over) {
		(void)loom_loop_step(loom_cli_loop(cli), -1);
		if (!session->stopping && loom_task_cancelled(&cli->task)) {
			session->stopping = true;
			loom_actor_cancel(actor, LOOM_CHOICES_ALL);
		}
	}
	loom_cli_unlisten(cli);
	loom_out_progress_clear(cli->out);
}

/* How much the agent's own model takes, for those who ask what is left of it. */
static void find_window(struct session *session, const struct loom_act *acts, size_t count)
{
	struct tool_voices voices;
	struct tool_asked voice;
	bool asked = false;

	for (size_t i = 0; i < count; i++)
		asked |= acts[i].call && acts[i].call->verb == LOOM_VERB_MEMORY;
	if (!asked || session->agent.kind == LOOM_AGENT_HUMAN)
		return;
	tool_voices_open(session->grove, &voices);
	tool_voice_of(&voices, &session->agent, &voice);
	session->engine.window = voice.window;
	tool_voices_close(&voices);
}

/* Whether one of them may ask a model. */
static bool asks(const struct loom_act *acts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!acts[i].call || acts[i].call->verb == LOOM_VERB_CONTINUE)
			return true;
	return false;
}

static enum loom_status act(struct session *session, const struct loom_act *acts, size_t count,
			    struct loom_err *err)
{
	struct tool_voices voices = {.generator = NULL};
	struct loom_actor_opts opts = {
		.engine = session->engine,
		.loop = loom_cli_loop(session->grove->cli),
		.worker = tool_grove_worker(session->grove),
		.classify = true,
		.sink = {.result = on_result, .chunk = on_chunk, .done = on_done, .ctx = session},
	};
	struct loom_actor *actor = NULL;

	if (asks(acts, count))
		tool_voices_open(session->grove, &voices);
	opts.generator = voices.generator;
	actor = loom_actor_create(&opts);
	if (session->node.p)
		loom_actor_stand(actor, session->node);
	loom_actor_act(actor, acts, count);
	wait_for(session, actor);
	loom_actor_destroy(actor);
	tool_voices_close(&voices);
	if (session->status == LOOM_CANCELLED)
		return loom_fail(err, LOOM_CANCELLED, "stopped; what was done stays done");
	if (session->status && err)
		*err = session->err;
	return session->status;
}

/* What only looks is done at once, on the connection that reads. */
static enum loom_status look(struct session *session, const struct loom_act *what,
			     struct loom_err *err)
{
	struct loom_engine *engine = NULL;
	struct loom_result result;
	enum loom_status status = LOOM_OK;

	session->engine.store = session->grove->store;
	status = loom_engine_open(&session->engine, &engine, err);
	if (status)
		return status;
	if (what->call)
		(void)loom_engine_call(engine, what->call, &result);
	else
		loom_engine_refuse(engine, what->refusal, &result);
	on_result(session, what, &result);
	loom_engine_close(engine);
	return LOOM_OK;
}

/* ---- run ---- */

static void turn_json(struct session *session, const struct loom_turn *turn)
{
	struct loom_json *json = loom_out_json_begin(session->grove->cli->out);

	loom_json_object(json);
	loom_json_key(json, "calls");
	loom_json_raw(json, loom_buf_str(&session->calls));
	loom_turn_json_rest(turn, json);
	loom_json_put(json, "prose", loom_buf_str(&turn->prose));
	loom_json_put(json, "thinking", loom_buf_str(&turn->thinking));
	loom_json_end_object(json);
	loom_out_json_end(session->grove->cli->out);
}

static void say_hints(struct session *session, const struct loom_turn *turn)
{
	for (size_t i = 0; i < turn->hint_count; i++)
		loom_out_note(session->grove->cli->out, "line %lld: %s",
			      (long long)turn->hints[i].line,
			      loom_scan_hint_text(turn->hints[i].hint));
}

static enum loom_status run_turn(struct session *session, const struct loom_turn *turn,
				 struct loom_err *err)
{
	struct loom_act *acts = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	loom_acts_of(turn, 0, 0, session->grove->arena, &acts, &count);
	find_window(session, acts, count);
	loom_json_array(&session->json);
	if (count || session->node.p)
		status = act(session, acts, count, err);
	loom_json_end_array(&session->json);
	if (session->grove->cli->json)
		turn_json(session, turn);
	else
		say_hints(session, turn);
	session->grove->cli->found |= session->failed;
	return status;
}

static enum loom_status run_text(struct session *session, struct loom_str text,
				 struct loom_err *err)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	enum loom_status status = LOOM_OK;

	loom_turn_feed(turn, text);
	loom_turn_end(turn);
	status = run_turn(session, turn, err);
	loom_turn_destroy(turn);
	return status;
}

static enum loom_status check_live(const struct session *session, struct loom_err *err)
{
	if (session->agent.kind == LOOM_AGENT_MODEL)
		return LOOM_OK;
	loom_fail(err, LOOM_REFUSED, "a turn is a model agent's, and %.*s is a person",
		  LOOM_STR_ARG(session->agent.name));
	return loom_hint(err, LOOM_REFUSED, "loom do COMMAND acts as yourself");
}

/* A turn's rows are told from those of the next by a name, which is where in the log it began. */
static enum loom_status name_turn(struct session *session, struct loom_err *err)
{
	struct tool_grove *grove = session->grove;
	struct loom_thread thread = {.id = session->engine.thread};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	int64_t head = LOOM_SEQ_NONE;
	int64_t tree = session->engine.tree;
	enum loom_status status = LOOM_OK;

	if (!thread.id && !tree)
		status = loom_current_tree(grove->store, &tree, err);
	if (status == LOOM_OK && !thread.id)
		status = loom_thread_implicit(grove->store, session->agent.id, tree, grove->arena,
					      &thread, err);
	if (status == LOOM_OK)
		status = loom_thread_log_open(grove->store, thread.id, NULL, &keeper, err);
	if (status == LOOM_OK) {
		log = loom_thread_log_face(keeper);
		status = log.ops->head(log.ctx, &head, err);
	}
	loom_thread_log_close(keeper);
	loom_turn_log_init(&session->log,
			   loom_arena_format(grove->arena, "run-%lld", (long long)head + 1));
	/* Who was never here begins; without a tree the engine says what is missing. */
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

static enum loom_status run_in(struct tool_grove *grove, struct loom_err *err)
{
	struct session session;
	struct loom_buf text = LOOM_BUF_INIT(TURN_MAX);
	enum loom_status status = begin(&session, grove, err);

	if (!status)
		status = check_live(&session, err);
	if (!status)
		status = tool_grove_read(grove, loom_args_get(grove->cli->args, "FILE"), TURN_MAX,
					 &text, err);
	session.engine.dry_run = loom_args_has(grove->cli->args, "--dry-run");
	if (!status)
		status = name_turn(&session, err);
	session.engine.log = &session.log.face;
	if (!status)
		status = run_text(&session, loom_buf_str(&text), err);
	loom_buf_fini(&text);
	loom_buf_fini(&session.calls);
	return status;
}

enum loom_status tool_cmd_run(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = 0};

	return tool_grove_run(cli, &need, run_in, err);
}

/* ---- do ---- */

static enum loom_status do_one(struct session *session, const struct loom_act *what,
			       struct loom_err *err)
{
	const bool writes = what->call && loom_verb_writes(what->call->verb);
	enum loom_status status = LOOM_OK;

	session->one = true;
	find_window(session, what, 1);
	if (writes || session->node.p || (session->engine.log && session->engine.log->record))
		status = act(session, what, 1, err);
	else
		status = look(session, what, err);
	if (session->grove->cli->json && session->calls.n)
		loom_out_json_text(session->grove->cli->out, loom_buf_str(&session->calls));
	session->grove->cli->found |= session->failed;
	return status;
}

static enum loom_status do_in(struct tool_grove *grove, struct loom_err *err)
{
	const size_t count = loom_args_count(grove->cli->args, "COMMAND");
	char **words = LOOM_ARENA_ARRAY(grove->arena, count + 1, char *);
	struct loom_call call;
	struct loom_refusal refusal;
	struct loom_act what = {.call = NULL};
	struct session session;
	enum loom_status status = begin(&session, grove, err);

	for (size_t i = 0; i < count; i++)
		words[i] =
			loom_arena_cstr(grove->arena,
					loom_str_of(loom_args_at(grove->cli->args, "COMMAND", i)));
	if (loom_parse_argv(grove->arena, (int)count, words, &call, &refusal) == LOOM_OK)
		what.call = &call;
	else
		what.refusal = &refusal;
	/* Earlier turns can be asked about; a call by hand is no turn, and leaves no trace. */
	loom_turn_log_init(&session.log, LOOM_STR(""));
	session.log.face.record = NULL;
	session.engine.log = &session.log.face;
	if (!status)
		status = do_one(&session, &what, err);
	loom_buf_fini(&session.calls);
	return status;
}

enum loom_status tool_cmd_do(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = 0};

	return tool_grove_run(cli, &need, do_in, err);
}
