/* Paths, and what is visible. No recursion over depth. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/node.h>

/* --- paths --- */

/* The groups of a path at which versions must be looked up: where the thread has chosen, and where
 * a member is pruned. Everywhere else the member is read that the next one was written from. */
struct looks {
	int64_t groups[1024]; /* ascending */
	size_t count;
	bool all; /* there are more: look everywhere */
};

/* Only a thread that has chosen versions needs the look-up. */
static enum loom_status thread_chooses(struct loom_store *store, int64_t thread, bool *out,
				       struct loom_err *err)
{
	struct query q;
	int64_t any = 0;
	enum loom_status status;

	*out = false;
	if (!thread)
		return LOOM_OK;
	q = model_query(store, "SELECT EXISTS(SELECT 1 FROM choice WHERE thread = ?)", err);
	model_bind(&q, thread);
	status = model_one(&q, 0, &any);
	*out = any != 0;
	return status;
}

/* The member of group ?3 that thread ?2 has chosen if it is visible, otherwise ?1 if that is,
 * otherwise the newest visible one, otherwise ?1 (somebody inside a pruned branch keeps the
 * view). */
static enum loom_status choose_member(struct loom_store *store, int64_t written, int64_t thread,
				      int64_t group, int64_t *out, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT v.id FROM (SELECT ?3 AS id UNION ALL SELECT id FROM node WHERE grp = ?3 "
		"AND "
		"id <> grp) v JOIN node n ON n.id = v.id JOIN op o ON o.id = n.op AND o.state = 1 "
		"LEFT JOIN mark m ON m.id = v.id WHERE coalesce(m.pruned, 0) = 0 "
		"ORDER BY v.id = (SELECT member FROM choice WHERE thread = ?2 AND grp = ?3) DESC, "
		"v.id = ?1 DESC, v.id DESC LIMIT 1",
		err);

	model_bind(&q, written);
	model_bind(&q, thread);
	model_bind(&q, group);
	return model_one(&q, written, out);
}

static enum loom_status find_looks(struct loom_store *store, int64_t tip, int64_t thread,
				   struct looks *out, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT grp FROM choice WHERE thread = ?2 UNION SELECT p.grp FROM node n JOIN mark "
		"m ON m.tree = n.tree AND m.pruned = 1 JOIN node p ON p.id = m.id WHERE n.id = ?1 "
		"ORDER BY 1 LIMIT 1025",
		err);

	out->count = 0;
	out->all = false;
	model_bind(&q, tip);
	model_bind(&q, thread);
	while (model_row(&q)) {
		if (out->count == LOOM_COUNT(out->groups))
			out->all = true;
		else
			out->groups[out->count++] = model_int(&q, 0);
	}
	return model_done(&q);
}

static bool must_look(const struct looks *looks, int64_t group)
{
	size_t low = 0;
	size_t high = looks->count;

	while (low < high && !looks->all) {
		const size_t middle = low + (high - low) / 2;

		if (looks->groups[middle] < group)
			low = middle + 1;
		else
			high = middle;
	}
	return looks->all || (low < looks->count && looks->groups[low] == group);
}

struct path_walk {
	struct loom_store *store;
	int64_t thread;
	bool choosing; /* versions must be looked up */
	struct looks *looks;
	bool said;    /* as contexts need it; else with `parts` */
	size_t front; /* free bytes before each text, with `said` */
	unsigned parts;
	size_t limit;
	struct loom_arena *arena;
	struct loom_err *err;
	/* The state of the climb. */
	int64_t next;  /* the node to read next, 0: none */
	size_t room;   /* places before the topmost node read */
	bool hung;     /* something in the grove was moved */
	int64_t depth; /* of the topmost node read, then */
};

/* In a damaged store a path may be a circle, or longer than its nodes say. */
static enum loom_status fail_lost(const struct path_walk *walk)
{
	return loom_fail(walk->err, LOOM_DAMAGED, "the path of a node does not lead to its root");
}

/* The tip knows the path's length: each node goes straight to its place, the root first. */
static enum loom_status make_room(struct path_walk *walk, const struct query *q, int64_t tip,
				  struct loom_nodes *out)
{
	int64_t depth = model_int(q, MODEL_AT_DEPTH);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(walk->limit > 0);
	walk->hung = model_int(q, MODEL_AT_HUNG) != 0;
	if (walk->hung)
		status = model_depth(walk->store, model_int(q, 6), &depth, walk->err);
	if (status != LOOM_OK)
		return status;
	/* Each node above has a smaller number, where nothing was moved. */
	if (depth < 0 || (depth >= tip && !walk->hung))
		return fail_lost(walk);
	walk->depth = depth + 1;
	walk->room = walk->limit <= (size_t)depth ? walk->limit : (size_t)depth + 1;
	out->items = LOOM_ARENA_ARRAY(walk->arena, walk->room, struct loom_node);
	out->items += walk->room;
	return LOOM_OK;
}

/* Reads one node and determines the next. */
static enum loom_status climb_step(struct path_walk *walk, const struct query *q,
				   struct loom_nodes *out)
{
	struct loom_node *node = NULL;

	if (!walk->room)
		return fail_lost(walk);
	walk->room--;
	node = --out->items;
	LOOM_ASSERT(out->count < walk->limit);
	if (walk->said)
		model_read_said(q, walk->front, walk->arena, node);
	else
		model_read_born(q, walk->parts, walk->arena, node);
	if (out->count++ && node->group >= node[1].group && !walk->hung)
		return fail_lost(walk); /* ancestors are older */
	if (walk->hung)
		node->depth = --walk->depth;
	if (out->count == walk->limit)
		return LOOM_OK;
	walk->next = node->from_node;
	if (!walk->next || !walk->choosing || !must_look(walk->looks, node->parent))
		return LOOM_OK;
	return choose_member(walk->store, walk->next, walk->thread, node->parent, &walk->next,
			     walk->err);
}

static int64_t next_up(void *ctx)
{
	struct path_walk *walk = ctx;
	const int64_t next = walk->next;

	walk->next = 0;
	return next;
}

static const char *climb_sql(const struct path_walk *walk)
{
#define UP "numbers(?) u CROSS JOIN node n ON n.id = u.id"
	static const char *const forms[] = MODEL_NODE_FORMS(UP, "");
	static const char said[] = MODEL_SELECT_SAID(UP);
#undef UP

	return walk->said ? said : forms[model_node_form(walk->parts)];
}

/* One statement that learns from each row which to read next. */
static enum loom_status climb(struct path_walk *walk, int64_t tip, struct loom_nodes *out)
{
	struct model_numbers numbers = {next_up, walk};
	struct query q = model_query(walk->store, climb_sql(walk), walk->err);
	enum loom_status status = LOOM_OK;

	walk->next = walk->limit ? tip : 0;
	model_bind_numbers(&q, &numbers);
	while (status == LOOM_OK && model_row(&q)) {
		if (!out->count)
			status = make_room(walk, &q, tip, out);
		if (status == LOOM_OK)
			status = climb_step(walk, &q, out);
	}
	if (model_done(&q) != LOOM_OK || status != LOOM_OK)
		return status == LOOM_OK ? q.status : status;
	if (out->count && out->count < walk->limit && out->items->from_node)
		return fail_lost(walk);
	return LOOM_OK;
}

/* Chosen versions change a path, and so does a pruned member of a group with others. Pruned nodes
 * are only looked for in a grove with versions and a tree with pruned nodes: CASE stops at the
 * first no, where AND evaluates everything. */
static enum loom_status must_choose(const struct path_walk *walk, int64_t tip, bool *out)
{
	struct query q;
	int64_t pruned = 0;
	enum loom_status status = thread_chooses(walk->store, walk->thread, out, walk->err);

	if (status != LOOM_OK || *out)
		return status;
	q = model_query(walk->store,
			"SELECT CASE WHEN NOT EXISTS(SELECT 1 FROM node INDEXED BY node_member "
			"WHERE id <> grp) THEN 0 WHEN NOT EXISTS(SELECT 1 FROM mark WHERE tree = "
			"n.tree AND pruned = 1) THEN 0 WHEN EXISTS(SELECT 1 FROM hung WHERE tree = "
			"n.tree) THEN 1 ELSE EXISTS(WITH RECURSIVE up(id) AS (SELECT "
			"?1 UNION ALL SELECT p.from_node FROM up CROSS JOIN node p ON p.id = up.id "
			"WHERE p.from_node < p.id LIMIT ?2) SELECT 1 FROM up CROSS JOIN mark m "
			"ON m.id = up.id WHERE m.pruned = 1) END FROM node n WHERE n.id = ?1",
			walk->err);
	model_bind(&q, tip);
	model_bind(&q, walk->limit < INT64_MAX ? (int64_t)walk->limit : INT64_MAX);
	status = model_one(&q, 0, &pruned);
	*out = pruned != 0;
	return status;
}

static enum loom_status walk_path(struct path_walk *walk, int64_t tip, struct loom_nodes *out)
{
	const bool own_view = !walk->store->writing;
	struct looks looks;
	enum loom_status status = own_view ? loom_store_view(walk->store, walk->err) : LOOM_OK;

	LOOM_ASSERT(walk->arena && out);
	*out = (struct loom_nodes){NULL, 0};
	if (status != LOOM_OK)
		return status;
	walk->looks = &looks;
	status = must_choose(walk, tip, &walk->choosing);
	if (status == LOOM_OK && walk->choosing)
		status = find_looks(walk->store, tip, walk->thread, &looks, walk->err);
	if (status == LOOM_OK)
		status = climb(walk, tip, out);
	if (status == LOOM_OK && out->count == 0)
		status = loom_fail(walk->err, LOOM_NOT_FOUND, "the node does not exist");
	if (own_view)
		loom_store_unview(walk->store);
	return status;
}

enum loom_status loom_node_path_end(struct loom_store *store, const struct loom_path_end *end,
				    struct loom_arena *arena, struct loom_nodes *out,
				    struct loom_err *err)
{
	struct path_walk walk = {.store = store,
				 .thread = end->thread,
				 .parts = end->parts,
				 .limit = end->limit,
				 .arena = arena,
				 .err = err};

	LOOM_ASSERT(end && out);
	return walk_path(&walk, end->tip, out);
}

enum loom_status loom_node_path(struct loom_store *store, int64_t tip, int64_t thread,
				unsigned parts, struct loom_arena *arena, struct loom_nodes *out,
				struct loom_err *err)
{
	return loom_node_path_end(store,
				  &(struct loom_path_end){.tip = tip,
							  .thread = thread,
							  .limit = SIZE_MAX,
							  .parts = parts},
				  arena, out, err);
}

enum loom_status loom_node_path_said(struct loom_store *store, int64_t tip, int64_t thread,
				     size_t front, struct loom_arena *arena, struct loom_nodes *out,
				     struct loom_err *err)
{
	struct path_walk walk = {.store = store,
				 .thread = thread,
				 .said = true,
				 .front = front,
				 .limit = SIZE_MAX,
				 .arena = arena,
				 .err = err};

	return walk_path(&walk, tip, out);
}

/* --- visibility --- */

enum loom_status model_group_shown(struct loom_store *store, int64_t group, bool *out,
				   struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT EXISTS(SELECT 1 FROM node n JOIN op o ON o.id = n.op AND (o.state = 1 OR "
		"o.id = ?2) LEFT JOIN mark m ON m.id = n.id WHERE n.id = ?1 "
		"AND coalesce(m.pruned, 0) = 0) "
		"OR EXISTS(SELECT 1 FROM node n JOIN op o ON o.id = n.op AND (o.state = 1 OR "
		"o.id = ?2) LEFT JOIN mark m ON m.id = n.id WHERE n.grp = ?1 AND n.id <> n.grp "
		"AND coalesce(m.pruned, 0) = 0)",
		err);
	int64_t shown = 0;
	enum loom_status status;

	model_bind(&q, group);
	model_bind(&q,
		   store->writing && store->held->write.spec.slices ? store->held->write.op : 0);
	status = model_one(&q, 0, &shown);
	*out = shown != 0;
	return status;
}

/* Finds the topmost hidden group at or above `group`, 0 if none: by walking up or, if the tree has
 * fewer pruned nodes than there are steps, by testing each of those. */
/* Whether a group that is not shown is pruned, and not undone. */
static enum loom_status is_pruned(struct loom_store *store, int64_t group, bool *out,
				  struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT 1 FROM (SELECT ?1 AS id UNION ALL SELECT id FROM node WHERE grp = ?1 AND "
		"id <> grp) v CROSS JOIN mark m ON m.id = v.id AND m.pruned = 1 CROSS JOIN node n "
		"ON n.id = v.id" MODEL_DONE_OP "LIMIT 1",
		err);
	int64_t found = 0;
	enum loom_status status;

	model_bind(&q, group);
	status = model_one(&q, 0, &found);
	*out = found != 0;
	return status;
}

static enum loom_status hidden_by_walk(struct loom_store *store, int64_t group, int64_t *out,
				       struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	struct model_place place;

	*out = 0;
	for (int64_t at = group; at && status == LOOM_OK; at = place.parent) {
		bool shown = false;
		bool pruned = false;

		status = model_node_place(store, at, &place, err);
		if (status == LOOM_OK)
			status = model_group_shown(store, place.group, &shown, err);
		if (status == LOOM_OK && !shown)
			status = is_pruned(store, place.group, &pruned, err);
		if (status == LOOM_OK && !shown && pruned)
			*out = place.group;
	}
	return status;
}

struct pruned_list {
	int64_t groups[64];
	size_t count;
	bool more;
};

static enum loom_status list_pruned(struct loom_store *store, int64_t group, int64_t depth,
				    struct pruned_list *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT p.grp FROM node n JOIN mark m ON m.tree = n.tree AND "
				     "m.pruned = 1 JOIN node p ON p.id = m.id WHERE n.id = ? AND "
				     "(p.depth <= ? OR EXISTS(SELECT 1 FROM hung WHERE tree = "
				     "n.tree)) AND NOT EXISTS(SELECT 1 FROM node v JOIN op o ON "
				     "o.id = v.op AND o.state = 1 LEFT JOIN mark k ON k.id = v.id "
				     "WHERE v.grp = p.grp AND v.id <> v.grp AND coalesce(k.pruned, "
				     "0) = 0) LIMIT 65",
				     err);

	memset(out, 0, sizeof *out);
	model_bind(&q, group);
	model_bind(&q, depth);
	while (model_row(&q)) {
		if (out->count == LOOM_COUNT(out->groups))
			out->more = true;
		else
			out->groups[out->count++] = model_int(&q, 0);
	}
	LOOM_ASSERT(out->count <= LOOM_COUNT(out->groups));
	return model_done(&q);
}

static enum loom_status hidden_by(struct loom_store *store, int64_t group, int64_t *out,
				  struct loom_err *err)
{
	struct pruned_list pruned = {.count = 0};
	int64_t depth = 0;
	int64_t best = INT64_MAX;
	enum loom_status status = model_depth(store, group, &depth, err);

	*out = 0;
	if (status == LOOM_OK)
		status = list_pruned(store, group, depth, &pruned, err);
	if (status != LOOM_OK || pruned.more || (int64_t)pruned.count * 16 > depth + 16)
		return status == LOOM_OK ? hidden_by_walk(store, group, out, err) : status;
	for (size_t i = 0; i < pruned.count && status == LOOM_OK; i++) {
		int64_t at = 0;
		bool above = false;
		bool shown = true;

		status = loom_node_above(store, pruned.groups[i], group, &above, err);
		if (status == LOOM_OK && above)
			status = model_group_shown(store, pruned.groups[i], &shown, err);
		if (status == LOOM_OK && !shown)
			status = model_depth(store, pruned.groups[i], &at, err);
		if (status == LOOM_OK && !shown && at < best) {
			best = at;
			*out = pruned.groups[i];
		}
	}
	return status;
}

/* Finds the node itself, or the nearest member it descends from above the mark that hides its
 * group. */
static enum loom_status below_marks(struct loom_store *store, int64_t node, int64_t *out_node,
				    int64_t *out_hidden_by, struct loom_err *err)
{
	struct model_place place;
	int64_t mark = 0;
	int64_t own = 0;
	enum loom_status status = model_node_place(store, node, &place, err);
	struct query q;

	*out_hidden_by = 0;
	*out_node = node;
	/* Skip undone ancestors first: they have no mark. */
	while (status == LOOM_OK) {
		q = model_query(store,
				"SELECT coalesce(n.edited_from, n.from_node, " MODEL_FIRST_ROOT(
					"n.tree") ") FROM node n JOIN op o ON o.id = n.op "
						  "WHERE n.id = ? AND o.state <> 1",
				err);
		model_bind(&q, *out_node);
		status = model_one(&q, 0, &own);
		if (status != LOOM_OK || !own)
			break;
		*out_node = own;
	}
	if (status == LOOM_OK)
		status = model_node_place(store, *out_node, &place, err);
	if (status == LOOM_OK)
		status = hidden_by(store, place.group, &mark, err);
	if (status != LOOM_OK || !mark)
		return status;
	*out_hidden_by = mark;
	q = model_query(store,
			"SELECT coalesce(n.from_node, " MODEL_FIRST_ROOT(
				"n.tree") ") FROM node n WHERE n.id = ?",
			err);
	model_bind(&q, mark);
	return model_one(&q, mark, out_node);
}

enum loom_status loom_node_visible(struct loom_store *store, int64_t node, int64_t *out_node,
				   int64_t *out_hidden_by, struct loom_err *err)
{
	int64_t hidden_by = 0;
	int64_t pruned = 0;
	struct model_place place = {0};
	struct query q;
	enum loom_status status = below_marks(store, node, out_node, &hidden_by, err);

	/* The group is visible, but this version may be pruned. */
	if (status == LOOM_OK) {
		q = model_query(store, "SELECT pruned FROM mark WHERE id = ?", err);
		model_bind(&q, *out_node);
		status = model_one(&q, 0, &pruned);
	}
	if (status == LOOM_OK && pruned) {
		hidden_by = hidden_by ? hidden_by : *out_node;
		status = model_node_place(store, *out_node, &place, err);
	}
	if (status == LOOM_OK && pruned)
		status = choose_member(store, *out_node, 0, place.group, out_node, err);
	if (out_hidden_by)
		*out_hidden_by = hidden_by;
	return status;
}

enum loom_status loom_group_visible(struct loom_store *store, int64_t group, bool *out,
				    int64_t *out_hidden_by, struct loom_err *err)
{
	int64_t hidden_by = 0;
	int64_t near = 0;
	enum loom_status status = below_marks(store, group, &near, &hidden_by, err);

	*out = status == LOOM_OK && near == group;
	if (out_hidden_by)
		*out_hidden_by = hidden_by;
	return status;
}
