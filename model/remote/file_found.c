/* A shared log in a file: its founding, and the states of the grove that it keeps. */
#include "file_log.h"

#include <errno.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

enum loom_status file_log_may_found(void *ctx, struct loom_err *err)
{
	const struct file_log *log = ctx;

	return access(log->path, F_OK) == 0
		       ? loom_fail(err, LOOM_CONFLICT, "%s exists already", log->path)
		       : LOOM_OK;
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
	int code = file ? file_log_configure(db) : SQLITE_CANTOPEN;

	_Static_assert(FILE_LOG_ID == 1280266055, "as above");
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, tables, NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(db, "INSERT INTO head(id) VALUES(?)", -1, &stmt, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 1, id->bytes, sizeof id->bytes, SQLITE_STATIC);
	code = file_log_finish(stmt, code);
	if (code == SQLITE_OK)
		code = put_chunks(db, file);
	if (file)
		fclose(file);
	return code == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) : code;
}

enum loom_status file_log_found(void *ctx, const char *snapshot, const struct loom_hash *id,
				struct loom_err *err)
{
	struct file_log *log = ctx;
	char part[PATH_MAX + 32];
	mode_t mask = umask(077);
	int code = SQLITE_OK;
	enum loom_status status = file_log_may_found(log, err);

	LOOM_ASSERT(!log->db && snapshot);
	snprintf(part, sizeof part, "%s.founding-%d", log->path, getpid());
	if (status == LOOM_OK) {
		(void)unlink(part);
		code = sqlite3_open_v2(part, &log->db,
				       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
					       SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE,
				       NULL);
		if (code == SQLITE_OK)
			code = fill(log->db, snapshot, id);
		file_log_shut(log);
		status = code == SQLITE_OK ? model_settle_file(part, log->path, err)
					   : file_log_fail(log, code, err);
		(void)unlink(part);
	}
	umask(mask);
	return status;
}

/* The whole snapshot is in the file when this returns LOOM_OK. */
static enum loom_status copy_chunks(struct file_log *log, FILE *file, const char *to,
				    struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool written = true;
	int code = file_log_prepare(log, "SELECT bytes FROM snapshot ORDER BY n", &stmt);

	LOOM_ASSERT(file);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	while (written && code == SQLITE_ROW) {
		const size_t n = (size_t)sqlite3_column_bytes(stmt, 0);

		written = fwrite(sqlite3_column_blob(stmt, 0), 1, n, file) == n;
		code = written ? sqlite3_step(stmt) : code;
	}
	sqlite3_finalize(stmt);
	if (!written || fflush(file) != 0 || fsync(fileno(file)) != 0)
		return loom_fail_errno(err, errno, "cannot write %s", to);
	return code == SQLITE_DONE ? LOOM_OK : file_log_fail(log, code, err);
}

enum loom_status file_log_fetch(void *ctx, const char *to, struct model_mark *out,
				struct loom_err *err)
{
	struct file_log *log = ctx;
	FILE *file = NULL;
	enum loom_status status = file_log_open(log, err);

	LOOM_ASSERT(to && out);
	if (status != LOOM_OK)
		return status;
	*out = (struct model_mark){0, log->first};
	file = fopen(to, "wbxe");
	if (!file)
		return loom_fail_errno(err, errno, "cannot write %s", to);
	status = copy_chunks(log, file, to, err);
	if (fclose(file) != 0 && status == LOOM_OK)
		status = loom_fail_errno(err, errno, "cannot write %s", to);
	return status;
}
