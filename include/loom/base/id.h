/* Names of things: ULIDs for ever, local ids for people and models.
 *
 * A local id is a number of its tree through a keyed permutation, written letter-digit-letter-digit
 * (letters without i l o, digits 2–9) and one character longer whenever half a length is used up.
 * `r001` is number 0; annotations are `ann-N`; versions carry one prime each. */
#ifndef LOOM_ID_H
#define LOOM_ID_H

#include <loom/base/str.h>

#define LOOM_ULID_CHARS 26
#define LOOM_LOCAL_MAX  32

struct loom_ulid {
	uint8_t bytes[16];
};

/* Time, then a counter of the grove, then randomness: ascending within a grove, never drawn twice
 * by two processes. */
struct loom_ulid loom_ulid_make(int64_t ms, uint64_t counter, const uint8_t random[5]);
/* Whether both are the same name. */
bool loom_ulid_eq(const struct loom_ulid *a, const struct loom_ulid *b);
/* 26 Crockford characters, upper case, and a NUL. */
void loom_ulid_text(const struct loom_ulid *ulid, char out[LOOM_ULID_CHARS + 1]);
/* Reads 26 of them in any case; no I, L, O or U, so that one ULID has one spelling. */
bool loom_ulid_parse(struct loom_str text, struct loom_ulid *out);
/* The fewest characters of a prefix where it could be taken for something else. */
#define LOOM_ULID_PREFIX 8
/* The range that a prefix of `least` to 26 characters covers; false when it is none. */
bool loom_ulid_range(struct loom_str prefix, size_t least, struct loom_ulid *low,
		     struct loom_ulid *high);

/* What a local id says: which number of the tree, which version of it. */
struct loom_local {
	int64_t num;   /* 0 is the root; annotations are negative: ann-3 is -3 */
	int32_t prime; /* 0: not a version */
};

/* "a7x2", "r001", "ann-3", "a7x2''", "a7x2'4"; "?" for a number past the longest ids (648 million
 * nodes in one tree). */
void loom_local_text(uint64_t key, struct loom_local local, char out[LOOM_LOCAL_MAX]);
/* Reads one, in any case, with primes ' or ’ or ".N"; false when it is not of the pattern, or of
 * the half of a length that no number gets. */
bool loom_local_parse(uint64_t key, struct loom_str text, struct loom_local *out);
/* Whether the text has the shape of an id as the language knows it (4–8 letters and digits with a
 * digit, ann-N, or a ULID prefix), whatever tree it is from. */
bool loom_local_shape(struct loom_str text);

#endif
