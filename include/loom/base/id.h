/* Ids: permanent ULIDs, and local ids for people and models.
 *
 * A local id is a node's number in its tree, sent through a keyed permutation and written
 * letter-digit-letter-digit (letters without i l o, digits 2–9), one character longer whenever half
 * a length is used up. `r001` is number 0; annotations are `ann-N`; each version adds a prime. */
#ifndef LOOM_ID_H
#define LOOM_ID_H

#include <loom/base/str.h>

#define LOOM_ULID_CHARS 26
#define LOOM_LOCAL_MAX  32

struct loom_ulid {
	uint8_t bytes[16];
};

/* Builds a ULID from the time, a counter of the grove and randomness: ascending within a grove, and
 * never drawn twice by two processes. */
struct loom_ulid loom_ulid_make(int64_t ms, uint64_t counter, const uint8_t random[5]);
/* Returns whether two ULIDs are equal. */
bool loom_ulid_eq(const struct loom_ulid *a, const struct loom_ulid *b);
/* Writes 26 upper-case Crockford characters and a NUL. */
void loom_ulid_text(const struct loom_ulid *ulid, char out[LOOM_ULID_CHARS + 1]);
/* Parses 26 characters of either case. Rejects I, L, O and U, so that a ULID has only one
 * spelling. */
bool loom_ulid_parse(struct loom_str text, struct loom_ulid *out);
/* The shortest ULID prefix accepted where the text could also mean something else. */
#define LOOM_ULID_PREFIX 8
/* Computes the range of ULIDs that a prefix of `least` to 26 characters covers; false if it is not
 * a prefix. */
bool loom_ulid_range(struct loom_str prefix, size_t least, struct loom_ulid *low,
		     struct loom_ulid *high);

/* A decoded local id: the node's number in the tree, and the version. */
struct loom_local {
	int64_t num;   /* 0 is the root; annotations are negative: ann-3 is -3 */
	int32_t prime; /* 0: not a version */
};

/* Writes a local id: "a7x2", "r001", "ann-3", "a7x2''", "a7x2'4"; "?" for a number past the longest
 * ids (648 million nodes in one tree). */
void loom_local_text(uint64_t key, struct loom_local local, char out[LOOM_LOCAL_MAX]);
/* Parses a local id of either case, with primes written ' or ’ or ".N". False if it is malformed or
 * lies in the half of a length that no number uses. */
bool loom_local_parse(uint64_t key, struct loom_str text, struct loom_local *out);
/* Returns whether the text is shaped like an id (4–8 letters and digits with a digit, ann-N, or a
 * ULID prefix), whichever tree it belongs to. */
bool loom_local_shape(struct loom_str text);

#endif
