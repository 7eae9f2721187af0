/* The list under a seal: written by the export, consulted by the import. */
#include <loom/grove/seal_list.h>

#include <loom/base/jval.h>

/* ---- digests ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Returns the length of the string that begins at `at`, quotes included. */
static size_t string_length(struct loom_str json, size_t at)
{
	size_t end = at + 1;

	LOOM_ASSERT(at < json.n && json.p[at] == '"');
	while (end < json.n && json.p[end] != '"')
		end += json.p[end] == '\\' ? 2 : 1;
	return (end < json.n ? end + 1 : json.n) - at;
}

static void add_string(struct loom_hasher *hasher, struct loom_str quoted)
{
	struct loom_buf text = LOOM_BUF_INIT(SIZE_MAX / 4);
	struct loom_buf spelled = LOOM_BUF_INIT(SIZE_MAX / 4);

	if (quoted.n < 2 || !memchr(quoted.p, '\\', quoted.n)) {
		loom_hasher_add(hasher, quoted);
		return;
	}
	loom_json_decode(loom_str_sub(quoted, 1, quoted.n - 2), &text);
	loom_json_canonical_text(loom_buf_str(&text), &spelled);
	loom_hasher_add(hasher, loom_buf_str(&spelled));
	loom_buf_fini(&spelled);
	loom_buf_fini(&text);
}

struct loom_hash model_sealed_digest(enum model_sealed kind, const struct loom_ulid *tree,
				     struct loom_str json)
{
	struct loom_hasher *hasher = loom_hasher_create();
	const char letter = (char)('a' + (int)kind);
	size_t at = 0;

	loom_hasher_add(hasher, loom_str_make(&letter, 1));
	if (tree)
		loom_hasher_add(hasher,
				loom_str_make((const char *)tree->bytes, sizeof tree->bytes));
	while (at < json.n) {
		const size_t from = at;

		if (json.p[at] == '"') {
			at += string_length(json, at);
			add_string(hasher, loom_str_sub(json, from, at - from));
			continue;
		}
		while (at < json.n && json.p[at] != '"' && !is_blank(json.p[at]))
			at++;
		loom_hasher_add(hasher, loom_str_sub(json, from, at - from));
		while (at < json.n && is_blank(json.p[at]))
			at++;
	}
	return loom_hasher_finish(hasher);
}

/* ---- the list ---- */

enum { DIGEST = sizeof(struct loom_hash), PIECE = 1024 * DIGEST };

void model_seal_list_init(struct model_seal_list *list)
{
	list->count = 0;
	loom_buf_init(&list->digests, SIZE_MAX / 4);
}

void model_seal_list_fini(struct model_seal_list *list)
{
	loom_buf_fini(&list->digests);
	list->count = 0;
}

void model_seal_list_add(struct model_seal_list *list, const struct loom_hash *digest)
{
	LOOM_ASSERT(list->digests.n == list->count * DIGEST);
	loom_buf_add(&list->digests, loom_str_make((const char *)digest->bytes, DIGEST));
	list->count++;
}

static struct loom_str hash_bytes(const struct loom_hash *hash)
{
	return loom_str_make((const char *)hash->bytes, sizeof hash->bytes);
}

static void put_bytes(struct loom_json *json, const char *key, const void *bytes, size_t n)
{
	struct loom_buf text = LOOM_BUF_INIT(SIZE_MAX / 4);

	loom_base64url(loom_str_make(bytes, n), &text);
	if (key)
		loom_json_put(json, key, loom_buf_str(&text));
	else
		loom_json_text(json, loom_buf_str(&text));
	loom_buf_fini(&text);
}

enum loom_status model_seal_list_write(const struct model_seal_list *list, struct loom_store *store,
				       struct loom_buf *out, struct loom_err *err)
{
	const struct loom_str digests = loom_buf_str(&list->digests);
	const struct loom_hash what = loom_sha256(digests);
	struct loom_seal seal;
	struct loom_json json;
	enum loom_status status = loom_seal_make(store, hash_bytes(&what), &seal, err);

	LOOM_ASSERT(digests.n == list->count * DIGEST);
	if (status != LOOM_OK)
		return status;
	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_put_int(&json, "version", 1);
	put_bytes(&json, "key", seal.key, sizeof seal.key);
	put_bytes(&json, "signature", seal.signature, sizeof seal.signature);
	loom_json_key(&json, "list");
	loom_json_array(&json);
	for (size_t at = 0; at < digests.n; at += PIECE) {
		const struct loom_str piece = loom_str_sub(digests, at, PIECE);

		put_bytes(&json, NULL, piece.p, piece.n);
	}
	loom_json_end_array(&json);
	loom_json_end_object(&json);
	return LOOM_OK;
}

/* ---- reading a list ---- */

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, DIGEST);
}

static bool read_bytes(struct loom_str value, void *out, size_t n)
{
	struct loom_buf bytes = LOOM_BUF_INIT(1 << 10);
	struct loom_arena *arena = loom_arena_create();
	const bool good = loom_unbase64url(loom_jval_text(value, arena), &bytes) && bytes.n == n;

	LOOM_ASSERT(out && n > 0);
	if (good)
		memcpy(out, bytes.p, n);
	loom_arena_destroy(arena);
	loom_buf_fini(&bytes);
	return good;
}

static bool read_list(struct loom_str list, struct loom_buf *out)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_arena *arena = loom_arena_create();
	struct loom_str piece;
	bool good = !walk.object;

	while (good && loom_jwalk_next(&walk, NULL, &piece)) {
		good = loom_unbase64url(loom_jval_text(piece, arena), out);
		loom_arena_reset(arena);
	}
	loom_arena_destroy(arena);
	return good && out->n && out->n % DIGEST == 0 && !out->bad;
}

bool model_seal_read(struct loom_str json, struct model_seal_read *out)
{
	int64_t version = 0;

	*out = (struct model_seal_read){.list = {.count = 0}};
	model_seal_list_init(&out->list);
	if (!loom_jval_int(loom_jval_get(json, "version"), &version) || version != 1 ||
	    !read_bytes(loom_jval_get(json, "key"), out->seal.key, sizeof out->seal.key) ||
	    !read_bytes(loom_jval_get(json, "signature"), out->seal.signature,
			sizeof out->seal.signature) ||
	    !read_list(loom_jval_get(json, "list"), &out->list.digests))
		return false;
	out->what = loom_sha256(loom_buf_str(&out->list.digests));
	out->list.count = out->list.digests.n / DIGEST;
	qsort(out->list.digests.p, out->list.count, DIGEST, by_bytes);
	return true;
}

bool model_seal_has(const struct model_seal_read *read, const struct loom_hash *digest)
{
	LOOM_ASSERT(read->list.count * DIGEST <= read->list.digests.n);
	return read->list.count &&
	       bsearch(digest->bytes, read->list.digests.p, read->list.count, DIGEST, by_bytes);
}
