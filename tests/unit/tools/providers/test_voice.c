/* Voices: what the embedded one says, how a request leads to a model, which sampling wins. */
#include <greatest.h>

#include <loom/base/json.h>
#include <loom/base/jval.h>

#include "support/asked.h"
#include <loom/providers/generation.h>

struct world {
	struct loom_env env;
	struct loom_loop *loop;
	struct loom_arena *arena;
	struct loom_config config;
	struct loom_voices *voices;
	struct asked asked;
};

static void give_grove(void *ctx, size_t max, struct loom_buf *out)
{
	(void)max;
	loom_buf_adds(out, ctx);
}

static void world_open(struct world *world, const char *config, const char *grove)
{
	struct loom_err err;

	*world = (struct world){.arena = loom_arena_create(), .loop = loom_loop_create()};
	loom_env_init_fixed(&world->env, 1000, 7);
	loom_config_init(&world->config, NULL, world->arena);
	if (loom_config_read(loom_str_of(config ? config : "{}"), LOOM_STR("config.json"),
			     world->arena, &world->config, &err) != LOOM_OK) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	world->voices = loom_voices_create(&(struct loom_voices_opts){
		.env = &world->env,
		.loop = world->loop,
		.config = &world->config,
		.grove_text = grove ? give_grove : NULL,
		.ctx = grove ? loom_arena_cstr(world->arena, loom_str_of(grove)) : NULL,
	});
	asked_init(&world->asked, world->loop, loom_voices_generator(world->voices));
}

static void world_close(struct world *world)
{
	loom_voices_destroy(world->voices);
	asked_fini(&world->asked);
	loom_loop_destroy(world->loop);
	loom_arena_destroy(world->arena);
}

static struct loom_generate_request ask(const char *text, size_t n)
{
	return (struct loom_generate_request){.text = loom_str_of(text),
					      .n = n,
					      .tokens = 30,
					      .salt = 5};
}

TEST siblings_of_the_embedded_model_grow_side_by_side(void)
{
	struct loom_generate_request request = ask("The old man", 3);
	struct world world;

	world_open(&world, NULL, NULL);
	ASSERT(asked_run(&world.asked, &request, NULL));
	for (size_t i = 0; i < 3; i++) {
		const struct asked_choice *choice = &world.asked.choices[i];

		ASSERT_EQ(1, choice->ends);
		ASSERT_EQ(LOOM_FINISH_LENGTH, choice->finish);
		ASSERT_EQ(30, (int)choice->chunk_count);
		ASSERT(loom_str_eq(loom_buf_str(&choice->text), loom_buf_str(&choice->raw)));
		ASSERT_EQ(LOOM_OK, loom_json_check(loom_buf_str(&choice->record), NULL, NULL));
	}
	ASSERT_FALSE(loom_str_eq(loom_buf_str(&world.asked.choices[0].text),
				 loom_buf_str(&world.asked.choices[1].text)));
	world_close(&world);
	PASS();
}

TEST the_same_seed_and_salt_give_the_same_bytes(void)
{
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf record = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (int i = 0; i < 4; i++) {
		struct loom_generate_request request = ask("The sea", 2);
		struct world world;
		bool same = false;

		world_open(&world, NULL, i == 3 ? "The sea of Zerzura. The sea of Zerzura." : NULL);
		request.salt += i == 2;
		ASSERT(asked_run(&world.asked, &request, NULL));
		if (!i) {
			loom_buf_add(&first, loom_buf_str(&world.asked.choices[1].text));
			loom_buf_add(&record, loom_buf_str(&world.asked.choices[1].record));
		}
		same = loom_str_eq(loom_buf_str(&first),
				   loom_buf_str(&world.asked.choices[1].text));
		ASSERT_EQ(i < 2, same);
		ASSERT(i > 1 || loom_str_eq(loom_buf_str(&record),
					    loom_buf_str(&world.asked.choices[1].record)));
		world_close(&world);
	}
	loom_buf_fini(&first);
	loom_buf_fini(&record);
	PASS();
}

TEST the_record_says_who_it_was_and_how_likely(void)
{
	struct loom_generate_request request = ask("We stood", 1);
	struct world world;
	struct loom_str record;
	struct loom_str tokens;

	world_open(&world, NULL, NULL);
	ASSERT(asked_run(&world.asked, &request, NULL));
	record = loom_buf_str(&world.asked.choices[0].record);
	ASSERT(loom_jval_says(loom_jval_get(record, "provider"), LOOM_STR("ngram")));
	ASSERT(loom_jval_says(loom_jval_get(record, "strategy"), LOOM_STR("completion")));
	ASSERT(loom_jval_says(loom_jval_get(record, "finish"), LOOM_STR("length")));
	tokens = loom_jval_get(record, "logprobs");
	ASSERT_EQ(30, (int)loom_jval_count(tokens));
	ASSERT_FALSE(loom_jval_get(record, "latency_ms").p); /* the clock is fixed */
	ASSERT_FALSE(loom_jval_get(record, "partial").p);
	world_close(&world);
	PASS();
}

TEST a_stop_text_ends_a_choice_and_is_never_told(void)
{
	struct loom_generate_request request = ask("x", 2);
	struct world world;

	world_open(&world, "{\"agents\":{\"a\":{\"stop\":[\"c d\",\"never\"],\"temperature\":0}}}",
		   "x a b c d e f g. x a b c d e f g. x a b c d e f g. x a b c d e f g.");
	request.voice.agent = LOOM_STR("a");
	ASSERT(asked_run(&world.asked, &request, NULL));
	for (size_t i = 0; i < 2; i++) {
		ASSERT_EQ(LOOM_FINISH_STOP_TEXT, world.asked.choices[i].finish);
		ASSERT_STR_EQ(" a b ", loom_buf_cstr(&world.asked.choices[i].text));
		ASSERT(loom_jval_says(loom_jval_get(loom_buf_str(&world.asked.choices[i].record),
						    "stop"),
				      LOOM_STR("c d")));
	}
	world_close(&world);
	PASS();
}

TEST one_choice_is_cancelled_and_the_others_go_on(void)
{
	struct loom_generate_request request = ask("We", 3);
	struct world world;

	world_open(&world, NULL, NULL);
	world.asked.cancel_at = 10;
	world.asked.cancel = 1;
	ASSERT(asked_run(&world.asked, &request, NULL));
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[0].finish);
	ASSERT_EQ(LOOM_FINISH_CANCELLED, world.asked.choices[1].finish);
	ASSERT_EQ(LOOM_FINISH_LENGTH, world.asked.choices[2].finish);
	ASSERT(world.asked.choices[1].text.n > 0);
	ASSERT(loom_str_is(loom_jval_get(loom_buf_str(&world.asked.choices[1].record), "partial"),
			   "true"));
	world_close(&world);
	PASS();
}

TEST all_are_cancelled_at_any_moment(void)
{
	for (size_t at = 0; at < 40; at += 3) {
		struct loom_generate_request request = ask("We", 4);
		struct world world;

		world_open(&world, NULL, NULL);
		world.asked.cancel_at = at;
		world.asked.cancel = LOOM_CHOICES_ALL;
		ASSERT_EQ(LOOM_OK, asked_start(&world.asked, &request, NULL));
		if (!at)
			world.asked.generator->cancel(world.asked.generator->ctx,
						      world.asked.generation, LOOM_CHOICES_ALL);
		ASSERT(asked_wait(&world.asked, 2000));
		for (size_t i = 0; i < 4; i++)
			ASSERT_EQ(LOOM_FINISH_CANCELLED, world.asked.choices[i].finish);
		world_close(&world);
	}
	PASS();
}

TEST voices_may_go_away_in_the_middle(void)
{
	struct loom_generate_request request = ask("We", 4);
	struct world world;

	world_open(&world, NULL, NULL);
	ASSERT_EQ(LOOM_OK, asked_start(&world.asked, &request, NULL));
	for (int i = 0; i < 5; i++)
		(void)loom_loop_step(world.loop, 10);
	world_close(&world);
	ASSERT_EQ(0, world.asked.done);
	PASS();
}

static const char layers[] =
	"{\n"
	" // providers come last, and still count\n"
	" \"agents\": {\"base\": {\"temperature\": 0.5, \"n\": 4, \"system\": \"Be brief.\"},\n"
	"  \"top\": {\"extends\": \"base\", \"model\": \"m\", \"tokens\": 70}},\n"
	" \"models\": {\"m\": {\"provider\": \"p\", \"top_p\": 0.8, \"temperature\": 0.9,\n"
	"   \"tokens\": 60, \"max_out\": 65, \"context\": 2048}}, /* a comment */\n"
	" \"providers\": {\"p\": {\"api\": \"ngram\", \"top_p\": 0.7, \"min_p\": 0.1}}\n"
	"}\n";

TEST the_nearer_word_wins(void)
{
	struct loom_generate_voice wanted = {.agent = LOOM_STR_INIT("top")};
	struct provider_voice voice;
	struct loom_voice_info info;
	struct world world;

	world_open(&world, layers, NULL);
	ASSERT_EQ(LOOM_OK, provider_voice_find(world.voices, &wanted, world.arena, &voice, NULL));
	ASSERT(loom_str_is(voice.model.alias, "m"));
	ASSERT_EQ(0.5, voice.sampling.temperature);
	ASSERT_EQ(0.8, voice.sampling.top_p);
	ASSERT_EQ(0.1, voice.sampling.min_p);
	ASSERT_EQ(4, (int)voice.sampling.n);
	ASSERT_EQ(70, (int)voice.sampling.tokens);
	wanted.sampling = LOOM_STR("{\"temperature\":0.25,\"unknown\":1}");
	ASSERT_EQ(LOOM_OK, provider_voice_find(world.voices, &wanted, world.arena, &voice, NULL));
	ASSERT_EQ(0.25, voice.sampling.temperature);
	ASSERT_EQ(LOOM_STRATEGY_MODE, voice.sampling.truncation);
	wanted.sampling = LOOM_STR("{\"truncation\":\"rollingWindow\"}");
	ASSERT_EQ(LOOM_OK, provider_voice_find(world.voices, &wanted, world.arena, &voice, NULL));
	ASSERT_EQ(LOOM_ROLLING_WINDOW, voice.sampling.truncation);
	wanted.sampling = LOOM_STR("");
	ASSERT_EQ(LOOM_OK, world.asked.generator->describe(world.asked.generator->ctx, &wanted,
							   &info, NULL));
	ASSERT(loom_str_is(info.model, "ngram (built in, not a language model)"));
	ASSERT(loom_str_is(info.provider, "p"));
	ASSERT(loom_str_is(info.system, "Be brief."));
	ASSERT_EQ(65, (int)info.tokens);
	ASSERT_EQ(2048, (int)info.context);
	ASSERT(info.configured);
	world_close(&world);
	PASS();
}

TEST a_name_that_leads_nowhere_is_an_error_with_a_hint(void)
{
	static const struct loom_generate_voice wanted[] = {
		{.model = LOOM_STR_INIT("gpt-none")},
		{.model = LOOM_STR_INIT("nobody/x")},
		{.use = LOOM_GENERATE_COLLABORATOR},
		{.use = LOOM_GENERATE_SUMMARY},
		{.use = LOOM_GENERATE_CLASSIFIER},
		{.sampling = LOOM_STR_INIT("{\"temperature\":\"hot\"}")},
		{.sampling = LOOM_STR_INIT("[1")},
	};
	struct world world;

	world_open(&world, NULL, NULL);
	for (size_t i = 0; i < LOOM_COUNT(wanted); i++) {
		struct loom_generate_request request = ask("x", 1);
		struct loom_err err = {.status = LOOM_OK};

		request.voice = wanted[i];
		ASSERT_EQ(LOOM_MODEL, asked_start(&world.asked, &request, &err));
		ASSERT(err.hint[0]);
		ASSERT_EQ(NULL, world.asked.generation);
	}
	world_close(&world);
	PASS();
}

TEST nothing_speaks_for_an_agent_whose_configuration_cannot_be_read(void)
{
	struct loom_err broken = {.status = LOOM_OK};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_generate_voice wanted = {.agent = LOOM_STR("base")};
	struct provider_voice voice;
	struct world world;

	world_open(&world, NULL, NULL);
	ASSERT_EQ(LOOM_OK, provider_voice_find(world.voices, &wanted, world.arena, &voice, &err));
	loom_voices_destroy(world.voices);
	loom_fail(&broken, LOOM_INVALID, "config.json:2: it ends too early");
	world.voices = loom_voices_create(&(struct loom_voices_opts){.env = &world.env,
								     .loop = world.loop,
								     .config_err = &broken});
	ASSERT_EQ(LOOM_MODEL,
		  provider_voice_find(world.voices, &wanted, world.arena, &voice, &err));
	ASSERT(strstr(err.text, "config.json:2: it ends too early"));
	ASSERT(err.hint[0]);
	wanted.model = LOOM_STR("base-8b");
	ASSERT_EQ(LOOM_MODEL,
		  provider_voice_find(world.voices, &wanted, world.arena, &voice, &err));
	/* who names the embedded model means it */
	wanted.model = LOOM_STR("ngram");
	ASSERT_EQ(LOOM_OK, provider_voice_find(world.voices, &wanted, world.arena, &voice, &err));
	world_close(&world);
	PASS();
}

TEST summaries_have_a_small_model_when_there_is_one(void)
{
	static const char config[] =
		"{\"providers\":{\"a\":{\"api\":\"anthropic\",\"key_env\":\"NO_KEY\"},"
		"\"o\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:1/v1\"}},"
		"\"models\":{\"big\":{\"provider\":\"o\",\"caps\":{\"small\":true}},"
		"\"h\":{\"provider\":\"a\",\"id\":\"claude-3-5-haiku-latest\"},"
		"\"mini\":{\"provider\":\"o\",\"id\":\"gpt-4o-mini\"}}}";
	struct loom_generate_voice wanted = {.use = LOOM_GENERATE_SUMMARY};
	struct provider_voice voice;
	struct world world;

	world_open(&world, config, NULL);
	ASSERT_EQ(LOOM_OK, provider_voice_find(world.voices, &wanted, world.arena, &voice, NULL));
	ASSERT(loom_str_is(voice.model.alias, "mini")); /* the better one has no key */
	world.config.model_count = 1;
	ASSERT_EQ(LOOM_OK, provider_voice_find(world.voices, &wanted, world.arena, &voice, NULL));
	ASSERT(loom_str_is(voice.model.alias, "big"));
	world_close(&world);
	PASS();
}

SUITE(embedded)
{
	RUN_TEST(siblings_of_the_embedded_model_grow_side_by_side);
	RUN_TEST(the_same_seed_and_salt_give_the_same_bytes);
	RUN_TEST(the_record_says_who_it_was_and_how_likely);
	RUN_TEST(a_stop_text_ends_a_choice_and_is_never_told);
	RUN_TEST(one_choice_is_cancelled_and_the_others_go_on);
	RUN_TEST(all_are_cancelled_at_any_moment);
	RUN_TEST(voices_may_go_away_in_the_middle);
}

SUITE(finding)
{
	RUN_TEST(the_nearer_word_wins);
	RUN_TEST(a_name_that_leads_nowhere_is_an_error_with_a_hint);
	RUN_TEST(nothing_speaks_for_an_agent_whose_configuration_cannot_be_read);
	RUN_TEST(summaries_have_a_small_model_when_there_is_one);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(embedded);
	RUN_SUITE(finding);
	GREATEST_MAIN_END();
}
