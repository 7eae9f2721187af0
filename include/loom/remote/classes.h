/* What of a grove is shared: each column of each table is shared, mine or passing.
 *
 * A change of something shared makes an entry of the log. What is mine (positions, choices) rides
 * with my next entry and never makes one. What passes (sessions, leases, streams, this machine's
 * own names) never leaves the machine. */
#ifndef LOOM_CLASSES_H
#define LOOM_CLASSES_H

#include <loom/base/str.h>

/* Rights of entries over the rows of a table. */
enum model_may {
	MODEL_MAY_ADD = 1,
	MODEL_MAY_CHANGE = 2, /* the columns with a * or a ^ */
	MODEL_MAY_REMOVE = 4,
	MODEL_OWN = 8, /* its rows come and go as mine */
};

/* How the numbers of new rows follow those that are there. */
enum model_numbering {
	MODEL_FREE,
	MODEL_ABOVE, /* the first key is above all others */
	MODEL_NEXT, /* the last key is one more than the last among rows with the same other keys */
};

struct model_class {
	const char *table;
	unsigned may;
	enum model_numbering numbering;
	size_t keys; /* how many columns of `shared` make the key */
	/* The key first; * marks what may change, ^ what does so after rows were added, because it
	 * may name them; NULL: the table passes. */
	const char *shared;
	const char *mine; /* nullable */
	const char
		*passing; /* COLUMN, or COLUMN=VALUE if a new row elsewhere needs one; nullable */
	const char *gone; /* selects a row if the one with this key may be removed */
};

/* The order is stored in logs, so only append. Rows are added to tables from the first to the last,
 * and removed from the last to the first. */
extern const struct model_class model_classes[];
extern const size_t model_class_count;

enum { MODEL_COLUMNS_MAX = 32 };

/* A class with its columns as a list: the key, the rest of what is shared, what is mine. */
struct model_shape {
	const struct model_class *class;
	size_t shared;
	size_t all; /* shared and mine */
	struct loom_str column[MODEL_COLUMNS_MAX];
	uint64_t changing; /* a bit for each shared column that may change */
	uint64_t late;     /* and for those that change after rows were added */
};
/* Reads a class of the table above. */
void model_shape_of(const struct model_class *class, struct model_shape *out);

#endif
