/* Sessions of the pi coding agent: lines of entries that name their parent, or (version 1)
 * stand in order.
 * Invariants: what was said, and what summarises a branch, is a node; a change of model, a label, a
 * name is none.
 * Leaves the chain of parents to import_records.c. */
#include "inside.h"

/* The first version has neither a number of its own nor a directory in each file. */
static bool recognise(const struct tool_import_source *source)
{
	struct loom_str first = source->first;

	return (source->lines || source->json) &&
	       loom_jval_says(loom_jval_get(first, "type"), LOOM_STR("session")) &&
	       (loom_jval_get(first, "version").p || loom_jval_get(first, "cwd").p ||
		loom_jval_get(first, "timestamp").p);
}

/* ---- what an entry says ---- */

/* A command that the person ran himself, with what came out. */
static void say_command(struct tool_talk *chat, struct loom_str message)
{
	struct loom_arena *arena = tool_import_scratch(chat->import);
	struct loom_str command = tool_import_text(chat->import, message, "command");

	tool_talk_add(chat, loom_arena_format(arena, "$ %.*s", LOOM_STR_ARG(command)));
	tool_talk_add(chat, tool_import_text(chat->import, message, "output"));
	chat->node.role = TOOL_IMPORT_TOOL;
	chat->node.excluded = tool_talk_true(loom_jval_get(message, "excludeFromContext"));
}

static void say_role(struct tool_talk *chat, struct loom_str message, struct loom_str role)
{
	struct tool_import_node *node = &chat->node;

	node->role = tool_talk_role(role);
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
	else if (tool_import_text(chat->import, message, "model").n)
		tool_talk_keep(chat, "model", loom_jval_get(message, "model"));
}

/* A message, whatever wraps it. */
static void say_message(struct tool_talk *chat, struct loom_str message)
{
	static const struct tool_import_fields fields = {
		"message",
		"role:s content:sao timestamp:ns provider model:s usage stopReason toolName:s "
		"summary:s command:s output:s",
		"api errorMessage toolCallId details isError exitCode cancelled "
		"truncated fullOutputPath excludeFromContext customType display fromId "
		"tokensBefore attachments responseId"};
	int64_t created = tool_import_time(chat->import, loom_jval_get(message, "timestamp"));

	say_role(chat, message, tool_import_text(chat->import, message, "role"));
	tool_talk_say(chat, loom_jval_get(message, "content"));
	tool_talk_add(chat, tool_import_text(chat->import, message, "summary"));
	tool_talk_record(chat, "provider", loom_jval_get(message, "provider"));
	tool_talk_record(chat, "usage", loom_jval_get(message, "usage"));
	tool_talk_record(chat, "finish_reason", loom_jval_get(message, "stopReason"));
	if (created)
		chat->node.created = created;
	tool_talk_rest(chat, message, &fields);
}

#define ENTRY_KNOWN                                                                                \
	"type firstKeptEntryId firstKeptEntryIndex tokensBefore details fromHook fromId "          \
	"customType display"

static enum loom_status say_entry(struct tool_records *session, struct loom_str entry,
				  struct loom_str type, struct loom_err *err)
{
	static const struct tool_import_fields fields = {
		"entry", "id:s parentId:s timestamp:ns message:o content:sao summary:s",
		ENTRY_KNOWN};
	static const struct tool_import_fields around = {"entry",
							 "id:s parentId:s timestamp:ns message:o",
							 ENTRY_KNOWN};
	/* Around a message that says itself when it was said. */
	static const struct tool_import_fields later = {"entry", "id:s parentId:s message:o",
							ENTRY_KNOWN " timestamp:ns"};
	struct tool_talk *chat = &session->chat;
	struct loom_str message = loom_jval_get(entry, "message");
	const bool wraps = loom_jval_type(message) == LOOM_JTYPE_OBJECT;
	const int64_t written = tool_import_time(chat->import, loom_jval_get(entry, "timestamp"));

	(void)err;
	chat->node.created = written;
	if (wraps) {
		say_message(chat, message);
	} else {
		chat->node.role = TOOL_IMPORT_SYSTEM;
		tool_talk_say(chat, loom_jval_get(entry, "content"));
		tool_talk_add(chat, tool_import_text(chat->import, entry, "summary"));
	}
	/* What it summarises is on the path as well. */
	chat->node.excluded |= loom_str_is(type, "compaction");
	tool_talk_rest(chat, entry,
		       !wraps                          ? &fields
		       : chat->node.created == written ? &around
						       : &later);
	return LOOM_OK;
}

/* ---- what is said about entries ---- */

/* What such an entry says beside what was taken of it: with the tree. */
static void keep_entry(struct loom_import *import, struct loom_str entry,
		       const struct tool_import_fields *fields)
{
	struct loom_buf rest = TOOL_IMPORT_BUF(import);
	struct loom_buf out = TOOL_IMPORT_BUF(import);
	struct loom_str id = tool_import_text(import, entry, "id");

	tool_import_rest(import, entry, fields, &rest);
	if (rest.n) {
		loom_json_quote(loom_arena_format(tool_import_scratch(import), "%s %.*s",
						  fields->where, LOOM_STR_ARG(id)),
				&out);
		loom_buf_adds(&out, ":{");
		loom_buf_add(&out, loom_buf_str(&rest));
		loom_buf_addc(&out, '}');
		tool_import_beside_tree(import, loom_buf_str(&out));
	}
	loom_buf_fini(&rest);
	loom_buf_fini(&out);
}

static enum loom_status label(struct loom_import *import, struct loom_str entry,
			      struct loom_err *err)
{
	static const struct tool_import_fields fields = {
		"label", "type:s id:s parentId:s targetId:s label:s", "timestamp:ns"};
	struct loom_str text = tool_import_text(import, entry, "label");
	struct loom_str target = tool_import_text(import, entry, "targetId");

	keep_entry(import, entry, &fields);
	if (!target.n)
		tool_import_note(import, TOOL_IMPORT_LOST, "label of nothing");
	return tool_talk_mark(import, target,
			      text.n ? TOOL_IMPORT_BOOKMARK : TOOL_IMPORT_UNBOOKMARK, text, err);
}

static void head(struct tool_records *session, struct loom_str entry)
{
	static const struct tool_import_fields fields = {
		"session", "timestamp:ns",
		"id:s type version cwd parentSession provider modelId thinkingLevel branchedFrom"};
	struct loom_import *import = session->chat.import;
	struct tool_import_tree tree = {
		.id = tool_import_text(import, entry, "id"),
		.mode = LOOM_DIALOGUE,
		.created = tool_import_time(import, loom_jval_get(entry, "timestamp")),
	};

	/* The first one tells more of the tree that is open; another one begins another. */
	if (session->chat.root.n)
		tool_import_begin(import, &tree);
	else
		tool_import_retitle(import, &tree);
	tool_talk_about(&session->chat, entry, &fields);
}

static enum loom_status take_own(struct tool_records *session, struct loom_str entry,
				 struct loom_str type, struct loom_err *err)
{
	static const struct tool_import_fields info = {"session_info",
						       "type:s id:s parentId:s name:s",
						       "timestamp:ns"};
	struct loom_import *import = session->chat.import;

	if (loom_str_is(type, "label"))
		return label(import, entry, err);
	if (loom_str_is(type, "session")) {
		head(session, entry);
		return LOOM_OK;
	}
	keep_entry(import, entry, &info);
	tool_records_title(session, tool_import_text(import, entry, "name"), TOOL_RANK_OWN);
	return LOOM_OK;
}

static const struct tool_records_type types[] = {
	{"message", TOOL_RECORD_NODE},        {"compaction", TOOL_RECORD_NODE},
	{"branch_summary", TOOL_RECORD_NODE}, {"custom_message", TOOL_RECORD_NODE},
	{"model_change", TOOL_RECORD_BESIDE}, {"thinking_level_change", TOOL_RECORD_BESIDE},
	{"custom", TOOL_RECORD_BESIDE},       {"label", TOOL_RECORD_OWN},
	{"session_info", TOOL_RECORD_OWN},    {"session", TOOL_RECORD_HEADER},
};

static enum loom_status read(struct loom_import *import, const struct tool_import_source *source,
			     struct loom_err *err)
{
	static const struct tool_records_form form = {
		.id = "id",
		.parent = "parentId",
		.types = types,
		.type_count = LOOM_COUNT(types),
		.all_chained = true,
		.node = say_entry,
		.own = take_own,
	};

	const struct tool_import_tree tree = {.mode = LOOM_DIALOGUE};

	tool_import_begin(import, &tree);
	return tool_records_read(import, source->text, &form, err);
}

const struct tool_import_reader tool_import_pi = {
	.name = "pi",
	.title = "pi coding agent sessions (JSONL)",
	.recognise = recognise,
	.read = read,
};
