/* Siblings, or picked nodes, side by side, with the words in which each differs from the first.
 * Text that all begin with is folded. It is an ordinary list of nodes with a drawing of its own. */
#include <loom/language/worddiff.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/lists/list.h>
#include <loom/terminal/wrap.h>
#include <loom/desk/position.h>

#define LEAST_WIDTH 28  /* of a column */
#define FOLD_OVER   120 /* a common beginning of more bytes than this is folded */

struct comparison {
	struct tui_app *app;
	struct tui_list *list;
	struct tui_grid *grid;
	struct comparing *own;
	int skip; /* lines scrolled past, in every column */
};

/* State of the view: the parent, the scroll position, and what was computed from the texts, valid
 * until they are read again. */
struct comparing {
	int64_t among; /* the group of the parent; 0 for none */
	int lines;
	int rows;
	bool looked; /* the fields below match the texts shown */
	const struct tui_entry *shown[TUI_COMPARED + 1]; /* ended by NULL */
	size_t same; /* length of the common beginning that is folded; 0 for none */
	struct loom_diff *diffs[TUI_COMPARED]; /* NULL until computed */
};

static void add_node(struct tui_app *app, struct tui_list *list, int64_t group)
{
	struct loom_arena *arena = tui_list_arena(list);
	const struct tui_row *row = NULL;
	struct tui_entry entry = {.id = group};
	struct loom_node node;

	if (tui_rows_get(&app->rows, group, &row, NULL) != LOOM_OK)
		return;
	entry.lead = loom_arena_str(arena, loom_str_of(row->id));
	entry.lead_role = row->bookmarked ? TUI_ROLE_BOOKMARK : TUI_ROLE_ID;
	entry.role = tui_people_role(&app->people, row->author);
	entry.end = loom_arena_str(arena, tui_people_name(&app->people, row->author));
	if (loom_node_get(app->store, row->node, LOOM_NODE_TEXT, arena, &node, NULL) != LOOM_OK)
		return;
	entry.text = node.text;
	tui_list_add(list, &entry);
}

static enum loom_status read_nodes(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_page page = {.kind = LOOM_CONTINUATION, .limit = TUI_COMPARED};
	struct loom_nodes nodes = {NULL, 0};
	struct comparing *own = tui_list_own(list);
	enum loom_status status;

	own->looked = false;
	if (app->selected_count > 1) {
		for (size_t i = 0; i < app->selected_count && i < TUI_COMPARED; i++)
			add_node(app, list, app->selected[i]);
		return LOOM_OK;
	}
	if (!own->among)
		return LOOM_OK;
	status = loom_node_children(app->store, own->among, &page, tui_list_arena(list), &nodes,
				    err);
	for (size_t i = 0; i < nodes.count; i++)
		add_node(app, list, nodes.items[i].group);
	return status;
}

/* --- drawing --- */

static size_t common_start(const struct tui_list *list)
{
	const struct tui_entry *first = tui_list_entry(list, 0);
	size_t n = first ? first->text.n : 0;
	const struct tui_entry *entry;

	for (size_t i = 1; (entry = tui_list_entry(list, i)); i++) {
		size_t k = 0;
		while (k < n && k < entry->text.n && entry->text.p[k] == first->text.p[k])
			k++;
		n = k;
	}
	while (n > 0 && first->text.p[n - 1] != ' ' && first->text.p[n - 1] != '\n')
		n--;
	return n > FOLD_OVER ? n : 0;
}

static struct loom_str text_of(const struct comparison *c, const struct tui_entry *entry)
{
	return loom_str_sub(entry->text, c->own->same, entry->text.n);
}

/* The difference between entry i and the first. */
static const struct loom_diff *diff_of(const struct comparison *c, size_t i)
{
	struct loom_diff **diff = &c->own->diffs[i];

	if (!*diff) {
		*diff = LOOM_ARENA_NEW(tui_list_arena(c->list), struct loom_diff);
		if (i > 0)
			loom_word_diff(text_of(c, tui_list_entry(c->list, 0)),
				       text_of(c, tui_list_entry(c->list, i)),
				       tui_list_arena(c->list), *diff);
	}
	return *diff;
}

/* A position in the text while drawing it. */
struct reading {
	const struct loom_diff *diff;
	size_t part;
	size_t from;
};

/* The role of the part that holds byte `at`; removed words do not count. Must not go backwards. */
static enum tui_role role_at(struct reading *reading, struct loom_str text, size_t at, size_t *end)
{
	for (; reading->part < reading->diff->count; reading->part++) {
		const struct loom_diff_part *part = &reading->diff->parts[reading->part];

		if (part->kind == LOOM_DIFF_GONE)
			continue;
		*end = reading->from + part->text.n;
		if (at < *end)
			return part->kind == LOOM_DIFF_NEW ? TUI_ROLE_ADDED : TUI_ROLE_TEXT;
		reading->from = *end;
	}
	*end = text.n;
	return TUI_ROLE_TEXT;
}

static void draw_line(struct tui_pen *pen, struct loom_str text, const struct tui_line *line,
		      struct reading *reading)
{
	for (size_t at = line->from; at < line->to;) {
		size_t end = line->to;

		pen->ink = (struct tui_ink){.role = (uint8_t)role_at(reading, text, at, &end)};
		end = end < line->to ? end : line->to;
		tui_pen_text(pen, loom_str_sub(text, at, end - at));
		at = end;
	}
}

static void draw_head(const struct comparison *c, const struct tui_entry *entry, size_t i,
		      struct tui_rect row)
{
	struct tui_pen pen = tui_pen_make(c->grid, row, TUI_INK(ID));
	bool here = tui_list_at(c->list) == entry;

	pen.ink.role = (uint8_t)entry->lead_role;
	if (c->app->blind)
		tui_pen_format(&pen, "%zu", i + 1);
	else
		tui_pen_cut(&pen, entry->lead, row.w);
	pen.ink = TUI_INK(DIM);
	if (!c->app->blind) {
		tui_pen_puts(&pen, " · ");
		tui_pen_cut(&pen, entry->end, tui_pen_left(&pen));
	}
	tui_grid_ground(c->grid, row, here ? TUI_ROLE_CURSOR : TUI_ROLE_RESTING);
	if (!here)
		return;
	c->grid->cursor_x = row.x;
	c->grid->cursor_y = row.y;
	c->grid->cursor_shown = true;
}

/* Rows of a column that are not text: its head, and the line for the folded beginning. */
static int rows_above(const struct comparison *c, struct tui_rect rect)
{
	return c->own->same && rect.h > 2 ? 2 : 1;
}

/* The lines scrolled past, limited so that the end of the longest column stays in sight. */
static int skip_of(const struct comparison *c, size_t first, const struct tui_rect *parts, int fit)
{
	struct comparing *own = c->own;
	int most = 0;

	own->rows = parts[0].h;
	for (int i = 0; i < fit; i++) {
		const struct tui_entry *entry = tui_list_entry(c->list, first + (size_t)i);
		int rows = parts[i].h - rows_above(c, parts[i]);
		int lines =
			entry ? tui_wrap_count(text_of(c, entry), 0, parts[i].w, own->lines + rows)
			      : 0;

		most = lines - rows > most ? lines - rows : most;
		own->rows = rows < own->rows ? rows : own->rows;
	}
	own->lines = own->lines < most ? own->lines : most;
	return own->lines;
}

/* Where the visible text begins; SIZE_MAX when all of it is above. */
static size_t skip_lines(const struct comparison *c, struct loom_str text, int width)
{
	size_t at = 0;

	for (int i = 0; i < c->skip; i++) {
		struct tui_line line = tui_wrap_line(text, at, width);
		if (line.next <= at || line.next >= text.n)
			return SIZE_MAX;
		at = line.next;
	}
	return at;
}

static void draw_column(const struct comparison *c, size_t i, struct tui_rect rect)
{
	const struct tui_entry *entry = tui_list_entry(c->list, i);
	struct loom_str text = text_of(c, entry);
	struct reading reading = {.diff = diff_of(c, i)};
	struct tui_pen pen = tui_pen_make(c->grid, rect, TUI_INK(DIM));
	size_t at = 0;
	int y = 1;

	draw_head(c, entry, i, (struct tui_rect){rect.x, rect.y, rect.w, 1});
	if (c->own->same && rect.h > 2) {
		tui_pen_to(&pen, 0, y++);
		tui_pen_symbol(&pen, TUI_SYMBOL_RUN);
		tui_pen_format(&pen, " %zu bytes the same", c->own->same);
	}
	at = skip_lines(c, text, rect.w);
	for (; y < rect.h && at != SIZE_MAX; y++) {
		struct tui_line line = tui_wrap_line(text, at, rect.w);
		tui_pen_to(&pen, 0, y);
		draw_line(&pen, text, &line, &reading);
		if (line.next <= at || line.next >= text.n)
			return;
		at = line.next;
	}
	if (at != SIZE_MAX && rect.h > 1) {
		tui_pen_to(&pen, rect.w - 1, rect.h - 1);
		pen.ink = TUI_INK(KEY);
		tui_pen_symbol(&pen, TUI_SYMBOL_MORE_DOWN);
	}
}

/* Columns have a margin, for the lines between them. */
static int split(struct tui_rect rect, int count, struct tui_rect *parts)
{
	int fit = tui_layout_split(rect, count, LEAST_WIDTH, parts);

	for (int i = 0; i < fit && fit > 1 && parts[1].x > rect.x; i++) {
		parts[i].x++;
		parts[i].w -= 2;
	}
	return fit;
}

/* Recomputes the derived fields if other texts are shown. */
static void look(const struct comparison *c)
{
	struct comparing *own = c->own;

	for (size_t i = 0; i < LOOM_COUNT(own->shown); i++) {
		const struct tui_entry *entry = tui_list_entry(c->list, i);

		own->looked = own->looked && own->shown[i] == entry;
		own->shown[i] = entry;
	}
	if (own->looked)
		return;
	memset(own->diffs, 0, sizeof own->diffs);
	own->same = common_start(c->list);
	own->looked = true;
}

/* Draws as many columns as fit, including the one with the cursor. */
static void draw_compare(struct tui_app *app, struct tui_list *list, struct tui_grid *grid,
			 struct tui_rect rect)
{
	struct comparison c = {.app = app, .list = list, .grid = grid, .own = tui_list_own(list)};
	struct tui_rect parts[TUI_COMPARED];
	size_t count = tui_list_count(list);
	size_t at = tui_list_index(list);
	size_t first;
	int fit;

	if (count == 0 || rect.w <= 0 || rect.h <= 0)
		return;
	look(&c);
	fit = split(rect, (int)count, parts);
	first = at >= (size_t)fit ? at - (size_t)fit + 1 : 0;
	c.skip = skip_of(&c, first, parts, fit);
	for (int i = 0; i < fit && first + (size_t)i < count; i++) {
		if (i > 0 && parts[i].x > parts[i - 1].x)
			tui_grid_down(grid, parts[i].x - 2, parts[i].y, parts[i].h,
				      TUI_INK(BORDER));
		draw_column(&c, first + (size_t)i, parts[i]);
	}
}

/* --- scrolling --- */

static void scroll_to(struct comparing *own, int64_t line)
{
	own->lines = line < 0 ? 0 : line > INT32_MAX / 4 ? INT32_MAX / 4 : (int)line;
}

static bool scroll(struct tui_app *app, const struct tui_match *match, int way)
{
	struct comparing *own = tui_list_own(app->list);

	scroll_to(own, (int64_t)own->lines + (int64_t)way * tui_match_count(match));
	return true;
}

/* `by` counts halves of a page. */
static bool scroll_page(struct tui_app *app, const struct tui_match *match, int by)
{
	struct comparing *own = tui_list_own(app->list);
	int page = own->rows > 1 ? own->rows - 1 : 1;
	int64_t n = tui_match_count(match);
	int64_t lines = by % 2 ? n * by * (page + 1) / 2 : n * by / 2 * page;

	scroll_to(own, own->lines + lines);
	return true;
}

static bool scroll_end(struct tui_app *app, const struct tui_match *match, int last)
{
	(void)match;
	scroll_to(tui_list_own(app->list), last ? INT32_MAX : 0);
	return true;
}

/* --- commands --- */

TUI_DO(BLIND)
{
	app->blind = !app->blind;
}

/* Keys act on the node under the cursor, even if all these nodes were picked. */
static bool as_in_tree(struct tui_app *app, const struct tui_match *match, int by)
{
	const struct tui_entry *entry = tui_list_at(app->list);
	const size_t picked = app->selected_count;

	(void)by;
	if (!entry)
		return false;
	if (entry->id != app->position && !tui_go(app, entry->id, TUI_GO_STEP))
		return true;
	app->selected_count = 0;
	tui_row_does(app, match, TUI_KEYVIEW_NAV);
	app->selected_count = picked;
	return true;
}

static const struct tui_meaning means[] = {
	{TUI_ACTION_OTHER_DOWN, scroll, 1},     {TUI_ACTION_OTHER_UP, scroll, -1},
	{TUI_ACTION_HALF_DOWN, scroll_page, 1}, {TUI_ACTION_HALF_UP, scroll_page, -1},
	{TUI_ACTION_PAGE_DOWN, scroll_page, 2}, {TUI_ACTION_PAGE_UP, scroll_page, -2},
	{TUI_ACTION_TOP, scroll_end, 0},        {TUI_ACTION_BOTTOM, scroll_end, 1},
	{TUI_VERB_BOOKMARK, as_in_tree, 0},     {TUI_VERB_PRUNE, as_in_tree, 0},
	{TUI_ACTION_KEEP_ONLY, as_in_tree, 0},  {.command = TUI_COMMAND_NONE},
};

static void on_open(struct tui_app *app, const struct tui_entry *entry)
{
	int64_t group = entry->id;

	tui_list_close(app);
	tui_go(app, group, TUI_GO_JUMP);
}

TUI_DO(COMPARE)
{
	static const struct tui_list_kind kind = {
		.title = "Compare",
		.unit = "node",
		.empty = "nothing to compare",
		.view = TUI_KEYVIEW_COMPARE,
		.read = read_nodes,
		.open = on_open,
		.means = means,
		.draw = draw_compare,
		.forget = free,
	};
	const struct tui_row *row = NULL;
	struct comparing *own;

	if (app->selected_count < 2 && app->n < 2) {
		tui_say(app, TUI_ROLE_DIM, "no siblings to compare: Space picks nodes");
		return;
	}
	own = loom_alloc(sizeof *own);
	if (tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK)
		own->among = row->among;
	tui_list_open_with(app, &kind, own);
	tui_list_to(app->list, app->position);
}
