/* The text as it reads now: for a tree, or for the path to one node, which node follows which in
 * the versions a thread has chosen, and what hangs beside them. The screen, exports, copies and
 * counts share one rule: in each group the member the thread has chosen, else the one the text
 * continues from, else the newest; pruned nodes are skipped.
 *
 * A reading holds no texts. Its nodes are numbered from 1; 0 stands for none. */
#ifndef LOOM_READING_H
#define LOOM_READING_H

#include <loom/tree/node.h>

struct loom_reading_node {
	int64_t id;
	uint32_t parent;   /* the node read before it; for a version or an aside, its owner */
	uint32_t first;    /* its first child */
	uint32_t next;     /* the next child, version or aside of the same node */
	uint32_t versions; /* the first version in its place that is not read */
	uint32_t asides;   /* the first note or source of its group */
	uint32_t depth;    /* 0: a root */
	uint8_t kind;      /* enum loom_node_kind */
	bool there;        /* linked to the root; other rows have no place in the reading */
	bool read;         /* part of the text; of an aside: the version that is shown */
	bool culled;       /* this very node is marked as pruned */
	bool pruned;       /* it or something above it is */
	bool excluded;
	bool bookmarked;
	bool summed;  /* it has a written summary, not just an extract */
	bool on_path; /* free for the caller; false at first */
};
struct loom_reading {
	int64_t tree;
	struct loom_reading_node *nodes; /* all kinds, by id */
	size_t count;
	uint32_t root; /* the first node read; `next` leads to other versions of it that are read.
			* 0: all of the path is pruned */
};

/* The text to read, and in whose versions. */
struct loom_reading_of {
	int64_t tree;
	int64_t tip;    /* only the path to this node; 0: the whole tree */
	int64_t thread; /* whose choice of versions; 0: nobody's */
};
/* Loads a reading with a fixed number of statements. End it with loom_reading_fini, even after a
 * failure. */
enum loom_status loom_reading_init(struct loom_reading *reading, struct loom_store *store,
				   const struct loom_reading_of *of,
				   struct loom_err *err) LOOM_MUST;
/* Frees what a reading holds, but not *reading itself. */
void loom_reading_fini(struct loom_reading *reading);

/* Finds a node's number; 0 if it is not among the rows. */
uint32_t loom_reading_number(const struct loom_reading *reading, int64_t id);
/* Gives the first child that is not pruned; 0 if there is none. */
uint32_t loom_reading_child(const struct loom_reading *reading, uint32_t number);
/* Gives the next sibling that is not pruned; 0 after the last. */
uint32_t loom_reading_sibling(const struct loom_reading *reading, uint32_t number);
/* Gives a node's first note, or the one that follows the note `after` if that is not 0; 0 after the
 * last. */
uint32_t loom_reading_note(const struct loom_reading *reading, uint32_t number, uint32_t after);
/* Gives the next node in reading order, children before siblings; 0 after the last. */
uint32_t loom_reading_next(const struct loom_reading *reading, uint32_t number);
/* Gives the next node that is not below this one. */
uint32_t loom_reading_past(const struct loom_reading *reading, uint32_t number);

#endif
