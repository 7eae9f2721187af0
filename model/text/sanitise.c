/* The sanitiser. A pure function of the bytes: it keeps no state between pieces, so drawing may
 * begin anywhere in a line. The generated table decides which characters are named (MODEL_NAMED);
 * this file decides how, and the few exceptions. */
#include <loom/text/sanitise.h>

#include <loom/base/utf8.h>

#include "inside.h"

#define ZWNJ   0x200C
#define ZWJ    0x200D
#define VS16   0xFE0F
#define KEYCAP 0x20E3

/* The most zero-width marks on one base, and the most spacing ones; curses keeps no more of
 * either. */
#define MARKS_MAX 4
/* The most code points in one piece; the longest listed emoji has 10. */
#define PIECE_MAX 20
/* How many tags are decoded at once. */
#define TAG_CHUNK 64

/* ---- names ---- */

static void begin_piece(struct loom_piece *out)
{
	out->text[0] = '\0';
	out->len = 0;
	out->width = 0;
	out->mark = false;
	out->newline = false;
	out->tab = false;
}

static void name_piece(struct loom_piece *out, const char *format, ...) LOOM_PRINTF(2, 3);

/* Appends ASCII text for a character that cannot be drawn; text[] holds even the longest, with the
 * letters hidden in a chunk of tags. */
static void name_piece(struct loom_piece *out, const char *format, ...)
{
	size_t room = sizeof out->text - out->len;
	va_list args;
	int n = 0;

	LOOM_ASSERT(out->len < sizeof out->text);
	va_start(args, format);
	n = vsnprintf(out->text + out->len, room, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= room)
		n = 0;
	out->len = (uint8_t)(out->len + n);
	LOOM_ASSERT(out->text[out->len] == '\0');
	out->width = (uint8_t)(out->width + n);
	out->mark = true;
}

/* Returns the usual name of a bidi control; NULL for other characters. */
static const char *bidi_name(uint32_t cp)
{
	static const char *const marks[] = {"LRM", "RLM"};
	static const char *const embeddings[] = {"LRE", "RLE", "PDF", "LRO", "RLO"};
	static const char *const isolates[] = {"LRI", "RLI", "FSI", "PDI"};

	if (cp == 0x61C)
		return "ALM";
	if (cp == 0x200E || cp == 0x200F)
		return marks[cp - 0x200E];
	if (cp >= 0x202A && cp <= 0x202E)
		return embeddings[cp - 0x202A];
	return cp >= 0x2066 && cp <= 0x2069 ? isolates[cp - 0x2066] : NULL;
}

static void name_code_point(struct loom_piece *out, uint32_t cp)
{
	if (cp < 0x20 || cp == 0x7F)
		name_piece(out, "^%c", (int)(cp ^ 0x40));
	else if (cp < 0xA0)
		name_piece(out, "\\x%02X", (unsigned)cp);
	else if (bidi_name(cp))
		name_piece(out, "<%s>", bidi_name(cp));
	else
		name_piece(out, "<U+%04X>", (unsigned)cp);
}

static bool is_tag(uint32_t cp)
{
	return cp >= 0xE0000 && cp <= 0xE007F;
}

/* Tags take four bytes each. Chunks end at fixed offsets, so that a long run is decoded in parts
 * without looking back to its start. */
static bool ends_chunk(struct loom_str s, size_t at)
{
	size_t next = at + 4;

	return at / 4 % TAG_CHUNK == TAG_CHUNK - 1 || next >= s.n ||
	       !is_tag(loom_utf8_next(s, &next));
}

/* Names the tag at `at`; the last of a run also shows what the run spells in ASCII. */
static void tag_piece(struct loom_piece *out, struct loom_str s, size_t at, uint32_t cp)
{
	char hidden[TAG_CHUNK + 1];
	size_t n = 0;
	size_t first = at;

	LOOM_ASSERT(is_tag(cp));
	name_code_point(out, cp);
	if (!ends_chunk(s, at))
		return;
	while (first >= 4) {
		size_t before = first;

		if (!is_tag(loom_utf8_prev(s, &before)) || before / 4 % TAG_CHUNK == TAG_CHUNK - 1)
			break;
		first = before;
	}
	for (size_t i = first; i <= at;) {
		uint32_t letter = loom_utf8_next(s, &i) - 0xE0000;

		if (letter >= 0x20 && letter < 0x7F)
			hidden[n++] = (char)letter;
	}
	LOOM_ASSERT(n <= TAG_CHUNK);
	if (n)
		name_piece(out, "<hidden text: %.*s>", (int)n, hidden);
}

/* ---- graphemes ---- */

/* A grapheme being drawn. */
struct drawing {
	struct loom_str s;
	size_t at; /* after the bytes taken so far */
	struct loom_piece *out;
	struct model_cluster cluster;
	uint32_t last;
	unsigned last_props;
	int count;
	int flat_marks;   /* zero-width */
	int spaced_marks; /* spacing */
	bool joins;       /* a letter that takes joiners, possibly with marks */
	size_t emoji_end; /* joiners before this offset belong to a listed emoji */
};

static uint32_t peek(struct loom_str s, size_t at)
{
	return at < s.n ? loom_utf8_next(s, &at) : LOOM_CP_BAD;
}

/* Skips an emoji with its style or skin tone; false if there is none. */
static bool pass_picture(struct loom_str s, size_t *at, uint32_t *out)
{
	size_t next = *at;
	uint32_t tail = 0;

	*out = *at < s.n ? loom_utf8_next(s, &next) : LOOM_CP_BAD;
	if (!(model_cp_props(*out) & MODEL_PICTURE))
		return false;
	tail = peek(s, next);
	if (tail == VS16 || (tail >= 0x1F3FB && tail <= 0x1F3FF))
		(void)loom_utf8_next(s, &next);
	*at = next;
	return true;
}

/* Returns the end of the longest listed emoji that begins at `at`; `at` if there is none. */
static size_t listed_end(struct loom_str s, size_t at)
{
	uint32_t cps[PIECE_MAX];
	size_t count = 0;
	size_t end = at;

	while (count + 2 < PIECE_MAX && pass_picture(s, &at, &cps[count])) {
		count++;
		if (model_zwj_listed(cps, count))
			end = at;
		if (peek(s, at) != ZWJ)
			break;
		cps[count++] = ZWJ;
		(void)loom_utf8_next(s, &at);
	}
	LOOM_ASSERT(end <= s.n && count <= PIECE_MAX);
	return end;
}

/* Returns whether a joiner that ends at `next` may stay. */
static bool may_join(const struct drawing *drawing, uint32_t cp, size_t next)
{
	unsigned props = model_cp_props(peek(drawing->s, next));

	if (cp == ZWJ && next <= drawing->emoji_end)
		return true;
	return drawing->joins && (props & MODEL_JOINS) && !(props & MODEL_MARK);
}

static bool may_style(const struct drawing *drawing, size_t next)
{
	if (!(drawing->last_props & MODEL_EMOJI_STYLE))
		return false;
	return drawing->last >= 0x80 || peek(drawing->s, next) == KEYCAP;
}

/* Returns whether `cp`, which ends at `next`, may be drawn in this piece. */
static bool may_take(const struct drawing *drawing, uint32_t cp, size_t next)
{
	unsigned props = model_cp_props(cp);

	if (drawing->count >= PIECE_MAX)
		return false;
	if (cp == ZWJ || cp == ZWNJ)
		return may_join(drawing, cp, next);
	if (cp == VS16)
		return may_style(drawing, next);
	if (cp >= 0x1F3FB && cp <= 0x1F3FF)
		return drawing->last_props & MODEL_TONE_BASE;
	if (props & MODEL_NAMED)
		return false;
	if (model_props_width(props) == 0)
		return drawing->flat_marks < MARKS_MAX;
	return !(props & MODEL_MARK) || drawing->spaced_marks < MARKS_MAX;
}

static void append(struct drawing *drawing, uint32_t cp)
{
	struct loom_piece *out = drawing->out;

	LOOM_ASSERT(out->len + 4u < sizeof out->text);
	out->len = (uint8_t)(out->len + loom_utf8_encode(cp, out->text + out->len));
	out->text[out->len] = '\0';
}

static void take(struct drawing *drawing, uint32_t cp, size_t next)
{
	unsigned props = model_cp_props(cp);

	LOOM_ASSERT(next >= drawing->at && next <= drawing->s.n);
	append(drawing, cp);
	if (!(props & MODEL_NAMED) && model_props_width(props) == 0)
		drawing->flat_marks++;
	else if (props & MODEL_MARK)
		drawing->spaced_marks++;
	drawing->joins = (props & MODEL_JOINS) || (drawing->joins && (props & MODEL_MARK));
	if (cp == ZWJ || cp == ZWNJ)
		drawing->joins = false;
	drawing->last = cp;
	drawing->last_props = props;
	drawing->count++;
	drawing->at = next;
}

/* Takes as much of the cluster at drawing->at as can be drawn, at least one code point. */
static void draw_grapheme(struct drawing *drawing)
{
	bool first = drawing->count == 0;

	while (drawing->at < drawing->s.n) {
		size_t next = drawing->at;
		uint32_t cp = loom_utf8_next(drawing->s, &next);

		if (!first && !may_take(drawing, cp, next))
			break;
		if (!model_cluster_take(&drawing->cluster, cp, model_cp_props(cp)))
			break;
		if (first && (model_cp_props(cp) & MODEL_PICTURE))
			drawing->emoji_end = listed_end(drawing->s, drawing->at);
		take(drawing, cp, next);
		first = false;
	}
	LOOM_ASSERT(drawing->count > 0);
	drawing->out->width = (uint8_t)drawing->cluster.width;
}

/* ---- marks without a base of their own ---- */

static bool is_mark(unsigned props)
{
	return (props & MODEL_MARK) && !(props & MODEL_NAMED);
}

static void count_marks(struct loom_piece *out, struct loom_str s, size_t *at)
{
	size_t count = 0;

	while (*at < s.n) {
		size_t next = *at;

		if (!is_mark(model_cp_props(loom_utf8_next(s, &next))))
			break;
		*at = next;
		count++;
	}
	LOOM_ASSERT(count > 0);
	name_piece(out, "<+%zu marks>", count);
}

/* Whatever the break rules say about the mark, it goes on the circle. */
static void circle_mark(struct drawing *drawing, unsigned props)
{
	static const uint32_t circle = 0x25CC;
	size_t next = drawing->at;
	uint32_t mark = loom_utf8_next(drawing->s, &next);
	unsigned hanging = (props & ~(unsigned)MODEL_BREAK_MASK) | MODEL_BREAK_EXTEND;

	(void)model_cluster_take(&drawing->cluster, circle, model_cp_props(circle));
	take(drawing, circle, drawing->at);
	(void)model_cluster_take(&drawing->cluster, mark, hanging);
	take(drawing, mark, next);
	draw_grapheme(drawing);
	drawing->out->mark = true;
}

/* A mark at the start of a piece is surplus after marks already drawn, or has no base, or (some
 * vowel signs) is a cluster of its own. */
static void mark_piece(struct drawing *drawing, unsigned props)
{
	size_t before = drawing->at;
	uint32_t left = before ? loom_utf8_prev(drawing->s, &before) : LOOM_CP_BAD;
	unsigned left_props = model_cp_props(left);
	bool alone = model_props_break(props) == MODEL_BREAK_OTHER;

	if (is_mark(left_props) && !alone)
		count_marks(drawing->out, drawing->s, &drawing->at);
	else if ((left_props & MODEL_NAMED) || !alone)
		circle_mark(drawing, props);
	else
		draw_grapheme(drawing);
}

/* ---- pieces ---- */

/* Returns whether this is a printable ASCII character that nothing after it can change. */
static bool is_plain(struct loom_str s, size_t at)
{
	unsigned char c = (unsigned char)s.p[at];

	return c >= 0x20 && c < 0x7F && (at + 1 >= s.n || (unsigned char)s.p[at + 1] < 0x80);
}

/* Handles line breaks and tabs, which the caller lays out; returns their length, or 0. */
static size_t layout_piece(struct loom_str s, size_t at, struct loom_piece *out)
{
	char c = s.p[at];

	out->tab = c == '\t';
	out->newline = c == '\n' || (c == '\r' && at + 1 < s.n && s.p[at + 1] == '\n');
	if (!out->tab && !out->newline)
		return 0;
	return c == '\r' ? 2 : 1;
}

static void special_piece(struct loom_str s, size_t *at, struct loom_piece *out)
{
	struct drawing drawing = {.s = s, .at = *at, .out = out};
	size_t next = *at;
	uint32_t cp = loom_utf8_next(s, &next);
	unsigned props = model_cp_props(cp);

	if (cp == LOOM_CP_BAD)
		name_piece(out, "\\x%02X", (unsigned char)s.p[*at]);
	else if (is_tag(cp))
		tag_piece(out, s, *at, cp);
	else if ((props & MODEL_NAMED) || (!(props & MODEL_MARK) && model_props_width(props) == 0))
		name_code_point(out, cp);
	else if (props & MODEL_MARK)
		mark_piece(&drawing, props);
	else
		draw_grapheme(&drawing);
	*at = drawing.at == *at ? next : drawing.at;
}

void loom_shown_next(struct loom_str s, size_t *at, struct loom_piece *out)
{
	size_t start = *at;

	LOOM_ASSERT(start < s.n);
	begin_piece(out);
	if (is_plain(s, start)) {
		out->text[0] = s.p[start];
		out->text[1] = '\0';
		out->len = 1;
		out->width = 1;
		*at += 1;
	} else {
		*at += layout_piece(s, start, out);
		if (*at == start)
			special_piece(s, at, out);
	}
	LOOM_ASSERT(*at > start && *at <= s.n);
	out->source = loom_str_sub(s, start, *at - start);
}

/* ---- whole texts ---- */

/* Returns how many bytes from `at` on are printable ASCII to be copied as they are. */
static size_t plain_run(struct loom_str s, size_t at)
{
	size_t end = at;

	while (end < s.n && is_plain(s, end))
		end++;
	return end - at;
}

void loom_shown_text(struct loom_buf *out, struct loom_str s)
{
	size_t column = 0;
	struct loom_piece piece;

	LOOM_ASSERT(loom_str_ok(s));
	for (size_t at = 0; at < s.n;) {
		size_t run = plain_run(s, at);

		loom_buf_add(out, loom_str_sub(s, at, run));
		column += run;
		at += run;
		if (at == s.n)
			break;
		loom_shown_next(s, &at, &piece);
		if (piece.tab)
			loom_buf_add_repeat(out, ' ', 8 - column % 8);
		else if (piece.newline)
			loom_buf_addc(out, '\n');
		else
			loom_buf_add(out, loom_str_make(piece.text, piece.len));
		column += piece.tab ? 8 - column % 8 : piece.width;
		if (piece.newline)
			column = 0;
	}
}

/* Adapts a piece to a one-line display. */
static void flatten(struct loom_piece *piece, size_t column)
{
	static const char arrow[] = "⏎";

	if (piece->newline) {
		memcpy(piece->text, arrow, sizeof arrow);
		piece->len = sizeof arrow - 1;
		piece->width = 1;
	} else if (piece->tab) {
		piece->width = (uint8_t)(8 - column % 8);
		piece->len = piece->width;
		memset(piece->text, ' ', piece->len);
		piece->text[piece->len] = '\0';
	}
}

void loom_shown_line(struct loom_buf *out, struct loom_str s, size_t cells)
{
	size_t column = 0;
	size_t fits = out->n; /* where to cut if the ellipsis is needed */
	struct loom_piece piece;

	for (size_t at = 0; at < s.n;) {
		const size_t run = cells ? 0 : plain_run(s, at);

		loom_buf_add(out, loom_str_sub(s, at, run));
		column += run;
		at += run;
		if (at == s.n)
			break;
		loom_shown_next(s, &at, &piece);
		flatten(&piece, column);
		if (cells && column + piece.width > cells) {
			LOOM_ASSERT(fits <= out->n);
			loom_buf_cut(out, fits);
			loom_buf_adds(out, "…");
			return;
		}
		loom_buf_add(out, loom_str_make(piece.text, piece.len));
		column += piece.width;
		if (column < cells)
			fits = out->n;
	}
}

static void add_escape(struct loom_buf *out, uint32_t cp)
{
	LOOM_ASSERT(cp <= 0x10FFFF);
	if (cp > 0xffff) {
		cp -= 0x10000;
		loom_buf_addf(out, "\\u%04x\\u%04x", 0xd800 + (cp >> 10), 0xdc00 + (cp & 0x3ff));
	} else {
		loom_buf_addf(out, "\\u%04x", cp);
	}
}

/* In a document every character that needs a mark stands inside a string, where an escape means the
 * same; none of them is printable ASCII. */
static void add_piece(struct loom_buf *out, const struct loom_piece *piece)
{
	size_t at = 0;

	if (!piece->mark) {
		loom_buf_add(out, piece->newline ? LOOM_STR("\n") : piece->source);
		return;
	}
	while (at < piece->source.n) {
		uint32_t cp = loom_utf8_next(piece->source, &at);

		add_escape(out, cp == LOOM_CP_BAD ? 0xfffd : cp);
	}
}

void loom_shown_json(struct loom_buf *out, struct loom_str document)
{
	struct loom_piece piece;

	for (size_t at = 0; at < document.n;) {
		size_t run = plain_run(document, at);

		loom_buf_add(out, loom_str_sub(document, at, run));
		at += run;
		if (at < document.n) {
			loom_shown_next(document, &at, &piece);
			add_piece(out, &piece);
		}
	}
}

bool loom_shown_plain(struct loom_str s)
{
	struct loom_piece piece;

	for (size_t at = 0; at < s.n;) {
		at += plain_run(s, at);
		if (at == s.n)
			break;
		loom_shown_next(s, &at, &piece);
		if (piece.mark)
			return false;
	}
	return true;
}

struct loom_str loom_shown_label(struct loom_arena *arena, struct loom_str label)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	if (!label.n || (loom_shown_plain(label) && !memchr(label.p, '\n', label.n) &&
			 !memchr(label.p, '\t', label.n)))
		return label;
	loom_shown_line(&line, label, 0);
	out = loom_arena_buf(arena, &line);
	loom_buf_fini(&line);
	return out;
}

size_t loom_shown_unseen(struct loom_str s, size_t *out_tags)
{
	struct loom_piece piece;
	size_t count = 0;

	*out_tags = 0;
	for (size_t at = 0; at < s.n;) {
		at += plain_run(s, at);
		if (at == s.n)
			break;
		loom_shown_next(s, &at, &piece);
		for (size_t in = 0; piece.mark && in < piece.source.n;) {
			uint32_t cp = loom_utf8_next(piece.source, &in);
			bool unseen = cp >= 0xA0 && cp != LOOM_CP_BAD &&
				      (model_cp_props(cp) & MODEL_NAMED);

			count += unseen;
			*out_tags += unseen && cp >= 0xE0000 && cp <= 0xE007F;
		}
	}
	return count;
}
