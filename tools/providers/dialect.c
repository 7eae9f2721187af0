/* Shared by the dialects: which one a model uses, and the shapes that several have in common. */
#include <loom/providers/dialect.h>

const struct provider_api *provider_api_of(enum loom_api api)
{
	static const struct provider_api *const apis[] = {
#define X(id, ...) [LOOM_API_##id] = &provider_api_##id,
		LOOM_API_LIST(X)
#undef X
	};

	return apis[api];
}

const struct provider_dialect *provider_dialect_of(const struct loom_model *model)
{
	const struct provider_api *api = provider_api_of(model->provider->api);

	if (model->endpoint == LOOM_ENDPOINT_RESPONSES && model->provider->api == LOOM_API_OPENAI)
		return &provider_openai_responses;
	return model->endpoint >= LOOM_ENDPOINT_CHAT || !api->text ? api->chat : api->text;
}

enum loom_prefill provider_prefill_of(const struct provider_dialect *dialect,
				      const struct loom_model *model)
{
	if (model->caps.prefill != LOOM_PREFILL_UNSAID)
		return model->caps.prefill;
	return dialect->prefill ? dialect->prefill(model) : dialect->caps.prefill;
}

bool provider_is_router(const struct loom_provider *provider)
{
	return loom_str_find(provider->base_url, LOOM_STR("://openrouter.ai"), 0) != SIZE_MAX;
}

bool provider_takes_thoughts(const struct loom_model *model)
{
	const struct provider_dialect *dialect = provider_dialect_of(model);
	bool own = false;

	if (!dialect || dialect->thoughts == LOOM_CAN_UNSAID)
		return false;
	own = dialect->thoughts == LOOM_CAN || provider_is_router(model->provider);
	return provider_can(model->caps.thoughts, own);
}

void provider_put_input(const struct loom_tool_call *call, struct loom_json *json)
{
	const struct loom_str input = loom_jval_of(call->arguments);

	if (loom_jval_type(input) == LOOM_JTYPE_OBJECT &&
	    loom_log_json_check(input, NULL) == LOOM_OK) {
		loom_json_raw(json, input);
		return;
	}
	loom_json_object(json);
	loom_json_put(json, "arguments", call->arguments);
	loom_json_end_object(json);
}

struct loom_str provider_error_message(struct loom_str document, struct loom_arena *arena)
{
	struct loom_str error = loom_jval_get(document, "error");
	struct loom_str message = error;

	if (loom_jval_type(error) == LOOM_JTYPE_OBJECT)
		message = loom_jval_get(error, "message");
	else if (loom_jval_is_null(error) &&
		 loom_jval_says(loom_jval_get(document, "object"), LOOM_STR("error")))
		message = loom_jval_get(document, "message");
	if (loom_jval_type(message) == LOOM_JTYPE_STRING)
		return loom_jval_text(message, arena);
	/* an error without a message is still an error */
	return loom_jval_is_null(error) ? loom_str_make(NULL, 0)
					: LOOM_STR("an error without a message");
}

int64_t provider_count_of(struct loom_str object, const char *key)
{
	int64_t n = -1;

	return loom_jval_int(loom_jval_get(object, key), &n) && n >= 0 ? n : -1;
}

/* The bytes of a token, if given: its text may be only a part of a character. */
static struct loom_str token_text(struct provider_ask *ask, struct loom_str token)
{
	struct loom_arena *arena = provider_ask_scratch(ask);
	struct loom_str list = loom_jval_get(token, "bytes");
	struct loom_jwalk walk = loom_jval_walk(list);
	size_t count = loom_jval_count(list);
	char *bytes = loom_arena_alloc(arena, count + 1);
	struct loom_str item;
	int64_t byte = 0;
	size_t n = 0;

	if (loom_jval_type(list) != LOOM_JTYPE_ARRAY)
		return loom_jval_text(loom_jval_get(token, "token"), arena);
	while (loom_jwalk_next(&walk, NULL, &item))
		if (loom_jval_int(item, &byte) && byte >= 0 && byte < 256)
			bytes[n++] = (char)(unsigned char)byte;
	return loom_str_make(bytes, n);
}

static double token_logprob(struct loom_str token)
{
	double logprob = PROVIDER_LOGPROB_LEAST;

	(void)loom_jval_real(loom_jval_get(token, "logprob"), &logprob);
	return logprob;
}

static void tell_token(struct provider_ask *ask, size_t choice, struct loom_str token)
{
	struct loom_str list = loom_jval_get(token, "top_logprobs");
	struct loom_jwalk walk = loom_jval_walk(list);
	struct provider_alternative *top =
		LOOM_ARENA_ARRAY(provider_ask_scratch(ask), loom_jval_count(list) + 1,
				 struct provider_alternative);
	struct provider_token told = {.text = token_text(ask, token),
				      .logprob = token_logprob(token),
				      .top = top};
	struct loom_str item;

	while (loom_jval_type(list) == LOOM_JTYPE_ARRAY && loom_jwalk_next(&walk, NULL, &item))
		top[told.top_count++] =
			(struct provider_alternative){token_text(ask, item), token_logprob(item)};
	provider_ask_token(ask, choice, &told);
}

void provider_ask_tokens(struct provider_ask *ask, size_t choice, struct loom_str list)
{
	struct loom_jwalk walk;
	struct loom_str token;

	if (loom_jval_type(list) == LOOM_JTYPE_OBJECT)
		list = loom_jval_get(list, "content");
	if (loom_jval_type(list) != LOOM_JTYPE_ARRAY)
		return;
	walk = loom_jval_walk(list);
	while (loom_jwalk_next(&walk, NULL, &token))
		tell_token(ask, choice, token);
}
