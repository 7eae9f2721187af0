/* The embedded model: word n-grams, and letters where words end. It needs nothing but text, and it
 * is no language model: it strings together what stood together before.
 *
 * What it says is exact: the same texts learned in the same order, the same prompt and the same
 * seed give the same tokens, and every probability is the one that was drawn from (temperature and
 * the cuts only change what is drawn, not what is reported). */
#ifndef LOOM_NGRAM_H
#define LOOM_NGRAM_H

#include <loom/base/str.h>

struct loom_ngram;

/* One that has read the small corpus that comes with the program. */
struct loom_ngram *loom_ngram_create(void) LOOM_MUST;
/* One that has read nothing. */
struct loom_ngram *loom_ngram_create_empty(void) LOOM_MUST;
/* NULL is fine. */
void loom_ngram_destroy(struct loom_ngram *ngram);
/* Reads a text; it is not needed afterwards. */
void loom_ngram_learn(struct loom_ngram *ngram, struct loom_str text);
/* Appends that corpus. */
void loom_ngram_corpus(struct loom_buf *out);

struct loom_ngram_opts {
	double temperature; /* 0: always the likeliest */
	double top_p;       /* keeps the likeliest that have this share together; 1: all */
	double min_p; /* drops what is less likely than this share of the likeliest; 0: none */
	size_t top_k; /* keeps so many of the likeliest; 0: all */
	uint64_t seed;
	size_t alternatives; /* told with each token; at most LOOM_NGRAM_TOP */
};

#define LOOM_NGRAM_TOP 20

struct loom_ngram_choice {
	struct loom_str text;
	double logprob;
};

/* Borrowed until the next call for the same run. */
struct loom_ngram_token {
	struct loom_ngram_choice chosen;
	const struct loom_ngram_choice *top; /* likeliest first; it may hold the chosen one */
	size_t top_count;
};

struct loom_ngram_run;

/* Begins a continuation of `prompt`: a word that is cut there is completed first. The model is
 * borrowed, and must learn nothing, until the run ends. */
struct loom_ngram_run *loom_ngram_begin(const struct loom_ngram *ngram, struct loom_str prompt,
					const struct loom_ngram_opts *opts) LOOM_MUST;
/* The next token; never empty. False when the model has read nothing. */
bool loom_ngram_next(struct loom_ngram_run *run, struct loom_ngram_token *out);
/* NULL is fine. */
void loom_ngram_end(struct loom_ngram_run *run);

/* How likely the model finds each thing it could say next, added up: 1 but for rounding. `each`
 * (nullable) is called for every word with its share; what is left is spelled by letters. */
double loom_ngram_total(const struct loom_ngram *ngram, struct loom_str prompt,
			void (*each)(void *ctx, struct loom_str token, double share), void *ctx);

#endif
