/* A grove of an earlier version: brought up to ours, with a whole copy of what it was beside it. */
#include <greatest.h>

#include <loom/grove/sql.h>

#include <loom/tree/person.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/files/path.h>
#include <loom/tree/open_store.h>

#include "support/child.h"
#include "support/grove_suite.h"
#include "support/ok.h"
#include "support/raw.h"

#define SPELL_(x) #x
#define SPELL(x)  SPELL_(x)
#define COPY      ".loom/grove.db.before-" SPELL(MODEL_SCHEMA_VERSION)

static enum loom_status open_it(struct loom_err *err)
{
	loom_store_close(g.store);
	g.store = NULL;
	loom_err_clear(err);
	return loom_store_open(&g.env, loom_str_of(g.temp.path), LOOM_WRITE, &g.store, err);
}

static int64_t version_of(const char *name)
{
	struct loom_buf bytes = {0};
	char *path = temp_path(&g.temp, name);
	int64_t version = -1;

	if (temp_read(path, &bytes) && bytes.n > 100)
		version = (unsigned char)bytes.p[63];
	loom_buf_fini(&bytes);
	free(path);
	return version;
}

/* Whether a file says what was written into it. */
static bool says(const char *name, const char *text)
{
	struct loom_buf bytes = {0};
	char *path = temp_path(&g.temp, name);
	bool same = temp_read(path, &bytes) && loom_str_is(loom_buf_str(&bytes), text);

	loom_buf_fini(&bytes);
	free(path);
	return same;
}

static int copies(void)
{
	char *path = temp_path(&g.temp, ".loom");
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir)) != NULL)
		count += strncmp(entry->d_name, "grove.db.before-", 16) == 0;
	if (dir)
		closedir(dir);
	free(path);
	return count;
}

/* Puts a copy in the place of the grove, as a person would who goes back. */
static void go_back_to(const char *name)
{
	static const char *const beside[] = {".loom/grove.db-wal", ".loom/grove.db-shm"};
	struct loom_buf bytes = {0};
	char *path = temp_path(&g.temp, name);

	loom_store_close(g.store);
	g.store = NULL;
	if (!temp_read(path, &bytes))
		perror(path);
	free(path);
	for (size_t i = 0; i < LOOM_COUNT(beside); i++) {
		path = temp_path(&g.temp, beside[i]);
		unlink(path);
		free(path);
	}
	temp_write(&g.temp, ".loom/grove.db", loom_buf_str(&bytes));
	loom_buf_fini(&bytes);
}

/* The grove as the copy of that name has it, and sound. */
static bool is_whole(const char *name)
{
	struct loom_check_opts deep = {.deep = true};
	struct loom_err err = {.status = LOOM_OK};
	int64_t findings = 1;

	if (version_of(name) != 1)
		return false;
	go_back_to(name);
	return open_it(&err) == LOOM_OK &&
	       loom_store_check(g.store, &deep, &findings, &err) == LOOM_OK && findings == 0 &&
	       raw_int(&g, "SELECT count(*) FROM node") == 2;
}

static void set_up_old(void *unused)
{
	set_up(unused);
	grove_node(&g, grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "root")), "kept");
	raw_age(&g);
}

TEST what_the_grove_was_is_kept_beside_it(void)
{
	const struct loom_op_spec spec = {.kind = "test", .actor = g.owner};
	struct loom_store *other;
	struct loom_err err;
	struct stat info;
	char *path = temp_path(&g.temp, COPY);

	OK(open_it(&err));
	/* and others may write already */
	other = grove_connect(&g, LOOM_WRITE);
	OK(loom_op_begin(other, &spec, &err));
	loom_store_close(other);
	ASSERT_EQ(MODEL_SCHEMA_VERSION,
		  raw_int(&g, "SELECT user_version FROM pragma_user_version"));
	ASSERT_EQ(1, copies());
	ASSERT_EQ(0, stat(path, &info));
	ASSERT_EQ_FMT(0600u, (unsigned)(info.st_mode & 0777), "%o");
	free(path);
	ASSERT(is_whole(COPY));
	PASS();
}

static bool shell(const char *line)
{
	struct child_opts opts = {.cwd = g.temp.path};
	struct child_result said;
	const bool good = child_shell(line, &opts, &said) && said.status == 0;

	child_fini(&said);
	return good;
}

/* As a program from before epochs leaves it when it is killed: some of it in the file, the rest in
 * the log. `log` and `file` stay beside the grove. */
static bool leave_a_log(void)
{
	/* The store that is open keeps it from being folded. */
	raw_exec(&g, "UPDATE tree SET title = 'in the log'");
	if (!shell("cat .loom/grove.db >file && cat .loom/grove.db-wal >log && test -s log"))
		return false;
	loom_store_close(g.store);
	g.store = NULL;
	return shell("rm -f .loom/grove.db-shm && cat file >.loom/grove.db && "
		     "cat log >.loom/grove.db-wal");
}

TEST a_log_from_before_epochs_is_taken_as_its_own_once(void)
{
	struct loom_check_opts deep = {.deep = true};
	struct loom_err err = {.status = LOOM_OK};
	int64_t findings = 1;

	ASSERT(leave_a_log());
	OK(open_it(&err));
	ASSERT_EQ(MODEL_SCHEMA_VERSION,
		  raw_int(&g, "SELECT user_version FROM pragma_user_version"));
	ASSERT(loom_str_is(raw_text(&g, "SELECT title FROM tree"), "in the log"));
	OK(loom_store_check(g.store, &deep, &findings, &err));
	ASSERT_EQ(0, findings);
	/* At rest it is one file, and the copy of what it was has the log in it. */
	OK(open_it(&err));
	loom_store_close(g.store);
	g.store = NULL;
	ASSERT(shell("test ! -s .loom/grove.db-wal"));
	ASSERT_EQ(MODEL_SCHEMA_VERSION, version_of(".loom/grove.db"));
	go_back_to(COPY);
	OK(open_it(&err));
	ASSERT(loom_str_is(raw_text(&g, "SELECT title FROM tree"), "in the log"));
	loom_store_close(g.store);
	g.store = NULL;
	/* The same log again is strange to what it was folded into. */
	ASSERT(shell("rm -f .loom/grove.db-shm && cat log >.loom/grove.db-wal"));
	ASSERT_EQ(LOOM_FOREIGN, open_it(&err));
	ASSERT(strstr(err.text, "grove.db-wal does not belong to this grove.db"));
	ASSERT(shell("cmp log .loom/grove.db-wal && rm .loom/grove.db-wal"));
	OK(open_it(&err));
	ASSERT(loom_str_is(raw_text(&g, "SELECT title FROM tree"), "in the log"));
	PASS();
}

/* Persons whom an import made could act. A reader of a file that is not brought up sees the same.
 */
TEST a_grove_from_before_logs_stands_in_none(void)
{
	struct loom_err err;

	OK(open_it(&err));
	loom_store_close(g.store);
	raw_before_logs(&g);
	g.store = grove_connect(&g, LOOM_WRITE);
	ASSERT_EQ(MODEL_SCHEMA_VERSION,
		  raw_int(&g, "SELECT user_version FROM pragma_user_version"));
	ASSERT_EQ(0, raw_int(&g, "SELECT count(*) FROM remote"));
	ASSERT(grove_tree(&g, LOOM_DIALOGUE, "goes on") > 0);
	PASS();
}

/* A text with a seam is read with it, and hashed without; a file from before seams has none,
 * whether it is only read or brought up. */
TEST a_seam_is_read_and_an_older_file_has_none(void)
{
	struct loom_node_spec spec = {.text = LOOM_STR_INIT("Sure: the end. Bye"),
				      .generation = LOOM_STR_INIT("{\"seam\":{\"skip\":6,"
								  "\"put\":\" \",\"cut\":4}}"),
				      .seq = -1};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_store *reader = NULL;
	struct loom_str came;
	struct loom_seam seam;
	struct loom_node node;
	int64_t id = 0;

	OK(open_it(&err));
	grove_begin(&g, "seam");
	spec.from = 1;
	spec.author = g.owner;
	OK(loom_node_create(g.store, &spec, &id, &err));
	grove_commit(&g);
	node = grove_get(&g, id);
	ASSERT(loom_str_is(node.text, " the end."));
	ASSERT_EQ(spec.text.n, node.bytes);
	ASSERT_FALSE(loom_node_damaged(g.store, &node));
	OK(loom_node_came(g.store, id, g.arena, &came, &seam, &err));
	ASSERT(loom_str_eq(spec.text, came));
	ASSERT_EQ(6, seam.skip);
	loom_store_close(g.store);
	raw_before_seams(&g);
	raw_settle(&g);
	reader = grove_connect(&g, LOOM_READ);
	OK(loom_node_get(reader, id, LOOM_NODE_TEXT, g.arena, &node, &err));
	ASSERT(loom_str_eq(spec.text, node.text));
	loom_store_close(reader);
	g.store = grove_connect(&g, LOOM_WRITE);
	ASSERT(loom_str_eq(spec.text, grove_get(&g, id).text));
	ASSERT_EQ(MODEL_SCHEMA_VERSION,
		  raw_int(&g, "SELECT user_version FROM pragma_user_version"));
	PASS();
}

TEST a_tree_from_before_may_get_another_root(void)
{
	struct loom_node_spec spec = {.text = LOOM_STR_INIT("another"),
				      .author = g.owner,
				      .seq = -1};
	struct loom_err err = {.status = LOOM_OK};
	int64_t count = 0;
	int64_t made = 0;

	grove_reopen(&g);
	loom_store_close(g.store);
	raw_before_roots(&g);
	raw_settle(&g);
	g.store = grove_connect(&g, LOOM_WRITE);
	spec.from = raw_int(&g, "SELECT root FROM tree");
	grove_begin(&g, "edit");
	OK(loom_node_edit(g.store, &spec, LOOM_EDIT_BRANCH, &made, &err));
	grove_commit(&g);
	OK(loom_node_count(g.store, loom_top(1), LOOM_CONTINUATION, &count, &err));
	ASSERT_EQ(2, count);
	ASSERT_EQ(0, grove_get(&g, made).depth);
	PASS();
}

TEST persons_whom_a_file_named_become_claims(void)
{
	struct loom_agent spec = {.name = LOOM_STR("Boss"), .kind = LOOM_AGENT_HUMAN};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_store *reader = NULL;
	struct loom_agent agent;
	int64_t id = 0;

	grove_reopen(&g);
	grove_begin(&g, "import");
	grove_must(loom_agent_create(g.store, &spec, &id, &err), &err, "agent");
	loom_op_say(g.store, "imported 3 nodes from f.json");
	grove_commit(&g);
	loom_store_close(g.store);
	g.store = NULL;
	raw_age(&g);
	reader = grove_connect(&g, LOOM_READ);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(LOOM_NOT_FOUND,
			  loom_agent_find(reader, LOOM_STR("Boss"), g.arena, &agent, &err));
		ASSERT(strstr(err.text, "f.json"));
		ASSERT_EQ(LOOM_OK, loom_agent_get(reader, id, g.arena, &agent, &err));
		ASSERT(!loom_agent_acts(&agent));
		ASSERT_EQ(LOOM_OK, loom_person_me(reader, g.arena, &agent, &err));
		ASSERT(loom_agent_acts(&agent));
		loom_store_close(reader);
		reader = grove_connect(&g, LOOM_WRITE);
	}
	loom_store_close(reader);
	g.store = grove_connect(&g, LOOM_WRITE);
	PASS();
}

TEST a_file_of_the_copys_name_is_never_taken_for_it(void)
{
	struct loom_err err;

	temp_write(&g.temp, COPY, LOOM_STR("somebody's"));
	OK(open_it(&err));
	ASSERT(says(COPY, "somebody's"));
	ASSERT(is_whole(COPY "-2"));
	PASS();
}

TEST a_copy_that_lost_its_end_is_not_taken_either(void)
{
	struct loom_err err;
	char *path = temp_path(&g.temp, COPY);
	struct stat half;

	OK(open_it(&err));
	go_back_to(COPY);
	ASSERT_EQ(0, stat(path, &half));
	ASSERT_EQ(0, truncate(path, half.st_size / 2));
	OK(open_it(&err));
	ASSERT(is_whole(COPY "-2"));
	free(path);
	PASS();
}

TEST a_copy_of_something_else_is_left_alone_and_another_one_made(void)
{
	struct loom_err err;

	OK(open_it(&err));
	go_back_to(COPY);
	raw_exec(&g, "UPDATE grove SET created = created + 1");
	raw_settle(&g);
	OK(open_it(&err));
	ASSERT_EQ(2, copies());
	ASSERT(is_whole(COPY));
	ASSERT(is_whole(COPY "-2"));
	PASS();
}

/* Whatever stops a migration each time it is tried, the disk does not fill up with copies. */
TEST the_same_grove_is_copied_once(void)
{
	struct loom_err err;

	for (int i = 0; i < 3; i++) {
		OK(open_it(&err));
		go_back_to(COPY);
	}
	OK(open_it(&err));
	ASSERT_EQ(1, copies());
	PASS();
}

TEST a_copy_that_was_cut_short_by_a_crash_goes(void)
{
	struct loom_err err;

	temp_write(&g.temp, COPY ".part", LOOM_STR("SQLite format 3"));
	temp_write(&g.temp, COPY ".part-journal", LOOM_STR("half"));
	OK(open_it(&err));
	ASSERT_EQ(1, copies());
	ASSERT(is_whole(COPY));
	PASS();
}

TEST what_else_may_stand_at_that_name_is_neither_read_nor_written(void)
{
	struct loom_err err;
	char *first = temp_path(&g.temp, COPY);
	char *second = temp_path(&g.temp, COPY "-2");
	char *third = temp_path(&g.temp, COPY "-3");
	char *fourth = temp_path(&g.temp, COPY "-4");
	char *own = raw_path(&g);

	ASSERT_EQ(0, mkdir(first, 0700));
	ASSERT_EQ(0, mkfifo(second, 0600));
	ASSERT_EQ(0, symlink("/dev/zero", third));
	ASSERT_EQ(0, link(own, fourth)); /* reading it would drop the locks of the grove itself */
	OK(open_it(&err));
	ASSERT_EQ(5, copies());
	ASSERT_EQ(0, unlink(fourth));
	ASSERT(is_whole(COPY "-5"));
	free(first);
	free(second);
	free(third);
	free(fourth);
	free(own);
	PASS();
}

TEST without_a_copy_nothing_is_brought_up(void)
{
	struct loom_err err;
	char name[64];

	temp_write(&g.temp, COPY, LOOM_STR("x"));
	for (int i = 2; i < 100; i++) {
		snprintf(name, sizeof name, COPY "-%d", i);
		temp_write(&g.temp, name, LOOM_STR("x"));
	}
	STATUS_IS(LOOM_CONFLICT, open_it(&err));
	ASSERT(strstr(err.text, strrchr(COPY, '/') + 1));
	ASSERT(err.hint[0]);
	ASSERT_EQ(1, raw_int(&g, "SELECT user_version FROM pragma_user_version"));
	ASSERT_EQ(99, copies());
	PASS();
}

SUITE(migrate)
{
	SET_SETUP(set_up_old, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_the_grove_was_is_kept_beside_it);
	RUN_TEST(a_log_from_before_epochs_is_taken_as_its_own_once);
	RUN_TEST(a_grove_from_before_logs_stands_in_none);
	RUN_TEST(a_seam_is_read_and_an_older_file_has_none);
	RUN_TEST(a_tree_from_before_may_get_another_root);
	RUN_TEST(persons_whom_a_file_named_become_claims);
	RUN_TEST(a_file_of_the_copys_name_is_never_taken_for_it);
	RUN_TEST(a_copy_that_lost_its_end_is_not_taken_either);
	RUN_TEST(a_copy_of_something_else_is_left_alone_and_another_one_made);
	RUN_TEST(the_same_grove_is_copied_once);
	RUN_TEST(a_copy_that_was_cut_short_by_a_crash_goes);
	RUN_TEST(what_else_may_stand_at_that_name_is_neither_read_nor_written);
	RUN_TEST(without_a_copy_nothing_is_brought_up);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(migrate);
	GREATEST_MAIN_END();
}
