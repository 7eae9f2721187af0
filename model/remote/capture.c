/* What a write transaction changed, from SQLite's session extension: of each row the state before
 * and after, however often it was written in between. */
#include "inside.h"

#ifdef SQLITE_ENABLE_SESSION

#define PASSING (-1)

/* The place of each column of the table in its shape, by the order of the schema. */
struct columns {
	const char *table; /* as SQLite gives it, for the run of changes of one table */
	size_t class;
	int place[64];
};

static bool is_ours(const char *table, size_t *out)
{
	for (size_t i = 0; i < model_class_count; i++) {
		if (strcmp(model_classes[i].table, table) != 0)
			continue;
		*out = i;
		return model_classes[i].shared != NULL;
	}
	return false;
}

static int wanted(void *unused, const char *table)
{
	size_t class = 0;

	(void)unused;
	return is_ours(table, &class);
}

void remote_forget(struct model_remote *remote)
{
	if (remote->session)
		sqlite3session_delete(remote->session);
	remote->session = NULL;
}

enum loom_status remote_record(struct loom_store *store, struct loom_err *err)
{
	struct model_remote *remote = store->remote;
	int code = SQLITE_OK;

	LOOM_ASSERT(!remote->session);
	code = sqlite3session_create(store->db, "main", &remote->session);
	if (code == SQLITE_OK)
		sqlite3session_table_filter(remote->session, wanted, NULL);
	if (code == SQLITE_OK)
		code = sqlite3session_attach(remote->session, NULL);
	return code == SQLITE_OK ? LOOM_OK : model_sqlite_fail(store, code, err);
}

static enum loom_status read_columns(struct loom_store *store, const char *table,
				     struct columns *out, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT name FROM pragma_table_info(?) ORDER BY cid", err);
	const struct model_shape *shape = NULL;
	size_t n = 0;

	LOOM_ASSERT(table);
	out->table = table;
	if (!is_ours(table, &out->class))
		LOOM_ASSERT(!"a table that is not recorded");
	shape = &store->remote->shapes[out->class];
	model_bind_text(&q, loom_str_of(table));
	while (model_row(&q)) {
		LOOM_ASSERT(n < LOOM_COUNT(out->place));
		out->place[n] = PASSING;
		for (size_t i = 0; i < shape->all; i++)
			if (loom_str_eq(shape->column[i], model_borrow(&q, 0)))
				out->place[n] = (int)i;
		n++;
	}
	return model_done(&q);
}

/* The iterator's memory lasts until its next step. */
static void read_value(sqlite3_value *value, struct loom_arena *arena, struct model_cell *out)
{
	*out = (struct model_cell){.type = MODEL_CELL_NULL};
	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		*out = (struct model_cell){.type = MODEL_CELL_INT, .n = sqlite3_value_int64(value)};
		break;
	case SQLITE_TEXT:
	case SQLITE_BLOB:
		out->type = sqlite3_value_type(value) == SQLITE_TEXT ? MODEL_CELL_TEXT
								     : MODEL_CELL_BLOB;
		out->s = loom_arena_str(arena, loom_str_make(sqlite3_value_blob(value),
							     (size_t)sqlite3_value_bytes(value)));
		break;
	default:
		LOOM_ASSERT(sqlite3_value_type(value) == SQLITE_NULL);
	}
}

typedef int value_of(sqlite3_changeset_iter *, int, sqlite3_value **);

/* Reads one side of a row; a value that the session leaves out did not change. */
static uint64_t read_side(sqlite3_changeset_iter *iter, value_of *side,
			  const struct columns *columns, int count, struct loom_arena *arena,
			  struct model_cell *cells)
{
	uint64_t set = 0;

	for (int i = 0; i < count; i++) {
		sqlite3_value *value = NULL;

		if (columns->place[i] < 0 || side(iter, i, &value) != SQLITE_OK || !value)
			continue;
		read_value(value, arena, &cells[columns->place[i]]);
		set |= UINT64_C(1) << columns->place[i];
	}
	return set;
}

struct reading {
	struct loom_store *store;
	struct loom_arena *arena;
	struct model_change *changes;
	size_t count;
	size_t cap;
	struct columns columns;
};

static void keep(struct reading *reading, const struct model_change *change)
{
	reading->changes = loom_arena_grow(reading->arena, reading->changes, reading->count,
					   &reading->cap, sizeof *reading->changes);
	reading->changes[reading->count++] = *change;
}

/* Of a changed row: what is shared is an entry, what is mine is noted, the rest is passed over. */
static enum loom_status split(struct reading *reading, struct model_change *change, int op,
			      struct loom_err *err)
{
	const struct model_shape *shape = &reading->store->remote->shapes[change->class];
	const uint64_t shared = (UINT64_C(1) << shape->shared) - 1;
	const uint64_t all = (UINT64_C(1) << shape->all) - 1;
	const uint64_t keys = (UINT64_C(1) << shape->class->keys) - 1;
	const uint64_t set = change->set & ~keys;
	const bool own = shape->class->may & MODEL_OWN;

	LOOM_ASSERT(change->class < model_class_count);
	if (own || (op == SQLITE_UPDATE && set & all & ~shared)) {
		enum loom_status status =
			remote_note_mine(reading->store, change->class, change->now, err);

		if (status != LOOM_OK || own)
			return status;
	}
	change->act = op == SQLITE_INSERT   ? MODEL_ADDED
		      : op == SQLITE_DELETE ? MODEL_GONE
					    : MODEL_CHANGED;
	change->set = op == SQLITE_UPDATE ? set & shared : 0;
	if (op != SQLITE_UPDATE || change->set)
		keep(reading, change);
	return LOOM_OK;
}

static enum loom_status read_change(struct reading *reading, sqlite3_changeset_iter *iter,
				    struct loom_err *err)
{
	struct columns *columns = &reading->columns;
	struct model_change change = {.set = 0};
	const char *table = NULL;
	int count = 0;
	int op = 0;
	int indirect = 0;
	size_t all = 0;
	int code = sqlite3changeset_op(iter, &table, &count, &op, &indirect);

	if (code != SQLITE_OK)
		return model_sqlite_fail(reading->store, code, err);
	if (!columns->table || strcmp(columns->table, table) != 0) {
		enum loom_status status =
			read_columns(reading->store,
				     loom_arena_cstr(reading->arena, loom_str_of(table)), columns,
				     err);

		if (status != LOOM_OK)
			return status;
	}
	change.class = columns->class;
	all = reading->store->remote->shapes[change.class].all;
	change.now = LOOM_ARENA_ARRAY(reading->arena, all, struct model_cell);
	change.was = LOOM_ARENA_ARRAY(reading->arena, all, struct model_cell);
	if (op != SQLITE_INSERT)
		(void)read_side(iter, sqlite3changeset_old, columns, count, reading->arena,
				change.was);
	memcpy(change.now, change.was,
	       reading->store->remote->shapes[change.class].class->keys * sizeof *change.now);
	if (op != SQLITE_DELETE)
		change.set = read_side(iter, sqlite3changeset_new, columns, count, reading->arena,
				       change.now);
	return split(reading, &change, op, err);
}

enum loom_status remote_captured(struct loom_store *store, struct loom_arena *arena,
				 struct model_change **out, size_t *out_count, struct loom_err *err)
{
	struct reading reading = {.store = store, .arena = arena};
	sqlite3_changeset_iter *iter = NULL;
	void *bytes = NULL;
	int n = 0;
	int code = sqlite3session_changeset(store->remote->session, &n, &bytes);
	enum loom_status status = LOOM_OK;

	if (code == SQLITE_OK)
		code = sqlite3changeset_start(&iter, n, bytes);
	while (code == SQLITE_OK && status == LOOM_OK) {
		code = sqlite3changeset_next(iter);
		if (code != SQLITE_ROW)
			break;
		code = SQLITE_OK;
		status = read_change(&reading, iter, err);
	}
	sqlite3changeset_finalize(iter);
	sqlite3_free(bytes);
	*out = reading.changes;
	*out_count = reading.count;
	if (status == LOOM_OK && code != SQLITE_DONE && code != SQLITE_OK)
		status = model_sqlite_fail(store, code, err);
	return status;
}

#else /* an SQLite that does not record */

void remote_forget(struct model_remote *remote)
{
	(void)remote;
}

enum loom_status remote_record(struct loom_store *store, struct loom_err *err)
{
	(void)store;
	loom_fail(err, LOOM_REFUSED, "this SQLite was built without its session extension");
	return loom_hint(err, LOOM_REFUSED,
			 "a grove in a shared log needs it: use a loom that has it");
}

enum loom_status remote_captured(struct loom_store *store, struct loom_arena *arena,
				 struct model_change **out, size_t *out_count, struct loom_err *err)
{
	(void)arena;
	*out = NULL;
	*out_count = 0;
	return remote_record(store, err);
}

#endif
