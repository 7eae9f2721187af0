/* Builds a new context/inherited beside the old one and puts it in place by one exchange.
 *
 * A reader sees all old copies or all new ones, and a failure at any point leaves the old ones.
 * Kept files are linked into the new tree, not copied. A file is hashed while it is copied and
 * checked again afterwards: if it changed meanwhile it is copied again, at most three times. */
#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>

#include <loom/files/beneath.h>
#include <loom/base/system.h>

#define COPY_TRIES  3
#define BLOCK       65536
#define SYNC_SINGLY 64

/* The construction of a tree. */
struct make {
	struct model_leslie_stage *stage;
	struct model_leslie_share *share;
	struct loom_root old;
	struct loom_arena *arena;
	struct model_leslie_map folders; /* created so far */
	struct model_folders made;
	size_t fresh;
	char *block;
	struct loom_leslie_err *err;
};

static enum loom_status refuse(struct make *make, const struct model_leslie_copy *copy,
			       enum loom_status status, enum loom_thread_code code, const char *why)
{
	struct loom_leslie *leslie = make->stage->leslie;

	LOOM_ASSERT(status != LOOM_OK && why);
	model_leslie_refuse(leslie, make->err, status, code, "Cannot copy %.*s",
			    LOOM_STR_ARG(copy->path));
	model_leslie_because(leslie, make->err, "%s", why);
	model_leslie_detail(leslie, make->err, "path", copy->path);
	model_leslie_detail(leslie, make->err, "threadId", copy->thread);
	return status;
}

static enum loom_status refuse_errno(struct make *make, const struct model_leslie_copy *copy,
				     int error)
{
	struct loom_err why = {0};
	enum loom_status status = model_path_fail(&why, error, "its copy");

	LOOM_ASSERT(error);
	return refuse(make, copy, status, LOOM_THREAD_OTHER, why.text);
}

/* Creates the folders above a name in the new tree. */
static bool make_folders(struct make *make, struct loom_str name)
{
	for (size_t i = 0; i < name.n; i++) {
		struct loom_str folder = loom_str_sub(name, 0, i);

		if (name.p[i] != '/' || model_leslie_map_find(&make->folders, folder) != SIZE_MAX)
			continue;
		if (model_root_folder(&make->stage->folder, loom_arena_cstr(make->arena, folder)) <
			    0 &&
		    errno != EEXIST)
			return false;
		model_leslie_map_set(make->arena, &make->folders, folder, 0);
		model_folders_push(&make->made, folder);
	}
	return true;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	struct loom_file_info left;
	struct loom_file_info right;

	model_file_info(a, &left);
	model_file_info(b, &right);
	return left.id.inode == right.id.inode && left.size == right.size &&
	       left.modified_ns == right.modified_ns && left.changed_ns == right.changed_ns;
}

/* Copies at most the original size; returns 0 or an errno. Sets *whole if exactly that much
 * came. */
static int pump(struct make *make, int from, int to, uint64_t size, struct loom_hash *out_hash,
		bool *whole)
{
	struct loom_hasher *hasher = loom_hasher_create();
	uint64_t left = size;
	ssize_t n = 1;
	int error = 0;

	while (!error && left > 0 && n > 0) {
		n = read(from, make->block, left < BLOCK ? (size_t)left : BLOCK);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			error = errno;
		else if (n > 0 && write(to, make->block, (size_t)n) != n)
			error = errno ? errno : EIO;
		else if (n > 0) {
			loom_hasher_add(hasher, loom_str_make(make->block, (size_t)n));
			left -= (uint64_t)n;
		}
	}
	*out_hash = loom_hasher_finish(hasher);
	LOOM_ASSERT(left <= size);
	*whole = left == 0;
	return error;
}

/* Makes one attempt. LOOM_CONFLICT if the original changed meanwhile. */
static enum loom_status copy_once(struct make *make, struct model_leslie_copy *copy, int from)
{
	char *name = loom_arena_cstr(make->arena, copy->name);
	struct stat before = {0};
	struct stat after = {0};
	struct loom_hash hash = {{0}};
	struct loom_buf hex = LOOM_BUF_INIT(128);
	bool whole = false;
	int error = 0;
	int to = -1;

	unlinkat(make->stage->folder.fd, name, 0);
	to = openat(make->stage->folder.fd, name,
		    O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0400);
	if (to < 0 || fstat(from, &before) < 0 || lseek(from, 0, SEEK_SET) < 0)
		error = errno;
	model_root_fit(&make->stage->folder, to);
	if (!error)
		error = pump(make, from, to, (uint64_t)before.st_size, &hash, &whole);
	if (!error && make->fresh <= SYNC_SINGLY && fsync(to) < 0)
		error = errno;
	if (!error && fstat(from, &after) < 0)
		error = errno;
	if (to >= 0)
		close(to);
	if (error)
		return refuse_errno(make, copy, error);
	if (!whole || !same_file(&before, &after))
		return LOOM_CONFLICT;
	loom_hash_hex(&hash, &hex);
	copy->sha256 = loom_arena_buf(make->share->arena, &hex);
	copy->size = (uint64_t)before.st_size;
	loom_buf_fini(&hex);
	return LOOM_OK;
}

/* Holds the original and checks it before opening. */
static enum loom_status open_original(struct make *make, const struct model_leslie_copy *copy,
				      const struct loom_root *source, int *out)
{
	struct loom_str within = model_leslie_within(copy->path, copy->thread);
	struct stat st;
	enum loom_status status = LOOM_OK;
	int held = model_open_beneath(source->fd, loom_arena_cstr(make->arena, within),
				      O_PATH | O_NOFOLLOW, 0, MODEL_NO_LINKS);

	if (held < 0)
		return refuse(make, copy, errno == ELOOP ? LOOM_PATH : LOOM_NOT_FOUND,
			      errno == ELOOP ? LOOM_THREAD_BAD_PATH : LOOM_THREAD_UNREADABLE,
			      strerror(errno));
	if (fstat(held, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink > 1)
		status = refuse(make, copy, LOOM_PATH, LOOM_THREAD_BAD_PATH,
				"it is not a regular file of its own");
	else if (model_file_refused(source, &st))
		status = refuse(make, copy, LOOM_PATH, LOOM_THREAD_BAD_PATH,
				"it is a file of the store");
	if (status == LOOM_OK) {
		*out = model_open_held(held);
		if (*out < 0)
			status = refuse(make, copy, LOOM_IO, LOOM_THREAD_UNREADABLE,
					strerror(errno));
	}
	close(held);
	return status;
}

static enum loom_status copy_fresh(struct make *make, struct model_leslie_copy *copy)
{
	struct loom_root source = LOOM_ROOT_INIT;
	struct loom_err why = {0};
	enum loom_status status = LOOM_CONFLICT;
	int from = -1;

	for (int tries = 0; status == LOOM_CONFLICT && tries < COPY_TRIES; tries++) {
		status = model_leslie_open_thread(make->stage->leslie, copy->thread, &source, &why);
		status = status == LOOM_OK
				 ? open_original(make, copy, &source, &from)
				 : refuse(make, copy, status, LOOM_THREAD_UNREADABLE, why.text);
		if (status == LOOM_OK)
			status = copy_once(make, copy, from);
		if (from >= 0)
			close(from);
		from = -1;
		loom_root_close(&source);
	}
	if (status != LOOM_CONFLICT)
		return status;
	refuse(make, copy, LOOM_CONFLICT, LOOM_THREAD_CHANGED,
	       "CHANGED_DURING_COPY: it is being written");
	return loom_hint(make->err ? &make->err->err : NULL, LOOM_CONFLICT,
			 "try again when its writer is done");
}

/* Links a file of the old tree into the new one; a missing file is fine. */
static enum loom_status keep(struct make *make, struct loom_str name)
{
	const struct model_leslie_copy as = {.path = name};
	char *path = loom_arena_cstr(make->arena, name);

	if (make->old.fd < 0)
		return LOOM_OK;
	if (!make_folders(make, name))
		return refuse_errno(make, &as, errno);
	if (linkat(make->old.fd, path, make->stage->folder.fd, path, 0) < 0 && errno != ENOENT)
		return refuse_errno(make, &as, errno);
	return LOOM_OK;
}

static enum loom_status place_copies(struct make *make)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < make->share->copy_count; i++)
		make->fresh += make->share->copies[i].fresh;
	for (size_t i = 0; status == LOOM_OK && i < make->share->copy_count; i++) {
		struct model_leslie_copy *copy = &make->share->copies[i];

		if (!copy->fresh) {
			status = keep(make, copy->name);
			continue;
		}
		if (!make_folders(make, copy->name))
			return refuse_errno(make, copy, errno);
		status = copy_fresh(make, copy);
	}
	return status;
}

static enum loom_status carry(struct make *make, struct loom_str path, struct loom_str forgotten)
{
	if (loom_str_is(path, MODEL_LESLIE_MANIFEST) ||
	    model_leslie_map_find(&make->share->on_disk, path) != SIZE_MAX ||
	    model_leslie_share_copy(make->share, path) ||
	    (forgotten.p && model_leslie_is_below(path, forgotten)))
		return LOOM_OK;
	return keep(make, path);
}

/* Carries over what another program put there. */
static enum loom_status carry_strangers(struct make *make, struct loom_str forgotten)
{
	struct model_folders tree = {.arena = make->arena};
	enum loom_status status = LOOM_OK;

	if (make->old.fd >= 0)
		model_folders_push(&tree, LOOM_STR(""));
	for (size_t i = 0; status == LOOM_OK && i < tree.count; i++) {
		struct loom_folder_item *items = NULL;
		size_t count = 0;

		if (loom_folder_list(&make->old, tree.folders[i], make->arena, &items, &count,
				     NULL))
			continue;
		for (size_t k = 0; status == LOOM_OK && k < count; k++) {
			struct loom_str path =
				model_folder_join(make->arena, tree.folders[i], items[k].name);

			if (items[k].kind == LOOM_FILE_FOLDER)
				model_folders_push(&tree, path);
			else
				status = carry(make, path, forgotten);
		}
	}
	return status;
}

static void sync_folder(const struct make *make, struct loom_str folder)
{
	int fd = model_open_beneath(make->stage->folder.fd, loom_arena_cstr(make->arena, folder),
				    O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);

	if (fd < 0)
		return;
	if (make->fresh > SYNC_SINGLY && folder.n == 0)
		syncfs(fd);
	else
		fsync(fd);
	close(fd);
}

static enum loom_status write_manifest(struct make *make)
{
	const struct loom_write_opts opts = {.any_name = true};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err why = {0};
	enum loom_status status = LOOM_OK;

	model_leslie_share_spell_copies(make->share, &text);
	status = loom_file_write(&make->stage->folder, LOOM_STR(MODEL_LESLIE_MANIFEST),
				 loom_buf_str(&text), &opts, &why);
	loom_buf_fini(&text);
	if (status != LOOM_OK && make->err)
		*make->err = (struct loom_leslie_err){.err = why};
	for (size_t i = make->made.count; i > 0; i--)
		sync_folder(make, make->made.folders[i - 1]);
	sync_folder(make, LOOM_STR(""));
	return status;
}

static enum loom_status fail_with(struct loom_leslie_err *err, enum loom_status status,
				  const struct loom_err *why)
{
	if (status != LOOM_OK && err)
		*err = (struct loom_leslie_err){.err = *why};
	return status;
}

/* Removes leftovers of a killed process; the folder's flock guarantees that nobody else is at
 * work. */
static void sweep(const struct model_leslie_stage *stage, struct loom_arena *arena)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;

	if (loom_folder_list(&stage->context, LOOM_STR(""), arena, &items, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++) {
		if (loom_str_starts(items[i].name, LOOM_STR(".stage-")))
			model_remove_folder(&stage->context, loom_arena_cstr(arena, items[i].name));
	}
}

static enum loom_status begin(struct make *make, const struct loom_root *thread)
{
	struct model_leslie_stage *stage = make->stage;
	struct loom_err why = {0};
	uint32_t random = 0;
	enum loom_status status = loom_folder_make(thread, LOOM_STR(MODEL_LESLIE_INHERITED), &why);

	if (status != LOOM_OK)
		return fail_with(make->err, status, &why);
	stage->context = *thread;
	stage->context.fd =
		model_open_beneath(thread->fd, "context", O_PATH | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (stage->context.fd < 0)
		return fail_with(make->err, model_path_fail(&why, errno, "context"), &why);
	sweep(stage, make->arena);
	make->old = stage->context;
	make->old.fd = model_open_beneath(stage->context.fd, "inherited", O_PATH | O_DIRECTORY, 0,
					  MODEL_NO_LINKS);
	if (!model_random(&random, sizeof random))
		random = (uint32_t)getpid();
	snprintf(stage->name, sizeof(stage->name), ".stage-%08x", (unsigned)random);
	stage->folder = stage->context;
	stage->folder.fd = -1;
	if (model_root_folder(&stage->context, stage->name) == 0)
		stage->folder.fd = model_open_beneath(stage->context.fd, stage->name,
						      O_PATH | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (stage->folder.fd < 0)
		return fail_with(make->err, model_path_fail(&why, errno, "context"), &why);
	return LOOM_OK;
}

enum loom_status model_leslie_stage_make(struct model_leslie_stage *stage,
					 struct loom_leslie *leslie, const struct loom_root *thread,
					 struct model_leslie_share *share,
					 struct loom_str forgotten, struct loom_leslie_err *err)
{
	struct make make = {.stage = stage,
			    .share = share,
			    .old = LOOM_ROOT_INIT,
			    .arena = loom_arena_create(),
			    .block = loom_alloc(BLOCK),
			    .err = err};
	enum loom_status status = LOOM_OK;

	*stage = (struct model_leslie_stage){.leslie = leslie,
					     .context = LOOM_ROOT_INIT,
					     .folder = LOOM_ROOT_INIT};
	make.made.arena = make.arena;
	status = begin(&make, thread);
	if (status == LOOM_OK)
		status = place_copies(&make);
	if (status == LOOM_OK)
		status = carry_strangers(&make, forgotten);
	if (status == LOOM_OK)
		status = write_manifest(&make);
	loom_root_close(&make.old);
	loom_arena_destroy(make.arena);
	free(make.block);
	if (status != LOOM_OK)
		model_leslie_stage_fini(stage);
	return status;
}

/* Exchanges two names, in three steps if the file system has no exchange. */
static int exchange(int folder, const char *a, const char *b)
{
	char between[48];

	if (model_rename_swap(folder, a, b) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	snprintf(between, sizeof(between), "%s-old", a);
	if (renameat(folder, b, folder, between) < 0)
		return errno;
	if (renameat(folder, a, folder, b) < 0) {
		int error = errno;

		return renameat(folder, between, folder, b) < 0 ? EIO : error;
	}
	return renameat(folder, between, folder, a) < 0 ? errno : 0;
}

enum loom_status model_leslie_stage_swap(struct model_leslie_stage *stage, struct loom_err *err)
{
	int error = exchange(stage->context.fd, stage->name, "inherited");
	int fd = -1;

	if (error)
		return model_path_fail(err, error, MODEL_LESLIE_INHERITED);
	stage->swapped = true;
	fd = model_open_beneath(stage->context.fd, "", O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	return LOOM_OK;
}

void model_leslie_stage_undo(struct model_leslie_stage *stage)
{
	/* If even that fails, both trees stay: forget the other's name rather than remove it. */
	if (stage->swapped && exchange(stage->context.fd, stage->name, "inherited") != 0)
		stage->name[0] = '\0';
	stage->swapped = false;
}

void model_leslie_stage_fini(struct model_leslie_stage *stage)
{
	if (stage->name[0])
		model_remove_folder(&stage->context, stage->name);
	loom_root_close(&stage->folder);
	loom_root_close(&stage->context);
	stage->name[0] = '\0';
}
