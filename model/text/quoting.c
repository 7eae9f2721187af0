/* Quotes text below our headers, so that it cannot be mistaken for them. Invariants: pure; the
 * output differs from the text only by backslashes before lines that look like ours, and
 * loom_body_plain restores it exactly; linear in the text. Printing our lines is left to others. */
#include <loom/text/quoting.h>

#include <loom/text/parts.h>
#include <loom/base/utf8.h>

#include "inside.h"

#define MARK '\\'
#define DOT  LOOM_STR(" · ")

/* ---- where lines end ---- */

/* Returns the length of the line end at `at`; 0 if there is none. */
static size_t end_at(struct loom_str s, size_t at)
{
	const unsigned char c = (unsigned char)s.p[at];

	LOOM_ASSERT(at < s.n);
	if (c < 0x20)
		return (c >= '\n' && c <= '\r') || (c >= 0x1C && c <= 0x1E);
	if (c == 0xC2)
		return at + 1 < s.n && (unsigned char)s.p[at + 1] == 0x85 ? 2 : 0;
	if (c != 0xE2 || at + 2 >= s.n || (unsigned char)s.p[at + 1] != 0x80)
		return 0;
	return ((unsigned char)s.p[at + 2] & 0xFE) == 0xA8 ? 3 : 0;
}

/* Returns whether eight bytes are all printable ASCII, and so contain no line end. */
static bool is_plain(const char *p)
{
	const uint64_t high = 0x8080808080808080u;
	const uint64_t blanks = 0x2020202020202020u;
	uint64_t word = 0;

	memcpy(&word, p, sizeof word);
	return !((word | (word - blanks)) & high);
}

size_t loom_body_end(struct loom_str s, size_t at, size_t *out_bytes)
{
	LOOM_ASSERT(at <= s.n);
	while (at < s.n) {
		const size_t stop = s.n - at < 8 ? s.n : at + 8;

		if (s.n - at >= 8 && is_plain(s.p + at)) {
			at = stop;
			continue;
		}
		for (; at < stop; at++) {
			*out_bytes = end_at(s, at);
			if (*out_bytes)
				return at;
		}
	}
	*out_bytes = 0;
	return s.n;
}

struct lines {
	struct loom_str text;
	struct loom_str line;
	size_t next;
	bool over;
};

static bool next_line(struct lines *lines)
{
	const size_t at = lines->next;
	size_t bytes = 0;
	size_t end = 0;

	if (lines->over)
		return false;
	end = loom_body_end(lines->text, at, &bytes);
	LOOM_ASSERT(end >= at && end + bytes <= lines->text.n);
	lines->line = loom_str_sub(lines->text, at, end - at);
	lines->next = end + bytes;
	lines->over = !bytes;
	return true;
}

/* ---- what a line looks like ---- */

/* Only this much of a line is examined. */
#define HEAD_MAX 240

struct head {
	char p[HEAD_MAX + 8];
	size_t n;
	size_t marks; /* backslashes before it */
	bool whole;
};

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || cp == '\t' || cp == 0xA0 || cp == 0x1680 ||
	       (cp >= 0x2000 && cp <= 0x200A) || cp == 0x202F || cp == 0x205F || cp == 0x2800 ||
	       cp == 0x3000;
}

static bool is_unseen(uint32_t cp)
{
	if (cp < 0x80)
		return cp < 0x20 || cp == 0x7F;
	return model_cp_props(cp) & (MODEL_NAMED | MODEL_MARK);
}

/* Normalises a code point by its looks: full-width forms, lower case, one dot for all. */
static uint32_t look_of(uint32_t cp)
{
	if (cp >= 0xFF01 && cp <= 0xFF5E)
		cp -= 0xFF01 - '!';
	if (cp >= 'A' && cp <= 'Z')
		return cp | 0x20;
	if (cp == 0x2022 || cp == 0x2027 || cp == 0x2219 || cp == 0x22C5 || cp == 0x30FB)
		return 0xB7;
	return cp == 0x2019 ? '\'' : cp;
}

static void add_look(struct head *head, uint32_t cp)
{
	LOOM_ASSERT(head->n <= HEAD_MAX);
	if (cp < 0x80)
		head->p[head->n++] = (char)cp;
	else
		head->n += loom_utf8_encode(cp, head->p + head->n);
}

/* Reads the head of a line: drops blanks and backslashes before it and invisible characters, and
 * collapses blanks. */
static void read_head(struct loom_str line, struct head *head)
{
	bool blank = false;
	size_t at = 0;

	head->n = head->marks = 0;
	while (at < line.n && head->n < HEAD_MAX) {
		const uint32_t cp = loom_utf8_next(line, &at);

		if (is_blank(cp)) {
			blank = head->n > 0;
		} else if (cp == MARK && !head->n) {
			head->marks++;
		} else if (!is_unseen(cp)) {
			if (blank)
				head->p[head->n++] = ' ';
			blank = false;
			add_look(head, look_of(cp));
		}
	}
	LOOM_ASSERT(head->n <= sizeof head->p);
	head->whole = at >= line.n;
}

struct loom_str loom_body_words(struct loom_str line)
{
	size_t at = 0;
	size_t from = 0;

	while (at < line.n) {
		const uint32_t cp = loom_utf8_next(line, &at);

		if (cp != MARK && !is_blank(cp) && !is_unseen(cp))
			break;
		from = at;
	}
	return loom_str_sub(line, from, line.n);
}

static struct loom_str rest_of(const struct head *head, size_t from)
{
	LOOM_ASSERT(from <= head->n);
	return loom_str_sub(loom_str_make(head->p, head->n), from, head->n);
}

static struct loom_str without_blanks(struct loom_str s)
{
	while (s.n && s.p[s.n - 1] == ' ')
		s.n--;
	while (s.n && s.p[0] == ' ')
		s = loom_str_sub(s, 1, s.n);
	return s;
}

static bool begins(struct loom_str s, struct loom_str what)
{
	return s.n >= what.n && loom_str_eq_fold(loom_str_sub(s, 0, what.n), what);
}

static bool has(struct loom_str s, struct loom_str what)
{
	return loom_str_find(s, what, 0) != SIZE_MAX;
}

/* ---- our lines ---- */

enum how { WHOLE, LEADS, LISTED, FRAMES };

static const struct {
	struct loom_str text;
	enum how how;
	unsigned below;
} sayings[] = {
	{LOOM_STR_INIT(LOOM_RULE), WHOLE, LOOM_BELOW_EDGES},
	{LOOM_STR_INIT(LOOM_FRAME_END), WHOLE, LOOM_BELOW_EDGES},
	{LOOM_STR_INIT(LOOM_SAYS_PINNED), WHOLE, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_PINNED_TEXT), WHOLE, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_RECALLED), WHOLE, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_ACTIONS), WHOLE, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_NOTES), WHOLE, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_MEMORY), WHOLE, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_TRACE), WHOLE, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_TREE), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_POSITION), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_PERMISSIONS), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_STASHED), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_SINCE), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_DONE), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_SEARCH), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_DOC), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_READ_AS), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_SAYS_ROOT), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT("bookmarked"), LISTED, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT("excluded"), LISTED, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT("pruned"), LISTED, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT("tagged \""), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT("newer version ["), LEADS, LOOM_BELOW_HEADERS},
	{LOOM_STR_INIT(LOOM_FRAME_MEMORY), FRAMES, LOOM_BELOW_HEADERS | LOOM_BELOW_HEADINGS},
	{LOOM_STR_INIT(LOOM_FRAME_LOOM), FRAMES, LOOM_BELOW_HEADERS | LOOM_BELOW_HEADINGS},
	{LOOM_STR_INIT(LOOM_FRAME_PRUNED), FRAMES, LOOM_BELOW_HEADERS | LOOM_BELOW_HEADINGS},
	{LOOM_STR_INIT(LOOM_FRAME_THREAD), FRAMES, LOOM_BELOW_HEADERS | LOOM_BELOW_HEADINGS},
	{LOOM_STR_INIT(LOOM_SAYS_BLOCK), LEADS, LOOM_BELOW_HEADERS | LOOM_BELOW_HEADINGS},
	{LOOM_STR_INIT(LOOM_ENDS_BLOCK), LEADS, LOOM_BELOW_HEADERS | LOOM_BELOW_HEADINGS},
	{LOOM_STR_INIT(LOOM_SAYS_NOTE), LEADS, LOOM_BELOW_HEADINGS},
	{LOOM_STR_INIT(LOOM_SAYS_NOTED), LEADS, LOOM_BELOW_NOTE},
	{LOOM_STR_INIT(LOOM_SAYS_LOOM), LEADS, LOOM_BELOW_SENTENCES},
	{LOOM_STR_INIT(LOOM_SAYS_USER), LEADS, LOOM_BELOW_ROLES},
	{LOOM_STR_INIT(LOOM_SAYS_ASSISTANT), LEADS, LOOM_BELOW_ROLES},
	{LOOM_STR_INIT(LOOM_SAYS_TOOL), LEADS, LOOM_BELOW_CALLS},
	{LOOM_STR_INIT(LOOM_SAYS_CALL), LEADS, LOOM_BELOW_CALLS},
	{LOOM_STR_INIT(LOOM_TALK_EDGE), WHOLE, LOOM_BELOW_ROLES},
};

static struct loom_str without_signs(struct loom_str s, char sign)
{
	while (s.n && s.p[0] == sign)
		s = loom_str_sub(s, 1, s.n);
	while (s.n && s.p[s.n - 1] == sign)
		s.n--;
	return without_blanks(s);
}

static bool is_said(const struct head *head, struct loom_str text, enum how how)
{
	const struct loom_str all = rest_of(head, 0);

	switch (how) {
	case WHOLE:
		return head->whole && loom_str_eq_fold(all, text);
	case LEADS:
		return begins(all, without_blanks(text));
	case LISTED:
		return begins(all, text) &&
		       (all.n == text.n ? head->whole
					: begins(loom_str_sub(all, text.n, all.n), DOT));
	case FRAMES:
		break;
	}
	return all.n > 1 && all.p[0] == '=' && all.p[1] == '=' &&
	       begins(without_signs(all, '='), without_signs(text, '='));
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#define NAME_MAX_SHOWN 40 /* of the text in brackets at the head of a line */

/* Recognises a7x2', ann-3, res-4, and a node's full name. */
static bool is_id(struct loom_str s)
{
	bool letters = false;
	bool digits = false;

	if (begins(s, LOOM_STR("ann-")) || begins(s, LOOM_STR("res-")))
		return s.n > 4 && is_digit(s.p[4]);
	for (size_t i = 0; i < s.n; i++) {
		letters = letters || is_letter(s.p[i]);
		digits = digits || is_digit(s.p[i]);
		if (!is_letter(s.p[i]) && !is_digit(s.p[i]) && s.p[i] != '\'')
			return false;
	}
	return letters && digits && s.n > 3;
}

static bool is_word(struct loom_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_letter(s.p[i]) && !is_digit(s.p[i]) && !strchr("'-._", s.p[i]))
			return false;
	return s.n > 0;
}

/* Recognises [a7x2] human · 3m ago, [ann-1] "…", [1] [a7x2] tree:"…" */
static bool is_node(struct loom_str s)
{
	const size_t close = s.n && s.p[0] == '[' ? loom_str_find_char(s, ']', 1) : SIZE_MAX;
	struct loom_str name;

	if (close == SIZE_MAX || close > NAME_MAX_SHOWN)
		return false;
	name = loom_str_sub(s, 1, close - 1);
	if (is_id(name))
		return true;
	s = loom_str_sub(s, close + 1, s.n);
	return is_word(name) && s.n && s.p[0] == ' ' &&
	       (has(s, DOT) || begins(s, LOOM_STR(" [")) || begins(s, LOOM_STR(" tree:\"")) ||
		begins(s, LOOM_STR(" " LOOM_SAYS_DOC)));
}

/* Recognises ### [a7x2] human · 2026-01-02T03:04, ## A branch at [a7x2], ### system; and `# Title`
 * where titles are ours, or where it would read as quoted. */
static bool is_heading(const struct head *head, bool titles)
{
	struct loom_str s = rest_of(head, 0);
	size_t level = 0;

	while (level < s.n && s.p[level] == '#')
		level++;
	if (level == 1 && (s.n == 1 || s.p[1] == ' ') && (titles || head->marks))
		return true;
	s = without_blanks(loom_str_sub(s, level, s.n));
	return level && level <= 6 &&
	       (is_node(s) || begins(s, LOOM_STR(LOOM_SAYS_BRANCH)) ||
		(head->whole && loom_str_is(s, LOOM_SAYS_SYSTEM)));
}

static bool is_verb(struct loom_str word)
{
	static const char *const verbs[] = {
#define LOOM_VERB(id, name, ...) #name,
#include <loom/verbs.def>
#undef LOOM_VERB
	};

	for (size_t i = 0; i < LOOM_COUNT(verbs); i++)
		if (loom_str_is(word, verbs[i]))
			return true;
	return false;
}

static struct loom_str first_word(struct loom_str s)
{
	return loom_str_sub(s, 0, loom_str_find_char(s, ' ', 0));
}

/* Recognises → view a7x2, ✓ created [e6p4], ✗ NOT_FOUND: …, … 3,210 tokens omitted · → view a7x2
 * full */
static bool is_answer(struct loom_str s)
{
	static const struct loom_str arrow = LOOM_STR_INIT("→");
	static const struct loom_str done = LOOM_STR_INIT("✓ ");
	static const struct loom_str refused = LOOM_STR_INIT("✗ ");
	struct loom_str word;

	if (loom_str_starts(s, arrow))
		return is_verb(first_word(without_blanks(loom_str_sub(s, arrow.n, s.n))));
	if (loom_str_starts(s, done)) /* these name what they were done to */
		return has(s, LOOM_STR("[")) || has(s, LOOM_STR("\"")) ||
		       loom_str_starts(s, LOOM_STR("✓ undid:")) ||
		       loom_str_starts(s, LOOM_STR("✓ thought kept"));
	if (loom_str_starts(s, LOOM_STR("… ")))
		return has(s, LOOM_STR(" omitted · →")) || has(s, LOOM_STR(" more · →"));
	if (!loom_str_starts(s, refused))
		return false;
	word = first_word(loom_str_sub(s, refused.n, s.n));
	return loom_str_ends(word, LOOM_STR(":"));
}

static bool is_count_of(struct loom_str s, const struct loom_str *words, size_t count)
{
	size_t at = 0;

	while (at < s.n && (is_digit(s.p[at]) || s.p[at] == ','))
		at++;
	if (!at || at >= s.n || s.p[at] != ' ')
		return false;
	s = loom_str_sub(s, at + 1, s.n);
	for (size_t i = 0; i < count; i++)
		if (begins(s, words[i]) &&
		    (s.n == words[i].n ||
		     loom_str_eq(loom_str_sub(s, words[i].n, s.n), LOOM_STR("s"))))
			return true;
	return false;
}

/* Recognises 3 continuations · 1 annotation · bookmarked, 47 nodes · 6 branches · depth: 12 */
static bool is_counts(const struct head *head)
{
	static const struct loom_str ties[] = {LOOM_STR_INIT("continuation"),
					       LOOM_STR_INIT("annotation"), LOOM_STR_INIT("link")};
	static const struct loom_str nodes[] = {LOOM_STR_INIT("node")};
	const struct loom_str all = rest_of(head, 0);
	const size_t dot = loom_str_find(all, DOT, 0);
	const struct loom_str first = loom_str_sub(all, 0, dot);

	if (dot == SIZE_MAX)
		return head->whole && is_count_of(first, ties, LOOM_COUNT(ties));
	return is_count_of(first, ties, LOOM_COUNT(ties)) ||
	       is_count_of(first, nodes, LOOM_COUNT(nodes));
}

/* Recognises ── path · user · 16 tokens */
static bool is_part(struct loom_str s)
{
	const struct loom_str lead = without_blanks(LOOM_STR(LOOM_SAYS_PART));

	if (!loom_str_starts(s, lead))
		return false;
	s = first_word(without_blanks(loom_str_sub(s, lead.n, s.n)));
	for (int part = 0; part < LOOM_PARTS; part++)
		if (loom_str_is(s, loom_part_name((enum loom_part)part)))
			return true;
	return false;
}

/* ---- one line ---- */

static bool is_ours(const struct head *head, unsigned below)
{
	const struct loom_str all = rest_of(head, 0);

	LOOM_ASSERT(head->n > 0);
	for (size_t i = 0; i < LOOM_COUNT(sayings); i++)
		if ((sayings[i].below & below) && is_said(head, sayings[i].text, sayings[i].how))
			return true;
	if ((below & (LOOM_BELOW_HEADERS | LOOM_BELOW_HEADINGS)) && is_node(all))
		return true;
	if ((below & LOOM_BELOW_HEADERS) &&
	    (is_answer(all) || is_counts(head) || has(all, LOOM_STR(LOOM_SAYS_ACTIVE))))
		return true;
	return ((below & LOOM_BELOW_HEADINGS) && is_heading(head, below & LOOM_BELOW_TITLES)) ||
	       ((below & LOOM_BELOW_PARTS) && is_part(all));
}

/* Returns whether a line that begins with these two bytes may be one of ours; quickly rules out
 * most lines. */
static bool may_begin(const char *p)
{
	for (size_t i = 0; i < LOOM_COUNT(sayings); i++)
		if ((sayings[i].text.p[0] | 0x20) == (p[0] | 0x20) &&
		    (sayings[i].text.p[1] | 0x20) == (p[1] | 0x20))
			return true;
	return false;
}

static bool is_prose(struct loom_str line)
{
	return line.n > 1 && is_letter((char)(line.p[0] | 0x20)) && line.p[1] >= ' ' &&
	       line.p[1] < 0x7F && !may_begin(line.p) && !memchr(line.p, '[', line.n);
}

/* Returns whether the line looks like one of ours, quoted or not. */
static bool body_ours(struct loom_str line, unsigned below)
{
	struct head head;

	if (!line.n || is_prose(line))
		return false;
	read_head(line, &head);
	return head.n && is_ours(&head, below);
}

/* ---- fences ---- */

static bool is_word_sign(char c)
{
	return c > ' ' && c < 0x7F;
}

/* Returns how many signs open or close a code fence there; 0 if none do. */
static size_t fence_run(struct loom_str line, char *sign)
{
	size_t at = 0;
	size_t from = 0;

	while (at < line.n && at < 4 && line.p[at] == ' ')
		at++;
	*sign = at < line.n ? line.p[at] : '\0';
	if (at == 4 || (*sign != '`' && *sign != '~'))
		return 0;
	for (from = at; at < line.n && line.p[at] == *sign;)
		at++;
	return at - from < 3 ? 0 : at - from;
}

/* Returns the text after a fence's signs. */
static struct loom_str fence_rest(struct loom_str line, char sign)
{
	size_t at = loom_str_find_char(line, sign, 0);

	while (at < line.n && line.p[at] == sign)
		at++;
	return loom_str_trim(loom_str_sub(line, at, line.n));
}

/* Returns where a code block begins that the text leaves open, which would swallow what follows;
 * SIZE_MAX if there is none. A fence that only some readers accept does not close it. */
static size_t open_code(struct loom_str text)
{
	struct loom_str rest = text;
	struct loom_str line;
	size_t open = SIZE_MAX;
	size_t length = 0;
	char sign = '\0';

	while (loom_str_line(&rest, &line)) {
		char this = '\0';
		const size_t run = fence_run(line, &this);
		const struct loom_str behind = run ? fence_rest(line, this) : line;

		if (run && open == SIZE_MAX) {
			if (this == '`' && loom_str_find_char(behind, '`', 0) != SIZE_MAX)
				continue;
			open = (size_t)(line.p - text.p);
			length = run;
			sign = this;
		} else if (run >= length && this == sign && !behind.n) {
			open = SIZE_MAX;
		} else if (run >= length && this == sign && !is_word_sign(behind.p[0])) {
			return open;
		}
	}
	return open;
}

/* Recognises a fence, possibly after backslashes. */
static bool is_fence(struct loom_str line, bool *out_quoted)
{
	char sign = '\0';

	*out_quoted = line.n && line.p[0] == MARK;
	while (line.n && line.p[0] == MARK)
		line = loom_str_sub(line, 1, line.n);
	return fence_run(line, &sign) > 0;
}

/* ---- texts ---- */

struct reading {
	struct lines lines;
	unsigned below;
	size_t open; /* no fence is allowed from here on */
};

static struct reading read_text(struct loom_str text, unsigned below)
{
	return (struct reading){.lines = {.text = text},
				.below = below,
				.open = below & LOOM_BELOW_HEADINGS ? open_code(text) : SIZE_MAX};
}

/* Returns whether the current line must be quoted. */
static bool wants_mark(const struct reading *reading)
{
	const struct loom_str line = reading->lines.line;
	bool quoted = false;

	if (body_ours(line, reading->below))
		return true;
	return (reading->below & LOOM_BELOW_HEADINGS) && is_fence(line, &quoted) &&
	       (quoted || (size_t)(line.p - reading->lines.text.p) >= reading->open);
}

bool loom_body_any_ours(struct loom_str text, unsigned below)
{
	struct reading reading = read_text(text, below);

	while (next_line(&reading.lines))
		if (wants_mark(&reading))
			return true;
	return false;
}

static size_t add_marked(struct loom_buf *out, struct loom_str text, unsigned below, bool inside)
{
	struct reading reading = read_text(text, below);
	size_t kept = 0;
	size_t marks = 0;

	while (next_line(&reading.lines)) {
		const size_t at = (size_t)(reading.lines.line.p - text.p);

		if (inside || !wants_mark(&reading)) {
			inside = false;
			continue;
		}
		loom_buf_add(out, loom_str_sub(text, kept, at - kept));
		loom_buf_addc(out, MARK);
		LOOM_ASSERT(at >= kept);
		kept = at;
		marks++;
	}
	loom_buf_add(out, loom_str_sub(text, kept, text.n));
	return marks;
}

size_t loom_body_add(struct loom_buf *out, struct loom_str text, unsigned below)
{
	return add_marked(out, text, below, false);
}

size_t loom_body_add_inside(struct loom_buf *out, struct loom_str text, unsigned below)
{
	return add_marked(out, text, below, true);
}

struct loom_str loom_body_plain(struct loom_str text, unsigned below, struct loom_arena *arena)
{
	struct reading reading = read_text(text, below);
	struct loom_buf plain = LOOM_BUF_INIT(text.n + 1);
	struct loom_str out = text;
	size_t kept = 0;

	while (next_line(&reading.lines)) {
		const struct loom_str line = reading.lines.line;
		const size_t at = (size_t)(line.p - text.p);

		if (!line.n || line.p[0] != MARK || !wants_mark(&reading))
			continue;
		loom_buf_add(&plain, loom_str_sub(text, kept, at - kept));
		LOOM_ASSERT(at >= kept);
		kept = at + 1;
	}
	if (kept) {
		loom_buf_add(&plain, loom_str_sub(text, kept, text.n));
		out = loom_arena_buf(arena, &plain);
	}
	LOOM_ASSERT(out.n <= text.n);
	loom_buf_fini(&plain);
	return out;
}

/* ---- one line of ours ---- */
