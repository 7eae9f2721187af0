/* Shows or sets a tree's subject. A name from the configuration, of an agent or a model, creates an
 * agent of that name in the same operation. */
#include <loom/cli/services.h>

#include <loom/config/config.h>
#include <loom/config/served.h>
#include <loom/chat/inspect.h>
#include <loom/tree/say_node.h>

#include <loom/cli/open_grove.h>

#include "serve_file.h"

#include <loom/commands/args_of.def>
#include <loom/commands/agents.def>

struct choice {
	struct loom_arena *arena;
	int64_t tree;
	struct loom_agent agent; /* id 0: to be created */
};

static enum loom_status choose(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct choice *choice = ctx;
	enum loom_status status = LOOM_OK;

	if (!choice->agent.id)
		status = loom_agent_create(store, &choice->agent, &choice->agent.id, err);
	return status ? status : loom_tree_set_subject(store, choice->tree, choice->agent.id, err);
}

/* A new agent, from the configuration's entry for its name. */
static enum loom_status from_config(struct cli_grove *grove, struct loom_str name,
				    struct loom_agent *out, struct loom_err *err)
{
	struct loom_config config;
	struct loom_agent_config known;
	struct loom_model model;
	enum loom_status status = loom_config_load(&grove->cli->env, grove->arena, &config, err);

	*out = (struct loom_agent){.name = name, .kind = LOOM_AGENT_MODEL};
	if (status ||
	    (loom_config_agent(&config, name, &known) && (known.model.n || known.plan.count)))
		return status;
	if (loom_config_model(&config, name, grove->arena, &model, NULL) == LOOM_OK) {
		out->model = name;
		return LOOM_OK;
	}
	loom_fail(err, LOOM_NOT_FOUND, "there is no agent or model \"%.*s\"", LOOM_STR_ARG(name));
	return loom_hint(err, LOOM_NOT_FOUND,
			 "`loom models` lists the models, which are configured in %.*s",
			 LOOM_STR_ARG(config.path));
}

/* The name of a file, without folders and ending. */
static struct loom_str base_name(struct loom_str path)
{
	size_t from = path.n;

	while (from > 0 && path.p[from - 1] != '/')
		from--;
	return loom_str_sub(path, from, path.n - from - strlen(".gguf"));
}

/* The agent that stands for a model's file, which is served first. */
static enum loom_status serve(struct cli_grove *grove, struct loom_str file, struct loom_agent *out,
			      struct loom_err *err)
{
	struct loom_str path = {NULL, 0};
	enum loom_status status = agents_serve(grove->cli, file, &path, err);

	if (status)
		return status;
	*out = (struct loom_agent){.name = base_name(path), .kind = LOOM_AGENT_MODEL};
	status = loom_agent_find(grove->store, out->name, grove->arena, out, NULL);
	if (status == LOOM_OK && !loom_str_eq(out->model, path)) {
		loom_fail(err, LOOM_CONFLICT, "agent \"%.*s\" is another model",
			  LOOM_STR_ARG(out->name));
		return loom_hint(err, LOOM_CONFLICT,
				 "give the file another name, or rename the agent");
	}
	if (status != LOOM_OK)
		*out = (struct loom_agent){.name = base_name(path),
					   .kind = LOOM_AGENT_MODEL,
					   .model = path};
	return LOOM_OK;
}

static enum loom_status find(struct cli_grove *grove, struct loom_agent *out, struct loom_err *err)
{
	struct loom_str name = args_of_subject(grove->cli)->agent;
	enum loom_status status = LOOM_OK;

	if (loom_served_is_file(name))
		return serve(grove, name, out, err);
	status = loom_agent_find(grove->store, name, grove->arena, out, err);
	if (status == LOOM_NOT_FOUND)
		return from_config(grove, name, out, err);
	if (status || loom_author_type(out) == LOOM_AUTHOR_SUBJECT)
		return status;
	loom_fail(err, LOOM_PERMISSION, "agent \"%.*s\" is not a subject", LOOM_STR_ARG(name));
	return loom_hint(err, LOOM_PERMISSION, "a subject is a model agent without permissions");
}

static enum loom_status say(struct loom_cli *cli, const struct loom_tree *tree,
			    const struct loom_agent *agent, bool chosen)
{
	struct loom_str name = agent->id ? agent->name : LOOM_STR("nobody");

	loom_answer_ulid(cli, "tree", &tree->ulid);
	loom_answer_text(cli, "subject", agent->name);
	loom_answer_text(cli, "model", agent->model);
	if (chosen)
		loom_answer_done(cli, "%.*s now continues \"%.*s\"", LOOM_STR_ARG(name),
				 LOOM_STR_ARG(tree->title));
	else
		loom_answer_line(cli, "%.*s continues \"%.*s\"", LOOM_STR_ARG(name),
				 LOOM_STR_ARG(tree->title));
	return LOOM_OK;
}

static enum loom_status run(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_tree tree;
	struct choice choice = {.arena = grove->arena};
	struct cli_write write = {.kind = "subject", .run = choose, .ctx = &choice};
	enum loom_status status =
		cli_grove_tree(grove, args_of_subject(grove->cli)->tree, &tree, err);

	if (status)
		return status;
	if (!args_of_subject(grove->cli)->agent.p) {
		status =
			loom_inspect_subject(grove->store, &tree, grove->arena, &choice.agent, err);
		return status ? status : say(grove->cli, &tree, &choice.agent, false);
	}
	status = find(grove, &choice.agent, err);
	if (status)
		return status;
	choice.tree = write.tree = tree.id;
	write.text = loom_arena_format(grove->arena, "%.*s continues \"%.*s\"",
				       LOOM_STR_ARG(choice.agent.name), LOOM_STR_ARG(tree.title));
	status = cli_grove_write(grove, &write, err);
	return status ? status : say(grove->cli, &tree, &choice.agent, true);
}

enum loom_status cmd_subject(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run, err);
}
