/* Words about an answer rather than of it: preambles, labels, remarks, postambles, refusals. They
 * are known by two signs together, how they begin and what they speak of; one alone may be the
 * author's. */
#include "mend_inside.h"

#define LINE_MOST 320

static const char *const openers[] = {
	"sure",         "certainly",     "of course",    "absolutely", "okay",        "ok,",
	"ok!",          "ok.",           "alright",      "great!",     "got it",      "no problem",
	"happy to",     "i'd be ",       "i would be ",  "here is",    "here's",      "here are",
	"below is",     "let me ",       "let's ",       "i'll ",      "i will ",     "i've ",
	"i have ",      "the following", "following is", "continuing", "sounds good", "understood",
	"as requested", "this is ",      "picking up",   NULL};
static const char *const interjections[] = {"sure!",       "certainly!",  "of course!",
					    "absolutely!", "okay!",       "alright!",
					    "great!",      "got it!",     "understood.",
					    "sure.",       "certainly.",  "of course.",
					    "okay.",       "no problem!", NULL};
static const char *const about_going_on[] = {"continuation",
					     "continue",
					     "continuing",
					     "left off",
					     "pick up",
					     "picking up",
					     "next part",
					     "next section",
					     "next passage",
					     "rest of the",
					     "what comes next",
					     "how the ",
					     NULL};
static const char *const about_texts[] = {"story",     "text",     "passage",      "narrative",
					  "piece",     "scene",    "document",     "prompt",
					  "writing",   "tale",     "essay",        "poem",
					  "letter",    "code",     "draft",        "fragment",
					  "paragraph", "left off", "continuation", "excerpt",
					  "left it",   NULL};

static bool begins(struct loom_str text, const char *const *list)
{
	LOOM_ASSERT(list[0]);
	for (size_t i = 0; list[i]; i++)
		if (loom_str_starts(text, loom_str_of(list[i])))
			return true;
	return false;
}

static bool has(struct loom_str text, const char *const *list)
{
	LOOM_ASSERT(list[0]);
	for (size_t i = 0; list[i]; i++)
		if (loom_str_find(text, loom_str_of(list[i]), 0) != SIZE_MAX)
			return true;
	return false;
}

void model_mend_fold(struct loom_str text, struct loom_buf *out)
{
	static const struct loom_str apostrophe = LOOM_STR_INIT("’");
	bool blank = false;

	for (size_t i = 0; i < text.n && out->n < MEND_FOLDED; i++) {
		const char c = text.p[i];

		if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
			blank = true;
			continue;
		}
		if (blank && out->n)
			loom_buf_addc(out, ' ');
		blank = false;
		if (loom_str_starts(loom_str_sub(text, i, text.n), apostrophe)) {
			loom_buf_addc(out, '\'');
			i += apostrophe.n - 1;
		} else {
			loom_buf_addc(out, c >= 'A' && c <= 'Z' ? (char)(c + 32) : c);
		}
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static struct loom_str line_of(struct loom_str text)
{
	const size_t end = loom_str_find_char(text, '\n', 0);

	return end == SIZE_MAX ? text : loom_str_sub(text, 0, end);
}

/* ---- preambles ---- */

/* Whether a clause speaks about going on with a text. */
static bool is_preamble(struct loom_str clause, bool colon)
{
	struct loom_buf folded = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str said;
	bool is;

	model_mend_fold(clause, &folded);
	said = loom_buf_str(&folded);
	while (said.n && strchr("*_#> ", said.p[0]))
		said = loom_str_sub(said, 1, said.n);
	is = begins(said, openers) && has(said, about_going_on) &&
	     (has(said, about_texts) || colon);
	loom_buf_fini(&folded);
	return is;
}

/* Where a clause ends: after a colon, or after the end of a sentence; SIZE_MAX if nowhere. */
static size_t clause_end(struct loom_str line, size_t from, bool colon)
{
	for (size_t i = from; i < line.n; i++) {
		const bool ends =
			i + 1 == line.n || is_blank(line.p[i + 1]) || strchr("*_\"", line.p[i + 1]);

		if (ends && (colon ? line.p[i] == ':' : strchr(".!", line.p[i]) != NULL))
			return i + 1;
	}
	return SIZE_MAX;
}

/* Signs of emphasis that close behind a clause belong to it. */
static size_t with_marks(struct loom_str line, size_t end)
{
	while (end < line.n && (line.p[end] == '*' || line.p[end] == '_'))
		end++;
	return end;
}

bool model_mend_preamble(struct mending *mending)
{
	const struct loom_str rest = mending_rest(mending);
	const struct loom_str line = line_of(rest);
	const size_t colon = clause_end(line, 0, true);
	size_t end = 0;

	if (line.n > LINE_MOST && colon > LINE_MOST)
		return false;
	if (colon <= LINE_MOST && is_preamble(loom_str_sub(line, 0, colon), true))
		return model_mend_skip(mending, LOOM_FAULT_PREAMBLE, with_marks(line, colon));
	if (line.n <= LINE_MOST && line.n < rest.n && is_preamble(line, false))
		return model_mend_skip(mending, LOOM_FAULT_PREAMBLE, line.n);
	for (int i = 0; i < 2 && end != SIZE_MAX; i++) {
		end = clause_end(line, end, false);
		if (end <= LINE_MOST && end < rest.n &&
		    is_preamble(loom_str_sub(line, 0, end), false))
			return model_mend_skip(mending, LOOM_FAULT_PREAMBLE, with_marks(line, end));
	}
	for (size_t i = 0; interjections[i]; i++) {
		struct loom_buf folded = LOOM_BUF_INIT(LOOM_BUF_MAX);
		const size_t n = strlen(interjections[i]);
		bool is = false;

		model_mend_fold(loom_str_sub(rest, 0, n), &folded);
		is = loom_str_is(loom_buf_str(&folded), interjections[i]);
		loom_buf_fini(&folded);
		if (is && n < rest.n &&
		    (mending->inner ||
		     (line.n == n &&
		      loom_str_starts(loom_str_sub(rest, n, rest.n), LOOM_STR("\n\n")))))
			return model_mend_skip(mending, LOOM_FAULT_PREAMBLE, n);
	}
	return false;
}

/* ---- labels ---- */

static const char *const roles[] = {"assistant",
				    "ai",
				    "ai assistant",
				    "bot",
				    "chatgpt",
				    "claude",
				    "continuation",
				    "the continuation",
				    "story continuation",
				    "text continuation",
				    "continued",
				    "continued text",
				    "continuing",
				    "generated text",
				    "completion",
				    NULL};
/* These may be the author's at the start of a line. */
static const char *const vague[] = {"answer",   "next", "result", "model", "output",
				    "response", "text", "story",  "gpt",   NULL};

static bool is_one_of(struct loom_str said, const char *const *list)
{
	for (size_t i = 0; list[i]; i++)
		if (loom_str_is(said, list[i]))
			return true;
	return false;
}

static bool is_label(const struct mending *mending, struct loom_str words)
{
	struct loom_buf folded = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool is;

	model_mend_fold(words, &folded);
	is = is_one_of(loom_buf_str(&folded), roles) ||
	     (mending->inner && is_one_of(loom_buf_str(&folded), vague));
	loom_buf_fini(&folded);
	return is;
}

/* A label that the text uses too is its own. */
static bool is_own(const struct mending *mending, struct loom_str label)
{
	return loom_str_find(mending->before, label, 0) != SIZE_MAX;
}

bool model_mend_label(struct mending *mending)
{
	const struct loom_str rest = mending_rest(mending);
	const struct loom_str line = line_of(rest);
	size_t from = 0;
	size_t to;
	size_t end;
	bool marked = false;
	bool colon = false;

	while (from < line.n && strchr("#*_ ", line.p[from]))
		from++;
	marked = from > 0;
	for (to = from; to < line.n && to < from + 40 && !strchr(":*_", line.p[to]);)
		to++;
	for (end = to; end < line.n && strchr(":*_ ", line.p[end]); end++)
		colon |= line.p[end] == ':';
	if (end > to && line.p[end - 1] == ' ' && end < line.n)
		end--;
	if (to == from || (!colon && !(marked && end == line.n)) || end >= rest.n ||
	    !is_label(mending, loom_str_trim(loom_str_sub(line, from, to - from))) ||
	    is_own(mending, loom_str_sub(line, from, end - from)))
		return false;
	return model_mend_skip(mending, LOOM_FAULT_LABEL, end);
}

/* ---- remarks ---- */

static const char *const remarks[] = {"continuation",
				      "continuing",
				      "continued]",
				      "continued)",
				      "continued*",
				      "continued from",
				      "story continues",
				      "the story continues",
				      "text continues",
				      "the text continues",
				      "continues",
				      "continue",
				      "picking up",
				      "resuming",
				      "start of continuation",
				      "begin continuation",
				      "narration continues",
				      NULL};

static char closing_of(char open)
{
	return open == '[' ? ']' : open == '(' ? ')' : open == '*' ? '*' : '\0';
}

bool model_mend_remark(struct mending *mending)
{
	const struct loom_str rest = mending_rest(mending);
	const struct loom_str line = line_of(rest);
	const char close = line.n ? closing_of(line.p[0]) : '\0';
	struct loom_buf folded = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t end = close ? loom_str_find_char(line, close, 1) : SIZE_MAX;
	bool is;

	if (end == SIZE_MAX || end > 160 || end + 1 >= rest.n)
		return false;
	model_mend_fold(loom_str_sub(line, 1, end), &folded);
	is = begins(loom_buf_str(&folded), remarks) &&
	     (close == ']' || end + 1 == line.n || has(loom_buf_str(&folded), about_texts) ||
	      loom_str_find(loom_buf_str(&folded), LOOM_STR("continued"), 0) == 0);
	loom_buf_fini(&folded);
	return is && model_mend_skip(mending, LOOM_FAULT_REMARK, end + 1);
}

/* ---- postambles ---- */

static const char *const farewells[] = {"let me know",
					"please let me know",
					"would you like",
					"i hope ",
					"hope this",
					"feel free",
					"do you want me",
					"shall i ",
					"should i ",
					"want me to",
					"if you'd like",
					"if you would like",
					"is there anything",
					"i can continue",
					"i'd be happy",
					"i have continued",
					"i've continued",
					"note:",
					"(note:",
					"*note:",
					"note that",
					"[end",
					"(end of",
					"end of ",
					"word count",
					"(word count",
					"this continuation",
					"this continues",
					"i tried to",
					"i aimed to",
					"i kept ",
					"i've tried",
					"i maintained",
					"i've kept",
					"[continuation ends",
					"**note",
					"[word count",
					"in this continuation",
					NULL};
static const char *const about_work[] = {"continu",   "the story",   "your story",    "the text",
					 "your text", "passage",     "version",       "the style",
					 "the tone",  "tone and",    "style and",     "adjust",
					 "revise",    "any changes", "direction",     "rewrite",
					 "expand",    "word count",  "anything else", "narrative",
					 "writing",   NULL};

static size_t last_line_of(struct loom_str text)
{
	size_t at = text.n;

	while (at && text.p[at - 1] != '\n')
		at--;
	return at;
}

bool model_mend_postamble(struct mending *mending)
{
	struct loom_str rest = mending_rest(mending);
	struct loom_buf folded = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t at;
	bool is;

	while (rest.n && is_blank(rest.p[rest.n - 1]))
		rest.n--;
	at = last_line_of(rest);
	if (!at)
		return false;
	model_mend_fold(loom_str_sub(rest, at, rest.n), &folded);
	is = begins(loom_buf_str(&folded), farewells) && has(loom_buf_str(&folded), about_work);
	loom_buf_fini(&folded);
	return is && model_mend_cut(mending, LOOM_FAULT_POSTAMBLE, at);
}

/* ---- refusals ---- */

static const char *const sorry[] = {"i'm sorry",   "i am sorry",       "i apologize",
				    "i apologise", "sorry,",           "i can't",
				    "i cannot",    "i'm unable",       "i am unable",
				    "i won't",     "i will not",       "i'm not able",
				    "as an ai",    "unfortunately, i", "i must decline",
				    NULL};
static const char *const unwilling[] = {"continue this",
					"continue the",
					"continue that",
					"continue with",
					"continue your",
					"assist with",
					"help with that",
					"help with this",
					"help you with",
					"comply",
					"fulfill",
					"that request",
					"this request",
					"your request",
					"as an ai",
					"language model",
					"generate ",
					"such content",
					"content that",
					"this content",
					"write this",
					"this kind of",
					NULL};

void model_mend_refusal(struct mending *mending)
{
	struct loom_buf folded = LOOM_BUF_INIT(LOOM_BUF_MAX);

	model_mend_fold(mending_rest(mending), &folded);
	if (begins(loom_buf_str(&folded), sorry) && has(loom_buf_str(&folded), unwilling))
		mending_found(mending, LOOM_FAULT_REFUSAL);
	loom_buf_fini(&folded);
}
