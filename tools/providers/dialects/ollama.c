/* Ollama's /api/generate, raw, so that no template is put around a text, and /api/chat. One event
 * per line, one choice per request. */
#include <loom/providers/dialect.h>

#define CONTEXT_SPARE 64
#define WINDOW_LEAST  2048 /* every server keeps this much by default */

/* By default the server keeps a small window and silently cuts longer prompts, so we request one:
 * the configured size, or a rough estimate in coarse steps, because the server reloads the model
 * for every new size. */
static int64_t window(const struct loom_generation *generation)
{
	const struct loom_generate_request *request = &generation->request;
	size_t bytes = request->system.n + request->text.n;
	int64_t needed = 0;
	int64_t step = WINDOW_LEAST;

	if (generation->voice.model.context)
		return generation->voice.model.context;
	for (size_t i = 0; i < request->message_count; i++)
		bytes += (size_t)loom_prompt_tokens(&request->messages[i]) * 4;
	needed = (int64_t)(bytes / 2) + generation->allowed + CONTEXT_SPARE;
	while (step < needed && step < INT64_MAX / 2)
		step *= 2;
	return step;
}

static void fit(const struct loom_model *model, struct loom_sampling *sent)
{
	(void)model;
	if (!(sent->set & LOOM_SAMPLING_TOP_K))
		sent->top_k = 0;
	sent->set |= LOOM_SAMPLING_TOP_K;
}

static void put_options(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);
	struct loom_sampling sent = provider_ask_sampling(ask);
	int64_t needed = window(generation);

	sent.set &=
		~(unsigned)(LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_LOGPROBS | PROVIDER_SAMPLING_OWN);
	loom_json_key(json, "options");
	loom_json_object(json);
	loom_sampling_write(&sent, json);
	loom_json_put_int(json, "num_predict", sent.tokens);
	/* its default of 1.1 would change the model's own distribution */
	loom_json_put_int(json, "repeat_penalty", 1);
	if (generation->voice.model.context || needed > WINDOW_LEAST)
		loom_json_put_int(json, "num_ctx", needed);
	loom_json_end_object(json);
}

/* Some models take a word for how much to think, the others only whether. */
static void put_think(const struct loom_generation *generation, struct loom_json *json)
{
	if (provider_is_to_think(generation) && generation->facts->adaptive >= 0)
		loom_json_put(json, "think", provider_effort_word(generation));
	else
		loom_json_put_bool(json, "think", provider_is_to_think(generation));
}

static const struct provider_mind mind = {.put = put_think};

/* `think value "low" is not supported for this model`: it only takes yes and no. */
static bool relearn(struct loom_generation *generation, const struct loom_refused *refused)
{
	if (generation->facts->adaptive < 0 || !provider_is_to_think(generation) ||
	    loom_str_find(refused->words, LOOM_STR("think value"), 0) == SIZE_MAX)
		return false;
	generation->facts->adaptive = -1;
	return true;
}

static void put_common(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);

	put_options(ask, json);
	if (generation->sent.set & LOOM_SAMPLING_LOGPROBS) {
		loom_json_put_bool(json, "logprobs", true);
		loom_json_put_int(json, "top_logprobs", generation->sent.logprobs);
	}
	put_think(generation, json);
	loom_json_put_bool(json, "stream", provider_can(generation->voice.model.caps.stream, true));
}

static void generate_body(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);

	loom_json_put(json, "model", generation->voice.model.id);
	provider_put_prompt(generation, json);
	loom_json_put_bool(json, "raw", true);
	put_common(ask, json);
}

/* The data of pictures; the server fetches none. */
static void put_images(struct loom_str parts, struct loom_arena *arena, struct loom_json *json)
{
	const struct loom_str mark = LOOM_STR(";base64,");
	struct loom_jwalk walk = loom_jval_walk(parts);
	struct loom_str *images =
		LOOM_ARENA_ARRAY(arena, loom_jval_count(parts) + 1, struct loom_str);
	struct loom_str part;
	size_t count = 0;

	while (loom_jwalk_next(&walk, NULL, &part)) {
		struct loom_str url =
			loom_jval_text(loom_jval_get(loom_jval_get(part, "image_url"), "url"),
				       arena);
		const size_t at = loom_str_find(url, mark, 0);

		if (at != SIZE_MAX)
			images[count++] = loom_str_sub(url, at + mark.n, url.n);
	}
	if (count)
		loom_json_put_texts(json, "images", images, count);
}

static void put_calls(const struct loom_prompt_message *message, struct loom_json *json)
{
	loom_json_key(json, "tool_calls");
	loom_json_array(json);
	for (size_t i = 0; i < message->call_count; i++) {
		const struct loom_tool_call *call = &message->calls[i];

		loom_json_object(json);
		loom_json_put(json, "id", call->id);
		loom_json_key(json, "function");
		loom_json_object(json);
		loom_json_put(json, "name", call->name);
		loom_json_key(json, "arguments");
		provider_put_input(call, json);
		loom_json_end_object(json);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

/* Here a content is always one text, and arguments are objects. */
static void put_messages(const struct loom_generation *generation, struct loom_json *json)
{
	size_t count = 0;
	const struct loom_prompt_message *messages = provider_prompt_messages(generation, &count);

	loom_json_key(json, "messages");
	loom_json_array(json);
	for (size_t i = 0; i < count; i++) {
		const struct loom_prompt_message *message = &messages[i];

		loom_json_object(json);
		loom_json_put(json, "role", loom_str_of(loom_role_name(message->role)));
		loom_json_put(json, "content", message->text);
		put_images(message->parts, generation->arena, json);
		if (message->call_count)
			put_calls(message, json);
		if (message->role == LOOM_ROLE_TOOL) {
			loom_json_put(json, "tool_name", message->name);
			loom_json_put(json, "tool_call_id", message->call_id);
		}
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void chat_body(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);

	loom_json_put(json, "model", generation->voice.model.id);
	put_messages(generation, json);
	put_common(ask, json);
}

static void read_end(struct provider_ask *ask, struct loom_str data)
{
	struct provider_usage told = {.in = provider_count_of(data, "prompt_eval_count"),
				      .in_cached = -1,
				      .out = provider_count_of(data, "eval_count"),
				      .cost = -1};
	struct loom_str reason = loom_jval_get(data, "done_reason");

	provider_ask_usage(ask, 0, &told);
	provider_ask_finish(ask, 0,
			    loom_jval_says(reason, LOOM_STR("length")) ? LOOM_FINISH_LENGTH
								       : LOOM_FINISH_STOP);
	provider_ask_over(ask);
}

static void read_event(struct provider_ask *ask, struct loom_str name, struct loom_str data)
{
	struct loom_str message = provider_error_message(data, provider_ask_scratch(ask));
	struct loom_str text = loom_jval_get(data, "response");

	(void)name;
	if (message.p) {
		provider_ask_failed(ask, message);
		return;
	}
	if (loom_jval_is_null(text))
		text = loom_jval_get(loom_jval_get(data, "message"), "content");
	provider_ask_served(ask, loom_jval_get(data, "model"));
	provider_ask_tokens(ask, 0, loom_jval_get(data, "logprobs"));
	provider_ask_thinking(ask, 0, loom_jval_get(data, "thinking"));
	provider_ask_thinking(ask, 0, loom_jval_get(loom_jval_get(data, "message"), "thinking"));
	provider_ask_text(ask, 0, text);
	provider_ask_natives(ask, 0, loom_jval_get(loom_jval_get(data, "message"), "tool_calls"));
	if (loom_str_is(loom_jval_get(data, "done"), "true"))
		read_end(ask, data);
}

static const struct provider_dialect generate = {
	.framing = LOOM_SSE_LINES,
	.path = "/api/generate",
	.auth = PROVIDER_BEARER,
	.caps = {.n = 1,
		 .logprobs = 20,
		 .stop = LOOM_STOPS_MAX,
		 .sampling = PROVIDER_SAMPLING_USUAL},
	.mind = &mind,
	.relearn = relearn,
	.fit = fit,
	.body = generate_body,
	.event = read_event,
};

static const struct provider_dialect chat = {
	.framing = LOOM_SSE_LINES,
	.chat = true,
	.path = "/api/chat",
	.auth = PROVIDER_BEARER,
	.caps = {.n = 1,
		 .logprobs = 20,
		 .stop = LOOM_STOPS_MAX,
		 .sampling = PROVIDER_SAMPLING_USUAL,
		 .prefill = LOOM_PREFILL_PLAIN},
	.mind = &mind,
	.relearn = relearn,
	.fit = fit,
	.body = chat_body,
	.event = read_event,
};

const struct provider_api provider_api_OLLAMA = {
	.backend = &provider_backend_http,
	.text = &generate,
	.chat = &chat,
	.models = "/api/tags",
	.models_in = "models",
	.model_id = "name",
};
