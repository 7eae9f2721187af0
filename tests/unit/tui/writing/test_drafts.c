/* Texts that are not in the tree yet: their rows, what keys do to them, and that none is lost. */
#include "greatest.h"

#include "support/table.h"

#include <loom/grove/draft.h>
#include <loom/tree/op.h>

#include <loom/desk/desk.h>

static void set_up(void)
{
	table_init(&table);
	table_open(&table);
}

/* A draft of the tree that another program keeps. */
static enum loom_status keep_other(const char *kind, const char *anchor, const char *text)
{
	char tree[LOOM_ULID_CHARS + 1];
	struct loom_draft draft = {.kind = loom_str_of(kind),
				   .tree = LOOM_STR_INIT(""),
				   .anchor = loom_str_of(anchor),
				   .text = loom_str_of(text)};
	struct loom_str id;

	loom_ulid_text(&table.app->tree.ulid, tree);
	draft.tree = loom_str_of(tree);
	return loom_draft_save(table.grove.store, &draft, table.grove.arena, &id, NULL);
}

static size_t count_kept(void)
{
	struct loom_draft *drafts = NULL;
	size_t count = 0;

	if (loom_draft_list(table.grove.store, table.grove.arena, &drafts, &count, NULL))
		return 99;
	return count;
}

/* Drafts are kept beside the keys, and nobody waits for them but a test. */
static bool keeps(size_t count)
{
	for (int i = 0; i < 6000; i++) {
		tui_app_work(table.app, false);
		if (count_kept() == count)
			return true;
		usleep(10000);
	}
	return false;
}

static bool comes_to_show(const char *what)
{
	for (int i = 0; i < 6000 && !table_shows(&table, what); i++) {
		tui_app_work(table.app, false);
		usleep(10000);
	}
	return table_shows(&table, what);
}

TEST a_text_that_is_left_has_the_cursor_and_is_read(void)
{
	set_up();
	table_type(&table, "iHalf-thought.<Esc>");
	ASSERT(table_shows(&table, "kept as a draft"));
	ASSERT(table_shows(&table, "draft  Half"));
	ASSERT(keeps(1));
	table_type(&table, "k");
	ASSERT_FALSE(table_shows(&table, "only you see it"));
	table_type(&table, "j");
	ASSERT(table_shows(&table, "only you see it"));
	PASS();
}

TEST going_on_from_a_draft_commits_it_first(void)
{
	set_up();
	table_type(&table, "iOnce.<Esc>2c");
	ASSERT(keeps(0));
	ASSERT(table_shows(&table, "  Once."));
	ASSERT(table_shows(&table, "1 of 2"));
	ASSERT(table_shows(&table, "r001 \xe2\x86\x92 \xe2\x80\xa6"));
	PASS();
}

TEST keys_on_a_draft_leave_its_anchor_alone(void)
{
	set_up();
	table_type(&table, "l");
	table_type(&table, "iOne.<Enter>iTwo.<Esc>");
	table_type(&table, "b");
	ASSERT(table_shows(&table, "this is a draft"));
	table_type(&table, "x");
	ASSERT(table_shows(&table, "y/n"));
	table_type(&table, "n");
	ASSERT(keeps(1));
	table_type(&table, "xy");
	ASSERT(keeps(0));
	for (int i = 0; i < 6000 && table_shows(&table, "draft  Two"); i++) {
		tui_app_work(table.app, false);
		usleep(10000);
	}
	ASSERT_FALSE(table_shows(&table, "draft  Two"));
	ASSERT(table_shows(&table, "One."));
	PASS();
}

TEST what_is_refused_stays_a_draft(void)
{
	int64_t op = 0;

	set_up();
	table_type(&table, "iOne.<Enter>emore");
	/* Meanwhile the node is taken away. */
	ASSERT_EQ(LOOM_OK, loom_op_undo(table.grove.store, 1, 0, &op, NULL));
	table_type(&table, "<Esc>");
	ASSERT(keeps(1));
	PASS();
}

TEST drafts_are_there_again_after_a_restart(void)
{
	set_up();
	table_type(&table, "iHalf-thought.<Esc>");
	tui_app_close(table.app);
	table_open(&table);
	ASSERT(comes_to_show("draft  Half"));
	table_type(&table, "i");
	ASSERT(table_shows(&table, "Half-thought."));
	PASS();
}

/* Between the anchor and its draft may stand its children. */
TEST a_draft_is_in_sight_after_a_restart(void)
{
	set_up();
	for (int i = 0; i < 5; i++)
		table_type(&table, "iA child.<Enter>gg");
	table_type(&table, "iHalf-thought.<Esc>");
	ASSERT(keeps(1));
	tui_app_close(table.app);
	table_open(&table);
	tui_app_work(table.app, true);
	table.w = 80;
	table.h = 24;
	ASSERT(table_shows(&table, "draft  Half-thought."));
	ASSERT(table_shows(&table, "r001"));
	ASSERT(table_shows(&table, "1 draft"));
	/* where there is no room for both, the row of the cursor is the one that is shown */
	ASSERT_EQ(NULL, table_sizes(&table, true));
	PASS();
}

TEST all_drafts_of_a_node_are_gone_through(void)
{
	bool edit_first;

	set_up();
	table_type(&table, "iA child.<Enter>gg");
	table_type(&table, "iBelow it.<Esc>gg");
	ASSERT(keeps(1));
	/* kept as the loser of two editors would be */
	ASSERT_EQ(LOOM_OK, keep_other("edit", "r001", "Instead of it."));
	ASSERT(comes_to_show("2 drafts"));
	table_type(&table, "gd");
	edit_first = table_shows(&table, "draft of another version");
	ASSERT_EQ(!edit_first, table_shows(&table, "only you see it"));
	table_type(&table, "gd");
	ASSERT_EQ(!edit_first, table_shows(&table, "draft of another version"));
	ASSERT_EQ(edit_first, table_shows(&table, "only you see it"));
	table_type(&table, "gd");
	ASSERT_EQ(edit_first, table_shows(&table, "draft of another version"));
	PASS();
}

/* What was begun where there was no tree. */
TEST a_beginning_is_still_there_when_there_is_a_tree(void)
{
	table_begin(&table, 80, 24);
	table_open(&table);
	table_type(&table, "iOnce upon a time<Esc>");
	ASSERT(table_shows(&table, "beginning of a tree  Once upon a time"));
	ASSERT(keeps(1));
	tui_app_close(table.app);
	table_open(&table);
	tui_app_work(table.app, true);
	ASSERT(table_shows(&table, "beginning of a tree  Once upon a time"));
	table_type(&table, ":new \"Another\"<Enter>");
	ASSERT(comes_to_show("beginning of a tree  Once upon a time"));
	table_type(&table, "gd");
	ASSERT(table_shows(&table, "only you see it"));
	table_type(&table, "i, or twice<Enter>");
	ASSERT(keeps(0));
	ASSERT(table_shows(&table, "Once upon a time, or twice \xc2\xb7 dialogue"));
	ASSERT_FALSE(table_shows(&table, "beginning of a tree"));
	PASS();
}

TEST a_beginning_is_committed_or_dropped_as_any_draft(void)
{
	table_begin(&table, 80, 24);
	table_open(&table);
	table_type(&table, "iOnce<Esc>:new \"One\" buffer<Enter>");
	ASSERT(comes_to_show("beginning of a tree  Once"));
	table_type(&table, "gdi more<Esc>");
	ASSERT(table_shows(&table, "beginning of a tree  Once more"));
	table_type(&table, "xy");
	ASSERT(keeps(0));
	table_type(&table, "u");
	ASSERT(table_shows(&table, "no tree yet"));
	table_type(&table, "iTwice<Esc>:new \"Two\"<Enter>");
	ASSERT(comes_to_show("beginning of a tree  Twice"));
	table_type(&table, "gdc");
	ASSERT(keeps(0));
	ASSERT(table_shows(&table, "Twice \xc2\xb7 dialogue"));
	ASSERT_EQ(2, table.app->tree.nodes);
	PASS();
}

SUITE(drafts)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_text_that_is_left_has_the_cursor_and_is_read);
	RUN_TEST(going_on_from_a_draft_commits_it_first);
	RUN_TEST(keys_on_a_draft_leave_its_anchor_alone);
	RUN_TEST(what_is_refused_stays_a_draft);
	RUN_TEST(drafts_are_there_again_after_a_restart);
	RUN_TEST(a_draft_is_in_sight_after_a_restart);
	RUN_TEST(all_drafts_of_a_node_are_gone_through);
	RUN_TEST(a_beginning_is_still_there_when_there_is_a_tree);
	RUN_TEST(a_beginning_is_committed_or_dropped_as_any_draft);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(drafts);
	GREATEST_MAIN_END();
}
