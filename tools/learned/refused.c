/* Which member of a request a refusal is about. The name must be one of the request's own, and be
 * named as one: by a member of the error, in quotes, or beside a word like "parameter". A word of
 * plain English that happens to be a member's name is none. Pure. */
#include <loom/learned/server_words.h>

#include <ctype.h>
#include <strings.h>

#include <loom/base/jval.h>

/* Words that refuse a member itself; those behind them, only its value. */
static const char *const refusing[] = {
	"unsupported",        "not supported",     "not support",    "unrecognized",
	"unrecognised",       "unknown",           "unexpected",     "not permitted",
	"extra_forbidden",    "not allowed",       "is deprecated",  "forbidden",
	"not available",      "no longer",         "cannot be used", "cannot be specified",
	"not accept",         "invalid parameter", "not a valid",    "additional propert",
	"does not match any", "must be",           "invalid value",  "not be set",
	"only the default"};
static const char *const of_values[] = {"unsupported value", "invalid value",
					"must be",           "only the default",
					"supported values",  "does not match any",
					"unsupported_value"};

static bool has_fold(struct loom_str text, const char *word)
{
	const size_t n = strlen(word);

	for (size_t at = 0; at + n <= text.n; at++)
		if (strncasecmp(text.p + at, word, n) == 0)
			return true;
	return false;
}

static bool has_any(struct loom_str text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (has_fold(text, words[i]))
			return true;
	return false;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the word before `at` introduces a name. */
static bool introduced(struct loom_str text, size_t at)
{
	static const char *const leads[] = {
		"parameter", "parameter:",  "field",     "field:",    "argument",
		"argument:", "property",    "property:", "supplied:", "key",
		"option",    "parameters:", "inputs:",   "body."};
	const struct loom_str before = loom_str_trim(loom_str_sub(text, 0, at));

	for (size_t i = 0; i < LOOM_COUNT(leads); i++) {
		const size_t n = strlen(leads[i]);

		if (before.n >= n && strncasecmp(before.p + before.n - n, leads[i], n) == 0)
			return true;
	}
	return false;
}

/* Whether the occurrence at `at` names a member, rather than being a word of a sentence. */
static bool names(struct loom_str text, size_t at, size_t n)
{
	const char before = at ? text.p[at - 1] : ' ';
	const char after = at + n < text.n ? text.p[at + n] : ' ';
	const bool quoted = strchr("'\"`", before) && (strchr("'\"`.[", after) != NULL);

	if (is_name(before) || is_name(after) || before == '-' || after == '-')
		return false;
	if (memchr(text.p + at, '_', n) || quoted)
		return true;
	return introduced(text, at) || (after == ':' && (at == 0 || before == '.')) ||
	       (before == '.' && at >= 5 && strncasecmp(text.p + at - 5, "body.", 5) == 0);
}

static size_t find_named(struct loom_str text, struct loom_str name)
{
	for (size_t at = 0; (at = loom_str_find(text, name, at)) != SIZE_MAX; at++)
		if (names(text, at, name.n))
			return at;
	return SIZE_MAX;
}

/* A request is made of these; no server refuses one by mistake, and none can be left out. */
static bool is_whole(struct loom_str field)
{
	static const char *const needed[] = {"model", "messages", "prompt",
					     "input", "system",   "instructions"};

	for (size_t i = 0; i < LOOM_COUNT(needed); i++)
		if (loom_str_is(field, needed[i]))
			return true;
	return false;
}

struct looking {
	struct loom_str text;
	struct loom_arena *arena;
	struct loom_refused *out;
	size_t best;
};

/* The member named first is what the sentence is about. */
static void consider(struct looking *look, struct loom_str field, struct loom_str member)
{
	const size_t at = find_named(look->text, member.n ? member : field);

	if (at == SIZE_MAX || at >= look->best)
		return;
	look->best = at;
	look->out->field = field;
	look->out->member = member;
}

static void look_through(struct looking *look, struct loom_str request)
{
	const struct loom_str none = LOOM_STR_INIT("");
	struct loom_jwalk walk = loom_jval_walk(request);
	struct loom_str key;
	struct loom_str value;

	while (loom_jwalk_next(&walk, &key, &value)) {
		const struct loom_str field = loom_jval_text(key, look->arena);
		struct loom_jwalk within = loom_jval_walk(value);
		struct loom_str inner;
		struct loom_str rest;

		if (!field.n || is_whole(field))
			continue;
		consider(look, field, none);
		if (loom_jval_type(value) != LOOM_JTYPE_OBJECT)
			continue;
		while (loom_jwalk_next(&within, &inner, &rest))
			consider(look, field, loom_jval_text(inner, look->arena));
	}
}

/* The name that the error gives in a member of its own, if the request has it. */
static struct loom_str own_name(struct loom_str body, struct loom_arena *arena)
{
	static const char *const keys[] = {"param", "parameter", "field"};
	const struct loom_str document = loom_jval_of(body);
	const struct loom_str error = loom_jval_get(document, "error");

	for (size_t i = 0; i < LOOM_COUNT(keys); i++) {
		struct loom_str said = loom_jval_get(error, keys[i]);

		if (loom_jval_type(said) != LOOM_JTYPE_STRING)
			said = loom_jval_get(document, keys[i]);
		if (loom_jval_type(said) == LOOM_JTYPE_STRING)
			return loom_jval_text(said, arena);
	}
	return loom_str_make("", 0);
}

/* "stream_options.include_usage" names two. */
static bool take_own(struct loom_str request, struct loom_str name, struct loom_arena *arena,
		     struct loom_refused *out)
{
	const size_t dot = loom_str_find_char(name, '.', 0);
	const struct loom_str field = loom_str_sub(name, 0, dot);

	if (!field.n || is_whole(field) || !loom_jval_get(request, loom_arena_cstr(arena, field)).p)
		return false;
	out->field = field;
	out->member =
		dot == SIZE_MAX ? loom_str_make("", 0) : loom_str_sub(name, dot + 1, SIZE_MAX);
	return true;
}

bool loom_server_refuses(struct loom_str body, struct loom_str request, struct loom_arena *arena,
			 struct loom_refused *out)
{
	struct looking look = {.arena = arena, .out = out, .best = SIZE_MAX};
	struct loom_str text;

	*out = (struct loom_refused){.field = {NULL, 0}};
	out->words = look.text = loom_server_words(body, arena);
	text = loom_str_trim(body);
	if (!has_any(text, refusing, LOOM_COUNT(refusing)))
		return false;
	out->value = has_any(text, of_values, LOOM_COUNT(of_values));
	if (take_own(loom_jval_of(request), own_name(text, arena), arena, out))
		return true;
	look_through(&look, loom_jval_of(request));
	return look.best != SIZE_MAX;
}
