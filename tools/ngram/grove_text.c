/* Selects the texts that the embedded model learns from, in an order that depends only on the
 * grove's state. Looks only at the newest nodes, however large the grove is. */
#include <loom/ngram/grove_text.h>

#include <loom/tree/node.h>

#define SLICE   256
#define NUMBERS 8192 /* how many of the newest nodes are considered */

static void add_slice(struct loom_store *store, int64_t tree, int64_t after, size_t end,
		      struct loom_buf *out)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_nodes nodes = {NULL, 0};
	struct loom_node node;
	bool more = false;

	if (loom_node_since(store,
			    &(struct loom_since){.tree = tree, .after = after, .limit = SLICE},
			    arena, &nodes, &more, NULL) != LOOM_OK)
		nodes.count = 0;
	for (size_t i = 0; i < nodes.count && out->n < end; i++) {
		if (nodes.items[i].kind != LOOM_CONTINUATION ||
		    loom_node_get(store, nodes.items[i].id, LOOM_NODE_TEXT, arena, &node, NULL) !=
			    LOOM_OK)
			continue;
		loom_buf_add(out, node.text);
		loom_buf_addc(out, '\n');
	}
	loom_arena_destroy(arena);
}

void loom_grove_text(struct loom_store *store, size_t max, struct loom_buf *out)
{
	const size_t end = out->n + max;
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree *trees = NULL;
	int64_t newest = 0;
	size_t count = 0;

	if (loom_tree_list(store, arena, &trees, &count, NULL) != LOOM_OK ||
	    loom_node_newest(store, &newest, NULL) != LOOM_OK)
		count = 0;
	for (size_t i = 0; i < count && i < 16 && out->n < end; i++)
		for (int64_t after = newest > NUMBERS ? newest - NUMBERS : 0;
		     after < newest && out->n < end; after += SLICE)
			add_slice(store, trees[i].id, after, end, out);
	loom_arena_destroy(arena);
}
