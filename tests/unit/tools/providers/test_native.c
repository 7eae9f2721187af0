/* Calls of tools that servers send although none were offered: they are not lost. */
#include <greatest.h>

#include "support/voices.h"

#define OPENAI                                                                                     \
	"{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$P/v1\"}},"     \
	"\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"some-chat\",\"endpoint\":\"chat\"}}}"
#define ANTHROPIC                                                                                  \
	"{\"providers\":{\"p\":{\"api\":\"anthropic\",\"base_url\":\"http://127.0.0.1:$P\"}},"     \
	"\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"claude-opus-4-8\"}}}"
#define OLLAMA                                                                                     \
	"{\"providers\":{\"p\":{\"api\":\"ollama\",\"base_url\":\"http://127.0.0.1:$P\"}},"        \
	"\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"llama\",\"endpoint\":\"chat\"}}}"
#define EVENTS      "type text/event-stream\n"
#define EVENT(json) "send data: " json "\\n\\n\n"

static bool ask(const char *script, const char *config)
{
	static const struct loom_prompt_message question[] = {
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Hi")}};
	struct loom_generate_request request = go_on("", 1);

	request.messages = question;
	request.message_count = 1;
	return world_run(script, config, &request);
}

static const char *native(void)
{
	return loom_buf_cstr(&world.asked.choices[0].native);
}

#define VIEW "{\"name\":\"view\",\"arguments\":\"{\\\"id\\\":\\\"a7x2\\\"}\"}"

TEST pieces_of_a_call_are_joined(void)
{
	static const char script[] = "on POST /v1/chat/completions\n" EVENTS EVENT(
		"{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I look.\"}}]}")
		EVENT("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":"
		      "\"c\",\"type\":\"function\",\"function\":{\"name\":\"view\",\"arguments\":"
		      "\"\"}}]}}]}")
			EVENT("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"
			      "\"function\":{\"arguments\":\"{\\\\\"id\\\\\":\"}}]}}]}")
				EVENT("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{"
				      "\"index\":0,\"function\":{\"arguments\":\"\\\\\"a7x2\\\\\"}"
				      "\"}"
				      "}]},\"finish_reason\":\"tool_calls\"}]}") EVENT("[DONE]");

	ASSERT(ask(script, OPENAI));
	ASSERT_STR_EQ("I look.", text_of(0));
	ASSERT_STR_EQ("[" VIEW "]", native());
	PASS();
}

TEST an_answer_of_calls_alone_is_one(void)
{
	static const char script[] =
		"on POST /v1/chat/completions\ntype application/json\n"
		"send {\"choices\":[{\"index\":0,\"message\":{\"content\":null,\"tool_calls\":["
		"{\"function\":{\"name\":\"view\",\"arguments\":\"{\\\\\"id\\\\\":\\\\\"a7x2\\\\\"}"
		"\"}},"
		"{\"function\":{\"name\":\"tree\",\"arguments\":\"{}\"}}]},"
		"\"finish_reason\":\"tool_calls\"}]}\n";

	ASSERT(ask(script, OPENAI));
	ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[0].finish);
	ASSERT_STR_EQ("", text_of(0));
	ASSERT_STR_EQ("[" VIEW ",{\"name\":\"tree\",\"arguments\":\"{}\"}]", native());
	PASS();
}

TEST blocks_that_use_a_tool_are_calls(void)
{
	static const char script[] = "on POST /v1/messages\n" EVENTS EVENT(
		"{\"type\":\"message_start\",\"message\":{\"model\":\"claude-x\",\"content\":[],"
		"\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}")
		EVENT("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{"
		      "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"view\",\"input\":{}}}")
			EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{"
			      "\"type\":\"input_json_delta\",\"partial_json\":"
			      "\"{\\\\\"id\\\\\":\"}}")
				EVENT("{\"type\":\"content_block_delta\",\"index\":0,"
				      "\"delta\":{\"type\":\"input_json_delta\","
				      "\"partial_json\":\"\\\\\"a7x2\\\\\"}\"}}")
					EVENT("{\"type\":\"message_delta\",\"delta\":{"
					      "\"stop_reason\":\"tool_use\"}}")
						EVENT("{\"type\":\"message_stop\"}");

	ASSERT(ask(script, ANTHROPIC));
	ASSERT_STR_EQ("[" VIEW "]", native());
	PASS();
}

TEST calls_in_lines_are_calls(void)
{
	static const char script[] =
		"on POST /api/chat\ntype application/x-ndjson\n"
		"send {\"model\":\"llama\",\"message\":{\"role\":\"assistant\",\"content\":\"\","
		"\"tool_calls\":[{\"function\":{\"name\":\"view\",\"arguments\":{\"id\":\"a7x2\"}}}"
		"]},"
		"\"done\":false}\\n\n"
		"send {\"model\":\"llama\",\"message\":{\"content\":\"\"},\"done\":true,"
		"\"done_reason\":\"stop\"}\\n\n";

	ASSERT(ask(script, OLLAMA));
	ASSERT_STR_EQ("[" VIEW "]", native());
	PASS();
}

SUITE(native_calls)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(pieces_of_a_call_are_joined);
	RUN_TEST(an_answer_of_calls_alone_is_one);
	RUN_TEST(blocks_that_use_a_tool_are_calls);
	RUN_TEST(calls_in_lines_are_calls);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(native_calls);
	GREATEST_MAIN_END();
}
