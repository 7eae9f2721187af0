/* Writing into a tree on a real pty: keys, command lines, texts, generations. */
#include "greatest.h"

#include "screens/desk.h"

#include <signal.h>
#include <sys/wait.h>

static struct desk desk;
static struct pty *pty;

static void set_up(enum loom_mode mode)
{
	desk_init(&desk, mode);
	pty = desk_open(&desk, 100, 26, NULL);
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

/* How many children node i of the desk has, as another process reads it. */
static int64_t children(size_t i)
{
	return grove_get(&desk.grove, desk.nodes[i]).children;
}

TEST a_key_prunes_and_another_takes_it_back(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "ll");
	ASSERT(shows("1 of 3"));
	pty_type(pty, "x");
	pty_until(pty, "1 of 2");
	ASSERT_EQ(2, children(1));
	pty_type(pty, "u");
	pty_until(pty, "undone");
	ASSERT_EQ(3, children(1));
	pty_type(pty, "U");
	pty_until(pty, "redone");
	ASSERT_EQ(2, children(1));
	tear_down();
	PASS();
}

TEST pruned_branches_are_shown_on_demand_and_restored(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "llx");
	pty_until(pty, "1 of 2");
	ASSERT_FALSE(shows("knocks twice"));
	pty_type(pty, "zp");
	ASSERT(shows("knocks twice"));
	pty_type(pty, "kx");
	pty_until(pty, "of 3");
	ASSERT_EQ(3, children(1));
	tear_down();
	PASS();
}

TEST one_sibling_can_be_kept_alone_in_one_step(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "ll]X");
	pty_until(pty, "pruned");
	ASSERT_EQ(1, children(1));
	pty_type(pty, "u");
	pty_until(pty, "undone");
	ASSERT_EQ(3, children(1));
	tear_down();
	PASS();
}

TEST a_dialogue_is_written_with_enter(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "lliShe waited.\nAnd \"waited\".\r");
	pty_until(pty, "created");
	ASSERT_EQ(1, children(2));
	ASSERT(shows("And \"waited\"."));
	tear_down();
	PASS();
}

TEST a_text_that_is_left_is_a_draft_and_comes_back(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "lliHalf a thought\x1b");
	pty_until(pty, "draft");
	ASSERT_EQ(0, children(2));
	pty_write(pty, LOOM_STR("Q"));
	ASSERT_EQ(0, pty_finish(pty));
	pty_close(pty);
	pty = desk_open(&desk, 100, 26, NULL);
	pty_type(pty, "i");
	ASSERT(shows("Half a thought"));
	pty_type(pty, " more\r");
	pty_until(pty, "created");
	ASSERT_EQ(1, children(2));
	tear_down();
	PASS();
}

TEST hanging_up_loses_no_text(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "lliBefore the line dropped");
	ASSERT(pty_hang_up(pty) < 3000);
	pty_close(pty);
	pty = desk_open(&desk, 100, 26, NULL);
	pty_type(pty, "i");
	ASSERT(shows("Before the line dropped"));
	tear_down();
	PASS();
}

/* Its hint ends one cell before the corner, which a terminal may take for the line end. */
TEST a_picture_is_whole_behind_an_editor(void)
{
	static const char *const keys[] = {"", "e", "E"};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		desk_init(&desk, LOOM_DIALOGUE);
		pty = desk_open(&desk, 120, 40, NULL);
		pty_type(pty, keys[i]);
		ASSERT_EQ(0, strncmp(pty_text(pty), "Marie ", 6));
		tear_down();
	}
	PASS();
}

TEST editing_in_a_buffer_makes_a_version(void)
{
	set_up(LOOM_BUFFER);
	pty_type(pty, "lle");
	pty_type(pty, "New beginning. \x1b");
	pty_until(pty, "v2/2");
	ASSERT(shows("New beginning. Building"));
	pty_type(pty, "V");
	pty_until(pty, "v1/2");
	tear_down();
	PASS();
}

TEST the_command_line_says_what_an_agent_would_hear(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "ll:bookmark \"here\"\r");
	pty_until(pty, "which one?");
	pty_type(pty, ":tag ");
	ASSERT(shows("Building on the childhood"));
	pty_type(pty, "\t \"motive\"\r");
	pty_until(pty, "tagged");
	pty_type(pty, ":view r001\r");
	pty_until(pty, "Answer");
	ASSERT(shows("view r001"));
	pty_type(pty, "q:prune zzzz9\r");
	pty_until(pty, "does not exist");
	tear_down();
	PASS();
}

TEST the_colon_takes_commands_of_the_command_line(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, ":agent add \"Ada L\" --permissions analyst\r");
	pty_until(pty, "Ada L");
	pty_type(pty, "q:agent sh\tAd\x1b");
	pty_type(pty, ":export --format md\r");
	pty_until(pty, "# Marie");
	pty_type(pty, "q:export --format none\r");
	pty_until(pty, "unknown export format");
	pty_type(pty, ":chat\r");
	pty_until(pty, "of its own");
	pty_type(pty, ":wibble\r");
	pty_until(pty, "there is no command");
	tear_down();
	PASS();
}

TEST control_c_stops_a_command_that_does_not_end(void)
{
	set_up(LOOM_DIALOGUE);
	pty_write(pty, LOOM_STR(":events --follow\r"));
	pty_until(pty, "Esc stops");
	pty_signal(pty, SIGINT);
	pty_until(pty, "stopped");
	pty_settle(pty);
	tear_down();
	PASS();
}

TEST a_tree_is_called_something_else_and_what_it_was(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, ":tree set --title \"The other house\"\r");
	pty_until(pty, "changed");
	pty_until(pty, "The other house \xc2\xb7 dialogue");
	pty_type(pty, "u");
	pty_until(pty, "Marie \xc2\xb7 dialogue");
	pty_type(pty, ":tree depth:1\r");
	pty_until(pty, "Answer");
	tear_down();
	PASS();
}

/* In 40 columns, too, an error is read to its end. */
TEST what_is_said_is_read_to_its_end(void)
{
	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 40, 12, NULL);
	pty_type(pty, ":tag zz motive\r");
	pty_until(pty, "is not part of tag");
	ASSERT(shows("TAG"));
	pty_type(pty, "j");
	ASSERT_FALSE(shows("is not part of tag"));
	tear_down();
	PASS();
}

/* The quote that stands there already is not doubled. */
TEST a_name_is_completed_between_its_quotes(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "C\t");
	ASSERT(shows("agent:\"ngram\""));
	ASSERT_FALSE(shows("ngram\"\""));
	tear_down();
	PASS();
}

TEST a_model_writes_into_siblings_and_can_be_stopped(void)
{
	set_up(LOOM_DIALOGUE);
	/* Long enough for a machine that has other things to do before the key comes. */
	pty_type(pty, "ll");
	pty_write(pty, LOOM_STR(":continue n:2 tokens:4000\r"));
	pty_until(pty, "generating 2");
	pty_write(pty, LOOM_STR("\x1b"));
	pty_until(pty, "stopping");
	pty_write(pty, LOOM_STR("\x1b"));
	pty_until(pty, "saved");
	ASSERT(children(2) <= 2);
	tear_down();
	PASS();
}

TEST more_siblings_are_looked_at_from_the_first_of_them(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "lll");
	ASSERT(shows("1 of 3"));
	pty_write(pty, LOOM_STR("2r"));
	pty_until(pty, "4 of 5");
	tear_down();
	PASS();
}

TEST a_search_goes_as_one_types_and_escape_goes_back(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "/handle");
	ASSERT(shows("3 of 3") || shows("/handle"));
	pty_type(pty, "\r");
	ASSERT(shows("3 of 3"));
	pty_type(pty, "/Step 7");
	pty_type(pty, "\x1b");
	ASSERT(shows("3 of 3"));
	tear_down();
	PASS();
}

TEST any_operation_of_the_list_can_be_taken_back(void)
{
	set_up(LOOM_DIALOGUE);
	pty_type(pty, "llb");
	pty_until(pty, "bookmarked");
	pty_type(pty, "oo");
	ASSERT(shows("Operations"));
	pty_type(pty, "u");
	pty_until(pty, "undone");
	tear_down();
	PASS();
}

SUITE(writing_suite)
{
	RUN_TEST(a_key_prunes_and_another_takes_it_back);
	RUN_TEST(pruned_branches_are_shown_on_demand_and_restored);
	RUN_TEST(one_sibling_can_be_kept_alone_in_one_step);
	RUN_TEST(a_dialogue_is_written_with_enter);
	RUN_TEST(a_text_that_is_left_is_a_draft_and_comes_back);
	RUN_TEST(hanging_up_loses_no_text);
	RUN_TEST(a_picture_is_whole_behind_an_editor);
	RUN_TEST(editing_in_a_buffer_makes_a_version);
	RUN_TEST(the_command_line_says_what_an_agent_would_hear);
	RUN_TEST(the_colon_takes_commands_of_the_command_line);
	RUN_TEST(control_c_stops_a_command_that_does_not_end);
	RUN_TEST(a_tree_is_called_something_else_and_what_it_was);
	RUN_TEST(what_is_said_is_read_to_its_end);
	RUN_TEST(a_name_is_completed_between_its_quotes);
	RUN_TEST(a_model_writes_into_siblings_and_can_be_stopped);
	RUN_TEST(more_siblings_are_looked_at_from_the_first_of_them);
	RUN_TEST(a_search_goes_as_one_types_and_escape_goes_back);
	RUN_TEST(any_operation_of_the_list_can_be_taken_back);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(writing_suite);
	GREATEST_MAIN_END();
}
