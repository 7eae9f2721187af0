/* Threads: where each one stands, which versions it reads, which way it went last. */
#include <greatest.h>

#include <loom/work/thread.h>

#include "support/grove.h"
#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

static struct grove g;
static int64_t tree;
static int64_t root;

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	tree = grove_tree(&g, LOOM_BUFFER, "root");
	root = grove_root(&g, tree);
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

static struct loom_thread ensure(int64_t agent, int64_t which)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_thread thread;

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(loom_thread_ensure(g.store, agent, which, g.arena, &thread, &err), &err,
		   "ensure");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "end");
	return thread;
}

static enum loom_status try_move(int64_t thread, int64_t node, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(g.store, err);

	return status == LOOM_OK
		       ? loom_quiet_end(g.store, loom_thread_move(g.store, thread, node, err), err)
		       : status;
}

static void move(int64_t thread, int64_t node)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(try_move(thread, node, &err), &err, "move");
}

static void choose(int64_t thread, int64_t group, int64_t member)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(loom_quiet_end(g.store, loom_thread_choose(g.store, thread, group, member, &err),
				  &err),
		   &err, "choose");
}

static int64_t position(int64_t thread)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_thread row;

	grove_must(loom_thread_get(g.store, thread, g.arena, &row, &err), &err, "get");
	return row.position;
}

static int64_t visited(int64_t thread, int64_t group)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t child = 0;

	grove_must(loom_thread_visited(g.store, thread, group, &child, &err), &err, "visited");
	return child;
}

/* The texts on a thread's path, parted by bars. */
static const char *path_of(int64_t thread, int64_t tip)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_nodes path;
	const char *copy;

	grove_must(loom_node_path(g.store, tip, thread, LOOM_NODE_TEXT, g.arena, &path, &err), &err,
		   "path");
	for (size_t i = 0; i < path.count; i++)
		loom_buf_addf(&text, "%s%.*s", i ? "|" : "", LOOM_STR_ARG(path.items[i].text));
	copy = loom_arena_cstr(g.arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return copy;
}

/* --- rows --- */

TEST an_implicit_thread_is_made_once_an_agent_and_tree_at_the_root(void)
{
	struct loom_err err;
	struct loom_thread thread;
	struct loom_thread again;
	struct loom_thread others;

	STATUS_IS(LOOM_NOT_FOUND,
		  loom_thread_implicit(g.store, g.owner, tree, g.arena, &thread, &err));
	thread = ensure(g.owner, tree);
	again = ensure(g.owner, tree);
	others = ensure(g.model, tree);
	ASSERT_EQ(thread.id, again.id);
	ASSERT(thread.id != others.id);
	ASSERT(thread.implicit);
	ASSERT_EQ(root, thread.position);
	ASSERT(loom_str_starts(thread.name, LOOM_STR("thread-")));
	ASSERT_EQ(strlen("thread-1a2b3c4d"), thread.name.n);
	PASS();
}

TEST a_spawned_thread_has_a_name_of_its_own(void)
{
	struct loom_err err;
	struct loom_thread found;
	struct loom_thread *threads = NULL;
	size_t count = 0;
	int64_t made = 0;

	ensure(g.owner, tree);
	grove_begin(&g, "spawn");
	OK(loom_thread_create(g.store, LOOM_STR("thread-cafe0001"), g.model, tree, &made, &err));
	STATUS_IS(LOOM_CONFLICT, loom_thread_create(g.store, LOOM_STR("thread-cafe0001"), g.owner,
						    tree, &made, &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_thread_create(g.store, LOOM_STR("thread-x"), g.owner, 4711, &made, &err));
	grove_commit(&g);
	OK(loom_thread_find(g.store, LOOM_STR("thread-cafe0001"), g.arena, &found, &err));
	ASSERT_EQ(g.model, found.agent);
	ASSERT_FALSE(found.implicit);
	OK(loom_thread_list(g.store, false, g.arena, &threads, &count, &err));
	ASSERT_EQ(1, count);
	OK(loom_thread_list(g.store, true, g.arena, &threads, &count, &err));
	ASSERT_EQ(2, count);
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_thread_find(g.store, LOOM_STR("nobody"), g.arena, &found, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_thread_get(g.store, 4711, g.arena, &found, &err));
	PASS();
}

TEST moving_is_no_operation(void)
{
	int64_t node = grove_node(&g, root, "a");
	int64_t ops = raw_int(&g, "SELECT count(*) FROM op");
	int64_t events = raw_int(&g, "SELECT count(*) FROM event");
	struct loom_thread thread = ensure(g.owner, tree);

	move(thread.id, node);
	ASSERT_EQ(ops, raw_int(&g, "SELECT count(*) FROM op"));
	ASSERT_EQ(events, raw_int(&g, "SELECT count(*) FROM event"));
	PASS();
}

TEST each_thread_stands_for_itself(void)
{
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, root, "b");
	struct loom_thread mine = ensure(g.owner, tree);
	struct loom_thread yours = ensure(g.model, tree);

	move(mine.id, a);
	move(yours.id, b);
	ASSERT_EQ(a, position(mine.id));
	ASSERT_EQ(b, position(yours.id));
	grove_reopen(&g);
	ASSERT_EQ(a, position(mine.id));
	PASS();
}

TEST one_cannot_move_to_what_is_not_there(void)
{
	struct loom_err err;
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t other = grove_tree(&g, LOOM_DIALOGUE, "other");
	int64_t note = grove_note(&g, root, "a note");
	int64_t gone = grove_node(&g, root, "gone");

	STATUS_IS(LOOM_NOT_FOUND, try_move(thread.id, 4711, &err));
	STATUS_IS(LOOM_NOT_FOUND, try_move(thread.id, grove_root(&g, other), &err));
	STATUS_IS(LOOM_CONFLICT, try_move(thread.id, note, &err));
	STATUS_IS(LOOM_NOT_FOUND, try_move(4711, root, &err));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	STATUS_IS(LOOM_NOT_FOUND, try_move(thread.id, gone, &err));
	ASSERT_EQ(root, position(thread.id));
	PASS();
}

/* --- the way one went --- */

TEST each_step_of_the_way_is_remembered(void)
{
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, root, "b");
	int64_t aa = grove_node(&g, a, "aa");
	int64_t ab = grove_node(&g, a, "ab");

	ASSERT_EQ(0, visited(thread.id, root));
	move(thread.id, ab);
	ASSERT_EQ(ab, visited(thread.id, a));
	ASSERT_EQ(a, visited(thread.id, root));
	move(thread.id, b);
	ASSERT_EQ(b, visited(thread.id, root));
	ASSERT_EQ(ab, visited(thread.id, a));
	move(thread.id, aa);
	ASSERT_EQ(aa, visited(thread.id, a));
	ASSERT_EQ(a, visited(thread.id, root));
	PASS();
}

TEST a_jump_into_a_way_once_known_turns_every_fork_above_it(void)
{
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t other = grove_node(&g, root, "other");
	int64_t first = grove_node(&g, root, "1");
	int64_t tip = first;

	for (int i = 0; i < 20; i++)
		tip = grove_node(&g, tip, "x");
	move(thread.id, tip);
	ASSERT_EQ(first, visited(thread.id, root));
	move(thread.id, other);
	ASSERT_EQ(other, visited(thread.id, root));
	/* nine steps of the way back are as they were, the tenth is not */
	move(thread.id, tip);
	ASSERT_EQ(first, visited(thread.id, root));
	PASS();
}

TEST a_jump_to_the_far_end_turns_the_fork_where_the_ways_part(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "import", .actor = g.owner};
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t other = grove_node(&g, root, "other");
	int64_t first = grove_node(&g, root, "1");
	int64_t rows;
	int64_t tip = first;

	OK(loom_op_begin(g.store, &spec, &err));
	for (int i = 0; i < 3000; i++) {
		struct loom_node_spec node = {.from = tip,
					      .text = LOOM_STR_INIT("x"),
					      .author = g.owner,
					      .seq = -1};

		OK(loom_node_create(g.store, &node, &tip, &err));
	}
	OK(loom_op_commit(g.store, NULL, &err));
	move(thread.id, other);
	rows = loom_store_rows_written(g.store);
	move(thread.id, tip);
	ASSERT_EQ(first, visited(thread.id, root));
	/* bounded: the way is not written down whole */
	ASSERT(loom_store_rows_written(g.store) - rows < 600);
	move(thread.id, grove_get(&g, tip).parent);
	rows = loom_store_rows_written(g.store);
	move(thread.id, tip);
	ASSERT(loom_store_rows_written(g.store) - rows <= 3);
	PASS();
}

TEST random_moves_remember_what_a_slow_walk_would(void)
{
	enum { NODES = 60 };
	struct prop prop;
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t nodes[NODES] = {root};
	int64_t parents[NODES] = {0};
	int64_t want[NODES] = {0};

	prop_init(&prop, "visited");
	for (size_t i = 1; i < NODES; i++) {
		size_t from = prop_once_in(&prop, 3) ? prop_below(&prop, i) : i - 1;

		parents[i] = (int64_t)from;
		nodes[i] = grove_node(&g, nodes[from], "x");
	}
	for (int round = 0; round < 120; round++) {
		size_t to = prop_below(&prop, NODES);

		move(thread.id, nodes[to]);
		for (size_t at = to; at > 0; at = (size_t)parents[at])
			want[parents[at]] = nodes[at];
		for (size_t i = 0; i < NODES; i++)
			ASSERT_EQ_FMT((long long)want[i], (long long)visited(thread.id, nodes[i]),
				      "%lld");
	}
	PASS();
}

/* --- versions --- */

TEST an_edit_by_others_does_not_change_what_one_reads(void)
{
	struct loom_thread mine = ensure(g.owner, tree);
	struct loom_thread yours = ensure(g.model, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");
	int64_t better;

	move(mine.id, b);
	move(yours.id, b);
	better = grove_edit(&g, a, "A");
	choose(yours.id, a, better);
	ASSERT_STR_EQ("root|a|b", path_of(mine.id, b));
	ASSERT_STR_EQ("root|A|b", path_of(yours.id, b));
	/* as it was written, without a thread */
	ASSERT_STR_EQ("root|a|b", path_of(0, b));
	choose(yours.id, a, a);
	ASSERT_STR_EQ("root|a|b", path_of(yours.id, b));
	choose(yours.id, a, better);
	choose(yours.id, a, 0);
	ASSERT_STR_EQ("root|a|b", path_of(yours.id, b));
	PASS();
}

TEST standing_on_a_version_is_choosing_it(void)
{
	struct loom_err err;
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");
	int64_t better = grove_edit(&g, a, "A");
	int64_t choice = 0;

	move(thread.id, better);
	OK(loom_thread_choice(g.store, thread.id, a, &choice, &err));
	ASSERT_EQ(better, choice);
	move(thread.id, b);
	ASSERT_STR_EQ("root|A|b", path_of(thread.id, b));
	move(thread.id, a);
	ASSERT_STR_EQ("root|a|b", path_of(thread.id, b));
	PASS();
}

TEST what_was_written_from_a_version_shows_that_version(void)
{
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t better = grove_edit(&g, a, "A");
	int64_t below = grove_node(&g, better, "below");

	ASSERT_STR_EQ("root|A|below", path_of(thread.id, below));
	ASSERT_STR_EQ("root|A|below", path_of(0, below));
	PASS();
}

TEST a_chosen_version_that_goes_gives_way(void)
{
	struct loom_err err;
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");
	int64_t better = grove_edit(&g, a, "A");

	choose(thread.id, a, better);
	grove_prune(&g, better);
	ASSERT_STR_EQ("root|a|b", path_of(thread.id, b));
	grove_restore(&g, better);
	ASSERT_STR_EQ("root|A|b", path_of(thread.id, b));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_STR_EQ("root|a|b", path_of(thread.id, b));
	PASS();
}

TEST a_version_of_another_group_is_no_choice(void)
{
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");
	int64_t stranger = grove_node(&g, root, "stranger");

	choose(thread.id, a, stranger);
	ASSERT_STR_EQ("root|a|b", path_of(thread.id, b));
	PASS();
}

/* --- where one stands --- */

static int64_t stand(int64_t thread)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_thread row;
	int64_t node = 0;

	grove_must(loom_thread_get(g.store, thread, g.arena, &row, &err), &err, "get");
	grove_must(loom_thread_stand(g.store, &row, &node, &err), &err, "stand");
	return node;
}

TEST who_stands_in_a_pruned_branch_goes_on_from_above_it(void)
{
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");
	int64_t c = grove_node(&g, b, "c");

	move(thread.id, c);
	ASSERT_EQ(c, stand(thread.id));
	grove_prune(&g, b);
	ASSERT_EQ(a, stand(thread.id));
	grove_prune(&g, a);
	ASSERT_EQ(root, stand(thread.id));
	ASSERT_EQ(c, position(thread.id));
	grove_restore(&g, a);
	ASSERT_EQ(a, stand(thread.id));
	grove_restore(&g, b);
	ASSERT_EQ(c, stand(thread.id));
	PASS();
}

TEST who_stands_on_what_was_undone_goes_on_from_above_it(void)
{
	struct loom_err err;
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");

	move(thread.id, b);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(a, stand(thread.id));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(root, stand(thread.id));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(b, stand(thread.id));
	PASS();
}

TEST who_stands_on_an_undone_version_goes_on_from_the_one_it_was_made_of(void)
{
	struct loom_err err;
	struct loom_thread thread = ensure(g.owner, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t better = grove_edit(&g, a, "A");

	move(thread.id, better);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(a, stand(thread.id));
	PASS();
}

/* --- the current tree --- */

TEST the_current_tree_is_the_one_in_use_else_the_newest(void)
{
	struct loom_err err;
	int64_t now = 0;
	int64_t second = grove_tree(&g, LOOM_DIALOGUE, "second");

	OK(loom_current_tree(g.store, &now, &err));
	ASSERT_EQ(second, now);
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, loom_use_tree(g.store, tree, &err), &err));
	OK(loom_current_tree(g.store, &now, &err));
	ASSERT_EQ(tree, now);
	grove_reopen(&g);
	OK(loom_current_tree(g.store, &now, &err));
	ASSERT_EQ(tree, now);
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, loom_use_tree(g.store, second, &err), &err));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	OK(loom_current_tree(g.store, &now, &err));
	ASSERT_EQ(tree, now);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_current_tree(g.store, &now, &err));
	PASS();
}

SUITE(thread)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(an_implicit_thread_is_made_once_an_agent_and_tree_at_the_root);
	RUN_TEST(a_spawned_thread_has_a_name_of_its_own);
	RUN_TEST(moving_is_no_operation);
	RUN_TEST(each_thread_stands_for_itself);
	RUN_TEST(one_cannot_move_to_what_is_not_there);
	RUN_TEST(each_step_of_the_way_is_remembered);
	RUN_TEST(a_jump_into_a_way_once_known_turns_every_fork_above_it);
	RUN_TEST(a_jump_to_the_far_end_turns_the_fork_where_the_ways_part);
	RUN_TEST(random_moves_remember_what_a_slow_walk_would);
	RUN_TEST(an_edit_by_others_does_not_change_what_one_reads);
	RUN_TEST(standing_on_a_version_is_choosing_it);
	RUN_TEST(what_was_written_from_a_version_shows_that_version);
	RUN_TEST(a_chosen_version_that_goes_gives_way);
	RUN_TEST(a_version_of_another_group_is_no_choice);
	RUN_TEST(who_stands_in_a_pruned_branch_goes_on_from_above_it);
	RUN_TEST(who_stands_on_what_was_undone_goes_on_from_above_it);
	RUN_TEST(who_stands_on_an_undone_version_goes_on_from_the_one_it_was_made_of);
	RUN_TEST(the_current_tree_is_the_one_in_use_else_the_newest);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(thread);
	GREATEST_MAIN_END();
}
