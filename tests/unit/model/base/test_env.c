/* Clock, randomness, variables, directories, and times as text. */
#include <greatest.h>

#include <inttypes.h>

#include <loom/base/env.h>

GREATEST_MAIN_DEFS();

struct vars {
	const char *name[4];
	const char *value[4];
};

static const char *find_var(void *ctx, const char *name)
{
	const struct vars *vars = ctx;

	for (size_t i = 0; i < LOOM_COUNT(vars->name); i++)
		if (vars->name[i] && strcmp(vars->name[i], name) == 0)
			return vars->value[i];
	return NULL;
}

static const char *iso(int64_t ms, char out[64])
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_time_iso(ms, &buf);
	snprintf(out, 64, "%s", loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
	return out;
}

TEST a_time_is_written_as_javascript_writes_it(void)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {
		{0, "1970-01-01T00:00:00.000Z"},
		{-1, "1969-12-31T23:59:59.999Z"},
		{1771840800007, "2026-02-23T10:00:00.007Z"},
		{951782400000, "2000-02-29T00:00:00.000Z"},
		{253402300799999, "9999-12-31T23:59:59.999Z"},
		{253402300800000, "+010000-01-01T00:00:00.000Z"},
		{-62167219200000, "0000-01-01T00:00:00.000Z"},
		{-62167219200001, "-000001-12-31T23:59:59.999Z"},
		{8640000000000000, "+275760-09-13T00:00:00.000Z"},
		{-8640000000000000, "-271821-04-20T00:00:00.000Z"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		char text[64];
		int64_t back = 1;

		ASSERT_STR_EQ(cases[i].text, iso(cases[i].ms, text));
		ASSERT(loom_time_parse(loom_str_of(text), &back));
		ASSERT_EQ_FMT(cases[i].ms, back, "%" PRId64);
	}
	PASS();
}

TEST every_day_reads_back_as_it_was_written(void)
{
	for (int64_t day = -800000; day < 3000000; day += 37) {
		char text[64];
		int64_t ms = day * 86400000 + 12345;
		int64_t back = 0;

		iso(ms, text);
		ASSERTm(text, loom_time_parse(loom_str_of(text), &back));
		ASSERT_EQ_FMT(ms, back, "%" PRId64);
	}
	PASS();
}

TEST other_spellings_of_a_time_are_read(void)
{
	static const struct {
		const char *text;
		int64_t ms;
	} cases[] = {
		{"2026-02-23T11:00:00+01:00", 1771840800000},
		{"2026-02-23T04:30:00-05:30", 1771840800000},
		{"2026-02-23t10:00:00z", 1771840800000},
		{"2026-02-23 10:00:00.5Z", 1771840800500},
		{"2026-02-23T10:00:00.123456789Z", 1771840800123},
		{"2026-02-23T09:59:60Z", 1771840800000},
		{"1771840800000", 1771840800000},
		{"-5", -5},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		int64_t ms = 0;

		ASSERTm(cases[i].text, loom_time_parse(loom_str_of(cases[i].text), &ms));
		ASSERT_EQ_FMT(cases[i].ms, ms, "%" PRId64);
	}
	PASS();
}

TEST what_is_no_time_is_refused(void)
{
	static const char *const cases[] = {
		"",
		"now",
		"2026-02-23",
		"2026-02-23T10:00:00",
		"2026-02-23T10:00Z",
		"2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-02-29T00:00:00Z",
		"1900-02-29T00:00:00Z",
		"2026-02-00T00:00:00Z",
		"2026-02-23T24:00:00Z",
		"2026-02-23T10:60:00Z",
		"2026-02-23T10:00:61Z",
		"2026-02-23T10:00:00.Z",
		"2026-02-23T10:00:00Zx",
		"2026-02-23T10:00:00+24:00",
		"2026-02-23T10:00:00+0100",
		"26-02-23T10:00:00Z",
		"2026-2-23T10:00:00Z",
		"-2026-02-23T10:00:00Z",
		"99999999999999999999",
		"1.5",
		" 5",
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		int64_t ms = 0;

		ASSERT_FALSEm(cases[i], loom_time_parse(loom_str_of(cases[i]), &ms));
	}
	ASSERT_FALSE(loom_time_parse(loom_str_make("2026-02-23\0"
						   "10:00:00Z",
						   20),
				     &(int64_t){0}));
	PASS();
}

TEST an_age_is_told_in_the_largest_whole_unit(void)
{
	static const struct {
		int64_t age;
		const char *text;
	} cases[] = {
		{-9999999, "0s ago"}, {0, "0s ago"},           {999, "0s ago"},
		{12000, "12s ago"},   {59999, "59s ago"},      {60000, "1m ago"},
		{3599999, "59m ago"}, {3600000, "1h ago"},     {86399999, "23h ago"},
		{86400000, "1d ago"}, {2591999999, "29d ago"}, {2592000000, "2026-01-24"},
	};
	const int64_t now = 1771840800000;

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf buf = LOOM_BUF_INIT(256);

		loom_time_ago(now - cases[i].age, now, false, &buf);
		ASSERT_STR_EQ(cases[i].text, loom_buf_cstr(&buf));
		loom_buf_fini(&buf);
	}
	PASS();
}

TEST an_old_date_follows_the_local_calendar_when_asked(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(256);

	setenv("TZ", "XYZ-14", 1);
	loom_time_ago(1771840800000, 1871840800000, true, &buf);
	ASSERT_STR_EQ("2026-02-24", loom_buf_cstr(&buf));
	loom_buf_clear(&buf);
	loom_time_ago(1771840800000, 1871840800000, false, &buf);
	ASSERT_STR_EQ("2026-02-23", loom_buf_cstr(&buf));
	loom_buf_clear(&buf);
	loom_time_ago(INT64_MIN, INT64_MAX, true, &buf);
	loom_time_iso(INT64_MIN, &buf);
	loom_time_iso(INT64_MAX, &buf);
	ASSERT(buf.n > 40);
	loom_buf_fini(&buf);
	unsetenv("TZ");
	PASS();
}

TEST the_environment_fixes_clock_and_seed(void)
{
	struct loom_env env;

	setenv("LOOM_NOW", "2026-02-23T10:00:00Z", 1);
	setenv("LOOM_SEED", "18446744073709551615", 1);
	ASSERT_EQ(LOOM_OK, loom_env_init(&env, NULL));
	ASSERT_EQ_FMT((int64_t)1771840800000, loom_env_now(&env), "%" PRId64);
	ASSERT(env.seeded);
	ASSERT_EQ(UINT64_MAX, env.seed);
	PASS();
}

TEST malformed_settings_are_refused_by_name(void)
{
	struct loom_env env;
	struct loom_err err = {0};

	setenv("LOOM_NOW", "yesterday", 1);
	unsetenv("LOOM_SEED");
	ASSERT_EQ(LOOM_SYNTAX, loom_env_init(&env, &err));
	ASSERT(strstr(err.text, "LOOM_NOW"));
	ASSERT(err.hint[0]);
	setenv("LOOM_NOW", "", 1);
	setenv("LOOM_SEED", "-1", 1);
	ASSERT_EQ(LOOM_SYNTAX, loom_env_init(&env, &err));
	ASSERT(strstr(err.text, "LOOM_SEED"));
	unsetenv("LOOM_NOW");
	unsetenv("LOOM_SEED");
	ASSERT_EQ(LOOM_OK, loom_env_init(&env, &err));
	ASSERT_FALSE(env.now_fixed || env.seeded);
	ASSERT(loom_env_now(&env) > 1700000000000);
	PASS();
}

TEST the_same_seed_and_salt_give_the_same_bytes(void)
{
	struct loom_env env;
	uint8_t a[77];
	uint8_t b[77];

	loom_env_init_fixed(&env, 0, 7);
	loom_env_random(&env, 3, a, sizeof a);
	loom_env_random(&env, 3, b, sizeof b);
	ASSERT_MEM_EQ(a, b, sizeof a);
	loom_env_random(&env, 3, b, 5);
	ASSERT_MEM_EQ(a, b, 5);
	loom_env_random(&env, 4, b, sizeof b);
	ASSERT(memcmp(a, b, sizeof a) != 0);
	env.seed = 8;
	loom_env_random(&env, 3, b, sizeof b);
	ASSERT(memcmp(a, b, sizeof a) != 0);
	PASS();
}

static int compare_words(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

TEST different_salts_and_seeds_never_meet(void)
{
	enum { SIDE = 300 };
	uint64_t *words = loom_alloc(sizeof *words * SIDE * SIDE);
	struct loom_env env;

	loom_env_init_fixed(&env, 0, 0);
	for (size_t i = 0; i < SIDE * SIDE; i++) {
		env.seed = i / SIDE;
		loom_env_random(&env, i % SIDE, &words[i], sizeof words[i]);
	}
	qsort(words, SIDE * SIDE, sizeof *words, compare_words);
	for (size_t i = 1; i < SIDE * SIDE; i++)
		ASSERT(words[i] != words[i - 1]);
	free(words);
	PASS();
}

TEST salts_of_a_process_are_told_apart_from_row_numbers(void)
{
	struct loom_env env;
	uint64_t first = 0;

	loom_env_init_fixed(&env, 0, 7);
	first = loom_env_next_salt(&env);
	ASSERT(first > (uint64_t)INT64_MAX);
	ASSERT(loom_env_next_salt(&env) != first);
	PASS();
}

TEST without_a_seed_bytes_differ_each_time(void)
{
	struct loom_env env;
	uint8_t a[300] = {0};
	uint8_t b[300] = {0};

	ASSERT_EQ(LOOM_OK, loom_env_init(&env, NULL));
	loom_env_random(&env, 1, a, sizeof a);
	loom_env_random(&env, 1, b, sizeof b);
	ASSERT(memcmp(a, b, sizeof a) != 0);
	PASS();
}

TEST the_boot_clock_runs_even_when_the_wall_clock_is_fixed(void)
{
	int64_t ticks = loom_env_ticks();

	ASSERT(loom_env_boot() > 0);
	while (loom_env_ticks() == ticks)
		;
	ASSERT(loom_env_ticks() > ticks);
	PASS();
}

TEST directories_follow_xdg_and_home(void)
{
	struct vars vars = {{"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}, {"/h", "/x/d", "rel"}};
	struct loom_buf buf = LOOM_BUF_INIT(256);
	struct loom_env env;

	loom_env_init_fixed(&env, 0, 0);
	env.var = find_var;
	env.ctx = &vars;
	ASSERT_EQ(LOOM_OK, loom_env_dir(&env, LOOM_DIR_DATA, &buf, NULL));
	loom_buf_addc(&buf, ' ');
	ASSERT_EQ(LOOM_OK, loom_env_dir(&env, LOOM_DIR_CACHE, &buf, NULL));
	loom_buf_addc(&buf, ' ');
	ASSERT_EQ(LOOM_OK, loom_env_dir(&env, LOOM_DIR_STATE, &buf, NULL));
	loom_buf_addc(&buf, ' ');
	ASSERT_EQ(LOOM_OK, loom_env_dir(&env, LOOM_DIR_CONFIG, &buf, NULL));
	ASSERT_STR_EQ("/x/d/loom /h/.cache/loom /h/.local/state/loom /h/.config/loom",
		      loom_buf_cstr(&buf));
	loom_buf_fini(&buf);
	PASS();
}

TEST without_a_home_the_directory_is_not_found(void)
{
	struct loom_buf buf = LOOM_BUF_INIT(256);
	struct loom_err err = {0};
	struct loom_env env;

	loom_env_init_fixed(&env, 0, 0);
	ASSERT_EQ(LOOM_NOT_FOUND, loom_env_dir(&env, LOOM_DIR_DATA, &buf, &err));
	ASSERT_EQ(0, buf.n);
	ASSERT(strstr(err.hint, "XDG_DATA_HOME"));
	PASS();
}

SUITE(env)
{
	RUN_TEST(a_time_is_written_as_javascript_writes_it);
	RUN_TEST(every_day_reads_back_as_it_was_written);
	RUN_TEST(other_spellings_of_a_time_are_read);
	RUN_TEST(what_is_no_time_is_refused);
	RUN_TEST(an_age_is_told_in_the_largest_whole_unit);
	RUN_TEST(an_old_date_follows_the_local_calendar_when_asked);
	RUN_TEST(the_environment_fixes_clock_and_seed);
	RUN_TEST(malformed_settings_are_refused_by_name);
	RUN_TEST(the_same_seed_and_salt_give_the_same_bytes);
	RUN_TEST(different_salts_and_seeds_never_meet);
	RUN_TEST(salts_of_a_process_are_told_apart_from_row_numbers);
	RUN_TEST(without_a_seed_bytes_differ_each_time);
	RUN_TEST(the_boot_clock_runs_even_when_the_wall_clock_is_fixed);
	RUN_TEST(directories_follow_xdg_and_home);
	RUN_TEST(without_a_home_the_directory_is_not_found);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(env);
	GREATEST_MAIN_END();
}
