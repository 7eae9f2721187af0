/* Sessions of the pi coding agent: lines of entries that name their parent or (version 1) follow in
 * order. Invariants: messages and branch summaries become nodes; model changes, labels and names do
 * not. import_records.c resolves the chain of parents. */
#include "inside.h"

/* Version 1 has no version number, and some of its files no directory. */
static bool recognise(const struct import_source *source)
{
	struct loom_str first = source->first;

	return (source->lines || source->json) &&
	       loom_jval_says(loom_jval_get(first, "type"), LOOM_STR("session")) &&
	       (loom_jval_get(first, "version").p || loom_jval_get(first, "cwd").p ||
		loom_jval_get(first, "timestamp").p);
}

/* ---- the contents of an entry ---- */

/* Adds a command that the person ran, with its output. */
static void say_command(struct chats *chat, struct loom_str message)
{
	struct loom_arena *arena = import_scratch(chat->import);
	struct loom_str command = import_text(chat->import, message, "command");

	chats_add(chat, loom_arena_format(arena, "$ %.*s", LOOM_STR_ARG(command)));
	chats_add(chat, import_text(chat->import, message, "output"));
	chat->node.role = IMPORT_TOOL;
	chat->node.excluded = chats_true(loom_jval_get(message, "excludeFromContext"));
}

static void say_role(struct chats *chat, struct loom_str message, struct loom_str role)
{
	struct import_node *node = &chat->node;

	node->role = chats_role(role);
	if (loom_str_is(role, "toolResult")) {
		node->role = IMPORT_TOOL;
		node->author = import_text(chat->import, message, "toolName");
	} else if (loom_str_is(role, "bashExecution")) {
		say_command(chat, message);
	} else if (node->role == IMPORT_UNKNOWN) {
		node->role = IMPORT_SYSTEM;
		node->author = import_text(chat->import, message, "customType");
	}
	if (node->role == IMPORT_MODEL)
		node->model = import_text(chat->import, message, "model");
	else if (import_text(chat->import, message, "model").n)
		chats_keep(chat, "model", loom_jval_get(message, "model"));
}

/* Reads a message, whatever wraps it. */
static void say_message(struct chats *chat, struct loom_str message)
{
	static const struct import_fields fields = {
		.where = "message",
		.used = "role:s content:sao timestamp:ns provider model:s usage stopReason "
			"toolName:s "
			"summary:s command:s output:s",
		.known = "api errorMessage toolCallId details isError exitCode cancelled "
			 "truncated fullOutputPath excludeFromContext customType display fromId "
			 "tokensBefore attachments responseId"};
	int64_t created = import_time(chat->import, loom_jval_get(message, "timestamp"));

	say_role(chat, message, import_text(chat->import, message, "role"));
	chats_say(chat, loom_jval_get(message, "content"));
	chats_add(chat, import_text(chat->import, message, "summary"));
	chats_record(chat, "provider", loom_jval_get(message, "provider"));
	chats_record(chat, "usage", loom_jval_get(message, "usage"));
	chats_record(chat, "finish_reason", loom_jval_get(message, "stopReason"));
	if (created)
		chat->node.created = created;
	chats_rest(chat, message, &fields);
}

#define ENTRY_KNOWN                                                                                \
	"type firstKeptEntryId firstKeptEntryIndex tokensBefore details fromHook fromId "          \
	"customType display"

static enum loom_status say_entry(struct import_records *session, struct loom_str entry,
				  struct loom_str type, struct loom_err *err)
{
	static const struct import_fields fields = {
		.where = "entry",
		.used = "id:s parentId:s timestamp:ns message:o content:sao summary:s",
		.known = ENTRY_KNOWN};
	static const struct import_fields around = {
		.where = "entry",
		.used = "id:s parentId:s timestamp:ns message:o",
		.known = ENTRY_KNOWN};
	/* An entry around a message that has its own time. */
	static const struct import_fields later = {.where = "entry",
						   .used = "id:s parentId:s message:o",
						   .known = ENTRY_KNOWN " timestamp:ns"};
	struct chats *chat = &session->chat;
	struct loom_str message = loom_jval_get(entry, "message");
	const bool wraps = loom_jval_type(message) == LOOM_JTYPE_OBJECT;
	const int64_t written = import_time(chat->import, loom_jval_get(entry, "timestamp"));

	(void)err;
	chat->node.created = written;
	if (wraps) {
		say_message(chat, message);
	} else {
		chat->node.role = IMPORT_SYSTEM;
		chats_say(chat, loom_jval_get(entry, "content"));
		chats_add(chat, import_text(chat->import, entry, "summary"));
	}
	/* The text it summarizes is on the path as well. */
	chat->node.excluded |= loom_str_is(type, "compaction");
	chats_rest(chat, entry,
		   !wraps                          ? &fields
		   : chat->node.created == written ? &around
						   : &later);
	return LOOM_OK;
}

/* ---- entries about entries ---- */

/* Keeps the other members of such an entry with the tree. */
static void keep_entry(struct loom_import *import, struct loom_str entry,
		       const struct import_fields *fields)
{
	struct loom_buf rest = IMPORT_BUF(import);
	struct loom_buf out = IMPORT_BUF(import);
	struct loom_str id = import_text(import, entry, "id");

	import_rest(import, entry, fields, &rest);
	if (rest.n) {
		loom_json_quote(loom_arena_format(import_scratch(import), "%s %.*s", fields->where,
						  LOOM_STR_ARG(id)),
				&out);
		loom_buf_adds(&out, ":{");
		loom_buf_add(&out, loom_buf_str(&rest));
		loom_buf_addc(&out, '}');
		import_beside_tree(import, loom_buf_str(&out));
	}
	loom_buf_fini(&rest);
	loom_buf_fini(&out);
}

static enum loom_status label(struct loom_import *import, struct loom_str entry,
			      struct loom_err *err)
{
	static const struct import_fields fields = {
		.where = "label",
		.used = "type:s id:s parentId:s targetId:s label:s",
		.known = "timestamp:ns"};
	struct loom_str text = import_text(import, entry, "label");
	struct loom_str target = import_text(import, entry, "targetId");

	keep_entry(import, entry, &fields);
	if (!target.n)
		import_note(import, IMPORT_LOST, "label without a target");
	return chats_mark(import, target, text.n ? IMPORT_BOOKMARK : IMPORT_UNBOOKMARK, text, err);
}

static void head(struct import_records *session, struct loom_str entry)
{
	static const struct import_fields fields = {
		.where = "session",
		.used = "timestamp:ns",
		.known = "id:s type version cwd parentSession provider modelId thinkingLevel "
			 "branchedFrom"};
	struct loom_import *import = session->chat.import;
	struct import_tree tree = {
		.id = import_text(import, entry, "id"),
		.mode = LOOM_DIALOGUE,
		.created = import_time(import, loom_jval_get(entry, "timestamp")),
	};

	/* The first header describes the current tree; another header begins another tree. */
	if (session->chat.root.n)
		import_begin(import, &tree);
	else
		import_retitle(import, &tree);
	chats_about(&session->chat, entry, &fields);
}

static enum loom_status take_own(struct import_records *session, struct loom_str entry,
				 struct loom_str type, struct loom_err *err)
{
	static const struct import_fields info = {.where = "session_info",
						  .used = "type:s id:s parentId:s name:s",
						  .known = "timestamp:ns"};
	struct loom_import *import = session->chat.import;

	if (loom_str_is(type, "label"))
		return label(import, entry, err);
	if (loom_str_is(type, "session")) {
		head(session, entry);
		return LOOM_OK;
	}
	keep_entry(import, entry, &info);
	import_records_title(session, import_text(import, entry, "name"), IMPORT_RANK_OWN);
	return LOOM_OK;
}

static const struct import_records_type types[] = {
	{"message", IMPORT_RECORD_NODE},        {"compaction", IMPORT_RECORD_NODE},
	{"branch_summary", IMPORT_RECORD_NODE}, {"custom_message", IMPORT_RECORD_NODE},
	{"model_change", IMPORT_RECORD_BESIDE}, {"thinking_level_change", IMPORT_RECORD_BESIDE},
	{"custom", IMPORT_RECORD_BESIDE},       {"label", IMPORT_RECORD_OWN},
	{"session_info", IMPORT_RECORD_OWN},    {"session", IMPORT_RECORD_HEADER},
};

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct import_records_form form = {
		.id = "id",
		.parent = "parentId",
		.types = types,
		.type_count = LOOM_COUNT(types),
		.all_chained = true,
		.node = say_entry,
		.own = take_own,
	};

	const struct import_tree tree = {.mode = LOOM_DIALOGUE};

	import_begin(import, &tree);
	return import_records_read(import, source->text, &form, NULL, err);
}

const struct import_reader import_pi = {
	.name = "pi",
	.title = "pi coding agent sessions (JSONL)",
	.recognise = recognise,
	.read = read,
	.places = ".pi/agent/sessions",
};
