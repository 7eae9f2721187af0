/* The connection: opening with verified settings, cached statements, views, errors.
 *
 * Invariants: the file is never opened or closed behind SQLite's back while a connection is open
 * (that would drop its locks); the header is checked before a connection is made. */
#include <loom/grove/sql.h>

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/presence.h>
#include <loom/grove/trust.h>

/* --- errors --- */

static enum loom_status status_of_code(int code, int system_error)
{
	switch (code & 0xFF) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL: /* gave up waiting for the log's index */
		return LOOM_BUSY;
	case SQLITE_FULL:
		return LOOM_FULL;
	case SQLITE_IOERR:
		return code == SQLITE_IOERR_NOMEM ? LOOM_FAULT
		       : system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG
			       ? LOOM_FULL
			       : LOOM_IO;
	case SQLITE_CORRUPT:
		return LOOM_DAMAGED;
	case SQLITE_NOTADB:
		return LOOM_FOREIGN;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return LOOM_READ_ONLY;
	case SQLITE_CANTOPEN:
		return LOOM_IO;
	case SQLITE_INTERRUPT:
		return LOOM_CANCELLED;
	case SQLITE_TOOBIG:
		return LOOM_LIMIT;
	default:
		return LOOM_FAULT;
	}
}

static const char *words_of_status(enum loom_status status)
{
	switch ((int)status) {
	case LOOM_BUSY:
		return "the store is busy";
	case LOOM_FULL:
		return "the disk is full; nothing was changed";
	case LOOM_IO:
		return "the disk refused a read or write; nothing was acknowledged";
	case LOOM_DAMAGED:
		return "the store is damaged";
	case LOOM_FOREIGN:
		return "the file is not a grove";
	case LOOM_READ_ONLY:
		return "the store is read-only";
	case LOOM_LIMIT:
		return "a text is larger than the store allows (64 MiB)";
	default:
		return "the store failed";
	}
}

/* Returns the errno that prevents writing beside the file; 0 if nothing does. */
static int shut_beside(const struct loom_store *store)
{
	char file[PATH_MAX];

	snprintf(file, sizeof file, "%s", loom_buf_cstr(&store->file));
	return access(dirname(file), W_OK) == 0 ? 0 : errno;
}

static enum loom_status hint_at_way_out(const struct loom_store *store, enum loom_status status,
					int system_error, struct loom_err *err)
{
	const char *known = loom_errno_hint(system_error);

	LOOM_ASSERT(status != LOOM_OK);
	switch ((int)status) {
	case LOOM_DAMAGED:
		/* A check needs a store that opens. */
		return loom_hint(err, status,
				 "%sloom salvage recovers what is left into a new grove",
				 store->ready ? "loom check shows what is wrong; " : "");
	case LOOM_READ_ONLY:
		if (shut_beside(store) == EROFS)
			return loom_hint(err, status,
					 "the disk is mounted read-only: copy " LOOM_GROVE_DIR
					 " to another one");
		return loom_hint(err, status,
				 "`chmod -R u+w " LOOM_GROVE_DIR
				 "` where it is yours; `loom backup "
				 "FILE` copies it");
	case LOOM_IO:
	case LOOM_FULL:
		return known[0] ? loom_hint(err, status, "%s", known) : status;
	default:
		return status;
	}
}

static int errno_of_file(sqlite3 *db, int which)
{
	sqlite3_file *file = NULL;
	int error = 0;

	(void)sqlite3_file_control(db, "main", which, &file);
	if (file && file->pMethods)
		(void)file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
	return error;
}

/* A failed commit does not record an errno, but the files do, the log first; it may be left from an
 * unrelated failure, so only some codes ask. */
int model_errno_of(sqlite3 *db, int code)
{
	int error = 0;

	switch (code) {
	case SQLITE_IOERR_WRITE:
	case SQLITE_IOERR_FSYNC:
	case SQLITE_IOERR_READ:
		error = errno_of_file(db, SQLITE_FCNTL_JOURNAL_POINTER);
		if (!error)
			error = errno_of_file(db, SQLITE_FCNTL_FILE_POINTER);
		break;
	default:
		break;
	}
	if (!error && ((code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN))
		error = sqlite3_system_errno(db);
	return error;
}

enum loom_status model_sqlite_fail(struct loom_store *store, int code, struct loom_err *err)
{
	LOOM_ASSERT(code != SQLITE_OK);
	return model_trouble_fail(
		store,
		&(struct model_trouble){code, store->db ? model_errno_of(store->db, code) : 0},
		err);
}

enum loom_status model_trouble_fail(struct loom_store *store, const struct model_trouble *trouble,
				    struct loom_err *err)
{
	const int code = trouble->code;
	const int system_error = trouble->system_error;
	enum loom_status status = status_of_code(code, system_error);
	const char *detail = store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code);

	LOOM_ASSERT(code != SQLITE_OK);
	if (status == LOOM_FAULT && !store->ready && (code & 0xFF) == SQLITE_ERROR)
		status = LOOM_DAMAGED;
	if (status == LOOM_CANCELLED)
		return loom_fail(err, status, "stopped; nothing was changed");
	/* Reading needs a log, which may have to be created. */
	if ((code & 0xFF) == SQLITE_CANTOPEN && !store->ready && shut_beside(store)) {
		status = LOOM_READ_ONLY;
		loom_fail(err, status, "%s cannot be read unless its directory is writable",
			  loom_buf_cstr(&store->file));
		return hint_at_way_out(store, status, system_error, err);
	}
	loom_fail(err, status, "%s: %s (%s%s%s)", loom_buf_cstr(&store->file),
		  words_of_status(status), detail, system_error ? ": " : "",
		  system_error ? strerror(system_error) : "");
	return hint_at_way_out(store, status, system_error, err);
}

/* --- statements --- */

static struct model_statement *statement_slot(struct loom_store *store, const char *sql)
{
	size_t at = ((uintptr_t)sql >> 3) % MODEL_STATEMENTS;

	for (size_t i = 0; i < MODEL_STATEMENTS; i++, at = (at + 1) % MODEL_STATEMENTS)
		if (!store->statements[at].sql || store->statements[at].sql == sql)
			return &store->statements[at];
	return NULL;
}

struct query model_query(struct loom_store *store, const char *sql, struct loom_err *err)
{
	struct query q = {.store = store, .err = err, .status = LOOM_OK};
	struct model_statement *slot = statement_slot(store, sql);

	LOOM_ASSERT(store->db && sql);
	if (!slot) {
		q.status = loom_fail(err, LOOM_FAULT, "the statement cache is full");
		return q;
	}
	if (!slot->stmt) {
		int code = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
					      &slot->stmt, NULL);
		if (code != SQLITE_OK) {
			q.status = model_sqlite_fail(store, code, err);
			return q;
		}
		slot->sql = sql;
	}
	q.stmt = slot->stmt;
	return q;
}

static void bound(struct query *q, int code)
{
	if (code != SQLITE_OK && q->status == LOOM_OK)
		q->status = model_sqlite_fail(q->store, code, q->err);
}

void model_bind(struct query *q, int64_t value)
{
	if (q->stmt)
		bound(q, sqlite3_bind_int64(q->stmt, ++q->bound, value));
}

void model_bind_or_null(struct query *q, int64_t value)
{
	if (value)
		model_bind(q, value);
	else
		model_bind_null(q);
}

/* model_done clears the bindings, so an unbound parameter is NULL. */
void model_bind_null(struct query *q)
{
	q->bound++;
}

void model_bind_text(struct query *q, struct loom_str value)
{
	if (q->stmt)
		bound(q, sqlite3_bind_text64(q->stmt, ++q->bound, value.p ? value.p : "", value.n,
					     SQLITE_STATIC, SQLITE_UTF8));
}

void model_bind_blob(struct query *q, const void *bytes, size_t n)
{
	if (q->stmt)
		bound(q, sqlite3_bind_blob64(q->stmt, ++q->bound, bytes ? bytes : "", n,
					     SQLITE_STATIC));
}

bool model_row(struct query *q)
{
	int code;

	if (!q->stmt || q->status != LOOM_OK)
		return false;
	code = sqlite3_step(q->stmt);
	if (code == SQLITE_ROW)
		return true;
	if (code != SQLITE_DONE)
		q->status = model_sqlite_fail(q->store, code, q->err);
	return false;
}

enum loom_status model_done(struct query *q)
{
	if (q->stmt) {
		sqlite3_reset(q->stmt);
		sqlite3_clear_bindings(q->stmt);
		q->stmt = NULL;
	}
	return q->status;
}

enum loom_status model_run(struct query *q)
{
	(void)model_row(q);
	return model_done(q);
}

enum loom_status model_insert(struct query *q, int64_t *out)
{
	LOOM_ASSERT(out);
	if (model_row(q))
		*out = model_int(q, 0);
	return model_run(q);
}

enum loom_status model_one(struct query *q, int64_t none, int64_t *out)
{
	LOOM_ASSERT(out);
	*out = model_row(q) && !model_is_null(q, 0) ? model_int(q, 0) : none;
	return model_done(q);
}

int64_t model_int(const struct query *q, int column)
{
	LOOM_ASSERT(column >= 0);
	return sqlite3_column_int64(q->stmt, column);
}

bool model_is_null(const struct query *q, int column)
{
	return sqlite3_column_type(q->stmt, column) == SQLITE_NULL;
}

struct loom_str model_borrow(const struct query *q, int column)
{
	const char *p = sqlite3_column_blob(q->stmt, column);

	LOOM_ASSERT(column >= 0);
	return loom_str_make(p, (size_t)sqlite3_column_bytes(q->stmt, column));
}

struct loom_str model_text(const struct query *q, int column, struct loom_arena *arena)
{
	const struct loom_str text = model_borrow(q, column);

	return text.n ? loom_arena_str(arena, text) : LOOM_STR("");
}

void model_ulid(const struct query *q, int column, struct loom_ulid *out)
{
	struct loom_str bytes = model_borrow(q, column);

	memset(out, 0, sizeof *out);
	if (bytes.n == sizeof out->bytes)
		memcpy(out->bytes, bytes.p, sizeof out->bytes);
}

enum loom_status model_script(struct loom_store *store, const char *sql, struct loom_err *err)
{
	int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	LOOM_ASSERT(store->db && sql);
	return code == SQLITE_OK ? LOOM_OK : model_sqlite_fail(store, code, err);
}

/* --- settings --- */

static const struct {
	int what;
	int on;
} switches[] = {
	{SQLITE_DBCONFIG_DEFENSIVE, 1},   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
	{SQLITE_DBCONFIG_ENABLE_FKEY, 1}, {SQLITE_DBCONFIG_DQS_DML, 0},
	{SQLITE_DBCONFIG_DQS_DDL, 0},     {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
	{SQLITE_DBCONFIG_ENABLE_VIEW, 0}, {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
};

static const struct {
	int what;
	int most;
} limits[] = {
	{SQLITE_LIMIT_LENGTH, LOOM_ROW_BYTES_MAX},
	{SQLITE_LIMIT_SQL_LENGTH, 100000},
	{SQLITE_LIMIT_COLUMN, 64},
	{SQLITE_LIMIT_EXPR_DEPTH, 50},
	{SQLITE_LIMIT_COMPOUND_SELECT, 8},
	{SQLITE_LIMIT_FUNCTION_ARG, 16},
	{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
	{SQLITE_LIMIT_VARIABLE_NUMBER, 100},
	{SQLITE_LIMIT_TRIGGER_DEPTH, 10},
	{SQLITE_LIMIT_ATTACHED, 0},
};

static enum loom_status apply_settings(struct loom_store *store, struct loom_err *err)
{
	static const char pragmas[] =
		"PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
		"PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864;"
		"PRAGMA cache_size = -16384;";
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < LOOM_COUNT(switches); i++)
		if (sqlite3_db_config(store->db, switches[i].what, switches[i].on, NULL) !=
		    SQLITE_OK)
			return loom_fail(err, LOOM_FAULT, "SQLite does not know setting %d",
					 switches[i].what);
	for (size_t i = 0; i < LOOM_COUNT(limits); i++)
		sqlite3_limit(store->db, limits[i].what, limits[i].most);
	sqlite3_busy_timeout(store->db, 5000);
	status = model_numbers_register(store, err);
	return status == LOOM_OK ? model_script(store, pragmas, err) : status;
}

/* A restored backup has no log until the first write; it is left alone till then. */
enum loom_status model_require_wal(struct loom_store *store, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	bool wal = model_is_wal(store, &status, err);
	struct query q;

	LOOM_ASSERT(store->db);
	if (wal && !store->log_inode) /* another process created it */
		model_note_beside(store);
	if (status != LOOM_OK || wal)
		return status;
	/* The change is a single sector and needs no journal; none must be left behind. */
	status = model_script(store, "PRAGMA journal_mode = MEMORY", err);
	q = model_query(store, "PRAGMA journal_mode = WAL", err);
	wal = model_row(&q) && loom_str_is(model_borrow(&q, 0), "wal");
	if (model_done(&q) != LOOM_OK)
		return q.status;
	if (status == LOOM_OK && !wal)
		status = loom_fail(err, LOOM_IO,
				   "%s: this file system does not support a shared log (WAL)",
				   loom_buf_cstr(&store->file));
	model_note_beside(store);
	return status;
}

enum loom_status model_connect(struct loom_store *store, bool create, struct loom_err *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE |
		    SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
	mode_t mask = umask(077);
	int code = sqlite3_open_v2(loom_buf_cstr(&store->file), &store->db, flags, NULL);
	enum loom_status status;

	umask(mask);
	if (code != SQLITE_OK)
		return model_sqlite_fail(store, code, err);
	LOOM_ASSERT(store->db);
	model_fold_by_hand(store);
	status = apply_settings(store, err);
	if (status == LOOM_OK && create)
		status = model_require_wal(store, err);
	if (status == LOOM_OK && store->read_only)
		status = model_script(store, "PRAGMA query_only = ON", err);
	return status;
}

/* --- opening --- */

static enum loom_status read_identity(struct loom_store *store, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT ulid FROM grove WHERE id = 1", err);
	bool there = model_row(&q);

	if (there)
		model_ulid(&q, 0, &store->ulid);
	if (model_done(&q) != LOOM_OK)
		return q.status;
	if (!there)
		return loom_fail(err, LOOM_DAMAGED, "%s: the grove has no id",
				 loom_buf_cstr(&store->file));
	return LOOM_OK;
}

enum loom_status model_open_lock(struct loom_store *store, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = LOOM_OK;
	int why = 0;

	LOOM_ASSERT(store->lock_fd < 0);
	loom_buf_addf(&path, "%s/" LOOM_GROVE_DIR "/lock", loom_buf_cstr(&store->dir));
	store->lock_fd =
		open(loom_buf_cstr(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	why = errno;
	loom_buf_fini(&path);
	if (store->lock_fd >= 0) {
		model_fit_file(store, store->lock_fd);
		return LOOM_OK;
	}
	status = loom_fail_errno(err, why, "the grove in %s cannot be written: its lock",
				 loom_buf_cstr(&store->dir));
	if (why != EROFS && why != EACCES && why != EPERM)
		return status;
	if (err)
		err->status = LOOM_READ_ONLY;
	return hint_at_way_out(store, LOOM_READ_ONLY, 0, err);
}

/* Another process may have migrated it: check the version again under the lock. */
static enum loom_status migrate(struct loom_store *store, struct loom_err *err)
{
	enum loom_status status = model_lock(store, err);

	if (status != LOOM_OK)
		return status;
	status = model_require_wal(store, err);
	if (status == LOOM_OK)
		status = model_schema_migrate(store, err);
	model_unlock(store);
	return status;
}

/* An older file that is only read is not migrated: what came since is put before it. */
static enum loom_status see_as_newer(struct loom_store *store, int64_t version,
				     struct loom_err *err)
{
	static const struct {
		int64_t since;
		const char *script;
	} seen[] = {
		{MODEL_CLAIMS_SINCE, MODEL_CLAIMS_SEEN}, {MODEL_PERSONS_SINCE, MODEL_PERSONS_SEEN},
		{MODEL_LOGS_SINCE, MODEL_LOGS_SEEN},     {MODEL_MOVES_SINCE, MODEL_MOVES_SEEN},
		{MODEL_KEPT_SINCE, MODEL_KEPT_SEEN},     {MODEL_SEAMS_SINCE, MODEL_SEAMS_SEEN},
	};
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < LOOM_COUNT(seen); i++)
		if (version < seen[i].since)
			status = model_script(store, seen[i].script, err);
	return status;
}

/* `version` was read a moment ago; others may have migrated further since. */
static enum loom_status look_inside(struct loom_store *store, int64_t version, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->db && !store->held);
	model_hold_folder(store);
	model_note_beside(store);
	status = model_epoch_learn(store, err);
	if (store->newer && status == LOOM_DAMAGED) /* a newer version may store it differently */
		status = LOOM_OK;
	if (status == LOOM_OK && !store->read_only) {
		status = model_open_lock(store, err);
		if (status == LOOM_OK && version < MODEL_SCHEMA_VERSION)
			status = migrate(store, err);
	}
	if (status == LOOM_OK && store->read_only)
		status = see_as_newer(store, version, err);
	if (status == LOOM_OK)
		status = read_identity(store, err);
	if (status == LOOM_OK)
		status = model_check_group(store, err);
	if (status == LOOM_OK)
		status = model_refuse_shared(store, err);
	if (status == LOOM_OK) /* just now, by a restore */
		status = model_refuse_moved(store, err);
	return status;
}

void model_store_ready(struct loom_store *store)
{
	LOOM_ASSERT(store->db && !store->ready);
	store->ready = true;
	(void)loom_store_changed(store);
	store->rows_base = sqlite3_total_changes64(store->db);
}

struct loom_store *model_store_create(struct loom_env *env, struct loom_str dir, bool read_only)
{
	struct loom_store *store = loom_alloc(sizeof *store);

	LOOM_ASSERT(env && loom_str_ok(dir));
	store->env = env;
	store->lock_fd = -1;
	store->folder_fd = -1;
	store->group = LOOM_PRIVATE;
	store->read_only = read_only;
	model_account_role(geteuid(), store->role);
	loom_buf_init(&store->dir, PATH_MAX);
	loom_buf_init(&store->file, PATH_MAX);
	loom_buf_add(&store->dir, dir);
	loom_buf_addf(&store->file, "%.*s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE, LOOM_STR_ARG(dir));
	return store;
}

enum loom_status model_store_open(struct loom_env *env, struct loom_str dir,
				  enum loom_access access, struct loom_store **out,
				  struct loom_err *err)
{
	char real[PATH_MAX];
	char wanted[PATH_MAX];
	int64_t version = 0;
	struct loom_store *store = NULL;
	enum loom_status status;

	*out = NULL;
	snprintf(wanted, sizeof wanted, "%.*s", LOOM_STR_ARG(dir));
	if (dir.n >= sizeof wanted || !realpath(wanted, real))
		return loom_fail(err, LOOM_NOT_FOUND, "no such directory: %.*s", LOOM_STR_ARG(dir));
	store = model_store_create(env, loom_str_of(real), access == LOOM_READ);
	status = model_refuse_long(loom_str_of(real), err);
	if (status == LOOM_OK)
		status = model_inspect_file(store, &version, err);
	if (status == LOOM_OK)
		status = model_schema_version_ok(store, version, err);
	if (status == LOOM_OK)
		status = loom_trust_check(env, loom_str_of(real), LOOM_TRUST_GROVE, err);
	if (status == LOOM_OK)
		status = model_refuse_network(real, err);
	if (status == LOOM_OK)
		status = model_epoch_refuse_strange(store, err);
	if (status == LOOM_OK)
		status = model_connect(store, false, err);
	if (status == LOOM_OK)
		status = model_schema_known(store, &version, err);
	if (status == LOOM_OK) /* now that of the log */
		status = model_schema_version_ok(store, version, err);
	if (status == LOOM_OK && version > MODEL_SCHEMA_VERSION)
		store->newer = store->read_only = true;
	if (status == LOOM_OK)
		status = look_inside(store, version, err);
	if (status == LOOM_OK)
		*out = store;
	else
		model_store_close(store);
	return status;
}

void model_store_close(struct loom_store *store)
{
	if (!store)
		return;
	LOOM_ASSERT(!store->held && !store->writing);
	model_fold_last(store);
	loom_session_close(store->session);
	for (size_t i = 0; i < MODEL_STATEMENTS; i++)
		sqlite3_finalize(store->statements[i].stmt);
	sqlite3_close(store->db);
	if (store->lock_fd >= 0)
		close(store->lock_fd);
	if (store->folder_fd >= 0)
		close(store->folder_fd);
	loom_buf_fini(&store->dir);
	loom_buf_fini(&store->file);
	free(store);
}

/* --- looking --- */

struct loom_str loom_store_dir(const struct loom_store *store)
{
	return loom_buf_str(&store->dir);
}

struct loom_ulid loom_store_ulid(const struct loom_store *store)
{
	return store->ulid;
}

struct loom_env *loom_store_env(const struct loom_store *store)
{
	return store->env;
}

bool loom_store_read_only(const struct loom_store *store)
{
	return store->read_only;
}

bool loom_store_shared_log(const struct loom_store *store)
{
	return store->in_log;
}

static int stop_statement(void *task)
{
	return loom_task_cancelled(task);
}

void loom_store_heed(struct loom_store *store, struct loom_task *task)
{
	LOOM_ASSERT(store->db);
	store->task = task;
	sqlite3_progress_handler(store->db, task ? MODEL_STEPS_BETWEEN : 0,
				 task ? stop_statement : NULL, task);
}

enum loom_status loom_store_view(struct loom_store *store, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	struct query q;

	LOOM_ASSERT(store->views >= 0);
	if (store->views == 0 && sqlite3_get_autocommit(store->db)) {
		status = store->strange ? model_refuse_replaced(store, err)
					: model_refuse_moved_since(store, err);
		if (status != LOOM_OK)
			return status;
		q = model_query(store, "BEGIN", err);
		status = model_run(&q);
	}
	if (status == LOOM_OK)
		store->views++;
	return status;
}

void loom_store_unview(struct loom_store *store)
{
	struct query q;

	LOOM_ASSERT(store->views > 0);
	if (--store->views > 0)
		return;
	if (store->writing || sqlite3_get_autocommit(store->db))
		return;
	q = model_query(store, "COMMIT", NULL);
	(void)model_run(&q);
}

bool loom_store_changed(struct loom_store *store)
{
	int64_t version = 0;
	struct query q = model_query(store, "PRAGMA data_version", NULL);
	bool moved;

	if (model_one(&q, 0, &version) != LOOM_OK)
		return true;
	moved = version != store->data_version;
	store->data_version = version;
	return moved;
}

int64_t loom_store_rows_written(const struct loom_store *store)
{
	return sqlite3_total_changes64(store->db) - store->rows_base;
}

int64_t loom_store_rows_scanned(const struct loom_store *store)
{
	int64_t rows = 0;

	for (size_t i = 0; i < MODEL_STATEMENTS; i++)
		if (store->statements[i].stmt)
			rows += sqlite3_stmt_status(store->statements[i].stmt,
						    SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
	return rows;
}
