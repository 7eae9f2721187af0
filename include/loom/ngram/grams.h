/* What the files of the embedded model share: counted n-grams over symbols, and the words. */
#ifndef TOOLS_NGRAM_IMPL_H
#define TOOLS_NGRAM_IMPL_H

#include <loom/base/arena.h>
#include <loom/ngram/ngram.h>

/* A symbol is a word or a letter by number; this one stands for any that was never read. */
#define NGRAM_GRAM_NEW UINT32_MAX

/* What followed a context, and how often. */
struct ngram_follow {
	uint64_t context;
	uint32_t symbol;
	uint32_t count;
	uint32_t next; /* of the same context, as index + 1; 0: the last */
};

struct ngram_context {
	uint64_t key; /* 0: an empty slot */
	uint64_t total;
	uint32_t kinds; /* different symbols that followed */
	uint32_t first; /* index + 1 */
};

/* Counts of n-grams up to an order. Zeroed with its order set is an empty one. */
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

void ngram_gram_fini(struct ngram_gram *gram);
/* Counts `symbol` behind the last symbols of `history`. */
void ngram_gram_add(struct ngram_gram *gram, const uint32_t *history, size_t n, uint32_t symbol);
/* The share of each of `symbols` symbols behind `history`; shares[symbols] is that of a new one.
 * Each order keeps for what it never saw as much as it has seen kinds (Witten and Bell), the lowest
 * a fixed small share. */
void ngram_gram_shares(const struct ngram_gram *gram, const uint32_t *history, size_t n,
		       double *shares, size_t symbols);
/* How often `symbol` was counted at all. */
uint64_t ngram_gram_count(const struct ngram_gram *gram, uint32_t symbol);

/* Texts by number. Zeroed with an arena is an empty one. */
struct ngram_words {
	struct loom_arena *arena;
	struct loom_str *items;
	size_t count;
	size_t cap;
	uint32_t *slots; /* number + 1 */
	size_t slot_cap;
};

void ngram_words_fini(struct ngram_words *words);
uint32_t ngram_words_find(const struct ngram_words *words, struct loom_str text);
uint32_t ngram_words_put(struct ngram_words *words, struct loom_str text);

#define NGRAM_ORDER        4
#define NGRAM_LETTER_ORDER 4

struct loom_ngram {
	struct loom_arena *arena;
	struct ngram_words words; /* tokens, with the blank before them */
	struct ngram_gram grams;
	struct ngram_words letters; /* letters[0] ends a word */
	struct ngram_gram spelling; /* over the kinds of words, not over the text */
};

/* Takes the first token off *rest; false at the end. Tokens joined are the text. */
bool ngram_token(struct loom_str *rest, struct loom_str *out);
/* Whether a token is a word (behind its blank), and so made of letters. */
bool ngram_is_word(struct loom_str token);

#endif
