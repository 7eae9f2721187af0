/* Passages: put together they are the text, whatever it is, and they begin where they should. */
#include <greatest.h>

#include <loom/text/passages.h>
#include <loom/text/sections.h>

#include "support/prop.h"

static size_t count(struct loom_split split, struct loom_str text)
{
	struct loom_str rest = text;
	struct loom_str passage;
	size_t n = 0;

	while (loom_passage_next(&split, &rest, &passage))
		n++;
	return n;
}

static struct loom_split way(const char *word)
{
	struct loom_split split;

	if (!loom_split_read(loom_str_of(word), &split))
		split.by = LOOM_SPLIT_DEFAULT;
	return split;
}

TEST a_way_to_split_has_a_word(void)
{
	static const char *const words[] = {"none", "heading", "scene", "paragraph", "words:7"};
	static const char *const wrong[] = {"",         "words",   "words:",  "words:0",
					    "words:-1", "words:x", "Heading", "line"};

	for (size_t i = 0; i < LOOM_COUNT(words); i++) {
		struct loom_split split;
		struct loom_buf said = LOOM_BUF_INIT(64);

		ASSERT(loom_split_read(loom_str_of(words[i]), &split));
		loom_split_say(&split, &said);
		ASSERT_STR_EQ(words[i], loom_buf_cstr(&said));
		loom_buf_fini(&said);
	}
	for (size_t i = 0; i < LOOM_COUNT(wrong); i++) {
		struct loom_split split;

		ASSERTm(wrong[i], !loom_split_read(loom_str_of(wrong[i]), &split));
	}
	PASS();
}

TEST passages_begin_where_something_begins(void)
{
	static const struct loom_str text = LOOM_STR_INIT(
		"\n# One\n\nHello there.\nMore.\n\nAnd two.\n\n```\n# code\n\nmore code\n```\n\n"
		"## Sub\n\nBefore.\n\n* * *\nScene two.\n# Two\nEnd.");

	ASSERT_EQ(1, count(way("none"), text));
	ASSERT_EQ(3, count(way("heading"), text));
	ASSERT_EQ(4, count(way("scene"), text));
	ASSERT_EQ(8, count(way("paragraph"), text));
	ASSERT_EQ(1, count(way("heading"), LOOM_STR("# One\nand only")));
	ASSERT_EQ(1, count(way("heading"), LOOM_STR("")));
	ASSERT_EQ(3, count(way("words:2"), LOOM_STR(" a b  c d\n e ")));
	PASS();
}

TEST a_short_text_stays_whole_and_a_long_one_is_split_as_suits_it(void)
{
	static const char *const lines[] = {"One more line of words.\n", "\n* * *\n\n",
					    "\n## A heading\n\n"};
	static const enum loom_split_by by[] = {LOOM_SPLIT_NONE, LOOM_SPLIT_SCENE,
						LOOM_SPLIT_HEADING};
	const struct loom_split none = {.by = LOOM_SPLIT_DEFAULT};

	for (size_t i = 0; i < LOOM_COUNT(lines); i++) {
		struct loom_buf text = LOOM_BUF_INIT(1 << 20);

		ASSERT_EQ(LOOM_SPLIT_NONE, loom_split_for(none, LOOM_STR("# A\n\n# B\n")).by);
		for (int n = 0; n < 400; n++)
			loom_buf_adds(&text, n % 20 ? lines[0] : lines[i]);
		ASSERT_EQ(by[i], loom_split_for(none, loom_buf_str(&text)).by);
		loom_buf_fini(&text);
	}
	PASS();
}

TEST passages_put_together_are_the_text(void)
{
	static const char *const pieces[] = {"# ", "\n",  "\n\n", "a word ", "* * *", "```", "\r\n",
					     "\t", "---", "é",    "##",      " ",     "~~~"};
	static const char *const ways[] = {"heading", "scene",   "paragraph",
					   "none",    "words:1", "words:5"};
	struct prop prop;

	prop_init(&prop, "passages");
	for (int round = 0; round < 4000; round++) {
		struct loom_buf text = LOOM_BUF_INIT(1 << 16);
		struct loom_buf joined = LOOM_BUF_INIT(1 << 16);
		const struct loom_split split = way(ways[prop_below(&prop, LOOM_COUNT(ways))]);
		struct loom_str rest;
		struct loom_str passage;

		for (size_t n = prop_below(&prop, 30); n; n--)
			loom_buf_adds(&text, pieces[prop_below(&prop, LOOM_COUNT(pieces))]);
		rest = loom_buf_str(&text);
		while (loom_passage_next(&split, &rest, &passage)) {
			ASSERT(passage.n > 0 || !text.n);
			loom_buf_add(&joined, passage);
		}
		ASSERT(loom_str_eq(loom_buf_str(&text), loom_buf_str(&joined)));
		loom_buf_fini(&text);
		loom_buf_fini(&joined);
	}
	PASS();
}

SUITE(passages)
{
	RUN_TEST(a_way_to_split_has_a_word);
	RUN_TEST(passages_begin_where_something_begins);
	RUN_TEST(a_short_text_stays_whole_and_a_long_one_is_split_as_suits_it);
	RUN_TEST(passages_put_together_are_the_text);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(passages);
	GREATEST_MAIN_END();
}
