/* OpenAI's /v1/responses: the only endpoint of some of its models. Nothing is stored there
 * ("store": false): the conversation is ours, and thoughts come back encrypted, to be sent again as
 * they are. One choice per request, and no stop texts: they are looked for here, as all are. */
#include <loom/providers/dialect.h>

/* Marks thoughts that only this API takes back. */
#define FORMAT "openai-responses-v1"

/* ---- the request ---- */

static void put_part(struct loom_str part, struct loom_arena *arena, struct loom_json *json)
{
	const struct loom_str text = loom_jval_text(loom_jval_get(part, "text"), arena);
	const struct loom_str url =
		loom_jval_text(loom_jval_get(loom_jval_get(part, "image_url"), "url"), arena);
	const struct loom_str type = loom_jval_text(loom_jval_get(part, "type"), arena);

	loom_json_object(json);
	if (url.n) {
		loom_json_put(json, "type", LOOM_STR("input_image"));
		loom_json_put(json, "image_url", url);
	} else {
		loom_json_put(json, "type", LOOM_STR("input_text"));
		loom_json_put(json, "text",
			      text.p ? text
				     : loom_arena_format(arena, "[%.*s]", LOOM_STR_ARG(type)));
	}
	loom_json_end_object(json);
}

static void put_content(const struct loom_prompt_message *message, struct loom_arena *arena,
			struct loom_json *json)
{
	struct loom_jwalk walk = loom_jval_walk(message->parts);
	struct loom_str part;

	loom_json_key(json, "content");
	if (!message->parts.p || message->role == LOOM_ROLE_ASSISTANT) {
		loom_json_text(json, message->text);
		return;
	}
	loom_json_array(json);
	while (loom_jwalk_next(&walk, NULL, &part))
		put_part(part, arena, json);
	loom_json_end_array(json);
}

/* Thoughts of other makers mean nothing here. */
static void put_thoughts(struct loom_str reasoning, struct loom_json *json)
{
	struct loom_jwalk walk = loom_jval_walk(reasoning);
	struct loom_str thought;

	while (loom_jwalk_next(&walk, NULL, &thought)) {
		const struct loom_str data = loom_jval_get(thought, "data");

		if (!data.p || !loom_jval_says(loom_jval_get(thought, "format"), LOOM_STR(FORMAT)))
			continue;
		loom_json_object(json);
		loom_json_put(json, "type", LOOM_STR("reasoning"));
		loom_json_key(json, "summary");
		loom_json_array(json);
		loom_json_end_array(json);
		loom_json_key(json, "encrypted_content");
		loom_json_raw(json, data);
		loom_json_end_object(json);
	}
}

static void put_calls(const struct loom_prompt_message *message, struct loom_json *json)
{
	for (size_t i = 0; i < message->call_count; i++) {
		const struct loom_tool_call *call = &message->calls[i];

		loom_json_object(json);
		loom_json_put(json, "type", LOOM_STR("function_call"));
		loom_json_put(json, "call_id", call->id);
		loom_json_put(json, "name", call->name);
		loom_json_put(json, "arguments", call->arguments);
		loom_json_end_object(json);
	}
}

static void put_message(const struct loom_prompt_message *message, struct loom_arena *arena,
			struct loom_json *json)
{
	if (message->role == LOOM_ROLE_TOOL) {
		loom_json_object(json);
		loom_json_put(json, "type", LOOM_STR("function_call_output"));
		loom_json_put(json, "call_id", message->call_id);
		loom_json_put(json, "output", message->text);
		loom_json_end_object(json);
		return;
	}
	put_thoughts(message->reasoning, json);
	if (message->text.n || message->parts.p || !message->call_count) {
		loom_json_object(json);
		loom_json_put(json, "role",
			      message->role == LOOM_ROLE_ASSISTANT ? LOOM_STR("assistant")
								   : LOOM_STR("user"));
		put_content(message, arena, json);
		loom_json_end_object(json);
	}
	put_calls(message, json);
}

static void put_input(const struct loom_generation *generation, struct loom_json *json)
{
	size_t count = 0;
	const struct loom_prompt_message *messages = provider_prompt_messages(generation, &count);
	const size_t first = count && messages[0].role == LOOM_ROLE_SYSTEM;

	if (first)
		loom_json_put(json, "instructions", messages[0].text);
	loom_json_key(json, "input");
	loom_json_array(json);
	for (size_t i = first; i < count; i++)
		put_message(&messages[i], generation->arena, json);
	loom_json_end_array(json);
}

/* Of thoughts only a summary is to be had, and only when it is asked for. */
static void put_effort(const struct loom_generation *generation, struct loom_json *json)
{
	loom_json_key(json, "reasoning");
	loom_json_object(json);
	loom_json_put(json, "effort", provider_effort_word(generation));
	if (provider_is_to_think(generation))
		loom_json_put(json, "summary", LOOM_STR("auto"));
	loom_json_end_object(json);
}

static const struct provider_mind mind = {.thinks = provider_openai_thinks,
					  .put = put_effort,
					  .least = provider_openai_least};

static void put_include(const struct loom_generation *generation, bool logprobs,
			struct loom_json *json)
{
	const bool thinks = generation->voice.use == LOOM_GENERATE_COLLABORATOR &&
			    (generation->facts->thinks || provider_is_to_think(generation) ||
			     provider_openai_thinks(generation->voice.model.id));

	if (!thinks && !logprobs)
		return;
	loom_json_key(json, "include");
	loom_json_array(json);
	if (thinks)
		loom_json_text(json, LOOM_STR("reasoning.encrypted_content"));
	if (logprobs)
		loom_json_text(json, LOOM_STR("message.output_text.logprobs"));
	loom_json_end_array(json);
}

static void body(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);
	struct loom_sampling sent = provider_ask_sampling(ask);
	const bool logprobs = generation->sent.set & LOOM_SAMPLING_LOGPROBS;

	loom_json_put(json, "model", generation->voice.model.id);
	put_input(generation, json);
	if (generation->effort != LOOM_THINKING_UNSAID)
		put_effort(generation, json);
	put_include(generation, logprobs, json);
	loom_json_put_int(json, "max_output_tokens", sent.tokens);
	if (logprobs)
		loom_json_put_int(json, "top_logprobs", sent.logprobs);
	sent.set &= LOOM_SAMPLING_TEMPERATURE | LOOM_SAMPLING_TOP_P;
	loom_sampling_write(&sent, json);
	loom_json_put_bool(json, "store", false);
	loom_json_put_bool(json, "stream", provider_can(generation->voice.model.caps.stream, true));
}

/* ---- the answer ---- */

static void read_thought(struct provider_ask *ask, struct loom_str item)
{
	const struct loom_str data = loom_jval_get(item, "encrypted_content");
	struct loom_buf thought = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	if (loom_jval_type(data) != LOOM_JTYPE_STRING)
		return;
	loom_json_init(&json, &thought);
	loom_json_object(&json);
	loom_json_put(&json, "type", LOOM_STR("reasoning.encrypted"));
	loom_json_key(&json, "data");
	loom_json_raw(&json, data);
	loom_json_put(&json, "format", LOOM_STR(FORMAT));
	loom_json_end_object(&json);
	provider_ask_signed(ask, 0, loom_buf_str(&thought));
	loom_buf_fini(&thought);
}

/* Takes an item of a whole answer; of a stream, only what its pieces did not bring. */
static void read_item(struct provider_ask *ask, struct loom_str item, bool streamed)
{
	const struct loom_str type = loom_jval_get(item, "type");
	const bool thought = loom_jval_says(type, LOOM_STR("reasoning"));
	const char *const lists[] = {"summary", "content"};
	struct loom_str part;

	if (loom_jval_says(type, LOOM_STR("function_call")))
		provider_ask_native(ask, 0, loom_jval_get(item, "name"),
				    loom_jval_get(item, "arguments"));
	for (size_t i = 0; i < LOOM_COUNT(lists) && !streamed; i++) {
		struct loom_jwalk walk = loom_jval_walk(loom_jval_get(item, lists[i]));

		while (loom_jwalk_next(&walk, NULL, &part)) {
			if (thought)
				provider_ask_thinking(ask, 0, loom_jval_get(part, "text"));
			else
				provider_ask_text(ask, 0, loom_jval_get(part, "text"));
			provider_ask_tokens(ask, 0, loom_jval_get(part, "logprobs"));
		}
	}
	if (thought)
		read_thought(ask, item);
}

static void read_usage(struct provider_ask *ask, struct loom_str usage)
{
	const struct loom_str in = loom_jval_get(usage, "input_tokens_details");
	const struct loom_str out = loom_jval_get(usage, "output_tokens_details");
	const struct provider_usage told = {
		.in = provider_count_of(usage, "input_tokens"),
		.in_cached = provider_count_of(in, "cached_tokens"),
		.out = provider_count_of(usage, "output_tokens"),
		.thinking = provider_count_of(out, "reasoning_tokens"),
		.cost = -1,
	};

	if (loom_jval_type(usage) == LOOM_JTYPE_OBJECT)
		provider_ask_usage(ask, 0, &told);
}

static void read_end(struct provider_ask *ask, struct loom_str response)
{
	const struct loom_str why =
		loom_jval_get(loom_jval_get(response, "incomplete_details"), "reason");
	const struct loom_str status = loom_jval_get(response, "status");
	const struct loom_str message = provider_error_message(response, provider_ask_scratch(ask));

	provider_ask_served(ask, loom_jval_get(response, "model"));
	read_usage(ask, loom_jval_get(response, "usage"));
	if (message.p)
		provider_ask_failed(ask, message);
	else if (loom_jval_says(why, LOOM_STR("content_filter")))
		provider_ask_finish(ask, 0, LOOM_FINISH_FILTER);
	else if (loom_jval_says(status, LOOM_STR("incomplete")))
		provider_ask_finish(ask, 0, LOOM_FINISH_LENGTH);
	else
		provider_ask_finish(ask, 0, LOOM_FINISH_STOP);
	provider_ask_over(ask);
}

static void read_whole(struct provider_ask *ask, struct loom_str response)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(response, "output"));
	struct loom_str item;

	while (loom_jwalk_next(&walk, NULL, &item))
		read_item(ask, item, false);
	read_end(ask, response);
}

static void read_event(struct provider_ask *ask, struct loom_str name, struct loom_str data)
{
	const struct loom_str type = loom_jval_get(data, "type");
	const struct loom_str delta = loom_jval_get(data, "delta");
	const struct loom_str response = loom_jval_get(data, "response");

	(void)name;
	if (loom_jval_says(loom_jval_get(data, "object"), LOOM_STR("response"))) {
		read_whole(ask, data);
	} else if (loom_jval_says(type, LOOM_STR("response.output_text.delta")) ||
		   loom_jval_says(type, LOOM_STR("response.refusal.delta"))) {
		provider_ask_text(ask, 0, delta);
		provider_ask_tokens(ask, 0, loom_jval_get(data, "logprobs"));
	} else if (loom_jval_says(type, LOOM_STR("response.reasoning_summary_text.delta")) ||
		   loom_jval_says(type, LOOM_STR("response.reasoning_text.delta"))) {
		provider_ask_thinking(ask, 0, delta);
	} else if (loom_jval_says(type, LOOM_STR("response.output_item.done"))) {
		read_item(ask, loom_jval_get(data, "item"), true);
	} else if (loom_jval_says(type, LOOM_STR("response.completed")) ||
		   loom_jval_says(type, LOOM_STR("response.incomplete")) ||
		   loom_jval_says(type, LOOM_STR("response.failed"))) {
		read_end(ask, response);
	} else if (loom_jval_says(type, LOOM_STR("error")) || loom_jval_get(data, "error").p) {
		struct loom_str message = provider_error_message(data, provider_ask_scratch(ask));

		if (!message.p)
			message = loom_jval_text(loom_jval_get(data, "message"),
						 provider_ask_scratch(ask));
		provider_ask_failed(ask,
				    message.p ? message : LOOM_STR("an error without a message"));
	}
}

const struct provider_dialect provider_openai_responses = {
	.framing = LOOM_SSE_EVENTS,
	.chat = true,
	.path = "/responses",
	.auth = PROVIDER_BEARER,
	.caps = {.n = 1,
		 .logprobs = 20,
		 .sampling = LOOM_SAMPLING_TEMPERATURE | LOOM_SAMPLING_TOP_P |
			     LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_LOGPROBS,
		 .prefill = LOOM_PREFILL_NO},
	.mind = &mind,
	.thoughts = LOOM_CAN,
	.body = body,
	.event = read_event,
	.end_mark = "[DONE]",
};
