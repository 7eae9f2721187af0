/* `loom mcp` from outside, through raw pipes: both eras, every kind of message, every error. */
#include <fcntl.h>
#include <unistd.h>

#include "support/mcp.h"

#include "support/clock.h"

static struct mcp m;

static void set_up(void *ctx)
{
	(void)ctx;
	mcp_grove(&m);
	mcp_start(&m, "ada");
}

static void tear_down(void *ctx)
{
	(void)ctx;
	mcp_fini(&m);
}

#define ASK(message)             ASSERTm("no answer to " message, mcp_ask(&m, message))
#define ASSERT_CODE(code)        ASSERT_EQ_FMT(code, mcp_code(&m), "%d")
#define ASSERT_AT(path, is)      ASSERT_STR_EQ(is, mcp_text_at(&m, path))
#define ASSERT_HOLDS(path, part) ASSERTm(mcp_text_at(&m, path), mcp_has(&m, path, part))
#define OLD(id, method, params)                                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define NEW(id, method, params) OLD(id, method, MCP_META params)

/* ---- the handshake ---- */

TEST every_old_version_is_agreed_to_and_another_gets_our_newest(void)
{
	static const char *const asked[] = {"2024-11-05", "2025-03-26", "2025-06-18",
					    "2025-11-25", "2019-01-01", "2026-07-28"};

	for (size_t i = 0; i < LOOM_COUNT(asked); i++) {
		ASSERT(mcp_ask(&m, loom_arena_format(m.arena,
						     OLD("1", "initialize",
							 "\"protocolVersion\":\"%s\""),
						     asked[i])
					   .p));
		ASSERT_AT("result.protocolVersion", i < 4 ? asked[i] : "2025-11-25");
		ASSERT_AT("result.serverInfo.name", "loom");
	}
	ASSERT(cJSON_IsTrue(mcp_at(&m, "result.capabilities.resources.subscribe")));
	ASSERT_HOLDS("result.instructions", "→");
	PASS();
}

TEST an_old_request_before_the_handshake_is_refused_and_a_ping_is_not(void)
{
	ASK(OLD("1", "tools/list", ""));
	ASSERT_CODE(-32602);
	ASK("{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}");
	ASSERT_AT("id", "p");
	ASSERT(cJSON_IsObject(mcp_at(&m, "result")));
	ASSERT_EQ(0, cJSON_GetArraySize(mcp_at(&m, "result")));
	PASS();
}

TEST an_initialize_without_a_version_is_refused(void)
{
	ASK(OLD("1", "initialize", ""));
	ASSERT_CODE(-32602);
	PASS();
}

/* ---- the stateless way ---- */

TEST discover_says_what_there_is(void)
{
	ASK(NEW("\"server-discover-probe-1\"", "server/discover", ""));
	ASSERT_AT("id", "server-discover-probe-1");
	ASSERT_AT("result.resultType", "complete");
	ASSERT_AT("result.supportedVersions.0", "2026-07-28");
	ASSERT_AT("result.cacheScope", "private");
	ASSERT(cJSON_IsNumber(mcp_at(&m, "result.ttlMs")));
	ASSERT_AT("result._meta.io", "(none)");
	ASSERT_STR_EQ("loom", loom_json_str(loom_json_get(mcp_at(&m, "result._meta"),
							  "io.modelcontextprotocol/serverInfo"),
					    "name")
				      .p);
	PASS();
}

TEST a_new_request_lacks_neither_of_its_two_keys(void)
{
	ASK("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
	    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}");
	ASSERT_CODE(-32602);
	ASK("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
	    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
	ASSERT_CODE(-32602);
	PASS();
}

TEST a_version_that_is_not_spoken_is_told_which_is(void)
{
	ASK("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
	    "\"io.modelcontextprotocol/protocolVersion\":\"2031-01-01\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
	ASSERT_CODE(-32022);
	ASSERT_AT("error.data.supported.0", "2026-07-28");
	ASSERT_AT("error.data.requested", "2031-01-01");
	PASS();
}

TEST each_era_has_methods_that_the_other_lacks(void)
{
	ASK(NEW("1", "ping", ""));
	ASSERT_CODE(-32601);
	ASK(NEW("2", "resources/subscribe", ",\"uri\":\"loom://node/r001\""));
	ASSERT_CODE(-32601);
	ASSERT(mcp_greet(&m));
	ASK(OLD("3", "server/discover", ""));
	ASSERT_CODE(-32601);
	ASK(OLD("4", "subscriptions/listen", "\"notifications\":{}"));
	ASSERT_CODE(-32601);
	PASS();
}

/* ---- what is no message ---- */

TEST malformed_lines_get_the_right_codes_and_the_next_is_answered(void)
{
	static const struct {
		const char *line;
		int code;
	} cases[] = {
		{"{", -32700},
		{"nonsense", -32700},
		{"\"\xff\"", -32700},
		{"[]", -32600},
		{"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600},
		{"17", -32600},
		{"{\"id\":1,\"method\":\"ping\"}", -32600},
		{"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":1}", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"method\":\"ping\"}", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}", -32602},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\\ud800\"}"
		 "}",
		 -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}", -32601},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", -32601},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		ASSERTm(cases[i].line, mcp_ask(&m, cases[i].line));
		ASSERT_EQ_FMTm(cases[i].line, cases[i].code, mcp_code(&m), "%d");
	}
	ASK("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"ping\"}");
	ASSERT(cJSON_IsObject(mcp_at(&m, "result")));
	PASS();
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define TOLD     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"

#define BATCHES  OLD("1", "initialize", "\"protocolVersion\":\"2025-03-26\"")
#define VIEW(id) OLD(id, "tools/call", "\"name\":\"loom\",\"arguments\":{\"text\":\"→ view r001\"}")

/* Before that version, and behind it, a list is no message. */
TEST a_version_without_batches_refuses_a_list(void)
{
	ASK("[" PING("2") "]");
	ASSERT_CODE(-32600);
	ASK(OLD("1", "initialize", "\"protocolVersion\":\"2025-06-18\""));
	ASK("[" PING("2") "]");
	ASSERT_CODE(-32600);
	ASSERT(cJSON_IsObject(m.heard));
	PASS();
}

/* What the line that was heard has for each request, in the order of the answers. */
static const char *ids_of_the_answers(void)
{
	struct loom_buf ids = LOOM_BUF_INIT(4096);
	const cJSON *one = NULL;
	const char *text = NULL;

	cJSON_ArrayForEach(one, m.heard)
	{
		const cJSON *id = loom_json_get(one, "id");
		const char *part = loom_json_get(one, "result") ? "" : "!";

		loom_buf_addf(&ids, "%s%s%s", ids.n ? " " : "", part,
			      cJSON_IsString(id) ? id->valuestring : "null");
	}
	text = loom_arena_buf(m.arena, &ids).p;
	loom_buf_fini(&ids);
	return text;
}

TEST a_batch_is_answered_by_one_line_with_an_answer_to_each_of_its_requests(void)
{
	ASK(BATCHES);
	ASK("[" PING("\"a\"") ", " TOLD ",17," OLD("\"b\"", "resources/list",
						   "") "," PING("\"c\"") "]\n" PING("\"d\""));
	ASSERT_STR_EQ("a !null b c", ids_of_the_answers());
	ASSERT(cJSON_IsArray(mcp_at(&m, "2.result.resources")));
	ASSERT(mcp_hear(&m));
	ASSERT_AT("id", "d");
	PASS();
}

/* A call takes its time; the line is said when the last answer is there, and the next is not held
 * up. */
TEST a_batch_with_calls_is_answered_when_they_are_done(void)
{
	ASK(BATCHES);
	ASK("[" VIEW("\"a\"") "," PING("\"b\"") "," VIEW("\"c\"") ",[" PING("\"d\"") "]]");
	ASSERT_STR_EQ("b !null a c", ids_of_the_answers());
	ASSERT_HOLDS("2.result.content.0.text", "Once there was.");
	PASS();
}

TEST a_batch_that_wants_no_answer_gets_none(void)
{
	ASK(BATCHES);
	ASK("[" TOLD "]\n" PING("\"e\""));
	ASSERT_AT("id", "e");
	ASK("[" VIEW("7") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
			  "{\"requestId\":7}}]\n" PING("\"f\""));
	ASSERT_AT("id", "f");
	PASS();
}

TEST a_batch_of_nothing_or_with_a_handshake_is_refused(void)
{
	ASK(BATCHES);
	ASK("[]");
	ASSERT(cJSON_IsObject(m.heard));
	ASSERT_CODE(-32600);
	ASK("[" OLD("\"a\"", "initialize", "\"protocolVersion\":\"2025-06-18\"") "]");
	ASSERT_STR_EQ("!a", ids_of_the_answers());
	ASK("[" PING("\"b\"") "]");
	ASSERT_STR_EQ("b", ids_of_the_answers());
	PASS();
}

TEST text_that_is_none_is_refused_with_its_id(void)
{
	ASK("{\"jsonrpc\":\"2.0\",\"id\":\"x7\",\"method\":\"ping\",\"params\":{\"a\":\"\\u0000\"}"
	    "}");
	ASSERT_CODE(-32600);
	ASSERT_AT("id", "x7");
	PASS();
}

TEST what_wants_no_answer_gets_none(void)
{
	ASSERT(mcp_say(&m, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/what\"}"));
	ASSERT(mcp_say(&m, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}"));
	ASSERT(mcp_say(&m, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}"));
	ASSERT(mcp_say(&m, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
			   "\"params\":{\"requestId\":99}}"));
	ASSERT(mcp_say(&m, ""));
	ASSERT(mcp_say(&m, "  \t"));
	ASK("{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"method\":\"ping\"}\r");
	ASSERT_AT("id", "after");
	PASS();
}

TEST a_line_that_is_too_long_is_passed_over_and_the_next_is_answered(void)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(&line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"a\":\"");
	loom_buf_add_repeat(&line, 'x', (size_t)40 << 20);
	loom_buf_adds(&line, "\"}\n");
	ASSERT(talk_say(&m.talk, loom_buf_str(&line)));
	loom_buf_fini(&line);
	ASSERT(mcp_hear(&m));
	ASSERT_CODE(-32600);
	ASK("{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"method\":\"ping\"}");
	ASSERT_AT("id", "after");
	PASS();
}

TEST a_message_may_come_byte_by_byte(void)
{
	const struct loom_str line =
		LOOM_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");

	for (size_t i = 0; i < line.n; i++)
		ASSERT(talk_say(&m.talk, loom_str_sub(line, i, 1)));
	ASSERT(mcp_hear(&m));
	ASSERT(cJSON_IsObject(mcp_at(&m, "result")));
	PASS();
}

/* ---- tools ---- */

TEST the_tools_are_two_and_their_order_is_fixed(void)
{
	ASK(NEW("1", "tools/list", ""));
	ASSERT_EQ(2, cJSON_GetArraySize(mcp_at(&m, "result.tools")));
	ASSERT_AT("result.tools.0.name", "loom");
	ASSERT_AT("result.tools.1.name", "loom_context");
	ASSERT_AT("result.tools.0.inputSchema.required.0", "text");
	ASSERT_HOLDS("result.tools.0.description", "→ continue [from ID]");
	ASSERT_AT("result.resultType", "complete");
	ASSERT(mcp_greet(&m));
	ASK(OLD("2", "tools/list", ""));
	ASSERT_AT("result.tools.0.name", "loom");
	ASSERT_AT("result.resultType", "(none)");
	ASSERT_AT("result.cacheScope", "(none)");
	PASS();
}

TEST lines_are_run_in_order_and_stay_done(void)
{
	ASSERT(mcp_loom(&m, "I would say:\\n→ respond r001 \\\"It was tall.\\\"\\n→ tree"));
	ASSERT_HOLDS(MCP_RESULT, "→ respond r001");
	ASSERT_HOLDS(MCP_RESULT, "✓ created [");
	ASSERT_HOLDS(MCP_RESULT, "2 nodes");
	ASSERT_FALSE(mcp_at(&m, "result.isError"));
	ASSERT_EQ(0, mcp_command(&m, "show r001"));
	ASSERT(strstr(loom_buf_cstr(&m.said.out), "1 continuation"));
	ASSERT_EQ(0, mcp_command(&m, "ops -a ada"));
	ASSERT(strstr(loom_buf_cstr(&m.said.out), "respond"));
	PASS();
}

TEST a_call_that_fails_is_an_error_of_the_tool_and_says_why(void)
{
	ASSERT(mcp_loom(&m, "→ view zz99\\n→ view r001"));
	ASSERT_CODE(0);
	ASSERT(cJSON_IsTrue(mcp_at(&m, "result.isError")));
	ASSERT_HOLDS(MCP_RESULT, "✗ NOT_FOUND");
	ASSERT_HOLDS(MCP_RESULT, "Once there was.");
	ASSERT(mcp_loom(&m, "nothing to run"));
	ASSERT(cJSON_IsTrue(mcp_at(&m, "result.isError")));
	ASSERT_HOLDS(MCP_RESULT, "hint:");
	ASSERT(mcp_loom(&m, "→ frobnicate"));
	ASSERT(cJSON_IsTrue(mcp_at(&m, "result.isError")));
	PASS();
}

#define CALL(name, arguments)                                                                      \
	NEW("1", "tools/call", ",\"name\":\"" name "\",\"arguments\":" arguments)

TEST wrong_arguments_are_named(void)
{
	ASK(CALL("loom", "{}"));
	ASSERT_HOLDS(MCP_RESULT, "\"text\" is missing");
	ASK(CALL("loom", "{\"text\":1}"));
	ASSERT_HOLDS(MCP_RESULT, "\"text\" must be a string");
	ASK(CALL("loom", "{\"text\":\"→ tree\",\"txet\":\"\"}"));
	ASSERT_HOLDS(MCP_RESULT, "\"txet\"");
	ASK(CALL("loom", "{\"text\":\"→ tree\",\"tree\":\"Nowhere\"}"));
	ASSERT_HOLDS(MCP_RESULT, "✗ NOT_FOUND");
	ASK(CALL("loom", "{\"text\":\"→ tree\",\"node\":\"zz99\"}"));
	ASSERT_HOLDS(MCP_RESULT, "✗ NOT_FOUND");
	ASK(CALL("loom", "{\"text\":\"→ tree\",\"thread\":\"thread-none\"}"));
	ASSERT_HOLDS(MCP_RESULT, "✗ NOT_FOUND");
	ASK(CALL("loom_context", "{\"format\":\"yaml\"}"));
	ASSERT_HOLDS(MCP_RESULT, "messages or json");
	ASK(CALL("loom_context", "{\"budget\":-5}"));
	ASSERT_HOLDS(MCP_RESULT, "budget");
	ASK(CALL("loom", "[]"));
	ASSERT_CODE(-32602);
	ASK(CALL("echo", "{}"));
	ASSERT_CODE(-32602);
	ASK(NEW("1", "tools/call", ""));
	ASSERT_CODE(-32602);
	PASS();
}

TEST who_was_granted_nothing_reads_and_does_not_write(void)
{
	mcp_start(&m, "bob");
	ASSERT(mcp_loom(&m, "→ view r001"));
	ASSERT_FALSE(mcp_at(&m, "result.isError"));
	ASSERT(mcp_loom(&m, "→ respond r001 \\\"no\\\""));
	ASSERT_HOLDS(MCP_RESULT, "✗ PERMISSION_DENIED: loom_write");
	ASSERT(mcp_loom(&m, "→ continue"));
	ASSERT_HOLDS(MCP_RESULT, "✗ PERMISSION_DENIED: loom_generate");
	ASK(NEW("1", "prompts/get", ",\"name\":\"loom-aware\""));
	ASSERT_HOLDS("result.messages.0.content.text", "loom_aware, doc_read\n");
	ASK(CALL("loom_context", "{}"));
	ASSERT_HOLDS(MCP_RESULT, "Permissions: loom_aware, doc_read\n");
	PASS();
}

TEST who_was_refused_everything_gets_nothing(void)
{
	ASSERT_EQ(0, mcp_command(&m, "agent set bob --permissions none"));
	mcp_start(&m, "bob");
	ASSERT(mcp_loom(&m, "→ view r001"));
	ASSERT_HOLDS(MCP_RESULT, "✗ PERMISSION_DENIED: loom_aware");
	ASK(CALL("loom_context", "{}"));
	ASSERT_HOLDS(MCP_RESULT, "✗ PERMISSION_DENIED: loom_aware");
	ASK(NEW("1", "resources/list", ""));
	ASSERT_CODE(1);
	ASSERT_AT("error.data.code", "PERMISSION_DENIED");
	ASK(NEW("1", "resources/read", ",\"uri\":\"loom://node/r001\""));
	ASSERT_CODE(1);
	PASS();
}

TEST what_a_person_takes_away_is_gone_at_once(void)
{
	ASSERT(mcp_loom(&m, "→ annotate r001 \\\"mine\\\""));
	ASSERT_FALSE(mcp_at(&m, "result.isError"));
	ASSERT_EQ(0, mcp_command(&m, "agent set ada --permissions analyst"));
	ASSERT(mcp_loom(&m, "→ annotate r001 \\\"mine\\\""));
	ASSERT_HOLDS(MCP_RESULT, "✗ PERMISSION_DENIED");
	PASS();
}

TEST a_call_that_needs_leave_is_proposed_and_nobody_waits(void)
{
	int64_t began = 0;

	ASSERT_EQ(0, mcp_command(&m, "agent set ada --approval ask"));
	began = clock_ms();
	ASSERT(mcp_loom(&m, "→ view r001\\n→ respond r001 \\\"x\\\""));
	ASSERT(clock_ms() - began < MCP_WAIT_MS / 2);
	ASSERT_HOLDS(MCP_RESULT, "Once there was.");
	ASSERT_HOLDS(MCP_RESULT, "(proposed: 1 of these is not done");
	ASSERT_FALSE(mcp_at(&m, "result.isError"));
	ASSERT(mcp_loom(&m, "→ tree"));
	ASSERT_HOLDS(MCP_RESULT, "1 node");
	PASS();
}

TEST another_agents_thread_is_refused(void)
{
	const cJSON *threads = NULL;

	ASSERT(mcp_loom(&m, "→ pin r001"));
	ASK(NEW("1", "resources/list", ""));
	threads = mcp_at(&m, "result.resources");
	ASSERT_EQ(2, cJSON_GetArraySize(threads));
	ASSERT_HOLDS("result.resources.1.uri", "loom://thread/thread-");
	ASSERT(mcp_ask(&m,
		       loom_arena_format(m.arena,
					 CALL("loom", "{\"text\":\"→ tree\",\"thread\":\"%s\"}"),
					 mcp_text_at(&m, "result.resources.1.name"))
			       .p));
	ASSERT_FALSE(mcp_at(&m, "result.isError"));
	ASK(NEW("1", "resources/list", ""));
	{
		const char *call =
			loom_arena_format(m.arena,
					  CALL("loom", "{\"text\":\"→ tree\",\"thread\":\"%s\"}"),
					  mcp_text_at(&m, "result.resources.1.name"))
				.p;
		const char *read =
			loom_arena_format(m.arena, NEW("1", "resources/read", ",\"uri\":\"%s\""),
					  mcp_text_at(&m, "result.resources.1.uri"))
				.p;

		ASSERT(mcp_ask(&m, read));
		ASSERT_HOLDS("result.contents.0.text", "pinned");
		mcp_start(&m, "bob");
		ASSERT(mcp_ask(&m, call));
		ASSERT_HOLDS(MCP_RESULT, "another agent's");
		ASSERT(mcp_ask(&m, read));
		ASSERT_CODE(1);
	}
	PASS();
}

TEST another_tree_takes_its_permission(void)
{
	ASSERT_EQ(0, mcp_command(&m, "new --title Other --root Elsewhere"));
	ASSERT_EQ(0, mcp_command(&m, "use 'The house'"));
	ASK(CALL("loom", "{\"text\":\"→ tree\",\"tree\":\"Other\"}"));
	ASSERT_HOLDS(MCP_RESULT, "✗ CROSS_TREE");
	ASK(NEW("1", "resources/list", ""));
	ASSERT_EQ(1, cJSON_GetArraySize(mcp_at(&m, "result.resources")));
	ASSERT_EQ(0, mcp_command(&m, "agent set ada --permissions all,cross_tree --approval auto"));
	ASK(CALL("loom", "{\"text\":\"→ view r001\",\"tree\":\"Other\"}"));
	ASSERT_HOLDS(MCP_RESULT, "Elsewhere");
	ASK(CALL("loom", "{\"text\":\"→ view r001\",\"node\":\"Other/r001\"}"));
	ASSERT_HOLDS(MCP_RESULT, "Elsewhere");
	ASK(NEW("1", "resources/list", ""));
	ASSERT(cJSON_GetArraySize(mcp_at(&m, "result.resources")) >= 2);
	PASS();
}

TEST a_call_may_say_where_it_begins(void)
{
	ASSERT(mcp_loom(&m, "→ respond r001 \\\"one\\\"\\n→ respond r001 \\\"two\\\""));
	ASK(CALL("loom", "{\"text\":\"→ tree\",\"node\":\"r001\"}"));
	ASSERT_HOLDS(MCP_RESULT, "[r001]*");
	PASS();
}

/* ---- context, prompts, resources ---- */

TEST the_context_is_given_as_text_messages_or_json(void)
{
	cJSON *inner = NULL;

	ASK(CALL("loom_context", "{}"));
	ASSERT_HOLDS(MCP_RESULT, "── path · user");
	ASSERT_HOLDS(MCP_RESULT, "Once there was.");
	ASSERT_HOLDS(MCP_RESULT, "=== Loom Context ===");
	ASK(CALL("loom_context", "{\"format\":\"messages\",\"tree\":null}"));
	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(loom_str_of(mcp_text_at(&m, MCP_RESULT)), NULL, &inner, NULL));
	ASSERT(cJSON_IsArray(inner));
	cJSON_Delete(inner);
	ASK(CALL("loom_context", "{\"format\":\"json\",\"budget\":500}"));
	ASSERT_EQ(LOOM_OK,
		  loom_json_parse(loom_str_of(mcp_text_at(&m, MCP_RESULT)), NULL, &inner, NULL));
	ASSERT_EQ(500, loom_json_get(inner, "budget")->valueint);
	cJSON_Delete(inner);
	PASS();
}

TEST prompts_are_the_addendum(void)
{
	ASK(NEW("1", "prompts/list", ""));
	ASSERT_AT("result.prompts.0.name", "loom-aware");
	ASK(NEW("2", "prompts/get", ",\"name\":\"loom-aware\",\"arguments\":{}"));
	ASSERT_AT("result.messages.0.role", "user");
	ASSERT_HOLDS("result.messages.0.content.text", "loom-aware context");
	ASSERT_HOLDS("result.messages.0.content.text", "loom_write");
	ASK(NEW("3", "prompts/get", ",\"name\":\"other\""));
	ASSERT_CODE(-32602);
	PASS();
}

TEST resources_are_listed_by_template_and_read(void)
{
	ASK(NEW("1", "resources/templates/list", ""));
	ASSERT_AT("result.resourceTemplates.0.uriTemplate", "loom://tree/{id}");
	ASSERT_AT("result.resourceTemplates.1.uriTemplate", "loom://node/{id}");
	ASSERT_AT("result.resourceTemplates.2.uriTemplate", "loom://thread/{id}/context");
	ASK(NEW("2", "resources/list", ""));
	ASSERT_HOLDS("result.resources.0.uri", "loom://tree/");
	ASSERT(mcp_ask(&m, loom_arena_format(m.arena, NEW("3", "resources/read", ",\"uri\":\"%s\""),
					     mcp_text_at(&m, "result.resources.0.uri"))
				   .p));
	ASSERT_HOLDS("result.contents.0.text", "The house");
	ASSERT_AT("result.cacheScope", "private");
	ASK(NEW("4", "resources/read", ",\"uri\":\"loom://node/r001\""));
	ASSERT_HOLDS("result.contents.0.text", "Once there was.");
	ASSERT_AT("result.contents.0.uri", "loom://node/r001");
	ASK(NEW("5", "resources/read", ",\"uri\":\"loom://tree/The%20house\""));
	ASSERT_HOLDS("result.contents.0.text", "The house");
	PASS();
}

TEST a_missing_resource_has_the_code_of_its_era(void)
{
	static const char *const uris[] = {
		"loom://node/zz99",       "loom://tree/nope", "loom://thread/thread-nope/context",
		"loom://thread//context", "loom://thread/x",  "file:///etc/passwd",
		"loom://node/%zz",        "loom://",          ""};

	for (size_t i = 0; i < LOOM_COUNT(uris); i++) {
		ASSERT(mcp_ask(&m, loom_arena_format(m.arena,
						     NEW("1", "resources/read", ",\"uri\":\"%s\""),
						     uris[i])
					   .p));
		ASSERT_EQ_FMTm(uris[i], -32602, mcp_code(&m), "%d");
	}
	ASSERT(mcp_greet(&m));
	ASK(OLD("1", "resources/read", "\"uri\":\"loom://node/zz99\""));
	ASSERT_CODE(-32002);
	ASK(OLD("1", "resources/list", "\"cursor\":\"zz\""));
	ASSERT_CODE(-32602);
	PASS();
}

TEST a_cursor_of_nobodys_and_an_address_that_is_none_are_bad_params(void)
{
	ASK(NEW("1", "tools/list", ",\"cursor\":\"x\""));
	ASSERT_CODE(-32602);
	ASK(NEW("2", "prompts/list", ",\"cursor\":null"));
	ASSERT_HOLDS("result.prompts.0.name", "loom-aware");
	ASK(NEW("3", "resources/templates/list", ",\"cursor\":7"));
	ASSERT_CODE(-32602);
	ASK(NEW("4", "resources/read", ""));
	ASSERT_CODE(-32602);
	ASK(NEW("5", "resources/read", ",\"uri\":[]"));
	ASSERT_CODE(-32602);
	PASS();
}

TEST a_long_list_comes_in_pages(void)
{
	const char *cursor = NULL;
	int count = 0;

	ASSERT_EQ(0, mcp_command(&m, "agent set ada --permissions all,cross_tree --approval auto"));
	for (int i = 0; i < 104; i++)
		ASSERT_EQ(0, mcp_command(&m, "new --title Many"));
	ASK(NEW("1", "resources/list", ""));
	count = cJSON_GetArraySize(mcp_at(&m, "result.resources"));
	ASSERT_EQ_FMT(100, count, "%d");
	cursor = loom_arena_format(m.arena, NEW("2", "resources/list", ",\"cursor\":\"%s\""),
				   mcp_text_at(&m, "result.nextCursor"))
			 .p;
	ASSERT(mcp_ask(&m, cursor));
	count = cJSON_GetArraySize(mcp_at(&m, "result.resources"));
	ASSERT_EQ_FMT(5, count, "%d");
	ASSERT_FALSE(mcp_at(&m, "result.nextCursor"));
	PASS();
}

/* ---- beginning and ending ---- */

TEST an_agent_or_a_grove_that_is_not_there_is_an_error_of_the_tool(void)
{
	mcp_start(&m, "nobody");
	ASSERT(mcp_loom(&m, "→ tree"));
	ASSERT_HOLDS(MCP_RESULT, "✗ NOT_FOUND: there is no agent \"nobody\"");
	ASSERT_HOLDS(MCP_RESULT, "hint: loom agent add nobody");
	ASK(NEW("1", "resources/list", ""));
	ASSERT_CODE(-32602);
	ASSERT_EQ(0, mcp_command(&m, "agent add nobody"));
	ASSERT(mcp_loom(&m, "→ tree"));
	ASSERT_FALSE(mcp_at(&m, "result.isError"));
	ASSERT_EQ(0, mcp_command(&m, "members set --name Olga"));
	mcp_start(&m, "Olga");
	ASSERT(mcp_loom(&m, "→ tree"));
	ASSERT_HOLDS(MCP_RESULT, "is a person");
	m.env[5] = "LOOM_GROVE=/nonexistent";
	mcp_start(&m, "ada");
	ASSERT(mcp_loom(&m, "→ tree"));
	ASSERT_HOLDS(MCP_RESULT, "✗ NOT_FOUND: there is no grove");
	ASK(NEW("1", "tools/list", ""));
	ASSERT_AT("result.tools.0.name", "loom");
	PASS();
}

TEST without_an_agent_it_does_not_begin(void)
{
	ASSERT_EQ(2, mcp_command(&m, "mcp </dev/null"));
	ASSERT_EQ(0, (int)m.said.out.n);
	ASSERT(strstr(loom_buf_cstr(&m.said.err), "--agent"));
	ASSERT_EQ(0, mcp_command(&m, "mcp --agent ada </dev/null"));
	ASSERT_EQ(0, (int)m.said.out.n);
	PASS();
}

TEST the_end_of_the_input_ends_it_cleanly_and_answers_what_was_asked(void)
{
	ASSERT(mcp_say(&m, CALL("loom", "{\"text\":\"→ tree\"}")));
	ASSERT(talk_say(&m.talk, LOOM_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}")));
	talk_close(&m.talk);
	ASSERT(mcp_hear(&m));
	ASSERT(mcp_hear(&m));
	ASSERT_FALSE(mcp_hear_any(&m, 3000));
	ASSERT_EQ_FMT(0, talk_end(&m.talk, 3000), "%d");
	ASSERT_STR_EQ("", loom_buf_cstr(&m.talk.err));
	PASS();
}

TEST it_ends_when_nobody_takes_its_answers(void)
{
	close(m.talk.from);
	m.talk.from = open("/dev/null", O_RDONLY | O_CLOEXEC);
	(void)mcp_say(&m, CALL("loom", "{\"text\":\"→ tree\"}"));
	ASSERT_EQ_FMT(0, talk_end(&m.talk, 3000), "%d");
	PASS();
}

TEST a_slow_client_gets_every_answer_whole(void)
{
	struct loom_buf lines = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int seen = 0;

	mcp_start(&m, "ada");
	/* 3,000 lists are far more than a pipe holds: lines wait until answers are taken. */
	for (int i = 0; i < 3000; i++)
		loom_buf_adds(&lines, NEW("1", "tools/list", "") "\n");
	for (size_t at = 0; at < lines.n; at += 4096)
		if (!talk_say(&m.talk, loom_str_sub(loom_buf_str(&lines), at, 4096)))
			break;
		else
			while (mcp_hear_any(&m, at % 65536 ? 0 : 5))
				seen++;
	while (seen < 3000 && mcp_hear_any(&m, MCP_WAIT_MS))
		seen++;
	loom_buf_fini(&lines);
	ASSERT_EQ_FMT(3000, seen, "%d");
	PASS();
}

TEST it_speaks_over_sockets_as_over_pipes(void)
{
	m.sockets = true;
	mcp_start(&m, "ada");
	ASSERT(mcp_loom(&m, "→ view r001"));
	ASSERT_HOLDS(MCP_RESULT, "Once there was.");
	talk_close(&m.talk);
	ASSERT_EQ_FMT(0, talk_end(&m.talk, 3000), "%d");
	PASS();
}

/* The fastest of several beginnings, against that of the program that only says its version. */
static int64_t fastest(const char *first, const char *second)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 7; i++) {
		const char *const argv[] = {LOOM_PROGRAM, first, second, second ? "ada" : NULL,
					    NULL};
		const struct talk_opts opts = {.env = m.env, .cwd = m.temp.path};
		struct loom_str line;
		struct talk talk;
		int64_t began = clock_ns();

		talk_start(&talk, argv, &opts);
		talk_say(&talk, LOOM_STR(NEW("1", "server/discover", "") "\n"));
		if (talk_hear(&talk, MCP_WAIT_MS, &line) && clock_ns() - began < best)
			best = clock_ns() - began;
		talk_fini(&talk);
	}
	return best;
}

TEST it_answers_soon_after_its_start_and_touches_no_grove(void)
{
	const int64_t version = fastest("version", NULL);
	const int64_t mcp = fastest("mcp", "--agent");

#ifndef LOOM_INSTRUMENTED
	ASSERT(mcp < 50 * 1000 * 1000 || mcp < 3 * version);
#endif
	ASSERT(mcp < 20 * version);
	m.env[5] = "LOOM_GROVE=/dev/full/none";
	mcp_start(&m, "ada");
	ASK(NEW("1", "server/discover", ""));
	ASSERT_AT("result.supportedVersions.0", "2026-07-28");
	PASS();
}

SUITE(suite)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(every_old_version_is_agreed_to_and_another_gets_our_newest);
	RUN_TEST(an_old_request_before_the_handshake_is_refused_and_a_ping_is_not);
	RUN_TEST(an_initialize_without_a_version_is_refused);
	RUN_TEST(discover_says_what_there_is);
	RUN_TEST(a_new_request_lacks_neither_of_its_two_keys);
	RUN_TEST(a_version_that_is_not_spoken_is_told_which_is);
	RUN_TEST(each_era_has_methods_that_the_other_lacks);
	RUN_TEST(malformed_lines_get_the_right_codes_and_the_next_is_answered);
	RUN_TEST(a_version_without_batches_refuses_a_list);
	RUN_TEST(a_batch_is_answered_by_one_line_with_an_answer_to_each_of_its_requests);
	RUN_TEST(a_batch_with_calls_is_answered_when_they_are_done);
	RUN_TEST(a_batch_that_wants_no_answer_gets_none);
	RUN_TEST(a_batch_of_nothing_or_with_a_handshake_is_refused);
	RUN_TEST(text_that_is_none_is_refused_with_its_id);
	RUN_TEST(what_wants_no_answer_gets_none);
	RUN_TEST(a_line_that_is_too_long_is_passed_over_and_the_next_is_answered);
	RUN_TEST(a_message_may_come_byte_by_byte);
	RUN_TEST(the_tools_are_two_and_their_order_is_fixed);
	RUN_TEST(lines_are_run_in_order_and_stay_done);
	RUN_TEST(a_call_that_fails_is_an_error_of_the_tool_and_says_why);
	RUN_TEST(wrong_arguments_are_named);
	RUN_TEST(who_was_granted_nothing_reads_and_does_not_write);
	RUN_TEST(who_was_refused_everything_gets_nothing);
	RUN_TEST(what_a_person_takes_away_is_gone_at_once);
	RUN_TEST(a_call_that_needs_leave_is_proposed_and_nobody_waits);
	RUN_TEST(another_agents_thread_is_refused);
	RUN_TEST(another_tree_takes_its_permission);
	RUN_TEST(a_call_may_say_where_it_begins);
	RUN_TEST(the_context_is_given_as_text_messages_or_json);
	RUN_TEST(prompts_are_the_addendum);
	RUN_TEST(resources_are_listed_by_template_and_read);
	RUN_TEST(a_missing_resource_has_the_code_of_its_era);
	RUN_TEST(a_cursor_of_nobodys_and_an_address_that_is_none_are_bad_params);
	RUN_TEST(a_long_list_comes_in_pages);
	RUN_TEST(an_agent_or_a_grove_that_is_not_there_is_an_error_of_the_tool);
	RUN_TEST(without_an_agent_it_does_not_begin);
	RUN_TEST(the_end_of_the_input_ends_it_cleanly_and_answers_what_was_asked);
	RUN_TEST(it_ends_when_nobody_takes_its_answers);
	RUN_TEST(a_slow_client_gets_every_answer_whole);
	RUN_TEST(it_speaks_over_sockets_as_over_pipes);
	RUN_TEST(it_answers_soon_after_its_start_and_touches_no_grove);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(suite);
	GREATEST_MAIN_END();
}
