/* llama.cpp's own /completion. Its default samplers are switched off: unless somebody sets
 * parameters, draws come from the model's own distribution. Texts only; chats use its OpenAI
 * endpoint. */
#include <loom/providers/dialect.h>

static void fit(const struct loom_model *model, struct loom_sampling *sent)
{
	(void)model;
	if (!(sent->set & LOOM_SAMPLING_TOP_K))
		sent->top_k = 0;
	if (!(sent->set & LOOM_SAMPLING_MIN_P))
		sent->min_p = 0;
	sent->set |= LOOM_SAMPLING_TOP_K | LOOM_SAMPLING_MIN_P;
}

static void body(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);
	struct loom_sampling sent = provider_ask_sampling(ask);
	size_t n = provider_ask_count(ask);

	provider_put_prompt(generation, json);
	provider_put_llamacpp(&sent, json);
	sent.set &=
		~(unsigned)(LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_LOGPROBS | PROVIDER_SAMPLING_OWN);
	loom_sampling_write(&sent, json);
	loom_json_put_int(json, "n_predict", sent.tokens);
	loom_json_put_int(json, "repeat_penalty", 1);
	loom_json_put_bool(json, "cache_prompt", true);
	if (n > 1)
		loom_json_put_int(json, "n_cmpl", (int64_t)n);
	if (generation->sent.set & LOOM_SAMPLING_LOGPROBS)
		loom_json_put_int(json, "n_probs", sent.logprobs);
	loom_json_put_bool(json, "stream", provider_can(generation->voice.model.caps.stream, true));
}

static void read_end(struct provider_ask *ask, size_t at, struct loom_str object)
{
	struct loom_str type = loom_jval_get(object, "stop_type");
	struct loom_str timings = loom_jval_get(object, "timings");
	int64_t prompt_n = provider_count_of(timings, "prompt_n");
	struct provider_usage told = {.in = provider_count_of(object, "tokens_evaluated"),
				      .in_cached = -1,
				      .out = provider_count_of(object, "tokens_predicted"),
				      .cost = -1};

	if (told.in >= 0 && prompt_n >= 0 && prompt_n <= told.in)
		told.in_cached = told.in - prompt_n;
	provider_ask_usage(ask, at, &told);
	if (loom_jval_says(type, LOOM_STR("word"))) {
		provider_ask_finish(ask, at, LOOM_FINISH_STOP_TEXT);
		provider_ask_stopped(ask, at, loom_jval_get(object, "stopping_word"));
	} else if (loom_jval_says(type, LOOM_STR("limit")) ||
		   loom_str_is(loom_jval_get(object, "stopped_limit"), "true")) {
		provider_ask_finish(ask, at, LOOM_FINISH_LENGTH);
	} else {
		provider_ask_finish(ask, at, LOOM_FINISH_STOP);
	}
}

static void read_object(struct provider_ask *ask, struct loom_str object)
{
	struct loom_str message = provider_error_message(object, provider_ask_scratch(ask));
	int64_t index = provider_count_of(object, "index");
	size_t at = index < 0 ? 0 : (size_t)index;

	provider_ask_served(ask, loom_jval_get(object, "model"));
	provider_ask_tokens(ask, at, loom_jval_get(object, "completion_probabilities"));
	provider_ask_text(ask, at, loom_jval_get(object, "content"));
	if (loom_str_is(loom_jval_get(object, "stop"), "true"))
		read_end(ask, at, object);
	if (message.p)
		provider_ask_failed(ask, message);
}

/* Several choices of an answer that is not streamed form a list. */
static void read_event(struct provider_ask *ask, struct loom_str name, struct loom_str data)
{
	struct loom_jwalk walk = loom_jval_walk(data);
	struct loom_str item;

	(void)name;
	if (loom_jval_type(data) != LOOM_JTYPE_ARRAY)
		read_object(ask, data);
	else
		while (loom_jwalk_next(&walk, NULL, &item))
			read_object(ask, item);
}

static const struct provider_dialect completion = {
	.framing = LOOM_SSE_EVENTS,
	.path = "/completion",
	.auth = PROVIDER_BEARER,
	.caps = {.n = 4,
		 .logprobs = 20,
		 .stop = LOOM_STOPS_MAX,
		 .sampling = PROVIDER_SAMPLING_USUAL | PROVIDER_SAMPLING_LLAMACPP},
	.fit = fit,
	.body = body,
	.event = read_event,
};

const struct provider_api provider_api_LLAMACPP = {
	.backend = &provider_backend_http,
	.text = &completion,
	.chat = &provider_llamacpp_chat,
	.models = "/v1/models",
	.models_in = "data",
	.model_id = "id",
	.any_name = true,
};
