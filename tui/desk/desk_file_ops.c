/* What the screen did to files beside the grove, listed among its operations by the worker. */
#include <loom/desk/desk_file_ops.h>
#include <loom/desk/others.h>
#include <loom/desk/workers.h>

static enum loom_status run(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	const struct loom_outside what = {
		.act = (enum loom_outside_act)job->b,
		.subject = loom_buf_str(&job->text),
		.object = loom_buf_str(&job->answer),
	};

	return loom_outside_list(store, job->a, &what, err);
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

	job->a = app->actor;
	job->b = what->act;
	loom_buf_add(&job->text, what->subject);
	loom_buf_add(&job->answer, what->object);
	job->silent = true;
	job->run = run;
	job->done = done;
	tui_job_post(job);
}
