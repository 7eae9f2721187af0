/* Evaluations: samples of Inspect (in its .eval archives or a JSON log), and transcripts of Petri.
 * Invariants: a sample is a tree; of a transcript each view is one, in which a rollback or a reset
 * is a fork, so that every branch that was tried stays; edits by patch are kept with the tree. */
#include "inside.h"

/* ---- a message, as both write it ---- */

static const struct import_fields message_fields = {
	.where = "message",
	.used = "id:s role:s content:sao model:s tool_calls:a error:o",
	.known = "source tool_call_id function metadata internal timestamp tool_call_error "
		 "name"};

static void say_calls(struct chats *chat, struct loom_str calls)
{
	struct loom_jwalk walk = loom_jval_walk(calls);
	struct loom_str call;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &call)) {
		struct loom_str name = import_text(chat->import, call, "function");
		struct loom_buf made = IMPORT_BUF(chat->import);
		struct loom_str input = loom_jval_get(call, "arguments");

		loom_buf_adds(&made, "{\"name\":");
		loom_json_quote(name, &made);
		loom_buf_adds(&made, ",\"input\":");
		loom_buf_add(&made, input.p ? input : LOOM_STR("null"));
		loom_buf_addc(&made, '}');
		chats_call(chat, loom_buf_str(&made));
		loom_buf_fini(&made);
	}
}

static void say_message(struct chats *chat, struct loom_str message)
{
	const struct loom_str error = loom_jval_get(message, "error");

	chats_begin(chat);
	chat->node.id = import_text(chat->import, message, "id");
	chats_speaker(chat, import_text(chat->import, message, "role"));
	if (chat->node.role == IMPORT_MODEL)
		chat->node.model = import_text(chat->import, message, "model");
	else
		chats_keep(chat, "model", loom_jval_get(message, "model"));
	chats_say(chat, loom_jval_get(message, "content"));
	say_calls(chat, loom_jval_get(message, "tool_calls"));
	chats_keep(chat, "tool_calls", loom_jval_get(message, "tool_calls"));
	if (!loom_jval_is_null(error)) {
		chats_add(chat, LOOM_STR("[error]"));
		chats_add(chat, import_text(chat->import, error, "message"));
		chats_keep(chat, "error", error);
	}
	chats_rest(chat, message, &message_fields);
}

/* ---- Inspect ---- */

static bool is_sample(struct loom_str value)
{
	return loom_jval_get(value, "epoch").p && loom_jval_get(value, "input").p &&
	       loom_jval_type(loom_jval_get(value, "messages")) == LOOM_JTYPE_ARRAY;
}

static bool recognise_inspect(const struct import_source *source)
{
	struct loom_str eval = import_member(source, "eval");

	return source->json && (is_sample(source->first) ||
				(loom_jval_get(eval, "task").p && loom_jval_get(eval, "model").p &&
				 import_has(source, "samples", LOOM_JTYPE_ARRAY)));
}

enum { TO_NUMBER = CHATS_OWN, TO_EPOCH, TO_OUTPUT };

static const struct import_key sample_keys[] = {
	{"uuid", "s", CHATS_ID, true},    {"id", "sn", TO_NUMBER, true},
	{"epoch", "n", TO_EPOCH, true},   {"messages", "a", CHATS_MESSAGES, false},
	{"output", "o", TO_OUTPUT, true}, {"started_at", "ns", CHATS_CREATED, true},
};
static const struct import_fields sample_fields = {
	.where = "sample",
	.known = "input target choices sandbox files setup scores metadata store events "
		 "model_usage role_usage model_fallbacks total_time working_time completed_at "
		 "error error_retries attachments limit invalidation message_pool events_data "
		 "timelines turn_count token_limit token_limit_type token_limit_usage",
	IMPORT_KEYS(sample_keys),
};

static enum loom_status read_message(struct chats *chat, struct loom_str key,
				     struct loom_str message, struct loom_err *err)
{
	(void)key;
	say_message(chat, message);
	chats_link(chat, chat->number, true);
	return chats_end(chat, err);
}

static bool begin_sample(struct chats *chat, struct loom_str sample, struct loom_str *messages)
{
	struct loom_arena *arena = import_scratch(chat->import);
	struct loom_str values[IMPORT_TO_MAX];
	struct import_tree tree = {.mode = LOOM_DIALOGUE};
	struct loom_str number;

	import_take(sample, &sample_fields, values);
	*messages = values[CHATS_MESSAGES];
	number = loom_jval_type(values[TO_NUMBER]) == LOOM_JTYPE_NUMBER
			 ? values[TO_NUMBER]
			 : import_string(chat->import, values[TO_NUMBER]);
	tree.title = loom_arena_format(arena, "sample %.*s, epoch %.*s", LOOM_STR_ARG(number),
				       LOOM_STR_ARG(values[TO_EPOCH].n ? values[TO_EPOCH]
								       : LOOM_STR("1")));
	chats_tree(chat, values, &tree);
	chats_about(chat, sample, &sample_fields);
	chat->current = LOOM_STR("");
	chat->model = loom_jval_get(values[TO_OUTPUT], "model");
	import_begin(chat->import, &tree);
	return true;
}

static enum loom_status read_inspect(struct loom_import *import, const struct import_source *source,
				     struct loom_err *err)
{
	static const struct chats_form form = {.what = "message",
					       .root = "sample",
					       .begin = begin_sample,
					       .message = read_message};
	static const struct import_fields file = {
		.where = "log",
		.used = "samples:a",
		.known = "version status eval plan results stats error reductions location etag "
			 "invalidated log_updates config_updates tags metadata"};
	const struct import_source samples = {.name = source->name,
					      .text = import_member(source, "samples")};
	struct loom_buf rest = IMPORT_BUF(import);
	enum loom_status status;

	if (is_sample(source->first))
		return chats_each(import, source, &form, err);
	status = chats_each(import, &samples, &form, err);
	import_rest(import, source->first, &file, &rest);
	if (status == LOOM_OK && rest.n)
		import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
	return status;
}

const struct import_reader import_inspect = {
	.name = "inspect",
	.title = "Inspect evaluations (.eval, or a JSON log)",
	.recognise = recognise_inspect,
	.read = read_inspect,
};

/* ---- Petri ---- */

static bool recognise_petri(const struct import_source *source)
{
	struct loom_str metadata = import_member(source, "metadata");

	return source->json && import_has(source, "events", LOOM_JTYPE_ARRAY) &&
	       loom_jval_get(metadata, "transcript_id").p;
}

/* One view of a transcript, while it is built. */
struct view {
	struct chats chat;
	const char *name;
	struct loom_buf path; /* the ids of its messages as it stands, one a line */
	size_t number;
};

static void cut_path(struct view *view, size_t left)
{
	loom_buf_cut(&view->path, left);
}

/* Where the last message of the path begins; 0 if there is none. */
static size_t last_of(const struct view *view, size_t end)
{
	size_t at = end ? end - 1 : 0;

	while (at > 0 && loom_buf_str(&view->path).p[at - 1] != '\n')
		at--;
	return at;
}

static void stand_at_end(struct view *view)
{
	const size_t at = last_of(view, view->path.n);

	loom_buf_clear(&view->chat.before);
	if (view->path.n)
		loom_buf_add(&view->chat.before,
			     loom_str_sub(loom_buf_str(&view->path), at, view->path.n - 1 - at));
}

static void roll_back(struct view *view, struct loom_str edit)
{
	struct loom_str to = import_text(view->chat.import, edit, "to_id");
	int64_t count = 1;
	size_t end = view->path.n;

	(void)loom_jval_int(loom_jval_get(edit, "count"), &count);
	while (end > 0 && (to.n || count-- > 0)) {
		const size_t at = last_of(view, end);

		if (to.n &&
		    loom_str_eq(loom_str_sub(loom_buf_str(&view->path), at, end - 1 - at), to))
			break;
		end = at;
	}
	cut_path(view, end);
	stand_at_end(view);
}

static enum loom_status add_message(struct view *view, struct loom_str message,
				    struct loom_str event, struct loom_err *err)
{
	static const struct import_fields fields = {.where = "event",
						    .used = "type:s timestamp:ns view:sa edit:o",
						    .known = "id"};
	static const struct import_fields edit_fields = {
		.where = "edit",
		.used = "operation:s message:o new_messages:a",
		.known = "type name"};
	struct chats *chat = &view->chat;

	if (loom_jval_type(message) != LOOM_JTYPE_OBJECT) {
		import_note(chat->import, IMPORT_LOST, "message that is not an object");
		return LOOM_OK;
	}
	say_message(chat, message);
	chat->node.created = import_time(chat->import, loom_jval_get(event, "timestamp"));
	chats_rest(chat, event, &fields);
	import_rest_as(chat->import, "edit", loom_jval_get(event, "edit"), &edit_fields,
		       &chat->inner);
	chats_link(chat, view->number++, true);
	loom_buf_add(&view->path, chat->node.id);
	loom_buf_addc(&view->path, '\n');
	return chats_end(chat, err);
}

static enum loom_status add_messages(struct view *view, struct loom_str list, struct loom_str event,
				     struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str message;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && !walk.object && loom_jwalk_next(&walk, NULL, &message))
		status = add_message(view, message, event, err);
	return status;
}

static const char *const view_names[] = {"target", "auditor"};

static bool is_for(const char *name, struct loom_str event)
{
	struct loom_str views = loom_jval_get(event, "view");
	struct loom_jwalk walk = loom_jval_walk(views);
	struct loom_str one;

	if (loom_jval_type(views) != LOOM_JTYPE_ARRAY)
		return loom_jval_says(views, loom_str_of(name)) ||
		       loom_jval_says(views, LOOM_STR("all"));
	while (loom_jwalk_next(&walk, NULL, &one))
		if (loom_jval_says(one, loom_str_of(name)))
			return true;
	return false;
}

static bool is_for_any(struct loom_str event)
{
	for (size_t i = 0; i < LOOM_COUNT(view_names); i++)
		if (is_for(view_names[i], event))
			return true;
	return false;
}

static enum loom_status read_event(struct view *view, struct loom_str event, struct loom_err *err)
{
	struct loom_import *import = view->chat.import;
	struct loom_str edit = loom_jval_get(event, "edit");
	struct loom_str what = import_text(import, edit, "operation");

	if (loom_str_is(what, "add"))
		return add_message(view, loom_jval_get(edit, "message"), event, err);
	if (loom_str_is(what, "rollback")) {
		roll_back(view, edit);
		return LOOM_OK;
	}
	if (loom_str_is(what, "reset")) {
		cut_path(view, 0);
		stand_at_end(view);
		return add_messages(view, loom_jval_get(edit, "new_messages"), event, err);
	}
	import_note(import, IMPORT_NOT_UNDERSTOOD, "edit \"%.*s\"",
		    LOOM_STR_ARG(loom_str_sub(what, 0, 60)));
	return LOOM_OK;
}

static bool adds_messages(struct loom_str event)
{
	const struct loom_str edit = loom_jval_get(event, "edit");
	const struct loom_str what = loom_jval_get(edit, "operation");
	const struct loom_str list = loom_jval_get(edit, "new_messages");

	return loom_jval_says(what, LOOM_STR("add")) ||
	       (loom_jval_says(what, LOOM_STR("reset")) &&
		loom_jval_type(list) == LOOM_JTYPE_ARRAY && loom_jval_count(list) > 0);
}

/* Events about the audit, and edits that are no messages, are kept with the first view. */
static void keep_others(struct loom_import *import, const struct import_source *source)
{
	static const struct import_fields file = {.where = "transcript",
						  .used = "events:a",
						  .known = "metadata messages target_messages"};
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "events"));
	struct loom_buf rest = IMPORT_BUF(import);
	struct loom_str event;
	size_t count = 0;

	import_rest(import, source->first, &file, &rest);
	while (loom_jwalk_next(&walk, NULL, &event)) {
		if (adds_messages(event) && is_for_any(event))
			continue;
		loom_buf_adds(&rest, count++ ? "," : rest.n ? ",\"events\":[" : "\"events\":[");
		import_keep(import, event, &rest);
	}
	if (count)
		loom_buf_addc(&rest, ']');
	import_beside_tree(import, loom_buf_str(&rest));
	loom_buf_fini(&rest);
}

static bool is_used(const struct import_source *source, const struct view *view)
{
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "events"));
	struct loom_str event;

	while (loom_jwalk_next(&walk, NULL, &event))
		if (is_for(view->name, event))
			return true;
	return false;
}

static enum loom_status read_view(struct view *view, const struct import_source *source, bool first,
				  struct loom_err *err)
{
	struct chats *chat = &view->chat;
	struct loom_jwalk walk = loom_jval_walk(import_member(source, "events"));
	struct loom_str metadata = import_member(source, "metadata");
	struct loom_arena *arena = import_scratch(chat->import);
	struct loom_str event;
	char key[40];
	const struct import_tree tree = {
		.id = loom_arena_format(arena, "%.*s/%s",
					LOOM_STR_ARG(import_text(chat->import, metadata,
								 "transcript_id")),
					view->name),
		.title = loom_arena_format(arena, "%.*s, %s", LOOM_STR_ARG(source->name),
					   view->name),
		.description = import_text(chat->import, metadata, "description"),
		.created = import_time(chat->import, loom_jval_get(metadata, "created_at")),
		.mode = LOOM_DIALOGUE,
	};
	enum loom_status status;

	import_begin(chat->import, &tree);
	if (first)
		keep_others(chat->import, source);
	snprintf(key, sizeof key, "%s_model", view->name);
	chat->model = loom_jval_get(metadata, key);
	status = chats_root(chat, LOOM_STR("start"), err);
	while (status == LOOM_OK && loom_jwalk_next(&walk, NULL, &event)) {
		status = import_here(chat->import, event, err);
		if (status == LOOM_OK && is_for(view->name, event))
			status = read_event(view, event, err);
	}
	return status == LOOM_OK ? chats_mark(chat->import, loom_buf_str(&chat->before),
					      IMPORT_CURRENT, LOOM_STR(""), err)
				 : status;
}

static enum loom_status read_petri(struct loom_import *import, const struct import_source *source,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	bool first = true;

	for (size_t i = 0; status == LOOM_OK && i < LOOM_COUNT(view_names); i++) {
		struct view view = {.name = view_names[i], .path = IMPORT_BUF(import)};

		chats_init(&view.chat, import);
		if (is_used(source, &view)) {
			status = read_view(&view, source, first, err);
			first = false;
		}
		chats_fini(&view.chat);
		loom_buf_fini(&view.path);
	}
	return status;
}

const struct import_reader import_petri = {
	.name = "petri",
	.title = "Petri transcripts",
	.recognise = recognise_petri,
	.read = read_petri,
};
