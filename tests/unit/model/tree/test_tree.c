/* Trees, nodes, versions, paths, pruning: what stands where, and what it costs. */
#include <greatest.h>

#include "support/grove_suite.h"
#include "support/raw.h"

#include <loom/tree/open_store.h>

/* Every call here says what went wrong in `err`. */
#define OK(call) ASSERT_EQ_FMT(LOOM_OK, (int)(call), "%d")

static struct loom_tree tree_of(int64_t tree)
{
	struct loom_err err;
	struct loom_tree out;

	grove_must(loom_tree_get(g.store, tree, g.arena, &out, &err), &err, "tree");
	return out;
}

TEST a_new_tree_has_one_root_called_r001(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	struct loom_tree row = tree_of(tree);

	ASSERT_STR_EQ("r001", grove_name(&g, row.root));
	ASSERT_EQ(1, row.nodes);
	ASSERT_EQ(1, row.leaves);
	ASSERT_EQ(1, loom_tree_branches(&row));
	PASS();
}

TEST ids_are_letter_digit_and_found_back_in_any_case(void)
{
	struct loom_err err;
	struct loom_node found;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t node = grove_node(&g, grove_root(&g, tree), "a");
	char upper[LOOM_LOCAL_MAX];
	const char *name = grove_name(&g, node);

	ASSERT_EQ(4, (int)strlen(name));
	for (size_t i = 0; i <= strlen(name); i++)
		upper[i] = name[i] >= 'a' ? (char)(name[i] - 32) : name[i];
	OK(loom_node_find(g.store, tree, loom_str_of(upper), g.arena, &found, &err));
	ASSERT_EQ(node, found.id);
	PASS();
}

TEST three_two_way_forks_make_six_branches_and_four_leaves(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t root = grove_root(&g, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, root, "b");
	struct loom_tree row;

	grove_node(&g, a, "aa");
	grove_node(&g, a, "ab");
	grove_node(&g, b, "ba");
	grove_node(&g, b, "bb");
	row = tree_of(tree);
	ASSERT_EQ(7, row.nodes);
	ASSERT_EQ(6, row.branches);
	ASSERT_EQ(4, row.leaves);
	PASS();
}

TEST a_dialogue_edit_makes_a_sibling_with_a_prime(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t a = grove_node(&g, grove_root(&g, tree), "a");
	int64_t edited = grove_edit(&g, a, "a better one");
	int64_t again = grove_edit(&g, edited, "the best");
	struct loom_node row = grove_get(&g, again);
	char want[LOOM_LOCAL_MAX];

	snprintf(want, sizeof want, "%s''", grove_name(&g, a));
	ASSERT_STR_EQ(want, grove_name(&g, again));
	ASSERT_EQ(edited, row.edited_from);
	ASSERT_EQ(again, row.group);
	ASSERT_EQ(3, row.ord);
	ASSERT_EQ(4, tree_of(tree).nodes);
	PASS();
}

TEST a_buffer_edit_in_a_path_of_18_writes_one_node_and_nothing_downstream(void)
{
	struct loom_err err;
	struct loom_nodes path;
	int64_t tree = grove_tree(&g, LOOM_BUFFER, "0");
	int64_t at = grove_root(&g, tree);
	int64_t fifth = 0;
	int64_t edited;
	int64_t before;

	for (int i = 1; i < 18; i++) {
		at = grove_node(&g, at, "x");
		if (i == 4)
			fifth = at;
	}
	before = loom_store_rows_written(g.store);
	edited = grove_edit(&g, fifth, "y");
	/* op, needs, change, node, body, event, the tree's counters */
	ASSERT(loom_store_rows_written(g.store) - before <= 8);
	ASSERT_EQ(fifth, grove_get(&g, edited).group);
	OK(loom_node_path(g.store, at, 0, LOOM_NODE_TEXT, g.arena, &path, &err));
	ASSERT_EQ(18, path.count);
	ASSERT_EQ(fifth, path.items[4].id);
	ASSERT_EQ(18, tree_of(tree).nodes);
	PASS();
}

/* In a circle, or of a depth that is none: an answer, and no memory for what cannot be. */
TEST a_path_of_a_damaged_store_ends(void)
{
	static const char *const damage[] = {
		"UPDATE node SET from_node = 3 WHERE id = 2",
		"UPDATE node SET from_node = 1, depth = 1771840800000 WHERE id IN (2, 3)",
		"UPDATE node SET depth = -5 WHERE id = 3",
		"UPDATE node SET depth = 0 WHERE id = 3",
	};
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "a");
	int64_t tip = grove_node(&g, grove_node(&g, grove_root(&g, tree), "b"), "c");
	struct loom_nodes path;
	struct loom_err err;

	ASSERT_EQ(3, tip);
	raw_exec(&g, "DROP TRIGGER node_fixed; DROP TRIGGER node_hung");
	for (size_t i = 0; i < LOOM_COUNT(damage); i++) {
		raw_exec(&g, damage[i]);
		ASSERT_EQ_FMTm(damage[i], LOOM_DAMAGED,
			       loom_node_path(g.store, tip, 0, LOOM_NODE_TEXT, g.arena, &path,
					      &err),
			       "%d");
	}
	PASS();
}

TEST pruning_hides_a_branch_and_restoring_brings_it_back(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t root = grove_root(&g, tree);
	int64_t a = grove_node(&g, root, "a");
	int64_t below = grove_node(&g, a, "aa");
	int64_t stands = 0;
	int64_t mark = 0;

	grove_node(&g, root, "b");
	grove_prune(&g, a);
	ASSERT_EQ(2, tree_of(tree).nodes);
	ASSERT_EQ(0, tree_of(tree).branches);
	ASSERT_EQ(1, tree_of(tree).leaves);
	OK(loom_node_visible(g.store, below, &stands, &mark, &err));
	ASSERT_EQ(root, stands);
	ASSERT_EQ(a, mark);
	grove_restore(&g, a);
	ASSERT_EQ(4, tree_of(tree).nodes);
	ASSERT_EQ(2, tree_of(tree).branches);
	PASS();
}

TEST undo_hides_what_was_made_and_redo_shows_it_again(void)
{
	struct loom_err err;
	struct loom_node node;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t a = grove_node(&g, grove_root(&g, tree), "a");

	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(LOOM_NOT_FOUND, loom_node_get(g.store, a, 0, g.arena, &node, NULL));
	ASSERT_EQ(1, tree_of(tree).nodes);
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(2, tree_of(tree).nodes);
	ASSERT_EQ(a, grove_get(&g, a).id);
	PASS();
}

TEST undo_is_refused_when_somebody_went_on_from_the_node(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t a = grove_node(&g, grove_root(&g, tree), "a");
	int64_t op = grove_get(&g, a).op;

	grove_node(&g, a, "aa");
	ASSERT_EQ(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT(strstr(err.text, "later work"));
	PASS();
}

TEST hashes_are_recorded_and_verified(void)
{
	struct loom_err err;
	struct loom_verify_opts opts = {.node = 0};
	int64_t checked = 0;
	int64_t bad = 0;
	int64_t tree = grove_tree(&g, LOOM_BUFFER, "Begin.");
	int64_t a = grove_node(&g, grove_root(&g, tree), "a");

	grove_edit(&g, a, "b");
	grove_node(&g, a, "c");
	OK(loom_node_verify(g.store, &opts, &checked, &bad, &err));
	ASSERT_EQ(4, checked);
	ASSERT_EQ(0, bad);
	PASS();
}

TEST a_deep_check_of_a_used_grove_finds_nothing(void)
{
	struct loom_err err;
	struct loom_check_opts opts = {.deep = true};
	int64_t findings = -1;
	int64_t tree = grove_tree(&g, LOOM_BUFFER, "Begin.");
	int64_t a = grove_node(&g, grove_root(&g, tree), "a");

	grove_note(&g, a, "note");
	grove_edit(&g, a, "b");
	grove_prune(&g, a);
	grove_reopen(&g);
	OK(loom_store_check(g.store, &opts, &findings, &err));
	ASSERT_EQ(0, findings);
	PASS();
}

TEST ancestors_are_found_at_any_depth(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t chain[300];
	bool above = false;
	int64_t met = 0;

	chain[0] = grove_root(&g, tree);
	grove_begin(&g, "respond");
	for (int i = 1; i < 300; i++) {
		struct loom_node_spec spec = {.from = chain[i - 1],
					      .text = LOOM_STR_INIT("x"),
					      .author = g.owner,
					      .seq = -1};
		OK(loom_node_create(g.store, &spec, &chain[i], &err));
	}
	grove_commit(&g);
	for (int i = 0; i < 300; i += 7) {
		for (int j = 0; j < 300; j += 11) {
			OK(loom_node_above(g.store, chain[i], chain[j], &above, &err));
			ASSERT_EQ(i <= j, above);
			if (i <= j) {
				OK(loom_node_ancestor(g.store, chain[j], i, &met, &err));
				ASSERT_EQ(chain[i], met);
			}
		}
	}
	PASS();
}

#define STATUS_IS(want, call) ASSERT_EQ_FMT((int)(want), (int)(call), "%d")

TEST a_change_that_is_refused_changes_nothing(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");

	grove_begin(&g, "title");
	OK(loom_tree_set(g.store, tree, LOOM_TREE_TITLE, LOOM_STR("Mine"), &err));
	grove_commit(&g);
	grove_begin(&g, "title");
	STATUS_IS(LOOM_INVALID,
		  loom_tree_set(g.store, tree, LOOM_TREE_SYSTEM, LOOM_STR("\xc0\x80"), &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_tree_set(g.store, tree + 99, LOOM_TREE_TITLE, LOOM_STR("x"), &err));
	loom_op_rollback(g.store);
	ASSERT(loom_str_is(tree_of(tree).title, "Mine"));
	PASS();
}

TEST the_agent_that_goes_on_with_a_tree_can_be_named_and_undone(void)
{
	struct loom_err err;
	struct loom_agent spec = {.name = LOOM_STR("subject"), .kind = LOOM_AGENT_MODEL};
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t agent = 0;

	grove_begin(&g, "agent");
	OK(loom_agent_create(g.store, &spec, &agent, &err));
	grove_commit(&g);
	ASSERT_EQ(0, tree_of(tree).subject);
	grove_begin(&g, "subject");
	OK(loom_tree_set_subject(g.store, tree, agent, &err));
	grove_commit(&g);
	ASSERT_EQ(agent, tree_of(tree).subject);
	grove_begin(&g, "subject");
	OK(loom_tree_set_subject(g.store, tree, 0, &err));
	grove_commit(&g);
	ASSERT_EQ(0, tree_of(tree).subject);
	grove_begin(&g, "subject");
	STATUS_IS(LOOM_NOT_FOUND, loom_tree_set_subject(g.store, tree + 99, agent, &err));
	loom_op_rollback(g.store);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(agent, tree_of(tree).subject);
	PASS();
}

SUITE(tree)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_new_tree_has_one_root_called_r001);
	RUN_TEST(ids_are_letter_digit_and_found_back_in_any_case);
	RUN_TEST(a_path_of_a_damaged_store_ends);
	RUN_TEST(three_two_way_forks_make_six_branches_and_four_leaves);
	RUN_TEST(a_dialogue_edit_makes_a_sibling_with_a_prime);
	RUN_TEST(a_buffer_edit_in_a_path_of_18_writes_one_node_and_nothing_downstream);
	RUN_TEST(pruning_hides_a_branch_and_restoring_brings_it_back);
	RUN_TEST(undo_hides_what_was_made_and_redo_shows_it_again);
	RUN_TEST(undo_is_refused_when_somebody_went_on_from_the_node);
	RUN_TEST(hashes_are_recorded_and_verified);
	RUN_TEST(a_deep_check_of_a_used_grove_finds_nothing);
	RUN_TEST(ancestors_are_found_at_any_depth);
	RUN_TEST(a_change_that_is_refused_changes_nothing);
	RUN_TEST(the_agent_that_goes_on_with_a_tree_can_be_named_and_undone);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(tree);
	GREATEST_MAIN_END();
}
