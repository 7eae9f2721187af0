/* The line mode, read again by somebody who knows only its forms: as many places as there are, no
 * sentence but ours, whatever the texts and titles say. */
#include <greatest.h>

#include <loom/tree/document.h>
#include <loom/tree/open_store.h>
#include <loom/work/thread.h>

#include "support/child.h"
#include "support/grove.h"
#include "support/hostile.h"

#define CASES 20000
#define PATH  1000
#define ROWS  1000

static struct grove grove;
static struct prop prop;
static struct loom_buf text;
static struct loom_err err;

static void use(int64_t tree)
{
	grove_must(loom_quiet_begin(grove.store, &err), &err, "quiet");
	grove_must(loom_quiet_end(grove.store, loom_use_tree(grove.store, tree, &err), &err), &err,
		   "use");
}

/* A tree with a chain of such texts. */
static void make_path(void)
{
	struct loom_tree_spec spec = {.mode = LOOM_DIALOGUE, .author = grove.owner};
	struct loom_tree row;
	int64_t tree = 0;
	int64_t node = 0;

	hostile_name(&prop, &text);
	spec.title = loom_buf_str(&text);
	spec.root_text = LOOM_STR("Begin.");
	grove_begin(&grove, "import"); /* whatever stands in a title */
	grove_must(loom_tree_create(grove.store, &spec, &tree, &err), &err, "tree");
	grove_must(loom_tree_get(grove.store, tree, grove.arena, &row, &err), &err, "tree");
	node = row.root;
	for (size_t i = 1; i < PATH; i++) {
		struct loom_node_spec more = {.from = node, .author = grove.owner, .seq = -1};

		hostile_text(&prop, &text);
		more.text = loom_buf_str(&text);
		grove_must(loom_node_create(grove.store, &more, &node, &err), &err, "node");
	}
	grove_commit(&grove);
	use(tree);
}

static void run_it(struct loom_str keys, struct child_result *said)
{
	char home[1100];
	const char *const env[] = {home, NULL};
	const char *const argv[] = {LOOM_PROGRAM, "-g", grove.temp.path, "--plain", NULL};
	struct child_opts opts = {.env = env, .cwd = grove.temp.path, .timeout_ms = 100000};

	snprintf(home, sizeof home, "HOME=%s", grove.temp.path);
	opts.input = keys;
	(void)child_run(argv, &opts, said);
}

/* Goes down the whole of it. */
static void run_down(struct child_result *said)
{
	struct loom_buf keys = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 1; i < PATH; i++)
		loom_buf_adds(&keys, "l\n");
	loom_buf_adds(&keys, "Q\n");
	run_it(loom_buf_str(&keys), said);
	loom_buf_fini(&keys);
}

/* [a7x2] by human, depth 7, … */
static bool is_place(struct loom_str line)
{
	const size_t close = loom_str_find_char(line, ']', 0);

	return loom_str_starts(line, LOOM_STR("[")) && close < 12 &&
	       loom_str_starts(loom_str_sub(line, close, line.n), LOOM_STR("] by human, depth "));
}

/* Any other line that could be taken for one of ours. What ends a line for some readers can be seen
 * here and ends none, so that a quoted line may stand within one. */
static bool is_strange(struct loom_str line)
{
	return hostile_looks(line) && !is_place(line) &&
	       loom_str_find_char(line, '\\', 0) == SIZE_MAX;
}

TEST places_and_sentences_are_those_that_are_ours(void)
{
	for (int i = 0; i < prop_times(CASES / PATH); i++) {
		struct child_result said;
		struct hostile_lines lines = {.over = false};
		size_t places = 0;
		size_t sentences = 0;
		size_t strange = 0;

		make_path();
		loom_store_close(grove.store);
		grove.store = NULL;
		run_down(&said);
		ASSERT_EQ(0, said.status);
		lines.text = loom_buf_str(&said.out);
		while (hostile_line(&lines)) {
			places += is_place(lines.line);
			strange += is_strange(lines.line);
			sentences += hostile_looks_sentence(lines.line);
		}
		ASSERT_EQ(PATH, places);
		ASSERT_EQ(0, sentences);
		ASSERT_EQ(0, strange);
		child_fini(&said);
		grove_reopen(&grove);
	}
	PASS();
}

/* What is read out has sentences of others in it as well, and so may a title. */
TEST what_is_read_out_says_nothing_for_us(void)
{
	struct loom_tree_spec spec = {.mode = LOOM_DIALOGUE,
				      .author = grove.owner,
				      .title = LOOM_STR("loom: a title"),
				      .root_text = LOOM_STR("Begin.\nloom: saved\nloom is fine")};
	struct child_result said;
	int64_t tree = 0;

	grove_begin(&grove, "import");
	grove_must(loom_tree_create(grove.store, &spec, &tree, &err), &err, "tree");
	grove_commit(&grove);
	use(tree);
	loom_store_close(grove.store);
	grove.store = NULL;
	run_it(LOOM_STR(":view r001 full\nno such thing\nQ\n"), &said);
	ASSERT_EQ(0, strncmp(loom_buf_cstr(&said.out), "\\loom: a title\n", 15));
	ASSERT_FALSE(strstr(loom_buf_cstr(&said.out), "\nloom: saved"));
	ASSERT(strstr(loom_buf_cstr(&said.out), "\n\\loom: saved\nloom is fine"));
	/* and what we say is said as ours */
	ASSERT(strstr(loom_buf_cstr(&said.out), "\nloom: "));
	child_fini(&said);
	grove_reopen(&grove);
	PASS();
}

/* Titles, names of documents and of agents, which stand at the head of their rows. */
TEST no_row_of_a_list_is_a_line_of_ours(void)
{
	struct loom_agent claim = {.kind = LOOM_AGENT_MODEL,
				   .from = LOOM_STR("x.json"),
				   .claim = LOOM_CLAIM_UNSIGNED};
	struct loom_tree_spec spec = {.mode = LOOM_DIALOGUE, .author = grove.owner};
	struct child_result said;
	struct hostile_lines lines = {.over = false};
	size_t looks = 0;
	size_t documents = 0;
	int64_t made = 0;

	grove_begin(&grove, "import");
	for (int i = 0; i < prop_times(ROWS); i++) {
		hostile_name(&prop, &text);
		spec.title = loom_buf_str(&text);
		grove_must(loom_tree_create(grove.store, &spec, &made, &err), &err, "tree");
		hostile_name(&prop, &text);
		for (char *quote = text.p; (quote = strchr(quote, '"'));)
			*quote = '_';
		claim.name = loom_buf_str(&text);
		grove_must(loom_agent_claim(grove.store, &claim, &made, &err), &err, "claim");
		documents += loom_doc_create(grove.store, loom_buf_str(&text), LOOM_STR("Words."),
					     grove.owner, &made, &err) == LOOM_OK;
	}
	grove_commit(&grove);
	ASSERT(documents);
	loom_store_close(grove.store);
	grove.store = NULL;
	run_it(LOOM_STR("ot\nod\noa\nQ\n"), &said);
	ASSERT_EQ(0, said.status);
	lines.text = loom_buf_str(&said.out);
	while (hostile_line(&lines))
		looks += (hostile_looks(lines.line) && !is_place(lines.line)) ||
			 (hostile_looks_sentence(lines.line) &&
			  !loom_str_starts(lines.line, LOOM_STR("loom: ")));
	ASSERT_EQ(0, looks);
	child_fini(&said);
	grove_reopen(&grove);
	PASS();
}

SUITE(plain)
{
	RUN_TEST(no_row_of_a_list_is_a_line_of_ours);
	RUN_TEST(what_is_read_out_says_nothing_for_us);
	RUN_TEST(places_and_sentences_are_those_that_are_ours);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	grove_init(&grove);
	loom_buf_init(&text, LOOM_BUF_MAX);
	prop_init(&prop, "plain");
	RUN_SUITE(plain);
	loom_buf_fini(&text);
	grove_fini(&grove);
	GREATEST_MAIN_END();
}
