/* Draws a tree as text, as `→ tree` prints it. */
#ifndef LOOM_DRAW_TREE_H
#define LOOM_DRAW_TREE_H

#include <loom/tree/say_node.h>

/* The tree to draw, and how much of it. */
struct loom_draw_opts {
	int64_t tree;
	int64_t position; /* the node marked with a star; 0: none */
	int64_t from;     /* draw what is below this node; 0: the path to the position, and below */
	int64_t thread;   /* whose choice of versions makes the path */
	int64_t depth;    /* levels below; 0: five */
	int64_t words;    /* of each node's text, behind its id; 0: none */
	bool summary;     /* a few lines about the tree instead */
	bool away;        /* not the reader's own tree: commands must name it */
};
/* Appends the drawing without a trailing line feed. Reads no more than it shows and counts deeper
 * nodes up to a thousand. Fails as the store does. */
enum loom_status loom_draw_tree(struct loom_show *show, const struct loom_draw_opts *opts,
				struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
