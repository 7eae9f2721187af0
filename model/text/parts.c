/* The names of a context's parts. */
#include <loom/text/parts.h>

const char *loom_part_name(enum loom_part part)
{
	static const char *const words[] = {
#define X(name, word) [LOOM_PART_##name] = (word),
		LOOM_PART_LIST(X)
#undef X
	};

	return part < LOOM_PARTS ? words[part] : "";
}
