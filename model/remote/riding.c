/* What is mine rides: positions and choices are written without the log, and their rows are noted
 * here until an entry takes them along as they are then. */
#include "inside.h"

enum loom_status remote_note_mine(struct loom_store *store, size_t class,
				  const struct model_cell *now, struct loom_err *err)
{
	struct loom_buf key = LOOM_BUF_INIT(4096);
	struct query q =
		model_query(store, "INSERT OR IGNORE INTO remote_mine(class, row) VALUES(?, ?)",
			    err);

	LOOM_ASSERT(class < model_class_count && store->writing);
	model_key_encode(&store->remote->shapes[class], now, &key);
	model_bind(&q, (int64_t) class);
	model_bind_blob(&q, key.p, key.n);
	(void)model_run(&q);
	loom_buf_fini(&key);
	return q.status;
}

bool remote_rides(struct loom_store *store, size_t class, const struct model_cell *now)
{
	struct loom_buf key = LOOM_BUF_INIT(4096);
	struct query q =
		model_query(store, "SELECT 1 FROM remote_mine WHERE class = ? AND row = ?", NULL);
	int64_t there = 0;

	LOOM_ASSERT(class < model_class_count);
	model_key_encode(&store->remote->shapes[class], now, &key);
	model_bind(&q, (int64_t) class);
	model_bind_blob(&q, key.p, key.n);
	(void)model_one(&q, 0, &there);
	loom_buf_fini(&key);
	return there != 0;
}

/* Reads what is mine of a row as it is now; the row of an own table may be gone. */
static enum loom_status read_mine(struct loom_store *store, struct loom_arena *arena,
				  struct model_change *change, struct loom_err *err)
{
	const struct model_shape *shape = &store->remote->shapes[change->class];
	struct loom_buf sql = LOOM_BUF_INIT(4096);
	sqlite3_stmt *stmt = NULL;
	struct query q;
	enum loom_status status;

	LOOM_ASSERT(shape->all > shape->shared);
	loom_buf_adds(&sql, "SELECT ");
	for (size_t i = shape->shared; i < shape->all; i++)
		loom_buf_addf(&sql, "%s%.*s", i > shape->shared ? ", " : "",
			      LOOM_STR_ARG(shape->column[i]));
	loom_buf_addf(&sql, " FROM %s WHERE ", shape->class->table);
	remote_say_key(shape, &sql);
	status = remote_prepare(store, &stmt, &sql, err);
	if (status != LOOM_OK)
		return status;
	q = remote_query(store, stmt, err);
	for (size_t i = 0; i < shape->class->keys; i++)
		remote_bind_cell(&q, &change->now[i]);
	change->act = MODEL_LEFT;
	if (model_row(&q)) {
		change->act = MODEL_MINE;
		for (size_t i = shape->shared; i < shape->all; i++)
			remote_read_cell(&q, (int)(i - shape->shared), arena, &change->now[i]);
	}
	status = model_done(&q);
	sqlite3_finalize(stmt);
	return status;
}

enum loom_status remote_ride(struct loom_store *store, struct loom_arena *arena,
			     struct model_change **changes, size_t *count, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT class, row FROM remote_mine", err);
	const size_t before = *count;
	size_t cap = *count; /* grows by copying: what is there may be exactly full */
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->writing);
	while (model_row(&q)) {
		struct model_change change = {.class = (size_t)model_int(&q, 0)};
		const struct model_shape *shape;

		if (change.class >= model_class_count)
			continue;
		shape = &store->remote->shapes[change.class];
		change.now = LOOM_ARENA_ARRAY(arena, shape->all, struct model_cell);
		if (!model_key_decode(shape, model_text(&q, 1, arena), change.now))
			continue;
		*changes = loom_arena_grow(arena, *changes, *count, &cap, sizeof **changes);
		(*changes)[(*count)++] = change;
	}
	status = model_done(&q);
	for (size_t i = before; status == LOOM_OK && i < *count; i++)
		status = read_mine(store, arena, &(*changes)[i], err);
	return status == LOOM_OK && *count > before
		       ? model_script(store, "DELETE FROM remote_mine", err)
		       : status;
}
