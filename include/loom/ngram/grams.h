/* Shared by the files of the embedded model: counted n-grams over symbols, and a table of words. */
#ifndef TOOLS_NGRAM_IMPL_H
#define TOOLS_NGRAM_IMPL_H

#include <loom/base/arena.h>
#include <loom/ngram/ngram.h>

/* A symbol is the number of a word or a letter; this one stands for anything never read. */
#define NGRAM_GRAM_NEW UINT32_MAX

/* A symbol that followed a context, and how often. */
struct ngram_follow {
	uint64_t context;
	uint32_t symbol;
	uint32_t count;
	uint32_t next; /* next one of the same context, as index + 1; 0: none */
};

struct ngram_context {
	uint64_t key; /* 0: an empty slot */
	uint64_t total;
	uint32_t kinds; /* distinct symbols that followed */
	uint32_t first; /* index + 1 */
};

/* Counts of n-grams up to an order. A zeroed struct with `order` set is an empty table. */
struct ngram_gram {
	size_t order;
	struct ngram_context *contexts; /* open addressing */
	size_t context_count;
	size_t context_cap;
	struct ngram_follow *follows;
	size_t follow_count;
	size_t follow_cap;
	uint32_t *slots; /* index of follows + 1, by context and symbol */
	size_t slot_cap;
};

/* Frees the tables of *gram, but not *gram itself. */
void ngram_gram_fini(struct ngram_gram *gram);
/* Counts `symbol` as a successor of the last symbols of `history`, in every order up to the
 * table's. */
void ngram_gram_add(struct ngram_gram *gram, const uint32_t *history, size_t n, uint32_t symbol);
/* Writes to `shares` the probability of each of `symbols` symbols after `history`; shares[symbols]
 * is that of a new symbol, so the array has symbols + 1 entries. Each order reserves as much for
 * the unseen as it has seen distinct symbols (Witten and Bell), the lowest a small fixed share. */
void ngram_gram_shares(const struct ngram_gram *gram, const uint32_t *history, size_t n,
		       double *shares, size_t symbols);
/* Returns how often `symbol` was counted in any context. */
uint64_t ngram_gram_count(const struct ngram_gram *gram, uint32_t symbol);

/* Numbered texts. A zeroed struct with `arena` set is an empty table. */
struct ngram_words {
	struct loom_arena *arena;
	struct loom_str *items;
	size_t count;
	size_t cap;
	uint32_t *slots; /* number + 1 */
	size_t slot_cap;
};

/* Frees the tables of *words; the texts live in its arena. */
void ngram_words_fini(struct ngram_words *words);
/* Returns the number of `text`, or NGRAM_GRAM_NEW when it is not in the table. */
uint32_t ngram_words_find(const struct ngram_words *words, struct loom_str text);
/* Returns the number of `text`; adds a copy of it to the table when it is new. */
uint32_t ngram_words_put(struct ngram_words *words, struct loom_str text);

#define NGRAM_ORDER        4
#define NGRAM_LETTER_ORDER 4

struct loom_ngram {
	struct loom_arena *arena;
	struct ngram_words words; /* tokens, with their leading blank */
	struct ngram_gram grams;
	struct ngram_words letters; /* letters[0] ends a word */
	struct ngram_gram spelling; /* over distinct words, not over the running text */
};

/* Removes the first token from *rest and puts it into *out, borrowed from *rest. Returns false at
 * the end. All tokens joined are the text. */
bool ngram_token(struct loom_str *rest, struct loom_str *out);
/* Returns whether a token is a word, and so made of letters, after its leading blank. */
bool ngram_is_word(struct loom_str token);

#endif
