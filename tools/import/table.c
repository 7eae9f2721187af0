/* The formats, in the order in which they are tried: the more certain before the more open. */
#include <loom/import/reader_kit.h>

const struct tool_import_reader *const tool_import_readers[] = {
	/* our own */
	&tool_import_loom,
	/* known, and not read */
	&tool_import_refused,
	/* looms */
	&tool_import_pyloom_responses,
	&tool_import_exoloom,
	&tool_import_logitloom,
	&tool_import_miniloom,
	&tool_import_openloom,
	&tool_import_loomsidian,
	&tool_import_mikupad,
	&tool_import_kobold,
	&tool_import_webloom,
	&tool_import_pyloom,
	/* chats */
	&tool_import_chatgpt,
	&tool_import_claude,
	&tool_import_librechat,
	&tool_import_openwebui,
	&tool_import_llamacpp,
	&tool_import_sillytavern,
	&tool_import_pi,
	&tool_import_claude_code,
	&tool_import_training,
	/* whatever is text */
	&tool_import_transcript,
	NULL,
};
