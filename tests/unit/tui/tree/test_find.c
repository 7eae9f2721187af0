/* Searching in a tree: what is found, where the caret is then, and what is typed meanwhile. */
#include "greatest.h"

#include "support/table.h"

static void set_up(void)
{
	int64_t root;

	table_begin(&table, 150, 40);
	root = grove_root(&table.grove, grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning."));
	for (int i = 0; i < 40; i++)
		grove_node(&table.grove, root, i == 30 ? "the long way round" : "another way");
	grove_node(&table.grove, root, "the needle is in the hay");
	table_open(&table);
}

TEST a_hit_is_gone_to_and_edited_at_its_place(void)
{
	set_up();
	table_type(&table, "/needle<Enter>");
	ASSERT(table_shows(&table, "41 of 41"));
	table_type(&table, "eX<Esc>");
	ASSERT(table_shows(&table, "the Xneedle is"));
	PASS();
}

TEST next_and_previous_go_around(void)
{
	set_up();
	table_type(&table, "/long<Enter>");
	ASSERT(table_shows(&table, "31 of 41"));
	table_type(&table, "/way<Enter>");
	ASSERT(table_shows(&table, "31 of 41"));
	table_type(&table, "n");
	ASSERT(table_shows(&table, "32 of 41"));
	table_type(&table, "NN");
	ASSERT(table_shows(&table, "30 of 41"));
	table_type(&table, "/needle<Enter>N");
	ASSERT(table_shows(&table, "41 of 41"));
	table_type(&table, "/way<Enter>");
	ASSERT(table_shows(&table, "1 of 41"));
	table_type(&table, "N");
	ASSERT(table_shows(&table, "40 of 41"));
	PASS();
}

/* All keys are there before the first answer. */
TEST keys_typed_ahead_mean_what_was_found(void)
{
	static const char keys[] = "/needle\reX";
	struct tui_event event = {.kind = TUI_EVENT_KEY};

	set_up();
	table_draw(&table, 100, 30);
	for (size_t i = 0; keys[i]; i++) {
		event.key.code = keys[i] == '\r' ? (uint32_t)TUI_KEY_ENTER : (uint32_t)keys[i];
		tui_app_event(table.app, &event);
	}
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "the Xneedle is"));
	PASS();
}

TEST what_is_not_there_is_said_and_a_newer_word_wins(void)
{
	set_up();
	ASSERT(table_shows(&table, "r001 \xc2\xb7"));
	table_type(&table, "/nowhere<Enter>");
	ASSERT(table_shows(&table, "is not in this tree"));
	table_type(&table, "/needlX<Esc>");
	ASSERT(table_shows(&table, "r001 \xc2\xb7"));
	PASS();
}

TEST words_are_walked_to_where_one_edits_or_branches(void)
{
	set_up();
	table_type(&table, "/needle<Enter>");
	table_draw(&table, 100, 30);
	table_type(&table, "3)eX<Esc>");
	ASSERT(table_shows(&table, "in Xthe hay"));
	table_type(&table, "/hay<Enter>");
	table_draw(&table, 100, 30);
	table_type(&table, "2(eY<Esc>");
	ASSERT(table_shows(&table, "needle is Yin Xthe hay"));
	PASS();
}

TEST every_place_in_a_node_is_come_by(void)
{
	int64_t root;

	table_begin(&table, 150, 40);
	root = grove_root(&table.grove, grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning."));
	grove_node(&table.grove, root, "a bell, a bell and a bell");
	grove_node(&table.grove, root, "one more bell");
	table_open(&table);
	table_draw(&table, 100, 30);
	table_type(&table, "/bell<Enter>n");
	table_type(&table, "eX<Esc>u");
	ASSERT(table_shows(&table, "a bell, a bell and a bell"));
	table_type(&table, "/bell<Enter>neX<Esc>");
	ASSERT(table_shows(&table, "a bell, a Xbell and a bell"));
	table_type(&table, "u/bell<Enter>nnn");
	ASSERT(table_shows(&table, "2 of 2"));
	table_type(&table, "NeY<Esc>");
	ASSERT(table_shows(&table, "a bell, a bell and a Ybell"));
	PASS();
}

TEST the_number_of_a_hit_is_told(void)
{
	set_up();
	table_type(&table, "/another<Enter>");
	ASSERT(table_shows(&table, "\"another\" \xc2\xb7 1 of 39"));
	table_type(&table, "nn");
	ASSERT(table_shows(&table, "\"another\" \xc2\xb7 3 of 39"));
	table_type(&table, "NNN");
	ASSERT(table_shows(&table, "\"another\" \xc2\xb7 39 of 39"));
	table_type(&table, "/the ");
	ASSERT(table_shows(&table, "2 of 3"));
	table_type(&table, "<Enter>nn");
	ASSERT(table_shows(&table, "\"the \" \xc2\xb7 1 of 3"));
	PASS();
}

/* Each place counts, not each node, and what is pruned is counted no more. */
TEST the_number_follows_what_is_shown(void)
{
	int64_t root;

	table_begin(&table, 150, 40);
	root = grove_root(&table.grove, grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning."));
	grove_node(&table.grove, root, "a bell, a bell and a bell");
	grove_node(&table.grove, root, "one more bell");
	table_open(&table);
	table_draw(&table, 100, 30);
	table_type(&table, "/bell<Enter>nn");
	ASSERT(table_shows(&table, "\"bell\" \xc2\xb7 3 of 4"));
	table_type(&table, "nx/bell<Enter>");
	ASSERT(table_shows(&table, "of 3"));
	table_type(&table, "u/bell<Enter>");
	ASSERT(table_shows(&table, "of 4"));
	PASS();
}

/* Or the search would come to it again and again, and no further. */
TEST what_is_not_shown_is_passed_over(void)
{
	set_up();
	table_type(&table, "/long<Enter>x/another<Enter>");
	table_type(&table, "/long<Enter>");
	ASSERT(table_shows(&table, "is not in this tree"));
	table_type(&table, "zp/long<Enter>");
	ASSERT(table_shows(&table, "the long way round"));
	ASSERT_FALSE(table_shows(&table, "is not in this tree"));
	PASS();
}

TEST a_version_that_another_stands_for_is_no_hit(void)
{
	int64_t root;

	table_begin(&table, 150, 40);
	root = grove_root(&table.grove, grove_tree(&table.grove, LOOM_BUFFER, "A beginning."));
	grove_node(&table.grove, root, " the first bell");
	grove_node(&table.grove, root, " the second bell");
	table_open(&table);
	table_draw(&table, 100, 30);
	table_type(&table, "/first<Enter>e<C-k>tone<Esc>");
	ASSERT(table_shows(&table, "the tone"));
	table_type(&table, "/bell<Enter>");
	ASSERT(table_shows(&table, "2 of 2"));
	table_type(&table, "n");
	ASSERT(table_shows(&table, "2 of 2"));
	PASS();
}

TEST letters_are_found_whatever_their_case_and_accents(void)
{
	int64_t root;

	table_begin(&table, 150, 40);
	root = grove_root(&table.grove, grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning."));
	grove_node(&table.grove, root, "Der \xc3\x84rger im Caf\xc3\xa9");
	grove_node(&table.grove, root, "\xd0\x94\xd0\xbe\xd0\xbc, cafe\xcc\x81s");
	table_open(&table);
	table_type(&table, "/\xc3\xa4rger<Enter>");
	ASSERT(table_shows(&table, "1 of 2"));
	table_type(&table, "/\xd0\xb4\xd0\xbe\xd0\xbc<Enter>");
	ASSERT(table_shows(&table, "2 of 2"));
	table_type(&table, "/cafes<Enter>");
	ASSERT(table_shows(&table, "2 of 2"));
	PASS();
}

SUITE(find)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_hit_is_gone_to_and_edited_at_its_place);
	RUN_TEST(next_and_previous_go_around);
	RUN_TEST(keys_typed_ahead_mean_what_was_found);
	RUN_TEST(words_are_walked_to_where_one_edits_or_branches);
	RUN_TEST(every_place_in_a_node_is_come_by);
	RUN_TEST(the_number_of_a_hit_is_told);
	RUN_TEST(the_number_follows_what_is_shown);
	RUN_TEST(what_is_not_shown_is_passed_over);
	RUN_TEST(a_version_that_another_stands_for_is_no_hit);
	RUN_TEST(letters_are_found_whatever_their_case_and_accents);
	RUN_TEST(what_is_not_there_is_said_and_a_newer_word_wins);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(find);
	GREATEST_MAIN_END();
}
