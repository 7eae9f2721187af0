/* The new grove while it is made, and where salvaged rows wait for it. */
#ifndef MODEL_SALVAGE_STAGE_IMPL_H
#define MODEL_SALVAGE_STAGE_IMPL_H

#include "inside.h"

struct sqlite3;
struct sqlite3_stmt;

/* `main` is the new grove, `stage` what waits: tables of the same names and columns, and `sure`. */
struct model_stage {
	const char *file;       /* of the stage */
	struct loom_task *task; /* nullable */
	struct sqlite3 *db;
	struct loom_arena *arena;
	struct model_table *tables;
	size_t table_count;
	struct sqlite3_stmt **inserts;
	struct sqlite3_stmt *loose;
};
/* Opens the new grove's file, all in one transaction. Close it in any case. */
enum loom_status model_stage_open(struct model_stage *stage, const char *grove,
				  struct loom_err *err) LOOM_MUST;
void model_stage_close(struct model_stage *stage);
/* As model_scan's `row`; ctx is the stage. */
enum loom_status model_stage_row(void *ctx, size_t table, const struct model_cells *cells,
				 enum model_sure sure, struct loom_err *err);
/* As model_scan's `loose`. */
enum loom_status model_stage_loose(void *ctx, uint32_t page, const int64_t numbers[3],
				   struct loom_err *err);
/* What SQLite says of the new grove, as a status. */
enum loom_status model_stage_fail(struct model_stage *stage, struct loom_err *err);
/* With U+FFFD for every byte that is no character. */
void model_mend_text(struct loom_str text, struct loom_buf *out);
/* Runs statements; the second form takes names of our own only. */
enum loom_status model_stage_do(struct model_stage *stage, const char *sql, struct loom_err *err);
/* The first column of the first row, 0 without one. */
int64_t model_stage_count(struct model_stage *stage, const char *sql);
/* Its columns, a comma between, each behind `before`. */
void model_stage_columns(const struct model_table *table, const char *before, struct loom_buf *out);

/* Puts what waits into the new grove and mends what hangs on lost rows (salvage_mend.c). */
enum loom_status model_salvage_mend(struct model_stage *stage, struct loom_salvage_report *report,
				    struct loom_err *err) LOOM_MUST;

#endif
