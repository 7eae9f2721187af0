/* Passages: a new one begins at the line that begins something, so that a heading stands before its
 * text and blank lines stay with what they end. */
#include <loom/text/passages.h>

#include <loom/text/sections.h>

static const struct {
	const char *word;
	enum loom_split_by by;
} ways[] = {
	{"none", LOOM_SPLIT_NONE},
	{"heading", LOOM_SPLIT_HEADING},
	{"scene", LOOM_SPLIT_SCENE},
	{"paragraph", LOOM_SPLIT_PARAGRAPH},
};

bool loom_split_read(struct loom_str word, struct loom_split *out)
{
	static const struct loom_str words = LOOM_STR_INIT("words:");

	*out = (struct loom_split){.by = LOOM_SPLIT_WORDS};
	if (loom_str_starts(word, words))
		return loom_str_to_i64(loom_str_sub(word, words.n, word.n), &out->words) &&
		       out->words > 0;
	for (size_t i = 0; i < LOOM_COUNT(ways); i++)
		if (loom_str_is(word, ways[i].word)) {
			out->by = ways[i].by;
			return true;
		}
	return false;
}

void loom_split_say(const struct loom_split *split, struct loom_buf *out)
{
	if (split->by == LOOM_SPLIT_WORDS)
		loom_buf_addf(out, "words:%lld", (long long)split->words);
	for (size_t i = 0; i < LOOM_COUNT(ways); i++)
		if (split->by == ways[i].by)
			loom_buf_adds(out, ways[i].word);
}

/* Whether a passage begins at this line; `blank` says that the line before it is blank. */
static bool begins(enum loom_split_by by, enum loom_line kind, struct loom_str line, bool blank)
{
	if (by == LOOM_SPLIT_PARAGRAPH && kind != LOOM_LINE_CODE && blank)
		return true;
	if (by == LOOM_SPLIT_SCENE && kind == LOOM_LINE_TEXT && loom_line_is_break(line))
		return true;
	return kind == LOOM_LINE_HEADING;
}

/* Whether a text has a passage that begins inside it. */
static bool has_inside(enum loom_split_by by, struct loom_str text)
{
	const struct loom_split split = {.by = by};
	struct loom_str passage;

	return loom_passage_next(&split, &text, &passage) && text.n > 0;
}

struct loom_split loom_split_for(struct loom_split split, struct loom_str text)
{
	static const enum loom_split_by order[] = {LOOM_SPLIT_HEADING, LOOM_SPLIT_SCENE,
						   LOOM_SPLIT_PARAGRAPH};

	if (split.by != LOOM_SPLIT_DEFAULT)
		return split;
	if (loom_word_count(text) > LOOM_SPLIT_SHORT)
		for (size_t i = 0; i < LOOM_COUNT(order); i++)
			if (has_inside(order[i], text))
				return (struct loom_split){.by = order[i]};
	return (struct loom_split){.by = LOOM_SPLIT_NONE};
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The end of the first `words` words, with the blanks behind them. */
static size_t after_words(struct loom_str text, int64_t words)
{
	size_t at = 0;

	while (at < text.n && is_blank(text.p[at]))
		at++;
	for (; words > 0 && at < text.n; words--) {
		while (at < text.n && !is_blank(text.p[at]))
			at++;
		while (at < text.n && is_blank(text.p[at]))
			at++;
	}
	return at;
}

/* The first line, other than the first one with words, at which a passage begins. */
static size_t next_line(enum loom_split_by by, struct loom_str text)
{
	struct loom_lines walk = {.rest = text};
	struct loom_heading heading;
	struct loom_str line;
	bool words = false; /* the passage has some */
	bool blank = false;

	for (;;) {
		const size_t at = text.n - walk.rest.n;
		const enum loom_line kind = loom_lines_next(&walk, &line, &heading);
		bool empty;

		if (kind == LOOM_LINE_END)
			return text.n;
		empty = !loom_str_trim(line).n;
		if (words && !empty && begins(by, kind, line, blank))
			return at;
		words = words || !empty;
		blank = empty && kind != LOOM_LINE_CODE;
	}
}

bool loom_passage_next(const struct loom_split *split, struct loom_str *rest, struct loom_str *out)
{
	size_t end = rest->n;

	if (!rest->p)
		return false;
	if (split->by == LOOM_SPLIT_WORDS)
		end = after_words(*rest, split->words);
	else if (split->by != LOOM_SPLIT_NONE)
		end = next_line(split->by, *rest);
	*out = loom_str_sub(*rest, 0, end);
	*rest = end < rest->n ? loom_str_sub(*rest, end, rest->n) : (struct loom_str){NULL, 0};
	return true;
}
