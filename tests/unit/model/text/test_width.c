/* Cells, clusters and folding against the Unicode data files and the C library. */
#include <greatest.h>

#include <locale.h>
#include <wchar.h>

#include <loom/base/utf8.h>
#include <loom/text/width.h>

GREATEST_MAIN_DEFS();

#define BREAK_TEST "/usr/share/unicode/auxiliary/GraphemeBreakTest.txt"
#define EMOJI_TEST "/usr/share/unicode/emoji/emoji-test.txt"

static int cells(const char *text)
{
	size_t at = 0;
	int width = loom_grapheme_next(loom_str_of(text), &at);

	return at == strlen(text) ? width : -(int)at;
}

TEST cells_of_single_characters(void)
{
	static const struct {
		uint32_t cp;
		int width;
	} cases[] = {
		{'a', 1},         {0, 0},       {0x1F, 0},    {0x7F, 0},     {0x9B, 0},
		{0xE9, 1},        {0x301, 0},   {0x4E2D, 2},  {0x3000, 2},   {0xFF21, 2},
		{0xFF71, 1},      {0xAC00, 2},  {0x1160, 0},  {0x1100, 2},   {0x200B, 0},
		{0x200D, 0},      {0xAD, 0},    {0x1F600, 2}, {0x2764, 1},   {0x231A, 2},
		{0x1F1E6, 1},     {0x1F3FB, 2}, {0xE000, 0},  {0xFFFF, 0},   {0x378, 0},
		{0xD800, 0},      {0x20000, 2}, {0x2FFFE, 0}, {0x10FFFF, 0}, {0x110000, 0},
		{LOOM_CP_BAD, 0}, {0x915, 1},   {0x93F, 1},   {0x94D, 0},    {0xE33, 1},
		{0x600, 1},       {0x2014, 1},  {0x1FAE8, 2},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		static char name[16];

		snprintf(name, sizeof name, "U+%04X", (unsigned)cases[i].cp);
		ASSERT_EQ_FMTm(name, cases[i].width, loom_cp_width(cases[i].cp), "%d");
	}
	PASS();
}

TEST cells_of_clusters(void)
{
	ASSERT_EQ_FMT(1, cells("a"), "%d");
	ASSERT_EQ_FMT(1, cells("e\u0301\u0302"), "%d");
	ASSERT_EQ_FMT(2, cells("\u4E2D\u0301"), "%d");
	ASSERT_EQ_FMT(2, cells("\U0001F1E9\U0001F1EA"), "%d");
	ASSERT_EQ_FMT(2, cells("\u2764\uFE0F"), "%d");
	ASSERT_EQ_FMT(1, cells("\u2764"), "%d");
	ASSERT_EQ_FMT(1, cells("\u2764\u0301"), "%d");
	ASSERT_EQ_FMT(2, cells("1\uFE0F\u20E3"), "%d");
	ASSERT_EQ_FMT(1, cells("1\uFE0F"), "%d");
	ASSERT_EQ_FMT(1, cells("1\u20E3"), "%d");
	ASSERT_EQ_FMT(1, cells("a\uFE0F"), "%d");
	ASSERT_EQ_FMT(2, cells("\U0001F44D\U0001F3FD"), "%d");
	ASSERT_EQ_FMT(2, cells("\U0001F469\u200D\U0001F469\u200D\U0001F467"), "%d");
	ASSERT_EQ_FMT(2, cells("\u2764\u200D\U0001F525"), "%d");
	ASSERT_EQ_FMT(2, cells("\u1100\u1161\u11A8"), "%d");
	ASSERT_EQ_FMT(2, cells("\uAC01\u11A8\u11A8"), "%d");
	ASSERT_EQ_FMT(2, cells("\u0915\u093F"), "%d");
	ASSERT_EQ_FMT(2, cells("\u0915\u094D\u0937"), "%d");
	ASSERT_EQ_FMT(2, cells("\u0E01\u0E33"), "%d");
	ASSERT_EQ_FMT(0, cells("\r\n"), "%d");
	PASS();
}

TEST a_text_is_as_wide_as_its_clusters(void)
{
	ASSERT_EQ(0, loom_str_width(LOOM_STR("")));
	ASSERT_EQ(5, loom_str_width(LOOM_STR("hello")));
	ASSERT_EQ(8, loom_str_width(LOOM_STR("a\u4E2D\u6587e\u0301\U0001F600")));
	ASSERT_EQ(4, loom_str_width(LOOM_STR("\U0001F1E9\U0001F1EA\U0001F1E9\U0001F1EA")));
	ASSERT_EQ(2, loom_str_width(LOOM_STR("a\xFF\xC3z")));
	PASS();
}

/* Reads "÷ 0020 × 0308 ÷": the text, and where it breaks. */
static size_t read_break_line(char *line, struct loom_buf *text, size_t breaks[64])
{
	size_t count = 0;
	char *save = NULL;

	for (char *word = strtok_r(line, " \t\r\n", &save); word && word[0] != '#';
	     word = strtok_r(NULL, " \t\r\n", &save)) {
		if (strcmp(word, "\xC3\xB7") == 0)
			breaks[count++] = text->n;
		else if (strcmp(word, "\xC3\x97") != 0)
			loom_buf_add_cp(text, (uint32_t)strtoul(word, NULL, 16));
	}
	return count;
}

static enum greatest_test_res check_breaks(struct loom_str text, const size_t *breaks, size_t count)
{
	size_t at = 0;

	ASSERT_EQ(0, breaks[0]);
	for (size_t i = 1; i < count; i++) {
		ASSERT(at < text.n);
		(void)loom_grapheme_next(text, &at);
		ASSERT_EQ_FMT(breaks[i], at, "%zu");
		ASSERT_EQ_FMT(breaks[i - 1], loom_grapheme_prev(text, at), "%zu");
	}
	ASSERT_EQ(text.n, at);
	PASS();
}

TEST clusters_end_where_unicode_says(void)
{
	FILE *file = fopen(BREAK_TEST, "r");
	char line[1024];
	size_t lines = 0;

	if (!file)
		SKIPm("no " BREAK_TEST);
	while (fgets(line, sizeof line, file)) {
		struct loom_buf text = LOOM_BUF_INIT(1024);
		char shown[1024];
		size_t breaks[64];
		size_t count = 0;

		snprintf(shown, sizeof shown, "%s", line);
		count = read_break_line(line, &text, breaks);
		if (count &&
		    check_breaks(loom_buf_str(&text), breaks, count) != GREATEST_TEST_RES_PASS)
			FAILm(shown);
		lines += count > 0;
		loom_buf_fini(&text);
	}
	fclose(file);
	ASSERT(lines > 500);
	PASS();
}

TEST every_listed_emoji_is_one_cluster_of_two_cells(void)
{
	FILE *file = fopen(EMOJI_TEST, "r");
	char line[1024];
	size_t count = 0;

	if (!file)
		SKIPm("no " EMOJI_TEST);
	while (fgets(line, sizeof line, file)) {
		struct loom_buf text = LOOM_BUF_INIT(1024);
		char *word = line;
		bool full = strstr(line, "; fully-qualified") || strstr(line, "; component");

		while (full && *word != ';') {
			loom_buf_add_cp(&text, (uint32_t)strtoul(word, &word, 16));
			while (*word == ' ')
				word++;
		}
		if (full)
			ASSERT_EQ_FMTm(line, 2, cells(loom_buf_cstr(&text)), "%d");
		count += full;
		loom_buf_fini(&text);
	}
	fclose(file);
	ASSERT(count > 3000);
	PASS();
}

TEST a_caret_goes_left_by_the_steps_it_went_right(void)
{
	static const uint32_t pool[] = {'a',     0x301,  0x200D, 0x1F469, 0x1F3FD,    0xFE0F,
					0x1F1E9, 0x915,  0x94D,  0x93C,   0x1100,     0x1161,
					0x11A8,  0xAC00, 0x600,  0x903,   '\r',       '\n',
					0x200C,  0x2764, 0xAC01, 0x20E3,  LOOM_CP_BAD};
	uint64_t state = 7;

	for (int round = 0; round < 30000; round++) {
		struct loom_buf text = LOOM_BUF_INIT(256);
		size_t starts[64];
		size_t count = 0;
		struct loom_str s;

		for (int i = 0; i < 14; i++) {
			uint32_t cp = 0;

			state = state * 6364136223846793005u + 1442695040888963407u;
			cp = pool[(state >> 33) % LOOM_COUNT(pool)];
			if (cp == LOOM_CP_BAD)
				loom_buf_addc(&text, '\xC3');
			else
				loom_buf_add_cp(&text, cp);
		}
		s = loom_buf_str(&text);
		for (size_t at = 0; at < s.n; (void)loom_grapheme_next(s, &at))
			starts[count++] = at;
		for (size_t at = s.n; count--; at = starts[count])
			ASSERT_EQ_FMT(starts[count], loom_grapheme_prev(s, at), "%zu");
		loom_buf_fini(&text);
	}
	PASS();
}

TEST one_endless_cluster_is_walked_in_time(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t at = 0;

	loom_buf_addc(&text, 'a');
	for (int i = 0; i < 500000; i++)
		loom_buf_add_cp(&text, 0x301);
	(void)loom_grapheme_next(loom_buf_str(&text), &at);
	ASSERT_EQ(text.n, at);
	for (int i = 0; i < 1000; i++)
		ASSERT(loom_grapheme_prev(loom_buf_str(&text), text.n) < text.n);
	loom_buf_fini(&text);
	PASS();
}

TEST cells_agree_with_the_c_library(void)
{
	size_t compared = 0;

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		SKIPm("no C.UTF-8 locale");
	/* Trigrams are wide since Unicode 16; ours, and Debian 12's, are of 15.0. */
	if (wcwidth(0x2630) != 1)
		SKIPm("the C library's table is of a later Unicode");
	for (uint32_t cp = 0x20; cp < 0x110000; cp++) {
		int theirs = wcwidth((wchar_t)cp);
		int ours = loom_cp_width(cp);
		static char name[16];

		/* 0 of ours is drawn by name, or stands on a base; -1 of theirs is unknown to it.
		 */
		if (ours == 0 || theirs < 0)
			continue;
		snprintf(name, sizeof name, "U+%04X", (unsigned)cp);
		ASSERT_EQ_FMTm(name, theirs, ours, "%d");
		compared++;
	}
	setlocale(LC_CTYPE, "C");
	ASSERT(compared > 100000);
	PASS();
}

TEST folding_takes_case_and_accents_away(void)
{
	static const struct {
		uint32_t cp;
		uint32_t to;
	} cases[] = {
		{'A', 'a'},           {'z', 'z'},           {'[', '['},
		{0xC9, 'e'},          {0xE9, 'e'},          {0x130, 'i'},
		{0x131, 0x131},       {0x1EA5, 'a'},        {0x1EA4, 'a'},
		{0x391, 0x3B1},       {0x386, 0x3B1},       {0x3C2, 0x3C3},
		{0x1F82, 0x3B1},      {0x419, 0x438},       {0x451, 0x435},
		{0xDF, 0xDF},         {0x1E9E, 0xDF},       {0xD8, 0xF8},
		{0x10400, 0x10428},   {0x304C, 0x304C},     {0xAC00, 0xAC00},
		{0x4E2D, 0x4E2D},     {0x301, 0x301},       {0x212A, 'k'},
		{0x10FFFF, 0x10FFFF}, {0x110000, 0x110000}, {LOOM_CP_BAD, LOOM_CP_BAD},
		{0x100, 'a'},         {0x101, 'a'},         {0x17F, 's'},
		{0x1E9B, 's'},        {0x13A0, 0x13A0},     {0xAB70, 0x13A0},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		static char name[16];

		snprintf(name, sizeof name, "U+%04X", (unsigned)cases[i].cp);
		ASSERT_EQ_FMTm(name, cases[i].to, loom_cp_fold(cases[i].cp), "%x");
	}
	for (uint32_t cp = 0; cp < 0x110000; cp++) {
		uint32_t once = loom_cp_fold(cp);

		ASSERT(once < 0x110000);
		ASSERT_EQ_FMT(once, loom_cp_fold(once), "%x");
	}
	PASS();
}

TEST marks_and_right_to_left_letters_are_known(void)
{
	ASSERT(loom_cp_is_mark(0x301) && loom_cp_is_mark(0x93F) && loom_cp_is_mark(0x200D));
	ASSERT_FALSE(loom_cp_is_mark('a') || loom_cp_is_mark(0x4E2D) || loom_cp_is_mark(0x1F600));
	ASSERT(loom_cp_is_rtl(0x5D0) && loom_cp_is_rtl(0x627) && loom_cp_is_rtl(0x1E900));
	ASSERT_FALSE(loom_cp_is_rtl('a') || loom_cp_is_rtl(0x301) || loom_cp_is_rtl(0x661));
	PASS();
}

SUITE(width)
{
	RUN_TEST(cells_of_single_characters);
	RUN_TEST(cells_of_clusters);
	RUN_TEST(a_text_is_as_wide_as_its_clusters);
	RUN_TEST(clusters_end_where_unicode_says);
	RUN_TEST(every_listed_emoji_is_one_cluster_of_two_cells);
	RUN_TEST(a_caret_goes_left_by_the_steps_it_went_right);
	RUN_TEST(one_endless_cluster_is_walked_in_time);
	RUN_TEST(cells_agree_with_the_c_library);
	RUN_TEST(folding_takes_case_and_accents_away);
	RUN_TEST(marks_and_right_to_left_letters_are_known);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(width);
	GREATEST_MAIN_END();
}
