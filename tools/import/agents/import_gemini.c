/* Sessions of Gemini CLI: one object, or lines of messages and of changes to the session.
 * Invariants: a message may be written again as it grows, and its last writing counts; `$rewindTo`
 * takes the session back to before a message, so that what follows is a fork and nothing is lost;
 * `$set` changes what is known about the session, or all its messages. */
#include <loom/base/sort.h>

#include "inside.h"

static bool recognise(const struct import_source *source)
{
	return (source->lines || source->json) &&
	       import_has(source, "sessionId", LOOM_JTYPE_STRING) &&
	       import_has(source, "projectHash", LOOM_JTYPE_STRING);
}

/* Numbers in the import's pages. */
struct numbers {
	uint64_t *items;
	size_t count;
	size_t cap;
};

struct gemini {
	struct chats chat;
	struct loom_str text;
	struct numbers written; /* a hash of a message's id, and the offset of one writing of it */
	struct numbers path;    /* the offsets of the messages of the session as it stands */
	struct loom_buf others; /* what is no message, kept with the tree */
	size_t number;
};

static void push(struct loom_import *import, struct numbers *list, uint64_t number)
{
	const size_t old = list->cap * sizeof number;

	if (list->count == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 256;
		list->items = loom_pages_resize(import_pages(import), list->items, old,
						list->cap * sizeof number);
	}
	list->items[list->count++] = number;
}

static uint32_t place_of(const struct gemini *gemini, struct loom_str message)
{
	return (uint32_t)(message.p - gemini->text.p);
}

static struct loom_str message_at(const struct gemini *gemini, uint64_t place)
{
	return loom_str_sub(gemini->text, (uint32_t)place, gemini->text.n);
}

static bool is_at(struct gemini *gemini, uint64_t place, struct loom_str id)
{
	return loom_str_eq(import_text(gemini->chat.import, message_at(gemini, place), "id"), id);
}

/* Notes where messages are, before any is read. */
static void note_written(struct gemini *gemini, struct loom_str message)
{
	struct loom_import *import = gemini->chat.import;
	struct loom_str id = import_text(import, message, "id");

	if (id.n)
		push(import, &gemini->written, import_hash(import, id) | place_of(gemini, message));
}

static void note_all(struct gemini *gemini, struct loom_str messages)
{
	struct loom_jwalk walk = loom_jval_walk(messages);
	struct loom_str message;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &message))
		note_written(gemini, message);
}

/* The last writing of a message; *out_first is whether `message` is its first. */
static struct loom_str last_writing(struct gemini *gemini, struct loom_str id,
				    struct loom_str message, bool *out_first)
{
	const uint64_t hash = import_hash(gemini->chat.import, id);
	const struct numbers *all = &gemini->written;
	const uint32_t own = place_of(gemini, message);
	struct loom_str last = message;

	*out_first = true;
	for (size_t at = loom_lower_u64(all->items, all->count, hash);
	     at < all->count && (all->items[at] ^ hash) >> 32 == 0; at++)
		if (!is_at(gemini, all->items[at], id))
			continue;
		else if ((uint32_t)all->items[at] < own)
			*out_first = false;
		else
			last = message_at(gemini, all->items[at]);
	return last;
}

/* The index on the path + 1 of the message with this id; 0 if it is not on it. */
static size_t find_on_path(struct gemini *gemini, struct loom_str id)
{
	for (size_t i = gemini->path.count; i > 0; i--)
		if (is_at(gemini, gemini->path.items[i - 1], id))
			return i;
	return 0;
}

/* The next message continues the last one of the path. */
static void stand_at_end(struct gemini *gemini)
{
	struct chats *chat = &gemini->chat;
	const struct numbers *path = &gemini->path;

	loom_buf_clear(&chat->before);
	if (path->count)
		loom_buf_add(&chat->before,
			     import_text(chat->import,
					 message_at(gemini, path->items[path->count - 1]), "id"));
}

/* ---- a message ---- */

static void say_calls(struct chats *chat, struct loom_str calls)
{
	struct loom_jwalk walk = loom_jval_walk(calls);
	struct loom_str call;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &call)) {
		chats_call(chat, call);
		chats_results(chat, loom_jval_get(call, "result"));
	}
}

static void say_thoughts(struct chats *chat, struct loom_str thoughts)
{
	struct loom_jwalk walk = loom_jval_walk(thoughts);
	struct loom_str thought;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &thought)) {
		chats_think(chat, import_text(chat->import, thought, "subject"));
		chats_think(chat, import_text(chat->import, thought, "description"));
	}
}

enum { TO_TYPE = CHATS_OWN, TO_CONTENT, TO_CALLS, TO_THOUGHTS, TO_TOKENS };

static const struct import_key message_keys[] = {
	{"id", "s", CHATS_ID, false},          {"type", "s", TO_TYPE, false},
	{"model", "s", CHATS_MODEL, false},    {"timestamp", "ns", CHATS_CREATED, false},
	{"content", "sao", TO_CONTENT, false}, {"toolCalls", "a", TO_CALLS, true},
	{"thoughts", "a", TO_THOUGHTS, true},  {"tokens", "o", TO_TOKENS, false},
};
static const struct import_fields message_fields = {.where = "message",
						    .known = "displayContent",
						    IMPORT_KEYS(message_keys)};

static void say_message(struct gemini *gemini, struct loom_str message)
{
	struct chats *chat = &gemini->chat;
	struct loom_str values[IMPORT_TO_MAX];
	struct loom_str type;

	chats_take(chat, message, &message_fields, values);
	type = import_string(chat->import, values[TO_TYPE]);
	if (loom_str_is(type, "gemini"))
		chat->node.role = IMPORT_MODEL;
	else
		chats_speaker(chat, type);
	if (loom_str_is(type, "info") || loom_str_is(type, "warning") ||
	    loom_str_is(type, "error")) {
		/* Shown to the person, but not to the model. */
		chat->node.role = IMPORT_SYSTEM;
		chat->node.author = LOOM_STR("");
		chat->node.excluded = true;
	}
	say_thoughts(chat, values[TO_THOUGHTS]);
	chats_say(chat, values[TO_CONTENT]);
	say_calls(chat, values[TO_CALLS]);
	chats_record(chat, "usage", values[TO_TOKENS]);
	chats_rest(chat, message, &message_fields);
}

static enum loom_status read_message(struct gemini *gemini, struct loom_str message,
				     struct loom_err *err)
{
	struct chats *chat = &gemini->chat;
	struct loom_str id = import_text(chat->import, message, "id");
	bool first = true;
	struct loom_str last = last_writing(gemini, id, message, &first);

	if (!first && find_on_path(gemini, id))
		return LOOM_OK;
	push(chat->import, &gemini->path, place_of(gemini, message));
	if (!first) {
		stand_at_end(gemini);
		return LOOM_OK;
	}
	say_message(gemini, last);
	chats_link(chat, gemini->number++, true);
	return chats_end(chat, err);
}

static enum loom_status read_messages(struct gemini *gemini, struct loom_str messages,
				      struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(messages);
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &message))
		if (loom_jval_type(message) != LOOM_JTYPE_OBJECT)
			import_note(gemini->chat.import, IMPORT_LOST,
				    "message that is not an object");
		else if (import_here(gemini->chat.import, message, err) != LOOM_OK)
			status = LOOM_CANCELLED;
		else
			status = read_message(gemini, message, err);
	return status;
}

/* ---- the session ---- */

static const struct import_fields session_fields = {
	.where = "session",
	.used = "sessionId:s startTime:ns summary:s messages:a",
	.known = "projectHash lastUpdated directories kind activeExtensionName memoryScratchpad"};

/* Takes what is known about the session; what has no field of its own is kept with the tree. */
static void take_session(struct gemini *gemini, struct loom_str session)
{
	struct loom_import *import = gemini->chat.import;
	const struct import_tree tree = {
		.title = import_text(import, session, "summary"),
		.created = import_time(import, loom_jval_get(session, "startTime")),
		.mode = LOOM_DIALOGUE,
	};
	struct loom_buf rest = IMPORT_BUF(import);

	import_retitle(import, &tree);
	gemini->chat.untitled &= !tree.title.n;
	import_rest(import, session, &session_fields, &rest);
	if (rest.n) {
		loom_buf_adds(&gemini->others, gemini->others.n ? ",{" : "{");
		loom_buf_add(&gemini->others, loom_buf_str(&rest));
		loom_buf_addc(&gemini->others, '}');
	}
	loom_buf_fini(&rest);
}

static enum loom_status read_line(struct gemini *gemini, struct loom_str line, struct loom_err *err)
{
	struct loom_import *import = gemini->chat.import;
	struct loom_str rewind = loom_jval_get(line, "$rewindTo");
	struct loom_str set = loom_jval_get(line, "$set");
	struct loom_str messages = loom_jval_get(set, "messages");
	size_t at;

	if (loom_jval_type(rewind) == LOOM_JTYPE_STRING) {
		at = find_on_path(gemini, import_string(import, rewind));
		gemini->path.count = at ? at - 1 : 0;
		stand_at_end(gemini);
		return LOOM_OK;
	}
	if (loom_jval_get(line, "id").p)
		return read_message(gemini, line, err);
	take_session(gemini, set.p ? set : line);
	if (loom_jval_count(messages)) {
		gemini->path.count = 0;
		stand_at_end(gemini);
	}
	return read_messages(gemini, set.p ? messages : loom_jval_get(line, "messages"), err);
}

static enum loom_status read_lines(struct gemini *gemini, struct loom_err *err)
{
	struct chats_lines lines;
	struct loom_str rest = gemini->text;
	struct loom_str line;
	enum loom_status status = LOOM_OK;

	while (loom_str_line(&rest, &line)) {
		line = loom_str_trim(line);
		note_written(gemini, line);
		note_all(gemini, loom_jval_get(loom_jval_get(line, "$set"), "messages"));
	}
	loom_sort_u64(gemini->written.items, gemini->written.count);
	chats_lines(&lines, gemini->chat.import, gemini->text);
	for (;;) {
		status = chats_line(&lines, &line, err);
		if (status != LOOM_OK || !line.p)
			return status;
		status = read_line(gemini, line, err);
		if (status != LOOM_OK)
			return status;
	}
}

static enum loom_status read_all(struct gemini *gemini, const struct import_source *source,
				 struct loom_err *err)
{
	struct chats *chat = &gemini->chat;
	enum loom_status status = chats_root(chat, LOOM_STR("session"), err);

	if (status == LOOM_OK && source->lines)
		status = read_lines(gemini, err);
	if (status == LOOM_OK && source->json) {
		note_all(gemini, loom_jval_get(source->first, "messages"));
		loom_sort_u64(gemini->written.items, gemini->written.count);
		status = read_line(gemini, source->first, err);
	}
	if (gemini->others.n)
		import_beside_tree(chat->import, loom_arena_format(import_scratch(chat->import),
								   "\"session\":[%s]",
								   loom_buf_cstr(&gemini->others)));
	return status == LOOM_OK ? chats_mark(chat->import, loom_buf_str(&chat->before),
					      IMPORT_CURRENT, LOOM_STR(""), err)
				 : status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	const struct import_tree tree = {.id = import_text(import, source->first, "sessionId"),
					 .mode = LOOM_DIALOGUE};
	struct gemini gemini = {.text = source->text, .others = IMPORT_BUF(import)};
	enum loom_status status;

	chats_init(&gemini.chat, import);
	gemini.chat.untitled = true;
	import_begin(import, &tree);
	status = read_all(&gemini, source, err);
	chats_fini(&gemini.chat);
	loom_buf_fini(&gemini.others);
	loom_pages_return(import_pages(import), gemini.written.items,
			  gemini.written.cap * sizeof *gemini.written.items);
	loom_pages_return(import_pages(import), gemini.path.items,
			  gemini.path.cap * sizeof *gemini.path.items);
	return status;
}

const struct import_reader import_gemini = {
	.name = "gemini",
	.title = "Gemini CLI sessions (JSONL or JSON)",
	.recognise = recognise,
	.read = read,
	.places = ".gemini/tmp",
};
