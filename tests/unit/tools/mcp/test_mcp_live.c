/* `loom mcp` while things happen: a model writes, a client cancels or goes, others change the
 * grove. From outside, through raw pipes. */
#include <signal.h>
#include <unistd.h>

#include "support/mcp.h"

#include "support/clock.h"
#include "support/fake.h"

static struct mcp m;
static struct fake fake;

/* One answer that goes on for a while, then those that begin and never end. */
static const char script[] =
	"on POST /v1/completions\ntype text/event-stream\n"
	"send data: {\"choices\":[{\"index\":0,\"text\":\"slowly \"}]}\\n\\n\nsleep 300\n"
	"send data: {\"choices\":[{\"index\":0,\"text\":\"came the \"}]}\\n\\n\nsleep 300\n"
	"send data: {\"choices\":[{\"index\":0,\"text\":\"words\",\"finish_reason\":\"stop\"}]}"
	"\\n\\n\nsend data: [DONE]\\n\\n\n"
	"on POST /v1/completions\ntype text/event-stream\n"
	"send data: {\"choices\":[{\"index\":0,\"text\":\"half a sentence \"}]}\\n\\n\nhang\n";

static void set_up(void *ctx)
{
	struct loom_buf config = LOOM_BUF_INIT(LOOM_BUF_MAX);

	(void)ctx;
	mcp_grove(&m);
	fake_start(&fake, script);
	loom_buf_addf(&config,
		      "{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":"
		      "\"http://127.0.0.1:%d/v1\"}},"
		      "\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"some-base\"}}}",
		      fake.port);
	temp_write_mode(&m.temp, "XDG_CONFIG_HOME/loom/config.json", loom_buf_str(&config), 0600);
	if (mcp_command(&m, "agent add slow --model m") ||
	    mcp_command(&m, "agent set ada --permissions all,cross_tree --approval auto")) {
		fprintf(stderr, "no voice: %s\n", loom_buf_cstr(&m.said.err));
		exit(1);
	}
	loom_buf_fini(&config);
	mcp_start(&m, "ada");
}

static void tear_down(void *ctx)
{
	(void)ctx;
	mcp_fini(&m);
	fake_stop(&fake);
}

#define ASK(message)             ASSERTm("no answer to " message, mcp_ask(&m, message))
#define ASSERT_AT(path, is)      ASSERT_STR_EQ(is, mcp_text_at(&m, path))
#define ASSERT_HOLDS(path, part) ASSERTm(mcp_text_at(&m, path), mcp_has(&m, path, part))
#define SAY(message)             ASSERT(mcp_say(&m, message))
#define REQUEST(id, method, params)                                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define CALL(id, meta, text)                                                                       \
	REQUEST(id, "tools/call",                                                                  \
		"\"_meta\":{" meta "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
		"\"io.modelcontextprotocol/clientCapabilities\":{}},"                              \
		"\"name\":\"loom\",\"arguments\":{\"text\":\"" text "\"}")
#define CONTINUE "→ continue tokens:40 using agent:\\\"slow\\\""
#define CANCEL(id)                                                                                 \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"                                         \
	"cancelled\",\"params\":{\"requestId\":" id "}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}"

/* Until the server has been asked so often. */
static bool wait_for_requests(int count)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	const int64_t until = clock_ms() + MCP_WAIT_MS;

	while (fake_requests(&fake) < count && clock_ms() < until)
		nanosleep(&pause, NULL);
	return fake_requests(&fake) >= count;
}

static bool wait_for_hangup(void)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	const int64_t until = clock_ms() + MCP_WAIT_MS;

	while (!fake_hangups(&fake) && clock_ms() < until)
		nanosleep(&pause, NULL);
	return fake_hangups(&fake) > 0;
}

/* The first answer is used up; from now on answers begin and do not end. */
static bool use_up_the_answer(void)
{
	return mcp_ask(&m, CALL("\"first\"", "", CONTINUE)) &&
	       mcp_has(&m, MCP_RESULT, "slowly came the words");
}

/* Begins one that does not end, and has heard that it began. */
static bool begin_endless(void)
{
	return use_up_the_answer() &&
	       mcp_say(&m, CALL("\"endless\"", "\"progressToken\":\"t\",", CONTINUE)) &&
	       wait_for_requests(2) && mcp_hear_any(&m, MCP_WAIT_MS) &&
	       strcmp(mcp_text_at(&m, "method"), "notifications/progress") == 0;
}

static bool tree_holds(const char *text)
{
	return mcp_command(&m, "grep 'sentence'") == 0 &&
	       strstr(loom_buf_cstr(&m.said.out), text) != NULL;
}

/* ---- generations ---- */

TEST progress_is_told_and_only_rises(void)
{
	double last = 0;
	int count = 0;

	SAY(CALL("5", "\"progressToken\":\"t7\",", CONTINUE "\\n→ tree"));
	while (mcp_hear_any(&m, MCP_WAIT_MS) && loom_json_get(m.heard, "method")) {
		const cJSON *progress = mcp_at(&m, "params.progress");

		ASSERT_AT("method", "notifications/progress");
		ASSERT_AT("params.progressToken", "t7");
		ASSERT(cJSON_IsNumber(progress) && progress->valuedouble > last);
		last = progress->valuedouble;
		ASSERT(last <= mcp_at(&m, "params.total")->valuedouble);
		ASSERT_HOLDS("params.message", count++ ? "" : "generating ");
	}
	ASSERT(count >= 2);
	ASSERT_EQ(5, mcp_at(&m, "id")->valueint);
	ASSERT_HOLDS(MCP_RESULT, "slowly came the words");
	PASS();
}

TEST without_a_token_nothing_is_told(void)
{
	ASSERT(use_up_the_answer());
	ASSERT_EQ(0, (int)m.notices);
	PASS();
}

TEST a_cancelled_generation_stops_keeps_its_text_and_is_not_answered(void)
{
	ASSERT(begin_endless());
	SAY(CANCEL("\"endless\""));
	ASSERT(wait_for_hangup());
	SAY(CANCEL("\"endless\""));
	ASK(PING);
	ASSERT_AT("id", "ping");
	/* The next turn of the same thread waits for the end of that one. */
	ASK(CALL("6", "", "→ tree"));
	ASSERT_EQ(6, mcp_at(&m, "id")->valueint);
	ASSERT(tree_holds("half a sentence"));
	ASSERT_FALSE(mcp_hear_any(&m, 300));
	PASS();
}

TEST a_call_that_waits_for_its_thread_can_be_cancelled_undone(void)
{
	ASSERT(begin_endless());
	SAY(CALL("8", "", "→ respond r001 \\\"never sentence\\\""));
	SAY(CANCEL("8"));
	SAY(CANCEL("\"endless\""));
	ASK(CALL("9", "", "→ tree"));
	ASSERT_EQ(9, mcp_at(&m, "id")->valueint);
	ASSERT_FALSE(tree_holds("never"));
	PASS();
}

TEST other_requests_are_answered_while_a_model_writes(void)
{
	ASSERT_EQ(0, mcp_command(&m, "new --title Other --root Elsewhere"));
	ASSERT_EQ(0, mcp_command(&m, "use 'The house'"));
	ASSERT(begin_endless());
	ASK(PING);
	ASSERT_AT("id", "ping");
	ASK(REQUEST("2", "tools/call",
		    MCP_META ",\"name\":\"loom\",\"arguments\":{\"text\":\"→ respond r001 "
			     "\\\"beside\\\"\",\"tree\":\"Other\"}"));
	ASSERT_EQ(2, mcp_at(&m, "id")->valueint);
	ASSERT_HOLDS(MCP_RESULT, "✓ created");
	ASK(REQUEST("3", "resources/read", MCP_META ",\"uri\":\"loom://node/r001\""));
	ASSERT_EQ(3, mcp_at(&m, "id")->valueint);
	ASSERT_HOLDS("result.contents.0.text", "Once there was.");
	PASS();
}

TEST the_rest_of_a_cancelled_turn_is_not_done(void)
{
	ASSERT(use_up_the_answer());
	SAY(CALL("\"endless\"", "", CONTINUE "\\n→ respond r001 \\\"never sentence\\\""));
	ASSERT(wait_for_requests(2));
	SAY(CANCEL("\"endless\""));
	ASK(CALL("9", "", "→ tree"));
	ASSERT_EQ(9, mcp_at(&m, "id")->valueint);
	ASSERT_FALSE(tree_holds("never"));
	PASS();
}

TEST a_client_that_goes_ends_it_soon_and_loses_nothing(void)
{
	ASSERT(begin_endless());
	talk_close(&m.talk);
	ASSERT_EQ_FMT(0, talk_end(&m.talk, 4000), "%d");
	ASSERT(tree_holds("half a sentence"));
	PASS();
}

TEST a_signal_ends_it_at_once_and_loses_nothing(void)
{
	ASSERT(begin_endless());
	kill(m.talk.pid, SIGTERM);
	ASSERT_EQ_FMT(0, talk_end(&m.talk, 3000), "%d");
	ASSERT(tree_holds("half a sentence"));
	PASS();
}

TEST a_model_that_refuses_is_an_error_of_the_tool(void)
{
	ASSERT_EQ(0, mcp_command(&m, "agent set slow --model nosuchmodel"));
	ASK(CALL("1", "", CONTINUE));
	ASSERT(cJSON_IsTrue(mcp_at(&m, "result.isError")));
	ASSERT_HOLDS(MCP_RESULT, "✗ MODEL_ERROR");
	PASS();
}

/* ---- changes ---- */

#define UPDATED "notifications/resources/updated"

/* The next message is the update of that resource. */
static bool hears_update(const char *uri, int64_t ms)
{
	return mcp_hear_any(&m, ms) && strcmp(mcp_text_at(&m, "method"), UPDATED) == 0 &&
	       strcmp(mcp_text_at(&m, "params.uri"), uri) == 0;
}

static bool subscribe(const char *method, const char *uri)
{
	return mcp_ask(&m, loom_arena_format(m.arena,
					     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
					     "\"resources/%s\",\"params\":{\"uri\":\"%s\"}}",
					     method, uri)
				   .p) &&
	       mcp_at(&m, "result");
}

TEST a_subscriber_of_the_old_way_is_told_of_what_others_write(void)
{
	const char *const uri = "loom://node/r001";
	int64_t began = 0;

	ASSERT_EQ(0, mcp_command(&m, "new --title Other --root Elsewhere"));
	ASSERT_EQ(0, mcp_command(&m, "use 'The house'"));
	ASSERT(mcp_greet(&m));
	ASSERT(subscribe("subscribe", uri));
	ASSERT(subscribe("subscribe", uri));
	ASSERT_EQ(0, mcp_command(&m, "do annotate r001 'by a person'"));
	began = clock_ms();
	ASSERT(hears_update(uri, MCP_WAIT_MS));
	ASSERT(clock_ms() - began < 3000);
	ASSERT_FALSE(mcp_at(&m, "params._meta"));
	/* Once for one change, and not for what is elsewhere. */
	ASSERT_FALSE(mcp_hear_any(&m, 400));
	ASSERT_EQ(0, mcp_command(&m, "do --tree Other annotate r001 'elsewhere'"));
	ASSERT_FALSE(mcp_hear_any(&m, 400));
	ASSERT(subscribe("unsubscribe", uri));
	ASSERT_EQ(0, mcp_command(&m, "do annotate r001 'again'"));
	ASSERT_FALSE(mcp_hear_any(&m, 400));
	PASS();
}

TEST a_subscription_to_what_is_not_there_is_refused(void)
{
	ASSERT(mcp_greet(&m));
	ASSERT_FALSE(subscribe("subscribe", "loom://node/zz99"));
	ASSERT_EQ_FMT(-32002, mcp_code(&m), "%d");
	ASSERT_FALSE(subscribe("subscribe", "http://example.org/"));
	ASSERT_EQ_FMT(-32002, mcp_code(&m), "%d");
	PASS();
}

#define LISTEN(id, uris)                                                                           \
	REQUEST(id, "subscriptions/listen",                                                        \
		MCP_META                                                                           \
		",\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":"         \
		"[" uris "]}")

TEST a_listener_is_acknowledged_first_and_told_with_its_id(void)
{
	SAY(LISTEN("\"listen:0\"", "\"loom://node/r001\",\"loom://node/zz99\",7"));
	ASSERT(mcp_hear_any(&m, MCP_WAIT_MS));
	ASSERT_AT("method", "notifications/subscriptions/acknowledged");
	ASSERT_STR_EQ("listen:0", loom_json_str(mcp_at(&m, "params._meta"),
						"io.modelcontextprotocol/subscriptionId")
					  .p);
	ASSERT_EQ(1, cJSON_GetArraySize(mcp_at(&m, "params.notifications.resourceSubscriptions")));
	ASSERT_FALSE(mcp_at(&m, "params.notifications.toolsListChanged"));
	ASSERT_EQ(0, mcp_command(&m, "do bookmark r001 'here'"));
	ASSERT(hears_update("loom://node/r001", MCP_WAIT_MS));
	ASSERT_STR_EQ("listen:0", loom_json_str(mcp_at(&m, "params._meta"),
						"io.modelcontextprotocol/subscriptionId")
					  .p);
	SAY(CANCEL("\"listen:0\""));
	ASK(PING);
	ASSERT_EQ(0, mcp_command(&m, "do unbookmark r001"));
	ASSERT_FALSE(mcp_hear_any(&m, 400));
	PASS();
}

TEST a_tree_and_a_context_change_with_what_is_done_in_them(void)
{
	const char *tree = NULL;
	const char *thread = NULL;
	bool told_tree = false;
	bool told_thread = false;

	ASK(CALL("1", "", "→ pin r001"));
	ASK(REQUEST("2", "resources/list", MCP_META));
	for (int i = 0; i < 2; i++) {
		const char *uri = loom_arena_cstr(
			m.arena,
			loom_json_str(cJSON_GetArrayItem(mcp_at(&m, "result.resources"), i),
				      "uri"));

		if (strstr(uri, "tree"))
			tree = uri;
		else
			thread = uri;
	}
	ASSERT(tree && thread);
	ASSERT(mcp_say(&m,
		       loom_arena_format(m.arena, LISTEN("7", "\"%s\",\"%s\""), tree, thread).p));
	ASSERT(mcp_hear_any(&m, MCP_WAIT_MS));
	ASSERT_EQ(2, cJSON_GetArraySize(mcp_at(&m, "params.notifications.resourceSubscriptions")));
	/* A person looks: nothing has changed. */
	ASSERT_EQ(0, mcp_command(&m, "tree"));
	ASSERT_FALSE(mcp_hear_any(&m, 400));
	SAY(CALL("3", "", "→ respond r001 \\\"on\\\""));
	while (!(told_tree && told_thread) && mcp_hear_any(&m, MCP_WAIT_MS)) {
		told_tree |= strcmp(mcp_text_at(&m, "params.uri"), tree) == 0;
		told_thread |= strcmp(mcp_text_at(&m, "params.uri"), thread) == 0;
	}
	ASSERT(told_tree && told_thread);
	PASS();
}

SUITE(suite)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(progress_is_told_and_only_rises);
	RUN_TEST(without_a_token_nothing_is_told);
	RUN_TEST(a_cancelled_generation_stops_keeps_its_text_and_is_not_answered);
	RUN_TEST(a_call_that_waits_for_its_thread_can_be_cancelled_undone);
	RUN_TEST(other_requests_are_answered_while_a_model_writes);
	RUN_TEST(the_rest_of_a_cancelled_turn_is_not_done);
	RUN_TEST(a_client_that_goes_ends_it_soon_and_loses_nothing);
	RUN_TEST(a_signal_ends_it_at_once_and_loses_nothing);
	RUN_TEST(a_model_that_refuses_is_an_error_of_the_tool);
	RUN_TEST(a_subscriber_of_the_old_way_is_told_of_what_others_write);
	RUN_TEST(a_subscription_to_what_is_not_there_is_refused);
	RUN_TEST(a_listener_is_acknowledged_first_and_told_with_its_id);
	RUN_TEST(a_tree_and_a_context_change_with_what_is_done_in_them);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(suite);
	GREATEST_MAIN_END();
}
