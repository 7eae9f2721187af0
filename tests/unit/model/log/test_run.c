/* The lifecycle: what it answers, keeps and refuses; restarts and a second process. */
#include <greatest.h>

#include "support/run_world.h"

static struct world world;

static void set_up(void *unused)
{
	(void)unused;
	world_init(&world);
}

static void tear_down(void *unused)
{
	(void)unused;
	world_fini(&world);
}

TEST a_run_is_logged_message_by_message(void)
{
	ASSERT_EQ(LOOM_RUN_IDLE, look(&world)->status);
	ASSERT_STR_EQ("accepted", start(&world, "r1"));
	ASSERT_EQ(LOOM_RUN_AWAITING_LLM, look(&world)->status);
	ASSERT_STR_EQ("accepted", assistant(&world, "r1", "[{\"id\":\"c\"}]"));
	ASSERT_EQ(LOOM_RUN_AWAITING_TOOL, look(&world)->status);
	ASSERT_STR_EQ("accepted", tool(&world, "r1"));
	ASSERT_STR_EQ("accepted", assistant(&world, "", "[]"));
	ASSERT_EQ(LOOM_RUN_AWAITING_LLM, look(&world)->status);
	ASSERT_EQ(0, look(&world)->settled);
	ASSERT_EQ(4, look(&world)->context->count);
	ASSERT_STR_EQ("accepted", end(&world, "r1", LOOM_OUTCOME_COMPLETED));
	ASSERT_EQ(LOOM_RUN_COMPLETED, look(&world)->status);
	ASSERT_EQ(4, look(&world)->settled);
	ASSERT_STR_EQ("{\"context_ref\":\"default\",\"role\":\"user\",\"content\":\"Q\","
		      "\"request_id\":\"r1\",\"run_id\":\"r1\"}",
		      payload_at(&world, 0));
	ASSERT_STR_EQ("{\"context_ref\":\"default\",\"role\":\"assistant\",\"content\":\"A\","
		      "\"request_id\":\"r1\",\"run_id\":\"r1\"}",
		      payload_at(&world, 3));
	ASSERT_EQ(1, loom_memlog_run_count(world.memlog));
	struct loom_str record = loom_memlog_run_at(world.memlog, 0);
	ASSERT(loom_jval_says(loom_jval_get(record, "outcome"), LOOM_STR("completed")));
	ASSERT(loom_str_is(loom_jval_get(record, "to_seq"), "3"));
	PASS();
}

TEST what_is_refused_appends_nothing_and_says_why(void)
{
	struct loom_message bad = {.request_id = LOOM_STR("r9")};

	ASSERT_STR_EQ("rejected:idle", assistant(&world, "", ""));
	ASSERT_STR_EQ("rejected:request_mismatch", assistant(&world, "late", ""));
	ASSERT_STR_EQ("rejected:idle", drain(&world));
	ASSERT_STR_EQ("rejected:idle", end(&world, "", LOOM_OUTCOME_FAILED));
	ASSERT_STR_EQ("rejected:request_id", start(&world, ""));
	ASSERT_EQ(LOOM_OK, loom_run_start(world.run, &bad, &world.result, NULL));
	ASSERT_STR_EQ("content", world.result.why);
	ASSERT_EQ(0, loom_memlog_count(world.memlog));
	ASSERT_STR_EQ("accepted", start(&world, "r1"));
	ASSERT_STR_EQ("rejected:busy", start(&world, "r1"));
	ASSERT_STR_EQ("rejected:request_mismatch", tool(&world, "r0"));
	ASSERT_STR_EQ("rejected:request_mismatch", end(&world, "r0", LOOM_OUTCOME_FAILED));
	ASSERT_STR_EQ("rejected:tool_calls", assistant(&world, "r1", "{}"));
	bad = (struct loom_message){.content = LOOM_STR("\"R\"")};
	ASSERT_EQ(LOOM_OK, loom_run_tool_result(world.run, &bad, &world.result, NULL));
	ASSERT_STR_EQ("tool_call_id", world.result.why);
	ASSERT_EQ(1, loom_memlog_count(world.memlog));
	PASS();
}

TEST broken_json_in_a_message_is_an_error_and_leaves_no_run_open(void)
{
	const struct loom_message bad = {.request_id = LOOM_STR("r"),
					 .content = LOOM_STR("\"unfinished")};
	struct loom_err err = {0};

	ASSERT_EQ(LOOM_INVALID, loom_run_start(world.run, &bad, &world.result, &err));
	ASSERT_FALSE(look(&world)->active);
	ASSERT_EQ(0, loom_memlog_count(world.memlog));
	ASSERT_STR_EQ("accepted", start(&world, "r"));
	PASS();
}

TEST callers_refs_are_kept_but_not_the_reserved_ones(void)
{
	const struct loom_message message = {
		.request_id = LOOM_STR("r1"),
		.run_id = LOOM_STR("run7"),
		.content = LOOM_STR("\"Q\""),
		.extra_refs = LOOM_STR("{\"request_id\":\"x\",\"run_id\":\"y\",\"signal_id\":"
				       "\"z\",\"slack_ts\":\"1.2\",\"deep\":{\"a\":[1]}}")};

	ASSERT_EQ(LOOM_OK, loom_run_start(world.run, &message, &world.result, NULL));
	ASSERT_STR_EQ("{\"request_id\":\"r1\",\"run_id\":\"run7\",\"slack_ts\":\"1.2\",\"deep\":{"
		      "\"a\":[1]}}",
		      loom_arena_cstr(world.arena, loom_memlog_at(world.memlog, 0)->refs));
	PASS();
}

TEST steering_is_trimmed_queued_in_order_and_bounded(void)
{
	const struct loom_steer system = {.content = LOOM_STR("x"), .role = LOOM_STR("system")};

	ASSERT_STR_EQ("rejected:idle", steer(&world, "x"));
	start(&world, "r1");
	ASSERT_EQ(LOOM_OK, loom_run_steer(world.run, &system, &world.result, NULL));
	ASSERT_STR_EQ("role", world.result.why);
	ASSERT_STR_EQ("rejected:empty_content", steer(&world, " \n\t"));
	for (int i = 0; i < LOOM_RUN_QUEUE_MAX; i++)
		ASSERT_STR_EQ("queued", steer(&world, i ? " later " : " \"first\"\n"));
	ASSERT_STR_EQ("rejected:queue_full", steer(&world, "x"));
	ASSERT_EQ(1, loom_memlog_count(world.memlog));
	ASSERT_STR_EQ("accepted", drain(&world));
	ASSERT_EQ(LOOM_RUN_QUEUE_MAX, world.result.drained);
	ASSERT_EQ(1 + LOOM_RUN_QUEUE_MAX, loom_memlog_count(world.memlog));
	ASSERT(strstr(payload_at(&world, 1), "\"content\":\"\\\"first\\\"\""));
	ASSERT(strstr(payload_at(&world, 2), "\"content\":\"later\""));
	ASSERT_STR_EQ("{\"request_id\":\"r1\",\"run_id\":\"r1\",\"source\":\"steer\"}",
		      loom_arena_cstr(world.arena, loom_memlog_at(world.memlog, 1)->refs));
	ASSERT_STR_EQ("accepted", drain(&world));
	ASSERT_EQ(0, world.result.drained);
	PASS();
}

TEST what_is_still_queued_at_the_end_goes_back_to_its_sender(void)
{
	start(&world, "r1");
	steer(&world, "faster");
	ASSERT_STR_EQ("accepted", end(&world, "r1", LOOM_OUTCOME_FAILED));
	ASSERT(loom_str_is(world.result.returned,
			   "[{\"content\":\"faster\",\"source\":\"steer\"}]"));
	ASSERT_EQ(1, loom_memlog_count(world.memlog));
	start(&world, "r2");
	ASSERT_STR_EQ("accepted", drain(&world));
	ASSERT_EQ(0, world.result.drained);
	PASS();
}

TEST a_failed_run_stays_in_the_next_context(void)
{
	start(&world, "r1");
	assistant(&world, "r1", "");
	ASSERT_STR_EQ("accepted", end(&world, "r1", LOOM_OUTCOME_CANCELLED));
	ASSERT_EQ(LOOM_RUN_ERROR, look(&world)->status);
	ASSERT_EQ(2, look(&world)->settled);
	ASSERT_STR_EQ("accepted", start(&world, "r2"));
	ASSERT_EQ(2, look(&world)->settled);
	ASSERT_EQ(3, look(&world)->context->count);
	PASS();
}

TEST an_operation_waits_for_the_end_and_the_latest_wins(void)
{
	start(&world, "r1");
	ASSERT_STR_EQ("deferred", replace(&world, "one", "1"));
	ASSERT_STR_EQ("deferred", replace(&world, "two", "2"));
	ASSERT_STR_EQ("noop:invalid_snapshot",
		      modify(&world, "{\"op_id\":\"bad\",\"operation\":{\"type\":\"replace\"}}"));
	ASSERT_STR_EQ("two", loom_arena_cstr(world.arena, look(&world)->pending_op_id));
	ASSERT_EQ(1, look(&world)->context->count);
	end(&world, "r1", LOOM_OUTCOME_WORKER_EXIT);
	ASSERT(loom_str_is(world.result.op_id, "two"));
	ASSERT_EQ(1, world.result.seq);
	ASSERT_EQ(0, look(&world)->pending_op_id.n);
	ASSERT_STR_EQ("noop", replace(&world, "two", "again"));
	ASSERT_STR_EQ("applied", replace(&world, "one", "1"));
	PASS();
}

TEST a_repeated_operation_never_displaces_a_waiting_one(void)
{
	replace(&world, "old", "O");
	start(&world, "r1");
	replace(&world, "new", "N");
	ASSERT_STR_EQ("noop", replace(&world, "old", "O"));
	end(&world, "r1", LOOM_OUTCOME_COMPLETED);
	ASSERT(loom_str_is(world.result.op_id, "new"));
	PASS();
}

static const char *compact(int64_t through_seq)
{
	const struct loom_compaction order = {.summary = LOOM_STR("what \"was\""),
					      .through_seq = through_seq,
					      .meta = LOOM_STR("{\"by\":\"tool\"}")};

	return answer(&world, loom_run_compact(world.run, &order, &world.result, NULL));
}

TEST a_compaction_that_waited_keeps_what_came_meanwhile(void)
{
	size_t hidden = 9;

	start(&world, "r0");
	assistant(&world, "r0", "");
	end(&world, "r0", LOOM_OUTCOME_COMPLETED);
	ASSERT_STR_EQ("noop:nothing_to_compact", compact(-1));
	start(&world, "r1");
	ASSERT_STR_EQ("deferred", compact(1));
	assistant(&world, "r1", "");
	end(&world, "r1", LOOM_OUTCOME_COMPLETED);
	ASSERT_EQ(3, look(&world)->context->count);
	ASSERT(loom_str_is(look(&world)->context->entries[0].content, "\"what \\\"was\\\"\""));
	ASSERT(loom_str_is(look(&world)->context->entries[2].content, "\"A\""));
	ASSERT(strstr(payload_at(&world, 4), "\"reason\":\"compaction\""));
	ASSERT(strstr(payload_at(&world, 4),
		      "\"base_seq\":3,\"meta\":{\"from_seq\":0,\"to_seq\":1,\"by\":\"tool\"}"));
	ASSERT_EQ(LOOM_OK, loom_context_hidden(look(&world)->context, &world.log, &hidden, NULL));
	ASSERT_EQ(0, hidden);
	ASSERT_STR_EQ("noop:nothing_to_compact", compact(3));
	ASSERT_STR_EQ("applied", compact(4));
	ASSERT_EQ(1, look(&world)->context->count);
	PASS();
}

/* The process that ordered it dies, and the next one was told of no prompt. */
TEST a_compaction_keeps_the_prompt_whoever_applies_it(void)
{
	const struct loom_run_opts opts = {.thread = LOOM_STR("t1"), .env = &world.env};

	start(&world, "r1");
	assistant(&world, "r1", "");
	ASSERT_STR_EQ("deferred", compact(0));
	loom_run_close(world.run);
	ASSERT_EQ(LOOM_OK, loom_run_open(&world.log, &opts, &world.run, &world.result, NULL));
	ASSERT_EQ(2, look(&world)->context->count);
	ASSERT(look(&world)->context->has_prompt);
	ASSERT(loom_str_is(look(&world)->context->prompt, "Base"));
	PASS();
}

TEST invalid_operations_name_what_is_wrong(void)
{
	static const struct {
		const char *envelope;
		const char *answer;
	} cases[] = {
		{"{}", "noop:invalid_type"},
		{"{\"operation\":[]}", "noop:invalid_type"},
		{"{\"operation\":{\"type\":\"truncate\"}}", "noop:invalid_type"},
		{"{\"operation\":{\"type\":\"switch\",\"reason\":\"because\"}}",
		 "noop:invalid_reason"},
		{"{\"operation\":{\"type\":\"switch\",\"reason\":7}}", "noop:invalid_reason"},
		{"{\"operation\":{\"type\":\"replace\",\"result_context\":\"x\"}}",
		 "noop:invalid_snapshot"},
		{"{\"operation\":{\"type\":\"replace\",\"result_context\":{\"id\":\"x\","
		 "\"entries\":[5]}}}",
		 "noop:invalid_snapshot"},
		{"{\"operation\":{\"type\":\"replace\",\"result_context\":{\"id\":\"x\","
		 "\"system_prompt\":[],\"entries\":[]}}}",
		 "noop:invalid_snapshot"},
		{"{\"operation\":{\"type\":\"replace\",\"result_context\":{\"id\":\"x\","
		 "\"entries\":[{\"node\":\"nope\"}]}}}",
		 "noop:invalid_snapshot"},
		{"{\"op_id\":\"\",\"operation\":{\"type\":\"switch\"}}", "noop:invalid_op_id"},
		{"{\"op_id\":5,\"operation\":{\"type\":\"switch\"}}", "noop:invalid_op_id"},
		{"{\"context_ref\":\"\",\"operation\":{\"type\":\"switch\"}}",
		 "noop:invalid_context_ref"},
		{"not json", "INVALID_SYNTAX"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases) - 1; i++)
		ASSERT_STR_EQ(cases[i].answer, modify(&world, cases[i].envelope));
	ASSERT(strcmp("noop", modify(&world, cases[LOOM_COUNT(cases) - 1].envelope)) != 0);
	ASSERT_EQ(0, loom_memlog_count(world.memlog));
	PASS();
}

TEST operations_are_normalised_before_they_are_kept(void)
{
	ASSERT_STR_EQ("applied",
		      modify(&world, "{\"operation\":{ \"type\":\"replace\", \"op_id\":\"in\", "
				     "\"context_ref\":\"lane\", \"base_seq\":\"x\", \"meta\":[1], "
				     "\"context\":{\"id\":\"c\", \"entries\":[ ]}}}"));
	ASSERT_STR_EQ("{\"op_id\":\"in\",\"context_ref\":\"lane\",\"operation\":{\"type\":"
		      "\"replace\",\"reason\":\"manual\",\"result_context\":{\"id\":\"c\","
		      "\"entries\":[]},\"meta\":{}}}",
		      payload_at(&world, 0));
	ASSERT_STR_EQ("applied", modify(&world, "{\"operation\":{\"type\":\"switch\",\"base_seq\":"
						"4,\"result_context\":{\"id\":1}}}"));
	ASSERT_EQ(23, world.result.op_id.n);
	ASSERT(strstr(payload_at(&world, 1), "\"context_ref\":\"lane\",\"operation\":{\"type\":"
					     "\"switch\",\"reason\":\"manual\",\"base_seq\":4,"
					     "\"meta\":{}}}"));
	PASS();
}

TEST drawn_ids_differ_and_may_be_forbidden(void)
{
	const struct loom_str envelope = LOOM_STR("{\"operation\":{\"type\":\"switch\"}}");

	ASSERT_EQ(LOOM_OK, loom_run_modify(world.run, envelope, false, &world.result, NULL));
	ASSERT_STR_EQ("invalid_op_id", world.result.why);
	for (int i = 0; i < 20; i++)
		ASSERT_STR_EQ("applied", modify(&world, envelope.p));
	ASSERT_EQ(20, look(&world)->applied_count);
	PASS();
}

TEST the_last_128_ids_are_listed_and_the_log_knows_them_all(void)
{
	for (int i = 0; i < 130; i++) {
		struct loom_str id = loom_arena_format(world.arena, "o%d", i);
		ASSERT_STR_EQ("applied", go(&world, id.p, "lane"));
	}
	ASSERT_EQ(LOOM_RUN_OPS_KEPT, look(&world)->applied_count);
	ASSERT(loom_str_is(look(&world)->applied[0], "o129"));
	ASSERT(loom_str_is(look(&world)->applied[127], "o2"));
	ASSERT_STR_EQ("noop", go(&world, "o0", "lane"));
	PASS();
}

TEST a_restart_ends_the_open_run_and_then_applies_what_waited(void)
{
	start(&world, "r1");
	steer(&world, "unsaid");
	go(&world, "s", "beta");
	loom_run_close(world.run);
	open_run(&world);
	ASSERT_FALSE(look(&world)->active);
	ASSERT_EQ(LOOM_RUN_ERROR, look(&world)->status);
	ASSERT(loom_str_is(look(&world)->lane, "beta"));
	ASSERT(loom_str_is(loom_memlog_at(world.memlog, 1)->kind, LOOM_KIND_OP));
	struct loom_str record = loom_memlog_run_at(world.memlog, 0);
	ASSERT(loom_jval_says(loom_jval_get(record, "outcome"), LOOM_STR("worker_exit")));
	PASS();
}

/* What a model was saying when its process died is its last message; what it went on to say whole
 * is that message alone. */
TEST what_was_being_said_outlives_its_process(void)
{
	struct loom_message message = {
		.request_id = LOOM_STR("r1"),
		.content = LOOM_STR("\"Once\""),
		.output = LOOM_STR("{\"text\":\"Once\"}"),
	};

	ASSERT_EQ(LOOM_OK, loom_run_saying(world.run, &message, &world.result, NULL));
	ASSERT_STR_EQ("request_mismatch", world.result.why);
	start(&world, "r1");
	ASSERT_EQ(LOOM_OK, loom_run_saying(world.run, &message, &world.result, NULL));
	ASSERT_EQ(0, look(&world)->cursor);
	message.content = LOOM_STR("\"Once upon\"");
	message.output = LOOM_STR("{\"text\":\"Once upon\"}");
	ASSERT_EQ(LOOM_OK, loom_run_assistant(world.run, &message, &world.result, NULL));
	ASSERT_EQ(2, world.result.seq);
	message.content = LOOM_STR("\"a time\"");
	message.thinking = LOOM_STR("\"hm\"");
	message.output = LOOM_STR("{\"text\":\"a time\"}");
	ASSERT_EQ(LOOM_OK, loom_run_saying(world.run, &message, &world.result, NULL));
	ASSERT(look(&world)->active);
	loom_run_close(world.run);
	open_run(&world);
	ASSERT_EQ(4, look(&world)->cursor);
	ASSERT(loom_str_is(loom_memlog_at(world.memlog, 1)->payload, "{\"text\":\"Once upon\"}"));
	ASSERT(loom_str_is(loom_memlog_at(world.memlog, 3)->kind, LOOM_KIND_OUTPUT));
	ASSERT(loom_str_is(loom_memlog_at(world.memlog, 3)->payload, "{\"text\":\"a time\"}"));
	struct loom_str last = loom_memlog_at(world.memlog, 4)->payload;
	ASSERT(loom_jval_says(loom_jval_get(last, "content"), LOOM_STR("a time")));
	ASSERT(loom_jval_says(loom_jval_get(last, "thinking"), LOOM_STR("hm")));
	ASSERT(loom_jval_says(loom_jval_get(last, "request_id"), LOOM_STR("r1")));
	struct loom_str record = loom_memlog_run_at(world.memlog, 0);
	ASSERT(loom_jval_says(loom_jval_get(record, "outcome"), LOOM_STR("worker_exit")));
	ASSERT_EQ(0, loom_jval_get(record, "said").n);
	PASS();
}

TEST a_restart_in_place_is_as_good_as_a_new_process(void)
{
	start(&world, "r1");
	steer(&world, "unsaid");
	replace(&world, "o", "new");
	ASSERT_EQ(LOOM_OK, loom_run_restart(world.run, &world.result, NULL));
	ASSERT(loom_jval_says(loom_jval_get(world.result.ended, "request_id"), LOOM_STR("r1")));
	ASSERT(loom_str_is(world.result.late_op_id, "o"));
	ASSERT(world.result.returned.n > 0);
	ASSERT_STR_EQ("accepted", start(&world, "r2"));
	PASS();
}

static bool says_alive(void *ctx, struct loom_str record)
{
	(void)ctx;
	(void)record;
	return true;
}

TEST a_second_process_sees_the_rows_and_the_run_of_the_first(void)
{
	struct world other;

	struct loom_log_ops ops = *world.log.ops;
	ops.run_alive = says_alive;
	other = world;
	other.log.ops = &ops;
	start(&world, "r1");
	open_run(&other);
	ASSERT(look(&other)->active);
	ASSERT_STR_EQ("rejected:busy", start(&other, "r2"));
	ASSERT_STR_EQ("queued", steer(&other, "from afar"));
	ASSERT_STR_EQ("deferred", replace(&other, "o", "new"));
	assistant(&world, "r1", "[{\"id\":\"c\"}]");
	ASSERT_EQ(LOOM_RUN_AWAITING_TOOL, look(&other)->status);
	ASSERT_STR_EQ("accepted", drain(&world));
	ASSERT_EQ(1, world.result.drained);
	end(&world, "r1", LOOM_OUTCOME_COMPLETED);
	ASSERT(loom_str_is(world.result.op_id, "o"));
	ASSERT_FALSE(look(&other)->active);
	ASSERT_EQ(1, look(&other)->settled);
	ASSERT_STR_EQ(shown(&world), shown(&other));
	loom_run_close(other.run);
	PASS();
}

TEST rows_that_break_the_rules_are_not_appended(void)
{
	static const struct {
		const char *kind;
		const char *payload;
	} cases[] = {
		{"", "{}"},
		{"no spaces", "{}"},
		{"note", "[]"},
		{"note", "{\"a\":}"},
		{"ai_message", "{\"role\":\"user\",\"content\":\"x\"}"},
		{"ai_message", "{\"context_ref\":\"a\",\"role\":\"system\",\"content\":\"x\"}"},
		{"ai_message", "{\"context_ref\":\"a\",\"role\":\"user\"}"},
		{"ai_message", "{\"context_ref\":\"a\",\"role\":\"user\",\"content\":{}}"},
		{"ai_message", "{\"context_ref\":\"a\",\"role\":\"tool\",\"content\":\"x\"}"},
		{"ai_context_operation", "{\"op_id\":\"o\",\"operation\":{\"type\":\"switch\"}}"},
		{"ai_context_operation",
		 "{\"context_ref\":\"a\",\"operation\":{\"type\":\"switch\"}}"},
	};
	int64_t seq = 0;

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		const struct loom_log_row row = {.kind = loom_str_of(cases[i].kind),
						 .payload = loom_str_of(cases[i].payload)};
		struct loom_err err = {0};
		ASSERT(loom_log_append(&world.log, &row, &seq, &err) != LOOM_OK);
		ASSERT(err.text[0]);
	}
	ASSERT_EQ(0, loom_memlog_count(world.memlog));
	PASS();
}

TEST nulls_are_dropped_and_unknown_kinds_take_a_seq(void)
{
	int64_t seq = 0;
	const struct loom_log_row row = {.kind = LOOM_STR("my.own-kind"),
					 .payload = LOOM_STR(
						 " { \"a\" : null , \"b\" : { \"c\" : null } } "),
					 .refs = LOOM_STR("{ }")};

	ASSERT_EQ(LOOM_OK, loom_log_append(&world.log, &row, &seq, NULL));
	ASSERT_EQ(0, seq);
	ASSERT_STR_EQ("{\"b\":{\"c\":null}}", payload_at(&world, 0));
	ASSERT_EQ(0, loom_memlog_at(world.memlog, 0)->refs.n);
	ASSERT_STR_EQ("accepted", start(&world, "r"));
	ASSERT_EQ(1, look(&world)->cursor);
	PASS();
}

SUITE(run)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_run_is_logged_message_by_message);
	RUN_TEST(what_is_refused_appends_nothing_and_says_why);
	RUN_TEST(broken_json_in_a_message_is_an_error_and_leaves_no_run_open);
	RUN_TEST(callers_refs_are_kept_but_not_the_reserved_ones);
	RUN_TEST(steering_is_trimmed_queued_in_order_and_bounded);
	RUN_TEST(what_is_still_queued_at_the_end_goes_back_to_its_sender);
	RUN_TEST(a_failed_run_stays_in_the_next_context);
	RUN_TEST(an_operation_waits_for_the_end_and_the_latest_wins);
	RUN_TEST(a_repeated_operation_never_displaces_a_waiting_one);
	RUN_TEST(a_compaction_that_waited_keeps_what_came_meanwhile);
	RUN_TEST(a_compaction_keeps_the_prompt_whoever_applies_it);
	RUN_TEST(invalid_operations_name_what_is_wrong);
	RUN_TEST(operations_are_normalised_before_they_are_kept);
	RUN_TEST(drawn_ids_differ_and_may_be_forbidden);
	RUN_TEST(the_last_128_ids_are_listed_and_the_log_knows_them_all);
	RUN_TEST(a_restart_ends_the_open_run_and_then_applies_what_waited);
	RUN_TEST(what_was_being_said_outlives_its_process);
	RUN_TEST(a_restart_in_place_is_as_good_as_a_new_process);
	RUN_TEST(a_second_process_sees_the_rows_and_the_run_of_the_first);
	RUN_TEST(rows_that_break_the_rules_are_not_appended);
	RUN_TEST(nulls_are_dropped_and_unknown_kinds_take_a_seq);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(run);
	GREATEST_MAIN_END();
}
