/* Prompts of Google AI Studio: chunks of a person and the model, in order. Invariants: a thought is
 * no text; a prompt that was branched off another says so in its first chunks, which is kept. The
 * file's name and the order identify the chunks. */
#include <loom/formats/chats_kit.h>

static bool recognise(const struct import_source *source)
{
	return source->json && import_has(source, "chunkedPrompt", LOOM_JTYPE_OBJECT) &&
	       loom_jval_type(loom_jval_get(import_member(source, "chunkedPrompt"), "chunks")) ==
		       LOOM_JTYPE_ARRAY;
}

enum { TO_PROMPT = CHATS_OWN, TO_SETTINGS, TO_INSTRUCTION, TO_THOUGHT, TO_TEXT, TO_PARTS, TO_STOP };

static const struct import_key file_keys[] = {
	{"chunkedPrompt", "o", TO_PROMPT, false},
	{"runSettings", "o", TO_SETTINGS, true},
	{"systemInstruction", "o", TO_INSTRUCTION, false},
};
static const struct import_fields file_fields = {.where = "prompt",
						 .known = "citations name metadata imagenPrompt",
						 IMPORT_KEYS(file_keys)};
static const struct import_fields prompt_fields = {.where = "chunked prompt",
						   .used = "chunks:a",
						   .known = "pendingInputs"};
static const struct import_key chunk_keys[] = {
	{"role", "s", CHATS_SPEAKER, false},   {"text", "s", TO_TEXT, false},
	{"isThought", "b", TO_THOUGHT, false}, {"parts", "a", TO_PARTS, true},
	{"finishReason", "s", TO_STOP, false}, {"createTime", "ns", CHATS_CREATED, false},
};
static const struct import_fields chunk_fields = {
	.where = "chunk",
	.known = "tokenCount branchParent branchChildren driveDocument driveImage driveVideo "
		 "driveAudio inlineAudio inlineFile inlineImage inlineData youtubeVideo "
		 "thinkingBudget thinkingLevel thoughtSignatures isGeneratedUsingApiKey isEdited "
		 "errorMessage safetySettings grounding executableCode codeExecutionResult "
		 "functionCall functionResponse aspectRatio id",
	IMPORT_KEYS(chunk_keys),
};

/* Names what is no text: a document, a picture, a call. */
static void say_others(struct chats *chat, struct loom_str chunk)
{
	static const char *const attached[] = {"driveDocument", "driveImage",  "driveVideo",
					       "driveAudio",    "inlineAudio", "inlineFile",
					       "inlineImage",   "inlineData",  "youtubeVideo"};

	for (size_t i = 0; i < LOOM_COUNT(attached); i++)
		if (!loom_jval_is_null(loom_jval_get(chunk, attached[i])))
			chats_add(chat, loom_arena_format(import_scratch(chat->import),
							  "[attachment: %s]", attached[i]));
	chats_call(chat, loom_jval_get(chunk, "functionCall"));
	chats_call(chat, loom_jval_get(chunk, "executableCode"));
	chats_results(chat, loom_jval_get(chunk, "codeExecutionResult"));
	chats_results(chat, loom_jval_get(chunk, "functionResponse"));
}

static enum loom_status read_chunk(struct chats *chat, struct loom_str key, struct loom_str chunk,
				   struct loom_err *err)
{
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str text;

	(void)key;
	chats_take(chat, chunk, &chunk_fields, values);
	text = import_string(chat->import, values[TO_TEXT]);
	if (chats_true(values[TO_THOUGHT]))
		chats_think(chat, text);
	else if (text.n)
		chats_add(chat, text);
	else
		chats_say(chat, values[TO_PARTS]);
	say_others(chat, chunk);
	chats_record(chat, "finish_reason", values[TO_STOP]);
	chats_link(chat, chat->number, true);
	chats_rest(chat, chunk, &chunk_fields);
	return chats_end(chat, err);
}

/* The part of an instruction that is taken for all of it; itself, if it has none. */
static struct loom_str first_of(struct loom_str instruction)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(instruction, "parts"));
	struct loom_str part = {NULL, 0};

	return !walk.object && loom_jwalk_next(&walk, NULL, &part) ? part : instruction;
}

/* Keeps an instruction that is more than a text. */
static void keep_instruction(struct chats *chat, struct loom_str instruction)
{
	static const struct import_fields fields = {.where = "instruction",
						    .used = "text:s parts:a"};
	static const struct import_fields part_fields = {.where = "instruction part",
							 .used = "text:s"};
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(instruction, "parts"));
	struct loom_str part;
	bool more = import_unsaid(chat->import, instruction, &fields);

	for (int count = 0; !walk.object && loom_jwalk_next(&walk, NULL, &part); count++)
		more |= import_unsaid(chat->import, part, &part_fields) || count > 0;
	if (!more)
		return;
	loom_buf_adds(&chat->about,
		      chat->about.n ? ",\"systemInstruction\":" : "\"systemInstruction\":");
	import_keep(chat->import, instruction, &chat->about);
}

static bool begin(struct chats *chat, struct loom_str object, struct loom_str *chunks)
{
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str instruction;

	import_take(object, &file_fields, values);
	*chunks = loom_jval_get(values[TO_PROMPT], "chunks");
	instruction = values[TO_INSTRUCTION];
	values[CHATS_SYSTEM] = loom_jval_get(first_of(instruction), "text");
	chats_start(chat, object, &file_fields, values);
	keep_instruction(chat, instruction);
	chat->untitled = false;
	chat->model = loom_jval_get(values[TO_SETTINGS], "model");
	import_rest_as(chat->import, "chunkedPrompt", values[TO_PROMPT], &prompt_fields,
		       &chat->about);
	return true;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct chats_form form = {.what = "chunk",
					       .root = "start",
					       .begin = begin,
					       .message = read_chunk};

	return chats_each(import, source, &form, err);
}

const struct import_reader import_aistudio = {
	.name = "aistudio",
	.title = "Google AI Studio prompts",
	.recognise = recognise,
	.read = read,
};
