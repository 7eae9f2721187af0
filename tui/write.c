/* A text being written: below a node, or in the place of one. It is kept as a draft within a second
 * of the last key, by the worker, so that neither leaving nor a crash loses any of it.
 *
 * In a dialogue Enter posts; in a buffer it is a line break and Esc is the way out. */
#include "app_impl.h"

#include <loom/draft.h>

#define KEEP_MS 600

struct tui_writing {
	struct tui_edit edit;
	bool editing;   /* another version of the node; else a new one below it */
	int64_t anchor; /* group */
	char id[LOOM_LOCAL_MAX];
	struct loom_buf original;
	struct loom_buf draft; /* its id, empty: not kept yet */
	uint64_t kept;         /* the edit's changes that are kept */
	uint64_t timer;
	bool saving;
};

size_t tui_write_caret(const struct tui_app *app)
{
	return app->writing ? app->writing->edit.caret : 0;
}

/* A message is said with Enter; a text that is gone on with, or changed, has lines. */
bool tui_write_posts(const struct tui_app *app)
{
	return app->tree.mode == LOOM_DIALOGUE && !app->writing->editing;
}

const char *tui_write_hint(const struct tui_app *app)
{
	if (tui_write_posts(app))
		return "Enter posts · C-j newline · C-g posts and continues · Esc leaves the draft";
	return app->writing->editing ? "Esc keeps it as a version · C-g and continues"
				     : "Esc leaves the draft · C-g commits and continues";
}

void tui_write_show(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;
	struct tui_extra extra = {.role = TUI_ROLE_DRAFT};
	struct loom_err err = {.status = LOOM_OK};

	if (!writing) {
		tui_reader_extra(&app->reader, &extra);
		return;
	}
	extra.on = extra.caret = true;
	extra.instead = writing->editing;
	extra.text = tui_edit_text(&writing->edit);
	extra.title = writing->editing ? LOOM_STR("another version, not kept in the tree yet")
				       : LOOM_STR("a draft, yours alone so far");
	tui_reader_extra(&app->reader, &extra);
	tui_reader_see(&app->reader, writing->edit.caret, &err);
}

/* --- drafts --- */

static enum loom_status write_draft(struct loom_store *store, struct tui_job *job,
				    struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	char tree[LOOM_ULID_CHARS + 1] = "";
	char node[LOOM_LOCAL_MAX] = "";
	struct loom_tree row;
	struct loom_node anchor;
	struct loom_str id = {NULL, 0};
	struct loom_draft draft = {.id = loom_buf_str(&job->answer),
				   .kind = job->c ? LOOM_STR("edit") : LOOM_STR("text"),
				   .text = loom_buf_str(&job->text)};
	enum loom_status status = LOOM_OK;

	if (draft.text.n == 0 || job->a == 0) {
		status = draft.id.n ? loom_draft_drop(store, draft.id, err) : LOOM_OK;
	} else {
		status = loom_tree_get(store, job->a, arena, &row, err);
		if (status == LOOM_OK)
			status =
				loom_node_get(store, job->b, LOOM_NODE_NARROW, arena, &anchor, err);
		if (status == LOOM_OK) {
			loom_ulid_text(&row.ulid, tree);
			loom_local_text(row.key, anchor.local, node);
			draft.tree = loom_str_of(tree);
			draft.anchor = loom_str_of(node);
			status = loom_draft_save(store, &draft, arena, &id, err);
		}
		loom_buf_clear(&job->answer);
		loom_buf_add(&job->answer, id);
	}
	loom_arena_destroy(arena);
	return status;
}

static void keep(struct tui_app *app);

static void draft_written(struct tui_app *app, struct tui_job *job, enum loom_status status,
			  const struct loom_err *err)
{
	struct tui_writing *writing = app->writing;

	if (job->a == app->tree.id)
		tui_drafts_again(app);
	if (!writing || writing->anchor != job->b || job->a == 0)
		return;
	writing->saving = false;
	if (!tui_must(app, status, err))
		return;
	loom_buf_clear(&writing->draft);
	loom_buf_add(&writing->draft, loom_buf_str(&job->answer));
	if (writing->kept != writing->edit.changes)
		keep(app);
}

static void post_draft(struct tui_app *app, const struct tui_writing *writing, struct loom_str text)
{
	struct tui_job *job = tui_job_make(app);

	job->run = write_draft;
	job->done = draft_written;
	job->silent = true;
	job->a = app->tree.id;
	job->b = writing->anchor;
	job->c = writing->editing;
	loom_buf_add(&job->text, text);
	loom_buf_add(&job->answer, loom_buf_str(&writing->draft));
	tui_job_post(job);
}

/* One at a time, so that the draft's name is known before the next one. */
static void save(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;

	if (writing->saving || writing->kept == writing->edit.changes)
		return;
	writing->saving = true;
	writing->kept = writing->edit.changes;
	post_draft(app, writing, tui_edit_text(&writing->edit));
}

static void on_keep(void *ctx)
{
	struct tui_app *app = ctx;

	if (!app->writing)
		return;
	app->writing->timer = 0;
	save(app);
}

static void keep(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;

	if (!writing->timer)
		writing->timer = loom_loop_timer(app->loop, KEEP_MS, on_keep, app);
}

/* --- beginning and ending --- */

/* What was left here before comes back. */
static void take_draft(struct tui_app *app, struct tui_writing *writing)
{
	struct loom_draft *drafts = NULL;
	char tree[LOOM_ULID_CHARS + 1];
	const char *kind = writing->editing ? "edit" : "text";
	size_t count = 0;

	loom_ulid_text(&app->tree.ulid, tree);
	if (loom_draft_list(app->store, app->arena, &drafts, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!loom_str_is(drafts[i].tree, tree) ||
		    !loom_str_is(drafts[i].anchor, writing->id) ||
		    !loom_str_is(drafts[i].kind, kind))
			continue;
		tui_edit_set(&writing->edit, drafts[i].text);
		loom_buf_add(&writing->draft, drafts[i].id);
		writing->kept = writing->edit.changes;
		return;
	}
}

static struct tui_writing *begin(struct tui_app *app, bool editing)
{
	struct tui_writing *writing = loom_alloc(sizeof *writing);
	const struct tui_row *row = NULL;

	tui_edit_init(&writing->edit, true);
	loom_buf_init(&writing->original, LOOM_BUF_MAX);
	loom_buf_init(&writing->draft, 256);
	writing->editing = editing;
	writing->anchor = app->position;
	if (tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK)
		snprintf(writing->id, sizeof writing->id, "%s", row->id);
	return writing;
}

static void set_up(struct tui_app *app, struct tui_writing *writing)
{
	take_draft(app, writing);
	app->writing = writing;
	app->focus = TUI_PANE_READER;
	tui_write_show(app);
	tui_presence_say(app, "writing");
}

void tui_write_new(struct tui_app *app)
{
	set_up(app, begin(app, false));
}

void tui_write_edit(struct tui_app *app, size_t at)
{
	struct tui_writing *writing;
	struct loom_node node;
	struct loom_err err;

	if (!tui_must(app,
		      loom_node_get(app->store, app->member, LOOM_NODE_TEXT, app->arena, &node,
				    &err),
		      &err))
		return;
	writing = begin(app, true);
	loom_buf_add(&writing->original, node.text);
	tui_edit_set(&writing->edit, node.text);
	writing->kept = writing->edit.changes;
	set_up(app, writing);
	tui_edit_to(&writing->edit, at);
	tui_write_show(app);
}

static void end(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;

	loom_loop_timer_cancel(app->loop, writing->timer);
	app->writing = NULL;
	tui_edit_fini(&writing->edit);
	loom_buf_fini(&writing->original);
	loom_buf_fini(&writing->draft);
	free(writing);
	tui_write_show(app);
	app->focus = TUI_PANE_TREE;
}

void tui_write_close(struct tui_app *app)
{
	if (!app->writing)
		return;
	for (int rounds = 0; app->writing->saving && rounds < 100; rounds++)
		loom_loop_step(app->loop, 50);
	save(app);
	end(app);
}

/* The draft has become a node. */
static void drop_draft(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;

	for (int rounds = 0; writing->saving && rounds < 40; rounds++)
		loom_loop_step(app->loop, 25);
	if (writing->draft.n)
		post_draft(app, writing, (struct loom_str){NULL, 0});
}

static void continue_after(struct tui_app *app, int64_t number, bool ok)
{
	struct tui_binding binding = {.command = TUI_VERB_CONTINUE};
	struct tui_match match = {.binding = &binding};

	(void)number;
	if (ok)
		tui_verb_command(app, &match);
}

static void commit(struct tui_app *app, bool and_continue)
{
	struct tui_writing *writing = app->writing;
	struct loom_str text = tui_edit_text(&writing->edit);
	bool changed = !loom_str_eq(text, loom_buf_str(&writing->original));
	struct loom_call call = loom_call_of(writing->editing ? LOOM_VERB_EDIT : LOOM_VERB_RESPOND);
	struct tui_run_opts opts = {.done = and_continue ? continue_after : NULL};
	struct loom_buf kept = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char id[LOOM_LOCAL_MAX];

	memcpy(id, writing->id, sizeof id);
	loom_buf_add(&kept, text);
	drop_draft(app);
	end(app);
	call.id = loom_str_of(id);
	call.content = loom_buf_str(&kept);
	if (kept.n && changed)
		tui_run_calls(app, &call, 1, &opts);
	else if (and_continue)
		continue_after(app, 0, true);
	loom_buf_fini(&kept);
}

static void leave(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;

	if (writing->editing) {
		commit(app, false);
		return;
	}
	if (writing->edit.text.n)
		tui_say(app, TUI_ROLE_TEXT, "kept as a draft of %s: i opens it again", writing->id);
	save(app);
	end(app);
}

/* --- keys --- */

bool tui_write_command(struct tui_app *app, const struct tui_match *match)
{
	bool posts = tui_write_posts(app);

	switch ((int)match->binding->command) {
	case TUI_ACTION_TEXT_ENTER:
		if (posts) {
			commit(app, false);
			return true;
		}
		tui_edit_do(&app->writing->edit, TUI_EDIT_NEWLINE);
		break;
	case TUI_ACTION_TEXT_NEWLINE:
		tui_edit_do(&app->writing->edit, TUI_EDIT_NEWLINE);
		break;
	case TUI_ACTION_TEXT_DONE:
		leave(app);
		return true;
	case TUI_ACTION_TEXT_COMMIT:
		commit(app, true);
		return true;
	case TUI_ACTION_EXTERNAL:
		tui_external(app);
		return true;
	default:
		return false;
	}
	keep(app);
	tui_write_show(app);
	return true;
}

bool tui_write_key(struct tui_app *app, struct tui_key key)
{
	struct tui_writing *writing = app->writing;
	uint64_t before = writing->edit.changes;

	if (!tui_edit_key(&writing->edit, key))
		return false;
	if (writing->edit.changes != before)
		keep(app);
	tui_write_show(app);
	return true;
}

void tui_write_paste(struct tui_app *app, struct loom_str text)
{
	tui_edit_insert(&app->writing->edit, text, false);
	keep(app);
	tui_write_show(app);
}

struct loom_str tui_write_text(const struct tui_app *app)
{
	return tui_edit_text(&app->writing->edit);
}

void tui_write_set(struct tui_app *app, struct loom_str text)
{
	tui_edit_replace(&app->writing->edit, 0, app->writing->edit.text.n, text);
	keep(app);
	tui_write_show(app);
}
