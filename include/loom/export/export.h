/* Export: trees of a grove as text, in loom's own formats and others. It streams, so size does not
 * matter. A file says what the screen's reader says: the versions the reader has chosen, nothing
 * undone, and pruned branches only in formats that can mark them. What a format cannot hold is
 * counted by kind. */
#ifndef LOOM_EXPORT_H
#define LOOM_EXPORT_H

#include <loom/reading/beside.h>

/* Receives the text in pieces of whole characters. */
typedef enum loom_status loom_export_fn(void *ctx, struct loom_str text, struct loom_err *err);

/* Why what was judged makes no pair for training. Id, singular, plural, reason. */
#define LOOM_EXPORT_LEFT_LIST(X)                                                                   \
	X(ALONE, "judged node", "judged nodes", "no sibling is judged the other way")              \
	X(EQUAL, "pair", "pairs", "both sides say the same, or one says nothing")                  \
	X(REPEATED, "pair", "pairs", "the same pair is there already")                             \
	X(SPEECH, "pair", "pairs", "a side is not a model's answer")

enum loom_export_left {
#define X(id, one, several, why) LOOM_EXPORT_LEFT_##id,
	LOOM_EXPORT_LEFT_LIST(X)
#undef X
		LOOM_EXPORT_LEFT_COUNT
};

/* Facts about the export for the person who asked for it. */
struct loom_export_told {
	int64_t lines;      /* conversations written */
	int64_t unanswered; /* conversations in which no model says anything */
	int64_t pairs;
	int64_t left_out[LOOM_EXPORT_LEFT_COUNT];
	int64_t lost[LOOM_BESIDE_COUNT]; /* what the format cannot hold */
	int64_t damaged;          /* texts that do not match their hashes, written as they are */
	struct loom_err unsealed; /* why something is not signed; LOOM_OK: everything is */
};

struct loom_export {
	struct loom_store *store;
	const int64_t *trees;
	size_t tree_count;
	int64_t tip;        /* the end of a path; 0: the whole tree */
	int64_t reader;     /* whose versions are read and whose position is marked; 0: nobody's */
	int64_t thread;     /* selects the versions instead of the reader's own thread; 0: none */
	bool grove;         /* documents too */
	bool book;          /* the path as a book: a title page, chapters, no ids */
	struct loom_str by; /* the book's author; empty: the persons on the path */
	struct loom_task *task;        /* counts nodes; may be NULL */
	struct loom_export_told *told; /* counted up; may be NULL */
	loom_export_fn *put;
	void *ctx;
};

/* The shapes of an export; a format may hold more of one than of another. */
enum loom_export_shape {
	LOOM_EXPORT_TREE,
	LOOM_EXPORT_TALK,  /* the path of a dialogue */
	LOOM_EXPORT_PROSE, /* the path of a buffer */
	LOOM_EXPORT_BOOK,
	LOOM_EXPORT_SHAPES
};

/* How a format treats a root without a text. */
enum loom_export_root {
	LOOM_EXPORT_ROOT_STAYS,
	LOOM_EXPORT_ROOT_BARE,    /* it is there without its marks */
	LOOM_EXPORT_ROOT_SEVERAL, /* above several branches it is left out */
};

struct loom_export_format {
	const char *name;  /* "md" */
	const char *title; /* one line for people */
	bool path_only;    /* cannot hold branches: the default is the path to the tree's tip */
	bool one_tree;
	bool book;   /* can be a book */
	bool binary; /* is nothing that a terminal could show */
	enum loom_export_root root;
	unsigned holds[LOOM_EXPORT_SHAPES]; /* which kinds it can hold, LOOM_BESIDE(…) */
	enum loom_status (*run)(const struct loom_export *what, struct loom_err *err);
};
/* The format with this name; LOOM_NOT_FOUND lists the formats. */
enum loom_status loom_export_find(struct loom_str name, const struct loom_export_format **out,
				  struct loom_err *err) LOOM_MUST;
/* The format at `index`; NULL after the last. */
const struct loom_export_format *loom_export_at(size_t index);

#endif
