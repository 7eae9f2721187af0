/* The first trees: what their texts say leads where they say, also beside an older copy. */
#include <loom/tree/node.h>
#include <loom/cli/welcome.h>

#include "greatest.h"
#include "support/grove.h"

/* How many nodes of a tree say this. */
static size_t say(struct grove *grove, const struct loom_tree *tree, const char *what)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_nodes nodes = {NULL, 0};
	struct loom_err err;
	bool more = false;
	size_t count = 0;

	grove_must(loom_node_since(grove->store,
				   &(struct loom_since){.tree = tree->id, .limit = 1000}, arena,
				   &nodes, &more, &err),
		   &err, "nodes");
	for (size_t i = 0; i < nodes.count; i++) {
		struct loom_node node;

		grove_must(loom_node_get(grove->store, nodes.items[i].id, LOOM_NODE_TEXT, arena,
					 &node, &err),
			   &err, "text");
		count += loom_str_find(node.text, loom_str_of(what), 0) != SIZE_MAX;
	}
	loom_arena_destroy(arena);
	return count;
}

static struct loom_tree find(struct grove *grove, const char *title, struct loom_arena *arena)
{
	struct loom_tree tree = {.id = 0};
	struct loom_err err;

	grove_must(loom_tree_find(grove->store, loom_str_of(title), arena, &tree, &err), &err,
		   title);
	return tree;
}

TEST each_copy_names_its_own_trees(void)
{
	struct grove grove;
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree tree;
	struct loom_err err;
	int64_t made = 0;

	grove_init(&grove);
	for (int i = 0; i < 3; i++)
		grove_must(loom_welcome_make(grove.store, grove.owner, &made, &err), &err, "make");
	tree = find(&grove, "Welcome", arena);
	ASSERT_EQ(1, say(&grove, &tree, ":use \"A page of prose\"`"));
	ASSERT_EQ(1, say(&grove, &tree, ":use \"Welcome\"`"));
	tree = find(&grove, "A page of prose", arena);
	ASSERT_EQ(1, say(&grove, &tree, ":use \"Welcome\" "));
	tree = find(&grove, "Welcome 3", arena);
	ASSERT_EQ(made, tree.id);
	ASSERT_EQ(1, say(&grove, &tree, ":use \"A page of prose 3\"`"));
	ASSERT_EQ(0, say(&grove, &tree, "@"));
	tree = find(&grove, "A page of prose 3", arena);
	ASSERT_EQ(1, say(&grove, &tree, ":use \"Welcome 3\" "));
	loom_arena_destroy(arena);
	grove_fini(&grove);
	PASS();
}

TEST the_guide_is_one_operation(void)
{
	struct grove grove;
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree tree;
	struct loom_err err;
	int64_t made = 0;
	int64_t op = 0;

	grove_init(&grove);
	grove_must(loom_welcome_make(grove.store, grove.owner, &made, &err), &err, "make");
	grove_must(loom_op_undo(grove.store, grove.owner, 0, &op, &err), &err, "undo");
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_tree_find(grove.store, LOOM_STR("Welcome"), arena, &tree, &err));
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_tree_find(grove.store, LOOM_STR("A page of prose"), arena, &tree, &err));
	loom_arena_destroy(arena);
	grove_fini(&grove);
	PASS();
}

SUITE(welcome)
{
	RUN_TEST(each_copy_names_its_own_trees);
	RUN_TEST(the_guide_is_one_operation);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(welcome);
	GREATEST_MAIN_END();
}
