/* The views over and beside the tree, on a real pty. */
#include "greatest.h"

#include "screens/desk.h"

static const char *look(const char *name, const char *const *keys, int w, int h)
{
	struct desk desk;
	struct pty *pty;
	const char *wrong;

	desk_init(&desk, LOOM_BUFFER);
	pty = desk_open(&desk, w, h, NULL);
	for (; *keys; keys++) {
		pty_type(pty, *keys);
		pty_settle(pty);
	}
	wrong = pty_golden(pty, name);
	pty_close(pty);
	desk_fini(&desk);
	return wrong;
}

#define LOOK(name, w, h, ...)                                                                      \
	do {                                                                                       \
		static const char *const keys[] = {__VA_ARGS__, NULL};                             \
		const char *wrong = look(name, keys, w, h);                                        \
		ASSERT_EQm(wrong, NULL, wrong);                                                    \
	} while (0)

TEST a_context_is_seen_part_by_part(void)
{
	LOOK("views-inspector-80x24", 80, 24, "ll]gl", "oc");
	LOOK("views-inspector-40x10", 40, 10, "ll]gl", "oc", "3j");
	LOOK("views-inspector-140x40", 140, 40, "ll]gl", "oc");
	PASS();
}

TEST two_contexts_are_seen_as_their_difference(void)
{
	LOOK("views-diff-80x24", 80, 24, "ll]gl", "oc", "=r001\r");
	PASS();
}

TEST tokens_are_shaded_and_have_others_beside_them(void)
{
	LOOK("views-lens-80x24", 80, 24, "ll", "c", "zl\tlll");
	LOOK("views-lens-40x10", 40, 10, "ll", "c", "zl\tlll");
	PASS();
}

TEST a_filter_shows_what_it_lets_through(void)
{
	LOOK("views-filter-80x24", 80, 24, "l", "fmean\r", "j");
	PASS();
}

TEST memory_stands_beside_the_tree(void)
{
	LOOK("views-memory-140x40", 140, 40, "ll]", "om", "p", "sthe light\r");
	LOOK("views-memory-80x24", 80, 24, "ll]", "om", "p", "sthe light\r");
	PASS();
}

SUITE(lookers)
{
	RUN_TEST(a_context_is_seen_part_by_part);
	RUN_TEST(two_contexts_are_seen_as_their_difference);
	RUN_TEST(tokens_are_shaded_and_have_others_beside_them);
	RUN_TEST(a_filter_shows_what_it_lets_through);
	RUN_TEST(memory_stands_beside_the_tree);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(lookers);
	GREATEST_MAIN_END();
}
