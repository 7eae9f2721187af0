/* Strict JSON reading: a pull reader over the bytes, and the check that precedes cJSON.
 *
 * The reader is a machine with a few states and one bit per open container; it never looks back.
 * Others handle duplicate keys (json_check.c) and the meaning of numbers. */
#include <loom/base/json.h>

#include <loom/base/utf8.h>

#include <loom/base/eight_bytes.h>

/* The things the reader may expect next. */
enum state {
	AT_VALUE,
	AT_FIRST_ITEM, /* or ] */
	AT_FIRST_KEY,  /* or } */
	AT_NEXT,       /* a comma, or the end of the container */
	AT_END,        /* only blanks */
	BROKEN,
};

/* cJSON does not read longer numbers. */
#define NUMBER_MAX 63

/* After so many bytes, what is touched is said again. */
#define PLAIN_MAX ((size_t)1 << 16)

void loom_json_read_init(struct loom_json_reader *reader, struct loom_str text,
			 const struct loom_json_limits *limits)
{
	*reader = (struct loom_json_reader){.text = text, .state = AT_VALUE};
	if (limits)
		reader->limits = *limits;
	if (!reader->limits.bytes)
		reader->limits.bytes = (size_t)64 << 20;
	if (!reader->limits.depth)
		reader->limits.depth = 128;
	if (!reader->limits.values)
		reader->limits.values = 2000000;
}

static enum loom_status fail_at(struct loom_json_reader *reader, size_t at, enum loom_status status,
				const char *what, struct loom_err *err)
{
	reader->state = BROKEN;
	loom_fail(err, status, "JSON, byte %zu: %s", at, what);
	if (err)
		err->at = at;
	return status;
}

static enum loom_status broken(struct loom_json_reader *reader, const char *what,
			       struct loom_err *err)
{
	return fail_at(reader, reader->at, LOOM_INVALID,
		       reader->at < reader->text.n ? what : "the text ends early", err);
}

/* Returns the current byte, 0 at the end (a raw NUL is an error anyway). */
static char peek(const struct loom_json_reader *reader)
{
	return reader->at < reader->text.n ? reader->text.p[reader->at] : '\0';
}

static void skip_blanks(struct loom_json_reader *reader)
{
	for (;; reader->at++) {
		char c = peek(reader);

		if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
			return;
	}
}

/* ---- strings ---- */

static bool read_hex4(struct loom_str s, size_t at, uint32_t *out)
{
	*out = 0;
	if (at > s.n || s.n - at < 4)
		return false;
	for (size_t i = at; i < at + 4; i++) {
		char c = s.p[i];

		if (c >= '0' && c <= '9')
			*out = *out << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			*out = *out << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return false;
	}
	return true;
}

/* Reads the \uXXXX escape (or pair) at `at` and moves past it; a lone surrogate is returned as it
 * is. False if malformed. */
static bool take_unicode(struct loom_str s, size_t *at, uint32_t *out)
{
	uint32_t low = 0;

	if (!read_hex4(s, *at + 2, out))
		return false;
	*at += 6;
	if (*out < 0xD800 || *out > 0xDBFF || s.n - *at < 6 || s.p[*at] != '\\' ||
	    s.p[*at + 1] != 'u' || !read_hex4(s, *at + 2, &low) || low < 0xDC00 || low > 0xDFFF)
		return true;
	*out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
	*at += 6;
	return true;
}

/* Skips the escape at the current place. */
static enum loom_status pass_escape(struct loom_json_reader *reader, struct loom_err *err)
{
	size_t start = reader->at;
	uint32_t cp = 0;

	LOOM_ASSERT(start < reader->text.n && reader->text.p[start] == '\\');
	reader->at++;
	if (peek(reader) != 'u') {
		if (!peek(reader) || !strchr("\"\\/bfnrt", peek(reader)))
			return broken(reader, "unknown escape", err);
		reader->at++;
		return LOOM_OK;
	}
	reader->at = start;
	if (!take_unicode(reader->text, &reader->at, &cp))
		return broken(reader, "\\u needs four hex digits", err);
	if (cp == 0 && !reader->loose && !reader->forgiving && !reader->limits.nul)
		return fail_at(reader, start, LOOM_INVALID, "U+0000 in a string", err);
	if (cp >= 0xD800 && cp <= 0xDFFF && !reader->loose && !reader->forgiving)
		return fail_at(reader, start, LOOM_INVALID, "half of a surrogate pair", err);
	return LOOM_OK;
}

/* Skips bytes that need no individual check, not too many at once. */
static void pass_plain(struct loom_json_reader *reader)
{
	const size_t start = reader->at;
	size_t n = 8;

	loom_pages_touch(reader->pages, reader->text.p + start, 1);
	while (n == 8 && reader->text.n - reader->at >= 8 && reader->at - start < PLAIN_MAX) {
		n = model_plain_bytes(reader->text.p + reader->at);
		reader->at += n;
	}
}

/* Skips one character or escape of a string. */
static enum loom_status pass_character(struct loom_json_reader *reader, bool *escaped,
				       struct loom_err *err)
{
	unsigned char c = (unsigned char)peek(reader);
	size_t start = reader->at;

	if (c == '\\') {
		*escaped = true;
		return pass_escape(reader, err);
	}
	if (c < 0x20 && (!reader->forgiving || reader->at >= reader->text.n))
		return broken(reader, "a raw control byte in a string", err);
	if (c < 0x80)
		reader->at++;
	else if (loom_utf8_next(reader->text, &reader->at) == LOOM_CP_BAD && !reader->forgiving)
		return fail_at(reader, start, LOOM_INVALID, "not UTF-8", err);
	return LOOM_OK;
}

static enum loom_status read_string(struct loom_json_reader *reader, struct loom_json_token *out,
				    struct loom_err *err)
{
	size_t start = ++reader->at;

	LOOM_ASSERT(start <= reader->text.n && reader->text.p[start - 1] == '"');
	pass_plain(reader);
	while (peek(reader) != '"') {
		enum loom_status status = pass_character(reader, &out->escaped, err);

		if (status != LOOM_OK)
			return status;
		pass_plain(reader);
	}
	out->raw = loom_str_sub(reader->text, start, reader->at - start);
	reader->at++;
	return LOOM_OK;
}

static void add_escaped(struct loom_str raw, size_t *at, struct loom_buf *out)
{
	static const char from[] = "bfnrt";
	static const char to[] = "\b\f\n\r\t";
	const char *hit = NULL;
	uint32_t cp = 0;

	LOOM_ASSERT(*at < raw.n && raw.p[*at] == '\\');
	if (raw.n - *at < 2)
		*at = raw.n;
	else if (raw.p[*at + 1] == 'u') {
		if (take_unicode(raw, at, &cp))
			loom_buf_add_cp(out, cp);
		else
			*at = raw.n;
	} else {
		hit = strchr(from, raw.p[*at + 1]);
		loom_buf_addc(out, hit && *hit ? to[hit - from] : raw.p[*at + 1]);
		*at += 2;
	}
}

void loom_json_decode(struct loom_str raw, struct loom_buf *out)
{
	size_t at = 0;

	while (at < raw.n) {
		size_t stop = loom_str_find_char(raw, '\\', at);

		if (stop == SIZE_MAX)
			stop = raw.n;
		loom_buf_add(out, loom_str_sub(raw, at, stop - at));
		at = stop;
		if (at < raw.n)
			add_escaped(raw, &at, out);
	}
}

/* ---- other values ---- */

static size_t pass_digits(struct loom_json_reader *reader)
{
	size_t start = reader->at;

	while (peek(reader) >= '0' && peek(reader) <= '9')
		reader->at++;
	return reader->at - start;
}

static enum loom_status read_number(struct loom_json_reader *reader, struct loom_json_token *out,
				    struct loom_err *err)
{
	size_t start = reader->at;
	bool zero = false;

	if (peek(reader) == '-')
		reader->at++;
	zero = peek(reader) == '0';
	if (zero)
		reader->at++;
	else if (!pass_digits(reader))
		return broken(reader, "expected a digit", err);
	if (peek(reader) == '.') {
		reader->at++;
		if (!pass_digits(reader))
			return broken(reader, "expected a digit after the point", err);
	}
	if (peek(reader) == 'e' || peek(reader) == 'E') {
		reader->at++;
		if (peek(reader) == '+' || peek(reader) == '-')
			reader->at++;
		if (!pass_digits(reader))
			return broken(reader, "expected a digit in the exponent", err);
	}
	if (reader->at - start > NUMBER_MAX && !reader->loose)
		return fail_at(reader, start, LOOM_LIMIT, "number too long", err);
	out->raw = loom_str_sub(reader->text, start, reader->at - start);
	return LOOM_OK;
}

static enum loom_status read_word(struct loom_json_reader *reader, struct loom_str word,
				  struct loom_json_token *out, struct loom_err *err)
{
	struct loom_str rest = loom_str_sub(reader->text, reader->at, word.n);

	if (!loom_str_eq(rest, word))
		return broken(reader, "expected a value", err);
	out->raw = rest;
	reader->at += word.n;
	return LOOM_OK;
}

/* ---- structure ---- */

static bool in_object(const struct loom_json_reader *reader)
{
	const uint8_t *bits = reader->deep ? reader->deep : reader->in_object;
	int top = reader->depth - 1;

	return top >= 0 && bits[top / 8] >> top % 8 & 1;
}

static enum loom_status open_container(struct loom_json_reader *reader, bool object,
				       struct loom_err *err)
{
	int top = reader->depth;
	uint8_t bit = (uint8_t)(1u << top % 8);
	uint8_t *bits = reader->deep ? reader->deep : reader->in_object;

	LOOM_ASSERT(reader->depth >= 0);
	if (reader->depth >= reader->limits.depth ||
	    (!reader->deep && reader->depth >= LOOM_JSON_DEPTH_MAX))
		return fail_at(reader, reader->at, LOOM_LIMIT, "nested too deep", err);
	if (object)
		bits[top / 8] |= bit;
	else
		bits[top / 8] &= (uint8_t)~bit;
	reader->depth++;
	reader->at++;
	reader->state = object ? AT_FIRST_KEY : AT_FIRST_ITEM;
	return LOOM_OK;
}

static void close_container(struct loom_json_reader *reader, struct loom_json_token *out)
{
	LOOM_ASSERT(reader->depth > 0);
	out->kind = in_object(reader) ? LOOM_JSON_END_OBJECT : LOOM_JSON_END_ARRAY;
	out->raw = loom_str_sub(reader->text, reader->at, 1);
	reader->depth--;
	reader->at++;
	reader->state = reader->depth ? AT_NEXT : AT_END;
}

static enum loom_json_kind kind_of(const struct loom_json_reader *reader, char c)
{
	if (reader->forgiving && (c == 'N' || c == 'I'))
		return LOOM_JSON_NUMBER;
	switch (c) {
	case '{':
		return LOOM_JSON_OBJECT;
	case '[':
		return LOOM_JSON_ARRAY;
	case '"':
		return LOOM_JSON_TEXT;
	case 't':
		return LOOM_JSON_TRUE;
	case 'f':
		return LOOM_JSON_FALSE;
	case 'n':
		return LOOM_JSON_NULL;
	default:
		return c == '-' || (c >= '0' && c <= '9') ? LOOM_JSON_NUMBER : LOOM_JSON_DONE;
	}
}

/* Recognises NaN, Infinity and -Infinity, which Python writes. */
static bool is_no_number(const struct loom_json_reader *reader)
{
	size_t at = reader->at + (peek(reader) == '-');

	return reader->forgiving && at < reader->text.n &&
	       (reader->text.p[at] == 'N' || reader->text.p[at] == 'I');
}

static enum loom_status read_no_number(struct loom_json_reader *reader, struct loom_json_token *out,
				       struct loom_err *err)
{
	if (peek(reader) == 'N')
		return read_word(reader, LOOM_STR("NaN"), out, err);
	return peek(reader) == '-' ? read_word(reader, LOOM_STR("-Infinity"), out, err)
				   : read_word(reader, LOOM_STR("Infinity"), out, err);
}

static enum loom_status read_scalar(struct loom_json_reader *reader, struct loom_json_token *out,
				    struct loom_err *err)
{
	switch (out->kind) {
	case LOOM_JSON_TEXT:
		return read_string(reader, out, err);
	case LOOM_JSON_NUMBER:
		return is_no_number(reader) ? read_no_number(reader, out, err)
					    : read_number(reader, out, err);
	case LOOM_JSON_TRUE:
		return read_word(reader, LOOM_STR("true"), out, err);
	case LOOM_JSON_FALSE:
		return read_word(reader, LOOM_STR("false"), out, err);
	case LOOM_JSON_NULL:
		return read_word(reader, LOOM_STR("null"), out, err);
	case LOOM_JSON_DONE:
	case LOOM_JSON_KEY:
	case LOOM_JSON_OBJECT:
	case LOOM_JSON_END_OBJECT:
	case LOOM_JSON_ARRAY:
	case LOOM_JSON_END_ARRAY:
		break;
	}
	return broken(reader, "expected a value", err);
}

static enum loom_status read_value(struct loom_json_reader *reader, struct loom_json_token *out,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	out->kind = kind_of(reader, peek(reader));
	if (++reader->values > reader->limits.values)
		return fail_at(reader, reader->at, LOOM_LIMIT, "too many values", err);
	if (out->kind == LOOM_JSON_OBJECT || out->kind == LOOM_JSON_ARRAY) {
		out->raw = loom_str_sub(reader->text, reader->at, 1);
		return open_container(reader, out->kind == LOOM_JSON_OBJECT, err);
	}
	status = read_scalar(reader, out, err);
	if (status == LOOM_OK)
		reader->state = reader->depth ? AT_NEXT : AT_END;
	return status;
}

static enum loom_status read_key(struct loom_json_reader *reader, struct loom_json_token *out,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (peek(reader) != '"')
		return broken(reader, "expected a key in quotes", err);
	out->kind = LOOM_JSON_KEY;
	status = read_string(reader, out, err);
	if (status != LOOM_OK)
		return status;
	skip_blanks(reader);
	if (peek(reader) != ':')
		return broken(reader, "expected a colon", err);
	reader->at++;
	reader->state = AT_VALUE;
	return LOOM_OK;
}

/* After a member: the end of its container, or a comma and the next member. */
static enum loom_status read_next(struct loom_json_reader *reader, struct loom_json_token *out,
				  struct loom_err *err)
{
	bool object = in_object(reader);

	if (peek(reader) == (object ? '}' : ']')) {
		close_container(reader, out);
		return LOOM_OK;
	}
	if (peek(reader) != ',')
		return broken(reader, object ? "expected a comma or }" : "expected a comma or ]",
			      err);
	reader->at++;
	skip_blanks(reader);
	out->at = reader->at;
	return object ? read_key(reader, out, err) : read_value(reader, out, err);
}

enum loom_status loom_json_read(struct loom_json_reader *reader, struct loom_json_token *out,
				struct loom_err *err)
{
	LOOM_ASSERT(reader->at <= reader->text.n);
	if (reader->text.n > reader->limits.bytes)
		return fail_at(reader, reader->limits.bytes, LOOM_LIMIT, "text too long", err);
	skip_blanks(reader);
	*out = (struct loom_json_token){.kind = LOOM_JSON_DONE, .at = reader->at};
	switch ((enum state)reader->state) {
	case AT_VALUE:
		return read_value(reader, out, err);
	case AT_FIRST_ITEM:
		if (peek(reader) != ']')
			return read_value(reader, out, err);
		close_container(reader, out);
		return LOOM_OK;
	case AT_FIRST_KEY:
		if (peek(reader) != '}')
			return read_key(reader, out, err);
		close_container(reader, out);
		return LOOM_OK;
	case AT_NEXT:
		return read_next(reader, out, err);
	case AT_END:
		return reader->at < reader->text.n ? broken(reader, "text after the value", err)
						   : LOOM_OK;
	case BROKEN:
		break;
	}
	return fail_at(reader, reader->at, LOOM_INVALID, "an earlier error stopped the reader",
		       err);
}

enum loom_status loom_json_skip(struct loom_json_reader *reader,
				const struct loom_json_token *first, struct loom_str *out_raw,
				struct loom_err *err)
{
	struct loom_json_token token = *first;
	enum loom_status status = LOOM_OK;
	int outside = reader->depth;
	size_t start = 0;

	LOOM_ASSERT(first && reader->depth >= 0);
	if (token.kind == LOOM_JSON_KEY)
		status = loom_json_read(reader, &token, err);
	start = token.at;
	if (token.kind == LOOM_JSON_OBJECT || token.kind == LOOM_JSON_ARRAY)
		outside = reader->depth - 1;
	while (status == LOOM_OK && reader->depth > outside)
		status = loom_json_read(reader, &token, err);
	if (status == LOOM_OK && out_raw)
		*out_raw = loom_str_sub(reader->text, start, reader->at - start);
	return status;
}
