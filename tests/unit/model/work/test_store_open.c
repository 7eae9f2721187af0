/* The grove as files: finding, making, refusing, and who is waiting for whom. */
#include <greatest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <loom/files/path.h>
#include <loom/work/thread.h>
#include <loom/tree/open_store.h>

#include "support/clock.h"
#include "support/fork.h"
#include "support/grove_suite.h"
#include "support/ok.h"
#include "support/raw.h"

/* What opening says of the grove as its files are now. */
static enum loom_status try_open(enum loom_access access, struct loom_err *err)
{
	struct loom_store *store = NULL;
	enum loom_status status;

	loom_err_clear(err);
	status = loom_store_open(&g.env, loom_str_of(g.temp.path), access, &store, err);
	loom_store_close(store);
	return status;
}

/* Puts bytes in the place of the database, all traces of the old one gone. */
static void replace(struct loom_str bytes)
{
	char *log = temp_path(&g.temp, ".loom/grove.db-wal");
	char *index = temp_path(&g.temp, ".loom/grove.db-shm");

	unlink(log);
	unlink(index);
	temp_write(&g.temp, ".loom/grove.db", bytes);
	free(log);
	free(index);
}

static bool read_database(struct loom_buf *out)
{
	char *path = raw_path(&g);
	bool there = temp_read(path, out);

	free(path);
	return there;
}

static bool same_bytes(struct loom_str want)
{
	struct loom_buf now;
	bool same = read_database(&now) && loom_str_eq(loom_buf_str(&now), want);

	loom_buf_fini(&now);
	return same;
}

/* --- finding --- */

TEST a_grove_is_found_by_climbing(void)
{
	struct loom_err err;
	struct loom_buf found = LOOM_BUF_INIT(4096);
	bool personal = true;
	char *deep = NULL;

	temp_write(&g.temp, "a/b/c/file", LOOM_STR("x"));
	deep = temp_path(&g.temp, "a/b/c");
	OK(loom_grove_find(&g.env, loom_str_of(deep), &found, &personal, &err));
	ASSERT_STR_EQ(g.temp.path, loom_buf_cstr(&found));
	ASSERT_FALSE(personal);
	free(deep);
	loom_buf_fini(&found);
	PASS();
}

TEST climbing_follows_the_real_path_of_a_link(void)
{
	struct loom_err err;
	struct loom_buf found = LOOM_BUF_INIT(4096);
	struct temp other;
	char *link = NULL;
	char *deep = NULL;

	temp_init(&other);
	temp_write(&g.temp, "a/b/file", LOOM_STR("x"));
	deep = temp_path(&g.temp, "a/b");
	link = temp_path(&other, "link");
	ASSERT_EQ(0, symlink(deep, link));
	OK(loom_grove_find(&g.env, loom_str_of(link), &found, NULL, &err));
	ASSERT_STR_EQ(g.temp.path, loom_buf_cstr(&found));
	free(link);
	free(deep);
	loom_buf_fini(&found);
	temp_fini(&other);
	PASS();
}

TEST without_a_grove_above_it_is_the_personal_one(void)
{
	struct loom_err err;
	struct loom_buf found = LOOM_BUF_INIT(4096);
	struct temp other;
	bool personal = false;
	char *home = temp_path(&g.temp, "loom");

	temp_init(&other);
	OK(loom_grove_find(&g.env, loom_str_of(other.path), &found, &personal, &err));
	ASSERT(personal);
	ASSERT_STR_EQ(home, loom_buf_cstr(&found));
	free(home);
	loom_buf_fini(&found);
	temp_fini(&other);
	PASS();
}

TEST a_start_that_does_not_exist_is_not_found(void)
{
	struct loom_err err;
	struct loom_buf found = LOOM_BUF_INIT(4096);

	STATUS_IS(LOOM_NOT_FOUND,
		  loom_grove_find(&g.env, LOOM_STR("/nowhere/at/all"), &found, NULL, &err));
	ASSERT(strstr(err.text, "/nowhere/at/all"));
	loom_buf_fini(&found);
	PASS();
}

/* --- making --- */

TEST a_new_grove_is_private_and_leaves_nothing_beside_it(void)
{
	struct stat info;
	char *dir = temp_path(&g.temp, ".loom");
	char *path = raw_path(&g);

	ASSERT_EQ(0, stat(dir, &info));
	ASSERT_EQ_FMT(0700u, (unsigned)(info.st_mode & 0777), "%o");
	ASSERT_EQ(0, stat(path, &info));
	ASSERT_EQ_FMT(0600u, (unsigned)(info.st_mode & 0777), "%o");
	ASSERT_EQ(0x4C4F4F4D, raw_int(&g, "PRAGMA application_id"));
	ASSERT_EQ(0, raw_int(&g, "SELECT count(*) FROM op WHERE state <> 1"));
	free(dir);
	free(path);
	PASS();
}

TEST no_file_of_the_store_can_be_read_by_others_whatever_the_umask(void)
{
	static const char *const files[] = {".loom/grove.db", ".loom/grove.db-wal",
					    ".loom/grove.db-shm", ".loom/lock"};
	struct loom_err err;
	struct loom_store *store = NULL;
	struct temp dir;
	mode_t mask = umask(0);

	temp_init(&dir);
	OK(loom_grove_init(&g.env, loom_str_of(dir.path), &err));
	OK(loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &store, &err));
	OK(loom_quiet_begin(store, &err));
	OK(loom_quiet_end(store, loom_use_tree(store, 1, &err), &err));
	umask(mask);
	for (size_t i = 0; i < LOOM_COUNT(files); i++) {
		struct stat info;
		char *path = temp_path(&dir, files[i]);

		ASSERT_EQm(files[i], 0, stat(path, &info));
		ASSERT_EQ_FMT(0u, (unsigned)(info.st_mode & 0077), "%o");
		free(path);
	}
	loom_store_close(store);
	temp_fini(&dir);
	PASS();
}

TEST a_second_init_is_refused_and_changes_nothing(void)
{
	struct loom_err err;
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "kept");

	STATUS_IS(LOOM_CONFLICT, loom_grove_init(&g.env, loom_str_of(g.temp.path), &err));
	ASSERT(strstr(err.text, "already"));
	grove_reopen(&g);
	ASSERT_STR_EQ("r001", grove_name(&g, grove_root(&g, tree)));
	PASS();
}

TEST what_a_crashed_init_left_is_no_grove_and_does_not_hinder(void)
{
	struct loom_err err;
	struct loom_store *store = NULL;
	struct temp dir;

	temp_init(&dir);
	temp_write(&dir, ".loom/grove.new-4711", LOOM_STR("half a database"));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &store, &err));
	OK(loom_grove_init(&g.env, loom_str_of(dir.path), &err));
	OK(loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &store, &err));
	loom_store_close(store);
	temp_fini(&dir);
	PASS();
}

/* Four processes at once, none of which has a store open; how many said yes. */
static int race_to_init(const char *dir)
{
	int winners = 0;
	pid_t pids[4];

	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct loom_err err;

			_exit(loom_grove_init(&g.env, loom_str_of(dir), &err) == LOOM_OK   ? 0
			      : err.status == LOOM_CONFLICT && strstr(err.text, "already") ? 1
											   : 2);
		}
	}
	for (int i = 0; i < 4; i++) {
		int status = 0;

		waitpid(pids[i], &status, 0);
		winners += WEXITSTATUS(status) == 0 ? 1 : WEXITSTATUS(status) == 1 ? 0 : 100;
	}
	return winners;
}

TEST of_several_that_init_at_once_exactly_one_wins(void)
{
	struct loom_err err;
	struct loom_store *store = NULL;

	loom_store_close(g.store);
	g.store = NULL;
	for (int round = 0; round < 5; round++) {
		struct temp dir;

		temp_init(&dir);
		ASSERT_EQ_FMT(1, race_to_init(dir.path), "%d");
		OK(loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &store, &err));
		loom_store_close(store);
		temp_fini(&dir);
	}
	PASS();
}

/* --- refusing --- */

TEST an_empty_file_is_refused_and_stays_empty(void)
{
	struct loom_err err;

	replace(LOOM_STR(""));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_WRITE, &err));
	ASSERT(strstr(err.text, "empty"));
	ASSERT(strstr(err.text, "grove.db"));
	ASSERT(same_bytes(LOOM_STR("")));
	PASS();
}

TEST a_text_file_is_refused_by_name_and_unchanged(void)
{
	static const char text[] = "SQLite format 3? No: a letter.\n";
	struct loom_err err;

	replace(loom_str_of(text));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_WRITE, &err));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_READ, &err));
	ASSERT(strstr(err.text, "grove.db"));
	ASSERT(same_bytes(loom_str_of(text)));
	PASS();
}

TEST another_programs_database_is_refused_and_unchanged(void)
{
	struct loom_err err;
	struct loom_buf before;

	raw_exec(&g, "PRAGMA application_id = 252006673");
	raw_settle(&g);
	loom_store_close(g.store);
	g.store = NULL;
	ASSERT(read_database(&before));
	replace(loom_buf_str(&before));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_WRITE, &err));
	ASSERT(strstr(err.text, "another program"));
	ASSERT(same_bytes(loom_buf_str(&before)));
	loom_buf_fini(&before);
	PASS();
}

TEST a_file_that_others_may_write_is_refused(void)
{
	struct loom_err err;
	char *path = raw_path(&g);

	ASSERT_EQ(0, chmod(path, 0620));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_WRITE, &err));
	ASSERT(strstr(err.text, "chmod"));
	ASSERT_EQ(0, chmod(path, 0602));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_READ, &err));
	ASSERT_EQ(0, chmod(path, 0644));
	OK(try_open(LOOM_WRITE, &err));
	free(path);
	PASS();
}

TEST links_and_things_that_are_no_files_are_refused(void)
{
	struct loom_err err;
	char *path = raw_path(&g);
	char *moved = temp_path(&g.temp, "moved.db");

	loom_store_close(g.store);
	g.store = NULL;
	ASSERT_EQ(0, rename(path, moved));
	ASSERT_EQ(0, symlink(moved, path));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_WRITE, &err));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkfifo(path, 0600));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_WRITE, &err));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkdir(path, 0700));
	STATUS_IS(LOOM_FOREIGN, try_open(LOOM_WRITE, &err));
	free(path);
	free(moved);
	PASS();
}

/* A grove from elsewhere may bring a log that leads to a file of one's own. */
TEST a_link_in_the_place_of_a_log_is_refused_and_not_followed(void)
{
	static const char *const tails[] = {"-wal", "-shm", "-journal"};
	struct loom_err err;
	struct loom_buf kept;
	char *own = temp_path(&g.temp, "own");

	temp_write(&g.temp, "own", LOOM_STR("precious"));
	loom_store_close(g.store);
	g.store = NULL;
	for (size_t i = 0; i < LOOM_COUNT(tails); i++) {
		struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
		char *path = raw_path(&g);

		loom_buf_addf(&name, "%s%s", path, tails[i]);
		(void)unlink(loom_buf_cstr(&name));
		ASSERT_EQ(0, symlink(own, loom_buf_cstr(&name)));
		STATUS_IS(LOOM_FOREIGN, try_open(LOOM_READ, &err));
		STATUS_IS(LOOM_FOREIGN, try_open(LOOM_WRITE, &err));
		ASSERT(strstr(err.text, tails[i]));
		ASSERT_EQ(0, unlink(loom_buf_cstr(&name)));
		loom_buf_fini(&name);
		free(path);
	}
	OK(try_open(LOOM_WRITE, &err));
	ASSERT(temp_read(own, &kept));
	ASSERT_STR_EQ("precious", loom_buf_cstr(&kept));
	loom_buf_fini(&kept);
	free(own);
	PASS();
}

TEST a_grove_below_a_linked_folder_is_refused_in_words(void)
{
	struct loom_err err;
	struct temp other;
	struct loom_store *store = NULL;
	char *inner = temp_path(&g.temp, ".loom");
	char *link = NULL;

	temp_init(&other);
	link = temp_path(&other, ".loom");
	ASSERT_EQ(0, symlink(inner, link));
	ASSERT(loom_store_open(&g.env, loom_str_of(other.path), LOOM_WRITE, &store, &err));
	ASSERT_EQ(NULL, store);
	ASSERT(strstr(err.text, "is a link; a store is not"));
	ASSERT(strstr(err.hint, "-g"));
	free(inner);
	free(link);
	temp_fini(&other);
	PASS();
}

TEST a_project_folder_may_be_reached_by_a_link(void)
{
	struct loom_err err;
	struct temp other;
	struct loom_store *store = NULL;
	char *link = NULL;

	temp_init(&other);
	link = temp_path(&other, "project");
	ASSERT_EQ(0, symlink(g.temp.path, link));
	OK(loom_store_open(&g.env, loom_str_of(link), LOOM_WRITE, &store, &err));
	ASSERT(loom_str_is(loom_store_dir(store), g.temp.path));
	loom_store_close(store);
	free(link);
	temp_fini(&other);
	PASS();
}

TEST a_folder_without_a_grove_says_so(void)
{
	struct loom_err err;
	struct loom_store *store = NULL;
	struct temp dir;

	temp_init(&dir);
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &store, &err));
	ASSERT(strstr(err.text, "there is no grove here"));
	temp_fini(&dir);
	PASS();
}

TEST a_name_that_looks_like_an_uri_is_only_a_name(void)
{
	struct loom_err err;
	struct loom_store *store = NULL;
	struct temp dir;
	char *odd = NULL;

	temp_init(&dir);
	odd = temp_path(&dir, "file:x?mode=memory");
	OK(loom_grove_init(&g.env, loom_str_of(odd), &err));
	OK(loom_store_open(&g.env, loom_str_of(odd), LOOM_WRITE, &store, &err));
	loom_store_close(store);
	free(odd);
	odd = temp_path(&dir, "file:x?mode=memory/.loom/grove.db");
	ASSERT_EQ(0, access(odd, F_OK));
	free(odd);
	temp_fini(&dir);
	PASS();
}

/* --- other versions --- */

TEST a_newer_grove_is_read_and_never_written(void)
{
	struct loom_err err;
	struct loom_store *store = NULL;
	struct loom_buf before;
	struct loom_op_spec spec = {.kind = "x", .actor = 1};
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "from the future");
	struct loom_tree row;

	raw_exec(&g, "PRAGMA user_version = 99");
	raw_settle(&g);
	loom_store_close(g.store);
	g.store = NULL;
	ASSERT(read_database(&before));
	store = grove_connect(&g, LOOM_WRITE);
	ASSERT(loom_store_read_only(store));
	OK(loom_tree_get(store, tree, g.arena, &row, &err));
	STATUS_IS(LOOM_READ_ONLY, loom_op_begin(store, &spec, &err));
	ASSERT(strstr(err.text, "newer"));
	STATUS_IS(LOOM_READ_ONLY, loom_quiet_begin(store, &err));
	STATUS_IS(LOOM_READ_ONLY, loom_op_undo(store, 1, 0, NULL, &err));
	loom_store_close(store);
	ASSERT(same_bytes(loom_buf_str(&before)));
	loom_buf_fini(&before);
	PASS();
}

TEST a_grove_without_a_version_is_damaged_and_left_alone(void)
{
	struct loom_err err;
	struct loom_buf before;

	raw_exec(&g, "PRAGMA user_version = 0");
	raw_settle(&g);
	loom_store_close(g.store);
	g.store = NULL;
	ASSERT(read_database(&before));
	STATUS_IS(LOOM_DAMAGED, try_open(LOOM_WRITE, &err));
	STATUS_IS(LOOM_DAMAGED, try_open(LOOM_READ, &err));
	ASSERT(same_bytes(loom_buf_str(&before)));
	loom_buf_fini(&before);
	PASS();
}

TEST a_restored_backup_opens_for_reading_unchanged(void)
{
	struct loom_err err;
	struct loom_buf copy;
	char *file = temp_path(&g.temp, "copy.db");

	grove_tree(&g, LOOM_DIALOGUE, "saved");
	OK(loom_store_backup(g.store, loom_str_of(file), &err));
	loom_store_close(g.store);
	g.store = NULL;
	ASSERT(temp_read(file, &copy));
	replace(loom_buf_str(&copy));
	OK(try_open(LOOM_READ, &err));
	ASSERT(same_bytes(loom_buf_str(&copy)));
	OK(try_open(LOOM_WRITE, &err));
	loom_buf_fini(&copy);
	free(file);
	PASS();
}

/* --- what a connection may --- */

TEST a_reading_connection_writes_nothing_whatever_is_asked(void)
{
	struct loom_err err;
	struct loom_store *reader = grove_connect(&g, LOOM_READ);
	struct loom_op_spec spec = {.kind = "x", .actor = g.owner};

	ASSERT(loom_store_read_only(reader));
	STATUS_IS(LOOM_READ_ONLY, loom_op_begin(reader, &spec, &err));
	STATUS_IS(LOOM_READ_ONLY, loom_quiet_begin(reader, &err));
	loom_store_close(reader);
	PASS();
}

TEST a_reader_sees_one_moment_while_its_view_lasts(void)
{
	struct loom_err err;
	struct loom_store *reader = grove_connect(&g, LOOM_READ);
	struct loom_tree *trees = NULL;
	size_t count = 0;

	OK(loom_store_view(reader, &err));
	OK(loom_store_view(reader, &err));
	OK(loom_tree_list(reader, g.arena, &trees, &count, &err));
	ASSERT_EQ(0, count);
	grove_tree(&g, LOOM_DIALOGUE, "later");
	loom_store_unview(reader);
	OK(loom_tree_list(reader, g.arena, &trees, &count, &err));
	ASSERT_EQ(0, count);
	loom_store_unview(reader);
	OK(loom_tree_list(reader, g.arena, &trees, &count, &err));
	ASSERT_EQ(1, count);
	loom_store_close(reader);
	PASS();
}

TEST a_reader_notices_others_commits_and_not_the_same_twice(void)
{
	struct loom_store *reader = grove_connect(&g, LOOM_READ);

	ASSERT_FALSE(loom_store_changed(reader));
	grove_tree(&g, LOOM_DIALOGUE, "new");
	ASSERT(loom_store_changed(reader));
	ASSERT_FALSE(loom_store_changed(reader));
	/* its own commits are no news to the writer */
	(void)loom_store_changed(g.store);
	grove_tree(&g, LOOM_DIALOGUE, "own");
	ASSERT_FALSE(loom_store_changed(g.store));
	loom_store_close(reader);
	PASS();
}

static bool is_of_the_store(const struct stat *info)
{
	struct loom_file_id files[LOOM_STORE_FILES];
	size_t count = loom_store_files(loom_store_dir(g.store), files);

	for (size_t i = 0; i < count; i++)
		if (files[i].device == info->st_dev && files[i].inode == info->st_ino)
			return true;
	return false;
}

TEST the_store_knows_its_files_by_any_name(void)
{
	static const char *const files[] = {".loom/grove.db", ".loom/grove.db-wal",
					    ".loom/grove.db-shm"};
	struct stat info;
	char *link = NULL;

	grove_tree(&g, LOOM_DIALOGUE, "so that there is a log");
	for (size_t i = 0; i < LOOM_COUNT(files); i++) {
		char *path = temp_path(&g.temp, files[i]);

		ASSERT_EQm(files[i], 0, stat(path, &info));
		ASSERT(is_of_the_store(&info));
		free(path);
	}
	temp_write(&g.temp, "mine.txt", LOOM_STR("x"));
	link = temp_path(&g.temp, "mine.txt");
	ASSERT_EQ(0, stat(link, &info));
	ASSERT_FALSE(is_of_the_store(&info));
	free(link);
	link = temp_path(&g.temp, "hard");
	{
		char *path = raw_path(&g);

		ASSERT_EQ(0, linkat(AT_FDCWD, path, AT_FDCWD, link, 0));
		free(path);
	}
	ASSERT_EQ(0, stat(link, &info));
	ASSERT(is_of_the_store(&info));
	free(link);
	PASS();
}

TEST the_state_of_a_grove_is_outside_of_it_and_private(void)
{
	struct loom_err err;
	struct loom_buf dir = LOOM_BUF_INIT(4096);
	struct stat info;

	OK(loom_store_state_dir(g.store, &dir, &err));
	ASSERT_EQ(0, stat(loom_buf_cstr(&dir), &info));
	ASSERT_EQ_FMT(0700u, (unsigned)(info.st_mode & 0777), "%o");
	ASSERT_EQ(SIZE_MAX, loom_str_find(loom_buf_str(&dir), LOOM_STR("/.loom"), 0));
	loom_buf_fini(&dir);
	PASS();
}

/* --- the writer lock --- */

/* A process that holds the writer lock until it is killed. */
static void hold_lock(struct grove_child *child)
{
	struct loom_err err;

	if (!grove_fork(&g, child)) {
		if (loom_quiet_begin(g.store, &err) == LOOM_OK)
			grove_child_say(child);
		alarm(60); /* should this test end by itself */
		pause();
	}
	grove_child_go(child);
	if (!grove_child_hear(child))
		exit(99);
}

TEST who_waits_too_long_is_told_who_holds_the_lock(void)
{
	struct loom_err err;
	struct grove_child holder;
	char name[32];
	int64_t start;
	int64_t waited;

	hold_lock(&holder);
	snprintf(name, sizeof name, "pid %d ", holder.pid);
	start = clock_ms();
	STATUS_IS(LOOM_BUSY, loom_quiet_begin(g.store, &err));
	waited = clock_ms() - start;
	ASSERTm(err.text, strstr(err.text, name));
	ASSERT(loom_status_retryable(LOOM_BUSY));
	ASSERT(waited >= 4900);
	ASSERT(waited < clock_limit(6100));
	/* a killed holder leaves nothing behind */
	grove_child_kill(&holder);
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	PASS();
}

TEST readers_and_closing_never_wait_for_a_writer(void)
{
	struct loom_err err;
	struct loom_tree *trees = NULL;
	struct loom_store *reader = NULL;
	struct grove_child holder;
	size_t count = 0;
	int64_t start;

	hold_lock(&holder);
	start = clock_ms();
	reader = grove_connect(&g, LOOM_READ);
	OK(loom_tree_list(reader, g.arena, &trees, &count, &err));
	loom_store_close(reader);
	loom_store_close(g.store);
	g.store = NULL;
	ASSERT(clock_ms() - start < clock_limit(1500));
	grove_child_kill(&holder);
	PASS();
}

TEST opening_waits_for_nobody_who_only_writes(void)
{
	struct loom_store *writer = NULL;
	struct grove_child holder;
	int64_t start;

	hold_lock(&holder);
	start = clock_ms();
	writer = grove_connect(&g, LOOM_WRITE);
	ASSERT(clock_ms() - start < clock_limit(1500));
	loom_store_close(writer);
	grove_child_kill(&holder);
	PASS();
}

/* A plain open and close of the database would drop every lock this process has on it. */
TEST opening_and_closing_beside_a_write_does_not_drop_its_locks(void)
{
	struct loom_err err;
	struct grove_child other;
	struct loom_buf dir = LOOM_BUF_INIT(4096);
	char *copy = temp_path(&g.temp, "copy.db");
	struct loom_store *second = NULL;

	if (!grove_fork(&g, &other)) {
		loom_store_close(g.store);
		/* past our own lock: SQLite's are looked at */
		_exit(raw_refused(&g, "PRAGMA busy_timeout = 50; BEGIN IMMEDIATE", "locked") ? 0
											     : 1);
	}
	second = grove_connect(&g, LOOM_READ);
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_use_tree(g.store, 1, &err));
	OK(loom_store_backup(second, loom_str_of(copy), &err));
	loom_store_close(second);
	loom_store_close(grove_connect(&g, LOOM_READ));
	STATUS_IS(LOOM_CONFLICT, loom_grove_init(&g.env, loom_str_of(g.temp.path), &err));
	OK(loom_grove_find(&g.env, loom_str_of(g.temp.path), &dir, NULL, &err));
	grove_child_go(&other);
	ASSERT_EQ(0, grove_child_wait(&other));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	loom_buf_fini(&dir);
	free(copy);
	PASS();
}

TEST a_write_inside_a_write_is_refused_and_harms_nothing(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "x", .actor = g.owner};

	grove_begin(&g, "outer");
	STATUS_IS(LOOM_FAULT, loom_op_begin(g.store, &spec, &err));
	STATUS_IS(LOOM_FAULT, loom_quiet_begin(g.store, &err));
	grove_commit(&g);
	STATUS_IS(LOOM_FAULT, loom_op_commit(g.store, NULL, &err));
	grove_tree(&g, LOOM_DIALOGUE, "still fine");
	PASS();
}

SUITE(store_open)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_grove_is_found_by_climbing);
	RUN_TEST(climbing_follows_the_real_path_of_a_link);
	RUN_TEST(without_a_grove_above_it_is_the_personal_one);
	RUN_TEST(a_start_that_does_not_exist_is_not_found);
	RUN_TEST(a_new_grove_is_private_and_leaves_nothing_beside_it);
	RUN_TEST(no_file_of_the_store_can_be_read_by_others_whatever_the_umask);
	RUN_TEST(a_second_init_is_refused_and_changes_nothing);
	RUN_TEST(what_a_crashed_init_left_is_no_grove_and_does_not_hinder);
	RUN_TEST(of_several_that_init_at_once_exactly_one_wins);
	RUN_TEST(an_empty_file_is_refused_and_stays_empty);
	RUN_TEST(a_text_file_is_refused_by_name_and_unchanged);
	RUN_TEST(another_programs_database_is_refused_and_unchanged);
	RUN_TEST(a_file_that_others_may_write_is_refused);
	RUN_TEST(links_and_things_that_are_no_files_are_refused);
	RUN_TEST(a_link_in_the_place_of_a_log_is_refused_and_not_followed);
	RUN_TEST(a_grove_below_a_linked_folder_is_refused_in_words);
	RUN_TEST(a_project_folder_may_be_reached_by_a_link);
	RUN_TEST(a_folder_without_a_grove_says_so);
	RUN_TEST(a_name_that_looks_like_an_uri_is_only_a_name);
	RUN_TEST(a_newer_grove_is_read_and_never_written);
	RUN_TEST(a_grove_without_a_version_is_damaged_and_left_alone);
	RUN_TEST(a_restored_backup_opens_for_reading_unchanged);
	RUN_TEST(a_reading_connection_writes_nothing_whatever_is_asked);
	RUN_TEST(a_reader_sees_one_moment_while_its_view_lasts);
	RUN_TEST(a_reader_notices_others_commits_and_not_the_same_twice);
	RUN_TEST(the_store_knows_its_files_by_any_name);
	RUN_TEST(the_state_of_a_grove_is_outside_of_it_and_private);
	RUN_TEST(who_waits_too_long_is_told_who_holds_the_lock);
	RUN_TEST(readers_and_closing_never_wait_for_a_writer);
	RUN_TEST(opening_waits_for_nobody_who_only_writes);
	RUN_TEST(opening_and_closing_beside_a_write_does_not_drop_its_locks);
	RUN_TEST(a_write_inside_a_write_is_refused_and_harms_nothing);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(store_open);
	GREATEST_MAIN_END();
}
