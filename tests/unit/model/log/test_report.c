/* The report of a thread's last turn: its rows and no others, in fences that nothing closes. */
#include <greatest.h>

#include <loom/context/context.h>
#include <loom/log/report.h>

#include "support/logged.h"

static const struct loom_report_opts opts = {.thread = LOOM_STR_INIT("A"),
					     .agent = LOOM_STR_INIT("claude"),
					     .tree = LOOM_STR_INIT("Tale")};

static const char *report(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err = {.text = ""};
	const char *out = NULL;

	if (loom_report(&logged, &opts, arena, &text, &err) != LOOM_OK)
		out = loom_arena_cstr(arena, loom_str_of(err.text));
	else
		out = loom_arena_cstr(arena, loom_buf_str(&text));
	loom_buf_fini(&text);
	return out;
}

TEST without_a_turn_there_is_nothing_to_report(void)
{
	ASSERT_STR_EQ("thread A has had no turn yet", report());
	add("warning", "{\"text\":\"w\"}");
	ASSERT_STR_EQ("thread A has had no turn yet", report());
	PASS();
}

TEST the_last_turn_is_told_whole_and_alone(void)
{
	add(LOOM_KIND_ACTION,
	    "{\"request_id\":\"r1\",\"line\":\"→ old\",\"status\":\"ok\",\"op\":1}");
	add(LOOM_KIND_MESSAGE, "{\"context_ref\":\"default\",\"role\":\"user\",\"content\":\"go\","
			       "\"request_id\":\"r2\",\"run_id\":\"r2\"}");
	add(LOOM_KIND_ACTION, "{\"request_id\":\"r2\",\"line\":\"→ tag a7x2 \\\"t\\\"\","
			      "\"status\":\"ok\",\"number\":1,\"op\":7}");
	add(LOOM_KIND_RESULT, "{\"request_id\":\"r2\",\"res\":\"res-1\",\"number\":1,"
			      "\"text\":\"→ tag\\n✓ tagged\"}");
	add("position", "{\"request_id\":\"r2\",\"tree\":\"x\",\"node\":\"y\"}");
	add("warning", "{\"text\":\"between\"}");
	add(LOOM_KIND_ACTION, "{\"request_id\":\"r2\",\"line\":\"→ view x\",\"status\":\"error\","
			      "\"code\":\"NOT_FOUND\",\"number\":2}");
	add(LOOM_KIND_RESULT, "{\"request_id\":\"r2\",\"res\":\"res-2\",\"number\":2,"
			      "\"text\":\"→ view x\\n````\\n### 9. ok\\n\"}");
	add(LOOM_KIND_MESSAGE,
	    "{\"context_ref\":\"default\",\"role\":\"assistant\",\"content\":\"done\","
	    "\"request_id\":\"r2\",\"run_id\":\"r2\"}");
	ASSERT_STR_EQ("# Turn Report\n\n- **Thread:** A\n- **Agent:** claude\n- **Tree:** Tale\n"
		      "- **Turn:** r2\n- **Began:** 2026-02-23T10:00:00.000Z\n"
		      "- **Ended:** 2026-02-23T10:00:00.000Z\n- **Calls:** 2, 1 refused\n"
		      "\n## 1. Operations\n````\n7  → tag a7x2 \"t\"\n````\n"
		      "\n## 2. Calls\n\n### 1. ok\n````\n→ tag\n✓ tagged\n````\n"
		      "\n### 2. NOT_FOUND\n`````\n→ view x\n````\n### 9. ok\n`````\n"
		      "\n## 3. Conversation\n\n### user\n````\ngo\n````\n"
		      "\n### assistant\n````\ndone\n````\n",
		      report());
	PASS();
}

TEST a_turn_that_only_looked_changed_nothing(void)
{
	add(LOOM_KIND_ACTION, "{\"line\":\"→ view r001\",\"status\":\"ok\",\"number\":1}");
	ASSERT(strstr(report(), "## 1. Operations\nNothing was changed.\n"));
	ASSERT(strstr(report(), "- **Calls:** 1, 0 refused\n"));
	ASSERT(strstr(report(), "\n## 3. Conversation\nNothing was said.\n"));
	ASSERT(!strstr(report(), "Nothing was called."));
	ASSERT(!strstr(report(), "**Turn:**"));
	PASS();
}

TEST a_turn_without_a_call_says_so(void)
{
	add(LOOM_KIND_MESSAGE, "{\"context_ref\":\"default\",\"role\":\"assistant\","
			       "\"content\":\"only words\",\"request_id\":\"r1\"}");
	ASSERT(strstr(report(), "\n## 2. Calls\nNothing was called.\n\n## 3. Conversation\n\n"
				"### assistant\n````\nonly words\n````\n"));
	PASS();
}

SUITE(turn_report)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(without_a_turn_there_is_nothing_to_report);
	RUN_TEST(the_last_turn_is_told_whole_and_alone);
	RUN_TEST(a_turn_that_only_looked_changed_nothing);
	RUN_TEST(a_turn_without_a_call_says_so);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(turn_report);
	GREATEST_MAIN_END();
}
