/* Unsent text: one JSON file per draft in the state directory. */
#include <loom/grove/draft.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>
#include <loom/base/json.h>
#include <loom/base/utf8.h>

#include <loom/files/state_file.h>

#define DRAFT_MAX ((size_t)64 << 20)

static bool is_draft_id(struct loom_str id)
{
	if (id.n != 14 || !loom_str_starts(id, LOOM_STR("draft-")))
		return false;
	for (size_t i = 6; i < id.n; i++)
		if (!((id.p[i] >= '0' && id.p[i] <= '9') || (id.p[i] >= 'a' && id.p[i] <= 'f')))
			return false;
	return true;
}

static enum loom_status name_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err)
{
	enum loom_status status = model_own_dir(store, out, err);

	loom_buf_adds(out, "/drafts");
	return status;
}

enum loom_status model_draft_dir(struct loom_store *store, struct loom_buf *out,
				 struct loom_err *err)
{
	enum loom_status status = loom_store_own_dir(store, out, err);

	loom_buf_adds(out, "/drafts");
	return status == LOOM_OK ? model_make_dirs(loom_buf_str(out), 0700, err) : status;
}

static enum loom_status draft_path(struct loom_store *store, struct loom_str id,
				   struct loom_buf *out, struct loom_err *err)
{
	enum loom_status status;

	if (!is_draft_id(id))
		return loom_fail(err, LOOM_NOT_FOUND, "there is no draft \"%.*s\"",
				 LOOM_STR_ARG(id));
	status = name_dir(store, out, err);
	loom_buf_addf(out, "/%.*s", LOOM_STR_ARG(id));
	return status;
}

/* JSON cannot hold NUL or invalid UTF-8, but the losing text of a conflict may be any bytes, and
 * none may be lost. */
static void put_text(struct loom_json *json, struct loom_str text)
{
	struct loom_buf coded = LOOM_BUF_INIT(DRAFT_MAX);

	if (loom_utf8_valid(text, NULL) && loom_str_find_char(text, '\0', 0) == SIZE_MAX) {
		loom_json_put(json, "text", text);
		return;
	}
	loom_base64url(text, &coded);
	loom_json_put(json, "bytes", loom_buf_str(&coded));
	loom_buf_fini(&coded);
}

static struct loom_str get_text(const cJSON *json, struct loom_arena *arena)
{
	struct loom_buf bytes = LOOM_BUF_INIT(DRAFT_MAX);
	struct loom_str text = loom_json_str(json, "text");

	if (!text.n && loom_unbase64url(loom_json_str(json, "bytes"), &bytes))
		text = loom_buf_str(&bytes);
	text = loom_arena_str(arena, text);
	loom_buf_fini(&bytes);
	return text;
}

static void write_draft(struct loom_store *store, const struct loom_draft *draft,
			struct loom_buf *out)
{
	struct loom_buf story = LOOM_BUF_INIT(128);
	struct loom_json json;

	LOOM_ASSERT(out->n == 0);
	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_put(&json, "kind", draft->kind);
	loom_json_put(&json, "tree", draft->tree);
	loom_json_put(&json, "anchor", draft->anchor);
	loom_json_put(&json, "why", draft->why);
	if (draft->folds.n)
		loom_json_put(&json, "folds", draft->folds);
	if (draft->op.n)
		loom_json_put(&json, "op", draft->op);
	loom_json_put_int(&json, "saved", loom_env_now(loom_store_env(store)));
	loom_story_mark(store, &story);
	loom_json_put(&json, "story", loom_buf_str(&story));
	loom_buf_fini(&story);
	put_text(&json, draft->text);
	loom_json_end_object(&json);
	loom_buf_addc(out, '\n');
}

struct loom_str loom_draft_name(struct loom_arena *arena)
{
	struct loom_env plain = {.seeded = false};
	struct loom_buf name = LOOM_BUF_INIT(64);
	struct loom_str out;
	uint8_t random[4];

	loom_env_random(&plain, 0, random, sizeof random);
	loom_buf_adds(&name, "draft-");
	loom_hex(random, sizeof random, &name);
	out = loom_arena_buf(arena, &name);
	LOOM_ASSERT(is_draft_id(out));
	loom_buf_fini(&name);
	return out;
}

void loom_draft_op(const struct loom_draft *draft, uint8_t out[LOOM_DRAFT_OP])
{
	struct loom_str parts[8];
	uint64_t lengths[LOOM_COUNT(parts) / 2];
	const struct loom_str says[] = {draft->id, draft->kind, draft->anchor, draft->text};
	struct loom_hash hash;

	LOOM_ASSERT(is_draft_id(draft->id));
	if (draft->op.n == (size_t)2 * LOOM_DRAFT_OP && loom_unhex(draft->op, out, LOOM_DRAFT_OP))
		return;
	for (size_t i = 0; i < LOOM_COUNT(says); i++) {
		lengths[i] = says[i].n;
		parts[2 * i] = loom_str_make((const char *)&lengths[i], sizeof lengths[i]);
		parts[2 * i + 1] = says[i];
	}
	hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
	memcpy(out, hash.bytes, LOOM_DRAFT_OP);
}

enum loom_status loom_draft_save(struct loom_store *store, const struct loom_draft *draft,
				 struct loom_arena *arena, struct loom_str *out_id,
				 struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf text = LOOM_BUF_INIT(DRAFT_MAX);
	enum loom_status status = model_draft_dir(store, &path, err);

	LOOM_ASSERT(draft && arena && out_id);
	*out_id = draft->id.n ? loom_arena_str(arena, draft->id) : loom_draft_name(arena);
	loom_buf_clear(&path);
	if (status == LOOM_OK)
		status = draft_path(store, *out_id, &path, err);
	if (status == LOOM_OK) {
		write_draft(store, draft, &text);
		status = text.bad == LOOM_OK
				 ? model_file_write(loom_buf_cstr(&path), loom_buf_str(&text), err)
				 : loom_fail(err, LOOM_LIMIT, "a draft can have at most 64 MiB");
	}
	loom_buf_fini(&path);
	loom_buf_fini(&text);
	return status;
}

static struct loom_str copy_member(const cJSON *json, const char *key, struct loom_arena *arena)
{
	return loom_arena_str(arena, loom_json_str(json, key));
}

static enum loom_status read_draft(struct loom_store *store, const char *path, struct loom_str id,
				   struct loom_arena *arena, struct loom_draft *out,
				   struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(DRAFT_MAX + 16384);
	struct loom_json_limits limits = {.bytes = DRAFT_MAX + 16384};
	cJSON *json = NULL;
	bool there = false;
	enum loom_status status = model_file_read(path, DRAFT_MAX, &text, &there, err);

	LOOM_ASSERT(is_draft_id(id));
	if (status == LOOM_OK && !there)
		status = loom_fail(err, LOOM_NOT_FOUND, "there is no draft \"%.*s\"",
				   LOOM_STR_ARG(id));
	if (status == LOOM_OK)
		status = loom_json_parse(loom_str_trim(loom_buf_str(&text)), &limits, &json, err);
	if (status == LOOM_OK) {
		*out = (struct loom_draft){
			.id = loom_arena_str(arena, id),
			.kind = copy_member(json, "kind", arena),
			.tree = copy_member(json, "tree", arena),
			.anchor = copy_member(json, "anchor", arena),
			.text = get_text(json, arena),
			.why = copy_member(json, "why", arena),
			.folds = copy_member(json, "folds", arena),
			.op = copy_member(json, "op", arena),
		};
		(void)loom_json_int(json, "saved", &out->saved);
		/* After a restore its place may hold anything. */
		if (!loom_story_holds(store, loom_json_str(json, "story")))
			out->anchor = LOOM_STR("");
	}
	cJSON_Delete(json);
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_draft_get(struct loom_store *store, struct loom_str id,
				struct loom_arena *arena, struct loom_draft *out,
				struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = draft_path(store, id, &path, err);

	if (status == LOOM_OK)
		status = read_draft(store, loom_buf_cstr(&path), id, arena, out, err);
	loom_buf_fini(&path);
	return status;
}

enum loom_status loom_draft_drop(struct loom_store *store, struct loom_str id, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = draft_path(store, id, &path, err);

	if (status == LOOM_OK && unlink(loom_buf_cstr(&path)) != 0)
		status = errno == ENOENT ? loom_fail(err, LOOM_NOT_FOUND,
						     "there is no draft \"%.*s\"", LOOM_STR_ARG(id))
					 : loom_fail_errno(err, errno, "cannot remove %s",
							   loom_buf_cstr(&path));
	loom_buf_fini(&path);
	return status;
}

static int newest_first(const void *a, const void *b)
{
	const struct loom_draft *x = a;
	const struct loom_draft *y = b;

	if (x->saved != y->saved)
		return x->saved < y->saved ? 1 : -1;
	return loom_str_cmp(x->id, y->id);
}

enum loom_status loom_draft_list(struct loom_store *store, struct loom_arena *arena,
				 struct loom_draft **out, size_t *out_count, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = name_dir(store, &path, err);
	size_t cap = 0;
	size_t dir_end = path.n;
	const struct dirent *entry;
	DIR *dir = status == LOOM_OK ? opendir(loom_buf_cstr(&path)) : NULL;

	*out = NULL;
	*out_count = 0;
	/* A folder that cannot be read is not reported as empty. */
	if (status == LOOM_OK && !dir && errno != ENOENT)
		status = loom_fail_errno(err, errno, "cannot look into %s", loom_buf_cstr(&path));
	while (dir && (entry = readdir(dir)) != NULL) {
		struct loom_str name = loom_str_of(entry->d_name);

		if (!is_draft_id(name))
			continue;
		LOOM_ASSERT(path.n >= dir_end);
		loom_buf_cut(&path, dir_end);
		loom_buf_addf(&path, "/%s", entry->d_name);
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		/* An unreadable draft does not hide the others. */
		if (read_draft(store, loom_buf_cstr(&path), name, arena, &(*out)[*out_count],
			       NULL) == LOOM_OK)
			++*out_count;
	}
	if (dir)
		closedir(dir);
	if (*out_count)
		qsort(*out, *out_count, sizeof **out, newest_first);
	loom_buf_fini(&path);
	return status;
}

/* ---- holding ---- */

/* A lock beside the draft, since the draft itself is replaced with each save. */
static enum loom_status hold_path(struct loom_store *store, struct loom_str id,
				  struct loom_buf *out, struct loom_err *err)
{
	enum loom_status status = draft_path(store, id, out, err);

	loom_buf_adds(out, ".open");
	return status;
}

/* Whether the locked file still has its name: another process may have removed it in between. */
static bool is_named(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && info.st_nlink > 0;
}

enum loom_status loom_draft_hold(struct loom_store *store, struct loom_str id, int *out_hold,
				 struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = model_draft_dir(store, &path, err);
	int fd = -1;

	loom_buf_clear(&path);
	*out_hold = -1;
	if (status == LOOM_OK)
		status = hold_path(store, id, &path, err);
	while (status == LOOM_OK && *out_hold < 0) {
		fd = open(loom_buf_cstr(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			status =
				loom_fail_errno(err, errno, "cannot open %s", loom_buf_cstr(&path));
		else if (flock(fd, LOCK_EX | LOCK_NB) != 0)
			status = loom_fail(err, LOOM_CONFLICT,
					   "the draft is open in another window");
		else if (is_named(fd))
			*out_hold = fd;
		if (fd >= 0 && *out_hold < 0)
			close(fd);
	}
	loom_buf_fini(&path);
	return status;
}

void loom_draft_release(struct loom_store *store, struct loom_str id, int hold)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);

	if (hold < 0)
		return;
	if (hold_path(store, id, &path, NULL) == LOOM_OK)
		(void)unlink(loom_buf_cstr(&path));
	close(hold);
	loom_buf_fini(&path);
}
