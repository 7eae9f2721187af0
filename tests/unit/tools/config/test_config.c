/* The configuration: what it may say, what it refuses, and where. */
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/config/config.h>

#include "support/prop.h"
#include "support/temp.h"

struct read {
	struct loom_arena *arena;
	struct loom_config config;
	struct loom_err err;
	enum loom_status status;
};

static void read_text(struct read *read, struct loom_str text)
{
	*read = (struct read){.arena = loom_arena_create()};
	loom_config_init(&read->config, NULL, read->arena);
	read->status = loom_config_read(text, LOOM_STR("config.json"), read->arena, &read->config,
					&read->err);
}

static void read_done(struct read *read)
{
	loom_arena_destroy(read->arena);
}

static const char full[] =
	"/* models of mine */\n"
	"{\n"
	"  \"subject_model\": \"base\", // the usual one\n"
	"  \"collaborator_model\": \"c\", \"summary_model\": \"s\", \"classifier\": \"k\",\n"
	"  \"result_tokens\": 250,\n"
	"  \"private_hosts\": [\"wiki.corp\", \"[fd00::1]\"],\n"
	"  \"providers\": {\n"
	"    \"local\": {\"api\": \"llamacpp\", \"base_url\": \"http://127.0.0.1:9//\",\n"
	"      \"idle_timeout\": 2.5, \"timeout\": 900, \"max_parallel\": 3, \"temperature\": "
	"0.5},\n"
	"    \"claude\": {\"api\": \"anthropic\"},\n"
	"    \"router\": {\"api\": \"openai\", \"base_url\": \"https://openrouter.ai/api/v1\",\n"
	"      \"key_cmd\": [\"pass\", \"show\", \"router\"], \"headers\": {\"X-Title\": \"loom // "
	"x\"},\n"
	"      \"proxy\": \"http://127.0.0.1:3128\"},\n"
	"    \"tool\": {\"api\": \"command\", \"command\": \"mymodel\"}\n"
	"  },\n"
	"  \"models\": {\n"
	"    \"base\": {\"provider\": \"local\", \"id\": \"some-base\", \"context\": 8192,\n"
	"      \"max_out\": 100, \"price_in\": 0.5, \"price_out\": 1.5, \"endpoint\": \"chat\",\n"
	"      \"caps\": {\"n\": 2, \"logprobs\": 0, \"stop\": 3, \"temperature\": false,\n"
	"        \"seed\": true, \"small\": true, \"prefill\": \"final\", \"stream\": true},\n"
	"      \"extra_body\": {\"a\": [1, {\"b\": null}]}, \"stop\": \"END\"}\n"
	"  },\n"
	"  \"agents\": {\"X\": {\"model\": \"base\", \"system\": \"\", \"n\": 3, \"stop\": [\"a\", "
	"\"b\"]}}\n"
	"}\n";

TEST everything_that_may_be_said_is_read(void)
{
	const struct loom_provider *local = NULL;
	const struct loom_provider *router = NULL;
	const struct loom_model *model = NULL;
	struct read read;

	read_text(&read, loom_str_of(full));
	ASSERT_EQm(read.err.text, LOOM_OK, read.status);
	ASSERT_EQ(0, (int)read.config.warning_count);
	ASSERT_EQ(4, (int)read.config.provider_count);
	local = &read.config.providers[0];
	ASSERT_EQ(LOOM_API_LLAMACPP, local->api);
	ASSERT(loom_str_is(local->base_url, "http://127.0.0.1:9"));
	ASSERT_EQ(2500, (int)local->idle_ms);
	ASSERT_EQ(900000, (int)local->total_ms);
	ASSERT_EQ(3, (int)local->max_parallel);
	ASSERT_EQ(0.5, local->sampling.temperature);
	ASSERT_EQ(0, (int)local->key_env.n);
	ASSERT(loom_str_is(read.config.providers[1].base_url, "https://api.anthropic.com"));
	ASSERT(loom_str_is(read.config.providers[1].key_env, "ANTHROPIC_API_KEY"));
	router = &read.config.providers[2];
	ASSERT_STR_EQ("show", router->key_cmd[1]);
	ASSERT_EQ(NULL, router->key_cmd[3]);
	ASSERT(loom_str_is(router->headers[0].value, "loom // x"));
	ASSERT(loom_str_is(router->proxy, "http://127.0.0.1:3128"));
	ASSERT_STR_EQ("mymodel", read.config.providers[3].command[0]);
	model = &read.config.models[0];
	ASSERT_EQ(local, model->provider);
	ASSERT(loom_str_is(model->id, "some-base"));
	ASSERT_EQ(LOOM_ENDPOINT_CHAT, model->endpoint);
	ASSERT(model->priced && model->price_out == 1.5);
	ASSERT_EQ(2, (int)model->caps.n);
	ASSERT_EQ(0, (int)model->caps.logprobs);
	ASSERT_EQ(3, (int)model->caps.stop);
	ASSERT_EQ(LOOM_CAN_NOT, model->caps.temperature);
	ASSERT_EQ(LOOM_CAN, model->caps.seed);
	ASSERT_EQ(LOOM_CAN, model->caps.small);
	ASSERT_EQ(LOOM_PREFILL_FINAL, model->caps.prefill);
	ASSERT(loom_str_is(model->extra_body, "{\"a\": [1, {\"b\": null}]}"));
	ASSERT(loom_str_is(model->sampling.stop[0], "END"));
	ASSERT(read.config.agents[0].has_system);
	ASSERT_EQ(2, (int)read.config.agents[0].sampling.stop_count);
	ASSERT(loom_str_is(read.config.classifier, "k"));
	ASSERT_EQ(250, (int)read.config.result_tokens);
	ASSERT_EQ(2, (int)read.config.private_host_count);
	ASSERT(loom_str_is(read.config.private_hosts[1], "[fd00::1]"));
	read_done(&read);
	PASS();
}

/* A quotation mark behind a backslash ends no text, and what it stands in is no comment. */
TEST a_comment_does_not_begin_within_a_text(void)
{
	const struct loom_agent_config *agent = NULL;
	struct read read;

	read_text(&read,
		  LOOM_STR(
			  "{\"agents\": {\"X\": {\"system\": \"say \\\"// no\\\" /* nor */ \\\\\", "
			  "// but this\n\"stop\": [\"\\n*\", \"\\\"/*\"]}}}"));
	ASSERT_EQm(read.err.text, LOOM_OK, read.status);
	ASSERT_EQ(1, (int)read.config.agent_count);
	agent = &read.config.agents[0];
	ASSERT(loom_str_is(agent->system, "say \"// no\" /* nor */ \\"));
	ASSERT_EQ(2, (int)agent->sampling.stop_count);
	ASSERT(loom_str_is(agent->sampling.stop[0], "\n*"));
	ASSERT(loom_str_is(agent->sampling.stop[1], "\"/*"));
	read_done(&read);
	PASS();
}

TEST what_is_unknown_warns_with_its_place(void)
{
	static const char text[] = "{\n \"colour\": 1,\n \"providers\": {\"p\": {\n  \"api\": "
				   "\"openai\",\n  \"api_key\": \"sk-1\"}},\n \"models\": {\"m\": "
				   "{\"provider\": \"p\",\n\n  \"caps\": {\"wings\": true}}}}";
	struct read read;

	read_text(&read, loom_str_of(text));
	ASSERT_EQ(LOOM_OK, read.status);
	ASSERT_EQ(3, (int)read.config.warning_count);
	ASSERT(loom_str_starts(read.config.warnings[0], LOOM_STR("config.json:5: a key must not")));
	ASSERT_EQ(SIZE_MAX, loom_str_find(read.config.warnings[0], LOOM_STR("sk-1"), 0));
	ASSERT(loom_str_is(read.config.warnings[1],
			   "config.json:2: unknown key \"colour\" in the configuration"));
	ASSERT(loom_str_is(read.config.warnings[2],
			   "config.json:8: unknown key \"wings\" in caps"));
	read_done(&read);
	PASS();
}

TEST what_makes_no_sense_is_refused_with_its_place(void)
{
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{"", "config.json:1:"},
		{"[]", "not an object"},
		{"{\"a\": 1,}", "config.json:1:"},
		{"{\n\"models\": {\"m\": {}},\n}", "config.json:3:"},
		{"{\"agents\":\n{\"\": {}}}", "config.json:2: an empty name is not allowed"},
		{"{\"models\": {\"m\": {}}}", "model \"m\" has no \"provider\""},
		{"{\"models\": {\"m\": {\"provider\": \"nobody\"}}}", "no provider \"nobody\""},
		{"{\"providers\": {\"p\": {}}}", "has no \"api\""},
		{"{\"providers\": {\"p\": {\"api\": \"gopher\"}}}", "\"api\" must be openai"},
		{"{\"providers\": {\"a/b\": {\"api\": \"openai\"}}}", "slash"},
		{"{\"providers\": {\"p\": {\"api\": \"command\"}}}", "has no command"},
		{"{\"providers\": {\"p\": {\"api\": \"command\", \"command\": []}}}",
		 "\"command\""},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"key_env\": \"A\", \"key_file\": "
		 "\"b\"}}}",
		 "more than once"},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"base_url\": "
		 "\"https://u:p@example.com/\"}}}",
		 "a password"},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"headers\": {\"A\": \"b\\r\\nC: "
		 "d\"}}}}",
		 "not a header"},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"headers\": {\"A:\": \"b\"}}}}",
		 "not a header"},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"max_parallel\": 0}}}",
		 "\"max_parallel\""},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"max_parallel\": 65}}}",
		 "a whole number from 1 to 64"},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"timeout\": 1e9}}}",
		 "a number of seconds from "},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"idle_timeout\": -1}}}",
		 "seconds"},
		{"{\"providers\": {\"p\": {\"api\": \"openai\", \"temperature\": \"hot\"}}}",
		 "\"temperature\" must be a number from 0 to 100"},
		{"{\"providers\": {\"p\": {\"api\": \"openai\"}}, \"models\": {\"m\": "
		 "{\"provider\": "
		 "\"p\", \"extra_body\": {\"tools\": []}}}}",
		 "may not contain \"tools\""},
		{"{\"agents\": {\"a\": {\"stop\": [\"\"]}}}", "an empty string"},
		{"{\"agents\": {\"a\": {\"n\": 1.5}}}", "\"n\" must be a number"},
		{"{\"agents\": 7}", "names to objects"},
		{"{\"result_tokens\": 0}", "is not a whole number from 1 to 1000000000"},
		{"{\"private_hosts\": \"wiki\"}", "list of hosts"},
		{"{\"private_hosts\": [\"http://localhost\"]}", "not a host"},
		{"{\"private_hosts\": [\"wiki:80\"]}", "not a host"},
		{"{\"private_hosts\": [7]}", "not a host"},
		{"{\"subject_model\": null}", "\"subject_model\""},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct read read;

		read_text(&read, loom_str_of(cases[i].text));
		ASSERT_EQm(cases[i].text, LOOM_INVALID, read.status);
		ASSERTm(read.err.text, strstr(read.err.text, cases[i].says) != NULL);
		ASSERTm(read.err.text, strncmp(read.err.text, "config.json:", 12) == 0);
		read_done(&read);
	}
	PASS();
}

TEST any_damage_is_an_error_or_a_configuration(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct prop prop;

	prop_init(&prop, "damaged configuration");
	for (int i = 0; i < 3000; i++) {
		struct read read;

		loom_buf_clear(&text);
		loom_buf_add(&text, loom_str_of(full));
		for (size_t k = prop_below(&prop, 4); k-- > 0;)
			text.p[prop_below(&prop, text.n)] =
				"{}[]\",:/*\\x0\n"[prop_below(&prop, 13)];
		loom_buf_cut(&text, prop_below(&prop, 8) ? text.n : prop_below(&prop, text.n));
		read_text(&read, loom_buf_str(&text));
		ASSERT(read.status == LOOM_OK || read.err.text[0]);
		read_done(&read);
	}
	loom_buf_fini(&text);
	PASS();
}

TEST an_agent_is_laid_over_what_it_extends(void)
{
	static const char text[] =
		"{\"agents\": {\"a\": {\"extends\": \"b\", \"n\": 2},"
		"\"b\": {\"extends\": \"c\", \"n\": 5, \"system\": \"B\", \"temperature\": 0.2},"
		"\"c\": {\"model\": \"m\", \"tokens\": 9, \"temperature\": 0.9, \"system\": \"C\"},"
		"\"loop\": {\"extends\": \"loop2\"}, \"loop2\": {\"extends\": \"loop\", \"n\": "
		"4}}}";
	struct loom_agent_config agent;
	struct read read;

	read_text(&read, loom_str_of(text));
	ASSERT_EQ(LOOM_OK, read.status);
	ASSERT(loom_config_agent(&read.config, LOOM_STR("a"), &agent));
	ASSERT_EQ(2, (int)agent.sampling.n);
	ASSERT_EQ(9, (int)agent.sampling.tokens);
	ASSERT_EQ(0.2, agent.sampling.temperature);
	ASSERT(loom_str_is(agent.system, "B"));
	ASSERT(loom_str_is(agent.model, "m"));
	ASSERT(loom_config_agent(&read.config, LOOM_STR("loop"), &agent));
	ASSERT_EQ(4, (int)agent.sampling.n);
	ASSERT_FALSE(loom_config_agent(&read.config, LOOM_STR("nobody"), &agent));
	ASSERT_FALSE(loom_config_agent(&read.config, LOOM_STR(""), &agent));
	read_done(&read);
	PASS();
}

TEST who_extends_nobody_is_told_where(void)
{
	struct read read;

	read_text(&read, LOOM_STR("{\"agents\": {\n\"a\": {\"extends\": \"b\"},\n"
				  "\"b\": {\"extends\": \"c\"}}}"));
	ASSERT_EQ(LOOM_OK, read.status);
	ASSERT_EQ(1, (int)read.config.warning_count);
	ASSERT(loom_str_ends(read.config.warnings[0],
			     LOOM_STR(":3: there is no agent \"c\" to extend")));
	read_done(&read);
	PASS();
}

TEST an_address_that_none_can_ask_is_told_where(void)
{
	struct read read;

	read_text(&read,
		  LOOM_STR(
			  "{\"providers\": {\n"
			  "\"p\": {\"api\": \"openai\", \"base_url\": \"ftp://example.com/v1\"},\n"
			  "\"q\": {\"api\": \"openai\", \"base_url\": \"h:8080\"},\n"
			  "\"r\": {\"api\": \"openai\", \"base_url\": \"https://example.com\"}}}"));
	ASSERT_EQ(LOOM_OK, read.status);
	ASSERT_EQ(2, (int)read.config.warning_count);
	ASSERT(loom_str_find(read.config.warnings[0], LOOM_STR(":2: a base_url must begin"), 0) !=
	       SIZE_MAX);
	ASSERT(loom_str_find(read.config.warnings[1], LOOM_STR(":3: a base_url must begin"), 0) !=
	       SIZE_MAX);
	read_done(&read);
	PASS();
}

TEST a_name_leads_to_a_model(void)
{
	struct loom_model model;
	struct read read;

	read_text(&read, loom_str_of(full));
	ASSERT_EQ(LOOM_OK,
		  loom_config_model(&read.config, LOOM_STR("base"), read.arena, &model, &read.err));
	ASSERT(loom_str_is(model.id, "some-base"));
	ASSERT_EQ(LOOM_OK, loom_config_model(&read.config, LOOM_STR("router/x/y:free"), read.arena,
					     &model, &read.err));
	ASSERT(loom_str_is(model.id, "x/y:free"));
	ASSERT(loom_str_is(model.provider->name, "router"));
	ASSERT_EQ(LOOM_OK, loom_config_model(&read.config, LOOM_STR("ollama/llama3:8b"), read.arena,
					     &model, &read.err));
	ASSERT(loom_str_is(model.provider->base_url, "http://127.0.0.1:11434"));
	ASSERT_EQ(LOOM_OK, loom_config_model(&read.config, LOOM_STR("ngram"), read.arena, &model,
					     &read.err));
	ASSERT_EQ(LOOM_API_NGRAM, model.provider->api);
	ASSERT_EQ(LOOM_MODEL,
		  loom_config_model(&read.config, LOOM_STR("gpt"), read.arena, &model, &read.err));
	ASSERT(read.err.hint[0]);
	ASSERT_EQ(LOOM_MODEL, loom_config_model(&read.config, LOOM_STR("nobody/x"), read.arena,
						&model, &read.err));
	read_done(&read);
	PASS();
}

/* ---- the file, and the environment ---- */

struct place {
	struct temp temp;
	struct loom_env env;
	const char *ollama;
	const char *port;
};

static const char *variable(void *ctx, const char *name)
{
	const struct place *place = ctx;

	if (strcmp(name, "XDG_CONFIG_HOME") == 0)
		return place->temp.path;
	if (strcmp(name, "OLLAMA_HOST") == 0)
		return place->ollama;
	return strcmp(name, "LLAMA_ARG_PORT") == 0 ? place->port : NULL;
}

static void place_init(struct place *place)
{
	*place = (struct place){.ollama = NULL};
	temp_init(&place->temp);
	loom_env_init_fixed(&place->env, 0, 1);
	place->env.var = variable;
	place->env.ctx = place;
}

TEST without_a_file_there_is_an_empty_configuration(void)
{
	struct read read = {.arena = loom_arena_create()};
	struct place place;

	place_init(&place);
	ASSERT_EQ(LOOM_OK, loom_config_load(&place.env, read.arena, &read.config, &read.err));
	ASSERT_FALSE(read.config.there);
	ASSERT(loom_str_ends(read.config.path, LOOM_STR("/loom/config.json")));
	read_done(&read);
	temp_fini(&place.temp);
	PASS();
}

TEST a_file_that_others_can_write_or_that_tells_of_keys_is_refused(void)
{
	static const char plain[] = "{}";
	static const char keys[] = "{\"providers\":{\"p\":{\"api\":\"openai\"}}}";
	static const struct {
		const char *text;
		mode_t mode;
		enum loom_status status;
	} cases[] = {
		{plain, 0600, LOOM_OK},      {plain, 0644, LOOM_OK},
		{plain, 0664, LOOM_REFUSED}, {plain, 0602, LOOM_REFUSED},
		{keys, 0600, LOOM_OK},       {keys, 0400, LOOM_OK},
		{keys, 0640, LOOM_REFUSED},  {keys, 0604, LOOM_REFUSED},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct read read = {.arena = loom_arena_create()};
		struct place place;
		char *path = NULL;

		place_init(&place);
		temp_write(&place.temp, "loom/config.json", loom_str_of(cases[i].text));
		path = temp_path(&place.temp, "loom/config.json");
		ASSERT_EQ(0, chmod(path, cases[i].mode));
		ASSERT_EQ(cases[i].status,
			  loom_config_load(&place.env, read.arena, &read.config, &read.err));
		ASSERT(cases[i].status == LOOM_OK || strstr(read.err.hint, "chmod 600"));
		free(path);
		read_done(&read);
		temp_fini(&place.temp);
	}
	PASS();
}

TEST what_is_no_file_or_too_large_is_an_error(void)
{
	struct read read = {.arena = loom_arena_create()};
	struct loom_buf large = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct place place;

	place_init(&place);
	temp_write(&place.temp, "loom/config.json/x", LOOM_STR("x"));
	ASSERT_EQ(LOOM_REFUSED, loom_config_load(&place.env, read.arena, &read.config, &read.err));
	temp_fini(&place.temp);
	place_init(&place);
	loom_buf_add_repeat(&large, ' ', ((size_t)1 << 20) + 1);
	temp_write(&place.temp, "loom/config.json", loom_buf_str(&large));
	ASSERT_EQ(LOOM_LIMIT, loom_config_load(&place.env, read.arena, &read.config, &read.err));
	temp_fini(&place.temp);
	loom_buf_fini(&large);
	read_done(&read);
	PASS();
}

TEST the_environment_says_where_this_machines_servers_are(void)
{
	static const char *const hosts[][2] = {
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"127.0.0.1:9999", "http://127.0.0.1:9999"},
		{"http://127.0.0.1", "http://127.0.0.1"},
		{"https://ollama.example/", "https://ollama.example"},
		{":5000", "http://127.0.0.1:5000"},
		{"localhost", "http://localhost:11434"},
	};

	for (size_t i = 0; i < LOOM_COUNT(hosts); i++) {
		struct read read = {.arena = loom_arena_create()};
		struct place place;

		place_init(&place);
		place.ollama = hosts[i][0];
		place.port = "8088";
		ASSERT_EQ(LOOM_OK,
			  loom_config_load(&place.env, read.arena, &read.config, &read.err));
		ASSERTm(hosts[i][0], loom_str_is(read.config.ollama.base_url, hosts[i][1]));
		ASSERT(loom_str_is(read.config.llamacpp.base_url, "http://127.0.0.1:8088"));
		read_done(&read);
		temp_fini(&place.temp);
	}
	PASS();
}

static struct loom_str log_for(const struct loom_config *config, const char *role, const char *host,
			       const char *port)
{
	const struct loom_provider *log =
		loom_config_log(config, &(struct loom_login){role, host, port});

	return log ? log->key_env : LOOM_STR("none");
}

TEST a_servers_password_is_where_the_most_particular_name_says(void)
{
	struct read read;

	read_text(&read, LOOM_STR("{\"logs\": {\"db.lab\": {\"key_env\": \"A\"}, \"db.lab:5433\": "
				  "{\"key_env\": \"B\"}, \"jo@db.lab\": {\"key_env\": \"C\"}, "
				  "\"jo@db.lab:5433\": {\"key_env\": \"D\"}}}"));
	ASSERT_EQ(LOOM_OK, read.status);
	ASSERT(loom_str_is(log_for(&read.config, NULL, "db.lab", NULL), "A"));
	ASSERT(loom_str_is(log_for(&read.config, "marie", "db.lab", "5432"), "A"));
	ASSERT(loom_str_is(log_for(&read.config, "marie", "db.lab", "5433"), "B"));
	ASSERT(loom_str_is(log_for(&read.config, "jo", "db.lab", "5432"), "C"));
	ASSERT(loom_str_is(log_for(&read.config, "jo", "db.lab", "5433"), "D"));
	ASSERT(loom_str_is(log_for(&read.config, "jo", "db.lab.org", NULL), "none"));
	ASSERT(loom_str_is(log_for(&read.config, "jo", "lab", NULL), "none"));
	read_done(&read);
	read_text(&read, LOOM_STR("{\"logs\": {\"db.lab\": {\"password\": \"x\"}}}"));
	ASSERT_EQ(LOOM_INVALID, read.status);
	read_done(&read);
	read_text(&read, LOOM_STR("{\"logs\": {\"db.lab\": {\"key_env\": \"A\", \"key_file\": "
				  "\"b\"}}}"));
	ASSERT_EQ(LOOM_INVALID, read.status);
	read_done(&read);
	PASS();
}

SUITE(text)
{
	RUN_TEST(everything_that_may_be_said_is_read);
	RUN_TEST(a_comment_does_not_begin_within_a_text);
	RUN_TEST(what_is_unknown_warns_with_its_place);
	RUN_TEST(what_makes_no_sense_is_refused_with_its_place);
	RUN_TEST(any_damage_is_an_error_or_a_configuration);
	RUN_TEST(an_agent_is_laid_over_what_it_extends);
	RUN_TEST(who_extends_nobody_is_told_where);
	RUN_TEST(an_address_that_none_can_ask_is_told_where);
	RUN_TEST(a_name_leads_to_a_model);
}

SUITE(file)
{
	RUN_TEST(without_a_file_there_is_an_empty_configuration);
	RUN_TEST(a_file_that_others_can_write_or_that_tells_of_keys_is_refused);
	RUN_TEST(what_is_no_file_or_too_large_is_an_error);
	RUN_TEST(a_servers_password_is_where_the_most_particular_name_says);
	RUN_TEST(the_environment_says_where_this_machines_servers_are);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(text);
	RUN_SUITE(file);
	GREATEST_MAIN_END();
}
