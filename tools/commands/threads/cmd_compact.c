/* `loom thread compact`: replaces a thread's oldest messages with a summary; the log keeps them.
 * Unless the person gives the summary, summary_model writes a sentence for each message; without
 * one, or if it fails, the first sentence of each is used, and a note says so. */
#include <loom/cli/services.h>

#include <loom/log/lifecycle.h>
#include <loom/tree/say_node.h>
#include <loom/actor/summarize.h>
#include <loom/work/thread_log.h>
#include <loom/engine/summary_prompt.h>

#include "log_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define KEEP_DEFAULT 4

/* A message to be replaced. */
struct going {
	struct loom_str voice; /* "you", "user", "system", or the name of a tool */
	struct loom_str text;
	struct loom_str summary;
};

struct compacting {
	struct cli_grove *grove;
	struct loom_thread thread;
	struct loom_tree tree;
	struct loom_str prompt; /* the system prompt, which the snapshot keeps */
	struct loom_run *run;
	struct going *going;
	size_t gone;
	int64_t through_seq;
	/* the summary model */
	const struct loom_generator *generator;
	struct loom_generation *generation;
	struct loom_str said;
	bool over;
	bool extract; /* some summaries are first sentences */
	struct loom_err failed;
	struct loom_run_result result;
};

/* ---- what to replace ---- */

/* The message below the block that it may begin with: the next one brings a new block. */
static struct loom_str below_block(struct loom_str text)
{
	static const struct loom_str end = LOOM_STR_INIT("</thread_context>\n\n");
	size_t at = loom_str_starts(text, LOOM_STR("<thread_context "))
			    ? loom_str_find(text, end, 0)
			    : SIZE_MAX;

	return at == SIZE_MAX ? text : loom_str_sub(text, at + end.n, SIZE_MAX);
}

static struct loom_str sentence_of(struct loom_str text, struct loom_arena *arena)
{
	struct loom_buf sentence = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	loom_show_sentence(text, &sentence);
	out = loom_arena_buf(arena, &sentence);
	loom_buf_fini(&sentence);
	return out;
}

/* No voice passes for another: what a tool said stands under the tool's name. */
static struct loom_str voice_of(const struct loom_entry *entry, struct loom_arena *arena)
{
	switch (entry->role) {
	case LOOM_ROLE_ASSISTANT:
		return LOOM_STR("you");
	case LOOM_ROLE_TOOL:
		return loom_arena_format(arena, "tool %.*s",
					 LOOM_STR_ARG(loom_jval_text(entry->name, arena)));
	case LOOM_ROLE_SYSTEM:
		return LOOM_STR("system");
	case LOOM_ROLE_USER:
	case LOOM_ROLE_OTHER:
		break;
	}
	return entry->role == LOOM_ROLE_USER ? LOOM_STR("user")
					     : loom_jval_text(entry->role_name, arena);
}

static void take_going(struct compacting *compacting, const struct loom_context *context)
{
	struct loom_arena *arena = compacting->grove->arena;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	compacting->going = LOOM_ARENA_ARRAY(arena, compacting->gone, struct going);
	for (size_t i = 0; i < compacting->gone; i++) {
		struct going *one = &compacting->going[i];

		loom_buf_clear(&text);
		loom_entry_text(&context->entries[i], &text);
		one->voice = loom_arena_str(arena, voice_of(&context->entries[i], arena));
		one->text = loom_arena_str(arena, loom_str_trim(below_block(loom_buf_str(&text))));
		one->summary = sentence_of(one->text, arena);
	}
	loom_buf_fini(&text);
}

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
	gone = loom_context_cut(state.context, gone);
	if (!gone)
		return refuse_few(compacting, (int64_t)state.context->count, keep, err);
	compacting->gone = gone;
	compacting->through_seq = state.context->entries[gone - 1].seq;
	take_going(compacting, state.context);
	return LOOM_OK;
}

/* ---- summarizing with a model, message by message ---- */

static void on_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	struct compacting *compacting = ctx;

	(void)choice;
	compacting->said = loom_summary_tidy(result->text, compacting->grove->arena);
	if (result->finish == LOOM_FINISH_ERROR)
		compacting->failed = result->err;
	else if (result->finish == LOOM_FINISH_CANCELLED)
		loom_fail(&compacting->failed, LOOM_CANCELLED, "stopped");
	else if (!compacting->said.n)
		loom_fail(&compacting->failed, LOOM_MODEL, "the model returned no summary");
}

static void on_done(void *ctx)
{
	struct compacting *compacting = ctx;

	compacting->generation = NULL;
	compacting->over = true;
}

static void wait_for(struct compacting *compacting, size_t at)
{
	struct loom_cli *cli = compacting->grove->cli;
	struct loom_buf text = LOOM_BUF_INIT(256);

	loom_buf_addf(&text, "summarizing %zu of %zu · ^C stops", at + 1, compacting->gone);
	while (!compacting->over) {
		loom_out_progress(cli->out, loom_buf_str(&text));
		(void)loom_loop_step(loom_cli_loop(cli), -1);
		if (loom_task_cancelled(&cli->task) && compacting->generation)
			compacting->generator->cancel(compacting->generator->ctx,
						      compacting->generation, LOOM_CHOICES_ALL);
	}
	loom_buf_fini(&text);
}

/* True if the model summarized the message. */
static bool ask(struct compacting *compacting, size_t at)
{
	struct going *one = &compacting->going[at];
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_generate_sink sink = {.end = on_end, .done = on_done, .ctx = compacting};
	struct loom_prompt_message message = {.role = LOOM_ROLE_USER};
	struct loom_generate_request request = {.voice = {.use = LOOM_GENERATE_SUMMARY},
						.messages = &message,
						.message_count = 1,
						.n = 1,
						.tokens = LOOM_SUMMARY_TOKENS,
						.salt = (uint64_t)at << 20 ^ 0x636f6d};

	loom_summary_message(compacting->tree.title,
			     at ? compacting->going[at - 1].text : LOOM_STR(""), one->text, &text);
	message.text = loom_buf_str(&text);
	compacting->over = false;
	if (compacting->generator->start(compacting->generator->ctx, &request, &sink,
					 &compacting->generation, &compacting->failed) == LOOM_OK)
		wait_for(compacting, at);
	loom_buf_fini(&text);
	if (compacting->failed.status == LOOM_OK)
		one->summary = compacting->said;
	return compacting->failed.status == LOOM_OK;
}

static bool is_whole(const struct going *one)
{
	return one->summary.n >= one->text.n;
}

static void ask_all(struct compacting *compacting)
{
	const struct loom_generate_voice voice = {.use = LOOM_GENERATE_SUMMARY};
	const struct loom_generator *generator = compacting->generator;
	struct loom_voice_info info = {.configured = false};
	bool asks = generator->describe(generator->ctx, &voice, &info, &compacting->failed) ==
			    LOOM_OK &&
		    info.configured;

	if (!asks && compacting->failed.status == LOOM_OK)
		loom_fail(&compacting->failed, LOOM_MODEL, "no summary_model is configured");
	for (size_t i = 0; i < compacting->gone; i++) {
		if (is_whole(&compacting->going[i]))
			continue;
		asks = asks && ask(compacting, i);
		compacting->extract |= !asks;
	}
}

/* Summarizes with the model if there is one, and takes first sentences where it fails. */
static enum loom_status sum_up(struct compacting *compacting, struct loom_err *err)
{
	struct cli_grove *grove = compacting->grove;

	loom_cli_listen(grove->cli);
	ask_all(compacting);
	loom_cli_unlisten(grove->cli);
	loom_out_progress_clear(grove->cli->out);
	if (loom_task_cancelled(&grove->cli->task))
		return loom_fail(err, LOOM_CANCELLED, "stopped; nothing was compacted");
	if (compacting->failed.status != LOOM_OK && compacting->extract)
		loom_out_note(grove->cli->out, "%s: using first sentences for the rest",
			      compacting->failed.text);
	return LOOM_OK;
}

/* ---- the compaction ---- */

/* Adds "- user: I go." */
static struct loom_str write_summary(struct compacting *compacting)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	loom_buf_adds(&text, "Summary of the ");
	if (compacting->gone == 1)
		loom_buf_adds(&text, "message");
	else
		loom_show_many((int64_t)compacting->gone, "message", "messages", &text);
	loom_buf_addf(&text, " before%s:\n", compacting->extract ? " (extract)" : "");
	for (size_t i = 0; i < compacting->gone; i++) {
		const struct going *one = &compacting->going[i];

		if (one->summary.n)
			loom_buf_addf(&text, "- %.*s: %.*s\n", LOOM_STR_ARG(one->voice),
				      LOOM_STR_ARG(one->summary));
	}
	loom_buf_cut(&text, text.n - 1);
	out = loom_arena_buf(compacting->grove->arena, &text);
	loom_buf_fini(&text);
	return out;
}

static enum loom_status compact(struct compacting *compacting, struct loom_err *err)
{
	struct loom_str given = args_of_thread_compact(compacting->grove->cli)->summary;
	struct loom_compaction order = {.meta = LOOM_STR("{}"),
					.through_seq = compacting->through_seq,
					.entries = compacting->gone,
					.summary = given};
	enum loom_status status = LOOM_OK;

	if (!given.p)
		order.summary = write_summary(compacting);
	if (!given.p && compacting->extract)
		order.meta = LOOM_STR("{\"extract\":true}");
	status = loom_run_compact(compacting->run, &order, &compacting->result, err);
	if (status == LOOM_OK && compacting->result.why)
		return loom_fail(err, LOOM_REFUSED, "not compacted: %s", compacting->result.why);
	return status;
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

static enum loom_status with_voices(struct compacting *compacting, struct loom_err *err)
{
	struct cli_voices voices;
	enum loom_status status = LOOM_OK;

	cli_voices_open(compacting->grove, &voices);
	compacting->generator = voices.generator;
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
	loom_answer_number(cli, "messages", (int64_t)compacting.gone);
	loom_answer_flag(cli, "extract", compacting.extract);
	loom_answer_text(cli, "thread", compacting.thread.name);
	loom_answer_done(cli, "%s of %.*s summarized: %s",
			 loom_answer_many(cli, (int64_t)compacting.gone, "message", "messages"),
			 LOOM_STR_ARG(compacting.thread.name), word);
	return LOOM_OK;
}

enum loom_status cmd_thread_compact(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_compact, err);
}
