/* Trees for reading: Markdown (a path, a path with its branches, a whole tree) and plain text.
 *
 * In a dialogue each node has a heading; in a buffer a path is just its texts. A node that does not
 * continue the one before it is announced as a branch. */
#include <loom/text/quoting.h>
#include <loom/text/sanitise.h>
#include <loom/base/utf8.h>

#include "inside.h"
#include <loom/language/pasted_line.h>

/* How many bytes of the preceding text identify the place of a branch in a buffer. */
enum { LAST_WORDS = 48 };

enum shape { WHOLE, BRANCHES, PLAIN };

static void add_time(struct exporter *ex, int64_t ms)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_time_iso(ms, &iso);
	loom_buf_addf(&ex->buf, "%.16s", loom_buf_cstr(&iso));
	loom_buf_fini(&iso);
}

/* Adds a text as one line. */
static void add_line(struct exporter *ex, struct loom_str text)
{
	loom_shown_line(&ex->buf, text, 0);
}

/* With several trees, headings are one level below their titles. */
static unsigned below(const struct exporter *ex)
{
	return LOOM_BELOW_HEADINGS | (ex->what->tree_count > 1 ? (unsigned)LOOM_BELOW_TITLES : 0u);
}

static void add_heading(struct exporter *ex, const struct export_text *text)
{
	struct loom_str name = export_name(text->author);

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

/* Ends the text below a heading. */
static void end_text(struct exporter *ex, struct loom_str text)
{
	(void)loom_body_add(&ex->buf, text, below(ex));
	loom_buf_adds(&ex->buf, loom_str_ends(text, LOOM_STR("\n")) ? "\n" : "\n\n");
}

static enum loom_status put_notes(struct exporter *ex, int64_t group, struct loom_err *err)
{
	struct loom_nodes notes;
	const struct loom_agent *author = NULL;
	enum loom_status status = export_notes(ex, group, &notes, err);

	for (size_t i = 0; i < notes.count && status == LOOM_OK; i++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_str rest;
		struct loom_str line;

		status = export_author(ex, notes.items[i].author, &author, err);
		if (status != LOOM_OK)
			break;
		loom_buf_adds(&ex->buf, LOOM_SAYS_NOTE);
		add_line(ex, export_name(author));
		loom_buf_addc(&ex->buf, '\n');
		(void)loom_body_add(&text, notes.items[i].text, below(ex) | LOOM_BELOW_NOTE);
		rest = loom_buf_str(&text);
		while (loom_str_cut(&rest, '\n', &line))
			loom_buf_addf(&ex->buf, "> %.*s\n", LOOM_STR_ARG(line));
		loom_buf_fini(&text);
		loom_buf_addc(&ex->buf, '\n');
	}
	return status;
}

/* An empty root gets a heading only if a branch must refer to it. */
static bool is_idle_root(const struct export_tree *tree, const struct loom_node *node)
{
	const uint32_t first = export_child(tree, 1);

	return !node->text.n && node->id == tree->nodes[0].id &&
	       !(first && export_sibling(tree, first));
}

static enum loom_status put_node(struct exporter *ex, const struct export_tree *tree, int64_t id,
				 struct loom_err *err)
{
	struct export_text text;
	enum loom_status status = export_read(ex, tree, id, &text, err);

	if (status != LOOM_OK)
		return status;
	if (!is_idle_root(tree, &text.node)) {
		add_heading(ex, &text);
		end_text(ex, text.node.text);
	}
	status = put_notes(ex, text.node.group, err);
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

/* Ends the text above the first node. A turn of any form in it would set the form for all
 * others. */
static void add_lead(struct exporter *ex, struct loom_str text)
{
	struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct lang_header header;
	struct loom_str rest;
	struct loom_str line;

	(void)loom_body_add(&body, text, below(ex));
	rest = loom_buf_str(&body);
	while (loom_str_cut(&rest, '\n', &line)) {
		loom_buf_adds(&ex->buf, lang_header_read(line, &header) ? "\\" : "");
		loom_buf_add(&ex->buf, line);
		loom_buf_addc(&ex->buf, '\n');
	}
	loom_buf_addc(&ex->buf, '\n');
	loom_buf_fini(&body);
}

static void put_title(struct exporter *ex, const struct loom_tree *tree)
{
	loom_buf_adds(&ex->buf, lang_title_misleads(tree->title, ex->step) ? "# \\" : "# ");
	add_line(ex, tree->title);
	loom_buf_adds(&ex->buf, "\n\n");
	if (tree->description.n)
		add_lead(ex, tree->description);
	if (tree->system.n) {
		loom_buf_adds(&ex->buf, "### " LOOM_SAYS_SYSTEM "\n\n");
		add_lead(ex, tree->system);
	}
}

/* ---- announcing branches ---- */

/* Adds the last words of the preceding text, to find the place in a text without headings. */
static void add_last_words(struct exporter *ex, struct loom_str text)
{
	size_t from;

	text = loom_str_trim(text);
	from = text.n > LAST_WORDS ? text.n - LAST_WORDS : 0;
	loom_buf_adds(&ex->buf, ", after “");
	if (from) {
		loom_utf8_prev(text, &from);
		loom_buf_adds(&ex->buf, "…");
	}
	add_line(ex, loom_str_sub(text, from, text.n));
	loom_buf_adds(&ex->buf, "”");
}

/* Ends prose between headings; one line of it may span several nodes. */
static void end_prose(struct exporter *ex)
{
	(void)loom_body_add(&ex->buf, loom_buf_str(&ex->prose), below(ex));
	loom_buf_clear(&ex->prose);
}

/* Announces that the next text continues the named node and not the one before it. Between
 * headings, the line is one that an import understands (lang_branch_opens). */
static enum loom_status say_branch(struct exporter *ex, const struct export_tree *tree,
				   uint32_t number, bool words, struct loom_err *err)
{
	const uint32_t parent = tree->nodes[number - 1].parent;
	struct export_text above;
	enum loom_status status;

	if (!parent)
		return LOOM_OK;
	status = export_read(ex, tree, tree->nodes[parent - 1].id, &above, err);
	if (status != LOOM_OK)
		return status;
	end_prose(ex);
	loom_buf_addf(&ex->buf, "%s## " LOOM_SAYS_BRANCH "%s]", words ? "\n\n" : "", above.name);
	if (words && loom_str_trim(above.node.text).n)
		add_last_words(ex, above.node.text);
	loom_buf_adds(&ex->buf, "\n\n");
	return LOOM_OK;
}

/* ---- paths ---- */

/* Whether a text begins like a turn, "Ada: what she said." */
static bool names_somebody(const struct exporter *ex, struct loom_str line)
{
	if (lang_line_speaks(line))
		return true;
	line = loom_body_words(line);
	if (lang_line_speaks(line))
		return true;
	for (size_t i = 0; i < ex->named_count; i++) {
		const struct loom_str name = export_name(&ex->named[i]);

		if (line.n > name.n && line.p[name.n] == ':' &&
		    loom_str_eq_fold(loom_str_sub(line, 0, name.n), name))
			return true;
	}
	return false;
}

/* Adds a turn after its speaker's name. */
static void add_turn(struct exporter *ex, struct loom_str text)
{
	size_t bytes = 1;

	loom_buf_adds(&ex->buf, ": ");
	for (size_t at = 0; bytes;) {
		const size_t end = loom_body_end(text, at, &bytes);

		if (at && names_somebody(ex, loom_str_sub(text, at, end - at)))
			loom_buf_addc(&ex->buf, '\\');
		loom_buf_add(&ex->buf, loom_str_sub(text, at, end + bytes - at));
		at = end + bytes;
	}
	loom_buf_adds(&ex->buf, loom_str_ends(text, LOOM_STR("\n")) ? "\n" : "\n\n");
}

static enum loom_status put_path_node(struct exporter *ex, const struct export_tree *tree,
				      int64_t id, enum shape shape, struct loom_err *err)
{
	struct export_text text;
	enum loom_status status = export_read(ex, tree, id, &text, err);

	if (status != LOOM_OK)
		return status;
	if (shape == BRANCHES ? is_idle_root(tree, &text.node)
			      : !text.node.text.n && id == tree->nodes[0].id)
		return LOOM_OK;
	if (tree->row.mode == LOOM_BUFFER) {
		loom_buf_add(shape == BRANCHES ? &ex->prose : &ex->buf, text.node.text);
		return export_flow(ex, err);
	}
	if (shape == PLAIN) {
		add_line(ex, export_name(text.author));
		add_turn(ex, text.node.text);
	} else {
		add_heading(ex, &text);
		end_text(ex, text.node.text);
	}
	return export_flow(ex, err);
}

/* Writes a branch from where it leaves the path to its end, in reading order. What returns to the
 * path (below another version) is not repeated. */
static enum loom_status put_branch(struct exporter *ex, const struct export_tree *tree,
				   uint32_t from, struct loom_err *err)
{
	const bool words = tree->row.mode == LOOM_BUFFER;
	const uint32_t end = export_past(tree, from);
	uint32_t last = 0;
	enum loom_status status = LOOM_OK;

	for (uint32_t n = from; n != end && status == LOOM_OK;) {
		const struct export_node *node = &tree->nodes[n - 1];

		if (node->on_path) {
			n = export_past(tree, n);
			continue;
		}
		if (!last || node->parent != last)
			status = say_branch(ex, tree, n, words, err);
		if (status == LOOM_OK)
			status = words ? put_path_node(ex, tree, node->id, BRANCHES, err)
				       : put_node(ex, tree, node->id, err);
		last = n;
		n = export_next(tree, n);
	}
	return status;
}

static enum loom_status put_branches(struct exporter *ex, const struct export_tree *tree,
				     const struct loom_nodes *path, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < path->count && status == LOOM_OK; i++) {
		const uint32_t at = export_number(tree, path->items[i].id);

		for (uint32_t n = at ? export_child(tree, at) : 0; n && status == LOOM_OK;
		     n = export_sibling(tree, n))
			if (!tree->nodes[n - 1].on_path)
				status = put_branch(ex, tree, n, err);
	}
	end_prose(ex);
	if (tree->row.mode == LOOM_BUFFER)
		loom_buf_addc(&ex->buf, '\n');
	return status;
}

static enum loom_status put_path(struct exporter *ex, const struct export_tree *tree,
				 enum shape shape, struct loom_err *err)
{
	struct loom_nodes path;
	enum loom_status status = export_path(ex, tree, &path, err);

	for (size_t i = 0; i < path.count && status == LOOM_OK; i++)
		status = put_path_node(ex, tree, path.items[i].id, shape, err);
	if (status == LOOM_OK && shape == BRANCHES)
		return put_branches(ex, tree, &path, err);
	if (tree->row.mode == LOOM_BUFFER && shape != PLAIN)
		loom_buf_addc(&ex->buf, '\n');
	return status;
}

/* ---- the formats ---- */

static enum loom_status put_tree(struct exporter *ex, const struct export_tree *tree,
				 struct loom_err *err)
{
	uint32_t last = 0;
	enum loom_status status = LOOM_OK;

	for (uint32_t n = 1; n && status == LOOM_OK; n = export_next(tree, n)) {
		if (last && tree->nodes[n - 1].parent != last)
			status = say_branch(ex, tree, n, false, err);
		if (status == LOOM_OK)
			status = put_node(ex, tree, tree->nodes[n - 1].id, err);
		last = n;
	}
	return status;
}

static enum loom_status put_shape(struct exporter *ex, const struct export_tree *tree,
				  enum shape shape, struct loom_err *err)
{
	if (shape != PLAIN)
		put_title(ex, &tree->row);
	return ex->what->tip ? put_path(ex, tree, shape, err) : put_tree(ex, tree, err);
}

static enum loom_status put_whole(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	return put_shape(ex, tree, WHOLE, err);
}

static enum loom_status put_with_branches(struct exporter *ex, const struct export_tree *tree,
					  struct loom_err *err)
{
	return put_shape(ex, tree, BRANCHES, err);
}

static enum loom_status put_plain(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	enum loom_status status =
		loom_agent_list(ex->store, ex->arena, &ex->named, &ex->named_count, err);

	return status == LOOM_OK ? put_shape(ex, tree, PLAIN, err) : status;
}

static enum loom_status run_md(const struct loom_export *what, struct loom_err *err)
{
	return export_each(what, put_whole, err);
}

static enum loom_status run_branches(const struct loom_export *what, struct loom_err *err)
{
	return export_each(what, put_with_branches, err);
}

static enum loom_status run_txt(const struct loom_export *what, struct loom_err *err)
{
	return export_each(what, put_plain, err);
}

const struct loom_export_format export_md = {
	.name = "md",
	.title = "Markdown: a path, or a whole tree node by node",
	.run = run_md,
};
const struct loom_export_format export_md_branches = {
	.name = "md-branches",
	.title = "Markdown: a path, with its branches as an appendix",
	.path_only = true,
	.one_tree = true,
	.run = run_branches,
};
const struct loom_export_format export_txt = {
	.name = "txt",
	.title = "the text of a path",
	.path_only = true,
	.one_tree = true,
	.run = run_txt,
};
