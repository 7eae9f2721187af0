/* `loom models`, from outside, with servers of this machine that are ours. */
#include <greatest.h>

#include <loom/base/json.h>

#include "support/child.h"
#include "support/temp.h"
#include "support/voices.h"

static const char servers[] =
	"on GET /v1/models\ntype application/json\n"
	"send {\"object\":\"list\",\"data\":[{\"id\":\"some-base\",\"object\":\"model\"},"
	"{\"id\":\"other\\\\u001b[31m\"}]}\n"
	"on GET /api/tags\ntype application/json\n"
	"send {\"models\":[{\"name\":\"llama3:8b\",\"size\":5}]}\n"
	"on GET /slow/v1/models\nhang\n"
	"on GET /login/v1/models\ntype text/html\nsend <h1>Hello</h1>\n";

struct outside {
	struct temp temp;
	struct fake fake;
	struct child_result result;
	int status;
};

/* Runs `loom models …` with a configuration in which $P is the fake server's port. */
static const char *run_models(struct outside *outside, const char *config, const char *option)
{
	const char *argv[] = {LOOM_PROGRAM, "models", option, NULL};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char home[300];
	char ollama[100];
	char llama[100];
	const char *env[] = {home, ollama, llama, "CANARY_KEY=" CANARY, "HOME=/nonexistent", NULL};
	struct child_opts opts = {.env = env, .timeout_ms = 20000};

	fake_fill(&outside->fake, config, &text);
	temp_write_mode(&outside->temp, "loom/config.json", loom_buf_str(&text), 0600);
	snprintf(home, sizeof home, "XDG_CONFIG_HOME=%s", outside->temp.path);
	snprintf(ollama, sizeof ollama, "OLLAMA_HOST=127.0.0.1:%d", outside->fake.port);
	snprintf(llama, sizeof llama, "LLAMA_ARG_PORT=%d", outside->fake.port);
	child_run(argv, &opts, &outside->result);
	outside->status = outside->result.status;
	loom_buf_fini(&text);
	return loom_buf_cstr(&outside->result.out);
}

static void outside_open(struct outside *outside)
{
	temp_init(&outside->temp);
	fake_start(&outside->fake, servers);
}

static void outside_close(struct outside *outside)
{
	child_fini(&outside->result);
	fake_stop(&outside->fake);
	temp_fini(&outside->temp);
}

TEST servers_of_this_machine_are_found_without_any_configuration(void)
{
	struct outside outside;
	const char *out = NULL;

	outside_open(&outside);
	out = run_models(&outside, "{}", NULL);
	ASSERT_EQ(0, outside.status);
	ASSERT(strstr(out, "ngram  built in"));
	ASSERT(strstr(out, "llamacpp/some-base"));
	ASSERT(strstr(out, "ollama/llama3:8b"));
	ASSERT_EQ(NULL, strchr(out, '\033')); /* whatever a server calls its models */
	outside_close(&outside);
	PASS();
}

static const char mixed[] =
	"{\"providers\":{\"here\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$P/v1\","
	"\"key_env\":\"CANARY_KEY\"},"
	"\"slow\":{\"api\":\"llamacpp\",\"base_url\":\"http://127.0.0.1:$P/slow\"},"
	"\"login\":{\"api\":\"llamacpp\",\"base_url\":\"http://127.0.0.1:$P/login\"},"
	"\"away\":{\"api\":\"anthropic\",\"base_url\":\"https://example.invalid\","
	"\"key_env\":\"NO_SUCH_KEY\"}},"
	"\"models\":{\"base\":{\"provider\":\"here\",\"id\":\"some-base\",\"context\":2048},"
	"\"gone\":{\"provider\":\"here\",\"id\":\"gone\"},\"s\":{\"provider\":\"slow\"},"
	"\"l\":{\"provider\":\"login\"},\"claude\":{\"provider\":\"away\"}},\"odd\":1}";

TEST each_configured_model_says_whether_it_can_be_asked(void)
{
	struct outside outside;
	const char *out = NULL;

	outside_open(&outside);
	out = run_models(&outside, mixed, NULL);
	ASSERT_EQ(0, outside.status);
	ASSERT(strstr(out, "base  here (openai) · some-base · 2,048 tokens · there\n"));
	ASSERT(strstr(out, "gone  here (openai) · the server does not list this model\n"));
	ASSERT(strstr(out, "s  slow (llamacpp) · not reachable: nothing arrived for"));
	ASSERT(strstr(out, "l  login (llamacpp) · not reachable: this is not a model server"));
	ASSERT(strstr(out, "claude  away (anthropic) · no key: $NO_SUCH_KEY is not set\n"));
	ASSERT(strstr(loom_buf_cstr(&outside.result.err), "unknown key \"odd\""));
	ASSERT_EQ(NULL, strstr(out, CANARY));
	ASSERT(loom_str_find(fake_log(&outside.fake), LOOM_STR("Bearer " CANARY "\r\n"), 0) !=
	       SIZE_MAX);
	outside_close(&outside);
	PASS();
}

TEST the_listing_is_one_json_document_for_machines(void)
{
	struct outside outside;
	struct loom_str out;

	outside_open(&outside);
	out = loom_str_of(run_models(&outside, mixed, "--json"));
	ASSERT_EQ(LOOM_OK, loom_json_check(out, NULL, NULL));
	ASSERT_EQ(5, (int)loom_jval_count(loom_jval_get(loom_jval_of(out), "models")));
	ASSERT(loom_str_is(loom_jval_get(loom_jval_of(out), "configured"), "true"));
	outside_close(&outside);
	PASS();
}

TEST a_configuration_that_cannot_be_read_is_an_error_with_its_place(void)
{
	struct outside outside;

	outside_open(&outside);
	(void)run_models(&outside, "{\n\"models\": 7}", NULL);
	ASSERT_EQ(1, outside.status);
	ASSERT(strstr(loom_buf_cstr(&outside.result.err), "config.json:2:"));
	outside_close(&outside);
	PASS();
}

TEST without_a_configuration_there_is_an_example_that_is_one(void)
{
	static const char *const argv[] = {LOOM_PROGRAM, "models", NULL};
	static const char *const env[] = {"XDG_CONFIG_HOME=/nonexistent", "LLAMA_ARG_PORT=1",
					  "OLLAMA_HOST=127.0.0.1:1", NULL};
	struct child_opts opts = {.env = env};
	struct child_result result;
	struct loom_config config;
	struct loom_arena *arena = loom_arena_create();
	struct loom_str said;

	ASSERT(child_run(argv, &opts, &result));
	ASSERT_EQ(0, result.status);
	said = loom_buf_str(&result.err);
	said = loom_str_sub(said, loom_str_find_char(said, '{', 0), SIZE_MAX);
	loom_config_init(&config, NULL, arena);
	ASSERT_EQ(LOOM_OK, loom_config_read(said, LOOM_STR("example"), arena, &config, NULL));
	ASSERT_EQ(0, (int)config.warning_count);
	ASSERT_EQ(1, (int)config.model_count);
	loom_arena_destroy(arena);
	child_fini(&result);
	PASS();
}

SUITE(models)
{
	RUN_TEST(without_a_configuration_there_is_an_example_that_is_one);
	RUN_TEST(servers_of_this_machine_are_found_without_any_configuration);
	RUN_TEST(each_configured_model_says_whether_it_can_be_asked);
	RUN_TEST(the_listing_is_one_json_document_for_machines);
	RUN_TEST(a_configuration_that_cannot_be_read_is_an_error_with_its_place);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(models);
	GREATEST_MAIN_END();
}
