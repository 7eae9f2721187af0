/* Where a branch hangs: its new place, and ancestry in a tree with branches that were moved.
 *
 * A row says where its group hangs now; its depth and jump are those of its birth and lead through
 * the forest of births, which never changes. A path is therefore made of stretches, each of which
 * lies in that forest as it lies in the tree: from a group up to the nearest one that was hung
 * elsewhere, from its new parent up to the next such one, and so on. Where nothing was moved there
 * is one stretch, and no query more. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/node.h>

struct step {
	int64_t tree;
	int64_t parent;
	int64_t depth; /* at birth */
	int64_t jump;
	int64_t jump_depth;
	bool hung; /* something in the grove was moved */
};

/* Reads a step; `first` also asks for its tree, and whether something was moved. */
static enum loom_status read_step(struct loom_store *store, int64_t group, bool first,
				  struct step *out, struct loom_err *err)
{
#define STEP(tree, hung)                                                                           \
	"SELECT " tree ", n.parent, n.depth, n.jump, j.depth, " hung                               \
	" FROM node n JOIN node j ON j.id = n.jump WHERE n.id = ?"
	struct query q =
		model_query(store, first ? STEP("n.tree", MODEL_ANY_HUNG) : STEP("0", "0"), err);
	bool there;

	model_bind(&q, group);
	there = model_row(&q);
	if (there)
		*out = (struct step){
			.tree = model_int(&q, 0),
			.parent = model_int(&q, 1),
			.depth = model_int(&q, 2),
			.jump = model_int(&q, 3),
			.jump_depth = model_int(&q, 4),
			.hung = model_int(&q, 5) != 0,
		};
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "the node does not exist");
}

/* Climbs within a stretch to a depth of birth, from *group, of which *step was read. */
static enum loom_status climb(struct loom_store *store, int64_t *group, struct step *step,
			      int64_t depth, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(depth >= 0);
	while (status == LOOM_OK && step->depth > depth) {
		*group = step->jump_depth >= depth ? step->jump : step->parent;
		status = read_step(store, *group, false, step, err);
	}
	return status;
}

/* --- the groups that hang elsewhere --- */

static enum loom_status fail_circle(struct loom_err *err)
{
	return loom_fail(err, LOOM_DAMAGED, "the path of a node does not lead to its root");
}

static enum loom_status read_hung(struct loom_store *store, int64_t tree, struct loom_err *err)
{
	struct model_hung_list *list = &store->held->hung;
	struct query q = model_query(
		store,
		"SELECT h.id, h.depth, n.parent FROM hung h CROSS JOIN node n ON n.id = h.id "
		"WHERE h.tree = ? AND n.parent IS NOT h.born ORDER BY h.depth DESC, h.id",
		err);

	LOOM_ASSERT(tree);
	list->count = 0;
	model_bind(&q, tree);
	while (model_row(&q)) {
		if (list->count == list->cap) {
			list->cap = list->cap ? list->cap * 2 : 16;
			list->items = loom_realloc(list->items, list->cap, sizeof *list->items);
		}
		list->items[list->count++] = (struct model_hung){.group = model_int(&q, 0),
								 .depth = model_int(&q, 1),
								 .parent = model_int(&q, 2),
								 .real = -1};
	}
	return model_done(&q);
}

/* Reads a tree's moved groups, unless those in memory are of this very state of the grove. */
static enum loom_status find_hung(struct loom_store *store, int64_t tree, struct loom_err *err)
{
	struct model_hung_list *list = &store->held->hung;
	int64_t seq = 0;
	struct query q = model_query(store, "SELECT max(seq) FROM event", err);
	enum loom_status status = model_one(&q, 0, &seq);

	if (status != LOOM_OK)
		return status;
	if (list->tree == tree && list->seq == seq &&
	    (store->writing ? store->held->write.hung_fresh : !list->written))
		return LOOM_OK;
	status = read_hung(store, tree, err);
	list->tree = status == LOOM_OK ? tree : 0;
	list->seq = seq;
	list->written = store->writing;
	store->held->write.hung_fresh = store->writing;
	return status;
}

static size_t item_of(const struct model_hung_list *list, size_t from, size_t to, int64_t group)
{
	LOOM_ASSERT(to <= list->count);
	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (list->items[middle].group == group)
			return middle;
		if (list->items[middle].group < group)
			from = middle + 1;
		else
			to = middle;
	}
	return SIZE_MAX;
}

/* Finds the end of a stretch: the nearest moved group at or above `group`, SIZE_MAX if there is
 * none up to its root. The deepest come first, and all of one depth cost one climb. */
static enum loom_status nearest(struct loom_store *store, int64_t group, struct step step,
				size_t *out, struct loom_err *err)
{
	const struct model_hung_list *list = &store->held->hung;
	enum loom_status status = LOOM_OK;
	size_t end = 0;

	*out = SIZE_MAX;
	for (size_t i = 0; i < list->count && status == LOOM_OK && *out == SIZE_MAX; i = end) {
		const int64_t depth = list->items[i].depth;

		for (end = i + 1; end < list->count && list->items[end].depth == depth; end++)
			;
		if (depth > step.depth)
			continue;
		status = climb(store, &group, &step, depth, err);
		*out = item_of(list, i, end, group);
	}
	return status;
}

/* Fills in how deep a moved group stands now, and those above it. */
static enum loom_status settle(struct loom_store *store, size_t item, struct loom_err *err)
{
	struct model_hung_list *list = &store->held->hung;
	size_t *way = loom_alloc((list->count + 1) * sizeof *way);
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	for (size_t at = item; at != SIZE_MAX && list->items[at].real < 0 && status == LOOM_OK;) {
		struct model_hung *hung = &list->items[at];
		struct step above = {.depth = -1};

		if (count == list->count) {
			status = fail_circle(err);
			break;
		}
		way[count++] = at;
		hung->next = SIZE_MAX;
		if (hung->parent)
			status = read_step(store, hung->parent, false, &above, err);
		hung->above = above.depth;
		if (hung->parent && status == LOOM_OK)
			status = nearest(store, hung->parent, above, &hung->next, err);
		at = hung->next;
	}
	while (count > 0 && status == LOOM_OK) {
		struct model_hung *hung = &list->items[way[--count]];
		const struct model_hung *next =
			hung->next == SIZE_MAX ? NULL : &list->items[hung->next];

		hung->real = hung->above + 1 + (next ? next->real - next->depth : 0);
	}
	free(way);
	return status;
}

/* Where a stretch of a path ends. */
struct stretch {
	int64_t group; /* its lowest one */
	struct step step;
	size_t end;  /* the moved group it ends at, SIZE_MAX: the root */
	int64_t low; /* how much deeper its groups stand than they were born */
};

static enum loom_status stretch_at(struct loom_store *store, int64_t group, struct stretch *out,
				   struct loom_err *err)
{
	enum loom_status status;

	*out = (struct stretch){.group = group, .end = SIZE_MAX};
	status = read_step(store, group, true, &out->step, err);
	if (status == LOOM_OK && out->step.hung)
		status = find_hung(store, out->step.tree, err);
	if (status == LOOM_OK && out->step.hung)
		status = nearest(store, group, out->step, &out->end, err);
	if (status == LOOM_OK && out->end != SIZE_MAX)
		status = settle(store, out->end, err);
	if (status == LOOM_OK && out->end != SIZE_MAX)
		out->low = store->held->hung.items[out->end].real -
			   store->held->hung.items[out->end].depth;
	return status;
}

enum loom_status model_depth(struct loom_store *store, int64_t group, int64_t *out,
			     struct loom_err *err)
{
	struct stretch at;
	enum loom_status status = stretch_at(store, group, &at, err);

	*out = at.step.depth + at.low;
	return status;
}

void model_depth_now(const struct query *q, struct loom_node *node)
{
	int64_t depth = 0;

	if (model_depth(q->store, node->group, &depth, NULL) == LOOM_OK)
		node->depth = depth;
}

/* --- ancestry --- */

enum loom_status loom_node_ancestor(struct loom_store *store, int64_t group, int64_t depth,
				    int64_t *out_group, struct loom_err *err)
{
	struct stretch at;
	enum loom_status status = stretch_at(store, group, &at, err);

	LOOM_ASSERT(out_group);
	if (status == LOOM_OK && (depth < 0 || depth > at.step.depth + at.low))
		return loom_fail(err, LOOM_NOT_FOUND, "there is no ancestor at depth %lld",
				 (long long)depth);
	while (status == LOOM_OK && at.end != SIZE_MAX &&
	       depth < store->held->hung.items[at.end].real) {
		const struct model_hung *hung = &store->held->hung.items[at.end];

		at.group = hung->parent;
		at.end = hung->next;
		at.low = at.end == SIZE_MAX ? 0
					    : store->held->hung.items[at.end].real -
						      store->held->hung.items[at.end].depth;
		if (at.end == SIZE_MAX || depth >= store->held->hung.items[at.end].real)
			status = read_step(store, at.group, false, &at.step, err);
	}
	if (status == LOOM_OK)
		status = climb(store, &at.group, &at.step, depth - at.low, err);
	*out_group = at.group;
	return status;
}

enum loom_status loom_node_above(struct loom_store *store, int64_t above, int64_t below, bool *out,
				 struct loom_err *err)
{
	int64_t high = 0;
	int64_t low = 0;
	int64_t met = 0;
	enum loom_status status = model_depth(store, above, &high, err);

	*out = false;
	if (status == LOOM_OK)
		status = model_depth(store, below, &low, err);
	if (status != LOOM_OK || high > low)
		return status;
	status = loom_node_ancestor(store, below, high, &met, err);
	*out = met == above;
	return status;
}

/* Finds where two groups of the same depth meet, 0 if they are in two trees, by bisection. */
static enum loom_status meet_at(struct loom_store *store, int64_t a, int64_t b, int64_t depth,
				int64_t *out_met, struct loom_err *err)
{
	int64_t low = 0;
	int64_t high = depth;
	enum loom_status status = LOOM_OK;

	*out_met = a == b ? b : 0;
	while (!*out_met && low < high && status == LOOM_OK) {
		const int64_t middle = low + (high - low) / 2;
		int64_t left = 0;
		int64_t right = 0;

		status = loom_node_ancestor(store, a, middle, &left, err);
		if (status == LOOM_OK)
			status = loom_node_ancestor(store, b, middle, &right, err);
		if (left == right)
			low = middle + 1;
		else
			high = middle;
	}
	if (!*out_met && low > 0 && status == LOOM_OK)
		status = loom_node_ancestor(store, b, low - 1, out_met, err);
	return status;
}

enum loom_status model_part(struct loom_store *store, int64_t from, int64_t to, int64_t *out_meet,
			    int64_t *out_top, struct loom_err *err)
{
	int64_t a = 0;
	int64_t b = 0;
	int64_t high = from;
	int64_t low = to;
	int64_t met = 0;
	enum loom_status status = model_depth(store, from, &a, err);

	LOOM_ASSERT(out_meet && out_top);
	*out_top = 0;
	if (status == LOOM_OK)
		status = model_depth(store, to, &b, err);
	if (status == LOOM_OK && a > b)
		status = loom_node_ancestor(store, from, b, &high, err);
	else if (status == LOOM_OK)
		status = loom_node_ancestor(store, to, a, &low, err);
	if (status == LOOM_OK)
		status = meet_at(store, high, low, a < b ? a : b, out_meet, err);
	if (status == LOOM_OK && !*out_meet)
		status = loom_node_ancestor(store, to, 0, out_meet, err);
	if (status != LOOM_OK || *out_meet == to)
		return status;
	status = model_depth(store, *out_meet, &met, err);
	return status == LOOM_OK ? loom_node_ancestor(store, to, met + 1, out_top, err) : status;
}

/* --- places --- */

/* A place: the group above, its member, and the ordinal among the siblings there. */
struct place {
	int64_t parent;
	int64_t from;
	int64_t ord;
};

static struct loom_str place_text(const struct place *place, char out[72])
{
	const int n = snprintf(out, 72, "%lld %lld %lld", (long long)place->parent,
			       (long long)place->from, (long long)place->ord);

	LOOM_ASSERT(n > 0 && n < 72);
	return loom_str_make(out, (size_t)n);
}

static bool read_place(struct loom_str text, struct place *out)
{
	int64_t *const number[] = {&out->parent, &out->from, &out->ord};
	struct loom_str word;

	*out = (struct place){.parent = 0};
	for (size_t i = 0; i < LOOM_COUNT(number); i++)
		if (!loom_str_cut(&text, ' ', &word) || !loom_str_to_i64(word, number[i]))
			return false;
	return true;
}

/* A group that is to hang elsewhere. */
struct mover {
	int64_t node;
	int64_t group;
	int64_t tree;
	int64_t kind;
	int64_t op;
	int64_t group_op;
	struct place at;
};

static enum loom_status read_mover(struct loom_store *store, int64_t node, struct mover *out,
				   struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT n.grp, n.tree, n.kind, n.op, g.op, n.parent, n.from_node, g.ord FROM node "
		"n "
		"JOIN node g ON g.id = n.grp JOIN op o ON o.id = n.op AND (o.state = 1 OR o.id = "
		"?2) WHERE n.id = ?1",
		err);
	bool there;

	model_bind(&q, node);
	model_bind(&q, store->held->write.op);
	there = model_row(&q);
	if (there)
		*out = (struct mover){
			.node = node,
			.group = model_int(&q, 0),
			.tree = model_int(&q, 1),
			.kind = model_int(&q, 2),
			.op = model_int(&q, 3),
			.group_op = model_int(&q, 4),
			.at = {model_int(&q, 5), model_int(&q, 6), model_int(&q, 7)},
		};
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "the node does not exist");
}

static enum loom_status write_place(struct loom_store *store, int64_t group,
				    const struct place *place, struct loom_err *err)
{
	struct query q = model_query(store,
				     "UPDATE node SET parent = ?2, from_node = ?3, ord = ?4 WHERE "
				     "id = ?1 OR (grp = ?1 AND id <> grp)",
				     err);

	LOOM_ASSERT(store->writing && place->ord > 0);
	model_bind(&q, group);
	model_bind_or_null(&q, place->parent);
	model_bind_or_null(&q, place->from);
	model_bind(&q, place->ord);
	/* Nothing that was cached about parents and paths holds any more. */
	memset(store->held->write.parents, 0, sizeof store->held->write.parents);
	store->held->write.hung_fresh = false;
	store->held->hung.tree = 0;
	return model_run(&q);
}

/* Whatever its size, a branch that moves between two visible places changes only their two counts
 * of children, and those of leaves and branches that follow from them. */
static enum loom_status move_counts(struct loom_store *store, const struct mover *mover,
				    const struct place *to, struct loom_err *err)
{
	static const struct loom_count none = {.nodes = 0};
	bool shown = false;
	enum loom_status status = model_group_shown(store, mover->group, &shown, err);

	if (status != LOOM_OK || !shown || mover->kind != LOOM_CONTINUATION ||
	    mover->at.parent == to->parent)
		return status;
	status = model_count_attach(store, mover->at.parent, mover->tree, &none, -1, err);
	return status == LOOM_OK ? model_count_attach(store, to->parent, mover->tree, &none, 1, err)
				 : status;
}

static enum loom_status put(struct loom_store *store, const struct mover *mover,
			    const struct place *to, struct loom_err *err)
{
	enum loom_status status = model_tree_state(store, mover->tree, err);

	if (status == LOOM_OK)
		status = move_counts(store, mover, to, err);
	if (store->held->write.left_ord < mover->at.ord)
		store->held->write.left_ord = mover->at.ord;
	return status == LOOM_OK ? write_place(store, mover->group, to, err) : status;
}

/* --- refusals --- */

static enum loom_status refuse_hidden(struct loom_store *store, int64_t group, struct loom_err *err)
{
	bool visible = true;
	int64_t mark = 0;
	enum loom_status status = LOOM_OK;

	if (group && store->held->write.tree.has_pruned)
		status = loom_group_visible(store, group, &visible, &mark, err);
	if (status != LOOM_OK || !mark)
		return status;
	loom_fail(err, LOOM_CONFLICT, "a pruned place takes no branch and gives none");
	return loom_hint(err, LOOM_CONFLICT, "restore it first");
}

/* Before a branch leaves one place for another. */
static enum loom_status refuse_place(struct loom_store *store, const struct mover *mover,
				     int64_t parent, struct loom_err *err)
{
	bool below = false;
	enum loom_status status = model_tree_state(store, mover->tree, err);

	LOOM_ASSERT(mover->group);
	if (status == LOOM_OK && parent)
		status = loom_node_above(store, mover->group, parent, &below, err);
	if (status == LOOM_OK && below) {
		loom_fail(err, LOOM_CONFLICT, "a branch cannot hang below itself");
		return loom_hint(err, LOOM_CONFLICT, "move it to a node outside of it");
	}
	if (status == LOOM_OK)
		status = refuse_hidden(store, parent, err);
	return status == LOOM_OK ? refuse_hidden(store, mover->at.parent, err) : status;
}

/* The group whose children stand in the places beside this one. */
static int64_t among(const struct mover *mover, const struct place *at)
{
	LOOM_ASSERT(mover->tree);
	return at->parent ? at->parent : loom_top(mover->tree);
}

static enum loom_status next_free(struct loom_store *store, const struct mover *mover,
				  const struct place *at, int64_t *out, struct loom_err *err)
{
	enum loom_status status = model_last_ord(store, among(mover, at), mover->kind, out, err);

	if (*out < store->held->write.left_ord)
		*out = store->held->write.left_ord;
	++*out;
	return status;
}

/* --- hanging --- */

/* One row says that the group hangs elsewhere, and where it was born. */
static enum loom_status hang(struct loom_store *store, const struct mover *mover,
			     const struct place *to, struct loom_err *err)
{
	char text[72];
	struct query q = model_query(
		store,
		"INSERT OR IGNORE INTO hung(id, tree, depth, born, born_from, place) SELECT id, "
		"tree, depth, parent, from_node, ?2 FROM node WHERE id = ?1",
		err);
	enum loom_status status;

	LOOM_ASSERT(model_in_op(store) && to->ord > 0);
	model_bind(&q, mover->group);
	model_bind_text(&q, place_text(&mover->at, text));
	status = model_run(&q);
	if (status == LOOM_OK)
		status = model_set(store, MODEL_HUNG_PLACE, mover->group,
				   model_of_text(place_text(to, text)), NULL, err);
	return status == LOOM_OK ? put(store, mover, to, err) : status;
}

#define ORDERED_MAX 4096

/* Gives a sibling and all after it fresh ordinals, so that one more comes before them. No ordinal
 * is ever given twice in one write. */
static enum loom_status make_way(struct loom_store *store, const struct mover *mover,
				 const struct mover *next, int64_t *out_ord, struct loom_err *err)
{
	int64_t *ids = loom_alloc((ORDERED_MAX + 1) * sizeof *ids);
	size_t count = 0;
	struct query q =
		model_query(store,
			    MODEL_AMONG(next->at.parent, "SELECT n.id FROM node n WHERE",
					"AND n.kind = ?2 AND n.ord >= ?3 AND n.id = n.grp AND "
					"n.id <> ?4 ORDER BY n.ord LIMIT ?5"),
			    err);
	enum loom_status status;

	model_bind(&q, among(next, &next->at));
	model_bind(&q, next->kind);
	model_bind(&q, next->at.ord);
	model_bind(&q, mover->group);
	model_bind(&q, ORDERED_MAX + 1);
	while (count <= ORDERED_MAX && model_row(&q))
		ids[count++] = model_int(&q, 0);
	status = model_done(&q);
	if (status == LOOM_OK && count > ORDERED_MAX)
		status = loom_fail(err, LOOM_LIMIT, "more than %d siblings would change places",
				   ORDERED_MAX);
	if (status == LOOM_OK)
		status = next_free(store, next, &next->at, out_ord, err);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct mover each = {.kind = next->kind, .tree = next->tree};
		struct place to;

		q = model_query(store, "SELECT parent, from_node, ord FROM node WHERE id = ?", err);
		each.group = ids[i];
		model_bind(&q, ids[i]);
		if (model_row(&q))
			each.at = (struct place){model_int(&q, 0), model_int(&q, 1),
						 model_int(&q, 2)};
		status = model_done(&q);
		to = each.at;
		to.ord = *out_ord + 1 + (int64_t)i;
		if (status == LOOM_OK)
			status = hang(store, &each, &to, err);
	}
	free(ids);
	return status;
}

/* Whether a group stands directly before a sibling already. */
static enum loom_status stands_before(struct loom_store *store, const struct mover *mover,
				      const struct mover *next, bool *out, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    MODEL_AMONG(next->at.parent, "SELECT n.id FROM node n WHERE",
					"AND n.kind = ?2 AND n.ord < ?3 AND n.id = n.grp ORDER BY "
					"n.ord DESC LIMIT 1"),
			    err);
	int64_t last = 0;
	enum loom_status status;

	model_bind(&q, among(next, &next->at));
	model_bind(&q, next->kind);
	model_bind(&q, next->at.ord);
	status = model_one(&q, 0, &last);
	*out = last == mover->group;
	return status;
}

/* Finds the ordinal of the new place, and makes it free. */
static enum loom_status find_ord(struct loom_store *store, const struct mover *mover,
				 const struct loom_hang *where, struct place *to, bool *out_same,
				 struct loom_err *err)
{
	struct mover next;
	enum loom_status status;

	*out_same = !where->before && !where->last && to->parent == mover->at.parent &&
		    to->from == mover->at.from;
	if (!where->before)
		return *out_same ? LOOM_OK : next_free(store, mover, to, &to->ord, err);
	status = read_mover(store, where->before, &next, err);
	if (status == LOOM_OK && (next.at.parent != to->parent || next.kind != mover->kind))
		status = loom_fail(err, LOOM_FAULT, "the next sibling hangs elsewhere");
	*out_same = next.group == mover->group;
	if (status == LOOM_OK && !*out_same)
		status = stands_before(store, mover, &next, out_same, err);
	if (status != LOOM_OK || *out_same)
		return status;
	return make_way(store, mover, &next, &to->ord, err);
}

enum loom_status loom_node_hang(struct loom_store *store, const struct loom_hang *where,
				bool *out_changed, struct loom_err *err)
{
	struct mover mover;
	struct mover below = {.kind = LOOM_CONTINUATION};
	struct place to = {.ord = 0};
	bool same = false;
	enum loom_status status = read_mover(store, where->node, &mover, err);

	LOOM_ASSERT(model_in_op(store) && where->node && out_changed);
	*out_changed = false;
	if (status == LOOM_OK && where->below)
		status = read_mover(store, where->below, &below, err);
	if (status != LOOM_OK)
		return status;
	if (mover.kind > (where->below ? LOOM_ANNOTATION : LOOM_CONTINUATION) ||
	    below.kind != LOOM_CONTINUATION)
		return loom_fail(err, LOOM_CONFLICT, "only nodes of the story have a place in it");
	if (where->below && mover.tree != below.tree)
		return loom_fail(err, LOOM_CONFLICT, "a branch moves within its tree");
	to = (struct place){.parent = below.group, .from = below.node};
	status = refuse_place(store, &mover, to.parent, err);
	if (status == LOOM_OK)
		status = find_ord(store, &mover, where, &to, &same, err);
	if (status != LOOM_OK || same)
		return status;
	status = model_op_need(store, NULL, err);
	if (status == LOOM_OK)
		status = model_op_builds_on(store, mover.op, err);
	if (status == LOOM_OK)
		status = model_op_builds_on(store, mover.group_op, err);
	if (status == LOOM_OK && below.op)
		status = model_op_builds_on(store, below.op, err);
	if (status == LOOM_OK)
		status = hang(store, &mover, &to, err);
	*out_changed = status == LOOM_OK;
	return status;
}

/* --- undo --- */

/* The ordinal may have been given to another one meanwhile. */
static enum loom_status free_ord(struct loom_store *store, const struct mover *mover,
				 struct place *to, struct loom_err *err)
{
	struct query q = model_query(store,
				     MODEL_AMONG(to->parent, "SELECT n.id FROM node n WHERE",
						 "AND n.kind = ?2 AND n.ord = ?3 AND n.id = n.grp"),
				     err);
	int64_t there = 0;
	enum loom_status status;

	model_bind(&q, among(mover, to));
	model_bind(&q, mover->kind);
	model_bind(&q, to->ord);
	status = model_one(&q, 0, &there);
	return status != LOOM_OK || !there || there == mover->group
		       ? status
		       : next_free(store, mover, to, &to->ord, err);
}

static enum loom_status note_place(struct loom_store *store, int64_t group, const struct place *to,
				   struct loom_err *err)
{
	char text[72];
	struct query q =
		model_query(store, "UPDATE hung SET place = ?2, ver = ver + 1 WHERE id = ?1", err);

	model_bind(&q, group);
	model_bind_text(&q, place_text(to, text));
	return model_run(&q);
}

/* Reads what undo and redo of a place need; not only of what is visible now. */
static enum loom_status read_hung_group(struct loom_store *store, int64_t group, struct mover *out,
					struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT tree, kind, parent, from_node, ord FROM node WHERE id = ?",
			    err);

	*out = (struct mover){.node = group, .group = group};
	model_bind(&q, group);
	if (model_row(&q)) {
		out->tree = model_int(&q, 0);
		out->kind = model_int(&q, 1);
		out->at = (struct place){model_int(&q, 2), model_int(&q, 3), model_int(&q, 4)};
	}
	return model_done(&q);
}

enum loom_status model_place_swap(struct loom_store *store, int64_t group, struct loom_str from,
				  struct loom_str to, bool *out_done, struct loom_err *err)
{
	struct mover mover;
	struct place was;
	struct place next;
	enum loom_status status = read_hung_group(store, group, &mover, err);

	*out_done = false;
	if (!read_place(from, &was) || !read_place(to, &next))
		return loom_fail(err, LOOM_DAMAGED, "a place in the journal cannot be read");
	if (status != LOOM_OK || mover.at.parent != was.parent)
		return status;
	*out_done = true;
	if (next.parent != was.parent)
		status = refuse_place(store, &mover, next.parent, err);
	if (status == LOOM_OK)
		status = free_ord(store, &mover, &next, err);
	if (status == LOOM_OK)
		status = put(store, &mover, &next, err);
	return status == LOOM_OK ? note_place(store, group, &next, err) : status;
}
