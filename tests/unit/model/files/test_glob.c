/* The wildcard match by itself: what random trees seldom meet. */
#include <greatest.h>

#include "model/files/inside.h"
#include "support/clock.h"

struct row {
	const char *pattern;
	const char *text;
	bool paths;
	bool matches;
};

static const struct row rows[] = {
	{"", "", true, true},
	{"", "a", true, false},
	{"*", "", true, true},
	{"**", "a/b", true, true},
	{"*", "a/b", true, false},
	{"*", "a/b", false, true},
	{"a*c", "abbc", true, true},
	{"a*c", "ab/c", true, false},
	{"a/**/b", "a/b", true, true},
	{"a/**/b", "a/x/y/b", true, true},
	{"a/**/b", "axb", true, false},
	{"a**b", "a/b", true, false},
	{"**b", "a/b", true, false},
	{"**/b", "b", true, true},
	{"**/b", "/b", true, true},
	{"a/**", "a/", true, true},
	{"a/***/b", "a/x/b", true, true},
	{"**\\/b", "a/b", true, true},
	{"**\\/b", "b", true, false},
	{"?", "/", true, false},
	{"?", "/", false, true},
	{"[!a]", "/", true, false},
	{"[/]", "/", true, false},
	{"[/]", "/", false, true},
	{"\\", "\\", true, false},
	{"\\\\", "\\", true, true},
	{"[\\]", "\\", true, false},
	{"[", "[", true, false},
	{"[]", "]", true, false},
	{"[]]", "]", true, true},
	{"[[:alpha:][:digit:]]", "5", true, true},
	{"[[:nothing:]a]", "a", true, false},
	{"[[:space:]]", "\v", true, false},
	{"[[:space:]]", "\r", true, true},
	{"[a-c-e]", "d", true, false},
	{"[a-c-e]", "-", true, true},
	{"[z-a]", "m", true, false},
	{"*a*b", "xaxaxb", true, true},
	{"**/*.o/x", "a/b.o/c.o/x", true, true},
	{"**/a*/b", "a1/c/a2/b", true, true},
};

TEST every_row_matches_or_does_not(void)
{
	for (size_t i = 0; i < LOOM_COUNT(rows); i++)
		ASSERT_EQm(rows[i].pattern, rows[i].matches,
			   model_glob(loom_str_of(rows[i].pattern), loom_str_of(rows[i].text),
				      rows[i].paths));
	PASS();
}

/* A matcher that tries every star anew would still be at it when the sun goes out. */
TEST a_hostile_pattern_is_refused_in_time(void)
{
	struct loom_buf pattern = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t start = clock_ns();

	loom_buf_adds(&pattern, "**/");
	for (int i = 0; i < 100; i++)
		loom_buf_adds(&pattern, "*a");
	loom_buf_adds(&pattern, "*b");
	for (int i = 0; i < 16; i++) {
		loom_buf_adds(&text, i ? "/" : "");
		loom_buf_add_repeat(&text, 'a', 250);
	}
	ASSERT_FALSE(model_glob(loom_buf_str(&pattern), loom_buf_str(&text), true));
	ASSERT_FALSE(model_glob(loom_buf_str(&pattern), loom_buf_str(&text), false));
	ASSERT(clock_ns() - start < INT64_C(4000000000));
	loom_buf_fini(&pattern);
	loom_buf_fini(&text);
	PASS();
}

SUITE(glob)
{
	RUN_TEST(every_row_matches_or_does_not);
	RUN_TEST(a_hostile_pattern_is_refused_in_time);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(glob);
	GREATEST_MAIN_END();
}
