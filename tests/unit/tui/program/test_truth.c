/* What the screen says is so: what is saved, how texts ended, what was said of a node, and that a
 * message gives its place back. */
#include <poll.h>

#include <greatest.h>

#include <loom/desk/desk.h>
#include <loom/providers/generate.h>
#include <loom/tree/mark.h>

#include "support/clock.h"
#include "support/table.h"

static void tag(int64_t node, const char *name)
{
	struct loom_err err;
	bool changed = false;

	grove_begin(&table.grove, "tag");
	grove_must(loom_tag_set(table.grove.store, node, loom_str_of(name), true, &changed, &err),
		   &err, "tag");
	grove_commit(&table.grove);
}

/* A text by the model, with a record that ends so. */
static int64_t written(int64_t from, const char *finish)
{
	const struct loom_str record =
		loom_arena_format(table.grove.arena, "{\"finish\":\"%s\",\"logprobs\":[]}", finish);
	const struct loom_node above = grove_get(&table.grove, from);
	const struct loom_node_spec spec = {.tree = above.tree,
					    .from = from,
					    .text = LOOM_STR_INIT("It was the smell: dust, and"),
					    .author = table.grove.model,
					    .seq = -1,
					    .generation = record};
	struct loom_err err;
	int64_t node = 0;

	grove_begin(&table.grove, "continue");
	grove_must(loom_node_create(table.grove.store, &spec, &node, &err), &err, "create");
	grove_commit(&table.grove);
	return node;
}

/* Every way in which a model can end has its sign in the tree and its word above the text. */
TEST a_text_tells_how_it_ended(int way)
{
	static const struct {
		const char *row;
		const char *head;
	} signs[] = {
		[LOOM_FINISH_STOP] = {"", ""},
		[LOOM_FINISH_STOP_TEXT] = {"", ""},
		[LOOM_FINISH_LENGTH] = {" \xc2\xbb", " \xc2\xb7 cut"},
		[LOOM_FINISH_FILTER] = {" broke off", " \xc2\xb7 broke off"},
		[LOOM_FINISH_CANCELLED] = {" stopped", " \xc2\xb7 stopped"},
		[LOOM_FINISH_ERROR] = {" broke off", " \xc2\xb7 broke off"},
	};
	const char *all[] = {"cut", "stopped", "broke off"};

	table_init(&table);
	written(grove_root(&table.grove, 1), loom_finish_name((enum loom_finish)way));
	table_open(&table);
	table_type(&table, "l");
	ASSERT(table_shows(&table, signs[way].row));
	ASSERT(table_shows(&table, signs[way].head));
	for (size_t i = 0; i < LOOM_COUNT(all) && !signs[way].row[0]; i++)
		ASSERT_FALSE(table_shows(&table, all[i]));
	PASS();
}

TEST a_text_whose_process_died_tells_that_it_broke_off(void)
{
	table_init(&table);
	written(grove_root(&table.grove, 1), "partial");
	table_open(&table);
	table_type(&table, "l");
	ASSERT(table_shows(&table, "broke off"));
	PASS();
}

TEST what_was_said_of_a_node_stands_in_its_row(void)
{
	int64_t node;

	table_init(&table);
	node = grove_node(&table.grove, grove_root(&table.grove, 1), "A letter.");
	grove_note(&table.grove, node, "Whose?");
	tag(node, "motive");
	tag(node, LOOM_TAG_GOOD);
	node = grove_node(&table.grove, grove_root(&table.grove, 1), "A dog.");
	tag(node, LOOM_TAG_BAD);
	tag(node, "a name much longer than there is room for in any row of a tree, however wide");
	table_open(&table);
	ASSERT(table_shows(&table, "A letter."));
	for (table.w = 60; table.w <= 150; table.w += 30) {
		ASSERT(table_shows(&table, " 1 note #motive good"));
		ASSERT(table_shows(&table, " #\xe2\x80\xa6 bad"));
		ASSERT_FALSE(table_shows(&table, "rated:"));
	}
	PASS();
}

TEST every_width_tells_whether_all_is_saved(void)
{
	table_init(&table);
	table_open(&table);
	for (table.w = 24; table.w < 200; table.w += 11)
		ASSERT(table_shows(&table, "saved"));
	PASS();
}

/* Not saved means not on disk yet, and nothing else says so. */
TEST typed_text_is_saved_once_it_is_on_disk(void)
{
	struct tui_event event = {.kind = TUI_EVENT_KEY, .key = {.code = 'x'}};
	const int64_t until = clock_ms() + 10000;

	table_init(&table);
	table_open(&table);
	table_type(&table, "i");
	ASSERT(table_shows(&table, "saved"));
	tui_app_event(table.app, &event);
	ASSERT(table_shows(&table, "saving"));
	while (table_shows(&table, "saving") && clock_ms() < until) {
		poll(NULL, 0, 20);
		tui_app_work(table.app, true);
	}
	ASSERT(table_shows(&table, "saved"));
	PASS();
}

TEST a_message_gives_its_place_back(void)
{
	const int64_t until = clock_ms() + 20000;

	table_init(&table);
	table.w = 60;
	table_open(&table);
	table_type(&table, "gb");
	ASSERT(table.app->message.text[0]);
	ASSERT(table_shows(&table, table.app->message.text));
	while (table.app->message.text[0] && clock_ms() < until) {
		poll(NULL, 0, 50);
		tui_app_work(table.app, true);
	}
	ASSERT_EQ(0, table.app->message.text[0]);
	ASSERT(table_shows(&table, "? help"));
	PASS();
}

/* A question waits for its answer. */
TEST a_question_stays(void)
{
	const int64_t until = clock_ms() + 4500;

	table_init(&table);
	table_open(&table);
	table_type(&table, "inot yet<Esc>gdx");
	ASSERT(table_shows(&table, "y/n"));
	while (table_shows(&table, "y/n") && clock_ms() < until) {
		poll(NULL, 0, 100);
		tui_app_work(table.app, true);
	}
	ASSERT(table_shows(&table, "y/n"));
	PASS();
}

/* In a dialogue and in prose, across the end of a row, and what is no emphasis stays as it is. */
TEST markdown_is_shown_as_what_it_means(int mode)
{
	table_begin(&table, 60, 24);
	grove_tree(&table.grove, mode ? LOOM_BUFFER : LOOM_DIALOGUE,
		   "A **bold claim that goes on and on and over the end of its row, surely** and "
		   "*so*, 2*3*4, `code`, a * star.\n\n* a bullet, **open");
	table_open(&table);
	ASSERT(table_shows(&table, "A bold claim that goes"));
	ASSERT(table_shows(&table, "surely and so, 2*3*4, code, a * star."));
	ASSERT(table_shows(&table, "* a bullet, **open"));
	/* The caret stands where the letter stands. */
	table_type(&table, "w<Tab>gg/and so<Enter>");
	ASSERT(table_shows(&table, "surely and so"));
	table_fini(&table);
	PASS();
}

SUITE(truth)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TESTp(markdown_is_shown_as_what_it_means, 0);
	RUN_TESTp(markdown_is_shown_as_what_it_means, 1);
	for (int way = 0; way <= LOOM_FINISH_ERROR; way++)
		RUN_TESTp(a_text_tells_how_it_ended, way);
	RUN_TEST(a_text_whose_process_died_tells_that_it_broke_off);
	RUN_TEST(what_was_said_of_a_node_stands_in_its_row);
	RUN_TEST(every_width_tells_whether_all_is_saved);
	RUN_TEST(typed_text_is_saved_once_it_is_on_disk);
	RUN_TEST(a_message_gives_its_place_back);
	RUN_TEST(a_question_stays);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(truth);
	GREATEST_MAIN_END();
}
