/* Puts the program together: opening, events to commands, closing. Commands are in the files of
 * their subjects, the picture in picture.c. */
#include <loom/program/app.h>
#include <loom/tree/person.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include <loom/files/path.h>

#include <loom/tree/open_store.h>
#include <loom/project/import_view.h>
#include <loom/lists/list.h>
#include <loom/lists/paste_view.h>
#include <loom/lists/row_menu.h>
#include <loom/lists/talk.h>
#include <loom/desk/do_line.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/looks.h>
#include <loom/desk/macro.h>
#include <loom/desk/others.h>
#include <loom/desk/tree_view.h>
#include <loom/desk/typed.h>
#include <loom/desk/workers.h>
#include <loom/writing/command_line.h>
#include <loom/writing/text_editor.h>

#include "inside.h"

/* --- opening --- */

/* Enters the grove, if this account is new here: opening it for writing does that. */
static void come_in(struct tui_app *app)
{
	struct loom_store *store = NULL;

	if (loom_store_open(app->env, loom_buf_str(&app->dir), LOOM_WRITE, &store, NULL) == LOOM_OK)
		loom_store_close(store);
}

static enum loom_status find_actor(struct tui_app *app, struct loom_str name, struct loom_err *err)
{
	struct loom_agent agent;
	enum loom_status status = loom_person_or(app->store, name, app->arena, &agent, err);

	if (status == LOOM_OK && !agent.id) {
		come_in(app);
		status = loom_person_or(app->store, name, app->arena, &agent, err);
	}
	app->actor = status == LOOM_OK ? agent.id : 0;
	return status;
}

static enum loom_status load_keys(struct tui_app *app, struct loom_err *err)
{
	static const struct loom_read_opts opts = {.links = true, .max = (size_t)1 << 20};
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = loom_env_dir(app->env, LOOM_DIR_CONFIG, &path, err);

	loom_buf_adds(&path, "/keys.json");
	if (status == LOOM_OK)
		status = loom_file_read_at(loom_buf_cstr(&path), &opts, &text, err);
	if (status == LOOM_OK)
		status = tui_keymap_load(&app->keymap, loom_buf_str(&text), err);
	else if (status == LOOM_NOT_FOUND) /* no home directory, or no such file */
		status = LOOM_OK;
	loom_buf_fini(&path);
	loom_buf_fini(&text);
	return status;
}

/* Lays $XDG_CONFIG_HOME/loom/keys.json over the default keys. An invalid file is reported and the
 * defaults are used. */
static void read_keys(struct tui_app *app)
{
	struct loom_buf clash = LOOM_BUF_INIT(1 << 10);
	struct loom_err err;

	if (tui_must(app, load_keys(app, &err), &err) && tui_keymap_clash(&app->keymap, &clash))
		tui_say(app, TUI_ROLE_WARN, "%s", loom_buf_cstr(&clash));
	loom_buf_fini(&clash);
}

static enum loom_status open_parts(struct tui_app *app, const struct tui_app_opts *opts,
				   struct loom_err *err)
{
	enum loom_status status = loom_store_open(app->env, opts->dir, LOOM_READ, &app->store, err);
	int64_t tree = 0;

	if (status == LOOM_OK)
		status = find_actor(app, opts->agent, err);
	if (status == LOOM_OK)
		status = tui_people_read(&app->people, app->store, err);
	if (status == LOOM_OK)
		status = loom_current_tree(app->store, &tree, err);
	if (status == LOOM_NOT_FOUND) /* a grove without a tree: the desk stays empty */
		status = LOOM_OK;
	if (status == LOOM_OK)
		status = tui_theme_named(LOOM_STR("default"), &app->theme, err);
	if (status != LOOM_OK)
		return status;
	tui_rows_init(&app->rows, app->store);
	tui_outline_init(&app->outline, app->store);
	tui_reader_init(&app->reader, app->store, &app->people);
	if (!tree)
		tui_app_bare(app);
	else if (!tui_app_tree(app, tree))
		return loom_fail(err, LOOM_DAMAGED, "%s", app->message.text);
	return LOOM_OK;
}

enum loom_status tui_app_open(struct tui_app **out, const struct tui_app_opts *opts,
			      struct loom_err *err)
{
	struct tui_app *app = loom_alloc(sizeof *app);
	enum loom_status status;

	app->env = opts->env;
	app->program = opts->program;
	app->views = tui_views;
	app->does = tui_does;
	loom_buf_init(&app->dir, 4096);
	loom_buf_add(&app->dir, opts->dir);
	app->arena = loom_arena_create();
	app->tree_arena = loom_arena_create();
	app->loop = loom_loop_create();
	app->messages = loom_alloc(TUI_MESSAGES * sizeof *app->messages);
	app->tree_height = 20;
	tui_people_init(&app->people);
	tui_keymap_init(&app->keymap);
	tui_tell(app, TUI_TOLD_BEGIN);
	*out = app;
	status = open_parts(app, opts, err);
	if (status != LOOM_OK) {
		tui_app_close(app);
		*out = NULL;
		return status;
	}
	if (!opts->fresh)
		tui_session_load(app);
	tui_news_start(app);
	tui_hush(app);
	read_keys(app);
	return LOOM_OK;
}

void tui_app_close(struct tui_app *app)
{
	if (!app)
		return;
	if (app->news->watch) { /* it was open */
		tui_write_close(app);
		tui_run_end_all(app);
		tui_session_save(app);
		tui_keep_now(app);
	}
	tui_tell(app, TUI_TOLD_ENDING);
	tui_work_end(app);
	tui_tell(app, TUI_TOLD_CLOSED);
	tui_macros_free(app);
	if (app->outline.items) {
		tui_rows_fini(&app->rows);
		tui_outline_fini(&app->outline);
		tui_reader_fini(&app->reader);
	}
	loom_store_close(app->store);
	loom_loop_destroy(app->loop);
	tui_people_fini(&app->people);
	tui_keymap_fini(&app->keymap);
	loom_arena_destroy(app->arena);
	loom_arena_destroy(app->tree_arena);
	loom_buf_fini(&app->dir);
	free(app->messages);
	free(app);
}

/* --- commands --- */

static void cancel(struct tui_app *app)
{
	tui_hush(app);
	if (app->list)
		tui_list_leave(app);
	else if (tui_stop_work(app))
		return;
	else if (app->selected_count)
		app->selected_count = 0;
	else if (tui_filter_text(app).n)
		tui_filter_set(app, LOOM_STR(""));
	else if (tui_found(app).n)
		tui_found_set(app, LOOM_STR(""));
	else if (app->reader.lens && app->focus == TUI_PANE_READER)
		app->reader.lens = false;
	else if (app->zoomed)
		app->zoomed = false;
	else
		tui_focus(app, TUI_PANE_TREE);
}

/* Goes one level back; at the last level it leaves, which loses nothing. */
static void back(struct tui_app *app)
{
	if (app->list)
		tui_list_leave(app);
	else if (app->zoomed)
		app->zoomed = false;
	else if (app->focus != TUI_PANE_TREE)
		tui_focus(app, TUI_PANE_TREE);
	else
		tui_say(app, TUI_ROLE_TEXT, "Q leaves loom; everything is saved");
}

TUI_DO(CANCEL)
{
	cancel(app);
}

TUI_DO(BACK)
{
	back(app);
}

TUI_DO(QUIT)
{
	app->over = true;
}

TUI_DO(REDRAW)
{
	if (app->stage)
		tui_stage_redraw(app->stage);
}

/* --- events --- */

/* Like a key, a paste drops a pending sequence and the message, which has been read. */
static void on_paste(struct tui_app *app, struct loom_str text)
{
	tui_forget_chord(app);
	if (app->prompt)
		tui_prompt_paste(app, text);
	else if (app->writing || app->list || !tui_import_dropped(app, text, tui_paste))
		tui_paste(app, text);
}

/* Other replies say nothing about the background. */
static void take_reply(struct tui_app *app, struct loom_str reply)
{
	if (loom_str_starts(reply, LOOM_STR("11;")))
		tui_told_ground(app, tui_theme_ground(reply));
}

void tui_app_event(struct tui_app *app, const struct tui_event *event)
{
	loom_arena_reset(app->arena);
	if (event->kind == TUI_EVENT_KEY)
		tui_typed(app, event->key);
	else if (event->kind == TUI_EVENT_PASTE)
		on_paste(app, event->text);
	else if (event->kind == TUI_EVENT_MOUSE)
		tui_mouse(app, &event->mouse);
	else if (event->kind == TUI_EVENT_REPLY)
		take_reply(app, event->text);
}

/* --- the world --- */

bool tui_app_over(const struct tui_app *app)
{
	return app->over;
}

bool tui_app_busy(const struct tui_app *app)
{
	return app->work->writes > 0 || app->work->looks > 0 || app->typing->ahead_count > 0 ||
	       tui_views_busy(app) || tui_macro_plays(app);
}

void tui_app_work(struct tui_app *app, bool wait)
{
	loom_arena_reset(app->arena);
	do {
		for (int rounds = 0; rounds < 32 && loom_loop_step(app->loop, 0); rounds++)
			continue;
		if (wait && tui_app_busy(app))
			loom_loop_step(app->loop, 1000);
		tui_macro_go(app);
	} while (wait && tui_app_busy(app));
	loom_loop_step(app->loop, 0);
}

static void on_event(void *ctx, const struct tui_event *event)
{
	struct tui_app *app = ctx;

	tui_app_event(app, event);
	if (app->over)
		tui_stage_quit(app->stage);
}

static void on_draw(void *ctx, struct tui_grid *grid)
{
	tui_app_draw(ctx, grid);
}

static size_t on_fds(void *ctx, struct pollfd *fds, size_t max, int *timeout_ms)
{
	struct tui_app *app = ctx;

	return loom_loop_fds(app->loop, fds, max, timeout_ms);
}

static void on_ready(void *ctx, const struct pollfd *fds, size_t n)
{
	struct tui_app *app = ctx;

	for (size_t i = 0; i < n; i++) {
		if (fds[i].revents) {
			tui_app_work(app, false);
			return;
		}
	}
}

static void on_leave(void *ctx)
{
	struct tui_app *app = ctx;

	tui_session_save(app);
}

static bool on_busy(void *ctx)
{
	return tui_app_busy(ctx);
}

enum loom_status tui_app_run(struct tui_app *app, const struct tui_stage_opts *opts,
			     struct loom_err *err)
{
	static const struct tui_stage_ops ops = {.event = on_event,
						 .draw = on_draw,
						 .fds = on_fds,
						 .ready = on_ready,
						 .leave = on_leave,
						 .busy = on_busy};
	enum loom_status status = tui_stage_open(&app->stage, opts, &ops, app, &app->theme, err);

	if (status != LOOM_OK)
		return status;
	if (app->no_mouse)
		tui_stage_mouse(app->stage, false);
	tui_stage_run(app->stage);
	tui_stage_close(app->stage);
	app->stage = NULL;
	return LOOM_OK;
}
