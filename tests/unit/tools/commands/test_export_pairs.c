/* Preference pairs: only what was judged on both sides, never equal, never twice, with who judged
 * it, when and why; and whole trees are held out for the test. */
#include <greatest.h>

#include <cjson/cJSON.h>

#include <loom/tree/mark.h>

#include <tests/support/exported.h>
#include <tests/support/imported.h>
#include <tests/support/prop.h>

GREATEST_MAIN_DEFS();

static struct grove grove;
static struct loom_buf text;
static struct loom_export_told told;
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

static void rate(int64_t actor, int64_t node, bool good)
{
	bool changed = false;

	grove_begin_by(&grove, actor, "tag");
	grove_must(loom_tag_set(grove.store, node,
				good ? LOOM_STR("rated:good") : LOOM_STR("rated:bad"), true,
				&changed, &err),
		   &err, "tag");
	(void)grove_commit(&grove);
}

static int64_t answer(int64_t from, const char *words)
{
	const struct loom_node_spec spec = {.from = from,
					    .author = grove.model,
					    .kind = LOOM_CONTINUATION,
					    .text = loom_str_of(words)};
	int64_t node = 0;

	grove_begin(&grove, "respond");
	grove_must(loom_node_create(grove.store, &spec, &node, &err), &err, "node");
	(void)grove_commit(&grove);
	return node;
}

static void export_pairs(int64_t tree)
{
	struct loom_export what = {.store = grove.store,
				   .trees = &tree,
				   .tree_count = 1,
				   .told = &told};

	told = (struct loom_export_told){.lines = 0};
	exported_run("pairs", &what, &text);
}

static const char *says(const cJSON *line, const char *key, const char *within)
{
	const cJSON *value = cJSON_GetObjectItem(line, key);
	const char *said =
		cJSON_GetStringValue(within ? cJSON_GetObjectItem(value, within) : value);

	return said ? said : "(none)";
}

TEST a_side_that_nobody_judged_makes_no_pair(void)
{
	int64_t tree = grove_tree(&grove, LOOM_BUFFER, "P");
	int64_t bad = 0;

	for (int i = 0; i < 17; i++)
		bad = grove_node(&grove, grove_root(&grove, tree), "text");
	export_pairs(tree);
	ASSERT_EQ(0, (int)text.n);
	grove_prune(&grove, bad);
	export_pairs(tree);
	ASSERT_EQ(0, (int)text.n);
	ASSERT_EQ(1, (int)told.left_out[LOOM_EXPORT_LEFT_ALONE]);
	PASS();
}

TEST a_pair_names_its_nodes_its_judges_their_reasons_and_times(void)
{
	int64_t tree = grove_tree(&grove, LOOM_BUFFER, "P");
	int64_t good = grove_node(&grove, grove_root(&grove, tree), "good");
	int64_t bad = answer(grove_root(&grove, tree), "bad");
	char ulid[LOOM_ULID_CHARS + 1];
	struct loom_node node = grove_get(&grove, bad);
	cJSON *line;

	loom_ulid_text(&node.ulid, ulid);
	rate(grove.model, good, true);
	grove.env.now_ms += 60000;
	grove_prune(&grove, bad);
	export_pairs(tree);
	line = cJSON_Parse(loom_buf_cstr(&text));
	ASSERT(line);
	ASSERT_STR_EQ("P", says(line, "prompt", NULL));
	ASSERT_STR_EQ("good", says(line, "chosen", NULL));
	ASSERT_STR_EQ("bad", says(line, "rejected", NULL));
	ASSERT_STR_EQ(ulid, says(line, "nodes", "rejected"));
	ASSERT_STR_EQ("", says(line, "models", "chosen"));
	ASSERT_STR_EQ("ngram", says(line, "models", "rejected"));
	ASSERT_STR_EQ("rated:good", says(line, "reason", "chosen"));
	ASSERT_STR_EQ("pruned", says(line, "reason", "rejected"));
	ASSERT_STR_EQ("ngram", says(line, "by", "chosen"));
	ASSERT_STR_EQ("Olga", says(line, "by", "rejected"));
	ASSERT_STR_EQ("2026-02-23T10:00:00.000Z", says(line, "decided", "chosen"));
	ASSERT_STR_EQ("2026-02-23T10:01:00.000Z", says(line, "time", NULL));
	ASSERT_EQ((size_t)LOOM_ULID_CHARS, strlen(says(line, "tree", NULL)));
	cJSON_Delete(line);
	PASS();
}

TEST equal_sides_and_repeated_pairs_are_left_out(void)
{
	int64_t tree = grove_tree(&grove, LOOM_BUFFER, "P");
	int64_t root = grove_root(&grove, tree);

	rate(grove.owner, grove_node(&grove, root, "one "), true);
	rate(grove.owner, grove_node(&grove, root, "one"), false);
	rate(grove.owner, grove_node(&grove, root, "two"), false);
	rate(grove.owner, grove_node(&grove, root, "two"), false);
	rate(grove.owner, grove_node(&grove, root, ""), false);
	export_pairs(tree);
	ASSERT_EQ(1, (int)told.pairs);
	ASSERT_EQ(2, (int)told.left_out[LOOM_EXPORT_LEFT_EQUAL]);
	ASSERT_EQ(1, (int)told.left_out[LOOM_EXPORT_LEFT_REPEATED]);
	PASS();
}

TEST in_a_dialogue_both_sides_are_answers(void)
{
	int64_t tree = grove_tree(&grove, LOOM_DIALOGUE, "Hello");
	int64_t root = grove_root(&grove, tree);
	int64_t first = answer(root, "first");

	rate(grove.owner, first, false);
	rate(grove.owner, answer(root, "second"), true);
	rate(grove.owner, grove_node(&grove, root, "what a person said"), true);
	export_pairs(tree);
	ASSERT_EQ(1, (int)told.pairs);
	ASSERT_EQ(1, (int)told.left_out[LOOM_EXPORT_LEFT_SPEECH]);
	ASSERT(strstr(text.p, "\"prompt\":[{\"role\":\"user\",\"content\":\"Hello\"}],\"chosen\":[{"
			      "\"role\":\"assistant\",\"content\":\"second\"}]"));
	/* What a person made of an answer stands in its place. */
	rate(grove.owner, grove_edit(&grove, first, "edited"), true);
	export_pairs(tree);
	ASSERT_EQ(2, (int)told.pairs);
	PASS();
}

/* About one in ten, and it is told by the tree alone. */
TEST a_tree_is_held_out_as_a_whole(void)
{
	enum { TREES = 200 };
	int held = 0;

	for (int i = 0; i < TREES; i++) {
		int64_t tree = grove_tree(&grove, LOOM_BUFFER, "P");
		int64_t root = grove_root(&grove, tree);
		bool test;

		rate(grove.owner, grove_node(&grove, root, "a"), true);
		rate(grove.owner, grove_node(&grove, root, "b"), false);
		rate(grove.owner, grove_node(&grove, root, "c"), false);
		export_pairs(tree);
		test = strstr(text.p, "\"split\":\"test\"") != NULL;
		ASSERT(!test || !strstr(text.p, "\"split\":\"train\""));
		held += test;
	}
	ASSERT(held > 2 && held < 50);
	PASS();
}

/* The sides of every pair of a grove, sorted, without what names the grove. */
static void sides_of(struct grove *of, struct loom_buf *out)
{
	struct loom_buf all = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest;
	struct loom_str line;

	exported_all(of, "pairs", &all);
	rest = loom_buf_str(&all);
	while (rest.n && loom_str_line(&rest, &line)) {
		loom_buf_add(out,
			     loom_str_sub(line, 0, loom_str_find(line, LOOM_STR(",\"split\""), 0)));
		loom_buf_addc(out, '\n');
	}
	loom_buf_fini(&all);
}

TEST pairs_come_back_as_pairs(void)
{
	struct loom_buf before = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf after = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (enum loom_mode mode = LOOM_DIALOGUE; mode <= LOOM_BUFFER; mode++) {
		int64_t tree = grove_tree(&grove, mode, "Once");
		struct imported in;

		imported_init(&in);
		for (int i = 0; i < 4; i++)
			rate(grove.owner,
			     answer(grove_root(&grove, tree),
				    (const char *[]){"a", "b", "c", "d"}[i]),
			     i % 2);
		export_pairs(tree);
		ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&in, "x", loom_buf_str(&text), &err),
			       "%d");
		ASSERT_EQ(0, (int)loom_import_report(in.import)->lost.count);
		ASSERT_EQ(0, (int)loom_import_report(in.import)->unknown.count);
		loom_buf_clear(&before);
		loom_buf_clear(&after);
		loom_buf_add(&before, loom_buf_str(&text));
		sides_of(&in.grove, &after);
		ASSERT_EQ(4, (int)told.pairs);
		for (int i = 0; i < 4; i++) {
			struct loom_str rest = loom_buf_str(&before);
			struct loom_str line;

			while (rest.n && loom_str_line(&rest, &line)) {
				line.n = loom_str_find(line, LOOM_STR(",\"split\""), 0);
				ASSERT(loom_str_find(loom_buf_str(&after), line, 0) != SIZE_MAX);
			}
		}
		imported_fini(&in);
	}
	loom_buf_fini(&before);
	loom_buf_fini(&after);
	PASS();
}

/* Whatever was judged: no side equals the other, no pair comes twice, and each side was judged. */
TEST random_judgements_make_sound_pairs(void)
{
	static const char *const words[] = {"a", "b", "c", "a ", ""};
	struct prop prop;

	prop_init(&prop, "pairs");
	for (int round = 0; round < prop_times(20); round++) {
		int64_t tree = grove_tree(&grove, LOOM_BUFFER, "P");
		int64_t nodes[24] = {grove_root(&grove, tree)};
		struct loom_str rest;
		struct loom_str line;

		for (size_t i = 1; i < LOOM_COUNT(nodes); i++) {
			nodes[i] = grove_node(&grove, nodes[prop_below(&prop, i / 2 + 1)],
					      words[prop_below(&prop, LOOM_COUNT(words))]);
			if (prop_once_in(&prop, 2))
				rate(grove.owner, nodes[i], prop_once_in(&prop, 2));
			if (prop_once_in(&prop, 8))
				grove_prune(&grove, nodes[i]);
		}
		export_pairs(tree);
		rest = loom_buf_str(&text);
		while (rest.n && loom_str_line(&rest, &line)) {
			cJSON *pair = cJSON_ParseWithLength(line.p, line.n);
			const struct loom_str good = loom_str_of(says(pair, "chosen", NULL));
			const struct loom_str bad = loom_str_of(says(pair, "rejected", NULL));
			const char *why = says(pair, "reason", "rejected");

			ASSERT(!loom_str_eq(loom_str_trim(good), loom_str_trim(bad)));
			ASSERT_STR_EQ("rated:good", says(pair, "reason", "chosen"));
			ASSERT(!strcmp(why, "rated:bad") || !strcmp(why, "pruned"));
			line.n = loom_str_find(line, LOOM_STR(",\"split\""), 0);
			ASSERT_EQ(SIZE_MAX, loom_str_find(rest, line, 0));
			cJSON_Delete(pair);
		}
	}
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_side_that_nobody_judged_makes_no_pair);
	RUN_TEST(a_pair_names_its_nodes_its_judges_their_reasons_and_times);
	RUN_TEST(equal_sides_and_repeated_pairs_are_left_out);
	RUN_TEST(in_a_dialogue_both_sides_are_answers);
	RUN_TEST(a_tree_is_held_out_as_a_whole);
	RUN_TEST(pairs_come_back_as_pairs);
	RUN_TEST(random_judgements_make_sound_pairs);
	GREATEST_MAIN_END();
}
