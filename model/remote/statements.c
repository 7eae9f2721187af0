/* Statements that the table of classes writes: prepared when first needed, kept with the log. */
#include "inside.h"

enum loom_status remote_prepare(struct loom_store *store, sqlite3_stmt **slot, struct loom_buf *sql,
				struct loom_err *err)
{
	int code = SQLITE_OK;

	LOOM_ASSERT(!sql->bad);
	if (!*slot)
		code = sqlite3_prepare_v3(store->db, loom_buf_cstr(sql), -1,
					  SQLITE_PREPARE_PERSISTENT, slot, NULL);
	loom_buf_fini(sql);
	return code == SQLITE_OK ? LOOM_OK : model_sqlite_fail(store, code, err);
}

void remote_say_key(const struct model_shape *shape, struct loom_buf *sql)
{
	for (size_t i = 0; i < shape->class->keys; i++)
		loom_buf_addf(sql, "%s%.*s = ?%zu", i ? " AND " : "",
			      LOOM_STR_ARG(shape->column[i]), i + 1);
}

struct query remote_query(struct loom_store *store, sqlite3_stmt *stmt, struct loom_err *err)
{
	return (struct query){.store = store, .stmt = stmt, .err = err, .status = LOOM_OK};
}

void remote_bind_cell(struct query *q, const struct model_cell *cell)
{
	switch (cell->type) {
	case MODEL_CELL_NULL:
		model_bind_null(q);
		break;
	case MODEL_CELL_INT:
		model_bind(q, cell->n);
		break;
	case MODEL_CELL_TEXT:
		model_bind_text(q, cell->s);
		break;
	case MODEL_CELL_BLOB:
		model_bind_blob(q, cell->s.p, cell->s.n);
		break;
	}
}

void remote_read_cell(const struct query *q, int column, struct loom_arena *arena,
		      struct model_cell *out)
{
	*out = (struct model_cell){.type = MODEL_CELL_NULL};
	switch (sqlite3_column_type(q->stmt, column)) {
	case SQLITE_INTEGER:
		*out = (struct model_cell){.type = MODEL_CELL_INT, .n = model_int(q, column)};
		break;
	case SQLITE_TEXT:
		*out = (struct model_cell){.type = MODEL_CELL_TEXT,
					   .s = model_text(q, column, arena)};
		break;
	case SQLITE_BLOB:
		*out = (struct model_cell){.type = MODEL_CELL_BLOB,
					   .s = model_text(q, column, arena)};
		break;
	default:
		break;
	}
}

void remote_statements_fini(struct model_remote *remote)
{
	for (size_t i = 0; i < model_class_count; i++) {
		struct remote_statements *all = &remote->statements[i];

		sqlite3_finalize(all->add);
		sqlite3_finalize(all->gone);
		sqlite3_finalize(all->guard);
		sqlite3_finalize(all->mine);
		sqlite3_finalize(all->left);
		sqlite3_finalize(all->last);
	}
	for (size_t i = 0; i < REMOTE_SETTERS; i++)
		sqlite3_finalize(remote->setters[i].stmt);
}
