/* A store file of `.leslie/`: read, or its backup if damaged, and replaced atomically.
 *
 * Invariants: a `.bak` is only ever replaced by a file that parsed; a main file that does not parse
 * is set aside, never overwritten; a file that somebody wrote between our read and our write
 * without taking the lock is put back. All this relies on one exchange of two names: what comes
 * back from it is exactly what was replaced. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/files/beneath.h>
#include <loom/base/system.h>

#define FILE_MAX ((size_t)256 << 20)

void model_leslie_file_init(struct model_leslie_file *file, const char *name)
{
	*file = (struct model_leslie_file){.name = name, .arena = loom_arena_create()};
	loom_buf_init(&file->text, FILE_MAX);
}

void model_leslie_file_fini(struct model_leslie_file *file)
{
	loom_buf_fini(&file->text);
	loom_arena_destroy(file->arena);
	*file = (struct model_leslie_file){0};
}

/* The members of a complete file, in the reference's order. */
struct member {
	const char *name;
	const char *empty;
};

static const struct member relation_members[] = {
	{"version", "\"1.0\""}, {"metadata", "{}"},  {"threads", "{}"},
	{"operations", "[]"},   {"relations", "{}"},
};

static const struct member objective_members[] = {
	{"version", "\"1.0\""},
	{"objectives", "{}"},
	{"metadata", "{}"},
};

static const struct member *members_of(const struct model_leslie_file *file, size_t *count)
{
	if (strcmp(file->name, MODEL_LESLIE_RELATIONS) == 0) {
		*count = LOOM_COUNT(relation_members);
		return relation_members;
	}
	*count = LOOM_COUNT(objective_members);
	return objective_members;
}

/* Members we read must have the right type or be absent; but a file without its essential member is
 * incomplete, and its backup has more. */
static enum loom_status check_shape(const struct model_leslie_file *file, struct loom_err *err)
{
	size_t count = 0;
	const struct member *members = members_of(file, &count);
	bool relations = members == relation_members;
	const char *essence = relations ? "threads" : "objectives";

	if (!model_leslie_doc_branch(&file->doc, essence))
		return loom_fail(err, LOOM_INVALID, "it has no member %s", essence);
	for (size_t i = 0; i < count; i++) {
		const struct model_leslie_branch *branch =
			model_leslie_doc_branch(&file->doc, members[i].name);

		if (branch && members[i].empty[0] != '"' &&
		    branch->value.p[0] != members[i].empty[0])
			return loom_fail(err, LOOM_INVALID, "its member %s is not %s",
					 members[i].name,
					 members[i].empty[0] == '{' ? "an object" : "a list");
	}
	return LOOM_OK;
}

/* Adds missing members, so that edits can rely on them. In memory only. */
static enum loom_status complete(struct model_leslie_file *file, struct loom_err *err)
{
	size_t count = 0;
	const struct member *members = members_of(file, &count);
	struct loom_buf text = LOOM_BUF_INIT(FILE_MAX);
	struct model_leslie_edits edits;

	model_leslie_edits_init(&edits, &file->doc);
	for (size_t i = 0; i < count; i++) {
		if (!model_leslie_doc_branch(&file->doc, members[i].name))
			model_leslie_edit_branch(&edits, members[i].name,
						 loom_str_of(members[i].empty));
	}
	if (edits.count == 0)
		return LOOM_OK;
	model_leslie_edits_apply(&edits, &text);
	loom_buf_fini(&file->text);
	file->text = text;
	loom_arena_reset(file->arena);
	return model_leslie_doc_read(file->arena, loom_buf_str(&file->text), &file->doc, err);
}

static enum loom_status parse(struct model_leslie_file *file, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_arena_reset(file->arena);
	status = model_leslie_doc_read(file->arena, loom_buf_str(&file->text), &file->doc, err);
	if (status == LOOM_OK)
		status = check_shape(file, err);
	return status == LOOM_OK ? complete(file, err) : status;
}

enum loom_status model_leslie_read_whole(int fd, size_t max, const char *name, struct loom_buf *out,
					 struct loom_err *err)
{
	struct stat st;
	ssize_t n = 1;

	if (fstat(fd, &st) < 0)
		return model_path_fail(err, errno, name);
	if ((uint64_t)st.st_size > max)
		return loom_fail(err, LOOM_LIMIT, "%s is larger than %zu MiB", name, max >> 20);
	loom_buf_clear(out);
	loom_buf_reserve(out, (size_t)st.st_size);
	while (out->n < (size_t)st.st_size && n > 0) {
		n = read(fd, out->p + out->n, (size_t)st.st_size - out->n);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return model_path_fail(err, errno, name);
		else
			out->n += (size_t)n;
	}
	if (out->p)
		out->p[out->n] = '\0';
	return LOOM_OK;
}

/* Reads and parses the file `name`. LOOM_NOT_FOUND; LOOM_INVALID if it is not JSON. */
static enum loom_status read_one(struct loom_leslie *leslie, struct model_leslie_file *file,
				 const char *name, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	struct stat st;
	int fd = -1;
	int held =
		model_open_beneath(leslie->home.fd, name, O_PATH | O_NOFOLLOW, 0, MODEL_NO_LINKS);

	if (held < 0)
		return model_path_fail(err, errno, name);
	if (fstat(held, &st) < 0 || !S_ISREG(st.st_mode))
		status = loom_fail(err, LOOM_PATH, "%s is not a regular file", name);
	else if ((fd = model_open_held(held)) < 0)
		status = model_path_fail(err, errno, name);
	if (status == LOOM_OK) {
		model_file_info(&st, &file->seen);
		status = model_leslie_read_whole(fd, FILE_MAX, name, &file->text, err);
	}
	if (fd >= 0)
		close(fd);
	close(held);
	return status == LOOM_OK ? parse(file, err) : status;
}

static enum loom_status refuse_json(struct loom_leslie *leslie,
				    const struct model_leslie_file *file,
				    const struct loom_err *main_err,
				    const struct loom_err *backup_err, struct loom_leslie_err *err)
{
	model_leslie_refuse(leslie, err, LOOM_INVALID, LOOM_THREAD_BAD_JSON, "JSON parse error");
	model_leslie_because(leslie, err, ".leslie/%s: %s; its backup: %s", file->name,
			     main_err->text, backup_err->text);
	model_leslie_detail(leslie, err, "filePath",
			    loom_arena_format(leslie->arena, ".leslie/%s", file->name));
	return loom_hint(err ? &err->err : NULL, LOOM_INVALID,
			 "repair the file by hand, or restore a copy of it; nothing was changed");
}

/* Neither file exists: starts an empty document. */
static enum loom_status begin_empty(struct model_leslie_file *file)
{
	loom_buf_clear(&file->text);
	loom_buf_adds(&file->text, "{}\n");
	file->there = false;
	loom_arena_reset(file->arena);
	(void)!model_leslie_doc_read(file->arena, loom_buf_str(&file->text), &file->doc, NULL);
	return complete(file, NULL);
}

static enum loom_status load_backup(struct loom_leslie *leslie, struct model_leslie_file *file,
				    const struct loom_err *main_err, struct loom_leslie_err *err)
{
	const struct loom_file_info seen = file->seen;
	struct loom_err backup_err = {0};
	char name[64];
	enum loom_status status = LOOM_OK;

	snprintf(name, sizeof(name), "%s.bak", file->name);
	status = read_one(leslie, file, name, &backup_err);
	file->seen = seen;
	if (status == LOOM_NOT_FOUND && !file->damaged)
		return begin_empty(file);
	if (status != LOOM_OK)
		return refuse_json(leslie, file, main_err, &backup_err, err);
	model_leslie_warn(leslie->arena, &leslie->notices, ".leslie/%s %s; its backup is used",
			  file->name, file->damaged ? "is damaged" : "is missing");
	return LOOM_OK;
}

static bool unchanged(const struct loom_file_info *a, const struct loom_file_info *b)
{
	return a->id.inode == b->id.inode && a->id.device == b->id.device && a->size == b->size &&
	       a->modified_ns == b->modified_ns;
}

enum loom_status model_leslie_file_load(struct loom_leslie *leslie, struct model_leslie_file *file,
					struct loom_leslie_err *err)
{
	struct loom_file_info info = {0};
	struct loom_err why = {0};
	enum loom_status status = LOOM_NOT_FOUND;

	if (leslie->home.fd >= 0)
		status = loom_path_info(&leslie->home, loom_str_of(file->name), false, &info, &why);
	if (file->loaded && file->there && status == LOOM_OK && unchanged(&info, &file->seen))
		return LOOM_OK;
	file->loaded = false;
	file->damaged = false;
	file->there = false;
	file->seen = info;
	if (leslie->home.fd < 0)
		return begin_empty(file);
	if (status == LOOM_OK)
		status = read_one(leslie, file, file->name, &why);
	file->there = status == LOOM_OK;
	file->damaged = status == LOOM_INVALID;
	if (status == LOOM_NOT_FOUND || status == LOOM_INVALID)
		status = load_backup(leslie, file, &why, err);
	else if (status != LOOM_OK && err)
		*err = (struct loom_leslie_err){.err = why};
	file->loaded = status == LOOM_OK;
	return status;
}

/* A replacement in progress. */
struct swap {
	const struct loom_root *root;
	int folder;
	const char *name;
	char temp[64];
	char backup[64];
	char aside[64];
};

static void swap_init(struct swap *swap, const struct model_leslie_file *file)
{
	uint32_t random = 0;

	if (!model_random(&random, sizeof random))
		random = (uint32_t)getpid();
	*swap = (struct swap){.folder = -1, .name = file->name};
	snprintf(swap->temp, sizeof(swap->temp), ".%s.tmp-%08x", file->name, (unsigned)random);
	snprintf(swap->backup, sizeof(swap->backup), "%s.bak", file->name);
	snprintf(swap->aside, sizeof(swap->aside), "%s.damaged", file->name);
}

enum loom_status model_leslie_write_all(int fd, struct loom_str bytes, const char *name,
					struct loom_err *err)
{
	while (bytes.n) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno != EINTR)
			return model_path_fail(err, errno, name);
		if (n > 0)
			bytes = loom_str_sub(bytes, (size_t)n, SIZE_MAX);
	}
	return LOOM_OK;
}

/* The new text is never assembled in memory: most of it is the old one's. */
static enum loom_status fill(const struct swap *swap, struct model_leslie_edits *edits,
			     unsigned mode, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	size_t count = 0;
	size_t size = 0;
	const struct loom_str *pieces = model_leslie_edits_pieces(edits, &count);
	int fd = openat(swap->folder, swap->temp,
			O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, MODEL_FILE_MODE);

	if (fd < 0)
		return model_path_fail(err, errno, swap->name);
	if (mode && fchmod(fd, mode) < 0)
		status = model_path_fail(err, errno, swap->name);
	model_root_fit(swap->root, fd);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		status = (size += pieces[i].n) > FILE_MAX
				 ? loom_fail(err, LOOM_LIMIT, ".leslie/%s would be too large",
					     swap->name)
				 : model_leslie_write_all(fd, pieces[i], swap->name, err);
	if (status == LOOM_OK && fsync(fd) < 0)
		status = model_path_fail(err, errno, swap->name);
	close(fd);
	return status;
}

/* The old file is the one we read: make it the backup, or set it aside if it was damaged. */
static enum loom_status settle(const struct swap *swap, const struct model_leslie_file *file,
			       struct loom_err *err)
{
	struct loom_file_info info;
	struct stat st;
	const char *old = file->there ? swap->backup : swap->aside;

	if (fstatat(swap->folder, swap->temp, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return model_path_fail(err, errno, swap->name);
	model_file_info(&st, &info);
	if (!unchanged(&info, &file->seen)) {
		if (model_rename_swap(swap->folder, swap->temp, swap->name) < 0)
			return model_path_fail(err, errno, swap->name);
		return loom_fail(err, LOOM_BUSY, ".leslie/%s was written meanwhile", swap->name);
	}
	return renameat(swap->folder, swap->temp, swap->folder, old) == 0
		       ? LOOM_OK
		       : model_path_fail(err, errno, old);
}

/* For file systems that cannot exchange two names. */
static enum loom_status replace_plainly(const struct swap *swap,
					const struct model_leslie_file *file, struct loom_err *err)
{
	const char *old = file->there ? swap->backup : swap->aside;

	if (unlinkat(swap->folder, old, 0) < 0 && errno != ENOENT)
		return model_path_fail(err, errno, old);
	if (linkat(swap->folder, swap->name, swap->folder, old, 0) < 0 ||
	    renameat(swap->folder, swap->temp, swap->folder, swap->name) < 0)
		return model_path_fail(err, errno, swap->name);
	return LOOM_OK;
}

static enum loom_status put_in_place(const struct swap *swap, const struct model_leslie_file *file,
				     struct loom_err *err)
{
	if (!file->there && !file->damaged) {
		if (model_rename_new(swap->folder, swap->temp, swap->name) == 0)
			return LOOM_OK;
		if (errno == EEXIST)
			return loom_fail(err, LOOM_BUSY, ".leslie/%s was made meanwhile",
					 swap->name);
		return model_path_fail(err, errno, swap->name);
	}
	if (model_rename_swap(swap->folder, swap->temp, swap->name) == 0)
		return settle(swap, file, err);
	if (errno == ENOENT)
		return loom_fail(err, LOOM_BUSY, ".leslie/%s was removed meanwhile", swap->name);
	if (errno == EINVAL || errno == ENOSYS)
		return replace_plainly(swap, file, err);
	return model_path_fail(err, errno, swap->name);
}

/* The new text is in place. The document as read stays in memory, because the edits refer to it. */
static enum loom_status conclude(struct model_leslie_file *file, const struct swap *swap,
				 struct loom_err *err)
{
	struct stat st;

	fsync(swap->folder);
	if (fstatat(swap->folder, swap->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return model_path_fail(err, errno, swap->name);
	if (file->there)
		file->was = file->seen;
	model_file_info(&st, &file->seen);
	file->there = true;
	file->damaged = false;
	return LOOM_OK;
}

enum loom_status model_leslie_file_commit(struct loom_leslie *leslie,
					  struct model_leslie_file *file,
					  struct model_leslie_edits *edits,
					  struct loom_leslie_err *err)
{
	struct loom_err why = {0};
	struct swap swap;
	enum loom_status status = LOOM_OK;

	swap_init(&swap, file);
	swap.root = &leslie->home;
	file->loaded = false;
	swap.folder =
		model_open_beneath(leslie->home.fd, "", O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (swap.folder < 0)
		status = model_path_fail(&why, errno, ".leslie");
	if (status == LOOM_OK)
		status = fill(&swap, edits, file->there ? file->seen.mode : 0, &why);
	if (status == LOOM_OK)
		status = put_in_place(&swap, file, &why);
	if (status == LOOM_OK)
		status = conclude(file, &swap, &why);
	else if (swap.folder >= 0)
		unlinkat(swap.folder, swap.temp, 0);
	if (status != LOOM_OK && err)
		*err = (struct loom_leslie_err){.err = why};
	if (swap.folder >= 0)
		close(swap.folder);
	return status;
}
