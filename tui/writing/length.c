/* Measures the path, the session and the goal of a text being written. A long path takes longer
 * than a key may, so a worker does it. */
#include <loom/desk/desk.h>
#include <loom/desk/workers.h>
#include <loom/reading/measure.h>
#include <loom/writing/length.h>

struct asked {
	char id[16];
	struct loom_ulid tree;
	struct loom_reading_of of;
	struct tui_length length;
};

static enum loom_status measure(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	struct asked *asked = job->own;
	const struct loom_session_of session = {.tree = asked->of.tree, .author = job->actor};
	struct loom_reading_size path;
	struct loom_text_size lately;
	enum loom_status status = loom_reading_measure(store, &asked->of, &path, err);

	if (status == LOOM_OK)
		status = loom_reading_session(store, &session, &lately, err);
	if (status == LOOM_OK)
		status = loom_goal_get(store, &asked->tree, &asked->length.goal, err);
	if (status != LOOM_OK)
		return status;
	asked->length.known = true;
	asked->length.text = path.text.words;
	asked->length.session = lately.words;
	return LOOM_OK;
}

static void measured(struct tui_app *app, struct tui_job *job, enum loom_status status,
		     const struct loom_err *err)
{
	const struct asked *asked = job->own;

	(void)err;
	if (status == LOOM_OK)
		tui_write_measured(app, asked->id, &asked->length);
}

void tui_length_ask(struct tui_app *app, const struct tui_unsent *what)
{
	struct tui_job *job;
	struct asked *asked;

	if (!what->tree_id)
		return;
	job = tui_job_make(app);
	asked = LOOM_ARENA_NEW(job->arena, struct asked);
	*asked = (struct asked){.tree = app->tree.ulid,
				.of = {.tree = app->tree.id,
				       .tip = app->member,
				       .thread = app->thread}};
	snprintf(asked->id, sizeof asked->id, "%s", what->id);
	job->own = asked;
	job->silent = true;
	job->run = measure;
	job->done = measured;
	tui_job_look(job);
}
