/* The embedded model: exact for a seed, and honest about its probabilities. */
#include <math.h>

#include <greatest.h>

#include <loom/base/env.h>
#include <loom/ngram/ngram.h>
#include <loom/base/utf8.h>

#include <loom/ngram/grams.h>

static const struct loom_ngram_opts PLAIN = {.temperature = 1, .top_p = 1, .alternatives = 8};

/* What `count` tokens say. */
static void continue_with(const struct loom_ngram *ngram, const char *prompt,
			  struct loom_ngram_opts opts, int count, struct loom_buf *out)
{
	struct loom_ngram_run *run = loom_ngram_begin(ngram, loom_str_of(prompt), &opts);
	struct loom_ngram_token token;

	for (int i = 0; i < count && loom_ngram_next(run, &token); i++)
		loom_buf_add(out, token.chosen.text);
	loom_ngram_end(run);
}

TEST the_same_seed_gives_the_same_bytes_and_another_does_not(void)
{
	struct loom_buf texts[3];

	for (int i = 0; i < 3; i++) {
		struct loom_ngram *ngram = loom_ngram_create();
		struct loom_ngram_opts opts = PLAIN;

		opts.seed = i == 2 ? 8 : 7;
		loom_buf_init(&texts[i], LOOM_BUF_MAX);
		continue_with(ngram, "The sea was", opts, 80, &texts[i]);
		loom_ngram_destroy(ngram);
	}
	ASSERT(texts[0].n > 80);
	ASSERT(loom_str_eq(loom_buf_str(&texts[0]), loom_buf_str(&texts[1])));
	ASSERT_FALSE(loom_str_eq(loom_buf_str(&texts[0]), loom_buf_str(&texts[2])));
	for (int i = 0; i < 3; i++)
		loom_buf_fini(&texts[i]);
	PASS();
}

TEST all_that_could_come_next_adds_up_to_one(void)
{
	static const char *const prompts[] = {"",           "The sea", "The sea ",     "the ligh",
					      "zzyzx qwrt", "\n\n",    "she said, \"", "日本",
					      "a\xff\xfe",  " ",       "the of the of"};
	struct loom_ngram *ngram = loom_ngram_create();

	for (size_t i = 0; i < LOOM_COUNT(prompts); i++)
		ASSERT_IN_RANGEm(prompts[i], 1.0,
				 loom_ngram_total(ngram, loom_str_of(prompts[i]), NULL, NULL),
				 1e-9);
	loom_ngram_destroy(ngram);
	PASS();
}

struct wanted {
	struct loom_str text;
	double share;
};

static void find_share(void *ctx, struct loom_str token, double share)
{
	struct wanted *wanted = ctx;

	if (loom_str_eq(token, wanted->text))
		wanted->share += share;
}

TEST the_reported_probability_is_the_models(void)
{
	static const char *const prompts[] = {"The old man", "the light", "there was a ligh", ""};
	struct loom_ngram *ngram = loom_ngram_create();
	size_t words = 0;

	for (uint64_t i = 0; i < 200; i++) {
		const char *prompt = prompts[i % LOOM_COUNT(prompts)];
		struct loom_ngram_opts opts = PLAIN;
		struct loom_ngram_run *run = NULL;
		struct loom_ngram_token token;
		struct wanted wanted;

		opts.seed = i;
		opts.temperature = i & 4 ? 0.7 : 1.3; /* changes the draw, not the report */
		run = loom_ngram_begin(ngram, loom_str_of(prompt), &opts);
		ASSERT(loom_ngram_next(run, &token));
		wanted = (struct wanted){.text = token.chosen.text};
		(void)loom_ngram_total(ngram, loom_str_of(prompt), find_share, &wanted);
		if (wanted.share > 0) { /* else a new word's first letter */
			words++;
			ASSERT_IN_RANGE(wanted.share, exp(token.chosen.logprob), 1e-9);
		}
		loom_ngram_end(run);
	}
	ASSERT(words > 180);
	loom_ngram_destroy(ngram);
	PASS();
}

TEST alternatives_are_sorted_and_never_more_than_everything(void)
{
	struct loom_ngram *ngram = loom_ngram_create();
	struct loom_ngram_run *run = loom_ngram_begin(ngram, LOOM_STR("We stood"), &PLAIN);

	for (int i = 0; i < 400; i++) {
		struct loom_ngram_token token;
		double sum = 0;
		bool chosen_told = false;

		ASSERT(loom_ngram_next(run, &token));
		ASSERT(token.chosen.text.n);
		ASSERT(token.chosen.logprob <= 0);
		ASSERT(loom_utf8_valid(token.chosen.text, NULL));
		ASSERT(token.top_count <= 8);
		for (size_t k = 0; k < token.top_count; k++) {
			ASSERT(!k || token.top[k - 1].logprob >= token.top[k].logprob);
			sum += exp(token.top[k].logprob);
			chosen_told |= loom_str_eq(token.top[k].text, token.chosen.text);
		}
		ASSERT(sum + (chosen_told ? 0 : exp(token.chosen.logprob)) <= 1 + 1e-9);
	}
	loom_ngram_end(run);
	loom_ngram_destroy(ngram);
	PASS();
}

static double frequency(const struct loom_ngram *ngram, const char *prompt, const char *token,
			struct loom_ngram_opts opts)
{
	int hits = 0;

	for (opts.seed = 0; opts.seed < 2000; opts.seed++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

		continue_with(ngram, prompt, opts, 1, &text);
		hits += loom_str_is(loom_buf_str(&text), token);
		loom_buf_fini(&text);
	}
	return hits / 2000.0;
}

TEST what_is_drawn_has_the_shares_that_are_told(void)
{
	struct loom_ngram *ngram = loom_ngram_create_empty();
	struct loom_ngram_opts opts = PLAIN;
	struct wanted wanted = {.text = LOOM_STR_INIT(" b")};

	for (int i = 0; i < 6; i++)
		loom_ngram_learn(ngram, loom_str_of(i < 4 ? "a b\n" : "a c\n"));
	(void)loom_ngram_total(ngram, LOOM_STR("a"), find_share, &wanted);
	ASSERT(wanted.share > 0.4 && wanted.share < 0.8);
	ASSERT_IN_RANGE(wanted.share, frequency(ngram, "a", " b", opts), 0.04);
	opts.temperature = 0;
	ASSERT_EQ(1.0, frequency(ngram, "a", " b", opts));
	opts = PLAIN;
	opts.top_k = 1;
	ASSERT_EQ(1.0, frequency(ngram, "a", " b", opts));
	opts = PLAIN;
	opts.top_p = 0.1;
	ASSERT_EQ(1.0, frequency(ngram, "a", " b", opts));
	opts = PLAIN;
	opts.min_p = 0.9;
	ASSERT_EQ(1.0, frequency(ngram, "a", " b", opts));
	opts = PLAIN;
	opts.temperature = 0.25;
	ASSERT(frequency(ngram, "a", " b", opts) > wanted.share + 0.1);
	loom_ngram_destroy(ngram);
	PASS();
}

TEST a_word_cut_at_the_prompts_end_is_completed(void)
{
	struct loom_ngram *ngram = loom_ngram_create();
	struct loom_ngram_opts opts = PLAIN;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (opts.seed = 0; opts.seed < 50; opts.seed++) {
		loom_buf_clear(&text);
		continue_with(ngram, "He came to the lighth", opts, 1, &text);
		ASSERT_STR_EQ("ouse", loom_buf_cstr(&text));
		loom_buf_clear(&text);
		continue_with(ngram, "He came to the ", opts, 1, &text);
		ASSERT(text.n && text.p[0] != ' ');
		loom_buf_clear(&text);
		continue_with(ngram, "He came to the", opts, 1, &text);
		ASSERT(text.n && !strchr("abcdefghijklmnopqrstuvwxyz", text.p[0]));
	}
	loom_buf_fini(&text);
	loom_ngram_destroy(ngram);
	PASS();
}

TEST what_was_never_read_is_spelled_in_whole_characters(void)
{
	struct loom_ngram *ngram = loom_ngram_create_empty();
	struct loom_ngram_opts opts = PLAIN;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_ngram_learn(ngram, LOOM_STR("größe straße füße über köln zürich"));
	for (opts.seed = 0; opts.seed < 300; opts.seed++) {
		loom_buf_clear(&text);
		continue_with(ngram, "Gruß strü", opts, 12, &text);
		ASSERT(text.n && loom_utf8_valid(loom_buf_str(&text), NULL));
	}
	loom_buf_fini(&text);
	loom_ngram_destroy(ngram);
	PASS();
}

TEST one_that_has_read_nothing_says_nothing(void)
{
	struct loom_ngram *ngram = loom_ngram_create_empty();
	struct loom_ngram_run *run = loom_ngram_begin(ngram, LOOM_STR("x"), &PLAIN);
	struct loom_ngram_token token;

	ASSERT_FALSE(loom_ngram_next(run, &token));
	loom_ngram_end(run);
	loom_ngram_destroy(ngram);
	PASS();
}

TEST what_the_grove_holds_is_said_again(void)
{
	struct loom_ngram *ngram = loom_ngram_create();
	struct loom_ngram_opts opts = PLAIN;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (int i = 0; i < 20; i++)
		loom_ngram_learn(ngram, LOOM_STR("Zerzura lies beyond the Gilf Kebir."));
	opts.temperature = 0;
	continue_with(ngram, "Zerzura", opts, 6, &text);
	ASSERT_STR_EQ(" lies beyond the Gilf Kebir.", loom_buf_cstr(&text));
	loom_buf_fini(&text);
	loom_ngram_destroy(ngram);
	PASS();
}

TEST tokens_joined_are_the_text(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_env random;

	loom_env_init_fixed(&random, 0, 3);
	for (uint64_t i = 0; i < 2000; i++) {
		static const char *const bits[] = {" ",   "  ", "\n", "a",    "é",
						   "x'y", ".",  "日", "\xff", "\xe2\x82",
						   "—",   "\t", "Q9", "",     "한글"};
		unsigned char picks[12];
		struct loom_str rest;
		struct loom_str token;
		size_t at = 0;

		loom_env_random(&random, i, picks, sizeof picks);
		loom_buf_clear(&text);
		for (size_t k = 0; k < sizeof picks; k++)
			loom_buf_adds(&text, bits[picks[k] % LOOM_COUNT(bits)]);
		rest = loom_buf_str(&text);
		while (ngram_token(&rest, &token)) {
			ASSERT(token.n);
			ASSERT(loom_str_eq(token, loom_str_sub(loom_buf_str(&text), at, token.n)));
			at += token.n;
		}
		ASSERT_EQ(text.n, at);
	}
	loom_buf_fini(&text);
	PASS();
}

TEST the_corpus_is_of_the_size_that_was_meant(void)
{
	struct loom_buf corpus = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_ngram_corpus(&corpus);
	ASSERT(corpus.n >= 20000 && corpus.n <= 40960);
	ASSERT(loom_utf8_valid(loom_buf_str(&corpus), NULL));
	loom_buf_fini(&corpus);
	PASS();
}

SUITE(ngram)
{
	RUN_TEST(the_same_seed_gives_the_same_bytes_and_another_does_not);
	RUN_TEST(all_that_could_come_next_adds_up_to_one);
	RUN_TEST(the_reported_probability_is_the_models);
	RUN_TEST(alternatives_are_sorted_and_never_more_than_everything);
	RUN_TEST(what_is_drawn_has_the_shares_that_are_told);
	RUN_TEST(a_word_cut_at_the_prompts_end_is_completed);
	RUN_TEST(what_was_never_read_is_spelled_in_whole_characters);
	RUN_TEST(one_that_has_read_nothing_says_nothing);
	RUN_TEST(what_the_grove_holds_is_said_again);
	RUN_TEST(tokens_joined_are_the_text);
	RUN_TEST(the_corpus_is_of_the_size_that_was_meant);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(ngram);
	GREATEST_MAIN_END();
}
