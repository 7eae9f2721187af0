/* The line at the bottom: a command with completions above it, an incremental search, a filter of
 * the list. Nothing typed is lost: a line left with Esc comes back with Up. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/looks.h>

#include <loom/text/sanitise.h>
#include <loom/parts/lineedit.h>
#include <loom/text/width.h>
#include <loom/writing/command_line.h>
#include <loom/writing/complete.h>

#define HISTORY 200
#define SHOWN   8 /* completions shown at once */

/* The history of lines. */
struct tui_lines {
	struct loom_buf *items;
	size_t count;
};

struct tui_prompt {
	const struct tui_line_kind *kind;
	const char *sign;
	tui_take_fn *take; /* for a line opened by tui_prompt_line */
	struct tui_edit edit;
	struct loom_arena *arena;
	struct tui_completions ways;
	size_t chosen;         /* SIZE_MAX for none */
	size_t at;             /* in the history; the count when not in it */
	struct loom_buf own;   /* the typed line, while browsing the history */
	struct loom_buf shown; /* the line with fold labels, when something is folded */
	char theme[48];        /* the theme before others were tried; empty: none was */
};

static const struct tui_line_kind commands, words;

static void complete(struct tui_app *app)
{
	struct tui_prompt *prompt = app->prompt;

	prompt->chosen = SIZE_MAX;
	loom_arena_reset(prompt->arena);
	prompt->ways = (struct tui_completions){.count = 0};
	if (prompt->kind == &commands)
		tui_complete(app, tui_edit_text(&prompt->edit), prompt->edit.caret, prompt->arena,
			     &prompt->ways);
}

void tui_prompt_open(struct tui_app *app, const struct tui_line_kind *kind, struct loom_str text,
		     size_t caret)
{
	struct tui_prompt *prompt = loom_alloc(sizeof *prompt);

	tui_prompt_close(app);
	prompt->kind = kind;
	prompt->sign = kind->sign;
	prompt->arena = loom_arena_create();
	prompt->at = app->lines->count;
	loom_buf_init(&prompt->own, TUI_EDIT_MAX);
	loom_buf_init(&prompt->shown, TUI_EDIT_MAX);
	tui_edit_init(&prompt->edit, false);
	tui_edit_set(&prompt->edit, text);
	if (caret != SIZE_MAX)
		tui_edit_to(&prompt->edit, caret);
	app->prompt = prompt;
	complete(app);
}

void tui_prompt_command(struct tui_app *app, struct loom_str text, size_t caret)
{
	tui_prompt_open(app, &commands, text, caret);
}

bool tui_prompt_is(const struct tui_app *app, const struct tui_line_kind *kind)
{
	return app->prompt && app->prompt->kind == kind;
}

void tui_prompt_line(struct tui_app *app, const char *sign, struct loom_str text, tui_take_fn *take)
{
	tui_prompt_open(app, &words, text, SIZE_MAX);
	app->prompt->sign = sign;
	app->prompt->take = take;
}

void tui_prompt_lines(struct tui_app *app, const char *sign, struct loom_str text,
		      tui_take_fn *take)
{
	tui_prompt_line(app, sign, LOOM_STR(""), take);
	app->prompt->edit.many_lines = true;
	tui_edit_set(&app->prompt->edit, text);
}

struct loom_str tui_prompt_typed(const struct tui_app *app, size_t *out_caret)
{
	const struct tui_prompt *prompt = app->prompt;

	*out_caret = 0;
	if (!prompt || prompt->kind != &commands)
		return (struct loom_str){NULL, 0};
	*out_caret = prompt->edit.caret;
	return tui_edit_text(&prompt->edit);
}

void tui_prompt_close(struct tui_app *app)
{
	struct tui_prompt *prompt = app->prompt;

	if (!prompt)
		return;
	app->prompt = NULL;
	tui_edit_fini(&prompt->edit);
	loom_buf_fini(&prompt->own);
	loom_buf_fini(&prompt->shown);
	loom_arena_destroy(prompt->arena);
	free(prompt);
}

/* --- history --- */

struct loom_str tui_prompt_history(const struct tui_app *app, size_t age)
{
	if (!age || age > app->lines->count)
		return (struct loom_str){NULL, 0};
	return loom_buf_str(&app->lines->items[app->lines->count - age]);
}

static void keep_line(struct tui_app *app, struct loom_str line)
{
	if (!app->lines->items)
		app->lines->items = loom_alloc(HISTORY * sizeof *app->lines->items);
	if (line.n == 0 ||
	    (app->lines->count &&
	     loom_str_eq(line, loom_buf_str(&app->lines->items[app->lines->count - 1]))))
		return;
	if (app->lines->count == HISTORY) {
		loom_buf_fini(&app->lines->items[0]);
		memmove(app->lines->items, app->lines->items + 1,
			(HISTORY - 1) * sizeof *app->lines->items);
		app->lines->count--;
	}
	loom_buf_init(&app->lines->items[app->lines->count], TUI_EDIT_MAX);
	loom_buf_add(&app->lines->items[app->lines->count++], line);
}

static void from_history(struct tui_app *app, int by)
{
	struct tui_prompt *prompt = app->prompt;
	int64_t at = (int64_t)prompt->at + by;

	if (prompt->kind != &commands || at < 0 || at > (int64_t)app->lines->count)
		return;
	if (prompt->at == app->lines->count) {
		loom_buf_clear(&prompt->own);
		loom_buf_add(&prompt->own, tui_edit_text(&prompt->edit));
	}
	prompt->at = (size_t)at;
	tui_edit_set(&prompt->edit, loom_buf_str(prompt->at == app->lines->count
							 ? &prompt->own
							 : &app->lines->items[prompt->at]));
	complete(app);
}

/* --- what typing does --- */

/* Shows the theme that the line names. */
static void try_theme(struct tui_app *app)
{
	struct tui_prompt *prompt = app->prompt;
	const struct loom_str line = tui_edit_text(&prompt->edit);
	char before[sizeof prompt->theme];

	snprintf(before, sizeof before, "%s", app->theme.name);
	if (prompt->kind == &commands && loom_str_starts(line, LOOM_STR("theme ")) &&
	    tui_try_theme(app, loom_str_trim(loom_str_sub(line, 6, line.n))) && !prompt->theme[0])
		memcpy(prompt->theme, before, sizeof before);
}

/* A theme that was only looked at is not kept. */
static void put_theme_back(struct tui_app *app)
{
	if (app->prompt->theme[0])
		(void)tui_try_theme(app, loom_str_of(app->prompt->theme));
}

static void changed(struct tui_app *app)
{
	const struct tui_prompt *prompt = app->prompt;

	try_theme(app);
	complete(app);
	if (prompt->kind->changed)
		prompt->kind->changed(app, tui_edit_text(&prompt->edit));
}

bool tui_prompt_key(struct tui_app *app, struct tui_key key)
{
	struct tui_prompt *prompt = app->prompt;
	uint64_t before = prompt->edit.changes;

	if (!tui_edit_key(&prompt->edit, key))
		return false;
	if (prompt->edit.changes != before || prompt->kind == &commands)
		changed(app);
	return true;
}

void tui_prompt_paste(struct tui_app *app, struct loom_str text)
{
	tui_edit_paste(&app->prompt->edit, text);
	changed(app);
}

static void take_way(struct tui_app *app, int by)
{
	struct tui_prompt *prompt = app->prompt;
	const struct tui_completion *way;
	struct loom_str line = tui_edit_text(&prompt->edit);
	size_t count = prompt->ways.count;
	size_t chosen;
	size_t to;

	if (count == 0) {
		tui_edit_fold(&prompt->edit);
		return;
	}
	chosen = prompt->chosen == SIZE_MAX ? (by > 0 ? 0 : count - 1)
					    : (prompt->chosen + count + (size_t)by) % count;
	way = &prompt->ways.items[chosen];
	to = prompt->edit.caret;
	/* Do not close a quote that is already closed. */
	if (loom_str_ends(way->text, LOOM_STR("\"")) && to < line.n && line.p[to] == '"')
		to++;
	tui_edit_replace(&prompt->edit, prompt->ways.from, to, way->text);
	prompt->chosen = chosen;
	try_theme(app);
	if (count == 1)
		complete(app);
}

static void accept(struct tui_app *app)
{
	struct tui_prompt *prompt = app->prompt;
	const struct tui_line_kind *kind = prompt->kind;
	struct loom_buf line = LOOM_BUF_INIT(TUI_EDIT_MAX);
	tui_take_fn *take = prompt->take;

	loom_buf_add(&line, loom_str_trim(tui_edit_text(&prompt->edit)));
	put_theme_back(app);
	tui_prompt_close(app);
	if (kind == &commands && line.n) {
		keep_line(app, loom_buf_str(&line));
		tui_app_line(app, loom_buf_cstr(&line));
	} else if (kind == &words && line.n) {
		take(app, loom_buf_str(&line));
	} else if (kind->accept) {
		kind->accept(app, loom_buf_str(&line));
	}
	loom_buf_fini(&line);
}

static void leave(struct tui_app *app)
{
	struct tui_prompt *prompt = app->prompt;
	const struct tui_line_kind *kind = prompt->kind;

	if (kind == &commands)
		keep_line(app, loom_str_trim(tui_edit_text(&prompt->edit)));
	put_theme_back(app);
	tui_prompt_close(app);
	if (kind->left)
		kind->left(app);
}

/* Goes back in the history to a line that contains what was typed before. */
static void history_find(struct tui_app *app)
{
	struct tui_prompt *prompt = app->prompt;
	struct loom_str what;
	size_t at;

	if (prompt->kind != &commands)
		return;
	if (prompt->at == app->lines->count) {
		loom_buf_clear(&prompt->own);
		loom_buf_add(&prompt->own, tui_edit_text(&prompt->edit));
	}
	what = loom_buf_str(&prompt->own);
	for (at = prompt->at; at-- > 0;) {
		struct loom_str line = loom_buf_str(&app->lines->items[at]);
		if (what.n == 0 || loom_str_find(line, what, 0) != SIZE_MAX)
			break;
	}
	if (at == SIZE_MAX)
		return;
	prompt->at = at;
	tui_edit_set(&prompt->edit, loom_buf_str(&app->lines->items[at]));
	complete(app);
}

/* In a text of several lines they move the caret. */
static void up_or_down(struct tui_app *app, int by)
{
	if (app->prompt->kind->step)
		app->prompt->kind->step(app, by);
	else
		from_history(app, by);
}

TUI_DO(ACCEPT)
{
	accept(app);
}

TUI_DO(COMPLETE)
{
	take_way(app, 1);
}

TUI_DO(COMPLETE_PREV)
{
	take_way(app, -1);
}

TUI_DO(HISTORY_PREV)
{
	up_or_down(app, -1);
}

TUI_DO(HISTORY_NEXT)
{
	up_or_down(app, 1);
}

TUI_DO(HISTORY_FIND)
{
	history_find(app);
}

TUI_MEANS(cancel)
{
	leave(app);
	return true;
}

static bool is_there(const struct tui_app *app)
{
	return app->prompt != NULL;
}

static enum tui_keyview keys(const struct tui_app *app)
{
	(void)app;
	return TUI_KEYVIEW_PROMPT;
}

/* A command that means nothing in a line must not reach the views behind it. */
static bool on_command(struct tui_app *app, const struct tui_match *match)
{
	static const struct tui_meaning means[] = {{TUI_ACTION_CANCEL, cancel, 0},
						   {.command = TUI_COMMAND_NONE}};

	(void)!(tui_means(means, app, match) || tui_row_does(app, match, TUI_KEYVIEW_PROMPT));
	return true;
}

/* A search or a line about a node ends with its tree; a half-typed command stays. */
static void entered(struct tui_app *app)
{
	size_t caret = 0;

	if (!app->tree.id && !app->list && !tui_prompt_typed(app, &caret).n)
		tui_prompt_close(app);
}

static void begin(struct tui_app *app)
{
	app->lines = loom_alloc(sizeof *app->lines);
}

static void closed(struct tui_app *app)
{
	tui_prompt_close(app);
	for (size_t i = 0; i < app->lines->count; i++)
		loom_buf_fini(&app->lines->items[i]);
	free(app->lines->items);
	free(app->lines);
}

TUI_DO(COMMAND_LINE)
{
	tui_prompt_command(app, LOOM_STR(""), SIZE_MAX);
}

static const struct tui_line_kind commands = {.sign = ":"};
static const struct tui_line_kind words = {.sign = ""};

/* --- drawing --- */

static void draw_way(const struct tui_completion *way, struct tui_grid *grid, struct tui_rect row,
		     int column)
{
	const int key = (int)loom_str_width(way->key);
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(KEY));

	tui_pen_blank(&pen, 1);
	tui_pen_cut(&pen, way->text, column - 2);
	tui_pen_to(&pen, column, 0);
	pen.ink = TUI_INK(DIM);
	tui_pen_cut(&pen, way->about, row.w - column - (key ? key + 4 : 1));
	if (!key || column + key + 4 > row.w)
		return;
	tui_pen_puts(&pen, " \xc2\xb7 ");
	pen.ink = TUI_INK(KEY);
	tui_pen_text(&pen, way->key);
}

/* The column behind the texts: as wide as they need, at most half of the row. */
static int column_of(const struct tui_prompt *prompt, size_t first, int rows, int width)
{
	int column = 12;

	for (int i = 0; i < rows; i++) {
		const int cells =
			(int)loom_str_width(prompt->ways.items[first + (size_t)i].text) + 3;

		column = cells > column ? cells : column;
	}
	return column < width / 2 ? column : width / 2;
}

/* Below a line of their own, so that they do not run into the text behind; it says what the command
 * takes. */
static void draw_ways(const struct tui_prompt *prompt, struct tui_grid *grid, struct tui_rect body)
{
	const struct loom_str takes = loom_str_trim(prompt->ways.takes);
	size_t count = prompt->ways.count;
	size_t first = prompt->chosen != SIZE_MAX && prompt->chosen >= SHOWN
			       ? prompt->chosen - SHOWN + 1
			       : 0;
	int rows = (int)(count - first < SHOWN ? count - first : SHOWN);
	struct tui_rect box;
	struct tui_pen pen;
	int column;

	rows = rows > body.h - 2 ? body.h - 2 : rows;
	if (rows < 0 || body.h < 2 || (rows == 0 && !takes.n))
		return;
	box = (struct tui_rect){body.x, body.y + body.h - rows - 1, body.w, rows + 1};
	tui_grid_fill(grid, box, TUI_INK(TEXT));
	tui_grid_across(grid, box.x, box.y, box.w, TUI_INK(FOCUS));
	if (takes.n) {
		pen = tui_pen_make(grid, (struct tui_rect){box.x, box.y, box.w, 1}, TUI_INK(TEXT));
		tui_pen_to(&pen, 1, 0);
		tui_pen_blank(&pen, 1);
		tui_pen_cut(&pen, takes, box.w - 4);
		tui_pen_blank(&pen, 1);
	}
	column = column_of(prompt, first, rows, box.w);
	for (int i = 0; i < rows; i++) {
		const size_t at = first + (size_t)i;
		struct tui_rect row = {box.x, box.y + 1 + i, box.w, 1};

		draw_way(&prompt->ways.items[at], grid, row, column);
		if (at == prompt->chosen)
			tui_grid_ground(grid, row, TUI_ROLE_CURSOR);
	}
}

/* The width of a part of the line as drawn. */
static int cells_of(struct loom_str text, size_t from, size_t to)
{
	struct loom_piece piece;
	int cells = 0;

	text = loom_str_sub(text, 0, to);
	while (from < to) {
		loom_shown_next(text, &from, &piece);
		cells += piece.newline ? 1 : piece.tab ? 8 : piece.width;
	}
	return cells;
}

/* Where to start drawing a long line so that the caret is in sight. Searches backwards from the
 * caret, as a pasted line can be very long. */
static size_t first_shown(struct loom_str text, size_t caret, int room, int *before)
{
	size_t from = caret;

	*before = 0;
	while (from > 0) {
		size_t prev = loom_grapheme_prev(text, from);
		int cells = cells_of(text, prev, from);

		if (*before + cells > room)
			break;
		*before += cells;
		from = prev;
	}
	return from;
}

/* Draws the state at the right end: how much a filter lets through, whether a search found
 * something. */
static void draw_state(struct tui_app *app, struct tui_grid *grid, struct tui_rect status)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct tui_pen pen = tui_pen_make(grid, status, TUI_INK(DIM));
	int cells;

	if (app->prompt->kind->state)
		app->prompt->kind->state(app, &text);
	cells = (int)loom_str_width(loom_buf_str(&text));
	if (cells > 0 && cells < status.w / 2) {
		tui_pen_to(&pen, status.w - cells, 0);
		tui_pen_text(&pen, loom_buf_str(&text));
	}
	loom_buf_fini(&text);
}

static void draw_line(struct tui_app *app, struct tui_grid *grid, struct tui_rect status)
{
	struct tui_prompt *prompt = app->prompt;
	const char *sign = prompt->sign;
	struct tui_pen pen = tui_pen_make(grid, status, TUI_INK(KEY));
	struct loom_str text = tui_edit_shown(&prompt->edit, &prompt->shown, NULL);
	size_t from;
	int before;
	int room;

	tui_grid_fill(grid, status, TUI_INK(TEXT));
	draw_state(app, grid, status);
	tui_pen_puts(&pen, sign);
	room = tui_pen_left(&pen) - 1;
	pen.ink = TUI_INK(TEXT);
	from = first_shown(text, tui_folds_shown_at(&prompt->edit.folds, prompt->edit.caret), room,
			   &before);
	tui_pen_text(&pen, loom_str_sub(text, from, text.n));
	grid->cursor_x = status.x + (int)loom_str_width(loom_str_of(sign)) + before;
	grid->cursor_x =
		grid->cursor_x < status.x + status.w ? grid->cursor_x : status.x + status.w - 1;
	grid->cursor_y = status.y;
	grid->cursor_shown = true;
}

static void draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout)
{
	if (!app->prompt || layout->status.w <= 0 || layout->status.h <= 0)
		return;
	draw_line(app, grid, layout->status);
	draw_ways(app->prompt, grid, layout->body);
}

/* The mouse does nothing while a line is open. */
static bool on_mouse(struct tui_app *app, const struct tui_mouse *mouse)
{
	(void)mouse;
	return app->prompt != NULL;
}

const struct tui_view tui_view_prompt = {
	.there = is_there,
	.keys = keys,
	.command = on_command,
	.draw = draw,
	.mouse = on_mouse,
	.key = tui_prompt_key,
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_ENTERED] = entered,
		 [TUI_TOLD_CLOSED] = closed},
};
