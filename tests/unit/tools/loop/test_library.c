/* Libraries that are loaded late, and that the program begins without them. */
#include <greatest.h>

#include <loom/base/library.h>

#include "support/child.h"

GREATEST_MAIN_DEFS();

struct table {
	double (*cosine)(double);
	double (*sine)(double);
};

static const struct loom_symbol symbols[] = {
	{"cos", offsetof(struct table, cosine)},
	{"sin", offsetof(struct table, sine)},
};

TEST the_first_file_that_is_there_fills_the_table(void)
{
	static const char *const files[] = {"libnothing-of-this-name.so.9", "libm.so.6",
					    "libm.dylib", NULL};
	struct table table = {NULL, NULL};

	ASSERT(loom_library_load(files, symbols, LOOM_COUNT(symbols), &table));
	ASSERT(table.cosine(0) > 0.999);
	ASSERT(table.sine(0) < 0.001);
	PASS();
}

TEST a_library_that_is_missing_is_said_to_be(void)
{
	static const char *const files[] = {"libnothing-of-this-name.so.9", NULL};
	struct table table = {NULL, NULL};

	ASSERT_FALSE(loom_library_load(files, symbols, LOOM_COUNT(symbols), &table));
	ASSERT(!table.cosine && !table.sine);
	PASS();
}

TEST a_library_that_lacks_a_function_is_not_taken(void)
{
	static const char *const files[] = {"libm.so.6", "libm.dylib", NULL};
	static const struct loom_symbol more[] = {
		{"cos", offsetof(struct table, cosine)},
		{"cos_of_another_world", offsetof(struct table, sine)},
	};
	struct table table = {NULL, NULL};

	ASSERT_FALSE(loom_library_load(files, more, LOOM_COUNT(more), &table));
	PASS();
}

/* The loader lists what a program begins with instead of running it. */
TEST the_program_begins_without_what_few_runs_need(void)
{
	static const char *const late[] = {"libcurl", "libxml2", "libicu"};
	const char *const argv[] = {LOOM_PROGRAM, "--version", NULL};
	const char *const env[] = {"LD_TRACE_LOADED_OBJECTS=1", NULL};
	const struct child_opts opts = {.env = env};
	struct child_result result;

	ASSERT(child_run(argv, &opts, &result));
	if (loom_str_find(loom_buf_str(&result.out), LOOM_STR("libsqlite3"), 0) == SIZE_MAX) {
		child_fini(&result);
		SKIPm("no list of libraries from this loader");
	}
	for (size_t i = 0; i < LOOM_COUNT(late); i++)
		ASSERT_EQm(late[i], SIZE_MAX,
			   loom_str_find(loom_buf_str(&result.out), loom_str_of(late[i]), 0));
	child_fini(&result);
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(the_first_file_that_is_there_fills_the_table);
	RUN_TEST(a_library_that_is_missing_is_said_to_be);
	RUN_TEST(a_library_that_lacks_a_function_is_not_taken);
	RUN_TEST(the_program_begins_without_what_few_runs_need);
	GREATEST_MAIN_END();
}
