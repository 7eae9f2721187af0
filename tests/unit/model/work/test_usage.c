/* What models have used: sums of what is known, and no number that is not. */
#include <greatest.h>

#include <loom/work/usage.h>

static const char *shown(const struct loom_usage *usage, struct loom_buf *out)
{
	loom_buf_clear(out);
	loom_usage_show(usage, out);
	return loom_buf_cstr(out);
}

TEST answers_that_were_counted_as_one_share_the_count(void)
{
	static const struct loom_str record =
		LOOM_STR_INIT("{\"usage\":{\"in\":100,\"out\":40,\"cost\":0.02,\"choices\":4}}");
	struct loom_usage usage = {.calls = 0};
	struct loom_buf text = LOOM_BUF_INIT(4096);

	for (int i = 0; i < 4; i++)
		loom_usage_add(&usage, record, 7000, 7000);
	ASSERT_EQ(140, (int)loom_usage_tokens(&usage));
	ASSERT_STR_EQ("in 100 · out 40 tokens · cost 0.0200", shown(&usage, &text));
	loom_buf_fini(&text);
	PASS();
}

TEST what_nobody_counted_is_estimated_and_said_to_be(void)
{
	struct loom_usage usage = {.calls = 0};
	struct loom_buf text = LOOM_BUF_INIT(4096);

	loom_usage_add(&usage, LOOM_STR("{}"), 0, 8000);
	ASSERT_STR_EQ("out ~2,000 tokens", shown(&usage, &text));
	loom_usage_add(&usage, LOOM_STR("{\"usage\":{\"in\":5,\"out\":1,\"cost\":1}}"), 0, 0);
	ASSERT_STR_EQ("in ~5 · out ~2,001 tokens · cost at least 1.0000", shown(&usage, &text));
	loom_buf_fini(&text);
	PASS();
}

TEST records_of_others_add_no_nonsense(void)
{
	static const char *const records[] = {
		"",
		"null",
		"{\"usage\":7}",
		"{\"usage\":{\"in\":-5,\"out\":2}}",
		"{\"usage\":{\"in\":1e999,\"out\":2}}",
		"{\"usage\":{\"in\":\"5\",\"out\":2,\"choices\":0}}",
		"{\"usage\":{\"cost\":-1}}",
	};
	struct loom_usage usage = {.calls = 0};

	for (size_t i = 0; i < LOOM_COUNT(records); i++)
		loom_usage_add(&usage, loom_str_of(records[i]), 4, 4);
	ASSERT_EQ((int)LOOM_COUNT(records), (int)usage.calls);
	ASSERT_EQ(0, (int)usage.counted);
	ASSERT_EQ(0, (int)usage.priced);
	ASSERT_EQ(2 * (int)LOOM_COUNT(records), (int)loom_usage_tokens(&usage));
	PASS();
}

TEST what_is_written_is_read_again(void)
{
	struct loom_usage usage = {.calls = 5,
				   .counted = 3,
				   .priced = 2,
				   .in = 10.25,
				   .cached = 4.5,
				   .out = 4,
				   .cost = 0.5};
	struct loom_usage again = {.calls = 0};
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct loom_json json;

	loom_json_init(&json, &text);
	loom_usage_write(&usage, &json);
	loom_usage_read(&again, loom_buf_str(&text));
	ASSERT_EQ(0, memcmp(&usage, &again, sizeof usage));
	loom_usage_read(&again, LOOM_STR("{\"calls\":1e300,\"in\":1}"));
	loom_usage_read(&again, LOOM_STR("[]"));
	ASSERT_EQ(0, memcmp(&usage, &again, sizeof usage));
	loom_buf_fini(&text);
	PASS();
}

TEST a_limit_is_refused_with_its_numbers(void)
{
	const struct loom_usage used = {.calls = 1, .counted = 1, .in = 60, .out = 30, .cost = 2};
	struct loom_allowance may = {.tokens = 100};
	struct loom_err err = {.status = LOOM_OK};

	ASSERT_EQ(LOOM_OK, loom_usage_check(&may, &used, 10, LOOM_STR("Ada"), &err));
	ASSERT_EQ(LOOM_LIMIT, loom_usage_check(&may, &used, 11, LOOM_STR("Ada"), &err));
	ASSERT_STR_EQ("max tokens of \"Ada\" is 100: 90 are used, and this takes 11", err.text);
	may = (struct loom_allowance){.cost = 2};
	ASSERT_EQ(LOOM_LIMIT, loom_usage_check(&may, &used, 0, LOOM_STR("Ada"), &err));
	may = (struct loom_allowance){.turn = 1};
	ASSERT_EQ(LOOM_OK, loom_usage_check(&may, &used, 1000, LOOM_STR("Ada"), &err));
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(answers_that_were_counted_as_one_share_the_count);
	RUN_TEST(what_nobody_counted_is_estimated_and_said_to_be);
	RUN_TEST(records_of_others_add_no_nonsense);
	RUN_TEST(what_is_written_is_read_again);
	RUN_TEST(a_limit_is_refused_with_its_numbers);
	GREATEST_MAIN_END();
}
