/* Operations: ids and retries, batches, long writes, the list and the feed. */
#include <greatest.h>
#include <unistd.h>
#include <loom/tree/mark.h>
#include "support/fork.h"
#include "support/ok.h"
#include "support/op_suite.h"
#include "support/prop.h"
#include "support/raw.h"

/* --- rows --- */

TEST a_step_that_changes_nothing_leaves_no_operation(void)
{
	int64_t events = last_event(g.store);
	int64_t rows = loom_store_rows_written(g.store);

	grove_begin(&g, "nothing");
	ASSERT_EQ(0, grove_commit(&g));
	ASSERT_EQ(events, last_event(g.store));
	ASSERT_EQ(rows, loom_store_rows_written(g.store));
	PASS();
}

TEST an_operation_says_who_when_and_what(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "respond",
				    .text = LOOM_STR_INIT("first words"),
				    .actor = g.model,
				    .thread = 7,
				    .tree = tree};
	struct loom_op row;
	int64_t op = 0;

	OK(loom_op_begin(g.store, &spec, &err));
	add_node(g.store, root, "x");
	loom_op_say(g.store, "responded with %d word", 1);
	loom_op_say(g.store, "said again, %s", "the last one wins");
	OK(loom_op_commit(g.store, &op, &err));
	row = op_of(op);
	ASSERT(loom_str_is(row.kind, "respond"));
	ASSERT(loom_str_is(row.text, "said again, the last one wins"));
	ASSERT(loom_str_is(row.actor_name, "ngram"));
	ASSERT_EQ(g.model, row.actor);
	ASSERT_EQ(7, row.thread);
	ASSERT_EQ(tree, row.tree);
	ASSERT_EQ(1771840800000, row.at);
	ASSERT_EQ(LOOM_OP_DONE, row.state);
	PASS();
}

TEST a_rolled_back_write_is_as_if_it_had_never_been(void)
{
	struct loom_err err;
	struct loom_node gone;
	int64_t before = nodes_in_tree();
	int64_t events = last_event(g.store);
	int64_t node;

	grove_begin(&g, "respond");
	node = add_node(g.store, root, "x");
	loom_op_rollback(g.store);
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_node_get(g.store, node, LOOM_NODE_ALL, g.arena, &gone, &err));
	ASSERT_EQ(before, nodes_in_tree());
	ASSERT_EQ(events, last_event(g.store));
	/* the number is free again, and nothing of the old try shows through */
	ASSERT_EQ(node, grove_node(&g, root, "y"));
	ASSERT(loom_str_is(grove_get(&g, node).text, "y"));
	PASS();
}

TEST what_fails_in_the_middle_takes_the_whole_step_with_it(void)
{
	struct loom_err err;
	struct loom_node_spec bad = {.from = 999999,
				     .text = LOOM_STR_INIT("x"),
				     .author = g.owner,
				     .seq = -1};
	int64_t node = 0;
	int64_t op = 1;
	enum loom_status status;

	grove_begin(&g, "respond");
	add_node(g.store, root, "good");
	status = loom_node_create(g.store, &bad, &node, &err);
	ASSERT_EQ(LOOM_NOT_FOUND, status);
	STATUS_IS(LOOM_NOT_FOUND, loom_op_end(g.store, status, &op, &err));
	ASSERT_EQ(0, op);
	ASSERT_EQ(1, nodes_in_tree());
	PASS();
}

TEST a_node_outside_an_operation_is_refused(void)
{
	struct loom_err err;
	struct loom_node_spec spec = {.from = root,
				      .text = LOOM_STR_INIT("x"),
				      .author = g.owner,
				      .seq = -1};
	int64_t node = 0;

	STATUS_IS(LOOM_FAULT, loom_node_create(g.store, &spec, &node, &err));
	OK(loom_quiet_begin(g.store, &err));
	STATUS_IS(LOOM_FAULT, loom_node_create(g.store, &spec, &node, &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	ASSERT_EQ(1, nodes_in_tree());
	PASS();
}

TEST a_node_without_a_place_is_refused(void)
{
	struct loom_err err;
	struct loom_node_spec spec = {.text = LOOM_STR_INIT("x"), .author = g.owner, .seq = -1};
	int64_t node = 0;

	grove_begin(&g, "respond");
	STATUS_IS(LOOM_NOT_FOUND, loom_node_create(g.store, &spec, &node, &err));
	spec.tree = 4711;
	STATUS_IS(LOOM_NOT_FOUND, loom_node_create(g.store, &spec, &node, &err));
	/* a tree can have several roots, but a note is none */
	spec.tree = tree;
	spec.kind = LOOM_ANNOTATION;
	STATUS_IS(LOOM_FAULT, loom_node_create(g.store, &spec, &node, &err));
	loom_op_rollback(g.store);
	ASSERT_EQ(1, nodes_in_tree());
	PASS();
}

/* The extra sources that the edge of a continuation has recorded. */
static int64_t sources_of(int64_t node)
{
	char sql[80];

	snprintf(sql, sizeof sql, "SELECT count(*) FROM source WHERE node = %lld", (long long)node);
	return raw_int(&g, sql);
}

TEST versions_have_their_children_and_sources_in_common_within_one_step(void)
{
	struct loom_err err;
	int64_t buffer = grove_tree(&g, LOOM_BUFFER, "buffer");
	int64_t a = grove_node(&g, grove_root(&g, buffer), "a");
	int64_t version = grove_edit(&g, a, "A");
	struct loom_node_spec source = {.from = a,
					.kind = LOOM_CONTEXT_SOURCE,
					.text = LOOM_STR_INIT("a source"),
					.author = g.owner,
					.seq = -1};
	struct loom_node_spec edit = {.from = a,
				      .text = LOOM_STR_INIT("AA"),
				      .author = g.owner,
				      .seq = -1};
	int64_t below = 0;
	int64_t node = 0;

	grove_begin(&g, "batch");
	add_node(g.store, a, "1");
	add_node(g.store, version, "2");
	add_node(g.store, a, "3");
	add_node(g.store, version, "4");
	OK(loom_node_create(g.store, &source, &node, &err));
	node = add_node(g.store, version, "5");
	OK(loom_node_edit(g.store, &edit, LOOM_EDIT_BY_MODE, &version, &err));
	below = add_node(g.store, version, "6");
	grove_commit(&g);
	ASSERT_EQ(5, grove_get(&g, node).ord);
	ASSERT_EQ(6, grove_get(&g, a).children);
	ASSERT_EQ(1, sources_of(node));
	ASSERT_EQ(1, sources_of(below));
	PASS();
}

/* --- ids --- */

TEST every_operation_has_an_id_of_its_own(void)
{
	for (int i = 0; i < 50; i++)
		grove_node(&g, root, "x");
	ASSERT_EQ(raw_int(&g, "SELECT count(*) FROM op"),
		  raw_int(&g, "SELECT count(DISTINCT uid) FROM op"));
	PASS();
}

TEST a_retry_with_the_same_id_finds_the_first_result(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "respond",
				    .actor = g.owner,
				    .has_id = true,
				    .id = id_of(1)};
	int64_t op = 0;
	int64_t found = 0;

	OK(loom_op_by_id(g.store, &spec.id, &found, &err));
	ASSERT_EQ(0, found);
	OK(loom_op_begin(g.store, &spec, &err));
	add_node(g.store, root, "once");
	OK(loom_op_commit(g.store, &op, &err));
	STATUS_IS(LOOM_CONFLICT, loom_op_begin(g.store, &spec, &err));
	OK(loom_op_by_id(g.store, &spec.id, &found, &err));
	ASSERT_EQ(op, found);
	ASSERT_EQ(2, nodes_in_tree());
	/* and the lock is free */
	grove_node(&g, root, "another");
	PASS();
}

TEST the_id_of_a_rolled_back_write_can_be_used_again(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "respond",
				    .actor = g.owner,
				    .has_id = true,
				    .id = id_of(2)};
	int64_t op = 0;

	OK(loom_op_begin(g.store, &spec, &err));
	add_node(g.store, root, "lost");
	loom_op_rollback(g.store);
	OK(loom_op_begin(g.store, &spec, &err));
	add_node(g.store, root, "kept");
	OK(loom_op_commit(g.store, &op, &err));
	ASSERT_EQ(0, memcmp(op_of(op).uid.bytes, spec.id.bytes, 16));
	PASS();
}

TEST several_that_retry_the_same_id_at_once_do_it_once(void)
{
	struct loom_err err;
	struct grove_child children[4];
	int done = 0;

	for (int i = 0; i < 4; i++) {
		struct loom_op_spec spec = {.kind = "respond",
					    .actor = g.owner,
					    .has_id = true,
					    .id = id_of(3)};

		if (grove_fork(&g, &children[i]))
			continue;
		if (loom_op_begin(g.store, &spec, &err) == LOOM_CONFLICT)
			_exit(1);
		add_node(g.store, root, "only one");
		_exit(loom_op_commit(g.store, NULL, &err) == LOOM_OK ? 0 : 2);
	}
	for (int i = 0; i < 4; i++)
		grove_child_go(&children[i]);
	for (int i = 0; i < 4; i++) {
		int status = grove_child_wait(&children[i]);

		ASSERT(status <= 1);
		done += status == 0;
	}
	ASSERT_EQ_FMT(1, done, "%d");
	ASSERT_EQ(2, nodes_in_tree());
	PASS();
}

/* --- batches --- */

TEST a_batch_commits_by_and_by_and_is_one_step(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "batch", .actor = g.owner};
	struct loom_node gone;
	int64_t first = 0;
	int64_t second = 0;
	int64_t a;
	int64_t b;

	OK(loom_op_begin(g.store, &spec, &err));
	a = add_node(g.store, root, "a");
	OK(loom_op_commit(g.store, &first, &err));
	grove_node(&g, root, "somebody between");
	spec.join = first;
	OK(loom_op_begin(g.store, &spec, &err));
	b = add_node(g.store, a, "b");
	OK(loom_op_commit(g.store, &second, &err));
	ASSERT_EQ(first, second);
	ASSERT_EQ(4, nodes_in_tree());
	OK(loom_op_undo(g.store, g.owner, first, NULL, &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_node_get(g.store, b, LOOM_NODE_NARROW, g.arena, &gone, &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_node_get(g.store, a, LOOM_NODE_NARROW, g.arena, &gone, &err));
	ASSERT_EQ(2, nodes_in_tree());
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(4, nodes_in_tree());
	PASS();
}

TEST joining_an_undone_batch_begins_a_step_of_its_own(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "batch", .actor = g.owner};
	int64_t first = 0;
	int64_t second = 0;
	int64_t made;

	OK(loom_op_begin(g.store, &spec, &err));
	add_node(g.store, root, "a");
	OK(loom_op_commit(g.store, &first, &err));
	OK(loom_op_undo(g.store, g.owner, first, NULL, &err));
	spec.join = first;
	OK(loom_op_begin(g.store, &spec, &err));
	made = add_node(g.store, root, "b");
	OK(loom_op_commit(g.store, &second, &err));
	ASSERT(second != first);
	ASSERT(loom_str_is(grove_get(&g, made).text, "b"));
	PASS();
}

TEST a_batchs_journal_goes_on_where_it_stopped(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "batch", .actor = g.owner};
	int64_t node = grove_node(&g, root, "x");
	int64_t op = 0;
	bool changed = false;

	for (int i = 0; i < 3; i++) {
		char label[16];

		snprintf(label, sizeof label, "label %d", i);
		OK(loom_op_begin(g.store, &spec, &err));
		OK(loom_bookmark_set(g.store, node, true, loom_str_of(label), &changed, &err));
		OK(loom_op_commit(g.store, &op, &err));
		spec.join = op;
	}
	ASSERT(loom_str_is(grove_get(&g, node).label, "label 2"));
	OK(loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT_FALSE(grove_get(&g, node).bookmarked);
	ASSERT(loom_str_is(grove_get(&g, node).label, ""));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT(loom_str_is(grove_get(&g, node).label, "label 2"));
	PASS();
}

/* --- the list --- */

TEST the_list_is_paged_newest_first_and_by_actor(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "respond", .actor = g.model};
	struct loom_op *ops = NULL;
	size_t count = 0;
	size_t seen = 0;
	int64_t before = 0;

	for (int i = 0; i < 7; i++)
		grove_node(&g, root, "mine");
	for (int i = 0; i < 3; i++) {
		OK(loom_op_begin(g.store, &spec, &err));
		add_node(g.store, root, "the model's");
		OK(loom_op_commit(g.store, NULL, &err));
	}
	do {
		OK(loom_op_list(g.store, &(struct loom_op_page){.before = before, .limit = 4},
				g.arena, &ops, &count, &err));
		for (size_t i = 0; i < count; i++) {
			ASSERT(before == 0 || ops[i].id < before);
			before = ops[i].id;
		}
		seen += count;
	} while (count == 4);
	/* init, the tree, and ten nodes */
	ASSERT_EQ(12, seen);
	OK(loom_op_list(g.store, &(struct loom_op_page){.actor = g.model, .limit = 100}, g.arena,
			&ops, &count, &err));
	ASSERT_EQ(3, count);
	OK(loom_op_list(g.store, &(struct loom_op_page){.actor = g.model}, g.arena, &ops, &count,
			&err));
	ASSERT_EQ(0, count);
	PASS();
}

TEST an_operation_that_is_not_there_is_not_found(void)
{
	struct loom_err err;
	struct loom_op row;

	STATUS_IS(LOOM_NOT_FOUND, loom_op_get(g.store, 4711, g.arena, &row, &err));
	ASSERT(strstr(err.text, "4711"));
	STATUS_IS(LOOM_NOT_FOUND, loom_op_undo(g.store, g.owner, 4711, NULL, &err));
	PASS();
}

TEST undo_is_of_ones_own_work_unless_told_otherwise(void)
{
	struct loom_err err;
	int64_t mine = grove_node(&g, root, "mine");
	int64_t op = 0;

	STATUS_IS(LOOM_NOT_FOUND, loom_op_undo(g.store, g.model, 0, &op, &err));
	OK(loom_op_undo(g.store, g.model, grove_get(&g, mine).op, &op, &err));
	ASSERT_EQ(1, nodes_in_tree());
	/* who took it back can bring it back */
	STATUS_IS(LOOM_NOT_FOUND, loom_op_redo(g.store, g.owner, NULL, &err));
	OK(loom_op_redo(g.store, g.model, NULL, &err));
	ASSERT_EQ(2, nodes_in_tree());
	PASS();
}

TEST the_grove_itself_and_what_has_an_inverse_are_not_undone(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "spawn",
				    .actor = g.owner,
				    .inverse = "loom thread close t1"};
	int64_t op = 0;

	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, 1, NULL, &err));
	OK(loom_op_begin(g.store, &spec, &err));
	add_node(g.store, root, "x");
	OK(loom_op_commit(g.store, &op, &err));
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT_STR_EQ("loom thread close t1", err.hint);
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT(strncmp(err.hint, "loom thread close t1; to undo the one before it: loom undo ",
		       59) == 0);
	ASSERT_EQ(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, 0, NULL, NULL));
	/* who has done nothing else is offered nothing else */
	spec.actor = g.model;
	OK(loom_op_begin(g.store, &spec, &err));
	add_node(g.store, root, "y");
	OK(loom_op_commit(g.store, &op, &err));
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.model, 0, NULL, &err));
	ASSERT_STR_EQ("loom thread close t1", err.hint);
	PASS();
}

TEST an_operation_that_later_work_builds_on_is_named(void)
{
	struct loom_err err;
	int64_t a = grove_node(&g, root, "a");
	char wanted[64];
	int64_t b = grove_node(&g, a, "b");

	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, grove_get(&g, a).op, NULL, &err));
	snprintf(wanted, sizeof wanted, "operation %lld (respond)", (long long)grove_get(&g, b).op);
	ASSERTm(err.text, strstr(err.text, wanted));
	PASS();
}

/* --- the feed --- */

TEST the_feed_tells_what_happened_in_order(void)
{
	struct loom_err err;
	struct loom_event *events = NULL;
	size_t count = 0;
	int64_t from = last_event(g.store);
	int64_t node = grove_node(&g, root, "x");
	int64_t op = grove_get(&g, node).op;

	OK(loom_op_undo(g.store, g.model, op, NULL, &err));
	OK(loom_op_redo(g.store, g.model, NULL, &err));
	OK(loom_events_since(g.store, from, 100, g.arena, &events, &count, &err));
	ASSERT_EQ(3, count);
	ASSERT_EQ(LOOM_EVENT_DONE, events[0].act);
	ASSERT_EQ(LOOM_EVENT_UNDONE, events[1].act);
	ASSERT_EQ(LOOM_EVENT_REDONE, events[2].act);
	ASSERT(loom_str_is(events[1].actor_name, "ngram"));
	ASSERT_EQ(g.owner, events[1].op.actor);
	for (size_t i = 0; i < count; i++) {
		ASSERT_EQ(op, events[i].op.id);
		ASSERT(events[i].seq > (i ? events[i - 1].seq : from));
	}
	ASSERT_EQ(events[2].seq, last_event(g.store));
	PASS();
}

TEST the_feed_is_read_in_pages_without_loss(void)
{
	struct loom_err err;
	struct loom_event *events = NULL;
	size_t count = 0;
	size_t seen = 0;
	int64_t seq = last_event(g.store);

	for (int i = 0; i < 25; i++)
		grove_node(&g, root, "x");
	do {
		OK(loom_events_since(g.store, seq, 7, g.arena, &events, &count, &err));
		seen += count;
		seq = count ? events[count - 1].seq : seq;
	} while (count);
	ASSERT_EQ(25, seen);
	ASSERT_EQ(seq, last_event(g.store));
	PASS();
}

SUITE(op)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_step_that_changes_nothing_leaves_no_operation);
	RUN_TEST(an_operation_says_who_when_and_what);
	RUN_TEST(a_rolled_back_write_is_as_if_it_had_never_been);
	RUN_TEST(what_fails_in_the_middle_takes_the_whole_step_with_it);
	RUN_TEST(a_node_outside_an_operation_is_refused);
	RUN_TEST(a_node_without_a_place_is_refused);
	RUN_TEST(versions_have_their_children_and_sources_in_common_within_one_step);
	RUN_TEST(every_operation_has_an_id_of_its_own);
	RUN_TEST(a_retry_with_the_same_id_finds_the_first_result);
	RUN_TEST(the_id_of_a_rolled_back_write_can_be_used_again);
	RUN_TEST(several_that_retry_the_same_id_at_once_do_it_once);
	RUN_TEST(a_batch_commits_by_and_by_and_is_one_step);
	RUN_TEST(joining_an_undone_batch_begins_a_step_of_its_own);
	RUN_TEST(a_batchs_journal_goes_on_where_it_stopped);
	RUN_TEST(the_list_is_paged_newest_first_and_by_actor);
	RUN_TEST(an_operation_that_is_not_there_is_not_found);
	RUN_TEST(undo_is_of_ones_own_work_unless_told_otherwise);
	RUN_TEST(the_grove_itself_and_what_has_an_inverse_are_not_undone);
	RUN_TEST(an_operation_that_later_work_builds_on_is_named);
	RUN_TEST(the_feed_tells_what_happened_in_order);
	RUN_TEST(the_feed_is_read_in_pages_without_loss);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(op);
	GREATEST_MAIN_END();
}
