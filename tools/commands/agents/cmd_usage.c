/* `loom usage`: tokens and cost, by tree and by agent. */
#include <loom/cli/services.h>

#include <loom/work/usage.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/agents.def>

struct used {
	struct loom_tree tree;
	struct loom_usage_share *models; /* of the models that wrote in the tree */
	size_t model_count;
	struct loom_usage_share *agents; /* of the grove's agents with turns of their own */
	size_t agent_count;
};

static enum loom_status read_agents(struct cli_grove *grove, struct used *used,
				    struct loom_err *err)
{
	struct loom_agent *list = NULL;
	size_t count = 0;
	enum loom_status status = loom_agent_list(grove->store, grove->arena, &list, &count, err);

	used->agents = LOOM_ARENA_ARRAY(grove->arena, count, struct loom_usage_share);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct loom_usage_share *share = &used->agents[used->agent_count];

		share->author = list[i].id;
		status = loom_usage_agent(grove->store, list[i].id, &share->usage, err);
		used->agent_count += share->usage.calls > 0;
	}
	return status;
}

static struct loom_str name_of(struct cli_grove *grove, int64_t agent)
{
	const struct loom_agent *found = NULL;

	return cli_grove_agent(grove, agent, &found, NULL) == LOOM_OK ? found->name
								      : LOOM_STR("somebody");
}

static void say_shares(struct cli_grove *grove, const char *key,
		       const struct loom_usage_share *shares, size_t count)
{
	struct loom_cli *cli = grove->cli;
	struct loom_buf text = LOOM_BUF_INIT(4096);

	loom_answer_list(cli, key);
	for (size_t i = 0; i < count; i++) {
		const struct loom_usage *usage = &shares[i].usage;
		struct loom_str name = name_of(grove, shares[i].author);
		struct loom_json *json = NULL;

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "agent", name);
		json = loom_answer_writer(cli, "usage");
		if (json)
			loom_usage_write(usage, json);
		loom_buf_clear(&text);
		loom_usage_show(usage, &text);
		loom_answer_line(cli, "  %.*s: %s · %s", LOOM_STR_ARG(name),
				 loom_answer_many(cli, usage->calls, "answer", "answers"),
				 loom_buf_cstr(&text));
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	loom_buf_fini(&text);
}

static void say_used(struct cli_grove *grove, const struct used *used)
{
	struct loom_cli *cli = grove->cli;

	loom_answer_ulid(cli, "tree", &used->tree.ulid);
	loom_answer_text(cli, "title", used->tree.title);
	if (used->model_count)
		loom_answer_line(cli, "written by models in tree:\"%.*s\"",
				 LOOM_STR_ARG(used->tree.title));
	say_shares(grove, "models", used->models, used->model_count);
	if (used->agent_count)
		loom_answer_line(cli, "turns of agents, and what they had others write");
	say_shares(grove, "agents", used->agents, used->agent_count);
	if (!used->model_count && !used->agent_count)
		loom_answer_note(cli, "no model has written here");
}

static enum loom_status run_usage(struct cli_grove *grove, struct loom_err *err)
{
	struct used used = {.models = NULL};
	struct loom_str name = args_of_usage(grove->cli)->tree;
	enum loom_status status = cli_grove_tree(grove, name, &used.tree, err);

	if (status == LOOM_OK)
		status = loom_usage_tree(grove->store, used.tree.id, grove->arena, &used.models,
					 &used.model_count, err);
	if (status == LOOM_OK)
		status = read_agents(grove, &used, err);
	if (status != LOOM_OK)
		return status;
	say_used(grove, &used);
	return LOOM_OK;
}

enum loom_status cmd_usage(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_usage, err);
}
