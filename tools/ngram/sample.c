/* One continuation by the embedded model: shares, cut-offs, the draw.
 *
 * A step is one of three kinds. WORD draws a whole token. HEAL, the first step only, draws among
 * the tokens that begin with the word cut off at the prompt's end and emits the rest of it. SPELL
 * emits a word that was never read, letter by letter, until the letters end it. */
#include <loom/ngram/grams.h>

#include <math.h>

#include <loom/base/env.h>
#include <loom/base/utf8.h>

#define SPELL_MAX   16
#define PROMPT_TAIL 4096
/* A known word counts as cut off when the longer words that begin with it are this many times as
 * frequent. */
#define CUT_FACTOR 4

struct loom_ngram_run {
	const struct loom_ngram *ngram;
	struct loom_ngram_opts opts;
	struct loom_env random;
	uint64_t draws;
	uint32_t history[NGRAM_ORDER];
	size_t n;
	struct loom_str cut; /* the next word must begin with this; in `start` */
	struct loom_buf start;
	bool spelling;
	uint32_t letters[SPELL_MAX];
	size_t letter_count;
	double *shares; /* the model's own */
	double *drawn;  /* after temperature and cut-offs */
	struct loom_buf text;
	struct loom_ngram_choice top[LOOM_NGRAM_TOP];
};

static void push_word(struct loom_ngram_run *run, uint32_t word)
{
	if (run->n == NGRAM_ORDER - 1)
		memmove(run->history, run->history + 1, --run->n * sizeof *run->history);
	run->history[run->n++] = word;
}

static bool begins(struct loom_str token, struct loom_str with)
{
	return token.n > with.n && loom_str_starts(token, with);
}

/* Whether the prompt's last token is the beginning of a longer one. */
static bool is_cut(const struct loom_ngram *ngram, struct loom_str token)
{
	uint32_t known = ngram_words_find(&ngram->words, token);
	uint64_t longer = 0;

	if (loom_str_is(token, " "))
		return true;
	if (!ngram_is_word(token))
		return false;
	for (size_t i = 0; i < ngram->words.count; i++)
		if (begins(ngram->words.items[i], token))
			longer += ngram_gram_count(&ngram->grams, (uint32_t)i);
	return known == NGRAM_GRAM_NEW ||
	       longer > CUT_FACTOR * ngram_gram_count(&ngram->grams, known);
}

static bool any_begins(const struct loom_ngram *ngram, struct loom_str with)
{
	for (size_t i = 0; i < ngram->words.count; i++)
		if (begins(ngram->words.items[i], with))
			return true;
	return false;
}

/* Starts spelling a word cut off so that no known word begins with it; it is spelled to its end. */
static void begin_spelling(struct loom_ngram_run *run, struct loom_str token)
{
	size_t at = token.n && token.p[0] == ' ';

	run->spelling = true;
	run->letter_count = 0;
	while (at < token.n && run->letter_count < SPELL_MAX - 1) {
		size_t from = at;

		(void)loom_utf8_next(token, &at);
		run->letters[run->letter_count++] =
			ngram_words_find(&run->ngram->letters,
					 loom_str_sub(token, from, at - from));
	}
}

static void read_prompt(struct loom_ngram_run *run, struct loom_str prompt)
{
	const struct loom_ngram *ngram = run->ngram;
	struct loom_str token = {NULL, 0};
	struct loom_str rest;

	/* The tail may begin inside a word, but too far back to matter. */
	rest = loom_str_sub(prompt, prompt.n > PROMPT_TAIL ? prompt.n - PROMPT_TAIL : 0, SIZE_MAX);
	while (ngram_token(&rest, &token))
		if (rest.n || !is_cut(ngram, token))
			push_word(run, ngram_words_find(&ngram->words, token));
		else if (any_begins(ngram, token))
			run->cut = token;
		else if (!loom_str_is(token, " "))
			begin_spelling(run, token);
	loom_buf_add(&run->start, run->cut);
	run->cut = loom_buf_str(&run->start);
}

struct loom_ngram_run *loom_ngram_begin(const struct loom_ngram *ngram, struct loom_str prompt,
					const struct loom_ngram_opts *opts)
{
	struct loom_ngram_run *run = loom_alloc(sizeof *run);
	size_t room = (ngram->words.count > ngram->letters.count ? ngram->words.count
								 : ngram->letters.count) +
		      1;

	run->ngram = ngram;
	run->opts = *opts;
	loom_env_init_fixed(&run->random, 0, opts->seed);
	run->shares = loom_alloc(room * sizeof *run->shares);
	run->drawn = loom_alloc(room * sizeof *run->drawn);
	loom_buf_init(&run->text, LOOM_BUF_MAX);
	loom_buf_init(&run->start, LOOM_BUF_MAX);
	read_prompt(run, prompt);
	return run;
}

void loom_ngram_end(struct loom_ngram_run *run)
{
	if (!run)
		return;
	loom_buf_fini(&run->text);
	loom_buf_fini(&run->start);
	free(run->shares);
	free(run->drawn);
	free(run);
}

/* A random number in [0, 1). */
static double draw(struct loom_ngram_run *run)
{
	uint64_t word = 0;

	loom_env_random(&run->random, run->draws++, &word, sizeof word);
	return (double)(word >> 11) / 9007199254740992.0;
}

static void scale(double *shares, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += shares[i];
	for (size_t i = 0; sum > 0 && i < n; i++)
		shares[i] /= sum;
}

static double largest(const double *shares, size_t n)
{
	double best = 0;

	for (size_t i = 0; i < n; i++)
		if (shares[i] > best)
			best = shares[i];
	return best;
}

/* Whether the shares of at least `floor` already fill one of the cut-offs. */
static bool enough(const struct loom_ngram_run *run, size_t n, double floor)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (run->drawn[i] >= floor) {
			sum += run->drawn[i];
			count++;
		}
	return (run->opts.top_p < 1 && sum >= run->opts.top_p) ||
	       (run->opts.top_k && count >= run->opts.top_k);
}

/* Drops the unlikely. Finds the floor by bisection, so equal shares stay or go together. */
static void cut_tail(struct loom_ngram_run *run, size_t n)
{
	double high = largest(run->drawn, n);
	double low = 0;
	double floor = high * run->opts.min_p;

	if (run->opts.top_p < 1 || run->opts.top_k) {
		for (int i = 0; i < 60; i++) {
			double middle = low + (high - low) / 2;

			if (enough(run, n, middle))
				low = middle;
			else
				high = middle;
		}
		floor = low > floor ? low : floor;
	}
	for (size_t i = 0; i < n; i++)
		if (run->drawn[i] < floor)
			run->drawn[i] = 0;
	scale(run->drawn, n);
}

static size_t likeliest(const double *shares, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (shares[i] > shares[best])
			best = i;
	return best;
}

/* Draws one of n by run->shares. */
static size_t choose(struct loom_ngram_run *run, size_t n)
{
	double at = draw(run);
	size_t last = 0;

	if (run->opts.temperature <= 0)
		return likeliest(run->shares, n);
	for (size_t i = 0; i < n; i++)
		run->drawn[i] = run->opts.temperature == 1.0
					? run->shares[i]
					: pow(run->shares[i], 1 / run->opts.temperature);
	scale(run->drawn, n);
	cut_tail(run, n);
	for (size_t i = 0; i < n; i++) {
		if (run->drawn[i] <= 0)
			continue;
		last = i;
		at -= run->drawn[i];
		if (at < 0)
			break;
	}
	return last;
}

/* Collects the likeliest of n items in run->top, without the first `skip` bytes of each. */
static size_t collect_top(struct loom_ngram_run *run, const struct ngram_words *items, size_t skip)
{
	size_t wanted =
		run->opts.alternatives < LOOM_NGRAM_TOP ? run->opts.alternatives : LOOM_NGRAM_TOP;
	size_t count = 0;

	for (size_t i = 0; wanted && i < items->count; i++) {
		double share = run->shares[i];
		size_t at = count;

		if (share <= 0 || items->items[i].n <= skip ||
		    (count == wanted && share <= run->top[count - 1].logprob))
			continue;
		count += count < wanted;
		for (at = at < wanted ? at : wanted - 1; at && run->top[at - 1].logprob < share;
		     at--)
			run->top[at] = run->top[at - 1];
		run->top[at] = (struct loom_ngram_choice){.text = loom_str_sub(items->items[i],
									       skip, SIZE_MAX),
							  .logprob = share};
	}
	for (size_t i = 0; i < count; i++)
		run->top[i].logprob = log(run->top[i].logprob);
	return count;
}

static void tell(struct loom_ngram_run *run, double share, size_t top_count,
		 struct loom_ngram_token *out)
{
	*out = (struct loom_ngram_token){
		.chosen = {.text = loom_buf_str(&run->text), .logprob = log(share)},
		.top = run->top,
		.top_count = top_count,
	};
}

static void letter_shares(struct loom_ngram_run *run)
{
	ngram_gram_shares(&run->ngram->spelling, run->letters, run->letter_count, run->shares,
			  run->ngram->letters.count);
	/* A letter is never new: that share ends the word, unless it has not begun. */
	run->shares[0] += run->shares[run->ngram->letters.count];
	if (!run->letter_count || run->letter_count == SPELL_MAX)
		run->shares[0] = run->letter_count ? 1 : 0;
	for (size_t i = 1; run->letter_count == SPELL_MAX && i < run->ngram->letters.count; i++)
		run->shares[i] = 0;
	scale(run->shares, run->ngram->letters.count);
}

/* Emits a letter of a new word; false when the word has ended. */
static bool spell(struct loom_ngram_run *run, double before, struct loom_ngram_token *out)
{
	size_t letter = 0;
	size_t top_count = 0;

	letter_shares(run);
	letter = choose(run, run->ngram->letters.count);
	if (!letter) {
		run->spelling = false;
		push_word(run, NGRAM_GRAM_NEW);
		return false;
	}
	/* The first letter's alternatives are words and were collected with them. */
	if (before == 1.0)
		top_count = collect_top(run, &run->ngram->letters, 0);
	else
		top_count = out->top_count;
	run->letters[run->letter_count++] = (uint32_t)letter;
	loom_buf_add(&run->text, run->ngram->letters.items[letter]);
	tell(run, before * run->shares[letter], top_count, out);
	return true;
}

/* Whether a new word needs a blank before it. */
static bool wants_blank(const struct loom_ngram_run *run)
{
	struct loom_str last = {NULL, 0};

	if (!run->n)
		return false;
	if (run->history[run->n - 1] == NGRAM_GRAM_NEW)
		return true;
	last = run->ngram->words.items[run->history[run->n - 1]];
	return last.p[last.n - 1] != '\n' && last.p[last.n - 1] != '(' &&
	       !loom_str_ends(last, LOOM_STR("“")) && !loom_str_is(last, " \"");
}

static bool say_word(struct loom_ngram_run *run, struct loom_ngram_token *out)
{
	const struct ngram_words *words = &run->ngram->words;
	size_t n = words->count + 1;
	size_t word = choose(run, n);
	double share = run->shares[word];

	out->top_count = collect_top(run, words, run->cut.n);
	if (word == words->count) {
		run->spelling = true;
		run->letter_count = 0;
		if (wants_blank(run))
			loom_buf_addc(&run->text, ' ');
		return spell(run, share, out);
	}
	loom_buf_add(&run->text, loom_str_sub(words->items[word], run->cut.n, SIZE_MAX));
	push_word(run, (uint32_t)word);
	tell(run, share, out->top_count, out);
	return true;
}

/* Computes the shares of all words, or of those that complete a cut-off word. */
static void word_shares(struct loom_ngram_run *run)
{
	const struct ngram_words *words = &run->ngram->words;

	ngram_gram_shares(&run->ngram->grams, run->history, run->n, run->shares, words->count);
	if (!run->ngram->letters.count || run->ngram->letters.count == 1)
		run->shares[words->count] = 0;
	if (run->cut.n) {
		for (size_t i = 0; i < words->count; i++)
			if (!begins(words->items[i], run->cut))
				run->shares[i] = 0;
		run->shares[words->count] = 0;
	}
	scale(run->shares, words->count + 1);
}

bool loom_ngram_next(struct loom_ngram_run *run, struct loom_ngram_token *out)
{
	bool said = false;

	*out = (struct loom_ngram_token){.top = run->top};
	loom_buf_clear(&run->text);
	if (!run->ngram->words.count)
		return false;
	if (run->spelling && spell(run, 1.0, out))
		return true;
	word_shares(run);
	said = say_word(run, out);
	run->cut = loom_str_make("", 0);
	return said;
}

double loom_ngram_total(const struct loom_ngram *ngram, struct loom_str prompt,
			void (*each)(void *ctx, struct loom_str token, double share), void *ctx)
{
	struct loom_ngram_opts opts = {.temperature = 1, .top_p = 1};
	struct loom_ngram_run *run = loom_ngram_begin(ngram, prompt, &opts);
	double total = 0;

	word_shares(run);
	for (size_t i = 0; i <= ngram->words.count; i++)
		total += run->shares[i];
	for (size_t i = 0; each && i < ngram->words.count; i++)
		if (run->shares[i] > 0)
			each(ctx, loom_str_sub(ngram->words.items[i], run->cut.n, SIZE_MAX),
			     run->shares[i]);
	loom_ngram_end(run);
	return total;
}
