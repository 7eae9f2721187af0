/* The lists that show what the program itself knows: operations, help, keys, news. */
#include "greatest.h"

#include <sys/stat.h>
#include <unistd.h>

#include "support/table.h"

static void set_up(void)
{
	table_init(&table);
	table_open(&table);
}

TEST an_operation_leads_to_what_it_made(void)
{
	set_up();
	table_type(&table, "iHello<Enter>gg");
	ASSERT_FALSE(table_shows(&table, "\xe2\x86\x92 "));
	table_type(&table, "oo");
	ASSERT(table_shows(&table, "1 of "));
	ASSERT(table_shows(&table, "u undoes one"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "r001 \xe2\x86\x92 "));
	table_type(&table, "uoo<Enter>");
	ASSERT(table_shows(&table, "was undone"));
	table_type(&table, "G<Enter>");
	ASSERT(table_shows(&table, "it made no node"));
	PASS();
}

TEST a_row_of_help_is_done_with_enter(void)
{
	set_up();
	table_type(&table, "?/show-pruned<Enter>");
	ASSERT(table_shows(&table, "Show or hide pruned branches"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "pruned branches are"));
	table_type(&table, "?/annotate<Enter><Enter>");
	ASSERT(table_shows(&table, ":annotate r001"));
	PASS();
}

TEST keys_have_a_row_a_command_with_all_that_lead_to_it(void)
{
	set_up();
	table_type(&table, "ok");
	ASSERT(table_shows(&table, "j <Down> <C-n>"));
	ASSERT_FALSE(table_shows(&table, " <Down>  "));
	PASS();
}

TEST keys_that_were_moved_are_shown_where_they_are_now(void)
{
	table_init(&table);
	temp_write(&table.grove.temp, "loom/keys.json",
		   LOOM_STR("{\"*\": {\"u\": null, \"<C-u>\": \"undo\", \"<F5>\": \":check\"}}"));
	table_open(&table);
	table_type(&table, "ok/undo<Enter>");
	ASSERT(table_shows(&table, "<C-u>"));
	ASSERT_FALSE(table_shows(&table, " u "));
	table_type(&table, "/half<Enter>");
	ASSERT_FALSE(table_shows(&table, "Half a page up"));
	table_type(&table, "/check<Enter>");
	ASSERT(table_shows(&table, "<F5>"));
	ASSERT(table_shows(&table, ":check"));
	PASS();
}

/* As those have it who keep what they configure in one folder. */
TEST keys_may_stand_behind_a_link(void)
{
	char *real;
	char *link;

	table_init(&table);
	temp_write(&table.grove.temp, "kept/keys.json",
		   LOOM_STR("{\"nav\": {\"<F5>\": \":check\"}}"));
	real = temp_path(&table.grove.temp, "kept/keys.json");
	temp_write(&table.grove.temp, "loom/other.json", LOOM_STR("{}"));
	link = temp_path(&table.grove.temp, "loom/keys.json");
	ASSERT_EQ(0, symlink(real, link));
	table_open(&table);
	table_type(&table, "ok/check<Enter>");
	ASSERT(table_shows(&table, "<F5>"));
	free(real);
	free(link);
	PASS();
}

TEST keys_that_cannot_be_read_are_said_and_waited_for_by_nobody(void)
{
	char *path;

	table_init(&table);
	temp_write(&table.grove.temp, "loom/other.json", LOOM_STR("{}"));
	path = temp_path(&table.grove.temp, "loom/keys.json");
	ASSERT_EQ(0, mkfifo(path, 0600));
	alarm(20);
	table_open(&table);
	alarm(0);
	ASSERT(table_shows(&table, "keys.json is not a regular file"));
	free(path);
	PASS();
}

TEST the_colon_finds_commands_by_what_they_are_about(void)
{
	set_up();
	table_type(&table, ":hide");
	ASSERT(table_shows(&table, "prune "));
	ASSERT(table_shows(&table, "Show or hide pruned branches \xc2\xb7 zp"));
	table_type(&table, "<Esc>:unf");
	ASSERT(table_shows(&table, "unfold-all"));
	table_type(&table, "<Esc>:next-sib<Tab><Enter>");
	ASSERT(table_shows(&table, "no siblings"));
	table_type(&table, ":mou");
	ASSERT(table_shows(&table, "mouse "));
	PASS();
}

TEST what_was_taken_back_is_no_news_any_more(void)
{
	int64_t root, node;
	struct loom_err err;

	set_up();
	root = grove_root(&table.grove, 1);
	grove_begin_by(&table.grove, table.grove.model, "respond");
	grove_must(loom_node_create(table.grove.store,
				    &(struct loom_node_spec){.from = root,
							     .kind = LOOM_CONTINUATION,
							     .text = LOOM_STR("By another."),
							     .author = table.grove.model,
							     .seq = -1},
				    &node, &err),
		   &err, "node");
	grove_commit(&table.grove);
	table_type(&table, "zz");
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "1 new"));
	table_type(&table, "oouq");
	ASSERT_FALSE(table_shows(&table, "1 new"));
	table_type(&table, "gn");
	ASSERT(table_shows(&table, "nothing unseen"));
	PASS();
}

TEST lists_take_back_and_do_again_as_the_tree_does(void)
{
	set_up();
	table_type(&table, "iHello<Enter>oou");
	ASSERT(table_shows(&table, "undone: "));
	table_type(&table, "U");
	ASSERT(table_shows(&table, "redone: "));
	table_type(&table, "qotu");
	ASSERT(table_shows(&table, "undone: "));
	table_type(&table, "U");
	ASSERT(table_shows(&table, "redone: "));
	table_type(&table, "qopu");
	ASSERT(table_shows(&table, "undo does nothing here"));
	PASS();
}

TEST the_tree_that_is_open_stays_as_it_is(void)
{
	set_up();
	table_type(&table, "iOne.<Enter>iTwo.<Enter>zi");
	ASSERT(table_shows(&table, "hoisted"));
	table_type(&table, "ot<Enter>");
	ASSERT(table_shows(&table, "hoisted"));
	PASS();
}

/* With pruned nodes shown nothing is hidden, but a node that was undone is not there. */
TEST the_place_that_was_taken_back_is_left_also_where_nothing_is_hidden(void)
{
	set_up();
	table_type(&table, "zpiHello<Enter>");
	ASSERT(table_shows(&table, "r001 \xe2\x86\x92 "));
	table_type(&table, "u");
	ASSERT(table_shows(&table, "undone: "));
	ASSERT_FALSE(table_shows(&table, "r001 \xe2\x86\x92 "));
	ASSERT_FALSE(tui_app_busy(table.app));
	table_type(&table, "iAgain<Enter>");
	ASSERT(table_shows(&table, "Again"));
	PASS();
}

TEST a_pruned_row_is_no_sibling_of_a_number(void)
{
	set_up();
	table_type(&table, "iOne<Enter>hiTwo<Enter>hiThree<Enter>zpx");
	ASSERT(table_shows(&table, "2 of 2"));
	table_type(&table, "]");
	ASSERT(table_shows(&table, " \xc2\xb7 pruned \xc2\xb7 "));
	ASSERT_FALSE(table_shows(&table, "3 of 2"));
	table_type(&table, "]");
	ASSERT(table_shows(&table, "this is the last sibling"));
	table_type(&table, "[");
	ASSERT(table_shows(&table, "2 of 2"));
	PASS();
}

TEST a_command_means_all_that_was_picked(void)
{
	set_up();
	table_type(&table, "iOne<Enter>hiTwo<Enter>hiThree<Enter>");
	table_type(&table, "[[<Space><Space>x");
	ASSERT(table_shows(&table, "pruned 2 nodes"));
	ASSERT_FALSE(table_shows(&table, " picked"));
	ASSERT_FALSE(table_shows(&table, "One"));
	ASSERT_FALSE(table_shows(&table, "Two"));
	ASSERT(table_shows(&table, "Three"));
	table_type(&table, "u");
	ASSERT(table_shows(&table, "One"));
	ASSERT(table_shows(&table, "Two"));
	table_type(&table, "ggl[[<Space><Space>b");
	ASSERT(table_shows(&table, "bookmarked 2 nodes"));
	table_type(&table, "ob");
	ASSERT(table_shows(&table, "2 of 2 bookmarks") || table_shows(&table, "1 of 2 bookmarks"));
	PASS();
}

TEST a_tag_or_a_note_is_put_on_all_that_was_picked(void)
{
	set_up();
	table_type(&table, "iOne<Enter>hiTwo<Enter>hiThree<Enter>");
	table_type(&table, "[[<Space><Space>t");
	ASSERT(table_shows(&table, "tag for the picked nodes:"));
	table_type(&table, "fine \"words\"<Enter>");
	ASSERT(table_shows(&table, "tagged 2 nodes"));
	ASSERT_FALSE(table_shows(&table, " picked"));
	table_type(&table, "[[<Space><Space>afor later<Enter>");
	ASSERT(table_shows(&table, "annotated 2 nodes"));
	table_type(&table, "u");
	ASSERT(table_shows(&table, "undone: "));
	PASS();
}

TEST what_was_picked_is_not_meant_in_another_tree(void)
{
	set_up();
	table_type(&table, "iOne<Enter><Space>");
	ASSERT(table_shows(&table, "1 picked"));
	table_type(&table, ":new<Space>Other<Enter>iHere<Enter>");
	ASSERT_FALSE(table_shows(&table, "picked"));
	table_type(&table, "x");
	ASSERT_FALSE(table_shows(&table, "Here"));
	PASS();
}

TEST among_compared_nodes_a_command_means_one(void)
{
	set_up();
	table_type(&table, "iOne<Enter>hiTwo<Enter>hiThree<Enter>");
	table_type(&table, "[[<Space><Space>=x");
	ASSERT_FALSE(table_shows(&table, "pruned 2"));
	table_type(&table, "q<Esc>");
	ASSERT(table_shows(&table, "Three"));
	ASSERT(table_shows(&table, "One") != table_shows(&table, "Two"));
	PASS();
}

/* The letters that are drawn as new. */
static const char *added(void)
{
	static char text[1000];
	size_t n = 0;

	(void)table_draw(&table, 120, 30);
	for (int y = 0; y < 30; y++)
		for (int x = 0; x < 120 && n + 1 < sizeof text; x++) {
			const struct tui_cell *cell = tui_grid_cell(&table.grid, x, y);

			if (cell->ink.role == TUI_ROLE_ADDED && cell->glyph > ' ')
				text[n++] = (char)cell->glyph;
		}
	text[n] = '\0';
	return text;
}

/* What was found out of some texts is not said of others. */
TEST a_filter_of_compared_nodes_compares_those_that_it_shows(void)
{
	set_up();
	table_type(&table, "iA cat sat down.<Enter>hiA dog sat there.<Enter>hiA cow stood there."
			   "<Enter>[[=");
	ASSERT(table_shows(&table, "3 nodes"));
	ASSERT(strstr(added(), "dog") && strstr(added(), "there"));
	table_type(&table, "/there<Enter>");
	ASSERT_STR_EQ("cowstood", added());
	table_type(&table, "/A<Enter>");
	ASSERT(strstr(added(), "dog") && strstr(added(), "there"));
	PASS();
}

SUITE(lists)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_command_means_all_that_was_picked);
	RUN_TEST(a_tag_or_a_note_is_put_on_all_that_was_picked);
	RUN_TEST(what_was_picked_is_not_meant_in_another_tree);
	RUN_TEST(among_compared_nodes_a_command_means_one);
	RUN_TEST(a_filter_of_compared_nodes_compares_those_that_it_shows);
	RUN_TEST(lists_take_back_and_do_again_as_the_tree_does);
	RUN_TEST(the_place_that_was_taken_back_is_left_also_where_nothing_is_hidden);
	RUN_TEST(a_pruned_row_is_no_sibling_of_a_number);
	RUN_TEST(the_tree_that_is_open_stays_as_it_is);
	RUN_TEST(an_operation_leads_to_what_it_made);
	RUN_TEST(a_row_of_help_is_done_with_enter);
	RUN_TEST(keys_have_a_row_a_command_with_all_that_lead_to_it);
	RUN_TEST(keys_that_were_moved_are_shown_where_they_are_now);
	RUN_TEST(keys_may_stand_behind_a_link);
	RUN_TEST(keys_that_cannot_be_read_are_said_and_waited_for_by_nobody);
	RUN_TEST(the_colon_finds_commands_by_what_they_are_about);
	RUN_TEST(what_was_taken_back_is_no_news_any_more);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(lists);
	GREATEST_MAIN_END();
}
