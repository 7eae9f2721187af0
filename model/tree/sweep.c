/* Deletes what dead long writes leave behind: rows that nobody has seen and nobody ever will.
 *
 * A long write that died is hidden permanently but has as many rows as it brought. On a nearly full
 * disk each retry would leave less room for the next, and the ids that an export restores would be
 * taken. So whoever gives one up, or opens a grove with a dead one, deletes its rows, a slice at a
 * time and never for long; the next opening continues.
 *
 * Invariants: newest first, so that no row refers to a deleted one; only rows of dead operations
 * are deleted, which the schema's triggers enforce too. A node with something of another operation
 * attached keeps its narrow row, by which siblings are counted. No node or tree number is reused:
 * the highest are kept in the grove's row. Progress is kept in the dead operation's row: `applied`,
 * below zero, is the lowest node examined, and an empty session means done. Failures (a full disk,
 * a busy grove) are left for the next time. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/op.h>

enum { ROWS = 1000 };

/* A range of one dead operation's nodes: `low` and above, below `high`. */
struct stretch {
	int64_t op;
	int64_t low;
	int64_t high;
	bool last;
};

static enum loom_status find_work(struct loom_store *store, struct stretch *out,
				  struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id, applied FROM op WHERE state = 3 AND session <> '' "
				     "ORDER BY id DESC LIMIT 1",
				     err);

	*out = (struct stretch){.op = 0};
	if (model_row(&q)) {
		out->op = model_int(&q, 0);
		out->high = model_int(&q, 1) < 0 ? -model_int(&q, 1) : INT64_MAX;
	}
	return model_done(&q);
}

/* Goes down from the newest nodes, since the dead are mostly recent; below a stretch without any of
 * its own but with some of an older operation there are no more. */
static enum loom_status find_stretch(struct loom_store *store, struct stretch *at,
				     struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT coalesce(min(id), 0), count(*), coalesce(min(op), 0), "
			    "coalesce(sum(op = ?3), 0) FROM "
			    "(SELECT id, op FROM node WHERE id < ?1 ORDER BY id DESC LIMIT ?2)",
			    err);

	LOOM_ASSERT(at->op && at->high);
	model_bind(&q, at->high);
	model_bind(&q, ROWS);
	model_bind(&q, at->op);
	if (model_row(&q)) {
		at->low = model_int(&q, 0);
		at->last = model_int(&q, 1) < ROWS ||
			   (model_int(&q, 2) < at->op && model_int(&q, 3) == 0);
	}
	return model_done(&q);
}

/* ?1 is the lowest node, ?2 the one above the highest, ?3 the operation. */
#define OF_THE_DEAD "(SELECT id FROM node WHERE id >= ?1 AND id < ?2 AND op = ?3)"

#define THAT_ALL_GO                                                                                \
	"id >= ?1 AND id < ?2 AND op = ?3 AND iif(parent IS NULL, "                                \
	"(SELECT t.op FROM tree t WHERE t.id = node.tree), "                                       \
	"(SELECT p.op FROM node p WHERE p.id = node.parent)) = ?3"

/* A tree goes with its root, its oldest node. */
#define THAT_ARE_EMPTY                                                                             \
	"?1 < ?2 AND op = ?3 AND NOT EXISTS(SELECT 1 FROM node n WHERE n.tree = tree.id)"

static const char *const ways[] = {
	"UPDATE grove SET last_node = max(last_node, (SELECT max(id) FROM node)), "
	"last_tree = max(last_tree, (SELECT max(id) FROM tree)), gone_nodes = gone_nodes + "
	"(SELECT count(*) FROM node WHERE " THAT_ALL_GO ")",
	"DELETE FROM generation WHERE id IN " OF_THE_DEAD,
	"DELETE FROM source WHERE node IN " OF_THE_DEAD,
	"DELETE FROM mark WHERE id IN " OF_THE_DEAD,
	"DELETE FROM seam WHERE id IN " OF_THE_DEAD,
	"DELETE FROM tag WHERE node IN " OF_THE_DEAD,
	"DELETE FROM body WHERE id IN " OF_THE_DEAD,
	"DELETE FROM node WHERE " THAT_ALL_GO,
	"UPDATE grove SET gone_trees = gone_trees + (SELECT count(*) FROM tree "
	"WHERE " THAT_ARE_EMPTY ")",
	"DELETE FROM tree WHERE " THAT_ARE_EMPTY,
};

/* Agents can go only if none was created after them. */
static const char *const last_ways[] = {
	"DELETE FROM agent WHERE ?1 < ?2 AND op = ?3 AND NOT EXISTS(SELECT 1 FROM node n WHERE "
	"n.id >= ?1 AND n.op = ?3 AND n.author = agent.id) AND NOT EXISTS(SELECT 1 FROM tree t "
	"WHERE t.subject = agent.id) AND NOT EXISTS(SELECT 1 FROM docver v WHERE v.author = "
	"agent.id) AND NOT EXISTS(SELECT 1 FROM agent a WHERE a.id > agent.id AND a.op <> ?3)",
};

static enum loom_status take_away(struct loom_store *store, const struct stretch *at,
				  const char *const *list, size_t count, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->writing);
	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		struct query q = model_query(store, list[i], err);

		model_bind(&q, at->low);
		model_bind(&q, at->high);
		model_bind(&q, at->op);
		status = model_run(&q);
	}
	return status;
}

static enum loom_status note_place(struct loom_store *store, const struct stretch *at,
				   struct loom_err *err)
{
	struct query q = model_query(store,
				     "UPDATE op SET applied = ?2, session = CASE WHEN ?3 THEN '' "
				     "ELSE session END WHERE id = ?1 AND state = 3",
				     err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, at->op);
	model_bind(&q, at->last ? 0 : -at->low);
	model_bind(&q, at->last);
	return model_run(&q);
}

/* Deletes one slice; inside a write. */
static enum loom_status clear_slice(struct loom_store *store, struct loom_err *err)
{
	struct stretch at;
	enum loom_status status = find_work(store, &at, err);

	if (status != LOOM_OK || !at.op)
		return status;
	status = find_stretch(store, &at, err);
	if (status == LOOM_OK)
		status = take_away(store, &at, ways, LOOM_COUNT(ways), err);
	if (status == LOOM_OK && at.last)
		status = take_away(store, &at, last_ways, LOOM_COUNT(last_ways), err);
	return status == LOOM_OK ? note_place(store, &at, err) : status;
}

void loom_op_clear(struct loom_store *store, int64_t ms)
{
	const int64_t until = loom_env_boot() + ms;
	struct loom_task *task = store->task;
	struct stretch at = {.op = 0};
	enum loom_status status;

	LOOM_ASSERT(!store->writing && ms >= 0);
	/* A cancelled task often leads here; clean up regardless. */
	loom_store_heed(store, NULL);
	status = find_work(store, &at, NULL);
	while (status == LOOM_OK && at.op && loom_env_boot() < until) {
		status = loom_quiet_begin(store, NULL);
		if (status == LOOM_OK)
			status = loom_quiet_end(store, clear_slice(store, NULL), NULL);
		if (status == LOOM_OK)
			status = find_work(store, &at, NULL);
	}
	loom_store_heed(store, task);
}

/* --- finding dead ones --- */

/* How long opening a grove may be delayed by cleaning up after others. */
enum { CLEAR_MS = 40 };

static enum loom_status find_dead(struct loom_store *store, int64_t after, int64_t *out_op,
				  struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT id, session FROM op WHERE state = 0 AND id > ? ORDER BY id",
			    err);

	*out_op = 0;
	model_bind(&q, after);
	while (!*out_op && model_row(&q)) {
		struct loom_str session = model_borrow(&q, 1);

		if (model_op_is_dead(store, session))
			*out_op = model_int(&q, 0);
	}
	if (model_done(&q) != LOOM_OK)
		return q.status;
	/* A damaged index returns the same row again, and reading on would never end. */
	return *out_op && *out_op <= after
		       ? loom_fail(err, LOOM_DAMAGED, "the store's operations are out of order")
		       : LOOM_OK;
}

enum loom_status loom_op_sweep(struct loom_store *store, struct loom_err *err)
{
	int64_t op = 0;
	enum loom_status status = find_dead(store, 0, &op, err);

	LOOM_ASSERT(!store->writing);
	while (status == LOOM_OK && op) {
		status = model_op_declare_dead(store, op, err);
		if (store->remote && (status == LOOM_OFFLINE || status == LOOM_REFUSED))
			return LOOM_OK; /* the log is not to be had now: another time */
		if (status == LOOM_OK)
			status = find_dead(store, op, &op, err);
	}
	if (status == LOOM_OK)
		loom_op_clear(store, CLEAR_MS);
	return status;
}
