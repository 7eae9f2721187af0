/* Lists of calls that wait for a person. */
#include <greatest.h>

#include <loom/grove/sql.h>

#include <unistd.h>

#include <loom/work/approval.h>

#include "support/fork.h"
#include "support/ok.h"
#include "support/raw.h"

static struct grove g;
static struct loom_session *mine;
static struct loom_proposed calls[2];

static void set_up(void *unused)
{
	struct loom_err err = {.status = LOOM_OK};

	(void)unused;
	grove_init(&g);
	grove_must(loom_session_open(g.store, &mine, &err), &err, "session");
	calls[0] = (struct loom_proposed){.line = 2,
					  .call = LOOM_STR("respond r001 \"a \\\"b\\\"\n→ c\""),
					  .target = LOOM_STR("[r001] \"Begin.\""),
					  .permission = LOOM_STR("loom_write")};
	calls[1] = (struct loom_proposed){.line = 5, .call = LOOM_STR("bookmark r001")};
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_session_close(mine);
	grove_fini(&g);
}

static enum loom_status try_add(struct loom_proposal *out, const struct loom_session *session,
				struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(g.store, err);

	*out = (struct loom_proposal){
		.agent = g.model, .tree = 3, .seq = 7, .calls = calls, .count = LOOM_COUNT(calls)};
	if (status == LOOM_OK)
		status =
			loom_quiet_end(g.store, loom_proposal_add(g.store, out, session, err), err);
	return status;
}

static struct loom_proposal add(const struct loom_session *session)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_proposal out;

	grove_must(try_add(&out, session, &err), &err, "add");
	return out;
}

static enum loom_status decide(int64_t id, const struct loom_decision *decision,
			       struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(g.store, err);

	return status == LOOM_OK
		       ? loom_quiet_end(g.store, loom_proposal_decide(g.store, id, decision, err),
					err)
		       : status;
}

static bool claim(int64_t id)
{
	struct loom_err err = {.status = LOOM_OK};
	bool mine_now = false;

	grove_must(loom_quiet_begin(g.store, &err), &err, "claim");
	grove_must(loom_quiet_end(g.store, loom_proposal_claim(g.store, id, &mine_now, &err), &err),
		   &err, "claim");
	return mine_now;
}

static size_t waiting(struct loom_proposal **out)
{
	struct loom_err err = {.status = LOOM_OK};
	size_t count = 0;

	grove_must(loom_proposal_list(g.store, g.arena, out, &count, &err), &err, "list");
	return count;
}

static enum loom_proposal_state state_of(int64_t id)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_proposal row;

	grove_must(loom_proposal_get(g.store, id, g.arena, &row, &err), &err, "get");
	return row.state;
}

TEST what_waits_comes_back_byte_for_byte(void)
{
	struct loom_proposal made = add(NULL);
	struct loom_proposal *rows = NULL;

	ASSERT_EQ(1, waiting(&rows));
	ASSERT_EQ(made.id, rows[0].id);
	ASSERT(loom_hash_eq(&made.hash, &rows[0].hash));
	ASSERT_EQ(g.model, rows[0].agent);
	ASSERT_EQ(3, rows[0].tree);
	ASSERT_EQ(7, rows[0].seq);
	ASSERT_EQ(0, rows[0].session.n);
	ASSERT_EQ(2, rows[0].count);
	ASSERT(loom_str_eq(calls[0].call, rows[0].calls[0].call));
	ASSERT(loom_str_eq(calls[0].target, rows[0].calls[0].target));
	ASSERT(loom_str_is(rows[0].calls[0].permission, "loom_write"));
	ASSERT_EQ(5, rows[0].calls[1].line);
	ASSERT_FALSE(rows[0].calls[0].ticked);
	PASS();
}

TEST the_same_list_twice_has_two_hashes(void)
{
	struct loom_proposal first = add(NULL);
	struct loom_proposal second = add(NULL);
	struct loom_proposal other;

	ASSERT_FALSE(loom_hash_eq(&first.hash, &second.hash));
	calls[1].target = LOOM_STR("[b3k9]");
	other = add(NULL);
	ASSERT_FALSE(loom_hash_eq(&other.hash, &second.hash));
	PASS();
}

/* Of whose it is, of its number and of all that it lists: what is approved is exactly that. */
TEST a_hash_is_of_its_agent_its_number_and_its_list(void)
{
	struct loom_proposal first = add(NULL);
	char ulid[LOOM_ULID_CHARS + 1];
	struct loom_agent agent;
	struct loom_err err;

	grove_must(loom_agent_get(g.store, g.model, g.arena, &agent, &err), &err, "agent");
	loom_ulid_text(&agent.ulid, ulid);
	const struct loom_str parts[] = {LOOM_STR("loom proposal\n1\n"), loom_str_of(ulid),
					 raw_text(&g, "SELECT list FROM proposal WHERE id = 1")};
	struct loom_hash wanted = loom_sha256_parts(parts, LOOM_COUNT(parts));
	ASSERT_EQ(1, first.id);
	ASSERT(loom_hash_eq(&wanted, &first.hash));
	PASS();
}

TEST only_a_person_decides(void)
{
	struct loom_err err;
	struct loom_proposal made = add(NULL);
	struct loom_decision decision = {.by = g.model, .approve = true};

	STATUS_IS(LOOM_PERMISSION, decide(made.id, &decision, &err));
	ASSERT(strstr(err.text, "ngram"));
	decision.by = 0;
	ASSERT(decide(made.id, &decision, &err) != LOOM_OK);
	ASSERT_EQ(LOOM_PROPOSAL_WAITS, state_of(made.id));
	PASS();
}

TEST an_approved_list_runs_once(void)
{
	struct loom_err err;
	struct loom_proposal made = add(NULL);
	struct loom_proposal row;
	const struct loom_decision decision = {.by = g.owner, .approve = true};

	ASSERT_FALSE(claim(made.id));
	OK(decide(made.id, &decision, &err));
	ASSERT_EQ(LOOM_PROPOSAL_APPROVED, state_of(made.id));
	STATUS_IS(LOOM_CONFLICT, decide(made.id, &decision, &err));
	ASSERT(claim(made.id));
	ASSERT_FALSE(claim(made.id));
	STATUS_IS(LOOM_CONFLICT, decide(made.id, &decision, &err));
	ASSERT(strstr(err.text, "has already run"));
	OK(loom_proposal_get(g.store, made.id, g.arena, &row, &err));
	ASSERT_EQ(LOOM_PROPOSAL_DONE, row.state);
	ASSERT_EQ(g.owner, row.decided_by);
	ASSERT(row.calls[0].ticked && row.calls[1].ticked);
	ASSERT_EQ(0, waiting(&(struct loom_proposal *){NULL}));
	PASS();
}

TEST a_person_may_tick_some_of_it(void)
{
	static const bool ticked[] = {false, true};
	struct loom_err err;
	struct loom_proposal made = add(mine);
	struct loom_proposal row;
	const struct loom_decision decision = {.by = g.owner, .approve = true, .ticked = ticked};

	OK(decide(made.id, &decision, &err));
	OK(loom_proposal_get(g.store, made.id, g.arena, &row, &err));
	ASSERT_FALSE(row.calls[0].ticked);
	ASSERT(row.calls[1].ticked);
	ASSERT(loom_str_eq(calls[0].call, row.calls[0].call));
	PASS();
}

TEST what_was_refused_never_runs(void)
{
	struct loom_err err;
	struct loom_proposal made = add(NULL);
	struct loom_decision decision = {.by = g.owner};

	OK(decide(made.id, &decision, &err));
	ASSERT_EQ(LOOM_PROPOSAL_REFUSED, state_of(made.id));
	ASSERT_FALSE(claim(made.id));
	decision.approve = true;
	STATUS_IS(LOOM_CONFLICT, decide(made.id, &decision, &err));
	PASS();
}

TEST who_is_gone_waits_for_nothing(void)
{
	struct loom_err err;
	struct loom_session *yours = NULL;
	struct loom_proposal made;
	struct loom_proposal later;
	const struct loom_decision decision = {.by = g.owner, .approve = true};
	struct loom_proposal *rows = NULL;

	OK(loom_session_open(g.store, &yours, &err));
	made = add(yours);
	ASSERT_EQ(1, waiting(&rows));
	loom_session_close(yours);
	ASSERT_EQ(0, waiting(&rows));
	ASSERT_EQ(LOOM_PROPOSAL_VOID, state_of(made.id));
	STATUS_IS(LOOM_CONFLICT, decide(made.id, &decision, &err));
	ASSERT_FALSE(claim(made.id));
	later = add(mine);
	ASSERT_EQ(4, raw_int(&g, "SELECT state FROM proposal ORDER BY id LIMIT 1"));
	ASSERT_EQ(LOOM_PROPOSAL_WAITS, state_of(later.id));
	PASS();
}

TEST a_killed_asker_leaves_nothing_to_approve(void)
{
	struct loom_err err;
	struct grove_child child;
	struct loom_proposal *rows = NULL;

	loom_session_close(mine);
	mine = NULL;
	if (!grove_fork(&g, &child)) {
		struct loom_session *session = NULL;

		if (loom_session_open(g.store, &session, NULL) == LOOM_OK) {
			(void)add(session);
			grove_child_say(&child);
		}
		for (;;)
			pause();
	}
	grove_child_go(&child);
	ASSERT(grove_child_hear(&child));
	ASSERT_EQ(1, waiting(&rows));
	grove_child_kill(&child);
	ASSERT_EQ(0, waiting(&rows));
	STATUS_IS(LOOM_CONFLICT,
		  decide(rows ? rows[0].id : 1,
			 &(struct loom_decision){.by = g.owner, .approve = true}, &err));
	PASS();
}

TEST a_hash_is_found_by_its_beginning(void)
{
	struct loom_err err;
	struct loom_proposal made = add(NULL);
	struct loom_proposal row;
	struct loom_buf hex = LOOM_BUF_INIT(128);

	(void)add(NULL);
	loom_hash_hex(&made.hash, &hex);
	for (size_t n = 8; n <= 64; n++) {
		OK(loom_proposal_find(g.store, loom_str_sub(loom_buf_str(&hex), 0, n), g.arena,
				      &row, &err));
		ASSERT_EQ(made.id, row.id);
	}
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_proposal_find(g.store, loom_str_sub(loom_buf_str(&hex), 0, 7), g.arena, &row,
				     &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_proposal_find(g.store, LOOM_STR("zzzzzzzzzz"), g.arena, &row, &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_proposal_find(g.store, LOOM_STR("0000000000"), g.arena, &row, &err));
	loom_buf_fini(&hex);
	PASS();
}

TEST text_that_is_no_text_is_not_listed(void)
{
	struct loom_err err;
	struct loom_proposal out;

	calls[0].call = LOOM_STR("respond r001 \"\xff\"");
	STATUS_IS(LOOM_INVALID, try_add(&out, NULL, &err));
	ASSERT_EQ(0, waiting(&(struct loom_proposal *){NULL}));
	PASS();
}

TEST what_waits_is_found_without_looking_at_what_is_over(void)
{
	int64_t before = 0;
	struct loom_proposal *rows = NULL;

	raw_exec(&g,
		 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
		 "INSERT INTO proposal(hash, agent, session, list, state, at) "
		 "SELECT randomblob(32), 1, '', '{}', 3, 0 FROM n");
	(void)add(NULL);
	before = loom_store_rows_scanned(g.store);
	ASSERT_EQ(1, waiting(&rows));
	ASSERT(loom_store_rows_scanned(g.store) - before <= 2);
	PASS();
}

TEST a_grove_of_the_first_version_gets_what_is_new(void)
{
	raw_age(&g);
	grove_reopen(&g);
	ASSERT_EQ(MODEL_SCHEMA_VERSION,
		  raw_int(&g, "SELECT user_version FROM pragma_user_version"));
	ASSERT_EQ(3, raw_int(&g, "SELECT count(*) FROM sqlite_schema WHERE name IN "
				 "('proposal_waiting', 'proposal_hash', 'job_state')"));
	(void)add(NULL);
	PASS();
}

static enum loom_status add_command(struct loom_proposed_command command, struct loom_proposal *out,
				    struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(g.store, err);

	*out = (struct loom_proposal){
		.agent = g.model, .seq = -1, .calls = calls, .count = 1, .command = command};
	if (status == LOOM_OK)
		status = loom_quiet_end(g.store, loom_proposal_add(g.store, out, NULL, err), err);
	return status;
}

TEST a_command_comes_back_word_for_word_with_its_input(void)
{
	struct loom_str words[] = {LOOM_STR("doc"), LOOM_STR("write"), LOOM_STR(""),
				   LOOM_STR("it's\n\"two\" \x01 â®")};
	const struct loom_proposed_command said = {.words = words,
						   .count = LOOM_COUNT(words),
						   .input = LOOM_STR("a\n\nb\t"),
						   .dir = LOOM_STR("/a folder"),
						   .grove = LOOM_STR("x")};
	struct loom_proposal put;
	struct loom_proposal got;
	struct loom_err err;

	OK(add_command(said, &put, &err));
	OK(loom_proposal_get(g.store, put.id, g.arena, &got, &err));
	ASSERT_EQ(LOOM_COUNT(words), got.command.count);
	for (size_t i = 0; i < LOOM_COUNT(words); i++)
		ASSERT(loom_str_eq(words[i], got.command.words[i]));
	ASSERT(loom_str_eq(said.input, got.command.input));
	ASSERT(loom_str_eq(said.dir, got.command.dir));
	ASSERT(loom_str_eq(said.grove, got.command.grove));
	/* An empty input is one; none is none. */
	OK(add_command((struct loom_proposed_command){.words = words,
						      .count = 1,
						      .input = LOOM_STR(""),
						      .dir = LOOM_STR("/")},
		       &put, &err));
	OK(loom_proposal_get(g.store, put.id, g.arena, &got, &err));
	ASSERT(got.command.input.p && !got.command.input.n && !got.command.grove.p);
	OK(add_command(
		(struct loom_proposed_command){.words = words, .count = 1, .dir = LOOM_STR("/")},
		&put, &err));
	OK(loom_proposal_get(g.store, put.id, g.arena, &got, &err));
	ASSERT(!got.command.input.p);
	PASS();
}

TEST a_guest_is_part_of_what_waits(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_proposal own = add(NULL);
	struct loom_proposal *rows = NULL;
	struct loom_proposal out = own;

	out.guest = (struct loom_guest){LOOM_STR("Ann \"<b>\""), LOOM_STR("page link 12345678")};
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, loom_proposal_add(g.store, &out, NULL, &err), &err));
	ASSERT(!loom_hash_eq(&own.hash, &out.hash));
	ASSERT_EQ(2, waiting(&rows));
	ASSERT(!rows[0].guest.name.p);
	ASSERT(loom_str_is(rows[1].guest.name, "Ann \"<b>\""));
	ASSERT(loom_str_is(rows[1].guest.from, "page link 12345678"));
	out.guest.name = LOOM_STR("\xff");
	OK(loom_quiet_begin(g.store, &err));
	ASSERT_EQ(LOOM_INVALID,
		  loom_quiet_end(g.store, loom_proposal_add(g.store, &out, NULL, &err), &err));
	PASS();
}

TEST a_command_that_nobody_could_read_is_not_listed(void)
{
	struct loom_str word = LOOM_STR("\xff");
	struct loom_str good = LOOM_STR("tag");
	struct loom_proposal put;
	struct loom_err err;

	STATUS_IS(LOOM_INVALID, add_command((struct loom_proposed_command){.words = &word,
									   .count = 1,
									   .dir = LOOM_STR("/")},
					    &put, &err));
	STATUS_IS(LOOM_INVALID, add_command((struct loom_proposed_command){.words = &good,
									   .count = 1,
									   .input = word,
									   .dir = LOOM_STR("/")},
					    &put, &err));
	PASS();
}

SUITE(approval)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_waits_comes_back_byte_for_byte);
	RUN_TEST(the_same_list_twice_has_two_hashes);
	RUN_TEST(a_hash_is_of_its_agent_its_number_and_its_list);
	RUN_TEST(only_a_person_decides);
	RUN_TEST(an_approved_list_runs_once);
	RUN_TEST(a_person_may_tick_some_of_it);
	RUN_TEST(what_was_refused_never_runs);
	RUN_TEST(who_is_gone_waits_for_nothing);
	RUN_TEST(a_killed_asker_leaves_nothing_to_approve);
	RUN_TEST(a_hash_is_found_by_its_beginning);
	RUN_TEST(text_that_is_no_text_is_not_listed);
	RUN_TEST(a_command_comes_back_word_for_word_with_its_input);
	RUN_TEST(a_guest_is_part_of_what_waits);
	RUN_TEST(a_command_that_nobody_could_read_is_not_listed);
	RUN_TEST(what_waits_is_found_without_looking_at_what_is_over);
	RUN_TEST(a_grove_of_the_first_version_gets_what_is_new);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(approval);
	GREATEST_MAIN_END();
}
