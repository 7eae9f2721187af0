/* Writing prose without a model on a real pty: committing it, throwing it away, two windows, the
 * rows of a text, its length. */
#include "greatest.h"

#include "screens/desk.h"

#include <loom/grove/draft.h>
#include <loom/grove/goal.h>

static struct desk desk;
static struct pty *pty;

static void set_up(enum loom_mode mode)
{
	desk_init(&desk, mode);
	pty = desk_open(&desk, 120, 26, NULL);
}

static void tear_down(void)
{
	pty_close(pty);
	desk_fini(&desk);
}

static bool shows(struct pty *window, const char *text)
{
	return strstr(pty_text(window), text) != NULL;
}

/* How many children node i of the desk has, as another process reads it. */
static int64_t children(size_t i)
{
	return grove_get(&desk.grove, desk.nodes[i]).children;
}

/* The drafts, newest first. */
static size_t drafts(struct loom_draft **out)
{
	size_t count = 0;
	struct loom_err err;

	grove_must(loom_draft_list(desk.grove.store, desk.grove.arena, out, &count, &err), &err,
		   "drafts");
	return count;
}

static bool is_kept(const char *text)
{
	struct loom_draft *all = NULL;
	const size_t count = drafts(&all);

	for (size_t i = 0; i < count; i++)
		if (loom_str_starts(all[i].text, loom_str_of(text)))
			return true;
	return false;
}

/* ---- without a model ---- */

TEST a_key_commits_prose_and_nothing_else(void)
{
	struct loom_draft *none = NULL;

	set_up(LOOM_BUFFER);
	pty_type(pty, "lliFirst line.\rSecond line.");
	ASSERT(shows(pty, "C-s save"));
	pty_type(pty, "\x13");
	pty_until(pty, "created");
	ASSERT_EQ(1, children(2));
	ASSERT(shows(pty, "Second line."));
	pty_settle(pty);
	ASSERT_EQ(0, (int)drafts(&none));
	tear_down();
	PASS();
}

TEST a_draft_is_committed_from_its_row(void)
{
	set_up(LOOM_BUFFER);
	pty_type(pty, "lliLeft for later.\x1b");
	pty_until(pty, "C-s save");
	ASSERT_EQ(0, children(2));
	pty_type(pty, "\x13");
	pty_until(pty, "created");
	ASSERT_EQ(1, children(2));
	pty_type(pty, "\x13");
	ASSERT(shows(pty, "no draft here"));
	tear_down();
	PASS();
}

TEST an_edit_is_thrown_away_after_a_question(void)
{
	set_up(LOOM_BUFFER);
	pty_type(pty, "lle");
	pty_type(pty, "Wrong. ");
	pty_type(pty, "\x11");
	ASSERT(shows(pty, "throw this text away?"));
	pty_type(pty, "n");
	ASSERT(shows(pty, "Wrong."));
	ASSERT_FALSE(shows(pty, "Wrong. n"));
	pty_type(pty, "\x11y");
	ASSERT_FALSE(shows(pty, "Wrong."));
	ASSERT_FALSE(shows(pty, "draft"));
	/* Nothing is asked where nothing is lost. */
	pty_type(pty, "e\x11");
	ASSERT(shows(pty, "as it was"));
	ASSERT_FALSE(shows(pty, "v2/2"));
	tear_down();
	PASS();
}

TEST a_long_paste_into_prose_is_seen_as_it_is(void)
{
	set_up(LOOM_BUFFER);
	pty_type(pty, "lli");
	pty_type(pty, "\x1b[200~One.\nTwo.\nThree.\nFour.\nFive.\nSix.\nSeven.\nEight.\nNine.\n"
		      "Ten.\nEleven.\nTwelve.\x1b[201~");
	ASSERT(shows(pty, "Twelve."));
	ASSERT_FALSE(shows(pty, "pasted"));
	tear_down();
	PASS();
}

/* ---- two windows ---- */

static enum greatest_test_res both_write(bool first_leaves_first)
{
	struct pty *other;

	set_up(LOOM_BUFFER);
	pty_type(pty, "lliAda wrote this");
	while (!is_kept("Ada wrote this"))
		pty_take(pty);
	other = desk_open(&desk, 120, 26, NULL);
	pty_type(other, "lli");
	ASSERT(shows(other, "also open in another window: this is a draft of its own"));
	ASSERT_FALSE(shows(other, "Ada wrote this"));
	pty_type(other, "Bob wrote that.");
	pty_type(pty, " and went on.");
	pty_type(first_leaves_first ? pty : other, "\x1b");
	pty_type(first_leaves_first ? other : pty, "\x1b");
	pty_until(pty, "kept as a draft");
	pty_until(other, "kept as a draft");
	while (!is_kept("Ada wrote this and went on.") || !is_kept("Bob wrote that."))
		pty_take(pty);
	pty_close(other);
	tear_down();
	PASS();
}

TEST two_windows_write_drafts_of_their_own(void)
{
	CHECK_CALL(both_write(true));
	CHECK_CALL(both_write(false));
	PASS();
}

TEST a_draft_that_is_open_elsewhere_is_neither_committed_nor_deleted(void)
{
	struct pty *other;

	set_up(LOOM_BUFFER);
	pty_type(pty, "lliStill being written");
	while (!is_kept("Still being written"))
		pty_take(pty);
	other = desk_open(&desk, 120, 26, NULL);
	pty_until(other, "draft");
	pty_type(other, "gd\x13");
	ASSERT(shows(other, "open in another window"));
	pty_type(other, "x");
	ASSERT(shows(other, "open in another window"));
	ASSERT_EQ(0, children(2));
	/* Once it is left it is everybody's. */
	pty_type(pty, "\x1b");
	pty_type(other, "\x13");
	pty_until(other, "created");
	ASSERT_EQ(1, children(2));
	pty_close(other);
	tear_down();
	PASS();
}

TEST killing_both_windows_keeps_both_texts(void)
{
	struct pty *other;

	set_up(LOOM_BUFFER);
	pty_type(pty, "lliAda wrote this");
	while (!is_kept("Ada wrote this"))
		pty_take(pty);
	other = desk_open(&desk, 120, 26, NULL);
	pty_type(other, "lliBob wrote that");
	while (!is_kept("Bob wrote that"))
		pty_take(other);
	pty_close(pty);
	pty_close(other);
	ASSERT(is_kept("Ada wrote this"));
	ASSERT(is_kept("Bob wrote that"));
	/* What nobody writes any more is taken up again. */
	pty = desk_open(&desk, 120, 26, NULL);
	pty_type(pty, "lli");
	ASSERT(shows(pty, "wrote th"));
	ASSERT_FALSE(shows(pty, "another window"));
	tear_down();
	PASS();
}

/* ---- rows and lengths ---- */

TEST up_and_down_go_by_rows_of_the_screen(void)
{
	int x[2];
	int y[2];

	set_up(LOOM_BUFFER);
	pty_type(pty, "lli\r");
	for (int i = 0; i < 30; i++)
		pty_type(pty, "word after word ");
	pty_cursor(pty, &x[0], &y[0]);
	pty_type(pty, "\x1b[A");
	pty_cursor(pty, &x[1], &y[1]);
	ASSERT_EQ(y[0] - 1, y[1]);
	ASSERT_EQ(x[0], x[1]);
	pty_type(pty, "\x1b[A\x1b[A\x1b[B\x1b[B\x1b[B");
	pty_cursor(pty, &x[1], &y[1]);
	ASSERT_EQ(y[0], y[1]);
	ASSERT_EQ(x[0], x[1]);
	/* A page up is further than the text: its beginning. */
	pty_type(pty, "\x1b[5~FIRST\x1b[6~LAST");
	ASSERT(shows(pty, "FIRST"));
	ASSERT(shows(pty, "LAST"));
	tear_down();
	PASS();
}

TEST the_length_and_the_goal_stand_where_one_writes(void)
{
	struct loom_tree tree;
	struct loom_goal goal = {.text = 50000};
	struct loom_err err;

	desk_init(&desk, LOOM_BUFFER);
	grove_must(loom_tree_get(desk.grove.store, desk.tree, desk.grove.arena, &tree, &err), &err,
		   "tree");
	grove_must(loom_goal_set(desk.grove.store, &tree.ulid, &goal, &err), &err, "goal");
	pty = desk_open(&desk, 120, 26, NULL);
	pty_type(pty, "llione two three");
	pty_until(pty, " of 50,000 · session ");
	ASSERT(shows(pty, "3 words · text "));
	tear_down();
	PASS();
}

TEST rows_of_siblings_begin_where_they_differ_and_count_their_notes(void)
{
	int64_t sibling;

	desk_init(&desk, LOOM_BUFFER);
	for (int i = 0; i < 2; i++)
		desk_add(&desk, desk.nodes[2], true,
			 i ? "When the radio was turned low, she slept."
			   : "When the radio was turned low, nobody spoke.");
	sibling = desk_add(&desk, desk.nodes[2], true, "An owl.");
	grove_note(&desk.grove, sibling, "better");
	pty = desk_open(&desk, 120, 26, NULL);
	pty_type(pty, "lll");
	ASSERT(shows(pty, "…nobody spoke."));
	ASSERT(shows(pty, "…she slept."));
	ASSERT(shows(pty, "  An owl."));
	ASSERT(shows(pty, " 1 note"));
	tear_down();
	PASS();
}

SUITE(manuscript_suite)
{
	RUN_TEST(rows_of_siblings_begin_where_they_differ_and_count_their_notes);
	RUN_TEST(a_key_commits_prose_and_nothing_else);
	RUN_TEST(a_draft_is_committed_from_its_row);
	RUN_TEST(an_edit_is_thrown_away_after_a_question);
	RUN_TEST(a_long_paste_into_prose_is_seen_as_it_is);
	RUN_TEST(two_windows_write_drafts_of_their_own);
	RUN_TEST(a_draft_that_is_open_elsewhere_is_neither_committed_nor_deleted);
	RUN_TEST(killing_both_windows_keeps_both_texts);
	RUN_TEST(up_and_down_go_by_rows_of_the_screen);
	RUN_TEST(the_length_and_the_goal_stand_where_one_writes);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(manuscript_suite);
	GREATEST_MAIN_END();
}
