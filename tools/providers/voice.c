/* The generator for a configuration: resolves the voice, selects the backend, starts. */
#include <loom/providers/dialect.h>

#include <loom/log/budget.h>
#include <loom/http/http.h>

static void limit_tokens(struct provider_voice *voice, int64_t asked)
{
	int64_t most = voice->model.max_out;

	if (asked > 0)
		voice->sampling.tokens = asked;
	if (most && voice->sampling.tokens > most)
		voice->sampling.tokens = most;
}

/* The model's configured maximum; else its window less the reserve that is usually kept for the
 * answer, and here for the prompt. */
static int64_t most_tokens(const struct loom_model *model)
{
	return model->max_out ? model->max_out : loom_budget(model->context, 0);
}

static enum loom_status start(void *ctx, const struct loom_generate_request *request,
			      const struct loom_generate_sink *sink, struct loom_generation **out,
			      struct loom_err *err)
{
	struct loom_voices *voices = ctx;
	struct loom_arena *arena = loom_arena_create();
	struct provider_voice voice;
	const struct provider_backend *backend = NULL;
	enum loom_status status = provider_voice_find(voices, &request->voice, arena, &voice, err);

	*out = NULL;
	if (status == LOOM_OK)
		backend = provider_api_of(voice.provider->api)->backend;
	if (status == LOOM_OK)
		status = provider_check_sampling(&voice, err);
	if (status == LOOM_OK && backend == &provider_backend_http)
		status = provider_http_ready(voices, &voice, err);
	if (status != LOOM_OK) {
		loom_arena_destroy(arena);
		return status;
	}
	limit_tokens(&voice, request->tokens);
	*out = provider_generation_create(voices, &voice, request, sink, arena);
	(*out)->backend = backend;
	provider_generation_begin(*out);
	return LOOM_OK;
}

static void cancel(void *ctx, struct loom_generation *generation, size_t choice)
{
	(void)ctx;
	provider_generation_cancel(generation, choice);
}

/* A copy of a name that outlives the call; the same name always gives the same copy. */
static struct loom_str keep(struct loom_voices *voices, struct loom_str name)
{
	uint32_t number = ngram_words_put(&voices->names, name);

	return voices->names.items[number];
}

/* A window that the server has told is believed unless somebody has set a smaller one. */
static int64_t window_of(const struct loom_facts *facts, const struct loom_model *model)
{
	if (!model->context || !facts->window)
		return model->context ? model->context : facts->window;
	return model->context < facts->window ? model->context : facts->window;
}

static double token_bytes(const struct loom_facts *facts)
{
	struct loom_text_mix seen = {.bytes = {0}};
	double bytes = 0;

	for (int kind = 0; kind < LOOM_TEXT_KIND_COUNT; kind++)
		bytes += seen.bytes[kind] = facts->density.seen[kind];
	return bytes > 0 ? bytes / loom_density_tokens(&facts->density, &seen) : 0;
}

/* Once its tokens have been counted, all of a window is used but a little. */
int64_t loom_voice_budget(const struct loom_voice_info *voice, int64_t answer)
{
	const int64_t room = voice->context - answer;
	int64_t budget = 0;

	if (!(voice->token_bytes > 0) || room < voice->context / 4)
		return loom_budget(voice->context, answer);
	budget = (int64_t)((double)room * 0.95 * voice->token_bytes / 4);
	return budget > 0 ? budget : 1;
}

static enum loom_status describe(void *ctx, const struct loom_generate_voice *wanted,
				 struct loom_voice_info *out, struct loom_err *err)
{
	struct loom_voices *voices = ctx;
	struct loom_arena *arena = NULL;
	struct loom_agent_config agent;
	struct provider_voice voice;
	enum loom_status status = LOOM_OK;

	*out = (struct loom_voice_info){.configured = false};
	if (loom_config_agent(voices->opts.config, wanted->agent, &agent) && agent.plan.count) {
		*out = (struct loom_voice_info){.plan = agent.plan, .allowance = agent.allowance};
		return LOOM_OK;
	}
	arena = loom_arena_create();
	status = provider_voice_find(voices, wanted, arena, &voice, err);
	if (status == LOOM_OK) {
		bool embedded = voice.provider->api == LOOM_API_NGRAM;
		const struct loom_facts *facts =
			loom_learned_of(voices->learned, voice.provider->base_url, voice.model.id);

		limit_tokens(&voice, 0);
		*out = (struct loom_voice_info){
			.model = embedded ? LOOM_STR("ngram (built in, not a language model)")
					  : keep(voices, voice.model.alias),
			.provider = keep(voices, voice.provider->name),
			.context = window_of(facts, &voice.model),
			.token_bytes = token_bytes(facts),
			.tokens = voice.sampling.tokens,
			.most = most_tokens(&voice.model),
			.n = voice.sampling.n,
			.truncation = voice.sampling.truncation,
			.system = voice.system,
			.configured = voice.configured,
			.thoughts = provider_takes_thoughts(&voice.model),
			.priced = voice.model.priced,
			.price_in = voice.model.price_in,
			.allowance = voice.allowance,
		};
		out->budget = loom_voice_budget(out, out->tokens);
	}
	loom_arena_destroy(arena);
	return status;
}

struct loom_voices *loom_voices_create(const struct loom_voices_opts *opts)
{
	struct loom_voices *voices = loom_alloc(sizeof *voices);

	*voices = (struct loom_voices){.opts = *opts, .arena = loom_arena_create()};
	voices->names.arena = voices->arena;
	voices->learned = loom_learned_open(opts->env);
	loom_config_init(&voices->empty, opts->env, voices->arena);
	if (!voices->opts.config)
		voices->opts.config = &voices->empty;
	if (opts->config_err)
		voices->config_err = *opts->config_err;
	voices->generator =
		(struct loom_generator){.start = start,
					.cancel = cancel,
					.describe = describe,
					.ctx = voices,
					.result_tokens = voices->opts.config->result_tokens};
	return voices;
}

void loom_voices_destroy(struct loom_voices *voices)
{
	if (!voices)
		return;
	while (voices->first)
		provider_generation_destroy(voices->first);
	loom_http_client_destroy(voices->http);
	provider_lanes_destroy(voices);
	ngram_words_fini(&voices->names);
	loom_learned_close(voices->learned);
	loom_arena_destroy(voices->arena);
	free(voices);
}

const struct loom_generator *loom_voices_generator(const struct loom_voices *voices)
{
	return &voices->generator;
}
