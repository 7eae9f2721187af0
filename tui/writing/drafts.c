/* Drafts as rows below their anchors, so that unsent text is not forgotten. The worker that saves
 * them also reads them, as they may be long: when a tree is opened and whenever a draft was saved
 * or deleted, here or by another process. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/copy.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/workers.h>
#include <loom/grove/draft.h>
#include <loom/writing/drafts.h>
#include <loom/writing/external.h>
#include <loom/writing/text_editor.h>

static void read_again(struct tui_app *app);

#define DRAFT_KEY (UINT64_C(1) << 59)
#define QUIET_MS  120

struct found {
	int64_t asked; /* number of the query it answers */
	int64_t root;  /* of the tree */
	struct tui_draft_row rows[TUI_DRAFTS];
	size_t count;
};

/* The node that a draft hangs on; 0 when it is not in this tree. */
static int64_t anchor_of(struct loom_store *store, const struct tui_job *job,
			 const struct loom_draft *draft)
{
	struct loom_node node;

	if (loom_str_eq(draft->tree, loom_buf_str(&job->text)) &&
	    loom_node_find(store, job->tree, draft->anchor, job->arena, &node, NULL) == LOOM_OK)
		return node.group;
	return 0;
}

/* A draft without tree and anchor. */
static bool begins_tree(const struct loom_draft *draft)
{
	return loom_str_is(draft->kind, "text") && !draft->tree.n && !draft->anchor.n;
}

/* Runs on the worker, since drafts may be long. */
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
		int64_t anchor = begins ? found->root : anchor_of(store, job, &drafts[i]);

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

static void show_rows(struct tui_app *app)
{
	for (size_t i = 0; i < app->drafts->count; i++) {
		struct tui_draft_row *row = &app->drafts->rows[i];
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
			tui_cursor_home(app);
		tui_items_remove(app->outline.items, item);
	}
}

static uint32_t item_here(const struct tui_app *app)
{
	for (size_t i = 0; app->drafts->at[0] && i < app->drafts->count; i++)
		if (strcmp(app->drafts->rows[i].id, app->drafts->at) == 0)
			return tui_items_find(app->outline.items, DRAFT_KEY | i);
	return 0;
}

static uint64_t last_row(const struct tui_app *app)
{
	uint64_t last = 0;

	for (size_t i = 0; i < app->drafts->count; i++) {
		uint32_t item = tui_items_find(app->outline.items, DRAFT_KEY | i);
		uint64_t row = item && app->drafts->rows[i].anchor == app->position &&
					       tui_items_shown(app->outline.items, item)
				       ? tui_items_row(app->outline.items, item)
				       : 0;

		last = row > last ? row : last;
	}
	return last;
}

/* A draft that was just left has a row before it has a file. */
static void add_pending(const struct tui_app *app, struct found *found,
			const struct tui_draft_row *row)
{
	if (!row->pending || found->count == TUI_DRAFTS)
		return;
	if (row->sent && !tui_unsent_leaves(app, loom_str_of(row->id)))
		return;
	for (size_t i = 0; i < found->count; i++)
		if (strcmp(found->rows[i].id, row->id) == 0)
			return;
	found->rows[found->count++] = *row;
}

void tui_drafts_written(struct tui_app *app, const char *id)
{
	bool tells = app->news->watch != NULL;

	for (size_t i = 0; i < app->drafts->count; i++) {
		struct tui_draft_row *row = &app->drafts->rows[i];

		if (strcmp(row->id, id) != 0)
			continue;
		tells = tells && !row->sent; /* nor of a file that there never was */
		row->pending = row->sent && tui_unsent_leaves(app, loom_str_of(id));
	}
	if (!tells)
		read_again(app);
}

static void choose(struct tui_app *app, const struct tui_draft_row *draft);

/* Replaces the rows by those just read. */
static void take_rows(struct tui_app *app, struct found *found)
{
	uint32_t item;

	remove_rows(app);
	for (size_t i = 0; i < app->drafts->count; i++)
		add_pending(app, found, &app->drafts->rows[i]);
	app->drafts->count = 0;
	for (size_t i = 0; i < found->count; i++) {
		struct tui_draft_row *row = &found->rows[i];

		row->sent = tui_unsent_leaves(app, loom_str_of(row->id));
		if (!row->sent || app->log)
			app->drafts->rows[app->drafts->count++] = *row;
	}
	show_rows(app);
	item = item_here(app);
	if (item)
		tui_set_cursor(app, item);
	else
		choose(app, NULL);
}

static void read_done(struct tui_app *app, struct tui_job *job, enum loom_status status,
		      const struct loom_err *err)
{
	struct found *found = job->own;

	(void)err;
	/* After another save a newer query is on its way. */
	if (status != LOOM_OK || job->tree != app->tree.id || found->asked != app->drafts->asked)
		return;
	take_rows(app, found);
	if (!job->silent)
		tui_keep_in_sight(app);
}

/* Reads the drafts again; the rows follow. */
static void read_again(struct tui_app *app)
{
	struct tui_job *job = tui_job_make(app);
	struct found *found = LOOM_ARENA_NEW(job->arena, struct found);
	char tree[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&app->tree.ulid, tree);
	loom_buf_adds(&job->text, tree);
	found->root = app->tree.root;
	found->asked = ++app->drafts->asked;
	job->own = found;
	/* When a tree is opened its drafts belong to the first frame. */
	job->silent = app->drafts->of == app->tree.id;
	app->drafts->of = app->tree.id;
	job->run = read_all;
	job->done = read_done;
	tui_job_file(job);
}

/* Removes the rows. */
static void leave(struct tui_app *app)
{
	struct found none = {.count = 0};

	app->drafts->asked++;
	take_rows(app, &none);
}

static void on_quiet(void *ctx)
{
	struct tui_app *app = ctx;

	app->drafts->timer = 0;
	read_again(app);
}

/* A long draft is not read again for every notice about it. */
static void look(struct tui_app *app)
{
	if (app->news->watch && loom_watch_drafts(app->news->watch) && !app->drafts->timer)
		app->drafts->timer = loom_loop_timer(app->loop, QUIET_MS, on_quiet, app);
}

const struct tui_draft_row *tui_drafts_at(const struct tui_app *app, uint32_t item)
{
	const struct tui_item *what = item ? tui_items_get(app->outline.items, item) : NULL;
	size_t at;

	if (!what || !(what->flags & TUI_OUTLINE_GHOST) || !(what->key & DRAFT_KEY))
		return NULL;
	at = (size_t)(what->key & ~DRAFT_KEY);
	return at < app->drafts->count ? &app->drafts->rows[at] : NULL;
}

static void say_ways(struct tui_app *app, const char *what)
{
	tui_say(app, TUI_ROLE_TEXT, "%s · C-s commits · c also continues · i opens · x deletes",
		what);
}

/* Moves the cursor to the draft's row, unfolding it if need be. */
static void show_at(struct tui_app *app, const struct tui_draft_row *row)
{
	uint32_t anchor = tui_items_find(app->outline.items, (uint64_t)row->anchor);
	uint32_t item;

	if (anchor && tui_items_folded(app->outline.items, anchor))
		(void)!tui_outline_open(&app->outline, anchor, NULL);
	show_rows(app);
	item = tui_items_find(app->outline.items, DRAFT_KEY | (uint64_t)(row - app->drafts->rows));
	if (item)
		tui_cursor_to(app, item);
}

/* The first draft at the position, or else the first of all. */
static size_t first_here(const struct tui_app *app)
{
	for (size_t i = 0; i < app->drafts->count; i++)
		if (app->drafts->rows[i].anchor == app->position)
			return i;
	return 0;
}

/* Moves to the next draft and says what can be done with it. */
static void go_next(struct tui_app *app)
{
	size_t at = 0;

	if (app->drafts->count == 0) {
		tui_say(app, TUI_ROLE_DIM, "no drafts in this tree");
		return;
	}
	while (at < app->drafts->count && strcmp(app->drafts->rows[at].id, app->drafts->at) != 0)
		at++;
	if (at < app->drafts->count)
		at = at + 1 < app->drafts->count ? at + 1 : 0;
	else
		at = first_here(app);
	if (strcmp(app->drafts->rows[at].id, app->drafts->at) == 0) {
		say_ways(app, "a draft");
		return;
	}
	if (!tui_go(app, app->drafts->rows[at].anchor, TUI_GO_JUMP))
		return;
	show_at(app, &app->drafts->rows[at]);
	say_ways(app, "a draft");
}

/* --- the one under the cursor --- */

static void choose(struct tui_app *app, const struct tui_draft_row *draft)
{
	struct loom_draft whole;

	if (strcmp(draft ? draft->id : "", app->drafts->at) == 0)
		return;
	snprintf(app->drafts->at, sizeof app->drafts->at, "%s", draft ? draft->id : "");
	loom_buf_clear(&app->drafts->text);
	if (draft &&
	    tui_must(app,
		     loom_draft_get(app->store, loom_str_of(draft->id), app->arena, &whole, NULL),
		     NULL))
		loom_buf_add(&app->drafts->text, whole.text);
	tui_write_show(app);
}

void tui_drafts_extra(const struct tui_app *app, struct tui_extra *extra)
{
	const struct tui_draft_row *draft = tui_drafts_at(app, app->cursor);

	if (!draft || !app->drafts->at[0])
		return;
	extra->on = true;
	extra->instead = draft->edit;
	extra->text = loom_buf_str(&app->drafts->text);
	extra->title = draft->sent     ? LOOM_STR("sent, not saved yet")
		       : draft->edit   ? LOOM_STR("draft of another version")
		       : draft->begins ? LOOM_STR(TUI_BEGINNING)
				       : LOOM_STR("draft (only you see it)");
}

void tui_drafts_left(struct tui_app *app, const struct tui_unsent *what, struct loom_str text)
{
	size_t at = 0;
	struct tui_draft_row *row;

	while (at < app->drafts->count && strcmp(app->drafts->rows[at].id, what->id) != 0)
		at++;
	if (at == TUI_DRAFTS)
		return;
	app->drafts->count += at == app->drafts->count;
	row = &app->drafts->rows[at];
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
	loom_buf_clear(&app->drafts->text);
	loom_buf_add(&app->drafts->text, text);
	memcpy(app->drafts->at, what->id, sizeof app->drafts->at);
	show_at(app, row);
	tui_write_show(app);
	say_ways(app, "kept as a draft");
}

void tui_drafts_sent(struct tui_app *app, const struct tui_unsent *what, int64_t anchor,
		     struct loom_str text)
{
	size_t at = 0;
	struct tui_draft_row *row;

	if (!app->log || what->tree_id != app->tree.id)
		return;
	while (at < app->drafts->count && strcmp(app->drafts->rows[at].id, what->id) != 0)
		at++;
	if (at == TUI_DRAFTS)
		return;
	app->drafts->count += at == app->drafts->count;
	row = &app->drafts->rows[at];
	*row = (struct tui_draft_row){.anchor = anchor,
				      .edit = what->editing,
				      .pending = true,
				      .sent = true};
	memcpy(row->id, what->id, sizeof row->id);
	row->text_n = (uint8_t)tui_text_head(text, row->text, sizeof row->text);
	show_rows(app);
}

static void drop_it(struct tui_app *app)
{
	struct tui_unsent what;

	tui_unsent_make(app, &what);
	memcpy(what.id, app->drafts->at, sizeof what.id);
	tui_drafts_written(app, what.id);
	tui_unsent_keep(app, &what, (struct loom_str){NULL, 0}, NULL);
	tui_say(app, TUI_ROLE_OK, "draft deleted");
}

/* Another window that writes it would write it again. */
static bool is_elsewhere(struct tui_app *app, const struct tui_draft_row *draft)
{
	const struct loom_str id = loom_str_of(draft->id);
	struct loom_err err;
	int hold = -1;

	if (!tui_must(app, loom_draft_hold(app->store, id, &hold, &err), &err))
		return true;
	loom_draft_release(app->store, id, hold);
	return false;
}

/* `then` as for tui_unsent_commit. */
static void commit_it(struct tui_app *app, const struct tui_draft_row *draft, int then)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct tui_unsent what;
	const struct tui_row *row = NULL;

	if (is_elsewhere(app, draft) ||
	    tui_rows_get(&app->rows, draft->anchor, &row, NULL) != LOOM_OK)
		return;
	tui_unsent_make(app, &what);
	memcpy(what.id, draft->id, sizeof what.id);
	snprintf(what.anchor, sizeof what.anchor, "%s", row->id);
	if (draft->begins)
		tui_unsent_uproot(&what);
	what.editing = draft->edit;
	loom_buf_add(&text, loom_buf_str(&app->drafts->text));
	tui_unsent_commit(app, &what, loom_buf_str(&text), then);
	if (!draft->begins)
		tui_drafts_sent(app, &what, draft->anchor, loom_buf_str(&text));
	leave(app);
	read_again(app);
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

/* --- the draft under the cursor as a view --- */

static const struct tui_draft_row *here(const struct tui_app *app)
{
	return tui_drafts_at(app, app->cursor);
}

static bool is_sent(struct tui_app *app)
{
	const struct tui_draft_row *draft = here(app);

	if (!draft || !draft->sent)
		return false;
	tui_say(app, TUI_ROLE_DIM, "sent, not saved yet");
	return true;
}

TUI_MEANS(open_here)
{
	const struct tui_draft_row *draft = here(app);

	if (!draft || is_sent(app))
		return draft != NULL;
	open_it(app, draft);
	if (by)
		tui_external(app);
	return true;
}

TUI_MEANS(commit_here)
{
	const struct tui_draft_row *draft = here(app);

	if (draft && !is_sent(app))
		commit_it(app, draft, by ? match->count + 1 : 0);
	return draft != NULL;
}

TUI_MEANS(ask_drop)
{
	const struct tui_draft_row *draft = here(app);

	if (is_sent(app) || (draft && is_elsewhere(app, draft)))
		return true;
	app->asked = drop_it;
	tui_say(app, TUI_ROLE_WARN, "delete this draft? y/n");
	return true;
}

TUI_MEANS(copy_it)
{
	tui_copy(app, loom_buf_str(&app->drafts->text), "the draft");
	return true;
}

/* Commands about a node: a draft is none, and its anchor is not meant. */
TUI_MEANS(no_node)
{
	say_ways(app, "this is a draft");
	return true;
}

static bool is_there(const struct tui_app *app)
{
	return !app->list && here(app);
}

static bool on_command(struct tui_app *app, const struct tui_match *match)
{
	static const struct tui_meaning means[] = {
		{TUI_VERB_VIEW, open_here, 0},       {TUI_VERB_RESPOND, open_here, 0},
		{TUI_VERB_EDIT, open_here, 0},       {TUI_ACTION_EXTERNAL, open_here, 1},
		{TUI_VERB_CONTINUE, commit_here, 1}, {TUI_ACTION_COMMIT, commit_here, 0},
		{TUI_VERB_PRUNE, ask_drop, 0},       {TUI_ACTION_COPY, copy_it, 0},
		{TUI_VERB_BOOKMARK, no_node, 0},     {TUI_VERB_TAG, no_node, 0},
		{TUI_VERB_ANNOTATE, no_node, 0},     {TUI_VERB_PIN, no_node, 0},
		{TUI_VERB_STASH, no_node, 0},        {TUI_ACTION_KEEP_ONLY, no_node, 0},
		{TUI_ACTION_RETRY, no_node, 0},      {TUI_ACTION_CONTINUE_WITH, no_node, 0},
		{TUI_ACTION_BRANCH, no_node, 0},     {TUI_ACTION_NEWER, no_node, 0},
		{TUI_ACTION_OLDER, no_node, 0},      {TUI_ACTION_SELECT, no_node, 0},
		{TUI_ACTION_MARK, no_node, 0},       {TUI_ACTION_COPY_PATH, no_node, 0},
		{.command = TUI_COMMAND_NONE},
	};

	return tui_means(means, app, match);
}

static int64_t anchor_at(const struct tui_app *app, uint32_t item)
{
	const struct tui_draft_row *draft = tui_drafts_at(app, item);

	return draft ? draft->anchor : 0;
}

static void chosen(struct tui_app *app, uint32_t item)
{
	choose(app, tui_drafts_at(app, item));
}

/* A tree was entered, or none is shown. */
static void entered(struct tui_app *app)
{
	app->drafts->count = 0;
	if (!app->tree.id) {
		app->drafts->at[0] = '\0';
		tui_write_show(app);
	}
	app->drafts->of = -1;
	read_again(app);
}

static void begin(struct tui_app *app)
{
	app->drafts = loom_alloc(sizeof *app->drafts);
	loom_buf_init(&app->drafts->text, LOOM_BUF_MAX);
}

static void closed(struct tui_app *app)
{
	loom_buf_fini(&app->drafts->text);
	free(app->drafts);
}

static const char *word(struct tui_app *app, enum tui_command command, const char *usual)
{
	(void)app;
	return command == TUI_VERB_PRUNE      ? "delete"
	       : command == TUI_VERB_CONTINUE ? "save and continue"
	       : command == TUI_ACTION_COMMIT ? "save"
	       : command == TUI_VERB_RESPOND  ? "open"
					      : usual;
}

bool tui_draft_here(const struct tui_app *app)
{
	return is_there(app);
}

const char *tui_draft_word(enum tui_command command)
{
	return command == TUI_VERB_PRUNE      ? "Delete this draft"
	       : command == TUI_VERB_CONTINUE ? "Save it as a node, and continue from there"
	       : command == TUI_ACTION_COMMIT ? "Save it as a node"
	       : command == TUI_VERB_RESPOND  ? "Open it to go on writing"
					      : tui_command_info(command)->summary;
}

static bool offers(const struct tui_app *app, enum tui_command command)
{
	(void)app;
	return command != TUI_ACTION_COMPARE && command != TUI_ACTION_SIBLING_NEXT;
}

const struct tui_view tui_view_draft = {
	.there = is_there,
	.command = on_command,
	.word = word,
	.offers = offers,
	.anchor = anchor_at,
	.chosen = chosen,
	.claims = item_here,
	.last_row = last_row,
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_ENTERED] = entered,
		 [TUI_TOLD_ROWS] = show_rows,
		 [TUI_TOLD_NOTICED] = look,
		 [TUI_TOLD_CLOSED] = closed},
};

TUI_DO(GO_DRAFT)
{
	go_next(app);
}

/* The view of a draft does it; elsewhere there is nothing to commit. */
TUI_DO(COMMIT)
{
	tui_stuck(app, "there is no draft here to commit · gd goes to one");
}
