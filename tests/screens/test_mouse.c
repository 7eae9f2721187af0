/* The mouse on the real program: wheel and presses, over tree, reader and lists; and without it. */
#include "greatest.h"

#include "screens/desk.h"

static struct desk desk;
static struct pty *pty;

static void set_up(int w, int h)
{
	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, w, h, NULL);
}

static void tear_down(void)
{
	pty_close(pty);
	desk_fini(&desk);
}

static bool shows(const char *text)
{
	return strstr(pty_text(pty), text) != NULL;
}

/* x and y from 1, as a terminal counts; button 0 is the left one, 64 and 65 the wheel. */
static void press(int button, int x, int y)
{
	char keys[64];

	snprintf(keys, sizeof keys, "\x1b[<%d;%d;%dM\x1b[<%d;%d;%dm", button, x, y, button, x, y);
	pty_type(pty, keys);
}

static int row_of(const char *text)
{
	const char *screen = pty_text(pty);
	const char *at = strstr(screen, text);
	int row = 1;

	for (const char *c = screen; at && c < at; c++)
		row += *c == '\n';
	return at ? row : 0;
}

TEST a_press_goes_to_the_row_and_folds_it_again(void)
{
	set_up(80, 24);
	press(0, 6, row_of("Marie's reluctance"));
	ASSERT(shows("continuations"));
	ASSERT_FALSE(shows("\xe2\x94\x9c"));
	press(0, 6, row_of("Marie's reluctance"));
	ASSERT(shows("\xe2\x94\x9c"));
	press(0, 6, row_of("knocks twice"));
	ASSERT(shows("1 of 3"));
	tear_down();
	PASS();
}

TEST the_wheel_leaves_the_last_rows_in_sight(void)
{
	set_up(80, 14);
	pty_type(pty, "zRgg");
	for (int i = 0; i < 40; i++)
		press(65, 6, 4);
	ASSERT(shows("Step 14"));
	ASSERT(shows("Slowing down"));
	ASSERT_FALSE(shows("\xe2\x96\xbe r001"));
	for (int i = 0; i < 40; i++)
		press(64, 6, 4);
	ASSERT(shows("\xe2\x96\xbe r001"));
	tear_down();
	PASS();
}

TEST the_wheel_over_the_text_scrolls_it(void)
{
	set_up(80, 24);
	pty_type(pty, "gl");
	for (int i = 0; i < 40; i++)
		press(64, 6, 20);
	ASSERT(shows("lane had been empty for years.\n\n[") || shows("[r001] human"));
	tear_down();
	PASS();
}

TEST a_list_is_gone_through_and_opened(void)
{
	int row;

	set_up(80, 24);
	pty_type(pty, "ok");
	press(65, 6, 8);
	ASSERT(shows("4 of "));
	row = row_of("Down to the leaf");
	press(0, 6, row ? row : 10);
	press(65, 6, 8);
	press(64, 6, 8);
	pty_type(pty, "q");
	pty_type(pty, "ob");
	press(0, 6, row_of("neighbour"));
	ASSERT(shows("2 of 3"));
	ASSERT_FALSE(shows("1 of 1 bookmarks"));
	tear_down();
	PASS();
}

TEST the_mouse_is_given_back_to_the_terminal(void)
{
	set_up(80, 24);
	ASSERT(strstr(pty_modes(pty), "mouse"));
	pty_type(pty, ":mouse off\r");
	ASSERT_EQ(NULL, strstr(pty_modes(pty), "mouse"));
	pty_type(pty, ":mouse\r");
	ASSERT(strstr(pty_modes(pty), "mouse"));
	pty_type(pty, ":mouse\r");
	ASSERT_EQ(NULL, strstr(pty_modes(pty), "mouse"));
	pty_write(pty, LOOM_STR("Q"));
	pty_finish(pty);
	pty_close(pty);
	pty = desk_open(&desk, 80, 24, NULL);
	ASSERT_EQ(NULL, strstr(pty_modes(pty), "mouse"));
	tear_down();
	PASS();
}

SUITE(mouse)
{
	RUN_TEST(a_press_goes_to_the_row_and_folds_it_again);
	RUN_TEST(the_wheel_leaves_the_last_rows_in_sight);
	RUN_TEST(the_wheel_over_the_text_scrolls_it);
	RUN_TEST(a_list_is_gone_through_and_opened);
	RUN_TEST(the_mouse_is_given_back_to_the_terminal);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(mouse);
	GREATEST_MAIN_END();
}
