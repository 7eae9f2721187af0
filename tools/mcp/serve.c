/* The pipe: lines of one client become requests, and the first request that needs the grove opens
 * it. */
#include <loom/mcp/mcp.h>

#include <signal.h>
#include <unistd.h>

/* How long calls may go on after the client has closed its side. Client libraries wait two
 * seconds. */
#define GRACE_MS 1500

struct pipe {
	struct mcp_home home;
	struct mcp mcp;
	struct mcp_wire wire;
	struct loom_str agent;
	bool stopping;             /* asked to end, or without listeners */
	uint64_t grace;            /* timer after the client's last word */
	struct mcp_request *asked; /* waits for the grove; NULL: none does */
};

/* ---- one message ---- */

static void handle_message(struct pipe *pipe, struct loom_str text)
{
	struct loom_arena *arena = loom_arena_create();
	struct mcp_message message;

	mcp_read(text, arena, &message);
	(void)mcp_take(&pipe->mcp, &pipe->wire.outlet, &message, arena, &pipe->asked);
}

/* The next message of the open batch, else the next line. */
static enum mcp_line next_message(struct pipe *pipe, struct loom_str *out)
{
	struct mcp_batch *batch = pipe->mcp.batch;

	if (batch && loom_jwalk_next(&batch->rest, NULL, out))
		return MCP_A_LINE;
	mcp_batch_leave(&pipe->mcp);
	return mcp_wire_line(&pipe->wire, out);
}

/* Handles the messages that have arrived, until the client stops keeping up. */
static void take_messages(struct pipe *pipe)
{
	struct loom_str text;
	enum mcp_line got = MCP_A_LINE;

	while (!pipe->stopping && !pipe->asked && got != MCP_NO_LINE &&
	       mcp_wire_backlog(&pipe->wire) < MCP_BACKLOG) {
		got = next_message(pipe, &text);
		if (got == MCP_A_LINE && loom_str_trim(text).n)
			handle_message(pipe, text);
		else if (got == MCP_LONG_LINE)
			mcp_error(&pipe->mcp, NULL, MCP_REQUEST,
				  LOOM_STR("a message may be at most 16 MiB"));
	}
}

/* ---- the loop ---- */

static void stop(struct pipe *pipe)
{
	if (pipe->stopping)
		return;
	pipe->stopping = true;
	mcp_wire_listen(&pipe->wire, false);
	mcp_batch_leave(&pipe->mcp);
	mcp_calls_stop(&pipe->mcp);
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

static bool is_over(struct pipe *pipe)
{
	const struct mcp_wire *wire = &pipe->wire;
	const bool ended = wire->end && wire->at == wire->in.n;
	const bool calls = mcp_calls_any(&pipe->mcp);

	if (wire->broken || loom_task_cancelled(&pipe->home.cli->task))
		stop(pipe);
	if (ended && calls && !pipe->grace)
		pipe->grace = loom_loop_timer(pipe->home.loop, GRACE_MS, on_grace_over, pipe);
	return (pipe->stopping || ended) && !mcp_calls_any(&pipe->mcp) &&
	       (wire->broken || pipe->stopping || !mcp_wire_backlog(wire));
}

/* Runs until the end, or until a request needs a grove that is not open. */
static void go_on(struct pipe *pipe)
{
	for (;;) {
		take_messages(pipe);
		if (pipe->asked || is_over(pipe))
			return;
		/* A client that writes everything before it reads must not hang, as long as there
		 * is room. */
		mcp_wire_listen(&pipe->wire, !pipe->stopping && mcp_wire_room(&pipe->wire));
		(void)loom_loop_step(pipe->home.loop, -1);
	}
}

/* ---- with a grove ---- */

/* Forgets the request that waited for the grove. */
static void forget_asked(struct pipe *pipe)
{
	loom_arena_destroy(pipe->asked->arena);
	pipe->asked = NULL;
}

static enum loom_status find_agent(struct pipe *pipe, struct loom_err *err)
{
	struct cli_grove *grove = pipe->home.grove;
	struct loom_agent agent;
	enum loom_status status =
		loom_agent_find(grove->store, pipe->agent, grove->arena, &agent, err);

	if (status == LOOM_NOT_FOUND)
		return loom_hint(err, status, "loom agent add %.*s --permissions analyst",
				 LOOM_STR_ARG(pipe->agent));
	return status == LOOM_OK ? mcp_client_act(&pipe->mcp, &agent, err) : status;
}

static enum loom_status serve_in(struct cli_grove *grove, struct loom_err *err)
{
	struct pipe *pipe = grove->ctx;
	enum loom_status status = LOOM_OK;

	mcp_home_enter_grove(&pipe->home, grove);
	pipe->mcp.grove = grove;
	status = find_agent(pipe, err);
	if (status == LOOM_OK) {
		mcp_do(&pipe->mcp, pipe->asked);
		forget_asked(pipe);
		go_on(pipe);
	}
	mcp_listen_stop(&pipe->mcp);
	mcp_home_leave_grove(&pipe->home);
	pipe->mcp.grove = NULL;
	return status;
}

/* A failure to open is reported to the request that needed it. */
static void refuse_asked(struct pipe *pipe, const struct loom_err *err)
{
	if (loom_str_is(pipe->asked->method, "tools/call"))
		mcp_text_err(&pipe->mcp, pipe->asked, err);
	else
		mcp_refuse(&pipe->mcp, pipe->asked, err);
	forget_asked(pipe);
}

void mcp_serve(struct loom_cli *cli, struct loom_str agent)
{
	struct pipe pipe = {.agent = agent};
	const struct cli_need need = {.unasked = true, .ctx = &pipe};
	struct loom_err err;

	loom_cli_listen(cli);
	mcp_home_init(&pipe.home, cli);
	mcp_wire_init(&pipe.wire, pipe.home.loop, STDIN_FILENO, STDOUT_FILENO);
	mcp_client_init(&pipe.mcp, &pipe.home, &pipe.wire.outlet);
	loom_loop_signal(pipe.home.loop, SIGTERM, on_signal, &pipe);
	for (go_on(&pipe); pipe.asked; go_on(&pipe))
		if (cli_grove_run(cli, &need, serve_in, &err) != LOOM_OK)
			refuse_asked(&pipe, &err);
	loom_loop_signal(pipe.home.loop, SIGTERM, NULL, NULL);
	loom_loop_timer_cancel(pipe.home.loop, pipe.grace);
	mcp_client_fini(&pipe.mcp);
	mcp_wire_fini(&pipe.wire);
	loom_cli_unlisten(cli);
}
