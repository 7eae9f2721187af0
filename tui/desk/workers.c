/* The screen's workers: one writes, opened with the first write, on a connection of its own; one
 * looks at files and the grove; one saves drafts. A job belongs to its worker until it is answered,
 * and is freed here. */
#include <loom/desk/desk.h>

#include <unistd.h>

#include <loom/cli/trust_ask.h>
#include <loom/desk/subject.h>
#include <loom/desk/typed.h>
#include <loom/tree/job.h>
#include <loom/desk/workers.h>
#include <loom/work/stream.h>
#include <loom/tree/open_store.h>

static enum loom_status open_desk(void *ctx, void **out, struct loom_err *err)
{
	struct tui_app *app = ctx;
	struct loom_store *store = NULL;
	int64_t partial = 0;
	enum loom_status status =
		loom_store_open(app->env, loom_buf_str(&app->dir), LOOM_WRITE, &store, err);

	/* Finishes what a process that died left half written. */
	if (status == LOOM_OK && !loom_store_read_only(store))
		(void)!loom_stream_sweep(store, &partial, NULL);
	if (status == LOOM_OK)
		loom_summary_extracts(store, app->work->extracts);
	*out = store; /* an actor expects this of a worker */
	return status;
}

static void close_desk(void *context)
{
	loom_store_close(context);
}

/* The looking worker only reads the grove. If that cannot be opened, each look reports why. */
static enum loom_status open_look(void *ctx, void **out, struct loom_err *err)
{
	struct tui_app *app = ctx;
	struct loom_store *store = NULL;
	enum loom_status status =
		loom_store_open(app->env, loom_buf_str(&app->dir), LOOM_READ, &store, err);

	*out = store;
	return status;
}

/* --- what holds writes up --- */

enum { SOON_MS = 150, AGAIN_MS = 250 };

static void look_who_writes(void *ctx)
{
	struct tui_app *app = ctx;
	struct tui_held *held = &app->work->held;
	const int64_t before = held->pid;

	app->work->writes_timer = loom_loop_timer(app->loop, AGAIN_MS, look_who_writes, app);
	held->pid = loom_store_writer(app->store, held->program);
	if (held->pid < 0 || held->pid == getpid())
		held->pid = 0;
	if (held->pid == before)
		return;
	if (held->pid)
		tui_say(app, TUI_ROLE_WARN, "waiting for the grove: pid %lld%s%s%s is writing",
			(long long)held->pid, held->program[0] ? " (" : "", held->program,
			held->program[0] ? ")" : "");
	held->said = held->pid ? app->message_count : held->said;
	if (app->stage)
		tui_stage_dirty(app->stage);
}

void tui_write_begins(struct tui_app *app)
{
	app->work->writes++;
	if (!app->work->writes_timer)
		app->work->writes_timer = loom_loop_timer(app->loop, SOON_MS, look_who_writes, app);
}

/* Replaces a message about waiting; any other message stays. */
void tui_write_ends(struct tui_app *app)
{
	if (--app->work->writes)
		return;
	loom_loop_timer_cancel(app->loop, app->work->writes_timer);
	app->work->writes_timer = 0;
	if (app->work->held.pid && app->message.text[0] &&
	    app->work->held.said == app->message_count)
		tui_say(app, TUI_ROLE_DIM, "the grove is free again");
	app->work->held.pid = 0;
}

/* --- jobs --- */

struct tui_job *tui_job_make(struct tui_app *app)
{
	struct tui_job *job = loom_alloc(sizeof *job);

	job->app = app;
	job->actor = app->actor;
	job->tree = app->tree.id;
	loom_buf_init(&job->text, LOOM_BUF_MAX);
	loom_buf_init(&job->answer, LOOM_BUF_MAX);
	job->arena = loom_arena_create();
	return job;
}

void tui_job_drop(struct tui_job *job)
{
	loom_buf_fini(&job->text);
	loom_buf_fini(&job->answer);
	loom_arena_destroy(job->arena);
	free(job);
}

static enum loom_status run(void *context, void *payload, struct loom_task *task,
			    struct loom_err *err)
{
	struct tui_job *job = payload;

	(void)task;
	return job->run(context, job, err);
}

static void done(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct tui_job *job = payload;
	struct tui_app *app = job->app;

	if (job->look)
		app->work->looks--;
	else if (!job->silent)
		tui_write_ends(app);
	if (job->done)
		job->done(app, job, status, err);
	else if (status != LOOM_OK)
		tui_must(app, status, err);
	tui_app_catch_up(app);
	if (app->stage)
		tui_stage_dirty(app->stage);
	tui_job_drop(job);
}

struct loom_worker *tui_worker(struct tui_app *app)
{
	struct loom_worker_opts opts = {.loop = app->loop,
					.open = open_desk,
					.close = close_desk,
					.ctx = app};
	const struct loom_config *config = NULL;

	if (app->work->worker)
		return app->work->worker;
	config = tui_config(app, NULL);
	app->work->extracts =
		!config || !loom_small_there(app->env, loom_buf_str(&app->dir), config);
	app->work->worker = loom_worker_create(&opts);
	return app->work->worker;
}

/* At the end of the program the workers stop one after the other; the last answer of one must not
 * post to another that has gone. */
static bool too_late(struct tui_job *job)
{
	struct loom_err err = {.status = LOOM_OK};

	if (!job->app->closed)
		return false;
	done(job, loom_fail(&err, LOOM_CANCELLED, "loom is closing"), &err);
	return true;
}

static void post_to(struct tui_job *job, struct loom_worker **worker)
{
	struct tui_app *app = job->app;

	if (too_late(job))
		return;
	if (!*worker)
		*worker = loom_worker_create(&(struct loom_worker_opts){
			.loop = app->loop, .open = open_look, .close = close_desk, .ctx = app});
	loom_worker_post(*worker, &(struct loom_job){.run = run, .done = done, .payload = job});
}

void tui_job_look(struct tui_job *job)
{
	job->look = true;
	job->app->work->looks++;
	post_to(job, &job->app->work->looker);
}

void tui_job_file(struct tui_job *job)
{
	/* Silent jobs do not count as work under way. */
	job->look = !job->silent;
	job->app->work->looks += job->look;
	post_to(job, &job->app->work->filer);
}

void tui_job_post(struct tui_job *job)
{
	struct tui_app *app = job->app;

	if (!job->silent)
		tui_write_begins(app);
	if (too_late(job))
		return;
	loom_worker_post(tui_worker(app),
			 &(struct loom_job){.run = run, .done = done, .payload = job});
}

void tui_look_begins(struct tui_app *app)
{
	app->work->looks++;
}

void tui_look_ends(struct tui_app *app)
{
	app->work->looks--;
}

static void begin(struct tui_app *app)
{
	app->work = loom_alloc(sizeof *app->work);
}

/* All work has ended, and the workers have stopped one after the other. */
static void closed(struct tui_app *app)
{
	free(app->work);
}

const struct tui_view tui_view_work = {
	.told = {[TUI_TOLD_BEGIN] = begin, [TUI_TOLD_CLOSED] = closed}};

void tui_work_end(struct tui_app *app)
{
	app->closed = true;
	loom_worker_destroy(app->work->filer);
	loom_worker_destroy(app->work->worker);
	loom_worker_destroy(app->work->looker);
}
