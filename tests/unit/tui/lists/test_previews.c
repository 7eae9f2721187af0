/* Beside the rows: each list shows what its row stands for, the room is shared as the person wants
 * it, and the mouse reaches what keys reach. */
#include <poll.h>

#include <greatest.h>

#include <loom/desk/desk.h>
#include <loom/lists/list.h>

#include "support/clock.h"
#include "support/table.h"

static void set_up(void)
{
	int64_t node;

	table_begin(&table, 140, 40);
	grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning.");
	node = grove_node(&table.grove, grove_root(&table.grove, 1), "A letter lay on the stairs.");
	grove_note(&table.grove, node, "Whose hand is it?");
	table_open(&table);
}

/* A search is answered by and by. */
static bool until_shows(const char *text)
{
	const int64_t until = clock_ms() + 10000;

	while (!table_shows(&table, text) && clock_ms() < until) {
		poll(NULL, 0, 10);
		tui_app_work(table.app, true);
	}
	return table_shows(&table, text);
}

static void press(int button, int x, int y)
{
	struct tui_event event = {.kind = TUI_EVENT_MOUSE,
				  .mouse = {.kind = TUI_MOUSE_PRESS, .button = button}};

	event.mouse.x = x;
	event.mouse.y = y;
	tui_app_event(table.app, &event);
	event.mouse.kind = TUI_MOUSE_RELEASE;
	tui_app_event(table.app, &event);
	tui_app_work(table.app, true);
}

static void drag(int x, int y, int to_x, int to_y)
{
	struct tui_event event = {.kind = TUI_EVENT_MOUSE,
				  .mouse = {.kind = TUI_MOUSE_PRESS, .x = x, .y = y}};

	tui_app_event(table.app, &event);
	event.mouse = (struct tui_mouse){.kind = TUI_MOUSE_DRAG, .x = to_x, .y = to_y};
	tui_app_event(table.app, &event);
	event.mouse.kind = TUI_MOUSE_RELEASE;
	tui_app_event(table.app, &event);
}

/* The row of the picture that holds the text; -1 for none. */
static int row_of(const char *text)
{
	const char *at =
		table_shows(&table, text) ? strstr(loom_buf_cstr(&table.text), text) : NULL;
	int row = 0;

	for (const char *c = table.text.p; at && c < at; c++)
		row += *c == '\n';
	return at ? row : -1;
}

TEST every_list_shows_what_its_row_stands_for(void)
{
	static const struct {
		const char *keys;
		const char *shows;
	} lists[] = {
		{"ot", "how it begins: [r001]"},
		{"lbob", "note by human: Whose hand is it?"},
		{"lboo", "bookmarked ["},
		{"oa", "A person of this grove."},
		{":write doc:\"plot\" append \"She lied to him.\"<Enter>odq od",
		 "She lied to him."},
		{"osletter<Enter>", "Whose hand is it?"},
		{"lboe", "bookmarked ["},
	};

	for (size_t i = 0; i < LOOM_COUNT(lists); i++) {
		for (int small = 0; small < 2; small++) {
			set_up();
			table_type(&table, lists[i].keys);
			table.w = small ? 80 : 140;
			table.h = small ? 20 : 40;
			ASSERTm(lists[i].keys, until_shows(lists[i].shows));
			table_fini(&table);
		}
	}
	PASS();
}

/* Looking at a text in passing is bounded: of a very long one only its size is told. */
TEST a_text_of_megabytes_is_not_read_in_passing(void)
{
	struct loom_buf text = LOOM_BUF_INIT(4 << 20);

	table_begin(&table, 140, 40);
	grove_tree(&table.grove, LOOM_DIALOGUE, "A beginning.");
	loom_buf_add_repeat(&text, 'x', 3 << 20);
	grove_node(&table.grove, grove_root(&table.grove, 1), loom_buf_cstr(&text));
	table_open(&table);
	table_type(&table, "lbob");
	ASSERT(table_shows(&table, "(a text of 3072 kB)"));
	loom_buf_fini(&text);
	PASS();
}

TEST a_hit_in_a_document_opens_it(void)
{
	set_up();
	table_type(&table, ":write doc:\"plot\" append \"She lied to him.\"<Enter>oslied<Enter>");
	ASSERT(until_shows("document"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "plot \xc2\xb7 version 1"));
	PASS();
}

TEST the_line_between_panes_is_moved_and_stays(void)
{
	int before, after;

	set_up();
	ASSERT(table_shows(&table, "A letter"));
	before = table.app->layout.down.x;
	table_type(&table, ">");
	ASSERT(table_shows(&table, "A letter"));
	after = table.app->layout.down.x;
	ASSERT_EQ(before + 4, after);
	table_type(&table, "3<lt>");
	ASSERT(table_shows(&table, "A letter"));
	ASSERT_EQ(after - 12, table.app->layout.down.x);
	drag(table.app->layout.down.x, 7, 61, 9);
	ASSERT(table_shows(&table, "A letter"));
	ASSERT_EQ(61, table.app->layout.down.x);
	tui_app_close(table.app);
	table_open(&table);
	ASSERT(table_shows(&table, "A letter"));
	ASSERT_EQ(61, table.app->layout.down.x);
	table_type(&table, "ot");
	ASSERT(table_shows(&table, "where you were"));
	before = tui_list_rule(table.app).x;
	table_type(&table, "<lt>");
	ASSERT(table_shows(&table, "where you were"));
	ASSERT_EQ(before - 4, tui_list_rule(table.app).x);
	PASS();
}

TEST hints_and_rows_are_reached_by_the_mouse(void)
{
	const struct tui_hint *hint = NULL;

	set_up();
	ASSERT(table_shows(&table, "? help"));
	for (size_t i = 0; i < table.app->hint_count; i++)
		if (table.app->hints[i].command == TUI_VERB_HELP)
			hint = &table.app->hints[i];
	ASSERT(hint);
	press(0, hint->rect.x, hint->rect.y);
	ASSERT(table_shows(&table, "Help"));
	table_type(&table, "q");
	press(TUI_MOUSE_RIGHT, 5, row_of("A letter lay"));
	ASSERT(table_shows(&table, "Actions"));
	table_type(&table, "qot");
	press(TUI_MOUSE_RIGHT, 3, row_of("dialogue"));
	ASSERT(table_shows(&table, "Actions"));
	PASS();
}

TEST space_steps_on(void)
{
	set_up();
	for (int i = 0; i < 3; i++)
		table_type(&table, "ggiOnce more.<Enter>");
	table_type(&table, "gg2<Space>");
	ASSERT(table_shows(&table, "2 picked"));
	table_type(&table, "<Space>");
	ASSERT(table_shows(&table, "3 picked"));
	PASS();
}

SUITE(previews)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(every_list_shows_what_its_row_stands_for);
	RUN_TEST(a_text_of_megabytes_is_not_read_in_passing);
	RUN_TEST(a_hit_in_a_document_opens_it);
	RUN_TEST(the_line_between_panes_is_moved_and_stays);
	RUN_TEST(hints_and_rows_are_reached_by_the_mouse);
	RUN_TEST(space_steps_on);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(previews);
	GREATEST_MAIN_END();
}
