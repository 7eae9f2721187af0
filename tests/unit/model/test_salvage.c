/* Salvage of groves that were damaged at random: every node whose pages are whole is rescued as it
 * was, the new grove passes its own check, the damaged file stays as it is, and nothing crashes.
 * LOOM_TEST_MANY in the environment takes 25 times as many. */
#include <greatest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <loom/tree/document.h>
#include <loom/log/log.h>
#include <loom/tree/mark.h>
#include <loom/salvage/salvage.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>
#include <loom/tree/open_store.h>

#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

#define NODES 150

static struct grove g; /* the sound one */
static struct loom_buf sound;
static size_t page_size;
static struct temp dir; /* where the damaged ones stand, and what is salvaged of them */
static char *file;
static char *log_file;
static char *place;
static struct loom_salvage_report report;
static struct loom_buf said;

/* What was written, and on which pages it lies. */
static struct known {
	int64_t id;
	struct loom_ulid ulid;
	char text[64]; /* its beginning */
	size_t row_page;
	size_t text_page;
	bool is_long;
} known[NODES];

static int64_t fill_tree(enum loom_mode mode, size_t from, size_t to)
{
	int64_t tree = grove_tree(&g, mode, "root");
	const int64_t root = grove_root(&g, tree);
	int64_t at = root;

	for (size_t i = from; i < to; i++) {
		char text[9000];
		const size_t n = i % 10 == 9 ? sizeof text - 1 : 100 + i % 7 * 60;

		memset(text, 'a' + (int)(i % 26), n);
		text[n] = '\0';
		snprintf(known[i].text, sizeof known[i].text, "node text number %04zu", i);
		memcpy(text, known[i].text, strlen(known[i].text));
		if (i % 4 == 3)
			at = grove_edit(&g, at == root ? grove_node(&g, root, "x") : at, text);
		else if (i % 11 == 10)
			at = grove_note(&g, at, text);
		else
			at = grove_node(&g, i % 5 ? at : root, text);
		known[i].id = at;
		known[i].ulid = grove_get(&g, at).ulid;
		known[i].is_long = n > 1000;
		if (i % 11 == 10)
			at = root;
	}
	return tree;
}

static void fill_rest(int64_t tree)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_thread thread;
	struct loom_thread_log *keeper = NULL;
	struct loom_log face;
	int64_t doc = 0;
	bool changed = false;

	grove_begin(&g, "more");
	for (int i = 0; i < 12; i++) {
		char name[40];

		snprintf(name, sizeof name, "document %d", i);
		grove_must(loom_doc_create(g.store, loom_str_of(name), LOOM_STR("its text"),
					   g.owner, &doc, &err),
			   &err, "doc");
		grove_must(loom_tag_set(g.store, known[i * 3].id, LOOM_STR("tag"), true, &changed,
					&err),
			   &err, "tag");
	}
	grove_commit(&g);
	grove_prune(&g, known[40].id);
	grove_must(loom_quiet_begin(g.store, &err), &err, "quiet");
	grove_must(loom_thread_ensure(g.store, g.owner, tree, g.arena, &thread, &err), &err,
		   "thread");
	grove_must(loom_thread_log_open(g.store, thread.id, NULL, &keeper, &err), &err, "log");
	face = loom_thread_log_face(keeper);
	for (int i = 0; i < 300; i++) {
		struct loom_log_row row = {.at_ms = LOOM_TIME_NONE,
					   .kind = LOOM_STR("note"),
					   .payload = LOOM_STR("{\"some\":\"row of the log\"}")};
		int64_t seq = 0;

		grove_must(loom_log_append(&face, &row, &seq, &err), &err, "row");
	}
	loom_thread_log_close(keeper);
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "quiet");
}

/* The page of rows that holds these bytes. */
static size_t page_with(const void *bytes, size_t n)
{
	const struct loom_str needle = loom_str_make(bytes, n);

	for (size_t at = loom_str_find(loom_buf_str(&sound), needle, 0); at != SIZE_MAX;
	     at = loom_str_find(loom_buf_str(&sound), needle, at + 1))
		if (sound.p[at / page_size * page_size] == 13)
			return at / page_size;
	return SIZE_MAX;
}

static void begin_all(void)
{
	char *path = NULL;

	grove_init(&g);
	(void)fill_tree(LOOM_DIALOGUE, 0, NODES / 2);
	fill_rest(fill_tree(LOOM_BUFFER, NODES / 2, NODES));
	raw_settle(&g);
	path = raw_path(&g);
	if (!temp_read(path, &sound))
		exit(99);
	free(path);
	page_size = (size_t)(unsigned char)sound.p[16] << 8 | (unsigned char)sound.p[17];
	for (size_t i = 0; i < NODES; i++) {
		known[i].row_page = page_with(known[i].ulid.bytes, sizeof known[i].ulid.bytes);
		known[i].text_page = page_with(known[i].text, strlen(known[i].text));
	}
	temp_init(&dir);
	temp_write(&dir, "damaged/.loom/x", LOOM_STR(""));
	file = temp_path(&dir, "damaged/.loom/grove.db");
	log_file = temp_path(&dir, "damaged/.loom/grove.db-wal");
	place = temp_path(&dir, "new");
	loom_buf_init(&said, LOOM_BUF_MAX);
}

static void end_all(void)
{
	grove_fini(&g);
	loom_buf_fini(&sound);
	loom_buf_fini(&said);
	temp_fini(&dir);
	free(file);
	free(log_file);
	free(place);
}

static void on_finding(void *ctx, struct loom_str text)
{
	(void)ctx;
	loom_buf_add(&said, text);
	loom_buf_addc(&said, '\n');
}

static enum loom_status salvage(struct loom_err *err)
{
	const struct loom_salvage_opts opts = {.env = &g.env,
					       .file = file,
					       .dir = place,
					       .finding = on_finding};
	struct loom_buf command = LOOM_BUF_INIT(1000);

	loom_buf_addf(&command, "rm -rf '%s'", place);
	if (system(loom_buf_cstr(&command)) != 0)
		exit(99);
	loom_buf_fini(&command);
	loom_buf_clear(&said);
	return loom_salvage(&opts, &report, err);
}

static bool is_unchanged(const char *path, struct loom_str bytes)
{
	struct loom_buf after;
	bool same = temp_read(path, &after) && loom_str_eq(loom_buf_str(&after), bytes);

	loom_buf_fini(&after);
	return same;
}

static void print_finding(void *ctx, struct loom_str text)
{
	(void)ctx;
	fprintf(stderr, "check: %.*s\n", LOOM_STR_ARG(text));
}

/* How many of the known nodes stand in the new grove as they were. */
static size_t count_rescued(struct loom_store *store, const bool *damaged, int *wrong)
{
	struct loom_arena *arena = loom_arena_create();
	size_t count = 0;

	for (size_t i = 0; i < NODES; i++) {
		char ulid[LOOM_ULID_CHARS + 1];
		struct loom_node node;
		struct loom_err err;
		bool there = false;

		loom_ulid_text(&known[i].ulid, ulid);
		there = loom_node_find(store, 0, loom_str_of(ulid), arena, &node, &err) ==
				LOOM_OK &&
			loom_node_get(store, node.id, LOOM_NODE_TEXT, arena, &node, &err) ==
				LOOM_OK &&
			loom_str_starts(node.text, loom_str_of(known[i].text));
		count += there;
		if (!there && !known[i].is_long && !damaged[known[i].row_page] &&
		    !damaged[known[i].text_page]) {
			fprintf(stderr, "lost: %s\n", known[i].text);
			++*wrong;
		}
	}
	loom_arena_destroy(arena);
	return count;
}

/* Salvages and looks at what came of it; -1 when nothing could be made. */
static int64_t try_salvage(struct loom_str bytes, const bool *damaged, int *wrong)
{
	const struct loom_check_opts check = {.finding = print_finding};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_store *store = NULL;
	int64_t findings = 0;
	int64_t count = -1;
	enum loom_status status = LOOM_OK;

	temp_put(file, bytes);
	status = salvage(&err);
	*wrong += !is_unchanged(file, bytes);
	if (status != LOOM_OK) {
		*wrong += status != LOOM_FOREIGN || access(place, F_OK) == 0;
		if (status != LOOM_FOREIGN)
			fprintf(stderr, "%s: %s\n", loom_status_code(status), err.text);
		return -1;
	}
	if (loom_store_open(&g.env, loom_str_of(place), LOOM_WRITE, &store, &err) != LOOM_OK ||
	    loom_store_check(store, &check, &findings, &err) != LOOM_OK || findings) {
		fprintf(stderr, "the new grove: %s, %lld findings\n", err.text,
			(long long)findings);
		++*wrong;
	}
	if (store)
		count = (int64_t)count_rescued(store, damaged, wrong);
	loom_store_close(store);
	return count;
}

/* ---- ---- */

TEST a_sound_grove_comes_out_whole(void)
{
	bool *damaged = loom_alloc(sound.n / page_size + 1);
	int wrong = 0;

	unlink(log_file);
	ASSERT_EQ_FMT((long long)NODES,
		      (long long)try_salvage(loom_buf_str(&sound), damaged, &wrong), "%lld");
	ASSERT_EQ(0, wrong);
	ASSERT_STR_EQ("", loom_buf_cstr(&said));
	ASSERT_EQ(0, (int)report.bad_pages);
	ASSERT_EQ(0, (int)report.bad_rows);
	ASSERT_EQ(0, (int)report.stray_pages);
	for (size_t i = 0; i < LOOM_SALVAGE_KINDS; i++) {
		ASSERT_EQ_FMTm(report.counts[i].what, 0LL, (long long)report.counts[i].lost,
			       "%lld");
		ASSERT_EQ_FMTm(report.counts[i].what, 0LL, (long long)report.counts[i].doubtful,
			       "%lld");
	}
	ASSERT_EQ_FMT(300LL, (long long)report.counts[5].rescued, "%lld");
	free(damaged);
	PASS();
}

TEST nothing_is_overwritten(void)
{
	struct loom_err err;
	const struct loom_salvage_opts opts = {.env = &g.env, .file = file, .dir = dir.path};

	temp_put(file, loom_buf_str(&sound));
	STATUS_IS(LOOM_CONFLICT, loom_salvage(&opts, &report, &err));
	ASSERT(is_unchanged(file, loom_buf_str(&sound)));
	PASS();
}

static void stop_at_a_finding(void *task, struct loom_str text)
{
	(void)text;
	loom_task_cancel(task);
}

/* Before it begins, and when the new grove is looked through: what was made by then goes again. */
TEST who_stops_it_is_left_with_nothing(void)
{
	struct loom_err err;
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct temp here;
	char *to = NULL;

	loom_buf_add(&bytes, loom_buf_str(&sound));
	memset(bytes.p + known[20].text_page * page_size, 0, page_size);
	unlink(log_file);
	temp_put(file, loom_buf_str(&bytes));
	temp_init(&here);
	to = temp_path(&here, "new");
	for (int late = 0; late < 2; late++) {
		struct loom_task task = {.total = 0};
		const struct loom_salvage_opts opts = {.env = &g.env,
						       .file = file,
						       .dir = to,
						       .task = &task,
						       .finding = stop_at_a_finding,
						       .ctx = &task};

		if (!late)
			loom_task_cancel(&task);
		STATUS_IS(LOOM_CANCELLED, loom_salvage(&opts, &report, &err));
		ASSERT_EQ(0, rmdir(here.path));
		ASSERT_EQ(0, mkdir(here.path, 0700));
	}
	free(to);
	temp_fini(&here);
	loom_buf_fini(&bytes);
	PASS();
}

TEST what_is_no_grove_is_refused_and_nothing_is_made(void)
{
	static const char *const texts[] = {"", "x", "SQLite format 3"};
	struct loom_err err;

	unlink(log_file);
	for (size_t i = 0; i < LOOM_COUNT(texts); i++) {
		temp_put(file, loom_str_of(texts[i]));
		STATUS_IS(LOOM_FOREIGN, salvage(&err));
		ASSERT(access(place, F_OK) != 0);
	}
	unlink(file);
	STATUS_IS(LOOM_NOT_FOUND, salvage(&err));
	PASS();
}

enum { ZEROED, RANDOM, HEADED, TORN, FLIPPED, KINDS };

static void spoil(struct prop *prop, char *at, int kind)
{
	struct loom_buf noise = LOOM_BUF_INIT(LOOM_BUF_MAX);

	prop_bytes(prop, page_size, &noise);
	if (kind == ZEROED)
		memset(at, 0, page_size);
	else if (kind == RANDOM)
		memcpy(at, noise.p, page_size);
	else if (kind == HEADED)
		memcpy(at, noise.p, 12);
	else if (kind == TORN)
		memset(at + page_size / 2, 0, page_size / 2);
	else
		for (size_t i = prop_below(prop, 20) + 1; i; i--)
			at[prop_below(prop, page_size)] ^= (char)(1 << prop_below(prop, 8));
	loom_buf_fini(&noise);
}

/* Case `i`: pages of the sound grove are spoiled, more of them in every third. */
static void spoil_some(struct prop *prop, int i, struct loom_buf *bytes, bool *damaged)
{
	const size_t pages = sound.n / page_size;

	loom_buf_add(bytes, loom_buf_str(&sound));
	for (size_t n = prop_below(prop, pages / (i % 3 ? 12 : 2)) + 1; n; n--) {
		/* the table of contents is among them more often than its share */
		const size_t page = n == 1 && i % 4 == 0 ? 0 : prop_below(prop, pages);

		damaged[page] = true;
		spoil(prop, bytes->p + page * page_size, (int)prop_below(prop, KINDS));
	}
}

TEST whole_pages_are_rescued_whatever_is_wrong_with_others(void)
{
	const size_t pages = sound.n / page_size;
	struct prop prop;
	int wrong = 0;
	int64_t least = NODES;

	prop_init(&prop, "salvage");
	unlink(log_file);
	for (int i = 0; i < prop_times(60) && !wrong; i++) {
		bool *damaged = loom_alloc(pages + 1);
		struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
		int64_t got = 0;

		spoil_some(&prop, i, &bytes, damaged);
		got = try_salvage(loom_buf_str(&bytes), damaged, &wrong);
		least = got >= 0 && got < least ? got : least;
		if (wrong)
			fprintf(stderr, "case %d\n", i);
		free(damaged);
		loom_buf_fini(&bytes);
	}
	printf("at worst %lld of %d nodes\n", (long long)least, NODES);
	ASSERT_EQ(0, wrong);
	ASSERT(least < NODES);
	PASS();
}

/* A case of a seed once more: the draws of those before it, without their salvage. */
static enum greatest_test_res check_case(uint64_t seed, int which)
{
	const size_t pages = sound.n / page_size;
	struct prop prop;
	int wrong = 0;

	prop_init_seed(&prop, seed);
	unlink(log_file);
	for (int i = 0; i <= which; i++) {
		bool *damaged = loom_alloc(pages + 1);
		struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);

		spoil_some(&prop, i, &bytes, damaged);
		if (i == which)
			(void)try_salvage(loom_buf_str(&bytes), damaged, &wrong);
		free(damaged);
		loom_buf_fini(&bytes);
	}
	ASSERT_EQ(0, wrong);
	PASS();
}

/* What cases like those above have found. */
TEST what_was_lost_once_is_rescued(void)
{
	static const struct {
		uint64_t seed;
		int which;
	} found[] = {
		/* On a spoiled page one row has the number of another, and the other's page is one
		 * that nothing leads to any more: which text is whose, their neighbours' hashes
		 * say. */
		{0x53df331c7ac36b51, 420},
		/* Two rows of nodes have one number, and nothing leads to the page of either: on
		 * the spoiled one the numbers are out of order. */
		{0xd883467f078e98ca, 189},
		/* The table of contents leads to the nodes as to something else. */
		{0xac3f5c94039e6419, 366},
		/* The rest of a long text is said to stand on a page of nodes. */
		{0xc8da30212bd511b0, 246},
		/* What leads to a page of the contents leads to the texts. */
		{0x907500dc6bdeb64d, 420},
		/* A row says that it stands below node 0, in a tree that only its nodes know of. */
		{0xd561e656d253ac22, 93},
		/* The header is noise that has a size where a header has one. */
		{0xdfd492d7a47f9cee, 1110},
		/* A node has the number of another tree's root, and both look well. */
		{0x8d01abcb4f53af4f, 669},
		/* Two trees have one lost root, for a row says that it is in another tree. */
		{0xa56089196587a207, 507},
		/* No agent is a person any more. */
		{0x0df74c18aef1f874, 501},
	};

	for (size_t i = 0; i < LOOM_COUNT(found); i++)
		CHECK_CALL(check_case(found[i].seed, found[i].which));
	PASS();
}

TEST a_cut_file_gives_what_is_left_of_it(void)
{
	const size_t pages = sound.n / page_size;
	struct prop prop;
	int wrong = 0;

	prop_init(&prop, "cut");
	unlink(log_file);
	for (int i = 0; i < prop_times(15) && !wrong; i++) {
		bool *damaged = loom_alloc(pages + 1);
		const size_t n = prop_below(&prop, sound.n);

		for (size_t page = n / page_size; page < pages; page++)
			damaged[page] = true;
		(void)try_salvage(loom_str_sub(loom_buf_str(&sound), 0, n), damaged, &wrong);
		free(damaged);
	}
	ASSERT_EQ(0, wrong);
	PASS();
}

/* Many pages more, each like the beginning of larger ones. */
TEST a_large_file_is_read_in_pages_of_its_own_size(void)
{
	bool *damaged = loom_alloc(sound.n / page_size + 1);
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int wrong = 0;

	loom_buf_add(&bytes, loom_buf_str(&sound));
	for (int i = 0; i < 5000; i++)
		loom_buf_add(&bytes, loom_str_sub(loom_buf_str(&sound),
						  known[5].text_page * page_size, page_size));
	unlink(log_file);
	ASSERT_EQ_FMT((long long)NODES,
		      (long long)try_salvage(loom_buf_str(&bytes), damaged, &wrong), "%lld");
	ASSERT_EQ(0, wrong);
	ASSERT_EQ(0, (int)report.bad_pages);
	free(damaged);
	loom_buf_fini(&bytes);
	PASS();
}

TEST a_grove_without_its_first_page_keeps_its_nodes_and_its_log(void)
{
	bool *damaged = loom_alloc(sound.n / page_size + 1);
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int wrong = 0;

	loom_buf_add(&bytes, loom_buf_str(&sound));
	memset(bytes.p, 0, page_size);
	damaged[0] = true;
	unlink(log_file);
	ASSERT_EQ_FMT((long long)NODES,
		      (long long)try_salvage(loom_buf_str(&bytes), damaged, &wrong), "%lld");
	ASSERT_EQ(0, wrong);
	ASSERT_EQ_FMT(300LL, (long long)report.counts[5].rescued, "%lld");
	free(damaged);
	loom_buf_fini(&bytes);
	PASS();
}

/* ---- short rows ---- */

enum { WIDE = 1200 };

static int64_t add_wide(struct grove *wide, int64_t from, enum loom_node_kind kind)
{
	struct loom_err err = {.status = LOOM_OK};
	const struct loom_node_spec spec = {.from = from,
					    .kind = kind,
					    .text = LOOM_STR_INIT("t"),
					    .author = wide->owner,
					    .seq = -1};
	int64_t node = 0;

	grove_must(loom_node_create(wide->store, &spec, &node, &err), &err, "node");
	return node;
}

/* A chain, a version of each node, a source beside each, and what one chose and visited. */
static void fill_wide(struct grove *wide)
{
	struct loom_err err = {.status = LOOM_OK};
	const int64_t tree = grove_tree(wide, LOOM_BUFFER, "root");
	int64_t at = grove_root(wide, tree);
	struct loom_thread thread;

	grove_begin(wide, "many");
	for (int i = 0; i < WIDE; i++) {
		struct loom_node_spec edit = {.text = LOOM_STR_INIT("v"),
					      .author = wide->owner,
					      .seq = -1};
		int64_t ignored = 0;

		at = edit.from = add_wide(wide, at, LOOM_CONTINUATION);
		grove_must(loom_node_edit(wide->store, &edit, LOOM_EDIT_VERSION, &ignored, &err),
			   &err, "edit");
		add_wide(wide, at, LOOM_CONTEXT_SOURCE);
	}
	grove_commit(wide);
	grove_must(loom_quiet_begin(wide->store, &err), &err, "quiet");
	grove_must(loom_thread_ensure(wide->store, wide->owner, tree, wide->arena, &thread, &err),
		   &err, "thread");
	grove_must(loom_quiet_end(wide->store, LOOM_OK, &err), &err, "quiet");
	raw_exec(wide,
		 "DELETE FROM visited; DELETE FROM choice; DELETE FROM source;"
		 "INSERT INTO visited SELECT 1, parent, id FROM node WHERE kind = 0 AND grp = "
		 "id AND parent IS NOT NULL;"
		 "INSERT INTO choice SELECT 1, grp, id FROM node WHERE grp <> id;"
		 "INSERT INTO source SELECT parent, 1, id FROM node WHERE kind = 2;");
	raw_settle(wide);
}

/* The first page and a table's own are lost: nothing leads to its rows any more, and they are three
 * numbers each. */
static enum greatest_test_res survives_its_root(struct grove *wide, const char *table)
{
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf sql = LOOM_BUF_INIT(1 << 12);
	struct grove out = {.store = NULL};
	struct loom_err err = {.status = LOOM_OK};
	char *path = raw_path(wide);
	int64_t root;
	int64_t count;

	loom_buf_addf(&sql, "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
	root = raw_int(wide, loom_buf_cstr(&sql));
	ASSERT(temp_read(path, &bytes));
	memset(bytes.p, 0, page_size);
	memset(bytes.p + (size_t)(root - 1) * page_size, 0, page_size);
	temp_put(file, loom_buf_str(&bytes));
	unlink(log_file);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, salvage(&err), "%d");
	snprintf(out.temp.path, sizeof out.temp.path, "%s", place);
	loom_buf_clear(&sql);
	loom_buf_addf(&sql, "SELECT count(*) FROM \"%s\"", table);
	count = raw_int(&out, loom_buf_cstr(&sql));
	/* The root page itself had a row for each page below it. */
	ASSERTm(table, count > WIDE - 20 && count < WIDE);
	ASSERT_EQ(0, (int)raw_int(&out, "SELECT count(*) FROM choice WHERE member NOT IN (SELECT "
					"id FROM node WHERE node.grp = choice.grp)"));
	ASSERT_EQ(0, (int)raw_int(&out, "SELECT count(*) FROM visited WHERE child NOT IN (SELECT "
					"id FROM node WHERE parent = visited.grp)"));
	free(path);
	loom_buf_fini(&bytes);
	loom_buf_fini(&sql);
	PASS();
}

TEST short_rows_are_known_by_what_they_name(void)
{
	struct grove wide;

	grove_init(&wide);
	fill_wide(&wide);
	CHECK_CALL(survives_its_root(&wide, "visited"));
	CHECK_CALL(survives_its_root(&wide, "choice"));
	CHECK_CALL(survives_its_root(&wide, "source"));
	grove_fini(&wide);
	PASS();
}

TEST what_builds_on_what_is_known_without_its_table(void)
{
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct grove out = {.store = NULL};
	struct loom_err err = {.status = LOOM_OK};
	const int64_t root = raw_int(&g, "SELECT rootpage FROM sqlite_schema WHERE name = "
					 "'op_needs'");

	loom_buf_add(&bytes, loom_buf_str(&sound));
	memset(bytes.p + (size_t)(root - 1) * page_size, 0, page_size);
	temp_put(file, loom_buf_str(&bytes));
	unlink(log_file);
	ASSERT_EQ_FMTm(err.text, LOOM_OK, salvage(&err), "%d");
	snprintf(out.temp.path, sizeof out.temp.path, "%s", place);
	ASSERT_EQ(0,
		  (int)raw_int(&out, "SELECT count(*) FROM node n JOIN node p ON p.id = n.parent "
				     "WHERE p.op < n.op AND NOT EXISTS(SELECT 1 FROM op_needs "
				     "WHERE needs = p.op AND op = n.op)"));
	loom_buf_fini(&bytes);
	PASS();
}

TEST a_lost_text_is_said_and_never_enters_a_context(void)
{
	const struct known *lost = &known[20];
	bool *damaged = loom_alloc(sound.n / page_size + 1);
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_store *store = NULL;
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node node;
	int wrong = 0;

	loom_buf_add(&bytes, loom_buf_str(&sound));
	memset(bytes.p + lost->text_page * page_size, 0, page_size);
	damaged[lost->text_page] = true;
	unlink(log_file);
	ASSERT(try_salvage(loom_buf_str(&bytes), damaged, &wrong) < NODES);
	ASSERT_EQ(0, wrong);
	ASSERT(strstr(loom_buf_cstr(&said), "its text is lost"));
	ASSERT(report.counts[0].lost > 0);
	OK(loom_store_open(&g.env, loom_str_of(place), LOOM_READ, &store, &err));
	OK(loom_node_get(store, lost->id, LOOM_NODE_ALL, g.arena, &node, &err));
	ASSERT(node.excluded);
	loom_store_close(store);
	free(damaged);
	loom_buf_fini(&bytes);
	PASS();
}

TEST a_text_without_its_node_is_kept_in_a_tree_of_its_own(void)
{
	bool *damaged = loom_alloc(sound.n / page_size + 1);
	struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int wrong = 0;

	loom_buf_add(&bytes, loom_buf_str(&sound));
	memset(bytes.p + known[NODES - 1].row_page * page_size, 0, page_size);
	damaged[known[NODES - 1].row_page] = true;
	unlink(log_file);
	ASSERT(try_salvage(loom_buf_str(&bytes), damaged, &wrong) < NODES);
	ASSERT_EQ(0, wrong);
	ASSERT(report.loose_texts > 0);
	free(damaged);
	loom_buf_fini(&bytes);
	PASS();
}

/* ---- the log beside the file ---- */

TEST the_log_counts_as_far_as_it_can_be_read(void)
{
	struct loom_buf base = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf log = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.status = LOOM_OK};
	char *path = raw_path(&g);
	char *wal = loom_arena_format(g.arena, "%s-wal", path).p
			    ? loom_arena_cstr(g.arena, loom_arena_format(g.arena, "%s-wal", path))
			    : NULL;
	int64_t whole = 0;

	for (int i = 0; i < 20; i++)
		(void)grove_node(&g, known[0].id, "only in the log");
	ASSERT(temp_read(path, &base));
	ASSERT(temp_read(wal, &log));
	ASSERT(log.n > 10 * page_size);
	temp_put(file, loom_buf_str(&base));
	temp_put(log_file, loom_buf_str(&log));
	OK(salvage(&err));
	whole = report.counts[0].rescued;
	ASSERT(report.frames > 10 && report.bad_frames == 0);
	ASSERT(is_unchanged(log_file, loom_buf_str(&log)));
	/* garbled in the middle: what stands before it counts */
	log.p[log.n / 2] ^= 1;
	temp_put(log_file, loom_buf_str(&log));
	OK(salvage(&err));
	ASSERT(report.bad_frames > 0);
	ASSERT(report.counts[0].rescued < whole && report.counts[0].rescued > whole - 20);
	/* none of it */
	memset(log.p, 'x', log.n);
	temp_put(log_file, loom_buf_str(&log));
	OK(salvage(&err));
	ASSERT_EQ_FMT((long long)(whole - 20), (long long)report.counts[0].rescued, "%lld");
	unlink(log_file);
	free(path);
	loom_buf_fini(&base);
	loom_buf_fini(&log);
	PASS();
}

TEST any_bytes_end_well(void)
{
	struct prop prop;

	prop_init(&prop, "any bytes");
	for (int i = 0; i < prop_times(6); i++) {
		struct loom_buf bytes = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_err err = {.status = LOOM_OK};

		prop_bytes(&prop, prop_below(&prop, 40 * page_size), &bytes);
		if (i % 2 && bytes.n > 100)
			memcpy(bytes.p, sound.p, 100);
		for (size_t at = 0; at + page_size < bytes.n; at += page_size)
			bytes.p[at + (at ? 0 : 100)] = i % 3 ? 13 : 5;
		temp_put(file, loom_buf_str(&bytes));
		temp_put(log_file, loom_str_sub(loom_buf_str(&bytes), 7, SIZE_MAX));
		STATUS_IS(LOOM_FOREIGN, salvage(&err));
		loom_buf_fini(&bytes);
	}
	unlink(log_file);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(a_sound_grove_comes_out_whole);
	RUN_TEST(nothing_is_overwritten);
	RUN_TEST(who_stops_it_is_left_with_nothing);
	RUN_TEST(what_is_no_grove_is_refused_and_nothing_is_made);
	RUN_TEST(a_large_file_is_read_in_pages_of_its_own_size);
	RUN_TEST(a_grove_without_its_first_page_keeps_its_nodes_and_its_log);
	RUN_TEST(short_rows_are_known_by_what_they_name);
	RUN_TEST(what_builds_on_what_is_known_without_its_table);
	RUN_TEST(a_lost_text_is_said_and_never_enters_a_context);
	RUN_TEST(a_text_without_its_node_is_kept_in_a_tree_of_its_own);
	RUN_TEST(whole_pages_are_rescued_whatever_is_wrong_with_others);
	RUN_TEST(what_was_lost_once_is_rescued);
	RUN_TEST(a_cut_file_gives_what_is_left_of_it);
	RUN_TEST(the_log_counts_as_far_as_it_can_be_read);
	RUN_TEST(any_bytes_end_well);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	begin_all();
	RUN_SUITE(suite);
	end_all();
	GREATEST_MAIN_END();
}
