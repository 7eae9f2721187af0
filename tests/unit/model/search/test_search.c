/* Search: words, the index, what is found and what is not. */
#include <greatest.h>

#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/tree/mark.h>
#include <loom/search/search.h>
#include <loom/text/words.h>
#include <loom/tree/open_store.h>

#include "support/grove.h"
#include "support/raw.h"

/* Every call here says what went wrong in `err`. */
#define OK(call) ASSERT_EQ_FMT(LOOM_OK, (int)(call), "%d")

static struct grove g;
static struct loom_search *search;

static void set_up(void *unused)
{
	struct loom_err err;

	(void)unused;
	grove_init(&g);
	grove_must(loom_search_open(g.store, &search, &err), &err, "search");
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_search_close(search);
	grove_fini(&g);
}

static struct loom_hits find(const char *line)
{
	struct loom_err err;
	struct loom_search_query query = {.limit = 20};
	struct loom_hits hits;
	int64_t behind = 0;

	grove_must(loom_search_feed(search, 5000, &behind, &err), &err, "feed");
	grove_must(loom_search_parse(g.store, loom_str_of(line), 0, g.arena, &query, &err), &err,
		   "parse");
	grove_must(loom_search_run(search, &query, g.arena, &hits, &err), &err, line);
	return hits;
}

TEST words_are_folded_runs_and_single_cjk_characters(void)
{
	static const char *const want[] = {"marie", "dont", "say",  "naive",
					   "中",    "文",   "cafe", "42"};
	struct loom_str text = LOOM_STR("Marie, don't say \"NAÏVE\" — 中文 cafe\xCC\x81 42…");
	struct loom_buf word = LOOM_BUF_INIT(100);
	size_t at = 0;
	size_t from = 0;
	size_t i = 0;

	while (loom_word_next(text, &at, &from, &word)) {
		ASSERT(i < LOOM_COUNT(want));
		ASSERT_STR_EQ(want[i++], loom_buf_cstr(&word));
	}
	ASSERT_EQ(LOOM_COUNT(want), i);
	loom_buf_fini(&word);
	PASS();
}

TEST a_typed_line_becomes_phrases_and_a_growing_last_word(void)
{
	static const struct {
		const char *typed;
		const char *want;
	} cases[] = {
		{"marie", "\"marie\" *"},
		{"marie ", "\"marie\""},
		{"the old house", "\"the\" AND \"old\" AND \"house\" *"},
		{"\"the old\" house", "\"the old\" AND \"house\" *"},
		{"\"the old\"", "\"the old\""},
		{"\"the old\" *", "\"the old\""},
		{"“the old", "\"the old\""},
		{"中文 x", "\"中 文\" AND \"x\" *"},
		{"a-b", "\"a b\" *"},
		{"OR NEAR(x) *", "\"or\" AND \"near x\" *"},
		{"* \" ' ( -", ""},
		{"", ""},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf out = LOOM_BUF_INIT(1000);
		size_t growing = 0;
		bool any = loom_words_query(loom_str_of(cases[i].typed), &out, &growing);

		if (growing < out.n)
			loom_buf_adds(&out, " *");
		ASSERT_STR_EQ(cases[i].want, loom_buf_cstr(&out));
		ASSERT_EQ(cases[i].want[0] != '\0', any);
		loom_buf_fini(&out);
	}
	PASS();
}

TEST nodes_are_found_newest_first_without_case_and_accents(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t root = grove_root(&g, tree);
	int64_t a = grove_node(&g, root, "The house of Márie stood empty.");
	int64_t b = grove_node(&g, root, "marie went home");
	struct loom_hits hits = find("MARIE");

	grove_node(&g, root, "nothing of the kind");
	ASSERT_EQ(2, hits.count);
	ASSERT_EQ(b, hits.items[0].node);
	ASSERT_EQ(a, hits.items[1].node);
	ASSERT_EQ(1, find("house mar").count);
	ASSERT_EQ(0, find("\"empty stood\"").count);
	ASSERT_EQ(1, find("\"stood empty\"").count);
	ASSERT_EQ(2, find("m").count);
	PASS();
}

/* Few words with the beginning, and more than are asked one by one. */
TEST a_beginning_finds_every_word_that_goes_on_from_it(void)
{
	static const char *const begun[] = {"w", "wint", "winter", "winters", "éclai", "ecla"};
	static const size_t want[] = {12, 12, 12, 1, 1, 1};
	int64_t root = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "Begin."));
	char text[64];

	for (int i = 0; i < 10; i++)
		grove_node(&g, root, "It was winter again.");
	grove_node(&g, root, "the winters before");
	grove_node(&g, root, "wintertime, says the éclair");
	for (size_t i = 0; i < LOOM_COUNT(begun); i++)
		ASSERT_EQm(begun[i], want[i], find(begun[i]).count);
	ASSERT_EQ(0, find("wintry").count);
	ASSERT_EQ(11, find("again winte").count + find("before winte").count);
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof text, "manifold%d", i);
		grove_node(&g, root, text);
	}
	ASSERT_EQ(100, find("manifol").total);
	ASSERT_EQ(11, find("manifold1").total);
	PASS();
}

TEST words_that_another_fed_are_known_and_known_again_afresh(void)
{
	struct loom_err err;
	struct loom_search *other = NULL;
	int64_t root = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "Begin."));
	int64_t behind = 0;

	OK(loom_search_open(g.store, &other, &err));
	grove_node(&g, root, "a turtledove");
	OK(loom_search_feed(other, 5000, &behind, &err));
	/* What another connection fed is known here as well; and after starting afresh. */
	ASSERT_EQ(1, find("turtle").count);
	OK(loom_search_rebuild(search, &err));
	loom_search_close(other);
	ASSERT_EQ(1, find("turtle").count);
	PASS();
}

TEST undone_and_pruned_nodes_are_not_found(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t root = grove_root(&g, tree);
	int64_t a = grove_node(&g, root, "alpha");

	grove_node(&g, a, "alpha below");
	ASSERT_EQ(2, find("alpha").count);
	grove_prune(&g, a);
	ASSERT_EQ(0, find("alpha").count);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(2, find("alpha").count);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(1, find("alpha").count);
	PASS();
}

static void set_seam(int64_t node, bool on)
{
	struct loom_err err;
	bool changed = false;

	grove_begin(&g, "seam");
	grove_must(loom_seam_set(g.store, node, on, &changed, &err), &err, "seam");
	grove_commit(&g);
}

/* Taken off before it is fed and after, put on again, undone and redone. */
TEST a_text_with_a_seam_is_found_as_it_is_read(void)
{
	struct loom_node_spec spec = {.text = LOOM_STR_INIT("Surely the end."),
				      .generation = LOOM_STR_INIT("{\"seam\":{\"skip\":7}}"),
				      .author = g.owner,
				      .seq = -1};
	struct loom_err err;
	int64_t id = 0;

	spec.from = grove_root(&g, grove_tree(&g, LOOM_BUFFER, "Begin."));
	grove_begin(&g, "respond");
	OK(loom_node_create(g.store, &spec, &id, &err));
	grove_commit(&g);
	set_seam(id, false);
	ASSERT_EQ(1, find("surely").count);
	set_seam(id, true);
	ASSERT_EQ(0, find("surely").count);
	ASSERT_EQ(1, find("end").count);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(1, find("surely").count);
	OK(loom_op_redo(g.store, g.owner, 0, &err));
	ASSERT_EQ(0, find("surely").count);
	set_seam(id, false);
	set_seam(id, true);
	set_seam(id, false);
	ASSERT_EQ(1, find("surely").count);
	ASSERT_EQ(1, find("\"surely the end\"").count);
	PASS();
}

TEST documents_titles_and_summaries_follow_their_changes(void)
{
	struct loom_err err;
	int64_t doc = 0;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t a = grove_node(&g, grove_root(&g, tree), "text");

	grove_begin(&g, "doc");
	OK(loom_doc_create(g.store, LOOM_STR("notes"), LOOM_STR("first draft"), g.owner, &doc,
			   &err));
	grove_commit(&g);
	ASSERT_EQ(1, find("draft").count);
	grove_begin(&g, "doc");
	OK(loom_doc_write(g.store, doc, LOOM_STR("second thoughts"), g.owner, -1, &err));
	OK(loom_summary_keep(g.store, LOOM_JOB_NODE, a, LOOM_STR("a remarkable point"), false,
			     &err));
	OK(loom_tree_set(g.store, tree, LOOM_TREE_TITLE, LOOM_STR("Lighthouse"), &err));
	grove_commit(&g);
	ASSERT_EQ(0, find("draft").count);
	ASSERT_EQ(LOOM_HIT_DOC, find("thoughts").items[0].kind);
	ASSERT_EQ(LOOM_HIT_SUMMARY, find("remarkable").items[0].kind);
	ASSERT_EQ(LOOM_HIT_TREE, find("lighthouse").items[0].kind);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT_EQ(1, find("draft").count);
	ASSERT_EQ(0, find("lighthouse").count);
	PASS();
}

TEST a_summary_made_in_the_background_is_found_before_and_after_its_node_is_fed(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t early = grove_node(&g, grove_root(&g, tree), "text");
	int64_t late = 0;

	ASSERT_EQ(1, find("text").count);
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_summary_keep(g.store, LOOM_JOB_NODE, early, LOOM_STR("a remarkable point"), false,
			     &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	ASSERT_EQ(LOOM_HIT_SUMMARY, find("remarkable").items[0].kind);
	late = grove_node(&g, early, "more");
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_summary_keep(g.store, LOOM_JOB_NODE, late, LOOM_STR("a singular end"), false,
			     &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	ASSERT_EQ(1, find("singular").count);
	OK(loom_search_rebuild(search, &err));
	ASSERT_EQ(1, find("singular").count);
	ASSERT_EQ(1, find("remarkable").count);
	PASS();
}

static void sum_up(enum loom_job_kind kind, int64_t target, const char *summary, bool extract)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(loom_quiet_end(g.store,
				  loom_summary_keep(g.store, kind, target, loom_str_of(summary),
						    extract, &err),
				  &err),
		   &err, summary);
}

static int64_t make_doc(const char *name, const char *text)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t doc = 0;

	grove_begin(&g, "doc");
	grove_must(loom_doc_create(g.store, loom_str_of(name), loom_str_of(text), g.owner, &doc,
				   &err),
		   &err, name);
	grove_commit(&g);
	return doc;
}

TEST documents_and_trees_are_found_by_what_they_were_summed_up_as(void)
{
	struct loom_err err;
	struct loom_hits hits;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t doc = make_doc("notes", "first draft");

	ASSERT_EQ(0, find("remarkable").count);
	sum_up(LOOM_JOB_DOC, doc, "a remarkable plan", false);
	sum_up(LOOM_JOB_TREE, tree, "remarkable themes", false);
	hits = find("remarkable");
	ASSERT_EQ(2, hits.count);
	ASSERT_EQ(LOOM_HIT_TREE, hits.items[0].kind);
	ASSERT_EQ(tree, hits.items[0].tree);
	ASSERT_EQ(LOOM_HIT_DOC, hits.items[1].kind);
	ASSERT_EQ(doc, hits.items[1].doc);
	ASSERT(hits.items[0].summed && hits.items[1].summed);
	ASSERT_FALSE(find("draft").items[0].summed);
	grove_begin(&g, "import");
	OK(loom_tree_set(g.store, tree, LOOM_TREE_SUMMARY, LOOM_STR("imported themes"), &err));
	grove_commit(&g);
	ASSERT_EQ(1, find("imported").count);
	ASSERT_EQ(1, find("remarkable").count);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	/* another takes its place, and what is fed afresh is the same */
	sum_up(LOOM_JOB_DOC, doc, "a singular plan", false);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(1, find("remarkable").count);
		ASSERT_EQ(1, find("singular").count);
		ASSERT_EQ(0, find("imported").count);
		ASSERT_EQ(1, find("draft").count);
		OK(loom_search_rebuild(search, &err));
	}
	PASS();
}

TEST an_index_of_ones_own_hears_of_summaries_that_others_made(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t node = grove_node(&g, grove_root(&g, tree), "text");
	struct loom_store *other = grove_connect(&g, LOOM_WRITE);

	ASSERT_EQ(1, find("text").count);
	OK(loom_quiet_begin(other, &err));
	OK(loom_summary_keep(other, LOOM_JOB_NODE, node, LOOM_STR("a remarkable point"), false,
			     &err));
	OK(loom_quiet_end(other, LOOM_OK, &err));
	loom_store_close(other);
	ASSERT_EQ(LOOM_HIT_SUMMARY, find("remarkable").items[0].kind);
	PASS();
}

TEST a_summary_goes_with_what_was_undone(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t doc = make_doc("notes", "first draft");

	sum_up(LOOM_JOB_TREE, tree, "remarkable themes", false);
	grove_begin(&g, "doc");
	OK(loom_doc_write(g.store, doc, LOOM_STR("second thoughts"), g.owner, -1, &err));
	grove_commit(&g);
	sum_up(LOOM_JOB_DOC, doc, "it has a singular secret", false);
	ASSERT_EQ(1, find("singular").count);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err)); /* the text it was made of */
	ASSERT_EQ(0, find("singular").count);
	ASSERT_EQ(1, find("draft").count);
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(0, find("singular").count);
	sum_up(LOOM_JOB_DOC, doc, "it has a singular secret", false);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	sum_up(LOOM_JOB_DOC, doc, "of a singular draft", false);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err)); /* the document */
	ASSERT_EQ(0, find("singular").count);
	ASSERT_EQ(1, find("remarkable").count);
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err)); /* the tree */
	ASSERT_EQ(0, find("remarkable").count);
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(1, find("remarkable").count);
	PASS();
}

TEST a_pruned_node_is_not_found_by_its_summary(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t above = grove_node(&g, grove_root(&g, tree), "above");
	int64_t node = grove_node(&g, above, "text");

	sum_up(LOOM_JOB_NODE, node, "a remarkable point", false);
	ASSERT_EQ(1, find("remarkable").count);
	grove_prune(&g, above);
	ASSERT_EQ(0, find("remarkable").count);
	grove_restore(&g, above);
	ASSERT_EQ(1, find("remarkable").count);
	PASS();
}

/* Its words are the text's own: the text is found, or was, when it has changed since. */
TEST an_extract_is_not_looked_into(void)
{
	struct loom_err err;
	int64_t doc = make_doc("notes", "first draft");

	sum_up(LOOM_JOB_DOC, doc, "first draft", true);
	ASSERT_EQ(1, find("draft").count);
	grove_begin(&g, "doc");
	OK(loom_doc_write(g.store, doc, LOOM_STR("second thoughts"), g.owner, -1, &err));
	grove_commit(&g);
	ASSERT_EQ(0, find("draft").count);
	PASS();
}

TEST an_older_grove_that_may_only_be_read_is_searched_without_summaries(void)
{
	struct loom_err err;
	struct loom_store *reader = NULL;
	struct loom_search_query query = {.words = LOOM_STR("begin"), .limit = 5};
	struct loom_hits hits;
	int64_t behind = 0;

	(void)grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	loom_search_close(search);
	search = NULL;
	loom_store_close(g.store);
	g.store = NULL;
	raw_age(&g);
	reader = grove_connect(&g, LOOM_READ);
	OK(loom_search_open(reader, &search, &err));
	OK(loom_search_feed(search, 5000, &behind, &err));
	OK(loom_search_run(search, &query, g.arena, &hits, &err));
	ASSERT_EQ(1, hits.count);
	ASSERT_EQ(0, behind);
	loom_search_close(search);
	search = NULL;
	loom_store_close(reader);
	PASS();
}

TEST filters_narrow_what_is_found(void)
{
	struct loom_err err;
	char line[100];
	bool changed = false;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t a = grove_node(&g, grove_root(&g, tree), "alpha one");
	int64_t b = grove_node(&g, grove_root(&g, tree), "alpha two");

	grove_node(&g, a, "alpha three");
	grove_begin(&g, "tag");
	OK(loom_tag_set(g.store, b, LOOM_STR("motive"), true, &changed, &err));
	OK(loom_bookmark_set(g.store, a, true, LOOM_STR(""), &changed, &err));
	grove_commit(&g);
	ASSERT_EQ(3, find("alpha").count);
	ASSERT_EQ(b, find("tag:motive alpha").items[0].node);
	ASSERT_EQ(a, find("alpha bookmarked:").items[0].node);
	ASSERT_EQ(3, find("author:Olga alpha").count);
	ASSERT_EQ(0, find("author:ngram alpha").count);
	ASSERT_EQ(3, find("tree:\"tree\" alpha").count);
	snprintf(line, sizeof line, "tree:tree in:%s alpha", grove_name(&g, a));
	ASSERT_EQ(2, find(line).count);
	snprintf(line, sizeof line, "in:%s tree:tree alpha", grove_name(&g, a));
	ASSERT_EQ(2, find(line).count);
	ASSERT_EQ(0, find("after:2030-01-01T00:00:00Z alpha").count);
	ASSERT_EQ(0, find("after:2030-01-01 alpha").count);
	ASSERT_EQ(3, find("before:2030-01-01T00:00:00Z alpha").count);
	PASS();
}

TEST documents_are_found_by_tree_always_or_never(void)
{
	static const struct {
		enum loom_search_docs docs;
		bool in_tree;
		size_t found;
	} rows[] = {
		{LOOM_DOCS_BY_TREE, false, 2}, {LOOM_DOCS_BY_TREE, true, 1},
		{LOOM_DOCS_ALWAYS, false, 2},  {LOOM_DOCS_ALWAYS, true, 2},
		{LOOM_DOCS_NEVER, false, 1},   {LOOM_DOCS_NEVER, true, 1},
	};
	struct loom_err err;
	struct loom_hits hits;
	int64_t doc = 0;
	int64_t behind = 0;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");

	grove_node(&g, grove_root(&g, tree), "alpha one");
	grove_begin(&g, "doc");
	OK(loom_doc_create(g.store, LOOM_STR("notes"), LOOM_STR("alpha"), g.owner, &doc, &err));
	grove_commit(&g);
	OK(loom_search_feed(search, 5000, &behind, &err));
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		struct loom_search_query query = {.words = LOOM_STR_INIT("alpha"),
						  .tree = rows[i].in_tree ? tree : 0,
						  .docs = rows[i].docs,
						  .limit = 20};

		OK(loom_search_run(search, &query, g.arena, &hits, &err));
		ASSERT_EQ(rows[i].found, hits.count);
		ASSERT_EQ(rows[i].found, hits.total);
	}
	PASS();
}

TEST filters_alone_go_through_the_nodes_newest_first(void)
{
	struct loom_err err;
	struct loom_search_query query = {.limit = 2};
	struct loom_hits hits;
	bool changed = false;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t a = grove_node(&g, grove_root(&g, tree), "…");
	int64_t b = grove_node(&g, grove_root(&g, tree), "alpha two");

	for (int i = 0; i < 600; i++)
		grove_node(&g, b, "further down");
	grove_begin(&g, "tag");
	OK(loom_tag_set(g.store, a, LOOM_STR("motive"), true, &changed, &err));
	OK(loom_tag_set(g.store, b, LOOM_STR("motive"), true, &changed, &err));
	grove_commit(&g);
	ASSERT_EQ(2, find("tag:motive").count);
	ASSERT_EQ(b, find("tag:motive").items[0].node);
	ASSERT_EQ(a, find("tag:motive").items[1].node);
	ASSERT_EQ(20, find("author:Olga").count);
	ASSERT(find("author:Olga").more);
	ASSERT_EQ(0, find("author:ngram").count);
	grove_prune(&g, b);
	ASSERT_EQ(1, find("tag:motive").count);
	ASSERT_EQ(LOOM_SYNTAX, loom_search_run(search, &query, g.arena, &hits, &err));
	PASS();
}

TEST the_total_says_how_many_can_be_seen_and_pass_the_filters(void)
{
	struct loom_err err;
	struct loom_search_query query = {.limit = 5, .words = LOOM_STR_INIT("word")};
	struct loom_hits hits;
	int64_t behind = 0;
	int64_t root = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "Begin."));
	int64_t above = grove_node(&g, root, "above");
	int64_t op = 0;

	for (int i = 0; i < 30; i++)
		grove_node(&g, i < 20 ? root : above, "word");
	OK(loom_search_feed(search, 5000, &behind, &err));
	OK(loom_search_run(search, &query, g.arena, &hits, &err));
	ASSERT_EQ(30, hits.total);
	ASSERT(hits.more && !hits.least);
	OK(loom_op_undo(g.store, g.owner, 0, &op, &err));
	OK(loom_search_run(search, &query, g.arena, &hits, &err));
	ASSERT_EQ(29, hits.total);
	grove_prune(&g, above);
	OK(loom_search_run(search, &query, g.arena, &hits, &err));
	ASSERT_EQ(20, hits.total);
	query.author = g.model;
	OK(loom_search_run(search, &query, g.arena, &hits, &err));
	ASSERT_EQ(0, hits.total);
	ASSERT_FALSE(hits.more);
	query.author = g.owner;
	query.words = LOOM_STR("");
	OK(loom_search_run(search, &query, g.arena, &hits, &err));
	ASSERT_EQ(21, hits.total);
	ASSERT_EQ(5, hits.count);
	PASS();
}

TEST pages_go_on_where_the_last_one_ended(void)
{
	struct loom_err err;
	struct loom_search_query query = {.limit = 7, .words = LOOM_STR_INIT("word")};
	struct loom_hits hits;
	int64_t behind = 0;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "Begin.");
	int64_t last = INT64_MAX;
	size_t seen = 0;

	for (int i = 0; i < 30; i++)
		grove_node(&g, grove_root(&g, tree), "word");
	OK(loom_search_feed(search, 5000, &behind, &err));
	do {
		OK(loom_search_run(search, &query, g.arena, &hits, &err));
		for (size_t i = 0; i < hits.count; i++) {
			ASSERT(hits.items[i].order < last);
			last = hits.items[i].order;
		}
		seen += hits.count;
		query.before = last;
	} while (hits.more && hits.count);
	ASSERT_EQ(30, seen);
	PASS();
}

TEST an_index_that_is_damaged_or_thrown_away_is_made_again(void)
{
	struct loom_err err;
	char command[400];
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "alpha");

	(void)tree;
	ASSERT_EQ(1, find("alpha").count);
	loom_search_close(search);
	snprintf(command, sizeof command,
		 "for f in %s/loom/*.db; do printf 'this is no database at all' > \"$f\"; done",
		 g.temp.path);
	ASSERT_EQ(0, system(command));
	OK(loom_search_open(g.store, &search, &err));
	ASSERT_EQ(1, find("alpha").count);
	OK(loom_search_rebuild(search, &err));
	ASSERT_EQ(1, find("alpha").count);
	PASS();
}

TEST snippets_show_the_word_in_its_surroundings(void)
{
	struct loom_buf out = LOOM_BUF_INIT(1000);

	loom_words_snippet(LOOM_STR("one two three four five six seven eight nine ten"),
			   LOOM_STR("SEVEN"), 20, &out);
	ASSERT(strstr(loom_buf_cstr(&out), "seven"));
	ASSERT(loom_str_starts(loom_buf_str(&out), LOOM_STR("…")));
	ASSERT(loom_str_ends(loom_buf_str(&out), LOOM_STR("…")));
	loom_buf_fini(&out);
	PASS();
}

SUITE(search_suite)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(words_are_folded_runs_and_single_cjk_characters);
	RUN_TEST(a_typed_line_becomes_phrases_and_a_growing_last_word);
	RUN_TEST(nodes_are_found_newest_first_without_case_and_accents);
	RUN_TEST(a_beginning_finds_every_word_that_goes_on_from_it);
	RUN_TEST(words_that_another_fed_are_known_and_known_again_afresh);
	RUN_TEST(undone_and_pruned_nodes_are_not_found);
	RUN_TEST(a_text_with_a_seam_is_found_as_it_is_read);
	RUN_TEST(documents_titles_and_summaries_follow_their_changes);
	RUN_TEST(a_summary_made_in_the_background_is_found_before_and_after_its_node_is_fed);
	RUN_TEST(documents_and_trees_are_found_by_what_they_were_summed_up_as);
	RUN_TEST(an_index_of_ones_own_hears_of_summaries_that_others_made);
	RUN_TEST(a_summary_goes_with_what_was_undone);
	RUN_TEST(a_pruned_node_is_not_found_by_its_summary);
	RUN_TEST(an_extract_is_not_looked_into);
	RUN_TEST(an_older_grove_that_may_only_be_read_is_searched_without_summaries);
	RUN_TEST(filters_narrow_what_is_found);
	RUN_TEST(documents_are_found_by_tree_always_or_never);
	RUN_TEST(filters_alone_go_through_the_nodes_newest_first);
	RUN_TEST(the_total_says_how_many_can_be_seen_and_pass_the_filters);
	RUN_TEST(pages_go_on_where_the_last_one_ended);
	RUN_TEST(an_index_that_is_damaged_or_thrown_away_is_made_again);
	RUN_TEST(snippets_show_the_word_in_its_surroundings);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(search_suite);
	GREATEST_MAIN_END();
}
