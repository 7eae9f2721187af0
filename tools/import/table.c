/* The formats, in the order in which they are tried: the more certain before the more open. */
#include <loom/import/reader_kit.h>

const struct import_reader *const import_readers[] = {
	/* our own */
	&import_loom,
	/* known, and not read */
	&import_refused,
	/* looms */
	&import_pyloom_responses,
	&import_exoloom,
	&import_logitloom,
	&import_miniloom,
	&import_openloom,
	&import_loomsidian,
	&import_mikupad,
	&import_kobold,
	&import_webloom,
	&import_pyloom,
	/* chats */
	&import_chatgpt,
	&import_claude,
	&import_librechat,
	&import_openwebui,
	&import_llamacpp,
	&import_sillytavern,
	&import_pi,
	&import_claude_code,
	&import_training,
	/* whatever is text */
	&import_transcript,
	NULL,
};
