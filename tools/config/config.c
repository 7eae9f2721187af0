/* The contents of the configuration: providers, models, agents, and what their names refer to. */
#include "inside.h"

#include <loom/config/served.h>
#include <loom/base/jval.h>

#define IDLE_MS      60000
#define TOTAL_MS     600000
#define PARALLEL     4
#define EXTENDS_MAX  8
#define CONFIG_DEPTH 16
#define NGRAM_MOST   10000 /* tokens that the embedded model generates at once */

#define AT(type, field) offsetof(struct type, field)

const char *loom_api_name(enum loom_api api)
{
	static const char *const names[] = {
#define X(id, name, url, key) [LOOM_API_##id] = (name),
		LOOM_API_LIST(X)
#undef X
	};

	return names[api];
}

static struct loom_str api_url(enum loom_api api)
{
	static const char *const urls[] = {
#define X(id, name, url, key) [LOOM_API_##id] = (url),
		LOOM_API_LIST(X)
#undef X
	};

	return loom_str_of(urls[api]);
}

static struct loom_str api_key_env(enum loom_api api)
{
	static const char *const names[] = {
#define X(id, name, url, key) [LOOM_API_##id] = (key),
		LOOM_API_LIST(X)
#undef X
	};

	return loom_str_of(names[api]);
}

static bool find_api(struct loom_str name, enum loom_api *out)
{
#define X(id, text, url, key)                                                                      \
	if (loom_str_is(name, text)) {                                                             \
		*out = LOOM_API_##id;                                                              \
		return true;                                                                       \
	}
	LOOM_API_LIST(X)
#undef X
	return false;
}

static enum loom_status read_api(struct config_reading *config, struct loom_str value, void *into)
{
	struct loom_str name = loom_jval_text(value, config->arena);

	if (find_api(name, into))
		return LOOM_OK;
	return config_refuse(
		config, value,
		"\"api\" must be openai, anthropic, llamacpp, ollama, command or ngram");
}

static enum loom_status read_endpoint(struct config_reading *config, struct loom_str value,
				      void *into)
{
	/* in the order of enum loom_endpoint */
	static const char *const names[] = {"", "completions", "chat", "responses"};

	for (size_t i = LOOM_ENDPOINT_COMPLETIONS; i < LOOM_COUNT(names); i++)
		if (loom_jval_says(value, loom_str_of(names[i]))) {
			*(enum loom_endpoint *)into = (enum loom_endpoint)i;
			return LOOM_OK;
		}
	return config_refuse(config, value, "\"endpoint\" must be completions, chat or responses");
}

const char *loom_way_name(enum loom_way way)
{
	static const char *const words[] = {
#define X(id, word) word,
		LOOM_WAYS(X)
#undef X
	};

	LOOM_ASSERT(way < LOOM_WAY_COUNT);
	return words[way];
}

enum loom_way loom_way_of(struct loom_str name)
{
	for (int way = LOOM_WAY_PREFILL; way < LOOM_WAY_COUNT; way++)
		if (loom_str_is(name, loom_way_name((enum loom_way)way)))
			return (enum loom_way)way;
	return LOOM_WAY_UNSAID;
}

static enum loom_status read_way(struct config_reading *config, struct loom_str value, void *into)
{
	*(enum loom_way *)into = loom_way_of(loom_jval_text(value, config->arena));
	return *(enum loom_way *)into != LOOM_WAY_UNSAID
		       ? LOOM_OK
		       : config_refuse(config, value,
				       "\"strategy\" must be prefill, system, few-shot, framed or "
				       "fill");
}

static enum loom_status read_prefill(struct config_reading *config, struct loom_str value,
				     void *into)
{
	enum loom_prefill *prefill = into;

	if (loom_jval_says(value, LOOM_STR("prefix")))
		*prefill = LOOM_PREFILL_PREFIX;
	else if (loom_jval_says(value, LOOM_STR("final")))
		*prefill = LOOM_PREFILL_FINAL;
	else if (loom_jval_type(value) == LOOM_JTYPE_BOOL)
		*prefill = loom_str_is(value, "true") ? LOOM_PREFILL_PLAIN : LOOM_PREFILL_NO;
	else
		return config_refuse(config, value,
				     "\"prefill\" must be true, false, \"prefix\" or \"final\"");
	return LOOM_OK;
}

static enum loom_status read_caps(struct config_reading *config, struct loom_str value, void *into)
{
	static const struct config_field fields[] = {
		{"n", CONFIG_FIELD_WHOLE, AT(loom_caps, n), 1, 1000, NULL},
		{"logprobs", CONFIG_FIELD_WHOLE, AT(loom_caps, logprobs), 0, 20, NULL},
		{"stop", CONFIG_FIELD_WHOLE, AT(loom_caps, stop), 0, LOOM_STOPS_MAX, NULL},
		{"temperature", CONFIG_FIELD_CAN, AT(loom_caps, temperature), 0, 0, NULL},
		{"seed", CONFIG_FIELD_CAN, AT(loom_caps, seed), 0, 0, NULL},
		{"stream", CONFIG_FIELD_CAN, AT(loom_caps, stream), 0, 0, NULL},
		{"max_completion_tokens", CONFIG_FIELD_CAN, AT(loom_caps, completion_tokens), 0, 0,
		 NULL},
		{"small", CONFIG_FIELD_CAN, AT(loom_caps, small), 0, 0, NULL},
		{"thoughts", CONFIG_FIELD_CAN, AT(loom_caps, thoughts), 0, 0, NULL},
		{"prefill", CONFIG_FIELD_OWN, AT(loom_caps, prefill), 0, 0, read_prefill},
	};

	return config_object(config,
			     &(struct config_object){.fields = fields,
						     .count = LOOM_COUNT(fields),
						     .into = into,
						     .what = LOOM_STR_INIT("caps")},
			     value);
}

/* Whether the text is part of one header: not two, and not none. */
static bool is_plain(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f)
			return false;
	return true;
}

static enum loom_status read_headers(struct config_reading *config, struct loom_str value,
				     void *into)
{
	struct loom_provider *provider =
		(struct loom_provider *)(void *)((char *)into - AT(loom_provider, headers));
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_header *headers =
		LOOM_ARENA_ARRAY(config->arena, loom_jval_count(value) + 1, struct loom_header);
	struct loom_str key;
	struct loom_str item;

	if (loom_jval_type(value) != LOOM_JTYPE_OBJECT)
		return config_refuse(config, value, "\"headers\" must be an object of strings");
	while (loom_jwalk_next(&walk, &key, &item)) {
		struct loom_header header = {loom_jval_text(key, config->arena),
					     loom_jval_text(item, config->arena)};

		if (!header.name.n || !header.value.p || !is_plain(header.name) ||
		    !is_plain(header.value) || loom_str_find_char(header.name, ':', 0) != SIZE_MAX)
			return config_refuse(config, item, "this is not a header");
		headers[provider->header_count++] = header;
	}
	provider->headers = headers;
	return LOOM_OK;
}

static const struct config_field provider_fields[] = {
	{"api", CONFIG_FIELD_OWN, AT(loom_provider, api), 0, 0, read_api},
	{"base_url", CONFIG_FIELD_TEXT, AT(loom_provider, base_url), 0, 0, NULL},
	{"key_env", CONFIG_FIELD_TEXT, AT(loom_provider, key_env), 0, 0, NULL},
	{"key_file", CONFIG_FIELD_TEXT, AT(loom_provider, key_file), 0, 0, NULL},
	{"key_cmd", CONFIG_FIELD_WORDS, AT(loom_provider, key_cmd), 0, 0, NULL},
	{"command", CONFIG_FIELD_WORDS, AT(loom_provider, command), 0, 0, NULL},
	{"proxy", CONFIG_FIELD_TEXT, AT(loom_provider, proxy), 0, 0, NULL},
	{"headers", CONFIG_FIELD_OWN, AT(loom_provider, headers), 0, 0, read_headers},
	{"idle_timeout", CONFIG_FIELD_SECONDS, AT(loom_provider, idle_ms), 100, 3600000, NULL},
	{"timeout", CONFIG_FIELD_SECONDS, AT(loom_provider, total_ms), 100, 86400000, NULL},
	{"max_parallel", CONFIG_FIELD_WHOLE, AT(loom_provider, max_parallel), 1, 64, NULL},
	{"wait", CONFIG_FIELD_SECONDS, AT(loom_provider, wait_ms), 0, 86400000, NULL},
};

static void trim_url(struct loom_str *url)
{
	while (url->n && url->p[url->n - 1] == '/')
		url->n--;
}

static int count_keys(const struct loom_provider *provider)
{
	return (provider->key_env.n != 0) + (provider->key_file.n != 0) +
	       (provider->key_cmd != NULL);
}

static enum loom_status judge_provider(struct config_reading *config,
				       struct loom_provider *provider, struct loom_str value)
{
	int keys = count_keys(provider);

	if (loom_str_find_char(provider->name, '/', 0) != SIZE_MAX || !provider->name.n)
		return config_refuse(config, value, "a provider's name may not contain a slash");
	if (keys > 1)
		return config_refuse(config, value,
				     "provider \"%.*s\" names its key more than once",
				     LOOM_STR_ARG(provider->name));
	if (!keys && !provider->base_url.n)
		provider->key_env = api_key_env(provider->api);
	if (!provider->base_url.n)
		provider->base_url = api_url(provider->api);
	trim_url(&provider->base_url);
	if (provider->api == LOOM_API_COMMAND && !provider->command)
		return config_refuse(config, value, "provider \"%.*s\" has no command",
				     LOOM_STR_ARG(provider->name));
	/* A request to it will be refused; this tells the reader of the file which line to mend. */
	if (provider->base_url.n && !loom_str_starts(provider->base_url, LOOM_STR("http://")) &&
	    !loom_str_starts(provider->base_url, LOOM_STR("https://")))
		config_warn(config, value,
			    "a base_url must begin with https:// (http:// on this machine)");
	if (loom_str_find_char(provider->base_url, '@', 0) != SIZE_MAX)
		return config_refuse(config, value,
				     "a base_url may not contain a user name or a password");
	return LOOM_OK;
}

static void provider_init(struct loom_provider *provider, struct loom_str name, enum loom_api api)
{
	*provider = (struct loom_provider){
		.name = name,
		.api = api,
		.idle_ms = IDLE_MS,
		.total_ms = TOTAL_MS,
		.max_parallel = PARALLEL,
	};
}

static enum loom_status read_provider(struct config_reading *config, struct loom_str name,
				      struct loom_str value, void *into)
{
	struct loom_provider *provider = into;
	struct config_object object = {
		.fields = provider_fields,
		.count = LOOM_COUNT(provider_fields),
		.into = provider,
		.sampling = &provider->sampling,
		.what = loom_arena_format(config->arena, "providers.%.*s", LOOM_STR_ARG(name)),
	};
	enum loom_status status = LOOM_OK;

	provider_init(provider, name, LOOM_API_OPENAI);
	if (!loom_jval_get(value, "api").p && !find_api(name, &provider->api))
		return config_refuse(config, value, "provider \"%.*s\" has no \"api\"",
				     LOOM_STR_ARG(name));
	status = config_object(config, &object, value);
	return status == LOOM_OK ? judge_provider(config, provider, value) : status;
}

/* A server of logs is known by its host alone; there is nothing to set but its password's place. */
static enum loom_status read_log(struct config_reading *config, struct loom_str name,
				 struct loom_str value, void *into)
{
	static const struct config_field fields[] = {
		{"key_env", CONFIG_FIELD_TEXT, AT(loom_provider, key_env), 0, 0, NULL},
		{"key_file", CONFIG_FIELD_TEXT, AT(loom_provider, key_file), 0, 0, NULL},
		{"key_cmd", CONFIG_FIELD_WORDS, AT(loom_provider, key_cmd), 0, 0, NULL},
	};
	struct loom_provider *log = into;
	struct config_object object = {
		.fields = fields,
		.count = LOOM_COUNT(fields),
		.into = log,
		.what = loom_arena_format(config->arena, "logs.%.*s", LOOM_STR_ARG(name)),
	};
	enum loom_status status = LOOM_OK;

	*log = (struct loom_provider){.name = name};
	status = config_object(config, &object, value);
	if (status == LOOM_OK && count_keys(log) != 1)
		status = config_refuse(config, value,
				       "\"%.*s\" needs one of key_env, key_file and key_cmd",
				       LOOM_STR_ARG(name));
	return status;
}

static const struct loom_provider *find_provider(const struct loom_config *config,
						 struct loom_str name)
{
	for (size_t i = 0; i < config->provider_count; i++)
		if (loom_str_eq(config->providers[i].name, name))
			return &config->providers[i];
	return NULL;
}

static enum loom_status read_provider_name(struct config_reading *config, struct loom_str value,
					   void *into)
{
	const struct loom_provider **provider = into;
	struct loom_str name = loom_jval_text(value, config->arena);

	*provider = find_provider(config->out, name);
	if (*provider)
		return LOOM_OK;
	return config_refuse(config, value, "there is no provider \"%.*s\"", LOOM_STR_ARG(name));
}

/* Reads members to merge into requests as they are. Tools are excluded: our agents act through →
 * lines only. */
static enum loom_status read_extra(struct config_reading *config, struct loom_str value, void *into)
{
	static const char *const refused[] = {"tools", "provider_choice", "functions",
					      "function_call", "mcp_servers"};

	if (loom_jval_type(value) != LOOM_JTYPE_OBJECT)
		return config_refuse(config, value, "\"extra_body\" must be an object");
	for (size_t i = 0; i < LOOM_COUNT(refused); i++)
		if (loom_jval_get(value, refused[i]).p)
			return config_refuse(config, value, "\"extra_body\" may not contain \"%s\"",
					     refused[i]);
	*(struct loom_str *)into = value;
	return LOOM_OK;
}

static enum loom_status read_model(struct config_reading *config, struct loom_str name,
				   struct loom_str value, void *into)
{
	static const struct config_field fields[] = {
		{"provider", CONFIG_FIELD_OWN, AT(loom_model, provider), 0, 0, read_provider_name},
		{"id", CONFIG_FIELD_TEXT, AT(loom_model, id), 0, 0, NULL},
		{"endpoint", CONFIG_FIELD_OWN, AT(loom_model, endpoint), 0, 0, read_endpoint},
		{"strategy", CONFIG_FIELD_OWN, AT(loom_model, way), 0, 0, read_way},
		{"context", CONFIG_FIELD_WHOLE, AT(loom_model, context), 1, 1000000000, NULL},
		{"max_out", CONFIG_FIELD_WHOLE, AT(loom_model, max_out), 1, 1000000000, NULL},
		{"price_in", CONFIG_FIELD_REAL, AT(loom_model, price_in), 0, 0, NULL},
		{"price_out", CONFIG_FIELD_REAL, AT(loom_model, price_out), 0, 0, NULL},
		{"caps", CONFIG_FIELD_OWN, AT(loom_model, caps), 0, 0, read_caps},
		{"extra_body", CONFIG_FIELD_OWN, AT(loom_model, extra_body), 0, 0, read_extra},
	};
	struct loom_model *model = into;
	struct config_object object = {
		.fields = fields,
		.count = LOOM_COUNT(fields),
		.into = model,
		.sampling = &model->sampling,
		.what = loom_arena_format(config->arena, "models.%.*s", LOOM_STR_ARG(name)),
	};
	enum loom_status status = LOOM_OK;

	*model = (struct loom_model){.alias = name, .caps = {.logprobs = -1, .stop = -1}};
	status = config_object(config, &object, value);
	if (status == LOOM_OK && !model->provider)
		return config_refuse(config, value, "model \"%.*s\" has no \"provider\"",
				     LOOM_STR_ARG(name));
	if (!model->id.n)
		model->id = name;
	model->priced = loom_jval_get(value, "price_in").p && loom_jval_get(value, "price_out").p;
	return status;
}

static enum loom_status read_agent(struct config_reading *config, struct loom_str name,
				   struct loom_str value, void *into)
{
	static const struct config_field fields[] = {
		{"extends", CONFIG_FIELD_TEXT, AT(loom_agent_config, extends), 0, 0, NULL},
		{"model", CONFIG_FIELD_TEXT, AT(loom_agent_config, model), 0, 0, NULL},
		{"system", CONFIG_FIELD_TEXT, AT(loom_agent_config, system), 0, 0, NULL},
		{"plan", CONFIG_FIELD_OWN, AT(loom_agent_config, plan), 0, 0, config_plan},
		{"turn_tokens", CONFIG_FIELD_WHOLE, AT(loom_agent_config, allowance.turn), 1,
		 1000000000, NULL},
		{"budget_tokens", CONFIG_FIELD_WHOLE, AT(loom_agent_config, allowance.tokens), 1,
		 1000000000000, NULL},
		{"budget_cost", CONFIG_FIELD_REAL, AT(loom_agent_config, allowance.cost), 0, 0,
		 NULL},
	};
	struct loom_agent_config *agent = into;
	struct config_object object = {
		.fields = fields,
		.count = LOOM_COUNT(fields),
		.into = agent,
		.sampling = &agent->sampling,
		.what = loom_arena_format(config->arena, "agents.%.*s", LOOM_STR_ARG(name)),
	};

	*agent = (struct loom_agent_config){.name = name};
	agent->has_system = loom_jval_get(value, "system").p != NULL;
	return config_object(config, &object, value);
}

/* One of the lists, which map names to objects. */
struct list {
	size_t size;
	size_t *count;
	enum loom_status (*read)(struct config_reading *config, struct loom_str name,
				 struct loom_str value, void *into);
};

static enum loom_status read_list(struct config_reading *config, struct loom_str value,
				  const struct list *list, char *items)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str key;
	struct loom_str item;
	enum loom_status status = LOOM_OK;

	if (loom_jval_type(value) != LOOM_JTYPE_OBJECT)
		return config_refuse(config, value,
				     "this must be an object that maps names to objects");
	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &item)) {
		struct loom_str name = loom_jval_text(key, config->arena);

		/* An empty name stands for "none" elsewhere, so nobody could ask for this one. */
		if (!name.n)
			return config_refuse(config, key, "an empty name is not allowed");
		status = list->read(config, name, item, items + *list->count * list->size);
		*list->count += status == LOOM_OK;
	}
	return status;
}

static enum loom_status read_providers(struct config_reading *config, struct loom_str value,
				       void *into)
{
	struct loom_provider *items =
		LOOM_ARENA_ARRAY(config->arena, loom_jval_count(value), struct loom_provider);
	struct list list = {sizeof *items, &config->out->provider_count, read_provider};

	*(const struct loom_provider **)into = items;
	return read_list(config, value, &list, (char *)items);
}

static enum loom_status read_models(struct config_reading *config, struct loom_str value,
				    void *into)
{
	struct loom_model *items =
		LOOM_ARENA_ARRAY(config->arena, loom_jval_count(value), struct loom_model);
	struct list list = {sizeof *items, &config->out->model_count, read_model};

	*(const struct loom_model **)into = items;
	return read_list(config, value, &list, (char *)items);
}

static enum loom_status read_agents(struct config_reading *config, struct loom_str value,
				    void *into)
{
	struct loom_agent_config *items =
		LOOM_ARENA_ARRAY(config->arena, loom_jval_count(value), struct loom_agent_config);
	struct list list = {sizeof *items, &config->out->agent_count, read_agent};

	*(const struct loom_agent_config **)into = items;
	return read_list(config, value, &list, (char *)items);
}

static enum loom_status read_logs(struct config_reading *config, struct loom_str value, void *into)
{
	struct loom_provider *items =
		LOOM_ARENA_ARRAY(config->arena, loom_jval_count(value), struct loom_provider);
	struct list list = {sizeof *items, &config->out->log_count, read_log};

	*(const struct loom_provider **)into = items;
	return read_list(config, value, &list, (char *)items);
}

static enum loom_status pass_over(struct config_reading *config, struct loom_str value, void *into)
{
	(void)config;
	(void)value;
	(void)into;
	return LOOM_OK;
}

/* Whether the text is a name or an address as in a URL, without scheme, port or path. */
static bool is_host(struct loom_str text)
{
	const bool bracketed = text.n && text.p[0] == '[';

	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] <= ' ' || strchr("/@?#", text.p[i]) ||
		    (text.p[i] == ':' && !bracketed))
			return false;
	return text.n > 0;
}

static enum loom_status read_hosts(struct config_reading *config, struct loom_str value, void *into)
{
	struct loom_str *hosts =
		LOOM_ARENA_ARRAY(config->arena, loom_jval_count(value) + 1, struct loom_str);
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str item;

	if (loom_jval_type(value) != LOOM_JTYPE_ARRAY)
		return config_refuse(config, value, "\"private_hosts\" must be a list of hosts");
	while (loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_str host = loom_jval_text(item, config->arena);

		if (!host.p || !is_host(host))
			return config_refuse(config, item,
					     "this is not a host; write it like \"10.0.0.7\"");
		hosts[config->out->private_host_count++] = host;
	}
	*(const struct loom_str **)into = hosts;
	return LOOM_OK;
}

/* Providers are read first, wherever they are in the file, because models name them. */
static enum loom_status read_all(struct config_reading *config, struct loom_str value)
{
	static const struct config_field fields[] = {
		{"providers", CONFIG_FIELD_OWN, 0, 0, 0, pass_over},
		{"models", CONFIG_FIELD_OWN, AT(loom_config, models), 0, 0, read_models},
		{"agents", CONFIG_FIELD_OWN, AT(loom_config, agents), 0, 0, read_agents},
		{"logs", CONFIG_FIELD_OWN, AT(loom_config, logs), 0, 0, read_logs},
		{"subject_model", CONFIG_FIELD_TEXT, AT(loom_config, subject_model), 0, 0, NULL},
		{"collaborator_model", CONFIG_FIELD_TEXT, AT(loom_config, collaborator_model), 0, 0,
		 NULL},
		{"summary_model", CONFIG_FIELD_TEXT, AT(loom_config, summary_model), 0, 0, NULL},
		{"classifier", CONFIG_FIELD_TEXT, AT(loom_config, classifier), 0, 0, NULL},
		{"me", CONFIG_FIELD_TEXT, AT(loom_config, me), 0, 0, NULL},
		{"result_tokens", CONFIG_FIELD_WHOLE, AT(loom_config, result_tokens), 1, 1000000000,
		 NULL},
		{"private_hosts", CONFIG_FIELD_OWN, AT(loom_config, private_hosts), 0, 0,
		 read_hosts},
		{"programs", CONFIG_FIELD_OWN, 0, 0, 0, config_programs},
		{"hooks", CONFIG_FIELD_OWN, 0, 0, 0, config_hooks},
	};
	struct config_object object = {.fields = fields,
				       .count = LOOM_COUNT(fields),
				       .into = config->out,
				       .what = LOOM_STR_INIT("the configuration")};
	struct loom_str providers = loom_jval_get(value, "providers");
	enum loom_status status = LOOM_OK;

	if (providers.p)
		status = read_providers(config, providers, &config->out->providers);
	return status == LOOM_OK ? config_object(config, &object, value) : status;
}

static const struct loom_agent_config *find_agent(const struct loom_config *config,
						  struct loom_str name)
{
	for (size_t i = 0; name.n && i < config->agent_count; i++)
		if (loom_str_eq(config->agents[i].name, name))
			return &config->agents[i];
	return NULL;
}

/* Extended agents may come later in the file, so they are checked when all are read. */
static void look_for_extended(struct config_reading *config)
{
	struct loom_str agents = loom_jval_get(loom_jval_of(config->text), "agents");
	struct loom_jwalk walk = loom_jval_walk(agents);
	struct loom_str agent;

	while (loom_jwalk_next(&walk, NULL, &agent)) {
		struct loom_str value = loom_jval_get(agent, "extends");
		struct loom_str name = loom_jval_text(value, config->arena);

		if (name.n && !find_agent(config->out, name))
			config_warn(config, value, "there is no agent \"%.*s\" to extend",
				    LOOM_STR_ARG(name));
	}
}

enum loom_status loom_config_read(struct loom_str text, struct loom_str path,
				  struct loom_arena *arena, struct loom_config *out,
				  struct loom_err *err)
{
	static const struct loom_json_limits limits = {.bytes = 1 << 20, .depth = CONFIG_DEPTH};
	struct loom_err local;
	struct config_reading config = {.path = path,
					.arena = arena,
					.out = out,
					.err = err ? err : &local};
	struct loom_err why = {.status = LOOM_OK};

	out->path = loom_arena_str(arena, path);
	out->there = true;
	config.text = config_blank(text, arena);
	if (loom_json_check(config.text, &limits, &why) != LOOM_OK)
		return config_refuse(&config, loom_str_sub(config.text, why.at, 0), "%s", why.text);
	enum loom_status status = read_all(&config, loom_jval_of(config.text));
	if (status == LOOM_OK)
		look_for_extended(&config);
	return status;
}

/* The URL that OLLAMA_HOST means, read as Ollama's own client does: a bare host gets Ollama's port,
 * one with a scheme gets that scheme's, and an address to bind to is dialled on this machine. */
static struct loom_str ollama_url(const char *said, struct loom_arena *arena)
{
	struct loom_str host = loom_str_trim(loom_str_of(said));
	struct loom_str scheme = LOOM_STR("http");
	size_t at = loom_str_find(host, LOOM_STR("://"), 0);
	bool bare = at == SIZE_MAX;
	struct loom_str port;

	if (!bare) {
		scheme = loom_str_sub(host, 0, at);
		host = loom_str_sub(host, at + 3, SIZE_MAX);
	}
	trim_url(&host);
	at = loom_str_find_char(host, ':', 0);
	port = at == SIZE_MAX ? loom_str_make("", 0) : loom_str_sub(host, at, SIZE_MAX);
	host = loom_str_sub(host, 0, at);
	if (!port.n && bare)
		port = LOOM_STR(":11434");
	if (!host.n || loom_str_is(host, "0.0.0.0"))
		host = LOOM_STR("127.0.0.1");
	return loom_arena_format(arena, "%.*s://%.*s%.*s", LOOM_STR_ARG(scheme), LOOM_STR_ARG(host),
				 LOOM_STR_ARG(port));
}

static struct loom_str llamacpp_url(const struct loom_env *env, struct loom_arena *arena)
{
	const char *host = loom_env_var(env, "LLAMA_ARG_HOST");
	const char *port = loom_env_var(env, "LLAMA_ARG_PORT");

	if (!host || strcmp(host, "0.0.0.0") == 0)
		host = "127.0.0.1";
	return loom_arena_format(arena, "http://%s:%s", host, port ? port : "8080");
}

/* A vendor, with its key in the usual variable, at the address that its own clients use. */
static void vendor_init(struct loom_provider *provider, enum loom_api api,
			const struct loom_env *env, const char *variable)
{
	const char *url = env ? loom_env_var(env, variable) : NULL;

	provider_init(provider, loom_str_of(loom_api_name(api)), api);
	provider->key_env = api_key_env(api);
	provider->base_url = url && *url ? loom_str_of(url) : api_url(api);
	trim_url(&provider->base_url);
}

void loom_config_init(struct loom_config *config, const struct loom_env *env,
		      struct loom_arena *arena)
{
	const char *ollama = env ? loom_env_var(env, "OLLAMA_HOST") : NULL;

	*config = (struct loom_config){.path = LOOM_STR_INIT("config.json")};
	provider_init(&config->llamacpp, LOOM_STR("llamacpp"), LOOM_API_LLAMACPP);
	provider_init(&config->ollama, LOOM_STR("ollama"), LOOM_API_OLLAMA);
	config->llamacpp.base_url = env ? llamacpp_url(env, arena) : api_url(LOOM_API_LLAMACPP);
	config->ollama.base_url = ollama ? ollama_url(ollama, arena) : api_url(LOOM_API_OLLAMA);
	config->served_dir = loom_served_dir(env, arena);
	vendor_init(&config->anthropic, LOOM_API_ANTHROPIC, env, "ANTHROPIC_BASE_URL");
	vendor_init(&config->openai, LOOM_API_OPENAI, env, "OPENAI_BASE_URL");
}

static enum loom_status no_model(const struct loom_config *config, struct loom_str alias,
				 struct loom_err *err)
{
	loom_fail(err, LOOM_MODEL, "there is no model \"%.*s\"", LOOM_STR_ARG(alias));
	return loom_hint(err, LOOM_MODEL,
			 "add it to \"models\" in %.*s; loom models lists all models",
			 LOOM_STR_ARG(config->path));
}

const struct loom_provider *loom_config_provider(const struct loom_config *config,
						 struct loom_str name)
{
	const struct loom_provider *const own[] = {&config->llamacpp, &config->ollama,
						   &config->anthropic, &config->openai};
	const struct loom_provider *configured = find_provider(config, name);

	for (size_t i = 0; !configured && i < LOOM_COUNT(own); i++)
		if (loom_str_eq(own[i]->name, name))
			return own[i];
	return configured;
}

/* The embedded model's, which nobody configures. */
static const struct loom_provider *own_provider(struct loom_str name, struct loom_arena *arena)
{
	struct loom_provider *provider = NULL;

	if (!loom_str_is(name, "ngram"))
		return NULL;
	provider = LOOM_ARENA_NEW(arena, struct loom_provider);
	provider_init(provider, LOOM_STR("ngram"), LOOM_API_NGRAM);
	return provider;
}

/* The model of a file that loom has served. */
static enum loom_status served_model(const struct loom_config *config, struct loom_str alias,
				     struct loom_arena *arena, struct loom_model *out,
				     struct loom_err *err)
{
	struct loom_provider *provider = LOOM_ARENA_NEW(arena, struct loom_provider);
	struct loom_served served;

	loom_served_find(config->served_dir, alias, arena, &served);
	provider_init(provider, loom_arena_format(arena, "llama-server:%d", served.port),
		      LOOM_API_LLAMACPP);
	provider->base_url = loom_arena_format(arena, "http://127.0.0.1:%d", served.port);
	provider->key_file = served.key;
	*out = (struct loom_model){.alias = served.file,
				   .id = served.file,
				   .provider = provider,
				   .caps = {.logprobs = -1, .stop = -1}};
	if (served.running) {
		loom_served_touch(&served);
		return LOOM_OK;
	}
	loom_fail(err, LOOM_MODEL, "no server runs for %.*s", LOOM_STR_ARG(alias));
	return loom_hint(err, LOOM_MODEL,
			 "loom subject %.*s starts it; on the screen, :subject does",
			 LOOM_STR_ARG(alias));
}

enum loom_status loom_config_model(const struct loom_config *config, struct loom_str alias,
				   struct loom_arena *arena, struct loom_model *out,
				   struct loom_err *err)
{
	size_t slash = loom_str_find_char(alias, '/', 0);
	struct loom_str name = loom_str_sub(alias, 0, slash);

	for (size_t i = 0; i < config->model_count; i++)
		if (loom_str_eq(config->models[i].alias, alias)) {
			*out = config->models[i];
			return LOOM_OK;
		}
	if (loom_served_is_file(alias) && loom_str_starts(alias, LOOM_STR("/")))
		return served_model(config, alias, arena, out, err);
	*out = (struct loom_model){
		.alias = loom_arena_str(arena, alias),
		.id = loom_str_is(alias, "ngram")
			      ? LOOM_STR("ngram")
			      : loom_arena_str(arena, loom_str_sub(alias, slash + 1, SIZE_MAX)),
		.max_out = loom_str_is(alias, "ngram") ? NGRAM_MOST : 0,
		.caps = {.logprobs = -1, .stop = -1}};
	if (slash == SIZE_MAX && !loom_str_is(alias, "ngram"))
		return no_model(config, alias, err);
	out->provider = loom_config_provider(config, name);
	if (!out->provider)
		out->provider = own_provider(name, arena);
	return out->provider ? LOOM_OK : no_model(config, alias, err);
}

static void lay_allowance(struct loom_allowance *under, const struct loom_allowance *over)
{
	if (over->turn)
		under->turn = over->turn;
	if (over->tokens)
		under->tokens = over->tokens;
	if (over->cost > 0)
		under->cost = over->cost;
}

bool loom_config_agent(const struct loom_config *config, struct loom_str name,
		       struct loom_agent_config *out)
{
	const struct loom_agent_config *chain[EXTENDS_MAX] = {find_agent(config, name)};
	size_t count = 0;

	*out = (struct loom_agent_config){.name = name};
	/* A circular chain ends at the limit. */
	while (count < EXTENDS_MAX && chain[count]) {
		const struct loom_agent_config *above = find_agent(config, chain[count]->extends);

		if (++count < EXTENDS_MAX)
			chain[count] = above;
	}
	for (size_t i = count; i-- > 0;) {
		if (chain[i]->model.n)
			out->model = chain[i]->model;
		if (chain[i]->has_system) {
			out->system = chain[i]->system;
			out->has_system = true;
		}
		if (chain[i]->plan.count)
			out->plan = chain[i]->plan;
		lay_allowance(&out->allowance, &chain[i]->allowance);
		loom_sampling_lay(&out->sampling, &chain[i]->sampling);
	}
	return count > 0;
}
