/* A chat's turns: what is told, what is kept, steering, stopping. */
#include <greatest.h>

#include <loom/grove/draft.h>
#include <loom/work/thread_log.h>

#include "support/ok.h"
#include "support/chatter.h"

static struct marie marie;
static struct talk talk;

static void set_up(void *unused)
{
	(void)unused;
	marie_init(&marie, LOOM_DIALOGUE);
	loom_engine_close(marie.engine);
	marie.engine = NULL;
	talk = (struct talk){.asked = 0};
	talk_open(&talk, &marie, marie.agent, 0);
}

static void tear_down(void *unused)
{
	(void)unused;
	talk_close(&talk);
	marie_fini(&marie);
}

/* Answers in marie's naming. */
#define ANSWERS(...)                                                                               \
	do {                                                                                       \
		static const char *const said_[] = {__VA_ARGS__};                                  \
		answers(said_, LOOM_COUNT(said_));                                                 \
	} while (0)

static void answers(const char *const *said, size_t count)
{
	const char **real = LOOM_ARENA_ARRAY(marie.grove.arena, count, const char *);

	for (size_t i = 0; i < count; i++) {
		struct loom_buf text = LOOM_BUF_INIT(1 << 20);

		marie_translate(&marie, loom_str_of(said[i]), true, &text);
		real[i] = loom_arena_cstr(marie.grove.arena, loom_buf_str(&text));
		loom_buf_fini(&text);
	}
	talk.answers = real;
	talk.answer_count = count;
}

static bool join(void *ctx, const struct loom_log_row *row)
{
	struct loom_buf *out = ctx;
	struct loom_str role =
		loom_jval_text(loom_jval_get(row->payload, "role"), marie.grove.arena);

	loom_buf_addf(out, "%s%.*s", out->n ? " " : "", LOOM_STR_ARG(role.n ? role : row->kind));
	return true;
}

/* The kinds of the rows of the chat's log, messages by their role. */
static const char *rows(void)
{
	static struct loom_buf out = LOOM_BUF_INIT(1 << 16);
	struct loom_err err = {.status = LOOM_OK};
	struct loom_thread_log *keeper = NULL;
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE, .through = LOOM_SEQ_HEAD};
	const struct loom_log_visitor visitor = {join, &out};
	struct loom_log log;

	loom_buf_clear(&out);
	marie_must(loom_thread_log_open(marie.grove.store, loom_chat_thread(talk.chat), NULL,
					&keeper, &err),
		   &err);
	log = loom_thread_log_face(keeper);
	marie_must(log.ops->read(log.ctx, &range, &visitor, &err), &err);
	loom_thread_log_close(keeper);
	return loom_buf_cstr(&out);
}

static struct loom_str last_run(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_thread_log *keeper = NULL;
	struct loom_str *records = NULL;
	size_t count = 0;

	marie_must(loom_thread_log_open(marie.grove.store, loom_chat_thread(talk.chat), NULL,
					&keeper, &err),
		   &err);
	marie_must(loom_thread_log_runs(keeper, 1, marie.grove.arena, &records, &count, &err),
		   &err);
	loom_thread_log_close(keeper);
	return count ? records[0] : LOOM_STR("");
}

static void steer(struct talk *with)
{
	loom_chat_steer(with->chat, with->with);
}

static void stop(struct talk *with)
{
	if (with->with.n)
		loom_chat_steer(with->chat, with->with);
	loom_chat_cancel(with->chat, LOOM_CANCEL_ALL);
}

static void stop_one(struct talk *with)
{
	loom_chat_cancel(with->chat, LOOM_CANCEL_ONE);
}

/* ---- turns ---- */

TEST calls_are_done_and_told_to_the_model(void)
{
	ANSWERS("I look.\n→ view a7x2\n→ bookmark a7x2\n", "It is good.\n");
	ASSERT_STR_EQ("I look.\n<→ view a7x2: OK><→ bookmark a7x2: OK>It is good.\n",
		      talk_say(&talk, "and?"));
	ASSERT_EQ(LOOM_OK, talk.end.status);
	ASSERT_EQ(2, talk.end.rounds);
	ASSERT_EQ(2, talk.end.calls);
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "bookmarked ["));
	ASSERT_STR_EQ("user model_input model_output assistant tool_action "
		      "tool_result tool_action "
		      "tool_result model_input model_output assistant",
		      rows());
	ASSERT(strstr(loom_arena_cstr(marie.grove.arena, last_run()), "completed"));
	PASS();
}

TEST what_is_said_behind_the_calls_is_not_heard(void)
{
	ANSWERS("→ view a7x2\nI guess it is sad.\n→ bookmark a7x2\n", "Done.\n");
	ASSERT_STR_EQ("<→ view a7x2: OK>Done.\n", talk_say(&talk, "and?"));
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "I guess"));
	PASS();
}

/* How much of an answer was asked for: five bytes a piece. */
static size_t pieces_of(const char *answer)
{
	talk.asked = 0;
	talk.answers = (const char *const[]){answer, "Done.\n"};
	talk.answer_count = 2;
	talk.at_ask = 0;
	(void)talk_say(&talk, "and?");
	return talk.pieces;
}

TEST a_stream_is_cut_at_the_first_letter_behind_its_calls(void)
{
	static const char head[] = "→ view a7x2\n\n";
	static const char *const prose[] = {"so it goes, on and on", "  Next I would look",
					    "是的，我想", "“はい”と彼女", "はい、そう"};
	static const char *const calls[] = {"→ view b3k9", "→ annotate a7x2 \"so\nit goes\"",
					    "→ think\nso it goes\n←"};
	char answer[200];

	for (size_t i = 0; i < LOOM_COUNT(prose); i++) {
		snprintf(answer, sizeof answer, "%s%s", head, prose[i]);
		ASSERT(pieces_of(answer) < (strlen(answer) + 4) / 5);
		ASSERT(pieces_of(answer) <= (strlen(head) + 3 + 4) / 5);
	}
	for (size_t i = 0; i < LOOM_COUNT(calls); i++) {
		snprintf(answer, sizeof answer, "%s%s", head, calls[i]);
		ASSERT_EQ((strlen(answer) + 4) / 5, pieces_of(answer));
	}
	PASS();
}

static void count_pieces(struct talk *with)
{
	with->chunks_heard = with->heard.n;
}

TEST a_line_is_told_as_it_grows_unless_it_may_be_a_call(void)
{
	static const char *const scripts[] = {"Да, я так и думаю.", "はい、そう思います。",
					      "\xe2\x80\x9cYes\xe2\x80\x9d, she said then.",
					      "**Bold** words of a line",
					      "  A line that stands in a bit"};

	ANSWERS("One long line without an end.");
	talk.at_ask = 1;
	talk.at_chunk = 4;
	talk.at = count_pieces;
	ASSERT_STR_EQ("One long line without an end.", talk_say(&talk, "go"));
	ASSERT_EQ(20, talk.chunks_heard);
	for (size_t i = 0; i < LOOM_COUNT(scripts); i++) {
		talk.asked = 0;
		talk.answers = &scripts[i];
		talk.answer_count = 1;
		ASSERT_STR_EQ(scripts[i], talk_say(&talk, "go"));
		ASSERT_EQ(20, talk.chunks_heard);
	}
	talk.asked = 0;
	ANSWERS("Yes. <think>no, not so\nbut so</think> Right.\n→ think \"deep\nwords\"\n");
	talk.answer_count = 1;
	(void)talk_say(&talk, "go");
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.heard), "not so"));
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.heard), "words"));
	PASS();
}

TEST a_second_turn_knows_the_first(void)
{
	ANSWERS("One.\n", "Two.\n");
	(void)talk_say(&talk, "first words");
	(void)talk_say(&talk, "second words");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "first words"));
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "assistant: One."));
	PASS();
}

TEST a_turn_without_end_is_ended(void)
{
	ANSWERS("→ view a7x2\n");
	(void)talk_say(&talk, "go");
	ASSERT(talk.end.limited);
	ASSERT_EQ(LOOM_OK, talk.end.status);
	ASSERT_EQ(LOOM_CHAT_ROUNDS_MAX, talk.end.rounds);
	ASSERT_EQ(LOOM_CHAT_ROUNDS_MAX, talk.asked);
	PASS();
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
		count++;
	return count;
}

/* Of the whole turn, whatever message they stand in; lines that are no calls are not counted. */
TEST no_more_calls_are_done_in_a_turn_than_it_may_have(void)
{
	struct loom_buf lines = LOOM_BUF_INIT(1 << 20);
	const char *said = NULL;

	loom_buf_adds(&lines, "→ frobnicate\n");
	for (int i = 0; i < 20; i++)
		loom_buf_adds(&lines, "→ view a7x2\n");
	answers((const char *const[]){loom_buf_cstr(&lines)}, 1);
	said = talk_say(&talk, "go");
	ASSERT_EQ(32, count_of(said, "<→ view a7x2: OK>"));
	ASSERT_EQ(1, count_of(said, "<→ view a7x2: LIMIT_EXCEEDED>"));
	ASSERT_EQ(2, count_of(said, "frobnicate"));
	ASSERT(talk.end.limited);
	ASSERT_EQ(2, talk.end.rounds);
	loom_buf_fini(&lines);
	PASS();
}

TEST a_model_that_never_stops_calling_is_not_heard_out(void)
{
	struct loom_buf lines = LOOM_BUF_INIT(1 << 20);
	const char *said = NULL;

	for (int i = 0; i < 2000; i++)
		loom_buf_adds(&lines, "→ view a7x2\n");
	answers((const char *const[]){loom_buf_cstr(&lines)}, 1);
	said = talk_say(&talk, "go");
	ASSERT_EQ(32, count_of(said, "OK>"));
	ASSERT_EQ(1, count_of(said, "LIMIT_EXCEEDED>"));
	ASSERT(talk.cancelled[0]);
	loom_buf_clear(&lines);
	for (int i = 0; i < 2000; i++)
		loom_buf_adds(&lines, "→ frobnicate\n");
	answers((const char *const[]){loom_buf_cstr(&lines), "Well.\n"}, 2);
	talk.asked = 0;
	said = talk_say(&talk, "again");
	ASSERT_EQ(33, count_of(said, "INVALID_SYNTAX>"));
	ASSERT(strstr(said, "Well."));
	loom_buf_fini(&lines);
	PASS();
}

/* What was meant as a call is answered once; a list of calls may be meant as it stands. */
TEST a_line_that_only_looks_like_a_call_is_answered(void)
{
	ANSWERS("I look.\n-> view a7x2\n", "→ view a7x2\n", "Seen.\n");
	ASSERT(strstr(talk_say(&talk, "look"), "<→ view a7x2: OK>Seen.\n"));
	ASSERT_EQ(3, talk.asked);
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "line 2 was not run: a call begins"));
	ASSERT_EQ(1, talk.end.calls);
	ANSWERS("-> view a7x2\n");
	talk.asked = 0;
	(void)talk_say(&talk, "again");
	ASSERT_EQ(2, talk.asked);
	ANSWERS("I would:\n- → view a7x2\n- → list a7x2\n");
	talk.asked = 0;
	(void)talk_say(&talk, "how?");
	ASSERT_EQ(1, talk.asked);
	PASS();
}

TEST a_model_that_is_not_there_fails_the_turn_and_not_the_chat(void)
{
	ANSWERS("Here.\n");
	talk.broken = true;
	(void)talk_say(&talk, "hello");
	ASSERT_EQ(LOOM_MODEL, talk.end.status);
	ASSERT(strstr(loom_arena_cstr(marie.grove.arena, last_run()), "failed"));
	talk.broken = false;
	ASSERT_STR_EQ("Here.\n", talk_say(&talk, "again"));
	PASS();
}

TEST an_agent_that_only_proposes_ends_its_turn_so(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_grant grant = {.may = LOOM_MAY_ALL, .approval = LOOM_APPROVE_PROPOSE};

	marie_must(loom_grant_set(marie.grove.store, &marie.agent_ulid, &grant, &err), &err);
	ANSWERS("→ view a7x2\n→ bookmark a7x2\n");
	ASSERT_STR_EQ("<→ view a7x2: PERMISSION_DENIED><→ bookmark a7x2: PERMISSION_DENIED>",
		      talk_say(&talk, "go"));
	ASSERT_EQ(1, talk.asked);
	ASSERT_FALSE(talk.end.limited);
	PASS();
}

/* ---- what it is given ---- */

TEST a_result_that_a_turn_speaks_of_is_seen_in_it_and_one_turn_more(void)
{
	ANSWERS("→ view b3k9\n", "Seen.\n", "Yes.\n");
	(void)talk_say(&talk, "look");
	(void)talk_say(&talk, "and what of xres-1 or res-12?");
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "she turns back"));
	(void)talk_say(&talk, "what was in res-1?");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "she turns back"));
	(void)talk_say(&talk, "go on");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "she turns back"));
	(void)talk_say(&talk, "and on");
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "she turns back"));
	PASS();
}

TEST the_turn_that_got_a_result_may_keep_it_by_naming_it(void)
{
	ANSWERS("→ view b3k9\n", "As res-1 says.\n", "Yes.\n");
	(void)talk_say(&talk, "look");
	(void)talk_say(&talk, "go on");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "she turns back"));
	(void)talk_say(&talk, "and on");
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "she turns back"));
	PASS();
}

TEST the_table_of_help_stays_for_the_turn_after_it(void)
{
	ANSWERS("→ help\n", "I see.\n", "Yes.\n");
	(void)talk_say(&talk, "what can you do?");
	(void)talk_say(&talk, "go on");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "→ unbookmark ID — "));
	(void)talk_say(&talk, "and on");
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "→ unbookmark ID — "));
	PASS();
}

TEST a_call_that_names_a_result_keeps_it_too(void)
{
	ANSWERS("→ view b3k9\n", "Seen.\n", "→ annotate a7x2 \"see res-1\"\n", "Noted.\n");
	(void)talk_say(&talk, "look");
	(void)talk_say(&talk, "write it down");
	(void)talk_say(&talk, "go on");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "she turns back"));
	(void)talk_say(&talk, "and on");
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "she turns back"));
	PASS();
}

TEST headers_stay_as_they_were_when_the_turn_began(void)
{
	ANSWERS("→ respond a7x2 \"One more.\"\n", "Done.\n");
	(void)talk_say(&talk, "write");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "3 continuations"));
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "4 continuations"));
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "One more."));
	(void)talk_say(&talk, "and now");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "4 continuations"));
	PASS();
}

/* ---- steering ---- */

TEST what_is_said_meanwhile_is_told_before_the_next_call_of_the_model(void)
{
	ANSWERS("I look.\n→ view a7x2\n", "Shorter, yes.\n");
	talk.at_ask = talk.at_chunk = 1;
	talk.at = steer;
	talk.with = LOOM_STR("shorter, please");
	ASSERT_STR_EQ("I look.\n<→ view a7x2: OK><heard 1>"
		      "Shorter, yes.\n",
		      talk_say(&talk, "go on"));
	ASSERT_EQ(1, talk.queued);
	ASSERT_EQ(2, talk.asked);
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "shorter, please"));
	PASS();
}

/* Another process acts in the same thread, under a request of its own. */
static void act_beside(struct talk *with)
{
	struct loom_err err = {.status = LOOM_OK};
	const struct loom_log_row row = {.at_ms = LOOM_TIME_NONE,
					 .kind = LOOM_STR_INIT(LOOM_KIND_RESULT),
					 .payload = LOOM_STR_INIT(
						 "{\"request_id\":\"another\",\"res\":\"res-90\","
						 "\"number\":90,\"text\":\"of the one beside\"}")};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	int64_t seq = 0;

	marie_must(loom_thread_log_open(marie.grove.store, loom_chat_thread(with->chat), NULL,
					&keeper, &err),
		   &err);
	log = loom_thread_log_face(keeper);
	marie_must(loom_quiet_begin(marie.grove.store, &err), &err);
	marie_must(loom_log_append(&log, &row, &seq, &err), &err);
	marie_must(loom_quiet_end(marie.grove.store, LOOM_OK, &err), &err);
	loom_thread_log_close(keeper);
}

TEST the_results_of_one_request_are_not_told_to_another(void)
{
	ANSWERS("I look.\n→ view a7x2\n", "Done.\n");
	talk.at_ask = talk.at_chunk = 1;
	talk.at = act_beside;
	ASSERT_STR_EQ("I look.\n<→ view a7x2: OK>Done.\n", talk_say(&talk, "go on"));
	ASSERT_EQ(2, talk.asked);
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "→ view"));
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "of the one beside"));
	PASS();
}

TEST what_is_said_during_the_last_answer_goes_on_with_the_turn(void)
{
	ANSWERS("All done.\n", "And that too.\n");
	talk.at_ask = talk.at_chunk = 1;
	talk.at = steer;
	talk.with = LOOM_STR("that too");
	ASSERT_STR_EQ("All done.\n<heard 1>And that too.\n", talk_say(&talk, "go on"));
	ASSERT_STR_EQ("user model_input model_output assistant user model_input "
		      "model_output "
		      "assistant",
		      rows());
	PASS();
}

TEST what_is_said_to_nobody_comes_back(void)
{
	ANSWERS("Yes.\n");
	loom_chat_steer(talk.chat, LOOM_STR("early"));
	while (loom_worker_pending(talk.worker))
		(void)loom_loop_step(talk.loop, 100);
	ASSERT(strstr(loom_buf_cstr(&talk.heard), "<returned early unsaved>"));
	(void)talk_say(&talk, "now");
	loom_buf_clear(&talk.heard);
	loom_chat_steer(talk.chat, LOOM_STR("late"));
	while (loom_worker_pending(talk.worker))
		(void)loom_loop_step(talk.loop, 100);
	ASSERT_STR_EQ("<queued late: CONFLICT><returned late>", loom_buf_cstr(&talk.heard));
	PASS();
}

/* ---- stopping ---- */

TEST a_stopped_turn_keeps_what_was_said_and_returns_what_was_not_heard(void)
{
	struct loom_err err;
	struct loom_draft *drafts = NULL;
	size_t count = 0;

	ANSWERS("A very long answer indeed.\n");
	talk.at_ask = 1;
	talk.at_chunk = 2;
	talk.at = stop;
	talk.with = LOOM_STR("unheard");
	(void)talk_say(&talk, "tell me");
	ASSERT_EQ(LOOM_CANCELLED, talk.end.status);
	ASSERT_STR_EQ("user model_input model_output assistant", rows());
	ASSERT(strstr(loom_buf_cstr(&talk.heard), "<returned unheard>"));
	ASSERT(strstr(loom_arena_cstr(marie.grove.arena, last_run()), "cancelled"));
	OK(loom_draft_list(marie.grove.store, marie.grove.arena, &drafts, &count, &err));
	ASSERT_EQ(1, count);
	ASSERT(loom_str_is(drafts[0].text, "unheard"));
	talk.at = NULL;
	(void)talk_say(&talk, "and now?");
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "assistant: A very lon"));
	PASS();
}

TEST one_generation_is_stopped_and_the_turn_goes_on(void)
{
	ANSWERS("→ continue from a7x2 n:2\n", "Enough.\n");
	talk.at_ask = 1;
	talk.at_chunk = 2;
	talk.at = stop_one;
	(void)talk_say(&talk, "more");
	/* The first two chunks of the model's own text are the call: nothing to stop there yet is a
	 * stop of the turn. */
	ASSERT_EQ(LOOM_CANCELLED, talk.end.status);
	talk.asked = 0;
	talk.at_ask = 0;
	ASSERT_STR_EQ("<→ continue from a7x2 n:2: OK>Enough.\n", talk_say(&talk, "more"));
	PASS();
}

static void stop_nodes(struct talk *with)
{
	if (with->voice.use == LOOM_GENERATE_SUBJECT)
		loom_chat_cancel(with->chat, LOOM_CANCEL_ONE);
}

TEST stopping_a_models_nodes_leaves_the_turn(void)
{
	ANSWERS("→ continue from a7x2 n:2\n", "Enough.\n");
	talk.at_ask = 1;
	talk.at_chunk = 3;
	talk.at = stop_nodes;
	(void)talk_say(&talk, "more");
	ASSERT_EQ(LOOM_OK, talk.end.status);
	ASSERT_EQ(1, talk.subject_asked);
	ASSERT(strstr(loom_buf_cstr(&talk.heard), "Enough."));
	ASSERT(strstr(loom_buf_cstr(&talk.seen), "one two th"));
	ASSERT_FALSE(strstr(loom_buf_cstr(&talk.seen), "one two three four"));
	PASS();
}

static void go_away(struct talk *with)
{
	loom_chat_destroy(with->chat);
	talk_end(with);
	with->chat = NULL;
	with->over = true;
}

TEST a_chat_that_is_closed_in_mid_stream_ends_its_run(void)
{
	int64_t thread = 0;

	ANSWERS("Short.\n", "A very long answer indeed.\n");
	(void)talk_say(&talk, "hello");
	thread = loom_chat_thread(talk.chat);
	talk.at_ask = talk.at_chunk = 2;
	talk.at = go_away;
	(void)talk_say(&talk, "tell me");
	while (loom_worker_pending(talk.worker))
		(void)loom_loop_step(talk.loop, 100);
	{
		struct loom_err err;
		struct loom_thread_log *keeper = NULL;
		struct loom_str *records = NULL;
		size_t count = 0;

		OK(loom_thread_log_open(marie.grove.store, thread, NULL, &keeper, &err));
		OK(loom_thread_log_runs(keeper, 9, marie.grove.arena, &records, &count, &err));
		ASSERT_EQ(2, count);
		ASSERT(strstr(loom_arena_cstr(marie.grove.arena, records[0]), "cancelled"));
		loom_thread_log_close(keeper);
	}
	PASS();
}

SUITE(chat)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(calls_are_done_and_told_to_the_model);
	RUN_TEST(what_is_said_behind_the_calls_is_not_heard);
	RUN_TEST(a_stream_is_cut_at_the_first_letter_behind_its_calls);
	RUN_TEST(a_line_is_told_as_it_grows_unless_it_may_be_a_call);
	RUN_TEST(a_second_turn_knows_the_first);
	RUN_TEST(a_turn_without_end_is_ended);
	RUN_TEST(no_more_calls_are_done_in_a_turn_than_it_may_have);
	RUN_TEST(a_model_that_never_stops_calling_is_not_heard_out);
	RUN_TEST(a_line_that_only_looks_like_a_call_is_answered);
	RUN_TEST(a_model_that_is_not_there_fails_the_turn_and_not_the_chat);
	RUN_TEST(an_agent_that_only_proposes_ends_its_turn_so);
	RUN_TEST(a_result_that_a_turn_speaks_of_is_seen_in_it_and_one_turn_more);
	RUN_TEST(the_turn_that_got_a_result_may_keep_it_by_naming_it);
	RUN_TEST(the_table_of_help_stays_for_the_turn_after_it);
	RUN_TEST(a_call_that_names_a_result_keeps_it_too);
	RUN_TEST(headers_stay_as_they_were_when_the_turn_began);
	RUN_TEST(what_is_said_meanwhile_is_told_before_the_next_call_of_the_model);
	RUN_TEST(the_results_of_one_request_are_not_told_to_another);
	RUN_TEST(what_is_said_during_the_last_answer_goes_on_with_the_turn);
	RUN_TEST(what_is_said_to_nobody_comes_back);
	RUN_TEST(a_stopped_turn_keeps_what_was_said_and_returns_what_was_not_heard);
	RUN_TEST(one_generation_is_stopped_and_the_turn_goes_on);
	RUN_TEST(stopping_a_models_nodes_leaves_the_turn);
	RUN_TEST(a_chat_that_is_closed_in_mid_stream_ends_its_run);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(chat);
	GREATEST_MAIN_END();
}
