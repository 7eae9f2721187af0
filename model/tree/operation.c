/* Operations: the current write, its journal, the feed of events, the lists.
 *
 * Undo and redo are in undo.c. A write holds the writer lock from before BEGIN IMMEDIATE until
 * after COMMIT. The operation's row is written with the first change; each transaction that changed
 * something appends one event. */
#include <loom/tree/tree_rows.h>

#include <loom/grove/presence.h>
#include <loom/remote/remote.h>
#include <loom/tree/request.h>

/* --- begin and end --- */

static enum loom_status refuse_newer(struct loom_err *err)
{
	loom_fail(err, LOOM_READ_ONLY,
		  "the grove was written by a newer loom; it can be read, exported and backed up");
	return loom_hint(err, LOOM_READ_ONLY, "use that loom, or a newer one, to write to it");
}

/* A newer program may have migrated the grove while this one had it open. */
static enum loom_status check_version(struct loom_store *store, struct loom_err *err)
{
	int64_t version = 0;
	struct query q = model_query(store, "PRAGMA user_version", err);
	enum loom_status status = model_one(&q, 0, &version);

	if (status != LOOM_OK || version <= MODEL_SCHEMA_VERSION)
		return status;
	store->newer = true;
	return refuse_newer(err);
}

static enum loom_status begin_transaction(struct loom_store *store, bool quiet,
					  struct loom_err *err)
{
	enum loom_status status;

	if (store->writing)
		return loom_fail(err, LOOM_FAULT, "a write is already in progress");
	if (store->newer)
		return refuse_newer(err);
	if (store->read_only)
		return loom_fail(err, LOOM_READ_ONLY, "this connection is read-only");
	status = model_lock(store, err);
	if (status != LOOM_OK)
		return status;
	status = model_refuse_moved(store, err);
	if (status == LOOM_OK)
		status = model_require_wal(store, err);
	if (status == LOOM_OK && store->remote)
		status = model_remote_turn(store, quiet, err);
	if (status == LOOM_OK)
		status = model_script(store, "BEGIN IMMEDIATE", err);
	if (status == LOOM_OK)
		status = check_version(store, err);
	if (status == LOOM_OK)
		status = model_epoch_begin(store, err);
	if (status == LOOM_OK && store->remote)
		status = model_remote_capture(store, err);
	if (status != LOOM_OK) {
		if (!sqlite3_get_autocommit(store->db))
			(void)model_script(store, "ROLLBACK", NULL);
		if (store->remote)
			model_remote_leave(store);
		model_unlock(store);
		return status;
	}
	LOOM_ASSERT(!sqlite3_get_autocommit(store->db));
	store->writing = true;
	store->held->write.finishing = false;
	store->held->write.last_node = 0;
	memset(store->held->write.linked, 0, sizeof store->held->write.linked);
	memset(store->held->write.parents, 0, sizeof store->held->write.parents);
	store->held->write.tree = (struct model_tree_state){.id = 0};
	store->held->write.author = 0;
	store->held->write.hung_fresh = false;
	store->held->write.left_ord = 0;
	return LOOM_OK;
}

static void end_write(struct loom_store *store)
{
	LOOM_ASSERT(store->writing);
	store->writing = false;
	store->held->write.quiet = false;
	if (store->remote)
		model_remote_leave(store);
	model_unlock(store);
}

static void reset_write(struct model_write *write)
{
	write->op = 0;
	write->spec = (struct loom_op_spec){.kind = ""};
	write->change = 0;
	write->fresh = false;
	write->first_made = 0;
	write->made = 0;
	write->run_thread = 0;
	loom_buf_clear(&write->run_record);
	loom_buf_clear(&write->text);
	model_graft_reset(write);
}

/* Continues an operation: its journal goes on where it stopped. */
static enum loom_status join(struct loom_store *store, int64_t op, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT coalesce((SELECT max(seq) FROM op_change WHERE "
				     "op = ?1), 0) FROM op WHERE id = ?1 AND state <= 1",
				     err);

	LOOM_ASSERT(store->writing && op);
	model_bind(&q, op);
	if (model_row(&q)) {
		store->held->write.op = op;
		store->held->write.change = model_int(&q, 0);
	}
	if (model_done(&q) != LOOM_OK || !store->held->write.op || !store->held->write.spec.slices)
		return q.status;
	return model_graft_load(store, err);
}

/* Inside a write: marks it dead. Its 128-bit id is free again, so a retry is not told that it
 * exists. */
static enum loom_status mark_dead(struct loom_store *store, int64_t op, struct loom_err *err)
{
	uint8_t other[16];
	struct query q =
		model_query(store, "UPDATE op SET state = 3, uid = ?2 WHERE id = ?1 AND state = 0",
			    err);

	LOOM_ASSERT(store->writing && op);
	loom_env_random(store->env, ((uint64_t)op << 8) ^ 0x6465, other, sizeof other);
	model_bind(&q, op);
	model_bind_blob(&q, other, sizeof other);
	return model_run(&q);
}

enum loom_status model_op_declare_dead(struct loom_store *store, int64_t op, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	return status == LOOM_OK ? loom_quiet_end(store, mark_dead(store, op, err), err) : status;
}

bool model_op_is_dead(const struct loom_store *store, struct loom_str session)
{
	return (session.n || !store->remote) && !loom_session_alive(store, session);
}

/* Returns whether a long write is abandoned: its process is gone, or it is this connection's own
 * and it is writing something else now. */
static bool is_given_up(const struct loom_store *store, struct loom_str session)
{
	return model_op_is_dead(store, session) ||
	       (store->session && loom_str_is(session, loom_session_name(store->session)));
}

static enum loom_status look_up_retry(struct loom_store *store, const struct loom_op_spec *spec,
				      struct loom_err *err)
{
	struct query q = model_query(store, "SELECT id, state, session FROM op WHERE uid = ?", err);
	int64_t op = 0;
	bool given_up = false;

	model_bind_blob(&q, spec->id.bytes, sizeof spec->id.bytes);
	if (model_row(&q)) {
		op = model_int(&q, 0);
		given_up =
			model_int(&q, 1) == LOOM_OP_OPEN && is_given_up(store, model_borrow(&q, 2));
	}
	if (model_done(&q) != LOOM_OK || !op)
		return q.status;
	if (given_up)
		return mark_dead(store, op, err);
	if (store->held->request)
		store->held->request->late = true;
	return loom_fail(err, LOOM_CONFLICT, "operation %lld exists already", (long long)op);
}

enum loom_status loom_op_begin(struct loom_store *store, const struct loom_op_spec *spec,
			       struct loom_err *err)
{
	struct model_write *write = &store->held->write;
	enum loom_status status = begin_transaction(store, false, err);

	LOOM_ASSERT(spec->kind);
	if (status != LOOM_OK)
		return status;
	reset_write(write);
	/* The session shows others whether this long write is alive. */
	if (spec->slices && !store->session)
		status = loom_session_open(store, &store->session, err);
	write->spec = *spec;
	loom_buf_add(&write->text, spec->text);
	if (!spec->has_id && !spec->join)
		write->spec.has_id = loom_request_next(store, &write->spec.id);
	if (status == LOOM_OK && write->spec.has_id)
		status = look_up_retry(store, &write->spec, err);
	if (status == LOOM_OK && spec->join)
		status = join(store, spec->join, err);
	if (status != LOOM_OK)
		loom_op_rollback(store);
	return status;
}

void loom_op_say(struct loom_store *store, const char *format, ...)
{
	va_list args;

	LOOM_ASSERT(format);
	loom_buf_clear(&store->held->write.text);
	va_start(args, format);
	loom_buf_addfv(&store->held->write.text, format, args);
	va_end(args);
}

/* The operation takes effect with the event about to be appended. */
static enum loom_status set_applied(struct loom_store *store, int64_t op, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "UPDATE op SET applied = coalesce((SELECT max(seq) FROM event), "
			    "0) + 1 WHERE id = ?",
			    err);

	model_bind(&q, op);
	return model_run(&q);
}

enum loom_status model_event(struct loom_store *store, int64_t op, enum loom_event_act act,
			     int64_t actor, struct loom_err *err)
{
	struct query q =
		model_query(store, "INSERT INTO event(op, act, actor, at) VALUES(?, ?, ?, ?)", err);
	enum loom_status status = act == LOOM_EVENT_REDONE ? set_applied(store, op, err) : LOOM_OK;

	LOOM_ASSERT(store->writing && op);
	if (status != LOOM_OK)
		return status;
	model_bind(&q, op);
	model_bind(&q, act);
	model_bind(&q, actor);
	model_bind(&q, loom_env_now(store->env));
	status = model_run(&q);
	return status == LOOM_OK ? model_request_note(store, op, err) : status;
}

static enum loom_status finish_row(struct loom_store *store, struct loom_err *err)
{
	struct model_write *write = &store->held->write;
	struct query q;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(!write->quiet);
	if (!write->op)
		return LOOM_OK;
	if (write->text.n) {
		q = model_query(store, "UPDATE op SET text = ? WHERE id = ? AND text <> ?1", err);
		model_bind_text(&q, loom_buf_str(&write->text));
		model_bind(&q, write->op);
		status = model_run(&q);
	}
	if (write->spec.slices && !write->finishing)
		return status;
	if (status == LOOM_OK && !write->fresh)
		status = set_applied(store, write->op, err);
	return status == LOOM_OK
		       ? model_event(store, write->op, LOOM_EVENT_DONE, write->spec.actor, err)
		       : status;
}

int64_t loom_op_current(const struct loom_store *store)
{
	return store->writing ? store->held->write.op : 0;
}

enum loom_status loom_op_list_anyway(struct loom_store *store, struct loom_err *err)
{
	if (!store->held->write.spec.inverse || !*store->held->write.spec.inverse)
		return loom_fail(err, LOOM_FAULT,
				 "an operation that cannot be undone needs an inverse");
	return model_op_need(store, NULL, err);
}

/* A commit that the disk did not confirm may still be in the log, where the next program to open
 * the grove would find it. Another commit in its place removes it for certain. */
static bool settle(struct loom_store *store)
{
	bool settled =
		model_script(store, "BEGIN IMMEDIATE", NULL) == LOOM_OK &&
		model_epoch_begin(store, NULL) == LOOM_OK && /* the log may begin with this one */
		model_script(store, "UPDATE grove SET id = id; COMMIT", NULL) == LOOM_OK;

	if (!sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	return settled;
}

static enum loom_status settle_failed(struct loom_store *store, enum loom_status status,
				      struct loom_err *err)
{
	if (!sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	if (store->remote && model_remote_is_in(store))
		return loom_hint(err, status,
				 "the shared log has it, and it will be here with the next write");
	if (settle(store))
		return loom_hint(err, status, "none of it is in the grove; try again");
	return loom_hint(err, status,
			 "it may still be in the grove: check `loom ops`; repeated with the same "
			 "--op ID, it is done only once");
}

/* Tells whoever wants to know, once: what a long write made shows with its last commit. */
static void tell_commit(struct loom_store *store)
{
	struct model_write *write = &store->held->write;
	const struct loom_commit what = {
		.actor = write->spec.actor,
		.tree = write->spec.tree,
		.op = write->op,
		.first = write->first_made,
		.count = write->made,
		.kind = loom_str_of(write->spec.kind),
		.thread = write->run_thread,
		.record = loom_buf_str(&write->run_record),
	};

	LOOM_ASSERT(!store->writing);
	if ((!what.count && !what.thread) || (write->spec.slices && !write->finishing))
		return;
	write->first_made = 0;
	write->made = 0;
	write->run_thread = 0;
	if (store->env->committed)
		store->env->committed(store->env->hearer, store, &what);
}

enum loom_status loom_op_commit(struct loom_store *store, int64_t *out_op, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (out_op)
		*out_op = store->held->write.op;
	if (!store->writing)
		return loom_fail(err, LOOM_FAULT, "no write is in progress");
	status = model_tree_flush(store, err);
	if (status == LOOM_OK)
		status = model_graft_flush(store, err);
	if (status == LOOM_OK && !store->held->write.quiet)
		status = finish_row(store, err);
	if (status == LOOM_OK && store->remote)
		status = model_remote_push(store,
					   store->held->write.fresh ? store->held->write.op : 0,
					   err);
	if (status == LOOM_OK) {
		status = model_script(store, "COMMIT", err);
		if (status == LOOM_IO || status == LOOM_FULL)
			status = settle_failed(store, status, err);
	}
	if (status != LOOM_OK) {
		loom_op_rollback(store);
		return status;
	}
	LOOM_ASSERT(sqlite3_get_autocommit(store->db));
	model_fold_large(store);
	end_write(store);
	tell_commit(store);
	return LOOM_OK;
}

/* An abandoned long write leaves nothing open; if that cannot be written now, a later sweep does
 * it. */
void loom_op_rollback(struct loom_store *store)
{
	int64_t given_up = store->held->write.spec.slices ? store->held->write.op : 0;

	if (!store->writing)
		return;
	if (!sqlite3_get_autocommit(store->db))
		(void)model_script(store, "ROLLBACK", NULL);
	if (store->held->write.fresh && store->held->request)
		store->held->request->made--;
	store->held->write.fresh = false;
	end_write(store);
	if (given_up && model_op_declare_dead(store, given_up, NULL) != LOOM_OK)
		return;
}

enum loom_status loom_op_end(struct loom_store *store, enum loom_status status, int64_t *out_op,
			     struct loom_err *err)
{
	if (status == LOOM_OK)
		return loom_op_commit(store, out_op, err);
	loom_op_rollback(store);
	if (out_op)
		*out_op = 0;
	return status;
}

/* Between slices another process may have declared the writer dead. */
static enum loom_status require_open(struct loom_store *store, int64_t op, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT state FROM op WHERE id = ?", err);
	int64_t state = LOOM_OP_DEAD;

	LOOM_ASSERT(store->writing && op);
	model_bind(&q, op);
	if (model_one(&q, LOOM_OP_DEAD, &state) != LOOM_OK || state == LOOM_OP_OPEN)
		return q.status;
	loom_fail(err, LOOM_CONFLICT, "the long write was declared dead and swept away");
	return loom_hint(err, LOOM_CONFLICT, "none of it is left; start again");
}

enum loom_status loom_op_slice(struct loom_store *store, struct loom_err *err)
{
	int64_t op = store->held->write.op;
	enum loom_status status = loom_op_commit(store, NULL, err);

	if (status == LOOM_OK)
		status = begin_transaction(store, false, err);
	if (status != LOOM_OK || !op)
		return status;
	store->held->write.op = op;
	store->held->write.fresh = false;
	status = require_open(store, op, err);
	if (status != LOOM_OK)
		loom_op_rollback(store);
	return status;
}

enum loom_status loom_quiet_begin(struct loom_store *store, struct loom_err *err)
{
	enum loom_status status = begin_transaction(store, true, err);

	if (status == LOOM_OK) {
		reset_write(&store->held->write);
		store->held->write.quiet = true;
	}
	return status;
}

enum loom_status loom_quiet_end(struct loom_store *store, enum loom_status status,
				struct loom_err *err)
{
	return loom_op_end(store, status, NULL, err);
}

/* --- the journal --- */

static void draw_id(struct loom_store *store, int64_t op, struct loom_op_id *out)
{
	loom_env_random(store->env, ((uint64_t)op << 8) ^ 0x6F70, out->bytes, sizeof out->bytes);
}

static enum loom_status insert_op(struct loom_store *store, int64_t id, struct loom_err *err)
{
	struct model_write *write = &store->held->write;
	const struct loom_op_spec *spec = &write->spec;
	struct loom_op_id uid = spec->id;
	struct query q = model_query(store,
				     "INSERT INTO op(id, uid, state, kind, text, inverse, actor, "
				     "thread, tree, at, session, applied) "
				     "VALUES(?,?,?,?,?,?,?,?,?,?,?, "
				     "coalesce((SELECT max(seq) FROM event), 0) + 1)",
				     err);

	LOOM_ASSERT(spec->kind && (!spec->slices || store->session));
	if (!spec->has_id)
		draw_id(store, id, &uid);
	model_bind(&q, id);
	model_bind_blob(&q, uid.bytes, sizeof uid.bytes);
	model_bind(&q, spec->slices ? LOOM_OP_OPEN : LOOM_OP_DONE);
	model_bind_text(&q, loom_str_of(spec->kind));
	model_bind_text(&q, loom_buf_str(&write->text));
	model_bind_text(&q, loom_str_of(spec->inverse));
	model_bind(&q, spec->actor);
	model_bind_or_null(&q, spec->thread);
	model_bind_or_null(&q, spec->tree);
	model_bind(&q, loom_env_now(store->env));
	model_bind_text(&q, loom_str_of(spec->slices ? loom_session_name(store->session) : ""));
	return model_run(&q);
}

enum loom_status model_op_need(struct loom_store *store, int64_t *out_op, struct loom_err *err)
{
	struct model_write *write = &store->held->write;
	int64_t last = 0;
	struct query q;
	enum loom_status status;

	if (!store->writing || write->quiet)
		return loom_fail(err, LOOM_FAULT, "a change outside an operation");
	if (!write->op) {
		q = model_query(store, "SELECT max(id) FROM op", err);
		status = model_one(&q, 0, &last);
		if (status == LOOM_OK)
			status = insert_op(store, last + 1, err);
		if (status != LOOM_OK)
			return status;
		write->op = last + 1;
		write->fresh = true;
		if (store->held->request)
			store->held->request->made++;
	}
	if (out_op)
		*out_op = write->op;
	return LOOM_OK;
}

enum loom_status model_op_builds_on(struct loom_store *store, int64_t op, struct loom_err *err)
{
	struct model_write *write = &store->held->write;
	struct query q;

	LOOM_ASSERT(store->writing);
	if (op == write->op)
		return LOOM_OK;
	for (size_t i = 0; i < LOOM_COUNT(write->linked); i++)
		if (write->linked[i] == op)
			return LOOM_OK;
	memmove(write->linked + 1, write->linked, sizeof write->linked - sizeof write->linked[0]);
	write->linked[0] = op;
	q = model_query(store, "INSERT OR IGNORE INTO op_needs(needs, op) VALUES(?, ?)", err);
	model_bind(&q, op);
	model_bind(&q, write->op);
	return model_run(&q);
}

struct model_value model_of_int(int64_t n)
{
	return (struct model_value){.type = MODEL_INT, .n = n};
}

struct model_value model_of_text(struct loom_str s)
{
	return (struct model_value){.type = MODEL_TEXT, .s = s};
}

void model_bind_value(struct query *q, struct model_value value)
{
	switch (value.type) {
	case MODEL_INT:
		model_bind(q, value.n);
		break;
	case MODEL_TEXT:
		model_bind_text(q, value.s);
		break;
	case MODEL_NULL:
		model_bind_null(q);
		break;
	}
}

static const char *const read_field[] = {
#define X(name, table, column)                                                                     \
	[MODEL_##name] = "SELECT " column ", " column " IS ?2 FROM " table " WHERE id = ?1",
	MODEL_FIELDS(X)
#undef X
};

static const char *const write_field[] = {
#define X(name, table, column)                                                                     \
	[MODEL_##name] = "UPDATE " table " SET " column " = ?2, ver = ver + 1 WHERE id = ?1",
	MODEL_FIELDS(X)
#undef X
};

static enum loom_status journal_change(struct loom_store *store, enum model_field field,
				       int64_t row, struct model_value after, struct loom_err *err)
{
	/* The same statement reads the old value, which needs no copy that way. */
	static const char *const journal[] = {
#define X(name, table, column)                                                                     \
	[MODEL_##name] =                                                                           \
		"INSERT INTO op_change(op, seq, field, target, before, after) SELECT ?1, "         \
		"?2, ?3, ?4, " column ", ?5 FROM " table " WHERE id = ?4",
		MODEL_FIELDS(X)
#undef X
	};
	struct query q = model_query(store, journal[field], err);

	LOOM_ASSERT((size_t)field < MODEL_FIELD_COUNT && model_in_op(store));
	model_bind(&q, store->held->write.op);
	model_bind(&q, ++store->held->write.change);
	model_bind(&q, field);
	model_bind(&q, row);
	model_bind_value(&q, after);
	return model_run(&q);
}

static enum loom_status write_value(struct loom_store *store, enum model_field field, int64_t row,
				    struct model_value value, struct loom_err *err)
{
	struct query q = model_query(store, write_field[field], err);

	LOOM_ASSERT((size_t)field < MODEL_FIELD_COUNT && model_in_op(store));
	model_bind(&q, row);
	model_bind_value(&q, value);
	return model_run(&q);
}

enum loom_status model_set(struct loom_store *store, enum model_field field, int64_t row,
			   struct model_value value, bool *out_changed, struct loom_err *err)
{
	struct query q = model_query(store, read_field[field], err);
	bool there;
	bool same;
	enum loom_status status;

	LOOM_ASSERT((size_t)field < MODEL_FIELD_COUNT);
	model_bind(&q, row);
	model_bind_value(&q, value);
	there = model_row(&q);
	same = there && model_int(&q, 1) != 0;
	status = model_done(&q);
	if (out_changed)
		*out_changed = !same;
	if (status != LOOM_OK || same)
		return status;
	if (!there)
		return loom_fail(err, LOOM_FAULT, "no row %lld to change", (long long)row);
	status = model_op_need(store, NULL, err);
	if (status == LOOM_OK)
		status = journal_change(store, field, row, value, err);
	return status == LOOM_OK ? write_value(store, field, row, value, err) : status;
}

enum loom_status model_made(struct loom_store *store, int64_t node, const struct loom_count *what,
			    struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO op_change(op, seq, field, target, before, after) "
				     "VALUES(?, ?, -1, ?, ?, ?)",
				     err);

	LOOM_ASSERT(model_in_op(store));
	model_bind(&q, store->held->write.op);
	model_bind(&q, ++store->held->write.change);
	model_bind(&q, node);
	model_bind(&q, what->nodes);
	model_bind(&q, what->leaves << 31 | what->branches);
	return model_run(&q);
}

/* --- lists --- */

#define OP_COLUMNS                                                                                 \
	"o.id, o.uid, o.state, o.kind, o.text, o.inverse, o.actor, o.thread, o.tree, o.at, "       \
	"(SELECT name FROM agent WHERE id = o.actor)"

static void read_op(const struct query *q, int from, struct loom_arena *arena, struct loom_op *out)
{
	struct loom_str uid;

	LOOM_ASSERT(from >= 0);
	*out = (struct loom_op){
		.id = model_int(q, from),
		.state = (enum loom_op_state)model_int(q, from + 2),
		.kind = model_text(q, from + 3, arena),
		.text = model_text(q, from + 4, arena),
		.inverse = model_text(q, from + 5, arena),
		.actor = model_int(q, from + 6),
		.thread = model_int(q, from + 7),
		.tree = model_int(q, from + 8),
		.at = model_int(q, from + 9),
		.actor_name = model_text(q, from + 10, arena),
	};
	uid = model_borrow(q, from + 1);
	if (uid.n == sizeof out->uid.bytes)
		memcpy(out->uid.bytes, uid.p, uid.n);
}

enum loom_status loom_op_list(struct loom_store *store, const struct loom_op_page *page,
			      struct loom_arena *arena, struct loom_op **out, size_t *out_count,
			      struct loom_err *err)
{
	static const char everybody[] =
		"SELECT " OP_COLUMNS " FROM op o WHERE o.id < ?1 AND o.state IN (1, 2) "
		"ORDER BY o.id DESC LIMIT ?2";
	static const char one[] =
		"SELECT " OP_COLUMNS " FROM op o WHERE o.id < ?1 AND o.state IN (1, 2) "
		"AND o.actor = ?3 ORDER BY o.id DESC LIMIT ?2";
	struct query q = model_query(store, page->actor ? one : everybody, err);
	size_t cap = 0;

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	model_bind(&q, page->before ? page->before : INT64_MAX);
	model_bind(&q, (int64_t)page->limit);
	if (page->actor)
		model_bind(&q, page->actor);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		read_op(&q, 0, arena, &(*out)[(*out_count)++]);
	}
	return model_done(&q);
}

enum loom_status loom_op_get(struct loom_store *store, int64_t op, struct loom_arena *arena,
			     struct loom_op *out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT " OP_COLUMNS " FROM op o WHERE o.id = ?", err);
	bool there;

	model_bind(&q, op);
	there = model_row(&q);
	if (there)
		read_op(&q, 0, arena, out);
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK
		     : loom_fail(err, LOOM_NOT_FOUND, "there is no operation %lld", (long long)op);
}

enum loom_status loom_op_by_id(struct loom_store *store, const struct loom_op_id *id,
			       int64_t *out_op, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT id FROM op WHERE uid = ?", err);

	model_bind_blob(&q, id->bytes, sizeof id->bytes);
	return model_one(&q, 0, out_op);
}

/* --- events --- */

enum loom_status loom_events_since(struct loom_store *store, int64_t seq, size_t limit,
				   struct loom_arena *arena, struct loom_event **out,
				   size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT e.seq, e.act, e.actor, e.at, "
				     "(SELECT name FROM agent WHERE id = e.actor), " OP_COLUMNS
				     " FROM event e JOIN op o ON o.id = e.op WHERE e.seq > ? "
				     "ORDER BY e.seq LIMIT ?",
				     err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, seq);
	model_bind(&q, (int64_t)limit);
	while (model_row(&q)) {
		struct loom_event *event;

		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		event = &(*out)[(*out_count)++];
		event->seq = model_int(&q, 0);
		event->act = (enum loom_event_act)model_int(&q, 1);
		event->actor = model_int(&q, 2);
		event->at = model_int(&q, 3);
		event->actor_name = model_text(&q, 4, arena);
		read_op(&q, 5, arena, &event->op);
	}
	return model_done(&q);
}

enum loom_status loom_events_last(struct loom_store *store, int64_t *out_seq, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT max(seq) FROM event", err);

	return model_one(&q, 0, out_seq);
}

/* --- long writes --- */

enum loom_status loom_op_reveal(struct loom_store *store, struct loom_err *err)
{
	struct query q;
	enum loom_status status;

	if (!store->held->write.op || store->held->write.finishing)
		return LOOM_OK;
	store->held->write.finishing = true;
	/* Only open operations record their session. */
	q = model_query(store, "UPDATE op SET state = 1, session = '' WHERE id = ? AND state = 0",
			err);
	model_bind(&q, store->held->write.op);
	status = model_run(&q);
	return status == LOOM_OK ? model_graft_finish(store, err) : status;
}

enum loom_status loom_op_finish(struct loom_store *store, int64_t *out_op, struct loom_err *err)
{
	enum loom_status status = loom_op_reveal(store, err);

	store->held->write.finishing = true;
	return loom_op_end(store, status, out_op, err);
}
