/* Blitting. Invariants: a pair stands for one (fg, bg) as long as the table is not emptied; a
 * stand-in character stands for one cluster; palette slots from 16 on stand for one colour each at
 * full depth. Nothing in attribute bits says a colour (they hold 8 bits only). */
#define NCURSES_WIDECHAR 1
#include "draw.h"

#include <curses.h>
#include <wchar.h>

#include <loom/utf8.h>
#include <loom/width.h>

#define PAIRS_MAX    4096
#define CLUSTERS_MAX 4096
#define SLOT_FIRST   16
#define SLOTS        256
/* Private planes: the character that stands for a cluster, and the one for its right half. */
#define STAND_LEFT  0xf0000U
#define STAND_RIGHT 0x100000U

struct pair {
	int32_t fg, bg;
};

struct cluster {
	char *text;
	size_t n;
};

struct tui_draw {
	struct tui_draw_opts opts;
	const struct tui_theme *theme;
	struct tui_style styles[TUI_ROLES]; /* of each role without ground, worked out once */
	struct pair pairs[PAIRS_MAX];
	int pair_count;
	int last_pair;
	int32_t slots[SLOTS]; /* full depth: what colour a palette number stands for; 0: free */
	struct cluster clusters[CLUSTERS_MAX];
	size_t cluster_count;
	bool stale;
};

static void forget(struct tui_draw *draw)
{
	for (size_t i = 0; i < draw->cluster_count; i++)
		free(draw->clusters[i].text);
	draw->cluster_count = 0;
	draw->pair_count = 1;
	memset(draw->slots, 0, sizeof(draw->slots));
	draw->stale = true;
}

void tui_draw_theme(struct tui_draw *draw, const struct tui_theme *theme)
{
	draw->theme = theme;
	for (int i = 0; i < TUI_ROLES; i++)
		draw->styles[i] = tui_theme_style(theme, draw->opts.depth,
						  (struct tui_ink){.role = (uint8_t)i});
	forget(draw);
}

struct tui_draw *tui_draw_create(const struct tui_draw_opts *opts, const struct tui_theme *theme)
{
	struct tui_draw *draw = loom_alloc(sizeof(*draw));

	draw->opts = *opts;
	tui_draw_theme(draw, theme);
	return draw;
}

void tui_draw_destroy(struct tui_draw *draw)
{
	if (!draw)
		return;
	forget(draw);
	free(draw);
}

bool tui_draw_stale(struct tui_draw *draw)
{
	bool stale = draw->stale;

	draw->stale = false;
	return stale;
}

/* --- colours
 * -------------------------------------------------------------------------------------- */

/* The palette number that curses is told for a colour. */
static int slot_of(struct tui_draw *draw, int32_t colour)
{
	if (draw->opts.depth != TUI_DEPTH_TRUE || colour < SLOT_FIRST)
		return (int)colour;
	for (int i = SLOT_FIRST; i < SLOTS; i++) {
		if (draw->slots[i] == colour)
			return i;
		if (draw->slots[i] != 0)
			continue;
		draw->slots[i] = colour;
		return i;
	}
	return SLOTS - 1;
}

/* Terminals of eight colours have the bright ones as bold. */
static int fitting(int colour, attr_t *attr)
{
	if (colour < COLORS)
		return colour;
	if (attr && colour < 16)
		*attr |= A_BOLD;
	return colour < 16 ? colour - 8 : COLORS - 1;
}

static int pair_add(struct tui_draw *draw, struct pair pair)
{
	int limit = COLOR_PAIRS < PAIRS_MAX ? COLOR_PAIRS : PAIRS_MAX;

	if (draw->pair_count >= limit) {
		draw->pair_count = 1;
		draw->stale = true;
	}
	draw->pairs[draw->pair_count] = pair;
	init_extended_pair(draw->pair_count, pair.fg, pair.bg);
	return draw->pair_count++;
}

static int pair_of(struct tui_draw *draw, struct pair pair)
{
	const struct pair *last = &draw->pairs[draw->last_pair];

	if (pair.fg < 0 && pair.bg < 0)
		return 0;
	if (draw->last_pair > 0 && draw->last_pair < draw->pair_count && last->fg == pair.fg &&
	    last->bg == pair.bg)
		return draw->last_pair;
	for (int i = 1; i < draw->pair_count; i++) {
		if (draw->pairs[i].fg == pair.fg && draw->pairs[i].bg == pair.bg)
			return draw->last_pair = i;
	}
	return draw->last_pair = pair_add(draw, pair);
}

static attr_t attr_of(uint8_t attr)
{
	return (attr & TUI_BOLD ? A_BOLD : 0) | (attr & TUI_DIM ? A_DIM : 0) |
	       (attr & TUI_ITALIC ? A_ITALIC : 0) | (attr & TUI_UNDERLINE ? A_UNDERLINE : 0) |
	       (attr & TUI_REVERSE ? A_REVERSE : 0) | (attr & TUI_STRIKE ? A_DIM : 0);
}

static struct tui_style style_of(const struct tui_draw *draw, struct tui_ink ink)
{
	struct tui_style style;

	if (ink.ground != TUI_ROLE_TEXT)
		return tui_theme_style(draw->theme, draw->opts.depth, ink);
	style = draw->styles[ink.role];
	style.attr |= ink.attr;
	return style;
}

static int paint_of(struct tui_draw *draw, struct tui_ink ink, attr_t *attr)
{
	struct tui_style style = style_of(draw, ink);
	struct pair pair;

	*attr = attr_of(style.attr);
	if (draw->opts.depth == TUI_DEPTH_MONO || !has_colors())
		return 0;
	pair.fg = fitting(slot_of(draw, style.fg), attr);
	pair.bg = fitting(slot_of(draw, style.bg), NULL);
	return pair_of(draw, pair);
}

/* --- graphemes
 * ------------------------------------------------------------------------------------ */

/* Whether curses, the C library and every terminal agree on these characters. */
static bool undisputed(const wchar_t *text, size_t n, int width)
{
	if (n > CCHARW_MAX || (text[0] >= 0xf0000 && text[0] <= 0x10ffff) ||
	    wcwidth(text[0]) != width || (text[0] >= 0x1f1e6 && text[0] <= 0x1f1ff))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (text[i] == 0x200d || text[i] == 0xfe0f || wcwidth(text[i]) != 0)
			return false;
	}
	return true;
}

static size_t to_wide(struct loom_str text, wchar_t *out, size_t max)
{
	size_t n = 0;

	for (size_t at = 0; at < text.n && n < max;)
		out[n++] = (wchar_t)loom_utf8_next(text, &at);
	out[n] = L'\0';
	return n;
}

static unsigned cluster_slot(struct tui_draw *draw, struct loom_str text)
{
	char *copy;

	for (size_t i = 0; i < draw->cluster_count; i++) {
		if (draw->clusters[i].n == text.n &&
		    memcmp(draw->clusters[i].text, text.p, text.n) == 0)
			return (unsigned)i;
	}
	if (draw->cluster_count == CLUSTERS_MAX)
		forget(draw);
	copy = loom_alloc(text.n + 1);
	memcpy(copy, text.p, text.n);
	draw->clusters[draw->cluster_count] = (struct cluster){copy, text.n};
	return (unsigned)draw->cluster_count++;
}

/* One row on its way into curses. */
struct row {
	struct tui_draw *draw;
	cchar_t *cells;
	int count;
	bool disputed;
};

static void row_add(struct row *row, const wchar_t *text, attr_t attr, int pair)
{
	setcchar(&row->cells[row->count++], text, attr, 0, &pair);
}

static void row_stand_in(struct row *row, struct loom_str text, int width, attr_t attr, int pair)
{
	unsigned slot = cluster_slot(row->draw, text);
	wchar_t left[2] = {(wchar_t)(STAND_LEFT + slot), L'\0'};
	wchar_t right[2] = {(wchar_t)(STAND_RIGHT + slot), L'\0'};

	row_add(row, left, attr, pair);
	if (width == 2)
		row_add(row, right, attr, pair);
	row->disputed = true;
}

/* What a terminal without UTF-8, or without a cursor to restore, gets. */
static void row_plain(struct row *row, wchar_t first, int width, attr_t attr, int pair)
{
	bool keep = row->draw->opts.utf8 && wcwidth(first) == width;
	wchar_t text[2] = {keep ? first : L'?', L'\0'};

	row_add(row, text, attr, pair);
	if (!keep && width == 2)
		row_add(row, L" ", attr, pair);
}

static void row_grapheme(struct row *row, const struct tui_grid *grid, const struct tui_cell *cell)
{
	const struct tui_draw_opts *opts = &row->draw->opts;
	wchar_t text[CCHARW_MAX + 2];
	char room[4];
	struct loom_str bytes = tui_cell_text(grid, cell, room);
	size_t n = to_wide(bytes, text, CCHARW_MAX + 1);
	attr_t attr;
	int pair = paint_of(row->draw, cell->ink, &attr);

	if (text[0] < 0x80 && n == 1)
		row_add(row, text, attr, pair);
	else if (!opts->utf8)
		row_plain(row, text[0], cell->width, attr, pair);
	else if (undisputed(text, n, cell->width))
		row_add(row, text, attr, pair);
	else if (opts->places)
		row_stand_in(row, bytes, cell->width, attr, pair);
	else
		row_plain(row, text[0], cell->width, attr, pair);
}

bool tui_draw_row(struct tui_draw *draw, const struct tui_grid *grid, int y)
{
	cchar_t cells[TUI_SIDE_MAX];
	struct row row = {.draw = draw, .cells = cells};

	for (int x = 0; x < grid->w; x++) {
		const struct tui_cell *cell = tui_grid_cell(grid, x, y);
		if (cell->width > 0)
			row_grapheme(&row, grid, cell);
	}
	mvadd_wchnstr(y, 0, cells, row.count);
	return row.disputed;
}

/* --- the bytes
 * ------------------------------------------------------------------------------------ */

static void add_colour(struct loom_buf *out, int layer, int32_t colour)
{
	if (colour & TUI_COLOUR_RGB)
		loom_buf_addf(out, "%d;2;%d;%d;%d", layer, (int)(colour >> 16 & 255),
			      (int)(colour >> 8 & 255), (int)(colour & 255));
	else
		loom_buf_addf(out, "%d;5;%d", layer, (int)colour);
}

/* "38;5;N" and "48;5;N" of an SGR sequence's parameters become what slot N stands for. */
static void add_sgr(const struct tui_draw *draw, struct loom_str params, struct loom_buf *out)
{
	struct loom_str rest = params;
	struct loom_str part, five, number;
	bool first = true;

	while (rest.p && loom_str_cut(&rest, ';', &part)) {
		struct loom_str after = rest;
		uint64_t slot = 0;
		if (!first)
			loom_buf_addc(out, ';');
		first = false;
		if ((loom_str_is(part, "38") || loom_str_is(part, "48")) && after.p &&
		    loom_str_cut(&after, ';', &five) && loom_str_is(five, "5") && after.p &&
		    loom_str_cut(&after, ';', &number) && loom_str_to_u64(number, &slot) &&
		    slot < SLOTS && draw->slots[slot] != 0) {
			add_colour(out, part.p[0] == '3' ? 38 : 48, draw->slots[slot]);
			rest = after;
		} else {
			loom_buf_add(out, part);
		}
	}
}

/* An escape sequence at bytes.p[at]: how long it is when it is SGR, else 0. */
static size_t sgr_length(struct loom_str bytes, size_t at)
{
	size_t end = at + 2;

	if (end > bytes.n || bytes.p[at + 1] != '[')
		return 0;
	while (end < bytes.n &&
	       ((bytes.p[end] >= '0' && bytes.p[end] <= '9') || bytes.p[end] == ';'))
		end++;
	return end < bytes.n && bytes.p[end] == 'm' ? end + 1 - at : 0;
}

/* A cluster, drawn with the cursor put back and moved by hand: whatever width the terminal gives
 * it, what follows stands where it should. */
static void add_stand_in(const struct tui_draw *draw, uint32_t cp, struct loom_buf *out)
{
	if (cp < STAND_RIGHT && cp - STAND_LEFT < draw->cluster_count) {
		loom_buf_adds(out, "\x1b"
				   "7");
		loom_buf_adds(out, draw->clusters[cp - STAND_LEFT].text);
		loom_buf_adds(out, "\x1b"
				   "8");
	}
	loom_buf_adds(out, "\x1b[C");
}

void tui_draw_filter(const struct tui_draw *draw, struct loom_str bytes, struct loom_buf *out)
{
	for (size_t at = 0; at < bytes.n;) {
		unsigned char c = (unsigned char)bytes.p[at];
		size_t from = at;
		size_t sgr = c == 0x1b ? sgr_length(bytes, at) : 0;
		if (sgr > 0 && draw->opts.depth == TUI_DEPTH_TRUE) {
			loom_buf_adds(out, "\x1b[");
			add_sgr(draw, loom_str_sub(bytes, at + 2, sgr - 3), out);
			loom_buf_addc(out, 'm');
			at += sgr;
		} else if (c >= 0xf3 && draw->cluster_count > 0) {
			uint32_t cp = loom_utf8_next(bytes, &at);
			if (cp >= STAND_LEFT && cp != LOOM_CP_BAD)
				add_stand_in(draw, cp, out);
			else
				loom_buf_add(out, loom_str_sub(bytes, from, at - from));
		} else {
			loom_buf_addc(out, bytes.p[at++]);
		}
	}
}
