/* `loom thread compact`: replaces a thread's oldest messages with a summary; the log keeps them.
 * Unless the person gives the summary, summary_model writes it; without one, or if it fails, the
 * first sentence of each message is used, and a note says so. */
#include <loom/cli/services.h>

#include <loom/chat/compact.h>
#include <loom/work/thread_log.h>

#include "log_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define KEEP_DEFAULT   4
#define TOKENS_DEFAULT 1024 /* of the summary, if the window is unknown */

struct compacting {
	struct cli_grove *grove;
	struct loom_thread thread;
	struct loom_tree tree;
	struct loom_str prompt; /* the system prompt, which the snapshot keeps */
	struct loom_run *run;
	struct chat_compaction what;
	bool over; /* the summary model has been heard out */
	struct loom_run_result result;
};

/* ---- what to replace ---- */

static enum loom_status refuse_few(const struct compacting *compacting, int64_t count, int64_t keep,
				   struct loom_err *err)
{
	loom_fail(err, LOOM_REFUSED, "it has only %s, and %lld are kept",
		  loom_answer_many(compacting->grove->cli, count, "message", "messages"),
		  (long long)keep);
	return loom_hint(err, LOOM_REFUSED,
			 "--keep N sets how many are kept; `loom thread project` shows them");
}

/* How many messages go: all but the last N, or those up to a row. */
static size_t count_going(const struct args_of_thread_compact *args,
			  const struct loom_context *context, int64_t *out_keep)
{
	const int64_t through = loom_number_or(args->through, LOOM_SEQ_NONE);
	size_t gone = 0;

	*out_keep = loom_number_or(args->keep, KEEP_DEFAULT);
	if (!args->through.given)
		return (int64_t)context->count > *out_keep ? context->count - (size_t)*out_keep : 0;
	while (gone < context->count && context->entries[gone].seq <= through)
		gone++;
	*out_keep = (int64_t)(context->count - gone);
	return gone;
}

static enum loom_status look(struct compacting *compacting, struct loom_err *err)
{
	struct loom_run_state state;
	int64_t keep = 0;
	size_t gone = 0;
	enum loom_status status = loom_run_look(compacting->run, &state, err);

	if (status != LOOM_OK)
		return status;
	gone = count_going(args_of_thread_compact(compacting->grove->cli), state.context, &keep);
	if (!chat_compaction_take(&compacting->what, state.context, gone))
		return refuse_few(compacting, (int64_t)state.context->count, keep, err);
	return LOOM_OK;
}

/* ---- the summary ---- */

static void on_done(void *ctx)
{
	struct compacting *compacting = ctx;

	compacting->over = true;
}

/* Waits until the model has summed up all of it, or has failed. */
static void wait_for_model(struct compacting *compacting)
{
	struct loom_cli *cli = compacting->grove->cli;

	loom_cli_listen(cli);
	while (!compacting->over) {
		loom_out_progress(cli->out, LOOM_STR("summarizing · ^C stops"));
		(void)loom_loop_step(loom_cli_loop(cli), -1);
		if (loom_task_cancelled(&cli->task))
			chat_compaction_cancel(&compacting->what);
	}
	loom_cli_unlisten(cli);
	loom_out_progress_clear(cli->out);
}

/* Summarizes with the model if there is one, and takes first sentences where it fails. */
static enum loom_status sum_up(struct compacting *compacting, struct loom_err *err)
{
	struct loom_cli *cli = compacting->grove->cli;

	compacting->what.title = compacting->tree.title;
	compacting->what.done = on_done;
	compacting->what.ctx = compacting;
	if (chat_compaction_ask(&compacting->what))
		wait_for_model(compacting);
	if (loom_task_cancelled(&cli->task))
		return loom_fail(err, LOOM_CANCELLED, "stopped; nothing was compacted");
	if (compacting->what.failed.status != LOOM_OK)
		loom_out_note(cli->out, "%s: using extracts", compacting->what.failed.text);
	return LOOM_OK;
}

/* ---- the compaction ---- */

static enum loom_status compact(struct compacting *compacting, struct loom_err *err)
{
	return chat_compaction_apply(&compacting->what, compacting->run,
				     args_of_thread_compact(compacting->grove->cli)->summary,
				     &compacting->result, err);
}

static enum loom_status with_run(struct compacting *compacting, struct loom_store *store,
				 enum loom_status (*what)(struct compacting *, struct loom_err *),
				 struct loom_err *err)
{
	struct loom_log log;
	const struct chat_run_place place = {.store = store,
					     .thread = &compacting->thread,
					     .log = &log,
					     .prompt = compacting->prompt};
	struct loom_thread_log *keeper = NULL;
	enum loom_status status =
		loom_thread_log_open(store, compacting->thread.id, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = chat_run_open(&place, &compacting->run, err);
	if (status == LOOM_OK)
		status = what(compacting, err);
	loom_run_close(compacting->run);
	loom_thread_log_close(keeper);
	return status;
}

static enum loom_status work_look(struct loom_store *store, void *ctx, struct loom_err *err)
{
	return with_run(ctx, store, look, err);
}

static enum loom_status work_compact(struct loom_store *store, void *ctx, struct loom_err *err)
{
	return with_run(ctx, store, compact, err);
}

/* Rows that arrived in the meantime stay: the compaction ends where the log was read. */
static enum loom_status work(struct compacting *compacting, struct loom_err *err)
{
	struct cli_grove *grove = compacting->grove;
	struct cli_work step = {.what = "compacting",
				.access = LOOM_WRITE,
				.run = work_look,
				.ctx = compacting};
	enum loom_status status = cli_grove_work(grove, &step, err);

	if (status == LOOM_OK)
		status = loom_tree_get(grove->store, compacting->thread.tree, grove->arena,
				       &compacting->tree, err);
	if (status == LOOM_OK && !args_of_thread_compact(grove->cli)->summary.p)
		status = sum_up(compacting, err);
	step.run = work_compact;
	return status == LOOM_OK ? cli_grove_work(grove, &step, err) : status;
}

static enum loom_status find_thread(struct compacting *compacting, struct loom_err *err)
{
	struct cli_grove *grove = compacting->grove;
	const struct args_of_thread_compact *args = args_of_thread_compact(grove->cli);
	struct loom_str thread = args->thread;
	struct loom_str name = args->agent;
	struct loom_agent agent = grove->actor;
	enum loom_status status = LOOM_OK;

	if (thread.p)
		return chat_grove_thread(grove, thread, NULL, &compacting->thread, err);
	if (name.p)
		status = loom_agent_find(grove->store, name, grove->arena, &agent, err);
	return status == LOOM_OK ? threads_log_of(grove, &agent, &compacting->thread, err) : status;
}

/* An eighth of the agent's window, if that is known. */
static int64_t summary_tokens(struct compacting *compacting, const struct cli_voices *voices)
{
	const struct loom_agent *agent = NULL;
	struct cli_asked asked = {.window = 0};

	if (cli_grove_agent(compacting->grove, compacting->thread.agent, &agent, NULL) == LOOM_OK)
		cli_voice_of(voices, agent, &asked);
	return asked.window >= 8 ? asked.window / 8 : TOKENS_DEFAULT;
}

static enum loom_status with_voices(struct compacting *compacting, struct loom_err *err)
{
	struct cli_voices voices;
	enum loom_status status = LOOM_OK;

	cli_small_ask(compacting->grove);
	cli_voices_open(compacting->grove, &voices);
	compacting->what.arena = compacting->grove->arena;
	compacting->what.generator = voices.generator;
	compacting->what.tokens = summary_tokens(compacting, &voices);
	status = threads_log_prompt(compacting->grove, &voices, &compacting->thread,
				    &compacting->prompt, err);
	if (status == LOOM_OK)
		status = work(compacting, err);
	cli_voices_close(&voices);
	return status;
}

static enum loom_status run_compact(struct cli_grove *grove, struct loom_err *err)
{
	struct compacting compacting = {.grove = grove};
	struct loom_cli *cli = grove->cli;
	const char *word = NULL;
	enum loom_status status = find_thread(&compacting, err);

	if (status == LOOM_OK)
		status = with_voices(&compacting, err);
	if (status != LOOM_OK)
		return status;
	word = loom_answer_word(compacting.result.answer);
	loom_answer_text(cli, "result", loom_str_of(word));
	loom_answer_number(cli, "messages", (int64_t)compacting.what.entries);
	loom_answer_flag(cli, "extract", compacting.what.extract);
	loom_answer_text(cli, "thread", compacting.thread.name);
	loom_answer_done(cli, "%s of %.*s summarized: %s",
			 loom_answer_many(cli, (int64_t)compacting.what.entries, "message",
					  "messages"),
			 LOOM_STR_ARG(compacting.thread.name), word);
	return LOOM_OK;
}

enum loom_status cmd_thread_compact(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_compact, err);
}
