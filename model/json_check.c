/* The whole check of a document, duplicate keys too, and the way from checked text to cJSON.
 *
 * The keys of all open objects lie on one stack; when an object ends, its keys are sorted, so that
 * a map of a hundred thousand keys costs no more than its sorting. */
#include <loom/json.h>

#include <math.h>

#include <loom/arena.h>
#include <loom/utf8.h>

struct key {
	struct loom_str name; /* decoded */
	size_t at;
};

struct checker {
	struct loom_json_reader reader;
	struct loom_arena *arena; /* decoded names */
	struct key *keys;
	size_t count;
	size_t cap;
	size_t first[LOOM_JSON_DEPTH_MAX]; /* where an open object's keys begin, by its depth */
};

static void push_key(struct checker *checker, const struct loom_json_token *token)
{
	struct key key = {.name = token->raw, .at = token->at};

	if (token->escaped) {
		struct loom_buf buf = LOOM_BUF_INIT(token->raw.n);

		loom_json_decode(token->raw, &buf);
		key.name = loom_arena_buf(checker->arena, &buf);
		loom_buf_fini(&buf);
	}
	if (checker->count == checker->cap) {
		checker->cap = checker->cap ? checker->cap * 2 : 64;
		checker->keys = loom_realloc(checker->keys, checker->cap, sizeof *checker->keys);
	}
	checker->keys[checker->count++] = key;
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a;
	const struct key *y = b;
	int order = loom_str_cmp(x->name, y->name);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static enum loom_status check_keys(struct checker *checker, struct loom_err *err)
{
	size_t first = checker->first[checker->reader.depth];
	size_t count = checker->count - first;
	struct key *keys = NULL;

	checker->count = first;
	if (count < 2)
		return LOOM_OK;
	keys = checker->keys + first;
	qsort(keys, count, sizeof *keys, compare_keys);
	for (size_t i = 1; i < count; i++) {
		struct loom_str shown = loom_utf8_clip(keys[i].name, 64);

		if (!loom_str_eq(keys[i].name, keys[i - 1].name))
			continue;
		loom_fail(err, LOOM_INVALID, "JSON, byte %zu: the key \"%.*s\" stands twice",
			  keys[i].at, LOOM_STR_ARG(shown));
		if (err)
			err->at = keys[i].at;
		return LOOM_INVALID;
	}
	return LOOM_OK;
}

/* A number that a double cannot even come near. */
static enum loom_status check_number(const struct loom_json_token *token, struct loom_err *err)
{
	char digits[64];

	if (loom_str_find_char(token->raw, 'e', 0) == SIZE_MAX &&
	    loom_str_find_char(token->raw, 'E', 0) == SIZE_MAX)
		return LOOM_OK;
	snprintf(digits, sizeof digits, "%.*s", LOOM_STR_ARG(token->raw));
	if (isfinite(strtod(digits, NULL)))
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "JSON, byte %zu: a number past all bounds", token->at);
	if (err)
		err->at = token->at;
	return LOOM_INVALID;
}

static enum loom_status check_token(struct checker *checker, const struct loom_json_token *token,
				    struct loom_err *err)
{
	if (token->kind == LOOM_JSON_OBJECT)
		checker->first[checker->reader.depth - 1] = checker->count;
	else if (token->kind == LOOM_JSON_KEY)
		push_key(checker, token);
	else if (token->kind == LOOM_JSON_END_OBJECT)
		return check_keys(checker, err);
	else if (token->kind == LOOM_JSON_NUMBER)
		return check_number(token, err);
	return LOOM_OK;
}

enum loom_status loom_json_check(struct loom_str text, const struct loom_json_limits *limits,
				 struct loom_err *err)
{
	struct checker *checker = loom_alloc(sizeof *checker);
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	enum loom_status status = LOOM_OK;

	checker->arena = loom_arena_create();
	loom_json_read_init(&checker->reader, text, limits);
	while (status == LOOM_OK && token.kind != LOOM_JSON_DONE) {
		status = loom_json_read(&checker->reader, &token, err);
		if (status == LOOM_OK)
			status = check_token(checker, &token, err);
	}
	loom_arena_destroy(checker->arena);
	free(checker->keys);
	free(checker);
	return status;
}

enum loom_status loom_json_parse(struct loom_str text, const struct loom_json_limits *limits,
				 cJSON **out, struct loom_err *err)
{
	enum loom_status status = loom_json_check(text, limits, err);

	*out = NULL;
	if (status != LOOM_OK)
		return status;
	*out = cJSON_ParseWithLength(text.p, text.n);
	if (!*out)
		return loom_fail(err, LOOM_FAULT, "cJSON refuses a text that passed the check");
	return LOOM_OK;
}

const cJSON *loom_json_get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

struct loom_str loom_json_str(const cJSON *object, const char *key)
{
	const cJSON *member = loom_json_get(object, key);

	return cJSON_IsString(member) ? loom_str_of(member->valuestring)
				      : (struct loom_str){NULL, 0};
}

bool loom_json_whole(const cJSON *value, int64_t *out)
{
	const double most = 9007199254740991.0;
	const double number = cJSON_IsNumber(value) ? value->valuedouble : NAN;

	if (!(number >= -most && number <= most) || number != floor(number))
		return false;
	*out = (int64_t)number;
	return true;
}

bool loom_json_int(const cJSON *object, const char *key, int64_t *out)
{
	return loom_json_whole(loom_json_get(object, key), out);
}
