/* SQL on the library alone, one connection per call. */
#include "support/raw.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

static sqlite3 *connect(const struct grove *grove)
{
	char *path = raw_path(grove);
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
		fprintf(stderr, "test support: %s: %s\n", path, sqlite3_errmsg(db));
		exit(99);
	}
	sqlite3_busy_timeout(db, 5000);
	free(path);
	return db;
}

static void give_up(sqlite3 *db, const char *sql)
{
	fprintf(stderr, "test support: %s: %s\n", sql, sqlite3_errmsg(db));
	exit(99);
}

/* In turn with the grove's other writers. */
static int take_turn(const struct grove *grove)
{
	char *path = temp_path(&grove->temp, LOOM_GROVE_DIR "/lock");
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || flock(fd, LOCK_EX) != 0) {
		perror(path);
		exit(99);
	}
	free(path);
	return fd;
}

void raw_exec(const struct grove *grove, const char *sql)
{
	int turn = take_turn(grove);
	sqlite3 *db = connect(grove);

	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		give_up(db, sql);
	sqlite3_close(db);
	close(turn);
}

bool raw_refused(const struct grove *grove, const char *sql, const char *why)
{
	sqlite3 *db = connect(grove);
	bool refused = sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK &&
		       strstr(sqlite3_errmsg(db), why) != NULL;

	sqlite3_close(db);
	return refused;
}

int64_t raw_int(const struct grove *grove, const char *sql)
{
	sqlite3 *db = connect(grove);
	sqlite3_stmt *stmt = NULL;
	int64_t value = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		give_up(db, sql);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return value;
}

struct loom_str raw_text(struct grove *grove, const char *sql)
{
	sqlite3 *db = connect(grove);
	sqlite3_stmt *stmt = NULL;
	struct loom_str text = LOOM_STR("");

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		give_up(db, sql);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		text = loom_arena_str(grove->arena,
				      loom_str_make(sqlite3_column_blob(stmt, 0),
						    (size_t)sqlite3_column_bytes(stmt, 0)));
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return text;
}

static void dump_rows(sqlite3 *db, const char *sql, struct loom_buf *out)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		give_up(db, sql);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const void *bytes = sqlite3_column_blob(stmt, i);
			const size_t n = (size_t)sqlite3_column_bytes(stmt, i);

			loom_buf_addf(out, "%d %zu ", sqlite3_column_type(stmt, i), n);
			loom_buf_add(out, loom_str_make(bytes ? bytes : "", n));
		}
	sqlite3_finalize(stmt);
}

void raw_dump(const struct grove *grove, const char *but, struct loom_buf *out)
{
	sqlite3 *db = connect(grove);
	sqlite3_stmt *tables = NULL;
	char sql[128];

	if (sqlite3_prepare_v2(
		    db,
		    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = "
		    "'table' AND name <> ?1 ORDER BY name",
		    -1, &tables, NULL) != SQLITE_OK)
		give_up(db, "table_list");
	sqlite3_bind_text(tables, 1, but, -1, SQLITE_STATIC);
	while (sqlite3_step(tables) == SQLITE_ROW) {
		snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"",
			 (const char *)sqlite3_column_text(tables, 0));
		loom_buf_adds(out, sql);
		dump_rows(db, sql, out);
	}
	sqlite3_finalize(tables);
	sqlite3_close(db);
}

void raw_settle(const struct grove *grove)
{
	raw_exec(grove, "PRAGMA wal_checkpoint(TRUNCATE)");
}

/* Undoes the sixteenth step. */
#define BEFORE_ROOTS "DROP INDEX node_root; "

void raw_before_roots(const struct grove *grove)
{
	raw_exec(grove, BEFORE_ROOTS "PRAGMA user_version = 15");
}

/* And the fifteenth. */
#define BEFORE_SEAMS BEFORE_ROOTS "DROP TABLE seam; "

void raw_before_seams(const struct grove *grove)
{
	raw_exec(grove, BEFORE_SEAMS "PRAGMA user_version = 14");
}

/* And the fourteenth. */
#define BEFORE_KEPT BEFORE_SEAMS "DROP TABLE kept; "
/* And the thirteenth. */
#define BEFORE_MOVES                                                                               \
	BEFORE_KEPT                                                                                \
	"DROP TRIGGER node_hung; DROP TRIGGER node_fixed; DROP TABLE hung; CREATE "                \
	"TRIGGER "                                                                                 \
	"node_fixed BEFORE UPDATE OF id, ulid, tree, num, prime, kind, grp, parent, ord, "         \
	" depth, "                                                                                 \
	"jump, from_node, edited_from, op, author, created, bytes ON node BEGIN  SELECT "          \
	"RAISE(ABORT, 'nodes are never changed'); END; "
/* And the twelfth. */
#define BEFORE_BRANCHES BEFORE_MOVES "DROP INDEX node_branch; "
/* And the eleventh. */
#define BEFORE_LOGS                                                                                \
	BEFORE_BRANCHES "DROP TABLE remote; DROP TABLE remote_mine; DROP TABLE remote_void; "

void raw_before_logs(const struct grove *grove)
{
	raw_exec(grove, BEFORE_LOGS "PRAGMA user_version = 10");
}

/* And the tenth. */
#define BEFORE_PERSONS                                                                             \
	BEFORE_LOGS "DROP TABLE member; DROP TABLE place; ALTER TABLE grove DROP COLUMN shared; "  \
		    "ALTER TABLE proposal DROP COLUMN person; "                                    \
		    "ALTER TABLE lease ADD COLUMN boot TEXT NOT NULL DEFAULT ''; "                 \
		    "ALTER TABLE lease ADD COLUMN expires INTEGER NOT NULL DEFAULT 0; "            \
		    "UPDATE agent SET name = 'you' WHERE id = (SELECT owner FROM grove); "

void raw_before_persons(const struct grove *grove)
{
	raw_exec(grove, BEFORE_PERSONS "PRAGMA user_version = 9");
}

void raw_age(const struct grove *grove)
{
	raw_exec(grove, BEFORE_PERSONS
		 "DROP INDEX proposal_waiting; DROP INDEX proposal_hash; DROP INDEX job_state; "
		 "DROP TABLE summed; DROP TABLE fetched; DROP TABLE request; DROP TABLE epoch; "
		 "DROP INDEX op_dead; DROP INDEX source_source; DROP TRIGGER op_ended; "
		 "ALTER TABLE grove DROP COLUMN last_node; "
		 "ALTER TABLE grove DROP COLUMN gone_nodes; "
		 "ALTER TABLE grove DROP COLUMN last_tree; "
		 "ALTER TABLE grove DROP COLUMN gone_trees; "
		 "ALTER TABLE agent DROP COLUMN claim; "
		 "ALTER TABLE agent DROP COLUMN origin; "
		 "ALTER TABLE agent DROP COLUMN said; "
		 "DROP TRIGGER body_kept; DROP TRIGGER node_kept; "
		 "CREATE TRIGGER body_kept BEFORE DELETE ON body BEGIN"
		 "  SELECT RAISE(ABORT, 'nodes are never deleted'); END; "
		 "CREATE TRIGGER node_kept BEFORE DELETE ON node BEGIN"
		 "  SELECT RAISE(ABORT, 'nodes are never deleted'); END; "
		 "PRAGMA user_version = 1");
	raw_settle(grove);
}

char *raw_path(const struct grove *grove)
{
	return temp_path(&grove->temp, LOOM_GROVE_DIR "/" LOOM_GROVE_FILE);
}
