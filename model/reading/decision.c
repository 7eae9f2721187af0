/* Reads decisions from the journal, which knows who decided and when. Invariants: of several
 * decisions about a node the last one counts; one that was taken back counts no more. A mark that
 * came in a file is in no journal: it is as old as the import. */
#include <loom/tree/tree_rows.h>

#include <loom/reading/decision.h>

static const struct {
	const char *name;
	bool good;
} kinds[] = {
#define X(id, name, good) {name, good},
	LOOM_DECISION_LIST(X)
#undef X
};

const char *loom_decision_name(enum loom_decision_kind kind)
{
	LOOM_ASSERT(kind < LOOM_COUNT(kinds));
	return kinds[kind].name;
}

bool loom_decision_is_good(enum loom_decision_kind kind)
{
	LOOM_ASSERT(kind < LOOM_COUNT(kinds));
	return kinds[kind].good;
}

/* A decision, and the event and the change that order it among those about the same node. */
struct found {
	struct loom_decision made;
	int64_t applied;
	int64_t change;
};
struct found_list {
	struct loom_arena *arena;
	struct found *items;
	size_t count;
	size_t cap;
};

static void add(struct found_list *list, const struct found *one)
{
	list->items = loom_arena_grow(list->arena, list->items, list->count, &list->cap,
				      sizeof *list->items);
	list->items[list->count++] = *one;
}

/* Row: node, kind, operation, agent, time, event, change. */
static enum loom_status collect(struct query *q, struct found_list *list)
{
	while (model_row(q)) {
		const struct found one = {
			.made = {.node = model_int(q, 0),
				 .kind = (enum loom_decision_kind)model_int(q, 1),
				 .op = model_int(q, 2),
				 .by = model_int(q, 3),
				 .at = model_int(q, 4)},
			.applied = model_int(q, 5),
			.change = model_int(q, 6),
		};

		add(list, &one);
	}
	return model_done(q);
}

/* Finds the nodes that are pruned now, and those that were kept and are not pruned now; a restored
 * node is neither. A change from not pruned to not pruned is a keep. */
static enum loom_status find_prunes(struct loom_store *store, int64_t tree, struct found_list *list,
				    struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT m.id, CASE WHEN m.pruned THEN ?2 WHEN c.before = 0 AND c.after = 0 THEN ?3 "
		"ELSE 0 END, coalesce(o.id, made.id), coalesce(o.actor, 0), coalesce(o.at, "
		"made.at), "
		"coalesce(o.applied, made.applied), c.seq FROM mark m JOIN node n ON n.id = m.id "
		"JOIN op made ON made.id = n.op AND made.state = 1 "
		"LEFT JOIN op_change c ON c.field >= 0 AND c.field = ?4 AND c.target = m.id AND "
		"EXISTS(SELECT 1 FROM "
		"op d WHERE d.id = c.op AND d.state = 1) LEFT JOIN op o ON o.id = c.op "
		"WHERE m.tree = ?1 AND (m.pruned = 1 OR c.op IS NOT NULL)",
		err);

	model_bind(&q, tree);
	model_bind(&q, LOOM_DECISION_PRUNED);
	model_bind(&q, LOOM_DECISION_KEPT);
	model_bind(&q, MODEL_MARK_PRUNED);
	return collect(&q, list);
}

static enum loom_status find_ratings(struct loom_store *store, int64_t tree,
				     struct found_list *list, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT t.node, CASE t.name WHEN ?3 THEN ?2 ELSE ?4 END, coalesce(o.id, made.id), "
		"coalesce(o.actor, 0), coalesce(o.at, made.at), coalesce(o.applied, made.applied), "
		"c.seq "
		"FROM tag t JOIN node n ON n.id = t.node AND n.tree = ?1 "
		"JOIN op made ON made.id = n.op AND made.state = 1 "
		"LEFT JOIN op_change c ON c.field >= 0 AND c.field = ?6 AND c.target = t.id AND "
		"EXISTS(SELECT 1 FROM "
		"op d WHERE d.id = c.op AND d.state = 1) LEFT JOIN op o ON o.id = c.op "
		"WHERE t.name IN (?3, ?5) AND t.live = 1",
		err);

	model_bind(&q, tree);
	model_bind(&q, LOOM_DECISION_GOOD);
	model_bind_text(&q, loom_str_of(loom_decision_name(LOOM_DECISION_GOOD)));
	model_bind(&q, LOOM_DECISION_BAD);
	model_bind_text(&q, loom_str_of(loom_decision_name(LOOM_DECISION_BAD)));
	model_bind(&q, MODEL_TAG_LIVE);
	return collect(&q, list);
}

static int by_node_and_event(const void *a, const void *b)
{
	const struct found *x = a;
	const struct found *y = b;

	if (x->made.node != y->made.node)
		return x->made.node < y->made.node ? -1 : 1;
	if (x->applied != y->applied)
		return x->applied < y->applied ? -1 : 1;
	return (x->change > y->change) - (x->change < y->change);
}

/* A restore takes back a prune, or a keep before it, but no rating. */
static void last_of(const struct found *one, struct loom_decision *last)
{
	if (one->made.kind != LOOM_DECISION_NONE || last->kind == LOOM_DECISION_KEPT)
		*last = one->made;
}

enum loom_status loom_decisions(struct loom_store *store, int64_t tree, struct loom_arena *arena,
				struct loom_decision **out, size_t *out_count, struct loom_err *err)
{
	struct found_list list = {.arena = arena};
	struct loom_decision last = {.kind = LOOM_DECISION_NONE};
	enum loom_status status = find_prunes(store, tree, &list, err);

	LOOM_ASSERT(tree > 0);
	if (status == LOOM_OK)
		status = find_ratings(store, tree, &list, err);
	if (list.count)
		qsort(list.items, list.count, sizeof *list.items, by_node_and_event);
	*out = LOOM_ARENA_ARRAY(arena, list.count + 1, struct loom_decision);
	*out_count = 0;
	for (size_t i = 0; i < list.count; i++) {
		last_of(&list.items[i], &last);
		if (i + 1 < list.count && list.items[i + 1].made.node == list.items[i].made.node)
			continue;
		if (last.kind != LOOM_DECISION_NONE)
			(*out)[(*out_count)++] = last;
		last.kind = LOOM_DECISION_NONE;
	}
	return status;
}

const struct loom_decision *loom_decision_of(const struct loom_decision *list, size_t count,
					     int64_t node)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		const size_t at = low + (high - low) / 2;

		if (list[at].node < node)
			low = at + 1;
		else
			high = at;
	}
	return low < count && list[low].node == node ? &list[low] : NULL;
}
