/* Helpers for readers: decoding strings, parsing times, keeping unknown members, and dropping
 * secrets. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <loom/base/utf8.h>

#include <loom/import/frame.h>

/* The limit of what is kept beside a node, since both must fit into one row. */
#define KEPT_MAX ((size_t)32 << 20)

struct loom_arena *import_scratch(struct loom_import *import)
{
	return import->scratch;
}

struct loom_split import_split(const struct loom_import *import)
{
	return import->opts.split;
}

struct loom_arena *import_kept(struct loom_import *import)
{
	return import->arena;
}

struct loom_pages *import_pages(const struct loom_import *import)
{
	return import->pages;
}

struct loom_str import_string(struct loom_import *import, struct loom_str value)
{
	struct loom_buf plain = LOOM_BUF_INIT_ON(SIZE_MAX / 4, import->pages);
	struct loom_str out;

	if (loom_jval_type(value) != LOOM_JTYPE_STRING || value.n < 2)
		return loom_str_make("", 0);
	value = loom_str_sub(value, 1, value.n - 2);
	if (!value.n || !memchr(value.p, '\\', value.n))
		return value;
	loom_json_decode(value, &plain);
	out = loom_arena_buf(import->scratch, &plain);
	loom_buf_fini(&plain);
	return out;
}

/* Whether a key (with its quotes) is this word. Keys with escapes are rare and take the slow
 * path. */
static bool is_key(struct loom_str key, const char *word)
{
	const size_t n = key.n - 2;

	if (strnlen(word, n + 1) == n && !memcmp(key.p + 1, word, n))
		return true;
	return memchr(key.p, '\\', key.n) && loom_jval_says(key, loom_str_of(word));
}

bool import_pick(struct loom_str object, const char *const *keys, size_t count,
		 struct loom_str *out)
{
	return import_pick_large(NULL, object, keys, count, out);
}

bool import_pick_large(const struct loom_jspans *large, struct loom_str object,
		       const char *const *keys, size_t count, struct loom_str *out)
{
	struct loom_jwalk walk = loom_jval_walk_over(object, large);
	struct loom_str key;
	struct loom_str value;
	bool more = false;

	for (size_t i = 0; i < count; i++)
		out[i] = loom_str_make(NULL, 0);
	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		bool taken = false;

		for (size_t i = 0; i < count; i++) {
			if (out[i].p || keys[i][0] != key.p[1] || !is_key(key, keys[i]))
				continue;
			out[i] = value;
			taken = true;
		}
		more |= !taken;
	}
	return more;
}

struct loom_str import_text(struct loom_import *import, struct loom_str object, const char *key)
{
	return import_string(import, loom_jval_get(object, key));
}

/* ---- repair ---- */

static size_t surrogate_here(struct loom_str s, size_t at)
{
	return s.n - at >= 3 && (uint8_t)s.p[at] == 0xED && ((uint8_t)s.p[at + 1] & 0xE0) == 0xA0 &&
			       ((uint8_t)s.p[at + 2] & 0xC0) == 0x80
		       ? 3
		       : 0;
}

bool import_text_repair(struct loom_str text, struct loom_buf *out, bool *out_surrogates)
{
	size_t bad = 0;
	size_t at = 0;

	*out_surrogates = false;
	if (loom_utf8_valid(text, &bad))
		return false;
	loom_buf_add(out, loom_str_sub(text, 0, bad));
	for (at = bad; at < text.n;) {
		size_t from = at;

		if (loom_utf8_next(text, &at) != LOOM_CP_BAD) {
			loom_buf_add(out, loom_str_sub(text, from, at - from));
			continue;
		}
		*out_surrogates |= surrogate_here(text, from) > 0;
		at = surrogate_here(text, from) ? from + 3 : at;
		loom_buf_adds(out, "\xEF\xBF\xBD");
	}
	return true;
}

struct loom_str import_text_as_is(struct loom_arena *arena, struct loom_str text)
{
	struct loom_buf clean = LOOM_BUF_INIT(SIZE_MAX / 4);
	bool surrogates = false;
	struct loom_str out = text;

	if (import_text_repair(text, &clean, &surrogates))
		out = loom_arena_buf(arena, &clean);
	loom_buf_fini(&clean);
	return out;
}

/* Whether the text is already a clean line, as nearly all names are. */
static bool is_plain_line(struct loom_str text, size_t max)
{
	if (text.n > max || text.p[0] == ' ' || text.p[text.n - 1] == ' ')
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < 0x20 || text.p[i] > 0x7E)
			return false;
	return true;
}

struct loom_str import_text_line(struct loom_arena *arena, struct loom_str text, size_t max)
{
	struct loom_buf clean = LOOM_BUF_INIT(SIZE_MAX / 4);
	bool surrogates = false;
	struct loom_str out;

	if (!text.n)
		return loom_str_make("", 0);
	if (is_plain_line(text, max))
		return loom_arena_str(arena, text);
	text = loom_str_sub(text, 0, max * 4);
	if (!import_text_repair(text, &clean, &surrogates))
		loom_buf_add(&clean, text);
	for (size_t i = 0; i < clean.n; i++)
		if ((uint8_t)clean.p[i] < 0x20 || clean.p[i] == 0x7F)
			clean.p[i] = ' ';
	out = loom_str_trim(loom_utf8_clip(loom_str_trim(loom_buf_str(&clean)), max));
	out = loom_arena_str(arena, out);
	loom_buf_fini(&clean);
	return out;
}

/* ---- times ---- */

/* Parses "2021-05-03-14.22.31", a local time without a zone. It is taken as UTC, so that a file
 * gives the same result everywhere. */
static bool dotted_time(struct loom_str text, int64_t *out_ms)
{
	char room[32];
	struct tm tm = {.tm_isdst = -1};
	int used = 0;

	if (text.n < 19 || text.n >= sizeof room)
		return false;
	memcpy(room, text.p, text.n);
	room[text.n] = '\0';
	if (sscanf(room, "%4d-%2d-%2d-%2d.%2d.%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &used) != 6 ||
	    used < 19)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*out_ms = (int64_t)timegm(&tm) * 1000;
	return true;
}

/* Parses "2024-01-02 03:04:05": RFC 3339 with a blank, often without a zone. */
static bool spaced_time(struct loom_str text, int64_t *out_ms)
{
	char room[48];

	if (text.n < 19 || text.n > 40 || (text.p[10] != ' ' && text.p[10] != 'T'))
		return false;
	memcpy(room, text.p, text.n);
	room[10] = 'T';
	room[text.n] = 'Z';
	return loom_time_parse(loom_str_make(room, text.n), out_ms) ||
	       loom_time_parse(loom_str_make(room, text.n + 1), out_ms);
}

/* Seconds until the year 5138, milliseconds from 1973 on, microseconds and nanoseconds above
 * that. */
static int64_t time_of_number(double n)
{
	if (!isfinite(n) || n <= 0)
		return 0;
	if (n < 1e11)
		n *= 1000;
	while (n > 1e14)
		n /= 1000;
	return (int64_t)llround(n);
}

int64_t import_time_of(struct loom_str value)
{
	int64_t ms = 0;
	double n = 0;
	char room[64];
	char *end = NULL;

	if (loom_jval_real(value, &n))
		return time_of_number(n);
	if (loom_jval_type(value) != LOOM_JTYPE_STRING || value.n < 2 || value.n > sizeof room)
		return 0;
	value = loom_str_trim(loom_str_sub(value, 1, value.n - 2));
	/* The usual form. */
	if (value.n > 4 && value.p[4] == '-' && loom_time_parse(value, &ms))
		return ms > 0 ? ms : 0;
	memcpy(room, value.p, value.n);
	room[value.n] = '\0';
	n = strtod(room, &end);
	if (value.n && end == room + value.n)
		return time_of_number(n);
	if (loom_time_parse(value, &ms) || dotted_time(value, &ms) || spaced_time(value, &ms))
		return ms > 0 ? ms : 0;
	return 0;
}

int64_t import_time(struct loom_import *import, struct loom_str value)
{
	const int64_t ms = import_time_of(value);

	if (!ms)
		import_no_time(import, value);
	return ms;
}

/* An empty value and zero mean that the time is unknown. */
void import_no_time(struct loom_import *import, struct loom_str value)
{
	double n = 1;

	if (loom_jval_is_null(value) || value.n <= 2 || (loom_jval_real(value, &n) && n == 0))
		return;
	import_note(import, IMPORT_LOST, "a time that loom cannot parse: %.*s",
		    LOOM_STR_ARG(loom_utf8_clip(value, 60)));
}

/* ---- unknown members ---- */

/* Whether a word is in a list, separated by blanks or, where words contain blanks, by bars.
 * *out_types (nullable) gets the part after its colon, or "". */
static bool is_listed(const char *list, struct loom_str word, struct loom_str *out_types)
{
	struct loom_str rest = loom_str_of(list);
	struct loom_str one;
	const char between = list && strchr(list, '|') ? '|' : ' ';

	while (list && loom_str_cut(&rest, between, &one)) {
		const size_t colon = loom_str_find_char(one, ':', 0);

		if (!one.n || !loom_str_eq(loom_str_sub(one, 0, colon), word))
			continue;
		if (out_types)
			*out_types =
				loom_str_sub(one, colon == SIZE_MAX ? one.n : colon + 1, one.n);
		return true;
	}
	return false;
}

/* The row with this key; NULL if there is none. */
static const struct import_key *row_of(const struct import_fields *fields, struct loom_str key)
{
	for (size_t i = 0; i < fields->key_count; i++)
		if (loom_str_is(key, fields->keys[i].key))
			return &fields->keys[i];
	return NULL;
}

static bool is_used(const struct import_fields *fields, struct loom_str key)
{
	const struct import_key *row = row_of(fields, key);

	return row ? !row->kept : is_listed(fields->used, key, NULL);
}

static bool is_known(const struct import_fields *fields, struct loom_str key)
{
	const struct import_key *row = row_of(fields, key);

	return row ? row->kept
		   : (fields->known && !strcmp(fields->known, "*")) ||
			       is_listed(fields->known, key, NULL);
}

/* The letters for types after a colon. */
static const char letters[] = {
	[LOOM_JTYPE_BOOL] = 'b',  [LOOM_JTYPE_NUMBER] = 'n', [LOOM_JTYPE_STRING] = 's',
	[LOOM_JTYPE_ARRAY] = 'a', [LOOM_JTYPE_OBJECT] = 'o',
};

bool import_is_strange(const struct import_fields *fields, const struct import_member *member)
{
	const struct import_key *row = row_of(fields, member->key);
	struct loom_str types = {NULL, 0};

	if (row)
		types = loom_str_of(row->types);
	else if (!is_listed(fields->used, member->key, &types))
		(void)is_listed(fields->known, member->key, &types);
	return types.n && !memchr(types.p, letters[loom_jval_type(member->value)], types.n);
}

static const char *name_of_type(struct loom_str value)
{
	static const char *const names[] = {
		[LOOM_JTYPE_NONE] = "nothing",       [LOOM_JTYPE_NULL] = "null",
		[LOOM_JTYPE_BOOL] = "true or false", [LOOM_JTYPE_NUMBER] = "a number",
		[LOOM_JTYPE_STRING] = "a string",    [LOOM_JTYPE_ARRAY] = "a list",
		[LOOM_JTYPE_OBJECT] = "an object",
	};

	return names[loom_jval_type(value)];
}

static void fold_key(struct loom_str key, char out[32])
{
	size_t n = 0;

	for (size_t i = 0; i < key.n && n < 31; i++) {
		char c = key.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			out[n++] = c;
	}
	out[n] = '\0';
}

/* Whether a key names a secret ("apiKey", "endpointAPIKey", "token", "password" …). */
static bool is_secret(struct loom_str key)
{
	static const char *const inside[] = {"apikey",     "accesstoken", "refreshtoken",
					     "secret",     "password",    "passwd",
					     "bearer",     "authtoken",   "privatekey",
					     "credential", "sessiontoken"};
	static const char *const whole[] = {"auth", "authorization", "cookie", "openaikey",
					    "hordekey"};
	char folded[32];

	fold_key(key, folded);
	for (size_t i = 0; i < LOOM_COUNT(inside); i++)
		if (strstr(folded, inside[i]))
			return true;
	for (size_t i = 0; i < LOOM_COUNT(whole); i++)
		if (!strcmp(folded, whole[i]))
			return true;
	return false;
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || c == '.';
}

/* Whether a URL contains credentials: "http://name:word@host.example". */
static bool has_userinfo(struct loom_str text)
{
	const size_t from = loom_str_find(text, LOOM_STR("://"), 0);
	struct loom_str host;
	size_t colon;

	if (from == SIZE_MAX || from > 10)
		return false;
	host = loom_str_sub(text, from + 3, text.n);
	for (size_t i = 0; i < host.n; i++)
		if (host.p[i] == '/' || host.p[i] == '?' || host.p[i] == '#' || host.p[i] == ' ')
			host.n = i;
	colon = loom_str_find_char(host, ':', 0);
	return colon != SIZE_MAX && loom_str_find_char(host, '@', colon) != SIZE_MAX;
}

/* Whether a string looks like a provider's API key, whatever its name. */
static bool is_secret_shape(struct loom_str text)
{
	static const char *const begins[] = {"sk-",  "ghp_", "gho_",  "ghs_",   "github_pat_",
					     "hf_",  "gsk_", "xoxb-", "xoxp-",  "AIza",
					     "AKIA", "r8_",  "pplx-", "glpat-", "Bearer "};

	for (size_t i = 0; i < LOOM_COUNT(begins); i++) {
		const struct loom_str begin = loom_str_of(begins[i]);
		size_t at = begin.n;

		if (!loom_str_starts(text, begin))
			continue;
		while (at < text.n && is_word_char(text.p[at]))
			at++;
		return at == text.n && at >= begin.n + 16;
	}
	return has_userinfo(text);
}

/* An empty value or a number is no secret, and neither is a list of tokens: pyloom's are words. */
static bool holds_secret(struct loom_str key, struct loom_str value)
{
	const enum loom_jtype type = loom_jval_type(value);

	if (type == LOOM_JTYPE_OBJECT || type == LOOM_JTYPE_ARRAY)
		return is_secret(key) && loom_jval_count(value);
	if (type != LOOM_JTYPE_STRING || value.n <= 2)
		return false;
	value = loom_str_sub(value, 1, value.n - 2);
	/* A string that contains JSON. */
	if (loom_str_starts(value, LOOM_STR("\\\"")) && loom_str_ends(value, LOOM_STR("\\\"")) &&
	    value.n > 4)
		value = loom_str_sub(value, 2, value.n - 4);
	if (is_secret(key) || is_secret_shape(value))
		return true;
	return (loom_str_eq_fold(loom_str_sub(key, key.n < 5 ? 0 : key.n - 5, key.n),
				 LOOM_STR("token")) ||
		loom_str_eq_fold(key, LOOM_STR("key"))) &&
	       value.n >= 18 && !memchr(value.p, ' ', value.n);
}

static void keep_scalar(struct loom_import *import, struct loom_str raw, struct loom_buf *out)
{
	bool surrogates = false;

	if (raw.n && (raw.p[0] == 'N' || raw.p[0] == 'I' || loom_str_starts(raw, LOOM_STR("-I")))) {
		import_note(import, IMPORT_REPAIRED,
			    "%.*s, which is not a JSON number, became null", LOOM_STR_ARG(raw));
		loom_buf_adds(out, "null");
	} else if (raw.n && raw.p[0] == '"' && !import_text_repair(raw, out, &surrogates))
		loom_buf_add(out, raw);
	else if (raw.n && raw.p[0] != '"')
		loom_buf_add(out, raw);
}

/* JSON does not allow raw control bytes in strings. */
static void keep_string(struct loom_import *import, struct loom_str raw, struct loom_buf *out)
{
	for (size_t i = 0; i < raw.n; i++)
		if ((uint8_t)raw.p[i] < 0x20) {
			struct loom_buf plain = LOOM_BUF_INIT_ON(SIZE_MAX / 4, import->pages);

			loom_json_decode(loom_str_sub(raw, 1, raw.n - 2), &plain);
			loom_json_quote(loom_buf_str(&plain), out);
			loom_buf_fini(&plain);
			return;
		}
	keep_scalar(import, raw, out);
}

static bool needs_comma(const struct loom_buf *out)
{
	char last = out->n ? out->p[out->n - 1] : '\0';

	return last != '{' && last != '[' && last != ':' && last != '\0';
}

/* Whether the member with this key holds a secret; then skips it. A structure counts as secret only
 * if its own key says so, which is checked once. */
static bool pass_secret(struct loom_json_reader *reader, struct loom_str key)
{
	struct loom_json_token value = {.kind = LOOM_JSON_NULL};
	struct loom_str whole = {NULL, 0};

	if (loom_json_read(reader, &value, NULL) != LOOM_OK)
		return false;
	if (value.kind == LOOM_JSON_TEXT)
		return holds_secret(key, loom_str_make(value.raw.p - 1, value.raw.n + 2));
	return (value.kind == LOOM_JSON_OBJECT || value.kind == LOOM_JSON_ARRAY) &&
	       is_secret(key) && loom_json_skip(reader, &value, &whole, NULL) == LOOM_OK &&
	       holds_secret(key, whole);
}

/* Copies one token, skipping members with secrets. */
static void keep_token(struct loom_import *import, struct loom_json_reader *reader,
		       const struct loom_json_token *token, struct loom_buf *out)
{
	struct loom_json_reader ahead = *reader;

	if (token->kind == LOOM_JSON_END_OBJECT || token->kind == LOOM_JSON_END_ARRAY) {
		loom_buf_add(out, token->raw);
		return;
	}
	if (token->kind == LOOM_JSON_KEY && pass_secret(&ahead, token->raw)) {
		import_note(import, IMPORT_SECRET, "\"%.*s\"", LOOM_STR_ARG(token->raw));
		*reader = ahead;
		return;
	}
	if (needs_comma(out))
		loom_buf_addc(out, ',');
	if (token->kind == LOOM_JSON_KEY || token->kind == LOOM_JSON_TEXT)
		keep_string(import, loom_str_make(token->raw.p - 1, token->raw.n + 2), out);
	else
		keep_scalar(import, token->raw, out);
	if (token->kind == LOOM_JSON_KEY)
		loom_buf_addc(out, ':');
}

static void keep_inside(struct loom_import *import, struct loom_str value, struct loom_buf *out)
{
	struct import_pull *pull = loom_alloc(sizeof *pull);
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};

	import_pull_init(pull, import, value);
	while (loom_json_read(&pull->reader, &token, NULL) == LOOM_OK &&
	       token.kind != LOOM_JSON_DONE)
		keep_token(import, &pull->reader, &token, out);
	free(pull);
}

void import_keep(struct loom_import *import, struct loom_str value, struct loom_buf *out)
{
	struct loom_buf kept = LOOM_BUF_INIT_ON(SIZE_MAX / 4, import->pages);
	enum loom_jtype type = loom_jval_type(value);

	if (type == LOOM_JTYPE_OBJECT || type == LOOM_JTYPE_ARRAY)
		keep_inside(import, value, &kept);
	else if (type == LOOM_JTYPE_STRING)
		keep_string(import, value, &kept);
	else
		keep_scalar(import, value, &kept);
	loom_buf_add(out, loom_buf_str(&kept));
	loom_buf_fini(&kept);
}

void import_keep_id(struct loom_import *import, const char *what, struct loom_str id,
		    struct loom_str within, struct loom_buf *out)
{
	if (!within.n || loom_str_eq(within, id))
		return;
	import_note(import, IMPORT_NOT_UNDERSTOOD, "%s field \"id\" that differs from its key",
		    what);
	loom_buf_adds(out, out->n > 1 ? ",\"id\":" : "\"id\":");
	loom_json_quote(within, out);
}

static bool is_nothing(struct loom_str value)
{
	return loom_jval_is_null(value) || loom_str_is(value, "\"\"") || loom_str_is(value, "[]") ||
	       loom_str_is(value, "{}");
}

/* Whether the reader takes all of a member. */
static bool is_taken(const struct import_fields *fields, const struct import_member *member)
{
	return is_nothing(member->value) ||
	       (is_used(fields, member->key) && !import_is_strange(fields, member));
}

/* Notes a member that is not taken, unless the reader knows it. */
static void note_member(struct loom_import *import, const struct import_member *member,
			const struct import_fields *fields)
{
	if (import_is_strange(fields, member))
		import_note(import, IMPORT_NOT_UNDERSTOOD, "%s field \"%.*s\" as %s", fields->where,
			    LOOM_STR_ARG(member->key), name_of_type(member->value));
	else if (!is_known(fields, member->key))
		import_note(import, IMPORT_NOT_UNDERSTOOD, "%s field \"%.*s\"", fields->where,
			    LOOM_STR_ARG(member->key));
}

void import_take(struct loom_str object, const struct import_fields *fields,
		 struct loom_str out[IMPORT_TO_MAX])
{
	struct loom_jwalk walk = loom_jval_walk(object);
	size_t ranks[IMPORT_TO_MAX];
	struct loom_str key;
	struct import_member member;

	for (size_t i = 0; i < IMPORT_TO_MAX; i++) {
		out[i] = (struct loom_str){NULL, 0};
		ranks[i] = SIZE_MAX;
	}
	while (walk.object && loom_jwalk_next(&walk, &key, &member.value)) {
		const struct import_key *row = NULL;
		size_t rank = 0;

		member.key = loom_str_sub(key, 1, key.n - 2);
		row = row_of(fields, member.key);
		if (!row)
			continue;
		LOOM_ASSERT(row->to && row->to < IMPORT_TO_MAX);
		rank = (size_t)(row - fields->keys);
		if (is_nothing(member.value) || import_is_strange(fields, &member))
			rank += fields->key_count;
		if (rank >= ranks[row->to])
			continue;
		ranks[row->to] = rank;
		out[row->to] = member.value;
	}
}

void import_rest_member(struct loom_import *import, const struct import_member *member,
			const struct import_fields *fields, struct loom_buf *out)
{
	if (is_taken(fields, member))
		return;
	if (holds_secret(member->key, member->value)) {
		import_note(import, IMPORT_SECRET, "\"%.*s\"", LOOM_STR_ARG(member->key));
		return;
	}
	if (out->n + member->key.n + member->value.n > KEPT_MAX) {
		import_note(import, IMPORT_LOST, "%s field past the first %zu MiB of them",
			    fields->where, KEPT_MAX >> 20);
		return;
	}
	note_member(import, member, fields);
	if (needs_comma(out))
		loom_buf_addc(out, ',');
	keep_string(import, loom_str_make(member->key.p - 1, member->key.n + 2), out);
	loom_buf_addc(out, ':');
	import_keep(import, member->value, out);
}

void import_rest(struct loom_import *import, struct loom_str object,
		 const struct import_fields *fields, struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str key;
	struct loom_str value;

	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		struct import_member member = {loom_str_sub(key, 1, key.n - 2), value};

		import_rest_member(import, &member, fields, out);
	}
}

void import_rest_as(struct loom_import *import, const char *key, struct loom_str object,
		    const struct import_fields *fields, struct loom_buf *out)
{
	struct loom_buf inside = LOOM_BUF_INIT_ON(SIZE_MAX / 4, import->pages);

	import_rest(import, object, fields, &inside);
	if (inside.n) {
		if (needs_comma(out))
			loom_buf_addc(out, ',');
		loom_json_quote(loom_str_of(key), out);
		loom_buf_adds(out, ":{");
		loom_buf_add(out, loom_buf_str(&inside));
		loom_buf_addc(out, '}');
	}
	loom_buf_fini(&inside);
}

bool import_unsaid(struct loom_import *import, struct loom_str object,
		   const struct import_fields *fields)
{
	struct loom_jwalk walk = loom_jval_walk(object);
	struct loom_str key;
	struct loom_str value;
	bool any = false;

	while (walk.object && loom_jwalk_next(&walk, &key, &value)) {
		struct import_member member = {loom_str_sub(key, 1, key.n - 2), value};

		if (is_taken(fields, &member))
			continue;
		note_member(import, &member, fields);
		any = true;
	}
	return any;
}

bool import_is_odd(struct loom_import *import, const char *what, struct loom_str value,
		   const char *types)
{
	if (loom_jval_is_null(value) || strchr(types, letters[loom_jval_type(value)]))
		return false;
	import_note(import, IMPORT_NOT_UNDERSTOOD, "%s as %s", what, name_of_type(value));
	return true;
}
