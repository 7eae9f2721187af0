/* What is typed behind the colon about trees: made, left, found again by what they are called. */
#include <loom/tree.h>

#include "greatest.h"

#include "table.h"

static void set_up(struct table *table)
{
	table_init(table);
	table_open(table);
}

TEST a_new_tree_has_a_title_and_a_mode_in_any_order_of_saying_less(void)
{
	struct table table;

	set_up(&table);
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
	table_fini(&table);
	PASS();
}

TEST use_without_a_name_shows_the_trees(void)
{
	struct table table;

	set_up(&table);
	table_type(&table, ":use<Enter>");
	ASSERT(table_shows(&table, "1 of 1 tree"));
	table_fini(&table);
	PASS();
}

TEST names_are_completed_without_their_quote_and_twins_by_their_ids(void)
{
	struct table table;

	set_up(&table);
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
	table_fini(&table);
	PASS();
}

TEST the_mouse_is_on_or_off_and_nothing_else(void)
{
	struct table table;

	set_up(&table);
	table_type(&table, ":mouse<Space>of<Enter>");
	ASSERT(table_shows(&table, "on or off, not \"of\""));
	table_type(&table, ":mouse<Space>off<Enter>");
	ASSERT(table_shows(&table, "the terminal's"));
	table_fini(&table);
	PASS();
}

SUITE(colon)
{
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
