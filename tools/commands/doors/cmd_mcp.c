/* `loom mcp`: serves an agent's client on standard input and output, or agents over HTTP. This only
 * finds out which; over a pipe it opens no grove. */
#include <loom/cli/services.h>
#include <loom/mcp/mcp.h>

#include "inside.h"

#include <loom/commands/args_of.def>
#include <loom/commands/doors.def>

static enum loom_status serve_pipe(struct loom_cli *cli, struct loom_str agent,
				   struct loom_err *err)
{
	if (!agent.n) {
		loom_fail(err, LOOM_USAGE, "loom mcp: no agent given");
		return loom_hint(err, LOOM_USAGE,
				 "loom agent add Claude --permissions analyst, then loom mcp "
				 "--agent Claude");
	}
	if (loom_out_on_terminal(cli->out))
		loom_out_note(
			cli->out,
			"this waits for JSON-RPC messages on standard input; MCP clients start it");
	mcp_serve(cli, agent);
	return LOOM_OK;
}

enum loom_status cmd_mcp(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_mcp *args = args_of_mcp(cli);
	const bool only_http = args->cert.p || args->key.p || args->behind_proxy || args->host.n;

	if (args->http.p)
		return cli_grove_run(cli, NULL, doors_serve, err);
	if (only_http) {
		loom_fail(err, LOOM_USAGE, "loom mcp: that goes with --http only");
		return loom_hint(err, LOOM_USAGE, "loom mcp --http 127.0.0.1:8080");
	}
	return serve_pipe(cli, args->agent.p ? args->agent : loom_str_of(cli->agent), err);
}
