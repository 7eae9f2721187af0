/* Resources: trees, nodes, and the contexts of the agent's threads. Trees and nodes are printed as
 * → lines print them, under the agent's permissions. Nothing here writes. */
#include <loom/mcp/mcp.h>
#include <loom/language/call.h>

#define PAGE 100

/* ---- URIs ---- */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Decodes %XX; p NULL when it is malformed. */
static struct loom_str decoded(struct loom_str text, struct loom_arena *arena)
{
	char *out = loom_arena_alloc(arena, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++, n++) {
		int high = 0;
		int low = 0;

		out[n] = text.p[i];
		if (text.p[i] != '%')
			continue;
		high = i + 2 < text.n ? hex_digit(text.p[i + 1]) : -1;
		low = i + 2 < text.n ? hex_digit(text.p[i + 2]) : -1;
		if (high < 0 || low < 0)
			return loom_str_make(NULL, 0);
		out[n] = (char)(high * 16 + low);
		i += 2;
	}
	return loom_str_make(out, n);
}

bool mcp_uri_read(struct loom_str text, struct loom_arena *arena, struct mcp_uri *out)
{
	static const struct {
		struct loom_str before;
		struct loom_str behind;
		enum mcp_what what;
	} forms[] = {
		{LOOM_STR_INIT("loom://tree/"), LOOM_STR_INIT(""), MCP_TREE},
		{LOOM_STR_INIT("loom://node/"), LOOM_STR_INIT(""), MCP_NODE},
		{LOOM_STR_INIT("loom://thread/"), LOOM_STR_INIT("/context"), MCP_THREAD},
	};

	for (size_t i = 0; i < LOOM_COUNT(forms); i++) {
		const size_t around = forms[i].before.n + forms[i].behind.n;

		if (text.n <= around || !loom_str_starts(text, forms[i].before) ||
		    !loom_str_ends(text, forms[i].behind))
			continue;
		out->what = forms[i].what;
		out->id = decoded(loom_str_sub(text, forms[i].before.n, text.n - around), arena);
		return out->id.p != NULL;
	}
	return false;
}

/* ---- reading ---- */

/* Runs a read-only call and returns its text. */
static enum loom_status look(struct mcp *mcp, int64_t tree, const struct loom_call *call,
			     struct loom_buf *out, struct loom_err *err)
{
	struct loom_engine_opts opts;
	struct loom_engine *engine = NULL;
	struct loom_result result;
	enum loom_status status = LOOM_OK;

	mcp_engine(mcp, &opts);
	opts.tree = tree;
	opts.result_tokens = SIZE_MAX;
	status = loom_engine_open(&opts, &engine, err);
	if (status != LOOM_OK)
		return status;
	(void)loom_engine_call(engine, call, &result);
	status = result.status;
	if (status == LOOM_OK)
		loom_buf_add(out, result.text);
	else
		*err = result.err;
	loom_engine_close(engine);
	return status;
}

static enum loom_status read_tree(struct mcp *mcp, struct loom_str id, struct loom_buf *out,
				  struct loom_err *err)
{
	struct loom_call call = loom_call_of(LOOM_VERB_TREE);
	struct loom_tree tree;
	enum loom_status status = cli_grove_tree(mcp->grove, id, &tree, err);

	call.from = LOOM_STR("r001");
	return status == LOOM_OK ? look(mcp, tree.id, &call, out, err) : status;
}

static enum loom_status read_node(struct mcp *mcp, struct loom_str id, struct loom_buf *out,
				  struct loom_err *err)
{
	struct loom_call call = loom_call_of(LOOM_VERB_VIEW);
	struct cli_spot spot;
	enum loom_status status = cli_grove_node(mcp->grove, id, LOOM_NODE_NARROW, &spot, err);

	call.id = loom_str_of(spot.name);
	call.full = call.with_annotations = true;
	return status == LOOM_OK ? look(mcp, spot.tree.id, &call, out, err) : status;
}

static enum loom_status read_context(struct mcp *mcp, struct loom_str id, bool still,
				     struct loom_buf *out, struct loom_err *err)
{
	const struct mcp_args args = {.thread = id};
	const struct mcp_wish wish = {.still = still};
	struct mcp_place place;
	struct loom_assembly assembly;
	enum loom_status status = mcp_place(mcp, &args, &place, err);

	if (status == LOOM_OK)
		status = mcp_assemble(mcp, &place, &wish, &assembly, err);
	if (status == LOOM_OK)
		mcp_assembly_text(&assembly, out);
	return status;
}

static enum loom_status read_uri(struct mcp *mcp, const struct mcp_uri *uri, struct loom_buf *out,
				 struct loom_err *err)
{
	enum loom_status status = mcp_may_look(mcp, err);

	if (status != LOOM_OK)
		return status;
	switch (uri->what) {
	case MCP_TREE:
		status = read_tree(mcp, uri->id, out, err);
		break;
	case MCP_NODE:
		status = read_node(mcp, uri->id, out, err);
		break;
	case MCP_THREAD:
		status = read_context(mcp, uri->id, false, out, err);
		break;
	}
	return status;
}

static void say_contents(struct mcp *mcp, const struct mcp_request *request, struct loom_str uri,
			 struct loom_str text)
{
	struct loom_json *json = mcp_begin(mcp, request);

	loom_json_key(json, "contents");
	loom_json_array(json);
	loom_json_object(json);
	loom_json_put(json, "uri", uri);
	loom_json_put(json, "mimeType", LOOM_STR("text/plain"));
	loom_json_put(json, "text", text);
	loom_json_end_object(json);
	loom_json_end_array(json);
	mcp_cache(mcp, request);
	mcp_end(mcp);
}

void mcp_resource(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str text =
		loom_jval_text(loom_jval_get(request->params, "uri"), request->arena);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.status = LOOM_OK};
	struct mcp_uri uri;

	if (!text.p) {
		mcp_error(mcp, request, MCP_PARAMS, LOOM_STR("\"uri\" must be a string"));
		loom_buf_fini(&out);
		return;
	}
	if (!mcp_uri_read(text, request->arena, &uri)) {
		loom_fail(&err, LOOM_NOT_FOUND, "this is not a resource of loom");
		loom_hint(&err, LOOM_NOT_FOUND,
			  "loom://tree/ID, loom://node/ID or loom://thread/ID/context");
		mcp_refuse(mcp, request, &err);
		return;
	}
	if (read_uri(mcp, &uri, &out, &err) == LOOM_OK)
		say_contents(mcp, request, text, loom_buf_str(&out));
	else
		mcp_refuse(mcp, request, &err);
	loom_buf_fini(&out);
}

/* ---- hashes ---- */

/* A node as JSON, which has all of it and nothing that passes by itself. */
static enum loom_status print_node(struct mcp *mcp, struct loom_str id, struct loom_buf *out,
				   int64_t *out_tree, struct loom_err *err)
{
	struct cli_spot spot;
	struct loom_json json;
	enum loom_status status = cli_grove_node(mcp->grove, id, LOOM_NODE_ALL, &spot, err);

	if (status != LOOM_OK)
		return status;
	*out_tree = spot.tree.id;
	loom_json_init(&json, out);
	loom_json_object(&json);
	status = cli_node_json(mcp->grove, &json, &spot, err);
	if (status == LOOM_OK)
		status = cli_node_around_json(mcp->grove, &json, &spot, err);
	loom_json_end_object(&json);
	return status;
}

enum loom_status mcp_resource_print(struct mcp *mcp, const struct mcp_uri *uri,
				    struct loom_hash *out, int64_t *out_tree, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_tree tree;
	enum loom_status status = mcp_may_look(mcp, err);

	*out_tree = 0;
	if (status == LOOM_OK && uri->what == MCP_TREE) {
		status = cli_grove_tree(mcp->grove, uri->id, &tree, err);
		*out_tree = status == LOOM_OK ? tree.id : 0;
	} else if (status == LOOM_OK && uri->what == MCP_NODE) {
		status = print_node(mcp, uri->id, &text, out_tree, err);
	} else if (status == LOOM_OK) {
		status = read_context(mcp, uri->id, true, &text, err);
	}
	*out = loom_sha256(loom_buf_str(&text));
	loom_buf_fini(&text);
	return status;
}

/* ---- listing ---- */

static void put_resource(struct loom_json *json, struct loom_str uri, struct loom_str name,
			 const char *meaning)
{
	loom_json_object(json);
	loom_json_put(json, "uri", uri);
	loom_json_put(json, "name", name);
	loom_json_put(json, "description", loom_str_of(meaning));
	loom_json_put(json, "mimeType", LOOM_STR("text/plain"));
	loom_json_end_object(json);
}

/* One page: trees first, then threads. */
struct listing {
	struct mcp *mcp;
	struct loom_json *json;
	size_t from;
	size_t at;
};

/* Whether the next item is on the page. */
static bool is_on_page(struct listing *listing)
{
	size_t at = listing->at++;

	return at >= listing->from && at < listing->from + PAGE;
}

static void list_tree(struct listing *listing, const struct loom_tree *tree)
{
	char ulid[LOOM_ULID_CHARS + 1];

	if (!is_on_page(listing))
		return;
	loom_ulid_text(&tree->ulid, ulid);
	put_resource(listing->json,
		     loom_arena_format(listing->mcp->grove->arena, "loom://tree/%s", ulid),
		     tree->title.n ? tree->title : loom_str_of(ulid),
		     tree->mode == LOOM_BUFFER ? "a tree in buffer mode"
					       : "a tree in dialogue mode");
}

static enum loom_status list_trees(struct listing *listing, struct loom_err *err)
{
	struct cli_grove *grove = listing->mcp->grove;
	struct loom_tree *trees = NULL;
	struct loom_tree current;
	size_t count = 0;
	unsigned may = 0;
	enum loom_status status = mcp_may(listing->mcp, &may, err);

	if (status == LOOM_OK && !(may & LOOM_MAY_CROSS_TREE)) {
		status = cli_grove_tree(grove, loom_str_make(NULL, 0), &current, err);
		if (status == LOOM_OK)
			list_tree(listing, &current);
		return status == LOOM_NOT_FOUND ? LOOM_OK : status;
	}
	if (status == LOOM_OK)
		status = loom_tree_list(grove->store, grove->arena, &trees, &count, err);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		list_tree(listing, &trees[i]);
	return status;
}

static enum loom_status list_threads(struct listing *listing, struct loom_err *err)
{
	struct cli_grove *grove = listing->mcp->grove;
	struct loom_thread *threads = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_thread_list(grove->store, true, grove->arena, &threads, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		struct loom_str uri = {NULL, 0};

		if (threads[i].agent != listing->mcp->agent.id || !is_on_page(listing))
			continue;
		uri = loom_arena_format(grove->arena, "loom://thread/%.*s/context",
					LOOM_STR_ARG(threads[i].name));
		put_resource(listing->json, uri, threads[i].name, "a thread's context");
	}
	return status;
}

void mcp_resources(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str cursor =
		loom_jval_text(loom_jval_get(request->params, "cursor"), request->arena);
	struct listing listing = {.mcp = mcp};
	struct loom_err err = {.status = LOOM_OK};
	uint64_t from = 0;
	enum loom_status status = mcp_may_look(mcp, &err);

	if (cursor.p && (!loom_str_to_u64(cursor, &from) || from > (uint64_t)INT32_MAX)) {
		mcp_error(mcp, request, MCP_PARAMS, LOOM_STR("loom did not issue that cursor"));
		return;
	}
	listing.from = (size_t)from;
	listing.json = mcp_begin(mcp, request);
	loom_json_key(listing.json, "resources");
	loom_json_array(listing.json);
	if (status == LOOM_OK)
		status = list_trees(&listing, &err);
	if (status == LOOM_OK)
		status = list_threads(&listing, &err);
	if (status != LOOM_OK) {
		mcp_refuse(mcp, request, &err);
		return;
	}
	loom_json_end_array(listing.json);
	if (listing.at > listing.from + PAGE)
		loom_json_put(listing.json, "nextCursor",
			      loom_arena_format(request->arena, "%zu", listing.from + PAGE));
	mcp_cache(mcp, request);
	mcp_end(mcp);
}
