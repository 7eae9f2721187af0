/* Drafts as rows under their anchors, so that nobody forgets what is not said yet. Read when the
 * tree is opened and whenever one was kept or dropped, here or by another process; by the worker
 * that keeps them, for they may be long. */
#include <loom/desk/desk.h>

#define DRAFT_KEY (UINT64_C(1) << 59)
#define QUIET_MS  120

struct found {
	struct tui_draft_row rows[TUI_DRAFTS];
	size_t count;
};

/* Which node it hangs on; 0: none of this tree. */
static int64_t anchor_of(struct loom_store *store, const struct tui_job *job,
			 const struct loom_draft *draft)
{
	struct loom_node node;

	if (loom_str_eq(draft->tree, loom_buf_str(&job->text)) &&
	    loom_node_find(store, job->a, draft->anchor, job->arena, &node, NULL) == LOOM_OK)
		return node.group;
	return 0;
}

/* A text of no tree that hangs on nothing. */
static bool begins_tree(const struct loom_draft *draft)
{
	return loom_str_is(draft->kind, "text") && !draft->tree.n && !draft->anchor.n;
}

/* They may be long: read beside the keys. */
static enum loom_status read_all(struct loom_store *store, struct tui_job *job,
				 struct loom_err *err)
{
	struct found *found = job->own;
	struct loom_draft *drafts = NULL;
	size_t count = 0;
	enum loom_status status = loom_draft_list(store, job->arena, &drafts, &count, err);

	for (size_t i = 0; i < count && found->count < TUI_DRAFTS; i++) {
		struct tui_draft_row *row = &found->rows[found->count];
		bool begins = begins_tree(&drafts[i]);
		int64_t anchor = begins ? job->c : anchor_of(store, job, &drafts[i]);

		if (!begins && !anchor)
			continue;
		*row = (struct tui_draft_row){.anchor = anchor,
					      .edit = loom_str_is(drafts[i].kind, "edit"),
					      .begins = begins};
		snprintf(row->id, sizeof row->id, "%.*s", LOOM_STR_ARG(drafts[i].id));
		row->text_n = (uint8_t)tui_text_head(drafts[i].text, row->text, sizeof row->text);
		found->count++;
	}
	return status;
}

void tui_drafts_show(struct tui_app *app)
{
	for (size_t i = 0; i < app->draft_count; i++) {
		struct tui_draft_row *row = &app->drafts[i];
		uint32_t anchor = tui_items_find(app->outline.items, (uint64_t)row->anchor);

		if (tui_items_find(app->outline.items, DRAFT_KEY | i) || !anchor ||
		    !tui_items_shown(app->outline.items, anchor) ||
		    tui_items_folded(app->outline.items, anchor))
			continue;
		tui_outline_ghost(&app->outline, row->anchor, DRAFT_KEY | i);
	}
}

static void remove_rows(struct tui_app *app)
{
	for (size_t i = 0; i < TUI_DRAFTS; i++) {
		uint32_t item = tui_items_find(app->outline.items, DRAFT_KEY | i);
		if (!item)
			continue;
		if (app->cursor == item)
			app->cursor = tui_items_find(app->outline.items, (uint64_t)app->position);
		tui_items_remove(app->outline.items, item);
	}
	if (!app->cursor)
		app->cursor = tui_items_at(app->outline.items, 0, NULL);
}

uint32_t tui_drafts_item(const struct tui_app *app)
{
	for (size_t i = 0; app->draft_at[0] && i < app->draft_count; i++)
		if (strcmp(app->drafts[i].id, app->draft_at) == 0)
			return tui_items_find(app->outline.items, DRAFT_KEY | i);
	return 0;
}

uint64_t tui_drafts_last_row(const struct tui_app *app)
{
	uint64_t last = 0;

	for (size_t i = 0; i < app->draft_count; i++) {
		uint32_t item = tui_items_find(app->outline.items, DRAFT_KEY | i);
		uint64_t row = item && app->drafts[i].anchor == app->position &&
					       tui_items_shown(app->outline.items, item)
				       ? tui_items_row(app->outline.items, item)
				       : 0;

		last = row > last ? row : last;
	}
	return last;
}

/* One that was left just now has its row before it has its file. */
static void add_pending(struct found *found, const struct tui_draft_row *row)
{
	if (!row->pending || found->count == TUI_DRAFTS)
		return;
	for (size_t i = 0; i < found->count; i++)
		if (strcmp(found->rows[i].id, row->id) == 0)
			return;
	found->rows[found->count++] = *row;
}

void tui_drafts_written(struct tui_app *app, const char *id)
{
	for (size_t i = 0; i < app->draft_count; i++)
		if (strcmp(app->drafts[i].id, id) == 0)
			app->drafts[i].pending = false;
	if (!app->watch) /* which would tell of it */
		tui_drafts_again(app);
}

/* The rows go, and come back as they are now. */
static void take_rows(struct tui_app *app, struct found *found)
{
	uint32_t item;

	remove_rows(app);
	for (size_t i = 0; i < app->draft_count; i++)
		add_pending(found, &app->drafts[i]);
	app->draft_count = 0;
	for (size_t i = 0; i < found->count; i++)
		if (!tui_unsent_leaves(app, loom_str_of(found->rows[i].id)))
			app->drafts[app->draft_count++] = found->rows[i];
	tui_drafts_show(app);
	item = tui_drafts_item(app);
	if (item)
		app->cursor = item;
	else
		tui_drafts_select(app, NULL);
}

static void read_done(struct tui_app *app, struct tui_job *job, enum loom_status status,
		      const struct loom_err *err)
{
	(void)err;
	/* A newer question is on its way when something was kept since. */
	if (status != LOOM_OK || job->a != app->tree.id || job->b != app->drafts_asked)
		return;
	take_rows(app, job->own);
	if (!job->silent)
		tui_keep_in_sight(app);
}

void tui_drafts_again(struct tui_app *app)
{
	struct tui_job *job = tui_job_make(app);
	char tree[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&app->tree.ulid, tree);
	loom_buf_adds(&job->text, tree);
	job->own = LOOM_ARENA_NEW(job->arena, struct found);
	job->a = app->tree.id;
	job->c = app->tree.root;
	/* When a tree is opened they belong to its first picture. */
	job->silent = app->drafts_of == app->tree.id;
	app->drafts_of = app->tree.id;
	job->b = ++app->drafts_asked;
	job->run = read_all;
	job->done = read_done;
	tui_job_file(job);
}

/* Takes the rows away. */
static void leave(struct tui_app *app)
{
	struct found none = {.count = 0};

	app->drafts_asked++;
	take_rows(app, &none);
}

static void on_quiet(void *ctx)
{
	struct tui_app *app = ctx;

	app->drafts_timer = 0;
	tui_drafts_again(app);
}

/* A long one is not read anew for every notice of it. */
void tui_drafts_look(struct tui_app *app)
{
	if (app->watch && loom_watch_drafts(app->watch) && !app->drafts_timer)
		app->drafts_timer = loom_loop_timer(app->loop, QUIET_MS, on_quiet, app);
}

const struct tui_draft_row *tui_drafts_at(const struct tui_app *app, uint32_t item)
{
	const struct tui_item *what = item ? tui_items_get(app->outline.items, item) : NULL;
	size_t at;

	if (!what || !(what->flags & TUI_OUTLINE_GHOST) || !(what->key & DRAFT_KEY))
		return NULL;
	at = (size_t)(what->key & ~DRAFT_KEY);
	return at < app->draft_count ? &app->drafts[at] : NULL;
}

static void say_ways(struct tui_app *app, const char *what)
{
	tui_say(app, TUI_ROLE_TEXT, "%s · c commits it and goes on · i opens it · x drops it",
		what);
}

/* Its row gets the cursor, unfolded to if need be. */
static void show_at(struct tui_app *app, const struct tui_draft_row *row)
{
	uint32_t anchor = tui_items_find(app->outline.items, (uint64_t)row->anchor);
	uint32_t item;

	if (anchor && tui_items_folded(app->outline.items, anchor))
		(void)!tui_outline_open(&app->outline, anchor, NULL);
	tui_drafts_show(app);
	item = tui_items_find(app->outline.items, DRAFT_KEY | (uint64_t)(row - app->drafts));
	if (item)
		tui_cursor_to(app, item);
}

/* The first that hangs on where one stands, else the first of all. */
static size_t first_here(const struct tui_app *app)
{
	for (size_t i = 0; i < app->draft_count; i++)
		if (app->drafts[i].anchor == app->position)
			return i;
	return 0;
}

/* To the next one, and what can be done with it. */
void tui_drafts_go(struct tui_app *app)
{
	size_t at = 0;

	if (app->draft_count == 0) {
		tui_say(app, TUI_ROLE_DIM, "no drafts in this tree");
		return;
	}
	while (at < app->draft_count && strcmp(app->drafts[at].id, app->draft_at) != 0)
		at++;
	if (at < app->draft_count)
		at = at + 1 < app->draft_count ? at + 1 : 0;
	else
		at = first_here(app);
	if (!tui_go(app, app->drafts[at].anchor, TUI_GO_JUMP))
		return;
	show_at(app, &app->drafts[at]);
	say_ways(app, "a draft");
}

/* --- the one under the cursor --- */

void tui_drafts_select(struct tui_app *app, const struct tui_draft_row *draft)
{
	struct loom_draft whole;

	if (strcmp(draft ? draft->id : "", app->draft_at) == 0)
		return;
	snprintf(app->draft_at, sizeof app->draft_at, "%s", draft ? draft->id : "");
	loom_buf_clear(&app->draft_text);
	if (draft &&
	    tui_must(app,
		     loom_draft_get(app->store, loom_str_of(draft->id), app->arena, &whole, NULL),
		     NULL))
		loom_buf_add(&app->draft_text, whole.text);
	tui_write_show(app);
}

void tui_drafts_extra(const struct tui_app *app, struct tui_extra *extra)
{
	const struct tui_draft_row *draft = tui_drafts_at(app, app->cursor);

	if (!draft || !app->draft_at[0])
		return;
	extra->on = true;
	extra->instead = draft->edit;
	extra->text = loom_buf_str(&app->draft_text);
	extra->title = draft->edit     ? LOOM_STR("another version, a draft")
		       : draft->begins ? LOOM_STR(TUI_BEGINNING)
				       : LOOM_STR("a draft, yours alone so far");
}

void tui_drafts_left(struct tui_app *app, const struct tui_unsent *what, struct loom_str text)
{
	size_t at = 0;
	struct tui_draft_row *row;

	while (at < app->draft_count && strcmp(app->drafts[at].id, what->id) != 0)
		at++;
	if (at == TUI_DRAFTS)
		return;
	app->draft_count += at == app->draft_count;
	row = &app->drafts[at];
	*row = (struct tui_draft_row){.anchor = what->tree_id ? app->position : app->tree.root,
				      .edit = what->editing,
				      .begins = !what->tree_id,
				      .pending = true};
	memcpy(row->id, what->id, sizeof row->id);
	row->text_n = (uint8_t)tui_text_head(text, row->text, sizeof row->text);
	if (!app->tree.id) {
		tui_say(app, TUI_ROLE_TEXT, "kept as a draft · i opens it");
		return;
	}
	loom_buf_clear(&app->draft_text);
	loom_buf_add(&app->draft_text, text);
	memcpy(app->draft_at, what->id, sizeof app->draft_at);
	show_at(app, row);
	tui_write_show(app);
	say_ways(app, "kept as a draft");
}

static void drop_it(struct tui_app *app)
{
	struct tui_unsent what;

	tui_unsent_make(app, &what);
	memcpy(what.id, app->draft_at, sizeof what.id);
	tui_drafts_written(app, what.id);
	tui_unsent_keep(app, &what, (struct loom_str){NULL, 0}, NULL);
	tui_say(app, TUI_ROLE_OK, "the draft is gone");
}

static void commit_it(struct tui_app *app, const struct tui_draft_row *draft, int count)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct tui_unsent what;
	const struct tui_row *row = NULL;

	if (tui_rows_get(&app->rows, draft->anchor, &row, NULL) != LOOM_OK)
		return;
	tui_unsent_make(app, &what);
	memcpy(what.id, draft->id, sizeof what.id);
	snprintf(what.anchor, sizeof what.anchor, "%s", row->id);
	if (draft->begins)
		tui_unsent_uproot(&what);
	what.editing = draft->edit;
	loom_buf_add(&text, loom_buf_str(&app->draft_text));
	tui_unsent_commit(app, &what, loom_buf_str(&text), count + 1);
	leave(app);
	tui_drafts_again(app);
	loom_buf_fini(&text);
}

static void open_it(struct tui_app *app, const struct tui_draft_row *draft)
{
	if (draft->edit)
		tui_write_edit(app, 0);
	else if (draft->begins)
		tui_write_beginning(app);
	else
		tui_write_new(app);
}

/* Whether a key speaks of the node under the cursor: here there is none, and its anchor is not
 * meant. */
static bool means_node(int command)
{
	static const int commands[] = {
		TUI_VERB_BOOKMARK, TUI_VERB_TAG,
		TUI_VERB_ANNOTATE, TUI_VERB_PIN,
		TUI_VERB_STASH,    TUI_ACTION_KEEP_ONLY,
		TUI_ACTION_RETRY,  TUI_ACTION_CONTINUE_WITH,
		TUI_ACTION_BRANCH, TUI_ACTION_NEWER,
		TUI_ACTION_OLDER,  TUI_ACTION_SELECT,
		TUI_ACTION_MARK,   TUI_ACTION_COPY_PATH,
	};

	for (size_t i = 0; i < LOOM_COUNT(commands); i++)
		if (commands[i] == command)
			return true;
	return false;
}

bool tui_drafts_command(struct tui_app *app, const struct tui_match *match)
{
	const struct tui_draft_row *draft = tui_drafts_at(app, app->cursor);

	if (!draft)
		return false;
	switch ((int)match->binding->command) {
	case TUI_VERB_VIEW:
	case TUI_VERB_RESPOND:
	case TUI_VERB_EDIT:
		open_it(app, draft);
		return true;
	case TUI_ACTION_EXTERNAL:
		open_it(app, draft);
		tui_external(app);
		return true;
	case TUI_VERB_CONTINUE:
		commit_it(app, draft, match->count);
		return true;
	case TUI_VERB_PRUNE:
		app->asked = drop_it;
		tui_say(app, TUI_ROLE_WARN, "throw this draft away for good? y does");
		return true;
	case TUI_ACTION_COPY:
		tui_copy(app, loom_buf_str(&app->draft_text), "the draft");
		return true;
	default:
		if (!means_node((int)match->binding->command))
			return false;
		say_ways(app, "this is a draft");
		return true;
	}
}
