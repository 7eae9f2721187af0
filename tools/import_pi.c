/* Purpose: sessions of the pi coding agent: lines of entries that name their parent, or (version 1)
 * stand in order.
 * Invariants: what was said, and what summarises a branch, is a node; a change of model, a label, a
 * name is none.
 * Leaves the chain of parents to import_session.c. */
#include "import_chat_impl.h"

static bool recognise(const struct tool_import_source *source)
{
	struct loom_str first = source->first;

	return (source->lines || source->json) &&
	       loom_jval_says(loom_jval_get(first, "type"), LOOM_STR("session")) &&
	       (loom_jval_get(first, "version").p || loom_jval_get(first, "cwd").p);
}

/* ---- what an entry says ---- */

/* A command that the person ran himself, with what came out. */
static void say_command(struct tool_chat *chat, struct loom_str message)
{
	struct loom_arena *arena = tool_import_scratch(chat->import);
	struct loom_str command = tool_import_text(chat->import, message, "command");

	tool_chat_add(chat, loom_arena_format(arena, "$ %.*s", LOOM_STR_ARG(command)));
	tool_chat_add(chat, tool_import_text(chat->import, message, "output"));
	chat->node.role = TOOL_IMPORT_TOOL;
	chat->node.excluded = tool_chat_true(loom_jval_get(message, "excludeFromContext"));
}

static void say_role(struct tool_chat *chat, struct loom_str message, struct loom_str role)
{
	struct tool_import_node *node = &chat->node;

	node->role = tool_chat_role(role);
	if (loom_str_is(role, "toolResult")) {
		node->role = TOOL_IMPORT_TOOL;
		node->author = tool_import_text(chat->import, message, "toolName");
	} else if (loom_str_is(role, "bashExecution")) {
		say_command(chat, message);
	} else if (node->role == TOOL_IMPORT_UNKNOWN) {
		node->role = TOOL_IMPORT_SYSTEM;
		node->author = tool_import_text(chat->import, message, "customType");
	}
	if (node->role == TOOL_IMPORT_MODEL)
		node->model = tool_import_text(chat->import, message, "model");
}

/* A message, whatever wraps it. */
static void say_message(struct tool_chat *chat, struct loom_str message)
{
	static const struct tool_import_fields fields = {
		"message",
		"role content timestamp provider model usage stopReason toolName summary",
		"api errorMessage toolCallId details isError command output exitCode cancelled "
		"truncated fullOutputPath excludeFromContext customType display fromId "
		"tokensBefore attachments responseId"};
	int64_t created = tool_import_time(loom_jval_get(message, "timestamp"));

	say_role(chat, message, tool_import_text(chat->import, message, "role"));
	tool_chat_say(chat, loom_jval_get(message, "content"));
	tool_chat_add(chat, tool_import_text(chat->import, message, "summary"));
	tool_chat_record(chat, "provider", loom_jval_get(message, "provider"));
	tool_chat_record(chat, "usage", loom_jval_get(message, "usage"));
	tool_chat_record(chat, "finish_reason", loom_jval_get(message, "stopReason"));
	if (created)
		chat->node.created = created;
	tool_chat_rest(chat, message, &fields);
}

static enum loom_status say_entry(struct tool_session *session, struct loom_str entry,
				  struct loom_str type, struct loom_err *err)
{
	static const struct tool_import_fields fields = {
		"entry", "id parentId timestamp message content summary",
		"type firstKeptEntryId firstKeptEntryIndex tokensBefore details fromHook fromId "
		"customType display"};
	struct tool_chat *chat = &session->chat;
	struct loom_str message = loom_jval_get(entry, "message");

	(void)err;
	chat->node.created = tool_import_time(loom_jval_get(entry, "timestamp"));
	if (loom_jval_type(message) == LOOM_JTYPE_OBJECT) {
		say_message(chat, message);
	} else {
		chat->node.role = TOOL_IMPORT_SYSTEM;
		tool_chat_say(chat, loom_jval_get(entry, "content"));
		tool_chat_add(chat, tool_import_text(chat->import, entry, "summary"));
	}
	/* What it summarises is on the path as well. */
	chat->node.excluded |= loom_str_is(type, "compaction");
	tool_chat_rest(chat, entry, &fields);
	return LOOM_OK;
}

/* ---- what is said about entries ---- */

static enum loom_status label(struct loom_import *import, struct loom_str entry,
			      struct loom_err *err)
{
	struct loom_str text = tool_import_text(import, entry, "label");
	struct loom_str target = tool_import_text(import, entry, "targetId");

	if (text.n && target.n)
		return tool_chat_mark(import, target, TOOL_IMPORT_BOOKMARK, text, err);
	tool_import_note(import, TOOL_IMPORT_LOST, "label that was taken away again");
	return LOOM_OK;
}

static void head(struct tool_session *session, struct loom_str entry)
{
	static const struct tool_import_fields fields = {
		"session", "id timestamp",
		"type version cwd parentSession provider modelId thinkingLevel branchedFrom"};
	struct loom_import *import = session->chat.import;
	struct tool_import_tree tree = {
		.id = tool_import_text(import, entry, "id"),
		.mode = LOOM_DIALOGUE,
		.created = tool_import_time(loom_jval_get(entry, "timestamp")),
	};

	tool_import_begin(import, &tree);
	tool_chat_about(&session->chat, entry, &fields);
}

static enum loom_status take_own(struct tool_session *session, struct loom_str entry,
				 struct loom_str type, struct loom_err *err)
{
	struct loom_import *import = session->chat.import;
	struct tool_import_tree tree = {.mode = LOOM_DIALOGUE};

	if (loom_str_is(type, "label"))
		return label(import, entry, err);
	if (loom_str_is(type, "session")) {
		head(session, entry);
		return LOOM_OK;
	}
	tree.title = tool_import_text(import, entry, "name");
	if (tree.title.n)
		tool_import_retitle(import, &tree);
	return LOOM_OK;
}

static const struct tool_session_type types[] = {
	{"message", TOOL_SESSION_NODE},        {"compaction", TOOL_SESSION_NODE},
	{"branch_summary", TOOL_SESSION_NODE}, {"custom_message", TOOL_SESSION_NODE},
	{"model_change", TOOL_SESSION_BESIDE}, {"thinking_level_change", TOOL_SESSION_BESIDE},
	{"custom", TOOL_SESSION_BESIDE},       {"label", TOOL_SESSION_OWN},
	{"session_info", TOOL_SESSION_OWN},    {"session", TOOL_SESSION_HEADER},
};

static enum loom_status read(struct loom_import *import, const struct tool_import_source *source,
			     struct loom_err *err)
{
	static const struct tool_session_form form = {
		.id = "id",
		.parent = "parentId",
		.types = types,
		.type_count = LOOM_COUNT(types),
		.node = say_entry,
		.own = take_own,
	};

	return tool_session_read(import, source->text, &form, err);
}

const struct tool_import_reader tool_import_pi = {
	.name = "pi",
	.title = "pi coding agent sessions (JSONL)",
	.recognise = recognise,
	.read = read,
};
