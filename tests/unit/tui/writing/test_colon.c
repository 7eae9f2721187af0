/* What is typed behind the colon about trees: made, left, found again by what they are called. */
#include <loom/tree/tree.h>

#include "greatest.h"

#include "support/table.h"

static void set_up(void)
{
	table_init(&table);
	table_open(&table);
}

TEST a_new_tree_has_a_title_and_a_mode_in_any_order_of_saying_less(void)
{
	set_up();
	table_type(&table, ":new<Enter>");
	ASSERT(table_shows(&table, "untitled \xc2\xb7 dialogue"));
	table_type(&table, ":new<Space>buffer<Enter>");
	ASSERT(table_shows(&table, "untitled 2 \xc2\xb7 buffer"));
	table_type(&table, ":new<Space>\"A<Space>tale\"<Space>dialogue<Enter>");
	ASSERT(table_shows(&table, "A tale \xc2\xb7 dialogue"));
	table_type(&table, ":new<Space>\"buffer\"<Enter>");
	ASSERT(table_shows(&table, "buffer \xc2\xb7 dialogue"));
	table_type(&table, ":new<Space>ringbuffer<Enter>");
	ASSERT(table_shows(&table, "ringbuffer \xc2\xb7 dialogue"));
	PASS();
}

TEST use_without_a_name_shows_the_trees(void)
{
	set_up();
	table_type(&table, ":use<Enter>");
	ASSERT(table_shows(&table, "1 of 1 tree"));
	PASS();
}

TEST names_are_completed_without_their_quote_and_twins_by_their_ids(void)
{
	set_up();
	table_type(&table, ":new<Space>Hall<Enter>:new<Space>Twin<Enter>:new<Space>Twin<Enter>");
	table_type(&table, ":use<Space>hal<Tab>");
	ASSERT(table_shows(&table, ":use \"Hall\""));
	table_type(&table, "<Esc>:use<Space>Twin<Enter>");
	ASSERT(table_shows(&table, "several trees are called"));
	table_type(&table, ":use<Space>\"Tw<Tab>");
	ASSERT_FALSE(table_shows(&table, ":use \"Twin\""));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "Twin \xc2\xb7 dialogue"));
	ASSERT_FALSE(table_shows(&table, "several trees"));
	PASS();
}

TEST the_mouse_is_on_or_off_and_nothing_else(void)
{
	set_up();
	table_type(&table, ":mouse<Space>of<Enter>");
	ASSERT(table_shows(&table, "on or off, not \"of\""));
	table_type(&table, ":mouse<Space>off<Enter>");
	ASSERT(table_shows(&table, "the terminal uses the mouse"));
	PASS();
}

TEST theme_without_a_name_says_which_there_are(void)
{
	set_up();
	table_type(&table, ":theme<Space>dark<Enter>:theme<Enter>");
	ASSERT(table_shows(&table, "dark (now)"));
	ASSERT(table_shows(&table, "colourblind"));
	PASS();
}

static void sit_down_again(void)
{
	tui_app_close(table.app);
	table_open(&table);
}

TEST a_line_that_is_half_typed_is_there_in_the_next_sitting(void)
{
	set_up();
	table_type(&table, ":annotate<Space>r001<Space>\"hlf<Left><Left>");
	sit_down_again();
	ASSERT(table_shows(&table, ":annotate r001 \"hlf"));
	table_type(&table, "a");
	ASSERT(table_shows(&table, ":annotate r001 \"half"));
	table_type(&table, "<Esc>");
	sit_down_again();
	ASSERT_FALSE(table_shows(&table, ":annotate"));
	PASS();
}

TEST the_memory_pane_is_open_again_and_has_not_the_focus(void)
{
	set_up();
	table_type(&table, "iOne<Enter>om");
	ASSERT(table_shows(&table, "Your memory"));
	sit_down_again();
	ASSERT(table_shows(&table, "Your memory"));
	table_type(&table, "h");
	ASSERT(table_shows(&table, "Your memory"));
	ASSERT_FALSE(table_shows(&table, "r001 \xe2\x86\x92 "));
	table_type(&table, "omq");
	sit_down_again();
	ASSERT_FALSE(table_shows(&table, "Your memory"));
	PASS();
}

SUITE(colon)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_line_that_is_half_typed_is_there_in_the_next_sitting);
	RUN_TEST(the_memory_pane_is_open_again_and_has_not_the_focus);
	RUN_TEST(theme_without_a_name_says_which_there_are);
	RUN_TEST(a_new_tree_has_a_title_and_a_mode_in_any_order_of_saying_less);
	RUN_TEST(use_without_a_name_shows_the_trees);
	RUN_TEST(names_are_completed_without_their_quote_and_twins_by_their_ids);
	RUN_TEST(the_mouse_is_on_or_off_and_nothing_else);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(colon);
	GREATEST_MAIN_END();
}
