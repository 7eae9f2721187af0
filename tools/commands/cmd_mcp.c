/* `loom mcp`: serves an agent's client on standard input and output. This only finds the agent; it
 * does not open a grove. */
#include <loom/cli/services.h>
#include <loom/mcp/mcp.h>

#include <loom/commands/args_of.def>
#include <loom/commands/program.def>

enum loom_status cmd_mcp(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_str agent = args_of_mcp(cli)->agent;
	struct mcp mcp;

	if (!agent.p)
		agent = loom_str_of(cli->agent);
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
	mcp_init(&mcp, cli, agent);
	mcp_serve(&mcp);
	mcp_fini(&mcp);
	return LOOM_OK;
}
