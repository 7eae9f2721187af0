/* The models available on the command line, and the settings of an agent on which its context
 * depends. */
#include <loom/log/budget.h>
#include <loom/ngram/grove_text.h>
#include <loom/providers/voice.h>

#include <loom/cli/services.h>
#include <loom/cli/log_password.h>
#include <loom/cli/open_grove.h>
#include <loom/cli/trust_ask.h>

/* Reads the text that the built-in model learns from, on the connection of the calling thread. */
static void grove_text(void *ctx, size_t max, struct loom_buf *out)
{
	const struct cli_grove *grove = ctx;

	loom_grove_text(grove->store, max, out);
}

/* The vendors that may write summaries here. A person is asked if `ask` is set. */
static unsigned settle_small(struct cli_grove *grove, const struct loom_config *config, bool ask)
{
	const struct loom_small_question question = {.env = &grove->cli->env,
						     .dir = loom_store_dir(grove->store),
						     .config = config,
						     .person = ask && cli_grove_person(grove) &&
							       !grove->cli->agent};

	return loom_small_settle(&question);
}

void cli_small_ask(struct cli_grove *grove)
{
	struct loom_config config;

	if (loom_config_load(&grove->cli->env, grove->arena, &config, NULL) == LOOM_OK)
		(void)settle_small(grove, &config, true);
}

bool cli_small_there(struct cli_grove *grove)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_config config;
	const bool there =
		loom_config_load(&grove->cli->env, arena, &config, NULL) == LOOM_OK &&
		loom_small_there(&grove->cli->env, loom_store_dir(grove->store), &config);

	loom_arena_destroy(arena);
	return there;
}

void cli_voices_open(struct cli_grove *grove, struct cli_voices *out)
{
	struct loom_cli *cli = grove->cli;
	struct loom_config *config = LOOM_ARENA_NEW(cli->arena, struct loom_config);
	struct loom_voices_opts opts = {.env = &cli->env,
					.loop = loom_cli_loop(cli),
					.grove_text = grove_text,
					.ctx = grove};
	struct loom_err err;

	if (loom_config_load(&cli->env, cli->arena, config, &err) == LOOM_OK) {
		opts.config = config;
		opts.small_may = settle_small(grove, config, false);
	} else {
		opts.config_err = &err;
		loom_out_warn(cli->out, "%s", err.text);
	}
	for (size_t i = 0; opts.config && i < config->warning_count; i++)
		loom_out_warn(cli->out, "%.*s", LOOM_STR_ARG(config->warnings[i]));
	out->voices = loom_voices_create(&opts);
	out->generator = loom_voices_generator(out->voices);
}

void cli_wish(struct loom_cli *cli)
{
	struct loom_config config;

	cli->env.password = cli_log_password;
	if (loom_env_var(&cli->env, "LOOM_ME") ||
	    loom_config_load(&cli->env, cli->arena, &config, NULL) != LOOM_OK ||
	    config.me.n >= sizeof cli->env.wish)
		return;
	if (config.me.n)
		memcpy(cli->env.wish, config.me.p, config.me.n);
	cli->env.wish[config.me.n] = '\0';
}

size_t cli_result_tokens(struct cli_grove *grove)
{
	struct loom_config config;

	/* Errors of the configuration are reported when a model is used. */
	if (loom_config_load(&grove->cli->env, grove->arena, &config, NULL) != LOOM_OK)
		return 0;
	return (size_t)config.result_tokens;
}

void cli_voices_close(struct cli_voices *voices)
{
	loom_voices_destroy(voices->voices);
	*voices = (struct cli_voices){.voices = NULL};
}

void cli_voice_of(const struct cli_voices *voices, const struct loom_agent *agent,
		  struct cli_asked *out)
{
	const struct loom_generator *generator = voices->generator;
	struct loom_voice_info info;

	*out = (struct cli_asked){
		.voice = {.use = agent->aware ? LOOM_GENERATE_COLLABORATOR : LOOM_GENERATE_SUBJECT,
			  .agent = agent->name,
			  .model = agent->model,
			  .sampling = agent->sampling}};
	if (generator->describe(generator->ctx, &out->voice, &info, NULL) != LOOM_OK)
		return;
	out->prompt = info.system;
	out->truncation = info.truncation;
	out->thoughts = info.thoughts;
	out->budget = info.budget;
	out->window = info.context;
}
