/* What is learned of models: kept across processes, and tokens counted better each time. */
#include <greatest.h>

#include <math.h>
#include <unistd.h>

#include "support/temp.h"

#include <loom/learned/facts.h>

static struct loom_env env;
static struct temp temp;

static const char *var(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "XDG_STATE_HOME") == 0 ? temp.path : NULL;
}

static struct loom_facts *open_facts(struct loom_learned **learned, const char *model)
{
	*learned = loom_learned_open(&env);
	return loom_learned_of(*learned, LOOM_STR("http://127.0.0.1/v1"), loom_str_of(model));
}

TEST facts_outlive_their_process(void)
{
	struct loom_learned *learned = NULL;
	struct loom_facts *facts = open_facts(&learned, "m");

	ASSERT(loom_facts_leave_out(learned, facts, LOOM_STR("stream_options")));
	ASSERT_FALSE(loom_facts_leave_out(learned, facts, LOOM_STR("stream_options")));
	facts->tokens_key = LOOM_STR("max_completion_tokens");
	facts->least = LOOM_STR("low");
	facts->thinks = true;
	facts->window = 16384;
	facts->adaptive = -1;
	loom_learned_keep(learned, facts);
	loom_learned_close(learned);
	/* another process adds another model */
	facts = open_facts(&learned, "other");
	ASSERT_EQ(0, facts->gone_count);
	facts->stubborn = true;
	loom_learned_keep(learned, facts);
	loom_learned_close(learned);
	facts = open_facts(&learned, "m");
	ASSERT(loom_facts_gone(facts, LOOM_STR("stream_options")));
	ASSERT(loom_str_is(facts->tokens_key, "max_completion_tokens"));
	ASSERT(loom_str_is(facts->least, "low"));
	ASSERT(facts->thinks && !facts->stubborn);
	ASSERT_EQ(16384, facts->window);
	ASSERT_EQ(-1, facts->adaptive);
	loom_learned_close(learned);
	facts = open_facts(&learned, "other");
	ASSERT(facts->stubborn);
	loom_learned_close(learned);
	PASS();
}

TEST a_malformed_file_is_no_trouble(void)
{
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_learned *learned = NULL;
	struct loom_facts *facts = open_facts(&learned, "m");
	FILE *file = NULL;

	loom_learned_keep(learned, facts);
	loom_learned_close(learned);
	loom_buf_addf(&path, "%s/loom/models.json", temp.path);
	file = fopen(loom_buf_cstr(&path), "w");
	ASSERT(file);
	fputs("{\"http://127.0.0.1/v1 m\":{\"window\":\"x\",\"left_out\":[1]},", file);
	fclose(file);
	facts = open_facts(&learned, "m");
	ASSERT_EQ(0, facts->window);
	facts->window = 7;
	loom_learned_keep(learned, facts);
	loom_learned_close(learned);
	facts = open_facts(&learned, "m");
	ASSERT_EQ(7, facts->window);
	loom_learned_close(learned);
	loom_buf_fini(&path);
	PASS();
}

/* Texts of several kinds, and how many tokens a vocabulary has for each byte of them. */
TEST one_count_of_a_kind_is_enough_for_the_next_text_of_it(void)
{
	static const struct {
		const char *text;
		double bytes; /* per token */
	} kinds[] = {
		{"Once upon a time there was a queen who lived by the sea. ", 4.6},
		{"static int take(struct list *list, size_t n)\n{\n\treturn list->items[n];\n}\n",
		 3.5},
		{"# Title\n\n- one **two** [three](four.md)\n- `five`\n", 3.7},
		{"1204,33.18,-7,2026-11-20\n98,1.5,77,2026-11-21\n", 1.76},
		{"\xE6\xB5\xB7\xE4\xB8\x8A\xE7\x9A\x84\xE5\xA5\xB3\xE7\x8E\x8B", 2.06},
		{"\xD0\x96\xD0\xB8\xD0\xBB\xD0\xB0-\xD0\xB1\xD1\x8B\xD0\xBB\xD0\xB0 ", 3.3},
	};

	for (size_t i = 0; i < LOOM_COUNT(kinds); i++) {
		struct loom_density density = {.tokens = {0}};
		struct loom_text_mix one = {.bytes = {0}};
		struct loom_text_mix next = {.bytes = {0}};
		const struct loom_str text = loom_str_of(kinds[i].text);
		double wanted = 0;

		for (int k = 0; k < 20; k++)
			loom_text_mix_add(&one, text);
		/* nothing is known: rather too many than too few, but for a coarse vocabulary */
		ASSERT(loom_density_tokens(&density, &one) >
		       20 * (double)text.n / kinds[i].bytes * 0.85);
		loom_density_learn(&density, &one, 20 * (double)text.n / kinds[i].bytes);
		for (int k = 0; k < 300; k++)
			loom_text_mix_add(&next, text);
		wanted = 300 * (double)text.n / kinds[i].bytes;
		ASSERTm(kinds[i].text,
			fabs(loom_density_tokens(&density, &next) - wanted) < 0.1 * wanted);
	}
	PASS();
}

static void set_up(void *unused)
{
	(void)unused;
	loom_env_init_fixed(&env, 1000, 7);
	env.var = var;
	temp_init(&temp);
}

static void tear_down(void *unused)
{
	(void)unused;
	temp_fini(&temp);
}

SUITE(facts)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(facts_outlive_their_process);
	RUN_TEST(a_malformed_file_is_no_trouble);
	RUN_TEST(one_count_of_a_kind_is_enough_for_the_next_text_of_it);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(facts);
	GREATEST_MAIN_END();
}
