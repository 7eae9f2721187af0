/* A library that is loaded when it is needed. */
#ifndef TOOLS_LIBRARY_IMPL_H
#define TOOLS_LIBRARY_IMPL_H

#include <loom/base.h>

/* A function of a library, and where in a struct of pointers it goes. */
struct tool_symbol {
	const char *name;
	size_t offset;
};

/* Loads the first of `files` (NULL-ended) that is there and fills the pointers in *into; false when
 * none is, or lacks one of them. It stays loaded; loading it again costs next to nothing. */
bool tool_library_load(const char *const *files, const struct tool_symbol *symbols, size_t count,
		       void *into);

#endif
