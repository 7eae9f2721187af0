/* Reads a `<thread_context>` that somebody else wrote.
 *
 * A scan over the brackets finds the block in the surrounding text and enforces the limits; only
 * the block itself goes to the XML reader (xml_reader.c). Foreign content is reported with its line
 * and dropped; so is a path that could lead out of the project. */
#include <loom/shared/thread_context.h>

#include <loom/base/utf8.h>

#include "xml_reader.h"

#define BLOCK_MAX ((size_t)1 << 20)
#define TAG_MAX   ((size_t)64 << 10)
#define DEPTH_MAX 200

static const struct loom_str opening = LOOM_STR_INIT("<thread_context");

struct parse {
	struct loom_arena *arena;
	struct loom_thread_context *out;
	struct loom_context_problems *problems;
	size_t first_line; /* line of the block in the text */
	size_t depth;
	size_t strange; /* depth of a foreign element, which hides its contents; 0: none */
	struct loom_context_ref *ref;
	size_t ref_line;
	bool root;
};

static void say(struct parse *parse, size_t line, const char *format, ...) LOOM_PRINTF(3, 4);

static void say(struct parse *parse, size_t line, const char *format, ...)
{
	struct loom_context_problems *problems = parse->problems;
	struct loom_buf text = LOOM_BUF_INIT(4096);
	va_list args;

	LOOM_ASSERT(parse->arena);
	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	problems->items = loom_arena_grow(parse->arena, problems->items, problems->count,
					  &problems->cap, sizeof(*problems->items));
	problems->items[problems->count++] =
		(struct loom_context_problem){.line = line,
					      .message = loom_arena_buf(parse->arena, &text)};
	loom_buf_fini(&text);
}

static size_t line_at(struct loom_str text, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at && i < text.n; i++)
		line += text.p[i] == '\n';
	return line;
}

/* ---- finding the block ---- */

/* Finds where a block may open: the name must end there. */
static size_t find_opening(struct loom_str text, size_t from)
{
	LOOM_ASSERT(from <= text.n);
	for (;;) {
		size_t at = loom_str_find(text, opening, from);

		if (at == SIZE_MAX || at + opening.n >= text.n)
			return SIZE_MAX;
		if (strchr(" \t\r\n/>", text.p[at + opening.n]))
			return at;
		from = at + opening.n;
	}
}

/* Whether what opens at `at` is more than a mention of the element. */
static bool says_attributes(struct loom_str text, size_t at)
{
	at += opening.n;
	while (at < text.n && strchr(" \t\r\n", text.p[at]))
		at++;
	return at < text.n && text.p[at] != '>' && text.p[at] != '/';
}

/* Finds the block in a text that may mention blocks before it: the first with attributes, else the
 * first. */
static size_t find_first(struct loom_str text)
{
	size_t at = find_opening(text, 0);

	for (size_t next = at; next != SIZE_MAX; next = find_opening(text, next + 1))
		if (says_attributes(text, next))
			return next;
	return at;
}

/* Returns the offset after a tag's `>`, respecting quotes; SIZE_MAX if there is none. */
static size_t end_of_tag(struct loom_str text, size_t at)
{
	char quote = '\0';

	for (; at < text.n; at++) {
		char c = text.p[at];

		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '>')
			return at + 1;
	}
	return SIZE_MAX;
}

static size_t behind(struct loom_str text, size_t at, const char *end)
{
	size_t found = loom_str_find(text, loom_str_of(end), at);

	return found == SIZE_MAX ? SIZE_MAX : found + strlen(end);
}

static bool stands(struct loom_str text, size_t at, const char *what)
{
	return loom_str_starts(loom_str_sub(text, at, SIZE_MAX), loom_str_of(what));
}

/* Skips whatever begins with the `<` at `at`; *step is its change of depth. Returns NULL, or why it
 * is not allowed. */
static const char *walk_one(struct loom_str text, size_t *at, int *step)
{
	size_t from = *at;

	LOOM_ASSERT(from < text.n && text.p[from] == '<');
	*step = 0;
	if (stands(text, from, "<!--"))
		*at = behind(text, from + 4, "-->");
	else if (stands(text, from, "<![CDATA["))
		*at = behind(text, from, "]]>");
	else if (stands(text, from, "<?"))
		*at = behind(text, from, "?>");
	else if (stands(text, from, "<!"))
		return "a DOCTYPE is not allowed";
	else
		*at = end_of_tag(text, from);
	if (*at == SIZE_MAX)
		return "the block is not closed";
	LOOM_ASSERT(*at > from && *at <= text.n);
	if (*at - from > TAG_MAX)
		return "a tag of more than 64 KiB";
	if (text.p[from + 1] == '/')
		*step = -1;
	else if (text.p[from + 1] != '!' && text.p[from + 1] != '?' && text.p[*at - 2] != '/')
		*step = 1;
	return NULL;
}

/* Returns the block that opens at `from`; n 0 if it is refused. */
static struct loom_str cut_block(struct parse *parse, struct loom_str text, size_t from)
{
	size_t at = from;
	size_t depth = 0;
	const char *fault = NULL;

	LOOM_ASSERT(from < text.n);
	while (!fault && at != SIZE_MAX) {
		size_t here = at;
		int step = 0;

		fault = walk_one(text, &at, &step);
		if (!fault && step < 0 && depth-- == 0)
			fault = "a tag that closes nothing";
		if (!fault && step > 0 && ++depth > DEPTH_MAX)
			fault = "nested too deep";
		if (fault) {
			say(parse, line_at(text, here), "%s", fault);
			return (struct loom_str){NULL, 0};
		}
		if (depth == 0)
			return loom_str_sub(text, from, at - from);
		at = loom_str_find_char(text, '<', at);
	}
	say(parse, parse->first_line, "%s",
	    text.n - from < BLOCK_MAX ? "the block is not closed"
				      : "the block is larger than 1 MiB");
	return (struct loom_str){NULL, 0};
}

/* Replaces the block's comments by blanks, line by line. XML forbids some of what they may contain:
 * the pages that show a block have `--ref` in a comment. */
static struct loom_str blank_comments(struct parse *parse, struct loom_str block)
{
	struct loom_buf out = LOOM_BUF_INIT(BLOCK_MAX + 1);
	size_t done = 0;
	size_t at = 0;
	int step = 0;

	LOOM_ASSERT(block.n > 0 && block.n <= BLOCK_MAX);
	while (at != SIZE_MAX) {
		size_t from = at;

		if (walk_one(block, &at, &step))
			break;
		if (stands(block, from, "<!--")) {
			loom_buf_add(&out, loom_str_sub(block, done, from - done));
			for (; from < at; from++)
				loom_buf_addc(&out, block.p[from] == '\n' ? '\n' : ' ');
			done = at;
		}
		at = loom_str_find_char(block, '<', at);
	}
	loom_buf_add(&out, loom_str_sub(block, done, SIZE_MAX));
	block = loom_arena_buf(parse->arena, &out);
	loom_buf_fini(&out);
	return block;
}

/* A document that is XML from its first byte may not have a DOCTYPE before the block. */
static bool has_doctype(struct loom_str before)
{
	return loom_str_trim(before).n > 0 && loom_str_trim(before).p[0] == '<' &&
	       (loom_str_find(before, LOOM_STR("<!DOCTYPE"), 0) != SIZE_MAX ||
		loom_str_find(before, LOOM_STR("<!ENTITY"), 0) != SIZE_MAX);
}

/* Returns the declared encoding of an XML document if it is not UTF-8, since read as UTF-8 it would
 * mean something else. n 0: it is UTF-8. */
static struct loom_str other_encoding(struct loom_str text)
{
	static const struct {
		struct loom_str mark;
		const char *name;
	} marks[] = {
		{LOOM_STR_INIT("\xFF\xFE"), "UTF-16"}, {LOOM_STR_INIT("\xFE\xFF"), "UTF-16"},
		{LOOM_STR_INIT("<\0"), "UTF-16"},      {LOOM_STR_INIT("\0<"), "UTF-16"},
		{LOOM_STR_INIT("\0\0"), "UTF-32"},     {LOOM_STR_INIT("+/v"), "UTF-7"},
	};
	struct loom_str head;
	size_t at = 0;
	size_t n = 0;

	for (size_t i = 0; i < LOOM_COUNT(marks); i++)
		if (loom_str_starts(text, marks[i].mark))
			return loom_str_of(marks[i].name);
	if (loom_str_starts(text, LOOM_STR("\xEF\xBB\xBF")))
		text = loom_str_sub(text, 3, SIZE_MAX);
	text = loom_str_trim(text);
	if (!loom_str_starts(text, LOOM_STR("<?xml")))
		return loom_str_make(NULL, 0);
	head = loom_str_sub(text, 0, loom_str_find(text, LOOM_STR("?>"), 0));
	at = loom_str_find(head, LOOM_STR("encoding"), 0);
	if (at == SIZE_MAX)
		return loom_str_make(NULL, 0);
	head = loom_str_sub(head, at + strlen("encoding"), SIZE_MAX);
	while (head.n && strchr(" \t\r\n=\"'", head.p[0]))
		head = loom_str_sub(head, 1, SIZE_MAX);
	while (n < head.n && n < 40 && !strchr(" \t\r\n\"'", head.p[n]))
		n++;
	head = loom_str_sub(head, 0, n);
	return loom_str_eq_fold(head, LOOM_STR("UTF-8")) ? loom_str_make(NULL, 0) : head;
}

static struct loom_str find_block(struct parse *parse, struct loom_str text)
{
	struct loom_str block = {NULL, 0};
	struct loom_str encoding;
	size_t at = 0;
	size_t next = 0;

	encoding = other_encoding(text);
	if (encoding.n) {
		say(parse, 1, "it is XML in %.*s; only UTF-8 is supported", LOOM_STR_ARG(encoding));
		return block;
	}
	if (!loom_utf8_valid(text, &at)) {
		say(parse, line_at(text, at), "not UTF-8");
		return block;
	}
	at = find_first(text);
	if (at == SIZE_MAX) {
		say(parse, 1, "it has no <thread_context>");
		return block;
	}
	parse->first_line = line_at(text, at);
	if (has_doctype(loom_str_sub(text, 0, at))) {
		say(parse, 1, "a DOCTYPE is not allowed");
		return block;
	}
	block = cut_block(parse, loom_str_sub(text, 0, at + BLOCK_MAX), at);
	next = find_opening(text, block.n ? at + block.n : text.n);
	if (next != SIZE_MAX && says_attributes(text, next))
		say(parse, line_at(text, next),
		    "another <thread_context>: only the first one was read");
	return block;
}

/* ---- its contents ---- */

static struct loom_str take(const struct model_xml_event *event, const char *name)
{
	for (size_t i = 0; i < event->attribute_count; i++) {
		if (loom_str_is(event->attributes[i].name, name))
			return event->attributes[i].value;
	}
	return (struct loom_str){NULL, 0};
}

/* Reports attributes that are not in `known` (NULL-ended). */
static void check_attributes(struct parse *parse, const struct model_xml_event *event,
			     const char *const known[])
{
	size_t line = parse->first_line + event->line - 1;

	for (size_t i = 0; i < event->attribute_count; i++) {
		bool found = false;

		for (size_t k = 0; known[k]; k++)
			found |= loom_str_is(event->attributes[i].name, known[k]);
		if (!found)
			say(parse, line, "unknown attribute %.*s of <%.*s>",
			    LOOM_STR_ARG(event->attributes[i].name), LOOM_STR_ARG(event->name));
	}
}

static struct loom_str require(struct parse *parse, const struct model_xml_event *event,
			       const char *name)
{
	struct loom_str value = take(event, name);

	if (value.n == 0)
		say(parse, parse->first_line + event->line - 1, "<%.*s> without %s",
		    LOOM_STR_ARG(event->name), name);
	return value;
}

static bool leads_out(struct loom_str path)
{
	struct loom_str rest = path;
	struct loom_str part = {NULL, 0};

	if (path.n == 0 || path.p[0] == '/' || loom_str_find_char(path, '\\', 0) != SIZE_MAX)
		return true;
	while (loom_str_cut(&rest, '/', &part)) {
		if (loom_str_is(part, "..") || loom_str_is(part, "."))
			return true;
	}
	return false;
}

static void read_root(struct parse *parse, const struct model_xml_event *event)
{
	static const char *const known[] = {"thread", "objective", "relations_file", NULL};

	LOOM_ASSERT(parse->depth == 1);
	parse->root = true;
	check_attributes(parse, event, known);
	parse->out->thread = require(parse, event, "thread");
	parse->out->objective = require(parse, event, "objective");
	parse->out->relations_file = take(event, "relations_file");
	if (parse->out->relations_file.n && leads_out(parse->out->relations_file)) {
		say(parse, parse->first_line + event->line - 1,
		    "the path %.*s leads out of the project",
		    LOOM_STR_ARG(parse->out->relations_file));
		parse->out->relations_file = (struct loom_str){NULL, 0};
	}
	if (loom_str_find_char(parse->out->thread, '/', 0) != SIZE_MAX)
		say(parse, parse->first_line + event->line - 1, "%.*s is no thread's id",
		    LOOM_STR_ARG(parse->out->thread));
}

/* Returns whether the path is below its thread's folder. */
static bool is_of(struct loom_str path, struct loom_str thread)
{
	static const struct loom_str threads = LOOM_STR_INIT(".leslie/threads/");
	struct loom_str rest = loom_str_sub(path, threads.n, SIZE_MAX);

	return loom_str_starts(path, threads) && rest.n > thread.n &&
	       loom_str_starts(rest, thread) && rest.p[thread.n] == '/';
}

/* Returns whether a thread's path is below what others gave it. */
static bool is_given(struct loom_str path, struct loom_str thread)
{
	struct loom_str rest =
		loom_str_sub(path, strlen(".leslie/threads/") + thread.n + 1, SIZE_MAX);

	return loom_str_starts(rest, LOOM_STR("context/"));
}

static void read_asset(struct parse *parse, const struct model_xml_event *event)
{
	static const char *const known[] = {"type", "path", NULL};
	size_t line = parse->first_line + event->line - 1;
	struct loom_str type = require(parse, event, "type");
	struct loom_asset asset = {.path = require(parse, event, "path")};
	struct loom_str owner = parse->ref ? parse->ref->thread : parse->out->thread;

	LOOM_ASSERT(parse->depth == (parse->ref ? 3 : 2));
	check_attributes(parse, event, known);
	if (type.n == 0 || asset.path.n == 0)
		return;
	if (!loom_asset_type_parse(type, &asset.type)) {
		say(parse, line, "unknown type %.*s", LOOM_STR_ARG(type));
		return;
	}
	if (leads_out(asset.path)) {
		say(parse, line, "the path %.*s leads out of the project",
		    LOOM_STR_ARG(asset.path));
		return;
	}
	if (!is_of(asset.path, owner)) {
		say(parse, line, "the path %.*s is not one of %.*s", LOOM_STR_ARG(asset.path),
		    LOOM_STR_ARG(owner));
		return;
	}
	if (!parse->ref && is_given(asset.path, owner)) {
		say(parse, line, "the path %.*s is what %.*s was given, not its own",
		    LOOM_STR_ARG(asset.path), LOOM_STR_ARG(owner));
		return;
	}
	asset.read_path = asset.path;
	loom_asset_add(parse->arena, parse->ref ? &parse->ref->assets : &parse->out->assets, asset);
}

static void read_ref(struct parse *parse, const struct model_xml_event *event)
{
	static const char *const known[] = {"thread", NULL};
	struct loom_str thread = require(parse, event, "thread");

	LOOM_ASSERT(parse->depth == 2 && !parse->ref);
	check_attributes(parse, event, known);
	if (thread.n && loom_str_eq(thread, parse->out->thread)) {
		say(parse, parse->first_line + event->line - 1, "%.*s references itself",
		    LOOM_STR_ARG(thread));
		thread.n = 0;
	}
	if (thread.n == 0) {
		parse->strange = parse->depth;
		return;
	}
	parse->ref = loom_context_ref_of(parse->arena, parse->out, thread);
	parse->ref_line = parse->first_line + event->line - 1;
}

static void on_start(struct parse *parse, const struct model_xml_event *event)
{
	bool is_asset = loom_str_is(event->name, "asset");

	parse->depth++;
	if (parse->strange)
		return;
	if (parse->depth == 1)
		read_root(parse, event);
	else if (is_asset && parse->depth == (parse->ref ? 3 : 2))
		read_asset(parse, event);
	else if (parse->depth == 2 && loom_str_is(event->name, "ref"))
		read_ref(parse, event);
	else {
		say(parse, parse->first_line + event->line - 1, "<%.*s> has no place here",
		    LOOM_STR_ARG(event->name));
		parse->strange = parse->depth;
	}
}

static void on_end(struct parse *parse)
{
	if (parse->strange == parse->depth)
		parse->strange = 0;
	if (parse->depth == 2 && parse->ref) {
		if (parse->ref->assets.count == 0) {
			say(parse, parse->ref_line, "<ref> without an <asset>");
			parse->out->ref_count--;
		}
		parse->ref = NULL;
	}
	parse->depth--;
}

static void read_events(struct parse *parse, const struct model_xml_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct model_xml_event *event = &events->items[i];
		size_t line = parse->first_line + event->line - 1;

		switch (event->kind) {
		case MODEL_XML_START:
			on_start(parse, event);
			break;
		case MODEL_XML_END:
			on_end(parse);
			break;
		case MODEL_XML_TEXT:
			say(parse, line, "text has no place here");
			break;
		case MODEL_XML_BROKEN:
		default:
			say(parse, line, "%.*s", LOOM_STR_ARG(event->name));
			return;
		}
	}
}

enum loom_status loom_thread_context_parse(struct loom_str text, struct loom_arena *arena,
					   struct loom_thread_context *out,
					   struct loom_context_problems *problems,
					   struct loom_err *err)
{
	struct parse parse = {.arena = arena, .out = out, .problems = problems, .first_line = 1};
	struct model_xml_events events = {0};
	struct loom_str block = {NULL, 0};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(out && problems);
	*out = (struct loom_thread_context){0};
	*problems = (struct loom_context_problems){0};
	block = find_block(&parse, text);
	if (block.n == 0)
		return LOOM_OK;
	status = model_xml_read(blank_comments(&parse, block), arena, &events, err);
	if (status == LOOM_OK)
		read_events(&parse, &events);
	if (parse.ref && parse.ref->assets.count == 0)
		out->ref_count--;
	return status;
}
