/* A tree as plain as it can be, for laws that hold the store against it: nodes with their versions,
 * marks, places and operations. It knows what undo and redo refuse. */
#ifndef LOOM_TESTS_SUPPORT_PLAIN_TREE_H
#define LOOM_TESTS_SUPPORT_PLAIN_TREE_H

#include <loom/tree/node.h>
#include <loom/tree/tree.h>

#define MOST 600

struct m_node {
	int64_t id;
	int parent; /* index of the parent group's first member, -1: a root */
	int from;   /* index of the member it was written from, -1: a root */
	int group;  /* index of the group's first member */
	int edited; /* index, -1: none */
	int ord;    /* among the group's siblings */
	bool note;
	int op;
	bool pruned;
	bool excluded;
	bool tagged;
	int label; /* 0: no bookmark */
};

enum m_field { PRUNED, EXCLUDED, TAGGED, LABEL, HUNG };

struct m_change {
	int op;
	int node;
	enum m_field field;
	int before; /* of HUNG: what it hung on, and its ordinal there */
	int after;
	int ord_before;
	int ord_after;
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
	struct m_change changes[MOST * 20];
	int change_count;
	int undone[MOST]; /* in the order of undoing */
	int undone_count;
	bool needs[MOST][MOST]; /* [later][earlier] */
	int clock;
	int64_t tree;
	enum loom_mode mode;
	int first_op; /* what was there at the beginning is not undone */
} m;

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
	case HUNG:
		*copy = node->from;
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
	case HUNG:
		break; /* m_place */
	}
}

static bool m_alive(int node)
{
	return m.ops[m.nodes[node].op].done;
}

static int m_group(int node)
{
	return node < 0 ? -1 : m.nodes[node].group;
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

/* The next ordinal, also after what is not visible. */
static int m_next_ord(int parent, bool note)
{
	int last = 0;

	for (int i = 0; i < m.node_count; i++)
		if (m.nodes[i].group == i && m.nodes[i].parent == parent &&
		    m.nodes[i].note == note && m.nodes[i].ord > last)
			last = m.nodes[i].ord;
	return last + 1;
}

/* The first root that is shown, -1: none. */
static int m_first_root(void)
{
	int first = -1;

	for (int i = 0; i < m.node_count; i++)
		if (m_is_child(i, -1) && (first < 0 || m.nodes[i].ord < m.nodes[first].ord))
			first = i;
	return first;
}

static void m_place(int group, int from, int ord)
{
	for (int i = 0; i < m.node_count; i++) {
		if (m.nodes[i].group != group)
			continue;
		m.nodes[i].from = from;
		m.nodes[i].parent = m_group(from);
		m.nodes[i].ord = ord;
	}
}

static bool m_below(int group, int top)
{
	for (int at = group; at >= 0; at = m.nodes[at].parent)
		if (at == top)
			return true;
	return false;
}

static int m_depth(int node)
{
	int depth = 0;

	for (int at = m.nodes[node].parent; at >= 0; at = m.nodes[at].parent)
		depth++;
	return depth;
}

static bool m_group_alive(int group)
{
	for (int i = 0; i < m.node_count; i++)
		if (m.nodes[i].group == group && m_alive(i))
			return true;
	return false;
}

/* Hidden by a mark: what is not there yet counts as the place that it was made from. */
static bool m_hidden(int group)
{
	int at = group;

	while (at >= 0 && !m_alive(at))
		at = m.nodes[at].edited >= 0 ? m.nodes[at].edited
		     : m.nodes[at].from >= 0 ? m.nodes[at].from
					     : m_first_root();
	for (at = m_group(at); at >= 0; at = m.nodes[at].parent)
		if (m_group_alive(at) && !m_group_shown(at))
			return true;
	return false;
}

static bool m_may_hang(int group, int below)
{
	return !m_below(below, group) && !m_hidden(below) && !m_hidden(m.nodes[group].parent);
}

/* Undo and redo of a place; the ordinal may be taken. */
static bool m_swap_place(int group, int from, int ord)
{
	const int parent = m_group(from);

	if (parent != m.nodes[group].parent && !m_may_hang(group, parent))
		return false;
	for (int i = 0; i < m.node_count; i++)
		if (i != group && m.nodes[i].group == i && m.nodes[i].parent == parent &&
		    m.nodes[i].note == m.nodes[group].note && m.nodes[i].ord == ord) {
			ord = m_next_ord(parent, m.nodes[group].note);
			break;
		}
	m_place(group, from, ord);
	return true;
}

static int m_add(int64_t id, int from, int op)
{
	struct m_node *node = &m.nodes[m.node_count];

	*node = (struct m_node){.id = id,
				.from = from,
				.parent = m_group(from),
				.group = m.node_count,
				.edited = -1,
				.op = op};
	node->ord = 0;
	node->ord = m_next_ord(node->parent, false);
	return m.node_count++;
}

static void m_builds_on(int op, int node)
{
	if (node >= 0 && m.nodes[node].op != op)
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
		if (first && change->field == HUNG &&
		    m.nodes[change->node].parent != m_group(change->before))
			return false;
		if (first && change->field != HUNG &&
		    get_field(&m.nodes[change->node], change->field) != change->before)
			return false;
	}
	return true;
}

/* A member is pruned in a group in which the same operation made another one. */
static bool m_replaces(const struct m_change *change)
{
	const int group = m.nodes[change->node].group;

	for (int i = 0; i < m.node_count && change->field == PRUNED && change->after; i++)
		if (m.nodes[i].op == change->op && m.nodes[i].group == group && i != group)
			return true;
	return false;
}

static bool m_apply(const struct m_change *change, bool undo)
{
	if (change->field == HUNG)
		return m_swap_place(change->node, undo ? change->before : change->after,
				    undo ? change->ord_before : change->ord_after);
	set_field(&m.nodes[change->node], change->field, undo ? change->before : change->after);
	return true;
}

static bool m_apply_all(int op, bool undo, bool replaced)
{
	for (int k = 0; k < m.change_count; k++) {
		const struct m_change *change = &m.changes[undo ? m.change_count - 1 - k : k];

		if (change->op == op && m_replaces(change) == replaced && !m_apply(change, undo))
			return false;
	}
	return true;
}

/* Carries it out and says whether it is allowed, which for a place shows only then. */
static bool m_turn(int op, bool undo)
{
	static struct m_node kept[MOST];
	bool may;

	memcpy(kept, m.nodes, sizeof kept);
	may = m_apply_all(op, undo, undo);
	m.ops[op].done = !undo;
	may = may && m_apply_all(op, undo, !undo) && m_first_root() >= 0;
	if (may)
		return true;
	memcpy(m.nodes, kept, sizeof kept);
	m.ops[op].done = undo;
	return false;
}

static bool m_undo(int op)
{
	if (!m_can_undo(op) || !m_turn(op, true))
		return false;
	m.undone[m.undone_count++] = op;
	return true;
}

static bool m_redo(int op)
{
	if (!m_can_redo(op) || !m_turn(op, false))
		return false;
	m.ops[op].applied = ++m.clock;
	return true;
}

#endif
