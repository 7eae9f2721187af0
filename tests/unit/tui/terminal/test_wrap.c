#include "greatest.h"

#include <loom/terminal/wrap.h>

#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>

/* The lines of a text, | between them. */
static const char *wrapped(const char *text, int width)
{
	static struct loom_buf out = LOOM_BUF_INIT(1 << 20);
	struct loom_str s = loom_str_of(text);
	size_t at = 0;

	loom_buf_clear(&out);
	for (;;) {
		struct tui_line line = tui_wrap_line(s, at, width);
		loom_buf_add(&out, loom_str_sub(s, line.from, line.to - line.from));
		if (line.next >= s.n)
			return loom_buf_cstr(&out);
		loom_buf_addc(&out, '|');
		at = line.next;
	}
}

struct row {
	const char *text;
	int width;
	const char *lines;
};

static const struct row rows[] = {
	{"", 10, ""},
	{"the house at the end", 10, "the house|at the end"},
	{"the house", 9, "the house"},
	{"the house ", 9, "the house "}, /* blanks hang over the edge */
	{"the  house", 5, "the|house"},
	{"a\nb\n\nc", 10, "a|b||c"},
	{"a\r\nb", 10, "a|b"},
	{"abcdefghij", 4, "abcd|efgh|ij"},
	{"ab cdefghij", 4, "ab|cdef|ghij"},
	{"well-known fact", 6, "well-|known|fact"},
	{"minus -5 is", 7, "minus|-5 is"},
	{"  indented text", 10, "  indented|text"},
	{"\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 5,
	 "\xe6\xbc\xa2\xe5\xad\x97|\xe6\xbc\xa2\xe5\xad\x97"},
	/* a full stop does not begin a line */
	{"\xe6\xbc\xa2\xe5\xad\x97\xe3\x80\x82\xe6\xbc\xa2", 4,
	 "\xe6\xbc\xa2|\xe5\xad\x97\xe3\x80\x82|\xe6\xbc\xa2"},
	{"e\xcc\x81"
	 "e\xcc\x81"
	 "e\xcc\x81",
	 2,
	 "e\xcc\x81"
	 "e\xcc\x81|e\xcc\x81"},
	{"\xe6\xbc\xa2", 1, "\xe6\xbc\xa2"}, /* wider than the line: alone on one */
	{"x\xe6\xbc\xa2", 1, "x|\xe6\xbc\xa2"},
};

TEST lines_end_where_they_should(void)
{
	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		ASSERT_STR_EQ(rows[i].lines, wrapped(rows[i].text, rows[i].width));
	PASS();
}

TEST prose_is_never_wider_than_the_measure(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);

	for (int i = 0; i < 400; i++)
		loom_buf_adds(&text, "word ");
	ASSERT(tui_wrap_line(loom_buf_str(&text), 0, 300).cells <= TUI_MEASURE);
	loom_buf_fini(&text);
	PASS();
}

/* A random text of all that is difficult. */
static void random_text(struct loom_buf *text, size_t n)
{
	static const char *const bits[] = {"a",
					   "word ",
					   " ",
					   "\n",
					   "\xe6\xbc\xa2",
					   "e\xcc\x81",
					   "-",
					   "\t",
					   "\x1b",
					   "\xff",
					   "(x)",
					   "\r\n",
					   "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7",
					   "longwordwithoutend",
					   "\xe3\x80\x82"};

	loom_buf_clear(text);
	while (text->n < n)
		loom_buf_adds(text, bits[(size_t)rand() % LOOM_COUNT(bits)]);
}

static const char *law_broken(struct loom_str text, int width)
{
	size_t starts[4096];
	size_t n = 0;

	for (size_t at = 0; n < LOOM_COUNT(starts);) {
		struct tui_line line = tui_wrap_line(text, at, width);
		starts[n++] = at;
		if (line.to < line.from || line.next < line.to || line.from != at)
			return "a line is not in order";
		if (line.next == at && at < text.n)
			return "a line takes nothing";
		if (line.next >= text.n)
			break;
		at = line.next;
	}
	for (size_t i = 0; i < n; i++) {
		size_t end = i + 1 < n ? starts[i + 1] : text.n;
		size_t middle = starts[i] + (end - starts[i]) / 2;
		if (starts[i] < text.n && tui_wrap_start(text, starts[i], width) != starts[i])
			return "the start of a line is not its own line";
		if (middle < text.n && tui_wrap_start(text, middle, width) != starts[i])
			return "a byte is in another line than it is";
		if (i >= 3 && tui_wrap_up(text, starts[i], width, 3, NULL) != starts[i - 3])
			return "three up is not three down";
	}
	if (text.n > 0 && text.p[text.n - 1] != '\n' &&
	    tui_wrap_count(text, 0, width, 100000) != (int)n)
		return "the count is not the number of lines";
	return NULL;
}

TEST every_way_to_a_line_finds_the_same_line(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);

	srand(9);
	for (int round = 0; round < 60; round++) {
		random_text(&text, (size_t)(round * 11));
		for (int width = 1; width < 60; width += 1 + width / 5)
			ASSERT_EQ(NULL, law_broken(loom_buf_str(&text), width));
	}
	loom_buf_fini(&text);
	PASS();
}

TEST long_paragraphs_obey_the_same_laws(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);

	for (int i = 0; i < 3000; i++)
		loom_buf_adds(&text, i % 1501 ? "words and " : "\n");
	ASSERT_EQ(NULL, law_broken(loom_buf_str(&text), 40));
	loom_buf_clear(&text);
	for (int i = 0; i < 6000; i++)
		loom_buf_adds(&text, "\xe6\xbc\xa2");
	ASSERT_EQ(NULL, law_broken(loom_buf_str(&text), 33));
	loom_buf_clear(&text);
	loom_buf_add_repeat(&text, 'x', 20000);
	ASSERT_EQ(NULL, law_broken(loom_buf_str(&text), 33));
	loom_buf_clear(&text);
	loom_buf_add_repeat(&text, ' ', 20000);
	ASSERT_EQ(NULL, law_broken(loom_buf_str(&text), 33));
	loom_buf_fini(&text);
	PASS();
}

TEST a_window_into_a_hundred_megabytes_costs_no_more_than_one_into_a_page(void)
{
	struct loom_buf text = LOOM_BUF_INIT((size_t)128 << 20);
	struct loom_str s;
	size_t at;
	clock_t before;

	loom_buf_add_repeat(&text, 'x', (size_t)100 << 20); /* one paragraph, one word */
	for (size_t i = 7; i < text.n; i += 9)
		text.p[i] = ' ';
	s = loom_buf_str(&text);
	before = clock();
	at = tui_wrap_start(s, (size_t)60 << 20, 80);
	at = tui_wrap_up(s, at, 80, 200, NULL);
	for (int i = 0; i < 400; i++)
		at = tui_wrap_line(s, at, 80).next;
	ASSERT(at > (size_t)60 << 20);
#ifndef LOOM_INSTRUMENTED
	ASSERT((double)(clock() - before) / CLOCKS_PER_SEC < 0.1);
#else
	(void)before;
#endif
	loom_buf_fini(&text);
	PASS();
}

TEST a_column_counts_the_cells_before_an_offset(void)
{
	struct loom_str s = LOOM_STR("a\xe6\xbc\xa2\tb\x1bz");

	ASSERT_EQ(1, tui_wrap_column(s, 0, 1));
	ASSERT_EQ(3, tui_wrap_column(s, 0, 4));
	ASSERT_EQ(8, tui_wrap_column(s, 0, 5));
	ASSERT_EQ(9, tui_wrap_column(s, 0, 6));
	ASSERT_EQ(11, tui_wrap_column(s, 0, 7)); /* ^[ */
	PASS();
}

TEST the_quick_way_measures_what_is_drawn(void)
{
	struct loom_piece piece;
	char text[8];

	for (uint32_t cp = 0x20; cp < 0x11000; cp++) {
		size_t n = cp >= 0xd800 && cp < 0xe000 ? 0 : loom_utf8_encode(cp, text);
		size_t at = 0;
		size_t piece_at = 0;
		if (n == 0 || cp == '\t')
			continue;
		text[n] = 'x';
		loom_shown_next(loom_str_make(text, n + 1), &piece_at, &piece);
		ASSERT_EQ_FMT((int)piece.width, tui_wrap_step(loom_str_make(text, n + 1), &at, 0),
			      "%d");
		ASSERT_EQ(piece_at, at);
	}
	PASS();
}

SUITE(wrap)
{
	RUN_TEST(lines_end_where_they_should);
	RUN_TEST(prose_is_never_wider_than_the_measure);
	RUN_TEST(every_way_to_a_line_finds_the_same_line);
	RUN_TEST(long_paragraphs_obey_the_same_laws);
	RUN_TEST(a_window_into_a_hundred_megabytes_costs_no_more_than_one_into_a_page);
	RUN_TEST(a_column_counts_the_cells_before_an_offset);
	RUN_TEST(the_quick_way_measures_what_is_drawn);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(wrap);
	GREATEST_MAIN_END();
}
