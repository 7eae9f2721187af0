/* The embedded model: word n-grams, and letters where words run out. It needs nothing but text, and
 * it is not a language model: it strings together what occurred together.
 *
 * Its output is reproducible and its probabilities are exact: the same texts learned in the same
 * order, the same prompt and the same seed give the same tokens, and every probability it reports
 * is the model's own. Temperature and the cut-offs change only what is drawn, not what is
 * reported. */
#ifndef LOOM_NGRAM_H
#define LOOM_NGRAM_H

#include <loom/base/str.h>

struct loom_ngram;

/* Creates a model that has read the built-in corpus. Free it with loom_ngram_destroy. */
struct loom_ngram *loom_ngram_create(void) LOOM_MUST;
/* Creates a model that has read nothing. Free it with loom_ngram_destroy. */
struct loom_ngram *loom_ngram_create_empty(void) LOOM_MUST;
/* Frees the model. NULL is allowed. No run may still use it. */
void loom_ngram_destroy(struct loom_ngram *ngram);
/* Learns a text, which is copied as far as it is needed. No run may be open. */
void loom_ngram_learn(struct loom_ngram *ngram, struct loom_str text);
/* Appends the built-in corpus to *out. */
void loom_ngram_corpus(struct loom_buf *out);

struct loom_ngram_opts {
	double temperature; /* 0: always the likeliest */
	double top_p;       /* keeps the likeliest that together have this share; 1: all */
	double min_p; /* drops what is less likely than this fraction of the likeliest; 0: nothing
		       */
	size_t top_k; /* keeps this many of the likeliest; 0: all */
	uint64_t seed;
	size_t alternatives; /* reported with each token; at most LOOM_NGRAM_TOP */
};

#define LOOM_NGRAM_TOP 20

struct loom_ngram_choice {
	struct loom_str text;
	double logprob;
};

/* One token with its alternatives; borrowed until the next call for the same run. */
struct loom_ngram_token {
	struct loom_ngram_choice chosen;
	const struct loom_ngram_choice *top; /* likeliest first; may include the chosen one */
	size_t top_count;
};

struct loom_ngram_run;

/* Begins a continuation of `prompt`; a word cut off at its end is completed first. Copies the
 * options. The model is borrowed and must not learn until the run ends. End the run with
 * loom_ngram_end. */
struct loom_ngram_run *loom_ngram_begin(const struct loom_ngram *ngram, struct loom_str prompt,
					const struct loom_ngram_opts *opts) LOOM_MUST;
/* Draws the next token, which is never empty. Returns false when the model has read nothing. */
bool loom_ngram_next(struct loom_ngram_run *run, struct loom_ngram_token *out);
/* Frees the run. NULL is allowed. */
void loom_ngram_end(struct loom_ngram_run *run);

/* Returns the sum of the probabilities of everything the model could say next: 1 but for rounding.
 * `each` (nullable) is called with every word and its share; the rest is the share of new words,
 * which are spelled letter by letter. */
double loom_ngram_total(const struct loom_ngram *ngram, struct loom_str prompt,
			void (*each)(void *ctx, struct loom_str token, double share), void *ctx);

#endif
