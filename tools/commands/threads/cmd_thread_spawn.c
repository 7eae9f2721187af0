/* `loom thread spawn`: creates a thread with its references and, if the project has a grove, ties
 * it to its agent and tree. */
#include <loom/cli/services.h>
#include <loom/sharing/turn_files.h>
#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

/* `A,B` without a scope names two threads, as the notation of references says. */
static enum loom_status read_refs(struct threads_leslie *call, struct loom_leslie_target **out,
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

static void describe_tie(struct threads_leslie *call)
{
	const struct loom_agent *agent = NULL;
	struct loom_tree tree;

	if (cli_grove_agent(call->grove, call->tie.agent, &agent, NULL) == LOOM_OK)
		loom_answer_text(call->cli, "agent", agent->name);
	if (loom_tree_get(call->grove->store, call->tie.tree, call->grove->arena, &tree, NULL) ==
	    LOOM_OK)
		loom_answer_ulid(call->cli, "tree", &tree.ulid);
}

static void answer_spawned(struct threads_leslie *call, struct loom_str id,
			   const struct loom_leslie_warnings *warnings)
{
	const struct args_of_thread_spawn *args = args_of_thread_spawn(call->cli);
	struct loom_cli *cli = call->cli;

	threads_leslie_warn_of(call, id, warnings, false);
	loom_answer_text(cli, "thread_id", id);
	loom_answer_line(cli, "%.*s", LOOM_STR_ARG(id));
	loom_answer_maybe(cli, "parent_id", args->parent);
	loom_answer_text(cli, "status", LOOM_STR("active"));
	loom_answer_text(cli, "objective", args->objective);
	if (call->grove && loom_answer_structured(cli))
		describe_tie(call);
	threads_leslie_answer_warnings(cli, warnings);
	if (call->grove && loom_store_shared_log(call->grove->store))
		loom_answer_note(cli,
				 "its files are on this machine and wherever git brings .leslie; a "
				 "document of the grove is on every machine: loom doc write "
				 "%.*s/plan <.leslie/threads/%.*s/plan.md",
				 LOOM_STR_ARG(id), LOOM_STR_ARG(id));
}

static enum loom_status spawn(struct threads_leslie *call)
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
	struct loom_kept kept;
	enum loom_status status = read_refs(call, &refs, &opts.ref_count);

	opts.refs = refs;
	if (!opts.executor.p && call->tie.human)
		opts.executor = LOOM_STR("human");
	loom_leslie_binding_parse(args->binding, &opts.binding);
	if (status == LOOM_OK)
		status = loom_leslie_spawn(call->leslie, &opts, call->cli->arena, &id, &warnings,
					   &call->err);
	if (status == LOOM_OK && call->grove)
		status = chat_grove_tie(call->grove, id, &call->tie, &call->err.err);
	if (status != LOOM_OK)
		return status;
	kept = loom_outside_spawned(id);
	threads_list_outside(call->cli, call->grove,
			     &(struct loom_outside){.act = LOOM_OUTSIDE_SPAWN,
						    .subject = id,
						    .kept = &kept,
						    .kept_count = 1});
	answer_spawned(call, id, &warnings);
	return LOOM_OK;
}

/* Resolves all names before anything is created. */
static enum loom_status find_tie(struct cli_grove *grove, struct chat_tie *tie,
				 struct loom_err *err)
{
	const struct args_of_thread_spawn *args = args_of_thread_spawn(grove->cli);
	struct loom_str name = args->agent;
	struct loom_agent agent = grove->actor;
	struct loom_tree tree;
	enum loom_status status =
		name.p ? loom_agent_find(grove->store, name, grove->arena, &agent, err) : LOOM_OK;

	if (status == LOOM_OK)
		status = cli_grove_tree(grove, args->tree, &tree, err);
	if (status == LOOM_OK)
		*tie = (struct chat_tie){.agent = agent.id,
					 .tree = tree.id,
					 .human = agent.kind == LOOM_AGENT_HUMAN};
	return status;
}

static enum loom_status spawn_tied(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_str id = args_of_thread_spawn(grove->cli)->id;
	struct chat_tie tie = {0};
	struct loom_thread taken;
	struct loom_err ignored;
	enum loom_status status = find_tie(grove, &tie, err);

	if (status == LOOM_OK && id.p &&
	    loom_thread_find(grove->store, id, grove->arena, &taken, &ignored) == LOOM_OK)
		status = loom_fail(err, LOOM_CONFLICT, "thread %.*s already exists",
				   LOOM_STR_ARG(id));
	return status == LOOM_OK ? threads_leslie_run_on(grove, &tie, spawn, err) : status;
}

enum loom_status cmd_thread_spawn(struct loom_cli *cli, struct loom_err *err)
{
	if (args_of_thread_spawn(cli)->agent.p || args_of_thread_spawn(cli)->tree.p)
		return cli_grove_run(cli, NULL, spawn_tied, err);
	return threads_leslie_run(cli, spawn, err);
}
