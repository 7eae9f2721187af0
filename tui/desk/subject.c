/* Who continues in this tree, and how it draws, in a few words for the title: read when the tree is
 * opened and whenever something was written. */
#include <loom/desk/desk.h>

#include <limits.h>
#include <sys/stat.h>

#include <loom/log/budget.h>
#include <loom/chat/inspect.h>

static void add_sampling(struct loom_buf *out, const struct loom_sampling *sampling)
{
	if ((sampling->set & LOOM_SAMPLING_N) && sampling->n > 1)
		loom_buf_addf(out, " \xc3\x97%lld", (long long)sampling->n);
	if (sampling->set & LOOM_SAMPLING_TEMPERATURE)
		loom_buf_addf(out, " t%.3g", sampling->temperature);
}

/* Whether the file is another one than when it was read: people set a model up while they look. */
static bool is_stale(struct tui_app *app)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	struct stat now = {.st_size = -1};
	bool stale;

	if (loom_env_dir(app->env, LOOM_DIR_CONFIG, &path, NULL) == LOOM_OK) {
		loom_buf_adds(&path, "/config.json");
		if (stat(loom_buf_cstr(&path), &now) != 0)
			now = (struct stat){.st_size = -1};
	}
	stale = !app->config || now.st_size != app->config_size ||
		now.st_mtim.tv_sec != app->config_time.tv_sec ||
		now.st_mtim.tv_nsec != app->config_time.tv_nsec;
	app->config_size = now.st_size;
	app->config_time = now.st_mtim;
	loom_buf_fini(&path);
	return stale;
}

const struct loom_config *tui_config(struct tui_app *app, struct loom_err *err)
{
	/* Whoever is being asked was made from the one that was read. */
	if (!(app->config && (app->runs || app->talks)) && is_stale(app)) {
		loom_voices_destroy(app->voices);
		app->voices = NULL;
		if (!app->config)
			app->config = loom_alloc(sizeof *app->config);
		loom_arena_reset(app->config_arena);
		app->config_err = (struct loom_err){.status = LOOM_OK};
		(void)!loom_config_load(app->env, app->config_arena, app->config, &app->config_err);
	}
	if (err)
		*err = app->config_err;
	return app->config_err.status == LOOM_OK ? app->config : NULL;
}

/* As a generation lays them: the model's under the configured agent's under the grove's. */
static void add_voice(struct tui_app *app, const struct loom_agent *agent)
{
	const struct loom_config *config = tui_config(app, NULL);
	struct loom_sampling all = {.set = 0};
	struct loom_sampling own;
	struct loom_agent_config known = {.name = agent->name};
	struct loom_model model;
	struct loom_str alias;
	bool model_known;
	bool configured = config && loom_config_agent(config, agent->name, &known);

	alias = agent->model.n ? agent->model : known.model;
	if (!alias.n && !config)
		alias = LOOM_STR("config.json cannot be read");
	if (!alias.n)
		alias = config->subject_model.n ? config->subject_model : LOOM_STR("ngram");
	if (!loom_str_eq(alias, agent->name))
		loom_buf_addf(&app->subject, " (%.*s)", LOOM_STR_ARG(alias));
	model_known =
		config && loom_config_model(config, alias, app->arena, &model, NULL) == LOOM_OK;
	if (model_known) {
		loom_sampling_lay(&all, &model.provider->sampling);
		loom_sampling_lay(&all, &model.sampling);
	}
	if (configured)
		loom_sampling_lay(&all, &known.sampling);
	if (loom_sampling_parse(loom_arena_str(app->arena, agent->sampling), app->arena, &own,
				NULL) == LOOM_OK)
		loom_sampling_lay(&all, &own);
	add_sampling(&app->subject, &all);
	if (model_known)
		app->subject_room =
			loom_budget(model.context, all.set & LOOM_SAMPLING_TOKENS ? all.tokens : 0);
	app->subject_n = all.set & LOOM_SAMPLING_N && all.n > 1 ? all.n : 0;
	app->subject_tokens = all.set & LOOM_SAMPLING_TOKENS ? all.tokens : 0;
}

void tui_subject_read(struct tui_app *app)
{
	struct loom_agent agent;
	struct loom_tree tree;

	loom_buf_clear(&app->subject);
	app->subject_n = app->subject_tokens = app->subject_room = 0;
	app->subject_name = 0;
	/* The tree anew: another subject may have been chosen for it. */
	if (loom_tree_get(app->store, app->tree.id, app->arena, &tree, NULL) != LOOM_OK ||
	    loom_inspect_subject(app->store, &tree, app->arena, &agent, NULL) != LOOM_OK ||
	    !agent.id)
		return;
	loom_buf_add(&app->subject, agent.name);
	app->subject_name = agent.name.n;
	add_voice(app, &agent);
}
