/* The program with a configured model, from outside: what it makes of an answer, and that the key
 * is nowhere but in the request. */
#include <dirent.h>
#include <sys/stat.h>

#include <greatest.h>

#include <loom/base/json.h>

#include "support/child.h"
#include "support/temp.h"
#include "support/voices.h"

struct outside {
	struct temp temp;
	struct fake fake;
	struct child_result result;
};

/* Runs the program in the folder; what it printed stays until the next run. */
static int run_loom(struct outside *outside, const char *const argv[])
{
	char config[300];
	char data[300];
	char state[300];
	char cache[300];
	const char *env[] = {config, data, state, cache, "CANARY_KEY=" CANARY, NULL};
	struct child_opts opts = {.env = env, .cwd = outside->temp.path, .timeout_ms = 30000};

	snprintf(config, sizeof config, "XDG_CONFIG_HOME=%s/config", outside->temp.path);
	snprintf(data, sizeof data, "XDG_DATA_HOME=%s/data", outside->temp.path);
	snprintf(state, sizeof state, "XDG_STATE_HOME=%s/state", outside->temp.path);
	snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s/cache", outside->temp.path);
	child_fini(&outside->result);
	child_run(argv, &opts, &outside->result);
	return outside->result.status;
}

#define RUN(outside, ...) run_loom(outside, (const char *const[]){LOOM_PROGRAM, __VA_ARGS__, NULL})

static void outside_open(struct outside *outside, const char *script)
{
	struct loom_buf config = LOOM_BUF_INIT(LOOM_BUF_MAX);

	*outside = (struct outside){.result = {.started = false}};
	loom_buf_init(&outside->result.out, LOOM_BUF_MAX);
	loom_buf_init(&outside->result.err, LOOM_BUF_MAX);
	temp_init(&outside->temp);
	fake_start(&outside->fake, script);
	loom_buf_addf(&config,
		      "{\"providers\":{\"p\":{\"api\":\"openai\",\"base_url\":"
		      "\"http://127.0.0.1:%d/v1\",\"key_env\":\"CANARY_KEY\"}},"
		      "\"models\":{\"m\":{\"provider\":\"p\",\"id\":\"some-base\"}}}",
		      outside->fake.port);
	temp_write_mode(&outside->temp, "config/loom/config.json", loom_buf_str(&config), 0600);
	if (RUN(outside, "init") || RUN(outside, "agent", "add", "X", "--model", "m") ||
	    RUN(outside, "new", "--mode", "buffer", "--root", "The sea "))
		abort();
	loom_buf_fini(&config);
}

static void outside_close(struct outside *outside)
{
	child_fini(&outside->result);
	fake_stop(&outside->fake);
	temp_fini(&outside->temp);
}

/* The first file below `path` that holds `bytes`, into *found. */
static bool find_in_files(const char *path, struct loom_str bytes, struct loom_buf *found)
{
	DIR *dir = opendir(path);
	bool hit = false;

	for (struct dirent *entry = NULL; dir && !hit && (entry = readdir(dir));) {
		struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct stat info;

		loom_buf_addf(&name, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] == '.' && (!entry->d_name[1] || entry->d_name[1] == '.')) {
			hit = false;
		} else if (stat(loom_buf_cstr(&name), &info) == 0 && S_ISDIR(info.st_mode)) {
			hit = find_in_files(loom_buf_cstr(&name), bytes, found);
		} else if (temp_read(loom_buf_cstr(&name), &text)) {
			hit = loom_str_find(loom_buf_str(&text), bytes, 0) != SIZE_MAX;
			if (hit)
				loom_buf_add(found, loom_buf_str(&name));
		}
		loom_buf_fini(&name);
		loom_buf_fini(&text);
	}
	if (dir)
		closedir(dir);
	return hit;
}

static const char echoing[] =
	"on POST /v1/completions\ntype text/event-stream\n"
	"send data: {\"model\":\"\\A\",\"choices\":[{\"index\":0,\"text\":\"was calm.\","
	"\"finish_reason\":\"stop\"},{\"index\":1,\"text\":\"was "
	"\\A.\",\"finish_reason\":\"stop\"}]}"
	"\\n\\n\nsend data: [DONE]\\n\\n\n"
	"on POST /v1/completions\nstatus 401\ntype application/json\n"
	"send {\"error\":{\"message\":\"wrong key \\A\"}}\n";

TEST an_answer_becomes_nodes_and_the_key_is_in_no_file(void)
{
	struct loom_buf found = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct outside outside;

	outside_open(&outside, echoing);
	(void)RUN(&outside, "do", "continue", "n:2", "using", "agent:\"X\"");
	ASSERT(strstr(loom_buf_cstr(&outside.result.out), "was calm."));
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&outside.result.out), CANARY));
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&outside.result.err), CANARY));
	world.fake = outside.fake;
	ASSERT(sent(0, "prompt", "\"The sea \""));
	ASSERT_EQ(1, RUN(&outside, "do", "continue", "using", "agent:\"X\""));
	ASSERT(strstr(loom_buf_cstr(&outside.result.out), "answered 401"));
	ASSERT_EQ(NULL, strstr(loom_buf_cstr(&outside.result.out), CANARY));
	ASSERT(loom_str_find(fake_log(&outside.fake), LOOM_STR("Bearer " CANARY "\r\n"), 0) !=
	       SIZE_MAX);
	ASSERT_FALSEm(loom_buf_cstr(&found),
		      find_in_files(outside.temp.path, LOOM_STR(CANARY), &found));
	/* the search itself finds what is there */
	ASSERT(find_in_files(outside.temp.path, LOOM_STR("was calm."), &found));
	loom_buf_fini(&found);
	outside_close(&outside);
	PASS();
}

TEST a_configuration_in_the_project_is_never_read(void)
{
	static const char config[] =
		"{\"models\":{\"evil\":{\"provider\":\"p\"}},\"providers\":"
		"{\"p\":{\"api\":\"command\",\"command\":[\"touch\",\"owned\"]}}}";
	static const char *const places[] = {"config.json", ".loom/config.json", "loom/config.json",
					     ".config/loom/config.json"};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct outside outside;
	char *owned = NULL;

	outside_open(&outside, "");
	for (size_t i = 0; i < LOOM_COUNT(places); i++)
		temp_write(&outside.temp, places[i], loom_str_of(config));
	ASSERT_EQ(0, RUN(&outside, "agent", "add", "Y", "--model", "evil"));
	ASSERT_EQ(1, RUN(&outside, "do", "continue", "using", "agent:\"Y\""));
	ASSERT(strstr(loom_buf_cstr(&outside.result.out), "there is no model \"evil\""));
	owned = temp_path(&outside.temp, "owned");
	ASSERT_FALSE(temp_read(owned, &text));
	free(owned);
	loom_buf_fini(&text);
	outside_close(&outside);
	PASS();
}

TEST a_seed_and_a_clock_give_the_same_bytes_again(void)
{
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (int i = 0; i < 2; i++) {
		struct outside outside;

		setenv("LOOM_SEED", "11", 1);
		setenv("LOOM_NOW", "2026-01-02T03:04:05Z", 1);
		outside_open(&outside, "");
		ASSERT_EQ(0, RUN(&outside, "subject", "ngram"));
		ASSERT_EQ(0, RUN(&outside, "do", "continue", "n:3", "tokens:60"));
		ASSERT_EQ(0, RUN(&outside, "do", "continue", "n:2"));
		ASSERT(outside.result.out.n > 40);
		if (!i)
			loom_buf_add(&first, loom_buf_str(&outside.result.out));
		else
			ASSERT_STR_EQ(loom_buf_cstr(&first), loom_buf_cstr(&outside.result.out));
		outside_close(&outside);
		unsetenv("LOOM_SEED");
		unsetenv("LOOM_NOW");
	}
	loom_buf_fini(&first);
	PASS();
}

SUITE(program)
{
	RUN_TEST(an_answer_becomes_nodes_and_the_key_is_in_no_file);
	RUN_TEST(a_configuration_in_the_project_is_never_read);
	RUN_TEST(a_seed_and_a_clock_give_the_same_bytes_again);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(program);
	GREATEST_MAIN_END();
}
