/* A grove's tie to its log when it is opened, and new groves of logs. */
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

enum loom_status model_remote_open(struct loom_store *store, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	const struct model_log *log = NULL;
	struct loom_str url = LOOM_STR("");
	char machine[REMOTE_MACHINE + 1];
	void *ctx = NULL;
	enum loom_status status = read_url(store, arena, &url, err);

	LOOM_ASSERT(!store->remote);
	remote_name_machine(store, machine);
	store->in_log = url.n > 0;
	remote_own_role(store, url);
	if (status == LOOM_OK && url.n && !store->read_only)
		status = model_log_at(&(struct model_log_opts){.url = url,
							       .env = store->env,
							       .machine = machine,
							       .task = &store->task},
				      &log, &ctx, err);
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
	status = read_url(store, arena, &out->url, err);
	if (status != LOOM_OK || !out->url.n)
		return status;
	out->server = remote_has_roles(out->url);
	status = count(store, "SELECT seq FROM remote WHERE id = 1", &out->seq, err);
	if (status == LOOM_OK)
		status = count(store, "SELECT count(*) FROM remote_void", &out->voids, err);
	if (status == LOOM_OK)
		status = count(store, "SELECT count(*) FROM remote_mine", &out->rides, err);
	return status;
}

enum loom_status loom_remote_ask(struct loom_store *store, struct loom_arena *arena,
				 struct loom_remote_said *out, struct loom_err *err)
{
	const struct model_remote *remote = store->remote;
	enum loom_status status;

	*out = (struct loom_remote_said){.copy_count = 0};
	if (!remote)
		return loom_fail(err, LOOM_READ_ONLY, "the grove can only be read here");
	status = remote->log->head(remote->ctx, &out->head, err);
	if (status == LOOM_OK)
		status = remote->log->facts(remote->ctx, &out->facts, err);
	if (status == LOOM_OK && remote->log->copies)
		status = remote->log->copies(remote->ctx, arena, &out->copies, &out->copy_count,
					     err);
	return status;
}

enum loom_status loom_remote_admit(struct loom_store *store, struct loom_str role, int may,
				   bool *out_made, struct loom_err *err)
{
	char name[MODEL_ROLE_MAX];

	if (!store->remote || !store->remote->log->admit) {
		loom_fail(err, LOOM_REFUSED, "this grove's log knows no roles");
		return loom_hint(err, LOOM_REFUSED,
				 "who can write to the file is a member of the grove");
	}
	if (!role.n || role.n >= sizeof name || memchr(role.p, '\0', role.n))
		return loom_fail(err, LOOM_INVALID, "this is no name of a role");
	snprintf(name, sizeof name, "%.*s", LOOM_STR_ARG(role));
	return store->remote->log->admit(store->remote->ctx, name, may, out_made, err);
}

/* --- a new grove of a log --- */

/* A snapshot is a file from others: it is opened as any grove is before it is trusted. */
static enum loom_status prepare(const char *file, struct loom_str url, const struct model_mark *at,
				struct loom_err *err)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);

	LOOM_ASSERT(at->seq >= 0);
	if (code == SQLITE_OK) {
		sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
		sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		code = sqlite3_exec(db, "DELETE FROM remote", NULL, NULL, NULL);
	}
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(db, REMOTE_PLACE, -1, &stmt, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_text64(stmt, 1, url.p, url.n, SQLITE_STATIC, SQLITE_UTF8);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 2, at->seq);
	if (code == SQLITE_OK)
		code = sqlite3_bind_blob(stmt, 3, at->chain.bytes, sizeof at->chain.bytes,
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

/* Fetches the log's state into a new file that names the log as its own. */
static enum loom_status fetch(const struct model_log *log, void *ctx, struct loom_str url,
			      const char *file, struct loom_err *err)
{
	struct model_mark at = {.seq = 0};
	enum loom_status status = log->fetch(ctx, file, &at, err);

	return status == LOOM_OK ? prepare(file, url, &at, err) : status;
}

/* Makes the folders only when the log answers. */
static enum loom_status make_grove(const struct model_log *log, void *ctx, struct loom_str dir,
				   struct loom_str url, struct loom_err *err)
{
	struct loom_buf inner = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf part = LOOM_BUF_INIT(PATH_MAX);
	struct loom_buf file = LOOM_BUF_INIT(PATH_MAX);
	struct model_mark head;
	enum loom_status status = LOOM_OK;

	loom_buf_addf(&inner, "%.*s/" LOOM_GROVE_DIR, LOOM_STR_ARG(dir));
	loom_buf_addf(&file, "%s/" LOOM_GROVE_FILE, loom_buf_cstr(&inner));
	loom_buf_addf(&part, "%s.clone-%d", loom_buf_cstr(&file), getpid());
	if (inner.bad || part.bad || file.bad)
		status = loom_fail(err, LOOM_PATH, "the path is too long");
	else if (access(loom_buf_cstr(&file), F_OK) == 0)
		status = loom_fail(err, LOOM_CONFLICT, "%.*s already has a grove",
				   LOOM_STR_ARG(dir));
	if (status == LOOM_OK)
		status = log->head(ctx, &head, err);
	if (status == LOOM_OK)
		status = model_make_dirs(dir, MODEL_PROJECT_MODE, err);
	if (status == LOOM_OK)
		status = model_make_dirs(loom_buf_str(&inner), 0700, err);
	(void)unlink(loom_buf_cstr(&part));
	if (status == LOOM_OK)
		status = fetch(log, ctx, url, loom_buf_cstr(&part), err);
	if (status == LOOM_OK)
		status = model_settle_file(loom_buf_cstr(&part), loom_buf_cstr(&file), err);
	(void)unlink(loom_buf_cstr(&part));
	loom_buf_fini(&inner);
	loom_buf_fini(&part);
	loom_buf_fini(&file);
	return status;
}

enum loom_status loom_remote_clone(struct loom_env *env, struct loom_str dir, struct loom_str url,
				   struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	const struct model_log *log = NULL;
	struct model_log_facts facts;
	void *ctx = NULL;
	enum loom_status status =
		model_log_at(&(struct model_log_opts){.url = url, .env = env}, &log, &ctx, err);

	LOOM_ASSERT(env);
	if (status == LOOM_OK)
		status = log->facts(ctx, &facts, err);
	if (status == LOOM_OK)
		status = make_grove(log, ctx, dir,
				    remote_full_url(url, loom_str_of(facts.role), LOOM_STR(""),
						    arena),
				    err);
	if (ctx)
		log->close(ctx);
	loom_arena_destroy(arena);
	return status;
}
