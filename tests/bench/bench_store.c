/* The store beside the engine it stands on: the same rows, written and read bare. */
#include "bench/bench.h"

#include <malloc.h>
#include <sqlite3.h>
#include <unistd.h>

#include <loom/agent.h>
#include <loom/node.h>

#include "support/clock.h"
#include "support/grove.h"
#include "support/prop.h"
#include "support/raw.h"

enum { SLICE = 2000, TEXT_MAX = 400, DEEP = 10000 };

struct work {
	size_t size;
	struct grove grove; /* ours */
	struct grove bare;  /* the peer's: the same schema, other hands */
	sqlite3 *db;        /* the peer's connection */
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

static void must_bare(struct work *work, int code, const char *what)
{
	if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
		return;
	fprintf(stderr, "bench: %s: %s\n", what, sqlite3_errmsg(work->db));
	exit(99);
}

static void run_bare(struct work *work, const char *sql)
{
	must_bare(work, sqlite3_exec(work->db, sql, NULL, NULL, NULL), sql);
}

/* A connection set as the store sets its own. */
static void connect_bare(struct work *work, const struct grove *grove)
{
	char *path = raw_path(grove);

	must_bare(work,
		  sqlite3_open_v2(path, &work->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				  NULL),
		  path);
	run_bare(work, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
		       "PRAGMA cache_size = -16384; PRAGMA mmap_size = 0; "
		       "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON");
	sqlite3_db_config(work->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	free(path);
}

static sqlite3_stmt *prepare_bare(struct work *work, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	must_bare(work, sqlite3_prepare_v2(work->db, sql, -1, &stmt, NULL), sql);
	return stmt;
}

/* --- a sliced import --- */

static size_t text_length(size_t i)
{
	return 40 + i * 37 % (TEXT_MAX - 40);
}

static void fill_text(char text[TEXT_MAX], size_t i)
{
	memset(text, 'a' + (int)(i % 26), TEXT_MAX);
	snprintf(text, 24, "node %zu", i);
	text[strlen(text)] = ' ';
}

/* Which earlier node the i-th hangs on: long branches that fork now and then. */
static size_t parent_of(size_t i)
{
	return i % 9 == 0 ? i / 2 : i - 1;
}

/* A tree of `size` nodes in slices; when `ids` is not NULL, their numbers. */
static void import(struct work *work, size_t size, int64_t *ids)
{
	struct loom_op_spec op = {.kind = "import", .actor = work->grove.owner, .slices = true};
	struct loom_tree_spec tree = {.title = LOOM_STR_INIT("imported"),
				      .author = work->grove.owner};
	struct loom_tree row;
	char text[TEXT_MAX];

	must(work, loom_op_begin(work->grove.store, &op, &work->err), "begin");
	must(work, loom_tree_create(work->grove.store, &tree, &work->tree, &work->err), "tree");
	/* the root is the node before the first one */
	ids[0] = raw_int(&work->grove, "SELECT coalesce(max(id), 0) FROM node") + 1;
	for (size_t i = 1; i < size; i++) {
		struct loom_node_spec spec = {.tree = work->tree,
					      .from = ids[parent_of(i)],
					      .author = work->grove.owner,
					      .seq = -1};

		fill_text(text, i);
		spec.text = loom_str_make(text, text_length(i));
		must(work, loom_node_create(work->grove.store, &spec, &ids[i], &work->err), "node");
		if (i % SLICE == 0)
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

struct bare_row {
	sqlite3_stmt *node;
	sqlite3_stmt *body;
	unsigned char ulid[16];
	unsigned char hash[32];
};

static void insert_bare(struct work *work, struct bare_row *row, size_t i, const char *text)
{
	const int64_t id = (int64_t)i + 1;
	const int64_t parent = i ? (int64_t)parent_of(i) + 1 : 0;
	int at = 0;

	/* Rising, as ours are: in any other order the index on them costs half as much again. */
	for (int k = 0; k < 8; k++)
		row->ulid[8 + k] = (unsigned char)(id >> (56 - 8 * k));
	memcpy(row->hash, &id, sizeof id);
	sqlite3_bind_int64(row->node, ++at, id);
	sqlite3_bind_blob(row->node, ++at, row->ulid, 16, SQLITE_STATIC);
	sqlite3_bind_int64(row->node, ++at, 1);
	sqlite3_bind_int64(row->node, ++at, (int64_t)i);
	sqlite3_bind_int64(row->node, ++at, id);
	if (parent)
		sqlite3_bind_int64(row->node, ++at, parent);
	else
		sqlite3_bind_null(row->node, ++at);
	sqlite3_bind_int64(row->node, ++at, (int64_t)(i % 9 == 0) + 1);
	sqlite3_bind_int64(row->node, ++at, (int64_t)i);
	sqlite3_bind_int64(row->node, ++at, parent ? parent : id);
	sqlite3_bind_int64(row->node, ++at, parent);
	sqlite3_bind_int64(row->node, ++at, 1771840800000);
	sqlite3_bind_int64(row->node, ++at, (int64_t)text_length(i));
	must_bare(work, sqlite3_step(row->node), "node");
	sqlite3_reset(row->node);
	sqlite3_bind_int64(row->body, 1, id);
	sqlite3_bind_blob(row->body, 2, text, (int)text_length(i), SQLITE_STATIC);
	sqlite3_bind_blob(row->body, 3, row->hash, 32, SQLITE_STATIC);
	sqlite3_bind_blob(row->body, 4, row->hash, parent ? 32 : 0, SQLITE_STATIC);
	must_bare(work, sqlite3_step(row->body), "body");
	sqlite3_reset(row->body);
}

#define BARE_NODE                                                                                  \
	"INSERT INTO node(id, ulid, tree, num, prime, kind, grp, parent, ord, depth, jump, "       \
	"from_node, op, author, created, bytes) VALUES(?,?,?,?,0,0,?,?,?,?,?,?,1,1,?,?)"
#define BARE_BODY "INSERT INTO body(id, text, hash, parents) VALUES(?,?,?,?)"

/* The same rows into the same schema, in as many transactions. */
static double import_bare(void *state)
{
	struct work *work = state;
	struct bare_row row = {.ulid = {1}};
	char text[TEXT_MAX];
	int64_t start;
	double ms;

	grove_init(&work->bare);
	connect_bare(work, &work->bare);
	start = clock_ns();
	row.node = prepare_bare(work, BARE_NODE);
	row.body = prepare_bare(work, BARE_BODY);
	run_bare(work, "BEGIN IMMEDIATE");
	for (size_t i = 0; i < work->size; i++) {
		fill_text(text, i);
		insert_bare(work, &row, i, text);
		if (i && i % SLICE == 0)
			run_bare(work, "COMMIT; BEGIN IMMEDIATE");
	}
	run_bare(work, "COMMIT");
	ms = (double)(clock_ns() - start) / 1e6;
	sqlite3_finalize(row.node);
	sqlite3_finalize(row.body);
	sqlite3_close(work->db);
	grove_fini(&work->bare);
	return ms;
}

/* --- a path --- */

static void *open_path(size_t size)
{
	struct work *work = loom_alloc(sizeof *work);
	struct loom_op_spec op = {.kind = "import", .slices = true};
	struct loom_node_spec spec = {.seq = -1};
	char text[TEXT_MAX];

	work->size = size;
	grove_init(&work->grove);
	op.actor = spec.author = work->grove.owner;
	work->tree = grove_tree(&work->grove, LOOM_DIALOGUE, "root");
	work->root = work->tip = grove_root(&work->grove, work->tree);
	must(work, loom_op_begin(work->grove.store, &op, &work->err), "begin");
	for (size_t i = 1; i < size; i++) {
		fill_text(text, i);
		spec.text = loom_str_make(text, text_length(i));
		spec.from = work->tip;
		must(work, loom_node_create(work->grove.store, &spec, &work->tip, &work->err),
		     "node");
	}
	must(work, loom_op_finish(work->grove.store, NULL, &work->err), "finish");
	connect_bare(work, &work->grove);
	return work;
}

static void close_work(void *state)
{
	struct work *work = state;

	sqlite3_close(work->db);
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
	sqlite3_stmt *stmt = prepare_bare(
		work, "WITH RECURSIVE p(id, up) AS (SELECT id, from_node FROM node WHERE id = ?1 "
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
	grove_init(&work->bare);
	work->tree = grove_tree(&work->grove, LOOM_DIALOGUE, "root");
	work->root = grove_root(&work->grove, work->tree);
	work->bare_tip = grove_root(&work->bare, grove_tree(&work->bare, LOOM_DIALOGUE, "root"));
	connect_bare(work, &work->bare);
	return work;
}

static void close_appends(void *state)
{
	struct work *work = state;

	sqlite3_close(work->db);
	grove_fini(&work->grove);
	grove_fini(&work->bare);
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
		must_bare(work, sqlite3_step(rows[i]), "journal");
		sqlite3_reset(rows[i]);
	}
}

static double append_bare(void *state)
{
	struct work *work = state;
	struct bare_row row = {.ulid = {1}};
	sqlite3_stmt *rows[LOOM_COUNT(journal)];
	char text[TEXT_MAX];

	row.node = prepare_bare(work, BARE_NODE);
	row.body = prepare_bare(work, BARE_BODY);
	for (size_t i = 0; i < LOOM_COUNT(journal); i++)
		rows[i] = prepare_bare(work, journal[i]);
	fill_text(text, 0);
	for (size_t i = 0; i < work->size; i++, work->bare_tip++) {
		run_bare(work, "BEGIN IMMEDIATE");
		insert_bare(work, &row, (size_t)work->bare_tip, text);
		insert_journal(work, rows, work->bare_tip + 1);
		run_bare(work, "COMMIT");
	}
	for (size_t i = 0; i < LOOM_COUNT(journal); i++)
		sqlite3_finalize(rows[i]);
	sqlite3_finalize(row.node);
	sqlite3_finalize(row.body);
	return (double)work->bare_tip;
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
