/* The contract of a shared log, over each engine; and groves that stand in one, which is a file or
 * on a server. */
#include <greatest.h>

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <loom/grove/draft.h>
#include <loom/grove/sql.h>
#include <loom/salvage/heal.h>
#include <loom/tree/lease.h>
#include <loom/tree/open_store.h>
#include <loom/tree/person.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/raw.h"
#include "support/replica.h"
#include "support/server.h"
#include "support/storm.h"

static struct grove g;
static struct temp other_dir;
static struct loom_store *other;
static struct server server; /* its pid is 0 while the log is a file */
static char *log_path;
static struct loom_buf older; /* the log as it was once */
static struct loom_str url;
static int logs;

/* --- the place of the log --- */

static bool is_on_server(void)
{
	return server.dir[0] != '\0';
}

static struct loom_str next_url(const char *role)
{
	char name[40];

	snprintf(name, sizeof name, "novel-%d", ++logs);
	return is_on_server() ? server_url(&server, role, name, g.arena)
			      : loom_arena_format(g.arena, "file://%s-%d", log_path, logs);
}

/* Remembers the log as it is. */
static void remember(void)
{
	if (!is_on_server() && !temp_read(log_path, &older))
		exit(99);
}

/* Puts it back as it was, `lost` entries ago. */
static void take_back(int64_t lost)
{
	char *again = temp_path(&g.temp, "again");
	char sql[500];

	if (is_on_server()) {
		snprintf(sql, sizeof sql,
			 "UPDATE loom.grove SET seq = seq - %lld WHERE name = 'novel-%d'; "
			 "DELETE FROM loom.entry e USING loom.grove g WHERE e.grove = g.id AND "
			 "e.seq > g.seq; UPDATE loom.grove g SET chain = coalesce((SELECT chain "
			 "FROM loom.entry e WHERE e.grove = g.id AND e.seq = g.seq), first)",
			 (long long)lost, logs);
		server_sql(&server, sql, NULL);
	} else {
		temp_put(again, loom_buf_str(&older));
		if (rename(again, log_path) != 0)
			exit(99);
	}
	free(again);
}

static void go_away(void)
{
	char *away = temp_path(&g.temp, "away");

	if (is_on_server())
		server_kill(&server);
	else if (rename(log_path, away) != 0)
		exit(99);
	free(away);
}

static void come_back(void)
{
	char *away = temp_path(&g.temp, "away");

	if (is_on_server())
		server_again(&server);
	else if (rename(away, log_path) != 0)
		exit(99);
	free(away);
}

static void set_up(void *unused)
{
	struct loom_err err = {.status = LOOM_OK};

	(void)unused;
	grove_init(&g);
	temp_init(&other_dir);
	loom_buf_init(&older, 1 << 24);
	log_path = temp_path(&g.temp, "log");
	url = next_url("marie");
	if (!is_on_server()) {
		free(log_path);
		log_path = strdup(loom_arena_cstr(g.arena, loom_str_sub(url, 7, url.n)));
	}
	grove_tree(&g, LOOM_DIALOGUE, "root");
	loom_store_close(g.store);
	grove_must(loom_remote_add(&g.env, loom_str_of(g.temp.path), url, NULL, &err), &err, "add");
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
	loom_buf_fini(&older);
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

static enum loom_status count_entry(void *ctx, const struct model_logged *entry,
				    struct loom_err *err)
{
	int64_t *next = ctx;

	(void)err;
	return entry->seq == ++*next && entry->bytes.n == 2 && entry->bytes.p[0] == 'e'
		       ? LOOM_OK
		       : LOOM_FAULT;
}

/* Begins a turn at this mark, or only reads; *out_seen is the last entry. */
static enum loom_status read_from(const struct engine *e, const struct model_mark *from, bool turn,
				  int64_t *out_seen, struct loom_err *err)
{
	const struct model_reader reader = {.from = *from, .each = count_entry, .ctx = out_seen};
	bool more = true;
	enum loom_status status = LOOM_OK;

	*out_seen = from->seq;
	status = turn ? e->log->turn(e->ctx, &reader, &more, err)
		      : e->log->since(e->ctx, &reader, &more, err);
	return status == LOOM_OK && more ? LOOM_FAULT : status;
}

static struct model_mark append_one(const struct engine *e, uint8_t uid)
{
	struct loom_err err = {.status = LOOM_OK};
	const uint8_t id[MODEL_ENTRY_UID] = {uid};
	const char bytes[2] = {'e', (char)uid};
	struct model_mark head;
	int64_t seen = 0;

	grove_must(e->log->head(e->ctx, &head, &err), &err, "head");
	grove_must(read_from(e, &head, true, &seen, &err), &err, "turn");
	grove_must(e->log->append(e->ctx, &head, id, loom_str_make(bytes, 2), &err), &err,
		   "append");
	grove_must(e->log->head(e->ctx, &head, &err), &err, "head");
	return head;
}

/* An engine whose log has no entry yet. */
static enum greatest_test_res holds(const struct engine *e)
{
	struct loom_err err;
	const uint8_t second[MODEL_ENTRY_UID] = {2};
	const uint8_t fourth[MODEL_ENTRY_UID] = {4};
	struct model_mark first;
	struct model_mark marks[4];
	struct model_mark head;
	struct loom_hash chain;
	int64_t seen = 0;

	OK(e->log->head(e->ctx, &first, &err));
	ASSERT_EQ(0, first.seq);
	marks[0] = first;
	for (uint8_t i = 1; i <= 3; i++)
		marks[i] = append_one(e, i);
	ASSERT_EQ(3, marks[3].seq);
	/* the chain names all that came before */
	chain = model_entry_chain(&first.chain, LOOM_STR("e\x01"));
	ASSERT(loom_hash_eq(&chain, &marks[1].chain));
	for (size_t i = 0; i < LOOM_COUNT(marks); i++) {
		OK(read_from(e, &marks[i], false, &seen, &err));
		ASSERT_EQ(3, seen);
	}
	/* from a mark that it does not have: nothing, and no turn */
	head = (struct model_mark){2, marks[1].chain};
	STATUS_IS(LOOM_CONFLICT, read_from(e, &head, false, &seen, &err));
	STATUS_IS(LOOM_CONFLICT, read_from(e, &head, true, &seen, &err));
	head = (struct model_mark){4, marks[3].chain};
	STATUS_IS(LOOM_CONFLICT, read_from(e, &head, false, &seen, &err));
	/* on another head, or with an id that is in it: nothing */
	OK(read_from(e, &marks[1], true, &seen, &err));
	ASSERT_EQ(3, seen);
	STATUS_IS(LOOM_CONFLICT, e->log->append(e->ctx, &first, fourth, LOOM_STR("e4"), &err));
	e->log->leave(e->ctx);
	OK(read_from(e, &marks[3], true, &seen, &err));
	STATUS_IS(LOOM_CONFLICT, e->log->append(e->ctx, &marks[3], second, LOOM_STR("e4"), &err));
	e->log->leave(e->ctx);
	e->log->leave(e->ctx);
	OK(e->log->head(e->ctx, &head, &err));
	ASSERT_EQ(3, head.seq);
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

TEST a_log_in_its_place_is_one(void)
{
	struct loom_err err;
	struct engine engine = {NULL, NULL};
	struct loom_str empty = next_url("marie");
	char *file = temp_path(&g.temp, "state");
	const struct loom_hash id = {{1, 2, 3}};

	OK(model_log_at(&(struct model_log_opts){.url = empty, .env = &g.env}, &engine.log,
			&engine.ctx, &err));
	temp_put(file, LOOM_STR("any state"));
	OK(engine.log->may_found(engine.ctx, &err));
	OK(engine.log->found(engine.ctx, file, &id, &err));
	STATUS_IS(LOOM_CONFLICT, engine.log->may_found(engine.ctx, &err));
	CHECK_CALL(holds(&engine));
	engine.log->close(engine.ctx);
	free(file);
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

TEST without_the_log_one_is_offline(void)
{
	struct loom_err err;
	const struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};

	go_away();
	STATUS_IS(LOOM_OFFLINE, loom_op_begin(g.store, &spec, &err));
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	grove_reopen(&g);
	come_back();
	ASSERT(grove_node(&g, 1, "again") > 0);
	OK(loom_remote_follow(other, &err));
	PASS();
}

/* A sync program brings back an older file, a server that was promoted lacks the last second. */
TEST an_older_log_in_its_place_is_a_fork(void)
{
	struct loom_err err;
	const struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};

	grove_node(&g, 1, "in both");
	remember();
	grove_node(&g, 1, "acknowledged");
	take_back(1);
	STATUS_IS(LOOM_REFUSED, loom_op_begin(g.store, &spec, &err));
	ASSERT(strstr(err.text, "different ways"));
	OK(loom_remote_follow(other, &err)); /* which had not come as far */
	PASS();
}

/* What only this grove has becomes drafts and lines; then it goes the log's way. */
TEST a_fork_is_healed(void)
{
	struct loom_err err;
	struct loom_healed healed;
	struct loom_draft *drafts = NULL;
	size_t count = 0;

	grove_node(&g, 1, "in both");
	remember();
	grove_node(&g, grove_node(&g, 1, "only here"), "and below it");
	take_back(2);
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
	STATUS_IS(LOOM_REFUSED, loom_remote_add(&g.env, dir, url, NULL, &err));
	OK(loom_remote_drop(&g.env, dir, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_remote_drop(&g.env, dir, &err));
	STATUS_IS(LOOM_CONFLICT, loom_remote_add(&g.env, dir, url, NULL, &err));
	g.store = grove_connect(&g, LOOM_WRITE);
	grove_node(&g, 1, "alone");
	OK(loom_remote_follow(other, &err));
	ASSERT_EQ(entries, number_of(other, "SELECT seq FROM remote"));
	PASS();
}

/* Another account that owns its clone is not the founder: it comes in as a person of its own. */
TEST another_account_is_another_person(void)
{
	struct loom_err err;
	struct temp dir;
	struct loom_store *theirs = NULL;
	struct loom_member *all = NULL;
	struct loom_node_spec spec = {.from = 1, .text = LOOM_STR_INIT("theirs"), .seq = -1};
	struct loom_op_spec op = {.kind = "respond"};
	struct loom_str second = next_url("marie");
	size_t count = 0;
	int64_t node = 0;

	loom_store_close(g.store);
	OK(loom_remote_drop(&g.env, loom_str_of(g.temp.path), &err));
	raw_exec(&g, "UPDATE member SET role = 'uid:4242'");
	OK(loom_remote_add(&g.env, loom_str_of(g.temp.path), second, NULL, &err));
	temp_init(&dir);
	OK(loom_remote_clone(&g.env, loom_str_of(dir.path), second, &err));
	OK(loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &theirs, &err));
	op.actor = spec.author = loom_me(theirs);
	ASSERT(op.actor && op.actor != g.owner);
	OK(loom_op_begin(theirs, &op, &err));
	OK(loom_op_end(theirs, loom_node_create(theirs, &spec, &node, &err), NULL, &err));
	op.actor = g.owner; /* for whom this account does not speak */
	OK(loom_op_begin(theirs, &op, &err));
	STATUS_IS(LOOM_PERMISSION,
		  loom_op_end(theirs, loom_node_create(theirs, &spec, &node, &err), NULL, &err));
	g.store = grove_connect(&g, LOOM_WRITE);
	OK(loom_remote_follow(g.store, &err));
	ASSERT_EQ(0, number_of(g.store, "SELECT count(*) FROM remote_void"));
	OK(loom_member_list(g.store, g.arena, &all, &count, &err));
	ASSERT_EQ(2, count);
	ASSERT(replica_same(g.store, theirs));
	loom_store_close(theirs);
	temp_fini(&dir);
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

/* A clone that begins with a later state is the same as one that followed from the first. */
TEST a_later_state_makes_a_clone_quick(void)
{
	struct loom_err err;
	struct temp dir;
	struct loom_store *third = NULL;
	bool kept = false;

	for (int i = 0; i < 5; i++)
		grove_node(&g, 1, "before");
	OK(loom_remote_keep(g.store, 1000, &kept, &err));
	ASSERT(!kept);
	OK(loom_remote_keep(g.store, 3, &kept, &err));
	ASSERT_EQ(is_on_server(), kept);
	grove_node(&g, 1, "after");
	temp_init(&dir);
	OK(loom_remote_clone(&g.env, loom_str_of(dir.path), url, &err));
	OK(loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &third, &err));
	ASSERT_EQ(kept ? 5 : 0, number_of(third, "SELECT count(*) FROM body WHERE CAST(text AS "
						 "TEXT) = 'before'"));
	ASSERT_EQ(0, number_of(third, "SELECT count(*) FROM body WHERE CAST(text AS TEXT) = "
				      "'after'"));
	replica_settle(third);
	replica_settle(other);
	ASSERT(replica_same(g.store, third));
	ASSERT(replica_same(g.store, other));
	OK(loom_remote_keep(g.store, 3, &kept, &err));
	ASSERT(!kept);
	loom_store_close(third);
	temp_fini(&dir);
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

/* --- company --- */

static void meet(struct loom_store *store)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t again = 0;

	if (!loom_remote_claim(store))
		exit(99);
	grove_must(loom_remote_meet(store, &again, &err), &err, "meet");
}

static struct loom_session *come(struct loom_store *store, const char *doing)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_session *session = NULL;
	const struct loom_presence what = {.agent = LOOM_STR_INIT("Olga"),
					   .human = true,
					   .node = LOOM_STR_INIT("r001"),
					   .doing = loom_str_of(doing)};

	grove_must(loom_session_open(store, &session, &err), &err, "session");
	grove_must(loom_session_say(session, &what, &err), &err, "say");
	return session;
}

static struct loom_presence *seen(struct loom_store *store, size_t *count)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_presence *list = NULL;

	grove_must(loom_presence_list(store, NULL, g.arena, &list, count, &err), &err, "list");
	return list;
}

TEST who_is_here_is_seen_from_elsewhere(void)
{
	struct loom_err err;
	struct loom_session *session = come(g.store, "reading");
	struct loom_session *theirs = come(other, "writing");
	const struct loom_presence moved = {.agent = LOOM_STR_INIT("Olga"),
					    .doing = LOOM_STR_INIT("generating")};
	const struct loom_presence *list = NULL;
	size_t count = 0;

	meet(g.store);
	meet(other);
	meet(g.store);
	list = seen(other, &count);
	ASSERT_EQ(2, count);
	list = list[0].machine.n ? &list[0] : &list[1];
	ASSERT(loom_str_is(list->session, loom_session_name(session)));
	ASSERT(loom_str_is(list->agent, "Olga") && loom_str_is(list->doing, "reading"));
	ASSERT(loom_str_is(list->node, "r001") && list->human && list->machine.n);
	ASSERT_EQ(0, list->pid);
	ASSERT(loom_session_alive(other, loom_str_of(loom_session_name(session))));
	(void)seen(g.store, &count);
	ASSERT_EQ(2, count);
	/* what it does now, and that it has gone */
	OK(loom_session_say(session, &moved, &err));
	meet(g.store);
	meet(other);
	list = seen(other, &count);
	list = list[0].machine.n ? &list[0] : &list[1];
	ASSERT(loom_str_is(list->doing, "generating"));
	loom_session_close(session);
	meet(g.store);
	meet(other);
	(void)seen(other, &count);
	ASSERT_EQ(1, count);
	loom_session_close(theirs);
	PASS();
}

/* One that follows takes its word back when it ends, and what it showed of others. */
TEST who_leaves_is_not_seen_any_more(void)
{
	struct loom_session *theirs = come(other, "reading");
	struct loom_session *ours = come(g.store, "reading");
	size_t count = 0;

	meet(other);
	meet(g.store);
	(void)seen(g.store, &count);
	ASSERT_EQ(2, count);
	loom_session_close(theirs);
	loom_store_close(other);
	other = NULL;
	/* which does not wait until the server has heard it */
	for (int i = 0; i < 500 && count != 1; i++) {
		nanosleep(&(struct timespec){0, 10000000}, NULL);
		meet(g.store);
		(void)seen(g.store, &count);
	}
	ASSERT_EQ(1, count);
	loom_session_close(ours);
	PASS();
}

static enum loom_status check_there(struct loom_store *store, int64_t node, struct loom_err *err)
{
	const struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};
	enum loom_status status = loom_op_begin(store, &spec, err);

	if (status == LOOM_OK)
		status = loom_lease_check(store, NULL, node, false, err);
	loom_op_rollback(store);
	return status;
}

TEST a_turn_on_a_branch_holds_on_every_machine(void)
{
	struct loom_err err;
	struct loom_session *session = come(g.store, "generating");
	struct loom_session *theirs = come(other, "reading");
	const int64_t node = grove_node(&g, 1, "a branch");
	int64_t lease = 0;
	int64_t second = 0;

	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, loom_lease_take(g.store, session, g.model, node, &lease, &err),
			  &err));
	STATUS_IS(LOOM_CONFLICT, check_there(other, node, &err));
	ASSERT(strstr(err.text, "has the turn on the branch"));
	OK(check_there(other, 1, &err));
	OK(check_there(g.store, 1, &err));
	OK(loom_quiet_begin(other, &err));
	STATUS_IS(LOOM_CONFLICT, loom_lease_take(other, theirs, g.owner, node, &second, &err));
	OK(loom_quiet_end(other, LOOM_OK, &err));
	/* a take that is rolled back was none */
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_lease_take(g.store, session, g.model, 1, &second, &err));
	STATUS_IS(LOOM_INVALID, loom_quiet_end(g.store, LOOM_INVALID, &err));
	OK(check_there(other, 1, &err));
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, loom_lease_release(g.store, lease, &err), &err));
	OK(check_there(other, node, &err));
	loom_session_close(session);
	loom_session_close(theirs);
	PASS();
}

SUITE(in_a_file)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_log_in_memory_is_one);
	RUN_TEST(a_log_in_its_place_is_one);
	RUN_TEST(what_one_writes_the_other_has);
	RUN_TEST(a_reader_follows_without_writing);
	RUN_TEST(without_the_log_one_is_offline);
	RUN_TEST(an_older_log_in_its_place_is_a_fork);
	RUN_TEST(a_fork_is_healed);
	RUN_TEST(what_is_no_log_is_refused_and_left_alone);
	RUN_TEST(one_enters_a_log_once_and_leaves_it);
	RUN_TEST(another_account_is_another_person);
	RUN_TEST(nobody_has_it_open_when_it_leaves);
	RUN_TEST(a_later_state_makes_a_clone_quick);
	RUN_TEST(nothing_acknowledged_is_lost_to_a_kill);
	RUN_TEST(who_is_here_is_seen_from_elsewhere);
	RUN_TEST(who_leaves_is_not_seen_any_more);
	RUN_TEST(a_turn_on_a_branch_holds_on_every_machine);
}

SUITE(on_a_server)
{
	if (!server_start(&server))
		return;
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_log_in_its_place_is_one);
	RUN_TEST(what_one_writes_the_other_has);
	RUN_TEST(a_reader_follows_without_writing);
	RUN_TEST(without_the_log_one_is_offline);
	RUN_TEST(an_older_log_in_its_place_is_a_fork);
	RUN_TEST(a_fork_is_healed);
	RUN_TEST(one_enters_a_log_once_and_leaves_it);
	RUN_TEST(nobody_has_it_open_when_it_leaves);
	RUN_TEST(a_later_state_makes_a_clone_quick);
	RUN_TEST(nothing_acknowledged_is_lost_to_a_kill);
	RUN_TEST(who_is_here_is_seen_from_elsewhere);
	RUN_TEST(who_leaves_is_not_seen_any_more);
	RUN_TEST(a_turn_on_a_branch_holds_on_every_machine);
	server_fini(&server);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(in_a_file);
	RUN_SUITE(on_a_server);
	GREATEST_MAIN_END();
}
