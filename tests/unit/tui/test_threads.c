/* Threads and what they share, without a terminal: what is shown, what keys change on the disk, any
 * size, any keys. */
#include <greatest.h>

#include <unistd.h>

#include <loom/leslie.h>

#include "support/grove.h"
#include "support/prop.h"
#include "support/scene.h"
#include "tui/app.h"

#define T ".leslie/threads/"

struct table {
	struct grove grove;
	struct tui_app *app;
	struct tui_grid grid;
	struct loom_buf text;
};

static void set_up(struct table *table, bool threads)
{
	struct tui_app_opts opts = {.env = &table->grove.env};
	struct loom_err err;

	grove_init(&table->grove);
	grove_tree(&table->grove, LOOM_DIALOGUE, "A beginning.");
	if (threads)
		scene_threads(&table->grove.temp, &table->grove.env);
	opts.dir = loom_str_of(table->grove.temp.path);
	tui_grid_init(&table->grid, false);
	loom_buf_init(&table->text, 1 << 22);
	grove_must(tui_app_open(&table->app, &opts, &err), &err, "app");
}

static void tear_down(struct table *table)
{
	tui_app_close(table->app);
	tui_grid_fini(&table->grid);
	loom_buf_fini(&table->text);
	grove_fini(&table->grove);
}

static void type(struct table *table, const char *keys)
{
	struct loom_str text = loom_str_of(keys);
	struct tui_event event = {.kind = TUI_EVENT_KEY};

	for (size_t at = 0; at < text.n && tui_key_parse(text, &at, &event.key);) {
		tui_app_event(table->app, &event);
		tui_app_work(table->app, true);
	}
}

static const char *draw(struct table *table, int w, int h)
{
	tui_grid_reset(&table->grid, w, h);
	tui_app_draw(table->app, &table->grid);
	return tui_grid_fault(&table->grid);
}

static bool shows(struct table *table, const char *what)
{
	loom_buf_clear(&table->text);
	draw(table, 150, 40);
	tui_grid_text(&table->grid, &table->text);
	return strstr(loom_buf_cstr(&table->text), what) != NULL;
}

static bool has(struct table *table, const char *path)
{
	char *full = temp_path(&table->grove.temp, path);
	bool there = access(full, F_OK) == 0;

	free(full);
	return there;
}

TEST threads_stand_below_their_objective_with_what_they_have_and_read(void)
{
	struct table table;

	set_up(&table, true);
	type(&table, "oh");
	ASSERT(shows(&table, "A login that people trust · obj-auth · active"));
	ASSERT(shows(&table, "3 assets"));
	ASSERT(shows(&table, "→ thread-api"));
	ASSERT(shows(&table, "reads: frozen copies"));
	ASSERT(shows(&table, "reads: live"));
	ASSERT(shows(&table, "Referenced Thread thread-gone not found"));
	ASSERT(shows(&table, "active · 1 broken"));
	tear_down(&table);
	PASS();
}

TEST beside_a_thread_stands_what_it_is_told_and_beside_an_asset_its_text(void)
{
	struct table table;

	set_up(&table, true);
	type(&table, "oh");
	ASSERT(shows(&table, "What thread-api is told now"));
	ASSERT(shows(&table, "<thread_context thread=\"thread-api\""));
	type(&table, "j");
	ASSERT(shows(&table, "2. tokens"));
	type(&table, "l");
	ASSERT_FALSE(shows(&table, "reads: live"));
	ASSERT(shows(&table, "2. tokens"));
	type(&table, "q");
	ASSERT(shows(&table, "reads: live"));
	type(&table, "q");
	ASSERT_FALSE(shows(&table, "reads: live"));
	tear_down(&table);
	PASS();
}

TEST a_file_that_an_agent_just_wrote_is_there_when_one_looks_again(void)
{
	struct table table;

	set_up(&table, true);
	type(&table, "oh");
	temp_write(&table.grove.temp, T "thread-ui/progress.md", LOOM_STR("half"));
	type(&table, "<C-l>");
	ASSERT(shows(&table, "progress.md"));
	tear_down(&table);
	PASS();
}

TEST a_marked_source_is_read_by_the_thread_of_the_form(void)
{
	struct table table;

	set_up(&table, true);
	type(&table, "oh<Space>");
	ASSERT(shows(&table, "source · active"));
	type(&table, "Gr");
	ASSERT(shows(&table, "thread-review would be told"));
	ASSERT(shows(&table, "source   thread-api"));
	ASSERT(shows(&table, "<ref thread=\"thread-api\">"));
	ASSERT(shows(&table, "type=\"plan\" path=\".leslie/threads/thread-api"));
	/* The conversation is not in it, and one ticked file is that file. */
	type(&table, "G<Space>");
	ASSERT(shows(&table, "[x]"));
	ASSERT_FALSE(shows(&table, "type=\"design\""));
	ASSERT_FALSE(has(&table, T "thread-review/context/inherited/plan.md"));
	type(&table, "<Enter>");
	ASSERT(shows(&table, "thread-review reads thread-api now (frozen, 1 file copied)"));
	ASSERT(has(&table, T "thread-review/context/inherited/plan.md"));
	tear_down(&table);
	PASS();
}

TEST a_circle_is_refused_while_one_chooses_and_nothing_changes(void)
{
	struct table table;

	set_up(&table, true);
	type(&table, "ohjjjj<Space>ggr");
	ASSERT(shows(&table, "thread-api cannot have it"));
	ASSERT(shows(&table, "Circular"));
	type(&table, "<Enter>");
	ASSERT(shows(&table, "thread-api cannot have it"));
	ASSERT_FALSE(has(&table, T "thread-api/context/inherited/plan.md"));
	type(&table, "<Esc>");
	ASSERT(shows(&table, "What thread-api is told now"));
	tear_down(&table);
	PASS();
}

TEST the_menu_does_what_its_row_says_to_the_thread_it_was_opened_on(void)
{
	struct table table;

	set_up(&table, true);
	type(&table, "ohjjjj.");
	ASSERT(shows(&table, "What can be done with this thread"));
	type(&table, "/suspend<Enter><Enter>");
	ASSERT(shows(&table, "thread-ui is suspended"));
	type(&table, ".");
	ASSERT(shows(&table, "ref… let it read"));
	type(&table, "j<Enter>");
	ASSERT(shows(&table, "reader   thread-ui"));
	tear_down(&table);
	PASS();
}

TEST what_has_no_way_back_is_done_by_y_alone(void)
{
	struct table table;

	set_up(&table, true);
	type(&table, "ohd");
	ASSERT(shows(&table, "y: thread-api is completed, for good"));
	type(&table, "<Enter>");
	ASSERT_FALSE(shows(&table, "completed"));
	type(&table, "<Esc>y");
	ASSERT_FALSE(shows(&table, "completed"));
	type(&table, "dy");
	ASSERT(shows(&table, "thread-api is completed"));
	type(&table, "s");
	ASSERT(shows(&table, "Invalid state transition from completed"));
	tear_down(&table);
	PASS();
}

TEST a_reference_ends_with_its_copies(void)
{
	struct table table;

	set_up(&table, true);
	type(&table, "ohjjjjjjx");
	ASSERT(shows(&table, "no longer reads thread-api"));
	ASSERT(has(&table, T "thread-ui/context/inherited/design/api.md"));
	type(&table, "y");
	ASSERT_FALSE(has(&table, T "thread-ui/context/inherited/design/api.md"));
	ASSERT_FALSE(shows(&table, "reads: frozen copies · design"));
	tear_down(&table);
	PASS();
}

TEST frozen_copies_are_made_anew_by_a_key(void)
{
	struct table table;

	set_up(&table, true);
	temp_write(&table.grove.temp, T "thread-api/design/new.md", LOOM_STR("new"));
	type(&table, "ohjjjj");
	ASSERT_FALSE(has(&table, T "thread-ui/context/inherited/design/new.md"));
	type(&table, "R");
	ASSERT(shows(&table, "thread-ui: 3 files copied anew"));
	ASSERT(has(&table, T "thread-ui/context/inherited/design/new.md"));
	tear_down(&table);
	PASS();
}

TEST the_first_thread_of_a_grove_is_made_here(void)
{
	struct table table;

	set_up(&table, false);
	type(&table, "oh");
	ASSERT(shows(&table, "no threads here: a makes one"));
	type(&table, "aTry<Space>it<Enter>");
	ASSERT(shows(&table, "a new thread: thread-"));
	ASSERT(shows(&table, "active · Try it"));
	tear_down(&table);
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	static const char *const keys[] = {"oh", "jjj", "w", "w", "Gr", "<Esc>", "."};
	struct table table;

	set_up(&table, true);
	for (size_t k = 0; k < LOOM_COUNT(keys); k++) {
		type(&table, keys[k]);
		for (int w = 1; w <= 300; w += w < 12 ? 1 : 36) {
			for (int h = 1; h <= 100; h += h < 14 ? 1 : 17) {
				const char *wrong = draw(&table, w, h);
				ASSERT_EQm(wrong, NULL, wrong);
				ASSERT(table.grid.cursor_shown || h < 3 || w < 3);
			}
		}
	}
	tear_down(&table);
	PASS();
}

TEST random_keys_do_no_harm(void)
{
	static const char keys[] = "jjkkhllrRsdxay.q wJK/ GGo\t\x1b\r";

	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct table table;
		struct prop prop;

		prop_init_seed(&prop, seed);
		set_up(&table, seed % 4 != 0);
		type(&table, "oh");
		for (int i = 0; i < 300; i++) {
			struct tui_event event = {.kind = TUI_EVENT_KEY};
			unsigned char c =
				(unsigned char)keys[prop_between(&prop, 0, sizeof keys - 2)];

			event.key.code = c == '\x1b' ? (uint32_t)TUI_KEY_ESC
					 : c == '\t' ? (uint32_t)TUI_KEY_TAB
					 : c == '\r' ? (uint32_t)TUI_KEY_ENTER
						     : c;
			tui_app_event(table.app, &event);
			if (i % 40 == 0)
				type(&table, "oh");
			if (i % 5 == 0) {
				const char *wrong = draw(&table, (int)prop_between(&prop, 1, 160),
							 (int)prop_between(&prop, 1, 50));
				ASSERT_EQm(wrong, NULL, wrong);
			}
		}
		tear_down(&table);
	}
	PASS();
}

SUITE(threads)
{
	RUN_TEST(threads_stand_below_their_objective_with_what_they_have_and_read);
	RUN_TEST(beside_a_thread_stands_what_it_is_told_and_beside_an_asset_its_text);
	RUN_TEST(a_file_that_an_agent_just_wrote_is_there_when_one_looks_again);
	RUN_TEST(a_marked_source_is_read_by_the_thread_of_the_form);
	RUN_TEST(a_circle_is_refused_while_one_chooses_and_nothing_changes);
	RUN_TEST(the_menu_does_what_its_row_says_to_the_thread_it_was_opened_on);
	RUN_TEST(what_has_no_way_back_is_done_by_y_alone);
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
