/* Groves into logs and out of them, and new groves of logs.
 *
 * Invariants: nobody has a grove open while it enters or leaves a log, for a program that does not
 * know the log would write beside it; what passes never gets into a snapshot, not even as a free
 * page. */
#include "inside.h"

#include <limits.h>
#include <unistd.h>

#include <loom/files/path.h>

/* --- opening --- */

static enum loom_status read_url(struct loom_store *store, struct loom_arena *arena,
				 struct loom_str *out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT url FROM remote WHERE id = 1", err);

	*out = LOOM_STR("");
	if (model_row(&q))
		*out = model_text(&q, 0, arena);
	return model_done(&q);
}

static enum loom_status count(struct loom_store *store, const char *sql, int64_t *out,
			      struct loom_err *err)
{
	struct query q = model_query(store, sql, err);

	return model_one(&q, 0, out);
}

static bool knows_logs(struct loom_store *store)
{
	int64_t version = 0;

	return count(store, "SELECT user_version FROM pragma_user_version", &version, NULL) ==
		       LOOM_OK &&
	       version >= MODEL_LOGS_SINCE;
}

enum loom_status model_remote_open(struct loom_store *store, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	const struct model_log *log = NULL;
	struct loom_str url = LOOM_STR("");
	void *ctx = NULL;
	enum loom_status status = knows_logs(store) ? read_url(store, arena, &url, err) : LOOM_OK;

	LOOM_ASSERT(!store->remote);
	store->in_log = url.n > 0;
	if (status == LOOM_OK && url.n && !store->read_only)
		status = model_log_at(url, &log, &ctx, err);
	if (status == LOOM_INVALID) { /* nobody could have entered it */
		status = loom_fail(err, LOOM_DAMAGED, "the address of its shared log is none");
		loom_hint(err, status, "loom check --deep");
	}
	if (status == LOOM_OK && ctx)
		status = model_remote_attach(store, log, ctx, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_remote_where(struct loom_store *store, struct loom_arena *arena,
				   struct loom_remote_place *out, struct loom_err *err)
{
	enum loom_status status;

	*out = (struct loom_remote_place){.seq = 0};
	if (!knows_logs(store)) /* an older grove, opened to be read */
		return LOOM_OK;
	status = read_url(store, arena, &out->url, err);
	if (status != LOOM_OK || !out->url.n)
		return status;
	status = count(store, "SELECT seq FROM remote WHERE id = 1", &out->seq, err);
	if (status == LOOM_OK)
		status = count(store, "SELECT count(*) FROM remote_void", &out->voids, err);
	if (status == LOOM_OK)
		status = count(store, "SELECT count(*) FROM remote_mine", &out->rides, err);
	return status;
}

/* --- in and out --- */

/* Runs in a store that nobody else has open. */
typedef enum loom_status change(struct loom_store *store, struct loom_str url,
				struct loom_err *err);

static enum loom_status refuse_open(struct loom_env *env, struct loom_str dir, struct loom_err *err)
{
	struct loom_store closed = {.db = NULL, .env = env};
	enum loom_status status;

	loom_buf_init(&closed.dir, PATH_MAX);
	loom_buf_init(&closed.file, PATH_MAX);
	loom_buf_add(&closed.dir, dir);
	loom_buf_addf(&closed.file, "%.*s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE, LOOM_STR_ARG(dir));
	status = model_refuse_open(&closed, err);
	loom_buf_fini(&closed.dir);
	loom_buf_fini(&closed.file);
	return status;
}

static enum loom_status with_grove(struct loom_env *env, struct loom_str dir, change *run,
				   struct loom_str url, struct loom_err *err)
{
	struct loom_store *store = NULL;
	enum loom_status status = refuse_open(env, dir, err);

	LOOM_ASSERT(env && run);
	if (status == LOOM_OK)
		status = model_store_open(env, dir, LOOM_WRITE, &store, err);
	if (status != LOOM_OK)
		return status;
	status = model_lock(store, err);
	if (status == LOOM_OK)
		status = model_require_wal(store, err);
	if (status == LOOM_OK)
		status = run(store, url, err);
	model_unlock(store);
	model_store_close(store);
	return status;
}

static enum loom_status write_row(struct loom_store *store, struct query *q, struct loom_err *err)
{
	enum loom_status status = model_script(store, "BEGIN IMMEDIATE", err);

	LOOM_ASSERT(store->lock_fd >= 0);
	if (status == LOOM_OK)
		status = model_epoch_begin(store, err);
	if (status == LOOM_OK)
		status = model_run(q);
	else
		(void)model_done(q);
	if (status == LOOM_OK)
		status = model_script(store, "COMMIT", err);
	if (!sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	return status;
}

static enum loom_status refuse_second(struct loom_store *store, struct loom_err *err)
{
	int64_t there = 0;
	enum loom_status status = count(store, "SELECT count(*) FROM remote", &there, err);

	if (status != LOOM_OK || !there)
		return status;
	loom_fail(err, LOOM_REFUSED, "this grove stands in a log already");
	return loom_hint(err, LOOM_REFUSED,
			 "`loom remote` says which; `loom remote drop` takes it "
			 "out");
}

#define PLACE "INSERT INTO remote(id, url, seq, chain) VALUES(1, ?, 0, ?)"

/* Leaves only what is shared or mine. */
static const char scrub[] =
	"UPDATE op SET session = ''; UPDATE run SET session = ''; UPDATE proposal SET session = '';"
	"UPDATE job SET state = 0, session = ''; DELETE FROM lease; DELETE FROM stream_chunk;"
	"DELETE FROM stream; DELETE FROM fetched; DELETE FROM request; DELETE FROM remote_mine;"
	"UPDATE grove SET shared = NULL; VACUUM;";

static enum loom_status run_on(const char *file, const char *sql, struct loom_err *err)
{
	sqlite3 *db = NULL;
	int code = sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	return code == SQLITE_OK ? LOOM_OK
				 : loom_fail(err, LOOM_IO, "%s: %s", file, sqlite3_errstr(code));
}

static enum loom_status enter(struct loom_store *store, struct loom_str url, struct loom_err *err)
{
	struct loom_buf copy = LOOM_BUF_INIT(PATH_MAX);
	struct loom_hash id;
	struct query q;
	enum loom_status status = refuse_second(store, err);

	LOOM_ASSERT(store->lock_fd >= 0);
	loom_env_random(store->env, (uint64_t)loom_env_now(store->env) ^ 0x6C6F67, id.bytes,
			sizeof id.bytes);
	loom_buf_addf(&copy, "%s.for-log-%d", loom_buf_cstr(&store->file), getpid());
	(void)unlink(loom_buf_cstr(&copy));
	if (status == LOOM_OK)
		status = loom_store_backup(store, loom_buf_str(&copy), err);
	if (status == LOOM_OK)
		status = run_on(loom_buf_cstr(&copy), scrub, err);
	if (status == LOOM_OK)
		status = remote_file_found(url, loom_buf_cstr(&copy), &id, err);
	(void)unlink(loom_buf_cstr(&copy));
	loom_buf_fini(&copy);
	if (status != LOOM_OK)
		return status;
	q = model_query(store, PLACE, err);
	model_bind_text(&q, url);
	model_bind_blob(&q, id.bytes, sizeof id.bytes);
	return write_row(store, &q, err);
}

enum loom_status loom_remote_add(struct loom_env *env, struct loom_str dir, struct loom_str url,
				 struct loom_err *err)
{
	return with_grove(env, dir, enter, url, err);
}

/* Rows that wait to ride stay as they are, and void entries have no meaning any more. */
static enum loom_status go_out(struct loom_store *store, struct loom_str url, struct loom_err *err)
{
	int64_t there = 0;
	struct query q;
	enum loom_status status = count(store, "SELECT count(*) FROM remote", &there, err);

	(void)url;
	if (status != LOOM_OK)
		return status;
	if (!there)
		return loom_fail(err, LOOM_NOT_FOUND, "this grove stands in no log");
	q = model_query(store, "DELETE FROM remote", err);
	status = write_row(store, &q, err);
	if (status != LOOM_OK)
		return status;
	q = model_query(store, "DELETE FROM remote_mine", err);
	status = write_row(store, &q, err);
	if (status != LOOM_OK)
		return status;
	q = model_query(store, "DELETE FROM remote_void", err);
	return write_row(store, &q, err);
}

enum loom_status loom_remote_drop(struct loom_env *env, struct loom_str dir, struct loom_err *err)
{
	return with_grove(env, dir, go_out, LOOM_STR(""), err);
}

/* --- a new grove of a log --- */

/* A snapshot is a file from others: it is opened as any grove is before it is trusted. */
static enum loom_status prepare(const char *file, struct loom_str url, const struct model_mark *at,
				struct loom_err *err)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);

	LOOM_ASSERT(at->seq == 0);
	if (code == SQLITE_OK) {
		sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
		sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		code = sqlite3_exec(db, "DELETE FROM remote", NULL, NULL, NULL);
	}
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(db, PLACE, -1, &stmt, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_text64(stmt, 1, url.p, url.n, SQLITE_STATIC, SQLITE_UTF8);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 2, at->chain.bytes, sizeof at->chain.bytes,
					 SQLITE_STATIC);
	if (code == SQLITE_OK && sqlite3_step(stmt) != SQLITE_DONE)
		code = sqlite3_errcode(db);
	sqlite3_finalize(stmt);
	if (code == SQLITE_OK)
		code = model_epoch_rename(db, NULL);
	sqlite3_close(db);
	return code == SQLITE_OK ? LOOM_OK
				 : loom_fail(err, LOOM_DAMAGED, "the log's first state: %s",
					     sqlite3_errstr(code));
}

enum loom_status remote_snapshot_file(struct loom_str url, const char *file, struct loom_err *err)
{
	struct model_mark at;
	enum loom_status status = remote_file_snapshot(url, file, &at, err);

	return status == LOOM_OK ? prepare(file, url, &at, err) : status;
}

enum loom_status loom_remote_clone(struct loom_env *env, struct loom_str dir, struct loom_str url,
				   struct loom_err *err)
{
	struct loom_buf inner = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf part = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf file = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(env);
	loom_buf_addf(&inner, "%.*s/" LOOM_GROVE_DIR, LOOM_STR_ARG(dir));
	loom_buf_addf(&file, "%s/" LOOM_GROVE_FILE, loom_buf_cstr(&inner));
	loom_buf_addf(&part, "%s.clone-%d", loom_buf_cstr(&file), getpid());
	if (inner.bad || part.bad || file.bad)
		status = loom_fail(err, LOOM_PATH, "the path is too long");
	else if (access(loom_buf_cstr(&file), F_OK) == 0)
		status = loom_fail(err, LOOM_CONFLICT, "%.*s already has a grove",
				   LOOM_STR_ARG(dir));
	if (status == LOOM_OK)
		status = model_make_dirs(dir, MODEL_PROJECT_MODE, err);
	if (status == LOOM_OK)
		status = model_make_dirs(loom_buf_str(&inner), 0700, err);
	(void)unlink(loom_buf_cstr(&part));
	if (status == LOOM_OK)
		status = remote_snapshot_file(url, loom_buf_cstr(&part), err);
	if (status == LOOM_OK)
		status = model_settle_file(loom_buf_cstr(&part), loom_buf_cstr(&file), err);
	(void)unlink(loom_buf_cstr(&part));
	loom_buf_fini(&inner);
	loom_buf_fini(&part);
	loom_buf_fini(&file);
	return status;
}
