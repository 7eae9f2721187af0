/* The tree through a filter. */
#include <greatest.h>

#include <loom/tree/mark.h>

#include "support/table.h"

#define BELOW "\xe2\x94\x82\xe2\x96\xbe" /* an open row of a branch */

static struct loom_err err;

/* A root, a chain of ten below it, a fork at its end with one text that is about a letter, and a
 * letter on another branch. */
static void set_up(void)
{
	struct grove *grove = &table.grove;
	bool changed;
	int64_t root;
	int64_t at;
	int64_t letter;

	table_begin(&table, 100, 30);
	root = grove_root(grove, grove_tree(grove, LOOM_DIALOGUE, "A house."));
	at = root;
	for (int i = 0; i < 10; i++)
		at = grove_node(grove, at, "One more step.");
	letter = grove_node(grove, at, "A letter on the stairs.");
	grove_node(grove, at, "A dog in the hall.");
	grove_node(grove, letter, "She read it aloud.");
	grove_node(grove, root, "No letter came.");
	grove_begin(grove, "tag");
	grove_must(loom_tag_set(grove->store, letter, LOOM_STR("post"), true, &changed, &err), &err,
		   "tag");
	grove_commit(grove);
	table_open(&table);
}

/* More than one page of what the search gives. */
TEST all_that_is_found_is_shown(void)
{
	int64_t root;

	table_begin(&table, 100, 30);
	root = grove_root(&table.grove, grove_tree(&table.grove, LOOM_DIALOGUE, "A house."));
	grove_begin(&table.grove, "many");
	for (int i = 0; i < 2300; i++) {
		struct loom_node_spec spec = {.from = root,
					      .text = i % 2 ? LOOM_STR("A way out.")
							    : LOOM_STR("A wall."),
					      .author = table.grove.owner,
					      .seq = -1};
		int64_t node;

		grove_must(loom_node_create(table.grove.store, &spec, &node, &err), &err, "node");
	}
	grove_commit(&table.grove);
	table_open(&table);
	for (int i = 0; i < 40 && !table_shows(&table, "1,150 shown"); i++)
		table_type(&table, "<Esc>fway<Enter>");
	ASSERT(table_shows(&table, "1,150 shown, 1,151 hidden"));
	PASS();
}

TEST only_what_is_found_and_what_holds_it_is_shown(void)
{
	set_up();
	table_type(&table, "fletter<Enter>");
	ASSERT(table_shows(&table, "A letter on the stairs."));
	ASSERT(table_shows(&table, "No letter came."));
	ASSERT_FALSE(table_shows(&table, "A dog in the hall."));
	ASSERT_FALSE(table_shows(&table, "One more step."));
	ASSERT(table_shows(&table, "filter \"letter\": 2 shown, 13 hidden"));
	PASS();
}

TEST escape_shows_all_again(void)
{
	set_up();
	table_type(&table, "fletter<Enter>");
	table_type(&table, "<Esc>");
	ASSERT_FALSE(table_shows(&table, "hidden"));
	ASSERT_FALSE(table_shows(&table, "A letter on the stairs."));
	table_type(&table, "fletter");
	ASSERT(table_shows(&table, "2 shown, 13 hidden"));
	table_type(&table, "<Esc>");
	ASSERT_FALSE(table_shows(&table, "hidden"));
	PASS();
}

TEST terms_of_the_search_need_no_words(void)
{
	set_up();
	table_type(&table, "ftag:post<Enter>");
	ASSERT(table_shows(&table, "1 shown, 14 hidden"));
	ASSERT(table_shows(&table, "A letter on the stairs."));
	table_type(&table, "f<C-u>author:human dog<Enter>");
	ASSERT(table_shows(&table, "A dog in the hall."));
	table_type(&table, "f<C-u>bookmarked:<Enter>");
	ASSERT(table_shows(&table, "0 shown, 15 hidden"));
	table_type(&table, "f<C-u>after:2001-01-01<Enter>");
	ASSERT(table_shows(&table, "15 shown, 0 hidden"));
	table_type(&table, "f<C-u>after:2091-01-01<Enter>");
	ASSERT(table_shows(&table, "0 shown"));
	table_type(&table, "f<C-u>after:someday<Enter>");
	ASSERT(table_shows(&table, "is not a time"));
	PASS();
}

TEST what_makes_no_sense_is_said_when_it_is_done(void)
{
	set_up();
	table_type(&table, "fauthor:nob");
	table_type(&table, "ody<Enter>");
	ASSERT(table_shows(&table, "r001"));
	table_type(&table, "<Esc>");
	ASSERT_FALSE(table_shows(&table, "filter"));
	PASS();
}

TEST moving_within_it_keeps_the_position_in_sight(void)
{
	set_up();
	table_type(&table, "fletter<Enter>");
	table_type(&table, "j");
	ASSERT(table_shows(&table, "A letter on the stairs."));
	table_type(&table, "]");
	ASSERT(table_shows(&table, "A dog in the hall."));
	ASSERT(table_shows(&table, "2 of 2"));
	table_type(&table, "h");
	ASSERT(table_shows(&table, "One more step."));
	table_type(&table, "<Esc>");
	ASSERT(table_shows(&table, "One more step."));
	PASS();
}

TEST what_is_written_meanwhile_comes_in_when_it_fits(void)
{
	set_up();
	table_type(&table, "fletter<Enter>");
	table_type(&table, "<Tab>:respond r001 \"Another letter.\"<Enter>");
	table_type(&table, ":respond r001 \"Another dog.\"<Enter>");
	table_type(&table, ":switch to r001<Enter>");
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "Another letter."));
	ASSERT(table_shows(&table, "3 shown, 14 hidden"));
	PASS();
}

TEST keys_that_shape_the_tree_do_no_harm(void)
{
	set_up();
	for (int i = 0; i < 2; i++) {
		table_type(&table, "fletter<Enter>");
		table_type(&table, "jzazozczR2zzMzm");
		ASSERT_EQ(NULL, table_draw(&table, 80, 24));
		table_type(&table, "fletter<Enter>zizuzpzp");
		ASSERT_EQ(NULL, table_draw(&table, 80, 24));
		table_type(&table, "Gxu");
		ASSERT_EQ(NULL, table_draw(&table, 80, 24));
		table_type(&table, "<Esc><Esc>");
	}
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	const char *wrong;

	set_up();
	table_type(&table, "fletter");
	wrong = table_sizes(&table, true);
	ASSERT_EQm(wrong, NULL, wrong);
	table_type(&table, "<Enter>j");
	wrong = table_sizes(&table, true);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST what_was_open_is_open_again_behind_it(void)
{
	set_up();
	ASSERT(table_shows(&table, "No letter came."));
	ASSERT_FALSE(table_shows(&table, BELOW));
	table_type(&table, "zRgg");
	ASSERT(table_shows(&table, BELOW));
	table_type(&table, "fletter<Enter>");
	ASSERT_FALSE(table_shows(&table, BELOW));
	table_type(&table, "<Esc>");
	ASSERT(table_shows(&table, BELOW));
	ASSERT_FALSE(tui_app_busy(table.app));
	/* And what was folded stays folded. */
	table_type(&table, "zM");
	ASSERT_FALSE(table_shows(&table, BELOW));
	table_type(&table, "fletter<Enter>");
	table_type(&table, "<Esc>");
	ASSERT_FALSE(table_shows(&table, BELOW));
	PASS();
}

/* One stands between what is found and the root. */
TEST what_leads_to_a_find_stands_above_it(void)
{
	const char *stood;
	const char *found;

	set_up();
	table_type(&table, "lll");
	ASSERT(table_shows(&table, "depth:3"));
	table_type(&table, "faloud<Enter>");
	ASSERT(table_shows(&table, "1 shown"));
	stood = strstr(loom_buf_cstr(&table.text), "One more step.");
	found = strstr(loom_buf_cstr(&table.text), "She read it aloud.");
	ASSERT(stood && found && stood < found);
	PASS();
}

SUITE(filter)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_leads_to_a_find_stands_above_it);
	RUN_TEST(what_was_open_is_open_again_behind_it);
	RUN_TEST(all_that_is_found_is_shown);
	RUN_TEST(only_what_is_found_and_what_holds_it_is_shown);
	RUN_TEST(escape_shows_all_again);
	RUN_TEST(terms_of_the_search_need_no_words);
	RUN_TEST(what_makes_no_sense_is_said_when_it_is_done);
	RUN_TEST(moving_within_it_keeps_the_position_in_sight);
	RUN_TEST(what_is_written_meanwhile_comes_in_when_it_fits);
	RUN_TEST(keys_that_shape_the_tree_do_no_harm);
	RUN_TEST(every_size_gives_a_whole_picture);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(filter);
	GREATEST_MAIN_END();
}
