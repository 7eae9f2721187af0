/* A filtered outline: only the matching rows and their ancestors are shown. Invariants as in
 * outline.c; every item is OPEN, as there is nothing to load below it. */
#include <loom/parts/outline.h>

void tui_outline_filter(struct tui_outline *outline, const struct tui_outline_row *rows,
			size_t count)
{
	uint32_t after = 0;

	if (!outline->filtered)
		tui_outline_keep(outline);
	outline->later_count = 0;
	tui_items_clear(outline->items);
	for (size_t i = 0; i < count; i++)
		after = tui_items_insert(outline->items, after,
					 (struct tui_item){
						 .key = (uint64_t)rows[i].group,
						 .extra = (uint64_t)rows[i].ord,
						 .weight = 1,
						 .depth = rows[i].depth,
						 .flags = rows[i].indent << TUI_OUTLINE_FLAGS |
							  rows[i].flags | TUI_OUTLINE_OPEN,
					 });
	outline->filtered = true;
}

/* The nearest ancestor that has a row; the root always has one. */
static enum loom_status row_above(struct tui_outline *outline, const struct loom_node *node,
				  uint32_t *out, struct loom_err *err)
{
	int64_t depth = node->depth;
	enum loom_status status = LOOM_OK;

	*out = 0;
	while (status == LOOM_OK && !*out && depth-- > outline->root_depth) {
		int64_t group = 0;

		status = loom_node_ancestor(outline->store, node->group, depth, &group, err);
		*out = tui_items_find(outline->items, (uint64_t)group);
	}
	return status;
}

static uint32_t last_below(const struct tui_outline *outline, uint32_t item)
{
	uint32_t after;

	tui_items_unfold(outline->items, item);
	after = tui_items_after(outline->items, item);
	return after ? tui_items_prev(outline->items, after)
		     : tui_items_at(outline->items, tui_items_rows(outline->items) - 1, NULL);
}

/* A row below `above` that descends from this node, which has no row itself; 0 for none. */
static uint32_t row_below(struct tui_outline *outline, const struct loom_node *node, uint32_t above)
{
	const struct tui_items *items = outline->items;
	uint32_t end = tui_items_after(items, above);
	uint32_t item = tui_items_next(items, above);

	for (; item && item != end; item = tui_items_after(items, item)) {
		const int64_t below = (int64_t)tui_items_get(items, item)->key;
		int64_t group = 0;

		if (loom_node_ancestor(outline->store, below, node->depth, &group, NULL) ==
			    LOOM_OK &&
		    group == node->group)
			return item;
	}
	return 0;
}

/* Inserts a row in the place of its descendants, which move below it. */
static uint32_t insert_above(struct tui_outline *outline, struct tui_item row, uint32_t item)
{
	struct tui_item below = *tui_items_get(outline->items, item);
	uint32_t made;

	row.flags = TUI_OUTLINE_OPEN | TUI_OUTLINE_BESIDE | (below.flags & TUI_OUTLINE_BRANCH) |
		    tui_outline_indent(&below) << TUI_OUTLINE_FLAGS;
	made = tui_items_insert(outline->items, tui_items_prev(outline->items, item), row);
	below.flags &= ~(uint32_t)TUI_OUTLINE_BRANCH;
	tui_items_set(outline->items, tui_items_find(outline->items, below.key), below);
	return made;
}

enum loom_status tui_outline_beside(struct tui_outline *outline, int64_t group, uint32_t *out_item,
				    struct loom_err *err)
{
	struct loom_node node;
	struct tui_item row = {.key = (uint64_t)group, .weight = 1};
	uint32_t above = 0;
	uint32_t below;
	uint32_t indent;
	enum loom_status status =
		loom_node_get(outline->store, group, LOOM_NODE_NARROW, outline->arena, &node, err);

	if (status == LOOM_OK)
		status = row_above(outline, &node, &above, err);
	if (status != LOOM_OK)
		return status;
	if (!above)
		return loom_fail(err, LOOM_NOT_FOUND, "it is outside the part shown");
	row.extra = (uint64_t)node.ord;
	row.depth = (uint32_t)(node.depth - outline->root_depth);
	below = row_below(outline, &node, above);
	if (below) {
		*out_item = insert_above(outline, row, below);
		return LOOM_OK;
	}
	indent = tui_outline_indent(tui_items_get(outline->items, above)) + 1;
	row.flags = indent << TUI_OUTLINE_FLAGS | TUI_OUTLINE_OPEN | TUI_OUTLINE_BRANCH |
		    TUI_OUTLINE_BESIDE;
	*out_item = tui_items_insert(outline->items, last_below(outline, above), row);
	return LOOM_OK;
}
