/* Writes files beneath a root, atomically.
 *
 * The bytes go into an unnamed file in the target's folder (a named one if the file system has no
 * unnamed files), are synced, and get their name last: by a rename or, for a new file, by a link,
 * which cannot replace anything. A kill at any moment leaves either the old file or the new one. */
#include <loom/files/half_made.h>
#include <loom/files/beneath.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <loom/base/system.h>

#define TRIES 8

/* A write in progress. */
struct job {
	const struct loom_root *root;
	const struct loom_write_opts *opts;
	const char *path; /* as the caller wrote it, for messages */
	const char *name; /* the last part of path */
	int folder;
	int file;
	bool linked; /* the temporary file is named `temp` */
	char temp[40];
	bool exists;
	struct stat old;
};

static enum loom_status make_folders(const struct loom_root *root, struct loom_str path,
				     unsigned mode, struct loom_err *err);

/* Lets everyone who may read the file enter its folder. */
static unsigned folder_mode(const struct loom_write_opts *opts)
{
	return opts->mode ? opts->mode | 0700 | (opts->mode & 0444) >> 2 : MODEL_FOLDER_MODE;
}

/* Opens the folder of `path`, creating it if requested, and splits off the last part. */
static enum loom_status open_folder(struct job *job, struct loom_str path, struct loom_err *err)
{
	size_t cut = path.n;
	struct loom_str folder;
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(job->path && job->folder < 0);
	while (cut && path.p[cut - 1] != '/')
		cut--;
	LOOM_ASSERT(cut <= path.n);
	folder = loom_str_sub(path, 0, cut ? cut - 1 : 0);
	job->name = job->path + cut;
	if (!*job->name)
		return loom_fail(err, LOOM_PATH, "%s names no file", job->path);
	if (job->opts->folders && folder.n)
		status = make_folders(job->root, folder, folder_mode(job->opts), err);
	if (status == LOOM_OK)
		status = model_path_cstr(folder, &name, err);
	if (status == LOOM_OK) {
		job->folder = model_open_beneath(job->root->fd, loom_buf_cstr(&name),
						 O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
		if (job->folder < 0)
			status = model_path_fail(err, errno, job->path);
	}
	loom_buf_fini(&name);
	return status;
}

/* A name that differs from an existing one only in case or composition could be the same file
 * elsewhere. */
struct twin_search {
	struct loom_str name;
	bool found;
};

static void look_for_twin(void *ctx, const char *name, size_t length, unsigned char type)
{
	struct twin_search *search = ctx;

	(void)type;
	if (!search->found)
		search->found = loom_path_is_twin(search->name, loom_str_make(name, length));
}

static enum loom_status check_new_name(const struct job *job, struct loom_err *err)
{
	struct twin_search search = {.name = loom_str_of(job->name)};
	enum loom_status status = loom_path_check_name(search.name, err);
	int error = 0;

	if (status != LOOM_OK)
		return status;
	error = model_folder_each(job->folder, look_for_twin, &search);
	if (error)
		return model_path_fail(err, error, job->path);
	if (search.found) {
		loom_fail(err, LOOM_PATH, "%s has a twin that differs only in case or accents",
			  job->path);
		return loom_hint(err, LOOM_PATH, "use the existing name, or a different one");
	}
	return LOOM_OK;
}

static enum loom_status check_expected(const struct job *job, struct loom_err *err)
{
	struct loom_root here = {.fd = job->folder};
	struct loom_buf old = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;
	struct loom_hash hash;

	LOOM_ASSERT(job->opts->expected);
	if (job->exists)
		status = loom_file_read(&here, loom_str_of(job->name), NULL, &old, err);
	hash = loom_sha256(loom_buf_str(&old));
	loom_buf_fini(&old);
	if (status != LOOM_OK)
		return status;
	if (!job->exists || !loom_hash_eq(&hash, job->opts->expected))
		return loom_fail(err, LOOM_CONFLICT, "%s has changed meanwhile", job->path);
	return LOOM_OK;
}

/* Checks whether the file now at the target may be replaced. */
static enum loom_status check_target(struct job *job, struct loom_err *err)
{
	LOOM_ASSERT(job->folder >= 0);
	job->exists = fstatat(job->folder, job->name, &job->old, AT_SYMLINK_NOFOLLOW) == 0;
	if (!job->exists && errno != ENOENT)
		return model_path_fail(err, errno, job->path);
	if (job->exists && job->opts->fresh)
		return loom_fail(err, LOOM_CONFLICT, "%s already exists", job->path);
	if (job->exists && !S_ISREG(job->old.st_mode))
		return loom_fail(err, LOOM_PATH, "%s is not a regular file", job->path);
	if (job->exists && model_file_refused(job->root, &job->old))
		return loom_fail(err, LOOM_REFUSED, "%s is a file of the store", job->path);
	if (job->opts->expected)
		return check_expected(job, err);
	return job->exists || job->opts->any_name ? LOOM_OK : check_new_name(job, err);
}

static bool draw_name(struct job *job)
{
	return model_part_name(".loom-", job->temp, sizeof job->temp);
}

static enum loom_status open_temp(struct job *job, struct loom_err *err)
{
	unsigned mode = job->opts->mode ? job->opts->mode : MODEL_FILE_MODE;

	LOOM_ASSERT(job->folder >= 0 && job->file < 0);
	job->file = openat(job->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	if (job->file >= 0)
		model_part_hold(job->file);
	for (int tries = 0; job->file < 0 && tries < TRIES && draw_name(job); tries++) {
		job->file = model_part_file(job->folder, job->temp, mode);
		job->linked = job->file >= 0;
	}
	if (job->file < 0)
		return model_path_fail(err, errno, job->path);
	if (!job->exists)
		model_root_fit(job->root, job->file);
	else if (fchmod(job->file, job->old.st_mode & 07777) < 0)
		return model_path_fail(err, errno, job->path);
	return LOOM_OK;
}

static enum loom_status fill_temp(const struct job *job, struct loom_str bytes,
				  struct loom_err *err)
{
	LOOM_ASSERT(job->file >= 0);
	while (bytes.n) {
		ssize_t n = write(job->file, bytes.p, bytes.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return model_path_fail(err, errno, job->path);
		bytes = loom_str_sub(bytes, (size_t)n, bytes.n);
	}
	if (job->opts->fill) {
		enum loom_status status = job->opts->fill(job->opts->ctx, job->file, err);

		if (status != LOOM_OK)
			return status;
	}
	return fsync(job->file) < 0 ? model_path_fail(err, errno, job->path) : LOOM_OK;
}

/* Links the unnamed file as `name`; false with errno if that fails. */
static bool link_temp(const struct job *job, const char *name)
{
	char held[40];

	LOOM_ASSERT(job->file >= 0);
	if (job->linked)
		return model_rename_new(job->folder, job->temp, name) == 0;
	snprintf(held, sizeof held, "/proc/self/fd/%d", job->file);
	return linkat(AT_FDCWD, held, job->folder, name, AT_SYMLINK_FOLLOW) == 0;
}

static enum loom_status name_temp(struct job *job, struct loom_err *err)
{
	LOOM_ASSERT(job->file >= 0 && job->folder >= 0);
	if (!job->exists) {
		if (link_temp(job, job->name)) {
			job->linked = false;
			return LOOM_OK;
		}
		if (errno == EEXIST)
			return loom_fail(err, LOOM_CONFLICT, "%s was made meanwhile", job->path);
		return model_path_fail(err, errno, job->path);
	}
	/* Only here does a name exist for a moment that a kill would leave behind. */
	model_part_sweep(job->folder, MODEL_OLD_NONE);
	for (int tries = 0; !job->linked && tries < TRIES && draw_name(job); tries++) {
		job->linked = link_temp(job, job->temp);
		if (!job->linked && errno != EEXIST)
			break;
	}
	if (!job->linked || renameat(job->folder, job->temp, job->folder, job->name) < 0)
		return model_path_fail(err, errno, job->path);
	job->linked = false;
	return LOOM_OK;
}

static enum loom_status sync_folder(const struct job *job, struct loom_err *err)
{
	/* Some file systems cannot sync a folder and return EINVAL; there a rename is as durable as
	 * it gets. */
	if (!job->opts->derived && fsync(job->folder) < 0 && errno != EINVAL)
		return model_path_fail(err, errno, job->path);
	return LOOM_OK;
}

static void job_fini(struct job *job)
{
	if (job->linked)
		unlinkat(job->folder, job->temp, 0);
	if (job->file >= 0)
		close(job->file);
	if (job->folder >= 0)
		close(job->folder);
}

enum loom_status loom_file_write(const struct loom_root *root, struct loom_str path,
				 struct loom_str bytes, const struct loom_write_opts *opts,
				 struct loom_err *err)
{
	static const struct loom_write_opts usual = {0};
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct job job = {
		.root = root,
		.opts = opts ? opts : &usual,
		.folder = -1,
		.file = -1,
	};
	enum loom_status status = loom_path_normal(path, &whole, err);

	job.path = loom_buf_cstr(&whole);
	if (status == LOOM_OK)
		status = open_folder(&job, loom_buf_str(&whole), err);
	if (status == LOOM_OK)
		status = check_target(&job, err);
	if (status == LOOM_OK)
		status = open_temp(&job, err);
	if (status == LOOM_OK)
		status = fill_temp(&job, bytes, err);
	if (status == LOOM_OK)
		status = name_temp(&job, err);
	if (status == LOOM_OK)
		status = sync_folder(&job, err);
	LOOM_ASSERT(status != LOOM_OK || !job.linked);
	job_fini(&job);
	loom_buf_fini(&whole);
	return status;
}

enum loom_status loom_file_write_at(const char *path, struct loom_str bytes,
				    const struct loom_root *refused, struct loom_err *err)
{
	static const struct loom_write_opts opts = {.any_name = true};

	return loom_file_write_with(path, bytes, refused, &opts, err);
}

enum loom_status loom_file_write_with(const char *path, struct loom_str bytes,
				      const struct loom_root *refused,
				      const struct loom_write_opts *opts, struct loom_err *err)
{
	const char *slash = strrchr(path, '/');
	struct loom_buf folder = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_root root = LOOM_ROOT_INIT;
	enum loom_status status = LOOM_OK;

	loom_buf_adds(&folder, slash ? "" : ".");
	loom_buf_add(&folder, loom_str_make(path, slash ? (size_t)(slash - path) + 1 : 0));
	status = loom_root_open(loom_buf_cstr(&folder), &root, err);
	if (status == LOOM_NOT_FOUND) {
		loom_fail(err, status, "there is no folder %s", loom_buf_cstr(&folder));
		loom_hint(err, status, "make it first: mkdir -p %s", loom_buf_cstr(&folder));
	}
	if (status == LOOM_OK) {
		if (refused) {
			root.refused = refused->refused;
			root.refused_count = refused->refused_count;
		}
		status = loom_file_write(&root, loom_str_of(slash ? slash + 1 : path), bytes, opts,
					 err);
	}
	loom_root_close(&root);
	loom_buf_fini(&folder);
	return status;
}

/* Creates a folder in `parent` and replaces that descriptor by the new folder's. */
/* A file that cannot be given to the group stays private. */
void model_root_fit(const struct loom_root *root, int fd)
{
	struct stat info;
	unsigned mode;

	if (!root->shared || fd < 0 || fstat(fd, &info) < 0 || info.st_uid != geteuid() ||
	    (info.st_gid != root->group && fchown(fd, (uid_t)-1, root->group) < 0))
		return;
	mode = S_ISDIR(info.st_mode) ? S_ISGID | 0700u : info.st_mode & 0700u;
	(void)!fchmod(fd, mode | (mode & 0700) >> 3);
}

int model_root_folder(const struct loom_root *root, const char *name)
{
	int made = mkdirat(root->fd, name, MODEL_FOLDER_MODE);
	int fd = -1;

	if (made < 0 || !root->shared)
		return made;
	fd = model_open_beneath(root->fd, name, O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	model_root_fit(root, fd);
	if (fd >= 0)
		close(fd);
	return made;
}

static enum loom_status step_down(const struct loom_root *root, int *parent, struct loom_str part,
				  unsigned mode, struct loom_err *err)
{
	char name[256];
	int next = -1;
	bool made = false;

	LOOM_ASSERT(*parent >= 0);
	if (part.n >= sizeof name)
		return model_path_fail(err, ENAMETOOLONG, "a folder");
	memcpy(name, part.p, part.n);
	name[part.n] = '\0';
	next = model_open_beneath(*parent, name, O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (next < 0 && errno == ENOENT) {
		if (loom_path_check_name(part, err) != LOOM_OK)
			return LOOM_PATH;
		made = mkdirat(*parent, name, mode) == 0;
		if (!made && errno != EEXIST)
			return model_path_fail(err, errno, name);
		fsync(*parent);
		next = model_open_beneath(*parent, name, O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	}
	if (next < 0)
		return model_path_fail(err, errno, name);
	if (made)
		model_root_fit(root, next);
	close(*parent);
	*parent = next;
	return LOOM_OK;
}

static enum loom_status make_folders(const struct loom_root *root, struct loom_str path,
				     unsigned mode, struct loom_err *err)
{
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int folder = model_open_beneath(root->fd, "", O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	enum loom_status status = loom_path_normal(path, &whole, err);
	struct loom_str rest = loom_buf_str(&whole);
	struct loom_str part;

	if (status == LOOM_OK && folder < 0)
		status = model_path_fail(err, errno, ".");
	while (status == LOOM_OK && loom_str_cut(&rest, '/', &part))
		status = step_down(root, &folder, part, mode, err);
	if (folder >= 0)
		close(folder);
	loom_buf_fini(&whole);
	return status;
}

enum loom_status loom_folder_make(const struct loom_root *root, struct loom_str path,
				  struct loom_err *err)
{
	return make_folders(root, path, MODEL_FOLDER_MODE, err);
}
