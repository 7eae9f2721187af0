/* Messages of MCP: whatever comes in whatever pieces, every line is read as one of the kinds, an id
 * is JSON in one spelling, an error has a code, and what is a message again reads the same. The
 * first byte says the pieces. */
#include <unistd.h>

#include <loom/base/json.h>

#include <loom/mcp/mcp.h>
#include "tests/fuzz/fuzz.h"

/* Exactly one string or number as JavaScript reads it, possibly with U+0000 or half a surrogate
 * pair. */
static bool is_one_value(struct loom_str id)
{
	struct loom_json_reader reader;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	int tokens = 0;

	loom_json_read_init(&reader, id, NULL);
	reader.loose = true;
	while (token.kind != LOOM_JSON_DONE) {
		if (loom_json_read(&reader, &token, NULL) != LOOM_OK)
			return false;
		tokens++;
	}
	return tokens == 2;
}

static void check_id(struct loom_str id, struct loom_arena *arena)
{
	if (!id.p)
		return;
	must(is_one_value(id));
	must(loom_str_eq(mcp_id(id, arena), id));
}

static void check_uri(struct loom_str params, struct loom_arena *arena)
{
	struct loom_str text = loom_jval_text(loom_jval_get(params, "uri"), arena);
	struct mcp_uri uri;

	if (text.p && mcp_uri_read(text, arena, &uri))
		must(uri.id.p != NULL && uri.id.n <= text.n);
}

static void check_args(struct loom_str params, struct loom_arena *arena)
{
	static const char *const takes[] = {"text",   "thread", "tree", "node",
					    "format", "budget", NULL};
	struct mcp_args args;
	struct loom_err err = {.status = LOOM_OK};

	if (mcp_args_read(loom_jval_get(params, "arguments"), takes, arena, &args, &err))
		must(err.text[0] != '\0');
	else
		must(args.text.p != NULL && args.budget >= 0);
}

static void check_line(struct loom_str line);

/* Every message of a batch is read as a line is, and a list in it is a list. */
static void check_batch(const struct mcp_message *message)
{
	struct loom_jwalk walk = loom_jval_walk(message->batch);
	struct loom_str one;

	must(!message->id.p && !message->method.p && loom_jval_count(message->batch));
	while (loom_jwalk_next(&walk, NULL, &one))
		check_line(one);
}

static void check_line(struct loom_str line)
{
	struct loom_arena *arena = loom_arena_create();
	struct mcp_message message;

	mcp_read(line, arena, &message);
	check_id(message.id, arena);
	if (message.kind == MCP_BAD) {
		must(message.code <= -32600 && message.code >= -32700 && message.why.n);
	} else if (message.kind == MCP_BATCH) {
		check_batch(&message);
	} else if (message.kind != MCP_OTHER) {
		must(message.method.p != NULL);
		must((message.kind == MCP_ASKS) == (message.id.p != NULL));
		must(loom_jval_type(message.params) == LOOM_JTYPE_OBJECT);
		check_uri(message.params, arena);
		check_args(message.params, arena);
	}
	loom_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_loop *loop = loom_loop_create();
	struct mcp_wire wire;
	struct loom_str line;
	const size_t step = size ? (size_t)data[0] + 1 : 1;

	mcp_wire_init(&wire, loop, STDIN_FILENO, STDOUT_FILENO);
	for (size_t at = 1; at < size; at += step) {
		size_t n = at + step < size ? step : size - at;

		mcp_wire_feed(&wire, loom_str_make((const char *)data + at, n));
		while (mcp_wire_line(&wire, &line) == MCP_A_LINE)
			check_line(line);
	}
	wire.end = true;
	while (mcp_wire_line(&wire, &line) == MCP_A_LINE)
		check_line(line);
	mcp_wire_fini(&wire);
	loom_loop_destroy(loop);
	return 0;
}
