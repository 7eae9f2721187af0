/* Ollama's lines of JSON. */
#include <greatest.h>

#include "support/voices.h"

#define CONFIG(more)                                                                               \
	"{\"providers\":{\"p\":{\"api\":\"ollama\",\"base_url\":\"http://127.0.0.1:$P\"}},"        \
	"\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"llama\"" more "}}}"

static const char lines[] =
	"on POST /api/generate\ntype application/x-ndjson\n"
	"send {\"model\":\"llama:8b\",\"response\":\" "
	"a\",\"done\":false,\"logprobs\":[{\"token\":\" a\","
	"\"logprob\":-0.1,\"bytes\":[32,97],\"top_logprobs\":[{\"token\":\" "
	"b\",\"logprob\":-3}]}]}\\n\n"
	"sleep 10\n"
	"send {\"model\":\"llama:8b\",\"response\":\" b\",\"do\n"
	"send ne\":false}\\n\n"
	"send {\"model\":\"llama:8b\",\"response\":\"\",\"done\":true,\"done_reason\":\"length\","
	"\"prompt_eval_count\":26,\"eval_count\":2,\"total_duration\":5}\\n\n";

TEST lines_are_read_and_numbers_kept(void)
{
	/* each choice is an ask of its own, and draws otherwise */
	static const char *const options[] = {"{\"temperature\":1,\"top_p\":1,\"top_k\":0,\"seed\":"
					      "3,\"num_predict\":20,\"repeat_penalty\":1}",
					      "{\"temperature\":1,\"top_p\":1,\"top_k\":0,\"seed\":"
					      "4,\"num_predict\":20,\"repeat_penalty\":1}"};
	struct loom_generate_request request = go_on("x ", 2);

	request.voice.sampling = LOOM_STR("{\"logprobs\":1,\"seed\":3}");
	ASSERT(world_run(lines, CONFIG(""), &request));
	ASSERT_STR_EQ(" a b", text_of(0));
	ASSERT_STR_EQ(" a b", text_of(1));
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[0].finish);
	ASSERT(loom_str_is(loom_jval_get(record_of(0), "usage"), "{\"in\":26,\"out\":2}"));
	ASSERT(loom_str_is(loom_jval_get(record_of(0), "logprobs"),
			   "[[\" a\",-0.1,[[\" b\",-3]]]]"));
	ASSERT_EQ(2, fake_requests(&world.fake));
	ASSERT(sent(0, "raw", "true"));
	ASSERT(sent(0, "stream", "true"));
	ASSERT(sent(0, "prompt", "\"x \""));
	ASSERT(sent(0, "logprobs", "true"));
	ASSERT(sent(0, "top_logprobs", "1"));
	ASSERT(sent(0, "tools", NULL));
	ASSERT(sent(0, "options", options[0]) || sent(1, "options", options[0]));
	ASSERT(sent(0, "options", options[1]) || sent(1, "options", options[1]));
	PASS();
}

TEST the_window_is_asked_for_when_it_would_not_hold_the_prompt(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_generate_request request;

	loom_buf_add_repeat(&text, 'x', 10000);
	request = go_on(loom_buf_cstr(&text), 1);
	ASSERT(world_run(lines, CONFIG(""), &request));
	/* not what this one needs: with another window each time it would load the model anew */
	ASSERT(loom_str_find(fake_body(&world.fake, 0), LOOM_STR("\"num_ctx\":8192"), 0) !=
	       SIZE_MAX);
	world_close();
	loom_buf_add_repeat(&text, 'x', 2000);
	request = go_on(loom_buf_cstr(&text), 1);
	ASSERT(world_run(lines, CONFIG(""), &request));
	ASSERT(loom_str_find(fake_body(&world.fake, 0), LOOM_STR("\"num_ctx\":8192"), 0) !=
	       SIZE_MAX);
	world_close();
	ASSERT(world_run(lines, CONFIG(",\"context\":9000"), &request));
	ASSERT(loom_str_find(fake_body(&world.fake, 0), LOOM_STR("\"num_ctx\":9000"), 0) !=
	       SIZE_MAX);
	loom_buf_fini(&text);
	PASS();
}

TEST a_conversation_goes_to_its_chat(void)
{
	static const struct loom_prompt_message messages[] = {
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Hi")}};
	static const char script[] =
		"on POST /api/chat\ntype application/json\n" /* what some proxies make of it */
		"send {\"message\":{\"role\":\"assistant\",\"content\":\"He\"},\"done\":false}\\n\n"
		"send {\"message\":{\"role\":\"assistant\",\"content\":\"y\"},\"done\":true,"
		"\"done_reason\":\"stop\"}\n";
	struct loom_generate_request request = go_on("", 1);

	request.messages = messages;
	request.message_count = 1;
	ASSERT(world_run(script, CONFIG(",\"endpoint\":\"chat\""), &request));
	ASSERT_STR_EQ("Hey", text_of(0));
	ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[0].finish);
	PASS();
}

/* What it thinks is no text, and a line that has only that says nothing. */
TEST thoughts_and_calls_are_left_out(void)
{
	static const struct loom_prompt_message messages[] = {
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Hi")}};
	static const char script[] =
		"on POST /api/chat\ntype application/x-ndjson\n"
		"send {\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":"
		"\"hidden\"},\"done\":false}\\n\n"
		"send {\"message\":{\"role\":\"assistant\",\"content\":\"Hey\",\"tool_calls\":[{"
		"\"function\":{\"name\":\"f\",\"arguments\":{}}}]},\"done\":false}\\n\n"
		"send {\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,"
		"\"done_reason\":\"stop\",\"eval_count\":3}\\n\n";
	struct loom_generate_request request = go_on("", 1);

	request.messages = messages;
	request.message_count = 1;
	request.system = LOOM_STR("Be brief.");
	ASSERT(world_run(script, CONFIG(",\"endpoint\":\"chat\""), &request));
	ASSERT_STR_EQ("Hey", text_of(0));
	ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[0].finish);
	ASSERT(sent(0, "messages",
		    "[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\","
		    "\"content\":\"Hi\"}]"));
	ASSERT(sent(0, "think", "false"));
	ASSERT(sent(0, "tools", NULL));
	PASS();
}

/* Lines that end without one that is done are half an answer. */
TEST lines_that_break_off_are_no_answer(void)
{
	static const char script[] = "on POST /api/generate\ntype application/x-ndjson\n"
				     "send {\"response\":\" a\",\"done\":false}\\n\n";
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run(script, CONFIG(""), &request));
	ASSERT_STR_EQ(" a", text_of(0));
	ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[0].finish);
	PASS();
}

TEST its_errors_are_texts_and_may_come_late(void)
{
	static const char missing[] = "on POST /api/generate\nstatus 404\ntype application/json\n"
				      "send {\"error\":\"model 'llama' not found\"}\n";
	static const char late[] =
		"on POST /api/generate\ntype application/x-ndjson\n"
		"send {\"response\":\" a\",\"done\":false}\\n{\"error\":\"the runner died\"}\\n\n";
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run(missing, CONFIG(""), &request));
	ASSERT(strstr(world.asked.choices[0].err.text, "model 'llama' not found"));
	ASSERT_EQ(1, fake_requests(&world.fake));
	world_close();
	ASSERT(world_run(late, CONFIG(""), &request));
	ASSERT_STR_EQ(" a", text_of(0));
	ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[0].finish);
	ASSERT(strstr(world.asked.choices[0].err.text, "the runner died"));
	PASS();
}

/* Some models take a word for how much to think, the others only whether. */
TEST a_model_that_takes_no_word_for_thinking_is_told_yes(void)
{
	static const char script[] =
		"on POST /api/chat\nstatus 400\ntype application/json\n"
		"send {\"error\":\"think value \\\"low\\\" is not supported for this model\"}\n"
		"on POST /api/chat\ntype application/x-ndjson\n"
		"send {\"message\":{\"thinking\":\"hm\"},\"done\":false}\\n\n"
		"send {\"message\":{\"content\":\" "
		"yes\"},\"done\":true,\"done_reason\":\"stop\"}\\n\n";
	static const char config[] =
		"{\"providers\":{\"p\":{\"api\":\"ollama\",\"base_url\":\"http://127.0.0.1:$P\"}},"
		"\"models\":{\"m\":{\"provider\":\"p\",\"endpoint\":\"chat\"}}}";
	struct loom_generate_request request = go_on("x", 1);

	request.voice.line = LOOM_STR("{\"effort\":\"low\"}");
	ASSERT(world_run(script, config, &request));
	ASSERT(sent(0, "think", "\"low\""));
	ASSERT(sent(1, "think", "true"));
	ASSERT_STR_EQ(" yes", text_of(0));
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "thinking"), LOOM_STR("hm")));
	PASS();
}

SUITE(ollama)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_model_that_takes_no_word_for_thinking_is_told_yes);
	RUN_TEST(lines_are_read_and_numbers_kept);
	RUN_TEST(the_window_is_asked_for_when_it_would_not_hold_the_prompt);
	RUN_TEST(a_conversation_goes_to_its_chat);
	RUN_TEST(thoughts_and_calls_are_left_out);
	RUN_TEST(lines_that_break_off_are_no_answer);
	RUN_TEST(its_errors_are_texts_and_may_come_late);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(ollama);
	GREATEST_MAIN_END();
}
