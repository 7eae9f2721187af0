/* Characters of a call line: blanks, quotes, comments, and where a thought begins and ends.
 *
 * The scanner asks where a call ends and the lexer what its tokens are. Both read quotes and
 * comments by these rules, so they cannot disagree. */
#include "inside.h"

static unsigned char byte(struct loom_str s, size_t at)
{
	return at < s.n ? (unsigned char)s.p[at] : 0;
}

size_t lang_blank(struct loom_str s, size_t at)
{
	unsigned char first = byte(s, at);

	if (at >= s.n)
		return 0;
	if (first == ' ' || first == '\t')
		return 1;
	if (first == 0xC2)
		return byte(s, at + 1) == 0xA0 ? 2 : 0;
	if (first == 0xE2)
		return byte(s, at + 1) == 0x80 && byte(s, at + 2) == 0xAF ? 3 : 0;
	return first == 0xE3 && byte(s, at + 1) == 0x80 && byte(s, at + 2) == 0x80 ? 3 : 0;
}

size_t lang_selector(struct loom_str s, size_t at)
{
	return byte(s, at) == 0xEF && byte(s, at + 1) == 0xB8 && (byte(s, at + 2) & 0xF0) == 0x80
		       ? 3
		       : 0;
}

size_t lang_blanks(struct loom_str s, size_t at)
{
	size_t from = at;

	for (size_t n = 0; (n = lang_blank(s, at)) > 0;)
		at += n;
	return at - from;
}

size_t lang_quote_sign(struct loom_str s, size_t at, unsigned char *out_curly)
{
	unsigned char third = byte(s, at + 2);

	*out_curly = 0;
	if (byte(s, at) == '"')
		return 1;
	if (byte(s, at) != 0xE2 || byte(s, at + 1) != 0x80 || third < 0x9C || third > 0x9F)
		return 0;
	*out_curly = third;
	return 3;
}

/* The last bytes of “ and ”; „ and ‟ only open. */
#define OPENING 0x9C
#define CLOSING 0x9D

size_t lang_quote_closes(struct loom_str s, size_t at, unsigned char curly_open)
{
	unsigned char curly = 0;
	size_t sign = lang_quote_sign(s, at, &curly);

	if (!sign || !curly)
		return sign;
	return curly_open && (curly == CLOSING || (curly == OPENING && curly_open != OPENING))
		       ? sign
		       : 0;
}

struct loom_str lang_unescape(struct loom_arena *arena, struct loom_str raw)
{
	char *to = NULL;
	size_t n = 0;

	if (loom_str_find_char(raw, '\\', 0) == SIZE_MAX)
		return raw;
	to = loom_arena_alloc(arena, raw.n + 1);
	for (size_t i = 0; i < raw.n; i++) {
		if (raw.p[i] == '\\' && (byte(raw, i + 1) == '"' || byte(raw, i + 1) == '\\'))
			i++;
		to[n++] = raw.p[i];
	}
	return loom_str_make(to, n);
}

/* Reads inside a quote from `at`; returns where reading continues outside it, or the line's end. */
static size_t quoted(struct lang_quote *quote, struct loom_str line, size_t at)
{
	size_t from = at;
	size_t sign = 0;

	while (at < line.n) {
		unsigned char c = (unsigned char)line.p[at];

		if (c == '\\' && (byte(line, at + 1) == '"' || byte(line, at + 1) == '\\')) {
			at += 2;
			continue;
		}
		if ((c == '"' || c == 0xE2) &&
		    (sign = lang_quote_closes(line, at, quote->curly)) > 0) {
			quote->open = false;
			break;
		}
		at++;
	}
	quote->inside += at - from;
	if (quote->inside > quote->longest)
		quote->longest = quote->inside;
	return quote->open ? at : at + sign;
}

/* Takes one step outside quotes. */
static size_t unquoted(struct lang_quote *quote, struct loom_str line, size_t at)
{
	size_t n = lang_blank(line, at);
	struct lang_tag tag;

	if (n) {
		quote->blanks++;
		return at + n;
	}
	if (quote->blanks >= 2 && (line.p[at] == '#' || line.p[at] == '('))
		return line.n; /* a comment */
	quote->blanks = 0;
	n = lang_quote_sign(line, at, &quote->curly);
	if (n) {
		quote->open = true;
		quote->inside = 0;
		return at + n;
	}
	if (!lang_tag_read(line, at, &tag) || tag.kind != LANG_TAG_THINKING)
		return at + 1;
	if (!quote->tag && !tag.closes)
		quote->tag = tag.name;
	else if (quote->tag == tag.name && tag.closes)
		quote->tag = 0;
	return at + tag.bytes;
}

void lang_quote_line(struct lang_quote *quote, struct loom_str line)
{
	size_t at = 0;

	while (at < line.n) {
		size_t from = at;

		if (quote->open) {
			at = quoted(quote, line, at);
		} else {
			at = unquoted(quote, line, at);
			quote->outside += at - from;
		}
	}
	if (quote->open)
		quote->inside++;
	else
		quote->blanks = 0;
}

static bool is_line_end(unsigned char c)
{
	return c == '\r' || c == '\n';
}

/* Length of the blank, CR or LF at the end of `s`, or 0. */
static size_t last_blank(struct loom_str s)
{
	if (s.n && is_line_end(byte(s, s.n - 1)))
		return 1;
	for (size_t back = 1; back <= 3 && back <= s.n; back++)
		if (lang_blank(s, s.n - back) == back)
			return back;
	return 0;
}

struct loom_str lang_trim(struct loom_str s)
{
	size_t n = 0;

	while ((n = last_blank(s)) > 0)
		s.n -= n;
	while ((n = lang_blank(s, 0)) > 0 || is_line_end(byte(s, 0)))
		s = loom_str_sub(s, n ? n : 1, s.n);
	return s;
}

bool lang_is_blank(struct loom_str s)
{
	unsigned char first = byte(s, 0);

	return first > ' ' && first < 0x80 ? false : lang_trim(s).n == 0;
}

bool lang_is_closing(char c)
{
	return c == '.' || c == ',' || c == ';' || c == '!' || c == '?';
}

static bool is_word_byte(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' || c == '-';
}

/* Length of the ending of "thinking". */
static size_t ing_at(struct loom_str s, size_t at)
{
	return loom_str_eq_fold(loom_str_sub(s, at, at + 3), LOOM_STR("ing")) ? 3 : 0;
}

bool lang_is_think(struct loom_str body, struct loom_str *out_text)
{
	static const struct loom_str word = LOOM_STR_INIT("think");
	size_t at = lang_blanks(body, 0);

	while (at < body.n) {
		size_t end = at;

		while (end < body.n && !lang_blank(body, end))
			end++;
		if (loom_str_eq_fold(loom_str_sub(body, at, word.n), word) &&
		    !is_word_byte(byte(body, at + word.n + ing_at(body, at + word.n)))) {
			at += word.n + ing_at(body, at + word.n);
			at += byte(body, at) == ':' ? 1 : 0;
			at += lang_blanks(body, at);
			*out_text = loom_str_sub(body, at, body.n);
			return true;
		}
		if (!lang_is_filler(loom_str_sub(body, at, end - at)))
			return false;
		at = end + lang_blanks(body, end);
	}
	return false;
}

/* Whether nothing meaningful follows a thought's closing arrow. */
static bool is_tail(struct loom_str tail)
{
	int blanks = 0;

	for (size_t at = 0; at < tail.n;) {
		size_t n = lang_blank(tail, at);

		if (n) {
			blanks++;
		} else if (blanks >= 2 && (tail.p[at] == '#' || tail.p[at] == '(')) {
			return true;
		} else if (is_line_end(byte(tail, at)) || lang_is_closing(tail.p[at])) {
			blanks = 0;
			n = 1;
		} else {
			return false;
		}
		at += n;
	}
	return true;
}

bool lang_cut_back_arrow(struct loom_str line, struct loom_str *out_before)
{
	static const struct loom_str arrow = LOOM_STR_INIT(LANG_BACK_ARROW);
	size_t at = SIZE_MAX;
	size_t next = loom_str_find(line, arrow, 0);
	struct loom_str tail;

	for (; next != SIZE_MAX; next = loom_str_find(line, arrow, next + arrow.n))
		at = next;
	if (at == SIZE_MAX)
		return false;
	tail = loom_str_sub(line, at + arrow.n, line.n);
	if (!is_tail(loom_str_sub(tail, lang_selector(tail, 0), tail.n)))
		return false;
	*out_before = loom_str_sub(line, 0, at);
	return true;
}

bool lang_is_back_arrow(struct loom_str line)
{
	static const struct loom_str arrow = LOOM_STR_INIT(LANG_BACK_ARROW);
	struct loom_str held = lang_trim(line);

	return loom_str_starts(held, arrow) && held.n == arrow.n + lang_selector(held, arrow.n);
}

struct loom_str lang_thought(struct loom_str text)
{
	size_t last = text.n;

	while (last && text.p[last - 1] != '\n')
		last--;
	if (!last)
		(void)lang_cut_back_arrow(text, &text);
	else if (lang_is_back_arrow(loom_str_sub(text, last, text.n)))
		text.n = last;
	return lang_trim(text);
}
