/* The frame of every fuzz target: its entry, its input as text, and the macro that ends it. */
#ifndef LOOM_TESTS_FUZZ_H
#define LOOM_TESTS_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include <loom/base/str.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Must hold for any input; otherwise the target prints the condition and ends. */
#define must(true_here)                                                                            \
	((true_here) ? (void)0                                                                     \
		     : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #true_here), abort()))

/* The bytes from the one at `from` on; never NULL. */
static inline struct loom_str fuzz_text(const uint8_t *data, size_t size, size_t from)
{
	return from < size ? loom_str_make((const char *)data + from, size - from) : LOOM_STR("");
}

#endif
