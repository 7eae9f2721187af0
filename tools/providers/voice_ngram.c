/* The embedded model as a voice: one token of each choice in turn, in idle slices of the loop, so
 * that siblings grow side by side and a keypress never waits. */
#include <loom/providers/dialect.h>

#include <loom/ngram/ngram.h>

#define GROVE_MAX  ((size_t)64 << 10)
#define PROMPT_MAX ((size_t)32 << 10)

struct ngram_state {
	struct loom_ngram *ngram;
	struct loom_ngram_run **runs; /* one per choice */
	int64_t *left;                /* tokens left */
	struct loom_buf prompt;
};

static struct loom_str tail_of(struct loom_str text, size_t max)
{
	return loom_str_sub(text, text.n > max ? text.n - max : 0, SIZE_MAX);
}

/* Joins a conversation into one text. */
static void join_prompt(const struct loom_generate_request *request, struct loom_buf *out)
{
	loom_buf_add(out, request->text);
	for (size_t i = 0; i < request->message_count; i++) {
		if (i)
			loom_buf_adds(out, "\n\n");
		loom_buf_add(out, request->messages[i].text);
	}
	if (request->message_count &&
	    request->messages[request->message_count - 1].role != LOOM_ROLE_ASSISTANT)
		loom_buf_adds(out, "\n\n");
}

/* Everything but the last word, which may be cut off. */
static struct loom_str settled_part(struct loom_str prompt)
{
	size_t n = prompt.n;

	while (n && prompt.p[n - 1] != ' ' && prompt.p[n - 1] != '\n')
		n--;
	return loom_str_sub(prompt, 0, n);
}

static void learn(const struct loom_generation *generation, struct ngram_state *state)
{
	const struct loom_voices_opts *opts = &generation->voices->opts;
	struct loom_buf grove = LOOM_BUF_INIT(LOOM_BUF_MAX);

	state->ngram = loom_ngram_create();
	if (opts->grove_text)
		opts->grove_text(opts->ctx, GROVE_MAX, &grove);
	loom_ngram_learn(state->ngram, tail_of(loom_buf_str(&grove), 2 * GROVE_MAX));
	loom_ngram_learn(state->ngram,
			 settled_part(tail_of(loom_buf_str(&state->prompt), PROMPT_MAX)));
	loom_buf_fini(&grove);
}

/* One seed per choice: from the configured seed, else from the environment's randomness, which
 * LOOM_SEED fixes. */
static void draw_seeds(const struct loom_generation *generation, uint64_t *seeds)
{
	const struct loom_sampling *sampling = &generation->voice.sampling;
	const size_t n = generation->request.n;

	if (sampling->set & LOOM_SAMPLING_SEED)
		for (size_t i = 0; i < n; i++)
			seeds[i] = (uint64_t)sampling->seed + i;
	else
		loom_env_random(generation->voices->opts.env, generation->request.salt, seeds,
				n * sizeof *seeds);
}

static void begin_runs(struct loom_generation *generation, struct ngram_state *state)
{
	const struct loom_sampling *sampling = &generation->voice.sampling;
	const size_t n = generation->request.n;
	uint64_t *seeds = LOOM_ARENA_ARRAY(generation->arena, n, uint64_t);
	struct loom_ngram_opts opts = {
		.temperature = sampling->temperature,
		.top_p = sampling->top_p,
		.min_p = sampling->min_p,
		.top_k = (size_t)sampling->top_k,
		.alternatives = (size_t)sampling->logprobs,
	};

	draw_seeds(generation, seeds);
	state->runs = LOOM_ARENA_ARRAY(generation->arena, n, struct loom_ngram_run *);
	state->left = LOOM_ARENA_ARRAY(generation->arena, n, int64_t);
	for (size_t i = 0; i < n; i++) {
		opts.seed = seeds[i];
		state->runs[i] =
			loom_ngram_begin(state->ngram, loom_buf_str(&state->prompt), &opts);
		state->left[i] = sampling->tokens;
	}
}

static void say(struct loom_generation *generation, size_t choice,
		const struct loom_ngram_token *token)
{
	struct provider_alternative top[LOOM_NGRAM_TOP];
	struct provider_token said = {.text = token->chosen.text,
				      .logprob = token->chosen.logprob,
				      .top = top,
				      .top_count = token->top_count};

	for (size_t i = 0; i < token->top_count; i++)
		top[i] = (struct provider_alternative){token->top[i].text, token->top[i].logprob};
	if (generation->voice.sampling.logprobs)
		provider_choice_token(generation, choice, &said);
	provider_choice_raw(generation, choice, token->chosen.text);
	provider_choice_text(generation, choice, token->chosen.text);
}

/* Draws one token for every choice; false when all have ended. */
static bool slice(void *ctx)
{
	struct loom_generation *generation = ctx;
	struct ngram_state *state = generation->state;
	struct loom_ngram_token token;
	bool more = false;

	if (!state->ngram) {
		learn(generation, state);
		begin_runs(generation, state);
		return true;
	}
	for (size_t i = 0; i < generation->request.n; i++) {
		struct provider_choice *choice = &generation->choices[i];

		if (choice->dropped || choice->ended)
			continue;
		if (state->left[i]-- > 0 && loom_ngram_next(state->runs[i], &token)) {
			choice->usage.out = choice->usage.out < 0 ? 1 : choice->usage.out + 1;
			say(generation, i, &token);
			more = true;
		} else {
			provider_choice_end(generation, i, LOOM_FINISH_LENGTH, NULL);
		}
	}
	return more;
}

static void begin(struct loom_generation *generation)
{
	struct ngram_state *state = LOOM_ARENA_NEW(generation->arena, struct ngram_state);

	loom_buf_init(&state->prompt, LOOM_BUF_MAX);
	join_prompt(&generation->request, &state->prompt);
	generation->state = state;
	generation->sent = generation->voice.sampling;
	generation->sent.set &= ~(unsigned)LOOM_SAMPLING_N;
	loom_loop_idle(generation->voices->opts.loop, slice, generation);
}

static void drop(struct loom_generation *generation, size_t choice)
{
	(void)generation;
	(void)choice;
}

static void destroy(struct loom_generation *generation)
{
	struct ngram_state *state = generation->state;

	loom_loop_idle_cancel(generation->voices->opts.loop, slice, generation);
	if (!state)
		return;
	for (size_t i = 0; state->runs && i < generation->request.n; i++)
		loom_ngram_end(state->runs[i]);
	loom_ngram_destroy(state->ngram);
	loom_buf_fini(&state->prompt);
}

static const struct provider_backend backend = {
	.begin = begin,
	.drop = drop,
	.destroy = destroy,
};

const struct provider_api provider_api_NGRAM = {.backend = &backend};
