/* Shared by the parts of salvage: pages, the rows on them, and their tables. */
#ifndef MODEL_SALVAGE_IMPL_H
#define MODEL_SALVAGE_IMPL_H

#include <loom/base/arena.h>
#include <loom/salvage/salvage.h>

#include <loom/grove/log_frames.h>

/* A database begins so; the NUL counts. */
#define MODEL_SQLITE_MAGIC "SQLite format 3"

/* ---- pages (salvage_pages.c) ---- */

/* The pages of a damaged file and its log; page 1 is the first. */
struct model_pages {
	int fd;
	int log_fd;
	size_t size;
	size_t usable; /* all of it: SQLite reserves nothing by default */
	uint32_t count;
	uint64_t bytes;  /* size of both files: nothing in them is longer */
	int64_t *in_log; /* offset of a page in the log, 0: not in it */
	int64_t frames;
	int64_t bad_frames;
	uint32_t free_count; /* number of pages declared free */
	uint32_t free_list;  /* the first free-list page, 0: none */
};
enum loom_status model_pages_open(const char *path, struct model_pages *out,
				  struct loom_err *err) LOOM_MUST;
void model_pages_close(struct model_pages *pages);
/* Reads a page, filling what a truncated file lacks with zeros. False if there is nothing of it. */
bool model_page_read(const struct model_pages *pages, uint32_t number, uint8_t *out);

/* ---- rows (salvage_rows.c) ---- */

enum model_cell_type {
	MODEL_CELL_NULL,
	MODEL_CELL_INT,
	MODEL_CELL_REAL,
	MODEL_CELL_TEXT,
	MODEL_CELL_BLOB
};
struct model_cell {
	enum model_cell_type type;
	int64_t n;
	double real;
	struct loom_str s;
};
#define MODEL_CELLS_MAX 64
struct model_cells {
	int64_t rowid; /* in a table with row numbers, else 0 */
	size_t count;
	struct model_cell items[MODEL_CELLS_MAX];
};

struct model_leaf {
	const struct model_pages *pages;
	const uint8_t *page;
	uint32_t number;
	struct loom_buf *payload; /* of the current row */
	void (*overflow)(void *ctx, uint32_t number);
	void *ctx;
};
/* Returns how many rows a page claims to have; -1 if it is not a b-tree page. */
int model_page_rows(const struct model_pages *pages, const uint8_t *page, uint32_t number);
/* Returns the page type: 2 and 5 are interior, 10 and 13 leaves; 5 and 13 have row numbers. */
int model_page_type(const uint8_t *page, uint32_t number);
/* Returns the child page of an interior page's row; index == rows: the last child. 0: none. */
uint32_t model_page_child(const struct model_pages *pages, const uint8_t *page, uint32_t number,
			  int index);
/* Reads the number of a row on a page of type 13; false if it has none. */
bool model_row_number(const struct model_leaf *leaf, int index, int64_t *out);
/* Reads a row, whose texts are borrowed from the payload. False if it makes no sense. */
bool model_row_read(const struct model_leaf *leaf, int index, struct model_cells *out);

/* ---- tables (salvage_scan.c) ---- */

struct model_column {
	const char *name;
	enum model_cell_type type; /* MODEL_CELL_NULL: any */
	bool needed;
	const char *otherwise; /* an SQL expression, or NULL */
};
struct model_table {
	const char *name;
	uint32_t root; /* 0: unknown */
	bool numbered; /* has row numbers */
	bool by_shape; /* its stray rows can be told from all others */
	int key;       /* the column that is the row number, -1: none */
	struct model_column columns[MODEL_CELLS_MAX];
	size_t count;
};

/* How certain a row is; of two rows with the same number the more certain one counts. */
enum model_sure {
	MODEL_LEAST, /* nothing led to its page, and the page's numbers are out of order */
	MODEL_STRAY, /* only one of the two */
	MODEL_SURE,
	MODEL_SUREST, /* and its numbers are in order */
};

struct model_scan {
	struct model_pages pages;
	struct model_table *tables;
	size_t table_count;
	struct loom_salvage_report *report;
	struct loom_task *task;
	/* Receives a row that fits its table. */
	enum loom_status (*row)(void *ctx, size_t table, const struct model_cells *cells,
				enum model_sure sure, struct loom_err *err);
	/* Receives three numbers of a row on a page that nothing leads to, whose shape is
	 * ambiguous. */
	enum loom_status (*loose)(void *ctx, uint32_t page, const int64_t numbers[3],
				  struct loom_err *err);
	void *ctx;
};
/* Reads every page once. */
enum loom_status model_scan_run(struct model_scan *scan, struct loom_err *err) LOOM_MUST;

#endif
