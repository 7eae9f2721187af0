/* Undoes and redoes any listed operation.
 *
 * What an operation created is hidden by flipping its one row; what it changed is put back, last
 * change first, and only if the value is still what the operation left (compare and set). An
 * operation that later work builds on is refused, naming that work. Nothing is ever erased. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/node.h>

/* One journal entry. */
struct change {
	int64_t seq;
	int64_t field; /* -1: a created node, -2: a graft */
	int64_t target;
	struct model_value before;
	struct model_value after;
};

struct change_list {
	struct change *items;
	size_t count;
};

static struct model_value read_value(const struct query *q, int column, struct loom_arena *arena)
{
	switch (sqlite3_column_type(q->stmt, column)) {
	case SQLITE_INTEGER:
		return model_of_int(model_int(q, column));
	case SQLITE_TEXT:
		return model_of_text(model_text(q, column, arena));
	default:
		return (struct model_value){.type = MODEL_NULL};
	}
}

static enum loom_status read_changes(struct loom_store *store, int64_t op, struct loom_arena *arena,
				     struct change_list *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT seq, field, target, before, after FROM op_change "
				     "WHERE op = ? ORDER BY seq",
				     err);
	size_t cap = 0;

	LOOM_ASSERT(store->writing);
	*out = (struct change_list){NULL, 0};
	model_bind(&q, op);
	while (model_row(&q)) {
		struct change *change;

		out->items =
			loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
		change = &out->items[out->count++];
		*change = (struct change){
			.seq = model_int(&q, 0),
			.field = model_int(&q, 1),
			.target = model_int(&q, 2),
			.before = read_value(&q, 3, arena),
			.after = read_value(&q, 4, arena),
		};
	}
	return model_done(&q);
}

/* --- refusals --- */

/* *out_other is the conflicting operation that the query finds, 0: none. */
static enum loom_status name_work(struct query *q, struct loom_arena *arena, const char *why,
				  int64_t op, int64_t *out_other)
{
	struct loom_err *err = q->err;
	struct loom_str text = {NULL, 0};

	LOOM_ASSERT(why && out_other);
	*out_other = 0;
	if (model_row(q)) {
		*out_other = model_int(q, 0);
		text = model_text(q, 1, arena);
	}
	if (model_done(q) != LOOM_OK || !*out_other)
		return q->status;
	loom_fail(err, LOOM_CONFLICT, "operation %lld cannot be %s operation %lld (%.*s)",
		  (long long)op, why, (long long)*out_other, LOOM_STR_ARG(text));
	return LOOM_CONFLICT;
}

static enum loom_status hint_at_undo(enum loom_status status, int64_t later, struct loom_err *err)
{
	return status == LOOM_CONFLICT
		       ? loom_hint(err, status, "undo that first: loom undo %lld", (long long)later)
		       : status;
}

static enum loom_status refuse_if_built_on(struct loom_store *store, int64_t op,
					   struct loom_arena *arena, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT o.id, o.text FROM op_needs d JOIN op o ON o.id = d.op "
			    "WHERE d.needs = ? AND o.state IN (0, 1) ORDER BY o.id LIMIT 1",
			    err);
	int64_t later = 0;
	enum loom_status status;

	model_bind(&q, op);
	status = name_work(&q, arena, "undone: later work depends on it:", op, &later);
	return hint_at_undo(status, later, err);
}

static enum loom_status refuse_if_needs_undone(struct loom_store *store, int64_t op,
					       struct loom_arena *arena, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT o.id, o.text FROM op_needs d JOIN op o ON o.id = d.needs "
			    "WHERE d.op = ? AND o.state <> 1 ORDER BY o.id LIMIT 1",
			    err);
	int64_t earlier = 0;
	enum loom_status status;

	model_bind(&q, op);
	status = name_work(&q, arena, "repeated: it builds on the undone", op, &earlier);
	if (status == LOOM_CONFLICT)
		loom_hint(err, status, "redo that first");
	return status;
}

/* Later work covers this change, even if it happens to have the same value. */
static enum loom_status refuse_if_covered(struct loom_store *store, const struct change *change,
					  int64_t op, struct loom_arena *arena,
					  struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT o.id, o.text FROM op_change c JOIN op o ON o.id = c.op WHERE c.field = ?1 "
		"AND c.field >= 0 AND c.target = ?2 AND c.op <> ?3 AND o.state = 1 "
		"AND o.applied > (SELECT applied FROM op WHERE id = ?3) "
		"ORDER BY o.applied DESC LIMIT 1",
		err);
	int64_t later = 0;
	enum loom_status status;

	model_bind(&q, change->field);
	model_bind(&q, change->target);
	model_bind(&q, op);
	status = name_work(&q, arena, "undone: the same thing was changed later by", op, &later);
	return hint_at_undo(status, later, err);
}

/* A name that is free now may be taken when its old bearer returns. */
static enum loom_status refuse_twin(struct loom_store *store, const char *sql, int64_t id,
				    int64_t op, struct loom_err *err)
{
	struct query q = model_query(store, sql, err);
	char name[240] = "";
	bool twin;

	model_bind(&q, id);
	twin = model_row(&q);
	if (twin)
		snprintf(name, sizeof name, "%.*s", LOOM_STR_ARG(model_borrow(&q, 0)));
	if (model_done(&q) != LOOM_OK || !twin)
		return q.status;
	loom_fail(err, LOOM_CONFLICT,
		  "operation %lld cannot be undone or redone: \"%s\" is in use again",
		  (long long)op, name);
	return loom_hint(err, LOOM_CONFLICT, "rename or drop the other one first");
}

#define DOC_TWIN                                                                                   \
	"SELECT d.name FROM doc d JOIN op o ON o.id = d.op AND o.state = 1 JOIN doc e ON "         \
	"e.name = d.name COLLATE NOCASE AND e.name = d.name AND e.id <> d.id "                     \
	"JOIN op p ON p.id = e.op AND p.state = 1 WHERE "
#define AGENT_TWIN                                                                                 \
	"SELECT a.name FROM agent a JOIN op o ON o.id = a.op AND o.state = 1 JOIN agent b ON "     \
	"b.name = a.name COLLATE NOCASE AND b.id <> a.id AND a.claim = 0 AND b.claim = 0 "         \
	"JOIN op p ON p.id = b.op AND p.state = 1 WHERE "

static const char *twin_by_change(int64_t field)
{
	switch (field) {
	case MODEL_DOC_NAME:
		return DOC_TWIN "d.id = ? LIMIT 1";
	case MODEL_AGENT_NAME:
		return AGENT_TWIN "a.id = ? LIMIT 1";
	case MODEL_STASH_LIVE:
		return "SELECT s.label FROM stash s JOIN stash t ON t.thread = s.thread AND "
		       "t.label = s.label AND t.id <> s.id AND t.live = 1 "
		       "WHERE s.id = ? AND s.live = 1 LIMIT 1";
	default:
		return NULL;
	}
}

static enum loom_status refuse_twins(struct loom_store *store, int64_t op,
				     const struct change_list *changes, struct loom_err *err)
{
	enum loom_status status = refuse_twin(store, DOC_TWIN "d.op = ? LIMIT 1", op, op, err);

	if (status == LOOM_OK)
		status = refuse_twin(store, AGENT_TWIN "a.op = ? LIMIT 1", op, op, err);
	for (size_t i = 0; i < changes->count && status == LOOM_OK; i++) {
		const char *sql = twin_by_change(changes->items[i].field);

		if (sql)
			status = refuse_twin(store, sql, changes->items[i].target, op, err);
	}
	return status;
}

/* --- putting values back --- */

static const char *const swap_field[] = {
#define X(name, table, column)                                                                     \
	[MODEL_##name] = "UPDATE " table " SET " column " = ?2, ver = ver + 1 "                    \
			 "WHERE id = ?1 AND " column " IS ?3",
	MODEL_FIELDS(X)
#undef X
};

static enum loom_status prune_is(struct loom_store *store, int64_t node, int64_t *out,
				 struct loom_err *err)
{
	struct query q = model_query(store, "SELECT pruned FROM mark WHERE id = ?", err);

	model_bind(&q, node);
	return model_one(&q, 0, out);
}

/* Compare and set; *out_done is false if the value was not `from`. */
static enum loom_status swap(struct loom_store *store, const struct change *change,
			     const struct model_value *from, const struct model_value *to,
			     bool *out_done, struct loom_err *err)
{
	struct model_prune prune = {.node = change->target, .pruned = to->n != 0};
	int64_t now = 0;
	struct query q;
	enum loom_status status;

	LOOM_ASSERT(change->field >= 0 && change->field < MODEL_FIELD_COUNT);
	if (change->field == MODEL_MARK_PRUNED) {
		status = prune_is(store, change->target, &now, err);
		*out_done = status == LOOM_OK && now == from->n;
		return *out_done ? model_prune_set(store, &prune, err) : status;
	}
	if (change->field == MODEL_HUNG_PLACE)
		return model_place_swap(store, change->target, from->s, to->s, out_done, err);
	q = model_query(store, swap_field[change->field], err);
	model_bind(&q, change->target);
	model_bind_value(&q, *to);
	model_bind_value(&q, *from);
	status = model_run(&q);
	*out_done = status == LOOM_OK && sqlite3_changes(store->db) == 1;
	return *out_done && change->field == MODEL_DOC_HEAD
		       ? model_unsum_doc(store, change->target, err)
		       : status;
}

/* --- created nodes --- */

struct made {
	int64_t group;
	int64_t parent;
	int64_t tree;
	int64_t group_op;
	bool member; /* a version inside an older group */
};

static enum loom_status read_made(struct loom_store *store, int64_t node, struct made *out,
				  struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT n.grp, n.parent, n.tree, g.op FROM node n "
				     "JOIN node g ON g.id = n.grp WHERE n.id = ?",
				     err);

	model_bind(&q, node);
	if (model_row(&q))
		*out = (struct made){
			.group = model_int(&q, 0),
			.parent = model_int(&q, 1),
			.tree = model_int(&q, 2),
			.group_op = model_int(&q, 3),
			.member = model_int(&q, 0) != node,
		};
	return model_done(&q);
}

/* A group the operation created comes or goes with the recorded counts. */
static enum loom_status move_group(struct loom_store *store, const struct change *change, int sign,
				   struct loom_err *err)
{
	struct loom_count count = {
		.nodes = change->before.n,
		.leaves = change->after.n >> 31,
		.branches = change->after.n & 0x7FFFFFFF,
	};
	struct made made = {0};
	bool shown = false;
	enum loom_status status = read_made(store, change->target, &made, err);

	LOOM_ASSERT(sign == 1 || sign == -1);
	if (status != LOOM_OK || made.member)
		return status;
	status = model_tree_state(store, made.tree, err);
	if (status == LOOM_OK)
		status = model_group_shown(store, made.group, &shown, err);
	return status == LOOM_OK && shown
		       ? model_count_attach(store, made.parent, made.tree, &count, sign, err)
		       : status;
}

static enum loom_status move_made(struct loom_store *store, const struct change *change, int sign,
				  struct loom_err *err)
{
	struct model_graft graft;

	if (change->field == -1)
		return move_group(store, change, sign, err);
	if (change->field != -2)
		return LOOM_OK;
	if (!model_graft_read(change->target, change->before.n, change->after.s, &graft))
		return loom_fail(err, LOOM_DAMAGED, "an entry of the journal cannot be read");
	return model_graft_move(store, &graft, sign, err);
}

static enum loom_status detach_made(struct loom_store *store, const struct change_list *changes,
				    struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = changes->count; i > 0 && status == LOOM_OK; i--)
		status = move_made(store, &changes->items[i - 1], -1, err);
	return status;
}

static enum loom_status attach_made(struct loom_store *store, const struct change_list *changes,
				    struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < changes->count && status == LOOM_OK; i++)
		status = move_made(store, &changes->items[i], 1, err);
	return status;
}

static enum loom_status set_state(struct loom_store *store, int64_t op, enum loom_op_state state,
				  struct loom_err *err)
{
	struct query q = model_query(store, "UPDATE op SET state = ? WHERE id = ?", err);

	LOOM_ASSERT(store->writing && (state == LOOM_OP_DONE || state == LOOM_OP_UNDONE));
	model_bind(&q, state);
	model_bind(&q, op);
	return model_run(&q);
}

/* An older group that got a version from this operation. */
struct host {
	struct made made;
	bool shown;
	struct loom_count count; /* its contents, without what the operation created */
};

static enum loom_status read_hosts(struct loom_store *store, int64_t op,
				   const struct change_list *changes, struct host *hosts,
				   size_t *out_count, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out_count = 0;
	for (size_t i = 0; i < changes->count && status == LOOM_OK; i++) {
		struct host *host = &hosts[*out_count];

		if (changes->items[i].field != -1)
			continue;
		status = read_made(store, changes->items[i].target, &host->made, err);
		if (status != LOOM_OK || !host->made.member || host->made.group_op == op)
			continue;
		status = model_group_shown(store, host->made.group, &host->shown, err);
		++*out_count;
	}
	LOOM_ASSERT(*out_count <= changes->count);
	return status;
}

/* A version that is its group's only visible one hides or reveals the whole group. While this
 * counts, nothing the operation created is visible: after the flip of an undo, before that of a
 * redo. */
static enum loom_status turn_host(struct loom_store *store, struct host *host, struct loom_err *err)
{
	bool shown = false;
	enum loom_status status = model_group_shown(store, host->made.group, &shown, err);

	if (status != LOOM_OK || shown == host->shown)
		return status;
	if (!shown)
		status = loom_node_subtree(store, host->made.group, &host->count, err);
	/* The same group may have several of these versions. */
	host->shown = shown;
	return status == LOOM_OK ? model_count_attach(store, host->made.parent, host->made.tree,
						      &host->count, shown ? 1 : -1, err)
				 : status;
}

static enum loom_status count_hosts(struct loom_store *store, struct host *hosts, size_t count,
				    struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		if (!hosts[i].shown)
			status =
				loom_node_subtree(store, hosts[i].made.group, &hosts[i].count, err);
	return status;
}

static bool same_host_before(const struct host *hosts, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (hosts[i].made.group == hosts[at].made.group)
			return true;
	return false;
}

static enum loom_status flip(struct loom_store *store, int64_t op, enum loom_op_state state,
			     const struct change_list *changes, struct loom_err *err)
{
	struct host *hosts = loom_alloc((changes->count + 1) * sizeof *hosts);
	size_t count = 0;
	enum loom_status status = read_hosts(store, op, changes, hosts, &count, err);

	LOOM_ASSERT(store->writing && store->held->write.quiet);
	if (status == LOOM_OK && state == LOOM_OP_DONE)
		status = count_hosts(store, hosts, count, err);
	if (status == LOOM_OK)
		status = set_state(store, op, state, err);
	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		if (!same_host_before(hosts, i))
			status = turn_host(store, &hosts[i], err);
	free(hosts);
	return status;
}

static enum loom_status apply(struct loom_store *store, int64_t op, const struct change *change,
			      bool undo, struct loom_err *err)
{
	bool done = false;
	enum loom_status status;

	if (change->field == -1 || change->field == -2)
		return LOOM_OK;
	if (change->field < 0 || change->field >= MODEL_FIELD_COUNT)
		return loom_fail(err, LOOM_DAMAGED, "an unknown change in operation %lld",
				 (long long)op);
	status = swap(store, change, undo ? &change->after : &change->before,
		      undo ? &change->before : &change->after, &done, err);
	if (status == LOOM_OK && !done)
		status = loom_fail(err, LOOM_CONFLICT,
				   "operation %lld cannot be %s: what it changed has changed since",
				   (long long)op, undo ? "undone" : "repeated");
	return status;
}

static enum loom_status refuse_undo(struct loom_store *store, int64_t op,
				    const struct change_list *changes, struct loom_arena *arena,
				    struct loom_err *err)
{
	enum loom_status status = refuse_if_built_on(store, op, arena, err);

	for (size_t i = 0; i < changes->count && status == LOOM_OK; i++)
		if (changes->items[i].field >= 0)
			status = refuse_if_covered(store, &changes->items[i], op, arena, err);
	return status;
}

/* Whether a change prunes a member of a group in which the operation made another one, which is
 * read instead: the group never vanishes if it is pruned after the other appears, and comes back
 * before that goes. */
static enum loom_status replaces(struct loom_store *store, const struct change_list *changes,
				 const struct change *change, bool *out, struct loom_err *err)
{
	struct made pruned = {0};
	enum loom_status status = LOOM_OK;

	*out = false;
	if (change->field != MODEL_MARK_PRUNED || !change->after.n)
		return LOOM_OK;
	status = read_made(store, change->target, &pruned, err);
	for (size_t i = 0; i < changes->count && status == LOOM_OK && !*out; i++) {
		struct made made = {0};

		if (changes->items[i].field != -1)
			continue;
		status = read_made(store, changes->items[i].target, &made, err);
		*out = made.member && made.group == pruned.group;
	}
	return status;
}

/* Applies the changes that prune what is replaced (`replaced`), or all others. */
static enum loom_status apply_all(struct loom_store *store, int64_t op,
				  const struct change_list *changes, bool undo, bool replaced,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < changes->count && status == LOOM_OK; i++) {
		const struct change *change = &changes->items[undo ? changes->count - 1 - i : i];
		bool one = false;

		status = replaces(store, changes, change, &one, err);
		if (status == LOOM_OK && one == replaced)
			status = apply(store, op, change, undo, err);
	}
	return status;
}

/* A tree shows at least one root; only with its own operation it vanishes. */
static enum loom_status refuse_rootless(struct loom_store *store, int64_t op, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT t.id FROM op_change c CROSS JOIN node n ON n.id = c.target AND n.parent IS "
		"NULL CROSS JOIN tree t ON t.id = n.tree CROSS JOIN op o ON o.id = t.op AND "
		"o.state = 1 WHERE c.op = ?1 AND c.field IN (-1, ?2) "
		"AND " MODEL_FIRST_ROOT("t.id") " IS NULL LIMIT 1",
		err);
	int64_t tree = 0;

	LOOM_ASSERT(store->writing && op);
	model_bind(&q, op);
	model_bind(&q, MODEL_MARK_PRUNED);
	if (model_one(&q, 0, &tree) != LOOM_OK || !tree)
		return q.status;
	loom_fail(err, LOOM_CONFLICT, "then no root of its tree would be shown");
	return loom_hint(err, LOOM_CONFLICT, "restore another root first");
}

static enum loom_status refuse_after(struct loom_store *store, int64_t op,
				     const struct change_list *changes, struct loom_err *err)
{
	enum loom_status status = refuse_rootless(store, op, err);

	return status == LOOM_OK ? refuse_twins(store, op, changes, err) : status;
}

/* Turns the files that the operation changed, last of all: what fails before leaves them alone. */
static enum loom_status turn_files(struct loom_store *store, int64_t op, struct loom_err *err)
{
	return store->turner ? store->turner->turn(store->turner->ctx, store, op, err) : LOOM_OK;
}

void loom_op_turner(struct loom_store *store, const struct loom_turner *turner)
{
	LOOM_ASSERT(!turner || (turner->keeps && turner->turn));
	store->turner = turner;
}

/* Its nodes are first subtracted from the counters as things stand, then hidden; then the values go
 * back, so that an un-pruned branch no longer counts what is hidden now. */
static enum loom_status take_back(struct loom_store *store, int64_t op, struct loom_arena *arena,
				  struct loom_err *err)
{
	struct change_list changes;
	enum loom_status status = read_changes(store, op, arena, &changes, err);

	LOOM_ASSERT(store->writing && op);
	if (status == LOOM_OK)
		status = refuse_undo(store, op, &changes, arena, err);
	if (status == LOOM_OK)
		status = apply_all(store, op, &changes, true, true, err);
	if (status == LOOM_OK)
		status = detach_made(store, &changes, err);
	if (status == LOOM_OK)
		status = flip(store, op, LOOM_OP_UNDONE, &changes, err);
	if (status == LOOM_OK)
		status = apply_all(store, op, &changes, true, false, err);
	return status == LOOM_OK ? refuse_after(store, op, &changes, err) : status;
}

/* Redo: the same steps in reverse. */
static enum loom_status repeat(struct loom_store *store, int64_t op, struct loom_arena *arena,
			       struct loom_err *err)
{
	struct change_list changes = {NULL, 0};
	enum loom_status status = refuse_if_needs_undone(store, op, arena, err);

	LOOM_ASSERT(store->writing && op);
	if (status == LOOM_OK)
		status = read_changes(store, op, arena, &changes, err);
	if (status == LOOM_OK)
		status = apply_all(store, op, &changes, false, false, err);
	if (status == LOOM_OK)
		status = flip(store, op, LOOM_OP_DONE, &changes, err);
	if (status == LOOM_OK)
		status = attach_made(store, &changes, err);
	if (status == LOOM_OK)
		status = apply_all(store, op, &changes, false, true, err);
	return status == LOOM_OK ? refuse_after(store, op, &changes, err) : status;
}

/* --- undo and redo --- */

static enum loom_status last_done(struct loom_store *store, int64_t actor, int64_t *out_op,
				  struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id FROM op WHERE actor = ? AND state = 1 AND "
				     "kind <> 'init' ORDER BY id DESC LIMIT 1",
				     err);

	model_bind(&q, actor);
	if (model_one(&q, 0, out_op) != LOOM_OK)
		return q.status;
	return *out_op ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is nothing to undo");
}

static enum loom_status last_undone(struct loom_store *store, int64_t actor, int64_t *out_op,
				    struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT e.op FROM event e JOIN op o ON o.id = e.op "
				     "WHERE e.actor = ? AND e.act = 1 AND o.state = 2 "
				     "ORDER BY e.seq DESC LIMIT 1",
				     err);

	model_bind(&q, actor);
	if (model_one(&q, 0, out_op) != LOOM_OK)
		return q.status;
	return *out_op ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is nothing to redo");
}

static enum loom_status refuse_state(struct loom_store *store, int64_t op, struct loom_arena *arena,
				     struct loom_err *err)
{
	struct loom_op row;
	enum loom_status status = loom_op_get(store, op, arena, &row, err);

	if (status != LOOM_OK)
		return status;
	if (row.state == LOOM_OP_UNDONE)
		return loom_fail(err, LOOM_CONFLICT, "operation %lld is already undone",
				 (long long)op);
	if (row.state != LOOM_OP_DONE)
		return loom_fail(err, LOOM_CONFLICT, "operation %lld is not finished",
				 (long long)op);
	if (loom_str_is(row.kind, "init"))
		return loom_fail(err, LOOM_CONFLICT, "the grove itself cannot be undone");
	if (!row.inverse.n)
		return LOOM_OK;
	if (store->turner && store->turner->keeps(store->turner->ctx, store, op))
		return LOOM_OK;
	loom_fail(
		err, LOOM_CONFLICT,
		"operation %lld (%.*s) changed things outside the grove and cannot be undone here",
		(long long)op, LOOM_STR_ARG(row.text));
	return loom_hint(err, LOOM_CONFLICT, "%.*s", LOOM_STR_ARG(row.inverse));
}

/* A user whose last operation cannot be undone is told which one can. */
static enum loom_status name_older(struct loom_store *store, int64_t actor, enum loom_status status,
				   struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT id FROM op WHERE actor = ? AND state = 1 AND "
				     "inverse = '' AND kind <> 'init' ORDER BY id DESC LIMIT 1",
				     NULL);
	struct loom_buf hint = LOOM_BUF_INIT(1024);
	int64_t older = 0;

	LOOM_ASSERT(status != LOOM_OK);
	model_bind(&q, actor);
	if (err && model_one(&q, 0, &older) == LOOM_OK && older) {
		loom_buf_adds(&hint, err->hint);
		status = loom_hint(err, status, "%s; to undo the one before it: loom undo %lld",
				   loom_buf_cstr(&hint), (long long)older);
	}
	loom_buf_fini(&hint);
	return status;
}

enum loom_status loom_op_undo(struct loom_store *store, int64_t actor, int64_t op, int64_t *out_op,
			      struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	const bool last = !op;
	enum loom_status status = loom_quiet_begin(store, err);

	if (status == LOOM_OK) {
		if (last)
			status = last_done(store, actor, &op, err);
		if (status == LOOM_OK) {
			status = refuse_state(store, op, arena, err);
			if (status == LOOM_CONFLICT && last)
				status = name_older(store, actor, status, err);
		}
		if (status == LOOM_OK)
			status = take_back(store, op, arena, err);
		if (status == LOOM_OK)
			status = model_event(store, op, LOOM_EVENT_UNDONE, actor, err);
		if (status == LOOM_OK)
			status = turn_files(store, op, err);
		status = loom_quiet_end(store, status, err);
	}
	if (status == LOOM_OK && out_op)
		*out_op = op;
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status redo(struct loom_store *store, int64_t actor, int64_t op,
			     struct loom_arena *arena, struct loom_err *err)
{
	enum loom_status status = repeat(store, op, arena, err);

	if (status == LOOM_OK)
		status = model_event(store, op, LOOM_EVENT_REDONE, actor, err);
	return status == LOOM_OK ? turn_files(store, op, err) : status;
}

enum loom_status loom_op_redo(struct loom_store *store, int64_t actor, int64_t *out_op,
			      struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	int64_t op = 0;
	enum loom_status status = loom_quiet_begin(store, err);

	if (status == LOOM_OK) {
		status = last_undone(store, actor, &op, err);
		if (status == LOOM_OK)
			status = redo(store, actor, op, arena, err);
		status = loom_quiet_end(store, status, err);
	}
	if (status == LOOM_OK && out_op)
		*out_op = op;
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_op_repeat(struct loom_store *store, int64_t actor, int64_t op,
				struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_op row;
	enum loom_status status = loom_quiet_begin(store, err);

	if (status == LOOM_OK) {
		status = loom_op_get(store, op, arena, &row, err);
		if (status == LOOM_OK && row.state != LOOM_OP_UNDONE)
			status = loom_fail(err, LOOM_CONFLICT, "operation %lld is not undone",
					   (long long)op);
		if (status == LOOM_OK)
			status = redo(store, actor, op, arena, err);
		status = loom_quiet_end(store, status, err);
	}
	loom_arena_destroy(arena);
	return status;
}
