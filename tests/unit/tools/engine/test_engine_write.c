/* Writing into a tree through calls: the printed forms of the page, in both modes, and what stands
 * in the store afterwards. */
#include <greatest.h>

#include "support/marie_suite.h"
#include "support/raw.h"

static void start_buffer(void)
{
	marie_fini(&marie);
	marie_init(&marie, LOOM_BUFFER);
}

TEST responding_makes_a_node_and_moves_there(void)
{
	struct loom_node node;
	struct loom_err err;

	SAYS("✓ created [h2s3] as continuation from [a7x2]\n  switched to [h2s3]",
	     "→ respond a7x2 \"and then she \\\"left\\\"\"");
	marie_must(loom_node_get(marie.grove.store, marie.last.moved, LOOM_NODE_ALL,
				 marie.grove.arena, &node, &err),
		   &err);
	ASSERT(loom_str_is(node.text, "and then she \"left\""));
	ASSERT_EQ(marie.agent, node.author);
	ASSERT_EQ(marie.nodes[7], node.from_node);
	ASSERT(node.thread != 0);
	SAYS("[h2s3] model · 0s ago · depth:8\n\"and then she \"left\"\"", "→ view h2s3");
	PASS();
}

TEST context_and_instruction_are_attached_beside_the_path(void)
{
	SAYS("✓ attached [h2s3] to [a7x2] as context", "→ respond a7x2 \"It is 1911.\" as:context");
	ASSERT_EQ(0, marie.last.moved);
	SAYS("✓ attached [j4t5] to [a7x2] as instruction",
	     "→ respond a7x2 \"Write shortly.\" as:instruction");
	SAYS("✗ CONFLICT: [h2s3] is beside the story and cannot be continued\n"
	     "  hint: it is attached to [a7x2]",
	     "→ respond h2s3 \"no\"");
	PASS();
}

TEST annotations_are_numbered_in_their_tree(void)
{
	SAYS("✓ annotation [ann-1] added to [a7x2]", "→ annotate a7x2 \"one\"");
	SAYS("✓ annotation [ann-2] added to [b3k9]", "→ note on b3k9 \"two\"");
	SAYS("✗ CONFLICT: [ann-1] is a note itself: annotate its node", "→ annotate ann-1 \"no\"");
	PASS();
}

TEST links_say_where_they_lead(void)
{
	SAYS("✓ linked [a7x2] ↔ doc:\"character notes\"",
	     "→ link a7x2 to doc:\"character notes\" note:\"key scene\"");
	SAYS("✓ linked [a7x2] ↔ [b3k9]", "→ link a7x2 to b3k9");
	SAYS("✓ linked [a7x2] ↔ [b3k9] unchanged", "→ link a7x2 to b3k9");
	SAYS("✗ NOT_FOUND: document \"nothing\" does not exist\n"
	     "  hint: there is doc:\"character notes\"",
	     "→ link a7x2 to doc:\"nothing\"");
	SAYS("✗ CROSS_TREE: tree:\"earlier draft\" is another tree\n"
	     "  hint: cross_tree not enabled: stay in this tree, or request elevated permissions",
	     "→ link a7x2 to tree:\"earlier draft\" node:x9y3");
	marie_grant(&marie, LOOM_MAY_ANYTHING);
	SAYS("✓ linked [a7x2] ↔ [x9y3] in tree:\"earlier draft\"",
	     "→ link a7x2 to tree:\"earlier draft\" node:x9y3");
	SAYS("✓ linked [a7x2] ↔ tree:\"earlier draft\"", "→ link a7x2 to tree:\"earlier draft\"");
	PASS();
}

TEST an_edit_in_a_dialogue_is_a_branch(void)
{
	SAYS("✓ created branch [a7x2'] from [a7x2]\n  conversation continues from edit point",
	     "→ edit a7x2 \"revised content here\"");
	SAYS("[a7x2'] model · 0s ago · depth:7\n\"revised content here\"", "→ view a7x2'");
	SAYS("Tree: \"Marie Character Study\" (15 nodes, 5 branches)\n"
	     "[k7f8]\n"
	     "├→ [a7x2] … 6 more below\n"
	     "└→ [a7x2']* (you are here) (leaf)\n"
	     "\n"
	     "* = current position",
	     "→ tree from:k7f8 depth:1");
	SAYS("✓ created branch [a7x2''] from [a7x2']\n  conversation continues from edit point",
	     "→ edit a7x2’ \"again\"");
	SAYS("✓ created branch [r001'] from [r001]\n  conversation continues from edit point",
	     "→ edit r001 \"no\"");
	PASS();
}

TEST an_edit_in_a_buffer_is_a_version(void)
{
	start_buffer();
	(void)marie_result(&marie, "→ switch to e6p4");
	SAYS("✓ created version [a7x2'] from [a7x2]\n"
	     "  downstream nodes preserved via hyperedge",
	     "→ edit a7x2 \"Revised.\"");
	ASSERT_EQ(0, marie.last.moved);
	SAYS("Begin.︱One.︱›Two.︱Three.︱›Four.︱Five.︱›Six.︱›Revised.︱›Building on the "
	     "childhood trauma theme, she turns back.︱›Then rain.",
	     "→ view branch:e6p4 as:prose");
	SAYS("[a7x2] human · 3m ago · depth:7\n"
	     "\"Marie's reluctance stems from her childhood, not the immediate conflict.\"\n\n"
	     "3 continuations · newer version [a7x2']",
	     "→ view a7x2");
	SAYS("✓ created version [r001'] from [r001]\n"
	     "  downstream nodes preserved via hyperedge",
	     "→ edit r001 \"Other beginning.\"");
	SAYS("✓ created branch [b3k9'] from [b3k9]\n  conversation continues from edit point",
	     "→ edit b3k9 \"A branch.\" as:branch");
	PASS();
}

TEST who_stands_on_an_edited_node_stands_on_its_version(void)
{
	char sql[80];

	start_buffer();
	(void)marie_result(&marie, "→ edit a7x2 \"Revised.\"");
	snprintf(sql, sizeof sql, "SELECT count(*) FROM thread WHERE position = %lld",
		 (long long)marie.last.moved);
	ASSERT_EQ(1, raw_int(&marie.grove, sql));
	PASS();
}

TEST who_answers_a_version_reads_on_from_it(void)
{
	start_buffer();
	(void)marie_result(&marie, "→ edit k5d6 \"Revised.\"");
	SAYS("✓ created [h2s3] as continuation from [k5d6]\n  switched to [h2s3]",
	     "→ respond k5d6 \" Of the old one.\"");
	SAYS("Begin.︱One.︱›Two.︱Three.︱›Four.︱› Of the old one.",
	     "→ view branch:h2s3 as:prose");
	SAYS("✓ created [j4t5] as continuation from [k5d6']\n  switched to [j4t5]",
	     "→ respond k5d6' \" Of the new one.\"");
	SAYS("Begin.︱One.︱›Two.︱Three.︱›Revised.︱› Of the new one.",
	     "→ view branch:j4t5 as:prose");
	PASS();
}

TEST marks_are_set_once_and_then_unchanged(void)
{
	SAYS("✓ bookmarked [a7x2]", "→ bookmark a7x2");
	SAYS("✓ bookmarked [a7x2] unchanged", "→ bookmark a7x2");
	ASSERT_EQ(0, marie.last.op);
	SAYS("✓ bookmarked [a7x2] as \"key decision point\"",
	     "→ bookmark a7x2 \"key decision point\"");
	SAYS("✓ bookmarked [a7x2] unchanged", "→ bookmark a7x2");
	SAYS("✓ unbookmarked [a7x2]", "→ unbookmark a7x2");
	SAYS("✓ unbookmarked [a7x2] unchanged", "→ unbookmark a7x2");
	SAYS("✓ tagged [a7x2] \"motive\"", "→ tag a7x2 \"motive\"");
	SAYS("✓ tagged [a7x2] \"motive\" unchanged", "→ tag a7x2 \"motive\"");
	SAYS("✓ untagged [a7x2] \"motive\"", "→ untag a7x2 \"motive\"");
	SAYS("✓ excluded [a7x2]", "→ exclude a7x2");
	SAYS("✓ excluded [a7x2] unchanged", "→ exclude a7x2");
	SAYS("✓ included [a7x2]", "→ include a7x2");
	PASS();
}

/* What a chat model wrote is read with its seam or as it came, whichever a person says; undo and a
 * copy go by that too. */
TEST a_seam_is_taken_off_and_put_on_again(void)
{
	struct loom_node_spec spec = {.from = marie.nodes[12],
				      .text = LOOM_STR_INIT("Sure: The end."),
				      .generation = LOOM_STR_INIT("{\"seam\":{\"skip\":6}}"),
				      .author = marie.agent,
				      .seq = -1};
	struct loom_err err;
	int64_t id = 0;

	grove_begin(&marie.grove, "respond");
	marie_must(loom_node_create(marie.grove.store, &spec, &id, &err), &err);
	grove_commit(&marie.grove);
	ASSERT(strstr(marie_result(&marie, "→ view h2s3"), "\n\"The end.\""));
	SAYS("✓ unseamed [h2s3]", "→ unseam h2s3");
	SAYS("✓ unseamed [h2s3] unchanged", "→ unseam h2s3");
	ASSERT(strstr(marie_result(&marie, "→ view h2s3"), "\n\"Sure: The end.\""));
	ASSERT_FALSE(strncmp("✓ copied [h2s3]", marie_result(&marie, "→ copy h2s3 to a7x2"), 17));
	ASSERT(strstr(marie_result(&marie, "→ view j4t5"), "\n\"Sure: The end.\""));
	SAYS("✓ seamed [j4t5]", "→ seam j4t5");
	SAYS("✓ undid: seamed [j4t5]", "→ undo");
	ASSERT(strstr(marie_result(&marie, "→ view j4t5"), "\n\"Sure: The end.\""));
	SAYS("✓ seamed [h2s3]", "→ seam h2s3");
	ASSERT(strstr(marie_result(&marie, "→ view h2s3"), "\n\"The end.\""));
	SAYS("✗ NOT_FOUND: the text has no seam: it is read as it came\n"
	     "  hint: only what a chat model wrote to continue a text may have one",
	     "→ unseam a7x2");
	PASS();
}

TEST pruning_hides_a_branch_and_restoring_brings_it_back(void)
{
	SAYS("✓ pruned [a7x2] and 6 descendants", "→ prune a7x2");
	SAYS("✓ pruned [a7x2] unchanged", "→ prune a7x2");
	SAYS("✗ CONFLICT: [b3k9] is pruned\n  hint: → restore a7x2", "→ switch to b3k9");
	SAYS("✗ CONFLICT: [b3k9] is pruned\n  hint: → restore a7x2", "→ respond b3k9 \"no\"");
	SAYS("Tree: \"Marie Character Study\" (7 nodes, 1 branch)\n"
	     "Root [r001] → [k2a3] → [k3b4] → [k4c5] → [k5d6] → [k6e7] → [k7f8]* (you are here)\n"
	     "\n"
	     "* = current position",
	     "→ tree");
	SAYS("✓ restored [a7x2] and 6 descendants", "→ restore a7x2");
	SAYS("✓ pruned [e6p4] and 1 descendant", "→ prune e6p4");
	SAYS("✓ pruned [d5n7]", "→ prune d5n7");
	SAYS("✓ restored [d5n7]", "→ restore d5n7");
	SAYS("✓ restored [d5n7] unchanged", "→ restore d5n7");
	SAYS("✗ CONFLICT: the last root of a tree cannot be pruned\n"
	     "  hint: prune the nodes below it",
	     "→ prune r001");
	SAYS("✓ restored [r001] unchanged", "→ restore r001");
	PASS();
}

TEST undo_takes_back_ones_own_last_batch(void)
{
	(void)marie_result(&marie, "→ bookmark a7x2\n→ tag a7x2 \"motive\"\n→ annotate a7x2 \"n\"");
	grove_note(&marie.grove, marie.nodes[7], "the person's");
	SAYS("✓ undid: bookmarked [a7x2] and 2 more", "→ undo");
	SAYS("[a7x2] human · 3m ago · depth:7\n"
	     "\"Marie's reluctance stems from her childhood, not the immediate conflict.\"\n\n"
	     "3 continuations · 1 annotation",
	     "→ view a7x2");
	ASSERT_EQ(0, strncmp(marie_result(&marie, "→ undo"), "✗ NOT_FOUND", 13));
	PASS();
}

TEST undo_within_a_batch_begins_a_new_operation(void)
{
	struct loom_op *ops = NULL;
	struct loom_err err;
	size_t count = 0;

	(void)marie_say(&marie, "→ bookmark a7x2\n→ undo\n→ tag a7x2 \"motive\"");
	marie_must(loom_op_list(marie.grove.store,
				&(struct loom_op_page){.actor = marie.agent, .limit = 10},
				marie.grove.arena, &ops, &count, &err),
		   &err);
	ASSERT_EQ(2, count);
	ASSERT_EQ(LOOM_OP_DONE, ops[0].state);
	ASSERT_EQ(LOOM_OP_UNDONE, ops[1].state);
	ASSERT(strstr(marie_result(&marie, "→ view a7x2"), "3 continuations · tagged \"motive\""));
	PASS();
}

TEST a_person_may_cross_trees_and_takes_the_current_tree_along(void)
{
	struct loom_err err;
	int64_t tree = 0;

	marie.opts.tree = 0;
	grove_begin(&marie.grove, "use");
	marie_must(loom_use_tree(marie.grove.store, marie.tree, &err), &err);
	grove_commit(&marie.grove);
	marie_engine(&marie, marie.grove.owner);
	SAYS("✓ switched to [x9y3] in tree:\"earlier draft\"\n  depth:1 · path: r001 → x9y3",
	     "→ switch to x9y3 in tree:\"earlier draft\"");
	SAYS("✓ created [x8w7] as continuation from [x9y3]\n  switched to [x8w7]",
	     "→ respond x9y3 \"on\"");
	marie_must(loom_current_tree(marie.grove.store, &tree, &err), &err);
	ASSERT_EQ(marie.draft, tree);
	PASS();
}

SUITE(engine_write)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(responding_makes_a_node_and_moves_there);
	RUN_TEST(context_and_instruction_are_attached_beside_the_path);
	RUN_TEST(annotations_are_numbered_in_their_tree);
	RUN_TEST(links_say_where_they_lead);
	RUN_TEST(an_edit_in_a_dialogue_is_a_branch);
	RUN_TEST(an_edit_in_a_buffer_is_a_version);
	RUN_TEST(who_stands_on_an_edited_node_stands_on_its_version);
	RUN_TEST(who_answers_a_version_reads_on_from_it);
	RUN_TEST(marks_are_set_once_and_then_unchanged);
	RUN_TEST(a_seam_is_taken_off_and_put_on_again);
	RUN_TEST(pruning_hides_a_branch_and_restoring_brings_it_back);
	RUN_TEST(undo_takes_back_ones_own_last_batch);
	RUN_TEST(undo_within_a_batch_begins_a_new_operation);
	RUN_TEST(a_person_may_cross_trees_and_takes_the_current_tree_along);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(engine_write);
	GREATEST_MAIN_END();
}
