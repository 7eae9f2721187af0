/* The new grove under construction, and the stage where salvaged rows wait for it. */
#ifndef MODEL_SALVAGE_STAGE_IMPL_H
#define MODEL_SALVAGE_STAGE_IMPL_H

#include "inside.h"

struct sqlite3;
struct sqlite3_stmt;

/* `main` is the new grove, `stage` the waiting rows: tables of the same names and columns, plus
 * `sure`. */
struct model_stage {
	const char *file;       /* the stage's */
	struct loom_task *task; /* nullable */
	struct sqlite3 *db;
	struct loom_arena *arena;
	struct model_table *tables;
	size_t table_count;
	struct sqlite3_stmt **inserts;
	struct sqlite3_stmt *loose;
};
/* Opens the new grove's file, everything in one transaction. Always close it. */
enum loom_status model_stage_open(struct model_stage *stage, const char *grove,
				  struct loom_err *err) LOOM_MUST;
void model_stage_close(struct model_stage *stage);
/* Stores a row; the `row` callback of struct model_scan, with the stage as ctx. */
enum loom_status model_stage_row(void *ctx, size_t table, const struct model_cells *cells,
				 enum model_sure sure, struct loom_err *err);
/* Stores loose numbers; the `loose` callback of struct model_scan, with the stage as ctx. */
enum loom_status model_stage_loose(void *ctx, uint32_t page, const int64_t numbers[3],
				   struct loom_err *err);
/* Fills *err with SQLite's error on the new grove and returns its status. */
enum loom_status model_stage_fail(struct model_stage *stage, struct loom_err *err);
/* Appends the text with U+FFFD for every byte that is not part of a character. */
void model_mend_text(struct loom_str text, struct loom_buf *out);
/* Runs one or more SQL statements on the stage. */
enum loom_status model_stage_do(struct model_stage *stage, const char *sql, struct loom_err *err);
/* Returns the first column of the first row, 0 without one. */
int64_t model_stage_count(struct model_stage *stage, const char *sql);
/* Appends a table's columns, separated by commas, each with `before` in front. */
void model_stage_columns(const struct model_table *table, const char *before, struct loom_buf *out);

/* Moves the waiting rows into the new grove and mends what depends on lost ones
 * (salvage_mend.c). */
enum loom_status model_salvage_mend(struct model_stage *stage, struct loom_salvage_report *report,
				    struct loom_err *err) LOOM_MUST;

#endif
