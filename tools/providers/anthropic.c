/* Anthropic's /v1/messages. Uses only texts: thinking could not be sent back without its signature,
 * and tools are never offered. The system prompt is separate from the messages, and a request gives
 * one choice.
 *
 * Models from 4.6 on refuse the beginning of an answer, and later ones any sampling other than
 * their own. Older models are recognised by their ids; a configuration may override this. */
#include "dialect.h"

/* Whether a model belongs to the generations that accept prefill. */
static bool is_older(const struct loom_model *model)
{
	static const char *const marks[] = {"claude-2",    "claude-3",     "claude-instant",
					    "-4-0",        "-4-1",         "-4-5",
					    "opus-4-2025", "sonnet-4-2025"};

	for (size_t i = 0; i < LOOM_COUNT(marks); i++)
		if (loom_str_find(model->id, loom_str_of(marks[i]), 0) != SIZE_MAX)
			return true;
	return false;
}

/* Whether a model accepts sampling; the first generation that refuses prefill still does. */
static bool takes_sampling(const struct loom_model *model)
{
	return is_older(model) || loom_str_find(model->id, LOOM_STR("-4-6"), 0) != SIZE_MAX;
}

static enum loom_prefill prefill(const struct loom_model *model)
{
	return is_older(model) ? LOOM_PREFILL_PLAIN : LOOM_PREFILL_NO;
}

static void put_messages(const struct loom_generation *generation, struct loom_json *json)
{
	size_t count = 0;
	const struct loom_prompt_message *messages = provider_prompt_messages(generation, &count);
	size_t first = count && messages[0].role == LOOM_ROLE_SYSTEM;

	if (first)
		loom_json_put(json, "system", messages[0].text);
	loom_json_key(json, "messages");
	loom_json_array(json);
	for (size_t i = first; i < count; i++) {
		loom_json_object(json);
		loom_json_put(json, "role",
			      messages[i].role == LOOM_ROLE_ASSISTANT ? LOOM_STR("assistant")
								      : LOOM_STR("user"));
		loom_json_put(json, "content", messages[i].text);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void fit(const struct loom_model *model, struct loom_sampling *sent)
{
	bool sampling = provider_can(model->caps.temperature, takes_sampling(model));

	if (!sampling)
		sent->set &= ~(unsigned)(LOOM_SAMPLING_TEMPERATURE | LOOM_SAMPLING_TOP_K);
	/* Some models refuse the two together; one without effect is left out. */
	if (!sampling || sent->top_p >= 1)
		sent->set &= ~(unsigned)LOOM_SAMPLING_TOP_P;
}

/* The server refuses a stop text of blanks alone; it is looked for here, as all of them are. */
static void put_stops(const struct loom_sampling *sent, struct loom_arena *arena,
		      struct loom_json *json)
{
	struct loom_str *stops = LOOM_ARENA_ARRAY(arena, sent->stop_count, struct loom_str);
	size_t count = 0;

	for (size_t i = 0; i < sent->stop_count; i++)
		if (loom_str_trim(sent->stop[i]).n)
			stops[count++] = sent->stop[i];
	if (count)
		loom_json_put_texts(json, "stop_sequences", stops, count);
}

static void put_sampling(const struct loom_generation *generation, struct loom_json *json)
{
	struct loom_sampling sent = generation->sent;

	loom_json_put_int(json, "max_tokens", sent.tokens);
	sent.set &= ~(unsigned)(LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_STOP);
	loom_sampling_write(&sent, json);
	if (generation->sent.set & LOOM_SAMPLING_STOP)
		put_stops(&sent, generation->arena, json);
}

static void body(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);

	loom_json_put(json, "model", generation->voice.model.id);
	put_messages(generation, json);
	put_sampling(generation, json);
	loom_json_put_bool(json, "stream", provider_can(generation->voice.model.caps.stream, true));
}

/* The server does not count cached tokens as input tokens; we do. Numbers accumulate: a number
 * missing from an event was given by an earlier one. */
static void read_usage(struct provider_ask *ask, struct loom_str usage)
{
	struct provider_usage told = provider_ask_told(ask);
	int64_t in = provider_count_of(usage, "input_tokens");
	int64_t read = provider_count_of(usage, "cache_read_input_tokens");
	int64_t made = provider_count_of(usage, "cache_creation_input_tokens");
	int64_t out = provider_count_of(usage, "output_tokens");

	if (in >= 0 && (told.in < 0 || read >= 0 || made >= 0)) {
		told.in = in + (read > 0 ? read : 0) + (made > 0 ? made : 0);
		told.in_cached = read;
	}
	if (out >= 0)
		told.out = out;
	if (loom_jval_type(usage) == LOOM_JTYPE_OBJECT)
		provider_ask_usage(ask, 0, &told);
}

static void read_stop(struct provider_ask *ask, struct loom_str object)
{
	struct loom_str reason = loom_jval_get(object, "stop_reason");
	struct loom_str text = loom_jval_get(object, "stop_sequence");

	if (loom_jval_type(reason) != LOOM_JTYPE_STRING)
		return;
	if (loom_jval_says(reason, LOOM_STR("max_tokens")) ||
	    loom_jval_says(reason, LOOM_STR("model_context_window_exceeded")))
		provider_ask_finish(ask, 0, LOOM_FINISH_LENGTH);
	else if (loom_jval_says(reason, LOOM_STR("refusal")))
		provider_ask_finish(ask, 0, LOOM_FINISH_FILTER);
	else
		provider_ask_finish(ask, 0, LOOM_FINISH_STOP);
	if (loom_jval_says(reason, LOOM_STR("stop_sequence")))
		provider_ask_stopped(ask, 0, text);
}

/* Takes a block of text or of a tool's call, or a piece of one. */
static void tell_text(struct provider_ask *ask, struct loom_str block, const char *type)
{
	struct loom_str is = loom_jval_get(block, "type");

	if (loom_jval_says(is, LOOM_STR("tool_use")))
		provider_ask_native(ask, 0, loom_jval_get(block, "name"),
				    loom_jval_get(block, "input"));
	else if (loom_jval_says(is, LOOM_STR("input_json_delta")))
		provider_ask_native(ask, 0, LOOM_STR(""), loom_jval_get(block, "partial_json"));
	if (loom_jval_says(loom_jval_get(block, "type"), loom_str_of(type)))
		provider_ask_text(ask, 0, loom_jval_get(block, "text"));
}

/* Reads the message at the start of a stream, or a whole answer. */
static void read_message(struct provider_ask *ask, struct loom_str message)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(message, "content"));
	struct loom_str block;

	provider_ask_served(ask, loom_jval_get(message, "model"));
	while (loom_jwalk_next(&walk, NULL, &block))
		tell_text(ask, block, "text");
	read_usage(ask, loom_jval_get(message, "usage"));
	read_stop(ask, message);
}

static void read_event(struct provider_ask *ask, struct loom_str name, struct loom_str data)
{
	struct loom_str type = loom_jval_get(data, "type");
	struct loom_str message = provider_error_message(data, provider_ask_scratch(ask));

	(void)name;
	if (message.p) {
		provider_ask_failed(ask, message);
	} else if (loom_jval_says(type, LOOM_STR("message_start"))) {
		read_message(ask, loom_jval_get(data, "message"));
	} else if (loom_jval_says(type, LOOM_STR("message"))) {
		read_message(ask, data);
	} else if (loom_jval_says(type, LOOM_STR("content_block_start"))) {
		tell_text(ask, loom_jval_get(data, "content_block"), "text");
	} else if (loom_jval_says(type, LOOM_STR("content_block_delta"))) {
		tell_text(ask, loom_jval_get(data, "delta"), "text_delta");
	} else if (loom_jval_says(type, LOOM_STR("message_delta"))) {
		read_stop(ask, loom_jval_get(data, "delta"));
		read_usage(ask, loom_jval_get(data, "usage"));
	} else if (loom_jval_says(type, LOOM_STR("message_stop"))) {
		provider_ask_over(ask);
	}
}

static const char *const headers[] = {"anthropic-version: 2023-06-01", NULL};

static const struct provider_dialect messages = {
	.framing = LOOM_SSE_EVENTS,
	.chat = true,
	.path = "/v1/messages",
	.auth = "x-api-key: ",
	.headers = headers,
	.caps = {.n = 1,
		 .stop = LOOM_STOPS_MAX,
		 .sampling = LOOM_SAMPLING_TEMPERATURE | LOOM_SAMPLING_TOP_P | LOOM_SAMPLING_TOP_K |
			     LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_STOP},
	.fit = fit,
	.body = body,
	.event = read_event,
	.prefill = prefill,
	.trims = true,
};

const struct provider_api provider_api_ANTHROPIC = {
	.backend = &provider_backend_http,
	.chat = &messages,
	.models = "/v1/models",
	.models_in = "data",
	.model_id = "id",
};
