/* What every fuzz target is made of: its entry, its bytes as text, and the word that ends it. */
#ifndef LOOM_TESTS_FUZZ_H
#define LOOM_TESTS_FUZZ_H

#include <stdlib.h>

#include <loom/str.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What has to hold whatever the bytes are. */
static inline void must(bool true_here)
{
	if (!true_here)
		abort();
}

/* The bytes from the one at `from` on; never NULL. */
static inline struct loom_str fuzz_text(const uint8_t *data, size_t size, size_t from)
{
	return from < size ? loom_str_make((const char *)data + from, size - from) : LOOM_STR("");
}

#endif
