/* The command line on trees that have grown: what show, log, tree, diff and verify say of them. The
 * grove is made through the store, the program is run from outside. */
#include "greatest.h"

#include <loom/base/json.h>
#include <loom/tree/mark.h>
#include <loom/tree/open_store.h>

#include "support/child.h"
#include "support/grove.h"

static struct grove g;
static struct child_result said;
static cJSON *json;

/* Runs the program in the grove, in its fixed world. */
static int run(const char *arguments)
{
	struct loom_buf line = LOOM_BUF_INIT(1 << 16);
	char home[300];
	char data[300];
	char state[300];
	const char *env[] = {home, data, state, "LOOM_NOW=1771840800000", "LC_ALL=C.UTF-8", NULL};
	struct child_opts opts = {.env = env, .cwd = g.temp.path};
	enum loom_status ignored = LOOM_OK;

	child_fini(&said);
	cJSON_Delete(json);
	json = NULL;
	snprintf(home, sizeof home, "HOME=%s", g.temp.path);
	snprintf(data, sizeof data, "XDG_DATA_HOME=%s", g.temp.path);
	snprintf(state, sizeof state, "XDG_STATE_HOME=%s", g.temp.path);
	loom_buf_addf(&line, "unset LOOM_GROVE LOOM_AGENT LOOM_SEED; exec \"%s\" %s", LOOM_PROGRAM,
		      arguments);
	child_shell(loom_buf_cstr(&line), &opts, &said);
	loom_buf_fini(&line);
	if (said.out.n && said.out.p[0] == '{')
		ignored =
			loom_json_parse(loom_str_trim(loom_buf_str(&said.out)), NULL, &json, NULL);
	(void)ignored;
	return said.status;
}

static int run_on(const char *command, const char *node)
{
	return run(loom_arena_format(g.arena, "%s \"%s\"", command, node).p);
}

static const char *out(void)
{
	return loom_buf_cstr(&said.out);
}

static const char *error(void)
{
	return loom_buf_cstr(&said.err);
}

static const char *text_of(const cJSON *object, const char *key)
{
	struct loom_str text = loom_json_str(object, key);

	return text.p ? text.p : "(none)";
}

static const cJSON *list(const char *key)
{
	return loom_json_get(json, key);
}

static const char *item(const char *key, int index)
{
	const cJSON *one = cJSON_GetArrayItem(list(key), index);

	return cJSON_IsString(one) ? one->valuestring : "(none)";
}

static void set_up(void *ctx)
{
	(void)ctx;
	grove_init(&g);
}

static void tear_down(void *ctx)
{
	(void)ctx;
	child_fini(&said);
	memset(&said, 0, sizeof said);
	cJSON_Delete(json);
	json = NULL;
	grove_fini(&g);
}

static int64_t root;
static int64_t middle;

/* A root, one below it with a note, two below that. */
static void grow(enum loom_mode mode)
{
	root = grove_root(&g, grove_tree(&g, mode, "Once."));
	middle = grove_node(&g, root, "There was a \"word\". And another.");
	grove_note(&g, middle, "a turn");
	grove_node(&g, middle, "Left");
	grove_node(&g, middle, "Right");
}

TEST show_says_a_node_as_the_language_does(void)
{
	char expected[400];

	grow(LOOM_DIALOGUE);
	ASSERT_EQ(0, run_on("show", grove_name(&g, middle)));
	snprintf(expected, sizeof expected,
		 "[%s] human · 0s ago · depth:1\n"
		 "There was a \"word\". And another.\n"
		 "\nAnnotations:\n  [ann-1] \"a turn\"\n"
		 "\n2 continuations · 1 annotation\n"
		 "node: 6 words · 32 characters\n",
		 grove_name(&g, middle));
	ASSERT_STR_EQ(expected, out());
	ASSERT_EQ(0, run("show ann-1"));
	snprintf(expected, sizeof expected,
		 "[ann-1] human · 0s ago · on [%s]\na turn\nnode: 2 words · 6 characters\n",
		 grove_name(&g, middle));
	ASSERT_STR_EQ(expected, out());
	PASS();
}

TEST show_json_has_the_shape_that_others_rely_on(void)
{
	static const char *const keys[] = {
		"id",      "ulid",       "tree",        "author",        "author_name",
		"created", "depth",      "author_type", "content",       "summary",
		"links",   "bookmark",   "edited_from", "children",      "annotations",
		"hash",    "generation", "pruned",      "parent_hashes", "raw_response_hash",
	};
	struct loom_buf hex = LOOM_BUF_INIT(256);
	struct loom_node node;
	int64_t left = 0;

	grow(LOOM_DIALOGUE);
	ASSERT_EQ(0, run_on("show --json", grove_name(&g, middle)));
	ASSERT(json);
	for (size_t i = 0; i < LOOM_COUNT(keys); i++)
		ASSERTm(keys[i], loom_json_get(json, keys[i]));
	ASSERT_STR_EQ(grove_name(&g, middle), text_of(json, "id"));
	ASSERT_STR_EQ("There was a \"word\". And another.", text_of(json, "content"));
	ASSERT_STR_EQ("human", text_of(json, "author_type"));
	ASSERT_EQ(26, loom_json_str(json, "author").n);
	ASSERT_STR_EQ("2026-02-23T10:00:00.000Z", text_of(json, "created"));
	ASSERT_EQ(2, cJSON_GetArraySize(list("children")));
	ASSERT_EQ(1, cJSON_GetArraySize(list("annotations")));
	ASSERT_STR_EQ("ann-1", text_of(cJSON_GetArrayItem(list("annotations"), 0), "id"));
	ASSERT_STR_EQ("a turn", text_of(cJSON_GetArrayItem(list("annotations"), 0), "content"));
	ASSERT(cJSON_IsNull(list("edited_from")) && cJSON_IsNull(list("generation")));
	ASSERT(cJSON_IsNull(list("raw_response_hash")));
	ASSERT(cJSON_IsFalse(list("bookmark")) && cJSON_IsFalse(list("pruned")));
	node = grove_get(&g, root);
	loom_hash_hex(&node.hash, &hex);
	ASSERT_STR_EQ(loom_buf_cstr(&hex), item("parent_hashes", 0));
	left = grove_edit(&g, middle, "There was no word.");
	ASSERT_EQ(0, run_on("show --json",
			    loom_arena_format(g.arena, "%s.1", grove_name(&g, middle)).p));
	ASSERT_STR_EQ(grove_name(&g, left), text_of(json, "id"));
	ASSERT_STR_EQ(grove_name(&g, middle), text_of(json, "edited_from"));
	ASSERT_STR_EQ(loom_buf_cstr(&hex), item("parent_hashes", 0));
	loom_buf_fini(&hex);
	PASS();
}

TEST an_undone_node_is_not_found_and_a_pruned_one_says_so(void)
{
	int64_t last = 0;
	const char *name = NULL;
	char number[20];

	grow(LOOM_DIALOGUE);
	grove_prune(&g, middle);
	ASSERT_EQ(0, run_on("show --json", grove_name(&g, middle)));
	ASSERT(cJSON_IsTrue(list("pruned")));
	grove_restore(&g, middle);
	last = grove_node(&g, middle, "Gone");
	name = grove_name(&g, last);
	ASSERT_EQ(0, run_on("show", name));
	ASSERT_EQ(0, run("undo"));
	ASSERT_EQ(1, run_on("show", name));
	ASSERT(strstr(error(), "✗ NOT_FOUND: node ["));
	ASSERT_EQ(0, run("redo"));
	ASSERT_EQ(0, run_on("show", name));
	ASSERT_EQ(0, run_on("tree --json", name));
	/* Someone has gone on from it: its making cannot be undone, and the refusal says by what.
	 */
	grove_node(&g, last, "further");
	ASSERT_EQ(0, run("ops --last 2 --json"));
	ASSERT_EQ(2, cJSON_GetArraySize(list("ops")));
	snprintf(number, sizeof number, "%d",
		 loom_json_get(cJSON_GetArrayItem(list("ops"), 1), "op")->valueint);
	ASSERT_EQ(1, run_on("undo", number));
	ASSERT(strstr(error(), "✗ CONFLICT"));
	PASS();
}

TEST log_is_the_path_with_headers_and_texts(void)
{
	char expected[600];

	grow(LOOM_DIALOGUE);
	ASSERT_EQ(0, run_on("log", grove_name(&g, middle)));
	snprintf(expected, sizeof expected,
		 "[r001] human · 0s ago · depth:0\n1 continuation\n---\nOnce.\n\n"
		 "[%s] human · 0s ago · depth:1\n2 continuations · 1 annotation\n---\n"
		 "There was a \"word\". And another.\n"
		 "path: 7 words · 37 characters\n",
		 grove_name(&g, middle));
	ASSERT_STR_EQ(expected, out());
	ASSERT_EQ(0, run_on("log --json", grove_name(&g, middle)));
	ASSERT_EQ(2, cJSON_GetArraySize(list("nodes")));
	ASSERT_STR_EQ("Once.", text_of(cJSON_GetArrayItem(list("nodes"), 0), "content"));
	/* Without a node: where the person stands. */
	ASSERT_EQ(0, run("log --json"));
	ASSERT_EQ(1, cJSON_GetArraySize(list("nodes")));
	PASS();
}

TEST trees_are_counted_as_people_count(void)
{
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	int64_t top = grove_root(&g, tree);
	int64_t a = grove_node(&g, top, "a");
	int64_t b = grove_node(&g, top, "b");

	grove_node(&g, a, "aa");
	grove_node(&g, a, "ab");
	grove_node(&g, b, "ba");
	grove_note(&g, grove_node(&g, b, "bb"), "not counted");
	ASSERT_EQ(0, run("trees --json"));
	ASSERT(strstr(out(), "\"nodes\":7,\"branches\":6,\"leaves\":4"));
	ASSERT_EQ(0, run("tree --summary"));
	ASSERT(strstr(out(), "7 nodes · 6 branches · 4 leaves"));
	ASSERT_EQ(0, run("tree --json"));
	ASSERT_EQ(6, cJSON_GetArraySize(list("below")));
	ASSERT(cJSON_IsFalse(list("more_below")));
	ASSERT_EQ(0, run("tree --json --depth 1"));
	ASSERT_EQ(2, cJSON_GetArraySize(list("below")));
	ASSERT(cJSON_IsTrue(list("more_below")));
	ASSERT_EQ(0, run_on("tree --json", grove_name(&g, a)));
	ASSERT_EQ(2, cJSON_GetArraySize(list("below")));
	ASSERT_STR_EQ("r001", item("path", 0));
	ASSERT_EQ(2, run_on("tree -t x", grove_name(&g, a)));
	PASS();
}

TEST versions_of_a_buffer_are_one_node_of_the_tree(void)
{
	int64_t edited = 0;

	grow(LOOM_BUFFER);
	edited = grove_edit(&g, middle, "There is a word.");
	ASSERT_EQ(0, run("trees --json"));
	ASSERT(strstr(out(), "\"nodes\":4,"));
	ASSERT_EQ(0, run_on("show --json", grove_name(&g, edited)) ||
			     cJSON_GetArraySize(list("children")) != 2);
	ASSERT_EQ(0, run_on("log --json", grove_name(&g, edited)));
	ASSERT_STR_EQ("There is a word.", text_of(cJSON_GetArrayItem(list("nodes"), 1), "content"));
	PASS();
}

TEST a_difference_is_told_word_by_word(void)
{
	int64_t other = 0;
	char arguments[200];

	grow(LOOM_DIALOGUE);
	other = grove_edit(&g, middle, "There was a sign. And another.");
	snprintf(arguments, sizeof arguments, "diff %s \"%s\"", grove_name(&g, middle),
		 grove_name(&g, other));
	ASSERT_EQ(0, run(arguments));
	ASSERT(strstr(out(), "\nThere was a [-\"word\"-]{+sign+}. And another.\n"));
	ASSERT_EQ(1, run("diff r001 nothere9"));
	ASSERT_EQ(2, run("diff r001"));
	PASS();
}

TEST hostile_text_reaches_nobodys_terminal(void)
{
	int64_t node = 0;

	grow(LOOM_DIALOGUE);
	node = grove_node(&g, root,
			  "a\x1b[31mred\x1b]0;title\x07\xe2\x80\xae"
			  "b\rc\xc2\x9b");
	ASSERT_EQ(0, run_on("show", grove_name(&g, node)));
	for (size_t i = 0; i < said.out.n; i++)
		ASSERT((unsigned char)said.out.p[i] >= 0x20 || said.out.p[i] == '\n');
	ASSERT(strstr(out(), "^[[31mred"));
	ASSERT(strstr(out(), "<RLO>"));
	ASSERT_EQ(0, run_on("show --raw", grove_name(&g, node)));
	ASSERT(strstr(out(), "\x1b[31mred"));
	ASSERT_EQ(0, run_on("show --json", grove_name(&g, node)));
	ASSERT_STR_EQ("a\x1b[31mred\x1b]0;title\x07\xe2\x80\xae"
		      "b\rc\xc2\x9b",
		      text_of(json, "content"));
	PASS();
}

/* Changes the text of a node behind the store's back. */
static bool tamper(int64_t node)
{
	struct child_result done;
	char line[1000];
	bool changed = false;

	/* The triggers that forbid it go and come back: a grove without them is refused. */
	snprintf(line, sizeof line,
		 "command -v sqlite3 >/dev/null || exit 7; db=%s/.loom/grove.db; "
		 "all=\"FROM sqlite_schema WHERE type = 'trigger'\"; "
		 "off=$(sqlite3 \"$db\" \"SELECT 'DROP TRIGGER ' || name || ';' $all\") && "
		 "on=$(sqlite3 \"$db\" \"SELECT sql || ';' $all\") && "
		 "sqlite3 \"$db\" \"$off UPDATE body SET text = CAST('Lies.' AS BLOB) WHERE "
		 "id = %lld; $on\"",
		 g.temp.path, (long long)node);
	changed = child_shell(line, NULL, &done) && done.status == 0;
	if (!changed)
		fprintf(stderr, "%s\n", loom_buf_cstr(&done.err));
	child_fini(&done);
	return changed;
}

TEST a_changed_text_is_found_by_name(void)
{
	char expected[100];

	grow(LOOM_DIALOGUE);
	ASSERT_EQ(0, run("verify"));
	ASSERT_STR_EQ("✓ 5 nodes are as recorded\n", out());
	loom_store_close(g.store);
	g.store = NULL;
	if (!tamper(middle)) {
		grove_reopen(&g);
		SKIPm("no sqlite3 here");
	}
	grove_reopen(&g);
	ASSERT_EQ(1, run("verify"));
	snprintf(expected, sizeof expected, "[%s] in tree:\"", grove_name(&g, middle));
	ASSERT(strstr(out(), expected));
	ASSERT(strstr(out(), "its content hash does not match\n"));
	ASSERT_EQ(0, run("verify r001"));
	ASSERT_EQ(1, run_on("verify --json", grove_name(&g, middle)));
	ASSERT_EQ(1, cJSON_GetArraySize(list("bad")));
	ASSERT_STR_EQ(grove_name(&g, middle), text_of(cJSON_GetArrayItem(list("bad"), 0), "node"));
	ASSERT_EQ(1, run("check --deep"));
	ASSERT_EQ(1, run("check --deep --json"));
	ASSERT(cJSON_GetArraySize(list("findings")) > 0);
	PASS();
}

TEST ids_of_another_tree_are_said_to_be_there(void)
{
	grow(LOOM_DIALOGUE);
	ASSERT_EQ(0, run("new --title Other"));
	ASSERT_EQ(1, run_on("show", grove_name(&g, middle)));
	ASSERT(strstr(error(), "✗ NOT_FOUND"));
	ASSERT(strstr(error(), "hint: tree \""));
	PASS();
}

TEST nonsense_is_refused_and_changes_nothing(void)
{
	static const struct {
		const char *arguments;
		int status;
	} cases[] = {
		{"show a b", 2},
		{"show hello", 1},
		{"show ''", 1},
		{"show a7x2'", 2},
		{"show --full r001", 2},
		{"log a b", 2},
		{"log nothere9", 1},
		{"log \"$(printf '\\377')\"", 1},
		{"tree --depth x", 2},
		{"tree --depth -1", 2},
		{"tree -t nowhere", 1},
		{"tag nothere9 x", 1},
		{"tag r001 ''", 1},
		{"tag r001 \"$(printf '\\377')\"", 1},
		{"tag -d r001", 2},
		{"tag --with x r001", 2},
		{"tag --tree x", 2},
		{"link", 2},
		{"link r001 r001 --doc x", 2},
		{"link r001 --doc nowhere", 1},
		{"link r001 --tree nowhere", 1},
		{"link r001 nothere9", 1},
		{"link -d r001 r001", 1},
		{"link -d r001", 2},
		{"link r001 --section x", 2},
		{"verify nothere9", 1},
		{"verify r001 r001", 2},
		{"check now", 2},
		{"backup", 2},
		{"backup /nowhere/at/all", 3},
		{"backup .", 1},
		{"backup .loom/grove.db", 1},
		{"drafts show", 2},
		{"drafts show x", 1},
		{"drafts drop", 2},
		{"use", 2},
		{"events x", 2},
	};
	struct loom_op *ops = NULL;
	size_t count = 0;
	size_t before = 0;

	grow(LOOM_DIALOGUE);
	ASSERT_EQ(LOOM_OK, loom_op_list(g.store, &(struct loom_op_page){.limit = 100}, g.arena,
					&ops, &before, NULL));
	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		ASSERT_EQ_FMTm(cases[i].arguments, cases[i].status, run(cases[i].arguments), "%d");
		ASSERT_EQm(cases[i].arguments, 0, said.out.n);
		ASSERTm(cases[i].arguments, said.err.n > 0);
	}
	ASSERT_EQ(LOOM_OK, loom_op_list(g.store, &(struct loom_op_page){.limit = 100}, g.arena,
					&ops, &count, NULL));
	ASSERT_EQ(before, count);
	PASS();
}

SUITE(nodes)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(show_says_a_node_as_the_language_does);
	RUN_TEST(show_json_has_the_shape_that_others_rely_on);
	RUN_TEST(an_undone_node_is_not_found_and_a_pruned_one_says_so);
	RUN_TEST(log_is_the_path_with_headers_and_texts);
	RUN_TEST(trees_are_counted_as_people_count);
	RUN_TEST(versions_of_a_buffer_are_one_node_of_the_tree);
	RUN_TEST(a_difference_is_told_word_by_word);
	RUN_TEST(hostile_text_reaches_nobodys_terminal);
	RUN_TEST(a_changed_text_is_found_by_name);
	RUN_TEST(ids_of_another_tree_are_said_to_be_there);
	RUN_TEST(nonsense_is_refused_and_changes_nothing);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(nodes);
	GREATEST_MAIN_END();
}
