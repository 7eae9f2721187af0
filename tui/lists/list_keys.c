/* Keys and mouse in any list: its own meanings first, then moving, opening, copying. */
#include <loom/lists/list.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/terminal/wrap.h>
#include <loom/desk/copy.h>
#include <loom/writing/command_line.h>

#include "inside.h"

static void step(struct tui_list *list, int64_t by)
{
	int64_t way = by < 0 ? -1 : 1;
	int64_t at = (int64_t)list->at;

	for (int64_t left = by * way; left > 0; left--) {
		int64_t next = at + way;
		while (next >= 0 && next < (int64_t)list->shown_count &&
		       !tui_list_rests(list, (size_t)next))
			next += way;
		if (next < 0 || next >= (int64_t)list->shown_count)
			break;
		at = next;
	}
	list->at = (size_t)at;
}

void tui_list_step(struct tui_app *app, int by)
{
	step(app->list, by);
	tui_list_moved(app);
}

bool tui_list_offers(const struct tui_list *list, enum tui_command command)
{
	const struct tui_list_kind *kind = list->kind;
	const struct tui_entry *entry = tui_list_at(list);

	if (command == TUI_ACTION_FILTER)
		return list->count > 0 || kind->live;
	if (kind->offers)
		return kind->offers(list, entry, command);
	if (command == TUI_ACTION_OPEN)
		return entry && (kind->open || (kind->means && kind->view));
	if (command == TUI_ACTION_ADD)
		return kind->add || kind->view;
	return command != TUI_ACTION_EXTERNAL;
}

/* Whether there was a text beside the rows when they were drawn last. */
static bool has_side(const struct tui_list *list)
{
	return !list->kind->draw && (list->side_rect.h > 0 || list->kind->side);
}

/* Scrolls the text beside the rows. While the text fills the view, it takes the keys that otherwise
 * move among rows. */
static bool scroll_side(struct tui_app *app, const struct tui_match *match, int way)
{
	if (!has_side(app->list))
		return false;
	tui_beside_scroll(app, way * (match->count > 0 ? match->count : 3));
	return true;
}

TUI_MEANS(zoom_side)
{
	if (!has_side(app->list) || app->list == app->side) /* which is a pane itself */
		return false;
	tui_list_zoom(app->list);
	return true;
}

static bool reads_alone(const struct tui_list *list)
{
	return list->side_alone && has_side(list);
}

/* Moves among the rows, or says that there are none. */
static bool by_rows(struct tui_app *app, int64_t by)
{
	size_t at = app->list->at;

	step(app->list, by);
	if (app->list->at != at)
		tui_list_moved(app);
	else
		app->stuck = true;
	return true;
}

static bool down(struct tui_app *app, const struct tui_match *match, int way)
{
	if (reads_alone(app->list))
		return scroll_side(app, match, way);
	return by_rows(app, way * tui_match_count(match));
}

static bool page(struct tui_app *app, const struct tui_match *match, int way)
{
	const struct tui_list *list = app->list;

	if (reads_alone(list))
		tui_beside_scroll(app, way * (list->height > 2 ? list->height - 1 : 1));
	else
		by_rows(app, way * tui_match_count(match) *
				     (int64_t)(list->height > 1 ? list->height : 2));
	return true;
}

static bool half_page(struct tui_app *app, const struct tui_match *match, int way)
{
	int64_t height = app->list->height > 1 ? app->list->height : 2;

	return by_rows(app, way * tui_match_count(match) * height / 2);
}

static bool to_end(struct tui_app *app, const struct tui_match *match, int way)
{
	(void)match;
	if (!reads_alone(app->list) || way > 0)
		return by_rows(app, way * (int64_t)app->list->shown_count);
	app->list->side_at = 0;
	return true;
}

enum tui_command tui_list_noun(struct tui_app *app, struct tui_noun *out)
{
	const struct tui_list *list = app->list;
	const struct tui_entry *entry = tui_list_at(list);

	return entry && list->kind->noun ? list->kind->noun(app, entry, out) : TUI_COMMAND_NONE;
}

/* Copies the row, or the whole text of a view with one text. */
static void copy(struct tui_app *app, const struct tui_entry *entry)
{
	const struct tui_list *list = app->list;

	if (list->whole.n)
		tui_copy(app, list->whole, "the text");
	else if (entry)
		tui_copy(app, entry->text.n ? entry->text : entry->lead, "the row");
}

/* Adding is a command like any other, so this opens its line. */
static void add_to(struct tui_app *app)
{
	struct loom_str line = loom_str_of(app->list->kind->add);

	tui_prompt_command(app, line, line.n - loom_str_ends(line, LOOM_STR("\"")));
}

/* Opens the entry under the cursor, if it can be opened. */
static bool pick(struct tui_app *app)
{
	const struct tui_entry *entry = tui_list_at(app->list);
	struct tui_entry chosen;

	if (!entry || !app->list->kind->open)
		return false;
	chosen = *entry;
	app->list->kind->open(app, &chosen);
	return true;
}

TUI_DO(OPEN)
{
	if (!pick(app))
		tui_nothing_here(app, match);
}

TUI_DO(IN)
{
	tui_do_OPEN(app, match);
}

TUI_DO(OUT)
{
	tui_list_leave(app);
}

TUI_DO(ADD)
{
	if (app->list->kind->add)
		add_to(app);
	else
		tui_nothing_here(app, match);
}

TUI_MEANS(copy_row)
{
	const struct tui_entry *entry = tui_list_at(app->list);

	if (entry)
		copy(app, entry);
	return entry != NULL;
}

/* --- the line that filters, or searches --- */

static void typed(struct tui_app *app, struct loom_str text)
{
	if (app->list)
		tui_list_filter(app, text);
}

static void accept(struct tui_app *app, struct loom_str line)
{
	(void)line;
	if (app->list && app->list->kind->pick)
		(void)!pick(app);
}

static void left(struct tui_app *app)
{
	if (!app->list)
		return;
	tui_list_filter(app, (struct loom_str){NULL, 0});
	if (app->list->kind->pick)
		tui_list_leave(app);
}

static void up_or_down(struct tui_app *app, int by)
{
	if (app->list)
		tui_list_step(app, by);
}

void tui_list_ask(struct tui_app *app, struct loom_str text)
{
	static const struct tui_line_kind filters = {.sign = "filter: ",
						     .changed = typed,
						     .accept = accept,
						     .left = left,
						     .step = up_or_down};
	static const struct tui_line_kind searches = {.sign = "search: ",
						      .changed = typed,
						      .accept = accept,
						      .left = left,
						      .step = up_or_down};

	tui_prompt_open(app, app->list->kind->live ? &searches : &filters, text, SIZE_MAX);
}

TUI_MEANS(ask_filter)
{
	if (app->writing)
		return false;
	tui_list_ask(app, LOOM_STR(""));
	return true;
}

bool tui_list_does(struct tui_app *app, const struct tui_match *match)
{
	static const struct tui_meaning means[] = {
		{TUI_ACTION_DOWN, down, 1},
		{TUI_ACTION_UP, down, -1},
		{TUI_ACTION_TOP, to_end, -1},
		{TUI_ACTION_BOTTOM, to_end, 1},
		{TUI_ACTION_HALF_DOWN, half_page, 1},
		{TUI_ACTION_HALF_UP, half_page, -1},
		{TUI_ACTION_PAGE_DOWN, page, 1},
		{TUI_ACTION_PAGE_UP, page, -1},
		{TUI_ACTION_OTHER_DOWN, scroll_side, 1},
		{TUI_ACTION_OTHER_UP, scroll_side, -1},
		{TUI_ACTION_ZOOM, zoom_side, 0},
		{TUI_ACTION_COPY, copy_row, 0},
		{TUI_ACTION_SELECT, page, 1},
		{TUI_ACTION_FIND, ask_filter, 0},
		{TUI_ACTION_FILTER, ask_filter, 0},
		{.command = TUI_COMMAND_NONE},
	};
	const struct tui_list_kind *kind = app->list->kind;

	return tui_means(kind->means, app, match) ||
	       (kind->view && tui_row_does(app, match, kind->view)) ||
	       tui_means(means, app, match) || tui_row_does(app, match, TUI_KEYVIEW_LIST);
}

/* --- typing in a list of commands --- */

/* Whether a key keeps its command there; every other letter begins a filter. */
static bool stays(enum tui_command command)
{
	static const enum tui_command all[] = {
		TUI_ACTION_DOWN,      TUI_ACTION_UP,         TUI_ACTION_OTHER_DOWN,
		TUI_ACTION_OTHER_UP,  TUI_ACTION_FIND,       TUI_ACTION_FILTER,
		TUI_ACTION_SELECT,    TUI_ACTION_OPEN,       TUI_ACTION_BACK,
		TUI_ACTION_QUIT,      TUI_ACTION_CANCEL,     TUI_ACTION_COMMAND_LINE,
		TUI_ACTION_APPROVALS, TUI_ACTION_TOP,        TUI_ACTION_BOTTOM,
		TUI_ACTION_BACK_JUMP, TUI_ACTION_FORTH_JUMP, TUI_ACTION_FOLLOW,
		TUI_VERB_HELP,        TUI_ACTION_MENU,       TUI_ACTION_ZOOM,
	};

	for (size_t i = 0; i < LOOM_COUNT(all); i++)
		if (all[i] == command)
			return true;
	return false;
}

static bool types(const struct tui_app *app, struct tui_key key)
{
	const struct tui_binding *bound =
		tui_keymap_exact(&app->keymap, tui_app_keyview(app), &key, 1);

	return app->list->kind->offer && tui_key_prints(key) && key.code > ' ' &&
	       !(key.code >= '0' && key.code <= '9') &&
	       !(bound && !bound->line && stays(bound->command));
}

/* A letter that does nothing here, and that no other key follows, begins the filter. */
static bool type_key(struct tui_app *app, struct tui_key key)
{
	const struct tui_chord chord = {.keys = {key}, .n = 1};
	struct tui_way way;

	if (!types(app, key) ||
	    tui_keymap_ways(&app->keymap, tui_app_keyview(app), &chord, &way, 1) > 0)
		return false;
	tui_list_ask(app, LOOM_STR(""));
	return tui_prompt_key(app, key);
}

/* --- as a view --- */

static enum tui_keyview keys(const struct tui_app *app)
{
	return tui_list_view(app->list);
}

/* Lists of things in the grove undo and redo as the tree does. Lists of files, and forms, do not:
 * their changes are not operations. */
static bool means_nothing(const struct tui_app *app, enum tui_command command)
{
	return tui_list_view(app->list) != TUI_KEYVIEW_LIST &&
	       (command == TUI_VERB_UNDO || command == TUI_VERB_REDO);
}

/* Above a text being written, a list has only its own keys and the way back to the text. */
static bool on_command(struct tui_app *app, const struct tui_match *match)
{
	const enum tui_command command = match->binding->command;

	if (tui_list_does(app, match))
		return true;
	if (app->writing && (command == TUI_ACTION_CANCEL || command == TUI_ACTION_BACK))
		tui_list_leave(app);
	else if (app->writing || means_nothing(app, command))
		tui_nothing_here(app, match);
	else
		return false;
	return true;
}

static bool waits(const struct tui_app *app)
{
	return tui_list_waits(app->list);
}

static void refresh(struct tui_app *app)
{
	if (app->list)
		tui_list_refresh(app);
}

/* --- the mouse --- */

static void wheel(struct tui_app *app, int x, int y, int lines)
{
	struct tui_list *list = app->list;

	if (has_side(list) && tui_rect_has(list->side_rect, x, y))
		tui_beside_scroll(app, lines);
	else if (!list->kind->draw)
		tui_list_step(app, lines);
}

/* Returns whether the cursor was on that row before. */
static bool press(struct tui_app *app, int x, int y)
{
	struct tui_list *list = app->list;
	size_t at = list->top + (size_t)(y - list->rows_rect.y);

	if (!tui_rect_has(list->rows_rect, x, y) || !tui_list_rests(list, at))
		return false;
	if (at == list->at)
		return true;
	list->at = at;
	tui_list_moved(app);
	return false;
}

static bool on_mouse(struct tui_app *app, const struct tui_mouse *mouse)
{
	if (!app->list)
		return false;
	if (mouse->kind == TUI_MOUSE_WHEEL)
		wheel(app, mouse->x, mouse->y, TUI_WHEEL_LINES * mouse->button);
	else if (mouse->kind == TUI_MOUSE_PRESS && press(app, mouse->x, mouse->y) &&
		 mouse->button != TUI_MOUSE_RIGHT)
		tui_app_choose(app, TUI_ACTION_OPEN);
	if (mouse->kind == TUI_MOUSE_PRESS && mouse->button == TUI_MOUSE_RIGHT && app->list &&
	    tui_rect_has(app->list->rows_rect, mouse->x, mouse->y))
		tui_app_choose(app, TUI_ACTION_MENU);
	return true;
}

/* --- the view --- */

static bool offers(const struct tui_app *app, enum tui_command command)
{
	return tui_list_offers(app->list, command);
}

static bool covers(const struct tui_app *app)
{
	return app->list != NULL;
}

static void draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout)
{
	if (app->list)
		tui_list_draw(app, grid, layout->body);
}

/* Closes as soon as the program ends: views behind it still report results then, and a list would
 * look up what is gone. */
const struct tui_view tui_view_list = {
	.there = tui_list_rules,
	.keys = keys,
	.command = on_command,
	.offers = offers,
	.draw = draw,
	.covers = covers,
	.mouse = on_mouse,
	.key = type_key,
	.types = types,
	.waits = waits,
	.told = {[TUI_TOLD_DONE] = refresh, [TUI_TOLD_ENDING] = tui_list_close},
};
