/* Into a tree, and out of one that is gone. Invariants: tree.id is 0 exactly where there is none,
 * and then no pane knows a node. */
#include <loom/desk/desk.h>

/* Where this actor stood in the tree, else its root. */
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

/* The panes know nothing of what was in them. */
static void forget_place(struct tui_app *app)
{
	tui_rows_forget(&app->rows);
	app->rows.key = app->reader.key = app->tree.key;
	app->reader.mode = app->tree.mode;
	app->rows.thread = app->reader.thread = app->thread;
	app->position = app->member = 0;
	app->path_count = 0;
	app->unseen_count = 0;
	app->selected_count = 0;
	app->jumps = (struct tui_jumps){.count = 0};
	memset(app->marks, 0, sizeof app->marks);
	memset(app->visited, 0, sizeof app->visited);
	app->outline.map = app->outline.pruned_too = false;
	app->outline.outside_count = 0;
	loom_buf_clear(&app->filter);
	app->top = 0;
}

void tui_app_bare(struct tui_app *app)
{
	size_t caret = 0;

	tui_level_end(app);
	tui_write_close(app);
	tui_side_close(app);
	/* A search here, or a line about a node. */
	if (!app->list && !tui_prompt_typed(app, &caret).n)
		tui_prompt_close(app);
	loom_arena_reset(app->tree_arena);
	app->tree = (struct loom_tree){.id = 0};
	app->thread = 0;
	app->unsaved = false;
	forget_place(app);
	tui_outline_clear(&app->outline);
	app->cursor = 0;
	app->draft_count = 0;
	app->draft_at[0] = '\0';
	app->focus = TUI_PANE_TREE;
	app->zoomed = app->reader.lens = false;
	tui_reader_show(&app->reader, 0);
	tui_reader_refresh(&app->reader);
	tui_write_show(app);
	app->drafts_of = -1;
	tui_drafts_again(app);
	tui_subject_read(app);
}

bool tui_app_tree(struct tui_app *app, int64_t tree)
{
	struct loom_tree found;
	struct loom_err err;
	int64_t group;

	tui_level_end(app);
	tui_write_close(app);
	tui_keep_now(app);
	if (!tui_must(app, loom_tree_get(app->store, tree, app->arena, &found, &err), &err))
		return false;
	tui_side_close(app);
	loom_arena_reset(app->tree_arena);
	if (!tui_must(app, loom_tree_get(app->store, tree, app->tree_arena, &app->tree, &err),
		      &err))
		return false;
	group = stood_at(app);
	forget_place(app);
	if (!tui_must(app, tui_outline_reset(&app->outline, app->tree.root, &err), &err))
		return false;
	app->cursor = tui_items_at(app->outline.items, 0, NULL);
	if (!tui_go(app, group, TUI_GO_STEP))
		return tui_go(app, app->tree.root, TUI_GO_STEP);
	tui_must(app, tui_outline_open(&app->outline, app->cursor, &err), &err);
	app->draft_count = 0;
	app->drafts_of = -1;
	tui_drafts_again(app);
	tui_subject_read(app);
	return true;
}
