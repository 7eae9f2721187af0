/* Calls from a command line, done one by one by an actor on the worker. */
#include <loom/chat/session.h>
#include <loom/language/registry.h>
#include <loom/language/parse.h>
#include <loom/cli/results.h>

#include <loom/engine/find_text.h>

void chat_session_init(struct chat_session *session, struct cli_grove *grove,
		       const struct loom_agent *agent)
{
	static const struct loom_engine_hooks hooks = {.search = loom_find_call};

	*session = (struct chat_session){.grove = grove, .agent = *agent, .first = true, .seq = -1};
	session->engine.agent = agent->id;
	session->engine.local = true;
	session->engine.hooks = &hooks;
	/* A person reads everything; an agent's context has to hold it. */
	session->engine.result_tokens =
		agent->kind == LOOM_AGENT_HUMAN ? SIZE_MAX : cli_result_tokens(grove);
}

/* ---- printing results ---- */

static void describe_result(struct chat_session *session, const struct loom_act *act,
			    const struct loom_result *result)
{
	struct loom_cli *cli = session->grove->cli;
	struct loom_json *json = NULL;

	/* A turn lists its refused lines as errors; a single command has no such list. */
	if (!act->call && !session->one)
		return;
	loom_answer_map(cli, NULL);
	json = loom_answer_writer(cli, NULL);
	if (act->call) {
		loom_call_json(act->call, json);
	} else {
		loom_json_key(json, "cmd");
		loom_json_null(json);
		loom_json_key(json, "error");
		loom_refusal_json(act->refusal, json);
	}
	cli_json_result(json, result);
	loom_answer_end(cli);
}

static void print_result(struct chat_session *session, const struct loom_result *result)
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

void chat_session_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct chat_session *session = ctx;
	struct loom_err err;

	session->failed |= result->status != LOOM_OK;
	if (loom_status_exit(result->status) == loom_status_exit(LOOM_IO))
		session->trouble = result->status;
	if (loom_answer_structured(session->grove->cli)) {
		describe_result(session, act, result);
		return;
	}
	print_result(session, result);
	/* Flush at once: if we are killed, our caller knows what was done. */
	if (loom_out_flush(session->grove->cli->out, &err) != LOOM_OK)
		session->failed = true;
}

void chat_session_tell(struct chat_session *session, struct loom_str text)
{
	struct loom_out *out = session->grove->cli->out;

	if (!text.n)
		return;
	if (loom_answer_structured(session->grove->cli)) {
		loom_answer_text(session->grove->cli, "told", text);
		return;
	}
	loom_out_progress_clear(out);
	loom_out_line(out, text);
	session->first = false;
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct chat_session *session = ctx;

	(void)choice;
	(void)text;
	loom_out_progress(session->grove->cli->out, LOOM_STR("generating · ^C stops"));
}

static void on_note(void *ctx, struct loom_str text)
{
	struct chat_session *session = ctx;

	loom_out_progress_clear(session->grove->cli->out);
	loom_answer_note(session->grove->cli, "%.*s", LOOM_STR_ARG(text));
	(void)!loom_out_flush(session->grove->cli->out, NULL);
}

static void on_thought(void *ctx, size_t choice, struct loom_str text)
{
	struct chat_session *session = ctx;

	(void)choice;
	(void)text;
	loom_out_progress(session->grove->cli->out, LOOM_STR("thinking · ^C stops"));
}

static void on_done(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct chat_session *session = ctx;

	session->over = true;
	session->status = status;
	if (err)
		session->err = *err;
}

/* ---- doing it ---- */

/* Runs the loop until all is done; the first ^C ends the generation and skips the rest. */
static void wait_for(struct chat_session *session, struct loom_actor *actor)
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

/* Looks up the budget of the agent's own model, for acts that ask how much of it is left. */
void chat_session_budget(struct chat_session *session, const struct loom_act *acts, size_t count)
{
	struct cli_voices voices;
	struct cli_asked voice;
	bool asked = false;

	for (size_t i = 0; i < count; i++)
		asked |= acts[i].call && acts[i].call->verb == LOOM_VERB_MEMORY;
	if (!asked || session->agent.kind == LOOM_AGENT_HUMAN)
		return;
	cli_voices_open(session->grove, &voices);
	cli_voice_of(&voices, &session->agent, &voice);
	session->engine.prompt = loom_arena_str(session->grove->arena, voice.prompt);
	session->engine.budget = voice.budget;
	cli_voices_close(&voices);
}

/* Whether an act may ask a model: to continue, to classify a line, to summarise a long result. */
static bool asks(const struct chat_session *session, const struct loom_act *acts, size_t count)
{
	const bool sums = session->engine.result_tokens != SIZE_MAX;

	for (size_t i = 0; i < count; i++)
		if (!acts[i].call || acts[i].call->verb == LOOM_VERB_CONTINUE ||
		    (sums && loom_verb_info(acts[i].call->verb)->deed == LOOM_DEED_LOOKS))
			return true;
	return false;
}

enum loom_status chat_session_act(struct chat_session *session, const struct loom_act *acts,
				  size_t count, struct loom_err *err)
{
	struct cli_voices voices = {.generator = NULL};
	struct cli_aside aside;
	struct loom_actor_opts opts = {
		.engine = session->engine,
		.loop = loom_cli_loop(session->grove->cli),
		.worker = cli_grove_worker(session->grove),
		/* A classifier's reading was in no approved list. */
		.classify = !session->approved,
		.approved = session->approved,
		.aside = &aside.task,
		.sink = {.result = chat_session_result,
			 .chunk = on_chunk,
			 .note = on_note,
			 .thinks = on_thought,
			 .done = on_done,
			 .ctx = session},
	};
	struct loom_actor *actor = NULL;

	if (asks(session, acts, count))
		cli_voices_open(session->grove, &voices);
	opts.generator = voices.generator;
	cli_aside_begin(&aside, session->grove->cli);
	actor = loom_actor_create(&opts);
	if (session->seq >= 0)
		loom_actor_turn(actor, session->seq);
	if (session->node.p)
		loom_actor_stand(actor, session->node);
	loom_actor_act(actor, acts, count);
	wait_for(session, actor);
	cli_aside_end(&aside);
	loom_actor_destroy(actor);
	cli_voices_close(&voices);
	/* So was a model stopped in mid-sentence, even if nothing followed it. */
	if (session->status == LOOM_CANCELLED || (session->stopping && !session->status))
		return loom_fail(err, LOOM_CANCELLED, "stopped; what was done stays done");
	if (session->trouble) {
		loom_err_clear(err);
		return session->trouble;
	}
	if (session->status && err)
		*err = session->err;
	return session->status;
}
