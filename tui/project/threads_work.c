/* The thread views' queries to `.leslie/`, done by the looking worker. Every job opens the folder
 * again, since other programs write to it too. Knows no view. */
#include <loom/project/threads_work.h>

#include <loom/lists/list.h>
#include <loom/sharing/turn_files.h>
#include <loom/desk/desk_file_ops.h>
#include <loom/desk/workers.h>

#define SEEN_MAX ((size_t)256 << 10) /* bytes shown of a file */

/* ---- jobs ---- */

struct tui_leslie_job *tui_leslie_job(struct tui_app *app)
{
	struct loom_arena *arena = loom_arena_create();
	struct tui_leslie_job *job = loom_alloc(sizeof *job);

	job->arena = arena;
	job->dir = loom_arena_str(arena, loom_buf_str(&app->dir));
	job->env = *app->env;
	job->serial = app->list ? tui_list_serial(app->list) : 0;
	return job;
}

void tui_leslie_drop(struct tui_leslie_job *job)
{
	if (job)
		loom_arena_destroy(job->arena);
	free(job);
}

/* Joins the two lines of a refusal into one sentence. */
static struct loom_str reason_of(struct loom_arena *arena, const struct loom_leslie_err *err)
{
	if (err->reason.n)
		return loom_arena_format(arena, "%s · %.*s", err->err.text,
					 LOOM_STR_ARG(err->reason));
	if (err->err.hint[0])
		return loom_arena_format(arena, "%s · %s", err->err.text, err->err.hint);
	return loom_arena_str(arena, loom_str_of(err->err.text));
}

static enum loom_status run(struct loom_store *store, struct tui_job *post, struct loom_err *err)
{
	struct tui_leslie_job *job = post->own;
	struct loom_file_id refused[LOOM_STORE_FILES];
	struct loom_leslie_opts opts = {.start = job->dir.p,
					.env = &job->env,
					.operator_ = "user",
					.refused = refused,
					.refused_count = loom_store_files(job->dir, refused)};
	struct loom_leslie_err why = {0};
	struct loom_leslie *leslie = NULL;

	(void)store;
	(void)err;
	job->status = loom_leslie_open(&opts, &leslie, &why.err);
	if (job->status == LOOM_OK)
		job->status = job->run(leslie, job, &why);
	if (job->status != LOOM_OK)
		job->why = reason_of(job->arena, &why);
	loom_leslie_close(leslie);
	return LOOM_OK;
}

static void done(struct tui_app *app, struct tui_job *post, enum loom_status status,
		 const struct loom_err *err)
{
	struct tui_leslie_job *job = post->own;

	if (status != LOOM_OK) {
		job->status = status;
		job->why = loom_arena_str(job->arena, loom_str_of(err->text));
	}
	for (size_t i = 0; i < job->made_count; i++)
		tui_list_outside(app, &job->made[i]);
	job->done(app, job);
	tui_leslie_drop(job);
}

void tui_leslie_post(struct tui_app *app, struct tui_leslie_job *job)
{
	struct tui_job *post = tui_job_make(app);

	post->own = job;
	post->run = run;
	post->done = done;
	tui_job_look(post);
}

/* ---- looking ---- */

static enum loom_status look_at(struct loom_leslie *leslie, struct loom_arena *arena,
				struct tui_thread *out, struct loom_leslie_err *err)
{
	struct loom_str id = out->thread.id;
	enum loom_status status = loom_leslie_thread(leslie, id, arena, &out->thread, err);

	for (size_t i = 0; status == LOOM_OK && i < out->thread.reference_count; i++)
		out->broken += out->thread.references[i].broken;
	return status == LOOM_OK ? loom_leslie_assets(leslie, id, arena, &out->assets, err)
				 : status;
}

enum loom_status tui_leslie_threads(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err)
{
	struct tui_threads *found = &job->found;
	struct loom_leslie_thread *threads = NULL;
	enum loom_status status = loom_objective_list(leslie, job->arena, &found->objectives,
						      &found->objective_count, err);

	found->arena = job->arena;
	found->root = loom_arena_str(job->arena, loom_str_of(loom_leslie_root(leslie)));
	if (status == LOOM_OK)
		status =
			loom_leslie_threads(leslie, NULL, job->arena, &threads, &found->count, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < loom_leslie_notices(leslie)->count; i++)
		job->text = loom_arena_str(job->arena, loom_leslie_notices(leslie)->items[i]);
	found->items = LOOM_ARENA_ARRAY(job->arena, found->count, struct tui_thread);
	for (size_t i = 0; i < found->count && status == LOOM_OK; i++) {
		found->items[i].thread = threads[i];
		status = look_at(leslie, job->arena, &found->items[i], err);
	}
	return status;
}

static enum loom_status emit(struct tui_leslie_job *job, const struct loom_thread_context *context,
			     struct loom_leslie_err *err)
{
	struct loom_buf block = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = loom_thread_context_emit(context, &block, &err->err);

	for (size_t i = 0; i < job->warnings.count; i++)
		loom_buf_addf(&block, "\n! %.*s", LOOM_STR_ARG(job->warnings.items[i]));
	job->text = loom_arena_buf(job->arena, &block);
	loom_buf_fini(&block);
	return status;
}

enum loom_status tui_leslie_block(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err)
{
	struct loom_thread_context context;
	enum loom_status status = loom_leslie_context(leslie, job->thread, LOOM_CONTEXT_LOAD,
						      job->arena, &context, &job->warnings, err);

	return status == LOOM_OK ? emit(job, &context, err) : status;
}

enum loom_status tui_leslie_foresee(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err)
{
	struct loom_thread_context context;
	enum loom_status status =
		loom_leslie_foresee(leslie, &job->ref, job->arena, &context, &job->warnings, err);

	return status == LOOM_OK ? emit(job, &context, err) : status;
}

enum loom_status tui_leslie_files(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err)
{
	return loom_leslie_files(leslie, job->thread, job->arena, &job->files, &job->file_count,
				 err);
}

static void say_folder(const struct loom_root *root, struct tui_leslie_job *job,
		       struct loom_str path, struct loom_buf *out)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;

	if (loom_folder_list(root, path, job->arena, &items, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, "%.*s%s\n", LOOM_STR_ARG(items[i].name),
			      items[i].kind == LOOM_FILE_FOLDER ? "/" : "");
}

enum loom_status tui_leslie_asset(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err)
{
	struct loom_read_opts opts = {.max = SEEN_MAX};
	struct loom_root root = LOOM_ROOT_INIT;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str path = job->name;
	bool folder = path.n && path.p[path.n - 1] == '/';
	enum loom_status status = loom_root_open(loom_leslie_root(leslie), &root, &err->err);

	if (status == LOOM_OK && folder)
		say_folder(&root, job, loom_str_sub(path, 0, path.n - 1), &text);
	else if (status == LOOM_OK)
		status = loom_file_read(&root, path, &opts, &text, &err->err);
	job->text = loom_arena_buf(job->arena, &text);
	loom_root_close(&root);
	loom_buf_fini(&text);
	return status;
}

/* ---- doing ---- */

static void note_made(struct tui_leslie_job *job, enum loom_outside_act act,
		      struct loom_str subject, struct loom_str object, struct loom_kept replaced)
{
	struct loom_kept *kept = LOOM_ARENA_NEW(job->arena, struct loom_kept);

	*kept = replaced;
	job->made[job->made_count++] = (struct loom_outside){
		.act = act, .subject = subject, .object = object, .kept = kept, .kept_count = 1};
}

static void say_warnings(struct loom_buf *out, const struct loom_leslie_warnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
		loom_buf_addf(out, " · %.*s", LOOM_STR_ARG(warnings->items[i]));
}

static void say(struct tui_leslie_job *job, struct loom_buf *out)
{
	say_warnings(out, &job->warnings);
	job->text = loom_arena_buf(job->arena, out);
	loom_buf_fini(out);
}

enum loom_status tui_leslie_ref(struct loom_leslie *leslie, struct tui_leslie_job *job,
				struct loom_leslie_err *err)
{
	bool live = job->ref.binding == LOOM_LESLIE_BINDING_LIVE;
	struct loom_leslie_ref_result result = {0};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str before = loom_outside_given(leslie, job->ref.from, job->arena);
	enum loom_status status = loom_leslie_ref(leslie, &job->ref, job->arena, &result, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_addf(&text, "%.*s reads %.*s now (%s", LOOM_STR_ARG(job->ref.from),
		      LOOM_STR_ARG(job->ref.target.thread), live ? "live" : "frozen");
	if (result.snapshot.n)
		loom_buf_addf(&text, ", %zu %s copied", result.copied_count,
			      loom_plural((int64_t)result.copied_count, "file", "files"));
	loom_buf_addc(&text, ')');
	job->warnings = result.warnings;
	note_made(job, LOOM_OUTSIDE_REF, job->ref.from, job->ref.target.thread,
		  loom_outside_share(leslie, job->ref.from, before, job->arena));
	say(job, &text);
	return LOOM_OK;
}

enum loom_status tui_leslie_unref(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str before = loom_outside_given(leslie, job->thread, job->arena);
	enum loom_status status = loom_leslie_unref(leslie, job->thread, job->name, err);

	if (status == LOOM_OK)
		note_made(job, LOOM_OUTSIDE_UNREF, job->thread, job->name,
			  loom_outside_share(leslie, job->thread, before, job->arena));
	loom_buf_addf(&text, "%.*s no longer reads %.*s", LOOM_STR_ARG(job->thread),
		      LOOM_STR_ARG(job->name));
	say(job, &text);
	return status;
}

enum loom_status tui_leslie_refresh(struct loom_leslie *leslie, struct tui_leslie_job *job,
				    struct loom_leslie_err *err)
{
	struct loom_leslie_refresh opts = {.from = job->thread};
	struct loom_leslie_refreshed result = {0};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str before = loom_outside_given(leslie, job->thread, job->arena);
	enum loom_status status;

	if (job->name.n)
		opts.target = job->name;
	status = loom_leslie_refresh(leslie, &opts, job->arena, &result, err);
	if (status == LOOM_OK && result.copied_count)
		note_made(job, LOOM_OUTSIDE_REFRESH, job->thread, LOOM_STR(""),
			  loom_outside_share(leslie, job->thread, before, job->arena));
	loom_buf_addf(&text, "%.*s: %zu %s copied again", LOOM_STR_ARG(job->thread),
		      result.copied_count,
		      loom_plural((int64_t)result.copied_count, "file", "files"));
	if (result.kept)
		loom_buf_addf(&text, ", %zu %s unchanged", result.kept,
			      loom_plural((int64_t)result.kept, "reference", "references"));
	job->warnings = result.warnings;
	say(job, &text);
	return status;
}

enum loom_status tui_leslie_step(struct loom_leslie *leslie, struct tui_leslie_job *job,
				 struct loom_leslie_err *err)
{
	enum loom_leslie_status now = LOOM_LESLIE_STATUSES;
	enum loom_status status =
		loom_leslie_lifecycle(leslie, job->thread, job->action, LOOM_STR(""), &now, err);

	if (status != LOOM_OK)
		return status;
	note_made(job, loom_outside_step(job->action), job->thread,
		  loom_str_of(loom_leslie_status_name(now)),
		  loom_outside_stepped(job->thread, job->action, now));
	job->text = loom_arena_format(job->arena, "%.*s is %s", LOOM_STR_ARG(job->thread),
				      loom_leslie_status_name(now));
	return LOOM_OK;
}

enum loom_status tui_leslie_spawn(struct loom_leslie *leslie, struct tui_leslie_job *job,
				  struct loom_leslie_err *err)
{
	struct loom_leslie_spawn opts = {.objective = job->thread, .intent = job->name};
	struct loom_str id = {NULL, 0};
	enum loom_status status = LOOM_OK;

	/* Without an objective the first one is created, with the thread's name. */
	if (!opts.objective.n) {
		status = loom_objective_new(leslie, job->name, (struct loom_str){NULL, 0},
					    job->arena, &opts.objective, err);
		if (status == LOOM_OK)
			note_made(job, LOOM_OUTSIDE_OBJECTIVE, job->name, LOOM_STR(""),
				  (struct loom_kept){.bytes = {NULL, 0}});
	}
	if (status == LOOM_OK)
		status = loom_leslie_spawn(leslie, &opts, job->arena, &id, &job->warnings, err);
	job->thread = id;
	if (status != LOOM_OK)
		return status;
	note_made(job, LOOM_OUTSIDE_SPAWN, id, LOOM_STR(""), loom_outside_spawned(id));
	job->text = loom_arena_format(job->arena, "new thread %.*s", LOOM_STR_ARG(id));
	return LOOM_OK;
}
