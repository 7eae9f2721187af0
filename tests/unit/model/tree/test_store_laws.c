/* Laws of the store under random work: a simple model in memory does the same things, and both
 * must agree on every visible result after every step: who hangs where, what is hidden, what the
 * counters say, what undo refuses. Undoing everything leads back to the beginning. */
#include <greatest.h>

#include <loom/tree/mark.h>
#include <loom/tree/open_store.h>

#include "support/grove.h"
#include "support/plain_tree.h"
#include "support/prop.h"

static struct grove g;

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
	struct loom_node_spec spec = {.tree = m.tree,
				      .from = from < 0 ? 0 : m.nodes[from].id,
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
	bool refuse = m.mode == LOOM_BUFFER && !m_group_shown(m.nodes[node].group);
	int i;

	if (refuse != (status == LOOM_CONFLICT))
		return LOOM_FAULT;
	if (status != LOOM_OK)
		return status;
	i = m_add(made, m.nodes[node].from, op);
	m.nodes[i].edited = node;
	if (m.mode == LOOM_BUFFER) {
		m.nodes[i].group = m.nodes[node].group;
		m.nodes[i].ord = m.nodes[m.nodes[i].group].ord;
	}
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
	bool refuse = false;

	if (pruned && !m.nodes[node].pruned) {
		m.nodes[node].pruned = true;
		refuse = m_first_root() < 0;
		m.nodes[node].pruned = false;
	}
	if (refuse != (status == LOOM_CONFLICT))
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

static void m_hang(int group, int from, int ord, int op)
{
	m.changes[m.change_count++] = (struct m_change){.op = op,
							.node = group,
							.field = HUNG,
							.before = m.nodes[group].from,
							.after = from,
							.ord_before = m.nodes[group].ord,
							.ord_after = ord};
	m_place(group, from, ord);
}

/* The sibling that stands directly before another, -1: none. */
static int m_last_before(int next)
{
	int last = -1;

	for (int i = 0; i < m.node_count; i++)
		if (m.nodes[i].group == i && m.nodes[i].parent == m.nodes[next].parent &&
		    m.nodes[i].note == m.nodes[next].note && m.nodes[i].ord < m.nodes[next].ord &&
		    (last < 0 || m.nodes[i].ord > m.nodes[last].ord))
			last = i;
	return last;
}

/* All from `next` on make way, in their order. */
static int m_make_way(int group, int next, int op)
{
	const int parent = m.nodes[next].parent;
	const int ord = m_next_ord(parent, false);
	int done = 0;

	for (int at = m.nodes[next].ord; at < ord; at++)
		for (int i = 0; i < m.node_count; i++)
			if (i != group && m.nodes[i].group == i && m.nodes[i].parent == parent &&
			    !m.nodes[i].note && m.nodes[i].ord == at)
				m_hang(i, m.nodes[i].from, ord + ++done, op);
	return ord;
}

/* Hangs a branch elsewhere, last or before a sibling. */
static enum loom_status do_hang(struct prop *prop, int node, int below, int op)
{
	const int group = m.nodes[node].group;
	const int parent = m_group(below);
	struct loom_hang where = {.node = m.nodes[node].id,
				  .below = below < 0 ? 0 : m.nodes[below].id};
	const bool may = m_may_hang(group, parent);
	const bool stays = m.nodes[group].from == below;
	int next = -1;
	bool changed = false;
	bool want = true;
	int ord = 0;
	enum loom_status status;

	for (int i = 0; i < m.node_count && prop_once_in(prop, 2) && next < 0; i++)
		if (m.nodes[i].group == i && m_alive(i) && m.nodes[i].parent == parent &&
		    !m.nodes[i].note && prop_once_in(prop, 2))
			next = i;
	where.before = next < 0 ? 0 : m.nodes[next].id;
	status = loom_node_hang(g.store, &where, &changed, NULL);
	if (may != (status == LOOM_OK) || (!may && status != LOOM_CONFLICT))
		return LOOM_FAULT;
	if (!may)
		return LOOM_CONFLICT;
	if (next < 0)
		want = !stays;
	else
		want = next != group && m_last_before(next) != group;
	if (changed != want)
		return LOOM_FAULT;
	if (!want)
		return LOOM_OK;
	ord = next < 0 ? m_next_ord(parent, false) : m_make_way(group, next, op);
	m_hang(group, below, ord, op);
	m_builds_on(op, node);
	m_builds_on(op, group);
	m_builds_on(op, below);
	return LOOM_OK;
}

static enum loom_status do_one(struct prop *prop, int op)
{
	int64_t id = 0;
	int node;
	enum loom_status status;

	switch (prop_below(prop, 10)) {
	case 8:
	case 9:
		return do_hang(prop, pick(prop, false),
			       prop_once_in(prop, 5) ? -1 : pick(prop, false), op);
	case 0:
	case 1:
	case 2:
		node = prop_once_in(prop, 12) ? -1 : pick(prop, false);
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
			m.nodes[m.node_count - 1].ord = 0;
			m.nodes[m.node_count - 1].ord = m_next_ord(m.nodes[node].group, true);
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
	enum loom_status status = loom_op_undo(g.store, g.owner, m.ops[op].id, NULL, NULL);

	return m_undo(op) == (status == LOOM_OK) ? LOOM_OK : LOOM_FAULT;
}

static enum loom_status do_redo(void)
{
	int op = -1;
	enum loom_status status;

	for (int i = m.undone_count - 1; i >= 0 && op < 0; i--)
		if (!m.ops[m.undone[i]].done)
			op = m.undone[i];
	if (op < 0)
		return loom_op_redo(g.store, g.owner, NULL, NULL) == LOOM_NOT_FOUND ? LOOM_OK
										    : LOOM_FAULT;
	status = loom_op_redo(g.store, g.owner, NULL, NULL);
	return m_redo(op) == (status == LOOM_OK) ? LOOM_OK : LOOM_FAULT;
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

	const int64_t id = group < 0 ? loom_top(m.tree) : m.nodes[group].id;

	if (loom_node_children(g.store, id, &page, g.arena, &nodes, NULL) != LOOM_OK)
		return false;
	for (int ord = 1; ord < m_next_ord(group, false); ord++)
		for (int i = 0; i < m.node_count; i++) {
			if (!m_is_child(i, group) || m.nodes[i].ord != ord)
				continue;
			if (at >= nodes.count || nodes.items[at].group != m.nodes[i].id)
				return false;
			at++;
		}
	if (loom_node_count(g.store, id, LOOM_CONTINUATION, &stored, NULL) != LOOM_OK)
		return false;
	return at == nodes.count && stored == (int64_t)at;
}

/* A path leads up as the model says, and all that asks for ancestors agrees. */
static bool same_path(int i)
{
	const int other = m.nodes[(i * 7 + m.clock) % m.node_count].group;
	struct loom_nodes path;
	int64_t top = 0;
	bool above = false;
	size_t at;
	int group = m.nodes[i].group;

	if (loom_node_path(g.store, m.nodes[i].id, 0, 0, g.arena, &path, NULL) != LOOM_OK ||
	    path.count != (size_t)m_depth(i) + 1)
		return false;
	for (at = path.count; at-- > 0; group = m.nodes[group].parent) {
		if (group < 0 || path.items[at].group != m.nodes[group].id ||
		    path.items[at].depth != (int64_t)at)
			return false;
		if (loom_node_ancestor(g.store, m.nodes[m.nodes[i].group].id, (int64_t)at, &top,
				       NULL) != LOOM_OK ||
		    top != m.nodes[group].id)
			return false;
	}
	return loom_node_above(g.store, m.nodes[other].id, m.nodes[m.nodes[i].group].id, &above,
			       NULL) == LOOM_OK &&
	       above == m_below(m.nodes[i].group, other);
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
	if (m_first_root() < 0 || tree.root != m.nodes[m_first_root()].id || !same_children(-1))
		return "the roots differ";
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
		if (there && (row.depth != m_depth(i) || !same_path(i)))
			return "the path to a node differs";
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

static void say_finding(void *ctx, struct loom_str finding)
{
	fprintf(ctx, "%.*s\n", LOOM_STR_ARG(finding));
}

static const char *deep_check(void)
{
	struct loom_check_opts opts = {.deep = true, .finding = say_finding, .ctx = stderr};
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
