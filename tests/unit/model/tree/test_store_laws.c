/* Laws of the store under random work: a simple model in memory does the same things, and both
 * must agree on every visible result after every step: who hangs where, what is hidden, what the
 * counters say, what undo refuses. Undoing everything leads back to the beginning. */
#include <greatest.h>

#include <loom/tree/mark.h>
#include <loom/tree/open_store.h>

#include "support/grove.h"
#include "support/prop.h"

#define MOST 600

/* --- the model: as plain as it can be --- */

struct m_node {
	int64_t id;
	int parent; /* index of the parent group's first member, -1: root */
	int from;   /* index of the member it was written from */
	int group;  /* index of the group's first member */
	int edited; /* index, -1: none */
	bool note;
	int op;
	bool pruned;
	bool excluded;
	bool tagged;
	int label; /* 0: no bookmark */
};

enum m_field { PRUNED, EXCLUDED, TAGGED, LABEL };

struct m_change {
	int op;
	int node;
	enum m_field field;
	int before;
	int after;
};

struct m_op {
	int64_t id;
	bool done;
	int applied; /* when it last took effect */
};

static struct {
	struct m_node nodes[MOST];
	int node_count;
	struct m_op ops[MOST];
	int op_count;
	struct m_change changes[MOST * 2];
	int change_count;
	int undone[MOST]; /* in the order of undoing */
	int undone_count;
	bool needs[MOST][MOST]; /* [later][earlier] */
	int clock;
	int64_t tree;
	enum loom_mode mode;
	int first_op; /* what was there at the beginning is not undone */
} m;

static struct grove g;

static int *field_of(struct m_node *node, enum m_field field, int *copy)
{
	switch (field) {
	case PRUNED:
		*copy = node->pruned;
		break;
	case EXCLUDED:
		*copy = node->excluded;
		break;
	case TAGGED:
		*copy = node->tagged;
		break;
	case LABEL:
		*copy = node->label;
		break;
	}
	return copy;
}

static int get_field(const struct m_node *node, enum m_field field)
{
	struct m_node copy = *node;
	int value = 0;

	return *field_of(&copy, field, &value);
}

static void set_field(struct m_node *node, enum m_field field, int value)
{
	switch (field) {
	case PRUNED:
		node->pruned = value != 0;
		break;
	case EXCLUDED:
		node->excluded = value != 0;
		break;
	case TAGGED:
		node->tagged = value != 0;
		break;
	case LABEL:
		node->label = value;
		break;
	}
}

static bool m_alive(int node)
{
	return m.ops[m.nodes[node].op].done;
}

static bool m_group_shown(int group)
{
	for (int i = 0; i < m.node_count; i++)
		if (m.nodes[i].group == group && m_alive(i) && !m.nodes[i].pruned)
			return true;
	return false;
}

/* Shown, and so is everything above it. */
static bool m_seen(int group)
{
	for (int at = group; at >= 0; at = m.nodes[at].parent)
		if (!m_group_shown(at))
			return false;
	return true;
}

static bool m_is_child(int i, int group)
{
	return m.nodes[i].group == i && m.nodes[i].parent == group && !m.nodes[i].note &&
	       m_group_shown(i);
}

static int m_children(int group)
{
	int count = 0;

	for (int i = 0; i < m.node_count; i++)
		count += m_is_child(i, group);
	return count;
}

static struct loom_count m_count(void)
{
	struct loom_count count = {.nodes = 0};

	for (int i = 0; i < m.node_count; i++) {
		int children;

		if (m.nodes[i].group != i || m.nodes[i].note || !m_seen(i))
			continue;
		children = m_children(i);
		count.nodes++;
		count.leaves += children == 0;
		count.branches += children > 1 ? children : 0;
	}
	return count;
}

static int m_add(int64_t id, int from, int op)
{
	struct m_node *node = &m.nodes[m.node_count];

	*node = (struct m_node){.id = id,
				.from = from,
				.parent = from < 0 ? -1 : m.nodes[from].group,
				.group = m.node_count,
				.edited = -1,
				.op = op};
	return m.node_count++;
}

static void m_builds_on(int op, int node)
{
	if (m.nodes[node].op != op)
		m.needs[op][m.nodes[node].op] = true;
}

static void m_mark(int node, enum m_field field, int value, int op)
{
	m.changes[m.change_count++] = (struct m_change){.op = op,
							.node = node,
							.field = field,
							.before = get_field(&m.nodes[node], field),
							.after = value};
	set_field(&m.nodes[node], field, value);
	m_builds_on(op, node);
}

/* What undo must answer: refused when done work builds on it or has changed the same again. */
static bool m_can_undo(int op)
{
	if (!m.ops[op].done || op < m.first_op)
		return false;
	for (int later = 0; later < m.op_count; later++)
		if (m.ops[later].done && m.needs[later][op])
			return false;
	for (int i = 0; i < m.change_count; i++)
		for (int j = 0; j < m.change_count; j++)
			if (m.changes[i].op == op && m.changes[j].op != op &&
			    m.changes[i].node == m.changes[j].node &&
			    m.changes[i].field == m.changes[j].field &&
			    m.ops[m.changes[j].op].done &&
			    m.ops[m.changes[j].op].applied > m.ops[op].applied)
				return false;
	return true;
}

static bool m_can_redo(int op)
{
	for (int earlier = 0; earlier < m.op_count; earlier++)
		if (m.needs[op][earlier] && !m.ops[earlier].done)
			return false;
	for (int i = 0; i < m.change_count; i++) {
		const struct m_change *change = &m.changes[i];
		bool first = true;

		if (change->op != op)
			continue;
		for (int j = 0; j < i; j++)
			first = first &&
				!(m.changes[j].op == op && m.changes[j].node == change->node &&
				  m.changes[j].field == change->field);
		if (first && get_field(&m.nodes[change->node], change->field) != change->before)
			return false;
	}
	return true;
}

static void m_undo(int op)
{
	for (int i = m.change_count - 1; i >= 0; i--)
		if (m.changes[i].op == op)
			set_field(&m.nodes[m.changes[i].node], m.changes[i].field,
				  m.changes[i].before);
	m.ops[op].done = false;
	m.undone[m.undone_count++] = op;
}

static void m_redo(int op)
{
	for (int i = 0; i < m.change_count; i++)
		if (m.changes[i].op == op)
			set_field(&m.nodes[m.changes[i].node], m.changes[i].field,
				  m.changes[i].after);
	m.ops[op].done = true;
	m.ops[op].applied = ++m.clock;
}

/* --- doing the same to the store --- */

static int pick(struct prop *prop, bool notes_too)
{
	for (int tries = 0; tries < 200; tries++) {
		int i = (int)prop_below(prop, (size_t)m.node_count);

		if (m_alive(i) && (notes_too || !m.nodes[i].note))
			return i;
	}
	return 0;
}

static enum loom_status make(int from, enum loom_node_kind kind, int64_t *out)
{
	struct loom_node_spec spec = {.from = m.nodes[from].id,
				      .kind = kind,
				      .text = LOOM_STR_INIT("text"),
				      .author = g.owner,
				      .seq = -1};

	return loom_node_create(g.store, &spec, out, NULL);
}

static enum loom_status do_edit(int node, int op)
{
	struct loom_node_spec spec = {.from = m.nodes[node].id,
				      .text = LOOM_STR_INIT("other text"),
				      .author = g.owner,
				      .seq = -1};
	int64_t made = 0;
	enum loom_status status = loom_node_edit(g.store, &spec, LOOM_EDIT_BY_MODE, &made, NULL);
	bool root = m.nodes[node].parent < 0;
	bool refuse = m.mode == LOOM_DIALOGUE ? root : !m_group_shown(m.nodes[node].group);
	int i;

	if (refuse != (status == LOOM_CONFLICT))
		return LOOM_FAULT;
	if (status != LOOM_OK)
		return status;
	i = m_add(made, m.nodes[node].from, op);
	m.nodes[i].edited = node;
	if (m.mode == LOOM_BUFFER)
		m.nodes[i].group = m.nodes[node].group;
	m_builds_on(op, node);
	return LOOM_OK;
}

static enum loom_status do_prune(int node, bool pruned, int op)
{
	int64_t below = 0;
	bool changed = false;
	enum loom_status status =
		pruned ? loom_node_prune(g.store, m.nodes[node].id, &below, &changed, NULL)
		       : loom_node_restore(g.store, m.nodes[node].id, &below, &changed, NULL);
	bool root = m.nodes[node].parent < 0;

	if (root != (status == LOOM_CONFLICT))
		return LOOM_FAULT;
	if (status != LOOM_OK)
		return status;
	if (changed != (m.nodes[node].pruned != pruned))
		return LOOM_FAULT;
	if (changed)
		m_mark(node, PRUNED, pruned, op);
	return LOOM_OK;
}

static enum loom_status do_mark(struct prop *prop, int node, int op)
{
	bool on = prop_once_in(prop, 2);
	bool changed = false;
	enum loom_status status;

	switch (prop_below(prop, 3)) {
	case 0:
		status = loom_exclude_set(g.store, m.nodes[node].id, on, &changed, NULL);
		if (changed != (m.nodes[node].excluded != on))
			return LOOM_FAULT;
		if (changed)
			m_mark(node, EXCLUDED, on, op);
		return status;
	case 1:
		status = loom_tag_set(g.store, m.nodes[node].id, LOOM_STR("motive"), on, &changed,
				      NULL);
		if (changed != (m.nodes[node].tagged != on))
			return LOOM_FAULT;
		if (changed)
			m_mark(node, TAGGED, on, op);
		return status;
	default: {
		int label = on ? 1 + (int)prop_below(prop, 3) : 0;
		char text[16];

		snprintf(text, sizeof text, "%d", label);
		status = loom_bookmark_set(g.store, m.nodes[node].id, on, loom_str_of(text),
					   &changed, NULL);
		if (changed != (m.nodes[node].label != label))
			return LOOM_FAULT;
		if (changed)
			m_mark(node, LABEL, label, op);
		return status;
	}
	}
}

static enum loom_status do_one(struct prop *prop, int op)
{
	int64_t id = 0;
	int node;
	enum loom_status status;

	switch (prop_below(prop, 8)) {
	case 0:
	case 1:
	case 2:
		node = pick(prop, false);
		status = make(node, LOOM_CONTINUATION, &id);
		if (status == LOOM_OK) {
			m_add(id, node, op);
			m_builds_on(op, node);
		}
		return status;
	case 3:
		node = pick(prop, false);
		status = make(node, LOOM_ANNOTATION, &id);
		if (status == LOOM_OK) {
			m.nodes[m_add(id, node, op)].note = true;
			m_builds_on(op, node);
		}
		return status;
	case 4:
		return do_edit(pick(prop, false), op);
	case 5:
		return do_prune(pick(prop, false), true, op);
	case 6:
		return do_prune(pick(prop, false), false, op);
	default:
		return do_mark(prop, pick(prop, false), op);
	}
}

/* A step: one operation of one to four changes, in one transaction or in several. */
static enum loom_status do_step(struct prop *prop)
{
	int changes = prop_once_in(prop, 4) ? (int)prop_between(prop, 2, 4) : 1;
	int op = m.op_count;
	int64_t id = 0;

	m.ops[op] = (struct m_op){.done = true};
	for (int i = 0; i < changes; i++) {
		struct loom_op_spec spec = {.kind = "step",
					    .text = LOOM_STR_INIT("a step"),
					    .actor = g.owner,
					    .join = id};
		int64_t same = 0;
		enum loom_status status = loom_op_begin(g.store, &spec, NULL);

		if (status != LOOM_OK)
			return status;
		status = do_one(prop, op);
		if (status == LOOM_FAULT)
			return status;
		if (loom_op_end(g.store, status, &same, NULL) != LOOM_OK)
			continue;
		if (id && same && same != id)
			return LOOM_FAULT;
		id = same ? same : id;
	}
	if (id) {
		m.ops[op].id = id;
		m.ops[op].applied = ++m.clock;
		m.op_count++;
	}
	return LOOM_OK;
}

static int last_own_done(void)
{
	for (int op = m.op_count - 1; op >= m.first_op; op--)
		if (m.ops[op].done)
			return op;
	return -1;
}

static enum loom_status do_undo(int op)
{
	bool can = m_can_undo(op);
	enum loom_status status = loom_op_undo(g.store, g.owner, m.ops[op].id, NULL, NULL);

	if (can != (status == LOOM_OK))
		return LOOM_FAULT;
	if (can)
		m_undo(op);
	return LOOM_OK;
}

static enum loom_status do_redo(void)
{
	int op = -1;
	enum loom_status status;
	bool can;

	for (int i = m.undone_count - 1; i >= 0 && op < 0; i--)
		if (!m.ops[m.undone[i]].done)
			op = m.undone[i];
	if (op < 0)
		return loom_op_redo(g.store, g.owner, NULL, NULL) == LOOM_NOT_FOUND ? LOOM_OK
										    : LOOM_FAULT;
	can = m_can_redo(op);
	status = loom_op_redo(g.store, g.owner, NULL, NULL);
	if (can != (status == LOOM_OK))
		return LOOM_FAULT;
	if (can)
		m_redo(op);
	return LOOM_OK;
}

/* --- comparing --- */

static bool same_marks(int i)
{
	struct loom_node row;
	struct loom_str *tags = NULL;
	size_t tag_count = 0;

	if (loom_node_get(g.store, m.nodes[i].id, LOOM_NODE_ALL, g.arena, &row, NULL) != LOOM_OK)
		return false;
	if (loom_tag_of(g.store, m.nodes[i].id, g.arena, &tags, &tag_count, NULL) != LOOM_OK)
		return false;
	return row.pruned == m.nodes[i].pruned && row.excluded == m.nodes[i].excluded &&
	       row.bookmarked == (m.nodes[i].label != 0) && (tag_count == 1) == m.nodes[i].tagged;
}

static bool same_children(int group)
{
	struct loom_page page = {.limit = MOST};
	struct loom_nodes nodes;
	size_t at = 0;
	int64_t stored = 0;

	if (loom_node_children(g.store, m.nodes[group].id, &page, g.arena, &nodes, NULL) != LOOM_OK)
		return false;
	for (int i = 0; i < m.node_count; i++) {
		if (!m_is_child(i, group))
			continue;
		if (at >= nodes.count || nodes.items[at].group != m.nodes[i].id)
			return false;
		at++;
	}
	if (loom_node_count(g.store, m.nodes[group].id, LOOM_CONTINUATION, &stored, NULL) !=
	    LOOM_OK)
		return false;
	return at == nodes.count && stored == (int64_t)at;
}

static const char *difference(void)
{
	struct loom_count want = m_count();
	struct loom_tree tree;

	loom_arena_reset(g.arena);
	if (loom_tree_get(g.store, m.tree, g.arena, &tree, NULL) != LOOM_OK)
		return "the tree is gone";
	if (tree.nodes != want.nodes || tree.leaves != want.leaves ||
	    tree.branches != want.branches)
		return "the tree's counters differ";
	for (int i = 0; i < m.node_count; i++) {
		struct loom_node row;
		bool there =
			loom_node_get(g.store, m.nodes[i].id, 0, g.arena, &row, NULL) == LOOM_OK;

		if (there != m_alive(i))
			return "a node is visible that should not be, or the other way round";
		if (there && !same_marks(i))
			return "the marks of a node differ";
		if (there && m.nodes[i].group == i && !m.nodes[i].note && !same_children(i))
			return "the children of a node differ";
	}
	return NULL;
}

static void begin_model(enum loom_mode mode)
{
	memset(&m, 0, sizeof m);
	m.mode = mode;
	m.tree = grove_tree(&g, mode, "root");
	m.ops[0] = (struct m_op){.done = true};
	m.op_count = m.first_op = 1;
	m_add(grove_root(&g, m.tree), -1, 0);
}

static const char *work(struct prop *prop, int steps)
{
	const char *wrong = NULL;

	for (int i = 0; i < steps && !wrong && m.op_count < MOST - 1 && m.node_count < MOST - 5;
	     i++) {
		enum loom_status status = LOOM_OK;
		size_t what = prop_below(prop, 20);

		if (what < 13)
			status = do_step(prop);
		else if (what < 15 && last_own_done() >= 0)
			status = do_undo(last_own_done());
		else if (what < 17 && m.op_count > m.first_op)
			status = do_undo((int)prop_between(prop, m.first_op, m.op_count - 1));
		else if (what < 19)
			status = do_redo();
		else
			grove_reopen(&g);
		if (status == LOOM_FAULT)
			return "the store refused what the model allows, or the other way round";
		wrong = difference();
	}
	return wrong;
}

static const char *undo_everything(void)
{
	struct loom_tree tree;
	bool moved = true;

	while (moved) {
		moved = false;
		for (int op = m.op_count - 1; op >= m.first_op; op--) {
			const char *wrong;

			if (!m.ops[op].done || !m_can_undo(op))
				continue;
			if (do_undo(op) != LOOM_OK)
				return "an undo was refused";
			wrong = difference();
			if (wrong)
				return wrong;
			moved = true;
		}
	}
	if (last_own_done() >= 0)
		return "something could not be undone";
	if (loom_tree_get(g.store, m.tree, g.arena, &tree, NULL) != LOOM_OK)
		return "the tree is gone";
	if (tree.nodes != 1 || tree.leaves != 1 || tree.branches != 0)
		return "the counters are not those of the beginning";
	return difference();
}

static const char *deep_check(void)
{
	struct loom_check_opts opts = {.deep = true};
	int64_t findings = -1;

	if (loom_store_check(g.store, &opts, &findings, NULL) != LOOM_OK)
		return "the check failed";
	return findings == 0 ? NULL : "the deep check found something";
}

TEST random_work_equals_the_model_and_undoes_to_the_beginning(enum loom_mode mode, uint64_t seed)
{
	struct prop prop;
	const char *wrong;

	prop_init_seed(&prop, seed);
	grove_init(&g);
	begin_model(mode);
	wrong = work(&prop, 120);
	if (!wrong)
		wrong = deep_check();
	if (!wrong)
		wrong = undo_everything();
	if (!wrong)
		wrong = deep_check();
	grove_fini(&g);
	if (wrong) {
		fprintf(stderr, "seed %llu: ", (unsigned long long)seed);
		FAILm(wrong);
	}
	PASS();
}

SUITE(store_laws)
{
	struct prop prop;
	const char *rounds = getenv("LOOM_ROUNDS");
	long count = rounds ? strtol(rounds, NULL, 10) : 6;

	prop_init(&prop, "store laws");
	for (long i = 0; i < count; i++) {
		uint64_t seed = prop_next(&prop);

		RUN_TESTp(random_work_equals_the_model_and_undoes_to_the_beginning, LOOM_DIALOGUE,
			  seed);
		RUN_TESTp(random_work_equals_the_model_and_undoes_to_the_beginning, LOOM_BUFFER,
			  seed);
	}
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(store_laws);
	GREATEST_MAIN_END();
}
