/* Threads and what they share, without a terminal: what is shown, what keys change on the disk, any
 * size, any keys. */
#include <greatest.h>

#include <time.h>
#include <unistd.h>

#include "support/table.h"

#define T ".leslie/threads/"

static void set_up(bool threads)
{
	table_init(&table);
	if (threads)
		scene_threads(&table.grove.temp, &table.grove.env);
	table_open(&table);
}

TEST threads_stand_below_their_objective_with_what_they_have_and_read(void)
{
	set_up(true);
	table_type(&table, "oh");
	ASSERT(table_shows(&table, "A login that people trust · obj-auth · active"));
	ASSERT(table_shows(&table, "3 assets"));
	ASSERT(table_shows(&table, "→ thread-api"));
	ASSERT(table_shows(&table, "reads: frozen copies"));
	ASSERT(table_shows(&table, "reads: live"));
	ASSERT(table_shows(&table, "Referenced Thread thread-gone not found"));
	ASSERT(table_shows(&table, "active · 1 broken"));
	PASS();
}

TEST beside_a_thread_stands_what_it_is_told_and_beside_an_asset_its_text(void)
{
	set_up(true);
	table_type(&table, "oh");
	ASSERT(table_shows(&table, "What thread-api gets now"));
	ASSERT(table_shows(&table, "<thread_context thread=\"thread-api\""));
	table_type(&table, "j");
	ASSERT(table_shows(&table, "2. tokens"));
	table_type(&table, "l");
	ASSERT_FALSE(table_shows(&table, "reads: live"));
	ASSERT(table_shows(&table, "2. tokens"));
	table_type(&table, "q");
	ASSERT(table_shows(&table, "reads: live"));
	table_type(&table, "q");
	ASSERT_FALSE(table_shows(&table, "reads: live"));
	PASS();
}

TEST a_file_that_an_agent_just_wrote_is_there_when_one_looks_again(void)
{
	set_up(true);
	table_type(&table, "oh");
	temp_write(&table.grove.temp, T "thread-ui/progress.md", LOOM_STR("half"));
	table_type(&table, "<C-l>");
	ASSERT(table_shows(&table, "progress.md"));
	PASS();
}

/* Waits until it is on the screen; false when that never comes. */
static bool appears(const char *what)
{
	struct timespec pause = {.tv_nsec = 10000000};

	for (int i = 0; i < 6000 && !table_shows(&table, what); i++) {
		tui_app_work(table.app, true);
		nanosleep(&pause, NULL);
	}
	return table_shows(&table, what);
}

TEST what_another_program_writes_appears_by_itself(void)
{
	struct timespec pause = {.tv_nsec = 10000000};

	set_up(true);
	table_type(&table, "ohjjjj");
	temp_write(&table.grove.temp, T "thread-api/progress.md", LOOM_STR("half"));
	ASSERT(appears("progress.md"));
	/* The row that was looked at is where it was. */
	ASSERT(table_shows(&table, "What thread-ui gets now"));
	/* And then it is quiet: looking is no news. */
	for (int i = 0; i < 6000 && (i < 40 || tui_app_busy(table.app)); i++) {
		tui_app_work(table.app, false);
		nanosleep(&pause, NULL);
	}
	ASSERT_FALSE(tui_app_busy(table.app));
	PASS();
}

TEST a_marked_source_is_read_by_the_thread_of_the_form(void)
{
	set_up(true);
	table_type(&table, "oh<Space>");
	ASSERT(table_shows(&table, "source · active"));
	table_type(&table, "Gr");
	ASSERT(table_shows(&table, "What thread-review would get"));
	ASSERT(table_shows(&table, "source   thread-api"));
	ASSERT(table_shows(&table, "<ref thread=\"thread-api\">"));
	ASSERT(table_shows(&table, "type=\"plan\" path=\".leslie/threads/thread-api"));
	/* The conversation is not in it, and one ticked file is that file. */
	table_type(&table, "G<Space>");
	ASSERT(table_shows(&table, "[x]"));
	ASSERT_FALSE(table_shows(&table, "type=\"design\""));
	ASSERT_FALSE(table_has(&table, T "thread-review/context/inherited/plan.md"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "thread-review reads thread-api now (frozen, 1 file copied)"));
	ASSERT(table_has(&table, T "thread-review/context/inherited/plan.md"));
	PASS();
}

TEST a_circle_is_refused_while_one_chooses_and_nothing_changes(void)
{
	set_up(true);
	table_type(&table, "ohjjjj<Space>ggr");
	ASSERT(table_shows(&table, "thread-api cannot read it"));
	ASSERT(table_shows(&table, "Circular"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "thread-api cannot read it"));
	ASSERT_FALSE(table_has(&table, T "thread-api/context/inherited/plan.md"));
	table_type(&table, "<Esc>");
	ASSERT(table_shows(&table, "What thread-api gets now"));
	PASS();
}

TEST the_menu_does_what_its_row_says_to_the_thread_it_was_opened_on(void)
{
	set_up(true);
	table_type(&table, "ohjjjj.");
	ASSERT(table_shows(&table, "Actions for this thread"));
	table_type(&table, "/suspend<Enter><Enter>");
	ASSERT(table_shows(&table, "thread-ui is suspended"));
	table_type(&table, ".");
	ASSERT(table_shows(&table, "ref… let it read"));
	table_type(&table, "j<Enter>");
	ASSERT(table_shows(&table, "reader   thread-ui"));
	PASS();
}

TEST what_has_no_way_back_is_done_by_y_alone(void)
{
	set_up(true);
	table_type(&table, "ohd");
	ASSERT(table_shows(&table, "y: thread-api is completed for good"));
	table_type(&table, "<Enter>");
	ASSERT_FALSE(table_shows(&table, "completed"));
	table_type(&table, "<Esc>y");
	ASSERT_FALSE(table_shows(&table, "completed"));
	table_type(&table, "dy");
	ASSERT(table_shows(&table, "thread-api is completed"));
	table_type(&table, "s");
	ASSERT(table_shows(&table, "Invalid state transition from completed"));
	PASS();
}

TEST a_reference_says_which_files_since_when_and_whether_they_still_hold(void)
{
	char *copy;

	set_up(true);
	table_type(&table, "oh");
	ASSERT(table_shows(&table, "reads: frozen copies · design · "));
	ASSERT_FALSE(table_shows(&table, "stale"));
	temp_write(&table.grove.temp, T "thread-api/design/api.md", LOOM_STR("# API 2\n"));
	table_type(&table, "qoh");
	ASSERT(table_shows(&table, "reads: frozen copies, stale · design"));
	copy = temp_path(&table.grove.temp, T "thread-ui/context/inherited/design/schema.sql");
	ASSERT_EQ(0, unlink(copy));
	free(copy);
	table_type(&table, "qoh");
	ASSERT(table_shows(&table, "reads: frozen copies, forged · design"));
	PASS();
}

/* The folder of a thread, to and from a place where nobody looks for it. */
static bool move_folder(const char *from, const char *to)
{
	char *old = temp_path(&table.grove.temp, from);
	char *new = temp_path(&table.grove.temp, to);
	bool done = rename(old, new) == 0;

	free(old);
	free(new);
	return done;
}

TEST a_folder_that_vanishes_and_comes_back_is_seen_by_itself(void)
{
	set_up(true);
	table_type(&table, "oh");
	ASSERT_FALSE(table_shows(&table, "its folder is gone"));
	ASSERT(move_folder(T "thread-api", "elsewhere"));
	ASSERT(appears("its folder is gone"));
	ASSERT(table_shows(&table, "not found, but 2 copies are still here"));
	ASSERT(move_folder("elsewhere", T "thread-api"));
	ASSERT(appears("reads: frozen copies · design"));
	ASSERT_FALSE(table_shows(&table, "its folder is gone"));
	PASS();
}

TEST a_reference_ends_with_its_copies(void)
{
	set_up(true);
	table_type(&table, "ohjjjjjjx");
	ASSERT(table_shows(&table, "no longer reads thread-api"));
	ASSERT(table_has(&table, T "thread-ui/context/inherited/design/api.md"));
	table_type(&table, "y");
	ASSERT_FALSE(table_has(&table, T "thread-ui/context/inherited/design/api.md"));
	ASSERT_FALSE(table_shows(&table, "reads: frozen copies · design"));
	PASS();
}

TEST frozen_copies_are_made_anew_by_a_key(void)
{
	set_up(true);
	temp_write(&table.grove.temp, T "thread-api/design/new.md", LOOM_STR("new"));
	table_type(&table, "ohjjjj");
	ASSERT_FALSE(table_has(&table, T "thread-ui/context/inherited/design/new.md"));
	table_type(&table, "R");
	ASSERT(table_shows(&table, "thread-ui: 3 files copied again"));
	ASSERT(table_has(&table, T "thread-ui/context/inherited/design/new.md"));
	PASS();
}

TEST the_first_thread_of_a_grove_is_made_here(void)
{
	set_up(false);
	table_type(&table, "oh");
	ASSERT(table_shows(&table, "no threads: a creates one"));
	table_type(&table, "aTry<Space>it<Enter>");
	ASSERT(table_shows(&table, "new thread thread-"));
	ASSERT(table_shows(&table, "active · Try it"));
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	static const char *const keys[] = {"oh", "jjj", "w", "w", "Gr", "<Esc>", "."};
	const char *wrong;

	set_up(true);
	wrong = table_walk(&table, keys, LOOM_COUNT(keys), true);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST random_keys_do_no_harm(void)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		const char *wrong;

		set_up(seed % 4 != 0);
		wrong = table_storm(&table, seed, "jjkkhhllrRsdxay.q wJK/ GGo\t\x1b\r", "oh");
		ASSERT_EQm(wrong, NULL, wrong);
		table_fini(&table);
	}
	PASS();
}

SUITE(threads)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(threads_stand_below_their_objective_with_what_they_have_and_read);
	RUN_TEST(beside_a_thread_stands_what_it_is_told_and_beside_an_asset_its_text);
	RUN_TEST(a_file_that_an_agent_just_wrote_is_there_when_one_looks_again);
	RUN_TEST(what_another_program_writes_appears_by_itself);
	RUN_TEST(a_marked_source_is_read_by_the_thread_of_the_form);
	RUN_TEST(a_circle_is_refused_while_one_chooses_and_nothing_changes);
	RUN_TEST(the_menu_does_what_its_row_says_to_the_thread_it_was_opened_on);
	RUN_TEST(what_has_no_way_back_is_done_by_y_alone);
	RUN_TEST(a_reference_says_which_files_since_when_and_whether_they_still_hold);
	RUN_TEST(a_folder_that_vanishes_and_comes_back_is_seen_by_itself);
	RUN_TEST(a_reference_ends_with_its_copies);
	RUN_TEST(frozen_copies_are_made_anew_by_a_key);
	RUN_TEST(the_first_thread_of_a_grove_is_made_here);
	RUN_TEST(every_size_gives_a_whole_picture);
	RUN_TEST(random_keys_do_no_harm);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(threads);
	GREATEST_MAIN_END();
}
