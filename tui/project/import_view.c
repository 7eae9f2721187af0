/* Imports from the screen: the looking worker reads, the writing worker writes, as one operation.
 * The user can go on working; a line shows the progress.
 *
 * There is at most one. From post to answer it belongs to a worker; only its task is shared. */
#include <loom/project/import_view.h>
#include <loom/writing/paths.h>

#include <sys/stat.h>

#include <loom/import/import.h>
#include <loom/files/path.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/others.h>
#include <loom/desk/screen_gate.h>
#include <loom/desk/workers.h>
#include <loom/writing/command_line.h>

enum { TICK_MS = 200, RATE_MS = 500, FILES_MAX = 64, DROP_MAX = 16 << 10 };

struct tui_importing {
	struct tui_app *app;
	struct loom_import *import;
	struct loom_arena *arena;
	const char **paths;
	size_t count;
	struct loom_task task;
	uint64_t timer;
	int64_t tree; /* shown when it began */
	int64_t op;
	bool writing;
	int64_t since; /* boot clock: start of the current half */
};

/* ---- how far ---- */

static void add_progress(const struct tui_importing *im, struct loom_buf *out)
{
	const int64_t elapsed = loom_env_boot() - im->since;
	uint64_t done = 0;
	uint64_t total = 0;

	/* The task's other side only reads counters. */
	loom_task_progress((struct loom_task *)(uintptr_t)&im->task, &done, &total);
	loom_buf_addf(out, "%s ", im->writing ? "importing" : "reading");
	loom_buf_add_count(out, done);
	if (total) {
		loom_buf_adds(out, " of ");
		loom_buf_add_count(out, total);
	}
	loom_buf_adds(out, im->writing ? " nodes" : " bytes");
	if (elapsed >= RATE_MS && done) {
		loom_buf_adds(out, " · ");
		loom_buf_add_count(out, done * 1000 / (uint64_t)elapsed);
		loom_buf_adds(out, "/s");
	}
}

bool tui_import_progress(const struct tui_app *app, struct loom_buf *out)
{
	if (app->importing)
		add_progress(app->importing, out);
	return app->importing != NULL;
}

/* Not kept in the list of messages, and never replaces another message. */
static void show_progress(struct tui_importing *im)
{
	struct tui_app *app = im->app;
	struct loom_buf line = LOOM_BUF_INIT(1024);

	if (app->message.text[0] && app->message.role != TUI_ROLE_RUNNING)
		return;
	add_progress(im, &line);
	snprintf(app->message.text, sizeof app->message.text, "%s · Esc stops",
		 loom_buf_cstr(&line));
	app->message.role = TUI_ROLE_RUNNING;
	loom_buf_fini(&line);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void tick(void *ctx)
{
	struct tui_importing *im = ctx;

	im->timer = loom_loop_timer(im->app->loop, TICK_MS, tick, im);
	show_progress(im);
}

static void end(struct tui_app *app)
{
	if (app->importing)
		loom_task_cancel(&app->importing->task);
}

static bool stop(struct tui_app *app)
{
	if (!app->importing)
		return false;
	end(app);
	tui_say(app, TUI_ROLE_WARN, "stopping");
	return true;
}

const struct tui_view tui_view_import = {.stop = stop, .told = {[TUI_TOLD_ENDING] = end}};

/* ---- its end ---- */

static void drop(struct tui_importing *im)
{
	struct tui_app *app = im->app;

	app->importing = NULL;
	loom_loop_timer_cancel(app->loop, im->timer);
	loom_import_destroy(im->import);
	loom_arena_destroy(im->arena);
	free(im);
	if (app->message.role == TUI_ROLE_RUNNING)
		tui_hush(app);
}

static void say_failed(struct tui_importing *im, enum loom_status status,
		       const struct loom_err *err)
{
	struct tui_app *app = im->app;

	drop(im);
	if (status == LOOM_CANCELLED)
		tui_say(app, TUI_ROLE_WARN, "stopped; nothing was imported");
	else
		tui_must(app, status, err);
}

static bool has_more_to_say(const struct loom_import_report *report)
{
	return report->tree_count > 1 || report->repaired.count || report->unknown.count ||
	       report->lost.count || report->secrets.count || report->unseen.count;
}

/* Enters the imported tree, unless the user is doing something else by now. */
static void show_tree(struct tui_importing *im, const struct loom_import_report *report)
{
	struct tui_app *app = im->app;

	if (report->tree_count && report->trees[0].tree &&
	    (app->tree.id == im->tree || !im->tree) && !app->writing && !app->prompt && !app->list)
		tui_app_tree(app, report->trees[0].tree);
}

static void say_made(struct tui_importing *im)
{
	struct tui_app *app = im->app;
	const struct loom_import_report *report = loom_import_report(im->import);
	const bool made = im->op != 0 || report->restored;
	struct loom_buf head = LOOM_BUF_INIT(1 << 16);
	struct loom_buf said = LOOM_BUF_INIT(1 << 16);
	struct loom_buf text = LOOM_BUF_INIT(1 << 24);
	struct loom_str line = {NULL, 0};
	struct loom_str rest;

	loom_import_head(report, false, &head);
	loom_import_tell(report, &text);
	rest = loom_buf_str(&head);
	while (rest.n && loom_str_line(&rest, &line))
		loom_buf_addf(&said, "%s%.*s", said.n ? " · " : "", LOOM_STR_ARG(line));
	show_tree(im, report);
	if (has_more_to_say(report) && !app->list && !app->prompt && !app->writing)
		tui_text_open(app, line, loom_buf_str(&text));
	tui_say(app, TUI_ROLE_OK, "%s%s", loom_buf_cstr(&said), made ? " · u undoes it" : "");
	loom_buf_fini(&said);
	loom_buf_fini(&head);
	loom_buf_fini(&text);
	drop(im);
}

/* ---- the work ---- */

static void written(struct tui_app *app, struct tui_job *job, enum loom_status status,
		    const struct loom_err *err)
{
	struct tui_importing *im = job->own;

	tui_news_look(app);
	if (status == LOOM_OK)
		say_made(im);
	else
		say_failed(im, status, err);
}

static enum loom_status run_write(struct loom_store *store, struct tui_job *job,
				  struct loom_err *err)
{
	struct tui_importing *im = job->own;
	const struct loom_import_write how = {.actor = job->actor};

	return loom_import_write(im->import, store, &how, &im->op, err);
}

static void was_read(struct tui_app *app, struct tui_job *job, enum loom_status status,
		     const struct loom_err *err)
{
	struct tui_importing *im = job->own;
	struct tui_job *next;

	/* When leaving, the writer is gone and cannot be asked. */
	if (status == LOOM_OK && loom_task_cancelled(&im->task))
		status = LOOM_CANCELLED;
	if (status != LOOM_OK) {
		say_failed(im, status, err);
		return;
	}
	im->writing = true;
	im->since = loom_env_boot();
	loom_task_report(&im->task, 0, 0);
	next = tui_job_make(app);
	next->own = im;
	next->run = run_write;
	next->done = written;
	tui_job_post(next);
}

static enum loom_status run_read(struct loom_store *store, struct tui_job *job,
				 struct loom_err *err)
{
	struct tui_importing *im = job->own;
	struct loom_file_id ids[LOOM_STORE_FILES];
	const struct loom_root refused = {.fd = -1,
					  .refused = ids,
					  .refused_count =
						  loom_store_files(loom_store_dir(store), ids)};
	const struct loom_import_paths paths = {.items = im->paths,
						.count = im->count,
						.refused = &refused};

	return loom_import_read(im->import, &paths, err);
}

static void begin(struct tui_importing *im)
{
	struct tui_app *app = im->app;
	struct loom_import_opts opts = {.env = app->env, .task = &im->task};
	struct tui_job *job;
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = loom_import_create(&opts, &im->import, &err);

	if (status != LOOM_OK) {
		say_failed(im, status, &err);
		return;
	}
	job = tui_job_make(app);
	job->own = im;
	job->run = run_read;
	job->done = was_read;
	tui_job_look(job);
	tick(im);
}

static struct loom_str home_of(const struct tui_app *app)
{
	const char *home = loom_env_var(app->env, "HOME");

	return loom_str_of(home ? home : "");
}

void tui_import(struct tui_app *app, struct loom_str rest)
{
	struct tui_importing *im;

	if (app->importing) {
		tui_say(app, TUI_ROLE_WARN, "an import is under way · Esc stops it");
		return;
	}
	if (!tui_may(app, "import"))
		return;
	im = loom_alloc(sizeof *im);
	*im = (struct tui_importing){.app = app,
				     .arena = loom_arena_create(),
				     .tree = app->tree.id,
				     .since = loom_env_boot()};
	im->count = tui_paths_read(rest, home_of(app), im->arena, &im->paths);
	app->importing = im;
	if (im->count && im->count <= FILES_MAX) {
		begin(im);
		return;
	}
	tui_say(app, TUI_ROLE_ERROR, "%s",
		!im->count              ? "import FILE… · Tab completes a path"
		: im->count == SIZE_MAX ? "unclosed quote"
					: "more than 64 files: `loom import` takes any number");
	drop(im);
}

/* ---- what was dropped on the terminal ---- */

struct dropped {
	const char **paths;
	size_t count;
	bool files;
	tui_take_fn *otherwise;
};

static enum loom_status run_look(struct loom_store *store, struct tui_job *job,
				 struct loom_err *err)
{
	struct dropped *dropped = job->own;

	(void)store;
	(void)err;
	dropped->files = true;
	for (size_t i = 0; i < dropped->count; i++) {
		struct stat info;

		dropped->files &= stat(dropped->paths[i], &info) == 0 && S_ISREG(info.st_mode);
	}
	return LOOM_OK;
}

static void looked(struct tui_app *app, struct tui_job *job, enum loom_status status,
		   const struct loom_err *err)
{
	struct dropped *dropped = job->own;
	struct loom_buf line = LOOM_BUF_INIT(1 << 20);

	(void)status;
	(void)err;
	if (!dropped->files) {
		dropped->otherwise(app, loom_buf_str(&job->text));
		return;
	}
	loom_buf_adds(&line, "import");
	for (size_t i = 0; i < dropped->count; i++) {
		loom_buf_addc(&line, ' ');
		tui_path_spell(loom_str_of(dropped->paths[i]), &line);
	}
	if (!app->prompt && !app->writing && !app->list)
		tui_prompt_command(app, loom_buf_str(&line), SIZE_MAX);
	loom_buf_fini(&line);
}

/* Whether they are all absolute paths, on one line. */
static bool could_be(const char *const *paths, size_t count)
{
	if (!count || count > FILES_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		if (paths[i][0] != '/' || !paths[i][1])
			return false;
	return true;
}

bool tui_import_dropped(struct tui_app *app, struct loom_str text, tui_take_fn *otherwise)
{
	const struct loom_str line = loom_str_trim(text);
	struct tui_job *job;
	struct dropped *dropped;

	if (!line.n || line.n > DROP_MAX || !strchr("/'\"f", line.p[0]) ||
	    loom_str_find_char(line, '\n', 0) != SIZE_MAX ||
	    loom_str_find_char(line, '\r', 0) != SIZE_MAX)
		return false;
	job = tui_job_make(app);
	dropped = LOOM_ARENA_NEW(job->arena, struct dropped);
	*dropped = (struct dropped){.otherwise = otherwise};
	dropped->count = tui_paths_read(line, LOOM_STR(""), job->arena, &dropped->paths);
	loom_buf_add(&job->text, text);
	job->own = dropped;
	job->run = run_look;
	job->done = looked;
	if (could_be(dropped->paths, dropped->count)) {
		tui_job_look(job);
		return true;
	}
	tui_job_drop(job);
	return false;
}
