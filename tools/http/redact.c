/* The one redactor. A spelling of the secret is a sequence of units, each one of its characters,
 * literal or escaped. Backslashes between units are ignored, and so are those in the secret. */
#include <loom/http/redact.h>

/* Bounds on repeated escaping; text escaped more often than this is unreadable anyway. */
#define BACKSLASHES_MAX 64
#define AGAIN_MAX       8
#define ENTITY_MAX      8

enum match { NO, BEGUN, WHOLE };

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads `digits` hex digits at *at and advances past them. */
static enum match take_hex(struct loom_str text, size_t *at, int digits, unsigned *out)
{
	*out = 0;
	for (; digits; digits--, ++*at) {
		if (*at == text.n)
			return BEGUN;
		if (hex_of(text.p[*at]) < 0)
			return NO;
		*out = *out << 4 | (unsigned)hex_of(text.p[*at]);
	}
	return WHOLE;
}

/* Reads \u0027 or \x27. */
static enum match take_backslash(struct loom_str text, size_t *at, unsigned *out)
{
	const char kind = *at + 1 < text.n ? text.p[*at + 1] : '\0';

	if (!kind)
		return BEGUN;
	if (kind != 'u' && kind != 'x')
		return NO;
	*at += 2;
	return take_hex(text, at, kind == 'u' ? 4 : 2, out);
}

/* Skips what another round of escaping adds, `again`: the 25 in %2527, the amp; in &amp;#39; */
static void pass_again(struct loom_str text, size_t *at, struct loom_str again)
{
	for (int i = 0; i < AGAIN_MAX && loom_str_starts(loom_str_sub(text, *at, SIZE_MAX), again);
	     i++)
		*at += again.n;
}

static enum match take_percent(struct loom_str text, size_t *at, unsigned *out)
{
	++*at;
	pass_again(text, at, LOOM_STR("25"));
	return take_hex(text, at, 2, out);
}

/* Reads the name between & and ; */
static bool read_entity(struct loom_str name, unsigned *out)
{
	static const struct {
		const char *name;
		unsigned value;
	} names[] = {{"quot", '"'}, {"apos", '\''}, {"lt", '<'}, {"gt", '>'}, {"amp", '&'}};
	const bool hex = name.n > 2 && name.p[0] == '#' && (name.p[1] | 0x20) == 'x';

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		if (loom_str_is(name, names[i].name)) {
			*out = names[i].value;
			return true;
		}
	if (name.n < 2 || name.p[0] != '#')
		return false;
	*out = 0;
	for (size_t i = hex ? 2 : 1; i < name.n; i++) {
		int digit = hex_of(name.p[i]);

		if (digit < 0 || (!hex && digit > 9))
			return false;
		*out = *out * (hex ? 16 : 10) + (unsigned)digit;
	}
	return true;
}

static enum match take_entity(struct loom_str text, size_t *at, unsigned *out)
{
	struct loom_str rest;
	size_t end = 0;

	++*at;
	pass_again(text, at, LOOM_STR("amp;"));
	rest = loom_str_sub(text, *at, SIZE_MAX);
	end = loom_str_find_char(loom_str_sub(rest, 0, ENTITY_MAX), ';', 0);
	if (end == SIZE_MAX)
		return rest.n < ENTITY_MAX ? BEGUN : NO;
	*at += end + 1;
	return read_entity(loom_str_sub(rest, 0, end), out) ? WHOLE : NO;
}

/* Reads an escape at *at and advances past it; NO leaves *at unchanged. */
static enum match take_escape(struct loom_str text, size_t *at, unsigned *out)
{
	const size_t from = *at;
	enum match match = NO;

	switch (text.p[*at]) {
	case '\\':
		match = take_backslash(text, at, out);
		break;
	case '%':
		match = take_percent(text, at, out);
		break;
	case '&':
		match = take_entity(text, at, out);
		break;
	default:
		break;
	}
	if (match == NO)
		*at = from;
	return match;
}

/* Reads a literal `c`, with what escaping it again has added. */
static bool take_plain(struct loom_str text, size_t *at, char c)
{
	if (text.p[*at] != c)
		return false;
	++*at;
	if (c == '%')
		pass_again(text, at, LOOM_STR("25"));
	else if (c == '&')
		pass_again(text, at, LOOM_STR("amp;"));
	return true;
}

/* Reads one character of the secret at *at and advances past it. Sets *open when the text read
 * could still turn out to be the beginning of an escape. */
static enum match take_character(struct loom_str text, size_t *at, char wanted, bool *open)
{
	for (int i = 0; i < BACKSLASHES_MAX; i++) {
		size_t behind = *at;
		unsigned c = 0;
		enum match match;

		if (*at == text.n)
			return BEGUN;
		match = take_escape(text, &behind, &c);
		if (match == WHOLE && c == (unsigned char)wanted) {
			*at = behind;
			return WHOLE;
		}
		*open |= match == BEGUN;
		if (take_plain(text, at, wanted))
			return WHOLE;
		if (match == BEGUN)
			return BEGUN;
		/* Skip a backslash, escaped or not. */
		if (match == WHOLE && c == '\\')
			*at = behind;
		else if (text.p[*at] == '\\')
			++*at;
		else
			return NO;
	}
	return NO;
}

static enum match match_escaped(struct loom_str text, size_t *at, struct loom_str secret)
{
	enum match match = NO;
	bool open = false;

	for (size_t i = 0; i < secret.n; i++) {
		if (secret.p[i] == '\\')
			continue;
		match = take_character(text, at, secret.p[i], &open);
		if (match != WHOLE)
			return match == NO && open ? BEGUN : match;
	}
	return match;
}

/* Matches the secret at `at`; *out_n is the match's length when it is complete. */
static enum match match_at(struct loom_str text, size_t at, struct loom_str secret, size_t *out_n)
{
	struct loom_str rest = loom_str_sub(text, at, SIZE_MAX);
	size_t end = at;
	enum match match;

	if (loom_str_starts(rest, secret)) {
		*out_n = secret.n;
		return WHOLE;
	}
	match = match_escaped(text, &end, secret);
	*out_n = end - at;
	return match == NO && loom_str_starts(secret, rest) ? BEGUN : match;
}

/* Whether a match could begin with this byte. */
static bool may_begin(char c, struct loom_str secret)
{
	return c == secret.p[0] || c == '\\' || c == '%' || c == '&';
}

size_t http_secret_find(struct loom_str text, struct loom_str secret, size_t from, size_t *out_n)
{
	for (size_t at = from; secret.n && at < text.n; at++)
		if (may_begin(text.p[at], secret) && match_at(text, at, secret, out_n) == WHOLE)
			return at;
	return SIZE_MAX;
}

size_t http_secret_begun(struct loom_str text, struct loom_str secret)
{
	size_t n = 0;

	for (size_t at = 0; secret.n && at < text.n; at++)
		if (may_begin(text.p[at], secret) && match_at(text, at, secret, &n) == BEGUN)
			return text.n - at;
	return 0;
}

void http_secret_hide(char *text, size_t n, struct loom_str secret)
{
	const struct loom_str all = loom_str_make(text, n);
	size_t length = 0;

	for (size_t at = 0; (at = http_secret_find(all, secret, at, &length)) != SIZE_MAX;
	     at += length)
		memset(text + at, '*', length);
}
