/* A library that is loaded when it is needed: most runs of the program need none of them, and each
 * takes longer to load than what the program then does. */
#ifndef LOOM_LIBRARY_H
#define LOOM_LIBRARY_H

#include <loom/base/base.h>

/* A function of a library, and where in a struct of pointers it goes. */
struct loom_symbol {
	const char *name;
	size_t offset;
};

/* Loads the first of `files` (NULL-ended) that is there and fills the pointers in *into; false when
 * none is, or lacks one of them. It stays loaded; loading it again costs next to nothing. */
bool loom_library_load(const char *const *files, const struct loom_symbol *symbols, size_t count,
		       void *into);

#endif
