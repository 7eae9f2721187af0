/* Puts a backup in the place of a grove.
 *
 * Invariants: the restored file is only read. The old grove stays in place until the one rename;
 * before that, what is there gets a second name, so that it remains afterwards. Nobody has the
 * grove open meanwhile, and nobody can open it. */
#include <loom/salvage/restore.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/tree/tree.h>

#include <loom/files/state_file.h>
#include <loom/grove/sql.h>
#include <loom/tree/open_store.h>

#define PART      "restoring-"
#define KEPT      LOOM_GROVE_FILE ".kept-"
#define KEPT_MOST 9999
#define COPIED    ((size_t)1 << 20)
#define PAGES_AT  1024

struct loom_restore {
	struct loom_store *store; /* of the target; only its lock is opened */
	struct loom_restore_opts opts;
	char from[PATH_MAX];       /* the file to restore */
	char part[PATH_MAX + 96];  /* a temporary project beside the grove */
	char copy[PATH_MAX + 128]; /* its grove.db */
	int part_fd;               /* locked while this process lives */
};

/* --- finding the place --- */

static bool has_folder(const char *dir)
{
	char path[PATH_MAX + 16];
	struct stat info;

	snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR, dir);
	return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

enum loom_status loom_restore_place(const struct loom_env *env, struct loom_str start,
				    struct loom_buf *out_dir, struct loom_err *err)
{
	char wanted[PATH_MAX];
	char dir[PATH_MAX];
	char *slash = dir;

	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(start));
	if (!realpath(start.n ? wanted : ".", dir))
		return loom_fail(err, LOOM_NOT_FOUND, "no such directory: %s: %s", wanted,
				 strerror(errno));
	while (!has_folder(dir) && (slash = strrchr(dir, '/')) != NULL && dir[1])
		slash[slash == dir ? 1 : 0] = '\0';
	if (!has_folder(dir))
		return loom_env_dir(env, LOOM_DIR_DATA, out_dir, err);
	loom_buf_adds(out_dir, dir);
	return LOOM_OK;
}

static enum loom_status find_file(struct loom_restore *restore, struct loom_err *err)
{
	const char *given = restore->opts.file;
	char path[PATH_MAX + 32];
	struct stat info;

	LOOM_ASSERT(given);
	if (stat(given, &info) != 0)
		return loom_fail_errno(err, errno, "%s", given);
	snprintf(path, sizeof path,
		 S_ISDIR(info.st_mode) ? "%s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE : "%s", given);
	if (!realpath(path, restore->from))
		return loom_fail_errno(err, errno, "%s", path);
	if (stat(restore->from, &info) == 0 && S_ISREG(info.st_mode))
		return LOOM_OK;
	return loom_fail(err, LOOM_PATH, "%s is not a regular file", restore->from);
}

/* A grove kept by an earlier restore is taken back unchanged, damage included. */
static bool is_own(const struct loom_restore *restore)
{
	char kept[PATH_MAX + 32];

	LOOM_ASSERT(restore->from[0] == '/');
	snprintf(kept, sizeof kept, "%s/" LOOM_GROVE_DIR "/" KEPT,
		 loom_buf_cstr(&restore->store->dir));
	return strncmp(restore->from, kept, strlen(kept)) == 0;
}

/* --- the copy --- */

/* Removes what killed restores left behind. Living ones hold a lock on theirs. */
static void sweep(const char *inner)
{
	char path[PATH_MAX + 300];
	const struct dirent *entry;
	DIR *dir = opendir(inner);

	while (dir && (entry = readdir(dir)) != NULL) {
		int fd = -1;

		if (strncmp(entry->d_name, PART, sizeof PART - 1) != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", inner, entry->d_name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			model_remove_tree(path);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static enum loom_status make_part(struct loom_restore *restore, struct loom_err *err)
{
	char beside[PATH_MAX + 64];
	char inner[PATH_MAX + 128];
	enum loom_status status;

	LOOM_ASSERT(restore->part_fd < 0);
	snprintf(beside, sizeof beside, "%s/" LOOM_GROVE_DIR, loom_buf_cstr(&restore->store->dir));
	status = model_make_dirs(loom_str_of(beside), 0700, err);
	if (status != LOOM_OK)
		return status;
	sweep(beside);
	snprintf(restore->part, sizeof restore->part, "%s/" PART "%d", beside, getpid());
	snprintf(restore->copy, sizeof restore->copy, "%s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE,
		 restore->part);
	if (mkdir(restore->part, 0700) == 0)
		restore->part_fd = open(restore->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (restore->part_fd < 0 || flock(restore->part_fd, LOCK_EX | LOCK_NB) != 0)
		return loom_fail_errno(err, errno, "cannot make %s", restore->part);
	snprintf(inner, sizeof inner, "%s/" LOOM_GROVE_DIR, restore->part);
	return mkdir(inner, 0700) == 0 ? LOOM_OK
				       : loom_fail_errno(err, errno, "cannot make %s", inner);
}

static enum loom_status copy_bytes(const char *from, const char *to, struct loom_task *task,
				   struct loom_err *err)
{
	char *room = loom_alloc(COPIED);
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat info = {.st_size = 0};
	uint64_t done = 0;
	bool copied = in >= 0 && out >= 0 && fstat(in, &info) == 0;
	ssize_t n = 1;
	int why = errno;

	LOOM_ASSERT(from && to);
	while (copied && n > 0 && !loom_task_cancelled(task)) {
		n = read(in, room, COPIED);
		copied = n >= 0 && write(out, room, (size_t)n) == n;
		why = errno;
		done += n > 0 ? (uint64_t)n : 0;
		loom_task_report(task, done, (uint64_t)info.st_size);
	}
	if (copied && fsync(out) != 0) {
		copied = false;
		why = errno;
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(room);
	if (loom_task_cancelled(task))
		return loom_fail(err, LOOM_CANCELLED, "stopped; nothing was changed");
	return copied ? LOOM_OK : loom_fail_errno(err, why, "cannot copy %s", from);
}

/* Copies one moment of a file that has a log, or is open elsewhere. */
static enum loom_status copy_moment(const char *from, const char *to, struct loom_task *task,
				    struct loom_err *err)
{
	sqlite3 *source = NULL;
	sqlite3 *copy = NULL;
	sqlite3_backup *backup = NULL;
	enum loom_status status = LOOM_OK;
	int code =
		sqlite3_open_v2(from, &source, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);

	if (code == SQLITE_OK) {
		sqlite3_db_config(source, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		sqlite3_busy_timeout(source, 5000);
		code = sqlite3_exec(source, "PRAGMA query_only = ON; BEGIN", NULL, NULL, NULL);
	}
	if (code == SQLITE_OK)
		code = sqlite3_open_v2(to, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	if (code == SQLITE_OK)
		backup = sqlite3_backup_init(copy, "main", source, "main");
	code = backup ? SQLITE_OK : code == SQLITE_OK ? sqlite3_errcode(copy) : code;
	while (code == SQLITE_OK && !loom_task_cancelled(task)) {
		code = sqlite3_backup_step(backup, PAGES_AT);
		loom_task_report(task,
				 (uint64_t)(sqlite3_backup_pagecount(backup) -
					    sqlite3_backup_remaining(backup)),
				 (uint64_t)sqlite3_backup_pagecount(backup));
	}
	sqlite3_backup_finish(backup);
	if (code == SQLITE_OK)
		status = loom_fail(err, LOOM_CANCELLED, "stopped; nothing was changed");
	else if (code != SQLITE_DONE)
		status = loom_fail(err, (code & 0xFF) == SQLITE_FULL ? LOOM_FULL : LOOM_DAMAGED,
				   "cannot copy %s: %s", from, sqlite3_errstr(code));
	if (copy)
		(void)sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	sqlite3_close(copy);
	sqlite3_close(source);
	return status;
}

/* A log that does not belong to the file is left out; one that does is copied with it. */
static enum loom_status copy_file(struct loom_restore *restore, struct loom_task *task,
				  struct loom_err *err)
{
	char log[PATH_MAX + 16];
	struct stat info;
	struct loom_store of_file = {.db = NULL};
	enum loom_status status = LOOM_OK;
	bool open_elsewhere = false;
	struct model_strange strange;

	LOOM_ASSERT(restore->copy[0]);
	if (model_epoch_strange(restore->from, &strange))
		return copy_bytes(restore->from, restore->copy, task, err);
	loom_buf_init(&of_file.file, PATH_MAX);
	loom_buf_init(&of_file.dir, PATH_MAX);
	loom_buf_adds(&of_file.file, restore->from);
	open_elsewhere = model_refuse_open(&of_file, NULL) != LOOM_OK;
	loom_buf_fini(&of_file.file);
	loom_buf_fini(&of_file.dir);
	snprintf(log, sizeof log, "%s-wal", restore->from);
	if (!open_elsewhere && (stat(log, &info) != 0 || !info.st_size))
		return copy_bytes(restore->from, restore->copy, task, err);
	status = copy_moment(restore->from, restore->copy, task, err);
	if (status == LOOM_DAMAGED) { /* a byte copy is still possible */
		model_remove_beside(restore->copy);
		unlink(restore->copy);
		status = copy_bytes(restore->from, restore->copy, task, err);
	}
	return status;
}

/* --- checking the copy --- */

/* Report the copy's faults as the file's. */
static void name_file(const struct loom_restore *restore, struct loom_err *err)
{
	const struct loom_str text = loom_str_of(err ? err->text : "");
	const size_t at = loom_str_find(text, loom_str_of(restore->copy), 0);
	struct loom_buf named = LOOM_BUF_INIT(sizeof err->text);

	LOOM_ASSERT(restore->copy[0]);
	if (!err || at == SIZE_MAX)
		return;
	loom_buf_addf(&named, "%.*s%s%s", (int)at, err->text, restore->from,
		      err->text + at + strlen(restore->copy));
	if (named.bad == LOOM_OK)
		snprintf(err->text, sizeof err->text, "%s", loom_buf_cstr(&named));
	loom_buf_fini(&named);
}

static enum loom_status look_into(struct loom_restore *restore, struct loom_task *task,
				  struct loom_restore_report *report, struct loom_err *err)
{
	const struct loom_check_opts check = {.deep = true,
					      .finding = restore->opts.finding,
					      .ctx = restore->opts.ctx};
	struct loom_arena *arena = loom_arena_create();
	struct loom_store *store = NULL;
	struct loom_tree *trees = NULL;
	size_t count = 0;
	enum loom_status status = loom_store_open(restore->opts.env, loom_str_of(restore->part),
						  LOOM_READ, &store, err);

	LOOM_ASSERT(restore->part[0] && report);
	if (status == LOOM_OK) {
		loom_store_heed(store, task);
		if (store->newer)
			status = loom_fail(err, LOOM_READ_ONLY,
					   "%s was written by a newer loom, which restores it",
					   restore->from);
	}
	if (status == LOOM_OK)
		status = loom_store_check(store, &check, &report->findings, err);
	if (status == LOOM_OK && !report->findings)
		status = loom_tree_list(store, arena, &trees, &count, err);
	report->trees = (int64_t)count;
	loom_store_close(store);
	loom_arena_destroy(arena);
	if (status != LOOM_OK)
		name_file(restore, err);
	if (status == LOOM_DAMAGED && err) {
		report->findings++;
		if (restore->opts.finding)
			restore->opts.finding(restore->opts.ctx, loom_str_of(err->text));
		status = LOOM_OK;
	}
	return status;
}

/* A place keeps its group, whatever the backup says. A backup from before groups existed becomes
 * private until somebody shares it again. */
static void share_row(struct loom_store *store, sqlite3 *copy)
{
	char sql[96];

	snprintf(sql, sizeof sql, "UPDATE grove SET shared = nullif(%lld, %d)",
		 (long long)store->group, LOOM_PRIVATE);
	if (sqlite3_exec(copy, sql, NULL, NULL, NULL) != SQLITE_OK)
		store->group = LOOM_PRIVATE;
}

/* Makes the copy a store of its own, to which no log of the original belongs. */
static enum loom_status give_id(struct loom_restore *restore, struct loom_err *err)
{
	sqlite3 *copy = NULL;
	int code = sqlite3_open_v2(restore->copy, &copy,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);

	if (code == SQLITE_OK)
		code = model_epoch_rename(copy, NULL);
	if (code == SQLITE_OK)
		share_row(restore->store, copy);
	/* Gives it a log from the start, because the question who has it open depends on that. */
	if (code == SQLITE_OK)
		code = sqlite3_exec(copy, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
	sqlite3_close(copy); /* this folds the log */
	model_remove_beside(restore->copy);
	return code == SQLITE_OK
		       ? LOOM_OK
		       : loom_fail(err, LOOM_IO, "%s: %s", restore->copy, sqlite3_errstr(code));
}

static enum loom_status look_at_copy(struct loom_restore *restore, struct loom_task *task,
				     struct loom_restore_report *report, struct loom_err *err)
{
	struct stat info = {.st_size = 0};
	enum loom_status status = look_into(restore, task, report, err);

	if (status != LOOM_OK && (!report->own || status == LOOM_CANCELLED))
		return status;
	if (status != LOOM_OK) {
		report->findings++;
		if (restore->opts.finding && err)
			restore->opts.finding(restore->opts.ctx, loom_str_of(err->text));
	}
	status = report->findings ? LOOM_OK : give_id(restore, err);
	(void)stat(restore->copy, &info);
	report->bytes = (int64_t)info.st_size;
	return status;
}

enum loom_status loom_restore_begin(const struct loom_restore_opts *opts, struct loom_task *task,
				    struct loom_restore **out, struct loom_restore_report *report,
				    struct loom_err *err)
{
	struct loom_restore *restore = loom_alloc(sizeof *restore);
	char real[PATH_MAX];
	char wanted[PATH_MAX];
	struct stat info;
	enum loom_status status;

	LOOM_ASSERT(opts && report);
	*report = (struct loom_restore_report){.bytes = 0};
	*out = restore;
	restore->opts = *opts;
	restore->part_fd = -1;
	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(opts->dir));
	if (!realpath(wanted, real))
		return loom_fail(err, LOOM_NOT_FOUND, "no such directory: %s", wanted);
	restore->store = model_store_create(opts->env, loom_str_of(real), false);
	restore->store->task = task;
	model_place_group(restore->store);
	status = model_refuse_long(loom_str_of(real), err);
	if (status == LOOM_OK)
		status = model_refuse_network(real, err);
	if (status == LOOM_OK)
		status = find_file(restore, err);
	if (status == LOOM_OK)
		status = make_part(restore, err);
	if (status != LOOM_OK)
		return status;
	report->own = is_own(restore);
	report->replaces = lstat(loom_buf_cstr(&restore->store->file), &info) == 0;
	status = copy_file(restore, task, err);
	return status == LOOM_OK ? look_at_copy(restore, task, report, err) : status;
}

/* --- keeping the present grove --- */

/* Folds the whole log into the present grove with plain SQLite, whatever its version and whatever
 * is wrong with it. */
static bool fold_present(struct loom_store *store)
{
	char log[PATH_MAX + 16];
	struct stat info;
	sqlite3 *db = NULL;
	struct model_strange strange;
	int code = SQLITE_OK;

	LOOM_ASSERT(!store->db);
	if (model_epoch_strange(loom_buf_cstr(&store->file), &strange))
		return false;
	snprintf(log, sizeof log, "%s-wal", loom_buf_cstr(&store->file));
	if (lstat(log, &info) != 0 || !info.st_size)
		return true;
	code = sqlite3_open_v2(loom_buf_cstr(&store->file), &db,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);
	if (code == SQLITE_OK) {
		sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		code = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL,
						 NULL);
	}
	sqlite3_close(db);
	return code == SQLITE_OK && (lstat(log, &info) != 0 || !info.st_size);
}

/* Finds an unused name, whatever suffix is added. */
static enum loom_status find_name(const struct loom_store *store, char out[LOOM_RESTORE_PATH],
				  struct loom_err *err)
{
	LOOM_ASSERT(out);
	for (int n = 1; n <= KEPT_MOST; n++) {
		bool taken = false;
		struct stat info;

		snprintf(out, LOOM_RESTORE_PATH - 16, "%s/" LOOM_GROVE_DIR "/" KEPT "%d",
			 loom_buf_cstr(&store->dir), n);
		taken = lstat(out, &info) == 0;
		for (size_t i = 0; i < MODEL_BESIDE && !taken; i++) {
			char beside[PATH_MAX + 16];

			snprintf(beside, sizeof beside, "%s%s", out, model_beside[i]);
			taken = lstat(beside, &info) == 0;
		}
		if (!taken)
			return LOOM_OK;
	}
	return loom_fail(err, LOOM_CONFLICT, "%s and all names before it are taken", out);
}

/* Gives a file a second name or, where hard links do not exist, copies it. */
static enum loom_status keep_file(const char *from, const char *to, struct loom_err *err)
{
	if (link(from, to) == 0)
		return model_sync_name(to) ? LOOM_OK : loom_fail_errno(err, errno, "%s", to);
	if (errno == ENOENT)
		return LOOM_NOT_FOUND;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK && errno != ENOSYS)
		return loom_fail_errno(err, errno, "cannot keep %s", from);
	return copy_bytes(from, to, NULL, err);
}

/* Removes a second name left by a restore killed before its rename. */
static void drop_second_names(const struct loom_store *store)
{
	char inner[PATH_MAX];
	char path[PATH_MAX + 300];
	const struct dirent *entry;
	struct stat grove;
	struct stat info;
	DIR *dir;

	snprintf(inner, sizeof inner, "%s/" LOOM_GROVE_DIR, loom_buf_cstr(&store->dir));
	dir = lstat(loom_buf_cstr(&store->file), &grove) == 0 && grove.st_nlink > 1 ? opendir(inner)
										    : NULL;
	while (dir && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof path, "%s/%s", inner, entry->d_name);
		if (strncmp(entry->d_name, KEPT, sizeof KEPT - 1) == 0 && lstat(path, &info) == 0 &&
		    info.st_ino == grove.st_ino && info.st_dev == grove.st_dev)
			unlink(path);
	}
	if (dir)
		closedir(dir);
}

/* Files beside a grove that was not folded are kept with it, and moved before the grove is: the new
 * one never has them beside it. */
static enum loom_status keep_beside(const struct loom_store *store,
				    struct loom_restore_report *report, struct loom_err *err)
{
	static const char *const tails[] = {"-wal", "-journal"};
	char from[PATH_MAX + 16];
	char to[PATH_MAX + 16];
	struct stat info;

	LOOM_ASSERT(report->kept[0]);
	for (size_t i = 0; i < LOOM_COUNT(tails); i++) {
		snprintf(from, sizeof from, "%s%s", loom_buf_cstr(&store->file), tails[i]);
		snprintf(to, sizeof to, "%s%s", report->kept, tails[i]);
		if (lstat(from, &info) != 0 || !info.st_size)
			continue;
		if (rename(from, to) != 0 || !model_sync_name(to))
			return loom_fail_errno(err, errno, "cannot keep %s", from);
		snprintf(report->log, sizeof report->log, "%.*s", (int)sizeof report->log - 1, to);
	}
	return LOOM_OK;
}

static enum loom_status keep_present(struct loom_restore *restore, bool folded,
				     struct loom_restore_report *report, struct loom_err *err)
{
	struct loom_store *store = restore->store;
	enum loom_status status;

	LOOM_ASSERT(store->lock_fd >= 0);
	drop_second_names(store);
	status = find_name(store, report->kept, err);
	if (status != LOOM_OK)
		return status;
	if (!folded)
		status = keep_beside(store, report, err);
	if (status == LOOM_OK)
		status = keep_file(loom_buf_cstr(&store->file), report->kept, err);
	if (status == LOOM_NOT_FOUND) { /* there is nothing */
		report->kept[0] = '\0';
		status = LOOM_OK;
	}
	return status;
}

/* --- putting it in place --- */

static enum loom_status put_in_place(struct loom_restore *restore,
				     struct loom_restore_report *report, struct loom_err *err)
{
	struct loom_store *store = restore->store;
	const char *file = loom_buf_cstr(&store->file);
	int shut = -1;
	int fd = -1;
	bool folded = false;
	enum loom_status status = model_refuse_open(store, err);

	LOOM_ASSERT(store->lock_fd >= 0 && !store->db);
	if (status == LOOM_OK) {
		folded = fold_present(store);
		status = model_keep_shut(store, &shut, err);
	}
	if (status != LOOM_OK)
		return status;
	status = keep_present(restore, folded, report, err);
	if (status == LOOM_OK) {
		fd = open(restore->copy, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			model_fit_file(store, fd);
		if (fd < 0 || fsync(fd) != 0 || rename(restore->copy, file) != 0 ||
		    !model_sync_name(file))
			status = loom_fail_errno(err, errno, "cannot put it at %s", file);
	}
	if (fd >= 0)
		close(fd);
	if (status == LOOM_OK) /* empty, and nobody's */
		model_remove_beside(file);
	close(shut);
	return status;
}

/* Grants and drafts belong to the place. If this fails, they are asked for again. */
static void carry_state(const struct loom_restore *restore)
{
	struct loom_store *now = NULL;

	if (loom_store_open(restore->opts.env, loom_store_dir(restore->store), LOOM_READ, &now,
			    NULL) == LOOM_OK)
		model_state_carry(now);
	loom_store_close(now);
}

enum loom_status loom_restore_finish(struct loom_restore *restore, struct loom_task *task,
				     struct loom_restore_report *report, struct loom_err *err)
{
	struct loom_store *store = restore->store;
	enum loom_status status = model_open_lock(store, err);

	LOOM_ASSERT(restore->part_fd >= 0);
	store->task = task;
	if (status == LOOM_OK)
		status = model_lock(store, err);
	if (status != LOOM_OK)
		return status;
	status = put_in_place(restore, report, err);
	model_unlock(store);
	if (status == LOOM_OK)
		carry_state(restore);
	return status;
}

void loom_restore_close(struct loom_restore *restore)
{
	if (!restore)
		return;
	if (restore->part_fd >= 0) {
		model_remove_tree(restore->part);
		close(restore->part_fd);
	}
	model_store_close(restore->store);
	free(restore);
}
