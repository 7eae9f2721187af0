/* Who is here, and whose turn it is. */
#include <greatest.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/tree/lease.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

static struct grove g;
static int64_t tree;
static int64_t root;
static struct loom_session *mine;
static struct loom_session *yours;

static struct loom_session *open_session(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_session *session = NULL;

	grove_must(loom_session_open(g.store, &session, &err), &err, "session");
	return session;
}

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	root = grove_root(&g, tree);
	mine = open_session();
	yours = open_session();
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_session_close(mine);
	loom_session_close(yours);
	grove_fini(&g);
}

static size_t present(const struct loom_session *self, struct loom_presence **out)
{
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_presence_list(g.store, self, g.arena, out, &count, &err), &err, "list");
	return count;
}

static void say(struct loom_session *session, const char *agent, const char *doing)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_presence what = {.agent = loom_str_of(agent),
				     .human = true,
				     .thread = LOOM_STR_INIT("thread-1a2b3c4d"),
				     .tree = LOOM_STR_INIT("01ARZ3NDEKTSV4RRFFQ69G5FAV"),
				     .node = LOOM_STR_INIT("a7x2"),
				     .depth = 12,
				     .doing = loom_str_of(doing),
				     .since = 1771840800000};

	grove_must(loom_session_say(session, &what, &err), &err, "say");
}

static int files_in_live(void)
{
	char *path = temp_path(&g.temp, ".loom/live");
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir)) != NULL)
		count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
	if (dir)
		closedir(dir);
	free(path);
	return count;
}

/* --- presence --- */

TEST what_a_session_says_is_what_others_see(void)
{
	struct loom_presence *seen = NULL;

	say(mine, "Ada", "reading");
	ASSERT_EQ(1, present(yours, &seen));
	ASSERT(loom_str_is(seen[0].session, loom_session_name(mine)));
	ASSERT_EQ(getpid(), seen[0].pid);
	ASSERT(loom_str_is(seen[0].agent, "Ada") && seen[0].human);
	ASSERT(loom_str_is(seen[0].node, "a7x2"));
	ASSERT_EQ(12, seen[0].depth);
	ASSERT(loom_str_is(seen[0].doing, "reading"));
	ASSERT_EQ(1771840800000, seen[0].since);
	PASS();
}

TEST nobody_sees_himself_or_who_has_not_spoken(void)
{
	struct loom_presence *seen = NULL;

	ASSERT_EQ(0, present(mine, &seen));
	say(mine, "Ada", "reading");
	ASSERT_EQ(0, present(mine, &seen));
	ASSERT_EQ(1, present(NULL, &seen));
	PASS();
}

TEST a_shorter_word_leaves_nothing_of_the_longer_one(void)
{
	struct loom_presence *seen = NULL;

	say(mine, "somebody with a very long name indeed", "generating");
	say(mine, "Al", "");
	ASSERT_EQ(1, present(yours, &seen));
	ASSERT(loom_str_is(seen[0].agent, "Al"));
	ASSERT(loom_str_is(seen[0].doing, ""));
	PASS();
}

TEST names_with_anything_in_them_come_through(void)
{
	struct loom_presence *seen = NULL;
	static const char odd[] = "\"\\\n\x1b[31m\xE2\x80\xAE{}";

	say(mine, odd, "writing");
	ASSERT_EQ(1, present(yours, &seen));
	ASSERT(loom_str_is(seen[0].agent, odd));
	PASS();
}

TEST who_closes_is_gone_and_leaves_no_file(void)
{
	struct loom_presence *seen = NULL;
	char name[64];

	say(mine, "Ada", "reading");
	snprintf(name, sizeof name, "%s", loom_session_name(mine));
	ASSERT(loom_session_alive(g.store, loom_str_of(name)));
	loom_session_close(mine);
	mine = NULL;
	ASSERT_FALSE(loom_session_alive(g.store, loom_str_of(name)));
	ASSERT_EQ(0, present(yours, &seen));
	ASSERT_EQ(1, files_in_live());
	PASS();
}

TEST a_killed_process_is_gone_at_once_and_tidied_away(void)
{
	struct loom_presence *seen = NULL;
	struct grove_child child;

	if (!grove_fork(&g, &child)) {
		say(open_session(), "Bob", "writing");
		grove_child_say(&child);
		alarm(60);
		pause();
	}
	grove_child_go(&child);
	ASSERT(grove_child_hear(&child));
	ASSERT_EQ(1, present(mine, &seen));
	ASSERT_EQ(child.pid, seen[0].pid);
	ASSERT_EQ(3, files_in_live());
	grove_child_kill(&child);
	ASSERT_EQ(0, present(mine, &seen));
	ASSERT_EQ(2, files_in_live());
	PASS();
}

TEST nothing_is_written_to_the_database_for_presence(void)
{
	int64_t rows = loom_store_rows_written(g.store);

	(void)loom_store_changed(g.store);
	for (int i = 0; i < 20; i++)
		say(mine, "Ada", "reading");
	ASSERT_EQ(rows, loom_store_rows_written(g.store));
	ASSERT_FALSE(loom_store_changed(g.store));
	PASS();
}

TEST what_is_no_sessions_file_is_left_alone(void)
{
	struct loom_presence *seen = NULL;
	static const char *const strangers[] = {".loom/live/README", ".loom/live/a.txt",
						".loom/live/UPPER-1"};

	for (size_t i = 0; i < LOOM_COUNT(strangers); i++)
		temp_write(&g.temp, strangers[i], LOOM_STR("{}"));
	ASSERT_EQ(0, present(mine, &seen));
	for (size_t i = 0; i < LOOM_COUNT(strangers); i++) {
		char *path = temp_path(&g.temp, strangers[i]);

		ASSERT_EQm(strangers[i], 0, access(path, F_OK));
		free(path);
	}
	PASS();
}

TEST a_session_is_never_looked_for_outside_its_folder(void)
{
	static const char *const names[] = {
		"../../.loom/grove.db", "/etc/passwd", "..", "", "x/y", "../lock"};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		ASSERT_FALSE(loom_session_alive(g.store, loom_str_of(names[i])));
	PASS();
}

/* A grove from elsewhere may name it in a row, and who opens the grove looks there. */
TEST a_pipe_in_the_place_of_a_session_is_nobody_and_waited_for_by_nobody(void)
{
	char *path = temp_path(&g.temp, ".loom/live/s-1-pipe");

	ASSERT_EQ(0, mkfifo(path, 0600));
	alarm(20);
	ASSERT_FALSE(loom_session_alive(g.store, LOOM_STR("s-1-pipe")));
	alarm(0);
	free(path);
	PASS();
}

TEST broken_presence_hides_one_and_not_the_others(void)
{
	struct loom_presence *seen = NULL;
	struct loom_buf name = LOOM_BUF_INIT(256);

	say(mine, "Ada", "reading");
	loom_buf_addf(&name, ".loom/live/%s", loom_session_name(yours));
	temp_write(&g.temp, loom_buf_cstr(&name), LOOM_STR("{\"agent\": \"half"));
	ASSERT_EQ(1, present(NULL, &seen));
	ASSERT(loom_str_is(seen[0].agent, "Ada"));
	loom_buf_fini(&name);
	PASS();
}

/* Others look while sessions come: none of the living may be taken for dead. */
TEST a_session_that_opens_while_others_look_is_seen(void)
{
	struct grove_child child;
	struct loom_presence *seen = NULL;
	int lost = 0;

	if (!grove_fork(&g, &child)) {
		alarm(20);
		for (;;) {
			(void)present(NULL, &seen);
			loom_arena_reset(g.arena);
		}
	}
	grove_child_go(&child);
	for (int i = 0; i < 1500; i++) {
		struct loom_session *session = open_session();

		lost += !loom_session_alive(g.store, loom_str_of(loom_session_name(session)));
		loom_session_close(session);
	}
	grove_child_kill(&child);
	ASSERT_EQ_FMT(0, lost, "%d");
	PASS();
}

/* --- turns --- */

static enum loom_status take(struct loom_session *session, int64_t node, int64_t *out_lease,
			     struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(g.store, err);

	return status == LOOM_OK ? loom_quiet_end(g.store,
						  loom_lease_take(g.store, session, g.model, node,
								  out_lease, err),
						  err)
				 : status;
}

static void release(int64_t lease)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(loom_quiet_end(g.store, loom_lease_release(g.store, lease, &err), &err), &err,
		   "release");
}

static void renew(const struct loom_session *session)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_lease_renew(session, &err), &err, "renew");
}

/* Its time is up. */
static void let_lapse(const struct loom_session *session)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_session_hold(session, loom_env_boot(), &err), &err, "hold");
}

TEST others_wait_for_who_has_the_turn_and_are_told_his_name(void)
{
	struct loom_err err;
	int64_t a = grove_node(&g, root, "a");
	int64_t lease = 0;

	OK(take(mine, a, &lease, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, a, false, &err));
	ASSERT(strstr(err.text, "\"ngram\" has"));
	ASSERT(strstr(err.text, grove_name(&g, a)));
	ASSERT(loom_status_retryable(LOOM_CONFLICT));
	STATUS_IS(LOOM_CONFLICT, take(yours, a, &lease, &err));
	OK(loom_lease_check(g.store, mine, a, true, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, NULL, a, false, &err));
	PASS();
}

TEST what_is_made_under_a_turn_belongs_to_it(void)
{
	struct loom_err err;
	int64_t a = grove_node(&g, root, "a");
	int64_t lease = 0;
	int64_t made;
	int64_t deeper;

	OK(take(mine, a, &lease, &err));
	made = grove_node(&g, a, "made");
	deeper = grove_node(&g, made, "deeper");
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, made, false, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, deeper, false, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, deeper, true, &err));
	release(lease);
	OK(loom_lease_check(g.store, yours, deeper, true, &err));
	PASS();
}

/* The turn covers the node and what is made under it while it lasts, not the branches that were
 * there before: a generation at the root does not stop the grove. */
TEST a_branch_that_was_there_before_the_turn_is_another_branch(void)
{
	struct loom_err err;
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");
	int64_t lease = 0;
	int64_t other = 0;

	OK(take(mine, root, &lease, &err));
	OK(loom_lease_check(g.store, yours, a, false, &err));
	OK(loom_lease_check(g.store, yours, b, false, &err));
	OK(loom_lease_check(g.store, yours, b, true, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, root, false, &err));
	/* and both may have their turns */
	OK(take(yours, b, &other, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, mine, b, false, &err));
	OK(loom_lease_check(g.store, yours, b, false, &err));
	PASS();
}

TEST a_child_beside_the_turn_is_free(void)
{
	struct loom_err err;
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, root, "b");
	int64_t lease = 0;

	OK(take(mine, a, &lease, &err));
	OK(loom_lease_check(g.store, yours, b, true, &err));
	OK(loom_lease_check(g.store, yours, root, false, &err));
	OK(take(yours, b, &lease, &err));
	PASS();
}

TEST nothing_above_a_turn_is_changed_by_others(void)
{
	struct loom_err err;
	int64_t a = grove_node(&g, root, "a");
	int64_t b = grove_node(&g, a, "b");
	int64_t beside = grove_node(&g, a, "beside");
	int64_t lease = 0;

	OK(take(mine, b, &lease, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, a, true, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, root, true, &err));
	OK(loom_lease_check(g.store, yours, a, false, &err));
	OK(loom_lease_check(g.store, yours, beside, true, &err));
	OK(loom_lease_check(g.store, mine, root, true, &err));
	PASS();
}

TEST a_turn_is_for_the_whole_group_of_versions(void)
{
	struct loom_err err;
	int64_t other = grove_tree(&g, LOOM_BUFFER, "buffer");
	int64_t a = grove_node(&g, grove_root(&g, other), "a");
	int64_t better = grove_edit(&g, a, "A");
	int64_t lease = 0;

	OK(take(mine, better, &lease, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, a, false, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, better, true, &err));
	PASS();
}

TEST turns_in_another_tree_do_not_matter(void)
{
	struct loom_err err;
	int64_t other = grove_tree(&g, LOOM_BUFFER, "buffer");
	int64_t lease = 0;

	OK(take(mine, root, &lease, &err));
	OK(loom_lease_check(g.store, yours, grove_root(&g, other), true, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_lease_check(g.store, yours, 4711, true, &err));
	PASS();
}

TEST a_turn_ends_by_its_time(void)
{
	struct loom_err err;
	int64_t lease = 0;

	OK(take(mine, root, &lease, &err));
	let_lapse(mine);
	OK(loom_lease_check(g.store, yours, root, false, &err));
	OK(take(yours, root, &lease, &err));
	/* and the old row is gone */
	ASSERT_EQ(1, raw_int(&g, "SELECT count(*) FROM lease"));
	PASS();
}

TEST a_renewed_turn_lasts(void)
{
	struct loom_err err;
	int64_t lease = 0;

	OK(take(mine, root, &lease, &err));
	let_lapse(mine);
	OK(loom_lease_check(g.store, yours, root, false, &err));
	renew(mine);
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, root, false, &err));
	PASS();
}

TEST a_turn_that_another_has_taken_over_is_not_renewed_back(void)
{
	struct loom_err err;
	int64_t lease = 0;
	int64_t other = 0;

	OK(take(mine, root, &lease, &err));
	let_lapse(mine);
	OK(take(yours, root, &other, &err));
	ASSERT(other != lease);
	renew(mine);
	release(lease);
	OK(loom_lease_check(g.store, yours, root, false, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, mine, root, false, &err));
	PASS();
}

TEST what_a_session_says_and_until_when_its_turns_hold_do_not_disturb_each_other(void)
{
	struct loom_presence *seen = NULL;
	struct loom_err err;
	int64_t lease = 0;

	OK(take(mine, root, &lease, &err));
	ASSERT_EQ(0, present(yours, &seen));
	say(mine, "Ada", "reading");
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, root, false, &err));
	renew(mine);
	ASSERT_EQ(1, present(yours, &seen));
	ASSERT(loom_str_is(seen[0].agent, "Ada"));
	PASS();
}

TEST a_turn_ends_with_its_process(void)
{
	struct loom_err err;
	struct grove_child child;
	int64_t lease = 0;

	if (!grove_fork(&g, &child)) {
		if (take(open_session(), root, &lease, &err) == LOOM_OK)
			grove_child_say(&child);
		alarm(60);
		pause();
	}
	grove_child_go(&child);
	ASSERT(grove_child_hear(&child));
	STATUS_IS(LOOM_CONFLICT, loom_lease_check(g.store, yours, root, false, &err));
	grove_child_kill(&child);
	OK(loom_lease_check(g.store, yours, root, false, &err));
	OK(take(yours, root, &lease, &err));
	PASS();
}

TEST a_turn_ends_with_its_session(void)
{
	struct loom_err err;
	int64_t lease = 0;

	OK(take(mine, root, &lease, &err));
	loom_session_close(mine);
	mine = NULL;
	OK(take(yours, root, &lease, &err));
	PASS();
}

TEST turns_are_no_operations(void)
{
	struct loom_err err;
	int64_t events = raw_int(&g, "SELECT count(*) FROM event");
	int64_t lease = 0;

	OK(take(mine, root, &lease, &err));
	renew(mine);
	release(lease);
	ASSERT_EQ(events, raw_int(&g, "SELECT count(*) FROM event"));
	PASS();
}

/* --- random turns against an oracle --- */

enum { NODES = 40, TURNS = 4 };

struct turn {
	int64_t lease; /* 0: none */
	size_t node;
	int64_t last; /* the newest node when it was taken */
	struct loom_session *by;
};

struct field {
	size_t count;
	int64_t nodes[NODES];
	size_t parents[NODES];
	struct turn turns[TURNS];
};

static bool is_above(const struct field *field, size_t high, size_t low)
{
	while (low > high)
		low = field->parents[low];
	return low == high;
}

static bool oracle(const struct field *field, const struct loom_session *who, size_t node,
		   bool changes)
{
	for (size_t i = 0; i < TURNS; i++) {
		const struct turn *turn = &field->turns[i];

		if (!turn->lease || turn->by == who)
			continue;
		if (turn->node == node ||
		    (is_above(field, turn->node, node) && field->nodes[node] > turn->last))
			return false;
		if (changes && is_above(field, node, turn->node))
			return false;
	}
	return true;
}

static void random_step(struct prop *prop, struct field *field)
{
	struct loom_err err;
	struct turn *turn = &field->turns[prop_below(prop, TURNS)];
	size_t node = prop_below(prop, field->count);
	bool free = false;

	if (prop_once_in(prop, 3) && field->count < NODES) {
		field->parents[field->count] = node;
		field->nodes[field->count++] = grove_node(&g, field->nodes[node], "x");
	} else if (turn->lease) {
		release(turn->lease);
		turn->lease = 0;
	} else {
		turn->by = prop_once_in(prop, 2) ? mine : yours;
		turn->node = node;
		turn->last = field->nodes[field->count - 1];
		free = oracle(field, turn->by, node, false);
		if ((take(turn->by, field->nodes[node], &turn->lease, &err) == LOOM_OK) != free)
			exit(97);
		if (!free)
			turn->lease = 0;
	}
}

TEST random_turns_stand_where_an_oracle_says(void)
{
	struct prop prop;
	struct field field = {.count = 1, .nodes = {root}};

	prop_init(&prop, "turns");
	for (int round = 0; round < 150; round++) {
		struct loom_err err;

		random_step(&prop, &field);
		for (size_t i = 0; i < field.count; i++) {
			bool changes = prop_once_in(&prop, 2);
			struct loom_session *who = prop_once_in(&prop, 2) ? mine : yours;

			STATUS_IS(oracle(&field, who, i, changes) ? LOOM_OK : LOOM_CONFLICT,
				  loom_lease_check(g.store, who, field.nodes[i], changes, &err));
		}
	}
	PASS();
}

SUITE(live)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(what_a_session_says_is_what_others_see);
	RUN_TEST(nobody_sees_himself_or_who_has_not_spoken);
	RUN_TEST(a_shorter_word_leaves_nothing_of_the_longer_one);
	RUN_TEST(names_with_anything_in_them_come_through);
	RUN_TEST(who_closes_is_gone_and_leaves_no_file);
	RUN_TEST(a_killed_process_is_gone_at_once_and_tidied_away);
	RUN_TEST(nothing_is_written_to_the_database_for_presence);
	RUN_TEST(what_is_no_sessions_file_is_left_alone);
	RUN_TEST(a_session_is_never_looked_for_outside_its_folder);
	RUN_TEST(a_pipe_in_the_place_of_a_session_is_nobody_and_waited_for_by_nobody);
	RUN_TEST(broken_presence_hides_one_and_not_the_others);
	RUN_TEST(a_session_that_opens_while_others_look_is_seen);
	RUN_TEST(others_wait_for_who_has_the_turn_and_are_told_his_name);
	RUN_TEST(what_is_made_under_a_turn_belongs_to_it);
	RUN_TEST(a_branch_that_was_there_before_the_turn_is_another_branch);
	RUN_TEST(a_child_beside_the_turn_is_free);
	RUN_TEST(nothing_above_a_turn_is_changed_by_others);
	RUN_TEST(a_turn_is_for_the_whole_group_of_versions);
	RUN_TEST(turns_in_another_tree_do_not_matter);
	RUN_TEST(a_turn_ends_by_its_time);
	RUN_TEST(a_renewed_turn_lasts);
	RUN_TEST(a_turn_that_another_has_taken_over_is_not_renewed_back);
	RUN_TEST(what_a_session_says_and_until_when_its_turns_hold_do_not_disturb_each_other);
	RUN_TEST(a_turn_ends_with_its_process);
	RUN_TEST(a_turn_ends_with_its_session);
	RUN_TEST(turns_are_no_operations);
	RUN_TEST(random_turns_stand_where_an_oracle_says);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(live);
	GREATEST_MAIN_END();
}
