/* Sessions of Codex ("rollouts"): lines with a type and a payload; the oldest have the payload
 * itself. Invariants: lines have no ids and follow one another; a rollback is a fork, and what was
 * rolled back stays as a branch; what the program said in a person's name is the system's. Events
 * repeat what the items say, and are kept beside them. */
#include "inside.h"

static bool recognise(const struct import_source *source)
{
	struct loom_str first = source->first;
	struct loom_str type = loom_jval_get(first, "type");

	if (!source->lines && !source->json)
		return false;
	if (loom_jval_get(first, "payload").p)
		return loom_jval_says(type, LOOM_STR("session_meta")) ||
		       loom_jval_says(type, LOOM_STR("response_item"));
	return !type.p && loom_jval_get(first, "id").p && loom_jval_get(first, "timestamp").p &&
	       loom_jval_get(first, "instructions").p;
}

/* State between the lines. */
struct codex {
	struct loom_buf model;
	/* The nodes before each message of the person, one a line: where a rollback goes. */
	struct loom_buf turns;
};

static struct loom_str payload_of(struct loom_str record)
{
	struct loom_str payload = loom_jval_get(record, "payload");

	return loom_jval_type(payload) == LOOM_JTYPE_OBJECT ? payload : record;
}

/* ---- items ---- */

/* A summary of what was thought, or the thought itself; it may be encrypted. */
static void say_thought(struct chats *chat, struct loom_str payload)
{
	static const char *const keys[] = {"summary", "content"};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		struct loom_jwalk walk = loom_jval_walk(loom_jval_get(payload, keys[i]));
		struct loom_str part;

		while (!walk.object && loom_jwalk_next(&walk, NULL, &part))
			chats_think(chat, import_text(chat->import, part, "text"));
	}
	if (!chat->thought.n)
		chats_think(chat, LOOM_STR("[thinking that was not shown]"));
	chat->node.role = IMPORT_MODEL;
	chats_keep(chat, "content", payload);
}

/* The program tells of the directory and its rules as if the person had. */
static bool is_preamble(struct loom_str text)
{
	static const char *const begins[] = {"<environment_context>", "<user_instructions>",
					     "<user_shell_command>", "<turn_aborted>",
					     "# AGENTS.md instructions"};

	for (size_t i = 0; i < LOOM_COUNT(begins); i++)
		if (loom_str_starts(text, loom_str_of(begins[i])))
			return true;
	return false;
}

static void say_message(struct chats *chat, struct loom_str payload)
{
	static const struct import_fields fields = {.where = "message",
						    .used = "type:s role:s content:sao",
						    .known = "id status phase end_turn metadata"};

	chats_speaker(chat, import_text(chat->import, payload, "role"));
	chats_say(chat, loom_jval_get(payload, "content"));
	if (chat->node.role == IMPORT_HUMAN && is_preamble(loom_buf_str(&chat->text)))
		chat->node.role = IMPORT_SYSTEM;
	chats_rest(chat, payload, &fields);
}

static void say_item(struct chats *chat, struct loom_str payload, struct loom_str type)
{
	if (loom_str_is(type, "message")) {
		say_message(chat, payload);
	} else if (loom_str_is(type, "reasoning")) {
		say_thought(chat, payload);
	} else {
		chat->node.role = IMPORT_MODEL;
		chats_say(chat, payload);
	}
}

#define RECORD_USED "type:s timestamp:ns payload:o"

/* A summary in the place of what came before. */
static void say_compacted(struct chats *chat, struct loom_str payload)
{
	static const struct import_fields fields = {.where = "summary",
						    .used = RECORD_USED " message:s",
						    .known = "replacement_history"};

	chat->node.role = IMPORT_SYSTEM;
	chats_add(chat, import_text(chat->import, payload, "message"));
	if (!chat->text.n)
		chats_add(chat, LOOM_STR("[compacted]"));
	chats_rest(chat, payload, &fields);
}

static enum loom_status say_record(struct import_records *session, struct loom_str record,
				   struct loom_str type, struct loom_err *err)
{
	static const struct import_fields fields = {.where = "record", .used = RECORD_USED};
	struct codex *codex = session->ctx;
	struct chats *chat = &session->chat;
	struct loom_str payload = payload_of(record);

	(void)err;
	chat->node.created = import_time(chat->import, loom_jval_get(record, "timestamp"));
	if (loom_str_is(type, "compacted"))
		say_compacted(chat, payload);
	else
		say_item(chat, payload, import_text(chat->import, payload, "type"));
	if (payload.p != record.p)
		chats_rest(chat, record, &fields);
	if (chat->node.role == IMPORT_MODEL && !chat->results)
		chat->node.model = loom_buf_str(&codex->model);
	if (chat->node.role == IMPORT_HUMAN) {
		loom_buf_add(&codex->turns, chat->node.parent);
		loom_buf_addc(&codex->turns, '\n');
	}
	return LOOM_OK;
}

/* ---- records about the session ---- */

/* Takes the last `count` messages of the person back: the next node hangs where they began. */
static void roll_back(struct codex *codex, struct loom_buf *before, struct loom_str count)
{
	struct loom_str all = loom_buf_str(&codex->turns);
	int64_t left = 0;

	if (!loom_jval_int(count, &left))
		return;
	for (; left > 0 && all.n; left--) {
		size_t at = all.n - 1;

		while (at > 0 && all.p[at - 1] != '\n')
			at--;
		loom_buf_clear(before);
		loom_buf_add(before, loom_str_sub(all, at, all.n - 1 - at));
		all.n = at;
	}
	loom_buf_cut(&codex->turns, all.n);
}

static enum loom_status take_own(struct import_records *session, struct loom_str record,
				 struct loom_str type, struct loom_err *err)
{
	struct codex *codex = session->ctx;
	struct loom_str payload = loom_jval_get(record, "payload");
	struct loom_str model = import_text(session->chat.import, payload, "model");

	(void)err;
	if (loom_str_is(type, "turn_context") && model.n) {
		loom_buf_clear(&codex->model);
		loom_buf_add(&codex->model, model);
	}
	if (loom_jval_says(loom_jval_get(payload, "type"), LOOM_STR("thread_rolled_back")))
		roll_back(codex, &session->chat.before, loom_jval_get(payload, "num_turns"));
	import_records_beside(session, record);
	return LOOM_OK;
}

static const struct import_records_type types[] = {
	{"response_item", IMPORT_RECORD_NODE},
	{"compacted", IMPORT_RECORD_NODE},
	{"event_msg", IMPORT_RECORD_OWN},
	{"turn_context", IMPORT_RECORD_OWN},
	{"session_meta", IMPORT_RECORD_OWN},
	/* The oldest. */
	{"message", IMPORT_RECORD_NODE},
	{"reasoning", IMPORT_RECORD_NODE},
	{"function_call", IMPORT_RECORD_NODE},
	{"function_call_output", IMPORT_RECORD_NODE},
	{"local_shell_call", IMPORT_RECORD_NODE},
	{"", IMPORT_RECORD_BESIDE},
};

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	static const struct import_records_form form = {
		.types = types,
		.type_count = LOOM_COUNT(types),
		.in_order = true,
		.node = say_record,
		.own = take_own,
	};
	struct codex codex = {.model = IMPORT_BUF(import), .turns = IMPORT_BUF(import)};
	struct loom_str meta = payload_of(source->first);
	struct loom_str instructions = loom_jval_get(meta, "base_instructions");
	const struct import_tree tree = {
		.id = import_text(import, meta, "id"),
		.system = import_text(import, instructions, "text"),
		.created = import_time(import, loom_jval_get(meta, "timestamp")),
		.mode = LOOM_DIALOGUE,
	};
	enum loom_status status;

	import_begin(import, &tree);
	status = import_records_read(import, source->text, &form, &codex, err);
	loom_buf_fini(&codex.model);
	loom_buf_fini(&codex.turns);
	return status;
}

const struct import_reader import_codex = {
	.name = "codex",
	.title = "Codex sessions (rollout-….jsonl)",
	.recognise = recognise,
	.read = read,
	.places = "$CODEX_HOME/sessions .codex/sessions",
};
