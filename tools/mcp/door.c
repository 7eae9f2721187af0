/* The endpoint: a request over HTTP becomes a message of a session, or one of 2026 that stands for
 * itself. Only the bearer of a token gets as far as being read. */
#include "visit.h"

#include <loom/base/env.h>

#define BODY_MAX MCP_LINE_MAX

/* A request on its way. */
struct coming {
	struct mcp_door *door;
	struct loom_exchange *exchange;
	const struct loom_pass *pass;
	struct loom_arena *arena; /* of the message */
	struct mcp_message message;
	struct loom_str version; /* in the message; p NULL: it is of the old era */
};

/* ---- refusing ---- */

/* Answers with an error of the protocol, for whom there is no visit yet. */
static void refuse(struct coming *coming, unsigned status, int code, const char *why)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct loom_json json;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "jsonrpc", LOOM_STR("2.0"));
	loom_json_key(&json, "id");
	loom_json_raw(&json, coming->message.id.p ? coming->message.id : LOOM_STR("null"));
	loom_json_key(&json, "error");
	loom_json_object(&json);
	loom_json_put_int(&json, "code", code);
	loom_json_put(&json, "message", loom_str_of(why));
	loom_json_end_object(&json);
	loom_json_end_object(&json);
	loom_exchange_answer(coming->exchange, &(struct loom_http_answer){
						       .status = status,
						       .type = "application/json",
						       .body = loom_buf_str(&text),
					       });
	loom_buf_fini(&text);
}

static void refuse_method(struct loom_exchange *exchange)
{
	loom_exchange_answer(exchange,
			     &(struct loom_http_answer){
				     .status = 405,
				     .headers = {{"Allow", LOOM_STR_INIT("GET, POST, DELETE")}},
			     });
}

/* ---- the head ---- */

static const struct loom_pass *find_pass(struct mcp_door *door,
					 const struct loom_exchange *exchange)
{
	struct loom_str header = loom_exchange_header(exchange, "Authorization");
	struct loom_str scheme;
	bool changed = false;

	if (!loom_str_cut(&header, ' ', &scheme) || !loom_str_eq_fold(scheme, LOOM_STR("Bearer")) ||
	    loom_passes_look(door->passes, &changed, NULL) != LOOM_OK)
		return NULL;
	return loom_passes_find(door->passes, LOOM_PASS_TOKEN, loom_str_trim(header));
}

static void ask_for_token(struct loom_exchange *exchange)
{
	loom_exchange_answer(exchange,
			     &(struct loom_http_answer){
				     .status = 401,
				     .type = "text/plain; charset=utf-8",
				     .body = LOOM_STR("401 Unauthorized\nsend a token of `loom "
						      "token new AGENT`: Authorization: Bearer "
						      "TOKEN\n"),
				     .headers = {{"WWW-Authenticate",
						  LOOM_STR_INIT("Bearer realm=\"loom\"")}},
			     });
}

static bool is_json(const struct loom_exchange *exchange)
{
	struct loom_str type = loom_exchange_header(exchange, "Content-Type");
	struct loom_str name;

	return loom_str_cut(&type, ';', &name) &&
	       loom_str_eq_fold(loom_str_trim(name), LOOM_STR("application/json"));
}

void mcp_door_head(struct mcp_door *door, struct loom_exchange *exchange)
{
	const struct loom_str method = loom_exchange_method(exchange);
	const bool posts = loom_str_is(method, "POST");
	const bool events = loom_exchange_accepts(exchange, LOOM_STR("text/event-stream"));

	if (loom_exchange_is_foreign(exchange, true))
		loom_exchange_refuse(exchange, 403, "a page of another origin asks");
	else if (!find_pass(door, exchange))
		ask_for_token(exchange);
	else if (!posts && !loom_str_is(method, "GET") && !loom_str_is(method, "DELETE"))
		refuse_method(exchange);
	else if (posts && !is_json(exchange))
		loom_exchange_refuse(exchange, 415, "send application/json");
	else if (posts && !events && !loom_exchange_accepts(exchange, LOOM_STR("application/json")))
		loom_exchange_refuse(exchange, 406, "accept application/json, text/event-stream");
	else if (loom_str_is(method, "GET") && !events)
		loom_exchange_refuse(exchange, 406, "accept text/event-stream");
	else if (posts)
		loom_exchange_take(exchange, BODY_MAX);
}

/* ---- messages ---- */

/* Hands a message, or one after the other those of a list, to a client. */
static void take(struct mcp *mcp, struct mcp_stream *stream, struct coming *coming)
{
	struct mcp_request *never = NULL;
	struct loom_str text;

	(void)mcp_take(mcp, &stream->outlet, &coming->message, coming->arena, &never);
	coming->arena = NULL;
	while (mcp->batch && loom_jwalk_next(&mcp->batch->rest, NULL, &text)) {
		struct loom_arena *arena = loom_arena_create();
		struct mcp_message message;

		mcp_read(text, arena, &message);
		(void)mcp_take(mcp, &stream->outlet, &message, arena, &never);
	}
	mcp_batch_leave(mcp);
	LOOM_ASSERT(!never);
}

static void take_in(struct mcp_visit *visit, struct coming *coming)
{
	struct mcp_stream *stream = mcp_stream_create(visit, coming->exchange);

	visit->seen = loom_env_boot();
	take(&visit->mcp, stream, coming);
	mcp_stream_settle(stream);
}

static enum loom_status visit_of(struct coming *coming, bool session, struct mcp_visit **out)
{
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = mcp_visit_create(coming->door, coming->pass, session, out, &err);

	if (status != LOOM_OK)
		refuse(coming, status == LOOM_LIMIT ? 429 : 403, MCP_OWN, err.text);
	return status;
}

/* ---- sessions ---- */

static bool is_old_version(struct loom_str version)
{
	return !version.p || mcp_is_legacy(version);
}

static void open_session(struct coming *coming)
{
	struct mcp_visit *visit = NULL;

	if (visit_of(coming, true, &visit) != LOOM_OK)
		return;
	take_in(visit, coming);
	if (!visit->mcp.greeted)
		mcp_visit_end(visit);
}

/* Finds the session that a request names, or refuses the request. */
static struct mcp_visit *session_of(struct coming *coming)
{
	const struct loom_str id = loom_exchange_header(coming->exchange, "Mcp-Session-Id");
	const struct loom_str version =
		loom_exchange_header(coming->exchange, "MCP-Protocol-Version");
	struct mcp_visit *visit = mcp_visit_find(coming->door, &coming->pass->hash, id);

	if (!id.p)
		refuse(coming, 400, MCP_REQUEST, "Mcp-Session-Id is missing: initialize first");
	else if (!visit)
		refuse(coming, 404, MCP_REQUEST, "there is no such session: initialize again");
	else if (!is_old_version(version))
		refuse(coming, 400, MCP_REQUEST, "MCP-Protocol-Version is not one of a session");
	else
		return visit;
	return NULL;
}

static void post_to_session(struct coming *coming)
{
	const enum mcp_kind kind = coming->message.kind;
	struct mcp_visit *visit = NULL;
	struct mcp_request *never = NULL;

	if (kind == MCP_ASKS && loom_str_is(coming->message.method, "initialize")) {
		open_session(coming);
		return;
	}
	visit = session_of(coming);
	if (!visit)
		return;
	if (kind == MCP_TELLS || kind == MCP_OTHER) {
		visit->seen = loom_env_boot();
		(void)mcp_take(&visit->mcp, NULL, &coming->message, coming->arena, &never);
		coming->arena = NULL;
		loom_exchange_answer(coming->exchange, &(struct loom_http_answer){.status = 202});
		return;
	}
	take_in(visit, coming);
}

/* Reads "STREAM-EVENT". */
static bool read_event_id(struct loom_str text, uint64_t *stream, uint64_t *event)
{
	struct loom_str first;

	return loom_str_cut(&text, '-', &first) && loom_str_to_u64(first, stream) && text.p &&
	       loom_str_to_u64(text, event);
}

static void get_events(struct coming *coming)
{
	const struct loom_str last = loom_exchange_header(coming->exchange, "Last-Event-ID");
	struct mcp_visit *visit = session_of(coming);
	struct mcp_stream *stream = NULL;
	uint64_t number = 0;
	uint64_t after = 0;

	if (!visit)
		return;
	visit->seen = loom_env_boot();
	stream = mcp_stream_general(visit);
	if (!last.p) {
		after = stream->sent;
	} else {
		if (!read_event_id(last, &number, &after))
			number = UINT64_MAX;
		stream = visit->streams;
		while (stream && stream->number != number)
			stream = stream->next;
	}
	if (stream)
		mcp_stream_resume(stream, coming->exchange, after);
	else
		refuse(coming, 400, MCP_REQUEST, "the events after that one are not kept any more");
}

static void end_session(struct coming *coming)
{
	struct mcp_visit *visit = session_of(coming);

	if (!visit)
		return;
	loom_exchange_answer(coming->exchange, &(struct loom_http_answer){.status = 204});
	mcp_visit_end(visit);
}

/* ---- requests that stand for themselves ---- */

/* Decodes base64 with or without its padding. */
static bool unbase64(struct loom_str text, struct loom_buf *out)
{
	struct loom_buf same = LOOM_BUF_INIT(BODY_MAX);
	bool read = false;

	while (text.n && text.p[text.n - 1] == '=')
		text.n--;
	for (size_t i = 0; i < text.n; i++)
		loom_buf_addc(&same, text.p[i] == '+' ? '-' : text.p[i] == '/' ? '_' : text.p[i]);
	read = loom_unbase64url(loom_buf_str(&same), out);
	loom_buf_fini(&same);
	return read;
}

/* Whether a header repeats what the message says; a value in base64 is between =?base64? and ?=. */
static bool repeats(const struct coming *coming, const char *name, struct loom_str said)
{
	const struct loom_str header = loom_exchange_header(coming->exchange, name);
	const struct loom_str begin = LOOM_STR("=?base64?");
	struct loom_buf text = LOOM_BUF_INIT(BODY_MAX);
	bool same = false;

	if (!header.p || !said.p)
		return false;
	if (loom_str_starts(header, begin) && loom_str_ends(header, LOOM_STR("?=")))
		same = unbase64(loom_str_sub(header, begin.n, header.n - begin.n - 2), &text) &&
		       loom_str_eq(loom_buf_str(&text), said);
	else
		same = loom_str_eq(header, said);
	loom_buf_fini(&text);
	return same;
}

/* The member of the parameters that Mcp-Name repeats; NULL: none. */
static const char *named_by(struct loom_str method)
{
	return loom_str_is(method, "resources/read")                                     ? "uri"
	       : loom_str_is(method, "tools/call") || loom_str_is(method, "prompts/get") ? "name"
											 : NULL;
}

static bool are_headers_right(const struct coming *coming)
{
	const struct mcp_message *message = &coming->message;
	const char *name = named_by(message->method);

	return repeats(coming, "MCP-Protocol-Version", coming->version) &&
	       repeats(coming, "Mcp-Method", message->method) &&
	       (!name ||
		repeats(coming, "Mcp-Name",
			loom_jval_text(loom_jval_get(message->params, name), coming->arena)));
}

/* A message of 2026 whose `_meta` lacks something, which has a status of its own. */
static bool is_meta_whole(const struct coming *coming)
{
	const struct loom_str meta = loom_jval_get(coming->message.params, "_meta");

	return coming->version.p &&
	       loom_jval_type(loom_jval_get(meta, MCP_META_CAPABILITIES)) == LOOM_JTYPE_OBJECT;
}

static void post_alone(struct coming *coming)
{
	struct mcp_visit *visit = NULL;

	if (coming->message.kind == MCP_TELLS || coming->message.kind == MCP_OTHER) {
		loom_exchange_answer(coming->exchange, &(struct loom_http_answer){.status = 202});
		return;
	}
	if (!is_meta_whole(coming)) {
		refuse(coming, 400, MCP_PARAMS,
		       "_meta must have " MCP_META_VERSION " and " MCP_META_CAPABILITIES);
		return;
	}
	if (!are_headers_right(coming)) {
		refuse(coming, 400, MCP_HEADERS,
		       "MCP-Protocol-Version, Mcp-Method and Mcp-Name must repeat what the "
		       "message says");
		return;
	}
	if (visit_of(coming, false, &visit) == LOOM_OK)
		take_in(visit, coming);
}

/* ---- all of it ---- */

/* Whether the message, or the header about it, is not of the old era. */
static bool is_alone(struct coming *coming)
{
	const struct loom_str meta = loom_jval_get(coming->message.params, "_meta");
	const struct loom_str version = loom_jval_get(meta, MCP_META_VERSION);
	const struct loom_str header =
		loom_exchange_header(coming->exchange, "MCP-Protocol-Version");

	coming->version = loom_jval_text(version, coming->arena);
	if (loom_str_is(coming->message.method, "initialize") && !version.p)
		return header.p && loom_str_is(header, MCP_MODERN);
	return version.p || !is_old_version(header);
}

static void post(struct coming *coming)
{
	coming->arena = loom_arena_create();
	mcp_read(loom_exchange_body(coming->exchange), coming->arena, &coming->message);
	if (coming->message.kind == MCP_BAD)
		refuse(coming, 400, coming->message.code,
		       loom_arena_cstr(coming->arena, coming->message.why));
	else if (is_alone(coming))
		post_alone(coming);
	else
		post_to_session(coming);
	loom_arena_destroy(coming->arena);
}

void mcp_door_request(struct mcp_door *door, struct loom_exchange *exchange)
{
	struct coming coming = {.door = door, .exchange = exchange};
	const struct loom_str method = loom_exchange_method(exchange);

	coming.pass = find_pass(door, exchange);
	if (!coming.pass)
		ask_for_token(exchange);
	else if (loom_str_is(method, "DELETE"))
		end_session(&coming);
	else if (mcp_door_crowded(door, &coming.pass->hash))
		loom_exchange_refuse(exchange, 429, "too many requests of this token wait at once");
	else if (loom_exchange_is_pressed(exchange))
		loom_exchange_refuse(exchange, 503, "too much waits to be taken; try again");
	else if (loom_str_is(method, "POST"))
		post(&coming);
	else
		get_events(&coming);
}

/* ---- beginning and end ---- */

enum loom_status mcp_door_open(const struct mcp_door_opts *opts, struct mcp_door **out,
			       struct loom_err *err)
{
	struct mcp_door *door = loom_alloc(sizeof *door);
	enum loom_status status = LOOM_OK;

	*door = (struct mcp_door){.grove = opts->grove};
	mcp_home_init(&door->home, opts->cli);
	mcp_home_enter_grove(&door->home, opts->grove);
	(void)cli_grove_worker(opts->grove);
	if (opts->agent.n)
		status = loom_agent_find(opts->grove->store, opts->agent, opts->grove->arena,
					 &door->only, err);
	if (status == LOOM_OK)
		status = loom_passes_open(opts->grove->store, &door->passes, err);
	if (status != LOOM_OK) {
		mcp_home_leave_grove(&door->home);
		free(door);
		door = NULL;
	}
	*out = door;
	return status;
}

void mcp_door_stop(struct mcp_door *door)
{
	for (struct mcp_visit *at = door->visits; at; at = at->next) {
		mcp_listen_stop(&at->mcp);
		mcp_calls_stop(&at->mcp);
	}
}

bool mcp_door_busy(const struct mcp_door *door)
{
	return door->home.jobs != NULL;
}

void mcp_door_close(struct mcp_door *door)
{
	if (!door)
		return;
	for (struct mcp_visit *at = door->visits; at; at = at->next)
		mcp_visit_end(at);
	mcp_door_reap_now(door);
	LOOM_ASSERT(!door->visits);
	loom_loop_timer_cancel(door->home.loop, door->tick);
	mcp_home_leave_grove(&door->home);
	loom_passes_close(door->passes);
	free(door);
}
