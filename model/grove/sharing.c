/* The modes and groups of a grove's files: setting them, and refusing wrong ones.
 *
 * Invariants: a mode is set on the file that was checked, never on its name, because others can
 * write to the folder; the store's own files are opened with O_PATH only, which keeps SQLite's
 * locks. */
#include <loom/grove/sharing.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/accounts.h>
#include <loom/grove/sql.h>

#define SHARED_FOLDER 02770u
#define SHARED_FILE   0660u

int64_t loom_store_group(const struct loom_store *store)
{
	return store->group;
}

void model_fit_file(const struct loom_store *store, int fd)
{
	struct stat info;

	if (store->group != LOOM_PRIVATE && fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
	    (info.st_mode & 0777) != SHARED_FILE)
		(void)!fchmod(fd, SHARED_FILE);
}

void model_fit_folder(const struct loom_store *store, const char *path)
{
	struct stat info;
	const int fd = store->group == LOOM_PRIVATE
			       ? -1
			       : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
	    (info.st_mode & 07777) != SHARED_FOLDER)
		(void)!fchmod(fd, SHARED_FOLDER);
	if (fd >= 0)
		close(fd);
}

/* --- what is refused --- */

static enum loom_status refuse_writers(const char *path, struct loom_err *err)
{
	loom_fail(err, LOOM_FOREIGN, "%s may be written by others; chmod go-w it first", path);
	return loom_hint(err, LOOM_FOREIGN,
			 "to share it with a group, run chmod go-w, then `loom share GROUP`");
}

/* Returns whether the store's folder is setgid with the file's group, and closed to others. */
static bool is_shared_folder(const char *path, const struct stat *file)
{
	struct loom_str dir = loom_str_of(path);
	char folder[PATH_MAX];
	struct stat info;

	while (dir.n > 1 && dir.p[dir.n - 1] != '/')
		dir.n--;
	snprintf(folder, sizeof folder, "%.*s", (int)dir.n - 1, dir.p);
	return lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) &&
	       (info.st_mode & 07777 & ~0750u) == (SHARED_FOLDER & ~0750u) &&
	       info.st_gid == file->st_gid;
}

enum loom_status model_judge_modes(const char *path, const struct stat *info, int64_t *out_group,
				   struct loom_err *err)
{
	LOOM_ASSERT(out_group);
	*out_group = LOOM_PRIVATE;
	if (!(info->st_mode & (S_IWGRP | S_IWOTH)))
		return LOOM_OK;
	if ((info->st_mode & S_IWOTH) || !is_shared_folder(path, info))
		return refuse_writers(path, err);
	*out_group = info->st_gid;
	return LOOM_OK;
}

void model_place_group(struct loom_store *store)
{
	char inner[PATH_MAX + 16];
	struct stat info;

	snprintf(inner, sizeof inner, "%s/" LOOM_GROVE_DIR, loom_buf_cstr(&store->dir));
	if (lstat(inner, &info) == 0 && S_ISDIR(info.st_mode) &&
	    (info.st_mode & 07777) == SHARED_FOLDER)
		store->group = info.st_gid;
}

enum loom_status model_check_group(struct loom_store *store, struct loom_err *err)
{
	struct query q;
	int64_t group = LOOM_PRIVATE;

	if (store->group == LOOM_PRIVATE)
		return LOOM_OK;
	q = model_query(store, "SELECT coalesce(shared, -1) FROM grove WHERE id = 1", err);
	if (model_one(&q, LOOM_PRIVATE, &group) != LOOM_OK)
		return q.status;
	return group == store->group ? LOOM_OK : refuse_writers(loom_buf_cstr(&store->file), err);
}

static enum loom_status refuse_alone(const char *dir, const struct stat *info,
				     struct loom_arena *arena, struct loom_err *err)
{
	const struct loom_str owner = loom_account_name(info->st_uid, arena);
	const struct loom_str mine = loom_groups_mine(arena);

	loom_fail(err, LOOM_REFUSED, "the grove in %s is private to %.*s", dir,
		  LOOM_STR_ARG(owner));
	return loom_hint(err, LOOM_REFUSED,
			 "%.*s can run `loom share GROUP` there, with a group that you both are "
			 "in%s%.*s%s",
			 LOOM_STR_ARG(owner), mine.n ? " (yours: " : "", LOOM_STR_ARG(mine),
			 mine.n ? ")" : "");
}

static enum loom_status refuse_outside(const char *dir, const struct stat *info,
				       struct loom_arena *arena, struct loom_err *err)
{
	const struct loom_str group = loom_group_name(info->st_gid, arena);
	const struct loom_str me = loom_account_name(geteuid(), arena);

	loom_fail(err, LOOM_REFUSED, "the grove in %s is shared with %.*s, and you are not in it",
		  dir, LOOM_STR_ARG(loom_group_said(info->st_gid, arena)));
	return loom_hint(err, LOOM_REFUSED,
			 "an administrator can run `usermod -aG %.*s %.*s`; then log in again",
			 LOOM_STR_ARG(group), LOOM_STR_ARG(me));
}

enum loom_status model_refuse_shut(const char *dir, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	char inner[PATH_MAX + 16];
	struct stat info;
	enum loom_status status = LOOM_REFUSED;

	snprintf(inner, sizeof inner, "%s/" LOOM_GROVE_DIR, dir);
	if (lstat(inner, &info) != 0 || info.st_uid == geteuid()) {
		loom_fail(err, LOOM_IO, "cannot look into %s: %s", inner, strerror(EACCES));
		status = loom_hint(err, LOOM_IO, "chmod u+rwx it, or name another grove with -g");
	} else if ((info.st_mode & S_ISGID) && !loom_group_mine(info.st_gid)) {
		status = refuse_outside(dir, &info, arena, err);
	} else {
		status = refuse_alone(dir, &info, arena, err);
	}
	loom_arena_destroy(arena);
	return status;
}

/* --- which group --- */

static enum loom_status refuse_group(struct loom_str what, struct loom_arena *arena,
				     struct loom_err *err)
{
	const struct loom_str mine = loom_groups_mine(arena);

	loom_fail(err, LOOM_REFUSED, "%.*s", LOOM_STR_ARG(what));
	if (mine.n)
		return loom_hint(err, LOOM_REFUSED, "use a group that you are in: %.*s",
				 LOOM_STR_ARG(mine));
	return loom_hint(err, LOOM_REFUSED,
			 "you are in no group with others; an administrator can create one "
			 "(groupadd, usermod -aG)");
}

static int64_t usual_group(struct loom_str dir)
{
	char path[PATH_MAX];
	struct stat info;

	snprintf(path, sizeof path, "%.*s", LOOM_STR_ARG(dir));
	return stat(path, &info) == 0 && (info.st_mode & S_ISGID) ? info.st_gid : getegid();
}

enum loom_status loom_share_group(struct loom_str name, struct loom_str dir, int64_t *out,
				  struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	enum loom_status status = LOOM_OK;
	struct loom_str said;

	*out = name.n ? loom_group_find(name) : usual_group(dir);
	said = loom_group_said(*out, arena);
	if (*out < 0) {
		loom_fail(err, LOOM_NOT_FOUND, "there is no group \"%.*s\" on this machine",
			  LOOM_STR_ARG(name));
		status = loom_hint(err, LOOM_NOT_FOUND, "you are in: %.*s",
				   LOOM_STR_ARG(loom_groups_mine(arena)));
	} else if (geteuid() != 0 && !loom_group_mine(*out)) {
		status = refuse_group(loom_arena_format(arena, "you are not in %.*s",
							LOOM_STR_ARG(said)),
				      arena, err);
	} else if (loom_group_alone(*out)) {
		status = refuse_group(loom_arena_format(arena, "only you are in %.*s",
							LOOM_STR_ARG(said)),
				      arena, err);
	}
	loom_arena_destroy(arena);
	return status;
}

void loom_share_closed(struct loom_str dir, int64_t group, struct loom_buf *out)
{
	char path[PATH_MAX];
	struct stat info;

	for (size_t at = 1; at <= dir.n; at++) {
		if (at < dir.n && dir.p[at] != '/')
			continue;
		snprintf(path, sizeof path, "%.*s", (int)at, dir.p);
		if (stat(path, &info) != 0 ||
		    (info.st_mode & ((int64_t)info.st_gid == group ? S_IXGRP : S_IXOTH)))
			continue;
		loom_buf_adds(out, path);
		return;
	}
}

/* --- setting modes --- */

struct fitting {
	int64_t group; /* or LOOM_PRIVATE */
	unsigned file; /* modes */
	unsigned folder;
	bool do_it; /* false: only check whether it is possible */
};

static struct fitting fitting_for(int64_t group, bool do_it)
{
	return (struct fitting){
		.group = group,
		.file = group == LOOM_PRIVATE ? MODEL_FILE_MODE : SHARED_FILE,
		.folder = group == LOOM_PRIVATE ? MODEL_FOLDER_MODE : SHARED_FOLDER,
		.do_it = do_it,
	};
}

static enum loom_status refuse_owner(const char *path, const struct stat *info,
				     struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	const struct loom_str owner = loom_account_said(info->st_uid, arena);

	loom_fail(err, LOOM_REFUSED, "%s belongs to %.*s, and only its owner can change its mode",
		  path, LOOM_STR_ARG(owner));
	loom_hint(err, LOOM_REFUSED,
		  "%.*s or root can run this; or make grove.db yours with `loom backup FILE`, then "
		  "`loom restore FILE`",
		  LOOM_STR_ARG(loom_account_name(info->st_uid, arena)));
	loom_arena_destroy(arena);
	return LOOM_REFUSED;
}

static bool set_mode(int fd, unsigned mode, const struct fitting *fit)
{
	char path[64];
	struct stat info;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fit->group != LOOM_PRIVATE &&
	    fchownat(fd, "", (uid_t)-1, (gid_t)fit->group, AT_EMPTY_PATH) != 0)
		return false;
	return chmod(path, mode) == 0 && fstat(fd, &info) == 0 && (info.st_mode & 07777) == mode;
}

/* Sets the mode of one file or folder; refuses links, and files with several names. */
static enum loom_status fit(const char *path, const struct fitting *fit, struct loom_err *err)
{
	const int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	enum loom_status status = LOOM_OK;
	struct stat info;
	unsigned mode = 0;

	if (fd < 0)
		return errno == ENOENT ? LOOM_OK : loom_fail_errno(err, errno, "%s", path);
	if (fstat(fd, &info) == 0)
		mode = S_ISDIR(info.st_mode) ? fit->folder : fit->file;
	if (!mode || !(S_ISDIR(info.st_mode) || (S_ISREG(info.st_mode) && info.st_nlink == 1)))
		status = loom_fail(err, LOOM_FOREIGN, "%s is not a regular file; it was left alone",
				   path);
	else if ((info.st_mode & 07777) == mode &&
		 (fit->group == LOOM_PRIVATE || (int64_t)info.st_gid == fit->group))
		status = LOOM_OK;
	else if (info.st_uid != geteuid() && geteuid() != 0)
		status = refuse_owner(path, &info, err);
	else if (fit->do_it && !set_mode(fd, mode, fit))
		status = loom_fail_errno(err, errno, "cannot set the mode of %s", path);
	close(fd);
	return status;
}

/* Files of others in a folder that is closed to them may stay as they are. */
static bool is_ours(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && (info.st_uid == geteuid() || geteuid() == 0);
}

/* Sets the modes of the store's copies and of the files beside it. The grove itself comes last:
 * until then nobody else can write to it. */
static enum loom_status fit_inside(const char *folder, const struct fitting *how, bool store,
				   struct loom_err *err)
{
	const size_t n = sizeof LOOM_GROVE_FILE - 1;
	char path[PATH_MAX + 300];
	const struct dirent *entry;
	DIR *dir = opendir(folder);
	enum loom_status status = LOOM_OK;

	if (!dir)
		return errno == ENOENT ? LOOM_OK : loom_fail_errno(err, errno, "%s", folder);
	while (status == LOOM_OK && (entry = readdir(dir)) != NULL) {
		const char *name = entry->d_name;

		if (store ? (strncmp(name, LOOM_GROVE_FILE, n) != 0 || !name[n]) &&
				    strcmp(name, "lock") != 0
			  : name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, name);
		if (how->group != LOOM_PRIVATE || is_ours(path) ||
		    (store && model_is_store_name(name)))
			status = fit(path, how, err);
	}
	closedir(dir);
	return status;
}

enum loom_status model_share_files(struct loom_store *store, int64_t group, bool do_it,
				   struct loom_err *err)
{
	const struct fitting how = fitting_for(group, do_it);
	char inner[PATH_MAX + 16];
	char live[PATH_MAX + 32];
	enum loom_status status;

	snprintf(inner, sizeof inner, "%s/" LOOM_GROVE_DIR, loom_buf_cstr(&store->dir));
	snprintf(live, sizeof live, "%s/live", inner);
	status = fit(inner, &how, err);
	if (status == LOOM_OK)
		status = fit(live, &how, err);
	if (status == LOOM_OK)
		status = fit_inside(live, &how, false, err);
	if (status == LOOM_OK)
		status = fit_inside(inner, &how, true, err);
	if (status == LOOM_OK)
		status = fit(loom_buf_cstr(&store->file), &how, err);
	if (status == LOOM_OK && do_it)
		store->group = group;
	return status;
}

enum loom_status loom_share_folder(struct loom_str dir, int64_t group, struct loom_err *err)
{
	const struct fitting how = fitting_for(group, true);
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%.*s", LOOM_STR_ARG(dir));
	return fit(path, &how, err);
}
