/* Groves into logs and out of them.
 *
 * Invariants: nobody has a grove open while it enters or leaves a log, for a program that does not
 * know the log would write beside it; what passes never gets into a first state, not even as a free
 * page. */
#include "inside.h"

#include <limits.h>
#include <unistd.h>

/* --- a grove that nobody has open --- */

/* Runs in such a store, with the writer lock held. */
typedef enum loom_status change(struct loom_store *store, void *ctx, struct loom_err *err);

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
				   void *ctx, struct loom_err *err)
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
		status = run(store, ctx, err);
	model_unlock(store);
	model_store_close(store);
	return status;
}

static enum loom_status in_transaction(struct loom_store *store, change *run, void *ctx,
				       struct loom_err *err)
{
	enum loom_status status = model_script(store, "BEGIN IMMEDIATE", err);

	LOOM_ASSERT(store->lock_fd >= 0);
	if (status == LOOM_OK)
		status = model_epoch_begin(store, err);
	if (status == LOOM_OK)
		status = run(store, ctx, err);
	if (status == LOOM_OK)
		status = model_script(store, "COMMIT", err);
	if (!sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	return status;
}

static enum loom_status is_in_log(struct loom_store *store, bool *out, struct loom_err *err)
{
	int64_t there = 0;
	struct query q = model_query(store, "SELECT count(*) FROM remote", err);
	enum loom_status status = model_one(&q, 0, &there);

	*out = there != 0;
	return status;
}

/* A grove's name where none is said. */
static struct loom_str last_part(struct loom_str dir)
{
	struct loom_str rest = dir;
	struct loom_str last = dir;

	while (loom_str_cut(&rest, '/', &last))
		continue;
	return last;
}

/* --- who is who --- */

/* An account that a person is to have, the same row in the grove and in its copy. */
struct binding {
	const char *role; /* NULL: none */
	int64_t agent;
	int64_t at;
};

static int bind_account(sqlite3 *db, const struct binding *what)
{
	sqlite3_stmt *stmt = NULL;
	int code = SQLITE_OK;

	if (!what->role)
		return SQLITE_OK;
	LOOM_ASSERT(what->role[0] && what->agent > 0);
	code = sqlite3_prepare_v2(
		db,
		"INSERT INTO member(id, op, role, agent, may, by, since) SELECT (SELECT "
		"coalesce(max(id), 0) + 1 FROM member), 1, ?1, ?2, 2, ?2, ?3 WHERE NOT "
		"EXISTS(SELECT 1 FROM member WHERE role = ?1 AND agent = ?2 AND live = 1)",
		-1, &stmt, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_text(stmt, 1, what->role, -1, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 2, what->agent);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 3, what->at);
	if (code == SQLITE_OK && sqlite3_step(stmt) != SQLITE_DONE)
		code = sqlite3_errcode(db);
	sqlite3_finalize(stmt);
	return code;
}

/* --- in --- */

struct entering {
	struct loom_str url; /* as said, then with all that it needs */
	struct loom_arena *arena;
	const struct model_log *log;
	void *ctx;
	struct loom_hash id;
	struct binding binding;
	struct model_log_facts facts;
};

static enum loom_status refuse_second(struct loom_store *store, struct loom_err *err)
{
	bool there = false;
	enum loom_status status = is_in_log(store, &there, err);

	if (status != LOOM_OK || !there)
		return status;
	loom_fail(err, LOOM_REFUSED, "this grove stands in a log already");
	return loom_hint(err, LOOM_REFUSED,
			 "`loom remote` says which; `loom remote drop` takes it out");
}

/* Leaves only what is shared or mine. */
static const char scrub[] =
	"UPDATE op SET session = ''; UPDATE run SET session = ''; UPDATE proposal SET session = '';"
	"UPDATE job SET state = 0, session = ''; DELETE FROM lease; DELETE FROM stream_chunk;"
	"DELETE FROM stream; DELETE FROM fetched; DELETE FROM request; DELETE FROM remote_mine;"
	"DELETE FROM kept;"
	"UPDATE grove SET shared = NULL; VACUUM;";

static enum loom_status make_first(const char *file, const struct binding *binding,
				   struct loom_err *err)
{
	sqlite3 *db = NULL;
	int code = sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);

	if (code == SQLITE_OK)
		code = bind_account(db, binding);
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, scrub, NULL, NULL, NULL);
	sqlite3_close(db);
	return code == SQLITE_OK ? LOOM_OK
				 : loom_fail(err, LOOM_IO, "%s: %s", file, sqlite3_errstr(code));
}

static enum loom_status write_place(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct entering *entering = ctx;
	const int code = bind_account(store->db, &entering->binding);
	struct query q;

	if (code != SQLITE_OK)
		return model_sqlite_fail(store, code, err);
	q = model_query(store, REMOTE_PLACE, err);
	model_bind_text(&q, entering->url);
	model_bind(&q, 0);
	model_bind_blob(&q, entering->id.bytes, sizeof entering->id.bytes);
	return model_run(&q);
}

/* Finds the log's place, which is to be empty, and who asks there. */
static enum loom_status find_place(struct entering *entering, struct loom_env *env,
				   struct loom_str grove, struct loom_err *err)
{
	enum loom_status status;

	entering->url = remote_full_url(entering->url, LOOM_STR(""), grove, entering->arena);
	status = model_log_at(&(struct model_log_opts){.url = entering->url, .env = env},
			      &entering->log, &entering->ctx, err);
	if (status == LOOM_OK)
		status = entering->log->may_found(entering->ctx, err);
	if (status == LOOM_OK)
		status = entering->log->facts(entering->ctx, &entering->facts, err);
	if (status == LOOM_OK)
		entering->url = remote_full_url(entering->url, loom_str_of(entering->facts.role),
						grove, entering->arena);
	return status;
}

static enum loom_status enter(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct entering *entering = ctx;
	struct loom_buf copy = LOOM_BUF_INIT(PATH_MAX);
	enum loom_status status = refuse_second(store, err);

	if (status == LOOM_OK)
		status = find_place(entering, store->env, last_part(loom_store_dir(store)), err);
	if (status == LOOM_OK)
		status = model_me(store, err);
	loom_env_random(store->env, (uint64_t)loom_env_now(store->env) ^ 0x6C6F67,
			entering->id.bytes, sizeof entering->id.bytes);
	remote_own_role(store, entering->url);
	entering->binding = (struct binding){entering->facts.server ? store->role : NULL, store->me,
					     loom_env_now(store->env)};
	loom_buf_addf(&copy, "%s.for-log-%d", loom_buf_cstr(&store->file), getpid());
	(void)unlink(loom_buf_cstr(&copy));
	if (status == LOOM_OK)
		status = loom_store_backup(store, loom_buf_str(&copy), err);
	if (status == LOOM_OK)
		status = make_first(loom_buf_cstr(&copy), &entering->binding, err);
	if (status == LOOM_OK)
		status = entering->log->found(entering->ctx, loom_buf_cstr(&copy), &entering->id,
					      err);
	(void)unlink(loom_buf_cstr(&copy));
	loom_buf_fini(&copy);
	return status == LOOM_OK ? in_transaction(store, write_place, entering, err) : status;
}

enum loom_status loom_remote_add(struct loom_env *env, struct loom_str dir, struct loom_str url,
				 struct model_log_facts *out, struct loom_err *err)
{
	struct entering entering = {.url = url, .arena = loom_arena_create()};
	enum loom_status status = with_grove(env, dir, enter, &entering, err);

	if (entering.ctx)
		entering.log->close(entering.ctx);
	if (out)
		*out = entering.facts;
	loom_arena_destroy(entering.arena);
	return status;
}

enum loom_status loom_remote_may_found(struct loom_env *env, struct loom_str dir,
				       struct loom_str url, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct entering entering = {.url = url, .arena = arena};
	enum loom_status status = find_place(&entering, env, last_part(dir), err);

	if (entering.ctx)
		entering.log->close(entering.ctx);
	loom_arena_destroy(arena);
	return status;
}

/* --- later states --- */

static enum loom_status read_seq(const char *file, int64_t *out, struct loom_err *err)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(db, "SELECT seq FROM remote WHERE id = 1", -1, &stmt,
					  NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		*out = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return code == SQLITE_ROW ? LOOM_OK
				  : loom_fail(err, LOOM_IO, "%s: %s", file, sqlite3_errstr(code));
}

/* The copy says itself up to which entry it is. */
static enum loom_status keep(struct loom_store *store, const char *copy, struct loom_err *err)
{
	static const struct binding nobody = {.role = NULL};
	const struct model_remote *remote = store->remote;
	int64_t seq = 0;
	enum loom_status status = loom_store_backup(store, loom_str_of(copy), err);

	if (status == LOOM_OK)
		status = read_seq(copy, &seq, err);
	if (status == LOOM_OK)
		status = make_first(copy, &nobody, err);
	return status == LOOM_OK ? remote->log->keep(remote->ctx, copy, seq, err) : status;
}

enum loom_status loom_remote_keep(struct loom_store *store, int64_t every, bool *out,
				  struct loom_err *err)
{
	struct loom_buf copy = LOOM_BUF_INIT(PATH_MAX);
	struct model_mark head = {.seq = 0};
	struct model_log_facts facts = {.may = -1};
	const struct model_remote *remote = store->remote;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(every > 0);
	*out = false;
	if (!remote || !remote->log->keep)
		return LOOM_OK;
	status = remote->log->head(remote->ctx, &head, err);
	if (status == LOOM_OK)
		status = remote->log->facts(remote->ctx, &facts, err);
	*out = status == LOOM_OK && facts.may == REMOTE_ADMIN && head.seq - facts.kept >= every;
	if (!*out)
		return status;
	loom_buf_addf(&copy, "%s.for-log-%d", loom_buf_cstr(&store->file), getpid());
	(void)unlink(loom_buf_cstr(&copy));
	status = keep(store, loom_buf_cstr(&copy), err);
	(void)unlink(loom_buf_cstr(&copy));
	loom_buf_fini(&copy);
	return status;
}

/* --- out --- */

/* Rows that wait to ride stay as they are, and void entries have no meaning any more. A person
 * that the server knew by a role is the owner of the file from now on. */
static enum loom_status forget_place(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct binding binding = {.agent = store->me, .at = loom_env_now(store->env)};
	char role[MODEL_ROLE_MAX];
	int code = SQLITE_OK;

	(void)ctx;
	model_account_role(geteuid(), role);
	binding.role = role;
	if (store->me)
		code = bind_account(store->db, &binding);
	if (code != SQLITE_OK)
		return model_sqlite_fail(store, code, err);
	return model_script(store,
			    "DELETE FROM remote; DELETE FROM remote_mine; DELETE FROM remote_void",
			    err);
}

static enum loom_status go_out(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_remote_place place;
	enum loom_status status = loom_remote_where(store, arena, &place, err);

	if (status == LOOM_OK && !place.url.n)
		status = loom_fail(err, LOOM_NOT_FOUND, "this grove stands in no log");
	remote_own_role(store, place.url);
	if (status == LOOM_OK)
		status = model_me(store, err);
	if (status == LOOM_OK)
		status = in_transaction(store, forget_place, ctx, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_remote_drop(struct loom_env *env, struct loom_str dir, struct loom_err *err)
{
	return with_grove(env, dir, go_out, NULL, err);
}
