/* Org files of gptel. Invariants: each heading continues the one above it, so that headings of one
 * level are branches, as gptel has them with branching context; a third-level heading right below
 * the top, which is how gptel begins a prompt by itself, goes on from the one before. Properties
 * say which characters a model or a tool wrote; a heading within those is text. Drawers of
 * properties are no text. */
#include <loom/base/utf8.h>

#include <loom/formats/chats_kit.h>

enum { LOOK_BYTES = 1 << 16, LEVELS = 64, PROMPT_LEVEL = 3 };

static bool recognise(const struct import_source *source)
{
	struct loom_str head = loom_str_sub(source->text, 0, LOOK_BYTES);

	return !source->json && !source->lines &&
	       loom_str_find(head, LOOM_STR(":PROPERTIES:"), 0) != SIZE_MAX &&
	       loom_str_find(head, LOOM_STR("\n:GPTEL_"), 0) != SIZE_MAX;
}

/* Kinds of characters, as gptel notes them. */
enum said { SAID_PROMPT, SAID_RESPONSE, SAID_TOOL, SAID_IGNORED };

struct region {
	uint64_t from; /* characters from 1; then bytes from 0 */
	uint64_t to;
	enum said said;
};

/* A heading that is open, or (level 0) the file. */
struct section {
	size_t level;
	struct loom_str last;   /* the id of its last own turn */
	struct loom_str prompt; /* of its last prompt; empty: none */
	struct loom_str model;
};

struct org {
	struct chats chat;
	struct loom_str text;
	struct loom_arena *arena;
	struct region *regions;
	size_t region_count;
	size_t region_cap;
	struct section open[LEVELS];
	size_t depth;
};

/* ---- regions ---- */

static void add_region(struct org *org, uint64_t from, uint64_t to, enum said said)
{
	if (from < 1 || to <= from)
		return;
	org->regions = loom_arena_grow(org->arena, org->regions, org->region_count,
				       &org->region_cap, sizeof *org->regions);
	org->regions[org->region_count++] = (struct region){from, to, said};
}

static enum said said_by(struct loom_str word)
{
	return loom_str_is(word, "tool")     ? SAID_TOOL
	       : loom_str_is(word, "ignore") ? SAID_IGNORED
					     : SAID_RESPONSE;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* Reads ((response (10 20) …) (tool (30 40 "id"))), or the older ((10 . 20) …). */
static void read_regions(struct org *org, struct loom_str list)
{
	uint64_t numbers[2] = {0, 0};
	size_t count = 0;
	enum said said = SAID_RESPONSE;
	bool quoted = false;

	for (size_t at = 0; at < list.n; at++) {
		const char c = list.p[at];
		size_t end = at;

		if (c == '"' && (at == 0 || list.p[at - 1] != '\\'))
			quoted = !quoted;
		if (quoted)
			continue;
		if (c == ')' && count == 2)
			add_region(org, numbers[0], numbers[1], said);
		if (c == '(' || c == ')')
			count = 0;
		while (end < list.n && is_word(list.p[end]))
			end++;
		if (end == at)
			continue;
		if (c >= '0' && c <= '9' && count < 2 && end - at < 15)
			numbers[count++] = strtoull(list.p + at, NULL, 10);
		else if (c < '0' || c > '9')
			said = said_by(loom_str_sub(list, at, end - at));
		at = end - 1;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct region *x = a;
	const struct region *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Turns characters into bytes. Emacs counts the end of a line as one, however it is written. */
static void find_bytes(struct org *org)
{
	size_t at = 0;
	uint64_t character = 1;
	size_t kept = 0;

	if (org->region_count)
		qsort(org->regions, org->region_count, sizeof *org->regions, by_place);
	for (size_t i = 0; i < org->region_count; i++) {
		struct region region = org->regions[i];
		uint64_t *const ends[] = {&region.from, &region.to};

		if (region.from < character)
			continue;
		for (size_t k = 0; k < 2; k++) {
			while (at < org->text.n && character < *ends[k]) {
				if (org->text.p[at] == '\r' && at + 1 < org->text.n &&
				    org->text.p[at + 1] == '\n')
					at++;
				(void)loom_utf8_next(org->text, &at);
				character++;
			}
			*ends[k] = at;
		}
		if (region.to > region.from)
			org->regions[kept++] = region;
	}
	if (kept < org->region_count)
		import_note(org->chat.import, IMPORT_LOST,
			    "where a model's text is: it does not fit the file");
	org->region_count = kept;
}

/* The first region that does not end before a place; NULL if there is none. */
static const struct region *region_at(const struct org *org, size_t at)
{
	size_t low = 0;
	size_t high = org->region_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (org->regions[middle].to <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < org->region_count ? &org->regions[low] : NULL;
}

/* ---- properties ---- */

/* The properties of a heading, or of the file. */
struct drawer {
	size_t from;
	size_t to; /* behind it; equal to `from`: there is none */
	struct loom_str model;
	struct loom_str system;
	struct loom_str topic;
	struct loom_str bounds;
	struct loom_buf others; /* members for extra */
};

static struct loom_str unescaped(struct org *org, struct loom_str text)
{
	struct loom_buf out = LOOM_BUF_INIT_ON(SIZE_MAX / 4, import_pages(org->chat.import));
	struct loom_str made;

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\\' && i + 1 < text.n && text.p[i + 1] == 'n') {
			loom_buf_addc(&out, '\n');
			i++;
		} else {
			loom_buf_addc(&out, text.p[i]);
		}
	made = loom_arena_buf(org->arena, &out);
	loom_buf_fini(&out);
	return made;
}

static void take_property(struct org *org, struct drawer *drawer, struct loom_str name,
			  struct loom_str value)
{
	static const struct import_fields fields = {
		.where = "property",
		.used = "GPTEL_MODEL GPTEL_SYSTEM GPTEL_TOPIC GPTEL_BOUNDS",
		.known = "GPTEL_BACKEND GPTEL_TEMPERATURE GPTEL_MAX_TOKENS "
			 "GPTEL_NUM_MESSAGES_TO_SEND GPTEL_TOOLS GPTEL_PRESET"};
	struct loom_buf object = IMPORT_BUF(org->chat.import);

	if (loom_str_is(name, "GPTEL_MODEL"))
		drawer->model = value;
	else if (loom_str_is(name, "GPTEL_SYSTEM"))
		drawer->system = unescaped(org, value);
	else if (loom_str_is(name, "GPTEL_TOPIC"))
		drawer->topic = value;
	else if (loom_str_is(name, "GPTEL_BOUNDS"))
		drawer->bounds = value;
	loom_buf_addc(&object, '{');
	loom_json_quote(name, &object);
	loom_buf_addc(&object, ':');
	loom_json_quote(value, &object);
	loom_buf_addc(&object, '}');
	import_rest(org->chat.import, loom_buf_str(&object), &fields, &drawer->others);
	loom_buf_fini(&object);
}

/* Reads a drawer of properties that begins at `at`, if there is one. */
static void read_drawer(struct org *org, size_t at, struct drawer *out)
{
	struct loom_str rest = loom_str_sub(org->text, at, org->text.n);
	struct loom_str line;

	*out = (struct drawer){.from = at, .to = at, .others = IMPORT_BUF(org->chat.import)};
	if (!loom_str_line(&rest, &line) ||
	    !loom_str_eq_fold(loom_str_trim(line), LOOM_STR(":PROPERTIES:")))
		return;
	while (loom_str_line(&rest, &line)) {
		const struct loom_str said = loom_str_trim(line);
		const size_t colon = loom_str_find_char(said, ':', 1);

		if (loom_str_eq_fold(said, LOOM_STR(":END:"))) {
			out->to = (size_t)(rest.p - org->text.p);
			return;
		}
		if (said.n && said.p[0] == ':' && colon != SIZE_MAX)
			take_property(org, out, loom_str_sub(said, 1, colon - 1),
				      loom_str_trim(loom_str_sub(said, colon + 1, said.n)));
	}
	/* It never ends: it is text. */
	loom_buf_clear(&out->others);
}

/* ---- turns ---- */

/* The words by which people part prompts and responses. */
static struct loom_str without_prefixes(struct loom_str text, bool prompt)
{
	text = loom_str_trim(text);
	if (prompt && loom_str_starts(text, LOOM_STR("*** ")))
		text = loom_str_trim(loom_str_sub(text, 4, text.n));
	if (loom_str_starts(text, LOOM_STR("@user")))
		text = loom_str_trim(loom_str_sub(text, 5, text.n));
	if (loom_str_ends(text, LOOM_STR("@assistant")))
		text = loom_str_trim(loom_str_sub(text, 0, text.n - 10));
	return text;
}

/* A part of a section, which becomes a turn below the last one. */
struct piece {
	struct loom_str text;
	enum said said;
	bool first;
};

static enum loom_status put_piece(struct org *org, const struct piece *piece,
				  struct section *section, struct drawer *drawer,
				  struct loom_err *err)
{
	static const enum import_role roles[] = {
		[SAID_PROMPT] = IMPORT_HUMAN,
		[SAID_RESPONSE] = IMPORT_MODEL,
		[SAID_TOOL] = IMPORT_TOOL,
		[SAID_IGNORED] = IMPORT_MODEL,
	};
	struct chats *chat = &org->chat;
	struct import_node *node = &chat->node;
	enum loom_status status;

	chats_begin(chat);
	node->role = roles[piece->said];
	node->parent = section->last;
	node->id = chats_id(chat->import, node->parent, node->role == IMPORT_HUMAN, piece->text);
	node->anonymous = true;
	if (node->role == IMPORT_MODEL)
		node->model = section->model;
	section->last = loom_arena_str(org->arena, node->id);
	if (piece->first && drawer->topic.n) {
		node->bookmarked = true;
		node->label = drawer->topic;
	}
	if (piece->first && section->level)
		loom_buf_add(&chat->inner, loom_buf_str(&drawer->others));
	if (piece->said == SAID_IGNORED)
		chats_think(chat, piece->text);
	else
		chats_add(chat, piece->text);
	status = chats_end(chat, err);
	return status == LOOM_OK
		       ? chats_mark(chat->import, section->last, IMPORT_CURRENT, LOOM_STR(""), err)
		       : status;
}

/* Puts the text from one place to another as turns: what is in a region, and what is not. */
static enum loom_status put_text(struct org *org, size_t from, size_t to, bool prompt,
				 struct drawer *drawer, struct section *section,
				 struct loom_err *err)
{
	struct piece piece = {.first = true};
	enum loom_status status = LOOM_OK;

	while (from < to && status == LOOM_OK) {
		const struct region *region = region_at(org, from);
		const bool inside = region && region->from <= from;
		size_t end = inside ? (size_t)region->to : region ? (size_t)region->from : to;

		end = end < to ? end : to;
		if (drawer->to > drawer->from && from <= drawer->from && end > drawer->from) {
			/* The heading's line, and what follows its properties. */
			struct loom_str line = loom_str_sub(org->text, from, drawer->from - from);
			struct loom_str rest =
				loom_str_sub(org->text, drawer->to,
					     end > drawer->to ? end - drawer->to : 0);

			piece.text = loom_arena_format(org->arena, "%.*s%.*s", LOOM_STR_ARG(line),
						       LOOM_STR_ARG(rest));
		} else {
			piece.text = loom_str_sub(org->text, from, end - from);
		}
		piece.said = inside ? region->said : SAID_PROMPT;
		piece.text = inside ? loom_str_trim(piece.text)
				    : without_prefixes(piece.text, prompt && piece.first);
		if (piece.text.n) {
			status = put_piece(org, &piece, section, drawer, err);
			piece.first = false;
		}
		from = end;
	}
	return status;
}

/* ---- headings ---- */

/* The level of a heading that begins at `at`; 0 if there is none. */
static size_t level_at(const struct org *org, size_t at)
{
	const struct region *region = region_at(org, at);
	size_t level = 0;

	if (region && region->from < at)
		return 0;
	while (at + level < org->text.n && org->text.p[at + level] == '*')
		level++;
	return at + level < org->text.n && org->text.p[at + level] == ' ' ? level : 0;
}

static size_t line_end(const struct org *org, size_t at)
{
	const size_t end = loom_str_find_char(org->text, '\n', at);

	return end == SIZE_MAX ? org->text.n : end + 1;
}

/* Where the text of a section ends: at the next heading of any level. */
static size_t own_end(const struct org *org, size_t from)
{
	size_t at = line_end(org, from);

	while (at < org->text.n && !level_at(org, at))
		at = line_end(org, at);
	return at;
}

/* Reads the section whose heading is at `at`, up to the next heading. */
static enum loom_status put_section(struct org *org, size_t at, size_t level, size_t end,
				    struct loom_err *err)
{
	struct drawer drawer;
	struct section *above;
	struct section *section;
	bool prompt;
	enum loom_status status;

	while (org->depth > 1 && org->open[org->depth - 1].level >= level)
		org->depth--;
	if (org->depth == LEVELS) {
		import_note(org->chat.import, IMPORT_LOST, "heading more than %d levels deep",
			    LEVELS - 1);
		return LOOM_OK;
	}
	above = &org->open[org->depth - 1];
	section = &org->open[org->depth++];
	prompt = level == PROMPT_LEVEL && above->level < PROMPT_LEVEL - 1;
	read_drawer(org, line_end(org, at), &drawer);
	*section = (struct section){
		.level = level,
		.last = prompt && above->prompt.n ? above->prompt : above->last,
		.model = drawer.model.n ? drawer.model : above->model,
	};
	status = put_text(org, at, end, prompt, &drawer, section, err);
	if (prompt)
		above->prompt = section->last;
	loom_buf_fini(&drawer.others);
	return status;
}

/* ---- the file ---- */

static struct loom_str title_of(const struct org *org, size_t end)
{
	struct loom_str rest = loom_str_sub(org->text, 0, end);
	struct loom_str line;

	while (rest.n && loom_str_line(&rest, &line))
		if (loom_str_eq_fold(loom_str_sub(line, 0, 8), LOOM_STR("#+title:")))
			return loom_str_trim(loom_str_sub(line, 8, line.n));
	return LOOM_STR("");
}

static enum loom_status read_org(struct org *org, const struct import_source *source,
				 struct loom_err *err)
{
	struct loom_import *import = org->chat.import;
	struct import_tree tree = {.id = source->name, .mode = LOOM_DIALOGUE};
	struct drawer drawer;
	size_t end;
	enum loom_status status;

	read_drawer(org, 0, &drawer);
	read_regions(org, drawer.bounds);
	find_bytes(org);
	end = level_at(org, 0) ? 0 : own_end(org, 0);
	tree.title = title_of(org, end);
	tree.system = drawer.system;
	import_begin(import, &tree);
	org->chat.untitled = !tree.title.n;
	import_beside_tree(import, loom_buf_str(&drawer.others));
	status = chats_root(&org->chat, LOOM_STR("file"), err);
	org->open[0] = (struct section){.last = loom_arena_str(org->arena, LOOM_STR("file")),
					.model = drawer.model};
	org->depth = 1;
	if (status == LOOM_OK)
		status = put_text(org, 0, end, false, &drawer, &org->open[0], err);
	loom_buf_fini(&drawer.others);
	for (size_t at = end; at < org->text.n && status == LOOM_OK; at = end) {
		end = own_end(org, at);
		status = put_section(org, at, level_at(org, at), end, err);
		if (status == LOOM_OK)
			status = import_at(import, at, err);
	}
	return status;
}

static enum loom_status read(struct loom_import *import, const struct import_source *source,
			     struct loom_err *err)
{
	struct org org = {.text = source->text,
			  .arena = loom_arena_create_on(import_pages(import))};
	enum loom_status status;

	chats_init(&org.chat, import);
	status = read_org(&org, source, err);
	chats_fini(&org.chat);
	loom_arena_destroy(org.arena);
	return status;
}

const struct import_reader import_gptel = {
	.name = "gptel",
	.title = "Org files of gptel: headings are branches",
	.recognise = recognise,
	.read = read,
};
