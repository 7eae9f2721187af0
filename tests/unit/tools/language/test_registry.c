/* The command table: every row parses, every name is known once, every notation is read. */
#include <greatest.h>

#include "tools/language/inside.h"

GREATEST_MAIN_DEFS();

TEST every_example_parses_to_its_own_row(void)
{
	for (int v = 1; v < LOOM_VERB_COUNT; v++) {
		const struct loom_verb_info *info = loom_verb_info((enum loom_verb)v);
		struct loom_turn *turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_CALLS);

		loom_turn_feed(turn, loom_str_of(info->example));
		loom_turn_end(turn);
		ASSERT_EQm(info->example, 1, turn->call_count);
		ASSERT_EQm(info->example, info->verb, turn->calls[0].verb);
		ASSERT_EQm(info->name, info->verb, loom_verb_find(loom_str_of(info->name)));
		ASSERTm(info->summary, strlen(info->summary) <= 60);
		ASSERTm(info->name, *info->past);
		loom_turn_destroy(turn);
	}
	PASS();
}

/* In how many rows a phrase stands as a name or a whole synonym. */
static int rows_of(struct loom_str phrase)
{
	int rows = 0;

	for (int v = 1; v < LOOM_VERB_COUNT; v++) {
		const struct loom_verb_info *info = loom_verb_info((enum loom_verb)v);
		struct loom_str rest = loom_str_of(info->synonyms);
		struct loom_str synonym;

		rows += loom_str_eq_fold(phrase, loom_str_of(info->name));
		while (loom_str_cut(&rest, '|', &synonym))
			rows += synonym.n && loom_str_eq_fold(phrase, synonym);
	}
	return rows;
}

TEST every_synonym_means_its_own_row_and_no_other(void)
{
	for (int v = 1; v < LOOM_VERB_COUNT; v++) {
		struct loom_str rest = loom_str_of(loom_verb_info((enum loom_verb)v)->synonyms);
		struct loom_str synonym;

		while (loom_str_cut(&rest, '|', &synonym))
			if (synonym.n)
				ASSERT_EQm(loom_verb_name((enum loom_verb)v), 1, rows_of(synonym));
	}
	PASS();
}

TEST every_unsure_phrase_has_readings_that_are_verbs(void)
{
	size_t count = 0;
	const struct loom_unsure_info *unsure = loom_unsure(&count);

	for (size_t i = 0; i < count; i++) {
		struct loom_str rest = loom_str_of(unsure[i].readings);
		struct loom_str name;

		while (loom_str_cut(&rest, '|', &name))
			ASSERT(loom_verb_find(name) != LOOM_VERB_NONE);
		ASSERT_EQm(unsure[i].phrase, 0, rows_of(loom_str_of(unsure[i].phrase)));
	}
	PASS();
}

TEST every_key_and_flag_of_a_notation_is_one_that_the_verb_takes(void)
{
	for (int v = 1; v < LOOM_VERB_COUNT; v++) {
		struct loom_str rest = loom_str_of(loom_verb_info((enum loom_verb)v)->args);
		struct loom_str chunk;
		struct lang_form form;
		int value = 0;

		lang_form_read((enum loom_verb)v, &form);
		ASSERT(form.count < LANG_SLOTS_MAX);
		while (loom_str_cut(&rest, ' ', &chunk)) {
			size_t colon = 0;

			if (loom_str_starts(chunk, LOOM_STR("[")))
				chunk = loom_str_sub(chunk, 1, chunk.n);
			if (loom_str_ends(chunk, LOOM_STR("]")))
				chunk.n--;
			colon = loom_str_find_char(chunk, ':', 0);
			if (!chunk.n || !(chunk.p[0] >= 'a' && chunk.p[0] <= 'z'))
				continue;
			if (colon != SIZE_MAX)
				ASSERTm(chunk.p,
					lang_form_key(&form, loom_str_sub(chunk, 0, colon)) !=
						LANG_P_NONE);
			else if (loom_str_find_char(chunk, '|', 0) == SIZE_MAX &&
				 !loom_str_is(chunk, "to") && !loom_str_is(chunk, "from") &&
				 !loom_str_is(chunk, "in") && !loom_str_is(chunk, "using") &&
				 !loom_str_is(chunk, "tree"))
				ASSERTm(chunk.p,
					lang_form_word(&form, chunk, &value) != LANG_P_NONE);
		}
	}
	PASS();
}

TEST a_distance_counts_letters_put_in_left_out_changed_and_swapped(void)
{
	static const struct {
		const char *a;
		const char *b;
		size_t distance;
	} cases[] = {
		{"view", "view", 0}, {"veiw", "view", 1},  {"vew", "view", 1},
		{"VIEW", "view", 0}, {"views", "view", 1}, {"vie", "tree", 3},
		{"", "abc", 3},      {"", "", 0},          {"abcdef", "ghijkl", 4},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_str a = loom_str_of(cases[i].a);
		struct loom_str b = loom_str_of(cases[i].b);

		ASSERT_EQm(cases[i].a, cases[i].distance, loom_word_distance(a, b, 3));
		ASSERT_EQm(cases[i].b, cases[i].distance, loom_word_distance(b, a, 3));
	}
	PASS();
}

SUITE(registry)
{
	RUN_TEST(every_example_parses_to_its_own_row);
	RUN_TEST(every_synonym_means_its_own_row_and_no_other);
	RUN_TEST(every_unsure_phrase_has_readings_that_are_verbs);
	RUN_TEST(every_key_and_flag_of_a_notation_is_one_that_the_verb_takes);
	RUN_TEST(a_distance_counts_letters_put_in_left_out_changed_and_swapped);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(registry);
	GREATEST_MAIN_END();
}
