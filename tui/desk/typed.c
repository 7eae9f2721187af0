/* Typed keys: they form sequences, wait for an answer that is near, or go into a text. A complete
 * sequence runs its command. */
#include <loom/desk/desk.h>
#include <loom/desk/macro.h>
#include <loom/parts/lineedit.h>
#include <loom/desk/typed.h>
#include <loom/desk/workers.h>

static void on_which(void *ctx)
{
	struct tui_app *app = ctx;

	app->typing->which_timer = 0;
	app->typing->which = app->typing->chord.n > 0;
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void forget_which(struct tui_app *app)
{
	loom_loop_timer_cancel(app->loop, app->typing->which_timer);
	app->typing->which_timer = 0;
	app->typing->which = false;
}

bool tui_stop_work(struct tui_app *app)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->stop && (*view)->stop(app))
			return true;
	return false;
}

/* Stops work that Esc leaves alone. */
static bool stop_more(struct tui_app *app)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->interrupt && (*view)->interrupt(app))
			return true;
	return false;
}

/* C-c stops work. When there is none it says how to leave, since a habit must not cost a draft. */
static void interrupt(struct tui_app *app)
{
	app->typing->chord = (struct tui_chord){.n = 0};
	if (!tui_stop_work(app) && !stop_more(app))
		tui_say(app, TUI_ROLE_TEXT, "nothing to stop · %s",
			app->writing || app->prompt ? "Esc leaves this text" : "Q leaves loom");
}

/* Where letters are text, a key without a binding goes into the text. */
static bool is_typed(struct tui_app *app, struct tui_key key)
{
	const struct tui_view *view = tui_view_in_front(app);

	return view && view->key &&
	       ((view->types && view->types(app, key)) ||
		!tui_keymap_exact(&app->keymap, tui_app_keyview(app), &key, 1)) &&
	       view->key(app, key);
}

/* Questions come before what cannot be undone: y confirms, n only cancels; any other key cancels
 * and does what it usually does. */
static bool answered(struct tui_app *app, struct tui_key key)
{
	void (*yes)(struct tui_app * app) = app->asked;

	app->asked = NULL;
	if (!yes || key.mods || (key.code != 'y' && key.code != 'n'))
		return false;
	if (key.code == 'y')
		yes(app);
	return true;
}

static void no_key(struct tui_app *app, struct tui_chord typed, struct tui_key key)
{
	struct loom_buf keys = LOOM_BUF_INIT(256);

	if (typed.n)
		tui_chord_spell(&typed, &keys);
	tui_keys_show(&key, 1, &keys);
	tui_stuck(app, "%s does nothing here · ? lists all keys", loom_buf_cstr(&keys));
	loom_buf_fini(&keys);
}

void tui_app_key(struct tui_app *app, struct tui_key key)
{
	const struct tui_chord before = app->typing->chord;
	struct tui_match match;
	bool shown = app->typing->which;

	tui_hush(app);
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
	if (app->typing->chord.n == 0 && is_typed(app, key))
		return;
	switch (tui_keymap_feed(&app->keymap, tui_app_keyview(app), &app->typing->chord, key,
				&match)) {
	case TUI_CHORD_DONE:
		tui_app_command(app, &match);
		break;
	case TUI_CHORD_PENDING:
		app->typing->which = shown && app->typing->chord.n > 0;
		if (app->typing->chord.n && !app->typing->which)
			app->typing->which_timer =
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
	/* Without a tree, a write under way may be creating the tree that the keys are for. */
	bool waits = !app->tree.id && app->work->writes && !app->importing;

	for (const struct tui_view *const *view = app->views; *view && !waits; view++)
		waits = (*view)->waits && (*view)->waits(app);
	return waits;
}

static bool is_stop(struct tui_key key)
{
	return key.code == TUI_KEY_ESC ||
	       (key.mods == TUI_KEY_CTRL && (key.code == 'c' || key.code == 'g'));
}

/* Going back one level never has to wait. */
static bool waits(const struct tui_app *app, struct tui_key key)
{
	struct tui_match match = {.binding = NULL};
	struct tui_chord chord = {.n = 0};
	enum tui_command command = TUI_COMMAND_NONE;

	if (app->typing->ahead_count == TUI_AHEAD)
		return false;
	if (tui_macro_plays(app))
		return true;
	if (!tui_app_waits(app) || app->prompt)
		return false;
	if (app->typing->chord.n == 0 && tui_keymap_feed(&app->keymap, tui_app_keyview(app), &chord,
							 key, &match) == TUI_CHORD_DONE)
		command = match.binding->command;
	return command != TUI_ACTION_CANCEL && command != TUI_ACTION_BACK &&
	       command != TUI_ACTION_QUIT && key.mods != TUI_KEY_CTRL;
}

static void catch_up(void *ctx)
{
	struct tui_app *app = ctx;

	while (app->typing->ahead_count && !tui_app_waits(app) && !tui_macro_plays(app)) {
		struct tui_key key = app->typing->ahead[0];

		memmove(app->typing->ahead, app->typing->ahead + 1,
			--app->typing->ahead_count * sizeof key);
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
	if (app->typing->ahead_count)
		loom_loop_timer(app->loop, 0, catch_up, app);
}

/* Whether a key goes on with what was typed, or edits the text that is open. */
static bool is_bound(const struct tui_app *app, struct tui_key key)
{
	const struct tui_view *view = tui_view_in_front(app);
	struct tui_chord chord = app->typing->chord;
	struct tui_way way;

	if (chord.n == TUI_CHORD_MAX)
		return false;
	chord.keys[chord.n++] = key;
	return tui_keymap_exact(&app->keymap, tui_app_keyview(app), chord.keys, chord.n) ||
	       tui_keymap_ways(&app->keymap, tui_app_keyview(app), &chord, &way, 1) > 0 ||
	       (view && view->key && tui_edit_binds(key));
}

void tui_typed(struct tui_app *app, struct tui_key key)
{
	/* Esc and a key at once are the bytes of Alt with that key. */
	if ((key.mods & TUI_KEY_ALT) && !is_bound(app, key)) {
		tui_typed(app, (struct tui_key){.code = TUI_KEY_ESC});
		key.mods = (uint8_t)(key.mods & ~TUI_KEY_ALT);
	}
	if (is_stop(key) && tui_macro_stop(app))
		return;
	if (waits(app, key))
		app->typing->ahead[app->typing->ahead_count++] = key;
	else
		tui_app_key(app, key);
}

/* Whether something of a view is under way. */
bool tui_views_busy(const struct tui_app *app)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->busy && (*view)->busy(app))
			return true;
	return false;
}

void tui_forget_chord(struct tui_app *app)
{
	forget_which(app);
	app->typing->chord = (struct tui_chord){.n = 0};
	tui_hush(app);
}

static void begin(struct tui_app *app)
{
	app->typing = loom_alloc(sizeof *app->typing);
}

static void closed(struct tui_app *app)
{
	free(app->typing);
}

const struct tui_view tui_view_typing = {
	.told = {[TUI_TOLD_BEGIN] = begin, [TUI_TOLD_CLOSED] = closed}};
