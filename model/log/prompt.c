/* The one form of a message between a log and a provider: made from an entry, written as the chat
 * API has it, read back, and shown as text. Invariants: the same entry gives the same bytes;
 * arguments keep theirs; parts are of the types below. Which messages there are is decided
 * elsewhere. */
#include <loom/log/prompt.h>

#include <loom/log/budget.h>
#include <loom/text/quoting.h>

/* A picture or a sound costs about this much, however long its data is. */
#define PART_TOKENS 1000

static const struct {
	const char *name;
	enum loom_role role;
} role_names[] = {
	{"user", LOOM_ROLE_USER},     {"assistant", LOOM_ROLE_ASSISTANT}, {"tool", LOOM_ROLE_TOOL},
	{"system", LOOM_ROLE_SYSTEM}, {"developer", LOOM_ROLE_SYSTEM},
};

const char *loom_role_name(enum loom_role role)
{
	for (size_t i = 0; i < LOOM_COUNT(role_names); i++)
		if (role_names[i].role == role)
			return role_names[i].name;
	return "user";
}

static bool find_role(struct loom_str word, enum loom_role *out)
{
	for (size_t i = 0; i < LOOM_COUNT(role_names); i++) {
		*out = role_names[i].role;
		if (loom_str_is(word, role_names[i].name))
			return true;
	}
	*out = LOOM_ROLE_USER;
	return false;
}

enum loom_role loom_role_named(struct loom_str word)
{
	enum loom_role role = LOOM_ROLE_USER;

	(void)find_role(word, &role);
	return role;
}

static struct loom_str take(struct loom_buf *text, struct loom_arena *arena)
{
	struct loom_str taken = loom_arena_buf(arena, text);

	loom_buf_fini(text);
	return taken;
}

/* ---- calls ---- */

static bool read_call(struct loom_str item, struct loom_arena *arena, struct loom_tool_call *out)
{
	struct loom_str function = loom_jval_get(item, "function");
	struct loom_str from = loom_jval_type(function) == LOOM_JTYPE_OBJECT ? function : item;
	struct loom_str arguments = loom_jval_get(from, "arguments");

	*out = (struct loom_tool_call){
		.id = loom_jval_text(loom_jval_get(item, "id"), arena),
		.name = loom_jval_text(loom_jval_get(from, "name"), arena),
		.arguments = arguments,
	};
	if (loom_jval_type(arguments) == LOOM_JTYPE_STRING)
		out->arguments = loom_jval_text(arguments, arena);
	else if (loom_jval_is_null(arguments))
		out->arguments = LOOM_STR("{}");
	return out->name.n > 0;
}

size_t loom_tool_calls(struct loom_str list, struct loom_arena *arena,
		       const struct loom_tool_call **out)
{
	struct loom_tool_call *calls =
		LOOM_ARENA_ARRAY(arena, loom_jval_count(list) + 1, struct loom_tool_call);
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;
	size_t count = 0;

	*out = calls;
	while (!walk.object && loom_jwalk_next(&walk, NULL, &item))
		count += read_call(item, arena, &calls[count]);
	return count;
}

/* ---- content in parts ---- */

struct parting {
	struct loom_arena *arena;
	bool own; /* an assistant's, whose thoughts may be signed */
	bool rich;
	struct loom_buf parts;
	struct loom_buf reasoning;
	struct loom_json json; /* of parts */
};

static void put_text_part(struct loom_str text, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put(json, "type", LOOM_STR("text"));
	loom_json_put(json, "text", text);
	loom_json_end_object(json);
}

/* Returns parts as one text: of what is no text, its type. */
static struct loom_str text_of(struct loom_str parts, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(parts);
	struct loom_str part;

	while (loom_jwalk_next(&walk, NULL, &part)) {
		struct loom_str text = loom_jval_text(loom_jval_get(part, "text"), arena);
		struct loom_str type = loom_jval_text(loom_jval_get(part, "type"), arena);

		if (text.p)
			loom_buf_add(&out, text);
		else
			loom_buf_addf(&out, "[%.*s]", LOOM_STR_ARG(type));
	}
	return take(&out, arena);
}

static void add_text(struct parting *parting, struct loom_str text)
{
	put_text_part(text, &parting->json);
}

/* {"type":"image","source":…} as {"type":"image_url","image_url":{"url":…}}. */
static bool add_image(struct parting *parting, struct loom_str source)
{
	struct loom_str data = loom_jval_text(loom_jval_get(source, "data"), parting->arena);
	struct loom_str media = loom_jval_text(loom_jval_get(source, "media_type"), parting->arena);
	struct loom_str url = loom_jval_text(loom_jval_get(source, "url"), parting->arena);

	if (data.n && media.n)
		url = loom_arena_format(parting->arena, "data:%.*s;base64,%.*s",
					LOOM_STR_ARG(media), LOOM_STR_ARG(data));
	if (!url.n)
		return false;
	loom_json_object(&parting->json);
	loom_json_put(&parting->json, "type", LOOM_STR("image_url"));
	loom_json_key(&parting->json, "image_url");
	loom_json_object(&parting->json);
	loom_json_put(&parting->json, "url", url);
	loom_json_end_object(&parting->json);
	loom_json_end_object(&parting->json);
	return true;
}

/* By its type, a JSON string. */
static bool is_thought(struct loom_str type)
{
	return loom_jval_says(type, LOOM_STR("thinking")) ||
	       loom_jval_says(type, LOOM_STR("redacted_thinking"));
}

/* Whether a provider takes the thought back: it is signed, or sealed. */
static bool is_signed(struct loom_str thought)
{
	return loom_jval_type(loom_jval_get(thought, "signature")) == LOOM_JTYPE_STRING ||
	       loom_jval_type(loom_jval_get(thought, "data")) == LOOM_JTYPE_STRING;
}

/* Adds a signed thought to the list. A block of Anthropic's becomes what others call it. */
static void add_thought(struct loom_buf *list, struct loom_str thought)
{
	struct loom_buf one = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text = loom_jval_get(thought, "thinking");
	struct loom_str data = loom_jval_get(thought, "data");
	struct loom_json json;

	if (!is_signed(thought))
		return;
	loom_json_init(&json, &one);
	if (!is_thought(loom_jval_get(thought, "type"))) {
		loom_json_raw(&json, thought);
	} else {
		loom_json_object(&json);
		loom_json_put(&json, "type",
			      text.p ? LOOM_STR("reasoning.text")
				     : LOOM_STR("reasoning.encrypted"));
		loom_json_put(&json, "format", LOOM_STR("anthropic-claude-v1"));
		loom_json_key(&json, text.p ? "text" : "data");
		loom_json_raw(&json, text.p ? text : data);
		if (text.p) {
			loom_json_key(&json, "signature");
			loom_json_raw(&json, loom_jval_get(thought, "signature"));
		}
		loom_json_end_object(&json);
	}
	loom_buf_addc(list, list->n ? ',' : '[');
	loom_buf_add(list, loom_buf_str(&one));
	loom_buf_fini(&one);
}

/* These are passed on as they are; a type that no provider knows is told by its name. */
static bool is_passed(struct loom_str type)
{
	static const char *const types[] = {"image_url", "input_audio", "video_url", "file"};

	for (size_t i = 0; i < LOOM_COUNT(types); i++)
		if (loom_str_is(type, types[i]))
			return true;
	return false;
}

static void add_part(struct parting *parting, struct loom_str part)
{
	struct loom_str type = loom_jval_text(loom_jval_get(part, "type"), parting->arena);
	struct loom_str text = loom_jval_text(loom_jval_get(part, "text"), parting->arena);

	if (loom_jval_type(part) == LOOM_JTYPE_STRING) {
		add_text(parting, loom_jval_text(part, parting->arena));
	} else if (is_thought(loom_jval_get(part, "type"))) {
		if (parting->own)
			add_thought(&parting->reasoning, part);
	} else if (text.p && (!type.n || loom_str_ends(type, LOOM_STR("text")))) {
		add_text(parting, text);
	} else if (is_passed(type)) {
		loom_json_raw(&parting->json, part);
		parting->rich = true;
	} else if (loom_str_is(type, "image") &&
		   add_image(parting, loom_jval_get(part, "source"))) {
		parting->rich = true;
	} else {
		add_text(parting, loom_arena_format(parting->arena, "[%.*s]%s%.*s",
						    LOOM_STR_ARG(type.n ? type : LOOM_STR("part")),
						    text.n ? " " : "", LOOM_STR_ARG(text)));
	}
}

/* Ends the list of thoughts; p NULL if it is empty. */
static struct loom_str end_list(struct loom_buf *list, struct loom_arena *arena)
{
	if (list->n)
		loom_buf_addc(list, ']');
	return list->n ? take(list, arena) : loom_str_make(NULL, 0);
}

static void read_parts(struct loom_str content, struct loom_str voice, struct parting *parting,
		       struct loom_prompt_message *out)
{
	struct loom_jwalk walk = loom_jval_walk(content);
	struct loom_str part;

	loom_buf_init(&parting->parts, LOOM_BUF_MAX);
	loom_buf_init(&parting->reasoning, LOOM_BUF_MAX);
	loom_json_init(&parting->json, &parting->parts);
	loom_json_array(&parting->json);
	if (voice.n)
		add_text(parting, voice);
	while (!walk.object && loom_jwalk_next(&walk, NULL, &part))
		add_part(parting, part);
	loom_json_end_array(&parting->json);
	out->reasoning = end_list(&parting->reasoning, parting->arena);
	out->parts = take(&parting->parts, parting->arena);
	out->text = text_of(out->parts, parting->arena);
	if (!parting->rich)
		out->parts = loom_str_make(NULL, 0);
}

/* ---- from an entry ---- */

/* Of the thoughts beside the content only the signed ones go back. */
static struct loom_str read_reasoning(struct loom_str list, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str thought;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &thought))
		add_thought(&text, thought);
	return end_list(&text, arena);
}

/* Returns what tells whose text it is: a user's name, or a role that no provider has. */
static struct loom_str voice_of(const struct loom_entry *entry, bool known, enum loom_role role,
				struct loom_arena *arena)
{
	struct loom_str name = loom_jval_text(entry->name, arena);

	if (!known)
		name = loom_jval_text(entry->role_name, arena);
	return role == LOOM_ROLE_USER && name.n
		       ? loom_arena_format(arena, "%.*s: ", LOOM_STR_ARG(name))
		       : LOOM_STR("");
}

void loom_entry_message(const struct loom_entry *entry, struct loom_arena *arena,
			struct loom_prompt_message *out)
{
	struct parting parting = {.arena = arena};
	enum loom_role role = LOOM_ROLE_USER;
	const bool known = find_role(loom_jval_text(entry->role_name, arena), &role);
	const struct loom_str voice = voice_of(entry, known, role, arena);

	LOOM_ASSERT(!entry->node.n);
	*out = (struct loom_prompt_message){.role = role};
	if (loom_jval_type(entry->content) == LOOM_JTYPE_ARRAY) {
		parting.own = role == LOOM_ROLE_ASSISTANT;
		read_parts(entry->content, voice, &parting, out);
	} else {
		out->text = loom_arena_format(arena, "%.*s%.*s", LOOM_STR_ARG(voice),
					      LOOM_STR_ARG(loom_jval_text(entry->content, arena)));
	}
	if (role == LOOM_ROLE_TOOL) {
		out->call_id = loom_jval_text(entry->tool_call_id, arena);
		out->name = loom_jval_text(entry->name, arena);
	} else if (role == LOOM_ROLE_ASSISTANT) {
		out->call_count = loom_tool_calls(entry->tool_calls, arena, &out->calls);
		if (!out->reasoning.p)
			out->reasoning = read_reasoning(entry->reasoning, arena);
	}
}

/* ---- quoting ---- */

static struct loom_str quoted(struct loom_str text, size_t from, unsigned below,
			      struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (!loom_body_any_ours(loom_str_sub(text, from, text.n), below))
		return text;
	loom_buf_add(&out, loom_str_sub(text, 0, from));
	(void)loom_body_add(&out, loom_str_sub(text, from, text.n), below);
	return take(&out, arena);
}

void loom_prompt_quote(struct loom_prompt_message *message, size_t from, unsigned below,
		       struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_jwalk walk = loom_jval_walk(message->parts);
	struct loom_json json;
	struct loom_str part;

	if (!message->parts.p) {
		message->text = quoted(message->text, from, below, arena);
		return;
	}
	loom_json_init(&json, &out);
	loom_json_array(&json);
	for (size_t skip = from; loom_jwalk_next(&walk, NULL, &part); skip = 0) {
		struct loom_str text = loom_jval_get(part, "text");

		if (!text.p) {
			loom_json_raw(&json, part);
			continue;
		}
		text = loom_jval_text(text, arena);
		put_text_part(quoted(text, skip < text.n ? skip : text.n, below, arena), &json);
	}
	loom_json_end_array(&json);
	message->parts = take(&out, arena);
	message->text = text_of(message->parts, arena);
}

/* ---- as a value ---- */

bool loom_prompt_empty(const struct loom_prompt_message *message)
{
	return !message->text.n && !message->parts.p && !message->call_count &&
	       !message->reasoning.p && message->role != LOOM_ROLE_TOOL;
}

int64_t loom_prompt_tokens(const struct loom_prompt_message *message)
{
	struct loom_jwalk walk = loom_jval_walk(message->parts);
	size_t bytes =
		message->text.n + message->call_id.n + message->name.n + message->reasoning.n;
	int64_t rich = 0;
	struct loom_str part;

	for (size_t i = 0; i < message->call_count; i++)
		bytes += message->calls[i].id.n + message->calls[i].name.n +
			 message->calls[i].arguments.n;
	while (loom_jwalk_next(&walk, NULL, &part))
		rich += !loom_jval_get(part, "text").p;
	return loom_token_estimate(bytes) + rich * PART_TOKENS;
}

static struct loom_str kept(struct loom_str text, struct loom_arena *arena)
{
	return text.p ? loom_arena_str(arena, text) : text;
}

struct loom_prompt_message loom_prompt_copy(const struct loom_prompt_message *message,
					    struct loom_arena *arena)
{
	struct loom_prompt_message copy = *message;
	struct loom_tool_call *calls =
		LOOM_ARENA_ARRAY(arena, message->call_count + 1, struct loom_tool_call);

	for (size_t i = 0; i < message->call_count; i++)
		calls[i] = (struct loom_tool_call){kept(message->calls[i].id, arena),
						   kept(message->calls[i].name, arena),
						   kept(message->calls[i].arguments, arena)};
	copy.calls = calls;
	copy.text = kept(message->text, arena);
	copy.parts = kept(message->parts, arena);
	copy.call_id = kept(message->call_id, arena);
	copy.name = kept(message->name, arena);
	copy.reasoning = kept(message->reasoning, arena);
	return copy;
}

/* ---- as JSON ---- */

static void put_calls(const struct loom_prompt_message *message, struct loom_json *json)
{
	loom_json_key(json, "tool_calls");
	loom_json_array(json);
	for (size_t i = 0; i < message->call_count; i++) {
		const struct loom_tool_call *call = &message->calls[i];

		loom_json_object(json);
		loom_json_put(json, "id", call->id);
		loom_json_put(json, "type", LOOM_STR("function"));
		loom_json_key(json, "function");
		loom_json_object(json);
		loom_json_put(json, "name", call->name);
		loom_json_put(json, "arguments", call->arguments);
		loom_json_end_object(json);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void put_rest(const struct loom_prompt_message *message, struct loom_json *json)
{
	if (message->role == LOOM_ROLE_TOOL) {
		loom_json_put(json, "tool_call_id", message->call_id);
		loom_json_put(json, "name", message->name);
	}
	if (message->call_count)
		put_calls(message, json);
	if (message->reasoning.p) {
		loom_json_key(json, "reasoning_details");
		loom_json_raw(json, message->reasoning);
	}
}

void loom_prompt_json(const struct loom_prompt_message *message, struct loom_json *json)
{
	loom_json_put(json, "role", loom_str_of(loom_role_name(message->role)));
	loom_json_key(json, "content");
	if (message->parts.p)
		loom_json_raw(json, message->parts);
	else
		loom_json_text(json, message->text);
	put_rest(message, json);
}

void loom_prompt_rest_json(const struct loom_prompt_message *message, struct loom_json *json)
{
	if (message->parts.p) {
		loom_json_key(json, "parts");
		loom_json_raw(json, message->parts);
	}
	put_rest(message, json);
}

void loom_prompt_rest_read(struct loom_str object, struct loom_arena *arena,
			   struct loom_prompt_message *out)
{
	out->parts = loom_jval_get(object, "parts");
	out->call_id = loom_jval_text(loom_jval_get(object, "tool_call_id"), arena);
	out->name = loom_jval_text(loom_jval_get(object, "name"), arena);
	out->reasoning = loom_jval_get(object, "reasoning_details");
	out->call_count = loom_tool_calls(loom_jval_get(object, "tool_calls"), arena, &out->calls);
}

/* ---- as text ---- */

/* Appends "lookup (c1)", which is theirs. */
static size_t add_tool(struct loom_str name, struct loom_str id, struct loom_str arguments,
		       unsigned below, struct loom_buf *out)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t lines = 0;

	loom_buf_addf(&line, "%.*s (%.*s)%s%.*s", LOOM_STR_ARG(name), LOOM_STR_ARG(id),
		      arguments.n ? " " : "", LOOM_STR_ARG(arguments));
	lines = loom_body_add_inside(out, loom_buf_str(&line), below);
	loom_buf_fini(&line);
	return lines;
}

size_t loom_prompt_text(const struct loom_prompt_message *message, const char *label,
			unsigned below, struct loom_buf *out)
{
	const bool tool = message->role == LOOM_ROLE_TOOL;
	const size_t begin = out->n;
	size_t lines = 0;

	if (message->call_count)
		below |= LOOM_BELOW_CALLS;
	if (label)
		loom_buf_addf(out, "%s ", label);
	if (tool) {
		lines += add_tool(message->name, message->call_id, LOOM_STR(""), below, out);
		loom_buf_addc(out, '\n');
	}
	lines += label && !tool ? loom_body_add_inside(out, message->text, below)
				: loom_body_add(out, message->text, below);
	for (size_t i = 0; i < message->call_count; i++) {
		const struct loom_tool_call *call = &message->calls[i];

		loom_buf_addf(out, "%s" LOOM_SAYS_CALL " ", out->n > begin ? "\n" : "");
		lines += add_tool(call->name, call->id, call->arguments, below, out);
	}
	return lines;
}
