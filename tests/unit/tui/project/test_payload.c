/* The payload of a project on the screen: what it is made from, and what keys do to the lists. */
#include <greatest.h>

#include "support/table.h"

#define TURN    ".teddy/marie/01/turn.context"
#define SESSION ".teddy/marie/session.context"

static void set_up(void)
{
	table_init(&table);
	scene_payload(&table.grove.temp);
	table_open(&table);
}

TEST each_scope_stands_with_its_list_and_what_it_costs(void)
{
	set_up();
	table_type(&table, "op");
	ASSERT(table_shows(&table, "session marie · turn 01"));
	ASSERT(table_shows(&table, "turn · " TURN));
	ASSERT(table_shows(&table, "session · " SESSION));
	ASSERT(table_shows(&table, "global · .teddy/global.context"));
	ASSERT(table_shows(&table, "not found"));
	ASSERT(table_shows(&table, "2. Project Structure"));
	ASSERT(table_shows(&table, "# Agent Invocation Payload"));
	table_type(&table, "j");
	ASSERT(table_shows(&table, "There was a letter on the stairs."));
	ASSERT_FALSE(table_shows(&table, "# Agent Invocation Payload"));
	PASS();
}

TEST what_is_taken_out_stays_in_sight_and_comes_back(void)
{
	set_up();
	table_type(&table, "opj<Space>");
	ASSERT(table_shows(&table, "[ ]       chapters/two.md"));
	ASSERT(table_shows(&table, "taken out"));
	ASSERT_FALSE(table_holds(&table, TURN, "two.md"));
	table_type(&table, "<Space>");
	ASSERT(table_shows(&table, "[x]       chapters/two.md"));
	ASSERT_FALSE(table_shows(&table, "taken out"));
	ASSERT(table_holds(&table, TURN, "chapters/two.md"));
	PASS();
}

TEST what_comes_back_stands_where_it_stood(void)
{
	table_init(&table);
	scene_payload(&table.grove.temp);
	temp_write(&table.grove.temp, TURN, LOOM_STR("chapters/two.md\nchapters/one.md\n"));
	table_open(&table);
	table_type(&table, "opj<Space>");
	ASSERT_FALSE(table_holds(&table, TURN, "two.md"));
	table_type(&table, "<Space>");
	ASSERT(table_holds(&table, TURN, "chapters/two.md\nchapters/one.md\n"));
	PASS();
}

TEST an_entry_moves_between_scopes_and_the_cursor_with_it(void)
{
	set_up();
	table_type(&table, "opj>");
	ASSERT_FALSE(table_holds(&table, TURN, "two.md"));
	ASSERT(table_holds(&table, SESSION, "# the story\nchapters/one.md"));
	ASSERT(table_holds(&table, SESSION, "chapters/two.md"));
	table_type(&table, ">");
	ASSERT(table_holds(&table, ".teddy/global.context", "chapters/two.md"));
	table_type(&table, ">");
	ASSERT(table_shows(&table, "global is the widest scope"));
	table_type(&table, "<lt><lt>");
	ASSERT(table_holds(&table, TURN, "chapters/two.md"));
	ASSERT_FALSE(table_holds(&table, SESSION, "chapters/two.md"));
	PASS();
}

TEST a_few_letters_find_the_path_to_add(void)
{
	set_up();
	table_type(&table, "opja");
	ASSERT(table_shows(&table, "Add a file or folder"));
	table_type(&table, "chthr");
	ASSERT(table_shows(&table, " chapters/three.md"));
	ASSERT_FALSE(table_shows(&table, "build/"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "[x]       chapters/three.md"));
	ASSERT(table_shows(&table, "A dog was asleep in the hall."));
	ASSERT(table_holds(&table, TURN, "chapters/three.md"));
	/* Esc while one types adds nothing and comes back here. */
	table_type(&table, "aREADME<Esc>");
	ASSERT(table_shows(&table, "2. Project Structure"));
	ASSERT_FALSE(table_holds(&table, TURN, "README"));
	PASS();
}

TEST a_picked_path_goes_to_the_turn_that_is_looked_at(void)
{
	set_up();
	temp_write(&table.grove.temp, ".teddy/marie/02/turn.context",
		   LOOM_STR("chapters/one.md\n"));
	table_type(&table, "op");
	ASSERT(table_shows(&table, "turn 02"));
	table_type(&table, "[");
	ASSERT(table_shows(&table, "turn 01"));
	table_type(&table, "jathree<Enter>");
	ASSERT(table_shows(&table, "turn 01"));
	ASSERT(table_holds(&table, TURN, "chapters/three.md"));
	table_type(&table, "[");
	ASSERT(table_shows(&table, "turn 01 · "));
	table_type(&table, "[");
	ASSERT(table_shows(&table, "turn 01 · "));
	PASS();
}

TEST it_says_which_rule_hides_a_path(void)
{
	set_up();
	table_type(&table, "opWbuild/out.bin<Enter>");
	ASSERT(table_shows(&table, "build/out.bin is hidden by .gitignore:1: build/"));
	ASSERT(table_shows(&table, "no scope lists it"));
	table_type(&table, "jW<Enter>");
	ASSERT(table_shows(&table, "chapters/two.md is shown"));
	ASSERT(table_shows(&table, "turn: " TURN ":1"));
	table_type(&table, "ggWnowhere<Enter>");
	ASSERT(table_shows(&table, "nowhere is not there, would be shown"));
	PASS();
}

TEST a_project_without_lists_has_a_payload_too(void)
{
	table_init(&table);
	temp_write(&table.grove.temp, "a.txt", LOOM_STR("a"));
	table_open(&table);
	table_type(&table, "op");
	ASSERT(table_shows(&table, "1. System Information"));
	table_type(&table, "jjj<Space>><lt>[]");
	ASSERT(table_shows(&table, "no turns here"));
	table_type(&table, "aa.t<Enter>");
	ASSERT(table_shows(&table, "a.txt"));
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	static const char *const keys[] = {"op", "jj", "w", "w", "<Space>", "a", "th"};
	const char *wrong;

	set_up();
	wrong = table_walk(&table, keys, LOOM_COUNT(keys), true);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST random_keys_do_no_harm(void)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		const char *wrong;

		set_up();
		wrong = table_storm(&table, seed, "jjkkhhll  aaW><[]S/fqwJKGo\t\x1b\r", "op");
		ASSERT_EQm(wrong, NULL, wrong);
		table_fini(&table);
	}
	PASS();
}

SUITE(payload)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(each_scope_stands_with_its_list_and_what_it_costs);
	RUN_TEST(what_is_taken_out_stays_in_sight_and_comes_back);
	RUN_TEST(what_comes_back_stands_where_it_stood);
	RUN_TEST(an_entry_moves_between_scopes_and_the_cursor_with_it);
	RUN_TEST(a_few_letters_find_the_path_to_add);
	RUN_TEST(a_picked_path_goes_to_the_turn_that_is_looked_at);
	RUN_TEST(it_says_which_rule_hides_a_path);
	RUN_TEST(a_project_without_lists_has_a_payload_too);
	RUN_TEST(every_size_gives_a_whole_picture);
	RUN_TEST(random_keys_do_no_harm);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(payload);
	GREATEST_MAIN_END();
}
