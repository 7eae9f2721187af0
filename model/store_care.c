/* Care: a checked copy of one moment, and the checks themselves. */
#include "store_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/node.h>
#include <loom/path.h>

#include "model_impl.h"
#include "system.h"

/* --- backup --- */

#define PAGES_A_STEP 1024

static int stop_copy(void *task)
{
	return loom_task_cancelled(task);
}

/* Page by page, so that it can be stopped; the reader's view keeps all of them of one moment. */
static int copy_pages(struct loom_store *store, sqlite3 *copy)
{
	sqlite3_backup *backup = sqlite3_backup_init(copy, "main", store->db, "main");
	int code = SQLITE_OK;

	if (!backup)
		return sqlite3_extended_errcode(copy);
	while (code == SQLITE_OK && !loom_task_cancelled(store->task)) {
		code = sqlite3_backup_step(backup, PAGES_A_STEP);
		loom_task_report(store->task,
				 (uint64_t)(sqlite3_backup_pagecount(backup) -
					    sqlite3_backup_remaining(backup)),
				 (uint64_t)sqlite3_backup_pagecount(backup));
	}
	sqlite3_backup_finish(backup);
	return code == SQLITE_DONE ? SQLITE_OK : code == SQLITE_OK ? SQLITE_INTERRUPT : code;
}

/* Whether the copy is sound. Then it is made one file: no log beside it that would have to be
 * copied too. */
static int check_copy(sqlite3 *copy)
{
	sqlite3_stmt *check = NULL;
	int code = sqlite3_prepare_v2(copy, "PRAGMA quick_check(1)", -1, &check, NULL);
	bool sound = false;

	if (code == SQLITE_OK)
		code = sqlite3_step(check);
	if (code == SQLITE_ROW)
		sound = strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0;
	sqlite3_finalize(check);
	if (code != SQLITE_ROW)
		return code == SQLITE_DONE ? SQLITE_CORRUPT : code;
	return sound ? sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL)
		     : SQLITE_CORRUPT;
}

static enum loom_status refuse_copy(int code, int why, struct loom_err *err)
{
	switch (code & 0xFF) {
	case SQLITE_OK:
		return LOOM_OK;
	case SQLITE_INTERRUPT:
		return loom_fail(err, LOOM_CANCELLED, "stopped; no backup was made");
	case SQLITE_FULL:
		loom_fail(err, LOOM_FULL, "the disk is full; no backup was made");
		return loom_hint(err, LOOM_FULL, "free some space, or use another disk");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		loom_fail(err, LOOM_DAMAGED, "no backup was made: %s", sqlite3_errstr(code));
		return loom_hint(err, LOOM_DAMAGED,
				 "loom check says what is wrong; loom salvage reads what is left "
				 "into a new grove");
	default:
		return why ? loom_fail_errno(err, why, "no backup was made")
			   : loom_fail(err, LOOM_IO, "no backup was made: %s",
				       sqlite3_errstr(code));
	}
}

/* Why a file cannot be made is the system's to say: SQLite would try other ways of opening it, and
 * tell why the last one failed. */
static enum loom_status make_empty(const char *temp, struct loom_err *err)
{
	int fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ? LOOM_OK : loom_fail_errno(err, errno, "no backup was made: %s", temp);
}

static enum loom_status copy_into(struct loom_store *store, const char *temp, struct loom_err *err)
{
	sqlite3 *copy = NULL;
	mode_t mask = umask(077);
	int why = 0;
	int code =
		sqlite3_open_v2(temp, &copy,
				SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE,
				NULL);

	umask(mask);
	if (code == SQLITE_OK && store->task)
		sqlite3_progress_handler(copy, MODEL_STEPS_BETWEEN, stop_copy, store->task);
	if (code == SQLITE_OK)
		code = copy_pages(store, copy);
	if (code == SQLITE_OK)
		code = check_copy(copy);
	why = model_errno_of(copy, code);
	sqlite3_close(copy);
	return refuse_copy(code, why, err);
}

/* The moment that is copied: the first read of the view fixes it. */
static enum loom_status copy_view(struct loom_store *store, const char *temp, struct loom_err *err)
{
	int64_t any = 0;
	struct query q;
	enum loom_status status = loom_store_view(store, err);

	if (status != LOOM_OK)
		return status;
	q = model_query(store, "SELECT id FROM grove", err);
	status = model_one(&q, 0, &any);
	if (status == LOOM_OK)
		status = make_empty(temp, err);
	if (status == LOOM_OK)
		status = copy_into(store, temp, err);
	loom_store_unview(store);
	return status;
}

/* Whether SQLite or a writer would take a file of this name for part of the store. */
static bool is_stores_name(const struct loom_store *store, const char *name)
{
	char dir[PATH_MAX];
	char real[PATH_MAX];
	char own[PATH_MAX];
	const char *slash = strrchr(name, '/');
	const bool ours = model_is_store_name(slash ? slash + 1 : name);

	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - name) + 1 : 1, slash ? name : ".");
	snprintf(own, sizeof own, "%.*s/" LOOM_GROVE_DIR, LOOM_STR_ARG(loom_store_dir(store)));
	return ours && realpath(dir, real) && strcmp(real, own) == 0;
}

enum loom_status loom_store_backup(struct loom_store *store, struct loom_str file,
				   struct loom_err *err)
{
	char name[PATH_MAX];
	char temp[PATH_MAX];
	struct stat info;
	int n;
	enum loom_status status;

	if (!file.n || file.n > PATH_MAX - 64)
		return loom_fail(err, LOOM_PATH, "the path is empty or too long");
	snprintf(name, sizeof name, "%.*s", LOOM_STR_ARG(file));
	if (is_stores_name(store, name))
		return loom_fail(err, LOOM_PATH, "%s is a name of the store itself", name);
	if (lstat(name, &info) == 0) {
		loom_fail(err, LOOM_CONFLICT, "%s is there already; a backup never overwrites",
			  name);
		return loom_hint(err, LOOM_CONFLICT, "%s",
				 S_ISDIR(info.st_mode) ? "name a file in it that is not there yet"
						       : "give it another name");
	}
	n = snprintf(temp, sizeof temp, "%.*s.part-%d", LOOM_STR_ARG(file), getpid());
	if (n < 0 || (size_t)n >= sizeof temp)
		return loom_fail(err, LOOM_PATH, "the path is too long");
	unlink(temp);
	status = copy_view(store, temp, err);
	/* SQLite removes its own files beside the copy; what it could not is removed here. */
	model_remove_beside(temp);
	if (status == LOOM_OK)
		status = model_settle_file(temp, name, err);
	if (status != LOOM_OK)
		unlink(temp);
	return status;
}

/* --- the copy before a migration --- */

#define COPIES_MOST      99
#define COMPARED_AT_ONCE ((size_t)1 << 16)

/* A file whose locks a close of ours would drop, whatever name it has here. */
static bool is_stores_file(const struct loom_store *store, const struct stat *info)
{
	struct loom_file_id ids[LOOM_STORE_FILES];
	size_t count = loom_store_files(loom_store_dir(store), ids);
	bool ours = false;

	for (size_t i = 0; i < count; i++)
		ours = ours || (ids[i].device == (uint64_t)info->st_dev &&
				ids[i].inode == (uint64_t)info->st_ino);
	return ours;
}

static bool same_bytes(int one, int other)
{
	char *room = loom_alloc(2 * COMPARED_AT_ONCE);
	bool same = true;
	ssize_t n = 1;

	for (off_t at = 0; same && n > 0; at += n) {
		n = pread(one, room, COMPARED_AT_ONCE, at);
		same = n >= 0 && pread(other, room + COMPARED_AT_ONCE, COMPARED_AT_ONCE, at) == n &&
		       memcmp(room, room + COMPARED_AT_ONCE, (size_t)n) == 0;
	}
	free(room);
	return same;
}

/* Whether the file `name`, whoever made it, holds what `copy` does, and holds it for good. */
static bool is_kept(const struct loom_store *store, const char *copy, const char *name)
{
	struct stat info;
	int copy_fd = -1;
	int fd = -1;
	bool kept = false;

	if (lstat(name, &info) != 0 || !S_ISREG(info.st_mode) || is_stores_file(store, &info))
		return false;
	copy_fd = open(copy, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	kept = copy_fd >= 0 && fd >= 0 && same_bytes(copy_fd, fd) && fsync(fd) == 0 &&
	       model_sync_name(name);
	if (copy_fd >= 0)
		close(copy_fd);
	if (fd >= 0)
		close(fd);
	return kept;
}

/* The first name that is free, or that has these bytes already: however often a migration fails,
 * the disk does not fill up with copies of the same. */
static enum loom_status keep_copy(const struct loom_store *store, const char *copy,
				  const struct loom_buf *first, struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_CONFLICT;

	loom_buf_add(&name, loom_buf_str(first));
	for (int n = 2; n <= COPIES_MOST + 1 && status == LOOM_CONFLICT; n++) {
		status = model_settle_file(copy, loom_buf_cstr(&name), err);
		if (status == LOOM_CONFLICT && is_kept(store, copy, loom_buf_cstr(&name))) {
			unlink(copy);
			status = LOOM_OK;
		}
		loom_buf_clear(&name);
		loom_buf_addf(&name, "%s-%d", loom_buf_cstr(first), n);
	}
	loom_buf_fini(&name);
	return status;
}

static enum loom_status refuse_to_migrate(enum loom_status status, const char *name,
					  struct loom_err *err)
{
	if (status == LOOM_CONFLICT) {
		loom_fail(err, status, "%s and the names behind it are all taken", name);
		return loom_hint(err, status,
				 "an earlier loom's grove is copied before it is "
				 "brought up: move older copies away");
	}
	if (status == LOOM_CANCELLED || status == LOOM_DAMAGED)
		return status;
	return loom_hint(err, status,
			 "an earlier loom's grove is copied before it is brought up: that takes "
			 "as much space again; until then the grove can be read");
}

enum loom_status model_copy_before(struct loom_store *store, int version, struct loom_err *err)
{
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf part = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	loom_buf_addf(&first, "%s.before-%d", loom_buf_cstr(&store->file), version);
	loom_buf_addf(&part, "%s.part", loom_buf_cstr(&first));
	/* The lock is ours: what has this name is of a try that was cut short. */
	unlink(loom_buf_cstr(&part));
	model_remove_beside(loom_buf_cstr(&part));
	status = copy_view(store, loom_buf_cstr(&part), err);
	model_remove_beside(loom_buf_cstr(&part));
	if (status == LOOM_OK)
		status = keep_copy(store, loom_buf_cstr(&part), &first, err);
	if (status != LOOM_OK) {
		unlink(loom_buf_cstr(&part));
		status = refuse_to_migrate(status, loom_buf_cstr(&first), err);
	}
	loom_buf_fini(&part);
	loom_buf_fini(&first);
	return status;
}

/* --- check --- */

struct checker {
	struct loom_store *store;
	const struct loom_check_opts *opts;
	struct loom_err *err;
	int64_t findings;
	uint64_t parts; /* done so far, of */
	uint64_t total;
};

/* Between two parts of a check: says so, and hears whether to stop. */
static enum loom_status next_part(struct checker *c)
{
	loom_task_report(c->store->task, c->parts++, c->total);
	if ((c->opts->cancel && *c->opts->cancel) || loom_task_cancelled(c->store->task))
		return loom_fail(c->err, LOOM_CANCELLED, "stopped");
	return LOOM_OK;
}

static void report(struct checker *c, const char *format, ...) LOOM_PRINTF(2, 3);

static void report(struct checker *c, const char *format, ...)
{
	struct loom_buf line = LOOM_BUF_INIT(4096);
	va_list args;

	va_start(args, format);
	loom_buf_addfv(&line, format, args);
	va_end(args);
	c->findings++;
	if (c->opts->finding)
		c->opts->finding(c->opts->ctx, loom_buf_str(&line));
	loom_buf_fini(&line);
}

static enum loom_status check_structure(struct checker *c)
{
	static const char quick[] = "PRAGMA quick_check(20)";
	static const char full[] = "PRAGMA integrity_check(20)";
	struct query q = model_query(c->store, c->opts->deep ? full : quick, c->err);

	while (model_row(&q)) {
		struct loom_str said = model_borrow(&q, 0);

		if (!loom_str_is(said, "ok"))
			report(c, "structure: %.*s", LOOM_STR_ARG(said));
	}
	return model_done(&q);
}

static enum loom_status check_foreign_keys(struct checker *c)
{
	struct query q = model_query(c->store, "PRAGMA foreign_key_check", c->err);

	while (model_row(&q))
		report(c, "%.*s row %lld: what it refers to in %.*s is missing",
		       LOOM_STR_ARG(model_borrow(&q, 0)), (long long)model_int(&q, 1),
		       LOOM_STR_ARG(model_borrow(&q, 2)));
	return model_done(&q);
}

/* Each query gives the rows that should not be: a number and what is wrong with it. */
static const char *const rules[] = {
	"SELECT n.id, 'node %lld: its parent is missing' FROM node n LEFT JOIN node p ON "
	"p.id = n.parent WHERE n.parent IS NOT NULL AND p.id IS NULL LIMIT 100",
	"SELECT n.id, 'node %lld: it stands above its parent or beside its depth' FROM node n "
	"JOIN node p ON p.id = n.parent WHERE n.depth <> p.depth + 1 OR n.tree <> p.tree "
	"OR p.id >= n.id LIMIT 100",
	"SELECT n.id, 'node %lld: a second root' FROM node n JOIN tree t ON t.id = n.tree "
	"WHERE n.parent IS NULL AND n.grp <> t.root LIMIT 100",
	"SELECT n.id, 'node %lld: its text is missing' FROM node n LEFT JOIN body b ON b.id = n.id "
	"WHERE b.id IS NULL AND NOT EXISTS(SELECT 1 FROM op WHERE id = n.op AND state = 3) "
	"LIMIT 100",
	"SELECT n.id, 'node %lld: its size is not as recorded' FROM node n JOIN body b ON "
	"b.id = n.id WHERE n.bytes <> length(b.text) LIMIT 100",
	"SELECT n.id, 'node %lld: its group is missing' FROM node n LEFT JOIN node g ON g.id = "
	"n.grp "
	"WHERE g.id IS NULL OR g.tree <> n.tree OR g.id > n.id LIMIT 100",
	"SELECT n.id, 'node %lld: its jump pointer leads nowhere above it' FROM node n LEFT JOIN "
	"node j ON j.id = n.jump WHERE j.id IS NULL OR (j.depth >= n.depth AND n.depth > 0) "
	"LIMIT 100",
	"SELECT n.id, 'node %lld: its operation is missing' FROM node n LEFT JOIN op o ON "
	"o.id = n.op WHERE o.id IS NULL LIMIT 100",
	"SELECT t.id, 'tree %lld: its root is missing' FROM tree t LEFT JOIN node n ON n.id = "
	"t.root "
	"WHERE n.id IS NULL OR n.parent IS NOT NULL LIMIT 100",
	"SELECT thread, 'thread %lld: its log has a gap' FROM log GROUP BY thread "
	"HAVING max(seq) + 1 <> count(*) LIMIT 100",
	"SELECT n.id, 'node %lld: what it was written from is not its parent' FROM node n LEFT "
	"JOIN node f ON f.id = n.from_node WHERE n.parent IS NOT NULL AND (f.id IS NULL OR "
	"f.grp <> n.parent) LIMIT 100",
	"SELECT n.id, 'node %lld: what it is a version of does not stand beside it' FROM node n "
	"LEFT JOIN node e ON e.id = n.edited_from WHERE n.edited_from IS NOT NULL AND (e.id IS "
	"NULL OR e.tree <> n.tree OR e.parent IS NOT n.parent OR e.id >= n.id) LIMIT 100",
	"SELECT n.id, 'node %lld: its author is missing' FROM node n LEFT JOIN agent a ON a.id = "
	"n.author WHERE a.id IS NULL LIMIT 100",
	"SELECT t.id, 'tree %lld: the next number it gives is in use' FROM tree t WHERE "
	"t.next_num <= (SELECT max(num) FROM node WHERE tree = t.id) OR "
	"-t.next_note >= (SELECT min(num) FROM node WHERE tree = t.id) LIMIT 100",
	"SELECT h.id, 'thread %lld: its position is not in its tree' FROM thread h LEFT JOIN node "
	"n "
	"ON n.id = h.position WHERE n.id IS NULL OR n.tree <> h.tree LIMIT 100",
	"SELECT l.id, 'link %lld: what it leads to is missing' FROM link l LEFT JOIN node n ON "
	"n.id = l.to_node LEFT JOIN doc d ON d.id = l.to_doc LEFT JOIN tree t ON t.id = l.to_tree "
	"WHERE (l.to_node IS NOT NULL AND n.id IS NULL) OR (l.to_doc IS NOT NULL AND d.id IS NULL) "
	"OR (l.to_tree IS NOT NULL AND t.id IS NULL) LIMIT 100",
	"SELECT p.id, 'pin %lld: what it holds is missing' FROM pin p LEFT JOIN node n ON n.id = "
	"p.node LEFT JOIN doc d ON d.id = p.doc WHERE (p.node <> 0 AND n.id IS NULL) OR "
	"(p.doc <> 0 AND d.id IS NULL) LIMIT 100",
	/* SQLite itself does not count the entries of a partial index */
	"SELECT i.op, 'operation %lld: what it changed is missing' FROM op_change i INDEXED BY "
	"op_change_target WHERE i.field >= 0 AND NOT EXISTS(SELECT 1 FROM op_change c WHERE "
	"c.op = i.op AND c.seq = i.seq) LIMIT 100",
	"SELECT rowid, 'counter %lld: what it counts is missing' FROM sqlite_sequence WHERE "
	"typeof(seq) <> 'integer' OR name NOT IN (SELECT name FROM sqlite_schema WHERE "
	"type = 'table') LIMIT 100",
	"SELECT g.id, 'grove %lld: its owner is missing' FROM grove g LEFT JOIN agent a ON a.id = "
	"g.owner WHERE a.id IS NULL",
	"SELECT d.id, 'document %lld: its current version is missing' FROM doc d LEFT JOIN docver "
	"v "
	"ON v.id = d.head WHERE v.id IS NULL OR v.doc <> d.id LIMIT 100",
};

/* Needs a look at every group: part of the deep check. */
static const char *const deep_rules[] = {
	"SELECT g.id, 'node %lld: its child count is not what is there' FROM node g WHERE g.id = "
	"g.grp "
	"AND g.kind = 0 AND EXISTS(SELECT 1 FROM op WHERE id = g.op AND state = 1) AND "
	"g.children <> (SELECT count(*) FROM node n JOIN op o ON o.id = n.op AND o.state = 1 WHERE "
	"n.parent = g.id AND n.kind = 0 AND n.id = n.grp AND (NOT EXISTS(SELECT 1 FROM mark m "
	"WHERE "
	"m.id = n.id AND m.pruned = 1) OR EXISTS(SELECT 1 FROM node v JOIN op vo ON vo.id = v.op "
	"AND "
	"vo.state = 1 LEFT JOIN mark vm ON vm.id = v.id WHERE v.grp = n.id AND v.id <> v.grp AND "
	"coalesce(vm.pruned, 0) = 0))) LIMIT 100",
	"SELECT n.id, 'node %lld: its jump pointer is not the one of its depth' FROM node n JOIN "
	"node "
	"p ON p.id = n.parent JOIN node j ON j.id = p.jump JOIN node k ON k.id = j.jump WHERE "
	"n.jump <> iif(p.depth > 0 AND p.depth - j.depth = j.depth - k.depth, k.id, p.id) "
	"LIMIT 100",
};

static enum loom_status check_rule(struct checker *c, const char *rule)
{
	struct query q = model_query(c->store, rule, c->err);

	while (model_row(&q)) {
		struct loom_str said = model_borrow(&q, 1);
		size_t at = loom_str_find(said, LOOM_STR("%lld"), 0);

		report(c, "%.*s%lld%.*s", (int)at, said.p, (long long)model_int(&q, 0),
		       LOOM_STR_ARG(loom_str_sub(said, at + 4, said.n)));
	}
	return model_done(&q);
}

static enum loom_status check_documents(struct checker *c)
{
	struct query q = model_query(c->store, "SELECT id, text, hash FROM docver", c->err);

	while (model_row(&q)) {
		struct loom_hash hash = loom_sha256(model_borrow(&q, 1));
		struct loom_str kept = model_borrow(&q, 2);

		if (kept.n != 32 || memcmp(kept.p, hash.bytes, 32) != 0)
			report(c, "document version %lld: its text is not what was written",
			       (long long)model_int(&q, 0));
	}
	return model_done(&q);
}

static void report_node(void *ctx, const struct loom_node *node, const char *why)
{
	struct checker *c = ctx;
	char name[LOOM_LOCAL_MAX];

	if (loom_node_name(c->store, node, name, NULL) != LOOM_OK)
		snprintf(name, sizeof name, "?");
	report(c, "node %lld [%s]: %s", (long long)node->id, name, why);
}

static enum loom_status check_tree(struct checker *c, const struct loom_tree *tree)
{
	struct loom_count count;
	enum loom_status status =
		loom_node_subtree(c->store, tree->root, c->opts->cancel, &count, c->err);

	if (status == LOOM_OK && (count.nodes != tree->nodes || count.leaves != tree->leaves ||
				  count.branches != tree->branches))
		report(c,
		       "tree %lld: its counters say %lld nodes, %lld leaves, %lld branches; there "
		       "are "
		       "%lld, %lld, %lld",
		       (long long)tree->id, (long long)tree->nodes, (long long)tree->leaves,
		       (long long)tree->branches, (long long)count.nodes, (long long)count.leaves,
		       (long long)count.branches);
	return status;
}

static enum loom_status check_trees(struct checker *c)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree *trees = NULL;
	size_t count = 0;
	enum loom_status status = loom_tree_list(c->store, arena, &trees, &count, c->err);

	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		status = check_tree(c, &trees[i]);
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status check_deep(struct checker *c)
{
	struct loom_verify_opts verify = {.cancel = c->opts->cancel, .bad = report_node, .ctx = c};
	int64_t checked = 0;
	int64_t bad = 0;
	enum loom_status status = loom_node_verify(c->store, &verify, &checked, &bad, c->err);

	for (size_t i = 0; i < LOOM_COUNT(deep_rules) && status == LOOM_OK; i++)
		status = check_rule(c, deep_rules[i]);
	if (status == LOOM_OK)
		status = check_trees(c);
	return status == LOOM_OK ? check_documents(c) : status;
}

/* SQLite reads zeros for what a cut took off the last page. With a log beside it the page may still
 * be on its way. */
static enum loom_status check_length(struct checker *c)
{
	struct query q = model_query(c->store, "SELECT page_size FROM pragma_page_size", c->err);
	struct loom_buf log = LOOM_BUF_INIT(PATH_MAX);
	struct stat file;
	struct stat beside;
	int64_t page = 0;
	enum loom_status status = model_one(&q, 0, &page);

	loom_buf_addf(&log, "%s-wal", loom_buf_cstr(&c->store->file));
	if (status == LOOM_OK && page && !stat(loom_buf_cstr(&c->store->file), &file) &&
	    file.st_size % page && (stat(loom_buf_cstr(&log), &beside) || !beside.st_size))
		report(c, "the file ends in the middle of a page: its end is missing");
	loom_buf_fini(&log);
	return status;
}

/* What needs a sound structure below it. */
static enum loom_status check_rows(struct checker *c)
{
	enum loom_status status = next_part(c);

	if (status == LOOM_OK)
		status = check_foreign_keys(c);
	for (size_t i = 0; i < LOOM_COUNT(rules) && status == LOOM_OK; i++) {
		status = next_part(c);
		if (status == LOOM_OK)
			status = check_rule(c, rules[i]);
	}
	return status == LOOM_OK && c->opts->deep ? check_deep(c) : status;
}

enum loom_status loom_store_check(struct loom_store *store, const struct loom_check_opts *opts,
				  int64_t *out_findings, struct loom_err *err)
{
	struct checker c = {.store = store,
			    .opts = opts,
			    .err = err,
			    .total = LOOM_COUNT(rules) + 2};
	enum loom_status status = loom_store_view(store, err);

	*out_findings = 0;
	if (status != LOOM_OK)
		return status;
	status = next_part(&c);
	if (status == LOOM_OK)
		status = check_structure(&c);
	if (status == LOOM_OK)
		status = check_length(&c);
	/* With a broken structure the rows cannot be trusted to say anything. */
	if (status == LOOM_OK && c.findings == 0)
		status = check_rows(&c);
	loom_store_unview(store);
	*out_findings = c.findings;
	/* Damage that stops the check is a finding, not a failure of the check. */
	if (status == LOOM_DAMAGED) {
		++*out_findings;
		if (opts->finding)
			opts->finding(opts->ctx, loom_str_of(err ? err->text : "damaged"));
		status = LOOM_OK;
	}
	return status;
}
