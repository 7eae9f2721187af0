/* Sessions of Claude Code: lines of records linked by uuid and parentUuid. Invariants: a
 * compaction's logical parent keeps the session one tree; a sidechain is a tagged branch; nothing
 * is inferred from times. import_records.c resolves the chain of parents. */
#include "inside.h"

static bool says_session(struct loom_str record)
{
	static const char *const spoken[] = {"user", "assistant", "system"};
	struct loom_str type = loom_jval_get(record, "type");

	if (loom_jval_says(type, LOOM_STR("summary")))
		return loom_jval_get(record, "leafUuid").p;
	if (loom_jval_says(type, LOOM_STR("file-history-snapshot")) ||
	    loom_jval_says(type, LOOM_STR("queue-operation")))
		return true;
	for (size_t i = 0; i < LOOM_COUNT(spoken); i++)
		if (loom_jval_says(type, loom_str_of(spoken[i])))
			return loom_jval_get(record, "uuid").p;
	return loom_jval_get(record, "sessionId").p && loom_jval_get(record, "parentUuid").p;
}

static bool recognise(const struct import_source *source)
{
	return (source->lines || source->json) && says_session(source->first);
}

/* ---- the contents of a record ---- */

static void say_message(struct chats *chat, struct loom_str message)
{
	static const struct import_fields fields = {
		.where = "message",
		.used = "role:s content:sao model:s usage stop_reason",
		.known = "id type stop_sequence stop_details container context_management"};
	struct loom_str model = import_text(chat->import, message, "model");

	chats_speaker(chat, import_text(chat->import, message, "role"));
	if (chat->node.role == IMPORT_MODEL)
		chat->node.model = model;
	else if (model.n)
		chats_keep(chat, "model", loom_jval_get(message, "model"));
	chats_say(chat, loom_jval_get(message, "content"));
	chats_record(chat, "usage", loom_jval_get(message, "usage"));
	chats_record(chat, "finish_reason", loom_jval_get(message, "stop_reason"));
	chats_rest(chat, message, &fields);
}

/* An event was shown to the person, but not to the model. */
static void say_event(struct chats *chat, struct loom_str record)
{
	struct loom_str subtype = import_text(chat->import, record, "subtype");

	chat->node.role = IMPORT_SYSTEM;
	chat->node.excluded = true;
	chats_say(chat, loom_jval_get(record, "content"));
	if (!chat->text.n && subtype.n)
		chats_add(chat, loom_arena_format(import_scratch(chat->import), "[%.*s]",
						  LOOM_STR_ARG(subtype)));
}

#define RECORD_USED "uuid:s parentUuid:s logicalParentUuid:s timestamp:ns type:s"
#define RECORD_KNOWN                                                                               \
	"isSidechain isMeta isCompactSummary isVisibleInTranscriptOnly isApiErrorMessage "         \
	"sessionId cwd version gitBranch userType requestId toolUseResult agentId slug todos "     \
	"thinkingMetadata permissionMode subtype level compactMetadata toolUseID "                 \
	"parentToolUseID sourceToolAssistantUUID sourceToolUseID imagePasteIds hookCount "         \
	"hookInfos hookErrors preventedContinuation stopReason hasOutput durationMs "              \
	"messageCount error entrypoint promptId teamName microcompactMetadata"

static enum loom_status say_record(struct import_records *session, struct loom_str record,
				   struct loom_str type, struct loom_err *err)
{
	static const struct import_fields fields = {.where = "record",
						    .used = RECORD_USED " message:o",
						    .known = RECORD_KNOWN " content"};
	static const struct import_fields event = {.where = "record",
						   .used = RECORD_USED " message:o content:sao",
						   .known = RECORD_KNOWN};
	struct chats *chat = &session->chat;
	struct loom_str message = loom_jval_get(record, "message");
	const bool wraps = loom_jval_type(message) == LOOM_JTYPE_OBJECT;

	if (wraps)
		say_message(chat, message);
	else
		say_event(chat, record);
	if (chat->node.role == IMPORT_UNKNOWN)
		chat->node.role = chats_role(type);
	chat->node.created = import_time(chat->import, loom_jval_get(record, "timestamp"));
	chat->node.excluded |= chats_true(loom_jval_get(record, "isApiErrorMessage"));
	chats_rest(chat, record, wraps ? &fields : &event);
	session->aside = chats_true(loom_jval_get(record, "isSidechain"));
	if (!session->aside || chat->node.parent.n)
		return LOOM_OK;
	return chats_mark(chat->import, chat->node.id, IMPORT_TAG, LOOM_STR("sidechain"), err);
}

/* ---- records about the session ---- */

static const struct {
	const char *type;
	const char *member;
	int rank;
} titles[] = {
	{"summary", "summary", IMPORT_RANK_SUMMARY},
	{"ai-title", "aiTitle", IMPORT_RANK_MADE},
	{"custom-title", "customTitle", IMPORT_RANK_OWN},
};

static enum loom_status take_own(struct import_records *session, struct loom_str record,
				 struct loom_str type, struct loom_err *err)
{
	static const struct import_fields fields = {
		.where = "title",
		.used = "type:s summary:s aiTitle:s customTitle:s title:s sessionId:s",
		.known = "leafUuid:s"};

	(void)err;
	(void)import_unsaid(session->chat.import, record, &fields);
	/* There may be an earlier one: it is kept with the next record. */
	import_records_beside(session, record);
	for (size_t i = 0; i < LOOM_COUNT(titles); i++)
		if (loom_str_is(type, titles[i].type))
			import_records_title(session,
					     chats_either(session->chat.import, record,
							  titles[i].member, "title"),
					     titles[i].rank);
	return LOOM_OK;
}

static const struct import_records_type types[] = {
	{"user", IMPORT_RECORD_NODE},
	{"assistant", IMPORT_RECORD_NODE},
	{"system", IMPORT_RECORD_NODE},
	{"attachment", IMPORT_RECORD_BESIDE},
	{"progress", IMPORT_RECORD_BESIDE},
	{"file-history-snapshot", IMPORT_RECORD_BESIDE},
	{"queue-operation", IMPORT_RECORD_BESIDE},
	{"last-prompt", IMPORT_RECORD_BESIDE},
	{"permission-mode", IMPORT_RECORD_BESIDE},
	{"mode", IMPORT_RECORD_BESIDE},
	{"agent-name", IMPORT_RECORD_BESIDE},
	{"pr-link", IMPORT_RECORD_BESIDE},
	{"tag", IMPORT_RECORD_BESIDE},
	{"summary", IMPORT_RECORD_OWN},
	{"ai-title", IMPORT_RECORD_OWN},
	{"custom-title", IMPORT_RECORD_OWN},
};

/* Reads the session's name and start time from the first lines. */
static void look_at_head(struct loom_import *import, struct loom_str text, struct import_tree *tree)
{
	struct loom_str line;

	for (int i = 0; i < 100 && loom_str_line(&text, &line); i++) {
		struct loom_str record = loom_str_trim(line);

		if (!tree->id.n)
			tree->id = import_text(import, record, "sessionId");
		if (!tree->created)
			tree->created = import_time(import, loom_jval_get(record, "timestamp"));
	}
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct import_records_form form = {
		.id = "uuid",
		.parent = "parentUuid",
		.or_parent = "logicalParentUuid",
		.types = types,
		.type_count = LOOM_COUNT(types),
		.node = say_record,
		.own = take_own,
	};
	struct import_tree tree = {.mode = LOOM_DIALOGUE};

	look_at_head(import, source->text, &tree);
	import_begin(import, &tree);
	return import_records_read(import, source->text, &form, NULL, err);
}

const struct import_reader import_claude_code = {
	.name = "claude-code",
	.title = "Claude Code sessions (JSONL)",
	.recognise = recognise,
	.read = read,
	.places = "$CLAUDE_CONFIG_DIR/projects .claude/projects",
};
