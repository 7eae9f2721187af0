/* Any bytes as config.json: read or refused with the reason, and whatever was read can be asked
 * for: every agent with what it extends, every model by its name; and what a sampling says is read
 * again as it was written. */
#include <loom/config/config.h>

#include "tests/fuzz/fuzz.h"

static void check_sampling(const struct loom_sampling *sampling, struct loom_arena *arena)
{
	struct loom_buf once = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf twice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_sampling again;
	struct loom_json json;

	loom_json_init(&json, &once);
	loom_json_object(&json);
	loom_sampling_write(sampling, &json);
	loom_json_end_object(&json);
	must(loom_json_check(loom_buf_str(&once), NULL, NULL) == LOOM_OK);
	must(loom_sampling_parse(loom_buf_str(&once), arena, &again, NULL) == LOOM_OK);
	loom_json_init(&json, &twice);
	loom_json_object(&json);
	loom_sampling_write(&again, &json);
	loom_json_end_object(&json);
	must(loom_str_eq(loom_buf_str(&once), loom_buf_str(&twice)));
	loom_buf_fini(&once);
	loom_buf_fini(&twice);
}

static void ask_for_all(const struct loom_config *config, struct loom_arena *arena)
{
	struct loom_agent_config agent;
	struct loom_model model;
	struct loom_err err = {.status = LOOM_OK};

	for (size_t i = 0; i < config->agent_count; i++) {
		must(loom_config_agent(config, config->agents[i].name, &agent));
		check_sampling(&agent.sampling, arena);
		if (loom_config_model(config, agent.model, arena, &model, &err))
			must(err.text[0] != '\0');
	}
	for (size_t i = 0; i < config->model_count; i++)
		must(loom_config_model(config, config->models[i].alias, arena, &model, NULL) ==
		     LOOM_OK);
	for (size_t i = 0; i < config->warning_count; i++)
		must(config->warnings[i].n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loom_str text = fuzz_text(data, size, 0);
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err = {.status = LOOM_OK};
	struct loom_sampling sampling = {.set = 0};
	struct loom_config config;

	loom_config_init(&config, NULL, arena);
	if (loom_config_read(text, LOOM_STR("config.json"), arena, &config, &err))
		must(err.text[0] != '\0');
	else
		ask_for_all(&config, arena);
	if (loom_json_check(text, NULL, NULL) == LOOM_OK &&
	    loom_sampling_parse(text, arena, &sampling, NULL) == LOOM_OK)
		check_sampling(&sampling, arena);
	loom_arena_destroy(arena);
	return 0;
}
