/* Clients: their requests, of both eras, are told apart and dispatched, whichever door they come
 * through.
 *
 * A request of 2026 carries its version; earlier clients state theirs once, in a handshake. A
 * message has no effect before it is understood, and every request is answered exactly once unless
 * its client cancelled it. */
#include <loom/mcp/mcp.h>

/* The eras that know a method. PAGE: it lists everything on one page, so no cursor is valid. */
enum { OLD = 1, NEW = 2, PAGE = 4 };

typedef void method_fn(struct mcp *mcp, const struct mcp_request *request);

struct method {
	const char *name;
	method_fn *answer;
	unsigned eras;
	bool grove; /* needs the grove */
};

static void say_pong(struct mcp *mcp, const struct mcp_request *request)
{
	(void)mcp_begin(mcp, request);
	mcp_end(mcp);
}

static const struct method methods[] = {
	{"initialize", mcp_initialize, OLD, false},
	{"ping", say_pong, OLD, false},
	{"server/discover", mcp_discover, NEW, false},
	{"tools/list", mcp_tools, OLD | NEW | PAGE, false},
	{"tools/call", mcp_call, OLD | NEW, true},
	{"resources/list", mcp_resources, OLD | NEW, true},
	{"completion/complete", mcp_complete, OLD | NEW, true},
	{"resources/templates/list", mcp_templates, OLD | NEW | PAGE, false},
	{"resources/read", mcp_resource, OLD | NEW, true},
	{"resources/subscribe", mcp_subscribe, OLD, true},
	{"resources/unsubscribe", mcp_unsubscribe, OLD, true},
	{"subscriptions/listen", mcp_listen, NEW, true},
	{"prompts/list", mcp_prompts, OLD | NEW | PAGE, false},
	{"prompts/get", mcp_prompt, OLD | NEW, true},
};

/* ---- the grove ---- */

void mcp_scratch(struct mcp *mcp, struct loom_arena *arena)
{
	struct cli_grove *grove = mcp->grove;

	if (!grove)
		return;
	grove->arena = arena ? arena : mcp->home->cli->arena;
	grove->agents = NULL;
	grove->agent_count = grove->agent_cap = 0;
}

const struct cli_voices *mcp_voices(struct mcp_home *home)
{
	if (!home->voices.voices)
		cli_voices_open(home->grove, &home->voices);
	return &home->voices;
}

enum loom_status mcp_client_act(struct mcp *mcp, const struct loom_agent *agent,
				struct loom_err *err)
{
	struct cli_grove *grove = mcp->grove;

	if (agent->kind == LOOM_AGENT_HUMAN) {
		loom_fail(err, LOOM_REFUSED, "%.*s is a person, but loom mcp acts for a model",
			  LOOM_STR_ARG(agent->name));
		return loom_hint(err, LOOM_REFUSED, "loom mcp --agent AGENT");
	}
	if (!cli_grove_person(grove) && grove->actor.id != agent->id)
		return loom_fail(err, LOOM_PERMISSION, "%.*s cannot act as %.*s",
				 LOOM_STR_ARG(grove->actor.name), LOOM_STR_ARG(agent->name));
	mcp->agent = grove->actor = *agent;
	grove->ungranted = MCP_UNGRANTED;
	return LOOM_OK;
}

/* ---- one request ---- */

static const struct method *find_method(struct loom_str name)
{
	for (size_t i = 0; i < LOOM_COUNT(methods); i++)
		if (loom_str_is(name, methods[i].name))
			return &methods[i];
	return NULL;
}

void mcp_do(struct mcp *mcp, const struct mcp_request *request)
{
	const struct method *method = find_method(request->method);

	mcp_scratch(mcp, request->arena);
	if (method)
		method->answer(mcp, request);
	mcp_scratch(mcp, NULL);
}

/* Finds out a request's era, or reports what is wrong. */
static bool read_era(struct mcp *mcp, struct mcp_request *request)
{
	struct loom_str meta = loom_jval_get(request->params, "_meta");
	struct loom_str version =
		loom_jval_text(loom_jval_get(meta, MCP_META_VERSION), request->arena);
	const bool opening =
		loom_str_is(request->method, "initialize") || loom_str_is(request->method, "ping");

	if (loom_jval_get(meta, MCP_META_VERSION).p) {
		request->modern = true;
		if (version.p && loom_str_is(version, MCP_MODERN) &&
		    loom_jval_type(loom_jval_get(meta, MCP_META_CAPABILITIES)) == LOOM_JTYPE_OBJECT)
			return true;
		if (version.p && !loom_str_is(version, MCP_MODERN))
			mcp_refuse_version(mcp, request, version);
		else
			mcp_error(mcp, request, MCP_PARAMS,
				  LOOM_STR("_meta has no " MCP_META_CAPABILITIES));
		return false;
	}
	if (mcp->greeted || opening)
		return true;
	mcp_error(mcp, request, MCP_PARAMS,
		  LOOM_STR("the session was not initialized, and _meta has no " MCP_META_VERSION));
	return false;
}

/* Refuses a request that is not in order. */
static bool is_in_order(struct mcp *mcp, struct mcp_request *request, const struct method *method)
{
	if (!method) {
		mcp_error(mcp, request, MCP_METHOD, LOOM_STR("there is no such method"));
		return false;
	}
	if (!read_era(mcp, request))
		return false;
	if (!(method->eras & (request->modern ? NEW : OLD))) {
		mcp_error(mcp, request, MCP_METHOD,
			  LOOM_STR("there is no such method in this version"));
		return false;
	}
	if (method->eras & PAGE && !loom_jval_is_null(loom_jval_get(request->params, "cursor"))) {
		mcp_error(mcp, request, MCP_PARAMS, LOOM_STR("loom did not issue that cursor"));
		return false;
	}
	if (request->batch && method->answer == mcp_initialize) {
		mcp_error(mcp, request, MCP_REQUEST,
			  LOOM_STR("initialize may not be part of a batch"));
		return false;
	}
	return true;
}

/* Answers a request, or prepares it to wait for the grove and returns false. */
static bool handle_request(struct mcp *mcp, struct mcp_request *request)
{
	const struct method *method = find_method(request->method);

	if (!is_in_order(mcp, request, method))
		return true;
	if (!method->grove || mcp->grove) {
		mcp_do(mcp, request);
		return true;
	}
	request->params = loom_arena_str(request->arena, request->params);
	request->method = loom_arena_str(request->arena, request->method);
	return false;
}

static void handle_notice(struct mcp *mcp, const struct mcp_message *message,
			  struct loom_arena *arena)
{
	struct loom_str id;

	if (!loom_str_is(message->method, "notifications/cancelled"))
		return;
	id = mcp_id(loom_jval_get(message->params, "requestId"), arena);
	if (id.p && !mcp_call_cancel(mcp, id))
		(void)mcp_listen_end(mcp, id);
}

/* Opens a list: its messages are taken next, one after the other. */
static void open_batch(struct mcp *mcp, const struct mcp_request *request, struct loom_str list)
{
	if (request->batch)
		mcp_error(mcp, request, MCP_REQUEST, LOOM_STR("a batch may not contain a batch"));
	else if (!mcp->batches)
		mcp_error(mcp, request, MCP_REQUEST,
			  LOOM_STR("one message per line: batches belong to version 2025-03-26"));
	else
		mcp->batch = mcp_batch_create(list, request->outlet);
}

bool mcp_take(struct mcp *mcp, struct mcp_outlet *outlet, const struct mcp_message *message,
	      struct loom_arena *arena, struct mcp_request **out_asked)
{
	struct mcp_request *request = LOOM_ARENA_NEW(arena, struct mcp_request);
	bool handled = true;

	*request = (struct mcp_request){.arena = arena,
					.outlet = outlet,
					.id = message->id,
					.method = message->method,
					.params = message->params,
					.batch = mcp->batch};
	if (message->kind == MCP_BAD)
		mcp_error(mcp, request, message->code, message->why);
	else if (message->kind == MCP_BATCH)
		open_batch(mcp, request, message->batch);
	else if (message->kind == MCP_ASKS)
		handled = handle_request(mcp, request);
	else if (message->kind == MCP_TELLS)
		handle_notice(mcp, message, arena);
	if (handled)
		loom_arena_destroy(arena);
	else
		*out_asked = request;
	return handled;
}

void mcp_batch_leave(struct mcp *mcp)
{
	mcp_batch_let_go(mcp->batch);
	mcp->batch = NULL;
}

void mcp_request_over(struct mcp_request *request)
{
	struct mcp_outlet *outlet = request->outlet;

	if (request->batch)
		mcp_batch_let_go(request->batch);
	else if (outlet->close)
		outlet->close(outlet);
	request->batch = NULL;
}

/* ---- beginning and end ---- */

void mcp_home_init(struct mcp_home *home, struct loom_cli *cli)
{
	*home = (struct mcp_home){.cli = cli, .loop = loom_cli_loop(cli)};
}

void mcp_home_enter_grove(struct mcp_home *home, struct cli_grove *grove)
{
	home->grove = grove;
	home->log = loom_follow_start(grove->store, &(struct loom_follow_opts){.loop = home->loop});
	mcp_sums_soon(home);
}

void mcp_home_leave_grove(struct mcp_home *home)
{
	mcp_watch_close(home);
	mcp_sums_end(home);
	loom_follow_stop(home->log);
	home->log = NULL;
	/* Engines still closing must be gone before anything they borrow. */
	loom_worker_destroy(home->grove->worker);
	home->grove->worker = NULL;
	cli_voices_close(&home->voices);
	home->grove = NULL;
}

void mcp_client_init(struct mcp *mcp, struct mcp_home *home, struct mcp_outlet *outlet)
{
	*mcp = (struct mcp){.home = home, .next = home->clients, .outlet = outlet};
	home->clients = mcp;
	loom_buf_init(&mcp->line, LOOM_BUF_MAX);
}

static void close_session(void *payload, enum loom_status status, const struct loom_err *err)
{
	(void)status;
	(void)err;
	loom_session_close(payload);
}

/* Engines that are still closing use it. */
static void leave_session(struct mcp *mcp)
{
	const struct loom_job job = {.done = close_session,
				     .payload = mcp->session,
				     .closes = true};
	const struct cli_grove *grove = mcp->home->grove;

	if (mcp->session && grove && grove->worker)
		loom_worker_post(grove->worker, &job);
	else
		loom_session_close(mcp->session);
	mcp->session = NULL;
}

void mcp_client_fini(struct mcp *mcp)
{
	struct mcp **at = &mcp->home->clients;

	LOOM_ASSERT(!mcp_calls_any(mcp));
	while (*at != mcp)
		at = &(*at)->next;
	*at = mcp->next;
	mcp_listen_stop(mcp);
	leave_session(mcp);
	loom_buf_fini(&mcp->line);
}
