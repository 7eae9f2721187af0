/* Export: trees of a grove as text, in loom's own formats and others. It streams, so size does not
 * matter. Only visible content leaves: nothing undone, and pruned branches only in a format that
 * can mark them as pruned (json). */
#ifndef LOOM_EXPORT_H
#define LOOM_EXPORT_H

#include <loom/tree/node.h>

/* Receives the text in pieces of whole characters. */
typedef enum loom_status loom_export_fn(void *ctx, struct loom_str text, struct loom_err *err);

/* Facts about the export for the person who asked for it. */
struct loom_export_told {
	int64_t lines;            /* conversations written */
	int64_t unanswered;       /* conversations in which no model says anything */
	int64_t damaged;          /* texts that do not match their hashes, written as they are */
	struct loom_err unsealed; /* why something is not signed; LOOM_OK: everything is */
};

struct loom_export {
	struct loom_store *store;
	const int64_t *trees;
	size_t tree_count;
	int64_t tip;                   /* the end of a path; 0: the whole tree */
	int64_t thread;                /* selects the versions of the path; 0: as it was written */
	int64_t reader;                /* whose position is marked in a tree; 0: nobody's */
	bool grove;                    /* documents too */
	struct loom_task *task;        /* counts nodes; may be NULL */
	struct loom_export_told *told; /* counted up; may be NULL */
	loom_export_fn *put;
	void *ctx;
};

struct loom_export_format {
	const char *name;  /* "md" */
	const char *title; /* one line for people */
	bool path_only;    /* cannot hold branches: the default is the path to the tree's tip */
	bool one_tree;
	enum loom_status (*run)(const struct loom_export *what, struct loom_err *err);
};
/* The format with this name; LOOM_NOT_FOUND lists the formats. */
enum loom_status loom_export_find(struct loom_str name, const struct loom_export_format **out,
				  struct loom_err *err) LOOM_MUST;
/* The format at `index`; NULL after the last. */
const struct loom_export_format *loom_export_at(size_t index);

#endif
