/* What a thread keeps, beside the tree; comparing; drafts of other windows. */
#include <greatest.h>

#include <unistd.h>

#include <loom/draft.h>
#include <loom/memory.h>
#include <loom/thread.h>

#include "support/table.h"

static struct loom_err err;
static int64_t other; /* another agent's thread */
static int64_t root;

static void set_up(struct table *table)
{
	struct grove *grove = &table->grove;
	struct loom_agent spec = {.name = LOOM_STR("Claude"),
				  .kind = LOOM_AGENT_MODEL,
				  .aware = true};
	struct loom_thread thread;
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	int64_t agent = 0;
	int64_t tree;

	table_begin(table);
	tree = grove_tree(grove, LOOM_DIALOGUE, "A house.");
	root = grove_root(grove, tree);
	for (int i = 0; i < 3; i++) {
		loom_buf_clear(&text);
		for (int line = 0; line < 80; line++)
			loom_buf_addf(&text, "Way %d, line %d of it.\n", i, line);
		grove_node(grove, root, loom_buf_cstr(&text));
	}
	loom_buf_fini(&text);
	grove_begin(grove, "agent");
	grove_must(loom_agent_create(grove->store, &spec, &agent, &err), &err, "agent");
	grove_commit(grove);
	grove_must(loom_quiet_begin(grove->store, &err), &err, "quiet");
	grove_must(loom_thread_ensure(grove->store, agent, tree, grove->arena, &thread, &err), &err,
		   "thread");
	grove_must(loom_quiet_end(grove->store, LOOM_OK, &err), &err, "quiet");
	other = thread.id;
	table_open(table);
}

static size_t pins(struct table *table, int64_t thread)
{
	struct loom_pin *list = NULL;
	size_t count = 0;

	grove_must(loom_pin_list(table->grove.store, thread, table->grove.arena, &list, &count,
				 &err),
		   &err, "pins");
	return count;
}

TEST mine_is_pinned_stashed_recalled_and_let_go_of(void)
{
	struct table table;

	set_up(&table);
	type(&table, "om");
	ASSERT(shows(&table, "keeps nothing"));
	type(&table, "p");
	ASSERT(shows(&table, "Pins 1"));
	type(&table, "sthe house<Enter>");
	ASSERT(shows(&table, "stash:\"the house\""));
	type(&table, "Gr");
	ASSERT(shows(&table, "recall:\"the house\""));
	type(&table, "ggd");
	ASSERT_FALSE(shows(&table, "Pins"));
	type(&table, "q");
	ASSERT_FALSE(shows(&table, "Your memory"));
	tear_down(&table);
	PASS();
}

TEST another_s_is_shown_changed_and_undone(void)
{
	struct table table;

	set_up(&table);
	type(&table, "om");
	type(&table, "om");
	ASSERT(shows(&table, "Memory of Claude"));
	type(&table, "p");
	ASSERT(shows(&table, "pin:r001"));
	ASSERT_EQ(1u, pins(&table, other));
	type(&table, "s");
	ASSERT(shows(&table, "stash:\"r001\""));
	type(&table, "Gr");
	ASSERT(shows(&table, "recalled"));
	type(&table, "ggd");
	ASSERT_EQ(0u, pins(&table, other));
	type(&table, "u");
	ASSERT_EQ(1u, pins(&table, other));
	type(&table, "om");
	ASSERT(shows(&table, "Your memory"));
	tear_down(&table);
	PASS();
}

TEST it_is_one_of_the_panes(void)
{
	struct table table;

	set_up(&table);
	type(&table, "om<Tab>");
	draw(&table, 140, 40);
	ASSERT(table.grid.cursor_shown);
	type(&table, "l]");
	ASSERT(shows(&table, "2 of 3"));
	type(&table, "<S-Tab>p");
	ASSERT(shows(&table, "Pins 1"));
	type(&table, "<Enter>w");
	ASSERT_EQ(NULL, draw(&table, 80, 24));
	type(&table, "oo");
	ASSERT(shows(&table, "pinned"));
	type(&table, "q");
	ASSERT(shows(&table, "Pins 1"));
	tear_down(&table);
	PASS();
}

TEST compared_texts_scroll_to_their_end_and_no_further(void)
{
	struct table table;

	set_up(&table);
	type(&table, "l=");
	ASSERT(shows(&table, "line 0 of"));
	ASSERT_FALSE(shows(&table, "line 79 of"));
	type(&table, "<C-f>");
	shows(&table, "");
	ASSERT_FALSE(shows(&table, "line 0 of"));
	type(&table, "G");
	shows(&table, "");
	ASSERT(shows(&table, "line 79 of"));
	type(&table, "3K");
	ASSERT_FALSE(shows(&table, "line 79 of"));
	type(&table, "9J");
	ASSERT(shows(&table, "line 79 of"));
	type(&table, "gg");
	ASSERT(shows(&table, "line 0 of"));
	type(&table, "jx");
	ASSERT_FALSE(shows(&table, "Way 1"));
	ASSERT(shows(&table, "Way 2, line 0"));
	tear_down(&table);
	PASS();
}

/* Drafts are read beside the keys. */
static bool comes_to_show(struct table *table, const char *what, bool shown)
{
	for (int i = 0; i < 400 && shows(table, what) != shown; i++) {
		tui_app_work(table->app, false);
		usleep(1000);
	}
	return shows(table, what) == shown;
}

TEST a_draft_of_another_window_comes_and_goes(void)
{
	struct table table;
	struct loom_draft draft = {.kind = LOOM_STR("text"),
				   .anchor = LOOM_STR("r001"),
				   .text = LOOM_STR("Half a sentence")};
	struct loom_str id;
	struct loom_tree tree;
	char ulid[LOOM_ULID_CHARS + 1];

	set_up(&table);
	grove_must(loom_tree_get(table.grove.store, 1, table.grove.arena, &tree, &err), &err, "t");
	loom_ulid_text(&tree.ulid, ulid);
	draft.tree = loom_str_of(ulid);
	ASSERT_FALSE(shows(&table, "Half a sentence"));
	grove_must(loom_draft_save(table.grove.store, &draft, table.grove.arena, &id, &err), &err,
		   "draft");
	ASSERT(comes_to_show(&table, "Half a sentence", true));
	grove_must(loom_draft_drop(table.grove.store, id, &err), &err, "drop");
	ASSERT(comes_to_show(&table, "Half a sentence", false));
	tear_down(&table);
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	static const char *const keys[] = {"om", "p", "om", "<Tab>", "<Tab>w", "q=", "l=", "<C-d>"};
	struct table table;

	set_up(&table);
	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		const char *wrong;
		type(&table, keys[i]);
		wrong = every_size(&table);
		ASSERT_EQm(wrong, NULL, wrong);
	}
	tear_down(&table);
	PASS();
}

TEST the_focus_has_a_cursor_where_nothing_is_kept(void)
{
	struct table table;

	set_up(&table);
	type(&table, "om");
	ASSERT_EQ(NULL, draw(&table, 100, 30));
	ASSERT(table.grid.cursor_shown);
	type(&table, "<Esc>");
	ASSERT_EQ(NULL, draw(&table, 100, 30));
	ASSERT(table.grid.cursor_shown);
	tear_down(&table);
	PASS();
}

/* Where one is counts for more than the way there, and nothing is said half. */
TEST a_narrow_line_says_first_where_one_is(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	struct table table;

	set_up(&table);
	type(&table, "l");
	ASSERT(shows(&table, "r001 \xe2\x86\x92 "));
	ASSERT_EQ(NULL, draw(&table, 24, 6));
	tui_grid_text(&table.grid, &text);
	ASSERT(strstr(loom_buf_cstr(&text), "1 of 3"));
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&text), "r001 \xe2\x86\x92 "));
	loom_buf_fini(&text);
	tear_down(&table);
	PASS();
}

SUITE(side)
{
	RUN_TEST(the_focus_has_a_cursor_where_nothing_is_kept);
	RUN_TEST(a_narrow_line_says_first_where_one_is);
	RUN_TEST(mine_is_pinned_stashed_recalled_and_let_go_of);
	RUN_TEST(another_s_is_shown_changed_and_undone);
	RUN_TEST(it_is_one_of_the_panes);
	RUN_TEST(compared_texts_scroll_to_their_end_and_no_further);
	RUN_TEST(a_draft_of_another_window_comes_and_goes);
	RUN_TEST(every_size_gives_a_whole_picture);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(side);
	GREATEST_MAIN_END();
}
