/* Surgery by keys on a real pty: split, join, move, copy, order, and eight branches at a caret,
 * each with its undo. */
#include "greatest.h"

#include "screens/desk.h"

#include <loom/tree/carry.h>

/* The tree: r001 → 1 → (2, 3 → a chain, 4). */
enum { ROOT, FIRST, ONE, TWO, THREE };

static struct desk desk;
static struct pty *pty;

/* What hangs where, and how it reads. */
struct place {
	int64_t node;
	int64_t parent;
	int64_t ord;
	bool pruned;
};
struct shape {
	struct place places[128];
	size_t count;
};

static struct shape shape_now(void)
{
	struct shape shape = {.count = 0};
	int64_t *nodes = NULL;
	struct loom_err err;

	grove_must(loom_carry_list(desk.grove.store, desk.tree, &nodes, &shape.count, &err), &err,
		   "nodes");
	grove_must(shape.count <= LOOM_COUNT(shape.places) ? LOOM_OK : LOOM_LIMIT, &err, "room");
	for (size_t i = 0; i < shape.count; i++) {
		const struct loom_node node = grove_get(&desk.grove, nodes[i]);

		shape.places[i] = (struct place){.node = node.id,
						 .parent = node.parent,
						 .ord = node.ord,
						 .pruned = node.pruned};
	}
	free(nodes);
	return shape;
}

/* Whether two shapes have the same nodes at the same places. Ordinals are compared as an order,
 * because an undo may give another one. */
static bool same_shape(const struct shape *a, const struct shape *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct place *x = &a->places[i];
		const struct place *y = &b->places[i];

		if (x->node != y->node || x->parent != y->parent || x->pruned != y->pruned)
			return false;
		for (size_t j = 0; j < i; j++)
			if (a->places[j].parent == x->parent &&
			    (a->places[j].ord < x->ord) != (b->places[j].ord < y->ord))
				return false;
	}
	return true;
}

static int64_t parent(size_t i)
{
	return grove_get(&desk.grove, desk.nodes[i]).parent;
}

static bool shows(const char *text)
{
	return strstr(pty_text(pty), text) != NULL;
}

static void set_up(enum loom_mode mode)
{
	desk_init(&desk, mode);
	pty = desk_open(&desk, 120, 40, NULL);
}

static void tear_down(void)
{
	pty_close(pty);
	desk_fini(&desk);
}

/* Undoes what the keys did, and says whether all is as before. */
static bool undone(const struct shape *before)
{
	struct shape now;

	pty_type(pty, "u");
	pty_until(pty, "undone");
	pty_settle(pty);
	now = shape_now();
	return same_shape(before, &now);
}

static enum greatest_test_res splits(enum loom_mode mode)
{
	struct shape before;
	struct loom_node head;
	struct loom_node tail;

	set_up(mode);
	before = shape_now();
	pty_type(pty, "l\tj");
	pty_type(pty, "Ts");
	pty_until(pty, "split [");
	tail = grove_get(&desk.grove, parent(ONE));
	head = grove_get(&desk.grove, tail.parent);
	ASSERT_EQ(tail.group, desk.nodes[FIRST]);
	ASSERT_EQ(head.parent, desk.nodes[ROOT]);
	ASSERT(undone(&before));
	tear_down();
	PASS();
}

TEST a_node_is_split_at_the_caret(void)
{
	CHECK_CALL(splits(LOOM_BUFFER));
	CHECK_CALL(splits(LOOM_DIALOGUE));
	PASS();
}

TEST a_node_is_split_only_where_there_is_a_caret(void)
{
	struct shape before;
	struct shape now;

	set_up(LOOM_BUFFER);
	before = shape_now();
	pty_type(pty, "lTs");
	ASSERT(shows("a node is split at the caret"));
	now = shape_now();
	ASSERT(same_shape(&before, &now));
	tear_down();
	PASS();
}

TEST a_node_is_joined_with_the_one_before(void)
{
	struct shape before;

	set_up(LOOM_BUFFER);
	before = shape_now();
	pty_type(pty, "llTj");
	pty_until(pty, "joined [");
	ASSERT_EQ(desk.nodes[ROOT], parent(ONE));
	ASSERT_EQ(desk.nodes[FIRST], parent(TWO));
	ASSERT(shows("knocks twice"));
	ASSERT(undone(&before));
	tear_down();
	PASS();
}

TEST picked_branches_hang_elsewhere_after_a_question(void)
{
	struct shape before;
	struct shape now;

	set_up(LOOM_BUFFER);
	before = shape_now();
	/* The first of three siblings is picked; the cursor goes on to the next. */
	pty_type(pty, "ll Tm");
	ASSERT(shows("hang ["));
	ASSERT(shows("? y/n"));
	pty_type(pty, "n");
	now = shape_now();
	ASSERT(same_shape(&before, &now));
	pty_type(pty, "Tmy");
	pty_until(pty, "moved [");
	ASSERT_EQ(desk.nodes[TWO], parent(ONE));
	ASSERT(undone(&before));
	tear_down();
	PASS();
}

TEST a_branch_does_not_hang_below_itself(void)
{
	struct shape before;
	struct shape now;

	set_up(LOOM_BUFFER);
	before = shape_now();
	pty_type(pty, "l llTmy");
	pty_until(pty, "cannot hang below itself");
	now = shape_now();
	ASSERT(same_shape(&before, &now));
	tear_down();
	PASS();
}

TEST picked_branches_are_copied_after_a_question(void)
{
	struct shape before;
	struct shape now;

	set_up(LOOM_BUFFER);
	before = shape_now();
	pty_type(pty, "ll Tc");
	ASSERT(shows("copy ["));
	pty_type(pty, "y");
	pty_until(pty, "copied [");
	pty_settle(pty);
	now = shape_now();
	ASSERT_EQ(before.count + 1, now.count);
	ASSERT_EQ(desk.nodes[FIRST], parent(ONE));
	ASSERT_EQ(desk.nodes[TWO], now.places[now.count - 1].parent);
	ASSERT(undone(&before));
	tear_down();
	PASS();
}

TEST siblings_change_places(void)
{
	struct shape before;

	set_up(LOOM_BUFFER);
	before = shape_now();
	pty_type(pty, "llT[");
	ASSERT(shows("it stands first among its siblings already"));
	pty_type(pty, "T]");
	pty_until(pty, "ordered [");
	pty_settle(pty);
	ASSERT(grove_get(&desk.grove, desk.nodes[ONE]).ord >
	       grove_get(&desk.grove, desk.nodes[TWO]).ord);
	ASSERT(grove_get(&desk.grove, desk.nodes[ONE]).ord <
	       grove_get(&desk.grove, desk.nodes[THREE]).ord);
	ASSERT(undone(&before));
	pty_type(pty, "jT[");
	pty_until(pty, "ordered [");
	pty_settle(pty);
	ASSERT(grove_get(&desk.grove, desk.nodes[TWO]).ord <
	       grove_get(&desk.grove, desk.nodes[ONE]).ord);
	ASSERT(undone(&before));
	tear_down();
	PASS();
}

/* The beginning of the node stands once, and eight continuations hang on it. */
TEST eight_branches_are_made_where_the_caret_is(void)
{
	struct shape before;
	struct shape now;
	struct loom_node head;

	set_up(LOOM_BUFFER);
	before = shape_now();
	pty_type(pty, "l\tj8B");
	do {
		pty_take(pty);
		now = shape_now();
	} while (now.count < before.count + 9);
	pty_settle(pty);
	head = grove_get(&desk.grove, now.places[before.count].node);
	ASSERT_EQ(desk.nodes[ROOT], head.parent);
	ASSERT_EQ(8, head.children);
	ASSERT(shows(" of 8 "));
	ASSERT(undone(&before));
	tear_down();
	PASS();
}

SUITE(surgery_suite)
{
	RUN_TEST(a_node_is_split_at_the_caret);
	RUN_TEST(a_node_is_split_only_where_there_is_a_caret);
	RUN_TEST(a_node_is_joined_with_the_one_before);
	RUN_TEST(picked_branches_hang_elsewhere_after_a_question);
	RUN_TEST(a_branch_does_not_hang_below_itself);
	RUN_TEST(picked_branches_are_copied_after_a_question);
	RUN_TEST(siblings_change_places);
	RUN_TEST(eight_branches_are_made_where_the_caret_is);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(surgery_suite);
	GREATEST_MAIN_END();
}
