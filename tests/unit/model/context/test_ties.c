/* How many notes and links hang on each node of a path. */
#include "support/told.h"

static void link_nodes(int64_t from, int64_t to)
{
	struct loom_link link = {.kind = LOOM_LINK_NODE,
				 .author = g.owner,
				 .from = from,
				 .to_node = to};
	bool changed = false;
	int64_t made = 0;

	grove_begin(&g, "link");
	grove_must(loom_link_create(g.store, &link, &made, &changed, &err), &err, "link");
	grove_commit(&g);
}

/* Root, a, b with the notes and links that are expected on each. */
static bool ties_are(int64_t tip, const struct loom_ties expected[3])
{
	struct loom_nodes path;
	struct loom_ties *ties = NULL;

	grove_must(loom_node_path(g.store, tip, 0, LOOM_NODE_NARROW, g.arena, &path, &err), &err,
		   "path");
	grove_must(loom_node_ties(g.store, &path, g.arena, &ties, &err), &err, "ties");
	for (size_t i = 0; i < 3; i++)
		if (ties[i].notes != expected[i].notes || ties[i].links != expected[i].links)
			return false;
	return path.count == 3;
}

/* Few notes and links are gone through, many are asked for node by node. */
TEST ties_are_the_same_however_many_there_are_elsewhere(void)
{
	static const struct loom_ties expected[] = {{1, 1}, {2, 2}, {0, 2}};
	int64_t tree = grove_tree(&g, LOOM_BUFFER, "Begin.");
	int64_t root = grove_root(&g, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");
	int64_t other = grove_node(&g, root, "elsewhere");
	int64_t newer = 0;

	grove_note(&g, root, "one");
	grove_note(&g, a, "two");
	grove_note(&g, a, "three");
	link_nodes(root, a);
	link_nodes(a, b);
	link_nodes(b, b);
	ASSERT(ties_are(b, expected));
	grove_prune(&g, grove_note(&g, b, "no more"));
	newer = grove_edit(&g, a, "another a");
	link_nodes(newer, other);
	for (int i = 0; i < 4; i++) {
		grove_note(&g, other, "off the path");
		link_nodes(other, other);
	}
	ASSERT(ties_are(b, expected));
	PASS();
}

SUITE(ties)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(ties_are_the_same_however_many_there_are_elsewhere);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(ties);
	GREATEST_MAIN_END();
}
