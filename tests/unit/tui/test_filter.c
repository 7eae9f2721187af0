/* The tree through a filter. */
#include <greatest.h>

#include <loom/mark.h>

#include "support/table.h"

#define BELOW "\xe2\x94\x82\xe2\x96\xbe" /* an open row of a branch */

static struct loom_err err;

/* A root, a chain of ten below it, a fork at its end with one text that is about a letter, and a
 * letter on another branch. */
static void set_up(struct table *table)
{
	struct grove *grove = &table->grove;
	bool changed;
	int64_t root;
	int64_t at;
	int64_t letter;

	table_begin(table);
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
	table_open(table);
}

/* More than one page of what the search gives. */
TEST all_that_is_found_is_shown(void)
{
	struct table table;
	int64_t root;

	table_begin(&table);
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
	for (int i = 0; i < 40 && !shows(&table, "1,150 shown"); i++)
		type(&table, "<Esc>fway<Enter>");
	ASSERT(shows(&table, "1,150 shown, 1,151 hidden"));
	tear_down(&table);
	PASS();
}

TEST only_what_is_found_and_what_holds_it_is_shown(void)
{
	struct table table;

	set_up(&table);
	type(&table, "fletter<Enter>");
	ASSERT(shows(&table, "A letter on the stairs."));
	ASSERT(shows(&table, "No letter came."));
	ASSERT_FALSE(shows(&table, "A dog in the hall."));
	ASSERT_FALSE(shows(&table, "One more step."));
	ASSERT(shows(&table, "filter \"letter\": 2 shown, 13 hidden"));
	tear_down(&table);
	PASS();
}

TEST escape_shows_all_again(void)
{
	struct table table;

	set_up(&table);
	type(&table, "fletter<Enter>");
	type(&table, "<Esc>");
	ASSERT_FALSE(shows(&table, "hidden"));
	ASSERT_FALSE(shows(&table, "A letter on the stairs."));
	type(&table, "fletter");
	ASSERT(shows(&table, "2 shown, 13 hidden"));
	type(&table, "<Esc>");
	ASSERT_FALSE(shows(&table, "hidden"));
	tear_down(&table);
	PASS();
}

TEST terms_of_the_search_need_no_words(void)
{
	struct table table;

	set_up(&table);
	type(&table, "ftag:post<Enter>");
	ASSERT(shows(&table, "1 shown, 14 hidden"));
	ASSERT(shows(&table, "A letter on the stairs."));
	type(&table, "f<C-u>author:human dog<Enter>");
	ASSERT(shows(&table, "A dog in the hall."));
	type(&table, "f<C-u>bookmarked:<Enter>");
	ASSERT(shows(&table, "0 shown, 15 hidden"));
	type(&table, "f<C-u>after:2001-01-01<Enter>");
	ASSERT(shows(&table, "15 shown, 0 hidden"));
	type(&table, "f<C-u>after:2091-01-01<Enter>");
	ASSERT(shows(&table, "0 shown"));
	type(&table, "f<C-u>after:someday<Enter>");
	ASSERT(shows(&table, "is no time"));
	tear_down(&table);
	PASS();
}

TEST what_makes_no_sense_is_said_when_it_is_done(void)
{
	struct table table;

	set_up(&table);
	type(&table, "fauthor:nob");
	type(&table, "ody<Enter>");
	ASSERT(shows(&table, "r001"));
	type(&table, "<Esc>");
	ASSERT_FALSE(shows(&table, "filter"));
	tear_down(&table);
	PASS();
}

TEST moving_within_it_keeps_the_position_in_sight(void)
{
	struct table table;

	set_up(&table);
	type(&table, "fletter<Enter>");
	type(&table, "j");
	ASSERT(shows(&table, "A letter on the stairs."));
	type(&table, "]");
	ASSERT(shows(&table, "A dog in the hall."));
	ASSERT(shows(&table, "2 of 2"));
	type(&table, "h");
	ASSERT(shows(&table, "One more step."));
	type(&table, "<Esc>");
	ASSERT(shows(&table, "One more step."));
	tear_down(&table);
	PASS();
}

TEST what_is_written_meanwhile_comes_in_when_it_fits(void)
{
	struct table table;

	set_up(&table);
	type(&table, "fletter<Enter>");
	type(&table, "<Tab>:respond r001 \"Another letter.\"<Enter>");
	type(&table, ":respond r001 \"Another dog.\"<Enter>");
	type(&table, ":switch to r001<Enter>");
	tui_app_work(table.app, true);
	ASSERT(shows(&table, "Another letter."));
	ASSERT(shows(&table, "3 shown, 14 hidden"));
	tear_down(&table);
	PASS();
}

TEST keys_that_shape_the_tree_do_no_harm(void)
{
	struct table table;

	set_up(&table);
	for (int i = 0; i < 2; i++) {
		type(&table, "fletter<Enter>");
		type(&table, "jzazozczR2zzMzm");
		ASSERT_EQ(NULL, draw(&table, 80, 24));
		type(&table, "fletter<Enter>zizuzpzp");
		ASSERT_EQ(NULL, draw(&table, 80, 24));
		type(&table, "Gxu");
		ASSERT_EQ(NULL, draw(&table, 80, 24));
		type(&table, "<Esc><Esc>");
	}
	tear_down(&table);
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	struct table table;
	const char *wrong;

	set_up(&table);
	type(&table, "fletter");
	wrong = every_size(&table);
	ASSERT_EQm(wrong, NULL, wrong);
	type(&table, "<Enter>j");
	wrong = every_size(&table);
	ASSERT_EQm(wrong, NULL, wrong);
	tear_down(&table);
	PASS();
}

TEST what_was_open_is_open_again_behind_it(void)
{
	struct table table;

	set_up(&table);
	ASSERT(shows(&table, "No letter came."));
	ASSERT_FALSE(shows(&table, BELOW));
	type(&table, "zRgg");
	ASSERT(shows(&table, BELOW));
	type(&table, "fletter<Enter>");
	ASSERT_FALSE(shows(&table, BELOW));
	type(&table, "<Esc>");
	ASSERT(shows(&table, BELOW));
	ASSERT_FALSE(tui_app_busy(table.app));
	/* And what was folded stays folded. */
	type(&table, "zM");
	ASSERT_FALSE(shows(&table, BELOW));
	type(&table, "fletter<Enter>");
	type(&table, "<Esc>");
	ASSERT_FALSE(shows(&table, BELOW));
	tear_down(&table);
	PASS();
}

SUITE(filter)
{
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
