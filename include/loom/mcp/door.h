/* MCP over HTTP: the endpoint at which any number of clients are served, each for the agent of its
 * token. */
#ifndef LOOM_MCP_DOOR_H
#define LOOM_MCP_DOOR_H

#include <loom/cli/open_grove.h>
#include <loom/server/server.h>

struct mcp_door;

struct mcp_door_opts {
	struct loom_cli *cli;
	struct cli_grove *grove; /* of a person, or of the one agent to be served */
	struct loom_str agent;   /* only tokens of this one count; empty: all */
};
/* Opens the endpoint; free with mcp_door_close. LOOM_NOT_FOUND if there is no such agent. */
enum loom_status mcp_door_open(const struct mcp_door_opts *opts, struct mcp_door **out,
			       struct loom_err *err) LOOM_MUST;
/* Asks all calls to stop; their clients get the answers. */
void mcp_door_stop(struct mcp_door *door);
/* Returns whether calls are still under way. */
bool mcp_door_busy(const struct mcp_door *door);
/* Ends all sessions, after the server is closed; NULL is allowed. */
void mcp_door_close(struct mcp_door *door);

/* Judges the head of a request to the endpoint: refuses it, or takes its body. */
void mcp_door_head(struct mcp_door *door, struct loom_exchange *exchange);
/* Answers a request to the endpoint. */
void mcp_door_request(struct mcp_door *door, struct loom_exchange *exchange);

#endif
