/* Any bytes as a database, and what follows the mark in them as its log: every page of it is looked
 * at, every row that is made out can be read, and it comes to an end. */
#include <unistd.h>

#include "support/temp.h"
#include "tests/fuzz/fuzz.h"

#include "model/salvage/inside.h"

#define MARK "~~log~~"

struct rows {
	uint64_t sum; /* so that every byte is read */
	size_t count;
};

static void read_cells(struct rows *rows, const struct model_cells *cells)
{
	must(cells->count <= MODEL_CELLS_MAX);
	for (size_t i = 0; i < cells->count; i++) {
		const struct model_cell *cell = &cells->items[i];

		rows->sum += (uint64_t)cell->n;
		for (size_t k = 0; k < cell->s.n; k++)
			rows->sum += (unsigned char)cell->s.p[k];
	}
	rows->count++;
}

static enum loom_status take(void *ctx, size_t table, const struct model_cells *cells,
			     enum model_sure sure, struct loom_err *err)
{
	(void)err;
	must(table < 2 && sure <= MODEL_SUREST);
	read_cells(ctx, cells);
	return LOOM_OK;
}

static enum loom_status take_loose(void *ctx, uint32_t page, const int64_t numbers[3],
				   struct loom_err *err)
{
	struct rows *rows = ctx;

	(void)err;
	must(page > 0);
	rows->sum += (uint64_t)numbers[0];
	rows->count++;
	return LOOM_OK;
}

static void follow(void *ctx, uint32_t number)
{
	struct rows *rows = ctx;

	rows->sum += number;
}

static void look_at_rows(const struct model_pages *pages, const uint8_t *page, uint32_t number,
			 struct rows *rows)
{
	struct loom_buf payload = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct model_leaf leaf = {.pages = pages,
				  .page = page,
				  .number = number,
				  .payload = &payload,
				  .overflow = follow,
				  .ctx = rows};
	const int count = model_page_rows(pages, page, number);
	struct model_cells cells;
	int64_t row = 0;

	for (int i = 0; i < count; i++) {
		if (model_row_read(&leaf, i, &cells))
			read_cells(rows, &cells);
		(void)model_row_number(&leaf, i, &row);
		rows->sum += model_page_child(pages, page, number, i);
	}
	loom_buf_fini(&payload);
}

static void look(struct model_pages *pages)
{
	struct model_table tables[2] = {
		{.name = "texts",
		 .root = 2,
		 .numbered = true,
		 .by_shape = true,
		 .key = 0,
		 .columns = {{"id", MODEL_CELL_INT, true, NULL},
			     {"text", MODEL_CELL_TEXT, true, NULL},
			     {"made", MODEL_CELL_NULL, false, NULL}},
		 .count = 3},
		{.name = "pairs",
		 .key = -1,
		 .columns = {{"a", MODEL_CELL_INT, true, NULL},
			     {"b", MODEL_CELL_BLOB, true, "x''"}},
		 .count = 2},
	};
	struct loom_salvage_report report = {.pages = 0};
	struct rows rows = {.count = 0};
	struct model_scan scan = {.pages = *pages,
				  .tables = tables,
				  .table_count = LOOM_COUNT(tables),
				  .report = &report,
				  .row = take,
				  .loose = take_loose,
				  .ctx = &rows};
	uint8_t *page = loom_alloc(pages->size);

	for (uint32_t number = 1; number <= pages->count; number++)
		if (model_page_read(pages, number, page))
			look_at_rows(pages, page, number, &rows);
	must(model_scan_run(&scan, NULL) == LOOM_OK);
	must(report.pages == pages->count && report.bad_pages <= report.pages);
	free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str whole = fuzz_text(data, size, 0);
	size_t cut = loom_str_find(whole, LOOM_STR(MARK), 0);
	struct loom_err err = {.status = LOOM_OK};
	struct model_pages pages;
	struct temp temp;
	char *path = NULL;

	temp_init(&temp);
	path = temp_path(&temp, "grove.db");
	temp_write(&temp, "grove.db", loom_str_sub(whole, 0, cut));
	if (cut != SIZE_MAX)
		temp_write(&temp, "grove.db-wal",
			   loom_str_sub(whole, cut + sizeof MARK - 1, whole.n));
	if (model_pages_open(path, &pages, &err) == LOOM_OK) {
		look(&pages);
		model_pages_close(&pages);
	} else {
		must(err.text[0] != '\0');
	}
	free(path);
	temp_fini(&temp);
	return 0;
}
