/* What all lists have in common: a cursor that stays with its entry, a filter, the drawing. Entries
 * are in one arena that is emptied when the list is read anew. */
#include "list.h"

#include "app_impl.h"

struct tui_list {
	const struct tui_list_kind *kind;
	struct loom_arena *arena;
	struct loom_buf argument;
	struct loom_buf filter;
	struct tui_entry *all;
	size_t count, cap;
	size_t *shown; /* indices of those that pass the filter */
	size_t shown_count;
	size_t at; /* in shown */
	size_t top;
	int height;
	int lead; /* cells of the left column */
	void *own;
};

void **tui_list_own(struct tui_list *list)
{
	return &list->own;
}

const struct tui_list_kind *tui_list_kind(const struct tui_list *list)
{
	return list->kind;
}

struct loom_arena *tui_list_arena(const struct tui_list *list)
{
	return list->arena;
}

struct loom_str tui_list_argument(const struct tui_list *list)
{
	return loom_buf_str(&list->argument);
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

static bool read_list(struct tui_app *app, struct tui_list *list)
{
	struct loom_err err;
	bool well;

	loom_arena_reset(list->arena);
	list->all = NULL;
	list->count = list->cap = list->shown_count = 0;
	list->lead = 0;
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
	if (!id)
		return;
	tui_list_to(list, id);
	if (list->top > 0) /* at its beginning a list stays there */
		list->top = list->at > offset ? list->at - offset : 0;
}

void tui_list_open(struct tui_app *app, const struct tui_list_kind *kind, struct loom_str argument)
{
	struct tui_list *list = loom_alloc(sizeof *list);

	tui_list_close(app);
	list->kind = kind;
	list->arena = loom_arena_create();
	loom_buf_init(&list->argument, LOOM_BUF_MAX);
	loom_buf_init(&list->filter, 1 << 12);
	loom_buf_add(&list->argument, argument);
	list->height = 20;
	app->list = list;
	read_list(app, list);
}

void tui_list_close(struct tui_app *app)
{
	struct tui_list *list = app->list;

	if (!list)
		return;
	app->list = NULL;
	if (list->kind->close)
		list->kind->close(app, list->own);
	loom_arena_destroy(list->arena);
	loom_buf_fini(&list->argument);
	loom_buf_fini(&list->filter);
	free(list);
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
	if (list->at > 0 && list->top == list->at && !rests_on(list, list->at - 1))
		list->top--; /* its heading too */
}

void tui_list_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_list *list = app->list;
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(DIM));
	bool resting = list == app->side && app->focus != TUI_PANE_SIDE;

	if (list->kind->draw) {
		list->kind->draw(app, list, grid, rect);
		return;
	}
	keep_in_sight(list, rect.h);
	if (list->shown_count == 0) {
		tui_pen_to(&pen, 1, 0);
		tui_pen_puts(&pen, list->filter.n ? "nothing matches" : list->kind->empty);
	}
	for (int y = 0; y < rect.h && list->top + (size_t)y < list->shown_count; y++) {
		struct tui_rect row = {rect.x, rect.y + y, rect.w, 1};
		size_t at = list->top + (size_t)y;

		draw_entry(app, &list->all[list->shown[at]], grid, row);
		if (at != list->at)
			continue;
		tui_grid_ground(grid, row, resting ? TUI_ROLE_RESTING : TUI_ROLE_CURSOR);
		if (resting)
			continue;
		grid->cursor_x = row.x;
		grid->cursor_y = row.y;
		grid->cursor_shown = true;
	}
}

void tui_list_text(const struct tui_list *list, struct loom_buf *out)
{
	loom_buf_addf(out, "%s\n", list->kind->title);
	for (size_t i = 0; i < list->shown_count; i++) {
		const struct tui_entry *entry = &list->all[list->shown[i]];
		loom_buf_addf(out, "%.*s%s%.*s%s%.*s\n", LOOM_STR_ARG(entry->lead),
			      entry->lead.n ? ": " : "", LOOM_STR_ARG(entry->text),
			      entry->end.n ? " · " : "", LOOM_STR_ARG(entry->end));
	}
	if (list->shown_count == 0)
		loom_buf_addf(out, "%s\n", list->kind->empty);
}

void tui_list_status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	size_t n = 0;
	size_t k = 0;

	if (list->kind->status) {
		list->kind->status(app, list, out);
		return;
	}
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

bool tui_list_command(struct tui_app *app, const struct tui_match *match)
{
	struct tui_list *list = app->list;
	const struct tui_entry *entry = tui_list_at(list);
	int command = (int)match->binding->command;

	if (list->kind->first && list->kind->first(app, list, match))
		return true;
	if (move(list, match))
		return true;
	if ((command == TUI_ACTION_OPEN || command == TUI_ACTION_IN) && entry && list->kind->open) {
		struct tui_entry chosen = *entry;
		list->kind->open(app, &chosen);
		return true;
	}
	if (command == TUI_ACTION_OUT) {
		tui_list_close(app);
		return true;
	}
	return list->kind->command && list->kind->command(app, entry, match);
}
