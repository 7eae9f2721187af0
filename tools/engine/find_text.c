/* Searches the grove: from a call to the index, and from hits to text. */
#include <loom/engine/find_text.h>

#include <loom/language/call.h>
#include <loom/text/quoting.h>
#include <loom/tree/document.h>
#include <loom/text/sanitise.h>

/* --- printing --- */

static enum loom_status add_tree(struct loom_show *show, int64_t tree, struct loom_buf *out,
				 struct loom_err *err)
{
	struct loom_tree row;
	enum loom_status status = loom_tree_get(show->store, tree, show->arena, &row, err);

	if (status == LOOM_OK)
		loom_show_tree(row.title, out);
	return status;
}

static enum loom_status add_node(struct loom_show *show, const struct loom_hit *hit,
				 struct loom_buf *out, struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status =
		loom_node_get(show->store, hit->node, LOOM_NODE_NARROW, show->arena, &node, err);

	loom_buf_addc(out, '[');
	if (status == LOOM_OK)
		status = loom_show_name(show, &node, out, err);
	loom_buf_adds(out, "] ");
	if (status == LOOM_OK)
		status = add_tree(show, hit->tree, out, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_adds(out, hit->kind == LOOM_HIT_SUMMARY ? " · summary" : "");
	loom_buf_adds(out, " · ");
	loom_show_author(show, node.author, false, out);
	loom_buf_adds(out, " · ");
	loom_show_ago(show, node.created, out);
	return LOOM_OK;
}

static enum loom_status add_hit(struct loom_show *show, const struct loom_hit *hit,
				struct loom_buf *out, struct loom_err *err)
{
	struct loom_doc doc;
	enum loom_status status;

	switch (hit->kind) {
	case LOOM_HIT_DOC:
		status = loom_doc_get(show->store, hit->doc, false, show->arena, &doc, err);
		if (status != LOOM_OK)
			return status;
		loom_show_doc(doc.name, LOOM_STR(""), out);
		loom_buf_adds(out, hit->summed ? " · summary" : "");
		loom_buf_adds(out, " · updated ");
		loom_show_ago(show, doc.updated, out);
		return LOOM_OK;
	case LOOM_HIT_TREE:
		status = add_tree(show, hit->tree, out, err);
		loom_buf_adds(out, hit->summed ? " · summary" : "");
		return status;
	case LOOM_HIT_NODE:
	case LOOM_HIT_NOTE:
	case LOOM_HIT_SUMMARY:
		break;
	}
	return add_node(show, hit, out, err);
}

/* Prints the snippet on one line: search results are not laid out. */
static void add_snippet(struct loom_str snippet, struct loom_buf *out)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(out, "\n    \"");
	for (size_t i = 0; i < snippet.n; i++) {
		char c = snippet.p[i];

		loom_buf_addc(&line, c == '\n' || c == '\r' || c == '\t' ? ' ' : c);
	}
	loom_shown_line(out, loom_buf_str(&line), 0);
	loom_buf_addc(out, '"');
	loom_buf_fini(&line);
}

static void add_count(const struct loom_hits *hits, struct loom_buf *out)
{
	if (hits->total >= 1000) {
		loom_buf_adds(out, "1,000+ results");
	} else if (hits->least) {
		loom_buf_add_count(out, hits->total);
		loom_buf_adds(out, "+ results");
	} else {
		loom_show_many((int64_t)hits->total, "result", "results", out);
	}
}

enum loom_status loom_find_show(struct loom_show *show, const struct loom_search_query *query,
				const struct loom_hits *hits, int64_t behind, struct loom_buf *out,
				struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_buf_adds(out, LOOM_SAYS_SEARCH);
	loom_shown_line(out, query->typed, 0);
	loom_buf_adds(out, "\"\n");
	add_count(hits, out);
	for (size_t i = 0; i < hits->count && status == LOOM_OK; i++) {
		loom_buf_addf(out, "\n[%zu] ", i + 1);
		status = add_hit(show, &hits->items[i], out, err);
		add_snippet(hits->items[i].snippet, out);
	}
	if (behind > 0) {
		loom_buf_adds(out, "\n… ");
		loom_buf_add_count(out, (uint64_t)behind);
		loom_buf_adds(out, " newer texts are not in the index yet · search again");
	}
	return status;
}

/* --- calls --- */

static enum loom_status refuse_web(struct loom_err *err)
{
	loom_fail(err, LOOM_MODEL, "no web search is configured");
	return loom_hint(err, LOOM_MODEL,
			 "leave out web, depth, topic, include and exclude to search the grove");
}

enum loom_status loom_find_heed(struct loom_store *store, unsigned may, int64_t home,
				struct loom_arena *arena, struct loom_search_query *query,
				struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	query->docs = !(may & LOOM_MAY_DOC_READ) ? LOOM_DOCS_NEVER
		      : query->tree              ? LOOM_DOCS_BY_TREE
						 : LOOM_DOCS_ALWAYS;
	if ((may & LOOM_MAY_CROSS_TREE) || query->tree == home)
		return LOOM_OK;
	if (!query->tree) {
		query->tree = home;
		return LOOM_OK;
	}
	status = loom_tree_get(store, query->tree, arena, &tree, err);
	return status == LOOM_OK ? loom_engine_refuse_tree(tree.title, err) : status;
}

/* Finds an author by name or kind; the refusal lists the choices. */
static enum loom_status find_author(const struct loom_engine_view *view, struct loom_str name,
				    struct loom_search_query *query, struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(200);
	struct loom_agent *agents = NULL;
	size_t count = 0;
	enum loom_status status = loom_search_author(view->store, name, view->arena, query, err);

	if (status != LOOM_NOT_FOUND ||
	    loom_agent_list(view->store, view->arena, &agents, &count, NULL) != LOOM_OK)
		return status;
	for (size_t i = 0; i < count && names.n + agents[i].name.n < 120; i++)
		loom_buf_addf(&names, ", \"%.*s\"", LOOM_STR_ARG(agents[i].name));
	status = loom_hint(err, status, "author: takes human, model, collaborator, claim%s",
			   loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return status;
}

static enum loom_status read_call(const struct loom_engine_view *view, const struct loom_call *call,
				  struct loom_search_query *query, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	query->tree = view->in_tree ? view->tree : 0;
	status = loom_search_parse(view->store, call->query, view->tree, view->arena, query, err);
	if (status == LOOM_OK && call->author.p) {
		query->author = 0;
		query->authors = 0;
		query->claimed.n = 0;
		status = find_author(view, call->author, query, err);
	}
	if (status == LOOM_OK && view->in) {
		query->in = view->in;
		query->tree = view->tree;
	}
	if (status == LOOM_OK)
		status =
			loom_find_heed(view->store, view->may, view->tree, view->arena, query, err);
	query->limit = call->max ? (size_t)call->max : LOOM_FIND_MAX;
	return status;
}

/* "… 97 more · → search "q" max:20" */
static void add_rest(const struct loom_call *call, const struct loom_hits *hits,
		     struct loom_buf *out)
{
	struct loom_call again = *call;

	if (hits->count >= hits->total)
		return;
	again.max = 2 * (call->max ? call->max : LOOM_FIND_MAX);
	loom_buf_adds(out, "\n… ");
	if (!hits->least && hits->total < 1000) {
		loom_buf_add_count(out, hits->total - hits->count);
		loom_buf_addc(out, ' ');
	}
	loom_buf_adds(out, "more · → ");
	loom_call_print(&again, out);
}

enum loom_status loom_find_call(void *ctx, const struct loom_engine_view *view,
				const struct loom_call *call, struct loom_buf *out,
				struct loom_err *err)
{
	struct loom_search_query query = {.limit = 0};
	struct loom_search *search = NULL;
	struct loom_show show;
	struct loom_hits hits;
	int64_t behind = 0;
	enum loom_status status;

	(void)ctx;
	if (loom_call_wants_web(call))
		return refuse_web(err);
	status = read_call(view, call, &query, err);
	if (status == LOOM_OK)
		status = loom_search_open(view->store, &search, err);
	if (status == LOOM_OK)
		status = loom_search_feed(search, LOOM_FIND_FEED_MS, &behind, err);
	if (status == LOOM_OK)
		status = loom_search_run(search, &query, view->arena, &hits, err);
	if (status == LOOM_OK)
		status = loom_show_init(&show, view->store, view->arena, err);
	if (status == LOOM_OK)
		status = loom_find_show(&show, &query, &hits, behind, out, err);
	if (status == LOOM_OK)
		add_rest(call, &hits, out);
	loom_search_close(search);
	return status;
}
