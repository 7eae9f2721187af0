/* Completion of what stands in a resource's URI: ids and titles of trees, ids of nodes, names of
 * documents and threads. What begins with the typed text comes before what merely mentions it, and
 * nothing is offered that the agent may not read. */
#include <loom/mcp/mcp.h>

/* As many as the protocol allows. */
#define VALUES_MAX 100
/* Nodes to choose from: on the way to the position, below it, and the newest of the grove. */
#define PATH_NODES  100
#define CHILD_NODES 50
#define NEW_NODES   1000

struct completing {
	struct mcp *mcp;
	struct loom_arena *arena;
	struct loom_str word;
	struct loom_str begin[VALUES_MAX];
	struct loom_str mention[VALUES_MAX];
	size_t begin_count; /* all that there are */
	size_t mention_count;
};

/* ---- choosing ---- */

static bool is_among(const struct loom_str *values, size_t count, struct loom_str value)
{
	for (size_t i = 0; i < count && i < VALUES_MAX; i++)
		if (loom_str_eq(values[i], value))
			return true;
	return false;
}

static void put(struct loom_str *values, size_t *count, struct loom_str value)
{
	if (is_among(values, *count, value))
		return;
	if (*count < VALUES_MAX)
		values[*count] = value;
	(*count)++;
}

/* Offers a value, which is also found by what is said about it. */
static void offer(struct completing *c, struct loom_str value, struct loom_str about)
{
	const struct loom_str head = loom_str_sub(value, 0, c->word.n);

	if (loom_str_eq_fold(head, c->word))
		put(c->begin, &c->begin_count, value);
	else if (loom_text_mentions(value, c->word) || loom_text_mentions(about, c->word))
		put(c->mention, &c->mention_count, value);
}

/* ---- what there is ---- */

static enum loom_status offer_trees(struct completing *c, struct loom_err *err)
{
	struct loom_tree *trees = NULL;
	size_t count = 0;
	enum loom_status status = mcp_trees(c->mcp, &trees, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		char ulid[LOOM_ULID_CHARS + 1];

		loom_ulid_text(&trees[i].ulid, ulid);
		if (trees[i].title.n)
			offer(c, trees[i].title, LOOM_STR(""));
		offer(c, loom_arena_str(c->arena, loom_str_of(ulid)), LOOM_STR(""));
	}
	return status;
}

static void offer_nodes_of(struct completing *c, const struct loom_nodes *nodes)
{
	for (size_t i = nodes->count; i; i--)
		offer(c, cli_node_name(c->mcp->grove, &nodes->items[i - 1]), LOOM_STR(""));
}

static enum loom_status offer_nodes(struct completing *c, struct loom_err *err)
{
	struct cli_grove *grove = c->mcp->grove;
	struct loom_nodes nodes = {NULL, 0};
	struct cli_spot spot;
	int64_t newest = 0;
	bool more = false;
	enum loom_status status =
		cli_grove_spot(grove, loom_str_make(NULL, 0), LOOM_NODE_NARROW, &spot, err);
	const struct loom_path_end end = {.tip = spot.node.id,
					  .thread = spot.thread,
					  .limit = PATH_NODES};
	const struct loom_page page = {.kind = LOOM_CONTINUATION, .limit = CHILD_NODES};

	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	if (status == LOOM_OK)
		status = loom_node_path_end(grove->store, &end, c->arena, &nodes, err);
	if (status == LOOM_OK)
		offer_nodes_of(c, &nodes);
	if (status == LOOM_OK)
		status = loom_node_children(grove->store, spot.node.group, &page, c->arena, &nodes,
					    err);
	if (status == LOOM_OK)
		offer_nodes_of(c, &nodes);
	if (status == LOOM_OK)
		status = loom_node_newest(grove->store, &newest, err);
	if (status == LOOM_OK)
		status = loom_node_since(grove->store,
					 &(struct loom_since){spot.tree.id, newest - NEW_NODES,
							      NEW_NODES},
					 c->arena, &nodes, &more, err);
	if (status == LOOM_OK)
		offer_nodes_of(c, &nodes);
	return status;
}

static enum loom_status offer_threads(struct completing *c, struct loom_err *err)
{
	struct loom_thread *threads = NULL;
	size_t count = 0;
	enum loom_status status = mcp_threads(c->mcp, &threads, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		offer(c, threads[i].name, LOOM_STR(""));
	return status;
}

static enum loom_status offer_docs(struct completing *c, struct loom_err *err)
{
	struct loom_doc *docs = NULL;
	size_t count = 0;
	enum loom_status status = mcp_docs(c->mcp, &docs, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		offer(c, docs[i].name, docs[i].summary);
	return status;
}

/* ---- answering ---- */

static enum loom_status offer_what(struct completing *c, enum mcp_what what, struct loom_err *err)
{
	enum loom_status status =
		what == MCP_DOC ? LOOM_OK : mcp_may_look(c->mcp, LOOM_VERB_VIEW, err);

	if (status != LOOM_OK)
		return status;
	switch (what) {
	case MCP_TREE:
		return offer_trees(c, err);
	case MCP_NODE:
		return offer_nodes(c, err);
	case MCP_THREAD:
		return offer_threads(c, err);
	case MCP_DOC:
		break;
	}
	return offer_docs(c, err);
}

static void answer(const struct completing *c, const struct mcp_request *request)
{
	struct loom_json *json = mcp_begin(c->mcp, request);
	const size_t total = c->begin_count + c->mention_count;
	size_t said = 0;

	loom_json_key(json, "completion");
	loom_json_object(json);
	loom_json_key(json, "values");
	loom_json_array(json);
	for (size_t i = 0; i < c->begin_count && said < VALUES_MAX; i++, said++)
		loom_json_text(json, c->begin[i]);
	for (size_t i = 0; i < c->mention_count && said < VALUES_MAX; i++, said++)
		loom_json_text(json, c->mention[i]);
	loom_json_end_array(json);
	loom_json_put_int(json, "total", (int64_t)total);
	loom_json_put_bool(json, "hasMore", total > said);
	loom_json_end_object(json);
	mcp_end(c->mcp);
}

/* Reads what is to be completed; NULL, or what is wrong with it. */
static const char *read_ref(struct completing *c, struct loom_str params, enum mcp_what *what,
			    bool *nothing)
{
	const struct loom_str ref = loom_jval_get(params, "ref");
	const struct loom_str argument = loom_jval_get(params, "argument");
	const struct loom_str uri = loom_jval_text(loom_jval_get(ref, "uri"), c->arena);

	c->word = loom_jval_text(loom_jval_get(argument, "value"), c->arena);
	*nothing = loom_jval_says(loom_jval_get(ref, "type"), LOOM_STR("ref/prompt"));
	if (!c->word.p || loom_jval_type(loom_jval_get(argument, "name")) != LOOM_JTYPE_STRING)
		return "\"argument\" must have a name and a value";
	if (*nothing)
		return mcp_is_prompt(loom_jval_get(ref, "name")) ? NULL : "there is no such prompt";
	if (!loom_jval_says(loom_jval_get(ref, "type"), LOOM_STR("ref/resource")))
		return "\"ref\" must be of type ref/resource or ref/prompt";
	return uri.p && mcp_template_find(uri, what) ? NULL : "there is no such template";
}

void mcp_complete(struct mcp *mcp, const struct mcp_request *request)
{
	struct completing *c = LOOM_ARENA_NEW(request->arena, struct completing);
	struct loom_err err = {.status = LOOM_OK};
	enum mcp_what what = MCP_TREE;
	enum loom_status status = LOOM_OK;
	bool nothing = false;
	const char *wrong;

	*c = (struct completing){.mcp = mcp, .arena = request->arena};
	wrong = read_ref(c, request->params, &what, &nothing);
	if (wrong) {
		mcp_error(mcp, request, MCP_PARAMS, loom_str_of(wrong));
		return;
	}
	if (!nothing)
		status = offer_what(c, what, &err);
	if (status == LOOM_OK)
		answer(c, request);
	else
		mcp_refuse(mcp, request, &err);
}
