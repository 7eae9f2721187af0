/* The menu of a row, and the lists it is asked for in: every line it begins is one that the
 * language or the command line takes. */
#include "greatest.h"

#include <loom/language/parse.h>

#include "support/table.h"
#include <loom/desk/desk.h>
#include <loom/writing/command_line.h>
#include <loom/lists/list.h>
#include <loom/language/registry.h>

static void open_table(void)
{
	struct tui_app_opts opts = {.env = &table.grove.env, .program = "/proc/self/exe"};
	struct loom_err err;

	table_init(&table);
	opts.dir = loom_str_of(table.grove.temp.path);
	grove_must(tui_app_open(&table.app, &opts, &err), &err, "app");
}

static const char *line_of(const char *keys)
{
	size_t caret;

	table_type(&table, keys);
	loom_buf_clear(&table.text);
	loom_buf_add(&table.text, tui_prompt_typed(table.app, &caret));
	loom_buf_addf(&table.text, "^%zu", table.text.n - caret);
	table_type(&table, "<Esc>");
	return loom_buf_cstr(&table.text);
}

TEST a_line_has_the_node_where_its_notation_wants_it(void)
{
	open_table();
	ASSERT_STR_EQ("tree from:r001 ^0", line_of("./around<Enter><Enter>"));
	ASSERT_STR_EQ("switch to r001 ^0", line_of("./switch<Enter><Enter>"));
	ASSERT_STR_EQ("continue from r001 ^0", line_of("./continue<Enter><Enter>"));
	ASSERT_STR_EQ("search \"\" in:r001 ^10", line_of("./search<Enter><Enter>"));
	ASSERT_STR_EQ("stash \"\" content-of:r001 ^18", line_of("./stash<Enter><Enter>"));
	ASSERT_STR_EQ("annotate r001 \"\" ^2", line_of("./annotate<Enter><Enter>"));
	ASSERT_STR_EQ("bookmark r001 ^0", line_of("./bookmark<Enter><Enter>"));
	ASSERT_STR_EQ("link r001 to ^0", line_of("./document<Enter><Enter>"));
	ASSERT_STR_EQ("context --node r001 ^0", line_of("./exact<Enter><Enter>"));
	ASSERT_STR_EQ("split r001 after:\"\" ^2", line_of("./split<Enter><Enter>"));
	ASSERT_STR_EQ("join r001 ^0", line_of("./join<Enter><Enter>"));
	ASSERT_STR_EQ("move r001 to ^0", line_of("./move<Enter><Enter>"));
	ASSERT_STR_EQ("order r001 before:^0", line_of("./order<Enter><Enter>"));
	ASSERT_STR_EQ("verify r001 ^0", line_of("./verify<Enter><Enter>"));
	table_type(&table, "p");
	ASSERT_STR_EQ("drop pin:r001 ^0", line_of("./drop<Enter><Enter>"));
	PASS();
}

/* With a word in each text that is asked for, and a second node. */
static bool parses(struct loom_arena *arena, const char *begun)
{
	static const char *const two[] = {"link ", "unlink ", "diff ", "move ", "copy ", "order "};
	struct loom_buf line = LOOM_BUF_INIT(4096);
	struct loom_call call;
	struct loom_refusal refusal;
	bool taken;

	for (size_t i = 0; begun[i] && begun[i] != '^'; i++) {
		loom_buf_addc(&line, begun[i]);
		if (begun[i] == '"' && begun[i + 1] == '"')
			loom_buf_adds(&line, "word");
	}
	for (size_t i = 0; i < LOOM_COUNT(two); i++)
		if (loom_str_starts(loom_buf_str(&line), loom_str_of(two[i])))
			loom_buf_adds(&line, "a7x2");
	if (loom_str_starts(loom_buf_str(&line), LOOM_STR("list ")))
		loom_buf_adds(&line, "links");
	taken = loom_parse_line(arena, loom_arena_buf(arena, &line), &call, &refusal) == LOOM_OK;
	if (!taken)
		fprintf(stderr, "%s\n", loom_buf_cstr(&line));
	loom_buf_fini(&line);
	return taken;
}

TEST every_verb_of_a_menu_begins_a_line_that_is_one(void)
{
	struct loom_arena *arena = loom_arena_create();
	char keys[64];
	int tried = 0;

	open_table();
	for (int row = 0; row < 60; row++) {
		const struct tui_entry *entry;
		struct loom_str name;

		table_type(&table, ".");
		snprintf(keys, sizeof keys, "%dj", row);
		if (row)
			table_type(&table, keys);
		entry = tui_list_at(table.app->list);
		if (tui_list_index(table.app->list) != (size_t)row + 1)
			break;
		name = loom_arena_str(arena, entry->lead);
		if (loom_verb_find(name) == LOOM_VERB_NONE) {
			table_type(&table, "<Esc>");
			continue;
		}
		ASSERT(parses(arena, line_of("<Enter>")));
		tried++;
	}
	ASSERT(tried > 14);
	loom_arena_destroy(arena);
	PASS();
}

TEST the_row_of_a_list_has_a_menu_of_its_own(void)
{
	open_table();
	table_type(&table, "ot.");
	ASSERT(table_shows(&table, "tree \"tree\""));
	ASSERT_STR_EQ("tree set --tree \"tree\" ^0", line_of("/tree<Space>set<Enter><Enter>"));
	ASSERT_STR_EQ("export --tree=\"tree\" ^0", line_of("ot./export<Enter><Enter>"));
	table_type(&table, "ot.q");
	ASSERT(table_shows(&table, "1 of 1 trees"));
	table_type(&table, "qoaG.");
	ASSERT(table_shows(&table, "agent \""));
	ASSERT_FALSE(table_shows(&table, "Add an agent"));
	table_type(&table, "qqoo.");
	ASSERT(table_shows(&table, "operation"));
	ASSERT(table_shows(&table, "undo "));
	table_type(&table, "qqok.");
	ASSERT(table_shows(&table, "command"));
	PASS();
}

static bool offers(const char *name)
{
	for (size_t i = 0; table.app->list && i < tui_list_count(table.app->list); i++)
		if (loom_str_is(tui_list_entry(table.app->list, i)->lead, name))
			return true;
	return false;
}

/* Of pairs that undo each other, one applies. */
TEST a_menu_has_what_applies_to_its_row_and_nothing_else(void)
{
	static const struct {
		const char *keys; /* done first, and what takes it back */
		const char *back;
		const char *yes, *no;
	} rows[] = {
		{"b", ":unbookmark r001<Enter>", "unbookmark", NULL},
		{":tag r001 slow<Enter>", ":untag r001 slow<Enter>", "untag", NULL},
		{":exclude r001<Enter>", ":include r001<Enter>", "include", "exclude"},
		{"p", ":drop pin:r001<Enter>", "drop", "pin"},
		{":respond r001 \"A\"<Enter>x", "", "restore", "prune"},
	};

	open_table();
	table_type(&table, ".");
	ASSERT(offers("branch") && offers("copy-path") && offers("editor"));
	ASSERT_FALSE(offers("recall") || offers("keep-only") || offers("prune"));
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		ASSERT_FALSEm(rows[i].yes, offers(rows[i].yes));
		table_type(&table, "<Esc>");
		table_type(&table, rows[i].keys);
		table_type(&table, i + 1 == LOOM_COUNT(rows) ? "zpl." : ".");
		ASSERTm(rows[i].yes, offers(rows[i].yes));
		ASSERTm(rows[i].yes, !rows[i].no || !offers(rows[i].no));
		table_type(&table, "<Esc>");
		table_type(&table, rows[i].back);
		table_type(&table, ".");
	}
	PASS();
}

TEST the_menu_of_a_draft_is_about_the_draft(void)
{
	open_table();
	table_type(&table, "inot yet<Esc>gd.");
	ASSERT(table_shows(&table, "draft below node r001"));
	ASSERT(offers("commit") && offers("prune"));
	ASSERT_FALSE(offers("bookmark") || offers("tag"));
	table_type(&table, "/commit<Enter><Enter>");
	ASSERT(table_shows(&table, "not yet"));
	ASSERT_FALSE(table_shows(&table, "\xe2\x9c\x8e"));
	PASS();
}

TEST a_list_that_can_be_added_to_begins_the_line(void)
{
	open_table();
	ASSERT_STR_EQ("new \"\"^1", line_of("ota"));
	ASSERT_STR_EQ("agent add ^0", line_of("oaa"));
	table_type(&table, "q:write<Space>doc:\"notes\"<Space>append<Space>\"Fog.\"<Enter>od");
	ASSERT_STR_EQ("write doc:\"notes\" append \"\" ^2", line_of("./write<Enter><Enter>"));
	PASS();
}

TEST a_name_with_quotes_is_read_as_it_is(void)
{
	open_table();
	table_type(&table, ":new<Space>The<Space>\"old\"<Space>house<Enter>");
	ASSERT_STR_EQ("tree set --tree \"The \\\"old\\\" house\" ^0",
		      line_of("ot./tree<Space>set<Enter><Enter>"));
	table_type(&table, "otgg./current<Space>tree<Enter><Enter><Enter>");
	ASSERT(table_shows(&table, "The \"old\" house \xc2\xb7 dialogue"));
	PASS();
}

TEST y_copies_the_row_and_of_a_text_all_of_it(void)
{
	open_table();
	table_type(&table,
		   ":write<Space>doc:\"notes\"<Space>append<Space>\"Fog.<Space>Rain.\"<Enter>ody");
	ASSERT(table_shows(&table, "the row copied to the clipboard"));
	table_type(&table, "<Enter>y");
	ASSERT(table_shows(&table, "the text copied to the clipboard (10 bytes)"));
	PASS();
}

TEST a_long_message_is_read_to_its_end(void)
{
	open_table();
	table_type(&table, ":zzz<Enter>oe<Enter>");
	ASSERT(table_shows(&table, "said "));
	PASS();
}

/* The picture's rows in one line, a blank for whatever stands between two words. */
static const char *in_one_line(int w)
{
	char *to = NULL;

	table_draw(&table, w, 12);
	loom_buf_clear(&table.text);
	tui_grid_text(&table.grid, &table.text);
	loom_buf_cstr(&table.text);
	to = table.text.p;
	for (const char *p = table.text.p; *p; p++) {
		if (!strchr(" \n", *p))
			*to++ = *p;
		else if (to > table.text.p && to[-1] != ' ')
			*to++ = ' ';
	}
	*to = '\0';
	return table.text.p;
}

TEST no_letter_of_a_message_is_drawn_twice_where_it_is_broken(void)
{
	open_table();
	for (int w = 24; w < 60; w++) {
		tui_say(table.app, TUI_ROLE_ERROR,
			"Invalid state transition from archived using action cancel or suspend");
		ASSERT(strstr(in_one_line(w), "Invalid state transition from archived "
					      "using action cancel or suspend"));
	}
	PASS();
}

SUITE(menu)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_line_has_the_node_where_its_notation_wants_it);
	RUN_TEST(every_verb_of_a_menu_begins_a_line_that_is_one);
	RUN_TEST(the_row_of_a_list_has_a_menu_of_its_own);
	RUN_TEST(a_menu_has_what_applies_to_its_row_and_nothing_else);
	RUN_TEST(the_menu_of_a_draft_is_about_the_draft);
	RUN_TEST(a_list_that_can_be_added_to_begins_the_line);
	RUN_TEST(a_name_with_quotes_is_read_as_it_is);
	RUN_TEST(y_copies_the_row_and_of_a_text_all_of_it);
	RUN_TEST(a_long_message_is_read_to_its_end);
	RUN_TEST(no_letter_of_a_message_is_drawn_twice_where_it_is_broken);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(menu);
	GREATEST_MAIN_END();
}
