/* Tokens read from records, and the lens in the program. */
#include <greatest.h>

#include "support/table.h"
#include <loom/parts/lens.h>

static struct loom_arena *arena;

static struct tui_lens read_lens(const char *record, const char *text)
{
	struct tui_lens lens;

	tui_lens_read(loom_str_of(record), loom_str_of(text), arena, &lens);
	return lens;
}

TEST tokens_cover_the_text_they_spell(void)
{
	struct tui_lens lens =
		read_lens("{\"logprobs\":[[\"She\",0,[]],[\" ran\",-0.693147,[[\" ran\",-0.693147],"
			  "[\" sat\",-1.2]]]]}",
			  "She ran");

	ASSERT_EQ(2u, lens.count);
	ASSERT_EQ(3u, lens.items[1].from);
	ASSERT_EQ(7u, lens.items[1].to);
	ASSERT_IN_RANGE(0.5, lens.items[1].chance, 0.001);
	ASSERT_EQ(2u, lens.items[1].other_count);
	ASSERT_EQ(&lens.items[0], tui_lens_at(&lens, 2));
	ASSERT_EQ(&lens.items[1], tui_lens_at(&lens, 3));
	ASSERT_EQ(NULL, tui_lens_at(&lens, 7));
	PASS();
}

/* As a file of another program has it that says nothing of some tokens. */
TEST a_token_of_unknown_chance_is_passed_over(void)
{
	struct tui_lens lens =
		read_lens("{\"logprobs\":[[\"She\",null,[]],[\" ran\",-1,[]]]}", "She ran");

	ASSERT_EQ(1u, lens.count);
	ASSERT_EQ(3u, lens.items[0].from);
	ASSERT_EQ(NULL, tui_lens_at(&lens, 1));
	ASSERT_EQ(&lens.items[0], tui_lens_at(&lens, 4));
	PASS();
}

TEST alternatives_stand_with_the_most_likely_first(void)
{
	struct tui_lens lens =
		read_lens("{\"logprobs\":[[\"b\",-2,[[\"b\",-2],[\"c\",-3],[\"a\",-1]]]]}", "b");

	ASSERT_EQ(1u, lens.count);
	ASSERT(loom_str_is(lens.items[0].others[0].text, "a"));
	ASSERT(loom_str_is(lens.items[0].others[2].text, "c"));
	PASS();
}

TEST a_character_may_be_several_tokens(void)
{
	struct tui_lens lens = read_lens("{\"logprobs\":[[\"\\ufffd\",-1,[],\"e6bc\"],"
					 "[\"\\ufffd\",-1,[],\"a2\"],[\"!\",-1,[]]]}",
					 "\xe6\xbc\xa2!");

	ASSERT_EQ(3u, lens.count);
	ASSERT_EQ(2u, lens.items[1].from);
	ASSERT_EQ(3u, lens.items[2].from);
	PASS();
}

TEST the_last_token_may_be_cut_by_a_stop(void)
{
	struct tui_lens lens =
		read_lens("{\"logprobs\":[[\"end\",-1,[]],[\".\\n\\n\",-1,[]]]}", "end.");

	ASSERT_EQ(2u, lens.count);
	ASSERT_EQ(4u, lens.items[1].to);
	PASS();
}

TEST records_that_lie_are_not_believed(void)
{
	static const char *const records[] = {
		"{}",
		"{\"logprobs\":7}",
		"{\"logprobs\":[]}",
		"{\"logprobs\":[7,[],[[]],{}]}",
		"{\"logprobs\":[[\"other\",-1,[]]]}",
		"{\"logprobs\":[[\"te\",-1,[]],[\"nothing\",-1,[]]]}",
		"{\"logprobs\":[[\"te\",\"x\",7,\"zz\"]]}",
		"{\"logprobs\":[[\"\",-1,[]],[\"text\",99,[[\"x\"]]]]}",
		"not json at all",
	};

	for (size_t i = 0; i < LOOM_COUNT(records); i++) {
		struct tui_lens lens = read_lens(records[i], "text");
		for (size_t k = 0; k < lens.count; k++) {
			ASSERT(lens.items[k].from < lens.items[k].to);
			ASSERT(lens.items[k].to <= 4);
			ASSERT(lens.items[k].chance >= 0 && lens.items[k].chance <= 1);
		}
	}
	PASS();
}

static void set_up(enum loom_mode mode)
{
	table_begin(&table, 100, 30);
	grove_tree(&table.grove, mode,
		   "The house was empty. The house was cold. The door was open and the house was "
		   "dark. ");
	table_open(&table);
}

TEST what_the_embedded_model_wrote_is_shaded_and_stepped_through(void)
{
	for (int mode = LOOM_DIALOGUE; mode <= LOOM_BUFFER; mode++) {
		set_up((enum loom_mode)mode);
		table_type(&table, "c");
		table_type(&table, "zl<Tab>l");
		ASSERT(table_shows(&table, "lens"));
		ASSERT(table_shows(&table, "token 2 of"));
		table_type(&table, "ll");
		ASSERT(table_shows(&table, "token 4 of"));
		table_type(&table, "h");
		ASSERT(table_shows(&table, "token 3 of"));
		table_type(&table, "99h");
		ASSERT(table_shows(&table, "no token before this"));
		table_type(&table, "<Esc>");
		ASSERT_FALSE(table_shows(&table, "token 1 of"));
		table_fini(&table);
	}
	PASS();
}

TEST an_alternative_makes_a_sibling_and_goes_on_from_it(void)
{
	set_up(LOOM_BUFFER);
	table_type(&table, "c");
	table_type(&table, "zl<Tab>lll");
	table_type(&table, "9B");
	ASSERT(table_shows(&table, "alternatives here"));
	ASSERT_FALSE(table_shows(&table, "of 2"));
	table_type(&table, "<Enter>");
	ASSERT(table_shows(&table, "type its number first"));
	table_type(&table, "2B");
	table_type(&table, "<Tab>gghl]");
	ASSERT(table_shows(&table, "2 of 2"));
	PASS();
}

TEST the_root_has_no_alternatives(void)
{
	set_up(LOOM_DIALOGUE);
	table_type(&table, "zl");
	ASSERT(table_shows(&table, "no probabilities stored"));
	table_type(&table, "<Tab>l2B");
	ASSERT(table_shows(&table, "no token"));
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	const char *wrong;

	set_up(LOOM_BUFFER);
	table_type(&table, "c");
	table_type(&table, "zl<Tab>lll");
	wrong = table_sizes(&table, false);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

SUITE(lens)
{
	SET_TEARDOWN(tear_down, NULL);
	arena = loom_arena_create();
	RUN_TEST(tokens_cover_the_text_they_spell);
	RUN_TEST(a_token_of_unknown_chance_is_passed_over);
	RUN_TEST(alternatives_stand_with_the_most_likely_first);
	RUN_TEST(a_character_may_be_several_tokens);
	RUN_TEST(the_last_token_may_be_cut_by_a_stop);
	RUN_TEST(records_that_lie_are_not_believed);
	RUN_TEST(what_the_embedded_model_wrote_is_shaded_and_stepped_through);
	RUN_TEST(an_alternative_makes_a_sibling_and_goes_on_from_it);
	RUN_TEST(the_root_has_no_alternatives);
	RUN_TEST(every_size_gives_a_whole_picture);
	loom_arena_destroy(arena);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(lens);
	GREATEST_MAIN_END();
}
