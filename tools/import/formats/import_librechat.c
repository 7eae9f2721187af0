/* LibreChat exports: one conversation, with messages in a flat list or nested as children.
 * Invariants: a nested file is parsed with the pull reader and one frame per level, so that nothing
 * is read twice; parentMessageId counts, and the nesting only without it. The framework handles
 * several roots. */
#include <loom/formats/chats_kit.h>

#define ROOT "00000000-0000-0000-0000-000000000000"

/* The members of a message that are read; the rest goes to extra. */
enum member {
	ID,
	PARENT,
	SENDER,
	TEXT,
	CONTENT,
	BY_USER,
	MODEL,
	CREATED,
	FINISH,
	FEEDBACK,
	MEMBERS
};

static const char *const names[MEMBERS] = {
	[ID] = "messageId",      [PARENT] = "parentMessageId", [SENDER] = "sender",
	[TEXT] = "text",         [CONTENT] = "content",        [BY_USER] = "isCreatedByUser",
	[MODEL] = "model",       [CREATED] = "createdAt",      [FINISH] = "finish_reason",
	[FEEDBACK] = "feedback",
};

static const struct import_fields fields = {
	.where = "message",
	.used = "conversationId:s messageId:s parentMessageId:s sender:s text:s content:sao "
		"isCreatedByUser:b model:s createdAt:ns finish_reason feedback:o children:a",
	.known = "updatedAt endpoint error unfinished tokenCount files attachments iconURL "
		 "isEdited plugin plugins depth siblingIndex user __v _id _meiliIndex expiredAt "
		 "thread_id "
		 "metadata addedConvo quotes"};

/* A message that has not ended yet. */
struct frame {
	struct frame *up;
	struct loom_str values[MEMBERS];
	struct loom_buf rest;
	size_t number;
	bool assumed; /* a child used its id before it was read */
};

struct messages {
	struct chats chat;
	struct import_pull *pull;
	struct frame *frame;
	size_t count;
};

static bool recognise(const struct import_source *source)
{
	return source->json && import_has(source, "conversationId", LOOM_JTYPE_STRING) &&
	       (import_has(source, "messages", LOOM_JTYPE_ARRAY) ||
		import_has(source, "messagesTree", LOOM_JTYPE_ARRAY));
}

/* ---- a message ---- */

static struct loom_str say(struct messages *messages, struct loom_str value)
{
	return import_string(messages->chat.import, value);
}

/* Its id, or one made from its number in the file if its children need one. */
static struct loom_str id_of(struct messages *messages, struct frame *frame, bool for_child)
{
	struct loom_str id = say(messages, frame->values[ID]);

	frame->assumed |= for_child && !id.n;
	return frame->assumed ? loom_arena_format(import_scratch(messages->chat.import),
						  "message-%zu", frame->number)
			      : id;
}

static struct loom_str parent_of(struct messages *messages, const struct frame *frame)
{
	struct loom_str parent = say(messages, frame->values[PARENT]);

	if (!parent.n && frame->up)
		return id_of(messages, frame->up, true);
	return parent;
}

static enum import_role role_of(struct messages *messages, const struct frame *frame)
{
	if (loom_jval_type(frame->values[BY_USER]) == LOOM_JTYPE_BOOL)
		return chats_true(frame->values[BY_USER]) ? IMPORT_HUMAN : IMPORT_MODEL;
	return chats_role(say(messages, frame->values[SENDER]));
}

static enum loom_status rate(struct messages *messages, const struct frame *frame,
			     struct loom_err *err)
{
	static const struct import_fields about = {.where = "feedback",
						   .used = "rating:s",
						   .known = "*"};
	struct loom_str rating = loom_jval_get(frame->values[FEEDBACK], "rating");
	struct import_mark mark = {.kind = IMPORT_RATED, .id = say(messages, frame->values[ID])};

	(void)import_unsaid(messages->chat.import, frame->values[FEEDBACK], &about);
	if (loom_jval_says(rating, LOOM_STR("thumbsUp")))
		mark.number = 1;
	else if (loom_jval_says(rating, LOOM_STR("thumbsDown")))
		mark.number = -1;
	return mark.number && mark.id.n ? import_mark(messages->chat.import, &mark, err) : LOOM_OK;
}

static enum loom_status end_message(struct messages *messages, struct loom_err *err)
{
	struct chats *chat = &messages->chat;
	struct frame *frame = messages->frame;
	struct loom_str text;
	enum loom_status status = LOOM_OK;

	chats_begin(chat);
	chat->node.id = id_of(messages, frame, false);
	chat->node.anonymous = frame->assumed;
	chat->node.parent = parent_of(messages, frame);
	chat->node.role = role_of(messages, frame);
	if (chat->node.role == IMPORT_MODEL)
		chat->node.model = say(messages, frame->values[MODEL]);
	else
		chats_keep(chat, "model", frame->values[MODEL]);
	chat->node.created = import_time(chat->import, frame->values[CREATED]);
	chats_say(chat, frame->values[CONTENT]);
	text = say(messages, frame->values[TEXT]);
	if (!chat->text.n)
		chats_add(chat, text);
	else if (text.n && !loom_str_eq(text, loom_buf_str(&chat->text)))
		chats_keep(chat, "text", frame->values[TEXT]);
	chats_record(chat, "finish_reason", frame->values[FINISH]);
	chats_keep(chat, "sender", frame->values[SENDER]);
	chats_keep(chat, "feedback", frame->values[FEEDBACK]);
	if (frame->rest.n && chat->inner.n)
		loom_buf_addc(&chat->inner, ',');
	loom_buf_add(&chat->inner, loom_buf_str(&frame->rest));
	status = chats_end(chat, err);
	return status == LOOM_OK ? rate(messages, frame, err) : status;
}

/* ---- frames ---- */

static void push(struct messages *messages)
{
	struct frame *frame = loom_alloc(sizeof *frame);

	frame->up = messages->frame;
	frame->number = messages->count++;
	loom_buf_init(&frame->rest, LOOM_BUF_MAX);
	messages->frame = frame;
}

static void pop(struct messages *messages)
{
	struct frame *frame = messages->frame;

	messages->frame = frame->up;
	loom_buf_fini(&frame->rest);
	free(frame);
}

/* Keeps one member, by way of an object, so that it is noted like any other. */
static void keep(struct messages *messages, struct loom_str key, struct loom_str value)
{
	struct loom_buf one = IMPORT_BUF(messages->chat.import);

	loom_buf_adds(&one, "{\"");
	loom_buf_add(&one, key);
	loom_buf_adds(&one, "\":");
	loom_buf_add(&one, value);
	loom_buf_addc(&one, '}');
	import_rest(messages->chat.import, loom_buf_str(&one), &fields, &messages->frame->rest);
	loom_buf_fini(&one);
}

/* Reads a member of the current message; enters the children, and takes everything else whole. */
static enum loom_status take_member(struct messages *messages, struct loom_json_token key,
				    struct loom_err *err)
{
	struct loom_json_reader *reader = &messages->pull->reader;
	struct loom_json_token token = key;
	struct import_member member = {.key = key.raw};
	enum loom_status status = LOOM_OK;

	if (loom_str_is(key.raw, "children")) {
		status = loom_json_read(reader, &token, err);
		if (status != LOOM_OK || token.kind == LOOM_JSON_ARRAY)
			return status;
	}
	status = loom_json_skip(reader, &token, &member.value, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		if (loom_str_is(key.raw, names[i]) && !import_is_strange(&fields, &member)) {
			messages->frame->values[i] = member.value;
			return LOOM_OK;
		}
	keep(messages, key.raw, member.value);
	return LOOM_OK;
}

static enum loom_status take_token(struct messages *messages, struct loom_json_token token,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (token.kind == LOOM_JSON_OBJECT) {
		push(messages);
	} else if (token.kind == LOOM_JSON_KEY) {
		status = take_member(messages, token, err);
	} else if (token.kind == LOOM_JSON_END_OBJECT) {
		status = end_message(messages, err);
		pop(messages);
	} else if (token.kind != LOOM_JSON_END_ARRAY && token.kind != LOOM_JSON_ARRAY) {
		import_note(messages->chat.import, IMPORT_LOST, "message that is not an object");
	}
	return status;
}

static enum loom_status read_messages(struct messages *messages, struct loom_str list,
				      struct loom_err *err)
{
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	enum loom_status status = LOOM_OK;

	messages->pull = loom_alloc(sizeof *messages->pull);
	import_pull_init(messages->pull, messages->chat.import, list);
	while (status == LOOM_OK) {
		status = loom_json_read(&messages->pull->reader, &token, err);
		if (status != LOOM_OK || token.kind == LOOM_JSON_DONE)
			break;
		status = take_token(messages, token, err);
		if (status == LOOM_OK)
			status = import_here(messages->chat.import,
					     loom_str_sub(list, messages->pull->reader.at, list.n),
					     err);
	}
	while (messages->frame)
		pop(messages);
	free(messages->pull);
	return status;
}

/* ---- the conversation ---- */

#define KNOWN "conversationId endpoint exportAt branches recursive options:o"

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct import_fields flat = {.where = "conversation",
						  .used = "title:s messages:a messagesTree:a",
						  .known = KNOWN};
	/* With nested messages, the flat list is not read. */
	static const struct import_fields nested = {.where = "conversation",
						    .used = "title:s messagesTree:a",
						    .known = KNOWN};
	static const struct import_fields options = {.where = "options",
						     .used = "promptPrefix:s",
						     .known = "*"};
	struct loom_str object = source->first;
	struct messages messages = {.frame = NULL};
	struct loom_str system =
		import_text(import, loom_jval_get(object, "options"), "promptPrefix");
	struct loom_str list = loom_jval_get(object, "messagesTree");
	struct import_tree tree = {
		.id = import_text(import, object, "conversationId"),
		.title = import_text(import, object, "title"),
		.system = system,
		.mode = LOOM_DIALOGUE,
	};
	const bool tree_given = loom_jval_type(list) == LOOM_JTYPE_ARRAY;
	enum loom_status status = LOOM_OK;

	if (!tree_given)
		list = loom_jval_get(object, "messages");
	chats_init(&messages.chat, import);
	messages.chat.untitled = !tree.title.n;
	import_begin(import, &tree);
	chats_about(&messages.chat, object, tree_given ? &nested : &flat);
	(void)import_unsaid(import, loom_jval_get(object, "options"), &options);
	status = chats_root(&messages.chat, LOOM_STR(ROOT), err);
	if (status == LOOM_OK)
		status = read_messages(&messages, list, err);
	chats_fini(&messages.chat);
	return status;
}

const struct import_reader import_librechat = {
	.name = "librechat",
	.title = "LibreChat conversation, flat or nested",
	.recognise = recognise,
	.read = read,
};
