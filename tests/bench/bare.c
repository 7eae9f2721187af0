/* One connection, two statements. */
#include "bench/bare.h"

#include "support/clock.h"
#include "support/raw.h"

struct loom_str bare_text(char room[BARE_TEXT_MAX], size_t i)
{
	memset(room, 'a' + (int)(i % 26), BARE_TEXT_MAX);
	snprintf(room, 32, "node %zu", i);
	room[strlen(room)] = ' ';
	return loom_str_make(room, 40 + i * 37 % (BARE_TEXT_MAX - 40));
}

size_t bare_parent(size_t i)
{
	return i % 9 == 0 ? i / 2 : i - 1;
}

static void must(struct bare *bare, int code, const char *what)
{
	if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
		return;
	fprintf(stderr, "bench: %s: %s\n", what, sqlite3_errmsg(bare->db));
	exit(99);
}

void bare_open(struct bare *bare, const struct grove *grove)
{
	char *path = raw_path(grove);

	*bare = (struct bare){.ulid = {1}};
	must(bare,
	     sqlite3_open_v2(path, &bare->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL),
	     path);
	free(path);
	bare_run(bare, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
		       "PRAGMA cache_size = -16384; PRAGMA mmap_size = 0; "
		       "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON");
	sqlite3_db_config(bare->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	bare->node = bare_prepare(
		bare, "INSERT INTO node(id, ulid, tree, num, prime, kind, grp, parent, ord, depth, "
		      "jump, from_node, op, author, created, bytes) "
		      "VALUES(?,?,?,?,0,0,?,?,?,?,?,?,1,1,?,?)");
	bare->body =
		bare_prepare(bare, "INSERT INTO body(id, text, hash, parents) VALUES(?,?,?,?)");
}

void bare_close(struct bare *bare)
{
	sqlite3_finalize(bare->node);
	sqlite3_finalize(bare->body);
	sqlite3_close(bare->db);
}

void bare_run(struct bare *bare, const char *sql)
{
	must(bare, sqlite3_exec(bare->db, sql, NULL, NULL, NULL), sql);
}

sqlite3_stmt *bare_prepare(struct bare *bare, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	must(bare, sqlite3_prepare_v2(bare->db, sql, -1, &stmt, NULL), sql);
	return stmt;
}

void bare_step(struct bare *bare, sqlite3_stmt *stmt)
{
	must(bare, sqlite3_step(stmt), sqlite3_sql(stmt));
	sqlite3_reset(stmt);
}

void bare_insert(struct bare *bare, size_t i, struct loom_str text)
{
	const int64_t id = (int64_t)i + 1;
	const int64_t parent = i ? (int64_t)bare_parent(i) + 1 : 0;
	int at = 0;

	/* Rising, as ours are: in any other order the index on them costs half as much again. */
	for (int k = 0; k < 8; k++)
		bare->ulid[8 + k] = (unsigned char)(id >> (56 - 8 * k));
	memcpy(bare->hash, &id, sizeof id);
	sqlite3_bind_int64(bare->node, ++at, id);
	sqlite3_bind_blob(bare->node, ++at, bare->ulid, 16, SQLITE_STATIC);
	sqlite3_bind_int64(bare->node, ++at, 1);
	sqlite3_bind_int64(bare->node, ++at, (int64_t)i);
	sqlite3_bind_int64(bare->node, ++at, id);
	if (parent)
		sqlite3_bind_int64(bare->node, ++at, parent);
	else
		sqlite3_bind_null(bare->node, ++at);
	sqlite3_bind_int64(bare->node, ++at, (int64_t)(i % 9 == 0) + 1);
	sqlite3_bind_int64(bare->node, ++at, (int64_t)i);
	sqlite3_bind_int64(bare->node, ++at, parent ? parent : id);
	sqlite3_bind_int64(bare->node, ++at, parent);
	sqlite3_bind_int64(bare->node, ++at, 1771840800000);
	sqlite3_bind_int64(bare->node, ++at, (int64_t)text.n);
	bare_step(bare, bare->node);
	sqlite3_bind_int64(bare->body, 1, id);
	sqlite3_bind_blob(bare->body, 2, text.p, (int)text.n, SQLITE_STATIC);
	sqlite3_bind_blob(bare->body, 3, bare->hash, 32, SQLITE_STATIC);
	sqlite3_bind_blob(bare->body, 4, bare->hash, parent ? 32 : 0, SQLITE_STATIC);
	bare_step(bare, bare->body);
}

double bare_import(size_t size)
{
	struct grove grove;
	struct bare bare;
	char room[BARE_TEXT_MAX];
	int64_t start;
	double ms;

	grove_init(&grove);
	bare_open(&bare, &grove);
	start = clock_ns();
	bare_run(&bare, "BEGIN IMMEDIATE");
	for (size_t i = 0; i < size; i++) {
		bare_insert(&bare, i, bare_text(room, i));
		if (i && i % BARE_SLICE == 0)
			bare_run(&bare, "COMMIT; BEGIN IMMEDIATE");
	}
	bare_run(&bare, "COMMIT");
	ms = (double)(clock_ns() - start) / 1e6;
	bare_close(&bare);
	grove_fini(&grove);
	return ms;
}
