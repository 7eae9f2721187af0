/* Loads a library on first use: most runs need none of them, and each takes longer to load than the
 * program takes to do its work. */
#ifndef LOOM_LIBRARY_H
#define LOOM_LIBRARY_H

#include <loom/base/base.h>

/* A library function, and the offset of its pointer in a struct. */
struct loom_symbol {
	const char *name;
	size_t offset;
};

/* Loads the first of `files` (NULL-ended) that exists and fills the pointers in *into. False if
 * none exists or a symbol is missing. The library stays loaded; loading it again is cheap. */
bool loom_library_load(const char *const *files, const struct loom_symbol *symbols, size_t count,
		       void *into);

#endif
