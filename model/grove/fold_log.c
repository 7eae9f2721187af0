/* Folds the log into the file, so that at rest a grove is one file.
 *
 * SQLite never does this by itself here: every fold is under the writer lock, which also avoids an
 * SQLite bug with logs that restart while another connection folds. Before copying pages, a last
 * transaction writes a fresh epoch to the log, so the folded file matches no shorter copy of that
 * log. A fold starts only if nobody reads an earlier state, so that it is complete. */
#include <loom/grove/sql.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <loom/grove/log_frames.h>

#define LARGE_BYTES ((int64_t)8 << 20)
#define LONG_BYTES                                                                                 \
	((int64_t)1 << 20) /* below this a fold takes no longer than the disk's syncs              \
			    */
#define PATIENCE_MS 200
#define INDEX_BYTES 32768
#define METHODS     3 /* the version of sqlite3_io_methods that this was written for */

/* Offsets in the shared memory, from SQLite's file format. */
enum {
	AT_LAST_FRAME = 16,
	AT_PAGES = 20,
	AT_SUMS = 24,
	AT_SALT = 32,
	AT_FOLDED = 96,
	AT_READERS = 100,
	READERS = 5
};
#define NO_READER     UINT32_MAX
#define READER_LOCK_0 3

/* --- the shared memory --- */

static sqlite3_file *file_of(const struct loom_store *store)
{
	sqlite3_file *file = NULL;

	(void)sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	return file && file->pMethods && file->pMethods->iVersion >= 2 ? file : NULL;
}

static const volatile uint32_t *shared_of(const struct loom_store *store)
{
	sqlite3_file *file = file_of(store);
	volatile void *shared = NULL;

	if (!file || !store->log_inode ||
	    file->pMethods->xShmMap(file, 0, INDEX_BYTES, 0, &shared) != SQLITE_OK)
		return NULL;
	return (const volatile uint32_t *)shared;
}

static uint32_t shared_at(const volatile uint32_t *shared, int at)
{
	LOOM_ASSERT(at >= 0 && at % 4 == 0 && at < INDEX_BYTES);
	return shared[at / 4];
}

/* Returns whether all of the log is in the file. */
static bool is_whole(struct loom_store *store)
{
	const volatile uint32_t *shared = shared_of(store);

	return shared && shared_at(shared, AT_LAST_FRAME) == shared_at(shared, AT_FOLDED);
}

/* Returns whether somebody reads a state before the log's end. */
static bool is_read_earlier(const struct loom_store *store)
{
	const volatile uint32_t *shared = shared_of(store);
	sqlite3_file *file = file_of(store);

	/* Reader 0 reads the file alone, the others up to a frame each. */
	for (int i = 0; shared && file && i < READERS; i++) {
		const uint32_t mark = i ? shared_at(shared, AT_READERS + 4 * i) : 0;
		const int lock = READER_LOCK_0 + i;

		if (mark == NO_READER || mark >= shared_at(shared, AT_LAST_FRAME))
			continue;
		if (file->pMethods->xShmLock(file, lock, 1,
					     SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) != SQLITE_OK)
			return true;
		file->pMethods->xShmLock(file, lock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
	}
	return !shared || !file;
}

/* Checks that the log ends where the shared memory says; its checksums cover all of it. */
bool model_log_is_ours(struct loom_store *store)
{
	const volatile uint32_t *shared = shared_of(store);
	const uint32_t last = shared ? shared_at(shared, AT_LAST_FRAME) : 0;
	char path[PATH_MAX + 8];
	uint8_t head[32];
	uint8_t frame[24];
	uint32_t salt[2];
	bool ours = last == 0;
	int fd = -1;

	if (ours)
		return true;
	LOOM_ASSERT(last > 0 && store->page_size > 0);
	snprintf(path, sizeof path, "%s-wal", loom_buf_cstr(&store->file));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
	    pread(fd, frame, sizeof frame,
		  (off_t)sizeof head +
			  (off_t)(last - 1) * (off_t)(sizeof frame + store->page_size)) ==
		    (ssize_t)sizeof frame) {
		memcpy(salt, head + 16, sizeof salt);
		ours = salt[0] == shared_at(shared, AT_SALT) &&
		       salt[1] == shared_at(shared, AT_SALT + 4) &&
		       model_be32(frame + 16) == shared_at(shared, AT_SUMS) &&
		       model_be32(frame + 20) == shared_at(shared, AT_SUMS + 4);
	}
	if (fd >= 0)
		close(fd);
	return ours;
}

/* Once the log is fully folded, the file must have the length the shared memory says; otherwise it
 * is not the file that some connections have open. */
static bool is_shared_of_other(struct loom_store *store)
{
	const volatile uint32_t *shared = shared_of(store);
	sqlite3_file *file = file_of(store);
	sqlite3_int64 size = 0;
	uint32_t pages = 0;

	if (!shared || !file || !store->page_size)
		return false;
	pages = shared_at(shared, AT_PAGES);
	return pages && shared_at(shared, AT_LAST_FRAME) == shared_at(shared, AT_FOLDED) &&
	       file->pMethods->xFileSize(file, &size) == SQLITE_OK &&
	       size / (sqlite3_int64)store->page_size != (sqlite3_int64)pages;
}

enum loom_status model_refuse_shared(struct loom_store *store, struct loom_err *err)
{
	for (int i = 0; i < 5; i++) { /* it may be in the middle of an update */
		const struct timespec wait = {0, 10 * 1000000L};

		if (!is_shared_of_other(store))
			return LOOM_OK;
		nanosleep(&wait, NULL);
	}
	loom_fail(err, LOOM_BUSY,
		  "%s was put in place while another program has the previous grove open; "
		  "nothing was changed",
		  loom_buf_cstr(&store->file));
	return loom_hint(err, LOOM_BUSY, "end that program and try again");
}

/* --- giving up in time --- */

struct patience {
	sqlite3 *db;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	bool done;
	bool running;
};

static void *wait_and_stop(void *ctx)
{
	struct patience *patience = ctx;
	struct timespec until;
	int code = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += PATIENCE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&patience->mutex);
	while (!patience->done && code != ETIMEDOUT)
		code = pthread_cond_timedwait(&patience->ended, &patience->mutex, &until);
	if (!patience->done)
		sqlite3_interrupt(patience->db);
	pthread_mutex_unlock(&patience->mutex);
	return NULL;
}

static void begin_patience(struct patience *patience, sqlite3 *db)
{
	pthread_condattr_t clock;

	LOOM_ASSERT(db);
	*patience = (struct patience){.db = db};
	pthread_mutex_init(&patience->mutex, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&patience->ended, &clock);
	pthread_condattr_destroy(&clock);
	patience->running = pthread_create(&patience->thread, NULL, wait_and_stop, patience) == 0;
}

static void end_patience(struct patience *patience)
{
	LOOM_ASSERT(!patience->done);
	pthread_mutex_lock(&patience->mutex);
	patience->done = true;
	pthread_cond_signal(&patience->ended);
	pthread_mutex_unlock(&patience->mutex);
	if (patience->running)
		pthread_join(patience->thread, NULL);
	pthread_cond_destroy(&patience->ended);
	pthread_mutex_destroy(&patience->mutex);
}

/* --- folding --- */

static int64_t log_bytes(const struct loom_store *store)
{
	char log[PATH_MAX + 8];
	struct stat info;

	snprintf(log, sizeof log, "%s-wal", loom_buf_cstr(&store->file));
	return stat(log, &info) == 0 ? (int64_t)info.st_size : 0;
}

/* No sync here: the fold syncs the log before copying from it. */
static bool seal(struct loom_store *store)
{
	bool sealed = false;

	LOOM_ASSERT(sqlite3_get_autocommit(store->db));
	if (model_script(store, "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE", NULL) == LOOM_OK)
		sealed = model_epoch_refuse_other(store, NULL) == LOOM_OK &&
			 model_epoch_seal(store, NULL) == LOOM_OK &&
			 model_script(store, "COMMIT", NULL) == LOOM_OK;
	if (!sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	return model_script(store, "PRAGMA synchronous = FULL", NULL) == LOOM_OK && sealed;
}

/* --- progress --- */

/* SQLite reports a fold only when it is done. During a fold we replace the file's methods by ones
 * that count writes and stop when the task is cancelled; what is folded by then stays, and the next
 * fold continues. This is safe: SQLite looks the methods up in the file at every call, neither
 * compares nor caches them, and the connection belongs to this thread alone. */
struct counting {
	sqlite3_io_methods methods; /* must be first: the file's method pointer leads here */
	const sqlite3_io_methods *real;
	struct loom_store *store;
	uint64_t done;
	uint64_t total;
};

static int write_counted(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
	struct counting *counting = (struct counting *)(uintptr_t)file->pMethods;
	struct loom_store *store = counting->store;

	counting->done += (uint64_t)n;
	loom_task_aside(store->task, "folding the log", counting->done, counting->total);
	if (loom_task_cancelled(store->task))
		sqlite3_interrupt(store->db);
	return counting->real->xWrite(file, bytes, n, at);
}

static void begin_counting(struct counting *counting, struct loom_store *store, sqlite3_file *file)
{
	*counting = (struct counting){.methods = *file->pMethods,
				      .real = file->pMethods,
				      .store = store,
				      .total = (uint64_t)log_bytes(store)};
	/* A later SQLite may have more of them than were copied. */
	if (counting->methods.iVersion > METHODS)
		counting->methods.iVersion = METHODS;
	counting->methods.xWrite = write_counted;
	file->pMethods = &counting->methods;
}

static void end_counting(const struct counting *counting, sqlite3_file *file)
{
	LOOM_ASSERT(file->pMethods == &counting->methods);
	file->pMethods = counting->real;
	loom_task_aside(counting->store->task, NULL, 0, 0);
}

static void copy_log(struct loom_store *store)
{
	struct counting counting;
	sqlite3_file *file = store->task ? file_of(store) : NULL;

	if (file)
		begin_counting(&counting, store, file);
	(void)sqlite3_wal_checkpoint_v2(store->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	if (file)
		end_counting(&counting, file);
}

/* Requires the lock. */
static void fold(struct loom_store *store, bool hurried)
{
	struct patience patience;
	const bool timed = hurried && log_bytes(store) > LONG_BYTES;

	LOOM_ASSERT(store->lock_fd >= 0 && sqlite3_get_autocommit(store->db));
	if (model_refuse_moved(store, NULL) != LOOM_OK)
		return;
	sqlite3_busy_timeout(store->db, 0);
	if (is_whole(store) ||
	    (!is_read_earlier(store) && seal(store) && !is_read_earlier(store))) {
		if (timed)
			begin_patience(&patience, store->db);
		copy_log(store);
		if (timed)
			end_patience(&patience);
	}
	sqlite3_busy_timeout(store->db, 5000);
}

void model_fold_large(struct loom_store *store)
{
	LOOM_ASSERT(store->lock_fd >= 0 && store->log_pages >= 0);
	if ((int64_t)store->log_pages * (int64_t)store->page_size > LARGE_BYTES)
		fold(store, false);
}

/* A reader has no lock file open yet, and may not be allowed to. */
static bool hold_lock(struct loom_store *store)
{
	char path[PATH_MAX + 16];

	if (store->lock_fd < 0) {
		snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR "/lock",
			 loom_buf_cstr(&store->dir));
		store->lock_fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	}
	return store->lock_fd >= 0 && model_lock_within(store, PATIENCE_MS);
}

void model_fold_last(struct loom_store *store)
{
	LOOM_ASSERT(!store->writing);
	if (!store->ready || store->newer || !store->epoch_page || !log_bytes(store) ||
	    sqlite3_db_readonly(store->db, "main") != 0)
		return;
	if (!sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	if (!hold_lock(store))
		return;
	if (model_script(store, "PRAGMA query_only = OFF", NULL) == LOOM_OK)
		fold(store, true);
	model_unlock(store);
}

static int note_commit(void *ctx, sqlite3 *db, const char *name, int pages)
{
	struct loom_store *store = ctx;

	(void)db;
	(void)name;
	store->log_pages = pages;
	return SQLITE_OK;
}

void model_fold_by_hand(struct loom_store *store)
{
	LOOM_ASSERT(store->db);
	sqlite3_wal_hook(store->db, note_commit, store);
}
