/* Drains the queue of summaries beside a command's own work, in its loop, and queues that of a tree
 * when it is closed. */
#include <loom/chat/drain.h>

#include <loom/actor/summarize.h>
#include <loom/cli/services.h>
#include <loom/tree/job.h>
#include <loom/tree/op.h>

struct chat_drain {
	struct cli_grove *grove;
	struct loom_summarizer *summarizer;
	enum loom_status status;
	struct loom_err err;
};

static void on_idle(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct chat_drain *drain = ctx;

	drain->status = status;
	if (err)
		drain->err = *err;
}

static void on_noted(void *ctx, const struct loom_err *why)
{
	const struct chat_drain *drain = ctx;

	loom_out_note(drain->grove->cli->out, "%s", why->text);
}

struct chat_drain *chat_drain_begin(struct cli_grove *grove, const struct loom_generator *generator)
{
	struct chat_drain *drain = loom_alloc(sizeof *drain);

	drain->grove = grove;
	drain->summarizer = loom_summarizer_create(
		&(struct loom_summarizer_opts){.loop = loom_cli_loop(grove->cli),
					       .worker = cli_grove_worker(grove),
					       .generator = generator,
					       .idle = on_idle,
					       .ctx = drain,
					       .noted = on_noted});
	loom_summarizer_poke(drain->summarizer);
	return drain;
}

void chat_drain_poke(struct chat_drain *drain)
{
	loom_summarizer_poke(drain->summarizer);
}

enum loom_status chat_drain_wait(struct chat_drain *drain, struct loom_err *err)
{
	struct loom_cli *cli = drain->grove->cli;

	loom_cli_listen(cli);
	while (loom_summarizer_busy(drain->summarizer)) {
		loom_out_progress(cli->out, LOOM_STR("summarizing · ^C stops"));
		(void)loom_loop_step(loom_cli_loop(cli), -1);
		if (loom_task_cancelled(&cli->task))
			loom_summarizer_stop(drain->summarizer);
	}
	loom_cli_unlisten(cli);
	loom_out_progress_clear(cli->out);
	if (loom_task_cancelled(&cli->task))
		return loom_fail(err, LOOM_CANCELLED, "stopped; the rest of the summaries waits");
	if (drain->status != LOOM_OK)
		*err = drain->err;
	return drain->status;
}

void chat_drain_end(struct chat_drain *drain)
{
	if (!drain)
		return;
	loom_summarizer_give_up(drain->summarizer);
	while (loom_summarizer_busy(drain->summarizer))
		(void)loom_loop_step(loom_cli_loop(drain->grove->cli), -1);
	loom_summarizer_destroy(drain->summarizer);
	while (loom_worker_pending(cli_grove_worker(drain->grove)))
		(void)loom_loop_step(loom_cli_loop(drain->grove->cli), -1);
	free(drain);
}

void chat_tree_opened(const struct loom_tree *tree, struct chat_open_tree *out)
{
	*out = (struct chat_open_tree){.tree = tree->id,
				       .nodes = tree->nodes,
				       .active = tree->active};
}

enum loom_status chat_tree_closed(struct loom_store *store, const struct chat_open_tree *open,
				  struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree tree;
	enum loom_status status = loom_tree_get(store, open->tree, arena, &tree, err);
	const bool same =
		status == LOOM_OK && tree.nodes == open->nodes && tree.active == open->active;

	if (status == LOOM_OK && !same)
		status = loom_quiet_begin(store, err);
	if (status == LOOM_OK && !same)
		status = loom_quiet_end(store, loom_summary_due(store, LOOM_JOB_TREE, tree.id, err),
					err);
	loom_arena_destroy(arena);
	return status;
}
