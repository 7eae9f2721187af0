/* Trees as pictures: SVG and Graphviz. A node is a dot and the beginning of its text; depth goes
 * right, siblings go down. No recursion: leaves get consecutive rows in reading order, and a parent
 * is centred on its children. SVG draws all lines before the first text, whose outline covers
 * them. */
#include <loom/base/utf8.h>
#include <loom/text/width.h>

#include "inside.h"

/* A picture shows that a node is bookmarked, but not the label. */
#define HOLDS (LOOM_BESIDE(IDS) | LOOM_BESIDE(EXCLUDED) | LOOM_BESIDE(BOOKMARKS))

/* A label has so many cells, of at most 8 units. */
enum { STEP_X = 240, STEP_Y = 22, MARGIN = 20, LABEL = 28, LABEL_BYTES = 400 };

static struct loom_str beginning(struct loom_arena *arena, struct loom_str text)
{
	struct loom_str line = loom_str_trim(text);
	size_t cells = 0;
	size_t at = 0;
	char *copy;

	while (at < line.n && at < LABEL_BYTES && cells < LABEL)
		cells += (size_t)loom_grapheme_next(line, &at);
	copy = loom_arena_cstr(arena, loom_str_sub(line, 0, at));
	for (size_t i = 0; i < at; i++)
		if ((unsigned char)copy[i] < 0x20)
			copy[i] = ' ';
	return at < line.n ? loom_arena_format(arena, "%s…", copy) : loom_str_make(copy, at);
}

/* ---- places ---- */

struct places {
	uint32_t *y; /* in half rows */
	uint32_t rows;
	uint32_t depth;
};

/* Places a node halfway between its first child and its last. */
static void place_above(const struct export_tree *tree, struct places *out, uint32_t n)
{
	uint32_t first = loom_reading_child(&tree->read, n);
	uint32_t end = first;

	for (uint32_t s = first; s; s = loom_reading_sibling(&tree->read, s))
		end = s;
	if (first)
		out->y[n - 1] = (out->y[first - 1] + out->y[end - 1]) / 2;
}

static void place(const struct export_tree *tree, struct places *out)
{
	uint32_t *order = loom_alloc((tree->read.count + 1) * sizeof *order);
	size_t count = 0;

	out->y = loom_alloc((tree->read.count + 1) * sizeof *out->y);
	out->rows = out->depth = 0;
	for (uint32_t n = tree->read.root; n; n = loom_reading_next(&tree->read, n)) {
		order[count++] = n;
		if (!loom_reading_child(&tree->read, n))
			out->y[n - 1] = 2 * out->rows++;
		if (tree->read.nodes[n - 1].depth > out->depth)
			out->depth = tree->read.nodes[n - 1].depth;
	}
	/* In reading order children come after what they hang on. */
	while (count > 0)
		place_above(tree, out, order[--count]);
	free(order);
}

static uint32_t x_of(const struct loom_reading_node *node)
{
	return MARGIN + node->depth * STEP_X;
}

static uint32_t y_of(const struct places *places, uint32_t number)
{
	return MARGIN + places->y[number - 1] * STEP_Y / 2;
}

/* ---- SVG ---- */

static void put_line(struct exporter *ex, const struct export_tree *tree,
		     const struct places *places, uint32_t n)
{
	const struct loom_reading_node *node = &tree->read.nodes[n - 1];
	uint32_t x = x_of(node);
	uint32_t y = y_of(places, n);
	uint32_t px;
	uint32_t py;

	if (!node->parent)
		return;
	px = x_of(&tree->read.nodes[node->parent - 1]);
	py = y_of(places, node->parent);
	loom_buf_addf(&ex->buf, "<path d=\"M%u %uC%u %u %u %u %u %u\"/>", px, py, px + STEP_X / 2,
		      py, x - STEP_X / 2, y, x, y);
}

static enum loom_status put_mark(struct exporter *ex, const struct export_tree *tree,
				 const struct places *places, uint32_t n, struct loom_err *err)
{
	struct export_text text;
	const uint32_t x = x_of(&tree->read.nodes[n - 1]);
	const uint32_t y = y_of(places, n);
	enum loom_status status = export_read(ex, tree, tree->read.nodes[n - 1].id, &text, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_addf(&ex->buf, "<g class=\"%s%s\"><circle cx=\"%u\" cy=\"%u\" r=\"4\"/>",
		      loom_agent_kind_name(text.author->kind), text.node.bookmarked ? " mark" : "",
		      x, y);
	loom_buf_addf(&ex->buf, "<text x=\"%u\" y=\"%u\">", x + 8, y - 5);
	loom_xml_escape(&ex->buf, beginning(ex->step, text.node.text));
	loom_buf_addf(&ex->buf, "</text><title>[%s] ", text.name);
	loom_xml_escape(&ex->buf, export_name(text.author));
	loom_buf_adds(&ex->buf, "</title></g>\n");
	return export_flow(ex, err);
}

static enum loom_status put_svg(struct exporter *ex, const struct export_tree *tree,
				struct loom_err *err)
{
	struct places places;
	enum loom_status status = LOOM_OK;

	place(tree, &places);
	loom_buf_addf(&ex->buf,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		      "font-family=\"sans-serif\" font-size=\"11\">\n<title>",
		      2 * MARGIN + (places.depth + 1) * STEP_X,
		      2 * MARGIN + (places.rows + 1) * STEP_Y);
	loom_xml_escape(&ex->buf, tree->row.title);
	loom_buf_adds(&ex->buf, "</title>\n<style>path{fill:none;stroke:#999}"
				"text{paint-order:stroke;stroke:#fff;stroke-width:3px}"
				".human circle{fill:#2a6}.model circle{fill:#46c}"
				".mark circle{stroke:#c80;stroke-width:3}</style>\n"
				"<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n)) {
		put_line(ex, tree, &places, n);
		status = export_flow(ex, err);
	}
	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n))
		status = put_mark(ex, tree, &places, n, err);
	loom_buf_adds(&ex->buf, "</svg>\n");
	free(places.y);
	return status;
}

/* ---- dot ---- */

static void dot_text(struct loom_buf *out, struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			loom_buf_addc(out, '\\');
		loom_buf_addc(out, (unsigned char)text.p[i] < 0x20 ? ' ' : text.p[i]);
	}
}

static enum loom_status put_vertex(struct exporter *ex, const struct export_tree *tree, uint32_t n,
				   struct loom_err *err)
{
	const struct loom_reading_node *node = &tree->read.nodes[n - 1];
	struct export_text text;
	enum loom_status status = export_read(ex, tree, node->id, &text, err);

	if (status != LOOM_OK)
		return status;
	loom_buf_addf(&ex->buf, "\tn%lld [label=\"%s: ", (long long)node->id, text.name);
	dot_text(&ex->buf, beginning(ex->step, text.node.text));
	loom_buf_addf(&ex->buf, "\"%s%s];\n",
		      text.author->kind == LOOM_AGENT_MODEL ? ", color=\"#4466cc\"" : "",
		      text.node.bookmarked ? ", peripheries=2" : "");
	if (node->parent)
		loom_buf_addf(&ex->buf, "\tn%lld -> n%lld;\n",
			      (long long)tree->read.nodes[node->parent - 1].id,
			      (long long)node->id);
	return export_flow(ex, err);
}

static enum loom_status put_dot(struct exporter *ex, const struct export_tree *tree,
				struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_buf_adds(&ex->buf, "digraph \"");
	dot_text(&ex->buf, tree->row.title);
	loom_buf_adds(&ex->buf, "\" {\n\trankdir=LR;\n\tnode [shape=box, fontsize=10];\n");
	for (uint32_t n = tree->read.root; n && status == LOOM_OK;
	     n = loom_reading_next(&tree->read, n))
		status = put_vertex(ex, tree, n, err);
	loom_buf_adds(&ex->buf, "}\n");
	return status;
}

/* ---- the formats ---- */

static enum loom_status run_svg(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_svg, .put = put_svg};

	return export_each(what, &way, err);
}

static enum loom_status run_dot(const struct loom_export *what, struct loom_err *err)
{
	static const struct export_way way = {.format = &export_dot, .put = put_dot};

	return export_each(what, &way, err);
}

const struct loom_export_format export_svg = {
	.name = "svg",
	.title = "a picture of the tree",
	.holds = {[LOOM_EXPORT_TREE] = HOLDS,
		  [LOOM_EXPORT_TALK] = HOLDS,
		  [LOOM_EXPORT_PROSE] = HOLDS},
	.one_tree = true,
	.run = run_svg,
};
const struct loom_export_format export_dot = {
	.name = "dot",
	.title = "the tree for Graphviz",
	.holds = {[LOOM_EXPORT_TREE] = HOLDS,
		  [LOOM_EXPORT_TALK] = HOLDS,
		  [LOOM_EXPORT_PROSE] = HOLDS},
	.run = run_dot,
};
