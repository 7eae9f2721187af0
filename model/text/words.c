/* Words as search defines them: folded runs of letters and digits, and single CJK characters, since
 * CJK has no blanks between words. Pure. */

#include <loom/base/utf8.h>
#include <loom/text/width.h>
#include <loom/text/words.h>

static bool is_cjk(uint32_t cp)
{
	return (cp >= 0x2E80 && cp <= 0x2FDF) || (cp >= 0x3041 && cp <= 0x30FF) ||
	       (cp >= 0x3105 && cp <= 0x31BF) || (cp >= 0x31F0 && cp <= 0x31FF) ||
	       (cp >= 0x3400 && cp <= 0x4DBF) || (cp >= 0x4E00 && cp <= 0x9FFF) ||
	       (cp >= 0xAC00 && cp <= 0xD7AF) || (cp >= 0xF900 && cp <= 0xFAFF) ||
	       (cp >= 0xFF66 && cp <= 0xFF9F) || (cp >= 0x20000 && cp <= 0x3FFFF) || cp == 0x3005 ||
	       cp == 0x3007;
}

static bool is_ascii_word(uint32_t cp)
{
	return (cp >= '0' && cp <= '9') || (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z');
}

/* Punctuation, symbols and blanks above ASCII; all other characters there belong to words. */
static bool is_break(uint32_t cp)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} breaks[] = {
		{0x80, 0xA9},       {0xAB, 0xB1},     {0xB4, 0xB4},     {0xB6, 0xB8},
		{0xBB, 0xBB},       {0xBF, 0xBF},     {0xD7, 0xD7},     {0xF7, 0xF7},
		{0x37E, 0x37E},     {0x387, 0x387},   {0x55A, 0x55F},   {0x589, 0x58F},
		{0x5BE, 0x5BE},     {0x60C, 0x60D},   {0x61B, 0x61F},   {0x66A, 0x66D},
		{0x6D4, 0x6D4},     {0x964, 0x965},   {0x970, 0x970},   {0x1680, 0x1680},
		{0x2000, 0x200B},   {0x200E, 0x206F}, {0x20A0, 0x20CF}, {0x2190, 0x2BFF},
		{0x2E00, 0x2E7F},   {0x2FF0, 0x3004}, {0x3008, 0x3040}, {0x30FB, 0x30FB},
		{0xE000, 0xF8FF},   {0xFE10, 0xFE1F}, {0xFE30, 0xFE6F}, {0xFF01, 0xFF0F},
		{0xFF1A, 0xFF20},   {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFF0, 0xFFFF},
		{0x1F000, 0x1FAFF},
	};

	for (size_t i = 0; i < LOOM_COUNT(breaks); i++)
		if (cp >= breaks[i].first && cp <= breaks[i].last)
			return true;
	return false;
}

static bool is_word(uint32_t cp)
{
	if (cp < 0x80)
		return is_ascii_word(cp);
	return cp != LOOM_CP_BAD && !is_break(cp);
}

/* don't is one word, 'quoted' is not: returns whether `cp` before `next` is an apostrophe inside a
 * word. */
static bool joins(struct loom_str text, uint32_t cp, size_t next)
{
	return (cp == '\'' || cp == 0x2019) && next < text.n &&
	       is_word(loom_utf8_next(text, &next));
}

/* Takes the letters from `at` on that continue the word. */
static void take_run(struct loom_str text, size_t *at, struct loom_buf *folded)
{
	for (size_t next = *at; *at < text.n; *at = next) {
		uint32_t cp = loom_utf8_next(text, &next);

		if (joins(text, cp, next))
			continue;
		if (!is_word(cp) || is_cjk(cp))
			return;
		if (!loom_cp_is_mark(cp))
			loom_buf_add_cp(folded, loom_cp_fold(cp));
	}
}

bool loom_word_next(struct loom_str text, size_t *at, size_t *out_from, struct loom_buf *folded)
{
	loom_buf_clear(folded);
	while (*at < text.n) {
		size_t from = *at;
		uint32_t cp = loom_utf8_next(text, at);

		if (!is_word(cp) || loom_cp_is_mark(cp))
			continue;
		*out_from = from;
		loom_buf_add_cp(folded, loom_cp_fold(cp));
		if (!is_cjk(cp))
			take_run(text, at, folded);
		if (folded->n)
			return true;
	}
	return false;
}

/* --- the index query --- */

/* Adds one phrase of the words in `text`, where a run of CJK characters is a phrase of its own.
 * Returns how many. */
static size_t add_phrase(struct loom_str text, struct loom_buf *out)
{
	struct loom_buf word = LOOM_BUF_INIT(4096);
	size_t at = 0;
	size_t from = 0;
	size_t words = 0;

	while (loom_word_next(text, &at, &from, &word)) {
		loom_buf_adds(out, words++ ? " " : "\"");
		loom_buf_add(out, loom_buf_str(&word));
	}
	if (words)
		loom_buf_addc(out, '"');
	loom_buf_fini(&word);
	return words;
}

static bool is_quote(struct loom_str s, size_t at, size_t *out_n)
{
	static const char *const quotes[] = {"\"", "“", "”", "„"};

	for (size_t i = 0; i < LOOM_COUNT(quotes); i++) {
		struct loom_str quote = loom_str_of(quotes[i]);

		if (!loom_str_eq(loom_str_sub(s, at, quote.n), quote))
			continue;
		*out_n = quote.n;
		return true;
	}
	return false;
}

/* Takes the next typed piece: quoted text, or everything up to a blank. */
static bool next_piece(struct loom_str *rest, struct loom_str *out, bool *out_quoted)
{
	size_t n = 0;
	size_t end = 0;

	*rest = loom_str_trim(*rest);
	if (!rest->n)
		return false;
	*out_quoted = is_quote(*rest, 0, &n);
	if (*out_quoted)
		*rest = loom_str_sub(*rest, n, rest->n);
	n = 0;
	while (end < rest->n && !is_quote(*rest, end, &n) &&
	       (*out_quoted || (rest->p[end] != ' ' && rest->p[end] != '\t')))
		end++;
	*out = loom_str_sub(*rest, 0, end);
	/* A quote in the middle of a word begins a new phrase. */
	*rest = loom_str_sub(*rest, end + (*out_quoted ? n : 0), rest->n);
	return true;
}

bool loom_words_query(struct loom_str typed, struct loom_buf *out, size_t *out_growing)
{
	bool open_end = typed.n && typed.p[typed.n - 1] != ' ';
	struct loom_str piece;
	bool quoted = false;
	bool grows = false;
	size_t phrases = 0;
	size_t last = 0;

	while (next_piece(&typed, &piece, &quoted)) {
		size_t before = out->n;
		size_t start = before;

		if (phrases)
			loom_buf_adds(out, " AND ");
		start = out->n;
		if (add_phrase(piece, out) == 0) {
			loom_buf_cut(out, before);
			continue;
		}
		last = start;
		grows = !quoted && open_end;
		phrases++;
	}
	LOOM_ASSERT(last <= out->n);
	*out_growing = grows ? last : out->n;
	return phrases > 0;
}

/* --- snippets --- */

/* Returns where the first typed word occurs in the text; 0 if none does. */
static size_t first_hit(struct loom_str text, struct loom_str typed)
{
	struct loom_buf wanted = LOOM_BUF_INIT(4096);
	struct loom_buf word = LOOM_BUF_INIT(4096);
	size_t typed_at = 0;
	size_t at = 0;
	size_t from = 0;
	size_t hit = 0;
	bool found = false;

	if (loom_word_next(typed, &typed_at, &from, &wanted))
		while (!found && loom_word_next(text, &at, &from, &word)) {
			found = loom_str_starts(loom_buf_str(&word), loom_buf_str(&wanted));
			hit = found ? from : 0;
		}
	loom_buf_fini(&wanted);
	loom_buf_fini(&word);
	LOOM_ASSERT(hit < text.n || !hit);
	return hit;
}

void loom_words_snippet(struct loom_str text, struct loom_str typed, size_t chars,
			struct loom_buf *out)
{
	size_t hit = first_hit(text, typed);
	size_t from = hit;
	size_t to = hit;
	size_t lead = chars / 4;

	for (size_t i = 0; i < lead && from > 0; i++)
		(void)loom_utf8_prev(text, &from);
	/* Do not start in the middle of a word, unless there is nothing else. */
	for (size_t at = from; from > 0 && at < hit; at++)
		if (text.p[at] == ' ' || text.p[at] == '\n') {
			from = at + 1;
			break;
		}
	to = from;
	for (size_t i = 0; i < chars && to < text.n; i++)
		(void)loom_utf8_next(text, &to);
	LOOM_ASSERT(from <= to && to <= text.n);
	if (from > 0)
		loom_buf_adds(out, "…");
	loom_buf_add(out, loom_str_trim(loom_str_sub(text, from, to - from)));
	if (to < text.n)
		loom_buf_adds(out, "…");
}
