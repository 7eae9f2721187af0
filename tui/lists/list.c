/* What all lists have in common: a cursor that stays with its entry, a filter, the drawing. Entries
 * are in one arena that is emptied when the list is read anew. */
#include <loom/lists/list.h>

#include <loom/text/sanitise.h>

#include <loom/desk/desk.h>
#include <loom/terminal/wrap.h>

struct tui_list {
	const struct tui_list_kind *kind;
	void *own;
	uint64_t serial;
	bool waits;
	size_t side_at; /* where what is in sight of the text beside it begins */
	int side_w;
	bool side_alone; /* the text takes everything */
	struct loom_arena *arena;
	struct loom_buf argument;
	struct loom_buf filter;
	struct loom_str whole; /* the text that it shows, in its arena; empty: rows */
	struct tui_entry *all;
	size_t count, cap;
	size_t *shown; /* indices of those that pass the filter */
	size_t shown_count;
	size_t at; /* in shown */
	size_t top;
	int height;
	struct tui_rect rows_rect, side_rect; /* as last drawn */
	int lead;                             /* cells of the left column */
};

struct loom_arena *tui_list_arena(const struct tui_list *list)
{
	return list->arena;
}

struct loom_str tui_list_argument(const struct tui_list *list)
{
	return loom_buf_str(&list->argument);
}

void *tui_list_own(const struct tui_list *list)
{
	return list->own;
}

bool tui_list_is(const struct tui_list *list, const struct tui_list_kind *kind)
{
	return list && list->kind == kind;
}

uint64_t tui_list_serial(const struct tui_list *list)
{
	return list->serial;
}

struct loom_str tui_list_title(const struct tui_list *list)
{
	return loom_str_of(list->kind->title);
}

void tui_list_add(struct tui_list *list, const struct tui_entry *entry)
{
	int cells = (int)loom_str_width(entry->lead);

	list->all =
		loom_arena_grow(list->arena, list->all, list->count, &list->cap, sizeof *list->all);
	list->all[list->count++] = *entry;
	if (!entry->heading && cells > list->lead)
		list->lead = cells < 32 ? cells : 32;
}

void tui_list_whole(struct tui_list *list, struct loom_str text)
{
	list->whole = loom_arena_str(list->arena, text);
}

/* --- what is shown --- */

static bool holds(struct loom_str text, struct loom_str part)
{
	for (size_t i = 0; i + part.n <= text.n; i++) {
		if (loom_str_eq_fold(loom_str_sub(text, i, part.n), part))
			return true;
	}
	return part.n == 0;
}

/* Every word of the filter must be somewhere in the entry. */
static bool passes(const struct tui_list *list, const struct tui_entry *entry)
{
	struct loom_str rest = loom_buf_str(&list->filter);
	struct loom_str word;

	if (rest.n && entry->heading)
		return false;
	while (rest.n && loom_str_cut(&rest, ' ', &word)) {
		if (!holds(entry->lead, word) && !holds(entry->text, word) &&
		    !holds(entry->end, word))
			return false;
	}
	return true;
}

static bool rests_on(const struct tui_list *list, size_t at)
{
	return at < list->shown_count && !list->all[list->shown[at]].heading;
}

static void filter(struct tui_list *list)
{
	list->shown = LOOM_ARENA_ARRAY(list->arena, list->count + 1, size_t);
	list->shown_count = 0;
	for (size_t i = 0; i < list->count; i++) {
		if (passes(list, &list->all[i]))
			list->shown[list->shown_count++] = i;
	}
	if (list->at >= list->shown_count)
		list->at = list->shown_count ? list->shown_count - 1 : 0;
	while (list->at + 1 < list->shown_count && !rests_on(list, list->at))
		list->at++;
}

static void tell_moved(struct tui_app *app)
{
	struct tui_list *list = app->list;

	list->side_at = 0;
	if (list->kind->moved)
		list->kind->moved(app, tui_list_at(list));
}

static bool read_list(struct tui_app *app, struct tui_list *list)
{
	struct loom_err err;
	bool well;

	loom_arena_reset(list->arena);
	list->all = NULL;
	list->count = list->cap = list->shown_count = 0;
	list->lead = 0;
	list->whole = LOOM_STR("");
	well = tui_must(app, list->kind->read(app, list, &err), &err);
	filter(list);
	return well;
}

const struct tui_entry *tui_list_at(const struct tui_list *list)
{
	return rests_on(list, list->at) ? &list->all[list->shown[list->at]] : NULL;
}

const struct tui_entry *tui_list_entry(const struct tui_list *list, size_t i)
{
	return i < list->shown_count ? &list->all[list->shown[i]] : NULL;
}

size_t tui_list_count(const struct tui_list *list)
{
	return list->shown_count;
}

size_t tui_list_index(const struct tui_list *list)
{
	return list->at;
}

enum tui_keyview tui_list_view(const struct tui_list *list)
{
	return list->kind->view ? list->kind->view : TUI_KEYVIEW_LIST;
}

bool tui_list_rules(const struct tui_app *app)
{
	return app->list && (app->list->kind->over || !app->writing);
}

bool tui_list_picks(const struct tui_list *list)
{
	return list->kind->pick;
}

bool tui_list_live(const struct tui_list *list)
{
	return list->kind->live;
}

void tui_list_to(struct tui_list *list, int64_t id)
{
	for (size_t i = 0; i < list->shown_count; i++) {
		if (list->all[list->shown[i]].id == id && rests_on(list, i)) {
			list->at = i;
			return;
		}
	}
}

void tui_list_refresh(struct tui_app *app)
{
	struct tui_list *list = app->list;
	const struct tui_entry *entry = tui_list_at(list);
	int64_t id = entry ? entry->id : 0;
	size_t offset = list->at - list->top;

	read_list(app, list);
	if (id) {
		tui_list_to(list, id);
		if (list->top > 0) /* at its beginning a list stays there */
			list->top = list->at > offset ? list->at - offset : 0;
	}
	tell_moved(app);
}

static void open_list(struct tui_app *app, const struct tui_list_kind *kind, void *own,
		      struct loom_str argument)
{
	struct tui_list *list = loom_alloc(sizeof *list);

	tui_list_close(app);
	list->kind = kind;
	list->own = own;
	list->serial = ++app->lists_opened;
	list->arena = loom_arena_create();
	loom_buf_init(&list->argument, LOOM_BUF_MAX);
	loom_buf_init(&list->filter, 1 << 12);
	loom_buf_add(&list->argument, argument);
	list->height = 20;
	app->list = list;
	read_list(app, list);
	tell_moved(app);
}

void tui_list_open(struct tui_app *app, const struct tui_list_kind *kind, struct loom_str argument)
{
	open_list(app, kind, NULL, argument);
}

void tui_list_open_with(struct tui_app *app, const struct tui_list_kind *kind, void *own)
{
	open_list(app, kind, own, (struct loom_str){NULL, 0});
}

void tui_list_close(struct tui_app *app)
{
	struct tui_list *list = app->list;

	if (!list)
		return;
	app->list = NULL;
	tui_app_catch_up(app);
	if (list->kind->forget)
		list->kind->forget(list->own);
	loom_arena_destroy(list->arena);
	loom_buf_fini(&list->argument);
	loom_buf_fini(&list->filter);
	free(list);
}

void tui_list_wait(struct tui_list *list)
{
	list->waits = true;
}

bool tui_list_waits(const struct tui_list *list)
{
	return list && list->waits;
}

void tui_list_ready(struct tui_app *app)
{
	app->list->waits = false;
	tui_app_catch_up(app);
}

void tui_list_zoom(struct tui_list *list)
{
	list->side_alone = !list->side_alone;
}

void tui_list_leave(struct tui_app *app)
{
	if (app->list->side_alone)
		app->list->side_alone = false;
	else if (app->list->kind->leave)
		app->list->kind->leave(app);
	else
		tui_list_close(app);
}

void tui_list_filter(struct tui_app *app, struct loom_str text)
{
	struct tui_list *list = app->list;
	struct loom_buf *into = list->kind->live ? &list->argument : &list->filter;

	loom_buf_clear(into);
	loom_buf_add(into, text);
	list->at = list->top = 0;
	if (list->kind->live)
		read_list(app, list);
	else
		filter(list);
	tell_moved(app);
}

/* --- drawing --- */

static void draw_entry(const struct tui_app *app, const struct tui_entry *entry,
		       struct tui_grid *grid, struct tui_rect row)
{
	const struct tui_list *list = app->list;
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(HEADING));
	int end = (int)loom_str_width(entry->end);

	if (entry->heading) {
		tui_pen_cut(&pen, entry->text, row.w);
		return;
	}
	tui_pen_blank(&pen, 1);
	pen.ink = (struct tui_ink){.role = (uint8_t)entry->lead_role};
	tui_pen_cut(&pen, entry->lead, list->lead);
	tui_pen_to(&pen, list->lead ? list->lead + 3 : 1, 0);
	pen.ink = (struct tui_ink){.role = (uint8_t)entry->role};
	if (end > 0 && end + 20 > row.w - list->lead)
		end = 0;
	tui_pen_cut(&pen, entry->text, tui_pen_left(&pen) - (end ? end + 2 : 0));
	if (!end)
		return;
	tui_pen_to(&pen, row.w - end - 1, 0);
	pen.ink = TUI_INK(DIM);
	tui_pen_text(&pen, entry->end);
}

static void keep_in_sight(struct tui_list *list, int height)
{
	size_t h = height > 0 ? (size_t)height : 1;

	list->height = height;
	if (list->at < list->top)
		list->top = list->at;
	if (list->at >= list->top + h)
		list->top = list->at - h + 1;
	if (list->top + h > list->shown_count) /* rows that it has are shown where it has grown */
		list->top = list->shown_count > h ? list->shown_count - h : 0;
	if (list->at > 0 && list->top == list->at && !rests_on(list, list->at - 1))
		list->top--; /* its heading too */
}

static void put_cursor(struct tui_grid *grid, struct tui_rect at)
{
	grid->cursor_x = at.x;
	grid->cursor_y = at.y;
	grid->cursor_shown = true;
}

static void draw_rows(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(DIM));
	bool resting = list == app->side && app->focus != TUI_PANE_SIDE;

	keep_in_sight(list, rect.h);
	list->rows_rect = rect;
	if (list->shown_count == 0) {
		if (!resting)
			put_cursor(grid, rect);
		tui_pen_to(&pen, 1, 0);
		tui_pen_puts(&pen, list->waits      ? "…"
				   : list->filter.n ? "nothing matches"
				   : list->kind->live && list->argument.n
					   ? "nothing has these words"
					   : list->kind->empty);
	}
	for (int y = 0; y < rect.h && list->top + (size_t)y < list->shown_count; y++) {
		struct tui_rect row = {rect.x, rect.y + y, rect.w, 1};
		size_t at = list->top + (size_t)y;

		draw_entry(app, &list->all[list->shown[at]], grid, row);
		if (at != list->at)
			continue;
		tui_grid_ground(grid, row, resting ? TUI_ROLE_RESTING : TUI_ROLE_CURSOR);
		if (!resting)
			put_cursor(grid, row);
	}
}

/* The line at the top of the text beside a list: what it is, and where in it one is. */
static void draw_side_title(const struct tui_side *side, size_t at, struct tui_grid *grid,
			    struct tui_rect row)
{
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(TITLE));

	pen.ink.role = (uint8_t)side->title_role;
	tui_pen_cut(&pen, side->title, row.w - (at ? 8 : 0));
	pen.ink = TUI_INK(DIM);
	if (at)
		tui_pen_format(&pen, " · %zu%%", at * 100 / side->text.n);
}

/* A line that was broken has one role. */
static enum tui_role side_role(const struct tui_side *side, size_t at)
{
	size_t from = at;
	size_t to;

	if (!side->line_role)
		return side->role;
	while (from > 0 && side->text.p[from - 1] != '\n' && at - from < TUI_WRAP_BLOCK)
		from--;
	to = loom_str_find_char(side->text, '\n', at);
	return side->line_role(loom_str_sub(side->text, from, to == SIZE_MAX ? to : to - from));
}

static void draw_side(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	struct tui_side side = {.role = TUI_ROLE_TEXT, .title_role = TUI_ROLE_TITLE};
	struct tui_rect prose = tui_layout_prose(rect);
	struct tui_pen pen = tui_pen_make(grid, prose, TUI_INK(TEXT));
	size_t at;

	if (rect.w <= 0 || rect.h <= 0)
		return;
	list->kind->side(app, tui_list_at(list), &side);
	list->side_rect = rect;
	list->side_w = prose.w;
	list->side_at = at = list->side_at ? tui_wrap_start(side.text, list->side_at, prose.w) : 0;
	draw_side_title(&side, at, grid, (struct tui_rect){rect.x, rect.y, rect.w, 1});
	for (int y = 1; y < rect.h && at < side.text.n; y++) {
		struct tui_line line = tui_wrap_line(side.text, at, prose.w);

		pen.ink.role = (uint8_t)side_role(&side, at);
		tui_pen_to(&pen, 0, y);
		tui_pen_text(&pen, loom_str_sub(side.text, line.from, line.to - line.from));
		at = line.next;
	}
}

/* Rows and the text: beside each other where there is room, else above each other; on a screen too
 * low for both, the rows. */
static void draw_both(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	struct tui_rect rows = rect;
	struct tui_rect text = rect;
	int least = (int)(list->shown_count < 6 ? list->shown_count + 1 : 6);

	list->rows_rect = list->side_rect = (struct tui_rect){0, 0, 0, 0};
	if (list->side_alone && rect.h > 1) {
		list->height = rect.h;
		draw_side(app, grid, rect);
		put_cursor(grid, rect);
		return;
	}
	if (rect.w >= TUI_WIDE - 10) {
		rows.w = rect.w * 11 / 20;
		text.x += rows.w + 2;
		text.w -= rows.w + 2;
		tui_grid_down(grid, rows.x + rows.w, rect.y, rect.h, TUI_INK(BORDER));
	} else if (rect.h >= 9) {
		rows.h = rect.h / 2 > least ? rect.h / 2 : least;
		rows.h = rows.h > (int)list->shown_count + 1 ? (int)list->shown_count + 1 : rows.h;
		rows.h = rows.h < 2 ? 2 : rows.h;
		text.y += rows.h + 1;
		text.h -= rows.h + 1;
		tui_grid_across(grid, rect.x, rect.y + rows.h, rect.w, TUI_INK(BORDER));
	} else {
		text.h = 0;
	}
	draw_rows(app, grid, rows);
	draw_side(app, grid, text);
}

void tui_list_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;

	if (list->kind->draw)
		list->kind->draw(app, list, grid, rect);
	else if (list->kind->side)
		draw_both(app, grid, rect);
	else
		draw_rows(app, grid, rect);
}

/* What was asked, on one line, and the text with its own lines: a row that only goes on with the
 * one before it would be taken for one of its own. */
static void read_whole(const struct tui_list *list, struct loom_buf *out)
{
	for (size_t i = 0; i < list->count && list->all[i].role == TUI_ROLE_CALL; i++) {
		loom_buf_adds(out, i ? " " : "");
		loom_shown_line(out, list->all[i].text, 0);
	}
	loom_buf_addc(out, '\n');
	loom_buf_add(out, list->whole);
	loom_buf_addc(out, '\n');
}

void tui_list_text(const struct tui_list *list, struct loom_buf *out)
{
	loom_buf_addf(out, "%s\n", list->kind->title);
	if (list->whole.n) {
		read_whole(list, out);
		return;
	}
	for (size_t i = 0; i < list->shown_count; i++) {
		const struct tui_entry *entry = &list->all[list->shown[i]];
		loom_shown_line(out, entry->lead, 0);
		loom_buf_adds(out, entry->lead.n ? ": " : "");
		loom_shown_line(out, entry->text, 0);
		loom_buf_adds(out, entry->end.n ? " · " : "");
		loom_shown_line(out, entry->end, 0);
		loom_buf_addc(out, '\n');
	}
	if (list->shown_count == 0)
		loom_buf_addf(out, "%s\n", list->kind->empty);
}

void tui_list_say_key(const struct tui_app *app, enum tui_command command, const char *what,
		      struct loom_buf *out)
{
	struct loom_buf key = LOOM_BUF_INIT(64);

	if (tui_keymap_spell(&app->keymap, TUI_KEYVIEW_LIST, command, &key))
		loom_buf_addf(out, " · %s %s", loom_buf_cstr(&key), what);
	loom_buf_fini(&key);
}

void tui_list_status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	if (list->kind->status)
		list->kind->status(app, list, out);
	else
		tui_list_say_count(list, out);
}

void tui_list_say_count(const struct tui_list *list, struct loom_buf *out)
{
	size_t n = 0;
	size_t k = 0;

	for (size_t i = 0; i < list->shown_count; i++) {
		n += rests_on(list, i);
		k += i <= list->at && rests_on(list, i);
	}
	loom_buf_addf(out, "%zu of %zu %ss", k, n, list->kind->unit);
	if (list->filter.n)
		loom_buf_addf(out, " · with \"%.*s\"", LOOM_STR_ARG(loom_buf_str(&list->filter)));
}

/* --- commands --- */

static void step(struct tui_list *list, int64_t by)
{
	int64_t way = by < 0 ? -1 : 1;
	int64_t at = (int64_t)list->at;

	for (int64_t left = by * way; left > 0; left--) {
		int64_t next = at + way;
		while (next >= 0 && next < (int64_t)list->shown_count &&
		       !rests_on(list, (size_t)next))
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
	tell_moved(app);
}

static bool move(struct tui_list *list, const struct tui_match *match)
{
	int64_t n = match->count > 0 ? match->count : 1;
	int64_t h = list->height > 1 ? list->height : 2;

	switch ((int)match->binding->command) {
	case TUI_ACTION_DOWN:
		step(list, n);
		return true;
	case TUI_ACTION_UP:
		step(list, -n);
		return true;
	case TUI_ACTION_TOP:
		step(list, -(int64_t)list->shown_count);
		return true;
	case TUI_ACTION_BOTTOM:
		step(list, (int64_t)list->shown_count);
		return true;
	case TUI_ACTION_HALF_DOWN:
		step(list, n * h / 2);
		return true;
	case TUI_ACTION_HALF_UP:
		step(list, -n * h / 2);
		return true;
	case TUI_ACTION_PAGE_DOWN:
		step(list, n * h);
		return true;
	case TUI_ACTION_PAGE_UP:
		step(list, -n * h);
		return true;
	default:
		return false;
	}
}

bool tui_list_offers(const struct tui_list *list, enum tui_command command)
{
	const struct tui_list_kind *kind = list->kind;
	const struct tui_entry *entry = tui_list_at(list);

	if (command == TUI_ACTION_FILTER)
		return list->count > 0 || kind->live;
	if (kind->offers)
		return kind->offers(list, entry, command);
	switch ((int)command) {
	case TUI_ACTION_OPEN:
		return entry && (kind->open || (kind->command && kind->view));
	case TUI_ACTION_ADD:
		return kind->add || kind->view;
	case TUI_ACTION_EXTERNAL:
		return false;
	default:
		return true;
	}
}

bool tui_list_own_command(struct tui_app *app, const struct tui_match *match)
{
	const struct tui_list_kind *kind = app->list->kind;

	return kind->command && kind->command(app, tui_list_at(app->list), match);
}

static void scroll_to(struct tui_app *app, int lines)
{
	struct tui_list *list = app->list;
	struct tui_side side = {.role = TUI_ROLE_TEXT};
	size_t at = list->side_at;

	list->kind->side(app, tui_list_at(list), &side);
	if (list->side_w <= 0 || at > side.text.n)
		return;
	if (lines < 0)
		at = tui_wrap_up(side.text, at, list->side_w, -lines, NULL);
	for (; lines > 0; lines--) {
		struct tui_line line = tui_wrap_line(side.text, at, list->side_w);
		if (line.next >= side.text.n)
			break;
		at = line.next;
	}
	list->side_at = at;
}

static bool scroll_side(struct tui_app *app, const struct tui_match *match)
{
	struct tui_list *list = app->list;
	int by = match->count > 0 ? match->count : 3;
	int page = list->height > 2 ? list->height - 1 : 1;
	int command = (int)match->binding->command;

	if (command == TUI_ACTION_ZOOM) {
		tui_list_zoom(list);
		return true;
	}
	/* Alone it takes the keys that else move among the rows. */
	if (command == TUI_ACTION_OTHER_DOWN || (list->side_alone && command == TUI_ACTION_DOWN))
		scroll_to(app, by);
	else if (command == TUI_ACTION_OTHER_UP || (list->side_alone && command == TUI_ACTION_UP))
		scroll_to(app, -by);
	else if (list->side_alone && command == TUI_ACTION_PAGE_DOWN)
		scroll_to(app, page);
	else if (list->side_alone && command == TUI_ACTION_PAGE_UP)
		scroll_to(app, -page);
	else if (list->side_alone && command == TUI_ACTION_TOP)
		list->side_at = 0;
	else
		return false;
	return true;
}

/* What one looks at: rows, or the text alone. */
static bool look(struct tui_app *app, const struct tui_match *match)
{
	struct tui_list *list = app->list;
	size_t at = list->at;
	bool moved;

	if (list->kind->side && scroll_side(app, match))
		return true;
	moved = move(list, match);
	if (list->at != at)
		tell_moved(app);
	else if (moved)
		app->stuck = true;
	return moved;
}

bool tui_list_menu(struct tui_app *app)
{
	const struct tui_list *list = app->list;
	const struct tui_entry *entry = tui_list_at(list);
	enum tui_command from = TUI_COMMAND_NONE;
	struct tui_noun noun;

	if (entry && list->kind->noun)
		from = list->kind->noun(app, entry, &noun);
	if (from)
		tui_menu_open(app, &noun, from, entry->id);
	return from != TUI_COMMAND_NONE;
}

/* What the row says; in a view of one text, all of that. */
static void copy(struct tui_app *app, const struct tui_entry *entry)
{
	const struct tui_list *list = app->list;

	if (list->whole.n)
		tui_copy(app, list->whole, "the text");
	else if (entry)
		tui_copy(app, entry->text.n ? entry->text : entry->lead, "the row");
}

/* What a list can be given is said as one says it anywhere. */
static void add_to(struct tui_app *app)
{
	struct loom_str line = loom_str_of(app->list->kind->add);

	tui_prompt_open(app, TUI_PROMPT_COMMAND, line,
			line.n - loom_str_ends(line, LOOM_STR("\"")));
}

bool tui_list_command(struct tui_app *app, const struct tui_match *match)
{
	struct tui_list *list = app->list;
	const struct tui_entry *entry = tui_list_at(list);
	int command = (int)match->binding->command;

	if (look(app, match))
		return true;
	if ((command == TUI_ACTION_OPEN || command == TUI_ACTION_IN) && entry && list->kind->open) {
		struct tui_entry chosen = *entry;
		list->kind->open(app, &chosen);
		return true;
	}
	if (command == TUI_ACTION_ADD && list->kind->add)
		add_to(app);
	else if (command == TUI_ACTION_COPY && entry)
		copy(app, entry);
	else if (command == TUI_ACTION_OUT)
		tui_list_leave(app);
	else
		return false;
	return true;
}

/* --- the mouse --- */

void tui_list_wheel(struct tui_app *app, int x, int y, int lines)
{
	struct tui_list *list = app->list;

	if (list->kind->side && tui_rect_has(list->side_rect, x, y))
		scroll_to(app, lines);
	else if (!list->kind->draw)
		tui_list_step(app, lines);
}

bool tui_list_press(struct tui_app *app, int x, int y)
{
	struct tui_list *list = app->list;
	size_t at = list->top + (size_t)(y - list->rows_rect.y);

	if (!tui_rect_has(list->rows_rect, x, y) || !rests_on(list, at))
		return false;
	if (at == list->at)
		return true;
	list->at = at;
	tell_moved(app);
	return false;
}
