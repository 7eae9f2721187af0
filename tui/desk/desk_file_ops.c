/* Lists file operations of the screen among the operations of the grove, on the worker. */
#include <loom/desk/desk_file_ops.h>
#include <loom/desk/others.h>
#include <loom/desk/workers.h>

/* Its strings belong to the job. */
struct listing {
	enum loom_outside_act act;
};

static enum loom_status run(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	const struct listing *listing = job->own;
	const struct loom_outside what = {
		.act = listing->act,
		.subject = loom_buf_str(&job->text),
		.object = loom_buf_str(&job->answer),
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

void tui_list_outside(struct tui_app *app, const struct loom_outside *what)
{
	struct tui_job *job = tui_job_make(app);
	struct listing *listing = LOOM_ARENA_NEW(job->arena, struct listing);

	listing->act = what->act;
	job->own = listing;
	loom_buf_add(&job->text, what->subject);
	loom_buf_add(&job->answer, what->object);
	job->silent = true;
	job->run = run;
	job->done = done;
	tui_job_post(job);
}
