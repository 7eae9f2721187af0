/* What sharing would give, seen before it is done: it is what it gives afterwards, and looking
 * changes nothing. */
#include <greatest.h>

#include "support/camp_suite.h"

static const char *block_of(const struct loom_thread_context *context)
{
	struct loom_buf out = LOOM_BUF_INIT(1 << 20);
	const char *text;
	struct loom_err err;

	if (loom_thread_context_emit(context, &out, &err) != LOOM_OK)
		return loom_arena_cstr(camp.arena, loom_str_of(err.text));
	text = loom_arena_cstr(camp.arena, loom_buf_str(&out));
	loom_buf_fini(&out);
	return text;
}

static enum loom_status foresee(const struct loom_leslie_ref *ref, const char **out)
{
	struct loom_thread_context context;
	enum loom_status status = loom_leslie_foresee(camp.leslie, ref, camp.arena, &context,
						      &camp.warnings, &camp.err);

	*out = status == LOOM_OK ? block_of(&context) : NULL;
	return status;
}

static const char *told(const char *id)
{
	struct loom_thread_context context;

	if (loom_leslie_context(camp.leslie, loom_str_of(id), LOOM_CONTEXT_LOAD, camp.arena,
				&context, &camp.warnings, &camp.err) != LOOM_OK)
		return camp.err.err.text;
	return block_of(&context);
}

TEST what_is_foreseen_is_what_is_told_afterwards(void)
{
	const struct loom_str scopes[] = {LOOM_STR_INIT("design/api.md"), LOOM_STR_INIT("plan.md")};

	for (int binding = 0; binding < 2; binding++) {
		for (size_t scoped = 0; scoped < 2; scoped++) {
			struct loom_leslie_ref ref = {.from = LOOM_STR("B"),
						      .target = {.thread = LOOM_STR("A"),
								 .scopes = scopes,
								 .scope_count = scoped * 2},
						      .binding = (enum loom_leslie_binding)binding};
			struct loom_leslie_ref_result result;
			const char *seen = NULL;

			camp_threads(&camp, "A B");
			camp_write(&camp, T "A/plan.md", "a");
			camp_write(&camp, T "A/design/api.md", "b");
			camp_write(&camp, T "A/design/other.md", "c");
			camp_write(&camp, T "A/transcript.md", "d");
			camp_write(&camp, T "B/plan.md", "e");
			ASSERT_EQ(LOOM_OK, foresee(&ref, &seen));
			ASSERT(strstr(seen, "<ref thread=\"A\">"));
			ASSERT_EQ(NULL, strstr(seen, "transcript"));
			ASSERT_EQ(NULL, strstr(told("B"), "<ref"));
			ASSERT_EQ(LOOM_OK, loom_leslie_ref(camp.leslie, &ref, camp.arena, &result,
							   &camp.err));
			ASSERT_STR_EQ(told("B"), seen);
			tear_down(NULL);
			set_up(NULL);
		}
	}
	PASS();
}

TEST a_circle_and_a_bad_scope_are_refused_before_anything_is_done(void)
{
	const struct loom_str bad = LOOM_STR_INIT("../B/plan.md");
	struct loom_leslie_ref ref = {.from = LOOM_STR("A"), .target = {.thread = LOOM_STR("B")}};
	struct loom_leslie_ref scoped = {.from = LOOM_STR("B"),
					 .target = {.thread = LOOM_STR("A"),
						    .scopes = &bad,
						    .scope_count = 1}};
	const char *seen = NULL;
	const char *before;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "a");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	before = camp_read(&camp, RELATIONS);
	ASSERT(foresee(&ref, &seen) != LOOM_OK);
	ASSERT_STR_EQ("T201", camp.err.code);
	ASSERT(foresee(&scoped, &seen) != LOOM_OK);
	ASSERT_STR_EQ("T203", camp.err.code);
	ASSERT_STR_EQ(before, camp_read(&camp, RELATIONS));
	PASS();
}

TEST a_thread_says_which_files_it_could_give(void)
{
	struct loom_leslie_file *files = NULL;
	struct loom_buf all = LOOM_BUF_INIT(1 << 16);
	size_t count = 0;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "1234");
	camp_write(&camp, T "A/design/deep/api.md", "b");
	camp_write(&camp, T "A/.hidden", "x");
	camp_write(&camp, T "A/context/secret.md", "x");
	ASSERT_EQ(LOOM_OK, loom_leslie_files(camp.leslie, LOOM_STR("A"), camp.arena, &files, &count,
					     &camp.err));
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&all, "%.*s ", LOOM_STR_ARG(files[i].name));
	ASSERT(strstr(loom_buf_cstr(&all), "design/ design/deep/ design/deep/api.md "));
	ASSERT(strstr(loom_buf_cstr(&all), "plan.md "));
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&all), "hidden"));
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&all), "secret"));
	loom_buf_fini(&all);
	ASSERT_EQ(LOOM_NOT_FOUND, loom_leslie_files(camp.leslie, LOOM_STR("nobody"), camp.arena,
						    &files, &count, &camp.err));
	PASS();
}

SUITE(foresee_suite)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(what_is_foreseen_is_what_is_told_afterwards);
	RUN_TEST(a_circle_and_a_bad_scope_are_refused_before_anything_is_done);
	RUN_TEST(a_thread_says_which_files_it_could_give);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(foresee_suite);
	GREATEST_MAIN_END();
}
