/* The whole program without a terminal, for tests of the screen: keys in, a picture out. */
#ifndef LOOM_TESTS_SUPPORT_TABLE_H
#define LOOM_TESTS_SUPPORT_TABLE_H

#include <signal.h>
#include <unistd.h>

#include "support/grove.h"
#include "support/prop.h"
#include "support/scene.h"
#include <loom/program/app.h>

struct table {
	struct grove grove;
	struct tui_app *app;
	struct tui_grid grid;
	struct loom_buf text;
	int w, h; /* of the picture that table_shows looks at */
};

/* A grove without a tree; what is to be there is made before table_open. */
static inline void table_begin(struct table *table, int w, int h)
{
	*table = (struct table){.w = w, .h = h};
	signal(SIGPIPE, SIG_IGN); /* as the program has it */
	grove_init(&table->grove);
	tui_grid_init(&table->grid, false);
	loom_buf_init(&table->text, 1 << 22);
}

/* A grove with one tree. */
static inline void table_init(struct table *table)
{
	table_begin(table, 150, 40);
	grove_tree(&table->grove, LOOM_DIALOGUE, "A beginning.");
}

static inline void table_open(struct table *table)
{
	struct tui_app_opts opts = {.env = &table->grove.env,
				    .dir = loom_str_of(table->grove.temp.path)};
	struct loom_err err;

	grove_must(tui_app_open(&table->app, &opts, &err), &err, "app");
}

/* Of one that was not laid, or is over: nothing. */
static inline void table_fini(struct table *table)
{
	tui_app_close(table->app);
	tui_grid_fini(&table->grid);
	loom_buf_fini(&table->text);
	grove_fini(&table->grove);
	*table = (struct table){.app = NULL};
}

/* Each key, and what it sets off to its end. */
static inline void table_type(struct table *table, const char *keys)
{
	struct loom_str text = loom_str_of(keys);
	struct tui_event event = {.kind = TUI_EVENT_KEY};

	for (size_t at = 0; at < text.n;) {
		if (text.p[at] == ' ') {
			event.key = (struct tui_key){.code = ' '};
			at++;
		} else if (!tui_key_parse(text, &at, &event.key)) {
			break;
		}
		tui_app_event(table->app, &event);
		tui_app_work(table->app, true);
	}
	tui_app_work(table->app, true);
}

static inline void table_paste(struct table *table, struct loom_str text)
{
	struct tui_event event = {.kind = TUI_EVENT_PASTE, .text = text};

	tui_app_event(table->app, &event);
	tui_app_work(table->app, true);
}

/* NULL, or what is wrong with the picture of this size. */
static inline const char *table_draw(struct table *table, int w, int h)
{
	tui_grid_reset(&table->grid, w, h);
	tui_app_draw(table->app, &table->grid);
	return tui_grid_fault(&table->grid);
}

static inline bool table_shows(struct table *table, const char *what)
{
	loom_buf_clear(&table->text);
	table_draw(table, table->w, table->h);
	tui_grid_text(&table->grid, &table->text);
	if (getenv("SHOW"))
		fprintf(stderr, "%s----\n", loom_buf_cstr(&table->text));
	return strstr(loom_buf_cstr(&table->text), what) != NULL;
}

static inline bool table_has(struct table *table, const char *path)
{
	char *full = temp_path(&table->grove.temp, path);
	bool there = access(full, F_OK) == 0;

	free(full);
	return there;
}

/* Whether the file holds the text. */
static inline bool table_holds(struct table *table, const char *path, const char *what)
{
	char *full = temp_path(&table->grove.temp, path);
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	bool held = temp_read(full, &text) && strstr(loom_buf_cstr(&text), what);

	free(full);
	loom_buf_fini(&text);
	return held;
}

/* NULL, or what is wrong with one of the pictures from 1x1 to 300x100; `cursor`: the focus has to
 * show one. */
static inline const char *table_sizes(struct table *table, bool cursor)
{
	for (int w = 1; w <= 300; w += w < 12 ? 1 : 36) {
		for (int h = 1; h <= 100; h += h < 15 ? 1 : 17) {
			const char *wrong = table_draw(table, w, h);

			if (wrong)
				return wrong;
			if (cursor && !table->grid.cursor_shown && h >= 3 && w >= 3)
				return "the focus has no cursor";
		}
	}
	return NULL;
}

/* Runs table_sizes after each of these key sequences. */
static inline const char *table_walk(struct table *table, const char *const *keys, size_t count,
				     bool cursor)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < count && !wrong; i++) {
		table_type(table, keys[i]);
		wrong = table_sizes(table, cursor);
	}
	return wrong;
}

/* Random keys out of `keys` (Esc, Tab and Enter as themselves), `often` typed now and then between
 * them; NULL, or what is wrong with a picture on the way. */
static inline const char *table_storm(struct table *table, uint64_t seed, const char *keys,
				      const char *often)
{
	struct prop prop;

	prop_init_seed(&prop, seed);
	table_type(table, often);
	for (int i = 0; i < 300; i++) {
		struct tui_event event = {.kind = TUI_EVENT_KEY};
		unsigned char c = (unsigned char)keys[prop_between(&prop, 0, strlen(keys) - 1)];
		const char *wrong;

		event.key.code = c == '\x1b' ? (uint32_t)TUI_KEY_ESC
				 : c == '\t' ? (uint32_t)TUI_KEY_TAB
				 : c == '\r' ? (uint32_t)TUI_KEY_ENTER
					     : c;
		tui_app_event(table->app, &event);
		if (i % 40 == 0)
			table_type(table, often);
		wrong = table_draw(table, (int)prop_between(&prop, 1, 160),
				   (int)prop_between(&prop, 1, 50));
		if (wrong)
			return wrong;
	}
	return NULL;
}

/* The table that a suite's tests sit down at one after the other; each lays it for itself. */
static struct table table;

static inline void tear_down(void *unused)
{
	(void)unused;
	table_fini(&table);
}

#endif
