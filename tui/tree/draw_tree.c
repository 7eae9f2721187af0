/* Draws the rows of the tree in sight. The lines that join siblings are computed from the bottom
 * up: the rows below a row tell which of its ancestors have more children. */
#include <loom/desk/desk.h>
#include <loom/desk/ghosts.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/tree_view.h>
#include <loom/text/width.h>
#include <loom/writing/drafts.h>

#define LOOK_AHEAD 48 /* rows below the pane, read to see which lines continue */
#define GUIDE_MAX  64 /* fork levels that have lines */
#define ROWS_MAX   (TUI_SIDE_MAX + LOOK_AHEAD)

struct line {
	uint32_t item;
	uint64_t guides; /* bit n: level n continues below */
};

struct tree_drawing {
	struct tui_app *app;
	const struct line *lines;
	int count;
	struct tui_grid *grid;
	struct tui_rect rect;
	uint32_t shift; /* levels omitted at the left */
};

/* Fills `lines` with the items in sight and some below; returns the number. */
static int collect(struct tui_app *app, int want, struct line *lines)
{
	uint32_t item = tui_items_at(app->outline.items, app->top, NULL);
	int n = 0;

	for (; item && n < want; item = tui_items_next(app->outline.items, item))
		lines[n++].item = item;
	return n;
}

static void join_lines(const struct tui_app *app, struct line *lines, int n)
{
	uint64_t below = 0;

	while (n-- > 0) {
		const struct tui_item *item = tui_items_get(app->outline.items, lines[n].item);
		uint32_t indent = tui_outline_indent(item);
		uint64_t own = indent < GUIDE_MAX ? UINT64_C(1) << indent : 0;

		if (indent + 1 < GUIDE_MAX)
			below &= (own << 1) - 1; /* deeper levels end here */
		lines[n].guides = below;
		if (item->flags & (TUI_OUTLINE_BRANCH | TUI_OUTLINE_RUN | TUI_OUTLINE_GHOST))
			below |= own;
	}
}

static void draw_guides(const struct tree_drawing *drawing, struct tui_pen *pen,
			const struct tui_item *item, uint64_t guides)
{
	uint32_t indent = tui_outline_indent(item);
	bool branch = item->flags & (TUI_OUTLINE_BRANCH | TUI_OUTLINE_RUN | TUI_OUTLINE_GHOST);

	pen->ink = TUI_INK(BORDER);
	for (uint32_t level = drawing->shift + 1; level <= indent; level++) {
		bool on = level < GUIDE_MAX && (guides >> level & 1);
		bool own = level == indent;

		if (own && branch)
			tui_pen_symbol(pen, on ? TUI_SYMBOL_FORK : TUI_SYMBOL_LAST);
		else if (on)
			tui_pen_symbol(pen, TUI_SYMBOL_PASSING);
		else
			tui_pen_blank(pen, 1);
		if (!own)
			tui_pen_blank(pen, 1);
	}
}

static void draw_fold(const struct tree_drawing *drawing, struct tui_pen *pen, uint32_t handle,
		      const struct tui_row *row)
{
	const struct tui_items *items = drawing->app->outline.items;
	bool open = (tui_items_get(items, handle)->flags & TUI_OUTLINE_OPEN) &&
		    !tui_items_folded(items, handle);

	pen->ink = TUI_INK(DIM);
	if (row->children == 0)
		tui_pen_blank(pen, 1);
	else
		tui_pen_symbol(pen, open ? TUI_SYMBOL_OPEN : TUI_SYMBOL_CLOSED);
	tui_pen_blank(pen, 1);
}

/* The row of the sibling before a line (the next one when `step` is 1); NULL when it is not in
 * sight. */
static const struct tui_row *sibling_of(const struct tree_drawing *drawing, int at, int step)
{
	struct tui_app *app = drawing->app;
	const struct tui_item *own = tui_items_get(app->outline.items, drawing->lines[at].item);
	const uint32_t indent = tui_outline_indent(own);
	const struct tui_row *row = NULL;

	for (int i = at + step; i >= 0 && i < drawing->count; i += step) {
		const uint32_t handle = drawing->lines[i].item;
		const struct tui_item *item = tui_items_get(app->outline.items, handle);
		const int64_t group = tui_outline_group(&app->outline, handle);

		if (tui_outline_indent(item) < indent)
			return NULL;
		if (tui_outline_indent(item) == indent && item->flags & TUI_OUTLINE_BRANCH)
			return group && tui_rows_get(&app->rows, group, &row, NULL) == LOOM_OK
				       ? row
				       : NULL;
	}
	return NULL;
}

/* How many bytes two texts begin with alike, to the start of a word; 0 if one is all of the
 * other. */
static size_t alike(struct loom_str a, struct loom_str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	if (n == a.n || n == b.n)
		return 0;
	while (n > 0 && a.p[n - 1] != ' ')
		n--;
	return n;
}

/* Rows of siblings begin where they differ: the words that they share are left out when they would
 * fill much of the row. */
static struct loom_str own_words(const struct tree_drawing *drawing, int at,
				 const struct tui_row *row, char room[TUI_ROW_TEXT])
{
	enum { MUCH = 16 };
	const struct tui_item *item =
		tui_items_get(drawing->app->outline.items, drawing->lines[at].item);
	struct loom_str text = loom_str_make(room, row->text_n);
	size_t skip = 0;

	/* Another row may take this one's place in the cache. */
	memcpy(room, row->text, row->text_n);
	for (int step = -1; step <= 1 && item->flags & TUI_OUTLINE_BRANCH; step += 2) {
		const struct tui_row *other = sibling_of(drawing, at, step);
		const size_t n = other ? alike(text, loom_str_make(other->text, other->text_n)) : 0;

		skip = n > skip ? n : skip;
	}
	return skip < MUCH ? text : loom_str_sub(text, skip, text.n);
}

static size_t unseen_here(const struct tui_app *app, int64_t group)
{
	for (size_t i = 0; i < app->news->unseen_count; i++) {
		if (app->news->unseen[i] == group)
			return 1;
	}
	return 0;
}

static const struct loom_presence *who_is_here(const struct tui_app *app, const char *id)
{
	char tree[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&app->tree.ulid, tree);
	for (size_t i = 0; i < app->news->present_count; i++) {
		if (loom_str_is(app->news->present[i].node, id) &&
		    loom_str_is(app->news->present[i].tree, tree))
			return &app->news->present[i];
	}
	return NULL;
}

/* A count or mark at the right of a row, with a blank before it. */
struct mark {
	enum tui_role role;
	int rank;               /* the highest one goes first when there is no room */
	enum tui_symbol symbol; /* before the text; TUI_SYMBOLS for none */
	struct loom_str text;
};

struct marks {
	struct mark items[10];
	size_t count;
	struct loom_arena *arena;
};

static struct mark *add_mark(struct marks *marks, enum tui_role role, int rank,
			     struct loom_str text)
{
	struct mark *mark = &marks->items[marks->count++];

	LOOM_ASSERT(marks->count <= LOOM_COUNT(marks->items));
	*mark = (struct mark){role, rank, TUI_SYMBOLS, text};
	return mark;
}

static void add_sign(struct marks *marks, enum tui_role role, int rank, enum tui_symbol symbol)
{
	add_mark(marks, role, rank, LOOM_STR(""))->symbol = symbol;
}

/* Adds what a person thought of the node, and how its text ended. */
static void add_said(struct marks *marks, const struct tui_row *row)
{
	if (row->notes)
		add_mark(marks, TUI_ROLE_DIM, 6,
			 loom_arena_format(marks->arena, "%lld %s", (long long)row->notes,
					   loom_plural(row->notes, "note", "notes")));
	if (row->tags_n)
		add_mark(marks, TUI_ROLE_TAG, 8,
			 loom_arena_format(marks->arena, "%.*s", row->tags_n, row->tags));
	else if (row->tag_count)
		add_mark(marks, TUI_ROLE_TAG, 8, LOOM_STR("#\xe2\x80\xa6"));
	if (row->rated)
		add_mark(marks, row->rated > 0 ? TUI_ROLE_OK : TUI_ROLE_WARN, 5,
			 row->rated > 0 ? LOOM_STR("good") : LOOM_STR("bad"));
	if (row->ending == LOOM_ENDING_CUT)
		add_sign(marks, TUI_ROLE_DIM, 7, TUI_SYMBOL_GOES_ON);
	else if (row->ending)
		add_mark(marks, TUI_ROLE_WARN, 3, loom_str_of(loom_ending_name(row->ending)));
}

static void add_counts(const struct tree_drawing *drawing, struct marks *marks, uint32_t handle,
		       const struct tui_row *row)
{
	const struct tui_items *items = drawing->app->outline.items;
	const bool closed = tui_items_hidden(items, handle) > 0 ||
			    !(tui_items_get(items, handle)->flags & TUI_OUTLINE_OPEN);
	struct loom_buf count = LOOM_BUF_INIT(64);

	if (row->versions > 1 || row->newer)
		add_mark(marks, TUI_ROLE_DIM, 4,
			 loom_arena_format(marks->arena, "v%d/%d%s", row->version, row->versions,
					   row->newer ? "+" : ""));
	if (row->children > 1 && closed) {
		loom_buf_add_count(&count, (uint64_t)row->children);
		add_mark(marks, TUI_ROLE_DIM, 2, loom_arena_buf(marks->arena, &count));
	}
	loom_buf_fini(&count);
}

static void add_others(const struct tree_drawing *drawing, struct marks *marks,
		       const struct tui_row *row)
{
	const struct loom_presence *who = who_is_here(drawing->app, row->id);
	const struct tui_person *person =
		who ? tui_people_named(&drawing->app->people, who->agent) : NULL;

	if (unseen_here(drawing->app, row->group))
		add_sign(marks, TUI_ROLE_UNSEEN, 1, TUI_SYMBOL_UNSEEN);
	if (who)
		add_mark(marks, person ? person->role : TUI_ROLE_HUMAN, 0,
			 loom_str_sub(who->agent, 0, 8))
			->symbol = TUI_SYMBOL_PRESENT;
}

static int cells_of(const struct marks *marks)
{
	int cells = 0;

	for (size_t i = 0; i < marks->count; i++)
		cells += 1 + (marks->items[i].symbol != TUI_SYMBOLS) +
			 (int)loom_str_width(marks->items[i].text);
	return cells;
}

/* Half of the row is the text's. */
static void fit_marks(struct marks *marks, int room)
{
	while (marks->count && cells_of(marks) > room) {
		size_t last = 0;

		for (size_t i = 1; i < marks->count; i++)
			if (marks->items[i].rank > marks->items[last].rank)
				last = i;
		memmove(marks->items + last, marks->items + last + 1,
			(--marks->count - last) * sizeof *marks->items);
	}
}

/* Returns the cells that the marks take. */
static int draw_marks(const struct tree_drawing *drawing, int y, uint32_t handle,
		      const struct tui_row *row)
{
	struct marks marks = {.arena = drawing->app->arena};
	struct tui_rect rect = drawing->rect;
	struct tui_pen pen;
	int cells;

	add_said(&marks, row);
	add_counts(drawing, &marks, handle, row);
	add_others(drawing, &marks, row);
	fit_marks(&marks, rect.w / 2);
	cells = cells_of(&marks);
	rect = (struct tui_rect){rect.x + rect.w - cells, rect.y + y, cells, 1};
	pen = tui_pen_make(drawing->grid, rect, TUI_INK(DIM));
	for (size_t i = 0; i < marks.count; i++) {
		tui_pen_blank(&pen, 1);
		pen.ink.role = (uint8_t)marks.items[i].role;
		if (marks.items[i].symbol != TUI_SYMBOLS)
			tui_pen_symbol(&pen, marks.items[i].symbol);
		tui_pen_text(&pen, marks.items[i].text);
	}
	return cells;
}

static struct tui_ink text_ink(const struct tui_app *app, const struct tui_row *row, bool on_path)
{
	struct tui_ink ink = TUI_INK(TEXT);

	ink.role = (uint8_t)tui_people_role(&app->people, row->author);
	if (on_path)
		ink.attr = TUI_BOLD;
	if (row->excluded)
		ink.attr = TUI_STRIKE;
	if (row->pruned)
		ink = TUI_INK(PRUNED);
	return ink;
}

static void draw_node(const struct tree_drawing *drawing, struct tui_pen *pen, uint32_t handle,
		      int y)
{
	struct tui_app *app = drawing->app;
	char room[TUI_ROW_TEXT];
	struct loom_str text;
	int64_t group = tui_outline_group(&app->outline, handle);
	const struct tui_row *row = NULL;
	struct loom_err err;
	bool on_path;
	int right;

	if (tui_rows_get(&app->rows, group, &row, &err) != LOOM_OK) {
		pen->ink = TUI_INK(ERROR);
		tui_pen_cut(pen, loom_str_of(err.text), tui_pen_left(pen));
		return;
	}
	on_path = tui_on_path(app, group);
	draw_fold(drawing, pen, handle, row);
	right = draw_marks(drawing, y, handle, row);
	pen->ink = row->pruned ? TUI_INK(PRUNED) : on_path ? TUI_INK(PATH) : TUI_INK(ID);
	tui_pen_puts(pen, row->id);
	if (row->bookmarked) {
		pen->ink = TUI_INK(BOOKMARK);
		tui_pen_symbol(pen, TUI_SYMBOL_BOOKMARK);
	}
	if (row->pruned) {
		pen->ink = TUI_INK(PRUNED);
		tui_pen_symbol(pen, TUI_SYMBOL_PRUNED);
	}
	if (tui_people_claimed(&app->people, row->author)) {
		pen->ink = TUI_INK(WARN);
		tui_pen_puts(pen, "?");
	}
	tui_pen_blank(pen, row->bookmarked || row->pruned ? 1 : 2);
	pen->ink = text_ink(app, row, on_path);
	if (tui_items_get(app->outline.items, handle)->flags & TUI_OUTLINE_BESIDE)
		pen->ink = TUI_INK(DIM);
	text = own_words(drawing, y, row, room);
	if (text.p != room)
		tui_pen_puts(pen, "…");
	tui_pen_cut(pen, text, tui_pen_left(pen) - right);
}

static void draw_other(const struct tree_drawing *drawing, struct tui_pen *pen,
		       const struct tui_item *item)
{
	struct loom_buf text = LOOM_BUF_INIT(64);

	(void)drawing;
	pen->ink = TUI_INK(DIM);
	tui_pen_symbol(pen, TUI_SYMBOL_RUN);
	if (item->flags & TUI_OUTLINE_CHAIN) {
		loom_buf_adds(&text, " ");
		loom_buf_add_count(&text, item->extra);
	}
	tui_pen_text(pen, loom_buf_str(&text));
	loom_buf_fini(&text);
}

/* Draws the end of a node being written, since that is the part that changes. */
static void draw_ghost(struct tui_pen *pen, const struct tui_ghost *ghost)
{
	struct loom_str text = loom_buf_str(&ghost->text);
	char head[TUI_ROW_TEXT];
	size_t room = (size_t)(tui_pen_left(pen) > 10 ? tui_pen_left(pen) - 10 : 0);
	size_t from = text.n > room ? text.n - room : 0;

	while (from < text.n && ((unsigned char)text.p[from] & 0xC0) == 0x80)
		from++;
	pen->ink = TUI_INK(RUNNING);
	tui_pen_symbol(pen, TUI_SYMBOL_RUNNING);
	tui_pen_format(pen, " %s  ", ghost->id);
	pen->ink = TUI_INK(MODEL);
	text = loom_str_sub(text, from, text.n);
	tui_pen_cut(pen, loom_str_make(head, tui_text_head(text, head, sizeof head)),
		    tui_pen_left(pen));
}

static void draw_draft(struct tui_pen *pen, const struct tui_draft_row *draft)
{
	pen->ink = draft->sent ? TUI_INK(RUNNING) : TUI_INK(DRAFT);
	tui_pen_symbol(pen, draft->sent ? TUI_SYMBOL_RUNNING : TUI_SYMBOL_DRAFT);
	tui_pen_puts(pen, draft->sent     ? " sent  "
			  : draft->edit   ? " another version  "
			  : draft->begins ? " beginning of a tree  "
					  : " draft  ");
	tui_pen_cut(pen, loom_str_make(draft->text, draft->text_n), tui_pen_left(pen));
}

void tui_draft_draw(const struct tui_draft_row *draft, struct tui_grid *grid, struct tui_rect row)
{
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(DRAFT));

	draw_draft(&pen, draft);
}

static bool is_selected(const struct tui_app *app, int64_t group)
{
	for (size_t i = 0; i < app->selected_count; i++)
		if (app->selected[i] == group)
			return true;
	return false;
}

static void draw_row(const struct tree_drawing *drawing, const struct line *line, int y)
{
	struct tui_app *app = drawing->app;
	const struct tui_item *item = tui_items_get(app->outline.items, line->item);
	struct tui_rect row = {drawing->rect.x, drawing->rect.y + y, drawing->rect.w, 1};
	struct tui_pen pen = tui_pen_make(drawing->grid, row, TUI_INK(TEXT));

	draw_guides(drawing, &pen, item, line->guides);
	if (item->flags & (TUI_OUTLINE_RUN | TUI_OUTLINE_CHAIN))
		draw_other(drawing, &pen, item);
	else if (tui_drafts_at(app, line->item))
		draw_draft(&pen, tui_drafts_at(app, line->item));
	else if (tui_stream_at(app, line->item))
		draw_ghost(&pen, tui_stream_at(app, line->item));
	else if (tui_outline_group(&app->outline, line->item))
		draw_node(drawing, &pen, line->item, y);
	if (is_selected(app, tui_outline_group(&app->outline, line->item)))
		tui_grid_ground(drawing->grid, row, TUI_ROLE_SELECTED);
	if (line->item != app->cursor)
		return;
	tui_grid_ground(drawing->grid, row,
			app->focus == TUI_PANE_TREE ? TUI_ROLE_CURSOR : TUI_ROLE_RESTING);
	if (app->focus == TUI_PANE_TREE) {
		drawing->grid->cursor_x = row.x;
		drawing->grid->cursor_y = row.y;
		drawing->grid->cursor_shown = true;
	}
}

/* Deep forks would leave no room for text, so levels at the left are omitted, several at a time. */
static uint32_t shift_of(const struct tui_app *app, int width)
{
	const struct tui_item *item =
		app->cursor ? tui_items_get(app->outline.items, app->cursor) : NULL;
	uint32_t indent = item ? tui_outline_indent(item) : 0;
	uint32_t room = width > 24 ? (uint32_t)(width - 16) / 4 : 2;

	return indent > room ? (indent - room + 3) / 4 * 4 : 0;
}

void tui_tree_draw(struct tui_app *app, struct tui_grid *grid, const struct tui_layout *layout)
{
	const struct tui_rect rect = layout->panes[TUI_PANE_TREE];
	struct tree_drawing drawing = {.app = app, .grid = grid, .rect = rect};
	struct line *lines;
	struct loom_err err;
	int n;

	if (!app->tree.id || rect.w <= 0 || rect.h <= 0)
		return;
	if (app->tree_height != rect.h) {
		app->tree_height = rect.h;
		tui_keep_in_sight(app);
	}
	tui_must(app, tui_outline_fill(&app->outline, app->top, (uint64_t)rect.h, &err), &err);
	lines = loom_alloc(ROWS_MAX * sizeof *lines);
	n = collect(app, rect.h + LOOK_AHEAD, lines);
	join_lines(app, lines, n);
	drawing.lines = lines;
	drawing.count = n;
	drawing.shift = shift_of(app, rect.w);
	for (int y = 0; y < n && y < rect.h; y++)
		draw_row(&drawing, &lines[y], y);
	free(lines);
	n = n < rect.h ? n : rect.h;
	app->free_tree = (struct tui_rect){rect.x, rect.y + n, rect.w, rect.h - n};
}
