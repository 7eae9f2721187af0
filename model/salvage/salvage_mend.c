/* Turns salvaged rows into a grove again: a lost row that others depend on is made up, and says so;
 * positions, counters and numbers that can be computed are recomputed.
 *
 * A made-up row's name begins with "lost-"; a made-up node is excluded from every context, and its
 * hash does not match its text, so that `loom verify` always names it. */
#include <sqlite3.h>

#include "salvage_stage.h"
#include <loom/grove/sql.h>

#define STRAY_ROUNDS 100
#define OWNER        "coalesce((SELECT owner FROM main.grove), 1)"
/* Sixteen bytes nobody else has. */
#define LOST(kind, id) "CAST(printf('lost-" kind "-%08d', " id ") AS BLOB)"
/* A column that should be JSON but no longer is, as a text within JSON. */
#define WAS(column)                                                                                \
	"CASE typeof(" column                                                                      \
	") WHEN 'text' THEN json_object('salvage', 'damaged', 'was', " column                      \
	") ELSE '{\"salvage\":\"damaged\"}' END"
/* After every sibling that was counted. */
#define BEHIND "1073741824 + "

/* clang-format off */
/* The first rows of a new grove step aside; a grove without a person gets its own back. */
static const char *const opening[] = {
	"CREATE TABLE stage.seed_agent AS SELECT * FROM main.agent;"
	"CREATE TABLE stage.seed_grove AS SELECT * FROM main.grove;"
	"DELETE FROM main.event; DELETE FROM main.op; DELETE FROM main.agent;"
	"DELETE FROM main.grove; DELETE FROM main.member;",
	NULL};

/* Values passed on as JSON must be JSON. */
static const char *const spoiled[] = {
	"UPDATE stage.body SET extra = " WAS("extra") " WHERE extra IS NOT NULL AND NOT "
	"json_valid(extra);",
	"UPDATE stage.generation SET record = " WAS("record") " WHERE NOT json_valid(record);",
	"UPDATE stage.log SET kind = 'note', refs = NULL, payload = " WAS("payload") " WHERE NOT "
	"json_valid(payload);",
	"UPDATE stage.agent SET sampling = '' WHERE sampling <> '' AND NOT json_valid(sampling);",
	NULL};

/* Two places record whether a step was done; nothing is hidden on the word of one. Dead steps stay
 * as they are: nobody deletes them on the word of a damaged file. */
static const char *const steps[] = {
	"UPDATE stage.op SET state = 1 WHERE state <> 1 AND (SELECT act FROM stage.event e WHERE "
	"e.op = stage.op.id ORDER BY seq DESC LIMIT 1) IN (0, 2);",
	"UPDATE stage.op SET state = 3, session = '' WHERE state NOT IN (1, 2);",
	NULL};

static const char *const people[] = {
	"INSERT INTO main.agent(id, op, ulid, name, kind, model, sampling, aware, created, ver) "
	"SELECT (SELECT coalesce(max(id), 0) FROM main.agent) + id, op, iif(ulid IN (SELECT ulid "
	"FROM main.agent), randomblob(16), ulid), name, kind, model, sampling, aware, created, ver "
	"FROM stage.seed_agent WHERE kind = 0 AND NOT EXISTS(SELECT "
	"1 FROM main.agent WHERE kind = 0 AND claim = 0);",
	"INSERT OR IGNORE INTO main.grove(id, ulid, created, owner) SELECT 1, ulid, created, "
	"(SELECT min(id) FROM main.agent WHERE kind = 0 AND claim = 0) FROM stage.seed_grove;",
	"UPDATE main.grove SET owner = (SELECT min(id) FROM main.agent WHERE kind = 0 AND claim = "
	"0) WHERE owner NOT IN (SELECT id FROM main.agent WHERE claim = 0);",
	MODEL_CLAIM_IMPORTED,
	NULL};

/* Nodes, each once. state: 0 unchanged, 1 moved, 2 made up. */
static const char *const nodes[] = {
	"CREATE TABLE stage.n(id INTEGER PRIMARY KEY, ulid, tree, num, prime, kind, grp, parent, "
	"ord, depth, jump, from_node, edited_from, op, author, thread, seq, created, state, sure);",
	"INSERT OR IGNORE INTO stage.n SELECT id, ulid, tree, num, prime, kind, grp, parent, ord, "
	"depth, jump, from_node, edited_from, max(op, 1), author, thread, seq, created, 0, sure "
	"FROM stage.node x WHERE id > 0 AND tree > 0 ORDER BY sure DESC, EXISTS(SELECT 1 FROM "
	"main.tree t WHERE t.id = x.tree AND t.root = x.id) DESC;",
	"CREATE TABLE stage.b(id INTEGER PRIMARY KEY, text, hash, parents, raw_hash, original, "
	"extra);",
	/* Of two texts with one number, the one whose hash its neighbours record counts. */
	"CREATE INDEX stage.body_id ON body(id); CREATE INDEX stage.n_from ON n(from_node);",
	"INSERT OR IGNORE INTO stage.b SELECT id, text, hash, parents, raw_hash, original, extra "
	"FROM stage.body c WHERE id IN (SELECT id FROM stage.body GROUP BY id HAVING "
	"count(DISTINCT hash) > 1) AND length(hash) = 32 ORDER BY EXISTS(SELECT 1 FROM stage.n x "
	"JOIN stage.body k ON k.id = x.id WHERE x.from_node = c.id AND instr(k.parents, c.hash)) + "
	"EXISTS(SELECT 1 FROM stage.n x JOIN stage.body p ON p.id = x.from_node WHERE x.id = c.id "
	"AND length(p.hash) = 32 AND instr(c.parents, p.hash)) DESC, sure DESC;",
	"INSERT OR IGNORE INTO stage.b SELECT id, text, hash, parents, raw_hash, original, extra "
	"FROM stage.body ORDER BY sure DESC;",
	"UPDATE stage.n SET state = max(state, 1) WHERE id IN (SELECT id FROM stage.b WHERE extra "
	"GLOB '{\"salvage\":\"damaged\"*') OR id IN (SELECT id FROM stage.generation WHERE record "
	"GLOB '{\"salvage\":\"damaged\"*');",
	"UPDATE stage.n SET grp = id, state = 1 WHERE grp > id OR grp < 1;",
	/* trees known only from their nodes */
	"INSERT INTO main.tree(id, op, ulid, mode, key, root, title, created, active) SELECT tree, "
	"min(op), " LOST("tr", "tree") ", max(grp <> id), tree, 0, 'salvaged tree ' || tree, "
	"min(created), max(created) FROM stage.n WHERE tree NOT IN (SELECT id FROM main.tree) "
	"GROUP BY tree;",
	/* The root is a node that says so, unless more than a few nodes precede it, for they could
	 * not be below it; otherwise the lost one above all. */
	"CREATE INDEX stage.n_tree ON n(tree);",
	"UPDATE main.tree SET root = coalesce((SELECT min(r.id) FROM stage.n r WHERE r.tree = "
	"main.tree.id AND r.parent IS NULL AND r.grp = r.id AND (SELECT 8 * sum(b.id < r.id) <= "
	"count(*) FROM stage.n b WHERE b.tree = r.tree)), (SELECT min(x.parent) FROM stage.n x WHERE "
	"x.tree = main.tree.id AND x.parent BETWEEN 1 AND (SELECT min(id) - 1 FROM stage.n WHERE "
	"tree = main.tree.id) AND x.parent NOT IN (SELECT id FROM stage.n)), (SELECT min(id) FROM "
	"stage.n WHERE tree = main.tree.id)) WHERE EXISTS(SELECT 1 FROM stage.n WHERE tree = "
	"main.tree.id) AND (root < 1 OR root > (SELECT min(id) FROM stage.n WHERE tree = "
	"main.tree.id) OR EXISTS(SELECT 1 FROM stage.n WHERE id = root AND tree <> main.tree.id));",
	"INSERT OR IGNORE INTO stage.n SELECT root, " LOST("nd", "root") ", id, 0, 0, 0, root, "
	"NULL, 1, 0, root, NULL, NULL, op, " OWNER ", NULL, NULL, created, 2, 0 FROM main.tree "
	"WHERE root > 0;",
	/* Everything below one lost node is one tree, whatever the rows say. */
	"UPDATE stage.n SET tree = (SELECT r.tree FROM main.tree t JOIN stage.n r ON r.id = t.root "
	"WHERE t.id = stage.n.tree), state = max(state, 1) WHERE tree IN (SELECT t.id FROM main.tree "
	"t JOIN stage.n r ON r.id = t.root WHERE r.tree <> t.id);",
	"UPDATE stage.n SET parent = NULL, from_node = NULL, edited_from = NULL, grp = id, kind = "
	"0, state = 1 WHERE id IN (SELECT root FROM main.tree) AND (parent IS NOT NULL OR grp <> "
	"id OR kind <> 0) AND id NOT IN (SELECT id FROM stage.hung WHERE born IS NULL);",
	/* the first versions of groups, and parents */
	"INSERT OR IGNORE INTO stage.n SELECT grp, " LOST("nd", "grp") ", min(tree), min(num), 0, "
	"min(kind), grp, min(parent), min(ord), 0, 0, min(parent), NULL, min(op), " OWNER ", NULL, "
	"NULL, min(created), 2, 0 FROM stage.n WHERE grp NOT IN (SELECT id FROM stage.n) GROUP BY "
	"grp;",
	"INSERT OR IGNORE INTO stage.n SELECT x.parent, " LOST("nd", "x.parent") ", x.tree, "
	"1000000 + x.parent, 0, 0, x.parent, t.root, " BEHIND "x.parent, 0, 0, t.root, NULL, "
	"min(x.op), " OWNER ", NULL, NULL, min(x.created), 2, 0 FROM stage.n x JOIN main.tree t ON "
	"t.id = x.tree WHERE x.parent NOT IN (SELECT id FROM stage.n) AND x.parent > t.root AND "
	"x.parent < x.id GROUP BY x.parent;",
	NULL};

/* A branch that was moved is mended where it was born, and hung where it hung again when all is in
 * its place, unless that made a circle. */
static const char *const moved[] = {
	"CREATE TABLE stage.moved(id INTEGER PRIMARY KEY, parent, from_node, ord, born, born_from);",
	"INSERT OR IGNORE INTO stage.moved SELECT n.id, n.parent, n.from_node, n.ord, h.born, "
	"h.born_from FROM stage.hung h JOIN stage.n n ON n.id = h.id AND n.grp = n.id LEFT JOIN "
	"stage.n p ON p.id = h.born AND p.id < n.id AND p.tree = n.tree AND p.grp = p.id WHERE p.id "
	"IS h.born ORDER BY h.sure DESC;",
	"UPDATE stage.n SET (parent, from_node, ord) = (SELECT m.born, m.born_from, " BEHIND
	"m.id FROM stage.moved m WHERE m.id = stage.n.grp) WHERE grp IN (SELECT id FROM stage.moved);",
	NULL};

#define PLACE_OF                                                                                   \
	"coalesce(n.parent, 0) || ' ' || coalesce(n.from_node, 0) || ' ' || n.ord"

static const char *const rehung[] = {
	"DELETE FROM stage.moved WHERE id NOT IN (SELECT id FROM main.node) OR (parent IS NOT NULL "
	"AND NOT EXISTS(SELECT 1 FROM main.node n JOIN main.node f ON f.tree = n.tree WHERE n.id = "
	"stage.moved.id AND f.id = stage.moved.from_node AND f.grp = stage.moved.parent));",
	"DELETE FROM stage.moved WHERE EXISTS(WITH RECURSIVE up(id) AS (SELECT stage.moved.parent "
	"UNION SELECT iif(m.id IS NULL, n.parent, m.parent) FROM up JOIN main.node n ON n.id = up.id LEFT "
	"JOIN stage.moved m ON m.id = up.id) SELECT 1 FROM up WHERE up.id = stage.moved.id);",
	"UPDATE stage.moved SET ord = " BEHIND "id WHERE EXISTS(SELECT 1 FROM main.node n WHERE "
	"n.parent IS stage.moved.parent AND n.ord = stage.moved.ord AND n.id = n.grp AND n.tree = "
	"(SELECT tree FROM main.node WHERE id = stage.moved.id)) OR (SELECT count(*) FROM "
	"stage.moved o WHERE o.parent IS stage.moved.parent AND o.ord = stage.moved.ord) > 1;",
	"DELETE FROM main.hung WHERE id NOT IN (SELECT id FROM main.node WHERE id = grp);",
	"UPDATE main.hung SET (tree, depth, born, born_from) = (SELECT n.tree, n.depth, n.parent, "
	"n.from_node FROM main.node n WHERE n.id = main.hung.id);",
	"UPDATE main.node SET (parent, from_node, ord) = (SELECT m.parent, m.from_node, m.ord FROM "
	"stage.moved m WHERE m.id = main.node.grp) WHERE grp IN (SELECT m.id FROM stage.moved m JOIN "
	"main.hung h ON h.id = m.id);",
	"UPDATE main.hung SET place = (SELECT " PLACE_OF " FROM main.node n WHERE n.id = "
	"main.hung.id);",
	NULL};

/* Nodes without a place go below the root, unless they are roots themselves; versions beside their first. Repeated, because a moved
 * node may have been above another. */
static const char *const astray[] = {
	"UPDATE stage.n SET grp = id, state = max(state, 1) WHERE grp <> id AND EXISTS(SELECT 1 "
	"FROM stage.n g WHERE g.id = stage.n.grp AND g.grp <> g.id);",
	"CREATE TABLE IF NOT EXISTS stage.astray(id INTEGER PRIMARY KEY, root);"
	"DELETE FROM stage.astray;",
	"INSERT INTO stage.astray SELECT n.id, t.root FROM stage.n n JOIN main.tree t ON t.id "
	"= n.tree LEFT JOIN stage.n p ON p.id = n.parent WHERE n.id <> t.root AND n.grp <> t.root "
	"AND (p.id IS NULL OR p.tree <> n.tree OR p.id >= n.grp OR p.grp <> p.id) AND NOT (n.parent "
	"IS NULL AND n.kind = 0 AND n.state < 2);",
	"UPDATE stage.n SET parent = (SELECT root FROM stage.astray a WHERE a.id = stage.n.id), "
	"ord = " BEHIND "id, state = max(state, 1) WHERE id IN (SELECT id FROM stage.astray);",
	"DELETE FROM stage.n WHERE id IN (SELECT id FROM stage.astray WHERE id <= root);",
	"DELETE FROM stage.n WHERE grp NOT IN (SELECT id FROM stage.n);",
	"UPDATE stage.n SET (tree, parent, ord, kind) = (SELECT g.tree, g.parent, g.ord, g.kind "
	"FROM stage.n g WHERE g.id = stage.n.grp), state = max(state, 1) WHERE grp <> id AND "
	"EXISTS(SELECT 1 FROM stage.n g WHERE g.id = stage.n.grp AND (g.tree <> stage.n.tree OR "
	"g.parent IS NOT stage.n.parent OR g.kind <> stage.n.kind));",
	NULL};

static const char *const numbers[] = {
	"UPDATE stage.n SET from_node = parent WHERE parent IS NOT NULL AND NOT EXISTS(SELECT 1 "
	"FROM stage.n f WHERE f.id = stage.n.from_node AND f.id < stage.n.id AND f.grp = stage.n.parent);",
	"UPDATE stage.n SET edited_from = NULL WHERE edited_from IS NOT NULL AND NOT EXISTS(SELECT "
	"1 FROM stage.n e WHERE e.id = stage.n.edited_from AND e.tree = stage.n.tree AND (e.parent "
	"IS stage.n.parent OR EXISTS(SELECT 1 FROM stage.moved WHERE id IN (e.grp, stage.n.grp))) "
	"AND e.id < stage.n.id);",
	/* duplicate numbers */
	"UPDATE stage.n SET num = 2000000 + id, prime = 0, state = max(state, 1) WHERE id IN "
	"(SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY tree, num, prime ORDER BY "
	"sure DESC, state, id) AS r FROM stage.n) WHERE r > 1);",
	"UPDATE stage.n SET ord = " BEHIND "id, state = max(state, 1) WHERE id IN (SELECT id FROM "
	"(SELECT id, row_number() OVER (PARTITION BY coalesce(parent, -tree), kind, ord ORDER BY "
	"sure DESC, state, id) AS r FROM stage.n WHERE id = grp) WHERE r > 1);",
	"UPDATE stage.n SET ulid = " LOST("nd", "id") ", state = max(state, 1) WHERE id IN (SELECT "
	"id FROM (SELECT id, row_number() OVER (PARTITION BY ulid ORDER BY sure DESC, state, id) "
	"AS r FROM stage.n) WHERE r > 1);",
	NULL};

/* Everything and everybody that rows refer to must exist. */
static const char *const named[] = {
	"UPDATE stage.n SET author = " OWNER " WHERE author < 1;"
	"UPDATE stage.doc SET op = 1 WHERE op < 1;"
	"UPDATE stage.docver SET op = 1 WHERE op < 1;"
	"UPDATE stage.link SET op = 1 WHERE op < 1;",
	"INSERT OR IGNORE INTO main.op(id, uid, state, kind, text, actor, at, applied) SELECT op, "
	LOST("op", "op") ", 1, 'salvage', 'salvaged', " OWNER ", min(at), 0 FROM (SELECT op, "
	"created AS at FROM stage.n UNION ALL SELECT op, created FROM main.agent UNION ALL SELECT "
	"op, created FROM main.tree UNION ALL SELECT op, created FROM stage.link UNION ALL SELECT "
	"op, created FROM stage.doc UNION ALL SELECT op, at FROM stage.docver) WHERE op > 0 AND op "
	"NOT IN (SELECT id FROM main.op) GROUP BY op;",
	"INSERT OR IGNORE INTO main.agent(id, op, ulid, name, kind, created) SELECT id, (SELECT "
	"min(id) FROM main.op), " LOST("ag", "id") ", 'lost author ' || id, 1, min(at) FROM "
	"(SELECT author AS id, created AS at FROM stage.n UNION ALL SELECT author, at FROM "
	"stage.docver UNION ALL SELECT author, created FROM stage.link UNION ALL SELECT agent, "
	"created FROM stage.thread UNION ALL SELECT actor, at FROM main.op) WHERE id > 0 AND id "
	"NOT IN (SELECT id FROM main.agent) GROUP BY id;",
	NULL};

static const char *const placed[] = {
	"CREATE TABLE stage.loose(id INTEGER PRIMARY KEY);"
	"CREATE TABLE stage.bare(id INTEGER PRIMARY KEY);",
	"INSERT INTO stage.loose SELECT id FROM stage.b WHERE id NOT IN (SELECT id FROM stage.n) "
	"AND length(text) > 0;",
	/* Nobody misses the text of a dead node. */
	"INSERT INTO stage.bare SELECT id FROM stage.n WHERE id NOT IN (SELECT id FROM stage.b) "
	"AND op NOT IN (SELECT id FROM main.op WHERE state = 3);",
	"INSERT INTO stage.b SELECT id, CAST('[this text was lost]' AS BLOB), zeroblob(32), x'', "
	"NULL, NULL, '{\"salvage\":\"lost\"}' FROM stage.bare;",
	"INSERT INTO stage.b SELECT id, x'', zeroblob(32), x'', NULL, NULL, NULL FROM stage.n WHERE "
	"id NOT IN (SELECT id FROM stage.b);",
	"INSERT OR IGNORE INTO main.node(id, ulid, tree, num, prime, kind, grp, parent, ord, depth, "
	"jump, from_node, edited_from, op, author, thread, seq, created, children, bytes) SELECT "
	"n.id, ulid, tree, num, prime, kind, grp, parent, ord, depth, jump, from_node, "
	"edited_from, op, author, thread, seq, created, 0, length(b.text) FROM stage.n n JOIN "
	"stage.b b ON b.id = n.id ORDER BY n.id;",
	"INSERT OR IGNORE INTO main.body(id, text, hash, parents, raw_hash, original, extra) "
	"SELECT * FROM stage.b WHERE id IN (SELECT n.id FROM main.node n JOIN main.op o ON "
	"o.id = n.op WHERE o.state <> 3 OR n.bytes > 0);",
	NULL};

static const char *const closing[] = {
	/* A finished operation took effect with an event. A lost event is made up under its number,
	 * unless that belongs to another or is impossible: then the time is unknown. */
	"INSERT OR IGNORE INTO main.event(seq, op, act, actor, at) SELECT applied, id, state - 1, "
	"actor, at FROM main.op WHERE state IN (1, 2) AND applied BETWEEN 1 AND 100000 + 10 * "
	"(SELECT count(*) FROM main.op);",
	"UPDATE main.op SET applied = coalesce((SELECT max(seq) FROM main.event l WHERE l.seq > "
	"main.op.applied AND l.op = main.op.id), 0) WHERE state IN (1, 2) AND NOT EXISTS(SELECT 1 "
	"FROM main.event e WHERE e.seq = main.op.applied AND e.op = main.op.id);",
	"INSERT INTO main.mark(id, tree, excluded) SELECT n.id, n.tree, 1 FROM stage.bare r JOIN "
	"main.node n ON n.id = r.id WHERE true ON CONFLICT(id) DO UPDATE SET excluded = 1;",
	/* documents */
	"INSERT OR IGNORE INTO main.doc(id, op, ulid, name, head, created) SELECT doc, min(op), "
	LOST("dc", "doc") ", 'salvaged document ' || doc, max(id), min(at) FROM main.docver WHERE "
	"doc NOT IN (SELECT id FROM main.doc) GROUP BY doc;",
	"UPDATE main.doc SET head = (SELECT id FROM main.docver v WHERE v.doc = main.doc.id ORDER "
	"BY n DESC LIMIT 1) WHERE EXISTS(SELECT 1 FROM main.docver v WHERE v.doc = main.doc.id) "
	"AND NOT EXISTS(SELECT 1 FROM main.docver v WHERE v.id = head AND v.doc = main.doc.id);",
	"DELETE FROM main.doc WHERE NOT EXISTS(SELECT 1 FROM main.docver v WHERE v.doc = "
	"main.doc.id);",
	/* threads */
	"UPDATE main.thread SET position = (SELECT root FROM main.tree WHERE id = "
	"main.thread.tree) WHERE NOT EXISTS(SELECT 1 FROM main.node n WHERE n.id = position AND "
	"n.tree = main.thread.tree);",
	"INSERT INTO main.log(thread, seq, kind, at, payload) WITH RECURSIVE every(thread, seq, "
	"last) AS (SELECT thread, 0, max(seq) FROM main.log GROUP BY thread UNION ALL SELECT "
	"thread, seq + 1, last FROM every WHERE seq < last) SELECT thread, seq, 'note', 0, "
	"'{\"salvage\":\"lost\"}' FROM every e WHERE NOT EXISTS(SELECT 1 FROM main.log l WHERE "
	"l.thread = e.thread AND l.seq = e.seq);",
	/* dangling references */
	"DELETE FROM main.link WHERE (to_node IS NOT NULL AND to_node NOT IN (SELECT id FROM "
	"main.node)) OR (to_doc IS NOT NULL AND to_doc NOT IN (SELECT id FROM main.doc)) OR "
	"(to_tree IS NOT NULL AND to_tree NOT IN (SELECT id FROM main.tree));",
	"DELETE FROM main.pin WHERE (node <> 0 AND node NOT IN (SELECT id FROM main.node)) OR "
	"(doc <> 0 AND doc NOT IN (SELECT id FROM main.doc));",
	"DELETE FROM main.tree WHERE NOT EXISTS(SELECT 1 FROM main.node n WHERE n.id = root AND "
	"n.tree = main.tree.id);",
	"UPDATE main.grove SET current_tree = NULL WHERE current_tree NOT IN (SELECT id FROM "
	"main.tree);",
	/* what can be counted */
	"UPDATE main.tree SET next_num = max(next_num, 1 + (SELECT max(num) FROM main.node n WHERE "
	"n.tree = main.tree.id)), next_note = max(next_note, 1 - (SELECT min(num) FROM main.node n "
	"WHERE n.tree = main.tree.id));",
	"UPDATE main.node SET children = (SELECT count(*) FROM main.node n JOIN main.op o ON o.id "
	"= n.op AND o.state = 1 WHERE n.parent = main.node.id AND n.kind = 0 AND n.id = n.grp AND "
	"(NOT EXISTS(SELECT 1 FROM main.mark m WHERE m.id = n.id AND m.pruned = 1) OR "
	"EXISTS(SELECT 1 FROM main.node v JOIN main.op vo ON vo.id = v.op AND vo.state = 1 LEFT "
	"JOIN main.mark vm ON vm.id = v.id WHERE v.grp = n.id AND v.id <> v.grp AND "
	"coalesce(vm.pruned, 0) = 0))) WHERE id = grp AND kind = 0;",
	NULL};

/* clang-format on */

static enum loom_status do_all(struct model_stage *stage, const char *const *list,
			       struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(list);
	for (; *list && status == LOOM_OK; list++)
		status = model_stage_do(stage, *list, err);
	return status;
}

/* ---- copying ---- */

static const struct model_table *table_of(const struct model_stage *stage, const char *name)
{
	for (size_t i = 0; i < stage->table_count; i++)
		if (strcmp(stage->tables[i].name, name) == 0)
			return &stage->tables[i];
	return NULL;
}

/* Copies the acceptable rows of a table; more certain ones win. */
static enum loom_status copy(struct model_stage *stage, const char *name, const char *where,
			     struct loom_err *err)
{
	const struct model_table *table = table_of(stage, name);
	struct loom_buf sql = LOOM_BUF_INIT(1 << 16);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(name && where);
	if (!table)
		return LOOM_OK;
	loom_buf_addf(&sql, "INSERT OR IGNORE INTO main.\"%s\"(", name);
	model_stage_columns(table, "", &sql);
	loom_buf_adds(&sql, ") SELECT ");
	for (size_t i = 0; i < table->count; i++) {
		const struct model_column *column = &table->columns[i];

		loom_buf_addf(&sql, column->otherwise ? "%scoalesce(\"%s\", (%s))" : "%s\"%s\"",
			      i ? ", " : "", column->name, column->otherwise);
	}
	loom_buf_addf(&sql, " FROM stage.\"%s\" WHERE %s ORDER BY sure DESC", name, where);
	status = model_stage_do(stage, loom_buf_cstr(&sql), err);
	loom_buf_fini(&sql);
	return status;
}

/* Stray pages with rows of three numbers: such a page belongs to the one table in which all its
 * rows make sense, if there are enough of them to rule out chance. */
static const char *const recognised[] = {
	"CREATE TABLE stage.told(page, name);",
	"INSERT INTO stage.told SELECT page, 'visited' FROM stage.short s GROUP BY page HAVING "
	"count(*) >= 20 AND min(EXISTS(SELECT 1 FROM stage.n x WHERE x.id = s.c AND x.parent = "
	"s.b));",
	"INSERT INTO stage.told SELECT page, 'choice' FROM stage.short s GROUP BY page HAVING "
	"count(*) >= 20 AND max(s.b <> s.c) AND min(EXISTS(SELECT 1 FROM stage.n x WHERE x.id = "
	"s.c AND x.grp = s.b));",
	"INSERT INTO stage.told SELECT page, 'source' FROM stage.short s GROUP BY page HAVING "
	"count(*) >= 20 AND min(s.b BETWEEN 0 AND 100000 AND EXISTS(SELECT 1 FROM stage.n x WHERE "
	"x.id = s.a) AND EXISTS(SELECT 1 FROM stage.n x WHERE x.id = s.c AND x.kind IN (2, 3)));",
	"DELETE FROM stage.told WHERE page IN (SELECT page FROM stage.told GROUP BY page HAVING "
	"count(*) > 1);",
	"INSERT INTO stage.visited(thread, grp, child, sure) SELECT a, b, c, 0 FROM stage.short "
	"WHERE page IN (SELECT page FROM stage.told WHERE name = 'visited');",
	"INSERT INTO stage.choice(thread, grp, member, sure) SELECT a, b, c, 0 FROM stage.short "
	"WHERE page IN (SELECT page FROM stage.told WHERE name = 'choice');",
	"INSERT INTO stage.source(node, ord, source, sure) SELECT a, b, c, 0 FROM stage.short "
	"WHERE page IN (SELECT page FROM stage.told WHERE name = 'source');",
	NULL};

/* Dependencies that nodes reveal, so that nothing is undone from under them. */
static const char built_on[] =
	"INSERT OR IGNORE INTO main.op_needs(needs, op) SELECT DISTINCT a.op, n.op FROM main.node "
	"n JOIN main.node a ON a.id IN (n.parent, n.from_node, n.edited_from) WHERE a.op < n.op "
	"AND n.op IN (SELECT id FROM main.op) AND a.op IN (SELECT id FROM main.op)";

/* In this order, so that rows come before those that refer to them. Tables not listed are copied
 * unchanged; leases end with their processes. */
static const struct {
	const char *name;
	const char *where;
} rest[] = {
	{"generation", "id IN (SELECT id FROM main.node)"},
	{"mark", "id IN (SELECT id FROM main.node)"},
	{"seam", "id IN (SELECT id FROM main.node)"},
	{"source", "node IN (SELECT id FROM main.node) AND source IN (SELECT id FROM main.node)"},
	{"tag", "node IN (SELECT id FROM main.node)"},
	{"doc", "true"},
	{"docver", "true"},
	{"link", "from_node IN (SELECT id FROM main.node)"},
	{"thread", "tree IN (SELECT id FROM main.tree)"},
	{"choice",
	 "thread IN (SELECT id FROM main.thread) AND member IN (SELECT id FROM main.node)"},
	{"visited",
	 "thread IN (SELECT id FROM main.thread) AND child IN (SELECT id FROM main.node)"},
	{"member", "agent IN (SELECT id FROM main.agent WHERE kind = 0)"},
	{"place", "agent IN (SELECT id FROM main.agent) AND tree IN (SELECT id FROM main.tree)"},
	{"kept", "op IN (SELECT id FROM main.op)"},
	{"pin", "thread IN (SELECT id FROM main.thread)"},
	{"stash", "thread IN (SELECT id FROM main.thread)"},
	{"run", "thread IN (SELECT id FROM main.thread)"},
	{"run_record", "thread IN (SELECT id FROM main.thread)"},
	/* A number far beyond the rows found is not a log's number. */
	{"log", "thread IN (SELECT id FROM main.thread) AND seq < 100000 + 10 * (SELECT count(*) "
		"FROM stage.log)"},
	{"op_change", "op IN (SELECT id FROM main.op)"},
	{"op_needs", "op IN (SELECT id FROM main.op) AND needs IN (SELECT id FROM main.op)"},
	{"event", "op IN (SELECT id FROM main.op)"},
	{"stream", "from_node IN (SELECT id FROM main.node)"},
	{"stream_chunk", "stream IN (SELECT id FROM main.stream)"},
	{"lease", "false"},
};

static bool is_done(const char *name)
{
	static const char *const done[] = {"op", "agent", "grove", "tree", "node", "body"};

	for (size_t i = 0; i < LOOM_COUNT(done); i++)
		if (strcmp(name, done[i]) == 0)
			return true;
	for (size_t i = 0; i < LOOM_COUNT(rest); i++)
		if (strcmp(name, rest[i].name) == 0)
			return true;
	return false;
}

/* A log whose thread is lost gets a made-up thread. */
static const char lost_threads[] =
	"INSERT OR IGNORE INTO main.thread(id, name, agent, tree, position, implicit, created, "
	"active) SELECT l.thread, 'thread-lost' || l.thread, " OWNER ", t.id, t.root, 0, "
	"min(l.at), max(l.at) FROM stage.log l JOIN main.tree t ON t.id = (SELECT min(id) FROM "
	"main.tree) WHERE l.thread > 0 AND l.thread NOT IN (SELECT id FROM main.thread) GROUP BY "
	"l.thread";

static enum loom_status copy_rest(struct model_stage *stage, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < LOOM_COUNT(rest) && status == LOOM_OK; i++) {
		status = copy(stage, rest[i].name, rest[i].where, err);
		if (status == LOOM_OK && strcmp(rest[i].name, "thread") == 0)
			status = model_stage_do(stage, lost_threads, err);
	}
	for (size_t i = 0; i < stage->table_count && status == LOOM_OK; i++)
		if (!is_done(stage->tables[i].name))
			status = copy(stage, stage->tables[i].name, "true", err);
	return status;
}

/* ---- depth and jumps ---- */

struct above {
	int64_t depth;
	int64_t jump;
};

static struct above look_above(sqlite3_stmt *stmt, int64_t id)
{
	struct above above = {.depth = 0, .jump = id};

	LOOM_ASSERT(stmt);
	sqlite3_bind_int64(stmt, 1, id);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		above = (struct above){sqlite3_column_int64(stmt, 0),
				       sqlite3_column_int64(stmt, 1)};
	sqlite3_reset(stmt);
	return above;
}

/* A jump spans its parent's jump and the one after it if these are equally long. */
static struct above place_below(sqlite3_stmt *stmt, int64_t parent)
{
	const struct above p = look_above(stmt, parent);
	const struct above j = look_above(stmt, p.jump);
	const struct above k = look_above(stmt, j.jump);
	const bool far = p.depth > 0 && p.depth - j.depth == j.depth - k.depth;

	return (struct above){p.depth + 1, far ? j.jump : parent};
}

/* Parents have lower numbers than their children, first versions lower ones than the others. */
static enum loom_status place_all(struct model_stage *stage, struct loom_err *err)
{
	sqlite3_stmt *every = NULL;
	sqlite3_stmt *look = NULL;
	sqlite3_stmt *set = NULL;
	bool good = sqlite3_prepare_v2(stage->db, "SELECT id, grp, parent FROM stage.n ORDER BY id",
				       -1, &every, NULL) == SQLITE_OK &&
		    sqlite3_prepare_v2(stage->db, "SELECT depth, jump FROM stage.n WHERE id = ?",
				       -1, &look, NULL) == SQLITE_OK &&
		    sqlite3_prepare_v2(stage->db,
				       "UPDATE stage.n SET depth = ?2, jump = ?3 WHERE id = ?1", -1,
				       &set, NULL) == SQLITE_OK;

	LOOM_ASSERT(stage->db);
	while (good && sqlite3_step(every) == SQLITE_ROW) {
		const int64_t id = sqlite3_column_int64(every, 0);
		struct above at = {.depth = 0, .jump = id};

		if (sqlite3_column_int64(every, 1) != id)
			at = look_above(look, sqlite3_column_int64(every, 1));
		else if (sqlite3_column_type(every, 2) != SQLITE_NULL)
			at = place_below(look, sqlite3_column_int64(every, 2));
		sqlite3_bind_int64(set, 1, id);
		sqlite3_bind_int64(set, 2, at.depth);
		sqlite3_bind_int64(set, 3, at.jump);
		sqlite3_step(set);
		good = sqlite3_reset(set) == SQLITE_OK;
	}
	sqlite3_finalize(every);
	sqlite3_finalize(look);
	sqlite3_finalize(set);
	return good ? LOOM_OK : model_stage_fail(stage, err);
}

/* ---- counting ---- */

/* Rows of dead long writes were deleted on purpose (sweep.c). */
#define SPENT(column) "coalesce((SELECT " column " FROM main.grove), 0)"

static const struct {
	const char *what;
	const char *rescued;
	const char *doubtful;
	const char *lost;
} kinds[LOOM_SALVAGE_KINDS] = {
	{"nodes",
	 "SELECT count(*) FROM stage.n WHERE state < 2 AND id NOT IN (SELECT id FROM stage.bare)",
	 "SELECT count(*) FROM stage.n WHERE state = 1 AND id NOT IN (SELECT id FROM stage.bare)",
	 "SELECT max((SELECT coalesce(max(id), 0) FROM stage.n), (SELECT coalesce(max(id), 0) FROM "
	 "stage.b), coalesce((SELECT max(target) FROM main.op_change WHERE field = -1), 0), " SPENT(
		 "last_node") ") - " SPENT("gone_nodes") " - (SELECT count(*) FROM stage.n WHERE "
							 "state < 2 AND id NOT IN (SELECT id FROM "
							 "stage.bare))"},
	{"trees", "SELECT count(*) FROM main.tree",
	 "SELECT count(*) FROM main.tree WHERE substr(ulid, 1, 5) = CAST('lost-' AS BLOB)",
	 "SELECT max(coalesce(max(id), 0), " SPENT("last_tree") ") - " SPENT(
		 "gone_trees") " - count(*) FROM main.tree"},
	{"document versions", "SELECT count(*) FROM main.docver",
	 "SELECT count(*) FROM main.docver v JOIN main.doc d ON d.id = v.doc WHERE substr(d.ulid, "
	 "1, 5) = CAST('lost-' AS BLOB)",
	 "SELECT coalesce(max(id), 0) - count(*) FROM main.docver"},
	{"agents", "SELECT count(*) FROM main.agent",
	 "SELECT count(*) FROM main.agent WHERE substr(ulid, 1, 5) = CAST('lost-' AS BLOB)",
	 "SELECT coalesce(max(id), 0) - count(*) FROM main.agent"},
	{"threads", "SELECT count(*) FROM main.thread",
	 "SELECT count(*) FROM main.thread WHERE name LIKE 'thread-lost%'",
	 "SELECT coalesce(max(id), 0) - count(*) FROM main.thread"},
	{"log rows", "SELECT count(*) FROM main.log WHERE payload <> '{\"salvage\":\"lost\"}'",
	 "SELECT count(*) FROM main.log l JOIN main.thread t ON t.id = l.thread WHERE t.name LIKE "
	 "'thread-lost%'",
	 "SELECT count(*) FROM main.log WHERE payload = '{\"salvage\":\"lost\"}'"},
	{"operations", "SELECT count(*) FROM main.op WHERE kind <> 'salvage'", "SELECT 0",
	 "SELECT count(*) FROM main.op WHERE kind = 'salvage'"},
	{"sources, choices and places",
	 "SELECT (SELECT count(*) FROM main.source) + (SELECT count(*) FROM main.choice) + (SELECT "
	 "count(*) FROM main.visited)",
	 "SELECT 0", "SELECT 0"},
	{"links and tags",
	 "SELECT (SELECT count(*) FROM main.link) + (SELECT count(*) FROM main.tag)", "SELECT 0",
	 "SELECT coalesce((SELECT max(id) FROM stage.link), 0) + coalesce((SELECT max(id) FROM "
	 "stage.tag), 0) - (SELECT count(*) FROM main.link) - (SELECT count(*) FROM main.tag)"},
};

static void count_all(struct model_stage *stage, struct loom_salvage_report *report)
{
	for (size_t i = 0; i < LOOM_SALVAGE_KINDS; i++)
		report->counts[i] = (struct loom_salvage_count){
			.what = kinds[i].what,
			.rescued = model_stage_count(stage, kinds[i].rescued),
			.doubtful = model_stage_count(stage, kinds[i].doubtful),
			.lost = model_stage_count(stage, kinds[i].lost),
		};
	report->stray_pages += model_stage_count(stage, "SELECT count(*) FROM stage.told");
	report->short_pages = model_stage_count(
		stage,
		"SELECT count(DISTINCT page) FROM stage.short WHERE page NOT IN (SELECT page "
		"FROM stage.told)");
	report->loose_texts = model_stage_count(stage, "SELECT count(*) FROM stage.loose");
}

static bool some_astray(struct model_stage *stage)
{
	return model_stage_count(stage, "SELECT count(*) FROM stage.astray") > 0;
}

enum loom_status model_salvage_mend(struct model_stage *stage, struct loom_salvage_report *report,
				    struct loom_err *err)
{
	enum loom_status status = do_all(stage, opening, err);
	if (status == LOOM_OK)
		status = do_all(stage, spoiled, err);

	if (status == LOOM_OK)
		status = do_all(stage, steps, err);
	if (status == LOOM_OK)
		status = copy(stage, "op", "id > 0", err);
	if (status == LOOM_OK)
		status = copy(stage, "agent", "id > 0", err);
	if (status == LOOM_OK)
		status = copy(stage, "grove", "true", err);
	if (status == LOOM_OK)
		status = do_all(stage, people, err);
	if (status == LOOM_OK)
		status = copy(stage, "tree", "id > 0", err);
	if (status == LOOM_OK)
		status = do_all(stage, nodes, err);
	if (status == LOOM_OK)
		status = do_all(stage, moved, err);
	for (int i = 0; i < STRAY_ROUNDS && status == LOOM_OK && (!i || some_astray(stage)); i++)
		status = do_all(stage, astray, err);
	if (status == LOOM_OK)
		status = do_all(stage, numbers, err);
	if (status == LOOM_OK)
		status = do_all(stage, named, err);
	if (status == LOOM_OK)
		status = place_all(stage, err);
	if (status == LOOM_OK)
		status = do_all(stage, placed, err);
	if (status == LOOM_OK)
		status = do_all(stage, recognised, err);
	if (status == LOOM_OK)
		status = copy_rest(stage, err);
	if (status == LOOM_OK)
		status = model_stage_do(stage, built_on, err);
	if (status == LOOM_OK)
		status = do_all(stage, rehung, err);
	if (status == LOOM_OK)
		status = do_all(stage, closing, err);
	if (status == LOOM_OK)
		count_all(stage, report);
	return status;
}
