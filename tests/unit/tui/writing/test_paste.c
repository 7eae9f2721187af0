/* Pastes: what is only text is written, what is more is asked about, and nothing in it acts. */
#include <greatest.h>

#include "support/table.h"

#include <loom/tree/mark.h>
#include <loom/tree/open_store.h>

#define CHAT                                                                                       \
	"Human: Who lives here?\n\nAssistant: Nobody, since the funeral.\n\nHuman: And the "       \
	"light?\n"

static void set_up(void)
{
	table_init(&table);
	table_open(&table);
}

static int64_t nodes(void)
{
	struct loom_store *store = grove_connect(&table.grove, LOOM_READ);
	struct loom_tree *trees = NULL;
	size_t count = 0;
	int64_t n = 0;

	if (loom_tree_list(store, table.grove.arena, &trees, &count, NULL) == LOOM_OK && count)
		n = trees[0].nodes;
	loom_store_close(store);
	return n;
}

static void paste(const char *text)
{
	table_paste(&table, loom_str_of(text));
}

TEST a_text_is_simply_written(void)
{
	set_up();
	paste("q quits nothing here.\nIt is text.");
	ASSERT(table_shows(&table, "q quits nothing here."));
	ASSERT(table_shows(&table, "draft (only you see it)"));
	PASS();
}

TEST a_long_text_is_folded_and_opened_with_a_key(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	set_up();
	for (int i = 1; i <= 40; i++)
		loom_buf_addf(&text, "Line %d of it.\n", i);
	table_paste(&table, loom_buf_str(&text));
	ASSERT(table_shows(&table, "[pasted\xc2\xa0"
				   "40\xc2\xa0lines]"));
	ASSERT(table_shows(&table, "Tab open the paste"));
	ASSERT_FALSE(table_shows(&table, "Line 1 of it."));
	table_type(&table, "<Tab>");
	ASSERT(table_shows(&table, "Line 1 of it."));
	table_type(&table, "<Tab><C-a>Read:<Space><Enter>");
	ASSERT(table_shows(&table, "Read: Line 1 of it."));
	ASSERT_EQ(2, nodes());
	loom_buf_fini(&text);
	PASS();
}

TEST a_long_text_in_prose_is_seen_as_it_is(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	table_begin(&table, 150, 40);
	grove_tree(&table.grove, LOOM_BUFFER, "A beginning.");
	table_open(&table);
	loom_buf_add_repeat(&text, 'x', 900);
	table_type(&table, "i One ");
	table_paste(&table, loom_buf_str(&text));
	table_type(&table, " two");
	ASSERT(table_shows(&table, "A beginning. One"));
	ASSERT(table_shows(&table, "xxxxxxxxxxxxxxxx"));
	ASSERT(table_shows(&table, " two"));
	ASSERT_FALSE(table_shows(&table, "[pasted"));
	ASSERT_EQ(NULL, table_sizes(&table, true));
	table_type(&table, "<C-_><C-_><C-_>");
	ASSERT_FALSE(table_shows(&table, "xxxx"));
	ASSERT(table_shows(&table, "A beginning. One"));
	loom_buf_fini(&text);
	PASS();
}

TEST turns_are_listed_with_their_authors_and_nothing_is_done(void)
{
	set_up();
	paste(CHAT);
	ASSERT(table_shows(&table, "3 turns, written as colon · 3 would be nodes"));
	ASSERT(table_shows(&table, "by you"));
	ASSERT(table_shows(&table, "by Assistant (new)"));
	ASSERT_EQ(1, nodes());
	table_type(&table, "<Esc>");
	ASSERT(table_shows(&table, "paste set aside · P shows it again"));
	ASSERT_EQ(1, nodes());
	table_type(&table, "P");
	ASSERT(table_shows(&table, "3 turns"));
	PASS();
}

TEST turns_become_nodes_and_one_undo_takes_them_back(void)
{
	set_up();
	paste(CHAT);
	table_type(&table, "t");
	ASSERT(table_shows(&table, "made 3 nodes of the paste"));
	ASSERT_EQ(4, nodes());
	ASSERT(table_shows(&table, "And the light?"));
	ASSERT(table_shows(&table, "Assistant"));
	table_type(&table, "u");
	ASSERT_EQ(1, nodes());
	table_type(&table, "P");
	ASSERT(table_shows(&table, "no paste set aside"));
	PASS();
}

TEST a_turn_can_be_left_out_and_said_by_another(void)
{
	set_up();
	paste(CHAT);
	table_type(&table, "<Space>");
	ASSERT(table_shows(&table, "2 would be nodes"));
	ASSERT(table_shows(&table, "left out"));
	table_type(&table, "aa");
	ASSERT(table_shows(&table, "by ngram"));
	table_type(&table, "t");
	ASSERT_EQ(3, nodes());
	ASSERT_FALSE(table_shows(&table, "Who lives here?"));
	PASS();
}

TEST what_stands_here_already_is_not_made_twice(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	set_up();
	loom_buf_adds(&text, "[r001] human \xc2\xb7 3m ago\n---\nA beginning.\n\n"
			     "[a7x2] model \xc2\xb7 2m ago\n---\nAnd more of it.\n");
	table_paste(&table, loom_buf_str(&text));
	ASSERT(table_shows(&table, "is here already"));
	table_type(&table, "t");
	ASSERT_EQ(2, nodes());
	loom_buf_fini(&text);
	PASS();
}

TEST calls_are_listed_and_none_runs(void)
{
	set_up();
	paste("\xe2\x86\x92 respond r001 \"I was pasted\"\n\xe2\x86\x92 frobnicate the tree\n");
	ASSERT(table_shows(&table, "1 call; nothing runs by itself"));
	ASSERT(table_shows(&table, "respond r001 \"I was pasted\""));
	table_type(&table, "<Esc>");
	ASSERT_EQ(1, nodes());
	PASS();
}

TEST what_cannot_be_seen_is_said(void)
{
	set_up();
	paste("harm\xe2\x80\x8bless \xe2\x80\xae"
	      "text");
	ASSERT(table_shows(&table, "invisible characters"));
	ASSERT(table_shows(&table, "<U+200B>"));
	ASSERT(table_shows(&table, "<RLO>"));
	PASS();
}

TEST enter_puts_it_where_the_caret_stood(void)
{
	set_up();
	table_type(&table, "iBefore<Space>");
	paste(CHAT);
	ASSERT(table_shows(&table, "3 turns"));
	/* The keys are the inspector's, not the text's. */
	table_type(&table, "jj?");
	ASSERT(table_shows(&table, "3 turns"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "Before Human: Who lives here?"));
	ASSERT_EQ(1, nodes());
	PASS();
}

/* Who said it elsewhere neither brings news here nor goes on with anybody's tree. */
TEST who_is_met_in_a_paste_takes_nothing_over(void)
{
	set_up();
	ASSERT(table_shows(&table, "\xc2\xb7 ngram"));
	paste("**Human:** Who lives here?\n\n**Claude:** Nobody.\n\n**Human:** I see.\n");
	ASSERT(table_shows(&table, "by Claude (new)"));
	table_type(&table, "t");
	ASSERT(table_shows(&table, "made 3 nodes of the paste"));
	ASSERT_FALSE(table_shows(&table, " new \xc2\xb7"));
	ASSERT(table_shows(&table, "dialogue \xc2\xb7 ngram"));
	PASS();
}

TEST a_large_paste_is_not_taken_for_the_one_before(void)
{
	struct loom_buf text = LOOM_BUF_INIT((size_t)4 << 20);
	struct tui_event event = {.kind = TUI_EVENT_PASTE};

	set_up();
	paste(CHAT);
	ASSERT(table_shows(&table, "turns, written as colon"));
	table_type(&table, "<Esc>");
	while (text.n < (size_t)3 << 20)
		loom_buf_adds(&text, "A line of prose.\n");
	event.text = loom_buf_str(&text);
	tui_app_event(table.app, &event);
	ASSERT_FALSE(table_shows(&table, "turns, written as colon"));
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "[pasted"));
	table_type(&table, "<Tab>");
	ASSERT(table_shows(&table, "A line of prose."));
	loom_buf_fini(&text);
	PASS();
}

TEST a_paste_ends_the_keys_that_were_begun_and_what_was_said(void)
{
	set_up();
	table_type(&table, "h");
	ASSERT(table_shows(&table, "this is the root"));
	table_type(&table, "g");
	paste(CHAT);
	ASSERT_FALSE(table_shows(&table, "this is the root"));
	table_type(&table, "j");
	ASSERT_FALSE(table_shows(&table, "no such key"));
	PASS();
}

TEST ten_megabytes_wait_for_nobody(void)
{
	struct loom_buf text = LOOM_BUF_INIT((size_t)16 << 20);
	struct tui_event event = {.kind = TUI_EVENT_PASTE};
	struct tui_event key = {.kind = TUI_EVENT_KEY, .key = {'j', 0}};
	clock_t began;

	set_up();
	while (text.n < (size_t)10 << 20)
		loom_buf_adds(&text, CHAT "\n");
	event.text = loom_buf_str(&text);
	began = clock();
	tui_app_event(table.app, &event);
	tui_app_event(table.app, &key);
	ASSERT_EQ(NULL, table_draw(&table, 80, 24));
#ifndef LOOM_INSTRUMENTED
	ASSERT(clock() - began < CLOCKS_PER_SEC / 5);
#else
	(void)began;
#endif
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "turns, written as colon"));
	table_type(&table, "<Esc>");
	loom_buf_fini(&text);
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	const char *wrong;

	set_up();
	paste(CHAT "\xe2\x86\x92 respond r001 \"x\"\n\xe2\x80\x8b");
	wrong = table_sizes(&table, true);
	ASSERT_EQm(wrong, NULL, wrong);
	table_type(&table, "jl");
	wrong = table_sizes(&table, true);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST random_keys_do_no_harm(void)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		const char *wrong;

		set_up();
		paste(CHAT "\xe2\x86\x92 respond r001 \"x\"\n");
		wrong = table_storm(&table, seed, "jjkkatPP!x  hlw/qPJK\t\x1b\r", "P");
		ASSERT_EQm(wrong, NULL, wrong);
		table_fini(&table);
	}
	PASS();
}

SUITE(pastes)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_text_is_simply_written);
	RUN_TEST(a_long_text_is_folded_and_opened_with_a_key);
	RUN_TEST(a_long_text_in_prose_is_seen_as_it_is);
	RUN_TEST(turns_are_listed_with_their_authors_and_nothing_is_done);
	RUN_TEST(turns_become_nodes_and_one_undo_takes_them_back);
	RUN_TEST(a_turn_can_be_left_out_and_said_by_another);
	RUN_TEST(what_stands_here_already_is_not_made_twice);
	RUN_TEST(calls_are_listed_and_none_runs);
	RUN_TEST(what_cannot_be_seen_is_said);
	RUN_TEST(enter_puts_it_where_the_caret_stood);
	RUN_TEST(who_is_met_in_a_paste_takes_nothing_over);
	RUN_TEST(a_large_paste_is_not_taken_for_the_one_before);
	RUN_TEST(a_paste_ends_the_keys_that_were_begun_and_what_was_said);
	RUN_TEST(ten_megabytes_wait_for_nobody);
	RUN_TEST(every_size_gives_a_whole_picture);
	RUN_TEST(random_keys_do_no_harm);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(pastes);
	GREATEST_MAIN_END();
}
