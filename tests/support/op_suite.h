/* A grove with one tree, and short forms for the tests of operations. */
#ifndef LOOM_TESTS_SUPPORT_OP_SUITE_H
#define LOOM_TESTS_SUPPORT_OP_SUITE_H

#include "support/grove.h"

static struct grove g;
static int64_t tree;
static int64_t root;

static inline void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	root = grove_root(&g, tree);
}

static inline void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

static inline struct loom_op_id id_of(unsigned char last)
{
	struct loom_op_id id = {{0xAB}};

	id.bytes[15] = last;
	return id;
}

static inline int64_t add_node(struct loom_store *store, int64_t from, const char *text)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node_spec spec = {.from = from,
				      .text = loom_str_of(text),
				      .author = g.owner,
				      .seq = -1};
	int64_t node = 0;

	grove_must(loom_node_create(store, &spec, &node, &err), &err, "node");
	return node;
}

static inline struct loom_op op_of(int64_t op)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_op row;

	grove_must(loom_op_get(g.store, op, g.arena, &row, &err), &err, "op");
	return row;
}

static inline int64_t last_event(struct loom_store *store)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t seq = 0;

	grove_must(loom_events_last(store, &seq, &err), &err, "events");
	return seq;
}

static inline int64_t nodes_in_tree(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_tree row;

	grove_must(loom_tree_get(g.store, tree, g.arena, &row, &err), &err, "tree");
	return row.nodes;
}

#endif
