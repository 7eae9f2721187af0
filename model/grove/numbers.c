/* Numbers as a table: `FROM numbers(?) f CROSS JOIN node n ON n.id = f.id` reads a node for each.
 *
 * SQLite asks for the next number after returning the previous row. A climb can therefore compute
 * its next step from the row just read, and a list need not become text: one statement does what
 * would otherwise take a recursion or a statement per row. Invariants: only the position is stored;
 * the caller owns the numbers until the statement ends. */
#include <loom/grove/sql.h>

#define POINTER "loom-numbers"

enum { COLUMN_ID, COLUMN_AT, COLUMN_OF };

struct place {
	sqlite3_vtab_cursor base;
	const struct model_numbers *numbers; /* NULL: nothing bound */
	int64_t id;                          /* 0: past the end */
	int64_t at;
};

static int connect_table(sqlite3 *db, void *unused, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **out_text)
{
	int code = sqlite3_declare_vtab(db, "CREATE TABLE numbers(id INTEGER, at INTEGER, "
					    "of HIDDEN)");

	(void)unused;
	(void)argc;
	(void)argv;
	(void)out_text;
	if (code == SQLITE_OK)
		code = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	if (code != SQLITE_OK)
		return code;
	*out = sqlite3_malloc(sizeof **out);
	if (!*out)
		return SQLITE_NOMEM;
	**out = (sqlite3_vtab){.nRef = 0};
	return SQLITE_OK;
}

static int drop_table(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

/* There is only one plan: all the numbers, in order. */
static int plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != COLUMN_OF || !info->aConstraint[i].usable ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		info->estimatedCost = 1;
		return SQLITE_OK;
	}
	return SQLITE_CONSTRAINT;
}

static int open_place(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	struct place *place = sqlite3_malloc(sizeof *place);

	(void)table;
	if (!place)
		return SQLITE_NOMEM;
	*place = (struct place){.id = 0};
	*out = &place->base;
	return SQLITE_OK;
}

static int close_place(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int step(sqlite3_vtab_cursor *cursor)
{
	struct place *place = (struct place *)cursor;

	LOOM_ASSERT(place->at >= -1);
	place->id = place->numbers ? place->numbers->next(place->numbers->ctx) : 0;
	place->at++;
	return SQLITE_OK;
}

static int begin(sqlite3_vtab_cursor *cursor, int plan_number, const char *plan_text, int argc,
		 sqlite3_value **argv)
{
	struct place *place = (struct place *)cursor;

	LOOM_ASSERT(argc <= 1);
	(void)plan_number;
	(void)plan_text;
	place->numbers = argc > 0 ? sqlite3_value_pointer(argv[0], POINTER) : NULL;
	place->at = -1;
	return step(cursor);
}

static int is_over(sqlite3_vtab_cursor *cursor)
{
	return ((const struct place *)cursor)->id == 0;
}

static int give_column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
	const struct place *place = (const struct place *)cursor;

	LOOM_ASSERT(column >= COLUMN_ID && column <= COLUMN_OF);
	if (column != COLUMN_OF)
		sqlite3_result_int64(out, column == COLUMN_ID ? place->id : place->at);
	return SQLITE_OK;
}

static int give_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((const struct place *)cursor)->at;
	return SQLITE_OK;
}

/* Without xCreate this is one fixed table in every connection, and in no file. */
static const sqlite3_module module = {
	.xConnect = connect_table,
	.xBestIndex = plan,
	.xDisconnect = drop_table,
	.xOpen = open_place,
	.xClose = close_place,
	.xFilter = begin,
	.xNext = step,
	.xEof = is_over,
	.xColumn = give_column,
	.xRowid = give_rowid,
};

enum loom_status model_numbers_register(struct loom_store *store, struct loom_err *err)
{
	int code = sqlite3_create_module_v2(store->db, "numbers", &module, NULL, NULL);

	return code == SQLITE_OK ? LOOM_OK : model_sqlite_fail(store, code, err);
}

void model_bind_numbers(struct query *q, struct model_numbers *numbers)
{
	int code = SQLITE_OK;

	LOOM_ASSERT(numbers && numbers->next);
	if (!q->stmt)
		return;
	code = sqlite3_bind_pointer(q->stmt, ++q->bound, numbers, POINTER, NULL);
	if (code != SQLITE_OK && q->status == LOOM_OK)
		q->status = model_sqlite_fail(q->store, code, q->err);
}
