/* Texts that are not in the tree, on disk: saved as drafts within a second and deleted only once
 * they are nodes, so neither a crash nor a refusal loses any.
 *
 * A worker of its own writes the files and waits for no lock of the store. It works in posting
 * order, so the last save of a draft is its last state. */
#include <loom/desk/desk.h>

#include <loom/language/call.h>
#include <loom/base/hash.h>
#include <loom/desk/do_line.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/others.h>
#include <loom/desk/workers.h>
#include <loom/grove/draft.h>
#include <loom/writing/drafts.h>
#include <loom/writing/text_editor.h>

/* A text being committed to the tree. */
struct tui_commit {
	struct tui_commit *next;
	int64_t number;
	struct tui_unsent what;
	int then;
	struct loom_buf text;
};

void tui_unsent_make(const struct tui_app *app, struct tui_unsent *out)
{
	struct loom_env plain = {.seeded = false};
	struct loom_buf id = LOOM_BUF_INIT(sizeof out->id);
	uint8_t random[4];

	*out = (struct tui_unsent){.tree_id = app->tree.id};
	loom_env_random(&plain, 0, random, sizeof random);
	loom_buf_adds(&id, "draft-");
	loom_hex(random, sizeof random, &id);
	snprintf(out->id, sizeof out->id, "%s", loom_buf_cstr(&id));
	if (app->tree.id)
		loom_ulid_text(&app->tree.ulid, out->tree);
	loom_buf_fini(&id);
}

void tui_unsent_uproot(struct tui_unsent *what)
{
	what->tree_id = 0;
	what->tree[0] = what->anchor[0] = '\0';
}

/* --- files --- */

struct keeping {
	struct tui_unsent what;
	struct loom_str folds;
};

static enum loom_status write_file(struct loom_store *store, struct tui_job *job,
				   struct loom_err *err)
{
	const struct keeping *keeping = job->own;
	const struct tui_unsent *what = &keeping->what;
	struct loom_draft draft = {.id = loom_str_of(what->id),
				   .kind = what->editing ? LOOM_STR("edit") : LOOM_STR("text"),
				   .tree = loom_str_of(what->tree),
				   .anchor = loom_str_of(what->anchor),
				   .text = loom_buf_str(&job->text),
				   .folds = keeping->folds};
	struct loom_draft was;
	struct loom_str id;
	enum loom_status status;

	/* Saved again as it was, it waits for what it waited for. */
	if (draft.text.n && loom_draft_get(store, draft.id, job->arena, &was, NULL) == LOOM_OK &&
	    loom_str_eq(was.text, draft.text)) {
		draft.why = was.why;
		draft.op = was.op;
	}
	if (draft.text.n)
		return loom_draft_save(store, &draft, job->arena, &id, err);
	status = loom_draft_drop(store, draft.id, err);
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

static void file_written(struct tui_app *app, struct tui_job *job, enum loom_status status,
			 const struct loom_err *err)
{
	const struct keeping *keeping = job->own;

	app->keeps--;
	tui_must(app, status, err);
	if (!keeping->what.tree_id || keeping->what.tree_id == app->tree.id)
		tui_drafts_written(app, keeping->what.id);
}

void tui_unsent_keep(struct tui_app *app, const struct tui_unsent *what, struct loom_str text,
		     const struct tui_folds *folds)
{
	struct tui_job *job = tui_job_make(app);
	struct keeping *keeping = LOOM_ARENA_NEW(job->arena, struct keeping);
	struct loom_buf words = LOOM_BUF_INIT(LOOM_BUF_MAX);

	keeping->what = *what;
	if (folds)
		tui_folds_print(folds, &words);
	keeping->folds = loom_arena_buf(job->arena, &words);
	loom_buf_fini(&words);
	job->own = keeping;
	job->silent = true;
	job->run = write_file;
	job->done = file_written;
	loom_buf_add(&job->text, text);
	app->keeps++;
	tui_job_file(job);
}

/* --- into the tree --- */

void tui_unsent_extra(struct tui_app *app, struct tui_extra *extra)
{
	const struct tui_row *row = NULL;
	const struct tui_commit *commit = app->commits;

	if (!commit || tui_rows_get(&app->rows, app->position, &row, NULL) != LOOM_OK)
		return;
	while (commit &&
	       (commit->what.tree_id != app->tree.id || strcmp(commit->what.anchor, row->id) != 0))
		commit = commit->next;
	if (!commit)
		return;
	extra->on = true;
	extra->instead = commit->what.editing;
	extra->text = loom_buf_str(&commit->text);
	extra->title = LOOM_STR("sent, not saved yet");
}

bool tui_unsent_leaves(const struct tui_app *app, struct loom_str id)
{
	for (const struct tui_commit *commit = app->commits; commit; commit = commit->next)
		if (loom_str_is(id, commit->what.id))
			return true;
	return false;
}

static struct tui_commit *take(struct tui_app *app, int64_t number)
{
	struct tui_commit **at = &app->commits;
	struct tui_commit *commit;

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	commit = *at;
	if (commit)
		*at = commit->next;
	return commit;
}

static void finish(struct tui_app *app, struct tui_commit *commit, bool ok)
{
	tui_unsent_keep(app, &commit->what,
			ok ? (struct loom_str){NULL, 0} : loom_buf_str(&commit->text), NULL);
	if (!app->closed)
		tui_write_show(app); /* which borrowed it */
	loom_buf_fini(&commit->text);
	free(commit);
}

static void committed(struct tui_app *app, int64_t number, bool ok)
{
	struct tui_commit *commit = take(app, number);
	int then;
	bool here;

	if (!commit)
		return;
	then = commit->then;
	here = commit->what.tree_id == app->tree.id;
	finish(app, commit, ok);
	if (ok && here && then)
		tui_continue_here(app, then - 1);
}

/* --- as the root of a tree --- */

struct rooting {
	int64_t number; /* number of its commit */
	int64_t tree;   /* that it made */
};

static enum loom_status write_root(struct loom_store *store, struct tui_job *job,
				   struct loom_err *err)
{
	struct rooting *rooting = job->own;
	struct loom_tree_spec spec = {.mode = LOOM_DIALOGUE,
				      .root_text = loom_buf_str(&job->text),
				      .author = job->actor};

	return tui_tree_make(store, &spec, job->arena, &rooting->tree, err);
}

static void root_written(struct tui_app *app, struct tui_job *job, enum loom_status status,
			 const struct loom_err *err)
{
	const struct rooting *rooting = job->own;
	struct tui_commit *commit = take(app, rooting->number);
	bool ok;
	int then;

	if (!commit)
		return;
	then = commit->then;
	finish(app, commit, status == LOOM_OK);
	tui_news_look(app);
	ok = tui_must(app, status, err) &&
	     (app->tree.id == rooting->tree || tui_app_tree(app, rooting->tree));
	if (!ok)
		return;
	tui_keep_position(app);
	tui_say_new_tree(app);
	if (then)
		tui_continue_here(app, then - 1);
}

static void commit_root(struct tui_app *app, const struct tui_commit *commit)
{
	struct tui_job *job = tui_job_make(app);
	struct rooting *rooting = LOOM_ARENA_NEW(job->arena, struct rooting);

	rooting->number = commit->number;
	job->own = rooting;
	loom_buf_add(&job->text, loom_buf_str(&commit->text));
	job->run = write_root;
	job->done = root_written;
	tui_job_post(job);
}

void tui_unsent_commit(struct tui_app *app, const struct tui_unsent *what, struct loom_str text,
		       int then)
{
	struct loom_call call = loom_call_of(what->editing ? LOOM_VERB_EDIT : LOOM_VERB_RESPOND);
	struct tui_commit *commit = loom_alloc(sizeof *commit);
	struct tui_run_opts opts = {.done = committed,
				    .number = app->commits ? app->commits->number + 1 : 1};

	commit->number = opts.number;
	commit->what = *what;
	opts.draft = loom_str_of(commit->what.id);
	commit->then = then;
	loom_buf_init(&commit->text, LOOM_BUF_MAX);
	loom_buf_add(&commit->text, text);
	commit->next = app->commits;
	app->commits = commit;
	if (!what->tree_id) {
		commit_root(app, commit);
		return;
	}
	call.id = loom_str_of(commit->what.anchor);
	call.content = loom_buf_str(&commit->text);
	tui_run_calls(app, &call, 1, &opts);
}

/* Commits that can no longer be reported stay drafts. */
static void end(struct tui_app *app)
{
	while (app->commits)
		finish(app, take(app, app->commits->number), false);
}

static bool is_unsaved(const struct tui_app *app)
{
	return app->commits || app->keeps;
}

const struct tui_view tui_view_unsent = {.unsaved = is_unsaved, .told = {[TUI_TOLD_ENDING] = end}};
