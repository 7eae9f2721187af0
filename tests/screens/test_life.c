/* The foundation on a real pty: every road out, signals, job control, pastes, sizes. */
#include "greatest.h"

#include "screens/pty.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define SHOWN "alt paste focus mouse cursor raw"
#define GIVEN "cursor"

static struct pty *probe_sized(int w, int h)
{
	static const char *const argv[] = {SCREENS_PROBE, NULL};
	struct pty_opts opts = {.argv = argv, .w = w, .h = h};
	struct pty *pty = pty_open(&opts);

	pty_settle(pty);
	return pty;
}

static struct pty *probe(void)
{
	return probe_sized(80, 24);
}

TEST quitting_leaves_the_terminal_as_it_was(void)
{
	struct pty *pty = probe();
	int status;

	ASSERT_STR_EQ(SHOWN, pty_modes(pty));
	pty_write(pty, LOOM_STR("q"));
	status = pty_finish(pty);
	ASSERT_EQ(0, status);
	ASSERT_STR_EQ(GIVEN, pty_modes(pty));
	ASSERT(strstr(pty_text(pty), "quit after 1 events"));
	pty_close(pty);
	PASS();
}

TEST signals_to_leave_save_and_leave_cleanly(void)
{
	static const int signals[] = {SIGTERM, SIGHUP};

	for (size_t i = 0; i < LOOM_COUNT(signals); i++) {
		struct pty *pty = probe();
		pty_signal(pty, signals[i]);
		ASSERT_EQ(0, pty_finish(pty));
		ASSERT_STR_EQ(GIVEN, pty_modes(pty));
		ASSERT(strstr(pty_text(pty), "saved after 0 events"));
		pty_close(pty);
	}
	PASS();
}

/* Under a sanitizer a crash is reported and becomes an exit. */
static bool died(int status)
{
	return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

TEST crashes_leave_the_terminal_as_it_was(void)
{
	static const char *const keys[] = {"S", "A", "X"};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		struct pty *pty = probe();
		pty_write(pty, loom_str_of(keys[i]));
		ASSERT(died(pty_finish(pty)));
		ASSERT_STR_EQm(keys[i], GIVEN, pty_modes(pty));
		pty_close(pty);
	}
	PASS();
}

TEST a_fork_that_crashes_has_no_terminal_to_put_back(void)
{
	struct pty *pty = probe();

	pty_type(pty, "F");
	ASSERT_STR_EQ(SHOWN, pty_modes(pty));
	pty_type(pty, "j");
	ASSERT(strstr(pty_text(pty), "2 events"));
	pty_close(pty);
	PASS();
}

TEST a_signal_that_kills_is_put_back_before_it_does(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGQUIT};

	for (size_t i = 0; i < LOOM_COUNT(signals); i++) {
		struct pty *pty = probe();
		pty_signal(pty, signals[i]);
		ASSERT(died(pty_finish(pty)));
		ASSERT_STR_EQ(GIVEN, pty_modes(pty));
		pty_close(pty);
	}
	PASS();
}

TEST a_closed_terminal_ends_the_program_within_a_second(void)
{
	struct pty *pty = probe();

	ASSERT(pty_hang_up(pty) < 1000);
	pty_close(pty);
	PASS();
}

TEST control_z_stops_and_fg_comes_back(void)
{
	static const char *const argv[] = {"/bin/bash", "--norc", "--noprofile", "-i", NULL};
	static const char *const env[] = {"PS1=ready> ", NULL};
	struct pty_opts opts = {.argv = argv, .env = env};
	struct pty *pty = pty_open(&opts);

	pty_until(pty, "ready>");
	pty_write(pty, LOOM_STR(SCREENS_PROBE "\r"));
	pty_until(pty, "0 events");
	pty_write(pty, LOOM_STR("k"));
	pty_until(pty, "1 events");
	pty_write(pty, LOOM_STR("\x1a"));
	pty_until(pty, "Stopped");
	ASSERT_EQ(NULL, strstr(pty_modes(pty), "alt"));
	ASSERT_EQ(NULL, strstr(pty_modes(pty), "mouse"));
	ASSERT_EQ(NULL, strstr(pty_modes(pty), "focus"));
	pty_write(pty, LOOM_STR("fg\r"));
	pty_until(pty, "1 events");
	ASSERT(strstr(pty_modes(pty), "alt"));
	pty_write(pty, LOOM_STR("j"));
	pty_until(pty, "2 events");
	pty_write(pty, LOOM_STR("q"));
	pty_until(pty, "quit after 3 events");
	pty_write(pty, LOOM_STR("exit\r"));
	pty_finish(pty);
	pty_close(pty);
	PASS();
}

TEST control_c_is_an_event_and_no_end(void)
{
	struct pty *pty = probe();

	pty_signal_key(pty, 3);
	ASSERT(strstr(pty_text(pty), "1 <C-c>"));
	pty_type(pty, "j");
	ASSERT(strstr(pty_text(pty), "2 j"));
	pty_close(pty);
	PASS();
}

/* The line discipline would throw away what nobody has read yet, and the picture would have holes
 * that no later frame mends. */
TEST control_c_takes_no_output_away(void)
{
	struct pty *pty = probe_sized(100, 60);

	for (int i = 0; i < 200; i++) { /* frames of many rows, which nobody reads */
		pty_write(pty, LOOM_STR("j"));
		poll(NULL, 0, 2);
	}
	pty_signal_key(pty, 3);
	ASSERT(strstr(pty_text(pty), "201 events"));
	ASSERT(strstr(pty_text(pty), "<C-c>"));
	ASSERT_STR_EQ(SHOWN, pty_modes(pty));
	pty_close(pty);
	PASS();
}

TEST escape_is_answered_and_sequences_are_not_cut(void)
{
	struct pty *pty = probe();

	pty_type(pty, "\x1b");
	ASSERT(strstr(pty_text(pty), "1 <Esc>"));
	pty_type(pty, "\x1b[B\x1bOB\x1bx");
	ASSERT(strstr(pty_text(pty), "2 <Down>\n3 <Down>\n4 <M-x>"));
	pty_close(pty);
	PASS();
}

TEST two_hundred_keys_are_one_frame(void)
{
	struct pty *pty = probe();
	struct loom_buf keys = LOOM_BUF_INIT(1024);
	uint64_t frames = pty_frames(pty);

	loom_buf_add_repeat(&keys, 'j', 200);
	pty_write(pty, loom_buf_str(&keys));
	pty_settle(pty);
	ASSERT(strstr(pty_text(pty), "200 events"));
	ASSERT(pty_frames(pty) - frames <=
	       2); /* a read may come between two writes of the kernel */
	loom_buf_fini(&keys);
	pty_close(pty);
	PASS();
}

TEST ten_megabytes_of_paste_are_one_event(void)
{
	struct pty *pty = probe();
	struct loom_buf paste = LOOM_BUF_INIT((size_t)16 << 20);

	loom_buf_adds(&paste, "\x1b[200~");
	while (paste.n < (size_t)10 << 20)
		loom_buf_adds(&paste, "What stands in a paste is text: q quits nothing here.\r");
	loom_buf_adds(&paste, "\x1b[201~j");
	pty_write(pty, loom_buf_str(&paste));
	pty_settle(pty);
	ASSERT(strstr(pty_text(pty), "2 events"));
	ASSERT(strstr(pty_text(pty), "1 paste of 104857"));
	loom_buf_fini(&paste);
	pty_close(pty);
	PASS();
}

TEST a_storm_of_sizes_is_survived(void)
{
	struct pty *pty = probe();
	char expect[64];

	for (int i = 0; i < 40; i++)
		pty_resize(pty, 1 + i * 37 % 200, 1 + i * 13 % 70);
	pty_resize(pty, 1, 1);
	pty_resize(pty, 97, 31);
	snprintf(expect, sizeof(expect), "97x31");
	pty_until(pty, expect);
	pty_close(pty);
	PASS();
}

TEST what_is_difficult_shifts_nothing(void)
{
	struct pty *pty = probe();
	const char *diff;

	pty_type(pty, "w");
	diff = pty_golden(pty, "difficult");
	if (diff)
		fprintf(stderr, "%s", diff);
	ASSERT_EQ(NULL, diff);
	pty_type(pty, "ww"); /* three events now: the file is really looked at */
	ASSERT(getenv("UPDATE") || pty_golden(pty, "difficult") != NULL);
	pty_close(pty);
	PASS();
}

TEST the_mouse_can_be_turned_off(void)
{
	struct pty *pty = probe();

	pty_type(pty, "\x1b[<0;5;6M");
	ASSERT(strstr(pty_text(pty), "mouse 4,5"));
	pty_type(pty, "m");
	ASSERT_EQ(NULL, strstr(pty_modes(pty), "mouse"));
	pty_close(pty);
	PASS();
}

TEST without_a_terminal_there_is_one_line_and_status_one(void)
{
	FILE *pipe = popen("TERM=xterm " SCREENS_PROBE " </dev/null 2>&1", "r");
	char line[256] = "";

	ASSERT(pipe && fgets(line, sizeof(line), pipe));
	ASSERT_STR_EQ("there is no terminal to draw on\n", line);
	ASSERT_EQ(1, WEXITSTATUS(pclose(pipe)));
	PASS();
}

TEST a_picture_can_be_saved_as_svg(void)
{
	struct pty *pty = probe();

	ASSERT(pty_svg(pty, LOOM_BUILD "/probe.svg"));
	pty_close(pty);
	PASS();
}

SUITE(life)
{
	RUN_TEST(quitting_leaves_the_terminal_as_it_was);
	RUN_TEST(signals_to_leave_save_and_leave_cleanly);
	RUN_TEST(crashes_leave_the_terminal_as_it_was);
	RUN_TEST(a_fork_that_crashes_has_no_terminal_to_put_back);
	RUN_TEST(a_signal_that_kills_is_put_back_before_it_does);
	RUN_TEST(a_closed_terminal_ends_the_program_within_a_second);
	RUN_TEST(control_z_stops_and_fg_comes_back);
	RUN_TEST(control_c_is_an_event_and_no_end);
	RUN_TEST(control_c_takes_no_output_away);
	RUN_TEST(escape_is_answered_and_sequences_are_not_cut);
	RUN_TEST(two_hundred_keys_are_one_frame);
	RUN_TEST(ten_megabytes_of_paste_are_one_event);
	RUN_TEST(a_storm_of_sizes_is_survived);
	RUN_TEST(what_is_difficult_shifts_nothing);
	RUN_TEST(the_mouse_can_be_turned_off);
	RUN_TEST(without_a_terminal_there_is_one_line_and_status_one);
	RUN_TEST(a_picture_can_be_saved_as_svg);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(life);
	GREATEST_MAIN_END();
}
