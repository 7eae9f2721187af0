/* Recognises a line of a transcript that is the header of a turn. Invariants: pure functions of one
 * line, linear in it; a header contains nothing but a known name, a time and the signs of its form.
 * Which form a text uses is decided in pasted_turns.c. */
#include <loom/language/pasted_line.h>

#include <loom/text/quoting.h>

/* No name with its time is longer. */
#define HEADER_MAX  160
#define MODEL_WORDS 4

enum {
	ANYWHERE = 0,
	SIGNED = 1, /* too common a word to count before a colon or alone */
	FAMILY = 2, /* a version may follow: GPT-4o, Claude 3.5 Sonnet */
	ROLE = 4,   /* a speaker's name in files, no header by itself */
	ALONE = 8,  /* at the head of a text one turn is enough, without an answer */
};

static const struct label {
	struct loom_str text;
	enum loom_speaker speaker;
	int flags;
} labels[] = {
	{LOOM_STR_INIT("human"), LOOM_SPEAKER_HUMAN, ALONE},
	{LOOM_STR_INIT("user"), LOOM_SPEAKER_HUMAN, ANYWHERE},
	{LOOM_STR_INIT("you"), LOOM_SPEAKER_HUMAN, ANYWHERE},
	{LOOM_STR_INIT("me"), LOOM_SPEAKER_HUMAN, ANYWHERE},
	{LOOM_STR_INIT("prompt"), LOOM_SPEAKER_HUMAN, SIGNED},
	{LOOM_STR_INIT("instruction"), LOOM_SPEAKER_HUMAN, SIGNED},
	{LOOM_STR_INIT("question"), LOOM_SPEAKER_HUMAN, SIGNED},
	{LOOM_STR_INIT("assistant"), LOOM_SPEAKER_MODEL, ALONE},
	{LOOM_STR_INIT("ai"), LOOM_SPEAKER_MODEL, ANYWHERE},
	{LOOM_STR_INIT("bot"), LOOM_SPEAKER_MODEL, ANYWHERE},
	{LOOM_STR_INIT("model"), LOOM_SPEAKER_MODEL, ANYWHERE},
	{LOOM_STR_INIT("chatbot"), LOOM_SPEAKER_MODEL, ANYWHERE},
	{LOOM_STR_INIT("response"), LOOM_SPEAKER_MODEL, SIGNED},
	{LOOM_STR_INIT("answer"), LOOM_SPEAKER_MODEL, SIGNED},
	{LOOM_STR_INIT("chatgpt"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("claude"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("gpt"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("gemini"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("bard"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("copilot"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("llama"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("mistral"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("deepseek"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("qwen"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("grok"), LOOM_SPEAKER_MODEL, FAMILY},
	{LOOM_STR_INIT("collaborator"), LOOM_SPEAKER_MODEL, ROLE},
	{LOOM_STR_INIT("llm"), LOOM_SPEAKER_MODEL, ROLE},
	{LOOM_STR_INIT("system"), LOOM_SPEAKER_SYSTEM, ANYWHERE},
	{LOOM_STR_INIT("developer"), LOOM_SPEAKER_SYSTEM, ROLE},
	{LOOM_STR_INIT("tool"), LOOM_SPEAKER_TOOL, ANYWHERE},
	{LOOM_STR_INIT("function"), LOOM_SPEAKER_TOOL, ROLE},
};

/* ---- names ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
}

/* " 3.5 Sonnet", "-4o": a few words that begin with a capital or a digit, one of them with a
 * digit. */
static bool is_version(struct loom_str tail)
{
	bool digit = false;
	int words = 0;

	for (size_t at = 0; at < tail.n; at++) {
		if (is_word(tail.p[at])) {
			digit |= is_digit(tail.p[at]);
			continue;
		}
		if ((tail.p[at] != ' ' && tail.p[at] != '-') || at + 1 == tail.n)
			return false;
		if (tail.p[at] == ' ' && tail.p[at + 1] >= 'a' && tail.p[at + 1] <= 'z')
			return false;
		words++;
	}
	return digit && words <= MODEL_WORDS && (tail.p[0] == ' ' || tail.p[0] == '-');
}

static const struct label *label_of(struct loom_str name)
{
	for (size_t i = 0; i < LOOM_COUNT(labels); i++) {
		const struct loom_str text = labels[i].text;

		if (!loom_str_eq_fold(loom_str_sub(name, 0, text.n), text))
			continue;
		if (name.n == text.n ||
		    ((labels[i].flags & FAMILY) && is_version(loom_str_sub(name, text.n, name.n))))
			return &labels[i];
	}
	return NULL;
}

enum loom_speaker loom_speaker_of(struct loom_str name)
{
	const struct label *label = label_of(loom_str_trim(name));

	return label ? label->speaker : LOOM_SPEAKER_UNKNOWN;
}

/* Skips the pictures and blanks that exporters put before a name. */
static struct loom_str skip_pictures(struct loom_str s)
{
	size_t at = 0;

	while (at < s.n && ((unsigned char)s.p[at] >= 0x80 || s.p[at] == ' '))
		at++;
	return loom_str_sub(s, at, s.n);
}

/* Removes "(10:32)" from the end of *name. */
static struct loom_str take_when(struct loom_str *name)
{
	struct loom_str when = {name->p, 0};
	size_t open = loom_str_find_char(*name, '(', 0);

	if (open == SIZE_MAX || !loom_str_ends(*name, LOOM_STR(")")))
		return when;
	when = loom_str_trim(loom_str_make(name->p + open + 1, name->n - open - 2));
	*name = loom_str_trim(loom_str_sub(*name, 0, open));
	return when;
}

/* Reads a name with its time and nothing else. `signs` says that the form is unambiguous. */
static bool read_name(struct loom_str text, bool signs, struct lang_header *out)
{
	struct loom_str name = loom_str_trim(text);
	const struct label *label = NULL;

	out->when = take_when(&name);
	label = label_of(name);
	if (!label || (label->flags & ROLE) || ((label->flags & SIGNED) && !signs))
		return false;
	out->speaker = label->speaker;
	out->author = name;
	out->alone = (label->flags & ALONE) ||
		     (signs && label->speaker <= LOOM_SPEAKER_MODEL && !(label->flags & SIGNED));
	return true;
}

static void cut_end(struct loom_str *s, struct loom_str end)
{
	if (loom_str_ends(*s, end))
		*s = loom_str_trim(loom_str_sub(*s, 0, s->n - end.n));
}

static struct loom_str between_stars(struct loom_str s)
{
	if (s.n > 4 && loom_str_starts(s, LOOM_STR("**")) && loom_str_ends(s, LOOM_STR("**")))
		return loom_str_sub(s, 2, s.n - 4);
	return s;
}

/* ---- the forms ---- */

/* Reads what may stand between a bold name and its text: a time, a colon. False: it is a
 * sentence. */
static bool read_bold_tail(struct loom_str line, size_t at, bool colon, struct lang_header *out)
{
	size_t close = 0;

	at += lang_blanks(line, at);
	if (at < line.n && line.p[at] == '(') {
		close = loom_str_find_char(loom_str_sub(line, 0, HEADER_MAX), ')', at);
		if (close == SIZE_MAX)
			return false;
		out->when = loom_str_trim(loom_str_sub(line, at + 1, close - at - 1));
		at = close + 1;
	}
	if (at < line.n && line.p[at] == ':' && !colon) {
		colon = true;
		at++;
	}
	out->rest = at + lang_blanks(line, at);
	return colon || lang_is_blank(loom_str_sub(line, at, line.n));
}

/* **You**, **You:** text, **You** (10:32): text */
static bool read_bold(struct loom_str line, struct lang_header *out)
{
	struct loom_str name;
	size_t close = SIZE_MAX;
	bool colon = false;

	if (!loom_str_starts(line, LOOM_STR("**")))
		return false;
	close = loom_str_find(loom_str_sub(line, 0, HEADER_MAX), LOOM_STR("**"), 2);
	if (close == SIZE_MAX)
		return false;
	name = loom_str_trim(skip_pictures(loom_str_sub(line, 2, close - 2)));
	colon = loom_str_ends(name, LOOM_STR(":"));
	cut_end(&name, LOOM_STR(":"));
	cut_end(&name, LOOM_STR(" said"));
	out->form = LOOM_TURNS_BOLD;
	return read_name(name, true, out) && read_bold_tail(line, close + 2, colon, out);
}

/* Finds the colon after a name and its time. */
static size_t find_colon(struct loom_str line)
{
	struct loom_str head = loom_str_sub(line, 0, HEADER_MAX);
	size_t colon = loom_str_find_char(head, ':', 0);
	size_t open = loom_str_find_char(head, '(', 0);
	size_t close = SIZE_MAX;

	if (open != SIZE_MAX && open < colon)
		close = loom_str_find(head, LOOM_STR("):"), open);
	return close == SIZE_MAX ? colon : close + 1;
}

/* Human: text; ChatGPT said: text */
static bool read_colon(struct loom_str line, struct lang_header *out)
{
	static const struct loom_str said[] = {LOOM_STR_INIT(" said"), LOOM_STR_INIT(" responded")};
	size_t colon = find_colon(line);
	struct loom_str name;

	if (colon == SIZE_MAX)
		return false;
	name = loom_str_trim(loom_str_sub(line, 0, colon));
	out->form = LOOM_TURNS_COLON;
	for (size_t i = 0; i < LOOM_COUNT(said); i++)
		if (loom_str_ends(name, said[i])) {
			out->form = LOOM_TURNS_COPY;
			cut_end(&name, said[i]);
		}
	out->rest = colon + 1 + lang_blanks(line, colon + 1);
	return read_name(name, false, out);
}

/* ChatGPT, alone and capitalised; Gemini said, without a colon. */
static bool read_bare(struct loom_str line, struct lang_header *out)
{
	struct loom_str name = loom_str_trim(loom_str_sub(line, 0, HEADER_MAX));

	out->form = loom_str_ends(name, LOOM_STR(" said")) ? LOOM_TURNS_COPY : LOOM_TURNS_BARE;
	cut_end(&name, LOOM_STR(" said"));
	out->rest = line.n;
	return line.n && line.n < HEADER_MAX && line.p[0] >= 'A' && line.p[0] <= 'Z' &&
	       read_name(name, false, out);
}

/* Removes what precedes " · " from *rest; all of it when there is none. */
static struct loom_str take_part(struct loom_str *rest)
{
	static const struct loom_str dot = LOOM_STR_INIT(" · ");
	size_t at = loom_str_find(*rest, dot, 0);
	struct loom_str part = loom_str_sub(*rest, 0, at);

	*rest = at == SIZE_MAX ? (struct loom_str){NULL, 0}
			       : loom_str_sub(*rest, at + dot.n, rest->n);
	return loom_str_trim(part);
}

/* model "GPT-4o" */
static void read_author(struct loom_str author, struct lang_header *out)
{
	size_t quote = loom_str_find(author, LOOM_STR(" \""), 0);

	if (quote != SIZE_MAX && loom_str_ends(author, LOOM_STR("\"")) && quote + 3 < author.n) {
		out->name = loom_str_sub(author, quote + 2, author.n - quote - 3);
		author = loom_str_sub(author, 0, quote);
	}
	out->author = author;
	out->speaker = loom_speaker_of(author);
}

static bool is_local_id(struct loom_str id)
{
	size_t at = 0;

	while (at < id.n && is_word(id.p[at]) && id.p[at] != '.')
		at++;
	if (at < 4 || at > 26)
		return false;
	while (at < id.n && (id.p[at] == '\'' || is_digit(id.p[at])))
		at++;
	return at == id.n;
}

/* 2026-01-02T03:04 */
static bool is_minute(struct loom_str s)
{
	static const char form[] = "0000-00-00T00:00";

	for (size_t i = 0; i < sizeof form - 1; i++)
		if (i >= s.n || (form[i] == '0' ? !is_digit(s.p[i]) : s.p[i] != form[i]))
			return false;
	return true;
}

/* Ada · 2026-01-02T03:04 · bookmarked: why, as our export writes it; a name may contain a dot. */
static bool read_made(struct loom_str rest, struct lang_header *out)
{
	static const struct loom_str dot = LOOM_STR_INIT(" · ");
	static const struct loom_str mark = LOOM_STR_INIT(" · bookmarked");

	for (size_t at = loom_str_find(rest, dot, 0); at != SIZE_MAX;
	     at = loom_str_find(rest, dot, at + dot.n)) {
		const struct loom_str when = loom_str_sub(rest, at + dot.n, 16);
		const struct loom_str behind = loom_str_sub(rest, at + dot.n + when.n, rest.n);

		if (!is_minute(when) || (behind.n && !loom_str_starts(behind, mark)))
			continue;
		read_author(loom_str_trim(loom_str_sub(rest, 0, at)), out);
		out->when = when;
		return out->author.n > 0;
	}
	return false;
}

/* [a7x2] human · 3m ago, as in a context. With a depth after it, it is the result of a view. */
static bool read_node(struct loom_str line, struct lang_header *out)
{
	size_t close = SIZE_MAX;
	struct loom_str rest;

	if (!line.n || line.p[0] != '[')
		return false;
	close = loom_str_find(loom_str_sub(line, 0, HEADER_MAX), LOOM_STR("] "), 1);
	if (close == SIZE_MAX || !is_local_id(loom_str_sub(line, 1, close - 1)))
		return false;
	out->form = LOOM_TURNS_NODE;
	out->ruled = true;
	out->id = loom_str_sub(line, 1, close - 1);
	out->rest = line.n;
	rest = loom_str_sub(line, close + 2, line.n);
	if (read_made(rest, out))
		return true;
	read_author(take_part(&rest), out);
	if (!rest.p || !out->author.n)
		return false;
	out->when = take_part(&rest);
	return !rest.p;
}

/* ### User, ## **You said:**, and as our export writes it: ### [a7x2] human · 2026-01-02T03:04 */
static bool read_heading(struct loom_str line, struct lang_header *out)
{
	size_t level = 0;
	struct loom_str name;

	while (level < line.n && line.p[level] == '#')
		level++;
	if (level < 1 || level > 6 || level == line.n ||
	    (line.p[level] != ' ' && line.p[level] != '\t'))
		return false;
	name = loom_str_trim(loom_str_sub(line, level, line.n));
	if (read_node(name, out)) {
		out->ruled = false;
		out->rest = line.n;
		return true;
	}
	if (line.n > HEADER_MAX)
		return false;
	*out = (struct lang_header){.form = LOOM_TURNS_HEADING};
	cut_end(&name, LOOM_STR(":"));
	name = loom_str_trim(skip_pictures(between_stars(name)));
	cut_end(&name, LOOM_STR(":"));
	cut_end(&name, LOOM_STR(" said"));
	cut_end(&name, LOOM_STR(" responded"));
	out->rest = line.n;
	return read_name(name, true, out);
}

bool lang_header_read(struct loom_str line, struct lang_header *out)
{
	static bool (*const forms[])(struct loom_str,
				     struct lang_header *) = {read_heading, read_bold, read_node,
							      read_colon, read_bare};
	size_t indent = 0;
	struct loom_str rest;

	if (lang_indent(line, &indent) >= 4)
		return false;
	rest = loom_str_sub(line, indent, line.n);
	if (loom_str_ends(rest, LOOM_STR("\r")))
		rest.n--;
	for (size_t i = 0; i < LOOM_COUNT(forms); i++) {
		*out = (struct lang_header){.form = LOOM_TURNS_PLAIN};
		if (forms[i](rest, out)) {
			out->rest += indent;
			return true;
		}
	}
	return false;
}

/* ---- frames and rules ---- */

bool lang_frame_opens(struct loom_str line)
{
	static const struct loom_str frames[] = {LOOM_STR_INIT(LOOM_FRAME_LOOM),
						 LOOM_STR_INIT(LOOM_FRAME_MEMORY),
						 LOOM_STR_INIT(LOOM_FRAME_PRUNED)};
	struct loom_str held = loom_str_trim(line);

	for (size_t i = 0; i < LOOM_COUNT(frames); i++)
		if (loom_str_eq(held, frames[i]))
			return true;
	return false;
}

bool lang_line_speaks(struct loom_str line)
{
	struct lang_header header;

	while (line.n && line.p[0] == '\\')
		line = loom_str_sub(line, 1, line.n);
	return lang_header_read(line, &header);
}

bool lang_title_misleads(struct loom_str title, struct loom_arena *arena)
{
	struct lang_header header;

	title = loom_str_trim(title);
	while (title.n && title.p[0] == '\\')
		title = loom_str_trim(loom_str_sub(title, 1, title.n));
	return lang_header_read(loom_arena_format(arena, "# %.*s", LOOM_STR_ARG(title)), &header);
}

bool lang_branch_opens(struct loom_str line, struct loom_str *out_id)
{
	static const struct loom_str opens = LOOM_STR_INIT("## " LOOM_SAYS_BRANCH);
	struct loom_str held = loom_str_trim(line);

	if (!loom_str_starts(held, opens) || !loom_str_ends(held, LOOM_STR("]")))
		return false;
	*out_id = loom_str_sub(held, opens.n, held.n - opens.n - 1);
	return is_local_id(*out_id);
}

bool lang_frame_closes(struct loom_str line)
{
	return loom_str_is(loom_str_trim(line), LOOM_FRAME_END);
}

bool lang_is_rule(struct loom_str line)
{
	return loom_str_is(loom_str_trim(line), LOOM_RULE);
}
