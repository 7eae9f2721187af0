/* Macros: recorded keys, replayed. A macro is stored as the spelling of its keys, so it is readable
 * and survives the program. Keys are played one by one, each after the answer to the one before;
 * the first that can do nothing ends the macro. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include <loom/base/json.h>
#include <loom/desk/macro.h>
#include <loom/desk/typed.h>
#include <loom/desk/workers.h>

#define KEYS_MAX   4096  /* length of a macro in bytes */
#define PLAYED_MAX 10000 /* keys in one playback: a macro may call itself */
#define AT_ONCE    100   /* keys played before other events get their turn */
#define NAMES      128

struct tui_macros {
	struct loom_buf keys[NAMES];
	char recording; /* name of the macro being recorded; 0 for none */
	char last;      /* the macro played last */
	struct loom_buf queue;
	size_t at; /* position in the queue */
	size_t played;
	bool timed; /* a timer will continue */
};

static struct tui_macros *macros(struct tui_app *app)
{
	if (!app->macros) {
		app->macros = loom_alloc(sizeof *app->macros);
		for (size_t i = 0; i < NAMES; i++)
			loom_buf_init(&app->macros->keys[i], KEYS_MAX);
		loom_buf_init(&app->macros->queue, LOOM_BUF_MAX);
	}
	return app->macros;
}

void tui_macros_free(struct tui_app *app)
{
	for (size_t i = 0; app->macros && i < NAMES; i++)
		loom_buf_fini(&app->macros->keys[i]);
	if (app->macros)
		loom_buf_fini(&app->macros->queue);
	free(app->macros);
	app->macros = NULL;
}

char tui_macro_recording(const struct tui_app *app)
{
	return app->macros ? app->macros->recording : '\0';
}

bool tui_macro_plays(const struct tui_app *app)
{
	return app->macros && app->macros->at < app->macros->queue.n;
}

/* --- recording --- */

static bool names_one(struct tui_key key)
{
	return key.code > ' ' && key.code < 0x7f && !key.mods;
}

static void record(struct tui_app *app, struct tui_key name)
{
	if (!names_one(name)) {
		tui_stuck(app, "a macro's name is a letter or a digit");
		return;
	}
	macros(app)->recording = (char)name.code;
	loom_buf_clear(&app->macros->keys[name.code]);
	tui_say(app, TUI_ROLE_TEXT, "recording %c · the same key stops", (int)name.code);
}

static void end_recording(struct tui_app *app)
{
	struct tui_macros *all = app->macros;
	const struct loom_buf *keys = &all->keys[(unsigned char)all->recording];

	tui_say(app, TUI_ROLE_OK, "macro %c: %s", all->recording,
		keys->n ? loom_buf_cstr(keys) : "nothing");
	all->recording = '\0';
}

/* The key that starts a recording also ends it. */
static bool ends(const struct tui_app *app, struct tui_key key)
{
	const struct tui_key keys[] = {key, {.code = 'a'}};
	const struct tui_binding *binding =
		tui_keymap_exact(&app->keymap, tui_app_keyview(app), keys, LOOM_COUNT(keys));

	return app->typing->chord.n == 0 && binding && binding->command == TUI_ACTION_RECORD;
}

bool tui_macro_record(struct tui_app *app, struct tui_key key)
{
	struct loom_buf *keys;

	if (!tui_macro_recording(app) || app->macros->played)
		return false;
	if (ends(app, key)) {
		end_recording(app);
		return true;
	}
	keys = &app->macros->keys[(unsigned char)app->macros->recording];
	tui_key_spell(key, keys);
	if (keys->bad) {
		loom_buf_clear(keys);
		app->macros->recording = '\0';
		tui_say(app, TUI_ROLE_WARN, "too long for a macro: recording discarded");
	}
	return false;
}

/* --- playing --- */

static void stop(struct tui_app *app)
{
	loom_buf_clear(&app->macros->queue);
	app->macros->at = app->macros->played = 0;
	tui_app_catch_up(app);
}

bool tui_macro_stop(struct tui_app *app)
{
	if (!tui_macro_plays(app))
		return false;
	stop(app);
	tui_say(app, TUI_ROLE_WARN, "macro stopped");
	return true;
}

/* While a lookup or write is under way the next key must wait: it refers to the result. */
static bool blocked(const struct tui_app *app)
{
	return app->work->writes > 0 || tui_views_busy(app) || tui_app_waits(app);
}

/* False when it cannot go on for now. */
static bool play_one(struct tui_app *app)
{
	struct tui_macros *all = app->macros;
	struct tui_key key;

	if (!tui_key_parse(loom_buf_str(&all->queue), &all->at, &key) ||
	    all->played++ >= PLAYED_MAX) {
		tui_say(app, TUI_ROLE_WARN, "macro stopped after %d keys", PLAYED_MAX);
		return false;
	}
	loom_arena_reset(app->arena);
	tui_app_key(app, key);
	return !app->stuck && !app->over;
}

static void go_on(void *ctx)
{
	struct tui_app *app = ctx;

	app->macros->timed = false;
	tui_macro_go(app);
	if (app->over && app->stage)
		tui_stage_quit(app->stage);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

void tui_macro_go(struct tui_app *app)
{
	int keys = 0;

	if (!tui_macro_plays(app) || app->macros->timed)
		return;
	if (app->stuck) { /* by the answer that just came */
		stop(app);
		return;
	}
	while (tui_macro_plays(app) && !blocked(app) && keys++ < AT_ONCE)
		if (!play_one(app))
			app->macros->at = app->macros->queue.n;
	if (!tui_macro_plays(app)) {
		stop(app);
	} else if (!blocked(app)) {
		app->macros->timed = true;
		loom_loop_timer(app->loop, 0, go_on, app);
	}
}

/* Queued before the keys still to be played, since a macro may call another. */
static void queue(struct tui_app *app, const struct loom_buf *keys, int count)
{
	struct tui_macros *all = app->macros;
	struct loom_buf next = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (int i = 0; i < count && keys->n * (size_t)i < PLAYED_MAX * 8; i++)
		loom_buf_add(&next, loom_buf_str(keys));
	loom_buf_add(&next, loom_str_sub(loom_buf_str(&all->queue), all->at, SIZE_MAX));
	loom_buf_fini(&all->queue);
	all->queue = next;
	all->at = 0;
	if (!all->timed) {
		all->timed = true;
		loom_loop_timer(app->loop, 0, go_on, app);
	}
}

static void play(struct tui_app *app, struct tui_key name, int count)
{
	struct tui_macros *all = macros(app);
	char which = names_one(name) ? (char)name.code : '\0';

	if (which == '@')
		which = all->last;
	if (!which || !all->keys[(unsigned char)which].n) {
		tui_stuck(app, "no macro %c: M and a letter record one",
			  which             ? which
			  : names_one(name) ? (int)name.code
					    : '?');
		return;
	}
	if (which == all->recording) {
		tui_stuck(app, "macro %c is still being recorded", which);
		return;
	}
	all->last = which;
	queue(app, &all->keys[(unsigned char)which], count > 0 ? count : 1);
}

TUI_DO(RECORD)
{
	record(app, match->any);
}

TUI_DO(PLAY)
{
	play(app, match->any, match->count);
}

/* --- between two sittings --- */

void tui_macros_put(const struct tui_app *app, struct loom_json *json)
{
	loom_json_key(json, "macros");
	loom_json_object(json);
	for (size_t c = 0; app->macros && c < NAMES; c++) {
		const char name[2] = {(char)c, '\0'};
		if (app->macros->keys[c].n)
			loom_json_put(json, name, loom_buf_str(&app->macros->keys[c]));
	}
	loom_json_end_object(json);
}

/* Whether the text is a sequence of valid keys. */
static bool are_keys(struct loom_str text)
{
	struct tui_key key;

	for (size_t at = 0; at < text.n;)
		if (!tui_key_parse(text, &at, &key))
			return false;
	return text.n > 0 && text.n < KEYS_MAX;
}

void tui_macros_take(struct tui_app *app, const cJSON *kept)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, kept)
	{
		unsigned char name = (unsigned char)one->string[0];
		struct loom_str keys = loom_str_of(cJSON_IsString(one) ? one->valuestring : "");

		if (name < NAMES && are_keys(keys)) {
			loom_buf_clear(&macros(app)->keys[name]);
			loom_buf_add(&app->macros->keys[name], keys);
		}
	}
}
