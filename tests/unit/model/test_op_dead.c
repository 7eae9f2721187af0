/* What dead long writes leave behind goes away, and nothing else does. */
#include <greatest.h>

#include <loom/grove/sql.h>

#include <signal.h>
#include <unistd.h>

#include <loom/tree/carry.h>
#include <loom/salvage/salvage.h>
#include <loom/tree/open_store.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/op_suite.h"
#include "support/raw.h"

enum { SOON_MS = 20000 };

static int64_t rows(const char *table)
{
	char sql[80];

	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
	return raw_int(&g, sql);
}

static int64_t findings(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_check_opts deep = {.deep = true};
	int64_t count = 0;

	grove_must(loom_store_check(g.store, &deep, &count, &err), &err, "check");
	return count;
}

static void begin_long(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_op_spec spec = {.kind = "import", .actor = g.owner, .slices = true};

	grove_must(loom_op_begin(g.store, &spec, &err), &err, "import");
}

static int64_t begin_tree(const struct loom_ulid *ulid)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_agent agent = {.name = LOOM_STR_INIT("visitor"), .kind = LOOM_AGENT_HUMAN};
	struct loom_tree_spec spec = {.mode = LOOM_BUFFER,
				      .title = LOOM_STR_INIT("imported"),
				      .ulid = ulid};
	int64_t from = 0;
	int64_t made = 0;

	grove_must(loom_agent_create(g.store, &agent, &spec.author, &err), &err, "agent");
	spec.out_root = &from;
	grove_must(loom_tree_create(g.store, &spec, &made, &err), &err, "tree");
	return from;
}

/* A tree of `count` nodes with all that may stand beside one, in slices; it is not ended. */
static void write_tree(const struct loom_ulid *ulid, int count)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_carry_marks marks = {.bookmarked = true, .summary = LOOM_STR_INIT("in short")};
	char text[700];
	int64_t from = begin_tree(ulid);

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	for (int i = 1; i < count; i++) {
		struct loom_node_spec spec = {.from = from,
					      .text = loom_str_of(text),
					      .author = g.owner,
					      .seq = -1,
					      .raw = LOOM_STR_INIT("raw")};
		int64_t node = 0;

		if (i % 7 == 0)
			spec.kind = LOOM_CONTEXT_SOURCE;
		grove_must(i % 5 == 0
				   ? loom_node_edit(g.store, &spec, LOOM_EDIT_BY_MODE, &node, &err)
				   : loom_node_create(g.store, &spec, &node, &err),
			   &err, "node");
		grove_must(loom_carry_mark(g.store, node, &marks, &err), &err, "mark");
		grove_must(loom_carry_tag(g.store, node, LOOM_STR("dead"), &err), &err, "tag");
		if (spec.kind == LOOM_CONTINUATION && i % 3)
			from = node;
		if (i % 500 == 0)
			grove_must(loom_op_slice(g.store, &err), &err, "slice");
	}
	grove_must(loom_op_slice(g.store, &err), &err, "slice");
}

static void give_up(void)
{
	loom_op_rollback(g.store);
	loom_op_clear(g.store, SOON_MS);
}

static const char *const tables[] = {"node", "body",   "generation", "mark",
				     "tag",  "source", "tree",       "agent"};

TEST a_long_write_that_is_given_up_leaves_no_row_of_a_tree_behind(void)
{
	int64_t before[LOOM_COUNT(tables)];
	const int64_t kept = grove_node(&g, root, "kept");
	int64_t free_before;
	int64_t newest;

	raw_settle(&g);
	free_before = raw_int(&g, "SELECT page_count - freelist_count FROM pragma_page_count, "
				  "pragma_freelist_count");
	for (size_t i = 0; i < LOOM_COUNT(tables); i++)
		before[i] = rows(tables[i]);
	begin_long();
	write_tree(NULL, 3300);
	newest = raw_int(&g, "SELECT max(id) FROM node");
	ASSERT_EQ(before[0] + 3300, rows("node"));
	give_up();
	for (size_t i = 0; i < LOOM_COUNT(tables); i++)
		ASSERT_EQm(tables[i], before[i], rows(tables[i]));
	ASSERT(raw_int(&g, "SELECT page_count - freelist_count FROM pragma_page_count, "
			   "pragma_freelist_count") < free_before + 12);
	ASSERT_EQ(0, findings());
	/* its numbers are spent all the same */
	ASSERT(grove_node(&g, kept, "after") > newest);
	ASSERT(grove_tree(&g, LOOM_BUFFER, "another") > tree + 1);
	ASSERT_EQ(3, nodes_in_tree());
	ASSERT_EQ(0, findings());
	/* who counts what there should be counts them in */
	ASSERT_EQ(rows("node"), raw_int(&g, "SELECT (SELECT max(id) FROM node) - gone_nodes FROM "
					    "grove"));
	ASSERT_EQ(rows("tree"), raw_int(&g, "SELECT (SELECT max(id) FROM tree) - gone_trees FROM "
					    "grove"));
	PASS();
}

TEST what_was_given_up_may_come_again_under_its_own_names(void)
{
	struct loom_err err;
	const struct loom_ulid ulid = {{1, 2, 3}};
	struct loom_holder holder;
	int64_t op = 0;

	begin_long();
	write_tree(&ulid, 40);
	give_up();
	OK(loom_carry_tree(g.store, &ulid, &holder, &err));
	ASSERT_EQ(0, holder.id);
	begin_long();
	write_tree(&ulid, 40);
	OK(loom_op_finish(g.store, &op, &err));
	OK(loom_op_undo(g.store, g.owner, op, NULL, &err));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(0, findings());
	PASS();
}

static void die_in_a_long_write(void)
{
	struct grove_child child;

	if (!grove_fork(&g, &child)) {
		begin_long();
		write_tree(NULL, 6000);
		kill(getpid(), SIGKILL);
	}
	grove_child_go(&child);
	(void)grove_child_wait(&child);
}

TEST what_a_killed_one_left_goes_a_little_at_each_opening(void)
{
	const int64_t before = rows("node");
	int64_t last;
	int opened = 0;

	die_in_a_long_write();
	last = rows("node");
	ASSERT_EQ(before + 6000, last);
	while (raw_int(&g, "SELECT count(*) FROM op WHERE state IN (0, 3) AND session <> ''") &&
	       opened++ < 200) {
		grove_reopen(&g);
		ASSERT(rows("node") <= last);
		ASSERT_EQ(0, findings());
		last = rows("node");
	}
	ASSERT_EQ(before, last);
	ASSERT_EQ(0, raw_int(&g, "SELECT count(*) FROM op WHERE state = 3 AND applied <> 0"));
	grove_node(&g, root, "after");
	ASSERT_EQ(0, findings());
	PASS();
}

/* Siblings are counted by their places, those that were never seen too. */
TEST what_hung_on_the_nodes_of_others_does_not_shift_them(void)
{
	struct loom_err err;
	struct loom_nodes children;
	struct loom_page page = {.limit = 100};
	int64_t k = 0;
	int64_t n = 0;
	int64_t mine[3];
	int64_t inner = 0;

	mine[0] = grove_node(&g, root, "one");
	begin_long();
	for (int i = 0; i < 5; i++)
		inner = add_node(g.store, root, "dead");
	for (int i = 0; i < 5; i++)
		inner = add_node(g.store, inner, "deeper");
	loom_op_rollback(g.store);
	mine[1] = grove_node(&g, root, "two");
	begin_long();
	for (int i = 0; i < 3; i++)
		add_node(g.store, i == 2 ? mine[1] : root, "dead too");
	loom_op_rollback(g.store);
	loom_op_clear(g.store, SOON_MS);
	mine[2] = grove_node(&g, root, "three");
	OK(loom_node_children(g.store, root, &page, g.arena, &children, &err));
	ASSERT_EQ(3, children.count);
	for (size_t i = 0; i < LOOM_COUNT(mine); i++) {
		struct loom_node node = grove_get(&g, mine[i]);

		OK(loom_node_place(g.store, &node, &k, &n, &err));
		ASSERT_EQ((int64_t)i + 1, k);
		ASSERT_EQ(3, n);
	}
	ASSERT_EQ(0, raw_int(&g, "SELECT count(*) FROM body b JOIN node n ON n.id = b.id JOIN op o "
				 "ON o.id = n.op WHERE o.state = 3"));
	ASSERT_EQ(0, findings());
	PASS();
}

TEST a_write_that_goes_on_is_not_touched(void)
{
	struct loom_err err;
	struct loom_store *other = grove_connect(&g, LOOM_WRITE);
	int64_t before = rows("node");
	int64_t op = 0;

	begin_long();
	write_tree(NULL, 50);
	OK(loom_op_slice(g.store, &err));
	loom_op_rollback(g.store);
	begin_long();
	write_tree(NULL, 50);
	loom_store_close(other);
	OK(loom_op_finish(g.store, &op, &err));
	loom_op_clear(g.store, SOON_MS);
	ASSERT_EQ(before + 50, rows("node"));
	ASSERT_EQ(before + 50, rows("body"));
	ASSERT_EQ(0, findings());
	PASS();
}

TEST what_is_done_can_be_neither_deleted_nor_called_dead(void)
{
	grove_node(&g, root, "x");
	ASSERT(raw_refused(&g, "DELETE FROM body", "never deleted"));
	ASSERT(raw_refused(&g, "PRAGMA foreign_keys = OFF; DELETE FROM node", "never deleted"));
	ASSERT(raw_refused(&g, "UPDATE op SET state = 3", "never dies"));
	ASSERT(raw_refused(&g, "UPDATE op SET state = 0", "never dies"));
	begin_long();
	write_tree(NULL, 3);
	loom_op_rollback(g.store);
	ASSERT(raw_refused(&g, "DELETE FROM body", "never deleted"));
	ASSERT(raw_refused(&g, "UPDATE op SET state = 1 WHERE state = 3", "never done"));
	PASS();
}

/* The header of a file whose log was not settled says an older version than it has. */
TEST a_grove_is_opened_again_after_it_was_brought_to_a_new_version(void)
{
	raw_age(&g);
	grove_reopen(&g);
	grove_reopen(&g);
	ASSERT_EQ(MODEL_SCHEMA_VERSION,
		  raw_int(&g, "SELECT user_version FROM pragma_user_version"));
	begin_long();
	write_tree(NULL, 100);
	give_up();
	ASSERT_EQ(1, rows("node"));
	ASSERT_EQ(0, findings());
	PASS();
}

TEST a_salvage_does_not_miss_what_was_given_up(void)
{
	struct loom_err err;
	struct loom_salvage_report report;
	char *file = raw_path(&g);
	char *place = temp_path(&g.temp, "salvaged");
	const struct loom_salvage_opts opts = {.env = &g.env, .file = file, .dir = place};

	begin_long();
	write_tree(NULL, 1500);
	give_up();
	grove_node(&g, root, "after");
	grove_tree(&g, LOOM_DIALOGUE, "another");
	raw_settle(&g);
	OK(loom_salvage(&opts, &report, &err));
	for (size_t i = 0; i < LOOM_SALVAGE_KINDS; i++)
		ASSERT_EQm(report.counts[i].what, 0, report.counts[i].lost);
	free(file);
	free(place);
	PASS();
}

SUITE(op_dead)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_long_write_that_is_given_up_leaves_no_row_of_a_tree_behind);
	RUN_TEST(what_was_given_up_may_come_again_under_its_own_names);
	RUN_TEST(what_a_killed_one_left_goes_a_little_at_each_opening);
	RUN_TEST(what_hung_on_the_nodes_of_others_does_not_shift_them);
	RUN_TEST(a_write_that_goes_on_is_not_touched);
	RUN_TEST(what_is_done_can_be_neither_deleted_nor_called_dead);
	RUN_TEST(a_salvage_does_not_miss_what_was_given_up);
	RUN_TEST(a_grove_is_opened_again_after_it_was_brought_to_a_new_version);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(op_dead);
	GREATEST_MAIN_END();
}
