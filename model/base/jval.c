/* Reads JSON in place, for logs whose rows are kept and returned byte for byte. Invariants: no
 * recursion, no allocation except for strings with escapes, no access past the slice. Checking is
 * left to json_check.c. */
#include <loom/base/jval.h>

#include <loom/base/utf8.h>

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct loom_str skip_blanks(struct loom_str s)
{
	while (s.n > 0 && blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	return s;
}

/* Returns how many of eight bytes precede the first quote or backslash. */
static size_t plain_bytes(const char *p)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t word = 0;
	uint64_t quote;
	uint64_t slash;

	memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	quote = word ^ each * '"';
	slash = word ^ each * '\\';
	word = (((quote - each) & ~quote) | ((slash - each) & ~slash)) & each * 0x80;
	return word ? (size_t)__builtin_ctzll(word) / 8 : sizeof word;
}

/* Returns the size of the string literal at the start of `s`, quotes included. */
static size_t string_size(struct loom_str s)
{
	size_t at = 1;

	LOOM_ASSERT(s.n > 0 && s.p[0] == '"');
	/* Most names are short; spare them the call. */
	if (s.n > sizeof(uint64_t)) {
		at = 1 + plain_bytes(s.p + 1);
		if (at < s.n && s.p[at] == '"')
			return at + 1;
	}
	while (at < s.n) {
		const char *quote = memchr(s.p + at, '"', s.n - at);
		if (!quote)
			return s.n;
		size_t end = (size_t)(quote - s.p);
		size_t slashes = 0;
		while (end - slashes > at && s.p[end - slashes - 1] == '\\')
			slashes++;
		at = end + 1;
		if (slashes % 2 == 0)
			return at;
	}
	return s.n;
}

static size_t container_size(struct loom_str s)
{
	size_t depth = 0;
	size_t at = 0;

	LOOM_ASSERT(s.n > 0 && (s.p[0] == '{' || s.p[0] == '['));
	while (at < s.n) {
		char c = s.p[at];
		if (c == '"') {
			at += string_size(loom_str_make(s.p + at, s.n - at));
			continue;
		}
		at++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return at;
	}
	return s.n;
}

static size_t word_size(struct loom_str s)
{
	size_t at = 0;

	while (at < s.n && !blank(s.p[at]) && !memchr(",:]}", s.p[at], 4))
		at++;
	return at;
}

static size_t value_size(struct loom_str s)
{
	if (s.n == 0)
		return 0;
	if (s.p[0] == '"')
		return string_size(s);
	if (s.p[0] == '{' || s.p[0] == '[')
		return container_size(s);
	return word_size(s);
}

enum loom_jtype loom_jval_type(struct loom_str value)
{
	if (value.n == 0)
		return LOOM_JTYPE_NONE;
	switch (value.p[0]) {
	case '{':
		return LOOM_JTYPE_OBJECT;
	case '[':
		return LOOM_JTYPE_ARRAY;
	case '"':
		return LOOM_JTYPE_STRING;
	case 'n':
		return LOOM_JTYPE_NULL;
	case 't':
	case 'f':
		return LOOM_JTYPE_BOOL;
	default:
		return LOOM_JTYPE_NUMBER;
	}
}

bool loom_jval_is_null(struct loom_str value)
{
	return loom_jval_type(value) <= LOOM_JTYPE_NULL;
}

struct loom_str loom_jval_of(struct loom_str text)
{
	struct loom_str s = skip_blanks(text);

	return loom_str_make(s.p, value_size(s));
}

struct loom_jwalk loom_jval_walk(struct loom_str value)
{
	return loom_jval_walk_over(value, NULL);
}

struct loom_jwalk loom_jval_walk_over(struct loom_str value, const struct loom_jspans *large)
{
	enum loom_jtype type = loom_jval_type(value);
	struct loom_jwalk walk = {.large = large, .object = type == LOOM_JTYPE_OBJECT};

	if (type == LOOM_JTYPE_OBJECT || type == LOOM_JTYPE_ARRAY)
		walk.rest = loom_str_make(value.p + 1, value.n - 1);
	return walk;
}

/* Returns the recorded size of a value; 0 if it was not recorded. */
static size_t noted_size(const struct loom_jspans *large, struct loom_str s)
{
	size_t low = 0;
	size_t high = large ? large->count : 0;

	if (s.n < LOOM_JSPAN_LEAST || (s.p[0] != '{' && s.p[0] != '['))
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (large->items[middle].p < s.p)
			low = middle + 1;
		else
			high = middle;
	}
	return large && low < large->count && large->items[low].p == s.p ? large->items[low].n : 0;
}

/* Takes one value off the walk, with the blanks and the one mark that may follow it. */
static struct loom_str take(struct loom_jwalk *walk, char mark)
{
	struct loom_str s = skip_blanks(walk->rest);
	size_t size = noted_size(walk->large, s);
	struct loom_str value;

	if (!size || size > s.n)
		size = value_size(s);
	LOOM_ASSERT(size <= s.n);
	value = loom_str_make(s.p, size);
	s = skip_blanks(loom_str_make(s.p + size, s.n - size));
	if (s.n > 0 && s.p[0] == mark)
		s = loom_str_make(s.p + 1, s.n - 1);
	walk->rest = s;
	return value;
}

bool loom_jwalk_next(struct loom_jwalk *walk, struct loom_str *key, struct loom_str *value)
{
	struct loom_str name = {NULL, 0};

	LOOM_ASSERT(value && loom_str_ok(walk->rest));
	if (walk->rest.n == 0)
		return false;
	if (walk->object) {
		name = take(walk, ':');
		if (name.n < 2 || name.p[0] != '"')
			return false;
	}
	*value = take(walk, ',');
	if (key)
		*key = name;
	return value->n > 0;
}

/* Returns the bytes between the quotes. */
static struct loom_str inside(struct loom_str literal)
{
	return literal.n >= 2 ? loom_str_make(literal.p + 1, literal.n - 2)
			      : loom_str_make(literal.p, 0);
}

struct loom_str loom_jval_get(struct loom_str object, const char *key)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str name;
	struct loom_str value;

	while (walk.object && loom_jwalk_next(&walk, &name, &value)) {
		if (loom_jval_says(name, loom_str_of(key)))
			return value;
	}
	return loom_str_make(NULL, 0);
}

static uint32_t hex4(struct loom_str s, size_t at)
{
	uint32_t cp = 0;

	for (size_t i = at; i < at + 4 && i < s.n; i++) {
		char c = s.p[i];
		uint32_t digit =
			c >= 'a' ? (uint32_t)(c - 'a' + 10)
				 : (c >= 'A' ? (uint32_t)(c - 'A' + 10) : (uint32_t)(c - '0'));
		cp = cp << 4 | (digit & 15);
	}
	return cp;
}

/* Reads the \u escape whose digits begin at *at and moves past it and its partner. A lone
 * surrogate, possible only in loosely checked text, is returned as it is. */
static uint32_t escaped_cp(struct loom_str s, size_t *at)
{
	uint32_t cp = hex4(s, *at);

	*at += 4;
	if (cp < 0xD800 || cp > 0xDBFF || *at + 6 > s.n || s.p[*at] != '\\' || s.p[*at + 1] != 'u')
		return cp;
	uint32_t low = hex4(s, *at + 2);
	if (low < 0xDC00 || low > 0xDFFF)
		return cp;
	*at += 6;
	return 0x10000 + ((cp - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
}

/* Decodes one escape after its backslash into at most four bytes. */
static size_t escape(struct loom_str s, size_t *at, char out[4])
{
	static const char names[] = "bfnrt";
	static const char bytes[] = "\b\f\n\r\t";
	char c = s.p[(*at)++];
	const char *name = memchr(names, c, sizeof names - 1);

	LOOM_ASSERT(*at <= s.n);
	if (c == 'u')
		return loom_utf8_encode(escaped_cp(s, at), out);
	out[0] = name ? bytes[name - names] : c;
	return 1;
}

/* Decodes a literal, whose result is never longer than itself; returns the bytes written. */
static size_t decode(struct loom_str s, char *out)
{
	size_t n = 0;
	size_t at = 0;

	while (at < s.n) {
		if (s.p[at] != '\\' || at + 1 >= s.n) {
			out[n++] = s.p[at++];
			continue;
		}
		char bytes[4];
		at++;
		size_t size = escape(s, &at, bytes);
		memcpy(out + n, bytes, size);
		n += size;
	}
	LOOM_ASSERT(n <= s.n);
	return n;
}

bool loom_jval_says(struct loom_str value, struct loom_str text)
{
	if (loom_jval_type(value) != LOOM_JTYPE_STRING)
		return false;
	struct loom_str body = inside(value);
	if (body.n == 0 || !memchr(body.p, '\\', body.n))
		return loom_str_eq(body, text);
	if (body.n < text.n || body.n > 6 * text.n)
		return false;
	char *plain = loom_alloc(body.n + 4);
	bool same = loom_str_eq(loom_str_make(plain, decode(body, plain)), text);
	free(plain);
	return same;
}

struct loom_str loom_jval_text(struct loom_str value, struct loom_arena *arena)
{
	if (loom_jval_type(value) != LOOM_JTYPE_STRING)
		return loom_str_make(NULL, 0);
	struct loom_str body = inside(value);
	if (body.n == 0 || !memchr(body.p, '\\', body.n))
		return body;
	char *plain = loom_arena_alloc(arena, body.n + 4);
	return loom_str_make(plain, decode(body, plain));
}

bool loom_jval_int(struct loom_str value, int64_t *out)
{
	return loom_jval_type(value) == LOOM_JTYPE_NUMBER && loom_str_to_i64(value, out);
}

bool loom_jval_real(struct loom_str value, double *out)
{
	char text[64];

	/* strtod needs a terminator; longer numbers cannot change a double */
	if (loom_jval_type(value) != LOOM_JTYPE_NUMBER || value.n >= sizeof text)
		return false;
	memcpy(text, value.p, value.n);
	text[value.n] = '\0';
	*out = strtod(text, NULL);
	return true;
}

size_t loom_jval_count(struct loom_str value)
{
	struct loom_jwalk walk = loom_jval_walk(value);
	struct loom_str item;
	size_t count = 0;

	while (loom_jwalk_next(&walk, NULL, &item))
		count++;
	return count;
}

void loom_jval_compact(struct loom_str value, struct loom_buf *out)
{
	size_t at = 0;

	while (at < value.n) {
		size_t from = at;
		while (at < value.n && !blank(value.p[at])) {
			struct loom_str rest = loom_str_make(value.p + at, value.n - at);
			at += value.p[at] == '"' ? string_size(rest) : 1;
		}
		loom_buf_add(out, loom_str_make(value.p + from, at - from));
		while (at < value.n && blank(value.p[at]))
			at++;
	}
}
