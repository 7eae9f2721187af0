/* Draws a tree as text: the path to the position on one line, and what is below it as branches.
 *
 * Reads page by page only what it shows; the rest is counted, up to a thousand. Chains run on one
 * line, forks indent below the node that forks. The recursion is bounded: deeper forks are only
 * counted. */
#include <loom/engine/tree_text.h>

#include <loom/text/quoting.h>
#include <loom/language/call.h>
#include <loom/text/sanitise.h>
#include <loom/text/width.h>

#include <ctype.h>

#define DEPTH_NORMAL 5
#define CHAIN_SHOWN  8
#define CHAIN_ENDS   4
#define FORKS_MAX    48
#define PAGE         20
#define NODES_MAX    600
#define COUNT_MAX    1000
#define PATH_SHOWN   8
#define ROOTS_SHOWN  8

struct drawing {
	struct loom_show *show;
	const struct loom_draw_opts *opts;
	struct loom_buf *out;
	struct loom_err *err;
	struct loom_str title;
	int64_t star; /* the group of the position */
	bool starred;
	size_t nodes;
	struct loom_buf prefix; /* precedes the branches of this level */
	int forks;
};

/* ---- what is deeper ---- */

/* Groups still to be searched. */
struct pending {
	int64_t *items;
	size_t count;
	size_t cap;
};

static enum loom_status push_children(const struct drawing *drawing, int64_t group,
				      struct pending *pending, size_t *counted)
{
	struct loom_page page = {.kind = LOOM_CONTINUATION, .limit = COUNT_MAX + 1};
	struct loom_nodes nodes;
	enum loom_status status = loom_node_children(drawing->show->store, group, &page,
						     drawing->show->arena, &nodes, drawing->err);

	for (size_t i = 0; status == LOOM_OK && i < nodes.count; i++) {
		++*counted;
		if (!nodes.items[i].children)
			continue;
		pending->items =
			loom_arena_grow(drawing->show->arena, pending->items, pending->count,
					&pending->cap, sizeof *pending->items);
		pending->items[pending->count++] = nodes.items[i].group;
	}
	return status;
}

static enum loom_status count_below(const struct drawing *drawing, int64_t group, size_t *out)
{
	struct pending pending = {.items = NULL};
	enum loom_status status = LOOM_OK;

	*out = 0;
	status = push_children(drawing, group, &pending, out);
	while (status == LOOM_OK && pending.count && *out <= COUNT_MAX)
		status = push_children(drawing, pending.items[--pending.count], &pending, out);
	return status;
}

static enum loom_status say_deeper(struct drawing *drawing, const struct loom_node *node)
{
	size_t count = 0;
	enum loom_status status = count_below(drawing, node->group, &count);

	loom_buf_adds(drawing->out, " … ");
	loom_buf_add_count(drawing->out, count > COUNT_MAX ? COUNT_MAX : count);
	loom_buf_adds(drawing->out, count > COUNT_MAX ? "+ more below" : " more below");
	return status;
}

/* ---- chains ---- */

/* The first words of a text, as many as asked for. */
static struct loom_str first_words(struct loom_str text, int64_t words)
{
	size_t at = 0;

	while (at < text.n && words > 0) {
		while (at < text.n && isspace((unsigned char)text.p[at]))
			at++;
		while (at < text.n && !isspace((unsigned char)text.p[at]))
			at++;
		words--;
	}
	return loom_str_trim(loom_str_sub(text, 0, at));
}

static enum loom_status add_words(struct drawing *drawing, int64_t id)
{
	struct loom_node node;
	struct loom_str words;
	enum loom_status status = loom_node_get(drawing->show->store, id, LOOM_NODE_TEXT,
						drawing->show->arena, &node, drawing->err);

	if (status != LOOM_OK)
		return status;
	words = first_words(node.text, drawing->opts->words);
	loom_buf_adds(drawing->out, " \"");
	loom_shown_line(drawing->out, words, 0);
	loom_buf_adds(drawing->out, words.n < loom_str_trim(node.text).n ? "…\"" : "\"");
	return LOOM_OK;
}

static enum loom_status add_node(struct drawing *drawing, const struct loom_node *node,
				 size_t *column)
{
	const size_t before = drawing->out->n;
	enum loom_status status = LOOM_OK;

	loom_buf_addc(drawing->out, '[');
	status = loom_show_name(drawing->show, node, drawing->out, drawing->err);
	loom_buf_addc(drawing->out, ']');
	if (status == LOOM_OK && drawing->opts->words)
		status = add_words(drawing, node->id);
	*column +=
		loom_str_width(loom_str_sub(loom_buf_str(drawing->out), before, drawing->out->n));
	if (node->group != drawing->star)
		return status;
	loom_buf_adds(drawing->out, "* (you are here)");
	*column += strlen("* (you are here)");
	drawing->starred = true;
	return status;
}

static void add_arrow(struct drawing *drawing, size_t *column)
{
	loom_buf_adds(drawing->out, " → ");
	*column += 3;
}

/* Collects `first` and what follows it, as long as there is only one way on and levels are left. */
static enum loom_status follow(struct drawing *drawing, const struct loom_node *first,
			       int64_t *levels, struct loom_nodes *out)
{
	struct loom_page page = {.kind = LOOM_CONTINUATION,
				 .thread = drawing->opts->thread,
				 .limit = 1};
	struct loom_arena *arena = drawing->show->arena;
	size_t cap = 0;
	enum loom_status status = LOOM_OK;

	*out = (struct loom_nodes){NULL, 0};
	out->items = loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
	out->items[out->count++] = *first;
	drawing->nodes++;
	while (status == LOOM_OK && *levels > 0 && out->items[out->count - 1].children == 1 &&
	       drawing->nodes < NODES_MAX) {
		struct loom_nodes next;

		status = loom_node_children(drawing->show->store, out->items[out->count - 1].group,
					    &page, arena, &next, drawing->err);
		if (status != LOOM_OK || !next.count)
			break;
		out->items =
			loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
		out->items[out->count++] = next.items[0];
		drawing->nodes++;
		--*levels;
	}
	return status;
}

/* Writes a chain, leaving out the middle of a long one; *at is the column of its last node. */
static enum loom_status add_chain(struct drawing *drawing, const struct loom_nodes *chain,
				  size_t *column, size_t *at)
{
	const bool cut = chain->count > CHAIN_SHOWN;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < chain->count && status == LOOM_OK; i++) {
		if (cut && i == CHAIN_ENDS) {
			loom_buf_adds(drawing->out, " → ...");
			*column += 6;
			i = chain->count - CHAIN_ENDS;
		}
		if (i)
			add_arrow(drawing, column);
		*at = *column;
		status = add_node(drawing, &chain->items[i], column);
	}
	return status;
}

/* ---- branches ---- */

static enum loom_status draw_branches(struct drawing *drawing, int64_t group, int64_t levels);

/* Draws what is below the last node of a chain. */
static enum loom_status draw_end(struct drawing *drawing, const struct loom_node *last,
				 int64_t levels, size_t at)
{
	const size_t prefix = drawing->prefix.n;
	enum loom_status status = LOOM_OK;

	if (!last->children) {
		loom_buf_adds(drawing->out, " (leaf)");
		return LOOM_OK;
	}
	if (levels <= 0 || drawing->nodes >= NODES_MAX || drawing->forks >= FORKS_MAX)
		return say_deeper(drawing, last);
	loom_buf_add_repeat(&drawing->prefix, ' ', at);
	drawing->forks++;
	status = draw_branches(drawing, last->group, levels);
	drawing->forks--;
	loom_buf_cut(&drawing->prefix, prefix);
	return status;
}

static enum loom_status draw_branch(struct drawing *drawing, const struct loom_node *node,
				    bool is_last, int64_t levels)
{
	const size_t prefix = drawing->prefix.n;
	struct loom_nodes chain;
	size_t column = 3;
	size_t at = 0;
	enum loom_status status = LOOM_OK;

	loom_buf_addc(drawing->out, '\n');
	loom_buf_add(drawing->out, loom_buf_str(&drawing->prefix));
	loom_buf_adds(drawing->out, is_last ? "└→ " : "├→ ");
	levels--;
	status = follow(drawing, node, &levels, &chain);
	if (status == LOOM_OK)
		status = add_chain(drawing, &chain, &column, &at);
	if (status != LOOM_OK)
		return status;
	/* The bar of this level continues beside what is below. */
	loom_buf_adds(&drawing->prefix, is_last ? " " : "│");
	status = draw_end(drawing, &chain.items[chain.count - 1], levels, at - 1);
	loom_buf_cut(&drawing->prefix, prefix);
	return status;
}

static enum loom_status say_more(struct drawing *drawing, int64_t group, int64_t more)
{
	enum loom_status status = LOOM_OK;

	loom_buf_addc(drawing->out, '\n');
	loom_buf_add(drawing->out, loom_buf_str(&drawing->prefix));
	loom_buf_adds(drawing->out, "└→ … ");
	loom_buf_add_count(drawing->out, (uint64_t)more);
	loom_buf_adds(drawing->out, " more · → list ");
	status = loom_show_name_of(drawing->show, group, drawing->out, drawing->err);
	loom_buf_adds(drawing->out, " continuations");
	if (drawing->opts->away) {
		loom_buf_adds(drawing->out, " in tree:");
		loom_call_quote(drawing->title, drawing->out);
	}
	return status;
}

static enum loom_status draw_branches(struct drawing *drawing, int64_t group, int64_t levels)
{
	struct loom_page page = {.kind = LOOM_CONTINUATION,
				 .thread = drawing->opts->thread,
				 .limit = PAGE + 1};
	struct loom_nodes nodes;
	int64_t all = 0;
	size_t shown = 0;
	enum loom_status status = loom_node_children(drawing->show->store, group, &page,
						     drawing->show->arena, &nodes, drawing->err);

	if (status == LOOM_OK)
		status = loom_node_count(drawing->show->store, group, LOOM_CONTINUATION, &all,
					 drawing->err);
	if (status != LOOM_OK)
		return status;
	shown = nodes.count > PAGE ? PAGE : nodes.count;
	for (size_t i = 0; i < shown && status == LOOM_OK; i++)
		status = draw_branch(drawing, &nodes.items[i],
				     i + 1 == shown && nodes.count <= PAGE, levels);
	if (status == LOOM_OK && nodes.count > PAGE)
		status = say_more(drawing, group, all - PAGE);
	return status;
}

/* ---- the first line ---- */

static enum loom_status add_path(struct drawing *drawing, const struct loom_node *tip,
				 size_t *column, size_t *at)
{
	struct loom_nodes path;
	struct loom_node root;
	const bool cut = tip->depth >= PATH_SHOWN;
	struct loom_show *show = drawing->show;
	enum loom_status status =
		loom_node_path_end(show->store,
				   &(struct loom_path_end){.tip = tip->id,
							   .thread = drawing->opts->thread,
							   .limit = cut ? 1 : PATH_SHOWN,
							   .parts = LOOM_NODE_NARROW},
				   show->arena, &path, drawing->err);

	loom_buf_adds(drawing->out, "Root ");
	*column += 5;
	if (status == LOOM_OK && cut) {
		int64_t first = 0;

		status = loom_node_ancestor(show->store, tip->group, 0, &first, drawing->err);
		if (status == LOOM_OK)
			status = loom_node_get(show->store, first, LOOM_NODE_NARROW, show->arena,
					       &root, drawing->err);
		if (status == LOOM_OK)
			status = add_node(drawing, &root, column);
		loom_buf_adds(drawing->out, " → ... → ");
		*column += 9;
	}
	for (size_t i = 0; status == LOOM_OK && i < path.count; i++) {
		if (i)
			add_arrow(drawing, column);
		*at = *column;
		status = add_node(drawing, &path.items[i], column);
	}
	return status;
}

static enum loom_status draw_from(struct drawing *drawing, const struct loom_node *from)
{
	const int64_t levels = drawing->opts->depth > 0 ? drawing->opts->depth : DEPTH_NORMAL;
	size_t column = 0;
	size_t at = 0;
	enum loom_status status = LOOM_OK;

	loom_buf_addc(drawing->out, '\n');
	if (!drawing->opts->from || !from->parent)
		status = add_path(drawing, from, &column, &at);
	else
		status = add_node(drawing, from, &column);
	if (status != LOOM_OK || !from->children)
		return status;
	loom_buf_add_repeat(&drawing->prefix, ' ', at);
	return draw_branches(drawing, from->group, levels);
}

/* ---- the whole ---- */

static void add_counts(const struct loom_tree *tree, const char *between, struct loom_buf *out)
{
	loom_show_many(tree->nodes, "node", "nodes", out);
	loom_buf_adds(out, between);
	loom_show_many(loom_tree_branches(tree), "branch", "branches", out);
}

static void draw_summary(const struct loom_show *show, const struct loom_tree *tree,
			 struct loom_buf *out)
{
	loom_buf_addc(out, '\n');
	add_counts(tree, " · ", out);
	loom_buf_adds(out, " · ");
	loom_show_many(tree->leaves, "leaf", "leaves", out);
	if (tree->summary.n)
		loom_buf_addf(out, "\nMain themes: %.*s",
			      LOOM_STR_ARG(loom_shown_label(show->arena, tree->summary)));
	loom_buf_adds(out, "\nLast active: ");
	loom_show_ago(show, tree->active, out);
}

/* The beginnings of a tree that has several. */
static enum loom_status add_roots(struct drawing *drawing, const struct loom_tree *tree)
{
	const struct loom_page page = {.kind = LOOM_CONTINUATION,
				       .thread = drawing->opts->thread,
				       .limit = ROOTS_SHOWN};
	const int64_t top = loom_top(tree->id);
	struct loom_show *show = drawing->show;
	struct loom_nodes roots;
	int64_t all = 0;
	size_t column = 0;
	enum loom_status status =
		loom_node_count(show->store, top, LOOM_CONTINUATION, &all, drawing->err);

	if (status != LOOM_OK || all < 2)
		return status;
	status = loom_node_children(show->store, top, &page, show->arena, &roots, drawing->err);
	loom_buf_adds(drawing->out, "\n\nIt begins with");
	for (size_t i = 0; status == LOOM_OK && i < roots.count; i++) {
		loom_buf_adds(drawing->out, i ? ", " : " ");
		status = add_node(drawing, &roots.items[i], &column);
	}
	if (all > (int64_t)ROOTS_SHOWN)
		loom_buf_addf(drawing->out, " and %lld more", (long long)(all - ROOTS_SHOWN));
	return status;
}

static enum loom_status draw_nodes(struct drawing *drawing, const struct loom_tree *tree)
{
	const struct loom_draw_opts *opts = drawing->opts;
	struct loom_show *show = drawing->show;
	struct loom_node from;
	struct loom_node star;
	int64_t begin = opts->from ? opts->from : opts->position ? opts->position : tree->root;
	enum loom_status status = loom_node_get(show->store, begin, LOOM_NODE_NARROW, show->arena,
						&from, drawing->err);

	if (status == LOOM_OK && opts->position) {
		status = loom_node_get(show->store, opts->position, LOOM_NODE_NARROW, show->arena,
				       &star, drawing->err);
		drawing->star = status == LOOM_OK ? star.group : 0;
	}
	if (status == LOOM_OK)
		status = draw_from(drawing, &from);
	if (status == LOOM_OK && !opts->from)
		status = add_roots(drawing, tree);
	if (status == LOOM_OK && drawing->starred)
		loom_buf_adds(drawing->out, "\n\n* = current position");
	return status;
}

enum loom_status loom_draw_tree(struct loom_show *show, const struct loom_draw_opts *opts,
				struct loom_buf *out, struct loom_err *err)
{
	struct drawing drawing = {.show = show,
				  .opts = opts,
				  .out = out,
				  .err = err,
				  .prefix = LOOM_BUF_INIT(1 << 20)};
	struct loom_tree tree;
	enum loom_status status = loom_tree_get(show->store, opts->tree, show->arena, &tree, err);

	if (status != LOOM_OK)
		return status;
	drawing.title = tree.title;
	loom_buf_adds(out, LOOM_SAYS_TREE "\"");
	loom_shown_line(out, tree.title, 0);
	loom_buf_addc(out, '"');
	if (opts->summary) {
		draw_summary(show, &tree, out);
		return LOOM_OK;
	}
	loom_buf_adds(out, " (");
	add_counts(&tree, ", ", out);
	loom_buf_addc(out, ')');
	status = draw_nodes(&drawing, &tree);
	loom_buf_fini(&drawing.prefix);
	return status;
}
