/* Training data: conversations ("messages", or ShareGPT's "conversations"), preference pairs and
 * texts, one object per line or a list of them; also a bare list of messages. Invariants: a file is
 * one tree with an empty root, and an object is a branch of it; common beginnings are merged.
 * Messages have no ids: they are identified by their text and everything before it, so that a file
 * that has grown joins the earlier one. The sides of a pair are rated, so that an export gives it
 * again. Other members of an object are kept beside its last message, or with the tree. */
#include <loom/formats/chats_kit.h>

struct training {
	struct chats chat;
	const struct import_source *source;
	struct loom_buf parent; /* the id of the previous message; empty: the root */
	struct loom_buf rest;   /* the object's other members, until a message takes them */
	size_t number;          /* of the object */
	bool stands;            /* a position has been marked */
};

enum key { MESSAGES, CONVERSATIONS, PROMPT, CHOSEN, COMPLETION, REJECTED, TEXT, KEYS };

static const char *const names[KEYS] = {
	[MESSAGES] = "messages", [CONVERSATIONS] = "conversations", [PROMPT] = "prompt",
	[CHOSEN] = "chosen",     [COMPLETION] = "completion",       [REJECTED] = "rejected",
	[TEXT] = "text",
};

/* One object of the file. */
struct sample {
	struct loom_str values[KEYS];
	struct loom_str messages;
	struct loom_str prompt; /* a text */
	struct loom_str chosen;
	struct loom_str rejected;
	struct loom_str text; /* all there is */
};

/* ---- looking up members ---- */

static bool is_message(struct loom_str value)
{
	return (loom_jval_type(loom_jval_get(value, "role")) == LOOM_JTYPE_STRING &&
		loom_jval_get(value, "content").p) ||
	       (loom_jval_type(loom_jval_get(value, "from")) == LOOM_JTYPE_STRING &&
		loom_jval_get(value, "value").p);
}

static bool are_messages(struct loom_str value)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str first;

	return loom_jval_type(value) == LOOM_JTYPE_ARRAY && loom_jwalk_next(&walk, NULL, &first) &&
	       is_message(first);
}

static bool is_side(struct loom_str value)
{
	return loom_jval_type(value) == LOOM_JTYPE_STRING || are_messages(value);
}

static bool recognise(const struct import_source *source)
{
	if (!source->lines && !source->json)
		return false;
	if (are_messages(import_member(source, "messages")) ||
	    are_messages(import_member(source, "conversations")))
		return true;
	if (is_side(import_member(source, "prompt")) &&
	    is_side(import_member(source, "completion")))
		return true;
	if (is_side(import_member(source, "chosen")) && is_side(import_member(source, "rejected")))
		return true;
	/* As pretraining has it; one object could be anything. */
	if (import_has(source, "text", LOOM_JTYPE_STRING) &&
	    (source->lines || loom_jval_type(loom_jval_of(source->text)) == LOOM_JTYPE_ARRAY))
		return true;
	return source->json && are_messages(loom_jval_of(source->text));
}

static bool is_taken_type(struct loom_str value, bool text)
{
	const enum loom_jtype type = loom_jval_type(value);

	return type == LOOM_JTYPE_ARRAY || (text && type == LOOM_JTYPE_STRING);
}

/* The first of several members with messages or, with `text`, with a text; absent if there is
 * none. */
static struct loom_str first_of(const struct sample *sample, const enum key *keys, size_t count,
				bool text)
{
	for (size_t i = 0; i < count; i++)
		if (is_taken_type(sample->values[keys[i]], text))
			return sample->values[keys[i]];
	return (struct loom_str){NULL, 0};
}

static void look(struct loom_str object, struct sample *out)
{
	static const enum key talks[] = {MESSAGES, CONVERSATIONS, PROMPT};
	static const enum key sides[] = {CHOSEN, COMPLETION};
	static const enum key worse[] = {REJECTED};

	*out = (struct sample){.messages = {NULL, 0}};
	if (loom_jval_type(object) == LOOM_JTYPE_OBJECT)
		(void)import_pick(object, names, KEYS, out->values);
	out->messages = first_of(out, talks, LOOM_COUNT(talks), false);
	out->chosen = first_of(out, sides, LOOM_COUNT(sides), true);
	out->rejected = first_of(out, worse, LOOM_COUNT(worse), true);
	if ((out->chosen.p || out->rejected.p) &&
	    loom_jval_type(out->values[PROMPT]) == LOOM_JTYPE_STRING)
		out->prompt = out->values[PROMPT];
	if (!out->messages.p && !out->chosen.p && !out->rejected.p &&
	    loom_jval_type(out->values[TEXT]) == LOOM_JTYPE_STRING)
		out->text = out->values[TEXT];
}

static bool is_of_use(const struct sample *sample, struct loom_str value)
{
	return value.p == sample->messages.p || value.p == sample->prompt.p ||
	       value.p == sample->chosen.p || value.p == sample->rejected.p ||
	       value.p == sample->text.p;
}

/* Keeps the other members of an object: unknown ones, those with a wrong type, and unused
 * alternatives. */
static void keep_rest(struct training *training, struct loom_str object,
		      const struct sample *sample)
{
	struct loom_buf used = LOOM_BUF_INIT(1024);
	struct import_fields fields = {.where = "line",
				       .known = "tools functions parallel_tool_calls model id "
						/* of our own pairs */
						"split tree title nodes models reason by decided "
						"time"};

	for (size_t i = 0; i < KEYS; i++) {
		const char *types = i < PROMPT ? "a" : "sa";
		const struct loom_str value = sample->values[i];

		if (!is_taken_type(value, i >= PROMPT) || is_of_use(sample, value))
			loom_buf_addf(&used, "%s:%s ", names[i], types);
	}
	fields.used = loom_buf_cstr(&used);
	loom_buf_clear(&training->rest);
	import_rest(training->chat.import, object, &fields, &training->rest);
	loom_buf_fini(&used);
}

/* No message took them. */
static void place_rest(struct training *training)
{
	if (training->rest.n)
		import_beside_tree(training->chat.import,
				   loom_arena_format(import_scratch(training->chat.import),
						     "\"line %zu\":{%s}", training->number,
						     loom_buf_cstr(&training->rest)));
	loom_buf_clear(&training->rest);
}

/* ---- messages ---- */

static void take_rest(struct training *training)
{
	struct loom_buf *inner = &training->chat.inner;

	if (inner->n && training->rest.n)
		loom_buf_addc(inner, ',');
	loom_buf_add(inner, loom_buf_str(&training->rest));
	loom_buf_clear(&training->rest);
}

/* A message that is there already stays as it is, and the object's other members go to the tree. */
static enum loom_status put(struct training *training, bool last, struct loom_err *err)
{
	struct chats *chat = &training->chat;
	struct import_node *node = &chat->node;
	struct loom_arena *arena = import_scratch(chat->import);
	const struct loom_str said = loom_buf_str(chat->text.n ? &chat->text : &chat->thought);

	node->parent = loom_arena_buf(arena, &training->parent);
	node->id = chats_id(chat->import, node->parent, node->role == IMPORT_HUMAN, said);
	node->anonymous = true;
	node->shared = true;
	loom_buf_clear(&training->parent);
	loom_buf_add(&training->parent, node->id);
	if (last && !import_is_there(chat->import, node->id))
		take_rest(training);
	return chats_end(chat, err);
}

/* `last`: the object's other members go beside this message. */
static enum loom_status put_message(struct training *training, struct loom_str message, bool last,
				    struct loom_err *err)
{
	struct chats *chat = &training->chat;
	/* The two kinds of files use different words; the members of the other kind are extra. */
	const char *who = loom_jval_get(message, "role").p ? "role" : "from";
	const char *what = loom_jval_get(message, "content").p ? "content" : "value";
	char used[64];
	struct import_fields fields = {.where = "message",
				       .used = used,
				       .known = "name tool_calls tool_call_id function_call weight "
						"reasoning_content refusal model"};

	chats_begin(chat);
	chats_speaker(chat, import_text(chat->import, message, who));
	if (chat->node.role == IMPORT_MODEL)
		chat->node.model = import_text(chat->import, message, "model");
	snprintf(used, sizeof used, "%s:s %s:sao%s", who, what,
		 chat->node.role == IMPORT_MODEL ? " model:s" : "");
	chats_say(chat, loom_jval_get(message, what));
	chats_rest(chat, message, &fields);
	return put(training, last, err);
}

static enum loom_status put_messages(struct training *training, struct loom_str messages, bool last,
				     struct loom_err *err)
{
	struct loom_import *import = training->chat.import;
	struct loom_jwalk walk = loom_jval_walk(messages);
	size_t left = loom_jval_count(messages);
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &message)) {
		left--;
		if (loom_jval_type(message) != LOOM_JTYPE_OBJECT)
			import_note(import, IMPORT_LOST, "message that is not an object");
		else
			status = put_message(training, message, last && !left, err);
	}
	return status;
}

static enum loom_status put_text(struct training *training, struct loom_str text,
				 enum import_role role, bool last, struct loom_err *err)
{
	struct chats *chat = &training->chat;

	chats_begin(chat);
	chat->node.role = role;
	chats_add(chat, import_string(chat->import, text));
	if (!chat->text.n)
		return LOOM_OK;
	return put(training, last, err);
}

/* ---- pairs ---- */

static enum loom_status put_side(struct training *training, struct loom_str side, bool last,
				 struct loom_err *err)
{
	if (loom_jval_type(side) == LOOM_JTYPE_ARRAY)
		return put_messages(training, side, last, err);
	return put_text(training, side, IMPORT_MODEL, last, err);
}

/* Reads a side below the prompt. Of a pair, its last message is rated. */
static enum loom_status put_rated(struct training *training, struct loom_str side, int64_t rating,
				  struct loom_err *err)
{
	struct import_mark rated = {.kind = IMPORT_RATED, .number = rating};
	struct loom_buf above = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status;

	loom_buf_add(&above, loom_buf_str(&training->parent));
	status = put_side(training, side, rating >= 0, err);
	rated.id = loom_buf_str(&training->parent);
	if (status == LOOM_OK && rating && !loom_str_eq(rated.id, loom_buf_str(&above)))
		status = import_mark(training->chat.import, &rated, err);
	if (rating) {
		loom_buf_clear(&training->parent);
		loom_buf_add(&training->parent, loom_buf_str(&above));
	}
	loom_buf_fini(&above);
	return status;
}

/* A pair is left where its sides part. */
static enum loom_status put_pair(struct training *training, const struct sample *sample,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (sample->prompt.p)
		status = put_text(training, sample->prompt, IMPORT_UNKNOWN, false, err);
	if (status == LOOM_OK && sample->chosen.p)
		status = put_rated(training, sample->chosen, sample->rejected.p ? 1 : 0, err);
	if (status == LOOM_OK && sample->rejected.p)
		status = put_rated(training, sample->rejected, -1, err);
	return status;
}

/* ---- the file ---- */

static enum loom_status read_sample(struct training *training, struct loom_str object,
				    struct loom_err *err)
{
	struct sample sample;
	enum loom_status status = LOOM_OK;
	bool pair;

	look(object, &sample);
	keep_rest(training, object, &sample);
	training->number++;
	pair = sample.chosen.p || sample.rejected.p;
	loom_buf_clear(&training->parent);
	if (sample.messages.p)
		status = put_messages(training, sample.messages, !pair, err);
	if (status == LOOM_OK && pair)
		status = put_pair(training, &sample, err);
	if (status == LOOM_OK && sample.text.p)
		status = put_text(training, sample.text, IMPORT_UNKNOWN, true, err);
	if (!sample.messages.p && !pair && !sample.text.p)
		import_note(training->chat.import,
			    training->rest.n ? IMPORT_NOT_UNDERSTOOD : IMPORT_LOST,
			    "line without a conversation");
	place_rest(training);
	if (status != LOOM_OK || training->stands || !training->parent.n)
		return status;
	training->stands = true;
	return chats_mark(training->chat.import, loom_buf_str(&training->parent), IMPORT_CURRENT,
			  LOOM_STR(""), err);
}

static enum loom_status read_lines(struct training *training, struct loom_err *err)
{
	struct chats_lines lines;
	struct loom_str line;
	enum loom_status status = LOOM_OK;

	chats_lines(&lines, training->chat.import, training->source->text);
	for (;;) {
		status = chats_line(&lines, &line, err);
		if (status != LOOM_OK || !line.p)
			return status;
		status = read_sample(training, line, err);
		if (status != LOOM_OK)
			return status;
	}
}

static enum loom_status read_objects(struct training *training, struct loom_err *err)
{
	const struct import_source *source = training->source;
	struct chats_walk walk = chats_walk(source);
	struct loom_str object;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && chats_walk_next(&walk, &object)) {
		status = import_at(training->chat.import, (size_t)(object.p - source->text.p), err);
		if (status == LOOM_OK)
			status = read_sample(training, object, err);
	}
	return status;
}

/* A text, or a prompt that is not a list of messages, is one to be continued. */
static enum loom_mode mode_of(const struct import_source *source)
{
	return import_has(source, "prompt", LOOM_JTYPE_STRING) ||
			       (import_has(source, "text", LOOM_JTYPE_STRING) &&
				!import_has(source, "messages", LOOM_JTYPE_ARRAY))
		       ? LOOM_BUFFER
		       : LOOM_DIALOGUE;
}

static enum loom_status read_all(struct training *training, struct loom_err *err)
{
	const struct import_source *source = training->source;
	const struct import_tree tree = {.id = source->name, .mode = mode_of(source)};
	enum loom_status status = LOOM_OK;

	import_begin(training->chat.import, &tree);
	status = chats_root(&training->chat, LOOM_STR("start"), err);
	if (status != LOOM_OK)
		return status;
	if (source->lines)
		return read_lines(training, err);
	if (are_messages(loom_jval_of(source->text)))
		return put_messages(training, loom_jval_of(source->text), false, err);
	return read_objects(training, err);
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct training training = {.source = source,
				    .parent = IMPORT_BUF(import),
				    .rest = IMPORT_BUF(import)};
	enum loom_status status;

	chats_init(&training.chat, import);
	status = read_all(&training, err);
	chats_fini(&training.chat);
	loom_buf_fini(&training.parent);
	loom_buf_fini(&training.rest);
	return status;
}

const struct import_reader import_training = {
	.name = "jsonl",
	.title =
		"training data: conversations (messages), preference pairs and texts, one per line",
	.recognise = recognise,
	.read = read,
};
