/* Grafts: the parts of a long write that hang on groups older than it.
 *
 * A long write is invisible until its end, so its nodes move no counters. Instead, what it adds
 * below each older group is summed up as it is written: how many children, and how much they
 * contain. Its end, undo and redo then cost only as much as there are such groups (nearly always
 * one), however many nodes there are. A graft is one journal entry, field -2: `target` is the
 * group, `before` the nodes, `after` the rest as text. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/node.h>

static enum loom_status tree_of(struct loom_store *store, int64_t group, int64_t *out,
				struct loom_err *err)
{
	struct query q = model_query(store, "SELECT tree FROM node WHERE id = ?", err);

	model_bind(&q, group);
	return model_one(&q, -group, out); /* loom_top has no row */
}

static struct model_graft *graft_on(struct model_write *write, int64_t parent)
{
	for (size_t i = write->graft_count; i > 0; i--)
		if (write->grafts[i - 1].parent == parent)
			return &write->grafts[i - 1];
	if (write->graft_count == write->graft_cap) {
		write->graft_cap = write->graft_cap ? write->graft_cap * 2 : 4;
		write->grafts =
			loom_realloc(write->grafts, write->graft_cap, sizeof *write->grafts);
	}
	LOOM_ASSERT(write->graft_count < write->graft_cap);
	write->grafts[write->graft_count] =
		(struct model_graft){.parent = parent, .low = INT64_MAX};
	return &write->grafts[write->graft_count++];
}

void model_graft_reset(struct model_write *write)
{
	free(write->grafts);
	write->grafts = NULL;
	write->graft_count = write->graft_cap = 0;
}

/* --- while writing --- */

struct above {
	int64_t parent; /* or loom_top, which no operation made */
	int64_t parent_op;
	int64_t jump;
	int64_t jump_op;
};

static enum loom_status read_above(struct loom_store *store, int64_t group, struct above *out,
				   struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT coalesce(n.parent, -n.tree), p.op, n.jump, j.op FROM node n "
			    "LEFT JOIN node p ON p.id = n.parent JOIN node j ON j.id = n.jump "
			    "WHERE n.id = ?",
			    err);

	model_bind(&q, group);
	if (model_row(&q))
		*out = (struct above){
			.parent = model_int(&q, 0),
			.parent_op = model_int(&q, 1),
			.jump = model_int(&q, 2),
			.jump_op = model_int(&q, 3),
		};
	return model_done(&q);
}

/* Finds the older group above a group of this write: climbs as long as groups are its own. */
static enum loom_status find_host(struct loom_store *store, int64_t group, int64_t *out,
				  struct loom_err *err)
{
	const int64_t op = store->held->write.op;
	enum loom_status status = LOOM_OK;

	*out = 0;
	while (!*out && status == LOOM_OK) {
		struct above above = {0};

		status = read_above(store, group, &above, err);
		if (status == LOOM_OK && above.parent_op != op)
			*out = above.parent;
		else
			group = above.jump_op == op && above.jump != group ? above.jump
									   : above.parent;
	}
	return status;
}

enum loom_status model_graft_host(struct loom_store *store, int64_t group, int64_t *out,
				  struct loom_err *err)
{
	LOOM_ASSERT(store->writing && store->held->write.spec.slices);
	if (store->held->write.graft_count == 1) {
		*out = store->held->write.grafts[0].parent;
		return LOOM_OK;
	}
	return find_host(store, group, out, err);
}

void model_graft_child(struct loom_store *store, int64_t host, int64_t ord)
{
	struct model_graft *graft = graft_on(&store->held->write, host);

	LOOM_ASSERT(store->writing);
	graft->dirty = true;
	graft->children++;
	graft->count.nodes++;
	graft->count.leaves++;
	graft->low = ord < graft->low ? ord : graft->low;
	graft->high = ord > graft->high ? ord : graft->high;
}

void model_graft_below(struct loom_store *store, int64_t host, int64_t siblings)
{
	struct model_graft *graft = graft_on(&store->held->write, host);

	LOOM_ASSERT(store->writing);
	graft->dirty = true;
	graft->count.nodes++;
	graft->count.leaves += siblings > 0;
	graft->count.branches += model_branches(siblings + 1) - model_branches(siblings);
}

/* --- in the journal --- */

static enum loom_status write_graft(struct loom_store *store, struct model_graft *graft,
				    struct loom_err *err)
{
	static const char insert[] =
		"INSERT INTO op_change(before, after, op, seq, field, target) VALUES(?,?,?,?,-2,?)";
	static const char update[] =
		"UPDATE op_change SET before = ?, after = ? WHERE op = ? AND seq = ?";
	struct query q = model_query(store, graft->seq ? update : insert, err);
	char rest[128];
	int n = snprintf(rest, sizeof rest, "%lld %lld %lld %lld %lld", (long long)graft->children,
			 (long long)graft->count.leaves, (long long)graft->count.branches,
			 (long long)graft->low, (long long)graft->high);

	LOOM_ASSERT(n > 0 && (size_t)n < sizeof rest);
	model_bind(&q, graft->count.nodes);
	model_bind_text(&q, loom_str_make(rest, (size_t)n));
	model_bind(&q, store->held->write.op);
	model_bind(&q, graft->seq ? graft->seq : store->held->write.change + 1);
	if (!graft->seq) {
		graft->seq = ++store->held->write.change;
		model_bind(&q, graft->parent);
	}
	graft->dirty = false;
	return model_run(&q);
}

enum loom_status model_graft_flush(struct loom_store *store, struct loom_err *err)
{
	struct model_write *write = &store->held->write;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->writing);
	for (size_t i = 0; i < write->graft_count && status == LOOM_OK; i++)
		if (write->grafts[i].dirty)
			status = write_graft(store, &write->grafts[i], err);
	return status;
}

bool model_graft_read(int64_t parent, int64_t nodes, struct loom_str rest, struct model_graft *out)
{
	int64_t numbers[5] = {0};

	LOOM_ASSERT(out);
	for (size_t i = 0; i < LOOM_COUNT(numbers); i++) {
		struct loom_str word;

		if (!loom_str_cut(&rest, ' ', &word) || !loom_str_to_i64(word, &numbers[i]))
			return false;
	}
	*out = (struct model_graft){.parent = parent,
				    .children = numbers[0],
				    .count = {.nodes = nodes,
					      .leaves = numbers[1],
					      .branches = numbers[2]},
				    .low = numbers[3],
				    .high = numbers[4]};
	return true;
}

enum loom_status model_graft_load(struct loom_store *store, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT seq, target, before, after FROM op_change WHERE op = ? "
			    "AND field = -2",
			    err);

	LOOM_ASSERT(store->writing && store->held->write.op);
	model_graft_reset(&store->held->write);
	model_bind(&q, store->held->write.op);
	while (model_row(&q)) {
		struct model_graft *graft = graft_on(&store->held->write, model_int(&q, 1));

		if (model_graft_read(model_int(&q, 1), model_int(&q, 2), model_borrow(&q, 3),
				     graft))
			graft->seq = model_int(&q, 0);
	}
	return model_done(&q);
}

/* --- appearing and vanishing --- */

enum loom_status model_graft_move(struct loom_store *store, const struct model_graft *graft,
				  int sign, struct loom_err *err)
{
	struct model_set_of what = {.children = graft->children, .count = graft->count};
	int64_t tree = 0;
	enum loom_status status = tree_of(store, graft->parent, &tree, err);

	LOOM_ASSERT(sign == 1 || sign == -1);
	return status == LOOM_OK
		       ? model_count_attach_all(store, graft->parent > 0 ? graft->parent : 0, tree,
						&what, sign, err)
		       : status;
}

enum loom_status model_graft_finish(struct loom_store *store, struct loom_err *err)
{
	enum loom_status status = model_graft_flush(store, err);

	for (size_t i = 0; i < store->held->write.graft_count && status == LOOM_OK; i++)
		status = model_graft_move(store, &store->held->write.grafts[i], 1, err);
	return status;
}

/* --- places among siblings --- */

/* Counts a graft's children before an ordinal; usually all or none. */
static enum loom_status count_before(struct loom_store *store, const struct model_graft *graft,
				     int64_t op, int64_t ord, int64_t *out, struct loom_err *err)
{
	struct query q;

	*out = ord > graft->high ? graft->children : 0;
	if (ord > graft->high || ord <= graft->low)
		return LOOM_OK;
	q = model_query(store,
			"SELECT count(*) FROM node WHERE parent = ? AND kind = 0 AND ord >= ? AND "
			"ord < ? AND id = grp AND op = ?",
			err);
	model_bind(&q, graft->parent);
	model_bind(&q, graft->low);
	model_bind(&q, ord);
	model_bind(&q, op);
	return model_one(&q, 0, out);
}

enum loom_status model_graft_hidden_before(struct loom_store *store, int64_t parent, int64_t ord,
					   int64_t *out, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT o.id, c.before, c.after FROM op o CROSS JOIN op_change "
			    "c ON c.op = o.id WHERE o.state <> 1 AND c.field = -2 AND "
			    "c.target = ?",
			    err);
	enum loom_status status = LOOM_OK;
	enum loom_status ended;

	*out = 0;
	model_bind(&q, parent);
	while (status == LOOM_OK && model_row(&q)) {
		struct model_graft graft;
		int64_t some = 0;

		if (!model_graft_read(parent, model_int(&q, 1), model_borrow(&q, 2), &graft))
			continue;
		status = count_before(store, &graft, model_int(&q, 0), ord, &some, err);
		*out += some;
	}
	ended = model_done(&q);
	return status == LOOM_OK ? ended : status;
}
