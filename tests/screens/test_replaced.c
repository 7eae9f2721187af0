/* A grove that is replaced under a running screen: it says so once, and shows what it showed. */
#include "greatest.h"

#include <loom/tree/open_store.h>

#include "screens/desk.h"
#include "support/child.h"

static bool shell(struct desk *desk, const char *line)
{
	char home[600];
	const char *const env[] = {home, "LOOM=" SCREENS_LOOM, NULL};
	struct child_opts opts = {.env = env, .cwd = desk->grove.temp.path};
	struct child_result said;
	bool good;

	snprintf(home, sizeof home, "HOME=%s", desk->grove.temp.path);
	good = child_shell(line, &opts, &said) && said.status == 0;
	if (!good)
		fprintf(stderr, "%s%s", loom_buf_cstr(&said.out), loom_buf_cstr(&said.err));
	child_fini(&said);
	return good;
}

/* The desk's grove at rest, nobody in it. */
static void rest(struct desk *desk)
{
	desk_init(desk, LOOM_DIALOGUE);
	loom_store_close(desk->grove.store);
	desk->grove.store = NULL;
}

#define NOTICE "or an older copy, replaced"

static enum greatest_test_res replaced(struct desk *desk, const char *shown, const char *line,
				       const char *notice)
{
	struct pty *pty = desk_open(desk, 200, 40, NULL);

	pty_until(pty, shown);
	ASSERT(shell(desk, line));
	pty_until(pty, notice);
	ASSERT(strstr(pty_text(pty), shown));
	/* It can still move in what it has loaded, and leave. */
	pty_type(pty, "jk");
	ASSERT(strstr(pty_text(pty), shown));
	pty_close(pty);
	PASS();
}

TEST an_older_copy_is_noticed_without_a_write(void)
{
	struct desk desk;

	rest(&desk);
	ASSERT(shell(&desk, "cp .loom/grove.db old.db && $LOOM do respond r001 Newer."));
	CHECK_CALL(replaced(&desk, "Newer.", "cat old.db >.loom/grove.db", NOTICE));
	desk_fini(&desk);
	PASS();
}

TEST another_grove_is_noticed_without_a_write(void)
{
	struct desk desk;

	rest(&desk);
	ASSERT(shell(&desk, "mkdir other && $LOOM init other && $LOOM -g other new --root Other"));
	CHECK_CALL(
		replaced(&desk, "The house", "cat other/.loom/grove.db >.loom/grove.db", NOTICE));
	desk_fini(&desk);
	PASS();
}

TEST a_file_that_is_emptied_is_noticed(void)
{
	struct desk desk;

	rest(&desk);
	CHECK_CALL(
		replaced(&desk, "The house", ": >.loom/grove.db", "grove.db is being overwritten"));
	desk_fini(&desk);
	PASS();
}

/* What others write, even past a checkpoint, is shown without a warning. */
TEST a_grove_that_goes_on_is_the_same(void)
{
	struct desk desk;
	struct pty *pty = NULL;

	rest(&desk);
	pty = desk_open(&desk, 200, 40, NULL);
	ASSERT(shell(&desk, "for i in 1 2 3 4 5 6; do $LOOM do annotate r001 note || exit 1; done; "
			    "head -c 9000000 /dev/zero | tr '\\0' x >large; "
			    "$LOOM doc import large && $LOOM do respond r001 Last."));
	pty_type(pty, "gg");
	pty_until(pty, "Last.");
	ASSERT_FALSE(strstr(pty_text(pty), "or an older copy, replaced"));
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

SUITE(replaced_groves)
{
	RUN_TEST(an_older_copy_is_noticed_without_a_write);
	RUN_TEST(another_grove_is_noticed_without_a_write);
	RUN_TEST(a_file_that_is_emptied_is_noticed);
	RUN_TEST(a_grove_that_goes_on_is_the_same);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(replaced_groves);
	GREATEST_MAIN_END();
}
