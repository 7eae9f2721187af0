/* llama.cpp's own endpoint, and its chat. */
#include <greatest.h>

#include "support/voices.h"

#define NATIVE                                                                                     \
	"{\"providers\":{\"p\":{\"api\":\"llamacpp\",\"base_url\":\"http://127.0.0.1:$P\"}},"      \
	"\"models\":{\"m\":{\"provider\":\"p\"}}}"
#define CHAT                                                                                       \
	"{\"providers\":{\"p\":{\"api\":\"llamacpp\",\"base_url\":\"http://127.0.0.1:$P\"}},"      \
	"\"models\":{\"m\":{\"provider\":\"p\",\"endpoint\":\"chat\"}}}"

static const char streamed[] =
	"on POST /completion\ntype text/event-stream\n"
	"send data: {\"index\":1,\"content\":\" b\",\"tokens\":[9],\"stop\":false}\\n\\n\n"
	"send data: {\"index\":0,\"content\":\" a\",\"tokens\":[383],\"stop\":false,"
	"\"completion_probabilities\":[{\"id\":383,\"token\":\" a\",\"bytes\":[32,97],"
	"\"logprob\":-0.5,\"top_logprobs\":[{\"id\":383,\"token\":\" a\",\"bytes\":[32,97],"
	"\"logprob\":-0.5}]}]}\\n\\n\n"
	"send : ping\\n\\n\n"
	"send data: "
	"{\"index\":0,\"content\":\"\",\"tokens\":[],\"stop\":true,\"stop_type\":\"word\","
	"\"stopping_word\":\"END\",\"tokens_predicted\":3,\"tokens_evaluated\":5,"
	"\"timings\":{\"prompt_n\":1,\"predicted_n\":3}}\\n\\n\n"
	"send data: {\"index\":1,\"content\":\"\",\"stop\":true,\"stop_type\":\"limit\","
	"\"tokens_predicted\":2,\"tokens_evaluated\":5}\\n\\n\n"
	"send data: {\"index\":2,\"content\":\"\",\"stop\":true,\"stop_type\":\"eos\"}\\n\\n\n";

TEST choices_stream_each_with_its_own_end_and_numbers(void)
{
	struct loom_generate_request request = go_on("x", 3);

	ASSERT(world_run(streamed, NATIVE, &request));
	ASSERT_STR_EQ(" a", text_of(0));
	ASSERT_STR_EQ(" b", text_of(1));
	ASSERT_STR_EQ("", text_of(2));
	ASSERT_EQ(LOOM_FINISH_STOP_TEXT, world.asked.choices[0].finish);
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[1].finish);
	ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[2].finish);
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "stop"), LOOM_STR("END")));
	ASSERT(loom_str_is(loom_jval_get(record_of(0), "usage"),
			   "{\"in\":5,\"in_cached\":4,\"out\":3}"));
	ASSERT(loom_str_is(loom_jval_get(record_of(1), "usage"), "{\"in\":5,\"out\":2}"));
	ASSERT(loom_str_is(loom_jval_get(record_of(0), "logprobs"),
			   "[[\" a\",-0.5,[[\" a\",-0.5]]]]"));
	PASS();
}

TEST the_servers_own_defaults_are_set_aside(void)
{
	struct loom_generate_request request = go_on("x ", 3);

	request.voice.sampling = LOOM_STR("{\"logprobs\":5,\"min_p\":0.05}");
	ASSERT(world_run(streamed, NATIVE, &request));
	ASSERT(sent(0, "prompt", "\"x \""));
	ASSERT(sent(0, "n_predict", "20"));
	ASSERT(sent(0, "top_k", "0"));
	ASSERT(sent(0, "top_p", "1"));
	ASSERT(sent(0, "min_p", "0.05"));
	ASSERT(sent(0, "repeat_penalty", "1"));
	ASSERT(sent(0, "temperature", "1"));
	ASSERT(sent(0, "n_cmpl", "3"));
	ASSERT(sent(0, "n_probs", "5"));
	ASSERT(sent(0, "tools", NULL));
	PASS();
}

TEST a_list_of_whole_answers_is_read(void)
{
	static const char script[] =
		"on POST /completion\ntype application/json\n"
		"send [{\"index\":0,\"content\":\" a\",\"stop\":true,\"stop_type\":\"eos\"},"
		"{\"index\":1,\"content\":\" b\",\"stop\":true,\"stop_type\":\"limit\"}]\n";
	struct loom_generate_request request = go_on("x", 2);

	ASSERT(world_run(script, NATIVE, &request));
	ASSERT_STR_EQ(" a", text_of(0));
	ASSERT_STR_EQ(" b", text_of(1));
	PASS();
}

TEST more_choices_than_slots_are_split(void)
{
	static const char script[] =
		"on POST /completion\nstatus 400\ntype application/json\nsend "
		"{\"error\":{\"code\":400,"
		"\"message\":\"Field 'n_cmpl': Value must be between 1 <= value <= 1\"}}\n"
		"on POST /completion\ntype text/event-stream\n"
		"send data: {\"index\":0,\"content\":\" "
		"a\",\"stop\":true,\"stop_type\":\"eos\"}\\n\\n\n";
	static const char *const seeds[] = {"7", "8", "9"};
	struct loom_generate_request request = go_on("x", 3);

	request.voice.sampling = LOOM_STR("{\"seed\":7}");
	ASSERT(world_run(script, NATIVE, &request));
	ASSERT_EQ(4, fake_requests(&world.fake));
	for (size_t i = 0; i < 3; i++) {
		struct loom_str drawn = loom_jval_get(record_of(i), "parameters");
		int asked = 0; /* they come in any order */

		ASSERT_STR_EQ(" a", text_of(i));
		ASSERT(loom_str_is(loom_jval_get(drawn, "seed"), seeds[i]));
		for (int at = 1; at < 4; at++)
			asked += sent(at, "seed", seeds[i]);
		ASSERT_EQ(1, asked);
	}
	PASS();
}

TEST a_server_that_is_still_loading_is_asked_again(void)
{
	static const char script[] =
		"on POST /completion\nstatus 503\ntype application/json\nsend "
		"{\"error\":{\"code\":503,"
		"\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}\n"
		"on POST /completion\ntype text/event-stream\n"
		"send data: {\"content\":\" a\",\"stop\":true}\\n\\n\n";
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run(script, NATIVE, &request));
	ASSERT_STR_EQ(" a", text_of(0));
	ASSERT(loom_str_is(loom_jval_get(record_of(0), "tries"), "2"));
	PASS();
}

TEST its_chat_goes_on_with_a_beginning_that_it_repeats(void)
{
	static const struct loom_prompt_message messages[] = {
		{.role = LOOM_ROLE_USER, .text = LOOM_STR_INIT("Tell me.")},
		{.role = LOOM_ROLE_ASSISTANT, .text = LOOM_STR_INIT("Once upon")},
	};
	static const char script[] =
		"on POST /v1/chat/completions\ntype text/event-stream\n"
		"send data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Once upon "
		"a\"}}]}\\n\\n\n"
		"send data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" time\"},"
		"\"finish_reason\":\"length\"}]}\\n\\n\nsend data: [DONE]\\n\\n\n";
	struct loom_generate_request request = go_on("", 1);

	request.messages = messages;
	request.message_count = 2;
	ASSERT(world_run(script, CHAT, &request));
	ASSERT_STR_EQ(" a time", text_of(0));
	ASSERT(loom_jval_says(loom_jval_get(record_of(0), "strategy"), LOOM_STR("prefill")));
	PASS();
}

TEST a_loopback_server_needs_no_configuration(void)
{
	struct loom_generate_request request = go_on("x", 1);

	world_open("", "{}");
	request.voice.model = LOOM_STR("llamacpp/whatever");
	/* nothing listens there in a test's world, or something else does: it must only be asked */
	ASSERT_EQ(LOOM_OK, asked_start(&world.asked, &request, &world.err));
	world.asked.generator->cancel(world.asked.generator->ctx, world.asked.generation,
				      LOOM_CHOICES_ALL);
	ASSERT(asked_wait(&world.asked, 2000));
	PASS();
}

SUITE(llamacpp)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(choices_stream_each_with_its_own_end_and_numbers);
	RUN_TEST(the_servers_own_defaults_are_set_aside);
	RUN_TEST(a_list_of_whole_answers_is_read);
	RUN_TEST(more_choices_than_slots_are_split);
	RUN_TEST(a_server_that_is_still_loading_is_asked_again);
	RUN_TEST(its_chat_goes_on_with_a_beginning_that_it_repeats);
	RUN_TEST(a_loopback_server_needs_no_configuration);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(llamacpp);
	GREATEST_MAIN_END();
}
