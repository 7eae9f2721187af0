/* The stage for salvaged rows: for each table of a new grove one without constraints, in a file of
 * its own beside it, with each row's certainty. The new grove itself describes the tables. */
#include <sqlite3.h>

#include <loom/base/utf8.h>

#include "salvage_stage.h"

#define STEPS_BETWEEN 10000 /* between two checks for cancellation */

enum loom_status model_stage_fail(struct model_stage *stage, struct loom_err *err)
{
	const int code = sqlite3_extended_errcode(stage->db);

	if ((code & 0xFF) == SQLITE_FULL)
		return loom_fail(err, LOOM_FULL, "the disk is full; nothing was created");
	if ((code & 0xFF) == SQLITE_INTERRUPT)
		return loom_fail(err, LOOM_CANCELLED, "stopped; nothing was created");
	return loom_fail(err, LOOM_IO, "the new grove: %s", sqlite3_errmsg(stage->db));
}

enum loom_status model_stage_do(struct model_stage *stage, const char *sql, struct loom_err *err)
{
	LOOM_ASSERT(stage->db && sql);
	return sqlite3_exec(stage->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? LOOM_OK
		       : model_stage_fail(stage, err);
}

int64_t model_stage_count(struct model_stage *stage, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int64_t count = 0;

	LOOM_ASSERT(stage->db && sql);
	if (sqlite3_prepare_v2(stage->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		count = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return count;
}

/* ---- the tables of a new grove ---- */

static enum model_cell_type type_of(const char *declared)
{
	if (!declared)
		return MODEL_CELL_NULL;
	return strcmp(declared, "INTEGER") == 0 ? MODEL_CELL_INT
	       : strcmp(declared, "TEXT") == 0  ? MODEL_CELL_TEXT
	       : strcmp(declared, "BLOB") == 0  ? MODEL_CELL_BLOB
						: MODEL_CELL_NULL;
}

static const char *column_text(struct model_stage *stage, sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? loom_arena_cstr(stage->arena, loom_str_of(text)) : NULL;
}

static enum loom_status describe(struct model_stage *stage, struct model_table *table,
				 struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(stage->db,
				      "SELECT name, type, \"notnull\", dflt_value, pk FROM "
				      "pragma_table_info(?)",
				      -1, &stmt, NULL);
	size_t blobs = 0;

	LOOM_ASSERT(table->name);
	table->key = -1;
	if (code == SQLITE_OK)
		sqlite3_bind_text(stmt, 1, table->name, -1, SQLITE_STATIC);
	while (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW &&
	       table->count < MODEL_CELLS_MAX) {
		struct model_column *column = &table->columns[table->count];

		column->name = column_text(stage, stmt, 0);
		column->type = type_of(column_text(stage, stmt, 1));
		column->needed = sqlite3_column_int(stmt, 2);
		column->otherwise = column_text(stage, stmt, 3);
		if (table->numbered && sqlite3_column_int(stmt, 4) == 1 &&
		    column->type == MODEL_CELL_INT)
			table->key = (int)table->count;
		blobs += column->type == MODEL_CELL_BLOB;
		table->count++;
	}
	sqlite3_finalize(stmt);
	/* A few numbers in a row look like any index's. */
	table->by_shape = table->numbered || table->count >= 6 || blobs > 0;
	return code == SQLITE_OK ? LOOM_OK : model_stage_fail(stage, err);
}

static enum loom_status find_tables(struct model_stage *stage, struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(
		stage->db,
		"SELECT l.name, l.wr, s.rootpage FROM pragma_table_list l JOIN main.sqlite_schema "
		"s "
		"ON s.name = l.name AND s.type = 'table' WHERE l.schema = 'main' AND l.type = "
		"'table' AND l.name NOT LIKE 'sqlite_%' AND l.name <> 'epoch' ORDER BY s.rootpage",
		-1, &stmt, NULL);
	enum loom_status status = code == SQLITE_OK ? LOOM_OK : model_stage_fail(stage, err);
	size_t cap = 0;

	while (status == LOOM_OK && sqlite3_step(stmt) == SQLITE_ROW) {
		struct model_table *table = NULL;

		stage->tables = loom_arena_grow(stage->arena, stage->tables, stage->table_count,
						&cap, sizeof *stage->tables);
		table = &stage->tables[stage->table_count++];
		*table = (struct model_table){.name = column_text(stage, stmt, 0)};
		table->numbered = !sqlite3_column_int(stmt, 1);
		table->root = (uint32_t)sqlite3_column_int64(stmt, 2);
		status = describe(stage, table, err);
	}
	sqlite3_finalize(stmt);
	return status;
}

/* Appends its columns, separated by commas, each with `before` in front. */
void model_stage_columns(const struct model_table *table, const char *before, struct loom_buf *out)
{
	for (size_t i = 0; i < table->count; i++)
		loom_buf_addf(out, "%s%s\"%s\"", i ? ", " : "", before, table->columns[i].name);
}

static enum loom_status make_table(struct model_stage *stage, size_t index, struct loom_err *err)
{
	const struct model_table *table = &stage->tables[index];
	struct loom_buf sql = LOOM_BUF_INIT(1 << 16);
	enum loom_status status = LOOM_OK;
	int code = SQLITE_OK;

	LOOM_ASSERT(index < stage->table_count);
	loom_buf_addf(&sql, "CREATE TABLE stage.\"%s\"(", table->name);
	model_stage_columns(table, "", &sql);
	loom_buf_adds(&sql, ", sure)");
	status = model_stage_do(stage, loom_buf_cstr(&sql), err);
	loom_buf_clear(&sql);
	loom_buf_addf(&sql, "INSERT INTO stage.\"%s\" VALUES(", table->name);
	for (size_t i = 0; i < table->count; i++)
		loom_buf_adds(&sql, "?,");
	loom_buf_adds(&sql, "?)");
	if (status == LOOM_OK)
		code = sqlite3_prepare_v2(stage->db, loom_buf_cstr(&sql), -1,
					  &stage->inserts[index], NULL);
	loom_buf_fini(&sql);
	return code == SQLITE_OK ? status : model_stage_fail(stage, err);
}

static int stop_statement(void *task)
{
	return loom_task_cancelled(task);
}

enum loom_status model_stage_open(struct model_stage *stage, const char *grove,
				  struct loom_err *err)
{
	struct loom_buf attach = LOOM_BUF_INIT(1 << 16);
	int code =
		sqlite3_open_v2(grove, &stage->db,
				SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE,
				NULL);
	char *name = sqlite3_mprintf("ATTACH %Q AS stage", stage->file);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(stage->file);
	stage->arena = loom_arena_create();
	if (code == SQLITE_OK && stage->task)
		sqlite3_progress_handler(stage->db, STEPS_BETWEEN, stop_statement, stage->task);
	loom_buf_adds(&attach, name ? name : "");
	sqlite3_free(name);
	if (code != SQLITE_OK)
		status = model_stage_fail(stage, err);
	if (status == LOOM_OK)
		status = model_stage_do(stage, loom_buf_cstr(&attach), err);
	loom_buf_fini(&attach);
	if (status == LOOM_OK)
		status = model_stage_do(stage,
					"PRAGMA foreign_keys = OFF;"
					"PRAGMA stage.journal_mode = OFF;"
					"PRAGMA stage.synchronous = OFF;"
					"PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536",
					err);
	if (status == LOOM_OK)
		status = find_tables(stage, err);
	stage->inserts =
		loom_arena_array(stage->arena, stage->table_count + 1, sizeof *stage->inserts);
	if (status == LOOM_OK)
		status = model_stage_do(stage, "BEGIN", err);
	for (size_t i = 0; i < stage->table_count && status == LOOM_OK; i++)
		status = make_table(stage, i, err);
	if (status == LOOM_OK)
		status = model_stage_do(stage, "CREATE TABLE stage.short(page, a, b, c)", err);
	if (status == LOOM_OK &&
	    sqlite3_prepare_v2(stage->db, "INSERT INTO stage.short VALUES(?, ?, ?, ?)", -1,
			       &stage->loose, NULL) != SQLITE_OK)
		status = model_stage_fail(stage, err);
	return status;
}

void model_stage_close(struct model_stage *stage)
{
	for (size_t i = 0; i < stage->table_count && stage->inserts; i++)
		sqlite3_finalize(stage->inserts[i]);
	sqlite3_finalize(stage->loose);
	stage->loose = NULL;
	sqlite3_close(stage->db);
	loom_arena_destroy(stage->arena);
	stage->db = NULL;
	stage->arena = NULL;
	stage->table_count = 0;
}

/* ---- rows ---- */

void model_mend_text(struct loom_str text, struct loom_buf *out)
{
	for (size_t at = 0; at < text.n;) {
		size_t from = at;

		if (loom_utf8_next(text, &at) == LOOM_CP_BAD)
			loom_buf_add_cp(out, 0xFFFD);
		else
			loom_buf_add(out, loom_str_sub(text, from, at - from));
	}
}

static void bind_text(sqlite3_stmt *stmt, int at, struct loom_str text)
{
	struct loom_buf mended = LOOM_BUF_INIT(LOOM_BUF_MAX);

	model_mend_text(text, &mended);
	sqlite3_bind_text(stmt, at, loom_buf_cstr(&mended), (int)mended.n, SQLITE_TRANSIENT);
	loom_buf_fini(&mended);
}

static void bind(sqlite3_stmt *stmt, int at, const struct model_cell *cell)
{
	switch (cell->type) {
	case MODEL_CELL_NULL:
		sqlite3_bind_null(stmt, at);
		break;
	case MODEL_CELL_INT:
		sqlite3_bind_int64(stmt, at, cell->n);
		break;
	case MODEL_CELL_REAL:
		sqlite3_bind_double(stmt, at, cell->real);
		break;
	case MODEL_CELL_TEXT:
		bind_text(stmt, at, cell->s);
		break;
	case MODEL_CELL_BLOB:
		sqlite3_bind_blob(stmt, at, cell->s.n ? cell->s.p : "", (int)cell->s.n,
				  SQLITE_TRANSIENT);
		break;
	}
}

enum loom_status model_stage_row(void *ctx, size_t table, const struct model_cells *cells,
				 enum model_sure sure, struct loom_err *err)
{
	struct model_stage *stage = ctx;
	sqlite3_stmt *stmt = stage->inserts[table];
	const int count = (int)stage->tables[table].count;

	LOOM_ASSERT(table < stage->table_count && cells->count <= stage->tables[table].count);
	sqlite3_clear_bindings(stmt);
	for (int i = 0; i < (int)cells->count; i++)
		bind(stmt, i + 1, &cells->items[i]);
	if (stage->tables[table].key >= 0)
		sqlite3_bind_int64(stmt, stage->tables[table].key + 1, cells->rowid);
	sqlite3_bind_int(stmt, count + 1, (int)sure);
	sqlite3_step(stmt);
	return sqlite3_reset(stmt) == SQLITE_OK ? LOOM_OK : model_stage_fail(stage, err);
}

enum loom_status model_stage_loose(void *ctx, uint32_t page, const int64_t numbers[3],
				   struct loom_err *err)
{
	struct model_stage *stage = ctx;

	LOOM_ASSERT(stage->loose);
	sqlite3_bind_int64(stage->loose, 1, page);
	for (int i = 0; i < 3; i++)
		sqlite3_bind_int64(stage->loose, i + 2, numbers[i]);
	sqlite3_step(stage->loose);
	return sqlite3_reset(stage->loose) == SQLITE_OK ? LOOM_OK : model_stage_fail(stage, err);
}
