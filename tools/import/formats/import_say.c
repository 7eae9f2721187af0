/* Reads the parts of a message, for all the ways in which chats write them. Invariants: text stays
 * unchanged; a thought is not text; anything else gets a line in brackets, and then the whole
 * content is kept beside the node. import_chat.c handles the message itself. */
#include <loom/formats/chats_kit.h>

/* Nesting of lists in a tool's result. */
#define NEST_MAX 4

static void say_parts(struct chats *chat, struct loom_str content, int depth);

static struct loom_arena *scratch(struct chats *chat)
{
	return import_scratch(chat->import);
}

static void add_format(struct chats *chat, const char *what, struct loom_str name)
{
	chats_add(chat,
		  name.n ? loom_arena_format(scratch(chat), "[%s: %.*s]", what, LOOM_STR_ARG(name))
			 : loom_arena_format(scratch(chat), "[%s]", what));
}

/* A member's text: a string, or an object with a string as its value. */
static struct loom_str text_of(struct chats *chat, struct loom_str part, const char *key)
{
	struct loom_str value = loom_jval_get(part, key);

	if (loom_jval_type(value) == LOOM_JTYPE_OBJECT)
		value = loom_jval_get(value, "value");
	return import_string(chat->import, value);
}

static void say_text(struct chats *chat, struct loom_str part, int depth)
{
	static const struct import_fields within = {.where = "text",
						    .used = "value:s",
						    .known = "annotations"};

	(void)depth;
	chats_add(chat, text_of(chat, part, "text"));
	if (import_unsaid(chat->import, loom_jval_get(part, "text"), &within))
		chat->plain = false;
}

void chats_think(struct chats *chat, struct loom_str thought)
{
	if (thought.n && chat->thought.n)
		loom_buf_adds(&chat->thought, "\n\n");
	loom_buf_add(&chat->thought, thought);
}

static void say_thought(struct chats *chat, struct loom_str part, int depth)
{
	static const char *const keys[] = {"thinking", "think", "reasoning", "text"};
	struct loom_str thought = LOOM_STR("");

	(void)depth;
	/* What is redacted is a cipher; a summary of it may be told. */
	if (chats_true(loom_jval_get(part, "redacted")))
		thought = text_of(chat, part, "summary");
	else
		for (size_t i = 0; i < LOOM_COUNT(keys) && !thought.n; i++)
			thought = text_of(chat, part, keys[i]);
	chats_think(chat, thought.n ? thought : LOOM_STR("[thinking that was not shown]"));
	chat->plain = false;
}

/* Adds a value as text: a string's content, else its JSON without secrets. */
static void add_value(struct chats *chat, struct loom_str value)
{
	struct loom_buf out = IMPORT_BUF(chat->import);

	if (loom_jval_is_null(value))
		return;
	if (loom_jval_type(value) == LOOM_JTYPE_STRING)
		loom_buf_add(&out, import_string(chat->import, value));
	else
		import_keep(chat->import, value, &out);
	if (out.n && chat->text.n)
		loom_buf_addc(&chat->text, '\n');
	loom_buf_add(&chat->text, loom_buf_str(&out));
	loom_buf_fini(&out);
}

static struct loom_str first_of(struct loom_str object, const char *a, const char *b)
{
	struct loom_str value = loom_jval_get(object, a);

	return loom_jval_is_null(value) ? loom_jval_get(object, b) : value;
}

static void say_call(struct chats *chat, struct loom_str part, int depth)
{
	static const char *const within[] = {"tool_call", "functionCall", "executableCode"};
	static const char *const inputs[] = {"input", "arguments", "parameters",
					     "args",  "action",    "code"};
	struct loom_str call = part;
	struct loom_str input = {NULL, 0};

	(void)depth;
	for (size_t i = 0; i < LOOM_COUNT(within); i++)
		if (loom_jval_type(loom_jval_get(part, within[i])) == LOOM_JTYPE_OBJECT)
			call = loom_jval_get(part, within[i]);
	add_format(chat, "tool use",
		   chats_either(chat->import, call, "name",
				loom_jval_get(call, "toolName").p ? "toolName" : "language"));
	for (size_t i = 0; i < LOOM_COUNT(inputs) && loom_jval_is_null(input); i++)
		input = loom_jval_get(call, inputs[i]);
	add_value(chat, input);
	if (!loom_jval_is_null(loom_jval_get(call, "output"))) {
		chats_add(chat, LOOM_STR("[tool result]"));
		add_value(chat, loom_jval_get(call, "output"));
	}
	chat->plain = false;
}

/* A call of a vendor's own tool has its result in it. */
static void say_use(struct chats *chat, struct loom_str part, int depth)
{
	say_call(chat, part, depth);
	chats_results(chat, loom_jval_get(part, "result"));
}

/* The result of a call: its content, or what is within its answer. */
static struct loom_str result_of(struct loom_str part)
{
	static const char *const within[] = {"functionResponse", "response", "codeExecutionResult",
					     "output"};
	struct loom_str result;

	for (size_t i = 0; i < LOOM_COUNT(within); i++)
		if (loom_jval_type(loom_jval_get(part, within[i])) == LOOM_JTYPE_OBJECT)
			part = loom_jval_get(part, within[i]);
	result = first_of(part, "content", "output");
	return loom_jval_is_null(result) ? loom_jval_get(part, "error") : result;
}

static void say_result(struct chats *chat, struct loom_str part, int depth)
{
	struct loom_str result = result_of(part);

	if (depth == 0) {
		chat->results++;
		chat->others--;
	}
	chat->plain = false;
	if (chats_true(loom_jval_get(part, "is_error")))
		chats_add(chat, LOOM_STR("[error]"));
	if (loom_jval_type(result) == LOOM_JTYPE_OBJECT && !loom_jval_get(result, "type").p)
		add_value(chat, result);
	else if (depth < NEST_MAX)
		say_parts(chat, result, depth + 1);
}

static void say_picture(struct chats *chat, struct loom_str part, int depth)
{
	static const char *const within[] = {"inlineData", "fileData"};
	struct loom_str name;

	(void)depth;
	for (size_t i = 0; i < LOOM_COUNT(within); i++)
		if (loom_jval_type(loom_jval_get(part, within[i])) == LOOM_JTYPE_OBJECT)
			part = loom_jval_get(part, within[i]);
	name = chats_either(chat->import, part, "file_name", "filename");
	if (!name.n)
		name = chats_either(chat->import, part, "name", "mimeType");
	add_format(chat, "attachment", name);
	chat->plain = false;
}

/* The known members of each kind of part. If there are others, the content is kept whole. */
static const struct import_fields text_fields = {
	.where = "text part",
	.used = "type:s text:so",
	.known =
		"id index citations annotations flags start_timestamp stop_timestamp cache_control "
		"textSignature thoughtSignature logprobs refusal internal"};
static const struct import_fields thought_fields = {
	.where = "thinking part",
	.used = "type:s thinking:so think:so reasoning:so text:so",
	.known = "*"};
static const struct import_fields call_fields = {.where = "call part",
						 .used = "type:s name:s tool_call:o",
						 .known = "*"};
static const struct import_fields result_fields = {.where = "result part",
						   .used = "type:s content:sao is_error:b",
						   .known = "*"};
static const struct import_fields picture_fields = {
	.where = "attachment part",
	.used = "type:s file_name:s filename:s name:s mimeType:s",
	.known = "*"};

static const struct {
	const char *type;
	void (*say)(struct chats *chat, struct loom_str part, int depth);
	const struct import_fields *fields;
} kinds[] = {
	{"text", say_text, &text_fields},
	{"input_text", say_text, &text_fields},
	{"output_text", say_text, &text_fields},
	{"thinking", say_thought, &thought_fields},
	{"think", say_thought, &thought_fields},
	{"reasoning", say_thought, &thought_fields},
	{"redacted_thinking", say_thought, &thought_fields},
	{"tool_use", say_use, &call_fields},
	{"server_tool_use", say_call, &call_fields},
	{"toolCall", say_call, &call_fields},
	{"tool_call", say_call, &call_fields},
	{"function_call", say_call, &call_fields},
	{"functionCall", say_call, &call_fields},
	{"executableCode", say_call, &call_fields},
	{"custom_tool_call", say_call, &call_fields},
	{"local_shell_call", say_call, &call_fields},
	{"web_search_call", say_call, &call_fields},
	{"tool_result", say_result, &result_fields},
	{"toolCallRequest", say_call, &call_fields},
	{"toolCallResult", say_result, &result_fields},
	{"function_call_output", say_result, &result_fields},
	{"functionResponse", say_result, &result_fields},
	{"codeExecutionResult", say_result, &result_fields},
	{"custom_tool_call_output", say_result, &result_fields},
	{"web_search_tool_result", say_result, &result_fields},
	{"image", say_picture, &picture_fields},
	{"image_url", say_picture, &picture_fields},
	{"image_file", say_picture, &picture_fields},
	{"input_image", say_picture, &picture_fields},
	{"input_audio", say_picture, &picture_fields},
	{"document", say_picture, &picture_fields},
	{"file", say_picture, &picture_fields},
	{"audio", say_picture, &picture_fields},
	{"video", say_picture, &picture_fields},
	{"data", say_picture, &picture_fields},
	{"inlineData", say_picture, &picture_fields},
	{"fileData", say_picture, &picture_fields},
};

/* Google's parts have no type: the member that they have is it. */
static struct loom_str type_of(struct chats *chat, struct loom_str part)
{
	static const char *const members[] = {"functionCall",
					      "functionResponse",
					      "executableCode",
					      "codeExecutionResult",
					      "inlineData",
					      "fileData",
					      "text"};
	struct loom_str type = import_text(chat->import, part, "type");

	if (!type.n && chats_true(loom_jval_get(part, "thought")))
		return LOOM_STR("thinking");
	for (size_t i = 0; i < LOOM_COUNT(members) && !type.n; i++)
		if (!loom_jval_is_null(loom_jval_get(part, members[i])))
			type = loom_str_of(members[i]);
	return type;
}

static void say_part(struct chats *chat, struct loom_str part, int depth)
{
	struct loom_str type = type_of(chat, part);

	chat->others += depth == 0;
	for (size_t i = 0; i < LOOM_COUNT(kinds); i++)
		if (loom_str_is(type, kinds[i].type)) {
			kinds[i].say(chat, part, depth);
			if (import_unsaid(chat->import, part, kinds[i].fields))
				chat->plain = false;
			return;
		}
	import_note(chat->import, IMPORT_NOT_UNDERSTOOD, "content part \"%.*s\"",
		    LOOM_STR_ARG(type));
	add_format(chat, "content", type);
	chat->plain = false;
}

static void say_parts(struct chats *chat, struct loom_str content, int depth)
{
	struct loom_jwalk walk = loom_jval_walk(content);
	struct loom_str part;

	if (loom_jval_type(content) == LOOM_JTYPE_STRING)
		chats_add(chat, import_string(chat->import, content));
	else if (walk.object)
		say_part(chat, content, depth);
	while (!walk.object && loom_jwalk_next(&walk, NULL, &part))
		if (loom_jval_type(part) == LOOM_JTYPE_OBJECT)
			say_part(chat, part, depth);
		else if (import_is_odd(chat->import, "content part", part, "s"))
			chat->plain = false;
		else
			chats_add(chat, import_string(chat->import, part));
}

void chats_say(struct chats *chat, struct loom_str content)
{
	say_parts(chat, content, 0);
	if (!chat->plain)
		chats_keep(chat, "content", content);
}

void chats_call(struct chats *chat, struct loom_str call)
{
	if (loom_jval_type(call) == LOOM_JTYPE_OBJECT)
		say_call(chat, call, 0);
}

void chats_results(struct chats *chat, struct loom_str result)
{
	if (loom_jval_is_null(result))
		return;
	chats_add(chat, LOOM_STR("[tool result]"));
	if (loom_jval_type(result) != LOOM_JTYPE_OBJECT || loom_jval_get(result, "type").p)
		say_parts(chat, result, 1);
	else if (!loom_jval_is_null(result_of(result)))
		add_value(chat, result_of(result));
	else
		add_value(chat, result);
}
