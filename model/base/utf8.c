/* Strict UTF-8. */
#include <loom/base/utf8.h>

/* Returns the sequence length the first byte announces, 0 if it starts none. */
static size_t announced(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xC2 && first <= 0xDF)
		return 2;
	if (first >= 0xE0 && first <= 0xEF)
		return 3;
	return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/* The second byte's range excludes overlong forms, surrogates and values above U+10FFFF. */
static bool second_fits(unsigned char first, unsigned char second)
{
	unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
	unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;

	return second >= low && second <= high;
}

/* Returns how many of `left` bytes at p belong to a valid sequence; sets *whole if it is
 * complete. */
static size_t sequence(const char *p, size_t left, bool *whole)
{
	const unsigned char *b = (const unsigned char *)p;
	size_t n = announced(b[0]);
	size_t i = 1;

	LOOM_ASSERT(left > 0);
	*whole = false;
	if (!n)
		return 0;
	for (; i < n && i < left; i++)
		if (i == 1 ? !second_fits(b[0], b[1]) : (b[i] & 0xC0) != 0x80)
			return 0;
	*whole = i == n;
	return i;
}

uint32_t loom_utf8_next(struct loom_str s, size_t *at)
{
	const unsigned char *b = (const unsigned char *)s.p + *at;
	bool whole = false;
	size_t n = sequence(s.p + *at, s.n - *at, &whole);
	uint32_t cp = 0;

	LOOM_ASSERT(*at < s.n);
	if (!n || !whole) {
		*at += 1;
		return LOOM_CP_BAD;
	}
	*at += n;
	if (n == 1)
		return b[0];
	cp = b[0] & (0xFFu >> (n + 1));
	for (size_t i = 1; i < n; i++)
		cp = cp << 6 | (b[i] & 0x3Fu);
	return cp;
}

uint32_t loom_utf8_prev(struct loom_str s, size_t *at)
{
	size_t end = *at;

	LOOM_ASSERT(end > 0 && end <= s.n);
	for (size_t back = 1; back <= 4 && back <= end; back++) {
		size_t from = end - back;
		uint32_t cp = 0;

		if (((unsigned char)s.p[from] & 0xC0) == 0x80)
			continue;
		cp = loom_utf8_next(loom_str_sub(s, 0, end), &from);
		if (cp == LOOM_CP_BAD || from != end)
			break;
		*at = end - back;
		return cp;
	}
	*at = end - 1;
	return LOOM_CP_BAD;
}

/* Returns the offset after the ASCII bytes that begin at `at`, eight at a time. */
static size_t skip_ascii(struct loom_str s, size_t at)
{
	uint64_t word;

	for (; s.n - at >= sizeof word; at += sizeof word) {
		memcpy(&word, s.p + at, sizeof word);
		if (word & 0x8080808080808080u)
			break;
	}
	return at;
}

bool loom_utf8_valid(struct loom_str s, size_t *bad_at)
{
	size_t at = 0;

	while ((at = skip_ascii(s, at)) < s.n) {
		size_t start = at;

		if ((unsigned char)s.p[at] < 0x80) {
			at++;
		} else if (loom_utf8_next(s, &at) == LOOM_CP_BAD) {
			if (bad_at)
				*bad_at = start;
			return false;
		}
	}
	return true;
}

size_t loom_utf8_encode(uint32_t cp, char out[4])
{
	LOOM_ASSERT(cp <= 0x10FFFF);
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xC0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3F));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xE0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
		out[2] = (char)(0x80 | (cp & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
	out[3] = (char)(0x80 | (cp & 0x3F));
	return 4;
}

size_t loom_utf8_length(struct loom_str s)
{
	size_t count = 0;

	for (size_t at = 0; at < s.n; count++)
		(void)loom_utf8_next(s, &at);
	return count;
}

struct loom_str loom_utf8_clip(struct loom_str s, size_t n)
{
	if (n >= s.n)
		return s;
	for (size_t back = 0; back < 4 && back < n; back++) {
		bool whole = false;
		size_t from = n - back - 1;

		if (((unsigned char)s.p[from] & 0xC0) == 0x80)
			continue;
		sequence(s.p + from, s.n - from, &whole);
		if (whole && from + announced((unsigned char)s.p[from]) > n)
			return loom_str_sub(s, 0, from);
		break;
	}
	return loom_str_sub(s, 0, n);
}

size_t loom_utf8_partial_tail(struct loom_str s)
{
	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		bool whole = false;
		size_t from = s.n - back;

		if (((unsigned char)s.p[from] & 0xC0) == 0x80)
			continue;
		return sequence(s.p + from, back, &whole) == back && !whole ? back : 0;
	}
	return 0;
}
