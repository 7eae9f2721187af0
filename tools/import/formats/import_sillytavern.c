/* SillyTavern chats: lines of messages in order, each with its swipes. Invariants: a swipe is a
 * sibling, and the chat continues from the one shown. Messages have no ids; here an id is derived
 * from a message's text and everything before it, so that a branch, which is a separate file, joins
 * its chat where they agree. A branch without its chat is a tree of its own. */
#include <loom/formats/chats_kit.h>

struct tavern {
	struct chats chat;
	struct loom_buf parent; /* the id of the previous message shown */
};

static bool recognise(const struct import_source *source)
{
	if (!source->lines && !source->json)
		return false;
	if (import_has(source, "mes", LOOM_JTYPE_STRING))
		return import_has(source, "is_user", LOOM_JTYPE_BOOL);
	return import_has(source, "chat_metadata", LOOM_JTYPE_OBJECT) ||
	       (import_has(source, "user_name", LOOM_JTYPE_STRING) &&
		import_has(source, "character_name", LOOM_JTYPE_STRING));
}

/* ---- times ---- */

/* Parses digits; false if there are none. */
static bool take_number(struct loom_str *text, int *out)
{
	size_t n = 0;

	*out = 0;
	while (n < text->n && n < 4 && text->p[n] >= '0' && text->p[n] <= '9')
		*out = *out * 10 + (text->p[n++] - '0');
	*text = loom_str_sub(*text, n, text->n);
	return n > 0;
}

static void skip_signs(struct loom_str *text)
{
	while (text->n && strchr(" ,-:@hms", text->p[0]) && text->p[0])
		*text = loom_str_sub(*text, 1, text->n);
}

/* Parses a month: "June 19, 2023"; 0 if there is none. */
static int take_month(struct loom_str *text)
{
	static const char *const months[] = {"january",   "february", "march",    "april",
					     "may",       "june",     "july",     "august",
					     "september", "october",  "november", "december"};

	for (int i = 0; i < 12; i++) {
		size_t n = strlen(months[i]);

		if (!loom_str_eq_fold(loom_str_sub(*text, 0, n), loom_str_of(months[i])))
			continue;
		*text = loom_str_sub(*text, n, text->n);
		return i + 1;
	}
	return 0;
}

/* Parses "June 19, 2023 2:20pm", "2024-07-12@01h31m37s" or "2023-6-19 @14h 20m 05s 123ms" as UTC,
 * because the file has no zone. Seconds and milliseconds are optional. */
static int64_t free_time(struct loom_str text)
{
	enum { SECOND = 5 };
	/* the order of year, month, day, hour, minute, second, millisecond */
	static const int plain[] = {0, 1, 2, 3, 4, 5, 6};
	static const int named[] = {2, 0, 3, 4};
	struct loom_buf iso = LOOM_BUF_INIT(64);
	int parts[7] = {0, take_month(&text), 0, 0, 0, 0, 0};
	const int *order = parts[1] ? named : plain;
	size_t count = parts[1] ? LOOM_COUNT(named) : LOOM_COUNT(plain);
	int64_t ms = 0;

	for (size_t i = 0; i < count; i++) {
		skip_signs(&text);
		if (!take_number(&text, &parts[order[i]]) && order[i] < SECOND)
			return 0;
	}
	if (loom_str_eq_fold(loom_str_sub(text, 0, 2), LOOM_STR("pm")) && parts[3] < 12)
		parts[3] += 12;
	else if (loom_str_eq_fold(loom_str_sub(text, 0, 2), LOOM_STR("am")) && parts[3] == 12)
		parts[3] = 0;
	loom_buf_addf(&iso, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts[0], parts[1], parts[2],
		      parts[3], parts[4], parts[5], parts[6] % 1000);
	if (!loom_time_parse(loom_buf_str(&iso), &ms))
		ms = 0;
	loom_buf_fini(&iso);
	return ms;
}

static int64_t time_of(struct loom_import *import, struct loom_str value)
{
	int64_t ms = import_time_of(value);

	ms = ms ? ms : free_time(import_string(import, value));
	if (!ms)
		import_no_time(import, value);
	return ms;
}

static struct loom_str id_of(struct tavern *tavern, bool user, struct loom_str text)
{
	return chats_id(tavern->chat.import, loom_buf_str(&tavern->parent), user, text);
}

/* ---- messages ---- */

struct message {
	struct loom_str whole;
	struct loom_str name;
	struct loom_str is_user;
	struct loom_str is_system;
	struct loom_str date;
	struct loom_str mes;
	struct loom_str swipes;
	struct loom_str infos;
	struct loom_str extra;
	int64_t shown; /* index of the swipe shown; -1: the first with the same text */
};

static void look(struct loom_str line, struct message *out)
{
	struct loom_str shown;
	const struct chats_pick picks[] = {
		{"name", &out->name},
		{"is_user", &out->is_user},
		{"is_system", &out->is_system},
		{"send_date", &out->date},
		{"mes", &out->mes},
		{"swipes", &out->swipes},
		{"swipe_info", &out->infos},
		{"extra", &out->extra},
		{"swipe_id", &shown},
	};

	chats_pick(line, picks, LOOM_COUNT(picks));
	out->whole = line;
	if (loom_jval_type(out->swipes) != LOOM_JTYPE_ARRAY)
		out->swipes = (struct loom_str){NULL, 0};
	if (loom_jval_type(out->infos) != LOOM_JTYPE_ARRAY)
		out->infos = (struct loom_str){NULL, 0};
	if (!loom_jval_int(shown, &out->shown))
		out->shown = -1;
}

/* One variant of a message. `info` belongs to this variant. */
struct swipe {
	struct loom_str text;
	struct loom_str value; /* as in the list; absent if it is in none */
	struct loom_str info;
	bool shown;
};

static void say_who(struct tavern *tavern, const struct message *message, struct loom_str extra)
{
	struct import_node *node = &tavern->chat.node;
	struct loom_import *import = tavern->chat.import;

	node->role = chats_true(message->is_user) ? IMPORT_HUMAN : IMPORT_MODEL;
	if (loom_jval_says(loom_jval_get(extra, "type"), LOOM_STR("narrator")))
		node->role = IMPORT_SYSTEM;
	node->author = import_string(import, message->name);
	if (loom_str_is(node->author, "You") || loom_str_is(node->author, "unused"))
		node->author = LOOM_STR("");
	if (node->role == IMPORT_MODEL)
		node->model = import_text(import, extra, "model");
	node->excluded = chats_true(message->is_system);
}

/* Whether the list knows more about the swipe shown than the message does. */
static bool says_more(struct loom_str info, struct loom_str message)
{
	struct loom_jwalk walk = loom_jval_walk(info);
	struct loom_str key;
	struct loom_str value;

	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		char name[64];

		if (key.n - 2 >= sizeof name)
			return true;
		memcpy(name, key.p + 1, key.n - 2);
		name[key.n - 2] = '\0';
		if (!loom_jval_is_null(value) && !loom_str_eq(value, loom_jval_get(message, name)))
			return true;
	}
	return false;
}

/* Keeps the other members: the message's for the swipe shown, the list's for the others. */
static void keep_rest(struct tavern *tavern, const struct message *message,
		      const struct swipe *swipe, struct loom_str extra)
{
	static const struct import_fields about = {.where = "extra",
						   .used = "model:s api:s bookmark_link:s type:s",
						   .known = "*"};
	static const struct import_fields fields = {
		.where = "message",
		.used = "name:s is_user:b mes:s swipes:a swipe_id:n swipe_info:a send_date:ns "
			"extra:o",
		.known = "is_system:b gen_started gen_finished title force_avatar original_avatar "
			 "gen_id "
			 "variables index"};
	static const struct import_fields of_swipe = {
		.where = "swipe",
		.used = "send_date:ns extra:o",
		.known = "gen_started gen_finished gen_id index"};
	struct chats *chat = &tavern->chat;

	if (swipe->shown)
		chats_rest(chat, message->whole, &fields);
	else
		chats_rest(chat, swipe->info, &of_swipe);
	(void)import_unsaid(chat->import, extra, &about);
	if (loom_jval_type(extra) == LOOM_JTYPE_OBJECT && loom_jval_count(extra))
		chats_keep(chat, "extra", extra);
	if (import_is_odd(chat->import, "swipe", swipe->value, "s"))
		chats_keep(chat, "swipe", swipe->value);
	if (import_is_odd(chat->import, "swipe_info", swipe->info, "o") ||
	    (swipe->shown && says_more(swipe->info, message->whole)))
		chats_keep(chat, "swipe_info", swipe->info);
}

static enum loom_status put(struct tavern *tavern, const struct message *message,
			    const struct swipe *swipe, struct loom_err *err)
{
	struct chats *chat = &tavern->chat;
	struct loom_str own = loom_jval_get(swipe->info, "extra");
	struct loom_str extra = swipe->shown || !own.p ? message->extra : own;
	struct loom_str date = loom_jval_get(swipe->info, "send_date");

	chats_begin(chat);
	chats_add(chat, swipe->text);
	chat->node.id = id_of(tavern, chats_true(message->is_user), swipe->text);
	chat->node.anonymous = true;
	chat->node.parent = loom_arena_buf(import_scratch(chat->import), &tavern->parent);
	chat->node.created = time_of(chat->import, swipe->shown || !date.p ? message->date : date);
	chat->node.label = import_text(chat->import, extra, "bookmark_link");
	chat->node.bookmarked = chat->node.label.n > 0;
	say_who(tavern, message, extra);
	if (chat->node.role == IMPORT_MODEL)
		chats_record(chat, "provider", loom_jval_get(extra, "api"));
	keep_rest(tavern, message, swipe, extra);
	return chats_end(chat, err);
}

/* Adds all swipes; where the list differs from the message, the message counts. */
static enum loom_status put_all(struct tavern *tavern, const struct message *message,
				struct loom_err *err)
{
	struct loom_jwalk swipes = loom_jval_walk(message->swipes);
	struct loom_jwalk infos = loom_jval_walk(message->infos);
	struct swipe shown = {.shown = true};
	struct loom_str value;
	struct loom_str next;
	bool done = false;
	enum loom_status status = LOOM_OK;

	for (int64_t i = 0; status == LOOM_OK && loom_jwalk_next(&swipes, NULL, &value); i++) {
		struct swipe swipe = {.text = import_string(tavern->chat.import, value),
				      .value = value};

		shown.text = import_string(tavern->chat.import, message->mes);
		if (!loom_jwalk_next(&infos, NULL, &swipe.info))
			swipe.info = (struct loom_str){NULL, 0};
		swipe.shown = !done && loom_str_eq(swipe.text, shown.text) &&
			      (message->shown < 0 || i == message->shown);
		done |= swipe.shown;
		status = put(tavern, message, &swipe, err);
	}
	while (status == LOOM_OK && loom_jwalk_next(&infos, NULL, &value))
		import_note(tavern->chat.import, IMPORT_LOST, "swipe_info without a swipe");
	shown.text = import_string(tavern->chat.import, message->mes);
	if (status == LOOM_OK && !done)
		status = put(tavern, message, &shown, err);
	shown.text = import_string(tavern->chat.import, message->mes);
	next = id_of(tavern, chats_true(message->is_user), shown.text);
	loom_buf_clear(&tavern->parent);
	loom_buf_add(&tavern->parent, next);
	return status;
}

/* ---- the chat ---- */

/* The date must not identify the tree: a branch has a different date, and must join its chat. */
static void begin(struct tavern *tavern, const struct import_source *source)
{
	static const struct import_fields fields = {
		.where = "header",
		.used = "",
		.known = "user_name:s character_name:s create_date:ns chat_metadata:o"};
	struct loom_import *import = tavern->chat.import;
	struct loom_str header =
		import_has(source, "mes", LOOM_JTYPE_STRING) ? LOOM_STR("") : source->first;
	struct import_tree tree = {
		.id = import_text(import, loom_jval_get(header, "chat_metadata"), "main_chat"),
		.mode = LOOM_DIALOGUE,
	};

	if (!tree.id.n)
		tree.id = source->name;
	tree.title = tree.id;
	chats_about(&tavern->chat, header, &fields);
	import_begin(import, &tree);
}

/* Keeps a line that is not a message with the tree. */
static void keep_line(struct tavern *tavern, struct loom_str line, int64_t number)
{
	struct loom_import *import = tavern->chat.import;
	struct loom_buf kept = IMPORT_BUF(import);

	import_note(import, IMPORT_NOT_UNDERSTOOD, "line without a message");
	loom_buf_addf(&kept, "\"line %lld\":", (long long)number);
	import_keep(import, line, &kept);
	import_beside_tree(import, loom_buf_str(&kept));
	loom_buf_fini(&kept);
}

static enum loom_status read_lines(struct tavern *tavern, struct loom_str text,
				   struct loom_err *err)
{
	struct chats_lines lines;
	struct message message;
	struct loom_str line;
	enum loom_status status = LOOM_OK;

	chats_lines(&lines, tavern->chat.import, text);
	for (;;) {
		status = chats_line(&lines, &line, err);
		if (status == LOOM_OK && !line.p && tavern->parent.n)
			return chats_mark(tavern->chat.import, loom_buf_str(&tavern->parent),
					  IMPORT_CURRENT, LOOM_STR(""), err);
		if (status != LOOM_OK || !line.p)
			return status;
		look(line, &message);
		if (message.mes.p)
			status = put_all(tavern, &message, err);
		else if (lines.number > 1)
			keep_line(tavern, line, lines.number);
		if (status != LOOM_OK)
			return status;
	}
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct tavern tavern = {.parent = IMPORT_BUF(import)};
	enum loom_status status = LOOM_OK;

	chats_init(&tavern.chat, import);
	begin(&tavern, source);
	status = chats_root(&tavern.chat, LOOM_STR("start"), err);
	if (status == LOOM_OK)
		status = read_lines(&tavern, source->text, err);
	chats_fini(&tavern.chat);
	loom_buf_fini(&tavern.parent);
	return status;
}

const struct import_reader import_sillytavern = {
	.name = "sillytavern",
	.title = "SillyTavern chats (JSONL) with swipes",
	.recognise = recognise,
	.read = read,
};
