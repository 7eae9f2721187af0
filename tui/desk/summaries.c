/* Summaries in the background: a moment after a write, here or elsewhere, the configured small
 * model sums up what is pending, and a tree when it is left. Nobody waits for it; only a failing
 * model is worth a message. */
#include <loom/desk/desk.h>

#include <loom/tree/job.h>
#include <loom/actor/summarize.h>
#include <loom/chat/drain.h>
#include <loom/desk/do_line.h>
#include <loom/desk/workers.h>

#define QUIET_MS  1000 /* after the first write */
#define JOBS_MAX  200
#define END_STEPS 100 /* of 20 ms each, for a model to notice that it was cancelled */

struct tui_sums {
	struct loom_summarizer *summarizer; /* NULL until something needs a summary */
	uint64_t timer;
	bool refused;
	struct chat_open_tree open; /* tree 0: none is */
};

static void show_jobs(struct tui_app *app)
{
	tui_tell(app, TUI_TOLD_DONE);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void on_made(void *ctx, const struct loom_summary_job *job, struct loom_str summary,
		    bool extract)
{
	(void)job;
	(void)summary;
	(void)extract;
	show_jobs(ctx);
}

static void on_idle(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct tui_app *app = ctx;

	if (status == LOOM_MODEL)
		tui_say(app, TUI_ROLE_WARN, "no summaries for now: %s", err->text);
	/* In a grove that cannot be written to, do not try again with every notice. */
	else if (status != LOOM_OK && status != LOOM_BUSY && status != LOOM_CANCELLED)
		app->sums->refused = true;
	show_jobs(app);
}

static bool anything_waits(struct tui_app *app)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_summary_job *jobs = NULL;
	size_t count = 0;
	bool waits = false;

	if (loom_job_list(app->store, JOBS_MAX, arena, &jobs, &count, NULL) != LOOM_OK)
		count = 0;
	for (size_t i = 0; i < count; i++)
		waits = waits || jobs[i].state == LOOM_JOB_WAITS;
	loom_arena_destroy(arena);
	return waits;
}

static void on_quiet(void *ctx)
{
	struct tui_app *app = ctx;

	app->sums->timer = 0;
	if (!anything_waits(app))
		return;
	if (!app->sums->summarizer)
		app->sums->summarizer = loom_summarizer_create(
			&(struct loom_summarizer_opts){.loop = app->loop,
						       .worker = tui_worker(app),
						       .generator = tui_generator(app),
						       .made = on_made,
						       .idle = on_idle,
						       .ctx = app});
	loom_summarizer_poke(app->sums->summarizer);
}

static void soon(struct tui_app *app)
{
	if (!app->sums->timer && !app->sums->refused)
		app->sums->timer = loom_loop_timer(app->loop, QUIET_MS, on_quiet, app);
}

/* ---- a tree that is left ---- */

static void entered(struct tui_app *app)
{
	app->sums->open.tree = 0;
	if (app->tree.id)
		chat_tree_opened(&app->tree, &app->sums->open);
}

static enum loom_status write_closed(struct loom_store *store, struct tui_job *job,
				     struct loom_err *err)
{
	return chat_tree_closed(store, job->own, err);
}

static void closed_tree(struct tui_app *app, struct tui_job *job, enum loom_status status,
			const struct loom_err *err)
{
	/* A grove that cannot be written to keeps its old summary. */
	(void)app;
	(void)job;
	(void)status;
	(void)err;
}

static void left(struct tui_app *app)
{
	struct tui_job *job = NULL;
	struct loom_tree now;

	if (!app->sums->open.tree ||
	    loom_tree_get(app->store, app->sums->open.tree, app->arena, &now, NULL) != LOOM_OK ||
	    (now.nodes == app->sums->open.nodes && now.active == app->sums->open.active))
		return;
	job = tui_job_make(app);
	job->run = write_closed;
	job->done = closed_tree;
	job->silent = true;
	job->own = LOOM_ARENA_NEW(job->arena, struct chat_open_tree);
	*(struct chat_open_tree *)job->own = app->sums->open;
	app->sums->open.tree = 0;
	tui_job_post(job);
}

static void end(struct tui_app *app)
{
	left(app);
	loom_loop_timer_cancel(app->loop, app->sums->timer);
	app->sums->timer = 0;
	if (!app->sums->summarizer)
		return;
	loom_summarizer_give_up(app->sums->summarizer);
	for (int i = 0; i < END_STEPS && loom_summarizer_busy(app->sums->summarizer); i++)
		loom_loop_step(app->loop, 20);
	loom_summarizer_destroy(app->sums->summarizer);
	app->sums->summarizer = NULL;
}

static void begin(struct tui_app *app)
{
	app->sums = loom_alloc(sizeof *app->sums);
}

static void closed(struct tui_app *app)
{
	free(app->sums);
}

const struct tui_view tui_view_summaries = {
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_ENTERED] = entered,
		 [TUI_TOLD_LEFT] = left,
		 [TUI_TOLD_OPEN] = soon,
		 [TUI_TOLD_WRITTEN] = soon,
		 [TUI_TOLD_ENDING] = end,
		 [TUI_TOLD_CLOSED] = closed},
};
