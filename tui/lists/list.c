/* What all lists have in common: a cursor that stays on its entry, a filter, drawing. Entries live
 * in one arena, emptied when the list is read again. */
#include <loom/lists/list.h>

#include <loom/commands/wish.h>
#include <loom/desk/desk.h>
#include <loom/desk/typed.h>
#include <loom/text/width.h>

#include "inside.h"

#define COLUMN_BYTES 400 /* of a text that are looked at to tell how wide its column is */

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

static void widen(int *column, struct loom_str text)
{
	const int cells = (int)loom_str_width(loom_str_sub(text, 0, COLUMN_BYTES));

	*column = cells > *column ? cells : *column;
}

void tui_list_add(struct tui_list *list, const struct tui_entry *entry)
{
	list->all =
		loom_arena_grow(list->arena, list->all, list->count, &list->cap, sizeof *list->all);
	list->all[list->count++] = *entry;
	if (entry->heading)
		return;
	widen(&list->lead, entry->lead);
	widen(&list->text, entry->text);
	widen(&list->end, entry->end);
}

size_t tui_list_added(const struct tui_list *list)
{
	return list->count;
}

void tui_list_head_at(struct tui_list *list, size_t at, struct loom_str title)
{
	const struct tui_entry head = {.heading = true, .text = title};

	LOOM_ASSERT(at <= list->count);
	tui_list_add(list, &head);
	memmove(&list->all[at + 1], &list->all[at], (list->count - 1 - at) * sizeof *list->all);
	list->all[at] = head;
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

/* Every word of the filter must occur in the entry. */
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

bool tui_list_rests(const struct tui_list *list, size_t at)
{
	return at < list->shown_count && !list->all[list->shown[at]].heading;
}

struct ranked {
	size_t at;
	unsigned rank;
};

/* The best first; equals keep their order. */
static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Shows the rows that have the most words of the wish. */
static void show_ranked(struct tui_list *list)
{
	struct ranked *rows = LOOM_ARENA_ARRAY(list->arena, list->count + 1, struct ranked);
	struct loom_offer offer;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->all[i].heading)
			continue;
		offer = (struct loom_offer){.name = {NULL, 0}};
		list->kind->offer(&list->all[i], &offer);
		rows[count] =
			(struct ranked){i, loom_wish_rank(loom_buf_str(&list->filter), &offer)};
		count += rows[count].rank > 0;
	}
	if (count)
		qsort(rows, count, sizeof *rows, by_rank);
	for (size_t i = 0;
	     i < count && loom_wish_found(rows[i].rank) == loom_wish_found(rows[0].rank); i++)
		list->shown[list->shown_count++] = rows[i].at;
}

void tui_list_show(struct tui_list *list)
{
	list->shown = LOOM_ARENA_ARRAY(list->arena, list->count + 1, size_t);
	list->shown_count = 0;
	if (list->kind->offer && list->filter.n)
		show_ranked(list);
	for (size_t i = 0; i < list->count && !(list->kind->offer && list->filter.n); i++) {
		if (passes(list, &list->all[i]))
			list->shown[list->shown_count++] = i;
	}
	if (list->at >= list->shown_count)
		list->at = list->shown_count ? list->shown_count - 1 : 0;
	while (list->at + 1 < list->shown_count && !tui_list_rests(list, list->at))
		list->at++;
}

void tui_list_moved(struct tui_app *app)
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
	list->lead = list->text = list->end = 0;
	list->whole = list->whole_title = LOOM_STR("");
	well = tui_must(app, list->kind->read(app, list, &err), &err);
	tui_list_show(list);
	return well;
}

const struct tui_entry *tui_list_at(const struct tui_list *list)
{
	return tui_list_rests(list, list->at) ? &list->all[list->shown[list->at]] : NULL;
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

bool tui_list_live(const struct tui_list *list)
{
	return list->kind->live;
}

struct tui_rect tui_list_rule(const struct tui_app *app)
{
	return app->list ? app->list->rule_rect : (struct tui_rect){0, 0, 0, 0};
}

void tui_list_to(struct tui_list *list, int64_t id)
{
	for (size_t i = 0; i < list->shown_count; i++) {
		if (list->all[list->shown[i]].id == id && tui_list_rests(list, i)) {
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
		if (list->top > 0) /* a list at its beginning stays there */
			list->top = list->at > offset ? list->at - offset : 0;
	}
	tui_list_moved(app);
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
	tui_list_moved(app);
}

void tui_list_open(struct tui_app *app, const struct tui_list_kind *kind, struct loom_str argument)
{
	open_list(app, kind, NULL, argument);
}

void tui_list_open_with(struct tui_app *app, const struct tui_list_kind *kind, void *own)
{
	open_list(app, kind, own, (struct loom_str){NULL, 0});
}

static void destroy(struct tui_list *list)
{
	if (list->kind->forget)
		list->kind->forget(list->own);
	loom_arena_destroy(list->arena);
	loom_buf_fini(&list->argument);
	loom_buf_fini(&list->filter);
	free(list);
}

void tui_list_close(struct tui_app *app)
{
	struct tui_list *list = app->list;

	if (!list)
		return;
	app->list = NULL;
	tui_app_catch_up(app);
	destroy(list);
}

struct tui_list *tui_list_set_aside(struct tui_app *app)
{
	struct tui_list *list = app->list;

	app->list = NULL;
	return list;
}

void tui_list_bring_back(struct tui_app *app, struct tui_list *list)
{
	tui_list_close(app);
	app->list = list;
	if (list)
		tui_list_refresh(app);
}

void tui_list_discard(struct tui_list *list)
{
	if (list)
		destroy(list);
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
		tui_list_show(list);
	tui_list_moved(app);
}
