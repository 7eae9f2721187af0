/* The test helpers are tested too: a runner that misreports proves nothing. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/base/utf8.h>

#include "support/child.h"
#include "support/prop.h"
#include "support/temp.h"

TEST a_temp_folder_is_private_and_goes_with_all_that_is_in_it(void)
{
	struct temp temp = {0};
	struct stat info = {0};
	struct temp gone = {0};

	temp_init(&temp);
	gone = temp;
	ASSERT_EQ(0, stat(temp.path, &info));
	ASSERT_EQ(0700, (int)(info.st_mode & 0777));
	temp_write(&temp, "a/b/c.txt", LOOM_STR("deep"));
	temp_fini(&temp);
	ASSERT_EQ(-1, stat(gone.path, &info));
	ASSERT_EQ(ENOENT, errno);
	PASS();
}

TEST removing_a_temp_folder_does_not_follow_links_out_of_it(void)
{
	struct temp outside = {0};
	struct temp temp = {0};
	struct loom_buf read = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *link = NULL;
	char *kept = NULL;

	temp_init(&outside);
	temp_init(&temp);
	temp_write(&outside, "kept", LOOM_STR("still here"));
	link = temp_path(&temp, "link");
	kept = temp_path(&outside, "kept");
	ASSERT_EQ(0, symlink(outside.path, link));
	temp_fini(&temp);
	ASSERT(temp_read(kept, &read));
	ASSERT_STR_EQ("still here", loom_buf_cstr(&read));
	loom_buf_fini(&read);
	free(link);
	free(kept);
	temp_fini(&outside);
	PASS();
}

TEST a_child_gets_its_input_and_both_outputs_are_kept_apart(void)
{
	const char *const env[] = {"GREETING=hello", NULL};
	const struct child_opts opts = {.input = LOOM_STR("in\n"), .env = env, .cwd = "/"};
	struct child_result result;

	ASSERT(child_shell("read x; echo $x $GREETING $(pwd); echo bad >&2; exit 7", &opts,
			   &result));
	ASSERT_STR_EQ("in hello /\n", loom_buf_cstr(&result.out));
	ASSERT_STR_EQ("bad\n", loom_buf_cstr(&result.err));
	ASSERT_EQ(7, result.status);
	ASSERT_EQ(0, result.signal);
	child_fini(&result);
	PASS();
}

TEST a_child_larger_than_any_pipe_is_fed_and_read_whole(void)
{
	struct loom_buf big = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct child_opts opts = {0};
	struct child_result result;

	loom_buf_add_repeat(&big, 'x', (size_t)3 << 20);
	opts.input = loom_buf_str(&big);
	ASSERT(child_shell("cat", &opts, &result));
	ASSERT_EQ(0, result.status);
	ASSERT(loom_str_eq(loom_buf_str(&big), loom_buf_str(&result.out)));
	child_fini(&result);
	loom_buf_fini(&big);
	PASS();
}

TEST a_child_that_does_not_read_its_input_is_no_failure(void)
{
	struct loom_buf big = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct child_opts opts = {0};
	struct child_result result;

	loom_buf_add_repeat(&big, 'x', (size_t)1 << 20);
	opts.input = loom_buf_str(&big);
	ASSERT(child_shell("exit 0", &opts, &result));
	ASSERT_EQ(0, result.status);
	child_fini(&result);
	loom_buf_fini(&big);
	PASS();
}

TEST a_child_past_its_time_is_killed_with_its_own_children(void)
{
	const struct child_opts opts = {.timeout_ms = 200};
	struct child_result result;

	ASSERT(child_shell("sleep 20 & sleep 20", &opts, &result));
	ASSERT(result.timed_out);
	ASSERT_EQ(SIGKILL, result.signal);
	ASSERT_EQ(-1, result.status);
	child_fini(&result);
	PASS();
}

TEST a_signal_and_a_missing_program_are_reported(void)
{
	const char *const missing[] = {"/nowhere/at/all", NULL};
	struct child_result result;

	ASSERT(child_shell("kill -SEGV $$", NULL, &result));
	ASSERT_EQ(SIGSEGV, result.signal);
	child_fini(&result);
	ASSERT(child_run(missing, NULL, &result));
	ASSERT_EQ(127, result.status);
	child_fini(&result);
	PASS();
}

TEST the_same_seed_draws_the_same_cases_and_another_does_not(void)
{
	struct prop a;
	struct prop b;
	struct prop c;

	prop_init_seed(&a, 7);
	prop_init_seed(&b, 7);
	prop_init_seed(&c, 8);
	for (int i = 0; i < 100; i++) {
		uint64_t drawn = prop_next(&a);

		ASSERT_EQ(drawn, prop_next(&b));
		ASSERT(drawn != prop_next(&c));
	}
	PASS();
}

TEST draws_stay_within_their_bounds_and_reach_them(void)
{
	struct prop prop;
	bool low = false;
	bool high = false;

	prop_init(&prop, "draws_stay_within_their_bounds");
	for (int i = 0; i < 1000; i++) {
		int64_t drawn = prop_between(&prop, -2, 2);

		ASSERT(drawn >= -2 && drawn <= 2);
		low = low || drawn == -2;
		high = high || drawn == 2;
	}
	ASSERT(low && high);
	ASSERT_EQ(0, prop_below(&prop, 0));
	(void)prop_between(&prop, INT64_MIN, INT64_MAX);
	PASS();
}

TEST random_text_is_valid_and_bent_text_often_is_not(void)
{
	struct prop prop;
	int bad = 0;

	prop_init(&prop, "random_text_is_valid");
	for (int i = 0; i < 200; i++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_buf bent = LOOM_BUF_INIT(LOOM_BUF_MAX);

		prop_text(&prop, 50, &text);
		prop_bent_text(&prop, 50, &bent);
		ASSERT(loom_utf8_valid(loom_buf_str(&text), NULL));
		bad += !loom_utf8_valid(loom_buf_str(&bent), NULL);
		loom_buf_fini(&text);
		loom_buf_fini(&bent);
	}
	ASSERT(bad > 20);
	PASS();
}

SUITE(support)
{
	RUN_TEST(a_temp_folder_is_private_and_goes_with_all_that_is_in_it);
	RUN_TEST(removing_a_temp_folder_does_not_follow_links_out_of_it);
	RUN_TEST(a_child_gets_its_input_and_both_outputs_are_kept_apart);
	RUN_TEST(a_child_larger_than_any_pipe_is_fed_and_read_whole);
	RUN_TEST(a_child_that_does_not_read_its_input_is_no_failure);
	RUN_TEST(a_child_past_its_time_is_killed_with_its_own_children);
	RUN_TEST(a_signal_and_a_missing_program_are_reported);
	RUN_TEST(the_same_seed_draws_the_same_cases_and_another_does_not);
	RUN_TEST(draws_stay_within_their_bounds_and_reach_them);
	RUN_TEST(random_text_is_valid_and_bent_text_often_is_not);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(support);
	GREATEST_MAIN_END();
}
