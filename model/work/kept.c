/* What operations replaced beside the grove: a row for each file or thread. */
#include <loom/work/kept.h>

#include <loom/tree/tree_rows.h>

static void bind_state(struct query *q, const struct loom_kept *kept)
{
	if (kept->bytes.p)
		model_bind_blob(q, kept->bytes.p, kept->bytes.n);
	else
		model_bind_value(q, (struct model_value){.type = MODEL_NULL});
	if (kept->is_now)
		model_bind_blob(q, kept->now.bytes, sizeof kept->now.bytes);
	else
		model_bind_value(q, (struct model_value){.type = MODEL_NULL});
}

enum loom_status loom_kept_add(struct loom_store *store, int64_t op, const struct loom_kept *kept,
			       struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "INSERT INTO kept(op, kind, name, bytes, now) VALUES(?, ?, ?, ?, ?)",
			    err);

	LOOM_ASSERT(store->writing && op);
	model_bind(&q, op);
	model_bind(&q, kept->kind);
	model_bind_text(&q, kept->name);
	bind_state(&q, kept);
	return model_run(&q);
}

enum loom_status loom_kept_list(struct loom_store *store, int64_t op, struct loom_arena *arena,
				struct loom_kept **out, size_t *out_count, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT id, kind, name, bytes, now FROM kept WHERE op = ? ORDER BY id",
			    err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, op);
	while (model_row(&q)) {
		struct loom_kept *kept;
		struct loom_str now;

		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		kept = &(*out)[(*out_count)++];
		*kept = (struct loom_kept){.id = model_int(&q, 0),
					   .kind = (enum loom_kept_kind)model_int(&q, 1),
					   .name = model_text(&q, 2, arena)};
		if (sqlite3_column_type(q.stmt, 3) != SQLITE_NULL)
			kept->bytes = model_text(&q, 3, arena);
		now = model_text(&q, 4, arena);
		kept->is_now = now.n == sizeof kept->now.bytes;
		if (kept->is_now)
			memcpy(kept->now.bytes, now.p, now.n);
	}
	return model_done(&q);
}

enum loom_status loom_kept_set(struct loom_store *store, const struct loom_kept *kept,
			       struct loom_err *err)
{
	struct query q = model_query(store, "UPDATE kept SET bytes = ?, now = ? WHERE id = ?", err);

	LOOM_ASSERT(store->writing && kept->id);
	bind_state(&q, kept);
	model_bind(&q, kept->id);
	return model_run(&q);
}
