/* The payload view's queries to the project, done by the looking worker. Never fetches anything and
 * never opens the store's own files. Knows no view. */
#include <loom/http/fetch.h>
#include <loom/sharing/turn_files.h>
#include <loom/payload/payload_why.h>
#include <loom/work/thread_report.h>

#include <loom/lists/list.h>
#include <loom/desk/desk_file_ops.h>
#include <loom/project/payload_view.h>
#include <loom/desk/workers.h>

struct tui_payload_job *tui_payload_job(struct tui_app *app)
{
	struct tui_payload_job *job = loom_alloc(sizeof *job);

	job->arena = loom_arena_create();
	job->dir = loom_arena_str(job->arena, loom_buf_str(&app->dir));
	job->env = *app->env;
	job->edits.arena = job->arena;
	job->serial = app->list ? tui_list_serial(app->list) : 0;
	return job;
}

static enum loom_status run(struct loom_store *store, struct tui_job *post, struct loom_err *err)
{
	struct tui_payload_job *job = post->own;
	struct loom_file_id refused[LOOM_STORE_FILES];
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_root root = LOOM_ROOT_INIT;
	struct loom_payload_place place = {.root = &root,
					   .session = job->session,
					   .turn = job->turn};

	(void)err;
	job->store = store;
	loom_payload_root(job->dir, job->dir, &path);
	job->root = loom_arena_str(job->arena, loom_buf_str(&path));
	place.root_path = job->root;
	job->status = loom_root_open(loom_buf_cstr(&path), &root, &job->why);
	root.refused = refused;
	root.refused_count = loom_store_files(job->dir, refused);
	if (job->status == LOOM_OK)
		job->status = job->run(&place, job, &job->why);
	loom_root_close(&root);
	loom_buf_fini(&path);
	return LOOM_OK;
}

static void list_edit(struct tui_app *app, const struct tui_payload_job *job)
{
	const struct loom_outside what = {
		.act = loom_outside_edit(job->edit),
		.subject = loom_str_of(loom_scope_name(job->scope)),
		.object = job->target,
		.kept = loom_outside_edited(&job->edits),
		.kept_count = job->edits.count,
		.root = job->root,
	};

	tui_list_outside(app, &what);
}

static void done(struct tui_app *app, struct tui_job *post, enum loom_status status,
		 const struct loom_err *err)
{
	struct tui_payload_job *job = post->own;

	if (status != LOOM_OK) {
		job->status = status;
		job->why = *err;
	}
	if (job->edits.count)
		list_edit(app, job);
	job->done(app, job);
	if (job->arena)
		loom_payload_fini(&job->payload);
	loom_arena_destroy(job->arena);
	free(job);
}

void tui_payload_post(struct tui_app *app, struct tui_payload_job *job)
{
	struct tui_job *post = tui_job_make(app);

	post->own = job;
	post->run = run;
	post->done = done;
	tui_job_look(post);
}

/* ---- the payload ---- */

static enum loom_status build(const struct loom_payload_place *place, struct tui_payload_job *job,
			      struct loom_err *err)
{
	struct loom_fetch fetch;
	struct loom_fetch_opts opts = {.place = {.project = place->root_path,
						 .session = job->lists.session},
				       .offline = true};
	struct loom_payload_opts how = {.place = *place,
					.shell = loom_env_var(&job->env, "SHELL"),
					.fetch = loom_fetch_url,
					.fetch_ctx = &fetch};

	loom_fetch_init(&fetch, &opts, job->arena);
	if (loom_fetch_wanted(&fetch, &job->lists))
		loom_fetch_recall(&fetch, job->store, &job->lists);
	return loom_payload_build(&how, job->arena, &job->payload, err);
}

enum loom_status tui_payload_build(const struct loom_payload_place *place,
				   struct tui_payload_job *job, struct loom_err *err)
{
	const struct loom_payload_change change = {.edit = job->edit,
						   .scope = job->scope,
						   .targets = &job->target,
						   .count = 1,
						   .line = job->line};
	enum loom_status status =
		job->target.n ? loom_payload_edit(place, &change, &job->edits, err) : LOOM_OK;

	loom_buf_init(&job->payload.text, LOOM_BUF_MAX);
	if (status == LOOM_OK)
		status = loom_payload_lists_read(place, job->arena, &job->lists, err);
	return status == LOOM_OK ? build(place, job, err) : status;
}

/* ---- paths ---- */

struct paths {
	struct tui_payload_job *job;
	size_t cap;
};

static bool seen(void *ctx, const struct loom_seen *what)
{
	struct paths *paths = ctx;
	struct tui_payload_job *job = paths->job;

	job->paths = loom_arena_grow(job->arena, job->paths, job->path_count, &paths->cap,
				     sizeof *job->paths);
	job->paths[job->path_count++] =
		what->kind == LOOM_FILE_FOLDER
			? loom_arena_format(job->arena, "%.*s/", LOOM_STR_ARG(what->path))
			: loom_arena_str(job->arena, what->path);
	return job->path_count < TUI_PATHS;
}

enum loom_status tui_payload_paths(const struct loom_payload_place *place,
				   struct tui_payload_job *job, struct loom_err *err)
{
	struct paths paths = {.job = job};
	enum loom_status status = loom_ignore_walk(place->root, NULL, seen, &paths, err);

	return status == LOOM_CANCELLED ? LOOM_OK : status;
}

/* ---- the report ---- */

enum loom_status tui_payload_report(const struct loom_payload_place *place,
				    struct tui_payload_job *job, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread thread;
	enum loom_status status =
		loom_thread_get(job->store, job->thread, job->arena, &thread, err);

	if (status == LOOM_OK)
		status = loom_thread_report(job->store, &thread, job->arena, &text, err);
	if (status == LOOM_OK)
		status =
			loom_payload_report_put(place->root, &job->place, loom_buf_str(&text), err);
	loom_buf_fini(&text);
	return status;
}

/* ---- why ---- */

static void say_scopes(const struct loom_payload_lists *lists, const struct loom_payload_why *why,
		       struct loom_buf *out)
{
	bool named = false;

	for (size_t i = 0; i < lists->count; i++) {
		const struct loom_payload_entry *entry = &lists->entries[i];

		if (!loom_payload_why_named(why, entry))
			continue;
		loom_buf_addf(out, " · %s: %.*s:%zu", loom_scope_name(entry->scope),
			      LOOM_STR_ARG(entry->file), entry->line);
		named = true;
	}
	if (!named)
		loom_buf_adds(out, " · no scope lists it");
}

enum loom_status tui_payload_why(const struct loom_payload_place *place,
				 struct tui_payload_job *job, struct loom_err *err)
{
	struct loom_payload_why why;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = loom_payload_lists_read(place, job->arena, &job->lists, err);

	if (status == LOOM_OK)
		status = loom_payload_explain(place, job->target, job->arena, &why, err);
	if (status == LOOM_OK) {
		loom_buf_addf(&text, "%.*s is ", LOOM_STR_ARG(why.path));
		loom_payload_why_say(&why, &text);
		say_scopes(&job->lists, &why, &text);
	}
	job->text = loom_arena_buf(job->arena, &text);
	loom_buf_fini(&text);
	return status;
}
