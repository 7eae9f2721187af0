/* What the files of this room share: the index that is open, and its words. */
#ifndef MODEL_SEARCH_INSIDE_H
#define MODEL_SEARCH_INSIDE_H

#include <loom/search/search.h>
#include <loom/tree/tree_rows.h>

/* What rows of the index are of, besides an enum loom_hit_kind. */
enum { MODEL_HIT_DOC_SUMMARY = 5, MODEL_HIT_TREE_SUMMARY = 6 };

struct loom_search {
	struct loom_store *grove; /* borrowed */
	bool sums;                /* the grove says what was summed up */
	struct loom_store index;  /* only its connection, statements and file are used */
	uint64_t *known;          /* hashes of words that are in the vocabulary, or NULL */
	struct loom_buf fresh;    /* words to come into it, each ended by a NUL */
};

/* Gives the index's connection its tokenizer, which notes the words of what is indexed. */
enum loom_status model_words_register(struct loom_search *search, struct loom_err *err) LOOM_MUST;
/* Writes the words noted since into the vocabulary; inside the transaction that indexed them. */
enum loom_status model_words_keep(struct loom_search *search, struct loom_err *err) LOOM_MUST;
/* What was noted did not come to be: forgets it, and what it took for known. */
void model_words_forget(struct loom_search *search);
/* Appends what the index is asked for a phrase whose last word may still be growing. */
enum loom_status model_words_growing(struct loom_search *search, struct loom_str phrase,
				     struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
