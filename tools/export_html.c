/* One page that needs nothing else: no script, no picture, no address. A branch folds (details);
 * a run of only children stands in one block, so that depth nests only where the tree forks. */
#include <loom/utf8.h>

#include "export_impl.h"

static const char style[] =
	"<style>body{font:16px/1.5 Georgia,serif;max-width:50em;margin:2em auto;padding:0 1em}"
	"details{border-left:2px solid #ccc;margin:.3em 0 .3em .5em;padding-left:.8em}"
	"summary{cursor:pointer;color:#555}.n{white-space:pre-wrap;overflow-wrap:anywhere}"
	".h{color:#777;font:12px sans-serif}.model{color:#236}.mark{background:#fec}"
	".note{color:#666;font-style:italic;margin-left:1em}"
	"@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}.model{color:#9cf}"
	".mark{background:#530}}</style>\n";

static void add_head(struct tool_exporter *ex, const struct tool_export_text *text)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_time_iso(text->node.created, &iso);
	loom_buf_addf(&ex->buf, "<div class=\"h\" id=\"%s\">[%s] ", text->name, text->name);
	tool_export_escape(&ex->buf, tool_export_name(text->author));
	loom_buf_addf(&ex->buf, " · %.16s", loom_buf_cstr(&iso));
	if (text->node.label.n) {
		loom_buf_adds(&ex->buf, " · ");
		tool_export_escape(&ex->buf, text->node.label);
	}
	loom_buf_adds(&ex->buf, "</div>");
	loom_buf_fini(&iso);
}

static enum loom_status put_notes(struct tool_exporter *ex, int64_t group, struct loom_err *err)
{
	struct loom_page page = {.kind = LOOM_ANNOTATION, .limit = 1000, .parts = LOOM_NODE_TEXT};
	struct loom_nodes notes;
	enum loom_status status =
		loom_node_children(ex->store, group, &page, ex->step, &notes, err);

	for (size_t i = 0; i < notes.count && status == LOOM_OK; i++) {
		loom_buf_adds(&ex->buf, "<div class=\"n note\">");
		tool_export_escape(&ex->buf, notes.items[i].text);
		loom_buf_adds(&ex->buf, "</div>");
	}
	return status;
}

static enum loom_status put_node(struct tool_exporter *ex, const struct tool_export_tree *tree,
				 int64_t id, struct loom_err *err)
{
	struct tool_export_text text;
	enum loom_status status = tool_export_read(ex, tree, id, &text, err);

	if (status != LOOM_OK)
		return status;
	add_head(ex, &text);
	loom_buf_addf(&ex->buf, "<div class=\"n%s%s\">",
		      text.author->kind == LOOM_AGENT_MODEL ? " model" : "",
		      text.node.bookmarked ? " mark" : "");
	tool_export_escape(&ex->buf, text.node.text);
	loom_buf_adds(&ex->buf, "</div>");
	status = put_notes(ex, text.node.group, err);
	loom_buf_addc(&ex->buf, '\n');
	return status == LOOM_OK ? tool_export_flow(ex, err) : status;
}

static bool has_siblings(const struct tool_export_tree *tree, uint32_t n)
{
	const uint32_t parent = tree->nodes[n - 1].parent;

	return parent && tool_export_sibling(tree, tool_export_child(tree, parent));
}

static enum loom_status open_branch(struct tool_exporter *ex, const struct tool_export_tree *tree,
				    uint32_t n, struct loom_err *err)
{
	struct tool_export_text text;
	enum loom_status status = tool_export_read(ex, tree, tree->nodes[n - 1].id, &text, err);
	struct loom_str line = status == LOOM_OK ? loom_str_trim(text.node.text) : LOOM_STR("");

	if (status != LOOM_OK)
		return status;
	line = loom_str_sub(line, 0, loom_str_find_char(line, '\n', 0));
	loom_buf_addf(&ex->buf, "<details%s><summary>[%s] ",
		      tree->nodes[n - 1].on_path || !ex->what->tip ? " open" : "", text.name);
	tool_export_escape(&ex->buf, loom_utf8_clip(line, 80));
	loom_buf_adds(&ex->buf, "</summary>\n");
	return LOOM_OK;
}

/* Reading order; a branch is closed when the walk climbs past its first node. */
static enum loom_status put_nodes(struct tool_exporter *ex, const struct tool_export_tree *tree,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	uint32_t n = 1;

	while (n && status == LOOM_OK) {
		uint32_t next = tool_export_next(tree, n);

		if (has_siblings(tree, n))
			status = open_branch(ex, tree, n, err);
		if (status == LOOM_OK)
			status = put_node(ex, tree, tree->nodes[n - 1].id, err);
		for (uint32_t up = n;
		     up && (!next || tree->nodes[next - 1].depth <= tree->nodes[up - 1].depth);
		     up = tree->nodes[up - 1].parent)
			if (has_siblings(tree, up))
				loom_buf_adds(&ex->buf, "</details>\n");
		n = next;
	}
	return status;
}

static enum loom_status put_tree(struct tool_exporter *ex, const struct tool_export_tree *tree,
				 struct loom_err *err)
{
	struct loom_nodes path;
	enum loom_status status = LOOM_OK;

	if (ex->what->tip)
		status = tool_export_path(ex, tree, &path, err);
	loom_buf_adds(&ex->buf, "<h1>");
	tool_export_escape(&ex->buf, tree->row.title);
	loom_buf_adds(&ex->buf, "</h1>\n");
	if (tree->row.system.n) {
		loom_buf_adds(&ex->buf, "<div class=\"n note\">");
		tool_export_escape(&ex->buf, tree->row.system);
		loom_buf_adds(&ex->buf, "</div>\n");
	}
	return status == LOOM_OK ? put_nodes(ex, tree, err) : status;
}

/* The page around the trees; an error leaves no page. */
static enum loom_status run(const struct loom_export *what, struct loom_err *err)
{
	static const char head[] =
		"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'\">\n<title>loom</title>\n";
	enum loom_status status = what->put(what->ctx, loom_str_of(head), err);

	if (status == LOOM_OK)
		status = what->put(what->ctx, loom_str_of(style), err);
	if (status == LOOM_OK)
		status = what->put(what->ctx, LOOM_STR("</head><body>\n"), err);
	if (status == LOOM_OK)
		status = tool_export_each(what, put_tree, err);
	return status == LOOM_OK ? what->put(what->ctx, LOOM_STR("</body></html>\n"), err) : status;
}

const struct loom_export_format tool_export_html = {
	.name = "html",
	.title = "one page whose branches fold",
	.run = run,
};
