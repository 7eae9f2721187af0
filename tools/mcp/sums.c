/* Summaries in the background: a moment after a turn the small model sums up what waits, while the
 * server lives. Nobody waits for it, and a client's calls go first: it has one job at a time. */
#include <loom/mcp/mcp.h>

#include <loom/actor/summarize.h>
#include <loom/cli/services.h>
#include <loom/tree/job.h>

#define QUIET_MS 1000 /* after the first turn */
#define JOBS_MAX 200

static bool anything_waits(const struct mcp_home *home)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_summary_job *jobs = NULL;
	size_t count = 0;
	bool waits = false;

	if (loom_job_list(home->grove->store, JOBS_MAX, arena, &jobs, &count, NULL) != LOOM_OK)
		count = 0;
	for (size_t i = 0; i < count; i++)
		waits = waits || jobs[i].state == LOOM_JOB_WAITS;
	loom_arena_destroy(arena);
	return waits;
}

static void on_noted(void *ctx, const struct loom_err *why)
{
	const struct mcp_home *home = ctx;

	loom_out_note(home->cli->out, "%s", why->text);
}

static void on_idle(void *ctx, enum loom_status status, const struct loom_err *err)
{
	if (status == LOOM_MODEL)
		on_noted(ctx, err);
}

static void on_quiet(void *ctx)
{
	struct mcp_home *home = ctx;

	home->quiet = 0;
	if (!home->grove || !anything_waits(home))
		return;
	if (!home->sums)
		home->sums = loom_summarizer_create(
			&(struct loom_summarizer_opts){.loop = home->loop,
						       .worker = cli_grove_worker(home->grove),
						       .generator = mcp_voices(home)->generator,
						       .idle = on_idle,
						       .ctx = home,
						       .noted = on_noted});
	loom_summarizer_poke(home->sums);
}

void mcp_sums_soon(struct mcp_home *home)
{
	if (!home->quiet)
		home->quiet = loom_loop_timer(home->loop, QUIET_MS, on_quiet, home);
}

void mcp_sums_end(struct mcp_home *home)
{
	loom_loop_timer_cancel(home->loop, home->quiet);
	home->quiet = 0;
	if (!home->sums)
		return;
	loom_summarizer_give_up(home->sums);
	while (loom_summarizer_busy(home->sums))
		(void)loom_loop_step(home->loop, -1);
	loom_summarizer_destroy(home->sums);
	home->sums = NULL;
	while (loom_worker_pending(home->grove->worker))
		(void)loom_loop_step(home->loop, -1);
}
