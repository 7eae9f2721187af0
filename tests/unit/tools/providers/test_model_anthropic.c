/* Anthropic's messages. */
#include <greatest.h>

#include "support/voices.h"

#define CONFIG(id, more)                                                                           \
	"{\"providers\":{\"p\":{\"api\":\"anthropic\",\"base_url\":\"http://127.0.0.1:$P\","       \
	"\"key_env\":\"CANARY_KEY\"}},"                                                            \
	"\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"" id "\"" more "}}}"
#define NEW CONFIG("claude-opus-4-8", "")
#define OLD CONFIG("claude-3-5-haiku-latest", "")
#define ON  "on POST /v1/messages\ntype text/event-stream\n"

static const char answer[] = ON
	"send event: message_start\\ndata: {\"type\":\"message_start\",\"message\":{\"model\":"
	"\"claude-x\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":10,"
	"\"cache_read_input_tokens\":3,\"cache_creation_input_tokens\":2,\"output_tokens\":1}}}"
	"\\n\\n\n"
	"send event: content_block_start\\ndata: {\"type\":\"content_block_start\",\"index\":0,"
	"\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\\n\\n\n"
	"send event: content_block_delta\\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
	"\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hidden\"}}\\n\\n\n"
	"send event: ping\\ndata: {\"type\":\"ping\"}\\n\\n\n"
	"send event: content_block_start\\ndata: {\"type\":\"content_block_start\",\"index\":1,"
	"\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\\n\\n\n"
	"send event: content_block_delta\\ndata: {\"type\":\"content_block_delta\",\"index\":1,"
	"\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}}\\n\\n\n"
	"send event: content_block_delta\\ndata: {\"type\":\"content_block_delta\",\"index\":1,"
	"\"delta\":{\"type\":\"text_delta\",\"text\":\"lo\"}}\\n\\n\n"
	"send event: content_block_stop\\ndata: "
	"{\"type\":\"content_block_stop\",\"index\":1}\\n\\n\n"
	"send event: message_delta\\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
	"\"max_tokens\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":15}}\\n\\n\n"
	"send event: message_stop\\ndata: {\"type\":\"message_stop\"}\\n\\n\n";

static struct loom_generate_request talk(const struct loom_prompt_message *messages, size_t count)
{
	struct loom_generate_request request = go_on("", 1);

	request.messages = messages;
	request.message_count = count;
	request.system = LOOM_STR("Be brief.");
	return request;
}

static const struct loom_prompt_message question[] = {
	{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Hi")}};

TEST an_answers_text_is_taken_and_its_thinking_is_not(void)
{
	struct loom_generate_request request = talk(question, 1);

	ASSERT(world_run(answer, NEW, &request));
	ASSERT_STR_EQ("Hello", text_of(0));
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[0].finish);
	ASSERT(loom_str_is(loom_jval_get(record_of(0), "usage"),
			   "{\"in\":15,\"in_cached\":3,\"out\":15}"));
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "served"), LOOM_STR("claude-x")));
	PASS();
}

TEST the_request_has_what_is_required_and_no_tools(void)
{
	struct loom_generate_request request = talk(question, 1);

	request.voice.sampling = LOOM_STR("{\"temperature\":0.7,\"top_p\":0.9,\"stop\":[\"X\"]}");
	ASSERT(world_run(answer, NEW, &request));
	ASSERT(sent(0, "max_tokens", "20"));
	ASSERT(sent(0, "system", "\"Be brief.\""));
	ASSERT(sent(0, "messages", "[{\"role\":\"user\",\"content\":\"Hi\"}]"));
	ASSERT(sent(0, "stop_sequences", "[\"X\"]"));
	ASSERT(sent(0, "temperature", NULL)); /* a newer one refuses it */
	ASSERT(sent(0, "top_p", NULL));
	ASSERT(sent(0, "n", NULL));
	ASSERT(sent(0, "tools", NULL));
	ASSERT_FALSE(loom_jval_get(loom_jval_get(record_of(0), "parameters"), "temperature").p);
	ASSERT(loom_str_find(fake_log(&world.fake), LOOM_STR("x-api-key: " CANARY "\r\n"), 0) !=
	       SIZE_MAX);
	ASSERT(loom_str_find(fake_log(&world.fake), LOOM_STR("anthropic-version: 2023-06-01\r\n"),
			     0) != SIZE_MAX);
	PASS();
}

TEST an_older_one_takes_a_temperature_and_a_beginning(void)
{
	struct loom_generate_request request = go_on("Once upon", 1);

	request.voice.sampling = LOOM_STR("{\"temperature\":0.7}");
	ASSERT(world_run(answer, OLD, &request));
	ASSERT(sent(0, "temperature", "0.7"));
	ASSERT(sent(0, "top_p", NULL));
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "strategy"), LOOM_STR("prefill")));
	PASS();
}

TEST what_it_would_refuse_as_a_beginning_is_framed(void)
{
	static const struct loom_prompt_message leading[] = {
		{.role = LOOM_ROLE_ASSISTANT, .text = LOOM_STR_INIT("I speak first.")},
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Do you?")},
	};
	struct loom_generate_request requests[3] = {go_on("It ends in a blank ", 1),
						    go_on("Once", 1), talk(leading, 2)};
	static const char *const configs[] = {OLD, NEW, OLD};

	for (size_t i = 0; i < 3; i++) {
		struct loom_str messages;

		ASSERT(world_run(answer, configs[i], &requests[i]));
		ASSERT(loom_jval_says(loom_jval_get(record_of(0), "strategy"), LOOM_STR("framed")));
		messages = loom_jval_get(loom_jval_of(fake_body(&world.fake, 0)), "messages");
		ASSERT_EQ(1, (int)loom_jval_count(messages));
		world_close();
	}
	PASS();
}

TEST several_choices_are_several_requests(void)
{
	struct loom_generate_request request = talk(question, 1);

	request.n = 3;
	ASSERT(world_run(answer, NEW, &request));
	for (size_t i = 0; i < 3; i++)
		ASSERT_STR_EQ("Hello", text_of(i));
	ASSERT_EQ(3, fake_requests(&world.fake));
	PASS();
}

TEST its_ends_are_told_apart(void)
{
	static const struct {
		const char *reason;
		enum loom_finish finish;
	} ends[] = {{"\"end_turn\"", LOOM_FINISH_STOP},
		    {"\"stop_sequence\",\"stop_sequence\":\"X\"", LOOM_FINISH_STOP_TEXT},
		    {"\"refusal\"", LOOM_FINISH_FILTER},
		    {"\"model_context_window_exceeded\"", LOOM_FINISH_LENGTH},
		    {"\"pause_turn\"", LOOM_FINISH_STOP}};

	for (size_t i = 0; i < LOOM_COUNT(ends); i++) {
		struct loom_buf script = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_generate_request request = talk(question, 1);

		loom_buf_addf(
			&script,
			"on POST /v1/messages\ntype application/json\nsend {\"type\":"
			"\"message\",\"model\":\"c\",\"content\":[{\"type\":\"text\",\"text\":"
			"\"Hi\"}],\"stop_reason\":%s,\"usage\":{\"input_tokens\":1,"
			"\"output_tokens\":2}}\n",
			ends[i].reason);
		ASSERT(world_run(loom_buf_cstr(&script), NEW, &request));
		ASSERT_STR_EQ("Hi", text_of(0));
		ASSERT_EQm(ends[i].reason, ends[i].finish, world.asked.choices[0].finish);
		world_close();
		loom_buf_fini(&script);
	}
	PASS();
}

TEST an_error_in_the_stream_keeps_what_came(void)
{
	static const char script[] =
		ON "send event: content_block_delta\\ndata: "
		   "{\"type\":\"content_block_delta\",\"index\":0,"
		   "\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}}\\n\\n\n"
		   "send event: error\\ndata: {\"type\":\"error\",\"error\":{\"type\":"
		   "\"overloaded_error\",\"message\":\"Overloaded\"}}\\n\\n\n";
	struct loom_generate_request request = talk(question, 1);

	ASSERT(world_run(script, NEW, &request));
	ASSERT_STR_EQ("Hel", text_of(0));
	ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[0].finish);
	ASSERT(strstr(world.asked.choices[0].err.text, "Overloaded"));
	PASS();
}

TEST an_overloaded_server_is_asked_again(void)
{
	struct loom_buf script = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_generate_request request = talk(question, 1);

	loom_buf_adds(&script,
		      "on POST /v1/messages\nstatus 529\nheader retry-after-ms: 5\n"
		      "type application/json\nsend {\"type\":\"error\",\"error\":{\"type\":"
		      "\"overloaded_error\",\"message\":\"Overloaded\"}}\n");
	loom_buf_adds(&script, answer);
	ASSERT(world_run(loom_buf_cstr(&script), NEW, &request));
	ASSERT_STR_EQ("Hello", text_of(0));
	ASSERT_EQ(2, fake_requests(&world.fake));
	loom_buf_fini(&script);
	PASS();
}

/* A message's last count may repeat what was read and leave out what came from a cache. */
TEST what_a_later_event_leaves_out_was_told_before(void)
{
	static const char script[] = ON
		"send data: {\"type\":\"message_start\",\"message\":{\"content\":[],\"usage\":{"
		"\"input_tokens\":10,\"cache_read_input_tokens\":3,\"cache_creation_input_tokens\":"
		"2,\"output_tokens\":1}}}\\n\\n\n"
		"send data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
		"\"text_delta\",\"text\":\"Hi\"}}\\n\\n\n"
		"send data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
		"\"usage\":{\"input_tokens\":10,\"output_tokens\":7}}\\n\\n\n"
		"send data: {\"type\":\"message_stop\"}\\n\\n\n";
	struct loom_generate_request request = talk(question, 1);

	ASSERT(world_run(script, NEW, &request));
	ASSERT(loom_str_is(loom_jval_get(record_of(0), "usage"),
			   "{\"in\":15,\"in_cached\":3,\"out\":7}"));
	PASS();
}

/* From 4.6 on the beginning of an answer is refused, and only behind it what is drawn otherwise. */
TEST each_generation_is_sent_what_it_takes(void)
{
	static const struct {
		const char *config;
		bool sampling;
	} cases[] = {
		{CONFIG("claude-sonnet-4-5", ""), true},
		{CONFIG("claude-opus-4-6", ""), true},
		{CONFIG("claude-opus-4-7", ""), false},
		{CONFIG("claude-new", ",\"caps\":{\"temperature\":true}"), true},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_generate_request request = talk(question, 1);

		request.voice.sampling = LOOM_STR("{\"temperature\":0.7,\"top_k\":40}");
		ASSERT(world_run(answer, cases[i].config, &request));
		ASSERT(sent(0, "temperature", cases[i].sampling ? "0.7" : NULL));
		ASSERT(sent(0, "top_k", cases[i].sampling ? "40" : NULL));
		world_close();
	}
	PASS();
}

/* It refuses a stop of blanks alone: such a one is looked for here. */
TEST a_stop_of_blanks_is_not_sent_and_stops_all_the_same(void)
{
	static const char script[] = ON
		"send data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
		"\"text_delta\",\"text\":\"One.\\\\n\\\\nTwo.\"}}\\n\\n\n"
		"send data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}"
		"\\n\\n\n"
		"send data: {\"type\":\"message_stop\"}\\n\\n\n";
	struct loom_generate_request request = talk(question, 1);

	request.voice.sampling = LOOM_STR("{\"stop\":[\"\\n\\n\",\"END\"]}");
	ASSERT(world_run(script, NEW, &request));
	ASSERT_STR_EQ("One.", text_of(0));
	ASSERT_EQ(LOOM_FINISH_STOP_TEXT, world.asked.choices[0].finish);
	ASSERT(sent(0, "stop_sequences", "[\"END\"]"));
	world_close();
	request = talk(question, 1);
	request.voice.sampling = LOOM_STR("{\"stop\":\"\\n\"}");
	ASSERT(world_run(script, NEW, &request));
	ASSERT_STR_EQ("One.", text_of(0));
	ASSERT(sent(0, "stop_sequences", NULL));
	PASS();
}

/* What was said to be its end is one, though the line breaks behind it; without it nothing is. */
TEST a_broken_stream_is_whole_when_its_end_was_told(void)
{
	static const char told[] = ON
		"send data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
		"\"text_delta\",\"text\":\"Hi\"}}\\n\\n\n"
		"send data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}"
		"\\n\\n\n";
	static const char untold[] =
		ON "send data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
		   "\"text_delta\",\"text\":\"Hi\"}}\\n\\n\n";
	struct loom_generate_request request = talk(question, 1);

	ASSERT(world_run(told, NEW, &request));
	ASSERT_STR_EQ("Hi", text_of(0));
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[0].finish);
	world_close();
	ASSERT(world_run(untold, NEW, &request));
	ASSERT_STR_EQ("Hi", text_of(0));
	ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[0].finish);
	PASS();
}

SUITE(anthropic)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(an_answers_text_is_taken_and_its_thinking_is_not);
	RUN_TEST(the_request_has_what_is_required_and_no_tools);
	RUN_TEST(an_older_one_takes_a_temperature_and_a_beginning);
	RUN_TEST(what_it_would_refuse_as_a_beginning_is_framed);
	RUN_TEST(several_choices_are_several_requests);
	RUN_TEST(its_ends_are_told_apart);
	RUN_TEST(an_error_in_the_stream_keeps_what_came);
	RUN_TEST(an_overloaded_server_is_asked_again);
	RUN_TEST(what_a_later_event_leaves_out_was_told_before);
	RUN_TEST(each_generation_is_sent_what_it_takes);
	RUN_TEST(a_stop_of_blanks_is_not_sent_and_stops_all_the_same);
	RUN_TEST(a_broken_stream_is_whole_when_its_end_was_told);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(anthropic);
	GREATEST_MAIN_END();
}
