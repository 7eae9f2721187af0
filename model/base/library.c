/* Loads libraries late. They are never unloaded: others may hold pointers into them. */
#include <loom/base/library.h>

#include <dlfcn.h>
#include <string.h>

static bool fill(void *library, const struct loom_symbol *symbols, size_t count, void *into)
{
	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return false;
		/* ISO C has no conversion from an object pointer to a function pointer. */
		memcpy((char *)into + symbols[i].offset, &symbol, sizeof symbol);
	}
	return true;
}

bool loom_library_load(const char *const *files, const struct loom_symbol *symbols, size_t count,
		       void *into)
{
	void *library = NULL;

	LOOM_ASSERT(files && symbols && into);
	for (size_t i = 0; files[i] && !library; i++)
		library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
	return library && fill(library, symbols, count, into);
}
