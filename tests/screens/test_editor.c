/* A person's own editor, and every way in which one can go wrong: no text is lost by it, and the
 * terminal is as it was. */
#include "greatest.h"

#include "screens/desk.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct desk desk;
static struct pty *pty;

/* A desk whose editor is this shell script; its file is "$1". */
static void set_up(const char *script)
{
	static char home[600];
	static char editor[620];
	const char *const argv[] = {SCREENS_LOOM, "-g", desk.grove.temp.path, NULL};
	const char *const env[] = {home, editor, NULL};
	struct pty_opts opts = {.argv = argv, .env = env, .w = 100, .h = 26};
	char path[600];
	FILE *file;

	desk_init(&desk, LOOM_BUFFER);
	snprintf(path, sizeof path, "%s/editor", desk.grove.temp.path);
	file = fopen(path, "w");
	if (!file || fprintf(file, "#!/bin/sh\n%s\n", script) < 0 || fclose(file) != 0)
		abort();
	chmod(path, 0700);
	snprintf(home, sizeof home, "HOME=%s", desk.grove.temp.path);
	snprintf(editor, sizeof editor, "EDITOR=%s", path);
	pty = pty_open(&opts);
	pty_settle(pty);
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

TEST what_the_editor_added_is_a_text_being_written(void)
{
	set_up("printf 'Sold, they said.\\n' >> \"$1\"");
	pty_type(pty, "E");
	ASSERT(shows("years. Sold, they said."));
	pty_type(pty, "\x1b");
	pty_until(pty, "v2/2");
	tear_down();
	PASS();
}

TEST an_end_of_line_that_an_editor_adds_is_no_change(void)
{
	set_up("echo >> \"$1\"");
	pty_type(pty, "E");
	ASSERT(shows("the editor changed nothing"));
	ASSERT_FALSE(shows("another version"));
	tear_down();
	PASS();
}

TEST an_editor_that_empties_the_file_changes_nothing(void)
{
	set_up(": > \"$1\"");
	pty_type(pty, "E");
	ASSERT(shows("the editor saved nothing"));
	ASSERT(shows("had been empty for years"));
	ASSERT_FALSE(shows("another version"));
	tear_down();
	PASS();
}

TEST an_editor_that_fails_says_so_and_leads_back(void)
{
	set_up("exit 3");
	pty_type(pty, "E");
	ASSERT(shows("the editor exited with status 3"));
	ASSERT_FALSE(shows("another version"));
	tear_down();
	PASS();
}

TEST an_editor_that_is_missing_is_named(void)
{
	set_up("exec /no/such/editor");
	pty_type(pty, "E");
	ASSERT(shows("there is no editor \""));
	ASSERT(shows("set VISUAL or EDITOR"));
	tear_down();
	PASS();
}

TEST an_editor_that_takes_its_file_away_promises_nothing(void)
{
	set_up("rm \"$1\"");
	pty_type(pty, "E");
	ASSERT(shows("the edited file was deleted; the text is unchanged"));
	tear_down();
	PASS();
}

TEST what_is_no_text_keeps_its_file(void)
{
	const char *path;
	char left[64] = "";

	set_up("printf '\\377\\001' > \"$1\"");
	pty_type(pty, "E");
	ASSERT(shows("not UTF-8"));
	ASSERT_FALSE(shows("another version"));
	path = strstr(pty_text(pty), "/tmp/loom-");
	ASSERT(path && sscanf(path, "%63s", left) == 1);
	ASSERT_EQ(0, unlink(left));
	tear_down();
	PASS();
}

TEST a_text_begun_before_the_editor_failed_is_still_there(void)
{
	set_up("exit 3");
	pty_type(pty, "iHalf a thought");
	pty_type(pty, "\x18\x05");
	ASSERT(shows("the editor exited with status 3"));
	ASSERT(shows("Half a thought"));
	tear_down();
	PASS();
}

/* Nobody wants the modes that it set. */
TEST modes_that_a_killed_editor_left_do_not_outlive_the_program(void)
{
	set_up("stty raw -echo; printf '\\033[?1003h\\033[?25l'; kill -9 $$");
	pty_type(pty, "E");
	ASSERT(shows("the editor was killed by signal 9"));
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	ASSERT_STR_EQ("cursor", pty_modes(pty));
	tear_down();
	PASS();
}

/* From a shell: its editor stops, and with it the program, or nobody could type. */
static void stopped_and_back(const char *script)
{
	static char variables[3][700];
	static const char *const argv[] = {"/bin/bash", "--norc", "--noprofile", "-i", NULL};
	const char *const env[] = {variables[0], variables[1], variables[2], "PS1=ready> ", NULL};
	struct pty_opts opts = {.argv = argv, .env = env, .w = 100, .h = 26};
	char line[1400];

	set_up(script);
	pty_close(pty);
	snprintf(variables[0], sizeof variables[0], "HOME=%s", desk.grove.temp.path);
	snprintf(variables[1], sizeof variables[1], "EDITOR=%s/editor", desk.grove.temp.path);
	snprintf(variables[2], sizeof variables[2], "LOOM=%s", SCREENS_LOOM);
	pty = pty_open(&opts);
	pty_until(pty, "ready>");
	snprintf(line, sizeof line, "$LOOM -g %s\r", desk.grove.temp.path);
	pty_write(pty, loom_str_of(line));
	pty_until(pty, "help");
	pty_write(pty, LOOM_STR("E"));
	pty_until(pty, "Stopped");
	pty_write(pty, LOOM_STR("fg\r"));
	pty_until(pty, "from behind the stop");
	pty_write(pty, LOOM_STR("\x1b"));
	pty_until(pty, "v2/2");
	pty_write(pty, LOOM_STR("Q"));
	pty_until(pty, "returns to where you were");
	pty_write(pty, LOOM_STR("exit\r"));
	pty_finish(pty);
}

TEST an_editor_that_stops_stops_the_program_with_it(void)
{
	stopped_and_back("kill -STOP $$; echo from behind the stop >> \"$1\"");
	tear_down();
	PASS();
}

TEST control_z_in_an_editor_stops_all_of_it_once(void)
{
	stopped_and_back("kill -TSTP 0; echo from behind the stop >> \"$1\"");
	ASSERT_EQ(NULL, strstr(strstr(pty_text(pty), "Stopped") + 1, "Stopped"));
	tear_down();
	PASS();
}

/* Frames until the terminal is full: nobody reads what it gets. */
static void fill_terminal(void)
{
	for (int i = 0; i < 40; i++) {
		pty_write(pty, LOOM_STR("\x0c"));
		poll(NULL, 0, 5);
	}
}

static bool came(const char *name)
{
	char path[600];

	snprintf(path, sizeof path, "%s/%s", desk.grove.temp.path, name);
	for (int i = 0; i < 500; i++) {
		if (access(path, F_OK) == 0)
			return true;
		poll(NULL, 0, 20);
	}
	return false;
}

TEST an_editor_runs_on_a_terminal_that_takes_nothing(void)
{
	set_up("echo 'Taken all the same.' >> \"$1\"; : > \"$0.ran\"");
	fill_terminal();
	pty_write(pty, LOOM_STR("E"));
	ASSERT(came("editor.ran"));
	pty_until(pty, "Taken all the same.");
	pty_type(pty, "\x1b");
	pty_until(pty, "v2/2");
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	ASSERT_STR_EQ("cursor", pty_modes(pty));
	tear_down();
	PASS();
}

TEST a_terminal_that_takes_nothing_is_left_all_the_same(void)
{
	set_up("exit 0");
	fill_terminal();
	pty_signal(pty, SIGTERM);
	ASSERT(pty_ends_unread(pty, 8000));
	pty_finish(pty);
	tear_down();
	PASS();
}

SUITE(editor)
{
	RUN_TEST(an_editor_runs_on_a_terminal_that_takes_nothing);
	RUN_TEST(a_terminal_that_takes_nothing_is_left_all_the_same);
	RUN_TEST(what_the_editor_added_is_a_text_being_written);
	RUN_TEST(an_end_of_line_that_an_editor_adds_is_no_change);
	RUN_TEST(an_editor_that_empties_the_file_changes_nothing);
	RUN_TEST(an_editor_that_fails_says_so_and_leads_back);
	RUN_TEST(an_editor_that_is_missing_is_named);
	RUN_TEST(an_editor_that_takes_its_file_away_promises_nothing);
	RUN_TEST(what_is_no_text_keeps_its_file);
	RUN_TEST(a_text_begun_before_the_editor_failed_is_still_there);
	RUN_TEST(modes_that_a_killed_editor_left_do_not_outlive_the_program);
	RUN_TEST(an_editor_that_stops_stops_the_program_with_it);
	RUN_TEST(control_z_in_an_editor_stops_all_of_it_once);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(editor);
	GREATEST_MAIN_END();
}
