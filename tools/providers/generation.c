/* A generation: choices that grow, stop texts, ends.
 *
 * Text is delivered to the sink as soon as it cannot become a stop text, and a character as soon as
 * it is complete. Bytes that are not a character become U+FFFD; the raw answer keeps them. All ends
 * of a generation are delivered before its `done`, which comes from a timer, so that no backend is
 * still working on something freed. */
#include <loom/providers/generation.h>

#include <math.h>

#include <loom/base/hash.h>
#include <loom/base/jval.h>
#include <loom/base/utf8.h>

#include <loom/http/redact.h>

#define TEXT_MAX      ((size_t)8 << 20)
#define RAW_MAX       ((size_t)9 << 20)
#define TOKEN_MAX     ((size_t)16 << 20)
#define COUNTED_LEAST 1000 /* bytes */

const char *loom_finish_name(enum loom_finish finish)
{
	static const char *const names[] = {
		[LOOM_FINISH_STOP] = "stop",           [LOOM_FINISH_STOP_TEXT] = "stop_seq",
		[LOOM_FINISH_LENGTH] = "length",       [LOOM_FINISH_FILTER] = "filter",
		[LOOM_FINISH_CANCELLED] = "cancelled", [LOOM_FINISH_ERROR] = "error",
	};

	return names[finish];
}

void loom_generate_say_wait(int64_t ms, const struct loom_err *why, struct loom_buf *out)
{
	loom_buf_adds(out, why->text);
	if (ms > 0)
		loom_buf_addf(out, "; asking again in %lld s", (long long)((ms + 999) / 1000));
}

static bool takes(const struct provider_choice *choice)
{
	return !choice->dropped && !choice->ended;
}

/* Finds the first stop text in what was not delivered yet. `which` is that text, or NULL for the
 * secret. */
static size_t find_stop(const struct loom_generation *generation,
			const struct provider_choice *choice, const struct loom_str **which)
{
	const struct loom_sampling *sampling = &generation->voice.sampling;
	struct loom_str text = loom_buf_str(&choice->text);
	size_t length = 0;
	size_t best = http_secret_find(text, generation->secret, choice->told, &length);

	*which = NULL;
	for (size_t i = 0; i < sampling->stop_count; i++) {
		size_t at = loom_str_find(text, sampling->stop[i], choice->told);

		if (at < best) {
			best = at;
			*which = &sampling->stop[i];
		}
	}
	return best;
}

/* How many bytes at the end of `text` could be the beginning of `whole`. */
static size_t begun_bytes(struct loom_str text, struct loom_str whole)
{
	size_t n = whole.n ? whole.n - 1 : 0;

	for (n = n < text.n ? n : text.n; n; n--)
		if (memcmp(text.p + text.n - n, whole.p, n) == 0)
			return n;
	return 0;
}

static size_t held_bytes(const struct loom_generation *generation,
			 const struct provider_choice *choice)
{
	const struct loom_sampling *sampling = &generation->voice.sampling;
	struct loom_str text = loom_str_sub(loom_buf_str(&choice->text), choice->told, SIZE_MAX);
	size_t held = http_secret_begun(text, generation->secret);

	for (size_t i = 0; i < sampling->stop_count; i++) {
		size_t n = begun_bytes(text, sampling->stop[i]);

		held = n > held ? n : held;
	}
	return held;
}

static void tell(struct loom_generation *generation, size_t index, size_t upto)
{
	struct provider_choice *choice = &generation->choices[index];
	struct loom_str part =
		loom_str_sub(loom_buf_str(&choice->text), choice->told, upto - choice->told);

	if (!part.n)
		return;
	choice->told = upto;
	if (generation->sink.chunk)
		generation->sink.chunk(generation->sink.ctx, index, part);
}

/* Reads one half of a character above U+FFFF, which JavaScript strings may hold and JSON may carry
 * alone: three bytes in the style of UTF-8. 0 for anything else. */
static uint32_t surrogate_at(struct loom_str s, size_t at)
{
	const unsigned char *p = (const unsigned char *)s.p + at;

	if (s.n - at < 3 || p[0] != 0xED || p[1] < 0xA0 || p[1] > 0xBF || (p[2] & 0xC0) != 0x80)
		return 0;
	return 0xD000u | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
}

/* Skips one character of the tail and adds its meaning; false when the character is incomplete. */
static bool take_character(struct provider_choice *choice, struct loom_str tail, size_t *at)
{
	uint32_t high = surrogate_at(tail, *at);
	uint32_t low = 0;
	size_t from = *at;

	if (!high) {
		if (loom_utf8_next(tail, at) == LOOM_CP_BAD)
			loom_buf_add_cp(&choice->text, 0xFFFD);
		else
			loom_buf_add(&choice->text, loom_str_sub(tail, from, *at - from));
		return true;
	}
	if (high < 0xDC00 && tail.n - from == 3)
		return false;
	low = high < 0xDC00 ? surrogate_at(tail, from + 3) : 0;
	if (low >= 0xDC00)
		loom_buf_add_cp(&choice->text, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
	else
		loom_buf_add_cp(&choice->text, 0xFFFD);
	*at = from + (low >= 0xDC00 ? 6 : 3);
	return true;
}

/* Adds the complete characters of the tail to the text. */
static void take_characters(struct provider_choice *choice)
{
	struct loom_str tail = loom_buf_str(&choice->tail);
	size_t whole = tail.n - loom_utf8_partial_tail(tail);
	size_t at = 0;

	while (at < whole && take_character(choice, loom_str_sub(tail, 0, whole), &at))
		;
	memmove(choice->tail.p, choice->tail.p + at, tail.n - at);
	loom_buf_cut(&choice->tail, tail.n - at);
}

static void stop_here(struct loom_generation *generation, size_t index, size_t at,
		      const struct loom_str *stop)
{
	struct provider_choice *choice = &generation->choices[index];
	struct loom_err err;

	loom_buf_cut(&choice->text, at);
	generation->backend->drop(generation, index);
	if (stop) {
		choice->stop = *stop;
		provider_choice_end(generation, index, LOOM_FINISH_STOP_TEXT, NULL);
		return;
	}
	loom_fail(&err, LOOM_MODEL, "the server sent back the key");
	provider_choice_end(generation, index, LOOM_FINISH_ERROR, &err);
}

/* Where a text has as many tokens as were wanted: at a blank, if there is one near. SIZE_MAX if it
 * has fewer, or if the server counts no more than the text. */
static size_t wanted_end(const struct loom_generation *generation,
			 const struct provider_choice *choice)
{
	const struct loom_str text = loom_buf_str(&choice->text);
	const double wanted = (double)generation->voice.sampling.tokens;
	struct loom_text_mix mix = {.bytes = {0}};
	size_t blank = 0;

	if (generation->allowed <= generation->voice.sampling.tokens)
		return SIZE_MAX;
	for (size_t at = 0; at < text.n;) {
		const size_t from = at;

		(void)loom_utf8_next(text, &at);
		if (text.p[from] == ' ' || text.p[from] == '\n')
			blank = from;
		loom_text_mix_add(&mix, loom_str_sub(text, from, at - from));
		if (loom_density_tokens(&generation->facts->density, &mix) > wanted)
			return blank > from / 2 && blank >= choice->told ? blank
			       : from > choice->told                     ? from
									 : choice->told;
	}
	return SIZE_MAX;
}

static void end_at_length(struct loom_generation *generation, size_t index, size_t at)
{
	loom_buf_cut(&generation->choices[index].text, at);
	generation->backend->drop(generation, index);
	provider_choice_end(generation, index, LOOM_FINISH_LENGTH, NULL);
}

void provider_choice_text(struct loom_generation *generation, size_t index, struct loom_str bytes)
{
	struct provider_choice *choice = &generation->choices[index];
	const struct loom_str *stop = NULL;
	struct loom_err err;
	size_t at = 0;

	if (!takes(choice) || !bytes.n)
		return;
	if (!choice->first_ms)
		choice->first_ms = loom_env_boot();
	loom_buf_add(&choice->tail, bytes);
	take_characters(choice);
	at = find_stop(generation, choice, &stop);
	if (at != SIZE_MAX) {
		stop_here(generation, index, at, stop);
	} else if ((at = wanted_end(generation, choice)) != SIZE_MAX) {
		end_at_length(generation, index, at);
	} else if (choice->text.bad != LOOM_OK) {
		loom_fail(&err, LOOM_MODEL, "the answer is larger than %zu bytes", TEXT_MAX);
		generation->backend->drop(generation, index);
		provider_choice_end(generation, index, LOOM_FINISH_ERROR, &err);
	} else {
		tell(generation, index, choice->text.n - held_bytes(generation, choice));
	}
}

void provider_choice_thinking(struct loom_generation *generation, size_t index,
			      struct loom_str text)
{
	struct provider_choice *choice = &generation->choices[index];
	const size_t told = choice->thinking.n;

	if (!takes(choice) || !text.n)
		return;
	/* a text with half a character or half a surrogate is cut out of nothing that is kept */
	for (size_t at = 0; at < text.n;) {
		const size_t from = at;

		if (loom_utf8_next(text, &at) == LOOM_CP_BAD)
			loom_buf_add_cp(&choice->thinking, 0xFFFD);
		else
			loom_buf_add(&choice->thinking, loom_str_sub(text, from, at - from));
	}
	http_secret_hide(choice->thinking.p, choice->thinking.n, generation->secret);
	if (generation->sink.thinks && choice->thinking.bad == LOOM_OK)
		generation->sink.thinks(generation->sink.ctx, index,
					loom_str_sub(loom_buf_str(&choice->thinking), told,
						     SIZE_MAX));
}

void provider_choice_signed(struct loom_generation *generation, size_t index,
			    struct loom_str thought)
{
	struct loom_buf *list = &generation->choices[index].signed_thoughts;

	if (!takes(&generation->choices[index]))
		return;
	if (list->n)
		loom_buf_addc(list, ',');
	loom_jval_compact(thought, list);
	generation->choices[index].signed_upto = generation->choices[index].thinking.n;
}

void provider_choice_asked(struct loom_generation *generation, size_t index, struct loom_str body,
			   size_t choices)
{
	generation->choices[index].body = body;
	generation->choices[index].asked = choices;
}

void provider_choice_raw(struct loom_generation *generation, size_t index, struct loom_str bytes)
{
	if (takes(&generation->choices[index]))
		loom_buf_add(&generation->choices[index].raw, bytes);
}

/* Rounds to a millionth: no measurement is finer, and records stay short. */
static double shown_logprob(double logprob)
{
	return logprob < PROVIDER_LOGPROB_LEAST || isnan(logprob) ? PROVIDER_LOGPROB_LEAST
								  : round(logprob * 1e6) / 1e6;
}

void provider_choice_token(struct loom_generation *generation, size_t index,
			   const struct provider_token *token)
{
	struct provider_choice *choice = &generation->choices[index];
	struct loom_buf hex = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	if (!takes(choice))
		return;
	if (choice->token_count++)
		loom_buf_addc(&choice->tokens, ',');
	loom_json_init(&json, &choice->tokens);
	loom_json_array(&json);
	provider_record_text(&json, token->text);
	loom_json_real(&json, shown_logprob(token->logprob));
	loom_json_array(&json);
	for (size_t i = 0; i < token->top_count; i++) {
		loom_json_array(&json);
		provider_record_text(&json, token->top[i].text);
		loom_json_real(&json, shown_logprob(token->top[i].logprob));
		loom_json_end_array(&json);
	}
	loom_json_end_array(&json);
	/* Part of a character, or something a text cannot hold: add its bytes. */
	if (!loom_utf8_valid(token->text, NULL) ||
	    loom_str_find_char(token->text, '\0', 0) != SIZE_MAX) {
		loom_hex(token->text.p, token->text.n, &hex);
		loom_json_text(&json, loom_buf_str(&hex));
		loom_buf_fini(&hex);
	}
	loom_json_end_array(&json);
}

static void finish(void *ctx)
{
	struct loom_generation *generation = ctx;
	struct loom_generate_sink sink = generation->sink;

	generation->timer = 0;
	provider_generation_destroy(generation);
	sink.done(sink.ctx);
}

static void wake(struct loom_generation *generation, loom_loop_fn *fn)
{
	struct loom_loop *loop = generation->voices->opts.loop;

	loom_loop_timer_cancel(loop, generation->timer);
	generation->timer = loom_loop_timer(loop, 0, fn, generation);
}

/* Remembers that the model thinks, and whether it does so although it was told not to. */
static void note_thoughts(struct loom_generation *generation, const struct provider_choice *choice)
{
	struct loom_facts *facts = generation->facts;
	const bool told_not_to = generation->effort == LOOM_THINKING_NONE && !facts->least.n;

	if (!facts || (!choice->thinking.n && choice->usage.thinking <= 0) ||
	    (facts->thinks && (facts->stubborn || !told_not_to)))
		return;
	facts->thinks = true;
	facts->stubborn |= told_not_to;
	loom_learned_keep(generation->voices->learned, facts);
}

void provider_learn_tokens(struct loom_generation *generation, int64_t tokens)
{
	const struct loom_generate_request *request = &generation->request;
	struct loom_density *density = &generation->facts->density;
	struct loom_text_mix mix = {.bytes = {0}};
	const bool first = loom_density_empty(density);
	double before = 0;
	double bytes = 0;

	if (generation->counted || tokens <= 0)
		return;
	loom_text_mix_add(&mix, request->system);
	loom_text_mix_add(&mix, request->text);
	for (size_t i = 0; i < request->message_count; i++)
		loom_text_mix_add(&mix, request->messages[i].text);
	for (int kind = 0; kind < LOOM_TEXT_KIND_COUNT; kind++)
		bytes += mix.bytes[kind];
	/* of a short prompt most is what we and the server put around it */
	if (bytes < COUNTED_LEAST)
		return;
	generation->counted = true;
	before = loom_density_tokens(density, &mix);
	loom_density_learn(density, &mix, (double)tokens);
	if (first || fabs(before - (double)tokens) > (double)tokens / 20)
		loom_learned_keep(generation->voices->learned, generation->facts);
}

/* Says why nothing was written. */
static void explain_empty(const struct loom_generation *generation,
			  const struct provider_choice *choice, enum loom_finish finish,
			  struct loom_err *out)
{
	const int64_t thought = choice->usage.thinking;
	const int64_t all = choice->usage.out > thought ? choice->usage.out : thought;

	if (finish == LOOM_FINISH_FILTER) {
		loom_fail(out, LOOM_MODEL, "the provider withheld the answer");
		return;
	}
	if (!thought && !choice->thinking.n)
		return;
	if (thought > 0)
		loom_fail(out, LOOM_MODEL,
			  "the model wrote nothing: %lld of %lld tokens were thought",
			  (long long)thought, (long long)all);
	else
		loom_fail(out, LOOM_MODEL, "the model wrote nothing: all it sent was thought");
	loom_hint(
		out, LOOM_MODEL,
		generation->effort > LOOM_THINKING_LOW
			? "effort:low thinks less; tokens:N leaves room for a longer text"
			: "effort:none thinks less, effort:low has room to think; it is asked with "
			  "room from now on");
}

void provider_choice_end(struct loom_generation *generation, size_t index,
			 enum loom_finish finished, const struct loom_err *why)
{
	struct provider_choice *choice = &generation->choices[index];
	struct loom_buf record = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf native = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf reasoning = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_generated result = {.finish = finished};

	if (choice->ended)
		return;
	if (!choice->dropped)
		tell(generation, index, choice->text.n);
	note_thoughts(generation, choice);
	if (finished != LOOM_FINISH_ERROR)
		provider_learn_tokens(generation, choice->usage.in);
	/* The answer may contain the key that was sent; nothing stored may. */
	http_secret_hide(choice->raw.p, choice->raw.n, generation->secret);
	if (why)
		result.err = *why;
	else if (!choice->text.n && finished != LOOM_FINISH_CANCELLED)
		explain_empty(generation, choice, finished, &result.err);
	provider_choice_record(generation, index, finished, why, &record);
	http_secret_hide(record.p, record.n, generation->secret);
	result.text = loom_buf_str(&choice->text);
	result.raw = loom_buf_str(&choice->raw);
	result.record = loom_buf_str(&record);
	provider_choice_native_json(choice, &native);
	http_secret_hide(native.p, native.n, generation->secret);
	result.native = loom_buf_str(&native);
	result.thinking = loom_buf_str(&choice->thinking);
	if (choice->signed_thoughts.n && choice->signed_thoughts.bad == LOOM_OK) {
		loom_buf_addc(&reasoning, '[');
		loom_buf_add(&reasoning, loom_buf_str(&choice->signed_thoughts));
		loom_buf_addc(&reasoning, ']');
		http_secret_hide(reasoning.p, reasoning.n, generation->secret);
	}
	result.reasoning = loom_buf_str(&reasoning);
	result.body = choice->body;
	result.overflow = generation->overflow;
	result.overflow_prompt = generation->sizes.prompt;
	result.overflow_window = generation->sizes.window;
	choice->ended = true;
	if (++generation->ended == generation->request.n)
		wake(generation, finish);
	generation->sink.end(generation->sink.ctx, index, &result);
	loom_buf_fini(&record);
	loom_buf_fini(&native);
	loom_buf_fini(&reasoning);
}

static void copy_messages(struct loom_generate_request *request, struct loom_arena *arena)
{
	struct loom_prompt_message *messages =
		LOOM_ARENA_ARRAY(arena, request->message_count, struct loom_prompt_message);

	for (size_t i = 0; i < request->message_count; i++)
		messages[i] = loom_prompt_copy(&request->messages[i], arena);
	request->messages = messages;
}

struct loom_generation *provider_generation_create(struct loom_voices *voices,
						   const struct provider_voice *voice,
						   const struct loom_generate_request *request,
						   const struct loom_generate_sink *sink,
						   struct loom_arena *arena)
{
	struct loom_generation *generation = loom_alloc(sizeof *generation);

	LOOM_ASSERT(request->n >= 1);
	*generation = (struct loom_generation){
		.voices = voices,
		.arena = arena,
		.voice = *voice,
		.request = *request,
		.sink = *sink,
		.strategy = LOOM_WAY_COMPLETION,
		.choices = LOOM_ARENA_ARRAY(arena, request->n, struct provider_choice),
		.began = loom_env_boot(),
	};
	generation->request.system = loom_arena_str(arena, request->system);
	generation->request.text = loom_arena_str(arena, request->text);
	generation->request.input = loom_arena_str(arena, request->input);
	generation->facts =
		loom_learned_of(voices->learned, voice->provider->base_url, voice->model.id);
	copy_messages(&generation->request, arena);
	for (size_t i = 0; i < request->n; i++) {
		struct provider_choice *choice = &generation->choices[i];

		loom_buf_init(&choice->text, TEXT_MAX);
		loom_buf_init(&choice->tail, TEXT_MAX);
		loom_buf_init(&choice->raw, RAW_MAX);
		loom_buf_init(&choice->native, RAW_MAX);
		loom_buf_init(&choice->tokens, TOKEN_MAX);
		loom_buf_init(&choice->thinking, TEXT_MAX);
		loom_buf_init(&choice->signed_thoughts, RAW_MAX);
		choice->usage = (struct provider_usage){-1, -1, -1, -1, 0, 0};
	}
	generation->next = voices->first;
	voices->first = generation;
	return generation;
}

static void begin(void *ctx)
{
	struct loom_generation *generation = ctx;

	generation->timer = 0;
	generation->begun = true;
	generation->backend->begin(generation);
}

void provider_generation_begin(struct loom_generation *generation)
{
	wake(generation, begin);
}

/* Delivers the ends of dropped choices. */
static void settle(void *ctx)
{
	struct loom_generation *generation = ctx;

	generation->timer = 0;
	for (size_t i = 0; i < generation->request.n; i++)
		if (generation->choices[i].dropped && !generation->choices[i].ended)
			provider_choice_end(generation, i, LOOM_FINISH_CANCELLED, NULL);
	/* this timer replaced the one that was to begin it */
	if (!generation->begun && generation->ended < generation->request.n)
		wake(generation, begin);
}

void provider_generation_cancel(struct loom_generation *generation, size_t choice)
{
	for (size_t i = 0; i < generation->request.n; i++) {
		struct provider_choice *one = &generation->choices[i];

		if ((choice != LOOM_CHOICES_ALL && choice != i) || !takes(one))
			continue;
		tell(generation, i, one->text.n);
		one->dropped = true;
		if (generation->begun)
			generation->backend->drop(generation, i);
	}
	if (generation->ended < generation->request.n)
		wake(generation, settle);
}

void provider_generation_destroy(struct loom_generation *generation)
{
	struct loom_generation **at = &generation->voices->first;

	while (*at != generation)
		at = &(*at)->next;
	*at = generation->next;
	loom_loop_timer_cancel(generation->voices->opts.loop, generation->timer);
	generation->backend->destroy(generation);
	for (size_t i = 0; i < generation->request.n; i++) {
		loom_buf_fini(&generation->choices[i].text);
		loom_buf_fini(&generation->choices[i].tail);
		loom_buf_fini(&generation->choices[i].raw);
		loom_buf_fini(&generation->choices[i].native);
		loom_buf_fini(&generation->choices[i].tokens);
		loom_buf_fini(&generation->choices[i].thinking);
		loom_buf_fini(&generation->choices[i].signed_thoughts);
	}
	loom_arena_destroy(generation->arena);
	free(generation);
}
