/* The store beside the engine it stands on: the same rows, written and read bare. */
#include "bench/bare.h"
#include "bench/bench.h"

#include <malloc.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/raw.h"

#include <loom/tree/open_store.h>

struct work {
	size_t size;
	struct grove grove;  /* ours */
	struct grove theirs; /* the peer's: the same schema, other hands */
	struct bare bare;
	int64_t tree;
	int64_t root;
	int64_t tip;
	int64_t bare_tip;
	struct loom_err err;
};

static void must(struct work *work, enum loom_status status, const char *what)
{
	grove_must(status, &work->err, what);
}

/* --- a sliced import --- */

/* A tree of `size` nodes in slices; when `ids` is not NULL, their numbers. */
static void import(struct work *work, size_t size, int64_t *ids)
{
	struct loom_op_spec op = {.kind = "import", .actor = work->grove.owner, .slices = true};
	struct loom_tree_spec tree = {.title = LOOM_STR_INIT("imported"),
				      .author = work->grove.owner};
	struct loom_tree row;
	char room[BARE_TEXT_MAX];

	must(work, loom_op_begin(work->grove.store, &op, &work->err), "begin");
	must(work, loom_tree_create(work->grove.store, &tree, &work->tree, &work->err), "tree");
	/* the root is the node before the first one */
	ids[0] = raw_int(&work->grove, "SELECT coalesce(max(id), 0) FROM node") + 1;
	for (size_t i = 1; i < size; i++) {
		struct loom_node_spec spec = {.tree = work->tree,
					      .from = ids[bare_parent(i)],
					      .author = work->grove.owner,
					      .seq = -1};

		spec.text = bare_text(room, i);
		must(work, loom_node_create(work->grove.store, &spec, &ids[i], &work->err), "node");
		if (i % BARE_SLICE == 0)
			must(work, loom_op_slice(work->grove.store, &work->err), "slice");
	}
	must(work, loom_op_finish(work->grove.store, NULL, &work->err), "finish");
	must(work,
	     loom_tree_get(work->grove.store, work->tree, work->grove.arena, &row, &work->err),
	     "tree");
	work->root = row.root;
	work->tip = ids[size - 1];
}

static void *open_import(size_t size)
{
	struct work *work = loom_alloc(sizeof *work);

	work->size = size;
	return work;
}

static void close_import(void *state)
{
	free(state);
}

static double import_ours(void *state)
{
	struct work *work = state;
	int64_t *ids = loom_alloc(work->size * sizeof *ids);
	int64_t start;
	double ms;

	grove_init(&work->grove);
	start = clock_ns();
	import(work, work->size, ids);
	ms = (double)(clock_ns() - start) / 1e6;
	grove_fini(&work->grove);
	free(ids);
	return ms;
}

/* The same rows into the same schema, in as many transactions. */
static double import_bare(void *state)
{
	struct work *work = state;

	return bare_import(work->size);
}

/* --- a path --- */

static void *open_path(size_t size)
{
	struct work *work = loom_alloc(sizeof *work);
	struct loom_op_spec op = {.kind = "import", .slices = true};
	struct loom_node_spec spec = {.seq = -1};
	char room[BARE_TEXT_MAX];

	work->size = size;
	grove_init(&work->grove);
	op.actor = spec.author = work->grove.owner;
	work->tree = grove_tree(&work->grove, LOOM_DIALOGUE, "root");
	work->root = work->tip = grove_root(&work->grove, work->tree);
	must(work, loom_op_begin(work->grove.store, &op, &work->err), "begin");
	for (size_t i = 1; i < size; i++) {
		spec.text = bare_text(room, i);
		spec.from = work->tip;
		must(work, loom_node_create(work->grove.store, &spec, &work->tip, &work->err),
		     "node");
	}
	must(work, loom_op_finish(work->grove.store, NULL, &work->err), "finish");
	bare_open(&work->bare, &work->grove);
	return work;
}

static void close_work(void *state)
{
	struct work *work = state;

	bare_close(&work->bare);
	grove_fini(&work->grove);
	free(work);
}

static double path_ours(void *state)
{
	struct work *work = state;
	struct loom_nodes path;
	double sum = 0;

	must(work,
	     loom_node_path(work->grove.store, work->tip, 0, LOOM_NODE_TEXT, work->grove.arena,
			    &path, &work->err),
	     "path");
	for (size_t i = 0; i < path.count; i++)
		sum += (double)path.items[i].text.n;
	if (path.count != work->size)
		exit(98);
	loom_arena_reset(work->grove.arena);
	return sum;
}

static double path_bare(void *state)
{
	struct work *work = state;
	sqlite3_stmt *stmt = bare_prepare(
		&work->bare,
		"WITH RECURSIVE p(id, up) AS (SELECT id, from_node FROM node WHERE id = ?1 "
		"UNION ALL SELECT n.id, n.from_node FROM p JOIN node n ON n.id = p.up) "
		"SELECT n.*, b.text, b.hash FROM p JOIN node n ON n.id = p.id JOIN body b ON "
		"b.id = p.id");
	double sum = 0;
	size_t rows = 0;

	sqlite3_bind_int64(stmt, 1, work->tip);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		sum += sqlite3_column_bytes(stmt, sqlite3_column_count(stmt) - 2);
		for (int i = 0; i < 19; i++)
			sum += (double)(sqlite3_column_int64(stmt, i) & 1);
		rows++;
	}
	sqlite3_finalize(stmt);
	if (rows != work->size)
		exit(98);
	return sum;
}

/* --- many children --- */

static void *open_children(size_t size)
{
	struct work *work = loom_alloc(sizeof *work);
	struct loom_op_spec op = {.kind = "import", .slices = true};
	struct loom_node_spec spec = {.seq = -1, .text = LOOM_STR_INIT("one of very many")};
	int64_t node = 0;

	work->size = size;
	grove_init(&work->grove);
	op.actor = spec.author = work->grove.owner;
	work->tree = grove_tree(&work->grove, LOOM_DIALOGUE, "root");
	work->root = grove_root(&work->grove, work->tree);
	must(work, loom_op_begin(work->grove.store, &op, &work->err), "begin");
	spec.from = work->root;
	for (size_t i = 0; i < size; i++)
		must(work, loom_node_create(work->grove.store, &spec, &node, &work->err), "node");
	must(work, loom_op_finish(work->grove.store, NULL, &work->err), "finish");
	work->tip = node;
	return work;
}

static double page_of(struct work *work, int64_t after)
{
	struct loom_page page = {.after = after,
				 .limit = 40,
				 .parts = LOOM_NODE_TEXT | LOOM_NODE_MARKS};
	struct loom_nodes nodes;

	must(work,
	     loom_node_children(work->grove.store, work->root, &page, work->grove.arena, &nodes,
				&work->err),
	     "children");
	if (nodes.count != 40)
		exit(98);
	loom_arena_reset(work->grove.arena);
	return (double)nodes.count;
}

static double first_page(void *state)
{
	int64_t start = clock_ns();

	(void)page_of(state, 0);
	return (double)(clock_ns() - start) / 1e6;
}

static double last_page(void *state)
{
	struct work *work = state;
	int64_t start = clock_ns();

	(void)page_of(work, (int64_t)work->size - 40);
	return (double)(clock_ns() - start) / 1e6;
}

/* Which of how many the last one is, when one in the middle is pruned. */
static double place_among(void *state)
{
	struct work *work = state;
	struct loom_node node = grove_get(&work->grove, work->tip);
	int64_t start;
	int64_t k = 0;
	int64_t n = 0;

	if (!grove_get(&work->grove, work->tip - 7).pruned)
		grove_prune(&work->grove, work->tip - 7);
	start = clock_ns();
	must(work, loom_node_place(work->grove.store, &node, &k, &n, &work->err), "place");
	if (k != n || n != (int64_t)work->size - 1)
		exit(98);
	loom_arena_reset(work->grove.arena);
	return (double)(clock_ns() - start) / 1e6;
}

/* --- opening --- */

static void *open_big(size_t size)
{
	struct work *work = open_import(size);
	int64_t *ids = loom_alloc(size * sizeof *ids);

	grove_init(&work->grove);
	import(work, size, ids);
	loom_store_close(work->grove.store);
	work->grove.store = NULL;
	free(ids);
	return work;
}

static void close_big(void *state)
{
	struct work *work = state;

	grove_fini(&work->grove);
	free(work);
}

static double resident_mib(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file && fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	if (file)
		(void)fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* What a screen asks first: the tree, where one stands, the first rows below it. */
static void open_and_look(struct work *work)
{
	struct loom_nodes nodes;
	struct loom_tree *trees = NULL;
	size_t count = 0;

	work->grove.store = grove_connect(&work->grove, LOOM_READ);
	must(work, loom_tree_list(work->grove.store, work->grove.arena, &trees, &count, &work->err),
	     "trees");
	must(work,
	     loom_node_path_end(work->grove.store,
				&(struct loom_path_end){.tip = work->tip,
							.limit = 40,
							.parts = LOOM_NODE_TEXT | LOOM_NODE_MARKS},
				work->grove.arena, &nodes, &work->err),
	     "path");
	if (nodes.count < 20)
		exit(98);
}

static void close_look(struct work *work)
{
	loom_store_close(work->grove.store);
	work->grove.store = NULL;
	loom_arena_reset(work->grove.arena);
}

static double open_ms(void *state)
{
	struct work *work = state;
	int64_t start = clock_ns();
	double ms;

	open_and_look(work);
	ms = (double)(clock_ns() - start) / 1e6;
	close_look(work);
	return ms;
}

static double open_mib(void *state)
{
	struct work *work = state;
	double before;
	double after;

	/* what an earlier run has freed must not hide what this one needs */
	(void)malloc_trim(0);
	before = resident_mib();
	open_and_look(work);
	after = resident_mib();
	close_look(work);
	return after > before ? after - before : 0;
}

/* --- durable appends --- */

static void *open_appends(size_t size)
{
	struct work *work = loom_alloc(sizeof *work);

	work->size = size;
	grove_init(&work->grove);
	grove_init(&work->theirs);
	work->tree = grove_tree(&work->grove, LOOM_DIALOGUE, "root");
	work->root = grove_root(&work->grove, work->tree);
	work->bare_tip =
		grove_root(&work->theirs, grove_tree(&work->theirs, LOOM_DIALOGUE, "root"));
	bare_open(&work->bare, &work->theirs);
	return work;
}

static void close_appends(void *state)
{
	struct work *work = state;

	bare_close(&work->bare);
	grove_fini(&work->grove);
	grove_fini(&work->theirs);
	free(work);
}

static double append_ours(void *state)
{
	struct work *work = state;

	for (size_t i = 0; i < work->size; i++)
		work->tip = grove_node(&work->grove, work->root, "a single durable answer");
	return (double)work->tip;
}

/* What an operation writes beside its node: the journal's rows and the tree's counts. ?1 is the
 * number of the node, that of the operation is one more (the grove and the tree were two). */
static const char insert_op[] =
	"INSERT INTO op(id, uid, state, kind, text, inverse, actor, tree, at, applied) "
	"VALUES(?1 + 1, randomblob(16), 1, 'test', '', '', 1, 1, 1771840800000, ?1 + 1)";
static const char *const journal[] = {
	insert_op,
	"INSERT INTO op_change(op, seq, field, target) VALUES(?1 + 1, 0, -1, ?1)",
	"INSERT INTO op_needs(needs, op) VALUES(2, ?1 + 1)",
	"INSERT INTO event(op, act, actor, at) VALUES(?1 + 1, 0, 1, 1771840800000)",
	"UPDATE tree SET nodes = nodes + 1, leaves = leaves + 1 WHERE id = ?1 - ?1 + 1",
};

static void insert_journal(struct work *work, sqlite3_stmt *const *rows, int64_t node)
{
	for (size_t i = 0; i < LOOM_COUNT(journal); i++) {
		sqlite3_bind_int64(rows[i], 1, node);
		bare_step(&work->bare, rows[i]);
	}
}

static double append_bare(void *state)
{
	struct work *work = state;
	sqlite3_stmt *rows[LOOM_COUNT(journal)];
	char room[BARE_TEXT_MAX];
	struct loom_str text = bare_text(room, 0);

	for (size_t i = 0; i < LOOM_COUNT(journal); i++)
		rows[i] = bare_prepare(&work->bare, journal[i]);
	for (size_t i = 0; i < work->size; i++, work->bare_tip++) {
		bare_run(&work->bare, "BEGIN IMMEDIATE");
		bare_insert(&work->bare, (size_t)work->bare_tip, text);
		insert_journal(work, rows, work->bare_tip + 1);
		bare_run(&work->bare, "COMMIT");
	}
	for (size_t i = 0; i < LOOM_COUNT(journal); i++)
		sqlite3_finalize(rows[i]);
	return (double)work->bare_tip;
}

/* --- moves --- */

static int64_t hang(struct work *work, int64_t node, int64_t below)
{
	const struct loom_op_spec op = {.kind = "move", .actor = work->grove.owner};
	const struct loom_hang where = {.node = node, .below = below};
	bool changed = false;
	int64_t made = 0;

	must(work, loom_op_begin(work->grove.store, &op, &work->err), "begin");
	must(work, loom_node_hang(work->grove.store, &where, &changed, &work->err), "hang");
	must(work, loom_op_commit(work->grove.store, &made, &work->err), "commit");
	return made;
}

/* All below the root's child moves below another one, and an undo takes it back. */
static double move_ours(void *state)
{
	struct work *work = state;
	const int64_t place = grove_node(&work->grove, work->root, "a place");
	const int64_t start = clock_ns();
	const int64_t op = hang(work, work->root + 1, place);
	const int64_t middle = clock_ns();
	int64_t end;

	must(work, loom_op_undo(work->grove.store, work->grove.owner, op, NULL, &work->err),
	     "undo");
	end = clock_ns();
	return (double)(middle - start > end - middle ? middle - start : end - middle) / 1e6;
}

/* A path that goes through a moved branch every few nodes. */
static void *open_moved(size_t size)
{
	struct work *work = open_path(size);

	for (size_t i = 1; i + 1 < size && i < 10000; i += size < 10000 ? 2 : 10)
		hang(work, work->root + (int64_t)i + 1,
		     grove_node(&work->grove, work->root + (int64_t)i - 1, "a twin"));
	return work;
}

/* Whether a node stands above the tip, for each of a thousand. */
static double above_ours(void *state)
{
	struct work *work = state;
	const int64_t start = clock_ns();
	bool above = false;

	for (int64_t i = 0; i < 1000; i++)
		must(work,
		     loom_node_above(work->grove.store,
				     work->root + i * 7919 % (int64_t)(work->size - 1), work->tip,
				     &above, &work->err),
		     "above");
	return (double)(clock_ns() - start) / 1e6;
}

#define IMPORT(label, n, few)                                                                      \
	{                                                                                          \
		.name = "store: import " label " nodes",                                           \
		.ours = "a sliced operation, tree and all", .peer = "the same rows inserted bare", \
		.unit = "ms", .limit = 2, .size = n, .small = few, .open = open_import,            \
		.close = close_import, .run = import_ours, .run_peer = import_bare,                \
	}
#define PATH(label, n)                                                                             \
	{                                                                                          \
		.name = "store: path of " label, .ours = "loom_node_path with texts",              \
		.peer = "one recursive query over the same rows", .limit = 1.5, .size = n,         \
		.small = 1000, .open = open_path, .close = close_work, .run = path_ours,           \
		.run_peer = path_bare,                                                             \
	}
#define MOVED(label, n)                                                                            \
	{                                                                                          \
		.name = "store: path of " label ", 1,000 moves",                                   \
		.ours = "loom_node_path with texts",                                               \
		.peer = "one recursive query over the same rows", .limit = 2, .size = n,           \
		.small = 1000, .open = open_moved, .close = close_work, .run = path_ours,          \
		.run_peer = path_bare,                                                             \
	}
#define ONE(label, what, quantity, most, n, few, opens, closes, runs)                              \
	{                                                                                          \
		.name = label, .ours = what, .unit = quantity, .limit = most, .size = n,           \
		.small = few, .open = opens, .close = closes, .run = runs,                         \
	}
#define APPEND(label, n)                                                                           \
	{                                                                                          \
		.name = "store: " label " durable answers", .ours = "an operation each",           \
		.peer = "BEGIN IMMEDIATE, the same rows, COMMIT", .limit = 1.67, .size = n,        \
		.small = 20, .open = open_appends, .close = close_appends, .run = append_ours,     \
		.run_peer = append_bare,                                                           \
	}

static const struct bench_row ROWS[] = {
	IMPORT("1,000,000", 1000000, 20000),
	IMPORT("100,000", 100000, 10000),
	PATH("10,000", 10000),
	PATH("1,000", 1000),
	ONE("store: move a branch of 500,000 nodes", "an operation, or its undo", "ms", 20, 500000,
	    10000, open_path, close_work, move_ours),
	ONE("store: a thousand ancestors", "of a tip 10,000 deep", "ms", 100, 10000, 1000,
	    open_path, close_work, above_ours),
	ONE("store: a thousand ancestors, 1,000 moves", "of a tip 10,000 deep", "ms", 150, 10000,
	    1000, open_moved, close_work, above_ours),
	MOVED("10,000", 10000),
	ONE("store: first page of 200,000 children", "40 rows with text and marks", "ms", 2, 200000,
	    20000, open_children, close_big, first_page),
	ONE("store: first page of 20,000 children", "40 rows with text and marks", "ms", 2, 20000,
	    2000, open_children, close_big, first_page),
	ONE("store: last page of 200,000 children", "40 rows with text and marks", "ms", 2, 200000,
	    20000, open_children, close_big, last_page),
	ONE("store: place among 200,000 siblings", "k of n, one of them pruned", "ms", 2, 200000,
	    20000, open_children, close_big, place_among),
	ONE("store: open a million nodes", "open and 40 rows", "ms", 10, 1000000, 20000, open_big,
	    close_big, open_ms),
	ONE("store: open 100,000 nodes", "open and 40 rows", "ms", 10, 100000, 10000, open_big,
	    close_big, open_ms),
	ONE("store: memory of an open million", "open and 40 rows", "MiB", 20, 1000000, 20000,
	    open_big, close_big, open_mib),
	APPEND("200", 200),
	APPEND("20", 20),
};

const struct bench_suite bench_store = {"store", ROWS, LOOM_COUNT(ROWS)};
