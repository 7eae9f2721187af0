/* Makes checked copies of a grove: for a person, and before a migration. */
#include <loom/grove/sql.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/files/path.h>

#include <loom/files/half_made.h>
#include <loom/grove/leftovers.h>
#include <loom/files/state_file.h>
#include <loom/base/system.h>

/* --- backup --- */

#define PAGES_A_STEP 1024

static int stop_copy(void *task)
{
	return loom_task_cancelled(task);
}

/* Copies page by page, so that it can be cancelled; the read view keeps the pages consistent. */
static int copy_pages(struct loom_store *store, sqlite3 *copy)
{
	sqlite3_backup *backup = sqlite3_backup_init(copy, "main", store->db, "main");
	int code = SQLITE_OK;

	LOOM_ASSERT(copy && copy != store->db);
	if (!backup)
		return sqlite3_extended_errcode(copy);
	while (code == SQLITE_OK && !loom_task_cancelled(store->task)) {
		code = sqlite3_backup_step(backup, PAGES_A_STEP);
		loom_task_report(store->task,
				 (uint64_t)(sqlite3_backup_pagecount(backup) -
					    sqlite3_backup_remaining(backup)),
				 (uint64_t)sqlite3_backup_pagecount(backup));
	}
	sqlite3_backup_finish(backup);
	return code == SQLITE_DONE ? SQLITE_OK : code == SQLITE_OK ? SQLITE_INTERRUPT : code;
}

/* Checks the copy, gives it its own identity, and makes it a single file that needs no log beside
 * it. */
static int check_copy(sqlite3 *copy, const char *kind)
{
	sqlite3_stmt *check = NULL;
	int code = sqlite3_prepare_v2(copy, "PRAGMA quick_check(1)", -1, &check, NULL);
	bool sound = false;

	LOOM_ASSERT(copy);
	if (code == SQLITE_OK)
		code = sqlite3_step(check);
	if (code == SQLITE_ROW)
		sound = strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0;
	sqlite3_finalize(check);
	if (code != SQLITE_ROW)
		return code == SQLITE_DONE ? SQLITE_CORRUPT : code;
	if (!sound)
		return SQLITE_CORRUPT;
	code = model_epoch_rename(copy, kind);
	return code == SQLITE_OK
		       ? sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL)
		       : code;
}

static enum loom_status refuse_copy(int code, int why, struct loom_err *err)
{
	switch (code & 0xFF) {
	case SQLITE_OK:
		return LOOM_OK;
	case SQLITE_INTERRUPT:
		return loom_fail(err, LOOM_CANCELLED, "stopped; no backup was made");
	case SQLITE_FULL:
		loom_fail(err, LOOM_FULL, "the disk is full; no backup was made");
		return loom_hint(err, LOOM_FULL, "free some space, or use another disk");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		loom_fail(err, LOOM_DAMAGED, "no backup was made: %s", sqlite3_errstr(code));
		return loom_hint(
			err, LOOM_DAMAGED,
			"loom check shows what is wrong; loom salvage recovers what is left "
			"into a new grove");
	default:
		return why ? loom_fail_errno(err, why, "no backup was made")
			   : loom_fail(err, LOOM_IO, "no backup was made: %s",
				       sqlite3_errstr(code));
	}
}

/* Creates the file ourselves to get the system's reason for a failure: SQLite tries other ways of
 * opening and reports why the last one failed. */
static enum loom_status make_empty(const char *temp, int *out_fd, struct loom_err *err)
{
	*out_fd = model_part_file(AT_FDCWD, temp, 0600);
	return *out_fd >= 0 ? LOOM_OK : loom_fail_errno(err, errno, "no backup was made: %s", temp);
}

static enum loom_status copy_into(struct loom_store *store, const char *temp, const char *kind,
				  struct loom_err *err)
{
	sqlite3 *copy = NULL;
	mode_t mask = umask(077);
	int why = 0;
	int code =
		sqlite3_open_v2(temp, &copy,
				SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE,
				NULL);

	umask(mask);
	if (code == SQLITE_OK && store->task)
		sqlite3_progress_handler(copy, MODEL_STEPS_BETWEEN, stop_copy, store->task);
	if (code == SQLITE_OK)
		code = copy_pages(store, copy);
	if (code == SQLITE_OK)
		code = check_copy(copy, kind);
	why = model_errno_of(copy, code);
	sqlite3_close(copy);
	return refuse_copy(code, why, err);
}

/* Copies one moment, fixed by the view's first read. *out_fd holds the copy until it has its name;
 * closing it earlier would drop SQLite's locks on it. */
static enum loom_status copy_view(struct loom_store *store, const char *temp, const char *kind,
				  int *out_fd, struct loom_err *err)
{
	int64_t any = 0;
	struct query q;
	enum loom_status status = loom_store_view(store, err);

	LOOM_ASSERT(*out_fd < 0);
	if (status != LOOM_OK)
		return status;
	q = model_query(store, "SELECT id FROM grove", err);
	status = model_one(&q, 0, &any);
	if (status == LOOM_OK)
		status = make_empty(temp, out_fd, err);
	if (status == LOOM_OK)
		status = copy_into(store, temp, kind, err);
	loom_store_unview(store);
	return status;
}

/* Returns whether SQLite or a writer would take a file of this name for part of the store. */
static bool is_stores_name(const struct loom_store *store, const char *name)
{
	char dir[PATH_MAX];
	char real[PATH_MAX];
	char own[PATH_MAX];
	const char *slash = strrchr(name, '/');
	const bool ours = model_is_store_name(slash ? slash + 1 : name);

	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - name) + 1 : 1, slash ? name : ".");
	snprintf(own, sizeof own, "%.*s/" LOOM_GROVE_DIR, LOOM_STR_ARG(loom_store_dir(store)));
	return ours && realpath(dir, real) && strcmp(real, own) == 0;
}

/* Sweeps what killed backups left in the target folder. */
static void sweep_beside(struct loom_store *store, const char *name)
{
	const char *slash = strrchr(name, '/');
	char dir[PATH_MAX];
	int fd;

	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - name) + 1 : 1, slash ? name : ".");
	model_backup_place(store, dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	model_part_sweep(fd, MODEL_OLD_COPIES);
	close(fd);
}

enum loom_status loom_store_backup(struct loom_store *store, struct loom_str file,
				   struct loom_err *err)
{
	char name[PATH_MAX];
	char first[PATH_MAX + 8];
	char temp[PATH_MAX];
	struct stat info;
	int fd = -1;
	enum loom_status status;

	LOOM_ASSERT(store->db);
	if (!file.n || file.n > PATH_MAX - 64)
		return loom_fail(err, LOOM_PATH, "the path is empty or too long");
	snprintf(name, sizeof name, "%.*s", LOOM_STR_ARG(file));
	if (is_stores_name(store, name))
		return loom_fail(err, LOOM_PATH, "%s is the name of one of the store's own files",
				 name);
	if (lstat(name, &info) == 0) {
		loom_fail(err, LOOM_CONFLICT, "%s already exists; a backup never overwrites", name);
		return loom_hint(err, LOOM_CONFLICT, "%s",
				 S_ISDIR(info.st_mode) ? "name a new file in it"
						       : "give it another name");
	}
	snprintf(first, sizeof first, "%s.part-", name);
	if (!model_part_name(first, temp, sizeof temp))
		return loom_fail_errno(err, errno, "no backup was made");
	sweep_beside(store, name);
	status = copy_view(store, temp, NULL, &fd, err);
	/* SQLite removes its own files beside the copy; remove any it could not. */
	model_remove_beside(temp);
	if (status == LOOM_OK)
		status = model_settle_file(temp, name, err);
	if (status != LOOM_OK)
		unlink(temp);
	if (fd >= 0)
		close(fd);
	return status;
}

/* --- the copy before a migration --- */

#define COPIES_MOST      99
#define COMPARED_AT_ONCE ((size_t)1 << 16)

/* Returns whether this is a file whose locks we would drop by closing it, under any name. */
static bool is_stores_file(const struct loom_store *store, const struct stat *info)
{
	struct loom_file_id ids[LOOM_STORE_FILES];
	size_t count = loom_store_files(loom_store_dir(store), ids);
	bool ours = false;

	LOOM_ASSERT(count <= LOOM_STORE_FILES);
	for (size_t i = 0; i < count; i++)
		ours = ours || (ids[i].device == (uint64_t)info->st_dev &&
				ids[i].inode == (uint64_t)info->st_ino);
	return ours;
}

static bool same_bytes(int one, int other)
{
	char *room = loom_alloc(2 * COMPARED_AT_ONCE);
	bool same = true;
	ssize_t n = 1;

	LOOM_ASSERT(one >= 0 && other >= 0);
	for (off_t at = 0; same && n > 0; at += n) {
		n = pread(one, room, COMPARED_AT_ONCE, at);
		same = n >= 0 && pread(other, room + COMPARED_AT_ONCE, COMPARED_AT_ONCE, at) == n &&
		       memcmp(room, room + COMPARED_AT_ONCE, (size_t)n) == 0;
	}
	free(room);
	return same;
}

/* Returns whether the file `name`, whoever made it, durably holds the same bytes as `copy`. */
static bool is_kept(const struct loom_store *store, const char *copy, const char *name)
{
	struct stat info;
	int copy_fd = -1;
	int fd = -1;
	bool kept = false;

	if (lstat(name, &info) != 0 || !S_ISREG(info.st_mode) || is_stores_file(store, &info))
		return false;
	copy_fd = open(copy, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	kept = copy_fd >= 0 && fd >= 0 && same_bytes(copy_fd, fd) && fsync(fd) == 0 &&
	       model_sync_name(name);
	if (copy_fd >= 0)
		close(copy_fd);
	if (fd >= 0)
		close(fd);
	return kept;
}

/* Uses the first name that is free or already has these bytes, so that repeated failures of a
 * migration do not fill the disk with identical copies. */
static enum loom_status keep_copy(const struct loom_store *store, const char *copy,
				  const struct loom_buf *first, struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_CONFLICT;

	LOOM_ASSERT(first->n > 0);
	loom_buf_add(&name, loom_buf_str(first));
	for (int n = 2; n <= COPIES_MOST + 1 && status == LOOM_CONFLICT; n++) {
		status = model_settle_file(copy, loom_buf_cstr(&name), err);
		if (status == LOOM_CONFLICT && is_kept(store, copy, loom_buf_cstr(&name))) {
			unlink(copy);
			status = LOOM_OK;
		}
		loom_buf_clear(&name);
		loom_buf_addf(&name, "%s-%d", loom_buf_cstr(first), n);
	}
	loom_buf_fini(&name);
	return status;
}

static enum loom_status refuse_to_migrate(enum loom_status status, const char *name,
					  struct loom_err *err)
{
	LOOM_ASSERT(status != LOOM_OK);
	if (status == LOOM_CONFLICT) {
		loom_fail(err, status, "%s and the names after it are all taken", name);
		return loom_hint(err, status,
				 "a grove of an earlier loom is copied before it is "
				 "upgraded: move older copies away");
	}
	if (status == LOOM_CANCELLED || status == LOOM_DAMAGED)
		return status;
	return loom_hint(err, status,
			 "a grove of an earlier loom is copied before it is upgraded, which takes "
			 "as much space again; until then the grove can only be read");
}

enum loom_status model_copy_before(struct loom_store *store, int version, struct loom_err *err)
{
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf part = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int fd = -1;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->lock_fd >= 0 && version > 0);
	loom_buf_addf(&first, "%s.before-%d", loom_buf_cstr(&store->file), version);
	loom_buf_addf(&part, "%s.part", loom_buf_cstr(&first));
	/* We hold the lock, so a file of this name is from an interrupted attempt. */
	unlink(loom_buf_cstr(&part));
	model_remove_beside(loom_buf_cstr(&part));
	status = copy_view(store, loom_buf_cstr(&part), "before", &fd, err);
	model_remove_beside(loom_buf_cstr(&part));
	if (status == LOOM_OK)
		model_fit_file(store, fd);
	if (status == LOOM_OK)
		status = keep_copy(store, loom_buf_cstr(&part), &first, err);
	if (status != LOOM_OK) {
		unlink(loom_buf_cstr(&part));
		status = refuse_to_migrate(status, loom_buf_cstr(&first), err);
	}
	if (fd >= 0)
		close(fd);
	loom_buf_fini(&part);
	loom_buf_fini(&first);
	return status;
}
