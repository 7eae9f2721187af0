/* Calls as other programs' tools are called, as lines of ours: JSON objects with a name and
 * arguments, XML elements, functions. Models were taught one shape or another and fall back on it;
 * what they mean is always a name and some values, so that is what is looked for. */
#include <loom/chat/unheard.h>

#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/language/call_id.h>
#include <loom/language/registry.h>

#define ARGS_MAX 12

struct arg {
	struct loom_str key; /* empty: it has none */
	struct loom_str value;
};
struct foreign {
	struct loom_arena *arena;
	struct loom_str name;
	struct arg args[ARGS_MAX];
	size_t count;
	bool sure; /* it is a call of a tool, whatever its name and values are */
};

static bool is_one_of(struct loom_str word, const char *const *list)
{
	for (; *list; list++)
		if (loom_str_eq_fold(word, loom_str_of(*list)))
			return true;
	return false;
}

static void add_arg(struct foreign *call, struct loom_str key, struct loom_str value)
{
	if (call->count < ARGS_MAX)
		call->args[call->count++] = (struct arg){key, loom_str_trim(value)};
}

/* ---- a line of ours ---- */

/* In which order the values stand in a line: nodes, documents, words, texts. */
enum place { NODES, DOCUMENTS, WORDS, TEXTS, PLACES };

static const char *const id_keys[] = {"id",      "node",       "node_id",   "nodeid", "local_id",
				      "localid", "id_or_node", "target_id", NULL};
static const char *const doc_keys[] = {"doc",  "document", "doc_name", "document_name",
				       "path", "file",     NULL};
static const char *const text_keys[] = {"text",       "content", "message", "body",
					"annotation", "comment", "label",   "query",
					"title",      "tag",     NULL};
static const char *const word_keys[] = {"what", "list", "kind",    "type", "topic",
					"verb", "tool", "command", NULL};
static const char *const bare_keys[] = {"",     "input",        "value",     "argument", "arg",
					"args", "action_input", "arguments", NULL};

static bool is_id(const struct foreign *call, struct loom_str value)
{
	struct loom_str id;

	return lang_id_read(call->arena, value, &id);
}

static enum place place_of(const struct foreign *call, const struct arg *arg)
{
	if (is_one_of(arg->key, doc_keys))
		return DOCUMENTS;
	if (is_id(call, arg->value))
		return NODES;
	return is_one_of(arg->key, text_keys) ? TEXTS : WORDS;
}

static void add_quoted(const char *before, struct loom_str value, struct loom_buf *out)
{
	loom_buf_adds(out, before);
	loom_call_quote(value, out);
}

/* Keys that ours has another word for. */
static struct loom_str our_key(struct loom_str key)
{
	static const struct {
		const char *said[4];
		const char *ours;
	} keys[] = {{{"count", "num", "number", NULL}, "n"},
		    {{"max_tokens", "maxtokens", NULL}, "tokens"},
		    {{"model", "using", NULL}, "agent"}};

	for (size_t i = 0; i < LOOM_COUNT(keys); i++)
		if (is_one_of(key, keys[i].said))
			return loom_str_of(keys[i].ours);
	return key;
}

/* A value with a key of ours, a flag, or a word that needs no key. */
static void write_key(const struct arg *arg, struct loom_buf *out)
{
	const struct loom_str key = our_key(arg->key);
	const bool flag = loom_str_is(arg->value, "true");

	if (loom_str_is(arg->value, "false") || loom_str_is(arg->value, "null"))
		return;
	loom_buf_addc(out, ' ');
	if (is_one_of(key, bare_keys) || is_one_of(key, word_keys)) {
		loom_buf_add(out, arg->value);
		return;
	}
	for (size_t i = 0; i < key.n; i++)
		loom_buf_addc(out, key.p[i] == '_' ? '-' : key.p[i]);
	if (flag)
		return;
	loom_buf_addc(out, ':');
	if (loom_str_find_char(arg->value, ' ', 0) != SIZE_MAX || loom_str_is(key, "agent") ||
	    loom_str_is(key, "note"))
		loom_call_quote(arg->value, out);
	else
		loom_buf_add(out, arg->value);
}

static void write_arg(const struct arg *arg, enum place place, struct loom_buf *out)
{
	static const char *const leads[] = {"from", "to", "branch", "in", NULL};

	switch (place) {
	case NODES:
		loom_buf_addc(out, ' ');
		if (loom_str_eq_fold(arg->key, LOOM_STR("branch")))
			loom_buf_adds(out, "branch:");
		else if (is_one_of(arg->key, leads) && !is_one_of(arg->key, id_keys))
			loom_buf_addf(out, "%.*s ", LOOM_STR_ARG(arg->key));
		loom_buf_add(out, arg->value);
		break;
	case DOCUMENTS:
		add_quoted(" doc:", arg->value, out);
		break;
	case TEXTS:
		add_quoted(" ", arg->value, out);
		break;
	case WORDS:
	case PLACES:
		write_key(arg, out);
		break;
	}
}

/* The name without what stands before it: functions.view, loom.view, loom_view. */
static struct loom_str bare_name(struct loom_str name)
{
	name = loom_str_trim(name);
	for (size_t at = name.n; at; at--)
		if (name.p[at - 1] == '.' || name.p[at - 1] == ':' || name.p[at - 1] == '/')
			return loom_str_sub(name, at, name.n);
	if (name.n > 5 && loom_str_eq_fold(loom_str_sub(name, 0, 5), LOOM_STR("loom_")))
		return loom_str_sub(name, 5, name.n);
	return name;
}

/* Reads `text` as a call of ours and appends it as it is printed. */
static bool print_as_ours(const struct foreign *call, struct loom_str text, struct loom_buf *out)
{
	struct loom_refusal refusal;
	struct loom_call ours;

	if (loom_parse_line(call->arena, text, &ours, &refusal) != LOOM_OK)
		return false;
	loom_call_print(&ours, out);
	return true;
}

/* Writes the call as a line of ours; the form of its verb when its values do not make one. */
static bool write_line(const struct foreign *call, struct loom_str *out)
{
	const struct loom_str name = bare_name(call->name);
	const enum loom_verb verb = loom_verb_find(name);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool known = false;

	loom_buf_add(&text, name);
	for (size_t i = 0; i < text.n; i++)
		text.p[i] = text.p[i] == '_' ? ' ' : text.p[i];
	for (int place = NODES; place < PLACES; place++)
		for (size_t i = 0; i < call->count; i++)
			if (place_of(call, &call->args[i]) == (enum place)place)
				write_arg(&call->args[i], (enum place)place, &text);
	known = print_as_ours(call, loom_buf_str(&text), &line);
	if (!known && verb != LOOM_VERB_NONE && call->sure) {
		loom_buf_addf(&line, "%s %s", loom_verb_name(verb), loom_verb_info(verb)->args);
		known = true;
	}
	*out = loom_arena_buf(call->arena, &line);
	loom_buf_fini(&text);
	loom_buf_fini(&line);
	return known;
}

/* Takes a whole line of ours, with or without its arrow. */
static bool take_line(const struct foreign *call, struct loom_str text, struct chat_foreign *out)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool known = false;

	text = loom_str_trim(text);
	if (loom_str_starts(text, LOOM_STR("→")))
		text = loom_str_sub(text, strlen("→"), text.n);
	known = out->count < CHAT_FOREIGN_MAX && print_as_ours(call, text, &line);
	if (known)
		out->lines[out->count++] = loom_arena_buf(call->arena, &line);
	loom_buf_fini(&line);
	return known;
}

static bool take(const struct foreign *call, struct chat_foreign *out)
{
	struct loom_str line;

	if (!call->name.n || out->count == CHAT_FOREIGN_MAX || !write_line(call, &line))
		return false;
	out->lines[out->count++] = line;
	return true;
}

/* ---- JSON ---- */

/* Returns the length of the JSON value at the beginning of `text`, or 0. */
static size_t json_length(struct loom_str text)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t at = 0; at < text.n; at++) {
		const char c = text.p[at];

		if (quoted && c == '\\')
			at++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == '}' || c == ']') && depth-- == 1)
			return loom_json_check(loom_str_sub(text, 0, at + 1), NULL, NULL) == LOOM_OK
				       ? at + 1
				       : 0;
		if (!depth)
			return 0;
	}
	return 0;
}

static struct loom_str json_text(struct loom_str value, struct loom_arena *arena)
{
	return loom_jval_type(value) == LOOM_JTYPE_STRING ? loom_jval_text(value, arena) : value;
}

static const char *const name_keys[] = {"name",     "tool",           "tool_name",     "toolname",
					"function", "action",         "command",       "cmd",
					"method",   "recipient_name", "function_name", NULL};
static const char *const args_keys[] = {"arguments", "parameters", "args",       "input",
					"params",    "kwargs",     "tool_input", "action_input",
					"toolinput", "inputs",     NULL};

static bool read_json(struct loom_str value, struct loom_arena *arena, struct chat_foreign *out);

/* Adds the members of an object of arguments; anything else is one argument without a key. */
static void json_args(struct foreign *call, struct loom_str value)
{
	struct loom_jwalk walk;
	struct loom_str key;
	struct loom_str item;
	struct loom_str text = json_text(value, call->arena);

	if (loom_jval_type(value) == LOOM_JTYPE_STRING && text.n && text.p[0] == '{' &&
	    json_length(text) == text.n)
		value = text;
	if (loom_jval_type(value) != LOOM_JTYPE_OBJECT) {
		if (text.n && loom_jval_type(value) != LOOM_JTYPE_ARRAY)
			add_arg(call, LOOM_STR(""), text);
		return;
	}
	walk = loom_jval_walk(value);
	while (loom_jwalk_next(&walk, &key, &item))
		add_arg(call, loom_jval_text(key, call->arena), json_text(item, call->arena));
}

static bool read_members(struct loom_str object, struct loom_arena *arena, struct chat_foreign *out)
{
	struct foreign call = {.arena = arena};
	struct foreign nested = {.arena = arena};
	struct loom_str inner = {NULL, 0};
	struct loom_jwalk walk = loom_jval_walk(object);
	const bool alone = loom_jval_count(object) == 1;
	struct loom_str key;
	struct loom_str value;
	bool found = false;

	while (loom_jwalk_next(&walk, &key, &value)) {
		const struct loom_str name = loom_jval_text(key, arena);
		const enum loom_jtype type = loom_jval_type(value);

		if (is_one_of(name, args_keys) || (alone && loom_verb_find(name))) {
			if (alone)
				call.name = name;
			nested.count = 0;
			json_args(&nested, value);
			inner = value;
			call.sure = true;
		} else if (type == LOOM_JTYPE_OBJECT || type == LOOM_JTYPE_ARRAY)
			found |= read_json(value, arena, out);
		else if (!call.name.n && type == LOOM_JTYPE_STRING && is_one_of(name, name_keys))
			call.name = loom_jval_text(value, arena);
		else if (!loom_str_eq_fold(name, LOOM_STR("type")) || call.name.n)
			add_arg(&call, name, json_text(value, arena));
	}
	if (loom_str_is(call.name, "function") || found)
		return found;
	if (inner.p) {
		/* What stands beside the arguments is about the request, not about the call. */
		if (loom_verb_find(bare_name(call.name)) == LOOM_VERB_NONE &&
		    loom_jval_type(inner) == LOOM_JTYPE_OBJECT && read_json(inner, arena, out))
			return true;
		memcpy(call.args, nested.args, sizeof call.args);
		call.count = nested.count;
	}
	if (loom_str_find_char(loom_str_trim(call.name), ' ', 0) != SIZE_MAX)
		return take_line(&call, call.name, out);
	/* An object with a name may be about anything, unless it names a node as well. */
	for (size_t i = 0; i < call.count && !call.sure; i++)
		call.sure = is_id(&call, call.args[i].value);
	return call.sure && take(&call, out);
}

/* Reads the calls in a value: an object with a name, or what holds such objects. */
static bool read_json(struct loom_str value, struct loom_arena *arena, struct chat_foreign *out)
{
	struct loom_jwalk walk;
	struct loom_str item;
	bool found = false;

	if (loom_jval_type(value) == LOOM_JTYPE_OBJECT)
		return read_members(value, arena, out);
	walk = loom_jval_walk(value);
	while (loom_jwalk_next(&walk, NULL, &item))
		found |= read_json(item, arena, out);
	return found;
}

/* ---- functions ---- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.';
}

static size_t word_length(struct loom_str text)
{
	size_t n = 0;

	while (n < text.n && is_word(text.p[n]))
		n++;
	return n;
}

/* Reads one argument up to a comma or the closing parenthesis; returns its length. */
static size_t function_arg(struct foreign *call, struct loom_str text)
{
	const size_t word = word_length(text);
	struct loom_str key = LOOM_STR("");
	char quote = '\0';

	if (word && word < text.n && text.p[word] == '=') {
		key = loom_str_sub(text, 0, word);
		text = loom_str_sub(text, word + 1, text.n);
	}
	for (size_t i = 0; i < text.n; i++) {
		const char c = text.p[i];
		struct loom_str value;

		if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? '\0' : c;
		} else if (!quote && (c == ',' || c == ')' || c == ']')) {
			value = loom_str_trim(loom_str_sub(text, 0, i));
			if (value.n >= 2 && (value.p[0] == '"' || value.p[0] == '\''))
				value = loom_str_sub(value, 1, value.n - 2);
			if (value.n)
				add_arg(call, key, value);
			return key.n + (key.n > 0) + i;
		}
	}
	return 0;
}

/* Reads view(id="a7x2"); returns its length, 0: it is none. */
static size_t read_function(struct loom_str text, struct loom_arena *arena,
			    struct chat_foreign *out)
{
	struct foreign call = {.arena = arena};
	const size_t skip = loom_str_starts(text, LOOM_STR("print(")) ? strlen("print(") : 0;
	size_t at = 0;

	text = loom_str_sub(text, skip, text.n);
	at = word_length(text);
	if (!at || at >= text.n || (text.p[at] != '(' && text.p[at] != '['))
		return 0;
	call.name = loom_str_sub(text, 0, at);
	if (loom_str_ends(call.name, LOOM_STR(".call")) ||
	    loom_str_ends(call.name, LOOM_STR(".run")))
		call.name = loom_str_sub(call.name, 0, loom_str_find_char(call.name, '.', 0));
	do {
		size_t n = 0;

		at++;
		while (at < text.n && text.p[at] == ' ')
			at++;
		n = function_arg(&call, loom_str_sub(text, at, text.n));
		if (!n && (at >= text.n || (text.p[at] != ')' && text.p[at] != ']')))
			return 0;
		at += n;
	} while (at < text.n && text.p[at] == ',');
	return take(&call, out) ? skip + at + 1 + (skip > 0) : 0;
}

/* ---- XML ---- */

/* Returns what stands between `before` and the next of the signs `until`, from `from` on; p NULL:
 * `before` is not there. *out_end is where it ends. */
static struct loom_str between(struct loom_str text, size_t from, const char *before,
			       const char *until, size_t *out_end)
{
	size_t at = loom_str_find(text, loom_str_of(before), from);
	size_t end = 0;

	if (at == SIZE_MAX)
		return (struct loom_str){NULL, 0};
	at += strlen(before);
	while (at < text.n && text.p[at] == ' ')
		at++;
	for (end = at; end < text.n && !strchr(until, text.p[end]); end++)
		;
	*out_end = end;
	return loom_str_sub(text, at, end - at);
}

/* Where the name of a call stands that has it apart from its arguments. */
static struct loom_str name_apart(struct loom_str text, size_t *out_end)
{
	static const struct {
		const char *before;
		const char *until;
	} places[] = {
		{"to=functions.", " <\n"},
		{"tool▁sep｜>", "<\n{ "},
		{"<function=", ">"},
		{"invoke name=\"", "\""},
		{"<|tool_call_begin|>", " <:{\n"},
		{"<start_function_call>call:", "{ <"},
		{"<tool name=\"", "\""},
		{"<tool_call name=\"", "\""},
		{"<function name=\"", "\""},
		{"<call name=\"", "\""},
		{"<action name=\"", "\""},
		{"<use_tool name=\"", "\""},
		{"<name>", "<"},
		{"<tool_name>", "<"},
		{"<tool_call>", "<\n{("},
		{"[TOOL_CALLS]", "[\n{ "},
		{"<tool>", "<\n"},
	};

	for (size_t i = 0; i < LOOM_COUNT(places); i++) {
		struct loom_str name =
			loom_str_trim(between(text, 0, places[i].before, places[i].until, out_end));

		if (name.n && word_length(name) == name.n)
			return name;
	}
	return (struct loom_str){NULL, 0};
}

/* Adds the arguments that stand in elements: <parameter name="k">v<, <parameter=k>v<,
 * <arg_key>k</arg_key> <arg_value>v<, <k>v<. */
static void xml_args(struct foreign *call, struct loom_str text)
{
	static const char *const wraps[] = {"parameters", "arguments",  "args", "input",
					    "params",     "tool_input", NULL};
	size_t at = 0;

	while ((at = loom_str_find_char(text, '<', at)) != SIZE_MAX) {
		struct loom_str tag = between(text, at, "<", ">", &at);
		struct loom_str value = loom_str_sub(text, at + 1, text.n);
		struct loom_str key = tag;
		size_t end = 0;

		value = loom_str_sub(value, 0, loom_str_find_char(value, '<', 0));
		if (!tag.n || tag.p[0] == '/' || is_one_of(tag, wraps))
			continue;
		if (loom_str_find(tag, LOOM_STR("name=\""), 0) != SIZE_MAX)
			key = between(tag, 0, "name=\"", "\"", &end);
		else if (loom_str_find_char(tag, '=', 0) != SIZE_MAX)
			key = between(tag, 0, "=", " ", &end);
		else if (loom_str_is(tag, "arg_key"))
			key = value, value = between(text, at, "<arg_value>", "<", &at);
		if (loom_str_trim(value).n && word_length(key) == key.n)
			add_arg(call, key, value);
	}
}

/* Adds the arguments of {id:<escape>a7x2<escape>,n:3}. */
static void escaped_args(struct foreign *call, struct loom_str text)
{
	size_t at = loom_str_find_char(text, '{', 0);

	while (at < text.n) {
		const struct loom_str rest = loom_str_sub(text, at + 1, text.n);
		const size_t n = word_length(rest);
		struct loom_str value = loom_str_sub(rest, n + 1, rest.n);
		size_t end = 0;

		if (!n || n >= rest.n || rest.p[n] != ':')
			return;
		if (loom_str_starts(value, LOOM_STR("<escape>"))) {
			value = between(value, 0, "<escape>", "<", &end);
			at = (size_t)(value.p + value.n - text.p) + strlen("<escape>");
		} else {
			while (end < value.n && value.p[end] != ',' && value.p[end] != '}')
				end++;
			value = loom_str_sub(value, 0, end);
			at = (size_t)(value.p + value.n - text.p);
		}
		add_arg(call, loom_str_sub(rest, 0, n), value);
	}
}

/* Adds the attributes of an element: id="a7x2". */
static void attributes(struct foreign *call, struct loom_str tag)
{
	size_t at = 0;

	while ((at = loom_str_find_char(tag, ' ', at)) != SIZE_MAX) {
		const struct loom_str rest = loom_str_sub(tag, at + 1, tag.n);
		const size_t n = word_length(rest);
		size_t end = 0;

		at += 1 + n;
		if (n && loom_str_eq(loom_str_sub(rest, n, 2), LOOM_STR("=\"")))
			add_arg(call, loom_str_sub(rest, 0, n), between(rest, n, "\"", "\"", &end));
	}
}

/* Reads a call whose name stands apart, or is the element's own: <view id="a7x2"/>. */
static bool read_element(struct loom_str text, struct loom_arena *arena, struct chat_foreign *out)
{
	struct foreign call = {.arena = arena};
	size_t end = 0;
	size_t json = 0;
	struct loom_str tag;

	call.name = name_apart(text, &end);
	if (call.name.n) {
		struct loom_str rest = loom_str_sub(text, end, text.n);

		call.sure = true;
		json = loom_str_find_char(rest, '{', 0);
		if (loom_str_find(rest, LOOM_STR("<escape>"), 0) != SIZE_MAX)
			escaped_args(&call, rest);
		else if (json != SIZE_MAX && json_length(loom_str_sub(rest, json, rest.n)))
			json_args(&call,
				  loom_str_sub(rest, json,
					       json_length(loom_str_sub(rest, json, rest.n))));
		else
			xml_args(&call, rest);
		return take(&call, out);
	}
	tag = between(text, 0, "<", ">", &end);
	call.name = loom_str_sub(tag, 0, word_length(tag));
	if (loom_verb_find(call.name) == LOOM_VERB_NONE)
		return false;
	attributes(&call, tag);
	xml_args(&call, loom_str_sub(text, end, text.n));
	tag = loom_str_trim(between(text, 0, ">", "<", &end));
	if (tag.n)
		add_arg(&call, call.count ? LOOM_STR("text") : LOOM_STR(""), tag);
	return take(&call, out);
}

/* <tool_call>view a7x2</tool_call>: a line of ours in an element. */
static bool read_wrapped(struct loom_str text, struct loom_arena *arena, struct chat_foreign *out)
{
	static const char *const wraps[] = {"tool_call", "tool_code", "tool",   "call",
					    "action",    "command",   "invoke", "function_call",
					    "run",       "execute",   "cmd",    "loom",
					    "tool_use",  "calls",     "exec",   "use_tool",
					    "actions",   "commands",  NULL};
	struct foreign call = {.arena = arena};
	size_t end = 0;
	struct loom_str tag = between(text, 0, "<", ">", &end);
	struct loom_str inside = loom_str_trim(between(text, end, ">", "<\n", &end));
	bool known = is_one_of(tag, wraps) && inside.n && out->count < CHAT_FOREIGN_MAX;

	/* In an element of any name an arrow says that it is a call. */
	if (inside.n && (known || loom_str_starts(inside, LOOM_STR("→"))) &&
	    take_line(&call, inside, out))
		return true;
	return known && read_function(inside, arena, out) > 0;
}

/* Returns where an element or a marked call ends: with the paragraph, at most. */
static size_t paragraph(struct loom_str text)
{
	size_t end = loom_str_find(text, LOOM_STR("\n\n"), 0);

	return end == SIZE_MAX ? text.n : end + 1;
}

/* Returns where a call begins behind the signs that stand before it in some shapes. */
static size_t behind_marks(struct loom_str text)
{
	static const char *const marks[] = {"[TOOL_CALLS]",
					    "<|python_tag|>",
					    "functools",
					    "<|tool_call|>",
					    "<tool_call>",
					    "<|tool_calls|>",
					    "<tool_calls>",
					    "<function_call>",
					    "<|plugin|>",
					    "<tools>",
					    NULL};
	size_t at = 0;

	for (size_t i = 0; marks[i]; i++)
		if (loom_str_starts(text, loom_str_of(marks[i])))
			at = strlen(marks[i]);
	while (at < text.n && (text.p[at] == ' ' || text.p[at] == '\n'))
		at++;
	return at;
}

/* ---- lines of keys and values ---- */

/* Cuts `key: value` off, without emphasis; false: the line is another. */
static bool cut_pair(struct loom_str *rest, struct loom_str *out_key, struct loom_str *out_value)
{
	struct loom_str line;
	size_t colon = 0;

	if (!loom_str_line(rest, &line))
		return false;
	colon = loom_str_find_char(line, ':', 0);
	if (colon == SIZE_MAX)
		return false;
	*out_key = loom_str_trim(loom_str_sub(line, 0, colon));
	*out_value = loom_str_trim(loom_str_sub(line, colon + 1, line.n));
	for (struct loom_str *one = out_key; one; one = one == out_key ? out_value : NULL) {
		while (one->n && strchr("*_`\"'-, ", one->p[0]))
			*one = loom_str_sub(*one, 1, one->n);
		while (one->n && strchr("*_`\"', ", one->p[one->n - 1]))
			one->n--;
	}
	return out_key->n > 0 && word_length(*out_key) == out_key->n;
}

/* Reads "tool: view" with its arguments on the lines below; returns its length, 0: it is none. */
static size_t read_pairs(struct loom_str text, struct loom_arena *arena, struct chat_foreign *out)
{
	struct foreign call = {.arena = arena};
	struct loom_str rest = text;
	struct loom_str behind;
	struct loom_str key;
	struct loom_str value;

	if (!text.n || !cut_pair(&rest, &key, &value) || !is_one_of(key, name_keys) ||
	    loom_str_eq_fold(key, LOOM_STR("name")) ||
	    loom_verb_find(bare_name(value)) == LOOM_VERB_NONE)
		return 0;
	call.name = value;
	for (behind = rest; cut_pair(&rest, &key, &value); behind = rest) {
		if (value.n)
			add_arg(&call, is_one_of(key, args_keys) ? LOOM_STR("") : key, value);
		else if (!is_one_of(key, args_keys))
			break;
	}
	return call.count && take(&call, out) ? (behind.n ? (size_t)(behind.p - text.p) : text.n)
					      : 0;
}

/* ---- programs ---- */

/* A dictionary of Python's as JSON: with double quotes; empty when it is none. */
static struct loom_str as_json(struct loom_str text, struct loom_arena *arena)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str copy = {NULL, 0};
	size_t depth = 0;

	for (size_t at = 0; at < text.n && at < 4096; at++) {
		const char c = text.p[at];

		if (c == '"')
			break;
		loom_buf_addc(&out, c == '\'' ? '"' : c);
		depth += c == '{' || c == '[';
		depth -= (c == '}' || c == ']') && depth > 0;
		if (!depth) {
			copy = loom_arena_buf(arena, &out);
			break;
		}
	}
	loom_buf_fini(&out);
	return copy;
}

/* Length of `result = `, `await ` or `return ` before a function. */
static size_t before_function(struct loom_str text)
{
	static const char *const words[] = {"await ", "return ", "const ", "let ", "var "};
	size_t at = 0;
	size_t n = 0;

	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		if (loom_str_starts(loom_str_sub(text, at, text.n), loom_str_of(words[i])))
			at += strlen(words[i]);
	n = word_length(loom_str_sub(text, at, text.n));
	if (n && loom_str_starts(loom_str_sub(text, at + n, text.n), LOOM_STR(" = ")))
		at += n + 3;
	if (loom_str_starts(loom_str_sub(text, at, text.n), LOOM_STR("await ")))
		at += strlen("await ");
	return at;
}

bool chat_foreign_read(struct loom_str text, struct loom_arena *arena, struct chat_foreign *out)
{
	const size_t at = behind_marks(text);
	const struct loom_str call = loom_str_sub(text, at, text.n);
	const bool listed = call.n && call.p[0] == '[';
	size_t length = 0;

	*out = (struct chat_foreign){.count = 0};
	if (call.n && (call.p[0] == '{' || listed))
		length = json_length(call);
	if (length && !read_json(loom_str_sub(call, 0, length), arena, out))
		length = 0;
	if (!length && loom_str_starts(call, LOOM_STR("{'")))
		length = read_json(as_json(call, arena), arena, out) ? as_json(call, arena).n : 0;
	if (!length) {
		const size_t skip = listed ? 1 : before_function(call);

		length = read_function(loom_str_sub(call, skip, call.n), arena, out);
		length += length && !listed ? skip : 0;
	}
	if (!length)
		length = read_pairs(call, arena, out);
	if (length) {
		out->bytes = at ? paragraph(text) : length + (size_t)listed;
		return true;
	}
	if (!at && !loom_str_starts(text, LOOM_STR("<")))
		return false;
	out->bytes = paragraph(text);
	text = loom_str_sub(text, 0, out->bytes);
	return read_wrapped(text, arena, out) || read_element(text, arena, out);
}
