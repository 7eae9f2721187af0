/* `loom models`: lists the available models: built-in, configured, and those of local servers.
 * Remote servers are asked only with --check. */
#include <loom/cli/services.h>

#include <loom/config/config.h>
#include <loom/providers/probe.h>
#include <loom/providers/trial.h>

#include <loom/commands/args_of.def>
#include <loom/commands/agents.def>

#define HERE_MS  400
#define THERE_MS 10000

static const char example[] =
	"{\"providers\":{\"local\":{\"api\":\"llamacpp\"}},\"models\":{\"base\":{\"provider\":"
	"\"local\",\"context\":8192}}}";

struct listing {
	struct loom_cli *cli;
	struct loom_config config;
	struct loom_voices *voices;
	struct loom_probe *probes;
	size_t count;
};

static void add_probe(struct listing *listing, const struct loom_provider *provider)
{
	bool here = loom_probe_is_here(provider);

	if (!here && !args_of_models(listing->cli)->check)
		return;
	for (size_t i = 0; i < listing->count; i++)
		if (loom_str_eq(listing->probes[i].provider->name, provider->name))
			return;
	listing->probes[listing->count++] =
		(struct loom_probe){.provider = provider, .timeout_ms = here ? HERE_MS : THERE_MS};
}

/* Whether a configured provider uses this server. */
static bool is_configured(const struct loom_config *config, const struct loom_provider *own)
{
	for (size_t i = 0; i < config->provider_count; i++)
		if (loom_str_starts(config->providers[i].base_url, own->base_url) ||
		    loom_str_eq(config->providers[i].name, own->name))
			return true;
	return false;
}

static void look(struct listing *listing)
{
	const struct loom_config *config = &listing->config;

	listing->probes = LOOM_ARENA_ARRAY(listing->cli->arena, config->provider_count + 2,
					   struct loom_probe);
	for (size_t i = 0; i < config->provider_count; i++)
		if (loom_probe_can(&config->providers[i]))
			add_probe(listing, &config->providers[i]);
	if (!is_configured(config, &config->llamacpp))
		add_probe(listing, &config->llamacpp);
	if (!is_configured(config, &config->ollama))
		add_probe(listing, &config->ollama);
	loom_cli_listen(listing->cli);
	loom_probe_all(listing->voices, listing->probes, listing->count, listing->cli->arena,
		       &listing->cli->task);
	loom_cli_unlisten(listing->cli);
}

static const struct loom_probe *probe_of(const struct listing *listing,
					 const struct loom_provider *provider)
{
	for (size_t i = 0; i < listing->count; i++)
		if (loom_str_eq(listing->probes[i].provider->name, provider->name))
			return &listing->probes[i];
	return NULL;
}

/* Why the model cannot be asked, as far as can be told locally; else "". */
static struct loom_str key_trouble(const struct listing *listing,
				   const struct loom_provider *provider)
{
	if (!provider->key_env.n || loom_env_var(&listing->cli->env, provider->key_env.p))
		return loom_str_make("", 0);
	return loom_arena_format(listing->cli->arena, "no key: $%s is not set",
				 provider->key_env.p);
}

/* Whether the model can be asked, as far as is known. */
static struct loom_str state_of(const struct listing *listing, const struct loom_model *model)
{
	const struct loom_probe *probe = probe_of(listing, model->provider);
	struct loom_str trouble = key_trouble(listing, model->provider);

	if (trouble.n)
		return trouble;
	if (!probe)
		return loom_str_make("", 0);
	if (!probe->there)
		return loom_arena_format(listing->cli->arena, "not reachable: %s", probe->err.text);
	for (size_t i = 0; i < probe->id_count; i++)
		if (loom_str_eq(probe->ids[i], model->id))
			return LOOM_STR("there");
	return probe->any_name ? LOOM_STR("there")
			       : LOOM_STR("the server does not list this model");
}

/* " · continues by system (2026-11-20: 4 of 4 clean …)" */
static void say_way(const struct listing *listing, const struct loom_model *model,
		    struct loom_buf *line)
{
	struct loom_cli *cli = listing->cli;
	const struct loom_way_known known = loom_trial_known(listing->voices, model);
	struct loom_buf day = LOOM_BUF_INIT(64);

	if (known.way == LOOM_WAY_UNSAID)
		return;
	loom_answer_text(cli, "strategy", loom_str_of(loom_way_name(known.way)));
	loom_buf_addf(line, " · continues by %s", loom_way_name(known.way));
	if (known.configured) {
		loom_buf_adds(line, " (configured)");
	} else {
		loom_answer_text(cli, "strategy_why", known.why);
		loom_answer_time(cli, "strategy_at", known.at);
		loom_time_iso(known.at, &day);
		loom_buf_addf(line, " (%.10s: %.*s)", loom_buf_cstr(&day), LOOM_STR_ARG(known.why));
	}
	loom_buf_fini(&day);
}

static void say_model(const struct listing *listing, const struct loom_model *model)
{
	struct loom_cli *cli = listing->cli;
	const struct loom_probe *probe = probe_of(listing, model->provider);
	struct loom_str api = loom_str_of(loom_api_name(model->provider->api));
	struct loom_str state = state_of(listing, model);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "alias", model->alias);
	loom_answer_text(cli, "provider", model->provider->name);
	loom_answer_text(cli, "api", api);
	loom_answer_text(cli, "id", model->id);
	loom_buf_addf(&line, "  %.*s (%.*s)", LOOM_STR_ARG(model->provider->name),
		      LOOM_STR_ARG(api));
	if (!loom_str_eq(model->alias, model->id))
		loom_buf_addf(&line, " · %.*s", LOOM_STR_ARG(model->id));
	if (model->context) {
		loom_answer_number(cli, "context", model->context);
		loom_buf_addf(&line, " · %s",
			      loom_answer_many(cli, model->context, "token", "tokens"));
	}
	say_way(listing, model, &line);
	if (probe)
		loom_answer_flag(cli, "there", probe->there);
	else
		loom_answer_null(cli, "there");
	loom_answer_text(cli, "state", state);
	if (state.n)
		loom_buf_addf(&line, " · %.*s", LOOM_STR_ARG(state));
	loom_answer_piece(cli, LOOM_STRONG, model->alias);
	loom_answer_line(cli, "%s", loom_buf_cstr(&line));
	loom_answer_end(cli);
	loom_buf_fini(&line);
}

static void say_found(struct loom_cli *cli, const struct loom_probe *probe)
{
	const struct loom_provider *provider = probe->provider;

	for (size_t k = 0; k < probe->id_count; k++) {
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "provider", provider->name);
		loom_answer_text(cli, "id", probe->ids[k]);
		loom_answer_text(cli, "at", provider->base_url);
		loom_answer_line(cli, "%.*s/%.*s  found at %.*s", LOOM_STR_ARG(provider->name),
				 LOOM_STR_ARG(probe->ids[k]), LOOM_STR_ARG(provider->base_url));
		loom_answer_end(cli);
	}
}

static void say_config(struct loom_cli *cli, const struct loom_config *config)
{
	if (config->there) {
		loom_answer_note(cli, "configured in %.*s", LOOM_STR_ARG(config->path));
		return;
	}
	loom_answer_note(cli,
			 "nothing is configured. To start, put this into %.*s; then `loom subject "
			 "base` makes that model continue",
			 LOOM_STR_ARG(config->path));
	loom_answer_note(cli, "%s", example);
}

static void say_all(const struct listing *listing)
{
	struct loom_cli *cli = listing->cli;
	const struct loom_config *config = &listing->config;

	loom_answer_text(cli, "config", config->path);
	loom_answer_flag(cli, "configured", config->there);
	loom_answer_piece(cli, LOOM_STRONG, LOOM_STR("ngram"));
	loom_answer_line(
		cli,
		"  built in: strings together words that occurred together; not a language model");
	loom_answer_list(cli, "models");
	for (size_t i = 0; i < config->model_count; i++)
		say_model(listing, &config->models[i]);
	loom_answer_end(cli);
	loom_answer_list(cli, "found");
	for (size_t i = 0; i < listing->count; i++)
		say_found(cli, &listing->probes[i]);
	loom_answer_end(cli);
	say_config(cli, config);
}

/* ---- a trial ---- */

static void say_trial(struct loom_cli *cli, const struct loom_trial *trial)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool any = false;

	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "strategy", loom_str_of(loom_way_name(trial->way)));
	loom_answer_number(cli, "arrived", (int64_t)trial->arrived);
	loom_answer_number(cli, "clean", (int64_t)trial->clean);
	loom_answer_number(cli, "percent", (int64_t)(trial->score * 100 + 0.5));
	loom_buf_addf(&line, "%-10s %zu of %d clean  score %.2f", loom_way_name(trial->way),
		      trial->clean, LOOM_TRIAL_TEXTS, trial->score);
	loom_answer_map(cli, "faults");
	for (int i = 0; i < LOOM_FAULT_COUNT; i++) {
		if (!trial->faults[i])
			continue;
		loom_answer_number(cli, loom_fault_word((enum loom_fault)i),
				   (int64_t)trial->faults[i]);
		loom_buf_addf(&line, "%s%s ×%zu", any ? ", " : "  ",
			      loom_fault_word((enum loom_fault)i), trial->faults[i]);
		any = true;
	}
	loom_answer_end(cli);
	if (trial->err.status != LOOM_OK) {
		loom_answer_text(cli, "why", loom_str_of(trial->err.text));
		loom_buf_addf(&line, "  %d did not arrive: %s",
			      LOOM_TRIAL_TEXTS - (int)trial->arrived, trial->err.text);
	}
	loom_answer_line(cli, "%s", loom_buf_cstr(&line));
	loom_answer_end(cli);
	loom_buf_fini(&line);
}

static enum loom_status bench(struct listing *listing, struct loom_err *err)
{
	struct loom_cli *cli = listing->cli;
	const struct loom_str alias = args_of_models(cli)->bench;
	struct loom_trials trials;
	enum loom_status status;

	loom_cli_listen(cli);
	status = loom_trial_run(listing->voices, alias, &cli->task, cli->arena, &trials, err);
	loom_cli_unlisten(cli);
	if (status != LOOM_OK)
		return status;
	loom_answer_text(cli, "model", alias);
	loom_answer_list(cli, "trials");
	for (size_t i = 0; i < trials.count; i++)
		say_trial(cli, &trials.items[i]);
	loom_answer_end(cli);
	loom_answer_text(cli, "strategy", loom_str_of(loom_way_name(trials.items[0].way)));
	loom_answer_text(cli, "why", trials.why);
	loom_answer_number(cli, "in", trials.in);
	loom_answer_number(cli, "out", trials.out);
	loom_answer_done(cli, "%.*s continues texts by %s from now on: %.*s", LOOM_STR_ARG(alias),
			 loom_way_name(trials.items[0].way), LOOM_STR_ARG(trials.why));
	return LOOM_OK;
}

enum loom_status cmd_models(struct loom_cli *cli, struct loom_err *err)
{
	struct listing listing = {.cli = cli};
	enum loom_status status = loom_config_load(&cli->env, cli->arena, &listing.config, err);

	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < listing.config.warning_count; i++)
		loom_out_warn(cli->out, "%.*s", LOOM_STR_ARG(listing.config.warnings[i]));
	listing.voices = loom_voices_create(&(struct loom_voices_opts){.env = &cli->env,
								       .loop = loom_cli_loop(cli),
								       .config = &listing.config});
	if (args_of_models(cli)->bench.n) {
		status = bench(&listing, err);
		loom_voices_destroy(listing.voices);
		return status;
	}
	look(&listing);
	if (loom_task_cancelled(&cli->task))
		status = loom_fail(err, LOOM_CANCELLED, "interrupted");
	else
		say_all(&listing);
	loom_voices_destroy(listing.voices);
	return status;
}
