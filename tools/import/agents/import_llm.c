/* The log of llm (logs.db): prompts and responses, a conversation each a tree. Invariants: a prompt
 * is its fragments and then its own words; what a model called and got is named in its response,
 * and kept. A row is taken apart when the next one begins, as those under it follow it. */
#include "inside.h"

static bool recognise(const struct import_source *source)
{
	return source->lines && loom_jval_says(import_member(source, "database"), LOOM_STR("llm"));
}

struct llm {
	struct chats chat;
	struct loom_str response; /* the row; absent: none yet */
	struct loom_buf prompt;   /* its fragments */
	struct loom_buf system;
	struct loom_buf parts; /* the rows under it, as items of a list */
	struct loom_buf conversation;
	bool open;
};

enum { TO_PROMPT = CHATS_OWN, TO_RESPONSE, TO_CONVERSATION };

static const struct import_key keys[] = {
	{"id", "s", CHATS_ID, false},
	{"model", "s", CHATS_MODEL, false},
	{"resolved_model", "s", CHATS_MODEL, true},
	{"prompt", "s", TO_PROMPT, false},
	{"system", "s", CHATS_SYSTEM, false},
	{"response", "s", TO_RESPONSE, false},
	{"conversation_id", "s", TO_CONVERSATION, false},
	{"conversation_name", "s", CHATS_TITLE, false},
	{"datetime_utc", "ns", CHATS_CREATED, false},
};
static const struct import_fields fields = {
	.where = "response",
	.known = "row prompt_json options_json response_json duration_ms input_tokens "
		 "output_tokens token_details schema_id conversation_model",
	IMPORT_KEYS(keys),
};

/* "2026-10-02T09:00:00.123456": UTC, without saying so. */
static int64_t time_of(struct loom_import *import, struct loom_str value)
{
	struct loom_str text = import_string(import, value);
	struct loom_str zoned =
		loom_arena_format(import_scratch(import), "\"%.*sZ\"", LOOM_STR_ARG(text));
	const int64_t ms = import_time_of(zoned);

	return ms ? ms : import_time(import, value);
}

static enum loom_status begin_conversation(struct llm *llm,
					   const struct loom_str values[IMPORT_TO_MAX],
					   struct loom_err *err)
{
	struct chats *chat = &llm->chat;
	struct loom_str id = import_string(chat->import, values[TO_CONVERSATION]);
	const struct import_tree tree = {
		.id = id.n ? id : import_string(chat->import, values[CHATS_ID]),
		.title = import_string(chat->import, values[CHATS_TITLE]),
		.created = time_of(chat->import, values[CHATS_CREATED]),
		.mode = LOOM_DIALOGUE,
	};
	enum loom_status status = LOOM_OK;

	if (llm->open && id.n && loom_str_eq(id, loom_buf_str(&llm->conversation)))
		return LOOM_OK;
	if (llm->open)
		status = chats_mark(chat->import, loom_buf_str(&chat->before), IMPORT_CURRENT,
				    LOOM_STR(""), err);
	loom_buf_clear(&llm->conversation);
	loom_buf_add(&llm->conversation, id);
	llm->open = true;
	import_begin(chat->import, &tree);
	chat->untitled = !tree.title.n;
	loom_buf_clear(&chat->before);
	loom_buf_clear(&chat->root);
	return status == LOOM_OK ? chats_root(chat, LOOM_STR("start"), err) : status;
}

static enum loom_status put_prompt(struct llm *llm, const struct loom_str values[IMPORT_TO_MAX],
				   struct loom_err *err)
{
	struct chats *chat = &llm->chat;
	struct loom_str system = import_string(chat->import, values[CHATS_SYSTEM]);

	chats_begin(chat);
	chats_add(chat, loom_buf_str(&llm->prompt));
	chats_add(chat, import_string(chat->import, values[TO_PROMPT]));
	if (system.n || llm->system.n) {
		if (llm->system.n && system.n)
			loom_buf_adds(&llm->system, "\n\n");
		loom_buf_add(&llm->system, system);
		if (!chat->before.n)
			import_retitle(chat->import,
				       &(struct import_tree){.system = loom_buf_str(&llm->system),
							     .mode = LOOM_DIALOGUE});
		chats_keep(chat, "system", values[CHATS_SYSTEM]);
	}
	if (!chat->text.n)
		return LOOM_OK;
	chat->node.id =
		loom_arena_format(import_scratch(chat->import), "%.*s/prompt",
				  LOOM_STR_ARG(import_string(chat->import, values[CHATS_ID])));
	chat->node.role = IMPORT_HUMAN;
	chat->node.created = time_of(chat->import, values[CHATS_CREATED]);
	chats_link(chat, chat->number++, true);
	return chats_end(chat, err);
}

static void say_parts(struct llm *llm)
{
	struct chats *chat = &llm->chat;
	struct loom_jwalk walk;
	struct loom_str part;

	if (!llm->parts.n)
		return;
	loom_buf_addc(&llm->parts, ']');
	walk = loom_jval_walk(loom_buf_str(&llm->parts));
	while (loom_jwalk_next(&walk, NULL, &part)) {
		struct loom_str row = loom_jval_get(part, "row");

		if (loom_jval_says(row, LOOM_STR("call")))
			chats_call(chat, part);
		else if (loom_jval_says(row, LOOM_STR("result")))
			chats_results(chat, part);
	}
	chats_keep(chat, "parts", loom_buf_str(&llm->parts));
}

static enum loom_status end_response(struct llm *llm, struct loom_err *err)
{
	struct chats *chat = &llm->chat;
	struct loom_str values[IMPORT_TO_MAX];
	enum loom_status status;

	if (!llm->response.p)
		return LOOM_OK;
	import_take(llm->response, &fields, values);
	status = begin_conversation(llm, values, err);
	if (status == LOOM_OK)
		status = put_prompt(llm, values, err);
	if (status != LOOM_OK)
		return status;
	chats_begin(chat);
	chat->node.id = import_string(chat->import, values[CHATS_ID]);
	chat->node.role = IMPORT_MODEL;
	chat->node.model = import_string(chat->import, values[CHATS_MODEL]);
	chat->node.created = time_of(chat->import, values[CHATS_CREATED]);
	chats_add(chat, import_string(chat->import, values[TO_RESPONSE]));
	say_parts(llm);
	chats_rest(chat, llm->response, &fields);
	chats_link(chat, chat->number++, true);
	loom_buf_clear(&llm->prompt);
	loom_buf_clear(&llm->system);
	loom_buf_clear(&llm->parts);
	return chats_end(chat, err);
}

static enum loom_status read_row(struct llm *llm, struct loom_str row, struct loom_err *err)
{
	struct loom_import *import = llm->chat.import;
	struct loom_str kind = loom_jval_get(row, "row");
	struct loom_buf *to = loom_jval_says(kind, LOOM_STR("fragment"))          ? &llm->prompt
			      : loom_jval_says(kind, LOOM_STR("system_fragment")) ? &llm->system
										  : NULL;
	enum loom_status status;

	if (loom_jval_says(kind, LOOM_STR("response"))) {
		status = end_response(llm, err);
		llm->response = row;
		return status;
	}
	if (to) {
		loom_buf_adds(to, to->n ? "\n\n" : "");
		loom_buf_add(to, import_text(import, row, "content"));
	}
	loom_buf_addc(&llm->parts, llm->parts.n ? ',' : '[');
	import_keep(import, row, &llm->parts);
	return LOOM_OK;
}

static enum loom_status read_rows(struct llm *llm, struct loom_str text, struct loom_err *err)
{
	struct chats_lines lines;
	struct loom_str row;
	enum loom_status status = LOOM_OK;

	chats_lines(&lines, llm->chat.import, text);
	for (;;) {
		status = chats_line(&lines, &row, err);
		if (status != LOOM_OK || !row.p)
			break;
		if (loom_jval_get(row, "row").p)
			status = read_row(llm, row, err);
		if (status != LOOM_OK)
			return status;
	}
	if (status == LOOM_OK)
		status = end_response(llm, err);
	return status == LOOM_OK && llm->open
		       ? chats_mark(llm->chat.import, loom_buf_str(&llm->chat.before),
				    IMPORT_CURRENT, LOOM_STR(""), err)
		       : status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct llm llm = {.prompt = IMPORT_BUF(import),
			  .system = IMPORT_BUF(import),
			  .parts = IMPORT_BUF(import),
			  .conversation = IMPORT_BUF(import)};
	enum loom_status status;

	chats_init(&llm.chat, import);
	status = read_rows(&llm, source->text, err);
	chats_fini(&llm.chat);
	loom_buf_fini(&llm.prompt);
	loom_buf_fini(&llm.system);
	loom_buf_fini(&llm.parts);
	loom_buf_fini(&llm.conversation);
	return status;
}

static const struct loom_foreign_query queries[] = {
	{"response", NULL,
	 "SELECT r.*, c.name AS conversation_name FROM responses r LEFT JOIN conversations c ON "
	 "c.id = r.conversation_id ORDER BY r.conversation_id, r.datetime_utc, r.rowid",
	 "prompt_json options_json response_json token_details", 0},
	{"fragment", "prompt_fragments.response_id fragments.content",
	 "SELECT f.content, f.source FROM prompt_fragments p JOIN fragments f ON f.id = "
	 "p.fragment_id WHERE p.response_id = ?1 ORDER BY p.\"order\"",
	 NULL, 1},
	{"system_fragment", "system_fragments.response_id fragments.content",
	 "SELECT f.content, f.source FROM system_fragments p JOIN fragments f ON f.id = "
	 "p.fragment_id WHERE p.response_id = ?1 ORDER BY p.\"order\"",
	 NULL, 1},
	{"attachment", "prompt_attachments.response_id attachments.type",
	 "SELECT a.* FROM prompt_attachments p JOIN attachments a ON a.id = p.attachment_id "
	 "WHERE p.response_id = ?1 ORDER BY p.\"order\"",
	 NULL, 1},
	{"call", "tool_calls.response_id",
	 "SELECT * FROM tool_calls WHERE response_id = ?1 ORDER BY id", "arguments", 1},
	{"result", "tool_results.response_id",
	 "SELECT * FROM tool_results WHERE response_id = ?1 ORDER BY id", NULL, 1},
};
static const struct import_database database = {
	.needs = "conversations.name responses.conversation_id responses.response_json",
	.queries = queries,
	.count = LOOM_COUNT(queries),
};

const struct import_reader import_llm = {
	.name = "llm",
	.title = "llm by Simon Willison: its log (logs.db)",
	.recognise = recognise,
	.read = read,
	.database = &database,
	.places = "$LLM_USER_PATH/logs.db .config/io.datasette.llm/logs.db",
};
