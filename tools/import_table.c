/* The formats, in the order in which they are tried: the more certain before the more open. */
#include "import_impl.h"

const struct tool_import_reader *const tool_import_readers[] = {
	/* our own */
	&tool_import_loom,
	/* looms */
	/* chats */
	NULL,
};
