/* Writes JSON: strings and numbers as JavaScript spells them, the comma-aware writer, and cJSON
 * trees, as they are or in canonical form. Only the buffer can fail. */
#include <loom/base/json.h>

#include <inttypes.h>
#include <math.h>

#include <loom/base/arena.h>
#include <loom/base/utf8.h>

/* ---- strings ---- */

static const char replacement[] = "\xEF\xBF\xBD";

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static void add_escape(unsigned char c, struct loom_buf *out)
{
	static const char from[] = "\"\\\b\f\n\r\t";
	static const char to[] = "\"\\bfnrt";
	const char *hit = c ? strchr(from, c) : NULL;

	if (hit)
		loom_buf_addf(out, "\\%c", to[hit - from]);
	else
		loom_buf_addf(out, "\\u%04x", c);
}

/* Reads a surrogate written in three bytes, the way UTF-8 would if it allowed them. */
static bool surrogate_at(struct loom_str s, size_t at, unsigned *out)
{
	const unsigned char *b = (const unsigned char *)s.p + at;

	if (s.n - at < 3 || b[0] != 0xED || (b[1] & 0xE0) != 0xA0 || (b[2] & 0xC0) != 0x80)
		return false;
	*out = 0xD000u | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
	return true;
}

/* Writes the special character at s.p[*at]. */
static void add_special(struct loom_str s, size_t *at, bool surrogates, struct loom_buf *out)
{
	unsigned char c = (unsigned char)s.p[*at];
	size_t start = *at;
	unsigned unit = 0;

	LOOM_ASSERT(*at < s.n);
	if (c < 0x80) {
		add_escape(c, out);
		*at += 1;
	} else if (surrogates && surrogate_at(s, start, &unit)) {
		loom_buf_addf(out, "\\u%04x", unit);
		*at += 3;
	} else if (loom_utf8_next(s, at) == LOOM_CP_BAD) {
		loom_buf_adds(out, replacement);
	} else {
		loom_buf_add(out, loom_str_sub(s, start, *at - start));
	}
}

/* Returns where the plain bytes from `at` on end, checking eight at a time. */
static size_t skip_plain(struct loom_str s, size_t at)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t word = 0;

	LOOM_ASSERT(at <= s.n);
	for (; s.n - at >= sizeof word; at += sizeof word) {
		uint64_t quote;
		uint64_t slash;

		memcpy(&word, s.p + at, sizeof word);
		quote = word ^ each * '"';
		slash = word ^ each * '\\';
		/* True if any byte is a quote or backslash, below 0x20, or has its high bit set. */
		if (((word | (word - each * 0x20) | ((quote - each) & ~quote) |
		      ((slash - each) & ~slash)) &
		     each * 0x80) != 0)
			break;
	}
	while (at < s.n && is_plain((unsigned char)s.p[at]))
		at++;
	return at;
}

static void add_string(struct loom_str s, bool surrogates, struct loom_buf *out)
{
	size_t at = 0;

	LOOM_ASSERT(loom_str_ok(s));
	loom_buf_addc(out, '"');
	while (at < s.n) {
		size_t start = at;

		at = skip_plain(s, at);
		loom_buf_add(out, loom_str_sub(s, start, at - start));
		if (at < s.n)
			add_special(s, &at, surrogates, out);
	}
	loom_buf_addc(out, '"');
}

void loom_json_quote(struct loom_str s, struct loom_buf *out)
{
	add_string(s, false, out);
}

struct loom_str loom_json_quoted(struct loom_str s, struct loom_arena *arena)
{
	struct loom_buf quoted = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	loom_json_quote(s, &quoted);
	out = loom_arena_buf(arena, &quoted);
	loom_buf_fini(&quoted);
	return out;
}

void loom_json_canonical_text(struct loom_str s, struct loom_buf *out)
{
	add_string(s, true, out);
}

/* ---- numbers ---- */

/* Adds one to the last digit of "d.ddde±xx"; false if that carries out of the first. */
static bool step_up(char *text)
{
	char *c = strchr(text, 'e');

	while (c > text) {
		c--;
		if (*c >= '0' && *c < '9') {
			*c += 1;
			return true;
		}
		if (*c == '9')
			*c = '0';
	}
	return false;
}

/* Writes `value` with the fewest digits that read back as the same number. Above a power of two
 * doubles lie twice as far apart as below, so there the nearest spelling may fail where the one
 * above it does not. */
static void spell_shortest(double value, char *text, size_t size)
{
	for (int precision = 0; precision < 17; precision++) {
		snprintf(text, size, "%.*e", precision, value);
		if (strtod(text, NULL) == value || (step_up(text) && strtod(text, NULL) == value))
			return;
	}
}

/* Returns the digits of the shortest spelling: value = 0.DIGITS × 10^*point. */
static int shortest_digits(double value, char digits[24], int *point)
{
	char text[40] = "";
	int count = 0;

	LOOM_ASSERT(isfinite(value) && value > 0);
	spell_shortest(value, text, sizeof text);
	/* Skips the decimal point, whatever the locale uses. */
	for (const char *c = text; *c && *c != 'e'; c++)
		if (*c >= '0' && *c <= '9')
			digits[count++] = *c;
	*point = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	LOOM_ASSERT(count > 0 && count < 24);
	digits[count] = '\0';
	return count;
}

/* Follows ECMAScript's Number::toString. */
static void add_double(double value, struct loom_buf *out)
{
	char digits[24];
	int point = 0;
	int count = 0;

	if (!isfinite(value) || value == 0) {
		loom_buf_adds(out, isfinite(value) ? "0" : "null");
		return;
	}
	if (value == floor(value) && fabs(value) < 1e15) {
		loom_buf_addf(out, "%.0f", value);
		return;
	}
	count = shortest_digits(fabs(value), digits, &point);
	if (value < 0)
		loom_buf_addc(out, '-');
	if (point > 21 || point < -5) {
		loom_buf_addc(out, digits[0]);
		loom_buf_addf(out, "%s%s", count > 1 ? "." : "", digits + 1);
		loom_buf_addf(out, "e%+d", point - 1);
	} else if (point <= 0) {
		loom_buf_adds(out, "0.");
		loom_buf_add_repeat(out, '0', (size_t)-point);
		loom_buf_adds(out, digits);
	} else if (point >= count) {
		loom_buf_adds(out, digits);
		loom_buf_add_repeat(out, '0', (size_t)(point - count));
	} else {
		loom_buf_addf(out, "%.*s.%s", point, digits, digits + point);
	}
}

/* ---- cJSON trees ---- */

/* A container being written, its members in output order. */
struct frame {
	const cJSON **members;
	size_t count;
	size_t next;
	bool object;
};

/* Ranks a byte by the order of UTF-16 units: there characters above U+FFFF, whose first byte is F0
 * or more, sort before U+E000–U+FFFF, whose first byte is EE or EF. */
static int rank(unsigned char c)
{
	return c == 0xEE || c == 0xEF ? c + 0x10 : c;
}

static int compare_members(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)(*(const cJSON *const *)a)->string;
	const unsigned char *y = (const unsigned char *)(*(const cJSON *const *)b)->string;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	return rank(*x) - rank(*y);
}

static struct frame open_frame(struct loom_arena *arena, const cJSON *value, bool sorted)
{
	struct frame frame = {.object = cJSON_IsObject(value)};
	const cJSON *member = NULL;
	size_t count = 0;

	cJSON_ArrayForEach(member, value) count++;
	frame.members = LOOM_ARENA_ARRAY(arena, count, const cJSON *);
	cJSON_ArrayForEach(member, value) frame.members[frame.count++] = member;
	if (sorted && frame.object && count > 1)
		qsort(frame.members, count, sizeof *frame.members, compare_members);
	return frame;
}

static void add_scalar(const cJSON *value, bool canonical, struct loom_buf *out)
{
	if (cJSON_IsString(value))
		add_string(loom_str_of(value->valuestring), canonical, out);
	else if (cJSON_IsNumber(value))
		add_double(value->valuedouble, out);
	else if (cJSON_IsRaw(value))
		loom_buf_adds(out, value->valuestring);
	else if (cJSON_IsBool(value))
		loom_buf_adds(out, cJSON_IsTrue(value) ? "true" : "false");
	else
		loom_buf_adds(out, "null");
}

/* Writes the text before the next member and returns the member; NULL once the container is
 * closed. */
static const cJSON *next_member(struct frame *frame, bool canonical, struct loom_buf *out)
{
	const cJSON *member = NULL;

	LOOM_ASSERT(frame->next <= frame->count);
	if (frame->next == frame->count) {
		loom_buf_addc(out, frame->object ? '}' : ']');
		return NULL;
	}
	if (frame->next)
		loom_buf_addc(out, ',');
	member = frame->members[frame->next++];
	if (frame->object) {
		add_string(loom_str_of(member->string), canonical, out);
		loom_buf_addc(out, ':');
	}
	return member;
}

/* Keeps its own stack, because cJSON values may be nested deeper than the C stack allows. */
static void add_tree(const cJSON *value, bool canonical, struct loom_buf *out)
{
	struct loom_arena *arena = loom_arena_create();
	struct frame *stack = NULL;
	size_t depth = 0;
	size_t cap = 0;

	LOOM_ASSERT(out);
	for (;;) {
		if (cJSON_IsObject(value) || cJSON_IsArray(value)) {
			stack = loom_arena_grow(arena, stack, depth, &cap, sizeof *stack);
			stack[depth++] = open_frame(arena, value, canonical);
			loom_buf_addc(out, cJSON_IsObject(value) ? '{' : '[');
		} else {
			add_scalar(value, canonical, out);
		}
		value = NULL;
		while (depth && !(value = next_member(&stack[depth - 1], canonical, out)))
			depth--;
		if (!value)
			break;
	}
	loom_arena_destroy(arena);
}

void loom_json_canonical(const cJSON *value, struct loom_buf *out)
{
	add_tree(value, true, out);
}

/* ---- the emitter ---- */

#define NESTING_MAX 64

void loom_json_init(struct loom_json *json, struct loom_buf *out)
{
	*json = (struct loom_json){.out = out};
}

/* Writes the comma before a value or key, where one belongs. */
static void separate(struct loom_json *json)
{
	uint64_t bit = 0;

	if (json->after_key || json->depth == 0) {
		json->after_key = false;
		return;
	}
	bit = (uint64_t)1 << (json->depth - 1);
	if (json->has_items & bit)
		loom_buf_addc(json->out, ',');
	json->has_items |= bit;
}

static void open_with(struct loom_json *json, char c)
{
	LOOM_ASSERT(json->depth <= NESTING_MAX);
	separate(json);
	if (json->depth >= NESTING_MAX) {
		json->out->bad = LOOM_LIMIT;
		return;
	}
	json->has_items &= ~((uint64_t)1 << json->depth);
	json->depth++;
	loom_buf_addc(json->out, c);
}

static void close_with(struct loom_json *json, char c)
{
	LOOM_ASSERT(json->depth > 0 || json->out->bad != LOOM_OK);
	if (json->depth)
		json->depth--;
	loom_buf_addc(json->out, c);
}

void loom_json_object(struct loom_json *json)
{
	open_with(json, '{');
}

void loom_json_end_object(struct loom_json *json)
{
	close_with(json, '}');
}

void loom_json_array(struct loom_json *json)
{
	open_with(json, '[');
}

void loom_json_end_array(struct loom_json *json)
{
	close_with(json, ']');
}

void loom_json_key(struct loom_json *json, const char *key)
{
	LOOM_ASSERT(key);
	separate(json);
	add_string(loom_str_of(key), false, json->out);
	loom_buf_addc(json->out, ':');
	json->after_key = true;
}

void loom_json_text(struct loom_json *json, struct loom_str s)
{
	separate(json);
	add_string(s, false, json->out);
}

void loom_json_number(struct loom_json *json, int64_t n)
{
	separate(json);
	loom_buf_addf(json->out, "%" PRId64, n);
}

void loom_json_real(struct loom_json *json, double n)
{
	separate(json);
	add_double(n, json->out);
}

void loom_json_bool(struct loom_json *json, bool b)
{
	separate(json);
	loom_buf_adds(json->out, b ? "true" : "false");
}

void loom_json_null(struct loom_json *json)
{
	separate(json);
	loom_buf_adds(json->out, "null");
}

void loom_json_raw(struct loom_json *json, struct loom_str value)
{
	separate(json);
	loom_buf_add(json->out, value);
}

void loom_json_value(struct loom_json *json, const cJSON *value)
{
	separate(json);
	add_tree(value, false, json->out);
}

void loom_json_put(struct loom_json *json, const char *key, struct loom_str s)
{
	loom_json_key(json, key);
	loom_json_text(json, s);
}

void loom_json_put_int(struct loom_json *json, const char *key, int64_t n)
{
	loom_json_key(json, key);
	loom_json_number(json, n);
}

void loom_json_put_retry(struct loom_json *json, enum loom_status status)
{
	loom_json_key(json, "retryable");
	if (status == LOOM_MODEL)
		loom_json_text(json, LOOM_STR("maybe"));
	else
		loom_json_bool(json, loom_status_retryable(status));
}

void loom_json_put_bool(struct loom_json *json, const char *key, bool b)
{
	loom_json_key(json, key);
	loom_json_bool(json, b);
}

void loom_json_put_texts(struct loom_json *json, const char *key, const struct loom_str *texts,
			 size_t count)
{
	loom_json_key(json, key);
	loom_json_array(json);
	for (size_t i = 0; i < count; i++)
		loom_json_text(json, texts[i]);
	loom_json_end_array(json);
}
