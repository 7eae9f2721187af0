/* Documents: named, mutable, versioned Markdown in the grove; headings divide it into sections. */
#ifndef LOOM_DOCUMENT_H
#define LOOM_DOCUMENT_H

#include <loom/tree/op.h>

struct loom_doc {
	int64_t id;
	struct loom_ulid ulid;
	struct loom_str name;
	int64_t head;    /* the current version's row, on which an edit is based */
	int64_t version; /* 1, 2, … */
	int64_t words;
	int64_t updated;
	int64_t author;
	struct loom_str author_name;
	struct loom_str
		from; /* the file that names the author, if nothing confirms it; else empty */
	struct loom_str text; /* if requested */
	bool damaged; /* the text does not match its hash; known if the text was requested */
	struct loom_str summary;
};

/* Finds a document by its exact name, otherwise ignoring case if that is unique. LOOM_NOT_FOUND.
 * `text` includes its text; all texts go to the arena. */
enum loom_status loom_doc_find(struct loom_store *store, struct loom_str name, bool text,
			       struct loom_arena *arena, struct loom_doc *out,
			       struct loom_err *err) LOOM_MUST;
/* Loads a document by row number, with its text if `text` is set; in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_doc_get(struct loom_store *store, int64_t doc, bool text,
			      struct loom_arena *arena, struct loom_doc *out,
			      struct loom_err *err) LOOM_MUST;
/* Lists all visible documents by name, without their texts, in the arena. */
enum loom_status loom_doc_list(struct loom_store *store, struct loom_arena *arena,
			       struct loom_doc **out, size_t *out_count,
			       struct loom_err *err) LOOM_MUST;
/* Lists a document's visible versions, newest first, without text, in the arena. head is each
 * version's row. */
enum loom_status loom_doc_history(struct loom_store *store, int64_t doc, struct loom_arena *arena,
				  struct loom_doc **out, size_t *out_count,
				  struct loom_err *err) LOOM_MUST;
/* Loads one version with its text, in the arena. LOOM_NOT_FOUND. */
enum loom_status loom_doc_version(struct loom_store *store, int64_t head, struct loom_arena *arena,
				  struct loom_doc *out, struct loom_err *err) LOOM_MUST;

/* Inside an operation: creates a document. LOOM_CONFLICT if the name is taken, LOOM_INVALID for a
 * bad one. */
enum loom_status loom_doc_create(struct loom_store *store, struct loom_str name,
				 struct loom_str text, int64_t author, int64_t *out_doc,
				 struct loom_err *err) LOOM_MUST;
/* Inside an operation: writes the next version. `base` is the head the writer read (-1: any);
 * LOOM_CONFLICT names the current version, its author and time if it is another. */
enum loom_status loom_doc_write(struct loom_store *store, int64_t doc, struct loom_str text,
				int64_t author, int64_t base, struct loom_err *err) LOOM_MUST;
/* Inside an operation: renames a document. LOOM_CONFLICT if another has the name, LOOM_INVALID for
 * a bad one. */
enum loom_status loom_doc_rename(struct loom_store *store, int64_t doc, struct loom_str name,
				 struct loom_err *err) LOOM_MUST;

#endif
