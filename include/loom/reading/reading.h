/* The text as read now: of a tree, or of the path to one node, which node comes after which for
 * whoever has chosen these versions, and what stands beside. One rule for the screen, for exports,
 * copies and counts: at each group the member that the thread has chosen, else the one that the
 * text goes on from, else the newest; what is pruned is passed over.
 *
 * No texts are held. A node is called by its number, from 1; 0 is nobody. */
#ifndef LOOM_READING_H
#define LOOM_READING_H

#include <loom/tree/node.h>

struct loom_reading_node {
	int64_t id;
	uint32_t
		parent; /* what is read before it; of a version or an aside what it stands beside */
	uint32_t first; /* its first child */
	uint32_t next;  /* its next sibling, be they children, versions or asides */
	uint32_t versions; /* the first of the versions in its place that are not read */
	uint32_t asides;   /* the first of the notes and sources that hang on its group */
	uint32_t depth;    /* 0: the root */
	uint8_t kind;      /* enum loom_node_kind */
	bool there;        /* it hangs on the root; all else is undone, or beside the path */
	bool read;         /* it is part of the text */
	bool culled;       /* the mark of pruning stands on this very node */
	bool pruned;       /* or on something above */
	bool excluded;
	bool bookmarked;
	bool summed;  /* a summary of it was written, not only an extract */
	bool on_path; /* for whoever holds the reading; false at first */
};
struct loom_reading {
	int64_t tree;
	struct loom_reading_node *nodes; /* by id, of all kinds */
	size_t count;
	uint32_t root; /* the first of what is read; `next` leads to other versions of it */
	uint32_t tip;  /* of a path, its last node that is not pruned; else 0 */
};

/* Whose reading of what. */
struct loom_reading_of {
	int64_t tree;
	int64_t tip;    /* only the path to this node; 0: the whole tree */
	int64_t thread; /* whose choice of versions; 0: nobody's */
};
/* In a fixed number of statements. Ended by loom_reading_fini, which takes a failed one too. */
enum loom_status loom_reading_init(struct loom_reading *reading, struct loom_store *store,
				   const struct loom_reading_of *of,
				   struct loom_err *err) LOOM_MUST;
void loom_reading_fini(struct loom_reading *reading);

/* A node's number; 0 when it is not there. */
uint32_t loom_reading_number(const struct loom_reading *reading, int64_t id);
/* Its first child, its next sibling: those that are not pruned. */
uint32_t loom_reading_child(const struct loom_reading *reading, uint32_t number);
uint32_t loom_reading_sibling(const struct loom_reading *reading, uint32_t number);
/* The next node in reading order, children before siblings; 0 behind the last. */
uint32_t loom_reading_next(const struct loom_reading *reading, uint32_t number);
/* The same, behind all that hangs on it. */
uint32_t loom_reading_past(const struct loom_reading *reading, uint32_t number);

#endif
