/* One self-contained page: no scripts, images or URLs. A branch folds (details); a run of only
 * children is one block, so that nesting grows only with forks. A fork's heading shows "n of m" and
 * links to its siblings. Local ids are unique only within a tree, so an anchor begins with the
 * tree's number. */
#include <loom/base/utf8.h>

#include "inside.h"

#define HOLDS                                                                                      \
	(LOOM_BESIDE(IDS) | LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(NOTES) | LOOM_BESIDE(BOOKMARKS) |  \
	 LOOM_BESIDE(LABELS) | LOOM_BESIDE(VERSIONS))

static const char style[] =
	"<style>body{font:16px/1.5 Georgia,serif;max-width:50em;margin:2em auto;padding:0 1em}"
	"details{border-left:2px solid #ccc;margin:.3em 0 .3em .5em;padding-left:.8em}"
	"summary{cursor:pointer;color:#555}.n{white-space:pre-wrap;overflow-wrap:anywhere}"
	"summary a{text-decoration:none;padding:0 .3em}summary b{font-weight:normal}"
	":target>summary{outline:2px solid #69c}"
	".h{color:#777;font:12px sans-serif}.model{color:#236}.mark{background:#fec}"
	".note{color:#666;font-style:italic;margin-left:1em}"
	"@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}.model{color:#9cf}"
	".mark{background:#530}}</style>\n";

static void add_title(struct loom_buf *out, struct loom_str title)
{
	if (title.n)
		loom_xml_escape(out, title);
	else
		loom_buf_adds(out, "untitled");
}

static void add_head(struct exporter *ex, const struct export_text *text)
{
	struct loom_buf iso = LOOM_BUF_INIT(64);

	loom_time_iso(text->node.created, &iso);
	loom_buf_addf(&ex->buf, "<div class=\"h\">[%s] ", text->name);
	loom_xml_escape(&ex->buf, export_name(text->author));
	loom_buf_addf(&ex->buf, " · %.16s", loom_buf_cstr(&iso));
	if (text->node.label.n) {
		loom_buf_adds(&ex->buf, " · <bdi>");
		loom_xml_escape(&ex->buf, text->node.label);
		loom_buf_adds(&ex->buf, "</bdi>");
	}
	loom_buf_adds(&ex->buf, "</div>");
	loom_buf_fini(&iso);
}

static enum loom_status put_notes(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (uint32_t a = loom_reading_note(&tree->read, n, 0); a && status == LOOM_OK;
	     a = loom_reading_note(&tree->read, n, a)) {
		struct export_text note;

		status = export_read(ex, tree, tree->read.nodes[a - 1].id, &note, err);
		if (status != LOOM_OK)
			break;
		loom_buf_adds(&ex->buf, "<div class=\"n note\" dir=\"auto\">");
		loom_xml_escape(&ex->buf, note.node.text);
		loom_buf_adds(&ex->buf, "</div>");
	}
	return status;
}

static enum loom_status put_text(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				 struct loom_err *err)
{
	struct export_text text;
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);

	if (status != LOOM_OK || !(text.node.text.n || text.node.from_node))
		return status;
	add_head(ex, &text);
	loom_buf_addf(&ex->buf, "<div class=\"n%s%s\" dir=\"auto\">",
		      text.author->kind == LOOM_AGENT_MODEL ? " model" : "",
		      text.node.bookmarked ? " mark" : "");
	loom_xml_escape(&ex->buf, text.node.text);
	loom_buf_adds(&ex->buf, "</div>");
	return LOOM_OK;
}

/* The other versions of a node stand behind it, folded. */
static enum loom_status put_versions(struct exporter *ex, const struct export_tree *tree,
				     uint32_t n, struct loom_err *err)
{
	uint32_t v = tree->read.nodes[n - 1].versions;
	enum loom_status status = LOOM_OK;

	if (!v)
		return LOOM_OK;
	loom_buf_adds(&ex->buf, "<details class=\"versions\"><summary>other versions</summary>\n");
	for (; v && status == LOOM_OK; v = tree->read.nodes[v - 1].next)
		status = put_text(ex, tree, v, err);
	loom_buf_adds(&ex->buf, "</details>");
	return status;
}

static enum loom_status put_node(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				 struct loom_err *err)
{
	enum loom_status status = put_text(ex, tree, n, err);

	if (status == LOOM_OK)
		status = put_notes(ex, tree, n, err);
	if (status == LOOM_OK)
		status = put_versions(ex, tree, n, err);
	loom_buf_addc(&ex->buf, '\n');
	return status == LOOM_OK ? export_flow(ex, err) : status;
}

/* Each node's place among its siblings, computed once. */
struct family {
	uint32_t before; /* the previous sibling; 0: it is the first */
	uint32_t place;  /* from 1 */
	uint32_t count;  /* the number of its children */
};
struct page {
	struct exporter *ex;
	const struct export_tree *tree;
	struct family *families; /* by number, from 0 */
	uint32_t roots;
};

/* Those that begin with `first`; how many they are. */
static uint32_t find_family(struct page *page, uint32_t first)
{
	uint32_t before = 0;
	uint32_t count = 0;

	for (uint32_t s = first; s; s = loom_reading_sibling(&page->tree->read, s)) {
		page->families[s - 1].before = before;
		page->families[s - 1].place = ++count;
		before = s;
	}
	return count;
}

static void find_families(struct page *page)
{
	const struct loom_reading *read = &page->tree->read;

	page->families = loom_alloc(read->count * sizeof *page->families);
	memset(page->families, 0, read->count * sizeof *page->families);
	page->roots = find_family(page, read->root);
	for (uint32_t n = read->root; n; n = loom_reading_next(read, n))
		page->families[n - 1].count = find_family(page, loom_reading_child(read, n));
}

static uint32_t family_size(const struct page *page, uint32_t n)
{
	const uint32_t parent = page->tree->read.nodes[n - 1].parent;

	return parent ? page->families[parent - 1].count : page->roots;
}

static bool has_siblings(const struct page *page, uint32_t n)
{
	return family_size(page, n) > 1;
}

/* Adds a link to a sibling, or a plain sign if there is none. */
static void add_link(struct exporter *ex, uint32_t to, const char *sign)
{
	if (to)
		loom_buf_addf(&ex->buf, "<a href=\"#t%zu-%u\">%s</a>", ex->trees, to, sign);
}

static enum loom_status open_branch(const struct page *page, uint32_t n, struct loom_err *err)
{
	struct exporter *ex = page->ex;
	const struct loom_reading_node *node = &page->tree->read.nodes[n - 1];
	const struct family *family = &page->families[n - 1];
	struct export_text text;
	enum loom_status status = export_read(ex, page->tree, node->id, &text, err);
	struct loom_str line = status == LOOM_OK ? loom_str_trim(text.node.text) : LOOM_STR("");

	if (status != LOOM_OK)
		return status;
	line = loom_str_sub(line, 0, loom_str_find_char(line, '\n', 0));
	loom_buf_addf(&ex->buf, "<details id=\"t%zu-%u\" open><summary>", ex->trees, n);
	add_link(ex, family->before, "‹");
	loom_buf_addf(&ex->buf, "<b>%u/%u</b>", family->place, family_size(page, n));
	add_link(ex, loom_reading_sibling(&page->tree->read, n), "›");
	loom_buf_addf(&ex->buf, " [%s] <bdi>", text.name);
	loom_xml_escape(&ex->buf, loom_utf8_clip(line, 80));
	loom_buf_adds(&ex->buf, "</bdi></summary>\n");
	return LOOM_OK;
}

/* Writes the nodes in reading order; a branch closes when the walk climbs past its first node. */
static enum loom_status put_nodes(const struct page *page, struct loom_err *err)
{
	const struct export_tree *tree = page->tree;
	enum loom_status status = LOOM_OK;
	uint32_t n = tree->read.root;

	while (n && status == LOOM_OK) {
		uint32_t next = loom_reading_next(&tree->read, n);

		if (has_siblings(page, n))
			status = open_branch(page, n, err);
		if (status == LOOM_OK)
			status = put_node(page->ex, tree, n, err);
		for (uint32_t up = n; up && (!next || tree->read.nodes[next - 1].depth <=
							      tree->read.nodes[up - 1].depth);
		     up = tree->read.nodes[up - 1].parent)
			if (has_siblings(page, up))
				loom_buf_adds(&page->ex->buf, "</details>\n");
		n = next;
	}
	return status;
}

static enum loom_status put_tree(struct exporter *ex, const struct export_tree *tree,
				 struct loom_err *err)
{
	struct page page = {.ex = ex, .tree = tree};
	enum loom_status status = LOOM_OK;

	loom_buf_addf(&ex->buf, "<h1 id=\"t%zu\" dir=\"auto\">", ++ex->trees);
	add_title(&ex->buf, tree->row.title);
	loom_buf_adds(&ex->buf, "</h1>\n");
	if (tree->row.system.n) {
		loom_buf_adds(&ex->buf, "<div class=\"n note\" dir=\"auto\">");
		loom_xml_escape(&ex->buf, tree->row.system);
		loom_buf_adds(&ex->buf, "</div>\n");
	}
	find_families(&page);
	status = put_nodes(&page, err);
	free(page.families);
	return status;
}

/* Writes the page's title and, for several trees, their table of contents. */
static enum loom_status add_top(const struct loom_export *what, struct loom_buf *out,
				struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf list = LOOM_BUF_INIT(SIZE_MAX / 4);
	struct loom_tree tree = {.title = {NULL, 0}};
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < what->tree_count && status == LOOM_OK; i++) {
		status = loom_tree_get(what->store, what->trees[i], arena, &tree, err);
		if (status != LOOM_OK)
			break;
		loom_buf_addf(&list, "<li><a href=\"#t%zu\">", i + 1);
		add_title(&list, tree.title);
		loom_buf_adds(&list, "</a></li>\n");
	}
	if (what->tree_count == 1)
		add_title(out, tree.title);
	else
		loom_buf_addf(out, "%zu trees", what->tree_count);
	loom_buf_addf(out, "</title>\n%s</head><body>\n", style);
	if (what->tree_count > 1)
		loom_buf_addf(out, "<ul>\n%s</ul>\n", loom_buf_cstr(&list));
	loom_buf_fini(&list);
	loom_arena_destroy(arena);
	return status;
}

/* The page around the trees. On an error there is no page. */
static enum loom_status run(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_html, .put = put_tree};
	static const struct export_way book = {.format = &export_html, .put = export_book_html};
	struct loom_buf top = LOOM_BUF_INIT(SIZE_MAX / 4);
	enum loom_status status;

	if (what->book)
		return export_each(what, &book, err);
	loom_buf_adds(&top, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\n"
			    "<meta name=\"viewport\" content=\"width=device-width\">\n"
			    "<meta http-equiv=\"Content-Security-Policy\" "
			    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>");
	status = add_top(what, &top, err);
	if (status == LOOM_OK)
		status = what->put(what->ctx, loom_buf_str(&top), err);
	loom_buf_fini(&top);
	if (status == LOOM_OK)
		status = export_each(what, &way, err);
	return status == LOOM_OK ? what->put(what->ctx, LOOM_STR("</body></html>\n"), err) : status;
}

const struct loom_export_format export_html = {
	.name = "html",
	.title = "one page with folding branches",
	.book = true,
	.holds = {[LOOM_EXPORT_BOOK] = LOOM_BESIDE(EXCLUDED),
		  [LOOM_EXPORT_TREE] = HOLDS,
		  [LOOM_EXPORT_TALK] = HOLDS,
		  [LOOM_EXPORT_PROSE] = HOLDS},
	.run = run,
};
