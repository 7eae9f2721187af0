/* Looking at a tree through calls: what they print is what the language's page shows. */
#include <greatest.h>

#include "support/marie_suite.h"

TEST a_node_is_shown_as_the_page_shows_it(void)
{
	(void)marie_result(&marie, "→ annotate a7x2 \"Key turning point\"\n"
				   "→ link a7x2 to doc:\"character notes\"\n"
				   "→ bookmark a7x2");
	SAYS("[a7x2] human · 3m ago · depth:7\n"
	     "\"Marie's reluctance stems from her childhood, not the immediate conflict.\"\n"
	     "\n"
	     "3 continuations · 1 annotation · 1 link · bookmarked",
	     "→ view a7x2");
	PASS();
}

TEST a_node_without_counts_ends_with_its_summary(void)
{
	SAYS("[f7q8] model · 3m ago · depth:10\n\"Then nothing.\"", "→ view f7q8");
	PASS();
}

TEST a_node_is_shown_with_its_annotations(void)
{
	(void)marie_result(&marie,
			   "→ annotate f7q8 \"Key turning point\"\n→ annotate f7q8 \"Two.\"");
	SAYS("[f7q8] model · 3m ago · depth:10\n"
	     "\"Then nothing.\"\n"
	     "\n"
	     "Annotations:\n"
	     "  [ann-1] \"Key turning point\"\n"
	     "  [ann-2] \"Two.\"\n"
	     "\n"
	     "2 annotations",
	     "→ view f7q8 with-annotations");
	SAYS("[ann-1] model · 0s ago · on [f7q8]\n\"Key turning point\"", "→ view ann-1");
	PASS();
}

TEST the_whole_text_and_some_of_its_lines_can_be_seen(void)
{
	(void)marie_result(&marie, "→ respond f7q8 \"First line.\nSecond line.\nThird line.\"");
	SAYS("[h2s3] model · 0s ago · depth:11\nFirst line.\nSecond line.\nThird line.",
	     "→ view h2s3 full");
	SAYS("[h2s3] model · 0s ago · depth:11\n\"First line.\"", "→ view h2s3");
	SAYS("[h2s3] model · 0s ago · depth:11\nSecond line.", "→ view h2s3 lines:2-2");
	SAYS("✗ NOT_FOUND: [h2s3] has 3 lines", "→ view h2s3 lines:4-9");
	PASS();
}

TEST an_unknown_node_is_refused_as_the_page_says(void)
{
	ASSERT_STR_EQ("→ view xyz999\n"
		      "✗ NOT_FOUND: node [xyz999] does not exist in this tree",
		      marie_say(&marie, "→ view xyz999"));
	PASS();
}

TEST what_is_nearly_there_is_offered(void)
{
	(void)marie_result(&marie, "→ stash \"marie insight\" \"She lied.\"");
	SAYS("✗ NOT_FOUND: node [r002] does not exist in this tree\n"
	     "  hint: did you mean → view r001 full",
	     "→ view r002 full");
	SAYS("✗ NOT_FOUND: node [r010] does not exist in this tree\n"
	     "  hint: did you mean → bookmark r001 \"key\"",
	     "→ bookmark r010 \"key\"");
	SAYS("✗ NOT_FOUND: node [r0011] does not exist in this tree\n"
	     "  hint: did you mean → list r001 links",
	     "→ list r0011 links");
	SAYS("✗ NOT_FOUND: stash \"mary insight\" does not exist\n"
	     "  hint: did you mean → recall \"marie insight\"",
	     "→ recall \"mary insight\"");
	SAYS("✗ NOT_FOUND: document \"charcter notes\" does not exist\n"
	     "  hint: did you mean → pin doc:\"character notes\"",
	     "→ pin doc:\"charcter notes\"");
	PASS();
}

TEST names_are_shown_when_there_are_several_of_a_kind(void)
{
	int64_t gpt = marie_agent(&marie, "GPT-4o", false, NULL);

	marie_node(&marie, marie.nodes[12], gpt, "From elsewhere.", 3);
	SAYS("[h2s3] model \"GPT-4o\" · 3m ago · depth:11\n\"From elsewhere.\"", "→ view h2s3");
	SAYS("[a7x2] human · 3m ago · depth:7\n"
	     "\"Marie's reluctance stems from her childhood, not the immediate conflict.\"\n\n"
	     "3 continuations",
	     "→ view a7x2");
	PASS();
}

TEST continuations_annotations_and_links_are_listed(void)
{
	(void)marie_result(&marie, "→ annotate a7x2 \"Key turning point\"");
	SAYS("[a7x2] → 3 continuations:\n"
	     "  [b3k9] model · \"Building on the childhood trauma theme, she turns back.\"\n"
	     "  [c4m2] model · \"She says nothing.\"\n"
	     "  [d5n7] model · \"The letter burns.\"",
	     "→ list a7x2 continuations");
	SAYS("[a7x2] annotations:\n  [ann-1] collaborator · \"Key turning point\"",
	     "→ list a7x2 annotations");
	SAYS("[b3k9] has no annotations", "→ list b3k9 annotations");
	SAYS("[b3k9] has no links", "→ list b3k9 links");
	SAYS("[f7q8] has no continuations", "→ list f7q8 continuations");
	SAYS("[b3k9] → 1 continuation:\n  [e6p4] model · \"Then rain.\"",
	     "→ list b3k9 continuations");
	PASS();
}

TEST links_are_listed_at_both_ends(void)
{
	marie_grant(&marie, LOOM_MAY_ANYTHING);
	(void)marie_result(
		&marie,
		"→ link a7x2 to b3k9\n"
		"→ link a7x2 to tree:\"earlier draft\" node:x9y3 note:\"same scene, different "
		"approach\"");
	ASSERT_STR_EQ("→ list a7x2 links\n"
		      "[a7x2] links:\n"
		      "  → [b3k9]\n"
		      "  → [x9y3] in tree:\"earlier draft\" (note: \"same scene, different "
		      "approach\")\n\n"
		      "→ list b3k9 links\n"
		      "[b3k9] links:\n"
		      "  → [a7x2]",
		      marie_say(&marie, "→ list a7x2 links\n→ list b3k9 links"));
	PASS();
}

TEST a_link_may_name_a_section_that_is_there(void)
{
	marie_grant(&marie, LOOM_MAY_ANYTHING);
	(void)marie_result(&marie, "→ write doc:\"plot\" append \"# Motive\nShe lied.\"");
	SAYS("✓ linked [a7x2] ↔ doc:\"plot\" §motive",
	     "→ link a7x2 to doc:\"plot\" section:motive note:\"why\"");
	ASSERT(strstr(marie_result(&marie, "→ link a7x2 to doc:\"plot\" section:nowhere"),
		      "✗ NOT_FOUND"));
	SAYS("[a7x2] links:\n  → doc:\"plot\" §motive (note: \"why\")", "→ list a7x2 links");
	PASS();
}

TEST a_long_list_comes_in_pages(void)
{
	const char *text = NULL;

	for (int i = 0; i < 110; i++)
		marie_node(&marie, marie.nodes[10], marie.grove.model, "One of many.", 1);
	text = marie_result(&marie, "→ list d5n7 continuations");
	ASSERT(strstr(text, "[d5n7] → 110 continuations:\n"));
	ASSERT(strstr(text, "\n  … 60 more · → list d5n7 continuations page:2"));
	text = marie_result(&marie, "→ list d5n7 continuations page:3");
	ASSERT_EQ(NULL, strstr(text, "more"));
	ASSERT(strstr(text, "One of many."));
	SAYS("✗ NOT_FOUND: [d5n7] has 110 continuations: there is no page 9223372036854775807",
	     "→ list d5n7 continuations page:9223372036854775807\n");
	SAYS("✗ NOT_FOUND: [d5n7] has 110 continuations: there is no page 4",
	     "→ list d5n7 continuations page:4");
	PASS();
}

TEST what_goes_on_elsewhere_is_asked_for_by_the_trees_name(void)
{
	const char *text = NULL;

	marie_grant(&marie, LOOM_MAY_ANYTHING);
	for (int i = 0; i < 52; i++)
		(void)marie_result(&marie, "→ annotate x9y3 \"n\" in tree:\"earlier draft\"");
	for (int i = 0; i < 22; i++)
		(void)marie_result(&marie, "→ respond x9y3 \"m\" in tree:\"earlier draft\"");
	text = marie_result(&marie, "→ view x9y3 with-annotations");
	ASSERT(strstr(text, "\n  [ann-50] \"n\"\n"
			    "  … 2 more · → list x9y3 annotations page:2\n\n22 continuations"));
	(void)marie_result(&marie, "→ switch to a7x2 in tree:\"Marie Character Study\"");
	text = marie_result(&marie, "→ view x9y3 with-annotations in tree:\"earlier draft\"");
	ASSERT(strstr(text, " · → list x9y3 annotations page:2 in tree:\"earlier draft\"\n"));
	text = marie_result(&marie, "→ list x9y3 annotations in tree:\"earlier draft\"");
	ASSERT(strstr(text, " · → list x9y3 annotations page:2 in tree:\"earlier draft\""));
	text = marie_result(&marie, "→ tree in tree:\"earlier draft\"");
	ASSERT(strstr(text, "… 2 more · → list x9y3 continuations in tree:\"earlier draft\""));
	SAYS("✗ NOT_FOUND: \"q\" does not occur in [x9y3]\n"
	     "  hint: → view x9y3 full in tree:\"earlier draft\" shows its text",
	     "→ continue from x9y3 after:\"q\" in tree:\"earlier draft\"");
	PASS();
}

TEST the_tree_is_drawn_around_the_position(void)
{
	SAYS("Tree: \"Marie Character Study\" (14 nodes, 3 branches)\n"
	     "Root [r001] → [k2a3] → [k3b4] → [k4c5] → [k5d6] → [k6e7] → [k7f8] → [a7x2]* (you "
	     "are here)\n"
	     "                                                                    "
	     "├→ [b3k9] → [e6p4] → [f7q8] (leaf)\n"
	     "                                                                    "
	     "├→ [c4m2] → [g8r2] (leaf)\n"
	     "                                                                    "
	     "└→ [d5n7] (leaf)\n"
	     "\n"
	     "* = current position",
	     "→ tree");
	PASS();
}

TEST a_long_path_is_cut_in_its_middle(void)
{
	(void)marie_result(&marie, "→ switch to b3k9");
	SAYS("Tree: \"Marie Character Study\" (14 nodes, 3 branches)\n"
	     "Root [r001] → ... → [b3k9]* (you are here)\n"
	     "                    └→ [e6p4] → [f7q8] (leaf)\n"
	     "\n"
	     "* = current position",
	     "→ tree");
	PASS();
}

TEST forks_within_forks_indent_below_their_node(void)
{
	marie_node(&marie, marie.nodes[11], marie.grove.model, "Or snow.", 1);
	(void)marie_result(&marie, "→ prune d5n7");
	SAYS("Tree: \"Marie Character Study\" (14 nodes, 4 branches)\n"
	     "[a7x2]* (you are here)\n"
	     "├→ [b3k9] → [e6p4]\n"
	     "│           ├→ [f7q8] (leaf)\n"
	     "│           └→ [h2s3] (leaf)\n"
	     "└→ [c4m2] → [g8r2] (leaf)\n"
	     "\n"
	     "* = current position",
	     "→ tree from:a7x2");
	SAYS("Tree: \"Marie Character Study\" (14 nodes, 4 branches)\n"
	     "[a7x2]* (you are here)\n"
	     "├→ [b3k9] … 3 more below\n"
	     "└→ [c4m2] … 1 more below\n"
	     "\n"
	     "* = current position",
	     "→ tree from:a7x2 depth:1");
	PASS();
}

TEST a_long_chain_is_cut_in_its_middle(void)
{
	SAYS("Tree: \"Marie Character Study\" (14 nodes, 3 branches)\n"
	     "Root [r001]\n"
	     "     └→ [k2a3] → [k3b4] → [k4c5] → [k5d6] → [k6e7] → [k7f8] → [a7x2]* (you are "
	     "here) … 6 more below\n"
	     "\n"
	     "* = current position",
	     "→ tree from:r001 depth:7");
	PASS();
}

TEST of_very_many_branches_twenty_are_drawn_and_the_rest_is_counted(void)
{
	const char *drawn = NULL;

	/* Under a leaf: these are all it has. */
	for (int i = 0; i < 30; i++)
		(void)marie_node(&marie, marie.nodes[10], marie.grove.owner, "One more.", 3);
	drawn = marie_result(&marie, "→ tree from:d5n7 depth:1");
	ASSERT(strstr(drawn, "└→ … 10 more · → list d5n7 continuations"));
	ASSERT_EQ(NULL, strstr(strstr(drawn, "└→") + 1, "└→"));
	PASS();
}

TEST a_tree_can_be_summed_up(void)
{
	struct loom_err err = {.status = LOOM_OK};

	SAYS("Tree: \"Marie Character Study\"\n"
	     "14 nodes · 3 branches · 3 leaves\n"
	     "Last active: 0s ago",
	     "→ tree summary");
	grove_begin(&marie.grove, "summary");
	marie_must(loom_tree_set(marie.grove.store, marie.tree, LOOM_TREE_SUMMARY,
				 LOOM_STR("Grief and letters."), &err),
		   &err);
	grove_commit(&marie.grove);
	SAYS("Tree: \"Marie Character Study\"\n"
	     "14 nodes · 3 branches · 3 leaves\n"
	     "Main themes: Grief and letters.\n"
	     "Last active: 0s ago",
	     "→ tree summary");
	PASS();
}

TEST switching_says_where_one_stands(void)
{
	SAYS("✓ switched to [b3k9]\n"
	     "  depth:8 · 1 continuation · path: r001 → ... → a7x2 → b3k9",
	     "→ switch to b3k9");
	SAYS("✓ switched to [k3b4]\n"
	     "  depth:2 · 1 continuation · path: r001 → k2a3 → k3b4",
	     "→ go to k3b4");
	SAYS("✓ switched to [r001]\n  depth:0 · 1 continuation · path: r001", "→ switch to r001");
	SAYS("✓ switched to [d5n7]\n  depth:8 · path: r001 → ... → a7x2 → d5n7",
	     "→ switch to d5n7");
	PASS();
}

TEST other_trees_are_for_those_who_may_go_there(void)
{
	SAYS("✗ CROSS_TREE: tree:\"earlier draft\" is another tree\n"
	     "  hint: cross_tree not enabled: stay in this tree, or request elevated permissions",
	     "→ switch to x9y3 in tree:\"earlier draft\"");
	SAYS("✗ NOT_FOUND: node [x9y3] does not exist in this tree", "→ view x9y3");
	marie_grant(&marie, LOOM_MAY_ANYTHING);
	SAYS("✗ CROSS_TREE: node [x9y3] is in another tree: \"earlier draft\"\n"
	     "  hint: → view x9y3 in tree:\"earlier draft\"",
	     "→ view x9y3");
	SAYS("[x9y3] human · 3m ago · depth:1\n\"Same scene, another way.\"",
	     "→ view x9y3 in tree:\"earlier draft\"");
	SAYS("✗ NOT_FOUND: node [zz99] does not exist in tree:\"earlier draft\"",
	     "→ view zz99 in tree:\"earlier draft\"");
	SAYS("✗ NOT_FOUND: there is no tree \"nowhere\"\n"
	     "  hint: trees: \"earlier draft\", \"Marie Character Study\"",
	     "→ view x9y3 in tree:\"nowhere\"");
	SAYS("✓ switched to [x9y3] in tree:\"earlier draft\"\n"
	     "  depth:1 · path: r001 → x9y3",
	     "→ switch to x9y3 in tree:\"earlier draft\"");
	SAYS("[x9y3] human · 3m ago · depth:1\n\"Same scene, another way.\"", "→ view x9y3");
	PASS();
}

TEST a_branch_reads_as_prose_with_its_seams(void)
{
	marie_fini(&marie);
	marie_init(&marie, LOOM_BUFFER);
	SAYS("Begin.︱One.︱›Two.︱Three.︱›Four.", "→ view branch:k5d6 as:prose");
	SAYS("[r001] human · 0s ago · depth:0\n1 continuation\n---\nBegin.\n\n"
	     "[k2a3] human · 3m ago · depth:1\n1 continuation\n---\nOne.",
	     "→ view branch:k2a3 as:nodes");
	PASS();
}

TEST a_long_result_is_shortened_and_says_how_to_see_the_rest(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *shown = NULL;
	const char *hint = NULL;
	char again[64];

	for (int i = 1; i <= 400; i++)
		loom_buf_addf(&text, "Line %d of a story that goes on for long.\n", i);
	marie_node(&marie, marie.nodes[12], marie.grove.owner, loom_buf_cstr(&text), 3);
	shown = marie_result(&marie, "→ view h2s3 full");
	ASSERT_EQ(0, strncmp(shown, "[res-1]\n[h2s3] human · 3m ago · depth:11\nLine 1 of", 50));
	hint = strstr(shown, " tokens omitted · → view h2s3 full lines:");
	ASSERT(hint);
	ASSERT(strstr(shown, "Line 400 of"));
	ASSERT(strlen(shown) < 4200);
	/* What it says to ask for is what is missing, and comes whole. */
	snprintf(again, sizeof again, "→ %s", strstr(hint, "view"));
	*strchr(again, '\n') = '\0';
	ASSERT_EQ(NULL, strstr(marie_result(&marie, again), "omitted"));
	ASSERT(marie.out.n > 4200);
	loom_buf_fini(&text);
	PASS();
}

SUITE(engine_look)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_node_is_shown_as_the_page_shows_it);
	RUN_TEST(a_node_without_counts_ends_with_its_summary);
	RUN_TEST(a_node_is_shown_with_its_annotations);
	RUN_TEST(the_whole_text_and_some_of_its_lines_can_be_seen);
	RUN_TEST(an_unknown_node_is_refused_as_the_page_says);
	RUN_TEST(what_is_nearly_there_is_offered);
	RUN_TEST(names_are_shown_when_there_are_several_of_a_kind);
	RUN_TEST(continuations_annotations_and_links_are_listed);
	RUN_TEST(links_are_listed_at_both_ends);
	RUN_TEST(a_link_may_name_a_section_that_is_there);
	RUN_TEST(a_long_list_comes_in_pages);
	RUN_TEST(what_goes_on_elsewhere_is_asked_for_by_the_trees_name);
	RUN_TEST(the_tree_is_drawn_around_the_position);
	RUN_TEST(a_long_path_is_cut_in_its_middle);
	RUN_TEST(forks_within_forks_indent_below_their_node);
	RUN_TEST(a_long_chain_is_cut_in_its_middle);
	RUN_TEST(of_very_many_branches_twenty_are_drawn_and_the_rest_is_counted);
	RUN_TEST(a_tree_can_be_summed_up);
	RUN_TEST(switching_says_where_one_stands);
	RUN_TEST(other_trees_are_for_those_who_may_go_there);
	RUN_TEST(a_branch_reads_as_prose_with_its_seams);
	RUN_TEST(a_long_result_is_shortened_and_says_how_to_see_the_rest);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(engine_look);
	GREATEST_MAIN_END();
}
