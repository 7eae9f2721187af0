/* Exports that people read, word for word, and what an import makes of them. */
#include <greatest.h>

#include <tests/support/exported.h>
#include <tests/support/imported.h>

GREATEST_MAIN_DEFS();

static struct grove grove;
static struct loom_buf text;
static struct loom_err err;

static void set_up(void *ctx)
{
	(void)ctx;
	grove_init(&grove);
	loom_buf_init(&text, LOOM_BUF_MAX);
	err = (struct loom_err){.status = LOOM_OK};
}

static void tear_down(void *ctx)
{
	(void)ctx;
	loom_buf_fini(&text);
	grove_fini(&grove);
}

/* A template with the nodes' names in it: "@a" is that of the first one, "@b" of the second. */
static const char *with_names(const char *template, const int64_t *nodes)
{
	struct loom_buf out = LOOM_BUF_INIT(1 << 16);
	struct loom_str whole;

	for (const char *at = template; *at; at++)
		if (*at == '@')
			loom_buf_adds(&out, grove_name(&grove, nodes[*++at - 'a']));
		else
			loom_buf_addc(&out, *at);
	whole = loom_arena_buf(grove.arena, &out);
	loom_buf_fini(&out);
	return whole.p;
}

/* ---- Markdown ---- */

#define SAID(letter, words) "### [@" letter "] Olga · 2026-02-23T10:00\n\n" words "\n\n"

/* root - one - two - three (the path), with siblings at each, one of which forks again. */
static int64_t plant(enum loom_mode mode, const char *root, int64_t *nodes)
{
	int64_t tree = grove_tree(&grove, mode, root);

	nodes[0] = grove_root(&grove, tree);
	nodes[1] = grove_node(&grove, nodes[0], "one");
	nodes[2] = grove_node(&grove, nodes[1], "two");
	nodes[3] = grove_node(&grove, nodes[2], "three");
	nodes[4] = grove_node(&grove, nodes[1], "other");
	nodes[5] = grove_node(&grove, nodes[4], "left");
	nodes[6] = grove_node(&grove, nodes[4], "right");
	nodes[7] = grove_node(&grove, nodes[1], "last");
	return tree;
}

TEST branches_of_a_path_hang_where_they_hang(void)
{
	int64_t nodes[8];
	int64_t tree = plant(LOOM_DIALOGUE, "", nodes);

	exported_tree(&grove, tree, nodes[3], "md-branches", &text);
	ASSERT_STR_EQ(with_names("# tree\n\n" SAID("b", "one") SAID("c", "two") SAID(
					 "d", "three") "## A branch at [@b]\n\n" SAID("e", "other")
					 SAID("f", "left") "## A branch at [@e]\n\n" SAID(
						 "g",
						 "right") "## A branch at [@b]\n\n" SAID("h",
											 "last"),
				 nodes),
		      loom_buf_cstr(&text));
	PASS();
}

TEST a_whole_tree_says_where_it_goes_back(void)
{
	int64_t nodes[8];
	int64_t tree = plant(LOOM_DIALOGUE, "hello", nodes);

	exported_tree(&grove, tree, 0, "md", &text);
	ASSERT_STR_EQ(
		with_names("# tree\n\n" SAID("a", "hello") SAID("b", "one") SAID("c", "two")
				   SAID("d", "three") "## A branch at [@b]\n\n" SAID("e", "other")
					   SAID("f", "left") "## A branch at [@e]\n\n" SAID(
						   "g",
						   "right") "## A branch at [@b]\n\n" SAID("h",
											   "last"),
			   nodes),
		loom_buf_cstr(&text));
	PASS();
}

TEST an_empty_root_is_named_where_branches_hang_on_it(void)
{
	int64_t tree = grove_tree(&grove, LOOM_DIALOGUE, "");
	int64_t nodes[] = {grove_root(&grove, tree), 0, 0};

	nodes[1] = grove_node(&grove, nodes[0], "one");
	nodes[2] = grove_node(&grove, nodes[0], "two");
	exported_tree(&grove, tree, nodes[1], "md-branches", &text);
	ASSERT_STR_EQ(with_names("# tree\n\n" SAID("a", "")
					 SAID("b", "one") "## A branch at [@a]\n\n" SAID("c",
											 "two"),
				 nodes),
		      loom_buf_cstr(&text));
	PASS();
}

TEST a_buffer_stays_text_and_its_branches_are_found_by_their_words(void)
{
	int64_t nodes[8];
	int64_t tree =
		plant(LOOM_BUFFER, "It was the best of times, it was the worst of times, ", nodes);

	exported_tree(&grove, tree, nodes[3], "md-branches", &text);
	ASSERT_STR_EQ(with_names("# tree\n\nIt was the best of times, it was the worst of times, "
				 "onetwothree\n\n"
				 "## A branch at [@b], after “one”\n\notherleft\n\n"
				 "## A branch at [@e], after “other”\n\nright\n\n"
				 "## A branch at [@b], after “one”\n\nlast\n",
				 nodes),
		      loom_buf_cstr(&text));
	PASS();
}

/* The path goes on below a version; the version that it was written below is a branch, and ends
 * where the path begins again. */
TEST a_version_beside_the_path_is_a_branch_without_what_comes_after_it(void)
{
	int64_t tree = grove_tree(&grove, LOOM_BUFFER, "A");
	int64_t first = grove_node(&grove, grove_root(&grove, tree), "B");
	int64_t tip = grove_node(&grove, first, "C");
	int64_t nodes[] = {grove_root(&grove, tree), first, tip, grove_edit(&grove, first, "b")};

	exported_tree(&grove, tree, tip, "md-branches", &text);
	ASSERT_STR_EQ(with_names("# tree\n\nABC\n\n## A branch at [@a], after “A”\n\nb\n", nodes),
		      loom_buf_cstr(&text));
	PASS();
}

/* What a tree of a dialogue looks like from an import of it. */
static enum greatest_test_res comes_back(int64_t tree, int64_t tip, const char *format,
					 const char *wanted)
{
	struct imported in;

	imported_init(&in);
	exported_tree(&grove, tree, tip, format, &text);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&in, "x", loom_buf_str(&text), &err), "%d");
	ASSERT_STR_EQ(wanted, imported_say(&in));
	imported_fini(&in);
	PASS();
}

TEST markdown_of_a_tree_is_that_tree_again(void)
{
	static const char wanted[] =
		"= tree\nOlga?: one\n Olga?: two\n  Olga?: three\n Olga?: other\n  "
		"Olga?: left\n  Olga?: right\n Olga?: last\n";
	int64_t nodes[8];
	int64_t tree = plant(LOOM_DIALOGUE, "", nodes);

	CHECK_CALL(comes_back(tree, nodes[3], "md-branches", wanted));
	CHECK_CALL(comes_back(tree, 0, "md", wanted));
	PASS();
}

/* ---- training data ---- */

/* Exported, imported, exported again. */
static enum greatest_test_res stays_the_same(int64_t tree, const char *format)
{
	struct loom_buf again = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct imported in;

	imported_init(&in);
	exported_tree(&grove, tree, 0, format, &text);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&in, "x", loom_buf_str(&text), &err), "%d");
	ASSERT_EQ(0, (int)loom_import_report(in.import)->lost.count);
	ASSERT_EQ(0, (int)loom_import_report(in.import)->repaired.count);
	exported_all(&in.grove, format, &again);
	ASSERT_STR_EQ(loom_buf_cstr(&text), loom_buf_cstr(&again));
	imported_fini(&in);
	loom_buf_fini(&again);
	PASS();
}

TEST conversations_come_back_as_branches_of_one_tree(void)
{
	int64_t nodes[8];

	CHECK_CALL(stays_the_same(plant(LOOM_DIALOGUE, "", nodes), "jsonl"));
	CHECK_CALL(stays_the_same(plant(LOOM_DIALOGUE, "hello \"you\"\n", nodes), "jsonl"));
	PASS();
}

/* ---- pages ---- */

TEST a_page_is_called_as_its_tree_and_leads_to_siblings(void)
{
	int64_t nodes[8];
	int64_t tree = plant(LOOM_DIALOGUE, "", nodes);

	exported_tree(&grove, tree, nodes[3], "html", &text);
	ASSERT(strstr(text.p, "<title>tree</title>"));
	ASSERT(strstr(text.p, ">three</div>") && !strstr(text.p, "other"));
	exported_tree(&grove, tree, 0, "html", &text);
	/* nodes[4] is the second of three */
	ASSERT(strstr(
		text.p,
		with_names("<details id=\"t1-5\" open><summary><a href=\"#t1-3\">‹</a>"
			   "<b>2/3</b><a href=\"#t1-8\">›</a> [@e] <bdi>other</bdi></summary>",
			   nodes)));
	ASSERT(strstr(text.p, with_names("<details id=\"t1-3\" open><summary><b>1/3</b>"
					 "<a href=\"#t1-5\">›</a> [@c] <bdi>two</bdi></summary>",
					 nodes)));
	ASSERT(!strstr(text.p, "[r001]"));
	plant(LOOM_BUFFER, "", nodes);
	exported_all(&grove, "html", &text);
	ASSERT(strstr(text.p, "<title>2 trees</title>"));
	ASSERT(strstr(text.p, "<li><a href=\"#t2\">tree</a></li>"));
	ASSERT(strstr(text.p, "<details id=\"t2-3\""));
	PASS();
}

TEST pages_and_pictures_have_line_ends_and_directions_of_their_own(void)
{
	struct imported in;

	imported_init(&in);
	grove_must(imported_add(&in, "x.json",
				loom_str_of("{\"text\":\"a\\r\\nb\\rc\",\"children\":[]}"), &err),
		   &err, "import");
	exported_all(&in.grove, "html", &text);
	ASSERT(strstr(text.p, "dir=\"auto\">a\nb\nc</div>"));
	exported_all(&in.grove, "svg", &text);
	ASSERT(strstr(text.p, ">a  b c</text>"));
	imported_fini(&in);
	PASS();
}

/* ---- what others have a place for ---- */

/* A file becomes a grove, this the format, and that a grove again. */
static const char *there_and_back(const char *format, const char *bytes)
{
	struct imported in;
	struct loom_str said;

	imported_init(&in);
	grove_must(imported_add(&in, "x.json", loom_str_of(bytes), &err), &err, "import");
	exported_all(&in.grove, format, &text);
	imported_fini(&in);
	imported_init(&in);
	in.with_extra = true;
	grove_must(imported_add(&in, "x.json", loom_buf_str(&text), &err), &err, "again");
	said = loom_arena_str(grove.arena, loom_str_of(imported_say(&in)));
	imported_fini(&in);
	return loom_arena_cstr(grove.arena, said);
}

TEST pyloom_is_told_which_model_wrote_and_how(void)
{
	const char *said = there_and_back(
		"pyloom",
		"{\"root\":{\"text\":\"Q\",\"children\":[{\"text\":\" "
		"A\",\"meta\":{\"source\":\"AI\","
		"\"generation\":{\"model\":\"davinci\",\"finish_reason\":\"stop\",\"index\":2,"
		"\"prompt\":\"Q\",\"logprobs\":{\"tokens\":[\" "
		"A\"],\"token_logprobs\":[-0.5],\"top_logprobs\":[{\" A\":-0.5,\" "
		"B\":-1.25}]}}}}]}}");

	ASSERT(strstr(said, "davinci:  A <{\"model\":\"davinci\",\"finish\":\"stop\",\"choice\":2,"
			    "\"logprobs\":[[\" A\",-0.5,[[\" A\",-0.5],[\" B\",-1.25]]]],"
			    "\"prompt\":\"Q\"}>"));
	PASS();
}

TEST pyloom_keeps_notes_chapters_summaries_and_tags(void)
{
	const char *said = there_and_back(
		"pyloom",
		"{\"root\":{\"id\":\"r\",\"text\":\"Q\",\"children\":[{\"id\":\"a\",\"text\":\" "
		"A\","
		"\"tags\":[\"fine\"],\"notes\":[{\"text\":\"a note\",\"meta\":"
		"{\"creation_timestamp\":\"2021-02-03-04.05.06\"}}],\"children\":[]}]},"
		"\"chapters\":{\"c\":{\"id\":\"c\",\"root_id\":\"a\",\"title\":\"One\"}},"
		"\"summaries\":{\"s\":{\"root_id\":\"r\",\"end_id\":\"a\",\"text\":\"short\"}}}");

	ASSERT(strstr(said, " A *One (short) #fine"));
	ASSERT(strstr(said, "a note @2021-02-03T04:05:06.000Z"));
	PASS();
}

TEST chatgpt_is_told_what_tools_said_and_what_was_kept_out(void)
{
	const char *said = there_and_back(
		"chatgpt",
		"[{\"title\":\"T\",\"mapping\":{\"r\":{\"id\":\"r\",\"message\":null,\"parent\":"
		"null,"
		"\"children\":[\"a\"]},\"a\":{\"id\":\"a\",\"parent\":\"r\",\"children\":[],"
		"\"message\":"
		"{\"author\":{\"role\":\"tool\",\"name\":\"browser\"},\"weight\":0,\"content\":"
		"{\"content_type\":\"text\",\"parts\":[\"found\"]}}}}}]");

	ASSERT(strstr(said, "browser?: found (excluded)"));
	ASSERT(strstr(said, "\"role\":\"tool\""));
	PASS();
}

/* The branch that was open is open again, although another one comes later. */
TEST chatgpt_opens_where_the_reader_stood(void)
{
	static const char bytes[] =
		"[{\"title\":\"T\",\"mapping\":{\"r\":{\"id\":\"r\",\"message\":null,\"parent\":"
		"null,"
		"\"children\":[\"a\",\"b\"]},\"a\":{\"id\":\"a\",\"parent\":\"r\",\"children\":[],"
		"\"message\":{\"author\":{\"role\":\"user\"},\"content\":{\"content_type\":"
		"\"text\","
		"\"parts\":[\"one\"]}}},\"b\":{\"id\":\"b\",\"parent\":\"r\",\"children\":[],"
		"\"message\":{\"author\":{\"role\":\"user\"},\"content\":{\"content_type\":"
		"\"text\","
		"\"parts\":[\"two\"]}}}},\"current_node\":\"a\"}]";
	struct imported in;
	const char *mapped;
	const char *current;

	imported_init(&in);
	grove_must(imported_add(&in, "x.json", loom_str_of(bytes), &err), &err, "import");
	exported_all(&in.grove, "chatgpt", &text);
	current = strstr(text.p, "\"current_node\":\"");
	ASSERT(current);
	current += strlen("\"current_node\":\"");
	mapped = strstr(text.p, "\"parts\":[\"one\"]");
	ASSERT(mapped);
	while (mapped > text.p && *mapped != '\n')
		mapped--;
	ASSERT_EQ(0, strncmp(mapped + 2, current, LOOM_ULID_CHARS));
	imported_fini(&in);
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(branches_of_a_path_hang_where_they_hang);
	RUN_TEST(a_whole_tree_says_where_it_goes_back);
	RUN_TEST(an_empty_root_is_named_where_branches_hang_on_it);
	RUN_TEST(a_buffer_stays_text_and_its_branches_are_found_by_their_words);
	RUN_TEST(a_version_beside_the_path_is_a_branch_without_what_comes_after_it);
	RUN_TEST(markdown_of_a_tree_is_that_tree_again);
	RUN_TEST(conversations_come_back_as_branches_of_one_tree);
	RUN_TEST(pages_and_pictures_have_line_ends_and_directions_of_their_own);
	RUN_TEST(pyloom_is_told_which_model_wrote_and_how);
	RUN_TEST(pyloom_keeps_notes_chapters_summaries_and_tags);
	RUN_TEST(chatgpt_is_told_what_tools_said_and_what_was_kept_out);
	RUN_TEST(chatgpt_opens_where_the_reader_stood);
	RUN_TEST(a_page_is_called_as_its_tree_and_leads_to_siblings);
	GREATEST_MAIN_END();
}
