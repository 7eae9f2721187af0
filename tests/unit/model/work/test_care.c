/* Care: nothing written is rewritten, a backup is whole or not there, a check finds what is wrong.
 */
#include <greatest.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/tree/document.h>
#include <loom/tree/mark.h>
#include <loom/work/thread.h>
#include <loom/tree/open_store.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/raw.h"

static struct grove g;
static int64_t dialogue; /* root, a, b below a, a pruned c, a generated d */
static int64_t a;
static int64_t b;
static int64_t generated;
static int64_t buffer; /* x with a version, y below it */
static int64_t x;
static int64_t version;
static int64_t doc;

static int64_t generate(int64_t from)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node_spec spec = {.from = from,
				      .text = LOOM_STR_INIT("what a model said"),
				      .author = g.model,
				      .seq = -1,
				      .raw = LOOM_STR_INIT("{\"choices\":[\"what a model said\"]}"),
				      .generation = LOOM_STR_INIT("{\"model\":\"ngram\"}")};
	int64_t node = 0;

	grove_begin(&g, "continue");
	grove_must(loom_node_create(g.store, &spec, &node, &err), &err, "generate");
	grove_commit(&g);
	return node;
}

static void attach_source(int64_t to)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node_spec spec = {.from = to,
				      .kind = LOOM_CONTEXT_SOURCE,
				      .text = LOOM_STR_INIT("a source"),
				      .author = g.owner,
				      .seq = -1};
	int64_t node = 0;

	grove_begin(&g, "source");
	grove_must(loom_node_create(g.store, &spec, &node, &err), &err, "source");
	grove_commit(&g);
}

static void fill(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_thread thread;
	struct loom_link link = {.kind = LOOM_LINK_NODE};
	bool changed = false;

	dialogue = grove_tree(&g, LOOM_DIALOGUE, "root");
	a = grove_node(&g, grove_root(&g, dialogue), "node a");
	b = grove_node(&g, a, "node b");
	grove_prune(&g, grove_node(&g, a, "node c"));
	attach_source(b);
	generated = generate(b);
	grove_note(&g, a, "a note");
	buffer = grove_tree(&g, LOOM_BUFFER, "start");
	x = grove_node(&g, grove_root(&g, buffer), "text x");
	version = grove_edit(&g, x, "text X");
	grove_node(&g, version, "text y");
	grove_begin(&g, "doc");
	grove_must(loom_doc_create(g.store, LOOM_STR("plan"), LOOM_STR("first text"), g.owner, &doc,
				   &err),
		   &err, "doc");
	grove_must(loom_doc_write(g.store, doc, LOOM_STR("other text"), g.owner, -1, &err), &err,
		   "write");
	link.from = a;
	link.to_node = x;
	grove_must(loom_link_create(g.store, &link, &(int64_t){0}, &changed, &err), &err, "link");
	grove_commit(&g);
	grove_must(loom_quiet_begin(g.store, &err), &err, "quiet");
	grove_must(loom_thread_ensure(g.store, g.owner, dialogue, g.arena, &thread, &err), &err,
		   "thread");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "quiet");
	raw_exec(&g, "INSERT INTO log(thread, seq, kind, at, payload) VALUES(1, 0, 'k', 1, '{}'), "
		     "(1, 1, 'k', 1, '{}'), (1, 2, 'k', 1, '{}')");
}

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	fill();
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

/* --- append only --- */

TEST what_was_written_is_never_changed_or_deleted_whoever_asks(void)
{
	static const char *const orders[] = {
		"UPDATE body SET text = x'78' WHERE id = 1",
		"UPDATE body SET hash = zeroblob(32)",
		"DELETE FROM body WHERE id = 1",
		"DELETE FROM node WHERE id = 2",
		"UPDATE node SET parent = 1 WHERE id = 3",
		"UPDATE node SET created = 0",
		"UPDATE node SET author = 2 WHERE id = 2",
		"UPDATE node SET id = 77 WHERE id = 3",
		"UPDATE docver SET text = x'78'",
		"DELETE FROM docver",
		"UPDATE log SET payload = '[]' WHERE seq = 1",
		"DELETE FROM log WHERE seq = 2",
	};

	for (size_t i = 0; i < LOOM_COUNT(orders); i++)
		ASSERTm(orders[i], raw_refused(&g, orders[i], "never"));
	/* what may change: how many children a node shows */
	raw_exec(&g, "UPDATE node SET children = children WHERE id = 1");
	PASS();
}

/* --- backup --- */

static char *backup_path(void)
{
	return temp_path(&g.temp, "backup.db");
}

static int files_beside(void)
{
	DIR *dir = opendir(g.temp.path);
	const struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir)) != NULL)
		count += strncmp(entry->d_name, "backup", 6) == 0;
	if (dir)
		closedir(dir);
	return count;
}

/* Opens the copy as a grove of its own and checks it. */
static int64_t findings_of_copy(const char *file)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_check_opts deep = {.deep = true};
	struct loom_store *store = NULL;
	struct loom_buf bytes;
	struct temp dir;
	int64_t findings = 0;
	char *inner = NULL;

	temp_init(&dir);
	if (!temp_read(file, &bytes))
		return -1;
	temp_write(&dir, ".loom/grove.db", loom_buf_str(&bytes));
	inner = temp_path(&dir, ".loom/grove.db");
	(void)chmod(inner, 0600);
	free(inner);
	grove_must(loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &store, &err), &err,
		   "open the copy");
	grove_must(loom_store_check(store, &deep, &findings, &err), &err, "check the copy");
	loom_store_close(store);
	loom_buf_fini(&bytes);
	temp_fini(&dir);
	return findings;
}

TEST a_backup_is_one_whole_private_file(void)
{
	struct loom_err err;
	struct stat info;
	char *file = backup_path();
	mode_t mask = umask(0);

	OK(loom_store_backup(g.store, loom_str_of(file), &err));
	umask(mask);
	ASSERT_EQ(0, stat(file, &info));
	ASSERT_EQ_FMT(0600u, (unsigned)(info.st_mode & 0777), "%o");
	ASSERT_EQ(1, files_beside());
	ASSERT_EQ(0, findings_of_copy(file));
	free(file);
	PASS();
}

TEST a_backup_never_overwrites(void)
{
	struct loom_err err;
	struct loom_buf kept;
	char *file = backup_path();
	char *folder = temp_path(&g.temp, ".loom");

	temp_write(&g.temp, "backup.db", LOOM_STR("mine"));
	STATUS_IS(LOOM_CONFLICT, loom_store_backup(g.store, loom_str_of(file), &err));
	ASSERT(temp_read(file, &kept));
	ASSERT_STR_EQ("mine", loom_buf_cstr(&kept));
	loom_buf_fini(&kept);
	STATUS_IS(LOOM_CONFLICT, loom_store_backup(g.store, loom_str_of(folder), &err));
	ASSERT_EQ(0, unlink(file));
	ASSERT_EQ(0, symlink("/nowhere/at/all", file));
	STATUS_IS(LOOM_CONFLICT, loom_store_backup(g.store, loom_str_of(file), &err));
	free(folder);
	free(file);
	PASS();
}

TEST a_backup_does_not_take_a_name_that_belongs_to_a_store(void)
{
	static const char *const names[] = {".loom/grove.db", ".loom/grove.db-wal",
					    ".loom/grove.db-journal", ".loom/grove.db-shm",
					    ".loom/lock"};
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		char *file = temp_path(&g.temp, names[i]);

		ASSERTm(names[i], loom_store_backup(g.store, loom_str_of(file), &err) != LOOM_OK);
		free(file);
	}
	grove_reopen(&g);
	ASSERT(loom_str_is(grove_get(&g, a).text, "node a"));
	PASS();
}

TEST where_no_backup_can_be_there_is_none(void)
{
	struct loom_err err;
	struct loom_buf longest = LOOM_BUF_INIT(LOOM_BUF_MAX);

	ASSERT(loom_store_backup(g.store, LOOM_STR("/nowhere/at/all.db"), &err) != LOOM_OK);
	ASSERT(strstr(err.text, "backup") || strstr(err.text, "/nowhere"));
	STATUS_IS(LOOM_PATH, loom_store_backup(g.store, LOOM_STR(""), &err));
	loom_buf_add_repeat(&longest, 'x', 5000);
	STATUS_IS(LOOM_PATH, loom_store_backup(g.store, loom_buf_str(&longest), &err));
	loom_buf_fini(&longest);
	PASS();
}

TEST a_backup_is_of_one_moment_while_others_write(void)
{
	struct loom_err err;
	struct grove_child child;
	char *file = backup_path();

	if (!grove_fork(&g, &child)) {
		alarm(20);
		for (;;)
			grove_node(&g, a, "written meanwhile");
	}
	grove_child_go(&child);
	for (int i = 0; i < 5; i++) {
		OK(loom_store_backup(g.store, loom_str_of(file), &err));
		ASSERT_EQ(0, findings_of_copy(file));
		ASSERT_EQ(0, unlink(file));
	}
	grove_child_kill(&child);
	free(file);
	PASS();
}

TEST a_reading_connection_can_make_a_backup(void)
{
	struct loom_err err;
	struct loom_store *reader = grove_connect(&g, LOOM_READ);
	char *file = backup_path();

	OK(loom_store_backup(reader, loom_str_of(file), &err));
	ASSERT_EQ(0, findings_of_copy(file));
	loom_store_close(reader);
	free(file);
	PASS();
}

/* --- check --- */

struct said {
	struct loom_buf text;
	int64_t count;
};

static void keep(void *ctx, struct loom_str finding)
{
	struct said *said = ctx;

	loom_buf_add(&said->text, finding);
	loom_buf_addc(&said->text, '\n');
	said->count++;
}

static int64_t check(bool deep, struct said *said)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_check_opts opts = {.deep = deep, .finding = keep, .ctx = said};
	int64_t findings = 0;

	loom_buf_clear(&said->text);
	said->count = 0;
	grove_must(loom_store_check(g.store, &opts, &findings, &err), &err, "check");
	return findings;
}

TEST a_sound_grove_has_no_findings(void)
{
	struct said said = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};

	ASSERT_EQ(0, check(false, &said));
	ASSERT_EQ(0, check(true, &said));
	ASSERT_EQ(0, said.text.n);
	loom_buf_fini(&said.text);
	PASS();
}

/* %a, %b, %v, %x, %g: the nodes of the same letter (v: the version, g: the generated one). */
static void expand(const char *sql, struct loom_buf *out)
{
	loom_buf_adds(out, "PRAGMA foreign_keys = OFF; DROP TRIGGER body_fixed; DROP TRIGGER "
			   "body_kept; DROP TRIGGER node_kept; DROP TRIGGER node_fixed; "
			   "DROP TRIGGER node_hung; DROP TRIGGER docver_fixed; DROP TRIGGER "
			   "docver_kept; DROP TRIGGER "
			   "log_fixed; DROP TRIGGER log_kept;");
	for (; *sql; sql++) {
		int64_t id = sql[0] != '%'   ? 0
			     : sql[1] == 'a' ? a
			     : sql[1] == 'b' ? b
			     : sql[1] == 'v' ? version
			     : sql[1] == 'x' ? x
			     : sql[1] == 'g' ? generated
					     : 0;

		if (id)
			loom_buf_addf(out, "%lld", (long long)id);
		else
			loom_buf_addc(out, *sql);
		sql += id != 0;
	}
}

struct damage {
	bool deep; /* only a deep check finds it */
	const char *sql;
	const char *finding;
};

static const struct damage damages[] = {
	{false, "UPDATE node SET parent = 9999 WHERE id = %b", "parent"},
	{false, "UPDATE node SET depth = depth + 5 WHERE id = %b", "depth"},
	{false, "UPDATE node SET parent = %g WHERE id = %a", "above its parent"},
	{false, "UPDATE node SET tree = 2, num = 500 WHERE id = %b", "parent"},
	{false, "UPDATE node SET parent = NULL WHERE id = %b", "root"},
	{false, "UPDATE node SET from_node = 9999 WHERE id = %b", "written from"},
	{false, "UPDATE node SET from_node = 1 WHERE id = %b", "written from"},
	{false, "UPDATE node SET edited_from = 9999 WHERE id = %v", "version of"},
	{false, "UPDATE node SET edited_from = %a WHERE id = %v", "version of"},
	{false, "DELETE FROM body WHERE id = %b", "text is missing"},
	{false, "UPDATE node SET bytes = bytes + 1 WHERE id = %b", "size"},
	{false, "UPDATE node SET grp = 9999 WHERE id = %v", "group"},
	{false, "UPDATE node SET grp = %a WHERE id = %v", "group"},
	{false, "UPDATE node SET jump = 9999 WHERE id = %b", "jump"},
	{false, "UPDATE node SET jump = %g WHERE id = %b", "jump"},
	{true, "UPDATE node SET jump = %x WHERE id = %b", "jump"},
	{false, "UPDATE node SET op = 9999 WHERE id = %b", "operation"},
	{false, "DELETE FROM op WHERE id = (SELECT op FROM node WHERE id = %b)", "missing"},
	{false, "UPDATE node SET author = 9999 WHERE id = %b", "author"},
	{false, "UPDATE tree SET root = 9999 WHERE id = 1", "root"},
	{false, "UPDATE tree SET root = %a WHERE id = 1", "root"},
	{false, "UPDATE tree SET next_num = 1 WHERE id = 1", "number"},
	{false, "UPDATE tree SET next_note = 1 WHERE id = 1", "number"},
	{false, "DELETE FROM log WHERE seq = 1", "gap"},
	{false, "DELETE FROM log WHERE seq = 0", "gap"},
	{false, "UPDATE doc SET head = 9999", "version"},
	{false, "UPDATE thread SET position = 9999", "position"},
	{false, "UPDATE thread SET position = %x", "position"},
	{false, "UPDATE link SET to_node = 9999", "link"},
	{false, "UPDATE source SET source = 9999", "missing"},
	{false, "UPDATE mark SET id = 9999", "missing"},
	{false, "UPDATE grove SET owner = 9999", "owner"},
	{true, "UPDATE node SET children = children + 1 WHERE id = %a", "child count"},
	{true, "UPDATE tree SET nodes = nodes + 1 WHERE id = 1", "counters"},
	{true, "UPDATE tree SET leaves = 0 WHERE id = 2", "counters"},
	{true, "UPDATE tree SET branches = 7 WHERE id = 1", "counters"},
	{true, "UPDATE mark SET pruned = 0", "count"},
	{true, "UPDATE body SET text = x'6e6f64652042' WHERE id = %b", "hash"},
	{true, "UPDATE body SET hash = zeroblob(32) WHERE id = %b", "hash"},
	{true, "UPDATE body SET parents = zeroblob(32) WHERE id = %b", "recorded parents"},
	{true, "UPDATE body SET parents = x'' WHERE id = %b", "recorded parents"},
	{true, "UPDATE body SET raw_hash = NULL WHERE id = %g", "hash"},
	{true, "UPDATE node SET created = created + 1 WHERE id = %b", "hash"},
	{true, "UPDATE node SET author = 2 WHERE id = %b", "hash"},
	{true, "UPDATE generation SET raw = zeroblob(40)", "raw response"},
	{true, "UPDATE generation SET raw_bytes = 1", "raw response"},
	{true, "UPDATE generation SET raw_bytes = 4611686018427387904", "raw response"},
	{true, "DELETE FROM generation", "raw response"},
	{true, "UPDATE docver SET text = x'46697273742074657874' WHERE n = 1", "document"},
	{true, "UPDATE docver SET hash = zeroblob(32) WHERE n = 2", "document"},
	{true, "INSERT INTO part(hash, body) VALUES(zeroblob(32), x'78')", "sent"},
};

TEST every_kind_of_damage_is_found_and_named(void)
{
	struct said said = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_buf sql = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int missed = 0;

	for (size_t i = 0; i < LOOM_COUNT(damages); i++) {
		const struct damage *damage = &damages[i];

		if (i) {
			grove_fini(&g);
			grove_init(&g);
			fill();
		}
		loom_buf_clear(&sql);
		expand(damage->sql, &sql);
		raw_exec(&g, loom_buf_cstr(&sql));
		if (check(damage->deep, &said) == 0 ||
		    !strstr(loom_buf_cstr(&said.text), damage->finding)) {
			printf("not found: %s\n%s", damage->sql, loom_buf_cstr(&said.text));
			missed++;
		}
		if (damage->deep && check(false, &said) != 0)
			printf("found by a quick check already: %s\n", damage->sql);
	}
	ASSERT_EQ_FMT(0, missed, "%d");
	loom_buf_fini(&sql);
	loom_buf_fini(&said.text);
	PASS();
}

TEST a_check_counts_what_it_tells(void)
{
	struct said said = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_buf sql = LOOM_BUF_INIT(LOOM_BUF_MAX);

	expand("UPDATE node SET bytes = bytes + 1 WHERE id IN (%a, %b); UPDATE doc SET head = 9",
	       &sql);
	raw_exec(&g, loom_buf_cstr(&sql));
	ASSERT_EQ(3, check(false, &said));
	ASSERT_EQ(3, said.count);
	loom_buf_fini(&sql);
	loom_buf_fini(&said.text);
	PASS();
}

TEST a_check_stops_when_told(void)
{
	struct loom_err err;
	struct loom_task task = {.cancelled = true};
	struct loom_check_opts opts = {.deep = true};
	int64_t findings = 0;

	loom_store_heed(g.store, &task);
	STATUS_IS(LOOM_CANCELLED, loom_store_check(g.store, &opts, &findings, &err));
	loom_store_heed(g.store, NULL);
	grove_node(&g, a, "and all goes on");
	PASS();
}

TEST a_check_writes_nothing(void)
{
	struct said said = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	int64_t rows = loom_store_rows_written(g.store);

	(void)loom_store_changed(g.store);
	check(true, &said);
	ASSERT_EQ(rows, loom_store_rows_written(g.store));
	loom_buf_fini(&said.text);
	PASS();
}

SUITE(care)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(what_was_written_is_never_changed_or_deleted_whoever_asks);
	RUN_TEST(a_backup_is_one_whole_private_file);
	RUN_TEST(a_backup_never_overwrites);
	RUN_TEST(a_backup_does_not_take_a_name_that_belongs_to_a_store);
	RUN_TEST(where_no_backup_can_be_there_is_none);
	RUN_TEST(a_backup_is_of_one_moment_while_others_write);
	RUN_TEST(a_reading_connection_can_make_a_backup);
	RUN_TEST(a_sound_grove_has_no_findings);
	RUN_TEST(every_kind_of_damage_is_found_and_named);
	RUN_TEST(a_check_counts_what_it_tells);
	RUN_TEST(a_check_stops_when_told);
	RUN_TEST(a_check_writes_nothing);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(care);
	GREATEST_MAIN_END();
}
