/* What a reader takes for quoted although it goes over several lines: comments, tags, environments,
 * code, quotation marks, and what somebody is said to have written. Prose is read once, from its
 * beginning to its end; a mark that opens hides everything until it closes.
 *
 * When in doubt a mark is open: an agent can repeat a call but cannot take one back. */
#include "inside.h"

/* Longer runs of backticks are taken for text. */
#define RUN_MAX 31

static unsigned char byte(struct loom_str s, size_t at)
{
	return at < s.n ? (unsigned char)s.p[at] : 0;
}

/* ---- pairs ---- */

/* Texts that open and close something. A name at the end of the first must be whole. */
static const struct pair {
	struct loom_str opens;
	struct loom_str closes;
	bool name;  /* `opens` ends with a name */
	bool first; /* only where a text begins */
} pairs[] = {
	{LOOM_STR_INIT("<!--"), LOOM_STR_INIT("-->"), false, false},
	{LOOM_STR_INIT("<![CDATA["), LOOM_STR_INIT("]]>"), false, false},
#define ENVIRONMENT(name)                                                                          \
	{                                                                                          \
		LOOM_STR_INIT("\\begin{" name), LOOM_STR_INIT("\\end{" name), true, false          \
	}
	ENVIRONMENT("verbatim"),
	ENVIRONMENT("lstlisting"),
	ENVIRONMENT("minted"),
	ENVIRONMENT("alltt"),
	ENVIRONMENT("quote"),
	ENVIRONMENT("quotation"),
	ENVIRONMENT("displayquote"),
	ENVIRONMENT("verse"),
	ENVIRONMENT("comment"),
	ENVIRONMENT("code"),
	ENVIRONMENT("Verbatim"),
	ENVIRONMENT("example"),
	ENVIRONMENT("tcolorbox"),
	ENVIRONMENT("center"),
#undef ENVIRONMENT
	{LOOM_STR_INIT("[quote"), LOOM_STR_INIT("[/quote]"), true, true},
	{LOOM_STR_INIT("[code"), LOOM_STR_INIT("[/code]"), true, true},
	{LOOM_STR_INIT("[spoiler"), LOOM_STR_INIT("[/spoiler]"), true, true},
	{LOOM_STR_INIT("[pre"), LOOM_STR_INIT("[/pre]"), true, true},
	{LOOM_STR_INIT("{code"), LOOM_STR_INIT("{code}"), true, true},
	{LOOM_STR_INIT("{noformat"), LOOM_STR_INIT("{noformat}"), true, true},
	{LOOM_STR_INIT("{quote"), LOOM_STR_INIT("{quote}"), true, true},
	{LOOM_STR_INIT("/*"), LOOM_STR_INIT("*/"), false, true},
	{LOOM_STR_INIT("(*"), LOOM_STR_INIT("*)"), false, true},
	{LOOM_STR_INIT("("), LOOM_STR_INIT(")"), false, true},
	{LOOM_STR_INIT("<<<<<<< "), LOOM_STR_INIT(">>>>>>>"), false, true},
	{LOOM_STR_INIT("{{"), LOOM_STR_INIT("}}"), false, true},
	{LOOM_STR_INIT("$$"), LOOM_STR_INIT("$$"), false, true},
	{LOOM_STR_INIT("<?"), LOOM_STR_INIT("?>"), false, true},
	{LOOM_STR_INIT("<!DOCTYPE"), LOOM_STR_INIT(">"), true, true},
	{LOOM_STR_INIT("#+begin_"), LOOM_STR_INIT("#+end_"), false, true},
#define RAW(name)                                                                                  \
	{                                                                                          \
		LOOM_STR_INIT("{% " name), LOOM_STR_INIT("{% end" name), true, false               \
	}
	RAW("raw"),
	RAW("highlight"),
	RAW("code"),
	RAW("codeblock"),
	RAW("quote"),
	RAW("blockquote"),
	RAW("comment"),
	RAW("verbatim"),
#undef RAW
};

static bool is_letter(unsigned char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool stands_at(struct loom_str s, size_t at, struct loom_str text)
{
	return loom_str_eq_fold(loom_str_sub(s, at, text.n), text);
}

/* Whether a colon leads to what stands at `at`. */
static bool is_led_to(struct loom_str line, size_t at)
{
	return loom_str_ends(lang_trim(loom_str_sub(line, 0, at)), LOOM_STR(":"));
}

static size_t open_pair(struct lang_marks *marks, struct loom_str line, size_t at, bool first)
{
	for (size_t i = 0; i < LOOM_COUNT(pairs); i++) {
		const struct pair *pair = &pairs[i];

		if (!stands_at(line, at, pair->opens) ||
		    (pair->first && !first && !is_led_to(line, at)) ||
		    (pair->name && is_letter(byte(line, at + pair->opens.n))))
			continue;
		marks->open = LANG_MARK_PAIR;
		marks->which = i;
		/* A bracket that nobody closes is a slip: it ends with its paragraph. */
		marks->bound = pair->opens.n == 1;
		return at + pair->opens.n;
	}
	return 0;
}

static size_t find_fold(struct loom_str line, size_t from, struct loom_str text)
{
	for (size_t at = from; at + text.n <= line.n; at++)
		if (stands_at(line, at, text))
			return at + text.n;
	return 0;
}

/* ---- tags ---- */

/* Whether a tag is only spoken of: "use <details> for that". */
static bool is_mentioned(struct loom_str line, size_t at, size_t behind)
{
	const size_t blanks = lang_blanks(line, behind);

	return at && lang_blank(line, at - 1) && !is_led_to(line, at) && blanks &&
	       is_letter(byte(line, behind + blanks));
}

/* Opens a tag that quotes. Some names stand for a text as often as around one, as in `<text>`: they
 * count where a text begins, at the beginning of a line or at its end after a colon; a name that we
 * do not know only when it has attributes, and the line to itself. */
static size_t open_tag(struct lang_marks *marks, struct loom_str line, size_t at, bool first)
{
	struct lang_tag tag;
	bool ends = false;

	if (!lang_tag_read(line, at, &tag) || tag.closes || tag.kind == LANG_TAG_THINKING)
		return 0;
	ends = lang_is_blank(loom_str_sub(line, at + tag.bytes, line.n));
	if (tag.kind == LANG_TAG_SOURCE && !first && !(is_led_to(line, at) && ends))
		return 0;
	if ((tag.kind == LANG_TAG_OTHER &&
	     !(first && ends && loom_str_find(line, LOOM_STR("=\""), at) != SIZE_MAX)) ||
	    (tag.kind == LANG_TAG_QUOTING && is_mentioned(line, at, at + tag.bytes)))
		return 0;
	marks->open = LANG_MARK_TAG;
	marks->which = tag.name;
	marks->depth = 1;
	return at + tag.bytes;
}

/* Returns where reading goes on after the tag at `at`, whose end is counted. */
static size_t inside_tag(struct lang_marks *marks, struct loom_str line, size_t at)
{
	struct lang_tag tag;

	if (!lang_tag_read(line, at, &tag) || tag.name != marks->which)
		return at + 1;
	if (!tag.closes)
		marks->depth++;
	else if (--marks->depth == 0)
		marks->open = LANG_MARK_NONE;
	return at + tag.bytes;
}

/* ---- code ---- */

static size_t run_of(struct loom_str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && s.p[at + n] == s.p[at])
		n++;
	return n;
}

/* Returns where the run that closes the open code ends, or 0. */
static size_t close_code(const struct lang_marks *marks, struct loom_str line, size_t from)
{
	size_t at = from;

	while ((at = loom_str_find_char(line, marks->sign, at)) != SIZE_MAX) {
		size_t run = run_of(line, at);

		at += run;
		if (run == marks->run || (marks->run >= 3 && run > marks->run))
			return at;
	}
	/* As TeX has it: ``quoted''. */
	if (marks->sign == '`' && marks->run == 2 &&
	    (at = loom_str_find(line, LOOM_STR("''"), from)) != SIZE_MAX)
		return at + 2;
	return 0;
}

/* Whether nothing follows a run but, for a fence, one word that names a language. */
static bool ends_line(struct loom_str rest, size_t run)
{
	rest = lang_trim(rest);
	if (run < 3)
		return rest.n == 0;
	for (size_t at = 0; at < rest.n; at++)
		if (lang_blank(rest, at) || rest.p[at] == '`')
			return false;
	return true;
}

/* Whether two signs have their line to themselves: ~~ around lines that are struck out. */
static bool is_alone(struct loom_str line, size_t at, size_t run)
{
	return run == 2 && at == 0 && lang_is_blank(loom_str_sub(line, run, line.n));
}

/* Opens the code that no run of this line closes. At the end or the beginning of a line it is as
 * good as a fence; in the middle of a sentence it ends with its paragraph. */
static size_t open_code(struct lang_marks *marks, struct loom_str line, size_t at, bool first)
{
	const size_t run = run_of(line, at);
	const size_t end = at + run;
	size_t closed = 0;

	if (run > RUN_MAX || (line.p[at] == '~' && run < 3 && !is_alone(line, at, run)) ||
	    (run == 1 && byte(line, end) == ')'))
		return end;
	marks->sign = line.p[at];
	marks->run = run;
	closed = close_code(marks, line, end);
	if (closed)
		return closed;
	marks->open = LANG_MARK_CODE;
	marks->bound = !first && !ends_line(loom_str_sub(line, end, line.n), run);
	return line.n;
}

/* ---- quotation marks ---- */

/* Signs that open and close a quotation. The straight ones are told apart by what is around
 * them. */
enum sign {
	STRAIGHT,
	SINGLE,
	CURLY,
	CURLY_SINGLE,
	LOW,
	GUILLEMETS,
	ANGLES,
	REVERSED,
	CORNERS,
	DOUBLE_CORNERS,
	ACUTE,
};
static const struct {
	struct loom_str opens;
	struct loom_str closes[2];
	bool spaced; /* opens only after a blank */
} signs[] = {
	[STRAIGHT] = {LOOM_STR_INIT("\""), {LOOM_STR_INIT("\"")}, true},
	[SINGLE] = {LOOM_STR_INIT("'"), {LOOM_STR_INIT("'")}, true},
	[CURLY] = {LOOM_STR_INIT("“"), {LOOM_STR_INIT("”"), LOOM_STR_INIT("\"")}, false},
	[CURLY_SINGLE] = {LOOM_STR_INIT("‘"), {LOOM_STR_INIT("’"), LOOM_STR_INIT("'")}, true},
	[LOW] = {LOOM_STR_INIT("„"), {LOOM_STR_INIT("“"), LOOM_STR_INIT("”")}, false},
	[GUILLEMETS] = {LOOM_STR_INIT("«"), {LOOM_STR_INIT("»")}, false},
	[ANGLES] = {LOOM_STR_INIT("‹"), {LOOM_STR_INIT("›")}, false},
	[REVERSED] = {LOOM_STR_INIT("»"), {LOOM_STR_INIT("«")}, true},
	[CORNERS] = {LOOM_STR_INIT("「"), {LOOM_STR_INIT("」")}, false},
	[DOUBLE_CORNERS] = {LOOM_STR_INIT("『"), {LOOM_STR_INIT("』")}, false},
	[ACUTE] = {LOOM_STR_INIT("´"), {LOOM_STR_INIT("´")}, true},
};

static bool ends_word(unsigned char c)
{
	return !c || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0xC2 || c == ')' ||
	       c == ']' || c == '*' || c == '_' || c == '-' || c == ':' || lang_is_closing((char)c);
}

/* Whether a word may begin after this byte; 0: the beginning of the line. */
static bool begins_word(unsigned char c)
{
	return !c || c == ' ' || c == '\t' || c == '(' || c == '[' || c == '{' || c == '*' ||
	       c == '_' || c == ':' || c == '=' || c == '>' || c == '|' || c >= 0x80;
}

/* Whether a straight sign, with these bytes around it, begins a quotation rather than ending one.
 */
static bool leads(unsigned char before, unsigned char behind)
{
	const bool out = !behind || behind == '\n' || behind == '\r';

	if (before == '\\' || !begins_word(before))
		return false;
	return out || (behind != ' ' && behind != '\t');
}

/* An apostrophe is no quotation mark, unless a quotation is announced: 'tis one. */
static bool is_announced(struct loom_str line, size_t at, size_t bytes)
{
	static const char *const cut[] = {"tis",   "twas", "twere", "twill", "em",  "til",
					  "cause", "bout", "round", "n",     "kay", "nuff"};
	struct loom_str before = lang_trim(loom_str_sub(line, 0, at));

	for (size_t i = 0; i < LOOM_COUNT(cut); i++)
		if (stands_at(line, at + bytes, loom_str_of(cut[i])) &&
		    !is_letter(byte(line, at + bytes + strlen(cut[i]))))
			return false;
	return !before.n || before.p[before.n - 1] == ':';
}

static bool opens_quotation(struct loom_str line, size_t at, enum sign sign)
{
	const unsigned char before = at ? byte(line, at - 1) : 0;

	if (!signs[sign].spaced)
		return true;
	return leads(before, byte(line, at + signs[sign].opens.n)) &&
	       (sign != REVERSED || before < 0x80) &&
	       ((sign != SINGLE && sign != CURLY_SINGLE) ||
		is_announced(line, at, signs[sign].opens.n));
}

/* Three signs in a row hide whatever other signs there are between them. */
static size_t open_triple(struct lang_marks *marks, struct loom_str line, size_t at)
{
	marks->sign = line.p[at];
	if ((marks->sign != '"' && marks->sign != '\'') || run_of(line, at) < 3)
		return 0;
	marks->open = LANG_MARK_CODE;
	marks->run = run_of(line, at);
	marks->bound = false;
	return at + marks->run;
}

static size_t open_quotation(struct lang_marks *marks, struct loom_str line, size_t at)
{
	size_t triple = open_triple(marks, line, at);

	if (triple)
		return triple;
	for (size_t i = 0; i < LOOM_COUNT(signs); i++) {
		if (!stands_at(line, at, signs[i].opens) ||
		    !opens_quotation(line, at, (enum sign)i))
			continue;
		marks->open = LANG_MARK_QUOTE;
		marks->which = i;
		marks->depth = 1;
		return at + signs[i].opens.n;
	}
	return 0;
}

/* Whether the sign at `at` closes the open quotation. One that leads into a word begins another
 * paragraph of it. */
static bool closes_quotation(const struct lang_marks *marks, struct loom_str line, size_t at,
			     size_t bytes)
{
	const unsigned char before = at ? byte(line, at - 1) : 0;
	const unsigned char behind = byte(line, at + bytes);

	if (bytes > 1 && marks->which != CURLY_SINGLE)
		return true;
	if (before == '\\' ||
	    ((marks->which == SINGLE || marks->which == CURLY_SINGLE) && !ends_word(behind)))
		return false;
	return bytes > 1 || !begins_word(before) || ends_word(behind);
}

/* Whether an arrow stands before `at`; looked for once in a line. */
static bool in_call(struct lang_marks *marks, struct loom_str line, size_t at)
{
	if (!marks->arrow_known)
		marks->arrow = loom_str_find(line, LOOM_STR(LANG_ARROW), 0);
	marks->arrow_known = true;
	return marks->arrow < at;
}

/* Returns where reading goes on inside a quotation. */
static size_t inside_quotation(struct lang_marks *marks, struct loom_str line, size_t at)
{
	const struct loom_str opens = signs[marks->which].opens;

	for (size_t i = 0; i < 2; i++) {
		const struct loom_str sign = signs[marks->which].closes[i];

		if (!sign.n || !stands_at(line, at, sign) ||
		    !closes_quotation(marks, line, at, sign.n))
			continue;
		if (--marks->depth == 0)
			marks->open = LANG_MARK_NONE;
		return at + sign.n;
	}
	/* A paragraph of a quotation repeats its sign, and a call has texts of its own; elsewhere
	 * only a sign that cannot be mistaken opens another quotation. */
	if (stands_at(line, at, opens) &&
	    (!signs[marks->which].spaced || in_call(marks, line, at))) {
		marks->depth += at > 0;
		return at + opens.n;
	}
	return at + 1;
}

/* ---- reading ---- */

/* Bytes that may open something, or close it. */
static const bool may_open[256] = {
	['"'] = true, ['\''] = true, ['`'] = true,  ['~'] = true,  ['<'] = true,
	['['] = true, ['\\'] = true, ['{'] = true,  ['#'] = true,  ['/'] = true,
	['('] = true, ['$'] = true,  [0xC2] = true, [0xE2] = true, [0xE3] = true,
};

static size_t open_mark(struct lang_marks *marks, struct loom_str line, size_t at, bool first)
{
	const char c = line.p[at];
	size_t next = 0;

	if (c == '`' || c == '~')
		return open_code(marks, line, at, first);
	if (c == '<' || c == '[' || c == '\\' || c == '#' || c == '{' || c == '/' || c == '(' ||
	    c == '$')
		next = open_pair(marks, line, at, first);
	if (!next && c == '<')
		next = open_tag(marks, line, at, first);
	if (!next)
		next = open_quotation(marks, line, at);
	return next ? next : at + 1;
}

static size_t inside_mark(struct lang_marks *marks, struct loom_str line, size_t at)
{
	size_t end = 0;

	switch (marks->open) {
	case LANG_MARK_PAIR:
		end = find_fold(line, at, pairs[marks->which].closes);
		break;
	case LANG_MARK_CODE:
		end = close_code(marks, line, at);
		break;
	case LANG_MARK_TAG:
		return inside_tag(marks, line, at);
	case LANG_MARK_QUOTE:
		return inside_quotation(marks, line, at);
	case LANG_MARK_BLOCK:
	case LANG_MARK_NONE:
		return line.n;
	}
	if (end)
		marks->open = LANG_MARK_NONE;
	return end ? end : line.n;
}

/* Whether a sign of ours may begin here: most signs of several bytes are none. */
static bool is_sign(struct loom_str line, size_t at)
{
	const unsigned char first = (unsigned char)line.p[at];
	const unsigned char second = byte(line, at + 1);

	if (first < 0x80)
		return may_open[first];
	return (first == 0xE2 && (second == 0x80 || second == 0x97)) ||
	       (first == 0xC2 && (second == 0xAB || second == 0xBB || second == 0xB4)) ||
	       (first == 0xE3 && second == 0x80);
}

/* Whether none of eight bytes may open something. */
static bool all_plain(const char *p)
{
	const unsigned char *c = (const unsigned char *)p;

	return !(may_open[c[0]] | may_open[c[1]] | may_open[c[2]] | may_open[c[3]] |
		 may_open[c[4]] | may_open[c[5]] | may_open[c[6]] | may_open[c[7]]);
}

/* Skips what neither opens nor closes anything; the second half of a pair is searched for. Every
 * byte of an answer passes here: most go eight at a time. */
static size_t skip_plain(const struct lang_marks *marks, struct loom_str line, size_t from)
{
	if (marks->open == LANG_MARK_PAIR || marks->open == LANG_MARK_CODE)
		return from;
	while (from + 8 <= line.n && all_plain(line.p + from))
		from += 8;
	while (from < line.n && (!may_open[(unsigned char)line.p[from]] || !is_sign(line, from)))
		from++;
	return from;
}

/* Takes up what a line announces; inside of announced words only a block counts. */
static void announced(struct lang_marks *marks, struct loom_str line)
{
	size_t last = 0;

	switch (lang_announces(line, &last)) {
	case LANG_ANNOUNCED_NOTHING:
		return;
	case LANG_ANNOUNCED_WORDS:
		marks->words = LANG_WORDS_AHEAD;
		return;
	case LANG_ANNOUNCED_HERE:
		marks->words = LANG_WORDS_HERE;
		return;
	case LANG_ANNOUNCED_HUNK:
		marks->words = LANG_WORDS_HUNK;
		return;
	case LANG_ANNOUNCED_INDENTED:
		marks->words = LANG_WORDS_INDENTED;
		return;
	case LANG_ANNOUNCED_BLOCK:
		marks->open = LANG_MARK_BLOCK;
		marks->which = last;
		return;
	}
}

size_t lang_marks_read(struct lang_marks *marks, struct loom_str line, size_t from,
		       struct lang_tag *out_tag)
{
	const bool closed = marks->open == LANG_MARK_NONE;
	size_t indent = 0;

	if (marks->open == LANG_MARK_BLOCK) {
		if (lang_announced_ends(line, marks->which))
			marks->open = LANG_MARK_NONE;
		return SIZE_MAX;
	}
	marks->arrow_known = false;
	(void)lang_indent(line, &indent);
	while ((from = skip_plain(marks, line, from)) < line.n) {
		if (marks->open != LANG_MARK_NONE) {
			from = inside_mark(marks, line, from);
			continue;
		}
		if (lang_tag_read(line, from, out_tag) && !out_tag->closes &&
		    out_tag->kind == LANG_TAG_THINKING)
			return from;
		from = open_mark(marks, line, from, from == indent);
	}
	if (closed && marks->open == LANG_MARK_NONE)
		announced(marks, line);
	return SIZE_MAX;
}

bool lang_marks_inside(const struct lang_marks *marks)
{
	return marks->open != LANG_MARK_NONE || marks->words != LANG_WORDS_NONE;
}

void lang_marks_begin(struct lang_marks *marks, struct loom_str line)
{
	const bool blank = lang_is_blank(line);

	marks->lost = blank && marks->bound &&
		      (marks->open == LANG_MARK_CODE || marks->open == LANG_MARK_PAIR);
	if (marks->lost)
		marks->open = LANG_MARK_NONE;
	if (marks->words == LANG_WORDS_AHEAD && !blank)
		marks->words = LANG_WORDS_HERE;
	else if (blank && (marks->words == LANG_WORDS_HERE ||
			   (marks->words == LANG_WORDS_HUNK && line.p[0] != ' ')))
		marks->words = LANG_WORDS_NONE;
}

void lang_marks_leave(struct lang_marks *marks, struct loom_str line)
{
	size_t indent = 0;

	if (marks->words == LANG_WORDS_INDENTED && marks->open == LANG_MARK_NONE &&
	    !lang_is_blank(line) && !lang_indent(line, &indent))
		marks->words = LANG_WORDS_NONE;
}
