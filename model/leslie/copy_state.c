/* Compares frozen copies with what was copied, and that with its source; and brings a lost copy
 * back while its source still is what was copied.
 *
 * The manifest has the hash of each copy. A file whose size and time say that nothing happened is
 * hashed only when asked to look deep. */
#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>
#include <loom/files/beneath.h>

#define COPY_MAX   ((size_t)1 << 30)
#define NS_IN_MS   INT64_C(1000000)
#define CLOCK_SLIP (INT64_C(2000) * NS_IN_MS)

bool model_leslie_is_hash(struct loom_str bytes, struct loom_str sha256)
{
	const struct loom_hash hash = loom_sha256(bytes);
	struct loom_buf hex = LOOM_BUF_INIT(128);
	bool same;

	LOOM_ASSERT(sha256.p);
	loom_hash_hex(&hash, &hex);
	same = loom_str_eq_fold(loom_buf_str(&hex), sha256);
	loom_buf_fini(&hex);
	return same;
}

static bool has_hash(const struct loom_root *root, struct loom_str path, struct loom_str sha256)
{
	const struct loom_read_opts opts = {.max = COPY_MAX};
	struct loom_buf text = LOOM_BUF_INIT(COPY_MAX);
	bool same = loom_file_read(root, path, &opts, &text, NULL) == LOOM_OK &&
		    model_leslie_is_hash(loom_buf_str(&text), sha256);

	loom_buf_fini(&text);
	return same;
}

/* Whether the file is what was copied; false as well when it cannot be read. */
static bool is_as_copied(const struct loom_root *root, struct loom_str path,
			 const struct model_leslie_copy *copy, bool deep)
{
	struct loom_file_info info;
	int64_t copied = 0;

	LOOM_ASSERT(root->fd >= 0 && copy->name.n);
	if (loom_path_info(root, path, false, &info, NULL) != LOOM_OK ||
	    info.kind != LOOM_FILE_PLAIN)
		return false;
	if (!copy->sha256.n)
		return true;
	if (info.size != copy->size)
		return false;
	if (!deep && loom_time_parse(copy->copied_at, &copied) &&
	    info.modified_ns < copied * NS_IN_MS + (info.mode & 0222 ? 0 : CLOCK_SLIP))
		return true;
	return has_hash(root, path, copy->sha256);
}

static struct loom_str inherited_path(const struct model_leslie_copy *copy,
				      struct loom_arena *arena)
{
	return loom_arena_format(arena, MODEL_LESLIE_INHERITED "/%.*s", LOOM_STR_ARG(copy->name));
}

enum loom_copy_state model_leslie_copy_state(const struct model_leslie_compare *compare,
					     const struct model_leslie_copy *copy)
{
	struct loom_str within = model_leslie_within(copy->path, copy->thread);

	LOOM_ASSERT(compare->folder && compare->folder->fd >= 0);
	if (!is_as_copied(compare->folder, inherited_path(copy, compare->arena), copy,
			  compare->deep))
		return LOOM_COPY_FORGED;
	if (!compare->source || compare->source->fd < 0)
		return LOOM_COPY_GONE;
	return is_as_copied(compare->source, within, copy, compare->deep) ? LOOM_COPY_SOUND
									  : LOOM_COPY_STALE;
}

/* ---- checking, and bringing back ---- */

struct check {
	struct loom_leslie *leslie;
	struct loom_arena *arena;
	bool repair;
	struct loom_leslie_faults *out;
	struct loom_str thread;
	struct loom_root folder;
};

static struct loom_leslie_fault *add(struct check *check, struct loom_str path, const char *what)
{
	struct loom_leslie_faults *faults = check->out;

	faults->items = loom_arena_grow(check->arena, faults->items, faults->count, &faults->cap,
					sizeof *faults->items);
	faults->items[faults->count] =
		(struct loom_leslie_fault){.path = path, .what = loom_str_of(what)};
	return &faults->items[faults->count++];
}

/* Writes the copy again from its source, which is what was copied. */
static bool bring_back(const struct check *check, const struct model_leslie_copy *copy,
		       const struct loom_root *source)
{
	const struct loom_read_opts read = {.max = COPY_MAX};
	const struct loom_write_opts opts = {.any_name = true,
					     .folders = true,
					     .mode = MODEL_LESLIE_COPY_MODE};
	struct loom_str path = inherited_path(copy, check->arena);
	struct loom_buf text = LOOM_BUF_INIT(COPY_MAX);
	bool good = loom_file_read(source, model_leslie_within(copy->path, copy->thread), &read,
				   &text, NULL) == LOOM_OK &&
		    model_leslie_is_hash(loom_buf_str(&text), copy->sha256);

	if (good)
		(void)unlinkat(check->folder.fd, loom_arena_cstr(check->arena, path), 0);
	good = good &&
	       loom_file_write(&check->folder, path, loom_buf_str(&text), &opts, NULL) == LOOM_OK;
	loom_buf_fini(&text);
	return good;
}

static void check_copy(struct check *check, const struct model_leslie_copy *copy)
{
	struct loom_root source = LOOM_ROOT_INIT;
	const struct model_leslie_compare compare = {.folder = &check->folder,
						     .source = &source,
						     .arena = check->arena,
						     .deep = true};
	struct loom_file_info info;
	struct loom_str path = inherited_path(copy, check->arena);
	struct loom_leslie_fault *fault = NULL;

	if (model_leslie_open_thread(check->leslie, copy->thread, &source, NULL) != LOOM_OK)
		source = (struct loom_root)LOOM_ROOT_INIT;
	if (model_leslie_copy_state(&compare, copy) == LOOM_COPY_FORGED) {
		fault = add(check,
			    loom_arena_format(check->arena, ".leslie/threads/%.*s/%.*s",
					      LOOM_STR_ARG(check->thread), LOOM_STR_ARG(path)),
			    loom_path_info(&check->folder, path, false, &info, NULL) == LOOM_OK
				    ? "the frozen copy was changed after it was made"
				    : "the frozen copy is missing");
		fault->mended = check->repair && source.fd >= 0 && bring_back(check, copy, &source);
	}
	loom_root_close(&source);
}

static void check_share(struct check *check)
{
	struct model_leslie_share share = {.arena = check->arena};
	struct loom_leslie_err why = {0};
	struct loom_str manifest =
		loom_arena_format(check->arena,
				  ".leslie/threads/%.*s/" MODEL_LESLIE_INHERITED "/%s",
				  LOOM_STR_ARG(check->thread), MODEL_LESLIE_MANIFEST);

	if (model_leslie_share_read(check->leslie, &check->folder, check->arena, &share, &why) !=
	    LOOM_OK) {
		add(check, manifest, "the list of what the thread was given cannot be read");
		return;
	}
	for (size_t i = 0; i < share.copy_count; i++)
		check_copy(check, &share.copies[i]);
}

static void check_thread(struct check *check, const struct loom_leslie_thread *thread)
{
	LOOM_ASSERT(check->folder.fd < 0);
	check->thread = thread->id;
	if (!loom_leslie_id_ok(thread->id))
		return;
	if (model_leslie_open_thread(check->leslie, thread->id, &check->folder, NULL) != LOOM_OK) {
		add(check,
		    loom_arena_format(check->arena, ".leslie/threads/%.*s/",
				      LOOM_STR_ARG(thread->id)),
		    "the folder of the thread is missing");
		return;
	}
	check_share(check);
	loom_root_close(&check->folder);
}

/* The registry is derived: it is written anew. */
static void check_registry(struct check *check)
{
	struct loom_leslie_fault *fault = NULL;

	if (!model_leslie_registry_damaged(check->leslie))
		return;
	fault = add(check, LOOM_STR(".leslie/threads/.global/registry.json"),
		    "the list of threads is damaged");
	fault->mended = check->repair && model_leslie_registry_renew(check->leslie);
}

enum loom_status loom_leslie_check(struct loom_leslie *leslie, bool repair,
				   struct loom_arena *arena, struct loom_leslie_faults *out,
				   struct loom_err *err)
{
	struct check check = {.leslie = leslie,
			      .arena = arena,
			      .repair = repair,
			      .out = out,
			      .folder = LOOM_ROOT_INIT};
	struct loom_leslie_thread *threads = NULL;
	struct loom_leslie_err why = {0};
	struct stat info;
	size_t count = 0;

	LOOM_ASSERT(err);
	*out = (struct loom_leslie_faults){NULL, 0, 0};
	/* Where no thread was ever spawned there is nothing to look at. */
	if (fstatat(leslie->project.fd, ".leslie", &info, AT_SYMLINK_NOFOLLOW) != 0 &&
	    errno == ENOENT)
		return LOOM_OK;
	if (model_leslie_enter(leslie, &why) != LOOM_OK) {
		*err = why.err;
		return err->status;
	}
	if (model_leslie_begin(leslie, &why) != LOOM_OK) {
		add(&check, LOOM_STR(MODEL_LESLIE_RELATIONS_PATH),
		    "neither it nor its backup can be read");
		return LOOM_OK;
	}
	if (leslie->relations.damaged)
		add(&check, LOOM_STR(MODEL_LESLIE_RELATIONS_PATH),
		    "it cannot be read; its backup is used");
	check_registry(&check);
	if (repair)
		model_leslie_registry_update(leslie);
	model_leslie_list(&leslie->relations.doc, NULL, arena, &threads, &count);
	for (size_t i = 0; i < count; i++)
		check_thread(&check, &threads[i]);
	return LOOM_OK;
}
