/* What is typed behind the colon about trees: made, left, found again by what they are called. */
#include <loom/cli/services.h>
#include <loom/tree/tree.h>
#include <loom/writing/complete.h>

#include "greatest.h"

#include "support/table.h"

static void set_up(void)
{
	table_init(&table);
	table_open(&table);
}

TEST a_new_tree_has_a_title_and_a_mode_in_any_order_of_saying_less(void)
{
	set_up();
	table_type(&table, ":new<Enter>");
	ASSERT(table_shows(&table, "untitled \xc2\xb7 dialogue"));
	table_type(&table, ":new<Space>buffer<Enter>");
	ASSERT(table_shows(&table, "untitled 2 \xc2\xb7 buffer"));
	table_type(&table, ":new<Space>\"A<Space>tale\"<Space>dialogue<Enter>");
	ASSERT(table_shows(&table, "A tale \xc2\xb7 dialogue"));
	table_type(&table, ":new<Space>\"buffer\"<Enter>");
	ASSERT(table_shows(&table, "buffer \xc2\xb7 dialogue"));
	table_type(&table, ":new<Space>ringbuffer<Enter>");
	ASSERT(table_shows(&table, "ringbuffer \xc2\xb7 dialogue"));
	PASS();
}

TEST use_without_a_name_shows_the_trees(void)
{
	set_up();
	table_type(&table, ":use<Enter>");
	ASSERT(table_shows(&table, "1 of 1 tree"));
	PASS();
}

TEST names_are_completed_without_their_quote_and_twins_by_their_ids(void)
{
	set_up();
	table_type(&table, ":new<Space>Hall<Enter>:new<Space>Twin<Enter>:new<Space>Twin<Enter>");
	table_type(&table, ":use<Space>hal<Tab>");
	ASSERT(table_shows(&table, ":use \"Hall\""));
	table_type(&table, "<Esc>:use<Space>Twin<Enter>");
	ASSERT(table_shows(&table, "several trees are called"));
	table_type(&table, ":use<Space>\"Tw<Tab>");
	ASSERT_FALSE(table_shows(&table, ":use \"Twin\""));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "Twin \xc2\xb7 dialogue"));
	ASSERT_FALSE(table_shows(&table, "several trees"));
	PASS();
}

TEST the_mouse_is_on_or_off_and_nothing_else(void)
{
	set_up();
	table_type(&table, ":mouse<Space>of<Enter>");
	ASSERT(table_shows(&table, "on or off, not \"of\""));
	table_type(&table, ":mouse<Space>off<Enter>");
	ASSERT(table_shows(&table, "the terminal uses the mouse"));
	PASS();
}

TEST theme_without_a_name_says_which_there_are(void)
{
	set_up();
	table_type(&table, ":theme<Space>dark<Enter>:theme<Enter>");
	ASSERT(table_shows(&table, "dark (now)"));
	ASSERT(table_shows(&table, "colourblind"));
	PASS();
}

static void sit_down_again(void)
{
	tui_app_close(table.app);
	table_open(&table);
}

TEST a_line_that_is_half_typed_is_there_in_the_next_sitting(void)
{
	set_up();
	table_type(&table, ":annotate<Space>r001<Space>\"hlf<Left><Left>");
	sit_down_again();
	ASSERT(table_shows(&table, ":annotate r001 \"hlf"));
	table_type(&table, "a");
	ASSERT(table_shows(&table, ":annotate r001 \"half"));
	table_type(&table, "<Esc>");
	sit_down_again();
	ASSERT_FALSE(table_shows(&table, ":annotate"));
	PASS();
}

TEST the_memory_pane_is_open_again_and_has_not_the_focus(void)
{
	set_up();
	table_type(&table, "iOne<Enter>om");
	ASSERT(table_shows(&table, "Your memory"));
	sit_down_again();
	ASSERT(table_shows(&table, "Your memory"));
	table_type(&table, "h");
	ASSERT(table_shows(&table, "Your memory"));
	ASSERT_FALSE(table_shows(&table, "r001 \xe2\x86\x92 "));
	table_type(&table, "omq");
	sit_down_again();
	ASSERT_FALSE(table_shows(&table, "Your memory"));
	PASS();
}

/* The line of the screen and the line of the shell are the same line. */
TEST a_tree_is_made_with_the_words_of_the_shell(void)
{
	set_up();
	table_type(&table, ":new \"A tale\" --mode buffer<Enter>");
	ASSERT(table_shows(&table, "A tale \xc2\xb7 buffer"));
	table_type(&table, ":new --mode=buffer --title \"Another tale\"<Enter>");
	ASSERT(table_shows(&table, "Another tale \xc2\xb7 buffer"));
	table_type(&table, ":new --mode dialogue Talk<Enter>");
	ASSERT(table_shows(&table, "Talk \xc2\xb7 dialogue"));
	PASS();
}

TEST a_word_needs_no_quotes_where_a_text_is_expected(void)
{
	set_up();
	table_type(&table, ":tag r001 slow<Enter>");
	ASSERT(table_shows(&table, "#slow"));
	table_type(&table, ":annotate r001 why?<Enter>");
	ASSERT(table_shows(&table, "annotation [ann-1] added to [r001]"));
	PASS();
}

TEST help_shows_the_forms_of_commands_and_verbs(void)
{
	set_up();
	table_type(&table, ":help export<Enter>");
	ASSERT(table_shows(&table, "loom export [--format F]"));
	ASSERT(table_shows(&table, "Write a tree, a path or the grove to a file"));
	table_type(&table, "q:help bookmark<Enter>");
	ASSERT(table_shows(&table, "bookmark ID [\"LABEL\"]"));
	table_type(&table, "q:help agent set<Enter>");
	ASSERT(table_shows(&table, "loom agent set [--permissions P]"));
	table_type(&table, "q:help xyzzy<Enter>");
	ASSERT(table_shows(&table, "nothing is called \"xyzzy\""));
	PASS();
}

TEST options_and_their_values_are_completed(void)
{
	set_up();
	table_type(&table, ":export --fo<Tab>m");
	ASSERT(table_shows(&table, "md-branches"));
	table_type(&table, "<Tab>");
	ASSERT(table_shows(&table, ":export --format md"));
	table_type(&table, " --");
	ASSERT_FALSE(table_shows(&table, " --format  "));
	table_type(&table, "path <Tab>");
	ASSERT(table_shows(&table, "--path r001"));
	table_type(&table, " --");
	ASSERT_FALSE(table_shows(&table, " --grove  "));
	table_type(&table, "<C-u>new \"T\" --mode <Tab>");
	ASSERT(table_shows(&table, ":new \"T\" --mode dialogue"));
	table_type(&table, "<C-u>help exp<Tab>");
	ASSERT(table_shows(&table, ":help export"));
	PASS();
}

/* No option is offered that the command does not know, nor twice, nor beside one that excludes it.
 */
TEST what_is_completed_can_follow(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf line = LOOM_BUF_INIT(4096);
	size_t tried = 0;

	set_up();
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);
		const struct cli_spec spec = cli_spec_of(arena, command);
		struct tui_completions ways;

		loom_buf_clear(&line);
		loom_buf_addf(&line, "%s ", command->name);
		for (size_t step = 0; step < 12; step++) {
			const struct cli_item *item;
			size_t at = line.n;

			loom_buf_adds(&line, "--");
			tui_complete(table.app, loom_buf_str(&line), line.n, arena, &ways);
			if (!ways.count)
				break;
			for (size_t k = 0; k < ways.count; k++) {
				const struct loom_str name = loom_str_trim(ways.items[k].text);

				item = cli_spec_find(&spec, name);
				ASSERTm(command->name, item);
				ASSERTm(command->name,
					item->repeats ||
						loom_str_find(loom_str_sub(loom_buf_str(&line), 0,
									   at),
							      ways.items[k].text, 0) == SIZE_MAX);
				tried++;
			}
			item = cli_spec_find(&spec, loom_str_trim(ways.items[0].text));
			line.n = at;
			loom_buf_addf(&line, "%.*s ", LOOM_STR_ARG(item->name));
			if (item->kind == CLI_OPTION && !item->lean)
				loom_buf_adds(&line, "1 ");
			if (item->repeats)
				break;
		}
	}
	ASSERT(tried > 200);
	loom_buf_fini(&line);
	loom_arena_destroy(arena);
	PASS();
}

TEST a_theme_is_shown_while_its_name_is_typed(void)
{
	set_up();
	table_type(&table, ":theme oce<Tab>");
	ASSERT_STR_EQ("ocean", table.app->theme.name);
	table_type(&table, "<Tab><Esc>");
	ASSERT_STR_EQ("default", table.app->theme.name);
	table_type(&table, ":theme paper");
	ASSERT_STR_EQ("paper", table.app->theme.name);
	table_type(&table, "<Enter>");
	ASSERT_STR_EQ("paper", table.app->theme.name);
	table_type(&table, ":theme amber<Esc>");
	ASSERT_STR_EQ("paper", table.app->theme.name);
	sit_down_again();
	ASSERT_STR_EQ("paper", table.app->theme.name);
	PASS();
}

static void reply(const char *text)
{
	const struct tui_event event = {.kind = TUI_EVENT_REPLY, .text = loom_str_of(text)};

	tui_app_event(table.app, &event);
}

/* It is remembered, so that the next first frame needs no second one, and what a person says holds.
 */
TEST the_ground_of_the_terminal_is_remembered(void)
{
	set_up();
	ASSERT_EQ(TUI_BACKGROUND_TERMINAL, table.app->ground);
	reply("11;rgb:0000/0000/0000");
	ASSERT_EQ(TUI_BACKGROUND_DARK, table.app->ground);
	reply("2;3R");
	sit_down_again();
	ASSERT_EQ(TUI_BACKGROUND_DARK, table.app->ground);
	table_type(&table, ":ground light<Enter>");
	reply("11;rgb:0000/0000/0000");
	ASSERT_EQ(TUI_BACKGROUND_LIGHT, table.app->ground);
	sit_down_again();
	reply("11;rgb:0000/0000/0000");
	ASSERT_EQ(TUI_BACKGROUND_LIGHT, table.app->ground);
	table_type(&table, ":ground auto<Enter>");
	reply("11;rgb:ffff/ffff/ffff");
	ASSERT_EQ(TUI_BACKGROUND_LIGHT, table.app->ground);
	reply("11;rgb:0000/0000/0000");
	ASSERT_EQ(TUI_BACKGROUND_DARK, table.app->ground);
	table_type(&table, ":ground blue<Enter>");
	ASSERT(table_shows(&table, "not \"blue\""));
	PASS();
}

/* Hands are faster than the time that tells Esc from Alt. */
TEST esc_and_a_key_at_once_are_esc_and_that_key(void)
{
	set_up();
	table_type(&table, "iA text<M-:>");
	ASSERT(table_shows(&table, "\xe2\x9c\x8e"));
	ASSERT(table_shows(&table, "view "));
	table_type(&table, "use Hall<M-o>t");
	ASSERT(table_shows(&table, "1 of 1 tree"));
	table_type(&table, "<M-?>");
	ASSERT(table_shows(&table, "Key \xc2\xb7 action"));
	table_type(&table, "<Esc><Esc>:one two<M-b>");
	ASSERT(table_shows(&table, ":one two"));
	PASS();
}

SUITE(colon)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_line_that_is_half_typed_is_there_in_the_next_sitting);
	RUN_TEST(the_memory_pane_is_open_again_and_has_not_the_focus);
	RUN_TEST(theme_without_a_name_says_which_there_are);
	RUN_TEST(a_new_tree_has_a_title_and_a_mode_in_any_order_of_saying_less);
	RUN_TEST(use_without_a_name_shows_the_trees);
	RUN_TEST(names_are_completed_without_their_quote_and_twins_by_their_ids);
	RUN_TEST(the_mouse_is_on_or_off_and_nothing_else);
	RUN_TEST(a_tree_is_made_with_the_words_of_the_shell);
	RUN_TEST(a_word_needs_no_quotes_where_a_text_is_expected);
	RUN_TEST(help_shows_the_forms_of_commands_and_verbs);
	RUN_TEST(options_and_their_values_are_completed);
	RUN_TEST(what_is_completed_can_follow);
	RUN_TEST(esc_and_a_key_at_once_are_esc_and_that_key);
	RUN_TEST(a_theme_is_shown_while_its_name_is_typed);
	RUN_TEST(the_ground_of_the_terminal_is_remembered);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(colon);
	GREATEST_MAIN_END();
}
