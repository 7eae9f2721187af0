/* The bench harness, on rows whose figures are known. */
#include <greatest.h>

#include "bench/bench.h"
#include "support/temp.h"

struct script {
	double next;
	double step;
};

static void *open_script(size_t size)
{
	struct script *script = loom_alloc(sizeof *script);

	*script = (struct script){.next = (double)size, .step = 1};
	return script;
}

static void *open_nothing(size_t size)
{
	(void)size;
	return NULL;
}

static double rising(void *state)
{
	struct script *script = state;

	script->next += script->step;
	return script->next;
}

static double hundred(void *state)
{
	(void)state;
	return 100;
}

static double fifty(void *state)
{
	(void)state;
	return 50;
}

static const struct bench_row TWICE = {
	.name = "twice",
	.ours = "a hundred",
	.peer = "fifty",
	.unit = "B",
	.limit = 1.5,
	.size = 1000,
	.small = 10,
	.open = open_script,
	.close = free,
	.run = hundred,
	.run_peer = fifty,
};

TEST a_ratio_is_ours_over_the_peers(void)
{
	struct bench_result result;

	bench_measure(&TWICE, false, 0, &result);
	ASSERT(result.had);
	ASSERT_EQ(2.0, result.ratio);
	ASSERT_FALSE(bench_within(&result, 1));
	ASSERT(bench_within(&result, 3));
	PASS();
}

TEST without_a_peer_the_limit_is_a_quantity(void)
{
	struct bench_row row = TWICE;
	struct bench_result result;

	row.peer = NULL;
	row.limit = 50;
	bench_measure(&row, false, 0, &result);
	ASSERT_EQ(2.0, result.ratio);
	ASSERT_FALSE(bench_within(&result, 1));
	row.limit = 200;
	bench_measure(&row, false, 0, &result);
	ASSERT_EQ(0.5, result.ratio);
	ASSERT(bench_within(&result, 1));
	PASS();
}

TEST the_median_and_quartiles_are_of_the_counted_runs(void)
{
	struct bench_row row = TWICE;
	struct bench_result result;

	row.run = rising;
	bench_measure(&row, true, 0, &result);
	/* the first, 11, warms up; five are counted: 12 13 14 15 16 */
	ASSERT_EQ(5, result.ours.runs);
	ASSERT_EQ(14.0, result.ours.median);
	ASSERT_EQ(13.0, result.ours.low);
	ASSERT_EQ(15.0, result.ours.high);
	PASS();
}

TEST a_row_that_cannot_be_had_is_passed_over(void)
{
	struct bench_row row = TWICE;
	struct bench_result result;

	row.open = open_nothing;
	bench_measure(&row, false, 0, &result);
	ASSERT_FALSE(result.had);
	ASSERT(bench_within(&result, 1));
	ASSERT_FALSE(bench_worse(&result));
	PASS();
}

TEST worse_by_a_fifth_than_recorded_is_said(void)
{
	struct temp temp;
	char *path = NULL;
	struct bench_result result;
	struct loom_buf record = LOOM_BUF_INIT(LOOM_BUF_MAX);

	temp_init(&temp);
	path = temp_path(&temp, "recorded.json");
	bench_measure(&TWICE, false, 0, &result);
	bench_record(&result, 1, &record);
	temp_write(&temp, "recorded.json", loom_buf_str(&record));
	ASSERT(bench_recorded(path, &result, 1));
	ASSERT_EQ(2.0, result.recorded);
	ASSERT_FALSE(bench_worse(&result));
	temp_write(&temp, "recorded.json", LOOM_STR("{\"twice\": 1.6, \"other\": 9}"));
	ASSERT(bench_recorded(path, &result, 1));
	ASSERT(bench_worse(&result));
	temp_write(&temp, "recorded.json", LOOM_STR("{"));
	ASSERT_FALSE(bench_recorded(path, &result, 1));
	ASSERT_FALSE(bench_recorded("/nowhere/at/all", &result, 1));
	loom_buf_fini(&record);
	free(path);
	temp_fini(&temp);
	PASS();
}

TEST results_are_written_as_json(void)
{
	struct bench_result result;
	struct loom_buf json = LOOM_BUF_INIT(LOOM_BUF_MAX);

	bench_measure(&TWICE, false, 0, &result);
	bench_json(&result, 1, &json);
	ASSERT(strstr(loom_buf_cstr(&json), "\"name\":\"twice\""));
	ASSERT(strstr(loom_buf_cstr(&json), "\"ratio\":2,"));
	ASSERT(strstr(loom_buf_cstr(&json), "\"within\":false"));
	loom_buf_fini(&json);
	PASS();
}

TEST a_page_keeps_its_words_and_gets_new_figures(void)
{
	struct bench_row alone = TWICE;
	struct bench_result results[3];
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf second = LOOM_BUF_INIT(LOOM_BUF_MAX);

	alone.peer = NULL;
	alone.unit = NULL;
	alone.limit = 2000;
	results[0] = (struct bench_result){
		.row = &TWICE, .had = true, .ratio = 2, .ours.median = 100, .peer.median = 50};
	results[1] = (struct bench_result){.row = &alone,
					   .had = true,
					   .ratio = 0.5,
					   .ours.median = 1234};
	results[2] = (struct bench_result){.row = &TWICE, .had = false};
	bench_page(LOOM_STR("# Words\n\n## Figures\nold\n"), "today", results, 3, &first);
	ASSERT_STR_EQ("# Words\n\n## Figures\n\n"
		      "Measured today; medians of one run. Rows over their limit say so.\n\n"
		      "| Row | Ours | Beside | Ratio (limit) |\n|---|---|---|---|\n"
		      "| twice | a hundred, 100 B | fifty, 50 B | 2.00 (1.5) over its limit |\n"
		      "| twice | a hundred, 1.2 s | | (2000 ms) |\n",
		      loom_buf_cstr(&first));
	bench_page(loom_buf_str(&first), "today", results, 3, &second);
	ASSERT_STR_EQ(loom_buf_cstr(&first), loom_buf_cstr(&second));
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	PASS();
}

SUITE(harness)
{
	RUN_TEST(a_ratio_is_ours_over_the_peers);
	RUN_TEST(without_a_peer_the_limit_is_a_quantity);
	RUN_TEST(the_median_and_quartiles_are_of_the_counted_runs);
	RUN_TEST(a_row_that_cannot_be_had_is_passed_over);
	RUN_TEST(worse_by_a_fifth_than_recorded_is_said);
	RUN_TEST(results_are_written_as_json);
	RUN_TEST(a_page_keeps_its_words_and_gets_new_figures);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(harness);
	GREATEST_MAIN_END();
}
