/* The sanitiser: nothing that a terminal obeys, and nothing invisible, ever comes out. */
#include <greatest.h>

#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>
#include <loom/text/width.h>

#include "support/prop.h"

GREATEST_MAIN_DEFS();

#define EMOJI_TEST "/usr/share/unicode/emoji/emoji-test.txt"

/* The shown form of `s`; the caller frees. */
static struct loom_buf shown(struct loom_str s)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_shown_text(&buf, s);
	return buf;
}

static enum greatest_test_res check(struct loom_str in, const char *out)
{
	struct loom_buf buf = shown(in);
	static char got[512];

	snprintf(got, sizeof got, "%s", loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
	ASSERT_STR_EQ(out, got);
	PASS();
}

#define CHECK_SHOWN(in, out) CHECK_CALL(check(LOOM_STR(in), out))

TEST plain_text_stays_as_it_is(void)
{
	CHECK_SHOWN("", "");
	CHECK_SHOWN("hello, world ~", "hello, world ~");
	CHECK_SHOWN("na\u00EFve \u4E2D\u6587 \U0001F600 \u05D0\u0627",
		    "na\u00EFve \u4E2D\u6587 \U0001F600 \u05D0\u0627");
	CHECK_SHOWN("e\u0301 \u0915\u094D\u0937\u093F \u1100\u1161\u11A8",
		    "e\u0301 \u0915\u094D\u0937\u093F \u1100\u1161\u11A8");
	CHECK_SHOWN("a\u00A0b\u3000c", "a\u00A0b\u3000c");
	PASS();
}

TEST controls_are_named_with_a_caret(void)
{
	CHECK_SHOWN("\x1B[31mred\x07", "^[[31mred^G");
	CHECK_SHOWN("\0x", "^@x");
	CHECK_SHOWN("\x7F", "^?");
	CHECK_SHOWN("a\rb", "a^Mb");
	CHECK_SHOWN("\x1F", "^_");
	CHECK_SHOWN("a\r", "a^M");
	CHECK_SHOWN("\v\f\b", "^K^L^H");
	PASS();
}

TEST c1_controls_and_bad_bytes_are_named_in_hex(void)
{
	CHECK_SHOWN("\xC2\x9B"
		    "31m",
		    "\\x9B31m");
	CHECK_SHOWN("\xC2\x85", "\\x85");
	CHECK_SHOWN("\x9B"
		    "31m",
		    "\\x9B31m");
	CHECK_SHOWN("\xC0\x80", "\\xC0\\x80");
	CHECK_SHOWN("\xED\xA0\x80", "\\xED\\xA0\\x80");
	CHECK_SHOWN("\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
	CHECK_SHOWN("\xE2\x82", "\\xE2\\x82");
	CHECK_SHOWN("\xE2\x82z", "\\xE2\\x82z");
	CHECK_SHOWN("a\xFF\u0301", "a\\xFF\u25CC\u0301");
	PASS();
}

TEST line_breaks_and_tabs_are_laid_out(void)
{
	CHECK_SHOWN("a\nb\r\nc\n", "a\nb\nc\n");
	CHECK_SHOWN("\tx", "        x");
	CHECK_SHOWN("1234567\tx\t", "1234567 x       ");
	CHECK_SHOWN("12345678\tx", "12345678        x");
	CHECK_SHOWN("ab\n\u4E2D\tx", "ab\n\u4E2D      x");
	PASS();
}

TEST bidi_controls_go_by_their_names(void)
{
	CHECK_SHOWN("a\u202Eb\u202Cc", "a<RLO>b<PDF>c");
	CHECK_SHOWN("\u061C\u200E\u200F", "<ALM><LRM><RLM>");
	CHECK_SHOWN("\u202A\u202B\u202D", "<LRE><RLE><LRO>");
	CHECK_SHOWN("\u2066\u2067\u2068\u2069", "<LRI><RLI><FSI><PDI>");
	PASS();
}

TEST invisible_and_unknown_characters_show_their_numbers(void)
{
	CHECK_SHOWN("a\u200Bb\u00ADc", "a<U+200B>b<U+00AD>c");
	CHECK_SHOWN("\uFEFFx", "<U+FEFF>x");
	CHECK_SHOWN("a\u2028b\u2029", "a<U+2028>b<U+2029>");
	CHECK_SHOWN("\u2800\u3164\uFFA0\u115F\u1160", "<U+2800><U+3164><U+FFA0><U+115F><U+1160>");
	CHECK_SHOWN("\uE000\U000F0000\U0010FFFF\uFFFE\u0378",
		    "<U+E000><U+F0000><U+10FFFF><U+FFFE><U+0378>");
	CHECK_SHOWN("\u034F\u180B\U000E0100", "<U+034F><U+180B><U+E0100>");
	CHECK_SHOWN("a\uFE0Eb\uFE00", "a<U+FE0E>b<U+FE00>");
	PASS();
}

TEST marks_are_bounded_and_the_rest_is_counted(void)
{
	CHECK_SHOWN("a\u0301\u0302\u0303\u0304", "a\u0301\u0302\u0303\u0304");
	CHECK_SHOWN("a\u0301\u0302\u0303\u0304\u0305"
		    "b",
		    "a\u0301\u0302\u0303\u0304<+1 marks>b");
	CHECK_SHOWN("a\u0301\u0302\u0303\u0304\u0305\u0301\u0302\u4E2D\u0301",
		    "a\u0301\u0302\u0303\u0304<+3 marks>\u4E2D\u0301");
	CHECK_SHOWN("\u0915\u093F\u093F\u093F\u093F\u093F\u093F",
		    "\u0915\u093F\u093F\u093F\u093F<+2 marks>");
	PASS();
}

TEST a_mark_that_stands_on_nothing_gets_a_circle(void)
{
	CHECK_SHOWN("\u0301x", "\u25CC\u0301x");
	CHECK_SHOWN("a\n\u0301", "a\n\u25CC\u0301");
	CHECK_SHOWN("\t\u0301", "        \u25CC\u0301");
	CHECK_SHOWN("\u200B\u0301", "<U+200B>\u25CC\u0301");
	CHECK_SHOWN("\u093F", "\u25CC\u093F");
	CHECK_SHOWN("\u0301\u0301\u0301\u0301\u0301\u0301",
		    "\u25CC\u0301\u0301\u0301\u0301<+2 marks>");
	CHECK_SHOWN(" \u0301", " \u0301");
	/* Vowel signs that are clusters of their own need no circle behind a letter. */
	CHECK_SHOWN("\u1000\u102C\u102C", "\u1000\u102C\u102C");
	CHECK_SHOWN("\u102C", "\u25CC\u102C");
	/* Half a Hangul syllable has no cell to stand in. */
	CHECK_SHOWN("\u1161", "<U+1161>");
	PASS();
}

TEST joiners_stay_between_letters_that_need_them(void)
{
	CHECK_SHOWN("\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",
		    "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645");
	CHECK_SHOWN("\u0915\u094D\u200D\u0937", "\u0915\u094D\u200D\u0937");
	CHECK_SHOWN("\u0915\u094D\u200C\u0937", "\u0915\u094D\u200C\u0937");
	CHECK_SHOWN("\u0628\u064E\u200C\u0628", "\u0628\u064E\u200C\u0628");
	CHECK_SHOWN("a\u200Db", "a<U+200D>b");
	CHECK_SHOWN("\u0628\u200C", "\u0628<U+200C>");
	CHECK_SHOWN("\u200C\u0628", "<U+200C>\u0628");
	CHECK_SHOWN("\u0628\u200C\u200C\u0628", "\u0628<U+200C><U+200C>\u0628");
	CHECK_SHOWN("\u0628\u200C"
		    "b",
		    "\u0628<U+200C>b");
	CHECK_SHOWN("\u0628\u200Bb", "\u0628<U+200B>b");
	PASS();
}

TEST joiners_and_styles_stay_in_listed_emoji_only(void)
{
	CHECK_SHOWN("\U0001F469\u200D\U0001F4BB!", "\U0001F469\u200D\U0001F4BB!");
	CHECK_SHOWN("\u2764\uFE0F\u200D\U0001F525", "\u2764\uFE0F\u200D\U0001F525");
	CHECK_SHOWN("\u2764\uFE0F", "\u2764\uFE0F");
	CHECK_SHOWN("1\uFE0F\u20E3", "1\uFE0F\u20E3");
	CHECK_SHOWN("1\uFE0F", "1<U+FE0F>");
	CHECK_SHOWN("1\uFE0F"
		    "2",
		    "1<U+FE0F>2");
	CHECK_SHOWN("a\uFE0F", "a<U+FE0F>");
	CHECK_SHOWN("\u2764\uFE0F\uFE0F", "\u2764\uFE0F<U+FE0F>");
	CHECK_SHOWN("\U0001F600\u200D\U0001F600", "\U0001F600<U+200D>\U0001F600");
	CHECK_SHOWN("\U0001F469\u200D", "\U0001F469<U+200D>");
	CHECK_SHOWN("\U0001F469\u200D\U0001F4BB\u200D\U0001F4BB",
		    "\U0001F469\u200D\U0001F4BB<U+200D>\U0001F4BB");
	CHECK_SHOWN("\U0001F469\u200D\u200D\U0001F4BB", "\U0001F469<U+200D><U+200D>\U0001F4BB");
	PASS();
}

/* Leading consonants make one syllable block without end, pictures with joiners one picture. */
TEST a_grapheme_without_end_comes_in_pieces(void)
{
	static const struct {
		const char *unit;
		int times;
	} rows[] = {{"\xE1\x84\x80", 90}, {"\xF0\x9F\x91\xA9\xE2\x80\x8D", 40}};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_piece piece;
		size_t pieces = 0;

		for (int k = 0; k < rows[i].times; k++)
			loom_buf_adds(&text, rows[i].unit);
		for (size_t at = 0; at < text.n; pieces++) {
			loom_shown_next(loom_buf_str(&text), &at, &piece);
			ASSERT(piece.len < sizeof piece.text);
			ASSERT(piece.len == strlen(piece.text));
		}
		ASSERT(pieces >= (size_t)rows[i].times / 20);
		loom_buf_fini(&text);
	}
	PASS();
}

TEST hidden_tags_are_named_and_decoded(void)
{
	CHECK_SHOWN("x\U000E0068\U000E0069y", "x<U+E0068><U+E0069><hidden text: hi>y");
	CHECK_SHOWN("\U0001F3F4\U000E0067\U000E0062\U000E007F",
		    "\U0001F3F4<U+E0067><U+E0062><U+E007F><hidden text: gb>");
	CHECK_SHOWN("\U000E0001", "<U+E0001>");
	CHECK_SHOWN("\U000E0041\nb\U000E0042",
		    "<U+E0041><hidden text: A>\nb<U+E0042><hidden text: B>");
	PASS();
}

TEST a_long_run_of_tags_is_decoded_whole(void)
{
	struct loom_buf in = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf out;
	struct loom_buf letters = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest;
	size_t at = 0;

	loom_buf_adds(&in, "ab");
	for (uint32_t i = 0; i < 1000; i++)
		loom_buf_add_cp(&in, 0xE0061 + i % 26);
	out = shown(loom_buf_str(&in));
	rest = loom_buf_str(&out);
	while ((at = loom_str_find(rest, LOOM_STR("<hidden text: "), at)) != SIZE_MAX) {
		size_t end = loom_str_find_char(rest, '>', at);

		ASSERT(end != SIZE_MAX && end - at <= 14 + 64);
		loom_buf_add(&letters, loom_str_sub(rest, at + 14, end - at - 14));
		at = end;
	}
	ASSERT_EQ_FMT((size_t)1000, letters.n, "%zu");
	for (size_t i = 0; i < letters.n; i++)
		ASSERT_EQ((char)('a' + i % 26), letters.p[i]);
	loom_buf_fini(&in);
	loom_buf_fini(&out);
	loom_buf_fini(&letters);
	PASS();
}

TEST every_listed_emoji_is_one_piece_of_two_cells(void)
{
	FILE *file = fopen(EMOJI_TEST, "r");
	char line[1024];
	size_t count = 0;

	if (!file)
		SKIPm("no " EMOJI_TEST);
	while (fgets(line, sizeof line, file)) {
		struct loom_buf text = LOOM_BUF_INIT(1024);
		struct loom_piece piece = {.len = 0};
		char *word = line;
		size_t at = 0;
		bool full = strstr(line, "; fully-qualified") && !strstr(line, " E0067 ");

		while (full && *word != ';') {
			loom_buf_add_cp(&text, (uint32_t)strtoul(word, &word, 16));
			while (*word == ' ')
				word++;
		}
		if (full) {
			loom_shown_next(loom_buf_str(&text), &at, &piece);
			ASSERT_EQm(line, text.n, at);
			ASSERT_EQm(line, 2, piece.width);
			ASSERT_FALSEm(line, piece.mark);
		}
		count += full;
		loom_buf_fini(&text);
	}
	fclose(file);
	ASSERT(count > 3000);
	PASS();
}

struct span {
	uint32_t first;
	uint32_t last;
};

/* What may never come out alone: written down here a second time, from the rules. */
static const struct span forbidden[] = {
	{0, 0x1F},          {0x7F, 0x9F},       {0xAD, 0xAD},        {0x34F, 0x34F},
	{0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},    {0x180B, 0x180F},
	{0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},    {0x2800, 0x2800},
	{0x3164, 0x3164},   {0xD800, 0xF8FF},   {0xFE00, 0xFE0F},    {0xFEFF, 0xFEFF},
	{0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},    {0x1BCA0, 0x1BCA3},
	{0x1D173, 0x1D17A}, {0x1FFFE, 0x1FFFF}, {0xE0000, 0x10FFFF},
};

static bool is_forbidden(uint32_t cp)
{
	for (size_t i = 0; i < LOOM_COUNT(forbidden); i++)
		if (cp >= forbidden[i].first && cp <= forbidden[i].last)
			return true;
	return false;
}

/* A piece obeys its contract; forbidden code points only where `joined` allows. */
static bool piece_is_sound(const struct loom_piece *piece, bool joined)
{
	struct loom_str text = loom_str_make(piece->text, piece->len);
	size_t first = 0;

	if (piece->source.n == 0 || piece->len >= sizeof piece->text || piece->text[piece->len])
		return false;
	if (piece->newline || piece->tab)
		return piece->len == 0 && piece->width == 0;
	if (piece->len == 0 || piece->width == 0 || !loom_utf8_valid(text, NULL))
		return false;
	for (size_t at = 0; at < text.n;) {
		uint32_t cp = loom_utf8_next(text, &at);

		if (is_forbidden(cp) &&
		    !(joined && first && (cp == 0x200C || cp == 0x200D || cp == 0xFE0F)))
			return false;
		first = at;
	}
	return true;
}

/* `cp` between two times `around`: all pieces sound, in order, nothing lost. */
static bool surrounded_is_sound(uint32_t cp, const char *around)
{
	char text[32];
	size_t n = strlen(around);
	struct loom_str s = {text, 0};

	memcpy(text, around, n);
	s.n = n + loom_utf8_encode(cp, text + n);
	memcpy(text + s.n, around, n);
	s.n += n;
	for (size_t at = 0; at < s.n;) {
		struct loom_piece piece;
		struct loom_str drawn;
		size_t before = at;

		loom_shown_next(s, &at, &piece);
		if (piece.source.p != s.p + before || piece.source.n != at - before ||
		    !piece_is_sound(&piece, n > 1))
			return false;
		drawn = loom_str_make(piece.text, piece.len);
		if (!piece.mark && !piece.newline && !piece.tab &&
		    !loom_str_eq(drawn, piece.source))
			return false;
		if (loom_str_starts(drawn, LOOM_STR("\u25CC")) &&
		    !loom_str_ends(drawn, piece.source))
			return false;
	}
	return true;
}

static bool stands_for_itself(uint32_t cp)
{
	char text[4];
	struct loom_piece piece;
	size_t at = 0;

	loom_shown_next(loom_str_make(text, loom_utf8_encode(cp, text)), &at, &piece);
	return !piece.mark && !piece.newline && !piece.tab;
}

TEST no_code_point_comes_out_that_a_terminal_obeys_or_hides(void)
{
	static const char *const around[] = {"",           "a",     "\u0628", "\u0915\u094D",
					     "\U0001F469", "\u0301"};

	for (uint32_t cp = 0; cp < 0x110000; cp++) {
		static char name[16];
		bool sound = !is_forbidden(cp) || !stands_for_itself(cp);

		for (size_t i = 0; i < LOOM_COUNT(around); i++)
			if (i < 2 || cp < 0x3400 || cp % 16 == i)
				sound = surrounded_is_sound(cp, around[i]) && sound;
		snprintf(name, sizeof name, "U+%04X", (unsigned)cp);
		ASSERTm(name, sound);
	}
	PASS();
}

TEST any_bytes_give_sound_pieces_that_cover_them(void)
{
	static const uint32_t pool[] = {'a',    '\r',    '\n',    '\t',   0x1B,    0x301,   0x200D,
					0x200C, 0x1F469, 0x1F3FD, 0xFE0F, 0x1F1E9, 0x915,   0x94D,
					0x93F,  0x1100,  0x1161,  0xAC00, 0x628,   0xE0041, 0x2764,
					0x202E, 0x4E2D,  0x102C,  0x20E3, '1',     0x1F4BB, 0x9B};
	uint64_t state = 99;

	for (int left = prop_times(20000); left > 0; left--) {
		char text[96];
		struct loom_str s = {text, 0};
		struct loom_buf out;

		while (s.n < 80) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			if (state >> 60 == 0)
				text[s.n++] = (char)(unsigned char)(state >> 40);
			else
				s.n += loom_utf8_encode(pool[(state >> 33) % LOOM_COUNT(pool)],
							text + s.n);
		}
		for (size_t at = 0; at < s.n;) {
			struct loom_piece piece;

			loom_shown_next(s, &at, &piece);
			ASSERT(piece_is_sound(&piece, true));
		}
		out = shown(s);
		ASSERT(loom_utf8_valid(loom_buf_str(&out), NULL));
		loom_buf_fini(&out);
	}
	PASS();
}

TEST a_line_is_cut_to_its_cells(void)
{
	static const struct {
		const char *in;
		size_t cells;
		const char *out;
	} cases[] = {
		{"hello", 0, "hello"},
		{"hello", 5, "hello"},
		{"hello!", 5, "hell…"},
		{"hello", 1, "…"},
		{"", 1, ""},
		{"a\nb\r\nc", 0, "a⏎b⏎c"},
		{"\u4E2D\u6587\u5B57", 6, "\u4E2D\u6587\u5B57"},
		{"\u4E2D\u6587\u5B57", 5, "\u4E2D\u6587…"},
		{"\u4E2D\u6587\u5B57", 4, "\u4E2D…"},
		{"\u4E2D", 1, "…"},
		{"a\tb", 0, "a       b"},
		{"a\tb", 4, "a…"},
		{"\x1B[m", 3, "^[…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"ab\u200B", 9, "ab…"},
		{"ab\u200B", 10, "ab<U+200B>"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf buf = LOOM_BUF_INIT(256);

		loom_buf_adds(&buf, "> ");
		loom_shown_line(&buf, loom_str_of(cases[i].in), cases[i].cells);
		ASSERT_STR_EQ(cases[i].out, loom_buf_cstr(&buf) + 2);
		loom_buf_fini(&buf);
	}
	PASS();
}

TEST a_long_line_is_cut_without_reading_it_all(void)
{
	struct loom_buf in = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf out = LOOM_BUF_INIT(256);

	loom_buf_add_repeat(&in, 'x', (size_t)64 << 20);
	for (int i = 0; i < 1000; i++) {
		loom_buf_clear(&out);
		loom_shown_line(&out, loom_buf_str(&in), 80);
	}
	ASSERT_EQ((size_t)79 + 3, out.n);
	loom_buf_fini(&in);
	loom_buf_fini(&out);
	PASS();
}

TEST plain_is_what_needs_no_name(void)
{
	ASSERT(loom_shown_plain(LOOM_STR("")));
	ASSERT(loom_shown_plain(LOOM_STR("hello\n\tworld\r\n")));
	ASSERT(loom_shown_plain(LOOM_STR("na\u00EFve \u4E2D e\u0301 \U0001F469\u200D\U0001F4BB")));
	ASSERT_FALSE(loom_shown_plain(LOOM_STR("a\rb")));
	ASSERT_FALSE(loom_shown_plain(LOOM_STR("a\u200B")));
	ASSERT_FALSE(loom_shown_plain(LOOM_STR("aaaaaaaaaaaaaaaaaaaa\x1B")));
	ASSERT_FALSE(loom_shown_plain(LOOM_STR("a\xFF")));
	ASSERT_FALSE(loom_shown_plain(LOOM_STR("\u0301")));
	ASSERT_FALSE(loom_shown_plain(LOOM_STR("a\u0301\u0301\u0301\u0301\u0301")));
	PASS();
}

TEST json_keeps_its_meaning_and_shows_nothing_raw(void)
{
	static const char *const rows[][2] = {
		{"{\"a\":\t[1,\r\n2]}", "{\"a\":\t[1,\n2]}"},
		{"\"na\u00EFve \u4E2D \U0001F600\"", "\"na\u00EFve \u4E2D \U0001F600\""},
		{"\"a\xC2\x9B"
		 "2J\x7F\"",
		 "\"a\\u009b2J\\u007f\""},
		{"\"\u202Eabc\u200B\"", "\"\\u202eabc\\u200b\""},
		{"\"\U000E0041\U000E0042\"", "\"\\udb40\\udc41\\udb40\\udc42\""},
		{"\"\xFF\"", "\"\\ufffd\""},
		{"\"\x1B[2J\"", "\"\\u001b[2J\""},
		{"\"a\u0301\u0302\u0303\u0304\u0305\"", "\"a\u0301\u0302\u0303\u0304\\u0305\""},
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

		loom_shown_json(&out, loom_str_of(rows[i][0]));
		ASSERT_STR_EQ(rows[i][1], loom_buf_cstr(&out));
		loom_buf_fini(&out);
	}
	PASS();
}

TEST a_window_may_begin_anywhere(void)
{
	struct loom_str s = LOOM_STR("a\u0301\u0301\u0301\u0301\u0301\u0301"
				     "b");
	struct loom_piece piece;
	size_t at = 9;

	loom_shown_next(s, &at, &piece);
	ASSERT_STR_EQ("<+2 marks>", piece.text);
	ASSERT_EQ(13, at);
	at = 5;
	loom_shown_next(s, &at, &piece);
	ASSERT_STR_EQ("<+4 marks>", piece.text);
	at = 2;
	loom_shown_next(s, &at, &piece);
	ASSERT_STR_EQ("\\x81", piece.text);
	PASS();
}

SUITE(shown_suite)
{
	RUN_TEST(plain_text_stays_as_it_is);
	RUN_TEST(controls_are_named_with_a_caret);
	RUN_TEST(c1_controls_and_bad_bytes_are_named_in_hex);
	RUN_TEST(line_breaks_and_tabs_are_laid_out);
	RUN_TEST(bidi_controls_go_by_their_names);
	RUN_TEST(invisible_and_unknown_characters_show_their_numbers);
	RUN_TEST(marks_are_bounded_and_the_rest_is_counted);
	RUN_TEST(a_mark_that_stands_on_nothing_gets_a_circle);
	RUN_TEST(joiners_stay_between_letters_that_need_them);
	RUN_TEST(joiners_and_styles_stay_in_listed_emoji_only);
	RUN_TEST(a_grapheme_without_end_comes_in_pieces);
	RUN_TEST(hidden_tags_are_named_and_decoded);
	RUN_TEST(a_long_run_of_tags_is_decoded_whole);
	RUN_TEST(every_listed_emoji_is_one_piece_of_two_cells);
	RUN_TEST(no_code_point_comes_out_that_a_terminal_obeys_or_hides);
	RUN_TEST(any_bytes_give_sound_pieces_that_cover_them);
	RUN_TEST(a_line_is_cut_to_its_cells);
	RUN_TEST(a_long_line_is_cut_without_reading_it_all);
	RUN_TEST(plain_is_what_needs_no_name);
	RUN_TEST(json_keeps_its_meaning_and_shows_nothing_raw);
	RUN_TEST(a_window_may_begin_anywhere);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(shown_suite);
	GREATEST_MAIN_END();
}
