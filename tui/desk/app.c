/* The program put together: opening, events to commands, the end. What a command does is in the
 * file of its kind, the picture in picture.c. */
#include <loom/desk/desk.h>

#include <loom/files/path.h>

#include <loom/project/import_view.h>
#include <loom/lists/list.h>
#include <loom/writing/paste_view.h>
#include <loom/lists/row_menu.h>
#include <loom/lists/talk.h>
#include <loom/tree/open_store.h>

static void say(struct tui_app *app, enum tui_role role, const char *format, va_list args)
	LOOM_PRINTF(3, 0);

static void say(struct tui_app *app, enum tui_role role, const char *format, va_list args)
{
	struct tui_message *message = &app->message;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t n;

	loom_buf_addfv(&text, format, args);
	n = text.n < sizeof message->text ? text.n : sizeof message->text - 1;
	while (n < text.n && n > 0 && (text.p[n] & 0xc0) == 0x80)
		n--; /* no part of a character */
	memcpy(message->text, loom_buf_cstr(&text), n);
	message->text[n] = '\0';
	loom_buf_fini(&text);
	message->role = role;
	message->at = loom_env_now(app->env);
	if (role != TUI_ROLE_DIM)
		app->messages[app->message_count++ % TUI_MESSAGES] = *message;
}

void tui_say(struct tui_app *app, enum tui_role role, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(app, role, format, args);
	va_end(args);
}

void tui_stuck(struct tui_app *app, const char *format, ...)
{
	va_list args;

	app->stuck = true;
	va_start(args, format);
	say(app, TUI_ROLE_DIM, format, args);
	va_end(args);
}

bool tui_must(struct tui_app *app, enum loom_status status, const struct loom_err *err)
{
	if (status == LOOM_OK)
		return true;
	app->stuck = true;
	if (err && err->hint[0])
		tui_say(app, TUI_ROLE_ERROR, "%s · %s", err->text, err->hint);
	else if (err)
		tui_say(app, TUI_ROLE_ERROR, "%s", err->text);
	return false;
}

/* --- opening --- */

static enum loom_status find_actor(struct tui_app *app, struct loom_str name, struct loom_err *err)
{
	struct loom_agent agent;
	enum loom_status status =
		name.n ? loom_agent_find(app->store, name, app->arena, &agent, err)
		       : loom_agent_owner(app->store, app->arena, &agent, err);

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
	else if (status == LOOM_NOT_FOUND) /* nobody's home, or no file there */
		status = LOOM_OK;
	loom_buf_fini(&path);
	loom_buf_fini(&text);
	return status;
}

/* The keys of $XDG_CONFIG_HOME/loom/keys.json over the default ones; what is wrong with the file is
 * said, and then the default ones hold. */
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
	if (status == LOOM_NOT_FOUND) /* a grove of none: the desk is bare */
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
	loom_buf_init(&app->dir, 4096);
	loom_buf_add(&app->dir, opts->dir);
	loom_buf_init(&app->found, 4096);
	loom_buf_init(&app->wanted, 4096);
	loom_buf_init(&app->filter, 4096);
	loom_buf_init(&app->ghost_shown, LOOM_BUF_MAX);
	loom_buf_init(&app->hits, LOOM_BUF_MAX);
	loom_buf_init(&app->draft_text, LOOM_BUF_MAX);
	loom_buf_init(&app->subject, 1 << 16);
	app->drafts = loom_alloc(TUI_DRAFTS * sizeof *app->drafts);
	app->arena = loom_arena_create();
	app->tree_arena = loom_arena_create();
	app->live_arena = loom_arena_create();
	app->config_arena = loom_arena_create();
	app->loop = loom_loop_create();
	app->messages = loom_alloc(TUI_MESSAGES * sizeof *app->messages);
	app->tree_height = 20;
	tui_people_init(&app->people);
	tui_keymap_init(&app->keymap);
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
	app->message.text[0] = '\0';
	read_keys(app);
	return LOOM_OK;
}

void tui_app_close(struct tui_app *app)
{
	if (!app)
		return;
	if (app->watch) { /* it was open */
		tui_write_close(app);
		tui_run_end_all(app);
		tui_session_save(app);
		tui_keep_now(app);
	}
	/* What ends below still tells what came of it, and a list would look at what is gone. */
	tui_list_close(app);
	tui_talk_end_all(app);
	tui_sums_end(app);
	tui_find_stop(app);
	tui_shell_stop(app);
	tui_unsent_close(app);
	tui_import_cancel(app);
	app->closed = true;
	loom_worker_destroy(app->filer);
	loom_worker_destroy(app->worker);
	loom_worker_destroy(app->looker);
	loom_voices_destroy(app->voices);
	tui_prompt_close(app);
	tui_side_close(app);
	tui_pasted_free(app->pasted);
	loom_buf_fini(&app->wanted);
	loom_buf_fini(&app->filter);
	loom_buf_fini(&app->ghost_shown);
	loom_buf_fini(&app->hits);
	loom_buf_fini(&app->draft_text);
	loom_buf_fini(&app->subject);
	free(app->drafts);
	for (size_t i = 0; i < app->history_count; i++)
		loom_buf_fini(&app->history[i]);
	free(app->history);
	tui_macros_free(app);
	for (size_t i = 0; i < app->ghost_count; i++)
		loom_buf_fini(&app->ghosts[i].text);
	free(app->ghosts);
	free(app->config);
	if (app->store)
		tui_news_stop(app);
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
	loom_arena_destroy(app->live_arena);
	loom_arena_destroy(app->config_arena);
	loom_buf_fini(&app->dir);
	loom_buf_fini(&app->found);
	free(app->path);
	free(app->messages);
	free(app);
}

/* --- commands --- */

enum tui_keyview tui_app_keyview(const struct tui_app *app)
{
	if (app->prompt)
		return TUI_KEYVIEW_PROMPT;
	if (app->writing && !tui_list_rules(app))
		return TUI_KEYVIEW_TEXT;
	if (app->list)
		return tui_list_view(app->list);
	if (app->side && app->focus == TUI_PANE_SIDE)
		return TUI_KEYVIEW_MEMORY;
	return app->reader.lens && app->focus == TUI_PANE_READER ? TUI_KEYVIEW_LENS
								 : TUI_KEYVIEW_NAV;
}

/* What is under way in the tree; false: nothing is. */
static bool stop_work(struct tui_app *app)
{
	if (tui_find_stop(app))
		loom_buf_clear(&app->found);
	else if (tui_shell_stop(app))
		tui_say(app, TUI_ROLE_WARN, "stopped");
	else if (tui_run_cancel(app) || tui_import_cancel(app))
		tui_say(app, TUI_ROLE_WARN, "stopping");
	else
		return false;
	return true;
}

static void cancel(struct tui_app *app)
{
	app->message.text[0] = '\0';
	if (app->list)
		tui_list_leave(app);
	else if (stop_work(app))
		return;
	else if (app->selected_count)
		app->selected_count = 0;
	else if (app->filter.n)
		tui_filter_set(app, LOOM_STR(""));
	else if (app->found.n)
		loom_buf_clear(&app->found);
	else if (app->reader.lens && app->focus == TUI_PANE_READER)
		app->reader.lens = false;
	else if (app->zoomed)
		app->zoomed = false;
	else
		app->focus = TUI_PANE_TREE;
}

/* One step back; the last one leaves, and nothing is lost by it. */
static void back(struct tui_app *app)
{
	if (app->list)
		tui_list_leave(app);
	else if (app->zoomed)
		app->zoomed = false;
	else if (app->focus != TUI_PANE_TREE)
		app->focus = TUI_PANE_TREE;
	else
		tui_say(app, TUI_ROLE_TEXT, "Q leaves loom; everything is saved");
}

static bool own_command(struct tui_app *app, const struct tui_match *match)
{
	switch ((int)match->binding->command) {
	case TUI_ACTION_APPROVALS:
		tui_approve_open(app);
		return true;
	case TUI_ACTION_PASTE_AGAIN:
		tui_paste_again(app);
		return true;
	case TUI_ACTION_CANCEL:
		cancel(app);
		return true;
	case TUI_ACTION_BACK:
		back(app);
		return true;
	case TUI_ACTION_QUIT:
		app->over = true;
		return true;
	case TUI_ACTION_REDRAW:
		if (app->stage)
			tui_stage_redraw(app->stage);
		return true;
	case TUI_ACTION_FOLLOW:
		tui_follow(app);
		return true;
	case TUI_ACTION_COMMAND_LINE:
		tui_prompt_open(app, TUI_PROMPT_COMMAND, LOOM_STR(""), SIZE_MAX);
		return true;
	case TUI_ACTION_FIND:
		tui_prompt_open(app, app->list ? TUI_PROMPT_FILTER : TUI_PROMPT_FIND, LOOM_STR(""),
				SIZE_MAX);
		return true;
	case TUI_VERB_SEARCH:
		tui_search_open(app, LOOM_STR(""));
		return true;
	case TUI_ACTION_FILTER:
		tui_prompt_open(app, TUI_PROMPT_FILTER,
				app->list ? LOOM_STR("") : loom_buf_str(&app->filter), SIZE_MAX);
		return true;
	default:
		return false;
	}
}

static void not_here(struct tui_app *app, const struct tui_match *match)
{
	const struct tui_command_info *info = tui_command_info(match->binding->command);

	tui_stuck(app, "%s does nothing here", info->name);
}

/* The node under the caret, at the byte where it stands; else the one of the tree, where something
 * was found in it. */
static void edit_here(struct tui_app *app)
{
	size_t node = 0;
	size_t at = 0;
	int64_t group;
	struct loom_err err;

	(void)!tui_reader_ready(&app->reader, &err);
	if (app->focus == TUI_PANE_READER && tui_reader_at(&app->reader, &node, &at)) {
		group = app->reader.path.items[node].group;
		if (group != app->position && !tui_go(app, group, TUI_GO_JUMP))
			return;
	} else if (!app->found.n || !tui_reader_at(&app->reader, &node, &at) ||
		   app->reader.path.items[node].group != app->position) {
		at = 0;
	}
	tui_write_edit(app, at);
}

static bool text_commands(struct tui_app *app, const struct tui_match *match)
{
	if (tui_stream_at(app, app->cursor))
		return false;
	switch ((int)match->binding->command) {
	case TUI_VERB_RESPOND:
		tui_write_new(app);
		return true;
	case TUI_VERB_EDIT:
		edit_here(app);
		return true;
	case TUI_ACTION_EXTERNAL:
		tui_external(app);
		return true;
	default:
		return false;
	}
}

/* A list above a text that is being written: its own keys, and the way back to the text. */
static void above_text(struct tui_app *app, const struct tui_match *match)
{
	int command = (int)match->binding->command;

	if (tui_list_own_command(app, match))
		return;
	if (command == TUI_ACTION_CANCEL || command == TUI_ACTION_BACK)
		tui_list_leave(app);
	else if (!tui_list_command(app, match))
		not_here(app, match);
}

/* A list of what is in the grove takes back and does again as the tree does; lists of files and
 * forms do not, for what was done in them is no operation. */
static bool list_undoes(struct tui_app *app, const struct tui_match *match)
{
	int command = (int)match->binding->command;

	return tui_list_view(app->list) == TUI_KEYVIEW_LIST &&
	       (command == TUI_VERB_UNDO || command == TUI_ACTION_REDO) &&
	       tui_verb_command(app, match);
}

void tui_app_command(struct tui_app *app, const struct tui_match *match)
{
	bool taken;

	if (app->prompt) {
		tui_prompt_command(app, match);
		return;
	}
	if (app->writing && tui_list_rules(app)) {
		above_text(app, match);
		return;
	}
	if (app->writing && tui_write_command(app, match))
		return;
	if (match->binding->line) {
		tui_colon(app, loom_str_of(match->binding->line));
		return;
	}
	if (tui_bare_command(app, match))
		return;
	taken = tui_macro_command(app, match) || tui_side_command(app, match) ||
		(app->list && tui_list_own_command(app, match)) || own_command(app, match) ||
		tui_menu_command(app, match) || tui_lists_command(app, match) ||
		tui_lists_keys(app, match) || tui_inspect_command(app, match);
	if (!taken && app->list)
		taken = tui_list_command(app, match) || list_undoes(app, match);
	else if (!taken)
		taken = tui_drafts_command(app, match) || tui_token_command(app, match) ||
			text_commands(app, match) || tui_move_command(app, match) ||
			tui_fold_command(app, match) || tui_verb_command(app, match);
	if (!taken)
		not_here(app, match);
}

/* --- events --- */

static void on_which(void *ctx)
{
	struct tui_app *app = ctx;

	app->which_timer = 0;
	app->which = app->chord.n > 0;
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void forget_which(struct tui_app *app)
{
	loom_loop_timer_cancel(app->loop, app->which_timer);
	app->which_timer = 0;
	app->which = false;
}

/* C-c stops work; without any it says how to leave, for a habit must not cost a draft. */
static void interrupt(struct tui_app *app)
{
	app->chord = (struct tui_chord){.n = 0};
	if (!stop_work(app) && !tui_talk_stop(app))
		tui_say(app, TUI_ROLE_TEXT, "nothing runs that could be stopped · %s",
			app->writing || app->prompt ? "Esc leaves this text" : "Q leaves loom");
}

/* Where letters write, a key is the text's unless it is bound. */
static bool is_typed(struct tui_app *app, struct tui_key key)
{
	if (!app->prompt && (!app->writing || tui_list_rules(app)))
		return false;
	if (tui_keymap_exact(&app->keymap, tui_app_keyview(app), &key, 1))
		return false;
	return app->prompt ? tui_prompt_key(app, key) : tui_write_key(app, key);
}

/* As a key does, it ends what was begun of a sequence, and what was said has been read. */
static void on_paste(struct tui_app *app, struct loom_str text)
{
	forget_which(app);
	app->chord = (struct tui_chord){.n = 0};
	app->message.text[0] = '\0';
	if (app->prompt)
		tui_prompt_paste(app, text);
	else
		tui_paste(app, text);
}

/* What cannot be undone is asked for: y does it, any other key does not and is itself. */
static bool answered(struct tui_app *app, struct tui_key key)
{
	void (*yes)(struct tui_app * app) = app->asked;

	app->asked = NULL;
	if (!yes || key.code != 'y' || key.mods)
		return false;
	yes(app);
	return true;
}

static void no_key(struct tui_app *app, struct tui_chord typed, struct tui_key key)
{
	struct loom_buf keys = LOOM_BUF_INIT(256);

	if (typed.n)
		tui_chord_spell(&typed, &keys);
	tui_key_spell(key, &keys);
	tui_stuck(app, "%s is no key here · ? shows them all", loom_buf_cstr(&keys));
	loom_buf_fini(&keys);
}

void tui_app_key(struct tui_app *app, struct tui_key key)
{
	const struct tui_chord before = app->chord;
	struct tui_match match;
	bool shown = app->which;

	app->message.text[0] = '\0';
	app->stuck = false;
	forget_which(app);
	if (tui_macro_record(app, key))
		return;
	if (answered(app, key))
		return;
	if (key.code == 'c' && key.mods == TUI_KEY_CTRL) {
		interrupt(app);
		return;
	}
	if (app->chord.n == 0 && is_typed(app, key))
		return;
	switch (tui_keymap_feed(&app->keymap, tui_app_keyview(app), &app->chord, key, &match)) {
	case TUI_CHORD_DONE:
		tui_app_command(app, &match);
		break;
	case TUI_CHORD_PENDING:
		app->which = shown && app->chord.n > 0;
		if (app->chord.n && !app->which)
			app->which_timer =
				loom_loop_timer(app->loop, TUI_WHICHKEY_MS, on_which, app);
		break;
	case TUI_CHORD_NONE:
		no_key(app, before, key);
		break;
	case TUI_CHORD_CLEARED:
	default:
		break;
	}
}

bool tui_app_waits(const struct tui_app *app)
{
	/* Without a tree, what is being written may be the one that is meant. */
	bool tree_comes = !app->tree.id && app->writes && !app->importing;

	return tree_comes || tui_list_waits(app->list) || tui_find_waits(app);
}

static bool is_stop(struct tui_key key)
{
	return key.code == TUI_KEY_ESC ||
	       (key.mods == TUI_KEY_CTRL && (key.code == 'c' || key.code == 'g'));
}

/* One level back is never too early. */
static bool waits(const struct tui_app *app, struct tui_key key)
{
	struct tui_match match = {.binding = NULL};
	struct tui_chord chord = {.n = 0};
	enum tui_command command = TUI_COMMAND_NONE;

	if (app->ahead_count == TUI_AHEAD)
		return false;
	if (tui_macro_plays(app))
		return true;
	if (!tui_app_waits(app) || app->prompt)
		return false;
	if (app->chord.n == 0 && tui_keymap_feed(&app->keymap, tui_app_keyview(app), &chord, key,
						 &match) == TUI_CHORD_DONE)
		command = match.binding->command;
	return command != TUI_ACTION_CANCEL && command != TUI_ACTION_BACK &&
	       command != TUI_ACTION_QUIT && key.mods != TUI_KEY_CTRL;
}

static void catch_up(void *ctx)
{
	struct tui_app *app = ctx;

	while (app->ahead_count && !tui_app_waits(app) && !tui_macro_plays(app)) {
		struct tui_key key = app->ahead[0];

		memmove(app->ahead, app->ahead + 1, --app->ahead_count * sizeof key);
		loom_arena_reset(app->arena);
		tui_app_key(app, key);
	}
	if (app->over && app->stage)
		tui_stage_quit(app->stage);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

void tui_app_catch_up(struct tui_app *app)
{
	if (app->ahead_count)
		loom_loop_timer(app->loop, 0, catch_up, app);
}

static void typed(struct tui_app *app, struct tui_key key)
{
	if (is_stop(key) && tui_macro_stop(app))
		return;
	if (waits(app, key))
		app->ahead[app->ahead_count++] = key;
	else
		tui_app_key(app, key);
}

void tui_use_theme(struct tui_app *app, const struct tui_theme *theme)
{
	app->theme = *theme;
	tui_theme_upon(&app->theme, app->ground);
	if (app->stage)
		tui_stage_theme(app->stage, &app->theme);
}

static void take_reply(struct tui_app *app, struct loom_str reply)
{
	enum tui_background ground = tui_theme_ground(reply);
	struct tui_theme theme;

	if (ground == TUI_BACKGROUND_TERMINAL ||
	    tui_theme_named(loom_str_of(app->theme.name), &theme, NULL) != LOOM_OK)
		return;
	app->ground = ground;
	tui_use_theme(app, &theme);
}

void tui_app_event(struct tui_app *app, const struct tui_event *event)
{
	loom_arena_reset(app->arena);
	if (event->kind == TUI_EVENT_KEY)
		typed(app, event->key);
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
	return app->writes > 0 || app->looks > 0 || app->ahead_count > 0 || tui_level_waits(app) ||
	       tui_macro_plays(app);
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
