/* The contract of a shared log, over each engine; and groves that stand in one that is a file. */
#include <greatest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/draft.h>
#include <loom/grove/sql.h>
#include <loom/salvage/heal.h>
#include <loom/tree/open_store.h>
#include <loom/tree/person.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/replica.h"
#include "support/storm.h"

static struct grove g;
static struct temp other_dir;
static struct loom_store *other;
static char *log_path;
static struct loom_str url;

static void set_up(void *unused)
{
	struct loom_err err = {.status = LOOM_OK};

	(void)unused;
	grove_init(&g);
	temp_init(&other_dir);
	log_path = temp_path(&g.temp, "novel.loomlog");
	url = loom_arena_format(g.arena, "file://%s", log_path);
	grove_tree(&g, LOOM_DIALOGUE, "root");
	loom_store_close(g.store);
	grove_must(loom_remote_add(&g.env, loom_str_of(g.temp.path), url, &err), &err, "add");
	g.store = grove_connect(&g, LOOM_WRITE);
	grove_must(loom_remote_clone(&g.env, loom_str_of(other_dir.path), url, &err), &err,
		   "clone");
	grove_must(loom_store_open(&g.env, loom_str_of(other_dir.path), LOOM_WRITE, &other, &err),
		   &err, "open the clone");
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_store_close(other);
	grove_fini(&g);
	temp_fini(&other_dir);
	free(log_path);
}

static int64_t number_of(struct loom_store *store, const char *sql)
{
	struct query q = model_query(store, sql, NULL);
	int64_t out = -1;

	return model_one(&q, -1, &out) == LOOM_OK ? out : -1;
}

/* --- the contract --- */

struct engine {
	const struct model_log *log;
	void *ctx;
};

static enum loom_status count_entry(void *ctx, int64_t seq, struct loom_str bytes,
				    struct loom_err *err)
{
	int64_t *next = ctx;

	(void)err;
	return seq == ++*next && bytes.n == 2 && bytes.p[0] == 'e' ? LOOM_OK : LOOM_FAULT;
}

static void append_one(const struct engine *e, uint8_t uid)
{
	struct loom_err err = {.status = LOOM_OK};
	const uint8_t id[MODEL_ENTRY_UID] = {uid};
	const char bytes[2] = {'e', (char)uid};
	struct model_mark head;

	grove_must(e->log->turn(e->ctx, &err), &err, "turn");
	grove_must(e->log->head(e->ctx, &head, &err), &err, "head");
	grove_must(e->log->append(e->ctx, &head, id, loom_str_make(bytes, 2), &err), &err,
		   "append");
}

/* An engine whose log has no entry yet. */
static enum greatest_test_res holds(const struct engine *e)
{
	struct loom_err err;
	const uint8_t second[MODEL_ENTRY_UID] = {2};
	const uint8_t fourth[MODEL_ENTRY_UID] = {4};
	struct model_mark first;
	struct model_mark head;
	struct model_mark mark;
	struct loom_hash chain;
	int64_t seen = 0;

	OK(e->log->head(e->ctx, &first, &err));
	ASSERT_EQ(0, first.seq);
	append_one(e, 1);
	append_one(e, 2);
	append_one(e, 3);
	OK(e->log->head(e->ctx, &head, &err));
	ASSERT_EQ(3, head.seq);
	/* the chain names all that came before */
	chain = model_entry_chain(&first.chain, LOOM_STR("e\x01"));
	OK(e->log->mark(e->ctx, 1, &mark, &err));
	ASSERT(loom_hash_eq(&chain, &mark.chain));
	OK(e->log->mark(e->ctx, 0, &mark, &err));
	ASSERT(loom_hash_eq(&first.chain, &mark.chain));
	OK(e->log->mark(e->ctx, 3, &mark, &err));
	ASSERT(loom_hash_eq(&head.chain, &mark.chain));
	OK(e->log->mark(e->ctx, 9, &mark, &err));
	ASSERT(!loom_hash_eq(&head.chain, &mark.chain));
	OK(e->log->since(e->ctx, 0, count_entry, &seen, &err));
	ASSERT_EQ(3, seen);
	seen = 2;
	OK(e->log->since(e->ctx, 2, count_entry, &seen, &err));
	ASSERT_EQ(3, seen);
	/* on another head, or with an id that is in it: nothing */
	OK(e->log->turn(e->ctx, &err));
	STATUS_IS(LOOM_CONFLICT, e->log->append(e->ctx, &first, fourth, LOOM_STR("e4"), &err));
	e->log->leave(e->ctx);
	OK(e->log->turn(e->ctx, &err));
	STATUS_IS(LOOM_CONFLICT, e->log->append(e->ctx, &head, second, LOOM_STR("e4"), &err));
	e->log->leave(e->ctx);
	e->log->leave(e->ctx);
	OK(e->log->head(e->ctx, &mark, &err));
	ASSERT_EQ(3, mark.seq);
	PASS();
}

TEST a_log_in_memory_is_one(void)
{
	struct memory_log *memory = memory_log_create();
	const struct engine engine = {&memory_log_engine, memory};

	CHECK_CALL(holds(&engine));
	memory_log_destroy(memory);
	PASS();
}

TEST a_log_in_a_file_is_one(void)
{
	struct loom_err err;
	struct engine engine = {NULL, NULL};

	OK(model_log_at(url, &engine.log, &engine.ctx, &err));
	CHECK_CALL(holds(&engine));
	engine.log->close(engine.ctx);
	PASS();
}

/* --- groves --- */

TEST what_one_writes_the_other_has(void)
{
	struct storm storm = {.arena = loom_arena_create(), .model = g.model, .person = g.owner};
	struct loom_err err;

	prop_init(&storm.prop, "a log in a file");
	for (int i = 0; i < 60; i++) {
		storm.store = prop_once_in(&storm.prop, 2) ? g.store : other;
		OK(loom_session_open(storm.store, &storm.session, &err));
		storm_step(&storm);
		loom_session_close(storm.session);
	}
	loom_arena_destroy(storm.arena);
	replica_settle(g.store);
	replica_settle(other);
	replica_settle(g.store);
	ASSERT_EQ(0, number_of(g.store, "SELECT count(*) FROM remote_void"));
	ASSERT(replica_same(g.store, other));
	PASS();
}

TEST a_reader_follows_without_writing(void)
{
	struct loom_err err;
	const int64_t nodes = number_of(other, "SELECT count(*) FROM node");

	grove_node(&g, 1, "far away");
	OK(loom_remote_follow(other, &err));
	ASSERT_EQ(nodes + 1, number_of(other, "SELECT count(*) FROM node"));
	PASS();
}

TEST without_the_file_one_is_offline(void)
{
	struct loom_err err;
	const struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};
	char *away = temp_path(&g.temp, "away");

	ASSERT_EQ(0, rename(log_path, away));
	STATUS_IS(LOOM_OFFLINE, loom_op_begin(g.store, &spec, &err));
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	grove_reopen(&g);
	ASSERT_EQ(0, rename(away, log_path));
	ASSERT(grove_node(&g, 1, "again") > 0);
	free(away);
	PASS();
}

/* A sync program brings back an older state, as a file of its own. */
TEST an_older_file_in_its_place_is_a_fork(void)
{
	struct loom_err err;
	const struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};
	struct loom_buf bytes = LOOM_BUF_INIT(1 << 24);
	char *again = temp_path(&g.temp, "again");

	grove_node(&g, 1, "in both");
	ASSERT(temp_read(log_path, &bytes));
	grove_node(&g, 1, "acknowledged");
	temp_put(again, loom_buf_str(&bytes));
	ASSERT_EQ(0, rename(again, log_path));
	STATUS_IS(LOOM_REFUSED, loom_op_begin(g.store, &spec, &err));
	ASSERT(strstr(err.text, "different ways"));
	OK(loom_remote_follow(other, &err)); /* which had not come as far */
	loom_buf_fini(&bytes);
	free(again);
	PASS();
}

/* What only this grove has becomes drafts and lines; then it goes the log's way. */
TEST a_fork_is_healed(void)
{
	struct loom_err err;
	struct loom_buf bytes = LOOM_BUF_INIT(1 << 24);
	char *again = temp_path(&g.temp, "again");
	struct loom_healed healed;
	struct loom_draft *drafts = NULL;
	size_t count = 0;

	grove_node(&g, 1, "in both");
	ASSERT(temp_read(log_path, &bytes));
	grove_node(&g, grove_node(&g, 1, "only here"), "and below it");
	temp_put(again, loom_buf_str(&bytes));
	ASSERT_EQ(0, rename(again, log_path));
	replica_settle(other); /* which writes on, as others do */
	loom_store_close(g.store);
	OK(loom_heal_fork(&g.env, loom_str_of(g.temp.path), url, g.arena, &healed, &err));
	g.store = grove_connect(&g, LOOM_WRITE);
	ASSERT_EQ(2, healed.count);
	ASSERT_EQ(2, healed.drafts);
	ASSERT(loom_str_is(healed.lines[0], "respond"));
	ASSERT_EQ(0, access(healed.kept, R_OK));
	OK(loom_draft_list(g.store, g.arena, &drafts, &count, &err));
	ASSERT_EQ(2, count);
	for (size_t i = 0; i < count; i++)
		ASSERT(loom_str_is(drafts[i].text,
				   drafts[i].anchor.n ? "only here" : "and below it"));
	grove_node(&g, 1, "goes on");
	replica_settle(other);
	ASSERT(replica_same(g.store, other));
	loom_buf_fini(&bytes);
	free(again);
	PASS();
}

TEST what_is_no_log_is_refused_and_left_alone(void)
{
	struct loom_err err;
	const struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};

	ASSERT_EQ(0, unlink(log_path));
	temp_put(log_path, LOOM_STR("somebody's text, which is not ours"));
	STATUS_IS(LOOM_DAMAGED, loom_op_begin(g.store, &spec, &err));
	ASSERT_EQ(34, (int)number_of(g.store, "SELECT 34"));
	PASS();
}

TEST one_enters_a_log_once_and_leaves_it(void)
{
	struct loom_err err;
	const struct loom_str dir = loom_str_of(g.temp.path);
	int64_t entries = number_of(g.store, "SELECT seq FROM remote");

	loom_store_close(g.store);
	STATUS_IS(LOOM_REFUSED, loom_remote_add(&g.env, dir, url, &err));
	OK(loom_remote_drop(&g.env, dir, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_remote_drop(&g.env, dir, &err));
	STATUS_IS(LOOM_CONFLICT, loom_remote_add(&g.env, dir, url, &err));
	g.store = grove_connect(&g, LOOM_WRITE);
	grove_node(&g, 1, "alone");
	OK(loom_remote_follow(other, &err));
	ASSERT_EQ(entries, number_of(other, "SELECT seq FROM remote"));
	PASS();
}

/* A program that does not know of the log would write beside it. */
TEST nobody_has_it_open_when_it_leaves(void)
{
	struct loom_err err;
	struct grove_child child;

	if (!grove_fork(&g, &child)) {
		grove_child_say(&child);
		pause();
	}
	loom_store_close(g.store);
	g.store = NULL;
	grove_child_go(&child);
	ASSERT(grove_child_hear(&child));
	STATUS_IS(LOOM_BUSY, loom_remote_drop(&g.env, loom_str_of(g.temp.path), &err));
	grove_child_kill(&child);
	OK(loom_remote_drop(&g.env, loom_str_of(g.temp.path), &err));
	g.store = grove_connect(&g, LOOM_WRITE);
	PASS();
}

/* A process that is killed between the log and its own file finds its entry when it comes back. */
TEST nothing_acknowledged_is_lost_to_a_kill(void)
{
	enum { ROUNDS = 12 };

	for (int round = 0; round < ROUNDS; round++) {
		struct grove_child child;

		if (!grove_fork(&g, &child)) {
			for (int i = 0;; i++) {
				grove_node(&g, 1, "by the child");
				if (i == round % 4)
					grove_child_say(&child);
			}
		}
		grove_child_go(&child);
		ASSERT(grove_child_hear(&child));
		grove_child_kill(&child);
		replica_settle(g.store);
		replica_settle(other);
		ASSERT(replica_same(g.store, other));
	}
	ASSERT(number_of(g.store, "SELECT count(*) FROM node") > ROUNDS);
	PASS();
}

SUITE(shared_log)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_log_in_memory_is_one);
	RUN_TEST(a_log_in_a_file_is_one);
	RUN_TEST(what_one_writes_the_other_has);
	RUN_TEST(a_reader_follows_without_writing);
	RUN_TEST(without_the_file_one_is_offline);
	RUN_TEST(an_older_file_in_its_place_is_a_fork);
	RUN_TEST(a_fork_is_healed);
	RUN_TEST(what_is_no_log_is_refused_and_left_alone);
	RUN_TEST(one_enters_a_log_once_and_leaves_it);
	RUN_TEST(nobody_has_it_open_when_it_leaves);
	RUN_TEST(nothing_acknowledged_is_lost_to_a_kill);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(shared_log);
	GREATEST_MAIN_END();
}
