/* Documents: named, mutable, versioned Markdown of the grove; sections are headings. */
#ifndef LOOM_DOCUMENT_H
#define LOOM_DOCUMENT_H

#include <loom/tree/op.h>

struct loom_doc {
	int64_t id;
	struct loom_ulid ulid;
	struct loom_str name;
	int64_t head;    /* current version's number, what an edit is based on */
	int64_t version; /* 1, 2, … */
	int64_t words;
	int64_t updated;
	int64_t author;
	struct loom_str author_name;
	struct loom_str from; /* the file that says so, when nothing confirms it; else empty */
	struct loom_str text; /* when asked for */
	bool damaged;         /* it does not fit its hash; known with the text */
	struct loom_str summary;
};

/* By name, exact, else without case when unique. */
enum loom_status loom_doc_find(struct loom_store *store, struct loom_str name, bool text,
			       struct loom_arena *arena, struct loom_doc *out,
			       struct loom_err *err) LOOM_MUST;
/* By row number; `text` false leaves the text out. LOOM_NOT_FOUND. */
enum loom_status loom_doc_get(struct loom_store *store, int64_t doc, bool text,
			      struct loom_arena *arena, struct loom_doc *out,
			      struct loom_err *err) LOOM_MUST;
/* All visible documents by name, without their texts. */
enum loom_status loom_doc_list(struct loom_store *store, struct loom_arena *arena,
			       struct loom_doc **out, size_t *out_count,
			       struct loom_err *err) LOOM_MUST;
/* Its visible versions, newest first, without text. head is each version's number. */
enum loom_status loom_doc_history(struct loom_store *store, int64_t doc, struct loom_arena *arena,
				  struct loom_doc **out, size_t *out_count,
				  struct loom_err *err) LOOM_MUST;
/* One version's text. */
enum loom_status loom_doc_version(struct loom_store *store, int64_t head, struct loom_arena *arena,
				  struct loom_doc *out, struct loom_err *err) LOOM_MUST;

/* Inside an operation: a document that must not exist yet. */
enum loom_status loom_doc_create(struct loom_store *store, struct loom_str name,
				 struct loom_str text, int64_t author, int64_t *out_doc,
				 struct loom_err *err) LOOM_MUST;
/* Inside an operation: the next version. base: the head the writer has read (-1: whatever it is);
 * LOOM_CONFLICT names the current one, who wrote it and when. */
enum loom_status loom_doc_write(struct loom_store *store, int64_t doc, struct loom_str text,
				int64_t author, int64_t base, struct loom_err *err) LOOM_MUST;
/* Inside an operation. LOOM_CONFLICT when another has the name, LOOM_INVALID for a bad one. */
enum loom_status loom_doc_rename(struct loom_store *store, int64_t doc, struct loom_str name,
				 struct loom_err *err) LOOM_MUST;

#endif
