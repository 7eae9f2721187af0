/* The context of a subject: its path by author or as it is, whole or cut by name. */
#include "support/told.h"

TEST a_dialogue_is_told_by_author_with_its_sources_in_their_places(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t root = grove_root(&g, tree);
	int64_t a = add(root, g.owner, "one");
	int64_t b = 0;
	int64_t c = 0;
	struct loom_assembly out;

	add_as(a, g.owner, LOOM_CONTEXT_SOURCE, "(background)");
	add_as(a, g.owner, LOOM_INSTRUCTION_SOURCE, "Be brief.");
	grove_note(&g, a, "an annotation");
	b = add(a, g.model, "two");
	c = add(b, g.owner, "three");
	add_as(c, g.model, LOOM_CONTEXT_SOURCE, "(attached)");
	subject(c, 0, 0, &out);
	ASSERT_STR_EQ("[{\"role\":\"system\",\"content\":\"Be brief.\"},"
		      "{\"role\":\"user\",\"content\":\"(background)\\n\\none\"},"
		      "{\"role\":\"assistant\",\"content\":\"two\\n\\n(attached)\"},"
		      "{\"role\":\"user\",\"content\":\"three\"}]",
		      messages(&out));
	ASSERT_EQ(0, out.left_out_count);
	ASSERT_FALSE(out.framed);
	mark_excluded(a);
	subject(b, 0, 0, &out);
	ASSERT_STR_EQ("excluded", loom_arena_cstr(g.arena, left_out(&out, label(a))->why));
	ASSERT_FALSE(strstr(messages(&out), "one"));
	PASS();
}

/* Whose text a piece holds where a word stands in it. */
static int64_t whose(const struct loom_assembly *out, const char *word)
{
	for (size_t i = 0; i < out->count; i++) {
		size_t at = loom_str_find(out->pieces[i].said.text, loom_str_of(word), 0);
		if (at != SIZE_MAX)
			return loom_assembly_node(out, i, at);
	}
	return -1;
}

TEST each_byte_is_known_by_its_node(void)
{
	for (int mode = LOOM_DIALOGUE; mode <= LOOM_BUFFER; mode++) {
		int64_t tree = grove_tree(&g, (enum loom_mode)mode, "");
		int64_t a = add(grove_root(&g, tree), g.owner, "one one one. ");
		int64_t b = add(a, g.owner, "two two two. ");
		int64_t c = add(b, g.model, "three three three. ");
		int64_t d = add(c, g.owner, "four four four. ");
		struct loom_assembly out;

		subject(d, 0, 0, &out);
		ASSERT_EQ(a, whose(&out, "one"));
		ASSERT_EQ(b, whose(&out, "two"));
		ASSERT_EQ(c, whose(&out, "three. "));
		ASSERT_EQ(d, whose(&out, "four"));
		mark_excluded(b);
		subject(d, 0, 0, &out);
		ASSERT_EQ(-1, whose(&out, "two"));
		ASSERT_EQ(c, whose(&out, "three"));
		if (mode == LOOM_DIALOGUE)
			continue;
		/* cut through the third text */
		subject(d, 0, 6, &out);
		ASSERT_EQ(c, loom_assembly_node(&out, out.count - 1, 0));
		ASSERT_EQ(d, whose(&out, "four"));
	}
	PASS();
}

TEST a_leading_assistant_is_framed(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "");
	int64_t node = add(grove_root(&g, tree), g.model, "I begin.");
	struct loom_assembly out;

	subject(node, 0, 0, &out);
	ASSERT(out.framed);
	ASSERT_EQ(1, out.count);
	PASS();
}

TEST what_is_pruned_is_out_with_all_that_stands_below(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	int64_t a = add(grove_root(&g, tree), g.owner, "gone");
	int64_t b = add(a, g.model, "below");
	struct loom_assembly out;

	grove_prune(&g, a);
	subject(b, 0, 0, &out);
	ASSERT_STR_EQ("[{\"role\":\"user\",\"content\":\"root\"}]", messages(&out));
	ASSERT(left_out(&out, label(a)));
	ASSERT_STR_EQ("pruned", loom_arena_cstr(g.arena, left_out(&out, label(b))->why));
	PASS();
}

TEST a_buffer_is_its_bytes_and_the_window_cuts_between_characters(void)
{
	int64_t tree = grove_tree(&g, LOOM_BUFFER, "Es war ");
	int64_t a = add(grove_root(&g, tree), g.model, " kälter\n\n");
	int64_t b = add(a, g.owner, "  als gestern, 寒い");
	struct loom_subject_opts opts = {.tip = b, .working = LOOM_STR(" und")};
	const char *whole = "Es war  kälter\n\n  als gestern, 寒い und";
	struct loom_assembly out;

	OK(loom_assemble_subject(g.store, &opts, g.arena, &out, &err));
	ASSERT(out.joined);
	ASSERT_EQ(1, out.count);
	ASSERT(loom_str_is(out.pieces[0].said.text, whole));
	for (opts.budget = 1; opts.budget <= out.total; opts.budget++) {
		struct loom_assembly cut;

		OK(loom_assemble_subject(g.store, &opts, g.arena, &cut, &err));
		ASSERT(cut.total <= opts.budget);
		ASSERT(loom_str_ends(loom_str_of(whole), cut.pieces[0].said.text));
		ASSERT(((unsigned char)cut.pieces[0].said.text.p[0] & 0xC0) != 0x80);
		ASSERT_EQ(cut.pieces[0].said.text.n<strlen(whole), cut.left_out_count> 0);
	}
	opts.budget = 3;
	opts.strategy = LOOM_STOP_AT_LIMIT;
	STATUS_IS(LOOM_LIMIT, loom_assemble_subject(g.store, &opts, g.arena, &out, &err));
	PASS();
}

TEST whatever_the_budget_kept_and_dropped_make_the_path(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "root text");
	int64_t at = grove_root(&g, tree);
	int64_t nodes[16];
	struct loom_assembly whole;

	for (size_t i = 0; i < LOOM_COUNT(nodes); i++) {
		char text[60];

		snprintf(text, sizeof text, "<%zu> %.*s", i, (int)(i * 3 % 40),
			 "0123456789012345678901234567890123456789");
		nodes[i] = at = add(at, i % 3 ? g.owner : g.model, text);
	}
	subject(at, 0, 0, &whole);
	for (int64_t budget = 1; budget <= whole.total; budget++) {
		struct loom_assembly out;
		size_t kept = 0;

		subject(at, 0, budget, &out);
		for (size_t i = 0; i < LOOM_COUNT(nodes); i++) {
			char mark[20];
			bool in = false;

			snprintf(mark, sizeof mark, "<%zu>", i);
			in = strstr(part(&out, LOOM_PART_PATH), mark) != NULL;
			kept += in;
			ASSERT_EQ(in, left_out(&out, label(nodes[i])) == NULL);
		}
		ASSERT(kept >= 1);
		ASSERT(kept == 1 || out.total <= budget);
		ASSERT_EQ(budget<whole.total, out.left_out_count> 0);
	}
	PASS();
}

TEST anothers_edit_changes_no_byte_until_the_version_is_taken(void)
{
	int64_t tree = grove_tree(&g, LOOM_BUFFER, "The house ");
	int64_t a = add(grove_root(&g, tree), g.owner, "stood empty. ");
	int64_t b = add(a, g.model, "She stayed away.");
	int64_t thread = thread_at(g.owner, tree, b);
	struct loom_assembly before;
	struct loom_assembly after;
	int64_t edited = 0;

	subject(b, thread, 0, &before);
	edited = grove_edit(&g, a, "was full. ");
	subject(b, thread, 0, &after);
	ASSERT_STR_EQ(messages(&before), messages(&after));
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_thread_choose(g.store, thread, grove_get(&g, a).group, edited, &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	subject(b, thread, 0, &after);
	ASSERT(strstr(messages(&after), "was full. She"));
	PASS();
}

TEST a_longer_path_begins_with_the_bytes_of_the_shorter(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	int64_t at = grove_root(&g, tree);
	struct loom_assembly before;

	subject(at, 0, 0, &before);
	for (int i = 0; i < 6; i++) {
		struct loom_assembly out;

		at = add(at, i % 2 ? g.owner : g.model, "more");
		subject(at, 0, 0, &out);
		ASSERT_EQ(before.count + 1, out.count);
		for (size_t k = 0; k < before.count; k++) {
			ASSERT_EQ(before.pieces[k].said.role, out.pieces[k].said.role);
			ASSERT(loom_str_eq(before.pieces[k].said.text, out.pieces[k].said.text));
		}
		before = out;
	}
	PASS();
}

SUITE(context_subject)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_dialogue_is_told_by_author_with_its_sources_in_their_places);
	RUN_TEST(each_byte_is_known_by_its_node);
	RUN_TEST(a_leading_assistant_is_framed);
	RUN_TEST(what_is_pruned_is_out_with_all_that_stands_below);
	RUN_TEST(a_buffer_is_its_bytes_and_the_window_cuts_between_characters);
	RUN_TEST(whatever_the_budget_kept_and_dropped_make_the_path);
	RUN_TEST(anothers_edit_changes_no_byte_until_the_version_is_taken);
	RUN_TEST(a_longer_path_begins_with_the_bytes_of_the_shorter);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(context_subject);
	GREATEST_MAIN_END();
}
