/* What is rare in the store: looks inside writes, tries of what a dead process began, journals that
 * somebody has touched, names that are too long, files that are gone while they are open. */
#include <greatest.h>

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/tree/lease.h>
#include <loom/tree/mark.h>
#include <loom/tree/open_store.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/op_suite.h"
#include "support/raw.h"

/* --- looks --- */

TEST a_look_inside_a_write_is_part_of_it(void)
{
	struct loom_err err;

	grove_begin(&g, "respond");
	add_node(g.store, root, "x");
	OK(loom_store_view(g.store, &err));
	ASSERT_EQ(2, nodes_in_tree());
	loom_store_unview(g.store);
	OK(loom_store_view(g.store, &err));
	ASSERT(grove_commit(&g));
	loom_store_unview(g.store);
	ASSERT_EQ(2, nodes_in_tree());
	grove_node(&g, root, "y");
	PASS();
}

TEST a_write_inside_a_look_ends_neither(void)
{
	struct loom_err err;

	OK(loom_store_view(g.store, &err));
	STATUS_IS(LOOM_FAULT, loom_quiet_begin(g.store, &err));
	ASSERT_EQ(1, nodes_in_tree());
	loom_store_unview(g.store);
	grove_node(&g, root, "y");
	PASS();
}

/* --- opening --- */

TEST a_folder_whose_name_no_system_takes_is_not_there(void)
{
	struct loom_buf path = LOOM_BUF_INIT(3 * PATH_MAX);
	struct loom_store *store = NULL;
	struct loom_err err;

	loom_buf_adds(&path, g.temp.path);
	while (path.n <= PATH_MAX)
		loom_buf_adds(&path, "/.");
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_store_open(&g.env, loom_buf_str(&path), LOOM_READ, &store, &err));
	ASSERT_EQ(NULL, store);
	loom_buf_fini(&path);
	PASS();
}

TEST a_grove_without_its_name_is_damaged(void)
{
	struct loom_store *store = NULL;
	struct loom_err err;

	raw_exec(&g, "DELETE FROM grove");
	STATUS_IS(LOOM_DAMAGED,
		  loom_store_open(&g.env, loom_str_of(g.temp.path), LOOM_READ, &store, &err));
	ASSERT(strstr(err.text, "no id"));
	PASS();
}

/* A copy that was put in place has no log; until something is written it is left so. */
TEST a_grove_without_a_log_is_taken_as_it_is_until_it_is_written(void)
{
	struct loom_err err;

	loom_store_close(g.store);
	g.store = NULL;
	raw_exec(&g, "PRAGMA journal_mode = DELETE");
	g.store = grove_connect(&g, LOOM_READ);
	ASSERT_EQ(1, nodes_in_tree());
	ASSERT_EQ(1, raw_int(&g, "SELECT journal_mode = 'delete' FROM pragma_journal_mode"));
	grove_reopen(&g);
	ASSERT_EQ(1, raw_int(&g, "SELECT journal_mode = 'delete' FROM pragma_journal_mode"));
	OK(loom_quiet_end(g.store, loom_quiet_begin(g.store, &err), &err));
	ASSERT_EQ(1, raw_int(&g, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"));
	PASS();
}

/* --- long writes that were begun before --- */

static enum loom_status begin_with_id(struct loom_store *store, struct loom_err *err)
{
	struct loom_op_spec spec = {
		.kind = "import", .actor = g.owner, .slices = true, .has_id = true, .id = id_of(9)};

	return loom_op_begin(store, &spec, err);
}

/* In a child: a long write that is begun and not ended, so that others get in. */
static void leave_open(struct grove_child *child)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(begin_with_id(g.store, &err), &err, "begin");
	add_node(g.store, root, "begun");
	grove_must(loom_op_commit(g.store, NULL, &err), &err, "commit");
	grove_child_say(child);
	pause();
}

TEST a_retry_waits_for_nobody_who_is_dead(void)
{
	struct loom_op_spec spec = {.kind = "respond",
				    .actor = g.owner,
				    .has_id = true,
				    .id = id_of(9)};
	struct loom_err err;
	struct grove_child child;

	if (!grove_fork(&g, &child))
		leave_open(&child);
	grove_child_go(&child);
	ASSERT(grove_child_hear(&child));
	STATUS_IS(LOOM_CONFLICT, begin_with_id(g.store, &err));
	ASSERT(strstr(err.text, "exists already"));
	/* nor for who writes nothing long and has no session to be seen by */
	grove_reopen(&g);
	STATUS_IS(LOOM_CONFLICT, loom_op_begin(g.store, &spec, &err));
	grove_child_kill(&child);
	OK(begin_with_id(g.store, &err));
	add_node(g.store, root, "again");
	OK(loom_op_finish(g.store, NULL, &err));
	ASSERT_EQ(2, nodes_in_tree());
	PASS();
}

TEST who_has_left_a_long_write_open_may_begin_it_again(void)
{
	struct loom_err err;

	OK(begin_with_id(g.store, &err));
	add_node(g.store, root, "begun");
	OK(loom_op_commit(g.store, NULL, &err));
	OK(begin_with_id(g.store, &err));
	add_node(g.store, root, "again");
	OK(loom_op_finish(g.store, NULL, &err));
	ASSERT_EQ(2, nodes_in_tree());
	PASS();
}

TEST a_long_write_may_be_left_and_gone_on_with(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "import", .actor = g.owner, .slices = true};
	int64_t old = grove_node(&g, root, "old");
	int64_t op = 0;

	OK(loom_op_begin(g.store, &spec, &err));
	/* a slice in which nothing was done */
	OK(loom_op_slice(g.store, &err));
	add_node(g.store, old, "one");
	OK(loom_op_commit(g.store, &op, &err));
	spec.join = op;
	OK(loom_op_begin(g.store, &spec, &err));
	add_node(g.store, old, "two");
	OK(loom_op_finish(g.store, NULL, &err));
	ASSERT_EQ(4, nodes_in_tree());
	OK(loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT_EQ(2, nodes_in_tree());
	PASS();
}

TEST a_long_write_needs_to_be_seen_living(void)
{
	struct loom_err err;
	char *live = temp_path(&g.temp, LOOM_GROVE_DIR "/live");

	grove_reopen(&g);
	ASSERT(rmdir(live) == 0 || access(live, F_OK) != 0);
	temp_write(&g.temp, LOOM_GROVE_DIR "/live", LOOM_STR("in the way"));
	ASSERT(begin_with_id(g.store, &err) != LOOM_OK);
	ASSERT(err.text[0]);
	ASSERT_EQ(0, unlink(live));
	OK(begin_with_id(g.store, &err));
	loom_op_rollback(g.store);
	free(live);
	PASS();
}

/* Whoever says that something outside changed says how to take it back. */
TEST what_is_outside_is_listed_only_with_its_way_back(void)
{
	struct loom_op_spec spec = {.kind = "doc", .actor = g.owner};
	const char *const wrong[] = {NULL, ""};
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(wrong); i++) {
		spec.inverse = wrong[i];
		OK(loom_op_begin(g.store, &spec, &err));
		STATUS_IS(LOOM_FAULT,
			  loom_op_end(g.store, loom_op_list_anyway(g.store, &err), NULL, &err));
	}
	PASS();
}

/* --- journals that are not as they were left --- */

static int64_t titled(void)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_begin(&g, "title");
	grove_must(loom_tree_set(g.store, tree, LOOM_TREE_TITLE, LOOM_STR("one"), &err), &err,
		   "title");
	return grove_commit(&g);
}

TEST what_was_changed_behind_the_journal_is_not_undone(void)
{
	struct loom_err err;
	int64_t op = titled();

	raw_exec(&g, "UPDATE tree SET title = 'by hand'");
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT(strstr(err.text, "cannot be undone"));
	ASSERT_EQ(1, raw_int(&g, "SELECT title = 'by hand' FROM tree"));
	raw_exec(&g, "UPDATE tree SET title = 'one'");
	OK(loom_op_undo(g.store, g.owner, op, NULL, &err));
	raw_exec(&g, "UPDATE tree SET title = 'by hand'");
	STATUS_IS(LOOM_CONFLICT, loom_op_repeat(g.store, g.owner, op, &err));
	ASSERT(strstr(err.text, "cannot be repeated"));
	PASS();
}

TEST a_mark_that_was_taken_off_by_hand_is_not_taken_off_again(void)
{
	struct loom_err err;
	int64_t node = grove_node(&g, root, "x");

	grove_prune(&g, node);
	raw_exec(&g, "UPDATE mark SET pruned = 0");
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, 0, NULL, &err));
	PASS();
}

TEST an_entry_of_the_journal_that_nobody_knows_is_damage(void)
{
	static const int64_t fields[] = {99, -7};
	struct loom_err err;
	char sql[200];

	for (size_t i = 0; i < LOOM_COUNT(fields); i++) {
		int64_t op = titled();

		snprintf(sql, sizeof sql, "UPDATE op_change SET field = %lld WHERE op = %lld",
			 (long long)fields[i], (long long)op);
		raw_exec(&g, sql);
		STATUS_IS(LOOM_DAMAGED, loom_op_undo(g.store, g.owner, op, NULL, &err));
		raw_exec(&g, "UPDATE tree SET title = ''");
	}
	PASS();
}

TEST a_graft_that_cannot_be_read_is_damage(void)
{
	struct loom_err err;
	int64_t old = grove_node(&g, root, "old");
	int64_t op = 0;

	OK(begin_with_id(g.store, &err));
	add_node(g.store, old, "imported");
	OK(loom_op_finish(g.store, &op, &err));
	ASSERT(raw_int(&g, "SELECT count(*) FROM op_change WHERE field = -2"));
	raw_exec(&g, "UPDATE op_change SET after = 'junk' WHERE field = -2");
	STATUS_IS(LOOM_DAMAGED, loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT_EQ(3, nodes_in_tree());
	PASS();
}

TEST an_operation_whose_name_was_cut_has_none(void)
{
	int64_t op = titled();
	struct loom_op row;

	raw_exec(&g, "PRAGMA ignore_check_constraints = 1; UPDATE op SET uid = x'AA' "
		     "WHERE kind = 'title'");
	row = op_of(op);
	ASSERT_EQ(0, row.uid.bytes[0]);
	PASS();
}

/* --- the order of taking back and repeating --- */

TEST what_builds_on_something_undone_is_repeated_after_it(void)
{
	struct loom_err err;
	int64_t below = 0;
	int64_t on_it = 0;

	grove_begin(&g, "respond");
	below = add_node(g.store, root, "below");
	ASSERT(grove_commit(&g));
	grove_begin(&g, "respond");
	add_node(g.store, below, "on it");
	on_it = grove_commit(&g);
	STATUS_IS(LOOM_CONFLICT, loom_op_repeat(g.store, g.owner, on_it, &err));
	ASSERT(strstr(err.text, "is not undone"));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	STATUS_IS(LOOM_CONFLICT, loom_op_repeat(g.store, g.owner, on_it, &err));
	ASSERT(strstr(err.text, "builds on the undone"));
	ASSERT(strstr(err.hint, "redo that first"));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	OK(loom_op_redo(g.store, g.owner, NULL, &err));
	ASSERT_EQ(3, nodes_in_tree());
	PASS();
}

TEST a_turn_that_nobody_has_covers_nothing(void)
{
	struct loom_err err;
	bool covers = true;

	OK(loom_lease_covers(g.store, 4711, root, &covers, &err));
	ASSERT_FALSE(covers);
	PASS();
}

TEST what_would_go_into_a_file_that_is_gone_is_refused(void)
{
	static const char *const names[] = {".loom/grove.db", ".loom/grove.db-wal"};
	struct loom_op_spec op = {.kind = "x", .actor = g.owner};
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		char *path = temp_path(&g.temp, names[i]);
		char *aside = temp_path(&g.temp, "aside");
		struct loom_buf bytes = {0};

		ASSERT_EQ(0, rename(path, aside));
		STATUS_IS(LOOM_IO, loom_op_begin(g.store, &op, &err));
		ASSERTm(err.text, strstr(err.text, "while it was open"));
		/* a copy in its place is not it either */
		ASSERT(temp_read(aside, &bytes));
		temp_write(&g.temp, names[i], loom_buf_str(&bytes));
		STATUS_IS(LOOM_IO, loom_op_begin(g.store, &op, &err));
		ASSERT_EQ(0, rename(aside, path));
		OK(loom_op_begin(g.store, &op, &err));
		loom_op_rollback(g.store);
		loom_buf_fini(&bytes);
		free(aside);
		free(path);
	}
	PASS();
}

static enum loom_status try_open(enum loom_access access, struct loom_err *err)
{
	struct loom_store *store = NULL;
	enum loom_status status =
		loom_store_open(&g.env, loom_str_of(g.temp.path), access, &store, err);

	loom_store_close(store);
	return status;
}

TEST what_the_process_makes_later_has_the_rights_it_had(void)
{
	struct loom_err err;
	mode_t mask = umask(022);

	OK(try_open(LOOM_WRITE, &err));
	ASSERT_EQ_FMT(022u, (unsigned)umask(mask), "%o");
	PASS();
}

/* To root every right is given: there it is somebody else's grove, and that one comes. */
TEST who_may_not_write_beside_it_can_still_read(void)
{
	static const struct {
		const char *name;
		mode_t mode;
	} rights[] = {{"", 0700},
		      {".loom", 0700},
		      {".loom/grove.db", 0400},
		      {".loom/lock", 0400},
		      {".loom/grove.db-wal", 0400},
		      {".loom/grove.db-shm", 0400}};
	const bool all_rights = geteuid() == 0;
	struct loom_err err;
	enum loom_status told;
	enum loom_status untold;
	enum loom_status read;

	loom_store_close(g.store);
	g.store = NULL;
	for (size_t i = 0; i < LOOM_COUNT(rights); i++) {
		char *path = temp_path(&g.temp, rights[i].name);

		ASSERT(chmod(path, rights[i].mode) == 0 || i > 3);
		ASSERT(!all_rights || chown(path, 65534, (gid_t)-1) == 0 || i > 3);
		free(path);
	}
	ASSERT(!all_rights || seteuid(65534) == 0);
	untold = try_open(LOOM_WRITE, NULL);
	told = try_open(LOOM_WRITE, &err);
	read = try_open(LOOM_READ, NULL);
	ASSERT(!all_rights || seteuid(0) == 0);
	ASSERT_EQ_FMT(LOOM_READ_ONLY, untold, "%d");
	ASSERT_EQ(LOOM_READ_ONLY, told);
	ASSERT(strstr(err.text, "its lock"));
	ASSERT(strstr(err.hint, "chmod -R u+w"));
	ASSERT_EQ(LOOM_OK, read);
	PASS();
}

TEST who_has_a_grove_open_that_a_newer_loom_took_over_only_reads_it(void)
{
	struct loom_err err;
	struct loom_op_spec spec = {.kind = "x", .actor = 1};
	struct loom_tree row;

	raw_exec(&g, "PRAGMA user_version = 99");
	STATUS_IS(LOOM_READ_ONLY, loom_op_begin(g.store, &spec, &err));
	ASSERT(strstr(err.text, "newer"));
	STATUS_IS(LOOM_READ_ONLY, loom_quiet_begin(g.store, &err));
	OK(loom_tree_get(g.store, tree, g.arena, &row, &err));
	/* It holds no lock that would keep the newer one from writing. */
	raw_exec(&g, "BEGIN IMMEDIATE; UPDATE tree SET title = 'theirs'; COMMIT");
	OK(loom_tree_get(g.store, tree, g.arena, &row, &err));
	ASSERT(loom_str_is(row.title, "theirs"));
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(what_would_go_into_a_file_that_is_gone_is_refused);
	RUN_TEST(what_the_process_makes_later_has_the_rights_it_had);
	RUN_TEST(who_may_not_write_beside_it_can_still_read);
	RUN_TEST(who_has_a_grove_open_that_a_newer_loom_took_over_only_reads_it);
	RUN_TEST(a_look_inside_a_write_is_part_of_it);
	RUN_TEST(a_write_inside_a_look_ends_neither);
	RUN_TEST(a_folder_whose_name_no_system_takes_is_not_there);
	RUN_TEST(a_grove_without_its_name_is_damaged);
	RUN_TEST(a_grove_without_a_log_is_taken_as_it_is_until_it_is_written);
	RUN_TEST(a_retry_waits_for_nobody_who_is_dead);
	RUN_TEST(who_has_left_a_long_write_open_may_begin_it_again);
	RUN_TEST(a_long_write_may_be_left_and_gone_on_with);
	RUN_TEST(a_long_write_needs_to_be_seen_living);
	RUN_TEST(what_is_outside_is_listed_only_with_its_way_back);
	RUN_TEST(what_was_changed_behind_the_journal_is_not_undone);
	RUN_TEST(a_mark_that_was_taken_off_by_hand_is_not_taken_off_again);
	RUN_TEST(an_entry_of_the_journal_that_nobody_knows_is_damage);
	RUN_TEST(a_graft_that_cannot_be_read_is_damage);
	RUN_TEST(an_operation_whose_name_was_cut_has_none);
	RUN_TEST(what_builds_on_something_undone_is_repeated_after_it);
	RUN_TEST(a_turn_that_nobody_has_covers_nothing);
	GREATEST_MAIN_END();
}
