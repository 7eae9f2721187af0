/* Whether two groves have the same rows in what is shared. */
#include "inside.h"

static bool same_value(sqlite3_stmt *one, sqlite3_stmt *other, int i)
{
	if (sqlite3_column_type(one, i) != sqlite3_column_type(other, i))
		return false;
	return loom_str_eq(loom_str_make(sqlite3_column_blob(one, i),
					 (size_t)sqlite3_column_bytes(one, i)),
			   loom_str_make(sqlite3_column_blob(other, i),
					 (size_t)sqlite3_column_bytes(other, i)));
}

static int read_rows(struct loom_store *store, const struct model_shape *shape, size_t columns,
		     sqlite3_stmt **out)
{
	struct loom_buf sql = LOOM_BUF_INIT(4096);
	int code;

	LOOM_ASSERT(columns >= shape->class->keys && !sql.bad);
	loom_buf_adds(&sql, "SELECT ");
	for (size_t i = 0; i < columns; i++)
		loom_buf_addf(&sql, "%s%.*s", i ? ", " : "", LOOM_STR_ARG(shape->column[i]));
	loom_buf_addf(&sql, " FROM %s ORDER BY ", shape->class->table);
	for (size_t i = 0; i < shape->class->keys; i++)
		loom_buf_addf(&sql, "%s%zu", i ? ", " : "", i + 1);
	code = sqlite3_prepare_v2(store->db, loom_buf_cstr(&sql), -1, out, NULL);
	loom_buf_fini(&sql);
	return code;
}

/* The first column that differs; `columns` if none does. */
static size_t find_column(sqlite3_stmt *one, sqlite3_stmt *other, size_t columns)
{
	size_t i = 0;

	while (i < columns && same_value(one, other, (int)i))
		i++;
	return i;
}

/* Says the first row that differs. */
static int compare_rows(const struct model_shape *shape, size_t columns, sqlite3_stmt *one,
			sqlite3_stmt *other, struct loom_buf *out)
{
	int a = SQLITE_ROW;

	while (a == SQLITE_ROW) {
		const int b = sqlite3_step(other);
		size_t at;

		a = sqlite3_step(one);
		if (a != b && (a == SQLITE_ROW || a == SQLITE_DONE) &&
		    (b == SQLITE_ROW || b == SQLITE_DONE)) {
			loom_buf_addf(out, "%s: a row %s", shape->class->table,
				      a == SQLITE_ROW ? "too many" : "is missing");
			return SQLITE_OK;
		}
		if (a != SQLITE_ROW || b != SQLITE_ROW)
			return a != SQLITE_DONE ? a : b == SQLITE_DONE ? SQLITE_OK : b;
		at = find_column(one, other, columns);
		if (at < columns) {
			loom_buf_addf(out, "%s %s: its %.*s differs", shape->class->table,
				      (const char *)sqlite3_column_text(one, 0),
				      LOOM_STR_ARG(shape->column[at]));
			return SQLITE_OK;
		}
	}
	return SQLITE_OK;
}

static int compare_table(struct loom_store *one, struct loom_store *other,
			 const struct model_shape *shape, bool mine, struct loom_buf *out)
{
	const size_t columns = mine ? shape->all : shape->shared;
	sqlite3_stmt *here = NULL;
	sqlite3_stmt *there = NULL;
	int code = read_rows(one, shape, columns, &here);

	if (code == SQLITE_OK)
		code = read_rows(other, shape, columns, &there);
	if (code == SQLITE_OK)
		code = compare_rows(shape, columns, here, there, out);
	sqlite3_finalize(here);
	sqlite3_finalize(there);
	return code;
}

enum loom_status model_rows_differ(struct loom_store *one, struct loom_store *other, bool mine,
				   void (*each)(void *ctx, struct loom_str what), void *ctx,
				   struct loom_err *err)
{
	struct loom_buf what = LOOM_BUF_INIT(1024);
	int code = SQLITE_OK;

	LOOM_ASSERT(each);
	for (size_t i = 0; code == SQLITE_OK && i < model_class_count; i++) {
		struct model_shape shape;

		if (!model_classes[i].shared || (!mine && (model_classes[i].may & MODEL_OWN)))
			continue;
		model_shape_of(&model_classes[i], &shape);
		loom_buf_clear(&what);
		code = compare_table(one, other, &shape, mine, &what);
		if (code == SQLITE_OK && what.n)
			each(ctx, loom_buf_str(&what));
	}
	loom_buf_fini(&what);
	return code == SQLITE_OK ? LOOM_OK : model_sqlite_fail(one, code, err);
}
