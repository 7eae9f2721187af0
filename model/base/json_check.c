/* The whole check of a document, duplicate keys too, and the way from checked text to cJSON.
 *
 * The keys of all open objects lie on one stack; when an object ends, its keys are sorted, so that
 * a map of a hundred thousand keys costs no more than its sorting. */
#include <loom/base/json.h>

#include <math.h>

#include <loom/base/arena.h>
#include <loom/base/utf8.h>

#define FEW 16

struct key {
	struct loom_str name; /* decoded */
	size_t at;
};

struct loom_json_keys {
	struct loom_arena *arena; /* decoded names */
	struct key *keys;
	size_t count;
	size_t cap;
	size_t *first; /* where an open object's keys begin, by its depth */
	size_t depth_cap;
};

struct loom_json_keys *loom_json_keys_create(void)
{
	struct loom_json_keys *keys = loom_alloc(sizeof *keys);

	keys->arena = loom_arena_create();
	return keys;
}

void loom_json_keys_destroy(struct loom_json_keys *keys)
{
	if (!keys)
		return;
	loom_arena_destroy(keys->arena);
	free(keys->keys);
	free(keys->first);
	free(keys);
}

static void push_key(struct loom_json_keys *keys, const struct loom_json_token *token)
{
	struct key key = {.name = token->raw, .at = token->at};

	if (token->escaped) {
		struct loom_buf buf = LOOM_BUF_INIT(token->raw.n);

		loom_json_decode(token->raw, &buf);
		key.name = loom_arena_buf(keys->arena, &buf);
		loom_buf_fini(&buf);
	}
	if (keys->count == keys->cap) {
		keys->cap = keys->cap ? keys->cap * 2 : 64;
		keys->keys = loom_realloc(keys->keys, keys->cap, sizeof *keys->keys);
	}
	LOOM_ASSERT(keys->count < keys->cap);
	keys->keys[keys->count++] = key;
}

static void open_object(struct loom_json_keys *keys, size_t depth)
{
	if (depth >= keys->depth_cap) {
		keys->depth_cap = depth * 2 + 64;
		keys->first = loom_realloc(keys->first, keys->depth_cap, sizeof *keys->first);
	}
	LOOM_ASSERT(depth < keys->depth_cap);
	keys->first[depth] = keys->count;
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a;
	const struct key *y = b;
	int order = loom_str_cmp(x->name, y->name);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static enum loom_status refuse_twice(const struct key *key, struct loom_err *err)
{
	struct loom_str shown = loom_utf8_clip(key->name, 64);

	loom_fail(err, LOOM_INVALID, "JSON, byte %zu: the key \"%.*s\" stands twice", key->at,
		  LOOM_STR_ARG(shown));
	if (err)
		err->at = key->at;
	return LOOM_INVALID;
}

/* The few keys that most objects have are compared as they stand. */
static enum loom_status check_few(const struct key *keys, size_t count, struct loom_err *err)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (loom_str_eq(keys[i].name, keys[k].name))
				return refuse_twice(&keys[i], err);
	return LOOM_OK;
}

static enum loom_status check_keys(struct loom_json_keys *keys, size_t depth, struct loom_err *err)
{
	size_t first = keys->first[depth];
	size_t count = keys->count - first;
	struct key *all = NULL;

	LOOM_ASSERT(depth < keys->depth_cap && first <= keys->cap);
	keys->count = first;
	if (count < 2)
		return LOOM_OK;
	all = keys->keys + first;
	if (count <= FEW)
		return check_few(all, count, err);
	qsort(all, count, sizeof *all, compare_keys);
	for (size_t i = 1; i < count; i++)
		if (loom_str_eq(all[i].name, all[i - 1].name))
			return refuse_twice(&all[i], err);
	return LOOM_OK;
}

enum loom_status loom_json_keys_take(struct loom_json_keys *keys,
				     const struct loom_json_reader *reader,
				     const struct loom_json_token *token, struct loom_err *err)
{
	LOOM_ASSERT(reader->depth >= (token->kind == LOOM_JSON_OBJECT ? 1 : 0));
	if (token->kind == LOOM_JSON_OBJECT)
		open_object(keys, (size_t)reader->depth - 1);
	else if (token->kind == LOOM_JSON_KEY)
		push_key(keys, token);
	else if (token->kind == LOOM_JSON_END_OBJECT)
		return check_keys(keys, (size_t)reader->depth, err);
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

enum loom_status loom_json_check(struct loom_str text, const struct loom_json_limits *limits,
				 struct loom_err *err)
{
	struct loom_json_keys *keys = loom_json_keys_create();
	struct loom_json_reader reader;
	struct loom_json_token token = {.kind = LOOM_JSON_NULL};
	enum loom_status status = LOOM_OK;

	loom_json_read_init(&reader, text, limits);
	while (status == LOOM_OK && token.kind != LOOM_JSON_DONE) {
		status = loom_json_read(&reader, &token, err);
		if (status == LOOM_OK)
			status = loom_json_keys_take(keys, &reader, &token, err);
		if (status == LOOM_OK && token.kind == LOOM_JSON_NUMBER)
			status = check_number(&token, err);
	}
	loom_json_keys_destroy(keys);
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

	LOOM_ASSERT(out);
	if (!(number >= -most && number <= most) || number != floor(number))
		return false;
	*out = (int64_t)number;
	return true;
}

bool loom_json_int(const cJSON *object, const char *key, int64_t *out)
{
	return loom_json_whole(loom_json_get(object, key), out);
}
