/* What a thread keeps, beside the tree; comparing; drafts of other windows. */
#include <greatest.h>

#include <unistd.h>

#include <loom/grove/draft.h>
#include <loom/work/memory.h>
#include <loom/work/thread.h>

#include "support/table.h"

static struct loom_err err;
static int64_t other; /* another agent's thread */
static int64_t root;

static void set_up(void)
{
	struct grove *grove = &table.grove;
	struct loom_agent spec = {.name = LOOM_STR("Claude"),
				  .kind = LOOM_AGENT_MODEL,
				  .aware = true};
	struct loom_thread thread;
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	int64_t agent = 0;
	int64_t tree;

	table_begin(&table, 100, 30);
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
	table_open(&table);
}

static size_t pins(int64_t thread)
{
	struct loom_pin *list = NULL;
	size_t count = 0;

	grove_must(loom_pin_list(table.grove.store, thread, table.grove.arena, &list, &count, &err),
		   &err, "pins");
	return count;
}

TEST mine_is_pinned_stashed_recalled_and_let_go_of(void)
{
	set_up();
	table_type(&table, "om");
	ASSERT(table_shows(&table, "nothing kept"));
	table_type(&table, "p");
	ASSERT(table_shows(&table, "Pins 1"));
	table_type(&table, "sthe house<Enter>");
	ASSERT(table_shows(&table, "stash:\"the house\""));
	table_type(&table, "Gr");
	ASSERT(table_shows(&table, "recall:\"the house\""));
	table_type(&table, "ggd");
	ASSERT_FALSE(table_shows(&table, "Pins"));
	table_type(&table, "q");
	ASSERT_FALSE(table_shows(&table, "Your memory"));
	PASS();
}

TEST another_s_is_shown_changed_and_undone(void)
{
	set_up();
	table_type(&table, "om");
	table_type(&table, "om");
	ASSERT(table_shows(&table, "Memory of Claude"));
	table_type(&table, "p");
	ASSERT(table_shows(&table, "pin:r001"));
	ASSERT_EQ(1u, pins(other));
	table_type(&table, "s");
	ASSERT(table_shows(&table, "stash:\"r001\""));
	table_type(&table, "Gr");
	ASSERT(table_shows(&table, "recalled"));
	table_type(&table, "ggd");
	ASSERT_EQ(0u, pins(other));
	table_type(&table, "u");
	ASSERT_EQ(1u, pins(other));
	table_type(&table, "om");
	ASSERT(table_shows(&table, "Your memory"));
	PASS();
}

TEST it_is_one_of_the_panes(void)
{
	set_up();
	table_type(&table, "om<Tab>");
	table_draw(&table, 140, 40);
	ASSERT(table.grid.cursor_shown);
	table_type(&table, "l]");
	ASSERT(table_shows(&table, "2 of 3"));
	table_type(&table, "<S-Tab>p");
	ASSERT(table_shows(&table, "Pins 1"));
	table_type(&table, "<Enter>w");
	ASSERT_EQ(NULL, table_draw(&table, 80, 24));
	table_type(&table, "oo");
	ASSERT(table_shows(&table, "pinned"));
	table_type(&table, "q");
	ASSERT(table_shows(&table, "Pins 1"));
	PASS();
}

TEST compared_texts_scroll_to_their_end_and_no_further(void)
{
	set_up();
	table_type(&table, "l=");
	ASSERT(table_shows(&table, "line 0 of"));
	ASSERT_FALSE(table_shows(&table, "line 79 of"));
	table_type(&table, "<C-f>");
	table_shows(&table, "");
	ASSERT_FALSE(table_shows(&table, "line 0 of"));
	table_type(&table, "G");
	table_shows(&table, "");
	ASSERT(table_shows(&table, "line 79 of"));
	table_type(&table, "3K");
	ASSERT_FALSE(table_shows(&table, "line 79 of"));
	table_type(&table, "9J");
	ASSERT(table_shows(&table, "line 79 of"));
	table_type(&table, "gg");
	ASSERT(table_shows(&table, "line 0 of"));
	table_type(&table, "jx");
	ASSERT_FALSE(table_shows(&table, "Way 1"));
	ASSERT(table_shows(&table, "Way 2, line 0"));
	PASS();
}

/* Drafts are read beside the keys. */
static bool comes_to_show(const char *what, bool shown)
{
	for (int i = 0; i < 60000 && table_shows(&table, what) != shown; i++) {
		tui_app_work(table.app, false);
		usleep(1000);
	}
	return table_shows(&table, what) == shown;
}

TEST a_draft_of_another_window_comes_and_goes(void)
{
	struct loom_draft draft = {.kind = LOOM_STR("text"),
				   .anchor = LOOM_STR("r001"),
				   .text = LOOM_STR("Half a sentence")};
	struct loom_str id;
	struct loom_tree tree;
	char ulid[LOOM_ULID_CHARS + 1];

	set_up();
	grove_must(loom_tree_get(table.grove.store, 1, table.grove.arena, &tree, &err), &err, "t");
	loom_ulid_text(&tree.ulid, ulid);
	draft.tree = loom_str_of(ulid);
	ASSERT_FALSE(table_shows(&table, "Half a sentence"));
	grove_must(loom_draft_save(table.grove.store, &draft, table.grove.arena, &id, &err), &err,
		   "draft");
	ASSERT(comes_to_show("Half a sentence", true));
	grove_must(loom_draft_drop(table.grove.store, id, &err), &err, "drop");
	ASSERT(comes_to_show("Half a sentence", false));
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	static const char *const keys[] = {"om", "p", "om", "<Tab>", "<Tab>w", "q=", "l=", "<C-d>"};
	const char *wrong;

	set_up();
	wrong = table_walk(&table, keys, LOOM_COUNT(keys), false);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST the_focus_has_a_cursor_where_nothing_is_kept(void)
{
	set_up();
	table_type(&table, "om");
	ASSERT_EQ(NULL, table_draw(&table, 100, 30));
	ASSERT(table.grid.cursor_shown);
	table_type(&table, "<Esc>");
	ASSERT_EQ(NULL, table_draw(&table, 100, 30));
	ASSERT(table.grid.cursor_shown);
	PASS();
}

/* Where one is counts for more than the way there, and nothing is said half. */
TEST a_narrow_line_says_first_where_one_is(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);

	set_up();
	table_type(&table, "l");
	ASSERT(table_shows(&table, "r001 \xe2\x86\x92 "));
	ASSERT_EQ(NULL, table_draw(&table, 24, 6));
	tui_grid_text(&table.grid, &text);
	ASSERT(strstr(loom_buf_cstr(&text), "1 of 3"));
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&text), "r001 \xe2\x86\x92 "));
	loom_buf_fini(&text);
	PASS();
}

SUITE(side)
{
	SET_TEARDOWN(tear_down, NULL);
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
