/* /v1/completions and /v1/chat/completions as OpenAI, OpenRouter, vLLM, llama.cpp, LM Studio and
 * many others speak them: the same events with small differences, all of which are accepted from
 * all. */
#include <loom/providers/dialect.h>

/* OpenAI takes max_completion_tokens for chats and refuses the older name for some models; other
 * servers know only the older one. */
static const char *tokens_key(const struct loom_generation *generation, bool chat)
{
	const struct loom_model *model = &generation->voice.model;
	const struct loom_str learned = generation->facts->tokens_key;
	bool own = loom_str_find(model->provider->base_url, LOOM_STR("://api.openai.com"), 0) !=
		   SIZE_MAX;

	if (learned.n && model->caps.completion_tokens == LOOM_CAN_UNSAID)
		return loom_str_is(learned, "max_completion_tokens") ? "max_completion_tokens"
								     : "max_tokens";
	return chat && provider_can(model->caps.completion_tokens, own) ? "max_completion_tokens"
									: "max_tokens";
}

/* ---- parameters ---- */

/* Writes one bias as llama.cpp's list has it. An object's keys are strings there, in which digits
 * are a token's number; in a list they would be a text. */
static void put_one_bias(struct loom_json *json, struct loom_str key, struct loom_str value)
{
	const struct loom_str name = key.n > 2 ? loom_str_sub(key, 1, key.n - 2) : key;
	size_t digits = 0;

	while (digits < name.n && name.p[digits] >= '0' && name.p[digits] <= '9')
		digits++;
	loom_json_array(json);
	loom_json_raw(json, digits == name.n && (name.p[0] != '0' || name.n == 1) ? name : key);
	loom_json_raw(json, value);
	loom_json_end_array(json);
}

static void put_bias(const struct loom_sampling *sent, struct loom_json *json)
{
	struct loom_jwalk walk = loom_jval_walk(sent->logit_bias);
	struct loom_str token;
	struct loom_str item;

	loom_json_key(json, "logit_bias");
	if (!(sent->set & LOOM_SAMPLING_BAN)) {
		loom_json_raw(json, sent->logit_bias);
		return;
	}
	/* a ban is a bias too: every token of the text at minus infinity */
	loom_json_array(json);
	while (loom_jwalk_next(&walk, &token, &item))
		if (walk.object)
			put_one_bias(json, token, item);
		else
			loom_json_raw(json, item);
	for (size_t i = 0; i < sent->ban_count; i++) {
		loom_json_array(json);
		loom_json_text(json, sent->ban[i]);
		loom_json_bool(json, false);
		loom_json_end_array(json);
	}
	loom_json_end_array(json);
}

void provider_put_llamacpp(const struct loom_sampling *sent, struct loom_json *json)
{
	if (sent->set & LOOM_SAMPLING_TOP_N_SIGMA) {
		loom_json_key(json, "top_n_sigma");
		loom_json_real(json, sent->top_n_sigma);
	}
	if (sent->set & LOOM_SAMPLING_DRY) {
		loom_json_key(json, "dry_multiplier");
		loom_json_real(json, sent->dry);
	}
	if (sent->set & LOOM_SAMPLING_XTC) {
		loom_json_key(json, "xtc_probability");
		loom_json_real(json, sent->xtc);
	}
	if (sent->set & (LOOM_SAMPLING_LOGIT_BIAS | LOOM_SAMPLING_BAN))
		put_bias(sent, json);
	if (sent->set & LOOM_SAMPLING_GRAMMAR)
		loom_json_put(json, "grammar", sent->grammar);
}

static void put_sampling(const struct provider_ask *ask, bool chat, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);
	struct loom_sampling sent = provider_ask_sampling(ask);
	size_t n = provider_ask_count(ask);

	provider_put_llamacpp(&sent, json);
	/* these have other names or types */
	sent.set &=
		~(unsigned)(LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_LOGPROBS | PROVIDER_SAMPLING_OWN);
	loom_sampling_write(&sent, json);
	loom_json_put_int(json, tokens_key(generation, chat), sent.tokens);
	if (n > 1)
		loom_json_put_int(json, "n", (int64_t)n);
	if (!(generation->sent.set & LOOM_SAMPLING_LOGPROBS))
		return;
	if (chat)
		loom_json_put_bool(json, "logprobs", true);
	loom_json_put_int(json, chat ? "top_logprobs" : "logprobs", sent.logprobs);
}

static void put_common(const struct provider_ask *ask, bool chat, struct loom_json *json)
{
	const struct loom_model *model = &provider_ask_generation(ask)->voice.model;
	bool stream = provider_can(model->caps.stream, true);

	put_sampling(ask, chat, json);
	loom_json_put_bool(json, "stream", stream);
	if (!stream)
		return;
	loom_json_key(json, "stream_options");
	loom_json_object(json);
	loom_json_put_bool(json, "include_usage", true);
	loom_json_end_object(json);
}

static void completions_body(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);

	loom_json_put(json, "model", generation->voice.model.id);
	provider_put_prompt(generation, json);
	put_common(ask, false, json);
}

static void chat_body(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);
	const struct loom_model *model = &generation->voice.model;
	enum loom_prefill prefill = generation->strategy == LOOM_WAY_PREFILL
					    ? provider_prefill_of(provider_dialect_of(model), model)
					    : LOOM_PREFILL_NO;

	loom_json_put(json, "model", model->id);
	provider_put_messages(generation, prefill == LOOM_PREFILL_PREFIX, json);
	if (prefill == LOOM_PREFILL_FINAL) {
		loom_json_put_bool(json, "add_generation_prompt", false);
		loom_json_put_bool(json, "continue_final_message", true);
	}
	if (generation->effort != LOOM_THINKING_UNSAID)
		provider_dialect_of(model)->mind->put(generation, json);
	put_common(ask, true, json);
}

/* ---- how much to think ---- */

/* The name without the vendor that a router puts before it. */
static struct loom_str plain_id(struct loom_str id)
{
	const size_t slash = loom_str_find_char(id, '/', 0);

	return slash == SIZE_MAX ? id : loom_str_sub(id, slash + 1, SIZE_MAX);
}

static bool is_o_series(struct loom_str id)
{
	return id.n >= 2 && id.p[0] == 'o' && id.p[1] >= '1' && id.p[1] <= '9';
}

/* OpenAI's models from GPT-5 on, and those before them that were made to think. */
bool provider_openai_thinks(struct loom_str id)
{
	const struct loom_str plain = plain_id(id);

	return is_o_series(plain) ||
	       (loom_str_starts(plain, LOOM_STR("gpt-")) && plain.n > 4 && plain.p[4] >= '5' &&
		plain.p[4] <= '9' && loom_str_find(plain, LOOM_STR("chat"), 0) == SIZE_MAX);
}

/* Returns the least effort that a model accepts; from GPT-5.1 on that is none. */
struct loom_str provider_openai_least(struct loom_str id)
{
	const struct loom_str plain = plain_id(id);

	if (is_o_series(plain))
		return LOOM_STR("low");
	if (loom_str_is(plain, "gpt-5") || loom_str_starts(plain, LOOM_STR("gpt-5-")))
		return LOOM_STR("minimal");
	return LOOM_STR("none");
}

static void put_effort(const struct loom_generation *generation, struct loom_json *json)
{
	const struct loom_str word = provider_effort_word(generation);

	if (!provider_is_router(generation->voice.provider)) {
		loom_json_put(json, "reasoning_effort", word);
		return;
	}
	loom_json_key(json, "reasoning");
	loom_json_object(json);
	loom_json_put(json, "effort", word);
	loom_json_end_object(json);
}

static const struct provider_mind mind = {.thinks = provider_openai_thinks,
					  .put = put_effort,
					  .least = provider_openai_least};

/* llama.cpp passes these to the model's chat template. */
static void put_template(const struct loom_generation *generation, struct loom_json *json)
{
	loom_json_key(json, "chat_template_kwargs");
	loom_json_object(json);
	loom_json_put_bool(json, "enable_thinking", provider_is_to_think(generation));
	if (provider_is_to_think(generation))
		loom_json_put(json, "reasoning_effort", provider_effort_word(generation));
	loom_json_end_object(json);
}

static const struct provider_mind template_mind = {.put = put_template};

/* ---- answers ---- */

static enum loom_finish finish_of(struct loom_str reason)
{
	if (loom_jval_says(reason, LOOM_STR("length")))
		return LOOM_FINISH_LENGTH;
	if (loom_jval_says(reason, LOOM_STR("content_filter")))
		return LOOM_FINISH_FILTER;
	if (loom_jval_says(reason, LOOM_STR("error")))
		return LOOM_FINISH_ERROR;
	return LOOM_FINISH_STOP;
}

/* Reads a list of alternatives in the older shape: {"text": logprob, …}. */
static size_t read_top(struct provider_ask *ask, struct loom_str object,
		       struct provider_alternative **out)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct provider_alternative *top =
		LOOM_ARENA_ARRAY(provider_ask_scratch(ask), loom_jval_count(object) + 1,
				 struct provider_alternative);
	struct loom_str key;
	struct loom_str value;
	size_t n = 0;

	*out = top;
	if (loom_jval_type(object) != LOOM_JTYPE_OBJECT)
		return 0;
	while (loom_jwalk_next(&walk, &key, &value)) {
		top[n] = (struct provider_alternative){loom_jval_text(key,
								      provider_ask_scratch(ask)),
						       PROVIDER_LOGPROB_LEAST};
		(void)loom_jval_real(value, &top[n++].logprob);
	}
	return n;
}

/* Reads the older shape, parallel lists. A null value was not scored (an echoed first token). */
static void legacy_tokens(struct provider_ask *ask, size_t choice, struct loom_str logprobs)
{
	struct loom_jwalk tokens = loom_jval_walk(loom_jval_get(logprobs, "tokens"));
	struct loom_jwalk values = loom_jval_walk(loom_jval_get(logprobs, "token_logprobs"));
	struct loom_jwalk tops = loom_jval_walk(loom_jval_get(logprobs, "top_logprobs"));
	struct loom_str token;
	struct loom_str value;
	struct loom_str top = {NULL, 0};

	while (loom_jwalk_next(&tokens, NULL, &token) && loom_jwalk_next(&values, NULL, &value)) {
		struct provider_alternative *list = NULL;
		struct provider_token told = {
			.text = loom_jval_text(token, provider_ask_scratch(ask))};

		if (!loom_jwalk_next(&tops, NULL, &top))
			top = loom_str_make(NULL, 0);
		told.top_count = read_top(ask, top, &list);
		told.top = list;
		if (loom_jval_real(value, &told.logprob))
			provider_ask_token(ask, choice, &told);
	}
}

/* Thoughts come as reasoning_content, reasoning or thinking; signed ones also as a list. */
static void read_thinking(struct provider_ask *ask, size_t at, struct loom_str message)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(message, "reasoning_details"));
	struct loom_str text = loom_jval_get(message, "reasoning_content");
	struct loom_str item;

	if (loom_jval_type(text) != LOOM_JTYPE_STRING)
		text = loom_jval_get(message, "reasoning");
	if (loom_jval_type(text) != LOOM_JTYPE_STRING)
		text = loom_jval_get(message, "thinking");
	provider_ask_thinking(ask, at, text);
	while (loom_jwalk_next(&walk, NULL, &item))
		provider_ask_signed(ask, at, item);
}

static void read_choice(struct provider_ask *ask, struct loom_str choice)
{
	struct loom_str text = loom_jval_get(choice, "text");
	struct loom_str message = loom_jval_get(choice, "delta");
	struct loom_str logprobs = loom_jval_get(choice, "logprobs");
	struct loom_str reason = loom_jval_get(choice, "finish_reason");
	struct loom_str stop = loom_jval_get(choice, "stop_reason");
	int64_t index = provider_count_of(choice, "index");
	struct loom_str older;
	size_t at = index < 0 ? 0 : (size_t)index;

	if (loom_jval_is_null(message))
		message = loom_jval_get(choice, "message");
	older = loom_jval_get(message, "function_call");
	if (loom_jval_is_null(text))
		text = loom_jval_get(message, "content");
	if (loom_jval_type(logprobs) == LOOM_JTYPE_OBJECT) {
		provider_ask_tokens(ask, at, logprobs);
		legacy_tokens(ask, at, logprobs);
	}
	read_thinking(ask, at, message);
	provider_ask_text(ask, at, text);
	provider_ask_natives(ask, at, loom_jval_get(message, "tool_calls"));
	provider_ask_native(ask, at, loom_jval_get(older, "name"),
			    loom_jval_get(older, "arguments"));
	if (loom_jval_type(reason) == LOOM_JTYPE_STRING)
		provider_ask_finish(ask, at, finish_of(reason));
	provider_ask_stopped(ask, at, stop); /* vLLM reports which */
}

/* llama.cpp reports usage in each choice's last event, for that choice alone. */
static void read_usage(struct provider_ask *ask, struct loom_str event, struct loom_str usage)
{
	struct loom_str choices = loom_jval_get(event, "choices");
	struct loom_str details = loom_jval_get(usage, "prompt_tokens_details");
	struct loom_str parts = loom_jval_get(usage, "completion_tokens_details");
	struct provider_usage told = {.in = provider_count_of(usage, "prompt_tokens"),
				      .in_cached = provider_count_of(details, "cached_tokens"),
				      .out = provider_count_of(usage, "completion_tokens"),
				      .thinking = provider_count_of(parts, "reasoning_tokens"),
				      .cost = -1};
	struct loom_jwalk walk = loom_jval_walk(choices);
	struct loom_str choice;
	int64_t index = -1;

	if (loom_jval_type(usage) != LOOM_JTYPE_OBJECT)
		return;
	(void)loom_jval_real(loom_jval_get(usage, "cost"), &told.cost);
	if (loom_jval_count(choices) == 1 && loom_jwalk_next(&walk, NULL, &choice))
		index = provider_count_of(choice, "index");
	provider_ask_usage(ask, index < 0 ? PROVIDER_CHOICES_ALL : (size_t)index, &told);
}

static void read_event(struct provider_ask *ask, struct loom_str name, struct loom_str data)
{
	struct loom_str message = provider_error_message(data, provider_ask_scratch(ask));
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(data, "choices"));
	struct loom_str choice;

	(void)name;
	provider_ask_served(ask, loom_jval_get(data, "model"));
	while (loom_jwalk_next(&walk, NULL, &choice))
		read_choice(ask, choice);
	read_usage(ask, data, loom_jval_get(data, "usage"));
	if (message.p)
		provider_ask_failed(ask, message);
}

static const struct provider_dialect completions = {
	.framing = LOOM_SSE_EVENTS,
	.path = "/completions",
	.auth = PROVIDER_BEARER,
	.caps = {.n = 128,
		 .logprobs = 5,
		 .stop = 4,
		 .sampling = PROVIDER_SAMPLING_USUAL | PROVIDER_SAMPLING_LLAMACPP},
	.body = completions_body,
	.event = read_event,
	.end_mark = "[DONE]",
};

static const struct provider_dialect chat = {
	.framing = LOOM_SSE_EVENTS,
	.chat = true,
	.thoughts = LOOM_CAN_NOT,
	.path = "/chat/completions",
	.auth = PROVIDER_BEARER,
	.caps = {.n = 128,
		 .logprobs = 20,
		 .stop = 4,
		 .sampling = PROVIDER_SAMPLING_USUAL | PROVIDER_SAMPLING_LLAMACPP,
		 .prefill = LOOM_PREFILL_NO},
	.mind = &mind,
	.body = chat_body,
	.event = read_event,
	.end_mark = "[DONE]",
};

/* llama.cpp's chat endpoint, which continues a final assistant message. */
const struct provider_dialect provider_llamacpp_chat = {
	.framing = LOOM_SSE_EVENTS,
	.chat = true,
	.path = "/v1/chat/completions",
	.auth = PROVIDER_BEARER,
	.caps = {.n = 4,
		 .logprobs = 20,
		 .stop = LOOM_STOPS_MAX,
		 .sampling = PROVIDER_SAMPLING_USUAL | PROVIDER_SAMPLING_LLAMACPP,
		 .prefill = LOOM_PREFILL_PLAIN},
	.mind = &template_mind,
	.body = chat_body,
	.event = read_event,
	.end_mark = "[DONE]",
};

/* OpenAI's ids begin with gpt-; special-purpose kinds carry their purpose in the id. */
static bool is_small(struct loom_str id)
{
	static const char *const others[] = {"audio", "realtime",   "search", "image",
					     "codex", "transcribe", "tts"};

	for (size_t i = 0; i < LOOM_COUNT(others); i++)
		if (loom_str_find(id, loom_str_of(others[i]), 0) != SIZE_MAX)
			return false;
	/* a model that always thinks is too slow for one line */
	return loom_str_starts(id, LOOM_STR("gpt-")) &&
	       loom_str_find(id, LOOM_STR("-mini"), 0) != SIZE_MAX &&
	       loom_str_is(provider_openai_least(id), "none");
}

static const struct provider_small small = {.vendor = "OpenAI",
					    .usual = "gpt-4o-mini",
					    .born = "created",
					    .fits = is_small};

const struct provider_api provider_api_OPENAI = {
	.backend = &provider_backend_http,
	.text = &completions,
	.chat = &chat,
	.models = "/models",
	.models_in = "data",
	.model_id = "id",
	.small = &small,
};
