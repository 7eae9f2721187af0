/* Greedy line breaking over graphemes. Invariant: where lines begin is a function of (text, width)
 * alone, whichever call finds it. Widths and visible names come from sanitise.h, so a line measures
 * exactly what grid.c draws. Knows no Markdown and no colours. */
#include <loom/terminal/wrap.h>

#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>

#ifdef LOOM_TINY
#define BLOCK ((size_t)64)
#else
#define BLOCK ((size_t)TUI_WRAP_BLOCK)
#endif
/* How far after its nominal place a block's edge may lie. */
#define SLACK (BLOCK / 8)

static int measure(int width)
{
	return width < 1 ? 1 : width > TUI_MEASURE ? TUI_MEASURE : width;
}

static bool plain(struct loom_str text, size_t at)
{
	return text.p[at] >= 0x20 && text.p[at] < 0x7f;
}

/* Decodes a character that stands alone and needs no name: its length in bytes, and its cells.
 * Returns 0 for all others. Covers ASCII, Latin, Cyrillic, kana and the unified ideographs, which
 * is nearly all prose. */
static size_t simple(struct loom_str text, size_t at, int *cells)
{
	const unsigned char *p = (const unsigned char *)text.p + at;
	size_t left = text.n - at;
	uint32_t cp;

	*cells = 1;
	if (p[0] < 0x80)
		return p[0] >= 0x20 && p[0] < 0x7f ? 1 : 0;
	if (p[0] < 0xe0) {
		if (left < 2 || p[0] < 0xc2 || (p[1] & 0xc0) != 0x80)
			return 0;
		cp = (p[0] & 0x1fU) << 6 | (p[1] & 0x3fU);
		return (cp >= 0xa1 && cp <= 0x2af && cp != 0xad) || (cp >= 0x400 && cp <= 0x481) ||
				       (cp >= 0x48a && cp <= 0x52f)
			       ? 2
			       : 0;
	}
	if (p[0] < 0xe3 || p[0] > 0xe9 || left < 3 || (p[1] & 0xc0) != 0x80 ||
	    (p[2] & 0xc0) != 0x80)
		return 0;
	cp = (p[0] & 0xfU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU);
	*cells = 2;
	return (cp >= 0x3041 && cp <= 0x3096) || (cp >= 0x30a0 && cp <= 0x30ff) ||
			       (cp >= 0x4e00 && cp <= 0x9fff)
		       ? 3
		       : 0;
}

int tui_wrap_step(struct loom_str text, size_t *at, int column)
{
	struct loom_piece piece;
	int cells, after;
	size_t n = simple(text, *at, &cells);

	/* A simple character followed by a simple one neither combines nor needs a name. */
	if (n > 0 && (*at + n == text.n || simple(text, *at + n, &after) > 0)) {
		*at += n;
		return cells;
	}
	loom_shown_next(text, at, &piece);
	if (piece.tab)
		return 8 - column % 8;
	return piece.newline ? 0 : piece.width;
}

/* The position after the last LF in the `window` bytes before `at`, or SIZE_MAX. */
static size_t behind_lf(struct loom_str text, size_t at, size_t window)
{
	size_t low = at > window ? at - window : 0;
	const char *lf = at > low ? memrchr(text.p + low, '\n', at - low) : NULL;

	if (lf)
		return (size_t)(lf - text.p) + 1;
	return low == 0 ? 0 : SIZE_MAX;
}

/* A place to cut between `nominal` and `limit`: after a blank, else between two plain bytes, else
 * at the start of a character. */
static size_t cut_between(struct loom_str text, size_t nominal, size_t limit)
{
	size_t at = nominal;

	for (size_t i = nominal; i + 1 < limit; i++) {
		if (text.p[i] == ' ' && plain(text, i + 1))
			return i + 1;
	}
	for (size_t i = nominal; i < limit; i++) {
		if (plain(text, i) && plain(text, i - 1))
			return i;
	}
	while (at < limit && ((unsigned char)text.p[at] & 0xc0) == 0x80)
		at++;
	return at;
}

/* The k-th block edge, or SIZE_MAX when the paragraph is too short to need one. */
static size_t block_edge(struct loom_str text, size_t k)
{
	size_t nominal = k * BLOCK;
	size_t limit = nominal + SLACK;

	if (k == 0 || limit >= text.n || behind_lf(text, nominal, BLOCK) != SIZE_MAX)
		return SIZE_MAX;
	if (memchr(text.p + nominal, '\n', SLACK))
		return SIZE_MAX;
	return cut_between(text, nominal, limit);
}

/* The last position at or before `at` that begins a line at any width: after an LF, or at a block
 * edge. There is always one within two blocks. */
static size_t block_start(struct loom_str text, size_t at)
{
	size_t start = behind_lf(text, at, 3 * BLOCK);

	for (size_t k = at / BLOCK; k > 0 && k + 4 > at / BLOCK; k--) {
		size_t edge = block_edge(text, k);
		if (edge <= at)
			return start == SIZE_MAX || edge > start ? edge : start;
	}
	return start == SIZE_MAX ? 0 : start;
}

/* The next block edge after `from`, or the end of the text. */
static size_t block_end(struct loom_str text, size_t from)
{
	for (size_t k = from / BLOCK; k < from / BLOCK + 4; k++) {
		size_t edge = block_edge(text, k);
		if (edge != SIZE_MAX && edge > from)
			return edge;
	}
	return text.n;
}

/* Scripts written without blanks: a line may break next to such a grapheme. */
static bool ideographic(uint32_t cp)
{
	return (cp >= 0x2e80 && cp <= 0xa4cf && cp != 0x3000) || (cp >= 0xac00 && cp <= 0xd7a3) ||
	       (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0xff01 && cp <= 0xff60) ||
	       (cp >= 0x1f300 && cp <= 0x1faff) || (cp >= 0x20000 && cp <= 0x3fffd);
}

static bool holds(const uint32_t *set, size_t count, uint32_t cp)
{
	for (size_t i = 0; i < count; i++) {
		if (set[i] == cp)
			return true;
	}
	return false;
}

/* Closing marks must not begin a line, opening marks must not end one. */
static bool closes(uint32_t cp)
{
	static const uint32_t set[] = {0x3001, 0x3002, 0x3009, 0x300b, 0x300d, 0x300f, 0x3011,
				       0x3015, 0x3017, 0x301f, 0x30fb, 0x30fc, 0xff01, 0xff09,
				       0xff0c, 0xff0e, 0xff1a, 0xff1b, 0xff1f, 0xff3d, 0xff5d,
				       0x2019, 0x201d, 0x2026, ')',    ']',    '}',    '!',
				       ',',    '.',    ':',    ';',    '?',    '%'};

	return holds(set, LOOM_COUNT(set), cp);
}

static bool opens(uint32_t cp)
{
	static const uint32_t set[] = {0x3008, 0x300a, 0x300c, 0x300e, 0x3010,
				       0x3014, 0x3016, 0xff08, 0xff3b, 0xff5b,
				       0x2018, 0x201c, '(',    '[',    '{'};

	return holds(set, LOOM_COUNT(set), cp);
}

/* Whether a line may break between two adjacent non-blanks. */
static bool breaks_between(uint32_t before, uint32_t after)
{
	if (before == '-' || before == 0x2010 || before == 0x2013 || before == 0x2014)
		return (after >= 'A' && after <= 'Z') || (after >= 'a' && after <= 'z') ||
		       after >= 0x80;
	if (!ideographic(before) && !ideographic(after))
		return false;
	return !opens(before) && !closes(after);
}

static bool blank_at(struct loom_str text, size_t at)
{
	return text.p[at] == ' ' || text.p[at] == '\t' || text.p[at] == '\r';
}

/* The state of breaking one line, carried from grapheme to grapheme. */
struct fill {
	size_t from;  /* where the line begins */
	size_t at;    /* the next grapheme */
	int cells;    /* up to `at` */
	size_t solid; /* after the last non-blank grapheme */
	int solid_cells;
	size_t break_at;    /* the last place to break; 0 when there is none */
	size_t break_solid; /* the visible end and cells at that place */
	int break_cells;
	uint32_t last; /* the code point before `at` */
	bool after_blank;
};

static void note_break(struct fill *fill)
{
	fill->break_at = fill->at;
	fill->break_solid = fill->solid;
	fill->break_cells = fill->solid_cells;
}

/* Adds one grapheme. False when it does not fit. */
static bool fill_step(struct loom_str text, struct fill *fill, int width)
{
	bool blank = blank_at(text, fill->at);
	size_t next = fill->at;
	size_t peek = fill->at;
	uint32_t cp = plain(text, peek) ? (uint32_t)text.p[peek] : loom_utf8_next(text, &peek);
	int cells = tui_wrap_step(text, &next, fill->cells);

	if (!blank && fill->solid > fill->from &&
	    (fill->after_blank || (fill->last && breaks_between(fill->last, cp))))
		note_break(fill);
	if (!blank && fill->cells + cells > width)
		return false;
	fill->at = next;
	fill->cells += cells;
	fill->last = cp;
	fill->after_blank = blank;
	if (!blank) {
		fill->solid = next;
		fill->solid_cells = fill->cells;
	}
	return true;
}

/* A carriage return before a line feed is part of the line break. */
static size_t line_break_at(struct loom_str text, size_t at)
{
	if (text.p[at] == '\n')
		return at + 1;
	if (text.p[at] == '\r' && at + 1 < text.n && text.p[at + 1] == '\n')
		return at + 2;
	return 0;
}

static struct tui_line soft_line(const struct fill *fill)
{
	bool whole = fill->break_at > fill->from;

	return (struct tui_line){.from = fill->from,
				 .to = whole ? fill->break_solid : fill->solid,
				 .next = whole ? fill->break_at : fill->at,
				 .cells = whole ? fill->break_cells : fill->solid_cells};
}

/* A single grapheme wider than the whole width gets a line to itself. */
static struct tui_line over_wide_line(struct loom_str text, size_t from, int width)
{
	size_t next = from;

	tui_wrap_step(text, &next, 0);
	return (struct tui_line){.from = from, .to = next, .next = next, .cells = width};
}

struct tui_line tui_wrap_line(struct loom_str text, size_t from, int width)
{
	struct fill fill = {.from = from, .at = from, .solid = from};
	struct loom_str block = loom_str_sub(text, 0, block_end(text, from));

	width = measure(width);
	while (fill.at < block.n) {
		size_t behind = line_break_at(block, fill.at);
		if (behind > 0)
			return (struct tui_line){from, fill.at, behind, fill.cells, true};
		if (fill_step(block, &fill, width))
			continue;
		if (fill.at == from)
			return over_wide_line(block, from, width);
		return soft_line(&fill);
	}
	if (block.n < text.n)
		return (struct tui_line){from, fill.solid, block.n, fill.solid_cells, false};
	return (struct tui_line){from, text.n, text.n, fill.cells, true};
}

size_t tui_wrap_start(struct loom_str text, size_t at, int width)
{
	size_t from;

	if (at > text.n)
		at = text.n;
	from = block_start(text, at);
	for (;;) {
		struct tui_line line = tui_wrap_line(text, from, width);
		if (line.next > at || line.next == from || line.next == text.n)
			break;
		from = line.next;
	}
	if (at == text.n && from < text.n && text.p[text.n - 1] == '\n')
		return text.n;
	return from;
}

/* Goes up within one block by at most `lines`; *from must be above 0. Returns how many. */
static int up_in_block(struct loom_str text, size_t *from, int width, int lines)
{
	size_t starts[64] = {0};
	size_t count = 0;
	size_t take = lines < (int)LOOM_COUNT(starts) ? (size_t)lines : LOOM_COUNT(starts);

	for (size_t at = block_start(text, *from - 1); at < *from;) {
		struct tui_line line = tui_wrap_line(text, at, width);
		starts[count++ % LOOM_COUNT(starts)] = at;
		if (line.next == at)
			break;
		at = line.next;
	}
	if (take > count)
		take = count;
	*from = starts[(count - take) % LOOM_COUNT(starts)];
	return (int)take;
}

size_t tui_wrap_up(struct loom_str text, size_t from, int width, int lines, int *up)
{
	int done = 0;

	while (done < lines && from > 0)
		done += up_in_block(text, &from, width, lines - done);
	if (up)
		*up = done;
	return from;
}

int tui_wrap_count(struct loom_str text, size_t from, int width, int limit)
{
	int lines = 0;

	while (lines < limit) {
		struct tui_line line = tui_wrap_line(text, from, width);
		lines++;
		if (line.next >= text.n) {
			bool open = line.hard && line.next > from && text.p[text.n - 1] == '\n' &&
				    lines < limit;
			return lines + (open ? 1 : 0);
		}
		from = line.next;
	}
	return lines;
}

int tui_wrap_column(struct loom_str text, size_t from, size_t at)
{
	int column = 0;

	if (at > text.n)
		at = text.n;
	for (size_t i = from; i < at;)
		column += tui_wrap_step(text, &i, column);
	return column;
}
