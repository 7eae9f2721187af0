/* Reads databases of other programs. Invariants: the file is never written, nor is anything put
 * beside it: a file that SQLite would recover first, or whose log it would open, is copied; the
 * copy is unlinked before the first row is read. Everything but reading is off before the file's
 * schema is looked at. */
#include <loom/salvage/foreign.h>

#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/grove/store.h>

#define PIECE    ((size_t)1 << 20)
#define TRIES    5
#define STEPS    100000
#define COPY     "/db"
#define WAL_AT   18 /* in the header: 2 if it has, or had, a log */
#define WAL_MODE 2

enum { DEEP = 16 };

struct loom_foreign {
	sqlite3 *db;
	struct loom_task *task;
	char name[PATH_MAX];
	char dir[PATH_MAX]; /* of the private copy, while it has a name */
};

static const char *const beside[] = {"", "-wal", "-journal"};

bool loom_foreign_is(struct loom_str head)
{
	return head.n >= sizeof MODEL_SQLITE_MAGIC &&
	       memcmp(head.p, MODEL_SQLITE_MAGIC, sizeof MODEL_SQLITE_MAGIC) == 0;
}

/* ---- the copy ---- */

static bool has(const char *path, const char *ending)
{
	char name[PATH_MAX + 16];
	struct stat info;

	snprintf(name, sizeof name, "%s%s", path, ending);
	return stat(name, &info) == 0 && info.st_size > 0;
}

static enum loom_status copy_bytes(struct loom_foreign *foreign, int from, int to,
				   struct loom_err *err)
{
	char *piece = loom_alloc(PIECE);
	enum loom_status status = LOOM_OK;
	ssize_t n = 1;

	while (status == LOOM_OK && n != 0) {
		n = read(from, piece, PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		for (ssize_t done = 0; status == LOOM_OK && done < n;) {
			const ssize_t put = write(to, piece + done, (size_t)(n - done));

			if (put < 0 && errno != EINTR)
				status = loom_fail_errno(err, errno, "cannot copy %s",
							 foreign->name);
			done += put > 0 ? put : 0;
		}
		if (n < 0)
			status = loom_fail_errno(err, errno, "%s", foreign->name);
		if (status == LOOM_OK && loom_task_cancelled(foreign->task))
			status = loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written");
	}
	free(piece);
	return status;
}

/* Copies the file or one beside it; one that is not there is no error. */
static enum loom_status copy_one(struct loom_foreign *foreign, const char *ending,
				 struct loom_err *err)
{
	char name[PATH_MAX + 16];
	int from = -1;
	int to = -1;
	enum loom_status status = LOOM_OK;

	snprintf(name, sizeof name, "%s%s", foreign->name, ending);
	from = open(name, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return errno == ENOENT && ending[0] ? LOOM_OK
						    : loom_fail_errno(err, errno, "%s", name);
	snprintf(name, sizeof name, "%s" COPY "%s", foreign->dir, ending);
	to = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (to < 0)
		status = loom_fail_errno(err, errno, "%s", name);
	else
		status = copy_bytes(foreign, from, to, err);
	if (to >= 0)
		close(to);
	close(from);
	return status;
}

static void unlink_copy(struct loom_foreign *foreign)
{
	char name[PATH_MAX + 16];

	if (!foreign->dir[0])
		return;
	for (size_t i = 0; i < LOOM_COUNT(beside); i++) {
		snprintf(name, sizeof name, "%s" COPY "%s", foreign->dir, beside[i]);
		unlink(name);
	}
	rmdir(foreign->dir);
	foreign->dir[0] = '\0';
}

/* Sizes and times of the file and its neighbours, to see whether they change. */
static void look_at(const char *path, struct timespec out_times[LOOM_COUNT(beside)],
		    off_t out_sizes[LOOM_COUNT(beside)])
{
	for (size_t i = 0; i < LOOM_COUNT(beside); i++) {
		char name[PATH_MAX + 16];
		struct stat info = {.st_size = -1};

		snprintf(name, sizeof name, "%s%s", path, beside[i]);
		if (stat(name, &info) != 0)
			info = (struct stat){.st_size = -1};
		out_times[i] = info.st_mtim;
		out_sizes[i] = info.st_size;
	}
}

static enum loom_status copy_all(struct loom_foreign *foreign, const char *dir,
				 struct loom_err *err)
{
	struct timespec times[2][LOOM_COUNT(beside)];
	off_t sizes[2][LOOM_COUNT(beside)];
	enum loom_status status = LOOM_OK;

	snprintf(foreign->dir, sizeof foreign->dir, "%s/loom-XXXXXX", dir && *dir ? dir : "/tmp");
	if (!mkdtemp(foreign->dir)) {
		foreign->dir[0] = '\0';
		return loom_fail_errno(err, errno, "no room for a copy of %s", foreign->name);
	}
	for (int i = 0; i < TRIES; i++) {
		look_at(foreign->name, times[0], sizes[0]);
		for (size_t j = LOOM_COUNT(beside); status == LOOM_OK && j > 0; j--)
			status = copy_one(foreign, beside[j - 1], err);
		look_at(foreign->name, times[1], sizes[1]);
		if (status != LOOM_OK || (memcmp(times[0], times[1], sizeof times[0]) == 0 &&
					  memcmp(sizes[0], sizes[1], sizeof sizes[0]) == 0))
			return status;
	}
	loom_fail(err, LOOM_BUSY, "%s is being written", foreign->name);
	return loom_hint(err, LOOM_BUSY, "try again once its program is idle");
}

/* ---- opening ---- */

static int only_read(void *ctx, int action, const char *a, const char *b, const char *db,
		     const char *by)
{
	(void)ctx;
	(void)a;
	(void)db;
	(void)by;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && sqlite3_stricmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

static int is_stopped(void *ctx)
{
	return loom_task_cancelled(ctx);
}

static enum loom_status fail(struct loom_foreign *foreign, int code, struct loom_err *err)
{
	switch (code & 0xFF) {
	case SQLITE_INTERRUPT:
		return loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written");
	case SQLITE_TOOBIG:
		return loom_fail(err, LOOM_LIMIT, "%s: a row with more than %d MiB", foreign->name,
				 LOOM_ROW_BYTES_MAX >> 20);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return loom_fail(err, LOOM_BUSY, "%s is in use", foreign->name);
	default:
		return loom_fail(err, LOOM_INVALID, "%s: a database that cannot be read: %s",
				 foreign->name,
				 foreign->db ? sqlite3_errmsg(foreign->db) : sqlite3_errstr(code));
	}
}

static int harden(struct loom_foreign *foreign)
{
	static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
				  SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_FKEY,
				  SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION};
	static const int on[] = {SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE};
	int code = SQLITE_OK;

	for (size_t i = 0; code == SQLITE_OK && i < LOOM_COUNT(off); i++)
		code = sqlite3_db_config(foreign->db, off[i], 0, NULL);
	for (size_t i = 0; code == SQLITE_OK && i < LOOM_COUNT(on); i++)
		code = sqlite3_db_config(foreign->db, on[i], 1, NULL);
	sqlite3_limit(foreign->db, SQLITE_LIMIT_LENGTH, LOOM_ROW_BYTES_MAX);
	sqlite3_limit(foreign->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_busy_timeout(foreign->db, 2000);
	sqlite3_progress_handler(foreign->db, STEPS, is_stopped, foreign->task);
	return code;
}

static void add_uri(const char *path, const char *how, struct loom_buf *out)
{
	loom_buf_adds(out, "file:");
	for (const char *p = path; *p; p++)
		if (strchr("%?#", *p))
			loom_buf_addf(out, "%%%02X", (unsigned char)*p);
		else
			loom_buf_addc(out, *p);
	loom_buf_adds(out, how);
}

static enum loom_status open_at(struct loom_foreign *foreign, const char *path, const char *how,
				struct loom_err *err)
{
	struct loom_buf uri = LOOM_BUF_INIT(1 << 16);
	const bool copy = foreign->dir[0] != '\0';
	int code;

	add_uri(path, how, &uri);
	code = sqlite3_open_v2(loom_buf_cstr(&uri), &foreign->db,
			       SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE |
				       (copy ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY),
			       NULL);
	loom_buf_fini(&uri);
	if (code == SQLITE_OK)
		code = harden(foreign);
	/* In exclusive mode the log's index is in memory, so that the copy can lose its name. */
	if (code == SQLITE_OK && copy)
		code = sqlite3_exec(foreign->db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL,
				    NULL);
	if (code == SQLITE_OK)
		code = sqlite3_exec(foreign->db,
				    "PRAGMA mmap_size = 0; PRAGMA cell_size_check = 1;"
				    "SELECT count(*) FROM sqlite_schema;",
				    NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_exec(foreign->db, "PRAGMA query_only = 1", NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_set_authorizer(foreign->db, only_read, NULL);
	return code == SQLITE_OK ? LOOM_OK : fail(foreign, code, err);
}

/* Whether the header says that the file has a log; one that has none beside it has been closed. */
static bool has_log_mode(const char *path)
{
	uint8_t head[WAL_AT + 2] = {0};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const bool is = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head &&
			(head[WAL_AT] == WAL_MODE || head[WAL_AT + 1] == WAL_MODE);

	if (fd >= 0)
		close(fd);
	return is;
}

enum loom_status loom_foreign_open(const char *path, const char *dir, struct loom_task *task,
				   struct loom_foreign **out, struct loom_err *err)
{
	struct loom_foreign *foreign = loom_alloc(sizeof *foreign);
	char copy[PATH_MAX + 16];
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(path && out);
	*foreign = (struct loom_foreign){.task = task};
	*out = NULL;
	if (!realpath(path, foreign->name)) {
		status = loom_fail_errno(err, errno, "%s", path);
	} else if (has(foreign->name, "-wal") || has(foreign->name, "-journal")) {
		status = copy_all(foreign, dir, err);
		snprintf(copy, sizeof copy, "%s" COPY, foreign->dir);
		if (status == LOOM_OK)
			status = open_at(foreign, copy, "", err);
	} else {
		/* Nobody has it open, and SQLite would put a log beside it only to read. */
		status = open_at(foreign, foreign->name,
				 has_log_mode(foreign->name) ? "?immutable=1" : "", err);
	}
	unlink_copy(foreign);
	if (status == LOOM_OK)
		*out = foreign;
	else
		loom_foreign_close(foreign);
	return status;
}

void loom_foreign_close(struct loom_foreign *foreign)
{
	if (!foreign)
		return;
	sqlite3_close(foreign->db);
	unlink_copy(foreign);
	free(foreign);
}

/* ---- looking ---- */

static bool has_table(struct loom_foreign *foreign, struct loom_str name)
{
	sqlite3_stmt *stmt = NULL;
	bool is = false;

	if (sqlite3_prepare_v2(foreign->db,
			       "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND "
			       "sql NOT LIKE 'CREATE VIRTUAL%'",
			       -1, &stmt, NULL) == SQLITE_OK) {
		sqlite3_bind_text(stmt, 1, name.p, (int)name.n, SQLITE_STATIC);
		is = sqlite3_step(stmt) == SQLITE_ROW;
	}
	sqlite3_finalize(stmt);
	return is;
}

static bool has_name(struct loom_foreign *foreign, struct loom_str name)
{
	const size_t dot = loom_str_find_char(name, '.', 0);
	struct loom_str table = loom_str_sub(name, 0, dot);
	char names[2][64];

	if (!has_table(foreign, table))
		return false;
	if (dot == SIZE_MAX)
		return true;
	snprintf(names[0], sizeof names[0], "%.*s", LOOM_STR_ARG(table));
	snprintf(names[1], sizeof names[1], "%.*s",
		 LOOM_STR_ARG(loom_str_sub(name, dot + 1, name.n)));
	return sqlite3_table_column_metadata(foreign->db, NULL, names[0], names[1], NULL, NULL,
					     NULL, NULL, NULL) == SQLITE_OK;
}

/* The next of names separated by blanks; false after the last. */
static bool next_name(struct loom_str *rest, struct loom_str *out)
{
	*rest = loom_str_trim(*rest);
	*out = loom_str_sub(*rest, 0, loom_str_find_char(*rest, ' ', 0));
	*rest = loom_str_sub(*rest, out->n, rest->n);
	return out->n > 0;
}

bool loom_foreign_has(struct loom_foreign *foreign, const char *names)
{
	struct loom_str rest = loom_str_of(names);
	struct loom_str name;

	while (next_name(&rest, &name))
		if (!has_name(foreign, name))
			return false;
	return true;
}

/* ---- rows ---- */

struct reading {
	struct loom_foreign *foreign;
	const struct loom_foreign_query *queries;
	size_t count;
	sqlite3_stmt *stmts[DEEP];
	enum loom_status (*line)(void *ctx, struct loom_str line, struct loom_err *err);
	void *ctx;
	struct loom_buf buf;
};

static bool names_it(const char *names, const char *name)
{
	struct loom_str rest = loom_str_of(names ? names : "");
	struct loom_str one;

	while (next_name(&rest, &one))
		if (loom_str_is(one, name))
			return true;
	return false;
}

/* Whether a text is JSON that may stand in a line: checked, no key twice. */
static bool is_json(struct loom_str text)
{
	static const struct loom_json_limits limits = {.bytes = LOOM_ROW_BYTES_MAX};

	return loom_json_check(text, &limits, NULL) == LOOM_OK;
}

static void add_value(sqlite3_stmt *stmt, int column, bool json, struct loom_buf *out)
{
	struct loom_str text;

	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		loom_buf_add_int(out, sqlite3_column_int64(stmt, column));
		break;
	case SQLITE_FLOAT:
		if (isfinite(sqlite3_column_double(stmt, column)))
			loom_buf_addf(out, "%.17g", sqlite3_column_double(stmt, column));
		else
			loom_buf_adds(out, "null");
		break;
	case SQLITE_TEXT:
		text.p = (const char *)sqlite3_column_text(stmt, column);
		text.n = (size_t)sqlite3_column_bytes(stmt, column);
		if (json && is_json(text))
			loom_jval_compact(text, out);
		else
			loom_json_quote(text, out);
		break;
	case SQLITE_BLOB:
		loom_buf_addf(out, "{\"bytes\":%d}", sqlite3_column_bytes(stmt, column));
		break;
	default:
		loom_buf_adds(out, "null");
	}
}

static enum loom_status give_row(struct reading *reading, size_t query, struct loom_err *err)
{
	sqlite3_stmt *stmt = reading->stmts[query];
	struct loom_buf *out = &reading->buf;

	loom_buf_clear(out);
	loom_buf_adds(out, "{\"row\":");
	loom_json_quote(loom_str_of(reading->queries[query].row), out);
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		const char *name = sqlite3_column_name(stmt, i);

		if (strcmp(name, "row") == 0 || sqlite3_column_type(stmt, i) == SQLITE_NULL)
			continue;
		loom_buf_addc(out, ',');
		loom_json_quote(loom_str_of(name), out);
		loom_buf_addc(out, ':');
		add_value(stmt, i, names_it(reading->queries[query].json, name), out);
	}
	loom_buf_adds(out, "}\n");
	if (out->bad)
		return fail(reading->foreign, SQLITE_TOOBIG, err);
	return reading->line(reading->ctx, loom_buf_str(out), err);
}

static void bind_outer(sqlite3_stmt *stmt, sqlite3_stmt *outer)
{
	for (int i = 0; i < sqlite3_column_count(outer); i++)
		if (strcmp(sqlite3_column_name(outer, i), "id") == 0) {
			sqlite3_bind_value(stmt, 1, sqlite3_column_value(outer, i));
			return;
		}
}

/* The first query of those under `outer` (0: under none) from number `from` on; SIZE_MAX: none. */
static size_t next_query(const struct reading *reading, size_t from, size_t outer)
{
	for (size_t i = from; i < reading->count; i++)
		if (reading->queries[i].under == outer && reading->stmts[i])
			return i;
	return SIZE_MAX;
}

/* Runs the queries as nested loops, with a stack as deep as they are. */
static enum loom_status run(struct reading *reading, struct loom_err *err)
{
	size_t stack[DEEP];
	size_t depth = 0;
	size_t query = next_query(reading, 0, 0);
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && (query != SIZE_MAX || depth)) {
		int code;
		size_t inner;

		if (query != SIZE_MAX) {
			stack[depth++] = query;
			if (depth > 1)
				bind_outer(reading->stmts[query], reading->stmts[stack[depth - 2]]);
		}
		query = stack[depth - 1];
		code = sqlite3_step(reading->stmts[query]);
		if (code == SQLITE_ROW) {
			status = give_row(reading, query, err);
			inner = next_query(reading, 0, query + 1);
			query = inner;
			continue;
		}
		if (code != SQLITE_DONE)
			return fail(reading->foreign, code, err);
		sqlite3_reset(reading->stmts[query]);
		depth--;
		query = next_query(reading, query + 1, depth ? stack[depth - 1] + 1 : 0);
	}
	return status;
}

enum loom_status loom_foreign_rows(struct loom_foreign *foreign,
				   const struct loom_foreign_query *queries, size_t count,
				   enum loom_status (*line)(void *ctx, struct loom_str line,
							    struct loom_err *err),
				   void *ctx, struct loom_err *err)
{
	struct reading reading = {.foreign = foreign,
				  .queries = queries,
				  .count = count,
				  .line = line,
				  .ctx = ctx,
				  .buf = LOOM_BUF_INIT((size_t)4 * LOOM_ROW_BYTES_MAX)};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(count <= DEEP);
	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		int code = SQLITE_OK;

		if (!queries[i].needs || loom_foreign_has(foreign, queries[i].needs))
			code = sqlite3_prepare_v2(foreign->db, queries[i].sql, -1,
						  &reading.stmts[i], NULL);
		if (code != SQLITE_OK)
			status = fail(foreign, code, err);
	}
	if (status == LOOM_OK)
		status = run(&reading, err);
	for (size_t i = 0; i < count; i++)
		sqlite3_finalize(reading.stmts[i]);
	loom_buf_fini(&reading.buf);
	return status;
}
