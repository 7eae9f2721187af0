/* Slices and bounded buffers. */
#include <greatest.h>

#include <loom/base/str.h>

GREATEST_MAIN_DEFS();

static const struct loom_str nothing = {NULL, 0};

TEST slices_compare_by_their_bytes(void)
{
	ASSERT(loom_str_eq(nothing, LOOM_STR("")));
	ASSERT(loom_str_eq(loom_str_of(NULL), nothing));
	ASSERT(loom_str_eq(LOOM_STR("a\0b"), LOOM_STR("a\0b")));
	ASSERT_FALSE(loom_str_eq(LOOM_STR("a\0b"), LOOM_STR("a\0c")));
	ASSERT_FALSE(loom_str_is(LOOM_STR("a\0"), "a"));
	ASSERT(loom_str_cmp(LOOM_STR("a"), LOOM_STR("b")) < 0);
	ASSERT(loom_str_cmp(LOOM_STR("ab"), LOOM_STR("a")) > 0);
	ASSERT(loom_str_cmp(LOOM_STR("\xFF"), LOOM_STR("a")) > 0);
	ASSERT_EQ(0, loom_str_cmp(nothing, LOOM_STR("")));
	PASS();
}

TEST folding_touches_ascii_letters_only(void)
{
	ASSERT(loom_str_eq_fold(LOOM_STR("VieW"), LOOM_STR("view")));
	ASSERT_FALSE(loom_str_eq_fold(LOOM_STR("view"), LOOM_STR("views")));
	ASSERT_FALSE(loom_str_eq_fold(LOOM_STR("@"), LOOM_STR("`")));
	ASSERT_FALSE(loom_str_eq_fold(LOOM_STR("\xC9"), LOOM_STR("\xE9")));
	PASS();
}

TEST parts_out_of_range_are_cut(void)
{
	struct loom_str s = LOOM_STR("hello");

	ASSERT(loom_str_is(loom_str_sub(s, 1, 3), "ell"));
	ASSERT(loom_str_is(loom_str_sub(s, 3, 99), "lo"));
	ASSERT(loom_str_is(loom_str_sub(s, 5, 1), ""));
	ASSERT(loom_str_is(loom_str_sub(s, SIZE_MAX, SIZE_MAX), ""));
	ASSERT(loom_str_is(loom_str_sub(s, 2, SIZE_MAX), "llo"));
	ASSERT_EQ(NULL, loom_str_sub(nothing, 3, 3).p);
	ASSERT(loom_str_starts(s, LOOM_STR("")) && loom_str_starts(s, s));
	ASSERT_FALSE(loom_str_starts(s, LOOM_STR("hello!")));
	ASSERT(loom_str_ends(s, LOOM_STR("lo")) && loom_str_ends(s, nothing));
	ASSERT_FALSE(loom_str_ends(s, LOOM_STR("ohello")));
	PASS();
}

TEST trimming_takes_four_kinds_of_blanks(void)
{
	ASSERT(loom_str_is(loom_str_trim(LOOM_STR(" \t\r\n a b \n")), "a b"));
	ASSERT(loom_str_is(loom_str_trim(LOOM_STR(" \n ")), ""));
	ASSERT(loom_str_is(loom_str_trim(LOOM_STR("\va\v")), "\va\v"));
	ASSERT_EQ(0, loom_str_trim(nothing).n);
	PASS();
}

TEST needles_are_found_from_where_one_asks(void)
{
	struct loom_str s = LOOM_STR("ababa");

	ASSERT_EQ(0, loom_str_find(s, LOOM_STR("aba"), 0));
	ASSERT_EQ(2, loom_str_find(s, LOOM_STR("aba"), 1));
	ASSERT_EQ(SIZE_MAX, loom_str_find(s, LOOM_STR("aba"), 3));
	ASSERT_EQ(SIZE_MAX, loom_str_find(s, LOOM_STR("a"), 6));
	ASSERT_EQ(5, loom_str_find(s, nothing, 5));
	ASSERT_EQ(SIZE_MAX, loom_str_find(nothing, LOOM_STR("a"), 0));
	ASSERT_EQ(3, loom_str_find_char(s, 'b', 2));
	ASSERT_EQ(SIZE_MAX, loom_str_find_char(s, 'b', 5));
	ASSERT_EQ(SIZE_MAX, loom_str_find_char(nothing, 'b', 0));
	PASS();
}

TEST cutting_counts_an_empty_last_part(void)
{
	struct loom_str rest = LOOM_STR("a,,b,");
	struct loom_str part;
	static const char *const parts[] = {"a", "", "b", ""};

	for (size_t i = 0; i < LOOM_COUNT(parts); i++) {
		ASSERT(loom_str_cut(&rest, ',', &part));
		ASSERT(loom_str_is(part, parts[i]));
	}
	ASSERT_FALSE(loom_str_cut(&rest, ',', &part));
	rest = LOOM_STR("");
	ASSERT(loom_str_cut(&rest, ',', &part));
	ASSERT_FALSE(loom_str_cut(&rest, ',', &part));
	PASS();
}

TEST lines_have_no_empty_one_behind_the_last_break(void)
{
	struct loom_str rest = LOOM_STR("a\r\n\nb\n");
	struct loom_str line;
	static const char *const lines[] = {"a\r", "", "b"};

	for (size_t i = 0; i < LOOM_COUNT(lines); i++) {
		ASSERT(loom_str_line(&rest, &line));
		ASSERT(loom_str_is(line, lines[i]));
	}
	ASSERT_FALSE(loom_str_line(&rest, &line));
	rest = LOOM_STR("x");
	ASSERT(loom_str_line(&rest, &line) && loom_str_is(line, "x"));
	ASSERT_FALSE(loom_str_line(&rest, &line));
	PASS();
}

TEST numbers_are_read_whole_or_not_at_all(void)
{
	static const char *const bad[] = {"",    "-",   "+1", " 1",  "1 ",      "1a",
					  "0x1", "--1", "1-", "1.0", "\xD9\xA1"};
	uint64_t u = 5;
	int64_t i = 5;

	ASSERT(loom_str_to_u64(LOOM_STR("18446744073709551615"), &u) && u == UINT64_MAX);
	ASSERT_FALSE(loom_str_to_u64(LOOM_STR("18446744073709551616"), &u));
	ASSERT_FALSE(loom_str_to_u64(LOOM_STR("99999999999999999999"), &u));
	ASSERT_FALSE(loom_str_to_u64(LOOM_STR("-1"), &u));
	ASSERT(loom_str_to_u64(LOOM_STR("007"), &u) && u == 7);
	ASSERT(loom_str_to_i64(LOOM_STR("-9223372036854775808"), &i) && i == INT64_MIN);
	ASSERT(loom_str_to_i64(LOOM_STR("9223372036854775807"), &i) && i == INT64_MAX);
	ASSERT_FALSE(loom_str_to_i64(LOOM_STR("9223372036854775808"), &i));
	ASSERT_FALSE(loom_str_to_i64(LOOM_STR("-9223372036854775809"), &i));
	ASSERT(loom_str_to_i64(LOOM_STR("-0"), &i) && i == 0);
	for (size_t k = 0; k < LOOM_COUNT(bad); k++) {
		ASSERT_FALSEm(bad[k], loom_str_to_u64(loom_str_of(bad[k]), &u));
		ASSERT_FALSEm(bad[k], loom_str_to_i64(loom_str_of(bad[k]), &i));
	}
	PASS();
}

TEST what_a_buffer_has_room_for_moves_nothing(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(1000);
	const char *at;

	loom_buf_reserve(&buf, 700);
	at = buf.p;
	ASSERT(at);
	for (int i = 0; i < 700; i++)
		loom_buf_addc(&buf, 'a');
	ASSERT_EQ(at, buf.p);
	loom_buf_reserve(&buf, 301);
	ASSERT_EQ(LOOM_OK, buf.bad);
	ASSERT_EQ(700, buf.n);
	loom_buf_fini(&buf);
	PASS();
}

TEST a_buffer_grows_and_stays_terminated(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	ASSERT_STR_EQ("", loom_buf_cstr(&buf));
	ASSERT_EQ(0, loom_buf_str(&buf).n);
	for (int i = 0; i < 5000; i++) {
		loom_buf_addc(&buf, (char)('a' + i % 26));
		ASSERT_EQ((size_t)i + 1, strlen(buf.p));
	}
	loom_buf_adds(&buf, "xyz");
	loom_buf_add(&buf, LOOM_STR("a\0b"));
	loom_buf_add_repeat(&buf, '-', 3);
	loom_buf_addf(&buf, "%s=%d", "n", 7);
	loom_buf_add_cp(&buf, 0x1F600);
	ASSERT(loom_str_ends(loom_buf_str(&buf), LOOM_STR("xyza\0b---n=7\xF0\x9F\x98\x80")));
	loom_buf_cut(&buf, 3);
	ASSERT_STR_EQ("abc", loom_buf_cstr(&buf));
	loom_buf_cut(&buf, 9);
	ASSERT_EQ(3, buf.n);
	loom_buf_clear(&buf);
	ASSERT_STR_EQ("", loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
	loom_buf_fini(&buf);
	loom_buf_fini(NULL);
	PASS();
}

TEST a_full_buffer_remembers_and_takes_no_more(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(5);

	loom_buf_adds(&buf, "abc");
	loom_buf_adds(&buf, "def");
	ASSERT_EQ(LOOM_LIMIT, buf.bad);
	loom_buf_adds(&buf, "x");
	loom_buf_addf(&buf, "%d", 1);
	loom_buf_add_repeat(&buf, 'x', 1);
	ASSERT_STR_EQ("abc", loom_buf_cstr(&buf));
	loom_buf_clear(&buf);
	ASSERT_EQ(LOOM_OK, buf.bad);
	loom_buf_adds(&buf, "12345");
	ASSERT_EQ(LOOM_OK, buf.bad);
	loom_buf_add(&buf, nothing);
	ASSERT_EQ(LOOM_OK, buf.bad);
	loom_buf_addc(&buf, '6');
	ASSERT_EQ(LOOM_LIMIT, buf.bad);
	loom_buf_clear(&buf);
	loom_buf_add_repeat(&buf, 'x', SIZE_MAX);
	ASSERT_EQ(LOOM_LIMIT, buf.bad);
	loom_buf_fini(&buf);
	PASS();
}

TEST counts_are_grouped_by_thousands(void)
{
	static const struct {
		uint64_t n;
		const char *text;
	} cases[] = {{0, "0"},
		     {999, "999"},
		     {1000, "1,000"},
		     {12847, "12,847"},
		     {1000000, "1,000,000"},
		     {UINT64_MAX, "18,446,744,073,709,551,615"}};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf buf = LOOM_BUF_INIT(64);

		loom_buf_add_count(&buf, cases[i].n);
		ASSERT_STR_EQ(cases[i].text, loom_buf_cstr(&buf));
		loom_buf_fini(&buf);
	}
	PASS();
}

TEST numbers_are_written_to_both_ends_of_their_range(void)
{
	static const struct {
		int64_t n;
		const char *text;
	} cases[] = {{0, "0"},
		     {-7, "-7"},
		     {1000, "1000"},
		     {INT64_MAX, "9223372036854775807"},
		     {INT64_MIN, "-9223372036854775808"}};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf buf = LOOM_BUF_INIT(64);

		loom_buf_add_int(&buf, cases[i].n);
		ASSERT_STR_EQ(cases[i].text, loom_buf_cstr(&buf));
		loom_buf_fini(&buf);
	}
	PASS();
}

SUITE(str)
{
	RUN_TEST(slices_compare_by_their_bytes);
	RUN_TEST(folding_touches_ascii_letters_only);
	RUN_TEST(parts_out_of_range_are_cut);
	RUN_TEST(trimming_takes_four_kinds_of_blanks);
	RUN_TEST(needles_are_found_from_where_one_asks);
	RUN_TEST(cutting_counts_an_empty_last_part);
	RUN_TEST(lines_have_no_empty_one_behind_the_last_break);
	RUN_TEST(numbers_are_read_whole_or_not_at_all);
	RUN_TEST(what_a_buffer_has_room_for_moves_nothing);
	RUN_TEST(a_buffer_grows_and_stays_terminated);
	RUN_TEST(a_full_buffer_remembers_and_takes_no_more);
	RUN_TEST(counts_are_grouped_by_thousands);
	RUN_TEST(numbers_are_written_to_both_ends_of_their_range);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(str);
	GREATEST_MAIN_END();
}
