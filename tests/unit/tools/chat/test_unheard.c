/* What a model says instead of a call: told with the line that works, and nothing else is. */
#include <greatest.h>

#include <time.h>

#include <loom/base/json.h>
#include <loom/chat/unheard.h>

#include "support/prop.h"
#include "support/temp.h"

/* An open table of cases/. */
struct table {
	struct loom_buf text;
	cJSON *file;
};

static bool table_open(struct table *table, const char *path)
{
	struct loom_err err = {0};

	*table = (struct table){.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	return temp_read(path, &table->text) &&
	       loom_json_parse(loom_buf_str(&table->text), NULL, &table->file, &err) == LOOM_OK;
}

static void table_close(struct table *table)
{
	cJSON_Delete(table->file);
	loom_buf_fini(&table->text);
}

/* One answer, heard whole. */
struct answer {
	struct loom_turn *turn;
	struct loom_arena *arena;
	struct chat_unheard unheard;
};

static void answer_hear(struct answer *answer, struct loom_str text, struct loom_str native)
{
	answer->turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	answer->arena = loom_arena_create();
	loom_turn_feed(answer->turn, text);
	loom_turn_end(answer->turn);
	chat_unheard_find(answer->turn, native, answer->arena, &answer->unheard);
}

static void answer_fini(struct answer *answer)
{
	loom_turn_destroy(answer->turn);
	loom_arena_destroy(answer->arena);
}

/* The lines that work, in order. */
static bool works(const struct chat_unheard *unheard, const cJSON *wanted)
{
	const cJSON *one = NULL;
	size_t i = 0;

	cJSON_ArrayForEach(one, wanted)
	{
		if (i == unheard->count ||
		    !loom_str_is(unheard->items[i++].works, cJSON_GetStringValue(one)))
			return false;
	}
	return i == unheard->count;
}

static void print_answer(const struct answer *answer, struct loom_str text)
{
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (answer->unheard.count)
		chat_unheard_say(&answer->unheard, "\n  hint: ", &said);
	printf("\n%.*s\n  told: %s\n", LOOM_STR_ARG(text), loom_buf_cstr(&said));
	loom_buf_fini(&said);
}

TEST each_form_is_told_with_the_line_that_works(void)
{
	struct table table;
	const cJSON *one = NULL;
	int forms = 0;
	int told = 0;

	ASSERT(table_open(&table, LOOM_SOURCE "/tests/cases/unheard.json"));
	cJSON_ArrayForEach(one, loom_json_get(table.file, "forms"))
	{
		const struct loom_str text = loom_json_str(one, "say");
		struct answer answer;

		forms++;
		answer_hear(&answer, text, LOOM_STR(""));
		if (works(&answer.unheard, loom_json_get(one, "works")))
			told++;
		else
			print_answer(&answer, text);
		answer_fini(&answer);
	}
	ASSERT(forms >= 40);
	ASSERT_EQ(forms, told);
	table_close(&table);
	PASS();
}

/* What is told does not stay as an example: nothing is left that would be told again. */
TEST a_wrong_form_is_cut_out(void)
{
	struct table table;
	const cJSON *one = NULL;

	ASSERT(table_open(&table, LOOM_SOURCE "/tests/cases/unheard.json"));
	cJSON_ArrayForEach(one, loom_json_get(table.file, "forms"))
	{
		struct loom_buf left = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct answer answer;
		struct answer again;

		answer_hear(&answer, loom_json_str(one, "say"), LOOM_STR(""));
		chat_unheard_cut(&answer.unheard, loom_buf_str(&answer.turn->prose), &left);
		answer_hear(&again, loom_buf_str(&left), LOOM_STR(""));
		ASSERT_EQm(loom_buf_cstr(&left), 0, again.unheard.count);
		ASSERT_EQm(loom_buf_cstr(&left), 0, again.turn->call_count);
		answer_fini(&answer);
		answer_fini(&again);
		loom_buf_fini(&left);
	}
	table_close(&table);
	PASS();
}

static bool runs_on(const struct loom_turn *turn, const cJSON *lines)
{
	const cJSON *one = NULL;
	size_t i = 0;

	cJSON_ArrayForEach(one, lines)
	{
		if (i == turn->call_count || turn->calls[i++].line != (int64_t)one->valuedouble)
			return false;
	}
	return i == turn->call_count;
}

/* In a hundred turns, one may be refused and one answered without need. */
TEST ordinary_turns_are_understood_and_left_alone(void)
{
	struct table table;
	const cJSON *one = NULL;
	int turns = 0;
	int refused = 0;
	int answered = 0;

	ASSERT(table_open(&table, LOOM_SOURCE "/tests/cases/ordinary.json"));
	cJSON_ArrayForEach(one, loom_json_get(table.file, "turns"))
	{
		const struct loom_str text = loom_json_str(one, "say");
		struct answer answer;
		bool good = false;

		turns++;
		answer_hear(&answer, text, LOOM_STR(""));
		good = runs_on(answer.turn, loom_json_get(one, "runs"));
		refused += !good;
		answered += answer.unheard.count > 0;
		if (!good || answer.unheard.count)
			print_answer(&answer, text);
		answer_fini(&answer);
	}
	ASSERT(turns >= 300);
	ASSERT(refused * 100 <= turns);
	ASSERT(answered * 100 <= turns);
	table_close(&table);
	PASS();
}

TEST what_a_provider_sends_beside_the_text_is_told(void)
{
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct answer answer;

	answer_hear(&answer, LOOM_STR("I look."),
		    LOOM_STR("[{\"name\":\"view\",\"arguments\":\"{\\\"id\\\":\\\"a7x2\\\"}\"}]"));
	ASSERT_EQ(1, answer.unheard.count);
	chat_unheard_say(&answer.unheard, "\n  hint: ", &said);
	ASSERT_STR_EQ("✗ INVALID_SYNTAX: a tool call was not run: here a call is a line of the "
		      "text that begins with →\n  hint: → view a7x2",
		      loom_buf_cstr(&said));
	answer_fini(&answer);
	answer_hear(&answer, LOOM_STR(""),
		    LOOM_STR("[{\"name\":\"get_weather\",\"arguments\":\"{}\"}]"));
	ASSERT_EQ(1, answer.unheard.count);
	ASSERT(loom_str_is(answer.unheard.items[0].works, "→ help"));
	answer_fini(&answer);
	loom_buf_fini(&said);
	PASS();
}

/* Returns the processor time that it takes to hear so many bytes of a piece said again and again.
 */
static double time_to_hear(const char *piece, size_t bytes)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const clock_t started = clock();
	struct answer answer;

	while (text.n < bytes)
		loom_buf_adds(&text, piece);
	answer_hear(&answer, loom_buf_str(&text), LOOM_STR(""));
	answer_fini(&answer);
	loom_buf_fini(&text);
	return (double)(clock() - started) / CLOCKS_PER_SEC;
}

/* Time grows with the text, not with its square: four times as much of it takes four times as long,
 * not sixteen times. */
TEST a_hostile_answer_costs_its_length(void)
{
	static const char *const pieces[] = {"\"a ",
					     "- → view a7x2\n",
					     "→ ",
					     "print(",
					     "{\"a\":[",
					     "<tool_call>\n",
					     "view(    ",
					     "`→ view a7x2 ",
					     "I'll ",
					     "[[\n",
					     "((",
					     "<view\n",
					     "` `` ",
					     ": 'a ",
					     "> → view a7x2\n",
					     "Action: view\n"};

	for (size_t i = 0; i < LOOM_COUNT(pieces); i++) {
		const size_t bytes = (size_t)(400000 / prop_every(4));
		const double part = time_to_hear(pieces[i], bytes / 4);

		ASSERTm(pieces[i], time_to_hear(pieces[i], bytes) < 9 * part + 0.1);
	}
	PASS();
}

SUITE(unheard)
{
	RUN_TEST(each_form_is_told_with_the_line_that_works);
	RUN_TEST(a_wrong_form_is_cut_out);
	RUN_TEST(ordinary_turns_are_understood_and_left_alone);
	RUN_TEST(what_a_provider_sends_beside_the_text_is_told);
	RUN_TEST(a_hostile_answer_costs_its_length);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(unheard);
	GREATEST_MAIN_END();
}
