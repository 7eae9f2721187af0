/* `loom usage`: what models were told and have said, by tree and by agent, and what it cost. */
#include <loom/cli/services.h>

#include <loom/tree/say_node.h>
#include <loom/work/usage.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/agents.def>

struct used {
	struct loom_tree tree;
	struct loom_usage_share *models; /* that have written in the tree */
	size_t model_count;
	struct loom_usage_share *agents; /* of the grove, with turns of their own */
	size_t agent_count;
};

static enum loom_status read_agents(struct tool_grove *grove, struct used *used,
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

static struct loom_str name_of(struct tool_grove *grove, int64_t agent)
{
	const struct loom_agent *found = NULL;

	return tool_grove_agent(grove, agent, &found, NULL) == LOOM_OK ? found->name
								       : LOOM_STR("somebody");
}

static void say_shares(struct tool_grove *grove, const struct loom_usage_share *shares,
		       size_t count)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);

	for (size_t i = 0; i < count; i++) {
		loom_buf_clear(&text);
		loom_show_many(shares[i].usage.calls, "answer", "answers", &text);
		loom_buf_adds(&text, " · ");
		loom_usage_show(&shares[i].usage, &text);
		tool_say_line(grove, "  %.*s: %.*s", LOOM_STR_ARG(name_of(grove, shares[i].author)),
			      LOOM_STR_ARG(loom_buf_str(&text)));
	}
	loom_buf_fini(&text);
}

static void shares_json(struct tool_grove *grove, struct loom_json *json, const char *key,
			const struct loom_usage_share *shares, size_t count)
{
	loom_json_key(json, key);
	loom_json_array(json);
	for (size_t i = 0; i < count; i++) {
		loom_json_object(json);
		loom_json_put(json, "agent", name_of(grove, shares[i].author));
		loom_json_key(json, "usage");
		loom_usage_write(&shares[i].usage, json);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void say_json(struct tool_grove *grove, const struct used *used)
{
	struct loom_json *json = loom_out_json_begin(grove->cli->out);

	loom_json_object(json);
	tool_json_ulid(json, "tree", &used->tree.ulid);
	loom_json_put(json, "title", used->tree.title);
	shares_json(grove, json, "models", used->models, used->model_count);
	shares_json(grove, json, "agents", used->agents, used->agent_count);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
}

static void say_text(struct tool_grove *grove, const struct used *used)
{
	if (used->model_count)
		tool_say_line(grove, "written by models in tree:\"%.*s\"",
			      LOOM_STR_ARG(used->tree.title));
	say_shares(grove, used->models, used->model_count);
	if (used->agent_count)
		tool_say_line(grove, "turns of agents, and what they had written");
	say_shares(grove, used->agents, used->agent_count);
	if (!used->model_count && !used->agent_count)
		loom_out_note(grove->cli->out, "no model has written here");
}

static enum loom_status run_usage(struct tool_grove *grove, struct loom_err *err)
{
	struct used used = {.models = NULL};
	struct loom_str name = args_of_usage(grove->cli)->tree;
	enum loom_status status = tool_grove_tree(grove, name, &used.tree, err);

	if (status == LOOM_OK)
		status = loom_usage_tree(grove->store, used.tree.id, grove->arena, &used.models,
					 &used.model_count, err);
	if (status == LOOM_OK)
		status = read_agents(grove, &used, err);
	if (status != LOOM_OK)
		return status;
	if (grove->cli->json)
		say_json(grove, &used);
	else
		say_text(grove, &used);
	return LOOM_OK;
}

enum loom_status tool_cmd_usage(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.view = true};

	return tool_grove_run(cli, &need, run_usage, err);
}
