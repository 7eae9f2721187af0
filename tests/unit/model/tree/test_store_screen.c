/* What a screen asks of the store. */
#include <greatest.h>

#include "support/grove.h"

TEST a_chain_ends_at_a_fork_a_leaf_or_the_limit(void)
{
	struct grove grove;
	struct loom_err err;
	int64_t last;
	int64_t steps;
	int64_t root;
	int64_t tip;

	grove_init(&grove);
	root = grove_root(&grove, grove_tree(&grove, LOOM_DIALOGUE, "root"));
	tip = root;
	for (int i = 0; i < 20; i++)
		tip = grove_node(&grove, tip, "step");
	ASSERT_EQ(LOOM_OK, loom_node_chain(grove.store, root, 100, &last, &steps, &err));
	ASSERT_EQ(tip, last);
	ASSERT_EQ(20, steps);
	ASSERT_EQ(LOOM_OK, loom_node_chain(grove.store, root, 7, &last, &steps, &err));
	ASSERT_EQ(7, steps);
	ASSERT_EQ(7, grove_get(&grove, last).depth);
	grove_node(&grove, tip, "one");
	grove_prune(&grove, grove_node(&grove, tip, "two"));
	ASSERT_EQ(LOOM_OK, loom_node_chain(grove.store, root, 100, &last, &steps, &err));
	ASSERT_EQ(21, steps); /* a pruned sibling makes no fork */
	grove_node(&grove, tip, "three");
	ASSERT_EQ(LOOM_OK, loom_node_chain(grove.store, root, 100, &last, &steps, &err));
	ASSERT_EQ(tip, last);
	grove_fini(&grove);
	PASS();
}

TEST what_came_lately_is_read_by_number(void)
{
	struct grove grove;
	struct loom_err err;
	struct loom_nodes nodes;
	int64_t newest;
	int64_t tree;
	int64_t other;
	int64_t scanned;
	bool more;

	grove_init(&grove);
	tree = grove_tree(&grove, LOOM_DIALOGUE, "root");
	other = grove_tree(&grove, LOOM_DIALOGUE, "other");
	ASSERT_EQ(LOOM_OK, loom_node_newest(grove.store, &newest, &err));
	grove_node(&grove, grove_root(&grove, tree), "a");
	grove_node(&grove, grove_root(&grove, other), "b");
	grove_node(&grove, grove_root(&grove, tree), "c");
	scanned = loom_store_rows_scanned(grove.store);
	ASSERT_EQ(LOOM_OK,
		  loom_node_since(grove.store,
				  &(struct loom_since){.tree = tree, .after = newest, .limit = 100},
				  grove.arena, &nodes, &more, &err));
	ASSERT_EQ(2, nodes.count);
	ASSERT_FALSE(more);
	ASSERT_EQ(LOOM_OK,
		  loom_node_since(grove.store,
				  &(struct loom_since){.tree = tree, .after = newest, .limit = 2},
				  grove.arena, &nodes, &more, &err));
	ASSERT_EQ(1, nodes.count);
	ASSERT(more);
	ASSERT_EQ(scanned, loom_store_rows_scanned(grove.store));
	grove_fini(&grove);
	PASS();
}

SUITE(store_screen)
{
	RUN_TEST(a_chain_ends_at_a_fork_a_leaf_or_the_limit);
	RUN_TEST(what_came_lately_is_read_by_number);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(store_screen);
	GREATEST_MAIN_END();
}
