/* Saves a sitting for the next one: position, open nodes, marks and macros, in a file of the state
 * directory. */
#include <loom/desk/desk.h>
#include <loom/desk/looks.h>

#include <limits.h>

#include <loom/base/json.h>
#include <loom/files/path.h>
#include <loom/desk/levels.h>
#include <loom/desk/macro.h>
#include <loom/desk/position.h>
#include <loom/lists/side.h>
#include <loom/writing/command_line.h>

#include "inside.h"

#define SESSION_MAX   ((size_t)1 << 20)
#define TUI_KEPT_OPEN 200 /* open nodes saved per sitting */

static bool session_path(struct tui_app *app, struct loom_buf *out)
{
	struct loom_err err;

	loom_buf_init(out, PATH_MAX);
	if (loom_store_own_dir(app->store, out, &err) != LOOM_OK)
		return false;
	loom_buf_adds(out, "/session.json");
	return !out->bad;
}

static void put_open(struct tui_app *app, struct loom_json *json)
{
	const struct tui_items *items = app->outline.items;
	uint32_t at = tui_items_at(items, 0, NULL);
	int count = 0;

	loom_json_key(json, "open");
	loom_json_array(json);
	for (; at && count < TUI_KEPT_OPEN; at = tui_items_next(items, at)) {
		const struct tui_item *item = tui_items_get(items, at);
		if (!(item->flags & TUI_OUTLINE_OPEN) || tui_items_folded(items, at) ||
		    !tui_outline_group(&app->outline, at))
			continue;
		loom_json_number(json, (int64_t)item->key);
		count++;
	}
	loom_json_end_array(json);
}

static void put_marks(const struct tui_app *app, struct loom_json *json)
{
	loom_json_key(json, "marks");
	loom_json_object(json);
	for (int c = 33; c < 127; c++) {
		char name[2] = {(char)c, '\0'};
		if (app->trail->marks[c])
			loom_json_put_int(json, name, app->trail->marks[c]);
	}
	loom_json_end_object(json);
}

static void put_line(const struct tui_app *app, struct loom_json *json)
{
	size_t caret = 0;
	struct loom_str line = tui_prompt_typed(app, &caret);

	if (line.n) {
		loom_json_put(json, "line", line);
		loom_json_put_int(json, "caret", (int64_t)caret);
	}
}

static void take_line(struct tui_app *app, const cJSON *session)
{
	struct loom_str line = loom_json_str(session, "line");
	int64_t caret = 0;

	if (line.n && loom_json_int(session, "caret", &caret) && caret >= 0)
		tui_prompt_command(app, line, (size_t)caret < line.n ? (size_t)caret : line.n);
}

/* Where the person put the lines between panes. */
static const struct {
	const char *key;
	size_t at;
} splits[] = {
	{"columns", offsetof(struct tui_app, columns)},
	{"rows", offsetof(struct tui_app, rows_above)},
	{"list_columns", offsetof(struct tui_app, list_columns)},
	{"list_rows", offsetof(struct tui_app, list_rows)},
};

static void put_splits(const struct tui_app *app, struct loom_json *json)
{
	for (size_t i = 0; i < LOOM_COUNT(splits); i++)
		loom_json_put_int(json, splits[i].key,
				  *(const int *)((const char *)app + splits[i].at));
}

static void take_splits(struct tui_app *app, const cJSON *session)
{
	for (size_t i = 0; i < LOOM_COUNT(splits); i++) {
		int64_t cells = 0;

		if (loom_json_int(session, splits[i].key, &cells) && cells > 0 &&
		    cells < TUI_SIDE_MAX)
			*(int *)((char *)app + splits[i].at) = (int)cells;
	}
}

static void put_session(struct tui_app *app, struct loom_buf *out)
{
	struct loom_buf story = LOOM_BUF_INIT(128);
	struct loom_json json;

	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_story_mark(app->store, &story);
	loom_json_put(&json, "story", loom_buf_str(&story));
	loom_buf_fini(&story);
	loom_json_put(&json, "theme", loom_str_of(app->theme.name));
	loom_json_put(&json, "ground", loom_str_of(tui_ground_name(app->ground)));
	loom_json_put_bool(&json, "ground_set", app->ground_set);
	loom_json_put_bool(&json, "no_mouse", app->no_mouse);
	put_splits(app, &json);
	loom_json_put_int(&json, "tree", app->tree.id);
	loom_json_put_int(&json, "position", app->position);
	loom_json_put_int(&json, "root", app->outline.root);
	loom_json_put_int(&json, "above",
			  app->cursor ? (int64_t)(tui_items_row(app->outline.items, app->cursor) -
						  app->top)
				      : 0);
	loom_json_put_bool(&json, "reading", app->focus == TUI_PANE_READER);
	loom_json_put_bool(&json, "zoomed", app->zoomed);
	loom_json_put_bool(&json, "pruned", app->outline.pruned_too);
	loom_json_put_bool(&json, "map", app->outline.map);
	loom_json_put_bool(&json, "boundaries", app->reader.boundaries);
	loom_json_put_bool(&json, "memory", app->side && app->side_thread == app->thread);
	put_line(app, &json);
	put_open(app, &json);
	put_marks(app, &json);
	tui_macros_put(app, &json);
	loom_json_end_object(&json);
	loom_buf_addc(out, '\n');
}

/* A sitting that cannot be saved is no error. */
void tui_session_save(struct tui_app *app)
{
	static const struct loom_write_opts opts = {.any_name = true,
						    .derived = true,
						    .mode = 0600};
	struct loom_buf path;
	struct loom_buf text = LOOM_BUF_INIT(SESSION_MAX);

	tui_level_finish(app);
	put_session(app, &text);
	if (session_path(app, &path) && !text.bad)
		(void)!loom_file_write_with(loom_buf_cstr(&path), loom_buf_str(&text), NULL, &opts,
					    NULL);
	loom_buf_fini(&text);
	loom_buf_fini(&path);
}

static void take_open(struct tui_app *app, const cJSON *open_groups)
{
	const cJSON *one;
	struct loom_err err;

	cJSON_ArrayForEach(one, open_groups)
	{
		int64_t group = 0;
		uint32_t item = loom_json_whole(one, &group) && group > 0
					? tui_items_find(app->outline.items, (uint64_t)group)
					: 0;
		if (item && tui_outline_open(&app->outline, item, &err) != LOOM_OK)
			return;
	}
}

static void take_marks(struct tui_app *app, const cJSON *marks)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, marks)
	{
		unsigned char c = (unsigned char)one->string[0];
		if (c < LOOM_COUNT(app->trail->marks))
			(void)!loom_json_whole(one, &app->trail->marks[c]);
	}
}

static bool flag(const cJSON *session, const char *key)
{
	return cJSON_IsTrue(loom_json_get(session, key));
}

/* The file is written at the end; the thread's position may be slightly older or newer. */
static bool still_visible(struct tui_app *app, int64_t group)
{
	bool visible = false;

	return loom_group_visible(app->store, group, &visible, NULL, NULL) == LOOM_OK && visible;
}

static void take_session(struct tui_app *app, const cJSON *session)
{
	struct loom_err err;
	int64_t position = 0;
	int64_t root = 0;
	int64_t above = 0;
	int64_t row;
	uint32_t item = 0;

	if (loom_json_int(session, "position", &position) && position != app->position &&
	    still_visible(app, position))
		tui_go(app, position, TUI_GO_STEP);
	tui_focus(app, flag(session, "reading") ? TUI_PANE_READER : TUI_PANE_TREE);
	app->zoomed = flag(session, "zoomed");
	app->outline.pruned_too = flag(session, "pruned");
	app->outline.map = flag(session, "map");
	app->reader.boundaries = !cJSON_IsFalse(loom_json_get(session, "boundaries"));
	take_marks(app, loom_json_get(session, "marks"));
	if (!loom_json_int(session, "root", &root) ||
	    tui_outline_reset(&app->outline, root, &err) != LOOM_OK)
		tui_must(app, tui_outline_reset(&app->outline, app->tree.root, &err), &err);
	take_open(app, loom_json_get(session, "open"));
	if (tui_outline_show(&app->outline, app->position, &item, &err) == LOOM_NOT_FOUND)
		tui_go(app, app->position, TUI_GO_STEP);
	item = tui_items_find(app->outline.items, (uint64_t)app->position);
	tui_set_cursor(app, item ? item : tui_items_at(app->outline.items, 0, NULL));
	loom_json_int(session, "above", &above);
	row = (int64_t)tui_items_row(app->outline.items, app->cursor);
	app->top = above >= 0 && row > above ? (uint64_t)(row - above) : 0;
}

void tui_session_load(struct tui_app *app)
{
	static const struct loom_read_opts opts = {.max = SESSION_MAX};
	struct loom_buf path;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	cJSON *session = NULL;
	struct tui_theme theme;
	int64_t tree = 0;

	if (session_path(app, &path) &&
	    loom_file_read_at(loom_buf_cstr(&path), &opts, &text, NULL) == LOOM_OK &&
	    loom_json_parse(loom_buf_str(&text), NULL, &session, NULL) == LOOM_OK) {
		if (tui_theme_named(loom_json_str(session, "theme"), &theme, NULL) == LOOM_OK)
			app->theme = theme;
		app->ground_set = flag(session, "ground_set");
		if (tui_ground_find(loom_json_str(session, "ground"), &app->ground))
			tui_theme_upon(&app->theme, app->ground);
		app->no_mouse = flag(session, "no_mouse");
		take_splits(app, session);
		tui_macros_take(app, loom_json_get(session, "macros"));
		if (!loom_json_int(session, "tree", &tree) || !tree)
			tree = -1; /* the last sitting ended without a tree */
		if (!loom_story_holds(app->store, loom_json_str(session, "story")))
			tree = -1; /* its places belong to other content */
		if (tree == app->tree.id)
			take_session(app, session);
		if (tree == app->tree.id && flag(session, "memory"))
			tui_side_open(app);
		take_line(app, session);
	}
	cJSON_Delete(session);
	loom_buf_fini(&text);
	loom_buf_fini(&path);
}
