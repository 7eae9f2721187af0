/* Decisions: the last one about a node counts, with the one who made it and when; one that was
 * taken back counts no more. */
#include <greatest.h>

#include <loom/reading/decision.h>
#include <loom/tree/mark.h>
#include <loom/tree/op.h>

#include "support/grove.h"

static struct grove g;
static int64_t tree;
static int64_t nodes[3];

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	tree = grove_tree(&g, LOOM_BUFFER, "root");
	for (size_t i = 0; i < LOOM_COUNT(nodes); i++)
		nodes[i] = grove_node(&g, grove_root(&g, tree), "text");
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

static int64_t rate(int64_t actor, int64_t node, const char *name, bool on)
{
	struct loom_err err = {.status = LOOM_OK};
	bool changed = false;

	grove_begin_by(&g, actor, "tag");
	grove_must(loom_tag_set(g.store, node, loom_str_of(name), on, &changed, &err), &err, "tag");
	return grove_commit(&g);
}

/* Keeps nodes[0]. */
static int64_t keep_first(void)
{
	struct loom_err err = {.status = LOOM_OK};
	bool changed = false;
	int64_t below = 0;

	grove_begin(&g, "prune");
	for (size_t i = 1; i < LOOM_COUNT(nodes); i++)
		grove_must(loom_node_prune(g.store, nodes[i], &below, &changed, &err), &err,
			   "prune");
	grove_must(loom_node_keep(g.store, nodes[0], &err), &err, "keep");
	return grove_commit(&g);
}

/* What is decided about the three, such as "kept pruned -". */
static const char *said(void)
{
	static char text[120];
	struct loom_decision *list = NULL;
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	text[0] = '\0';
	grove_must(loom_decisions(g.store, tree, g.arena, &list, &count, &err), &err, "decisions");
	for (size_t i = 0; i < LOOM_COUNT(nodes); i++) {
		const struct loom_decision *one = loom_decision_of(list, count, nodes[i]);
		const size_t at = strlen(text);

		snprintf(text + at, sizeof text - at, "%s%s", i ? " " : "",
			 one ? loom_decision_name(one->kind) : "-");
	}
	return text;
}

static struct loom_decision about(int64_t node)
{
	struct loom_decision *list = NULL;
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_decisions(g.store, tree, g.arena, &list, &count, &err), &err, "decisions");
	return *loom_decision_of(list, count, node);
}

TEST a_prune_and_a_rating_are_decisions_and_a_restore_takes_one_back(void)
{
	ASSERT_STR_EQ("- - -", said());
	grove_prune(&g, nodes[1]);
	rate(g.owner, nodes[2], "rated:good", true);
	rate(g.owner, nodes[2], "motive", true);
	ASSERT_STR_EQ("- pruned rated:good", said());
	grove_restore(&g, nodes[1]);
	rate(g.owner, nodes[2], "rated:good", false);
	ASSERT_STR_EQ("- - -", said());
	PASS();
}

TEST what_is_kept_is_judged_until_that_is_undone(void)
{
	struct loom_err err = {.status = LOOM_OK};
	const int64_t op = keep_first();

	ASSERT_STR_EQ("kept pruned pruned", said());
	grove_must(loom_op_undo(g.store, g.owner, op, NULL, &err), &err, "undo");
	ASSERT_STR_EQ("- - -", said());
	grove_must(loom_op_redo(g.store, g.owner, NULL, &err), &err, "redo");
	ASSERT_STR_EQ("kept pruned pruned", said());
	grove_restore(&g, nodes[1]);
	ASSERT_STR_EQ("kept - pruned", said());
	PASS();
}

TEST a_pruned_node_cannot_be_kept(void)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_prune(&g, nodes[0]);
	grove_begin(&g, "prune");
	ASSERT_EQ(LOOM_CONFLICT, loom_node_keep(g.store, nodes[0], &err));
	loom_op_rollback(g.store);
	PASS();
}

TEST the_last_decision_counts(void)
{
	keep_first();
	rate(g.owner, nodes[0], "rated:bad", true);
	ASSERT_STR_EQ("rated:bad pruned pruned", said());
	rate(g.owner, nodes[0], "rated:good", true);
	ASSERT_STR_EQ("rated:good pruned pruned", said());
	grove_prune(&g, nodes[0]);
	ASSERT_STR_EQ("pruned pruned pruned", said());
	grove_restore(&g, nodes[0]);
	ASSERT_STR_EQ("rated:good pruned pruned", said());
	rate(g.owner, nodes[0], "rated:good", false);
	ASSERT_STR_EQ("rated:bad pruned pruned", said());
	rate(g.owner, nodes[0], "rated:bad", false);
	ASSERT_STR_EQ("- pruned pruned", said());
	PASS();
}

TEST a_decision_names_who_made_it_and_when(void)
{
	struct loom_decision one;
	int64_t op;

	g.env.now_ms += 5000;
	op = rate(g.model, nodes[1], "rated:bad", true);
	one = about(nodes[1]);
	ASSERT_EQ(op, one.op);
	ASSERT_EQ(g.model, one.by);
	ASSERT_EQ(g.env.now_ms, one.at);
	ASSERT_FALSE(loom_decision_is_good(one.kind));
	grove_prune(&g, nodes[1]);
	ASSERT_EQ(g.owner, about(nodes[1]).by);
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_prune_and_a_rating_are_decisions_and_a_restore_takes_one_back);
	RUN_TEST(what_is_kept_is_judged_until_that_is_undone);
	RUN_TEST(a_pruned_node_cannot_be_kept);
	RUN_TEST(the_last_decision_counts);
	RUN_TEST(a_decision_names_who_made_it_and_when);
	GREATEST_MAIN_END();
}
