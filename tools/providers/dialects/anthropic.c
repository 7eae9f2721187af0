/* Anthropic's /v1/messages. Thoughts go back only with their signature, and tools are never
 * offered: those that the history calls are defined, as the server demands, and barred. The system
 * prompt is separate from the messages, and a request gives one choice.
 *
 * Models from 4.6 on refuse the beginning of an answer, and later ones any sampling other than
 * their own. Older models are recognised by their ids; a configuration may override this. */
#include <loom/providers/dialect.h>

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

/* ---- messages ---- */

static void put_text(struct loom_str text, struct loom_json *json)
{
	/* The server refuses blank blocks. */
	if (!loom_str_trim(text).n)
		return;
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("text"));
	loom_json_put(json, "text", text);
	loom_json_end_object(json);
}

/* A picture by its address, or with its data: "data:image/png;base64,…". */
static void put_image(struct loom_str url, struct loom_json *json)
{
	const struct loom_str lead = LOOM_STR("data:");
	const size_t mark = loom_str_find(url, LOOM_STR(";base64,"), 0);

	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("image"));
	loom_json_key(json, "source");
	loom_json_object(json);
	if (loom_str_starts(url, lead) && mark != SIZE_MAX) {
		loom_json_put(json, "type", LOOM_STR("base64"));
		loom_json_put(json, "media_type", loom_str_sub(url, lead.n, mark - lead.n));
		loom_json_put(json, "data", loom_str_sub(url, mark + 8, url.n));
	} else {
		loom_json_put(json, "type", LOOM_STR("url"));
		loom_json_put(json, "url", url);
	}
	loom_json_end_object(json);
	loom_json_end_object(json);
}

static void put_part(struct loom_str part, struct loom_arena *arena, struct loom_json *json)
{
	struct loom_str text = loom_jval_text(loom_jval_get(part, "text"), arena);
	struct loom_str type = loom_jval_text(loom_jval_get(part, "type"), arena);
	struct loom_str url =
		loom_jval_text(loom_jval_get(loom_jval_get(part, "image_url"), "url"), arena);

	if (text.p)
		put_text(text, json);
	else if (url.n)
		put_image(url, json);
	else
		put_text(loom_arena_format(arena, "[%.*s]", LOOM_STR_ARG(type)), json);
}

/* Thoughts go back as they were signed; those of other makers are none to this server. */
static void put_thought(struct loom_str thought, struct loom_json *json)
{
	struct loom_str format = loom_jval_get(thought, "format");
	struct loom_str text = loom_jval_get(thought, "text");
	struct loom_str data = loom_jval_get(thought, "data");

	if (format.p && loom_str_find(format, LOOM_STR("anthropic"), 0) == SIZE_MAX)
		return;
	loom_json_object(json);
	loom_json_put(json, "type", text.p ? LOOM_STR("thinking") : LOOM_STR("redacted_thinking"));
	loom_json_key(json, text.p ? "thinking" : "data");
	loom_json_raw(json, text.p ? text : data);
	if (text.p) {
		loom_json_key(json, "signature");
		loom_json_raw(json, loom_jval_get(thought, "signature"));
	}
	loom_json_end_object(json);
}

static void put_call(const struct loom_tool_call *call, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("tool_use"));
	loom_json_put(json, "id", call->id);
	loom_json_put(json, "name", call->name);
	loom_json_key(json, "input");
	provider_put_input(call, json);
	loom_json_end_object(json);
}

static void put_parts(const struct loom_prompt_message *message, struct loom_arena *arena,
		      struct loom_json *json)
{
	struct loom_jwalk walk = loom_jval_walk(message->parts);
	struct loom_str part;

	loom_json_array(json);
	while (loom_jwalk_next(&walk, NULL, &part))
		put_part(part, arena, json);
	loom_json_end_array(json);
}

static void put_content(const struct loom_prompt_message *message, struct loom_arena *arena,
			struct loom_json *json)
{
	loom_json_key(json, "content");
	if (message->parts.p)
		put_parts(message, arena, json);
	else
		loom_json_text(json, message->text);
}

/* An assistant's message: thoughts, text, calls. */
static void put_own(const struct loom_prompt_message *message, struct loom_json *json)
{
	struct loom_jwalk walk = loom_jval_walk(message->reasoning);
	struct loom_str thought;

	loom_json_key(json, "content");
	if (!message->reasoning.p && !message->call_count) {
		loom_json_text(json, message->text);
		return;
	}
	loom_json_array(json);
	while (loom_jwalk_next(&walk, NULL, &thought))
		put_thought(thought, json);
	put_text(message->text, json);
	for (size_t i = 0; i < message->call_count; i++)
		put_call(&message->calls[i], json);
	loom_json_end_array(json);
}

/* The results of a message's calls are one message of the user's. Returns where they end. */
static size_t put_results(const struct loom_prompt_message *messages, size_t from, size_t count,
			  struct loom_arena *arena, struct loom_json *json)
{
	size_t i = from;

	loom_json_key(json, "content");
	loom_json_array(json);
	for (; i < count && messages[i].role == LOOM_ROLE_TOOL; i++) {
		loom_json_object(json);
		loom_json_put(json, "type", LOOM_STR("tool_result"));
		loom_json_put(json, "tool_use_id", messages[i].call_id);
		put_content(&messages[i], arena, json);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	return i;
}

static bool named_before(const struct loom_prompt_message *messages, size_t at, size_t call)
{
	for (size_t i = 0; i <= at; i++)
		for (size_t k = 0; k < (i < at ? messages[i].call_count : call); k++)
			if (loom_str_eq(messages[i].calls[k].name, messages[at].calls[call].name))
				return true;
	return false;
}

static bool any_calls(const struct loom_prompt_message *messages, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (messages[i].call_count)
			return true;
	return false;
}

/* Calls that stand in the history need a definition. These say nothing, and none may be made. */
static void put_tools(const struct loom_prompt_message *messages, size_t count,
		      struct loom_json *json)
{
	if (!any_calls(messages, count))
		return;
	loom_json_key(json, "tools");
	loom_json_array(json);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < messages[i].call_count; k++) {
			if (named_before(messages, i, k))
				continue;
			loom_json_object(json);
			loom_json_put(json, "name", messages[i].calls[k].name);
			loom_json_key(json, "input_schema");
			loom_json_object(json);
			loom_json_put(json, "type", LOOM_STR("object"));
			loom_json_end_object(json);
			loom_json_end_object(json);
		}
	}
	loom_json_end_array(json);
	loom_json_key(json, "tool_choice");
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("none"));
	loom_json_end_object(json);
}

static void put_messages(const struct loom_generation *generation, struct loom_json *json)
{
	size_t count = 0;
	const struct loom_prompt_message *messages = provider_prompt_messages(generation, &count);
	size_t at = count && messages[0].role == LOOM_ROLE_SYSTEM;

	if (at)
		loom_json_put(json, "system", messages[0].text);
	put_tools(messages, count, json);
	loom_json_key(json, "messages");
	loom_json_array(json);
	while (at < count) {
		const struct loom_prompt_message *message = &messages[at];
		const bool own = message->role == LOOM_ROLE_ASSISTANT;

		loom_json_object(json);
		loom_json_put(json, "role", own ? LOOM_STR("assistant") : LOOM_STR("user"));
		if (message->role == LOOM_ROLE_TOOL) {
			at = put_results(messages, at, count, generation->arena, json);
		} else {
			if (own)
				put_own(message, json);
			else
				put_content(message, generation->arena, json);
			at++;
		}
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

/* ---- how much to think ---- */

#define BUDGET_LOW    1024
#define BUDGET_MEDIUM 4096
#define BUDGET_HIGH   16384

/* From 4.6 on a model decides for itself, within an effort; older ones have a budget. */
static bool is_adaptive(const struct loom_generation *generation)
{
	return generation->facts->adaptive ? generation->facts->adaptive > 0
					   : !is_older(&generation->voice.model);
}

static bool thinks(struct loom_str id)
{
	return !is_older(&(struct loom_model){.id = id});
}

static struct loom_str least(struct loom_str id)
{
	(void)id;
	return LOOM_STR("none");
}

static void put_budget(const struct loom_generation *generation, struct loom_json *json)
{
	const int64_t budget = generation->effort == LOOM_THINKING_HIGH     ? BUDGET_HIGH
			       : generation->effort == LOOM_THINKING_MEDIUM ? BUDGET_MEDIUM
									    : BUDGET_LOW;

	loom_json_put(json, "type", LOOM_STR("enabled"));
	loom_json_put_int(json, "budget_tokens",
			  budget < generation->allowed ? budget : generation->allowed - 1);
}

/* Of thoughts only a summary is to be had, and only when it is asked for. */
static void put_thinking(const struct loom_generation *generation, struct loom_json *json)
{
	const struct loom_str word = provider_effort_word(generation);
	const bool off = loom_str_is(word, "none");
	const bool adaptive = is_adaptive(generation);

	loom_json_key(json, "thinking");
	loom_json_object(json);
	if (off) {
		loom_json_put(json, "type", LOOM_STR("disabled"));
	} else if (adaptive) {
		loom_json_put(json, "type", LOOM_STR("adaptive"));
		loom_json_put(json, "display", LOOM_STR("summarized"));
	} else {
		put_budget(generation, json);
	}
	loom_json_end_object(json);
	if (off || !adaptive)
		return;
	loom_json_key(json, "output_config");
	loom_json_object(json);
	loom_json_put(json, "effort", word);
	loom_json_end_object(json);
}

static const struct provider_mind mind = {.thinks = thinks, .put = put_thinking, .least = least};

/* A model that cannot be told not to think, or that takes the other way to say how much. */
static bool relearn(struct loom_generation *generation, const struct loom_refused *refused)
{
	struct loom_facts *facts = generation->facts;
	const struct loom_str words = refused->words;
	const bool disabled = loom_str_find(words, LOOM_STR("disabled"), 0) != SIZE_MAX;
	const bool enabled = loom_str_find(words, LOOM_STR("enabled"), 0) != SIZE_MAX;
	const bool adaptive = loom_str_find(words, LOOM_STR("adaptive"), 0) != SIZE_MAX;

	if (!loom_str_is(refused->field, "thinking") &&
	    !loom_str_is(refused->field, "output_config"))
		return false;
	if (generation->effort == LOOM_THINKING_NONE && disabled && !facts->least.n &&
	    !(generation->voice.said & LOOM_SAMPLING_EFFORT)) {
		facts->least = LOOM_STR("low");
		return true;
	}
	if (!provider_is_to_think(generation) && !facts->least.n)
		return false;
	if (facts->adaptive == 0 && ((is_adaptive(generation) && (adaptive || !enabled)) ||
				     (!is_adaptive(generation) && enabled))) {
		facts->adaptive = is_adaptive(generation) ? -1 : 1;
		return true;
	}
	return false;
}

/* ---- requests ---- */

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
	const unsigned ours = LOOM_SAMPLING_TEMPERATURE & ~generation->voice.said;

	loom_json_put_int(json, "max_tokens", generation->allowed);
	sent.set &= ~(unsigned)(LOOM_SAMPLING_TOKENS | LOOM_SAMPLING_STOP | PROVIDER_SAMPLING_OWN);
	if (provider_is_to_think(generation))
		sent.set &= ~ours;
	loom_sampling_write(&sent, json);
	if (generation->sent.set & LOOM_SAMPLING_STOP)
		put_stops(&sent, generation->arena, json);
}

/* An agent's next prompt begins with this one, so the server is to keep it. */
static void put_cache(const struct loom_generation *generation, struct loom_json *json)
{
	if (generation->voice.use != LOOM_GENERATE_COLLABORATOR)
		return;
	loom_json_key(json, "cache_control");
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("ephemeral"));
	loom_json_end_object(json);
}

static void body(const struct provider_ask *ask, struct loom_json *json)
{
	const struct loom_generation *generation = provider_ask_generation(ask);

	loom_json_put(json, "model", generation->voice.model.id);
	put_cache(generation, json);
	put_messages(generation, json);
	if (generation->effort != LOOM_THINKING_UNSAID)
		put_thinking(generation, json);
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
	int64_t thought =
		provider_count_of(loom_jval_get(usage, "output_tokens_details"), "thinking_tokens");

	if (in >= 0 && (told.in < 0 || read >= 0 || made >= 0)) {
		told.in = in + (read > 0 ? read : 0) + (made > 0 ? made : 0);
		told.in_cached = read;
	}
	if (out >= 0)
		told.out = out;
	if (thought >= 0)
		told.thinking = thought;
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

/* A thought in the shape in which it is kept: {"type", "text"|"data", "signature", "format"}. Its
 * text comes in pieces and its signature last. */
static void sign(struct provider_ask *ask, struct loom_str text, struct loom_str signature,
		 struct loom_str data)
{
	struct loom_buf thought = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &thought);
	loom_json_object(&json);
	loom_json_put(&json, "type",
		      data.p ? LOOM_STR("reasoning.encrypted") : LOOM_STR("reasoning.text"));
	if (data.p) {
		loom_json_key(&json, "data");
		loom_json_raw(&json, data);
	} else {
		loom_json_put(&json, "text", text);
		loom_json_key(&json, "signature");
		loom_json_raw(&json, signature);
	}
	loom_json_put(&json, "format", LOOM_STR("anthropic-claude-v1"));
	loom_json_end_object(&json);
	provider_ask_signed(ask, 0, loom_buf_str(&thought));
	loom_buf_fini(&thought);
}

/* Takes a block of thoughts, or a piece of one. */
static void tell_thought(struct provider_ask *ask, struct loom_str block)
{
	struct loom_str is = loom_jval_get(block, "type");
	struct loom_str signature = loom_jval_get(block, "signature");

	provider_ask_thinking(ask, 0, loom_jval_get(block, "thinking"));
	if (loom_jval_says(is, LOOM_STR("redacted_thinking")))
		sign(ask, LOOM_STR(""), signature, loom_jval_get(block, "data"));
	else if (loom_jval_type(signature) == LOOM_JTYPE_STRING && signature.n > 2)
		sign(ask, provider_ask_thought(ask, 0), signature, loom_str_make(NULL, 0));
}

/* Takes a block of text or of a tool's call, or a piece of one. */
static void tell_text(struct provider_ask *ask, struct loom_str block, const char *type)
{
	struct loom_str is = loom_jval_get(block, "type");

	if (loom_jval_says(is, LOOM_STR("thinking")) ||
	    loom_jval_says(is, LOOM_STR("thinking_delta")) ||
	    loom_jval_says(is, LOOM_STR("signature_delta")) ||
	    loom_jval_says(is, LOOM_STR("redacted_thinking")))
		tell_thought(ask, block);
	else if (loom_jval_says(is, LOOM_STR("tool_use")))
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
	.thoughts = LOOM_CAN,
	.trims = true,
	.mind = &mind,
	.relearn = relearn,
};

static bool is_small(struct loom_str id)
{
	return loom_str_find(id, LOOM_STR("haiku"), 0) != SIZE_MAX;
}

static const struct provider_small small = {.vendor = "Anthropic",
					    .usual = "claude-3-5-haiku-latest",
					    .born = "created_at",
					    .fits = is_small};

const struct provider_api provider_api_ANTHROPIC = {
	.backend = &provider_backend_http,
	.chat = &messages,
	.models = "/v1/models",
	.models_in = "data",
	.model_id = "id",
	.small = &small,
};
