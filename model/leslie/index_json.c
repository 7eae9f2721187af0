/* One pass over the text of a store file: is it JSON, and where do its records stand?
 *
 * Every command reads these files, and with a thousand threads they hold a hundred thousand tokens:
 * a tree of values, or a token at a time from json.h, takes several times what a whole command may.
 * So eight bytes are looked at together and only the members of the document and of its branches
 * are noted, as slices of the text; what is inside a record is found by walking the record.
 *
 * The pass is iterative; a bit a level says object or array. Values read after it rely on it.
 * Records, which are nearly all of a file, are passed over by a shorter road as long as they are
 * plain; where one is not, the long one goes over it again and says what it found. */
#include "inside.h"

#include <loom/base/json.h>
#include <loom/base/utf8.h>

#include <loom/base/eight_bytes.h>

#define DEPTH_MAX 64

struct scan {
	struct model_leslie_doc *doc;
	struct loom_str text;
	size_t at;
	int depth;
	uint64_t objects; /* bit per open container */
	size_t start[3];  /* where the value of this depth began */
	struct loom_str key[3];
	struct model_leslie_known *known; /* NULL: nothing */
	struct loom_err *err;
};

static enum loom_status broken(struct scan *scan, const char *what)
{
	enum loom_status status =
		loom_fail(scan->err, LOOM_INVALID, "%s at byte %zu", what, scan->at);

	LOOM_ASSERT(what);
	if (scan->err)
		scan->err->at = scan->at;
	return status;
}

static inline size_t skip_blanks(struct loom_str text, size_t at)
{
	while (at < text.n && (unsigned char)text.p[at] <= ' ') {
		uint64_t others = 1;

		if (text.p[at] != ' ' && text.p[at] != '\n' && text.p[at] != '\r' &&
		    text.p[at] != '\t')
			break;
		at++;
		/* a line's indentation */
		while (at + 8 <= text.n &&
		       (others = model_load8(text.p + at) ^ MODEL_EVERY_BYTE(' ')) == 0)
			at += 8;
		if (at + 8 <= text.n)
			at += (size_t)__builtin_ctzll(others) / 8;
	}
	return at;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static enum loom_status scan_escape(struct scan *scan)
{
	size_t at = scan->at + 1;
	char c = at < scan->text.n ? scan->text.p[at] : '\0';
	int digits = 0;

	LOOM_ASSERT(scan->text.p[scan->at] == '\\');
	if (c != 'u') {
		if (!c || !strchr("\"\\/bfnrt", c))
			return broken(scan, "an unknown escape");
		scan->at += 2;
		return LOOM_OK;
	}
	while (digits < 4 && at + 1 < scan->text.n && is_hex(scan->text.p[at + 1])) {
		at++;
		digits++;
	}
	if (digits < 4)
		return broken(scan, "a short \\u escape");
	scan->at = at + 1;
	return LOOM_OK;
}

/* One byte or character of a string that is neither its end nor plain. */
static enum loom_status scan_odd(struct scan *scan)
{
	unsigned char c = (unsigned char)scan->text.p[scan->at];

	LOOM_ASSERT(scan->at < scan->text.n);
	if (c == '\\')
		return scan_escape(scan);
	if (c < 0x20)
		return broken(scan, "a raw control character");
	if (c < 0x80)
		scan->at++;
	else if (loom_utf8_next(scan->text, &scan->at) == LOOM_CP_BAD)
		return broken(scan, "a byte that is not UTF-8");
	return LOOM_OK;
}

/* At the opening quote; leaves behind the closing one. */
static enum loom_status scan_string(struct scan *scan)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(scan->at < scan->text.n && scan->text.p[scan->at] == '"');
	scan->at++;
	while (scan->at < scan->text.n) {
		if (scan->at + 8 <= scan->text.n) {
			size_t plain = model_plain_bytes(scan->text.p + scan->at);

			scan->at += plain;
			if (plain == 8)
				continue;
		}
		if (scan->text.p[scan->at] == '"') {
			scan->at++;
			return LOOM_OK;
		}
		status = scan_odd(scan);
		if (status)
			return status;
	}
	return broken(scan, "an unfinished string");
}

static size_t digits(struct scan *scan)
{
	size_t from = scan->at;

	while (scan->at < scan->text.n && scan->text.p[scan->at] >= '0' &&
	       scan->text.p[scan->at] <= '9')
		scan->at++;
	return scan->at - from;
}

static char peek(const struct scan *scan)
{
	return scan->at < scan->text.n ? scan->text.p[scan->at] : '\0';
}

static enum loom_status scan_number(struct scan *scan)
{
	size_t from = 0;

	if (peek(scan) == '-')
		scan->at++;
	from = scan->at;
	if (digits(scan) == 0 || (scan->text.p[from] == '0' && scan->at > from + 1))
		return broken(scan, "no JSON value");
	if (peek(scan) == '.') {
		scan->at++;
		if (digits(scan) == 0)
			return broken(scan, "a number without its fraction");
	}
	if (peek(scan) == 'e' || peek(scan) == 'E') {
		scan->at++;
		if (peek(scan) == '+' || peek(scan) == '-')
			scan->at++;
		if (digits(scan) == 0)
			return broken(scan, "a number without its exponent");
	}
	return LOOM_OK;
}

static enum loom_status scan_scalar(struct scan *scan)
{
	static const struct loom_str words[] = {LOOM_STR_INIT("true"), LOOM_STR_INIT("false"),
						LOOM_STR_INIT("null")};

	if (peek(scan) == '"')
		return scan_string(scan);
	for (size_t i = 0; i < LOOM_COUNT(words); i++) {
		if (loom_str_eq(loom_str_sub(scan->text, scan->at, words[i].n), words[i])) {
			scan->at += words[i].n;
			return LOOM_OK;
		}
	}
	return scan_number(scan);
}

/* ---- the shorter road: from place to place, NULL where something is not plain ----
 *
 * Eight bytes are looked at together only before `stop`, with AHEAD bytes left; nothing is looked
 * at behind `stop` + AHEAD, where the text ends. */

#define AHEAD 16

/* What it gives is a byte of the text, unless `p` stood at the end. */
static inline const char *pass_blanks(const char *p, const char *stop)
{
	while (p < stop + AHEAD - 1 && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
		p++;
		while (p < stop && model_load8(p) == MODEL_EVERY_BYTE(' '))
			p += 8;
		if (p < stop)
			p += (size_t)__builtin_ctzll(model_load8(p) ^ MODEL_EVERY_BYTE(' ')) / 8;
	}
	return p;
}

static inline const char *pass_string(const char *p, const char *stop)
{
	size_t plain = 8;

	p++;
	while (plain == 8 && p < stop) {
		plain = model_plain_bytes(p);
		p += plain;
	}
	return plain < 8 && *p == '"' ? p + 1 : NULL;
}

static const char *pass_word(const char *p, const char *stop)
{
	if (memcmp(p, "null", 4) == 0 || memcmp(p, "true", 4) == 0)
		return p + 4;
	if (memcmp(p, "false", 5) == 0)
		return p + 5;
	if (*p < '1' || *p > '9')
		return NULL;
	while (p < stop && *p >= '0' && *p <= '9')
		p++;
	return *p == ',' || *p == '\n' || *p == '}' || *p == ']' ? p : NULL;
}

/* Behind the closing marks and the comma that stand behind a value; *open is the depth that is left
 * and `kinds` has a bit a level. */
static inline const char *pass_marks(const char *p, const char *stop, uint64_t kinds, int *open)
{
	while (*open > 0) {
		p = pass_blanks(p, stop);
		if (p == stop + AHEAD)
			return NULL;
		if (*p == ',')
			return p + 1;
		if (*p != (kinds >> (*open - 1) & 1 ? '}' : ']'))
			return NULL;
		p++;
		--*open;
	}
	return p;
}

static inline const char *pass_key(const char *p, const char *stop)
{
	p = p < stop && *p == '"' ? pass_string(p, stop) : NULL;
	if (!p)
		return NULL;
	p = pass_blanks(p, stop);
	return *p == ':' ? pass_blanks(p + 1, stop) : NULL;
}

static inline bool is_begin(char c)
{
	return c == '{' || c == '[';
}

static inline bool is_end(char c)
{
	return c == '}' || c == ']';
}

/* Into the container that opens at `p`. */
static const char *enter(const char *p, const char *stop, uint64_t *kinds, int *open)
{
	LOOM_ASSERT(is_begin(*p) && *open < DEPTH_MAX);
	*kinds &= ~(UINT64_C(1) << *open);
	*kinds |= (uint64_t)(*p == '{') << *open;
	(*open)++;
	return pass_blanks(p + 1, stop);
}

/* Behind the container that opens at `at`; SIZE_MAX when it is not plain, nested too deep, or so
 * close to the end of the text that eight bytes cannot be looked at together. */
static size_t pass_container(struct loom_str text, size_t at, int depth)
{
	const char *stop = text.n < AHEAD ? text.p : text.p + text.n - AHEAD;
	const char *p = text.p + at;
	uint64_t kinds = 0;
	int open = 0;

	LOOM_ASSERT(at < text.n);
	if (text.n < AHEAD)
		return SIZE_MAX;
	do {
		p = pass_blanks(p, stop);
		if (open > 0 && (kinds >> (open - 1) & 1))
			p = pass_key(p, stop);
		if (!p || p >= stop || (is_begin(*p) && depth + open == DEPTH_MAX))
			return SIZE_MAX;
		if (is_begin(*p)) {
			p = enter(p, stop, &kinds, &open);
			if (!is_end(*p))
				continue;
		} else {
			p = *p == '"' ? pass_string(p, stop) : pass_word(p, stop);
		}
		p = p ? pass_marks(p, stop, kinds, &open) : NULL;
		if (!p)
			return SIZE_MAX;
	} while (open > 0);
	return (size_t)(p - text.p);
}

/* ---- what is noted ---- */

static struct loom_str unquote(struct loom_arena *arena, struct loom_str value);

/* Notes a value that ended at scan->at. */
static void note(struct scan *scan)
{
	struct model_leslie_doc *doc = scan->doc;
	struct model_leslie_branch *branch = NULL;
	struct loom_str value = {NULL, 0};

	if (scan->depth < 1 || scan->depth > 2)
		return;
	value = loom_str_sub(scan->text, scan->start[scan->depth],
			     scan->at - scan->start[scan->depth]);
	LOOM_ASSERT(doc->count > 0);
	branch = &doc->branches[doc->count - 1];
	if (scan->depth == 1) {
		branch->value = value;
		return;
	}
	branch->count++;
	branch->last = value;
	/* Elements have no names to be found by, and there may be very many. */
	if (!scan->key[2].p) {
		branch->starts = loom_arena_grow(doc->arena, branch->starts, branch->count - 1,
						 &branch->cap, sizeof(*branch->starts));
		branch->starts[branch->count - 1] = (uint32_t)scan->start[2];
		return;
	}
	LOOM_ASSERT(!branch->starts);
	branch->items = loom_arena_grow(doc->arena, branch->items, branch->count - 1, &branch->cap,
					sizeof(*branch->items));
	branch->items[branch->count - 1] =
		(struct model_leslie_item){.key = scan->key[2], .value = value};
}

/* At the key of a member, or at the value of an element: leaves at the value. */
static enum loom_status begin_value(struct scan *scan)
{
	struct model_leslie_doc *doc = scan->doc;
	struct loom_str key = {NULL, 0};
	size_t from = 0;

	scan->at = skip_blanks(scan->text, scan->at);
	if (scan->depth > 0 && (scan->objects >> (scan->depth - 1) & 1)) {
		from = scan->at;
		if (peek(scan) != '"')
			return broken(scan, "no key");
		if (scan_string(scan))
			return LOOM_INVALID;
		if (scan->depth <= 2)
			key = unquote(doc->arena, loom_str_sub(scan->text, from, scan->at - from));
		scan->at = skip_blanks(scan->text, scan->at);
		if (peek(scan) != ':')
			return broken(scan, "no colon behind a key");
		scan->at = skip_blanks(scan->text, scan->at + 1);
	}
	if (scan->depth <= 2) {
		scan->start[scan->depth] = scan->at;
		scan->key[scan->depth] = key;
	}
	if (scan->depth == 1) {
		doc->branches = loom_arena_grow(doc->arena, doc->branches, doc->count, &doc->cap,
						sizeof(*doc->branches));
		doc->branches[doc->count++] = (struct model_leslie_branch){.key = key};
	}
	return LOOM_OK;
}

/* Steps behind a value; *more is set when another one follows, else the document has ended. */
static enum loom_status after_value(struct scan *scan, bool *more)
{
	*more = false;
	while (scan->depth > 0) {
		bool object = scan->objects >> (scan->depth - 1) & 1;

		note(scan);
		scan->at = skip_blanks(scan->text, scan->at);
		if (peek(scan) == ',') {
			scan->at++;
			*more = true;
			return LOOM_OK;
		}
		if (peek(scan) != (object ? '}' : ']'))
			return broken(scan, object ? "no comma or }" : "no comma or ]");
		scan->at++;
		scan->depth--;
	}
	scan->at = skip_blanks(scan->text, scan->at);
	return scan->at == scan->text.n ? LOOM_OK : broken(scan, "something behind the value");
}

/* Opens a container; *empty is set when it closes at once. */
static enum loom_status open_container(struct scan *scan, bool *empty)
{
	bool object = peek(scan) == '{';

	LOOM_ASSERT(is_begin(peek(scan)));
	if (scan->depth == DEPTH_MAX)
		return broken(scan, "nested too deep");
	scan->at = skip_blanks(scan->text, scan->at + 1);
	*empty = peek(scan) == (object ? '}' : ']');
	if (*empty) {
		scan->at++;
		return LOOM_OK;
	}
	scan->objects &= ~(UINT64_C(1) << scan->depth);
	scan->objects |= (uint64_t)object << scan->depth;
	scan->depth++;
	return LOOM_OK;
}

/* Notes the records of a stretch that begins at `at`, all but the last, whose end it leaves at. */
static void note_stretch(struct scan *scan, const struct model_leslie_stretch *stretch, size_t at)
{
	struct model_leslie_doc *doc = scan->doc;
	const struct model_leslie_known_item *items = &scan->known->items[stretch->first];

	LOOM_ASSERT(stretch->count > 0 &&
		    stretch->first + stretch->count <= scan->known->item_count);
	for (size_t i = 0; i < stretch->count; i++) {
		scan->start[2] = at + items[i].value_at;
		scan->key[2] = (struct loom_str){NULL, 0};
		if (stretch->object)
			scan->key[2] =
				loom_str_sub(scan->text, at + items[i].key_at, items[i].key_n);
		scan->at = scan->start[2] + items[i].value_n;
		if (i + 1 < stretch->count)
			note(scan);
	}
	doc->known += stretch->size;
}

/* At a record: passes over the stretch that begins with it, when it is known. */
static bool pass_known(struct scan *scan)
{
	const bool object = scan->objects >> 1 & 1;
	const size_t at = skip_blanks(scan->text, scan->at);
	const struct model_leslie_stretch *stretch =
		model_leslie_known_next(scan->known, scan->doc->count - 1, object,
					loom_str_sub(scan->text, at, SIZE_MAX));

	LOOM_ASSERT(scan->depth == 2 && scan->doc->count > 0);
	if (stretch)
		note_stretch(scan, stretch, at);
	return stretch != NULL;
}

static enum loom_status scan_value(struct scan *scan, bool *more)
{
	enum loom_status status = LOOM_OK;
	bool empty = true;
	bool container = false;

	*more = false;
	if (scan->depth == 2 && scan->known && pass_known(scan))
		return after_value(scan, more);
	status = begin_value(scan);
	if (status)
		return status;
	container = peek(scan) == '{' || peek(scan) == '[';
	if (container && scan->depth == 2) {
		size_t behind = pass_container(scan->text, scan->at, scan->depth);

		if (behind != SIZE_MAX) {
			scan->at = behind;
			return after_value(scan, more);
		}
	}
	status = container ? open_container(scan, &empty) : scan_scalar(scan);
	if (status)
		return status;
	if (container && !empty) {
		*more = true;
		return LOOM_OK;
	}
	return after_value(scan, more);
}

enum loom_status model_leslie_doc_read_known(struct loom_arena *arena, struct loom_str text,
					     struct model_leslie_known *known,
					     struct model_leslie_doc *out, struct loom_err *err)
{
	struct scan scan = {.doc = out, .text = text, .known = known, .err = err};
	bool more = true;

	*out = (struct model_leslie_doc){.arena = arena, .text = text};
	scan.at = skip_blanks(text, 0);
	if (peek(&scan) != '{')
		return broken(&scan, "no JSON object");
	while (more) {
		enum loom_status status = scan_value(&scan, &more);

		if (status)
			return status;
	}
	LOOM_ASSERT(scan.depth == 0 && scan.at == text.n);
	return LOOM_OK;
}

enum loom_status model_leslie_doc_read(struct loom_arena *arena, struct loom_str text,
				       struct model_leslie_doc *out, struct loom_err *err)
{
	return model_leslie_doc_read_known(arena, text, NULL, out, err);
}

struct model_leslie_branch *model_leslie_doc_branch(const struct model_leslie_doc *doc,
						    const char *key)
{
	for (size_t i = doc->count; i > 0; i--) {
		if (loom_str_is(doc->branches[i - 1].key, key))
			return &doc->branches[i - 1];
	}
	return NULL;
}

const struct model_leslie_item *model_leslie_branch_find(const struct model_leslie_branch *branch,
							 struct loom_str key)
{
	for (size_t i = branch && branch->items ? branch->count : 0; i > 0; i--) {
		if (loom_str_eq(branch->items[i - 1].key, key))
			return &branch->items[i - 1];
	}
	return NULL;
}

bool model_leslie_is_object(struct loom_str value)
{
	return value.n > 0 && value.p[0] == '{';
}

bool model_leslie_is_array(struct loom_str value)
{
	return value.n > 0 && value.p[0] == '[';
}

/* Behind the string that opens at `at`. */
static size_t skip_string(struct loom_str text, size_t at)
{
	LOOM_ASSERT(at < text.n && text.p[at] == '"');
	at++;
	while (text.p[at] != '"') {
		size_t plain = at + 8 <= text.n ? model_plain_bytes(text.p + at) : 0;

		at += plain ? plain : text.p[at] == '\\' ? 2 : 1;
	}
	return at + 1;
}

/* Behind the value that begins at `at`, in a text that was checked. */
static size_t skip_value(struct loom_str text, size_t at)
{
	int depth = 0;

	LOOM_ASSERT(at < text.n);
	do {
		char c = text.p[at];

		if (c == '"') {
			at = skip_string(text, at);
			continue;
		}
		if (c == '{' || c == '[')
			depth++;
		if (c == '}' || c == ']')
			depth--;
		at++;
		if (c == ' ')
			at = skip_blanks(text, at);
	} while (depth > 0);
	return at;
}

struct loom_str model_leslie_value_at(struct loom_str text, size_t at)
{
	return loom_str_sub(text, at, skip_value(text, at) - at);
}

struct loom_str model_leslie_branch_at(const struct model_leslie_doc *doc,
				       const struct model_leslie_branch *branch, size_t at)
{
	size_t low = 0;
	size_t high = branch->starts ? branch->count : 0;
	size_t end = 0;

	LOOM_ASSERT(at <= doc->text.n);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (branch->starts[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return (struct loom_str){NULL, 0};
	low = branch->starts[low - 1];
	end = skip_value(doc->text, low);
	return at < end ? loom_str_sub(doc->text, low, end - low) : (struct loom_str){NULL, 0};
}

static size_t skip_plain(struct loom_str text, size_t at)
{
	while (at < text.n && !strchr(",]} \n\r\t", text.p[at]))
		at++;
	return at;
}

/* Whether a value that begins so says itself where it ends. A search in a text of three letters
 * would cost as much as all the rest of a step. */
static bool opens(char c)
{
	return c == '{' || c == '[' || c == '"';
}

bool model_leslie_next(struct loom_str *rest, struct loom_str *key, struct loom_str *value)
{
	size_t at = 0;
	size_t end = 0;
	bool object = false;

	*key = (struct loom_str){NULL, 0};
	/* The first step opens the container; from then on *rest begins behind a value. */
	if (rest->n == 0)
		return false;
	object = rest->p[rest->n - 1] == '}';
	if (rest->p[0] != '{' && rest->p[0] != '[' && rest->p[0] != ',')
		return false;
	at = skip_blanks(*rest, 1);
	if (at >= rest->n - 1)
		return false;
	if (object) {
		end = skip_string(*rest, at);
		*key = loom_str_sub(*rest, at, end - at);
		at = skip_blanks(*rest, skip_blanks(*rest, end) + 1);
	}
	end = opens(rest->p[at]) ? skip_value(*rest, at) : skip_plain(*rest, at);
	LOOM_ASSERT(end > at && end <= rest->n);
	*value = loom_str_sub(*rest, at, end - at);
	*rest = loom_str_sub(*rest, skip_blanks(*rest, end), SIZE_MAX);
	return true;
}

static struct loom_str unquote(struct loom_arena *arena, struct loom_str value)
{
	struct loom_str s = loom_str_sub(value, 1, value.n - 2);
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out = s;

	LOOM_ASSERT(value.n >= 2);
	if (loom_str_find_char(s, '\\', 0) == SIZE_MAX)
		return s;
	loom_json_decode(s, &buf);
	out = loom_arena_buf(arena, &buf);
	loom_buf_fini(&buf);
	return out;
}

struct loom_str model_leslie_text(struct loom_arena *arena, struct loom_str value)
{
	if (value.n < 2 || value.p[0] != '"')
		return (struct loom_str){NULL, 0};
	return unquote(arena, value);
}

/* Keys of ours have no escapes, so a key as written is compared as it stands. */
struct loom_str model_leslie_member(struct loom_str object, const char *key)
{
	struct loom_str found = {NULL, 0};
	struct loom_str name = {NULL, 0};
	struct loom_str value = {NULL, 0};

	if (!model_leslie_is_object(object))
		return found;
	while (model_leslie_next(&object, &name, &value)) {
		if (loom_str_is(loom_str_sub(name, 1, name.n - 2), key))
			found = value;
	}
	return found;
}

struct loom_str model_leslie_member_text(struct loom_arena *arena, struct loom_str object,
					 const char *key)
{
	return model_leslie_text(arena, model_leslie_member(object, key));
}

struct loom_str *model_leslie_texts(struct loom_arena *arena, struct loom_str array, size_t *count)
{
	struct loom_str *texts = NULL;
	struct loom_str key = {NULL, 0};
	struct loom_str value = {NULL, 0};
	size_t cap = 0;

	*count = 0;
	if (!model_leslie_is_array(array))
		return NULL;
	while (model_leslie_next(&array, &key, &value)) {
		struct loom_str text = model_leslie_text(arena, value);

		if (!text.p)
			continue;
		texts = loom_arena_grow(arena, texts, *count, &cap, sizeof(*texts));
		texts[(*count)++] = text;
	}
	return texts;
}
