/* Export: trees of a grove as text in a format of ours or of others, written as it is read, so that
 * size is no matter. It says what the screen's reader says: the versions that he has chosen,
 * nothing undone, and pruned branches only where a format can say that they are pruned. What a
 * format has no place for is counted by kind. */
#ifndef LOOM_EXPORT_H
#define LOOM_EXPORT_H

#include <loom/reading/beside.h>

/* What takes the text, piece by piece, each of whole characters. */
typedef enum loom_status loom_export_fn(void *ctx, struct loom_str text, struct loom_err *err);

/* What is to be said of it beside. */
struct loom_export_told {
	int64_t lines;                   /* conversations that were written */
	int64_t unanswered;              /* no model says anything in them */
	int64_t lost[LOOM_BESIDE_COUNT]; /* what the format has no place for */
	struct loom_err unsealed; /* why nothing is signed where it should be; LOOM_OK: all is */
};

struct loom_export {
	struct loom_store *store;
	const int64_t *trees;
	size_t tree_count;
	int64_t tip;    /* the end of a path, when the export is of one tree; 0: none */
	int64_t reader; /* whose choice of versions is read, and whose place in a tree is where it
			 * stands open; 0: nobody's */
	int64_t thread; /* whose choice it is instead of the reader's own; 0: nobody's */
	bool grove;     /* documents too */
	struct loom_task *task;        /* nodes; may be NULL */
	struct loom_export_told *told; /* counted up; may be NULL */
	loom_export_fn *put;
	void *ctx;
};

/* What a text looks like in a format. */
enum loom_export_shape {
	LOOM_EXPORT_TREE,
	LOOM_EXPORT_TALK,  /* the path of a dialogue */
	LOOM_EXPORT_PROSE, /* the path of a buffer */
	LOOM_EXPORT_SHAPES
};

struct loom_export_format {
	const char *name;  /* "md" */
	const char *title; /* one line for people */
	bool path_only;    /* has no place for branches: without a path the one to the tip of the
			    * tree is taken */
	bool one_tree;
	unsigned holds[LOOM_EXPORT_SHAPES]; /* what it has a place for, of LOOM_BESIDE */
	enum loom_status (*run)(const struct loom_export *what, struct loom_err *err);
};
/* By name; LOOM_NOT_FOUND says which there are. */
enum loom_status loom_export_find(struct loom_str name, const struct loom_export_format **out,
				  struct loom_err *err) LOOM_MUST;
/* The format at `index`, NULL behind the last. */
const struct loom_export_format *loom_export_at(size_t index);

#endif
