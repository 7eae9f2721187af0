/* A request is read into a plan; its choices grow a token each in turn, so that they stream side by
 * side; what a choice has not told yet goes out in the format asked for, after each token or, when
 * nobody wants a stream, at the end. */
#include "support/tiny_server.h"

#include <math.h>
#include <time.h>

#include <loom/base/arena.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/base/utf8.h>

#define CHOICES_MAX 16
#define TOP_MAX     20
#define STOPS_MAX   16

struct option {
	int token;
	double logprob; /* in the model's own distribution */
	double chance;  /* in the one that is drawn from */
};

/* A token that was drawn, and what else might have been. */
struct drawn {
	struct option option;
	struct option top[TOP_MAX];
};

struct choice {
	struct tiny_run *run;
	float *logits;
	uint64_t random;
	struct loom_buf text;
	size_t told; /* bytes of it */
	struct drawn *drawn;
	size_t count;
	size_t drawn_told;
	const char *end; /* "eos", "limit", "word"; NULL while it grows */
	struct loom_str stop;
	bool closed;
};

struct plan {
	const struct tiny_server *server;
	const struct fake_ask *ask;
	struct loom_arena *arena;
	struct loom_buf out;
	struct option *options; /* one a word of the vocabulary */
	bool native;
	bool stream;
	int *prompt;
	size_t prompt_count;
	double temperature, top_p, min_p;
	int64_t top_k, tokens, seed, n, top;
	struct loom_str stops[STOPS_MAX];
	size_t stop_count;
	struct choice choices[CHOICES_MAX];
};

/* ---- reading the request ---- */

static int64_t whole(struct loom_str body, const char *key, int64_t usual)
{
	int64_t value = usual;

	return loom_jval_int(loom_jval_get(body, key), &value) ? value : usual;
}

static double real(struct loom_str body, const char *key, double usual)
{
	double value = usual;

	return loom_jval_real(loom_jval_get(body, key), &value) ? value : usual;
}

static void read_stops(struct plan *plan, struct loom_str list)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;

	if (loom_jval_type(list) != LOOM_JTYPE_ARRAY)
		return;
	while (plan->stop_count < STOPS_MAX && loom_jwalk_next(&walk, NULL, &item))
		plan->stops[plan->stop_count++] = loom_jval_text(item, plan->arena);
}

static void read_plan(struct plan *plan)
{
	struct loom_str body = loom_jval_of(plan->ask->body);
	struct loom_str prompt = loom_jval_text(loom_jval_get(body, "prompt"), plan->arena);
	const bool native = plan->native;

	plan->stream = loom_str_is(loom_jval_get(body, "stream"), "true");
	plan->tokens = whole(body, native ? "n_predict" : "max_tokens", native ? -1 : 16);
	plan->n = whole(body, native ? "n_cmpl" : "n", 1);
	plan->top = whole(body, native ? "n_probs" : "logprobs", 0);
	plan->temperature = real(body, "temperature", native ? 0.8 : 1);
	plan->top_p = real(body, "top_p", native ? 0.95 : 1);
	plan->min_p = real(body, "min_p", native ? 0.05 : 0);
	plan->top_k = whole(body, "top_k", native ? 40 : 0);
	plan->seed = whole(body, "seed", 0);
	read_stops(plan, loom_jval_get(body, "stop"));
	plan->prompt = LOOM_ARENA_ARRAY(plan->arena, prompt.n + 2, int);
	plan->prompt_count = tiny_split(plan->server->tiny, prompt, plan->prompt, prompt.n + 2);
}

static const char *refusal(const struct plan *plan)
{
	if (plan->n < 1 || plan->n > CHOICES_MAX)
		return "n is out of range";
	if (plan->top < 0 || plan->top > TOP_MAX)
		return "too many alternatives";
	if (plan->prompt_count >= (size_t)tiny_window(plan->server->tiny))
		return "the prompt is longer than the context";
	return NULL;
}

/* ---- drawing ---- */

static double next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static int by_logprob(const void *a, const void *b)
{
	const struct option *x = a, *y = b;

	if (x->logprob != y->logprob)
		return x->logprob < y->logprob ? 1 : -1;
	return (x->token > y->token) - (x->token < y->token);
}

/* All words, the likeliest first. */
static void list_options(struct plan *plan, const float *logits)
{
	const int words = tiny_words(plan->server->tiny);
	double most = -INFINITY, sum = 0;

	for (int i = 0; i < words; i++)
		most = fmax(most, logits[i]);
	for (int i = 0; i < words; i++)
		sum += exp(logits[i] - most);
	for (int i = 0; i < words; i++)
		plan->options[i] = (struct option){i, logits[i] - most - log(sum), 0};
	qsort(plan->options, (size_t)words, sizeof *plan->options, by_logprob);
}

/* How many of the listed are drawn from; sets their chances. */
static int narrow(struct plan *plan)
{
	const int words = tiny_words(plan->server->tiny);
	struct option *options = plan->options;
	int n = plan->top_k > 0 && plan->top_k < words ? (int)plan->top_k : words;
	double sum = 0, above = 0;
	int kept = 0;

	for (int i = 0; i < n; i++)
		sum += options[i].chance =
			exp((options[i].logprob - options[0].logprob) / plan->temperature);
	while (kept < n &&
	       (kept == 0 || (above < plan->top_p * sum && options[kept].chance >= plan->min_p)))
		above += options[kept++].chance;
	return kept;
}

static struct option draw(struct plan *plan, struct choice *choice)
{
	double sum = 0, left;
	int n = 1;

	if (plan->temperature <= 0)
		return plan->options[0];
	n = narrow(plan);
	for (int i = 0; i < n; i++)
		sum += plan->options[i].chance;
	left = next_random(&choice->random) * sum;
	for (int i = 0; i < n; i++) {
		left -= plan->options[i].chance;
		if (left < 0)
			return plan->options[i];
	}
	return plan->options[n - 1];
}

/* The position of a stop text, or SIZE_MAX. */
static size_t find_stop(const struct plan *plan, struct choice *choice)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < plan->stop_count; i++) {
		size_t at = loom_str_find(loom_buf_str(&choice->text), plan->stops[i], 0);

		if (at < first) {
			first = at;
			choice->stop = plan->stops[i];
		}
	}
	return first;
}

static void grow(struct plan *plan, struct choice *choice)
{
	const struct tiny *tiny = plan->server->tiny;
	struct drawn *drawn = &choice->drawn[choice->count];
	size_t stop;

	list_options(plan, choice->logits);
	memcpy(drawn->top, plan->options, sizeof drawn->top);
	drawn->option = draw(plan, choice);
	if (drawn->option.token == TINY_BEGIN || drawn->option.token == TINY_END) {
		choice->end = "eos";
		return;
	}
	choice->count++;
	loom_buf_add(&choice->text, tiny_piece(tiny, drawn->option.token));
	stop = find_stop(plan, choice);
	if (stop != SIZE_MAX) {
		loom_buf_cut(&choice->text, stop);
		choice->end = "word";
	} else if ((plan->tokens >= 0 && choice->count >= (size_t)plan->tokens) ||
		   plan->prompt_count + choice->count >= (size_t)tiny_window(tiny)) {
		choice->end = "limit";
	} else {
		choice->logits = tiny_step(choice->run, drawn->option.token);
	}
}

/* ---- telling ---- */

/* The text that can be sent: whole characters, and nothing that may still become a stop. */
static struct loom_str news_of(const struct plan *plan, struct choice *choice)
{
	struct loom_str text = loom_buf_str(&choice->text);
	size_t longest = 0, end = text.n;

	for (size_t i = 0; i < plan->stop_count; i++)
		longest = plan->stops[i].n > longest ? plan->stops[i].n : longest;
	if (!choice->end && longest)
		end = end > longest - 1 ? end - (longest - 1) : 0;
	text = loom_str_sub(text, 0, end);
	text.n -= loom_utf8_partial_tail(text);
	text = text.n > choice->told ? loom_str_sub(text, choice->told, SIZE_MAX) : LOOM_STR("");
	choice->told += text.n;
	return text;
}

static void put_option(const struct plan *plan, struct loom_json *json, const struct option *option)
{
	struct loom_str piece = tiny_piece(plan->server->tiny, option->token);

	loom_json_put_int(json, "id", option->token);
	loom_json_put(json, "token", loom_utf8_valid(piece, NULL) ? piece : LOOM_STR(""));
	loom_json_key(json, "bytes");
	loom_json_array(json);
	for (size_t i = 0; i < piece.n; i++)
		loom_json_number(json, (unsigned char)piece.p[i]);
	loom_json_end_array(json);
	loom_json_key(json, "logprob");
	loom_json_real(json, option->logprob);
}

static void put_native_tokens(const struct plan *plan, struct choice *choice,
			      struct loom_json *json)
{
	loom_json_key(json, "completion_probabilities");
	loom_json_array(json);
	for (; choice->drawn_told < choice->count; choice->drawn_told++) {
		const struct drawn *drawn = &choice->drawn[choice->drawn_told];

		loom_json_object(json);
		put_option(plan, json, &drawn->option);
		loom_json_key(json, "top_logprobs");
		loom_json_array(json);
		for (int64_t i = 0; i < plan->top; i++) {
			loom_json_object(json);
			put_option(plan, json, &drawn->top[i]);
			loom_json_end_object(json);
		}
		loom_json_end_array(json);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void put_native(const struct plan *plan, struct choice *choice, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put_int(json, "index", choice - plan->choices);
	loom_json_put(json, "content", news_of(plan, choice));
	loom_json_put_bool(json, "stop", choice->end != NULL);
	loom_json_put_int(json, "tokens_predicted", (int64_t)choice->count);
	loom_json_put_int(json, "tokens_evaluated", (int64_t)plan->prompt_count);
	if (plan->top)
		put_native_tokens(plan, choice, json);
	if (choice->end) {
		loom_json_put(json, "model", LOOM_STR("stories260K"));
		loom_json_put(json, "stop_type", loom_str_of(choice->end));
		loom_json_put(json, "stopping_word", choice->stop.p ? choice->stop : LOOM_STR(""));
	}
	loom_json_end_object(json);
}

static void put_piece(const struct plan *plan, struct loom_json *json, const struct option *option)
{
	struct loom_str piece = tiny_piece(plan->server->tiny, option->token);

	loom_json_text(json, loom_utf8_valid(piece, NULL) ? piece : LOOM_STR("\xef\xbf\xbd"));
}

/* Three lists beside each other. */
static void put_listed_tokens(const struct plan *plan, struct choice *choice,
			      struct loom_json *json)
{
	const size_t from = choice->drawn_told;

	choice->drawn_told = choice->count;
	loom_json_key(json, "tokens");
	loom_json_array(json);
	for (size_t i = from; i < choice->count; i++)
		put_piece(plan, json, &choice->drawn[i].option);
	loom_json_end_array(json);
	loom_json_key(json, "token_logprobs");
	loom_json_array(json);
	for (size_t i = from; i < choice->count; i++)
		loom_json_real(json, choice->drawn[i].option.logprob);
	loom_json_end_array(json);
	loom_json_key(json, "top_logprobs");
	loom_json_array(json);
	for (size_t i = from; i < choice->count; i++) {
		loom_json_object(json);
		for (int64_t j = 0; j < plan->top; j++) {
			char key[256];
			const struct option *option = &choice->drawn[i].top[j];
			struct loom_str piece = tiny_piece(plan->server->tiny, option->token);

			if (!loom_utf8_valid(piece, NULL) || !piece.n)
				continue;
			snprintf(key, sizeof key, "%.*s", LOOM_STR_ARG(piece));
			loom_json_key(json, key);
			loom_json_real(json, option->logprob);
		}
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void put_choice(const struct plan *plan, struct choice *choice, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put_int(json, "index", choice - plan->choices);
	loom_json_put(json, "text", news_of(plan, choice));
	loom_json_key(json, "finish_reason");
	if (choice->end)
		loom_json_text(json, strcmp(choice->end, "limit") == 0 ? LOOM_STR("length")
								       : LOOM_STR("stop"));
	else
		loom_json_null(json);
	if (plan->top) {
		loom_json_key(json, "logprobs");
		loom_json_object(json);
		put_listed_tokens(plan, choice, json);
		loom_json_end_object(json);
	}
	loom_json_end_object(json);
}

static void put_usage(const struct plan *plan, struct loom_json *json)
{
	int64_t out = 0;

	for (int64_t i = 0; i < plan->n; i++)
		out += (int64_t)plan->choices[i].count;
	loom_json_key(json, "usage");
	loom_json_object(json);
	loom_json_put_int(json, "prompt_tokens", (int64_t)plan->prompt_count);
	loom_json_put_int(json, "completion_tokens", out);
	loom_json_end_object(json);
}

/* The choices from..to in OpenAI's envelope. */
static void put_choices(struct plan *plan, int64_t from, int64_t to, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put(json, "object", LOOM_STR("text_completion"));
	loom_json_put(json, "model", LOOM_STR("stories260K"));
	loom_json_key(json, "choices");
	loom_json_array(json);
	for (int64_t i = from; i < to; i++)
		put_choice(plan, &plan->choices[i], json);
	loom_json_end_array(json);
	if (to - from != 1 || !plan->stream)
		put_usage(plan, json);
	loom_json_end_object(json);
}

static bool send_event(struct plan *plan, struct choice *choice)
{
	struct loom_json json;
	int64_t at = choice - plan->choices;

	loom_buf_clear(&plan->out);
	loom_buf_adds(&plan->out, "data: ");
	loom_json_init(&json, &plan->out);
	if (plan->native)
		put_native(plan, choice, &json);
	else
		put_choices(plan, at, at + 1, &json);
	loom_buf_adds(&plan->out, "\n\n");
	choice->closed = choice->end != NULL;
	return fake_say(plan->ask, 200, "text/event-stream", loom_buf_str(&plan->out));
}

static void send_end(struct plan *plan)
{
	struct loom_json json;

	if (plan->native)
		return;
	loom_buf_clear(&plan->out);
	loom_buf_adds(&plan->out, "data: ");
	loom_json_init(&json, &plan->out);
	put_choices(plan, 0, 0, &json);
	loom_buf_adds(&plan->out, "\n\ndata: [DONE]\n\n");
	(void)fake_say(plan->ask, 200, "text/event-stream", loom_buf_str(&plan->out));
}

static void send_whole(struct plan *plan)
{
	struct loom_json json;

	loom_buf_clear(&plan->out);
	loom_json_init(&json, &plan->out);
	if (!plan->native) {
		put_choices(plan, 0, plan->n, &json);
	} else if (plan->n == 1) {
		put_native(plan, &plan->choices[0], &json);
	} else {
		loom_json_array(&json);
		for (int64_t i = 0; i < plan->n; i++)
			put_native(plan, &plan->choices[i], &json);
		loom_json_end_array(&json);
	}
	(void)fake_say(plan->ask, 200, "application/json", loom_buf_str(&plan->out));
}

/* ---- the work ---- */

static void begin_choice(struct plan *plan, struct choice *choice)
{
	const size_t window = (size_t)tiny_window(plan->server->tiny);
	const uint64_t number = (uint64_t)(choice - plan->choices);

	choice->run = tiny_run_create(plan->server->tiny);
	choice->random = (uint64_t)plan->seed * UINT64_C(0x2545f4914f6cdd1d) ^ number << 32;
	loom_buf_init(&choice->text, (size_t)1 << 20);
	choice->drawn = LOOM_ARENA_ARRAY(plan->arena, window + 1, struct drawn);
	for (size_t i = 0; i < plan->prompt_count; i++)
		choice->logits = tiny_step(choice->run, plan->prompt[i]);
	if (plan->tokens == 0)
		choice->end = "limit";
}

/* Generates one more token for each open choice. False when nobody listens or all have ended. */
static bool go_on(struct plan *plan)
{
	struct timespec pause = {.tv_nsec = (long)plan->server->pace_ms * 1000000};
	bool more = false;

	if (pause.tv_nsec)
		nanosleep(&pause, NULL);
	for (int64_t i = 0; i < plan->n; i++) {
		struct choice *choice = &plan->choices[i];

		if (choice->closed)
			continue;
		if (!choice->end)
			grow(plan, choice);
		if (plan->stream && !send_event(plan, choice))
			return false;
		choice->closed = choice->end != NULL;
		more = more || !choice->end;
	}
	return more;
}

static void complete(struct plan *plan)
{
	for (int64_t i = 0; i < plan->n; i++)
		begin_choice(plan, &plan->choices[i]);
	while (go_on(plan))
		continue;
	if (plan->stream)
		send_end(plan);
	else
		send_whole(plan);
	for (int64_t i = 0; i < plan->n; i++) {
		tiny_run_destroy(plan->choices[i].run);
		loom_buf_fini(&plan->choices[i].text);
	}
}

static void refuse(struct plan *plan, const char *why)
{
	loom_buf_addf(&plan->out, "{\"error\":{\"code\":400,\"message\":\"%s\"}}", why);
	(void)fake_say(plan->ask, 400, "application/json", loom_buf_str(&plan->out));
}

void tiny_serve(void *ctx, const struct fake_ask *ask)
{
	struct plan *plan = loom_alloc(sizeof *plan);
	const struct tiny_server *server = ctx;
	const char *why = NULL;

	plan->server = server;
	plan->ask = ask;
	plan->arena = loom_arena_create();
	plan->native = loom_str_is(ask->path, "/completion");
	plan->options =
		LOOM_ARENA_ARRAY(plan->arena, (size_t)tiny_words(server->tiny), struct option);
	loom_buf_init(&plan->out, LOOM_BUF_MAX);
	if (loom_str_is(ask->method, "POST") &&
	    (plan->native || loom_str_is(ask->path, "/v1/completions"))) {
		read_plan(plan);
		why = refusal(plan);
		if (why)
			refuse(plan, why);
		else
			complete(plan);
	}
	loom_buf_fini(&plan->out);
	loom_arena_destroy(plan->arena);
	free(plan);
}
