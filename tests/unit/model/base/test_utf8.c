/* Strict UTF-8, forwards and backwards. */
#include <greatest.h>

#include <loom/base/utf8.h>

GREATEST_MAIN_DEFS();

/* A decoder as simple as can be, to compare with: one bad byte at a time. */
static uint32_t plain_decode(struct loom_str s, size_t *at)
{
	const unsigned char *b = (const unsigned char *)s.p + *at;

	for (size_t n = 1; n <= 4 && *at + n <= s.n; n++) {
		uint32_t cp = n == 1 ? b[0] : b[0] & (0x7Fu >> n);
		char bytes[4];

		for (size_t i = 1; i < n; i++)
			cp = cp << 6 | (b[i] & 0x3F);
		if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF) ||
		    loom_utf8_encode(cp, bytes) != n || memcmp(bytes, b, n) != 0)
			continue;
		*at += n;
		return cp;
	}
	*at += 1;
	return LOOM_CP_BAD;
}

TEST every_code_point_round_trips(void)
{
	for (uint32_t cp = 0; cp < 0x110000; cp++) {
		char bytes[8] = {'x', 0};
		size_t n = 0;
		size_t at = 1;
		struct loom_str s;

		if (cp >= 0xD800 && cp <= 0xDFFF)
			continue;
		n = loom_utf8_encode(cp, bytes + 1);
		s = loom_str_make(bytes, n + 1);
		if (loom_utf8_next(s, &at) != cp || at != s.n || loom_utf8_prev(s, &at) != cp ||
		    at != 1 || !loom_utf8_valid(s, NULL))
			FAILm("a code point does not round trip");
	}
	PASS();
}

TEST every_short_byte_string_decodes_as_the_rules_say(void)
{
	static const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
					      0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
					      0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
	size_t kinds = LOOM_COUNT(edges);

	for (size_t i = 0; i < kinds * kinds * kinds * kinds; i++) {
		const unsigned char bytes[4] = {edges[i % kinds], edges[i / kinds % kinds],
						edges[i / kinds / kinds % kinds],
						edges[i / kinds / kinds / kinds]};
		struct loom_str s = loom_str_make((const char *)bytes, 4);
		bool valid = true;
		size_t at = 0;
		size_t mine = 0;

		while (at < s.n) {
			uint32_t expected = plain_decode(s, &mine);
			uint32_t got = loom_utf8_next(s, &at);

			if (got != expected || at != mine)
				FAILm("decoders disagree");
			valid = valid && got != LOOM_CP_BAD;
		}
		if (valid != loom_utf8_valid(s, NULL))
			FAILm("validity disagrees");
	}
	PASS();
}

TEST going_back_visits_what_going_forth_did(void)
{
	uint64_t state = 5;

	for (int round = 0; round < 50000; round++) {
		unsigned char bytes[12];
		struct loom_str s = loom_str_make((const char *)bytes, sizeof bytes);
		size_t starts[16];
		size_t count = 0;
		size_t at = 0;

		for (size_t i = 0; i < sizeof bytes; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			bytes[i] = (unsigned char)(state >> 33 & 1 ? 0x80 | (state >> 35 & 0x7F)
								   : 0xC0 | (state >> 35 & 0x3F));
		}
		for (at = 0; at < s.n; (void)loom_utf8_next(s, &at))
			starts[count++] = at;
		while (count--) {
			(void)loom_utf8_prev(s, &at);
			if (at != starts[count])
				FAILm("another boundary on the way back");
		}
	}
	PASS();
}

TEST the_first_bad_byte_is_told(void)
{
	size_t bad = 99;

	ASSERT_FALSE(loom_utf8_valid(LOOM_STR("ab\xC3\xA9\xC3"), &bad));
	ASSERT_EQ(4, bad);
	ASSERT_FALSE(loom_utf8_valid(LOOM_STR("\x80"), &bad));
	ASSERT_EQ(0, bad);
	ASSERT(loom_utf8_valid(LOOM_STR("a\0b"), &bad));
	ASSERT(loom_utf8_valid((struct loom_str){NULL, 0}, NULL));
	PASS();
}

TEST lengths_count_characters_and_bad_bytes(void)
{
	ASSERT_EQ(0, loom_utf8_length(LOOM_STR("")));
	ASSERT_EQ(4, loom_utf8_length(LOOM_STR("a\u00E9\u4E2D\U0001F600")));
	ASSERT_EQ(3, loom_utf8_length(LOOM_STR("\xFF\xE4\xB8")));
	PASS();
}

TEST clipping_never_cuts_a_character(void)
{
	struct loom_str s = LOOM_STR("a\u00E9\u4E2D\U0001F600z");
	static const size_t kept[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};

	for (size_t n = 0; n < LOOM_COUNT(kept); n++)
		ASSERT_EQ_FMT(kept[n], loom_utf8_clip(s, n).n, "%zu");
	ASSERT_EQ(2, loom_utf8_clip(LOOM_STR("\x80\x80\x80"), 2).n);
	ASSERT_EQ(1, loom_utf8_clip(LOOM_STR("\xE4zz"), 1).n);
	PASS();
}

TEST a_partial_character_at_the_end_is_told(void)
{
	static const struct {
		const char *text;
		size_t partial;
	} cases[] = {
		{"", 0},
		{"abc", 0},
		{"a\xC3", 1},
		{"a\xE4", 1},
		{"a\xE4\xB8", 2},
		{"a\xE4\xB8\xAD", 0},
		{"\xF0\x9F\x98", 3},
		{"\xF0\x9F", 2},
		{"\xF0", 1},
		{"\xE0\x80", 0},
		{"\xED\xA0", 0},
		{"\xF4\x90", 0},
		{"\xC0", 0},
		{"\x80", 0},
		{"\xF5", 0},
		{"\xF0\x9F\x98\x80", 0},
		{"\xC3\xA9", 0},
		{"\x80\x80\x80\x80", 0},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++)
		ASSERT_EQ_FMT(cases[i].partial, loom_utf8_partial_tail(loom_str_of(cases[i].text)),
			      "%zu");
	PASS();
}

SUITE(utf8)
{
	RUN_TEST(every_code_point_round_trips);
	RUN_TEST(every_short_byte_string_decodes_as_the_rules_say);
	RUN_TEST(going_back_visits_what_going_forth_did);
	RUN_TEST(the_first_bad_byte_is_told);
	RUN_TEST(lengths_count_characters_and_bad_bytes);
	RUN_TEST(clipping_never_cuts_a_character);
	RUN_TEST(a_partial_character_at_the_end_is_told);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(utf8);
	GREATEST_MAIN_END();
}
