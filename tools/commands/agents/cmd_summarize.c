/* `loom summarize` writes summaries now; `loom jobs` lists running work. */
#include <loom/cli/services.h>

#include <loom/tree/document.h>
#include <loom/work/stream.h>
#include <loom/grove/presence.h>
#include <loom/actor/summarize.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/waiting.def>

#define JOBS_MAX 1000

struct summing {
	struct cli_grove *grove;
	struct loom_summarizer *summarizer;
	size_t made;
	bool over;
	enum loom_status status;
	struct loom_err err;
};

/* The target of a job, for people. */
static struct loom_str target_name(struct cli_grove *grove, const struct loom_summary_job *job)
{
	struct loom_arena *arena = grove->arena;
	struct loom_node node;
	struct loom_tree tree;
	struct loom_doc doc;

	if (job->kind == LOOM_JOB_NODE && loom_node_get(grove->store, job->target, LOOM_NODE_NARROW,
							arena, &node, NULL) == LOOM_OK)
		return loom_arena_format(arena, "[%.*s]",
					 LOOM_STR_ARG(cli_node_name(grove, &node)));
	if (job->kind == LOOM_JOB_DOC &&
	    loom_doc_get(grove->store, job->target, false, arena, &doc, NULL) == LOOM_OK)
		return loom_arena_format(arena, "doc:\"%.*s\"", LOOM_STR_ARG(doc.name));
	if (job->kind == LOOM_JOB_TREE &&
	    loom_tree_get(grove->store, job->target, arena, &tree, NULL) == LOOM_OK)
		return loom_arena_format(arena, "tree:\"%.*s\"", LOOM_STR_ARG(tree.title));
	return LOOM_STR("something that no longer exists");
}

/* ---- summarize ---- */

static void on_made(void *ctx, const struct loom_summary_job *job, struct loom_str summary,
		    bool extract)
{
	struct summing *summing = ctx;
	struct loom_cli *cli = summing->grove->cli;
	struct loom_str target = target_name(summing->grove, job);

	summing->made++;
	loom_out_progress_clear(cli->out);
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "kind", loom_str_of(loom_job_kind_word(job->kind)));
	loom_answer_text(cli, "target", target);
	loom_answer_text(cli, "summary", summary);
	loom_answer_flag(cli, "extract", extract);
	loom_answer_line(cli, "%.*s %.*s%s", LOOM_STR_ARG(target), LOOM_STR_ARG(summary),
			 extract ? " (extract)" : "");
	loom_answer_end(cli);
	(void)!loom_out_flush(cli->out, NULL);
}

static void on_idle(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct summing *summing = ctx;

	summing->over = true;
	summing->status = status;
	if (err)
		summing->err = *err;
}

static void on_noted(void *ctx, const struct loom_err *why)
{
	const struct summing *summing = ctx;

	loom_out_note(summing->grove->cli->out, "%s", why->text);
}

/* Finds a node with that name, else a tree. */
static enum loom_status find_target(struct summing *summing, struct loom_str name,
				    enum loom_job_kind *kind, int64_t *target, struct loom_err *err)
{
	struct cli_spot spot;
	struct loom_tree tree;
	struct loom_err ignored;

	if (cli_grove_node(summing->grove, name, 0, &spot, &ignored) == LOOM_OK) {
		*kind = LOOM_JOB_NODE;
		*target = spot.node.id;
		return LOOM_OK;
	}
	*kind = LOOM_JOB_TREE;
	if (cli_grove_tree(summing->grove, name, &tree, &ignored) == LOOM_OK) {
		*target = tree.id;
		return LOOM_OK;
	}
	return loom_fail(err, LOOM_NOT_FOUND, "there is no node and no tree \"%.*s\"",
			 LOOM_STR_ARG(name));
}

static enum loom_status wait_for(struct summing *summing, struct loom_err *err)
{
	struct loom_cli *cli = summing->grove->cli;

	loom_cli_listen(cli);
	while (!summing->over) {
		loom_out_progress(cli->out, LOOM_STR("summarizing · ^C stops"));
		(void)loom_loop_step(loom_cli_loop(cli), -1);
		if (loom_task_cancelled(&cli->task))
			loom_summarizer_stop(summing->summarizer);
	}
	loom_cli_unlisten(cli);
	loom_out_progress_clear(cli->out);
	if (summing->status != LOOM_OK)
		*err = summing->err;
	else if (loom_task_cancelled(&cli->task))
		return loom_fail(err, LOOM_CANCELLED,
				 "stopped; the summaries made so far are kept");
	return summing->status;
}

static enum loom_status sum_up(struct summing *summing, struct loom_err *err)
{
	struct cli_grove *grove = summing->grove;
	struct loom_str name = args_of_summarize(grove->cli)->target;
	enum loom_job_kind kind = LOOM_JOB_NODE;
	int64_t target = 0;
	enum loom_status status =
		name.p ? find_target(summing, name, &kind, &target, err) : LOOM_OK;

	if (status != LOOM_OK)
		return status;
	if (name.p)
		loom_summarizer_make(summing->summarizer, kind, target);
	else
		loom_summarizer_poke(summing->summarizer);
	return wait_for(summing, err);
}

static enum loom_status run_summarize(struct cli_grove *grove, struct loom_err *err)
{
	struct cli_voices voices;
	struct summing summing = {.grove = grove};
	struct loom_summarizer_opts opts = {.loop = loom_cli_loop(grove->cli),
					    .made = on_made,
					    .idle = on_idle,
					    .ctx = &summing,
					    .noted = on_noted};
	enum loom_status status = LOOM_OK;

	cli_small_ask(grove);
	opts.worker = cli_grove_worker(grove);
	loom_answer_list(grove->cli, NULL);
	cli_voices_open(grove, &voices);
	opts.generator = voices.generator;
	summing.summarizer = loom_summarizer_create(&opts);
	status = sum_up(&summing, err);
	loom_summarizer_destroy(summing.summarizer);
	while (loom_worker_pending(opts.worker))
		(void)loom_loop_step(opts.loop, -1);
	cli_voices_close(&voices);
	if (status == LOOM_OK && !summing.made)
		loom_answer_note(grove->cli, "nothing is waiting to be summarized");
	/* The summaries made so far are kept and printed even after a failure. */
	loom_answer_give(grove->cli);
	return status;
}

enum loom_status cmd_summarize(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_summarize, err);
}

/* ---- jobs ---- */

static struct loom_str stream_from(struct cli_grove *grove, const struct loom_stream *stream)
{
	struct loom_node node;

	if (loom_node_get(grove->store, stream->from, LOOM_NODE_NARROW, grove->arena, &node,
			  NULL) != LOOM_OK)
		return LOOM_STR("?");
	return cli_node_name(grove, &node);
}

/* The next write in the grove turns what a dead process was writing into a node. */
static bool lives(const struct cli_grove *grove, const struct loom_stream *stream)
{
	return loom_session_alive(grove->store, stream->session);
}

static void say_job(struct cli_grove *grove, const struct loom_summary_job *job)
{
	struct loom_cli *cli = grove->cli;
	struct loom_str target = target_name(grove, job);
	const char *state = loom_job_state_word(job->state);

	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "work", LOOM_STR("summary"));
	loom_answer_text(cli, "kind", loom_str_of(loom_job_kind_word(job->kind)));
	loom_answer_text(cli, "target", target);
	loom_answer_text(cli, "state", loom_str_of(state));
	loom_answer_time(cli, "since", job->at);
	loom_answer_line(cli, "summary of %.*s · %s · %.*s", LOOM_STR_ARG(target), state,
			 LOOM_STR_ARG(cli_ago(grove, job->at)));
	loom_answer_end(cli);
}

static void say_stream(struct cli_grove *grove, const struct loom_stream *stream)
{
	struct loom_cli *cli = grove->cli;
	const struct loom_agent *agent = NULL;
	struct loom_str from = stream_from(grove, stream);
	const bool on = lives(grove, stream);
	const int64_t bytes = (int64_t)stream->text.n;

	(void)!cli_grove_agent(grove, stream->agent, &agent, NULL);
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "work", LOOM_STR("generation"));
	loom_answer_text(cli, "from", from);
	loom_answer_text(cli, "state", loom_str_of(on ? "writing" : "broken off"));
	loom_answer_number(cli, "bytes", bytes);
	loom_answer_time(cli, "since", stream->started);
	loom_answer_line(cli, "%.*s %s from [%.*s] · %s · %.*s",
			 LOOM_STR_ARG(agent ? agent->name : LOOM_STR("somebody")),
			 on ? "is writing" : "was cut off (the next write keeps it)",
			 LOOM_STR_ARG(from), loom_answer_many(cli, bytes, "bytes", "bytes"),
			 LOOM_STR_ARG(cli_ago(grove, stream->started)));
	loom_answer_end(cli);
}

static enum loom_status run_jobs(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_summary_job *jobs = NULL;
	struct loom_stream *streams = NULL;
	size_t job_count = 0;
	size_t stream_count = 0;
	enum loom_status status =
		loom_job_list(grove->store, JOBS_MAX, grove->arena, &jobs, &job_count, err);

	if (status == LOOM_OK)
		status = loom_stream_list(grove->store, 0, grove->arena, &streams, &stream_count,
					  err);
	if (status != LOOM_OK)
		return status;
	loom_answer_list(grove->cli, "jobs");
	for (size_t i = 0; i < stream_count; i++)
		say_stream(grove, &streams[i]);
	for (size_t i = 0; i < job_count; i++)
		say_job(grove, &jobs[i]);
	if (!job_count && !stream_count)
		loom_answer_note(grove->cli, "nothing is running");
	return LOOM_OK;
}

enum loom_status cmd_jobs(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_jobs, err);
}
