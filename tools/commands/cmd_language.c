/* `loom run` and `loom do`: the → language on the command line. This parses a turn, and session.c
 * runs it. Calls that only read and are not logged need no worker. */
#include <loom/chat/ties.h>
#include <loom/language/registry.h>
#include <loom/language/scan.h>
#include <loom/language/parse.h>
#include <loom/chat/drain.h>
#include <loom/chat/session.h>

#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

#include <loom/commands/args_of.def>
#include <loom/commands/language.def>

#define TURN_MAX ((size_t)64 << 20)

/* ---- agent and position ---- */

/* The options that both commands take. */
struct place {
	struct loom_str agent;
	struct loom_str tree;
	struct loom_str thread;
	struct loom_str node;
	bool dry;
};

static enum loom_status find_agent(struct cli_grove *grove, struct loom_str name,
				   struct loom_agent *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!name.p)
		return LOOM_OK;
	status = loom_agent_find(grove->store, name, grove->arena, out, err);
	if (status)
		return status;
	if (!cli_grove_person(grove) && out->id != grove->actor.id)
		return loom_fail(err, LOOM_PERMISSION, "%.*s cannot act as %.*s",
				 LOOM_STR_ARG(grove->actor.name), LOOM_STR_ARG(out->name));
	return LOOM_OK;
}

static enum loom_status find_thread(struct chat_session *session, const struct place *place,
				    struct loom_err *err)
{
	struct cli_grove *grove = session->grove;
	struct chat_tie tie = {.agent = session->agent.id};
	struct loom_thread thread;
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	if (!place->thread.p)
		return LOOM_OK;
	if (place->tree.p) {
		status = cli_grove_tree(grove, place->tree, &tree, err);
		tie.tree = status == LOOM_OK ? tree.id : 0;
	}
	if (status == LOOM_OK)
		status = chat_grove_thread(grove, place->thread, place->dry ? NULL : &tie, &thread,
					   err);
	session->engine.thread = status ? 0 : thread.id;
	return status;
}

/* TREE/ID names the tree too. */
static enum loom_status find_place(struct chat_session *session, const struct place *place,
				   struct loom_err *err)
{
	struct cli_grove *grove = session->grove;
	struct loom_str tree = place->tree;
	struct loom_str node = place->node;
	size_t slash = node.p ? loom_str_find_char(node, '/', 0) : SIZE_MAX;
	struct loom_tree row;
	enum loom_status status = LOOM_OK;

	if (slash != SIZE_MAX) {
		tree = loom_str_sub(node, 0, slash);
		node = loom_str_sub(node, slash + 1, node.n);
	}
	session->node = node;
	if (tree.p) {
		status = cli_grove_tree(grove, tree, &row, err);
		session->engine.tree = status ? 0 : row.id;
	}
	return status;
}

static enum loom_status begin(struct chat_session *session, struct cli_grove *grove,
			      const struct place *place, struct loom_err *err)
{
	struct loom_agent agent = grove->actor;
	enum loom_status status = find_agent(grove, place->agent, &agent, err);

	chat_session_init(session, grove, &agent);
	if (!status)
		status = find_thread(session, place, err);
	if (!status)
		status = find_place(session, place, err);
	return status;
}

/* Runs a call that only reads at once, on the connection for reading. */
static enum loom_status look(struct chat_session *session, const struct loom_act *what,
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
	chat_session_result(session, what, &result);
	loom_engine_close(engine);
	loom_err_clear(err);
	return session->trouble;
}

/* ---- run ---- */

static void describe_turn(struct chat_session *session, const struct loom_turn *turn)
{
	struct loom_cli *cli = session->grove->cli;
	struct loom_json *json;

	json = loom_answer_writer(cli, NULL);
	if (json)
		loom_turn_json_rest(turn, json);
	loom_answer_text(cli, "prose", loom_buf_str(&turn->prose));
	loom_answer_text(cli, "thinking", loom_buf_str(&turn->thinking));
	loom_answer_give(cli);
}

static void say_hints(struct chat_session *session, const struct loom_turn *turn)
{
	for (size_t i = 0; i < turn->hint_count; i++)
		loom_answer_note(session->grove->cli, "line %lld: %s",
				 (long long)turn->hints[i].line,
				 loom_scan_hint_text(turn->hints[i].hint));
}

/* Finds the thread of the turn. A new agent's thread begins with its first call; without a tree,
 * the engine reports what is missing. */
static enum loom_status find_own(struct chat_session *session, struct loom_err *err)
{
	struct cli_grove *grove = session->grove;
	struct loom_thread thread = {.id = session->engine.thread};
	int64_t tree = session->engine.tree;
	enum loom_status status = LOOM_OK;

	if (!thread.id && !tree)
		status = loom_current_tree(grove->store, &tree, err);
	if (status == LOOM_OK && !thread.id)
		status = loom_thread_implicit(grove->store, session->agent.id, tree, grove->arena,
					      &thread, err);
	session->own_thread = thread.id;
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

struct telling {
	struct loom_turn_said said;
	struct loom_arena *arena;
	struct loom_told told;
};

static enum loom_status write_turn(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct telling *telling = ctx;

	return loom_told_turn(store, &telling->said, telling->arena, &telling->told, err);
}

static void say_warning(void *ctx, struct loom_str text)
{
	loom_out_warn(ctx, "%.*s", LOOM_STR_ARG(text));
}

/* Keeps what the turn says beside its calls, and prints what is new to its thread, which is told
 * once, whoever runs its model; the person is warned of it. */
static enum loom_status begin_turn(struct chat_session *session, const struct loom_turn *turn,
				   struct loom_str text, struct loom_err *err)
{
	struct telling telling = {.said = {.thread = session->own_thread,
					   .request = session->log.request,
					   .turn = turn,
					   .text = text},
				  .arena = session->grove->arena};
	struct cli_work work = {.what = "writing",
				.access = LOOM_WRITE,
				.run = write_turn,
				.ctx = &telling};
	enum loom_status status = cli_grove_work(session->grove, &work, err);

	if (status == LOOM_OK && telling.told.changed)
		loom_told_say(&telling.told, say_warning, session->grove->cli->out);
	if (status == LOOM_OK)
		chat_session_tell(session, loom_told_frame(&telling.told, telling.arena));
	return status;
}

/* Prints the heading before running the call. If the agent has no thread yet, its first call
 * creates one. */
static enum loom_status say_and_do(struct chat_session *session, const struct loom_turn *turn,
				   struct loom_str text, struct loom_err *err)
{
	const bool known = session->own_thread != 0;
	const bool dry = session->engine.dry_run;
	struct loom_act *acts = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	loom_acts_of(turn, 0, 0, session->grove->arena, &acts, &count);
	chat_session_budget(session, acts, count);
	if (count || session->node.p)
		status = chat_session_act(session, acts, count, err);
	if (status == LOOM_OK && !known && !dry)
		status = find_own(session, err);
	if (status == LOOM_OK && !known && session->own_thread && loom_turn_says(turn))
		status = begin_turn(session, turn, text, err);
	return status;
}

static enum loom_status run_turn(struct chat_session *session, const struct loom_turn *turn,
				 struct loom_str text, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (session->engine.dry_run)
		loom_answer_flag(session->grove->cli, "dry_run", true);
	else if (session->own_thread)
		status = begin_turn(session, turn, text, err);
	loom_answer_list(session->grove->cli, "calls");
	if (status == LOOM_OK)
		status = say_and_do(session, turn, text, err);
	loom_answer_end(session->grove->cli);
	describe_turn(session, turn);
	say_hints(session, turn);
	session->grove->cli->found |= session->failed;
	return status;
}

static enum loom_status run_text(struct chat_session *session, struct loom_str text,
				 struct loom_err *err)
{
	struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	enum loom_status status = LOOM_OK;
	size_t more = 0;

	loom_turn_feed(turn, text);
	loom_turn_end(turn);
	more = loom_turn_cut(turn);
	status = run_turn(session, turn, text, err);
	if (more)
		loom_out_note(session->grove->cli->out, "%zu more %s not run", more,
			      loom_plural((int64_t)more, "call was", "calls were"));
	loom_turn_destroy(turn);
	return status;
}

static enum loom_status check_live(const struct chat_session *session, struct loom_err *err)
{
	if (session->agent.kind == LOOM_AGENT_MODEL)
		return LOOM_OK;
	loom_fail(err, LOOM_REFUSED, "a turn belongs to a model agent, and %.*s is a person",
		  LOOM_STR_ARG(session->agent.name));
	return loom_hint(err, LOOM_REFUSED, "`loom do COMMAND` acts as you");
}

static enum loom_status name_turn(struct chat_session *session, struct loom_err *err)
{
	struct loom_arena *arena = session->grove->arena;
	struct loom_str name = LOOM_STR("");
	enum loom_status status = find_own(session, err);

	if (status == LOOM_OK)
		status = loom_turn_name(session->grove->store, session->own_thread, "run", arena,
					&name, err);
	loom_turn_log_init(&session->log, name);
	return status;
}

/* Stays until the summaries are made that this and other turns have made due. */
static enum loom_status wait_for_summaries(struct cli_grove *grove, struct loom_err *err)
{
	struct cli_voices voices;
	struct chat_drain *drain = NULL;
	enum loom_status status = LOOM_OK;

	cli_voices_open(grove, &voices);
	drain = chat_drain_begin(grove, voices.generator);
	status = chat_drain_wait(drain, err);
	chat_drain_end(drain);
	cli_voices_close(&voices);
	return status;
}

static enum loom_status run_in(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_run *args = args_of_run(grove->cli);
	const struct place place = {args->agent, args->tree, args->thread, args->node,
				    args->dry_run};
	struct chat_session session;
	struct loom_buf text = LOOM_BUF_INIT(TURN_MAX);
	enum loom_status status = begin(&session, grove, &place, err);

	if (!status)
		status = check_live(&session, err);
	if (!status)
		status = cli_grove_read(grove, args->file.p, TURN_MAX, &text, err);
	session.engine.dry_run = args->dry_run;
	if (!status)
		status = name_turn(&session, err);
	session.engine.log = &session.log.face;
	if (!status)
		status = run_text(&session, loom_buf_str(&text), err);
	if (!status && args->wait && !args->dry_run)
		status = wait_for_summaries(grove, err);
	loom_buf_fini(&text);
	return status;
}

enum loom_status cmd_run(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_in, err);
}

/* ---- do ---- */

static enum loom_status do_one(struct chat_session *session, const struct loom_act *what,
			       struct loom_err *err)
{
	const bool writes = what->call && loom_verb_info(what->call->verb)->deed != LOOM_DEED_LOOKS;
	enum loom_status status = LOOM_OK;

	session->one = true;
	chat_session_budget(session, what, 1);
	if (writes || session->node.p || (session->engine.log && session->engine.log->record))
		status = chat_session_act(session, what, 1, err);
	else
		status = look(session, what, err);
	loom_answer_give(session->grove->cli);
	session->grove->cli->found |= session->failed;
	return status;
}

/* Everything after the verb is an argument of the verb. If one looks like an option of ours, hints
 * at where to put it. */
static void hint_at_option(const struct cli_grove *grove, const char *word, const char *verb,
			   struct loom_refusal *refusal)
{
	const struct cli_spec specs[] = {cli_spec_of(grove->arena, grove->cli->command),
					 cli_spec_global(grove->arena)};

	for (size_t i = 0; i < LOOM_COUNT(specs); i++) {
		const struct cli_item *item = cli_spec_find(&specs[i], loom_str_of(word));

		if (item && item->kind != CLI_POSITIONAL)
			refusal->hint = loom_arena_format(
				grove->arena, "put options before the verb: loom do %s%s%.*s %s …",
				word, item->value.n ? " " : "", LOOM_STR_ARG(item->value), verb);
	}
}

static enum loom_status do_in(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_do *args = args_of_do(grove->cli);
	const struct place place = {args->agent, args->tree, args->thread, args->node, false};
	const size_t count = args->command.n;
	char **words = LOOM_ARENA_ARRAY(grove->arena, count + 1, char *);
	struct loom_call call;
	struct loom_refusal refusal;
	struct loom_act what = {.call = NULL};
	struct chat_session session;
	enum loom_status status = begin(&session, grove, &place, err);

	for (size_t i = 0; i < count; i++)
		words[i] = loom_arena_cstr(grove->arena, args->command.p[i]);
	if (loom_parse_argv(grove->arena, (int)count, words, &call, &refusal) == LOOM_OK)
		what.call = &call;
	else
		what.refusal = &refusal;
	if (what.refusal && refusal.at > 0 && refusal.at < count)
		hint_at_option(grove, words[refusal.at], words[0], &refusal);
	/* A manual call can ask about earlier turns, but is no turn itself and leaves no trace. */
	loom_turn_log_init(&session.log, LOOM_STR(""));
	session.log.face.record = NULL;
	session.engine.log = &session.log.face;
	if (!status)
		status = do_one(&session, &what, err);
	return status;
}

enum loom_status cmd_do(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, do_in, err);
}
