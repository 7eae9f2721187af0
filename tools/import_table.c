/* The formats, in the order in which they are tried: the more certain before the more open. */
#include "import_impl.h"

const struct tool_import_reader *const tool_import_readers[] = {
	/* our own */
	&tool_import_loom,
	/* looms */
	/* chats */
	&tool_import_chatgpt,
	&tool_import_claude,
	&tool_import_librechat,
	&tool_import_openwebui,
	&tool_import_llamacpp,
	&tool_import_sillytavern,
	&tool_import_pi,
	&tool_import_claude_code,
	/* whatever is text */
	&tool_import_transcript,
	NULL,
};
