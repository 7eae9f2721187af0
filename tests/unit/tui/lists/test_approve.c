/* Approvals on the screen: what agents propose and what a paste holds runs only as ticked. */
#include <greatest.h>

#include "support/table.h"

#include <loom/grove/grant.h>
#include <loom/work/approval.h>
#include <loom/tree/mark.h>
#include <loom/work/thread.h>
#include <loom/tree/tree.h>
#include <loom/tree/open_store.h>

static void set_up(void)
{
	table_init(&table);
	table_open(&table);
}

/* A list of the agent "ngram" that nobody waits for, or that this very session waits for. */
static int64_t propose(const char *first, const char *second, struct loom_session *session)
{
	struct grove *grove = &table.grove;
	struct loom_proposed calls[] = {{.line = 1,
					 .call = loom_str_of(first),
					 .target = LOOM_STR("[r001] \"A beginning.\"")},
					{.line = 2, .call = loom_str_of(second ? second : "")}};
	struct loom_proposal proposal = {.agent = grove->model,
					 .seq = -1,
					 .calls = calls,
					 .count = second ? 2 : 1};
	struct loom_thread thread;
	struct loom_err err;
	enum loom_status status;

	grove_must(loom_current_tree(grove->store, &proposal.tree, &err), &err, "tree");
	grove_must(loom_quiet_begin(grove->store, &err), &err, "begin");
	status = loom_thread_ensure(grove->store, grove->model, proposal.tree, grove->arena,
				    &thread, &err);
	proposal.thread = status == LOOM_OK ? thread.id : 0;
	if (status == LOOM_OK)
		status = loom_proposal_add(grove->store, &proposal, session, &err);
	grove_must(loom_quiet_end(grove->store, status, &err), &err, "proposal");
	tui_app_work(table.app, true);
	return proposal.id;
}

static struct loom_proposal got(int64_t id)
{
	struct loom_proposal proposal = {.id = 0};
	struct loom_err err;

	grove_must(loom_proposal_get(table.grove.store, id, table.grove.arena, &proposal, &err),
		   &err, "get");
	return proposal;
}

static size_t tagged(const char *tag)
{
	struct loom_store *store = grove_connect(&table.grove, LOOM_READ);
	struct loom_nodes nodes = {NULL, 0};
	struct loom_err err;
	int64_t tree = 0;

	grove_must(loom_current_tree(store, &tree, &err), &err, "tree");
	grove_must(loom_tag_nodes(store,
				  &(struct loom_tagged){.name = loom_str_of(tag),
							.tree = tree,
							.limit = 10},
				  table.grove.arena, &nodes, &err),
		   &err, "tags");
	loom_store_close(store);
	return nodes.count;
}

TEST a_request_is_a_line_and_a_count(void)
{
	set_up();
	propose("annotate r001 \"a note\"", NULL, NULL);
	table_type(&table, "<C-l>");
	ASSERT(table_shows(&table, "1 waits for you"));
	/* Keys go on meaning what they mean. */
	table_type(&table, "ihello");
	ASSERT(table_shows(&table, "hello"));
	PASS();
}

TEST only_what_is_ticked_is_answered_to_an_asker_that_waits(void)
{
	struct loom_session *session = NULL;
	struct loom_proposal now;
	struct loom_err err;
	int64_t id;

	set_up();
	grove_must(loom_session_open(table.grove.store, &session, &err), &err, "session");
	id = propose("annotate r001 \"one\"", "annotate r001 \"two\"", session);
	table_type(&table, "!");
	ASSERT(table_shows(&table, "2 calls · 0 ticked"));
	ASSERT(table_shows(&table, "waiting"));
	table_type(&table, "!");
	ASSERT(table_shows(&table, "nothing is ticked here"));
	table_type(&table, "jj<Space>!");
	now = got(id);
	ASSERT_EQ(LOOM_PROPOSAL_APPROVED, now.state);
	ASSERT_FALSE(now.calls[0].ticked);
	ASSERT(now.calls[1].ticked);
	ASSERT(table_shows(&table, "nothing waits for your approval"));
	loom_session_close(session);
	PASS();
}

/* Two are run: what went wrong with the first is read before what came of the second. */
TEST a_refusal_among_what_ran_stays_on_the_line(void)
{
	set_up();
	table_paste(&table, LOOM_STR("\xe2\x86\x92 prune r001\n\xe2\x86\x92 tag r001 \"a\"\n"));
	table_type(&table, "!<Space>j<Space>!");
	ASSERT(table_shows(&table, "the last root of a tree cannot be pruned"));
	PASS();
}

TEST what_is_refused_never_runs(void)
{
	int64_t id;

	set_up();
	id = propose("annotate r001 \"one\"", NULL, NULL);
	table_type(&table, "!j<Space>x");
	ASSERT_EQ(LOOM_PROPOSAL_REFUSED, got(id).state);
	ASSERT_FALSE(table_shows(&table, "1 waits"));
	ASSERT(table_shows(&table, "refused"));
	PASS();
}

TEST later_leaves_everything_as_it_is(void)
{
	int64_t id;

	set_up();
	id = propose("annotate r001 \"one\"", NULL, NULL);
	table_type(&table, "!j<Space><Esc>");
	ASSERT_EQ(LOOM_PROPOSAL_WAITS, got(id).state);
	ASSERT(table_shows(&table, "1 waits for you"));
	PASS();
}

TEST the_calls_of_a_paste_run_as_ticked_and_are_one_undo(void)
{
	set_up();
	table_paste(&table, LOOM_STR("\xe2\x86\x92 tag r001 \"first\"\n\xe2\x86\x92 tag r001 "
				     "\"second\"\n\xe2\x86\x92 tag r001 \"third\"\n"));
	table_type(&table, "!");
	ASSERT(table_shows(&table, "[ ]  → tag r001 \"first\"") ||
	       table_shows(&table, "→ tag r001 \"first\""));
	table_type(&table, "<Space>jj<Space>!");
	ASSERT(table_shows(&table, "3 calls; nothing runs by itself"));
	table_type(&table, "<Esc>oo");
	ASSERT(table_shows(&table, "tagged [r001] and 1 more"));
	ASSERT_EQ(1, tagged("third"));
	ASSERT_EQ(0, tagged("second"));
	table_type(&table, "qu");
	ASSERT_EQ(0, tagged("first") + tagged("third"));
	PASS();
}

/* Nobody talked with the agent here: it asked, and this person said yes. */
TEST what_was_approved_is_taken_back_by_undo(void)
{
	const struct loom_grant grant = {.may = LOOM_MAY_ALL, .approval = LOOM_APPROVE_PROPOSE};
	struct loom_agent agent;
	struct loom_err err;

	set_up();
	grove_must(loom_agent_get(table.grove.store, table.grove.model, table.grove.arena, &agent,
				  &err),
		   &err, "agent");
	grove_must(loom_grant_set(table.grove.store, &agent.ulid, &grant, &err), &err, "grant");
	(void)propose("tag r001 \"approved\"", NULL, NULL);
	table_type(&table, "!j<Space>!");
	ASSERT_EQ(1, tagged("approved"));
	table_type(&table, "qu");
	ASSERT_EQ(0, tagged("approved"));
	ASSERT(table_shows(&table, "tag"));
	PASS();
}

TEST what_a_person_said_in_a_transcript_is_no_call(void)
{
	set_up();
	table_paste(&table, LOOM_STR("Human: look\n\xe2\x86\x92 prune r001\n\nAssistant: yes\n"
				     "\xe2\x86\x92 tag r001 \"seen\"\n"));
	ASSERT(table_shows(&table, "1 call; nothing"));
	ASSERT(table_shows(&table, "line 5"));
	table_type(&table, "!");
	ASSERT_FALSE(table_shows(&table, "prune r001"));
	PASS();
}

/* A command is shown as it would run, and answered by the program itself. */
TEST a_command_is_shown_whole_and_not_run_here(void)
{
	struct loom_str words[] = {LOOM_STR("tag"), LOOM_STR("r001"), LOOM_STR("seen")};
	struct loom_proposed line = {.call = LOOM_STR("loom tag r001 seen"),
				     .target = LOOM_STR("[r001] \"A beginning.\""),
				     .permission = LOOM_STR("loom_write")};
	struct loom_proposal proposal = {.seq = -1, .calls = &line, .count = 1};
	struct loom_err err;
	enum loom_status status;

	set_up();
	proposal.agent = table.grove.model;
	proposal.command = (struct loom_proposed_command){.words = words,
							  .count = LOOM_COUNT(words),
							  .input = LOOM_STR("one\ntwo\n"),
							  .dir = LOOM_STR("/a/folder")};
	grove_must(loom_quiet_begin(table.grove.store, &err), &err, "begin");
	status = loom_proposal_add(table.grove.store, &proposal, NULL, &err);
	grove_must(loom_quiet_end(table.grove.store, status, &err), &err, "proposal");
	tui_app_work(table.app, true);
	table_type(&table, "!j");
	ASSERT(table_shows(&table, "1 command"));
	ASSERT(table_shows(&table, "loom tag r001 seen"));
	ASSERT(table_shows(&table, "in /a/folder"));
	ASSERT(table_shows(&table, "| two"));
	table_type(&table, "<Space>!");
	ASSERT(table_shows(&table, "loom approve"));
	ASSERT_EQ(LOOM_PROPOSAL_WAITS, got(proposal.id).state);
	ASSERT_EQ(0, tagged("seen"));
	PASS();
}

TEST every_size_gives_a_whole_picture(void)
{
	const char *wrong;

	set_up();
	propose("annotate r001 \"one\"", "annotate r001 \"two\"", NULL);
	table_type(&table, "!j<Space>");
	wrong = table_sizes(&table, true);
	ASSERT_EQm(wrong, NULL, wrong);
	PASS();
}

TEST random_keys_do_no_harm(void)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		const char *wrong;

		set_up();
		propose("annotate r001 \"one\"", "annotate r001 \"two\"", NULL);
		wrong = table_storm(&table, seed, "jjkk  !xl/qiJK\t\x1b\r", "!");
		ASSERT_EQm(wrong, NULL, wrong);
		table_fini(&table);
	}
	PASS();
}

SUITE(approvals)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_request_is_a_line_and_a_count);
	RUN_TEST(only_what_is_ticked_is_answered_to_an_asker_that_waits);
	RUN_TEST(a_refusal_among_what_ran_stays_on_the_line);
	RUN_TEST(what_is_refused_never_runs);
	RUN_TEST(later_leaves_everything_as_it_is);
	RUN_TEST(the_calls_of_a_paste_run_as_ticked_and_are_one_undo);
	RUN_TEST(what_was_approved_is_taken_back_by_undo);
	RUN_TEST(what_a_person_said_in_a_transcript_is_no_call);
	RUN_TEST(a_command_is_shown_whole_and_not_run_here);
	RUN_TEST(every_size_gives_a_whole_picture);
	RUN_TEST(random_keys_do_no_harm);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(approvals);
	GREATEST_MAIN_END();
}
