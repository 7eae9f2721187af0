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

/* The forms of our URIs, and what they are templates of. */
static const struct {
	struct loom_str before;
	struct loom_str behind;
	enum mcp_what what;
	const char *template;
	const char *name;
	const char *meaning;
	const char *type;
} forms[] = {
	{LOOM_STR_INIT("loom://tree/"), LOOM_STR_INIT(""), MCP_TREE, "loom://tree/{id}", "tree",
	 "A tree, drawn from its root", "text/plain"},
	{LOOM_STR_INIT("loom://node/"), LOOM_STR_INIT(""), MCP_NODE, "loom://node/{id}", "node",
	 "A node with its text and its annotations", "text/plain"},
	{LOOM_STR_INIT("loom://thread/"), LOOM_STR_INIT("/context"), MCP_THREAD,
	 "loom://thread/{id}/context", "thread context",
	 "What a model is given in one of this agent's threads", "text/plain"},
	{LOOM_STR_INIT("loom://doc/"), LOOM_STR_INIT(""), MCP_DOC, "loom://doc/{name}", "document",
	 "A document, by its name", "text/markdown"},
};

bool mcp_uri_read(struct loom_str text, struct loom_arena *arena, struct mcp_uri *out)
{
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

/* Spells a URI; a name may hold any characters. */
static struct loom_str spell(struct mcp *mcp, enum mcp_what what, struct loom_str id)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str uri;

	loom_buf_add(&text, forms[what].before);
	for (size_t i = 0; i < id.n; i++)
		if (id.p[i] && strchr(plain, id.p[i]))
			loom_buf_addc(&text, id.p[i]);
		else
			loom_buf_addf(&text, "%%%02X", (unsigned)(unsigned char)id.p[i]);
	loom_buf_add(&text, forms[what].behind);
	uri = loom_arena_buf(mcp->grove->arena, &text);
	loom_buf_fini(&text);
	return uri;
}

bool mcp_template_find(struct loom_str uri, enum mcp_what *out)
{
	for (size_t i = 0; i < LOOM_COUNT(forms); i++) {
		if (!loom_str_is(uri, forms[i].template))
			continue;
		*out = forms[i].what;
		return true;
	}
	return false;
}

void mcp_templates(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_json *json = mcp_begin(mcp, request);

	loom_json_key(json, "resourceTemplates");
	loom_json_array(json);
	for (size_t i = 0; i < LOOM_COUNT(forms); i++) {
		LOOM_ASSERT(forms[i].what == (enum mcp_what)i);
		loom_json_object(json);
		loom_json_put(json, "uriTemplate", loom_str_of(forms[i].template));
		loom_json_put(json, "name", loom_str_of(forms[i].name));
		loom_json_put(json, "description", loom_str_of(forms[i].meaning));
		loom_json_put(json, "mimeType", loom_str_of(forms[i].type));
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	mcp_cache(mcp, request);
	mcp_end(mcp);
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

static enum loom_status read_doc(struct mcp *mcp, struct loom_str name, struct loom_buf *out,
				 struct loom_err *err)
{
	struct loom_doc doc;
	enum loom_status status =
		loom_doc_find(mcp->grove->store, name, true, mcp->grove->arena, &doc, err);

	if (status == LOOM_OK && doc.damaged)
		return loom_fail(err, LOOM_DAMAGED, "the document's text does not match its hash");
	if (status == LOOM_OK)
		loom_buf_add(out, doc.text);
	return status;
}

/* Fails when the agent may not read such a resource. */
static enum loom_status may_read(struct mcp *mcp, enum mcp_what what, struct loom_err *err)
{
	return mcp_may_look(mcp, what == MCP_DOC ? LOOM_VERB_READ : LOOM_VERB_VIEW, err);
}

static enum loom_status read_uri(struct mcp *mcp, const struct mcp_uri *uri, struct loom_buf *out,
				 struct loom_err *err)
{
	enum loom_status status = may_read(mcp, uri->what, err);

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
	case MCP_DOC:
		status = read_doc(mcp, uri->id, out, err);
		break;
	}
	return status;
}

static void say_contents(struct mcp *mcp, const struct mcp_request *request, struct loom_str uri,
			 const char *type, struct loom_str text)
{
	struct loom_json *json = mcp_begin(mcp, request);

	loom_json_key(json, "contents");
	loom_json_array(json);
	loom_json_object(json);
	loom_json_put(json, "uri", uri);
	loom_json_put(json, "mimeType", loom_str_of(type));
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
			  "loom://tree/ID, loom://node/ID, loom://thread/ID/context or "
			  "loom://doc/NAME");
		mcp_refuse(mcp, request, &err);
		return;
	}
	if (read_uri(mcp, &uri, &out, &err) == LOOM_OK)
		say_contents(mcp, request, text, forms[uri.what].type, loom_buf_str(&out));
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
	enum loom_status status = may_read(mcp, uri->what, err);

	*out_tree = 0;
	if (status == LOOM_OK && uri->what == MCP_TREE) {
		status = cli_grove_tree(mcp->grove, uri->id, &tree, err);
		*out_tree = status == LOOM_OK ? tree.id : 0;
	} else if (status == LOOM_OK && uri->what == MCP_NODE) {
		status = print_node(mcp, uri->id, &text, out_tree, err);
	} else if (status == LOOM_OK && uri->what == MCP_DOC) {
		status = read_doc(mcp, uri->id, &text, err);
	} else if (status == LOOM_OK) {
		status = read_context(mcp, uri->id, true, &text, err);
	}
	*out = loom_sha256(loom_buf_str(&text));
	loom_buf_fini(&text);
	return status;
}

/* ---- what there is ---- */

enum loom_status mcp_trees(struct mcp *mcp, struct loom_tree **out, size_t *out_count,
			   struct loom_err *err)
{
	struct cli_grove *grove = mcp->grove;
	unsigned may = 0;
	enum loom_status status = mcp_may(mcp, &may, err);

	*out_count = 0;
	if (status != LOOM_OK)
		return status;
	if (may & LOOM_MAY_CROSS_TREE)
		return loom_tree_list(grove->store, grove->arena, out, out_count, err);
	*out = LOOM_ARENA_NEW(grove->arena, struct loom_tree);
	status = cli_grove_tree(grove, loom_str_make(NULL, 0), *out, err);
	*out_count = status == LOOM_OK;
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

enum loom_status mcp_threads(struct mcp *mcp, struct loom_thread **out, size_t *out_count,
			     struct loom_err *err)
{
	struct cli_grove *grove = mcp->grove;
	size_t count = 0;
	size_t own = 0;
	enum loom_status status =
		loom_thread_list(grove->store, true, grove->arena, out, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		if ((*out)[i].agent == mcp->agent.id)
			(*out)[own++] = (*out)[i];
	*out_count = own;
	return status;
}

enum loom_status mcp_docs(struct mcp *mcp, struct loom_doc **out, size_t *out_count,
			  struct loom_err *err)
{
	struct loom_err no = {.status = LOOM_OK};

	*out_count = 0;
	if (may_read(mcp, MCP_DOC, &no) != LOOM_OK)
		return LOOM_OK;
	return loom_doc_list(mcp->grove->store, mcp->grove->arena, out, out_count, err);
}

/* ---- listing ---- */

/* One page: trees first, then threads, then documents. */
struct listing {
	struct mcp *mcp;
	struct loom_json *json;
	size_t from;
	size_t at;
};

static void list_one(struct listing *listing, enum mcp_what what, struct loom_str id,
		     struct loom_str name, const char *meaning)
{
	const size_t at = listing->at++;

	if (at < listing->from || at >= listing->from + PAGE)
		return;
	loom_json_object(listing->json);
	loom_json_put(listing->json, "uri", spell(listing->mcp, what, id));
	loom_json_put(listing->json, "name", name);
	loom_json_put(listing->json, "description", loom_str_of(meaning));
	loom_json_put(listing->json, "mimeType", loom_str_of(forms[what].type));
	loom_json_end_object(listing->json);
}

static void list_tree(struct listing *listing, const struct loom_tree *tree)
{
	char ulid[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&tree->ulid, ulid);
	list_one(listing, MCP_TREE, loom_str_of(ulid),
		 tree->title.n ? tree->title : loom_str_of(ulid),
		 tree->mode == LOOM_BUFFER ? "a tree in buffer mode" : "a tree in dialogue mode");
}

static enum loom_status list_all(struct listing *listing, struct loom_err *err)
{
	struct loom_tree *trees = NULL;
	struct loom_thread *threads = NULL;
	struct loom_doc *docs = NULL;
	size_t count = 0;
	enum loom_status status = mcp_trees(listing->mcp, &trees, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		list_tree(listing, &trees[i]);
	if (status == LOOM_OK)
		status = mcp_threads(listing->mcp, &threads, &count, err);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		list_one(listing, MCP_THREAD, threads[i].name, threads[i].name,
			 "a thread's context");
	if (status == LOOM_OK)
		status = mcp_docs(listing->mcp, &docs, &count, err);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		list_one(listing, MCP_DOC, docs[i].name, docs[i].name, "a document");
	return status;
}

void mcp_resources(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str cursor =
		loom_jval_text(loom_jval_get(request->params, "cursor"), request->arena);
	struct listing listing = {.mcp = mcp};
	struct loom_err err = {.status = LOOM_OK};
	uint64_t from = 0;
	enum loom_status status = mcp_may_look(mcp, LOOM_VERB_VIEW, &err);

	if (cursor.p && (!loom_str_to_u64(cursor, &from) || from > (uint64_t)INT32_MAX)) {
		mcp_error(mcp, request, MCP_PARAMS, LOOM_STR("loom did not issue that cursor"));
		return;
	}
	listing.from = (size_t)from;
	listing.json = mcp_begin(mcp, request);
	loom_json_key(listing.json, "resources");
	loom_json_array(listing.json);
	if (status == LOOM_OK)
		status = list_all(&listing, &err);
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
