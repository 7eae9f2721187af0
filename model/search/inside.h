/* Shared by this room: the open index, and its words. */
#ifndef MODEL_SEARCH_INSIDE_H
#define MODEL_SEARCH_INSIDE_H

#include <loom/search/search.h>
#include <loom/tree/tree_rows.h>

/* Kinds of rows in the index, besides enum loom_hit_kind. */
enum { MODEL_HIT_DOC_SUMMARY = 5, MODEL_HIT_TREE_SUMMARY = 6 };

struct loom_search {
	struct loom_store *grove; /* borrowed */
	bool sums;                /* the grove records summaries */
	struct loom_store index;  /* only its connection, statements and file are used */
	uint64_t *known;          /* hashes of words in the vocabulary, or NULL */
	struct loom_buf fresh;    /* words to add to it, each ended by a NUL */
};

/* Registers the index's tokenizer, which notes the words it indexes. */
enum loom_status model_words_register(struct loom_search *search, struct loom_err *err) LOOM_MUST;
/* Adds the words noted since to the vocabulary; inside the transaction that indexed them. */
enum loom_status model_words_keep(struct loom_search *search, struct loom_err *err) LOOM_MUST;
/* After a rollback: forgets the noted words and that they were known. */
void model_words_forget(struct loom_search *search);
/* Appends the index query for a phrase whose last word may be incomplete. */
enum loom_status model_words_growing(struct loom_search *search, struct loom_str phrase,
				     struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
