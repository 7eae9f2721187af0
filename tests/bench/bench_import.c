/* A file imported from its bytes to its last commit, beside the same rows written bare into the
 * same schema in as many transactions. */
#include "bench/bench.h"

#include <sqlite3.h>

#include <loom/import.h>
#include <loom/node.h>

#include "support/clock.h"
#include "support/grove.h"
#include "support/raw.h"

enum { SLICE = 2000, TEXT_MAX = 400 };
#define KEY 0x0123456789abcdefu

struct work {
	size_t size;
	struct loom_buf file;
	struct loom_err err;
};

static void must(struct work *work, enum loom_status status, const char *what)
{
	grove_must(status, &work->err, what);
}

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

/* Long branches that fork now and then. */
static size_t parent_of(size_t i)
{
	return i % 9 == 0 ? i / 2 : i - 1;
}

static struct loom_ulid ulid_of(size_t i)
{
	const uint8_t random[5] = {1, 2, 3, 4, 5};

	return loom_ulid_make(1771840800000 + (int64_t)i, i, random);
}

static void add_node(struct loom_buf *file, size_t i)
{
	char ulid[LOOM_ULID_CHARS + 1];
	char parent[LOOM_ULID_CHARS + 1];
	char name[LOOM_LOCAL_MAX];
	char text[TEXT_MAX];
	struct loom_ulid id = ulid_of(i);

	loom_ulid_text(&id, ulid);
	loom_local_text(KEY, (struct loom_local){.num = (int64_t)i}, name);
	fill_text(text, i);
	loom_buf_addf(file, "%s{\"ulid\":\"%s\",\"id\":\"%s\"", i ? ",\n" : "\n", ulid, name);
	if (i) {
		id = ulid_of(parent_of(i));
		loom_ulid_text(&id, parent);
		loom_buf_addf(file, ",\"parent\":\"%s\"", parent);
	}
	loom_buf_addf(file,
		      ",\"author\":\"01M7QH7C9D00000001R7C1PSMW\",\"created\":"
		      "\"2026-02-23T10:00:00.000Z\",\"text\":\"%.*s\"}",
		      (int)text_length(i), text);
}

static void *open_file(size_t size)
{
	struct work *work = loom_alloc(sizeof *work);

	work->size = size;
	loom_buf_init(&work->file, (size_t)4 << 30);
	loom_buf_addf(&work->file,
		      "{\"loom\":\"export\",\"version\":1,\"trees\":[{\"ulid\":"
		      "\"01M7QH7CAN00000001QMH49NKB\",\"title\":\"t\",\"mode\":\"dialogue\","
		      "\"key\":\"%016llx\",\"nodes\":[",
		      (unsigned long long)KEY);
	for (size_t i = 0; i < size; i++)
		add_node(&work->file, i);
	loom_buf_adds(&work->file, "]}],\"agents\":[{\"ulid\":\"01M7QH7C9D00000001R7C1PSMW\","
				   "\"name\":\"ada\",\"kind\":\"human\"}]}\n");
	return work;
}

static void close_file(void *state)
{
	struct work *work = state;

	loom_buf_fini(&work->file);
	free(work);
}

static double import_ours(void *state)
{
	struct work *work = state;
	struct grove grove;
	struct loom_import *import = NULL;
	struct loom_import_opts opts = {.env = &grove.env, .dir = NULL};
	struct loom_import_write how = {.dry = false};
	int64_t op = 0;
	int64_t start;
	double ms;

	grove_init(&grove);
	opts.dir = grove.temp.path;
	how.actor = grove.owner;
	start = clock_ns();
	must(work, loom_import_create(&opts, &import, &work->err), "create");
	must(work, loom_import_add(import, LOOM_STR("file"), loom_buf_str(&work->file), &work->err),
	     "add");
	must(work, loom_import_settle(import, &work->err), "settle");
	must(work, loom_import_write(import, grove.store, &how, &op, &work->err), "write");
	ms = (double)(clock_ns() - start) / 1e6;
	if (loom_import_report(import)->added != (int64_t)work->size)
		exit(98);
	loom_import_destroy(import);
	grove_fini(&grove);
	return ms;
}

/* ---- bare ---- */

static void must_bare(sqlite3 *db, int code, const char *what)
{
	if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
		return;
	fprintf(stderr, "bench: %s: %s\n", what, sqlite3_errmsg(db));
	exit(99);
}

static void run_bare(sqlite3 *db, const char *sql)
{
	must_bare(db, sqlite3_exec(db, sql, NULL, NULL, NULL), sql);
}

static sqlite3 *connect_bare(const struct grove *grove)
{
	char *path = raw_path(grove);
	sqlite3 *db = NULL;

	must_bare(db, sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL),
		  path);
	run_bare(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
		     "PRAGMA cache_size = -16384; PRAGMA mmap_size = 0; "
		     "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON");
	free(path);
	return db;
}

static sqlite3_stmt *prepare_bare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	must_bare(db, sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), sql);
	return stmt;
}

static void insert_node(sqlite3 *db, sqlite3_stmt *node, size_t i)
{
	const int64_t id = (int64_t)i + 1;
	const int64_t parent = i ? (int64_t)parent_of(i) + 1 : 0;
	const struct loom_ulid ulid = ulid_of(i);

	sqlite3_bind_int64(node, 1, id);
	sqlite3_bind_blob(node, 2, ulid.bytes, 16, SQLITE_STATIC);
	sqlite3_bind_int64(node, 3, (int64_t)i);
	sqlite3_bind_int64(node, 4, id);
	if (parent)
		sqlite3_bind_int64(node, 5, parent);
	else
		sqlite3_bind_null(node, 5);
	sqlite3_bind_int64(node, 6, (int64_t)(i % 9 == 0) + 1);
	sqlite3_bind_int64(node, 7, (int64_t)i);
	sqlite3_bind_int64(node, 8, parent ? parent : id);
	sqlite3_bind_int64(node, 9, parent);
	sqlite3_bind_int64(node, 10, (int64_t)text_length(i));
	must_bare(db, sqlite3_step(node), "node");
	sqlite3_reset(node);
}

static void insert_body(sqlite3 *db, sqlite3_stmt *body, size_t i)
{
	unsigned char hash[32] = {0};
	char text[TEXT_MAX];
	const int64_t id = (int64_t)i + 1;

	memcpy(hash, &id, sizeof id);
	fill_text(text, i);
	sqlite3_bind_int64(body, 1, id);
	sqlite3_bind_blob(body, 2, text, (int)text_length(i), SQLITE_STATIC);
	sqlite3_bind_blob(body, 3, hash, 32, SQLITE_STATIC);
	sqlite3_bind_blob(body, 4, hash, i ? 32 : 0, SQLITE_STATIC);
	must_bare(db, sqlite3_step(body), "body");
	sqlite3_reset(body);
}

static double import_bare(void *state)
{
	struct work *work = state;
	struct grove grove;
	sqlite3_stmt *node;
	sqlite3_stmt *body;
	sqlite3 *db;
	int64_t start;
	double ms;

	grove_init(&grove);
	db = connect_bare(&grove);
	start = clock_ns();
	node = prepare_bare(db, "INSERT INTO node(id, ulid, tree, num, prime, kind, grp, parent, "
				"ord, depth, jump, from_node, op, author, created, bytes) "
				"VALUES(?1,?2,1,?3,0,0,?4,?5,?6,?7,?8,?9,1,1,1771840800000,?10)");
	body = prepare_bare(db, "INSERT INTO body(id, text, hash, parents) VALUES(?,?,?,?)");
	run_bare(db, "BEGIN IMMEDIATE");
	for (size_t i = 0; i < work->size; i++) {
		insert_node(db, node, i);
		insert_body(db, body, i);
		if (i && i % SLICE == 0)
			run_bare(db, "COMMIT; BEGIN IMMEDIATE");
	}
	run_bare(db, "COMMIT");
	ms = (double)(clock_ns() - start) / 1e6;
	sqlite3_finalize(node);
	sqlite3_finalize(body);
	sqlite3_close(db);
	grove_fini(&grove);
	return ms;
}

static const struct bench_row ROWS[] = {
	{
		.name = "import: a file of 1,000,000 nodes",
		.ours = "read, checked, written, hashed",
		.peer = "the same rows, bare",
		.unit = "ms",
		.limit = 2.0,
		.size = 1000000,
		.small = 20000,
		.open = open_file,
		.close = close_file,
		.run = import_ours,
		.run_peer = import_bare,
	},
};

const struct bench_suite bench_import = {
	.name = "import",
	.rows = ROWS,
	.count = LOOM_COUNT(ROWS),
};
