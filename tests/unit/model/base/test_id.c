/* ULIDs and local ids: every number has one name, every name one number. */
#include <greatest.h>

#include <inttypes.h>

#include <loom/base/id.h>

GREATEST_MAIN_DEFS();

#define KEY 0x1234567890ABCDEFu

static const uint8_t no_random[5];

static bool parses(const char *text, struct loom_local *out)
{
	return loom_local_parse(KEY, loom_str_of(text), out);
}

TEST a_ulid_is_written_in_crockford_letters(void)
{
	static const uint8_t random[5] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
	struct loom_ulid ulid = loom_ulid_make(1469918176385, 0, no_random);
	char text[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&ulid, text);
	ASSERT_STR_EQ("01ARYZ6S410000000000000000", text);
	ulid = loom_ulid_make(INT64_MAX, UINT64_MAX, random);
	loom_ulid_text(&ulid, text);
	ASSERT_STR_EQ("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", text);
	ulid = loom_ulid_make(-1, 0, no_random);
	loom_ulid_text(&ulid, text);
	ASSERT_STR_EQ("00000000000000000000000000", text);
	PASS();
}

TEST ulids_ascend_by_time_then_counter_whatever_the_randomness(void)
{
	static const uint8_t high[5] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
	struct loom_ulid a = loom_ulid_make(1000, 7, high);
	struct loom_ulid b = loom_ulid_make(1000, 8, no_random);
	struct loom_ulid c = loom_ulid_make(1001, 0, no_random);
	char texts[3][LOOM_ULID_CHARS + 1];

	loom_ulid_text(&a, texts[0]);
	loom_ulid_text(&b, texts[1]);
	loom_ulid_text(&c, texts[2]);
	ASSERT(memcmp(a.bytes, b.bytes, 16) < 0 && memcmp(b.bytes, c.bytes, 16) < 0);
	ASSERT(strcmp(texts[0], texts[1]) < 0 && strcmp(texts[1], texts[2]) < 0);
	PASS();
}

TEST a_ulid_reads_back_in_any_case(void)
{
	for (uint64_t i = 0; i < 5000; i++) {
		uint8_t random[5] = {(uint8_t)i, (uint8_t)(i * 7), (uint8_t)(i >> 3), 0xA5, 1};
		struct loom_ulid ulid =
			loom_ulid_make((int64_t)(i * 0x9E3779B97F4Au), i * 977, random);
		struct loom_ulid back;
		char text[LOOM_ULID_CHARS + 1];

		loom_ulid_text(&ulid, text);
		for (size_t k = 0; i % 2 && k < LOOM_ULID_CHARS; k++)
			text[k] = (char)(text[k] >= 'A' ? text[k] | 0x20 : text[k]);
		ASSERTm(text, loom_ulid_parse(loom_str_of(text), &back));
		ASSERT(loom_ulid_eq(&ulid, &back));
	}
	PASS();
}

TEST what_is_no_ulid_is_refused(void)
{
	static const char *const cases[] = {
		"",
		"01ARYZ6S41000000000000000",
		"01ARYZ6S4100000000000000000",
		"81ARYZ6S410000000000000000",
		"01ARYZ6S41000000000000000U",
		"01ARYZ6S41O000000000000000",
		"01ARYZ6S41I000000000000000",
		"01ARYZ6S41L000000000000000",
		"01ARYZ6S4 0000000000000000",
		"01ARYZ6S4é00000000000000A",
	};
	struct loom_ulid out;

	for (size_t i = 0; i < LOOM_COUNT(cases); i++)
		ASSERT_FALSEm(cases[i], loom_ulid_parse(loom_str_of(cases[i]), &out));
	ASSERT_FALSE(loom_ulid_parse(loom_str_make("01ARYZ6S41000000\0"
						   "000000000",
						   26),
				     &out));
	PASS();
}

TEST a_prefix_covers_exactly_the_ulids_that_begin_with_it(void)
{
	struct loom_ulid low;
	struct loom_ulid high;
	char text[LOOM_ULID_CHARS + 1];

	ASSERT(loom_ulid_range(LOOM_STR("01aryz6s"), 8, &low, &high));
	loom_ulid_text(&low, text);
	ASSERT_STR_EQ("01ARYZ6S000000000000000000", text);
	loom_ulid_text(&high, text);
	ASSERT_STR_EQ("01ARYZ6SZZZZZZZZZZZZZZZZZZ", text);
	ASSERT(loom_ulid_range(LOOM_STR("01ARYZ6S410000000000000000"), 8, &low, &high));
	ASSERT(loom_ulid_eq(&low, &high));
	ASSERT_FALSE(loom_ulid_range(LOOM_STR("01ARYZ6"), 8, &low, &high));
	ASSERT(loom_ulid_range(LOOM_STR("0"), 1, &low, &high));
	ASSERT_FALSE(loom_ulid_range(LOOM_STR(""), 1, &low, &high));
	ASSERT_FALSE(loom_ulid_range(LOOM_STR("01ARYZ6S4100000000000000000"), 8, &low, &high));
	ASSERT_FALSE(loom_ulid_range(LOOM_STR("91ARYZ6S"), 8, &low, &high));
	PASS();
}

static enum greatest_test_res check_number(uint64_t key, int64_t num, size_t length)
{
	struct loom_local local = {.num = num, .prime = 0};
	struct loom_local back = {0};
	char text[LOOM_LOCAL_MAX];

	loom_local_text(key, local, text);
	ASSERT_EQ_FMT(length, strlen(text), "%zu");
	for (size_t i = 0; i < length; i++)
		ASSERTm(text, strchr(i % 2 ? "23456789" : "abcdefghjkmnpqrstuvwxyz", text[i]));
	ASSERTm(text, loom_local_parse(key, loom_str_of(text), &back));
	ASSERT_EQ_FMT(num, back.num, "%" PRId64);
	ASSERT_EQ(0, back.prime);
	PASS();
}

TEST numbers_round_trip_across_every_length(void)
{
	/* Half of 23·8·23·8, and so on: the numbers that each length serves. */
	static const int64_t serves[] = {16928, 389344, 3114752, 71639296, 573114368};
	int64_t first = 1;

	for (size_t i = 0; i < LOOM_COUNT(serves); i++) {
		int64_t last = first + serves[i] - 1;

		for (int64_t k = 0; k < 300; k++) {
			CHECK_CALL(check_number(KEY, first + k, 4 + i));
			CHECK_CALL(check_number(~KEY, last - k, 4 + i));
			CHECK_CALL(check_number(0, first + serves[i] / 300 * k, 4 + i));
		}
		first = last + 1;
	}
	PASS();
}

TEST every_number_of_the_shortest_length_round_trips(void)
{
	for (int64_t num = 1; num <= 16928; num++)
		CHECK_CALL(check_number(KEY, num, 4));
	PASS();
}

TEST half_of_the_names_of_a_length_belong_to_no_number(void)
{
	static const char letters[] = "abcdefghjkmnpqrstuvwxyz";
	size_t used = 0;

	for (size_t i = 0; i < (size_t)23 * 8 * 23 * 8; i++) {
		char text[5] = {letters[i % 23], (char)('2' + i / 23 % 8), letters[i / 23 / 8 % 23],
				(char)('2' + i / 23 / 8 / 23), 0};
		struct loom_local local = {0};
		char back[LOOM_LOCAL_MAX];

		if (!parses(text, &local))
			continue;
		used++;
		loom_local_text(KEY, local, back);
		ASSERT_STR_EQ(text, back);
	}
	ASSERT_EQ_FMT((size_t)16928, used, "%zu");
	PASS();
}

TEST another_key_gives_other_names_and_neighbours_look_unlike(void)
{
	size_t same_key = 0;
	size_t same_letter = 0;

	for (int64_t num = 1; num < 1000; num++) {
		char a[LOOM_LOCAL_MAX];
		char b[LOOM_LOCAL_MAX];
		char next[LOOM_LOCAL_MAX];

		loom_local_text(1, (struct loom_local){num, 0}, a);
		loom_local_text(2, (struct loom_local){num, 0}, b);
		loom_local_text(1, (struct loom_local){num + 1, 0}, next);
		same_key += strcmp(a, b) == 0;
		same_letter += a[0] == next[0];
	}
	ASSERT(same_key < 5);
	ASSERT(same_letter > 10 && same_letter < 100);
	PASS();
}

TEST root_annotations_and_versions_have_their_own_spelling(void)
{
	static const struct {
		struct loom_local local;
		const char *text;
	} cases[] = {
		{{0, 0}, "r001"},
		{{0, 2}, "r001''"},
		{{-3, 0}, "ann-3"},
		{{-3, 1}, "ann-3'"},
		{{0, 1}, "r001'"},
		{{0, 3}, "r001'''"},
		{{0, 4}, "r001'4"},
		{{0, 5}, "r001'5"},
		{{INT64_MIN + 1, 0}, "ann-9223372036854775807"},
		{{0, INT32_MAX}, "r001'2147483647"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_local back = {99, 99};
		char text[LOOM_LOCAL_MAX];

		loom_local_text(KEY, cases[i].local, text);
		ASSERT_STR_EQ(cases[i].text, text);
		ASSERTm(text, parses(text, &back));
		ASSERT_EQ(cases[i].local.num, back.num);
		ASSERT_EQ(cases[i].local.prime, back.prime);
	}
	PASS();
}

TEST versions_are_read_in_every_spelling(void)
{
	static const struct {
		const char *text;
		int32_t prime;
	} cases[] = {
		{"R001", 0},   {"r001’", 1},  {"r001’’", 2},   {"r001′", 1},    {"r001.1", 1},
		{"r001.4", 4}, {"r001'3", 3}, {"r001’12", 12}, {"r001''''", 4}, {"ANN-7.2", 2},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_local local = {0};

		ASSERTm(cases[i].text, parses(cases[i].text, &local));
		ASSERT_EQ_FMT(cases[i].prime, local.prime, "%d");
	}
	PASS();
}

TEST what_is_no_local_id_is_refused(void)
{
	static const char *const cases[] = {
		"",
		"r002",
		"r001x",
		"r001 ",
		"r001'x",
		"r001'0",
		"r001''2",
		"r001.",
		"r001.0",
		"r001'.",
		"ann-0",
		"ann-",
		"ann-01",
		"ann--1",
		"ann-x",
		"a7x",
		"a7xx",
		"7a7a",
		"i7x2",
		"a0x2",
		"a1x2",
		"'",
		"’",
		"a7x2b3c4d",
		"r001.2'",
		"r001'2147483648",
		"r001\xE2\x80",
		"ann-9223372036854775808",
	};
	struct loom_local local;

	for (size_t i = 0; i < LOOM_COUNT(cases); i++)
		ASSERT_FALSEm(cases[i], parses(cases[i], &local));
	ASSERT_FALSE(loom_local_parse(KEY,
				      loom_str_make("r0\0"
						    "1",
						    4),
				      &local));
	PASS();
}

TEST an_upper_case_id_is_the_same_node(void)
{
	struct loom_local back = {0};
	char text[LOOM_LOCAL_MAX];

	loom_local_text(KEY, (struct loom_local){4711, 2}, text);
	for (char *c = text; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	ASSERT(parses(text, &back));
	ASSERT_EQ(4711, back.num);
	ASSERT_EQ(2, back.prime);
	PASS();
}

TEST a_number_past_the_longest_ids_still_gives_some_text(void)
{
	char text[LOOM_LOCAL_MAX];

	loom_local_text(KEY, (struct loom_local){INT64_MAX, INT32_MAX}, text);
	ASSERT_STR_EQ("?'2147483647", text);
	loom_local_text(KEY, (struct loom_local){INT64_MIN, INT32_MAX}, text);
	ASSERT(strlen(text) < LOOM_LOCAL_MAX);
	loom_local_text(KEY, (struct loom_local){0, INT32_MIN}, text);
	ASSERT_STR_EQ("r001", text);
	PASS();
}

TEST the_shape_of_an_id_is_known_without_its_tree(void)
{
	static const char *const shaped[] = {"a7x2",      "r001",
					     "A7X2'",     "abc1",
					     "12345678",  "ann-3",
					     "ANN-12''",  "a7x2.2",
					     "01ARYZ6S4", "01aryz6s410000000000000000"};
	static const char *const other[] = {"",      "abcd",      "handcart",    "a7x",
					    "q9",    "a7x2b3c4i", "a7-x2",       "01ARYZ6S4'",
					    "ann-x", "ann-",      "a7x2'x",      "a7x2\xFF",
					    "a7 x2", "ÿ7x2",      "ABCDEFGHJKMN"};

	for (size_t i = 0; i < LOOM_COUNT(shaped); i++)
		ASSERTm(shaped[i], loom_local_shape(loom_str_of(shaped[i])));
	for (size_t i = 0; i < LOOM_COUNT(other); i++)
		ASSERT_FALSEm(other[i], loom_local_shape(loom_str_of(other[i])));
	PASS();
}

SUITE(id)
{
	RUN_TEST(a_ulid_is_written_in_crockford_letters);
	RUN_TEST(ulids_ascend_by_time_then_counter_whatever_the_randomness);
	RUN_TEST(a_ulid_reads_back_in_any_case);
	RUN_TEST(what_is_no_ulid_is_refused);
	RUN_TEST(a_prefix_covers_exactly_the_ulids_that_begin_with_it);
	RUN_TEST(numbers_round_trip_across_every_length);
	RUN_TEST(every_number_of_the_shortest_length_round_trips);
	RUN_TEST(half_of_the_names_of_a_length_belong_to_no_number);
	RUN_TEST(another_key_gives_other_names_and_neighbours_look_unlike);
	RUN_TEST(root_annotations_and_versions_have_their_own_spelling);
	RUN_TEST(versions_are_read_in_every_spelling);
	RUN_TEST(what_is_no_local_id_is_refused);
	RUN_TEST(an_upper_case_id_is_the_same_node);
	RUN_TEST(a_number_past_the_longest_ids_still_gives_some_text);
	RUN_TEST(the_shape_of_an_id_is_known_without_its_tree);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(id);
	GREATEST_MAIN_END();
}
