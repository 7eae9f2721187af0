/* A grove's files: finding them, creating them, recognising them by their header. */
#include <loom/grove/log_frames.h>
#include <loom/files/state_file.h>
#include <loom/grove/sql.h>
#include <loom/base/system.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <loom/files/path.h>
#include <loom/grove/trust.h>

/* --- finding --- */

static bool has_grove(const char *dir)
{
	char path[PATH_MAX];
	struct stat info;
	int n = snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE, dir);

	return n > 0 && (size_t)n < sizeof path && lstat(path, &info) == 0;
}

bool model_is_shut(const char *dir)
{
	char path[PATH_MAX];
	struct stat info;
	int n = snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR, dir);

	if (n < 0 || (size_t)n >= sizeof path || lstat(path, &info) != 0)
		return false;
	n = snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE, dir);
	return n > 0 && (size_t)n < sizeof path && lstat(path, &info) != 0 && errno == EACCES;
}

/* Returns the name of store file number 0, 1, … in .loom. */
static const char *store_name(size_t i, char out[32])
{
	LOOM_ASSERT(i < LOOM_STORE_FILES);
	if (i == LOOM_STORE_FILES - 1)
		return "lock";
	snprintf(out, 32, LOOM_GROVE_FILE "%s", i ? model_beside[i - 1] : "");
	return out;
}
_Static_assert(LOOM_STORE_FILES == 1 + MODEL_BESIDE + 1,
	       "the grove, the files beside it, the lock");

bool model_is_store_name(const char *name)
{
	char room[32];

	for (size_t i = 0; i < LOOM_STORE_FILES; i++)
		if (strcmp(name, store_name(i, room)) == 0)
			return true;
	return false;
}

size_t loom_store_files(struct loom_str dir, struct loom_file_id out[LOOM_STORE_FILES])
{
	char path[PATH_MAX];
	char room[32];
	struct stat info;
	size_t count = 0;

	for (size_t i = 0; i < LOOM_STORE_FILES; i++) {
		int n = snprintf(path, sizeof path, "%.*s/" LOOM_GROVE_DIR "/%s", LOOM_STR_ARG(dir),
				 store_name(i, room));

		if (n > 0 && (size_t)n < sizeof path && lstat(path, &info) == 0)
			out[count++] =
				(struct loom_file_id){(uint64_t)info.st_dev, (uint64_t)info.st_ino};
	}
	LOOM_ASSERT(count <= LOOM_STORE_FILES);
	return count;
}

void model_remove_beside(const char *path)
{
	char beside[PATH_MAX + 16];

	for (size_t i = 0; i < MODEL_BESIDE; i++) {
		snprintf(beside, sizeof beside, "%s%s", path, model_beside[i]);
		unlink(beside);
	}
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
	(void)info;
	(void)type;
	(void)at;
	(void)remove(path);
	return 0;
}

void model_remove_tree(const char *path)
{
	(void)nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

enum loom_status model_settle_file(const char *temp, const char *path, struct loom_err *err)
{
	int fd = open(temp, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool placed = fd >= 0 && fsync(fd) == 0 && model_rename_new(AT_FDCWD, temp, path) == 0;
	const int why = errno;

	LOOM_ASSERT(temp && path);
	if (fd >= 0)
		close(fd);
	if (!placed)
		return why == EEXIST ? loom_fail(err, LOOM_CONFLICT,
						 "%s: a file of that name exists", path)
				     : loom_fail_errno(err, why, "%s", path);
	return model_sync_name(path) ? LOOM_OK : loom_fail_errno(err, errno, "%s", path);
}

enum loom_status loom_grove_find(const struct loom_env *env, struct loom_str start,
				 struct loom_buf *out_dir, bool *personal, struct loom_err *err)
{
	char wanted[PATH_MAX];
	char dir[PATH_MAX];

	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(start));
	if (!realpath(start.n ? wanted : ".", dir))
		return loom_fail(err, LOOM_NOT_FOUND, "no such directory: %s: %s", wanted,
				 strerror(errno));
	if (personal)
		*personal = false;
	for (;;) {
		char *slash = strrchr(dir, '/');

		LOOM_ASSERT(dir[0] == '/');
		if (has_grove(dir)) {
			loom_buf_adds(out_dir, dir);
			return LOOM_OK;
		}
		/* skipping it would make us write into another one */
		if (model_is_shut(dir))
			return model_refuse_shut(dir, err);
		if (!slash || dir[1] == '\0')
			break;
		slash[slash == dir ? 1 : 0] = '\0';
	}
	if (personal)
		*personal = true;
	return loom_env_dir(env, LOOM_DIR_DATA, out_dir, err);
}

/* --- recognising a file --- */

static enum loom_status judge_header(const char *path, const unsigned char *head, size_t n,
				     struct loom_err *err)
{
	LOOM_ASSERT(n <= 100);
	if (n == 0)
		return loom_fail(err, LOOM_FOREIGN, "%s is empty, not a grove; it was left alone",
				 path);
	if (n < 100 || memcmp(head, "SQLite format 3", 16) != 0)
		return loom_fail(err, LOOM_FOREIGN, "%s is not a database; it was left alone",
				 path);
	if (model_be32(head + 68) != LOOM_APPLICATION_ID)
		return loom_fail(err, LOOM_FOREIGN,
				 "%s belongs to another program; it was left alone", path);
	return LOOM_OK;
}

/* Uses SQLite's file layer: a plain open and close would drop the locks of any connection this
 * process has on the file. */
static enum loom_status read_header(const char *path, unsigned char head[100], size_t *out_n,
				    struct loom_err *err)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	sqlite3_file *file = NULL;
	const char *name = NULL;
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_NOFOLLOW;
	sqlite3_int64 size = 0;
	int open_error = 0;
	int code;

	if (!vfs) /* SQLite initialises on its first call, and ran out of memory */
		return loom_fail(err, LOOM_FAULT, "%s: %s", path, sqlite3_errstr(SQLITE_NOMEM));
	file = loom_alloc((size_t)vfs->szOsFile);
	name = sqlite3_create_filename(path, "", "", 0, NULL);
	errno = 0;
	code = name ? vfs->xOpen(vfs, name, file, flags, NULL) : SQLITE_NOMEM;
	open_error = code == SQLITE_OK ? 0 : errno;
	if (code == SQLITE_OK) {
		code = file->pMethods->xFileSize(file, &size);
		*out_n = size < 100 ? (size_t)size : 100;
		if (code == SQLITE_OK && *out_n)
			code = file->pMethods->xRead(file, head, (int)*out_n, 0);
		file->pMethods->xClose(file);
	}
	sqlite3_free_filename(name);
	free(file);
	if (code == SQLITE_OK)
		return LOOM_OK;
	return loom_fail(err, LOOM_IO, "%s: %s", path,
			 open_error ? strerror(open_error) : sqlite3_errstr(code));
}

/* SQLite follows no link to a store, so that a store has one name. */
static enum loom_status refuse_link(const char *path, struct loom_err *err)
{
	char dir[PATH_MAX];
	struct stat info;
	char *slash;

	snprintf(dir, sizeof dir, "%s", path);
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	if (lstat(dir, &info) != 0 || !S_ISLNK(info.st_mode))
		return LOOM_OK;
	loom_fail(err, LOOM_FOREIGN, "%s is a link; a store is not opened through links", dir);
	return loom_hint(err, LOOM_FOREIGN,
			 "with -g, name the directory that really has " LOOM_GROVE_DIR);
}

/* A file that SQLite would take for its log must be a regular one; it may come from elsewhere with
 * the grove. */
static enum loom_status refuse_beside(const char *path, struct loom_err *err)
{
	char beside[PATH_MAX];
	struct stat info;

	for (size_t i = 0; i < MODEL_BESIDE; i++) {
		snprintf(beside, sizeof beside, "%s%s", path, model_beside[i]);
		if (lstat(beside, &info) != 0 || S_ISREG(info.st_mode))
			continue;
		loom_fail(err, LOOM_FOREIGN, "%s is not a regular file; it was left alone", beside);
		return loom_hint(err, LOOM_FOREIGN, "remove it; SQLite creates it when needed");
	}
	return LOOM_OK;
}

/* SQLite's limit on paths is below the system's, and it does not say so when a path exceeds it. */
enum loom_status model_refuse_long(struct loom_str dir, struct loom_err *err)
{
	static const char longest[] = "/" LOOM_GROVE_DIR "/grove.new-1234567890";
	const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	const size_t most = vfs ? (size_t)vfs->mxPathname - sizeof longest - 1 : SIZE_MAX;

	if (dir.n <= most)
		return LOOM_OK;
	loom_fail(err, LOOM_PATH,
		  "the path of a grove can have at most %zu bytes; this one has %zu", most, dir.n);
	return loom_hint(err, LOOM_PATH, "put it in a place with a shorter path");
}

enum loom_status model_inspect_file(struct loom_store *store, int64_t *out_version,
				    struct loom_err *err)
{
	const char *path = loom_buf_cstr(&store->file);
	unsigned char head[100] = {0};
	struct stat info;
	enum loom_status status = refuse_link(path, err);
	size_t n = 0;

	LOOM_ASSERT(out_version);
	if (status != LOOM_OK)
		return status;
	if (lstat(path, &info) != 0 && errno == EACCES)
		return model_refuse_shut(loom_buf_cstr(&store->dir), err);
	if (lstat(path, &info) != 0)
		return loom_fail(err, errno == ENOENT ? LOOM_NOT_FOUND : LOOM_IO, "%s: %s", path,
				 errno == ENOENT ? "there is no grove here" : strerror(errno));
	if (!S_ISREG(info.st_mode))
		return loom_fail(err, LOOM_FOREIGN, "%s is not a regular file", path);
	status = model_judge_modes(path, &info, &store->group, err);
	if (status == LOOM_OK)
		status = refuse_beside(path, err);
	if (status == LOOM_OK)
		status = read_header(path, head, &n, err);
	if (status == LOOM_OK)
		status = judge_header(path, head, n, err);
	*out_version = model_be32(head + 60);
	return status;
}

enum loom_status model_refuse_network(const char *dir, struct loom_err *err)
{
	static const struct {
		long magic;
		const char *name;
	} kinds[] = {
		{NFS_SUPER_MAGIC, "NFS"},
		{SMB_SUPER_MAGIC, "SMB"},
		{0xFE534D42L /* SMB2 */, "SMB"},
		{CIFS_SUPER_MAGIC, "CIFS"},
		{V9FS_MAGIC, "9p"},
		{FUSE_SUPER_MAGIC, "FUSE"},
	};
	struct statfs info;

	if (statfs(dir, &info) != 0)
		return LOOM_OK;
	for (size_t i = 0; i < LOOM_COUNT(kinds); i++)
		if ((long)info.f_type == kinds[i].magic)
			return loom_fail(err, LOOM_IO,
					 "%s is on a network file system (%s), where a grove is "
					 "not safe; put it on a local disk",
					 dir, kinds[i].name);
	return LOOM_OK;
}

/* --- creating --- */

/* Builds the database under a temporary name; a crash leaves at most that file. */
static enum loom_status build_file(struct loom_env *env, struct loom_str dir,
				   model_first_rows *first_rows, struct loom_buf *temp,
				   struct loom_err *err)
{
	struct loom_store *store = model_store_create(env, dir, false);
	enum loom_status status;

	LOOM_ASSERT(temp->n == 0);
	loom_buf_addf(temp, "%.*s/" LOOM_GROVE_DIR "/grove.new-%d", LOOM_STR_ARG(dir), getpid());
	loom_buf_clear(&store->file);
	loom_buf_add(&store->file, loom_buf_str(temp));
	unlink(loom_buf_cstr(temp));
	status = model_connect(store, true, err);
	if (status == LOOM_OK)
		status = model_schema_create(store, first_rows, err);
	/* Fold everything into the one file that is renamed, leaving no log behind. */
	if (status == LOOM_OK)
		status = model_script(store, "PRAGMA wal_checkpoint(TRUNCATE)", err);
	model_store_close(store);
	return status;
}

static enum loom_status place_file(struct loom_str dir, const struct loom_buf *temp,
				   struct loom_err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%.*s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE, LOOM_STR_ARG(dir));
	return model_settle_file(loom_buf_cstr(temp), path, err);
}

static enum loom_status refuse_second(const char *dir, struct loom_err *err)
{
	loom_fail(err, LOOM_CONFLICT, "%s already has a grove", dir);
	return loom_hint(err, LOOM_CONFLICT, "`loom -g %s trees` shows what is in it", dir);
}

/* A log without its grove may be all that is left of one. */
static enum loom_status refuse_left_behind(const char *inner, struct loom_err *err)
{
	char path[PATH_MAX + 64];
	struct stat info;

	for (size_t i = 0; i < MODEL_BESIDE; i++) {
		snprintf(path, sizeof path, "%s/" LOOM_GROVE_FILE "%s", inner, model_beside[i]);
		if (lstat(path, &info) != 0)
			continue;
		loom_fail(err, LOOM_REFUSED,
			  "%s is left over from a grove that is gone; nothing was created", path);
		return loom_hint(
			err, LOOM_REFUSED,
			"`loom restore FILE` restores a backup there and keeps it; or move it "
			"away");
	}
	return LOOM_OK;
}

enum loom_status model_grove_make(struct loom_env *env, struct loom_str dir,
				  model_first_rows *first_rows, struct loom_err *err)
{
	struct loom_buf temp = LOOM_BUF_INIT(PATH_MAX);
	char real[PATH_MAX];
	char wanted[PATH_MAX];
	char inner[PATH_MAX];
	struct stat info;
	enum loom_status status;

	LOOM_ASSERT(first_rows);
	if (dir.n == 0 || dir.n > PATH_MAX - 64)
		return loom_fail(err, LOOM_PATH, "the path is empty or too long");
	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(dir));
	status = model_make_dirs(dir, MODEL_PROJECT_MODE, err);
	if (status != LOOM_OK)
		return status;
	if (!realpath(wanted, real))
		return loom_fail(err, LOOM_PATH, "%s: %s", wanted, strerror(errno));
	status = model_refuse_long(loom_str_of(real), err);
	if (status != LOOM_OK)
		return status;
	status = loom_trust_check(env, loom_str_of(real), LOOM_TRUST_GROVE, err);
	if (status != LOOM_OK)
		return status;
	if (has_grove(real))
		return refuse_second(real, err);
	snprintf(inner, sizeof inner, "%.*s/" LOOM_GROVE_DIR, (int)strlen(real), real);
	status = model_refuse_network(real, err);
	if (status == LOOM_OK && lstat(inner, &info) == 0 && !S_ISDIR(info.st_mode)) {
		loom_fail(err, LOOM_PATH, "%s is in the way: it is not a directory", inner);
		status = loom_hint(err, LOOM_PATH, "move it away, or create the grove elsewhere");
	}
	if (status == LOOM_OK)
		status = refuse_left_behind(inner, err);
	if (status == LOOM_OK)
		status = model_make_dirs(loom_str_of(inner), 0700, err);
	if (status == LOOM_OK)
		status = build_file(env, loom_str_of(real), first_rows, &temp, err);
	if (status == LOOM_OK)
		status = place_file(loom_str_of(real), &temp, err);
	if (status == LOOM_CONFLICT) /* somebody else was quicker */
		status = refuse_second(real, err);
	if (temp.n) {
		unlink(loom_buf_cstr(&temp));
		model_remove_beside(loom_buf_cstr(&temp));
	}
	loom_buf_fini(&temp);
	return status;
}
