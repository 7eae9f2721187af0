/* The subject model of this tree, and how it samples, in a few words for the title. Read when the
 * tree is opened and whenever something was written. */
#include <loom/desk/desk.h>

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/config/served.h>
#include <loom/log/budget.h>
#include <loom/chat/inspect.h>
#include <loom/desk/do_line.h>
#include <loom/desk/subject.h>

static void add_sampling(struct loom_buf *out, const struct loom_sampling *sampling)
{
	if ((sampling->set & LOOM_SAMPLING_N) && sampling->n > 1)
		loom_buf_addf(out, " \xc3\x97%lld", (long long)sampling->n);
	if (sampling->set & LOOM_SAMPLING_TEMPERATURE)
		loom_buf_addf(out, " t%.3g", sampling->temperature);
}

/* Whether the file has changed since it was read: people configure models while loom is open. */
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
	stale = !app->subject->config || now.st_size != app->subject->config_size ||
		now.st_mtim.tv_sec != app->subject->config_time.tv_sec ||
		now.st_mtim.tv_nsec != app->subject->config_time.tv_nsec;
	app->subject->config_size = now.st_size;
	app->subject->config_time = now.st_mtim;
	loom_buf_fini(&path);
	return stale;
}

const struct loom_config *tui_config(struct tui_app *app, struct loom_err *err)
{
	/* Runs and conversations use the voices of the configuration they began with. */
	if (!(app->subject->config && (app->running->runs || app->talks)) && is_stale(app)) {
		loom_voices_destroy(app->running->voices);
		app->running->voices = NULL;
		if (!app->subject->config)
			app->subject->config = loom_alloc(sizeof *app->subject->config);
		loom_arena_reset(app->subject->config_arena);
		app->subject->config_err = (struct loom_err){.status = LOOM_OK};
		(void)!loom_config_load(app->env, app->subject->config_arena, app->subject->config,
					&app->subject->config_err);
	}
	if (err)
		*err = app->subject->config_err;
	return app->subject->config_err.status == LOOM_OK ? app->subject->config : NULL;
}

/* A server that loom started for the model stays as long as its tree is on the screen. */
static void hold_server(struct tui_app *app, const struct loom_config *config,
			struct loom_str alias)
{
	struct loom_served served;
	int held = 0;

	if (config && loom_served_is_file(alias)) {
		loom_served_find(config->served_dir, alias, app->arena, &served);
		held = served.running ? loom_served_hold(&served) : 0;
	}
	if (app->subject->held > 0)
		close(app->subject->held);
	app->subject->held = held > 0 ? held : 0;
}

/* Layered as for a generation: the model's settings, the configured agent's, the grove's. */
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

	app->subject->several = known.plan.count > 0;
	if (app->subject->several) {
		loom_buf_adds(&app->subject->text, " (several models)");
		return;
	}
	alias = agent->model.n ? agent->model : known.model;
	if (!alias.n && !config)
		alias = LOOM_STR("config.json cannot be read");
	if (!alias.n)
		alias = config->subject_model.n ? config->subject_model : LOOM_STR("ngram");
	hold_server(app, config, alias);
	if (!loom_str_eq(alias, agent->name) && !loom_served_is_file(alias))
		loom_buf_addf(&app->subject->text, " (%.*s)", LOOM_STR_ARG(alias));
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
	add_sampling(&app->subject->text, &all);
	if (model_known)
		app->subject->room =
			loom_budget(model.context, all.set & LOOM_SAMPLING_TOKENS ? all.tokens : 0);
	app->subject->n = all.set & LOOM_SAMPLING_N && all.n > 1 ? all.n : 0;
	app->subject->tokens = all.set & LOOM_SAMPLING_TOKENS ? all.tokens : 0;
}

void tui_subject_read(struct tui_app *app)
{
	struct loom_agent agent;
	struct loom_tree tree;

	loom_buf_clear(&app->subject->text);
	app->subject->n = app->subject->tokens = app->subject->room = 0;
	app->subject->name = 0;
	app->subject->several = false;
	/* Reads the tree again: another subject may have been chosen for it. */
	if (loom_tree_get(app->store, app->tree.id, app->arena, &tree, NULL) != LOOM_OK ||
	    loom_inspect_subject(app->store, &tree, app->arena, &agent, NULL) != LOOM_OK ||
	    !agent.id)
		return;
	loom_buf_add(&app->subject->text, agent.name);
	app->subject->name = agent.name.n;
	add_voice(app, &agent);
}

static void begin(struct tui_app *app)
{
	app->subject = loom_alloc(sizeof *app->subject);
	app->subject->config_arena = loom_arena_create();
	loom_buf_init(&app->subject->text, 1 << 16);
}

static void closed(struct tui_app *app)
{
	if (app->subject->held > 0)
		close(app->subject->held);
	free(app->subject->config);
	loom_arena_destroy(app->subject->config_arena);
	loom_buf_fini(&app->subject->text);
	free(app->subject);
}

const struct tui_view tui_view_subject = {
	.told = {[TUI_TOLD_BEGIN] = begin, [TUI_TOLD_CLOSED] = closed}};
