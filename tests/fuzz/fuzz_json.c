/* Strict JSON: what passes the check is built by cJSON, its canonical form passes too, and is its
 * own canonical form. Beside it stands a second reader, written after RFC 8259 for this alone, and
 * both say the same of every text; only what a limit or a bound refuses, or a key said twice, is
 * not its business. */
#include <loom/base/json.h>
#include <loom/base/utf8.h>

#include "tests/fuzz/fuzz.h"

/* ---- the second reader: each function gives where its part ends, NULL when it is none ---- */

static const char *blanks(const char *p, const char *end)
{
	while (p && p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

static const char *digits(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p > from ? p : NULL;
}

static const char *number(const char *p, const char *end)
{
	p += p < end && *p == '-';
	p = p < end && *p == '0' ? p + 1 : digits(p, end);
	if (p && p < end && *p == '.')
		p = digits(p + 1, end);
	if (p && p < end && (*p | 0x20) == 'e') {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		p = digits(p, end);
	}
	return p;
}

/* The four digits behind \u, -1 when they are none. */
static int32_t four(const char *p, const char *end)
{
	static const char hex[] = "0123456789abcdef0123456789ABCDEF";
	int32_t value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const char *at = p[i] ? strchr(hex, p[i]) : NULL;

		if (!at)
			return -1;
		value = value << 4 | (int32_t)((at - hex) & 15);
	}
	return value;
}

static const char *escape(const char *p, const char *end)
{
	int32_t high = 0;
	int32_t low = 0;

	if (p == end || !*p || !strchr("\"\\/bfnrtu", *p))
		return NULL;
	if (*p != 'u')
		return p + 1;
	high = four(p + 1, end);
	if (high <= 0 || (high >= 0xDC00 && high <= 0xDFFF))
		return NULL;
	p += 5;
	if (high < 0xD800 || high > 0xDBFF)
		return p;
	low = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? four(p + 2, end) : -1;
	return low >= 0xDC00 && low <= 0xDFFF ? p + 6 : NULL;
}

static const char *string(const char *p, const char *end)
{
	if (p == end || *p != '"')
		return NULL;
	for (p++; p && p < end && *p != '"';) {
		if ((unsigned char)*p < 0x20)
			return NULL;
		p = *p == '\\' ? escape(p + 1, end) : p + 1;
	}
	return p && p < end ? p + 1 : NULL;
}

static const char *value_of(const char *p, const char *end);

static const char *members(const char *p, const char *end, char close)
{
	p = blanks(p, end);
	if (p < end && *p == close)
		return p + 1;
	while (p) {
		if (close == '}') {
			p = blanks(string(p, end), end);
			p = p && p < end && *p == ':' ? blanks(p + 1, end) : NULL;
		}
		p = p ? blanks(value_of(p, end), end) : NULL;
		if (!p || p == end || *p != ',')
			return p && p < end && *p == close ? p + 1 : NULL;
		p = blanks(p + 1, end);
	}
	return NULL;
}

static const char *value_of(const char *p, const char *end)
{
	static const char *const words[] = {"true", "false", "null"};

	if (p == end)
		return NULL;
	if (*p == '{' || *p == '[')
		return members(p + 1, end, *p == '{' ? '}' : ']');
	if (*p == '"')
		return string(p, end);
	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		if ((size_t)(end - p) >= strlen(words[i]) &&
		    memcmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	return number(p, end);
}

static bool is_json(struct loom_str text)
{
	const char *end = text.p + text.n;

	return loom_utf8_valid(text, NULL) &&
	       blanks(value_of(blanks(text.p, end), end), end) == end;
}

/* ---- what both say ---- */

/* The loose reader may take more than the check; it must end all the same. */
static void walk(struct loom_str text)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	struct loom_json_reader reader;

	loom_json_read_init(&reader, text, NULL);
	reader.loose = true;
	while (token.kind != LOOM_JSON_DONE && loom_json_read(&reader, &token, NULL) == LOOM_OK)
		loom_json_decode(token.raw, &buf);
	loom_buf_fini(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = fuzz_text(data, size, 0);
	struct loom_buf once = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf twice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.status = LOOM_OK};
	cJSON *value = NULL;
	enum loom_status status = loom_json_parse(text, NULL, &value, &err);

	must(status == LOOM_OK || status == LOOM_INVALID || status == LOOM_LIMIT);
	must(status == LOOM_OK ? value != NULL : err.at <= size && err.text[0]);
	if (status == LOOM_OK || (status == LOOM_INVALID && !strstr(err.text, "twice") &&
				  !strstr(err.text, "out of range")))
		must(is_json(text) == (status == LOOM_OK));
	if (status == LOOM_OK) {
		loom_json_canonical(value, &once);
		cJSON_Delete(value);
		must(loom_json_parse(loom_buf_str(&once), NULL, &value, NULL) == LOOM_OK);
		loom_json_canonical(value, &twice);
		must(loom_str_eq(loom_buf_str(&once), loom_buf_str(&twice)));
		cJSON_Delete(value);
	}
	walk(text);
	loom_buf_fini(&once);
	loom_buf_fini(&twice);
	return 0;
}
