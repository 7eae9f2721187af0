/* Texts in other encodings than UTF-8. Nothing is guessed: either a mark at the beginning makes it
 * certain, or the text or its server says so. */
#include "inside.h"

#include <errno.h>
#include <iconv.h>

#include <loom/base/utf8.h>

#define DECLARED_WITHIN 1024 /* bytes from the beginning */
#define NAME_LONGEST    40

/* ---- UTF-16 ---- */

static uint32_t unit_at(struct loom_str bytes, size_t at, bool big)
{
	unsigned char a;
	unsigned char b;

	LOOM_ASSERT(at + 1 < bytes.n);
	a = (unsigned char)bytes.p[at];
	b = (unsigned char)bytes.p[at + 1];
	return big ? (uint32_t)(a << 8 | b) : (uint32_t)(b << 8 | a);
}

/* Returns false for an odd byte or an unpaired surrogate. */
static bool decode_utf16(struct loom_str bytes, bool big, struct loom_buf *out)
{
	char encoded[8];

	if (bytes.n % 2)
		return false;
	for (size_t at = 2; at < bytes.n; at += 2) {
		uint32_t cp = unit_at(bytes, at, big);

		if (cp >= 0xDC00 && cp <= 0xDFFF)
			return false;
		if (cp >= 0xD800 && cp <= 0xDBFF) {
			uint32_t low = at + 2 < bytes.n ? unit_at(bytes, at + 2, big) : 0;

			if (low < 0xDC00 || low > 0xDFFF)
				return false;
			cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
			at += 2;
		}
		loom_buf_add(out, loom_str_make(encoded, loom_utf8_encode(cp, encoded)));
	}
	return true;
}

/* ---- declared ---- */

static bool is_name_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c && strchr("-_.:", c));
}

/* The name behind a word such as "charset=", or nothing. */
static struct loom_str name_behind(struct loom_str text, struct loom_str word)
{
	for (size_t at = 0; at + word.n <= text.n; at++) {
		size_t from = at + word.n;
		size_t end;

		if (!loom_str_eq_fold(loom_str_sub(text, at, word.n), word))
			continue;
		while (from < text.n && strchr(" \t\"'", text.p[from]) && text.p[from])
			from++;
		for (end = from; end < text.n && is_name_char(text.p[end]);)
			end++;
		if (end > from && end - from <= NAME_LONGEST)
			return loom_str_sub(text, from, end - from);
	}
	return LOOM_STR("");
}

/* Finds the encoding in a page's type, in `<meta charset=…>` or `<?xml … encoding="…"?>`, or in
 * `coding: …` in one of the first two lines. */
static struct loom_str declared(struct loom_str bytes, struct loom_str type)
{
	const struct loom_str head = loom_str_sub(bytes, 0, DECLARED_WITHIN);
	struct loom_str rest = head;
	struct loom_str line;
	struct loom_str name = name_behind(type, LOOM_STR("charset="));

	if (!name.n && memchr(head.p, '<', head.n))
		name = name_behind(head, LOOM_STR("charset="));
	if (!name.n && loom_str_starts(head, LOOM_STR("<?xml")))
		name = name_behind(loom_str_sub(head, 0, loom_str_find_char(head, '>', 0)),
				   LOOM_STR("encoding="));
	for (int i = 0; !name.n && i < 2 && loom_str_line(&rest, &line); i++) {
		name = name_behind(line, LOOM_STR("coding:"));
		if (!name.n)
			name = name_behind(line, LOOM_STR("coding="));
	}
	return name;
}

/* Encodings are also called without their hyphens, and with others: "latin-1". */
static iconv_t open_named(const char *name)
{
	char plain[NAME_LONGEST + 1];
	iconv_t with = iconv_open("UTF-8", name);
	size_t n = 0;

	LOOM_ASSERT(strlen(name) <= NAME_LONGEST);
	for (; *name; name++)
		if (*name != '-' && *name != '_')
			plain[n++] = *name;
	plain[n] = '\0';
	return with == (iconv_t)-1 ? iconv_open("UTF-8", plain) : with;
}

static bool convert(struct loom_str bytes, const char *name, struct loom_buf *out)
{
	char room[4096];
	char *from = loom_alloc(bytes.n + 1); /* a copy: iconv takes no const bytes */
	char *in = from;
	size_t left = bytes.n;
	iconv_t with = open_named(name);
	bool good = with != (iconv_t)-1;

	memcpy(from, bytes.p, bytes.n);
	while (good && left) {
		char *to = room;
		size_t space = sizeof room;
		size_t done = iconv(with, &in, &left, &to, &space);

		loom_buf_add(out, loom_str_make(room, sizeof room - space));
		good = (done != (size_t)-1 || errno == E2BIG) && out->bad == LOOM_OK;
	}
	if (with != (iconv_t)-1)
		iconv_close(with);
	free(from);
	return good;
}

bool model_decode(struct loom_str bytes, struct loom_str type, struct loom_buf *out)
{
	char name[NAME_LONGEST + 1];
	struct loom_str said;

	LOOM_ASSERT(out->n == 0);
	if (loom_str_starts(bytes, LOOM_STR("\xFF\xFE")))
		return decode_utf16(bytes, false, out);
	if (loom_str_starts(bytes, LOOM_STR("\xFE\xFF")))
		return decode_utf16(bytes, true, out);
	said = bytes.n ? declared(bytes, type) : LOOM_STR("");
	snprintf(name, sizeof name, "%.*s", LOOM_STR_ARG(said));
	return said.n && convert(bytes, name, out);
}
