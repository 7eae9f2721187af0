/* A write on a grove that stands in a log: its turn, what others appended before it, its entry.
 *
 * Invariants: the log has an entry before the grove's file has its rows, so what is acknowledged is
 * in both; a file whose mark is behind the log's is one that follows, at its next turn. */
#include "inside.h"

#include <stdlib.h>
#include <unistd.h>

static enum loom_status read_place(struct loom_store *store, struct model_mark *out,
				   struct loom_err *err)
{
	struct query q = model_query(store, "SELECT seq, chain FROM remote WHERE id = 1", err);
	bool there = model_row(&q);
	struct loom_str chain;

	*out = (struct model_mark){.seq = 0};
	if (there) {
		out->seq = model_int(&q, 0);
		chain = model_borrow(&q, 1);
		if (chain.n == sizeof out->chain.bytes)
			memcpy(out->chain.bytes, chain.p, chain.n);
	}
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "this grove stands in no log");
}

static enum loom_status keep_place(struct loom_store *store, struct loom_err *err)
{
	const struct model_mark *mark = &store->remote->mark;
	struct query q =
		model_query(store, "UPDATE remote SET seq = ?, chain = ? WHERE id = 1", err);

	LOOM_ASSERT(mark->seq >= 0);
	model_bind(&q, mark->seq);
	model_bind_blob(&q, mark->chain.bytes, sizeof mark->chain.bytes);
	return model_run(&q);
}

/* --- following --- */

/* How long one transaction of others' entries may last, so that readers see them come. */
enum { SLICE_MS = 50 };

struct following {
	struct loom_store *store;
	struct loom_buf why;
	int64_t until;
};

static enum loom_status note_void(struct loom_store *store, int64_t seq, struct loom_str why,
				  struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "INSERT OR REPLACE INTO remote_void(seq, at, why) VALUES(?, ?, ?)",
			    err);

	model_bind(&q, seq);
	model_bind(&q, loom_env_now(store->env));
	model_bind_text(&q, why);
	return model_run(&q);
}

static enum loom_status begin(struct following *f, struct loom_err *err)
{
	enum loom_status status = model_script(f->store, "BEGIN IMMEDIATE", err);

	f->until = loom_env_boot() + SLICE_MS;
	return status == LOOM_OK ? model_epoch_begin(f->store, err) : status;
}

static enum loom_status commit(struct following *f, struct loom_err *err)
{
	enum loom_status status = keep_place(f->store, err);

	return status == LOOM_OK ? model_script(f->store, "COMMIT", err) : status;
}

static enum loom_status follow_one(void *ctx, const struct model_logged *entry,
				   struct loom_err *err)
{
	struct following *f = ctx;
	struct model_remote *remote = f->store->remote;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(entry->seq == remote->mark.seq + 1);
	if (sqlite3_get_autocommit(f->store->db))
		status = begin(f, err);
	loom_buf_clear(&f->why);
	if (status == LOOM_OK)
		status = model_entry_apply(f->store, remote, entry, &f->why, err);
	if (status == LOOM_OK && f->why.n)
		status = note_void(f->store, entry->seq, loom_buf_str(&f->why), err);
	if (status != LOOM_OK)
		return status;
	remote->mark.chain = model_entry_chain(&remote->mark.chain, entry->bytes);
	remote->mark.seq = entry->seq;
	return loom_env_boot() < f->until ? LOOM_OK : commit(f, err);
}

static enum loom_status refuse_fork(struct loom_err *err)
{
	loom_fail(err, LOOM_REFUSED, "this grove and its log have gone different ways");
	return loom_hint(err, LOOM_REFUSED,
			 "`loom sync --wait` takes the log's way; what only this grove has becomes "
			 "drafts");
}

static enum loom_status read_rights(struct loom_store *store, struct loom_err *err)
{
	return remote_rights(store, loom_str_of(store->role), &store->remote->may, err);
}

/* Does the next entries of the log, in a turn that begins with them or outside one. */
static enum loom_status follow(struct loom_store *store, bool turn, bool *out_more,
			       struct loom_err *err)
{
	struct model_remote *remote = store->remote;
	struct following f = {.store = store, .why = LOOM_BUF_INIT(1024)};
	struct model_reader reader = {.each = follow_one, .ctx = &f};
	enum loom_status status = read_place(store, &remote->mark, err);

	LOOM_ASSERT(!remote->turned && sqlite3_get_autocommit(store->db));
	reader.from = remote->mark;
	if (status == LOOM_OK)
		status = turn ? remote->log->turn(remote->ctx, &reader, out_more, err)
			      : remote->log->since(remote->ctx, &reader, out_more, err);
	remote->turned = turn && status == LOOM_OK;
	remote->forked = status == LOOM_CONFLICT;
	if (remote->forked)
		status = refuse_fork(err);
	if (status == LOOM_OK && !sqlite3_get_autocommit(store->db))
		status = commit(&f, err);
	if (!sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	loom_buf_fini(&f.why);
	return status;
}

/* A turn is short: what takes long to follow is followed before it. */
static enum loom_status take_turn(struct loom_store *store, struct loom_err *err)
{
	bool more = true;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && more) {
		status = follow(store, true, &more, err);
		if (status != LOOM_OK || !more)
			break;
		store->remote->log->leave(store->remote->ctx);
		store->remote->turned = false;
		while (status == LOOM_OK && more)
			status = follow(store, false, &more, err);
		more = true;
	}
	if (status == LOOM_OK)
		status = remote_hear_others(store, err);
	return status == LOOM_OK ? read_rights(store, err) : status;
}

/* --- around a write --- */

enum loom_status model_remote_turn(struct loom_store *store, bool quiet, struct loom_err *err)
{
	struct model_remote *remote = store->remote;
	struct loom_err why = {.status = LOOM_OK};
	enum loom_status status;

	LOOM_ASSERT(!remote->turned);
	if (!sqlite3_get_autocommit(store->db))
		return loom_fail(err, LOOM_FAULT, "a write inside a view");
	remote->pushed = false;
	status = take_turn(store, &why);
	remote->away = status;
	remote->why_away = why;
	if (status == LOOM_OK)
		return LOOM_OK;
	model_remote_leave(store);
	remote->away = status;
	if (quiet && (status == LOOM_OFFLINE || status == LOOM_REFUSED))
		return LOOM_OK;
	if (err)
		*err = why;
	return status;
}

enum loom_status model_remote_capture(struct loom_store *store, struct loom_err *err)
{
	return remote_record(store, err);
}

static enum loom_status append(struct loom_store *store, struct model_entry *entry,
			       struct loom_err *err)
{
	struct model_remote *remote = store->remote;
	struct loom_buf bytes = LOOM_BUF_INIT(MODEL_ENTRY_MAX);
	const struct model_mark base = remote->mark;
	enum loom_status status;

	LOOM_ASSERT(remote->turned && !remote->pushed && entry->base == base.seq);
	model_entry_encode(remote->shapes, entry, &bytes);
	remote->mark.seq++;
	remote->mark.chain = model_entry_chain(&base.chain, loom_buf_str(&bytes));
	status = bytes.bad ? loom_fail(err, LOOM_LIMIT, "the change is too large for the log")
			   : keep_place(store, err);
	if (status == LOOM_OK)
		status = remote->log->append(remote->ctx, &base, entry->uid, loom_buf_str(&bytes),
					     err);
	remote->pushed = status == LOOM_OK;
	if (status == LOOM_OK)
		remote->turned = false;
	loom_buf_fini(&bytes);
	return status;
}

/* The entry that begins an operation has an id made of the operation's, and of its number, for the
 * id of one that died is free again; other entries have one drawn. */
static enum loom_status name_entry(struct loom_store *store, int64_t op, struct model_entry *entry,
				   struct loom_err *err)
{
	struct query q = model_query(store, "SELECT uid FROM op WHERE id = ?", err);
	struct loom_str parts[] = {{NULL, 0}, {(const char *)&op, sizeof op}};
	struct loom_hash hash;

	loom_env_random(store->env, ((uint64_t)entry->base << 8) ^ 0x656E, entry->uid,
			sizeof entry->uid);
	model_bind(&q, op);
	if (model_row(&q)) {
		parts[0] = model_borrow(&q, 0);
		hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
		memcpy(entry->uid, hash.bytes, sizeof entry->uid);
	}
	return model_done(&q);
}

/* An entry that the others would not take is refused here, before anything is done. */
static enum loom_status judge_own(struct loom_store *store, const struct model_entry *entry,
				  struct loom_err *err)
{
	struct loom_buf why = LOOM_BUF_INIT(1024);
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && !why.n && i < entry->count; i++)
		status = remote_judge_change(store, entry, &entry->changes[i], store->remote->may,
					     &why, err);
	if (status == LOOM_OK && store->remote->may == REMOTE_READER)
		loom_buf_adds(&why, "this account may only read");
	if (status == LOOM_OK && why.n)
		status = loom_fail(err, LOOM_PERMISSION, "the shared log does not take this: %s",
				   loom_buf_cstr(&why));
	loom_buf_fini(&why);
	return status;
}

static enum loom_status push(struct loom_store *store, struct loom_arena *arena, int64_t op,
			     struct loom_err *err)
{
	struct model_remote *remote = store->remote;
	struct model_entry entry = {.schema = MODEL_SCHEMA_VERSION,
				    .role = loom_str_of(store->role),
				    .base = remote->mark.seq,
				    .prev = remote->mark.chain,
				    .at = loom_env_now(store->env)};
	enum loom_status status = remote_captured(store, arena, &entry.changes, &entry.count, err);

	if (status != LOOM_OK || (!entry.count && !remote->flush))
		return status;
	if (remote->away != LOOM_OK) {
		if (err)
			*err = remote->why_away;
		return remote->away;
	}
	status = remote_ride(store, arena, &entry.changes, &entry.count, err);
	if (status != LOOM_OK || !entry.count)
		return status;
	status = judge_own(store, &entry, err);
	if (status == LOOM_OK)
		status = name_entry(store, op, &entry, err);
	if (status != LOOM_OK)
		return status;
	return append(store, &entry, err);
}

enum loom_status model_remote_push(struct loom_store *store, int64_t op, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->writing && store->remote->session);
	status = remote_say_held(store, err);
	if (status == LOOM_OK)
		status = push(store, arena, op, err);

	loom_arena_destroy(arena);
	return status;
}

void model_remote_leave(struct loom_store *store)
{
	struct model_remote *remote = store->remote;

	LOOM_ASSERT(remote);
	remote_forget(remote);
	if (remote->turned)
		remote->log->leave(remote->ctx);
	remote->turned = false;
	remote->flush = remote->says = false;
	remote->far_count = 0;
}

bool model_remote_is_in(const struct loom_store *store)
{
	return store->remote->pushed;
}

bool loom_remote_is_forked(const struct loom_store *store)
{
	return store->remote && store->remote->forked;
}

void model_remote_flush(struct loom_store *store)
{
	store->remote->flush = true;
}

/* --- attaching --- */

enum loom_status model_remote_attach(struct loom_store *store, const struct model_log *log,
				     void *ctx, struct loom_err *err)
{
	struct model_remote *remote = loom_alloc(sizeof *remote);
	struct model_mark mark;

	LOOM_ASSERT(!store->remote && !store->read_only);
	remote->log = log;
	remote->ctx = ctx;
	remote->claim = -1;
	remote->arena = loom_arena_create();
	remote->far_arena = loom_arena_create();
	remote->shapes = LOOM_ARENA_ARRAY(remote->arena, model_class_count, struct model_shape);
	remote->statements =
		LOOM_ARENA_ARRAY(remote->arena, model_class_count, struct remote_statements);
	for (size_t i = 0; i < model_class_count; i++)
		model_shape_of(&model_classes[i], &remote->shapes[i]);
	store->remote = remote;
	store->in_log = true;
	return read_place(store, &mark, err);
}

void model_remote_close(struct loom_store *store)
{
	struct model_remote *remote = store->remote;

	if (!remote)
		return;
	model_remote_leave(store);
	remote_statements_fini(remote);
	remote_part(store);
	remote_let_go(remote);
	remote->log->close(remote->ctx);
	loom_arena_destroy(remote->arena);
	loom_arena_destroy(remote->far_arena);
	free(remote);
	store->remote = NULL;
}

/* Between two pages others of this machine may write. */
static enum loom_status follow_page(struct loom_store *store, bool *out_more, struct loom_err *err)
{
	enum loom_status status = model_lock(store, err);

	LOOM_ASSERT(store->remote && !store->writing);
	*out_more = false;
	if (status != LOOM_OK)
		return status;
	status = model_refuse_moved(store, err);
	if (status == LOOM_OK)
		status = model_require_wal(store, err);
	if (status == LOOM_OK)
		status = follow(store, false, out_more, err);
	model_unlock(store);
	return status;
}

enum loom_status loom_remote_follow(struct loom_store *store, struct loom_err *err)
{
	bool more = true;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && more)
		status = follow_page(store, &more, err);
	return status;
}
