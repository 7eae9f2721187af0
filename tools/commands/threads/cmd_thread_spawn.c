/* `loom thread spawn`: a thread with what it is given to read and, where the project has a grove,
 * with the agent who works in it and the tree where it stands. */
#include <loom/cli/services.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

/* `A,B` without a scope is two threads, as the reference writes them. */
static enum loom_status read_refs(struct tool_leslie *call, struct loom_leslie_target **out,
				  size_t *count)
{
	const struct args_of_thread_spawn *args = args_of_thread_spawn(call->cli);
	struct loom_arena *arena = call->cli->arena;
	enum loom_status status = LOOM_OK;
	size_t cap = 0;

	*out = NULL;
	*count = 0;
	for (size_t i = 0; i < args->ref.n; i++) {
		struct loom_str text = args->ref.p[i];
		bool scoped = loom_str_find_char(text, ':', 0) != SIZE_MAX;
		struct loom_str part = text;

		while (status == LOOM_OK && text.p && (scoped || loom_str_cut(&text, ',', &part))) {
			*out = loom_arena_grow(arena, *out, *count, &cap, sizeof(**out));
			status = loom_leslie_target_parse(part, arena, &(*out)[(*count)++],
							  &call->err);
			if (scoped)
				break;
		}
	}
	return status;
}

static void put_tie(struct tool_leslie *call, struct loom_json *json)
{
	const struct loom_agent *agent = NULL;
	struct loom_tree tree;

	if (tool_grove_agent(call->grove, call->tie.agent, &agent, NULL) == LOOM_OK)
		loom_json_put(json, "agent", agent->name);
	if (loom_tree_get(call->grove->store, call->tie.tree, call->grove->arena, &tree, NULL) ==
	    LOOM_OK)
		tool_json_ulid(json, "tree", &tree.ulid);
}

static void print_spawned(struct tool_leslie *call, struct loom_str id,
			  const struct loom_leslie_warnings *warnings)
{
	const struct args_of_thread_spawn *args = args_of_thread_spawn(call->cli);
	struct loom_json *json = NULL;

	tool_leslie_warn_of(call, id, warnings, false);
	if (!call->cli->json) {
		loom_out_line(call->cli->out, id);
		return;
	}
	json = loom_out_json_begin(call->cli->out);
	loom_json_object(json);
	loom_json_put(json, "thread_id", id);
	loom_json_key(json, "parent_id");
	if (args->parent.p)
		loom_json_text(json, args->parent);
	else
		loom_json_null(json);
	loom_json_put(json, "status", LOOM_STR("active"));
	loom_json_put(json, "objective", args->objective);
	if (call->grove)
		put_tie(call, json);
	tool_leslie_put_warnings(json, warnings);
	loom_json_end_object(json);
	loom_out_json_end(call->cli->out);
}

static enum loom_status spawn(struct tool_leslie *call)
{
	const struct args_of_thread_spawn *args = args_of_thread_spawn(call->cli);
	struct loom_leslie_target *refs = NULL;
	struct loom_leslie_spawn opts = {
		.objective = args->objective,
		.intent = args->intent,
		.id = args->id,
		.parent = args->parent,
		.executor = args->executor,
	};
	struct loom_leslie_warnings warnings = {0};
	struct loom_str id = {NULL, 0};
	enum loom_status status = read_refs(call, &refs, &opts.ref_count);

	opts.refs = refs;
	if (!opts.executor.p && call->tie.human)
		opts.executor = LOOM_STR("human");
	loom_leslie_binding_parse(args->binding, &opts.binding);
	if (status == LOOM_OK)
		status = loom_leslie_spawn(call->leslie, &opts, call->cli->arena, &id, &warnings,
					   &call->err);
	if (status == LOOM_OK && call->grove)
		status = tool_grove_tie(call->grove, id, &call->tie, &call->err.err);
	if (status != LOOM_OK)
		return status;
	tool_list_outside(call->cli, call->grove,
			  &(struct loom_outside){.act = LOOM_OUTSIDE_SPAWN, .subject = id});
	print_spawned(call, id, &warnings);
	return LOOM_OK;
}

/* What is named is found before anything is made. */
static enum loom_status find_tie(struct tool_grove *grove, struct tool_tie *tie,
				 struct loom_err *err)
{
	const struct args_of_thread_spawn *args = args_of_thread_spawn(grove->cli);
	struct loom_str name = args->agent;
	struct loom_agent agent = grove->actor;
	struct loom_tree tree;
	enum loom_status status =
		name.p ? loom_agent_find(grove->store, name, grove->arena, &agent, err) : LOOM_OK;

	if (status == LOOM_OK)
		status = tool_grove_tree(grove, args->tree, &tree, err);
	if (status == LOOM_OK)
		*tie = (struct tool_tie){.agent = agent.id,
					 .tree = tree.id,
					 .human = agent.kind == LOOM_AGENT_HUMAN};
	return status;
}

static enum loom_status spawn_tied(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_str id = args_of_thread_spawn(grove->cli)->id;
	struct tool_tie tie = {0};
	struct loom_thread taken;
	struct loom_err ignored;
	enum loom_status status = find_tie(grove, &tie, err);

	if (status == LOOM_OK && id.p &&
	    loom_thread_find(grove->store, id, grove->arena, &taken, &ignored) == LOOM_OK)
		status = loom_fail(err, LOOM_CONFLICT, "there is a thread %.*s already",
				   LOOM_STR_ARG(id));
	return status == LOOM_OK ? tool_leslie_run_on(grove, &tie, spawn, err) : status;
}

enum loom_status tool_cmd_thread_spawn(struct loom_cli *cli, struct loom_err *err)
{
	if (args_of_thread_spawn(cli)->agent.p || args_of_thread_spawn(cli)->tree.p)
		return tool_grove_run(cli, NULL, spawn_tied, err);
	return tool_leslie_run(cli, spawn, err);
}
