/* Salvage as a whole: a new grove is created under a temporary name, filled, mended, checked like
 * any other, and only then named.
 *
 * Findings about single nodes are reported once the new grove is open, in its terms. */
#include <loom/grove/sql.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/tree/person.h>
#include <loom/tree/node.h>

#include "salvage_stage.h"
#include <loom/files/state_file.h>
#include <loom/base/system.h>
#include <loom/tree/open_store.h>

#define LINES_MAX 1000

struct salvage {
	const struct loom_salvage_opts *opts;
	struct loom_salvage_report *report;
	char file[PATH_MAX];
	char part[PATH_MAX]; /* where the new grove is created */
	char grove[PATH_MAX + 32];
	char stage[PATH_MAX + 32];
	sqlite3 *waiting; /* the stage's file, while the new grove is open */
	struct loom_store *store;
	int64_t said;
	bool made; /* `part` was created by us */
};

/* ---- reporting ---- */

static void say(struct salvage *salvage, const char *format, ...) LOOM_PRINTF(2, 3);
static void say(struct salvage *salvage, const char *format, ...)
{
	struct loom_buf line = LOOM_BUF_INIT(1 << 16);
	va_list args;

	LOOM_ASSERT(format);
	salvage->report->findings++;
	if (!salvage->opts->finding || ++salvage->said > LINES_MAX)
		return;
	va_start(args, format);
	loom_buf_addfv(&line, format, args);
	va_end(args);
	salvage->opts->finding(salvage->opts->ctx, loom_buf_str(&line));
	loom_buf_fini(&line);
}

static void say_node(struct salvage *salvage, int64_t id, const char *what)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_node node;
	struct loom_tree tree = {.id = 0};
	struct loom_err ignored;
	char name[LOOM_LOCAL_MAX] = "?";

	if (loom_node_get(salvage->store, id, LOOM_NODE_NARROW, arena, &node, &ignored) ==
		    LOOM_OK &&
	    loom_node_name(salvage->store, &node, name, &ignored) == LOOM_OK &&
	    loom_tree_get(salvage->store, node.tree, arena, &tree, &ignored) == LOOM_OK)
		say(salvage, "[%s] in tree:\"%.*s\": %s", name, LOOM_STR_ARG(tree.title), what);
	else
		say(salvage, "node %lld: %s", (long long)id, what);
	loom_arena_destroy(arena);
}

/* ---- paths ---- */

static enum loom_status find_file(struct salvage *salvage, struct loom_err *err)
{
	const char *given = salvage->opts->file;
	struct stat info;
	int n = 0;

	LOOM_ASSERT(given);
	if (stat(given, &info) != 0)
		return loom_fail(err, errno == ENOENT ? LOOM_NOT_FOUND : LOOM_IO, "%s: %s", given,
				 strerror(errno));
	n = snprintf(salvage->file, sizeof salvage->file,
		     S_ISDIR(info.st_mode) ? "%s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE : "%s",
		     given);
	return n > 0 && (size_t)n < sizeof salvage->file
		       ? LOOM_OK
		       : loom_fail(err, LOOM_PATH, "the path is too long");
}

static enum loom_status find_place(struct salvage *salvage, struct loom_err *err)
{
	struct stat info;
	int n = snprintf(salvage->part, sizeof salvage->part, "%s.part-%d", salvage->opts->dir,
			 getpid());

	LOOM_ASSERT(!salvage->made);
	if (n < 0 || (size_t)n >= sizeof salvage->part - 64)
		return loom_fail(err, LOOM_PATH, "the path is too long");
	if (lstat(salvage->opts->dir, &info) == 0) {
		loom_fail(err, LOOM_CONFLICT, "%s already exists; salvage never overwrites",
			  salvage->opts->dir);
		return loom_hint(err, LOOM_CONFLICT, "loom salvage FILE DIR puts it elsewhere");
	}
	snprintf(salvage->grove, sizeof salvage->grove, "%s/" LOOM_GROVE_DIR "/" LOOM_GROVE_FILE,
		 salvage->part);
	snprintf(salvage->stage, sizeof salvage->stage, "%s/" LOOM_GROVE_DIR "/stage",
		 salvage->part);
	if (mkdir(salvage->part, MODEL_PROJECT_MODE) != 0)
		return loom_fail_errno(err, errno, "cannot make %s", salvage->part);
	salvage->made = true;
	return loom_grove_init(salvage->opts->env, loom_str_of(salvage->part), err);
}

/* ---- reading and mending ---- */

static enum loom_status fill(struct salvage *salvage, struct loom_err *err)
{
	struct loom_salvage_report *report = salvage->report;
	struct model_stage stage = {.file = salvage->stage, .task = salvage->opts->task};
	struct model_scan scan = {.report = report,
				  .task = salvage->opts->task,
				  .row = model_stage_row,
				  .loose = model_stage_loose,
				  .ctx = &stage};
	enum loom_status status = model_pages_open(salvage->file, &scan.pages, err);

	if (status == LOOM_OK)
		status = find_place(salvage, err);
	if (status == LOOM_OK)
		status = model_stage_open(&stage, salvage->grove, err);
	scan.tables = stage.tables;
	scan.table_count = stage.table_count;
	if (status == LOOM_OK)
		status = model_scan_run(&scan, err);
	report->frames = scan.pages.frames;
	report->bad_frames = scan.pages.bad_frames;
	if (status == LOOM_OK)
		status = model_salvage_mend(&stage, report, err);
	if (status == LOOM_OK && !report->counts[0].rescued && !report->counts[1].rescued &&
	    !report->loose_texts)
		status = loom_fail(err, LOOM_FOREIGN, "%s: no readable part of a grove in it",
				   salvage->file);
	if (status == LOOM_OK)
		status = model_stage_do(&stage, "COMMIT", err);
	if (stage.arena)
		model_stage_close(&stage);
	model_pages_close(&scan.pages);
	return status;
}

/* ---- opening the new grove ---- */

/* A tree's counters are those of everything below its root. */
static enum loom_status count_trees(struct salvage *salvage, struct loom_arena *arena,
				    struct loom_err *err)
{
	struct loom_store *store = salvage->store;
	struct loom_tree *trees = NULL;
	size_t count = 0;
	enum loom_status status = loom_tree_list(store, arena, &trees, &count, err);

	LOOM_ASSERT(store);
	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct query q;
		struct loom_count counted;

		status = loom_node_subtree(store, loom_top(trees[i].id), &counted, err);
		q = model_query(store,
				"UPDATE tree SET nodes = ?2, leaves = ?3, branches = ?4 WHERE id = "
				"?1",
				err);
		model_bind(&q, trees[i].id);
		model_bind(&q, counted.nodes);
		model_bind(&q, counted.leaves);
		model_bind(&q, counted.branches);
		if (model_run(&q) != LOOM_OK)
			status = q.status;
	}
	return loom_quiet_end(store, status, err);
}

/* Calls `each` for the numbers, with a text if there is one, that a query on the stage returns. */
static enum loom_status ask_stage(struct salvage *salvage, const char *sql,
				  enum loom_status (*each)(struct salvage *, int64_t,
							   struct loom_str, struct loom_err *),
				  struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(salvage->waiting);
	if (sqlite3_prepare_v2(salvage->waiting, sql, -1, &stmt, NULL) != SQLITE_OK)
		return loom_fail(err, LOOM_IO, "%s: %s", salvage->stage,
				 sqlite3_errmsg(salvage->waiting));
	while (status == LOOM_OK && sqlite3_step(stmt) == SQLITE_ROW)
		status = each(salvage, sqlite3_column_int64(stmt, 0),
			      loom_str_make(sqlite3_column_blob(stmt, 1),
					    (size_t)sqlite3_column_bytes(stmt, 1)),
			      err);
	sqlite3_finalize(stmt);
	return status;
}

static enum loom_status on_moved(struct salvage *salvage, int64_t id, struct loom_str text,
				 struct loom_err *err)
{
	(void)text;
	(void)err;
	say_node(salvage, id, "part of its place is lost; it was put where possible");
	return LOOM_OK;
}

static enum loom_status on_bare(struct salvage *salvage, int64_t id, struct loom_str text,
				struct loom_err *err)
{
	(void)text;
	(void)err;
	say_node(salvage, id, "its text is lost");
	return LOOM_OK;
}

static enum loom_status on_made(struct salvage *salvage, int64_t id, struct loom_str text,
				struct loom_err *err)
{
	(void)err;
	say_node(salvage, id,
		 text.n ? "only its text is left" : "it is lost; this takes its place");
	return LOOM_OK;
}

/* ---- texts without a node ---- */

static enum loom_status begin_loose(struct salvage *salvage, int64_t *root,
				    struct loom_arena *arena, struct loom_err *err)
{
	struct loom_agent owner;
	struct loom_store *store = salvage->store;
	struct loom_op_spec op = {.kind = "salvage", .text = LOOM_STR_INIT("salvaged texts")};
	struct loom_tree_spec spec = {.mode = LOOM_DIALOGUE,
				      .title = LOOM_STR_INIT("Salvaged texts"),
				      .root_text = LOOM_STR_INIT("Texts whose places are lost:")};
	struct loom_tree tree;
	int64_t made = 0;
	enum loom_status status = loom_person_founder(store, arena, &owner, err);

	LOOM_ASSERT(root);
	op.actor = spec.author = owner.id;
	if (status == LOOM_OK)
		status = loom_op_begin(store, &op, err);
	if (status != LOOM_OK)
		return status;
	status = loom_tree_create(store, &spec, &made, err);
	if (status == LOOM_OK)
		status = loom_tree_get(store, made, arena, &tree, err);
	if (status == LOOM_OK)
		*root = tree.root;
	return status;
}

/* Bytes that are no longer text are kept beside their readable part. */
static enum loom_status write_text(struct salvage *salvage, const struct loom_node *root,
				   struct loom_str text, struct loom_err *err)
{
	struct loom_buf mended = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_node_spec spec = {.tree = root->tree,
				      .from = root->id,
				      .author = root->author,
				      .seq = -1};
	int64_t made = 0;
	enum loom_status status = LOOM_OK;

	model_mend_text(text, &mended);
	spec.text = loom_buf_str(&mended);
	if (!loom_str_eq(spec.text, text))
		spec.original = text;
	status = loom_node_create(salvage->store, &spec, &made, err);
	loom_buf_fini(&mended);
	return status;
}

static enum loom_status write_loose(struct salvage *salvage, int64_t root, struct loom_err *err)
{
	sqlite3_stmt *stmt = NULL;
	struct loom_arena *arena = loom_arena_create();
	struct loom_node node;
	enum loom_status status =
		loom_node_get(salvage->store, root, LOOM_NODE_NARROW, arena, &node, err);

	if (sqlite3_prepare_v2(salvage->waiting,
			       "SELECT text FROM b WHERE id IN (SELECT id FROM loose) ORDER BY id",
			       -1, &stmt, NULL) != SQLITE_OK)
		status = loom_fail(err, LOOM_IO, "%s", sqlite3_errmsg(salvage->waiting));
	while (status == LOOM_OK && sqlite3_step(stmt) == SQLITE_ROW)
		status = write_text(salvage, &node,
				    loom_str_make(sqlite3_column_blob(stmt, 0),
						  (size_t)sqlite3_column_bytes(stmt, 0)),
				    err);
	sqlite3_finalize(stmt);
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status keep_loose(struct salvage *salvage, struct loom_arena *arena,
				   struct loom_err *err)
{
	int64_t root = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(salvage->store);
	if (!salvage->report->loose_texts)
		return LOOM_OK;
	status = begin_loose(salvage, &root, arena, err);
	if (status == LOOM_OK)
		status = write_loose(salvage, root, err);
	return loom_op_end(salvage->store, status, NULL, err);
}

/* ---- checking it ---- */

static void on_bad(void *ctx, const struct loom_node *node, const char *why)
{
	struct salvage *salvage = ctx;
	sqlite3_stmt *stmt = NULL;
	bool known = false;

	/* Do not doubt what was already reported. */
	if (sqlite3_prepare_v2(salvage->waiting,
			       "SELECT 1 FROM bare WHERE id = ?1 UNION ALL SELECT 1 FROM n WHERE "
			       "id = ?1 AND state > 0",
			       -1, &stmt, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(stmt, 1, node->id);
		known = sqlite3_step(stmt) == SQLITE_ROW;
	}
	sqlite3_finalize(stmt);
	if (known)
		return;
	salvage->report->counts[0].doubtful++;
	say_node(salvage, node->id, why);
}

static void on_finding(void *ctx, struct loom_str text)
{
	say(ctx, "%.*s", LOOM_STR_ARG(text));
}

static enum loom_status look_through(struct salvage *salvage, struct loom_err *err)
{
	const struct loom_verify_opts verify = {.bad = on_bad, .ctx = salvage};
	const struct loom_check_opts check = {.finding = on_finding, .ctx = salvage};
	int64_t checked = 0;
	int64_t bad = 0;
	enum loom_status status = loom_node_verify(salvage->store, &verify, &checked, &bad, err);

	return status == LOOM_OK ? loom_store_check(salvage->store, &check, &bad, err) : status;
}

static enum loom_status tell_nodes(struct salvage *salvage, struct loom_err *err)
{
	enum loom_status status =
		ask_stage(salvage, "SELECT id, NULL FROM n WHERE state = 1 ORDER BY id", on_moved,
			  err);

	if (status == LOOM_OK)
		status = ask_stage(salvage,
				   "SELECT id, iif(id IN (SELECT id FROM bare), NULL, 'text') FROM "
				   "n WHERE state = 2 ORDER BY id",
				   on_made, err);
	if (status == LOOM_OK)
		status = ask_stage(salvage,
				   "SELECT id, NULL FROM bare WHERE id NOT IN (SELECT id FROM n "
				   "WHERE state = 2) ORDER BY id",
				   on_bare, err);
	return status;
}

static enum loom_status finish(struct salvage *salvage, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	enum loom_status status = loom_store_open(salvage->opts->env, loom_str_of(salvage->part),
						  LOOM_WRITE, &salvage->store, err);

	LOOM_ASSERT(salvage->made && !salvage->waiting);
	if (status == LOOM_OK)
		loom_store_heed(salvage->store, salvage->opts->task);
	if (status == LOOM_OK && sqlite3_open_v2(salvage->stage, &salvage->waiting,
						 SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		status = loom_fail(err, LOOM_IO, "%s cannot be opened", salvage->stage);
	if (status == LOOM_OK)
		status = count_trees(salvage, arena, err);
	if (status == LOOM_OK)
		status = tell_nodes(salvage, err);
	if (status == LOOM_OK)
		status = look_through(salvage, err);
	if (status == LOOM_OK)
		status = keep_loose(salvage, arena, err);
	sqlite3_close(salvage->waiting);
	loom_store_close(salvage->store);
	loom_arena_destroy(arena);
	unlink(salvage->stage);
	return status;
}

/* ---- salvage as a whole ---- */

static enum loom_status settle(const struct salvage *salvage, struct loom_err *err)
{
	LOOM_ASSERT(salvage->made);
	if (model_rename_new(AT_FDCWD, salvage->part, salvage->opts->dir) == 0)
		return LOOM_OK;
	if (errno == EEXIST)
		return loom_fail(err, LOOM_CONFLICT, "%s already exists", salvage->opts->dir);
	return loom_fail_errno(err, errno, "%s", salvage->opts->dir);
}

enum loom_status loom_salvage(const struct loom_salvage_opts *opts, struct loom_salvage_report *out,
			      struct loom_err *err)
{
	struct salvage *salvage = loom_alloc(sizeof *salvage);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(opts && out);
	*out = (struct loom_salvage_report){.pages = 0};
	salvage->opts = opts;
	salvage->report = out;
	status = find_file(salvage, err);
	if (status == LOOM_OK)
		status = fill(salvage, err);
	if (status == LOOM_OK)
		status = finish(salvage, err);
	if (status == LOOM_OK)
		status = settle(salvage, err);
	if (status != LOOM_OK && salvage->made)
		model_remove_tree(salvage->part);
	free(salvage);
	return status;
}
