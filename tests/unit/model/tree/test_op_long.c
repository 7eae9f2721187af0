/* Long writes: sliced, invisible until their end, swept when their process died. */
#include <greatest.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <loom/tree/mark.h>
#include <loom/tree/open_store.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/op_suite.h"
#include "support/prop.h"
#include "support/raw.h"

/* --- long writes --- */

static void begin_long(struct loom_store *store)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_op_spec spec = {.kind = "import", .actor = g.owner, .slices = true};

	grove_must(loom_op_begin(store, &spec, &err), &err, "import");
}

/* Slices of ten nodes in a chain below `from`; the last node. */
static int64_t write_slices(struct loom_store *store, int64_t from, int slices)
{
	struct loom_err err = {.status = LOOM_OK};

	for (int i = 0; i < slices; i++) {
		if (i)
			grove_must(loom_op_slice(store, &err), &err, "slice");
		for (int k = 0; k < 10; k++)
			from = add_node(store, from, "imported");
	}
	return from;
}

TEST nothing_of_a_long_write_shows_before_its_end(void)
{
	struct loom_err err;
	struct loom_store *reader = grove_connect(&g, LOOM_READ);
	struct loom_nodes children;
	struct loom_page page = {.limit = 10};
	struct loom_node gone;
	int64_t events = last_event(g.store);
	int64_t last;
	int64_t op = 0;

	begin_long(g.store);
	last = write_slices(g.store, root, 3);
	OK(loom_op_slice(g.store, &err));
	OK(loom_node_children(reader, root, &page, g.arena, &children, &err));
	ASSERT_EQ(0, children.count);
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_node_get(reader, last, LOOM_NODE_NARROW, g.arena, &gone, &err));
	ASSERT_EQ(1, nodes_in_tree());
	ASSERT_EQ(events, last_event(reader));
	OK(loom_op_finish(g.store, &op, &err));
	ASSERT_EQ(31, nodes_in_tree());
	ASSERT_EQ(events + 1, last_event(reader));
	OK(loom_node_children(reader, root, &page, g.arena, &children, &err));
	ASSERT_EQ(1, children.count);
	ASSERT_EQ(LOOM_OP_DONE, op_of(op).state);
	loom_store_close(reader);
	PASS();
}

/* Slice after slice of nothing, until the child has ended; its exit status. */
static int slice_until_ended(struct grove_child *child)
{
	struct loom_err err = {.status = LOOM_OK};
	int status = -1;

	while (!grove_child_ended(child, &status)) {
		grove_must(loom_op_slice(g.store, &err), &err, "slice");
		usleep(500);
	}
	return status;
}

TEST others_get_in_between_two_slices(void)
{
	struct loom_err err;
	struct grove_child child;

	if (!grove_fork(&g, &child)) {
		struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};

		if (loom_op_begin(g.store, &spec, &err) != LOOM_OK)
			_exit(1);
		add_node(g.store, root, "between");
		_exit(loom_op_commit(g.store, NULL, &err) == LOOM_OK ? 0 : 2);
	}
	begin_long(g.store);
	write_slices(g.store, root, 1);
	grove_child_go(&child);
	ASSERT_EQ(0, slice_until_ended(&child));
	write_slices(g.store, root, 1);
	OK(loom_op_finish(g.store, NULL, &err));
	ASSERT_EQ(1 + 10 + 1 + 10, nodes_in_tree());
	/* it lies on what came between */
	ASSERT_EQ(0, raw_int(&g, "SELECT count(*) FROM op o WHERE applied > 0 AND NOT EXISTS("
				 "SELECT 1 FROM event e WHERE e.seq = o.applied AND e.op = o.id)"));
	PASS();
}

/* Opening sweeps what is dead; this one is not. */
TEST a_long_write_goes_on_after_others_have_opened_the_grove(void)
{
	struct loom_err err;
	struct grove_child child;
	int64_t op = 0;

	if (!grove_fork(&g, &child))
		_exit(0);
	begin_long(g.store);
	write_slices(g.store, root, 1);
	grove_child_go(&child);
	ASSERT_EQ(0, slice_until_ended(&child));
	write_slices(g.store, root, 1);
	OK(loom_op_finish(g.store, &op, &err));
	ASSERT_EQ(LOOM_OP_DONE, op_of(op).state);
	ASSERT_EQ(21, nodes_in_tree());
	PASS();
}

TEST a_long_write_that_was_taken_for_dead_does_not_say_it_is_done(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "import", .actor = g.owner, .slices = true};
	struct grove_child child;
	enum loom_status status;
	int64_t op = raw_int(&g, "SELECT max(id) + 1 FROM op");

	if (!grove_fork(&g, &child)) {
		loom_store_close(g.store);
		raw_exec(&g, "UPDATE op SET state = 3 WHERE state = 0");
		_exit(0);
	}
	OK(loom_op_begin(g.store, &spec, &err));
	write_slices(g.store, root, 1);
	grove_child_go(&child);
	while ((status = loom_op_slice(g.store, &err)) == LOOM_OK)
		usleep(500);
	STATUS_IS(LOOM_CONFLICT, status);
	ASSERT_EQ(0, grove_child_wait(&child));
	ASSERT_EQ(LOOM_OP_DEAD, op_of(op).state);
	ASSERT_EQ(1, nodes_in_tree());
	/* nothing is under way any more */
	grove_node(&g, root, "after");
	PASS();
}

static struct loom_tree tree_now(int64_t which)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_tree row;

	grove_must(loom_tree_get(g.store, which, g.arena, &row, &err), &err, "tree");
	return row;
}

static int64_t findings(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_check_opts deep = {.deep = true};
	int64_t count = 0;

	grove_must(loom_store_check(g.store, &deep, &count, &err), &err, "check");
	return count;
}

/* Writes into several places of two trees by turns, versions too, slice after slice. */
static void write_everywhere(struct prop *prop, const int64_t *places, size_t count)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t made[200];
	size_t n = 0;

	while (n < LOOM_COUNT(made)) {
		bool inner = n && prop_once_in(prop, 2);
		bool edit = prop_once_in(prop, 3);
		struct loom_node_spec spec = {.text = LOOM_STR_INIT("x"),
					      .author = g.owner,
					      .seq = -1};

		spec.from = inner ? made[prop_below(prop, n)] : places[prop_below(prop, count)];
		edit = edit && spec.from != places[3]; /* that one may be pruned */
		grove_must(edit ? loom_node_edit(g.store, &spec, LOOM_EDIT_BY_MODE, &made[n], &err)
				: loom_node_create(g.store, &spec, &made[n], &err),
			   &err, "node");
		n++;
		if (prop_once_in(prop, 9))
			grove_must(loom_op_slice(g.store, &err), &err, "slice");
	}
}

TEST a_long_write_in_many_places_counts_as_if_it_were_short(void)
{
	struct prop prop;
	int64_t buffer = grove_tree(&g, LOOM_BUFFER, "buffer");

	prop_init(&prop, "grafts");
	for (int round = 0; round < 12; round++) {
		struct loom_err err;
		struct loom_tree before[2];
		struct loom_tree after[2];
		int64_t places[6];
		int64_t op = 0;

		for (size_t i = 0; i < LOOM_COUNT(places); i++)
			places[i] = grove_node(&g, i % 2 ? root : grove_root(&g, buffer), "place");
		places[2] = grove_node(&g, places[0], "below");
		if (round % 3 == 0)
			grove_prune(&g, places[3]);
		before[0] = tree_now(tree);
		before[1] = tree_now(buffer);
		begin_long(g.store);
		write_everywhere(&prop, places, LOOM_COUNT(places));
		ASSERT_EQ(before[0].nodes, tree_now(tree).nodes);
		OK(loom_op_finish(g.store, &op, &err));
		ASSERT_EQ(0, findings());
		after[0] = tree_now(tree);
		after[1] = tree_now(buffer);
		OK(loom_op_undo(g.store, g.owner, op, NULL, &err));
		ASSERT_EQ(0, findings());
		for (int i = 0; i < 2; i++) {
			struct loom_tree now = tree_now(i ? buffer : tree);

			ASSERT_EQ(before[i].nodes, now.nodes);
			ASSERT_EQ(before[i].leaves, now.leaves);
			ASSERT_EQ(before[i].branches, now.branches);
		}
		OK(loom_op_redo(g.store, g.owner, NULL, &err));
		ASSERT_EQ(0, findings());
		ASSERT_EQ(after[0].nodes, tree_now(tree).nodes);
		ASSERT_EQ(after[1].branches, tree_now(buffer).branches);
	}
	PASS();
}

TEST a_long_write_that_is_given_up_is_dead_at_once(void)
{
	struct loom_err err;
	int64_t node = grove_node(&g, root, "x");

	begin_long(g.store);
	write_slices(g.store, node, 3);
	loom_op_rollback(g.store);
	ASSERT_EQ(0, raw_int(&g, "SELECT count(*) FROM op WHERE state = 0"));
	ASSERT_EQ(1, raw_int(&g, "SELECT count(*) FROM op WHERE state = 3"));
	/* and stands in nobody's way */
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(1, nodes_in_tree());
	PASS();
}

TEST the_id_of_a_dead_long_write_can_be_used_again(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {
		.kind = "import", .actor = g.owner, .slices = true, .has_id = true, .id = id_of(4)};
	int64_t op = 0;
	int64_t found = 0;

	OK(loom_op_begin(g.store, &spec, &err));
	write_slices(g.store, root, 2);
	loom_op_rollback(g.store);
	OK(loom_op_by_id(g.store, &spec.id, &found, &err));
	ASSERT_EQ(0, found);
	OK(loom_op_begin(g.store, &spec, &err));
	write_slices(g.store, root, 2);
	OK(loom_op_finish(g.store, &op, &err));
	OK(loom_op_by_id(g.store, &spec.id, &found, &err));
	ASSERT_EQ(op, found);
	ASSERT_EQ(21, nodes_in_tree());
	STATUS_IS(LOOM_CONFLICT, loom_op_begin(g.store, &spec, &err));
	PASS();
}

/* A process that dies in a long write, after so many slices. */
static void die_in_a_long_write(int slices)
{
	struct grove_child child;

	if (!grove_fork(&g, &child)) {
		begin_long(g.store);
		write_slices(g.store, root, slices);
		kill(getpid(), SIGKILL);
	}
	grove_child_go(&child);
	(void)grove_child_wait(&child);
}

TEST a_long_write_whose_process_died_is_swept_at_the_next_open(void)
{
	struct loom_err err;
	struct loom_op *ops = NULL;
	size_t count = 0;
	int64_t findings = 0;
	struct loom_check_opts deep = {.deep = true};

	die_in_a_long_write(3);
	ASSERT_EQ(1, raw_int(&g, "SELECT count(*) FROM op WHERE state = 0"));
	grove_reopen(&g);
	ASSERT_EQ(0, raw_int(&g, "SELECT count(*) FROM op WHERE state = 0"));
	ASSERT_EQ(1, raw_int(&g, "SELECT count(*) FROM op WHERE state = 3"));
	ASSERT_EQ(1, nodes_in_tree());
	OK(loom_op_list(g.store, &(struct loom_op_page){.limit = 100}, g.arena, &ops, &count,
			&err));
	for (size_t i = 0; i < count; i++)
		ASSERT(ops[i].state == LOOM_OP_DONE);
	/* its numbers are not given again, and nothing hinders who comes after */
	grove_node(&g, root, "after");
	ASSERT_EQ(2, nodes_in_tree());
	OK(loom_store_check(g.store, &deep, &findings, &err));
	ASSERT_EQ(0, findings);
	PASS();
}

/* Three open operations whose index says that the first comes behind the other two: the second is
 * of nobody who lives, the third of us. */
static void disorder_open_operations(void)
{
	const int64_t root_page =
		raw_int(&g, "SELECT rootpage FROM sqlite_master WHERE name = 'op_open'");
	const off_t at = (off_t)((root_page - 1) * raw_int(&g, "PRAGMA page_size"));
	char *path = raw_path(&g);
	uint8_t head[14];
	uint8_t turned[14];
	int fd = -1;

	raw_settle(&g);
	fd = open(path, O_RDWR | O_CLOEXEC);
	/* a leaf of an index, and where its three rows stand */
	if (fd < 0 || pread(fd, head, sizeof head, at) != sizeof head || head[0] != 10 ||
	    head[4] != 3)
		exit(99);
	memcpy(turned, head, sizeof head);
	memcpy(turned + 8, head + 10, 4);
	memcpy(turned + 12, head + 8, 2);
	if (pwrite(fd, turned, sizeof turned, at) != sizeof turned || close(fd))
		exit(99);
	free(path);
}

TEST operations_out_of_order_are_damage_and_the_sweep_ends(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_store *other = NULL;
	char sql[512];

	begin_long(g.store);
	write_slices(g.store, root, 1);
	OK(loom_op_slice(g.store, &err));
	snprintf(sql, sizeof sql,
		 "INSERT INTO op(uid, state, kind, text, actor, at, session) SELECT "
		 "randomblob(16), 0, 'import', '', actor, at, iif(json_each.value = 3, '%s', "
		 "'s-1-gone') "
		 "FROM op, json_each('[1,2,3]') WHERE op.id = 1",
		 loom_arena_cstr(g.arena, raw_text(&g, "SELECT session FROM op WHERE state = 0")));
	OK(loom_op_finish(g.store, NULL, &err));
	raw_exec(&g, sql);
	disorder_open_operations();
	STATUS_IS(LOOM_DAMAGED,
		  loom_store_open(&g.env, loom_str_of(g.temp.path), LOOM_WRITE, &other, &err));
	ASSERTm(err.text, strstr(err.text, "out of order"));
	ASSERT_EQ(NULL, other);
	PASS();
}

TEST a_dead_long_write_cannot_be_undone_or_redone(void)
{
	struct loom_err err;
	int64_t op;

	die_in_a_long_write(2);
	grove_reopen(&g);
	op = raw_int(&g, "SELECT id FROM op WHERE state = 3");
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, op, NULL, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_op_redo(g.store, g.owner, NULL, &err));
	PASS();
}

TEST a_whole_tree_in_slices_is_one_step_to_undo(void)
{
	struct loom_err err;
	struct loom_tree_spec spec = {.mode = LOOM_BUFFER,
				      .title = LOOM_STR_INIT("imported"),
				      .author = g.owner};
	struct loom_tree row;
	int64_t made = 0;
	int64_t op = 0;
	int64_t rows;

	begin_long(g.store);
	OK(loom_tree_create(g.store, &spec, &made, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_tree_get(g.store, made, g.arena, &row, &err));
	write_slices(g.store, raw_int(&g, "SELECT max(id) FROM node") + 1, 5);
	OK(loom_op_finish(g.store, &op, &err));
	OK(loom_tree_get(g.store, made, g.arena, &row, &err));
	ASSERT_EQ(51, row.nodes);
	rows = loom_store_rows_written(g.store);
	OK(loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT(loom_store_rows_written(g.store) - rows <= 4);
	STATUS_IS(LOOM_NOT_FOUND, loom_tree_get(g.store, made, g.arena, &row, &err));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	OK(loom_tree_get(g.store, made, g.arena, &row, &err));
	ASSERT_EQ(51, row.nodes);
	PASS();
}

SUITE(op_long)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(nothing_of_a_long_write_shows_before_its_end);
	RUN_TEST(others_get_in_between_two_slices);
	RUN_TEST(a_long_write_goes_on_after_others_have_opened_the_grove);
	RUN_TEST(a_long_write_that_was_taken_for_dead_does_not_say_it_is_done);
	RUN_TEST(a_long_write_in_many_places_counts_as_if_it_were_short);
	RUN_TEST(a_long_write_that_is_given_up_is_dead_at_once);
	RUN_TEST(the_id_of_a_dead_long_write_can_be_used_again);
	RUN_TEST(a_long_write_whose_process_died_is_swept_at_the_next_open);
	RUN_TEST(operations_out_of_order_are_damage_and_the_sweep_ends);
	RUN_TEST(a_dead_long_write_cannot_be_undone_or_redone);
	RUN_TEST(a_whole_tree_in_slices_is_one_step_to_undo);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(op_long);
	GREATEST_MAIN_END();
}
