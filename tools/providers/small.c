/* Small models, which write summaries: the configured one, else that of a vendor whose key is in
 * the environment, and what is asked when a vendor no longer serves it. Pure but for the
 * environment; the requests are made by voice_http.c. */
#include <loom/providers/small.h>

#include "ask.h"

/* Small models that a configuration may name, best first, each as two vendors write it. */
static const char *const known[][2] = {{"claude-3.5-haiku", "claude-3-5-haiku"},
				       {"gpt-4o-mini", "gpt-4o-mini"}};

/* The vendors whose keys are looked for, best first. */
static const enum loom_api vendors[] = {LOOM_API_ANTHROPIC, LOOM_API_OPENAI};

/* Whether there is a key, as far as can be seen without running a program. */
static bool has_key(const struct loom_env *env, const struct loom_provider *provider)
{
	const char *key = provider->key_env.n ? loom_env_var(env, provider->key_env.p) : "none";

	return key && *key;
}

static bool is_known(struct loom_str id, size_t rank)
{
	return loom_str_find(id, loom_str_of(known[rank][0]), 0) != SIZE_MAX ||
	       loom_str_find(id, loom_str_of(known[rank][1]), 0) != SIZE_MAX;
}

/* Returns the alias of the configured small model; empty: none. */
static struct loom_str configured(const struct loom_config *config, const struct loom_env *env)
{
	if (config->summary_model.n)
		return config->summary_model;
	for (size_t rank = 0; rank < LOOM_COUNT(known); rank++)
		for (size_t i = 0; i < config->model_count; i++)
			if (is_known(config->models[i].id, rank) &&
			    has_key(env, config->models[i].provider))
				return config->models[i].alias;
	for (size_t i = 0; i < config->model_count; i++)
		if (config->models[i].caps.small == LOOM_CAN)
			return config->models[i].alias;
	return LOOM_STR("");
}

bool loom_small_configured(const struct loom_config *config, const struct loom_env *env)
{
	return configured(config, env).n > 0;
}

bool loom_small_offer(const struct loom_config *config, const struct loom_env *env,
		      struct loom_small *out)
{
	if (configured(config, env).n)
		return false;
	for (size_t i = 0; i < LOOM_COUNT(vendors); i++) {
		const struct provider_small *small = provider_api_of(vendors[i])->small;
		const struct loom_str name = loom_str_of(loom_api_name(vendors[i]));
		const struct loom_provider *provider = loom_config_provider(config, name);

		LOOM_ASSERT(small && provider);
		if (provider->api != vendors[i] || !provider->key_env.n || !has_key(env, provider))
			continue;
		*out = (struct loom_small){.api = vendors[i],
					   .name = name,
					   .vendor = loom_str_of(small->vendor),
					   .model = loom_str_of(small->usual),
					   .key_env = provider->key_env,
					   .base_url = provider->base_url};
		return true;
	}
	return false;
}

struct loom_str provider_small_alias(const struct loom_voices *voices, struct loom_arena *arena)
{
	const struct loom_str alias = configured(voices->opts.config, voices->opts.env);
	struct loom_small small;

	if (alias.n || !loom_small_offer(voices->opts.config, voices->opts.env, &small) ||
	    !(voices->opts.small_may & 1u << small.api))
		return alias;
	return loom_arena_format(arena, "%.*s/%.*s", LOOM_STR_ARG(small.name),
				 LOOM_STR_ARG(small.model));
}

/* ---- a model that is gone ---- */

bool provider_small_gone(const struct provider_ask *ask)
{
	const struct provider_voice *voice = &ask->generation->voice;
	const bool named = loom_str_find(loom_buf_str(&ask->document), LOOM_STR("model_not_found"),
					 0) != SIZE_MAX;
	const bool refused = ask->status == 404 || ask->status == 410 ||
			     (ask->status >= 400 && ask->status < 500 && named);

	return refused && voice->use == LOOM_GENERATE_SUMMARY &&
	       provider_api_of(voice->provider->api)->small;
}

/* When a model came, so that the later of two is the greater text. */
static struct loom_str born(struct loom_str item, const struct provider_small *small,
			    struct loom_arena *arena)
{
	const struct loom_str when = loom_jval_get(item, small->born);
	int64_t seconds = 0;

	if (loom_jval_int(when, &seconds) && seconds >= 0)
		return loom_arena_format(arena, "%020lld", (long long)seconds);
	return loom_jval_text(when, arena);
}

static int compare(struct loom_str a, struct loom_str b)
{
	const size_t least = a.n < b.n ? a.n : b.n;
	const int order = least ? memcmp(a.p, b.p, least) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

struct loom_str provider_small_newest(enum loom_api which, struct loom_str list,
				      struct loom_str gone, struct loom_arena *arena)
{
	const struct provider_api *api = provider_api_of(which);
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(list, api->models_in));
	struct loom_str best = {NULL, 0};
	struct loom_str best_born = LOOM_STR("");
	struct loom_str item;

	LOOM_ASSERT(api->small);
	while (loom_jwalk_next(&walk, NULL, &item)) {
		const struct loom_str id =
			loom_jval_text(loom_jval_get(item, api->model_id), arena);
		const struct loom_str when = born(item, api->small, arena);
		const int order = compare(when, best_born);

		if (!id.n || loom_str_eq(id, gone) || !api->small->fits(id) ||
		    (best.n && (order < 0 || (order == 0 && id.n >= best.n))))
			continue;
		best = id;
		best_born = when;
	}
	return loom_arena_str(arena, best);
}
