/* Blitting. Invariants: a pair stands for one (fg, bg) until the table is emptied; a stand-in
 * character stands for one cluster; at full depth each palette slot from 16 on stands for one
 * colour. Attribute bits never carry a colour (they have only 8 bits for it). */
#define NCURSES_WIDECHAR 1
#include "blit.h"

#include "sgr.h"

#include <curses.h>
#include <wchar.h>

#include <loom/base/utf8.h>

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

enum { CONCEALED = 8, STRUCK = 9 }; /* parameters of SGR */

struct tui_draw {
	struct tui_draw_opts opts;
	const struct tui_theme *theme;
	struct tui_style styles[TUI_ROLES]; /* of each role without a background, computed once */
	struct pair pairs[PAIRS_MAX];
	int pair_count;
	int last_pair;
	int32_t slots[SLOTS]; /* full depth: the colour a palette slot stands for; 0: free */
	struct cluster clusters[CLUSTERS_MAX];
	size_t cluster_count;
	struct tui_sgr wanted; /* what curses believes is set */
	struct tui_sgr said;   /* what the terminal was sent */
	int row;      /* the cursor's row, from 1, while filtering a frame; 0 when unknown */
	bool scrolls; /* a scroll region is set, so a line feed may scroll */
	int height;   /* of the last grid drawn */
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
	draw->wanted = (struct tui_sgr){.known = true, .fg = -1, .bg = -1};
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

/* --- colours --- */

/* The palette slot given to curses for a colour. */
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

/* Eight-colour terminals show bright colours as bold. */
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

/* Curses has no strike-through; its concealed attribute, otherwise unused, stands for it. */
static attr_t attr_of(const struct tui_draw *draw, uint8_t attr)
{
	return (attr & TUI_BOLD ? A_BOLD : 0) | (attr & TUI_DIM ? A_DIM : 0) |
	       (attr & TUI_ITALIC ? A_ITALIC : 0) | (attr & TUI_UNDERLINE ? A_UNDERLINE : 0) |
	       (attr & TUI_REVERSE ? A_REVERSE : 0) |
	       (attr & TUI_STRIKE && draw->opts.strikes ? A_INVIS : 0);
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

/* --- graphemes --- */

/* Whether curses, the C library and all terminals agree on the width of these characters. */
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

/* The state of drawing one row into curses. */
struct row {
	struct tui_draw *draw;
	cchar_t *cells;
	int count;
	bool disputed;
	/* attributes of the previous cell */
	attr_t attr;
	int pair;
	int32_t bg;
};

#define SEEN_ON_BLANKS (A_UNDERLINE | A_REVERSE | A_INVIS)

/* Sets the row's attributes and pair for the next cell. A blank keeps those of the previous cell
 * when it looks the same in them, so colours change with the text and not around it. */
static void row_paint(struct row *row, struct tui_ink ink, bool blank)
{
	struct tui_draw *draw = row->draw;
	struct tui_style style = style_of(draw, ink);
	attr_t attr = attr_of(draw, style.attr);
	struct pair pair;

	if (blank && row->count > 0 && style.bg == row->bg &&
	    !((attr | row->attr) & SEEN_ON_BLANKS))
		return;
	row->bg = style.bg;
	row->pair = 0;
	if (draw->opts.depth != TUI_DEPTH_MONO && has_colors()) {
		pair.fg = fitting(slot_of(draw, style.fg), &attr);
		pair.bg = fitting(slot_of(draw, style.bg), NULL);
		row->pair = pair_of(draw, pair);
	}
	row->attr = attr;
}

static void row_add(struct row *row, const wchar_t *text)
{
	setcchar(&row->cells[row->count++], text, row->attr, 0, &row->pair);
}

static void row_stand_in(struct row *row, struct loom_str text, int width)
{
	unsigned slot = cluster_slot(row->draw, text);
	wchar_t left[2] = {(wchar_t)(STAND_LEFT + slot), L'\0'};
	wchar_t right[2] = {(wchar_t)(STAND_RIGHT + slot), L'\0'};

	row_add(row, left);
	if (width == 2)
		row_add(row, right);
	row->disputed = true;
}

/* ASCII substitutes for the signs that every line may use. */
static wchar_t ascii_like(wchar_t c)
{
	static const wchar_t pairs[][2] = {
		{0xb7, L'.'},    {0x2026, L'~'},  {0x2192, L'>'}, {0x2190, L'<'}, {0xd7, L'x'},
		{0x2018, L'\''}, {0x2019, L'\''}, {0x201c, L'"'}, {0x201d, L'"'}, {0x2013, L'-'},
		{0x2014, L'-'},  {0x23ce, L'/'},  {0x2713, L'+'}, {0x2717, L'x'},
	};

	for (size_t i = 0; i < LOOM_COUNT(pairs); i++)
		if (pairs[i][0] == c)
			return pairs[i][1];
	return L'?';
}

/* The substitute on a terminal without UTF-8, or one that cannot restore its cursor. */
static void row_plain(struct row *row, wchar_t first, int width)
{
	bool keep = row->draw->opts.utf8 && wcwidth(first) == width;
	wchar_t text[2] = {keep ? first : ascii_like(first), L'\0'};

	row_add(row, text);
	if (!keep && width == 2)
		row_add(row, L" ");
}

static void row_grapheme(struct row *row, const struct tui_grid *grid, const struct tui_cell *cell)
{
	const struct tui_draw_opts *opts = &row->draw->opts;
	wchar_t text[CCHARW_MAX + 2];
	char room[4];
	struct loom_str bytes = tui_cell_text(grid, cell, room);
	size_t n = to_wide(bytes, text, CCHARW_MAX + 1);

	row_paint(row, cell->ink, cell->glyph == ' ');
	if (text[0] < 0x80 && n == 1)
		row_add(row, text);
	else if (!opts->utf8)
		row_plain(row, text[0], cell->width);
	else if (undisputed(text, n, cell->width))
		row_add(row, text);
	else if (opts->places)
		row_stand_in(row, bytes, cell->width);
	else
		row_plain(row, text[0], cell->width);
}

bool tui_draw_row(struct tui_draw *draw, const struct tui_grid *grid, int y)
{
	cchar_t cells[TUI_SIDE_MAX];
	struct row row = {.draw = draw, .cells = cells};

	draw->height = grid->h;
	for (int x = 0; x < grid->w; x++) {
		const struct tui_cell *cell = tui_grid_cell(grid, x, y);
		if (cell->width > 0)
			row_grapheme(&row, grid, cell);
	}
	mvadd_wchnstr(y, 0, cells, row.count);
	return row.disputed;
}

/* --- the bytes --- */

/* Replaces palette slots by the colours they stand for. */
static int32_t unslotted(const struct tui_draw *draw, int32_t colour)
{
	bool slot = draw->opts.depth == TUI_DEPTH_TRUE && colour >= SLOT_FIRST && colour < SLOTS;

	return slot && draw->slots[colour] ? draw->slots[colour] : colour;
}

static void say_colours(struct tui_draw *draw, struct loom_buf *out)
{
	struct tui_sgr to = draw->wanted;

	if (to.attrs & 1U << CONCEALED)
		to.attrs = (uint16_t)((to.attrs & ~(1U << CONCEALED)) | 1U << STRUCK);
	to.fg = unslotted(draw, to.fg);
	to.bg = unslotted(draw, to.bg);
	tui_sgr_change(&draw->said, &to, out);
	draw->said = to;
}

/* The length of the escape sequence at bytes.p[at]; *final gets its last byte, for CSI only. */
static size_t sequence_length(struct loom_str bytes, size_t at, char *final)
{
	size_t end = at + 2;

	*final = '\0';
	if (end > bytes.n)
		return bytes.n - at;
	if (bytes.p[at + 1] == '(' || bytes.p[at + 1] == ')')
		return end < bytes.n ? 3 : bytes.n - at;
	if (bytes.p[at + 1] != '[')
		return 2;
	while (end < bytes.n && bytes.p[end] < 0x40)
		end++;
	*final = end < bytes.n ? bytes.p[end] : '\0';
	return end < bytes.n ? end + 1 - at : bytes.n - at;
}

/* Draws a cluster, then restores the cursor and moves it explicitly, so whatever follows is in
 * place however wide the terminal draws the cluster. */
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

/* How often the box or block glyph (three bytes) at the start of `text` repeats. */
static size_t box_run(struct loom_str text)
{
	size_t n = 1;

	if (text.n < 3 || (unsigned char)text.p[0] != 0xe2 || (unsigned char)text.p[1] < 0x94 ||
	    (unsigned char)text.p[1] > 0x96)
		return 0;
	while ((n + 1) * 3 <= text.n && memcmp(text.p, text.p + n * 3, 3) == 0)
		n++;
	return n;
}

/* Copies text, replacing long runs of one glyph by the terminal's own repetition. The last two
 * glyphs are written out: after a repetition that reaches the last column but one, some terminals
 * wrap. */
static void add_text(const struct tui_draw *draw, struct loom_str text, struct loom_buf *out)
{
	for (size_t at = 0; draw->opts.repeats && at + 3 <= text.n; at++) {
		size_t run = box_run(loom_str_sub(text, at, text.n));
		if (run < 6)
			continue;
		loom_buf_add(out, loom_str_sub(text, 0, at + 3));
		loom_buf_addf(out, "\x1b[%zub", run - 3);
		loom_buf_add(out, loom_str_sub(text, at, 6));
		text = loom_str_sub(text, at + run * 3, text.n);
		at = (size_t)-1;
	}
	loom_buf_add(out, text);
}

static bool whole_region(const struct tui_draw *draw, struct loom_str params)
{
	char whole[32];

	snprintf(whole, sizeof(whole), "1;%d", draw->height);
	return loom_str_is(params, whole);
}

/* Tracks the cursor's row where that is cheap; 0 means unknown. Returns true for a move to the
 * first column of the next row, which two bytes can say. */
static bool next_row(struct tui_draw *draw, struct loom_str params, char final)
{
	int before = draw->row;
	struct loom_str column = params;
	struct loom_str row;
	uint64_t to = 1, x = 1;

	if (final == 'r' || final == 'A' || final == 'B')
		draw->row = 0;
	if (final == 'r')
		draw->scrolls = !whole_region(draw, params);
	if (final != 'H' && final != 'd')
		return false;
	if (params.n > 0 && loom_str_cut(&column, ';', &row)) {
		(void)loom_str_to_u64(row, &to);
		x = column.p && column.n ? 0 : 1;
		loom_str_to_u64(column, &x);
	}
	draw->row = (int)to;
	return final == 'H' && x == 1 && before > 0 && (int)to == before + 1 && !draw->scrolls;
}

/* Handles one escape sequence: SGR only updates the state, switches of character set are dropped,
 * and anything but a move is preceded by the pending colours. Returns its length. */
static size_t filter_sequence(struct tui_draw *draw, struct loom_str bytes, size_t at,
			      struct loom_buf *out)
{
	char final;
	size_t n = sequence_length(bytes, at, &final);

	if (final == 'm') {
		tui_sgr_apply(&draw->wanted, loom_str_sub(bytes, at + 2, n - 3));
		return n;
	}
	if (n == 3 && !final)
		return n;
	if (!final || !strchr("ABCDGHdhl", final))
		say_colours(draw, out);
	if (final && next_row(draw, loom_str_sub(bytes, at + 2, n - 3), final))
		loom_buf_adds(out, "\r\n");
	else
		loom_buf_add(out, loom_str_sub(bytes, at, n));
	return n;
}

void tui_draw_filter(struct tui_draw *draw, struct loom_str bytes, struct loom_buf *out)
{
	draw->row = 0;
	for (size_t at = 0; at < bytes.n;) {
		unsigned char c = (unsigned char)bytes.p[at];
		size_t from = at;
		if (c == 0x1b) {
			at += filter_sequence(draw, bytes, at, out);
			continue;
		}
		if (c < 0x20) {
			if (c != 0x0f && c != 0x0e)
				loom_buf_addc(out, (char)c);
			draw->row = 0;
			at++;
			continue;
		}
		say_colours(draw, out);
		if (c >= 0xf3 && draw->cluster_count > 0) {
			uint32_t cp = loom_utf8_next(bytes, &at);
			if (cp >= STAND_LEFT && cp != LOOM_CP_BAD)
				add_stand_in(draw, cp, out);
			else
				loom_buf_add(out, loom_str_sub(bytes, from, at - from));
			continue;
		}
		while (at < bytes.n && (unsigned char)bytes.p[at] >= 0x20 &&
		       (unsigned char)bytes.p[at] < 0xf3)
			at++;
		if (at == from)
			at++;
		add_text(draw, loom_str_sub(bytes, from, at - from), out);
	}
}

void tui_draw_repeats(struct tui_draw *draw)
{
	draw->opts.repeats = true;
}

void tui_draw_forget_colours(struct tui_draw *draw)
{
	draw->said.known = false;
}
