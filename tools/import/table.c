/* The formats in the order of detection: strict ones before loose ones. */
#include <loom/import/reader_kit.h>

const struct import_reader *const import_readers[] = {
	/* loom's own */
	&import_loom,
	/* recognised and refused */
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
	/* any text */
	&import_transcript,
	NULL,
};
