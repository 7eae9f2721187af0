/* Lists file operations of the screen among the operations of the grove, on the worker. */
#include <loom/desk/desk_file_ops.h>
#include <loom/desk/others.h>
#include <loom/desk/workers.h>

/* Its strings belong to the job. */
struct listing {
	enum loom_outside_act act;
	struct loom_kept *kept;
	size_t kept_count;
	struct loom_str root;
};

static enum loom_status run(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	const struct listing *listing = job->own;
	const struct loom_outside what = {
		.act = listing->act,
		.subject = loom_buf_str(&job->text),
		.object = loom_buf_str(&job->answer),
		.kept = listing->kept,
		.kept_count = listing->kept_count,
		.root = listing->root,
	};

	return loom_outside_list(store, job->actor, &what, err);
}

static void done(struct tui_app *app, struct tui_job *job, enum loom_status status,
		 const struct loom_err *err)
{
	(void)job;
	tui_news_look(app);
	(void)tui_must(app, status, err);
}

static void copy_kept(const struct loom_outside *what, struct loom_arena *arena,
		      struct listing *listing)
{
	listing->root = loom_arena_str(arena, what->root);
	listing->kept_count = what->kept_count;
	listing->kept = LOOM_ARENA_ARRAY(arena, what->kept_count, struct loom_kept);
	for (size_t i = 0; i < what->kept_count; i++) {
		struct loom_kept *kept = &listing->kept[i];

		*kept = what->kept[i];
		kept->name = loom_arena_str(arena, kept->name);
		if (kept->bytes.p)
			kept->bytes = loom_arena_str(arena, kept->bytes);
	}
}

void tui_list_outside(struct tui_app *app, const struct loom_outside *what)
{
	struct tui_job *job = tui_job_make(app);
	struct listing *listing = LOOM_ARENA_NEW(job->arena, struct listing);

	listing->act = what->act;
	copy_kept(what, job->arena, listing);
	job->own = listing;
	loom_buf_add(&job->text, what->subject);
	loom_buf_add(&job->answer, what->object);
	job->silent = true;
	job->run = run;
	job->done = done;
	tui_job_post(job);
}
