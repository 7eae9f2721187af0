/* The screen of a grove without a tree: what it shows, what begins one there, and the way back to
 * it when the only tree is taken back. */
#include <greatest.h>

#include "support/table.h"
#include <loom/desk/desk.h>
#include <loom/desk/others.h>

static void set_up(int w, int h)
{
	table_begin(&table, w, h);
	table_open(&table);
}

static int64_t trees(void)
{
	struct loom_tree *all = NULL;
	size_t count = 0;
	struct loom_err err;

	grove_must(loom_tree_list(table.app->store, table.grove.arena, &all, &count, &err), &err,
		   "trees");
	return (int64_t)count;
}

static bool is_bare(void)
{
	return !table.app->tree.id && table_shows(&table, "i writes the beginning of a tree");
}

TEST it_says_what_can_be_done(int w, int h)
{
	set_up(w, h);
	ASSERT(is_bare());
	ASSERT(table_shows(&table, ":new \"A title\" creates"));
	ASSERT(table_shows(&table, "no tree yet"));
	ASSERT(table_shows(&table, "i write"));
	ASSERT(table.grid.cursor_shown);
	if (h >= 24) {
		ASSERT(table_shows(&table, ":import FILE"));
		ASSERT(table_shows(&table, "Q leaves"));
	}
	ASSERT_FALSE(table_shows(&table, "continue"));
	PASS();
}

TEST it_is_whole_at_any_size(void)
{
	static const char *const keys[] = {"", "ot", "<Esc>", "?", "<Esc>", "iThe beginning"};
	const char *wrong;

	set_up(80, 24);
	wrong = table_walk(&table, keys, LOOM_COUNT(keys), false);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST what_is_typed_there_is_the_root_of_a_tree(void)
{
	set_up(80, 24);
	table_type(&table, "iThe house stood empty.");
	ASSERT(table_shows(&table, "The house stood empty."));
	ASSERT_EQ(0, trees());
	table_type(&table, "<Enter>");
	ASSERT_EQ(1, trees());
	ASSERT(table_shows(&table, "The house stood empty."));
	ASSERT(table_shows(&table, "r001"));
	ASSERT_EQ(1, table.app->tree.nodes);
	table_type(&table, "u");
	ASSERT(table_shows(&table, "undone: new tree"));
	ASSERT(is_bare());
	ASSERT_EQ(0, trees());
	table_type(&table, "U");
	ASSERT(table_shows(&table, "The house stood empty."));
	ASSERT_EQ(1, trees());
	PASS();
}

TEST it_can_be_gone_on_with_at_once(void)
{
	set_up(80, 24);
	table_type(&table, "<Enter>A letter came.<C-g>");
	ASSERT_EQ(1, trees());
	ASSERT_EQ(2, table.app->tree.nodes);
	PASS();
}

TEST a_text_that_was_left_comes_back(void)
{
	set_up(80, 24);
	table_type(&table, "iHalf a beg<Esc>");
	ASSERT(table_shows(&table, "kept as a draft"));
	ASSERT(is_bare());
	ASSERT_EQ(0, trees());
	tui_app_close(table.app);
	table_open(&table);
	table_type(&table, "iinning<Enter>");
	ASSERT(table_shows(&table, "Half a beginning"));
	table_type(&table, "ui");
	ASSERT_FALSE(table_shows(&table, "Half a beginning"));
	PASS();
}

/* What was accepted is there when the program ends behind it. */
TEST ending_behind_it_loses_nothing(void)
{
	struct tui_event enter = {.kind = TUI_EVENT_KEY, .key = {.code = TUI_KEY_ENTER}};

	set_up(80, 24);
	table_type(&table, "iSaid.");
	tui_app_event(table.app, &enter);
	tui_app_close(table.app);
	table_open(&table);
	ASSERT_EQ(1, trees());
	ASSERT(table_shows(&table, "Said."));
	PASS();
}

static void press(const char *keys)
{
	for (const char *c = keys; *c; c++) {
		struct tui_event event = {.kind = TUI_EVENT_KEY};

		event.key.code = *c == '\r' ? (uint32_t)TUI_KEY_ENTER : (unsigned char)*c;
		tui_app_event(table.app, &event);
	}
}

/* Keys may come faster than the tree that they are meant for. */
TEST what_is_typed_behind_it_is_for_the_new_tree(void)
{
	static const char *const keys[] = {"iOne.\riTwo.\r", ":new \"One\"\riTwo.\r"};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		set_up(80, 24);
		press(keys[i]);
		tui_app_work(table.app, true);
		ASSERT_EQ(1, trees());
		ASSERT_EQ(2, table.app->tree.nodes);
		ASSERT(table_shows(&table, "Two."));
		table_fini(&table);
	}
	PASS();
}

TEST a_title_begins_one_too(void)
{
	set_up(80, 24);
	table_type(&table, ":new \"Marie\" buffer<Enter>");
	ASSERT(table_shows(&table, "Marie \xc2\xb7 buffer"));
	table_type(&table, "u");
	ASSERT(is_bare());
	table_type(&table, "ot");
	ASSERT(table_shows(&table, "no trees"));
	PASS();
}

/* While one writes below a node, too: that text is a draft of the tree, which may come back. */
TEST a_tree_that_another_takes_back_leaves_the_desk_bare(void)
{
	struct loom_err err;
	int64_t op = 0;

	table_begin(&table, 80, 24);
	grove_tree(&table.grove, LOOM_BUFFER, "A beginning.");
	table_open(&table);
	table_type(&table, "iMore");
	grove_must(loom_op_undo(table.grove.store, table.app->actor, 0, &op, &err), &err, "undo");
	tui_news_look(table.app);
	ASSERT(is_bare());
	ASSERT_FALSE(table.app->writing);
	grove_must(loom_op_redo(table.grove.store, table.app->actor, &op, &err), &err, "redo");
	table_type(&table, "");
	tui_news_look(table.app);
	ASSERT(table_shows(&table, "A beginning."));
	PASS();
}

/* One that another makes is entered; but not from a text that is to be a tree of its own. */
TEST a_tree_that_another_makes_is_shown(void)
{
	set_up(80, 24);
	table_type(&table, "iMine");
	grove_tree(&table.grove, LOOM_DIALOGUE, "Theirs.");
	tui_news_look(table.app);
	ASSERT(table_shows(&table, "Mine"));
	table_type(&table, "<Enter>");
	ASSERT_EQ(2, trees());
	ASSERT(table_shows(&table, "Mine"));
	table_fini(&table);
	set_up(80, 24);
	grove_tree(&table.grove, LOOM_DIALOGUE, "Theirs.");
	tui_news_look(table.app);
	ASSERT(table_shows(&table, "Theirs."));
	PASS();
}

TEST what_needs_a_tree_says_that_there_is_none(const char *keys)
{
	set_up(80, 24);
	table_type(&table, keys);
	ASSERTm(keys, table_shows(&table, "no tree yet \xc2\xb7 i writes") ||
			      table_shows(&table, "the grove has no tree yet"));
	PASS();
}

TEST a_paste_is_its_beginning_and_turns_need_one(void)
{
	set_up(80, 24);
	table_paste(&table, LOOM_STR("Human: hi\n\nAssistant: yes\n"));
	table_type(&table, "t");
	ASSERT(table_shows(&table, "no tree yet \xc2\xb7 i writes"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "Assistant: yes"));
	table_type(&table, "<Enter>");
	ASSERT_EQ(1, trees());
	PASS();
}

TEST random_keys_do_no_harm(uint64_t seed)
{
	const char *wrong;

	set_up(80, 24);
	wrong = table_storm(&table, seed,
			    "jjkkhhllll[]{}GHLnNzaozcRMim123+-wJKxbuUXvVyY?oqtbdaehjp/f:.!F=sT"
			    "CcrBEgPX@ \t\x1b\x1b\r",
			    "<Esc><Esc>");
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

SUITE(bare)
{
	static const char *const needy[] = {"c",
					    "5c",
					    "e",
					    "x",
					    "B",
					    "E",
					    "l",
					    "gg",
					    "zR",
					    "=",
					    "om",
					    "oc",
					    "oC",
					    "ob",
					    "p",
					    ".",
					    "/",
					    "f",
					    "F",
					    "]",
					    "b",
					    "a",
					    "<Space>",
					    "<Tab>",
					    "w",
					    ":prune<Enter>",
					    ":respond \"x\"<Enter>",
					    ":compare<Enter>",
					    "otoc",
					    "ooom"};

	SET_TEARDOWN(tear_down, NULL);
	RUN_TESTp(it_says_what_can_be_done, 80, 24);
	RUN_TESTp(it_says_what_can_be_done, 140, 40);
	RUN_TESTp(it_says_what_can_be_done, 40, 10);
	RUN_TEST(it_is_whole_at_any_size);
	RUN_TEST(what_is_typed_there_is_the_root_of_a_tree);
	RUN_TEST(it_can_be_gone_on_with_at_once);
	RUN_TEST(a_text_that_was_left_comes_back);
	RUN_TEST(ending_behind_it_loses_nothing);
	RUN_TEST(what_is_typed_behind_it_is_for_the_new_tree);
	RUN_TEST(a_title_begins_one_too);
	RUN_TEST(a_tree_that_another_takes_back_leaves_the_desk_bare);
	RUN_TEST(a_tree_that_another_makes_is_shown);
	for (size_t i = 0; i < LOOM_COUNT(needy); i++)
		RUN_TESTp(what_needs_a_tree_says_that_there_is_none, needy[i]);
	RUN_TEST(a_paste_is_its_beginning_and_turns_need_one);
	for (uint64_t seed = 1; seed <= 6; seed++)
		RUN_TESTp(random_keys_do_no_harm, seed);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(bare);
	GREATEST_MAIN_END();
}
