/* The server: lines become requests, requests of both eras are told apart and dispatched, and the
 * first request that needs the grove opens it.
 *
 * A request of 2026 carries its version; earlier clients state theirs once, in a handshake. A
 * message has no effect before it is understood, and every request is answered exactly once unless
 * its client cancelled it. */
#include <loom/mcp/mcp.h>

#include <signal.h>
#include <unistd.h>

/* How long calls may go on after the client has closed its side. Client libraries wait two
 * seconds. */
#define GRACE_MS 1500

#define META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

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
	grove->arena = arena ? arena : mcp->cli->arena;
	grove->agents = NULL;
	grove->agent_count = grove->agent_cap = 0;
}

const struct cli_voices *mcp_voices(struct mcp *mcp)
{
	if (!mcp->voices.voices)
		cli_voices_open(mcp->grove, &mcp->voices);
	return &mcp->voices;
}

static enum loom_status find_agent(struct mcp *mcp, struct loom_err *err)
{
	struct cli_grove *grove = mcp->grove;
	enum loom_status status =
		loom_agent_find(grove->store, mcp->agent_name, grove->arena, &mcp->agent, err);

	if (status == LOOM_NOT_FOUND)
		return loom_hint(err, status, "loom agent add %.*s --permissions analyst",
				 LOOM_STR_ARG(mcp->agent_name));
	if (status != LOOM_OK)
		return status;
	if (mcp->agent.kind == LOOM_AGENT_HUMAN) {
		loom_fail(err, LOOM_REFUSED, "%.*s is a person, but loom mcp acts for a model",
			  LOOM_STR_ARG(mcp->agent.name));
		return loom_hint(err, LOOM_REFUSED, "loom mcp --agent AGENT");
	}
	if (!cli_grove_person(grove) && grove->actor.id != mcp->agent.id)
		return loom_fail(err, LOOM_PERMISSION, "%.*s cannot act as %.*s",
				 LOOM_STR_ARG(grove->actor.name), LOOM_STR_ARG(mcp->agent.name));
	grove->actor = mcp->agent;
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

static void do_request(struct mcp *mcp, const struct mcp_request *request)
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
	struct loom_str version = loom_jval_text(loom_jval_get(meta, META_VERSION), request->arena);
	const bool opening =
		loom_str_is(request->method, "initialize") || loom_str_is(request->method, "ping");

	if (loom_jval_get(meta, META_VERSION).p) {
		request->modern = true;
		if (version.p && loom_str_is(version, MCP_MODERN) &&
		    loom_jval_type(loom_jval_get(meta, META_CAPABILITIES)) == LOOM_JTYPE_OBJECT)
			return true;
		if (version.p && !loom_str_is(version, MCP_MODERN))
			mcp_refuse_version(mcp, request, version);
		else
			mcp_error(mcp, request, MCP_PARAMS,
				  LOOM_STR("_meta has no " META_CAPABILITIES));
		return false;
	}
	if (mcp->greeted || opening)
		return true;
	mcp_error(mcp, request, MCP_PARAMS,
		  LOOM_STR("the session was not initialized, and _meta has no " META_VERSION));
	return false;
}

/* Answers, or leaves the request waiting for the grove. Returns true when it has taken the
 * arena. */
static bool handle_request(struct mcp *mcp, struct mcp_request *request)
{
	const struct method *method = find_method(request->method);

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
	if (!method->grove || mcp->grove) {
		do_request(mcp, request);
		return false;
	}
	request->params = loom_arena_str(request->arena, request->params);
	request->method = loom_arena_str(request->arena, request->method);
	mcp->waiting = request->arena;
	mcp->asked = request;
	return true;
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
		mcp->batch = mcp_batch_create(list);
}

/* Handles one line, or one message of a batch. */
static void handle_message(struct mcp *mcp, struct loom_str text)
{
	struct loom_arena *arena = loom_arena_create();
	struct mcp_request *request = LOOM_ARENA_NEW(arena, struct mcp_request);
	struct mcp_message message;
	bool taken = false;

	mcp_read(text, arena, &message);
	*request = (struct mcp_request){.arena = arena,
					.id = message.id,
					.method = message.method,
					.params = message.params,
					.batch = mcp->batch};
	if (message.kind == MCP_BAD)
		mcp_error(mcp, request, message.code, message.why);
	else if (message.kind == MCP_BATCH)
		open_batch(mcp, request, message.batch);
	else if (message.kind == MCP_ASKS)
		taken = handle_request(mcp, request);
	else if (message.kind == MCP_TELLS)
		handle_notice(mcp, &message, arena);
	if (!taken)
		loom_arena_destroy(arena);
}

/* Closes the batch: nothing more of it is taken, but its calls may still be running. */
static void leave_batch(struct mcp *mcp)
{
	mcp_batch_let_go(mcp->batch, &mcp->wire);
	mcp->batch = NULL;
}

/* ---- the loop ---- */

static void stop(struct mcp *mcp)
{
	if (mcp->stopping)
		return;
	mcp->stopping = true;
	mcp_wire_listen(&mcp->wire, false);
	leave_batch(mcp);
	mcp_calls_stop(mcp);
}

static void on_grace_over(void *ctx)
{
	stop(ctx);
}

static void on_signal(void *ctx, int signo)
{
	(void)signo;
	stop(ctx);
}

static bool is_over(struct mcp *mcp)
{
	const bool ended = mcp->wire.end && mcp->wire.at == mcp->wire.in.n;

	if (mcp->wire.broken || loom_task_cancelled(&mcp->cli->task))
		stop(mcp);
	if (ended && mcp->jobs && !mcp->grace)
		mcp->grace = loom_loop_timer(mcp->wire.loop, GRACE_MS, on_grace_over, mcp);
	return (mcp->stopping || ended) && !mcp->jobs &&
	       (mcp->wire.broken || mcp->stopping || !mcp_wire_backlog(&mcp->wire));
}

/* The next message of the open batch, else the next line. */
static enum mcp_line next_message(struct mcp *mcp, struct loom_str *out)
{
	if (mcp->batch && loom_jwalk_next(&mcp->batch->rest, NULL, out))
		return MCP_A_LINE;
	leave_batch(mcp);
	return mcp_wire_line(&mcp->wire, out);
}

/* Handles the messages that have arrived, until the client stops keeping up. */
static void take_messages(struct mcp *mcp)
{
	struct loom_str text;
	enum mcp_line got = MCP_A_LINE;

	while (!mcp->stopping && !mcp->waiting && got != MCP_NO_LINE &&
	       mcp_wire_backlog(&mcp->wire) < MCP_BACKLOG) {
		got = next_message(mcp, &text);
		if (got == MCP_A_LINE && loom_str_trim(text).n)
			handle_message(mcp, text);
		else if (got == MCP_LONG_LINE)
			mcp_error(mcp, NULL, MCP_REQUEST,
				  LOOM_STR("a message may be at most 16 MiB"));
	}
}

/* Runs until the end, or until a request needs a grove that is not open. */
static void go_on(struct mcp *mcp)
{
	for (;;) {
		take_messages(mcp);
		if (mcp->waiting || is_over(mcp))
			return;
		/* A client that writes everything before it reads must not hang, as long as there
		 * is room. */
		mcp_wire_listen(&mcp->wire, !mcp->stopping && mcp_wire_room(&mcp->wire));
		(void)loom_loop_step(mcp->wire.loop, -1);
	}
}

/* Forgets the request that waited for the grove. */
static void forget_waiting(struct mcp *mcp)
{
	loom_arena_destroy(mcp->waiting);
	mcp->waiting = NULL;
	mcp->asked = NULL;
}

static enum loom_status serve_in(struct cli_grove *grove, struct loom_err *err)
{
	struct mcp *mcp = grove->ctx;
	enum loom_status status = LOOM_OK;

	mcp->grove = grove;
	status = find_agent(mcp, err);
	if (status == LOOM_OK) {
		do_request(mcp, mcp->asked);
		forget_waiting(mcp);
		go_on(mcp);
	}
	mcp_watch_close(mcp);
	/* Engines still closing must be gone before anything they borrow. */
	loom_worker_destroy(grove->worker);
	grove->worker = NULL;
	cli_voices_close(&mcp->voices);
	mcp->grove = NULL;
	return status;
}

/* A failure to open is reported to the request that needed it. */
static void refuse_waiting(struct mcp *mcp, const struct loom_err *err)
{
	if (loom_str_is(mcp->asked->method, "tools/call"))
		mcp_text_err(mcp, mcp->asked, err);
	else
		mcp_refuse(mcp, mcp->asked, err);
	forget_waiting(mcp);
}

void mcp_serve(struct mcp *mcp)
{
	const struct cli_need need = {.unasked = true, .ctx = mcp};
	struct loom_err err;

	loom_cli_listen(mcp->cli);
	loom_loop_signal(mcp->wire.loop, SIGTERM, on_signal, mcp);
	for (go_on(mcp); mcp->waiting; go_on(mcp))
		if (cli_grove_run(mcp->cli, &need, serve_in, &err) != LOOM_OK)
			refuse_waiting(mcp, &err);
	loom_loop_signal(mcp->wire.loop, SIGTERM, NULL, NULL);
	loom_cli_unlisten(mcp->cli);
}

void mcp_init(struct mcp *mcp, struct loom_cli *cli, struct loom_str agent)
{
	*mcp = (struct mcp){.cli = cli, .agent_name = agent};
	loom_buf_init(&mcp->line, LOOM_BUF_MAX);
	mcp_wire_init(&mcp->wire, loom_cli_loop(cli), STDIN_FILENO, STDOUT_FILENO);
}

void mcp_fini(struct mcp *mcp)
{
	loom_loop_timer_cancel(mcp->wire.loop, mcp->grace);
	mcp_wire_fini(&mcp->wire);
	loom_buf_fini(&mcp->line);
}
