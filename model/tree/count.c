/* Counters: how many children a group shows, and how many nodes, leaves and branches a tree has.
 *
 * They are adjusted by what appears or vanishes, never recounted: a creation or an undo costs the
 * same in any tree. Only pruning walks what it hides, in order to report its size. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/node.h>

enum loom_status loom_node_subtree(struct loom_store *store, int64_t group, struct loom_count *out,
				   struct loom_err *err)
{
	static const char walk[] =
		"WITH RECURSIVE s(id, children) AS ("
		"SELECT id, children FROM node WHERE id = ?1 UNION ALL "
		"SELECT r.id, r.children FROM node r WHERE r.parent IS NULL AND r.tree = -?1 AND "
		"r.id = r.grp AND " MODEL_SHOWN(
			"r.id") " UNION ALL SELECT n.id, n.children FROM s JOIN node n ON n.parent "
				"= s.id AND n.kind = 0 "
				"AND n.id = n.grp JOIN op o ON o.id = n.op AND (o.state = 1 OR "
				"o.id = ?2) "
				"WHERE NOT EXISTS(SELECT 1 FROM mark m WHERE m.id = n.id AND "
				"m.pruned = 1) "
				"OR EXISTS(SELECT 1 FROM node v JOIN op vo ON vo.id = v.op AND "
				"vo.state = 1 "
				"LEFT JOIN mark vm ON vm.id = v.id WHERE v.grp = n.id AND v.id <> "
				"v.grp "
				"AND coalesce(vm.pruned, 0) = 0)) "
				"SELECT count(*), sum(children = 0), sum(iif(children > 1, "
				"children, 0)) FROM s";
	struct query q = model_query(store, walk, err);

	*out = (struct loom_count){.nodes = 0};
	model_bind(&q, group);
	model_bind(&q,
		   store->writing && store->held->write.spec.slices ? store->held->write.op : 0);
	if (model_row(&q)) {
		out->nodes = model_int(&q, 0);
		out->leaves = model_int(&q, 1);
		out->branches = model_int(&q, 2);
	}
	return model_done(&q);
}

enum loom_status model_last_ord(struct loom_store *store, int64_t group, int64_t kind, int64_t *out,
				struct loom_err *err)
{
	struct query q = model_query(store,
				     MODEL_AMONG(group, "SELECT max(n.ord) FROM node n WHERE",
						 "AND n.kind = ?2 AND n.id = n.grp"),
				     err);

	model_bind(&q, group);
	model_bind(&q, kind);
	return model_one(&q, 0, out);
}

/* --- attaching and detaching --- */

/* Reads, then writes: RETURNING would build a table for its one row each time. */
static enum loom_status count_children(struct loom_store *store, int64_t parent, int64_t more,
				       int64_t *out_before, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT children FROM node WHERE id = ?", err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, parent);
	if (model_one(&q, 0, out_before) != LOOM_OK)
		return q.status;
	q = model_query(store, "UPDATE node SET children = ?2 WHERE id = ?1", err);
	model_bind(&q, parent);
	model_bind(&q, *out_before + more);
	return model_run(&q);
}

enum loom_status model_count_child(struct loom_store *store, int64_t parent, int64_t *out,
				   struct loom_err *err)
{
	return count_children(store, parent, 1, out, err);
}

static enum loom_status can_be_seen(struct loom_store *store, int64_t group, bool *out,
				    struct loom_err *err)
{
	bool visible = false; /* or being written */
	int64_t mark = 0;
	enum loom_status status = LOOM_OK;

	if (store->held->write.tree.has_pruned)
		status = loom_group_visible(store, group, &visible, &mark, err);
	*out = mark == 0;
	return status;
}

int64_t model_branches(int64_t children)
{
	return children > 1 ? children : 0;
}

enum loom_status model_count_attach_all(struct loom_store *store, int64_t parent, int64_t tree,
					const struct model_set_of *what, int sign,
					struct loom_err *err)
{
	struct model_tree_state *state = &store->held->write.tree;
	int64_t before = 0;
	int64_t others;
	bool seen = false;
	enum loom_status status = model_tree_state(store, tree, err);

	LOOM_ASSERT(sign == 1 || sign == -1);
	if (status == LOOM_OK && parent)
		status = count_children(store, parent, sign * what->children, &before, err);
	if (status == LOOM_OK && parent)
		status = can_be_seen(store, parent, &seen, err);
	if (status != LOOM_OK || (parent && !seen) || !what->children)
		return status;
	others = sign > 0 ? before : before - what->children;
	state->nodes += sign * what->count.nodes;
	state->leaves += sign * what->count.leaves;
	state->branches += sign * what->count.branches;
	state->dirty = true;
	if (!parent) /* where roots part, no node does */
		return LOOM_OK;
	state->leaves -= others == 0 ? sign : 0;
	state->branches +=
		sign * (model_branches(others + what->children) - model_branches(others));
	return LOOM_OK;
}

enum loom_status model_count_attach(struct loom_store *store, int64_t parent, int64_t tree,
				    const struct loom_count *what, int sign, struct loom_err *err)
{
	struct model_set_of one = {.children = 1, .count = *what};

	return model_count_attach_all(store, parent, tree, &one, sign, err);
}

/* The group appeared or vanished: counts its contents and updates the counters. */
static enum loom_status group_turned(struct loom_store *store, int64_t group, bool shown,
				     int64_t *out_nodes, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT parent, tree, kind FROM node WHERE id = ?", err);
	struct loom_count count = {.nodes = 0};
	int64_t parent = 0;
	int64_t tree = 0;
	bool counted = false;
	enum loom_status status;

	model_bind(&q, group);
	if (model_row(&q)) {
		parent = model_int(&q, 0);
		tree = model_int(&q, 1);
		counted = model_int(&q, 2) == LOOM_CONTINUATION;
	}
	status = model_done(&q);
	if (status != LOOM_OK || !counted)
		return status;
	status = loom_node_subtree(store, group, &count, err);
	if (out_nodes)
		*out_nodes = count.nodes;
	return status == LOOM_OK
		       ? model_count_attach(store, parent, tree, &count, shown ? 1 : -1, err)
		       : status;
}

/* --- pruning --- */

static enum loom_status write_prune(struct loom_store *store, int64_t node, bool pruned,
				    struct loom_err *err)
{
	struct query q =
		model_query(store, "UPDATE mark SET pruned = ?2, ver = ver + 1 WHERE id = ?1", err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, node);
	model_bind(&q, pruned);
	return model_run(&q);
}

enum loom_status model_prune_set(struct loom_store *store, struct model_prune *what,
				 struct loom_err *err)
{
	struct model_place place;
	bool before = false;
	bool after = false;
	enum loom_status status = model_node_place(store, what->node, &place, err);

	LOOM_ASSERT(store->writing);
	what->nodes = 0;
	if (status == LOOM_OK)
		status = model_tree_state(store, place.tree, err);
	if (status == LOOM_OK)
		status = model_group_shown(store, place.group, &before, err);
	if (status == LOOM_OK)
		status = write_prune(store, what->node, what->pruned, err);
	if (status == LOOM_OK)
		status = model_group_shown(store, place.group, &after, err);
	if (status == LOOM_OK && before != after)
		status = group_turned(store, place.group, after, &what->nodes, err);
	if (what->pruned)
		store->held->write.tree.has_pruned = true;
	return status;
}

static enum loom_status journal_prune(struct loom_store *store, int64_t node, bool before,
				      bool after, struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO op_change(op, seq, field, target, before, after) "
				     "VALUES(?, ?, ?, ?, ?, ?)",
				     err);

	LOOM_ASSERT(model_in_op(store));
	model_bind(&q, store->held->write.op);
	model_bind(&q, ++store->held->write.change);
	model_bind(&q, MODEL_MARK_PRUNED);
	model_bind(&q, node);
	model_bind(&q, before);
	model_bind(&q, after);
	return model_run(&q);
}

/* Checks a node before marking it; *out_op is the operation that created it, *out_tree the tree of
 * a root. */
static enum loom_status look_at(struct loom_store *store, int64_t node, bool *out_pruned,
				int64_t *out_op, int64_t *out_tree, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT n.op, coalesce(m.pruned, 0), n.parent, n.tree FROM node n JOIN "
			    "op o ON o.id = n.op "
			    "AND o.state = 1 LEFT JOIN mark m ON m.id = n.id WHERE n.id = ?",
			    err);
	bool there;

	model_bind(&q, node);
	there = model_row(&q);
	if (there) {
		*out_op = model_int(&q, 0);
		*out_pruned = model_int(&q, 1) != 0;
		*out_tree = model_is_null(&q, 2) ? model_int(&q, 3) : 0;
	}
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "the node does not exist");
}

/* A tree shows at least one root. */
static enum loom_status leave_root(struct loom_store *store, int64_t tree, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT " MODEL_FIRST_ROOT("?1"), err);
	int64_t root = 0;

	LOOM_ASSERT(tree);
	model_bind(&q, tree);
	if (model_one(&q, 0, &root) != LOOM_OK || root)
		return q.status;
	loom_fail(err, LOOM_CONFLICT, "the last root of a tree cannot be pruned");
	return loom_hint(err, LOOM_CONFLICT, "prune the nodes below it");
}

enum loom_status model_mark_row(struct loom_store *store, int64_t node, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"INSERT OR IGNORE INTO mark(id, tree) SELECT id, tree FROM node WHERE id = ?", err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, node);
	return model_run(&q);
}

/* Journals a decision about a node that operation `made_by` created. */
static enum loom_status decide(struct loom_store *store, int64_t node, int64_t made_by, bool before,
			       bool after, struct loom_err *err)
{
	enum loom_status status = model_op_need(store, NULL, err);

	if (status == LOOM_OK)
		status = model_op_builds_on(store, made_by, err);
	if (status == LOOM_OK)
		status = model_mark_row(store, node, err);
	return status == LOOM_OK ? journal_prune(store, node, before, after, err) : status;
}

static enum loom_status set_pruned(struct loom_store *store, struct model_prune *what,
				   int64_t *out_below, bool *out_changed, struct loom_err *err)
{
	bool pruned = false;
	int64_t made_by = 0;
	int64_t rooted = 0;
	enum loom_status status = look_at(store, what->node, &pruned, &made_by, &rooted, err);

	LOOM_ASSERT(out_below && out_changed);
	*out_below = 0;
	*out_changed = false;
	if (status != LOOM_OK || pruned == what->pruned)
		return status;
	status = decide(store, what->node, made_by, pruned, what->pruned, err);
	if (status == LOOM_OK)
		status = model_prune_set(store, what, err);
	if (status == LOOM_OK && rooted && what->pruned)
		status = leave_root(store, rooted, err);
	if (status != LOOM_OK)
		return status;
	*out_below = what->nodes > 0 ? what->nodes - 1 : 0;
	*out_changed = true;
	return LOOM_OK;
}

enum loom_status loom_node_prune(struct loom_store *store, int64_t node, int64_t *out_below,
				 bool *out_changed, struct loom_err *err)
{
	struct model_prune what = {.node = node, .pruned = true};

	return set_pruned(store, &what, out_below, out_changed, err);
}

enum loom_status loom_node_restore(struct loom_store *store, int64_t node, int64_t *out_below,
				   bool *out_changed, struct loom_err *err)
{
	struct model_prune what = {.node = node, .pruned = false};

	return set_pruned(store, &what, out_below, out_changed, err);
}

/* In the journal: not pruned before, not pruned after. */
enum loom_status loom_node_keep(struct loom_store *store, int64_t node, struct loom_err *err)
{
	bool pruned = false;
	int64_t made_by = 0;
	int64_t rooted = 0;
	enum loom_status status = look_at(store, node, &pruned, &made_by, &rooted, err);

	if (status != LOOM_OK || !pruned)
		return status == LOOM_OK ? decide(store, node, made_by, false, false, err) : status;
	loom_fail(err, LOOM_CONFLICT, "a pruned node cannot be kept");
	return loom_hint(err, LOOM_CONFLICT, "restore it first");
}

enum loom_status loom_tree_pruned(struct loom_store *store, int64_t tree, int64_t *out_count,
				  struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT count(*) FROM (SELECT 1 FROM mark m JOIN node n ON n.id = m.id "
			    "JOIN op o ON o.id = n.op AND o.state = 1 WHERE m.tree = ? AND "
			    "m.pruned = 1 LIMIT ?)",
			    err);

	LOOM_ASSERT(tree > 0 && out_count);
	model_bind(&q, tree);
	model_bind(&q, LOOM_PRUNED_MAX);
	return model_one(&q, 0, out_count);
}
