/* What fits: the sums, the cuts and the markers. */
#include <greatest.h>

#include <loom/log/budget.h>

#define COUNT 12

static struct loom_arena *arena;

/* Roles in turn, each text as long as it is given. */
static void make(struct loom_fit *fits, size_t count, size_t bytes)
{
	for (size_t i = 0; i < count; i++) {
		char *text = loom_arena_alloc(arena, bytes + 1);

		memset(text, 'a' + (int)(i % 26), bytes);
		fits[i] = (struct loom_fit){.role = i % 2 ? LOOM_ROLE_ASSISTANT : LOOM_ROLE_USER,
					    .text = loom_str_make(text, bytes)};
	}
}

TEST tokens_are_bytes_by_four_rounded_up(void)
{
	ASSERT_EQ(0, loom_token_estimate(0));
	ASSERT_EQ(1, loom_token_estimate(1));
	ASSERT_EQ(1, loom_token_estimate(4));
	ASSERT_EQ(2, loom_token_estimate(5));
	ASSERT_EQ(INT64_C(4611686018427387904), loom_token_estimate(SIZE_MAX));
	PASS();
}

TEST a_budget_leaves_room_for_the_answer_and_at_least_1024(void)
{
	ASSERT_EQ(0, loom_budget(0, 100));
	ASSERT_EQ(8192 - 1024, loom_budget(8192, 0));
	ASSERT_EQ(8192 - 1024, loom_budget(8192, 1024));
	ASSERT_EQ(8192 - 1025, loom_budget(8192, 1025));
	ASSERT_EQ(4096 - 1024, loom_budget(4096, 50));
	PASS();
}

TEST in_a_small_window_the_reserve_is_a_part_of_it(void)
{
	ASSERT_EQ(1536, loom_budget(2048, 0));
	ASSERT_EQ(768, loom_budget(1024, 10));
	ASSERT_EQ(512, loom_budget(1024, 512));
	ASSERT_EQ(128, loom_budget(512, 400));
	ASSERT_EQ(1024, loom_budget(4096, 4096));
	ASSERT_EQ(1, loom_budget(1, 0));
	ASSERT_EQ(1, loom_budget(1, 1));
	for (int64_t window = 1; window < 5000; window += 7)
		for (int64_t answer = 0; answer < 2 * window; answer += 1 + window / 9) {
			ASSERT(loom_budget(window, answer) >= window / 4);
			ASSERT(loom_budget(window, answer) <= window - window / 4 ||
			       window >= 4 * LOOM_ANSWER_LEAST);
		}
	PASS();
}

TEST what_fits_to_the_last_token_stays_whole(void)
{
	struct loom_fit fits[COUNT];
	struct loom_str marker;

	make(fits, COUNT, 40);
	for (int strategy = LOOM_TRUNCATE_MIDDLE; strategy <= LOOM_STOP_AT_LIMIT; strategy++) {
		ASSERT_EQ(LOOM_OK, loom_fit_choose(fits, COUNT, (enum loom_strategy)strategy,
						   COUNT * 10, arena, &marker, NULL));
		ASSERT_EQ(0, marker.n);
		for (size_t i = 0; i < COUNT; i++)
			ASSERT_FALSE(fits[i].out);
	}
	PASS();
}

/* What a joined conversation costs. */
static int64_t tokens_of(const struct loom_fit *fits, size_t count)
{
	int64_t tokens = 0;

	for (size_t i = 0; i < count; i++)
		tokens += loom_token_estimate(fits[i].text.n);
	return tokens;
}

TEST the_middle_gives_way_and_a_marker_stands_there(void)
{
	struct loom_fit fits[COUNT];
	struct loom_fit *joined = NULL;
	struct loom_str marker;
	size_t count = 0;

	make(fits, COUNT, 40);
	ASSERT_EQ(LOOM_OK, loom_fit_choose(fits, COUNT, LOOM_TRUNCATE_MIDDLE, COUNT * 10 - 1, arena,
					   &marker, NULL));
	ASSERT_FALSE(fits[0].out);
	for (size_t i = COUNT - LOOM_FIT_LAST; i < COUNT; i++)
		ASSERT_FALSE(fits[i].out);
	ASSERT(fits[COUNT - LOOM_FIT_LAST - 1].out);
	ASSERT(loom_str_starts(marker, LOOM_STR("[… ")));
	loom_fit_join(fits, COUNT, marker, arena, &joined, &count);
	ASSERT(tokens_of(joined, count) <= COUNT * 10 - 1);
	for (size_t i = 0; i < count; i++)
		if (loom_str_find(joined[i].text, marker, 0) != SIZE_MAX)
			PASS();
	FAILm("no marker");
}

TEST the_last_message_stays_whatever_it_costs(void)
{
	struct loom_fit fits[COUNT];
	struct loom_str marker;

	make(fits, COUNT, 40);
	for (int strategy = LOOM_TRUNCATE_MIDDLE; strategy <= LOOM_ROLLING_WINDOW; strategy++) {
		ASSERT_EQ(LOOM_OK, loom_fit_choose(fits, COUNT, (enum loom_strategy)strategy, 0,
						   arena, &marker, NULL));
		for (size_t i = 0; i + 1 < COUNT; i++)
			ASSERT(fits[i].out);
		ASSERT_FALSE(fits[COUNT - 1].out);
	}
	PASS();
}

TEST the_window_keeps_the_longest_end_that_fits(void)
{
	struct loom_fit fits[COUNT];
	struct loom_str marker;

	make(fits, COUNT, 40);
	ASSERT_EQ(LOOM_OK,
		  loom_fit_choose(fits, COUNT, LOOM_ROLLING_WINDOW, 59, arena, &marker, NULL));
	ASSERT_EQ(0, marker.n);
	for (size_t i = 0; i < COUNT; i++)
		ASSERT_EQ(i < COUNT - 5, fits[i].out);
	PASS();
}

TEST stop_at_limit_is_an_error_with_both_numbers(void)
{
	struct loom_fit fits[COUNT];
	struct loom_err err;
	struct loom_str marker;

	make(fits, COUNT, 40);
	ASSERT_EQ(LOOM_LIMIT,
		  loom_fit_choose(fits, COUNT, LOOM_STOP_AT_LIMIT, 119, arena, &marker, &err));
	ASSERT(strstr(err.text, "120"));
	ASSERT(strstr(err.text, "119"));
	PASS();
}

/* Whatever the budget: what is chosen costs no more, but for a last message alone. */
TEST no_budget_is_exceeded_by_more_than_the_last_message(void)
{
	struct loom_fit fits[COUNT];

	for (int64_t budget = 0; budget < 140; budget++) {
		for (int strategy = LOOM_TRUNCATE_MIDDLE; strategy <= LOOM_ROLLING_WINDOW;
		     strategy++) {
			struct loom_fit *joined = NULL;
			struct loom_str marker;
			size_t count = 0;
			size_t in = 0;

			make(fits, COUNT, (size_t)(budget % 43));
			ASSERT_EQ(LOOM_OK,
				  loom_fit_choose(fits, COUNT, (enum loom_strategy)strategy, budget,
						  arena, &marker, NULL));
			loom_fit_join(fits, COUNT, marker, arena, &joined, &count);
			for (size_t i = 0; i < COUNT; i++)
				in += !fits[i].out && fits[i].text.n;
			ASSERT(in <= 1 || tokens_of(joined, count) <= budget);
		}
	}
	PASS();
}

TEST one_role_in_a_row_is_joined_by_a_blank_line_and_nothing_is_left_out(void)
{
	struct loom_fit fits[] = {
		{LOOM_ROLE_USER, LOOM_STR_INIT(""), false},
		{LOOM_ROLE_ASSISTANT, LOOM_STR_INIT("a"), false},
		{LOOM_ROLE_USER, LOOM_STR_INIT(""), false},
		{LOOM_ROLE_ASSISTANT, LOOM_STR_INIT("b\n"), false},
		{LOOM_ROLE_USER, LOOM_STR_INIT("  c  "), false},
	};
	struct loom_fit *joined = NULL;
	size_t count = 0;

	loom_fit_join(fits, LOOM_COUNT(fits), LOOM_STR(""), arena, &joined, &count);
	ASSERT_EQ(2, count);
	ASSERT(loom_str_is(joined[0].text, "a\n\nb\n"));
	ASSERT(loom_str_is(joined[1].text, "  c  "));
	PASS();
}

TEST the_end_of_a_text_begins_with_a_whole_character(void)
{
	struct loom_str text = LOOM_STR("aé漢𝄞éé");

	for (int64_t budget = 0; budget < 6; budget++) {
		struct loom_str end = loom_fit_end(text, budget);

		ASSERT(loom_token_estimate(end.n) <= budget);
		ASSERT(loom_str_ends(text, end));
		ASSERT(!end.n || ((unsigned char)end.p[0] & 0xC0) != 0x80);
	}
	ASSERT(loom_str_eq(text, loom_fit_end(text, 4)));
	ASSERT(loom_str_is(loom_fit_end(text, 2), "𝄞éé"));
	ASSERT(loom_str_is(loom_fit_end(text, 1), "éé"));
	PASS();
}

TEST strategies_are_read_by_their_names_alone(void)
{
	enum loom_strategy strategy = LOOM_STRATEGY_MODE;

	for (int i = LOOM_TRUNCATE_MIDDLE; i <= LOOM_STOP_AT_LIMIT; i++) {
		const char *name = loom_strategy_name((enum loom_strategy)i);

		ASSERT(loom_strategy_parse(loom_str_of(name), &strategy));
		ASSERT_EQ(i, (int)strategy);
	}
	ASSERT_FALSE(loom_strategy_parse(LOOM_STR(""), &strategy));
	ASSERT_FALSE(loom_strategy_parse(LOOM_STR("TruncateMiddle"), &strategy));
	PASS();
}

SUITE(budget)
{
	arena = loom_arena_create();
	RUN_TEST(tokens_are_bytes_by_four_rounded_up);
	RUN_TEST(a_budget_leaves_room_for_the_answer_and_at_least_1024);
	RUN_TEST(in_a_small_window_the_reserve_is_a_part_of_it);
	RUN_TEST(what_fits_to_the_last_token_stays_whole);
	RUN_TEST(the_middle_gives_way_and_a_marker_stands_there);
	RUN_TEST(the_last_message_stays_whatever_it_costs);
	RUN_TEST(the_window_keeps_the_longest_end_that_fits);
	RUN_TEST(stop_at_limit_is_an_error_with_both_numbers);
	RUN_TEST(no_budget_is_exceeded_by_more_than_the_last_message);
	RUN_TEST(one_role_in_a_row_is_joined_by_a_blank_line_and_nothing_is_left_out);
	RUN_TEST(the_end_of_a_text_begins_with_a_whole_character);
	RUN_TEST(strategies_are_read_by_their_names_alone);
	loom_arena_destroy(arena);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(budget);
	GREATEST_MAIN_END();
}
