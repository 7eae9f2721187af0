/* The cell grid. Invariants: every cell is a blank, a grapheme of width 1, or the left half of a
 * wide grapheme whose right half (width 0) is the next cell of the row; a cluster of more than one
 * code point is kept in grid->clusters until the next reset. Colours belong to theme.c, bytes to
 * blit.c. */
#include <loom/terminal/grid.h>

#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>
#include <loom/text/width.h>

#define CLUSTERS_MAX ((size_t)64 << 20)

static const struct tui_cell blank = {.glyph = ' ', .width = 1};

static int clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

struct tui_rect tui_rect_meet(struct tui_rect a, struct tui_rect b)
{
	int left = a.x > b.x ? a.x : b.x;
	int top = a.y > b.y ? a.y : b.y;
	int right = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
	int bottom = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;

	if (right <= left || bottom <= top)
		return (struct tui_rect){.x = left, .y = top};
	return (struct tui_rect){left, top, right - left, bottom - top};
}

bool tui_rect_has(struct tui_rect rect, int x, int y)
{
	return x >= rect.x && y >= rect.y && x < rect.x + rect.w && y < rect.y + rect.h;
}

/* The text of a symbol; a static string. */
static const char *symbol_text(enum tui_symbol symbol, bool ascii)
{
	static const char *const texts[][2] = {
#define X(id, utf8, plain) [TUI_SYMBOL_##id] = {utf8, plain},
		TUI_SYMBOL_LIST(X)
#undef X
	};

	return texts[symbol][ascii];
}

void tui_grid_init(struct tui_grid *grid, bool ascii)
{
	*grid = (struct tui_grid){.ascii = ascii};
	loom_buf_init(&grid->clusters, CLUSTERS_MAX);
	tui_grid_reset(grid, 1, 1);
}

void tui_grid_fini(struct tui_grid *grid)
{
	free(grid->cells);
	loom_buf_fini(&grid->clusters);
	*grid = (struct tui_grid){.cells = NULL};
}

static void grid_resize(struct tui_grid *grid, int w, int h)
{
	size_t need = (size_t)w * (size_t)h;

	if (need > grid->cap) {
		grid->cells = loom_realloc(grid->cells, need, sizeof(*grid->cells));
		grid->cap = need;
	}
	grid->w = w;
	grid->h = h;
}

void tui_grid_reset(struct tui_grid *grid, int w, int h)
{
	grid_resize(grid, clamp(w, 1, TUI_SIDE_MAX), clamp(h, 1, TUI_SIDE_MAX));
	for (size_t i = 0; i < (size_t)grid->w * (size_t)grid->h; i++)
		grid->cells[i] = blank;
	loom_buf_clear(&grid->clusters);
	grid->cursor_x = 0;
	grid->cursor_y = 0;
	grid->cursor_shown = false;
}

void tui_grid_copy(struct tui_grid *to, const struct tui_grid *from)
{
	grid_resize(to, from->w, from->h);
	memcpy(to->cells, from->cells, (size_t)from->w * (size_t)from->h * sizeof(*from->cells));
	loom_buf_clear(&to->clusters);
	loom_buf_add(&to->clusters, loom_buf_str(&from->clusters));
	to->cursor_x = from->cursor_x;
	to->cursor_y = from->cursor_y;
	to->cursor_shown = from->cursor_shown;
	to->ascii = from->ascii;
}

static bool inside(const struct tui_grid *grid, int x, int y)
{
	return x >= 0 && y >= 0 && x < grid->w && y < grid->h;
}

static struct tui_cell *cell_at(const struct tui_grid *grid, int x, int y)
{
	return &grid->cells[(size_t)y * (size_t)grid->w + (size_t)x];
}

const struct tui_cell *tui_grid_cell(const struct tui_grid *grid, int x, int y)
{
	return inside(grid, x, y) ? cell_at(grid, x, y) : NULL;
}

struct loom_str tui_cell_text(const struct tui_grid *grid, const struct tui_cell *cell,
			      char room[4])
{
	if (cell->width == 0)
		return loom_str_make(room, 0);
	if (cell->glyph & TUI_GLYPH_LONG)
		return loom_str_of(grid->clusters.p + (cell->glyph & ~TUI_GLYPH_LONG));
	return loom_str_make(room, loom_utf8_encode(cell->glyph, room));
}

static bool cell_same(const struct tui_grid *ga, const struct tui_cell *a,
		      const struct tui_grid *gb, const struct tui_cell *b)
{
	char room_a[4];
	char room_b[4];

	if (a->width != b->width || memcmp(&a->ink, &b->ink, sizeof(a->ink)) != 0)
		return false;
	if (!((a->glyph | b->glyph) & TUI_GLYPH_LONG))
		return a->glyph == b->glyph;
	return loom_str_eq(tui_cell_text(ga, a, room_a), tui_cell_text(gb, b, room_b));
}

bool tui_grid_row_same(const struct tui_grid *a, const struct tui_grid *b, int y)
{
	if (a->w != b->w || y >= a->h || y >= b->h)
		return false;
	for (int x = 0; x < a->w; x++) {
		if (!cell_same(a, cell_at(a, x, y), b, cell_at(b, x, y)))
			return false;
	}
	return true;
}

void tui_grid_text(const struct tui_grid *grid, struct loom_buf *out)
{
	char room[4];

	for (int y = 0; y < grid->h; y++) {
		size_t solid = out->n;
		for (int x = 0; x < grid->w; x++) {
			const struct tui_cell *cell = cell_at(grid, x, y);
			loom_buf_add(out, tui_cell_text(grid, cell, room));
			if (cell->glyph != ' ' && cell->width != 0)
				solid = out->n;
		}
		loom_buf_cut(out, solid);
		loom_buf_addc(out, '\n');
	}
}

static const char *cell_fault(const struct tui_grid *grid, int x, int y)
{
	const struct tui_cell *cell = cell_at(grid, x, y);

	if (cell->width > 2)
		return "a cell wider than two";
	if (cell->width == 2 && (x + 1 >= grid->w || cell_at(grid, x + 1, y)->width != 0))
		return "a wide grapheme without its right half";
	if (cell->width == 0 && (x == 0 || cell_at(grid, x - 1, y)->width != 2))
		return "a right half without its wide grapheme";
	if (cell->ink.role >= TUI_ROLES || cell->ink.ground >= TUI_ROLES)
		return "a role that is none";
	if (!(cell->glyph & TUI_GLYPH_LONG) && (cell->glyph < 0x20 || cell->glyph == 0x7f))
		return "a control character in a cell";
	if ((cell->glyph & TUI_GLYPH_LONG) && (cell->glyph & ~TUI_GLYPH_LONG) >= grid->clusters.n)
		return "a cluster that is nowhere";
	return NULL;
}

const char *tui_grid_fault(const struct tui_grid *grid)
{
	if (!inside(grid, grid->cursor_x, grid->cursor_y))
		return "a cursor outside the grid";
	for (int y = 0; y < grid->h; y++) {
		for (int x = 0; x < grid->w; x++) {
			const char *fault = cell_fault(grid, x, y);
			if (fault)
				return fault;
		}
	}
	return NULL;
}

/* The cell to be written may be half of a wide grapheme; blank its other half. */
static void unpair(struct tui_grid *grid, int x, int y)
{
	struct tui_cell *cell = cell_at(grid, x, y);
	struct tui_ink ink = cell->ink;

	if (cell->width == 2)
		*cell_at(grid, x + 1, y) = (struct tui_cell){' ', 1, ink};
	else if (cell->width == 0)
		*cell_at(grid, x - 1, y) = (struct tui_cell){' ', 1, ink};
}

/* Both halves of the grapheme must lie inside the grid. */
static void put(struct tui_grid *grid, int x, int y, struct tui_cell cell)
{
	unpair(grid, x, y);
	if (cell.width == 2) {
		unpair(grid, x + 1, y);
		*cell_at(grid, x + 1, y) = (struct tui_cell){' ', 0, cell.ink};
	}
	*cell_at(grid, x, y) = cell;
}

struct tui_pen tui_pen_make(struct tui_grid *grid, struct tui_rect rect, struct tui_ink ink)
{
	struct tui_rect all = {0, 0, grid->w, grid->h};

	return (struct tui_pen){.grid = grid,
				.clip = tui_rect_meet(rect, all),
				.left = rect.x,
				.top = rect.y,
				.x = rect.x,
				.y = rect.y,
				.ink = ink};
}

void tui_pen_to(struct tui_pen *pen, int x, int y)
{
	pen->x = pen->left + x;
	pen->y = pen->top + y;
}

int tui_pen_left(const struct tui_pen *pen)
{
	int edge = pen->clip.x + pen->clip.w;

	return pen->x < edge ? edge - pen->x : 0;
}

static uint32_t glyph_of(struct tui_grid *grid, struct loom_str text)
{
	size_t at = 0;
	uint32_t cp = loom_utf8_next(text, &at);

	if (at == text.n)
		return cp;
	at = grid->clusters.n;
	loom_buf_add(&grid->clusters, text);
	loom_buf_addc(&grid->clusters, '\0');
	return grid->clusters.bad ? '?' : TUI_GLYPH_LONG | (uint32_t)at;
}

/* Draws one grapheme at the pen. False when it does not fit before the edge. */
static bool pen_grapheme(struct tui_pen *pen, struct loom_str text, int width, struct tui_ink ink)
{
	if (pen->y < pen->clip.y || pen->y >= pen->clip.y + pen->clip.h)
		return false;
	if (tui_pen_left(pen) < width)
		return false;
	if (pen->x >= pen->clip.x)
		put(pen->grid, pen->x, pen->y,
		    (struct tui_cell){glyph_of(pen->grid, text), (uint8_t)width, ink});
	pen->x += width;
	return true;
}

/* Draws a visible name such as ^X or <U+200B>, or a cluster wider than two cells, as scripts with
 * conjunct consonants have them. Each spacing character gets its own cells, together with the
 * zero-width ones after it. */
static bool pen_characters(struct tui_pen *pen, struct loom_str text, struct tui_ink ink)
{
	for (size_t at = 0; at < text.n;) {
		const size_t from = at;
		int width = loom_cp_width(loom_utf8_next(text, &at));
		size_t next = at;

		while (at < text.n && loom_cp_width(loom_utf8_next(text, &next)) == 0)
			at = next;
		if (width > 0 &&
		    !pen_grapheme(pen, loom_str_sub(text, from, at - from), width, ink))
			return false;
	}
	return true;
}

static bool pen_piece(struct tui_pen *pen, const struct loom_piece *piece)
{
	struct tui_ink mark = pen->ink;
	struct loom_str text = loom_str_make(piece->text, piece->len);
	bool fits = true;

	mark.role = TUI_ROLE_MARK;
	if (piece->newline)
		return pen_grapheme(pen,
				    loom_str_of(symbol_text(TUI_SYMBOL_RETURN, pen->grid->ascii)),
				    1, mark);
	if (piece->tab) {
		int stop = 8 - (pen->x - pen->left) % 8;
		while (fits && stop-- > 0)
			fits = pen_grapheme(pen, LOOM_STR(" "), 1, pen->ink);
		return fits;
	}
	if (piece->mark || piece->width > 2)
		return pen_characters(pen, text, piece->mark ? mark : pen->ink);
	return piece->width == 0 || pen_grapheme(pen, text, piece->width, pen->ink);
}

bool tui_pen_text(struct tui_pen *pen, struct loom_str text)
{
	struct loom_piece piece;

	for (size_t at = 0; at < text.n;) {
		loom_shown_next(text, &at, &piece);
		if (!pen_piece(pen, &piece))
			return false;
	}
	return true;
}

bool tui_pen_puts(struct tui_pen *pen, const char *text)
{
	return tui_pen_text(pen, loom_str_of(text));
}

bool tui_pen_format(struct tui_pen *pen, const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT((size_t)1 << 20);
	va_list args;
	bool fits;

	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	fits = tui_pen_text(pen, loom_buf_str(&text));
	loom_buf_fini(&text);
	return fits;
}

/* How many bytes of `text` fit into `cells`; *used gets the cells they take. */
static size_t fitting(struct loom_str text, int cells, int *used)
{
	struct loom_piece piece;
	size_t end = 0;

	*used = 0;
	for (size_t at = 0; at < text.n; end = at) {
		loom_shown_next(text, &at, &piece);
		int width = piece.newline ? 1 : piece.tab ? 8 - *used % 8 : piece.width;
		if (*used + width > cells)
			return end;
		*used += width;
	}
	return end;
}

int tui_pen_cut(struct tui_pen *pen, struct loom_str text, int cells)
{
	int used;

	if (cells > tui_pen_left(pen))
		cells = tui_pen_left(pen);
	if (cells <= 0)
		return 0;
	if (fitting(text, cells, &used) == text.n) {
		tui_pen_text(pen, text);
		return used;
	}
	tui_pen_text(pen, loom_str_sub(text, 0, fitting(text, cells - 1, &used)));
	tui_pen_symbol(pen, TUI_SYMBOL_CUT);
	return used + 1;
}

bool tui_pen_symbol(struct tui_pen *pen, enum tui_symbol symbol)
{
	return tui_pen_puts(pen, symbol_text(symbol, pen->grid->ascii));
}

void tui_pen_blank(struct tui_pen *pen, int cells)
{
	while (cells-- > 0 && pen_grapheme(pen, LOOM_STR(" "), 1, pen->ink))
		;
}

void tui_grid_fill(struct tui_grid *grid, struct tui_rect rect, struct tui_ink ink)
{
	struct tui_rect part = tui_rect_meet(rect, (struct tui_rect){0, 0, grid->w, grid->h});

	for (int y = part.y; y < part.y + part.h; y++) {
		for (int x = part.x; x < part.x + part.w; x++)
			put(grid, x, y, (struct tui_cell){' ', 1, ink});
	}
}

void tui_grid_ground(struct tui_grid *grid, struct tui_rect rect, enum tui_role ground)
{
	struct tui_rect part = tui_rect_meet(rect, (struct tui_rect){0, 0, grid->w, grid->h});

	for (int y = part.y; y < part.y + part.h; y++) {
		for (int x = part.x; x < part.x + part.w; x++)
			cell_at(grid, x, y)->ink.ground = (uint8_t)ground;
	}
}

/* Box glyphs by their arms: 1 up, 2 right, 4 down, 8 left. */
static const uint16_t box_glyphs[16] = {
	0,      0x2502, 0x2500, 0x2514, 0x2502, 0x2502, 0x250c, 0x251c,
	0x2500, 0x2518, 0x2500, 0x2534, 0x2510, 0x2524, 0x252c, 0x253c,
};
static const char box_ascii[16] = {0,   '|', '-', '+', '|', '|', '+', '+',
				   '-', '+', '-', '+', '+', '+', '+', '+'};

/* The arms already there: exact for box glyphs with a bend or a joint, both ends for lines. */
static unsigned box_arms(uint32_t glyph)
{
	if (glyph == 0x2502)
		return 1 | 4;
	if (glyph == 0x2500)
		return 2 | 8;
	for (unsigned arms = 1; arms < 16; arms++) {
		if (box_glyphs[arms] == glyph)
			return arms;
	}
	return 0;
}

static unsigned box_arms_ascii(uint32_t glyph)
{
	return glyph == '|' ? 1 | 4 : glyph == '-' ? 2 | 8 : glyph == '+' ? 15 : 0;
}

static void box_put(struct tui_grid *grid, int x, int y, unsigned arms, struct tui_ink ink)
{
	uint32_t old;

	if (!inside(grid, x, y))
		return;
	old = cell_at(grid, x, y)->glyph;
	arms |= grid->ascii ? box_arms_ascii(old) : box_arms(old);
	put(grid, x, y,
	    (struct tui_cell){grid->ascii ? (uint32_t)box_ascii[arms] : box_glyphs[arms], 1, ink});
}

/* The arms of the i-th cell of a line. Its two ends do not point outwards. */
static unsigned line_arms(int i, int cells, unsigned back, unsigned on)
{
	if (cells == 1)
		return back | on;
	return (i > 0 ? back : 0U) | (i < cells - 1 ? on : 0U);
}

void tui_grid_across(struct tui_grid *grid, int x, int y, int cells, struct tui_ink ink)
{
	for (int i = 0; i < cells; i++)
		box_put(grid, x + i, y, line_arms(i, cells, 8, 2), ink);
}

void tui_grid_down(struct tui_grid *grid, int x, int y, int cells, struct tui_ink ink)
{
	for (int i = 0; i < cells; i++)
		box_put(grid, x, y + i, line_arms(i, cells, 1, 4), ink);
}

/* A corner replaces whatever is there; it does not join it. */
static void corner(struct tui_grid *grid, int x, int y, unsigned arms, struct tui_ink ink)
{
	if (inside(grid, x, y))
		put(grid, x, y, (struct tui_cell){' ', 1, ink});
	box_put(grid, x, y, arms, ink);
}

void tui_grid_box(struct tui_grid *grid, struct tui_rect rect, struct tui_ink ink)
{
	int right = rect.x + rect.w - 1;
	int bottom = rect.y + rect.h - 1;

	if (rect.w < 2 || rect.h < 2)
		return;
	for (int x = rect.x + 1; x < right; x++) {
		box_put(grid, x, rect.y, 2 | 8, ink);
		box_put(grid, x, bottom, 2 | 8, ink);
	}
	for (int y = rect.y + 1; y < bottom; y++) {
		box_put(grid, rect.x, y, 1 | 4, ink);
		box_put(grid, right, y, 1 | 4, ink);
	}
	corner(grid, rect.x, rect.y, 2 | 4, ink);
	corner(grid, right, rect.y, 4 | 8, ink);
	corner(grid, rect.x, bottom, 1 | 2, ink);
	corner(grid, right, bottom, 1 | 8, ink);
}
