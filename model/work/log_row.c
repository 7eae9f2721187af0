/* The keeper of a thread's log, on the store's tables: log, run, run_record, part. */
#include <loom/tree/tree_rows.h>

#include <loom/grove/presence.h>
#include <loom/work/thread_log.h>

struct loom_thread_log {
	struct loom_store *store;
	int64_t thread;
	struct loom_str session;  /* empty: none */
	struct loom_arena *arena; /* for one call */
};

static struct query ask(const struct loom_thread_log *log, const char *sql, struct loom_err *err)
{
	struct query q = model_query(log->store, sql, err);

	model_bind(&q, log->thread);
	return q;
}

/* --- reading --- */

static enum loom_status head(void *ctx, int64_t *out_seq, struct loom_err *err)
{
	struct query q = ask(ctx, "SELECT max(seq) FROM log WHERE thread = ?1", err);

	return model_one(&q, LOOM_SEQ_NONE, out_seq);
}

#define ROW_COLUMNS "SELECT seq, at, kind, payload, refs FROM log "
#define ROW_RANGE   "WHERE thread = ?1 AND seq > ?2 AND seq <= ?3 "
#define ROW_LANE    "AND (?4 IS NULL OR kind = ?4) AND lane = ?5 "

static enum loom_status read_rows(void *ctx, const struct loom_log_range *range,
				  const struct loom_log_visitor *visitor, struct loom_err *err)
{
	/* The last rows of a lane are few, and its index leads straight to them. The whole lane is
	 * most of the log, and read faster in the log's order. */
	static const char *const forms[] = {
		ROW_COLUMNS ROW_RANGE "ORDER BY seq",
		ROW_COLUMNS ROW_RANGE "ORDER BY seq DESC",
		ROW_COLUMNS ROW_RANGE "AND kind = ?4 ORDER BY seq",
		ROW_COLUMNS ROW_RANGE "AND kind = ?4 ORDER BY seq DESC",
		ROW_COLUMNS ROW_RANGE ROW_LANE "ORDER BY seq",
		ROW_COLUMNS "INDEXED BY log_lane " ROW_RANGE ROW_LANE "ORDER BY seq DESC",
	};
	const size_t form = range->lane.n ? 4 : range->kind.n ? 2 : 0;
	struct query q = ask(ctx, forms[form + (range->newest_first ? 1 : 0)], err);
	bool more = true;

	LOOM_ASSERT(visitor->visit);
	model_bind(&q, range->after);
	model_bind(&q, range->through);
	if (range->kind.n)
		model_bind_text(&q, range->kind);
	else if (range->lane.n)
		model_bind_null(&q);
	if (range->lane.n)
		model_bind_text(&q, range->lane);
	while (more && model_row(&q)) {
		struct loom_log_row row = {
			.seq = model_int(&q, 0),
			.at_ms = model_int(&q, 1),
			.kind = model_borrow(&q, 2),
			.payload = model_borrow(&q, 3),
			.refs = model_borrow(&q, 4),
		};

		more = visitor->visit(visitor->ctx, &row);
	}
	return model_done(&q);
}

static enum loom_status anchor(void *ctx, struct loom_str lane, int64_t through, int64_t *out_seq,
			       struct loom_err *err)
{
	struct query q = ask(ctx,
			     "SELECT max(seq) FROM log INDEXED BY log_anchor WHERE thread = ?1 AND "
			     "lane = ?2 AND seq <= ?3 AND anchor = 1",
			     err);

	model_bind_text(&q, lane);
	model_bind(&q, through);
	return model_one(&q, LOOM_SEQ_NONE, out_seq);
}

static enum loom_status visit_marks(struct query *q, const struct loom_mark_visitor *visitor)
{
	bool more = true;

	LOOM_ASSERT(visitor->visit);
	while (more && model_row(q)) {
		struct loom_log_mark mark = {
			.seq = model_int(q, 0),
			.lane = model_borrow(q, 1),
			.op_id = model_borrow(q, 2),
			.anchor = model_int(q, 3) != 0,
		};

		more = visitor->visit(visitor->ctx, &mark);
	}
	return model_done(q);
}

static enum loom_status operations(void *ctx, int64_t through,
				   const struct loom_mark_visitor *visitor, struct loom_err *err)
{
	struct query q = ask(ctx,
			     "SELECT seq, lane, op_uid, anchor FROM log WHERE thread = ?1 AND "
			     "seq <= ?2 AND operation = 1 ORDER BY seq DESC",
			     err);

	model_bind(&q, through);
	return visit_marks(&q, visitor);
}

/* One index step per lane instead of a scan of all rows. */
static enum loom_status lanes(void *ctx, int64_t through, const struct loom_mark_visitor *visitor,
			      struct loom_err *err)
{
	struct query q = ask(
		ctx,
		"WITH RECURSIVE l(lane) AS (SELECT min(lane) FROM log WHERE thread = ?1 AND lane "
		"IS NOT NULL UNION ALL SELECT (SELECT min(lane) FROM log WHERE thread = ?1 AND "
		"lane > l.lane) FROM l WHERE l.lane IS NOT NULL) "
		"SELECT (SELECT min(seq) FROM log WHERE thread = ?1 AND lane = l.lane) AS first, "
		"l.lane, NULL, 0 FROM l WHERE l.lane IS NOT NULL AND first <= ?2 ORDER BY first",
		err);

	model_bind(&q, through);
	return visit_marks(&q, visitor);
}

static enum loom_status has_op(void *ctx, struct loom_str op_id, bool *out, struct loom_err *err)
{
	struct query q =
		ask(ctx, "SELECT EXISTS(SELECT 1 FROM log WHERE thread = ?1 AND op_uid = ?2)", err);
	int64_t there = 0;
	enum loom_status status;

	model_bind_text(&q, op_id);
	status = model_one(&q, 0, &there);
	*out = there != 0;
	return status;
}

/* --- writing --- */

static void bind_or_null(struct query *q, struct loom_str text)
{
	if (text.n)
		model_bind_text(q, text);
	else
		model_bind_null(q);
}

static enum loom_status append(void *ctx, const struct loom_log_row *row, int64_t *out_seq,
			       struct loom_err *err)
{
	struct loom_thread_log *log = ctx;
	struct loom_log_columns columns;
	struct query q;
	int64_t last = 0;
	enum loom_status status = head(ctx, &last, err);

	if (status != LOOM_OK)
		return status;
	if (!log->store->writing)
		return loom_fail(err, LOOM_FAULT, "a log row outside a write");
	loom_log_columns(row, log->arena, &columns);
	q = ask(log,
		"INSERT INTO log(thread, seq, kind, lane, operation, anchor, op_uid, at, payload, "
		"refs) "
		"VALUES(?,?,?,?,?,?,?,?,?,?)",
		err);
	model_bind(&q, last + 1);
	model_bind_text(&q, row->kind);
	bind_or_null(&q, columns.lane);
	model_bind(&q, columns.operation);
	model_bind(&q, columns.anchor);
	bind_or_null(&q, columns.op_id);
	model_bind(&q, row->at_ms == LOOM_TIME_NONE ? loom_env_now(log->store->env) : row->at_ms);
	model_bind_text(&q, row->payload);
	bind_or_null(&q, row->refs);
	*out_seq = last + 1;
	return model_run(&q);
}

static enum loom_status slot_read(void *ctx, enum loom_slot slot, struct loom_buf *out,
				  struct loom_err *err)
{
	static const char *const forms[] = {
		[LOOM_SLOT_PENDING] = "SELECT pending FROM run WHERE thread = ?1",
		[LOOM_SLOT_RUN] = "SELECT run FROM run WHERE thread = ?1",
		[LOOM_SLOT_QUEUE] = "SELECT queue FROM run WHERE thread = ?1",
	};
	struct query q = ask(ctx, forms[slot], err);

	LOOM_ASSERT((size_t)slot < LOOM_COUNT(forms));
	if (model_row(&q))
		loom_buf_add(out, model_borrow(&q, 0));
	return model_done(&q);
}

static enum loom_status slot_write(void *ctx, enum loom_slot slot, struct loom_str value,
				   struct loom_err *err)
{
	static const char *const forms[] = {
		[LOOM_SLOT_PENDING] = "INSERT INTO run(thread, pending) VALUES(?1, ?2) "
				      "ON CONFLICT DO UPDATE SET pending = ?2",
		[LOOM_SLOT_RUN] = "INSERT INTO run(thread, run, session) VALUES(?1, ?2, ?3) "
				  "ON CONFLICT DO UPDATE SET run = ?2, session = ?3",
		[LOOM_SLOT_QUEUE] = "INSERT INTO run(thread, queue) VALUES(?1, ?2) "
				    "ON CONFLICT DO UPDATE SET queue = ?2",
	};
	struct loom_thread_log *log = ctx;
	struct query q = ask(log, forms[slot], err);

	LOOM_ASSERT((size_t)slot < LOOM_COUNT(forms) && log->store->writing);
	model_bind_text(&q, value);
	if (slot == LOOM_SLOT_RUN)
		model_bind_text(&q, value.n ? log->session : LOOM_STR(""));
	return model_run(&q);
}

static enum loom_status run_ended(void *ctx, struct loom_str record, struct loom_err *err)
{
	struct loom_thread_log *log = ctx;
	struct query q =
		ask(log, "INSERT INTO run_record(thread, at, record) VALUES(?1, ?2, ?3)", err);

	LOOM_ASSERT(log->store->writing);
	model_bind(&q, loom_env_now(log->store->env));
	model_bind_text(&q, record);
	log->store->held->write.run_thread = log->thread;
	loom_buf_clear(&log->store->held->write.run_record);
	loom_buf_add(&log->store->held->write.run_record, record);
	return model_run(&q);
}

static bool run_alive(void *ctx, struct loom_str record)
{
	struct loom_thread_log *log = ctx;
	struct query q = ask(log, "SELECT session FROM run WHERE thread = ?1", NULL);
	bool alive = false;

	(void)record;
	if (model_row(&q)) {
		struct loom_str session = model_borrow(&q, 0);

		/* A run opened without a session counts as dead. */
		alive = session.n > 0 && (loom_str_eq(session, log->session) ||
					  loom_session_alive(log->store, session));
	}
	(void)model_done(&q);
	return alive;
}

static enum loom_status begin(void *ctx, struct loom_err *err)
{
	struct loom_thread_log *log = ctx;

	loom_arena_reset(log->arena);
	return loom_quiet_begin(log->store, err);
}

static enum loom_status commit(void *ctx, struct loom_err *err)
{
	struct loom_thread_log *log = ctx;

	LOOM_ASSERT(log->store->writing);
	return loom_quiet_end(log->store, LOOM_OK, err);
}

static void rollback(void *ctx)
{
	struct loom_thread_log *log = ctx;

	loom_op_rollback(log->store);
}

/* --- the interface --- */

static const struct loom_log_ops keeper = {
	.head = head,
	.read = read_rows,
	.anchor = anchor,
	.operations = operations,
	.lanes = lanes,
	.has_op = has_op,
	.append = append,
	.slot_read = slot_read,
	.slot_write = slot_write,
	.run_ended = run_ended,
	.run_alive = run_alive,
	.begin = begin,
	.commit = commit,
	.rollback = rollback,
};

enum loom_status loom_thread_log_open(struct loom_store *store, int64_t thread,
				      const struct loom_session *session,
				      struct loom_thread_log **out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT id FROM thread WHERE id = ?", err);
	int64_t found = 0;

	*out = NULL;
	model_bind(&q, thread);
	if (model_one(&q, 0, &found) != LOOM_OK)
		return q.status;
	if (!found)
		return loom_fail(err, LOOM_NOT_FOUND, "there is no such thread");
	*out = loom_alloc(sizeof **out);
	(*out)->store = store;
	(*out)->thread = thread;
	(*out)->session = session ? loom_str_of(loom_session_name(session)) : LOOM_STR("");
	(*out)->arena = loom_arena_create();
	return LOOM_OK;
}

void loom_thread_log_close(struct loom_thread_log *log)
{
	if (!log)
		return;
	loom_arena_destroy(log->arena);
	free(log);
}

enum loom_status loom_thread_log_newest(struct loom_store *store, int64_t thread, const char *kind,
					int64_t at, const struct loom_log_visitor *visitor,
					struct loom_err *err)
{
	struct loom_thread_log *handle = NULL;
	struct loom_log log;
	enum loom_status status = loom_thread_log_open(store, thread, NULL, &handle, err);

	LOOM_ASSERT(kind);
	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(handle);
	status = loom_log_newest(&log, loom_str_of(kind), at, visitor, err);
	loom_thread_log_close(handle);
	return status;
}

struct loom_log loom_thread_log_face(struct loom_thread_log *log)
{
	return (struct loom_log){.ops = &keeper, .ctx = log};
}

enum loom_status loom_thread_log_runs(struct loom_thread_log *log, size_t limit,
				      struct loom_arena *arena, struct loom_str **out,
				      size_t *out_count, struct loom_err *err)
{
	struct query q = ask(log,
			     "SELECT record FROM run_record WHERE thread = ?1 ORDER BY id DESC "
			     "LIMIT ?2",
			     err);
	size_t cap = 0;

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	model_bind(&q, (int64_t)limit);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		(*out)[(*out_count)++] = model_text(&q, 0, arena);
	}
	return model_done(&q);
}

/* --- sent inputs --- */

enum loom_status loom_part_put(struct loom_store *store, struct loom_str body,
			       struct loom_hash *out_hash, struct loom_err *err)
{
	struct query q =
		model_query(store, "INSERT OR IGNORE INTO part(hash, body) VALUES(?, ?)", err);

	LOOM_ASSERT(store->writing);
	*out_hash = loom_sha256(body);
	model_bind_blob(&q, out_hash->bytes, sizeof out_hash->bytes);
	model_bind_blob(&q, body.p, body.n);
	return model_run(&q);
}

enum loom_status loom_part_get(struct loom_store *store, const struct loom_hash *hash,
			       struct loom_arena *arena, struct loom_str *out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT body FROM part WHERE hash = ?", err);
	bool there;

	model_bind_blob(&q, hash->bytes, sizeof hash->bytes);
	there = model_row(&q);
	if (there)
		*out = model_text(&q, 0, arena);
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "that part was not stored");
}
