/* Resizing: what is looked at stays in place, and a screen that has grown is not left empty. */
#include "greatest.h"

#include "screens/desk.h"

static struct desk desk;
static struct pty *pty;

static void set_up(void)
{
	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 60, 10, NULL);
}

static void tear_down(void)
{
	pty_close(pty);
	desk_fini(&desk);
}

static void resize(int w, int h)
{
	pty_resize(pty, w, h);
	pty_settle(pty);
}

static bool shows(const char *text)
{
	return strstr(pty_text(pty), text) != NULL;
}

TEST a_reader_that_has_grown_shows_what_is_above(void)
{
	set_up();
	pty_type(pty, "ll]gl");
	ASSERT_FALSE(shows("[r001] human"));
	resize(100, 100);
	ASSERT(shows("[r001] human"));
	ASSERT(shows("Step 14"));
	tear_down();
	PASS();
}

TEST a_list_that_has_grown_shows_what_is_above(void)
{
	set_up();
	pty_type(pty, "okG");
	resize(100, 30);
	resize(60, 10);
	resize(100, 250);
	ASSERT(shows("gg <Home>"));
	ASSERT(shows("history-find"));
	tear_down();
	PASS();
}

/* The reader was scrolled so that its end stands in the middle: that is wanted, and stays. */
TEST the_same_size_moves_nothing(void)
{
	char before[20000];

	set_up();
	pty_type(pty, "ll]gl");
	pty_type(pty, "JJJJJJ");
	snprintf(before, sizeof before, "%s", pty_text(pty));
	pty_type(pty, "\x0c");
	ASSERT_STR_EQ(before, pty_text(pty));
	tear_down();
	PASS();
}

TEST a_storm_of_sizes_amid_a_generation_ends_in_a_whole_picture(void)
{
	set_up();
	pty_write(pty, LOOM_STR("5c"));
	for (int i = 0; i < 60; i++) {
		pty_resize(pty, 1 + i * 37 % 150, 1 + i * 13 % 50);
		pty_take(pty);
	}
	pty_resize(pty, 100, 30);
	/* Several signals may come as one: what is counted is the picture. */
	pty_until(pty, "6 continuations");
	pty_until(pty, "saved");
	pty_until(pty, "? help");
	ASSERT(shows("Marie \xc2\xb7 dialogue"));
	tear_down();
	PASS();
}

SUITE(resized)
{
	RUN_TEST(a_reader_that_has_grown_shows_what_is_above);
	RUN_TEST(a_list_that_has_grown_shows_what_is_above);
	RUN_TEST(the_same_size_moves_nothing);
	RUN_TEST(a_storm_of_sizes_amid_a_generation_ends_in_a_whole_picture);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(resized);
	GREATEST_MAIN_END();
}
