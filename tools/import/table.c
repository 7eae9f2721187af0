/* The formats in the order of detection: strict ones before loose ones. A row is the import_<name>
 * of its import_<format>.c; without that it does not link. */
#include <loom/import/reader_kit.h>

#define READERS                                                                                    \
	/* loom's own */                                                                           \
	READER(loom)                                                                               \
	/* recognised and refused */                                                               \
	READER(refused)                                                                            \
	/* looms */                                                                                \
	READER(pyloom_responses)                                                                   \
	READER(tapestry)                                                                           \
	READER(exoloom)                                                                            \
	READER(logitloom)                                                                          \
	READER(miniloom)                                                                           \
	READER(openloom)                                                                           \
	READER(loomsidian)                                                                         \
	READER(mikupad)                                                                            \
	READER(kobold)                                                                             \
	READER(basemode)                                                                           \
	READER(bonsai)                                                                             \
	READER(textile)                                                                            \
	READER(webloom)                                                                            \
	READER(pyloom)                                                                             \
	/* chats */                                                                                \
	READER(chatgpt)                                                                            \
	READER(claude)                                                                             \
	READER(librechat)                                                                          \
	READER(openwebui)                                                                          \
	READER(llamacpp)                                                                           \
	READER(sillytavern)                                                                        \
	READER(textgen)                                                                            \
	READER(lmstudio)                                                                           \
	READER(aistudio)                                                                           \
	READER(grok)                                                                               \
	READER(pi)                                                                                 \
	READER(claude_code)                                                                        \
	READER(codex)                                                                              \
	READER(gemini)                                                                             \
	READER(copilot)                                                                            \
	READER(opencode)                                                                           \
	READER(inspect)                                                                            \
	READER(petri)                                                                              \
	READER(llm)                                                                                \
	READER(hermes)                                                                             \
	READER(training)                                                                           \
	/* any text */                                                                             \
	READER(gptel)                                                                              \
	READER(transcript)

#define READER(name) extern const struct import_reader import_##name;
READERS
#undef READER

const struct import_reader *const import_readers[] = {
#define READER(name) &import_##name,
	READERS
#undef READER
		NULL,
};
