/* Prose read with a caret: the node under it is the one whose versions and siblings are chosen, and
 * what is read stays in its place whoever changes what stands above. */
#include <greatest.h>

#include "support/table.h"

static struct loom_err err;

static struct {
	int64_t tree, first, second, other, last;
} prose;

static int64_t add(struct grove *grove, int64_t from, const char *text)
{
	struct loom_node_spec spec = {.from = from,
				      .text = loom_str_of(text),
				      .author = grove->model,
				      .seq = -1};
	int64_t node = 0;

	grove_begin_by(grove, grove->model, "respond");
	grove_must(loom_node_create(grove->store, &spec, &node, &err), &err, "node");
	grove_commit(grove);
	return node;
}

static void edit(struct grove *grove, int64_t from, const char *text)
{
	struct loom_node_spec spec = {.from = from,
				      .text = loom_str_of(text),
				      .author = grove->model,
				      .seq = -1};
	int64_t node = 0;

	grove_begin_by(grove, grove->model, "edit");
	grove_must(loom_node_edit(grove->store, &spec, LOOM_EDIT_BY_MODE, &node, &err), &err,
		   "edit");
	grove_commit(grove);
}

/* A first line; below it a second one and another instead of it; sixty lines; the end. */
static void set_up(void)
{
	struct grove *grove = &table.grove;
	struct loom_buf lines = LOOM_BUF_INIT(1 << 16);

	table_begin(&table, 100, 30);
	prose.tree = grove_tree(grove, LOOM_BUFFER, "The root.\n");
	prose.first = add(grove, grove_root(grove, prose.tree), "Teh first.\n");
	edit(grove, prose.first, "The first.\n");
	prose.second = add(grove, prose.first, "A second.\n");
	prose.other = add(grove, prose.first, "Another.\n");
	for (int i = 1; i <= 60; i++)
		loom_buf_addf(&lines, "Line %d of it.\n", i);
	prose.last = add(grove, prose.second, loom_buf_cstr(&lines));
	loom_buf_fini(&lines);
	table_open(&table);
}

/* On which row of the screen a text stands, or -1. */
static int row_of(const char *text)
{
	struct loom_buf picture = LOOM_BUF_INIT(1 << 20);
	struct loom_str rest;
	struct loom_str line;
	int found = -1;

	table_draw(&table, 100, 30);
	tui_grid_text(&table.grid, &picture);
	rest = loom_buf_str(&picture);
	for (int y = 0; found < 0 && loom_str_line(&rest, &line); y++)
		if (loom_str_find(line, loom_str_of(text), 0) != SIZE_MAX)
			found = y;
	loom_buf_fini(&picture);
	return found;
}

TEST the_version_under_the_caret_is_chosen_and_the_place_stays(void)
{
	set_up();
	ASSERT(table_shows(&table, "The root."));
	table_type(&table, "ll");
	ASSERT(table_shows(&table, "A second."));
	table_type(&table, "<Tab>k");
	/* Nobody changes what another reads: as it was written, and a mark that there is more. */
	ASSERT_FALSE(table_shows(&table, "The first."));
	ASSERT(table_shows(&table, "v1/2+"));
	table_type(&table, "v");
	ASSERT_FALSE(table_shows(&table, "Teh first."));
	ASSERT(table_shows(&table, "The first."));
	ASSERT(table_shows(&table, "v2/2"));
	ASSERT(table_shows(&table, "A second."));
	table_type(&table, "v");
	ASSERT(table_shows(&table, "no newer version"));
	table_type(&table, "V");
	ASSERT(table_shows(&table, "Teh first."));
	PASS();
}

TEST the_sibling_of_the_node_under_the_caret_comes_in_its_place(void)
{
	set_up();
	ASSERT(table_shows(&table, "The root."));
	table_type(&table, "lll");
	ASSERT(table_shows(&table, "Line 1 of it."));
	table_type(&table, "<Tab>k");
	ASSERT(table_shows(&table, " 1 of 2"));
	ASSERT(table_shows(&table, "A second."));
	table_type(&table, "]");
	ASSERT(table_shows(&table, "2 of 2"));
	ASSERT_FALSE(table_shows(&table, "Line 1 of it.\n"));
	table_type(&table, "[");
	ASSERT(table_shows(&table, "1 of 2"));
	PASS();
}

TEST a_version_that_somebody_makes_moves_no_line_that_is_read(void)
{
	int row;

	set_up();
	ASSERT(table_shows(&table, "The root."));
	table_type(&table, "lll<Tab>");
	ASSERT(table_shows(&table, "Line 1 of it."));
	table_type(&table, "40j");
	row = row_of("Line 40 of it.");
	ASSERT(row > 0);
	edit(&table.grove, prose.first, "It is the very first.\nOf three.\nReally.\n");
	table_type(&table, "zz");
	ASSERT_EQ(row, row_of("Line 40 of it."));
	PASS();
}

/* Also when nothing was ever done in the tree before. */
TEST ones_own_edit_is_what_one_reads_on(void)
{
	set_up();
	ASSERT(table_shows(&table, "The root."));
	table_type(&table, "leMy <Esc>");
	ASSERT(table_shows(&table, "My Teh first."));
	ASSERT(table_shows(&table, "v3/3"));
	table_type(&table, "l");
	ASSERT(table_shows(&table, "A second."));
	table_type(&table, "l<Tab>kk");
	ASSERT(table_shows(&table, " v3/3"));
	PASS();
}

/* The very text one reads becomes another one. */
TEST a_version_of_what_is_read_keeps_the_line(void)
{
	struct loom_buf lines = LOOM_BUF_INIT(1 << 16);
	int row;

	set_up();
	ASSERT(table_shows(&table, "The root."));
	table_type(&table, "lll<Tab>");
	ASSERT(table_shows(&table, "Line 1 of it."));
	table_type(&table, "40j");
	row = row_of("Line 40 of it.");
	ASSERT(row > 0);
	loom_buf_adds(&lines, "A line put above.\nAnd one more.\n");
	for (int i = 1; i <= 60; i++)
		loom_buf_addf(&lines, "Line %d of it.\n", i);
	edit(&table.grove, prose.last, loom_buf_cstr(&lines));
	table_type(&table, "zz");
	ASSERT_EQ(row, row_of("Line 40 of it."));
	loom_buf_fini(&lines);
	PASS();
}

/* Its line may begin with what stands before it. */
TEST the_caret_begins_in_the_node_one_stands_on(void)
{
	int64_t half;

	set_up();
	half = add(&table.grove, prose.other, "Half a line, ");
	add(&table.grove, half, "and one end of it.");
	add(&table.grove, half, "and its other end.");
	table_type(&table, "ll]lll<Tab>");
	ASSERT(table_shows(&table, "and one end"));
	ASSERT_FALSE(table_shows(&table, " \xc2\xb7 in "));
	table_type(&table, "]");
	ASSERT(table_shows(&table, "and its other end"));
	PASS();
}

/* Typed ahead, or played as a macro: no picture comes between the keys. */
TEST the_caret_goes_where_keys_say_before_any_picture(void)
{
	set_up();
	ASSERT(table_shows(&table, "The root."));
	table_type(&table, "lll<Tab>((");
	ASSERT(table_shows(&table, " \xc2\xb7 in "));
	PASS();
}

static void add_lines(struct loom_buf *text, int from, int to)
{
	for (int i = from; i < to; i++)
		loom_buf_addf(text, "Line %d of it.\n", i);
}

/* On which line of the picture it stands, -1: on none. */
static int row_with(const char *what)
{
	const char *at;
	int row = 0;

	if (!table_shows(&table, what))
		return -1;
	at = strstr(loom_buf_cstr(&table.text), what);
	for (const char *p = loom_buf_cstr(&table.text); p < at; p++)
		row += *p == '\n';
	return row;
}

/* The row in which it stands before it is edited and while it is; 0: it moved. */
static int edit_line_35(void)
{
	int row;

	row_with("Line 0");
	table_type(&table, "<Tab>40j5k");
	row = row_with("Line 35 ");
	table_type(&table, "e");
	return row > 0 && row == row_with("Line 35 ") ? row : 0;
}

/* Longer than the screen: what is written stays where it was read, and so does what is kept. */
TEST a_long_text_is_edited_in_its_place(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	int row;

	add_lines(&text, 0, 300);
	table_begin(&table, 100, 30);
	grove_tree(&table.grove, LOOM_BUFFER, loom_buf_cstr(&text));
	loom_buf_fini(&text);
	table_open(&table);
	row = edit_line_35();
	ASSERT(row > 0);
	table_type(&table, "New: ");
	ASSERT_EQ(row, row_with("New: Line 35 "));
	table_type(&table, "<Esc>");
	ASSERT_EQ(row, row_with("New: Line 35 "));
	table_type(&table, "jeAnd <Esc>");
	ASSERT_EQ(row + 1, row_with("And Line 36 "));
	table_type(&table, "uu");
	ASSERT_EQ(row, row_with("Line 35 "));
	table_type(&table, "20jeX<C-_><Esc>");
	ASSERT(row_with("Line 55 ") > 0);
	PASS();
}

/* A message is another branch when it is edited; the same place is looked at until then, and when
 * nothing was changed. */
TEST a_long_message_is_edited_in_its_place(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	int64_t root;
	int row;

	add_lines(&text, 0, 300);
	table_begin(&table, 100, 30);
	root = grove_root(&table.grove, grove_tree(&table.grove, LOOM_DIALOGUE, "What is it?"));
	grove_node(&table.grove, root, loom_buf_cstr(&text));
	loom_buf_fini(&text);
	table_open(&table);
	table_type(&table, "l");
	row = edit_line_35();
	ASSERT(row > 0);
	table_type(&table, "X");
	ASSERT_EQ(row, row_with("Line 35 "));
	table_type(&table, "<C-_><Esc>");
	ASSERT_EQ(row, row_with("Line 35 "));
	PASS();
}

SUITE(choosers)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_long_text_is_edited_in_its_place);
	RUN_TEST(a_long_message_is_edited_in_its_place);
	RUN_TEST(the_caret_goes_where_keys_say_before_any_picture);
	RUN_TEST(the_caret_begins_in_the_node_one_stands_on);
	RUN_TEST(the_version_under_the_caret_is_chosen_and_the_place_stays);
	RUN_TEST(the_sibling_of_the_node_under_the_caret_comes_in_its_place);
	RUN_TEST(a_version_that_somebody_makes_moves_no_line_that_is_read);
	RUN_TEST(ones_own_edit_is_what_one_reads_on);
	RUN_TEST(a_version_of_what_is_read_keeps_the_line);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(choosers);
	GREATEST_MAIN_END();
}
