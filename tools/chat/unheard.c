/* Finds what was meant as a call and is none. The scanner says where each line of prose stands;
 * what is looked for is a call that parses, in any dress. Whether it was meant or is shown to a
 * person depends on what leads to it: "I'll look:" does it, "you can type:" explains it. */
#include <loom/chat/unheard.h>

#include <ctype.h>

#include <loom/base/utf8.h>
#include <loom/language/registry.h>
#include <loom/language/scan_lines.h>

#include "inside.h"

/* More are counted, not named. */
#define SAID_MAX 8
/* Of a call in another shape, and of a list above what is looked at. */
#define LINES_MAX 64
/* Of what leads to a call, and of a call within a line. */
#define WORDS_MAX         300
#define CALLS_IN_LINE_MAX 8

struct line {
	struct loom_str text; /* without its line end */
	size_t begin;
	size_t end;
	int64_t number;
	enum loom_region region;
	bool lost;
	bool meant; /* it was found to be a call, or part of one */
};
struct finder {
	struct loom_arena *arena;
	struct line *lines;
	size_t count;
	size_t cap;
	struct loom_str prose;
	struct chat_unheard *out;
};

/* ---- lines ---- */

static void add_lines(struct finder *finder, const struct loom_turn_prose *piece)
{
	struct loom_str rest = loom_str_sub(finder->prose, piece->begin, piece->end - piece->begin);
	int64_t number = piece->line;
	struct loom_str text;

	while (rest.n && loom_str_line(&rest, &text)) {
		const size_t begin = (size_t)(text.p - finder->prose.p);
		const size_t feed = begin + text.n < finder->prose.n;

		finder->lines = loom_arena_grow(finder->arena, finder->lines, finder->count,
						&finder->cap, sizeof *finder->lines);
		finder->lines[finder->count++] = (struct line){.text = text,
							       .begin = begin,
							       .end = begin + text.n + feed,
							       .number = number++,
							       .region = piece->region,
							       .lost = piece->lost};
	}
}

/* ---- dress ---- */

/* Takes off a sign that stands on both sides of a text. */
static bool peel(struct loom_str *text, bool brackets)
{
	static const char *const pairs[][2] = {{"*", "*"}, {"_", "_"}, {"`", "`"}, {"\"", "\""},
					       {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"(", ")"},
					       {"[", "]"}, {"|", "|"}, {"«", "»"}, {"~", "~"}};

	*text = lang_trim(*text);
	for (size_t i = 0; i < LOOM_COUNT(pairs); i++) {
		const struct loom_str open = loom_str_of(pairs[i][0]);
		const struct loom_str close = loom_str_of(pairs[i][1]);

		if (text->n < open.n + close.n || !loom_str_starts(*text, open) ||
		    (open.p[0] == '[' && !brackets))
			continue;
		if (loom_str_ends(*text, close)) {
			*text = loom_str_sub(*text, open.n, text->n - open.n - close.n);
			return true;
		}
		if (text->n > 1 && lang_is_closing(text->p[text->n - 1]) &&
		    loom_str_ends(loom_str_sub(*text, 0, text->n - 1), close)) {
			*text = loom_str_sub(*text, open.n, text->n - open.n - close.n - 1);
			return true;
		}
	}
	return false;
}

/* Returns the length of an arrow of any kind at the beginning, with its blanks, or 0. The signs
 * that are no arrows elsewhere count at the beginning of a line only. */
static size_t arrow(struct loom_str text, bool begins)
{
	static const char *const arrows[] = {"→",
					     "—>",
					     "–>",
					     "U+2192",
					     "⇢",
					     "--->",
					     "-->",
					     "->",
					     "==>",
					     "=>",
					     "⇒",
					     "➔",
					     "➜",
					     "➝",
					     "➞",
					     "➡",
					     "⟶",
					     "⟹",
					     "⇨",
					     "⭢",
					     "🡒",
					     "🠒",
					     "￫",
					     "↦",
					     "⮕",
					     "▶",
					     "►",
					     "▸",
					     "&rarr;",
					     "$\\rightarrow$",
					     "$\\to$",
					     "\\rightarrow",
					     ":arrow_right:",
					     "`→`",
					     "~>",
					     "↪",
					     "➤",
					     "⟼",
					     "⇾",
					     "↳",
					     "⤷",
					     NULL};
	static const char *const signs[] = {"»", "›", ">>", ">", "/", "!", "@loom", "@", "$", NULL};
	const char *const *lists[] = {arrows, begins ? signs : NULL};

	for (size_t l = 0; l < LOOM_COUNT(lists); l++)
		for (const char *const *one = lists[l]; one && *one; one++) {
			size_t n = strlen(*one);

			if (!loom_str_starts(text, loom_str_of(*one)))
				continue;
			n += lang_selector(text, n);
			return n + lang_blanks(text, n);
		}
	return 0;
}

/* Returns the length of a sign at the beginning that is no letter and no arrow: ✅, 🔧, …, a
 * backslash. */
static size_t sign_of(struct loom_str text)
{
	size_t at = 0;
	uint32_t cp = text.n ? loom_utf8_next(text, &at) : 0;
	const bool sign = cp == '\\' || cp == 0x2026 || (cp >= 0x2300 && cp < 0x2E80) ||
			  (cp >= 0xFE00 && cp < 0xFE10) || (cp >= 0x1F000 && cp < 0x20000);

	return sign && !arrow(text, true) ? at : 0;
}

/* Length of a letter or a few that number a line before an arrow: `a. →`, `ii) →`; and of what
 * somebody is said to do: `*calls* →`. */
static size_t numbered(struct loom_str text)
{
	size_t n = 0;

	if (loom_str_starts(text, LOOM_STR("*")))
		n = loom_str_find_char(loom_str_sub(text, 0, 24), '*', 1);
	else
		while (n < 4 && n < text.n && isalpha((unsigned char)text.p[n]))
			n++;
	if (!n || n >= text.n || !strchr(".)*", text.p[n]))
		return 0;
	n += 1 + lang_blanks(text, n + 1);
	return arrow(loom_str_sub(text, n, text.n), false) ? n : 0;
}

/* The last cell of a table's row when it begins with an arrow; the text itself otherwise. */
static struct loom_str last_cell(struct loom_str text)
{
	for (size_t at = text.n; at; at--)
		if (text.p[at - 1] == '|') {
			const struct loom_str cell = lang_trim(loom_str_sub(text, at, text.n));

			return arrow(cell, false) ? cell : text;
		}
	return text;
}

/* Takes off what a line may begin with, and what is around all of it. */
static struct loom_str undress(struct loom_str text, enum loom_region region, bool brackets)
{
	size_t n = 0;

	for (;;) {
		text = lang_trim(text);
		if (peel(&text, brackets))
			continue;
		if (region == LOOM_REGION_QUOTE && loom_str_starts(text, LOOM_STR(">")))
			text = loom_str_sub(text, 1, text.n);
		else if (loom_str_starts(text, LOOM_STR("#")))
			text = loom_str_sub(text, 1, text.n);
		else if ((n = lang_bullet(text)) > 0 || (n = sign_of(text)) > 0 ||
			 (n = numbered(text)) > 0)
			text = loom_str_sub(text, n, text.n);
		else
			return text;
	}
}

static bool is_one_of(struct loom_str word, const char *const *list)
{
	for (; *list; list++)
		if (loom_str_eq_fold(word, loom_str_of(*list)))
			return true;
	return false;
}

/* Returns the length of a label before a call: "Action:", "**Tool call:**", "Now". *out_names: it
 * says that a call follows, so that this needs no arrow. */
static size_t label(struct loom_str text, bool *out_names)
{
	static const char *const names[] = {"action",   "tool",      "tool call", "tool_call",
					    "call",     "command",   "function",  "function call",
					    "run",      "execute",   "invoke",    "cmd",
					    "tool use", "loom",      "calling",   "calling tool",
					    "running",  "executing", "invoking",  "tool calls",
					    "calls",    "using",     NULL};
	static const char *const words[] = {"first",  "second", "third",   "then",    "next", "now",
					    "so",     "okay",   "ok",      "finally", "also", "and",
					    "lastly", "step",   "alright", "sure",    NULL};
	size_t end = 0;
	struct loom_str word;

	*out_names = false;
	if (loom_str_starts(text, LOOM_STR("["))) {
		end = loom_str_find_char(loom_str_sub(text, 0, 24), ']', 0);
		*out_names = end != SIZE_MAX && is_one_of(loom_str_sub(text, 1, end - 1), names);
		return *out_names ? end + 1 + lang_blanks(text, end + 1) : 0;
	}
	while (end < text.n && end < 24 && text.p[end] != ':' && text.p[end] != ')' &&
	       text.p[end] != ',' && !arrow(loom_str_sub(text, end, text.n), false))
		end++;
	if (end == 24 || end >= text.n)
		return 0;
	word = loom_str_sub(text, 0, end);
	while (word.n && (word.p[0] == '*' || word.p[0] == '_' || word.p[0] == '('))
		word = loom_str_sub(word, 1, word.n);
	word = lang_trim(word);
	while (word.n && (isdigit((unsigned char)word.p[word.n - 1]) || word.p[word.n - 1] == ' '))
		word.n--;
	if (text.p[end] != ':' && text.p[end] != ')')
		return is_one_of(word, words) || loom_str_starts(word, LOOM_STR("Step "))
			       ? end + (text.p[end] == ',')
			       : 0;
	*out_names = text.p[end] == ':' && is_one_of(word, names);
	for (end++; end < text.n && (text.p[end] == '*' || text.p[end] == '_'); end++)
		;
	return end + lang_blanks(text, end);
}

/* ---- calls ---- */

/* Whether the words name something: an id, a text, a document. */
static bool is_about_something(const struct loom_call *call)
{
	return call->id.p || call->from.p || call->branch.p || call->content.p || call->label.p ||
	       call->doc.p || call->query.p || call->pin.node.p || call->pin.doc.p ||
	       call->stash.p || call->recall.p;
}

/* Reads a text as a call; *out is the line that works, with its arrow. */
static bool reads(struct finder *finder, struct loom_str text, bool has_arrow, struct loom_str *out)
{
	struct loom_refusal refusal;
	struct loom_call call;
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool good = text.n <= LOOM_SCAN_LINE_MAX &&
		    loom_parse_line(finder->arena, text, &call, &refusal) == LOOM_OK &&
		    call.verb != LOOM_VERB_THINK && (has_arrow || is_about_something(&call));

	if (good) {
		loom_buf_adds(&line, LANG_ARROW " ");
		loom_call_print(&call, &line);
		*out = loom_arena_buf(finder->arena, &line);
	}
	loom_buf_fini(&line);
	return good;
}

static bool has_digit(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] >= '0' && text.p[i] <= '9')
			return true;
	return false;
}

/* Reads a line that begins with an arrow. One that names a command and a node, and cannot be
 * understood, is told what its refusal would say. */
static bool reads_line(struct finder *finder, struct loom_str text, struct loom_str *out)
{
	struct loom_refusal refusal;
	struct loom_call call;
	size_t at = 0;

	if (reads(finder, text, true, out))
		return true;
	if (text.n > LOOM_SCAN_LINE_MAX ||
	    loom_parse_line(finder->arena, text, &call, &refusal) == LOOM_OK ||
	    refusal.verb == LOOM_VERB_NONE || !has_digit(text))
		return false;
	at = loom_str_find(refusal.hint, LOOM_STR(LANG_ARROW), 0);
	*out = loom_str_sub(refusal.hint, at == SIZE_MAX ? refusal.hint.n : at, refusal.hint.n);
	return out->n > 0;
}

/* Reads a function or JSON that is the whole text. */
static bool reads_foreign(struct finder *finder, struct loom_str text, struct loom_str *out)
{
	struct chat_foreign calls;

	if (!chat_foreign_read(text, finder->arena, &calls) || calls.bytes < text.n)
		return false;
	*out = loom_arena_format(finder->arena, LANG_ARROW " %.*s", LOOM_STR_ARG(calls.lines[0]));
	return true;
}

/* Reads a whole line as a call in some dress. */
static bool reads_dressed(struct finder *finder, const struct line *line, struct loom_str *out)
{
	struct loom_str text = last_cell(undress(line->text, line->region, true));
	const bool alone = !lang_bullet(lang_trim(line->text));
	bool names = false;
	bool labelled = false;
	size_t n = 0;

	for (;;) {
		bool pointed = false;

		while ((n = arrow(text, true)) > 0) {
			pointed = true;
			text = undress(loom_str_sub(text, n, text.n), LOOM_REGION_PLAIN, true);
		}
		if (pointed)
			return labelled ? reads(finder, text, true, out)
					: reads_line(finder, text, out);
		n = label(text, &names);
		if (!n)
			break;
		labelled = true;
		text = undress(loom_str_sub(text, n, text.n), LOOM_REGION_PLAIN, true);
		if (names && (reads(finder, text, false, out) || reads_foreign(finder, text, out)))
			return true;
	}
	return alone && !labelled && text.n && text.p[0] >= 'a' && text.p[0] <= 'z' &&
	       text.n < 200 && !loom_str_ends(text, LOOM_STR("?")) &&
	       reads(finder, text, false, out);
}

/* ---- meaning it, or explaining it ---- */

/* Judges what leads to a call: what is said last counts. */
static enum chat_sense sense_of(struct loom_str lead)
{
	if (lead.n > WORDS_MAX)
		lead = loom_str_sub(lead, lead.n - WORDS_MAX, lead.n);
	return chat_sense_of(lead, undress(lead, LOOM_REGION_PLAIN, true));
}

/* Returns the last sentence of a text. */
static struct loom_str last_sentence(struct loom_str text)
{
	if (text.n > WORDS_MAX)
		text = loom_str_sub(text, text.n - WORDS_MAX, text.n);
	text = lang_trim(text);
	for (size_t at = text.n; at > 1; at--)
		if (at < text.n && lang_blank(text, at) && strchr(".!?", text.p[at - 1]))
			return loom_str_sub(text, at + 1, text.n);
	return text;
}

/* Returns what leads to a line: the last sentence above it, past its list. */
static struct loom_str lead_of(const struct finder *finder, size_t at)
{
	const bool listed = lang_bullet(lang_trim(finder->lines[at].text)) > 0;

	for (size_t back = 0; back < LINES_MAX && at-- > 0; back++) {
		const struct line *line = &finder->lines[at];
		struct loom_str text = lang_trim(line->text);

		if (text.n && !line->meant && line->region == LOOM_REGION_PLAIN &&
		    !(listed && lang_bullet(text)))
			return last_sentence(text);
	}
	return LOOM_STR("");
}

/* Whether what follows a call says what it does. */
static bool explained_behind(const struct finder *finder, size_t behind)
{
	while (behind < finder->count && !lang_trim(finder->lines[behind].text).n)
		behind++;
	return behind < finder->count && chat_sense_behind(finder->lines[behind].text);
}

static bool is_meant(const struct finder *finder, size_t from, size_t to)
{
	const enum chat_sense sense = sense_of(lead_of(finder, from));

	return sense == CHAT_MEANS || (sense == CHAT_UNCLEAR && !explained_behind(finder, to));
}

/* ---- finding ---- */

static void found(struct finder *finder, size_t begin, size_t end, int64_t line,
		  struct loom_str works)
{
	struct chat_unheard *out = finder->out;

	out->items = loom_arena_grow(finder->arena, out->items, out->count, &out->cap,
				     sizeof *out->items);
	out->items[out->count++] = (struct chat_unheard_one){begin, end, line, works};
}

/* Notes the lines from..to as meant, with what works instead of them. */
static void found_lines(struct finder *finder, size_t from, size_t to, struct loom_str works)
{
	const struct line *lines = finder->lines;

	found(finder, lines[from].begin, lines[to - 1].end, lines[from].number, works);
	for (size_t i = from; i < to; i++)
		finder->lines[i].meant = true;
}

/* Whether nothing but signs follows to the end of a line. */
static bool is_end(struct loom_str rest)
{
	for (size_t at = 0; at < rest.n; at++)
		if (isalnum((unsigned char)rest.p[at]) || (unsigned char)rest.p[at] >= 0x80)
			return false;
	return true;
}

/* Reads calls of another shape that begin in line `from`; returns how many lines they take. */
static size_t foreign_lines(struct finder *finder, size_t from, size_t to)
{
	const struct loom_str whole = finder->lines[from].text;
	const struct loom_str begins = undress(whole, finder->lines[from].region, false);
	const size_t skip = begins.n ? (size_t)(begins.p - whole.p) : 0;
	struct chat_foreign calls;
	size_t begin = finder->lines[from].begin + skip;
	size_t end = from;

	if (!begins.n || !chat_foreign_read(loom_str_sub(finder->prose, begin,
							 finder->lines[to - 1].end - begin),
					    finder->arena, &calls))
		return 0;
	while (end < to && finder->lines[end].begin < begin + calls.bytes)
		end++;
	/* What goes on behind it is a sentence about it. */
	if (!is_end(loom_str_sub(finder->prose, begin + calls.bytes,
				 finder->lines[end - 1].end - begin - calls.bytes)))
		return 0;
	if (!is_meant(finder, from, end))
		return end - from;
	for (size_t i = 0; i < calls.count; i++) {
		const struct loom_str works = loom_arena_format(finder->arena, LANG_ARROW " %.*s",
								LOOM_STR_ARG(calls.lines[i]));

		if (i == 0)
			found_lines(finder, from, end, works);
		else
			found(finder, finder->lines[end - 1].end, finder->lines[end - 1].end,
			      finder->lines[from].number, works);
	}
	return end - from;
}

/* A block of lines that are shown as they are: a fence, indented or quoted lines. It is meant when
 * it holds calls and nothing else. */
static void block(struct finder *finder, size_t from, size_t to)
{
	const bool fence = finder->lines[from].region == LOOM_REGION_FENCE;
	const size_t begin = from + fence;
	const bool closed = fence && to - from > 1 &&
			    strchr("`~", *(lang_trim(finder->lines[to - 1].text).n
						   ? lang_trim(finder->lines[to - 1].text).p
						   : "x"));
	const size_t end = to - closed;
	const size_t before = finder->out->count;
	bool only = begin < end;

	if (begin < end && foreign_lines(finder, begin, end)) {
		for (size_t i = from; i < to && finder->out->count > before; i++)
			finder->lines[i].meant = true;
	} else if (is_meant(finder, from, to)) {
		for (size_t i = begin; i < end && only; i++) {
			struct loom_str text = lang_trim(finder->lines[i].text);
			struct loom_str works;

			if (!text.n || (fence && text.p[0] == '#'))
				continue;
			only = reads_dressed(finder, &finder->lines[i], &works);
			if (only)
				found(finder, finder->lines[i].begin, finder->lines[i].end,
				      finder->lines[i].number, works);
		}
		if (!only)
			finder->out->count = before;
	}
	if (finder->out->count == before)
		return;
	/* All of the block goes, with its fence. */
	finder->out->items[before].begin = finder->lines[from].begin;
	for (size_t i = before; i < finder->out->count; i++) {
		if (i > before)
			finder->out->items[i].begin = finder->lines[to - 1].end;
		finder->out->items[i].end = finder->lines[to - 1].end;
	}
}

/* Where a call within a line begins, with the backtick before its arrow; SIZE_MAX: nowhere. In code
 * it may stand without one. */
static size_t arrow_within(struct loom_str text, size_t from)
{
	for (size_t at = from; at < text.n; at++)
		if (text.p[at] == '`' && at + 1 < text.n && text.p[at + 1] >= 'a' &&
		    text.p[at + 1] <= 'z' && loom_str_find_char(text, '`', at + 1) != SIZE_MAX)
			return at;
		else if ((unsigned char)text.p[at] != ' ' &&
			 arrow(loom_str_sub(text, at, text.n), false))
			return at && text.p[at - 1] == '`' ? at - 1 : at;
	return SIZE_MAX;
}

/* Reads a call from the arrow on: the code it stands in, or as many words as make one. */
static size_t reads_within(struct finder *finder, struct loom_str text, struct loom_str *out)
{
	const bool code = text.p[0] == '`';
	const size_t close = code ? loom_str_find_char(text, '`', 1) : SIZE_MAX;
	const size_t skip = code + arrow(loom_str_sub(text, code, text.n), false);
	size_t end = close == SIZE_MAX ? text.n : close;

	if (code && close != SIZE_MAX)
		return reads(finder, loom_str_sub(text, skip, end - skip), skip > code, out)
			       ? end + 1
			       : 0;
	for (; end > skip; end--)
		if ((end == text.n || text.p[end] == ' ') &&
		    reads(finder, loom_str_sub(text, skip, end - skip), true, out))
			return end;
	return 0;
}

/* A call in the middle of a sentence is meant when the sentence says so. */
static void within(struct finder *finder, const struct line *line)
{
	const struct loom_str text = line->text;
	size_t at = 0;

	for (size_t i = 0; i < CALLS_IN_LINE_MAX && (at = arrow_within(text, at)) != SIZE_MAX;
	     i++) {
		struct loom_str rest = loom_str_sub(text, at, WORDS_MAX);
		struct loom_str works;
		size_t n = 0;

		if (sense_of(last_sentence(loom_str_sub(text, 0, at))) == CHAT_MEANS &&
		    !loom_str_ends(lang_trim(text), LOOM_STR("?")))
			n = reads_within(finder, rest, &works);
		if (n && sense_of(loom_str_sub(rest, n, rest.n)) == CHAT_EXPLAINS)
			n = 0;
		if (n)
			found(finder, line->begin + at, line->begin + at + n, line->number, works);
		at += n ? n
			: arrow(loom_str_sub(rest, rest.p[0] == '`', rest.n), false) +
				      (rest.p[0] == '`');
	}
}

/* "Action: view" with its argument on the next line. */
static bool two_lines(struct finder *finder, size_t at)
{
	static const char *const inputs[] = {"action input", "input", "arguments",
					     "parameters",   "args",  NULL};
	bool names = false;
	struct loom_str first = lang_trim(finder->lines[at].text);
	struct loom_str second;
	struct loom_str works = LOOM_STR("");
	struct chat_foreign calls;
	size_t n = label(first, &names);
	size_t colon = 0;

	if (!names || at + 1 >= finder->count)
		return false;
	first = undress(loom_str_sub(first, n, first.n), LOOM_REGION_PLAIN, true);
	second = undress(finder->lines[at + 1].text, LOOM_REGION_PLAIN, true);
	while (second.n && second.p[0] == '*')
		second = loom_str_sub(second, 1, second.n);
	colon = loom_str_find_char(second, ':', 0);
	if (colon == SIZE_MAX || loom_verb_find(first) == LOOM_VERB_NONE ||
	    !is_one_of(loom_str_sub(second, 0, colon), inputs))
		return false;
	for (colon++; colon < second.n && second.p[colon] == '*'; colon++)
		;
	second = undress(loom_str_sub(second, colon, second.n), LOOM_REGION_PLAIN, true);
	if (chat_foreign_read(loom_arena_format(finder->arena,
						"{\"name\":\"%.*s\",\"arguments\":%.*s}",
						LOOM_STR_ARG(first), LOOM_STR_ARG(second)),
			      finder->arena, &calls))
		works = loom_arena_format(finder->arena, LANG_ARROW " %.*s",
					  LOOM_STR_ARG(calls.lines[0]));
	else if (!reads(finder,
			loom_arena_format(finder->arena, "%.*s %.*s", LOOM_STR_ARG(first),
					  LOOM_STR_ARG(second)),
			false, &works))
		return false;
	if (is_meant(finder, at, at + 2))
		found_lines(finder, at, at + 2, works);
	return true;
}

/* Handles a line of prose, and those below that belong to it; returns how many. */
static size_t plain(struct finder *finder, size_t at)
{
	const struct line *line = &finder->lines[at];
	const bool listed = lang_bullet(lang_trim(line->text)) > 0;
	struct loom_str works;
	size_t to = at;
	size_t n = 0;

	/* Some shapes have a fence among their elements. */
	while (to < finder->count && to - at < LINES_MAX &&
	       (finder->lines[to].region == LOOM_REGION_PLAIN ||
		(lang_trim(line->text).n && lang_trim(line->text).p[0] == '<')))
		to++;
	n = foreign_lines(finder, at, to);
	if (n)
		return n;
	if (two_lines(finder, at))
		return 2;
	if (!reads_dressed(finder, line, &works)) {
		within(finder, line);
		return 1;
	}
	/* In a list, what stands behind a dash says what the call does. */
	if (is_meant(finder, at, at + 1) &&
	    !(listed && sense_of(lead_of(finder, at)) != CHAT_MEANS &&
	      (loom_str_find(line->text, LOOM_STR(" — "), 0) != SIZE_MAX ||
	       loom_str_find(line->text, LOOM_STR(" – "), 0) != SIZE_MAX ||
	       loom_str_find(line->text, LOOM_STR(" - "), 0) != SIZE_MAX)) &&
	    !loom_str_ends(lang_trim(line->text), LOOM_STR("?")))
		found_lines(finder, at, at + 1, works);
	return 1;
}

/* A line that would have run, had nothing been open above it. */
static void swallowed(struct finder *finder, size_t at)
{
	const struct loom_str text = lang_trim(finder->lines[at].text);
	const size_t n = lang_arrow(text);
	struct loom_str works;

	if (n && reads_line(finder, loom_str_sub(text, n, text.n), &works))
		found_lines(finder, at, at + 1, works);
}

static void find_all(struct finder *finder)
{
	size_t next = 0;

	for (size_t at = 0; at < finder->count; at = next) {
		const enum loom_region region = finder->lines[at].region;

		next = at + 1;
		if (region == LOOM_REGION_PLAIN) {
			next = at + plain(finder, at);
			continue;
		}
		if (region == LOOM_REGION_INSIDE || region == LOOM_REGION_LAZY) {
			if (region == LOOM_REGION_LAZY || finder->lines[at].lost)
				swallowed(finder, at);
			continue;
		}
		while (next < finder->count && finder->lines[next].region == region)
			next++;
		block(finder, at, next);
	}
}

static void find_native(struct finder *finder, struct loom_str native)
{
	struct chat_foreign calls;

	if (!native.n)
		return;
	(void)chat_foreign_read(native, finder->arena, &calls);
	for (size_t i = 0; i < calls.count; i++)
		found(finder, finder->prose.n, finder->prose.n, 0,
		      loom_arena_format(finder->arena, LANG_ARROW " %.*s",
					LOOM_STR_ARG(calls.lines[i])));
	if (!calls.count)
		found(finder, finder->prose.n, finder->prose.n, 0, LOOM_STR(LANG_ARROW " help"));
}

void chat_unheard_find(const struct loom_turn *turn, struct loom_str native,
		       struct loom_arena *arena, struct chat_unheard *out)
{
	struct finder finder = {.arena = arena, .prose = loom_buf_str(&turn->prose), .out = out};

	*out = (struct chat_unheard){.count = 0};
	for (size_t i = 0; i < turn->piece_count; i++)
		add_lines(&finder, &turn->pieces[i]);
	find_all(&finder);
	find_native(&finder, native);
}

/* ---- telling ---- */

void chat_unheard_say(const struct chat_unheard *unheard, const char *before, struct loom_buf *out)
{
	const struct chat_unheard_one *first = &unheard->items[0];

	LOOM_ASSERT(unheard->count > 0);
	loom_buf_adds(out, "✗ INVALID_SYNTAX: ");
	if (unheard->count > 1)
		loom_buf_addf(out, "%zu calls were not run: ", unheard->count);
	else if (first->line)
		loom_buf_addf(out, "line %lld was not run: ", (long long)first->line);
	else
		loom_buf_adds(out, "a tool call was not run: ");
	loom_buf_adds(out,
		      first->line
			      ? "a call begins its line with " LANG_ARROW
				" and has the line to itself"
			      : "here a call is a line of the text that begins with " LANG_ARROW);
	for (size_t i = 0; i < unheard->count && i < SAID_MAX; i++)
		loom_buf_addf(out, "%s%.*s", before, LOOM_STR_ARG(unheard->items[i].works));
}

void chat_unheard_cut(const struct chat_unheard *unheard, struct loom_str prose,
		      struct loom_buf *out)
{
	size_t at = 0;

	for (size_t i = 0; i < unheard->count; i++) {
		const struct chat_unheard_one *one = &unheard->items[i];

		if (one->begin > at)
			loom_buf_add(out, loom_str_sub(prose, at, one->begin - at));
		if (one->end > at)
			at = one->end;
	}
	loom_buf_add(out, loom_str_sub(prose, at, prose.n));
}
