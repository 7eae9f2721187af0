/* Macros: what is recorded, what playing does and where it ends, what comes back in another
 * sitting. */
#include "greatest.h"

#include "support/table.h"

/* A root with nine children, "leaf 1" … */
static void set_up(void)
{
	char text[20];
	int64_t root;

	table_begin(&table, 150, 40);
	root = grove_root(&table.grove, grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning."));
	for (int i = 1; i <= 9; i++) {
		snprintf(text, sizeof text, "leaf %d", i);
		grove_node(&table.grove, root, text);
	}
	table_open(&table);
}

TEST recorded_keys_are_done_again_as_often_as_is_said(void)
{
	set_up();
	table_type(&table, "lMa");
	ASSERT(table_shows(&table, "recording a"));
	table_type(&table, "bjM");
	ASSERT(table_shows(&table, "macro a: bj"));
	ASSERT_FALSE(table_shows(&table, "recording"));
	ASSERT(table_shows(&table, "2 of 9"));
	table_type(&table, "3@a");
	ASSERT(table_shows(&table, "5 of 9"));
	table_type(&table, "@@");
	ASSERT(table_shows(&table, "6 of 9"));
	table_type(&table, "ob");
	ASSERT(table_shows(&table, "1 of 5 bookmarks"));
	PASS();
}

/* Each key means what is there when the one before has been written. */
TEST a_played_key_waits_for_what_the_one_before_writes(void)
{
	set_up();
	table_type(&table, "MaggliNew<Enter>M");
	table_type(&table, "3@a");
	table_type(&table, "ggl");
	ASSERT(table_shows(&table, "leaf 1"));
	ASSERT(table_shows(&table, "4 continuations"));
	PASS();
}

TEST a_key_that_can_do_nothing_ends_it(void)
{
	set_up();
	table_type(&table, "lMaj");
	table_type(&table, "Mgg99@a");
	ASSERT(table_shows(&table, "9 of 9"));
	table_type(&table, "ggMb]xM"); /* the root has no sibling: nothing is pruned */
	ASSERT(table_shows(&table, "9 continuations"));
	table_type(&table, "gg5@b");
	ASSERT(table_shows(&table, "9 continuations"));
	ASSERT(table_shows(&table, "no siblings"));
	PASS();
}

TEST a_macro_may_play_another_and_itself_and_ends(void)
{
	set_up();
	table_type(&table, "lMajMggMb@aM");
	ASSERT(table_shows(&table, "macro b: @a"));
	table_type(&table, "gg@b");
	ASSERT(table_shows(&table, "1 of 9"));
	table_type(&table, "Mczz@cM"); /* what it is called by is not there yet */
	ASSERT(table_shows(&table, "macro c: zz@c"));
	table_type(&table, "@c");
	ASSERT(table_shows(&table, "stopped after"));
	ASSERT_FALSE(tui_app_busy(table.app));
	table_type(&table, "j");
	ASSERT(table_shows(&table, "2 of 9"));
	PASS();
}

/* Esc is not one of the keys that wait until it has ended. */
TEST escape_stops_what_is_played(void)
{
	struct tui_event key = {.kind = TUI_EVENT_KEY};

	set_up();
	table_type(&table, "Mzjk@zM");
	for (const char *c = "gg@z"; *c; c++) {
		key.key.code = (uint32_t)*c;
		tui_app_event(table.app, &key);
	}
	key.key.code = 'G';
	tui_app_event(table.app, &key);
	key.key.code = TUI_KEY_ESC;
	tui_app_event(table.app, &key);
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "9 of 9"));
	PASS();
}

TEST where_letters_write_they_are_recorded_and_written(void)
{
	set_up();
	table_type(&table, "MaiM<Space>and<Space>@<Esc>M");
	ASSERT(table_shows(&table, "macro a: iM<Space>and<Space>@<Esc>"));
	ASSERT(table_shows(&table, "M and @"));
	PASS();
}

TEST macros_come_back_in_the_next_sitting(void)
{
	set_up();
	table_type(&table, "lMxjkjM");
	tui_app_close(table.app);
	table_open(&table);
	table_type(&table, "gg@x");
	ASSERT(table_shows(&table, "1 of 9"));
	table_type(&table, "@y");
	ASSERT(table_shows(&table, "no macro y"));
	PASS();
}

SUITE(macro)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(recorded_keys_are_done_again_as_often_as_is_said);
	RUN_TEST(a_played_key_waits_for_what_the_one_before_writes);
	RUN_TEST(a_key_that_can_do_nothing_ends_it);
	RUN_TEST(a_macro_may_play_another_and_itself_and_ends);
	RUN_TEST(escape_stops_what_is_played);
	RUN_TEST(where_letters_write_they_are_recorded_and_written);
	RUN_TEST(macros_come_back_in_the_next_sitting);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(macro);
	GREATEST_MAIN_END();
}
