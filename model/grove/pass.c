/* Passes: {"served", "passes": [{"kind", "hash", "opens", "made", "comments", "commented"}]} in the
 * state folder of the person. */
#include <loom/grove/pass.h>

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/env.h>
#include <loom/base/json.h>
#include <loom/base/system.h>
#include <loom/files/state_file.h>

#define PASSES_BYTES ((size_t)1 << 20)
#define PASSES_MOST  1000
#define SECRET_BYTES 32
#define SECRET_CHARS 43

static const char *const kinds[] = {[LOOM_PASS_TOKEN] = "token", [LOOM_PASS_PAGE] = "page"};
/* The begin of a secret, by which people and programs that search for secrets know it. */
static const char *const begins[] = {[LOOM_PASS_TOKEN] = "loom_", [LOOM_PASS_PAGE] = ""};

void loom_pass_name(const struct loom_pass *pass, char out[LOOM_PASS_NAME + 1])
{
	struct loom_buf hex = LOOM_BUF_INIT(128);

	loom_hash_hex(&pass->hash, &hex);
	snprintf(out, LOOM_PASS_NAME + 1, "%s", loom_buf_cstr(&hex));
	loom_buf_fini(&hex);
}

/* ---- the file ---- */

static enum loom_status path_of(struct loom_store *store, struct loom_buf *out,
				struct loom_err *err)
{
	enum loom_status status = model_own_dir(store, out, err);

	loom_buf_adds(out, "/passes.json");
	return status;
}

/* Reads a pass; an entry that is not one opens nothing. */
static bool read_pass(const cJSON *entry, struct loom_pass *out)
{
	const struct loom_str kind = loom_json_str(entry, "kind");

	*out = (struct loom_pass){.kind = loom_str_is(kind, kinds[LOOM_PASS_PAGE])
						  ? LOOM_PASS_PAGE
						  : LOOM_PASS_TOKEN};
	(void)loom_json_int(entry, "made", &out->made);
	(void)loom_json_int(entry, "commented", &out->commented);
	out->comments = cJSON_IsTrue(loom_json_get(entry, "comments"));
	return loom_str_is(kind, kinds[out->kind]) &&
	       loom_unhex(loom_json_str(entry, "hash"), out->hash.bytes, sizeof out->hash.bytes) &&
	       loom_ulid_parse(loom_json_str(entry, "opens"), &out->opens);
}

static cJSON *list_of(cJSON *all)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(all, "passes");

	if (cJSON_IsArray(list))
		return list;
	cJSON_DeleteItemFromObjectCaseSensitive(all, "passes");
	return cJSON_AddArrayToObject(all, "passes");
}

/* Changes the list, or all of the file; its failure leaves the file alone. */
typedef enum loom_status change_fn(cJSON *list, cJSON *all, void *ctx, struct loom_err *err);

static enum loom_status change_locked(const char *path, change_fn *fn, void *ctx,
				      struct loom_err *err)
{
	cJSON *all = NULL;
	cJSON *list = NULL;
	enum loom_status status = model_json_load(path, PASSES_BYTES, &all, err);

	if (status == LOOM_OK)
		list = list_of(all);
	if (status == LOOM_OK)
		status = list ? fn(list, all, ctx, err)
			      : loom_fail(err, LOOM_FAULT, "out of memory");
	if (status == LOOM_OK)
		status = model_json_save(path, all, err);
	cJSON_Delete(all);
	return status;
}

static enum loom_status change(struct loom_store *store, change_fn *fn, void *ctx,
			       struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	int lock = -1;
	enum loom_status status = loom_store_own_dir(store, &path, err);

	LOOM_ASSERT(fn);
	loom_buf_clear(&path);
	if (status == LOOM_OK)
		status = path_of(store, &path, err);
	if (status == LOOM_OK)
		status = model_file_lock(loom_buf_cstr(&path), &lock, err);
	if (status == LOOM_OK)
		status = change_locked(loom_buf_cstr(&path), fn, ctx, err);
	if (lock >= 0)
		close(lock);
	loom_buf_fini(&path);
	return status;
}

/* ---- making ---- */

static enum loom_status add(cJSON *list, cJSON *all, void *ctx, struct loom_err *err)
{
	const struct loom_pass *pass = ctx;
	struct loom_buf hash = LOOM_BUF_INIT(128);
	char opens[LOOM_ULID_CHARS + 1];
	cJSON *entry = NULL;
	bool made = false;

	(void)all;
	if (cJSON_GetArraySize(list) >= PASSES_MOST) {
		loom_fail(err, LOOM_LIMIT, "there are %d tokens and page links already",
			  PASSES_MOST);
		return loom_hint(err, LOOM_LIMIT, "loom token revoke, loom page revoke");
	}
	loom_hash_hex(&pass->hash, &hash);
	loom_ulid_text(&pass->opens, opens);
	entry = cJSON_CreateObject();
	made = entry && cJSON_AddStringToObject(entry, "kind", kinds[pass->kind]) &&
	       cJSON_AddStringToObject(entry, "hash", loom_buf_cstr(&hash)) &&
	       cJSON_AddStringToObject(entry, "opens", opens) &&
	       cJSON_AddNumberToObject(entry, "made", (double)pass->made) &&
	       cJSON_AddBoolToObject(entry, "comments", pass->comments) &&
	       cJSON_AddNumberToObject(entry, "commented", 0) && cJSON_AddItemToArray(list, entry);
	loom_buf_fini(&hash);
	if (made)
		return LOOM_OK;
	cJSON_Delete(entry);
	return loom_fail(err, LOOM_FAULT, "out of memory; nothing was made");
}

enum loom_status loom_pass_make(struct loom_store *store, struct loom_pass *pass,
				struct loom_buf *out_secret, struct loom_err *err)
{
	uint8_t bytes[SECRET_BYTES];
	struct loom_buf secret = LOOM_BUF_INIT(256);
	enum loom_status status;

	LOOM_ASSERT((size_t)pass->kind < LOOM_COUNT(kinds));
	/* LOOM_SEED is for what may be known. */
	if (!model_random(bytes, sizeof bytes))
		return loom_fail(err, LOOM_FAULT, "the system has no randomness for a secret");
	loom_buf_adds(&secret, begins[pass->kind]);
	loom_base64url(loom_str_make((const char *)bytes, sizeof bytes), &secret);
	pass->hash = loom_sha256(loom_buf_str(&secret));
	pass->made = loom_env_now(loom_store_env(store));
	pass->commented = 0;
	status = change(store, add, pass, err);
	if (status == LOOM_OK)
		loom_buf_add(out_secret, loom_buf_str(&secret));
	explicit_bzero(bytes, sizeof bytes);
	if (secret.p)
		explicit_bzero(secret.p, secret.n);
	loom_buf_fini(&secret);
	return status;
}

/* ---- revoking and counting ---- */

struct revoking {
	const struct loom_pass_which *which;
	size_t count;
};

static bool is_meant(const struct loom_pass_which *which, const struct loom_pass *pass)
{
	struct loom_buf hash = LOOM_BUF_INIT(128);
	bool meant = pass->kind == which->kind;

	if (which->opens) {
		meant = meant && loom_ulid_eq(which->opens, &pass->opens);
	} else {
		loom_hash_hex(&pass->hash, &hash);
		meant = meant && which->name.n >= LOOM_PASS_NAME &&
			loom_str_eq_fold(loom_str_sub(loom_buf_str(&hash), 0, which->name.n),
					 which->name);
	}
	loom_buf_fini(&hash);
	return meant;
}

static enum loom_status drop(cJSON *list, cJSON *all, void *ctx, struct loom_err *err)
{
	struct revoking *revoking = ctx;
	cJSON *next = NULL;

	(void)all;
	(void)err;
	for (cJSON *entry = list->child; entry; entry = next) {
		struct loom_pass pass;

		next = entry->next;
		if (!read_pass(entry, &pass) || !is_meant(revoking->which, &pass))
			continue;
		cJSON_Delete(cJSON_DetachItemViaPointer(list, entry));
		revoking->count++;
	}
	return LOOM_OK;
}

enum loom_status loom_pass_revoke(struct loom_store *store, const struct loom_pass_which *which,
				  size_t *out_count, struct loom_err *err)
{
	struct revoking revoking = {.which = which};
	enum loom_status status = change(store, drop, &revoking, err);

	LOOM_ASSERT(status == LOOM_OK || err == NULL || err->status == status);
	*out_count = status == LOOM_OK ? revoking.count : 0;
	return status;
}

struct counting {
	const struct loom_hash *hash;
	int64_t most;
};

static enum loom_status count(cJSON *list, cJSON *all, void *ctx, struct loom_err *err)
{
	const struct counting *counting = ctx;
	cJSON *entry;

	(void)all;
	cJSON_ArrayForEach(entry, list)
	{
		struct loom_pass pass;

		if (!read_pass(entry, &pass) || !loom_hash_eq(&pass.hash, counting->hash))
			continue;
		if (pass.commented >= counting->most)
			return loom_fail(
				err, LOOM_LIMIT,
				"this link has brought %lld comments, and no more are taken",
				(long long)counting->most);
		cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(entry, "commented"),
				     (double)(pass.commented + 1));
		return LOOM_OK;
	}
	return loom_fail(err, LOOM_NOT_FOUND, "this link was revoked");
}

enum loom_status loom_pass_count(struct loom_store *store, const struct loom_hash *hash,
				 int64_t most, struct loom_err *err)
{
	struct counting counting = {.hash = hash, .most = most};

	LOOM_ASSERT(hash && most > 0);
	return change(store, count, &counting, err);
}

/* ---- where it is served ---- */

static enum loom_status note_served(cJSON *list, cJSON *all, void *ctx, struct loom_err *err)
{
	(void)list;
	cJSON_DeleteItemFromObjectCaseSensitive(all, "served");
	return cJSON_AddStringToObject(all, "served", ctx)
		       ? LOOM_OK
		       : loom_fail(err, LOOM_FAULT, "out of memory");
}

enum loom_status loom_pass_served(struct loom_store *store, struct loom_str address,
				  struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(8192);
	enum loom_status status;

	loom_buf_add(&text, address);
	LOOM_ASSERT(text.n == address.n && text.n);
	status = change(store, note_served, text.p, err);
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_pass_address(struct loom_store *store, struct loom_buf *out,
				   struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	cJSON *all = NULL;
	enum loom_status status = path_of(store, &path, err);

	if (status == LOOM_OK)
		status = model_json_load(loom_buf_cstr(&path), PASSES_BYTES, &all, err);
	if (status == LOOM_OK)
		loom_buf_add(out, loom_json_str(all, "served"));
	cJSON_Delete(all);
	loom_buf_fini(&path);
	return status;
}

void loom_pass_hash(struct loom_str secret, struct loom_buf *out)
{
	const size_t page = loom_str_find(secret, LOOM_STR("/page/"), 0);
	struct loom_hash hash;

	if (page != SIZE_MAX)
		secret = loom_str_sub(secret, page + 6, SECRET_CHARS);
	else if (!loom_str_starts(secret, loom_str_of(begins[LOOM_PASS_TOKEN])))
		return;
	hash = loom_sha256(secret);
	loom_hash_hex(&hash, out);
}

/* ---- looking ---- */

struct loom_passes {
	struct loom_buf path;
	struct stat seen; /* all zero: there was no file */
	struct loom_pass *items;
	size_t count;
};

enum loom_status loom_passes_open(struct loom_store *store, struct loom_passes **out,
				  struct loom_err *err)
{
	struct loom_passes *passes = loom_alloc(sizeof *passes);
	bool ignored = false;
	enum loom_status status;

	*passes = (struct loom_passes){.path = LOOM_BUF_INIT(PATH_MAX)};
	status = path_of(store, &passes->path, err);
	if (status == LOOM_OK)
		status = loom_passes_look(passes, &ignored, err);
	if (status != LOOM_OK) {
		loom_passes_close(passes);
		passes = NULL;
	}
	*out = passes;
	return status;
}

void loom_passes_close(struct loom_passes *passes)
{
	if (!passes)
		return;
	loom_buf_fini(&passes->path);
	free(passes->items);
	free(passes);
}

/* Files are replaced and never written in place. */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static enum loom_status read_all(struct loom_passes *passes, struct loom_err *err)
{
	cJSON *all = NULL;
	const cJSON *entry;
	enum loom_status status =
		model_json_load(loom_buf_cstr(&passes->path), PASSES_BYTES, &all, err);
	const cJSON *list = status == LOOM_OK ? loom_json_get(all, "passes") : NULL;

	free(passes->items);
	passes->count = 0;
	passes->items = loom_alloc(((size_t)cJSON_GetArraySize(list) + 1) * sizeof *passes->items);
	cJSON_ArrayForEach(entry, list)
	{
		if (read_pass(entry, &passes->items[passes->count]))
			passes->count++;
	}
	cJSON_Delete(all);
	return status;
}

enum loom_status loom_passes_look(struct loom_passes *passes, bool *out_changed,
				  struct loom_err *err)
{
	struct stat now;

	if (stat(loom_buf_cstr(&passes->path), &now) != 0)
		memset(&now, 0, sizeof now);
	*out_changed = !is_same_file(&now, &passes->seen);
	LOOM_ASSERT(passes->items || !passes->count);
	if (!*out_changed)
		return LOOM_OK;
	passes->seen = now;
	return read_all(passes, err);
}

const struct loom_pass *loom_passes_find(const struct loom_passes *passes, enum loom_pass_kind kind,
					 struct loom_str secret)
{
	const struct loom_hash hash = loom_sha256(secret);
	const struct loom_str wanted = loom_str_make((const char *)hash.bytes, sizeof hash.bytes);
	const struct loom_pass *found = NULL;

	for (size_t i = 0; i < passes->count; i++) {
		const struct loom_pass *pass = &passes->items[i];

		if (loom_same_secret(wanted, loom_str_make((const char *)pass->hash.bytes,
							   sizeof pass->hash.bytes)) &&
		    pass->kind == kind)
			found = pass;
	}
	return found;
}

bool loom_passes_stands(const struct loom_passes *passes, const struct loom_hash *hash)
{
	for (size_t i = 0; i < passes->count; i++)
		if (loom_hash_eq(&passes->items[i].hash, hash))
			return true;
	return false;
}

const struct loom_pass *loom_passes_list(const struct loom_passes *passes, size_t *out_count)
{
	LOOM_ASSERT(passes && out_count);
	*out_count = passes->count;
	return passes->items;
}
