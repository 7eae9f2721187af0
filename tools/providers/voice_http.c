/* Asking over HTTP: spreads the choices of a generation over asks and the asks over the provider's
 * lane, and retries where that may help.
 *
 * An ask is tried at most three times, and never again once a byte of a successful answer has
 * arrived: a text that broke off is kept and reported as partial. The number of choices does not
 * depend on the server: asks are split when it gives fewer, and choices that it left out are
 * requested one by one. */
#include "ask.h"

#define TRIES_MAX      3
#define RETRY_FIRST_MS 500
#define RETRY_MAX_MS   8000
#define PATIENCE_MS    60000
#define WAIT_TOLD_MS   1000
#define SERVER_WAIT_MS 500
#define LIST_MS        10000
/* A prompt that is worth waiting for: shorter ones are read sooner than the first token comes. */
#define TRUNK_BYTES 2048

struct http_state {
	struct provider_lane *lane;
	const struct provider_dialect *dialect;
	struct provider_ask **asks;
	size_t count;
	size_t cap;
};

static void pump(struct provider_lane *lane);

static void add_ask(struct loom_generation *generation, size_t first, size_t count)
{
	struct http_state *state = generation->state;
	struct provider_ask *ask = LOOM_ARENA_NEW(generation->arena, struct provider_ask);

	*ask = (struct provider_ask){
		.generation = generation,
		.dialect = state->dialect,
		.first = first,
		.count = count,
		.serial = ++generation->voices->serial,
	};
	state->asks = loom_arena_grow(generation->arena, state->asks, state->count, &state->cap,
				      sizeof(struct provider_ask *));
	state->asks[state->count++] = ask;
	for (size_t i = 0; i < count; i++)
		generation->choices[first + i].asked_with = first;
}

static bool is_live(const struct provider_choice *choice)
{
	return !choice->dropped && !choice->ended;
}

static bool anybody_waits(const struct provider_ask *ask)
{
	for (size_t i = 0; i < ask->count; i++)
		if (is_live(&ask->generation->choices[ask->first + i]))
			return true;
	return false;
}

/* ---- the request ---- */

static void make_url(const struct provider_voice *voice, const struct provider_dialect *dialect,
		     struct loom_buf *out)
{
	loom_buf_add(out, voice->provider->base_url);
	loom_buf_adds(out, dialect->path);
}

static size_t make_headers(const struct provider_ask *ask, struct loom_str *headers)
{
	const struct loom_provider *provider = ask->generation->voice.provider;
	const char *const *own = ask->dialect->headers;
	size_t n = 0;

	headers[n++] = LOOM_STR("Content-Type: application/json");
	headers[n++] = ask->dialect->framing == LOOM_SSE_LINES
			       ? LOOM_STR("Accept: application/x-ndjson, application/json")
			       : LOOM_STR("Accept: text/event-stream, application/json");
	for (; own && *own; own++)
		headers[n++] = loom_str_of(*own);
	for (size_t i = 0; i < provider->header_count; i++)
		headers[n++] = loom_arena_format(ask->scratch, "%.*s: %.*s",
						 LOOM_STR_ARG(provider->headers[i].name),
						 LOOM_STR_ARG(provider->headers[i].value));
	return n;
}

static void on_head(void *ctx, const struct loom_http_head *head)
{
	provider_ask_head(ctx, head);
}

/* Whether text or thoughts of an answer have arrived. */
static bool is_answered(const struct provider_ask *ask)
{
	for (size_t i = 0; ask->parts && i < ask->count; i++)
		if (ask->parts[i].seen)
			return true;
	return false;
}

/* Whether an ask is left waiting until the first of its generation is being answered: by then the
 * server has read the prompt that all of them share, and need not read it again. */
static bool waits_for_trunk(const struct provider_ask *ask)
{
	const struct http_state *state = ask->generation->state;
	const struct provider_ask *first = state->asks[0];

	return ask != first && first->body_sent.n >= TRUNK_BYTES && !is_answered(first) &&
	       first->state != PROVIDER_ASK_OVER;
}

static void on_body(void *ctx, struct loom_str bytes)
{
	struct provider_ask *ask = ctx;
	const bool answered = is_answered(ask);

	provider_ask_bytes(ask, bytes);
	if (!answered && is_answered(ask))
		pump(((struct http_state *)ask->generation->state)->lane);
	if (ask->over || ask->failure.status != LOOM_OK || !anybody_waits(ask))
		if (ask->body != PROVIDER_BODY_REFUSAL)
			loom_http_cancel(ask->call);
}

static void on_end(void *ctx, const struct loom_http_result *result);

static enum loom_status send_ask(struct provider_ask *ask, struct loom_err *err)
{
	const struct provider_voice *voice = &ask->generation->voice;
	const struct loom_provider *provider = voice->provider;
	const struct provider_lane *lane = ((struct http_state *)ask->generation->state)->lane;
	struct loom_buf url = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf auth = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str *headers =
		LOOM_ARENA_ARRAY(ask->scratch, provider->header_count + 8, struct loom_str);
	struct loom_http_sink sink = {on_head, on_body, on_end, ask};
	struct loom_http_request request = {
		.header_count = make_headers(ask, headers),
		.headers = headers,
		.secret = loom_buf_str(&lane->key),
		.proxy = provider->proxy,
		.idle_ms = provider->idle_ms,
		.total_ms = provider->total_ms,
	};
	enum loom_status status = LOOM_OK;

	make_url(voice, ask->dialect, &url);
	provider_ask_body(ask, &body);
	if (lane->key.n)
		loom_buf_addf(&auth, "%s%s", ask->dialect->auth, loom_buf_cstr(&lane->key));
	request.url = loom_buf_str(&url);
	request.body = loom_buf_str(&body);
	request.secret_header = loom_buf_str(&auth);
	status = loom_http_begin(ask->generation->voices->http, &request, &sink, &ask->call, err);
	if (auth.p)
		explicit_bzero(auth.p, auth.cap);
	loom_buf_fini(&url);
	loom_buf_fini(&body);
	loom_buf_fini(&auth);
	return status;
}

/* ---- the end of an ask ---- */

static void end_choice(struct provider_ask *ask, size_t i)
{
	const struct provider_part *part = &ask->parts[i];
	struct loom_generation *generation = ask->generation;
	struct loom_err err = ask->failure;
	enum loom_finish finish = part->finish;

	generation->choices[ask->first + i].tries = ask->tries;
	provider_ask_release(ask, i);
	if (!is_live(&generation->choices[ask->first + i]))
		return;
	if (part->finished && finish != LOOM_FINISH_ERROR) {
		provider_choice_end(generation, ask->first + i, finish, NULL);
		return;
	}
	if (err.status == LOOM_OK && ask->over && part->seen && !part->finished) {
		provider_choice_end(generation, ask->first + i, LOOM_FINISH_STOP, NULL);
		return;
	}
	if (err.status == LOOM_OK)
		loom_fail(&err, LOOM_MODEL, "%.*s %s",
			  LOOM_STR_ARG(generation->voice.provider->name),
			  part->finished ? "ended with an error"
			  : ask->over    ? "answered without any content"
					 : "broke off before the end of its answer");
	provider_choice_end(generation, ask->first + i, LOOM_FINISH_ERROR, &err);
}

/* Whether a good answer left out some of its choices. */
static bool passed_over(const struct provider_ask *ask)
{
	size_t seen = 0;

	for (size_t i = 0; i < ask->count; i++)
		seen += ask->parts[i].seen;
	return ask->failure.status == LOOM_OK && seen && seen < ask->count;
}

static void settle(struct provider_ask *ask)
{
	bool again = passed_over(ask);

	ask->state = PROVIDER_ASK_OVER;
	for (size_t i = 0; i < ask->count; i++)
		if (again && !ask->parts[i].seen)
			add_ask(ask->generation, ask->first + i, 1);
		else
			end_choice(ask, i);
	pump(((struct http_state *)ask->generation->state)->lane);
}

/* Asks for each choice separately, for a server that gives one at a time. */
static void split(struct provider_ask *ask)
{
	for (size_t i = 1; i < ask->count; i++)
		add_ask(ask->generation, ask->first + i, 1);
	ask->count = 1;
	ask->tries--;
	ask->state = PROVIDER_ASK_QUEUED;
	pump(((struct http_state *)ask->generation->state)->lane);
}

static bool may_retry_status(const struct provider_ask *ask)
{
	if (ask->should_retry >= 0)
		return ask->should_retry;
	if (ask->status == 429)
		return !provider_ask_wants_money(ask);
	return ask->status == 408 || ask->status == 409 || ask->status >= 500;
}

/* How long to wait: as the server says, else longer each time, minus up to a quarter at random so
 * that clients do not come back together. */
static int64_t pause_before(struct provider_ask *ask)
{
	int64_t wait = (int64_t)RETRY_FIRST_MS << (ask->tries - ask->waited - 1);
	uint16_t chance = 0;

	if (ask->retry_after_ms >= 0)
		return ask->retry_after_ms;
	wait = wait > RETRY_MAX_MS ? RETRY_MAX_MS : wait;
	loom_env_random(ask->generation->voices->opts.env,
			ask->generation->request.salt + ask->serial, &chance, sizeof chance);
	return wait - wait * chance / (4 * 65536);
}

static void on_retry(void *ctx)
{
	struct provider_ask *ask = ctx;

	ask->timer = 0;
	if (ask->state == PROVIDER_ASK_WAITING) /* not dropped meanwhile */
		ask->state = PROVIDER_ASK_QUEUED;
	pump(((struct http_state *)ask->generation->state)->lane);
}

/* A short wait is not worth a message. */
static void tell_wait(const struct provider_ask *ask, int64_t wait)
{
	const struct loom_generate_sink *sink = &ask->generation->sink;

	if (wait >= WAIT_TOLD_MS && sink->waits)
		sink->waits(sink->ctx, wait, &ask->failure);
}

/* A server that loads its model is waited for, and so is one that is not there yet, for as long as
 * the provider says. */
static bool is_coming(struct provider_ask *ask, const struct loom_http_result *result)
{
	const int64_t wait = ask->generation->voice.provider->wait_ms;

	if (!anybody_waits(ask) || ask->began)
		return false;
	if (result->outcome == LOOM_HTTP_DONE)
		return ask->status == 503 && ask->retry_after_ms <= PATIENCE_MS &&
		       loom_server_loads(loom_buf_str(&ask->document));
	if (result->outcome != LOOM_HTTP_UNREACHED || !result->transient || !result->refused ||
	    !wait)
		return false;
	if (!ask->refused_since)
		ask->refused_since = loom_env_boot();
	return loom_env_boot() - ask->refused_since < wait;
}

/* Asks again in a moment, without end; it is told once, and costs none of the tries. */
static void wait_for_server(struct provider_ask *ask)
{
	struct provider_lane *lane = ((struct http_state *)ask->generation->state)->lane;
	const struct loom_generate_sink *sink = &ask->generation->sink;
	struct loom_err why = ask->failure;

	if (!ask->wait_told && sink->waits) {
		loom_fail(&why, LOOM_MODEL, "%s; waiting for it", ask->failure.text);
		sink->waits(sink->ctx, 0, &why);
	}
	ask->wait_told = true;
	ask->waited++;
	ask->state = PROVIDER_ASK_WAITING;
	ask->timer = loom_loop_timer(lane->voices->opts.loop,
				     ask->retry_after_ms > 0 ? ask->retry_after_ms : SERVER_WAIT_MS,
				     on_retry, ask);
	pump(lane);
}

static void try_again(struct provider_ask *ask)
{
	struct provider_lane *lane = ((struct http_state *)ask->generation->state)->lane;
	int64_t wait = pause_before(ask);
	int64_t until = loom_env_boot() + wait;

	/* the server's wish holds for the whole lane */
	if (ask->retry_after_ms > 0 && until > lane->not_before)
		lane->not_before = until;
	ask->state = PROVIDER_ASK_WAITING;
	ask->timer = loom_loop_timer(lane->voices->opts.loop, wait, on_retry, ask);
	tell_wait(ask, wait);
	pump(lane);
}

static bool may_try_again(const struct provider_ask *ask, const struct loom_http_result *result)
{
	if (ask->tries - ask->waited >= TRIES_MAX || ask->began || !anybody_waits(ask))
		return false;
	if (result->outcome == LOOM_HTTP_UNREACHED)
		return result->transient;
	return result->outcome == LOOM_HTTP_DONE && ask->body == PROVIDER_BODY_REFUSAL &&
	       (ask->status < 200 || ask->status >= 300) && may_retry_status(ask) &&
	       ask->retry_after_ms <= PATIENCE_MS;
}

/* The server is there but slow: it is reading a long prompt or loading a model. */
static void explain_silence(struct provider_ask *ask, const struct loom_http_result *result)
{
	struct loom_str name = ask->generation->voice.provider->name;

	loom_fail(&ask->failure, LOOM_MODEL, "%.*s was asked and did not answer: %s",
		  LOOM_STR_ARG(name), result->err.text);
	loom_hint(&ask->failure, LOOM_MODEL,
		  "see \"idle_timeout\" and \"timeout\" of provider \"%.*s\" for how long it may "
		  "take",
		  LOOM_STR_ARG(name));
}

static void explain(struct provider_ask *ask, const struct loom_http_result *result)
{
	struct loom_str name = ask->generation->voice.provider->name;
	/* A head that exceeds all limits is still an answer. */
	const bool unreached =
		result->outcome == LOOM_HTTP_UNREACHED && result->err.status != LOOM_LIMIT;

	if (ask->failure.status != LOOM_OK || result->outcome == LOOM_HTTP_CANCELLED)
		return;
	if (result->outcome == LOOM_HTTP_DONE) {
		provider_ask_explain_refusal(ask);
		return;
	}
	if (result->silent) {
		explain_silence(ask, result);
		return;
	}
	loom_fail(&ask->failure, LOOM_MODEL,
		  unreached ? "%.*s cannot be reached: %s" : "%.*s broke off: %s",
		  LOOM_STR_ARG(name), result->err.text);
	if (unreached)
		loom_hint(&ask->failure, LOOM_MODEL, "is a server running at %.*s?",
			  LOOM_STR_ARG(ask->generation->voice.provider->base_url));
}

/* ---- a small model that is gone ---- */

static void on_list_head(void *ctx, const struct loom_http_head *head)
{
	((struct provider_ask *)ctx)->status = head->status;
}

static void on_list_body(void *ctx, struct loom_str bytes)
{
	loom_buf_add(&((struct provider_ask *)ctx)->document, bytes);
}

/* Asks the newest small model in place of the one that is gone, from now on. */
static void on_list_end(void *ctx, const struct loom_http_result *result)
{
	struct provider_ask *ask = ctx;
	struct loom_generation *generation = ask->generation;
	struct provider_lane *lane = ((struct http_state *)generation->state)->lane;
	struct loom_model *model = &generation->voice.model;
	const struct loom_str list = loom_buf_str(&ask->document);
	struct loom_str newest = {NULL, 0};
	struct loom_err why = {.status = LOOM_OK};

	ask->call = NULL;
	lane->running--;
	if (result->outcome == LOOM_HTTP_DONE && ask->status == 200 && anybody_waits(ask) &&
	    loom_json_check(list, NULL, NULL) == LOOM_OK)
		newest = provider_small_newest(lane->provider->api, loom_jval_of(list), model->id,
					       generation->voices->arena);
	if (!newest.n) {
		settle(ask);
		return;
	}
	loom_fail(&why, LOOM_MODEL, "%.*s no longer serves %.*s; asking %.*s",
		  LOOM_STR_ARG(lane->provider->name), LOOM_STR_ARG(model->id),
		  LOOM_STR_ARG(newest));
	lane->gone = loom_arena_str(generation->voices->arena, model->id);
	lane->instead = model->id = newest;
	ask->tries--;
	ask->state = PROVIDER_ASK_QUEUED;
	if (generation->sink.waits)
		generation->sink.waits(generation->sink.ctx, 0, &why);
	pump(lane);
}

/* Looks for another model. Fails if this is no reason to. */
static bool look_for_another(struct provider_ask *ask)
{
	const struct loom_http_sink sink = {on_list_head, on_list_body, on_list_end, ask};
	struct provider_lane *lane = ((struct http_state *)ask->generation->state)->lane;

	if (lane->instead.n || !anybody_waits(ask) || !provider_small_gone(ask))
		return false;
	provider_ask_explain_refusal(ask);
	loom_buf_clear(&ask->document);
	if (provider_list_ask(lane, LIST_MS, &sink, &ask->call, NULL) != LOOM_OK)
		return false;
	lane->running++;
	return true;
}

static void on_end(void *ctx, const struct loom_http_result *result)
{
	struct provider_ask *ask = ctx;
	struct provider_lane *lane = ((struct http_state *)ask->generation->state)->lane;

	ask->call = NULL;
	lane->running--;
	if (result->outcome == LOOM_HTTP_DONE && ask->body != PROVIDER_BODY_REFUSAL)
		provider_ask_read_rest(ask);
	if (is_coming(ask, result)) {
		explain(ask, result);
		wait_for_server(ask);
		return;
	}
	if (may_try_again(ask, result)) {
		explain(ask, result);
		try_again(ask);
		return;
	}
	if (result->outcome == LOOM_HTTP_DONE && ask->body == PROVIDER_BODY_REFUSAL &&
	    anybody_waits(ask) && provider_ask_relearn(ask)) {
		ask->tries--;
		ask->state = PROVIDER_ASK_QUEUED;
		pump(lane);
		return;
	}
	if (result->outcome == LOOM_HTTP_DONE && ask->status == 400 && ask->count > 1 &&
	    ask->failure.status == LOOM_OK) {
		split(ask);
		return;
	}
	if (result->outcome == LOOM_HTTP_DONE && look_for_another(ask))
		return;
	if (result->outcome != LOOM_HTTP_DONE || ask->body == PROVIDER_BODY_REFUSAL)
		explain(ask, result);
	settle(ask);
}

/* ---- the lane ---- */

static void begin_ask(struct provider_ask *ask)
{
	struct provider_lane *lane = ((struct http_state *)ask->generation->state)->lane;
	struct loom_err err = {.status = LOOM_OK};

	provider_ask_reset(ask);
	ask->tries++;
	ask->generation->secret = loom_buf_str(&lane->key);
	if (send_ask(ask, &err) == LOOM_OK) {
		ask->state = PROVIDER_ASK_RUNNING;
		lane->running++;
		return;
	}
	ask->failure = err;
	ask->failure.status = LOOM_MODEL;
	settle(ask);
}

/* The queued ask that has waited longest. */
static struct provider_ask *next_queued(const struct provider_lane *lane)
{
	struct provider_ask *best = NULL;

	for (struct loom_generation *at = lane->voices->first; at; at = at->next) {
		const struct http_state *state = at->state;

		if (at->backend != &provider_backend_http || !state || state->lane != lane)
			continue;
		for (size_t i = 0; i < state->count; i++)
			if (state->asks[i]->state == PROVIDER_ASK_QUEUED &&
			    !waits_for_trunk(state->asks[i]) &&
			    (!best || state->asks[i]->serial < best->serial))
				best = state->asks[i];
	}
	return best;
}

static void fail_queued(struct provider_lane *lane)
{
	struct provider_ask *ask = NULL;

	while ((ask = next_queued(lane)) != NULL) {
		provider_ask_reset(ask);
		ask->failure = lane->key_err;
		ask->state = PROVIDER_ASK_OVER;
		for (size_t i = 0; i < ask->count; i++)
			end_choice(ask, i);
	}
}

static void on_patience(void *ctx)
{
	struct provider_lane *lane = ctx;

	lane->timer = 0;
	pump(lane);
}

/* Starts the asks that may start now. */
static void pump(struct provider_lane *lane)
{
	int64_t wait = lane->not_before - loom_env_boot();
	struct provider_ask *ask = NULL;

	if (lane->key_state == PROVIDER_KEY_COMING)
		return;
	if (lane->key_state == PROVIDER_KEY_FAILED) {
		fail_queued(lane);
		return;
	}
	if (wait > 0) {
		if (!lane->timer && next_queued(lane))
			lane->timer =
				loom_loop_timer(lane->voices->opts.loop, wait, on_patience, lane);
		return;
	}
	while (lane->running < lane->provider->max_parallel && (ask = next_queued(lane)) != NULL)
		begin_ask(ask);
}

/* ---- the backend ---- */

static void begin(struct loom_generation *generation)
{
	struct http_state *state = LOOM_ARENA_NEW(generation->arena, struct http_state);
	const struct provider_voice *voice = &generation->voice;
	struct loom_buf url = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t most = 0;

	state->dialect = provider_dialect_of(&voice->model);
	state->lane = provider_lane_of(generation->voices, voice->provider);
	most = (size_t)(voice->model.caps.n ? voice->model.caps.n : state->dialect->caps.n);
	generation->state = state;
	if (state->lane->gone.n && loom_str_eq(voice->model.id, state->lane->gone) &&
	    voice->use == LOOM_GENERATE_SUMMARY)
		generation->voice.model.id = state->lane->instead;
	make_url(voice, state->dialect, &url);
	generation->endpoint = loom_arena_buf(generation->arena, &url);
	loom_buf_fini(&url);
	provider_prompt_plan(generation, state->dialect);
	for (size_t at = 0; at < generation->request.n; at += most) {
		size_t left = generation->request.n - at;

		add_ask(generation, at, left < most ? left : most);
	}
	state->lane->ready = pump;
	provider_lane_want_key(state->lane);
	pump(state->lane);
}

static void drop(struct loom_generation *generation, size_t choice)
{
	const struct http_state *state = generation->state;

	for (size_t i = 0; state && i < state->count; i++) {
		struct provider_ask *ask = state->asks[i];

		if (choice < ask->first || choice >= ask->first + ask->count || anybody_waits(ask))
			continue;
		if (ask->state == PROVIDER_ASK_RUNNING && ask->call)
			loom_http_cancel(ask->call);
		else
			ask->state = PROVIDER_ASK_OVER;
	}
}

static void destroy(struct loom_generation *generation)
{
	const struct http_state *state = generation->state;
	struct provider_lane *lane = state ? state->lane : NULL;

	for (size_t i = 0; state && i < state->count; i++) {
		struct provider_ask *ask = state->asks[i];

		loom_loop_timer_cancel(generation->voices->opts.loop, ask->timer);
		if (ask->call) {
			loom_http_drop(ask->call);
			lane->running--;
		}
		provider_ask_fini(ask);
	}
}

enum loom_status provider_http_ready(struct loom_voices *voices, const struct provider_voice *voice,
				     struct loom_err *err)
{
	const struct provider_dialect *dialect = provider_dialect_of(&voice->model);
	struct provider_lane *lane = provider_lane_of(voices, voice->provider);
	struct loom_buf url = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err why;
	enum loom_status status = LOOM_OK;

	make_url(voice, dialect, &url);
	if (loom_http_judge(loom_buf_str(&url), NULL, &why) != LOOM_OK) {
		status = loom_fail(err, LOOM_MODEL, "%s: %s", loom_buf_cstr(&url), why.text);
		loom_hint(err, status, "set base_url of \"%.*s\" in %.*s",
			  LOOM_STR_ARG(voice->provider->name),
			  LOOM_STR_ARG(voices->opts.config->path));
	}
	loom_buf_fini(&url);
	if (status == LOOM_OK && !voice->provider->key_cmd) {
		provider_lane_want_key(lane);
		if (lane->key_state == PROVIDER_KEY_FAILED) {
			if (err)
				*err = lane->key_err;
			return LOOM_MODEL;
		}
	}
	if (!voices->http)
		voices->http = loom_http_client_create(voices->opts.loop);
	return status;
}

const struct provider_backend provider_backend_http = {
	.begin = begin,
	.drop = drop,
	.destroy = destroy,
};
