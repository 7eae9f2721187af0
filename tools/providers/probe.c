/* Finds out which models a server has: one GET per server, in parallel, each with its deadline. */
#include <loom/providers/probe.h>

#include "ask.h"

struct probing {
	struct loom_probe *probe;
	struct loom_voices *voices;
	struct loom_arena *arena;
	struct provider_lane *lane;
	struct loom_http_call *call;
	struct loom_buf body;
	int status;
	bool begun;
};

static const struct provider_api *api_of(const struct probing *probing)
{
	return provider_api_of(probing->probe->provider->api);
}

bool loom_probe_can(const struct loom_provider *provider)
{
	return provider_api_of(provider->api)->models != NULL;
}

bool loom_probe_is_here(const struct loom_provider *provider)
{
	bool plain = false;

	return loom_probe_can(provider) &&
	       loom_http_judge(provider->base_url, &plain, NULL) == LOOM_OK && plain;
}

static void read_list(struct probing *probing)
{
	struct loom_probe *probe = probing->probe;
	struct loom_str document = loom_jval_of(loom_buf_str(&probing->body));
	const struct provider_api *api = api_of(probing);
	struct loom_str list = loom_jval_get(document, api->models_in);
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str *ids =
		LOOM_ARENA_ARRAY(probing->arena, loom_jval_count(list) + 1, struct loom_str);
	struct loom_str item;

	probe->there = loom_jval_type(list) == LOOM_JTYPE_ARRAY;
	while (probe->there && loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_str id =
			loom_jval_text(loom_jval_get(item, api->model_id), probing->arena);

		if (id.n)
			ids[probe->id_count++] = loom_arena_str(probing->arena, id);
	}
	probe->ids = ids;
	probe->any_name = api->any_name;
	if (!probe->there)
		loom_fail(&probe->err, LOOM_MODEL, "the server lists no models");
}

static void on_head(void *ctx, const struct loom_http_head *head)
{
	((struct probing *)ctx)->status = head->status;
}

static void on_body(void *ctx, struct loom_str bytes)
{
	loom_buf_add(&((struct probing *)ctx)->body, bytes);
}

static void on_end(void *ctx, const struct loom_http_result *result)
{
	struct probing *probing = ctx;
	struct loom_probe *probe = probing->probe;

	probing->call = NULL;
	probe->done = true;
	if (result->outcome != LOOM_HTTP_DONE)
		probe->err = result->err;
	else if (probing->status != 200)
		loom_fail(&probe->err, LOOM_MODEL, "it answered %d", probing->status);
	else if (loom_json_check(loom_buf_str(&probing->body), NULL, NULL) != LOOM_OK)
		loom_fail(&probe->err, LOOM_MODEL, "this is not a model server");
	else
		read_list(probing);
}

enum loom_status provider_list_ask(const struct provider_lane *lane, int64_t timeout_ms,
				   const struct loom_http_sink *sink, struct loom_http_call **out,
				   struct loom_err *err)
{
	const struct loom_provider *provider = lane->provider;
	const struct provider_api *api = provider_api_of(provider->api);
	const char *const *own = api->chat->headers;
	struct loom_str headers[4] = {LOOM_STR("Accept: application/json")};
	struct loom_buf url = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf auth = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_http_request request = {
		.headers = headers,
		.header_count = 1,
		.secret = loom_buf_str(&lane->key),
		.proxy = provider->proxy,
		.connect_ms = timeout_ms,
		.idle_ms = timeout_ms,
		.total_ms = timeout_ms,
		.max = PROVIDER_LIST_MAX,
	};
	enum loom_status status = LOOM_OK;

	loom_buf_addf(&url, "%.*s%s", LOOM_STR_ARG(provider->base_url), api->models);
	request.url = loom_buf_str(&url);
	while (own && *own && request.header_count < LOOM_COUNT(headers))
		headers[request.header_count++] = loom_str_of(*own++);
	if (lane->key.n)
		loom_buf_addf(&auth, "%s%s", api->chat->auth, loom_buf_cstr(&lane->key));
	request.secret_header = loom_buf_str(&auth);
	status = loom_http_begin(lane->voices->http, &request, sink, out, err);
	if (auth.p)
		explicit_bzero(auth.p, auth.cap);
	loom_buf_fini(&url);
	loom_buf_fini(&auth);
	return status;
}

static enum loom_status ask(struct probing *probing, struct loom_err *err)
{
	const struct loom_http_sink sink = {on_head, on_body, on_end, probing};

	return provider_list_ask(probing->lane, probing->probe->timeout_ms, &sink, &probing->call,
				 err);
}

static void no_more(struct provider_lane *lane)
{
	(void)lane; /* the probe polls the key itself */
}

/* Sends the request as soon as the key is there. */
static void advance(struct probing *probing)
{
	struct loom_probe *probe = probing->probe;

	if (probe->done || probing->begun || probing->lane->key_state == PROVIDER_KEY_COMING)
		return;
	probing->begun = true;
	if (probing->lane->key_state == PROVIDER_KEY_FAILED)
		probe->err = probing->lane->key_err;
	else if (ask(probing, &probe->err) == LOOM_OK)
		return;
	probe->done = true;
}

static void begin(struct probing *probing)
{
	struct loom_probe *probe = probing->probe;

	loom_buf_init(&probing->body, PROVIDER_LIST_MAX);
	if (!loom_probe_can(probe->provider)) {
		loom_fail(&probe->err, LOOM_MODEL, "it has no server");
		probe->done = true;
		return;
	}
	probing->lane = provider_lane_of(probing->voices, probe->provider);
	probing->lane->ready = no_more;
	provider_lane_want_key(probing->lane);
}

void loom_probe_all(struct loom_voices *voices, struct loom_probe *probes, size_t count,
		    struct loom_arena *arena, struct loom_task *task)
{
	struct probing *all = LOOM_ARENA_ARRAY(arena, count, struct probing);
	size_t waiting = count;

	if (!voices->http)
		voices->http = loom_http_client_create(voices->opts.loop);
	for (size_t i = 0; i < count; i++) {
		all[i] = (struct probing){.probe = &probes[i], .voices = voices, .arena = arena};
		begin(&all[i]);
	}
	while (waiting && !loom_task_cancelled(task)) {
		waiting = 0;
		for (size_t i = 0; i < count; i++) {
			advance(&all[i]);
			waiting += !probes[i].done;
		}
		if (waiting)
			(void)loom_loop_step(voices->opts.loop, -1);
	}
	for (size_t i = 0; i < count; i++) {
		if (all[i].call)
			loom_http_drop(all[i].call);
		loom_buf_fini(&all[i].body);
	}
}
