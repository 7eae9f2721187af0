/* Answers to the client: results, errors, notifications. Every message is one line, written
 * completely before it is sent, and the answers to a list of messages share one line. Text of the
 * grove is only ever data in a JSON string. */
#include <loom/mcp/mcp.h>

#include <loom/tree/say_node.h>

/* Begins an answer to `request`, or a message that answers nothing. */
static struct loom_json *begin(struct mcp *mcp, struct mcp_outlet *outlet,
			       const struct mcp_request *request)
{
	mcp->speaks = outlet;
	mcp->answered = request;
	loom_buf_clear(&mcp->line);
	loom_json_init(&mcp->json, &mcp->line);
	loom_json_object(&mcp->json);
	loom_json_put(&mcp->json, "jsonrpc", LOOM_STR("2.0"));
	return &mcp->json;
}

static void put_id(struct loom_json *json, const struct mcp_request *request)
{
	loom_json_key(json, "id");
	loom_json_raw(json, request && request->id.p ? request->id : LOOM_STR("null"));
}

static void put_error(struct mcp *mcp, int code, struct loom_str why)
{
	loom_json_key(&mcp->json, "error");
	loom_json_object(&mcp->json);
	loom_json_put_int(&mcp->json, "code", code);
	loom_json_put(&mcp->json, "message", why);
}

/* Adds an answer to those of its batch. */
static void end_in_batch(struct mcp *mcp, struct mcp_batch *batch)
{
	if (!mcp_batch_room(batch, mcp->line.n)) {
		put_id(begin(mcp, mcp->speaks, mcp->answered), mcp->answered);
		put_error(mcp, MCP_OWN,
			  LOOM_STR("with this answer the batch exceeds 64 MiB: ask again for it "
				   "alone"));
		loom_json_end_object(&mcp->json);
		loom_json_end_object(&mcp->json);
	}
	mcp_batch_add(batch, loom_buf_str(&mcp->line));
}

static void end(struct mcp *mcp)
{
	loom_json_end_object(&mcp->json);
	if (mcp->line.bad != LOOM_OK)
		return;
	if (mcp->answered && mcp->answered->batch) {
		end_in_batch(mcp, mcp->answered->batch);
		return;
	}
	mcp->speaks->say(mcp->speaks, loom_buf_str(&mcp->line));
	if (mcp->answered && mcp->speaks->close)
		mcp->speaks->close(mcp->speaks);
}

struct loom_json *mcp_begin(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_json *json = begin(mcp, request->outlet, request);

	put_id(json, request);
	loom_json_key(json, "result");
	loom_json_object(json);
	if (request->modern)
		loom_json_put(json, "resultType", LOOM_STR("complete"));
	return json;
}

void mcp_end(struct mcp *mcp)
{
	loom_json_end_object(&mcp->json);
	end(mcp);
}

void mcp_cache(struct mcp *mcp, const struct mcp_request *request)
{
	if (!request->modern)
		return;
	loom_json_put_int(&mcp->json, "ttlMs", 0);
	loom_json_put(&mcp->json, "cacheScope", LOOM_STR("private"));
}

struct loom_json *mcp_notice(struct mcp *mcp, struct mcp_outlet *outlet, const char *method)
{
	struct loom_json *json = begin(mcp, outlet, NULL);

	loom_json_put(json, "method", loom_str_of(method));
	loom_json_key(json, "params");
	loom_json_object(json);
	return json;
}

static struct loom_json *begin_error(struct mcp *mcp, const struct mcp_request *request, int code,
				     struct loom_str why)
{
	struct mcp_outlet *outlet = request ? request->outlet : mcp->outlet;
	struct loom_json *json = begin(mcp, outlet, request);

	outlet->code = code;
	put_id(json, request);
	put_error(mcp, code, why);
	return json;
}

void mcp_error(struct mcp *mcp, const struct mcp_request *request, int code, struct loom_str why)
{
	(void)begin_error(mcp, request, code, why);
	mcp_end(mcp);
}

void mcp_refuse_version(struct mcp *mcp, const struct mcp_request *request, struct loom_str asked)
{
	struct loom_json *json = begin_error(mcp, request, MCP_VERSION,
					     LOOM_STR("this protocol version is not supported"));

	loom_json_key(json, "data");
	loom_json_object(json);
	loom_json_key(json, "supported");
	loom_json_array(json);
	loom_json_text(json, LOOM_STR(MCP_MODERN));
	loom_json_end_array(json);
	loom_json_put(json, "requested", asked);
	loom_json_end_object(json);
	mcp_end(mcp);
}

/* Writes what programs need of an error. */
static void put_why(struct loom_json *json, const struct loom_err *err)
{
	loom_json_object(json);
	loom_json_put(json, "code", loom_str_of(loom_status_code(err->status)));
	loom_json_put(json, "hint", loom_str_of(err->hint));
	loom_json_put_retry(json, err->status);
	loom_json_end_object(json);
}

void mcp_refuse(struct mcp *mcp, const struct mcp_request *request, const struct loom_err *err)
{
	const bool missing = err->status == LOOM_NOT_FOUND;
	const int none = request->modern ? MCP_PARAMS : MCP_NO_SUCH;
	struct loom_json *json =
		begin_error(mcp, request, missing ? none : MCP_OWN, loom_str_of(err->text));

	loom_json_key(json, "data");
	put_why(json, err);
	mcp_end(mcp);
}

void mcp_text(struct mcp *mcp, const struct mcp_request *request, const struct mcp_said *said)
{
	struct loom_json *json = mcp_begin(mcp, request);

	loom_json_key(json, "content");
	loom_json_array(json);
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("text"));
	loom_json_put(json, "text", said->text);
	loom_json_end_object(json);
	loom_json_end_array(json);
	if (said->data.n) {
		loom_json_key(json, "structuredContent");
		loom_json_raw(json, said->data);
	}
	if (said->failed)
		loom_json_put_bool(json, "isError", true);
	mcp_end(mcp);
}

void mcp_text_err(struct mcp *mcp, const struct mcp_request *request, const struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct loom_buf data = LOOM_BUF_INIT(4096);
	struct loom_json json;

	loom_show_err(err, &text);
	loom_json_init(&json, &data);
	loom_json_object(&json);
	loom_json_key(&json, "error");
	put_why(&json, err);
	loom_json_end_object(&json);
	mcp_text(mcp, request, &(struct mcp_said){loom_buf_str(&text), loom_buf_str(&data), true});
	loom_buf_fini(&data);
	loom_buf_fini(&text);
}
