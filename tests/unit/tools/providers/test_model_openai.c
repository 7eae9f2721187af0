/* The completions and chat endpoints in all their dialects. */
#include <greatest.h>

#include "support/voices.h"

#define COMPLETIONS                                                                                \
	"{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$P/v1/\"}},"    \
	"\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"some-base\"}}}"
#define CHAT                                                                                       \
	"{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$P/v1\"}},"     \
	"\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"some-chat\",\"endpoint\":\"chat\"}}}"
#define CHAT_PREFILL                                                                               \
	"{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$P/v1\"}},"     \
	"\"models\":{\"m\":{\"provider\":\"p\",\"endpoint\":\"chat\",\"caps\":{\"prefill\":true}}" \
	"}}"

#define SSE "type text/event-stream\n"

static const char three_choices[] =
	"on POST /v1/completions\n" SSE "send : OPENROUTER PROCESSING\\n\\n\n"
	"send data: {\"id\":\"c\",\"model\":\"served-1\",\"choices\":[{\"text\":\" "
	"one\",\"index\":0,"
	"\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}\\n\\n\n"
	"send data: {\"choices\":[{\"text\":\" "
	"zwei\",\"index\":1,\"finish_reason\":null}]}\\r\\n\\r\\n\n"
	"send data: {\"choices\":[{\"text\":\" tr\\xc3\n"
	"sleep 20\n"
	"send \\xa9s\",\"index\":2},{\"text\":\" more\",\"index\":0,"
	"\"finish_reason\":\"length\"}]}\\n\\n\n"
	"send data: {\"choices\":[{\"text\":\"\",\"index\":1,\"finish_reason\":\"stop\"}]}\\n\\n\n"
	"send data: "
	"{\"choices\":[{\"text\":\"\",\"index\":2,\"finish_reason\":\"content_filter\"}]}\\n\\n\n"
	"send data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":7,"
	"\"prompt_tokens_details\":{\"cached_tokens\":4},\"cost\":0.25}}\\n\\n\n"
	"send data: [DONE]\\n\\n\n";

TEST siblings_interleave_and_a_cut_character_is_whole(void)
{
	struct loom_generate_request request = go_on("The sea ", 3);

	ASSERT(world_run(three_choices, COMPLETIONS, &request));
	ASSERT_STR_EQ(" one more", text_of(0));
	ASSERT_STR_EQ(" zwei", text_of(1));
	ASSERT_STR_EQ(" tr\xC3\xA9s", text_of(2));
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[0].finish);
	ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[1].finish);
	ASSERT_EQ(LOOM_FINISH_FILTER, world.asked.choices[2].finish);
	ASSERT_EQ(1, fake_requests(&world.fake));
	PASS();
}

TEST the_request_says_what_was_resolved_and_no_tools(void)
{
	struct loom_generate_request request =
		go_on("A prompt that ends in a blank \xE2\x80\x94 ", 3);

	request.voice.sampling = LOOM_STR("{\"temperature\":0.5,\"stop\":[\"\\n\\n\"],\"seed\":9,"
					  "\"logprobs\":9}");
	ASSERT(world_run(three_choices, COMPLETIONS, &request));
	ASSERT(sent(0, "model", "\"some-base\""));
	ASSERT(sent(0, "prompt", "\"A prompt that ends in a blank \xE2\x80\x94 \""));
	ASSERT(sent(0, "max_tokens", "20"));
	ASSERT(sent(0, "n", "3"));
	ASSERT(sent(0, "temperature", "0.5"));
	ASSERT(sent(0, "top_p", "1"));
	ASSERT(sent(0, "stop", "[\"\\n\\n\"]"));
	ASSERT(sent(0, "seed", "9"));
	ASSERT(sent(0, "logprobs", "5")); /* as many as this endpoint gives */
	ASSERT(sent(0, "stream", "true"));
	ASSERT(sent(0, "tools", NULL));
	ASSERT(sent(0, "functions", NULL));
	ASSERT(sent(0, "top_k", NULL));
	PASS();
}

TEST the_record_holds_what_the_server_told(void)
{
	struct loom_generate_request request = go_on("x", 3);
	struct loom_str record;

	ASSERT(world_run(three_choices, COMPLETIONS, &request));
	record = record_of(0);
	ASSERT(loom_jval_says(loom_jval_get(record, "provider"), LOOM_STR("p")));
	ASSERT(loom_jval_says(loom_jval_get(record, "model"), LOOM_STR("some-base")));
	ASSERT(loom_jval_says(loom_jval_get(record, "served"), LOOM_STR("served-1")));
	ASSERT(loom_str_ends(loom_jval_get(record, "endpoint"), LOOM_STR("/v1/completions\"")));
	ASSERT(loom_jval_says(loom_jval_get(record, "strategy"), LOOM_STR("completion")));
	ASSERT(loom_str_is(loom_jval_get(record, "usage"),
			   "{\"in\":5,\"in_cached\":4,\"out\":7,\"cost\":0.25,\"choices\":3}"));
	/* the raw answer of a choice is what was said of it, and of all */
	record = loom_buf_str(&world.asked.choices[1].raw);
	ASSERT(loom_str_find(record, LOOM_STR(" zwei"), 0) != SIZE_MAX);
	ASSERT(loom_str_find(record, LOOM_STR(" one"), 0) == SIZE_MAX);
	ASSERT(loom_str_find(record, LOOM_STR("[DONE]"), 0) != SIZE_MAX);
	PASS();
}

TEST both_shapes_of_probabilities_are_read(void)
{
	static const char script[] =
		"on POST /v1/completions\n" SSE "send data: "
		"{\"choices\":[{\"index\":0,\"text\":\"a\\xce\\xb2\",\"logprobs\":{\"tokens\":"
		"[\"a\",\"\\xce\\xb2\"],\"token_logprobs\":[null,-0.5],\"top_logprobs\":[null,"
		"{\"\\xce\\xb2\":-0.5,\"c\":-1.5}],\"text_offset\":[0,1]}}]}\\n\\n\n"
		"send data: {\"choices\":[{\"index\":0,\"text\":\"x\",\"logprobs\":{\"content\":[{"
		"\"id\":7,\"token\":\"?\",\"bytes\":[226,130],\"logprob\":-2,\"top_logprobs\":[{"
		"\"token\":\"y\",\"bytes\":null,\"logprob\":-0.25}]}]},"
		"\"finish_reason\":\"stop\"}]}\\n\\n\n"
		"send data: [DONE]\\n\\n\n";
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run(script, COMPLETIONS, &request));
	ASSERT(loom_str_is(loom_jval_get(record_of(0), "logprobs"),
			   "[[\"\xCE\xB2\",-0.5,[[\"\xCE\xB2\",-0.5],[\"c\",-1.5]]],"
			   "[\"\xEF\xBF\xBD\xEF\xBF\xBD\",-2,[[\"y\",-0.25]],\"e282\"]]"));
	PASS();
}

TEST a_server_that_ignores_n_is_asked_again_for_the_rest(void)
{
	static const char script[] =
		"on POST /v1/completions\n" SSE "send data: {\"choices\":[{\"text\":\" "
		"a\",\"index\":0,\"finish_reason\":\"stop\"}]}\\n\\n\n"
		"send data: [DONE]\\n\\n\n";
	struct loom_generate_request request = go_on("x", 4);

	ASSERT(world_run(script, COMPLETIONS, &request));
	for (size_t i = 0; i < 4; i++) {
		ASSERT_STR_EQ(" a", text_of(i));
		ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[i].finish);
	}
	ASSERT_EQ(4, fake_requests(&world.fake));
	PASS();
}

TEST n_above_the_limit_becomes_parallel_requests(void)
{
	static const char config[] =
		"{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$P/v1\","
		"\"max_parallel\":2}},"
		"\"models\":{\"m\":{\"provider\":\"p\",\"caps\":{\"n\":1}}}}";
	static const char script[] =
		"on POST /v1/completions\n" SSE "sleep 60\n"
		"send data: {\"choices\":[{\"text\":\" a\",\"finish_reason\":\"stop\"}]}\\n\\n\n"
		"send data: [DONE]\\n\\n\n";
	struct loom_generate_request request = go_on("x", 5);

	ASSERT(world_run(script, config, &request));
	ASSERT_EQ(5, fake_requests(&world.fake));
	/* A connection that is done may still be closing while the next one opens. */
	ASSERT(fake_open_most(&world.fake) >= 2 && fake_open_most(&world.fake) <= 3);
	ASSERT(sent(0, "n", NULL));
	PASS();
}

TEST a_refused_n_is_split(void)
{
	static const char script[] =
		"on POST /v1/completions\nstatus 400\ntype application/json\n"
		"send {\"error\":{\"code\":400,\"message\":\"Field 'n': Value "
		"must be between 1 and 4\"}}\n"
		"on POST /v1/completions\n" SSE "send data: {\"choices\":[{\"text\":\" "
		"a\",\"index\":0,\"finish_reason\":\"stop\"}]}\\n\\n\n";
	struct loom_generate_request request = go_on("x", 6);

	ASSERT(world_run(script, COMPLETIONS, &request));
	for (size_t i = 0; i < 6; i++)
		ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[i].finish);
	ASSERT_EQ(7, fake_requests(&world.fake));
	PASS();
}

static const char chat_answer[] =
	"on POST /v1/chat/completions\n" SSE "send data: "
	"{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\\n\\n\n"
	"send data: "
	"{\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"reasoning\":\"hm\"}}]}\\n\\n\n"
	"send data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\\n\\n\n"
	"send data: "
	"{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"}}],\"obfuscation\":\"zz\"}"
	"\\n\\n\n"
	"send data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\\n\\n\n"
	"send data: "
	"{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\\n\\n\n"
	"send data: [DONE]\\n\\n\n";

TEST a_conversation_is_sent_as_messages(void)
{
	static const struct loom_prompt_message messages[] = {
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Hi")},
		{.role = LOOM_ROLE_ASSISTANT, .text = LOOM_STR_INIT("Ho")},
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("And? ")},
	};
	struct loom_generate_request request = go_on("", 1);

	request.system = LOOM_STR("Be brief.");
	request.messages = messages;
	request.message_count = 3;
	ASSERT(world_run(chat_answer, CHAT, &request));
	ASSERT_STR_EQ("Hello", text_of(0));
	ASSERT(sent(0, "messages",
		    "[{\"role\":\"system\",\"content\":\"Be brief.\"},"
		    "{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":"
		    "\"Ho\"},"
		    "{\"role\":\"user\",\"content\":\"And? \"}]"));
	ASSERT(sent(0, "max_tokens", "20"));
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "strategy"), LOOM_STR("chat")));
	PASS();
}

TEST a_text_for_a_chat_model_is_framed(void)
{
	struct loom_generate_request request = go_on("Once upon a time ", 1);

	ASSERT(world_run(chat_answer, CHAT, &request));
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "strategy"), LOOM_STR("framed")));
	ASSERT(loom_str_find(fake_body(&world.fake, 0), LOOM_STR("\\nOnce upon a time \\n"), 0) !=
	       SIZE_MAX);
	PASS();
}

/* It answers; only a subject goes on with what somebody has begun. */
TEST a_collaborator_is_never_framed(void)
{
	static const struct loom_prompt_message messages[] = {
		{.role = LOOM_ROLE_ASSISTANT, .text = LOOM_STR_INIT("Ho")},
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Hi")},
		{.role = LOOM_ROLE_ASSISTANT, .text = LOOM_STR_INIT("So")},
	};
	struct loom_generate_request request = go_on("", 1);

	request.voice.use = LOOM_GENERATE_COLLABORATOR;
	request.messages = messages;
	request.message_count = 3;
	ASSERT(world_run(chat_answer, CHAT, &request));
	ASSERT(sent(0, "messages",
		    "[{\"role\":\"assistant\",\"content\":\"Ho\"},{\"role\":\"user\",\"content\":"
		    "\"Hi\"},{\"role\":\"assistant\",\"content\":\"So\"}]"));
	PASS();
}

TEST a_repeated_prefill_is_taken_off_and_another_beginning_is_not(void)
{
	static const struct {
		const char *deltas[3];
		const char *text;
	} cases[] = {
		{{"Once upon a t", "ime there", " was"}, " there was"},
		{{" there", " was", "."}, " there was."},
		{{"Once upon a mattress", " she", " lay"}, "Once upon a mattress she lay"},
		{{"Once", " upon", ""}, "Once upon"},
		{{"Once upon a time", "", ""}, ""},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf script = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_generate_request request = go_on("Once upon a time", 1);

		loom_buf_adds(&script, "on POST /v1/chat/completions\n" SSE);
		for (size_t k = 0; k < 3; k++)
			loom_buf_addf(&script,
				      "send data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}"
				      "\\n\\n\n",
				      cases[i].deltas[k]);
		loom_buf_adds(&script, "send data: {\"choices\":[{\"delta\":{},\"finish_reason\":"
				       "\"stop\"}]}\\n\\n\nsend data: [DONE]\\n\\n\n");
		ASSERT(world_run(loom_buf_cstr(&script), CHAT_PREFILL, &request));
		ASSERT_STR_EQ(cases[i].text, text_of(0));
		ASSERT(loom_jval_says(loom_jval_get(record_of(0), "strategy"),
				      LOOM_STR("prefill")));
		ASSERT(loom_str_ends(loom_jval_get(loom_jval_of(fake_body(&world.fake, 0)),
						   "messages"),
				     LOOM_STR("{\"role\":\"assistant\",\"content\":\"Once upon a "
					      "time\"}]")));
		world_close();
		loom_buf_fini(&script);
	}
	PASS();
}

TEST a_base_model_reads_a_conversation_as_a_transcript(void)
{
	static const struct loom_prompt_message messages[] = {
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Hi")},
		{.role = LOOM_ROLE_ASSISTANT, .text = LOOM_STR_INIT("Ho")},
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("And?")},
	};
	static const char script[] =
		"on POST /v1/completions\n" SSE
		"send data: {\"choices\":[{\"text\":\" Well.\\\\n\\\\nUs\"}]}\\n\\n\n"
		"send data: {\"choices\":[{\"text\":\"er: again\"}]}\\n\\n\nhang\n";
	struct loom_generate_request request = go_on("", 1);

	request.messages = messages;
	request.message_count = 3;
	ASSERT(world_run(script, COMPLETIONS, &request));
	ASSERT_STR_EQ(" Well.", text_of(0));
	ASSERT_EQ(LOOM_FINISH_STOP_TEXT, world.asked.choices[0].finish);
	ASSERT(sent(0, "prompt",
		    "\"User: Hi\\n\\nAssistant: Ho\\n\\nUser: And?\\n\\nAssistant:\""));
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "strategy"), LOOM_STR("transcript")));
	PASS();
}

TEST odd_characters_arrive_as_far_as_they_are_characters(void)
{
	static const char script[] =
		"on POST /v1/completions\n" SSE
		"send data: {\"choices\":[{\"text\":\"a\\\\u0000b\"}]}\\n\\n\n"
		"send data: {\"choices\":[{\"text\":\"[\\\\ud83d]\"}]}\\n\\n\n"
		"send data: {\"choices\":[{\"text\":\"\\xc3\"}]}\\n\\n\n"
		"send data: {\"choices\":[{\"text\":\"\\\\ud83c\"}]}\\n\\n\n"
		"send data: {\"choices\":[{\"text\":\"\\\\udf33!\\\\udc00\"}]}\\n\\n\n"
		"send data: "
		"{\"choices\":[{\"text\":\"\\\\ud83d\",\"finish_reason\":\"length\"}]}\\n\\n\n"
		"send data: [DONE]\\n\\n\n";
	struct loom_generate_request request = go_on("x", 1);
	struct loom_str expected =
		LOOM_STR("a\0b[\xEF\xBF\xBD]\xEF\xBF\xBD\xF0\x9F\x8C\xB3!\xEF\xBF\xBD");

	ASSERT(world_run(script, COMPLETIONS, &request));
	ASSERT(loom_str_eq(expected, loom_buf_str(&world.asked.choices[0].text)));
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[0].finish);
	PASS();
}

TEST one_document_is_taken_for_a_stream(void)
{
	static const char script[] =
		"on POST /v1/completions\ntype application/json; charset=utf-8\nbytewise 0\n"
		"send {\"choices\":[{\"index\":1,\"text\":\" b\",\"finish_reason\":\"length\"},"
		"{\"index\":0,\"text\":\" a\",\"finish_reason\":\"stop\"}],\"usage\":"
		"{\"prompt_tokens\":1,\"completion_tokens\":2}}\n";
	struct loom_generate_request request = go_on("x", 2);

	ASSERT(world_run(script, COMPLETIONS, &request));
	ASSERT_STR_EQ(" a", text_of(0));
	ASSERT_STR_EQ(" b", text_of(1));
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[1].finish);
	PASS();
}

TEST the_same_stream_cut_into_bytes_gives_the_same_texts(void)
{
	struct loom_buf script = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_generate_request request = go_on("The sea ", 3);

	loom_buf_adds(&script, "on POST /v1/completions\nbytewise 0\n");
	loom_buf_adds(&script, three_choices + strlen("on POST /v1/completions\n"));
	ASSERT(world_run(loom_buf_cstr(&script), COMPLETIONS, &request));
	ASSERT_STR_EQ(" one more", text_of(0));
	ASSERT_STR_EQ(" zwei", text_of(1));
	loom_buf_fini(&script);
	PASS();
}

TEST an_event_of_a_megabyte_is_read(void)
{
	static const char script[] =
		"on POST /v1/completions\n" SSE "send data: {\"choices\":[{\"text\":\"\n"
		"repeat 100000 0123456789\n"
		"send \",\"finish_reason\":\"stop\"}]}\\n\\n\n";
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run(script, COMPLETIONS, &request));
	ASSERT_EQ(1000000, (int)world.asked.choices[0].text.n);
	PASS();
}

TEST extra_members_join_the_request(void)
{
	static const char config[] =
		"{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$P/v1\","
		"\"headers\":{\"X-Title\":\"loom\"}}},\"models\":{\"m\":{\"provider\":\"p\","
		"\"extra_body\":{\"provider\":{\"require_parameters\":true}},"
		"\"caps\":{\"temperature\":false,\"stop\":0,\"stream\":false}}}}";
	static const char script[] =
		"on POST /v1/completions\ntype application/json\n"
		"send {\"choices\":[{\"text\":\"a STOP b\",\"finish_reason\":\"stop\"}]}\n";
	struct loom_generate_request request = go_on("x", 1);

	request.voice.sampling = LOOM_STR("{\"stop\":\"STOP\"}");
	ASSERT(world_run(script, config, &request));
	ASSERT(sent(0, "provider", "{\"require_parameters\":true}"));
	ASSERT(sent(0, "temperature", NULL));
	ASSERT(sent(0, "stop", NULL));
	ASSERT(sent(0, "stream", "false"));
	ASSERT(loom_str_find(fake_log(&world.fake), LOOM_STR("X-Title: loom\r\n"), 0) != SIZE_MAX);
	ASSERT_STR_EQ("a ", text_of(0)); /* a stop text that was looked for here */
	PASS();
}

SUITE(completions)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(siblings_interleave_and_a_cut_character_is_whole);
	RUN_TEST(the_request_says_what_was_resolved_and_no_tools);
	RUN_TEST(the_record_holds_what_the_server_told);
	RUN_TEST(both_shapes_of_probabilities_are_read);
	RUN_TEST(a_server_that_ignores_n_is_asked_again_for_the_rest);
	RUN_TEST(n_above_the_limit_becomes_parallel_requests);
	RUN_TEST(a_refused_n_is_split);
	RUN_TEST(a_base_model_reads_a_conversation_as_a_transcript);
	RUN_TEST(odd_characters_arrive_as_far_as_they_are_characters);
	RUN_TEST(one_document_is_taken_for_a_stream);
	RUN_TEST(the_same_stream_cut_into_bytes_gives_the_same_texts);
	RUN_TEST(an_event_of_a_megabyte_is_read);
	RUN_TEST(extra_members_join_the_request);
}

SUITE(chat)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_conversation_is_sent_as_messages);
	RUN_TEST(a_text_for_a_chat_model_is_framed);
	RUN_TEST(a_collaborator_is_never_framed);
	RUN_TEST(a_repeated_prefill_is_taken_off_and_another_beginning_is_not);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(completions);
	RUN_SUITE(chat);
	GREATEST_MAIN_END();
}
