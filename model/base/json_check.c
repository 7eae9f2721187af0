/* Checks a whole document, duplicate keys included, and builds cJSON from checked text.
 *
 * The keys of all open objects lie on one stack, eight bytes each. When a large object ends its
 * keys are hashed and sorted in place, so even a map of a million keys needs no further memory. */
#include <loom/base/json.h>

#include <math.h>

#include <loom/base/jval.h>
#include <loom/base/sort.h>
#include <loom/base/utf8.h>

enum { FEW = 16, KEYS_MAX = 10000000 };

/* A key: where its quoted name begins and its length without quotes. Kept small, as there may be
 * millions. */
struct key {
	uint32_t at;
	uint32_t escaped : 1;
	uint32_t size : 31;
};

struct loom_json_keys {
	struct loom_str text;
	struct loom_pages *pages; /* the reader's */
	struct key *keys;
	size_t count;
	size_t cap;
	size_t *first; /* where an open object's keys begin, by depth */
	size_t depth_cap;
};

struct loom_json_keys *loom_json_keys_create(void)
{
	return loom_alloc(sizeof(struct loom_json_keys));
}

void loom_json_keys_destroy(struct loom_json_keys *keys)
{
	if (!keys)
		return;
	free(keys->keys);
	free(keys->first);
	free(keys);
}

static enum loom_status refuse_keys(size_t at, enum loom_status status, const char *what,
				    struct loom_err *err)
{
	loom_fail(err, status, "JSON, byte %zu: %s", at, what);
	if (err)
		err->at = at;
	return status;
}

static enum loom_status push_key(struct loom_json_keys *keys, const struct loom_json_token *token,
				 struct loom_err *err)
{
	if (keys->count == KEYS_MAX || token->at > UINT32_MAX || token->raw.n > INT32_MAX) {
		refuse_keys(token->at, LOOM_LIMIT, "more than ten million keys in one object", err);
		return loom_hint(err, LOOM_LIMIT, "split it into several files");
	}
	if (keys->count == keys->cap) {
		keys->cap = keys->cap ? keys->cap * 2 : 64;
		keys->keys = loom_realloc(keys->keys, keys->cap, sizeof *keys->keys);
	}
	LOOM_ASSERT(keys->count < keys->cap);
	keys->keys[keys->count++] = (struct key){.at = (uint32_t)token->at,
						 .escaped = token->escaped,
						 .size = (uint32_t)token->raw.n & INT32_MAX};
	return LOOM_OK;
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

/* Returns the decoded name; uses `room` if it has escapes. */
static struct loom_str name_of(const struct loom_json_keys *keys, struct key key,
			       struct loom_buf *room)
{
	const struct loom_str raw = loom_str_sub(keys->text, key.at + 1, key.size);

	loom_pages_touch(keys->pages, raw.p, raw.n);
	if (!key.escaped)
		return raw;
	loom_buf_clear(room);
	loom_json_decode(raw, room);
	return loom_buf_str(room);
}

static enum loom_status refuse_twice(const struct loom_json_keys *keys, struct key key,
				     struct loom_err *err)
{
	struct loom_buf room = LOOM_BUF_INIT(SIZE_MAX / 4);
	struct loom_str shown = loom_utf8_clip(name_of(keys, key, &room), 64);

	loom_fail(err, LOOM_INVALID, "JSON, byte %u: the key \"%.*s\" appears twice", key.at,
		  LOOM_STR_ARG(shown));
	if (err)
		err->at = key.at;
	loom_buf_fini(&room);
	return LOOM_INVALID;
}

static bool is_same_name(const struct loom_json_keys *keys, struct key a, struct key b)
{
	struct loom_buf rooms[2] = {LOOM_BUF_INIT(SIZE_MAX / 4), LOOM_BUF_INIT(SIZE_MAX / 4)};
	bool same = false;

	if (!a.escaped && !b.escaped)
		return a.size == b.size &&
		       memcmp(keys->text.p + a.at, keys->text.p + b.at, a.size + 1) == 0;
	same = loom_str_eq(name_of(keys, a, &rooms[0]), name_of(keys, b, &rooms[1]));
	loom_buf_fini(&rooms[0]);
	loom_buf_fini(&rooms[1]);
	return same;
}

/* Most objects have few keys: compare them directly. */
static enum loom_status check_few(const struct loom_json_keys *keys, const struct key *few,
				  size_t count, struct loom_err *err)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (is_same_name(keys, few[i], few[k]))
				return refuse_twice(keys, few[i], err);
	return LOOM_OK;
}

/* The seed includes the text's address, so that the author of a file cannot construct
 * collisions. */
static uint64_t hash_of(const struct loom_json_keys *keys, struct loom_str name)
{
	const uint64_t seed = (uint64_t)(uintptr_t)keys->text.p * 0x9E3779B97F4A7C15u | 1;
	uint64_t x = seed ^ name.n;

	for (size_t at = 0; at < name.n; at += sizeof x) {
		const size_t left = name.n - at;
		uint64_t word = 0;

		memcpy(&word, name.p + at, left < sizeof word ? left : sizeof word);
		x = (x ^ word) * 0xBF58476D1CE4E5B9u;
		x = (x ^ x >> 29) * seed;
		x ^= x >> 32;
	}
	return x * 0x94D049BB133111EBu;
}

/* Hashes each key, reusing the keys' own memory. */
static uint64_t *hash_each(const struct loom_json_keys *keys, struct key *many, size_t count)
{
	struct loom_buf room = LOOM_BUF_INIT(SIZE_MAX / 4);

	_Static_assert(sizeof *many == sizeof(uint64_t), "the hash replaces the key in place");
	for (size_t i = 0; i < count; i++) {
		const uint64_t hash = hash_of(keys, name_of(keys, many[i], &room));

		memcpy(&many[i], &hash, sizeof hash);
	}
	loom_buf_fini(&room);
	return (uint64_t *)(void *)many;
}

/* Finds the first duplicate among the keys from `at` on; there is one. Equal hashes count as equal
 * names: a collision is less likely than a hardware error. */
static enum loom_status find_twice(const struct loom_json_keys *keys, const uint64_t *sorted,
				   size_t count, size_t at, struct loom_err *err)
{
	struct loom_jwalk walk = {.rest = loom_str_sub(keys->text, at, SIZE_MAX), .object = true};
	struct loom_buf room = LOOM_BUF_INIT(SIZE_MAX / 4);
	uint8_t *seen = loom_alloc(count / 8 + 1);
	struct key key = {.at = (uint32_t)at};
	struct loom_str name = {NULL, 0};
	struct loom_str value = {NULL, 0};
	bool twice = false;

	while (!twice && loom_jwalk_next(&walk, &name, &value)) {
		size_t place = 0;

		key.at = (uint32_t)(name.p - keys->text.p);
		key.size = (uint32_t)(name.n - 2) & INT32_MAX;
		key.escaped = memchr(name.p, '\\', name.n) != NULL;
		place = loom_lower_u64(sorted, count, hash_of(keys, name_of(keys, key, &room)));
		twice = seen[place / 8] >> place % 8 & 1;
		seen[place / 8] |= (uint8_t)(1 << place % 8);
	}
	free(seen);
	loom_buf_fini(&room);
	return refuse_twice(keys, key, err);
}

static enum loom_status check_many(const struct loom_json_keys *keys, struct key *many,
				   size_t count, struct loom_err *err)
{
	const size_t at = many[0].at;
	uint64_t *hashes = hash_each(keys, many, count);

	loom_sort_u64(hashes, count);
	for (size_t i = 1; i < count; i++)
		if (hashes[i] == hashes[i - 1])
			return find_twice(keys, hashes, count, at, err);
	return LOOM_OK;
}

static enum loom_status check_keys(struct loom_json_keys *keys, size_t depth, struct loom_err *err)
{
	const size_t first = keys->first[depth];
	const size_t count = keys->count - first;

	LOOM_ASSERT(depth < keys->depth_cap && first <= keys->cap);
	keys->count = first;
	if (count < 2)
		return LOOM_OK;
	return count <= FEW ? check_few(keys, keys->keys + first, count, err)
			    : check_many(keys, keys->keys + first, count, err);
}

enum loom_status loom_json_keys_take(struct loom_json_keys *keys,
				     const struct loom_json_reader *reader,
				     const struct loom_json_token *token, struct loom_err *err)
{
	LOOM_ASSERT(reader->depth >= (token->kind == LOOM_JSON_OBJECT ? 1 : 0));
	keys->text = reader->text;
	keys->pages = reader->pages;
	if (token->kind == LOOM_JSON_OBJECT)
		open_object(keys, (size_t)reader->depth - 1);
	else if (token->kind == LOOM_JSON_KEY)
		return push_key(keys, token, err);
	else if (token->kind == LOOM_JSON_END_OBJECT)
		return check_keys(keys, (size_t)reader->depth, err);
	return LOOM_OK;
}

/* Refuses a number that is out of a double's range. */
static enum loom_status check_number(const struct loom_json_token *token, struct loom_err *err)
{
	char digits[64];

	if (loom_str_find_char(token->raw, 'e', 0) == SIZE_MAX &&
	    loom_str_find_char(token->raw, 'E', 0) == SIZE_MAX)
		return LOOM_OK;
	snprintf(digits, sizeof digits, "%.*s", LOOM_STR_ARG(token->raw));
	if (isfinite(strtod(digits, NULL)))
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "JSON, byte %zu: a number out of range", token->at);
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
