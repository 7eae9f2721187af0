/* The whole program without a terminal: keys in, grids out. Included by tests of the screen. */
#ifndef LOOM_TESTS_SUPPORT_TABLE_H
#define LOOM_TESTS_SUPPORT_TABLE_H

#include "grove.h"
#include "tui/app.h"

struct table {
	struct grove grove;
	struct tui_app *app;
	struct tui_grid grid;
};

/* The program on a grove that was filled between the two. */
static inline void table_begin(struct table *table)
{
	grove_init(&table->grove);
	tui_grid_init(&table->grid, false);
}

static inline void table_open(struct table *table)
{
	struct tui_app_opts opts = {.env = &table->grove.env,
				    .dir = loom_str_of(table->grove.temp.path)};
	struct loom_err err;

	grove_must(tui_app_open(&table->app, &opts, &err), &err, "app");
}

static inline void tear_down(struct table *table)
{
	tui_app_close(table->app);
	tui_grid_fini(&table->grid);
	grove_fini(&table->grove);
}

static inline void type(struct table *table, const char *keys)
{
	struct loom_str text = loom_str_of(keys);
	struct tui_event event = {.kind = TUI_EVENT_KEY};

	for (size_t at = 0; at < text.n;) {
		event.key = (struct tui_key){.code = ' '};
		if (text.p[at] == ' ')
			at++;
		else if (!tui_key_parse(text, &at, &event.key))
			break;
		tui_app_event(table->app, &event);
	}
	tui_app_work(table->app, true);
}

static inline const char *draw(struct table *table, int w, int h)
{
	tui_grid_reset(&table->grid, w, h);
	tui_app_draw(table->app, &table->grid);
	return tui_grid_fault(&table->grid);
}

static inline bool shows(struct table *table, const char *what)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 22);
	bool found;

	draw(table, 100, 30);
	tui_grid_text(&table->grid, &text);
	found = strstr(loom_buf_cstr(&text), what) != NULL;
	if (getenv("SHOW"))
		fprintf(stderr, "%s----\n", loom_buf_cstr(&text));
	loom_buf_fini(&text);
	return found;
}

/* NULL, or what is wrong with the picture at some size from 1x1 to 300x100. */
static inline const char *every_size(struct table *table)
{
	const char *wrong = NULL;

	for (int w = 1; w <= 300 && !wrong; w += w < 12 ? 1 : w == 286 ? 14 : 37)
		for (int h = 1; h <= 100 && !wrong; h += h < 12 ? 1 : 22)
			wrong = draw(table, w, h);
	return wrong;
}

#endif
