/* Does what is open still stand where it was opened?
 *
 * A grove is three files in one folder while it is open. A program that goes on with files that
 * were moved, removed or replaced would write what nobody reads, or show what is no longer so. */
#include <loom/grove/sql.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>

bool model_is_wal(struct loom_store *store, enum loom_status *out_status, struct loom_err *err)
{
	struct query q = model_query(store, "PRAGMA journal_mode", err);
	const bool wal = model_row(&q) && loom_str_is(model_borrow(&q, 0), "wal");
	const enum loom_status status = model_done(&q);

	if (out_status)
		*out_status = status;
	return wal && status == LOOM_OK;
}

/* Returns 0 if there is none. */
static uint64_t inode_beside(const struct loom_store *store, const char *tail)
{
	char path[PATH_MAX + 8];
	struct stat info;

	snprintf(path, sizeof path, "%s%s", loom_buf_cstr(&store->file), tail);
	return lstat(path, &info) == 0 ? (uint64_t)info.st_ino : 0;
}

void model_hold_folder(struct loom_store *store)
{
	char path[PATH_MAX + sizeof "/" LOOM_GROVE_DIR];

	LOOM_ASSERT(store->folder_fd < 0);
	snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR, loom_buf_cstr(&store->dir));
	store->folder_fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A file in another journal mode has no log, whatever lies beside it, and no shared memory. */
void model_note_beside(struct loom_store *store)
{
	const bool wal = model_is_wal(store, NULL, NULL);

	store->log_inode = wal ? inode_beside(store, "-wal") : 0;
	store->shared_inode = wal ? inode_beside(store, "-shm") : 0;
}

static const char *name_moved(struct loom_store *store)
{
	int moved = 0;

	(void)sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (moved)
		return "";
	if (store->log_inode && inode_beside(store, "-wal") != store->log_inode)
		return "-wal";
	return store->shared_inode && inode_beside(store, "-shm") != store->shared_inode ? "-shm"
											 : NULL;
}

enum loom_status model_refuse_moved(struct loom_store *store, struct loom_err *err)
{
	const char *tail = name_moved(store);

	if (!tail)
		return store->strange ? model_refuse_replaced(store, err) : LOOM_OK;
	loom_fail(err, LOOM_IO,
		  "%s%s was moved, removed or replaced while it was open; nothing was changed",
		  loom_buf_cstr(&store->file), tail);
	return loom_hint(err, LOOM_IO,
			 "put it back where it was, or end this program and begin "
			 "again");
}

/* Any change of an entry of .loom, or a move of .loom itself, changes the folder's times. A change
 * in the same tick of the stamping clock could repeat a time, so a time counts only once it is
 * older than that. */
enum { STAMP_MS = 100 };

static bool read_stamp(const struct loom_store *store, struct model_stamp *out)
{
	struct stat info;

	if (store->folder_fd < 0 || fstat(store->folder_fd, &info) != 0)
		return false;
	out->names = info.st_mtim;
	out->itself = info.st_ctim;
	return true;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_settled(const struct timespec *stamp)
{
	struct timespec now;

	return clock_gettime(CLOCK_REALTIME, &now) == 0 &&
	       (now.tv_sec - stamp->tv_sec) * 1000 + (now.tv_nsec - stamp->tv_nsec) / 1000000 >
		       STAMP_MS;
}

enum loom_status model_refuse_moved_since(struct loom_store *store, struct loom_err *err)
{
	struct model_stamp now = {{0}, {0}};
	const bool known = read_stamp(store, &now);
	enum loom_status status;

	if (known && store->stood && is_same_time(&now.names, &store->stamp.names) &&
	    is_same_time(&now.itself, &store->stamp.itself))
		return LOOM_OK;
	status = model_refuse_moved(store, err);
	store->stood =
		status == LOOM_OK && known && is_settled(&now.names) && is_settled(&now.itself);
	store->stamp = now;
	return status;
}
