/* The side pane: a thread's memory, beside tree and reader. It is a list that does not cover them;
 * while it is drawn or handles a key, it takes the place of the list in front. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/lists/list.h>
#include <loom/desk/position.h>
#include <loom/lists/side.h>
#include <loom/work/thread.h>

/* Makes the side pane's list the current one and returns the previous one. */
static struct tui_list *enter(struct tui_app *app)
{
	struct tui_list *over = app->list;

	app->list = app->side;
	return over;
}

static void leave(struct tui_app *app, struct tui_list *over)
{
	app->side = app->list;
	app->list = over;
}

void tui_side_close(struct tui_app *app)
{
	struct tui_list *over;

	if (!app->side)
		return;
	over = enter(app);
	tui_list_close(app);
	leave(app, over);
	app->side_thread = 0;
	if (app->focus == TUI_PANE_SIDE)
		tui_focus(app, TUI_PANE_TREE);
}

/* The person's own memory is created by the first thing it keeps. */
static void find_mine(struct tui_app *app)
{
	tui_find_thread(app);
	app->side_thread = app->thread;
}

void tui_side_refresh(struct tui_app *app)
{
	struct tui_list *over;

	if (!app->side)
		return;
	if (!app->side_thread)
		find_mine(app);
	over = enter(app);
	tui_list_refresh(app);
	leave(app, over);
}

/* The person's own thread first, then the others of this tree by number; 0 after the last. */
static int64_t next_thread(struct tui_app *app)
{
	struct loom_thread *threads = NULL;
	size_t count = 0;
	int64_t best = 0;
	int64_t now = app->side_thread == app->thread ? 0 : app->side_thread;

	if (loom_thread_list(app->store, true, app->arena, &threads, &count, NULL) != LOOM_OK)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (threads[i].tree == app->tree.id && threads[i].id != app->thread &&
		    threads[i].id > now && (!best || threads[i].id < best))
			best = threads[i].id;
	return best;
}

static void open_thread(struct tui_app *app, int64_t thread)
{
	struct tui_list *over;

	tui_side_close(app);
	app->side_thread = thread;
	if (!thread)
		find_mine(app);
	over = enter(app);
	tui_list_open(app, &tui_memory_kind, LOOM_STR(""));
	leave(app, over);
	tui_focus(app, TUI_PANE_SIDE);
}

void tui_side_open(struct tui_app *app)
{
	enum tui_pane focus = app->focus;

	open_thread(app, app->thread);
	tui_focus(app, focus);
}

static void next(struct tui_app *app)
{
	int64_t thread = next_thread(app);

	if (!app->side) {
		open_thread(app, app->thread);
	} else if (app->focus != TUI_PANE_SIDE) {
		tui_focus(app, TUI_PANE_SIDE);
	} else if (thread) {
		open_thread(app, thread);
	} else if (app->side_thread != app->thread) {
		open_thread(app, app->thread);
	} else {
		tui_say(app, TUI_ROLE_DIM, "no other thread in this tree · q closes this pane");
	}
}

TUI_DO(MEMORY)
{
	if (app->list)
		tui_list_close(app);
	next(app);
}

/* --- as a view --- */

static bool is_there(const struct tui_app *app)
{
	return app->side && !app->list && app->focus == TUI_PANE_SIDE;
}

static enum tui_keyview keys(const struct tui_app *app)
{
	(void)app;
	return TUI_KEYVIEW_MEMORY;
}

TUI_MEANS(close_it)
{
	tui_side_close(app);
	return true;
}

TUI_MEANS(open_it)
{
	const struct tui_entry *entry = tui_list_at(app->side);

	if (entry)
		tui_memory_kind.open(app, entry);
	return true;
}

static bool on_command(struct tui_app *app, const struct tui_match *match)
{
	static const struct tui_meaning means[] = {
		{TUI_ACTION_OUT, close_it, 0}, {TUI_ACTION_BACK, close_it, 0},
		{TUI_ACTION_OPEN, open_it, 0}, {TUI_ACTION_IN, open_it, 0},
		{.command = TUI_COMMAND_NONE},
	};
	struct tui_list *over;
	bool taken;

	if (tui_means(means, app, match))
		return true;
	over = enter(app);
	taken = tui_list_does(app, match);
	leave(app, over);
	return taken;
}

/* Memory of Claude · thread-1a2b · 40 t */
static void say_whose(struct tui_app *app, struct loom_buf *out)
{
	struct loom_thread thread;

	if (!app->side_thread || app->side_thread == app->thread)
		loom_buf_adds(out, "Your memory");
	else if (loom_thread_get(app->store, app->side_thread, app->arena, &thread, NULL) ==
		 LOOM_OK)
		loom_buf_addf(out, "Memory of %.*s · %.*s",
			      LOOM_STR_ARG(tui_people_name(&app->people, thread.agent)),
			      LOOM_STR_ARG(thread.name));
}

static void draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout)
{
	struct tui_rect rect = layout->panes[TUI_PANE_SIDE];
	struct loom_buf title = LOOM_BUF_INIT(4096);
	struct tui_rect head = {rect.x, rect.y, rect.w, 1};
	struct tui_pen pen = tui_pen_make(grid, head, TUI_INK(TITLE));
	struct tui_list *over;

	if (!app->side || rect.w <= 0 || rect.h <= 0)
		return;
	if (rect.h > 1) {
		say_whose(app, &title);
		tui_pen_cut(&pen, loom_buf_str(&title), rect.w);
		rect.y++;
		rect.h--;
	}
	over = enter(app);
	tui_list_draw(app, grid, rect);
	leave(app, over);
	loom_buf_fini(&title);
}

static bool offers(const struct tui_app *app, enum tui_command command)
{
	return tui_list_offers(app->side, command);
}

const struct tui_view tui_view_side = {
	.there = is_there,
	.keys = keys,
	.command = on_command,
	.offers = offers,
	.draw = draw,
	.told = {[TUI_TOLD_LEFT] = tui_side_close,
		 [TUI_TOLD_PRESENT] = tui_side_refresh,
		 [TUI_TOLD_CLOSED] = tui_side_close},
};
