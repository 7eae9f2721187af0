/* Trees to be read: Markdown (a path, a path and its branches, a whole tree) and plain text.
 *
 * In a dialogue each node has a heading; in a buffer a path is its texts, nothing between them. */
#include "export_impl.h"

static void add_time(struct tool_exporter *ex, int64_t ms)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_time_iso(ms, &iso);
	loom_buf_addf(&ex->buf, "%.16s", loom_buf_cstr(&iso));
	loom_buf_fini(&iso);
}

/* One line, whatever is in it. */
static void add_line(struct tool_exporter *ex, struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		loom_buf_addc(&ex->buf, (unsigned char)text.p[i] < 0x20 ? ' ' : text.p[i]);
}

static void add_heading(struct tool_exporter *ex, const struct tool_export_text *text)
{
	struct loom_str name = tool_export_name(text->author);

	loom_buf_addf(&ex->buf, "### [%s] ", text->name);
	add_line(ex, name);
	loom_buf_adds(&ex->buf, " · ");
	add_time(ex, text->node.created);
	if (text->node.bookmarked) {
		loom_buf_adds(&ex->buf, " · bookmarked");
		if (text->node.label.n)
			loom_buf_adds(&ex->buf, ": ");
		add_line(ex, text->node.label);
	}
	loom_buf_adds(&ex->buf, "\n\n");
}

static void end_text(struct tool_exporter *ex, struct loom_str text)
{
	loom_buf_add(&ex->buf, text);
	loom_buf_adds(&ex->buf, loom_str_ends(text, LOOM_STR("\n")) ? "\n" : "\n\n");
}

static enum loom_status put_notes(struct tool_exporter *ex, int64_t group, struct loom_err *err)
{
	struct loom_page page = {.kind = LOOM_ANNOTATION, .limit = 1000, .parts = LOOM_NODE_TEXT};
	struct loom_nodes notes;
	const struct loom_agent *author = NULL;
	enum loom_status status =
		loom_node_children(ex->store, group, &page, ex->step, &notes, err);

	for (size_t i = 0; i < notes.count && status == LOOM_OK; i++) {
		struct loom_str rest = notes.items[i].text;
		struct loom_str line;

		status = tool_export_author(ex, notes.items[i].author, &author, err);
		if (status != LOOM_OK)
			break;
		loom_buf_addf(&ex->buf, "> note by %.*s\n", LOOM_STR_ARG(tool_export_name(author)));
		while (loom_str_cut(&rest, '\n', &line))
			loom_buf_addf(&ex->buf, "> %.*s\n", LOOM_STR_ARG(line));
		loom_buf_addc(&ex->buf, '\n');
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
	add_heading(ex, &text);
	end_text(ex, text.node.text);
	status = put_notes(ex, text.node.group, err);
	return status == LOOM_OK ? tool_export_flow(ex, err) : status;
}

static void put_title(struct tool_exporter *ex, const struct loom_tree *tree)
{
	loom_buf_adds(&ex->buf, "# ");
	add_line(ex, tree->title);
	loom_buf_adds(&ex->buf, "\n\n");
	if (tree->description.n)
		end_text(ex, tree->description);
	if (tree->system.n) {
		loom_buf_adds(&ex->buf, "### system\n\n");
		end_text(ex, tree->system);
	}
}

/* ---- paths ---- */

static enum loom_status put_path(struct tool_exporter *ex, const struct tool_export_tree *tree,
				 bool headings, struct loom_err *err)
{
	struct loom_nodes path;
	enum loom_status status = tool_export_path(ex, tree, &path, err);

	for (size_t i = 0; i < path.count && status == LOOM_OK; i++) {
		struct tool_export_text text;

		status = tool_export_read(ex, tree, path.items[i].id, &text, err);
		if (status != LOOM_OK || (!text.node.text.n && !path.items[i].parent))
			continue;
		if (headings)
			add_heading(ex, &text);
		else if (tree->row.mode == LOOM_DIALOGUE)
			loom_buf_addf(&ex->buf,
				      "%.*s: ", LOOM_STR_ARG(tool_export_name(text.author)));
		if (tree->row.mode == LOOM_DIALOGUE)
			end_text(ex, text.node.text);
		else
			loom_buf_add(&ex->buf, text.node.text);
		status = tool_export_flow(ex, err);
	}
	return status;
}

/* Where a branch leaves the path, and whose branch it is. */
static void say_branch(struct tool_exporter *ex, const struct tool_export_tree *tree,
		       const struct tool_export_node *node)
{
	struct loom_node above;
	char name[LOOM_LOCAL_MAX] = "?";

	if (node->parent && loom_node_get(ex->store, tree->nodes[node->parent - 1].id,
					  LOOM_NODE_NARROW, ex->step, &above, NULL) == LOOM_OK)
		loom_local_text(tree->row.key, above.local, name);
	loom_buf_addf(&ex->buf, "## A branch at [%s]\n\n", name);
}

/* A branch from where it leaves the path to where it ends, in reading order. */
static enum loom_status put_branch(struct tool_exporter *ex, const struct tool_export_tree *tree,
				   uint32_t from, struct loom_err *err)
{
	uint32_t n = from;
	enum loom_status status = LOOM_OK;

	say_branch(ex, tree, &tree->nodes[from - 1]);
	while (n && status == LOOM_OK) {
		status = put_node(ex, tree, tree->nodes[n - 1].id, err);
		n = tool_export_next(tree, n);
		if (n && tree->nodes[n - 1].depth <= tree->nodes[from - 1].depth)
			break;
	}
	return status;
}

/* Behind put_path, which has marked the path. */
static enum loom_status put_branches(struct tool_exporter *ex, const struct tool_export_tree *tree,
				     struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t n = 1; n && status == LOOM_OK; n = tool_export_next(tree, n)) {
		const struct tool_export_node *node = &tree->nodes[n - 1];
		const struct tool_export_node *above =
			node->parent ? &tree->nodes[node->parent - 1] : NULL;

		if (above && above->on_path && !node->on_path)
			status = put_branch(ex, tree, n, err);
	}
	return status;
}

/* ---- the formats ---- */

static enum loom_status put_tree(struct tool_exporter *ex, const struct tool_export_tree *tree,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t n = 1; n && status == LOOM_OK; n = tool_export_next(tree, n))
		status = put_node(ex, tree, tree->nodes[n - 1].id, err);
	return status;
}

enum shape { WHOLE, BRANCHES, PLAIN };

static enum loom_status put_shape(struct tool_exporter *ex, const struct tool_export_tree *tree,
				  enum shape shape, struct loom_err *err)
{
	const bool dialogue = tree->row.mode == LOOM_DIALOGUE;
	enum loom_status status;

	if (shape != PLAIN)
		put_title(ex, &tree->row);
	if (!ex->what->tip)
		return put_tree(ex, tree, err);
	status = put_path(ex, tree, shape != PLAIN && dialogue, err);
	if (!dialogue && shape != PLAIN)
		loom_buf_addc(&ex->buf, '\n');
	if (status == LOOM_OK && shape == BRANCHES) {
		loom_buf_addc(&ex->buf, '\n');
		status = put_branches(ex, tree, err);
	}
	return status;
}

static enum loom_status put_whole(struct tool_exporter *ex, const struct tool_export_tree *tree,
				  struct loom_err *err)
{
	return put_shape(ex, tree, WHOLE, err);
}

static enum loom_status put_with_branches(struct tool_exporter *ex,
					  const struct tool_export_tree *tree, struct loom_err *err)
{
	return put_shape(ex, tree, BRANCHES, err);
}

static enum loom_status put_plain(struct tool_exporter *ex, const struct tool_export_tree *tree,
				  struct loom_err *err)
{
	return put_shape(ex, tree, PLAIN, err);
}

static enum loom_status run_md(const struct loom_export *what, struct loom_err *err)
{
	return tool_export_each(what, put_whole, err);
}

static enum loom_status run_branches(const struct loom_export *what, struct loom_err *err)
{
	return tool_export_each(what, put_with_branches, err);
}

static enum loom_status run_txt(const struct loom_export *what, struct loom_err *err)
{
	return tool_export_each(what, put_plain, err);
}

const struct loom_export_format tool_export_md = {
	.name = "md",
	.title = "Markdown: a path, or a whole tree node by node",
	.run = run_md,
};
const struct loom_export_format tool_export_md_branches = {
	.name = "md-branches",
	.title = "Markdown: a path, and an appendix of its branches",
	.path_only = true,
	.one_tree = true,
	.run = run_branches,
};
const struct loom_export_format tool_export_txt = {
	.name = "txt",
	.title = "the text of a path",
	.path_only = true,
	.one_tree = true,
	.run = run_txt,
};
