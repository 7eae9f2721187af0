/* Slices and bounded buffers. */
#include <loom/base/str.h>

#include <inttypes.h>

#include <loom/base/utf8.h>

bool loom_str_eq(struct loom_str a, struct loom_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static char fold_ascii(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool loom_str_eq_fold(struct loom_str a, struct loom_str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (fold_ascii(a.p[i]) != fold_ascii(b.p[i]))
			return false;
	return true;
}

int loom_str_cmp(struct loom_str a, struct loom_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.p, b.p, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

bool loom_str_starts(struct loom_str s, struct loom_str prefix)
{
	return s.n >= prefix.n && loom_str_eq(loom_str_sub(s, 0, prefix.n), prefix);
}

bool loom_str_ends(struct loom_str s, struct loom_str suffix)
{
	return s.n >= suffix.n && loom_str_eq(loom_str_sub(s, s.n - suffix.n, suffix.n), suffix);
}

struct loom_str loom_str_sub(struct loom_str s, size_t from, size_t n)
{
	if (!s.p)
		return (struct loom_str){NULL, 0};
	if (from > s.n)
		from = s.n;
	if (n > s.n - from)
		n = s.n - from;
	return (struct loom_str){s.p + from, n};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct loom_str loom_str_trim(struct loom_str s)
{
	while (s.n && is_blank(s.p[0]))
		s = loom_str_sub(s, 1, s.n);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

size_t loom_str_find(struct loom_str s, struct loom_str needle, size_t from)
{
	const char *hit = NULL;

	LOOM_ASSERT(loom_str_ok(s) && loom_str_ok(needle));
	if (from > s.n || needle.n > s.n - from)
		return SIZE_MAX;
	if (!needle.n)
		return from;
	hit = memmem(s.p + from, s.n - from, needle.p, needle.n);
	return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

size_t loom_str_find_char(struct loom_str s, char c, size_t from)
{
	const char *hit = from < s.n ? memchr(s.p + from, c, s.n - from) : NULL;

	return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

bool loom_str_cut(struct loom_str *rest, char c, struct loom_str *out)
{
	size_t at = 0;

	LOOM_ASSERT(rest != out);
	if (!rest->p)
		return false;
	at = loom_str_find_char(*rest, c, 0);
	if (at == SIZE_MAX) {
		*out = *rest;
		*rest = (struct loom_str){NULL, 0};
	} else {
		*out = loom_str_sub(*rest, 0, at);
		*rest = loom_str_sub(*rest, at + 1, rest->n);
	}
	return true;
}

bool loom_str_line(struct loom_str *rest, struct loom_str *out)
{
	return rest->n && loom_str_cut(rest, '\n', out);
}

bool loom_str_to_u64(struct loom_str s, uint64_t *out)
{
	uint64_t value = 0;

	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(s.p[i] - '0'), &value))
			return false;
	}
	*out = value;
	return true;
}

bool loom_str_to_i64(struct loom_str s, int64_t *out)
{
	bool minus = s.n && s.p[0] == '-';
	uint64_t size = 0;

	if (!loom_str_to_u64(minus ? loom_str_sub(s, 1, s.n) : s, &size) ||
	    size > (uint64_t)INT64_MAX + (minus ? 1 : 0))
		return false;
	*out = minus ? (int64_t)(~size + 1) : (int64_t)size;
	return true;
}

void loom_buf_init(struct loom_buf *buf, size_t max)
{
	loom_buf_init_on(buf, max, NULL);
}

void loom_buf_init_on(struct loom_buf *buf, size_t max, struct loom_pages *pages)
{
	*buf = (struct loom_buf)LOOM_BUF_INIT_ON(max, pages);
}

void loom_buf_fini(struct loom_buf *buf)
{
	if (!buf)
		return;
	if (buf->pages)
		loom_pages_return(buf->pages, buf->p, buf->cap);
	else
		free(buf->p);
	loom_buf_init_on(buf, buf->max, buf->pages);
}

void loom_buf_clear(struct loom_buf *buf)
{
	buf->n = 0;
	buf->bad = LOOM_OK;
	if (buf->p)
		buf->p[0] = '\0';
}

void loom_buf_cut(struct loom_buf *buf, size_t n)
{
	LOOM_ASSERT(loom_buf_ok(buf));
	if (n < buf->n) {
		buf->n = n;
		buf->p[n] = '\0';
	}
}

/* Makes room for `more` bytes and the NUL; false if that exceeds the maximum. */
static bool reserve(struct loom_buf *buf, size_t more)
{
	size_t cap = buf->cap ? buf->cap : 64;

	LOOM_ASSERT(loom_buf_ok(buf));
	if (buf->bad != LOOM_OK)
		return false;
	if (more > buf->max - buf->n) {
		buf->bad = LOOM_LIMIT;
		return false;
	}
	if (buf->n + more < buf->cap)
		return true;
	while (cap <= buf->n + more)
		cap *= 2;
	buf->p = buf->pages ? loom_pages_resize(buf->pages, buf->p, buf->cap, cap)
			    : loom_realloc(buf->p, cap, 1);
	buf->p[buf->n] = '\0';
	buf->cap = cap;
	LOOM_ASSERT(buf->n + more < buf->cap);
	return true;
}

void loom_buf_reserve(struct loom_buf *buf, size_t n)
{
	if (n <= buf->max - buf->n)
		(void)reserve(buf, n);
}

void loom_buf_add(struct loom_buf *buf, struct loom_str s)
{
	LOOM_ASSERT(loom_str_ok(s));
	if (!s.n || !reserve(buf, s.n))
		return;
	memcpy(buf->p + buf->n, s.p, s.n);
	buf->n += s.n;
	buf->p[buf->n] = '\0';
}

void loom_buf_adds(struct loom_buf *buf, const char *text)
{
	loom_buf_add(buf, loom_str_of(text));
}

void loom_buf_addc(struct loom_buf *buf, char c)
{
	loom_buf_add(buf, loom_str_make(&c, 1));
}

void loom_buf_add_repeat(struct loom_buf *buf, char c, size_t times)
{
	if (!times || !reserve(buf, times))
		return;
	memset(buf->p + buf->n, c, times);
	buf->n += times;
	buf->p[buf->n] = '\0';
}

void loom_buf_addfv(struct loom_buf *buf, const char *format, va_list args)
{
	va_list again;
	size_t room = buf->bad == LOOM_OK ? buf->cap - buf->n : 0;
	char first = '\0';
	int wanted = 0;

	/* Most texts fit into the room there is, in one pass. */
	va_copy(again, args);
	wanted = vsnprintf(room ? buf->p + buf->n : NULL, room, format, again);
	va_end(again);
	if (room) {
		first = buf->p[buf->n];
		buf->p[buf->n] = '\0';
	}
	if (wanted < 0)
		buf->bad = LOOM_FAULT;
	if (wanted <= 0 || !reserve(buf, (size_t)wanted))
		return;
	if ((size_t)wanted >= room)
		vsnprintf(buf->p + buf->n, (size_t)wanted + 1, format, args);
	else
		buf->p[buf->n] = first;
	buf->n += (size_t)wanted;
}

void loom_buf_addf(struct loom_buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	loom_buf_addfv(buf, format, args);
	va_end(args);
}

void loom_buf_add_cp(struct loom_buf *buf, uint32_t cp)
{
	char bytes[4];

	loom_buf_add(buf, loom_str_make(bytes, loom_utf8_encode(cp, bytes)));
}

void loom_buf_add_count(struct loom_buf *buf, uint64_t count)
{
	char digits[32];
	size_t at = sizeof digits;
	int n = 0;

	do {
		if (n && n % 3 == 0)
			digits[--at] = ',';
		digits[--at] = (char)('0' + count % 10);
		count /= 10;
		n++;
	} while (count);
	LOOM_ASSERT(at < sizeof digits);
	loom_buf_add(buf, loom_str_make(digits + at, sizeof digits - at));
}

const char *loom_plural(int64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

void loom_buf_add_int(struct loom_buf *buf, int64_t number)
{
	char digits[24];
	size_t at = sizeof digits;
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (number < 0)
		digits[--at] = '-';
	LOOM_ASSERT(at < sizeof digits);
	loom_buf_add(buf, loom_str_make(digits + at, sizeof digits - at));
}

struct loom_str loom_buf_str(const struct loom_buf *buf)
{
	return loom_str_make(buf->p, buf->n);
}

const char *loom_buf_cstr(const struct loom_buf *buf)
{
	return buf->p ? buf->p : "";
}
