/* Examines a file before any reader sees it: checks JSON once and for all, collects its outermost
 * members for the readers, or detects JSON Lines or text. Copies nothing. */
#include <loom/import/frame.h>
#include <loom/weave/weave.h>

/* Large values are recorded at the levels where readers look for them. */
enum { MEMBERS_MAX = 64, LOOK_EVERY = 1 << 16, NOTED_DEPTH = 8 };

void import_pull_init(struct import_pull *pull, struct loom_import *import, struct loom_str text)
{
	static const struct loom_json_limits limits = {.bytes = LOOM_IMPORT_BYTES_MAX,
						       .depth = LOOM_IMPORT_DEPTH_MAX,
						       .values = SIZE_MAX};

	loom_json_read_init(&pull->reader, text, &limits);
	pull->reader.forgiving = true;
	pull->reader.deep = pull->deep;
	pull->reader.pages = import->pages;
}

/* "novel" for "saves/novel.json". */
static struct loom_str base_name(struct loom_str path)
{
	size_t end = path.n;

	for (size_t i = path.n; i > 0; i--)
		if (path.p[i - 1] == '/')
			return base_name(loom_str_sub(path, i, path.n - i));
	for (size_t i = path.n; i > 1; i--)
		if (path.p[i - 1] == '.') {
			end = i - 1;
			break;
		}
	return loom_str_sub(path, 0, end);
}

static struct loom_str without_mark(struct loom_str bytes)
{
	return loom_str_starts(bytes, LOOM_STR("\xEF\xBB\xBF")) ? loom_str_sub(bytes, 3, bytes.n)
								: bytes;
}

/* Some editors and shells on Windows write UTF-16, recognised only by its byte order mark. */
bool import_source_widen(struct loom_str bytes, struct loom_buf *out)
{
	const bool little = loom_str_starts(bytes, LOOM_STR("\xFF\xFE"));
	const uint8_t *p = (const uint8_t *)bytes.p;

	if (!little && !loom_str_starts(bytes, LOOM_STR("\xFE\xFF")))
		return false;
	for (size_t at = 2; at + 1 < bytes.n; at += 2) {
		uint32_t cp = little ? p[at] | (uint32_t)p[at + 1] << 8
				     : (uint32_t)p[at] << 8 | p[at + 1];
		const bool pair = cp >> 10 == 0xD800 >> 10 && at + 3 < bytes.n;
		const uint32_t low = !pair    ? 0
				     : little ? p[at + 2] | (uint32_t)p[at + 3] << 8
					      : (uint32_t)p[at + 2] << 8 | p[at + 3];

		if (low >> 10 == 0xDC00 >> 10) {
			cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
			at += 2;
		}
		loom_buf_add_cp(out, cp >> 11 == 0xD800 >> 11 ? 0xFFFD : cp);
	}
	if (bytes.n % 2)
		loom_buf_add_cp(out, 0xFFFD);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Collects the large values of a text during the check. */
struct noting {
	struct loom_arena *arena;
	size_t from[NOTED_DEPTH]; /* start offsets of the open values */
	struct loom_str *items;
	size_t count;
	size_t cap;
};

static void note_large(struct noting *noting, const struct loom_json_reader *reader,
		       const struct loom_json_token *token)
{
	const bool ends = token->kind == LOOM_JSON_END_OBJECT || token->kind == LOOM_JSON_END_ARRAY;
	const bool begins = token->kind == LOOM_JSON_OBJECT || token->kind == LOOM_JSON_ARRAY;
	const int level = reader->depth - begins;

	if (!(begins || ends) || level >= NOTED_DEPTH)
		return;
	if (begins) {
		noting->from[level] = token->at;
	} else if (reader->at - noting->from[level] >= LOOM_JSPAN_LEAST) {
		noting->items = loom_arena_grow(noting->arena, noting->items, noting->count,
						&noting->cap, sizeof *noting->items);
		noting->items[noting->count++] = loom_str_sub(reader->text, noting->from[level],
							      reader->at - noting->from[level]);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct loom_str *x = a;
	const struct loom_str *y = b;

	return x->p < y->p ? -1 : x->p > y->p;
}

/* Checks the whole text; the error says where it breaks. */
static enum loom_status check_all(struct loom_import *import, struct loom_json_reader *reader,
				  struct loom_jspans *out_large, struct loom_err *err)
{
	struct noting noting = {.arena = import->arena};
	struct loom_json_keys *keys = loom_json_keys_create();
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && token.kind != LOOM_JSON_DONE; i++) {
		status = loom_json_read(reader, &token, err);
		if (status == LOOM_OK)
			note_large(&noting, reader, &token);
		if (status == LOOM_OK)
			status = loom_json_keys_take(keys, reader, &token, err);
		if (status == LOOM_OK && i % LOOK_EVERY == 0)
			status = import_at(import, reader->at, err);
	}
	loom_json_keys_destroy(keys);
	if (noting.count)
		qsort(noting.items, noting.count, sizeof *noting.items, by_place);
	*out_large = (struct loom_jspans){noting.items, noting.count};
	return status;
}

/* Parses the first JSON value of the text (the first line, for JSON Lines). */
static enum loom_status pass_first(struct loom_json_reader *reader, struct loom_str *out,
				   struct loom_err *err)
{
	struct loom_json_token token;
	enum loom_status status = loom_json_read(reader, &token, err);

	return status == LOOM_OK ? loom_json_skip(reader, &token, out, err) : status;
}

static bool looks_like_json(struct loom_str text)
{
	size_t at = 0;

	while (at < text.n && is_blank(text.p[at]))
		at++;
	return at < text.n && (text.p[at] == '{' || text.p[at] == '[');
}

/* Whether broken text was meant as JSON; plain text may also begin with a bracket. */
static bool was_meant(struct loom_str text)
{
	text = loom_str_trim(text);
	if (text.n && text.p[0] == '[')
		text = loom_str_trim(loom_str_sub(text, 1, text.n));
	return text.n && text.p[0] == '{';
}

/* Whether an object ends with its line and another one follows. */
static bool are_lines(struct loom_import *import, struct loom_str text, struct loom_str *first)
{
	struct loom_str rest = text;
	struct loom_str line = {NULL, 0};
	struct import_pull *pull = loom_alloc(sizeof *pull);
	struct loom_json_token token;
	bool good = false;

	while (loom_str_line(&rest, &line) && !loom_str_trim(line).n)
		;
	line = loom_str_trim(line);
	rest = loom_str_trim(loom_str_sub(rest, 0, 1 << 16));
	if (line.n && line.p[0] == '{') {
		import_pull_init(pull, import, line);
		good = pass_first(&pull->reader, first, NULL) == LOOM_OK &&
		       loom_json_read(&pull->reader, &token, NULL) == LOOM_OK &&
		       token.kind == LOOM_JSON_DONE;
	}
	free(pull);
	return good && rest.n && rest.p[0] == '{';
}

/* The value or, of a list, its first object. */
static struct loom_str first_object(struct loom_str value, const struct loom_jspans *large)
{
	struct loom_jwalk walk = loom_jval_walk_over(value, large);
	struct loom_str item = {NULL, 0};

	if (loom_jval_type(value) != LOOM_JTYPE_ARRAY)
		return value;
	return loom_jwalk_next(&walk, NULL, &item) ? item : loom_str_make(NULL, 0);
}

static void note_members(struct loom_import *import, struct import_source *source)
{
	struct import_member *members =
		LOOM_ARENA_ARRAY(import->arena, MEMBERS_MAX, struct import_member);
	struct loom_jwalk walk = loom_jval_walk_over(source->first, &source->large);
	struct loom_str key;
	struct loom_str value;

	source->members = members;
	while (walk.object && source->member_count < MEMBERS_MAX &&
	       loom_jwalk_next(&walk, &key, &value))
		members[source->member_count++] = (struct import_member){
			.key = loom_str_sub(key, 1, key.n - 2),
			.value = value,
		};
}

enum loom_status import_source_look(struct loom_import *import, struct loom_str name,
				    struct loom_str bytes, struct import_source *out,
				    struct loom_err *err)
{
	struct import_pull *pull = loom_alloc(sizeof *pull);
	struct loom_err broken = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	*out = (struct import_source){.name = base_name(name), .text = without_mark(bytes)};
	if (looks_like_json(out->text)) {
		import_pull_init(pull, import, out->text);
		status = check_all(import, &pull->reader, &out->large, &broken);
		out->json = status == LOOM_OK;
	}
	free(pull);
	if (out->json)
		out->first = first_object(loom_str_trim(out->text), &out->large);
	else if (are_lines(import, out->text, &out->first))
		out->lines = true;
	else if (status == LOOM_LIMIT || status == LOOM_CANCELLED ||
		 (status && was_meant(out->text))) {
		if (err)
			*err = broken;
		return status;
	}
	note_members(import, out);
	return LOOM_OK;
}

uint64_t import_source_most(struct loom_str head)
{
	if (loom_str_starts(head, LOOM_STR("\xFF\xFE")) ||
	    loom_str_starts(head, LOOM_STR("\xFE\xFF")))
		return 2 * (uint64_t)LOOM_ROW_BYTES_MAX;
	head = without_mark(head);
	return looks_like_json(head) || weave_is(head) || !loom_str_trim(head).n
		       ? LOOM_IMPORT_BYTES_MAX
		       : LOOM_ROW_BYTES_MAX;
}

bool import_has(const struct import_source *source, const char *key, enum loom_jtype type)
{
	enum loom_jtype is = loom_jval_type(import_member(source, key));

	return is != LOOM_JTYPE_NONE && (type == LOOM_JTYPE_NONE || type == is);
}

struct loom_str import_member(const struct import_source *source, const char *key)
{
	for (size_t i = 0; i < source->member_count; i++)
		if (loom_str_is(source->members[i].key, key))
			return source->members[i].value;
	return loom_str_make(NULL, 0);
}
