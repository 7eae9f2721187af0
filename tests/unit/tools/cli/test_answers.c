/* One description, and what comes of it for a person and for a program. */
#include <greatest.h>

#include <unistd.h>

#include <loom/cli/services.h>

struct desk {
	struct loom_cli cli;
	int results[2];
	char got[4096];
};

static bool set_up(struct desk *desk, bool json)
{
	struct loom_out_opts opts = {.err_fd = STDERR_FILENO, .json = json, .env = &desk->cli.env};

	*desk = (struct desk){.cli = {.json = json}};
	if (pipe(desk->results))
		return false;
	loom_env_init_fixed(&desk->cli.env, 0, 0);
	opts.out_fd = desk->results[1];
	desk->cli.arena = loom_arena_create();
	desk->cli.out = loom_out_create(&opts);
	return true;
}

/* What was printed in all, and the end of the desk. */
static const char *tear_down(struct desk *desk)
{
	bool written = loom_out_flush(desk->cli.out, NULL) == LOOM_OK;
	ssize_t n = 0;

	cli_close(&desk->cli);
	close(desk->results[1]);
	n = read(desk->results[0], desk->got, sizeof desk->got - 1);
	desk->got[n > 0 ? n : 0] = '\0';
	close(desk->results[0]);
	return written ? desk->got : "(not written)";
}

static void describe(struct loom_cli *cli)
{
	const struct loom_str words[] = {LOOM_STR_INIT("one"), LOOM_STR_INIT("two")};

	loom_answer_done(cli, "looked at %s", loom_answer_many(cli, 1, "page", "pages"));
	loom_answer_text(cli, "title", LOOM_STR("a\nb"));
	loom_answer_list(cli, "rows");
	for (int64_t i = 0; i < 2; i++) {
		loom_answer_map(cli, NULL);
		loom_answer_number(cli, "n", i);
		loom_answer_id(cli, "id", i);
		loom_answer_line(cli, "row %lld: %s", (long long)i, "a\nb");
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	loom_answer_texts(cli, "words", words, 2);
	loom_answer_flag(cli, "more", false);
	loom_answer_maybe(cli, "mark", LOOM_STR(""));
	loom_answer_map(cli, "deep");
	loom_answer_list(cli, "lists");
	loom_answer_list(cli, NULL);
	loom_answer_json(cli, NULL, LOOM_STR("{\"raw\":1}"));
}

TEST a_person_is_told_the_lines(void)
{
	struct desk desk;

	ASSERT(set_up(&desk, false));
	describe(&desk.cli);
	loom_answer_give(&desk.cli);
	ASSERT_STR_EQ("✓ looked at 1 page\nrow 0: a⏎b\nrow 1: a⏎b\n", tear_down(&desk));
	PASS();
}

TEST a_program_is_given_the_values(void)
{
	struct desk desk;

	ASSERT(set_up(&desk, true));
	describe(&desk.cli);
	loom_answer_give(&desk.cli);
	ASSERT_STR_EQ("{\"title\":\"a\\nb\",\"rows\":[{\"n\":0,\"id\":null},{\"n\":1,\"id\":1}],"
		      "\"words\":[\"one\",\"two\"],\"more\":false,\"mark\":null,"
		      "\"deep\":{\"lists\":[[{\"raw\":1}]]}}\n",
		      tear_down(&desk));
	PASS();
}

TEST what_is_only_said_is_an_object_too(void)
{
	struct desk desk;

	ASSERT(set_up(&desk, true));
	loom_answer_done(&desk.cli, "nothing to do");
	loom_answer_page(&desk.cli, LOOM_STR("a page"));
	loom_answer_give(&desk.cli);
	ASSERT_STR_EQ("{\"text\":\"✓ nothing to do\\na page\\n\"}\n", tear_down(&desk));
	PASS();
}

TEST an_answer_that_failed_is_not_given(void)
{
	struct desk desk;

	ASSERT(set_up(&desk, true));
	describe(&desk.cli);
	loom_answer_drop(&desk.cli);
	loom_answer_line(&desk.cli, "said, and dropped as well");
	loom_answer_drop(&desk.cli);
	loom_answer_give(&desk.cli);
	ASSERT_STR_EQ("", tear_down(&desk));
	PASS();
}

TEST several_answers_are_a_line_each(void)
{
	struct desk desk;

	ASSERT(set_up(&desk, true));
	loom_answer_number(&desk.cli, "a", 1);
	loom_answer_give(&desk.cli);
	loom_answer_list(&desk.cli, NULL);
	loom_answer_number(&desk.cli, NULL, 2);
	loom_answer_give(&desk.cli);
	loom_answer_map(&desk.cli, NULL);
	loom_answer_end(&desk.cli);
	loom_answer_give(&desk.cli);
	ASSERT_STR_EQ("{\"a\":1}\n[2]\n{}\n", tear_down(&desk));
	PASS();
}

TEST bytes_are_the_same_for_both(void)
{
	for (int json = 0; json < 2; json++) {
		struct desk desk;

		ASSERT(set_up(&desk, json));
		loom_answer_bytes(&desk.cli, LOOM_STR("a\033b"));
		loom_answer_give(&desk.cli);
		ASSERT_STR_EQ("a\033b", tear_down(&desk));
	}
	PASS();
}

static void content(struct loom_cli *cli)
{
	loom_answer_text(cli, "content", LOOM_STR("a\033b"));
	loom_answer_untouched(cli, LOOM_STR("a\033b"));
	loom_answer_give(cli);
}

TEST a_content_is_untouched_or_described(void)
{
	struct desk desk;

	ASSERT(set_up(&desk, false));
	content(&desk.cli);
	ASSERT_STR_EQ("a\033b", tear_down(&desk));
	ASSERT(set_up(&desk, true));
	content(&desk.cli);
	ASSERT_STR_EQ("{\"content\":\"a\\u001bb\"}\n", tear_down(&desk));
	PASS();
}

TEST a_format_of_its_own_is_json_without_being_asked(void)
{
	struct desk desk;

	ASSERT(set_up(&desk, false));
	loom_answer_as_json(&desk.cli);
	content(&desk.cli);
	ASSERT_STR_EQ("{\"content\":\"a\\u001bb\"}\n", tear_down(&desk));
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(a_person_is_told_the_lines);
	RUN_TEST(a_program_is_given_the_values);
	RUN_TEST(what_is_only_said_is_an_object_too);
	RUN_TEST(an_answer_that_failed_is_not_given);
	RUN_TEST(several_answers_are_a_line_each);
	RUN_TEST(bytes_are_the_same_for_both);
	RUN_TEST(a_content_is_untouched_or_described);
	RUN_TEST(a_format_of_its_own_is_json_without_being_asked);
	GREATEST_MAIN_END();
}
