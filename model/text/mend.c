/* Finding the seam of an answer: wrappings first, then words about the answer, then how the rest
 * joins the text. Each rule takes something away at one end and is tried until none does. When a
 * rule is in doubt the text stays: a remark that is kept can be seen, a sentence that is lost
 * cannot. */
#include "mend_inside.h"

#include <loom/base/utf8.h>

#define ROUNDS 12

const char *loom_fault_word(enum loom_fault fault)
{
	static const char *const words[] = {
#define X(id, word) word,
		LOOM_FAULTS(X)
#undef X
	};

	return fault < LOOM_FAULT_COUNT ? words[fault] : "";
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool model_mend_skip(struct mending *mending, enum loom_fault fault, size_t n)
{
	LOOM_ASSERT(n <= mending->to - mending->from);
	mending->from += n;
	while (mending->from < mending->to && is_blank(mending->came.p[mending->from]))
		mending->from++;
	mending_found(mending, fault);
	return true;
}

bool model_mend_cut(struct mending *mending, enum loom_fault fault, size_t at)
{
	LOOM_ASSERT(at <= mending->to - mending->from);
	mending->to = mending->from + at;
	while (mending->to > mending->from && is_blank(mending->came.p[mending->to - 1]))
		mending->to--;
	mending_found(mending, fault);
	return true;
}

/* ---- wrappings ---- */

static struct loom_str first_line(struct loom_str text)
{
	const size_t end = loom_str_find_char(text, '\n', 0);

	return end == SIZE_MAX ? text : loom_str_sub(text, 0, end);
}

/* Where the last line begins. */
static size_t last_line(struct loom_str text)
{
	size_t at = text.n;

	while (at && text.p[at - 1] != '\n')
		at--;
	return at;
}

static struct loom_str right_trim(struct loom_str text)
{
	while (text.n && is_blank(text.p[text.n - 1]))
		text.n--;
	return text;
}

static bool is_rule(struct loom_str line)
{
	const struct loom_str rule = loom_str_trim(line);

	if (rule.n < 3 || !strchr("-*_=", rule.p[0]))
		return false;
	for (size_t i = 1; i < rule.n; i++)
		if (rule.p[i] != rule.p[0])
			return false;
	return true;
}

static bool is_fence(struct loom_str line)
{
	return loom_str_starts(loom_str_trim(line), LOOM_STR("```"));
}

static size_t count_fences(struct loom_str text)
{
	struct loom_str rest = text;
	struct loom_str line;
	size_t n = 0;

	while (rest.n && loom_str_cut(&rest, '\n', &line)) {
		n += is_fence(line);
		if (!rest.p)
			break;
	}
	return n;
}

/* A fence that says it has a text in it, or none, wraps; one of a language is the author's. */
static bool wraps(const struct mending *mending, struct loom_str line)
{
	static const char *const kinds[] = {"", "text", "txt", "markdown", "md", "plaintext"};
	const struct loom_str kind = loom_str_trim(loom_str_sub(loom_str_trim(line), 3, SIZE_MAX));

	for (size_t i = 0; i < LOOM_COUNT(kinds); i++)
		if (loom_str_is(kind, kinds[i]))
			return true;
	return mending->inner;
}

static bool take_fence(struct mending *mending)
{
	const struct loom_str rest = right_trim(mending_rest(mending));
	const struct loom_str line = first_line(rest);
	const size_t last = last_line(rest);

	if (mending->code || !is_fence(line) || line.n == rest.n || !wraps(mending, line))
		return false;
	if (count_fences(rest) > 2)
		return false;
	if (last && is_fence(loom_str_sub(rest, last, rest.n)))
		(void)model_mend_cut(mending, LOOM_FAULT_FENCE, last);
	else if (count_fences(rest) == 2)
		return false;
	return model_mend_skip(mending, LOOM_FAULT_FENCE, line.n);
}

/* Returns the length of a tag at the start of a text, with its name; 0 if there is none. */
static size_t tag_at(struct loom_str text, bool closing, struct loom_str *name)
{
	const size_t open = closing ? 2 : 1;
	size_t n = open;

	LOOM_ASSERT(name && loom_str_ok(text));
	if (text.n < 4 || text.p[0] != '<' || (text.p[1] == '/') != closing)
		return 0;
	while (n < text.n && n < 40 &&
	       ((text.p[n] >= 'a' && text.p[n] <= 'z') || (text.p[n] >= 'A' && text.p[n] <= 'Z') ||
		text.p[n] == '_' || text.p[n] == '-'))
		n++;
	*name = loom_str_sub(text, open, n - open);
	return n < text.n && text.p[n] == '>' && name->n ? n + 1 : 0;
}

static bool is_wrapping(struct loom_str name)
{
	static const char *const names[] = {
		"continuation", "continued_text", "continue", "completion", "text",     "story",
		"output",       "answer",         "response", "result",     "document", "passage",
		"prose",        "assistant",      "content",  "final",
	};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		if (loom_str_is(name, names[i]))
			return true;
	return false;
}

static bool is_open_before(const struct mending *mending, struct loom_str name)
{
	size_t at = loom_str_find(mending->before, name, 0);

	for (; at != SIZE_MAX; at = loom_str_find(mending->before, name, at + 1))
		if (at && (mending->before.p[at - 1] == '<' || mending->before.p[at - 1] == '/'))
			return true;
	return false;
}

static bool take_tag(struct mending *mending)
{
	const struct loom_str rest = right_trim(mending_rest(mending));
	struct loom_str name;
	struct loom_str closing;
	const size_t n = tag_at(rest, false, &name);
	size_t end = rest.n;

	if (!n || !is_wrapping(name) || is_open_before(mending, name))
		return false;
	while (end && rest.p[end - 1] != '<')
		end--;
	if (end > n &&
	    tag_at(loom_str_sub(rest, end - 1, rest.n), true, &closing) == rest.n - end + 1 &&
	    loom_str_eq(closing, name))
		(void)model_mend_cut(mending, LOOM_FAULT_TAGS, end - 1);
	return model_mend_skip(mending, LOOM_FAULT_TAGS, n);
}

/* A tag that was opened nowhere ends an answer. */
static bool take_last_tag(struct mending *mending)
{
	const struct loom_str rest = right_trim(mending_rest(mending));
	struct loom_str name;
	size_t at = rest.n;

	while (at && rest.p[at - 1] != '<')
		at--;
	if (!at || tag_at(loom_str_sub(rest, at - 1, rest.n), true, &name) != rest.n - at + 1 ||
	    !is_wrapping(name) || is_open_before(mending, name))
		return false;
	return model_mend_cut(mending, LOOM_FAULT_TAGS, at - 1);
}

static bool take_thinking(struct mending *mending)
{
	static const char *const names[] = {"think", "thinking", "reasoning", "thought"};
	const struct loom_str all = mending_rest(mending);
	const struct loom_str rest = loom_str_trim(all);
	const size_t lead = rest.n ? (size_t)(rest.p - all.p) : 0;
	char close[32];
	struct loom_str name;

	if (!tag_at(rest, false, &name) || is_open_before(mending, name))
		return false;
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		size_t end;

		if (!loom_str_is(name, names[i]))
			continue;
		snprintf(close, sizeof close, "</%s>", names[i]);
		end = loom_str_find(all, loom_str_of(close), lead);
		return model_mend_skip(mending, LOOM_FAULT_THINKING,
				       end == SIZE_MAX ? all.n : end + strlen(close));
	}
	return false;
}

/* A rule between other things that are left out, or in the middle of a sentence. */
static bool take_rule(struct mending *mending)
{
	const struct loom_str rest = mending_rest(mending);
	const struct loom_str line = first_line(rest);

	if (!is_rule(line) || line.n == rest.n || (!mending->faults && !mending->inner))
		return false;
	return model_mend_skip(mending, LOOM_FAULT_RULE, line.n);
}

static bool take_last_rule(struct mending *mending)
{
	const struct loom_str rest = right_trim(mending_rest(mending));
	const size_t at = last_line(rest);

	if (!at || !is_rule(loom_str_sub(rest, at, rest.n)) ||
	    !(mending->faults & (1u << LOOM_FAULT_POSTAMBLE | 1u << LOOM_FAULT_RULE)))
		return false;
	return model_mend_cut(mending, LOOM_FAULT_RULE, at);
}

/* ---- quotes ---- */

static const struct {
	const char *open;
	const char *close;
} quotes[] = {{"\"", "\""}, {"“", "”"}, {"«", "»"}, {"„", "“"}};

static bool is_lower(struct loom_str text)
{
	size_t at = 0;
	const uint32_t cp = text.n ? loom_utf8_next(text, &at) : 0;

	return (cp >= 'a' && cp <= 'z') || (cp >= 0xDF && cp <= 0xFF) ||
	       (cp >= 0x3B1 && cp <= 0x3C9) || (cp >= 0x430 && cp <= 0x45F);
}

static size_t count_words(struct loom_str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += !is_blank(text.p[i]) && (!i || is_blank(text.p[i - 1]));
	return n;
}

/* Quotes around all of an answer are the model's if it also talks about the answer, or if they
 * begin in the middle of a sentence that leads to no speech. */
static bool take_quotes(struct mending *mending)
{
	const struct loom_str rest = right_trim(mending_rest(mending));
	const bool odd = mending->faults & (1u << LOOM_FAULT_PREAMBLE | 1u << LOOM_FAULT_LABEL);

	for (size_t i = 0; i < LOOM_COUNT(quotes); i++) {
		const struct loom_str open = loom_str_of(quotes[i].open);
		const struct loom_str close = loom_str_of(quotes[i].close);
		struct loom_str in;

		if (!loom_str_starts(rest, open) || !loom_str_ends(rest, close) ||
		    rest.n <= open.n + close.n)
			continue;
		in = loom_str_sub(rest, open.n, rest.n - open.n - close.n);
		if (loom_str_find(in, close, 0) != SIZE_MAX || count_words(in) < 4)
			return false;
		if (!odd && !(mending->inner && is_lower(in)))
			return false;
		(void)model_mend_cut(mending, LOOM_FAULT_QUOTES, rest.n - close.n);
		return model_mend_skip(mending, LOOM_FAULT_QUOTES, open.n);
	}
	return false;
}

/* ---- all ---- */

static void begin(const struct loom_joint *joint, struct mending *out)
{
	const struct loom_str end = right_trim(joint->before);
	const char last = end.n ? end.p[end.n - 1] : '.';

	*out = (struct mending){.before = joint->before,
				.came = joint->came,
				.to = joint->came.n,
				.put = LOOM_STR(""),
				.open = joint->open,
				.code = count_fences(joint->before) % 2};
	out->inner = (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z') ||
		     (last & 0x80 && end.n >= 2 && (unsigned char)end.p[end.n - 2] < 0xE2 &&
		      (unsigned char)end.p[end.n - 2] >= 0xC3);
	if (last == '\n' || (end.n < joint->before.n &&
			     memchr(joint->before.p + end.n, '\n', joint->before.n - end.n)))
		out->inner = false;
}

/* Rules look behind blanks, which an answer without a fault keeps. */
static bool take_start(struct mending *mending)
{
	const size_t from = mending->from;
	bool taken;

	LOOM_ASSERT(from <= mending->to && mending->to <= mending->came.n);
	while (mending->from < mending->to && is_blank(mending->came.p[mending->from]))
		mending->from++;
	taken = take_thinking(mending) || take_fence(mending) || take_tag(mending) ||
		model_mend_preamble(mending) || model_mend_label(mending) ||
		model_mend_remark(mending) || take_rule(mending);
	if (!taken)
		mending->from = mending->faults ? mending->from : from;
	return taken;
}

void loom_mend(const struct loom_joint *joint, struct loom_mended *out)
{
	struct mending mending;

	LOOM_ASSERT(loom_str_ok(joint->before) && loom_str_ok(joint->came));
	begin(joint, &mending);
	for (int i = 0; i < ROUNDS && take_start(&mending);)
		i++;
	for (int i = 0; i < ROUNDS && (model_mend_postamble(&mending) || take_last_tag(&mending) ||
				       take_last_rule(&mending));)
		i++;
	for (int i = 0; i < ROUNDS && (take_fence(&mending) || take_tag(&mending));)
		i++;
	(void)take_quotes(&mending);
	model_mend_refusal(&mending);
	if (mending.from < mending.to && !mending.code) {
		if (!model_mend_echo(&mending))
			model_mend_join(&mending);
	}
	out->faults = mending.faults;
	out->seam = (struct loom_seam){.skip = mending.from,
				       .cut = mending.came.n - mending.to,
				       .put = mending.put};
	LOOM_ASSERT(out->seam.skip + out->seam.cut <= joint->came.n);
}
