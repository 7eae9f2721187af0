/* Import as a whole: merging, undo, repairs, broken and hostile files, and what goes out coming
 * back the same. What each format becomes is proven by tests/imports (test_import_chats.c). */
#include <greatest.h>

#include <dirent.h>

#include <loom/tree/job.h>
#include <loom/tree/open_store.h>

#include <tests/support/exported.h>
#include <tests/support/imported.h>
#include <tests/support/prop.h>
#include <tests/support/raw.h>

GREATEST_MAIN_DEFS();

#define FOLDER            LOOM_SOURCE "/tests/imports/"
#define NEXT(text, parts) "{\"root\":{\"id\":\"r\",\"text\":\"" text "\",\"children\":[" parts "]}}"
#define LEAF(id, text)    "{\"id\":\"" id "\",\"text\":\"" text "\",\"children\":[]}"

static struct imported in;
static struct loom_err err;

static void set_up(void *ctx)
{
	(void)ctx;
	imported_init(&in);
	err = (struct loom_err){.status = LOOM_OK};
}

static void tear_down(void *ctx)
{
	(void)ctx;
	imported_fini(&in);
}

static enum loom_status add(const char *text)
{
	return imported_add(&in, "x.json", loom_str_of(text), &err);
}

static const struct loom_import_report *report(void)
{
	return loom_import_report(in.import);
}

static int64_t count(const char *sql)
{
	return raw_int(&in.grove, sql);
}

static int64_t visible_nodes(void)
{
	return count("SELECT count(*) FROM node n JOIN op o ON o.id = n.op AND o.state = 1");
}

static int64_t findings(void)
{
	struct loom_check_opts deep = {.deep = true};
	int64_t found = 0;

	grove_must(loom_store_check(in.grove.store, &deep, &found, &err), &err, "check");
	return found;
}

/* ---- merging ---- */

TEST a_file_that_has_grown_brings_only_what_is_new(void)
{
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	ASSERT_EQ(2, report()->added);
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon") "," LEAF("b", " more"))));
	ASSERT_EQ(1, report()->added);
	ASSERT_EQ(2, report()->known);
	ASSERT_EQ(3, visible_nodes());
	ASSERT_EQ(1, count("SELECT count(*) FROM tree"));
	ASSERT_EQ(0, findings());
	PASS();
}

TEST a_node_that_was_changed_stands_beside_what_it_was(void)
{
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " on"))));
	ASSERT_STR_EQ("= x (buffer)\nunknown?: Once\n unknown?:  upon\n unknown?:  on\n",
		      imported_say(&in));
	PASS();
}

TEST a_root_that_was_changed_is_a_version_of_the_root(void)
{
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	ASSERT_EQ(LOOM_OK, add(NEXT("Twice", LEAF("a", " upon") "," LEAF("b", " more"))));
	ASSERT_EQ(1, count("SELECT count(*) FROM tree"));
	ASSERT_EQ(2, report()->added);
	ASSERT_EQ(1, count("SELECT prime FROM node WHERE edited_from IS NOT NULL"));
	ASSERT_EQ(0, findings());
	PASS();
}

TEST importing_after_an_undo_brings_the_same_nodes_back(void)
{
	int64_t nodes;

	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	nodes = count("SELECT count(*) FROM node");
	ASSERT_EQ(LOOM_OK, loom_op_undo(in.grove.store, in.grove.owner, 0, NULL, &err));
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	ASSERT_EQ(1, report()->restored);
	ASSERT_EQ(0, report()->added);
	ASSERT_EQ(nodes, count("SELECT count(*) FROM node"));
	ASSERT_EQ(nodes, visible_nodes());
	PASS();
}

TEST what_a_second_import_added_comes_back_too_after_its_undo(void)
{
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon") "," LEAF("b", " more"))));
	ASSERT_EQ(LOOM_OK, loom_op_undo(in.grove.store, in.grove.owner, 0, NULL, &err));
	ASSERT_EQ(2, visible_nodes());
	ASSERT_EQ(0, findings());
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon") "," LEAF("b", " more"))));
	ASSERT_EQ(1, report()->restored);
	ASSERT_EQ(3, visible_nodes());
	ASSERT_EQ(3, count("SELECT count(*) FROM node"));
	ASSERT_EQ(0, findings());
	PASS();
}

TEST twins_without_ids_stay_two_and_are_known_again(void)
{
	static const char text[] = "{\"text\":\"r\",\"children\":[{\"text\":\"x\",\"children\":[]},"
				   "{\"text\":\"x\",\"children\":[]}]}";

	ASSERT_EQ(LOOM_OK, add(text));
	ASSERT_EQ(3, report()->added);
	ASSERT_EQ(LOOM_OK, add(text));
	ASSERT_EQ(0, report()->added);
	ASSERT_EQ(3, visible_nodes());
	PASS();
}

TEST a_dry_run_says_what_would_be_and_writes_nothing(void)
{
	struct loom_import_opts opts = {.env = &in.grove.env, .dir = in.grove.temp.path};
	struct loom_import_write how = {.actor = in.grove.owner, .dry = true};
	int64_t op = 0;

	ASSERT_EQ(LOOM_OK, loom_import_create(&opts, &in.import, &err));
	ASSERT_EQ(LOOM_OK, loom_import_add(in.import, LOOM_STR("x.json"),
					   LOOM_STR(NEXT("Once", LEAF("a", " upon"))), &err));
	ASSERT_EQ(LOOM_OK, loom_import_settle(in.import, &err));
	ASSERT_EQ(LOOM_OK, loom_import_write(in.import, in.grove.store, &how, &op, &err));
	ASSERT_EQ(2, report()->added);
	ASSERT_EQ(0, op);
	ASSERT_EQ(0, visible_nodes());
	PASS();
}

/* ---- stopping and breaking ---- */

TEST a_cancelled_import_leaves_nothing_and_can_be_made_again(void)
{
	struct loom_task task = {0};
	struct loom_import_opts opts = {.env = &in.grove.env,
					.dir = in.grove.temp.path,
					.task = &task};
	struct loom_import_write how = {.actor = in.grove.owner};
	int64_t op = 0;

	ASSERT_EQ(LOOM_OK, loom_import_create(&opts, &in.import, &err));
	ASSERT_EQ(LOOM_OK, loom_import_add(in.import, LOOM_STR("x.json"),
					   LOOM_STR(NEXT("Once", LEAF("a", " upon"))), &err));
	ASSERT_EQ(LOOM_OK, loom_import_settle(in.import, &err));
	loom_task_cancel(&task);
	ASSERT_EQ(LOOM_CANCELLED, loom_import_write(in.import, in.grove.store, &how, &op, &err));
	ASSERT_EQ(0, visible_nodes());
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	ASSERT_EQ(2, visible_nodes());
	PASS();
}

/* What is left of a write that died half-way goes when the grove is opened. */
/* A file of one long conversation: what is shown grows within it, over both looks at the file. */
TEST reading_says_how_far_it_is_within_one_conversation(void)
{
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_task task = {0};
	struct loom_import_opts opts = {.env = &in.grove.env, .task = &task};
	struct loom_import *import = NULL;
	uint64_t done = 0;
	uint64_t total = 0;

	loom_buf_adds(&bytes, "[{\"title\":\"T\",\"mapping\":{");
	for (int i = 0; i < 1000; i++)
		loom_buf_addf(&bytes, "%s\"%d\":{\"message\":null,\"parent\":\"%d\"}", i ? "," : "",
			      i, i - 1);
	loom_buf_adds(&bytes, "}}]");
	ASSERT_EQ(LOOM_OK, loom_import_create(&opts, &import, &err));
	ASSERT_EQ(LOOM_OK, loom_import_add(import, LOOM_STR("x.json"), loom_buf_str(&bytes), &err));
	loom_task_progress(&task, &done, &total);
	ASSERT_EQ(bytes.n, total);
	ASSERT(done > total * 9 / 10);
	ASSERT(done <= total);
	loom_import_destroy(import);
	loom_buf_fini(&bytes);
	PASS();
}

TEST an_import_that_died_stands_in_nobodys_way(void)
{
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	raw_exec(&in.grove,
		 "REPLACE INTO op SELECT id, uid, 3, kind, text, inverse, actor, thread, "
		 "tree, at, applied, 'gone' FROM op WHERE kind = 'import'");
	grove_reopen(&in.grove);
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	ASSERT_EQ(2, report()->added);
	ASSERT_EQ(2, visible_nodes());
	ASSERT_EQ(LOOM_OK, add(NEXT("Once", LEAF("a", " upon"))));
	ASSERT_EQ(0, report()->added);
	PASS();
}

static enum greatest_test_res cut_everywhere(const char *name)
{
	struct loom_buf path = LOOM_BUF_INIT(4096);
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t step = 1;

	loom_buf_addf(&path, FOLDER "%s", name);
	ASSERT(temp_read(loom_buf_cstr(&path), &bytes));
	step += bytes.n / 700 * (size_t)prop_every(2);
	for (size_t n = 0; n < bytes.n; n += step) {
		struct loom_import_opts opts = {.env = &in.grove.env, .dir = in.grove.temp.path};
		enum loom_status status;

		loom_import_destroy(in.import);
		in.import = NULL;
		ASSERT_EQ(LOOM_OK, loom_import_create(&opts, &in.import, &err));
		status = loom_import_add(in.import, loom_str_of(name),
					 loom_str_sub(loom_buf_str(&bytes), 0, n), &err);
		if (status == LOOM_OK)
			status = loom_import_settle(in.import, &err);
		ASSERT(status == LOOM_OK || err.text[0]);
	}
	loom_buf_fini(&path);
	loom_buf_fini(&bytes);
	PASS();
}

TEST a_file_cut_anywhere_is_read_or_refused(void)
{
	struct dirent **entries = NULL;
	int n = scandir(FOLDER, &entries, NULL, alphasort);

	ASSERT(n > 20);
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.')
			CHECK_CALL(cut_everywhere(entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	PASS();
}

TEST no_fixture_brings_a_secret_into_the_grove(void)
{
	struct dirent **entries = NULL;
	int n = scandir(FOLDER, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		struct loom_buf path = LOOM_BUF_INIT(4096);
		struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);

		loom_buf_addf(&path, FOLDER "%s", entries[i]->d_name);
		if (temp_read(loom_buf_cstr(&path), &bytes) &&
		    imported_add(&in, entries[i]->d_name, loom_buf_str(&bytes), &err) == LOOM_OK)
			ASSERT_EQ_FMTm(entries[i]->d_name, 0,
				       (int)count("SELECT count(*) FROM body WHERE extra LIKE "
						  "'%do-not-keep%' OR text LIKE '%do-not-keep%' "
						  "OR extra LIKE '%sk-0123456789%'"),
				       "%d");
		loom_buf_fini(&path);
		loom_buf_fini(&bytes);
		free(entries[i]);
	}
	free(entries);
	PASS();
}

TEST what_is_not_read_is_refused_with_the_reason(void)
{
	static const char *const texts[] = {
		"{\"modelPresets\":[],\"apiKey\":\"x\"}",
		"{\"settings\":{\"apiKey\":\"x\"}}",
		"{\"nodes\":[{\"id\":\"a\",\"type\":\"text\"}],\"edges\":[]}",
		"{\"what\":\"ever\"}",
		"{\"loom\":\"export\",\"version\":2,\"trees\":[]}",
		"SQLite format 3",
		"PK\x03\x04",
		" \n",
	};

	for (size_t i = 0; i < LOOM_COUNT(texts); i++) {
		ASSERT_EQ_FMTm(texts[i], LOOM_REFUSED, add(texts[i]), "%d");
		ASSERT(strlen(err.text) > 8);
	}
	ASSERT_EQ(0, visible_nodes());
	PASS();
}

/* ---- hostile files ---- */

TEST a_tree_as_deep_as_is_allowed_is_read_and_a_deeper_one_is_not(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const int deep = LOOM_IMPORT_DEPTH_MAX / 2 - 1;

	for (int i = 0; i < deep; i++)
		loom_buf_adds(&text, "{\"text\":\"t\",\"children\":[");
	for (int i = 0; i < deep; i++)
		loom_buf_adds(&text, "]}");
	ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&in, "deep.json", loom_buf_str(&text), &err),
		       "%d");
	ASSERT_EQ(deep, report()->added);
	loom_buf_clear(&text);
	loom_buf_add_repeat(&text, '[', LOOM_IMPORT_DEPTH_MAX + 1);
	ASSERT_EQ(LOOM_LIMIT, imported_add(&in, "deeper.json", loom_buf_str(&text), &err));
	loom_buf_fini(&text);
	PASS();
}

TEST a_million_unknown_members_are_a_line_of_the_report_each_up_to_a_bound(void)
{
	const int many = 1000000 / prop_every(4);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(&text, "{\"root\":{\"text\":\"r\",\"children\":[]}");
	for (int i = 0; i < many; i++)
		loom_buf_addf(&text, ",\"k%d\":%d", i, i);
	loom_buf_addc(&text, '}');
	ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&in, "x.json", loom_buf_str(&text), &err),
		       "%d");
	ASSERT_EQ(201, (int)report()->unknown.count);
	ASSERT_EQ(many - 200, (int)report()->unknown.items[200].count);
	loom_buf_fini(&text);
	PASS();
}

TEST what_is_too_large_for_a_row_is_refused_or_left_out_and_said(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(&text, "{\"root\":{\"text\":\"");
	loom_buf_add_repeat(&text, 'x', LOOM_ROW_BYTES_MAX + 1);
	loom_buf_adds(&text, "\",\"children\":[]}}");
	ASSERT_EQ(LOOM_LIMIT, imported_add(&in, "large.json", loom_buf_str(&text), &err));
	ASSERT_STR_EQ("a node of 67108865 bytes; the limit is 64 MiB", err.text);
	loom_buf_clear(&text);
	loom_buf_adds(&text, "{\"root\":{\"text\":\"r\",\"a\":1,\"b\":\"");
	loom_buf_add_repeat(&text, 'x', (size_t)33 << 20);
	loom_buf_adds(&text, "\",\"c\":2,\"children\":[]}}");
	ASSERT_EQ_FMTm(err.text, LOOM_OK,
		       imported_add(&in, "large.json", loom_buf_str(&text), &err), "%d");
	ASSERT_EQ(1, (int)report()->lost.count);
	ASSERT_EQ(2, (int)report()->unknown.count);
	ASSERT_STR_EQ("node field past the first 32 MiB of them", report()->lost.items[0].text.p);
	loom_buf_fini(&text);
	PASS();
}

TEST texts_that_are_no_texts_are_repaired_and_kept(void)
{
	static const char text[] =
		"{\"root\":{\"text\":\"a\\ud83db\xFF\\u0000c\",\"children\":[]}}";
	struct loom_str original;
	struct loom_str extra;

	ASSERT_EQ_FMTm(err.text, LOOM_OK, add(text), "%d");
	ASSERT_STR_EQ("= x (buffer)\nunknown?: a\xEF\xBF\xBD"
		      "b\xEF\xBF\xBD^@c\n"
		      "repaired 1 half a surrogate pair in a text became U+FFFD\n"
		      "repaired 1 U+0000 in a text, kept\n",
		      imported_say(&in));
	ASSERT_EQ(LOOM_OK, loom_carry_kept(in.grove.store, count("SELECT max(id) FROM node"),
					   in.grove.arena, &original, &extra, &err));
	ASSERT_EQ(8, (int)original.n);
	PASS();
}

/* ---- out and in again ---- */

static void grow(struct grove *grove)
{
	int64_t tree = grove_tree(grove, LOOM_BUFFER, "Once \"upon\"\n");
	int64_t talk = grove_tree(grove, LOOM_DIALOGUE, "");
	int64_t root = grove_root(grove, tree);
	int64_t a = grove_node(grove, root, " a time \xF0\x9F\x98\x80");
	int64_t b = grove_node(grove, root, " a hill");
	int64_t c = grove_node(grove, grove_edit(grove, a, " a tide"), " rose");
	int64_t d = grove_node(grove, grove_root(grove, talk), "hello");
	bool changed = false;

	grove_edit(grove, d, "hallo");
	grove_edit(grove, a, " a third");
	grove_note(grove, c, "is it?");
	grove_begin(grove, "bookmark");
	grove_must(loom_bookmark_set(grove->store, c, true, LOOM_STR("key"), &changed, &err), &err,
		   "bookmark");
	grove_must(loom_tag_set(grove->store, a, LOOM_STR("sea"), true, &changed, &err), &err,
		   "tag");
	grove_must(loom_exclude_set(grove->store, d, true, &changed, &err), &err, "exclude");
	grove_must(loom_summary_keep(grove->store, LOOM_JOB_NODE, c, LOOM_STR("it rises"), false,
				     &err),
		   &err, "summary");
	grove_commit(grove);
	grove_prune(grove, b);
}

TEST our_own_export_comes_back_byte_for_byte(void)
{
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf second = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct imported other;

	imported_init(&other);
	grow(&in.grove);
	exported_all(&in.grove, "json", &first);
	ASSERT_EQ_FMTm(err.text, LOOM_OK,
		       imported_add(&other, "grove.json", loom_buf_str(&first), &err), "%d");
	ASSERT_EQ(0, (int)loom_import_report(other.import)->lost.count);
	exported_all(&other.grove, "json", &second);
	/* into the grove that it is from: everything is there */
	ASSERT_EQ_FMTm(err.text, LOOM_OK,
		       imported_add(&in, "grove.json", loom_buf_str(&first), &err), "%d");
	ASSERT_EQ(0, report()->added);
	/* elsewhere all of a person's are claims, and nothing else is different */
	ASSERT_EQ(10, loom_import_report(other.import)->claims);
	exported_bare(&first);
	exported_bare(&second);
	ASSERT_STR_EQ(loom_buf_cstr(&first), loom_buf_cstr(&second));
	imported_fini(&other);
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	PASS();
}

/* The largest that the store takes, whatever is kept beside it. */
TEST a_node_that_the_store_took_comes_back_however_large(void)
{
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf second = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const int64_t root = grove_root(&in.grove, grove_tree(&in.grove, LOOM_BUFFER, ""));
	struct imported other;

	imported_init(&other);
	loom_buf_add_repeat(&text, 'x', LOOM_ROW_BYTES_MAX - 100);
	grove_node(&in.grove, root, loom_buf_cstr(&text));
	exported_all(&in.grove, "json", &first);
	ASSERT_EQ_FMTm(err.text, LOOM_OK,
		       imported_add(&other, "grove.json", loom_buf_str(&first), &err), "%d");
	exported_all(&other.grove, "json", &second);
	exported_bare(&first);
	exported_bare(&second);
	ASSERT(loom_str_eq(loom_buf_str(&first), loom_buf_str(&second)));
	/* Too much with what a row has beside it is refused by the store, and nothing of it stays.
	 */
	loom_buf_add_repeat(&text, 'x', 100);
	ASSERT_EQ(LOOM_LIMIT, imported_add(&other, "large.txt", loom_buf_str(&text), &err));
	imported_fini(&other);
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	loom_buf_fini(&text);
	PASS();
}

/* Our export as somebody may have changed it: nothing of his passes for what is there. */
TEST a_forged_export_does_not_change_what_is_there(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t nodes;
	char *at;

	grow(&in.grove);
	nodes = visible_nodes();
	exported_all(&in.grove, "json", &text);
	at = strstr(text.p, " rose");
	ASSERT(at);
	memcpy(at, " fell", 5);
	ASSERT_EQ_FMTm(err.text, LOOM_OK,
		       imported_add(&in, "grove.json", loom_buf_str(&text), &err), "%d");
	ASSERT_EQ(1, report()->added);
	ASSERT_EQ(nodes + 1, visible_nodes());
	ASSERT_EQ(1, count("SELECT count(*) FROM body WHERE text = CAST(' rose' AS BLOB)"));
	ASSERT_EQ(0, findings());
	loom_buf_fini(&text);
	PASS();
}

/* Lines of an export, put together by hand. */
#define OURS(nodes)                                                                                \
	"{\"loom\":\"export\",\"version\":1,\"trees\":[{\"ulid\":\"01KJ4Z218000000001F62CN0M6\","  \
	"\"title\":\"t\",\"mode\":\"dialogue\",\"key\":\"bca55d4546336ab7\",\"nodes\":[" nodes     \
	"]}],\"agents\":[]}"
#define LINE(last, id, rest)                                                                       \
	"{\"ulid\":\"01KJ4Z2180000000000000000" last "\",\"id\":\"" id "\"," rest "}"
#define BELOW(last) "\"parent\":\"01KJ4Z2180000000000000000" last "\""

TEST nodes_that_share_an_id_get_new_ones(void)
{
	ASSERT_EQ_FMTm(err.text, LOOM_OK,
		       add(OURS(LINE("1", "r001", "\"text\":\"a\"") "," LINE(
			       "2", "ann-1",
			       "\"text\":\"b\",\"kind\":\"annotation\"," BELOW(
				       "1")) "," LINE("3", "ann-1", "\"text\":\"c\"," BELOW("1")))),
		       "%d");
	ASSERT_EQ(3, visible_nodes());
	ASSERT_EQ(1, (int)report()->repaired.count);
	ASSERT_EQ(0, findings());
	PASS();
}

/* The names of a file need not ascend, and two of its trees may use the same one. */
TEST nodes_that_share_a_name_across_trees_stay_two(void)
{
	static const char text[] =
		"{\"loom\":\"export\",\"version\":1,\"agents\":[],\"trees\":["
		"{\"ulid\":\"01KJ4Z218000000001F62CN0M6\",\"title\":\"t\",\"mode\":\"dialogue\","
		"\"key\":\"bca55d4546336ab7\",\"nodes\":[" LINE("1", "r001", "\"text\":\"a\"") "," LINE(
			"5", "ann-1",
			"\"text\":\"b\"," BELOW(
				"1")) "]},"
				      "{\"ulid\":\"01KJ4Z218000000001F62CN0M7\",\"title\":\"u\","
				      "\"mode\":\"dialogue\","
				      "\"key\":\"bca55d4546336ab7\",\"nodes\":[" LINE("7", "r001", "\"text\":\"c\"") "," LINE(
					      "1", "ann-1",
					      "\"text\":\"d\"," BELOW(
						      "7")) "," LINE("6", "ann-2",
								     "\"text\":\"e\"," BELOW(
									     "7")) "," LINE("5",
											    "ann-3",
											    "\"text"
											    "\":"
											    "\"f\""
											    "," BELOW(
												    "6")) "]}]}";

	ASSERT_EQ_FMTm(err.text, LOOM_OK, add(text), "%d");
	ASSERT_EQ(6, visible_nodes());
	ASSERT_EQ(6, count("SELECT count(DISTINCT ulid) FROM node"));
	ASSERT_EQ(2, count("SELECT count(*) FROM node WHERE substr(hex(ulid), 1, 31) = "
			   "substr(hex((SELECT min(ulid) FROM node)), 1, 31) AND tree = 2"));
	ASSERT_EQ(0, findings());
	ASSERT_EQ(LOOM_OK, add(text));
	ASSERT_EQ(0, report()->added);
	PASS();
}

TEST two_roots_of_one_id_are_two_roots(void)
{
	ASSERT_EQ_FMTm(err.text, LOOM_OK,
		       add(OURS(LINE("1", "r001", "\"text\":\"a\"") "," LINE("2", "r001'",
									     "\"text\":\"b\""))),
		       "%d");
	ASSERT_EQ(2, visible_nodes());
	ASSERT_EQ(0, findings());
	PASS();
}

TEST nothing_goes_on_from_a_note(void)
{
	ASSERT_EQ_FMTm(
		err.text, LOOM_OK,
		add(OURS(LINE("1", "r001", "\"text\":\"a\"") "," LINE(
			"2", "ann-1",
			"\"text\":\"b\",\"kind\":\"annotation\"," BELOW(
				"1")) "," LINE("3", "ann-2",
					       "\"text\":\"n\",\"kind\":\"annotation\"," BELOW(
						       "2")) "," LINE("4", "ann-9",
								      "\"text\":\"c\"," BELOW(
									      "3")))),
		"%d");
	ASSERT_STR_EQ("= t\nunknown?: a\n note: b\n note: n\n unknown?: c\n"
		      "repaired 2 a node below a note is now below the note's node\n",
		      imported_say(&in));
	ASSERT_EQ(0, findings());
	PASS();
}

/* Notes on notes, the last of them first in the file: ns that settling them takes. */
static int64_t settles_in(int notes)
{
	const struct loom_import_opts opts = {.env = &in.grove.env, .dir = in.grove.temp.path};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t began = 0;

	loom_buf_adds(&text,
		      "{\"loom\":\"export\",\"version\":1,\"trees\":[{\"title\":\"t\",\"mode\":"
		      "\"dialogue\",\"nodes\":[");
	for (int i = notes; i > 0; i--)
		loom_buf_addf(
			&text,
			"{\"ulid\":\"0000000000000000000%07d\",\"id\":\"ann-%d\",\"parent\":"
			"\"0000000000000000000%07d\",\"kind\":\"annotation\",\"text\":\"n\"},",
			i, i, i - 1);
	loom_buf_adds(&text,
		      "{\"ulid\":\"00000000000000000000000000\",\"id\":\"r001\",\"text\":\"a\"}"
		      "]}]}");
	loom_import_destroy(in.import);
	grove_must(loom_import_create(&opts, &in.import, &err), &err, "create");
	grove_must(loom_import_add(in.import, LOOM_STR("x.json"), loom_buf_str(&text), &err), &err,
		   "add");
	began = loom_env_ticks();
	grove_must(loom_import_settle(in.import, &err), &err, "settle");
	loom_buf_fini(&text);
	return loom_env_ticks() - began;
}

TEST however_notes_hang_on_notes_settling_takes_no_more_for_each(void)
{
	int64_t few = settles_in(4000);
	int64_t many = settles_in(32000);

	/* The shortest of several, as a busy machine lengthens some. */
	for (int i = 0; i < 4 && many >= 30 * few; i++) {
		const int64_t again = settles_in(32000);

		many = again < many ? again : many;
	}
	ASSERT_EQ(31999, report()->repaired.items[0].count);
	/* Eight times as many: with each looking up all the way it would be 64 times as long. */
	ASSERT(many < 30 * few);
	PASS();
}

static enum greatest_test_res comes_back(const char *format, int64_t added)
{
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf second = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct imported a;
	struct imported b;

	imported_init(&a);
	imported_init(&b);
	exported_all(&in.grove, format, &first);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&a, "x.json", loom_buf_str(&first), &err),
		       "%d");
	ASSERT_EQ(added, loom_import_report(a.import)->added);
	loom_buf_adds(&said, imported_say(&a));
	exported_all(&a.grove, format, &second);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, imported_add(&b, "x.json", loom_buf_str(&second), &err),
		       "%d");
	ASSERT_STR_EQ(loom_buf_cstr(&said), imported_say(&b));
	imported_fini(&a);
	imported_fini(&b);
	loom_buf_fini(&first);
	loom_buf_fini(&second);
	loom_buf_fini(&said);
	PASS();
}

TEST what_others_hold_comes_back_from_them(void)
{
	int64_t tree = grove_tree(&in.grove, LOOM_BUFFER, "Once");
	int64_t a = grove_node(&in.grove, grove_root(&in.grove, tree), " upon \"a\"\n");

	grove_node(&in.grove, a, " time");
	grove_node(&in.grove, a, " hill");
	CHECK_CALL(comes_back("pyloom", 4));
	CHECK_CALL(comes_back("chatgpt", 4));
	PASS();
}

/* ---- */

static bool has_markup_only_of_ours(const char *page)
{
	return !strstr(page, "<script") && !strstr(page, "<img") && !strstr(page, "http://") &&
	       !strstr(page, "https://");
}

TEST a_page_escapes_whatever_stands_in_a_text(void)
{
	struct loom_buf page = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int64_t tree = grove_tree(&in.grove, LOOM_BUFFER, "<script>alert(1)</script>");

	grove_node(&in.grove, grove_root(&in.grove, tree), "<img src=x onerror=\"x\">&'");
	exported_all(&in.grove, "html", &page);
	ASSERT(has_markup_only_of_ours(loom_buf_cstr(&page)));
	ASSERT(strstr(page.p, "&lt;script&gt;"));
	exported_all(&in.grove, "svg", &page);
	ASSERT(!strstr(loom_buf_cstr(&page), "<script"));
	loom_buf_fini(&page);
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_file_that_has_grown_brings_only_what_is_new);
	RUN_TEST(a_node_that_was_changed_stands_beside_what_it_was);
	RUN_TEST(a_root_that_was_changed_is_a_version_of_the_root);
	RUN_TEST(importing_after_an_undo_brings_the_same_nodes_back);
	RUN_TEST(what_a_second_import_added_comes_back_too_after_its_undo);
	RUN_TEST(twins_without_ids_stay_two_and_are_known_again);
	RUN_TEST(a_dry_run_says_what_would_be_and_writes_nothing);
	RUN_TEST(a_cancelled_import_leaves_nothing_and_can_be_made_again);
	RUN_TEST(reading_says_how_far_it_is_within_one_conversation);
	RUN_TEST(an_import_that_died_stands_in_nobodys_way);
	RUN_TEST(a_file_cut_anywhere_is_read_or_refused);
	RUN_TEST(no_fixture_brings_a_secret_into_the_grove);
	RUN_TEST(what_is_not_read_is_refused_with_the_reason);
	RUN_TEST(a_tree_as_deep_as_is_allowed_is_read_and_a_deeper_one_is_not);
	RUN_TEST(a_million_unknown_members_are_a_line_of_the_report_each_up_to_a_bound);
	RUN_TEST(what_is_too_large_for_a_row_is_refused_or_left_out_and_said);
	RUN_TEST(texts_that_are_no_texts_are_repaired_and_kept);
	RUN_TEST(our_own_export_comes_back_byte_for_byte);
	RUN_TEST(a_node_that_the_store_took_comes_back_however_large);
	RUN_TEST(a_forged_export_does_not_change_what_is_there);
	RUN_TEST(nodes_that_share_an_id_get_new_ones);
	RUN_TEST(nodes_that_share_a_name_across_trees_stay_two);
	RUN_TEST(two_roots_of_one_id_are_two_roots);
	RUN_TEST(nothing_goes_on_from_a_note);
	RUN_TEST(however_notes_hang_on_notes_settling_takes_no_more_for_each);
	RUN_TEST(what_others_hold_comes_back_from_them);
	RUN_TEST(a_page_escapes_whatever_stands_in_a_text);
	GREATEST_MAIN_END();
}
