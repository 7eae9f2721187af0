/* Visits every page of a damaged file once: first those reached from the table of contents, then
 * stray ones, whose rows are recognised by shape.
 *
 * Overflow pages and pages declared free are never read as pages of rows, so that text a user wrote
 * cannot pose as rows. */
#include "inside.h"

/* ASTRAY: reached as part of a tree it does not belong to. */
enum { UNKNOWN, SEEN, REST, FREE, ASTRAY };

struct walker {
	struct model_scan *scan;
	uint8_t *state; /* of each page */
	uint8_t *page;
	struct loom_buf payload;
	struct model_cells cells;
	uint32_t *stack;
	size_t depth;
	size_t cap;
	struct loom_err *err;
};

/* ---- shapes ---- */

static bool is_sized(const struct model_column *column, const struct model_cell *cell)
{
	if (cell->type != MODEL_CELL_BLOB)
		return true;
	if (strcmp(column->name, "ulid") == 0 || strcmp(column->name, "uid") == 0)
		return cell->s.n == 16;
	return strcmp(column->name, "hash") != 0 || cell->s.n == 32;
}

/* A row of an older version may lack the last columns. */
static bool fits(const struct model_table *table, const struct model_cells *cells, bool sure)
{
	LOOM_ASSERT(cells->count <= MODEL_CELLS_MAX);
	if (cells->count > table->count || !cells->count || (!sure && cells->count != table->count))
		return false;
	for (size_t i = 0; i < cells->count; i++) {
		const struct model_column *column = &table->columns[i];
		const struct model_cell *cell = &cells->items[i];

		if ((int)i == table->key) {
			if (cell->type != MODEL_CELL_NULL)
				return false;
		} else if (cell->type == MODEL_CELL_NULL ? column->needed
							 : column->type != MODEL_CELL_NULL &&
								   column->type != cell->type) {
			return false;
		} else if (!is_sized(column, cell)) {
			return false;
		}
	}
	return true;
}

/* ---- reachable pages ---- */

static void push(struct walker *walker, uint32_t number)
{
	if (!number || number > walker->scan->pages.count || walker->state[number] == SEEN ||
	    walker->state[number] == ASTRAY)
		return;
	if (walker->depth == walker->cap)
		walker->stack = loom_realloc(walker->stack,
					     walker->cap = walker->cap ? walker->cap * 2 : 256,
					     sizeof *walker->stack);
	walker->state[number] = SEEN;
	LOOM_ASSERT(walker->depth < walker->cap);
	walker->stack[walker->depth++] = number;
}

static void on_rest(void *ctx, uint32_t number)
{
	struct walker *walker = ctx;

	LOOM_ASSERT(number > 0 && number <= walker->scan->pages.count);
	if (walker->state[number] == UNKNOWN)
		walker->state[number] = REST;
}

static struct model_leaf leaf_of(struct walker *walker, uint32_t number)
{
	LOOM_ASSERT(number > 0);
	return (struct model_leaf){&walker->scan->pages, walker->page, number,
				   &walker->payload,     on_rest,      walker};
}

/* Rates the numbers on the current page: a damaged one is usually out of order, or has an
 * unexplained gap. */
static enum model_sure judge_numbers(struct walker *walker, uint32_t number)
{
	struct model_leaf leaf = leaf_of(walker, number);
	const int rows = model_page_rows(&walker->scan->pages, walker->page, number);
	enum model_sure sure = MODEL_SUREST;
	int64_t last = 0;

	if (model_page_type(walker->page, number) != 13)
		return MODEL_SURE;
	for (int i = 0; i < rows; i++) {
		int64_t id = 0;

		if (!model_row_number(&leaf, i, &id) || (i && id <= last))
			return MODEL_STRAY;
		if (i && id != last + 1)
			sure = MODEL_SURE;
		last = id;
	}
	return sure;
}

/* Takes the rows of the current page. `table` NULL: they belong to an index, and only mark their
 * overflow pages. */
static enum loom_status take_rows(struct walker *walker, uint32_t number,
				  const struct model_table *table, bool sure)
{
	struct model_scan *scan = walker->scan;
	struct model_leaf leaf = leaf_of(walker, number);
	const int rows = model_page_rows(&scan->pages, walker->page, number);
	const enum model_sure numbers = judge_numbers(walker, number);
	const enum model_sure stray = numbers > MODEL_STRAY ? MODEL_STRAY : MODEL_LEAST;
	enum loom_status status = LOOM_OK;

	for (int i = 0; i < rows && status == LOOM_OK; i++) {
		const bool read = model_row_read(&leaf, i, &walker->cells);

		if (!table)
			continue;
		if (read && fits(table, &walker->cells, sure))
			status = scan->row(scan->ctx, (size_t)(table - scan->tables),
					   &walker->cells, sure ? numbers : stray, walker->err);
		else
			scan->report->bad_rows++;
	}
	return status;
}

/* Returns whether the current page belongs to this tree: it does not if it is of the other kind,
 * or none of its rows fits the table. Then the reference to it is wrong, and its shape may tell
 * more. */
static bool belongs(struct walker *walker, uint32_t number, const struct model_table *table,
		    bool numbered)
{
	struct model_leaf leaf = leaf_of(walker, number);
	const int type = model_page_type(walker->page, number);
	const int rows = model_page_rows(&walker->scan->pages, walker->page, number);

	if (numbered != (type == 5 || type == 13))
		return false;
	if (type == 5 || !table || !rows)
		return true;
	for (int i = 0; i < rows; i++)
		if (model_row_read(&leaf, i, &walker->cells) && fits(table, &walker->cells, true))
			return true;
	return false;
}

static enum loom_status heed(struct walker *walker)
{
	return loom_task_cancelled(walker->scan->task)
		       ? loom_fail(walker->err, LOOM_CANCELLED, "stopped; nothing was created")
		       : LOOM_OK;
}

/* Walks a tree of pages from its root. */
static enum loom_status walk(struct walker *walker, uint32_t root, const struct model_table *table,
			     bool numbered)
{
	struct model_scan *scan = walker->scan;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(walker->depth == 0);
	push(walker, root);
	while (walker->depth && status == LOOM_OK) {
		const uint32_t number = walker->stack[--walker->depth];
		const bool read = model_page_read(&scan->pages, number, walker->page);
		const int type = read ? model_page_type(walker->page, number) : 0;
		const int rows = read ? model_page_rows(&scan->pages, walker->page, number) : -1;

		if (rows < 0) {
			scan->report->bad_pages++;
			continue;
		}
		if (!belongs(walker, number, table, numbered)) {
			walker->state[number] = ASTRAY;
			continue;
		}
		for (int i = 0; i <= rows && (type == 2 || type == 5); i++)
			push(walker, model_page_child(&scan->pages, walker->page, number, i));
		if (type != 5)
			status = take_rows(walker, number, table, true);
		if (status == LOOM_OK)
			status = heed(walker);
	}
	walker->depth = 0;
	return status;
}

/* ---- the table of contents ---- */

static struct model_table *find_table(struct model_scan *scan, struct loom_str name)
{
	for (size_t i = 0; i < scan->table_count; i++)
		if (loom_str_is(name, scan->tables[i].name))
			return &scan->tables[i];
	return NULL;
}

struct entry {
	struct model_table *table; /* NULL: an index or something else */
	uint32_t root;
	bool numbered;
};
struct contents {
	struct entry *items;
	size_t count;
	size_t cap;
};

/* A table's name appears twice; anything else is an index. An unknown name is left to its rows to
 * identify, and so is *listed false. */
static struct entry entry_of(struct model_scan *scan, const struct model_cell *cells, bool *listed)
{
	struct entry entry = {.table = NULL};

	*listed = true;
	if (loom_str_is(cells[0].s, "index"))
		return entry;
	entry.table = find_table(scan, cells[1].s);
	if (!entry.table && cells[2].type == MODEL_CELL_TEXT)
		entry.table = find_table(scan, cells[2].s);
	entry.numbered = entry.table ? entry.table->numbered : true;
	*listed = entry.table || loom_str_starts(cells[1].s, LOOM_STR("sqlite_"));
	return entry;
}

/* False if it is not a row of the contents. */
static bool read_entry(struct walker *walker, struct contents *contents)
{
	const struct model_cell *cells = walker->cells.items;
	struct entry entry;
	bool listed = false;

	if (walker->cells.count != 5 || cells[0].type != MODEL_CELL_TEXT ||
	    cells[1].type != MODEL_CELL_TEXT || cells[3].type != MODEL_CELL_INT)
		return false;
	if (cells[3].n < 2 || cells[3].n > (int64_t)walker->scan->pages.count)
		return true;
	entry = entry_of(walker->scan, cells, &listed);
	entry.root = (uint32_t)cells[3].n;
	if (!listed)
		return true;
	if (contents->count == contents->cap)
		contents->items =
			loom_realloc(contents->items,
				     contents->cap = contents->cap ? contents->cap * 2 : 64,
				     sizeof *contents->items);
	LOOM_ASSERT(contents->count < contents->cap);
	contents->items[contents->count++] = entry;
	return true;
}

/* The table of contents is itself a tree, with page 1 as its root. */
static void read_contents(struct walker *walker, struct contents *contents)
{
	struct model_scan *scan = walker->scan;

	LOOM_ASSERT(walker->depth == 0 && contents->count == 0);
	push(walker, 1);
	while (walker->depth) {
		const uint32_t number = walker->stack[--walker->depth];
		struct model_leaf leaf = leaf_of(walker, number);
		const bool read = model_page_read(&scan->pages, number, walker->page);
		const int type = read ? model_page_type(walker->page, number) : 0;
		const int rows = read ? model_page_rows(&scan->pages, walker->page, number) : -1;
		bool any = number == 1;

		if (rows < 0 || (type != 5 && type != 13)) {
			scan->report->bad_pages++;
			continue;
		}
		for (int i = 0; i <= rows && type == 5; i++)
			push(walker, model_page_child(&scan->pages, walker->page, number, i));
		for (int i = 0; i < rows && type == 13; i++)
			if (model_row_read(&leaf, i, &walker->cells))
				any |= read_entry(walker, contents);
		/* The reference was wrong: the page belongs to another tree. */
		if (type == 13 && !any)
			walker->state[number] = ASTRAY;
	}
}

static enum loom_status walk_all(struct walker *walker)
{
	struct model_scan *scan = walker->scan;
	struct contents contents = {.items = NULL};
	enum loom_status status = LOOM_OK;

	read_contents(walker, &contents);
	for (size_t i = 0; i < contents.count && status == LOOM_OK; i++) {
		const struct entry *entry = &contents.items[i];

		status = walk(walker, entry->root, entry->table, entry->numbered);
		if (entry->table)
			entry->table->root = 0;
	}
	free(contents.items);
	/* A table the contents no longer list is looked for where a new grove has it. */
	for (size_t i = 0; i < scan->table_count && status == LOOM_OK; i++) {
		struct model_table *table = &scan->tables[i];

		/* Push knows which pages are taken; a claim that this one is overflow may come from
		 * a damaged row. */
		if (table->root && table->root <= scan->pages.count)
			status = walk(walker, table->root, table, table->numbered);
	}
	return status;
}

/* ---- stray pages ---- */

static bool mark_one_free(struct walker *walker, uint32_t number, uint32_t *count)
{
	if (!number || number > walker->scan->pages.count || walker->state[number] != UNKNOWN)
		return false;
	walker->state[number] = FREE;
	++*count;
	return true;
}

/* Marks a free-list page and the pages it names; *next is the next one, 0 at the end. */
static bool mark_trunk(struct walker *walker, uint32_t trunk, uint32_t *next, uint32_t *count)
{
	const struct model_pages *pages = &walker->scan->pages;
	bool good = mark_one_free(walker, trunk, count) &&
		    model_page_read(pages, trunk, walker->page) &&
		    model_be32(walker->page + 4) <= pages->usable / 4 - 2;
	const uint32_t named = good ? model_be32(walker->page + 4) : 0;

	LOOM_ASSERT(next && count);
	for (uint32_t i = 0; i < named && good; i++)
		good = mark_one_free(walker, model_be32(walker->page + 8 + 4 * (size_t)i), count);
	*next = good ? model_be32(walker->page) : 0;
	return good;
}

/* A free list with any error is ignored: the pages it names may be in use. */
static void mark_free(struct walker *walker)
{
	const struct model_pages *pages = &walker->scan->pages;
	uint32_t next = pages->free_list;
	uint32_t count = 0;
	bool good = true;

	while (next && good)
		good = mark_trunk(walker, next, &next, &count);
	for (uint32_t i = 1; i <= pages->count && (!good || count != pages->free_count); i++)
		if (walker->state[i] == FREE)
			walker->state[i] = UNKNOWN;
}

/* Finds the one table that the page's rows fit; NULL if none or several do. */
static struct model_table *guess(struct walker *walker, uint32_t number)
{
	struct model_scan *scan = walker->scan;
	struct model_leaf leaf = leaf_of(walker, number);
	const int rows = model_page_rows(&scan->pages, walker->page, number);
	const bool numbered = model_page_type(walker->page, number) == 13;
	struct model_table *found = NULL;

	for (int i = 0; i < rows; i++) {
		if (!model_row_read(&leaf, i, &walker->cells))
			continue;
		for (size_t t = 0; t < scan->table_count; t++) {
			struct model_table *table = &scan->tables[t];

			if (table->numbered != numbered || !table->by_shape ||
			    !fits(table, &walker->cells, false))
				continue;
			if (found && found != table)
				return NULL;
			found = table;
		}
	}
	return found;
}

/* Returns whether every row of the current page is three numbers. */
static bool is_short(struct walker *walker, uint32_t number)
{
	struct model_leaf leaf = leaf_of(walker, number);
	const int rows = model_page_rows(&walker->scan->pages, walker->page, number);
	const struct model_cells *cells = &walker->cells;

	for (int i = 0; i < rows; i++)
		if (!model_row_read(&leaf, i, &walker->cells) || cells->count != 3 ||
		    cells->items[0].type != MODEL_CELL_INT ||
		    cells->items[1].type != MODEL_CELL_INT ||
		    cells->items[2].type != MODEL_CELL_INT)
			return false;
	return rows > 0;
}

/* Takes rows that shape cannot identify: what they refer to decides, once that is known. */
static enum loom_status take_loose(struct walker *walker, uint32_t number)
{
	struct model_scan *scan = walker->scan;
	struct model_leaf leaf = leaf_of(walker, number);
	const int rows = model_page_rows(&scan->pages, walker->page, number);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(scan->loose);
	for (int i = 0; i < rows && status == LOOM_OK; i++) {
		const struct model_cell *cells = walker->cells.items;

		if (model_row_read(&leaf, i, &walker->cells))
			status = scan->loose(scan->ctx, number,
					     (int64_t[]){cells[0].n, cells[1].n, cells[2].n},
					     walker->err);
	}
	return status;
}

static bool is_empty(const uint8_t *page, size_t size)
{
	size_t i = 0;

	while (i < size && !page[i])
		i++;
	return i == size;
}

/* An overflow page begins with the number of the next one, and no file is large enough for that to
 * look like a page type: the reference to it is wrong. */
static bool is_no_rest(const struct walker *walker, int type)
{
	return (type == 13 || type == 10) && walker->scan->pages.count < 0x0A000000;
}

static enum loom_status take_strays(struct walker *walker)
{
	struct model_scan *scan = walker->scan;
	enum loom_status status = LOOM_OK;

	for (uint32_t number = 1; number <= scan->pages.count && status == LOOM_OK; number++) {
		struct model_table *table = NULL;
		int type = 0;

		loom_task_report(scan->task, number, scan->pages.count);
		status = heed(walker);
		if (status != LOOM_OK || walker->state[number] == SEEN ||
		    walker->state[number] == FREE ||
		    !model_page_read(&scan->pages, number, walker->page))
			continue;
		type = model_page_type(walker->page, number);
		if (walker->state[number] == REST && !is_no_rest(walker, type))
			continue;
		if (type == 13 || type == 10 || type == 2)
			table = guess(walker, number);
		if (table) {
			scan->report->stray_pages++;
			status = take_rows(walker, number, table, false);
		} else if ((type == 10 || type == 2) && is_short(walker, number)) {
			status = take_loose(walker, number);
		} else if (walker->state[number] == ASTRAY ||
			   (type != 5 && type != 10 && type != 2 && type != 13 &&
			    !is_empty(walker->page, scan->pages.size))) {
			scan->report->bad_pages++;
		}
	}
	return status;
}

enum loom_status model_scan_run(struct model_scan *scan, struct loom_err *err)
{
	struct walker walker = {.scan = scan, .err = err};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(scan->row && scan->loose && scan->report);
	walker.state = loom_alloc((size_t)scan->pages.count + 1);
	walker.page = loom_alloc(scan->pages.size);
	loom_buf_init(&walker.payload, LOOM_BUF_MAX);
	scan->report->pages = scan->pages.count;
	status = walk_all(&walker);
	mark_free(&walker);
	if (status == LOOM_OK)
		status = take_strays(&walker);
	loom_buf_fini(&walker.payload);
	free(walker.stack);
	free(walker.page);
	free(walker.state);
	return status;
}
