/* A long path made into a context, beside the bare recursive query that reads the same rows. */
#include "bench/bench.h"

#include <sqlite3.h>

#include <loom/context/context.h>

#include "support/grove.h"

struct long_path {
	struct grove grove;
	struct loom_agent agent;
	int64_t tree;
	int64_t tip;
	sqlite3 *db;
	sqlite3_stmt *query;
};

static void fill(struct long_path *path, size_t size)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_str text = LOOM_STR(
		"She had not been there since the winter. Nobody spoke, and the letter lay where "
		"it had lain; the house was as it is when one comes back to it too late.");

	path->tree = grove_tree(&path->grove, LOOM_DIALOGUE, "Begin.");
	path->tip = grove_root(&path->grove, path->tree);
	grove_begin(&path->grove, "fill");
	for (size_t i = 1; i < size; i++) {
		struct loom_node_spec spec = {.from = path->tip,
					      .text = text,
					      .author =
						      i % 2 ? path->grove.model : path->grove.owner,
					      .seq = -1};

		grove_must(loom_node_create(path->grove.store, &spec, &path->tip, &err), &err,
			   "node");
	}
	grove_commit(&path->grove);
}

/* The same rows, whole: each node with its text and its marks. */
static void prepare(struct long_path *path)
{
	static const char sql[] =
		"WITH RECURSIVE up(id) AS (SELECT ? UNION ALL SELECT n.from_node FROM up JOIN node "
		"n ON n.id = up.id WHERE n.from_node IS NOT NULL) SELECT b.text, n.*, m.* FROM up "
		"JOIN node n ON n.id = up.id JOIN body b ON b.id = n.id LEFT JOIN mark m ON "
		"m.id = n.id";
	char file[600];

	snprintf(file, sizeof file, "%s/.loom/grove.db", path->grove.temp.path);
	if (sqlite3_open_v2(file, &path->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(path->db, sql, -1, &path->query, NULL) != SQLITE_OK) {
		fprintf(stderr, "bench: %s\n", sqlite3_errmsg(path->db));
		exit(1);
	}
}

static void *open_path(size_t size)
{
	struct long_path *path = loom_alloc(sizeof *path);
	struct loom_err err = {.status = LOOM_OK};

	grove_init(&path->grove);
	fill(path, size);
	grove_must(loom_agent_get(path->grove.store, path->grove.model, path->grove.arena,
				  &path->agent, &err),
		   &err, "agent");
	prepare(path);
	return path;
}

static void close_path(void *state)
{
	struct long_path *path = state;

	sqlite3_finalize(path->query);
	sqlite3_close(path->db);
	grove_fini(&path->grove);
	free(path);
}

static double bare(void *state)
{
	struct long_path *path = state;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	double size = 0;

	sqlite3_bind_int64(path->query, 1, path->tip);
	while (sqlite3_step(path->query) == SQLITE_ROW)
		loom_buf_add(&text, loom_str_make(sqlite3_column_blob(path->query, 0),
						  (size_t)sqlite3_column_bytes(path->query, 0)));
	sqlite3_reset(path->query);
	size = (double)text.n;
	loom_buf_fini(&text);
	return size;
}

static double as_subject(void *state)
{
	struct long_path *path = state;
	struct loom_subject_opts opts = {.tip = path->tip};
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err = {.status = LOOM_OK};
	struct loom_assembly out;
	double total = 0;

	grove_must(loom_assemble_subject(path->grove.store, &opts, arena, &out, &err), &err,
		   "subject");
	total = (double)out.total;
	loom_arena_destroy(arena);
	return total;
}

static double as_aware(void *state)
{
	struct long_path *path = state;
	struct loom_aware_opts opts = {.agent = &path->agent,
				       .tree = path->tree,
				       .position = path->tip,
				       .at = LOOM_SEQ_HEAD,
				       .turn_seq = LOOM_SEQ_HEAD};
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err = {.status = LOOM_OK};
	struct loom_assembly out;
	double total = 0;

	grove_must(loom_assemble_aware(path->grove.store, &opts, arena, &out, &err), &err, "aware");
	total = (double)out.total;
	loom_arena_destroy(arena);
	return total;
}

static const struct bench_row rows[] = {
	{
		.name = "context: a path of 10,000 for a subject",
		.ours = "loom_assemble_subject",
		.peer = "the bare recursive query",
		.limit = 1.5,
		.size = 10000,
		.small = 2000,
		.open = open_path,
		.close = close_path,
		.run = as_subject,
		.run_peer = bare,
	},
	{
		.name = "context: a path of 10,000 with its headers",
		.ours = "loom_assemble_aware",
		.peer = "the bare recursive query",
		.limit = 1.5,
		.size = 10000,
		.small = 2000,
		.open = open_path,
		.close = close_path,
		.run = as_aware,
		.run_peer = bare,
	},
};

const struct bench_suite bench_context = {"context", rows, LOOM_COUNT(rows)};
