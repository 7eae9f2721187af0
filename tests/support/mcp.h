/* A grove, an agent and its client at the other end of `loom mcp`: for tests from outside. */
#ifndef LOOM_TESTS_SUPPORT_MCP_H
#define LOOM_TESTS_SUPPORT_MCP_H

#include <greatest.h>

#include <loom/base/arena.h>
#include <loom/base/json.h>

#include "support/child.h"
#include "support/talk.h"
#include "support/temp.h"

#define MCP_WAIT_MS 20000
/* The metadata of a 2026 request. */
#define MCP_META                                                                                   \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

struct mcp {
	struct temp temp;
	struct loom_arena *arena;
	struct talk talk;
	bool talks;
	bool sockets;
	cJSON *heard;             /* the last message */
	size_t notices;           /* heard on the way to it */
	struct child_result said; /* by the last command */
	char homes[5][300];
	const char *env[7];
};

static void mcp_init(struct mcp *mcp)
{
	static const char *const names[] = {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
					    "XDG_STATE_HOME", "XDG_CACHE_HOME"};

	*mcp = (struct mcp){.talks = false};
	temp_init(&mcp->temp);
	mcp->arena = loom_arena_create();
	loom_buf_init(&mcp->said.out, LOOM_BUF_MAX);
	loom_buf_init(&mcp->said.err, LOOM_BUF_MAX);
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		snprintf(mcp->homes[i], sizeof mcp->homes[i], "%s=%s/%s", names[i], mcp->temp.path,
			 i ? names[i] : "");
		mcp->env[i] = mcp->homes[i];
	}
	mcp->env[5] = "LOOM_AGENT=";
}

static LOOM_UNUSED void mcp_fini(struct mcp *mcp)
{
	if (mcp->talks)
		talk_fini(&mcp->talk);
	cJSON_Delete(mcp->heard);
	child_fini(&mcp->said);
	loom_arena_destroy(mcp->arena);
	temp_fini(&mcp->temp);
}

/* A command line of the person's, in the grove's folder. */
static int mcp_command(struct mcp *mcp, const char *arguments)
{
	const struct child_opts opts = {.env = mcp->env, .cwd = mcp->temp.path};

	child_fini(&mcp->said);
	child_shell(loom_arena_format(mcp->arena, "exec '%s' %s", LOOM_PROGRAM, arguments).p, &opts,
		    &mcp->said);
	return mcp->said.status;
}

/* A grove with a tree of one node and two agents: ada may all, bob nothing was ever given. */
static LOOM_UNUSED void mcp_grove(struct mcp *mcp)
{
	mcp_init(mcp);
	if (mcp_command(mcp, "init") ||
	    mcp_command(mcp, "new --mode buffer --title 'The house' --root 'Once there was.'") ||
	    mcp_command(mcp, "agent add ada --permissions all --approval auto") ||
	    mcp_command(mcp, "agent add bob")) {
		fprintf(stderr, "no grove: %s\n", loom_buf_cstr(&mcp->said.err));
		exit(1);
	}
}

static LOOM_UNUSED void mcp_start(struct mcp *mcp, const char *agent)
{
	const char *const argv[] = {LOOM_PROGRAM, "mcp", "--agent", agent, NULL};
	const struct talk_opts opts = {.env = mcp->env,
				       .cwd = mcp->temp.path,
				       .sockets = mcp->sockets};

	if (mcp->talks)
		talk_fini(&mcp->talk);
	talk_start(&mcp->talk, argv, &opts);
	mcp->talks = true;
}

static bool mcp_say(struct mcp *mcp, const char *message)
{
	return talk_say(&mcp->talk, loom_arena_format(mcp->arena, "%s\n", message));
}

/* The next message, a notification or a list too; false when none came or it is no message. */
static bool mcp_hear_any(struct mcp *mcp, int64_t ms)
{
	struct loom_str line;
	struct loom_err err;

	cJSON_Delete(mcp->heard);
	mcp->heard = NULL;
	if (!talk_hear(&mcp->talk, ms, &line))
		return false;
	if (loom_json_parse(line, NULL, &mcp->heard, &err) != LOOM_OK)
		fprintf(stderr, "no message: %s in %.*s\n", err.text, LOOM_STR_ARG(line));
	return cJSON_IsArray(mcp->heard) ||
	       (mcp->heard && loom_str_is(loom_json_str(mcp->heard, "jsonrpc"), "2.0"));
}

/* The next message that is no notification. */
static bool mcp_hear(struct mcp *mcp)
{
	for (mcp->notices = 0; mcp_hear_any(mcp, MCP_WAIT_MS); mcp->notices++)
		if (!loom_json_get(mcp->heard, "method"))
			return true;
	return false;
}

static LOOM_UNUSED bool mcp_ask(struct mcp *mcp, const char *message)
{
	return mcp_say(mcp, message) && mcp_hear(mcp);
}

/* Says hello the old way. */
static LOOM_UNUSED bool mcp_greet(struct mcp *mcp)
{
	return mcp_ask(mcp, "{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"initialize\","
			    "\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
			    "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}") &&
	       mcp_say(mcp, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

/* The value at a path of keys and indices: "result", "tools", "0", "name". */
static const cJSON *mcp_at(const struct mcp *mcp, const char *path)
{
	struct loom_str rest = loom_str_of(path);
	struct loom_str step;
	const cJSON *at = mcp->heard;

	while (at && loom_str_cut(&rest, '.', &step)) {
		char key[100];
		uint64_t index = 0;

		snprintf(key, sizeof key, "%.*s", LOOM_STR_ARG(step));
		at = cJSON_IsArray(at) && loom_str_to_u64(step, &index)
			     ? cJSON_GetArrayItem(at, (int)index)
			     : loom_json_get(at, key);
	}
	return at;
}

static LOOM_UNUSED const char *mcp_text_at(const struct mcp *mcp, const char *path)
{
	const cJSON *at = mcp_at(mcp, path);

	return cJSON_IsString(at) ? at->valuestring : "(none)";
}

static LOOM_UNUSED int mcp_code(const struct mcp *mcp)
{
	const cJSON *at = mcp_at(mcp, "error.code");

	return cJSON_IsNumber(at) ? at->valueint : 0;
}

/* Whether a text of the last message holds this. */
static LOOM_UNUSED bool mcp_has(const struct mcp *mcp, const char *path, const char *part)
{
	return strstr(mcp_text_at(mcp, path), part) != NULL;
}

#define MCP_RESULT "result.content.0.text"

/* A call of the tool `loom`, of either era; the text is spelled as JSON. */
static LOOM_UNUSED bool mcp_loom(struct mcp *mcp, const char *text)
{
	return mcp_ask(mcp,
		       loom_arena_format(mcp->arena,
					 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
					 "call\",\"params\":{" MCP_META
					 ",\"name\":\"loom\",\"arguments\":{\"text\":\"%s\"}}}",
					 text)
			       .p);
}

#endif
