/* Checks a grove: SQLite's findings, consistency of the rows, and the counters. */
#include <loom/tree/tree_rows.h>

#include <limits.h>
#include <sys/stat.h>

#include <loom/tree/node.h>

struct checker {
	struct loom_store *store;
	const struct loom_check_opts *opts;
	struct loom_err *err;
	int64_t findings;
	uint64_t parts; /* done so far, out of */
	uint64_t total;
};

/* Between two parts of a check: reports progress and checks for cancellation. */
static enum loom_status next_part(struct checker *c)
{
	loom_task_report(c->store->task, c->parts++, c->total);
	LOOM_ASSERT(c->parts <= c->total);
	if (loom_task_cancelled(c->store->task))
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
		report(c, "row %lld of table \"%.*s\": what it refers to in \"%.*s\" is missing",
		       (long long)model_int(&q, 1), LOOM_STR_ARG(model_borrow(&q, 0)),
		       LOOM_STR_ARG(model_borrow(&q, 2)));
	return model_done(&q);
}

/* Each query returns the rows that should not exist: a number and what is wrong with it. */
static const char *const rules[] = {
	"SELECT n.id, 'node %lld: its parent is missing' FROM node n LEFT JOIN node p ON "
	"p.id = n.parent WHERE n.parent IS NOT NULL AND p.id IS NULL LIMIT 100",
	"SELECT n.id, 'node %lld: it stands above its parent or beside its depth' FROM node n "
	"JOIN node p ON p.id = n.parent WHERE (n.depth <> p.depth + 1 OR n.tree <> p.tree "
	"OR p.id >= n.id) AND NOT EXISTS(SELECT 1 FROM hung WHERE id = n.grp) LIMIT 100",
	"SELECT h.id, 'node %lld: it was not born where its first place says' FROM hung h LEFT "
	"JOIN node n ON n.id = h.id LEFT JOIN node p ON p.id = h.born LEFT JOIN node f ON f.id = "
	"h.born_from WHERE n.id IS NULL OR n.tree <> h.tree OR n.depth <> h.depth OR n.id <> n.grp "
	"OR coalesce(p.depth, -1) + 1 <> h.depth OR coalesce(p.id, 0) >= h.id OR coalesce(p.tree, "
	"n.tree) <> n.tree OR f.grp IS NOT h.born LIMIT 100",
	"SELECT h.id, 'node %lld: it hangs elsewhere than its place says' FROM hung h JOIN node n "
	"ON n.id = h.id OR (n.grp = h.id AND n.id <> n.grp) LEFT JOIN node p ON p.id = n.parent "
	"WHERE coalesce(n.parent, 0) || ' ' || coalesce(n.from_node, 0) || ' ' || n.ord <> h.place "
	"OR coalesce(p.tree, n.tree) <> n.tree LIMIT 100",
	"SELECT id, 'node %lld: it is no node of the story, and hangs on nothing' FROM node "
	"WHERE parent IS NULL AND kind <> 0 LIMIT 100",
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
	"t.root WHERE n.id IS NULL OR n.tree <> t.id OR n.depth <> 0 OR NOT EXISTS(SELECT 1 FROM "
	"node r WHERE r.parent IS NULL AND r.tree = t.id AND r.id = r.grp) LIMIT 100",
	"SELECT r.tree, 'tree %lld: two of its roots stand in one place' FROM node r WHERE "
	"r.parent IS NULL AND r.id = r.grp GROUP BY r.tree, r.ord HAVING count(*) > 1 LIMIT 100",
	"SELECT thread, 'thread %lld: its log has a gap' FROM log GROUP BY thread "
	"HAVING max(seq) + 1 <> count(*) LIMIT 100",
	"SELECT n.id, 'node %lld: what it was written from is not its parent' FROM node n LEFT "
	"JOIN node f ON f.id = n.from_node WHERE n.parent IS NOT NULL AND (f.id IS NULL OR "
	"f.grp <> n.parent) LIMIT 100",
	"SELECT n.id, 'node %lld: what it is a version of does not stand beside it' FROM node n "
	"LEFT JOIN node e ON e.id = n.edited_from WHERE n.edited_from IS NOT NULL AND (e.id IS "
	"NULL OR e.tree <> n.tree OR (e.parent IS NOT n.parent AND NOT EXISTS(SELECT 1 FROM hung "
	"WHERE id IN (e.grp, n.grp))) OR e.id >= n.id) LIMIT 100",
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
	/* SQLite's check does not count the entries of a partial index */
	"SELECT i.op, 'operation %lld: what it changed is missing' FROM op_change i INDEXED BY "
	"op_change_target WHERE i.field >= 0 AND NOT EXISTS(SELECT 1 FROM op_change c WHERE "
	"c.op = i.op AND c.seq = i.seq) LIMIT 100",
	/* A long write's number may be from its beginning, and its event a later one. */
	"SELECT o.id, 'operation %lld: the event by which it took effect is missing' FROM op o "
	"LEFT "
	"JOIN event e ON e.seq = o.applied AND e.op = o.id WHERE o.state IN (1, 2) AND o.applied > "
	"0 "
	"AND e.seq IS NULL AND NOT EXISTS(SELECT 1 FROM event l WHERE l.seq > o.applied AND l.op = "
	"o.id) LIMIT 100",
	"SELECT rowid, 'counter %lld: what it counts is missing' FROM sqlite_sequence WHERE "
	"typeof(seq) <> 'integer' OR name NOT IN (SELECT name FROM sqlite_schema WHERE "
	"type = 'table') LIMIT 100",
	"SELECT g.id, 'grove %lld: its owner is missing' FROM grove g LEFT JOIN agent a ON a.id = "
	"g.owner WHERE a.id IS NULL",
	"SELECT m.id, 'member %lld: its person is missing' FROM member m LEFT JOIN agent a ON "
	"a.id = m.agent WHERE a.id IS NULL OR a.kind <> 0 LIMIT 100",
	"SELECT d.id, 'document %lld: its current version is missing' FROM doc d LEFT JOIN docver "
	"v "
	"ON v.id = d.head WHERE v.id IS NULL OR v.doc <> d.id LIMIT 100",
};

/* Visits every group, so only in the deep check. */
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
	"p ON p.id = " MODEL_BORN("born",
				  "n.parent") " JOIN node j ON "
					      "j.id = p.jump JOIN node k ON k.id = j.jump WHERE "
					      "n.jump <> iif(p.depth > 0 AND p.depth - j.depth = "
					      "j.depth - k.depth, k.id, p.id) "
					      "LIMIT 100",
};

static enum loom_status check_rule(struct checker *c, const char *rule)
{
	struct query q = model_query(c->store, rule, c->err);

	while (model_row(&q)) {
		struct loom_str said = model_borrow(&q, 1);
		size_t at = loom_str_find(said, LOOM_STR("%lld"), 0);

		LOOM_ASSERT(at != SIZE_MAX);
		report(c, "%.*s%lld%.*s", (int)at, said.p, (long long)model_int(&q, 0),
		       LOOM_STR_ARG(loom_str_sub(said, at + 4, said.n)));
	}
	return model_done(&q);
}

/* Compares the texts of rows (name, text, hash) with their hashes. */
static enum loom_status check_texts(struct checker *c, const char *what, const char *sql)
{
	struct query q = model_query(c->store, sql, c->err);

	while (model_row(&q)) {
		struct loom_hash hash = loom_sha256(model_borrow(&q, 1));
		struct loom_str kept = model_borrow(&q, 2);

		if (kept.n != 32 || memcmp(kept.p, hash.bytes, 32) != 0)
			report(c, "%s %.*s: its text is not the one written", what,
			       LOOM_STR_ARG(model_borrow(&q, 0)));
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
	enum loom_status status = loom_node_subtree(c->store, loom_top(tree->id), &count, c->err);

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
	struct loom_verify_opts verify = {.bad = report_node, .ctx = c};
	int64_t checked = 0;
	int64_t bad = 0;
	enum loom_status status = loom_node_verify(c->store, &verify, &checked, &bad, c->err);

	for (size_t i = 0; i < LOOM_COUNT(deep_rules) && status == LOOM_OK; i++)
		status = check_rule(c, deep_rules[i]);
	if (status == LOOM_OK)
		status = check_trees(c);
	if (status == LOOM_OK)
		status = check_texts(c, "document version",
				     "SELECT CAST(id AS TEXT), text, hash FROM docver");
	return status == LOOM_OK ? check_texts(c, "part of what models were sent",
					       "SELECT lower(hex(substr(hash, 1, 4))), body, hash "
					       "FROM part")
				 : status;
}

/* SQLite reads zeros where the last page was cut off. With a log, the page may still be on its
 * way. */
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

/* Checks that require a sound structure. */
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

	LOOM_ASSERT(opts && out_findings);
	*out_findings = 0;
	if (status != LOOM_OK)
		return status;
	status = next_part(&c);
	if (status == LOOM_OK)
		status = check_structure(&c);
	if (status == LOOM_OK)
		status = check_length(&c);
	/* Rows in a broken structure prove nothing. */
	if (status == LOOM_OK && c.findings == 0)
		status = check_rows(&c);
	loom_store_unview(store);
	*out_findings = c.findings;
	/* Damage that stops the check is a finding, not a failure. */
	if (status == LOOM_DAMAGED) {
		++*out_findings;
		if (opts->finding)
			opts->finding(opts->ctx, loom_str_of(err ? err->text : "damaged"));
		status = LOOM_OK;
	}
	return status;
}
