/* Voices over servers that fail: how often they are asked, what is kept, where the key goes. */
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include "support/clock.h"
#include "support/ok.h"
#include "support/temp.h"
#include "support/voices.h"

#include <loom/tree/open_store.h>

#define PROVIDER "\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$P/v1\",\"idle_timeout\":0.4"
#define MODEL    "\"models\":{\"m\":{\"provider\":\"p\",\"caps\":{\"n\":1}}}"
#define PLAIN    "{\"providers\":{\"p\":{" PROVIDER "}}," MODEL "}"
#define KEYED    "{\"providers\":{\"p\":{" PROVIDER ",\"key_env\":\"CANARY_KEY\"}}," MODEL "}"
#define ON       "on POST /v1/completions\n"
#define GOOD                                                                                       \
	ON "type text/event-stream\n"                                                              \
	   "send data: {\"choices\":[{\"text\":\" fine\",\"finish_reason\":\"stop\"}]}\\n\\n\n"    \
	   "send data: [DONE]\\n\\n\n"
#define PART                                                                                       \
	ON "type text/event-stream\n"                                                              \
	   "send data: {\"choices\":[{\"text\":\" some \\xe2\\x82\\xac text\"}]}\\n\\n\n"
#define REFUSE(status, rest)                                                                       \
	ON "status " status "\ntype application/json\n" rest                                       \
	   "send {\"error\":{\"message\":\"no, said the server\",\"code\":null}}\n"

/* what the server does · how often it is asked · what comes of it */
struct fault {
	const char *script;
	int requests;
	enum loom_finish finish;
	const char *text;
	const char *says;
};

static enum greatest_test_res expect(const struct fault *fault)
{
	struct loom_generate_request request = go_on("x", 1);
	const struct asked_choice *choice = NULL;

	ASSERTm(fault->script, world_run(fault->script, PLAIN, &request));
	choice = &world.asked.choices[0];
	ASSERT_EQm(fault->script, fault->finish, choice->finish);
	ASSERT_EQm(fault->script, fault->requests, fake_requests(&world.fake));
	ASSERT_STR_EQm(fault->script, fault->text, text_of(0));
	ASSERTm(choice->err.text, strstr(choice->err.text, fault->says) != NULL);
	if (fault->finish == LOOM_FINISH_ERROR) {
		ASSERT_EQ(LOOM_MODEL, choice->err.status);
		ASSERT(loom_str_is(loom_jval_get(record_of(0), "partial"), "true"));
		ASSERT(loom_jval_says(loom_jval_get(loom_jval_get(record_of(0), "error"), "text"),
				      loom_str_of(choice->err.text)));
	}
	PASS();
}

#define EACH(faults)                                                                               \
	for (size_t i = 0; i < LOOM_COUNT(faults); i++)                                            \
		CHECK_CALL(expect(&(faults)[i]));

TEST what_may_help_is_tried_three_times_and_no_more(void)
{
	static const struct fault faults[] = {
		{ON "close\n" GOOD, 2, LOOM_FINISH_STOP, " fine", ""},
		{ON "reset\n" ON "close\n" GOOD, 3, LOOM_FINISH_STOP, " fine", ""},
		{ON "close\n", 3, LOOM_FINISH_ERROR, "", "cannot be reached"},
		{REFUSE("500", "") REFUSE("503", "header Retry-After: 0\n") GOOD, 3,
		 LOOM_FINISH_STOP, " fine", ""},
		{REFUSE("529", "header retry-after-ms: 10\n"), 3, LOOM_FINISH_ERROR, "",
		 "answered 529: no, said the server"},
		{REFUSE("429", "header Retry-After: 0\n") GOOD, 2, LOOM_FINISH_STOP, " fine", ""},
		{REFUSE("429", "header Retry-After: Thu, 01 Jan 1970 00:00:00 GMT\n") GOOD, 2,
		 LOOM_FINISH_STOP, " fine", ""},
		{REFUSE("408", "header Retry-After: 0\n") GOOD, 2, LOOM_FINISH_STOP, " fine", ""},
		{REFUSE("409", "header Retry-After: 0\n") GOOD, 2, LOOM_FINISH_STOP, " fine", ""},
		{REFUSE("400", "header x-should-retry: true\nheader retry-after-ms: 1\n") GOOD, 2,
		 LOOM_FINISH_STOP, " fine", ""},
		{ON "status 502\ntype text/html\nheader Retry-After: 0\nsend <h1>Bad</h1>\n" GOOD,
		 2, LOOM_FINISH_STOP, " fine", ""},
	};

	EACH(faults)
	PASS();
}

TEST what_cannot_help_is_not_tried_again(void)
{
	static const struct fault faults[] = {
		{REFUSE("400", ""), 1, LOOM_FINISH_ERROR, "", "answered 400"},
		{REFUSE("401", ""), 1, LOOM_FINISH_ERROR, "", "answered 401"},
		{REFUSE("402", ""), 1, LOOM_FINISH_ERROR, "", "answered 402"},
		{REFUSE("403", ""), 1, LOOM_FINISH_ERROR, "", "answered 403"},
		{REFUSE("404", ""), 1, LOOM_FINISH_ERROR, "", "answered 404"},
		{REFUSE("413", ""), 1, LOOM_FINISH_ERROR, "", "answered 413"},
		{REFUSE("500", "header x-should-retry: false\n"), 1, LOOM_FINISH_ERROR, "",
		 "answered 500"},
		{REFUSE("429", "header Retry-After: 3600\n"), 1, LOOM_FINISH_ERROR, "",
		 "answered 429"},
		{ON "status 429\ntype application/json\nsend {\"error\":{\"message\":\"pay\","
		    "\"code\":\"insufficient_quota\"}}\n",
		 1, LOOM_FINISH_ERROR, "", "answered 429: pay"},
		{ON "status 307\nheader Location: http://127.0.0.1:\\P/other\n"
		    "on POST /other\nsend no\n",
		 1, LOOM_FINISH_ERROR, "", "redirects to http://127.0.0.1"},
		{ON "hang\n", 1, LOOM_FINISH_ERROR, "",
		 "was asked and did not answer: nothing arrived for 0.4 s"},
		{ON "headers 100000\nsend x\n", 1, LOOM_FINISH_ERROR, "",
		 "broke off: the answer's head is larger than 65536 bytes"},
		{ON "type text/html\nsend <h1>Log in</h1>\n", 1, LOOM_FINISH_ERROR, "",
		 "answered with text/html"},
		{ON "type text/event-stream\nheader Content-Encoding: gzip\nsend \\x1f\\x8b\\x08\n",
		 1, LOOM_FINISH_ERROR, "", "compressed"},
		{ON "type application/json\nsend {\"choices\":[]}\n", 1, LOOM_FINISH_ERROR, "",
		 "without any content"},
		{ON "type application/json\nsend {\"error\":\"full\"}\n", 1, LOOM_FINISH_ERROR, "",
		 "full"},
		{ON "type text/event-stream\n", 1, LOOM_FINISH_ERROR, "", "broke off"},
		{ON "type text/event-stream\nsend data: {\"choices\":[{\"te\\n\\n\n", 1,
		 LOOM_FINISH_ERROR, "", "not JSON"},
	};

	EACH(faults)
	PASS();
}

TEST what_arrived_is_kept_and_said_to_be_partial(void)
{
	static const struct fault faults[] = {
		{PART, 1, LOOM_FINISH_ERROR, " some € text", "broke off"},
		{PART "hang\n" GOOD, 1, LOOM_FINISH_ERROR, " some € text",
		 "nothing arrived for 0.4 s"},
		{PART "sleep 20\nreset\n" GOOD, 1, LOOM_FINISH_ERROR, " some € text", "broke off"},
		{PART "send data: {\"error\":{\"code\":502,\"message\":\"upstream\"},\"choices\":"
		      "[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}\\n\\n\n" GOOD,
		 1, LOOM_FINISH_ERROR, " some € text", "upstream"},
		{PART "send data: {\"choices\":[{\"text\":\" cut of\n" GOOD, 1, LOOM_FINISH_ERROR,
		 " some € text", "broke off"},
		{PART "send data: nonsense\\n\\n\n", 1, LOOM_FINISH_ERROR, " some € text",
		 "not JSON: nonsense"},
		{PART "repeat 900000 : 01234567890\\n\n", 1, LOOM_FINISH_ERROR, " some € text",
		 "larger than 8388608"},
	};

	EACH(faults)
	PASS();
}

TEST an_end_that_is_said_without_a_mark_is_an_end(void)
{
	static const struct fault faults[] = {
		{ON "type text/event-stream\nsend data: {\"choices\":[{\"text\":\" fine\","
		    "\"finish_reason\":\"stop\"}]}\\n\\n\n",
		 1, LOOM_FINISH_STOP, " fine", ""},
		{PART "send data: [DONE]\\n\\n\nhang\n", 1, LOOM_FINISH_STOP, " some € text", ""},
		{PART "send data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"length\"}]}"
		      "\\n\\n\nreset\n",
		 1, LOOM_FINISH_LENGTH, " some € text", ""},
	};

	EACH(faults)
	PASS();
}

TEST a_server_that_is_not_there_is_said_to_be_so(void)
{
	static const char config[] = "{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":"
				     "\"http://127.0.0.1:1/v1\"}}," MODEL "}";
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run("", config, &request));
	ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[0].finish);
	ASSERT(strstr(world.asked.choices[0].err.hint, "is a server running at"));
	PASS();
}

TEST http_to_elsewhere_is_refused_before_anything_begins(void)
{
	static const char *const urls[] = {"http://192.168.1.5:8080/v1", "ftp://127.0.0.1/v1", "x",
					   "http://example.com"};

	for (size_t i = 0; i < LOOM_COUNT(urls); i++) {
		struct loom_buf config = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_generate_request request = go_on("x", 1);

		loom_buf_addf(
			&config,
			"{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":\"%s\"}}," MODEL
			"}",
			urls[i]);
		world_open("", loom_buf_cstr(&config));
		ASSERT_EQ(LOOM_MODEL, asked_start(&world.asked, &request, &world.err));
		ASSERT(world.err.hint[0]);
		world_close();
		loom_buf_fini(&config);
	}
	PASS();
}

/* ---- cancelling ---- */

TEST cancelling_ends_all_within_a_fifth_of_a_second(void)
{
	struct loom_generate_request request = go_on("x", 6);
	int64_t began = 0;

	world_open(PART "hang\n", PLAIN);
	ASSERT_EQ(LOOM_OK, asked_start(&world.asked, &request, &world.err));
	while (world.asked.chunks < 4) /* as many as run at once */
		(void)loom_loop_step(world.loop, 50);
	began = loom_env_boot();
	world.asked.generator->cancel(world.asked.generator->ctx, world.asked.generation,
				      LOOM_CHOICES_ALL);
	ASSERT(asked_wait(&world.asked, 20000));
	for (size_t i = 0; i < 6; i++) {
		ASSERT_EQ(LOOM_FINISH_CANCELLED, world.asked.choices[i].finish);
		ASSERT(world.asked.choices[i].ended_at - began < clock_limit(200));
		ASSERT_STR_EQ(i < 4 ? " some € text" : "", text_of(i));
	}
	while (fake_hangups(&world.fake) < 4 && loom_env_boot() - began < 20000)
		(void)loom_loop_step(world.loop, 10);
	ASSERT_EQ(4, fake_hangups(&world.fake));
	ASSERT_EQ(4, fake_requests(&world.fake)); /* the others were never asked for */
	PASS();
}

TEST one_is_cancelled_and_the_next_takes_its_place(void)
{
	static const char script[] = PART "hang\n" PART "hang\n" PART "hang\n" PART "hang\n" GOOD;
	struct loom_generate_request request = go_on("x", 5);

	world_open(script, PLAIN);
	world.asked.cancel_at = 4;
	world.asked.cancel = 0;
	ASSERT(asked_run(&world.asked, &request, &world.err));
	ASSERT_EQ(LOOM_FINISH_CANCELLED, world.asked.choices[0].finish);
	ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[4].finish);
	ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[1].finish); /* it hung */
	PASS();
}

TEST cancelling_ends_the_wait_for_another_try(void)
{
	struct loom_generate_request request = go_on("x", 2);
	int64_t began = loom_env_boot();

	world_open(REFUSE("429", "header Retry-After: 30\n"), PLAIN);
	ASSERT_EQ(LOOM_OK, asked_start(&world.asked, &request, &world.err));
	while (fake_requests(&world.fake) < 2 && loom_env_boot() - began < 20000)
		(void)loom_loop_step(world.loop, 20);
	for (int i = 0; i < 5; i++)
		(void)loom_loop_step(world.loop, 20);
	world.asked.generator->cancel(world.asked.generator->ctx, world.asked.generation,
				      LOOM_CHOICES_ALL);
	ASSERT(asked_wait(&world.asked, 500));
	ASSERT_EQ(LOOM_FINISH_CANCELLED, world.asked.choices[1].finish);
	/* and whoever waits had been told how long and why */
	ASSERT(world.asked.waits > 0);
	ASSERT(world.asked.waits_ms > 29000 && world.asked.waits_ms <= 30000);
	ASSERT_STR_EQ("p answered 429: no, said the server", world.asked.waits_why.text);
	PASS();
}

TEST voices_may_go_away_with_requests_under_way(void)
{
	static const char *const scripts[] = {PART "hang\n", ON "hang\n",
					      REFUSE("429", "header Retry-After: 30\n")};

	for (size_t i = 0; i < LOOM_COUNT(scripts); i++) {
		struct loom_generate_request request = go_on("x", 6);

		world_open(scripts[i], KEYED);
		ASSERT_EQ(LOOM_OK, asked_start(&world.asked, &request, &world.err));
		while (fake_requests(&world.fake) < 2)
			(void)loom_loop_step(world.loop, 20);
		(void)loom_loop_step(world.loop, 20);
		world_close();
		ASSERT_EQ(0, world.asked.done);
	}
	PASS();
}

/* ---- keys ---- */

static bool holds_key(void)
{
	if (strstr(world.asked.waits_why.text, CANARY))
		return true;
	for (size_t i = 0; i < ASKED_MAX; i++) {
		const struct asked_choice *choice = &world.asked.choices[i];

		if (strstr(loom_buf_cstr(&choice->text), CANARY) ||
		    strstr(loom_buf_cstr(&choice->chunks), CANARY) ||
		    strstr(loom_buf_cstr(&choice->raw), CANARY) ||
		    strstr(loom_buf_cstr(&choice->record), CANARY) ||
		    strstr(choice->err.text, CANARY) || strstr(choice->err.hint, CANARY))
			return true;
	}
	return false;
}

TEST the_key_goes_to_its_origin_and_nowhere_else(void)
{
	/* the server does its best to have it written down */
	static const char *const scripts[] = {
		GOOD,
		ON "status 401\ntype application/json\nsend {\"error\":{\"message\":\"bad key "
		   "\\A\"}}\n",
		ON "status 302\nheader Location: http://127.0.0.1:\\P/\\A\n",
		ON "type text/\\A\nsend x\n",
		ON "type text/event-stream\nsend data: {\"model\":\"\\A\",\"choices\":[{\"text\":"
		   "\"it is \\A\",\"finish_reason\":\"stop\"}]}\\n\\n\n",
		ON "type text/event-stream\nbytewise 0\nsend data: {\"choices\":[{\"text\":"
		   "\"\\A\",\"logprobs\":{\"tokens\":[\"\\A\"],\"token_logprobs\":[-1]}}]}\\n\\n\n",
		ON "type text/event-stream\nsend data: {\"choices\":[{\"text\":\""
		   "canary-4f1d"
		   "\"}]}\\n\\n\nsend data: {\"choices\":[{\"text\":\"-key-9b2e\"}]}\\n\\n\n",
		ON "type text/event-stream\nsend data: {\"error\":{\"message\":\"\\A\"}}\\n\\n\n",
		ON "type text/event-stream\nsend data: \\A\\n\\n\n",
	};

	for (size_t i = 0; i < LOOM_COUNT(scripts); i++) {
		struct loom_generate_request request = go_on("x", 1);

		request.voice.sampling = LOOM_STR("{\"logprobs\":2}");
		ASSERTm(scripts[i], world_run(scripts[i], KEYED, &request));
		ASSERT(loom_str_find(fake_log(&world.fake),
				     LOOM_STR("Authorization: Bearer " CANARY "\r\n"),
				     0) != SIZE_MAX);
		ASSERT(loom_str_find(fake_body(&world.fake, 0), LOOM_STR(CANARY), 0) == SIZE_MAX);
		ASSERTm(scripts[i], !holds_key());
		world_close();
	}
	PASS();
}

TEST without_a_key_none_is_sent(void)
{
	struct loom_generate_request request = go_on("x", 1);

	ASSERT(world_run(GOOD, PLAIN, &request));
	ASSERT_EQ(SIZE_MAX, loom_str_find(fake_log(&world.fake), LOOM_STR("Authorization"), 0));
	PASS();
}

TEST a_program_that_was_told_a_key_leaves_no_core(void)
{
	struct loom_generate_request request = go_on("x", 1);
	struct rlimit limit;

	ASSERT_EQ(0, getrlimit(RLIMIT_CORE, &limit));
	limit.rlim_cur = limit.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_CORE, &limit));
	ASSERT(world_run(GOOD, KEYED, &request));
	ASSERT_EQ(0, getrlimit(RLIMIT_CORE, &limit));
	ASSERT_EQ(0, limit.rlim_cur);
	world_close();
	PASS();
}

TEST a_key_that_is_missing_is_said_before_anything_begins(void)
{
	static const char *const configs[] = {
		"{\"providers\":{\"p\":{" PROVIDER ",\"key_env\":\"NO_SUCH_KEY\"}}," MODEL "}",
		"{\"providers\":{\"p\":{" PROVIDER ",\"key_file\":\"/nonexistent/key\"}}," MODEL
		"}",
	};

	for (size_t i = 0; i < LOOM_COUNT(configs); i++) {
		struct loom_generate_request request = go_on("x", 1);

		world_open(GOOD, configs[i]);
		ASSERT_EQ(LOOM_MODEL, asked_start(&world.asked, &request, &world.err));
		ASSERT(world.err.hint[0]);
		ASSERT_EQ(0, fake_requests(&world.fake));
		world_close();
	}
	PASS();
}

TEST a_key_file_is_read_when_nobody_else_can(void)
{
	struct loom_buf config = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct temp temp;
	char *path = NULL;

	temp_init(&temp);
	path = temp_path(&temp, "key");
	temp_write(&temp, "key", LOOM_STR("\n  " CANARY "\n\n"));
	loom_buf_addf(&config,
		      "{\"providers\":{\"p\":{" PROVIDER ",\"key_file\":\"%s\"}}," MODEL "}", path);
	for (int i = 0; i < 3; i++) {
		static const mode_t modes[] = {0600, 0640, 0604};
		struct loom_generate_request request = go_on("x", 1);

		ASSERT_EQ(0, chmod(path, modes[i]));
		world_open(GOOD, loom_buf_cstr(&config));
		ASSERT_EQ(i ? LOOM_MODEL : LOOM_OK,
			  asked_start(&world.asked, &request, &world.err));
		if (!i) {
			ASSERT(asked_wait(&world.asked, 5000));
			ASSERT(loom_str_find(fake_log(&world.fake),
					     LOOM_STR("Bearer " CANARY "\r\n"), 0) != SIZE_MAX);
		} else {
			ASSERT(strstr(world.err.hint, "chmod 600"));
		}
		world_close();
	}
	free(path);
	loom_buf_fini(&config);
	temp_fini(&temp);
	PASS();
}

/* Asks with a key file at that path, and expects that it is refused with such words, unsent. */
static bool refuses_file(const char *path, const char *words)
{
	struct loom_buf config = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_generate_request request = go_on("x", 1);
	bool refused;

	loom_buf_addf(&config,
		      "{\"providers\":{\"p\":{" PROVIDER ",\"key_file\":\"%s\"}}," MODEL "}", path);
	world_open(GOOD, loom_buf_cstr(&config));
	refused = asked_start(&world.asked, &request, &world.err) == LOOM_MODEL &&
		  strstr(world.err.text, words) && strstr(world.err.text, path) &&
		  world.err.hint[0] && fake_requests(&world.fake) == 0 && !holds_key();
	if (!refused)
		fprintf(stderr, "%s: %s\n", path, world.err.text);
	world_close();
	loom_buf_fini(&config);
	return refused;
}

TEST a_key_file_of_several_lines_or_of_a_project_is_refused(void)
{
	struct loom_env env;
	struct loom_err err;
	struct temp temp;
	char *key = NULL;
	char *inner = NULL;
	char *link_of = NULL;

	temp_init(&temp);
	key = temp_path(&temp, "key");
	link_of = temp_path(&temp, "link");
	inner = temp_path(&temp, "project/deep/key");
	temp_write_mode(&temp, "key", LOOM_STR(CANARY "\n"), 0600);
	ASSERT_EQ(0, symlink(key, link_of));
	ASSERT(refuses_file(link_of, "is a symbolic link"));
	temp_write_mode(&temp, "key", LOOM_STR(CANARY "\nsecond\n"), 0600);
	ASSERT(refuses_file(key, "has 2 lines"));
	temp_write_mode(&temp, "key", LOOM_STR("\nfirst\n\n" CANARY), 0600);
	ASSERT(refuses_file(key, "has 2 lines"));
	temp_write_mode(&temp, "project/deep/key", LOOM_STR(CANARY "\n"), 0600);
	loom_env_init_fixed(&env, 0, 1);
	free(key);
	key = temp_path(&temp, "project");
	OK(loom_grove_init(&env, loom_str_of(key), &err));
	ASSERT(refuses_file(inner, "is inside the project"));
	free(inner);
	free(link_of);
	free(key);
	temp_fini(&temp);
	PASS();
}

TEST a_program_tells_the_key_once(void)
{
	struct loom_buf config = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf told = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_generate_request request = go_on("x", 3);
	struct temp temp;
	char *path = NULL;

	temp_init(&temp);
	path = temp_path(&temp, "told");
	loom_buf_addf(&config,
		      "{\"providers\":{\"p\":{" PROVIDER ",\"key_cmd\":[\"sh\",\"-c\","
		      "\"echo told >>%s; sleep 0.05; echo " CANARY "\"]}}," MODEL "}",
		      path);
	world_open(GOOD, loom_buf_cstr(&config));
	ASSERT(asked_run(&world.asked, &request, &world.err));
	for (size_t i = 0; i < 3; i++)
		ASSERT_EQ(LOOM_FINISH_STOP, world.asked.choices[i].finish);
	ASSERT(loom_str_find(fake_log(&world.fake), LOOM_STR("Bearer " CANARY "\r\n"), 0) !=
	       SIZE_MAX);
	ASSERT(temp_read(path, &told));
	ASSERT_STR_EQ("told\n", loom_buf_cstr(&told));
	world_close();
	free(path);
	loom_buf_fini(&told);
	loom_buf_fini(&config);
	temp_fini(&temp);
	PASS();
}

TEST a_program_that_tells_no_key_is_an_error(void)
{
	static const char *const programs[] = {"[\"false\"]", "[\"true\"]",
					       "[\"/nonexistent/program\"]",
					       "[\"sh\",\"-c\",\"echo " CANARY "; exit 3\"]",
					       "[\"echo\",\"two words\"]"};

	for (size_t i = 0; i < LOOM_COUNT(programs); i++) {
		struct loom_buf config = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_generate_request request = go_on("x", 2);

		loom_buf_addf(&config,
			      "{\"providers\":{\"p\":{" PROVIDER ",\"key_cmd\":%s}}," MODEL "}",
			      programs[i]);
		world_open(GOOD, loom_buf_cstr(&config));
		ASSERT(asked_run(&world.asked, &request, &world.err));
		ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[0].finish);
		ASSERT_EQ(LOOM_FINISH_ERROR, world.asked.choices[1].finish);
		ASSERT_EQ(0, fake_requests(&world.fake));
		ASSERT_FALSE(holds_key());
		world_close();
		loom_buf_fini(&config);
	}
	PASS();
}

SUITE(faults)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_may_help_is_tried_three_times_and_no_more);
	RUN_TEST(what_cannot_help_is_not_tried_again);
	RUN_TEST(what_arrived_is_kept_and_said_to_be_partial);
	RUN_TEST(an_end_that_is_said_without_a_mark_is_an_end);
	RUN_TEST(a_server_that_is_not_there_is_said_to_be_so);
	RUN_TEST(http_to_elsewhere_is_refused_before_anything_begins);
}

SUITE(cancelling)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(cancelling_ends_all_within_a_fifth_of_a_second);
	RUN_TEST(one_is_cancelled_and_the_next_takes_its_place);
	RUN_TEST(cancelling_ends_the_wait_for_another_try);
	RUN_TEST(voices_may_go_away_with_requests_under_way);
}

SUITE(keys)
{
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(the_key_goes_to_its_origin_and_nowhere_else);
	RUN_TEST(without_a_key_none_is_sent);
	RUN_TEST(a_program_that_was_told_a_key_leaves_no_core);
	RUN_TEST(a_key_that_is_missing_is_said_before_anything_begins);
	RUN_TEST(a_key_file_is_read_when_nobody_else_can);
	RUN_TEST(a_key_file_of_several_lines_or_of_a_project_is_refused);
	RUN_TEST(a_program_tells_the_key_once);
	RUN_TEST(a_program_that_tells_no_key_is_an_error);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(faults);
	RUN_SUITE(cancelling);
	RUN_SUITE(keys);
	GREATEST_MAIN_END();
}
