/* The shared log in a file: an SQLite database of its own, for sync folders and memory sticks.
 *
 * Invariants: a rollback journal, so that at rest it is one file; a turn is its write transaction,
 * so it ends with its process. The file may be replaced behind our back (a sync program), so each
 * turn looks whether the one at the path is the one that is open. It comes from others: none of its
 * triggers or views runs. */
#include "inside.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_LOG_ID 0x4C4F4F47
#define SCHEME      "file://"
enum { WAIT_MS = 10000, CHUNK = 1 << 20 };

struct file_log {
	sqlite3 *db; /* NULL: not open */
	char path[PATH_MAX];
	dev_t device;
	ino_t inode;
	struct loom_hash first; /* the chain before all entries: the log's own id */
};

/* --- errors --- */

static enum loom_status say_away(const char *path, const char *why, struct loom_err *err)
{
	loom_fail(err, LOOM_OFFLINE, "the shared log %s is not here: %s", path, why);
	return loom_hint(
		err, LOOM_OFFLINE,
		"reading works; to write, bring the file back (`loom remote drop` makes the "
		"grove local)");
}

static enum loom_status fail(const struct file_log *log, int code, struct loom_err *err)
{
	LOOM_ASSERT(code != SQLITE_OK);
	switch (code & 0xFF) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return loom_fail(err, LOOM_BUSY, "another program has had the log %s for too long",
				 log->path);
	case SQLITE_FULL:
		return loom_fail(err, LOOM_FULL, "the disk of the log %s is full", log->path);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		loom_fail(err, LOOM_DAMAGED, "the log %s is damaged", log->path);
		return loom_hint(err, LOOM_DAMAGED,
				 "each clone has everything: `loom remote drop`, then `loom remote "
				 "add` with another file");
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return loom_fail(err, LOOM_READ_ONLY, "the log %s cannot be written", log->path);
	default:
		return say_away(log->path, sqlite3_errstr(code), err);
	}
}

static void shut(struct file_log *log)
{
	sqlite3_close(log->db);
	log->db = NULL;
}

/* --- statements --- */

static int prepare(const struct file_log *log, const char *sql, sqlite3_stmt **out)
{
	LOOM_ASSERT(log->db);
	return sqlite3_prepare_v2(log->db, sql, -1, out, NULL);
}

/* Steps once, and ends it unless there is a row. */
static int finish(sqlite3_stmt *stmt, int code)
{
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

static void read_hash(sqlite3_stmt *stmt, int column, struct loom_hash *out)
{
	if (sqlite3_column_bytes(stmt, column) == (int)sizeof out->bytes)
		memcpy(out->bytes, sqlite3_column_blob(stmt, column), sizeof out->bytes);
}

/* --- opening --- */

static int configure(sqlite3 *db)
{
	static const struct {
		int what;
		int on;
	} settings[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},
	};

	for (size_t i = 0; i < LOOM_COUNT(settings); i++)
		sqlite3_db_config(db, settings[i].what, settings[i].on, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_busy_timeout(db, WAIT_MS);
	return sqlite3_exec(db,
			    "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; "
			    "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0",
			    NULL, NULL, NULL);
}

static enum loom_status read_id(struct file_log *log, struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = prepare(log, "SELECT application_id FROM pragma_application_id", &stmt);
	bool ours = false;

	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	ours = code == SQLITE_ROW && sqlite3_column_int(stmt, 0) == FILE_LOG_ID;
	sqlite3_finalize(stmt);
	if (code != SQLITE_ROW)
		return fail(log, code, err);
	if (!ours)
		return loom_fail(err, LOOM_FOREIGN, "%s is not a shared log", log->path);
	code = prepare(log, "SELECT id FROM head", &stmt);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		read_hash(stmt, 0, &log->first);
	sqlite3_finalize(stmt);
	return code == SQLITE_ROW ? LOOM_OK
				  : fail(log, code == SQLITE_DONE ? SQLITE_CORRUPT : code, err);
}

/* Returns whether the file at the path is the open one. */
static bool is_same(const struct file_log *log)
{
	struct stat info;

	return stat(log->path, &info) == 0 && info.st_dev == log->device &&
	       info.st_ino == log->inode;
}

static enum loom_status open_file(struct file_log *log, struct loom_err *err)
{
	struct stat info;
	enum loom_status status;
	int code;

	LOOM_ASSERT(log->path[0] == '/');
	if (log->db && is_same(log))
		return LOOM_OK;
	shut(log);
	if (stat(log->path, &info) != 0)
		return say_away(log->path, strerror(errno), err);
	if (!S_ISREG(info.st_mode))
		return loom_fail(err, LOOM_FOREIGN, "%s is not a shared log", log->path);
	log->device = info.st_dev;
	log->inode = info.st_ino;
	code = sqlite3_open_v2(log->path, &log->db,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW |
				       SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
			       NULL);
	if (code == SQLITE_OK)
		code = configure(log->db);
	status = code == SQLITE_OK ? read_id(log, err) : fail(log, code, err);
	if (status != LOOM_OK)
		shut(log);
	return status;
}

/* --- the engine --- */

static void leave(void *ctx)
{
	struct file_log *log = ctx;

	if (log->db && !sqlite3_get_autocommit(log->db))
		(void)sqlite3_exec(log->db, "ROLLBACK", NULL, NULL, NULL);
}

static enum loom_status turn(void *ctx, struct loom_err *err)
{
	struct file_log *log = ctx;
	enum loom_status status = LOOM_OK;
	int code = SQLITE_OK;

	/* It may be replaced between the look and the lock; then again. */
	do {
		leave(log);
		status = open_file(log, err);
		if (status == LOOM_OK)
			code = sqlite3_exec(log->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	} while (status == LOOM_OK && code == SQLITE_OK && !is_same(log));
	if (status != LOOM_OK || code == SQLITE_OK)
		return status;
	status = fail(log, code, err);
	shut(log);
	return status;
}

static enum loom_status read_mark(const struct file_log *log, const char *sql, int64_t seq,
				  struct model_mark *out, struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = prepare(log, sql, &stmt);

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, seq);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW) {
		out->seq = sqlite3_column_int64(stmt, 0);
		read_hash(stmt, 1, &out->chain);
	}
	sqlite3_finalize(stmt);
	return code == SQLITE_ROW || code == SQLITE_DONE ? LOOM_OK : fail(log, code, err);
}

static enum loom_status head(void *ctx, struct model_mark *out, struct loom_err *err)
{
	struct file_log *log = ctx;
	enum loom_status status = open_file(log, err);

	*out = (struct model_mark){.seq = 0};
	if (status != LOOM_OK)
		return status;
	out->chain = log->first;
	return read_mark(log,
			 "SELECT seq, chain FROM entry WHERE seq > ? ORDER BY seq DESC LIMIT 1", 0,
			 out, err);
}

static enum loom_status mark(void *ctx, int64_t seq, struct model_mark *out, struct loom_err *err)
{
	struct file_log *log = ctx;

	LOOM_ASSERT(seq >= 0);
	*out = (struct model_mark){.seq = seq};
	if (!seq) {
		out->chain = log->first;
		return LOOM_OK;
	}
	memset(&out->chain, 0xFF, sizeof out->chain);
	return read_mark(log, "SELECT seq, chain FROM entry WHERE seq = ?", seq, out, err);
}

static enum loom_status since(void *ctx, int64_t seq, model_entry_fn *each, void *each_ctx,
			      struct loom_err *err)
{
	struct file_log *log = ctx;
	sqlite3_stmt *stmt = NULL;
	enum loom_status status = LOOM_OK;
	int code = prepare(log, "SELECT seq, bytes FROM entry WHERE seq > ? ORDER BY seq", &stmt);

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, seq);
	if (code == SQLITE_OK)
		code = SQLITE_ROW;
	while (code == SQLITE_ROW && status == LOOM_OK) {
		code = sqlite3_step(stmt);
		if (code != SQLITE_ROW)
			break;
		if (sqlite3_column_int64(stmt, 0) != ++seq) {
			code = SQLITE_CORRUPT;
			break;
		}
		status = each(each_ctx, seq,
			      loom_str_make(sqlite3_column_blob(stmt, 1),
					    (size_t)sqlite3_column_bytes(stmt, 1)),
			      err);
	}
	sqlite3_finalize(stmt);
	if (status != LOOM_OK)
		return status;
	return code == SQLITE_DONE || code == SQLITE_ROW ? LOOM_OK : fail(log, code, err);
}

static int insert(const struct file_log *log, const struct model_mark *next, const uint8_t *uid,
		  struct loom_str bytes)
{
	sqlite3_stmt *stmt = NULL;
	int code =
		prepare(log, "INSERT INTO entry(seq, uid, chain, bytes) VALUES(?, ?, ?, ?)", &stmt);

	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, next->seq);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 2, uid, MODEL_ENTRY_UID, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 3, next->chain.bytes, sizeof next->chain.bytes,
					 SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob64(stmt, 4, bytes.p, bytes.n, SQLITE_STATIC);
	return finish(stmt, code);
}

static enum loom_status append(void *ctx, const struct model_mark *base,
			       const uint8_t uid[MODEL_ENTRY_UID], struct loom_str bytes,
			       struct loom_err *err)
{
	struct file_log *log = ctx;
	struct model_mark next = {base->seq + 1, model_entry_chain(&base->chain, bytes)};
	struct model_mark now;
	enum loom_status status = head(log, &now, err);
	int code = SQLITE_OK;

	LOOM_ASSERT(bytes.n && bytes.n <= MODEL_ENTRY_MAX);
	LOOM_ASSERT(!log->db || !sqlite3_get_autocommit(log->db));
	if (status == LOOM_OK && (now.seq != base->seq || !loom_hash_eq(&now.chain, &base->chain)))
		status = loom_fail(err, LOOM_CONFLICT, "the shared log went on");
	if (status == LOOM_OK)
		code = insert(log, &next, uid, bytes);
	if (status == LOOM_OK && code == SQLITE_OK)
		code = sqlite3_exec(log->db, "COMMIT", NULL, NULL, NULL);
	if (status == LOOM_OK && (code & 0xFF) == SQLITE_CONSTRAINT)
		status = loom_fail(err, LOOM_CONFLICT, "this entry is in the log already");
	else if (status == LOOM_OK && code != SQLITE_OK)
		status = fail(log, code, err);
	leave(log);
	return status;
}

static void close_log(void *ctx)
{
	struct file_log *log = ctx;

	leave(log);
	shut(log);
	free(log);
}

static const struct model_log engine = {turn, head, mark, since, append, leave, close_log};

/* --- founding, and snapshots --- */

static enum loom_status path_of(struct loom_str url, char out[PATH_MAX], struct loom_err *err)
{
	const struct loom_str path = loom_str_sub(url, sizeof SCHEME - 1, url.n);

	if (loom_str_starts(url, LOOM_STR(SCHEME "/")) && path.n < PATH_MAX &&
	    loom_str_find_char(path, '\0', 0) == SIZE_MAX && !loom_str_ends(path, LOOM_STR("/"))) {
		snprintf(out, PATH_MAX, "%.*s", LOOM_STR_ARG(path));
		return LOOM_OK;
	}
	loom_fail(err, LOOM_INVALID, "\"%.*s\" is not the address of a shared log",
		  LOOM_STR_ARG(url));
	return loom_hint(err, LOOM_INVALID, "for example file:///media/stick/novel.loomlog");
}

enum loom_status model_log_at(struct loom_str url, const struct model_log **out, void **out_ctx,
			      struct loom_err *err)
{
	struct file_log *log = loom_alloc(sizeof *log);
	enum loom_status status = path_of(url, log->path, err);

	*out = &engine;
	*out_ctx = log;
	if (status == LOOM_OK)
		return status;
	free(log);
	*out_ctx = NULL;
	return status;
}

enum loom_status loom_remote_may_found(struct loom_str url, struct loom_err *err)
{
	char path[PATH_MAX];
	enum loom_status status = path_of(url, path, err);

	return status == LOOM_OK && access(path, F_OK) == 0
		       ? loom_fail(err, LOOM_CONFLICT, "%s exists already", path)
		       : status;
}

static int put_chunks(sqlite3 *db, FILE *file)
{
	char *room = loom_alloc(CHUNK);
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(db, "INSERT INTO snapshot(n, bytes) VALUES(?, ?)", -1, &stmt,
				      NULL);
	size_t n = 0;

	LOOM_ASSERT(db && file);
	for (int i = 0; code == SQLITE_OK && (n = fread(room, 1, CHUNK, file)) > 0; i++) {
		sqlite3_bind_int(stmt, 1, i);
		sqlite3_bind_blob64(stmt, 2, room, n, SQLITE_STATIC);
		code = sqlite3_step(stmt);
		sqlite3_reset(stmt);
		code = code == SQLITE_DONE ? SQLITE_OK : code;
	}
	if (ferror(file))
		code = SQLITE_IOERR;
	sqlite3_finalize(stmt);
	free(room);
	return code;
}

/* A log with a snapshot of the grove and no entry; `db` is a new file. */
static int fill(sqlite3 *db, const char *snapshot, const struct loom_hash *id)
{
	static const char tables[] =
		"PRAGMA application_id = 1280266055; PRAGMA user_version = 1; BEGIN;"
		"CREATE TABLE head(id BLOB NOT NULL CHECK(length(id) = 32)) STRICT;"
		"CREATE TABLE entry(seq INTEGER PRIMARY KEY, uid BLOB NOT NULL UNIQUE, "
		"chain BLOB NOT NULL, bytes BLOB NOT NULL) STRICT;"
		"CREATE TABLE snapshot(n INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;";
	FILE *file = fopen(snapshot, "rbe");
	sqlite3_stmt *stmt = NULL;
	int code = file ? configure(db) : SQLITE_CANTOPEN;

	_Static_assert(FILE_LOG_ID == 1280266055, "as above");
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, tables, NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(db, "INSERT INTO head(id) VALUES(?)", -1, &stmt, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 1, id->bytes, sizeof id->bytes, SQLITE_STATIC);
	code = finish(stmt, code);
	if (code == SQLITE_OK)
		code = put_chunks(db, file);
	if (file)
		fclose(file);
	return code == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) : code;
}

enum loom_status remote_file_found(struct loom_str url, const char *snapshot,
				   const struct loom_hash *id, struct loom_err *err)
{
	struct file_log log = {.db = NULL};
	char part[PATH_MAX + 32];
	char path[PATH_MAX] = "";
	mode_t mask = umask(077);
	int code = SQLITE_OK;
	enum loom_status status = loom_remote_may_found(url, err);

	if (status == LOOM_OK)
		status = path_of(url, path, err);
	snprintf(part, sizeof part, "%s.founding-%d", path, getpid());
	snprintf(log.path, sizeof log.path, "%s", path);
	if (status == LOOM_OK) {
		(void)unlink(part);
		code = sqlite3_open_v2(part, &log.db,
				       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
					       SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE,
				       NULL);
		if (code == SQLITE_OK)
			code = fill(log.db, snapshot, id);
		shut(&log);
		status = code == SQLITE_OK ? model_settle_file(part, path, err)
					   : fail(&log, code, err);
		(void)unlink(part);
	}
	umask(mask);
	return status;
}

enum loom_status remote_file_snapshot(struct loom_str url, const char *to, struct model_mark *out,
				      struct loom_err *err)
{
	struct file_log *log = NULL;
	const struct model_log *unused = NULL;
	void *ctx = NULL;
	sqlite3_stmt *stmt = NULL;
	FILE *file = NULL;
	bool written = true;
	int code = SQLITE_OK;
	enum loom_status status = model_log_at(url, &unused, &ctx, err);

	LOOM_ASSERT(to && out);
	if (status != LOOM_OK)
		return status;
	log = ctx;
	status = open_file(log, err);
	if (status == LOOM_OK) {
		*out = (struct model_mark){0, log->first};
		file = fopen(to, "wbxe");
		written = file != NULL;
		code = prepare(log, "SELECT bytes FROM snapshot ORDER BY n", &stmt);
		while (written && code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
			const size_t n = (size_t)sqlite3_column_bytes(stmt, 0);

			written = fwrite(sqlite3_column_blob(stmt, 0), 1, n, file) == n;
		}
		code = finish(stmt, code) == SQLITE_OK ? code : SQLITE_CORRUPT;
		if (file && (fflush(file) != 0 || fsync(fileno(file)) != 0))
			written = false;
		if (file && fclose(file) != 0)
			written = false;
		if (!written)
			status = loom_fail_errno(err, errno, "cannot write %s", to);
		else if (code != SQLITE_OK)
			status = fail(log, code, err);
	}
	close_log(log);
	return status;
}
