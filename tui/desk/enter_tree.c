/* Enters a tree and leaves one that is gone. Invariant: tree.id is 0 exactly when there is no tree,
 * and then no pane refers to a node. */
#include <loom/desk/desk.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/position.h>
#include <loom/desk/subject.h>
#include <loom/work/thread.h>

/* The node where this actor last stood in the tree, or the root. */
static int64_t stood_at(struct tui_app *app)
{
	struct loom_thread thread;
	int64_t node = 0;

	app->thread = 0;
	if (loom_thread_implicit(app->store, app->actor, app->tree.id, app->arena, &thread, NULL))
		return app->tree.root;
	app->thread = thread.id;
	if (loom_thread_stand(app->store, &thread, &node, NULL) != LOOM_OK)
		return app->tree.root;
	node = tui_group_of(app, node);
	return node ? node : app->tree.root;
}

/* Clears everything the panes know of the previous tree. */
static void forget_place(struct tui_app *app)
{
	tui_rows_forget(&app->rows);
	app->rows.key = app->reader.key = app->tree.key;
	app->reader.mode = app->tree.mode;
	app->rows.thread = app->reader.thread = app->thread;
	app->position = app->member = 0;
	app->trail->count = 0;
	app->selected_count = 0;
	app->trail->jumps = (struct tui_jumps){.count = 0};
	memset(app->trail->marks, 0, sizeof app->trail->marks);
	memset(app->trail->visited, 0, sizeof app->trail->visited);
	app->outline.map = app->outline.pruned_too = false;
	app->outline.outside_count = 0;
	tui_set_top(app, 0);
}

void tui_app_bare(struct tui_app *app)
{
	tui_tell(app, TUI_TOLD_LEAVING);
	tui_tell(app, TUI_TOLD_LEFT);
	loom_arena_reset(app->tree_arena);
	app->tree = (struct loom_tree){.id = 0};
	app->thread = 0;
	forget_place(app);
	tui_outline_clear(&app->outline);
	tui_set_cursor(app, 0);
	tui_focus(app, TUI_PANE_TREE);
	app->zoomed = app->reader.lens = false;
	tui_reader_show(&app->reader, 0);
	tui_reader_refresh(&app->reader);
	tui_tell(app, TUI_TOLD_ENTERED);
	tui_subject_read(app);
}

bool tui_app_tree(struct tui_app *app, int64_t tree)
{
	struct loom_tree found;
	struct loom_err err;
	int64_t group;

	tui_tell(app, TUI_TOLD_LEAVING);
	tui_keep_now(app);
	if (!tui_must(app, loom_tree_get(app->store, tree, app->arena, &found, &err), &err))
		return false;
	tui_tell(app, TUI_TOLD_LEFT);
	loom_arena_reset(app->tree_arena);
	if (!tui_must(app, loom_tree_get(app->store, tree, app->tree_arena, &app->tree, &err),
		      &err))
		return false;
	group = stood_at(app);
	forget_place(app);
	if (!tui_must(app, tui_outline_reset(&app->outline, app->tree.root, &err), &err))
		return false;
	tui_set_cursor(app, tui_items_at(app->outline.items, 0, NULL));
	if (!tui_go(app, group, TUI_GO_STEP))
		return tui_go(app, app->tree.root, TUI_GO_STEP);
	tui_must(app, tui_outline_open(&app->outline, app->cursor, &err), &err);
	tui_tell(app, TUI_TOLD_ENTERED);
	tui_subject_read(app);
	return true;
}

/* --- making one --- */

enum loom_status tui_tree_make(struct loom_store *store, const struct loom_tree_spec *wanted,
			       struct loom_arena *arena, int64_t *out_tree, struct loom_err *err)
{
	struct loom_tree_spec spec = *wanted;
	struct loom_op_spec op = {.kind = "new", .actor = spec.author};
	enum loom_status status = loom_op_begin(store, &op, err);

	if (status != LOOM_OK)
		return status;
	if (!spec.title.n)
		status = loom_tree_title_of(store, spec.root_text, arena, &spec.title, err);
	if (status == LOOM_OK)
		status = loom_tree_create(store, &spec, out_tree, err);
	loom_op_say(store, "new tree \"%.*s\"", LOOM_STR_ARG(spec.title));
	return loom_op_end(store, status, NULL, err);
}

void tui_say_new_tree(struct tui_app *app)
{
	const struct tui_row *root = NULL;
	bool begun = tui_rows_get(&app->rows, app->tree.root, &root, NULL) == LOOM_OK &&
		     root->text_n > 0;

	tui_say(app, TUI_ROLE_OK, "a new tree%s", begun ? "" : ": i writes its beginning");
}

void tui_bare_say(struct tui_app *app)
{
	struct loom_buf key = LOOM_BUF_INIT(64);

	tui_keymap_spell(&app->keymap, TUI_KEYVIEW_NAV, TUI_VERB_RESPOND, &key);
	tui_stuck(app, "there is no tree yet · %s writes the beginning of one",
		  loom_buf_cstr(&key));
	loom_buf_fini(&key);
}
