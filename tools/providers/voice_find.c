/* From a request's voice to a model: which alias counts, and which sampling wins. */
#include <loom/providers/generation.h>

#define TOKENS_SUBJECT      50
#define TOKENS_COLLABORATOR 4096
#define TOKENS_SMALL        50
#define NGRAM_ALTERNATIVES  5

/* How long an answer may be unless somebody says so. In a small window, a collaborator's leaves
 * most of it to the prompt. */
static int64_t base_tokens(enum loom_generate_use use, const struct loom_model *model)
{
	const int64_t part = model->context / 4;

	if (use == LOOM_GENERATE_SUBJECT)
		return TOKENS_SUBJECT;
	if (use != LOOM_GENERATE_COLLABORATOR)
		return TOKENS_SMALL;
	return part && part < TOKENS_COLLABORATOR ? part : TOKENS_COLLABORATOR;
}

/* The built-in defaults. */
static struct loom_sampling base_sampling(enum loom_generate_use use,
					  const struct loom_model *model)
{
	struct loom_sampling sampling = {
		.set = LOOM_SAMPLING_TEMPERATURE | LOOM_SAMPLING_TOP_P | LOOM_SAMPLING_N |
		       LOOM_SAMPLING_TOKENS,
		.temperature = use == LOOM_GENERATE_CLASSIFIER ? 0 : 1,
		.top_p = 1,
		.n = 1,
		.tokens = base_tokens(use, model),
	};

	if (model->provider->api == LOOM_API_NGRAM) {
		sampling.set |= LOOM_SAMPLING_LOGPROBS;
		sampling.logprobs = NGRAM_ALTERNATIVES;
	}
	return sampling;
}

static struct loom_str default_alias(const struct loom_voices *voices, enum loom_generate_use use,
				     struct loom_arena *arena)
{
	const struct loom_config *config = voices->opts.config;

	switch (use) {
	case LOOM_GENERATE_SUBJECT:
		return config->subject_model.n ? config->subject_model : LOOM_STR("ngram");
	case LOOM_GENERATE_COLLABORATOR:
		return config->collaborator_model;
	case LOOM_GENERATE_SUMMARY:
		return provider_small_alias(voices, arena);
	case LOOM_GENERATE_CLASSIFIER:
		return config->classifier;
	}
	return LOOM_STR("");
}

static enum loom_status nobody(const struct loom_voices *voices, enum loom_generate_use use,
			       struct loom_err *err)
{
	static const char *const keys[] = {
		[LOOM_GENERATE_SUBJECT] = "subject_model",
		[LOOM_GENERATE_COLLABORATOR] = "collaborator_model",
		[LOOM_GENERATE_SUMMARY] = "summary_model",
		[LOOM_GENERATE_CLASSIFIER] = "classifier",
	};

	loom_fail(err, LOOM_MODEL, "no model is set up for this");
	return loom_hint(err, LOOM_MODEL, "set \"%s\" in %.*s, or give the agent a model",
			 keys[use], LOOM_STR_ARG(voices->opts.config->path));
}

/* The model to ask may be named in the configuration that could not be read. */
static enum loom_status unread(const struct loom_voices *voices, struct loom_err *err)
{
	loom_fail(err, LOOM_MODEL, "the model to ask is unknown: %s", voices->config_err.text);
	return voices->config_err.hint[0]
		       ? loom_hint(err, LOOM_MODEL, "%s", voices->config_err.hint)
		       : loom_hint(err, LOOM_MODEL, "correct it, or ask agent:\"ngram\"");
}

static void lay(struct provider_voice *voice, const struct loom_sampling *over)
{
	voice->said |= over->set;
	loom_sampling_lay(&voice->sampling, over);
}

static enum loom_status lay_grove(const struct loom_generate_voice *wanted,
				  struct loom_arena *arena, struct provider_voice *voice,
				  struct loom_err *err)
{
	struct loom_sampling grove;
	struct loom_err why;

	if (loom_sampling_parse(loom_arena_str(arena, wanted->sampling), arena, &grove, &why) !=
	    LOOM_OK) {
		loom_fail(err, LOOM_MODEL, "the sampling of \"%.*s\" is malformed: %s",
			  LOOM_STR_ARG(wanted->agent), why.text);
		return loom_hint(err, LOOM_MODEL, "loom agent set %.*s … corrects it",
				 LOOM_STR_ARG(wanted->agent));
	}
	lay(voice, &grove);
	return LOOM_OK;
}

/* The line counts most. */
static enum loom_status lay_line(const struct loom_generate_voice *wanted, struct loom_arena *arena,
				 struct provider_voice *voice, struct loom_err *err)
{
	struct loom_sampling line;
	enum loom_status status =
		loom_sampling_parse(loom_arena_str(arena, wanted->line), arena, &line, err);

	if (status == LOOM_OK)
		lay(voice, &line);
	return status;
}

enum loom_status provider_voice_find(const struct loom_voices *voices,
				     const struct loom_generate_voice *wanted,
				     struct loom_arena *arena, struct provider_voice *out,
				     struct loom_err *err)
{
	const struct loom_config *config = voices->opts.config;
	struct loom_agent_config agent;
	bool known = loom_config_agent(config, wanted->agent, &agent);
	struct loom_str alias = wanted->model.n ? wanted->model : agent.model;
	enum loom_status status = LOOM_OK;

	*out = (struct provider_voice){.use = wanted->use,
				       .agent = loom_arena_str(arena, wanted->agent),
				       .system = agent.system,
				       .allowance = agent.allowance,
				       .configured = alias.n > 0};
	if (!alias.n) {
		alias = default_alias(voices, wanted->use, arena);
		out->configured = alias.n && !loom_str_is(alias, "ngram");
	}
	if (voices->config_err.status != LOOM_OK && !loom_str_is(wanted->model, "ngram"))
		return unread(voices, err);
	if (!alias.n)
		return nobody(voices, wanted->use, err);
	status = loom_config_model(config, alias, arena, &out->model, err);
	if (status != LOOM_OK)
		return status;
	out->provider = out->model.provider;
	out->sampling = base_sampling(wanted->use, &out->model);
	lay(out, &out->provider->sampling);
	lay(out, &out->model.sampling);
	if (known)
		lay(out, &agent.sampling);
	status = lay_grove(wanted, arena, out, err);
	return status == LOOM_OK ? lay_line(wanted, arena, out, err) : status;
}
