/* Opening and closing. Invariants: an item's depth is its node's depth below the root, so its
 * descendants are the deeper items that follow it; the row after a chain's is the node after the
 * chain's last one; an item is OPEN once its children are loaded. */
#include <loom/parts/outline.h>

#define RUN_KEY      (UINT64_C(1) << 62)
#define CHAIN_KEY    (UINT64_C(1) << 61)
#define REVEALED     32 /* nodes of a chain revealed at once */
#define BEFORE_CHILD 16 /* siblings loaded before the requested one */

void tui_outline_init(struct tui_outline *outline, struct loom_store *store)
{
	*outline = (struct tui_outline){.store = store};
	outline->arena = loom_arena_create();
	outline->items = tui_items_create();
}

void tui_outline_fini(struct tui_outline *outline)
{
	tui_items_destroy(outline->items);
	loom_arena_destroy(outline->arena);
	free(outline->later);
	free(outline->kept);
	free(outline->outside);
	*outline = (struct tui_outline){.items = NULL};
}

static bool is_node(const struct tui_item *item)
{
	return !(item->flags & (TUI_OUTLINE_RUN | TUI_OUTLINE_CHAIN | TUI_OUTLINE_GHOST));
}

int64_t tui_outline_group(const struct tui_outline *outline, uint32_t item)
{
	const struct tui_item *what = item ? tui_items_get(outline->items, item) : NULL;

	return what && is_node(what) ? (int64_t)what->key : 0;
}

uint32_t tui_outline_indent(const struct tui_item *item)
{
	return item->flags >> TUI_OUTLINE_FLAGS;
}

static uint32_t flags_of(uint32_t indent, uint32_t flags)
{
	return indent << TUI_OUTLINE_FLAGS | flags;
}

static struct tui_item node_item(const struct tui_outline *outline, const struct loom_node *node,
				 uint32_t indent, uint32_t flags)
{
	return (struct tui_item){
		.key = (uint64_t)node->group,
		.extra = (uint64_t)node->ord,
		.weight = 1,
		.depth = (uint32_t)(node->depth - outline->root_depth),
		.flags = flags_of(indent, flags),
	};
}

static void set_flag(struct tui_outline *outline, uint32_t handle, uint32_t flag)
{
	struct tui_item item = *tui_items_get(outline->items, handle);

	item.flags |= flag;
	tui_items_set(outline->items, handle, item);
}

static uint32_t threshold(const struct tui_outline *outline)
{
	return outline->map ? 0 : TUI_CHAIN_MAX;
}

/* --- children in pages --- */

static uint32_t insert_run(struct tui_outline *outline, uint32_t after, const struct tui_item *like,
			   uint64_t parent, int64_t from, int64_t rows)
{
	struct tui_item run = {
		.key = parent | RUN_KEY,
		.extra = (uint64_t)from,
		.weight = rows > INT32_MAX ? INT32_MAX : (uint32_t)rows,
		.depth = like->depth,
		.flags = flags_of(tui_outline_indent(like), TUI_OUTLINE_RUN),
	};

	return rows > 0 ? tui_items_insert(outline->items, after, run) : after;
}

static enum loom_status read_page(struct tui_outline *outline, int64_t parent, int64_t after,
				  struct loom_nodes *out, struct loom_err *err)
{
	struct loom_page page = {
		.kind = LOOM_CONTINUATION,
		.after = after,
		.limit = TUI_PAGE,
		.pruned_too = outline->pruned_too,
	};

	return loom_node_children(outline->store, parent, &page, outline->arena, out, err);
}

static uint32_t insert_nodes(struct tui_outline *outline, uint32_t after,
			     const struct loom_nodes *nodes, uint32_t indent, uint32_t flags)
{
	for (size_t i = 0; i < nodes->count; i++)
		after = tui_items_insert(outline->items, after,
					 node_item(outline, &nodes->items[i], indent, flags));
	return after;
}

/* Loads the children of a fork: a page around ordinal `want`, runs for the rest. */
static enum loom_status open_fork(struct tui_outline *outline, uint32_t handle, int64_t children,
				  int64_t want, struct loom_err *err)
{
	struct tui_item parent = *tui_items_get(outline->items, handle);
	struct tui_item like = parent;
	int64_t from = want > TUI_PAGE - BEFORE_CHILD ? want - BEFORE_CHILD - 1 : 0;
	struct loom_nodes nodes;
	uint32_t last = handle;
	enum loom_status status = read_page(outline, (int64_t)parent.key, from, &nodes, err);

	if (status != LOOM_OK)
		return status;
	like.depth++;
	like.flags = flags_of(tui_outline_indent(&parent) + 1, 0);
	if (from > children)
		from = children;
	last = insert_run(outline, last, &like, parent.key, 0, from);
	last = insert_nodes(outline, last, &nodes, tui_outline_indent(&like), TUI_OUTLINE_BRANCH);
	if (nodes.count == TUI_PAGE)
		insert_run(outline, last, &like, parent.key, nodes.items[nodes.count - 1].ord,
			   children - from - TUI_PAGE);
	set_flag(outline, handle, TUI_OUTLINE_OPEN);
	return LOOM_OK;
}

/* The number of nodes that come before the next loaded sibling. */
static size_t before_next(const struct tui_outline *outline, uint32_t run,
			  const struct loom_nodes *nodes)
{
	const struct tui_item *here = tui_items_get(outline->items, run);
	uint32_t next = tui_items_next(outline->items, run);
	const struct tui_item *item = next ? tui_items_get(outline->items, next) : NULL;
	size_t n = nodes->count;

	if (item && is_node(item) && item->depth == here->depth)
		while (n > 0 && nodes->items[n - 1].ord >= (int64_t)item->extra)
			n--;
	return n;
}

/* Loads part of a run that is to be drawn: the page around its row `offset` becomes nodes. */
static enum loom_status load_run(struct tui_outline *outline, uint32_t handle, uint64_t offset,
				 struct loom_err *err)
{
	struct tui_item run = *tui_items_get(outline->items, handle);
	uint32_t skip = offset > BEFORE_CHILD ? (uint32_t)offset - BEFORE_CHILD : 0;
	struct loom_nodes nodes;
	uint32_t last, rows;
	size_t got;
	enum loom_status status;

	if (run.weight <= TUI_PAGE)
		skip = 0;
	rows = run.weight - skip < TUI_PAGE ? run.weight - skip : TUI_PAGE;
	status = read_page(outline, (int64_t)(run.key & TUI_OUTLINE_NODE),
			   (int64_t)(run.extra + skip), &nodes, err);
	if (status != LOOM_OK)
		return status;
	got = nodes.count;
	nodes.count = before_next(outline, handle, &nodes);
	nodes.count = nodes.count > rows ? rows : nodes.count;
	last = tui_items_split(outline->items, handle, skip, rows);
	last = insert_nodes(outline, last, &nodes, tui_outline_indent(&run), TUI_OUTLINE_BRANCH);
	last = tui_items_next(outline->items, last);
	if (!last || tui_items_get(outline->items, last)->key != run.key)
		return LOOM_OK;
	if (got < TUI_PAGE || nodes.count == 0) {
		tui_items_remove(outline->items, last);
		return LOOM_OK;
	}
	run.weight = tui_items_get(outline->items, last)->weight;
	run.extra = (uint64_t)nodes.items[nodes.count - 1].ord;
	tui_items_set(outline->items, last, run);
	return LOOM_OK;
}

enum loom_status tui_outline_fill(struct tui_outline *outline, uint64_t row, uint64_t count,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_arena_reset(outline->arena);
	for (uint64_t i = 0; i < count && status == LOOM_OK; i++) {
		uint64_t offset = 0;
		uint32_t handle = tui_items_at(outline->items, row + i, &offset);

		if (!handle)
			break;
		if (tui_items_get(outline->items, handle)->flags & TUI_OUTLINE_RUN)
			status = load_run(outline, handle, offset, err);
	}
	return status;
}

/* --- chains --- */

/* Inserts the nodes of one chain, top first, after `after`. A long chain becomes a single row, but
 * the last `tail` nodes are always shown. */
static uint32_t insert_chain(struct tui_outline *outline, uint32_t after,
			     const struct loom_nodes *nodes, size_t tail)
{
	struct tui_item above = *tui_items_get(outline->items, after);
	uint32_t indent = tui_outline_indent(&above);
	size_t hidden = nodes->count > threshold(outline) + tail ? nodes->count - tail : 0;

	set_flag(outline, after, TUI_OUTLINE_OPEN);
	if (hidden > 0) {
		struct tui_item chain = {
			.key = above.key | CHAIN_KEY,
			.extra = hidden,
			.weight = 1,
			.depth = above.depth + 1,
			.flags = flags_of(indent, TUI_OUTLINE_CHAIN),
		};
		after = tui_items_insert(outline->items, after, chain);
	}
	for (size_t i = hidden; i < nodes->count; i++) {
		uint32_t open = i + 1 < nodes->count ? TUI_OUTLINE_OPEN : 0;
		after = tui_items_insert(outline->items, after,
					 node_item(outline, &nodes->items[i], indent, open));
	}
	return after;
}

/* Inserts a row for nodes between two shown ones that were not looked at. */
static uint32_t insert_gap(struct tui_outline *outline, uint32_t after, int64_t count)
{
	struct tui_item above = *tui_items_get(outline->items, after);
	struct tui_item gap = {
		.key = above.key | CHAIN_KEY,
		.extra = (uint64_t)count,
		.weight = 1,
		.depth = above.depth + 1,
		.flags = flags_of(tui_outline_indent(&above), TUI_OUTLINE_CHAIN | TUI_OUTLINE_GAP),
	};

	if (count <= 0)
		return after;
	set_flag(outline, after, TUI_OUTLINE_OPEN);
	return tui_items_insert(outline->items, after, gap);
}

/* Opens a node with one child: down to the next fork or leaf. */
static enum loom_status open_chain(struct tui_outline *outline, uint32_t handle,
				   struct loom_err *err)
{
	int64_t group = tui_outline_group(outline, handle);
	struct loom_nodes nodes = {NULL, 0};
	int64_t last = 0;
	int64_t steps = 0;
	enum loom_status status =
		loom_node_chain(outline->store, group, TUI_CHAIN_LOOK, &last, &steps, err);
	bool whole = steps <= threshold(outline) + 1;

	if (status != LOOM_OK || steps == 0)
		return status;
	status = loom_node_path_end(outline->store,
				    &(struct loom_path_end){.tip = last,
							    .limit = whole ? (size_t)steps : 1,
							    .parts = LOOM_NODE_NARROW},
				    outline->arena, &nodes, err);
	if (status != LOOM_OK)
		return status;
	if (!whole) {
		uint32_t chain = insert_gap(outline, handle, steps - 1);
		struct tui_item item = *tui_items_get(outline->items, chain);

		item.flags &= ~(uint32_t)TUI_OUTLINE_GAP;
		tui_items_set(outline->items, chain, item);
		tui_items_insert(outline->items, chain,
				 node_item(outline, &nodes.items[0], tui_outline_indent(&item), 0));
		return LOOM_OK;
	}
	insert_chain(outline, handle, &nodes, 1);
	return LOOM_OK;
}

/* Splits a chain without forks: its nodes from `depth` on become rows. */
static enum loom_status split_chain(struct tui_outline *outline, uint32_t chain, uint32_t depth,
				    uint32_t count, struct loom_err *err)
{
	struct tui_item item = *tui_items_get(outline->items, chain);
	uint32_t below = tui_items_next(outline->items, chain);
	uint32_t end = item.depth + (uint32_t)item.extra;
	struct loom_nodes nodes;
	int64_t tip = 0;
	enum loom_status status;

	if (!below)
		return LOOM_OK;
	if (depth <= item.depth + 1) /* a single remaining node is shown */
		depth = item.depth;
	count = depth + count + 1 >= end ? end - depth : count;
	status = loom_node_ancestor(outline->store, tui_outline_group(outline, below),
				    outline->root_depth + depth + count - 1, &tip, err);
	if (status == LOOM_OK)
		status = loom_node_path_end(outline->store,
					    &(struct loom_path_end){.tip = tip,
								    .limit = count,
								    .parts = LOOM_NODE_NARROW},
					    outline->arena, &nodes, err);
	if (status != LOOM_OK)
		return status;
	item.extra = depth - item.depth;
	tui_items_set(outline->items, chain, item);
	below = insert_nodes(outline, chain, &nodes, tui_outline_indent(&item), TUI_OUTLINE_OPEN);
	if (depth + count < end) {
		struct tui_item rest = item;
		rest.key = (uint64_t)nodes.items[nodes.count - 1].group | CHAIN_KEY;
		rest.depth = depth + count;
		rest.extra = end - rest.depth;
		tui_items_insert(outline->items, below, rest);
	}
	if (item.extra == 0)
		tui_items_remove(outline->items, chain);
	return LOOM_OK;
}

/* --- opening --- */

static enum loom_status open_node(struct tui_outline *outline, uint32_t handle, int64_t want,
				  struct loom_err *err)
{
	struct tui_item item = *tui_items_get(outline->items, handle);
	struct loom_nodes pruned = {NULL, 0};
	struct loom_node node;
	enum loom_status status;

	if (item.flags & TUI_OUTLINE_OPEN)
		return LOOM_OK;
	status = loom_node_get(outline->store, (int64_t)item.key, LOOM_NODE_NARROW, outline->arena,
			       &node, err);
	if (status == LOOM_OK && outline->pruned_too)
		status = read_page(outline, (int64_t)item.key, 0, &pruned, err);
	if (status != LOOM_OK)
		return status;
	if (node.children > 1 || pruned.count > 1)
		return open_fork(outline, handle, node.children, want, err);
	/* Pruned nodes may hang on any step of a chain, so take it step by step. */
	if (node.children == 1 && !outline->pruned_too)
		return open_chain(outline, handle, err);
	if (pruned.count == 1)
		insert_nodes(outline, handle, &pruned, tui_outline_indent(&item), 0);
	set_flag(outline, handle, TUI_OUTLINE_OPEN);
	return LOOM_OK;
}

static enum loom_status reveal(struct tui_outline *outline, uint32_t chain, struct loom_err *err)
{
	struct tui_item item = *tui_items_get(outline->items, chain);
	uint32_t below = tui_items_next(outline->items, chain);
	int64_t group = 0;
	uint32_t shown = 0;
	enum loom_status status;

	if (!(item.flags & TUI_OUTLINE_GAP))
		return split_chain(outline, chain, item.depth, REVEALED, err);
	if (!below)
		return LOOM_OK;
	/* It may contain forks: open the path to a node within its first part. */
	status = loom_node_ancestor(outline->store, tui_outline_group(outline, below),
				    outline->root_depth + item.depth + REVEALED, &group, err);
	if (status != LOOM_OK || item.extra <= REVEALED)
		group = tui_outline_group(outline, below);
	status = tui_outline_reset(outline, outline->root, err);
	return status == LOOM_OK ? tui_outline_show(outline, group, &shown, err) : status;
}

enum loom_status tui_outline_open(struct tui_outline *outline, uint32_t item, struct loom_err *err)
{
	loom_arena_reset(outline->arena);
	if (tui_items_folded(outline->items, item)) {
		tui_items_unfold(outline->items, item);
		return LOOM_OK;
	}
	if (tui_items_get(outline->items, item)->flags & TUI_OUTLINE_CHAIN)
		return reveal(outline, item, err);
	return tui_outline_group(outline, item) ? open_node(outline, item, 0, err) : LOOM_OK;
}

uint32_t tui_outline_ghost(struct tui_outline *outline, int64_t parent, uint64_t key)
{
	uint32_t handle = tui_items_find(outline->items, (uint64_t)parent);
	uint32_t after;
	struct tui_item item;
	struct tui_item ghost = {.key = key, .weight = 1};

	if (!handle || !tui_items_shown(outline->items, handle) ||
	    open_node(outline, handle, 0, NULL) != LOOM_OK)
		return 0;
	tui_items_unfold(outline->items, handle);
	set_flag(outline, handle, TUI_OUTLINE_OPEN);
	item = *tui_items_get(outline->items, handle);
	after = tui_items_after(outline->items, handle);
	after = after ? tui_items_prev(outline->items, after)
		      : tui_items_at(outline->items, tui_items_rows(outline->items) - 1, NULL);
	ghost.depth = item.depth + 1;
	ghost.flags =
		flags_of(tui_outline_indent(&item) + 1, TUI_OUTLINE_GHOST | TUI_OUTLINE_BRANCH);
	return tui_items_insert(outline->items, after, ghost);
}

void tui_outline_close(struct tui_outline *outline, uint32_t item)
{
	if (tui_outline_group(outline, item))
		tui_items_fold(outline->items, item);
}

void tui_outline_clear(struct tui_outline *outline)
{
	tui_items_clear(outline->items);
	outline->filtered = false;
	outline->later_count = 0;
	outline->root = outline->root_depth = 0;
}

/* The roots of a tree from its first one on, all of them: they have no row above. */
static enum loom_status insert_roots(struct tui_outline *outline, const struct loom_node *first,
				     struct loom_err *err)
{
	uint32_t last = tui_items_at(outline->items, 0, NULL);
	int64_t after = first->ord;
	struct loom_nodes nodes = {NULL, TUI_PAGE};
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && nodes.count == TUI_PAGE) {
		status = read_page(outline, loom_top(first->tree), after, &nodes, err);
		if (status != LOOM_OK || !nodes.count)
			break;
		last = insert_nodes(outline, last, &nodes, 0, 0);
		after = nodes.items[nodes.count - 1].ord;
	}
	return status;
}

/* Whether the node is the first root of its tree that is shown: then the others stand beside it. */
static bool is_first(struct tui_outline *outline, const struct loom_node *node)
{
	int64_t k = 0;
	int64_t n = 0;

	return !node->parent && loom_node_place(outline->store, node, &k, &n, NULL) == LOOM_OK &&
	       k == 1 && n > 1;
}

enum loom_status tui_outline_reset(struct tui_outline *outline, int64_t root, struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status =
		loom_node_get(outline->store, root, LOOM_NODE_NARROW, outline->arena, &node, err);

	if (status != LOOM_OK)
		return status;
	tui_outline_clear(outline);
	outline->root = node.group;
	outline->root_depth = node.depth;
	tui_items_insert(outline->items, 0, node_item(outline, &node, 0, 0));
	return is_first(outline, &node) ? insert_roots(outline, &node, err) : LOOM_OK;
}

/* --- the way to a node --- */

static void unfold_to(struct tui_outline *outline, uint32_t handle)
{
	while (!tui_items_shown(outline->items, handle)) {
		uint32_t folded =
			tui_items_at(outline->items, tui_items_row(outline->items, handle), NULL);
		tui_items_unfold(outline->items, folded);
		if (!folded)
			break;
	}
}

/* Finds the item that everything above a node hangs on: its root's, or the hoisted node's. */
static enum loom_status topmost(struct tui_outline *outline, const struct loom_node *node,
				uint32_t *out, struct loom_err *err)
{
	int64_t group = 0;
	enum loom_status status =
		loom_node_ancestor(outline->store, node->group, outline->root_depth, &group, err);

	*out = status == LOOM_OK ? tui_items_find(outline->items, (uint64_t)group) : 0;
	return status != LOOM_OK || *out
		       ? status
		       : loom_fail(err, LOOM_NOT_FOUND, "it is outside the part shown");
}

/* Finds the deepest ancestor that has an item, by bisection: nodes are loaded from the top down. */
static enum loom_status loaded_above(struct tui_outline *outline, const struct loom_node *node,
				     uint32_t *out, struct loom_err *err)
{
	int64_t low = outline->root_depth;
	int64_t high = node->depth;
	enum loom_status status = topmost(outline, node, out, err);

	while (high - low > 1 && status == LOOM_OK) {
		int64_t middle = low + (high - low) / 2;
		int64_t group = 0;
		uint32_t found;

		status = loom_node_ancestor(outline->store, node->group, middle, &group, err);
		found = tui_items_find(outline->items, (uint64_t)group);
		if (found) {
			low = middle;
			*out = found;
		} else {
			high = middle;
		}
	}
	return status;
}

/* Loads a child of an open item: it is inside a run or a chain. */
static enum loom_status load_child(struct tui_outline *outline, uint32_t parent,
				   const struct loom_node *child, struct loom_err *err)
{
	uint32_t depth = tui_items_get(outline->items, parent)->depth + 1;
	uint32_t at = tui_items_next(outline->items, parent);

	for (; at; at = tui_items_after(outline->items, at)) {
		const struct tui_item *item = tui_items_get(outline->items, at);
		if (item->depth != depth)
			break;
		if (item->flags & TUI_OUTLINE_CHAIN)
			return split_chain(outline, at, depth, REVEALED, err);
		if ((item->flags & TUI_OUTLINE_RUN) && (int64_t)item->extra < child->ord &&
		    child->ord <= (int64_t)item->extra + item->weight)
			return load_run(outline, at,
					(uint64_t)(child->ord - (int64_t)item->extra - 1), err);
	}
	return LOOM_OK;
}

/* Takes one step down: makes `child` an item below `parent`. */
static enum loom_status step_down(struct tui_outline *outline, uint32_t parent,
				  const struct loom_node *child, uint32_t *out,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	unfold_to(outline, parent);
	tui_items_unfold(outline->items, parent);
	status = open_node(outline, parent, child->ord, err);
	*out = tui_items_find(outline->items, (uint64_t)child->group);
	if (status == LOOM_OK && !*out)
		status = load_child(outline, parent, child, err);
	*out = tui_items_find(outline->items, (uint64_t)child->group);
	return status;
}

/* How many nodes from `from` on are only children, so that the rest of their forks is empty. */
static size_t singles(const struct tui_outline *outline, const struct loom_nodes *nodes,
		      size_t from)
{
	size_t n = 0;

	if (outline->pruned_too)
		return 0;
	while (from + n < nodes->count && from + n > 0 && nodes->items[from + n - 1].children == 1)
		n++;
	return n;
}

/* Walks down from item `at` (nodes[from - 1]) to the last of `nodes`. */
static enum loom_status walk_down(struct tui_outline *outline, const struct loom_nodes *nodes,
				  size_t from, uint32_t at, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	while (from < nodes->count && at && status == LOOM_OK) {
		size_t n = singles(outline, nodes, from);
		bool fresh = !(tui_items_get(outline->items, at)->flags & TUI_OUTLINE_OPEN);

		if (n > 0 && fresh) {
			struct loom_nodes chain = {nodes->items + from, n};
			bool tip = from + n == nodes->count;
			at = insert_chain(outline, at, &chain, tip && n > 3 ? 3 : 1);
			from += n;
			continue;
		}
		status = step_down(outline, at, &nodes->items[from], &at, err);
		from++;
	}
	return status;
}

/* Finds where to start walking down: the last of `nodes` that has an item, or an ancestor of them
 * all. */
static enum loom_status way_begin(struct tui_outline *outline, const struct loom_nodes *nodes,
				  size_t *from, uint32_t *at, struct loom_err *err)
{
	enum loom_status status;

	for (*from = nodes->count; *from > 0; --*from) {
		*at = tui_items_find(outline->items, (uint64_t)nodes->items[*from - 1].group);
		if (*at)
			return LOOM_OK;
	}
	status = loaded_above(outline, &nodes->items[0], at, err);
	if (status != LOOM_OK)
		return status;
	if (tui_items_get(outline->items, *at)->flags & TUI_OUTLINE_OPEN) {
		/* Too far from anything open: start over. */
		status = tui_outline_reset(outline, outline->root, err);
		if (status == LOOM_OK)
			status = topmost(outline, &nodes->items[0], at, err);
	}
	if (status == LOOM_OK) {
		int64_t above = tui_items_get(outline->items, *at)->depth + outline->root_depth;
		int64_t hidden = nodes->items[0].depth - above - 1;
		uint32_t gap = insert_gap(outline, *at, hidden);

		if (hidden <= 0)
			return LOOM_OK;
		*at = tui_items_insert(outline->items, gap,
				       node_item(outline, &nodes->items[0], 0, 0));
		*from = 1;
	}
	return status;
}

enum loom_status tui_outline_show(struct tui_outline *outline, int64_t group, uint32_t *out_item,
				  struct loom_err *err)
{
	struct loom_nodes nodes = {NULL, 0};
	uint32_t at = tui_items_find(outline->items, (uint64_t)group);
	enum loom_status status = LOOM_OK;
	size_t from = 0;

	loom_arena_reset(outline->arena);
	if (!at && outline->filtered)
		return tui_outline_beside(outline, group, out_item, err);
	if (!at) {
		status = loom_node_path_end(outline->store,
					    &(struct loom_path_end){.tip = group,
								    .limit = TUI_PATH_LOOK,
								    .parts = LOOM_NODE_NARROW},
					    outline->arena, &nodes, err);
		if (status == LOOM_OK && nodes.items[nodes.count - 1].depth <= outline->root_depth)
			return loom_fail(err, LOOM_NOT_FOUND, "it is outside the part shown");
		while (status == LOOM_OK && nodes.items[0].depth < outline->root_depth) {
			nodes.items++;
			nodes.count--;
		}
		if (status == LOOM_OK)
			status = way_begin(outline, &nodes, &from, &at, err);
		if (status == LOOM_OK)
			status = walk_down(outline, &nodes, from, at, err);
		at = tui_items_find(outline->items, (uint64_t)group);
	}
	if (status == LOOM_OK && !at)
		return loom_fail(err, LOOM_NOT_FOUND, "the node is hidden");
	if (status == LOOM_OK)
		unfold_to(outline, at);
	*out_item = at;
	return status;
}

/* --- levels --- */

void tui_outline_level(struct tui_outline *outline, uint32_t indent, struct tui_levelling *out)
{
	uint32_t first = tui_items_at(outline->items, 0, NULL);

	*out = (struct tui_levelling){.indent = indent};
	if (first && !outline->filtered)
		out->next = tui_items_get(outline->items, first)->key;
}

enum loom_status tui_outline_level_on(struct tui_outline *outline, struct tui_levelling *at,
				      size_t most, struct loom_err *err)
{
	uint32_t item = at->next ? tui_items_find(outline->items, at->next) : 0;
	enum loom_status status = LOOM_OK;

	while (item && status == LOOM_OK && most-- > 0 && at->seen++ < TUI_REOPEN_MAX) {
		struct tui_item row = *tui_items_get(outline->items, item);

		if (is_node(&row) && tui_outline_indent(&row) >= at->indent)
			tui_items_fold(outline->items, item);
		else if (is_node(&row))
			status = tui_outline_open(outline, item, err);
		item = tui_items_next(outline->items, item);
	}
	at->next = item && status == LOOM_OK && at->seen < TUI_REOPEN_MAX
			   ? tui_items_get(outline->items, item)->key
			   : 0;
	return status;
}
