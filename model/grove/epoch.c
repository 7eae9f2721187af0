/* Ties a log to its store: one row with the store's id and the epoch of its file.
 *
 * Invariants. The id belongs to the file: init, restore and every copy draw a new one. The epoch is
 * 128 random bits, drawn anew whenever the log has been folded into the file, so two copies of a
 * file never agree by counting. Every log begins over one epoch of the file: its first transaction
 * writes that epoch as `over`, and a fresh `epoch`. So a log belongs to the file if the file still
 * has the epoch the log began over, or one that the log itself brought (when it was folded partly
 * or wholly). Any other log is foreign: it is never replayed, and nothing is changed.
 *
 * Limits: a grove.db copied without its log opens in the state of its last fold, and a file copied
 * during a fold is torn. */
#include <loom/grove/sql.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <loom/grove/log_frames.h>
#include <loom/base/system.h>

#define MARK_BYTES 64
#define SAMPLE     ((size_t)1 << 16)
#define LOG_LEAST  32 /* a header alone has nothing to replay */
#define TRIES      8
#define BETWEEN_MS 15
#define MARK_NAME  "loom store epoch"

/* --- the row --- */

/* The row as stored on its page: 68 bytes, row 1, a record of NULL and a 64-byte blob. */
static const uint8_t lead[] = {0x44, 1, 4, 0, 0x81, 0x0c};

static void unpack(const uint8_t mark[MARK_BYTES], struct model_marker *out)
{
	memcpy(out->store, mark + 16, MODEL_ID_BYTES);
	memcpy(out->epoch, mark + 32, MODEL_ID_BYTES);
	memcpy(out->over, mark + 48, MODEL_ID_BYTES);
}

static void pack(const struct model_marker *marker, uint8_t out[MARK_BYTES])
{
	memcpy(out, MARK_NAME, 16);
	memcpy(out + 16, marker->store, MODEL_ID_BYTES);
	memcpy(out + 32, marker->epoch, MODEL_ID_BYTES);
	memcpy(out + 48, marker->over, MODEL_ID_BYTES);
}

/* Reads the marker from a page. */
static bool marker_on_page(const uint8_t *page, size_t size, struct model_marker *out)
{
	const size_t at = (size_t)page[8] << 8 | page[9];

	LOOM_ASSERT(size >= 512);
	if (page[0] != 13 || page[3] != 0 || page[4] != 1 || at + sizeof lead + MARK_BYTES > size ||
	    memcmp(page + at, lead, sizeof lead) != 0 ||
	    memcmp(page + at + sizeof lead, MARK_NAME, 16) != 0)
		return false;
	unpack(page + at + sizeof lead, out);
	return true;
}

static bool same(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, MODEL_ID_BYTES) == 0;
}

/* Never seeded: two copies would agree. */
static void draw(uint8_t out[MODEL_ID_BYTES])
{
	const struct loom_env plain = {.seeded = false};

	loom_env_random(&plain, 0, out, MODEL_ID_BYTES);
}

static enum loom_status read_row(struct loom_store *store, struct model_marker *out,
				 struct loom_err *err)
{
	struct query q = model_query(store, "SELECT mark FROM epoch WHERE id = 1", err);
	struct loom_str mark = {NULL, 0};

	if (model_row(&q))
		mark = model_borrow(&q, 0);
	if (mark.n == MARK_BYTES)
		unpack((const uint8_t *)mark.p, out);
	if (model_done(&q) != LOOM_OK || mark.n == MARK_BYTES)
		return q.status;
	return loom_fail(err, LOOM_DAMAGED, "%s: the row that ties it to its log is lost",
			 loom_buf_cstr(&store->file));
}

static enum loom_status write_row(struct loom_store *store, const struct model_marker *marker,
				  struct loom_err *err)
{
	uint8_t mark[MARK_BYTES];
	struct query q =
		model_query(store, "INSERT OR REPLACE INTO epoch(id, mark) VALUES(1, ?)", err);

	LOOM_ASSERT(!sqlite3_get_autocommit(store->db));
	pack(marker, mark);
	model_bind_blob(&q, mark, sizeof mark);
	store->rows_base++;
	return model_run(&q);
}

enum loom_status model_epoch_learn(struct loom_store *store, struct loom_err *err)
{
	int64_t root = 0;
	int64_t size = 0;
	struct query q = model_query(
		store, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'epoch'",
		err);
	enum loom_status status = model_one(&q, 0, &root);

	if (status != LOOM_OK || !root)
		return status;
	q = model_query(store, "PRAGMA page_size", err);
	status = model_one(&q, 0, &size);
	if (status != LOOM_OK)
		return status;
	status = read_row(store, &store->marker, err);
	if (status != LOOM_OK)
		return status;
	store->epoch_page = (uint32_t)root;
	store->page_size = (size_t)size;
	return LOOM_OK;
}

/* --- the file alone --- */

static sqlite3_file *file_of(const struct loom_store *store)
{
	sqlite3_file *file = NULL;

	(void)sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	return file && file->pMethods ? file : NULL;
}

/* Reads the marker in the file, ignoring the log; *out_there is false if there is none yet. */
static enum loom_status read_file_marker(struct loom_store *store, struct model_marker *out,
					 bool *out_there, struct loom_err *err)
{
	sqlite3_file *file = file_of(store);
	uint8_t *page = loom_alloc(store->page_size);
	const sqlite3_int64 at =
		((sqlite3_int64)store->epoch_page - 1) * (sqlite3_int64)store->page_size;
	const int code = file ? file->pMethods->xRead(file, page, (int)store->page_size, at)
			      : SQLITE_CANTOPEN;

	LOOM_ASSERT(store->epoch_page > 0 && store->page_size > 0);
	*out_there = code == SQLITE_OK && marker_on_page(page, store->page_size, out);
	free(page);
	return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ
		       ? LOOM_OK
		       : model_sqlite_fail(store, code, err);
}

/* Identifies a file from before epochs: by its size and its first bytes. */
static bool digest(sqlite3_file *file, uint8_t out[MODEL_ID_BYTES])
{
	uint8_t *room = loom_alloc(SAMPLE);
	sqlite3_int64 size = 0;
	bool done = file && file->pMethods->xFileSize(file, &size) == SQLITE_OK;
	const size_t n = size < (sqlite3_int64)SAMPLE ? (size_t)size : SAMPLE;
	struct loom_hash hash;
	struct loom_str parts[2] = {loom_str_make((const char *)&size, sizeof size),
				    loom_str_make((const char *)room, n)};

	done = done && file->pMethods->xRead(file, room, (int)n, 0) == SQLITE_OK;
	hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
	memcpy(out, hash.bytes, MODEL_ID_BYTES);
	free(room);
	return done;
}

/* Sets *out to whether our log applies to the file: the file has the epoch the log began over, or
 * some of the log folded in. */
static enum loom_status does_fit(struct loom_store *store, const struct model_marker *now,
				 bool *out, struct loom_err *err)
{
	struct model_marker in_file;
	uint8_t sum[MODEL_ID_BYTES];
	bool there = false;
	enum loom_status status = read_file_marker(store, &in_file, &there, err);

	if (there)
		*out = same(in_file.store, now->store) &&
		       (same(in_file.epoch, now->over) || same(in_file.epoch, now->epoch));
	else
		*out = digest(file_of(store), sum) && same(sum, now->over);
	return status;
}

/* --- writing --- */

enum loom_status model_epoch_seed(struct loom_store *store, struct loom_err *err)
{
	struct model_marker marker;

	LOOM_ASSERT(!sqlite3_get_autocommit(store->db));
	draw(marker.store);
	draw(marker.epoch);
	if (!digest(file_of(store), marker.over))
		draw(marker.over);
	return write_row(store, &marker, err);
}

static bool log_fits(const char *path, const char *log, struct model_trouble *out);

/* Returns whether a fold was interrupted, once or several times, by us or others. */
static bool is_folded_in_part(const struct loom_store *store)
{
	char log[PATH_MAX + 8];
	struct model_trouble trouble = {SQLITE_OK, 0};

	snprintf(log, sizeof log, "%s-wal", loom_buf_cstr(&store->file));
	return log_fits(loom_buf_cstr(&store->file), log, &trouble);
}

enum loom_status model_refuse_replaced(const struct loom_store *store, struct loom_err *err)
{
	loom_fail(err, LOOM_IO,
		  "another grove, or an older copy, replaced %s while it was open; "
		  "nothing was changed",
		  loom_buf_cstr(&store->file));
	return loom_hint(err, LOOM_IO, "end this program and start again");
}

enum loom_status model_epoch_refuse_other(struct loom_store *store, struct loom_err *err)
{
	struct model_marker now;
	bool fits = false;
	enum loom_status status = LOOM_OK;

	if (!store->epoch_page)
		return LOOM_OK;
	status = read_row(store, &now, err);
	if (status == LOOM_OK)
		status = does_fit(store, &now, &fits, err);
	if (status != LOOM_OK)
		return status;
	if (model_log_is_ours(store) && same(now.store, store->marker.store) &&
	    (fits || is_folded_in_part(store)))
		return LOOM_OK;
	return model_refuse_replaced(store, err);
}

/* --- for read-only connections --- */

static enum loom_status read_version(struct loom_store *store, int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store, "PRAGMA data_version", err);

	return model_one(&q, 0, out);
}

static enum loom_status learn_still(struct loom_store *store, const struct model_marker *in_file,
				    int64_t version, struct loom_err *err)
{
	struct model_still *still = &store->still;
	struct model_marker row;
	struct loom_buf story = LOOM_BUF_INIT(sizeof still->story - 1);
	enum loom_status status = read_row(store, &row, err);

	if (status != LOOM_OK)
		return status;
	loom_story_mark(store, &story);
	snprintf(still->story, sizeof still->story, "%s", loom_buf_cstr(&story));
	memcpy(still->epoch, in_file->epoch, MODEL_ID_BYTES);
	memcpy(still->next, row.epoch, MODEL_ID_BYTES);
	still->version = version;
	still->known = true;
	loom_buf_fini(&story);
	return LOOM_OK;
}

/* A file nobody folded into is unchanged. If its epoch differs, either the log we know was
 * folded or others have written: SQLite then reads it anew, and its history must continue the
 * one we know. */
static enum loom_status went_on(struct loom_store *store, const struct model_marker *in_file,
				int64_t *version, bool *out, struct loom_err *err)
{
	const struct model_still *still = &store->still;
	enum loom_status status = LOOM_OK;

	*out = !still->known || same(in_file->epoch, still->epoch) ||
	       same(in_file->epoch, still->next);
	if (*out)
		return LOOM_OK;
	status = read_version(store, version, err); /* it may just have been written */
	*out = *version != still->version && loom_story_holds(store, loom_str_of(still->story));
	return status;
}

enum loom_status loom_store_still(struct loom_store *store, struct loom_err *err)
{
	struct model_marker in_file;
	int64_t version = 0;
	bool there = false;
	bool fits = false;
	enum loom_status status = model_refuse_moved(store, err);

	if (status != LOOM_OK || !store->epoch_page)
		return status;
	status = read_file_marker(store, &in_file, &there, err);
	if (status == LOOM_OK && !there && !store->still.known)
		return LOOM_OK; /* from an earlier loom and never folded since */
	if (status == LOOM_OK && !there)
		return loom_fail(err, LOOM_BUSY, "%s is being overwritten by another program",
				 loom_buf_cstr(&store->file));
	if (status == LOOM_OK && same(in_file.store, store->marker.store)) {
		status = read_version(store, &version, err);
		if (status == LOOM_OK)
			status = went_on(store, &in_file, &version, &fits, err);
	}
	if (status != LOOM_OK)
		return status;
	store->strange = !fits;
	return fits ? learn_still(store, &in_file, version, err)
		    : model_refuse_replaced(store, err);
}

enum loom_status model_epoch_begin(struct loom_store *store, struct loom_err *err)
{
	struct model_marker now;
	struct model_marker in_file;
	bool there = false;
	enum loom_status status;

	/* Not after the first query: when memory runs out SQLite may roll back by itself. */
	LOOM_ASSERT(!sqlite3_get_autocommit(store->db));
	status = model_epoch_refuse_other(store, err);
	if (status != LOOM_OK || !store->epoch_page)
		return status;
	status = read_row(store, &now, err);
	if (status == LOOM_OK)
		status = read_file_marker(store, &in_file, &there, err);
	if (status != LOOM_OK || !there || !same(now.epoch, in_file.epoch))
		return status;
	memcpy(now.over, now.epoch, MODEL_ID_BYTES);
	draw(now.epoch);
	return write_row(store, &now, err);
}

enum loom_status model_epoch_seal(struct loom_store *store, struct loom_err *err)
{
	struct model_marker now;
	struct model_marker in_file;
	bool there = false;
	enum loom_status status = read_row(store, &now, err);

	LOOM_ASSERT(!sqlite3_get_autocommit(store->db));
	if (status == LOOM_OK)
		status = read_file_marker(store, &in_file, &there, err);
	if (status != LOOM_OK)
		return status;
	if (there) /* what the file has until the whole log is folded */
		memcpy(now.over, in_file.epoch, MODEL_ID_BYTES);
	draw(now.epoch);
	return write_row(store, &now, err);
}

/* Makes a copy a store of its own. With a `kind`, the same copy of the same state has the same
 * bytes; NULL is random. */
int model_epoch_rename(sqlite3 *copy, const char *kind)
{
	struct model_marker marker;
	uint8_t mark[MARK_BYTES] = {0};
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(copy, "SELECT mark FROM epoch WHERE id = 1", -1, &stmt, NULL);
	struct loom_hash hash;

	LOOM_ASSERT(copy);
	if (code != SQLITE_OK) /* from before epochs */
		return (code & 0xFF) == SQLITE_ERROR ? SQLITE_OK : code;
	if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_bytes(stmt, 0) == MARK_BYTES)
		memcpy(mark, sqlite3_column_blob(stmt, 0), MARK_BYTES);
	sqlite3_finalize(stmt);
	draw(marker.store);
	draw(marker.epoch);
	draw(marker.over);
	if (kind) {
		struct loom_str parts[2] = {loom_str_make((const char *)mark, MARK_BYTES),
					    loom_str_of(kind)};

		hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
		memcpy(marker.store, hash.bytes, MODEL_ID_BYTES);
		memcpy(marker.epoch, hash.bytes + MODEL_ID_BYTES, MODEL_ID_BYTES);
		memcpy(marker.over, hash.bytes, MODEL_ID_BYTES);
	}
	pack(&marker, mark);
	code = sqlite3_prepare_v2(copy, "UPDATE epoch SET mark = ? WHERE id = 1", -1, &stmt, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 1, mark, MARK_BYTES, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* --- before SQLite opens it --- */

/* The file read without its log. */
struct alone {
	enum { MARKED, UNMARKED, UNREADABLE } kind;
	struct model_trouble trouble; /* why it cannot be read */
	struct model_marker marker;
	uint8_t sum[MODEL_ID_BYTES]; /* of a file without a marker */
	uint8_t head[SAMPLE];        /* its first bytes */
};

static void add_uri(struct loom_buf *out, const char *path)
{
	loom_buf_adds(out, "file:");
	for (const char *p = path; *p; p++)
		if (strchr("%?#", *p))
			loom_buf_addf(out, "%%%02X", (unsigned)(unsigned char)*p);
		else
			loom_buf_addc(out, *p);
	loom_buf_adds(out, "?immutable=1");
}

/* Opens a file for reading, ignoring its log and its locks. */
static int open_alone(const char *path, sqlite3 **out)
{
	struct loom_buf uri = LOOM_BUF_INIT(4 * PATH_MAX);
	int code;

	LOOM_ASSERT(path && out);
	add_uri(&uri, path);
	code = sqlite3_open_v2(loom_buf_cstr(&uri), out,
			       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW |
				       SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			       NULL);
	loom_buf_fini(&uri);
	if (code == SQLITE_OK) {
		sqlite3_db_config(*out, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_db_config(*out, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	}
	return code;
}

/* Returns whether an error is about the machine's present state rather than the file's contents. */
static bool is_machines(int code)
{
	return code == SQLITE_NOMEM || code == SQLITE_FULL || code == SQLITE_PERM ||
	       (code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_CANTOPEN ||
	       ((code & 0xFF) == SQLITE_IOERR && code != SQLITE_IOERR_SHORT_READ);
}

static int read_marker_alone(sqlite3 *db, struct alone *out)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(
		db, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'epoch'", -1,
		&stmt, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	if (code == SQLITE_DONE)
		out->kind = UNMARKED;
	if (code != SQLITE_ROW)
		return code;
	code = sqlite3_prepare_v2(db, "SELECT mark FROM epoch WHERE id = 1", -1, &stmt, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW && sqlite3_column_bytes(stmt, 0) == MARK_BYTES) {
		out->kind = MARKED;
		unpack(sqlite3_column_blob(stmt, 0), &out->marker);
	}
	sqlite3_finalize(stmt);
	return code;
}

static void read_head_alone(sqlite3 *db, struct alone *out)
{
	sqlite3_file *file = NULL;
	sqlite3_int64 size = 0;

	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (!file || !file->pMethods || !digest(file, out->sum) ||
	    file->pMethods->xFileSize(file, &size) != SQLITE_OK ||
	    file->pMethods->xRead(file, out->head,
				  size < (sqlite3_int64)SAMPLE ? (int)size : (int)SAMPLE,
				  0) != SQLITE_OK)
		memset(out->sum, 0, sizeof out->sum);
}

/* Reads through SQLite: a plain close would drop locks this process may have on the file. */
static void read_alone(const char *path, struct alone *out)
{
	sqlite3 *db = NULL;
	int code = open_alone(path, &db);

	*out = (struct alone){.kind = UNREADABLE};
	if (code == SQLITE_OK) {
		code = read_marker_alone(db, out);
		read_head_alone(db, out);
	}
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		out->trouble = (struct model_trouble){code, db ? model_errno_of(db, code) : 0};
	sqlite3_close(db);
}

/* Scans a log to decide whether it belongs to this file. */
struct judging {
	const struct alone *file;
	bool any;    /* it has a commit */
	bool marked; /* it has a marker of ours */
	bool fits;
	bool page_one; /* the file's first page is the one the log brought */
};

static void judge_marker(struct judging *judging, const struct model_marker *marker)
{
	const struct alone *file = judging->file;

	LOOM_ASSERT(file);
	if (file->kind == MARKED)
		judging->fits |= same(marker->store, file->marker.store) &&
				 ((!judging->marked && same(marker->over, file->marker.epoch)) ||
				  same(marker->epoch, file->marker.epoch));
	else
		judging->fits |= !judging->marked && same(marker->over, file->sum);
	judging->marked = true;
}

static void judge_frames(struct judging *judging, struct model_frames *frames)
{
	struct model_marker marker;
	struct model_frame frame;
	bool pending = false;

	LOOM_ASSERT(judging->file && frames->room);
	while (!judging->fits && model_frames_next(frames, &frame)) {
		pending |= marker_on_page(frame.data, frames->size, &marker);
		judging->page_one |= frame.page == 1 && frames->size <= SAMPLE &&
				     memcmp(frame.data, judging->file->head, frames->size) == 0;
		if (!frame.commit)
			continue;
		judging->any = true;
		if (pending)
			judge_marker(judging, &marker);
		pending = false;
	}
	if (judging->file->kind != MARKED)
		judging->fits |= !judging->marked || judging->page_one;
	judging->fits |= !judging->any;
}

static bool log_fits(const char *path, const char *log, struct model_trouble *out)
{
	struct model_frames frames;
	struct alone *file = NULL;
	struct judging judging = {.any = false};
	struct stat info;
	int fd = -1;
	bool begun = false;

	if (stat(log, &info) != 0 || info.st_size <= LOG_LEAST)
		return true;
	fd = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) /* SQLite will report why */
		return true;
	file = loom_alloc(sizeof *file);
	read_alone(path, file);
	*out = file->trouble;
	judging.file = file;
	begun = model_frames_open(&frames, fd, 0);
	if (begun)
		judge_frames(&judging, &frames);
	model_frames_close(&frames);
	close(fd);
	free(file);
	return !begun || judging.fits;
}

/* Recognises a rollback journal that SQLite would play back; we never write the store through
 * one. */
static bool is_hot(const char *journal)
{
	struct stat info;
	char first = 0;
	int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool hot = fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0 &&
		   pread(fd, &first, 1, 0) == 1 && first != 0;

	if (fd >= 0)
		close(fd);
	return hot;
}

bool model_epoch_strange(const char *path, struct model_strange *out)
{
	LOOM_ASSERT(path && out);
	out->trouble = (struct model_trouble){SQLITE_OK, 0};
	snprintf(out->log, sizeof out->log, "%s-journal", path);
	if (is_hot(out->log))
		return true;
	snprintf(out->log, sizeof out->log, "%s-wal", path);
	/* Others may be folding the log right now, so that reads before and after do not match:
	 * retry. */
	for (int i = 0; i < TRIES; i++) {
		const struct timespec wait = {0, BETWEEN_MS * 1000000L};

		out->trouble = (struct model_trouble){SQLITE_OK, 0};
		if (log_fits(path, out->log, &out->trouble) && !is_machines(out->trouble.code))
			return false;
		if (is_machines(out->trouble.code))
			return true;
		nanosleep(&wait, NULL);
	}
	return true;
}

enum loom_status model_epoch_refuse_strange(struct loom_store *store, struct loom_err *err)
{
	struct model_strange strange;

	if (!model_epoch_strange(loom_buf_cstr(&store->file), &strange))
		return LOOM_OK;
	if (strange.trouble.code != SQLITE_OK)
		return model_trouble_fail(store, &strange.trouble, err);
	loom_fail(err, LOOM_FOREIGN,
		  "%s does not belong to this " LOOM_GROVE_FILE
		  ": it is from another grove or another time; nothing was changed",
		  strange.log);
	return loom_hint(err, LOOM_FOREIGN,
			 "move it away to open the grove without it, or restore a grove with "
			 "`loom restore FILE`, which keeps both");
}
