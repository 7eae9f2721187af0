/* What a turn did is in its thread's log: traced, read again, and gone with a call that failed to
 * be kept. */
#include <greatest.h>

#include <loom/work/thread_log.h>
#include <loom/engine/turn_log.h>

#include "support/marie.h"

static struct marie m;
static struct loom_turn_log turn_log;

static void set_up(void *unused)
{
	(void)unused;
	marie_init(&m, LOOM_DIALOGUE);
	loom_turn_log_init(&turn_log, LOOM_STR("request-1"));
	m.opts.log = &turn_log.face;
	marie_engine(&m, m.agent);
}

static void tear_down(void *unused)
{
	(void)unused;
	marie_fini(&m);
}

static bool add_row(void *ctx, const struct loom_log_row *row)
{
	struct loom_buf *out = ctx;

	loom_buf_addf(out, "%.*s %.*s\n", LOOM_STR_ARG(row->kind), LOOM_STR_ARG(row->payload));
	return true;
}

/* All rows of the agent's thread. */
static const char *rows(struct loom_buf *out)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_log_visitor visitor = {add_row, out};
	struct loom_log_range range = {.after = LOOM_SEQ_NONE, .through = LOOM_SEQ_HEAD};
	struct loom_thread_log *keeper = NULL;
	struct loom_thread thread;
	struct loom_log log;

	marie_must(loom_thread_implicit(m.grove.store, m.agent, m.tree, m.grove.arena, &thread,
					&err),
		   &err);
	marie_must(loom_thread_log_open(m.grove.store, thread.id, NULL, &keeper, &err), &err);
	log = loom_thread_log_face(keeper);
	marie_must(log.ops->read(log.ctx, &range, &visitor, &err), &err);
	loom_thread_log_close(keeper);
	return loom_buf_cstr(out);
}

TEST calls_become_actions_and_results_of_their_run(void)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *text = NULL;

	(void)marie_say(&m, "→ annotate a7x2 \"tone\"\n→ view xyz999\n");
	text = rows(&out);
	ASSERT(strstr(
		text,
		"tool_action {\"request_id\":\"request-1\",\"run_id\":\"request-1\",\"line\":\"→ "
		"annotate "));
	ASSERT(strstr(text, "\"status\":\"ok\",\"result\":\"✓ annotation [ann-1] added to ["));
	ASSERT(strstr(text, "\"status\":\"error\",\"code\":\"NOT_FOUND\""));
	ASSERT(strstr(text,
		      "tool_result "
		      "{\"request_id\":\"request-1\",\"run_id\":\"request-1\",\"res\":\"res-2\""));
	loom_buf_fini(&out);
	PASS();
}

TEST a_thread_that_moves_leaves_its_position(void)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	(void)marie_say(&m, "→ view a7x2\n");
	ASSERT_FALSE(strstr(rows(&out), "position {"));
	(void)marie_say(&m, "→ switch to b3k9\n");
	ASSERT(strstr(
		rows(&out),
		"position {\"request_id\":\"request-1\",\"run_id\":\"request-1\",\"tree\":\""));
	loom_buf_fini(&out);
	PASS();
}

TEST another_process_goes_on_counting_and_finds_earlier_results(void)
{
	(void)marie_say(&m, "→ view a7x2\n→ view nope9\n");
	marie_engine(&m, m.agent);
	(void)marie_say(&m, "→ pin res-1\n");
	ASSERT_EQ(LOOM_OK, m.last.status);
	ASSERT_EQ(3, m.last.number);
	ASSERT_STR_EQ("Action Trace (last 10):\n  → view a7x2 · res-1\n"
		      "  → view nope9 ✗ NOT_FOUND · res-2\n  → pin res-1 · res-3",
		      marie_result(&m, "→ memory trace\n"));
	(void)marie_say(&m, "→ pin res-9\n");
	ASSERT_EQ(LOOM_NOT_FOUND, m.last.status);
	PASS();
}

SUITE(turn_log_suite)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(calls_become_actions_and_results_of_their_run);
	RUN_TEST(a_thread_that_moves_leaves_its_position);
	RUN_TEST(another_process_goes_on_counting_and_finds_earlier_results);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(turn_log_suite);
	GREATEST_MAIN_END();
}
