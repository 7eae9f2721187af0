/* Trees for reading: Markdown (a path, a path with its branches, a whole tree) and plain text.
 *
 * In a dialogue each node has a heading; in a buffer a path is its texts, nothing between them and
 * nothing around them. What does not hang on what stands before it is announced as a branch, and so
 * is a version that is not read. */
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

static enum loom_status put_note(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				 struct loom_err *err)
{
	struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct export_text note;
	struct loom_str rest;
	struct loom_str line;
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &note, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_adds(&ex->buf, LOOM_SAYS_NOTE);
	add_line(ex, export_name(note.author));
	loom_buf_addc(&ex->buf, '\n');
	(void)loom_body_add(&body, note.node.text, below(ex) | LOOM_BELOW_NOTE);
	rest = loom_buf_str(&body);
	while (loom_str_cut(&rest, '\n', &line))
		loom_buf_addf(&ex->buf, "> %.*s\n", LOOM_STR_ARG(line));
	loom_buf_fini(&body);
	loom_buf_addc(&ex->buf, '\n');
	return LOOM_OK;
}

static enum loom_status put_notes(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t a = loom_reading_note(&tree->read, n, 0); a && status == LOOM_OK;
	     a = loom_reading_note(&tree->read, n, a))
		status = put_note(ex, tree, a, err);
	return status;
}

/* An empty root gets a heading only if a branch must refer to it. */
static bool is_idle_root(const struct export_tree *tree, uint32_t n, const struct loom_node *node)
{
	const uint32_t first = loom_reading_child(&tree->read, n);

	return !node->text.n && !tree->read.nodes[n - 1].parent &&
	       !(first && (loom_reading_sibling(&tree->read, first) ||
			   tree->read.nodes[first - 1].versions));
}

static enum loom_status put_node(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				 struct loom_err *err)
{
	struct export_text text;
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	if (!is_idle_root(tree, n, &text.node)) {
		add_heading(ex, &text);
		end_text(ex, text.node.text);
	}
	status = put_notes(ex, tree, n, err);
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

/* Announces that the next text hangs on the named node, not on the text above it; a further root
 * names itself. In prose, an import recognises the line (lang_branch_opens). */
static enum loom_status say_branch(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				   struct loom_err *err)
{
	const bool words = tree->row.mode == LOOM_BUFFER && ex->what->tip;
	const struct loom_reading_node *nodes = tree->read.nodes;
	const bool read = nodes[n - 1].read;
	/* a version hangs where the node that is read hangs */
	const uint32_t parent = read ? nodes[n - 1].parent : nodes[nodes[n - 1].parent - 1].parent;
	struct export_text above;
	enum loom_status status =
		export_read(ex, tree, nodes[(parent ? parent : n) - 1].id, &above, err);

	if (status != LOOM_OK)
		return status;
	end_prose(ex);
	loom_buf_addf(&ex->buf, "%s## " LOOM_SAYS_BRANCH "%s]", words ? "\n\n" : "", above.name);
	if (words && parent && loom_str_trim(above.node.text).n)
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

/* Writes a node of the path: its text, and in a dialogue its author. */
static enum loom_status put_passage(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				    enum shape shape, struct loom_err *err)
{
	struct export_text text;
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	if (tree->row.mode == LOOM_BUFFER) {
		loom_buf_add(shape == BRANCHES ? &ex->prose : &ex->buf, text.node.text);
		return export_flow(ex, err);
	}
	if (!text.node.text.n && !tree->read.nodes[n - 1].parent)
		return LOOM_OK;
	if (shape == PLAIN) {
		add_line(ex, export_name(text.author));
		add_turn(ex, text.node.text);
	} else {
		add_heading(ex, &text);
		end_text(ex, text.node.text);
	}
	return export_flow(ex, err);
}

static enum loom_status put_path(struct exporter *ex, const struct export_tree *tree,
				 enum shape shape, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_child(&tree->read, n))
		status = put_passage(ex, tree, n, shape, err);
	return status;
}

/* ---- branches ---- */

/* Writes a node among branches: with its heading, or as prose in a buffer. */
static enum loom_status put_branched(struct exporter *ex, const struct export_tree *tree,
				     uint32_t n, enum shape shape, struct loom_err *err)
{
	return shape == BRANCHES && tree->row.mode == LOOM_BUFFER
		       ? put_passage(ex, tree, n, shape, err)
		       : put_node(ex, tree, n, err);
}

/* Writes the versions of a node that are not read, each as a branch where the node itself hangs. */
static enum loom_status put_versions(struct exporter *ex, const struct export_tree *tree,
				     uint32_t n, enum shape shape, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t v = tree->read.nodes[n - 1].versions; v && status == LOOM_OK;
	     v = tree->read.nodes[v - 1].next) {
		if (tree->read.nodes[v - 1].on_path)
			continue;
		status = say_branch(ex, tree, v, err);
		if (status == LOOM_OK)
			status = put_branched(ex, tree, v, shape, err);
	}
	return status;
}

/* Writes `from` and everything below it, in reading order, without returning to the path. */
static enum loom_status put_below(struct exporter *ex, const struct export_tree *tree,
				  uint32_t from, enum shape shape, struct loom_err *err)
{
	const uint32_t end = loom_reading_past(&tree->read, from);
	uint32_t last = shape == WHOLE && from == tree->read.root ? 0 : from;
	enum loom_status status = LOOM_OK;

	for (uint32_t n = from; n != end && status == LOOM_OK;) {
		const struct loom_reading_node *node = &tree->read.nodes[n - 1];

		if (node->on_path) {
			n = loom_reading_past(&tree->read, n);
			continue;
		}
		if (node->parent != last)
			status = say_branch(ex, tree, n, err);
		if (status == LOOM_OK)
			status = put_branched(ex, tree, n, shape, err);
		if (status == LOOM_OK)
			status = put_versions(ex, tree, n, shape, err);
		last = node->versions ? node->versions : n;
		n = loom_reading_next(&tree->read, n);
	}
	return status;
}

/* Writes the roots that are not on the path, with what is below them. */
static enum loom_status put_other_roots(struct exporter *ex, const struct export_tree *tree,
					struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t n = tree->read.root; n && status == LOOM_OK; n = tree->read.nodes[n - 1].next)
		status = tree->read.nodes[n - 1].on_path ? put_versions(ex, tree, n, BRANCHES, err)
							 : put_below(ex, tree, n, BRANCHES, err);
	return status;
}

static enum loom_status put_branches(struct exporter *ex, const struct export_tree *tree,
				     const struct loom_nodes *path, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < path->count && status == LOOM_OK; i++) {
		const uint32_t at = loom_reading_number(&tree->read, path->items[i].id);

		if (at && !i)
			status = put_other_roots(ex, tree, err);
		for (uint32_t n = at ? loom_reading_child(&tree->read, at) : 0;
		     n && status == LOOM_OK; n = loom_reading_sibling(&tree->read, n))
			status = tree->read.nodes[n - 1].on_path
					 ? put_versions(ex, tree, n, BRANCHES, err)
					 : put_below(ex, tree, n, BRANCHES, err);
	}
	end_prose(ex);
	if (tree->row.mode == LOOM_BUFFER)
		loom_buf_addc(&ex->buf, '\n');
	return status;
}

/* Writes the path first, then its branches. */
static enum loom_status put_path_and_branches(struct exporter *ex, const struct export_tree *tree,
					      struct loom_err *err)
{
	struct loom_nodes path;
	enum loom_status status = loom_node_path(ex->store, ex->what->tip, ex->thread,
						 LOOM_NODE_MARKS, ex->arena, &path, err);

	for (size_t i = 0; status == LOOM_OK && i < path.count; i++) {
		const uint32_t n = loom_reading_number(&tree->read, path.items[i].id);

		if (!n || path.items[i].pruned)
			path.count = i;
		else
			tree->read.nodes[n - 1].on_path = true;
	}
	for (size_t i = 0; status == LOOM_OK && i < path.count; i++) {
		const uint32_t n = loom_reading_number(&tree->read, path.items[i].id);

		status = put_branched(ex, tree, n, BRANCHES, err);
	}
	return status == LOOM_OK ? put_branches(ex, tree, &path, err) : status;
}

/* ---- the formats ---- */

static enum loom_status put_tree(struct exporter *ex, const struct export_tree *tree,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t n = tree->read.root; n && status == LOOM_OK; n = tree->read.nodes[n - 1].next)
		status = put_below(ex, tree, n, WHOLE, err);
	return status;
}

static enum loom_status put_whole(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	if (ex->what->tip)
		return put_path(ex, tree, WHOLE, err);
	put_title(ex, &tree->row);
	return put_tree(ex, tree, err);
}

static enum loom_status put_with_branches(struct exporter *ex, const struct export_tree *tree,
					  struct loom_err *err)
{
	put_title(ex, &tree->row);
	return put_path_and_branches(ex, tree, err);
}

static enum loom_status put_plain(struct exporter *ex, const struct export_tree *tree,
				  struct loom_err *err)
{
	enum loom_status status =
		loom_agent_list(ex->store, ex->arena, &ex->named, &ex->named_count, err);

	return status == LOOM_OK ? put_path(ex, tree, PLAIN, err) : status;
}

static enum loom_status run_md(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_md, .put = put_whole};
	static const struct export_way book = {.format = &export_md, .put = export_book_md};

	return export_each(what, what->book ? &book : &way, err);
}

static enum loom_status run_branches(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_md_branches,
					      .scope = EXPORT_WHOLE,
					      .put = put_with_branches};

	return export_each(what, &way, err);
}

static enum loom_status run_txt(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_txt, .put = put_plain};

	return export_each(what, &way, err);
}

/* Held by a heading. */
#define HEADED                                                                                     \
	(LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(IDS) | LOOM_BESIDE(BOOKMARKS) | LOOM_BESIDE(LABELS))

const struct loom_export_format export_md = {
	.name = "md",
	.title = "Markdown: a path, or a whole tree node by node",
	.book = true,
	.holds = {[LOOM_EXPORT_BOOK] = LOOM_BESIDE(EXCLUDED),
		  [LOOM_EXPORT_TREE] = HEADED | LOOM_BESIDE(NOTES) | LOOM_BESIDE(VERSIONS),
		  [LOOM_EXPORT_TALK] = HEADED,
		  [LOOM_EXPORT_PROSE] = LOOM_BESIDE(EXCLUDED)},
	.run = run_md,
};
const struct loom_export_format export_md_branches = {
	.name = "md-branches",
	.title = "Markdown: a path, with its branches as an appendix",
	.path_only = true,
	.one_tree = true,
	.holds = {[LOOM_EXPORT_TALK] = HEADED | LOOM_BESIDE(NOTES) | LOOM_BESIDE(VERSIONS),
		  [LOOM_EXPORT_PROSE] = LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(VERSIONS)},
	.run = run_branches,
};
const struct loom_export_format export_txt = {
	.name = "txt",
	.title = "the text of a path",
	.path_only = true,
	.one_tree = true,
	.holds = {[LOOM_EXPORT_TALK] = LOOM_BESIDE(EXCLUDED),
		  [LOOM_EXPORT_PROSE] = LOOM_BESIDE(EXCLUDED)},
	.run = run_txt,
};
