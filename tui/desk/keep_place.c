/* Saves the position in the store, without an operation: on the worker, after a moment of quiet. */
#include <loom/desk/desk.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/others.h>
#include <loom/desk/workers.h>
#include <loom/work/thread.h>

#define SAVE_MS 700 /* of quiet before the position is saved */
#define SAY_MS  120 /* others are told of it at most once in that time */

struct tui_keeping {
	uint64_t save_timer, say_timer;
	bool unsaved;
};

struct standing {
	int64_t member;
};

enum loom_status tui_write_thread(struct loom_store *store, struct tui_job *job,
				  tui_thread_write *write, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_thread thread;
	enum loom_status status = loom_quiet_begin(store, err);

	if (status == LOOM_OK) {
		status = loom_thread_ensure(store, job->actor, job->tree, arena, &thread, err);
		if (status == LOOM_OK) {
			job->thread = thread.id;
			status = write(store, job, err);
		}
		status = loom_quiet_end(store, status, err);
	}
	loom_arena_destroy(arena);
	return status;
}

bool tui_thread_written(struct tui_app *app, const struct tui_job *job)
{
	if (job->tree != app->tree.id)
		return false;
	app->thread = app->rows.thread = app->reader.thread = job->thread;
	return true;
}

static enum loom_status move_thread(struct loom_store *store, const struct tui_job *job,
				    struct loom_err *err)
{
	const struct standing *standing = job->own;
	enum loom_status status = loom_thread_move(store, job->thread, standing->member, err);

	return status == LOOM_OK ? loom_use_tree(store, job->tree, err) : status;
}

static enum loom_status write_position(struct loom_store *store, struct tui_job *job,
				       struct loom_err *err)
{
	return tui_write_thread(store, job, move_thread, err);
}

static void position_written(struct tui_app *app, struct tui_job *job, enum loom_status status,
			     const struct loom_err *err)
{
	/* Losing a saved position is not worth a message. */
	(void)err;
	if (status == LOOM_OK)
		(void)tui_thread_written(app, job);
}

void tui_keep_now(struct tui_app *app)
{
	struct standing *standing;
	struct tui_job *job;

	loom_loop_timer_cancel(app->loop, app->keeping->save_timer);
	app->keeping->save_timer = 0;
	if (!app->keeping->unsaved || !app->member)
		return;
	app->keeping->unsaved = false;
	job = tui_job_make(app);
	job->run = write_position;
	job->done = position_written;
	job->silent = true;
	standing = LOOM_ARENA_NEW(job->arena, struct standing);
	standing->member = app->member;
	job->own = standing;
	tui_job_post(job);
}

static void on_quiet(void *ctx)
{
	struct tui_app *app = ctx;

	app->keeping->save_timer = 0;
	tui_keep_now(app);
}

static void on_say(void *ctx)
{
	struct tui_app *app = ctx;

	app->keeping->say_timer = 0;
	tui_presence_say(app, app->writing ? "writing" : "reading");
}

void tui_keep_position(struct tui_app *app)
{
	app->keeping->unsaved = true;
	if (!app->keeping->say_timer)
		app->keeping->say_timer = loom_loop_timer(app->loop, SAY_MS, on_say, app);
	if (app->keeping->save_timer)
		loom_loop_timer_cancel(app->loop, app->keeping->save_timer);
	app->keeping->save_timer = loom_loop_timer(app->loop, SAVE_MS, on_quiet, app);
}

void tui_keep_later(struct tui_app *app)
{
	app->keeping->unsaved = true;
}

static void begin(struct tui_app *app)
{
	app->keeping = loom_alloc(sizeof *app->keeping);
}

/* Without a tree there is no position to save. */
static void entered(struct tui_app *app)
{
	app->keeping->unsaved = app->keeping->unsaved && app->tree.id;
}

static void closed(struct tui_app *app)
{
	free(app->keeping);
}

const struct tui_view tui_view_kept = {
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_STANDS] = tui_keep_position,
		 [TUI_TOLD_ENTERED] = entered,
		 [TUI_TOLD_CLOSED] = closed},
};
