/* Random cases for property tests. The seed is printed, so that a failure can be had again:
 * LOOM_TEST_SEED=0x… repeats it, LOOM_TEST_SEED=random draws a new one (the nightly runs do);
 * without the variable every run draws the same cases. */
#ifndef LOOM_TESTS_SUPPORT_PROP_H
#define LOOM_TESTS_SUPPORT_PROP_H

#include <loom/base/str.h>

struct prop {
	uint64_t seed;
	uint64_t state;
};

/* Seeds from the environment and prints the seed with the property's name. */
void prop_init(struct prop *prop, const char *name);
/* Seeds with a number of the caller's. */
void prop_init_seed(struct prop *prop, uint64_t seed);

uint64_t prop_next(struct prop *prop);
/* 0 … bound-1; bound 0 gives 0. */
size_t prop_below(struct prop *prop, size_t bound);
/* low … high, both included. */
int64_t prop_between(struct prop *prop, int64_t low, int64_t high);
/* True once in `times`. */
bool prop_once_in(struct prop *prop, size_t times);

/* Any bytes. */
void prop_bytes(struct prop *prop, size_t n, struct loom_buf *out);
/* `count` valid code points, wide, combining, bidi, control and invisible ones among them. */
void prop_text(struct prop *prop, size_t count, struct loom_buf *out);
/* Bytes that are almost UTF-8: valid text with some bytes dropped, doubled or overwritten. */
void prop_bent_text(struct prop *prop, size_t count, struct loom_buf *out);
/* Where a sanitizer slows each case, every n-th is enough, for all of them run without one: n
 * there, unless LOOM_TEST_MANY is in the environment, and otherwise 1. */
int prop_every(int n);
/* How many cases: that many, a fourth under a sanitizer, 25 times as many with LOOM_TEST_MANY. */
int prop_times(int few);
/* How large the next case should be: mostly small, now and then up to `max`. */
size_t prop_size(struct prop *prop, size_t max);

#endif
