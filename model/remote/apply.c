/* Doing what an entry says. It comes from others and may say anything: the bytes are read strictly,
 * the rules judge it, and the schema's own constraints and triggers do the rest. An entry that
 * fails any of them is void: none of it is done, here and everywhere. */
#include "inside.h"

/* The work of one entry. */
struct applying {
	struct loom_store *store;
	struct model_remote *remote;
	const struct model_entry *entry;
	struct loom_buf *why;
	int64_t may;
};

static bool is_void(const struct applying *a)
{
	return a->why->n > 0;
}

static void declare_void(const struct applying *a, const struct model_change *change,
			 const char *what)
{
	if (!is_void(a))
		loom_buf_addf(a->why, "%s: %s", model_classes[change->class].table, what);
}

/* Runs a statement. A broken rule of the schema voids the entry; *out_rows is how many it changed.
 */
static enum loom_status run(const struct applying *a, const struct model_change *change,
			    struct query *q, int *out_rows)
{
	struct loom_err *err = q->err;
	struct loom_err broken;
	enum loom_status status;
	int code;

	q->err = &broken;
	(void)model_row(q);
	code = sqlite3_errcode(a->store->db) & 0xFF;
	*out_rows = sqlite3_changes(a->store->db);
	status = model_done(q);
	if (status == LOOM_OK)
		return status;
	*out_rows = 0;
	if (code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH || code == SQLITE_TOOBIG) {
		declare_void(a, change, sqlite3_errmsg(a->store->db));
		return LOOM_OK;
	}
	if (err)
		*err = broken;
	return status;
}

static void bind_cells(struct query *q, const struct model_cell *cells, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		remote_bind_cell(q, &cells[i]);
}

/* --- numbers --- */

static void say_last(const struct model_shape *shape, struct loom_buf *sql)
{
	const size_t last = shape->class->keys - 1;

	loom_buf_addf(sql, "SELECT max(%.*s) FROM %s", LOOM_STR_ARG(shape->column[last]),
		      shape->class->table);
	for (size_t i = 0; i < last; i++)
		loom_buf_addf(sql, "%s%.*s = ?%zu", i ? " AND " : " WHERE ",
			      LOOM_STR_ARG(shape->column[i]), i + 1);
}

/* The lists that are read without gaps begin at 0 or 1, and their next number is one more. */
static enum loom_status check_number(const struct applying *a, const struct model_change *change,
				     struct loom_err *err)
{
	const struct model_shape *shape = &a->remote->shapes[change->class];
	const size_t last_key = shape->class->keys - 1;
	const struct model_cell *number = &change->now[last_key];
	sqlite3_stmt **slot = &a->remote->statements[change->class].last;
	struct loom_buf sql = LOOM_BUF_INIT(4096);
	struct query q;
	bool none;
	int64_t last;
	enum loom_status status;

	if (shape->class->numbering == MODEL_FREE)
		return LOOM_OK;
	say_last(shape, &sql);
	status = remote_prepare(a->store, slot, &sql, err);
	if (status != LOOM_OK)
		return status;
	q = remote_query(a->store, *slot, err);
	bind_cells(&q, change->now, 0, last_key);
	none = !model_row(&q) || model_is_null(&q, 0);
	last = none ? 0 : model_int(&q, 0);
	status = model_done(&q);
	if (status != LOOM_OK)
		return status;
	if (number->type != MODEL_CELL_INT || number->n < 0 || number->n > INT64_MAX / 2 ||
	    (!none && number->n <= last) ||
	    (shape->class->numbering == MODEL_NEXT && number->n > last + 1))
		declare_void(a, change, "a number that does not follow");
	return LOOM_OK;
}

/* --- the acts --- */

/* A new row has what is shared and mine, and what passes as it is in a row that nobody uses. */
static void say_add(const struct model_shape *shape, struct loom_buf *sql)
{
	struct loom_str rest = loom_str_of(shape->class->passing);
	struct loom_buf values = LOOM_BUF_INIT(4096);
	struct loom_str word;

	loom_buf_addf(sql, "INSERT INTO %s(", shape->class->table);
	for (size_t i = 0; i < shape->all; i++) {
		loom_buf_addf(sql, "%s%.*s", i ? ", " : "", LOOM_STR_ARG(shape->column[i]));
		loom_buf_adds(&values, i ? ", ?" : "?");
	}
	while (rest.n && loom_str_cut(&rest, ' ', &word)) {
		const size_t at = loom_str_find_char(word, '=', 0);

		if (at != SIZE_MAX) {
			loom_buf_addf(sql, ", %.*s", (int)at, word.p);
			loom_buf_addf(&values, ", %.*s", (int)(word.n - at - 1), word.p + at + 1);
		}
	}
	loom_buf_addf(sql, ") VALUES(%s)", loom_buf_cstr(&values));
	loom_buf_fini(&values);
}

static enum loom_status add(const struct applying *a, const struct model_change *change,
			    struct loom_err *err)
{
	const struct model_shape *shape = &a->remote->shapes[change->class];
	sqlite3_stmt **slot = &a->remote->statements[change->class].add;
	struct loom_buf sql = LOOM_BUF_INIT(4096);
	struct query q;
	int rows = 0;
	enum loom_status status = check_number(a, change, err);

	if (status != LOOM_OK || is_void(a))
		return status;
	if (!*slot)
		say_add(shape, &sql);
	status = remote_prepare(a->store, slot, &sql, err);
	if (status != LOOM_OK)
		return status;
	q = remote_query(a->store, *slot, err);
	bind_cells(&q, change->now, 0, shape->all);
	return run(a, change, &q, &rows);
}

static void say_change(const struct model_shape *shape, uint64_t set, struct loom_buf *sql)
{
	const char *before = " SET ";

	loom_buf_addf(sql, "UPDATE %s", shape->class->table);
	for (size_t i = 0; i < shape->shared; i++) {
		if (!(set >> i & 1))
			continue;
		loom_buf_addf(sql, "%s%.*s = ?", before, LOOM_STR_ARG(shape->column[i]));
		before = ", ";
	}
	before = " WHERE ";
	for (size_t i = 0; i < shape->shared; i++) {
		if (i >= shape->class->keys && !(set >> i & 1))
			continue;
		loom_buf_addf(sql, "%s%.*s IS ?", before, LOOM_STR_ARG(shape->column[i]));
		before = " AND ";
	}
}

static enum loom_status find_setter(const struct applying *a, const struct model_change *change,
				    sqlite3_stmt **out, struct loom_err *err)
{
	const uint64_t hash = (change->class * 31 + change->set) * UINT64_C(0x9E3779B97F4A7C15);
	struct remote_setter *setter = &a->remote->setters[hash >> 58];
	struct loom_buf sql = LOOM_BUF_INIT(4096);
	enum loom_status status;

	if (setter->stmt && (setter->class != change->class || setter->set != change->set)) {
		sqlite3_finalize(setter->stmt);
		setter->stmt = NULL;
	}
	setter->class = change->class;
	setter->set = change->set;
	if (!setter->stmt)
		say_change(&a->remote->shapes[change->class], change->set, &sql);
	status = remote_prepare(a->store, &setter->stmt, &sql, err);
	*out = setter->stmt;
	return status;
}

/* A row that is not as the entry says it was: somebody lied, or this file is not what the log made
 * of it, which a check finds. */
static enum loom_status set_columns(const struct applying *a, const struct model_change *change,
				    struct loom_err *err)
{
	const struct model_shape *shape = &a->remote->shapes[change->class];
	sqlite3_stmt *stmt = NULL;
	struct query q;
	int rows = 0;
	enum loom_status status = find_setter(a, change, &stmt, err);

	LOOM_ASSERT(change->act == MODEL_CHANGED);
	if (status != LOOM_OK)
		return status;
	q = remote_query(a->store, stmt, err);
	for (size_t i = 0; i < shape->shared; i++)
		if (change->set >> i & 1)
			remote_bind_cell(&q, &change->now[i]);
	bind_cells(&q, change->now, 0, shape->class->keys);
	for (size_t i = 0; i < shape->shared; i++)
		if (change->set >> i & 1)
			remote_bind_cell(&q, &change->was[i]);
	status = run(a, change, &q, &rows);
	if (status == LOOM_OK && rows != 1)
		declare_void(a, change, "a row that is not as it says");
	return status;
}

static enum loom_status may_go(const struct applying *a, const struct model_change *change,
			       bool *out, struct loom_err *err)
{
	const struct model_class *class = &model_classes[change->class];
	struct loom_buf sql = LOOM_BUF_INIT(4096);
	struct query q;
	enum loom_status status;

	loom_buf_adds(&sql, class->gone);
	status = remote_prepare(a->store, &a->remote->statements[change->class].guard, &sql, err);
	if (status != LOOM_OK)
		return status;
	q = remote_query(a->store, a->remote->statements[change->class].guard, err);
	if (sqlite3_bind_parameter_count(q.stmt))
		remote_bind_cell(&q, &change->now[0]);
	*out = model_row(&q);
	return model_done(&q);
}

static enum loom_status take_away(const struct applying *a, const struct model_change *change,
				  struct loom_err *err)
{
	const struct model_shape *shape = &a->remote->shapes[change->class];
	sqlite3_stmt **slot = &a->remote->statements[change->class].gone;
	struct loom_buf sql = LOOM_BUF_INIT(4096);
	struct query q;
	bool may = true;
	int rows = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(change->act == MODEL_GONE || change->act == MODEL_LEFT);
	if (change->act == MODEL_GONE)
		status = may_go(a, change, &may, err);
	if (status != LOOM_OK)
		return status;
	if (!may) {
		declare_void(a, change, "a row that is never removed");
		return LOOM_OK;
	}
	loom_buf_addf(&sql, "DELETE FROM %s WHERE ", shape->class->table);
	remote_say_key(shape, &sql);
	status = remote_prepare(a->store, slot, &sql, err);
	if (status != LOOM_OK)
		return status;
	q = remote_query(a->store, *slot, err);
	bind_cells(&q, change->now, 0, shape->class->keys);
	status = run(a, change, &q, &rows);
	if (status == LOOM_OK && change->act == MODEL_GONE && rows != 1)
		declare_void(a, change, "a row that is not there");
	return status;
}

/* The row of an own table may be new; of others only some columns are mine. */
static void say_mine(const struct model_shape *shape, struct loom_buf *sql)
{
	const bool own = shape->class->may & MODEL_OWN;

	if (own) {
		say_add(shape, sql);
		loom_buf_adds(sql, " ON CONFLICT DO UPDATE SET ");
	} else {
		loom_buf_addf(sql, "UPDATE %s SET ", shape->class->table);
	}
	for (size_t i = shape->shared; i < shape->all; i++)
		loom_buf_addf(sql, "%s%.*s = ?%zu", i > shape->shared ? ", " : "",
			      LOOM_STR_ARG(shape->column[i]),
			      own ? i + 1 : i - shape->shared + shape->class->keys + 1);
	if (own)
		return;
	loom_buf_adds(sql, " WHERE ");
	remote_say_key(shape, sql);
}

static enum loom_status set_mine(const struct applying *a, const struct model_change *change,
				 struct loom_err *err)
{
	const struct model_shape *shape = &a->remote->shapes[change->class];
	sqlite3_stmt **slot = &a->remote->statements[change->class].mine;
	struct loom_buf sql = LOOM_BUF_INIT(4096);
	struct query q;
	int rows = 0;
	enum loom_status status;

	LOOM_ASSERT(change->act == MODEL_MINE);
	if (!*slot)
		say_mine(shape, &sql);
	status = remote_prepare(a->store, slot, &sql, err);
	if (status != LOOM_OK)
		return status;
	q = remote_query(a->store, *slot, err);
	bind_cells(&q, change->now, 0, shape->class->keys);
	bind_cells(&q, change->now, shape->shared, shape->all);
	return run(a, change, &q, &rows);
}

static enum loom_status act(const struct applying *a, const struct model_change *change,
			    struct loom_err *err)
{
	switch (change->act) {
	case MODEL_ADDED:
		return add(a, change, err);
	case MODEL_CHANGED:
		return set_columns(a, change, err);
	case MODEL_GONE:
		return take_away(a, change, err);
	case MODEL_MINE:
		return remote_rides(a->store, change->class, change->now)
			       ? LOOM_OK
			       : set_mine(a, change, err);
	case MODEL_LEFT:
		return remote_rides(a->store, change->class, change->now)
			       ? LOOM_OK
			       : take_away(a, change, err);
	}
	return LOOM_OK;
}

/* --- an entry --- */

static bool refers_to_nothing(struct loom_store *store)
{
	int now = 0;
	int most = 0;

	return sqlite3_db_status(store->db, SQLITE_DBSTATUS_DEFERRED_FKS, &now, &most, 0) ==
		       SQLITE_OK &&
	       now != 0;
}

static bool is_late(const struct applying *a, const struct model_change *change)
{
	return change->act == MODEL_CHANGED &&
	       (change->set & a->remote->shapes[change->class].late);
}

/* Acts on the changes that are late, or on all others. */
static enum loom_status act_all(const struct applying *a, bool late, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && !is_void(a) && i < a->entry->count; i++)
		if (is_late(a, &a->entry->changes[i]) == late)
			status = act(a, &a->entry->changes[i], err);
	return status;
}

static enum loom_status do_changes(struct applying *a, struct loom_err *err)
{
	enum loom_status status = act_all(a, false, err);

	if (status == LOOM_OK)
		status = act_all(a, true, err);
	for (size_t i = 0; status == LOOM_OK && !is_void(a) && i < a->entry->count; i++)
		status = remote_judge_change(a->store, a->entry, &a->entry->changes[i], a->may,
					     a->why, err);
	if (status == LOOM_OK && !is_void(a) && refers_to_nothing(a->store))
		loom_buf_adds(a->why, "it refers to what is not there");
	return status;
}

/* Rows may name others that come later in the entry. */
static enum loom_status do_entry(struct applying *a, struct loom_err *err)
{
	enum loom_status status = remote_judge_before(a->store, a->entry, &a->may, a->why, err);

	LOOM_ASSERT(a->may >= -1);
	if (status != LOOM_OK || is_void(a))
		return status;
	status = model_script(a->store, "PRAGMA defer_foreign_keys = ON; SAVEPOINT entry", err);
	if (status != LOOM_OK)
		return status;
	status = do_changes(a, err);
	if (status == LOOM_OK && is_void(a))
		status = model_script(a->store, "ROLLBACK TO entry", err);
	return status == LOOM_OK ? model_script(a->store, "RELEASE entry", err) : status;
}

/* A log that knows from whom an entry came is believed, not the entry. */
static bool is_from(const struct model_logged *logged, const struct model_entry *entry)
{
	return !logged->role.n || loom_str_eq(entry->role, logged->role);
}

enum loom_status model_entry_apply(struct loom_store *store, struct model_remote *remote,
				   const struct model_logged *logged, struct loom_buf *out_why,
				   struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_err malformed;
	struct model_entry entry;
	struct applying a = {store, remote, &entry, out_why, 0};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(!sqlite3_get_autocommit(store->db) && !out_why->n);
	if (model_entry_decode(remote->shapes, logged->bytes, arena, &entry, &malformed) != LOOM_OK)
		loom_buf_adds(out_why, malformed.text);
	else if (entry.schema > MODEL_SCHEMA_VERSION)
		status = loom_fail(err, LOOM_READ_ONLY, "the log was written by a newer loom");
	else if (entry.base != remote->mark.seq || !loom_hash_eq(&entry.prev, &remote->mark.chain))
		loom_buf_adds(out_why, "it does not stand on the entry before it");
	else if (!is_from(logged, &entry))
		loom_buf_addf(out_why, "it is from %.*s, and says that it is from %.*s",
			      LOOM_STR_ARG(logged->role), LOOM_STR_ARG(entry.role));
	else
		status = do_entry(&a, err);
	loom_arena_destroy(arena);
	return status;
}
