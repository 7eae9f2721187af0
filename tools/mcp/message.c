/* Reads a line of the client as a JSON-RPC message. Pure; knows no method.
 *
 * A line that is JSON for JavaScript but not for our strict reader (a lone surrogate, U+0000, a
 * duplicate key) is refused with its id, so that the client does not wait for an answer. */
#include <loom/mcp/mcp.h>

#include <loom/base/utf8.h>

static const struct loom_json_limits limits = {.bytes = MCP_LINE_MAX,
					       .depth = 64,
					       .values = 100000};

static void bad(struct mcp_message *out, int code, struct loom_str why)
{
	out->kind = MCP_BAD;
	out->code = code;
	out->why = why;
}

struct loom_str mcp_id(struct loom_str value, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str words = loom_jval_text(value, arena);
	struct loom_str id = {NULL, 0};
	int64_t number = 0;

	if (loom_jval_int(value, &number))
		loom_buf_addf(&text, "%lld", (long long)number);
	else if (words.p && loom_utf8_valid(words, NULL))
		loom_json_quote(words, &text);
	if (text.n)
		id = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return id;
}

static bool is_loosely_json(struct loom_str line)
{
	struct loom_json_reader reader;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};

	loom_json_read_init(&reader, line, &limits);
	reader.loose = true;
	while (token.kind != LOOM_JSON_DONE)
		if (loom_json_read(&reader, &token, NULL) != LOOM_OK)
			return false;
	return true;
}

static void refuse_text(struct loom_str line, const struct loom_err *err, struct loom_arena *arena,
			struct mcp_message *out)
{
	struct loom_str why = loom_arena_str(arena, loom_str_of(err->text));

	if (err->status == LOOM_LIMIT) {
		bad(out, MCP_REQUEST, why);
	} else if (!is_loosely_json(line)) {
		bad(out, MCP_PARSE, why);
	} else {
		out->id = mcp_id(loom_jval_get(loom_jval_of(line), "id"), arena);
		bad(out, MCP_REQUEST, why);
	}
}

/* Reads `id` and `method`; if one of them is wrong, makes the message a bad one and returns
 * false. */
static bool read_head(struct loom_str object, struct loom_arena *arena, struct mcp_message *out)
{
	struct loom_str id = loom_jval_get(object, "id");
	struct loom_str method = loom_jval_get(object, "method");

	out->id = mcp_id(id, arena);
	out->kind = id.p ? MCP_ASKS : MCP_TELLS;
	if (!loom_jval_says(loom_jval_get(object, "jsonrpc"), LOOM_STR("2.0"))) {
		bad(out, MCP_REQUEST, LOOM_STR("\"jsonrpc\" is not \"2.0\""));
	} else if (id.p && !out->id.p) {
		bad(out, MCP_REQUEST, LOOM_STR("an id must be a string or a whole number"));
	} else if (!method.p && id.p &&
		   (loom_jval_get(object, "result").p || loom_jval_get(object, "error").p)) {
		out->kind = MCP_OTHER;
	} else if (loom_jval_type(method) != LOOM_JTYPE_STRING) {
		bad(out, MCP_REQUEST, LOOM_STR("\"method\" is not a string"));
	}
	out->method = loom_jval_text(method, arena);
	return out->kind == MCP_ASKS || out->kind == MCP_TELLS;
}

void mcp_read(struct loom_str line, struct loom_arena *arena, struct mcp_message *out)
{
	struct loom_err err;
	struct loom_str object;
	struct loom_str params;

	*out = (struct mcp_message){.params = LOOM_STR_INIT("{}")};
	if (loom_json_check(line, &limits, &err) != LOOM_OK) {
		refuse_text(line, &err, arena, out);
		return;
	}
	object = loom_jval_of(line);
	if (loom_jval_type(object) == LOOM_JTYPE_ARRAY && loom_jval_count(object)) {
		out->kind = MCP_BATCH;
		out->batch = object;
		return;
	}
	if (loom_jval_type(object) != LOOM_JTYPE_OBJECT) {
		bad(out, MCP_REQUEST, LOOM_STR("a message must be an object"));
		return;
	}
	if (!read_head(object, arena, out))
		return;
	params = loom_jval_get(object, "params");
	if (params.p && loom_jval_type(params) != LOOM_JTYPE_OBJECT)
		bad(out, MCP_PARAMS, LOOM_STR("\"params\" is not an object"));
	else if (params.p)
		out->params = params;
}
