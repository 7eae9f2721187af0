/* Texts that are not in the tree yet: their rows, what keys do to them, and that none is lost. */
#include "greatest.h"

#include "support/table.h"

#include <loom/draft.h>
#include <loom/op.h>

static void set_up(void)
{
	table_init(&table);
	table_open(&table);
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
	for (int i = 0; i < 400; i++) {
		tui_app_work(table.app, false);
		if (count_kept() == count)
			return true;
		usleep(10000);
	}
	return false;
}

static bool comes_to_show(const char *what)
{
	for (int i = 0; i < 400 && !table_shows(&table, what); i++) {
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
	ASSERT_FALSE(table_shows(&table, "yours alone"));
	table_type(&table, "j");
	ASSERT(table_shows(&table, "yours alone"));
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
	ASSERT(table_shows(&table, "y does"));
	table_type(&table, "n");
	ASSERT(keeps(1));
	table_type(&table, "xy");
	ASSERT(keeps(0));
	for (int i = 0; i < 400 && table_shows(&table, "draft  Two"); i++) {
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

SUITE(drafts)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_text_that_is_left_has_the_cursor_and_is_read);
	RUN_TEST(going_on_from_a_draft_commits_it_first);
	RUN_TEST(keys_on_a_draft_leave_its_anchor_alone);
	RUN_TEST(what_is_refused_stays_a_draft);
	RUN_TEST(drafts_are_there_again_after_a_restart);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(drafts);
	GREATEST_MAIN_END();
}
