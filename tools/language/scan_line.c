/* Classifies a single line: indented, a fence, a bullet, an arrow; and finds its tags.
 *
 * Pure functions of a line's bytes, each linear in the line. */
#include <loom/language/registry.h>
#include <loom/language/scan_lines.h>

size_t lang_indent(struct loom_str line, size_t *out_bytes)
{
	size_t columns = 0;
	size_t at = 0;

	for (; at < line.n && columns < 4; at++) {
		if (line.p[at] == '\t')
			columns = 4;
		else if (line.p[at] == ' ')
			columns++;
		else
			break;
	}
	*out_bytes = at;
	return columns;
}

size_t lang_arrow(struct loom_str rest)
{
	size_t at = sizeof LANG_ARROW - 1;

	if (!loom_str_starts(rest, LOOM_STR(LANG_ARROW)))
		return 0;
	at += lang_selector(rest, at);
	return at + lang_blanks(rest, at);
}

size_t lang_ascii_arrow(struct loom_str rest)
{
	static const struct loom_str forms[] = {LOOM_STR_INIT("->"), LOOM_STR_INIT("=>"),
						LOOM_STR_INIT("\xE2\x87\x92")};

	for (size_t i = 0; i < LOOM_COUNT(forms); i++)
		if (loom_str_starts(rest, forms[i]))
			return forms[i].n + lang_blanks(rest, forms[i].n);
	return 0;
}

/* Length of one bullet sign or number, without the blanks after it. */
static size_t bullet_sign(struct loom_str rest)
{
	static const struct loom_str signs[] = {LOOM_STR_INIT("-"), LOOM_STR_INIT("*"),
						LOOM_STR_INIT("+"), LOOM_STR_INIT("•"),
						LOOM_STR_INIT("◦"), LOOM_STR_INIT("‣"),
						LOOM_STR_INIT("–"), LOOM_STR_INIT("—")};
	size_t digits = 0;

	for (size_t i = 0; i < LOOM_COUNT(signs); i++)
		if (loom_str_starts(rest, signs[i]))
			return signs[i].n;
	while (digits < rest.n && digits < 9 && rest.p[digits] >= '0' && rest.p[digits] <= '9')
		digits++;
	if (digits && digits < rest.n && (rest.p[digits] == '.' || rest.p[digits] == ')'))
		return digits + 1;
	return 0;
}

static size_t check_box(struct loom_str rest)
{
	if (rest.n >= 3 && rest.p[0] == '[' && rest.p[2] == ']' &&
	    (rest.p[1] == ' ' || (rest.p[1] | 0x20) == 'x'))
		return 3 + lang_blanks(rest, 3);
	return 0;
}

size_t lang_bullet(struct loom_str rest)
{
	size_t at = 0;

	for (;;) {
		struct loom_str here = loom_str_sub(rest, at, rest.n);
		size_t sign = bullet_sign(here);
		size_t blanks = sign ? lang_blanks(here, sign) : 0;

		if (!sign || (!blanks && !lang_arrow(loom_str_sub(here, sign, here.n))))
			return at;
		at += sign + blanks;
		at += check_box(loom_str_sub(rest, at, rest.n));
	}
}

static size_t run_of(struct loom_str s, size_t at, char c)
{
	size_t n = 0;

	while (at + n < s.n && s.p[at + n] == c)
		n++;
	return n;
}

bool lang_fence_opens(struct loom_str rest, struct lang_fence *out)
{
	char sign = rest.n ? rest.p[0] : '\0';
	size_t length = run_of(rest, 0, sign);

	if ((sign != '`' && sign != '~') || length < 3)
		return false;
	if (sign == '`' && loom_str_find_char(rest, '`', length) != SIZE_MAX)
		return false;
	*out = (struct lang_fence){.sign = sign, .length = length};
	return true;
}

bool lang_fence_closes(const struct lang_fence *fence, struct loom_str line)
{
	size_t at = 0;
	size_t columns = lang_indent(line, &at);
	size_t length = 0;

	if (fence->loose)
		at += lang_blanks(line, at);
	else if (columns >= 4)
		return false;
	length = run_of(line, at, fence->sign);
	return length >= fence->length && lang_is_blank(loom_str_sub(line, at + length, line.n));
}

/* ---- tags ---- */

/* Names of tags, without - _ and the space of names before a colon. */
static const struct {
	struct loom_str name;
	enum lang_tag_kind kind;
} names[] = {
	{LOOM_STR_INIT(""), LANG_TAG_THINKING}, /* no name */
#define THOUGHT(name)                                                                              \
	{                                                                                          \
		LOOM_STR_INIT(name), LANG_TAG_THINKING                                             \
	}
	THOUGHT("think"),
	THOUGHT("thinking"),
	THOUGHT("thought"),
	THOUGHT("thoughts"),
	THOUGHT("antthinking"),
	THOUGHT("thoughtprocess"),
	THOUGHT("thinkingprocess"),
	THOUGHT("chainofthought"),
	THOUGHT("cot"),
	THOUGHT("reason"),
	THOUGHT("reasoning"),
	THOUGHT("rationale"),
	THOUGHT("reflect"),
	THOUGHT("reflection"),
	THOUGHT("selfreflection"),
	THOUGHT("scratchpad"),
	THOUGHT("scratch"),
	THOUGHT("analysis"),
	THOUGHT("monologue"),
	THOUGHT("innermonologue"),
	THOUGHT("innerthought"),
	THOUGHT("innerthoughts"),
	THOUGHT("internalmonologue"),
	THOUGHT("internalreasoning"),
	THOUGHT("deliberation"),
	THOUGHT("contemplation"),
	THOUGHT("contemplator"),
	THOUGHT("ponder"),
	THOUGHT("pondering"),
	THOUGHT("brainstorm"),
	THOUGHT("planning"),
	THOUGHT("internal"),
	THOUGHT("thinksilently"),
	THOUGHT("thinkaloud"),
	THOUGHT("thinkstepbystep"),
	THOUGHT("thinkingblock"),
	THOUGHT("introspection"),
	THOUGHT("rumination"),
	THOUGHT("innervoice"),
	THOUGHT("plan"),
#undef THOUGHT
#define QUOTED(name)                                                                               \
	{                                                                                          \
		LOOM_STR_INIT(name), LANG_TAG_QUOTING                                              \
	}
	QUOTED("pre"),
	QUOTED("q"),
	QUOTED("kbd"),
	QUOTED("script"),
	QUOTED("style"),
	QUOTED("tt"),
	QUOTED("code"),
	QUOTED("blockquote"),
	QUOTED("example"),
	QUOTED("examples"),
	QUOTED("details"),
	QUOTED("samp"),
	QUOTED("xmp"),
	QUOTED("listing"),
	QUOTED("plaintext"),
	QUOTED("textarea"),
	QUOTED("template"),
	QUOTED("quotation"),
	QUOTED("verbatim"),
	QUOTED("noinclude"),
	QUOTED("nowiki"),
#undef QUOTED
#define SOURCE(name)                                                                               \
	{                                                                                          \
		LOOM_STR_INIT(name), LANG_TAG_SOURCE                                               \
	}
	SOURCE("quote"),
	SOURCE("quoted"),
	SOURCE("cite"),
	SOURCE("document"),
	SOURCE("documents"),
	SOURCE("documentcontent"),
	SOURCE("documentcontents"),
	SOURCE("doc"),
	SOURCE("file"),
	SOURCE("files"),
	SOURCE("filecontent"),
	SOURCE("filecontents"),
	SOURCE("content"),
	SOURCE("contents"),
	SOURCE("source"),
	SOURCE("excerpt"),
	SOURCE("passage"),
	SOURCE("snippet"),
	SOURCE("text"),
	SOURCE("node"),
	SOURCE("page"),
	SOURCE("email"),
	SOURCE("mail"),
	SOURCE("letter"),
	SOURCE("note"),
	SOURCE("notes"),
	SOURCE("transcript"),
	SOURCE("conversation"),
	SOURCE("history"),
	SOURCE("context"),
	SOURCE("threadcontext"),
	SOURCE("user"),
	SOURCE("human"),
	SOURCE("system"),
	SOURCE("instruction"),
	SOURCE("instructions"),
	SOURCE("prompt"),
	SOURCE("input"),
	SOURCE("result"),
	SOURCE("results"),
	SOURCE("toolresult"),
	SOURCE("toolresults"),
	SOURCE("toolresponse"),
	SOURCE("functionresult"),
	SOURCE("functionresults"),
	SOURCE("functionresponse"),
	SOURCE("observation"),
	SOURCE("aside"),
	SOURCE("tooloutput"),
	SOURCE("chapter"),
	SOURCE("scene"),
	SOURCE("story"),
	SOURCE("paragraph"),
	SOURCE("reference"),
	SOURCE("references"),
	SOURCE("article"),
	SOURCE("post"),
	SOURCE("posts"),
	SOURCE("chat"),
	SOURCE("log"),
	SOURCE("logs"),
	SOURCE("dialogue"),
	SOURCE("dialog"),
	SOURCE("webpage"),
	SOURCE("website"),
	SOURCE("searchresult"),
	SOURCE("searchresults"),
	SOURCE("data"),
	SOURCE("record"),
	SOURCE("memo"),
	SOURCE("review"),
	SOURCE("question"),
	SOURCE("attachment"),
	SOURCE("resource"),
	SOURCE("background"),
	SOURCE("original"),
	SOURCE("translation"),
	SOURCE("manuscript"),
	SOURCE("poem"),
	SOURCE("journal"),
	SOURCE("diary"),
	SOURCE("entry"),
	SOURCE("report"),
	SOURCE("abstract"),
	SOURCE("book"),
	SOURCE("sourcetext"),
	SOURCE("stdout"),
	SOURCE("stderr"),
	SOURCE("console"),
	SOURCE("terminal"),
	SOURCE("shell"),
	SOURCE("wiki"),
	SOURCE("comment"),
	SOURCE("comments"),
	SOURCE("branch"),
	SOURCE("tree"),
	SOURCE("path"),
	SOURCE("quotes"),
	SOURCE("draft"),
	SOURCE("drafts"),
	SOURCE("sketch"),
	SOURCE("proposal"),
	SOURCE("suggestion"),
	SOURCE("option"),
	SOURCE("options"),
	SOURCE("hypothetical"),
	SOURCE("sample"),
#undef SOURCE
};

/* The brackets around a name. A bar just inside of angles belongs to them. */
static const struct brackets {
	struct loom_str opens;
	struct loom_str closes;
	bool shouts; /* the name is in capitals: other brackets are common in prose */
} brackets[] = {
	{LOOM_STR_INIT("<|"), LOOM_STR_INIT("|>"), false},
	{LOOM_STR_INIT("<｜"), LOOM_STR_INIT("｜>"), false},
	{LOOM_STR_INIT("<"), LOOM_STR_INIT(">"), false},
	{LOOM_STR_INIT("["), LOOM_STR_INIT("]"), true},
	{LOOM_STR_INIT("◁"), LOOM_STR_INIT("▷"), false},
};

#define NAME_MAX_BYTES 24

/* Reads a name at `at`, as the table has it, into `out`; returns where it ends. */
static size_t read_name(struct loom_str s, size_t at, bool shouts, char out[NAME_MAX_BYTES])
{
	size_t n = 0;

	for (; at < s.n; at++) {
		const unsigned char c = (unsigned char)s.p[at];
		const bool letter = (c >= 'A' && c <= 'Z') || (!shouts && c >= 'a' && c <= 'z');

		if (c == ':')
			n = 0;
		else if (letter && n + 1 < NAME_MAX_BYTES)
			out[n++] = (char)(c | 0x20);
		else if (letter)
			continue; /* no name of ours is that long */
		else if (c == 0xE2 && loom_str_eq(loom_str_sub(s, at, 3), LOOM_STR("▁")))
			at += 2;
		else if (c != '_' && c != '-')
			break;
	}
	out[n] = '\0';
	return at;
}

/* Returns the number of a name, 0: none; begin_of_X and end_of_X name X. */
static size_t name_of(const char *said, bool *out_ends)
{
	static const struct {
		const char *said;
		bool ends;
	} heads[] = {{"", false},      {"beginof", false}, {"startof", false}, {"endof", true},
		     {"begin", false}, {"start", false},   {"end", true}};

	for (size_t h = 0; h < LOOM_COUNT(heads); h++) {
		const size_t n = strlen(heads[h].said);

		if (strncmp(said, heads[h].said, n) != 0)
			continue;
		for (size_t i = 1; i < LOOM_COUNT(names); i++)
			if (loom_str_is(names[i].name, said + n)) {
				*out_ends = heads[h].ends;
				return i;
			}
	}
	return 0;
}

/* Returns where a tag ends whose name ends at `at`, or 0: attributes may follow, a slash may not.
 */
static size_t end_of_tag(struct loom_str s, size_t at, struct loom_str closes)
{
	size_t end = at;

	if (loom_str_eq(loom_str_sub(s, at, closes.n), closes))
		return at + closes.n;
	if (!lang_blank(s, at))
		return 0;
	end = loom_str_find(loom_str_sub(s, 0, at + 256), closes, at);
	return end == SIZE_MAX || s.p[end - 1] == '/' ? 0 : end + closes.n;
}

/* Whether a name that is not in the table is one for a thought: my-thinking. */
static bool is_thought(const char *said)
{
	static const char *const ends[] = {"think",     "thinking",   "thought",
					   "thoughts",  "reasoning",  "reflection",
					   "monologue", "scratchpad", "deliberation"};

	for (size_t i = 0; i < LOOM_COUNT(ends); i++)
		if (loom_str_ends(loom_str_of(said), loom_str_of(ends[i])))
			return true;
	return false;
}

/* Names of tags that only dress or lay out what is the writer's own, or call something. */
static const char dresses[] =
	"|a|b|i|u|s|p|em|strong|br|hr|div|span|ul|ol|li|table|tr|td|th|tbody"
	"|thead|html|body|head|main|section|article|header|footer|small|big|sub"
	"|sup|font|center|img|input|summary|answer|response|reply|final"
	"|finalanswer|assistant|model|ai|turn|step|steps|tool|tools|tooluse"
	"|toolcall|toolcalls|toolcode|call|calls|action|actions|command|commands"
	"|cmd|run|execute|invoke|functioncall|functioncalls|function|usetool"
	"|usemcptool|toolname|parameter|parameters|arguments|args|loom|output"
	"|outputs|s|id|name|im|imend|imstart|";

static bool is_dress(const char *said)
{
	struct loom_str rest = loom_str_of(dresses);
	struct loom_str one;

	while (loom_str_cut(&rest, '|', &one))
		if (loom_str_is(one, said))
			return true;
	return loom_verb_find(loom_str_of(said)) != LOOM_VERB_NONE;
}

/* Numbers a name that is not in the table, behind those that are: one of two kinds. */
static size_t other_name(const char *said, enum lang_tag_kind *out_kind)
{
	size_t hash = 0;

	*out_kind = is_thought(said) ? LANG_TAG_THINKING : LANG_TAG_OTHER;
	if (strlen(said) < 2 || (*out_kind == LANG_TAG_OTHER && is_dress(said)))
		return 0;
	for (; *said; said++)
		hash = (hash * 33 + (unsigned char)*said) & 0xFFFFFF;
	return LOOM_COUNT(names) + 1 + hash;
}

/* A name in square brackets is one in capitals, or alone in its line. */
static bool stands_alone(struct loom_str s, size_t at, size_t end)
{
	return lang_is_blank(loom_str_sub(s, 0, at)) && lang_is_blank(loom_str_sub(s, end, s.n));
}

static bool read_within(struct loom_str s, size_t at, const struct brackets *in,
			struct lang_tag *out)
{
	char said[NAME_MAX_BYTES];
	size_t from = at + in->opens.n;
	size_t end = 0;
	bool ends = false;
	bool small = false;

	if (!loom_str_eq(loom_str_sub(s, at, in->opens.n), in->opens))
		return false;
	*out = (struct lang_tag){.closes = from < s.n && s.p[from] == '/'};
	from += out->closes;
	small = in->shouts && from < s.n && s.p[from] >= 'a' && s.p[from] <= 'z';
	end = read_name(s, from, in->shouts && !small, said);
	out->name = end > from ? name_of(said, &ends) : 0;
	if (out->name)
		out->kind = names[out->name].kind;
	else if (end > from && !in->shouts)
		out->name = other_name(said, &out->kind);
	end = out->name ? end_of_tag(s, end, in->closes) : 0;
	if (!end)
		return false;
	out->closes |= ends;
	out->bytes = end - at;
	if (small && (loom_str_find_char(loom_str_sub(s, at, out->bytes), ' ', 0) != SIZE_MAX))
		return false;
	return !in->shouts ||
	       (out->kind == LANG_TAG_THINKING && (!small || stands_alone(s, at, end)));
}

/* The channels that some models speak in: all but the last one are thoughts, to them or to a
 * machine. */
static bool read_channel(struct loom_str s, size_t at, struct lang_tag *out)
{
	static const struct loom_str opens[] = {LOOM_STR_INIT("<|channel|>analysis"),
						LOOM_STR_INIT("<|channel>thought"),
						LOOM_STR_INIT("<unused94>")};
	static const struct loom_str closes[] = {LOOM_STR_INIT("<|end|>"),
						 LOOM_STR_INIT("<|channel|>final"),
						 LOOM_STR_INIT("<|start|>"),
						 LOOM_STR_INIT("<channel|>"),
						 LOOM_STR_INIT("<unused95>")};

	*out = (struct lang_tag){.kind = LANG_TAG_THINKING, .name = LOOM_COUNT(names)};
	for (size_t i = 0; i < LOOM_COUNT(opens); i++)
		if (loom_str_eq(loom_str_sub(s, at, opens[i].n), opens[i]))
			out->bytes = opens[i].n;
	for (size_t i = 0; i < LOOM_COUNT(closes); i++)
		if (loom_str_eq(loom_str_sub(s, at, closes[i].n), closes[i])) {
			out->bytes = closes[i].n;
			out->closes = true;
		}
	return out->bytes > 0;
}

bool lang_tag_read(struct loom_str s, size_t at, struct lang_tag *out)
{
	const unsigned char first = at < s.n ? (unsigned char)s.p[at] : 0;

	if (first != '<' && first != '[' && first != 0xE2)
		return false;
	if (first == '<' && read_channel(s, at, out))
		return true;
	for (size_t i = 0; i < LOOM_COUNT(brackets); i++)
		if (read_within(s, at, &brackets[i], out))
			return true;
	return false;
}

size_t lang_tag_find_end(struct loom_str s, size_t from, size_t name, size_t *out_bytes)
{
	struct lang_tag tag;

	LOOM_ASSERT(from <= s.n && out_bytes);
	for (size_t at = from; at < s.n; at++) {
		if (!lang_tag_read(s, at, &tag) || !tag.closes || tag.name != name)
			continue;
		*out_bytes = tag.bytes;
		return at;
	}
	return SIZE_MAX;
}
