/* The text being written: below a node, or as another version of one. unsent.c saves it as a draft
 * within a second of the last key, so neither leaving nor a crash loses any of it.
 *
 * In a dialogue Enter posts it; in a buffer Enter is a line break and Esc leaves. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/do_line.h>
#include <loom/desk/others.h>
#include <loom/grove/draft.h>
#include <loom/parts/lineedit.h>
#include <loom/text/sections.h>
#include <loom/text/width.h>
#include <loom/writing/drafts.h>
#include <loom/writing/external.h>
#include <loom/writing/length.h>
#include <loom/writing/text_editor.h>

static bool write_key(struct tui_app *app, struct tui_key key);

#define KEEP_MS 600

struct tui_writing {
	struct tui_edit edit;
	struct loom_buf shown; /* the text with fold labels, when something is folded */
	struct tui_folds labels;
	struct tui_unsent what;
	struct loom_buf original;
	uint64_t kept; /* the edit's change count when last saved */
	bool on_disk;  /* saved as a draft */
	bool counted;  /* its words, when its change count was counted_at */
	uint64_t counted_at;
	int64_t words;
	int64_t before; /* words of the version that is edited */
	struct tui_length length;
	int hold;            /* keeps other windows from writing this draft */
	bool elsewhere;      /* another window writes a draft here */
	enum tui_pane focus; /* the focus before writing */
	uint64_t timer;
};

size_t tui_write_caret(const struct tui_app *app)
{
	const struct tui_edit *edit = app->writing ? &app->writing->edit : NULL;

	return edit ? tui_folds_shown_at(&edit->folds, edit->caret) : 0;
}

/* Enter sends a new message; in prose and in edits it is a line break. */
bool tui_write_posts(const struct tui_app *app)
{
	const struct tui_unsent *what = &app->writing->what;

	return (app->tree.mode == LOOM_DIALOGUE || !what->tree_id) && !what->editing;
}

/* "1,234", or with a goal "1,234 of 50,000". */
static void say_length(struct loom_buf *out, const char *what, int64_t words, int64_t goal)
{
	loom_buf_addf(out, " · %s ", what);
	loom_buf_adds(out, words < 0 ? "-" : "");
	loom_buf_add_count(out, (uint64_t)(words < 0 ? -words : words));
	if (!goal)
		return;
	loom_buf_adds(out, " of ");
	loom_buf_add_count(out, (uint64_t)goal);
}

/* In a narrow line only what has a goal is said. */
static void say_lengths(const struct tui_writing *writing, bool wide, struct loom_buf *out)
{
	const struct tui_length *length = &writing->length;
	const int64_t more = writing->words - writing->before;

	if (!length->known)
		return;
	if (wide || length->goal.text)
		say_length(out, "text", length->text + more, length->goal.text);
	if (wide || length->goal.session)
		say_length(out, "session", length->session + more, length->goal.session);
}

void tui_write_measured(struct tui_app *app, const char *id, const struct tui_length *length)
{
	if (app->writing && strcmp(app->writing->what.id, id) == 0)
		app->writing->length = *length;
}

void tui_write_status(struct tui_app *app, int room, struct loom_buf *out)
{
	struct tui_writing *writing = app->writing;
	size_t words;

	if (!writing->counted || writing->counted_at != writing->edit.changes) {
		writing->counted = true;
		writing->counted_at = writing->edit.changes;
		writing->words = loom_word_count(tui_edit_text(&writing->edit));
	}
	loom_buf_add_count(out, (uint64_t)writing->words);
	loom_buf_addf(out, " %s", loom_plural(writing->words, "word", "words"));
	words = out->n;
	say_lengths(writing, true, out);
	if ((int)loom_str_width(loom_buf_str(out)) > room / 2) {
		loom_buf_cut(out, words);
		say_lengths(writing, false, out);
	}
}

void tui_write_show(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;
	struct tui_extra extra = {.role = TUI_ROLE_DRAFT};
	struct loom_err err = {.status = LOOM_OK};

	if (!writing) {
		tui_drafts_extra(app, &extra);
		if (!extra.on)
			tui_unsent_extra(app, &extra);
		tui_reader_extra(&app->reader, &extra);
		return;
	}
	extra.on = extra.caret = true;
	extra.instead = writing->what.editing;
	extra.text = tui_edit_shown(&writing->edit, &writing->shown, &writing->labels);
	extra.labels = &writing->labels;
	extra.title = writing->what.editing   ? LOOM_STR("another version, not in the tree yet")
		      : writing->what.tree_id ? LOOM_STR("draft (only you see it)")
					      : LOOM_STR(TUI_BEGINNING);
	tui_reader_extra(&app->reader, &extra);
	tui_reader_see(&app->reader, tui_write_caret(app), &err);
}

/* --- drafts --- */

static void save(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;

	if (writing->kept == writing->edit.changes)
		return;
	writing->kept = writing->edit.changes;
	writing->on_disk = true;
	tui_unsent_keep(app, &writing->what, tui_edit_text(&writing->edit), &writing->edit.folds);
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

/* Resumes what was left here: the draft under the cursor, or else the newest. */
static void take_draft(struct tui_app *app, struct tui_writing *writing)
{
	struct loom_draft *drafts = NULL;
	const char *kind = writing->what.editing ? "edit" : "text";
	size_t count = 0;

	if (loom_draft_list(app->store, app->arena, &drafts, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!loom_str_is(drafts[i].tree, writing->what.tree) ||
		    !loom_str_is(drafts[i].anchor, writing->what.anchor) ||
		    !loom_str_is(drafts[i].kind, kind) || tui_unsent_leaves(app, drafts[i].id) ||
		    (app->drafts->at[0] && !loom_str_is(drafts[i].id, app->drafts->at)))
			continue;
		if (loom_draft_hold(app->store, drafts[i].id, &writing->hold, NULL) != LOOM_OK) {
			writing->elsewhere = true;
			continue;
		}
		tui_edit_set(&writing->edit, drafts[i].text);
		tui_edit_folds(&writing->edit, drafts[i].folds);
		snprintf(writing->what.id, sizeof writing->what.id, "%.*s",
			 LOOM_STR_ARG(drafts[i].id));
		writing->on_disk = true;
		writing->kept = writing->edit.changes;
		return;
	}
}

/* The draft is this window's as long as it is written here; one of its own, if another window has
 * it. */
static void hold_draft(struct tui_app *app, struct tui_writing *writing)
{
	struct loom_err err = {.status = LOOM_OK};

	writing->hold = -1;
	take_draft(app, writing);
	if (writing->hold < 0)
		tui_must(app,
			 loom_draft_hold(app->store, loom_str_of(writing->what.id), &writing->hold,
					 &err),
			 &err);
	if (writing->elsewhere)
		tui_say(app, TUI_ROLE_WARN,
			"also open in another window: this is a draft of its own");
}

static struct tui_writing *begin(struct tui_app *app, bool editing)
{
	struct tui_writing *writing = loom_alloc(sizeof *writing);
	const struct tui_row *row = NULL;

	tui_edit_init(&writing->edit, true);
	loom_buf_init(&writing->original, LOOM_BUF_MAX);
	loom_buf_init(&writing->shown, LOOM_BUF_MAX);
	tui_unsent_make(app, &writing->what);
	writing->what.editing = editing;
	if (tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK)
		snprintf(writing->what.anchor, sizeof writing->what.anchor, "%s", row->id);
	return writing;
}

static void set_up(struct tui_app *app, struct tui_writing *writing, size_t at)
{
	hold_draft(app, writing);
	if (at != SIZE_MAX)
		tui_edit_to(&writing->edit, at);
	writing->focus = app->focus;
	app->writing = writing;
	tui_focus(app, TUI_PANE_READER);
	tui_write_show(app);
	tui_presence_say(app, "writing");
	tui_length_ask(app, &writing->what);
}

void tui_write_new(struct tui_app *app)
{
	set_up(app, begin(app, false), SIZE_MAX);
}

void tui_write_beginning(struct tui_app *app)
{
	struct tui_writing *writing = begin(app, false);

	tui_unsent_uproot(&writing->what);
	set_up(app, writing, SIZE_MAX);
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
	writing->before = loom_word_count(node.text);
	tui_edit_set(&writing->edit, node.text);
	writing->kept = writing->edit.changes;
	set_up(app, writing, at);
}

static void end(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;

	loom_loop_timer_cancel(app->loop, writing->timer);
	if (writing->what.editing)
		app->reader.caret =
			(struct tui_anchor){.kind = TUI_BLOCK_TEXT, .at = tui_write_caret(app)};
	tui_focus(app, writing->what.editing ? writing->focus : TUI_PANE_TREE);
	app->writing = NULL;
	tui_write_show(app); /* the reader borrows it until then */
	loom_draft_release(app->store, loom_str_of(writing->what.id), writing->hold);
	tui_edit_fini(&writing->edit);
	loom_buf_fini(&writing->original);
	loom_buf_fini(&writing->shown);
	tui_folds_fini(&writing->labels);
	free(writing);
}

void tui_write_close(struct tui_app *app)
{
	if (!app->writing)
		return;
	save(app);
	end(app);
}

static void commit(struct tui_app *app, bool and_continue)
{
	struct tui_writing *writing = app->writing;
	struct loom_str text = tui_edit_text(&writing->edit);
	const struct tui_unsent what = writing->what;

	if (text.n && !loom_str_eq(text, loom_buf_str(&writing->original))) {
		tui_unsent_commit(app, &what, text, and_continue);
		tui_drafts_sent(app, &what, app->position, text);
		end(app);
		return;
	}
	if (writing->on_disk)
		tui_unsent_keep(app, &what, (struct loom_str){NULL, 0}, NULL);
	end(app);
	if (and_continue)
		tui_continue_here(app, 0);
}

static void abandon(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;

	if (!writing)
		return;
	if (writing->on_disk)
		tui_unsent_keep(app, &writing->what, (struct loom_str){NULL, 0}, NULL);
	tui_say(app, TUI_ROLE_OK, "%s",
		writing->what.editing ? "the text is as it was" : "the draft is thrown away");
	end(app);
}

static void leave(struct tui_app *app)
{
	struct tui_writing *writing = app->writing;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct tui_unsent what = writing->what;

	if (what.editing) {
		commit(app, false);
		return;
	}
	loom_buf_add(&text, tui_edit_text(&writing->edit));
	save(app);
	end(app);
	if (text.n)
		tui_drafts_left(app, &what, loom_buf_str(&text));
	loom_buf_fini(&text);
}

/* --- keys --- */

/* Opens the paste under the caret, or folds it again. */
static void fold(struct tui_app *app)
{
	struct tui_edit *edit = &app->writing->edit;
	const struct tui_fold *one = tui_edit_fold(edit);
	struct loom_err err;

	if (!one) {
		tui_stuck(app, "nothing in this text is folded");
		return;
	}
	/* The end first, then the caret: shows as much of the text as fits. */
	tui_write_show(app);
	tui_reader_see(&app->reader, tui_folds_shown_at(&edit->folds, one->to), &err);
}

static void changed(struct tui_app *app)
{
	keep(app);
	tui_write_show(app);
}

TUI_DO(TEXT_NEWLINE)
{
	tui_edit_do(&app->writing->edit, TUI_EDIT_NEWLINE);
	changed(app);
}

TUI_DO(TEXT_ENTER)
{
	if (tui_write_posts(app))
		commit(app, false);
	else
		tui_do_TEXT_NEWLINE(app, match);
}

TUI_DO(TEXT_DONE)
{
	leave(app);
}

TUI_DO(TEXT_SAVE)
{
	commit(app, false);
}

/* Asks when words would be lost. */
TUI_DO(TEXT_ABANDON)
{
	const struct loom_str text = tui_edit_text(&app->writing->edit);

	if (!loom_str_trim(text).n || loom_str_eq(text, loom_buf_str(&app->writing->original))) {
		abandon(app);
		return;
	}
	app->asked = abandon;
	tui_say(app, TUI_ROLE_WARN, "throw this text away? y/n");
}

TUI_DO(TEXT_COMMIT)
{
	commit(app, true);
}

TUI_DO(TEXT_FOLD)
{
	fold(app);
	changed(app);
}

TUI_MEANS(external)
{
	tui_external(app);
	return true;
}

static bool is_there(const struct tui_app *app)
{
	return app->writing != NULL;
}

static enum tui_keyview keys(const struct tui_app *app)
{
	(void)app;
	return TUI_KEYVIEW_TEXT;
}

static const char *word(struct tui_app *app, enum tui_command command, const char *usual)
{
	const bool editing = app->writing->what.editing;

	if (command == TUI_ACTION_TEXT_DONE)
		return editing ? "save a version" : usual;
	if (command == TUI_ACTION_TEXT_COMMIT)
		return tui_write_posts(app) ? "post and continue" : "save and continue";
	return usual;
}

static bool offers(const struct tui_app *app, enum tui_command command)
{
	const bool folded = tui_folds_any(&app->writing->edit.folds);

	if (command == TUI_ACTION_TEXT_FOLD)
		return folded;
	if (command == TUI_ACTION_TEXT_SAVE)
		return !tui_write_posts(app) && !app->writing->what.editing;
	if (command == TUI_ACTION_TEXT_ABANDON)
		return app->writing->what.editing;
	return (command != TUI_ACTION_TEXT_ENTER && command != TUI_ACTION_TEXT_NEWLINE) ||
	       tui_write_posts(app);
}

static bool is_unsaved(const struct tui_app *app)
{
	return app->writing && app->writing->kept != app->writing->edit.changes;
}

static bool on_command(struct tui_app *app, const struct tui_match *match)
{
	static const struct tui_meaning means[] = {{TUI_ACTION_EXTERNAL, external, 0},
						   {.command = TUI_COMMAND_NONE}};

	return tui_means(means, app, match) || tui_row_does(app, match, TUI_KEYVIEW_TEXT);
}

const struct tui_view tui_view_text = {
	.there = is_there,
	.keys = keys,
	.command = on_command,
	.word = word,
	.offers = offers,
	.key = write_key,
	.unsaved = is_unsaved,
	.told = {[TUI_TOLD_LEAVING] = tui_write_close},
};

/* How many rows of the screen a key moves the caret by; 0: it is no such key. */
static int rows_of(const struct tui_app *app, struct tui_key key)
{
	const int page = app->reader.height > 1 ? app->reader.height - 1 : 1;

	if (key.mods == TUI_KEY_CTRL)
		return key.code == 'n' ? 1 : key.code == 'p' ? -1 : 0;
	if (key.mods)
		return 0;
	return key.code == TUI_KEY_DOWN        ? 1
	       : key.code == TUI_KEY_UP        ? -1
	       : key.code == TUI_KEY_PAGE_DOWN ? page
	       : key.code == TUI_KEY_PAGE_UP   ? -page
					       : 0;
}

/* The first and the last row lead to the ends of the text. With folded pastes the rows are not
 * those of the text, which then is moved through by its own lines. */
static bool move_rows(struct tui_app *app, int rows)
{
	struct tui_edit *edit = &app->writing->edit;
	int goal = edit->goal;
	size_t at = rows > 0 ? edit->text.n : 0;

	if (!rows || tui_folds_any(&edit->folds))
		return false;
	if (!tui_reader_extra_row(&app->reader, edit->caret, rows, &goal, &at))
		at = rows > 0 ? edit->text.n : 0;
	tui_edit_to(edit, at);
	edit->goal = goal;
	tui_write_show(app);
	return true;
}

static bool write_key(struct tui_app *app, struct tui_key key)
{
	struct tui_writing *writing = app->writing;
	uint64_t before = writing->edit.changes;

	if (move_rows(app, rows_of(app, key)))
		return true;
	if (!tui_edit_key(&writing->edit, key))
		return false;
	if (writing->edit.changes != before)
		keep(app);
	tui_write_show(app);
	return true;
}

void tui_write_paste(struct tui_app *app, struct loom_str text)
{
	/* One's own story is seen as it is written; in a dialogue a long paste would hide the talk.
	 */
	if (app->tree.mode == LOOM_BUFFER && app->writing->what.tree_id)
		tui_edit_insert(&app->writing->edit, text, false);
	else
		tui_edit_paste(&app->writing->edit, text);
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
